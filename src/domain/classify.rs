//! Gate one: what kind of failure a text is, and whether a stale locator can be its cause.
//!
//! A pure function of the text: the errors in it are read by `failure`, each is judged by the first row of
//! [`rules::all`] that holds, and the errors of one result are judged together. Only two categories are eligible for a
//! repair; whatever is not understood is `unrecognized`. No rule looks at source lines, stacks or page snapshots.

mod api;
mod facts;
mod matcher;
pub mod rules;
mod together;

use super::failure::{self, ErrorText, SourceSite};
use facts::{Facts, Limits};
use rules::Rule;

/// What a failure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Category {
    /// An action or wait timed out waiting for a locator that matched nothing.
    LocatorTimeout,
    /// An assertion failed because its locator matched nothing.
    ZeroMatchAssertion,
    /// A locator matched more than one element.
    StrictModeViolation,
    /// The element was there; its value, text, count, state, address or picture differ.
    ValueMismatch,
    /// The page under test was never reached, or is gone.
    NavigationError,
    /// Everything else.
    Unrecognized,
}

impl Category {
    /// The name that reports use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::LocatorTimeout => "locator_timeout",
            Self::ZeroMatchAssertion => "zero_match_assertion",
            Self::StrictModeViolation => "strict_mode_violation",
            Self::ValueMismatch => "value_mismatch",
            Self::NavigationError => "navigation_error",
            Self::Unrecognized => "unrecognized",
        }
    }

    /// Whether a stale locator can be the cause, so that a repair may be tried.
    pub fn is_eligible(self) -> bool {
        matches!(self, Self::LocatorTimeout | Self::ZeroMatchAssertion)
    }
}

/// Signatures that speak of the environment and say nothing about the product.
const ENVIRONMENT: [&str; 5] = ["connect_failed", "nav_net_error", "launch_failed", "webserver_failed", "worker_exit"];

/// What gate one says about a failure.
///
/// Every text in here comes from the failure text: show it through `ui::printable` only.
#[derive(Debug, Clone, PartialEq)]
pub struct Classification {
    /// The category.
    pub category: Category,
    /// What was seen, more finely than the category.
    pub signature: &'static str,
    /// The id of the rule that decided.
    pub rule: &'static str,
    /// Why, in one sentence.
    pub why: &'static str,
    /// The locator as Playwright printed it: `getByRole('button')`, or the selector of the form `selector "…"` up to 1.29.
    pub locator: Option<String>,
    /// The method or matcher that failed, as printed: `click`, `toBeVisible`, `not.toHaveText`.
    pub action: Option<String>,
    /// The time-out that ran out, in milliseconds.
    pub timeout_ms: Option<f64>,
    /// The last element that the locator resolved to, as printed.
    pub resolved: Option<String>,
    /// The elements of a strict mode violation.
    pub alternatives: Vec<Alternative>,
    /// The place in the test's source that the text names.
    pub site: Option<SourceSite>,
}

/// One element of a strict mode violation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alternative {
    /// The element as printed.
    pub element: String,
    /// The locator that Playwright proposes for it, as printed; empty where there is none.
    pub locator: String,
}

impl Classification {
    /// Whether a repair may be tried.
    pub fn is_eligible(&self) -> bool {
        self.category.is_eligible()
    }

    /// Whether it speaks of the environment and says nothing about the product.
    pub fn is_environment(&self) -> bool {
        ENVIRONMENT.contains(&self.signature)
    }
}

/// Judges any text that holds a failure: one error or several, bare or inside a log.
pub fn classify(text: &str) -> Classification {
    let cleaned = failure::clean(text);
    let (mut errors, whole) = failure::errors(&cleaned);
    if cleaned.annotation {
        errors.iter_mut().for_each(suspect_more);
    }
    if cleaned.rejoined {
        errors.iter_mut().for_each(distrust);
    }
    judge(&errors, cleaned.site.clone(), whole)
}

/// Judges all errors of one test result, in the order reported. They are all there are: what only an accompanying error
/// could explain, such as a call that was cut off, counts as unexplained.
pub fn classify_errors(texts: &[&str]) -> Classification {
    let cleaned: Vec<_> = texts.iter().map(|text| failure::clean(text)).collect();
    let errors: Vec<_> = cleaned.iter().flat_map(|text| failure::errors(text).0).collect();
    let site = cleaned.iter().find_map(|text| text.site.clone());
    judge(&errors, site, true)
}

/// An annotation shows one error of a result; behind a soft assertion others may have followed, and they count as well.
/// This is the one use of a source line, and it only ever makes the answer more careful.
fn suspect_more(error: &mut ErrorText<'_>) {
    let said = error.log.and_then(|log| log.matcher).is_some_and(|header| header.contains("soft"));
    error.cut |= error.soft || said;
}

/// A text on one line was cut into lines by guesswork: an element found anywhere in it counts as found at the end.
fn distrust(error: &mut ErrorText<'_>) {
    if let Some(log) = &mut error.log {
        log.found_since_wait |= log.found;
    }
}

fn judge(errors: &[ErrorText<'_>], site: Option<SourceSite>, whole: bool) -> Classification {
    let limits = Limits::of(errors, whole);
    let judged: Vec<(&ErrorText<'_>, &Rule)> = together::relevant(errors, limits)
        .map(|error| {
            let facts = Facts::of(error, limits);
            (error, rules::first(&facts))
        })
        .collect();
    let Some((error, rule, mixed)) = together::decisive(&judged) else {
        return Classification::of_nothing(site);
    };
    let mut answer = Classification::of(error, rule);
    if mixed {
        answer.signature = "mixed";
    }
    answer.site = answer.site.or(site).or_else(|| errors.iter().find_map(|error| error.site.clone()));
    answer
}

impl Classification {
    fn of(error: &ErrorText<'_>, rule: &Rule) -> Self {
        let body = &error.body;
        let log = error.log.unwrap_or_default();
        let locator = body.strict.or(log.wait.map(|wait| wait.locator)).or(body.locator);
        Self {
            category: rule.category,
            signature: rule.signature,
            rule: rule.id,
            why: rule.why,
            locator: locator.map(str::to_owned),
            action: facts::action(error),
            timeout_ms: facts::timeout_ms(error),
            resolved: log.element.map(str::to_owned),
            alternatives: body
                .alternatives
                .iter()
                .map(|one| Alternative { element: one.element.to_owned(), locator: one.locator.to_owned() })
                .collect(),
            site: error.site.clone(),
        }
    }

    /// The answer for a text that holds no error.
    fn of_nothing(site: Option<SourceSite>) -> Self {
        let nothing = ErrorText::other("");
        let rule = rules::first(&Facts::of(&nothing, Limits::default()));
        Self { site, ..Self::of(&nothing, rule) }
    }
}
