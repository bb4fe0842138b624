//! A literal of the stale locator found again in what an element is called and says.

use super::signal::Signal;
use crate::domain::identity::{Facts, Literal, LiteralKind, Lost, Successor, Visibility};
use crate::domain::meaning::{Meaning, compare, is_destructive, is_synonym};
use crate::domain::words::{ratio, tokens};

/// Generic words of identifiers: they say what sort of thing it is, or nothing.
const GENERIC: &[&str] = &[
    "btn", "button", "link", "input", "field", "txt", "text", "box", "el", "elem", "id", "the", "my", "a", "div",
    "span", "icon", "item", "dropdown", "toggle", "example", "default", "locator", "by", "for", "of", "to", "in",
    "and",
];

/// Whether an element holds what took a literal's place, where a locator would look for it.
pub(super) fn succeeds(successor: &Successor, now: &Facts) -> bool {
    !successor.new.is_empty() && holds(now, &successor.kind, &successor.new)
}

/// Whether an element still holds a literal of the stale locator: then that element is the one that was meant or another
/// of its name, and what the repository says of the name is not about one element.
pub(super) fn still_holds(lost: &Lost, now: &Facts) -> bool {
    let replaced = |literal: &&Literal| lost.successors.iter().any(|successor| successor.old == literal.value);
    now.visibility != Visibility::Hidden
        && lost.literals.iter().filter(replaced).any(|literal| holds(now, &literal.kind, &literal.value))
}

/// Whether a locator of the kind would find `value` at an element.
fn holds(now: &Facts, kind: &LiteralKind, value: &str) -> bool {
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    match kind {
        LiteralKind::TestId => now.test_id == value,
        LiteralKind::Id => now.id == value,
        LiteralKind::Class => now.classes.iter().any(|class| class == value),
        LiteralKind::Attribute(name) if name == "name" => now.name_attribute == value,
        LiteralKind::Attribute(_) => identifiers(now).any(|(_, held)| held == value),
        _ => says(now).into_iter().any(|text| plain(text) == plain(value)),
    }
}

/// Without the words that the element shares with what other steps use: they name the form, not the field.
pub(super) fn apart(words: Vec<String>, lost: &Lost, candidates: &[Facts]) -> Vec<String> {
    let taken = lost.claimed.iter().filter_map(|&at| candidates.get(at));
    let shared: Vec<String> = taken.flat_map(|facts| tokens(&facts.id)).collect();
    let own: Vec<String> = words.iter().filter(|word| !shared.contains(word)).cloned().collect();
    if own.is_empty() { words } else { own }
}

pub(super) fn carried(literal: &Literal, words: &[String], now: &Facts) -> Option<Signal> {
    let telling = literal.value.len() >= 3;
    if telling
        && identifiers(now)
            .any(|(kind, value)| value == literal.value && kind != Some(&literal.kind) && is_name(literal, now, value))
    {
        return Some(Signal::CarriedExact);
    }
    if words.is_empty() {
        return None;
    }
    if literal.kind.is_text() && !matches!(literal.kind, LiteralKind::Title | LiteralKind::Alt) {
        return in_identifiers(words, now);
    }
    let said = words.join(" ");
    let meanings: Vec<Meaning> = says(now).into_iter().map(|text| compare(&said, text)).collect();
    let kept = meanings.iter().any(Meaning::is_kept);
    // A step that takes something away never becomes one that does not.
    let harmless = is_destructive(&said) && !meanings.is_empty() && !kept;
    if meanings.contains(&Meaning::Opposite) || (harmless && !says(now).into_iter().any(is_destructive)) {
        return Some(Signal::SaidOpposite);
    }
    let own: Vec<String> =
        identifiers(now).flat_map(|(_, value)| tokens(value)).chain(says(now).into_iter().flat_map(tokens)).collect();
    let same = words.iter().filter(|word| own.iter().any(|other| same_word(word, other))).count();
    // Classes say what an element looks like: only their very words count.
    let lasting =
        identifiers(now).filter(|(kind, _)| *kind != Some(&LiteralKind::Class)).flat_map(|(_, value)| tokens(value));
    let meant: Vec<String> = lasting.chain(says(now).into_iter().flat_map(tokens)).collect();
    let is_there = |word: &&String| {
        own.iter().any(|other| same_word(word, other)) || meant.iter().any(|other| is_synonym(word, other))
    };
    let alike = words.iter().filter(is_there).count();
    if !kept && let Some(signal) = changed(&said, &meanings, now, alike == words.len()) {
        return Some(signal);
    }
    Some(match (ratio(same, words.len()), ratio(alike, words.len())) {
        (same, _) if same >= 0.6 => Signal::CarriedMost,
        (_, alike) if alike >= 0.6 || meanings.contains(&Meaning::Synonym { sure: true }) => Signal::CarriedSure,
        (_, alike) if alike > 0.0 => Signal::CarriedSome,
        _ => Signal::CarriedNone,
    })
}

