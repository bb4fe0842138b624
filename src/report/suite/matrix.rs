//! The groups that may be healed as the jobs of a CI system.

use serde_json::{Map, Value, json};

use super::Document;
use crate::domain::triage::matrix::{Share, Work, share};

/// How often Playwright is started for a repair: to see it fail, to see it pass, for the proofs; one more for luck.
const STARTS: u64 = 4;

/// How long a start takes beside the test itself, in milliseconds: browser, server, configuration.
const START: u64 = 5_000;

/// Which CI system the jobs are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum System {
    /// The value of GitHub's `strategy.matrix`
    #[default]
    Github,
    /// A child pipeline of GitLab's, which extends `.relocator-heal` and `.relocator-merge` of `.gitlab/relocator.yml`
    Gitlab,
}

impl Document {
    /// The groups that may be healed, shared out to at most `machines` jobs, as one line of JSON (which is YAML as well).
    pub fn matrix(&self, machines: usize, system: System) -> String {
        let mut jobs = share(&self.work(), machines);
        for job in &mut jobs {
            job.groups = job.groups.iter().flat_map(|id| self.names_of(id)).collect();
        }
        let matrix = match system {
            System::Github => github(&jobs),
            System::Gitlab => gitlab(&jobs),
        };
        matrix.to_string()
    }

    /// The ids of a group, and of those that it is where no traces are at hand, as on the machine that is to heal it.
    fn names_of(&self, id: &str) -> Vec<String> {
        let also = self.groups.iter().filter(|group| group.id == id).flat_map(|group| group.also.clone());
        std::iter::once(id.to_owned()).chain(also).collect()
    }

    fn work(&self) -> Vec<Work> {
        let work = self.groups.iter().filter(|group| group.outcome == "candidate").map(|group| {
            let definition = group.locator.as_ref().and_then(|locator| locator.definition.as_ref());
            let file = definition.or(group.at.as_ref()).map(|place| place.file.clone());
            let tests = group.members.len().max(1) as u64;
            Work {
                group: group.id.clone(),
                file: file.unwrap_or_default(),
                milliseconds: STARTS * START + STARTS * group.milliseconds / tests,
            }
        });
        work.collect()
    }
}

/// `{"include": [{"job": 1, "groups": "ID ID", "minutes": 2}]}`.
fn github(jobs: &[Share]) -> Value {
    let jobs = jobs.iter().enumerate().map(|(index, share)| {
        json!({
            "job": index + 1,
            "groups": share.groups.join(" "),
            "minutes": share.milliseconds.div_ceil(60_000),
        })
    });
    json!({ "include": jobs.collect::<Vec<_>>() })
}

/// A pipeline with one job for each share and one behind them; GitLab takes none without a job.
///
/// No `parallel: matrix`: its jobs are named by their values, and a name that is longer than 128 or 255 characters, as that of
/// ten groups is, makes no pipeline at all. No `needs` either, of which 50 are the most: the last stage waits for all.
fn gitlab(jobs: &[Share]) -> Value {
    let mut pipeline = Map::new();
    pipeline.insert("include".to_owned(), json!([{ "local": ".gitlab/relocator.yml" }]));
    if jobs.is_empty() {
        pipeline.insert("nothing-to-heal".to_owned(), json!({ "script": ["true"] }));
        return pipeline.into();
    }
    for (index, share) in jobs.iter().enumerate() {
        let job = (index + 1).to_string();
        let variables = json!({ "RELOCATOR_JOB": job, "RELOCATOR_GROUPS": share.groups.join(" ") });
        pipeline
            .insert(format!("relocator-heal-{job}"), json!({ "extends": ".relocator-heal", "variables": variables }));
    }
    // What the other machines decided counts, whatever became of one.
    pipeline.insert(
        "relocator-merge".to_owned(),
        json!({ "extends": ".relocator-merge", "stage": ".post", "when": "always" }),
    );
    pipeline.into()
}
