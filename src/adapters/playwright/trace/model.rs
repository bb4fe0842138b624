//! What a trace says, as values: calls and steps, errors, messages.

use crate::domain::dom::Rect;

/// A call of Playwright's library or a step of its test runner, joined where both are recorded.
#[derive(Debug, Clone, Default)]
pub struct Action {
    /// The call's id. Unique within the trace.
    pub call_id: String,
    /// The protocol class: `Frame`, `Page`, `ElementHandle`, …; `Test` for a step that is no library call.
    pub class: String,
    /// The protocol method: `click`, `expect`, `goto`, …; the kind of step for a step of the test runner.
    pub method: String,
    /// What the test called, as the trace names it: `locator.click`, `Click`, `beforeEach hook`. May be empty.
    pub title: String,
    /// The selector in Playwright's internal form.
    pub selector: Option<String>,
    /// Whether the selector had to match exactly one element.
    pub strict: bool,
    /// All other parameters, in order: texts as they are, anything else as JSON; cut to the limit.
    pub params: Vec<(String, String)>,
    /// The call's log, oldest first; the middle is left out where it is very long.
    pub log: Vec<String>,
    /// The error as the library recorded it: short, without the log.
    pub error: Option<ActionError>,
    /// The error as the test runner recorded it: the text a person sees.
    pub step_error: Option<ActionError>,
    /// Where the test made the call, innermost first; paths as recorded.
    pub stack: Vec<StackFrame>,
    /// When it began, in ms; on one clock for the whole trace.
    pub start: f64,
    /// When it ended, in ms; `None` if it was still going on when the recording ended.
    pub end: Option<f64>,
    /// The page (its guid), empty if it belongs to none.
    pub page_id: String,
    /// The frame the call was made on, where the format records it (format 3 only).
    pub frame_id: Option<String>,
    /// The point that was clicked, in CSS pixels.
    pub point: Option<(f64, f64)>,
    /// The box of the element that received the input (formats 9 and later).
    pub target_box: Option<Rect>,
    /// The step around it: an index into [`super::Trace::actions`].
    pub parent: Option<usize>,
    /// Which part of the test it belongs to.
    pub part: TestPart,
    /// Files attached by it.
    pub attachments: Vec<Attachment>,
    pub(super) before: Option<String>,
    pub(super) input: Option<String>,
    pub(super) after: Option<String>,
}

impl Action {
    /// A parameter by its name.
    pub fn param(&self, name: &str) -> Option<&str> {
        self.params.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The fullest text of its error: the test runner's, else the library's.
    pub fn error_text(&self) -> Option<&str> {
        self.step_error.as_ref().or(self.error.as_ref()).map(|error| error.message.as_str())
    }

    /// Whether it failed, or had not ended when the recording did.
    pub fn failed_or_pending(&self) -> bool {
        self.error.is_some() || self.step_error.is_some() || self.end.is_none()
    }

    /// The names of its snapshots of this moment, the one that is preferred first.
    pub(super) fn snapshot_names(&self, when: When) -> impl Iterator<Item = &str> {
        let names = match when {
            When::Before => [&self.before, &None, &None],
            When::Input => [&self.input, &None, &None],
            When::After => [&self.after, &None, &None],
            When::Last => [&self.after, &self.input, &self.before],
        };
        names.into_iter().filter_map(Option::as_deref)
    }

    /// Whether it is a step of the test runner alone.
    pub fn is_step(&self) -> bool {
        self.class == "Test"
    }

    /// `class.method`, or the title where there is one.
    pub fn name(&self) -> String {
        if self.title.is_empty() { format!("{}.{}", self.class, self.method) } else { self.title.clone() }
    }
}

/// Which moment of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// Before the call did anything.
    Before,
    /// When the element was found and the input was about to be sent; only for calls that got that far.
    Input,
    /// When the call had ended, successfully or not.
    After,
    /// The last one recorded: what a failing call saw when it gave up.
    Last,
}

/// Which part of the test an action belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TestPart {
    /// The test's own body, or unknown.
    #[default]
    Body,
    /// `beforeAll` and `beforeEach` hooks, and the setting up of fixtures.
    BeforeHooks,
    /// `afterEach` and `afterAll` hooks, and the tearing down of fixtures.
    AfterHooks,
    /// The end of the worker.
    WorkerCleanup,
}

/// An error.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ActionError {
    /// Its name, such as `TimeoutError`; often empty.
    pub name: String,
    /// Its text, without colour codes.
    pub message: String,
}

/// A place in a source file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StackFrame {
    /// The path as recorded.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in UTF-16 units.
    pub column: u32,
    /// The function's name, often empty.
    pub function: String,
}

/// An error that failed the test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestFailure {
    /// The text, without colour codes.
    pub message: String,
    /// Where it happened, innermost first.
    pub stack: Vec<StackFrame>,
}

/// A file that the test attached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// Its name in the report.
    pub name: String,
    /// Its media type.
    pub content_type: String,
    /// The name of the part that holds it; empty if the trace does not.
    pub part: String,
}

/// An error on the page's console, or one that no script caught.
#[derive(Debug, Clone, PartialEq)]
pub struct ConsoleError {
    /// The text.
    pub text: String,
    /// When, in ms, on the clock of the actions.
    pub time: f64,
    /// The page (its guid), empty where unknown.
    pub page_id: String,
    /// Whether it was an exception that no script caught.
    pub uncaught: bool,
}

/// A request that failed, or was answered with a status of 400 and more.
#[derive(Debug, Clone, PartialEq)]
pub struct FailedRequest {
    /// `GET`, `POST`, …
    pub method: String,
    /// The address without query and fragment, which may hold secrets.
    pub url: String,
    /// The status, `None` where no answer came.
    pub status: Option<u16>,
    /// Why no answer came, as the browser says it.
    pub failure: String,
    /// When, in ms, on the clock of the actions.
    pub time: f64,
    /// The page (its guid), empty where unknown.
    pub page_id: String,
}

/// A picture of a page.
#[derive(Debug, Clone, PartialEq)]
pub struct ScreencastFrame {
    /// The page (its guid).
    pub page_id: String,
    /// The name of the part that holds the picture.
    pub part: String,
    /// When, in ms, on the clock of the actions.
    pub time: f64,
}
