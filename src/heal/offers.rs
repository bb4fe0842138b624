//! Which locators would mean what a stale or described locator means, on a recorded page: for whoever writes the edit
//! himself. Every locator named resolves to exactly one element; who the element is, the ranker decides.
//!
//! Reads a trace that is already there; runs nothing, edits nothing, and proves nothing.

use camino::Utf8Path;

use super::look::{Known, describe, rank};
use super::propose::Naming;
use super::scene::{Behind, Scene, frame_of, links};
use crate::adapters::playwright::trace::{Action, Hint, Trace, When};
use crate::domain::decide::Verdict;
use crate::domain::dom::query::Answer;
use crate::domain::dom::{NodeId, Page};
use crate::domain::facts::{Seen, facts_of};
use crate::domain::fingerprint::Book;
use crate::domain::locator::Locator;
use crate::domain::locator::parse::DEFAULT_TEST_ID_ATTRIBUTE;
use crate::domain::locator::render::Style;
use crate::domain::suggest::House;
use crate::domain::verdict::{Reason, ReasonCode};

/// For how many elements locators are named where the locator may mean several.
const SEVERAL: usize = 3;

/// What locators could replace one.
#[derive(Debug, Clone)]
pub struct Offers {
    /// The locator that was asked about, as Playwright prints it.
    pub locator: String,
    /// How many elements it matches on the page; `None` where the snapshot cannot say.
    pub matches: Option<usize>,
    /// What the ranker says of the element.
    pub standing: Standing,
    /// What was seen, in a sentence.
    pub sentence: String,
    /// The locators, best first.
    pub offers: Vec<Offer>,
}

/// How sure it is which element is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// The locator matches exactly one element, so that one.
    Matches,
    /// The ranker is as sure as a repair must be.
    Same,
    /// Enough to propose an element, not to change anything.
    Weak,
    /// Several elements fit; each is named.
    Ambiguous,
    /// No element of the page is the one meant.
    Gone,
    /// The page is not the one the locator was written for.
    WrongPage,
}

impl Standing {
    /// The word that is serialised.
    pub fn word(self) -> &'static str {
        match self {
            Self::Matches => "matches",
            Self::Same => "same",
            Self::Weak => "weak",
            Self::Ambiguous => "ambiguous",
            Self::Gone => "gone",
            Self::WrongPage => "wrong_page",
        }
    }
}

/// A locator that means one element.
#[derive(Debug, Clone)]
pub struct Offer {
    /// As it would be written in a test, behind `page.`.
    pub locator: String,
    /// Why it stands where it does.
    pub why: &'static str,
    /// The element in words.
    pub element: String,
}

/// The scene of `locator` in a trace, whether or not the recorded test failed at it.
///
/// # Errors
/// The trace cannot be read, or has no page; the text is not a locator.
pub fn scene_of(path: &Utf8Path, locator: &str) -> Result<Scene, Reason> {
    let unseen = |why: String| Reason::new(ReasonCode::NoSnapshot, why);
    let trace = Trace::open(path.as_std_path()).map_err(|error| unseen(error.to_string()))?;
    let (dom, frame) = {
        let last = || trace.actions.iter().rev().find(|action| !action.page_id.is_empty() && !action.is_step());
        let action: Option<&Action> = trace.failing_action().or_else(last);
        let action = action.ok_or_else(|| unseen("the trace holds no action on a page".to_owned()))?;
        let dom = trace.dom(action, When::Last).map_err(|error| unseen(error.to_string()))?;
        let frame = frame_of(&dom, action).ok_or_else(|| unseen("the page is empty".to_owned()))?;
        (dom, frame)
    };
    with_locator(Scene::unasked(trace, dom, frame), locator)
}

/// The same page, asked about another locator than the one that failed there.
///
/// # Errors
/// The text is not a locator.
pub fn with_locator(mut scene: Scene, locator: &str) -> Result<Scene, Reason> {
    let attribute = attribute(&scene).to_owned();
    scene.locator = Locator::from_printed(locator, &attribute)
        .map_err(|error| Reason::new(ReasonCode::SourceUnclear, format!("this is not a locator: {error}")))?;
    scene.printed = scene.locator.to_js(Style::default());
    scene.links = links(&Page::new(&scene.dom), scene.frame, &scene.locator);
    // The failing call did something to another locator's element; it says nothing of this one's.
    scene.action = scene.trace.actions.len();
    // What is known of the call that failed is not about another locator.
    scene.behind = Behind { project: std::mem::take(&mut scene.behind.project), ..Behind::default() };
    Ok(scene)
}

