//! Which locators may replace a stale step so that it means one chosen element again, best first.
//!
//! Every suggestion resolves to exactly that element on the page by relocator's own engine, within the links of the old
//! locator that stay. None is positional, holds a generated token or data, or says less than the old step. Chooses no
//! element and knows nothing of source text.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::domain::dom::{FrameId, NodeId, Page};
use crate::domain::locator::{Locator, Step};

mod kind;
mod offer;
mod scope;
mod stable;

#[cfg(test)]
mod tests;

pub use kind::{House, Kind, kind_of};

use offer::{Offer, Offers};
use stable::Tokens;

/// How many suggestions are made at most: a reader looks at three, a gate may refuse a few.
const MOST: usize = 12;

/// A literal that the repository or a fingerprint says has become another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Successor {
    /// What stood there.
    pub old: String,
    /// What stands there now.
    pub new: String,
}

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// The page at the failing action.
    pub page: &'a Page<'a>,
    /// The frame the locator starts in.
    pub frame: FrameId,
    /// The element that the whole locator must mean.
    pub node: NodeId,
    /// The failed locator.
    pub old: &'a Locator,
    /// The step of it that is stale.
    pub stale: usize,
    /// How the suite writes its locators.
    pub house: &'a House,
    /// The attribute that `getByTestId` looks at.
    pub test_id: &'a str,
    /// What is known to have replaced what.
    pub successors: &'a [Successor],
    /// Texts that the test itself typed: what shows them is data, not a label.
    pub typed: &'a [String],
}

/// Why a suggestion stands where it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// The repository or a fingerprint says the old literal became this one.
    Successor,
    /// The old literal itself, under another attribute.
    CarryOver,
    /// The same kind of locator as before.
    SameKind,
    /// What the suite mostly writes.
    HouseStyle,
    /// The usual order: role and name, label, placeholder, test id, text, then CSS.
    Usual,
}

impl Why {
    /// The reason as a sentence fragment.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Successor => "what the old literal was replaced by",
            Self::CarryOver => "the same literal under another attribute",
            Self::SameKind => "the same kind of locator as before",
            Self::HouseStyle => "what this suite mostly writes",
            Self::Usual => "what names the element best",
        }
    }
}

/// A replacement for steps of the failed locator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// Which steps of the old locator it replaces.
    pub replaces: Range<usize>,
    /// What stands there instead; empty when a scope that is gone is only dropped.
    pub steps: Vec<Step>,
    /// The whole locator afterwards.
    pub locator: Locator,
    /// Why it stands where it does.
    pub why: Why,
    /// The kind of its last step.
    pub kind: Kind,
}

/// The suggestions for an element, best first.
pub fn suggest(ask: &Ask<'_>) -> Vec<Suggestion> {
    let Some(old) = ask.old.steps.get(ask.stale) else { return Vec::new() };
    let tokens = Tokens::of(ask.page.dom());
    let offers = Offers { page: ask.page, tokens: &tokens, test_id: ask.test_id, old, typed: ask.typed };
    let mut found = Found { ask, old, offers: &offers, out: Vec::new(), seen: BTreeSet::new() };
    for place in scope::places(ask) {
        found.at(&place);
        if !found.out.is_empty() {
            break;
        }
    }
    let mut out = found.out;
    out.sort_by_cached_key(|(rank, suggestion)| (*rank, suggestion.locator.to_internal()));
    out.truncate(MOST);
    out.into_iter().map(|(_, suggestion)| suggestion).collect()
}

/// The first step of a locator up to which nothing matches any more: the stale one. `None` when every step matches
/// something, or that cannot be told.
pub fn first_dead_step(page: &Page<'_>, frame: FrameId, locator: &Locator) -> Option<usize> {
    (0..locator.steps.len()).find(|&last| {
        let enters = locator.steps.get(last) == Some(&Step::EnterFrame);
        let steps = locator.steps.get(..=last).unwrap_or_default().to_vec();
        !enters && page.query(frame, &Locator { steps }).nodes().is_some_and(<[NodeId]>::is_empty)
    })
}

