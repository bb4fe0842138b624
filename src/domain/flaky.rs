//! What varies between several runs of one unchanged test: what its locators found, the order it ran in, or the environment.
//!
//! Values in, a verdict with sentences out. It names only differences that were recorded; where none was, it says so by an
//! empty list.

use std::collections::{BTreeMap, BTreeSet};

/// What one run of the test came to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Observed {
    /// Whether the other tests of its file ran as well.
    pub with_others: bool,
    /// How it ended.
    pub ending: Ending,
    /// The failure as gate one names it: `category / signature`.
    pub failure: Option<String>,
    /// Whether that failure speaks of the environment.
    pub environment: bool,
    /// The element that each locator of a passing run resolved to, in words.
    pub resolved: BTreeMap<String, String>,
    /// The locator that a failing run stopped at.
    pub stopped_at: Option<Stopped>,
    /// Requests that failed, as `METHOD address status`, without repetitions.
    pub requests: BTreeSet<String>,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ending {
    /// The test passed.
    Passed,
    /// The test failed.
    Failed,
    /// The environment kept it from running.
    #[default]
    Blocked,
}

/// The locator that a failing run stopped at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stopped {
    /// As Playwright prints it.
    pub locator: String,
    /// How many elements it matched then; `None` where the snapshot cannot say.
    pub matches: Option<usize>,
}

/// What the runs say together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It passed every time.
    Stable,
    /// It failed every time.
    FailsAlways,
    /// It passed and failed.
    Flaky,
    /// No run got as far as the test.
    Blocked,
}

impl Verdict {
    /// The word that is serialised.
    pub fn word(self) -> &'static str {
        match self {
            Self::Stable => "stable",
            Self::FailsAlways => "fails_always",
            Self::Flaky => "flaky",
            Self::Blocked => "blocked",
        }
    }
}

/// What may vary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// What a locator found.
    Locator,
    /// Which other tests ran.
    Order,
    /// Servers, network, browser.
    Environment,
}

impl What {
    /// The word that is serialised.
    pub fn word(self) -> &'static str {
        match self {
            Self::Locator => "locator",
            Self::Order => "order",
            Self::Environment => "environment",
        }
    }
}

/// A recorded difference between runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// What varies.
    pub what: What,
    /// What was seen, in a sentence.
    pub sentence: String,
}

/// The verdict over all runs, and every recorded difference, sorted.
pub fn judge(runs: &[Observed]) -> (Verdict, Vec<Difference>) {
    let mut differences = locators(runs);
    differences.extend(order(runs));
    differences.extend(environment(runs));
    differences.sort_by(|a, b| (a.what, &a.sentence).cmp(&(b.what, &b.sentence)));
    (verdict(runs), differences)
}

fn verdict(runs: &[Observed]) -> Verdict {
    let ended = |ending: Ending| runs.iter().any(|run| run.ending == ending);
    match (ended(Ending::Passed), ended(Ending::Failed)) {
        (true, true) => Verdict::Flaky,
        (true, false) => Verdict::Stable,
        (false, true) => Verdict::FailsAlways,
        (false, false) => Verdict::Blocked,
    }
}

/// Locators that found different elements, or found one in some runs and none or several in others.
fn locators(runs: &[Observed]) -> Vec<Difference> {
    let mut found: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    for (locator, element) in runs.iter().flat_map(|run| &run.resolved) {
        *found.entry(locator).or_default().entry(element).or_default() += 1;
    }
    let mut out: Vec<Difference> = found
        .iter()
        .filter(|(_, elements)| elements.len() > 1)
        .map(|(locator, elements)| {
            let each: Vec<String> =
                elements.iter().map(|(element, count)| format!("{element} in {}", times(*count))).collect();
            locator_difference(format!("{locator} resolved to {}", each.join(", to ")))
        })
        .collect();
    let mut stopped: BTreeMap<(&str, Option<usize>), usize> = BTreeMap::new();
    for at in runs.iter().filter_map(|run| run.stopped_at.as_ref()) {
        *stopped.entry((&at.locator, at.matches)).or_default() += 1;
    }
    for ((locator, matches), count) in stopped {
        let resolved: usize = found.get(locator).map(|elements| elements.values().sum()).unwrap_or_default();
        let matched = match matches {
            Some(1) => "one element".to_owned(),
            Some(matches) => format!("{matches} elements"),
            None => "an unknown number of elements".to_owned(),
        };
        if resolved > 0 && matches != Some(1) {
            out.push(locator_difference(format!(
                "{locator} matched {matched} in {} that failed there, and one in {} that passed",
                times(count),
                times(resolved)
            )));
        }
    }
    out
}

fn locator_difference(sentence: String) -> Difference {
    Difference { what: What::Locator, sentence }
}

/// A test that ends one way alone and the other way with its neighbours.
fn order(runs: &[Observed]) -> Option<Difference> {
    let only = |with_others: bool| {
        let mut endings = runs.iter().filter(|run| run.with_others == with_others && run.ending != Ending::Blocked);
        let first = endings.next()?.ending;
        endings.all(|run| run.ending == first).then_some(first)
    };
    let sentence = match (only(false)?, only(true)?) {
        (Ending::Passed, Ending::Failed) => {
            "it passes alone and fails when the other tests of its file run before it: they leave something behind"
        }
        (Ending::Failed, Ending::Passed) => {
            "it fails alone and passes with the other tests of its file: it needs something that they leave behind"
        }
        _ => return None,
    };
    Some(Difference { what: What::Order, sentence: sentence.to_owned() })
}

