//! Since when a locator is stale: the commit of the application that took its literal away, where the repository says so.
//!
//! One bounded question to git for the whole suite; silence is an answer.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};

use super::Triage;
use super::look::Looked;
use crate::adapters::git::{Question, history};
use crate::adapters::playwright::project::Project;
use crate::adapters::process::Cancel;
use crate::domain::history::test_folders;
use crate::domain::identity::{Action, Literal, Successor};
use crate::domain::locator::Locator;
use crate::domain::locator::parse::DEFAULT_TEST_ID_ATTRIBUTE;
use crate::domain::lost::lost_of;
use crate::domain::triage::{Cause, Group};
use crate::heal::sources::Sources;

/// Of how many groups, the first ones, git is asked.
const GROUPS: usize = 40;

/// What the repository says of the groups, by their id; what it does not know is not in it.
pub async fn blame(
    triage: &Triage,
    looked: &BTreeMap<String, Looked>,
    project: &Project,
    cancel: &Cancel,
) -> BTreeMap<String, Successor> {
    let attribute = looked.values().find_map(|looked| looked.test_id_attribute.as_deref());
    let attribute = attribute.unwrap_or(DEFAULT_TEST_ID_ATTRIBUTE);
    let groups: Vec<(&Group, Vec<Literal>)> = triage
        .groups
        .iter()
        .filter_map(|group| Some((group, literals(group, looked.get(&group.id), attribute)?)))
        .take(GROUPS)
        .collect();
    let all: Vec<Literal> = groups.iter().flat_map(|(_, literals)| literals.clone()).collect();
    if all.is_empty() {
        return BTreeMap::new();
    }
    let root = &project.root;
    let question = Question {
        root,
        test_folders: &folders(root, &project.config),
        test_files: &files(triage),
        literals: &all,
        test_id_attribute: attribute,
    };
    let found = history(question, cancel).await;
    let of = |literals: &[Literal]| {
        let mut about = found.iter().filter(|one| literals.iter().any(|literal| literal.value == one.old));
        // Of several literals of one link the latest change is the one that broke it.
        let first = about.next()?;
        Some(about.fold(first, |latest, one| if one.date > latest.date { one } else { latest }).clone())
    };
    groups.iter().filter_map(|(group, literals)| Some((group.id.clone(), of(literals)?))).collect()
}

/// The literals of the link that broke; `None` for a group that no stale locator explains.
fn literals(group: &Group, looked: Option<&Looked>, attribute: &str) -> Option<Vec<Literal>> {
    let Cause::Locator { locator, .. } = &group.cause else { return None };
    let links = looked.map(|looked| looked.links.as_slice()).unwrap_or_default();
    let broken = links.iter().find(|(_, count)| *count == Some(0)).map_or(locator, |(link, _)| link);
    let parsed = Locator::from_printed(broken, attribute).ok()?;
    let literals = lost_of(&parsed.steps, Action::Look, attribute).literals;
    (!literals.is_empty()).then_some(literals)
}

/// The folders that the project's configuration names as those of its tests.
fn folders(root: &Utf8Path, config: &Utf8Path) -> Vec<Utf8PathBuf> {
    let text = Sources { root }.read(config.file_name().unwrap_or_default()).unwrap_or_default();
    test_folders(&text).into_iter().filter_map(|folder| root.join(folder).canonicalize_utf8().ok()).collect()
}

/// The files that are the tests' own: those that failed, and those that their stacks name.
fn files(triage: &Triage) -> Vec<String> {
    let tests = triage.groups.iter().flat_map(|group| group.files.iter().cloned());
    let stacks = triage.kept.iter().flat_map(|kept| kept.frames.iter().map(|frame| frame.file.clone()));
    let mut files: Vec<String> = tests.chain(stacks).collect();
    files.sort_unstable();
    files.dedup();
    files
}
