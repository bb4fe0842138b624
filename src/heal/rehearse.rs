//! Asks the decision about pages that have drifted on purpose: the calls of a green test, each on its own page after a
//! drift, with the element there and with it gone.
//!
//! The way from the page to the answer is the one of a real repair (broken link, what it named, facts, decision), and sees
//! what a real repair would see: the calls up to this one, the drifted page, and the book of fingerprints or none. Which
//! element is the right one is known by the identity of its node, which only this module follows. Runs and writes nothing.

use std::collections::BTreeSet;
use std::fmt;

use super::look::{Known, describe, rank};
use super::scene::{Scene, frame_of, links};
use crate::adapters::fingerprints::{learn, worked_on};
use crate::adapters::playwright::trace::{Action, Trace, When};
use crate::domain::decide::{Decision, Verdict};
use crate::domain::dom::visibility::Visibility;
use crate::domain::dom::{Dom, NodeId, Page};
use crate::domain::facts::{Seen, facts_of};
use crate::domain::fingerprint::Book;
use crate::domain::locator::parse::DEFAULT_TEST_ID_ATTRIBUTE;
use crate::domain::locator::render::Style;
use crate::domain::locator::{Locator, Step};
use crate::domain::rehearse::dice::Dice;
use crate::domain::rehearse::draft::{Built, Draft};
use crate::domain::rehearse::drift::{Drift, apply};
use crate::domain::rehearse::numbers::{Deed, Outcome};
use crate::domain::rehearse::removal::Removal;
use crate::domain::rehearse::subject::{Subject, same_element};

/// How questions are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Making {
    /// The same seed gives the same questions.
    pub seed: u64,
    /// At most so many questions of one kind of drift about one element; two of three drift in further ways too.
    pub rounds: u32,
}

/// A question and what came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    /// The test.
    pub test: String,
    /// The stale locator as Playwright prints it.
    pub locator: String,
    /// What sort of locator the broken link is.
    pub kind: &'static str,
    /// How the element drifted in the first place.
    pub drift: Drift,
    /// How it went, for a removal twin.
    pub removal: Option<Removal>,
    /// Whether the book of fingerprints was at hand.
    pub recorded: bool,
    /// What came of it.
    pub outcome: Outcome,
    /// The share of the first candidate, 0 to 1.
    pub share: f64,
    /// The first candidate in words, with what speaks for and against it.
    pub first: String,
}

impl fmt::Display for Answered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Outcome { there, deed, right, .. } = self.outcome;
        let (harm, learned) =
            (if self.outcome.harms() { "HARM" } else { "-" }, if self.recorded { "learned" } else { "not" });
        let removal = self.removal.map_or("there", Removal::word);
        let (drift, kind, test, locator) = (self.drift.word(), self.kind, &self.test, &self.locator);
        let right = if there && right { "right" } else { "not right" };
        let (share, first) = (self.share, &self.first);
        write!(
            f,
            "{harm}\t{learned}\t{deed:?}\t{right}\t{removal}\t{drift}\t{kind}\t{share:.4}\t{test}\t{locator}\t{first}"
        )
    }
}

/// All questions about the calls of one green test. Empty for a test that failed.
pub fn ask(trace: Trace, making: Making) -> Vec<Answered> {
    if !trace.failures.is_empty() {
        return Vec::new();
    }
    let mut dom = Dom::default();
    let frame = dom.add_frame("", "", None);
    // A page that drifts by rehearsal has no commits, and the source is not read.
    let mut scene = Scene::unasked(trace, dom, frame);
    // The record that `learn` makes of this very test.
    let book = learn(&scene.trace);
    let mut answered = Vec::new();
    // A failing test makes no calls after the one that fails: the last one is asked about first, and then forgotten.
    for at in (0..scene.trace.actions.len()).rev() {
        scene.trace.actions.truncate(at + 1);
        scene.action = at;
        if let Some(asked) = Asked::of(&mut scene) {
            answered.extend(asked.all(&mut scene, making, &book));
        }
    }
    answered.reverse();
    answered
}

/// A call of the green test, with its page.
struct Asked {
    subject: Subject,
    draft: Draft,
    attribute: String,
    /// Tells the call apart from the others of all tests.
    name: String,
}

