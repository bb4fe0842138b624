//! Fingerprints: learned from the traces of green tests, kept in one JSON file.
//!
//! The file is sorted and holds nothing that changes without the page, so learning again gives no difference. It may be
//! kept in a repository or in a cache; it holds texts of the pages, never what was typed.

mod wire;

use camino::{Utf8Path, Utf8PathBuf};

use super::playwright::trace::{Action, BlobTrace, Trace, TraceError, When};
use crate::domain::dom::{Dom, FrameId, NodeId, Page};
use crate::domain::facts::facts_of;
use crate::domain::fingerprint::{Book, Key, Record, project_of_folder, without_line};
use crate::domain::identity::Facts;
use crate::domain::locator::Locator;
use crate::domain::locator::parse::DEFAULT_TEST_ID_ATTRIBUTE;
use crate::domain::page_check::mark_of;
use crate::domain::peers::peers_of;
use crate::domain::redact::is_secret_field;

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
    #[error(
        "`{path}` is not a book of fingerprints that this version reads; delete it and run `relocator learn` again"
    )]
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

/// What the calls of a green test resolved to, in an unknown project. Empty for a test that failed or was not recorded.
pub fn learn(trace: &Trace) -> Book {
    learn_in(trace, "")
}

/// As [`learn`], in the Playwright project that [`project_of`] says.
pub fn learn_in(trace: &Trace, project: &str) -> Book {
    let mut book = Book::default();
    if !trace.failures.is_empty() {
        return book;
    }
    let test = test_of(trace);
    let secrets = secrets(trace);
    let attribute = trace.info.test_id_attribute.as_deref().unwrap_or(DEFAULT_TEST_ID_ATTRIBUTE);
    for (at, action) in trace.actions.iter().enumerate() {
        let Some(key) = key_of(&test, &trace.actions, at) else { continue };
        if action.failed_or_pending() {
            continue;
        }
        if let Some(mut record) = record_of(trace, action, attribute) {
            conceal(&mut record, &secrets);
            book.insert(Key { project: project.to_owned(), ..key }, record);
        }
    }
    book
}

fn test_of(trace: &Trace) -> String {
    without_line(trace.info.title.as_deref().unwrap_or_default())
}

/// The Playwright project of a trace that lies at `path`, by the name of its folder; empty where that does not say it.
pub fn project_of(trace: &Trace, path: &Utf8Path) -> String {
    let folder = path.parent().and_then(Utf8Path::file_name).unwrap_or_default();
    project_of_folder(folder, &test_of(trace)).unwrap_or_default()
}

/// The key of an action of a trace, in an unknown project; `None` where it has no locator.
pub fn key_in(trace: &Trace, action: usize) -> Option<Key> {
    key_of(&test_of(trace), &trace.actions, action)
}

/// Shorter ones stand in ordinary words.
const SHORTEST_SECRET: usize = 3;

/// What a test typed into fields for secrets: no text that shows it is kept.
fn secrets(trace: &Trace) -> Vec<String> {
    let is_secret = |action: &&Action| action.selector.as_deref().is_some_and(is_secret_field);
    let typed = |action: &Action| action.param("value").or(action.param("text")).map(str::to_owned);
    let mut secrets: Vec<String> = trace.actions.iter().filter(is_secret).filter_map(typed).collect();
    secrets.retain(|secret| secret.chars().count() >= SHORTEST_SECRET);
    secrets
}

/// Takes out of a record what a person typed: the contents of a field that can be written in, and whatever shows a secret.
fn conceal(record: &mut Record, secrets: &[String]) {
    let facts = &mut record.facts;
    if facts.editable {
        facts.text.clear();
    }
    facts.frame = facts.frame.split(['?', '#']).next().unwrap_or_default().to_owned();
    facts.form = facts.form.split('?').next().unwrap_or_default().to_owned();
    let texts = [
        &mut facts.name,
        &mut facts.text,
        &mut facts.label,
        &mut facts.title,
        &mut facts.aria_label,
        &mut facts.placeholder,
        &mut facts.value,
        &mut facts.heading,
        &mut facts.group,
        &mut facts.neighbours,
        &mut facts.href,
        &mut record.page.title,
        &mut record.page.path,
    ];
    let shows = |text: &str| secrets.iter().any(|secret| text.contains(secret.as_str()));
    texts.into_iter().filter(|text| shows(text)).for_each(String::clear);
    for several in [&mut facts.options, &mut facts.landmarks, &mut record.page.landmarks, &mut record.peers] {
        several.retain(|text| !shows(text));
    }
}

fn key_of(test: &str, actions: &[Action], at: usize) -> Option<Key> {
    let action = actions.get(at)?;
    let selector = action.selector.clone()?;
    let alike = |other: &&Action| other.selector.as_ref() == Some(&selector) && other.method == action.method;
    let nth = actions.iter().take(at).filter(alike).count();
    let (project, test) = (String::new(), test.to_owned());
    Some(Key { project, test, selector, method: action.method.clone(), nth: u32::try_from(nth).ok()? })
}

