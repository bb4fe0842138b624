//! Rule C: where the change lies: the innermost chain that holds it, before and after, with nothing else changed.

use std::collections::BTreeMap;
use std::ops::Range;

use tree_sitter::{Node, QueryCursor, StreamingIterator as _};

use super::chain::{self, Chain, building, method_call};
use super::legacy::{self, Legacy};
use super::lines::Change;
use super::violation::{Prohibition, Violation};
use crate::source::language::{Kind, kind};
use crate::source::syntax::{Source, named};

/// The longest chain that is looked at, in bytes. Keeps everything after it cheap.
const MAX_CHAIN: usize = 16 * 1024;
/// How many pairs of chains are compared by what is around them.
const MAX_PAIRS: usize = 64;
/// How many calls around the change, the smallest first, can be the one that changed.
const MAX_CALLS: usize = 256;
/// How deep the change may lie in the tree.
const MAX_DEPTH: usize = 512;

/// The chain that changed, in both texts.
#[derive(Debug)]
pub(super) struct Pair<'s> {
    /// The nodes down to the chain (or legacy call) before.
    pub(super) path: Vec<Node<'s>>,
    /// The chain before.
    pub(super) old: Chain,
    /// The chain after.
    pub(super) new: Chain,
    /// The whole chains that the pair is the head of: the same where it is no head.
    pub(super) whole: (Chain, Chain),
    /// Whether it is the selector of a legacy call.
    pub(super) legacy: bool,
    /// The comments inside, before and after.
    pub(super) comments: (Vec<&'s str>, Vec<&'s str>),
}

/// Both texts with their trees, and what differs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edit<'s, 't> {
    /// Before.
    pub(super) before: &'s Source<'t>,
    /// After.
    pub(super) after: &'s Source<'t>,
    /// The line and the bytes that differ.
    pub(super) change: Change<'t>,
}