impl Asked {
    /// The call that the scene is set to; `None` where it has no locator, or its element is not to be seen on its page.
    fn of(scene: &mut Scene) -> Option<Self> {
        let attribute = scene.trace.info.test_id_attribute.as_deref().unwrap_or(DEFAULT_TEST_ID_ATTRIBUTE).to_owned();
        let action = scene.failing()?;
        if action.failed_or_pending() {
            return None;
        }
        let locator = Locator::from_internal(action.selector.as_deref()?).ok()?;
        let (dom, node) = page_of(&scene.trace, action, &locator)?;
        let name =
            format!("{} {} {}", scene.trace.info.title.as_deref().unwrap_or_default(), scene.action, action.method);
        let subject = Subject::new(&Page::new(&dom), node, &attribute)?;
        scene.printed = locator.to_js(Style::default());
        scene.locator = locator;
        Some(Self { subject, draft: Draft::from(&dom), attribute, name })
    }

    fn all(&self, scene: &mut Scene, making: Making, book: &Book) -> Vec<Answered> {
        let mut answered = Vec::new();
        for &drift in Drift::ALL {
            let mut pages = BTreeSet::new();
            for round in 0..making.rounds {
                let way = Way { drift, round, seed: making.seed };
                // Another round that comes to the same page asks nothing new.
                let Some(draft) = self.drifted(way, None).filter(|draft| pages.insert(draft.digest())) else {
                    continue;
                };
                let there = Question { asked: self, drift, removal: None }.answers(scene, &draft.build(), book);
                if there.is_empty() {
                    continue;
                }
                answered.extend(there);
                // Two of the four removals in turn.
                for &removal in Removal::ALL.iter().skip(round as usize % 2).step_by(2) {
                    if let Some(twin) = self.drifted(way, Some(removal)) {
                        let question = Question { asked: self, drift, removal: Some(removal) };
                        answered.extend(question.answers(scene, &twin.build(), book));
                    }
                }
            }
        }
        answered
    }

    /// The page drifted in one way, or its twin without the element; `None` where it cannot be had so.
    fn drifted(&self, Way { drift, round, seed }: Way, removal: Option<Removal>) -> Option<Draft> {
        let mut draft = self.draft.clone();
        let number = round.to_string();
        let mut dice = Dice::new(seed, &[&self.name, drift.word(), &number]);
        let mut other = Dice::new(seed, &[&self.name, drift.word(), &number, removal.map_or("", Removal::word)]);
        let subject = &self.subject;
        let prepared = removal.is_none_or(|removal| removal.prepare(&mut draft, subject, &mut other));
        if !prepared || !apply(drift, &mut draft, subject, &mut dice) {
            return None;
        }
        // Every third round drifts in one way alone, the next in two, the next in three.
        for _ in 0..round % 3 {
            if let Some(&further) = dice.pick(Drift::ALL).filter(|&&further| further != drift) {
                apply(further, &mut draft, subject, &mut dice);
            }
        }
        let done = removal.is_none_or(|removal| removal.finish(&mut draft, subject, &mut other));
        done.then_some(draft)
    }
}

/// One way for a page to drift.
#[derive(Clone, Copy)]
struct Way {
    drift: Drift,
    round: u32,
    seed: u64,
}

/// The page on which a green call worked, and its element: visible, and the only one that the locator matches.
fn page_of(trace: &Trace, action: &Action, locator: &Locator) -> Option<(Dom, NodeId)> {
    // Later moments may show the page after the call; the marks say which moment knew the element.
    [When::Input, When::Before, When::After].into_iter().find_map(|when| {
        let dom = trace.dom(action, when).ok()?;
        let node = {
            let page = Page::new(&dom);
            let node = worked_on(&page, action)?;
            let only = page.query(frame_of(&dom, action)?, locator).only() == Some(node);
            (only && page.visibility(node) == Visibility::Visible).then_some(node)?
        };
        Some((dom, node))
    })
}

/// A drifted page and what is asked about it.
#[derive(Clone, Copy)]
struct Question<'a> {
    asked: &'a Asked,
    drift: Drift,
    removal: Option<Removal>,
}

