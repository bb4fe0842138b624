//! `relocator heal`: the repair loop for one test.

use std::sync::Arc;
use std::time::Instant;

use camino::Utf8Path;
use clap::Args as ClapArgs;

use super::heal_suite::{self, SuiteArgs};
use crate::adapters::evidence::Made;
use crate::adapters::openai::Modes;
use crate::adapters::playwright::command::{Files, Place as TestPlace, Request};
use crate::adapters::playwright::runner::Playwright;
use crate::adapters::process::Cancel;
use crate::config::{Flags, ModelFlags, ModelSettings, Place, current_folder, redactor};
use crate::domain::event::Event;
use crate::domain::verdict::Outcome;
use crate::error::Error;
use crate::exit_code::ExitCode;
use crate::heal::record::HealRun;
use crate::heal::{Healer, Settings};
use crate::report::folder::{finish_bare, keep_repair};
use crate::report::transcript;
use crate::ui::{Ui, printable};

/// Repair the one locator that went stale in a test, or say why not
#[derive(Debug, ClapArgs)]
pub(super) struct Args {
    /// The test, as Playwright names it: a file, or a file and a line (`tests/a.spec.ts:12`)
    #[arg(value_name = "TEST", required_unless_present_any = ["grep", "from", "all", "resume"])]
    test: Option<String>,
    /// The test, by a regular expression over its title
    #[arg(long, short, value_name = "TITLE")]
    grep: Option<String>,
    /// Stop before the source is touched
    #[arg(long)]
    dry_run: bool,
    /// Runs with the old line before the failure counts as not reproduced
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=20))]
    reproduce: u32,
    /// How many root causes of one test, one behind the other, are repaired together
    #[arg(long, value_name = "N", default_value_t = Settings::default().causes)]
    causes: usize,
    /// How many files of other tests that use the line are run, or `all`
    #[arg(long, value_name = "N|all", default_value = "20", value_parser = dependents)]
    dependents: Dependents,
    #[command(flatten)]
    flags: Flags,
    #[command(flatten)]
    model: ModelFlags,
    #[command(flatten)]
    suite: SuiteArgs,
    /// Print one JSON document
    #[arg(long, help_heading = "Output")]
    json: bool,
    /// Arguments that go to Playwright unchanged
    #[arg(last = true, value_name = "PLAYWRIGHT ARGS")]
    passthrough: Vec<String>,
}

/// A number of files, or all of them.
#[derive(Debug, Clone, Copy)]
struct Dependents(Option<usize>);

fn dependents(text: &str) -> Result<Dependents, String> {
    if text == "all" {
        return Ok(Dependents(None));
    }
    text.parse().map(|count| Dependents(Some(count))).map_err(|_| "a number or `all`".to_owned())
}

pub(super) async fn run(args: &Args, ui: &Ui, cancel: &Cancel) -> Result<ExitCode, Error> {
    if args.suite.is_asked() {
        return Box::pin(heal_suite::run(&args.suite, &args.common(), ui, cancel)).await;
    }
    if let Some(stray) = args.suite.stray() {
        return Err(Error::usage(format!("`{stray}` is for a suite")).hinted("say which: --from REPORT, or --all"));
    }
    let begun = Instant::now();
    let Target { place, test } = target(&args.flags, args.test.as_deref())?;
    let asked = ModelSettings::merge(&args.model, &place.settings.model);
    let mut model = asked.open(Modes::of_project(&place.project.root)).await?;
    let writer = super::writer(&place.workspace, &place.settings, "relocator heal", ui).await?;
    let folder = place.workspace.begin_run()?;
    let playwright = Playwright {
        project: place.project.clone(),
        deadline: place.settings.timeout,
        secrets: asked.hidden_variables(),
        cancel: cancel.clone(),
    };
    let request = Request {
        places: test.into_iter().collect(),
        grep: args.grep.clone(),
        passthrough: args.passthrough.clone(),
        ..Request::default()
    };
    let writer = Arc::new(writer);
    let settings = args.settings();
    let fingerprints = super::learn::book(&args.flags, &place.project.root)?;
    let redactor = redactor(model.as_ref(), &place.settings.secrets);
    let mut advisor = model.as_mut().map(|model| asked.advisor(model, redactor.clone()));
    let mut report = |event: &Event| show(ui, args, event);
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
    let healed = healer.heal_with(&request, advisor.as_mut()).await;
    for mishap in writer.mishaps() {
        ui.warn(&printable(&mishap));
    }
    let made = Made::with(&place.project, settings.json(), cancel).await;
    let mut run = match healed {
        Ok(run) => run,
        Err(error) => {
            finish_bare(&folder, &redactor, made)?;
            return Err(error);
        }
    };
    let accounted = run.playwright_time() + run.own_time();
    run.stages.push(("start", begun.elapsed().saturating_sub(accounted)));
    if !args.json {
        conclude(ui, &run);
    }
    let kept = keep_repair(&folder, &run, &place.project.root, redactor, made)?;
    if args.json {
        ui.answer(&kept.record);
    }
    let outputs = args.suite.outputs();
    for note in &kept.document.notes {
        ui.progress(&format!("note: {}", printable(note).replace('\n', " ")));
    }
    outputs.beside(&kept.document, &kept.pictures, args.json, ui)?;
    ui.progress(&format!("evidence: {}", folder.folder()));
    Ok(outputs.gate(&kept.document).unwrap_or_else(|| exit_code(&run)))
}