/// Where a suggestion stands: reason, how many steps, its kind, whether its CSS is shorter than the old one, whether it is
/// exact, its length.
type Rank = (Why, usize, Usual, bool, bool, usize);

/// The usual order among kinds; the smaller the better.
type Usual = u8;

struct Found<'a> {
    ask: &'a Ask<'a>,
    old: &'a Step,
    offers: &'a Offers<'a>,
    out: Vec<(Rank, Suggestion)>,
    seen: BTreeSet<String>,
}

impl Found<'_> {
    /// Tries everything that can be said at one place of the chain.
    fn at(&mut self, place: &scope::Place) {
        if place.target.is_none() {
            self.keep(place, Vec::new(), None);
            return;
        }
        let Some(target) = place.target else { return };
        let is_scope = target != self.ask.node;
        for offer in self.offers.of(target) {
            // A container is not called by all the text in it, unless it was before.
            if is_scope && offer.kind == Kind::Text && kind_of(self.old) != Kind::Text {
                continue;
            }
            if self.keep(place, vec![offer.step.clone()], Some(&offer)) {
                continue;
            }
            let exact = offer::exactly(&offer.step);
            if exact.is_some_and(|step| self.keep(place, vec![step], Some(&offer))) {
                continue;
            }
            for scope in scope::containers(self.offers, target) {
                let steps = vec![scope, offer.step.clone()];
                if self.keep(place, steps, Some(&offer)) {
                    break;
                }
            }
        }
    }

    /// Notes a replacement if the whole locator then means exactly the element. Says whether it does.
    fn keep(&mut self, place: &scope::Place, steps: Vec<Step>, offer: Option<&Offer>) -> bool {
        let mut steps = steps;
        let length = steps.len();
        steps.splice(0..0, place.entering.iter().cloned());
        let old = &self.ask.old.steps;
        let (Some(before), Some(behind)) = (old.get(..place.replaces.start), old.get(place.replaces.end..)) else {
            return false;
        };
        let locator = Locator { steps: [before, &steps, behind].concat() };
        if locator == *self.ask.old || self.ask.page.query(self.ask.frame, &locator).only() != Some(self.ask.node) {
            return false;
        }
        if !self.seen.insert(locator.to_internal()) {
            return true;
        }
        let kind = offer.map_or(Kind::Other, |offer| offer.kind);
        let why = offer.map_or(Why::Usual, |offer| self.why(offer));
        let exact = steps.last().is_some_and(|step| offer::exactly(step).is_none());
        let size = steps.last().map_or(0, |step| Locator::from(step.clone()).to_internal().len());
        let rank = (why, length, usual(kind), offer.is_some_and(|offer| offer.shortened), exact, size);
        self.out.push((rank, Suggestion { replaces: place.replaces.clone(), steps, locator, why, kind }));
        true
    }

    fn why(&self, offer: &Offer) -> Why {
        let old = kind::literals(self.old);
        let succeeds = |successor: &Successor| successor.new == offer.literal && old.contains(&successor.old);
        if self.ask.successors.iter().any(succeeds) {
            Why::Successor
        } else if old.contains(&offer.literal) {
            Why::CarryOver
        } else if kind::kind_of(self.old) == offer.kind {
            Why::SameKind
        } else if self.ask.house.prefers(offer.kind) {
            Why::HouseStyle
        } else {
            Why::Usual
        }
    }
}

fn usual(kind: Kind) -> Usual {
    match kind {
        Kind::Role => 0,
        Kind::Label => 1,
        Kind::Placeholder => 2,
        Kind::TestId => 3,
        Kind::Text => 4,
        Kind::AltText => 5,
        Kind::Title => 6,
        Kind::CssId => 7,
        Kind::CssAttribute => 8,
        Kind::CssClass => 9,
        Kind::XPath => 10,
        Kind::Other => 11,
    }
}
