//! Reads a chain's calls into facts.

use super::{Facts, Sought, Step};
use crate::domain::gate::chain::{Building, Chain, Value};
use crate::domain::gate::literal::HOLE;
use crate::domain::gate::method::{STATES, Takes};
use crate::domain::gate::selector;

pub(super) struct Reader<'r> {
    pub(super) facts: &'r mut Facts,
    pub(super) resolve: &'r dyn Fn(&str) -> Option<String>,
}

impl Reader<'_> {
    pub(super) fn calls(&mut self, chain: &Chain) {
        for call in &chain.calls {
            self.call(call);
        }
    }

    fn call(&mut self, call: &Building) {
        let first = call.arguments.first();
        match call.method.takes {
            Takes::Selector => {
                if let Some(text) = self.text(first) {
                    selector::read(self.facts, call.method.name, &text);
                } else if let Some(Value::Chain(chain)) = first {
                    self.facts.word("locator(", false);
                    self.chain_inside(chain);
                    self.opaque(call, ")", true);
                } else {
                    self.opaque(call, &words_of(first), true);
                }
                self.narrowing(call.arguments.get(1));
            }
            Takes::Role => self.role(call),
            Takes::Text => {
                let exact =
                    option(call.arguments.get(1), "exact").is_some_and(|value| matches!(value, Value::Bool(true)));
                let sought = self.sought_of(first, exact);
                self.text_step(call.method.name, &sought, first);
                self.inexact(call);
            }
            Takes::TestId => {
                let sought = self.sought_of(first, true);
                self.text_step(call.method.name, &sought, first);
            }
            Takes::Options => {
                self.facts.word("filter", true);
                self.narrowing(first);
            }
            Takes::Locator => {
                self.facts.word(call.method.name, call.method.name == "and");
                self.facts.alternatives += usize::from(call.method.name == "or");
                if let Some(Value::Chain(chain)) = first {
                    let narrows = self.chain_inside(chain);
                    if call.method.name == "or" {
                        self.facts.branch();
                    } else if narrows {
                        self.facts.narrow();
                    }
                } else {
                    self.facts.word(words_of(first), false);
                    if call.method.name == "and" {
                        self.facts.narrow();
                    }
                }
            }
            Takes::Index => {
                let index = format!("nth {}", words_of(first));
                self.facts.word(index.clone(), false);
                self.facts.positions.push(index);
            }
            Takes::Nothing => {
                let word = match call.method.name {
                    "first" => "nth 0",
                    "last" => "nth -1",
                    other => other,
                };
                self.facts.word(word, false);
                if word.starts_with("nth") {
                    self.facts.positions.push(word.to_owned());
                }
            }
            Takes::Label => {}
        }
    }

    /// A chain inside an argument. Says whether its last step is selective.
    fn chain_inside(&mut self, chain: &Chain) -> bool {
        let resolve = self.resolve;
        self.facts.word(format!("({}", chain.receiver), false);
        let selective = self.facts.nested(|facts| Reader { facts, resolve }.calls(chain));
        self.facts.word(")", false);
        selective
    }

    fn role(&mut self, call: &Building) {
        let options = call.arguments.get(1);
        let role = self.text(call.arguments.first()).unwrap_or_else(|| words_of(call.arguments.first()));
        let exact = matches!(option(options, "exact"), Some(Value::Bool(true)));
        let sought = self.sought_of(option(options, "name"), exact);
        let description = self.sought_of(option(options, "description"), exact);
        let named = match option(options, "name") {
            None => false,
            Some(_) if sought == Sought::None => true,
            Some(_) => self.facts.sought("name", &sought) && sought.tells(),
        };
        let described = self.facts.sought("description", &description) && description.tells();
        let mut words = format!(
            "role {role} {}",
            option(options, "name").map_or(String::new(), |value| match &sought {
                Sought::None => words_of(Some(value)),
                sought => sought.words(),
            })
        );
        self.facts.word(format!("role {role}"), false);
        if let Some(Value::Object(fields)) = options {
            let mut sorted: Vec<_> = fields.iter().collect();
            sorted.sort_by(|a, b| a.0.cmp(&b.0));
            for (key, value) in sorted {
                let word = if key == "name" && sought != Sought::None {
                    format!("name {}", sought.words())
                } else {
                    format!("{key} {}", words_of(Some(value)))
                };
                if STATES.contains(&key.as_str()) {
                    self.facts.states.push(word.clone());
                }
                if key != "exact" {
                    self.facts.word(word, false);
                }
            }
            if let Some(level) = option(options, "level") {
                words.push_str(&words_of(Some(level)));
            }
        } else if options.is_some() {
            self.facts.word(words_of(options), false);
        }
        self.facts.strings.push(role.clone());
        self.facts.steps.push(Step {
            method: "getByRole",
            words,
            selective: named || described || matches!(options, Some(Value::Expression(_))),
            role: Some(role),
            sought,
            last: false,
        });
        self.inexact(call);
    }

    fn text_step(&mut self, method: &'static str, sought: &Sought, first: Option<&Value>) {
        let selective =
            *sought == Sought::None && first.is_some() || self.facts.sought(method, sought) && sought.tells();
        let words = match sought {
            Sought::None => format!("{method} {}", words_of(first)),
            sought => format!("{method} {}", sought.words()),
        };
        self.facts.word(words.clone(), false);
        self.facts.steps.push(Step { method, words, selective, role: None, sought: sought.clone(), last: false });
    }

    /// A step whose selector cannot be read: it was there before, or the gate has refused it already.
    fn opaque(&mut self, call: &Building, words: &str, selective: bool) {
        let words = format!("{} {words}", call.method.name);
        self.facts.word(words.clone(), false);
        self.facts.steps.push(Step {
            method: call.method.name,
            words,
            selective,
            role: None,
            sought: Sought::None,
            last: false,
        });
    }

    /// `exact: false` asks for an inexact match in so many words.
    fn inexact(&mut self, call: &Building) {
        if let Some(Value::Bool(false)) = option(call.arguments.get(1), "exact") {
            self.facts.inexact.push(call.method.name.to_owned());
        }
    }

    /// The options that narrow what a step found: has, hasText and their opposites.
    fn narrowing(&mut self, options: Option<&Value>) {
        let Some(Value::Object(fields)) = options else {
            if options.is_some() {
                self.facts.word(words_of(options), true);
                self.facts.narrow();
            }
            return;
        };
        let mut sorted: Vec<_> = fields.iter().collect();
        sorted.sort_by(|a, b| a.0.cmp(&b.0));
        for (key, value) in sorted {
            let narrows = match value {
                Value::Chain(chain) => {
                    self.facts.word(key.clone(), true);
                    self.chain_inside(chain)
                }
                value if key.ends_with("Text") => {
                    let sought = self.sought_of(Some(value), false);
                    let demands = self.facts.sought(key, &sought);
                    let words = if sought == Sought::None { words_of(Some(value)) } else { sought.words() };
                    self.facts.word(format!("{key} {words}"), true);
                    let narrows = demands || sought == Sought::None;
                    self.facts.filters.push((key.clone(), sought));
                    narrows
                }
                value => {
                    self.facts.word(format!("{key} {}", words_of(Some(value))), true);
                    true
                }
            };
            if narrows && matches!(key.as_str(), "has" | "hasText") {
                self.facts.narrow();
            }
        }
    }

    fn sought_of(&self, value: Option<&Value>, exact: bool) -> Sought {
        match value {
            Some(Value::Regex(pattern, flags)) => Sought::Regex(pattern.clone(), flags.clone()),
            Some(Value::Expression(text)) => {
                let known = (self.resolve)(text);
                Sought::Text(known.unwrap_or_else(|| format!("{HOLE}{text}")), exact)
            }
            value => self.text(value).map_or(Sought::None, |text| Sought::Text(text, exact)),
        }
    }

    /// The text of an argument, with a hole for every substitution whose value is not known.
    fn text(&self, value: Option<&Value>) -> Option<String> {
        match value? {
            Value::Text(text) => Some(text.clone()),
            Value::Expression(name) => (self.resolve)(name),
            Value::Template(text, holes) => {
                let mut pieces = text.split(HOLE);
                let mut whole = pieces.next().unwrap_or_default().to_owned();
                for (hole, piece) in holes.iter().zip(pieces) {
                    if let Some(value) = (self.resolve)(hole) {
                        whole.push_str(&value);
                    } else {
                        // The name tells one hole from another, in letters that are a word in every selector.
                        whole.push(HOLE);
                        whole.extend(hole.chars().filter(|c| c.is_alphanumeric()));
                    }
                    whole.push_str(piece);
                }
                Some(whole)
            }
            _ => None,
        }
    }
}

