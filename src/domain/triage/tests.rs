use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::domain::classify::classify;

/// A failure of the test at `line` of `file`, at `site`, with Playwright's text.
fn failure(file: &str, line: u32, site: (&str, u32), text: &str) -> Failure {
    Failure {
        test: Some(TestId { file: file.to_owned(), line, titles: vec![format!("test {line}")] }),
        project: "chromium".to_owned(),
        flaky: false,
        reading: Arc::new(classify(text)),
        site: Some(Site { file: site.0.to_owned(), line: site.1, column: Some(5) }),
        said: said(text),
    }
}

fn stale(locator: &str) -> String {
    format!("TimeoutError: locator.click: Timeout 2000ms exceeded.\nCall log:\n  - waiting for {locator}\n")
}

const REFUSED: &str = "Error: page.goto: net::ERR_CONNECTION_REFUSED at http://localhost:3000/a\nCall log:\n  - navigating to \"http://localhost:3000/a\", waiting until \"load\"\n";
const VALUE: &str = "Error: expect(locator).toHaveText(expected) failed\n\nLocator:  getByTestId('total')\nExpected: \"3\"\nReceived: \"4\"\nTimeout:  2000ms\n\nCall log:\n  - Expect \"toHaveText\" with timeout 2000ms\n  - waiting for getByTestId('total')\n    5 × locator resolved to <b data-testid=\"total\">4</b>\n      - unexpected value \"4\"\n";

/// What a group is: its kind, its headline, how many tests in how many files.
fn shown(groups: &[Group]) -> Vec<(Kind, String, usize, usize)> {
    groups.iter().map(|group| (group.kind, advice::headline(group), group.tests, group.files.len())).collect()
}

fn suite() -> Vec<Failure> {
    let mut failures = vec![
        failure("a.spec.ts", 3, ("pages/cart.ts", 12), &stale("locator('.btn')")),
        failure("a.spec.ts", 9, ("pages/cart.ts", 12), &stale("locator('.btn')")),
        failure("b.spec.ts", 3, ("pages/cart.ts", 12), &stale("locator('.btn')")),
        failure("b.spec.ts", 7, ("b.spec.ts", 8), &stale("locator('.btn')")),
        failure("c.spec.ts", 1, ("c.spec.ts", 2), REFUSED),
        failure("c.spec.ts", 5, ("c.spec.ts", 6), REFUSED),
        failure("d.spec.ts", 1, ("d.spec.ts", 4), VALUE),
        failure("d.spec.ts", 9, ("d.spec.ts", 11), VALUE),
    ];
    let mut firefox = failures[0].clone();
    firefox.project = "firefox".to_owned();
    failures.push(firefox);
    let mut flaky = failures[1].clone();
    flaky.flaky = true;
    flaky.test = Some(TestId { file: "e.spec.ts".to_owned(), line: 1, titles: vec!["e".to_owned()] });
    failures.push(flaky);
    failures
}

#[test]
fn one_cause_is_one_group_and_the_largest_comes_first() {
    let groups = group(&suite());
    assert_eq!(
        shown(&groups),
        [
            (Kind::Candidate, "locator('.btn') matches nothing at pages/cart.ts:12".to_owned(), 3, 2),
            (Kind::Blocked, "http://localhost:3000 is not reached: net::ERR_CONNECTION_REFUSED".to_owned(), 2, 1),
            (Kind::Candidate, "locator('.btn') matches nothing at b.spec.ts:8".to_owned(), 1, 1),
            (Kind::Escalated, "the element has another text than the test expects at d.spec.ts:4".to_owned(), 1, 1),
            (Kind::Escalated, "the element has another text than the test expects at d.spec.ts:11".to_owned(), 1, 1),
            (Kind::Flaky, "locator('.btn') matches nothing at pages/cart.ts:12".to_owned(), 1, 1),
        ]
    );
    assert_eq!((groups[0].members.len(), groups[0].projects.len()), (4, 2), "a test of two browsers counts once");
    let mut ids: Vec<_> = groups.iter().map(|group| &group.id).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), groups.len());
}

#[test]
fn an_error_of_the_whole_run_comes_before_all_else() {
    let mut failures = suite();
    failures.push(Failure { test: None, site: None, ..failure("", 0, ("", 0), "Error: no such module 'x'") });
    let groups = group(&failures);
    assert_eq!((groups[0].tests, groups[0].kind), (0, Kind::Escalated));
}

