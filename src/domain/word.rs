//! On whose word it rests which element is meant: the ranking's, or a model's choice among what the ranking finds possible.
//!
//! A model is not believed. Its choice may end in `healed` only where the ranking itself puts that element first and would
//! propose it, nothing speaks against it, what it was is carried over or recorded, and the test fails without the step; else
//! it is shown to a person.

use super::decide::{Decision, Verdict};
use super::rank::Bars;
use super::verdict::{Outcome, Proof, Proofs, Reason, ReasonCode};

/// On whose word the chosen element rests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// The ranking says so, and would try it by itself.
    Ranking,
    /// A model chose it.
    Model {
        /// Whether the ranking alone would propose it, with nothing against it, on what is carried over or recorded.
        clear: bool,
    },
}

/// The elements (indices into the facts) that a repair may lead to, best first: those that the ranking would apply,
/// propose, or cannot tell apart.
pub fn plausible(decision: &Decision) -> Vec<usize> {
    match &decision.verdict {
        Verdict::Same(index) | Verdict::Likely(index) | Verdict::Weak(index) => vec![*index],
        Verdict::Ambiguous(several) => several.clone(),
        Verdict::Gone | Verdict::WrongPage(_) => Vec::new(),
    }
}

impl Word {
    /// On whose word `index` would be the element. `destructive`: it takes away, pays or sends.
    pub fn of(decision: &Decision, index: usize, destructive: bool) -> Self {
        match &decision.verdict {
            Verdict::Same(same) | Verdict::Likely(same) if *same == index => Self::Ranking,
            Verdict::Weak(weak) if *weak == index && !destructive => {
                let anchored = decision.basis.is_recorded() || decision.basis.carry_over;
                let clear = decision.ranked.first().is_some_and(|first| {
                    first.index == index
                        && first.share >= Bars::default().propose
                        && first.evidence.iter().all(|piece| piece.bits >= 0.0)
                });
                Self::Model { clear: clear && anchored }
            }
            _ => Self::Model { clear: false },
        }
    }

    /// The outcome that a judgement may have on this word.
    pub fn bound(self, reason: Reason, proofs: &Proofs) -> Reason {
        let Self::Model { clear } = self else { return reason };
        if reason.outcome() != Outcome::Healed {
            return reason;
        }
        if clear && matches!(proofs.counter_test, Proof::Held(_)) {
            return Reason::new(
                ReasonCode::Proven,
                "every proof held; a model chose the element, and the ranking puts it first with nothing against it",
            );
        }
        Reason::new(
            ReasonCode::UnderApplyBar,
            "the test passes with it, but that it is this element rests on the word of a model",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::decide::{Evidence, Scored};
    use crate::domain::verdict::Basis;

    fn decision(verdict: Verdict, share: f64, bits: f64) -> Decision {
        let evidence = vec![Evidence { id: "x", bits, sentence: String::new() }];
        Decision {
            verdict,
            ranked: vec![Scored { index: 4, share, evidence }],
            none: 0.1,
            basis: Basis { carry_over: true, ..Basis::default() },
        }
    }

    #[test]
    fn a_models_choice_is_clear_only_where_the_ranking_would_propose_it_with_nothing_against_it() {
        for (verdict, share, bits, destructive, word) in [
            (Verdict::Same(4), 0.95, 3.0, false, Word::Ranking),
            (Verdict::Same(3), 0.95, 3.0, false, Word::Model { clear: false }),
            (Verdict::Likely(4), 0.8, 3.0, false, Word::Ranking),
            (Verdict::Likely(3), 0.8, 3.0, false, Word::Model { clear: false }),
            (Verdict::Weak(4), 0.7, 3.0, false, Word::Model { clear: true }),
            (Verdict::Weak(4), 0.4, 3.0, false, Word::Model { clear: false }),
            (Verdict::Weak(4), 0.7, -1.0, false, Word::Model { clear: false }),
            (Verdict::Weak(4), 0.7, 3.0, true, Word::Model { clear: false }),
            (Verdict::Ambiguous(vec![4, 5]), 0.7, 3.0, false, Word::Model { clear: false }),
        ] {
            let mut decision = decision(verdict, share, bits);
            assert_eq!(Word::of(&decision, 4, destructive), word, "{decision:?}");
            decision.basis = Basis::default();
            let unanchored = if word == Word::Ranking { word } else { Word::Model { clear: false } };
            assert_eq!(Word::of(&decision, 4, destructive), unanchored, "{decision:?}");
        }
    }

    #[test]
    fn on_a_models_word_only_a_failed_copy_without_the_step_makes_healed() {
        let healed = || Reason::new(ReasonCode::Proven, "");
        let proofs = |counter_test| Proofs { counter_test, ..Proofs::default() };
        let held = proofs(Proof::Held(String::new()));
        let (clear, unclear) = (Word::Model { clear: true }, Word::Model { clear: false });
        assert_eq!(Word::Ranking.bound(healed(), &proofs(Proof::NotRun)), healed());
        assert_eq!(clear.bound(healed(), &held).outcome(), Outcome::Healed);
        assert_eq!(unclear.bound(healed(), &held).outcome(), Outcome::Proposed);
        for counter in [Proof::NotRun, Proof::Failed(String::new()), Proof::NotApplicable(String::new())] {
            assert_eq!(clear.bound(healed(), &proofs(counter)).outcome(), Outcome::Proposed);
        }
        let flaky = Reason::new(ReasonCode::PassedOnce, "x");
        assert_eq!(clear.bound(flaky.clone(), &held), flaky);
    }

    #[test]
    fn nothing_is_plausible_where_the_ranking_finds_nothing() {
        for verdict in [Verdict::Gone, Verdict::WrongPage(String::new())] {
            assert_eq!(plausible(&decision(verdict, 0.9, 1.0)), Vec::<usize>::new());
        }
    }
}
