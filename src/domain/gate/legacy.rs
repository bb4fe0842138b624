//! Calls on a page or a frame that take a selector: `page.click('#a')`. They count as a chain of one step.

use tree_sitter::Node;

use super::chain::{Building, Chain, method_call, value};
use super::method::{Method, legacy_selectors};
use super::names;
use crate::source::language::{Kind, kind};
use crate::source::syntax::{Source, named, unwrapped};

/// A legacy call.
#[derive(Debug, Clone)]
pub(super) struct Legacy<'s> {
    /// The text from the start to the arguments.
    pub(super) callee: &'s str,
    /// The receiver's text.
    pub(super) receiver: &'s str,
    /// The method.
    pub(super) method: &'s str,
    /// The arguments as written.
    pub(super) arguments: Vec<(std::ops::Range<usize>, &'s str)>,
    /// How many of the first arguments are selectors.
    pub(super) selectors: usize,
}

/// Reads `node` as a legacy call on something that is a page or a frame.
pub(super) fn read<'s>(source: &'s Source<'_>, node: Node<'s>) -> Option<Legacy<'s>> {
    let (receiver, property, arguments) = method_call(node)?;
    let method = source.of(property);
    let selectors = legacy_selectors(method);
    let arguments_of = named(arguments);
    if selectors == 0 || arguments_of.len() < selectors || !is_page(source, receiver) {
        return None;
    }
    Some(Legacy {
        callee: source.slice(node.start_byte()..arguments.start_byte()),
        receiver: source.slice(node.start_byte()..property.start_byte()),
        method,
        arguments: arguments_of.iter().map(|argument| (argument.byte_range(), source.of(*argument))).collect(),
        selectors,
    })
}

/// The chain that a legacy call's selector at `index` stands for.
pub(super) fn as_chain(source: &Source<'_>, node: Node<'_>, index: usize) -> Option<Chain> {
    let (receiver, property, arguments) = method_call(node)?;
    let argument = *named(arguments).get(index)?;
    let call = Building { method: Method::named("locator")?, arguments: vec![value(source, argument, 0)], odd: false };
    Some(Chain {
        range: argument.byte_range(),
        root: source.of(receiver).to_owned(),
        receiver: source.slice(node.start_byte()..property.start_byte()).to_owned(),
        calls: vec![call],
    })
}

/// Whether the text of a receiver names a page or a frame.
pub(super) fn is_page_name(text: &str) -> bool {
    let last = text.trim_end_matches(['!', ')', '?']).rsplit(['.', '#', ' ', '(']).next().unwrap_or_default();
    let name = last.trim_start_matches('_').trim_end_matches(|c: char| c.is_ascii_digit());
    matches!(name, "page" | "frame" | "popup" | "tab" | "mainFrame" | "newPage" | "newTab" | "popupPage" | "getPage")
}

fn is_page(source: &Source<'_>, receiver: Node<'_>) -> bool {
    let receiver = match kind(unwrapped(receiver)) {
        Kind::Await => named(unwrapped(receiver)).first().copied().unwrap_or(receiver),
        _ => unwrapped(receiver),
    };
    if is_page_name(source.of(receiver).split('(').next().unwrap_or_default()) {
        return true;
    }
    if kind(receiver) != Kind::Identifier {
        return makes_page(source.of(receiver));
    }
    let bindings = names::bindings(source, source.of(receiver)).unwrap_or_default();
    !bindings.is_empty()
        && bindings.iter().all(|binding| {
            let typed = binding.annotation.is_some_and(|text| {
                text.split(|c: char| !c.is_alphanumeric()).any(|word| matches!(word, "Page" | "Frame"))
            });
            typed || binding.value.is_some_and(|value| makes_page(source.of(value)))
        })
}

/// Whether an expression makes a page or a frame, by the calls that do.
fn makes_page(text: &str) -> bool {
    let text = text.trim_start_matches("await").trim();
    [
        ".newPage(",
        ".pages()",
        ".mainFrame()",
        ".frame(",
        ".waitForEvent('popup'",
        ".waitForEvent('page'",
        ".waitForEvent(\"popup\"",
        ".waitForEvent(\"page\"",
        ".frames()",
    ]
    .iter()
    .any(|call| text.contains(call))
}
