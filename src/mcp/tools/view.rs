//! Records of the services in the form that several answers have in common.

use schemars::JsonSchema;
use serde::Serialize;

use super::super::answer::{exact, short};
use crate::heal::record;
use crate::heal::scene::SceneLink;

/// A link of a locator's chain.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Link {
    /// The link, as Playwright prints it.
    link: String,
    /// How many elements the chain up to and with it matches; null where the snapshot cannot say.
    count: Option<usize>,
}

impl From<&SceneLink> for Link {
    fn from(link: &SceneLink) -> Self {
        Self { link: exact(&link.printed), count: link.count }
    }
}

impl From<&record::Link> for Link {
    fn from(link: &record::Link) -> Self {
        Self { link: exact(&link.text), count: link.count }
    }
}

/// An element that may be the one the locator meant.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Candidate {
    /// The element in words: role, name, the attribute that tells it apart.
    element: String,
    /// Its share of the probability, between 0 and 1; the rest is other elements, or that it is gone.
    probability: f64,
    /// What speaks for and against it, the strongest first.
    evidence: Vec<Evidence>,
}

/// A piece of evidence.
#[derive(Debug, Serialize, JsonSchema)]
struct Evidence {
    /// Stable name of its kind.
    id: String,
    /// Weight in bits; negative speaks against.
    bits: f64,
    /// What was seen.
    sentence: String,
}

/// How many pieces of evidence are shown of one candidate.
const EVIDENCE: usize = 8;

impl From<&record::Candidate> for Candidate {
    fn from(candidate: &record::Candidate) -> Self {
        let evidence = candidate.evidence.iter().take(EVIDENCE).map(|piece| Evidence {
            id: piece.id.clone(),
            bits: hundredths(piece.bits),
            sentence: short(&piece.sentence),
        });
        Self {
            element: short(&candidate.description),
            probability: (candidate.probability * 10_000.0).round() / 10_000.0,
            evidence: evidence.collect(),
        }
    }
}

fn hundredths(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}

/// A test.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Test {
    /// Its file, from the folder of playwright.config.*.
    file: String,
    /// Its line, from 1.
    line: u32,
    /// Describe titles, then its own.
    titles: Vec<String>,
    /// Playwright's project (browser); may be empty.
    project: String,
}

impl From<&record::TestName> for Test {
    fn from(test: &record::TestName) -> Self {
        Self {
            file: short(&test.file),
            line: test.line,
            titles: test.titles.iter().map(|title| short(title)).collect(),
            project: short(&test.project),
        }
    }
}
