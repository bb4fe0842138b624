//! What a caller may name: files below the root, written plainly, and tests as `file:line`.
//!
//! A name is judged as text first, so that no form that any system reads as a way out gets as far as the disk, and then as
//! a place on the disk, symlinks resolved. It opens nothing.

use std::sync::LazyLock;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use regex::Regex;

use super::answer::{Code, Refused};
use crate::adapters::playwright::command::{Files, Place};

/// A longer name is refused.
const LONGEST: usize = 1_024;

/// `%2e`, `%2F`, `%5c`, `%00` …: whoever decodes it once more leaves the root.
static ENCODED: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new("%[0-9a-fA-F]{2}").ok());
/// `https:`, `file:`, `C:`; a scheme or a drive.
static SCHEME: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new("^[a-zA-Z][a-zA-Z0-9+.-]*:").ok());
/// The line, and perhaps the column, behind a test's file.
static LINE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new("^(.+?):([1-9][0-9]{0,6})(?::[1-9][0-9]{0,6})?$").ok());
/// The name of a run's folder.
static RUN: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^\d{8}T\d{6}\.\d{3}Z(-\d{2})?$").ok());

/// The folder that a server serves.
#[derive(Debug, Clone)]
pub(super) struct Root {
    folder: Utf8PathBuf,
}

/// A test that a caller named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TestName {
    /// Its file, absolute, symlinks resolved.
    pub(super) file: Utf8PathBuf,
    /// The line of the test.
    pub(super) line: u32,
}

impl TestName {
    /// The place as Playwright is asked for it.
    pub(super) fn place(&self) -> Place {
        Place { files: Files::Exact(self.file.clone()), line: Some(self.line) }
    }
}

impl Root {
    /// The root `folder`, symlinks resolved.
    pub(super) fn open(folder: &Utf8Path) -> std::io::Result<Self> {
        let folder = folder.canonicalize_utf8()?;
        if folder.is_dir() { Ok(Self { folder }) } else { Err(std::io::ErrorKind::NotADirectory.into()) }
    }

    /// The folder.
    pub(super) fn folder(&self) -> &Utf8Path {
        &self.folder
    }

    /// Whether `path`, symlinks resolved, is the root or lies below it.
    pub(super) fn holds(&self, path: &Utf8Path) -> bool {
        path.canonicalize_utf8().is_ok_and(|path| path.starts_with(&self.folder))
    }

    /// The test `text` names: `tests/a.spec.ts:12`, from the root.
    pub(super) fn test(&self, text: &str) -> Result<TestName, Refused> {
        let parts = LINE.as_ref().and_then(|line| line.captures(text));
        let (Some(file), Some(line)) = (
            parts.as_ref().and_then(|parts| parts.get(1)),
            parts.as_ref().and_then(|parts| parts.get(2)?.as_str().parse().ok()),
        ) else {
            // A name that leads out is called that, whatever else is wrong with it.
            plain(text.trim_end_matches(|c: char| c == ':' || c.is_ascii_digit()))?;
            return Err(Refused::new(Code::BadArguments, "a test is named by its file and line: `tests/a.spec.ts:12`"));
        };
        Ok(TestName { file: self.file(file.as_str())?, line })
    }

    /// The file `text` names, from the root.
    pub(super) fn file(&self, text: &str) -> Result<Utf8PathBuf, Refused> {
        let path = self.entry(text)?;
        if path.is_file() { Ok(path) } else { Err(Refused::new(Code::WrongKind, format!("`{text}` is not a file"))) }
    }

    /// The file or folder `text` names, from the root.
    pub(super) fn entry(&self, text: &str) -> Result<Utf8PathBuf, Refused> {
        let path = plain(text)?;
        let named = self.folder.join(path);
        // Of what is not there, the folder that is says where it would be: nothing is told of what lies outside.
        let there = named.ancestors().find_map(|path| path.canonicalize_utf8().ok());
        if !there.is_some_and(|there| there.starts_with(&self.folder)) {
            return Err(outside(text, "it is a link that leads out of the root"));
        }
        named.canonicalize_utf8().map_err(|error| {
            Refused::new(Code::NotFound, format!("cannot find `{text}` below the root: {error}"))
                .hinted("paths are from the server's root")
        })
    }

    /// The trace `text` names: a `.zip` below the root.
    pub(super) fn trace(&self, text: &str) -> Result<Utf8PathBuf, Refused> {
        let path = self.file(text)?;
        if path.extension() == Some("zip") {
            Ok(path)
        } else {
            Err(Refused::new(Code::WrongKind, format!("`{text}` is no trace.zip")))
        }
    }
}

/// A relative path that means the same wherever it is read; the words of the refusal say what it is instead.
pub(super) fn plain(text: &str) -> Result<&Utf8Path, Refused> {
    let matches = |pattern: &LazyLock<Option<Regex>>| pattern.as_ref().is_none_or(|regex| regex.is_match(text));
    if text.trim().is_empty() {
        return Err(Refused::new(Code::BadArguments, "a path is needed"));
    }
    let why = if text.len() > LONGEST {
        "it is too long"
    } else if text.contains('\0') {
        "it holds a NUL"
    } else if text.chars().any(char::is_control) {
        "it holds a control character"
    } else if text.contains('\\') {
        "it holds a backslash; write `/`"
    } else if text.starts_with('/') {
        "it is absolute; paths are from the server's root"
    } else if text.starts_with('~') {
        "it means a home folder"
    } else if matches(&SCHEME) {
        "it has a scheme or a drive"
    } else if matches(&ENCODED) {
        "it is URL-encoded"
    } else if Utf8Path::new(text)
        .components()
        .any(|part| !matches!(part, Utf8Component::Normal(_) | Utf8Component::CurDir))
    {
        "it has `..` in it"
    } else {
        return Ok(Utf8Path::new(text));
    };
    Err(outside(text, why))
}

