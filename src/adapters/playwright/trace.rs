//! Playwright traces: the calls and steps of a test with their errors, and the page at each of them.
//!
//! Reads `trace.zip`, an unpacked trace folder, and a trace inside a blob report, of trace formats 3 to 10 (Playwright
//! 1.30 to 1.65) and newer ones as far as they are understood. A trace is untrusted: everything is capped by [`Limits`],
//! no name in it becomes a path, and nothing in it is run. Decides nothing about repairs.
//!
//! Event files are read once, line by line. Page snapshots go to a temporary file without a name and are put together
//! only for the moments that are asked for, so memory follows the largest page and not the length of the test.

mod archive;
mod blob;
mod context;
mod error;
mod events;
mod failing;
mod few;
mod join;
mod json;
mod limits;
mod lines;
mod markup;
mod messages;
mod model;
mod page;
mod params;
mod snapshots;

use std::path::Path;
use std::sync::{Mutex, PoisonError};

pub use blob::BlobTrace;
pub use error::TraceError;
pub use failing::{FailingCandidate, Fit, Hint};
pub use limits::Limits;
pub use model::{
    Action, ActionError, Attachment, ConsoleError, FailedRequest, ScreencastFrame, StackFrame, TestFailure, TestPart,
    When,
};

use archive::Archive;
use context::{Context, Reader};
use lines::Lines;
use snapshots::{Recorder, Snapshots};

use crate::domain::dom::Dom;

/// A trace that has been read.
#[derive(Debug)]
pub struct Trace {
    /// What is known of the trace as a whole.
    pub info: TraceInfo,
    /// All calls and steps in order of their beginning.
    pub actions: Vec<Action>,
    /// The errors that failed the test, in order; empty where no test runner's trace is there, or before format 5.
    pub failures: Vec<TestFailure>,
    /// Errors on the consoles of all pages, in order.
    pub console_errors: Vec<ConsoleError>,
    /// Failed requests of all pages, in order.
    pub failed_requests: Vec<FailedRequest>,
    /// Pictures of all pages, in order.
    pub screencast: Vec<ScreencastFrame>,
    /// What a reader of the trace should know: a newer format, damaged lines.
    pub notes: Vec<String>,
    passed: bool,
    snapshots: Snapshots,
    style_sheets: Vec<(String, String)>,
    archive: Mutex<Archive>,
    limits: Limits,
}

/// What is known of a trace as a whole.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TraceInfo {
    /// The format's version, the greatest where event files differ.
    pub version: Option<u32>,
    /// Playwright's version, where recorded (since 1.57 or so).
    pub playwright_version: Option<String>,
    /// `chromium`, `firefox`, `webkit`; may be unknown.
    pub browser: Option<String>,
    /// The test's title, as `file.spec.ts:3 › title`.
    pub title: Option<String>,
    /// The attribute that `getByTestId` looks at, where recorded.
    pub test_id_attribute: Option<String>,
    /// `javascript`, `python`, `java`, `csharp`.
    pub language: Option<String>,
    /// When the recording began, in ms since 1970.
    pub wall_time: Option<f64>,
}