/// Runs that the environment stopped, failures that speak of it, and requests that failed in failing runs only.
fn environment(runs: &[Observed]) -> Vec<Difference> {
    let difference = |sentence: String| Difference { what: What::Environment, sentence };
    let count = |ending: Ending| runs.iter().filter(|run| run.ending == ending).count();
    let mut out = Vec::new();
    let blocked = count(Ending::Blocked);
    if blocked > 0 && blocked < runs.len() {
        out.push(difference(format!("in {} the test did not get to run", times(blocked))));
    }
    if count(Ending::Passed) == 0 {
        return out;
    }
    let mut failures: BTreeMap<&str, usize> = BTreeMap::new();
    for failure in runs.iter().filter(|run| run.environment).filter_map(|run| run.failure.as_deref()) {
        *failures.entry(failure).or_default() += 1;
    }
    out.extend(failures.into_iter().map(|(failure, count)| difference(format!("{failure} in {}", times(count)))));
    let of = |ending: Ending| runs.iter().filter(move |run| run.ending == ending).flat_map(|run| &run.requests);
    let harmless: BTreeSet<&String> = of(Ending::Passed).collect();
    let mut requests: BTreeMap<&String, usize> = BTreeMap::new();
    for request in of(Ending::Failed).filter(|request| !harmless.contains(request)) {
        *requests.entry(request).or_default() += 1;
    }
    out.extend(
        requests.into_iter().map(|(request, count)| {
            difference(format!("{request} in {} that failed, in none that passed", times(count)))
        }),
    );
    out
}

fn times(count: usize) -> String {
    if count == 1 { "1 run".to_owned() } else { format!("{count} runs") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed(resolved: &[(&str, &str)]) -> Observed {
        let resolved = resolved.iter().map(|(locator, element)| ((*locator).to_owned(), (*element).to_owned()));
        Observed { ending: Ending::Passed, resolved: resolved.collect(), ..Observed::default() }
    }

    fn failed(locator: &str, matches: Option<usize>) -> Observed {
        let stopped_at = Some(Stopped { locator: locator.to_owned(), matches });
        Observed { ending: Ending::Failed, failure: Some("c / s".into()), stopped_at, ..Observed::default() }
    }

    fn check(runs: &[Observed], verdict: Verdict, differences: &[(What, &str)]) {
        let (found, said) = judge(runs);
        assert_eq!(found, verdict);
        let said: Vec<(What, &str)> = said.iter().map(|one| (one.what, one.sentence.as_str())).collect();
        assert_eq!(said, differences);
    }

    #[test]
    fn runs_that_end_alike_do_not_vary() {
        check(&[passed(&[("#a", "button")]), passed(&[("#a", "button")])], Verdict::Stable, &[]);
        check(&[failed("#a", Some(0)), failed("#a", Some(0))], Verdict::FailsAlways, &[]);
        check(&[Observed::default()], Verdict::Blocked, &[]);
        check(&[], Verdict::Blocked, &[]);
    }

    #[test]
    fn a_locator_that_finds_something_else_is_named() {
        check(
            &[passed(&[("#a", "link \"One\"")]), passed(&[("#a", "link \"Two\"")]), passed(&[("#a", "link \"Two\"")])],
            Verdict::Stable,
            &[(What::Locator, "#a resolved to link \"One\" in 1 run, to link \"Two\" in 2 runs")],
        );
        check(
            &[passed(&[("#a", "link")]), failed("#a", Some(0)), failed("#a", Some(2)), failed("#b", Some(0))],
            Verdict::Flaky,
            &[
                (What::Locator, "#a matched 0 elements in 1 run that failed there, and one in 1 run that passed"),
                (What::Locator, "#a matched 2 elements in 1 run that failed there, and one in 1 run that passed"),
            ],
        );
    }

    #[test]
    fn neighbours_that_change_the_ending_are_named_only_where_each_side_is_sure() {
        let with_others = |run: Observed| Observed { with_others: true, ..run };
        let alone = passed(&[]);
        let sentence =
            "it passes alone and fails when the other tests of its file run before it: they leave something behind";
        check(&[alone.clone(), with_others(failed("#a", None))], Verdict::Flaky, &[(What::Order, sentence)]);
        check(&[alone.clone(), failed("#a", None), with_others(failed("#a", None))], Verdict::Flaky, &[]);
        let sentence =
            "it fails alone and passes with the other tests of its file: it needs something that they leave behind";
        check(&[failed("#a", None), with_others(alone)], Verdict::Flaky, &[(What::Order, sentence)]);
    }

    #[test]
    fn the_environment_is_named_by_what_failing_runs_alone_have() {
        let request = |run: Observed, text: &str| Observed { requests: [text.to_owned()].into(), ..run };
        check(
            &[
                request(passed(&[]), "GET http://x/favicon.ico 404"),
                request(failed("#a", None), "GET http://x/favicon.ico 404"),
                request(failed("#a", None), "GET http://x/api 503"),
            ],
            Verdict::Flaky,
            &[(What::Environment, "GET http://x/api 503 in 1 run that failed, in none that passed")],
        );
        let unreachable = Observed { environment: true, ..failed("#a", None) };
        check(
            &[passed(&[]), unreachable, Observed::default()],
            Verdict::Flaky,
            &[(What::Environment, "c / s in 1 run"), (What::Environment, "in 1 run the test did not get to run")],
        );
    }
}
