//! The four numbers.

use std::fmt;

use crate::domain::words::ratio;

/// What was done about a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deed {
    /// An element was taken for the lost one, surely enough to act.
    Healed,
    /// An element is to be tried: healed only if the test passes with it and fails without the step, which no rehearsal runs.
    Tried,
    /// An element was shown to a person.
    Proposed,
    /// None of these.
    Declined,
}

/// What came of one question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// Whether the element was on the page.
    pub there: bool,
    /// What was done.
    pub deed: Deed,
    /// Whether the first of the ranking is the element, in whatever node.
    pub right: bool,
    /// Whether it is the very node.
    pub exact: bool,
}

impl Outcome {
    /// Whether an element was healed that is not the lost one.
    pub fn harms(self) -> bool {
        self.deed == Deed::Healed && !(self.there && self.right)
    }
}

/// The four numbers, and the ranking behind them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Numbers {
    /// Questions with the element on the page.
    pub there: usize,
    /// Questions without.
    pub gone: usize,
    /// The element healed.
    pub right: usize,
    /// Another element healed although the right one was there.
    pub wrong: usize,
    /// An element healed although the right one was gone.
    pub false_heals: usize,
    /// The element, if the test proves it.
    pub tried_right: usize,
    /// Another element, the right one being there or gone, if the test's own checks do not tell the difference.
    pub tried_wrong: usize,
    /// Rightly proposed to a person.
    pub proposed_right: usize,
    /// Wrongly proposed, the element being there or gone.
    pub proposed_wrong: usize,
    /// The first of the ranking is the very node.
    pub first_exact: usize,
    /// The first of the ranking is the element in whatever node.
    pub first: usize,
}

impl Numbers {
    /// Counts what came of one question.
    pub fn count(&mut self, outcome: Outcome) {
        let add = |number: &mut usize, counts: bool| *number += usize::from(counts);
        let Outcome { there, right, .. } = outcome;
        let healed = outcome.deed == Deed::Healed;
        let proposed = outcome.deed == Deed::Proposed;
        add(&mut self.there, there);
        add(&mut self.gone, !there);
        add(&mut self.right, healed && right);
        add(&mut self.wrong, healed && there && !right);
        add(&mut self.false_heals, healed && !there);
        let tried = outcome.deed == Deed::Tried;
        add(&mut self.tried_right, tried && right);
        add(&mut self.tried_wrong, tried && !right);
        add(&mut self.proposed_right, proposed && right);
        add(&mut self.proposed_wrong, proposed && !right);
        add(&mut self.first_exact, outcome.exact);
        add(&mut self.first, right);
    }

    /// The numbers of many questions.
    pub fn of(outcomes: impl IntoIterator<Item = Outcome>) -> Self {
        let mut numbers = Self::default();
        outcomes.into_iter().for_each(|outcome| numbers.count(outcome));
        numbers
    }

    /// Questions with the element on the page at which nothing was healed.
    pub fn declined(&self) -> usize {
        self.there - self.right - self.wrong
    }

    /// Wrong and false heals as a share of all questions, 0 to 1.
    pub fn harm(&self) -> f64 {
        ratio(self.wrong + self.false_heals, self.there + self.gone)
    }
}

impl fmt::Display for Numbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |what: &str, part: usize, whole: usize| {
            writeln!(f, "{what:<24}{part:>5} of {whole} ({:.1} %)", 100.0 * ratio(part, whole))
        };
        line("healed right", self.right, self.there)?;
        line("healed wrong", self.wrong, self.there)?;
        line("false heal when gone", self.false_heals, self.gone)?;
        line("declined", self.declined(), self.there)?;
        line("  of them tried right", self.tried_right, self.there)?;
        line("  of them proposed right", self.proposed_right, self.there)?;
        line("tried wrong", self.tried_wrong, self.there + self.gone)?;
        line("proposed wrong", self.proposed_wrong, self.there + self.gone)?;
        line("first, very node", self.first_exact, self.there)?;
        line("first, same element", self.first, self.there)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_question_is_counted_once_and_harm_is_wrong_and_false() {
        let outcome = |there, deed, right| Outcome { there, deed, right, exact: right };
        let numbers = Numbers::of([
            outcome(true, Deed::Healed, true),
            outcome(true, Deed::Healed, false),
            outcome(true, Deed::Proposed, true),
            outcome(true, Deed::Declined, false),
            outcome(false, Deed::Healed, false),
            outcome(false, Deed::Proposed, false),
            outcome(true, Deed::Tried, true),
            outcome(false, Deed::Tried, false),
        ]);
        assert_eq!((numbers.there, numbers.gone), (5, 3));
        assert_eq!((numbers.right, numbers.wrong, numbers.false_heals, numbers.declined()), (1, 1, 1, 3));
        assert_eq!((numbers.tried_right, numbers.tried_wrong), (1, 1));
        assert_eq!((numbers.proposed_right, numbers.proposed_wrong), (1, 1));
        assert!((numbers.harm() - 2.0 / 8.0).abs() < 1e-9);
    }
}
