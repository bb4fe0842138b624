//! `relocator heal --from REPORT`, `--all`, `--resume RUN`: every root cause of a red suite. Flags and wiring only.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use clap::Args as ClapArgs;

use super::handover::HandoverArgs;
use super::heal::{self, Common};
use super::outputs::Outputs;
use super::triage::{Source, exit_code};
use crate::adapters::evidence::{Made, seal};
use crate::adapters::fingerprints::traces_below;
use crate::adapters::openai::Modes;
use crate::adapters::playwright::command::{Files, Place as TestPlace, Request, grep_titles};
use crate::adapters::playwright::runner::Playwright;
use crate::adapters::process::{self, Cancel, Command};
use crate::adapters::workspace::{Run, Workspace};
use crate::config::{ModelSettings, Place, current_folder, redactor};
use crate::domain::event::Event;
use crate::domain::triage::Site;
use crate::error::Error;
use crate::exit_code::ExitCode;
use crate::heal::Settings;
use crate::heal::record::HealRun;
use crate::heal::suite::{Bounds, SuiteHealer, Task, Watch};
use crate::report::suite::{Boxed, Clean, Document, Group, PictureName, Repair};
use crate::report::{html, markdown};
use crate::triage::look::after;
use crate::ui::{Steps, Ui, printable};

/// The document of a suite in the folder of its run.
pub(super) const DOCUMENT: &str = "suite.json";

/// What was decided, one group in each line; on disk before the next group is begun.
const DECISIONS: &str = "decisions.jsonl";

/// How long `git` and `node` may take to say who they are.
const WHO: Duration = Duration::from_secs(10);

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
    let (mut document, mut pictures) = document(args, common, &place, ui, cancel).await?;
    let asked = ModelSettings::merge(common.model, &place.settings.model);
    let mut model = asked.open(Modes::of_project(&root)).await?;
    let redactor = redactor(model.as_ref());
    let mut advisor = model.as_mut().map(|model| asked.advisor(model, redactor.clone()));
    let writer = Arc::new(heal::writer(&place, ui).await?);
    let folder = place.workspace.begin_run()?;
    document.run = Some(folder.id().to_owned());
    let former = match &args.resume {
        Some(former) => take_over(&place.workspace, former, &folder, &mut document)?,
        None => Vec::new(),
    };
    let decided: Vec<String> = former.iter().map(|decision| decision.group.clone()).collect();
    let mut runs: Vec<&str> = former.iter().map(|decision| decision.run.as_str()).chain([folder.id()]).collect();
    runs.dedup();
    folder.write(DOCUMENT, document.json().as_bytes())?;
    let playwright = Playwright {
        project: place.project.clone(),
        deadline: place.settings.timeout,
        secrets: asked.hidden_variables(),
        cancel: cancel.clone(),
    };
    let tasks = tasks(&document, args, &decided, &root, common.passthrough);
    let suite = SuiteHealer {
        playwright: &playwright,
        writer: &writer,
        run: &folder,
        settings: common.settings,
        fingerprints: &super::learn::book(common.flags, &root)?,
    };
    let bounds = Bounds {
        groups: args.max_groups.unwrap_or(usize::MAX),
        until: args.suite_timeout.map(|seconds| begun + Duration::from_secs(seconds)),
    };
    let mut keeper = Keeper {
        document: &mut document,
        pictures: &mut pictures,
        folder: &folder,
        root: &root,
        clean: Clean::new(redactor),
        steps: ui.steps(tasks.len()),
        starts: 0,
    };
    let done = Box::pin(suite.heal(&tasks, bounds, advisor.as_mut(), &mut keeper)).await;
    let redactions = keeper.clean.redactions();
    drop(keeper);
    writer.mishaps().iter().for_each(|mishap| ui.warn(&printable(mishap)));
    document.redactions += redactions;
    let left = tasks.len() - done.as_ref().copied().unwrap_or(tasks.len());
    if left > 0 {
        document.notes.push(format!("{left} groups were not begun: --max-groups or --suite-timeout was reached"));
    }
    let handed = match &handover {
        Some(handover) if done.is_ok() => handover.finish(&mut document, &writer, &runs, ui).await,
        _ => Ok(()),
    };
    let made = Made {
        playwright: place.project.playwright.map(|version| version.to_string()),
        node: say("node", &["--version"], &root, cancel).await,
        git_head: say("git", &["rev-parse", "HEAD"], &root, cancel).await,
        settings: settings(common.settings, args),
        resumes: args.resume.clone(),
        redactions: document.redactions,
    };
    write(&folder, &document, &pictures)?;
    seal(&folder, &made)?;
    if done.is_err() {
        ui.progress(&format!("go on with: relocator heal --resume {}", folder.id()));
    }
    done?;
    args.outputs.write(&document, &pictures, common.json, ui)?;
    handed?;
    ui.progress(&format!("evidence: {}", folder.folder()));
    Ok(exit_code(&document))
}

