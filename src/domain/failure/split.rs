//! Cuts a cleaned text into its errors: first lines, bodies, call logs; code frames, stacks and snapshots are left out.

use super::ErrorText;
use super::body::strict_violation;
use super::head::Head;
use super::line::{ends_in_ruler, is_code_frame, is_stack_frame, without_error_names};
use super::site;

/// How many errors are read out of one text; more make it no clearer.
const MAX_ERRORS: usize = 64;

/// The errors in `text`, and whether a reporter's title stands above them: then they are all errors of a result.
pub(super) fn errors(text: &str) -> (Vec<ErrorText<'_>>, bool) {
    let mut reader = Reader {
        errors: Vec::with_capacity(2),
        place: Place::Outside,
        blank: true,
        open: false,
        titled: false,
        last: "",
    };
    for line in text.split('\n') {
        reader.read(line);
    }
    let titled = reader.titled;
    (reader.finish(), titled)
}

/// Where the reader stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before the first error.
    Outside,
    /// In the lines below a first line.
    Body,
    /// In a call log whose lines begin with a dash.
    DashedLog,
    /// In a call log between two rulers.
    RuledLog,
    /// Behind a call log, before a code frame.
    Tail,
    /// In or behind a code frame, a stack, a list of attachments.
    Behind,
    /// In a snapshot of the page, which ends with the text.
    Snapshot,
}

struct Reader<'t> {
    errors: Vec<ErrorText<'t>>,
    place: Place,
    blank: bool,
    /// Whether a quoted value of several lines was begun in the log.
    open: bool,
    titled: bool,
    last: &'t str,
}

impl<'t> Reader<'t> {
    fn read(&mut self, line: &'t str) {
        let trimmed = line.trim();
        if trimmed.is_empty() {
            self.blank = true;
            return;
        }
        let indented = line.starts_with([' ', '\t']);
        if self.open && self.place == Place::DashedLog && !is_code_frame(trimmed) {
            // Text of the page, whatever it says.
            self.open = !trimmed.ends_with('"');
            return;
        }
        let elsewhere = matches!(self.place, Place::Snapshot | Place::RuledLog);
        if elsewhere || !self.section(trimmed) {
            match self.place {
                Place::Snapshot => {}
                Place::RuledLog => self.ruled_log(trimmed),
                Place::Outside => self.outside(trimmed),
                Place::Body => self.body(trimmed),
                Place::DashedLog => self.dashed_log(trimmed, indented),
                Place::Tail => self.tail(trimmed, indented),
                Place::Behind => self.behind(trimmed),
            }
        }
        self.blank = false;
        self.last = trimmed;
    }

    /// Handles the lines that begin another section wherever they stand.
    fn section(&mut self, line: &'t str) -> bool {
        match line {
            "Call log:" => {
                if let Some(error) = self.errors.last_mut() {
                    error.log.get_or_insert_default();
                    self.place = Place::DashedLog;
                    self.open = false;
                }
                return true;
            }
            "Call Log:" => {
                // Behind it stands what ended the tries of `toPass` or `expect.poll`.
                if let Some(error) = self.errors.last_mut() {
                    error.retried = true;
                    self.place = Place::Tail;
                }
                return true;
            }
            "Aria snapshot:" | "# Page snapshot" | "# Test source" if !self.errors.is_empty() => {
                self.place = Place::Snapshot;
                return true;
            }
            "# Error details" => {
                // The file that Playwright writes for a model begins with instructions and the test's name.
                self.errors.clear();
                self.place = Place::Outside;
                return true;
            }
            "Pending operations:" | "Browser logs:" => {
                self.place = Place::Behind;
                return true;
            }
            _ => {}
        }
        if line.starts_with("====") && line.ends_with("====") {
            if line.contains(" logs ")
                && let Some(error) = self.errors.last_mut()
            {
                error.log.get_or_insert_default();
                self.place = Place::RuledLog;
            }
            return true;
        }
        if is_predicate(line) {
            match self.errors.last_mut() {
                Some(error) => error.retried = true,
                None => self.begin(line, false),
            }
            return true;
        }
        if is_code_frame(line) {
            self.open = false;
            if line.starts_with('>')
                && let Some(error) = self.errors.last_mut()
            {
                error.soft |= line.contains("expect.soft(");
            }
            self.place = if self.errors.is_empty() { Place::Outside } else { Place::Behind };
            return true;
        }
        if let Some(cause) = line.strip_prefix("[cause]: ").or_else(|| line.strip_prefix("Caused by: ")) {
            self.begin(cause, true);
            return true;
        }
        self.stack(line)
    }

