//! What a repair attempt comes to: one outcome with one reason, folded from what was recorded.
//!
//! Pure judgement. Runs nothing, reads nothing; `healed` can only come out of [`judge`], which demands every proof.

use std::fmt;

/// How one root cause ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// One locator on one line was changed, and every proof held.
    Healed,
    /// A swap that relocator believes in but may not apply; the source is unchanged.
    Proposed,
    /// A stale locator, but it cannot be proven what it meant; the source is unchanged.
    Declined,
    /// Not a stale locator: for a person.
    Escalated,
    /// The failure does not reproduce, or the healed test does not pass twice.
    Flaky,
    /// The environment stopped us; says nothing about the product under test.
    Blocked,
}

impl Outcome {
    /// The word printed and serialised.
    pub fn word(self) -> &'static str {
        match self {
            Self::Healed => "healed",
            Self::Proposed => "proposed",
            Self::Declined => "declined",
            Self::Escalated => "escalated",
            Self::Flaky => "flaky",
            Self::Blocked => "blocked",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// Why an outcome is what it is: a stable code to branch on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReasonCode {
    /// Healed: every proof held.
    Proven,
    /// Healed, and the test is not: the step works again on the element that is on record, and the test fails behind it.
    StepProven,
    /// Proposed: only a proposal was asked for.
    DryRun,
    /// Proposed: the locator stands inside an assertion.
    InsideAssertion,
    /// Proposed: the locator is later the subject of an assertion, and only a fingerprint or git may carry that.
    FeedsAssertion,
    /// Proposed: the repair needs more than one physical line, or a place that gate two forbids.
    PlaceForbidden,
    /// Proposed: the evidence is above the bar for proposing and under the bar for applying.
    UnderApplyBar,
    /// Proposed: the locator matches several elements; a narrowed one is for a person to choose.
    StrictModeViolation,
    /// Proposed: the test also passes without the healed step, so its green run says nothing about the step.
    Unproven,
    /// Proposed: the test got past the healed step and fails later.
    Advanced,
    /// Declined: no element of the page is the lost one.
    Gone,
    /// Declined: two or more elements fit about equally well.
    Ambiguous,
    /// Declined: the page is not the page the step was written for.
    WrongPage,
    /// Declined: a best candidate exists, but too little speaks for it.
    WeakEvidence,
    /// Declined: no locator for the element is unique, stable and allowed.
    NoStableLocator,
    /// Declined: the locator's definition was not found or is computed.
    SourceUnclear,
    /// Declined: the page at the failing step cannot be seen.
    NoSnapshot,
    /// Declined: the locator still matches its element in the last snapshot, so it is not stale.
    StillMatches,
    /// Declined: the assertion checks for absence; repairing its locator would flip its meaning.
    AbsenceAssertion,
    /// Declined: the test still fails with every allowed edit.
    AttemptsUsedUp,
    /// Declined: the healed step hit another element than the chosen one.
    WrongElement,
    /// Declined: another test that uses the line broke.
    DependentBroke,
    /// Declined: a person rejected this repair before.
    RejectedBefore,
    /// Declined: the model that was asked chose none of the candidates.
    ModelDeclined,
    /// Declined: the runs, tokens or time that a model may use are used up.
    OutOfBudget,
    /// Escalated: gate one says that this is no stale locator.
    NotDrift,
    /// Flaky: the test passed unchanged.
    NotReproduced,
    /// Flaky: the healed test passed once and failed once.
    PassedOnce,
    /// Blocked: the environment is at fault.
    Environment,
}

impl ReasonCode {
    /// The stable code, as serialised.
    pub fn code(self) -> &'static str {
        match self {
            Self::Proven => "proven",
            Self::StepProven => "step_proven",
            Self::DryRun => "dry_run",
            Self::InsideAssertion => "inside_assertion",
            Self::FeedsAssertion => "feeds_assertion",
            Self::PlaceForbidden => "place_forbidden",
            Self::UnderApplyBar => "under_apply_bar",
            Self::StrictModeViolation => "strict_mode_violation",
            Self::Unproven => "unproven",
            Self::Advanced => "advanced",
            Self::Gone => "gone",
            Self::Ambiguous => "ambiguous",
            Self::WrongPage => "wrong_page",
            Self::WeakEvidence => "weak_evidence",
            Self::NoStableLocator => "no_stable_locator",
            Self::SourceUnclear => "source_unclear",
            Self::NoSnapshot => "no_snapshot",
            Self::StillMatches => "still_matches",
            Self::AbsenceAssertion => "absence_assertion",
            Self::AttemptsUsedUp => "attempts_used_up",
            Self::WrongElement => "wrong_element",
            Self::DependentBroke => "dependent_broke",
            Self::RejectedBefore => "rejected_before",
            Self::ModelDeclined => "model_declined",
            Self::OutOfBudget => "out_of_budget",
            Self::NotDrift => "not_drift",
            Self::NotReproduced => "not_reproduced",
            Self::PassedOnce => "passed_once",
            Self::Environment => "environment",
        }
    }

    /// The one outcome this reason belongs to.
    pub fn outcome(self) -> Outcome {
        match self {
            Self::Proven | Self::StepProven => Outcome::Healed,
            Self::DryRun
            | Self::InsideAssertion
            | Self::FeedsAssertion
            | Self::PlaceForbidden
            | Self::UnderApplyBar
            | Self::StrictModeViolation
            | Self::Unproven
            | Self::Advanced => Outcome::Proposed,
            Self::Gone
            | Self::Ambiguous
            | Self::WrongPage
            | Self::WeakEvidence
            | Self::NoStableLocator
            | Self::SourceUnclear
            | Self::NoSnapshot
            | Self::StillMatches
            | Self::AbsenceAssertion
            | Self::AttemptsUsedUp
            | Self::WrongElement
            | Self::DependentBroke
            | Self::RejectedBefore
            | Self::ModelDeclined
            | Self::OutOfBudget => Outcome::Declined,
            Self::NotDrift => Outcome::Escalated,
            Self::NotReproduced | Self::PassedOnce => Outcome::Flaky,
            Self::Environment => Outcome::Blocked,
        }
    }
}

