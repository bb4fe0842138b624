//! What can be known of a group beyond its texts: the page of the failing moment from a trace, the definition from the
//! sources. Bounded: a suite with ten thousand causes is not looked through to the end.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};

use super::Triage;
use crate::adapters::playwright::trace::{Action, Hint, Trace, When};
use crate::domain::triage::{Cause, Definition, Failure, Group, Site, join, join_further};
use crate::heal::scene::Scene;
use crate::heal::sources::Sources;
use crate::source::locate::{Frame, Piece, Question, Shape, TextPart, locate};

/// Of how many groups, the first ones, traces are opened: each takes some tens of milliseconds.
const TRACES: usize = 40;

/// Of how many groups, the first ones, the definition is looked for.
const DEFINITIONS: usize = 400;

/// How many members of a group are asked for a trace.
const MEMBERS: usize = 3;

/// A trace or picture with more bytes is left alone.
const FILE_CAP: u64 = 256 * 1024 * 1024;

/// A picture with more bytes is left out of every report.
const PICTURE_CAP: usize = 2 * 1024 * 1024;

/// How long before the failing call began a request or a console message may lie to be called near, in milliseconds.
const NEAR: f64 = 5_000.0;

/// How many requests, and how many messages, are kept of a group.
const KEPT: usize = 5;

/// What was seen of a group.
#[derive(Debug, Clone, Default)]
pub struct Looked {
    /// Where the stale link is defined.
    pub definition: Option<Definition>,
    /// How the definition is held: inline, constant, field …
    pub shape: Option<String>,
    /// The attribute that `getByTestId` looks at, as the trace says it.
    pub test_id_attribute: Option<String>,
    /// The links of the failed locator, and how many elements the chain up to each matched.
    pub links: Vec<(String, Option<usize>)>,
    /// The page's address, without query and fragment.
    pub url: Option<String>,
    /// Errors on the console near the failing call.
    pub console: Vec<String>,
    /// Requests that failed near the failing call: method, address, status or reason.
    pub requests: Vec<(String, String, String)>,
    /// The page at the failing moment.
    pub picture: Option<Picture>,
    /// The trace that was read, as a path on this machine.
    pub trace: Option<Utf8PathBuf>,
}

/// A picture of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// `image/png` or `image/jpeg`.
    pub media_type: &'static str,
    /// The file.
    pub bytes: Vec<u8>,
}

impl Picture {
    /// The picture that `bytes` hold, if they are one of the two kinds and not too large.
    pub fn of(bytes: Vec<u8>) -> Option<Self> {
        let media_type = if bytes.starts_with(b"\x89PNG") {
            "image/png"
        } else if bytes.starts_with(b"\xff\xd8\xff") {
            "image/jpeg"
        } else {
            return None;
        };
        (bytes.len() <= PICTURE_CAP).then_some(Self { media_type, bytes })
    }
}

/// Where files may be read: the project, and the folders that reports lie in.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// The project's root, symlinks resolved, if there is a project.
    pub root: Option<Utf8PathBuf>,
    /// Folders in which traces and pictures may lie, symlinks resolved.
    pub folders: Vec<Utf8PathBuf>,
}

impl Places {
    /// `path`, which a report names, if it is a file in one of the folders: a report is text, and text is no path.
    fn confined(&self, path: &str) -> Option<Utf8PathBuf> {
        let path = Utf8Path::new(path).canonicalize_utf8().ok()?;
        let inside = self.root.iter().chain(&self.folders).any(|folder| path.starts_with(folder));
        let small = std::fs::metadata(&path).is_ok_and(|file| file.is_file() && file.len() <= FILE_CAP);
        (inside && small).then_some(path)
    }
}

/// Looks at the groups of `triage`, joins those that turn out to have one definition, and says what was seen of each group
/// by its id.
pub fn look(triage: &mut Triage, places: &Places) -> BTreeMap<String, Looked> {
    let mut looked = vec![Looked::default(); triage.groups.len()];
    for (group, looked) in triage.groups.iter().zip(&mut looked).take(DEFINITIONS) {
        if matches!(group.cause, Cause::Locator { .. }) {
            at_sources(triage, group, places, looked);
        }
    }
    let mut looked = joined(triage, looked, join);
    for (group, looked) in triage.groups.iter().zip(&mut looked).take(TRACES) {
        at_trace(triage, group, places, looked);
    }
    let looked = joined(triage, looked, join_further);
    triage.groups.iter().map(|group| group.id.clone()).zip(looked).collect()
}

