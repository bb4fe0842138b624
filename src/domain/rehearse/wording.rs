//! Other words for a label: the same thing said otherwise, its opposite, or another thing of the same sort.
//!
//! The tables are written for rehearsing alone. They are not the tables that the decision knows meanings from: a healer
//! that is asked in its own words would always know the answer.

use super::dice::Dice;
use crate::domain::words::{tokens, words};

/// Ways to say the same in an interface. One group a line.
const SAME: &[&[&str]] = &[
    &["sign in", "log in", "login"],
    &["sign up", "register"],
    &["sign out", "log out", "logout"],
    &["delete", "remove"],
    &["add", "create"],
    &["edit", "change", "modify"],
    &["search", "find"],
    &["submit", "send"],
    &["settings", "preferences"],
    &["email", "e-mail", "email address"],
    &["phone", "telephone", "phone number"],
    &["cart", "basket", "bag"],
    &["help", "support"],
    &["start", "begin"],
    &["show", "view", "display"],
    &["choose", "select", "pick"],
    &["upload", "attach"],
    &["continue", "proceed"],
    &["confirm", "approve"],
    &["close", "dismiss"],
    &["username", "user name"],
    &["picture", "image", "photo"],
    &["items", "entries"],
    &["list", "overview"],
    &["filter", "refine"],
    &["execute", "run"],
    &["completed", "done", "finished"],
    &["compose", "write"],
    &["company", "organisation"],
    &["users", "people", "members"],
    &["orders", "purchases"],
];

/// What says the opposite, or does another thing in the same place.
const OPPOSITE: &[(&str, &str)] = &[
    ("sign in", "sign up"),
    ("log in", "register"),
    ("login", "register"),
    ("next", "previous"),
    ("save", "discard"),
    ("add", "remove"),
    ("create", "delete"),
    ("show", "hide"),
    ("enable", "disable"),
    ("accept", "decline"),
    ("approve", "reject"),
    ("open", "close"),
    ("start", "stop"),
    ("import", "export"),
    ("upload", "download"),
    ("expand", "collapse"),
    ("send", "discard"),
    ("submit", "cancel"),
    ("confirm", "cancel"),
    ("forward", "back"),
    ("follow", "unfollow"),
    ("lock", "unlock"),
    ("subscribe", "unsubscribe"),
];

/// Words that carry no meaning of their own and may go.
const FILLER: &[&str] = &["a", "an", "the", "your", "my", "our", "please", "this"];

/// What sort of thing a label belongs to: another thing of the sort says other things.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// Pressed, and does something.
    Button,
    /// Pressed, and leads somewhere.
    Link,
    /// Filled in, ticked or chosen from.
    Field,
    /// Read.
    Text,
}

impl Sort {
    fn others(self) -> &'static [&'static str] {
        match self {
            Self::Button => {
                &["Print", "Share", "Refresh", "Duplicate", "Report a problem", "Schedule", "Rotate", "Pin"]
            }
            Self::Link => {
                &["Pricing", "Careers", "Terms of use", "Newsletter", "Press", "Imprint", "Changelog", "Partners"]
            }
            Self::Field => {
                &["Coupon", "Company", "Comment", "Date of birth", "Colour", "Reference", "Country", "Nickname"]
            }
            Self::Text => {
                &["Nothing to see yet", "Terms have changed", "About us", "Latest news", "Frequently asked", "Tips"]
            }
        }
    }

    fn longer(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Button => &[("", " →"), ("", " …"), ("Just ", ""), ("", " here")],
            Self::Link => &[("Go to ", ""), ("View ", ""), ("", " page"), ("", " ›")],
            Self::Field => &[("Your ", ""), ("Enter ", ""), ("", " (required)"), ("", " *"), ("", ":")],
            Self::Text => &[("", "!"), ("Your ", ""), ("", " today"), ("Here: ", "")],
        }
    }
}

/// The same label in other words: a synonym, words dropped, words added. `None` for what is no label.
pub(super) fn reworded(text: &str, sort: Sort, dice: &mut Dice) -> Option<String> {
    if !text.chars().any(char::is_alphabetic) {
        return None;
    }
    let mut ways: Vec<String> = SAME
        .iter()
        .flat_map(|group| group.iter().flat_map(|from| group.iter().map(move |to| (*from, *to))))
        .filter(|(from, to)| from != to)
        .filter_map(|(from, to)| exchanged(text, from, to))
        .collect();
    ways.extend(shorter(text));
    let added = dice.pick(sort.longer()).map(|(before, after)| {
        let inner = if before.is_empty() || before.ends_with(": ") { text.to_owned() } else { lower_first(text) };
        format!("{before}{inner}{after}")
    });
    ways.extend(added);
    dice.pick(&ways).filter(|new| *new != text).cloned()
}

/// A label that says the opposite; `None` where the table has no word that it begins with.
pub(super) fn opposite(text: &str, dice: &mut Dice) -> Option<String> {
    let ways: Vec<String> = OPPOSITE
        .iter()
        .flat_map(|&(one, other)| [(one, other), (other, one)])
        .filter(|(from, _)| words(text).starts_with(&words(from)))
        .filter_map(|(from, to)| exchanged(text, from, to))
        .collect();
    dice.pick(&ways).cloned()
}

