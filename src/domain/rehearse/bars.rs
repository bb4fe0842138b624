//! From which share on a suite's own questions let a repair be applied, or shown.

use super::numbers::{Deed, Outcome};
use crate::domain::words::ratio;

/// Wrong and false heals that are borne, as a share of all questions.
pub const MOST_HARM: f64 = 0.002;
/// Wrong proposals that are borne, as a share of all proposals: a person looks at each.
pub const MOST_WRONG_PROPOSALS: f64 = 0.2;

/// The lowest share from which on at most [`MOST_HARM`] of the questions are healed to a wrong element; not below
/// `present`, the bar that the questions were answered with. `None` where no bar is high enough.
pub fn apply_bar(answers: &[(Outcome, f64)], present: f64) -> Option<f64> {
    let harming = answers.iter().filter(|(outcome, _)| outcome.harms()).map(|&(_, share)| share);
    lowest(harming, answers.len(), MOST_HARM, present)
}

/// The lowest share from which on at most [`MOST_WRONG_PROPOSALS`] of what is proposed is wrong; not below `present`.
pub fn propose_bar(answers: &[(Outcome, f64)], present: f64) -> Option<f64> {
    let mut proposed: Vec<(f64, bool)> = answers
        .iter()
        .filter(|(outcome, _)| matches!(outcome.deed, Deed::Proposed | Deed::Tried))
        .map(|&(outcome, share)| (share, outcome.right))
        .collect();
    proposed.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (mut wrong, mut lowest) = (0, None);
    for (at, &(share, right)) in proposed.iter().enumerate() {
        wrong += usize::from(!right);
        // A bar does not tell equal shares apart.
        let ends = proposed.get(at + 1).is_none_or(|&(next, _)| next < share);
        if ends && ratio(wrong, at + 1) <= MOST_WRONG_PROPOSALS {
            lowest = Some(share);
        }
    }
    if proposed.is_empty() || ratio(wrong, proposed.len()) <= MOST_WRONG_PROPOSALS {
        return Some(present);
    }
    lowest.map(|share| down(share).max(present))
}

fn lowest(bad: impl Iterator<Item = f64>, all: usize, most: f64, present: f64) -> Option<f64> {
    let mut shares: Vec<f64> = bad.collect();
    shares.sort_by(|a, b| b.total_cmp(a));
    let borne = (1..=shares.len()).take_while(|&count| ratio(count, all) <= most).count();
    let Some(&worst) = shares.get(borne) else { return Some(present) };
    let bar = (worst * 1_000.0).floor() / 1_000.0 + 0.001;
    (bar <= 1.0).then_some(bar.max(present))
}

/// Down to a thousandth.
fn down(share: f64) -> f64 {
    (share * 1_000.0).floor() / 1_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(deed: Deed, right: bool, shares: &[f64]) -> Vec<(Outcome, f64)> {
        shares.iter().map(|&share| (Outcome { there: true, deed, right, exact: right }, share)).collect()
    }

    #[test]
    fn the_bar_stays_while_no_harm_is_done_and_rises_above_harm() {
        let right = answers(Deed::Healed, true, &[0.95; 500]);
        assert_eq!(apply_bar(&right, 0.9), Some(0.9));
        let with = |shares: &[f64]| [right.clone(), answers(Deed::Healed, false, shares)].concat();
        assert_eq!(apply_bar(&with(&[0.97]), 0.9), Some(0.9), "one in 501 is borne");
        assert_eq!(apply_bar(&with(&[0.97, 0.9304]), 0.9), Some(0.931));
        assert_eq!(apply_bar(&with(&[1.0, 1.0, 1.0]), 0.9), None);
    }

    #[test]
    fn proposals_are_shown_while_four_of_five_are_right() {
        let mixed =
            |wrong: &[f64]| [answers(Deed::Proposed, true, &[0.8; 8]), answers(Deed::Proposed, false, wrong)].concat();
        assert_eq!(propose_bar(&mixed(&[0.6, 0.6]), 0.5), Some(0.5));
        assert_eq!(propose_bar(&mixed(&[0.6, 0.6, 0.6]), 0.5), Some(0.8));
        assert_eq!(propose_bar(&[], 0.5), Some(0.5));
        assert_eq!(propose_bar(&answers(Deed::Proposed, false, &[0.6]), 0.5), None);
    }
}