/// An outcome's reason: a code to branch on and a sentence to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// The stable code.
    pub code: ReasonCode,
    /// What was seen, in a sentence.
    pub sentence: String,
}

impl Reason {
    /// A reason with its sentence.
    pub fn new(code: ReasonCode, sentence: impl Into<String>) -> Self {
        Self { code, sentence: sentence.into() }
    }

    /// The outcome this reason stands for.
    pub fn outcome(&self) -> Outcome {
        self.code.outcome()
    }
}

/// What became of one proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proof {
    /// It held; what was seen.
    Held(String),
    /// It did not hold; what was seen.
    Failed(String),
    /// It cannot be made for this step; why.
    NotApplicable(String),
    /// It was not tried, because another proof had failed before.
    NotRun,
}

impl Proof {
    fn failed(&self) -> Option<&str> {
        match self {
            Self::Failed(seen) => Some(seen),
            _ => None,
        }
    }

    fn held(&self) -> bool {
        matches!(self, Self::Held(_))
    }
}

/// The proofs that `healed` rests on, each as it came out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proofs {
    /// The failure happened with the old line.
    pub reproduced: Proof,
    /// The test passed twice with the new line, by the same command, without retries. Not applicable where the step worked twice
    /// and the test fails behind it.
    pub passed_twice: Proof,
    /// The healed step resolved to the chosen element, once, visible.
    pub right_element: Proof,
    /// Every other test that uses the line ends as before.
    pub dependents: Proof,
    /// The test fails when the healed step is taken out.
    pub counter_test: Proof,
}

impl Default for Proofs {
    fn default() -> Self {
        Self {
            reproduced: Proof::NotRun,
            passed_twice: Proof::NotRun,
            right_element: Proof::NotRun,
            dependents: Proof::NotRun,
            counter_test: Proof::NotRun,
        }
    }
}

/// What the identity of the chosen element rests on, beyond likeness.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Basis {
    /// A fingerprint of a green run says that it is the same element.
    pub fingerprint: bool,
    /// The repository's history says what the old token became.
    pub git: bool,
    /// The same literal under another attribute, or the same role and name.
    pub carry_over: bool,
}

impl Basis {
    /// Whether identity is known from the past and not inferred from the page alone.
    pub fn is_recorded(self) -> bool {
        self.fingerprint || self.git
    }
}

/// The sentence of a repair for which nothing has to be excused.
pub const EVERY_PROOF: &str = "every proof held";

/// Folds the proofs into the reason of an applied edit. `feeds_expect`: the swapped locator is later the subject of an
/// assertion.
pub fn judge(proofs: &Proofs, basis: Basis, feeds_expect: bool) -> Reason {
    if let Some(seen) = proofs.reproduced.failed() {
        return Reason::new(ReasonCode::NotReproduced, seen);
    }
    if let Some(seen) = proofs.passed_twice.failed() {
        return Reason::new(ReasonCode::PassedOnce, seen);
    }
    if let Some(seen) = proofs.right_element.failed() {
        return Reason::new(ReasonCode::WrongElement, seen);
    }
    if let Some(seen) = proofs.dependents.failed() {
        return Reason::new(ReasonCode::DependentBroke, seen);
    }
    let red_behind = match &proofs.passed_twice {
        Proof::NotApplicable(why) => Some(why).filter(|_| basis.is_recorded()),
        _ => None,
    };
    let all_run = proofs.reproduced.held()
        && (proofs.passed_twice.held() || red_behind.is_some())
        && proofs.right_element.held()
        && !matches!(proofs.dependents, Proof::NotRun)
        && !matches!(proofs.counter_test, Proof::NotRun);
    if !all_run {
        return Reason::new(ReasonCode::Unproven, "not every proof could be made");
    }
    if feeds_expect && !basis.is_recorded() {
        return Reason::new(
            ReasonCode::FeedsAssertion,
            "the locator is later the subject of an assertion, and neither a fingerprint nor git says that it is the same element",
        );
    }
    if let Some(why) = red_behind {
        return Reason::new(ReasonCode::StepProven, format!("the step works again, by {}; {why}", carried_by(basis)));
    }
    let carried = basis.is_recorded() || basis.carry_over;
    match &proofs.counter_test {
        Proof::Failed(seen) if !carried => Reason::new(ReasonCode::Unproven, seen),
        Proof::Failed(seen) => Reason::new(
            ReasonCode::Proven,
            format!("proven by {}; the counter-test says nothing here: {seen}", carried_by(basis)),
        ),
        Proof::NotApplicable(why) if !carried => Reason::new(
            ReasonCode::Unproven,
            format!(
                "identity rests on the page alone, and the counter-test that could prove it is not applicable: {why}"
            ),
        ),
        Proof::NotApplicable(why) => Reason::new(
            ReasonCode::Proven,
            format!("every proof that applies held; counter-test not applicable: {why}"),
        ),
        Proof::Held(_) | Proof::NotRun => Reason::new(ReasonCode::Proven, EVERY_PROOF),
    }
}

fn carried_by(basis: Basis) -> &'static str {
    match basis {
        Basis { fingerprint: true, .. } => "the fingerprint of a green run",
        Basis { git: true, .. } => "the repository's history",
        _ => "an exact carry-over",
    }
}

#[cfg(test)]
mod tests;