/// A label of another thing of the sort, which shares no word with this one.
pub(super) fn other(text: &str, sort: Sort, dice: &mut Dice) -> Option<String> {
    let said = words(text);
    let apart = |label: &&&str| words(label).iter().all(|word| !said.contains(word));
    let ways: Vec<&&str> = sort.others().iter().filter(apart).collect();
    dice.pick(&ways).map(|label| (**label).to_owned())
}

/// Another identifier for the same thing: its words kept, moved, shortened, written otherwise, or all new.
pub(super) fn renamed(identifier: &str, dice: &mut Dice) -> String {
    let parts = tokens(identifier);
    let joined = |parts: &[String], glue: &str| parts.join(glue);
    let mut ways = vec![joined(&parts, "_"), joined(&parts, "-"), humped(&parts)];
    if let Some((last, rest)) = parts.split_last().filter(|(_, rest)| !rest.is_empty()) {
        ways.push(joined(rest, "-"));
        ways.push(format!("{last}-{}", joined(rest, "-")));
    }
    ways.push(format!(
        "{}-{}",
        joined(&parts, "-"),
        ["field", "control", "v2", "main"].get(dice.below(4)).unwrap_or(&"x")
    ));
    ways.push(format!("{}-{}", ["app", "page", "ui", "x"].get(dice.below(4)).unwrap_or(&"x"), joined(&parts, "-")));
    ways.push(format!("node-{}", 1_000 + dice.below(9_000)));
    ways.retain(|way| way != identifier && !way.is_empty());
    dice.pick(&ways).cloned().unwrap_or_else(|| format!("{identifier}-2"))
}

/// An identifier made of a label.
pub(super) fn identifier(label: &str) -> String {
    words(label).join("-")
}

fn humped(parts: &[String]) -> String {
    let mut name = String::new();
    for (at, part) in parts.iter().enumerate() {
        let mut letters = part.chars();
        let first = letters.next().into_iter().flat_map(char::to_uppercase);
        if at == 0 { name.push_str(part) } else { name.extend(first.chain(letters)) }
    }
    name
}

/// `text` without a word that carries nothing, else without its last word where four or more are left.
fn shorter(text: &str) -> Option<String> {
    let all: Vec<&str> = text.split_whitespace().collect();
    let plain = |word: &&&str| !FILLER.contains(&word.to_lowercase().as_str());
    let kept: Vec<&str> = all.iter().filter(plain).copied().collect();
    if kept.len() < all.len() && !kept.is_empty() {
        return Some(kept.join(" "));
    }
    (all.len() > 4).then(|| all.get(..all.len() - 1).unwrap_or_default().join(" "))
}

/// `text` with the words `from` as the words `to`; `None` where they do not stand in it.
fn exchanged(text: &str, from: &str, to: &str) -> Option<String> {
    // A text whose lower case has another length has other places.
    let lower = Some(text.to_lowercase()).filter(|lower| lower.len() == text.len())?;
    let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let at = lower.match_indices(from).map(|(at, _)| at).find(|&at| {
        let before = lower.get(..at).and_then(|before| before.chars().next_back());
        let after = lower.get(at + from.len()..).and_then(|after| after.chars().next());
        !letter(before) && !letter(after)
    })?;
    let (before, old) = (text.get(..at)?, text.get(at..at + from.len())?);
    let after = text.get(at + from.len()..)?;
    let upper = old.chars().next().is_some_and(char::is_uppercase);
    let new = if upper { upper_first(to) } else { to.to_owned() };
    Some(format!("{before}{new}{after}"))
}

fn upper_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().into_iter().flat_map(char::to_lowercase).chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(make: impl Fn(&mut Dice) -> Option<String>) -> Vec<String> {
        let mut found: Vec<String> = (0..200).filter_map(|seed| make(&mut Dice::new(seed, &[]))).collect();
        found.sort();
        found.dedup();
        found
    }

    #[test]
    fn a_label_is_said_otherwise_word_by_word() {
        let ways = all(|dice| reworded("Delete my account", Sort::Button, dice));
        for way in ["Remove my account", "Delete account", "Just delete my account"] {
            assert!(ways.iter().any(|found| found == way), "{way} in {ways:?}");
        }
        assert!(!ways.contains(&"Delete my account".to_owned()));
        assert_eq!(all(|dice| reworded("42", Sort::Text, dice)), Vec::<String>::new());
        assert!(
            all(|dice| reworded("Addition", Sort::Text, dice)).iter().all(|way| way.contains("ddition")),
            "whole words"
        );
    }

    #[test]
    fn an_opposite_is_known_or_not_and_another_thing_shares_no_word() {
        assert_eq!(all(|dice| opposite("+ Next page", dice)), ["+ Previous page"]);
        assert_eq!(all(|dice| opposite("To the next page", dice)), Vec::<String>::new());
        assert_eq!(all(|dice| opposite("Kittens", dice)), Vec::<String>::new());
        assert!(!all(|dice| other("Share this", Sort::Button, dice)).contains(&"Share".to_owned()));
    }

    #[test]
    fn an_identifier_gets_another_spelling_or_other_words() {
        let ways = all(|dice| Some(renamed("submit-btn", dice)));
        for way in ["submit_btn", "submitBtn", "submit", "btn-submit"] {
            assert!(ways.iter().any(|found| found == way), "{way} in {ways:?}");
        }
        assert!(!ways.contains(&"submit-btn".to_owned()));
    }
}
