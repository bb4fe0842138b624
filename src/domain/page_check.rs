//! Whether a page is the page a step was written for.
//!
//! With a record of the green run, by address, title and landmarks; with and without one, login, error, loading and empty
//! pages are recognised by what they say and hold. A test that is about such a page is on the right page.

pub mod mark;
mod sort;

#[cfg(test)]
mod tests;

pub use self::mark::{PageMark, mark_of, page_path};
pub use self::sort::Sort;

use super::identity::Lost;
use super::words::tokens;

/// What is known of the pages, then and now, and what the test says of where it is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pages {
    /// The page of the green run, where it was recorded.
    pub then: Option<PageMark>,
    /// The page of the failing step.
    pub now: PageMark,
    /// The test's file and titles and the addresses it went to.
    pub hints: Vec<String>,
}

/// Below this share of common landmarks and headings two pages are different ones.
const ALIKE: f64 = 0.5;

/// Below this share they have next to nothing in common.
const STRANGE: f64 = 0.25;

/// Words of a locator or a record that say that a step is about signing in.
const SIGN_IN: [&str; 10] =
    ["login", "signin", "sign", "log", "password", "user", "username", "email", "account", "auth"];

/// Words of a test's titles and addresses that say so; the others are in any title.
const ABOUT_SIGN_IN: [&str; 9] =
    ["login", "signin", "signon", "logon", "auth", "authenticate", "authentication", "password", "credentials"];

/// Words of a test's titles and addresses that say that it is about an error.
const ABOUT_ERRORS: [&str; 14] = [
    "error",
    "errors",
    "404",
    "403",
    "401",
    "500",
    "missing",
    "forbidden",
    "denied",
    "unauthorized",
    "fails",
    "failure",
    "offline",
    "unavailable",
];

/// Why the page is another one, in words; `None` where nothing says so.
pub fn wrong_page(lost: &Lost) -> Option<String> {
    let Pages { then, now, .. } = &lost.pages;
    if let Some(why) = other_sort(lost) {
        return Some(why);
    }
    let then = then.as_ref()?;
    // A route that was renamed leads to the same page.
    let other = then.path != now.path && then.title != now.title && then.likeness(now) < ALIKE;
    (other && !then.is_blank()).then(|| elsewhere(then, now))
}

/// Why the page is another one although an element of it fits: only what leaves no doubt.
pub fn surely_wrong_page(lost: &Lost) -> Option<String> {
    let Pages { then, now, .. } = &lost.pages;
    let then = then.as_ref()?;
    // A frame of header and menu stays around a login form: the page inside of it is another one.
    let asks_to_sign_in = matches!(now.sort, Sort::Login(_));
    let other_sort = other_sort(lost).filter(|_| asks_to_sign_in || then.likeness(now) < ALIKE);
    let other = then.path != now.path && then.title != now.title && then.likeness(now) < STRANGE;
    other_sort.or_else(|| (other && !then.is_blank()).then(|| elsewhere(then, now)))
}

/// The page is a login, error, loading or empty page, and the step was not written for one.
fn other_sort(lost: &Lost) -> Option<String> {
    let Pages { then, now, .. } = &lost.pages;
    if now.sort.is_plain() || then.as_ref().is_some_and(|then| then.sort.is_like(&now.sort)) {
        return None;
    }
    let expected = then.is_none()
        && match now.sort {
            Sort::Login(_) => is_about_signing_in(lost),
            Sort::Error(_) => is_about(lost, &ABOUT_ERRORS),
            Sort::Plain | Sort::Loading | Sort::Empty => false,
        };
    if expected { None } else { now.sort.sentence() }
}

fn elsewhere(then: &PageMark, now: &PageMark) -> String {
    let name =
        |mark: &PageMark| format!("{} (\"{}\")", if mark.path.is_empty() { "/" } else { &mark.path }, mark.title);
    format!("the page is {}, the step was recorded on {}", name(now), name(then))
}

fn is_about_signing_in(lost: &Lost) -> bool {
    let mut texts = lost.literals.iter().map(|literal| &literal.value);
    let named = texts.any(|text| tokens(text).iter().any(|token| SIGN_IN.contains(&token.as_str())));
    let pairs = |hint: &String| {
        let words = tokens(hint);
        words.windows(2).any(|pair| matches!(pair, [verb, way] if matches!(verb.as_str(), "log" | "sign" | "logs" | "signs" | "logging" | "signing") && matches!(way.as_str(), "in" | "on")))
    };
    named || is_about(lost, &ABOUT_SIGN_IN) || lost.pages.hints.iter().any(pairs)
}

fn is_about(lost: &Lost, about: &[&str]) -> bool {
    let words = lost.pages.hints.iter().flat_map(|hint| tokens(hint));
    words.into_iter().any(|word| about.contains(&word.as_str()))
}
