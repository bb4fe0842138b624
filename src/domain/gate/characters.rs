//! Rule A4: no character may be new that hides, steers or ends a line.

use std::collections::BTreeMap;

use super::violation::{Prohibition, Violation};

/// Compares `old` and `new`, which are two lines of source or two values of strings.
pub(super) fn check(old: &str, new: &str) -> Result<(), Violation> {
    let old_count = counted(old);
    for (character, count) in counted(new) {
        if count > old_count.get(&character).copied().unwrap_or(0) {
            return Err(Violation::new(Prohibition::Characters, format!("U+{:04X}", u32::from(character))));
        }
    }
    let mut known: Vec<&str> = mixed_words(old).collect();
    known.sort_unstable();
    match mixed_words(new).find(|word| known.binary_search(word).is_err()) {
        Some(word) => Err(Violation::new(Prohibition::Scripts, word)),
        None => Ok(()),
    }
}

/// Whether Playwright drops the character from texts and names before it compares them.
pub(super) fn is_dropped(character: char) -> bool {
    matches!(character, '\u{200b}' | '\u{ad}')
}

fn counted(text: &str) -> BTreeMap<char, usize> {
    let mut counts = BTreeMap::new();
    for character in text.chars().filter(|character| is_hidden(*character)) {
        *counts.entry(character).or_default() += 1;
    }
    counts
}

fn is_hidden(character: char) -> bool {
    match character {
        '\t' => false,
        // Bidi controls with the line and paragraph separators; zero width, joiners, soft hyphen; Mongolian separator; tags.
        '\u{2028}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}'
        | '\u{200b}'..='\u{200f}'
        | '\u{61c}'
        | '\u{2060}'
        | '\u{feff}'
        | '\u{ad}'
        | '\u{180e}'
        | '\u{e0000}'..='\u{e007f}' => true,
        character => character.is_control(),
    }
}

/// The words that mix Latin with Cyrillic or Greek letters.
fn mixed_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !character.is_alphanumeric() && character != '_').filter(|word| {
        word.chars().any(|c| matches!(c, 'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}'))
            && word.chars().any(|c| {
                matches!(c, '\u{370}'..='\u{52f}' | '\u{1c80}'..='\u{1c8f}' | '\u{1f00}'..='\u{1fff}'
                    | '\u{2de0}'..='\u{2dff}' | '\u{a640}'..='\u{a69f}')
            })
    })
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn only_what_is_new_counts() {
        for (old, new, allowed) in [
            ("Copy", "Copy link", true),
            ("\u{200b}Copy", "\u{200b}Copy link", true),
            ("\u{200b}Copy", "\u{200b}Co\u{200b}py", false),
            ("Copy", "Co\u{ad}py", false),
            ("Copy", "Copy\tlink", true),
            ("Copy", "Copy\r", false),
            ("Copy", "Copy\u{85}", false),
            ("👩\u{200d}👧", "Family 👩\u{200d}👧", true),
            ("Family", "👩\u{200d}👧", false),
            ("Copy", "\u{e0041}", false),
            ("Copy", "С\u{43e}py", false),
            ("С\u{43e}py", "С\u{43e}py link", true),
            ("Copy", "Копия", true),
            ("Copy", "Copy Копия", true),
            ("Copy", "Größe", true),
            ("Copy", "\u{3b1}lpha", false),
        ] {
            assert_eq!(check(old, new).is_ok(), allowed, "{old:?} {new:?}");
        }
    }
}
