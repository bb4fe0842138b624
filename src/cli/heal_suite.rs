//! `relocator heal --from REPORT`, `--all`, `--resume RUN`: every root cause of a red suite. Flags and wiring only.

mod former;
mod keeper;

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;
use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use clap::Args as ClapArgs;

pub(super) use self::former::read;
use self::former::{Decision, take_over};
use self::keeper::Keeper;
use super::handover::{Handover, HandoverArgs};
use super::heal::Common;
use super::outputs::Outputs;
use super::triage::Source;
use crate::adapters::evidence::Made;
use crate::adapters::openai::Modes;
use crate::adapters::playwright::command::{Files, Place as TestPlace, Request, grep_titles};
use crate::adapters::playwright::runner::Playwright;
use crate::adapters::process::Cancel;
use crate::adapters::workspace::{Run, Workspace, Writer};
use crate::config::{ModelSettings, Place, current_folder, redactor};
use crate::error::Error;
use crate::exit_code::ExitCode;
use crate::heal::jobs::Jobs;
use crate::heal::suite::{Bounds, SuiteHealer, Task};
use crate::heal::{Reported, Settings};
use crate::report::folder::{self, Pictures};
use crate::report::suite::{Clean, Document, Group};
use crate::ui::{Ui, printable};

/// What was decided, one group in each line; on disk before the next group is begun.
const DECISIONS: &str = "decisions.jsonl";

/// What was said to a model and by it, one group in each line.
const CONVERSATIONS: &str = "conversations.jsonl";

/// Which groups were asked for, so that a resumed run goes on with those.
const ASKED: &str = "asked.json";

/// How many groups are named where one is not known.
const NAMED: usize = 20;

/// Which causes of a red suite are repaired.
#[derive(Debug, ClapArgs)]
pub(super) struct SuiteArgs {
    /// Repair every root cause in these reports: what `relocator triage` reads
    #[arg(long, value_name = "REPORT", num_args = 1.., conflicts_with_all = ["test", "grep"], help_heading = "Suite")]
    pub(super) from: Vec<Utf8PathBuf>,
    /// Run the suite, and repair every root cause
    #[arg(long, conflicts_with_all = ["test", "grep", "from"], help_heading = "Suite")]
    pub(super) all: bool,
    /// Go on with a run that was interrupted: what was decided stays decided
    #[arg(long, value_name = "RUN", conflicts_with_all = ["test", "grep", "from", "all"], help_heading = "Suite")]
    pub(super) resume: Option<String>,
    /// Only these groups, by their id
    #[arg(long, value_name = "ID", num_args = 1.., help_heading = "Suite")]
    group: Vec<String>,
    /// At most so many groups, the largest ones
    #[arg(long, value_name = "N", help_heading = "Suite")]
    max_groups: Option<usize>,
    /// Begin no further group after so many seconds
    #[arg(long, value_name = "SECONDS", help_heading = "Suite")]
    suite_timeout: Option<u64>,
    /// At most so many repairs at the same time; by default one for every two cores. Those that would see each other's edits
    /// go one after the other
    #[arg(long, value_name = "N", help_heading = "Suite")]
    jobs: Option<NonZero<usize>>,
    #[command(flatten)]
    handover: HandoverArgs,
    #[command(flatten)]
    outputs: Outputs,
}

impl SuiteArgs {
    /// Whether a suite is meant, not one test.
    pub(super) fn is_asked(&self) -> bool {
        !self.from.is_empty() || self.all || self.resume.is_some()
    }

    /// What only a suite has, where one test is to be repaired.
    pub(super) fn stray(&self) -> Option<&'static str> {
        let given = [
            (!self.group.is_empty(), "--group"),
            (self.max_groups.is_some(), "--max-groups"),
            (self.suite_timeout.is_some(), "--suite-timeout"),
            (self.jobs.is_some(), "--jobs"),
        ];
        given.into_iter().find_map(|(given, name)| given.then_some(name)).or_else(|| self.handover.stray())
    }

    /// The forms in which the result is shown.
    pub(super) fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    /// The groups that are asked for, by a former run where this one goes on with it; none for all.
    fn wanted(&self, workspace: &Workspace) -> Vec<String> {
        let former = self.resume.as_ref().filter(|_| self.group.is_empty());
        let asked = former.and_then(|former| std::fs::read(workspace.run_folder(former)?.join(ASKED)).ok());
        asked.and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_else(|| self.group.clone())
    }

    /// Every group that is named is in the reports.
    fn known(&self, document: &Document) -> Result<(), Error> {
        let Some(unknown) = self.group.iter().find(|id| !document.groups.iter().any(|group| group.is(id))) else {
            return Ok(());
        };
        let mut error = Error::usage(format!("no group `{unknown}` is in the reports"));
        for group in document.groups.iter().filter(|group| group.outcome == "candidate").take(NAMED) {
            error = error.hinted(format!("{} {}", group.id, group.headline));
        }
        Err(error.hinted("see them all: relocator triage REPORT"))
    }

    fn bounds(&self, begun: Instant) -> Bounds {
        Bounds {
            groups: self.max_groups.unwrap_or(usize::MAX),
            until: self.suite_timeout.map(|seconds| begun + Duration::from_secs(seconds)),
        }
    }

    /// The settings by name, for the manifest.
    fn settings(&self, settings: Settings) -> serde_json::Value {
        let mut all = settings.json();
        all["max_groups"] = self.max_groups.into();
        all["suite_timeout"] = self.suite_timeout.into();
        all["jobs"] = self.jobs.map(NonZero::get).into();
        all["groups"] = self.group.as_slice().into();
        all
    }
}

