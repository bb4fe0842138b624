//! Blob reports: one zip file with the report of a shard and the traces of its tests inside.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Seek as _};

use serde::Deserialize;
use serde_json::Value;

use super::archive::Archive;
use super::json::cap;
use super::lines::Lines;
use super::{Limits, TraceError};

/// The part that holds the report's events.
const EVENTS: &str = "report.jsonl";

/// Bytes of one event of the report: it is read whole, which takes several times as much memory.
const LINE_BYTES: usize = 16 << 20;

/// A trace inside a blob report, and the test it is of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct BlobTrace {
    /// The part that holds it, for [`super::Trace::open_in_blob`].
    pub part: String,
    /// Playwright's id of the test.
    pub test_id: String,
    /// The test's title.
    pub title: String,
    /// The file and line of the test, as reported.
    pub location: Option<(String, u32)>,
    /// The test's status: `passed`, `failed`, `timedOut`, …; empty where unknown.
    pub status: String,
}

/// A test's title, and its file and line.
type Test = (String, Option<(String, u32)>);

/// An event of the report. All others are passed over.
#[derive(Deserialize)]
struct Event {
    #[serde(default)]
    method: String,
    #[serde(default)]
    params: Value,
}

/// Lists the traces of a blob report, in the order of their tests' ends.
pub(super) fn list(archive: &mut Archive, limits: &Limits) -> Result<Vec<BlobTrace>, TraceError> {
    let mut tests: BTreeMap<String, Test> = BTreeMap::new();
    let mut traces: Vec<BlobTrace> = Vec::new();
    let mut statuses: HashMap<String, String> = HashMap::new();
    let line_limits = Limits { line_bytes: LINE_BYTES.min(limits.line_bytes), ..limits.clone() };
    let mut lines = Lines::new(archive.read(EVENTS, limits.total_bytes, limits.ratio)?, EVENTS, &line_limits);
    while let Some(line) = lines.next()? {
        // What cannot be read cannot name a trace.
        let Ok(event) = serde_json::from_slice::<Event>(line) else { continue };
        let params = event.params;
        match event.method.as_str() {
            "onConfigure" | "onProject" => collect_tests(&params, &mut tests, limits),
            "onAttach" => attach(text(&params, "testId"), text(&params, "resultId"), &params, &mut traces, limits),
            "onTestEnd" => {
                let (test, result) = (params.get("test").unwrap_or(&Value::Null), params.get("result"));
                let result = result.unwrap_or(&Value::Null);
                attach(text(test, "testId"), text(result, "id"), result, &mut traces, limits);
                statuses.insert(text(result, "id").to_owned(), cap(text(result, "status").to_owned(), 64));
            }
            _ => {}
        }
    }
    drop(lines);
    traces.retain(|trace| archive.has(&trace.part));
    for trace in &mut traces {
        // Until here the status holds the id of the result.
        trace.status = statuses.get(&trace.status).cloned().unwrap_or_default();
        if let Some((title, location)) = tests.get(&trace.test_id) {
            (trace.title, trace.location) = (title.clone(), location.clone());
        }
    }
    Ok(traces)
}

/// Copies a trace of a blob report to a temporary file without a name, and lists its parts.
pub(super) fn unpack(archive: &mut Archive, part: &str, limits: &Limits) -> Result<Archive, TraceError> {
    let mut file = tempfile::tempfile().map_err(TraceError::Spool)?;
    let mut reader = archive.read(part, limits.total_bytes, limits.ratio)?;
    match io::copy(&mut reader, &mut file) {
        Ok(_) => {}
        Err(_) if reader.exhausted() => return Err(reader.limit_error()),
        Err(source) => return Err(TraceError::Entry { entry: part.to_owned(), source }),
    }
    file.rewind().map_err(TraceError::Spool)?;
    Archive::from_zip(file, part, limits)
}

/// Whether the archive is a blob report.
pub(super) fn is_blob(archive: &Archive) -> bool {
    archive.has(EVENTS)
}

fn attach(test: &str, result: &str, attachments: &Value, traces: &mut Vec<BlobTrace>, limits: &Limits) {
    let attachments = attachments.get("attachments").and_then(Value::as_array).into_iter().flatten();
    for attachment in attachments {
        let part = text(attachment, "path");
        let is_new = || traces.iter().all(|trace| trace.part != part || trace.test_id != test);
        if text(attachment, "name") == "trace" && traces.len() < limits.messages && is_new() {
            let part = cap(part.to_owned(), limits.text_bytes);
            let test_id = cap(test.to_owned(), limits.text_bytes);
            let (title, location) = (String::new(), None);
            traces.push(BlobTrace { part, test_id, title, location, status: result.to_owned() });
        }
    }
}

/// Every object that looks like a test, at whatever depth: suites are nested, and have been nested differently.
fn collect_tests(params: &Value, tests: &mut BTreeMap<String, Test>, limits: &Limits) {
    let mut waiting = vec![params];
    while let Some(value) = waiting.pop() {
        match value {
            Value::Array(items) => waiting.extend(items),
            Value::Object(fields) => {
                let id = text(value, "testId");
                if !id.is_empty() && tests.len() < limits.actions {
                    let location = fields.get("location").and_then(|location| {
                        let line = u32::try_from(location.get("line")?.as_u64()?).ok()?;
                        Some((cap(text(location, "file").to_owned(), limits.text_bytes), line))
                    });
                    let title = cap(text(value, "title").to_owned(), limits.text_bytes);
                    tests.insert(id.to_owned(), (title, location));
                }
                waiting.extend(fields.values());
            }
            _ => {}
        }
    }
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}
