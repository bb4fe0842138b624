//! `relocator heal --from REPORT`, `--all`, `--resume RUN`: every root cause of a red suite. Flags and wiring only.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use clap::Args as ClapArgs;

use super::handover::{Handover, HandoverArgs};
use super::heal::Common;
use super::outputs::Outputs;
use super::triage::Source;
use crate::adapters::evidence::Made;
use crate::adapters::fingerprints::traces_below;
use crate::adapters::openai::Modes;
use crate::adapters::playwright::command::{Files, Place as TestPlace, Request, grep_titles};
use crate::adapters::playwright::runner::Playwright;
use crate::adapters::process::Cancel;
use crate::adapters::secrets;
use crate::adapters::workspace::{Run, Workspace, Writer};
use crate::config::{ModelSettings, Place, current_folder, redactor};
use crate::domain::event::Event;
use crate::error::Error;
use crate::exit_code::ExitCode;
use crate::heal::record::HealRun;
use crate::heal::suite::{Bounds, SuiteHealer, Task, Watch};
use crate::heal::{Reported, Settings};
use crate::report::folder::{self, Pictures, picture_after};
use crate::report::json;
use crate::report::suite::{Clean, Document, Group, Repair};
use crate::ui::{Steps, Ui, printable};

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
        all["groups"] = self.group.as_slice().into();
        all
    }
}

/// A decision as it is kept.
#[derive(serde::Serialize, serde::Deserialize)]
struct Decision {
    group: String,
    /// The run that decided it; its edits are in the work tree.
    #[serde(default)]
    run: String,
    outcome: String,
    repair: Option<Repair>,
}

/// Runs the command.
pub(super) async fn run(args: &SuiteArgs, common: &Common<'_>, ui: &Ui, cancel: &Cancel) -> Result<ExitCode, Error> {
    let begun = Instant::now();
    let place = Place::find(common.flags, &current_folder()?)?;
    let root = place.project.root.clone();
    let handover = args.handover.prepare(&root, cancel).await?;
    let Begun { mut document, mut pictures, reported } = document(args, common, &place, ui, cancel).await?;
    args.known(&document)?;
    let asked = ModelSettings::merge(common.model, &place.settings.model);
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
        secrets: asked.hidden_variables(),
        cancel: cancel.clone(),
    };
    let tasks = tasks(&document, &wanted, &former, &root, (common.passthrough, &reported));
    let suite = SuiteHealer {
        playwright: &playwright,
        writer: &writer,
        run: &folder,
        settings: common.settings,
        fingerprints: &super::learn::book(common.flags, &root)?,
    };
    let mut keeper = Keeper {
        document: &mut document,
        pictures: &mut pictures,
        folder: &folder,
        root: &root,
        clean: Clean::new(redactor),
        learned: BTreeSet::new(),
        steps: ui.steps(tasks.len()),
        starts: 0,
    };
    let done = Box::pin(suite.heal(&tasks, args.bounds(begun), advisor.as_mut(), &mut keeper)).await;
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
    place: &Place,
    ui: &Ui,
    cancel: &Cancel,
) -> Result<Begun, Error> {
    if let Some(former) = &args.resume {
        let (document, pictures) = read(&place.workspace, Utf8Path::new(former))?;
        return Ok(Begun { document, pictures, reported: BTreeMap::new() });
    }
    let hidden = ModelSettings::merge(common.model, &place.settings.model).hidden_variables();
    let source = Source { reports: &args.from, run: args.all, passthrough: common.passthrough, hidden: &hidden };
    let suite = source.read(common.flags, ui, cancel).await?;
    let pictures = suite.pictures();
    Ok(Begun { document: suite.document, pictures, reported: suite.reported })
}

/// What a suite's repair begins with.
struct Begun {
    document: Document,
    pictures: Pictures,
    /// The failures that a repair may begin with, by their group's id.
    reported: BTreeMap<String, Reported>,
}

/// The document of a former run of this project by its name, or of a folder that holds one; and its pictures.
pub(super) fn read(workspace: &Workspace, run: &Utf8Path) -> Result<(Document, Pictures), Error> {
    let unknown = || Error::usage(format!("there is no run `{run}` with a report"));
    let folder = workspace.run_folder(run.as_str()).unwrap_or_else(|| run.to_owned());
    let bytes = std::fs::read(folder.join(folder::DOCUMENT)).map_err(|_| unknown())?;
    let document: Document = serde_json::from_slice(&bytes)
        .map_err(|error| Error::blocked(format!("cannot read the run `{run}`")).caused_by(&error))?;
    let names = document.groups.iter().flat_map(|group| {
        let after = group.repair.as_ref().and_then(|repair| repair.picture.as_ref());
        group.evidence.picture.iter().chain(after).map(|picture| picture.name.clone())
    });
    let plain = |name: &String| name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.'));
    let pictures = names.filter(plain).filter_map(|name| Some((name.clone(), std::fs::read(folder.join(name)).ok()?)));
    let pictures = pictures.collect();
    Ok((document, pictures))
}

