//! Gate two: is this edit one locator swap and nothing else?
//!
//! Reads a path, the text before and the text after, and nothing else. Accepts with flags, or rejects with the one
//! [`Prohibition`] that is broken first. What it cannot prove it rejects. It does not judge whether the new locator is the
//! right one. Nothing else constructs a [`GatedEdit`].

mod arguments;
mod assertions;
mod attributes;
mod chain;
mod characters;
mod constants;
mod css;
mod facts;
mod flow;
mod grammar;
mod legacy;
mod lines;
mod literal;
mod method;
mod names;
mod path;
mod place;
mod receiver;
mod regex;
mod selector;
mod uses;
mod violation;
mod weaken;
mod xpath;

use std::collections::BTreeSet;
use std::ops::Range;

use tree_sitter::Node;

use self::assertions::Assertions;
use self::flow::{Flow, Follower, Wait};
use self::lines::Change;
use self::place::{Edit, Pair};
pub use self::violation::{Flag, Prohibition, Reason, Violation};
pub(crate) use self::weaken::SINGLETONS;
use crate::domain::edit::unified_diff;
use crate::source::language::{Grammar, Kind, MAX_BYTES, kind};
use crate::source::syntax::Source;

/// An edit that is one locator swap and nothing else. Only [`check`] makes one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GatedEdit {
    path: String,
    before: String,
    after: String,
    line: usize,
    old_line: String,
    new_line: String,
    old_range: Range<usize>,
    new_range: Range<usize>,
    flags: BTreeSet<Flag>,
}

impl GatedEdit {
    /// The file, relative to the project root, with `/` between its segments.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The whole text before.
    pub fn before(&self) -> &str {
        &self.before
    }

    /// The whole text after.
    pub fn after(&self) -> &str {
        &self.after
    }

    /// The number of the line that differs, from one.
    pub fn line(&self) -> usize {
        self.line
    }

    /// That line before, without its ending.
    pub fn old_line(&self) -> &str {
        &self.old_line
    }

    /// That line after, without its ending.
    pub fn new_line(&self) -> &str {
        &self.new_line
    }

    /// Where the chain (or the selector) stands in the text before, in bytes.
    pub fn old_range(&self) -> Range<usize> {
        self.old_range.clone()
    }

    /// Where it stands in the text after, in bytes. Everything outside of the two ranges is the same.
    pub fn new_range(&self) -> Range<usize> {
        self.new_range.clone()
    }

    /// What needs attention.
    pub fn flags(&self) -> &BTreeSet<Flag> {
        &self.flags
    }

    /// The edit as a unified diff.
    pub fn unified_diff(&self) -> String {
        unified_diff(&self.path, &self.before, &self.after)
    }
}

/// Judges an edit. `path` is relative to the project root; symlinks are not looked at.
pub fn check(path: &str, before: &[u8], after: &[u8]) -> Result<GatedEdit, Violation> {
    let path = path::allowed(path)?;
    let (before, after) = (lines::decoded(before)?, lines::decoded(after)?);
    if before.len() > MAX_BYTES || after.len() > MAX_BYTES {
        return Err(Prohibition::Size.into());
    }
    let change = lines::changed(before, after)?;
    characters::check(change.old, change.new)?;
    let before = Source::parse(Grammar::of_path(&path), before).map_err(|_| Prohibition::Size)?;
    let after = reparsed(&before, after, &change)?;
    let edit = Edit { before: &before, after: &after, change };
    grammar::check(&edit, &path)?;
    let assertions = Assertions::of(&before);
    let (ranges, flags) = match edit.pair() {
        Ok(Some(pair)) => {
            let flags = judged(&edit, &pair, &assertions)?;
            ((pair.old.range.clone(), pair.new.range), flags)
        }
        Ok(None) => {
            untouched_assertions(&edit, &assertions)?;
            let constant = constants::find(&edit).ok_or_else(|| edit.misplaced())?;
            let flags = constants::check(&edit, &constant, &assertions, &path)?;
            let old = constant.range();
            let new = old.start..after.text().len() - (before.text().len() - old.end);
            ((old, new), flags)
        }
        Err(violation) => {
            untouched_assertions(&edit, &assertions)?;
            return Err(violation);
        }
    };
    Ok(GatedEdit {
        path,
        before: before.text().to_owned(),
        after: after.text().to_owned(),
        line: change.line,
        old_line: change.old.to_owned(),
        new_line: change.new.to_owned(),
        old_range: ranges.0,
        new_range: ranges.1,
        flags,
    })
}

