//! The runner's own sentences, errors of the test's code, and whatever else there is.

use super::Rule;
use crate::domain::classify::Category::Unrecognized;
use crate::domain::classify::facts::Facts;
use crate::domain::failure::Limit;

const fn row(
    id: &'static str,
    matches: &'static str,
    signature: &'static str,
    why: &'static str,
    when: fn(&Facts<'_, '_>) -> bool,
) -> Rule {
    Rule { id, matches, category: Unrecognized, signature, why, when }
}

/// The rules, in order of priority.
pub(super) const RULES: &[Rule] = &[
    row(
        "limit-hook",
        "a hook's time ran out, and no call says in what",
        "hook_timeout",
        "a hook took too long, and the text does not say in what",
        |facts| facts.limit() == Some(Limit::Hook),
    ),
    row(
        "limit-fixture",
        "a fixture's time ran out",
        "fixture_timeout",
        "a fixture took too long to set up or to tear down",
        |facts| matches!(facts.limit(), Some(Limit::Fixture | Limit::TearDown)),
    ),
    row(
        "limit-step",
        "a step's time ran out, and no call says in what",
        "step_timeout",
        "a step took too long, and the text does not say in what",
        |facts| facts.limit() == Some(Limit::Step),
    ),
    row(
        "limit-test",
        "the test's time ran out, and no call says in what",
        "test_timeout",
        "the test took too long, and the text does not say in what",
        |facts| facts.limit() == Some(Limit::Test),
    ),
    row(
        "worker-exit",
        "a worker process that ended",
        "worker_exit",
        "the process that ran the test ended unexpectedly",
        |facts| says(facts, &["worker process exited unexpectedly", "Internal error: worker process"]),
    ),
    row(
        "stopped-early",
        "a run that stopped early",
        "stopped_early",
        "the run was stopped before all tests had run",
        |facts| says(facts, &["Testing stopped early"]),
    ),
    row("test-ended", "a test that was interrupted", "test_ended", "the test was interrupted", |facts| {
        says(facts, &["Test ended", "Test was interrupted"])
    }),
    row(
        "not-loaded",
        "a test file that could not be loaded",
        "load_error",
        "a test file could not be loaded",
        |facts| {
            says(
                facts,
                &[
                    "Cannot find module ",
                    "Cannot find package ",
                    "duplicate test title ",
                    "Test has unknown parameter ",
                    "Playwright Test did not expect ",
                    "Requiring @playwright/test second time",
                    "Cannot use import statement",
                    "Can't call ",
                ],
            )
        },
    ),
    row(
        "configuration",
        "a configuration or command line that selects nothing or forbids what was found",
        "config_error",
        "the run was refused because of its configuration",
        |facts| {
            says(
                facts,
                &[
                    "no tests found",
                    "No tests found",
                    "focused item found in the --forbid-only mode",
                    "item focused with '.only'",
                    "Project(s) ",
                ],
            )
        },
    ),
    row(
        "storage-state",
        "a storage state that cannot be read",
        "fixture_error",
        "the stored login that the test needs could not be read",
        |facts| says(facts, &["Error reading storage state from "]),
    ),
    row(
        "retried-unclear",
        "toPass or expect.poll that ran out of time without an error of its own",
        "topass_timeout",
        "what was tried again and again did not end once, so nothing says why",
        |facts| facts.words().is_some_and(|words| words.ends_with("exceeded while waiting on the predicate")),
    ),
    row("nothing-said", "an empty text", "js_error", "there is no error text", |facts| {
        facts.words().is_some_and(str::is_empty)
    }),
    UNKNOWN,
];

/// The rule that always holds.
pub(super) const UNKNOWN: Rule = row(
    "code-error",
    "any other error",
    "js_error",
    "the error comes from the test's or the page's code, or is none that Playwright is known to print",
    |_| true,
);

fn says(facts: &Facts<'_, '_>, starts: &[&str]) -> bool {
    facts.words().is_some_and(|words| starts.iter().any(|start| words.starts_with(start)))
}
