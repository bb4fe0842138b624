//! What a person would look at, for each kind of cause.
//!
//! Sentences only; nothing here decides.

use super::{Cause, Group, Kind};
use crate::domain::classify::{Category, Classification};

/// How many matches of a strict mode violation are named.
const NAMED: usize = 5;

/// The group in one line: what is wrong, and where.
pub fn headline(group: &Group) -> String {
    match &group.cause {
        Cause::Unreached { server, error } if server.is_empty() => format!("the server is not reached: {error}"),
        Cause::Unreached { server, error } => format!("{server} is not reached: {error}"),
        Cause::Locator { place, locator } => at(&format!("{locator} matches nothing"), place.as_ref()),
        Cause::Several { place, locator } => at(&format!("{locator} matches several elements"), place.as_ref()),
        Cause::Assertion { place, signature } => format!("{} at {place}", expected(signature)),
        Cause::Other { place, signature, said } if said.is_empty() => at(&words(signature), place.as_ref()),
        Cause::Environment { said, .. } | Cause::Other { said, .. } => said.clone(),
    }
}

/// What to look at, most telling first.
pub fn look_at(group: &Group, reading: &Classification) -> Vec<String> {
    let mut looks = Vec::new();
    if group.kind == Kind::Flaky {
        looks.push(
            "It passed on a retry: look for a race, shared data, or a slow start, not for a renamed element."
                .to_owned(),
        );
    }
    match &group.cause {
        Cause::Unreached { server, .. } => {
            let server = if server.is_empty() { "the application" } else { server };
            looks
                .push(format!("Is {server} running where the tests run? Nothing is known of the product until it is."));
        }
        Cause::Environment { .. } => {
            looks.push("The environment stopped the tests: run `relocator doctor`, then see the message.".to_owned());
        }
        Cause::Locator { .. } => {
            looks.push(
                "Is the element still on the page, under another name? Then `relocator heal` can find it.".to_owned(),
            );
            looks.push(
                "Is it gone, or is the page another one than the step was written for? Then it is a real change."
                    .to_owned(),
            );
        }
        Cause::Several { .. } => {
            let others: Vec<&str> = reading.alternatives.iter().map(|one| one.locator.as_str()).take(NAMED).collect();
            looks.push(if others.is_empty() {
                "Which of the matching elements does the step mean?".to_owned()
            } else {
                format!("Which of them does the step mean: {}?", others.join(", "))
            });
        }
        Cause::Assertion { .. } => {
            looks.push(
                "The element was there with another value: is the product wrong, or the expectation old?".to_owned(),
            );
        }
        Cause::Other { signature, .. } => looks.push(other(reading.category, signature).to_owned()),
    }
    looks
}

fn other(category: Category, signature: &str) -> &'static str {
    match (category, signature) {
        (_, "actionability") => {
            "The element was found, but is covered, disabled, moving or hidden: see the screenshot."
        }
        (Category::NavigationError, _) => {
            "The page was not reached in time: see the failed requests and the server's log."
        }
        (_, "js_error" | "load_error" | "config_error" | "fixture_error" | "hook_error") => {
            "The test's own code threw: see the message and the line."
        }
        (_, "page_crashed" | "target_closed" | "test_ended") => {
            "The page or the test ended under the step: see what closed it."
        }
        _ => "See the message, the screenshot and the requests that failed.",
    }
}

fn at(what: &str, place: Option<&super::Site>) -> String {
    place.map_or_else(|| what.to_owned(), |place| format!("{what} at {place}"))
}

/// What an assertion of this signature says, as a sentence that a line number follows.
fn expected(signature: &str) -> &'static str {
    match signature {
        "value_text" => "the element has another text than the test expects",
        "value_count" => "there are more or fewer elements than the test expects",
        "value_attribute" => "the element has another attribute than the test expects",
        "value_list" => "the elements have other texts than the test expects",
        "value_title" => "the page has another title than the test expects",
        "value_url" => "the page has another address than the test expects",
        "value_visibility" => "the element is visible where the test expects it hidden, or the other way round",
        "value_state" => "the element is in another state than the test expects",
        "value_aria" => "the page has another structure (ARIA snapshot) than the test expects",
        "value_screenshot" => "the page looks different from the screenshot that the test expects",
        "value_snapshot" => "a value differs from the snapshot that the test expects",
        "value_snapshot_missing" => "there is no snapshot yet for what the test expects",
        "value_response" => "the response is another than the test expects",
        "value_poll" => "a value that was polled did not become what the test expects",
        "value_nested_topass" => "a block of assertions did not pass in time",
        _ => "a value is another than the test expects",
    }
}

/// A signature in words.
fn words(signature: &str) -> String {
    signature.replace('_', " ")
}