/// The scene of the failing step of a trace.
///
/// # Errors
/// The trace cannot be read, or no call with a locator failed in it.
pub fn failing_scene(path: &Utf8Path) -> Result<Scene, Reason> {
    Scene::open(path, &Hint::default())
}

/// What could stand in place of the scene's locator.
///
/// # Errors
/// The snapshot cannot say what the locator matches, or Playwright would not take it.
pub fn offers(scene: &Scene, fingerprints: &Book) -> Result<Offers, Reason> {
    let page = Page::new(&scene.dom);
    let attribute = attribute(scene);
    let seen = facts_of(&page, attribute);
    let broken = scene.links.iter().find(|link| link.count == Some(0)).or(scene.links.last());
    let steps = broken.map(|link| link.steps.clone()).unwrap_or_default();
    let answer = page.query(scene.frame, &scene.locator);
    let matches = answer.nodes().map(<[_]>::len);
    let (standing, nodes, sentence) = match answer {
        Answer::Nodes(nodes) if nodes.len() == 1 => {
            (Standing::Matches, nodes, format!("{} matches one element", scene.printed))
        }
        Answer::Nodes(nodes) if nodes.len() > 1 => {
            let sentence = format!("{} matches {} elements", scene.printed, nodes.len());
            (Standing::Ambiguous, nodes, sentence)
        }
        Answer::Unknown(why) => {
            let why = format!("the snapshot cannot say what {} matches: {why}", scene.printed);
            return Err(Reason::new(ReasonCode::NoSnapshot, why));
        }
        Answer::Invalid(why) => {
            return Err(Reason::new(ReasonCode::SourceUnclear, format!("{} is not valid: {why}", scene.printed)));
        }
        Answer::Nodes(_) => {
            let decision = rank(scene, &steps, &page, &seen, Known { attribute, fingerprints });
            lost(&decision.verdict, &seen, &scene.printed)
        }
    };
    let mut offers = Vec::new();
    for node in nodes.into_iter().take(SEVERAL) {
        let element = seen.iter().find(|seen| seen.node == node).map(|seen| describe(&seen.facts)).unwrap_or_default();
        let naming = Naming { scene, steps: steps.clone(), page: &page, attribute, house: House::default() };
        offers.extend(naming.of(node).into_iter().map(|suggestion| Offer {
            locator: suggestion.locator.to_js(Style::default()),
            why: suggestion.why.sentence(),
            element: element.clone(),
        }));
    }
    Ok(Offers { locator: scene.printed.clone(), matches, standing, sentence, offers })
}

/// The elements that a locator without matches may mean.
fn lost(verdict: &Verdict, seen: &[Seen], printed: &str) -> (Standing, Vec<NodeId>, String) {
    let node = |index: &usize| seen.get(*index).map(|seen| seen.node);
    let named = |index: &usize| seen.get(*index).map(|seen| describe(&seen.facts)).unwrap_or_default();
    match verdict {
        Verdict::Same(index) => {
            (Standing::Same, node(index).into_iter().collect(), format!("{printed} is now {}", named(index)))
        }
        Verdict::Likely(index) | Verdict::Weak(index) => (
            Standing::Weak,
            node(index).into_iter().collect(),
            format!("{printed} may be {}; the evidence is enough to propose it, not to apply it", named(index)),
        ),
        Verdict::Ambiguous(several) => {
            let names: Vec<String> = several.iter().take(SEVERAL).map(named).collect();
            (
                Standing::Ambiguous,
                several.iter().filter_map(node).collect(),
                format!("{printed} may now be any of: {}", names.join(", ")),
            )
        }
        Verdict::Gone => (Standing::Gone, Vec::new(), format!("no element of the page is what {printed} meant")),
        Verdict::WrongPage(why) => (Standing::WrongPage, Vec::new(), why.clone()),
    }
}

fn attribute(scene: &Scene) -> &str {
    scene.trace.info.test_id_attribute.as_deref().unwrap_or(DEFAULT_TEST_ID_ATTRIBUTE)
}
