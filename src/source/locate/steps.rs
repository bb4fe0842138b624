//! Locators in one comparable form: what Playwright prints and what a source says, both as the steps Playwright makes of
//! them (`first()` is `nth(0)`, `locator('a', { hasText })` is two steps, `'#a >> text=b'` too).

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::domain::locator::JsRegex;
use crate::source::tree::At;

use super::eval::Evaluator;
use super::value::{Chain, Env, Link, Part, Value};

/// Stands in a comparable string for what only the run knows. A private-use character: no selector holds it.
const HOLE: char = '\u{F8FF}';

/// One step of a locator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    method: String,
    main: Option<Argument>,
    options: BTreeMap<String, Argument>,
    /// Options that could not be read may be there as well.
    open: bool,
}

/// A comparable argument.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Argument {
    /// A string; holes match anything.
    Text(String),
    /// A regular expression, number or boolean as it is written.
    Plain(String),
    /// A locator.
    Steps(Vec<Step>),
    /// One of these.
    OneOf(Vec<Argument>),
    /// Unknown: matches anything.
    Any,
}

impl<'a> Evaluator<'a> {
    /// The steps of a chain, with the index of the link that each comes from.
    pub(super) fn steps(&self, chain: &Chain<'a>) -> Vec<(usize, Step)> {
        let mut out: Vec<(usize, Step)> = Vec::new();
        for (index, link) in chain.links.iter().enumerate() {
            if link.method == "owner" {
                // The frame's own element: the entering is taken back.
                if out.last().is_some_and(|(_, step)| step.method == "contentFrame") {
                    out.pop();
                }
                continue;
            }
            let steps = self.steps_of(link);
            let picks_a_frame = steps.first().is_some_and(|step| step.method == "nth")
                && out.last().is_some_and(|(_, step)| step.method == "contentFrame");
            // `frameLocator('#a').first()` picks the frame before it is entered.
            let entering = if picks_a_frame { out.pop() } else { None };
            out.extend(steps.into_iter().map(|step| (index, step)));
            out.extend(entering);
        }
        out
    }

    fn steps_of(&self, link: &Link<'a>) -> Vec<Step> {
        let first = link.arguments.first();
        let options = link.arguments.get(1);
        match link.method.as_str() {
            _ if link.legacy => self.selector_steps(first),
            "locator" | "frameLocator" => {
                let mut steps = self.selector_steps(first);
                steps.extend(self.filters(options));
                if link.method == "frameLocator" {
                    steps.push(Step::plain("contentFrame"));
                }
                steps
            }
            "filter" => self.filters(first),
            "first" => vec![Step::nth("0")],
            "last" => vec![Step::nth("-1")],
            "describe" => Vec::new(),
            "contentFrame" => vec![Step::plain("contentFrame")],
            method => {
                let (mut options, open) = self.options(options);
                drop_idle_exact(method, first, &mut options);
                let main = first.map(|value| self.argument(value)).or((method == "nth").then_some(Argument::Any));
                vec![Step { method: method.to_owned(), main, options, open }]
            }
        }
    }

    fn selector_steps(&self, selector: Option<&Value<'a>>) -> Vec<Step> {
        match selector.map(|value| self.argument(value)) {
            Some(Argument::Text(selector)) => parts(&selector).iter().map(|part| selector_step(part)).collect(),
            main => vec![Step { method: "locator".to_owned(), main, options: BTreeMap::new(), open: false }],
        }
    }

    /// `hasText`, `has` and the like, each a step of its own, in Playwright's order.
    fn filters(&self, options: Option<&Value<'a>>) -> Vec<Step> {
        let (mut options, open) = self.options(options);
        let mut steps: Vec<Step> = ["hasText", "hasNotText", "has", "hasNot", "visible"]
            .into_iter()
            .filter_map(|name| Some(Step::filter(name, options.remove(name)?)))
            .collect();
        if open {
            steps.push(Step { method: "filter".to_owned(), main: None, options: BTreeMap::new(), open });
        }
        steps
    }

    fn options(&self, value: Option<&Value<'a>>) -> (BTreeMap<String, Argument>, bool) {
        let (object, env) = match value {
            None => return (BTreeMap::new(), false),
            Some(Value::Object(object, env)) => (*object, env),
            Some(Value::Plain(at)) if at.kind() == "undefined" => return (BTreeMap::new(), false),
            Some(_) => return (BTreeMap::new(), true),
        };
        let mut out = BTreeMap::new();
        let mut open = false;
        for entry in object.children() {
            match self.option(entry, env) {
                Some((name, Some(value))) => {
                    out.insert(name, value);
                }
                Some((_, None)) => {}
                None => open = true,
            }
        }
        (out, open)
    }

