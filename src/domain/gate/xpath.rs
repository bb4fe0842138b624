//! `XPath`, as far as weakening goes: the last step, positions, alternatives, and what matches everything.
//!
//! One pass over the characters; brackets and parentheses are kept on a stack. No `XPath` is ever evaluated.

use super::css::presence_tells;
use super::facts::{Facts, Sought, Step};

/// A piece of an `XPath`.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Slash,
    Word(String),
    Text(String),
    Sign(char),
}

/// The last location step so far: its node test and whether a predicate narrows it.
#[derive(Debug, Clone, Default)]
struct Location {
    test: String,
    narrows: bool,
}

/// Adds one step for the expression.
pub(super) fn read(facts: &mut Facts, method: &'static str, text: &str) {
    let pieces = split(text);
    let mut location = Location::default();
    let mut scoped = false;
    // Where each open bracket or parenthesis stands, and whether it is a bracket.
    let mut open: Vec<(usize, bool, Location)> = Vec::new();
    for (at, piece) in pieces.iter().enumerate() {
        let in_predicate = open.iter().rev().take(64).any(|(_, bracket, _)| *bracket);
        match piece {
            Piece::Sign('|') => {
                facts.alternatives += 1;
                end(facts, &location);
            }
            Piece::Word(word) if word == "or" && at > 0 && in_predicate => facts.alternatives += 1,
            Piece::Slash => {
                end(facts, &location);
                scoped |= open.iter().all(|(_, bracket, _)| !bracket) && location.narrows;
                location = Location::default();
            }
            Piece::Sign('[') => open.push((at, true, std::mem::take(&mut location))),
            Piece::Sign('(') => open.push((at, false, location.clone())),
            Piece::Sign(']') => {
                if let Some((from, true, outer)) = open.pop() {
                    end(facts, &location);
                    location = outer;
                    predicate(facts, &mut location, pieces.get(from + 1..at).unwrap_or_default());
                }
            }
            Piece::Sign(')') => {
                // `(…)` around a path is transparent; after a name it is a call.
                if let Some((from, false, outer)) = open.pop()
                    && from > 0
                    && matches!(pieces.get(from - 1), Some(Piece::Word(_)))
                {
                    location = outer;
                }
            }
            Piece::Word(word) => location.test.clone_from(word),
            Piece::Sign('*') => "*".clone_into(&mut location.test),
            Piece::Sign('.') if location.test.is_empty() => ".".clone_into(&mut location.test),
            Piece::Sign(_) | Piece::Text(_) => {}
        }
        facts.word(word_of(piece), matches!(piece, Piece::Text(_)));
    }
    end(facts, &location);
    let words: String = pieces.iter().map(word_of).collect();
    let step =
        Step { method, words, selective: scoped || location.narrows, role: None, sought: Sought::None, last: false };
    facts.steps.push(step);
}

fn end(facts: &mut Facts, location: &Location) {
    let test = location.test.as_str();
    if matches!(test, "html" | "body") || matches!(test, "*" | "node") && !location.narrows {
        facts.everything.push(if test == "node" { "*" } else { test }.to_owned());
    }
}

/// Judges one predicate: a position, or something that narrows.
fn predicate(facts: &mut Facts, location: &mut Location, pieces: &[Piece]) {
    let words: Vec<String> = pieces.iter().map(word_of).collect();
    let counts = |name: &str| words.iter().any(|word| word == name);
    let arithmetic = !pieces.is_empty()
        && pieces.iter().all(|piece| match piece {
            Piece::Word(word) => {
                word.chars().all(|c| c.is_ascii_digit() || c == '.')
                    || matches!(
                        word.as_str(),
                        "number" | "floor" | "round" | "ceiling" | "div" | "mod" | "last" | "position"
                    )
            }
            Piece::Sign(sign) => "()+-*=<>!.".contains(*sign),
            Piece::Text(_) | Piece::Slash => false,
        });
    let siblings =
        counts("count") && words.iter().any(|word| word.starts_with("preceding") || word.starts_with("following"));
    if arithmetic || counts("last") || counts("position") || siblings {
        let text = words.concat();
        let which = match text.as_str() {
            "last()" => "last",
            other => other,
        };
        facts.positions.push(format!("child {which}"));
        return;
    }
    let texts = pieces.iter().filter_map(|piece| if let Piece::Text(text) = piece { Some(text) } else { None });
    let (any, demanding) =
        texts.fold((false, false), |(_, demanding), text| (true, demanding || !text.trim().is_empty()));
    let looks = words.iter().any(|word| {
        word.starts_with('@')
            || word == "."
            || matches!(word.as_str(), "text" | "normalize-space" | "name" | "local-name" | "string" | "id")
    });
    // `[@id]` asks for no value.
    let common = matches!(words.as_slice(), [sign, name] if sign == "@" && !presence_tells(name));
    if any && !demanding {
        facts.vacuous.push(format!("xpath {}", words.concat()));
    }
    let negated = matches!(pieces.first(), Some(Piece::Word(word)) if word == "not");
    let path = any && words.iter().any(|word| word.starts_with(char::is_alphabetic));
    location.narrows |= !negated && !common && (if any { demanding && (looks || path) } else { looks });
}

fn word_of(piece: &Piece) -> String {
    match piece {
        Piece::Slash => "/".to_owned(),
        Piece::Word(word) => word.clone(),
        Piece::Text(text) => format!("{text:?}"),
        Piece::Sign(sign) => sign.to_string(),
    }
}

fn split(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '"' | '\'' => {
                let mut value = String::new();
                while let Some(next) = rest.next_if(|c| *c != character) {
                    value.push(next);
                }
                rest.next();
                pieces.push(Piece::Text(value));
            }
            '/' => pieces.push(Piece::Slash),
            character if character.is_whitespace() => {}
            character if character.is_alphanumeric() || character == '_' || !character.is_ascii() => {
                let mut word = character.to_string();
                loop {
                    if let Some(next) =
                        rest.next_if(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.') || !c.is_ascii())
                    {
                        word.push(next);
                    } else if rest.peek() == Some(&':') {
                        rest.next();
                        if rest.next_if_eq(&':').is_some() {
                            // An axis is a word of its own.
                            pieces.push(Piece::Word(std::mem::take(&mut word)));
                            pieces.push(Piece::Sign(':'));
                            break;
                        }
                        word.push(':');
                    } else {
                        break;
                    }
                }
                if !word.is_empty() {
                    pieces.push(Piece::Word(word));
                }
            }
            sign => pieces.push(Piece::Sign(sign)),
        }
    }
    pieces
}
