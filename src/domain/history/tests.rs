//! Hunks as people write them, in each framework, and the traps.

use std::fmt::Write as _;

mod dialects;
mod traps;

use super::diff::parse;
use super::successors;
use crate::domain::edit::unified_diff;
use crate::domain::identity::{Literal, LiteralKind};

/// A file before and after; an empty side is a file that was not there.
type File<'t> = (&'t str, &'t str, &'t str);

/// The text of a change that git would show.
fn diff(files: &[File<'_>]) -> String {
    let mut out = String::new();
    for (path, before, after) in files {
        let body = unified_diff(path, before, after);
        let fate = match (*before, *after) {
            ("", _) => "new file mode 100644\n",
            (_, "") => "deleted file mode 100644\n",
            _ => "",
        };
        _ = write!(out, "diff --git a/{path} b/{path}\n{fate}{body}");
    }
    out
}

/// A log of commits, the oldest first; the hashes count from `c1`.
fn log(commits: &[&[File<'_>]]) -> String {
    let commit =
        |(at, files): (usize, &&[File<'_>])| format!("\u{1}c{}\u{2}2026-11-30\u{2}change\n\n{}", at + 1, diff(files));
    commits.iter().enumerate().map(commit).collect()
}

fn literal(kind: &str, value: &str) -> Literal {
    let kind = match kind {
        "test id" => LiteralKind::TestId,
        "id" => LiteralKind::Id,
        "class" => LiteralKind::Class,
        "name" => LiteralKind::Name,
        "text" => LiteralKind::Text,
        "label" => LiteralKind::Label,
        "placeholder" => LiteralKind::Placeholder,
        "title" => LiteralKind::Title,
        other => LiteralKind::Attribute(other.trim_start_matches('@').to_owned()),
    };
    Literal { kind, value: value.to_owned() }
}

/// What became of a literal (`id=save`) in a log: `test id=store @ c1`, `gone @ c1`, or nothing.
fn became(log: &str, of: &str) -> String {
    let (kind, value) = of.split_once('=').unwrap();
    let found = successors(&parse(log, false), &[literal(kind, value)], "data-testid");
    let shown = found.iter().map(|found| match found.new.as_str() {
        "" => format!("gone @ {}", found.commit),
        new => {
            let kind = match &found.kind {
                LiteralKind::Name => "name".to_owned(),
                LiteralKind::Attribute(name) => format!("@{name}"),
                kind => kind.words().to_owned(),
            };
            format!("{kind}={new} @ {}", found.commit)
        }
    });
    shown.collect::<Vec<_>>().join(", ")
}

/// Checks what became of a literal in one commit of one file.
fn check(path: &str, before: &str, after: &str, of: &str, expected: &str) {
    let expected = if expected.is_empty() { String::new() } else { format!("{expected} @ c1") };
    assert_eq!(became(&log(&[&[(path, before, after)]]), of), expected, "{of} in\n{before}\n---\n{after}");
}