    /// An option's name and value; no value for `undefined`; `None` for what cannot be read.
    fn option(&self, entry: At<'a>, env: &Rc<Env<'a>>) -> Option<(String, Option<Argument>)> {
        let (name, value) = match entry.kind() {
            "pair" => (entry.field("key")?.key_name()?, entry.field("value")?),
            "shorthand_property_identifier" => (entry.text().to_owned(), entry),
            _ => return None,
        };
        let value = self.eval(value, env);
        match value {
            Value::Plain(at) if at.kind() == "undefined" => Some((name, None)),
            value => Some((name, Some(self.argument(&value)))),
        }
    }

    /// The strings among a call's arguments: the first one under no name, options under theirs. Of several that one may
    /// be, those that the printed steps of the call say.
    pub(super) fn texts(&self, link: &Link<'a>, printed: &[Step]) -> Vec<(String, Value<'a>)> {
        let mut out = Vec::new();
        for value in &link.arguments {
            match value {
                Value::Text(_) => out.push((String::new(), value.clone())),
                Value::Object(object, env) if !link.legacy => {
                    for entry in object.children() {
                        let value = entry
                            .field("value")
                            .or(Some(entry).filter(|at| at.kind() == "shorthand_property_identifier"));
                        let name = entry.field("key").and_then(At::key_name).unwrap_or_else(|| entry.text().to_owned());
                        out.extend(value.map(|value| (name, self.eval(value, env))));
                    }
                }
                _ => {}
            }
        }
        let says = |option: &str, value: &Value<'a>| {
            let argument = self.argument(value);
            let under = |step: &Step| step.options.get(option).is_some_and(|printed| argument.agrees(printed));
            printed.iter().any(under)
        };
        let mut texts = Vec::new();
        for (option, value) in out {
            let mut values = value.alternatives();
            if values.len() > 1 {
                values.retain(|value| says(&option, value));
            }
            if let [value @ Value::Text(_)] = values.as_slice() {
                texts.push((option, value.clone()));
            }
        }
        texts
    }

    fn argument(&self, value: &Value<'a>) -> Argument {
        match value {
            Value::Text(text) => Argument::Text(
                text.parts
                    .iter()
                    .map(|part| match part {
                        Part::Literal(value, _) => value.clone(),
                        Part::Hole => HOLE.to_string(),
                    })
                    .collect(),
            ),
            Value::Plain(at) => Argument::Plain(plain(*at)),
            Value::Several(values) => Argument::OneOf(values.iter().map(|value| self.argument(value)).collect()),
            Value::Chain(chain) if chain.head.is_none() => {
                Argument::Steps(self.steps(chain).into_iter().map(|(_, step)| step).collect())
            }
            _ => Argument::Any,
        }
    }
}

impl Step {
    fn plain(method: &str) -> Self {
        Self { method: method.to_owned(), main: None, options: BTreeMap::new(), open: false }
    }

    fn nth(index: &str) -> Self {
        Self { main: Some(Argument::Plain(index.to_owned())), ..Self::plain("nth") }
    }

    fn filter(option: &str, value: Argument) -> Self {
        Self { options: BTreeMap::from([(option.to_owned(), value)]), ..Self::plain("filter") }
    }

    /// Whether this step, as a source says it, can be the step `printed`.
    pub(super) fn agrees(&self, printed: &Self) -> bool {
        if self.method != printed.method {
            return false;
        }
        let main = match (&self.main, &printed.main) {
            (None, None) => true,
            (Some(own), Some(other)) => own.agrees(other),
            (Some(own), None) => *own == Argument::Any,
            (None, Some(_)) => false,
        };
        let own_said = self.options.iter().all(|(name, own)| match printed.options.get(name) {
            Some(other) => own.agrees(other),
            None => *own == Argument::Any,
        });
        let all_said = self.open || printed.options.keys().all(|name| self.options.contains_key(name));
        main && own_said && all_said
    }

    /// Whether the step says nothing that could disagree.
    pub(super) fn is_blank(&self) -> bool {
        let blank = |argument: &Argument| match argument {
            Argument::Any => true,
            Argument::Text(text) => text.chars().all(|c| c == HOLE),
            _ => false,
        };
        self.main.as_ref().is_some_and(blank) && self.options.values().all(blank)
    }
}

impl Argument {
    fn agrees(&self, printed: &Self) -> bool {
        match (self, printed) {
            (Self::Any, _) => true,
            (Self::OneOf(own), other) => own.iter().any(|own| own.agrees(other)),
            (Self::Text(own), Self::Text(other)) => matches(own, other),
            (Self::Text(own), Self::Plain(_)) => own.chars().all(|c| c == HOLE),
            (Self::Plain(own), Self::Plain(other)) => own == other,
            (Self::Steps(own), Self::Steps(other)) => {
                own.len() == other.len() && own.iter().zip(other).all(|(own, other)| own.agrees(other))
            }
            _ => false,
        }
    }
}