impl<'s> Edit<'s, '_> {
    /// The bytes that differ in a text of `length` bytes; empty where bytes were only added or only taken.
    fn span(&self, length: usize) -> Range<usize> {
        let end = (length - self.change.suffix).max(self.change.prefix.min(length));
        self.change.prefix.min(length - self.change.suffix)..end
    }

    /// The bytes of the old text that differ.
    pub(super) fn old_span(&self) -> Range<usize> {
        self.span(self.before.text().len())
    }

    /// The bytes of the new text that differ.
    pub(super) fn new_span(&self) -> Range<usize> {
        self.span(self.after.text().len())
    }

    /// Whether nodes at these ranges are the same but for what is inside: same start, same text around.
    pub(super) fn holds(&self, old: &Range<usize>, new: &Range<usize>) -> bool {
        let (old_length, new_length) = (self.before.text().len(), self.after.text().len());
        old.start == new.start
            && old.start <= self.change.prefix
            && old_length - old.end == new_length - new.end
            && old_length - old.end <= self.change.suffix
    }

    /// Pairs of nodes that hold the change, the smallest first.
    fn pairs(&self, old: &[Node<'s>], new: &[Node<'s>]) -> Vec<(Node<'s>, Node<'s>)> {
        let (old_length, new_length) = (self.before.text().len(), self.after.text().len());
        let by_place: BTreeMap<(usize, usize), Node<'s>> =
            new.iter().map(|node| ((node.start_byte(), new_length - node.end_byte()), *node)).collect();
        let mut pairs: Vec<_> = old
            .iter()
            .filter_map(|node| {
                let twin = by_place.get(&(node.start_byte(), old_length - node.end_byte()))?;
                self.holds(&node.byte_range(), &twin.byte_range()).then_some((*node, *twin))
            })
            .collect();
        pairs.sort_by_key(|(node, _)| (node.end_byte() - node.start_byte(), node.start_byte()));
        pairs
    }

    /// Finds the chain that changed.
    pub(super) fn pair(&self) -> Result<Option<Pair<'s>>, Violation> {
        let old = calls_near(self.before, &self.old_span())?;
        let new = calls_near(self.after, &self.new_span())?;
        let is_chain = |source: &'s Source<'_>, node: Node<'s>| {
            building(source, node).is_some() || legacy::read(source, node).is_some()
        };
        let pick = |source: &'s Source<'_>, nodes: Vec<Node<'s>>| -> Vec<Node<'s>> {
            smallest(nodes).into_iter().filter(|node| is_chain(source, *node)).collect()
        };
        let pairs = self.pairs(&pick(self.before, old), &pick(self.after, new));
        for (old, new) in pairs.into_iter().take(MAX_PAIRS) {
            if [old, new].iter().any(|node| node.end_byte() - node.start_byte() > MAX_CHAIN) {
                return Err(Prohibition::Size.into());
            }
            let path = self.before.ancestry(old);
            let kinds = |path: &[Node<'_>]| path.iter().map(|node| kind_name(*node)).collect::<Vec<_>>();
            let (_, around) = path.split_last().unwrap_or((&old, &[]));
            let new_path = self.after.ancestry(new);
            if kinds(around) != kinds(new_path.split_last().map_or(&[], |(_, around)| around)) {
                continue;
            }
            if let Some(pair) = self.chains(old, new, path)? {
                return Ok(Some(pair));
            }
        }
        Ok(None)
    }

    fn chains(&self, old: Node<'s>, new: Node<'s>, path: Vec<Node<'s>>) -> Result<Option<Pair<'s>>, Violation> {
        let comments = (comments(self.before, old), comments(self.after, new));
        if let (Some(old_chain), Some(new_chain)) = (chain::read(self.before, old), chain::read(self.after, new)) {
            let whole = (whole(self.before, &path), whole(self.after, &self.after.ancestry(new)));
            let whole = (whole.0.unwrap_or_else(|| old_chain.clone()), whole.1.unwrap_or_else(|| new_chain.clone()));
            return Ok(Some(Pair { path, old: old_chain, new: new_chain, whole, legacy: false, comments }));
        }
        let (Some(was), Some(is)) = (legacy::read(self.before, old), legacy::read(self.after, new)) else {
            return Ok(None);
        };
        let index = legacy_change(self, &was, &is)?;
        let (Some(old_chain), Some(new_chain)) =
            (legacy::as_chain(self.before, old, index), legacy::as_chain(self.after, new, index))
        else {
            return Ok(None);
        };
        let whole = (old_chain.clone(), new_chain.clone());
        Ok(Some(Pair { path, old: old_chain, new: new_chain, whole, legacy: true, comments }))
    }

    /// Why there is no pair.
    pub(super) fn misplaced(&self) -> Violation {
        let violation = self.misplaced_or().unwrap_or_else(|violation| violation);
        match violation.prohibition {
            Prohibition::Outside if !self.near() => Prohibition::NotLocator.into(),
            _ => violation,
        }
    }

    fn misplaced_or(&self) -> Result<Violation, Violation> {
        let line = |length: usize| self.change.start..self.change.start + length;
        let old_calls = calls_near(self.before, &line(self.change.old.len()))?;
        let new_calls = calls_near(self.after, &line(self.change.new.len()))?;
        let (old_chains, new_chains) = (outermost(self.before, &old_calls), outermost(self.after, &new_calls));
        if self.several(&old_chains, &new_chains) {
            return Ok(Prohibition::Chains.into());
        }
        let full = |source: &'s Source<'_>, span: &Range<usize>| -> Result<Vec<Node<'s>>, Violation> {
            let calls = smallest(calls_near(source, span)?);
            Ok(calls.into_iter().filter_map(|node| full_expression(source, node)).collect())
        };
        let pairs = self.pairs(&full(self.before, &self.old_span())?, &full(self.after, &self.new_span())?);
        Ok(match pairs.first() {
            Some((old, new)) => self.full_change(*old, *new),
            None => Prohibition::Outside.into(),
        })
    }

    /// Whether a chain or a legacy call is on the changed line.
    fn near(&self) -> bool {
        let line = self.change.start..self.change.start + self.change.old.len();
        calls_near(self.before, &line).is_ok_and(|calls| {
            calls.iter().take(MAX_CALLS).any(|node| {
                let overlaps = node.start_byte() < line.end && node.end_byte() > line.start;
                overlaps && (chain::read(self.before, *node).is_some() || legacy::read(self.before, *node).is_some())
            })
        })
    }

    /// Whether the same number of chains stands on both lines, the text between them is the same, and several differ.
    fn several(&self, old: &[Node<'s>], new: &[Node<'s>]) -> bool {
        if old.len() != new.len() || old.len() < 2 {
            return false;
        }
        let (mut old_at, mut new_at, mut differing) = (self.change.start, self.change.start, 0);
        for (was, is) in old.iter().zip(new) {
            if self.before.slice(old_at..was.start_byte()) != self.after.slice(new_at..is.start_byte()) {
                return false;
            }
            differing += usize::from(self.before.of(*was) != self.after.of(*is));
            (old_at, new_at) = (was.end_byte(), is.end_byte());
        }
        let old_end = self.change.start + self.change.old.len();
        let new_end = self.change.start + self.change.new.len();
        differing > 1 && self.before.slice(old_at..old_end.max(old_at)) == self.after.slice(new_at..new_end.max(new_at))
    }

    /// What differs between two whole expressions: the receiver, or the action.
    fn full_change(&self, old: Node<'s>, new: Node<'s>) -> Violation {
        let (was, is) = (links(self.before, old), links(self.after, new));
        if was.legacy != is.legacy {
            return Prohibition::Migration.into();
        }
        if was.receiver != is.receiver {
            return Prohibition::Receiver.into();
        }
        let names = |links: &Links<'s>| links.trailing.iter().map(|(name, _)| *name).collect::<Vec<_>>();
        if names(&was) != names(&is) {
            let appended = is.trailing.len() > was.trailing.len() && is.trailing.starts_with(&was.trailing);
            return if appended { Prohibition::Outside } else { Prohibition::Action }.into();
        }
        let differing = was.trailing.iter().zip(&is.trailing).filter(|(was, is)| was != is);
        let mut options = true;
        let mut any = false;
        for ((_, was), (_, is)) in differing {
            any = true;
            options &= only_options_differ(was, is);
        }
        match (any, options) {
            (true, true) => Prohibition::ActionOptions.into(),
            (true, false) => Prohibition::Action.into(),
            (false, _) => Prohibition::Outside.into(),
        }
    }
}