    fn stack(&mut self, line: &'t str) -> bool {
        if !is_stack_frame(line) {
            return false;
        }
        if let Some(error) = self.errors.last_mut() {
            let better = error.site.as_ref().is_none_or(|site| site.column.is_none());
            if better && let Some(found) = site::frame(line) {
                error.site = Some(found);
            }
            self.place = Place::Behind;
        }
        true
    }

    fn outside(&mut self, line: &'t str) {
        self.titled |= is_title(line);
        if !is_decoration(line) {
            self.begin(line, false);
        }
    }

    fn body(&mut self, line: &'t str) {
        if self.open {
            self.open = !line.ends_with('"');
            return;
        }
        if self.blank && self.next_error(line) {
            return;
        }
        let Some(error) = self.errors.last_mut() else { return };
        match line.strip_prefix("message='") {
            // Java prints the error as an object.
            Some(message) if error.head == Head::Other("Error {") => error.head = Head::nameless(message),
            _ => error.body.read(line),
        }
        self.open = opens_value(line);
    }

    fn dashed_log(&mut self, line: &'t str, indented: bool) {
        let Some(error) = self.errors.last_mut() else { return };
        let log = error.log.get_or_insert_default();
        if let Some(step) = step(line) {
            log.read(step);
            let value = step.strip_prefix("unexpected value \"");
            self.open = value.is_some_and(|value| !value.ends_with('"'));
        } else if !self.blank && is_bare_step(line) {
            log.read(line);
        } else if self.blank && !self.next_error(line) && !indented && !is_decoration(line) {
            self.begin(line, false);
        }
    }

    fn ruled_log(&mut self, line: &'t str) {
        if line.starts_with("==========") && line.trim_start_matches('=').is_empty() {
            self.place = Place::Tail;
        } else if let Some(error) = self.errors.last_mut() {
            error.log.get_or_insert_default().read(step(line).unwrap_or(line));
        }
    }

    /// Between a call log and what follows stands nothing, unless the text of another error was joined to it.
    fn tail(&mut self, line: &'t str, indented: bool) {
        if self.next_error(line) || !self.blank || indented || is_decoration(line) {
            return;
        }
        self.begin(line, false);
    }

    fn behind(&mut self, line: &'t str) {
        self.next_error(line);
    }

    /// Begins another error if the line is an error's first line.
    fn next_error(&mut self, line: &'t str) -> bool {
        let (text, names) = without_error_names(line);
        let text = text.trim_end();
        if names > 0
            && (text == "element(s) not found" || strict_violation(text).is_some())
            && self.place == Place::Body
        {
            return false;
        }
        let Some(head) = Head::known(text) else {
            if names > 0 {
                self.begin(line, false);
            }
            return names > 0;
        };
        let belongs = match head {
            Head::Expect(_) => true,
            Head::Call(call) => call.receiver.eq_ignore_ascii_case("expect"),
            _ => false,
        };
        // Below the author's own message stands the assertion's, without the name of an error class.
        match self.errors.last_mut() {
            Some(error) if belongs && names == 0 && self.place == Place::Body && error.is_message_only() => {
                error.restate(head, line);
            }
            _ => self.push(ErrorText::new(head, line, false)),
        }
        true
    }

    fn begin(&mut self, line: &'t str, cause: bool) {
        self.push(ErrorText::new(Head::read(line), line, cause));
    }