impl Trace {
    /// Reads a trace with the default limits.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, TraceError> {
        Self::open_with(path, Limits::default())
    }

    /// Reads a trace: a zip file, a folder, or a blob report that holds exactly one.
    pub fn open_with(path: impl AsRef<Path>, limits: Limits) -> Result<Self, TraceError> {
        let path = path.as_ref();
        let shown = path.display().to_string();
        let mut archive = Archive::open(path, &limits)?;
        if blob::is_blob(&archive) {
            let traces = blob::list(&mut archive, &limits)?;
            let [trace] = traces.as_slice() else {
                return Err(match traces.len() {
                    0 => TraceError::NoTrace { path: shown },
                    count => TraceError::SeveralTraces { path: shown, count },
                });
            };
            archive = blob::unpack(&mut archive, &trace.part, &limits)?;
        }
        Self::read(archive, &shown, limits)
    }

    /// The traces of a blob report.
    pub fn in_blob(path: impl AsRef<Path>) -> Result<Vec<BlobTrace>, TraceError> {
        let limits = Limits::default();
        blob::list(&mut Archive::open(path.as_ref(), &limits)?, &limits)
    }

    /// Reads one of the traces that [`Trace::in_blob`] lists.
    pub fn open_in_blob(path: impl AsRef<Path>, part: &str) -> Result<Self, TraceError> {
        let limits = Limits::default();
        let mut archive = Archive::open(path.as_ref(), &limits)?;
        let archive = blob::unpack(&mut archive, part, &limits)?;
        Self::read(archive, &path.as_ref().display().to_string(), limits)
    }

    fn read(mut archive: Archive, shown: &str, limits: Limits) -> Result<Self, TraceError> {
        let files: Vec<String> =
            archive.names().filter_map(|name| name.strip_suffix(".trace")).map(str::to_owned).collect();
        if files.is_empty() {
            return Err(TraceError::NoTrace { path: shown.to_owned() });
        }
        let mut recorder = Recorder::new(&limits)?;
        let (mut left, mut kept) = (limits.total_bytes, 0);
        let mut contexts = Vec::new();
        for (number, file) in files.iter().enumerate() {
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            let context = Context::default();
            let mut reader =
                Reader { context, limits: &limits, recorder: &mut recorder, file: number, kept: &mut kept };
            for extension in [".trace", ".network"] {
                let part = format!("{file}{extension}");
                if archive.has(&part) {
                    read_lines(&mut archive, &part, &mut left, &mut reader)?;
                }
            }
            let stacks = format!("{file}.stacks");
            if archive.has(&stacks) {
                let bytes = archive.bytes(&stacks, &limits)?;
                reader.stacks(&bytes);
            }
            contexts.push(reader.context);
        }
        let snapshots = recorder.finish()?;
        Ok(Self::assemble(contexts, snapshots, archive, limits))
    }

    fn assemble(mut contexts: Vec<Context>, snapshots: Snapshots, archive: Archive, limits: Limits) -> Self {
        let info = info(&contexts);
        let notes = notes(&info, &contexts);
        let passed = contexts.iter().any(Context::records_failures)
            && contexts.iter().all(|context| context.failures.is_empty());
        let actions = join::join(&mut contexts, &snapshots);
        let mut trace = Self {
            info,
            actions,
            notes,
            snapshots,
            limits,
            passed,
            failures: Vec::new(),
            console_errors: Vec::new(),
            failed_requests: Vec::new(),
            screencast: Vec::new(),
            style_sheets: Vec::new(),
            archive: Mutex::new(archive),
        };
        for context in contexts {
            trace.failures.extend(context.failures);
            trace.console_errors.extend(context.console);
            trace.failed_requests.extend(context.requests);
            trace.screencast.extend(context.screencast);
            trace.style_sheets.extend(context.style_sheets);
        }
        trace.console_errors.sort_by(|a, b| a.time.total_cmp(&b.time));
        trace.failed_requests.sort_by(|a, b| a.time.total_cmp(&b.time));
        trace.screencast.sort_by(|a, b| a.time.total_cmp(&b.time));
        trace
    }

    /// The action that failed the test, as far as the trace alone tells. `None` for a test that passed, where the trace
    /// says so (from format 7 on, if the test runner recorded it).
    pub fn failing_action(&self) -> Option<&Action> {
        if self.passed {
            return None;
        }
        let best = self.failing_candidates(&Hint::default()).into_iter().next()?;
        self.actions.get(best.action)
    }

    /// All failed and pending actions, the one that fits the failure best first.
    pub fn failing_candidates(&self, hint: &Hint<'_>) -> Vec<FailingCandidate> {
        failing::candidates(&self.actions, &self.failures, hint)
    }

    /// The page of an action, with all its frames.
    pub fn dom(&self, action: &Action, when: When) -> Result<Dom, TraceError> {
        for name in action.snapshot_names(when) {
            if let Some(mut dom) = page::build(&self.snapshots, name, &self.limits)? {
                self.link_style_sheets(action, when, &mut dom);
                return Ok(dom);
            }
        }
        Err(TraceError::NoSnapshot { action: action.name() })
    }

    /// Gives every `<link rel=stylesheet>` the text that it had loaded. A text that the trace does not hold, that is damaged,
    /// or that makes the page too large stays unknown.
    fn link_style_sheets(&self, action: &Action, when: When, dom: &mut Dom) {
        let mut left = self.limits.page_bytes;
        for (node, frame, address) in page::linked_style_sheets(dom) {
            let sheet = self.style_sheet(action, when, &frame, &address).ok().flatten();
            let length = sheet.as_ref().map_or(0, String::len);
            let Some(rest) = left.checked_sub(length) else { return };
            left = rest;
            if let Some(element) = dom.element_mut(node) {
                element.stylesheet = sheet;
            }
        }
    }

    /// The text of a linked style sheet as it was in the frame `frame` (its guid) of the page of an action; `url` is its
    /// absolute address. `None` where the trace does not hold it.
    pub fn style_sheet(
        &self,
        action: &Action,
        when: When,
        frame: &str,
        url: &str,
    ) -> Result<Option<String>, TraceError> {
        let url = url.split('#').next().unwrap_or_default();
        let snapshot = action.snapshot_names(when).find_map(|name| page::frame(&self.snapshots, name, frame));
        let changed = snapshot.and_then(|snapshot| self.snapshots.sheet(snapshot, url));
        let loaded =
            || self.style_sheets.iter().rev().find(|(address, _)| address == url).map(|(_, part)| part.as_str());
        let Some(part) = changed.or_else(loaded) else { return Ok(None) };
        match self.part(part) {
            Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
            Err(TraceError::NoEntry(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// A part of the archive by the name that the trace gives it.
    pub fn part(&self, name: &str) -> Result<Vec<u8>, TraceError> {
        self.archive.lock().unwrap_or_else(PoisonError::into_inner).bytes(name, &self.limits)
    }
}

/// Reads one file of events; `left` is how many bytes the whole trace may still have.
fn read_lines(archive: &mut Archive, part: &str, left: &mut u64, reader: &mut Reader<'_>) -> Result<(), TraceError> {
    let limits = reader.limits;
    let mut lines = Lines::new(archive.read(part, *left, limits.ratio)?, part, limits);
    while let Some(line) = lines.next()? {
        *left = left.saturating_sub(line.len() as u64 + 1);
        reader.line(line)?;
    }
    Ok(())
}

fn info(contexts: &[Context]) -> TraceInfo {
    let library = || contexts.iter().filter(|context| context.is_library());
    let first =
        |texts: &mut dyn Iterator<Item = &json::Text>| texts.map(|text| &text.0).find(|text| !text.is_empty()).cloned();
    let times = contexts.iter().filter_map(|context| context.options.wall_time).filter(|&time| time > 0.0);
    TraceInfo {
        version: contexts.iter().filter_map(|context| context.version).max(),
        playwright_version: first(&mut contexts.iter().map(|context| &context.options.playwright_version)),
        browser: first(&mut library().map(|context| &context.options.browser_name)),
        title: first(&mut library().map(|context| &context.options.title)),
        test_id_attribute: first(&mut library().map(|context| &context.options.test_id_attribute_name)),
        language: first(&mut library().map(|context| &context.options.sdk_language)),
        wall_time: times.min_by(f64::total_cmp),
    }
}

fn notes(info: &TraceInfo, contexts: &[Context]) -> Vec<String> {
    let mut notes = Vec::new();
    match info.version {
        Some(version) if version > events::NEWEST => notes.push(format!(
            "the trace has format {version}, newer than any that relocator knows (up to {}): read as far as understood",
            events::NEWEST
        )),
        Some(version) if version < events::OLDEST => notes.push(format!(
            "the trace has format {version}, older than any that relocator knows (from {}): read as far as understood",
            events::OLDEST
        )),
        Some(_) => {}
        None => notes.push("the trace does not say its format".to_owned()),
    }
    match contexts.iter().map(|context| context.damaged).sum() {
        0_usize => {}
        1 => notes.push("one line of the trace could not be read".to_owned()),
        lines => notes.push(format!("{lines} lines of the trace could not be read")),
    }
    notes
}
