//! The forms that a red suite is shown in: flags and wiring only.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use clap::Args as ClapArgs;

use crate::error::Error;
use crate::exit_code::ExitCode;
use crate::report::suite::{Document, OUTCOMES};
use crate::report::{annotations, html, junit, markdown, table};
use crate::ui::Ui;

/// What is printed and written of a red suite.
#[derive(Debug, Clone, ClapArgs)]
pub(super) struct Outputs {
    /// Print Markdown, for the comment of a pull request or a step summary
    #[arg(long, help_heading = "Output")]
    markdown: bool,
    /// Write one HTML file that needs nothing else
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    html: Option<Utf8PathBuf>,
    /// Write JUnit XML, one test case for each root cause
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    junit: Option<Utf8PathBuf>,
    /// Print GitHub annotations; on by itself in GitHub Actions
    #[arg(long, env = "GITHUB_ACTIONS", value_parser = clap::builder::BoolishValueParser::new(),
          num_args = 0..=1, default_missing_value = "true", default_value = "false", help_heading = "Output")]
    annotations: bool,
    /// Exit with 1 exactly if a root cause has one of these outcomes, else with 0: `escalated`, or `healed,proposed`
    #[arg(long, value_name = "OUTCOME", value_delimiter = ',', help_heading = "Output",
          value_parser = clap::builder::PossibleValuesParser::new(OUTCOMES))]
    fail_on: Vec<String>,
}

impl Outputs {
    /// The exit code by what a pipeline wants to be stopped by; `None` where it did not say.
    pub(super) fn gate(&self, document: &Document) -> Option<ExitCode> {
        let hit = self.fail_on.iter().any(|outcome| document.count(outcome) > 0);
        let code = if hit { ExitCode::FailuresRemain } else { ExitCode::Clean };
        (!self.fail_on.is_empty()).then_some(code)
    }

    /// The exit code: by [`Self::gate`], else by what remains.
    pub(super) fn exit_code(&self, document: &Document) -> ExitCode {
        self.gate(document).unwrap_or_else(|| {
            let remain = document.groups.iter().filter(|group| group.outcome != "healed").count();
            if remain == 0 {
                ExitCode::Clean
            } else if document.count("blocked") == remain {
                ExitCode::Blocked
            } else {
                ExitCode::FailuresRemain
            }
        })
    }

    /// Prints and writes `document`, as one JSON document if `json`; `pictures` has the files of its pictures by name.
    pub(super) fn write(
        &self,
        document: &Document,
        pictures: &BTreeMap<String, Vec<u8>>,
        json: bool,
        ui: &Ui,
    ) -> Result<(), Error> {
        if json {
            ui.answer(&document.json());
        } else if !self.markdown {
            ui.answer(&table::table(document));
        }
        self.beside(document, pictures, json, ui)
    }

    /// What is wanted besides the answer, which was printed already, as `json` says in that form.
    pub(super) fn beside(
        &self,
        document: &Document,
        pictures: &BTreeMap<String, Vec<u8>>,
        json: bool,
        ui: &Ui,
    ) -> Result<(), Error> {
        if self.markdown && !json {
            ui.answer(&markdown::markdown(document));
        }
        if let Some(path) = &self.html {
            put(path, &html::html(document, pictures)?)?;
        }
        if let Some(path) = &self.junit {
            put(path, &junit::junit(document)?)?;
        }
        if self.annotations {
            // GitHub reads both streams; stdout may be a document.
            for line in annotations::annotations(document) {
                ui.command(&line);
            }
        }
        Ok(())
    }
}

fn put(path: &Utf8Path, text: &str) -> Result<(), Error> {
    std::fs::write(path, text).map_err(|error| Error::blocked(format!("cannot write `{path}`")).caused_by(&error))
}
