//! Where the lost element is now, or that it is gone: the ranking judged, with its reasons in words.
//!
//! The heart of the refusals. A verdict says what the loop may do; the shares and the evidence say why.

use super::identity::{Action, Facts, Lost};
use super::meaning::is_destructive;
use super::page_check::{surely_wrong_page, wrong_page};
use super::rank::{Bars, Judgement, Signal, Standing, Weights, explain, judge, rank, said, signals};
use super::verdict::Basis;

/// What became of the lost element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It is this one, above the bar for applying.
    Same(usize),
    /// It is probably this one and nothing speaks against it: for applying if the runs prove it.
    Likely(usize),
    /// It may be this one: for a proposal.
    Weak(usize),
    /// Two or more fit about equally well.
    Ambiguous(Vec<usize>),
    /// No element of the page is it.
    Gone,
    /// The page is not the page the step was written for; why.
    WrongPage(String),
}

/// A piece of evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// The kind.
    pub id: &'static str,
    /// Weight in bits; negative speaks against.
    pub bits: f64,
    /// What was seen.
    pub sentence: String,
}

/// A candidate with its share of the posterior.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored {
    /// Index into the facts.
    pub index: usize,
    /// Between 0 and 1.
    pub share: f64,
    /// What speaks for and against it, the strongest first.
    pub evidence: Vec<Evidence>,
}

/// The decision.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// What became of it.
    pub verdict: Verdict,
    /// The candidates, best first, at most [`EXPLAINED`]; nodes that are one element are one candidate.
    pub ranked: Vec<Scored>,
    /// The share of "none of these".
    pub none: f64,
    /// What identity rests on.
    pub basis: Basis,
}

/// What says by itself that an element is the recorded one: it is called what that one was called.
const UNCHANGED: [Signal; 6] = [
    Signal::TextSame,
    Signal::TextSameLong,
    Signal::IdSame,
    Signal::TestIdSame,
    Signal::NameSame,
    Signal::CarriedExact,
];

impl Decision {
    /// Whether the element is the lost one whatever a run says: it is applied, and git names it, or it is on record and still
    /// called the same, with no other text. Of the 3,387 elements that `rehearse` would apply with a record on the suites of
    /// `HealBench` this holds for 1,882 of the 3,381 right ones and for none of the 6 wrong ones.
    pub fn needs_no_run(&self) -> bool {
        let Verdict::Same(index) = self.verdict else { return false };
        let best = self.ranked.first().filter(|best| best.index == index);
        let has = |best: &Scored, signal: &Signal| best.evidence.iter().any(|piece| piece.id == signal.label());
        let unchanged = |best: &Scored| UNCHANGED.iter().any(|signal| has(best, signal));
        let retold = |best: &Scored| Signal::ALL.iter().any(|signal| signal.changes_text() && has(best, signal));
        self.basis.git || (self.basis.fingerprint && best.is_some_and(|best| unchanged(best) && !retold(best)))
    }
}

/// So many candidates are explained.
pub const EXPLAINED: usize = 20;

/// Decides among the `allowed` candidates (indices into `facts`).
pub fn decide(lost: &Lost, facts: &[Facts], allowed: &[usize]) -> Decision {
    let mut sorted = allowed.to_vec();
    sorted.sort_unstable();
    let weights = Weights::default();
    let (found, element) = signals(lost, facts, |at| sorted.binary_search(&at).is_ok());
    let possible = |standing: &&Standing| standing.bits > Weights::default().of(Signal::Impossible);
    let ranking = rank(found, element, &weights, lost.fingerprint.is_some());
    let scored = |standing: &Standing| Scored {
        index: standing.candidate,
        share: standing.share,
        evidence: explain::evidence(lost, facts.get(standing.candidate), ranking.signals_of(standing), &weights),
    };
    let standings: Vec<&Standing> = ranking.elements.iter().filter(possible).take(EXPLAINED).collect();
    let first = standings.first().map_or(0, |best| best.candidate);
    let verdict = match judge(&ranking, is_destructive(&said(lost)), Bars::default()) {
        judgement
            if judgement != Judgement::Same
                && let Some(why) = wrong_page(lost) =>
        {
            Verdict::WrongPage(why)
        }
        Judgement::Same if let Some(why) = surely_wrong_page(lost) => Verdict::WrongPage(why),
        _ if standings.is_empty() => Verdict::Gone,
        Judgement::Same => Verdict::Same(first),
        Judgement::Likely => Verdict::Likely(first),
        Judgement::Weak => Verdict::Weak(first),
        Judgement::Ambiguous(count) => {
            Verdict::Ambiguous(standings.iter().take(count).map(|standing| standing.candidate).collect())
        }
        Judgement::Gone => Verdict::Gone,
    };
    let basis = standings.first().map(|best| basis(lost, ranking.signals_of(best), &verdict)).unwrap_or_default();
    Decision { verdict, ranked: standings.into_iter().map(scored).collect(), none: ranking.none, basis }
}

/// What identity rests on besides likeness: nothing where a run has to prove it first.
fn basis(lost: &Lost, signals: &[Signal], verdict: &Verdict) -> Basis {
    let has = |signal: Signal| signals.contains(&signal);
    let surely = matches!(verdict, Verdict::Same(_));
    // A field that is called by a hand-made synonym of its old label, or of its old identifier in the same form, or the one
    // field for a password or an address.
    let pressed = matches!(lost.action, Action::Click | Action::Look);
    let in_form = has(Signal::CarriedSure) && has(Signal::FormMate);
    let field = !pressed && (has(Signal::SaidSure) || has(Signal::ValueFits) || in_form);
    Basis {
        fingerprint: surely && lost.fingerprint.is_some(),
        git: has(Signal::SuccessorSame) && !has(Signal::SuccessorDoubt),
        carry_over: surely && (has(Signal::CarriedExact) || (has(Signal::SaidSame) && has(Signal::AskedRole)) || field),
    }
}

#[cfg(test)]
mod given_tests;
#[cfg(test)]
mod history_tests;
#[cfg(test)]
mod test_tests;
#[cfg(test)]
mod tests;