#[test]
fn groups_with_one_definition_become_one() {
    let failures = suite();
    let groups = group(&failures);
    let found: Vec<Option<Definition>> = groups
        .iter()
        .map(|_| {
            Some(Definition {
                site: Site { file: "selectors.ts".to_owned(), line: 1, column: None },
                link: "locator('.btn')".to_owned(),
            })
        })
        .collect();
    let joined = join(&failures, &groups, &found);
    assert_eq!(joined.len(), groups.len() - 1);
    assert_eq!(
        shown(&joined)[0],
        (Kind::Candidate, "locator('.btn') matches nothing at selectors.ts:1".to_owned(), 4, 2)
    );
}

#[test]
fn of_several_reports_of_a_test_the_worst_counts() {
    let failures = suite();
    let (test, project) = (failures[0].test.clone().unwrap(), failures[0].project.clone());
    let failed = Seen { ended: Ended::Failed, failure: Some((failures[0].clone(), ())) };
    let passed = Seen { ended: Ended::Passed, failure: None };
    for order in [[failed.clone(), passed.clone()], [passed, failed]] {
        let mut ledger = Ledger::default();
        for seen in order {
            ledger.note(test.clone(), project.clone(), seen);
        }
        let (totals, failures) = ledger.finish();
        assert_eq!(totals, Totals { tests: 1, failed: 1, ..Totals::default() });
        assert_eq!(failures.len(), 1);
    }
}

#[test]
fn what_traces_show_joins_groups_but_gives_none_another_id() {
    let failures = [
        failure("a.spec.ts", 3, ("a.spec.ts", 4), &stale("locator('#box').getByRole('link')")),
        failure("b.spec.ts", 3, ("b.spec.ts", 9), &stale("locator('#box').getByText('x')")),
        failure("c.spec.ts", 1, ("c.spec.ts", 2), &stale("locator('.alone')")),
    ];
    let groups = group(&failures);
    let site = Site { file: "page.ts".to_owned(), line: 7, column: None };
    let definition = Definition { site, link: "locator('#box')".to_owned() };
    let found: Vec<Option<Definition>> =
        groups.iter().map(|group| (group.files != ["c.spec.ts"]).then(|| definition.clone())).collect();
    let joined = join_further(&failures, &groups, &found);
    let mut before: Vec<String> = groups.iter().map(|group| group.id.clone()).collect();
    let mut after: Vec<String> =
        joined.iter().flat_map(|group| group.also.iter().chain([&group.id])).cloned().collect();
    before.sort_unstable();
    after.sort_unstable();
    assert_eq!((joined.len(), before), (2, after), "{joined:?}");
    assert_eq!((joined[0].tests, joined[0].also.len(), joined[1].also.len()), (2, 1, 0), "{joined:?}");
}

/// A failure out of few files, lines, texts and projects, so that many have something in common.
fn any_failure() -> impl Strategy<Value = Failure> {
    let texts =
        [stale("locator('.a')"), stale("getByRole('button').locator('b')"), REFUSED.to_owned(), VALUE.to_owned()];
    (0..4_u32, 0..6_u32, 0..3_u32, 0..texts.len(), 0..2_u32, any::<bool>()).prop_map(
        move |(file, line, site, text, project, flaky)| {
            let mut failure = failure(&format!("{file}.spec.ts"), line, ("page.ts", site), &texts[text]);
            failure.project = format!("project {project}");
            failure.flaky = flaky;
            failure
        },
    )
}

/// The groups of the failures of all `reports`, with the tests in them by name.
fn groups_of(reports: &[Vec<Failure>]) -> Vec<(String, Vec<(TestId, String)>)> {
    let mut ledger = Ledger::default();
    for failure in reports.iter().flatten() {
        let ended = if failure.flaky { Ended::Flaky } else { Ended::Failed };
        let seen = Seen { ended, failure: Some((failure.clone(), ())) };
        ledger.note(failure.test.clone().unwrap(), failure.project.clone(), seen);
    }
    let failures: Vec<Failure> = ledger.finish().1.into_iter().map(|(failure, ())| failure).collect();
    let named = |member: &usize| (failures[*member].test.clone().unwrap(), failures[*member].project.clone());
    group(&failures).into_iter().map(|group| (group.id, group.members.iter().map(named).collect())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: proptest::test_runner::RngSeed::Fixed(8), ..ProptestConfig::default() })]

    #[test]
    fn order_and_sharding_of_the_reports_do_not_matter(
        (failures, shuffled) in prop::collection::vec(any_failure(), 0..40)
            .prop_flat_map(|failures| (Just(failures.clone()), Just(failures).prop_shuffle())),
        shards in 1..5_usize,
    ) {
        let whole = groups_of(std::slice::from_ref(&failures));
        let mut sharded = vec![Vec::new(); shards];
        for (index, failure) in shuffled.into_iter().enumerate() {
            sharded[index % shards].push(failure);
        }
        prop_assert_eq!(&whole, &groups_of(&sharded));
        sharded.reverse();
        prop_assert_eq!(whole, groups_of(&sharded));
    }
}
