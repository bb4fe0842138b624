//! Where is the lost element now? A posterior over the candidates and "none of these", and a decision.
//!
//! Pure. Weights live in one table (`rank/signal.rs`); nothing here knows where facts come from.

mod context;
mod evidence;
pub mod explain;
pub mod fit;
mod group;
mod prepared;
mod signal;

use crate::domain::identity::{Facts, Lost};
use crate::domain::words::tokens;
use context::Asked;
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

/// Whether nothing but the text has changed: looks, surroundings and place are those of the recorded element, and the new
/// text is none that stood beside it before.
fn stands_in_its_place(signals: &[Signal]) -> bool {
    let has = |signal: Signal| signals.contains(&signal);
    let place = has(Signal::PathSame) || (has(Signal::OrderSame) && has(Signal::PathTail));
    place && has(Signal::ClassSame) && has(Signal::NearMost) && has(Signal::TagSame) && !has(Signal::WasBeside)
}

/// What a decision asks for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bars {
    /// From this share on a repair may be applied.
    pub apply: f64,
    /// The same for verbs that destroy, pay or send.
    pub apply_destructive: f64,
    /// From this share on a repair may be proposed to a person.
    pub propose: f64,
}

impl Default for Bars {
    /// The bars at which labelled pairs give no wrong repair and false ones in less than one case of 200
    /// (`relocator rehearse --pairs`).
    fn default() -> Self {
        Self { apply: 0.9, apply_destructive: 0.97, propose: 0.5 }
    }
}

/// A decision without its reasons: places in [`Ranking::elements`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judgement {
    /// The first, surely enough to act.
    Same,
    /// The first, to be confirmed.
    Weak,
    /// The first so many.
    Ambiguous(usize),
    /// None.
    Gone,
}

/// Judges a ranking. `destructive`: the element destroys, pays or sends.
pub fn judge(ranking: &Ranking, destructive: bool, bars: Bars) -> Judgement {
    let Some(best) = ranking.elements.first() else { return Judgement::Gone };
    let signals = ranking.signals.get(best.candidate).map(Vec::as_slice).unwrap_or_default();
    let exchanged = signals.contains(&Signal::SuccessorSame);
    // What the repository itself exchanged for its opposite may be shown to a person.
    let vetoed = signals.iter().any(|signal| signal.vetoes() && !(exchanged && signal.means_another()));
    let anchored = signals.iter().any(|signal| signal.anchors());
    let in_place = ranking.recorded && stands_in_its_place(signals);
    let only_exchanged =
        exchanged && !signals.iter().any(|signal| signal.anchors() && *signal != Signal::SuccessorSame);
    let means_another = only_exchanged && signals.iter().any(|signal| signal.means_another());
    let objected = means_another
        || !anchored && signals.iter().any(|signal| signal.objects() && !(in_place && signal.is_rewording()));
    // A link that became a button under another name is as likely another control.
    let renamed = !anchored && !signals.contains(&Signal::SaidSame);
    let resorted = !ranking.recorded && renamed && signals.contains(&Signal::AskedRoleSort);
    // A password goes into the one password field that is called nearly the same.
    let nearly = signals.contains(&Signal::CarriedMost) || signals.contains(&Signal::SaidMost);
    let fits = nearly && signals.contains(&Signal::ValueFits);
    let has = |wanted: fn(Signal) -> bool| ranking.recorded || signals.iter().any(|signal| wanted(*signal));
    let (grounds, hints) = (fits || has(Signal::grounds), has(Signal::hints));
    let bar = if destructive { bars.apply_destructive } else { bars.apply };
    if best.share >= bar && !vetoed && !objected && !resorted && grounds {
        return Judgement::Same;
    }
    let close = ranking.elements.iter().take_while(|other| other.bits > best.bits - RIVAL_BITS).take(MOST_RIVALS);
    let (rivals, together) = close.fold((0, 0.0), |(count, sum), rival| (count + 1, sum + rival.share));
    if rivals > 1 && together >= bars.propose && hints && !vetoed {
        return Judgement::Ambiguous(rivals);
    }
    if best.share >= bars.propose && !vetoed && hints { Judgement::Weak } else { Judgement::Gone }
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

/// Within so many bits of the best an element is its rival.
const RIVAL_BITS: f64 = 2.0;
/// At most so many rivals are named.
const MOST_RIVALS: usize = 5;

/// The text by which a person would name the lost element.
pub fn said(lost: &Lost) -> String {
    let known = lost.known();
    let of_facts = context::says(known).first().map(|text| (*text).to_owned());
    let of_literals =
        || lost.literals.iter().map(|literal| tokens(&literal.value).join(" ")).collect::<Vec<_>>().join(" ");
    of_facts.unwrap_or_else(of_literals)
}

/// Compares the lost element with every candidate that is allowed.
pub fn signals(lost: &Lost, candidates: &[Facts], allowed: impl Fn(usize) -> bool) -> (Vec<Vec<Signal>>, Vec<usize>) {
    let (known, asked) = (Prepared::new(lost.known()), Asked::new(lost));
    let prepared: Vec<Prepared<'_>> = candidates.iter().map(Prepared::new).collect();
    let signals: Vec<Vec<Signal>> = prepared
        .iter()
        .enumerate()
        .map(|(at, now)| {
            let mut found = Vec::with_capacity(16);
            let claimed = lost.claimed.binary_search(&at).is_ok();
            if claimed || !allowed(at) || now.hidden() || !asked.possible(now) {
                return vec![Signal::Impossible];
            }
            if lost.fingerprint.is_some() {
                evidence::compare_facts(&known, now, &mut found);
            } else {
                evidence::compare_named(&known, now, &mut found);
            }
            asked.compare(now, &mut found);
            found
        })
        .collect();
    let groups = group::groups(&prepared);
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
    let unclear = elements.len() > 1 || candidates.iter().any(|now| context::still_holds(lost, now));
    if unclear {
        for found in &mut signals {
            found.retain(|signal| !matches!(signal, Signal::SuccessorSame | Signal::SuccessorNone));
        }
    }
    signals
}

/// The posterior over the elements and "none of these". `recorded`: the element was seen on a green run, so that place
/// and content can be told apart and a twin elsewhere can be told from the element itself.
pub fn rank(signals: Vec<Vec<Signal>>, element: Vec<usize>, weights: &Weights, recorded: bool) -> Ranking {
    let bits: Vec<f64> = signals.iter().map(|found| found.iter().map(|&signal| weights.of(signal)).sum()).collect();
    let mut scores = bits.clone();
    if recorded {
        let possible = signals.iter().filter(|found| !found.contains(&Signal::Impossible)).count();
        scores.push(weights.none + fit::many(possible));
        scores.extend(signals.iter().map(|found| {
            let content = found.iter().filter(|signal| !signal.is_place());
            content.map(|&signal| weights.of(signal)).sum::<f64>() + weights.twin
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