/// Runs the command.
pub(super) async fn run(args: &SuiteArgs, common: &Common<'_>, ui: &Ui, cancel: &Cancel) -> Result<ExitCode, Error> {
    let begun = Instant::now();
    let place = Place::find(common.flags, &current_folder()?)?;
    let root = place.project.root.clone();
    let handover = args.handover.prepare(&root, cancel).await?;
    let asked = ModelSettings::merge(common.model, &place.settings.model);
    let hidden = asked.hidden_variables();
    let Begun { mut document, mut pictures, known } = document(args, common, (&place, &hidden), ui, cancel).await?;
    args.known(&document)?;
    let mut model = asked.open(Modes::of_project(&root)).await?;
    let redactor = redactor(model.as_ref(), &place.settings.secrets);
    let mut advisor = model.as_mut().map(|model| asked.advisor(model, redactor.clone()));
    let writer = Arc::new(super::writer(&place.workspace, &place.settings, "relocator heal", ui).await?);
    let folder = place.workspace.begin_run()?;
    document.run = Some(folder.id().to_owned());
    let former = match &args.resume {
        Some(former) => take_over(&place.workspace, former, &folder, &mut document)?,
        None => Vec::new(),
    };
    let wanted = args.wanted(&place.workspace);
    folder.write(ASKED, serde_json::json!(wanted).to_string().as_bytes())?;
    folder.write(folder::DOCUMENT, document.json().as_bytes())?;
    let playwright = Playwright {
        project: place.project.clone(),
        deadline: place.settings.timeout,
        secrets: hidden,
        cancel: cancel.clone(),
    };
    let tasks = tasks(&document, &wanted, &former, &root, (common.passthrough, &known));
    // A model is spoken to by one repair at a time.
    let jobs = match advisor {
        Some(_) => Jobs::one(),
        None => Jobs::plan(&playwright.project, &tasks, args.jobs).await,
    };
    if let Some(why) = jobs.why_one.as_ref().filter(|_| args.jobs.is_some()) {
        document.notes.push(format!("one repair at a time: {why}"));
    }
    let escalated = document.groups.iter().filter(|group| group.outcome == "escalated");
    let escalated = escalated.flat_map(|group| &group.members).map(|test| (test.file.clone(), test.line));
    let escalated: Vec<(String, u32)> = escalated.collect();
    let suite = SuiteHealer {
        playwright: &playwright,
        writer: &writer,
        run: &folder,
        settings: common.settings,
        fingerprints: &super::learn::book(common.flags, &root)?,
        escalated: &escalated,
    };
    let mut keeper = Keeper {
        document: &mut document,
        pictures: &mut pictures,
        folder: &folder,
        root: &root,
        clean: Clean::new(redactor),
        learned: BTreeSet::new(),
        steps: ui.steps(tasks.len(), jobs.count > 1),
        numbers: BTreeMap::new(),
    };
    let done = Box::pin(suite.heal(&tasks, args.bounds(begun), &jobs, advisor.as_mut(), &mut keeper)).await;
    let clean = keeper.end();
    writer.mishaps().iter().for_each(|mishap| ui.warn(&printable(mishap)));
    let healed = Healed {
        args,
        folder: &folder,
        playwright: &playwright,
        former: &former,
        left: done.as_ref().map(|&begun| tasks.len() - begun),
    };
    let handed = healed.hand_over(handover.as_ref(), &mut document, &writer, ui).await;
    healed.keep(&mut document, &pictures, &clean, common.settings).await?;
    if done.is_err() {
        ui.progress(&format!("go on with: relocator heal --resume {}", folder.id()));
    }
    done?;
    args.outputs.write(&document, &pictures, common.json, ui)?;
    handed?;
    ui.progress(&format!("evidence: {}", folder.folder()));
    Ok(args.outputs.exit_code(&document))
}