/// Takes over what a former run decided; a line that was cut off when it was killed decides nothing.
fn take_over(
    workspace: &Workspace,
    former: &str,
    folder: &Run,
    document: &mut Document,
) -> Result<Vec<Decision>, Error> {
    let path = workspace.run_folder(former).map(|folder| folder.join(DECISIONS));
    let text = path.and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
    let mut decided = Vec::new();
    for line in text.lines() {
        let Ok(decision) = serde_json::from_str::<Decision>(line) else { continue };
        folder.append(DECISIONS, line)?;
        if let Some(group) = document.groups.iter_mut().find(|group| group.is(&decision.group)) {
            group.outcome.clone_from(&decision.outcome);
            group.repair.clone_from(&decision.repair);
        }
        decided.push(decision);
    }
    Ok(decided)
}

/// One task for each group that may be healed and is not decided, in the order of the document.
fn tasks(
    document: &Document,
    wanted: &[String],
    decided: &[Decision],
    root: &Utf8Path,
    (passthrough, reported): (&[String], &BTreeMap<String, Reported>),
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
            request: Request {
                places: vec![TestPlace { files: Files::Exact(root.join(&test.file)), line: Some(test.line) }],
                grep: Some(grep_titles(&test.titles)),
                projects: Some(test.project.clone()).filter(|name| !name.is_empty()).into_iter().collect(),
                passthrough: passthrough.to_vec(),
                ..Request::default()
            },
            // With arguments of the caller's own the reported run was another one.
            reported: reported.get(&group.id).filter(|_| passthrough.is_empty()).cloned(),
        })
    };
    document.groups.iter().filter(is_wanted).filter_map(task).collect()
}

/// Keeps every decision as it comes.
struct Keeper<'a> {
    document: &'a mut Document,
    pictures: &'a mut Pictures,
    folder: &'a Run,
    root: &'a Utf8Path,
    clean: Clean,
    /// Traces whose secrets are known.
    learned: BTreeSet<Utf8PathBuf>,
    steps: Steps,
    /// How many starts of Playwright the groups before this one had.
    starts: usize,
}

impl Keeper<'_> {
    /// All groups are decided: what was learned to be secret on the way.
    fn end(self) -> Clean {
        self.clean
    }
}

impl Watch for Keeper<'_> {
    fn begins(&mut self, task: &Task) {
        let group = self.document.groups.iter().find(|group| group.id == task.group);
        let what = group.map(|group| format!("{} ({})", group.headline, group.extent())).unwrap_or_default();
        self.steps.begin(&printable(&what));
    }

    fn event(&mut self, event: &Event) {
        match event {
            Event::RunStarted { purpose } => self.steps.at(&printable(purpose)),
            Event::Sending { to, what } => {
                self.steps.line(&format!("this sends to {}: {}", printable(to), printable(what)));
            }
            _ => {}
        }
    }

    fn decided(&mut self, task: &Task, run: &HealRun) -> Result<(), Error> {
        let Some(group) = self.document.groups.iter_mut().find(|group| group.id == task.group) else { return Ok(()) };
        secrets::learn(self.folder.folder(), self.clean.redactor_mut(), &mut self.learned);
        group.repaired(run, &mut self.clean);
        let starts = self.folder.starts();
        let traces: Vec<Utf8PathBuf> =
            starts.iter().skip(self.starts).flat_map(|folder| traces_below(folder)).collect();
        self.starts = starts.len();
        picture_after(group, &traces, self.root, self.pictures);
        if let Some(used) = &run.model {
            self.folder.append(CONVERSATIONS, &json::conversation(&group.id, used))?;
        }
        let decision = Decision {
            group: group.id.clone(),
            run: self.folder.id().to_owned(),
            outcome: group.outcome.clone(),
            repair: group.repair.clone(),
        };
        self.folder.append(DECISIONS, &serde_json::to_string(&decision).unwrap_or_default())?;
        let said = if group.outcome == "healed" { String::new() } else { format!(": {}", run.reason.sentence) };
        self.steps.end(&format!("{}{}", group.outcome, printable(&said)));
        Ok(())
    }
}
