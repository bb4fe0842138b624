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

use crate::domain::identity::{Action, Facts, Lost};
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

/// Whether it takes the place of the recorded element: the same sort of thing at the same spot, and no neighbour that slid
/// into the gap.
fn takes_its_place(signals: &[Signal]) -> bool {
    let has = |signal: Signal| signals.contains(&signal);
    let place = has(Signal::PathSame) || (has(Signal::OrderSame) && has(Signal::PathTail));
    place && has(Signal::TagSame) && !has(Signal::RoleOther) && !has(Signal::WasBeside)
}

/// Whether it looks as the recorded element did: the same classes, or none then as now.
fn looks_the_same(signals: &[Signal]) -> bool {
    use Signal as S;
    !signals.iter().any(|signal| {
        matches!(signal, S::ClassMost | S::ClassSome | S::ClassOther | S::ClassGone | S::ClassCome | S::SizeFar)
    })
}

/// Whether another element beside the best is new as well, of the same look, and has no less to do with the old text: one
/// became two, and nothing says which of them is meant.
fn has_a_twin(ranking: &Ranking, best: &Standing) -> bool {
    use Signal as S;
    let signals = |standing: &Standing| ranking.signals.get(standing.candidate).map(Vec::as_slice).unwrap_or_default();
    let worded = |signals: &[Signal]| signals.iter().find(|signal| signal.is_rewording()).copied();
    let Some(text) = worded(signals(best)) else { return false };
    let others = ranking.elements.iter().filter(|other| other.element != best.element);
    others.map(signals).any(|found| {
        let kind = found.contains(&S::TagSame) && found.contains(&S::RoleSame) && looks_the_same(found);
        let there = !found
            .iter()
            .any(|signal| matches!(signal, S::FormOther | S::LandmarkOther | S::WasBeside | S::Impossible));
        let near =
            found.iter().any(|signal| matches!(signal, S::NearMost | S::NearSome | S::PlaceSame | S::PlaceClose));
        let kept = worded(found).is_some_and(|other| other == text && text.keeps_meaning());
        kind && there && near && kept
    })
}

/// What a decision asks for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bars {
    /// From this share on a repair may be applied.
    pub apply: f64,
    /// The same for verbs that destroy, pay or send.
    pub apply_destructive: f64,
    /// The same where both what the element says and where it stands have stayed.
    pub apply_kept: f64,
    /// From this share on a repair may be proposed to a person.
    pub propose: f64,
    /// From this share on a repair may be tried if the runs prove it: the test passes with the step and fails without.
    pub attempt: f64,
    /// The same for verbs that destroy, pay or send.
    pub attempt_destructive: f64,
    /// The same for what looks as the recorded element did and stands where it stood.
    pub attempt_in_place: f64,
}

impl Default for Bars {
    /// The bars at which labelled pairs give no wrong repair and false ones in less than one case of 200
    /// (`relocator rehearse --pairs`).
    fn default() -> Self {
        Self {
            apply: 0.9,
            apply_destructive: 0.97,
            apply_kept: 0.5,
            propose: 0.5,
            attempt: 0.3,
            attempt_destructive: 0.5,
            attempt_in_place: 0.1,
        }
    }
}

/// A decision without its reasons: places in [`Ranking::elements`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judgement {
    /// The first, surely enough to act.
    Same,
    /// The first, and nothing speaks against it: enough to act if the runs prove it, for only a person could tell more.
    Likely,
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
    let vetoed = is_vetoed(signals);
    let only_exchanged =
        exchanged && !signals.iter().any(|signal| signal.anchors() && *signal != Signal::SuccessorSame);
    let means_another = only_exchanged && signals.iter().any(|signal| signal.means_another());
    let hints = ranking.recorded || signals.iter().any(|signal| signal.hints());
    let bar = if destructive { (bars.apply_destructive, bars.attempt_destructive) } else { (bars.apply, bars.attempt) };
    let known = match ranking.recorded {
        _ if means_another => Known::Doubtful,
        true => recorded(ranking, best, signals),
        false => unrecorded(signals),
    };
    if !vetoed && known == Known::Twin {
        return Judgement::Ambiguous(2);
    }
    let enough = if known == Known::Kept { if destructive { bars.apply } else { bars.apply_kept } } else { bar.0 };
    if best.share >= enough && !vetoed && matches!(known, Known::Kept | Known::Surely) {
        return Judgement::Same;
    }
    let as_it_was = ranking.recorded && takes_its_place(signals) && looks_the_same(signals) && !destructive;
    let attempt = if as_it_was { bars.attempt_in_place } else { bar.1 };
    if best.share >= attempt && !vetoed && hints && known != Known::Doubtful && stands_out(ranking, best) {
        return Judgement::Likely;
    }
    let close = ranking.elements.iter().take_while(|other| other.bits > best.bits - RIVAL_BITS).take(MOST_RIVALS);
    let (rivals, together) = close.fold((0, 0.0), |(count, sum), rival| (count + 1, sum + rival.share));
    if rivals > 1 && together >= bars.propose && hints && !vetoed {
        return Judgement::Ambiguous(rivals);
    }
    if best.share >= bars.propose && !vetoed && hints { Judgement::Weak } else { Judgement::Gone }
}

/// Whether something forbids even to propose it. What the repository itself exchanged for its opposite may be shown to a
/// person.
fn is_vetoed(signals: &[Signal]) -> bool {
    let exchanged = signals.contains(&Signal::SuccessorSame);
    signals.iter().any(|signal| signal.vetoes() && !(exchanged && signal.means_another()))
}

