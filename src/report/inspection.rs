//! What a failing step saw, as text and as one JSON document.

use std::fmt::Write as _;

use serde::Serialize;

use super::json::{Element, Link, element};
use crate::adapters::playwright::trace::Action;
use crate::heal::record::Candidate;
use crate::heal::scene::Scene;
use crate::ui::printable;

/// Version of the JSON document.
const SCHEMA_VERSION: &str = "1.0";

/// The scene of a failing step with the candidates for its element.
pub struct Inspection<'a> {
    /// The scene.
    pub scene: &'a Scene,
    /// The page's title.
    pub title: String,
    /// The ranked elements, best first.
    pub candidates: Vec<Candidate>,
    /// The probability that the element is gone, between 0 and 1.
    pub none_of_these: f64,
}

#[derive(Serialize)]
struct Document<'a> {
    schema_version: &'static str,
    action: String,
    locator: &'a str,
    links: Vec<Link<'a>>,
    broken: Option<&'a str>,
    url: &'a str,
    title: &'a str,
    evidence: Vec<Element<'a>>,
    none_of_these: f64,
    console_errors: Vec<&'a str>,
    failed_requests: Vec<Request<'a>>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct Request<'a> {
    method: &'a str,
    url: &'a str,
    status: Option<u16>,
}

impl Inspection<'_> {
    fn url(&self) -> &str {
        &self.scene.dom.frame(self.scene.frame).url
    }

    fn action(&self) -> String {
        self.scene.failing().map(Action::name).unwrap_or_default()
    }

    fn broken(&self) -> Option<&str> {
        self.scene.links.iter().find(|link| link.count == Some(0)).map(|link| link.printed.as_str())
    }

    /// One JSON document, on one line.
    pub fn json(&self) -> String {
        let trace = &self.scene.trace;
        let document = Document {
            schema_version: SCHEMA_VERSION,
            action: self.action(),
            locator: &self.scene.printed,
            links: self.scene.links.iter().map(|link| Link { link: &link.printed, count: link.count }).collect(),
            broken: self.broken(),
            url: self.url(),
            title: &self.title,
            evidence: self.candidates.iter().map(element).collect(),
            none_of_these: self.none_of_these,
            console_errors: trace.console_errors.iter().map(|error| error.text.as_str()).collect(),
            failed_requests: trace
                .failed_requests
                .iter()
                .map(|request| Request { method: &request.method, url: &request.url, status: request.status })
                .collect(),
            notes: &trace.notes,
        };
        // Strings and numbers only: nothing in the document can fail to serialise.
        serde_json::to_string(&document).unwrap_or_default()
    }

    /// The same for people.
    pub fn text(&self) -> String {
        let mut text = format!("{} at {} \"{}\"\n{}", self.action(), self.url(), self.title, self.scene.printed);
        for link in &self.scene.links {
            let count = link.count.map_or_else(|| "an unknown number".to_owned(), |count| count.to_string());
            _ = write!(text, "\n  {} matches {count}", link.printed);
        }
        _ = write!(text, "\nnone of these: {:.1} %", self.none_of_these * 100.0);
        for (place, candidate) in self.candidates.iter().enumerate() {
            _ = write!(text, "\n{:>3}. {:>5.1} %  {}", place + 1, candidate.probability * 100.0, candidate.description);
            for piece in &candidate.evidence {
                _ = write!(text, "\n        {:+.1} {}", piece.bits, piece.sentence);
            }
        }
        for error in self.scene.trace.console_errors.iter().take(5) {
            _ = write!(text, "\nconsole: {}", error.text.chars().take(200).collect::<String>());
        }
        for request in self.scene.trace.failed_requests.iter().take(5) {
            let status = request.status.map_or_else(|| request.failure.clone(), |status| status.to_string());
            _ = write!(text, "\nrequest: {} {} {status}", request.method, request.url);
        }
        printable(&text)
    }
}
