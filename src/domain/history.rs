//! What the repository's history says became of a literal: what stands in its place, or that nothing does.
//!
//! In: the text of `git log -p` over the application's files, the newest last, and the stale literals. Out: at most one
//! [`Successor`] for each literal, with the commit that it comes from. Strong when there, silent when in doubt: several
//! answers, a commit that was taken back, a literal that only moved and a hunk too large to be read are no answer.
//! Reads no repository and knows nothing of the page.

mod alike;
mod code;
pub mod diff;
pub mod files;
mod follow;
mod held;
mod markup;
mod pair;
mod scan;
mod units;

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use regex::Regex;

use self::diff::Change;
use self::follow::follow;
use super::identity::{Literal, Successor};

/// The shortest literal that is looked for: shorter ones stand everywhere.
const SHORTEST: usize = 3;

/// The longest literal that is looked for; a text of this length is prose.
const LONGEST: usize = 120;

/// Where a configuration of Playwright says where its tests are.
static TEST_DIR: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"\btestDir["']?\s*:\s*(?:[\w.]+\([^)"'`]*)?["'`]([^"'`$]{1,200})["'`]"#).ok());

/// Where it says where its results go.
static OUTPUT_DIR: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"\boutputDir["']?\s*:\s*(?:[\w.]+\([^)"'`]*)?["'`]([^"'`$]{1,200})["'`]"#).ok());

/// The folders that the text of a configuration names as those of its tests, as they stand there. It is not evaluated:
/// what it computes is not known.
pub fn test_folders(config: &str) -> Vec<String> {
    folders(TEST_DIR.as_ref(), config)
}

/// The folders that the text of a configuration names as those of its results.
pub fn output_folders(config: &str) -> Vec<String> {
    folders(OUTPUT_DIR.as_ref(), config)
}

fn folders(regex: Option<&Regex>, config: &str) -> Vec<String> {
    let Some(regex) = regex else { return Vec::new() };
    let mut folders: Vec<String> =
        regex.captures_iter(config).filter_map(|found| Some(found.get(1)?.as_str().to_owned())).collect();
    folders.sort_unstable();
    folders.dedup();
    folders
}

/// Whether a literal is worth a look into the history.
pub fn is_telling(literal: &Literal) -> bool {
    let length = literal.value.chars().count();
    (SHORTEST..=LONGEST).contains(&length)
        && literal.value.chars().any(char::is_alphabetic)
        && !literal.value.contains(['\n', '\r', '\0'])
}

/// What became of each literal in `changes`, the oldest first. A successor whose `new` is empty says that the literal went
/// and nothing took its place.
pub fn successors(changes: &[Change], literals: &[Literal], test_id_attribute: &str) -> Vec<Successor> {
    let read: Vec<units::Read> = changes.iter().map(units::Read::of).collect();
    let mut found: Vec<Successor> = Vec::new();
    for literal in literals.iter().filter(|literal| is_telling(literal)) {
        if let Some(successor) = follow(&read, literal, test_id_attribute)
            && !found.contains(&successor)
        {
            found.push(successor);
        }
    }
    found
}
