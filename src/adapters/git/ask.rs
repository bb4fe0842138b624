//! One question to git at a time: composed here, so that nothing but git's own reading runs, and bounded in all.

use std::time::{Duration, Instant};

use camino::Utf8Path;

use super::{DIFF_CAP, READ};
use crate::adapters::process::{self, Cancel, Command, Exit};
use crate::domain::history::diff::LOG_FORMAT;
use crate::domain::identity::Literal;

/// All questions together take at most so long.
const BUDGET: Duration = Duration::from_secs(10);

/// Bytes of a short answer.
const SHORT: usize = 64 * 1024;

/// Lines around a change that are shown: an element's tag is among them.
const AROUND: &str = "-U12";

/// Settings that could start a program, reach the network or change what is printed.
const SETTINGS: [&str; 8] = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.attributesFile=/dev/null",
    "core.quotePath=false",
    "log.showSignature=false",
    "protocol.allow=never",
    "safe.bareRepository=explicit",
];

/// The empty tree: attributes are read from it, so that no file of the repository names a filter or a driver.
const NO_ATTRIBUTES: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/// Variables that would lead git elsewhere or start something.
const UNSET: [&str; 20] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_EXTERNAL_DIFF",
    "GIT_DIFF_OPTS",
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_TRACE",
    "GIT_TRACE2",
    "GIT_TRACE2_EVENT",
];

/// How a difference is shown: as itself.
const PLAIN: [&str; 10] = [
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color-moved",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--ignore-cr-at-eol",
    "--ignore-submodules=all",
    "--submodule=short",
    "--find-renames",
];

/// Git in one folder.
pub(super) struct Git<'g> {
    root: &'g Utf8Path,
    cancel: &'g Cancel,
    until: Instant,
}

impl<'g> Git<'g> {
    pub(super) fn new(root: &'g Utf8Path, cancel: &'g Cancel) -> Self {
        Self { root, cancel, until: Instant::now() + BUDGET }
    }

