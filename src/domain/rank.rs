//! Where is the lost element now? A posterior over the candidates and "none of these", and a decision.
//!
//! Pure. Weights live in one table (`rank/signal.rs`); nothing here knows where facts come from.

mod context;
mod evidence;
pub mod explain;
pub mod fit;
mod group;
mod judge;
mod literal;
mod prepared;
mod signal;

use crate::domain::identity::{Action, Facts, Lost};
use crate::domain::words::tokens;
use context::Asked;
pub use judge::{Bars, Judgement, judge};
use prepared::Prepared;
pub use signal::{Signal, Weights};

/// The candidates of one page with their signals, scores and shares.
#[derive(Debug, Clone)]
pub struct Ranking {
    /// The signals of each candidate, in the order of the facts.
    pub signals: Vec<Vec<Signal>>,
    /// Each candidate's bits.
    pub bits: Vec<f64>,
    /// Each candidate's element: nodes with the same number are one.
    pub element: Vec<usize>,
    /// The elements with their share of the posterior, the best first; ties by document order.
    pub elements: Vec<Standing>,
    /// The share of "none of these".
    pub none: f64,
    /// Whether the lost element was seen on a green run.
    pub recorded: bool,
}

impl Ranking {
    /// The signals of the node that stands for an element.
    pub fn signals_of(&self, standing: &Standing) -> &[Signal] {
        self.signals.get(standing.candidate).map(Vec::as_slice).unwrap_or_default()
    }
}

/// One element's standing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    /// The number of the element.
    pub element: usize,
    /// The node that stands for it: the one with the most bits.
    pub candidate: usize,
    /// That node's bits.
    pub bits: f64,
    /// The posterior of the element.
    pub share: f64,
}

/// What "none of these" starts from where only the locator is known, in bits: in 17 % of real repairs the element went
/// (moved behind a step, replaced, dropped; `users.md`), so log2(0.17 / 0.83).
const NONE_UNRECORDED: f64 = -2.3;

/// How many elements are of the sort that was asked for: those the action fits best, and of the role.
fn contenders(signals: &[Vec<Signal>], element: &[usize]) -> usize {
    let unfit = [Signal::Impossible, Signal::AskedRoleOther, Signal::ActionPlain, Signal::TagOther];
    let mut fit: Vec<usize> = signals
        .iter()
        .zip(element)
        .filter(|(found, _)| !found.iter().any(|signal| unfit.contains(signal)))
        .map(|(_, &element)| element)
        .collect();
    fit.sort_unstable();
    fit.dedup();
    fit.len()
}

/// What says the opposite of the lost element is not it, whatever else is alike: so many bits take it out of the race, so
/// that it cannot stand in the way of the right one.
const VETO: f64 = -20.0;

/// The text by which a person would name the lost element.
pub fn said(lost: &Lost) -> String {
    let known = lost.known();
    let of_facts = literal::says(known).first().map(|text| (*text).to_owned());
    let of_literals =
        || lost.literals.iter().map(|literal| tokens(&literal.value).join(" ")).collect::<Vec<_>>().join(" ");
    of_facts.unwrap_or_else(of_literals)
}

/// Compares the lost element with every candidate that is allowed.
pub fn signals(lost: &Lost, candidates: &[Facts], allowed: impl Fn(usize) -> bool) -> (Vec<Vec<Signal>>, Vec<usize>) {
    let (known, asked) = (Prepared::new(lost.known()), Asked::new(lost, candidates));
    let prepared: Vec<Prepared<'_>> = candidates.iter().map(Prepared::new).collect();
    // Whether the only one that is left when others are taken is the one, nobody can say: it counts what is taken as well.
    let fits = |at: usize, now: &Prepared<'_>| allowed(at) && !now.hidden() && asked.possible(now);
    let pressed = matches!(lost.action, Action::Click | Action::Look);
    let only = !pressed && prepared.iter().enumerate().filter(|(at, now)| fits(*at, now)).count() == 1;
    let compared = prepared.iter().enumerate().map(|(at, now)| {
        let mut found = Vec::with_capacity(16);
        if lost.claimed.binary_search(&at).is_ok() || !fits(at, now) {
            return vec![Signal::Impossible];
        }
        if lost.fingerprint.is_some() {
            evidence::compare_facts(&known, now, &mut found);
        } else {
            evidence::compare_named(&known, now, &mut found);
        }
        asked.compare((at, only), now, &mut found);
        found
    });
    let (signals, groups) = (compared.collect(), group::groups(&prepared));
    (only_clear_successors(lost, candidates, signals, &groups), groups)
}

/// What the repository says is kept only where it names one element, and the old name is on none any more.
fn only_clear_successors(
    lost: &Lost,
    candidates: &[Facts],
    mut signals: Vec<Vec<Signal>>,
    groups: &[usize],
) -> Vec<Vec<Signal>> {
    let named = signals.iter().zip(groups).filter(|(found, _)| found.contains(&Signal::SuccessorSame));
    let mut elements: Vec<usize> = named.map(|(_, &group)| group).collect();
    elements.dedup();
    let unclear = elements.len() > 1 || candidates.iter().any(|now| literal::still_holds(lost, now));
    if unclear {
        for found in &mut signals {
            found.retain(|signal| {
                !matches!(signal, Signal::SuccessorSame | Signal::SuccessorDoubt | Signal::SuccessorNone)
            });
        }
    }
    signals
}

/// The posterior over the elements and "none of these". `recorded`: the element was seen on a green run, so that place
/// and content can be told apart and a twin elsewhere can be told from the element itself.
pub fn rank(signals: Vec<Vec<Signal>>, element: Vec<usize>, weights: &Weights, recorded: bool) -> Ranking {
    let veto = |found: &[Signal]| if judge::is_vetoed(found) { VETO } else { 0.0 };
    let sum = |found: &Vec<Signal>| found.iter().map(|&signal| weights.of(signal)).sum::<f64>() + veto(found);
    let bits: Vec<f64> = signals.iter().map(sum).collect();
    let mut scores = bits.clone();
    if recorded {
        let possible = signals.iter().filter(|found| !found.contains(&Signal::Impossible)).count();
        scores.push(weights.none + fit::many(possible));
        scores.extend(signals.iter().map(|found| {
            let content = found.iter().filter(|signal| !signal.is_place());
            content.map(|&signal| weights.of(signal)).sum::<f64>() + weights.twin + veto(found)
        }));
    } else {
        let many = fit::many(contenders(&signals, &element));
        // What is exact does not come by chance, however many others there are.
        for (score, found) in scores.iter_mut().zip(&signals) {
            if found.iter().any(|signal| signal.anchors() || *signal == Signal::SaidSame) {
                *score += many;
            }
        }
        scores.push(NONE_UNRECORDED + many);
    }
    let shares = fit::shares(&scores);
    let mut standings: Vec<Option<Standing>> = vec![None; element.len()];
    for (candidate, (&element, (&bits, &share))) in element.iter().zip(bits.iter().zip(&shares)).enumerate() {
        let Some(slot) = standings.get_mut(element) else { continue };
        let standing = slot.get_or_insert(Standing { element, candidate, bits, share: 0.0 });
        standing.share += share;
        if bits > standing.bits {
            standing.bits = bits;
            standing.candidate = candidate;
        }
    }
    let mut standings: Vec<Standing> = standings.into_iter().flatten().collect();
    standings.sort_by(|a, b| b.bits.total_cmp(&a.bits).then(a.candidate.cmp(&b.candidate)));
    let none = shares.iter().skip(bits.len()).sum();
    Ranking { signals, bits, element, elements: standings, none, recorded }
}
