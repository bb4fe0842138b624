//! The folder of one run: its artefacts, its report, the edits it kept.

use camino::{Utf8Path, Utf8PathBuf};
use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::{Workspace, WorkspaceError, disk, journal};

/// How many runs keep the artefacts of their starts of Playwright: a trace may have megabytes.
const RUNS_KEPT: usize = 20;

/// A longer artefact of a run is not read back: a report with all its evidence is some hundred kilobytes.
const ARTEFACT_CAP: u64 = 16 << 20;

/// How the folder of the artefacts of one start begins.
const START: &str = "start-";

/// One run of relocator in the project.
#[derive(Debug, Clone)]
pub struct Run {
    id: String,
    folder: Utf8PathBuf,
    next: Arc<AtomicU32>,
}

impl Run {
    /// Its name: the time it began, so that names sort by time.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Its folder.
    pub fn folder(&self) -> &Utf8Path {
        &self.folder
    }

    /// A folder for the artefacts of one start of Playwright; a new one each time.
    pub fn next_start(&self) -> Utf8PathBuf {
        self.folder.join(format!("{START}{:02}", self.next.fetch_add(1, Ordering::Relaxed)))
    }

    /// The folders of all starts so far, in their order.
    pub fn starts(&self) -> Vec<Utf8PathBuf> {
        let names = journal::names(&self.folder).unwrap_or_default();
        let mut starts: Vec<Utf8PathBuf> =
            names.iter().filter(|name| name.starts_with(START)).map(|name| self.folder.join(name)).collect();
        starts.sort_by(|a, b| (a.as_str().len(), a).cmp(&(b.as_str().len(), b)));
        starts
    }

    /// Writes (or replaces) a file of the run in one step; `name` has no folder in it.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<Utf8PathBuf, WorkspaceError> {
        let path = self.folder.join(name);
        let unfinished = self.folder.join(format!(".{name}.unfinished"));
        disk::remove(&unfinished)
            .and_then(|()| disk::write_new(&unfinished, &[bytes], None))
            .and_then(|()| disk::rename(&unfinished, &path))
            .map_err(WorkspaceError::io("write", &path))?;
        Ok(path)
    }
}

impl Run {
    /// Adds a line to a file of the run, and waits until the disk has it; `name` has no folder in it.
    pub fn append(&self, name: &str, line: &str) -> Result<(), WorkspaceError> {
        let path = self.folder.join(name);
        let write = || {
            let mut file = std::fs::OpenOptions::new().create(true).append(true).open(&path)?;
            file.write_all(format!("{line}\n").as_bytes())?;
            file.sync_all()
        };
        write().map_err(WorkspaceError::io("write", &path))
    }
}

/// A folder that is removed when this is dropped.
#[derive(Debug)]
pub struct TemporaryFolder {
    folder: tempfile::TempDir,
    path: Utf8PathBuf,
}

impl TemporaryFolder {
    /// Where it is.
    pub fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// Removes it now, and says what kept it from going.
    pub fn remove(self) -> std::io::Result<()> {
        self.folder.close()
    }
}

impl Workspace {
    /// Makes a folder for things that nobody needs later, inside the project so that its packages are found from there.
    pub fn temporary_folder(&self) -> Result<TemporaryFolder, WorkspaceError> {
        let state = self.state();
        self.make(&state)?;
        let failed = |source| WorkspaceError::Io { doing: "create a folder in", path: state.clone(), source };
        let folder = tempfile::Builder::new().prefix("temporary-").tempdir_in(&state).map_err(failed)?;
        let path = Utf8PathBuf::from_path_buf(folder.path().to_owned())
            .map_err(|_| failed(std::io::ErrorKind::InvalidFilename.into()))?;
        Ok(TemporaryFolder { folder, path })
    }

    /// How many edits are in the journal: in flight, or left behind by a process that was killed.
    pub fn in_flight(&self) -> Result<usize, WorkspaceError> {
        let names = journal::names(&self.journal())?;
        let suffixes = [journal::Purpose::InFlight, journal::Purpose::Undo].map(journal::Purpose::suffix);
        let is_entry = |name: &&String| Utf8Path::new(name).extension().is_some_and(|end| suffixes.contains(&end));
        Ok(names.iter().filter(is_entry).count())
    }

    /// Makes the folder of a new run.
    pub fn begin_run(&self) -> Result<Run, WorkspaceError> {
        let runs = self.runs();
        self.make(&runs)?;
        let time = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%S.%3fZ").to_string();
        // Two processes may begin in one millisecond.
        for suffix in 1..100 {
            let id = if suffix == 1 { time.clone() } else { format!("{time}-{suffix:02}") };
            let folder = runs.join(&id);
            match std::fs::create_dir(&folder) {
                Ok(()) => return Ok(Run { id, folder, next: Arc::new(AtomicU32::new(1)) }),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(WorkspaceError::io("create", &folder)(error)),
            }
        }
        Err(WorkspaceError::io("create", &runs)(std::io::ErrorKind::AlreadyExists.into()))
    }

    /// Removes the artefacts of all runs but the latest [`RUNS_KEPT`]; what `undo` needs stays.
    ///
    /// Best effort: what cannot be removed now is removed another time.
    pub(super) fn prune(&self) -> Result<(), WorkspaceError> {
        let runs = self.runs_so_far()?;
        for run in runs.iter().take(runs.len().saturating_sub(RUNS_KEPT)) {
            let folder = self.runs().join(run);
            for name in journal::names(&folder)? {
                if name.starts_with(START) {
                    drop(std::fs::remove_dir_all(folder.join(name)));
                }
            }
        }
        Ok(())
    }

    /// The runs whose folder has no file `name`, oldest first: those that did not come to their end.
    pub fn runs_without(&self, name: &str) -> Result<Vec<Run>, WorkspaceError> {
        let runs = self.runs_so_far()?.into_iter().map(|id| {
            let folder = self.runs().join(&id);
            Run { id, folder, next: Arc::new(AtomicU32::new(1)) }
        });
        Ok(runs.filter(|run| !run.folder.join(name).exists()).collect())
    }

    /// The folder of a run; `None` where there is no run of that name.
    pub fn run_folder(&self, run: &str) -> Option<Utf8PathBuf> {
        let known = self.runs_so_far().ok()?.iter().any(|name| name == run);
        known.then(|| self.runs().join(run))
    }

    /// The names of all runs, oldest first.
    pub fn runs_so_far(&self) -> Result<Vec<String>, WorkspaceError> {
        journal::names(&self.runs())
    }

    /// What the run `run` left under `name` in its folder; `None` where there is no such file, or it is not its own.
    pub fn artefact(&self, run: &str, name: &str) -> Option<Vec<u8>> {
        let folder = self.runs().join(run);
        let path = folder.join(name).canonicalize_utf8().ok()?;
        let own = self.root.join(super::STATE).join("runs").join(run);
        (path.parent() == Some(own.as_path())).then_some(())?;
        disk::read(&path, ARTEFACT_CAP).ok()
    }

    /// Where the kept edits of a run are: beside its folder, as they hold sources as they were, whatever stands in those.
    pub(super) fn edits_of(&self, run: &str) -> Utf8PathBuf {
        self.state().join("undo").join(run)
    }
}
