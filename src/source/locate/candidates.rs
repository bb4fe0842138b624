//! Which locators a call may be about: what it is called on, what it asserts, what it is given.

use std::rc::Rc;

use crate::source::tree::At;

use super::eval::Evaluator;
use super::value::{Chain, Env, Link, Value};

/// Calls on a page or frame whose first argument is a selector.
const TAKES_SELECTOR: [&str; 32] = [
    "$",
    "$$",
    "$$eval",
    "$eval",
    "check",
    "click",
    "dblclick",
    "dispatchEvent",
    "dragAndDrop",
    "fill",
    "focus",
    "getAttribute",
    "hover",
    "innerHTML",
    "innerText",
    "inputValue",
    "isChecked",
    "isDisabled",
    "isEditable",
    "isEnabled",
    "isHidden",
    "isVisible",
    "press",
    "selectOption",
    "selectText",
    "setChecked",
    "setInputFiles",
    "tap",
    "textContent",
    "type",
    "uncheck",
    "waitForSelector",
];

/// A locator that the failing call may have used.
pub(super) struct Candidate<'a> {
    pub(super) value: Value<'a>,
    pub(super) in_assertion: bool,
}

/// The locators a call may be about: what it is called on, what it asserts, what it is given. A string counts as a
/// selector in Playwright's own calls, and in any call that the stack names.
pub(super) fn candidates<'a>(
    evaluator: &Evaluator<'a>,
    call: At<'a>,
    is_named: bool,
    env: &Rc<Env<'a>>,
) -> Vec<Candidate<'a>> {
    let mut out = Vec::new();
    let method = call.method();
    if let Some(subject) = method.filter(|name| is_matcher(name.text())).and_then(|_| asserted(call)) {
        out.push(Candidate { value: evaluator.eval(subject, env), in_assertion: true });
        return out;
    }
    let receiver = call.field("function").map(At::bare).and_then(|function| function.field("object"));
    let receiver = receiver.map(|object| evaluator.eval(object, env));
    let is_action = is_named || method.is_some_and(|name| TAKES_SELECTOR.contains(&name.text()));
    let acts_on_a_page = is_action && !matches!(receiver, Some(Value::Chain(_)));
    let selectors = if method.is_some_and(|name| name.text() == "dragAndDrop") { 2 } else { 1 };
    for (index, argument) in call.arguments().into_iter().enumerate() {
        for inner in inside(argument) {
            let value = evaluator.eval(inner, env);
            for value in value.alternatives() {
                match value {
                    Value::Text(text) if acts_on_a_page && index < selectors => {
                        let name = method.or_else(|| call.field("function")).map_or("", At::text).to_owned();
                        let arguments = vec![Value::Text(text)];
                        let link = Link { call: Some(call), method: name, arguments, legacy: true, hops: Vec::new() };
                        let chain = Chain { head: None, links: vec![link] };
                        out.push(Candidate { value: Value::Chain(chain), in_assertion: false });
                    }
                    value @ Value::Chain(_) => out.push(Candidate { value, in_assertion: false }),
                    _ => {}
                }
            }
        }
    }
    if let Some(value) = receiver {
        out.insert(0, Candidate { value, in_assertion: false });
    }
    out
}

/// An argument, and the locators listed in it (`{ mask: [a, b] }`, `[a, b]`).
fn inside(argument: At<'_>) -> Vec<At<'_>> {
    let bare = argument.bare();
    match bare.kind() {
        "array" => bare.children(),
        "object" => bare
            .children()
            .into_iter()
            .filter_map(|entry| entry.field("value"))
            .flat_map(|value| if value.kind() == "array" { value.children() } else { vec![value] })
            .collect(),
        _ => vec![bare],
    }
}

/// Whether a method name is an assertion's: `toBeVisible`, `toHaveText`.
pub(super) fn is_matcher(name: &str) -> bool {
    let rest = name.strip_prefix("to").unwrap_or_default();
    rest.starts_with(|c: char| c.is_ascii_uppercase()) && name != "toString"
}

/// The subject of an assertion: the first argument of the call that its matcher chain starts with.
fn asserted(matcher: At<'_>) -> Option<At<'_>> {
    let mut at = matcher.field("function")?.bare().field("object")?.bare();
    loop {
        match at.kind() {
            "member_expression" => at = at.field("object")?.bare(),
            "call_expression" => return at.arguments().into_iter().next(),
            _ => return None,
        }
    }
}