/// Whether a text with holes can be `text`: its pieces stand in it in order, the first and last at the ends.
fn matches(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split(HOLE);
    let Some(mut rest) = pieces.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let mut pieces: Vec<&str> = pieces.collect();
    let Some(last) = pieces.pop() else { return rest.is_empty() };
    for piece in pieces {
        match rest.split_once(piece) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// A literal in one spelling: flags and escapes of a regular expression may be written in several.
fn plain(at: At<'_>) -> String {
    let part = |name: &str| at.field(name).map(At::text).unwrap_or_default();
    match at.kind() {
        "regex" => JsRegex::new(part("pattern"), part("flags")).to_string(),
        _ => at.text().to_owned(),
    }
}

/// `exact` changes nothing beside a regular expression, without a name, or when it is false: Playwright does not print it.
fn drop_idle_exact(method: &str, main: Option<&Value<'_>>, options: &mut BTreeMap<String, Argument>) {
    let is_pattern =
        |argument: Option<&Argument>| matches!(argument, Some(Argument::Plain(text)) if text.starts_with('/'));
    let main_is_pattern = matches!(main, Some(Value::Plain(at)) if at.kind() == "regex");
    let said = if method == "getByRole" {
        ["name", "description"].iter().any(|option| options.get(*option).is_some_and(|value| !is_pattern(Some(value))))
    } else {
        !main_is_pattern
    };
    let is_false = options.get("exact") == Some(&Argument::Plain("false".to_owned()));
    if !said || is_false {
        options.remove("exact");
    }
}

/// The parts of a selector: split at `>>` outside quotes.
fn parts(selector: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut part = String::new();
    let mut quote = None;
    let mut chars = selector.chars().peekable();
    while let Some(c) = chars.next() {
        let in_text_engine = || {
            let body = part.trim_start().strip_prefix("text").map(str::trim_start);
            body.and_then(|body| body.strip_prefix('=')).is_some_and(|body| !body.is_empty())
        };
        match c {
            '\\' => {
                part.push(c);
                part.extend(chars.next());
                continue;
            }
            '"' | '\'' | '`' if quote == Some(c) => quote = None,
            '"' | '\'' | '`' if quote.is_none() && !in_text_engine() => quote = Some(c),
            '>' if quote.is_none() && chars.peek() == Some(&'>') => {
                chars.next();
                out.push(std::mem::take(&mut part));
                continue;
            }
            _ => {}
        }
        part.push(c);
    }
    out.push(part);
    out.iter().map(|part| part.trim().to_owned()).collect()
}

/// One part of a selector as a step.
fn selector_step(part: &str) -> Step {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_-+:*".contains(c);
    let engine = part.split_once('=').filter(|(name, _)| {
        let name = name.trim();
        !name.is_empty() && name.chars().all(is_name)
    });
    let (name, body) = match engine {
        Some((name, body)) => (name.trim(), body),
        None => ("", part),
    };
    let locator = |text: String| Step { main: Some(Argument::Text(text)), ..Step::plain("locator") };
    match name {
        "css" => locator(body.to_owned()),
        "xpath" if body.starts_with("//") || body.starts_with("..") => locator(body.to_owned()),
        "nth" => Step::nth(body),
        "visible" => Step::filter("visible", Argument::Plain(body.to_owned())),
        "internal:control" => Step::plain("contentFrame"),
        "" if is_quoted(part) => locator(format!("text={part}")),
        // `(//a)[1]` is XPath by its shape; Playwright prints it with the engine's name.
        "" if part.trim_start_matches('(').starts_with("//") && part.starts_with('(') => {
            locator(format!("xpath={part}"))
        }
        _ => locator(part.to_owned()),
    }
}

fn is_quoted(part: &str) -> bool {
    part.len() > 1 && ['"', '\''].iter().any(|quote| part.starts_with(*quote) && part.ends_with(*quote))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_are_split_outside_quotes() {
        for (selector, expected) in [
            ("#a >> text=b", vec!["#a", "text=b"]),
            ("text=it's >> b", vec!["text=it's", "b"]),
            ("[a='x >> y'] >> nth=0", vec!["[a='x >> y']", "nth=0"]),
            ("a > b", vec!["a > b"]),
        ] {
            assert_eq!(parts(selector), expected);
        }
    }

    #[test]
    fn holes_match_anything_in_between() {
        let pattern = format!("row-{HOLE} .x{HOLE}");
        assert!(matches(&pattern, "row-7 .xy"));
        assert!(matches(&pattern, "row-7 .x"));
        assert!(!matches(&pattern, "row-7 .y"));
        assert!(!matches("abc", "abcd"));
        assert!(!matches(&format!("a{HOLE}a"), "a"));
    }
}
