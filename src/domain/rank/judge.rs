//! What a ranking allows: to act, to try, to propose, or to decline. Judges, and compares nothing.

use super::signal::Signal;
use super::{Ranking, Standing};

/// So many bits the best must have more than any other to be tried: nearly three times the odds.
const STANDS_OUT: f64 = 1.5;

/// So many bits the best must have more than any other to be tried where its share is small: nearly six times the odds.
const FAR_AHEAD: f64 = 2.5;

/// Within so many bits of the best an element is its rival.
const RIVAL_BITS: f64 = 2.0;
/// At most so many rivals are named.
const MOST_RIVALS: usize = 5;

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

/// Whether another element of the sort says what the recorded one said, and the best says something else: the old name did
/// not go, so that its literal was given to something new.
fn is_said_elsewhere(ranking: &Ranking, best: &Standing) -> bool {
    use Signal as S;
    let signals = |standing: &Standing| ranking.signals_of(standing);
    let says = |found: &[Signal]| found.contains(&S::TextSame) || found.contains(&S::TextSameLong);
    let others = ranking.elements.iter().filter(|other| other.element != best.element);
    let is_it = |found: &[Signal]| {
        let sort = found.contains(&S::RoleSame) || found.contains(&S::TagSame);
        says(found) && sort && !found.contains(&S::Impossible) && !found.iter().any(|signal| signal.is_another())
    };
    signals(best).iter().any(|signal| signal.changes_text()) && !says(signals(best)) && others.map(signals).any(is_it)
}

/// Whether another element beside the best is new as well, of the same look, and has no less to do with the old text: one
/// became two, and nothing says which of them is meant.
fn has_a_twin(ranking: &Ranking, best: &Standing) -> bool {
    use Signal as S;
    let signals = |standing: &Standing| ranking.signals_of(standing);
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
    /// The same where what tells the element has stayed: its text, or its link and its id.
    pub apply_told: f64,
    /// From this share on a repair may be proposed to a person.
    pub propose: f64,
    /// From this share on a repair may be tried if the runs prove it: the test passes with the step and fails without.
    pub attempt: f64,
    /// The same for verbs that destroy, pay or send.
    pub attempt_destructive: f64,
    /// The same for what looks as the recorded element did and stands where it stood.
    pub attempt_in_place: f64,
    /// The same where nothing was recorded and no other element comes near: so many times the share of "none of these".
    pub attempt_by_far: f64,
}

