//! What a chain says, on cooked values: its steps in order, and everything in them that could weaken it.
//!
//! Method calls and the selector language say the same things in two ways; here they meet. Nothing is judged here.

mod read;

use self::read::Reader;
use super::chain::Chain;
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
