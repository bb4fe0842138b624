//! What the failing step saw: its call, its page, the link of its locator that stopped matching, and where in the source
//! that link is defined.
//!
//! Reads the trace and the project's sources; decides only that something cannot be known.

use camino::Utf8Path;

use super::reproduce::Failing;
use super::sources::{Sources, inside};
use crate::adapters::fingerprints::project_of;
use crate::adapters::playwright::trace::{Action, Hint, Trace, When};
use crate::domain::dom::{Dom, FrameId, Page};
use crate::domain::fingerprint::Record;
use crate::domain::identity::Successor;
use crate::domain::locator::Locator;
use crate::domain::locator::render::Style;
use crate::domain::verdict::{Reason, ReasonCode};
use crate::source::locate::{Definition, Frame, Question, Refusal, locate};
use crate::source::project::Project;

/// What the failing step saw.
pub struct Scene {
    /// The trace.
    pub trace: Trace,
    /// The failing action, an index into the trace's actions.
    pub action: usize,
    /// The page when the action gave up.
    pub dom: Dom,
    /// The frame that the action worked in.
    pub frame: FrameId,
    /// The locator that failed.
    pub locator: Locator,
    /// The locator as Playwright prints it.
    pub printed: String,
    /// Its links with their counts.
    pub links: Vec<SceneLink>,
    /// What lies behind the broken link; empty until it was looked at.
    pub behind: Behind,
}

/// What source, repository and earlier runs say of the broken link.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Behind {
    /// What the repository says became of its literals.
    pub history: Vec<Successor>,
    /// What the source calls it.
    pub names: Vec<String>,
    /// What the steps that the test did not come to name.
    pub later: Vec<Locator>,
    /// The Playwright project as the trace's folder names it.
    pub project: String,
    /// What a green trace of the project's last run says the call meant.
    pub recorded: Option<Record>,
}

/// A link of the failed locator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SceneLink {
    /// As Playwright prints it.
    pub printed: String,
    /// Which steps of the locator it stands for.
    pub steps: std::ops::Range<usize>,
    /// What the chain up to it matches; `None` where the snapshot cannot say.
    pub count: Option<usize>,
}

impl Scene {
    /// The scene of a reproduced failure.
    pub(super) fn of(failing: &Failing) -> Result<Self, Reason> {
        let Some(path) = &failing.trace else {
            return Err(Reason::new(ReasonCode::NoSnapshot, "the run left no trace, so the page cannot be seen"));
        };
        let message: Vec<&str> = failing.attempt.errors.iter().map(|error| error.message.as_str()).collect();
        let message = message.join("\n\n");
        let line = failing.attempt.location.as_ref().map(|at| (at.file.as_str(), at.line));
        let hint = Hint { message: Some(&message), locator: failing.classification.locator.as_deref(), line };
        Self::open(path, &hint)
    }

    /// The scene of the failing action in a trace.
    pub fn open(path: &Utf8Path, hint: &Hint<'_>) -> Result<Self, Reason> {
        let unseen = |why: String| Reason::new(ReasonCode::NoSnapshot, why);
        let trace = Trace::open(path.as_std_path()).map_err(|error| unseen(error.to_string()))?;
        let candidates = trace.failing_candidates(hint);
        let with_selector = || candidates.iter().filter(|candidate| candidate.fit.has_selector);
        let known = with_selector().find(|candidate| candidate.fit.same_error || candidate.fit.same_locator);
        // A call whose error a report does not name may have been caught by the test itself.
        let chosen = known.or_else(|| with_selector().next().filter(|_| hint.message.is_none()));
        let action = chosen.ok_or_else(|| unseen("the trace holds no failed action with a locator".to_owned()))?.action;
        let (dom, frame, locator) = {
            let action = trace.actions.get(action).ok_or_else(|| unseen("the trace is inconsistent".to_owned()))?;
            let dom = trace.dom(action, When::Last).map_err(|error| unseen(error.to_string()))?;
            let frame =
                frame_of(&dom, action).ok_or_else(|| unseen("the page of the failing step is empty".to_owned()))?;
            let selector = action.selector.as_deref().unwrap_or_default();
            let locator = Locator::from_internal(selector).map_err(|error| unseen(error.to_string()))?;
            (dom, frame, locator)
        };
        let printed = locator.to_js(Style::default());
        let links = links(&Page::new(&dom), frame, &locator);
        let behind = Behind { project: project_of(&trace, path), ..Behind::default() };
        Ok(Self { trace, action, dom, frame, locator, printed, links, behind })
    }

    /// A page of a trace on which no locator was asked about yet: no call failed there, and nothing lies behind it.
    pub(super) fn unasked(trace: Trace, dom: Dom, frame: FrameId) -> Self {
        let action = trace.actions.len();
        let (locator, printed) = (Locator::default(), String::new());
        Self { trace, action, dom, frame, locator, printed, links: Vec::new(), behind: Behind::default() }
    }

    /// The failing action.
    pub fn failing(&self) -> Option<&Action> {
        self.trace.actions.get(self.action)
    }

    /// The first link that matches nothing, by its index; a reason where there is none.
    pub fn broken(&self) -> Result<usize, Reason> {
        if let Some(at) = self.links.iter().position(|link| link.count == Some(0)) {
            return Ok(at);
        }
        if self.links.last().is_some_and(|link| link.count.is_none()) {
            return Err(Reason::new(
                ReasonCode::NoSnapshot,
                format!("the snapshot cannot say what {} matches", self.printed),
            ));
        }
        Err(Reason::new(
            ReasonCode::StillMatches,
            format!(
                "{} matches in the last snapshot of the failing step: it came too late, or is not stale",
                self.printed
            ),
        ))
    }

    /// Where the failed locator is defined, with the sources that were read to find out.
    pub fn locate(&self, sources: &Sources<'_>) -> (Project, Result<Definition, Refusal>) {
        let frames = self.frames(sources.root);
        let entries: Vec<&str> = frames.iter().map(|frame| frame.path.as_str()).collect();
        let project = sources.load(&entries);
        let question = Question { frames: &frames, locator: Some(&self.printed) };
        let definition = locate(&project, &question);
        (project, definition)
    }

    /// The stack of the failing call, innermost first, as far as it lies in the project.
    pub fn frames(&self, root: &Utf8Path) -> Vec<Frame> {
        let stack = self.failing().map(|action| action.stack.as_slice()).unwrap_or_default();
        stack
            .iter()
            .filter_map(|frame| {
                let path = inside(root, Utf8Path::new(&frame.file))?;
                Some(Frame { path, line: frame.line, column: frame.column })
            })
            .collect()
    }
}

pub(super) fn frame_of(dom: &Dom, action: &Action) -> Option<FrameId> {
    let named = action.frame_id.as_deref().and_then(|guid| dom.frames().find(|(_, frame)| frame.guid == guid));
    named.map(|(id, _)| id).or_else(|| dom.main_frame())
}

/// The links of a locator with what each matches on a page.
pub(super) fn links(page: &Page<'_>, frame: FrameId, locator: &Locator) -> Vec<SceneLink> {
    let counted = page.links(frame, locator);
    locator
        .links(Style::default())
        .into_iter()
        .zip(counted)
        .map(|(link, counted)| SceneLink {
            printed: link.text,
            steps: link.steps,
            count: counted.answer.nodes().map(<[_]>::len),
        })
        .collect()
}
