//! Rule C': a string constant that holds a selector, proved by its uses, or by its name and shape where there are none.

use std::collections::BTreeSet;
use std::ops::Range;

use tree_sitter::Node;

use super::assertions::Assertions;
use super::chain::{Chain, building};
use super::facts;
use super::flow::{Flow, Follower, Wait};
use super::literal;
use super::method::Takes;
use super::place::Edit;
use super::uses::{Use, bound_by, uses};
use super::violation::{Flag, Prohibition, Violation};
use super::{chain, legacy, weaken};
use crate::source::language::{Kind, kind};
use crate::source::syntax::{named, unwrapped};

/// The literal that changed.
#[derive(Debug)]
pub(super) struct Constant<'s> {
    /// The nodes down to the literal before.
    pub(super) path: Vec<Node<'s>>,
    /// What binds it: an index into `path`.
    declaration: usize,
    old: String,
    new: Option<String>,
}

impl Constant<'_> {
    /// Where the literal stands before.
    pub(super) fn range(&self) -> Range<usize> {
        self.path.last().map_or(0..0, tree_sitter::Node::byte_range)
    }
}

/// The constant whose value is all that changed.
pub(super) fn find<'s>(edit: &Edit<'s, '_>) -> Option<Constant<'s>> {
    let mut literals = Vec::new();
    edit.before.walk(&edit.old_span(), |node| {
        if is_literal_node(node) {
            literals.push(node);
        }
        true
    });
    literals.into_iter().take(64).find_map(|literal| at(edit, literal))
}

fn at<'s>(edit: &Edit<'s, '_>, literal: Node<'s>) -> Option<Constant<'s>> {
    let rest = edit.before.text().len() - literal.end_byte();
    let new = literal.start_byte()..edit.after.text().len().checked_sub(rest)?;
    if new.end < new.start || !edit.holds(&literal.byte_range(), &new) {
        return None;
    }
    let path = edit.before.ancestry(literal);
    let declaration = path
        .iter()
        .rposition(|node| matches!(kind(*node), Kind::Declarator | Kind::Field | Kind::EnumMember | Kind::Pair))?;
    let value = *path.get(declaration + 1)?;
    let between = path.get(declaration + 1..path.len() - 1)?;
    let is_value = path.get(declaration)?.child_by_field_name("value") == Some(value);
    if !is_value || !between.iter().all(|node| kind(*node).is_wrapper()) || !is_constant(edit, &path, declaration) {
        return None;
    }
    let plain = |(text, holes): (String, Vec<String>)| holes.is_empty().then_some(text);
    let old = literal::cooked(edit.before, literal).and_then(plain)?;
    let replaced =
        edit.after.path_to(new.clone()).into_iter().find(|node| node.byte_range() == new && is_literal_node(*node));
    let new = replaced.and_then(|node| literal::cooked(edit.after, node)).and_then(plain);
    Some(Constant { path, declaration, old, new })
}

fn is_literal_node(node: Node<'_>) -> bool {
    matches!(kind(node), Kind::String | Kind::Template)
}

