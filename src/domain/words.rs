//! Words: how texts and identifiers are cut up before they are compared. Knows nothing of what they mean.

/// The words of a text for people, in lower case: runs of letters and digits.
pub fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// The words of an identifier, in lower case: cut at punctuation, at humps (`newTodo`), and between letters and digits.
pub fn tokens(identifier: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut current = String::new();
    let mut before = None;
    let mut rest = identifier.chars().peekable();
    while let Some(c) = rest.next() {
        let after = rest.peek().copied();
        if starts_token(before, c, after) && !current.is_empty() {
            found.push(std::mem::take(&mut current));
        }
        if c.is_alphanumeric() {
            current.extend(c.to_lowercase());
        }
        before = Some(c);
    }
    if !current.is_empty() {
        found.push(current);
    }
    found
}

fn starts_token(before: Option<char>, c: char, after: Option<char>) -> bool {
    let Some(before) = before else { return false };
    if !c.is_alphanumeric() || before.is_numeric() != c.is_numeric() {
        return true;
    }
    c.is_uppercase() && (before.is_lowercase() || after.is_some_and(char::is_lowercase))
}

/// `text` with every run of white space as one space and none at the ends.
pub fn squash(text: &str) -> String {
    let mut squashed = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !squashed.is_empty() {
            squashed.push(' ');
        }
        squashed.push_str(word);
    }
    squashed
}

/// A set of words as sorted hashes: small, and quick to compare.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WordSet(Vec<u64>);

impl WordSet {
    /// The set of the words of a text, the first `most` of them.
    pub fn of_text(text: &str, most: usize) -> Self {
        let mut set: Vec<u64> = text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .take(most)
            .map(|word| hash(word.chars().flat_map(char::to_lowercase)))
            .collect();
        set.sort_unstable();
        set.dedup();
        Self(set)
    }

    /// The set of the tokens of identifiers.
    pub fn of_identifiers<'a>(identifiers: impl IntoIterator<Item = &'a str>) -> Self {
        let mut set: Vec<u64> = identifiers.into_iter().flat_map(tokens).map(|token| hash(token.chars())).collect();
        set.sort_unstable();
        set.dedup();
        Self(set)
    }

    /// The set of whole names, compared as they are.
    pub fn of_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut set: Vec<u64> = names.into_iter().map(|name| hash(name.chars())).collect();
        set.sort_unstable();
        set.dedup();
        Self(set)
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no word.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many words both sets have.
    pub fn shared(&self, other: &Self) -> usize {
        let (mut a, mut b, mut shared) = (0, 0, 0);
        while let (Some(x), Some(y)) = (self.0.get(a), other.0.get(b)) {
            match x.cmp(y) {
                std::cmp::Ordering::Less => a += 1,
                std::cmp::Ordering::Greater => b += 1,
                std::cmp::Ordering::Equal => {
                    shared += 1;
                    a += 1;
                    b += 1;
                }
            }
        }
        shared
    }

    /// Shared words over all words of both, 0 to 1; 0 when both are empty.
    pub fn likeness(&self, other: &Self) -> f64 {
        let shared = self.shared(other);
        let all = self.len() + other.len() - shared;
        if all == 0 { 0.0 } else { ratio(shared, all) }
    }
}

/// `part / whole` as a fraction; 0 for an empty whole.
pub fn ratio(part: usize, whole: usize) -> f64 {
    let float = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    if whole == 0 { 0.0 } else { float(part) / float(whole) }
}

/// FNV-1a over characters: stable between runs and versions, which std's hasher does not promise.
fn hash(characters: impl Iterator<Item = char>) -> u64 {
    characters.fold(0xcbf2_9ce4_8422_2325, |hash, c| (hash ^ u64::from(u32::from(c))).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::{WordSet, squash, tokens, words};

    #[test]
    fn identifiers_are_cut_at_humps_punctuation_and_digits() {
        for (identifier, expected) in [
            ("submit-btn", vec!["submit", "btn"]),
            ("newTodo", vec!["new", "todo"]),
            ("HTMLInput2", vec!["html", "input", "2"]),
            ("user_name[0]", vec!["user", "name", "0"]),
            ("", vec![]),
        ] {
            assert_eq!(tokens(identifier), expected, "{identifier}");
        }
    }

    #[test]
    fn texts_are_cut_into_lower_case_words() {
        assert_eq!(words("What's  new?"), ["what", "s", "new"]);
        assert_eq!(squash("  a\n b\t"), "a b");
    }

    #[test]
    fn sets_count_what_they_share() {
        let (a, b) = (WordSet::of_text("Save all changes", 9), WordSet::of_text("save changes", 9));
        assert_eq!(a.shared(&b), 2);
        assert!((a.likeness(&b) - 2.0 / 3.0).abs() < 1e-9);
    }
}