/// A way to join groups that are one cause by their definitions.
type Join = fn(&[Failure], &[Group], &[Option<Definition>]) -> Vec<Group>;

/// Joins the groups by the definitions that are known, and says what was seen of each of the new ones.
fn joined(triage: &mut Triage, looked: Vec<Looked>, join: Join) -> Vec<Looked> {
    let definitions: Vec<Option<Definition>> = looked.iter().map(|looked| looked.definition.clone()).collect();
    let groups = join(&triage.failures, &triage.groups, &definitions);
    let mut by_member: BTreeMap<usize, Looked> = BTreeMap::new();
    for (group, looked) in triage.groups.iter().zip(looked) {
        by_member.extend(group.members.first().map(|&member| (member, looked)));
    }
    // Of a group that was joined, the one of its parts that saw most speaks.
    let seen = groups.iter().map(|group| {
        let parts = group.members.iter().filter_map(|member| by_member.remove(member));
        parts.min_by_key(|looked| (looked.trace.is_none(), looked.definition.is_none())).unwrap_or_default()
    });
    let seen = seen.collect();
    triage.groups = groups;
    seen
}

fn at_trace(triage: &Triage, group: &Group, places: &Places, looked: &mut Looked) {
    for &member in group.members.iter().take(MEMBERS) {
        let (Some(failure), Some(kept)) = (triage.failures.get(member), triage.kept.get(member)) else { continue };
        looked.picture = looked.picture.take().or_else(|| {
            let path = kept.screenshots.iter().find_map(|path| places.confined(path))?;
            Picture::of(std::fs::read(path).ok()?)
        });
        let Some(path) = kept.traces.iter().find_map(|path| places.confined(path)) else { continue };
        let hint = Hint {
            message: Some(&kept.message),
            locator: failure.reading.locator.as_deref(),
            line: failure.site.as_ref().map(|site| (site.file.as_str(), site.line)),
        };
        if let Ok(scene) = Scene::open(&path, &hint) {
            of_scene(&scene, places, looked);
            moment(&scene.trace, scene.failing(), looked);
        } else if let Ok(trace) = Trace::open(&path) {
            let failing = trace.failing_candidates(&hint).first().and_then(|best| trace.actions.get(best.action));
            moment(&trace, failing, looked);
        } else {
            continue;
        }
        looked.trace = Some(path);
        return;
    }
}

/// The links of the locator, the page, and where the broken link is defined.
fn of_scene(scene: &Scene, places: &Places, looked: &mut Looked) {
    looked.links = scene.links.iter().map(|link| (link.printed.clone(), link.count)).collect();
    looked.test_id_attribute.clone_from(&scene.trace.info.test_id_attribute);
    looked.url = Some(bare(&scene.dom.frame(scene.frame).url));
    let Some(root) = &places.root else { return };
    let Some(link) = scene.broken().ok().and_then(|at| scene.links.get(at)) else { return };
    let sources = Sources { root };
    let (_, found) = scene.locate(&sources);
    let Ok(found) = found else { return };
    defined(found.piece_of(link.steps.start), &link.printed, looked);
}

/// What happened near the failing call, and the last picture of its page.
fn moment(trace: &Trace, failing: Option<&Action>, looked: &mut Looked) {
    let (start, end) = failing.map_or((f64::MIN, f64::MAX), |action| (action.start, action.end.unwrap_or(f64::MAX)));
    let near = |time: f64| time >= start - NEAR && time <= end;
    let page = failing.map(|action| action.page_id.as_str()).filter(|page| !page.is_empty());
    let console = trace.console_errors.iter().filter(|error| near(error.time));
    looked.console = console.map(|error| error.text.clone()).take(KEPT).collect();
    let requests = trace.failed_requests.iter().filter(|request| near(request.time)).map(|request| {
        let ended = request.status.map_or_else(|| request.failure.clone(), |status| status.to_string());
        (request.method.clone(), request.url.clone(), ended)
    });
    looked.requests = requests.take(KEPT).collect();
    let mut frames = trace.screencast.iter().filter(|frame| frame.time <= end);
    let frame = frames.rfind(|frame| page.is_none_or(|page| frame.page_id == page));
    let picture = frame.and_then(|frame| Picture::of(trace.part(&frame.part).ok()?));
    looked.picture = picture.or_else(|| looked.picture.take());
}

