//! Half characters in JSON: a script cuts a text between the two halves of an emoji, and writes what is left as `\ud83d`.
//! A Rust string cannot hold that, so it becomes `\ufffd`, the replacement character, in place.

use std::borrow::Cow;

use memchr::memchr;

/// The same JSON with every half of a character that stands alone replaced. Everything else stays, byte for byte.
pub(crate) fn without_halves(json: &[u8]) -> Cow<'_, [u8]> {
    let mut mended: Option<Vec<u8>> = None;
    let mut from = 0;
    while let Some(at) = json.get(from..).and_then(|rest| memchr(b'\\', rest)).map(|at| from + at) {
        from = at + 2;
        let Some(half) = surrogate(json, at) else { continue };
        from = at + 6;
        let paired = half < 0xDC00 && surrogate(json, from).is_some_and(|next| next >= 0xDC00);
        if paired {
            from += 6;
        } else if let Some(place) = mended.get_or_insert_with(|| json.to_vec()).get_mut(at..at + 6) {
            place.copy_from_slice(b"\\ufffd");
        }
    }
    mended.map_or(Cow::Borrowed(json), Cow::Owned)
}

/// The half of a character that is escaped at `at`.
fn surrogate(json: &[u8], at: usize) -> Option<u16> {
    let digits = json.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let code = u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    (0xD800..0xE000).contains(&code).then_some(code)
}

#[cfg(test)]
mod tests {
    use super::without_halves;

    #[test]
    fn only_a_half_that_stands_alone_is_replaced() {
        for (json, expected) in [
            (r#""a\ud83d""#, r#""a\ufffd""#),
            (r#""\ud83d\ude00""#, r#""\ud83d\ude00""#),
            (r#""\uD83D\uDE00\uDE00""#, r#""\uD83D\uDE00\ufffd""#),
            (r#""\ude00\ud83d\ud83d\ude00""#, r#""\ufffd\ufffd\ud83d\ude00""#),
            (r#""\\ud83d \n \u00e9""#, r#""\\ud83d \n \u00e9""#),
            (r#""\\\ud83d""#, r#""\\\ufffd""#),
            (r#""\ud8"#, r#""\ud8"#),
            (r#""\u+83d""#, r#""\u+83d""#),
        ] {
            assert_eq!(String::from_utf8_lossy(&without_halves(json.as_bytes())), expected);
        }
    }
}
