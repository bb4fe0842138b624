//! Evidence in words: one sentence for each signal, with the values it rests on.

use super::literal::{says, succeeds};
use super::signal::{Signal, Weights};
use crate::domain::decide::Evidence;
use crate::domain::identity::{Facts, Lost, Successor};

/// The signals of one candidate as evidence, the strongest first. Without the candidate there is none.
pub fn evidence(lost: &Lost, now: Option<&Facts>, signals: &[Signal], weights: &Weights) -> Vec<Evidence> {
    let Some(now) = now else { return Vec::new() };
    let mut all: Vec<Evidence> = signals
        .iter()
        .map(|&signal| Evidence { id: signal.label(), bits: weights.of(signal), sentence: sentence(signal, lost, now) })
        .collect();
    all.sort_by(|a, b| b.bits.abs().total_cmp(&a.bits.abs()).then(a.id.cmp(b.id)));
    all
}

fn sentence(signal: Signal, lost: &Lost, now: &Facts) -> String {
    let known = lost.known();
    let literal = || lost.literals.first().map_or("", |literal| literal.value.as_str());
    let old = says(known).first().copied().unwrap_or_else(literal);
    let new = says(now).first().copied().unwrap_or_default();
    text(signal, old, new).or_else(|| attribute(signal, known, now)).unwrap_or_else(|| match signal {
        Signal::CarriedExact => format!("the literal `{}` now stands in another attribute", carried(lost, now)),
        Signal::SuccessorSame => {
            lost.successors.iter().find(|found| succeeds(found, now)).map(successor).unwrap_or_default()
        }
        Signal::SuccessorNone => {
            lost.successors.iter().find(|found| found.new.is_empty()).map(successor).unwrap_or_default()
        }
        _ => signal.sentence().to_owned(),
    })
}

/// What is said of texts.
fn text(signal: Signal, old: &str, new: &str) -> Option<String> {
    use Signal as S;
    let what = match signal {
        S::TextSame | S::TextSameLong | S::SaidSame => return Some(format!("same text \"{}\"", short(new))),
        S::TextWithin => return Some(format!("holds \"{}\" among much else", short(old))),
        S::TextGone => return Some(format!("the text \"{}\" is gone", short(old))),
        S::TextCome => return Some(format!("has the text \"{}\" where there was none", short(new))),
        S::TextMost | S::SaidMost => "words added or dropped",
        S::TextSynonym | S::TextSure | S::SaidSynonym | S::SaidSure => "other words for the same",
        S::TextExchanged | S::SaidLittle => "some words exchanged",
        S::TextSome | S::TextLittle | S::SaidSome => "few words in common",
        S::TextOther | S::SaidOther => "no word in common",
        S::TextOpposite | S::SaidOpposite => "another function",
        S::TextScope | S::SaidScope => "another reach, number or object",
        S::SaidLanguage | S::TextLanguage => "another language",
        S::SaidPunctuated => "the same words in other signs",
        _ => return None,
    };
    Some(format!("{what}: was \"{}\", is \"{}\"", short(old), short(new)))
}

/// What is said of attributes, tag and role.
fn attribute(signal: Signal, known: &Facts, now: &Facts) -> Option<String> {
    use Signal as S;
    let (what, old, new) = match signal {
        S::HrefSame | S::HrefMost | S::HrefSome | S::HrefOther | S::HrefGone | S::HrefCome => {
            ("link target", &known.href, &now.href)
        }
        S::IdSame | S::IdAlike | S::IdOther | S::IdGone | S::IdCome => ("id", &known.id, &now.id),
        S::TestIdSame | S::TestIdOther => ("test id", &known.test_id, &now.test_id),
        S::NameSame | S::NameOther | S::NameGone | S::NameCome => {
            ("name attribute", &known.name_attribute, &now.name_attribute)
        }
        S::RoleSame | S::RoleSort | S::RoleOther | S::AskedRole | S::AskedRoleSort | S::AskedRoleOther => {
            ("role", &known.role, &now.role)
        }
        S::TagSame | S::TagSort | S::TagOther => ("tag", &known.tag, &now.tag),
        _ => return None,
    };
    Some(match (old.as_str(), new.as_str()) {
        (old, new) if old == new => format!("same {what} `{}`", short(new)),
        ("", new) => format!("has the {what} `{}` and had none", short(new)),
        (old, "") => format!("the {what} `{}` is gone", short(old)),
        (old, new) => format!("{what} was `{}`, is `{}`", short(old), short(new)),
    })
}

fn carried(lost: &Lost, now: &Facts) -> String {
    let holders = [&now.test_id, &now.id, &now.name_attribute, &now.value, &now.href, &now.input_type];
    let holds = |value: &String| holders.contains(&value) || now.classes.contains(value);
    lost.literals.iter().find(|literal| holds(&literal.value)).map_or_else(String::new, |found| short(&found.value))
}

/// What the repository says, with the commit that says it.
fn successor(found: &Successor) -> String {
    let place = if found.commit.is_empty() {
        format!("the uncommitted change of {}", short(&found.file))
    } else {
        format!("commit {} (\"{}\", {})", found.commit, short(&found.subject), found.date)
    };
    let old = short(&found.old);
    match found.new.as_str() {
        "" => format!("{place} removed `{old}` and put nothing in its place"),
        new if new == found.old => format!("{place} moved `{old}` to the {}", found.kind.words()),
        new => format!("{place} replaced `{old}` by `{}`", short(new)),
    }
}

/// At most 60 characters of a text.
fn short(text: &str) -> String {
    if text.chars().count() <= 60 { text.to_owned() } else { text.chars().take(59).chain(['…']).collect() }
}