/// Without a trace: the definition by the stack and the printed locator. Which of several links broke is not known then, so
/// only a locator of one piece has a definition of its own.
fn at_sources(triage: &Triage, group: &Group, places: &Places, looked: &mut Looked) {
    let Some(root) = &places.root else { return };
    let Some((failure, kept)) =
        group.members.first().and_then(|&member| Some((triage.failures.get(member)?, triage.kept.get(member)?)))
    else {
        return;
    };
    let named = failure.site.iter().map(|site| (site.file.clone(), site.line, site.column));
    let stack = kept.frames.iter().map(|frame| (frame.file.clone(), frame.line, frame.column));
    // The stack tells more than its innermost place alone.
    let places: Vec<_> = if kept.frames.is_empty() { named.collect() } else { stack.collect() };
    let frames: Vec<Frame> = places
        .into_iter()
        .filter(|(path, ..)| !path.starts_with("..") && !path.starts_with('/'))
        .map(|(path, line, column)| Frame { path, line, column: column.unwrap_or_default() })
        .collect();
    if frames.is_empty() {
        return;
    }
    let entries: Vec<&str> = frames.iter().map(|frame| frame.path.as_str()).collect();
    let project = Sources { root }.load(&entries);
    let question = Question { frames: &frames, locator: failure.reading.locator.as_deref() };
    let Ok(found) = locate(&project, &question) else { return };
    let locator = failure.reading.locator.as_deref().unwrap_or_default();
    if let [piece] = found.pieces.as_slice()
        && found.unexplained.is_none()
    {
        defined(Some(piece), locator, looked);
    }
}

fn defined(piece: Option<&Piece>, link: &str, looked: &mut Looked) {
    let Some(piece) = piece else { return };
    // A selector that is held elsewhere is defined there, however many calls use it.
    let mut literals = piece.texts.iter().flat_map(|text| &text.parts).filter_map(|part| match part {
        TextPart::Literal(literal) if literal.shape != Shape::Inline => Some((&literal.site, literal.shape)),
        TextPart::Literal(_) | TextPart::Hole => None,
    });
    let (at, shape) = literals.next().unwrap_or((&piece.call, piece.shape));
    looked.shape = Some(format!("{shape:?}").to_lowercase());
    let site = Site { file: at.path.clone(), line: at.line, column: None };
    looked.definition = Some(Definition { site, link: link.to_owned() });
}

/// A page with the element that a step worked on.
#[derive(Debug, Clone)]
pub struct Boxed {
    /// The page.
    pub picture: Picture,
    /// The element: left, top, width and height in hundredths of the page's.
    pub element: (f64, f64, f64, f64),
}

/// The page of the step at `at` with the element it worked on, from the first of `traces` in which it passed.
pub fn after(traces: &[Utf8PathBuf], at: &Site, root: &Utf8Path) -> Option<Boxed> {
    traces.iter().take(TRACES).find_map(|path| {
        let trace = Trace::open(path).ok()?;
        let here = |action: &&Action| {
            let frame = action.stack.iter().any(|frame| frame.line == at.line && root.join(&at.file) == frame.file);
            frame && !action.failed_or_pending() && action.target_box.is_some()
        };
        let action = trace.actions.iter().find(here)?;
        let target = action.target_box?;
        // What the step itself does may take the element away.
        let frames = trace.screencast.iter().filter(|frame| frame.page_id == action.page_id);
        let frame = frames.clone().rfind(|frame| frame.time <= action.start).or_else(|| frames.clone().next())?;
        let picture = Picture::of(trace.part(&frame.part).ok()?)?;
        let viewport = trace.dom(action, When::Last).ok()?.viewport;
        let of = |part: f64, whole: f64| if whole > 0.0 { hundredths(part / whole) } else { 0.0 };
        let (width, height) = (viewport.width, viewport.height);
        let element = (of(target.x, width), of(target.y, height), of(target.width, width), of(target.height, height));
        Some(Boxed { picture, element })
    })
}

/// A part of a whole in hundredths of it, with two digits: more is less than a pixel.
fn hundredths(part: f64) -> f64 {
    ((part * 10_000.0).round() / 100.0).clamp(0.0, 100.0)
}

/// An address without query and fragment, which may hold secrets.
fn bare(url: &str) -> String {
    url.split(['?', '#']).next().unwrap_or_default().to_owned()
}
