//! `suggest_locator`: what to write in place of a stale locator, or for an element described in words.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::answer::{Code, Refused, exact, short};
use super::super::call::Call;
use super::super::tokens::Scope;
use super::{Tool, seen};
use crate::domain::described::locator_for;
use crate::domain::locator::render::Style;
use crate::heal::offers::{failing_scene, offers, scene_of, with_locator};

/// The tool.
pub(super) struct SuggestLocator;

/// The arguments: where to look (one of two), and at most one of what is meant.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// A recorded trace (`trace.zip`), from the server's root; nothing is run. It may be of a passing test.
    #[serde(default)]
    trace: Option<String>,
    /// A failing test as `tests/a.spec.ts:12`, from the server's root; it is run once.
    #[serde(default)]
    test: Option<String>,
    /// The stale locator, as source (`page.locator('#x')`) or as Playwright prints it. Without this and `description`, the
    /// one that the test failed at.
    #[serde(default)]
    locator: Option<String>,
    /// The element in words instead: `button "Save"`, `the Sign in link`, `Email field`.
    #[serde(default)]
    description: Option<String>,
}

/// How sure it is which element is meant.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Head {
    /// The locator that was asked about, as Playwright prints it.
    locator: String,
    /// How many elements of the page it matches.
    matches: Option<usize>,
    /// `matches` (it matches one element, so that one), `same` (as sure as a repair must be), `weak` (a guess: show it to a
    /// person), `ambiguous` (several fit; the items name each: ask), `gone` or `wrong_page` (nothing to suggest).
    standing: String,
    /// What was seen, in a sentence.
    sentence: String,
}

/// A locator that means exactly one element of the page.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Suggestion {
    /// The locator, as it is written behind `page.`.
    locator: String,
    /// Why it stands where it does.
    why: String,
    /// The element that it means.
    element: String,
}

impl Tool for SuggestLocator {
    const NAME: &'static str = "suggest_locator";
    const TITLE: &'static str = "Which locator would mean this element?";
    const DESCRIPTION: &'static str = "For a stale locator, or an element described in words, on the page of a trace or of a \
        failing test: locators that mean exactly one element there, best first, each with why. No suggestion is positional \
        or rests on a generated id. Read `standing` before using one: only `matches` and `same` are sure. A suggestion is \
        not a proven repair: hold the edit against check_edit, or let heal_test make and prove it. Edits nothing.";
    const EDITS: bool = false;
    type Input = Input;
    type Head = Head;
    type Item = Suggestion;

    async fn run(call: &Call, input: Input) -> Result<(Head, Vec<Suggestion>), Refused> {
        let wanted = wanted(&input)?;
        let (scene, book) = match (&input.test, &input.trace) {
            (Some(test), None) => {
                let (scene, book) = seen::by_test(call, test, Self::NAME).await?;
                let scene = match &wanted {
                    Some(locator) => with_locator(scene, locator).map_err(|reason| not_a_locator(&reason.sentence))?,
                    None => scene,
                };
                (scene, book)
            }
            (None, Some(trace)) => {
                call.demand(Scope::Read)?;
                let path = call.root().trace(trace)?;
                let scene = match &wanted {
                    Some(locator) => scene_of(&path, locator),
                    None => failing_scene(&path),
                };
                (scene.map_err(|reason| seen::nothing(&reason))?, seen::book_near(call, &path))
            }
            _ => return Err(Refused::new(Code::BadArguments, "give either `trace` or `test`")),
        };
        let offered = offers(&scene, &book).map_err(|reason| seen::nothing(&reason))?;
        let head = Head {
            locator: exact(&offered.locator),
            matches: offered.matches,
            standing: offered.standing.word().to_owned(),
            sentence: short(&offered.sentence),
        };
        let items = offered.offers.iter().map(|offer| Suggestion {
            locator: exact(&offer.locator),
            why: offer.why.to_owned(),
            element: short(&offer.element),
        });
        Ok((head, items.collect()))
    }
}

/// The locator that is meant, as text; `None` for the one that failed.
fn wanted(input: &Input) -> Result<Option<String>, Refused> {
    match (&input.locator, &input.description) {
        (Some(_), Some(_)) => Err(Refused::new(Code::BadArguments, "give `locator` or `description`, not both")),
        (Some(locator), None) => Ok(Some(locator.clone())),
        (None, Some(words)) => locator_for(words)
            .map(|locator| Some(locator.to_js(Style::default())))
            .ok_or_else(|| not_a_locator("the description says nothing, or is too long")),
        (None, None) => Ok(None),
    }
}

fn not_a_locator(why: &str) -> Refused {
    Refused::new(Code::BadArguments, why)
}
