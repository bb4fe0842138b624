//! The text of `git log -p` as values: commits, files, hunks, lines.
//!
//! Lengths come from the hunk headers, so that no line of a file is taken for a header. Whatever is too large to have been
//! written by hand is left out: minified lines, hunks that rewrite a file.

/// What stands before the line that introduces a commit in the format that [`LOG_FORMAT`] asks for.
const MARK: char = '\u{1}';

/// What stands between the fields of that line.
const BETWEEN: char = '\u{2}';

/// The format by which git introduces each commit, for `--format`: short hash, author date, subject.
pub const LOG_FORMAT: &str = "format:%x01%h%x02%ad%x02%s";

/// A longer line was written by a program.
const LONGEST_LINE: usize = 600;

/// A hunk with more changed lines rewrites a file: what belongs to what cannot be told.
const MOST_CHANGED: usize = 400;

/// A file with more hunks is left out.
const MOST_HUNKS: usize = 200;

/// One commit, or the working tree, with what it changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Change {
    /// Which commit.
    pub commit: Commit,
    /// The files, in the order of the diff.
    pub files: Vec<FileChange>,
}

/// A commit by what a person is told of it; all empty for the working tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Commit {
    /// The short hash.
    pub hash: String,
    /// The author date, `2026-11-30`.
    pub date: String,
    /// The first line of the message.
    pub subject: String,
}

/// What a commit did to a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileChange {
    /// The path after the change, or before it where the file was deleted; relative to the repository.
    pub path: String,
    /// Whether the whole file came, went or stayed.
    pub fate: Fate,
    /// The hunks that can be read.
    pub hunks: Vec<Hunk>,
    /// Whether hunks were left out.
    pub cut: bool,
}

/// What became of a file as a whole.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Fate {
    /// It was there before and after, perhaps under another name.
    #[default]
    Kept,
    /// It is new.
    Added,
    /// It is gone.
    Deleted,
}

/// A run of changed lines with what stands around them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hunk {
    /// The lines in the order of the diff.
    pub lines: Vec<Line>,
}

/// A line of a hunk, without its sign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// On which side it stands.
    pub side: Side,
    /// The text.
    pub text: String,
}

/// On which side of a diff a line stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// On both.
    Both,
    /// Removed.
    Old,
    /// Added.
    New,
}

/// Reads the output of `git log -p` in [`LOG_FORMAT`], or of `git diff` (one change without a commit). What stands before
/// the first commit of a log that was cut at its beginning is left out where `cut` says so.
pub fn parse(text: &str, cut: bool) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    let mut lines = text.lines();
    let mut skipping = cut;
    while let Some(line) = lines.next() {
        if let Some(commit) = commit(line) {
            changes.push(Change { commit, files: Vec::new() });
            skipping = false;
        } else if skipping {
        } else if line.starts_with("diff --git ") {
            if changes.is_empty() {
                changes.push(Change::default());
            }
            if let Some(change) = changes.last_mut() {
                change.files.push(FileChange::default());
            }
        } else if let Some(file) = changes.last_mut().and_then(|change| change.files.last_mut()) {
            header(file, line);
            if let Some(lengths) = lengths(line) {
                let hunk = hunk(&mut lines, lengths);
                match hunk {
                    Some(hunk) if file.hunks.len() < MOST_HUNKS => file.hunks.push(hunk),
                    _ => file.cut = true,
                }
            }
        }
    }
    for change in &mut changes {
        change.files.retain(|file| !file.path.is_empty());
    }
    changes
}

fn commit(line: &str) -> Option<Commit> {
    let mut fields = line.strip_prefix(MARK)?.splitn(3, BETWEEN);
    let mut next = || fields.next().unwrap_or_default().to_owned();
    Some(Commit { hash: next(), date: next(), subject: next() })
}

/// The lines between `diff --git` and the first hunk.
fn header(file: &mut FileChange, line: &str) {
    let path = |name: &str, prefix: &str| unquoted(name).strip_prefix(prefix).map(str::to_owned);
    if line.starts_with("new file mode ") {
        file.fate = Fate::Added;
    } else if line.starts_with("deleted file mode ") {
        file.fate = Fate::Deleted;
    } else if let Some(path) = line.strip_prefix("--- ").and_then(|name| path(name, "a/")) {
        file.path = path;
    } else if let Some(path) = line.strip_prefix("+++ ").and_then(|name| path(name, "b/")) {
        file.path = path;
    }
}