/// Whether the declaration is one that nothing reassigns.
fn is_constant(edit: &Edit<'_, '_>, path: &[Node<'_>], declaration: usize) -> bool {
    let container = path
        .get(..=declaration)
        .unwrap_or_default()
        .iter()
        .rev()
        .find(|node| !matches!(kind(**node), Kind::Pair | Kind::Object) && !kind(**node).is_wrapper());
    match container.map(|node| (kind(*node), *node)) {
        Some((Kind::Declarator, _)) => path
            .iter()
            .rev()
            .find(|node| matches!(kind(**node), Kind::Lexical | Kind::Var))
            .is_some_and(|node| edit.before.of(*node).starts_with("const")),
        Some((Kind::Field | Kind::EnumMember | Kind::EnumBody | Kind::Export | Kind::Assignment, _)) => true,
        // `Object.freeze({ … })`
        Some((Kind::Arguments, node)) => {
            node.prev_sibling().is_some_and(|function| edit.before.of(function) == "Object.freeze")
        }
        _ => false,
    }
}

/// Judges the constant by its uses.
pub(super) fn check<'s>(
    edit: &Edit<'s, '_>,
    constant: &Constant<'s>,
    assertions: &Assertions<'s, '_>,
    file: &str,
) -> Result<BTreeSet<Flag>, Violation> {
    let Some(new) = constant.new.as_deref() else { return Err(Prohibition::ConstantValue.into()) };
    let bound = bound_by(edit.before, &constant.path, constant.declaration).into_iter().next();
    let found = match &bound {
        Some(bound) => uses(edit.before, bound).ok_or(Prohibition::Size)?,
        None => Vec::new(),
    };
    if found.is_empty() {
        return unproven(edit, constant, new, file);
    }
    let mut flags = BTreeSet::from([Flag::SelectorConstant]);
    let mut follower = Follower { source: edit.before, assertions, flow: Flow::default() };
    for one in &found {
        let selector = selector_use(edit, one).filter(|_| !one.whole).ok_or_else(|| not_a_selector(assertions, one))?;
        if selector.legacy {
            flags.insert(Flag::Nonstrict);
            if follower.legacy_wait(selector.call) == Some(Wait::Absence) {
                follower.flow.absences += 1;
                continue;
            }
        }
        let resolve_to = |value: &str| {
            let mention = one.path.last().map_or("", |node| edit.before.of(*node)).to_owned();
            let value = value.to_owned();
            move |name: &str| (name == mention).then(|| value.clone())
        };
        let old = facts::of(&selector.chain, &resolve_to(&constant.old));
        let new = facts::of(&selector.chain, &resolve_to(new));
        weaken::same(&old, &new)?;
        flags.extend(weaken::check(&old, &new)?.into_iter().filter(|flag| *flag == Flag::PositionalRetained));
        follower.mention(&selector.path)?;
        follower.follow(selector.path)?;
    }
    if follower.flow.others == 0 && follower.flow.absences > 0 {
        return Err(Prohibition::Absence.into());
    }
    flags.extend(follower.flow.flags);
    Ok(flags)
}

fn not_a_selector(assertions: &Assertions<'_, '_>, one: &Use<'_>) -> Violation {
    match assertions.around(&one.path) {
        Ok(Some(_)) => Prohibition::ConstantExpected.into(),
        Ok(None) => Prohibition::ConstantUse.into(),
        Err(violation) => violation,
    }
}

/// A use as a selector: the chain it is used in.
struct SelectorUse<'s> {
    path: Vec<Node<'s>>,
    call: Node<'s>,
    chain: Chain,
    legacy: bool,
}

/// The chain that takes the constant, if the use is as an argument, a text option, or a substitution of such.
fn selector_use<'s>(edit: &Edit<'s, '_>, one: &Use<'s>) -> Option<SelectorUse<'s>> {
    let source = edit.before;
    let mut path = one.path.clone();
    let mut child = path.pop()?;
    let mut option = None;
    loop {
        let parent = *path.last()?;
        match kind(parent) {
            Kind::Substitution | Kind::Template | Kind::Object | Kind::Parenthesized => {}
            Kind::Pair if parent.child_by_field_name("value") == Some(child) => {
                let key = parent.child_by_field_name("key")?;
                option = Some(source.of(key).trim_matches(['"', '\'']));
            }
            Kind::Arguments => {
                path.pop();
                let call = *path.last()?;
                let first = named(parent).first().copied() == Some(child);
                if let Some((_, method, _)) = building(source, call) {
                    let as_text =
                        option.is_some_and(|key| matches!(key, "name" | "description" | "hasText" | "hasNotText"));
                    let as_argument = first
                        && option.is_none()
                        && !matches!(method.takes, Takes::Label | Takes::Index | Takes::Locator);
                    let takes = as_text || as_argument;
                    return takes.then(|| chain::read(source, call)).flatten().map(|chain| SelectorUse {
                        path,
                        call,
                        chain,
                        legacy: false,
                    });
                }
                let known = legacy::read(source, call)?;
                let index = named(parent)
                    .iter()
                    .position(|argument| *argument == child)
                    .filter(|index| *index < known.selectors)?;
                let chain = legacy::as_chain(source, call, index).filter(|_| option.is_none())?;
                return Some(SelectorUse { path, call, chain, legacy: true });
            }
            _ if kind(child) == Kind::Shorthand => option = Some(source.of(child)),
            _ => return None,
        }
        if kind(child) == Kind::Shorthand && option.is_none() {
            option = Some(source.of(child));
        }
        child = parent;
        path.pop();
    }
}