fn kind_name(node: Node<'_>) -> u16 {
    node.kind_id()
}

/// The method calls that overlap or touch `range`.
fn calls_near<'s>(source: &'s Source<'_>, range: &Range<usize>) -> Result<Vec<Node<'s>>, Violation> {
    let Some(queries) = source.grammar().queries() else { return Err(Prohibition::Size.into()) };
    let wanted = queries.locators.capture_index_for_name("call");
    let mut cursor = QueryCursor::new();
    let range = range.start.saturating_sub(1)..range.end + 1;
    if source.is_deeper_than(MAX_DEPTH, &range) {
        return Err(Prohibition::Size.into());
    }
    cursor.set_byte_range(range);
    let mut matches = cursor.matches(&queries.locators, source.root(), source.text().as_bytes());
    let mut found = Vec::new();
    while let Some(one) = matches.next() {
        found.extend(one.captures().iter().filter(|capture| Some(capture.index) == wanted).map(|capture| capture.node));
    }
    if cursor.did_exceed_match_limit() {
        return Err(Prohibition::Size.into());
    }
    Ok(found)
}

/// The smallest of many nodes, smallest first: what changed is never far out.
fn smallest(mut nodes: Vec<Node<'_>>) -> Vec<Node<'_>> {
    nodes.sort_by_key(|node| (node.end_byte() - node.start_byte(), node.start_byte()));
    nodes.truncate(MAX_CALLS);
    nodes
}

/// Which argument of a legacy call changed; only a selector may.
fn legacy_change(edit: &Edit<'_, '_>, was: &Legacy<'_>, is: &Legacy<'_>) -> Result<usize, Violation> {
    if was.receiver != is.receiver {
        return Err(Prohibition::Receiver.into());
    }
    if was.callee != is.callee || was.arguments.len() != is.arguments.len() {
        return Err(Prohibition::Action.into());
    }
    let pairs = was.arguments.iter().zip(&is.arguments).enumerate();
    let differing: Vec<_> = pairs.filter(|(_, (was, is))| was.1 != is.1).collect();
    match differing.as_slice() {
        [(index, (was_at, is_at))] if *index < was.selectors && edit.holds(&was_at.0, &is_at.0) => Ok(*index),
        [(_, (was_at, is_at))] if was_at.1.starts_with('{') && is_at.1.starts_with('{') => {
            Err(Prohibition::ActionOptions.into())
        }
        _ => Err(Prohibition::Action.into()),
    }
}

/// The comments inside a node.
fn comments<'s>(source: &'s Source<'_>, node: Node<'s>) -> Vec<&'s str> {
    let range = node.byte_range();
    let mut found = Vec::new();
    source.walk(&range, |node| {
        if kind(node) == Kind::Comment && node.start_byte() >= range.start && node.end_byte() <= range.end {
            found.push(source.of(node));
        }
        true
    });
    found.sort_unstable();
    found
}

