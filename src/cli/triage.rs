//! `relocator triage`: the failures of a red suite by root cause. Edits nothing, asks no model.

use std::io::Read as _;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use clap::Args as ClapArgs;

use super::outputs::Outputs;
use crate::adapters::evidence::Made;
use crate::adapters::playwright::command::{Artefacts, Request};
use crate::adapters::playwright::merge::{blobs_in, merge};
use crate::adapters::playwright::runner::Playwright;
use crate::adapters::process::Cancel;
use crate::adapters::workspace::{Run, TemporaryFolder};
use crate::config::{Flags, Place, current_folder, redactor};
use crate::domain::triage::Group;
use crate::error::{Error, ErrorKind};
use crate::exit_code::ExitCode;
use crate::heal::Reported;
use crate::report::folder::{Pictures, finish_bare, pictures};
use crate::report::suite::{self, Clean, Document, System};
use crate::triage::blame::blame;
use crate::triage::look::{Looked, Places, look};
use crate::triage::{Cache, Reports, read};
use crate::ui::Ui;

/// How long a whole suite may run, unless told otherwise.
const SUITE: Duration = Duration::from_hours(6);

/// Say which failures of a red suite have one cause, and what each needs: a repair, a person, the environment
#[derive(Debug, ClapArgs)]
pub(super) struct Args {
    /// Playwright's JSON reports, JUnit XML, folders of blob reports of all shards, or `-` for stdin
    #[arg(value_name = "REPORT", required_unless_present_any = ["run", "schema"])]
    reports: Vec<Utf8PathBuf>,
    /// Run the suite first, as the project is configured
    #[arg(long, conflicts_with = "reports")]
    run: bool,
    /// Print a matrix for the jobs of a CI system: the groups to heal, shared out to at most N machines
    #[arg(long, value_name = "N", conflicts_with_all = ["json", "markdown"], help_heading = "Output")]
    matrix: Option<usize>,
    /// Which CI system the matrix is for
    #[arg(long, value_enum, default_value_t, requires = "matrix", help_heading = "Output")]
    matrix_for: System,
    /// Print the JSON Schema of what `--json` prints
    #[arg(long, help_heading = "Output")]
    schema: bool,
    /// Print one JSON document
    #[arg(long, conflicts_with = "markdown", help_heading = "Output")]
    json: bool,
    #[command(flatten)]
    outputs: Outputs,
    #[command(flatten)]
    flags: Flags,
    /// Arguments that go to Playwright unchanged, with --run
    #[arg(last = true, value_name = "PLAYWRIGHT ARGS")]
    passthrough: Vec<String>,
}

/// Runs the command.
pub(super) async fn run(args: &Args, ui: &Ui, cancel: &Cancel) -> Result<ExitCode, Error> {
    if args.schema {
        ui.answer(suite::SCHEMA.trim_end());
        return Ok(ExitCode::Clean);
    }
    let source = Source { reports: &args.reports, run: args.run, passthrough: &args.passthrough, hidden: &[] };
    let suite = source.read(&args.flags, ui, cancel).await?;
    if let Some(machines) = args.matrix {
        ui.answer(&suite.document.matrix(machines, args.matrix_for));
        return Ok(args.outputs.exit_code(&suite.document));
    }
    args.outputs.write(&suite.document, &suite.pictures(), args.json, ui)?;
    Ok(args.outputs.exit_code(&suite.document))
}

/// Where the failures come from.
pub(super) struct Source<'a> {
    /// Reports.
    pub(super) reports: &'a [Utf8PathBuf],
    /// A run of the suite.
    pub(super) run: bool,
    /// Arguments of that run.
    pub(super) passthrough: &'a [String],
    /// Variables that nothing which is started may see.
    pub(super) hidden: &'a [String],
}

/// A red suite, read.
pub(super) struct Suite {
    /// What was seen of each group, by its id.
    pub(super) looked: std::collections::BTreeMap<String, Looked>,
    /// The same as a document.
    pub(super) document: Document,
    /// The failures that a repair may begin with, by their group's id.
    pub(super) reported: std::collections::BTreeMap<String, Reported>,
    /// The titles of the test that stands for a group, by the group's id: as they are, for Playwright to find it by.
    pub(super) titles: std::collections::BTreeMap<String, Vec<String>>,
}

impl Suite {
    /// The pictures that the document names.
    pub(super) fn pictures(&self) -> Pictures {
        pictures(&self.document, &self.looked)
    }
}

