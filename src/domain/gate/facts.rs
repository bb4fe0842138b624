//! What a chain says, on cooked values: its steps in order, and everything in them that could weaken it.
//!
//! Method calls and the selector language say the same things in two ways; here they meet. Nothing is judged here.

use super::chain::{Building, Chain, Value};
use super::method::{STATES, Takes};
use super::{regex, selector};

/// One word of a chain, in order: what "only deleted" and "the same" are told by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    /// What it says.
    pub(super) word: String,
    /// Whether it tells elements apart by what they hold: a filter, has, hasText or their kin.
    pub(super) filters: bool,
}

/// The text that a step looks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sought {
    /// Nothing.
    None,
    /// A string; whether it must match exactly.
    Text(String, bool),
    /// A regular expression: pattern and flags.
    Regex(String, String),
}

/// One step that selects elements.
#[derive(Debug, Clone)]
pub(super) struct Step {
    /// The method, or the selector engine, for finding the step that took its place.
    pub(super) method: &'static str,
    /// The step in canonical words.
    pub(super) words: String,
    /// Whether it says which element is meant.
    pub(super) selective: bool,
    /// The role without its name, if it is a step by role.
    pub(super) role: Option<String>,
    /// The text it looks for.
    pub(super) sought: Sought,
    /// Whether it is the last step of its chain.
    pub(super) last: bool,
}

/// Everything that a chain says.
#[derive(Debug, Clone, Default)]
pub(super) struct Facts {
    /// The element steps in order.
    pub(super) steps: Vec<Step>,
    /// The element steps of the chains and selectors inside.
    pub(super) inner: Vec<Step>,
    /// The last steps of alternatives: each may be the one that is meant.
    pub(super) branches: Vec<Step>,
    /// Positions in canonical words, one entry each.
    pub(super) positions: Vec<String>,
    /// How many alternatives there are beyond the first.
    pub(super) alternatives: usize,
    /// Steps that match everything: `*`, `html`, `body`, `:root`.
    pub(super) everything: Vec<String>,
    /// Texts that match everything, in canonical words.
    pub(super) vacuous: Vec<String>,
    /// State options with their values.
    pub(super) states: Vec<String>,
    /// Options that ask for an inexact match.
    pub(super) inexact: Vec<String>,
    /// What the narrowing options look for, by option.
    pub(super) filters: Vec<(String, Sought)>,
    /// All words in order.
    pub(super) tokens: Vec<Token>,
    /// All cooked strings, for what must not be new in them.
    pub(super) strings: Vec<String>,
}

/// What a chain says, constants replaced by `resolve`.
pub(super) fn of(chain: &Chain, resolve: &dyn Fn(&str) -> Option<String>) -> Facts {
    let mut facts = Facts::default();
    Reader { facts: &mut facts, resolve }.calls(chain);
    facts.close();
    facts
}

/// What a selector says that stands alone.
pub(super) fn of_selector(text: &str) -> Facts {
    let mut facts = Facts::default();
    selector::read(&mut facts, "locator", text);
    facts.close();
    facts
}

struct Reader<'r> {
    facts: &'r mut Facts,
    resolve: &'r dyn Fn(&str) -> Option<String>,
}

impl Facts {
    /// Marks the last step as the one that says which element is meant.
    fn close(&mut self) {
        if let Some(step) = self.steps.last_mut() {
            step.last = true;
        }
    }

    /// Lets `read` add the steps of a chain or selector inside of this one. Says whether its last step is selective.
    pub(super) fn nested(&mut self, read: impl FnOnce(&mut Self)) -> bool {
        let outer = std::mem::take(&mut self.steps);
        read(self);
        self.close();
        let mut own = std::mem::replace(&mut self.steps, outer);
        let selective = own.last().is_some_and(|step| step.selective);
        self.inner.append(&mut own);
        selective
    }

    /// Notes that the chain or selector inside that was read last is an alternative.
    pub(super) fn branch(&mut self) {
        self.branches.extend(self.inner.last().cloned());
    }

    /// Makes the step so far selective: something narrows it.
    pub(super) fn narrow(&mut self) {
        if let Some(step) = self.steps.last_mut() {
            step.selective = true;
        }
    }

    /// Adds a word.
    pub(super) fn word(&mut self, word: impl Into<String>, filters: bool) {
        self.tokens.push(Token { word: word.into(), filters });
    }

    /// Notes a text that something looks for, and says whether it demands anything at all.
    pub(super) fn sought(&mut self, label: &str, sought: &Sought) -> bool {
        let demands = match sought {
            Sought::None => return false,
            Sought::Text(text, _) => {
                self.strings.push(text.clone());
                !visible(text).is_empty()
            }
            Sought::Regex(pattern, flags) => {
                self.strings.push(pattern.clone());
                let demands = regex::read(pattern, flags);
                self.alternatives += demands.map_or(0, |demands| demands.alternatives);
                demands.is_some_and(|demands| demands.text)
            }
        };
        if !demands {
            self.vacuous.push(format!("{label} {}", sought.words()));
        }
        demands
    }
}

impl Sought {
    /// Whether it tells an element by itself: a single ASCII letter that may stand anywhere does not.
    pub(super) fn tells(&self) -> bool {
        match self {
            Self::Text(text, false) => {
                let text = visible(text);
                text.len() != 1 || !text.bytes().all(|byte| byte.is_ascii_alphabetic())
            }
            _ => true,
        }
    }

    /// In canonical words.
    pub(super) fn words(&self) -> String {
        match self {
            Self::None => String::new(),
            Self::Text(text, exact) => format!("{}{:?}", if *exact { "=" } else { "~" }, visible(text)),
            Self::Regex(pattern, flags) => {
                let mut flags: Vec<char> = flags.chars().collect();
                flags.sort_unstable();
                format!("/{pattern}/{}", String::from_iter(flags))
            }
        }
    }
}

/// A text as Playwright compares it: without the characters it drops, white space joined.
fn visible(text: &str) -> String {
    let kept: String = text.chars().filter(|c| !super::characters::is_dropped(*c)).collect();
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Reader<'_> {
    fn calls(&mut self, chain: &Chain) {
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
                Sought::Text(known.unwrap_or_else(|| format!("{}{text}", super::literal::HOLE)), exact)
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
                let mut pieces = text.split(super::literal::HOLE);
                let mut whole = pieces.next().unwrap_or_default().to_owned();
                for (hole, piece) in holes.iter().zip(pieces) {
                    if let Some(value) = (self.resolve)(hole) {
                        whole.push_str(&value);
                    } else {
                        // The name tells one hole from another, in letters that are a word in every selector.
                        whole.push(super::literal::HOLE);
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
