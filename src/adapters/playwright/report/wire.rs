//! The format of the JSON report, as far as it is read.

use serde::Deserialize;

use super::{Attachment, Location};

/// A report with a number in the place of each spec.
#[derive(Deserialize)]
pub(super) struct Frame {
    #[serde(default)]
    pub(super) config: Config,
    pub(super) suites: Option<Vec<Suite>>,
    #[serde(default)]
    pub(super) errors: Vec<Problem>,
    #[serde(default)]
    pub(super) stats: Stats,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Stats {
    pub(super) start_time: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Config {
    pub(super) root_dir: String,
    #[serde(rename = "configFile")]
    pub(super) file: Option<String>,
    pub(super) version: Option<String>,
    pub(super) projects: Vec<Named>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Named {
    pub(super) name: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Suite {
    pub(super) title: String,
    pub(super) line: u32,
    pub(super) specs: Vec<usize>,
    pub(super) suites: Vec<Suite>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Spec {
    pub(super) title: String,
    pub(super) file: String,
    pub(super) line: u32,
    pub(super) tests: Vec<Test>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Test {
    pub(super) project_name: String,
    pub(super) expected_status: String,
    pub(super) status: String,
    pub(super) results: Vec<Outcome>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Outcome {
    pub(super) status: Option<String>,
    pub(super) retry: u32,
    pub(super) duration: f64,
    pub(super) error: Option<Thrown>,
    pub(super) errors: Vec<Problem>,
    pub(super) error_location: Option<Location>,
    pub(super) attachments: Vec<Attachment>,
}

#[derive(Deserialize)]
pub(super) struct Thrown {
    pub(super) stack: Option<String>,
    pub(super) location: Option<Location>,
}

#[derive(Deserialize)]
pub(super) struct Problem {
    pub(super) message: Option<String>,
    pub(super) value: Option<String>,
    pub(super) location: Option<Location>,
}
