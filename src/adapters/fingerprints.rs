//! Fingerprints: learned from the traces of green tests, kept in one JSON file.
//!
//! The file is sorted and holds nothing that changes without the page, so learning again gives no difference. It may be
//! kept in a repository or in a cache; it holds texts of the pages, never what was typed.

mod wire;

use camino::{Utf8Path, Utf8PathBuf};

use super::playwright::trace::{Action, Trace, When};
use crate::domain::dom::{Dom, FrameId, NodeId, Page};
use crate::domain::facts::facts_of;
use crate::domain::fingerprint::{Book, Key, without_line};
use crate::domain::identity::Facts;
use crate::domain::locator::Locator;
use crate::domain::locator::parse::DEFAULT_TEST_ID_ATTRIBUTE;

/// Where the book is kept, below the project root, unless told otherwise.
pub const FILE: &str = ".relocator/fingerprints.json";

/// Longest book that is read, in bytes: 100,000 elements.
const BOOK_CAP: u64 = 200 << 20;

/// Why fingerprints cannot be read or kept.
#[derive(Debug, thiserror::Error)]
pub enum FingerprintError {
    /// A file cannot be read or written.
    #[error("cannot {doing} `{path}`")]
    Io {
        /// What was tried.
        doing: &'static str,
        /// The file.
        path: Utf8PathBuf,
        /// What went wrong.
        source: std::io::Error,
    },
    /// The book is none, or of a version that is not known.
    #[error("`{path}` is not a book of fingerprints that this version reads")]
    Format {
        /// The file.
        path: Utf8PathBuf,
        /// What went wrong.
        source: serde_json::Error,
    },
}

/// Reads a book; an absent file is an empty book.
pub fn read(path: &Utf8Path) -> Result<Book, FingerprintError> {
    let io = |source| FingerprintError::Io { doing: "read", path: path.to_owned(), source };
    match std::fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Book::default()),
        Err(error) => return Err(io(error)),
        Ok(metadata) if metadata.len() > BOOK_CAP => return Err(io(std::io::ErrorKind::FileTooLarge.into())),
        Ok(_) => {}
    }
    let text = std::fs::read_to_string(path).map_err(io)?;
    wire::parse(&text).map_err(|source| FingerprintError::Format { path: path.to_owned(), source })
}

/// Writes a book in one step: the file is the old one or the new one, never a part.
pub fn write(path: &Utf8Path, book: &Book) -> Result<(), FingerprintError> {
    let io = |source| FingerprintError::Io { doing: "write", path: path.to_owned(), source };
    let folder = path.parent().filter(|folder| !folder.as_str().is_empty()).unwrap_or(Utf8Path::new("."));
    std::fs::create_dir_all(folder).map_err(io)?;
    let temporary = tempfile::NamedTempFile::new_in(folder).map_err(io)?;
    let text = wire::print(book).map_err(|source| FingerprintError::Format { path: path.to_owned(), source })?;
    std::fs::write(temporary.path(), text).map_err(io)?;
    temporary.persist(path).map_err(|error| io(error.error))?;
    Ok(())
}

/// What the calls of a green test resolved to. Empty for a test that failed or was not recorded.
pub fn learn(trace: &Trace) -> Book {
    let mut book = Book::default();
    if !trace.failures.is_empty() {
        return book;
    }
    let test = without_line(trace.info.title.as_deref().unwrap_or_default());
    let attribute = trace.info.test_id_attribute.as_deref().unwrap_or(DEFAULT_TEST_ID_ATTRIBUTE);
    for (at, action) in trace.actions.iter().enumerate() {
        let Some(key) = key_of(&test, &trace.actions, at) else { continue };
        if action.failed_or_pending() {
            continue;
        }
        if let Some(facts) = element_of(trace, action, attribute) {
            book.insert(key, facts);
        }
    }
    book
}

/// The key of an action of a trace; `None` where it has no locator.
pub fn key_in(trace: &Trace, action: usize) -> Option<Key> {
    key_of(&without_line(trace.info.title.as_deref().unwrap_or_default()), &trace.actions, action)
}

fn key_of(test: &str, actions: &[Action], at: usize) -> Option<Key> {
    let action = actions.get(at)?;
    let selector = action.selector.clone()?;
    let alike = |other: &&Action| other.selector.as_ref() == Some(&selector) && other.method == action.method;
    let nth = actions.iter().take(at).filter(alike).count();
    Some(Key { test: test.to_owned(), selector, method: action.method.clone(), nth: u32::try_from(nth).ok()? })
}