impl Args {
    fn settings(&self) -> Settings {
        Settings {
            reproduce: self.reproduce,
            causes: self.causes.max(1),
            dependents: self.dependents.0,
            dry_run: self.dry_run,
            ..Settings::default()
        }
    }

    fn common(&self) -> Common<'_> {
        Common {
            flags: &self.flags,
            model: &self.model,
            settings: self.settings(),
            passthrough: &self.passthrough,
            json: self.json,
        }
    }
}

/// What holds for one test as for a suite.
pub(super) struct Common<'a> {
    /// The project.
    pub(super) flags: &'a Flags,
    /// The model.
    pub(super) model: &'a ModelFlags,
    /// What bounds each repair.
    pub(super) settings: Settings,
    /// Arguments that go to Playwright unchanged.
    pub(super) passthrough: &'a [String],
    /// Whether to print one JSON document.
    pub(super) json: bool,
}

/// A test with the project it lies in.
pub(super) struct Target {
    /// The project.
    pub(super) place: Place,
    /// The test; `None` for all of the project's.
    pub(super) test: Option<TestPlace>,
}

/// Finds the project of the test `text`, as it is named from the current folder.
pub(super) fn target(flags: &Flags, text: Option<&str>) -> Result<Target, Error> {
    let here = current_folder()?;
    let test = text.map(|test| TestPlace::parse(test, &here));
    let start = match test.as_ref().map(|test| &test.files) {
        Some(Files::Exact(path)) => path.clone(),
        _ => here.clone(),
    };
    let place = Place::find(flags, &start)?;
    inside(test.as_ref(), text, &place.project.root, &here)?;
    Ok(Target { place, test })
}

/// A test that names a file must lie in the project it was found for.
fn inside(test: Option<&TestPlace>, text: Option<&str>, root: &Utf8Path, here: &Utf8Path) -> Result<(), Error> {
    let outside = match test.map(|test| &test.files) {
        Some(Files::Exact(path)) => !path.starts_with(root),
        Some(Files::Pattern(pattern)) => {
            let path = Utf8Path::new(pattern);
            path.is_absolute() || (path.starts_with("..") && !here.starts_with(root))
        }
        None => false,
    };
    if outside {
        let text = text.unwrap_or_default();
        return Err(Error::usage(format!("`{text}` is outside the project {root}"))
            .hinted("name a test below the folder of playwright.config.*"));
    }
    Ok(())
}

fn show(ui: &Ui, args: &Args, event: &Event) {
    if let Event::RunStarted { purpose } = event {
        ui.progress(&format!("{}…", printable(purpose)));
    } else if let Event::Sending { to, what } = event {
        ui.warn(&format!("this sends to {}: {}", printable(to), printable(what)));
    } else if matches!(event, Event::Said { .. }) {
        if args.model.transcript
            && let Some(lines) = transcript::lines(event)
        {
            // With --json stdout holds one document.
            if args.json {
                ui.progress(&lines);
            } else {
                ui.answer(&lines);
            }
        }
    } else if !args.json
        && let Some(lines) = transcript::lines(event)
    {
        ui.answer(&lines);
    }
}

/// What stands below the transcript: the diff of a proposal, the bug report of an escalation.
fn conclude(ui: &Ui, run: &HealRun) {
    for cause in run.causes() {
        if cause.reason.outcome() == Outcome::Proposed
            && let Some(proposal) = &cause.proposal
        {
            ui.answer(&printable(proposal.diff.trim_end()));
        }
        if matches!(cause.reason.outcome(), Outcome::Escalated | Outcome::Declined) {
            ui.answer(&transcript::bug_report(cause));
        }
    }
}

fn exit_code(run: &HealRun) -> ExitCode {
    match run.outcome() {
        Outcome::Healed => ExitCode::Clean,
        Outcome::Blocked => ExitCode::Blocked,
        Outcome::Proposed | Outcome::Declined | Outcome::Escalated | Outcome::Flaky => ExitCode::FailuresRemain,
    }
}