impl Source<'_> {
    /// Reads them, and looks at what can be seen of each group.
    pub(super) async fn read(&self, flags: &Flags, ui: &Ui, cancel: &Cancel) -> Result<Suite, Error> {
        let place = self.place(flags);
        let root = place.as_ref().ok().map(|place| place.project.root.clone());
        let project = place.as_ref().ok().map(|place| place.project.clone());
        let secrets = place.as_ref().map_or_else(|_| flags.secrets.clone(), |place| place.settings.secrets.clone());
        let mut files = Files::default();
        if self.run {
            files.run(place?, flags, self, ui, cancel).await?;
        } else {
            let mut place = Some(place);
            for report in self.reports {
                files.add(report, &mut place, self.hidden, cancel).await?;
            }
        }
        let cache = Cache::default();
        let mut reports = Reports::default();
        for file in &files.reports {
            reports.add(read::read(file, &cache)?, root.as_ref());
        }
        let mut triage = reports.finish();
        if triage.totals.tests == 0 && triage.failures.is_empty() {
            return Err(Error::new(ErrorKind::NoTests, "no test is in the report"));
        }
        let places = Places { root: root.clone(), folders: files.folders() };
        let looked = look(&mut triage, &places);
        let mut clean = Clean::new(redactor(None, &secrets));
        let mut document = suite::build(&triage, &looked, root.as_ref().map(|root| root.as_str()), &mut clean);
        if let Some(project) = &project {
            document.since(&blame(&triage, &looked, project, cancel).await, &mut clean);
        }
        if let Some(run) = &files.own {
            finish_bare(run, &redactor(None, &secrets), Made::default())?;
        }
        let reported = root.as_ref().map(|root| {
            let of_group =
                |group: &Group| Some((group.id.clone(), triage.reported(group, looked.get(&group.id)?, root)?));
            triage.groups.iter().filter_map(of_group).collect()
        });
        let titles = triage.groups.iter().filter_map(|group| {
            let test = triage.failures.get(*group.members.first()?)?.test.as_ref()?;
            Some((group.id.clone(), test.titles.clone()))
        });
        Ok(Suite { looked, document, reported: reported.unwrap_or_default(), titles: titles.collect() })
    }

    /// The project: that of the current folder, or of the first report.
    fn place(&self, flags: &Flags) -> Result<Place, Error> {
        let here = current_folder()?;
        Place::find(flags, &here).or_else(|error| match self.reports.first() {
            Some(report) => Place::find(flags, &here.join(report)),
            None => Err(error),
        })
    }
}

/// The files that reports are read from.
#[derive(Default)]
struct Files {
    reports: Vec<Utf8PathBuf>,
    /// Folders that go when everything was read.
    held: Vec<TemporaryFolder>,
    spooled: Vec<tempfile::TempPath>,
    /// Our own run of the suite.
    own: Option<Run>,
}

impl Files {
    async fn add(
        &mut self,
        report: &Utf8Path,
        place: &mut Option<Result<Place, Error>>,
        hidden: &[String],
        cancel: &Cancel,
    ) -> Result<(), Error> {
        if report == "-" {
            return self.stdin();
        }
        super::there([report])?;
        let blobs = if report.is_dir() { blobs_in(report) } else { Vec::new() };
        if blobs.is_empty() {
            if report.is_dir() {
                return Err(Error::usage(format!("no blob report is in `{report}`"))
                    .hinted("a folder of blob reports holds one zip file for each shard"));
            }
            self.reports.push(report.to_owned());
            return Ok(());
        }
        let project = match place.take() {
            Some(Ok(project)) => project,
            Some(Err(error)) => return Err(error),
            None => return Err(Error::internal("the project was lost")),
        };
        let folder = project.workspace.temporary_folder()?;
        let playwright = Playwright {
            project: project.project.clone(),
            deadline: project.settings.timeout,
            secrets: hidden.to_vec(),
            cancel: cancel.clone(),
        };
        let merged = merge(&playwright, &blobs, folder.path()).await?;
        self.reports.push(merged);
        self.held.push(folder);
        *place = Some(Ok(project));
        Ok(())
    }

    fn stdin(&mut self) -> Result<(), Error> {
        let failed = |error: std::io::Error| Error::blocked("cannot read stdin").caused_by(&error);
        let mut file = tempfile::NamedTempFile::new().map_err(failed)?;
        std::io::copy(&mut std::io::stdin().lock().take(u64::MAX), &mut file).map_err(failed)?;
        let path = file.into_temp_path();
        let name = Utf8Path::from_path(&path).map(Utf8Path::to_owned);
        self.reports.push(name.ok_or_else(|| Error::blocked("the name of the temporary folder is not UTF-8"))?);
        self.spooled.push(path);
        Ok(())
    }

    async fn run(
        &mut self,
        place: Place,
        flags: &Flags,
        source: &Source<'_>,
        ui: &Ui,
        cancel: &Cancel,
    ) -> Result<(), Error> {
        // While somebody edits, the tests would run on what he tries.
        let _writer = super::writer(&place.workspace, &place.settings, "relocator triage", ui).await?;
        let run = place.workspace.begin_run()?;
        let artefacts = Artefacts::in_folder(run.next_start());
        let deadline = flags.timeout.map_or(SUITE, Duration::from_secs);
        let playwright =
            Playwright { project: place.project, deadline, secrets: source.hidden.to_vec(), cancel: cancel.clone() };
        let request = Request { as_configured: true, passthrough: source.passthrough.to_vec(), ..Request::default() };
        ui.progress("running the suite…");
        let outcome = playwright.run(&request, &artefacts).await;
        // A suite that did not get as far as its tests is what triage is for; a report says why.
        if !artefacts.report().is_file()
            && let Some(error) = outcome.error(&playwright.project)
        {
            return Err(error);
        }
        self.reports.push(artefacts.report());
        self.own = Some(run);
        Ok(())
    }

    /// Where what the reports name may lie: beside them.
    fn folders(&self) -> Vec<Utf8PathBuf> {
        let folders =
            self.reports.iter().filter_map(|report| Some(report.canonicalize_utf8().ok()?.parent()?.to_owned()));
        folders.collect()
    }
}