/// The facts of the element that an action worked on.
fn element_of(trace: &Trace, action: &Action, attribute: &str) -> Option<Facts> {
    // The later moments may show the page after the call; the marks say which moment knew the element.
    [When::Input, When::Before, When::After].into_iter().find_map(|when| {
        let dom = trace.dom(action, when).ok()?;
        let page = Page::new(&dom);
        let node = worked_on(&page, action)?;
        facts_of(&page, attribute).into_iter().find(|seen| seen.node == node).map(|seen| seen.facts)
    })
}

/// The element that an action worked on, on its page: the marked one, else the only one that its locator matches.
pub fn worked_on(page: &Page<'_>, action: &Action) -> Option<NodeId> {
    target(page.dom(), action).or_else(|| resolved(page, action))
}

fn target(dom: &Dom, action: &Action) -> Option<NodeId> {
    let marked = |node: &NodeId| dom.element(*node).is_some_and(|found| found.target_of.contains(&action.call_id));
    let mut all = dom.nodes().filter(marked);
    let first = all.next()?;
    all.next().is_none().then_some(first)
}

fn resolved(page: &Page<'_>, action: &Action) -> Option<NodeId> {
    let locator = Locator::from_internal(action.selector.as_deref()?).ok()?;
    page.query(frame_of(page.dom(), action)?, &locator).only()
}

fn frame_of(dom: &Dom, action: &Action) -> Option<FrameId> {
    let named = action.frame_id.as_deref().and_then(|guid| dom.frames().find(|(_, frame)| frame.guid == guid));
    named.map(|(id, _)| id).or_else(|| dom.main_frame())
}

/// The traces below a folder, sorted; of a retried test none, for it is flaky. At most [`MOST_TRACES`].
pub fn traces_below(folder: &Utf8Path) -> Vec<Utf8PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let Ok(entries) = folder.read_dir_utf8() else { continue };
        for entry in entries.flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() && entry.file_name() != "node_modules" {
                open.push(entry.path().to_owned());
            } else if kind.is_file() && entry.file_name() == "trace.zip" {
                found.push(entry.path().to_owned());
            }
        }
    }
    let test_of = |trace: &Utf8Path| trace.parent().map(Utf8Path::as_str).unwrap_or_default().to_owned();
    let folders: Vec<String> = found.iter().map(|trace| test_of(trace)).collect();
    let retried =
        |folder: &str| retry_of(folder).is_some() || folders.iter().any(|other| retry_of(other) == Some(folder));
    found.retain(|trace| !retried(&test_of(trace)));
    found.sort_unstable();
    found.truncate(MOST_TRACES);
    found
}

/// So many traces are learned from at once.
pub const MOST_TRACES: usize = 20_000;

/// The folder of the first attempt, for the folder of a retry: `…-retry1`.
fn retry_of(folder: &str) -> Option<&str> {
    let (first, number) = folder.rsplit_once("-retry")?;
    (!number.is_empty() && number.chars().all(|c| c.is_ascii_digit())).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(name: &str) -> Trace {
        let root = env!("CARGO_MANIFEST_DIR");
        Trace::open(format!("{root}/fixtures/traces/1.65.1/{name}.zip")).unwrap()
    }

    #[test]
    fn a_green_trace_is_learned_and_a_failed_one_is_not() {
        let book = learn(&trace("passes"));
        assert!(!book.is_empty());
        assert!(book.entries().all(|(key, facts)| !facts.tag.is_empty() && key.test.contains("passes")), "{book:?}");
        assert!(learn(&trace("stale-click")).is_empty());
    }

    #[test]
    fn a_book_comes_back_as_it_was_written_and_writing_again_changes_no_byte() {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(folder.path().join("deep/book.json")).unwrap();
        let book = learn(&trace("passes"));
        write(&path, &book).unwrap();
        let first = std::fs::read(&path).unwrap();
        let back = read(&path).unwrap();
        let mut merged = back.clone();
        merged.merge(learn(&trace("passes")));
        write(&path, &merged).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), first);
        assert_eq!(back.len(), book.len());
        assert!(read(&path.with_file_name("absent.json")).unwrap().is_empty());
    }

    #[test]
    fn attempts_of_a_retried_test_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a", "b", "b-retry1"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
            std::fs::write(folder.path().join(name).join("trace.zip"), "").unwrap();
        }
        let root = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
        assert_eq!(traces_below(&root), [root.join("a/trace.zip")]);
    }
}