/// The name of a run's folder.
pub(super) fn run_name(text: &str) -> Result<&str, Refused> {
    if RUN.as_ref().is_some_and(|run| run.is_match(text)) {
        Ok(text)
    } else {
        Err(Refused::new(Code::BadArguments, "a run is named as get_report lists it: `20261130T120000.000Z`"))
    }
}

fn outside(text: &str, why: &str) -> Refused {
    Refused::new(Code::OutsideRoot, format!("`{}` is refused: {why}", text.chars().take(200).collect::<String>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A root with a spec, a trace, and links: one that stays inside, two that lead out.
    fn root() -> (tempfile::TempDir, Root) {
        let guard = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(guard.path()).unwrap().join("root");
        std::fs::create_dir_all(folder.join("tests")).unwrap();
        std::fs::write(folder.join("tests/a.spec.ts"), "").unwrap();
        std::fs::write(folder.join("tests/trace.zip"), "").unwrap();
        std::fs::write(folder.parent().unwrap().join("secret.spec.ts"), "").unwrap();
        let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, folder.join(name)).unwrap();
        link("tests/a.spec.ts", "inside.spec.ts");
        link("../secret.spec.ts", "out.spec.ts");
        link("..", "up");
        let root = Root::open(&folder).unwrap();
        (guard, root)
    }

    #[test]
    fn a_plain_name_below_the_root_is_found() {
        let (_guard, root) = root();
        let file = root.folder().join("tests/a.spec.ts");
        for name in ["tests/a.spec.ts", "./tests/a.spec.ts", "tests/./a.spec.ts", "inside.spec.ts"] {
            assert_eq!(root.file(name), Ok(file.clone()), "{name}");
        }
        for name in ["tests/a.spec.ts:12", "tests/a.spec.ts:12:3"] {
            assert_eq!(root.test(name), Ok(TestName { file: file.clone(), line: 12 }), "{name}");
        }
        assert!(root.trace("tests/trace.zip").is_ok());
        assert!(root.holds(&file) && root.holds(root.folder()) && !root.holds(Utf8Path::new("/")));
    }

    #[test]
    fn every_way_out_is_refused() {
        let (_guard, root) = root();
        let absolute = root.folder().join("tests/a.spec.ts").to_string();
        for name in [
            absolute.as_str(),
            "/etc/passwd",
            "//etc/passwd",
            "../secret.spec.ts",
            "tests/../../secret.spec.ts",
            "tests/../tests/a.spec.ts",
            "..",
            "out.spec.ts",
            "up/secret.spec.ts",
            "up/none.spec.ts",
            "tests\\a.spec.ts",
            "..\\secret.spec.ts",
            "C:\\secret.spec.ts",
            "C:/secret.spec.ts",
            "\\\\server\\share\\a.spec.ts",
            "%2e%2e/secret.spec.ts",
            "..%2fsecret.spec.ts",
            "tests/a.spec.ts%00",
            "tests/a.spec.ts\0",
            "tests/a.spec.ts\0.zip",
            "tests/a\n.spec.ts",
            "~/a.spec.ts",
            "file:///etc/passwd",
            "https://example.com/a.spec.ts",
        ] {
            for refused in [root.file(name).unwrap_err(), root.test(&format!("{name}:1")).unwrap_err()] {
                assert_eq!(refused.code, "outside_root", "{name:?}: {}", refused.reason);
                assert!(!refused.reason.contains('\0'), "{name:?}");
            }
            assert_eq!(root.trace(name).unwrap_err().code, "outside_root", "{name:?}");
        }
    }

    #[test]
    fn what_is_no_test_is_refused_by_its_kind() {
        let (_guard, root) = root();
        for (name, code) in [
            ("tests/a.spec.ts", "bad_arguments"),
            ("tests/a.spec.ts:0", "bad_arguments"),
            ("tests/a.spec.ts:x", "bad_arguments"),
            ("tests/a.spec.ts:1 --config=evil.ts", "bad_arguments"),
            ("--config=evil.ts:1", "not_found"),
            ("tests:1", "wrong_kind"),
            ("tests/none.spec.ts:1", "not_found"),
            ("", "bad_arguments"),
            (":1", "bad_arguments"),
        ] {
            let refused = root.test(name).unwrap_err();
            assert_eq!(refused.code, code, "{name:?}: {}", refused.reason);
        }
        assert_eq!(root.trace("tests/a.spec.ts").unwrap_err().code, "wrong_kind");
    }

    #[test]
    fn a_run_is_named_by_its_time_alone() {
        assert!(run_name("20261130T120000.000Z").is_ok() && run_name("20261130T120000.000Z-02").is_ok());
        for name in ["", "..", "../runs", "20261130T120000.000Z/..", "latest", "20261130T120000.000Z\0"] {
            assert!(run_name(name).is_err(), "{name:?}");
        }
    }
}
