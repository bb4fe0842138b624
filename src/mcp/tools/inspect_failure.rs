//! `inspect_failure`: what a failing step saw.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::answer::{Code, Refused, exact, short};
use super::super::call::Call;
use super::super::tokens::Scope;
use super::view::{Candidate, Link};
use super::{Tool, seen};
use crate::adapters::playwright::trace::Action;
use crate::heal::inspected::Inspected;
use crate::heal::offers::failing_scene;
use crate::heal::scene::Scene;

/// The tool.
pub(super) struct InspectFailure;

/// The arguments: one of the two.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// A failing test as `tests/a.spec.ts:12`, from the server's root; it is run once.
    #[serde(default)]
    test: Option<String>,
    /// A recorded trace (`test-results/…/trace.zip`), from the server's root; nothing is run.
    #[serde(default)]
    trace: Option<String>,
}

/// What the failing step saw.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Head {
    /// The call or assertion that failed.
    action: String,
    /// Its locator, as Playwright prints it.
    locator: String,
    /// The links of its chain, outermost first.
    links: Vec<Link>,
    /// The first link that matches nothing: the one that broke. Null where none does.
    broken: Option<String>,
    /// The address of the page.
    url: String,
    /// The title of the page.
    title: String,
    /// The probability that the element is gone from the page, between 0 and 1.
    none_of_these: f64,
    /// Errors on the page's console, at most ten.
    console_errors: Vec<String>,
    /// Requests that failed, at most ten.
    failed_requests: Vec<String>,
    /// Things to know about the recording.
    notes: Vec<String>,
}

/// How many console errors and requests are shown.
const SHOWN: usize = 10;

impl Tool for InspectFailure {
    const NAME: &'static str = "inspect_failure";
    const TITLE: &'static str = "What did the failing step see?";
    const DESCRIPTION: &'static str = "Shows what a failing step saw: its locator link by link with the number of matches \
        (which link broke), and, as items, the elements of the page that the locator may mean now, best first, with the \
        evidence for and against each. Give `test` (run once) or `trace` (nothing is run). Edits nothing. A high \
        none_of_these means that the element is gone: then there is nothing to repair in the test.";
    const EDITS: bool = false;
    type Input = Input;
    type Head = Head;
    type Item = Candidate;

    async fn run(call: &Call, input: Input) -> Result<(Head, Vec<Candidate>), Refused> {
        let (scene, book) = match (&input.test, &input.trace) {
            (Some(test), None) => seen::by_test(call, test, Self::NAME).await?,
            (None, Some(trace)) => {
                call.demand(Scope::Read)?;
                let path = call.root().trace(trace)?;
                let scene = failing_scene(&path).map_err(|reason| seen::nothing(&reason))?;
                (scene, seen::book_near(call, &path))
            }
            _ => return Err(Refused::new(Code::BadArguments, "give either `test` or `trace`")),
        };
        let inspected = Inspected::of(&scene, &book);
        let head = head(&scene, &inspected);
        Ok((head, inspected.candidates.iter().map(Candidate::from).collect()))
    }
}

fn head(scene: &Scene, inspected: &Inspected) -> Head {
    let requests = scene.trace.failed_requests.iter().take(SHOWN).map(|request| {
        let status = request.status.map_or_else(|| request.failure.clone(), |status| status.to_string());
        short(&format!("{} {} {status}", request.method, request.url))
    });
    Head {
        action: scene.failing().map(Action::name).unwrap_or_default(),
        locator: exact(&scene.printed),
        links: scene.links.iter().map(Link::from).collect(),
        broken: scene.links.iter().find(|link| link.count == Some(0)).map(|link| exact(&link.printed)),
        url: short(&scene.dom.frame(scene.frame).url),
        title: short(&inspected.title),
        none_of_these: (inspected.none_of_these * 10_000.0).round() / 10_000.0,
        console_errors: scene.trace.console_errors.iter().take(SHOWN).map(|error| short(&error.text)).collect(),
        failed_requests: requests.collect(),
        notes: scene.trace.notes.iter().map(|note| short(note)).collect(),
    }
}
