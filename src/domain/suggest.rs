//! Which locators may replace a stale step so that it means one chosen element again, best first.
//!
//! Every suggestion resolves to exactly that element on the page by relocator's own engine, within the links of the old
//! locator that stay. None is positional, holds a generated token or data, or says less than the old step. Chooses no
//! element and knows nothing of source text.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::domain::dom::{FrameId, NodeId, Page};
use crate::domain::identity::Successor;
use crate::domain::locator::{Locator, Step};

mod kind;
mod offer;
mod scope;
mod stable;

#[cfg(test)]
mod tests;

pub use kind::{House, Kind, kind_of};
pub(in crate::domain) use stable::is_passing_class;

use offer::{Offer, Offers};
use stable::Tokens;

/// How many suggestions are made at most: a reader looks at three, a gate may refuse a few.
const MOST: usize = 12;

/// What is asked.
#[derive(Debug, Clone)]
pub struct Ask<'a> {
    /// The page at the failing action.
    pub page: &'a Page<'a>,
    /// The frame the locator starts in.
    pub frame: FrameId,
    /// The element that the stale link must mean: the one that was acted on, or the scope of what follows.
    pub node: NodeId,
    /// The failed locator.
    pub locator: &'a Locator,
    /// The steps of its stale link.
    pub steps: Range<usize>,
    /// The attribute that `getByTestId` looks at.
    pub test_id_attribute: &'a str,
    /// How the suite writes its locators.
    pub house: &'a House,
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
    /// The scope is gone from the page, and the rest of the locator still means one element.
    ScopeGone,
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
            Self::ScopeGone => "its scope is gone from the page, and the rest still means one element",
        }
    }
}

/// A replacement for steps of the failed locator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// Which steps of the old locator it replaces: those of the stale link, and more where its scope no longer holds the
    /// element or a position behind it has lost its meaning.
    pub replaces: Range<usize>,
    /// What stands there instead; nothing where a scope that is gone is left out.
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
    let Some(old) = ask.locator.steps.get(ask.steps.start) else { return Vec::new() };
    let tokens = Tokens::of(ask.page.dom());
    let behind = ask.locator.steps.get(ask.steps.end..).unwrap_or_default();
    let is_filter = |step: &Step| matches!(step, Step::HasText(_) | Step::Has(_) | Step::And(_));
    let filtered = behind.iter().take_while(|step| step.narrows()).any(is_filter);
    let offers =
        Offers { page: ask.page, tokens: &tokens, test_id: ask.test_id_attribute, old, typed: ask.typed, filtered };
    let mut found = Found { ask, old, offers: &offers, out: Vec::new(), seen: BTreeSet::new() };
    for place in scope::places(ask, &tokens) {
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

/// The locator without its stale link, for a scope that is gone from the page: when what is left means exactly `node`.
pub fn without_scope(ask: &Ask<'_>, node: NodeId) -> Option<Suggestion> {
    let before = ask.locator.steps.get(..ask.steps.start)?;
    let behind = ask.locator.steps.get(ask.steps.end..)?;
    let stands_alone = behind.first().is_some_and(|step| !step.narrows());
    let locator = Locator { steps: [before, behind].concat() };
    let means_it = stands_alone && ask.page.query(ask.frame, &locator).only() == Some(node);
    let kind = locator.steps.last().map_or(Kind::Other, kind_of);
    let replaces = ask.steps.clone();
    means_it.then(|| Suggestion { replaces, steps: Vec::new(), locator, why: Why::ScopeGone, kind })
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
        let is_scope = place.replaces.end < self.ask.locator.steps.len();
        // A container is not called by all the text in it, unless it was before.
        let fits = |offer: &Offer| !is_scope || offer.kind != Kind::Text || kind_of(self.old) == Kind::Text;
        let offers: Vec<Offer> = self.offers.of(self.ask.node).into_iter().filter(fits).collect();
        for offer in &offers {
            if !self.keep(place, std::slice::from_ref(&offer.step), offer)
                && let Some(exact) = offer::exactly(&offer.step)
            {
                self.keep(place, &[exact], offer);
            }
        }
        if !self.out.is_empty() {
            return;
        }
        // It has a twin whatever it is called by: a container tells them apart.
        let containers = scope::containers(self.offers, self.ask.node);
        for offer in &offers {
            let exact = offer::exactly(&offer.step);
            let forms = [Some(offer.step.clone()), exact];
            let within = |form: &Step| {
                let mut steps = containers.iter().map(|scope| [scope.clone(), form.clone()]);
                steps.find(|steps| self.means_it_at(place, steps))
            };
            if let Some(steps) = forms.iter().flatten().find_map(within) {
                self.keep(place, &steps, offer);
            }
        }
    }

    /// The old locator with a replacement at a place, and where the replacement ends in it.
    fn replaced(&self, place: &scope::Place, steps: &[Step]) -> (Locator, usize) {
        let old = &self.ask.locator.steps;
        let before = old.get(..place.replaces.start).unwrap_or_default();
        let behind = old.get(place.replaces.end..).unwrap_or_default();
        let new = [before, &place.entering, steps, &place.leaving].concat();
        let end = new.len();
        (Locator { steps: [new.as_slice(), behind].concat() }, end)
    }

    fn means_it_at(&self, place: &scope::Place, steps: &[Step]) -> bool {
        let (locator, end) = self.replaced(place, steps);
        locator != *self.ask.locator && self.means_it(&locator, place, end)
    }

    /// Notes a replacement if the locator then means exactly the element. Says whether it does.
    fn keep(&mut self, place: &scope::Place, steps: &[Step], offer: &Offer) -> bool {
        if !self.means_it_at(place, steps) {
            return false;
        }
        let (locator, _) = self.replaced(place, steps);
        if self.seen.insert(locator.to_internal()) {
            let why = self.why(offer);
            let named = steps.last().map_or(0, |step| Locator::from(step.clone()).to_internal().len());
            let exact = steps.last().is_some_and(|step| offer::exactly(step).is_none());
            let rank = (why, steps.len(), usual(offer.kind), offer.shortened, exact, named);
            let steps = [place.entering.as_slice(), steps, &place.leaving].concat();
            let suggestion = Suggestion { replaces: place.replaces.clone(), steps, locator, why, kind: offer.kind };
            self.out.push((rank, suggestion));
        }
        true
    }

    /// Whether the new link means the element, and what follows it still means one.
    fn means_it(&self, locator: &Locator, place: &scope::Place, end: usize) -> bool {
        let (page, frame) = (self.ask.page, self.ask.frame);
        let narrows = |step: &&Step| step.narrows() && **step != Step::EnterFrame;
        let narrowing =
            if place.leaving.is_empty() { locator.steps.iter().skip(end).take_while(narrows).count() } else { 0 };
        let link = locator.steps.get(..end - place.leaving.len() + narrowing).unwrap_or_default();
        let means = page.query(frame, &Locator { steps: link.to_vec() }).only() == Some(self.ask.node);
        let is_last = end + narrowing == locator.steps.len() && place.leaving.is_empty();
        means && (is_last || page.query(frame, locator).only().is_some())
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
