//! One event file with what lies beside it: the calls of a browser context, or the steps of the test runner.

use std::collections::HashMap;

use super::events::{self, ContextOptions};
use super::json::{Text, cap};
use super::model::{
    Action, ActionError, Attachment, ConsoleError, FailedRequest, ScreencastFrame, StackFrame, TestFailure,
};
use super::params;
use super::snapshots::{Draft, Incoming, Recorder, Sheet};
use super::{Limits, TraceError};

/// What one event file says.
#[derive(Debug, Default)]
pub(super) struct Context {
    pub(super) options: ContextOptions,
    pub(super) version: Option<u32>,
    pub(super) calls: Vec<Call>,
    by_id: HashMap<String, usize>,
    pub(super) failures: Vec<TestFailure>,
    pub(super) console: Vec<ConsoleError>,
    pub(super) requests: Vec<FailedRequest>,
    pub(super) screencast: Vec<ScreencastFrame>,
    /// Parts that hold style sheets, by address.
    pub(super) style_sheets: Vec<(String, String)>,
    /// Lines that could not be read.
    pub(super) damaged: usize,
    /// Messages of formats 3 and 4 that were created and not yet reported: kind and text by guid.
    created: HashMap<String, (String, String)>,
}

/// An action, and what joins it with the same action in another event file.
#[derive(Debug, Default)]
pub(super) struct Call {
    pub(super) action: Action,
    /// The step that the test runner knows it by.
    pub(super) step: String,
    /// The id of the step around it.
    pub(super) parent: String,
    /// When it began by the wall clock, in ms; 0 where that is not recorded.
    pub(super) wall_time: f64,
}

/// Reads the lines of one event file.
pub(super) struct Reader<'a> {
    pub(super) context: Context,
    pub(super) limits: &'a Limits,
    pub(super) recorder: &'a mut Recorder,
    /// The number of the event file.
    pub(super) file: u32,
}

/// Why a line was not used.
enum Unread {
    /// It could not be read.
    Damaged,
    /// It exceeds a limit, or the disk failed.
    Fatal(TraceError),
}

impl From<serde_json::Error> for Unread {
    fn from(_: serde_json::Error) -> Self {
        Self::Damaged
    }
}

impl From<TraceError> for Unread {
    fn from(error: TraceError) -> Self {
        Self::Fatal(error)
    }
}

