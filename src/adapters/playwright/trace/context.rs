//! One event file with what lies beside it: the calls of a browser context, or the steps of the test runner.

use std::collections::HashMap;

use crate::domain::dom::{Rect, Viewport};
use crate::domain::failure::rejoined;

use super::events::{self, ContextOptions};
use super::few::Few;
use super::json::{Text, cap};
use super::messages::{part, plain};
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
    pub(super) created: HashMap<String, (String, String)>,
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
    /// Bytes of events whose content is in memory, over all event files.
    pub(super) kept: &'a mut usize,
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
        let kind = events::kind(line);
        // Of a snapshot only its place is kept, of a long line a part.
        *self.kept += if kind.as_deref() == Some("frame-snapshot") { 512 } else { line.len().min(64 << 10) };
        if *self.kept > self.limits.kept_bytes {
            return Err(TraceError::Limit { what: "bytes of events", limit: self.limits.kept_bytes as u64 });
        }
        let read = kind.map_or(Err(Unread::Damaged), |kind| self.event(&kind, line));
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

    pub(super) fn text(&self, text: Text) -> String {
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
        for message in event.log.0 {
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

    fn attachments(&self, attachments: Few<events::Attachment>) -> Vec<Attachment> {
        attachments
            .0
            .into_iter()
            .map(|attachment| Attachment {
                name: self.text(attachment.name),
                content_type: self.text(attachment.content_type),
                part: part(attachment.file, &attachment.sha1),
            })
            .collect()
    }

    pub(super) fn error(&self, failure: events::Failure) -> ActionError {
        let message = plain(&failure.message.0);
        ActionError { name: self.text(failure.name), message: cap(message, self.limits.text_bytes) }
    }

    pub(super) fn stack(&self, frames: Few<events::Frame>) -> Vec<StackFrame> {
        frames
            .0
            .into_iter()
            .take(100)
            .map(|frame| {
                let (function, file) = match rejoined(&frame.function.0, &frame.file.0) {
                    Some(file) => (Text::default(), Text(file)),
                    None => (frame.function, frame.file),
                };
                StackFrame {
                    file: self.text(file),
                    line: frame.line.unwrap_or_default(),
                    column: frame.column.unwrap_or_default(),
                    function: self.text(function),
                }
            })
            .collect()
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
        let sheets = snapshot.resource_overrides.0.into_iter().filter_map(|sheet| {
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
            viewport: snapshot.viewport.and_then(|size| Some(Viewport { width: size.width?, height: size.height? })),
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
            let snapshot = metadata.snapshots.0.iter().find(|snapshot| snapshot.title.0 == title);
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
        for events::CallStack(id, frames) in stacks.stacks.0 {
            let frames = frames.0.into_iter().map(|(file, line, column, function)| events::Frame {
                file: stacks.files.0.get(file).cloned().unwrap_or_default(),
                line: Some(line),
                column: Some(column),
                function,
            });
            let frames = self.stack(Few(frames.collect()));
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

impl Text {
    /// The text, if there is any.
    fn some(self) -> Option<String> {
        (!self.0.is_empty()).then_some(self.0)
    }
}

impl From<events::Size> for Rect {
    fn from(size: events::Size) -> Self {
        Self { x: size.x, y: size.y, width: size.width, height: size.height }
    }
}