    /// What git prints, whether its beginning was cut off, and how it ended; `None` when it did not come to its end.
    async fn ask(&mut self, arguments: Vec<String>, cap: usize) -> Option<(String, bool, Exit)> {
        let left = self.until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())?;
        let settings = SETTINGS.iter().flat_map(|setting| ["-c".to_owned(), (*setting).to_owned()]);
        let all = ["--no-pager".to_owned()].into_iter().chain(settings).chain(arguments).collect();
        let command = Command::new("git", all, self.root, left)
            .without_env(UNSET)
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_PAGER", "cat")
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_ALLOW_PROTOCOL", "none")
            .env("GIT_ATTR_SOURCE", NO_ATTRIBUTES)
            .env("LC_ALL", "C")
            .grace(Duration::from_millis(200))
            .output_cap(cap);
        let finished = process::run(&command, self.cancel).await.ok()?;
        let ended = matches!(finished.exit, Exit::Success | Exit::Code(_));
        let bytes = finished.stdout.bytes();
        let cut = finished.stdout.total() > bytes.len() as u64;
        ended.then(|| (String::from_utf8_lossy(&bytes).into_owned(), cut, finished.exit))
    }

    async fn text(&mut self, arguments: Vec<String>, cap: usize) -> Option<(String, bool)> {
        let (text, cut, exit) = self.ask(arguments, cap).await?;
        (exit == Exit::Success).then_some((text, cut))
    }

    /// The one line of a short answer.
    pub(super) async fn line(&mut self, arguments: &[&str]) -> Option<String> {
        let (text, _) = self.text(owned(arguments), SHORT).await?;
        let line = text.trim_end_matches(['\r', '\n']);
        (!line.is_empty() && !line.contains('\n')).then(|| line.to_owned())
    }

    /// The latest commits of a range that touch the paths, the newest first. Merges say nothing of their own, and a commit
    /// without a parent is the whole project (or where a shallow clone begins).
    pub(super) async fn list(&mut self, range: &str, most: usize, paths: &[String]) -> Option<Vec<String>> {
        let mut arguments = owned(&["log", "--format=%H", "--no-merges", "--min-parents=1"]);
        arguments.extend([format!("--max-count={most}"), range.to_owned(), "--".to_owned()]);
        arguments.extend_from_slice(paths);
        Some(hashes(&self.text(arguments, SHORT).await?.0))
    }

    /// Those of the commits whose changes speak of a literal.
    pub(super) async fn speaking_of(
        &mut self,
        commits: &[String],
        literals: &[Literal],
        paths: &[String],
    ) -> Option<Vec<String>> {
        if commits.is_empty() {
            return Some(Vec::new());
        }
        let pattern: Vec<String> = literals.iter().map(|literal| escaped(telling_part(literal))).collect();
        let mut arguments = owned(&["log", "--no-walk", "--format=%H", "--no-textconv", "--no-ext-diff"]);
        arguments.extend(["--regexp-ignore-case".to_owned(), format!("-G{}", pattern.join("|"))]);
        arguments.extend_from_slice(commits);
        arguments.push("--".to_owned());
        arguments.extend_from_slice(paths);
        let mut hits = hashes(&self.text(arguments, SHORT).await?.0);
        hits.truncate(READ);
        Some(hits)
    }

    /// The changes of the commits, the oldest first, and whether the beginning is missing.
    pub(super) async fn patches(&mut self, commits: &[String], paths: &[String]) -> Option<(String, bool)> {
        let mut arguments = owned(&["log", "--no-walk", "--reverse", "--patch", "--date=short", "--no-notes", AROUND]);
        arguments.push(format!("--format={LOG_FORMAT}"));
        arguments.extend(owned(&PLAIN));
        arguments.extend_from_slice(commits);
        arguments.push("--".to_owned());
        arguments.extend_from_slice(paths);
        self.text(arguments, DIFF_CAP).await
    }

    /// What is not committed, staged or not.
    pub(super) async fn uncommitted(&mut self, paths: &[String]) -> Option<(String, bool)> {
        let mut arguments = owned(&["diff", "--patch", AROUND]);
        arguments.extend(owned(&PLAIN));
        arguments.extend(owned(&["HEAD", "--"]));
        arguments.extend_from_slice(paths);
        self.text(arguments, DIFF_CAP).await
    }

    /// Whether a text stands in the sources as they are now; `None` where that was not found out.
    pub(super) async fn is_in_sources(&mut self, text: &str, paths: &[String]) -> Option<bool> {
        let mut arguments = owned(&["grep", "--quiet", "--fixed-strings", "-I", "--untracked", "--no-color"]);
        arguments.extend(["-e".to_owned(), text.to_owned(), "--".to_owned()]);
        arguments.extend_from_slice(paths);
        match self.ask(arguments, SHORT).await?.2 {
            Exit::Success => Some(true),
            Exit::Code(1) => Some(false),
            _ => None,
        }
    }
}

fn owned(arguments: &[&str]) -> Vec<String> {
    arguments.iter().map(|argument| (*argument).to_owned()).collect()
}

/// The commit hashes of a listing.
fn hashes(text: &str) -> Vec<String> {
    let is_hash = |line: &&str| line.len() >= 40 && line.chars().all(|c| c.is_ascii_hexdigit());
    text.lines().filter(is_hash).map(str::to_owned).collect()
}

/// What of a literal a line of the source holds for sure: of a text that may be broken over lines its longest word.
fn telling_part(literal: &Literal) -> &str {
    if !literal.kind.is_text() {
        return &literal.value;
    }
    let words = literal.value.split(|c: char| !c.is_alphanumeric());
    words.max_by_key(|word| word.chars().count()).filter(|word| !word.is_empty()).unwrap_or(&literal.value)
}

/// A text as an extended regular expression that matches it.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '^' => out.push_str("\\^"),
            c if c.is_ascii_punctuation() => out.extend(['[', c, ']']),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::identity::LiteralKind;

    #[test]
    fn a_literal_is_no_expression_and_a_text_is_found_by_its_longest_word() {
        assert_eq!(escaped("a.b|c[0]^"), "a[.]b[|]c[[]0[]]\\^");
        let literal = |kind, value: &str| Literal { kind, value: value.to_owned() };
        assert_eq!(telling_part(&literal(LiteralKind::Name, "Save all changes")), "changes");
        assert_eq!(telling_part(&literal(LiteralKind::Id, "save-all")), "save-all");
    }
}