impl Reader<'_> {
    /// Takes in one line. A line that cannot be read is counted and passed over.
    pub(super) fn line(&mut self, line: &[u8]) -> Result<(), TraceError> {
        if line.trim_ascii().is_empty() {
            return Ok(());
        }
        let read = match events::kind(line) {
            Some(kind) => self.event(&kind, line),
            None => Err(Unread::Damaged),
        };
        match read {
            Ok(()) => Ok(()),
            Err(Unread::Damaged) => {
                self.context.damaged += 1;
                Ok(())
            }
            Err(Unread::Fatal(error)) => Err(error),
        }
    }

    fn event(&mut self, kind: &str, line: &[u8]) -> Result<(), Unread> {
        match kind {
            "frame-snapshot" => return self.snapshot(line),
            "context-options" => {
                let options: ContextOptions = serde_json::from_slice(line)?;
                self.context.version = self.context.version.or(options.version);
                self.context.options = options;
            }
            "log" => self.log(serde_json::from_slice(line)?),
            "before" => self.begin(serde_json::from_slice(line)?)?,
            "input" => self.input(serde_json::from_slice(line)?),
            "after" => self.end(serde_json::from_slice(line)?),
            "action" if self.is_format_3() => self.metadata(serde_json::from_slice(line)?)?,
            "action" => {
                self.begin(serde_json::from_slice(line)?)?;
                self.end(serde_json::from_slice(line)?);
            }
            "error" => self.failure(serde_json::from_slice(line)?),
            "screencast-frame" => self.picture(serde_json::from_slice(line)?),
            "console" => self.console(serde_json::from_slice(line)?),
            "event" if self.is_format_3() => self.happening_format_3(serde_json::from_slice(line)?),
            "event" => self.happening(&serde_json::from_slice(line)?),
            "object" => {
                let events::Object { class, guid, initializer } = serde_json::from_slice(line)?;
                self.created(events::Created { kind: class, guid, initializer });
            }
            "resource-snapshot" => self.resource(serde_json::from_slice(line)?),
            _ => {}
        }
        Ok(())
    }

    fn is_format_3(&self) -> bool {
        self.context.version.is_some_and(|version| version <= 3)
    }

    fn text(&self, text: Text) -> String {
        text.capped(self.limits.text_bytes)
    }

    fn call(&mut self, id: &Text) -> Option<&mut Action> {
        let at = *self.context.by_id.get(&id.0)?;
        Some(&mut self.context.calls.get_mut(at)?.action)
    }

    fn begin(&mut self, event: events::Before<'_>) -> Result<(), TraceError> {
        if self.context.calls.len() >= self.limits.actions {
            return Err(TraceError::Limit { what: "calls", limit: self.limits.actions as u64 });
        }
        let parameters = params::read(event.params, self.limits);
        let id = self.text(event.call_id);
        // Up to format 6 the test runner's steps and the library's calls share nothing but their name and the time.
        let name = if event.title.0.is_empty() { &event.api_name } else { &event.title };
        let step = match (&event.step_id.0, event.wall_time) {
            (step, _) if !step.is_empty() => step.clone(),
            (_, Some(time)) if self.context.version.is_none_or(|version| version < 7) => format!("{}@{time}", name.0),
            _ => id.clone(),
        };
        let action = Action {
            title: cap(name.0.clone(), self.limits.text_bytes),
            class: self.text(event.class),
            method: self.text(event.method),
            selector: parameters.selector,
            strict: parameters.strict,
            params: parameters.others,
            stack: self.stack(event.stack),
            start: event.start_time.unwrap_or_default(),
            page_id: self.text(event.page_id),
            before: event.snapshot.some(),
            call_id: id.clone(),
            ..Action::default()
        };
        let wall_time = event.wall_time.unwrap_or_default();
        self.context.by_id.insert(id, self.context.calls.len());
        let step = cap(step, self.limits.text_bytes);
        self.context.calls.push(Call { action, step, parent: self.text(event.parent_id), wall_time });
        Ok(())
    }

    fn input(&mut self, event: events::Input) {
        if let Some(action) = self.call(&event.call_id) {
            action.point = event.point.map(|point| (point.x, point.y)).or(action.point);
            action.target_box = event.target.map(Into::into).or(action.target_box);
            action.input = event.snapshot.some();
        }
    }

    fn log(&mut self, event: events::Log) {
        let (lines, bytes) = (self.limits.log_lines, self.limits.text_bytes);
        if let Some(action) = self.call(&event.call_id) {
            if action.log.len() >= lines {
                action.log.remove(lines / 2);
            }
            action.log.push(event.message.capped(bytes));
        }
    }

    fn end(&mut self, event: events::After) {
        let is_step = !self.is_library();
        let error = event.error.map(|failure| self.error(failure));
        let attachments = self.attachments(event.attachments);
        for message in event.log.into_iter().flatten() {
            self.log(events::Log { call_id: event.call_id.clone(), message });
        }
        let Some(action) = self.call(&event.call_id) else { return };
        action.end = event.end_time;
        if is_step {
            action.step_error = error;
        } else {
            action.error = error;
        }
        action.point = event.point.map(|point| (point.x, point.y)).or(action.point);
        action.input = event.input_snapshot.some().or(action.input.take());
        action.after = event.snapshot.some();
        action.attachments = attachments;
    }

    /// Whether the file comes from a browser context; the test runner's have no first line up to format 6.
    pub(super) fn is_library(&self) -> bool {
        self.context.is_library()
    }

    fn attachments(&self, attachments: Option<Vec<events::Attachment>>) -> Vec<Attachment> {
        let attachments = attachments.into_iter().flatten().take(self.limits.messages);
        attachments
            .map(|attachment| Attachment {
                name: self.text(attachment.name),
                content_type: self.text(attachment.content_type),
                part: part(attachment.file, &attachment.sha1),
            })
            .collect()
    }

    fn error(&self, failure: events::Failure) -> ActionError {
        let message = plain(&failure.message.0);
        ActionError { name: self.text(failure.name), message: cap(message, self.limits.text_bytes) }
    }

    fn stack(&self, frames: Option<Vec<events::Frame>>) -> Vec<StackFrame> {
        let frames = frames.into_iter().flatten().take(100);
        frames
            .map(|frame| StackFrame {
                file: self.text(frame.file),
                line: frame.line.unwrap_or_default(),
                column: frame.column.unwrap_or_default(),
                function: self.text(frame.function),
            })
            .collect()
    }

    fn failure(&mut self, event: events::TestError) {
        if self.context.failures.len() < self.limits.messages {
            let message = cap(plain(&event.message.0), self.limits.text_bytes);
            let stack = self.stack(event.stack);
            self.context.failures.push(TestFailure { message, stack });
        }
    }

    fn picture(&mut self, event: events::Screencast) {
        if self.context.screencast.len() < self.limits.actions {
            let (page_id, time) = (self.text(event.page_id), event.timestamp.unwrap_or_default());
            self.context.screencast.push(ScreencastFrame { page_id, part: part(event.file, &event.sha1), time });
        }
    }

    fn console(&mut self, event: events::Console) {
        if event.message_type.0 == "error" {
            let (text, page_id) = (self.text(event.text), self.text(event.page_id));
            self.console_error(ConsoleError { text, time: event.time.unwrap_or_default(), page_id, uncaught: false });
        }
    }

    fn console_error(&mut self, error: ConsoleError) {
        if self.context.console.len() < self.limits.messages {
            self.context.console.push(error);
        }
    }

    fn happening(&mut self, event: &events::Happening<'_>) {
        let params = event.params.map_or("{}", |params| params.get());
        let time = event.time.unwrap_or_default();
        match event.method.0.as_str() {
            "pageError" => {
                let error: events::PageError = serde_json::from_str(params).unwrap_or_default();
                if let Some(failure) = error.error.error {
                    let (text, page_id) = (self.error(failure).message, self.text(event.page_id.clone()));
                    self.console_error(ConsoleError { text, time, page_id, uncaught: true });
                }
            }
            "__create__" => {
                if let Ok(created) = serde_json::from_str(params) {
                    self.created(created);
                }
            }
            "console" => {
                let reported: events::Reported = serde_json::from_str(params).unwrap_or_default();
                if let Some((kind, text)) = self.context.created.remove(&reported.message.guid.0) {
                    let page_id = event.page_id.clone();
                    self.console(events::Console {
                        message_type: Text(kind),
                        text: Text(text),
                        time: event.time,
                        page_id,
                    });
                }
            }
            _ => {}
        }
    }

    fn happening_format_3(&mut self, event: events::MetadataLine<'_>) {
        let metadata = event.metadata;
        self.happening(&events::Happening {
            class: metadata.class,
            method: metadata.method,
            params: metadata.params,
            time: metadata.start_time,
            page_id: metadata.page_id,
        });
    }

    fn created(&mut self, created: events::Created) {
        let is_message = created.kind.0 == "ConsoleMessage" && created.initializer.kind.0 == "error";
        if is_message && self.context.created.len() < self.limits.messages {
            let text = self.text(created.initializer.text);
            self.context.created.insert(created.guid.0, (created.initializer.kind.0, text));
        }
    }

    fn resource(&mut self, event: events::ResourceLine) {
        let events::Resource { pageref, request, response, time } = event.snapshot;
        let held = part(response.content.file, &response.content.sha1);
        if response.content.mime_type.0.starts_with("text/css")
            && !held.is_empty()
            && self.context.style_sheets.len() < self.limits.entries
        {
            self.context.style_sheets.push((cap(request.url.0.clone(), self.limits.text_bytes), held));
        }
        let status = response.status.and_then(|status| u16::try_from(status).ok()).filter(|&status| status > 0);
        let failed = !response.failure.0.is_empty() || status.is_some_and(|status| status >= 400);
        if failed && self.context.requests.len() < self.limits.messages {
            let url = request.url.0.split(['?', '#']).next().unwrap_or_default().to_owned();
            self.context.requests.push(FailedRequest {
                method: self.text(request.method),
                url: cap(url, self.limits.text_bytes),
                status,
                failure: self.text(response.failure),
                time: time.unwrap_or_default(),
                page_id: self.text(pageref),
            });
        }
    }

    fn snapshot(&mut self, line: &[u8]) -> Result<(), Unread> {
        let line: events::SnapshotLine<'_> = serde_json::from_slice(line)?;
        let snapshot = line.snapshot;
        let name = if snapshot.phase.0.is_empty() {
            snapshot.snapshot_name.0
        } else {
            snapshot_name(&snapshot.phase.0, &snapshot.call_id.0)
        };
        // Up to format 8 the call is known by the snapshot's name alone in some formats: `after@call@21`.
        let call = snapshot.call_id.some().or_else(|| Some(name.split_once('@')?.1.to_owned())).unwrap_or_default();
        let sheets = snapshot.resource_overrides.into_iter().filter_map(|sheet| {
            let held = part(sheet.file, &sheet.sha1);
            let text = if held.is_empty() { Sheet::Back(sheet.back?) } else { Sheet::Part(held) };
            Some((cap(sheet.url.0, self.limits.text_bytes), text))
        });
        let draft = Draft {
            frame: cap(snapshot.frame_id.0, self.limits.text_bytes),
            page: cap(snapshot.page_id.0, self.limits.text_bytes),
            url: cap(snapshot.frame_url.0, self.limits.text_bytes),
            call,
            main: snapshot.is_main_frame,
            sheets: sheets.collect(),
        };
        self.recorder.add(self.file, Incoming { name, snapshot: draft, html: snapshot.html.get() })?;
        Ok(())
    }

    fn metadata(&mut self, line: events::MetadataLine<'_>) -> Result<(), TraceError> {
        let metadata = line.metadata;
        if metadata.internal || metadata.method.0.starts_with("tracing") {
            return Ok(());
        }
        let named = |title: &str| {
            let snapshot = metadata.snapshots.iter().find(|snapshot| snapshot.title.0 == title);
            snapshot.map(|snapshot| snapshot.snapshot_name.clone()).unwrap_or_default()
        };
        let (before, input, after) = (named("before"), named("action"), named("after"));
        self.begin(events::Before {
            call_id: metadata.id.clone(),
            start_time: metadata.start_time,
            wall_time: metadata.wall_time,
            class: metadata.class,
            method: metadata.method,
            api_name: metadata.api_name,
            params: metadata.params,
            stack: metadata.stack,
            page_id: metadata.page_id,
            snapshot: before,
            ..events::Before::default()
        })?;
        self.end(events::After {
            call_id: metadata.id.clone(),
            // An action that was cut short by the end of the recording has 0.
            end_time: metadata.end_time.filter(|&time| time > 0.0),
            log: metadata.log,
            error: metadata.error.and_then(|error| error.error),
            point: metadata.point,
            input_snapshot: input,
            snapshot: after,
            ..events::After::default()
        });
        let frame = metadata.frame_id.some();
        if let Some(action) = self.call(&metadata.id) {
            action.frame_id = frame;
        }
        Ok(())
    }

    /// Takes in the file of stacks beside the event file.
    pub(super) fn stacks(&mut self, json: &[u8]) {
        let Ok(stacks) = serde_json::from_slice::<events::Stacks>(json) else {
            self.context.damaged += 1;
            return;
        };
        for events::CallStack(id, frames) in stacks.stacks {
            let frames = frames.into_iter().map(|(file, line, column, function)| events::Frame {
                file: stacks.files.get(file).cloned().unwrap_or_default(),
                line: Some(line),
                column: Some(column),
                function,
            });
            let frames = self.stack(Some(frames.collect()));
            if let Some(action) = self.call(&Text(id.0)).filter(|action| action.stack.is_empty()) {
                action.stack = frames;
            }
        }
    }
}

impl Context {
    /// Whether the file comes from a browser context; the test runner's have no first line up to format 6.
    pub(super) fn is_library(&self) -> bool {
        self.version.is_some() && self.options.origin.0 != "testRunner"
    }

    /// Whether every error that failed the test would be in this file.
    pub(super) fn records_failures(&self) -> bool {
        !self.is_library() && self.version.is_some_and(|version| version >= 7)
    }
}

/// The name of a snapshot in formats 9 and later, which name the call and the phase: as older ones wrote it.
pub(super) fn snapshot_name(phase: &str, call: &str) -> String {
    format!("{phase}@{call}")
}

/// The name of the part that holds a resource. Up to format 8 only its hash is recorded.
fn part(file: Text, sha1: &Text) -> String {
    if file.0.is_empty() && !sha1.0.is_empty() { format!("resources/{}", sha1.0) } else { file.0 }
}

/// Takes colour codes out.
fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

impl Text {
    /// The text, if there is any.
    fn some(self) -> Option<String> {
        (!self.0.is_empty()).then_some(self.0)
    }
}

impl From<events::Size> for crate::domain::dom::Rect {
    fn from(size: events::Size) -> Self {
        Self { x: size.x, y: size.y, width: size.width, height: size.height }
    }
}