/// A suite whose groups were all begun, or that was stopped.
struct Healed<'h> {
    args: &'h SuiteArgs,
    folder: &'h Run,
    playwright: &'h Playwright,
    former: &'h [Decision],
    /// How many groups were not begun; `Err` where the run was stopped.
    left: Result<usize, &'h Error>,
}

impl Healed<'_> {
    /// Commits what was healed, where that is wanted and the run came to its end.
    async fn hand_over(
        &self,
        handover: Option<&Handover<'_>>,
        document: &mut Document,
        writer: &Writer,
        ui: &Ui,
    ) -> Result<(), Error> {
        let (Some(handover), Ok(_)) = (handover, &self.left) else { return Ok(()) };
        let mut runs: Vec<&str> =
            self.former.iter().map(|decision| decision.run.as_str()).chain([self.folder.id()]).collect();
        runs.dedup();
        handover.finish(document, writer, &runs, ui).await
    }

    /// Writes the report and the manifest.
    async fn keep(
        &self,
        document: &mut Document,
        pictures: &Pictures,
        clean: &Clean,
        settings: Settings,
    ) -> Result<(), Error> {
        document.redactions += clean.redactions();
        document.note_left_out(clean);
        if let Ok(left) = self.left
            && left > 0
        {
            document.notes.push(format!("{left} groups were not begun: --max-groups or --suite-timeout was reached"));
        }
        let made = Made::with(&self.playwright.project, self.args.settings(settings), &self.playwright.cancel).await;
        folder::write(self.folder, document, pictures)?;
        let resumes = self.args.resume.clone();
        folder::finish(self.folder, clean.redactor(), Made { resumes, redactions: document.redactions, ..made })
    }
}

/// The document to begin with, and its pictures.
async fn document(
    args: &SuiteArgs,
    common: &Common<'_>,
    (place, hidden): (&Place, &[String]),
    ui: &Ui,
    cancel: &Cancel,
) -> Result<Begun, Error> {
    if let Some(former) = &args.resume {
        let (document, pictures) = read(&place.workspace, Utf8Path::new(former))?;
        return Ok(Begun { document, pictures, known: Known::default() });
    }
    let source = Source { reports: &args.from, run: args.all, passthrough: common.passthrough, hidden };
    let suite = source.read(common.flags, ui, cancel).await?;
    let pictures = suite.pictures();
    let known = Known { reported: suite.reported, titles: suite.titles };
    Ok(Begun { document: suite.document, pictures, known })
}

/// What a suite's repair begins with.
struct Begun {
    document: Document,
    pictures: Pictures,
    known: Known,
}

/// What reports say beyond the document, by the group's id; a run that is resumed has none of it.
#[derive(Default)]
struct Known {
    /// The failures that a repair may begin with.
    reported: BTreeMap<String, Reported>,
    /// The titles of the test, uncleaned.
    titles: BTreeMap<String, Vec<String>>,
}

/// One task for each group that may be healed and is not decided, in the order of the document.
fn tasks(
    document: &Document,
    wanted: &[String],
    decided: &[Decision],
    root: &Utf8Path,
    (passthrough, known): (&[String], &Known),
) -> Vec<Task> {
    let is_wanted = |group: &&Group| {
        group.outcome == "candidate"
            && !decided.iter().any(|decision| group.is(&decision.group))
            && (wanted.is_empty() || wanted.iter().any(|id| group.is(id)))
    };
    let task = |group: &Group| {
        let test = group.members.first()?;
        Some(Task {
            group: group.id.clone(),
            test: test.file.clone(),
            changed: group
                .locator
                .as_ref()
                .and_then(|locator| locator.definition.as_ref())
                .map(|at| at.file.clone())
                .into_iter()
                .collect(),
            request: Request {
                places: vec![TestPlace { files: Files::Exact(root.join(&test.file)), line: Some(test.line) }],
                grep: Some(grep_titles(known.titles.get(&group.id).unwrap_or(&test.titles))),
                projects: Some(test.project.clone()).filter(|name| !name.is_empty()).into_iter().collect(),
                passthrough: passthrough.to_vec(),
                ..Request::default()
            },
            // With arguments of the caller's own the reported run was another one.
            reported: known.reported.get(&group.id).filter(|_| passthrough.is_empty()).cloned(),
        })
    };
    document.groups.iter().filter(is_wanted).filter_map(task).collect()
}