impl Question<'_> {
    /// The answers without a record and with it; none where the page asks nothing: the locator still matches, or the
    /// element is not to be seen.
    fn answers(&self, scene: &mut Scene, built: &Built, book: &Book) -> Vec<Answered> {
        let page = Page::new(&built.dom);
        let truth = built.node(self.asked.subject.node).filter(|_| self.removal.is_none());
        let Some(action) = scene.failing() else { return Vec::new() };
        let Some(frame) = frame_of(&built.dom, action) else { return Vec::new() };
        if self.removal.is_none() && !truth.is_some_and(|node| page.visibility(node) == Visibility::Visible) {
            return Vec::new();
        }
        scene.frame = frame;
        scene.links = links(&page, frame, &scene.locator);
        let Some(broken) = scene.broken().ok().and_then(|at| scene.links.get(at)).map(|link| link.steps.clone()) else {
            return Vec::new();
        };
        let attribute = self.asked.attribute.as_str();
        let seen = facts_of(&page, attribute);
        let kind = kind(scene.locator.steps.get(broken.clone()).unwrap_or_default());
        let none = Book::default();
        let books = [(false, &none), (true, book)];
        let answer = |(recorded, fingerprints)| {
            let decision = rank(scene, &broken, &page, &seen, Known { attribute, fingerprints });
            Answered {
                test: scene.trace.info.title.clone().unwrap_or_default(),
                locator: scene.printed.clone(),
                kind,
                drift: self.drift,
                removal: self.removal,
                recorded,
                outcome: outcome(&decision, &page, &seen, truth),
                share: decision.ranked.first().map_or(0.0, |first| first.share),
                first: first(&decision, &seen),
            }
        };
        books.into_iter().map(answer).collect()
    }
}

fn first(decision: &Decision, seen: &[Seen]) -> String {
    let Some(first) = decision.ranked.first() else { return String::new() };
    let evidence: Vec<&str> = first.evidence.iter().map(|piece| piece.id).collect();
    let what = seen.get(first.index).map(|seen| describe(&seen.facts)).unwrap_or_default();
    format!("{what}\t{}", evidence.join(" "))
}

fn outcome(decision: &Decision, page: &Page<'_>, seen: &[Seen], truth: Option<NodeId>) -> Outcome {
    let node = |index: usize| seen.get(index).map(|seen| seen.node);
    let (deed, chosen) = match decision.verdict {
        Verdict::Same(index) => (Deed::Healed, node(index)),
        Verdict::Likely(index) => (Deed::Tried, node(index)),
        Verdict::Weak(index) => (Deed::Proposed, node(index)),
        Verdict::Ambiguous(_) | Verdict::Gone | Verdict::WrongPage(_) => {
            (Deed::Declined, decision.ranked.first().and_then(|first| node(first.index)))
        }
    };
    let pair = truth.zip(chosen);
    Outcome {
        there: truth.is_some(),
        deed,
        right: pair.is_some_and(|(truth, chosen)| same_element(page, chosen, truth)),
        exact: pair.is_some_and(|(truth, chosen)| chosen == truth),
    }
}

/// What sort of locator the steps of a link are.
fn kind(steps: &[Step]) -> &'static str {
    match steps.iter().find(|step| !step.narrows()).or(steps.first()) {
        Some(Step::Role(_)) => "role and name",
        Some(Step::Text(_)) => "text",
        Some(Step::Label(_)) => "label",
        Some(Step::Attribute { .. }) => "placeholder, alt, title",
        Some(Step::TestId { .. }) => "test id",
        Some(Step::Css(css)) if css.contains('#') => "css with an id",
        Some(Step::Css(css)) if css.contains('[') => "css with an attribute",
        Some(Step::Css(css)) if css.contains('.') => "css with a class",
        Some(Step::Css(_)) => "css, other",
        Some(Step::XPath(_)) => "xpath",
        Some(step) if step.narrows() => "filter or position",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(name: &str) -> Trace {
        Trace::open(format!("{}/fixtures/traces/1.65.1/{name}.zip", env!("CARGO_MANIFEST_DIR"))).unwrap()
    }

    #[test]
    fn a_green_trace_asks_questions_with_and_without_the_element_and_the_same_ones_every_time() {
        let making = Making { seed: 1, rounds: 2 };
        let first = ask(trace("passes"), making);
        let count = |wanted: &dyn Fn(&Answered) -> bool| first.iter().filter(|answer| wanted(answer)).count();
        assert!(count(&|answer| answer.outcome.there) > 0 && count(&|answer| !answer.outcome.there) > 0, "{first:?}");
        assert_eq!(count(&|answer| answer.recorded) * 2, first.len());
        assert!(first.iter().all(|answer| answer.outcome.there == answer.removal.is_none()));
        assert_eq!(first, ask(trace("passes"), making));
        assert_ne!(first, ask(trace("passes"), Making { seed: 2, ..making }));
    }

    #[test]
    fn a_red_trace_asks_nothing() {
        assert_eq!(ask(trace("stale-click"), Making { seed: 1, rounds: 1 }), []);
    }
}