/// What the names and texts of an element made of the words of the literal, where no text keeps their meaning: `#approve` is
/// not `#approve-all`, and `#add-cart` is not `#add-wish`. `all_there`: each of the words is found somewhere.
fn changed(said: &str, meanings: &[Meaning], now: &Facts, all_there: bool) -> Option<Signal> {
    let named = [&now.test_id, &now.id, &now.name_attribute].into_iter().map(|value| tokens(value).join(" "));
    let named = named.filter(|value| !value.is_empty() && !value.contains(char::is_numeric));
    let named: Vec<Meaning> = named.map(|value| compare(said, &value)).collect();
    let mut all = meanings.iter().chain(&named);
    if named.iter().any(Meaning::is_kept) {
        return None;
    }
    if all.clone().any(|meaning| *meaning == Meaning::ScopeChanged) {
        return Some(Signal::SaidScope);
    }
    let exchanged = all.any(|meaning| matches!(meaning, Meaning::Exchanged { .. }));
    (exchanged && !all_there).then_some(Signal::CarriedExchanged)
}

/// Whether a value that is the literal names the element: not its sort, and not where the literal stood before.
fn is_name(literal: &Literal, now: &Facts, value: &str) -> bool {
    let same_place = match &literal.kind {
        LiteralKind::Attribute(name) => match name.as_str() {
            "name" => now.name_attribute == value,
            "value" => now.value == value,
            "href" => now.href == value,
            _ => false,
        },
        _ => false,
    };
    let others = [&now.test_id, &now.id, &now.name_attribute, &now.value, &now.href];
    !same_place && (others.iter().any(|other| *other == value) || now.classes.iter().any(|class| class == value))
}

/// A text that is gone from the page, found again in what machines read: `Filter cards` in the id `kanban-filter`.
fn in_identifiers(words: &[String], now: &Facts) -> Option<Signal> {
    let own: Vec<String> = identifiers(now).flat_map(|(_, value)| tokens(value)).collect();
    let same = words.iter().filter(|word| own.iter().any(|other| same_word(word, other)));
    match ratio(same.count(), words.len()) {
        same if same >= 0.6 => Some(Signal::CarriedMost),
        same if same > 0.0 => Some(Signal::CarriedSome),
        _ => None,
    }
}

/// The words of an identifier that tell something; where none does, none, or all if there is nothing else to go by.
pub(super) fn telling(value: &str, alone: bool) -> Vec<String> {
    let words = tokens(value).into_iter().filter(|word| !word.chars().all(char::is_numeric));
    let words: Vec<String> = words.collect();
    let telling: Vec<String> = words.iter().filter(|word| !GENERIC.contains(&word.as_str())).cloned().collect();
    if telling.is_empty() && alone { words } else { telling }
}

/// Whether two words are one, or one the beginning of the other: `pass` and `password`, `subj` and `subject`.
pub(super) fn same_word(one: &str, other: &str) -> bool {
    one == other || (one.len().min(other.len()) >= 4 && (one.starts_with(other) || other.starts_with(one)))
}

/// The values that machines read, each with its kind where it has one.
fn identifiers(facts: &Facts) -> impl Iterator<Item = (Option<&'static LiteralKind>, &str)> {
    let single = [
        (Some(&LiteralKind::TestId), facts.test_id.as_str()),
        (Some(&LiteralKind::Id), facts.id.as_str()),
        (None, facts.name_attribute.as_str()),
        (None, facts.value.as_str()),
        (None, facts.input_type.as_str()),
        (None, facts.href.as_str()),
    ];
    let classes = facts.classes.iter().map(|class| (Some(&LiteralKind::Class), class.as_str()));
    single.into_iter().chain(classes).filter(|(_, value)| !value.is_empty())
}

/// Every text that an element gives to people, each once.
pub(super) fn says(facts: &Facts) -> Vec<&str> {
    let all = [&facts.name, &facts.text, &facts.label, &facts.placeholder, &facts.title, &facts.alt, &facts.aria_label];
    let mut texts: Vec<&str> = Vec::new();
    for text in all {
        if !text.is_empty() && text.len() <= 120 && !texts.contains(&text.as_str()) {
            texts.push(text);
        }
    }
    texts
}
