//! Lines and columns as V8 and Playwright count them (from 1, columns in UTF-16 units) against byte offsets.

/// The byte offset of a line and column; `None` past the end of the text. A column past the end of its line is the
/// line's end: source maps round.
pub fn offset_of(text: &str, line: u32, column: u32) -> Option<usize> {
    let mut start = 0;
    for _ in 1..line {
        start += text.get(start..)?.find('\n')? + 1;
    }
    let rest = text.get(start..)?;
    let mut units = 1;
    for (at, c) in rest.char_indices() {
        if units >= column || c == '\n' {
            return Some(start + at);
        }
        units += u32::try_from(c.len_utf16()).unwrap_or(1);
    }
    Some(text.len())
}

/// The line of a byte offset, from 1.
pub fn line_of(text: &str, offset: usize) -> u32 {
    let before = text.as_bytes().get(..offset.min(text.len())).unwrap_or_default();
    let newlines = before.split(|&byte| byte == b'\n').count() - 1;
    u32::try_from(newlines).unwrap_or(u32::MAX - 1) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_utf16_units() {
        let text = "a\n'Grüße 😀' x\n";
        assert_eq!(offset_of(text, 2, 1), Some(2));
        let x = text.find('x').unwrap();
        assert_eq!(offset_of(text, 2, 12), Some(x));
        assert_eq!(line_of(text, x), 2);
        assert_eq!(offset_of(text, 9, 1), None);
        assert_eq!(offset_of(text, 1, 50), Some(1));
    }
}