/// The value of an option.
fn option<'v>(options: Option<&'v Value>, name: &str) -> Option<&'v Value> {
    match options? {
        Value::Object(fields) => fields.iter().find(|(key, _)| key == name).map(|(_, value)| value),
        _ => None,
    }
}

/// A value in canonical words.
fn words_of(value: Option<&Value>) -> String {
    match value {
        None => String::new(),
        Some(Value::Text(text)) => format!("{text:?}"),
        Some(Value::Template(text, holes)) => format!("{text:?}{holes:?}"),
        Some(Value::Regex(pattern, flags)) => Sought::Regex(pattern.clone(), flags.clone()).words(),
        Some(Value::Number(number)) => number.clone(),
        Some(Value::Bool(value)) => value.to_string(),
        Some(Value::Expression(text)) => text.clone(),
        Some(Value::Object(fields)) => {
            let mut words: Vec<String> =
                fields.iter().map(|(key, value)| format!("{key}:{}", words_of(Some(value)))).collect();
            words.sort_unstable();
            format!("{{{}}}", words.join(","))
        }
        Some(Value::Chain(chain)) => {
            let calls: Vec<String> = chain
                .calls
                .iter()
                .map(|call| {
                    format!(
                        "{}({})",
                        call.method.name,
                        call.arguments.iter().map(|a| words_of(Some(a))).collect::<String>()
                    )
                })
                .collect();
            format!("{}{}", chain.receiver, calls.join("."))
        }
    }
}
