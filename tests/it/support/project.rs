//! A fixture project in a folder of its own.

use std::ffi::OsStr;
use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use std::{env, fs};

use serde::Deserialize;
use tempfile::TempDir;

use super::browser::{chromium, playwright_browsers};
use super::{Change, Ran, Tree, repository};

/// No run of a fixture takes near as long; past it something hangs.
const HANGS: Duration = Duration::from_mins(3);

/// Files of a fixture that are about it, not of it.
const NOTES: [&str; 2] = ["expected.json", "app-change.patch"];

/// What a fixture is about and what must come of it: its `expected.json`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Expected {
    /// The failing test, `file:line` from the root of the copy.
    pub(crate) test: String,
    /// The fixture in one line.
    pub(crate) note: String,
    /// What Playwright's own report says while the fixture is red.
    pub(crate) red: String,
    /// The outcome of `relocator heal`.
    pub(crate) outcome: String,
    /// Its reason, where the outcome has one.
    pub(crate) reason: Option<String>,
    /// The file that a right repair changes.
    pub(crate) file: Option<String>,
    /// The line that a right repair changes.
    pub(crate) line_before: Option<String>,
    /// That line after a right repair.
    pub(crate) line_after: Option<String>,
    /// The root causes behind the first one, in the order they are met.
    #[serde(default)]
    pub(crate) behind: Vec<Behind>,
}

/// A root cause behind another one.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Behind {
    /// Its outcome.
    pub(crate) outcome: String,
    /// The file that its right repair changes.
    pub(crate) file: Option<String>,
    /// The line that its right repair changes.
    pub(crate) line_before: Option<String>,
    /// That line after its right repair.
    pub(crate) line_after: Option<String>,
}

impl Expected {
    /// The lines that right repairs change, where such exist, in the order they are met.
    pub(crate) fn repairs(&self) -> Vec<Change> {
        let one = |file: &Option<String>, before: &Option<String>, after: &Option<String>| {
            Some(Change { file: file.clone()?, before: before.clone()?, after: after.clone()? })
        };
        let first = one(&self.file, &self.line_before, &self.line_after);
        let behind = self.behind.iter().filter_map(|behind| one(&behind.file, &behind.line_before, &behind.line_after));
        first.into_iter().chain(behind).collect()
    }
}

/// A copy of a fixture project, with packages, a port, and a home folder of its own.
#[derive(Debug)]
pub(crate) struct Project {
    temp: TempDir,
    port: u16,
    /// What must come of it.
    pub(crate) expected: Expected,
}

