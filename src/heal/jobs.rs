//! How many repairs of a suite go on at the same time: as many as were asked for, if the project's tests can be run by several
//! Playwrights at all.
//!
//! Reads the configuration and the sources; starts nothing.

use std::num::NonZero;

use super::sources::Sources;
use super::suite::Task;
use super::turns::Turns;
use crate::adapters::http;
use crate::adapters::playwright::project::Project;
use crate::source::graph::Graph;
use crate::source::parallel::{Together, counts_workers, together};

/// How many repairs, and which beside which.
#[derive(Debug)]
pub struct Jobs {
    /// At most so many at the same time.
    pub count: usize,
    /// Whose edits would be in whose way.
    pub turns: Turns,
    /// Why there is one at a time where more were wanted.
    pub why_one: Option<String>,
}

impl Jobs {
    /// One repair after the other.
    pub fn one() -> Self {
        Self { count: 1, turns: Turns::new(Graph::default()), why_one: None }
    }

    /// For `tasks` of `project`: at most `wanted`, by default one for every two cores, as Playwright counts its workers.
    pub async fn plan(project: &Project, tasks: &[Task], wanted: Option<NonZero<usize>>) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        let count = wanted.map_or(cores / 2, NonZero::get).min(tasks.len());
        let Some(first) = tasks.first().filter(|_| count > 1) else { return Self::one() };
        let sources = Sources { root: &project.root };
        let one = |why: String| Self { why_one: Some(why), ..Self::one() };
        if first.request.passthrough.iter().any(|word| word == "-c" || word.starts_with("--config")) {
            return one("Playwright is given another configuration".to_owned());
        }
        match settings(&sources, project) {
            Together::No(why) => return one(why),
            Together::IfUp(servers) => {
                for server in servers {
                    if !http::answers(&server).await {
                        return one(format!("the web server at {server} is not up, and every run would start its own"));
                    }
                }
            }
        }
        let mut counting = None;
        let graph = sources.graph_seeing(&first.test, &mut |path, text| {
            if counting.is_none() && counts_workers(text) {
                counting = Some(path.to_owned());
            }
        });
        match counting {
            Some(path) => one(format!("{path} goes by the number of its worker, which every run counts anew")),
            None => Self { count, turns: Turns::new(graph), why_one: None },
        }
    }
}

/// What the configuration says.
fn settings(sources: &Sources<'_>, project: &Project) -> Together {
    let config = project.config.file_name().unwrap_or_default();
    together(&sources.load(&[config]), config, std::env::var_os("CI").is_some_and(|value| !value.is_empty()))
}