    fn push(&mut self, error: ErrorText<'t>) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(error);
        } else if let Some(last) = self.errors.last_mut() {
            last.cut = true;
        }
        self.place = Place::Body;
        self.open = false;
    }

    fn finish(mut self) -> Vec<ErrorText<'t>> {
        let broken = match self.place {
            Place::RuledLog => true,
            Place::DashedLog | Place::Body => {
                self.last.ends_with('…') || self.last.ends_with("[truncated]") || self.last.ends_with("(truncated)")
            }
            _ => false,
        };
        if broken && let Some(error) = self.errors.last_mut() {
            error.cut = true;
        }
        self.errors
    }
}

/// Whether the line begins an expected or received text of several lines: the rest of it may say anything.
fn opens_value(line: &str) -> bool {
    let compared = line.starts_with("Expected") || line.starts_with("Received");
    let value = line.split_once(':').map(|(_, value)| value.trim_start());
    compared && value.is_some_and(|value| value.starts_with('"') && (value.len() == 1 || !value.ends_with('"')))
}

/// A line of a dashed call log without its dashes and its repetition count.
fn step(line: &str) -> Option<&str> {
    let mut rest = line;
    while let Some(behind) = rest.strip_prefix("- ") {
        rest = behind.trim_start();
    }
    let behind = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    if behind.len() < rest.len()
        && let Some(repeated) = behind.strip_prefix(" × ")
    {
        rest = repeated;
    }
    (rest.len() < line.len()).then_some(rest)
}

/// Whether a line without a dash is a step of a log all the same: Python's older logs and padded tables print such.
fn is_bare_step(line: &str) -> bool {
    ["waiting for ", "locator resolved to ", "selector resolved to ", "unexpected value ", "attempting ", "element is "]
        .iter()
        .any(|start| line.starts_with(start))
}

/// `- Timeout 1500ms exceeded while waiting on the predicate`: the assertion was tried again and again.
fn is_predicate(line: &str) -> bool {
    line.ends_with("exceeded while waiting on the predicate")
        && line.trim_start_matches(['-', ' ']).starts_with("Timeout ")
}

/// Whether the line is the title that a reporter prints above the errors of a test.
fn is_title(line: &str) -> bool {
    let title = line.trim_start_matches("<![CDATA[").trim_start();
    title.contains(" › ") && (title.starts_with(|c: char| c == '[' || c.is_ascii_digit()) || ends_in_ruler(title))
}

/// Whether the line begins with a tag of a JUnit file.
fn is_report_tag(line: &str) -> bool {
    const TAGS: [&str; 9] =
        ["testsuite", "testcase", "failure", "error", "system-", "propert", "skipped", "?xml", "![CDATA["];
    let tag = line.strip_prefix('<').map(|tag| tag.strip_prefix('/').unwrap_or(tag));
    tag.is_some_and(|tag| TAGS.iter().any(|known| tag.starts_with(known)))
}

/// Whether the line belongs to a reporter's frame around the errors, not to an error.
fn is_decoration(line: &str) -> bool {
    const STARTS: [&str; 25] = [
        "attachment #",
        "Retry #",
        "Running ",
        "Usage:",
        "npx playwright ",
        "Note: ",
        "Error Context:",
        "Serving HTML report",
        "Slow test file",
        "✘ ",
        "✓ ",
        "Response text:",
        "}",
        "##[",
        "name='",
        "Failures:",
        "✔ ",
        "✖ ",
        "● ",
        "× ",
        "FAIL ",
        "```",
        "]]>",
        "[[ATTACHMENT|",
        "# ",
    ];
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let counted = number.len() < line.len();
    ends_in_ruler(line)
        || line.starts_with("──")
        || line.starts_with("====")
        || STARTS.iter().any(|start| line.starts_with(start))
        || is_title(line)
        || is_report_tag(line)
        || counted && number.starts_with(") ")
        || counted
            && [" failed", " passed", " flaky", " skipped", " did not run"].iter().any(|end| number.starts_with(end))
}