impl Project {
    /// The names of all fixture projects, sorted.
    pub(crate) fn names() -> Vec<String> {
        let entries = fs::read_dir(fixtures()).expect("fixtures/projects").map(|entry| entry.expect("an entry").path());
        let projects = entries.filter(|path| path.join("expected.json").is_file());
        let mut names: Vec<_> =
            projects.filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned())).collect();
        names.sort();
        names
    }

    /// Copies the fixture `name` into a fresh folder and links the shared packages into it.
    pub(crate) fn copy(name: &str) -> Self {
        let source = fixtures().join(name);
        let text = fs::read(source.join("expected.json")).unwrap_or_else(|error| panic!("fixture {name}: {error}"));
        let expected = serde_json::from_slice(&text).unwrap_or_else(|error| panic!("fixture {name}: {error}"));
        let temp = TempDir::with_prefix("relocator-it-").expect("a temporary folder");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("its address").port();
        let project = Self { temp, port, expected };
        copy_folder(&source, &project.root());
        for note in NOTES {
            drop(fs::remove_file(project.root().join(note)));
        }
        let packages = fixtures().join("node_modules");
        assert!(
            packages.is_dir(),
            "no packages: `npm ci --ignore-scripts` in fixtures/projects, or `bash tests/run.sh`"
        );
        symlink(packages, project.root().join("node_modules")).expect("a link to the packages");
        for folder in ["home", "tmp"] {
            fs::create_dir(project.temp.path().join(folder)).expect("a folder of the copy");
        }
        project
    }

    /// The folder that holds the copy, its home and its temporary files.
    pub(crate) fn folder(&self) -> &Path {
        self.temp.path()
    }

    /// The root of the copy.
    pub(crate) fn root(&self) -> PathBuf {
        self.temp.path().join("project")
    }

    /// The path of `file` in the copy.
    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.root().join(file)
    }

    /// The text of `file` in the copy.
    pub(crate) fn read(&self, file: &str) -> String {
        fs::read_to_string(self.path(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    }

    /// Writes `text` into `file` of the copy.
    pub(crate) fn write(&self, file: &str, text: &str) {
        fs::write(self.path(file), text).unwrap_or_else(|error| panic!("{file}: {error}"));
    }

    /// All files of the copy as they are now.
    pub(crate) fn tree(&self) -> Tree {
        Tree::of(&self.root())
    }

    /// Runs git in the copy and returns what it printed.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]).args(arguments);
        self.prepare(&mut command);
        let ran = finish(command);
        assert_eq!(ran.code, Some(0), "git {arguments:?}: {ran}");
        ran.stdout
    }

    /// Makes the copy a git repository with everything committed.
    pub(crate) fn git_init(&self) {
        self.write(".gitignore", "node_modules\n");
        self.git(&["init", "--quiet"]);
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", "the project"]);
    }

    /// `relocator` with `arguments`, to be started in the root of the copy.
    pub(crate) fn relocator<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_relocator"));
        command.args(arguments);
        self.prepare(&mut command);
        command
    }

    /// Runs `relocator` with `arguments` in the root of the copy.
    pub(crate) fn run<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Ran {
        self.run_in("", arguments)
    }

    /// Runs `relocator` with `arguments` in `folder` of the copy.
    pub(crate) fn run_in<A: AsRef<OsStr>>(&self, folder: &str, arguments: impl IntoIterator<Item = A>) -> Ran {
        let mut command = self.relocator(arguments);
        command.current_dir(self.path(folder));
        finish(command)
    }

    /// Runs Playwright itself on the fixture's test, as a person would, reporting to stdout.
    pub(crate) fn playwright(&self) -> Ran {
        let file = Path::new(&self.expected.test);
        let config = |folder: &&Path| {
            ["playwright.config.ts", "playwright.config.js"]
                .iter()
                .any(|name| self.root().join(folder).join(name).is_file())
        };
        let root = file.ancestors().skip(1).find(config).expect("a configuration above the test");
        let test = file.strip_prefix(root).expect("a test below its project");
        let mut command = Command::new(self.root().join("node_modules/.bin/playwright"));
        // Playwright takes it for a regular expression.
        let test = regex::escape(test.to_str().expect("UTF-8"));
        command.arg("test").arg(test).args(["--reporter=line", "--retries=0", "--workers=1"]);
        self.prepare(&mut command);
        command.arg("--output").arg(self.temp.path().join("tmp/results")).current_dir(self.root().join(root));
        finish(command)
    }

    fn prepare(&self, command: &mut Command) {
        command.current_dir(self.root()).env_clear();
        command.env("PATH", env::var_os("PATH").unwrap_or_default()).env("PORT", self.port.to_string());
        command.env("HOME", self.temp.path().join("home")).env("TMPDIR", self.temp.path().join("tmp"));
        command.env("NO_COLOR", "1").env("LANG", "C.UTF-8");
        if let Some(browser) = chromium() {
            command.env("RELOCATOR_CHROMIUM", browser);
        }
        if let Some(browsers) = playwright_browsers() {
            command.env("PLAYWRIGHT_BROWSERS_PATH", browsers);
        }
    }
}

fn finish(command: Command) -> Ran {
    let program = command.get_program().to_owned();
    let output = assert_cmd::Command::from_std(command).timeout(HANGS).output();
    output.map_or_else(|error| panic!("{}: {error}", program.display()), Ran::from)
}

fn fixtures() -> PathBuf {
    repository().join("fixtures/projects")
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder for the copy");
    for entry in fs::read_dir(from).expect("a folder of the fixture").map(|entry| entry.expect("an entry")) {
        let target = to.join(entry.file_name());
        if entry.file_name() == "node_modules" {
            continue;
        }
        if entry.file_type().expect("a file type").is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a copied file");
        }
    }
}
