//! `check_flaky`: runs a test several times and says what varies.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::answer::{Code, Refused, exact, short};
use super::super::audit::Ending as Noted;
use super::super::call::Call;
use super::super::tokens::Scope;
use super::Tool;
use super::view::Test;
use crate::domain::event::Event;
use crate::domain::flaky::{Ending, Observed, judge};
use crate::heal::repeat::Repeat;

/// The tool.
pub(super) struct CheckFlaky;

/// How often a test is run unless told otherwise, and at most: each run starts Playwright anew.
const RUNS: u32 = 5;
const MOST: u32 = 10;

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// The test as `tests/a.spec.ts:12`, from the server's root.
    test: String,
    /// How often it is run alone, 2 to 10 [default: 5]; it is run once more with the other tests of its file.
    #[serde(default)]
    #[schemars(range(min = 2, max = 10))]
    runs: Option<u32>,
}

/// What the runs say together.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Head {
    /// `stable`, `flaky`, `fails_always` or `blocked`.
    verdict: String,
    /// The recorded differences between the runs; empty where nothing that is recorded tells them apart.
    varies: Vec<Difference>,
    /// The test.
    test: Test,
    /// How many other tests its file has.
    other_tests_in_file: usize,
}

/// A recorded difference between the runs.
#[derive(Debug, Serialize, JsonSchema)]
struct Difference {
    /// `locator`, `order` or `environment`.
    what: String,
    /// What was seen.
    sentence: String,
}

/// One run.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RunView {
    /// `passed`, `failed` or `blocked`.
    ending: String,
    /// Whether the other tests of the file ran as well.
    with_others: bool,
    /// The failure: `category / signature`.
    failure: Option<String>,
    /// The locator that it stopped at.
    stopped_at: Option<String>,
    /// How many elements that locator matched.
    matches: Option<usize>,
    /// Requests that failed.
    failed_requests: Vec<String>,
}

impl From<&Observed> for RunView {
    fn from(run: &Observed) -> Self {
        let ending = match run.ending {
            Ending::Passed => "passed",
            Ending::Failed => "failed",
            Ending::Blocked => "blocked",
        };
        Self {
            ending: ending.to_owned(),
            with_others: run.with_others,
            failure: run.failure.clone(),
            stopped_at: run.stopped_at.as_ref().map(|at| exact(&at.locator)),
            matches: run.stopped_at.as_ref().and_then(|at| at.matches),
            failed_requests: run.requests.iter().map(|request| short(request)).collect(),
        }
    }
}

impl Tool for CheckFlaky {
    const NAME: &'static str = "check_flaky";
    const TITLE: &'static str = "Does this test fail reliably, and if not, what varies?";
    const DESCRIPTION: &'static str = "Runs one unchanged test several times alone, and once with the rest of its file, and \
        compares what was recorded: did a locator find something else (`locator`), do the neighbours matter (`order`), were \
        servers or requests to blame (`environment`)? Items: the runs. Edits nothing. Takes as long as all those runs.";
    const EDITS: bool = false;
    type Input = Input;
    type Head = Head;
    type Item = RunView;

    async fn run(call: &Call, input: Input) -> Result<(Head, Vec<RunView>), Refused> {
        call.demand(Scope::Run)?;
        let times = input.runs.unwrap_or(RUNS);
        if !(2..=MOST).contains(&times) {
            return Err(Refused::new(Code::BadArguments, format!("`runs` is 2 to {MOST}")));
        }
        let test = call.root().test(&input.test)?;
        let running = call.ready(&test, Self::NAME).await?;
        let mut report = |event: &Event| call.progress.event(event);
        let mut repeat = Repeat { playwright: &running.playwright, run: &running.run, times, report: &mut report };
        let repeated = repeat.run(&running.request).await?;
        let (verdict, differences) = judge(&repeated.runs);
        call.note(Noted::of(verdict.word(), "", running.run.id()));
        let head = Head {
            verdict: verdict.word().to_owned(),
            varies: differences
                .iter()
                .map(|one| Difference { what: one.what.word().to_owned(), sentence: short(&one.sentence) })
                .collect(),
            test: Test::from(&repeated.test),
            other_tests_in_file: repeated.others,
        };
        Ok((head, repeated.runs.iter().map(RunView::from).collect()))
    }
}
