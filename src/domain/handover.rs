//! Handing repairs over to people: what goes onto a branch, what its commits say, and whether a pull request is opened,
//! updated or left alone.
//!
//! Pure. Knows nothing of git's commands or a forge's addresses, and never decides that something is repaired.

mod request;
mod restore;
pub mod suggest;

pub use self::request::{Next, PullRequest, State, marked, marks, next};
pub use self::restore::{kept, restored};

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use super::hex::hex;

/// The trailer that a commit of a repair carries; what a branch may be built upon is told by it.
pub const TRAILER: &str = "Relocator-Repair";

/// How many bytes of its hash are a repair's id.
const ID_BYTES: usize = 8;

/// One line of one file, before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Swap {
    /// The file, from the project's root.
    pub path: String,
    /// Its line, from 1.
    pub line: usize,
    /// The line before, without its ending.
    pub before: String,
    /// The line after, without its ending.
    pub after: String,
}

/// A repair to be handed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    /// The group of failures that it ends.
    pub group: String,
    /// What it changes.
    pub swap: Swap,
    /// What it ends, in words: `3 tests, 2 files`.
    pub extent: String,
    /// Why it is right, in a sentence.
    pub reason: String,
    /// The proofs, each in a line.
    pub proofs: Vec<String>,
}

impl Repair {
    /// The same repair has the same id in every run and on every machine: the first 16 digits of the SHA-256 of path, line
    /// before and line after. The line's number is no part of it: lines move.
    pub fn id(&self) -> String {
        let mut hash = Sha256::new();
        for part in [&self.swap.path, &self.swap.before, &self.swap.after] {
            hash.update(part.trim().as_bytes());
            hash.update([0]);
        }
        hex(hash.finalize().get(..ID_BYTES).unwrap_or_default())
    }

    /// The message of its commit.
    pub fn commit_message(&self) -> String {
        let Swap { path, line, before, after } = &self.swap;
        let mut text = format!("test: repair the stale locator at {path}:{line}\n\n");
        _ = writeln!(text, "- {}\n+ {}\n\n{} ({})", before.trim(), after.trim(), self.reason, self.extent);
        for proof in &self.proofs {
            _ = writeln!(text, "- {proof}");
        }
        _ = writeln!(text, "\n{TRAILER}: {}", self.id());
        text
    }
}

/// The file with the swap in it: byte by byte the same but for that line. `None` where the line is another one.
pub fn swapped(file: &[u8], swap: &Swap) -> Option<Vec<u8>> {
    let mut lines: Vec<&[u8]> = file.split_inclusive(|&byte| byte == b'\n').collect();
    let line = lines.get_mut(swap.line.checked_sub(1)?)?;
    let mark: &[u8] =
        if swap.line == 1 && line.starts_with(BOM) && !swap.before.as_bytes().starts_with(BOM) { BOM } else { &[] };
    let body = line.strip_prefix(mark)?;
    let end = body.strip_prefix(swap.before.as_bytes())?;
    if !matches!(end, b"" | b"\n" | b"\r\n" | b"\r") {
        return None;
    }
    let new = [mark, swap.after.as_bytes(), end].concat();
    *line = &new;
    Some(lines.concat())
}

/// A byte order mark.
const BOM: &[u8] = "\u{feff}".as_bytes();

/// Where a remote is: its host, and the path of the repository there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remote {
    /// The host, in lower case, without port and user.
    pub host: String,
    /// Owner and name, without `.git`: `team/shop`.
    pub path: String,
}

impl Remote {
    /// Reads what git calls a remote: a URL, or `user@host:path`. `None` for a folder.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (host, path) = match text.split_once("://") {
            Some(("http" | "https" | "ssh" | "git", rest)) => {
                let (authority, path) = rest.split_once('/')?;
                let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
                (host.split_once(':').map_or(host, |(host, _)| host), path)
            }
            Some(_) => return None,
            None => {
                let (authority, path) = text.split_once(':')?;
                if authority.contains(['/', '\\']) || authority.len() < 2 {
                    return None;
                }
                (authority.rsplit_once('@').map_or(authority, |(_, host)| host), path)
            }
        };
        let path = path.trim_matches('/');
        let path = path.strip_suffix(".git").unwrap_or(path);
        let plain = |part: &str| {
            !matches!(part, "" | "." | "..") && part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.~".contains(c))
        };
        let is_named = !host.is_empty() && path.contains('/') && path.split('/').all(plain);
        is_named.then(|| Self { host: host.to_ascii_lowercase(), path: path.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn swap(line: usize, before: &str, after: &str) -> Swap {
        Swap { path: "tests/a.spec.ts".to_owned(), line, before: before.to_owned(), after: after.to_owned() }
    }

    #[test]
    fn a_swap_changes_its_line_and_no_other_byte() {
        let file = b"\xef\xbb\xbfone\r\n  two\r\nthree\xff";
        assert_eq!(swapped(file, &swap(2, "  two", "  2")).unwrap(), b"\xef\xbb\xbfone\r\n  2\r\nthree\xff");
        assert_eq!(swapped(file, &swap(1, "one", "1")).unwrap(), b"\xef\xbb\xbf1\r\n  two\r\nthree\xff");
        assert_eq!(swapped(b"last", &swap(1, "last", "end")).unwrap(), b"end");
        for other in [swap(0, "one", "1"), swap(2, "two", "2"), swap(2, "  tw", "2"), swap(4, "", "x")] {
            assert_eq!(swapped(file, &other), None, "{other:?}");
        }
    }

    #[test]
    fn a_repair_is_the_same_repair_wherever_its_line_stands() {
        let repair = |swap| Repair {
            group: "g".to_owned(),
            swap,
            extent: "1 test, 1 file".to_owned(),
            reason: "same element".to_owned(),
            proofs: vec!["passed twice".to_owned()],
        };
        let id = repair(swap(3, "  a", "  b")).id();
        assert_eq!(id.len(), 16);
        assert_eq!(id, repair(swap(9, "\ta", "\tb")).id());
        assert_ne!(id, repair(swap(3, "  a", "  c")).id());
        let message = repair(swap(3, "  a", "  b")).commit_message();
        assert!(message.starts_with("test: repair the stale locator at tests/a.spec.ts:3\n\n- a\n+ b\n"), "{message}");
        assert!(message.ends_with(&format!("\n\n{TRAILER}: {id}\n")), "{message}");
    }

    #[test]
    fn a_remote_is_read_as_git_writes_it_and_a_folder_is_none() {
        for (text, host, path) in [
            ("https://github.com/team/shop.git", "github.com", "team/shop"),
            ("https://x-access-token:secret@GitHub.com/team/shop", "github.com", "team/shop"),
            ("git@github.com:team/shop.git", "github.com", "team/shop"),
            ("ssh://git@gitlab.example.org:2222/a/b/c.git/", "gitlab.example.org", "a/b/c"),
        ] {
            let remote = Remote::parse(text).unwrap();
            assert_eq!((remote.host.as_str(), remote.path.as_str()), (host, path), "{text}");
        }
        for none in [
            "/srv/git/shop.git",
            "../shop",
            "file:///srv/shop.git",
            "C:\\git\\shop",
            "github.com",
            "git@github.com:shop",
            "https://github.com/team/../x",
            "https://github.com/team/a%2fb",
            "ext::sh -c x/y",
        ] {
            assert_eq!(Remote::parse(none), None, "{none}");
        }
    }
}
