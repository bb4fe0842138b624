//! What a conversation with a model may cost at most, and what it has cost.
//!
//! Pure bookkeeping: time is passed in. Whatever runs out ends the conversation; nothing is ever spent past its limit
//! without saying so.

use std::fmt;
use std::time::Duration;

/// What may be spent on one root cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Runs of the test with an edit in place.
    pub runs: u32,
    /// Edits that gate two or the identity check refuses.
    pub rejected: u32,
    /// Replies of the model, whatever they say.
    pub steps: u32,
    /// Tokens, asked and answered.
    pub tokens: u64,
    /// Wall time of the whole conversation, runs included.
    pub wall: Duration,
}

impl Default for Limits {
    /// Enough for three tries with a look at two files and three pages of candidates before each.
    fn default() -> Self {
        Self { runs: 3, rejected: 6, steps: 24, tokens: 200_000, wall: Duration::from_mins(15) }
    }
}

/// What was spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spent {
    /// Runs of the test with an edit in place.
    pub runs: u32,
    /// Edits that were refused.
    pub rejected: u32,
    /// Replies of the model.
    pub steps: u32,
    /// Tokens that were sent.
    pub tokens_in: u64,
    /// Tokens that came back.
    pub tokens_out: u64,
    /// Whether some of the tokens were estimated, because the server did not count them.
    pub estimated: bool,
    /// Wall time.
    pub wall: Duration,
}

impl Spent {
    /// All tokens.
    pub fn tokens(&self) -> u64 {
        self.tokens_in.saturating_add(self.tokens_out)
    }
}

impl fmt::Display for Spent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let about = if self.estimated { "about " } else { "" };
        let plural = |count: u32, one: &'static str, many: &'static str| if count == 1 { one } else { many };
        write!(
            f,
            "{} {}, {} {}, {} refused {}, {about}{} tokens, {:.0} s",
            self.steps,
            plural(self.steps, "reply", "replies"),
            self.runs,
            plural(self.runs, "run", "runs"),
            self.rejected,
            plural(self.rejected, "edit", "edits"),
            self.tokens(),
            self.wall.as_secs_f64()
        )
    }
}

/// Something that costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cost {
    /// One more run with an edit.
    Run,
    /// One more refused edit.
    Rejected,
    /// One more reply.
    Step,
    /// Tokens of one call.
    Tokens {
        /// Sent.
        sent: u64,
        /// Received.
        received: u64,
        /// Whether they were estimated.
        estimated: bool,
    },
    /// The wall time since the conversation began.
    Elapsed(Duration),
}

/// What ran out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exhausted {
    /// The runs.
    Runs,
    /// The refused edits.
    Rejected,
    /// The replies.
    Steps,
    /// The tokens.
    Tokens,
    /// The time.
    Wall,
}

impl fmt::Display for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Runs => "the allowed runs of the test are used up",
            Self::Rejected => "too many edits were refused",
            Self::Steps => "the model made no end within the allowed replies",
            Self::Tokens => "the allowed tokens are used up",
            Self::Wall => "the allowed time is used up",
        })
    }
}

/// Limits and what was spent of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Budget {
    limits: Limits,
    spent: Spent,
}

impl Budget {
    /// A budget of which nothing is spent.
    pub fn new(limits: Limits) -> Self {
        Self { limits, spent: Spent::default() }
    }

    /// Takes `cost` out of the budget, or says what does not suffice. A run, a reply and a refusal that are not allowed are
    /// not counted; tokens and time that are gone are.
    pub fn spend(&mut self, cost: Cost) -> Result<(), Exhausted> {
        let (limits, spent) = (&self.limits, &mut self.spent);
        let one_more = |count: &mut u32, limit: u32, out: Exhausted| {
            if *count >= limit {
                return Err(out);
            }
            *count += 1;
            Ok(())
        };
        match cost {
            Cost::Run => one_more(&mut spent.runs, limits.runs, Exhausted::Runs),
            Cost::Rejected => one_more(&mut spent.rejected, limits.rejected, Exhausted::Rejected),
            Cost::Step => one_more(&mut spent.steps, limits.steps, Exhausted::Steps),
            Cost::Tokens { sent, received, estimated } => {
                spent.tokens_in = spent.tokens_in.saturating_add(sent);
                spent.tokens_out = spent.tokens_out.saturating_add(received);
                spent.estimated |= estimated;
                if spent.tokens() > limits.tokens { Err(Exhausted::Tokens) } else { Ok(()) }
            }
            Cost::Elapsed(time) => {
                spent.wall = spent.wall.max(time);
                if spent.wall >= limits.wall { Err(Exhausted::Wall) } else { Ok(()) }
            }
        }
    }

    /// What is left of the wall time.
    pub fn time_left(&self) -> Duration {
        self.limits.wall.saturating_sub(self.spent.wall)
    }

    /// How many tokens a reply may still have.
    pub fn tokens_left(&self) -> u64 {
        self.limits.tokens.saturating_sub(self.spent.tokens())
    }

    /// The limits.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// What was spent.
    pub fn spent(&self) -> &Spent {
        &self.spent
    }
}

/// About how many tokens a text has, for servers that do not count: four bytes each, as English and code have, and
/// rather too many than too few for other scripts.
pub fn estimate(bytes: usize) -> u64 {
    u64::try_from(bytes.div_ceil(4)).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Budget {
        Budget::new(Limits { runs: 2, rejected: 1, steps: 3, tokens: 100, wall: Duration::from_secs(10) })
    }

    #[test]
    fn a_limit_is_kept_to_and_what_is_refused_is_not_counted() {
        for (cost, allowed, out) in [
            (Cost::Run, 2, Exhausted::Runs),
            (Cost::Rejected, 1, Exhausted::Rejected),
            (Cost::Step, 3, Exhausted::Steps),
        ] {
            let mut budget = small();
            for _ in 0..allowed {
                assert_eq!(budget.spend(cost), Ok(()));
            }
            let spent = *budget.spent();
            assert_eq!((budget.spend(cost), *budget.spent()), (Err(out), spent));
        }
    }

    #[test]
    fn tokens_and_time_are_counted_also_when_they_exceed_the_limit() {
        let mut budget = small();
        assert_eq!(budget.spend(Cost::Tokens { sent: 60, received: 40, estimated: false }), Ok(()));
        assert_eq!(budget.tokens_left(), 0);
        assert_eq!(budget.spend(Cost::Tokens { sent: u64::MAX, received: 1, estimated: true }), Err(Exhausted::Tokens));
        assert_eq!((budget.spent().tokens(), budget.spent().estimated), (u64::MAX, true));
        assert_eq!(budget.spend(Cost::Elapsed(Duration::from_secs(9))), Ok(()));
        assert_eq!(budget.spend(Cost::Elapsed(Duration::from_secs(4))), Ok(()));
        assert_eq!(budget.time_left(), Duration::from_secs(1));
        assert_eq!(budget.spend(Cost::Elapsed(Duration::from_secs(10))), Err(Exhausted::Wall));
        assert_eq!(budget.time_left(), Duration::ZERO);
    }

    #[test]
    fn what_was_spent_reads_as_a_sentence() {
        let spent = Spent {
            runs: 1,
            steps: 3,
            tokens_in: 900,
            tokens_out: 100,
            estimated: true,
            wall: Duration::from_secs(12),
            ..Spent::default()
        };
        assert_eq!(spent.to_string(), "3 replies, 1 run, 0 refused edits, about 1000 tokens, 12 s");
    }
}
