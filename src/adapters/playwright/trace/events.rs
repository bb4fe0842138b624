//! The lines of event files as Playwright writes them, formats 3 to 10: only the fields that are used.
//!
//! Unknown fields and unknown kinds of event are passed over; that is how a newer format is read as far as it goes.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::few::Few;
use super::json::Text;

/// The newest trace format that is known here (Playwright 1.64 and 1.65).
pub(super) const NEWEST: u32 = 10;
/// The oldest trace format that is known here (Playwright 1.30 writes it).
pub(super) const OLDEST: u32 = 3;

/// Starts an event file: who wrote it and for which browser context.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ContextOptions {
    pub(super) version: Option<u32>,
    pub(super) origin: Text,
    pub(super) browser_name: Text,
    pub(super) playwright_version: Text,
    pub(super) title: Text,
    pub(super) sdk_language: Text,
    pub(super) wall_time: Option<f64>,
    pub(super) monotonic_time: Option<f64>,
    pub(super) test_id_attribute_name: Text,
}

/// A call or a step begins (`before`), or is recorded as a whole (`action`).
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Before<'a> {
    pub(super) call_id: Text,
    pub(super) step_id: Text,
    pub(super) parent_id: Text,
    pub(super) start_time: Option<f64>,
    pub(super) wall_time: Option<f64>,
    pub(super) class: Text,
    pub(super) method: Text,
    pub(super) title: Text,
    pub(super) api_name: Text,
    #[serde(borrow)]
    pub(super) params: Option<&'a RawValue>,
    pub(super) stack: Few<Frame>,
    pub(super) page_id: Text,
    #[serde(rename = "beforeSnapshot")]
    pub(super) snapshot: Text,
}

/// The input of a call is about to be sent.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Input {
    pub(super) call_id: Text,
    pub(super) point: Option<Point>,
    #[serde(rename = "box")]
    pub(super) target: Option<Size>,
    #[serde(rename = "inputSnapshot")]
    pub(super) snapshot: Text,
}

/// A line of a call's log.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Log {
    pub(super) call_id: Text,
    pub(super) message: Text,
}

/// A call or a step ends.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct After {
    pub(super) call_id: Text,
    pub(super) end_time: Option<f64>,
    pub(super) log: Few<Text>,
    pub(super) error: Option<Failure>,
    pub(super) point: Option<Point>,
    pub(super) attachments: Few<Attachment>,
    pub(super) input_snapshot: Text,
    #[serde(rename = "afterSnapshot")]
    pub(super) snapshot: Text,
}

/// An error of a call, a step, or the test.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Failure {
    pub(super) name: Text,
    pub(super) message: Text,
    pub(super) stack: Text,
}

/// An error that failed the test.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct TestError {
    pub(super) message: Text,
    pub(super) stack: Few<Frame>,
}

/// A place in the test's source.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Frame {
    pub(super) file: Text,
    pub(super) line: Option<u32>,
    pub(super) column: Option<u32>,
    pub(super) function: Text,
}

/// A point in CSS pixels.
#[derive(Debug, Deserialize)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
}

/// A box in CSS pixels.
#[derive(Debug, Deserialize)]
pub(super) struct Size {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// A file that a step attached.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Attachment {
    pub(super) name: Text,
    pub(super) content_type: Text,
    pub(super) sha1: Text,
    pub(super) file: Text,
}

/// A page snapshot of one frame.
#[derive(Debug, Deserialize)]
pub(super) struct SnapshotLine<'a> {
    #[serde(borrow)]
    pub(super) snapshot: FrameSnapshot<'a>,
}

/// See [`SnapshotLine`].
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FrameSnapshot<'a> {
    #[serde(default)]
    pub(super) call_id: Text,
    #[serde(default)]
    pub(super) snapshot_name: Text,
    #[serde(default)]
    pub(super) phase: Text,
    #[serde(default)]
    pub(super) page_id: Text,
    pub(super) frame_id: Text,
    #[serde(default)]
    pub(super) frame_url: Text,
    #[serde(borrow)]
    pub(super) html: &'a RawValue,
    #[serde(default)]
    pub(super) viewport: Option<Viewport>,
    #[serde(default)]
    pub(super) resource_overrides: Few<Override>,
    #[serde(default)]
    pub(super) is_main_frame: bool,
}

/// The size of the window, or of the frame.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Viewport {
    pub(super) width: Option<f64>,
    pub(super) height: Option<f64>,
}

/// A style sheet that a script had changed.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Override {
    pub(super) url: Text,
    pub(super) sha1: Text,
    pub(super) file: Text,
    #[serde(rename = "ref")]
    pub(super) back: Option<u32>,
}

/// A picture of the page.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Screencast {
    pub(super) page_id: Text,
    pub(super) sha1: Text,
    pub(super) file: Text,
    pub(super) timestamp: Option<f64>,
}