fn reparsed<'t>(before: &Source<'_>, after: &'t str, change: &Change<'_>) -> Result<Source<'t>, Violation> {
    let shorter = before.text().len().min(after.len());
    let suffix = change.suffix.min(shorter - change.prefix.min(shorter));
    before.reparse(after, change.prefix, suffix).map_err(|_| Prohibition::Size.into())
}

/// Rule D2 where no single chain holds the change.
fn untouched_assertions<'s>(edit: &Edit<'s, '_>, assertions: &Assertions<'s, '_>) -> Result<(), Violation> {
    let after = Assertions::of(edit.after);
    let (old, new) = (edit.old_span(), edit.new_span());
    let inside = assertions.overlaps(&old)
        || after.overlaps(&new)
        || assertions.around(&edit.before.path_to(old))?.is_some()
        || after.around(&edit.after.path_to(new))?.is_some();
    if inside { Err(Prohibition::InsideAssertion.into()) } else { Ok(()) }
}

/// Everything that is asked of a chain that changed.
fn judged<'s>(
    edit: &Edit<'s, '_>,
    pair: &Pair<'s>,
    assertions: &Assertions<'s, '_>,
) -> Result<BTreeSet<Flag>, Violation> {
    if assertions.around(&pair.path)?.is_some() {
        return Err(Prohibition::InsideAssertion.into());
    }
    receiver::playwright(edit.before, pair)?;
    if pair.old.receiver != pair.new.receiver {
        return Err(Prohibition::Receiver.into());
    }
    let nothing = |_: &str| None;
    let (old, new) = (facts::of(&pair.whole.0, &nothing), facts::of(&pair.whole.1, &nothing));
    if added_comment(pair) {
        return Err(Violation::new(Prohibition::Expression, "a comment"));
    }
    weaken::same(&old, &new)?;
    arguments::check(&pair.old, &pair.new, &|name| constants::is_literal(edit.before, name))?;
    let mut flags = weaken::check(&old, &new)?;
    let mut follower = Follower { source: edit.before, assertions, flow: Flow::default() };
    let wait = match pair.path.last() {
        Some(call) if pair.legacy => follower.legacy_wait(*call),
        _ => follower.wait(&pair.path),
    };
    match wait {
        Some(Wait::Absence) => return Err(Prohibition::Absence.into()),
        Some(Wait::Presence) => drop(flags.insert(Flag::PresenceWait)),
        None => {}
    }
    follower.follow(pair.path.clone())?;
    if follower.flow.absences > 0 && follower.flow.others == 0 {
        return Err(Prohibition::Absence.into());
    }
    flags.extend(follower.flow.flags);
    if pair.legacy {
        flags.insert(Flag::Nonstrict);
    }
    if is_helper_argument(edit.before, &pair.path) {
        flags.insert(Flag::HelperArg);
    }
    Ok(flags)
}

fn added_comment(pair: &Pair<'_>) -> bool {
    let mut left = pair.comments.0.clone();
    pair.comments.1.iter().any(|comment| match left.iter().position(|known| known == comment) {
        Some(at) => {
            left.swap_remove(at);
            false
        }
        None => true,
    })
}

/// Whether the chain is passed to a function that is not Playwright's.
fn is_helper_argument(source: &Source<'_>, path: &[Node<'_>]) -> bool {
    let [.., call, arguments, _] = path else { return false };
    let callee = call.child_by_field_name(if kind(*call) == Kind::New { "constructor" } else { "function" });
    let name = callee.map_or("", |callee| source.of(callee)).rsplit('.').next().unwrap_or_default();
    kind(*arguments) == Kind::Arguments
        && !matches!(name, "dragTo" | "addLocatorHandler" | "removeLocatorHandler" | "use")
        && method::Method::named(name).is_none()
}