/// Without a use, the name and the shape must both speak for a selector.
fn unproven(edit: &Edit<'_, '_>, constant: &Constant<'_>, new: &str, file: &str) -> Result<BTreeSet<Flag>, Violation> {
    let mut names = vec![file.rsplit('/').next().unwrap_or(file).to_owned()];
    for node in &constant.path {
        let field = if kind(*node) == Kind::Pair { "key" } else { "name" };
        if matches!(
            kind(*node),
            Kind::Declarator | Kind::Field | Kind::Enum | Kind::EnumMember | Kind::Class | Kind::Pair
        ) && let Some(name) = node.child_by_field_name(field)
        {
            names.push(edit.before.of(name).to_owned());
        }
    }
    let named = names.iter().any(|name| {
        words(name).iter().any(|word| {
            matches!(
                word.trim_end_matches('s'),
                "locator" | "selector" | "xpath" | "css" | "cs" | "element" | "sel" | "loc"
            )
        })
    });
    if !named || !is_selector_shaped(&constant.old) || !is_selector_shaped(new) {
        return Err(Prohibition::ConstantUnproven.into());
    }
    let (old, new) = (facts::of_selector(&constant.old), facts::of_selector(new));
    weaken::same(&old, &new)?;
    let mut flags = weaken::check(&old, &new)?;
    flags.extend([Flag::SelectorConstant, Flag::UnprovenUse]);
    Ok(flags)
}

/// The words of a name, in lower case: `LoginLocators` has two.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut lower = false;
    for character in name.chars() {
        if !character.is_alphanumeric() || character.is_uppercase() && lower {
            words.push(String::new());
        }
        lower = character.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| character.is_alphanumeric()) {
            word.extend(character.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether a text is unmistakably a selector.
fn is_selector_shaped(text: &str) -> bool {
    let text = text.trim();
    let ident = |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '-' | '\\'));
    if let Some(rest) = text.strip_prefix(['#', '.']) {
        return ident(rest);
    }
    if text.trim_start_matches('(').starts_with("//") || text.starts_with('[') && text.contains(']') {
        return true;
    }
    if let Some((engine, _)) = text.split_once('=')
        && (matches!(engine.trim(), "css" | "xpath" | "text" | "role" | "id") || engine.trim().starts_with("data-test"))
    {
        return true;
    }
    let tag: String = text.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    let rest = text.strip_prefix(tag.as_str()).unwrap_or_default();
    let known = TAGS.contains(&tag.as_str()) || tag.contains('-') && tag.starts_with(|c: char| c.is_ascii_lowercase());
    known
        && match rest.chars().next() {
            Some('[') => rest.contains(']'),
            Some('.' | '#' | ':') => rest.get(1..).is_some_and(ident),
            _ => false,
        }
}

/// Tags that pages are made of.
const TAGS: [&str; 72] = [
    "a", "abbr", "address", "article", "aside", "audio", "b", "body", "button", "canvas", "caption", "cite", "code",
    "col", "dd", "details", "dialog", "div", "dl", "dt", "em", "fieldset", "figure", "footer", "form", "h1", "h2",
    "h3", "h4", "h5", "h6", "header", "hr", "i", "iframe", "img", "input", "label", "legend", "li", "main", "mark",
    "menu", "meter", "nav", "object", "ol", "optgroup", "option", "output", "p", "path", "pre", "progress", "section",
    "select", "small", "span", "strong", "summary", "svg", "table", "tbody", "td", "textarea", "tfoot", "th", "thead",
    "time", "tr", "ul", "video",
];

/// Whether a name is bound to a string literal by a `const` of this file, or a field or key of one.
pub(super) fn is_literal(source: &crate::source::syntax::Source<'_>, name: &str) -> bool {
    let simple = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'));
    simple
        && super::names::bindings(source, name).is_some_and(|bindings| {
            !bindings.is_empty()
                && bindings.iter().all(|binding| {
                    binding.value.is_some_and(|value| {
                        let literal = unwrapped(value);
                        matches!(kind(literal), Kind::String | Kind::Template)
                            && literal::cooked(source, literal).is_some_and(|(_, holes)| holes.is_empty())
                    })
                })
        })
}