/// The document to begin with, and its pictures.
async fn document(
    args: &SuiteArgs,
    common: &Common<'_>,
    place: &Place,
    ui: &Ui,
    cancel: &Cancel,
) -> Result<(Document, BTreeMap<String, Vec<u8>>), Error> {
    if let Some(former) = &args.resume {
        return read(&place.workspace, Utf8Path::new(former));
    }
    let source = Source { reports: &args.from, run: args.all, passthrough: common.passthrough };
    let suite = source.read(common.flags, ui, cancel).await?;
    let pictures = suite.pictures();
    Ok((suite.document, pictures))
}

/// The document of a former run of this project by its name, or of a folder that holds one; and its pictures.
pub(super) fn read(workspace: &Workspace, run: &Utf8Path) -> Result<(Document, BTreeMap<String, Vec<u8>>), Error> {
    let unknown = || Error::usage(format!("there is no run `{run}` of a suite"));
    let folder = workspace.run_folder(run.as_str()).unwrap_or_else(|| run.to_owned());
    let bytes = std::fs::read(folder.join(DOCUMENT)).map_err(|_| unknown())?;
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
        if let Some(group) = document.groups.iter_mut().find(|group| group.id == decision.group) {
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
    args: &SuiteArgs,
    decided: &[String],
    root: &Utf8Path,
    passthrough: &[String],
) -> Vec<Task> {
    let wanted = |group: &&Group| {
        group.outcome == "candidate"
            && !decided.contains(&group.id)
            && (args.group.is_empty() || args.group.contains(&group.id))
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
        })
    };
    document.groups.iter().filter(wanted).filter_map(task).collect()
}

/// Keeps every decision as it comes.
struct Keeper<'a> {
    document: &'a mut Document,
    pictures: &'a mut BTreeMap<String, Vec<u8>>,
    folder: &'a Run,
    root: &'a Utf8Path,
    clean: Clean,
    steps: Steps,
    /// How many starts of Playwright the groups before this one had.
    starts: usize,
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
        let at = group.at.as_ref().map(|at| Site { file: at.file.clone(), line: at.line, column: None });
        group.repaired(run, &mut self.clean);
        let starts = starts(self.folder);
        let traces: Vec<Utf8PathBuf> =
            starts.iter().skip(self.starts).flat_map(|folder| traces_below(folder)).collect();
        self.starts = starts.len();
        if group.outcome == "healed"
            && let Some(repair) = &mut group.repair
            && let Some(seen) = at.and_then(|at| after(&traces, &at, self.root))
        {
            let end = if seen.picture.media_type == "image/png" { "png" } else { "jpeg" };
            let name = format!("{}-after.{end}", group.id);
            let (left, top, width, height) = seen.element;
            repair.picture =
                Some(PictureName { name: name.clone(), element: Some(Boxed { left, top, width, height }) });
            self.pictures.insert(name, seen.picture.bytes);
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

/// The folders of all starts of Playwright so far, in order.
fn starts(folder: &Run) -> Vec<Utf8PathBuf> {
    let entries = folder.folder().read_dir_utf8().into_iter().flatten().flatten();
    let mut found: Vec<Utf8PathBuf> =
        entries.map(camino::Utf8DirEntry::into_path).filter(|path| path.is_dir()).collect();
    found.sort_by(|a, b| (a.as_str().len(), a).cmp(&(b.as_str().len(), b)));
    found
}

/// Writes the document in all its forms, its pictures and the patch of what was healed.
pub(super) fn write(folder: &Run, document: &Document, pictures: &BTreeMap<String, Vec<u8>>) -> Result<(), Error> {
    for (name, bytes) in pictures {
        folder.write(name, bytes)?;
    }
    folder.write(DOCUMENT, document.json().as_bytes())?;
    folder.write("report.html", html::html(document, pictures)?.as_bytes())?;
    folder.write("report.md", markdown::markdown(document).as_bytes())?;
    folder.write("patch.diff", document.patch().as_bytes())?;
    Ok(())
}

fn settings(settings: Settings, args: &SuiteArgs) -> serde_json::Map<String, serde_json::Value> {
    let all = serde_json::json!({
        "reproduce": settings.reproduce,
        "runs": settings.runs,
        "dependents": settings.dependents,
        "dry_run": settings.dry_run,
        "max_groups": args.max_groups,
        "suite_timeout": args.suite_timeout,
        "groups": args.group,
    });
    all.as_object().cloned().unwrap_or_default()
}

/// The first line that a program says of itself; `None` where it is not there.
async fn say(program: &str, args: &[&str], root: &Utf8Path, cancel: &Cancel) -> Option<String> {
    let args = args.iter().map(|&word| word.to_owned()).collect();
    let finished = process::run(&Command::new(program, args, root, WHO), cancel).await.ok()?;
    let text = finished.stdout.text();
    let line = text.lines().next().unwrap_or_default().trim();
    (finished.exit == process::Exit::Success && !line.is_empty()).then(|| line.to_owned())
}
