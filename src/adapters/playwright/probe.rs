//! Small test suites of our own, run by the project's Playwright with the project's browser settings and web server:
//! the only way to know whether its browser starts that does not guess what the config means.

use camino::{Utf8Path, Utf8PathBuf};

use super::command::{Artefacts, Request};
use super::runner::{Playwright, RunOutcome};

/// What is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Probe {
    /// Whether the browser of every Playwright project starts.
    Browser,
    /// Whether the web server starts and the base URL answers.
    Server,
}

impl Probe {
    fn name(self) -> &'static str {
        match self {
            Self::Browser => "browser",
            Self::Server => "server",
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::Browser => include_str!("probe/browser.probe.ts"),
            Self::Server => include_str!("probe/server.probe.ts"),
        }
    }

    /// Runs it from `folder`, which must lie in the project, where its packages are found.
    pub async fn run(self, playwright: &Playwright, folder: &Utf8Path) -> std::io::Result<RunOutcome> {
        let config = write(self, playwright, folder)?;
        let request = Request { passthrough: vec![format!("--config={config}")], ..Request::default() };
        Ok(playwright.run(&request, &Artefacts::in_folder(folder.join(self.name()))).await)
    }
}

fn write(probe: Probe, playwright: &Playwright, folder: &Utf8Path) -> std::io::Result<Utf8PathBuf> {
    let project = &playwright.project;
    let mut text = include_str!("probe/probe.config.ts").to_owned();
    for (mark, value) in
        [("__CONFIG__", project.config.as_str()), ("__ROOT__", project.root.as_str()), ("__PROBE__", probe.name())]
    {
        text = text.replace(mark, &serde_json::Value::from(value).to_string());
    }
    let config = folder.join(format!("{}.config.ts", probe.name()));
    std::fs::write(&config, text)?;
    std::fs::write(folder.join(format!("{}.probe.ts", probe.name())), probe.text())?;
    Ok(config)
}
