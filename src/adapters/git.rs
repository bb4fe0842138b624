//! What the repository around a project knows: asks `git` about the application's files and the stale literals.
//!
//! Reads only; every answer is bounded in time and size, and whatever goes wrong (no git, no repository, one of somebody
//! else, too slow) is silence, never an error: the history is evidence where it is there. Nothing of the repository's or
//! the user's configuration is run: no pager, hook, filter, external diff, text conversion, file watcher or network.

mod ask;
pub mod branch;
pub mod checkout;
pub mod head;

use camino::{Utf8Path, Utf8PathBuf};

use self::ask::Git;
use super::process::Cancel;
use crate::domain::history::diff::{Change, parse};
use crate::domain::history::files::{Tests, is_source, pathspecs};
use crate::domain::history::{is_telling, successors};
use crate::domain::identity::{Literal, Successor};

/// So many commits of the application are looked at, whatever branch they are on.
const RECENT: usize = 20;

/// So many commits of the current branch are looked at.
const ON_BRANCH: usize = 100;

/// So many commits that speak of a literal are read.
const READ: usize = 30;

/// How often the history is asked again for what took a literal's place.
const ROUNDS: usize = 3;

/// Bytes of history that are read at most.
const DIFF_CAP: usize = 8 << 20;

/// What the current branch is compared with, the first that exists.
const DEFAULT_BRANCHES: [&str; 8] = [
    "refs/remotes/origin/HEAD",
    "refs/remotes/origin/main",
    "refs/remotes/origin/master",
    "refs/remotes/upstream/main",
    "refs/heads/main",
    "refs/heads/master",
    "refs/heads/trunk",
    "refs/heads/develop",
];

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub struct Question<'q> {
    /// The project's root, symlinks resolved.
    pub root: &'q Utf8Path,
    /// Folders of tests, absolute.
    pub test_folders: &'q [Utf8PathBuf],
    /// Files that belong to the tests, relative to the root.
    pub test_files: &'q [String],
    /// The stale literals.
    pub literals: &'q [Literal],
    /// The attribute that `getByTestId` looks at.
    pub test_id_attribute: &'q str,
}

/// What became of the literals. Empty where the repository does not say.
pub async fn history(question: Question<'_>, cancel: &Cancel) -> Vec<Successor> {
    let telling: Vec<Literal> = question.literals.iter().filter(|literal| is_telling(literal)).cloned().collect();
    if telling.is_empty() {
        return Vec::new();
    }
    ask(question, &telling, cancel).await.unwrap_or_default()
}

async fn ask(question: Question<'_>, literals: &[Literal], cancel: &Cancel) -> Option<Vec<Successor>> {
    let mut git = Git::new(question.root, cancel);
    let top = Utf8PathBuf::from(git.line(&["rev-parse", "--show-toplevel"]).await?);
    let tests = tests(&top, question);
    let paths = pathspecs(&tests);
    let commits = commits(&mut git, &paths).await;
    let mut wanted = literals.to_vec();
    let mut found = Vec::new();
    let mut known = Vec::new();
    for _ in 0..ROUNDS {
        let hits = git.speaking_of(&commits, &wanted, &paths).await?;
        let changes = changes(&mut git, &hits, &paths, &tests).await;
        found = successors(&changes, literals, question.test_id_attribute);
        // What took the place may have been replaced as well, in a commit that does not speak of the old literal.
        let new = found.iter().filter(|successor| !successor.new.is_empty());
        wanted.extend(new.map(|successor| Literal { kind: successor.kind.clone(), value: successor.new.clone() }));
        wanted.dedup();
        if hits == known {
            break;
        }
        known = hits;
    }
    let mut confirmed = Vec::new();
    for successor in found {
        // What took the place must still be there; what is said to have gone must not.
        let (text, expected) = if successor.new.is_empty() { (&successor.old, false) } else { (&successor.new, true) };
        if git.is_in_sources(text, &paths).await? == expected {
            confirmed.push(successor);
        }
    }
    Some(confirmed)
}

/// What the project says of its tests, as paths of the repository.
fn tests(top: &Utf8Path, question: Question<'_>) -> Tests {
    let inside = |path: &Utf8Path| {
        let inside = path.strip_prefix(top).ok()?;
        (!inside.as_str().is_empty()).then(|| inside.as_str().to_owned())
    };
    // A folder of tests that holds the whole project, or its sources, says nothing.
    let sources = |path: &Utf8Path| matches!(path.file_name(), Some("src" | "app" | "lib" | "packages" | "apps"));
    let folders = question.test_folders.iter().filter(|folder| !question.root.starts_with(folder) && !sources(folder));
    Tests {
        folders: folders.filter_map(|folder| inside(folder)).collect(),
        files: question.test_files.iter().filter_map(|file| inside(&question.root.join(file))).collect(),
    }
}

/// The commits that are looked at: the latest of the application, and those of the current branch.
async fn commits(git: &mut Git<'_>, paths: &[String]) -> Vec<String> {
    let mut commits = git.list("HEAD", RECENT, paths).await.unwrap_or_default();
    let mut base = None;
    for branch in DEFAULT_BRANCHES {
        if git.line(&["rev-parse", "--verify", "--quiet", branch]).await.is_some() {
            base = git.line(&["merge-base", "HEAD", branch]).await;
            break;
        }
    }
    if let Some(base) = base {
        let branch = git.list(&format!("{base}..HEAD"), ON_BRANCH, paths).await.unwrap_or_default();
        let new: Vec<String> = branch.into_iter().filter(|commit| !commits.contains(commit)).collect();
        commits.extend(new);
    }
    commits
}

/// What the commits and the working tree changed in the application, the oldest first.
async fn changes(git: &mut Git<'_>, hits: &[String], paths: &[String], tests: &Tests) -> Vec<Change> {
    let mut changes = Vec::new();
    if !hits.is_empty()
        && let Some((text, cut)) = git.patches(hits, paths).await
    {
        changes.extend(parse(&text, cut));
    }
    // A cut difference of the working tree has lost its beginning, so nothing of it can be read.
    if let Some((text, false)) = git.uncommitted(paths).await {
        changes.extend(parse(&text, false));
    }
    for change in &mut changes {
        change.files.retain(|file| is_source(&file.path, tests));
    }
    changes
}

#[cfg(test)]
mod checks;
