//! `relocator inspect`: what the failing step saw, of a test or of a recorded trace. Edits nothing.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use clap::Args as ClapArgs;

use super::heal::{Target, target};
use crate::adapters::evidence::Made;
use crate::adapters::playwright::command::Request;
use crate::adapters::playwright::runner::Playwright;
use crate::adapters::playwright::trace::Hint;
use crate::adapters::process::Cancel;
use crate::config::{Flags, Place, current_folder, redactor};
use crate::domain::event::Event;
use crate::error::Error;
use crate::exit_code::ExitCode;
use crate::heal::inspected::Inspected;
use crate::heal::scene::Scene;
use crate::heal::{Healer, Settings};
use crate::report::folder::finish_bare;
use crate::report::inspection::Inspection;
use crate::report::transcript;
use crate::ui::Ui;

/// Show what a failing step saw: which link of its locator stopped matching, and the ranked candidates
#[derive(Debug, ClapArgs)]
pub(super) struct Args {
    /// A test (`tests/a.spec.ts:12`), which is run once, or a recorded trace (trace.zip or its unpacked folder)
    #[arg(value_name = "TEST|TRACE")]
    what: String,
    #[command(flatten)]
    flags: Flags,
    /// Print one JSON document
    #[arg(long, help_heading = "Output")]
    json: bool,
    /// Arguments that go to Playwright unchanged
    #[arg(last = true, value_name = "PLAYWRIGHT ARGS")]
    passthrough: Vec<String>,
}

pub(super) async fn run(args: &Args, ui: &Ui, cancel: &Cancel) -> Result<ExitCode, Error> {
    let path = Utf8Path::new(&args.what);
    let is_trace = path.is_dir() || path.extension() == Some("zip");
    let scene = if is_trace {
        super::there([path])?;
        Scene::open(path, &Hint::default())
            .map(Some)
            .map_err(|reason| Error::blocked(format!("cannot inspect {path}: {}", reason.sentence)))?
    } else {
        of_test(args, ui, cancel).await?
    };
    let Some(scene) = scene else { return Ok(ExitCode::FailuresRemain) };
    // A trace may lie outside of any project; then only a book that was named is read.
    let root = Place::settings(&args.flags, &current_folder()?).map_or(Utf8PathBuf::new(), |(root, _)| root);
    let fingerprints = super::learn::book(&args.flags, &root)?;
    let seen = Inspected::of(&scene, &fingerprints);
    let inspection =
        Inspection { scene: &scene, title: seen.title, candidates: seen.candidates, none_of_these: seen.none_of_these };
    ui.answer(&if args.json { inspection.json() } else { inspection.text() });
    Ok(ExitCode::Clean)
}

async fn of_test(args: &Args, ui: &Ui, cancel: &Cancel) -> Result<Option<Scene>, Error> {
    let Target { place, test } = target(&args.flags, Some(&args.what))?;
    let writer = super::writer(&place.workspace, &place.settings, "relocator inspect", ui).await?;
    let writer = Arc::new(writer);
    let folder = place.workspace.begin_run()?;
    let playwright = Playwright {
        project: place.project.clone(),
        deadline: place.settings.timeout,
        secrets: Vec::new(),
        cancel: cancel.clone(),
    };
    let request =
        Request { places: test.into_iter().collect(), passthrough: args.passthrough.clone(), ..Request::default() };
    let mut report = |event: &Event| {
        if let Some(lines) = transcript::lines(event) {
            ui.progress(&lines);
        }
    };
    let fingerprints = super::learn::book(&args.flags, &place.project.root)?;
    let settings = Settings { dry_run: true, ..Settings::default() };
    let mut healer = Healer {
        playwright: &playwright,
        writer: &writer,
        run: &folder,
        settings,
        fingerprints: &fingerprints,
        reported: None,
        escalated: &[],
        turn: None,
        report: &mut report,
    };
    let seen = healer.inspect(&request).await;
    let made = Made::with(&playwright.project, settings.json(), cancel).await;
    finish_bare(&folder, &redactor(None, &place.settings.secrets), made)?;
    seen
}