/// The element that an action worked on, and its page.
fn record_of(trace: &Trace, action: &Action, attribute: &str) -> Option<Record> {
    // The later moments may show the page after the call; the marks say which moment knew the element.
    [When::Input, When::Before, When::After].into_iter().find_map(|when| {
        let dom = trace.dom(action, when).ok()?;
        let page = Page::new(&dom);
        let node = worked_on(&page, action)?;
        let all = facts_of(&page, attribute);
        let at = all.iter().position(|seen| seen.node == node)?;
        let seen: Vec<&Facts> = all.iter().map(|seen| &seen.facts).collect();
        let facts = (*seen.get(at)?).clone();
        Some(Record { facts, page: mark_of(&page, seen.iter().copied()), peers: peers_of(at, &seen) })
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

/// So many traces of one test are read.
const MOST_OF_ONE: usize = 4;

/// What green traces of one test (of the key's project) in `folders` say; empty where there are none.
pub fn of_last_run(folders: &[Utf8PathBuf], key: &Key) -> Book {
    let is_of_test = |trace: &Utf8PathBuf| {
        let folder = trace.parent().and_then(Utf8Path::file_name).unwrap_or_default();
        project_of_folder(folder, &key.test).is_some_and(|project| project == key.project)
    };
    let traces = folders.iter().flat_map(|folder| traces_below(folder)).filter(is_of_test).take(MOST_OF_ONE);
    let mut book = Book::default();
    for path in traces {
        if let Ok(trace) = Trace::open(&path) {
            book.merge(learn_in(&trace, &key.project));
        }
    }
    book
}

/// What a file says: a trace, a blob report with traces of passed tests, or another book (of another shard, of a cache).
pub fn learn_from(path: &Utf8Path) -> Result<Book, String> {
    if path.extension() == Some("json") {
        return read(path).map_err(|error| error.to_string());
    }
    match Trace::open(path) {
        Ok(trace) => Ok(learn_in(&trace, &project_of(&trace, path))),
        Err(TraceError::SeveralTraces { .. }) => of_blob(path).map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    }
}

/// A blob report does not say the project of a trace, so a test that ran in several is left out, as is a retried one.
fn of_blob(path: &Utf8Path) -> Result<Book, TraceError> {
    let traces = Trace::in_blob(path)?;
    let alike = |one: &BlobTrace| {
        traces.iter().filter(|other| (&other.title, &other.location) == (&one.title, &one.location)).count()
    };
    let mut book = Book::default();
    for one in traces.iter().filter(|one| one.status == "passed" && alike(one) == 1) {
        book.merge(learn_in(&Trace::open_in_blob(path, &one.part)?, ""));
    }
    Ok(book)
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
        let whole = |(key, facts): (&Key, &Facts)| !facts.tag.is_empty() && key.test.contains("passes");
        assert!(book.entries().all(whole), "{book:?}");
        assert!(learn(&trace("stale-click")).is_empty());
    }

    #[test]
    fn a_book_comes_back_as_it_was_written_and_writing_again_changes_no_byte() {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(folder.path().join("deep/book.json")).unwrap();
        let book = learn_in(&trace("passes"), "webkit");
        write(&path, &book).unwrap();
        let first = std::fs::read(&path).unwrap();
        let back = read(&path).unwrap();
        let mut merged = back.clone();
        merged.merge(learn_in(&trace("passes"), "webkit"));
        write(&path, &merged).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), first);
        assert_eq!(back.len(), book.len());
        assert!(read(&path.with_file_name("absent.json")).unwrap().is_empty());
    }

    #[test]
    fn nothing_typed_and_no_query_is_kept() {
        let facts = Facts {
            editable: true,
            text: "my notes".into(),
            name: "Hello, hunter2".into(),
            neighbours: "Your token hunter2".into(),
            label: "Notes".into(),
            frame: "https://a.test/pay?session=1#x".into(),
            form: "/login?next=1".into(),
            ..Facts::default()
        };
        let mut record = Record { facts, ..Record::default() };
        conceal(&mut record, &["hunter2".to_owned()]);
        let kept = [&record.facts.text, &record.facts.name, &record.facts.neighbours, &record.facts.label];
        assert_eq!(kept, ["", "", "", "Notes"]);
        assert_eq!((record.facts.frame.as_str(), record.facts.form.as_str()), ("https://a.test/pay", "/login"));
    }

    #[test]
    fn a_book_of_the_first_version_is_read_and_one_of_the_future_is_refused() {
        let book = |version: u32| {
            format!(
                r##"{{"schema_version":{version},"fingerprints":[{{"test":"a.spec.ts › t","selector":"#a","method":"click","element":{{"tag":"a","id":"a"}}}}]}}"##
            )
        };
        let old = wire::parse(&book(1)).unwrap();
        let wanted = Key {
            project: "chromium".into(),
            test: "a.spec.ts › t".into(),
            selector: "#a".into(),
            method: "click".into(),
            nth: 0,
        };
        assert_eq!(old.find(&wanted).map(|facts| facts.id.as_str()), Some("a"));
        assert!(wire::parse(&book(3)).unwrap_err().to_string().contains("schema_version is 3"));
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