/// What is known of the best candidate, whatever its share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    /// It is the element, if it is any: what it says has stayed, and where it stands.
    Kept,
    /// It is the element, if it is any.
    Surely,
    /// Nothing speaks against it.
    Perhaps,
    /// Something does.
    Doubtful,
    /// It has an equal.
    Twin,
}

/// What the record of a green run says of a candidate.
fn recorded(ranking: &Ranking, best: &Standing, signals: &[Signal]) -> Known {
    use Signal as S;
    let has = |signal: Signal| signals.contains(&signal);
    let anchored = signals.iter().any(|signal| signal.anchors());
    let in_place = takes_its_place(signals);
    if in_place && !anchored && has_a_twin(ranking, best) {
        return Known::Twin;
    }
    // A landmark of the same sort is not the same landmark; of like items without text, another has other words around it.
    let elsewhere = has(S::HeadingOther) && has(S::PathOther) && (has(S::NearFew) || has(S::NearNone));
    let another_item = has(S::TextNeither) && has(S::NearNone) && !has(S::PathSame);
    if !anchored && (elsewhere || another_item) {
        return Known::Doubtful;
    }
    let objects = |excuses: &dyn Fn(Signal) -> bool| signals.iter().any(|&signal| signal.objects() && !excuses(signal));
    // A new text is no other element where all else is as it was. An unrelated one may be another function there.
    let by_record = signals.iter().any(|signal| matches!(signal, S::HrefSame | S::NameSame | S::IdAlike));
    let around = has(S::NearMost) || has(S::TextSure) || has(S::TextLanguage);
    let as_it_was = in_place && looks_the_same(signals) && around;
    let surely = |signal: Signal| as_it_was && signal.is_rewording() && (signal.keeps_meaning() || by_record);
    // What says and leads the same has grown or shrunk with the page around it.
    let resized =
        |signal: Signal| signal == S::SizeFar && has(S::HrefSame) && (has(S::TextSame) || has(S::TextSameLong));
    if stayed(signals) && (anchored || !objects(&resized)) {
        return Known::Kept;
    }
    if anchored || !objects(&surely) {
        return Known::Surely;
    }
    let perhaps = |signal: Signal| signal.is_rewording() && (in_place || signal == S::TextSure);
    if objects(&perhaps) { Known::Doubtful } else { Known::Perhaps }
}

/// Whether both what the element says and where it stands have stayed: chance or a twin has seldom both. A spot among other
/// words is another spot: on the labelled pairs, where such a candidate is right from half the posterior on, the wrong ones
/// were of that sort.
fn stayed(signals: &[Signal]) -> bool {
    use Signal as S;
    let has = |signal: Signal| signals.contains(&signal);
    let text = has(S::TextSame) || has(S::TextSameLong);
    let path = has(S::PathSame) || has(S::PathTail);
    let same_row = (has(S::PlaceSame) || has(S::PlaceClose)) && (has(S::RowSame) || has(S::RowNear));
    let spot = has(S::PathSame) || (same_row && !has(S::NearNone));
    let like = (path && (has(S::ClassSame) || has(S::TextSameLong))) || has(S::HrefSame);
    let anchored = signals.iter().any(|signal| signal.anchors());
    (text && (spot || anchored || (like && !has(S::NearNone))))
        || (path && has(S::NearMost) && (has(S::TextNeither) || has(S::TextMost)))
}

/// What the locator and its test say of a candidate, where nothing was recorded.
fn unrecorded(signals: &[Signal]) -> Known {
    use Signal as S;
    let has = |signal: Signal| signals.contains(&signal);
    let anchored = signals.iter().any(|signal| signal.anchors());
    if !anchored && signals.iter().any(|signal| signal.objects()) {
        return Known::Doubtful;
    }
    // A link that became a button under another name is as likely another control.
    // Under the same name it may have stood beside the other all along.
    if !anchored && has(S::AskedRoleSort) {
        return if has(S::SaidSure) || has(S::SaidSame) { Known::Perhaps } else { Known::Doubtful };
    }
    // A synonym names a field; what is pressed has often a twin elsewhere that says it in other words.
    if has(S::ScopeGone) || (!has(S::FieldFits) && has(S::SaidSure) && !anchored) {
        return Known::Perhaps;
    }
    // A password goes into the one password field that is called nearly the same.
    let nearly = has(S::CarriedMost) || has(S::SaidMost) || has(S::CarriedSome);
    let grounds = (nearly && has(S::ValueFits)) || signals.iter().any(|signal| signal.grounds());
    if grounds { Known::Surely } else { Known::Perhaps }
}

/// Whether the best leaves all others that may be meant behind.
fn stands_out(ranking: &Ranking, best: &Standing) -> bool {
    let signals = |standing: &Standing| ranking.signals.get(standing.candidate).map(Vec::as_slice).unwrap_or_default();
    // What is of another sort than asked for is no rival, however much it says the same.
    let may_be = |other: &&Standing| !signals(other).iter().any(|signal| signal.objects() && !signal.is_rewording());
    let second = ranking.elements.iter().filter(|other| other.element != best.element).find(may_be);
    second.is_none_or(|second| second.bits <= best.bits - STANDS_OUT)
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

/// So many bits the best must have more than any other to be tried: nearly three times the odds.
const STANDS_OUT: f64 = 1.5;

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
    let veto = |found: &[Signal]| if is_vetoed(found) { VETO } else { 0.0 };
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
