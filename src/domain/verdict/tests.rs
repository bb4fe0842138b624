use super::{Basis, Outcome, Proof, Proofs, ReasonCode, judge};

fn held() -> Proof {
    Proof::Held(String::new())
}

fn all() -> Proofs {
    Proofs { reproduced: held(), passed_twice: held(), right_element: held(), dependents: held(), counter_test: held() }
}

#[test]
fn healed_needs_every_proof() {
    assert_eq!(judge(&all(), Basis::default(), false).outcome(), Outcome::Healed);
    let spoilers: [fn(&mut Proofs) -> &mut Proof; 4] =
        [|p| &mut p.reproduced, |p| &mut p.passed_twice, |p| &mut p.right_element, |p| &mut p.dependents];
    for spoil in spoilers {
        for proof in [Proof::Failed("x".into()), Proof::NotRun] {
            let mut proofs = all();
            *spoil(&mut proofs) = proof;
            let basis = Basis { fingerprint: true, git: true, carry_over: true };
            assert_ne!(judge(&proofs, basis, false).outcome(), Outcome::Healed, "{proofs:?}");
        }
    }
}

#[test]
fn a_step_whose_test_fails_behind_it_is_healed_only_on_a_recorded_identity() {
    let mut proofs = all();
    proofs.passed_twice = Proof::NotApplicable("the test still fails".into());
    proofs.counter_test = Proof::NotApplicable("the test fails in any case".into());
    for (basis, code) in [
        (Basis::default(), ReasonCode::Unproven),
        (Basis { carry_over: true, ..Basis::default() }, ReasonCode::Unproven),
        (Basis { fingerprint: true, ..Basis::default() }, ReasonCode::StepProven),
        (Basis { git: true, ..Basis::default() }, ReasonCode::StepProven),
    ] {
        assert_eq!(judge(&proofs, basis, false).code, code);
    }
    let recorded = Basis { fingerprint: true, ..Basis::default() };
    let spoilers: [fn(&mut Proofs) -> &mut Proof; 4] =
        [|p| &mut p.reproduced, |p| &mut p.right_element, |p| &mut p.dependents, |p| &mut p.counter_test];
    for spoil in spoilers {
        let mut spoilt = proofs.clone();
        *spoil(&mut spoilt) = Proof::NotRun;
        assert_eq!(judge(&spoilt, recorded, false).code, ReasonCode::Unproven, "{spoilt:?}");
    }
}

#[test]
fn a_test_that_passes_without_its_step_is_healed_only_when_identity_is_carried() {
    let mut proofs = all();
    proofs.counter_test = Proof::Failed("passed without the step".into());
    assert_eq!(judge(&proofs, Basis::default(), false).code, ReasonCode::Unproven);
    for basis in [
        Basis { fingerprint: true, ..Basis::default() },
        Basis { git: true, ..Basis::default() },
        Basis { carry_over: true, ..Basis::default() },
    ] {
        assert_eq!(judge(&proofs, basis, false).outcome(), Outcome::Healed);
    }
}

#[test]
fn without_a_counter_test_nothing_is_healed_on_likeness_alone() {
    let mut proofs = all();
    proofs.counter_test = Proof::NotApplicable("snapshots".into());
    assert_eq!(judge(&proofs, Basis::default(), false).code, ReasonCode::Unproven);
    let carried = Basis { carry_over: true, ..Basis::default() };
    assert_eq!(judge(&proofs, carried, false).outcome(), Outcome::Healed);
}

#[test]
fn an_assertion_subject_is_healed_only_on_a_recorded_identity() {
    let carried = Basis { carry_over: true, ..Basis::default() };
    assert_eq!(judge(&all(), carried, true).code, ReasonCode::FeedsAssertion);
    assert_eq!(judge(&all(), Basis { git: true, ..Basis::default() }, true).outcome(), Outcome::Healed);
}