/// The longest chain that `node` is the head of.
fn whole(source: &Source<'_>, path: &[Node<'_>]) -> Option<Chain> {
    let mut longest: Option<Node<'_>> = None;
    for pair in path.windows(2).rev() {
        let [parent, child] = pair else { break };
        match kind(*parent) {
            Kind::Member if parent.child_by_field_name("object") == Some(*child) => {}
            Kind::Call
                if parent.child_by_field_name("function") == Some(*child) && building(source, *parent).is_some() =>
            {
                longest = Some(*parent);
            }
            _ => break,
        }
    }
    let longest = longest.filter(|longest| longest.end_byte() - longest.start_byte() <= MAX_CHAIN)?;
    chain::read(source, longest)
}

/// The outermost chains among `calls`, in order.
fn outermost<'s>(source: &'s Source<'_>, calls: &[Node<'s>]) -> Vec<Node<'s>> {
    let mut chains: Vec<Node<'s>> = calls.iter().copied().filter(|node| building(source, *node).is_some()).collect();
    chains.sort_by_key(|node| (node.start_byte(), std::cmp::Reverse(node.end_byte())));
    let mut end = 0;
    chains.retain(|node| {
        let outer = node.start_byte() >= end;
        end = end.max(node.end_byte());
        outer
    });
    chains
}

/// The whole expression around a method call: everything called on it in turn. `None` where it holds neither a chain nor
/// a legacy call.
fn full_expression<'s>(source: &'s Source<'_>, node: Node<'s>) -> Option<Node<'s>> {
    let path = source.ancestry(node);
    let mut full = node;
    for pair in path.windows(2).rev() {
        let [parent, child] = pair else { break };
        let continues = match kind(*parent) {
            Kind::Member => parent.child_by_field_name("object") == Some(*child),
            Kind::Call => parent.child_by_field_name("function") == Some(*child),
            Kind::NonNull => true,
            _ => false,
        };
        if !continues {
            break;
        }
        full = *parent;
    }
    (!links(source, full).receiver.is_empty()).then_some(full)
}

/// An expression taken apart.
#[derive(Debug, Default)]
struct Links<'s> {
    receiver: String,
    legacy: bool,
    trailing: Vec<(&'s str, Vec<&'s str>)>,
}

fn links<'s>(source: &'s Source<'_>, full: Node<'s>) -> Links<'s> {
    let mut found = Links::default();
    let mut at = full;
    loop {
        if let Some((_, _, _)) = building(source, at) {
            found.receiver = chain::read(source, at).map(|chain| chain.receiver).unwrap_or_default();
            break;
        }
        if let Some(legacy) = legacy::read(source, at) {
            legacy.receiver.clone_into(&mut found.receiver);
            found.legacy = true;
            let arguments = legacy.arguments.iter().skip(legacy.selectors).map(|(_, text)| *text).collect();
            found.trailing.push((legacy.method, arguments));
            break;
        }
        at = match (method_call(at), kind(at)) {
            (Some((receiver, property, arguments)), _) => {
                let arguments = named(arguments).into_iter().map(|argument| source.of(argument)).collect();
                found.trailing.push((source.of(property), arguments));
                receiver
            }
            (None, Kind::Member) => {
                found.trailing.push((at.child_by_field_name("property").map_or("", |p| source.of(p)), Vec::new()));
                match at.child_by_field_name("object") {
                    Some(object) => object,
                    None => break,
                }
            }
            (None, Kind::NonNull | Kind::Call) => match at.child(0) {
                Some(inner) => inner,
                None => break,
            },
            _ => break,
        };
    }
    found.trailing.reverse();
    found
}

/// Whether two argument lists differ in an options object only.
fn only_options_differ(was: &[&str], is: &[&str]) -> bool {
    let object = |text: Option<&&str>| text.is_none_or(|text| text.starts_with('{'));
    (0..was.len().max(is.len())).all(|at| {
        let (was, is) = (was.get(at), is.get(at));
        was == is || object(was) && object(is)
    })
}