/// A message on the page's console, formats 5 and later.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Console {
    pub(super) message_type: Text,
    pub(super) text: Text,
    pub(super) time: Option<f64>,
    pub(super) page_id: Text,
}

/// Something that happened in the browser.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Happening<'a> {
    pub(super) class: Text,
    pub(super) method: Text,
    #[serde(borrow)]
    pub(super) params: Option<&'a RawValue>,
    pub(super) time: Option<f64>,
    pub(super) page_id: Text,
}

/// An object of Playwright's protocol came to be, format 4.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Object {
    pub(super) class: Text,
    pub(super) guid: Text,
    pub(super) initializer: ConsoleObject,
}

/// An object of Playwright's protocol came to be, format 3, and format 4 for what is no [`Object`].
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Created {
    #[serde(rename = "type")]
    pub(super) kind: Text,
    pub(super) guid: Text,
    pub(super) initializer: ConsoleObject,
}

/// The object of a console message, formats 3 and 4.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ConsoleObject {
    #[serde(rename = "type")]
    pub(super) kind: Text,
    pub(super) text: Text,
}

/// A console message was reported, formats 3 and 4.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Reported {
    pub(super) message: Guid,
}

/// A reference to a protocol object.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Guid {
    pub(super) guid: Text,
}

/// An error that no script of the page caught.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PageError {
    pub(super) error: Nested,
}

/// An error inside its protocol object.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Nested {
    pub(super) error: Option<Failure>,
}

/// A request with its response.
#[derive(Debug, Deserialize)]
pub(super) struct ResourceLine {
    pub(super) snapshot: Resource,
}

/// See [`ResourceLine`].
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Resource {
    pub(super) pageref: Text,
    pub(super) request: Request,
    pub(super) response: Response,
    #[serde(rename = "_monotonicTime")]
    pub(super) time: Option<f64>,
}

/// See [`Resource`].
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Request {
    pub(super) url: Text,
    pub(super) method: Text,
}

/// See [`Resource`].
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Response {
    pub(super) status: Option<i64>,
    pub(super) content: Content,
    #[serde(rename = "_failureText")]
    pub(super) failure: Text,
}

/// See [`Response`].
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Content {
    pub(super) mime_type: Text,
    #[serde(rename = "_sha1")]
    pub(super) sha1: Text,
    #[serde(rename = "_file")]
    pub(super) file: Text,
}

/// A call or something that happened, format 3.
#[derive(Debug, Deserialize)]
pub(super) struct MetadataLine<'a> {
    #[serde(borrow)]
    pub(super) metadata: Metadata<'a>,
}

/// See [`MetadataLine`].
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Metadata<'a> {
    pub(super) id: Text,
    pub(super) api_name: Text,
    pub(super) internal: bool,
    pub(super) page_id: Text,
    pub(super) frame_id: Text,
    pub(super) wall_time: Option<f64>,
    pub(super) start_time: Option<f64>,
    pub(super) end_time: Option<f64>,
    #[serde(rename = "type")]
    pub(super) class: Text,
    pub(super) method: Text,
    #[serde(borrow)]
    pub(super) params: Option<&'a RawValue>,
    pub(super) log: Few<Text>,
    pub(super) snapshots: Few<Named>,
    pub(super) error: Option<Nested>,
    pub(super) stack: Few<Frame>,
    pub(super) point: Option<Point>,
}

/// A snapshot of a call, format 3.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Named {
    pub(super) title: Text,
    pub(super) snapshot_name: Text,
}

/// The file beside an event file that holds the stacks of its calls, formats 4 and later.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Stacks {
    pub(super) files: Few<Text, 100_000>,
    pub(super) stacks: Few<CallStack, 200_000>,
}

/// A call and its frames: file number, line, column, function.
#[derive(Debug, Deserialize)]
pub(super) struct CallStack(pub(super) CallName, pub(super) Few<(usize, u32, u32, Text)>);

/// A call's id: up to format 9 only the number in it.
#[derive(Debug)]
pub(super) struct CallName(pub(super) String);

impl<'de> Deserialize<'de> for CallName {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?.get();
        let is_text = raw.starts_with('"');
        Ok(Self(if is_text { super::json::decode(raw.as_bytes()) } else { format!("call@{raw}") }))
    }
}

/// What kind of event a line is, without reading all of it where its kind comes first, as it does but for the first line.
pub(super) fn kind(line: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Typed {
        #[serde(rename = "type", default)]
        kind: Text,
    }
    if let Some(rest) = line.strip_prefix(br#"{"type":""#)
        && let Some(end) = memchr::memchr2(b'"', b'\\', rest.get(..64).unwrap_or(rest))
        && rest.get(end) == Some(&b'"')
    {
        return String::from_utf8(rest.get(..end)?.to_vec()).ok();
    }
    Some(serde_json::from_slice::<Typed>(line).ok()?.kind.0)
}
