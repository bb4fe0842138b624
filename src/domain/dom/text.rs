//! Text as Playwright compares it: its notion of white space, and the text of elements.

/// Whether JavaScript's `\s` and `trim()` take the character for white space.
pub fn is_space(c: char) -> bool {
    matches!(c, '\t'..='\r' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{2028}' | '\u{2029}'
        | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{feff}')
}

/// Runs of white space made one space, ends trimmed, zero-width spaces and soft hyphens dropped.
pub fn normalize(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut gap = false;
    for c in text.chars() {
        match c {
            '\u{200b}' | '\u{ad}' => {}
            _ if is_space(c) => gap = !out.is_empty(),
            _ => {
                if gap {
                    out.push(' ');
                    gap = false;
                }
                out.push(c);
            }
        }
    }
    out
}