impl Default for Bars {
    /// The bars at which labelled pairs give no wrong repair and false ones in less than one case of 200
    /// (`relocator rehearse --pairs`).
    fn default() -> Self {
        Self {
            apply: 0.9,
            apply_destructive: 0.97,
            apply_kept: 0.5,
            apply_told: 0.8,
            propose: 0.5,
            attempt: 0.3,
            attempt_destructive: 0.5,
            attempt_in_place: 0.1,
            attempt_by_far: 0.5,
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
    let signals = ranking.signals_of(best);
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
        false => unrecorded(ranking, best, signals),
    };
    if !vetoed && known == Known::Twin {
        return Judgement::Ambiguous(2);
    }
    let enough = match known {
        Known::Kept if destructive => bars.apply,
        Known::Kept => bars.apply_kept,
        Known::Told if !destructive => bars.apply_told,
        _ => bar.0,
    };
    if best.share >= enough && !vetoed && matches!(known, Known::Kept | Known::Told | Known::Surely) {
        return Judgement::Same;
    }
    let lead = leads(ranking, best);
    let by_far = !ranking.recorded && !destructive && is_far_ahead(best.share / ranking.none, lead, bars);
    let as_it_was = ranking.recorded && takes_its_place(signals) && looks_the_same(signals) && !destructive;
    let attempt = if as_it_was { bars.attempt_in_place } else { bar.1 };
    let ahead = by_far || (best.share >= attempt && lead >= STANDS_OUT);
    if ahead && !vetoed && hints && known != Known::Doubtful {
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
pub(super) fn is_vetoed(signals: &[Signal]) -> bool {
    let exchanged = signals.contains(&Signal::SuccessorSame);
    signals.iter().any(|signal| signal.vetoes() && !(exchanged && signal.means_another()))
}

/// What is known of the best candidate, whatever its share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    /// It is the element, if it is any: what it says has stayed, and where it stands.
    Kept,
    /// It is the element, if it is any: what tells it has stayed.
    Told,
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
    // An id that stayed where it is says more than the place; one that came may have been given to another element.
    if signals.iter().any(|signal| signal.is_another()) && !has(S::IdSame) && !has(S::TestIdSame) {
        return Known::Doubtful;
    }
    if is_said_elsewhere(ranking, best) && !has(S::IdSame) && !has(S::TestIdSame) {
        return Known::Doubtful;
    }
    if in_place && !anchored && has_a_twin(ranking, best) {
        return Known::Twin;
    }
    // A landmark of the same sort is not the same landmark; of like items without text, another has other words around it.
    let elsewhere = has(S::HeadingOther) && has(S::PathOther) && (has(S::NearFew) || has(S::NearNone));
    let another_item = has(S::TextNeither) && has(S::NearNone) && !has(S::PathSame);
    // What says nothing is known by its names: under a new one it is as likely the icon that took the place.
    let another_icon = has(S::TextNeither) && (has(S::IdOther) || has(S::TestIdOther)) && !has(S::HrefSame);
    // A literal may be given to another element that stands elsewhere; an id that stayed where it is may not.
    let settled = signals.iter().any(|signal| signal.anchors() && *signal != S::CarriedExact);
    if (!settled && (elsewhere || has(S::LandmarkOther))) || (!anchored && (another_item || another_icon)) {
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
    // A hand-made synonym at the same spot, among the same words.
    let renamed =
        |signal: Signal| signal == S::TextSure && on_its_spot(signals) && has(S::NearMost) && on_its_path(signals);
    if anchored || !objects(&|signal| surely(signal) || renamed(signal)) {
        let same = has(S::TextSame) || has(S::TextSameLong);
        let linked = has(S::TextMost) && has(S::HrefSame) && (has(S::IdSame) || has(S::IdAlike));
        let told = (same && !objects(&|_| false)) || linked;
        return if told { Known::Told } else { Known::Surely };
    }
    // Words that were exchanged for others are another function in the same place as often as the same one in new words;
    // all new ones as well, unless they say what the stale literal said, or the value tells what the field is for.
    let said_anew = has(S::CarriedSure) || has(S::ValueFits);
    let perhaps = |signal: Signal| {
        let anew = matches!(signal, S::TextGone | S::TextCome) || (signal == S::TextOther && said_anew);
        signal.is_rewording() && ((in_place && (signal.keeps_meaning() || by_record || anew)) || signal == S::TextSure)
    };
    if objects(&perhaps) { Known::Doubtful } else { Known::Perhaps }
}

/// Whether both what the element says and where it stands have stayed: chance or a twin has seldom both. A spot among other
/// words is another spot: on the labelled pairs, where such a candidate is right from half the posterior on, the wrong ones
/// were of that sort.
fn stayed(signals: &[Signal]) -> bool {
    use Signal as S;
    let has = |signal: Signal| signals.contains(&signal);
    let text = has(S::TextSame) || has(S::TextSameLong);
    let path = on_its_path(signals);
    let same_row = on_its_spot(signals);
    // What stands around a widget may be new altogether: then its size must have stayed.
    let spot = has(S::PathSame) || (same_row && (!has(S::NearNone) || has(S::SizeSame)));
    let like = (path && (has(S::ClassSame) || has(S::TextSameLong))) || has(S::HrefSame);
    let anchored = signals.iter().any(|signal| signal.anchors());
    let sized = has(S::SizeSame) || has(S::SizeLike);
    (text && (spot || anchored || (like && !has(S::NearNone))))
        || (path && has(S::NearMost) && (has(S::TextNeither) || has(S::TextMost)))
        || (path && same_row && has(S::TextMost))
        || (has(S::TextNeither) && has(S::PlaceSame) && has(S::RowSame) && sized)
}

/// Whether its box stands where the element's stood.
fn on_its_spot(signals: &[Signal]) -> bool {
    use Signal as S;
    let has = |signal: Signal| signals.contains(&signal);
    (has(S::PlaceSame) || has(S::PlaceClose)) && (has(S::RowSame) || has(S::RowNear))
}

/// Whether the end of its path from the root has stayed at least.
fn on_its_path(signals: &[Signal]) -> bool {
    signals.contains(&Signal::PathSame) || signals.contains(&Signal::PathTail)
}

/// What the locator and its test say of a candidate, where nothing was recorded.
fn unrecorded(ranking: &Ranking, best: &Standing, signals: &[Signal]) -> Known {
    use Signal as S;
    let has = |signal: Signal| signals.contains(&signal);
    // `save` was given to `Discard`, and `Save` is there.
    let others = || ranking.elements.iter().filter(|other| other.element != best.element);
    let says_it = |found: &[Signal]| found.contains(&S::LiteralSaid) && !found.contains(&S::Impossible);
    let given = has(S::CarriedExact) && !has(S::LiteralSaid) && !has(S::SuccessorSame);
    if given && others().any(|other| says_it(ranking.signals_of(other))) {
        return Known::Doubtful;
    }
    let anchored = signals.iter().any(|signal| signal.anchors());
    if !anchored && signals.iter().any(|signal| signal.objects()) {
        return Known::Doubtful;
    }
    // Outside of the form that the test has just filled stands another form's, or the way to this one. On the traces of the
    // bench (`relocator rehearse`) no such candidate was right, as were none of another scope, or of other words that
    // neither the test's names nor its titles say.
    let said_by_the_test = has(S::NamesAll) || has(S::TitleAll) || has(S::ValueFits);
    if !anchored && (has(S::OutsideForm) || has(S::ScopeGone) || (has(S::SaidOther) && !said_by_the_test)) {
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
    // A field of the form that the test works in, called by hand-made synonyms of the old identifier.
    let of_the_form = has(S::FieldFits) && has(S::FormMate) && has(S::CarriedSure);
    let grounds = of_the_form || (nearly && has(S::ValueFits)) || signals.iter().any(|signal| signal.grounds());
    if grounds { Known::Surely } else { Known::Perhaps }
}

/// What locators say little of has a small share among a hundred others: what counts is how far it leaves each of them behind,
/// and "none of these" (`odds`).
fn is_far_ahead(odds: f64, lead: f64, bars: Bars) -> bool {
    (lead >= FAR_AHEAD && odds >= bars.attempt_by_far) || (lead >= STANDS_OUT && odds >= 1.0)
}

/// By how many bits the best leaves all others behind that may be meant.
fn leads(ranking: &Ranking, best: &Standing) -> f64 {
    let signals = |standing: &Standing| ranking.signals_of(standing);
    // What is of another sort than asked for is no rival, however much it says the same.
    let may_be = |other: &&Standing| !signals(other).iter().any(|signal| signal.objects() && !signal.is_rewording());
    let second = ranking.elements.iter().filter(|other| other.element != best.element).find(may_be);
    second.map_or(f64::INFINITY, |second| best.bits - second.bits)
}

#[cfg(test)]
mod tests {
    use super::Signal as S;
    use super::*;

    /// What is made of one candidate of a recorded element, before "none of these".
    fn of(share: f64, signals: &[Signal]) -> Judgement {
        let best = Standing { element: 0, candidate: 0, bits: 12.0, share };
        let ranking = Ranking {
            signals: vec![signals.to_vec()],
            bits: vec![12.0],
            element: vec![0],
            elements: vec![best],
            none: 1.0 - share,
            recorded: true,
        };
        judge(&ranking, false, Bars::default())
    }

    #[test]
    fn what_says_the_same_on_its_spot_is_the_element_from_half_the_posterior_on() {
        let spot = [S::TagSame, S::PlaceSame, S::RowSame];
        let with = |more: &[Signal]| [&spot[..], more].concat();
        for (share, more, expected) in [
            (0.6, vec![S::TextSame, S::SizeSame, S::NearNone], Judgement::Same),
            (0.6, vec![S::TextSame, S::SizeLike, S::NearNone], Judgement::Likely),
            (0.6, vec![S::TextNeither, S::SizeLike], Judgement::Same),
            (0.6, vec![S::TextNeither, S::SizeFar], Judgement::Weak),
            (0.6, vec![S::TextMost, S::PathTail], Judgement::Same),
            (0.6, vec![S::TextMost, S::PathOther], Judgement::Likely),
            (0.4, vec![S::TextSame, S::SizeSame], Judgement::Likely),
        ] {
            assert_eq!(of(share, &with(&more)), expected, "{share} {more:?}");
        }
    }

    #[test]
    fn what_tells_an_element_carries_a_repair_before_the_posterior_is_sure() {
        for (share, signals, expected) in [
            (0.85, vec![S::TextSame, S::TagSame, S::PlaceAway], Judgement::Same),
            (0.75, vec![S::TextSame, S::TagSame, S::PlaceAway], Judgement::Likely),
            (0.85, vec![S::TextSame, S::TagSame, S::PlaceFar], Judgement::Weak),
            (0.85, vec![S::TextMost, S::HrefSame, S::IdAlike], Judgement::Same),
            (0.85, vec![S::TextMost, S::HrefSame], Judgement::Likely),
            (0.95, vec![S::TextSure, S::PlaceSame, S::RowSame, S::NearMost, S::PathTail], Judgement::Same),
            (0.95, vec![S::TextSynonym, S::PlaceSame, S::RowSame, S::NearMost, S::PathTail], Judgement::Weak),
        ] {
            assert_eq!(of(share, &signals), expected, "{share} {signals:?}");
        }
    }
}