/// A path as git writes it: in quotes where it holds unusual characters, with a tab behind where it holds a blank.
fn unquoted(name: &str) -> String {
    let name = name.trim_end_matches('\t');
    name.strip_prefix('"').and_then(|name| name.strip_suffix('"')).unwrap_or(name).to_owned()
}

/// How many lines of either side a hunk has: `@@ -3,7 +3,8 @@`.
fn lengths(line: &str) -> Option<(usize, usize)> {
    let (ranges, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let length = |range: &str| range.split_once(',').map_or(Some(1), |(_, length)| length.parse().ok());
    Some((length(old)?, length(new)?))
}

/// Reads a hunk to its end; `None` where it is too large to be read or was written by a program.
fn hunk<'t>(lines: &mut impl Iterator<Item = &'t str>, (mut old, mut new): (usize, usize)) -> Option<Hunk> {
    let mut hunk = Hunk::default();
    let mut readable = true;
    let mut changed = 0;
    while (old > 0 || new > 0)
        && let Some(line) = lines.next()
    {
        let mut characters = line.chars();
        let side = match characters.next() {
            Some('-') => Side::Old,
            Some('+') => Side::New,
            Some('\\') => continue,
            _ => Side::Both,
        };
        old = old.saturating_sub(usize::from(side != Side::New));
        new = new.saturating_sub(usize::from(side != Side::Old));
        changed += usize::from(side != Side::Both);
        readable &= line.len() <= LONGEST_LINE && changed <= MOST_CHANGED;
        if readable {
            hunk.lines.push(Line { side, text: characters.as_str().to_owned() });
        }
    }
    readable.then_some(hunk)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "\u{1}abc1234\u{2}2026-11-02\u{2}Rename\u{2} the button\n\
        \n\
        diff --git a/src/App.tsx b/src/App.tsx\n\
        index 111..222 100644\n\
        --- a/src/App.tsx\n\
        +++ b/src/App.tsx\n\
        @@ -1,2 +1,2 @@ function App() {\n\
        --- a counter\n\
        +++ b/a counter\n\
        \x20 rest\n\
        \\ No newline at end of file\n\
        diff --git a/old.html b/old.html\n\
        deleted file mode 100644\n\
        --- a/old.html\n\
        +++ /dev/null\n\
        @@ -1 +0,0 @@\n\
        -<p>x</p>\n\
        \u{1}def5678\u{2}2026-11-03\u{2}Nothing\n";

    #[test]
    fn commits_files_and_hunks_are_read_by_their_lengths() {
        let changes = parse(LOG, false);
        assert_eq!(changes.len(), 2);
        let first = &changes[0];
        assert_eq!(
            first.commit,
            Commit { hash: "abc1234".into(), date: "2026-11-02".into(), subject: "Rename\u{2} the button".into() }
        );
        assert_eq!(first.files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), ["src/App.tsx", "old.html"]);
        let texts: Vec<&str> = first.files[0].hunks[0].lines.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(texts, ["-- a counter", "++ b/a counter", " rest"]);
        assert_eq!((first.files[0].fate, first.files[1].fate), (Fate::Kept, Fate::Deleted));
    }

    #[test]
    fn a_log_that_was_cut_begins_with_its_first_whole_commit() {
        let cut = LOG.get(40..).unwrap();
        assert_eq!(parse(cut, true).len(), 1);
    }

    #[test]
    fn what_a_program_wrote_is_left_out_and_the_rest_is_read() {
        let long = "x".repeat(LONGEST_LINE + 1);
        let text = format!(
            "diff --git a/a.js b/a.js\n--- a/a.js\n+++ b/a.js\n@@ -1 +1 @@\n-{long}\n+y\n@@ -9 +9 @@\n-a\n+b\n"
        );
        let changes = parse(&text, false);
        assert_eq!((changes[0].files[0].hunks.len(), changes[0].files[0].cut), (1, true));
        let many =
            format!("diff --git a/a.js b/a.js\n--- a/a.js\n+++ b/a.js\n@@ -0,0 +1,900 @@\n{}", "+let x;\n".repeat(900));
        assert!(parse(&many, false)[0].files[0].hunks.is_empty());
    }
}
