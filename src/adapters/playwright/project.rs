//! Finds the Playwright project that a test belongs to, and how Playwright is started there.
//!
//! Reads folders and `package.json` files; starts nothing and evaluates no config.

use std::fmt;

use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;

use super::version::Version;
use crate::error::Error;

/// The names of a Playwright config, in the order in which Playwright looks for them.
const CONFIGS: [&str; 6] = [
    "playwright.config.ts",
    "playwright.config.js",
    "playwright.config.mts",
    "playwright.config.mjs",
    "playwright.config.cts",
    "playwright.config.cjs",
];

/// Lock files and who writes them; the first that exists, in the nearest folder that has any, decides.
const LOCK_FILES: [(&str, Runner); 6] = [
    ("pnpm-lock.yaml", Runner::Pnpm),
    ("yarn.lock", Runner::Yarn),
    ("bun.lock", Runner::Bunx),
    ("bun.lockb", Runner::Bunx),
    ("package-lock.json", Runner::Npx),
    ("npm-shrinkwrap.json", Runner::Npx),
];

/// The packages that bring the test runner.
const PACKAGES: [&str; 2] = ["@playwright/test", "playwright"];

/// A `package.json` larger than this is not read.
const PACKAGE_CAP: u64 = 4 * 1024 * 1024;

/// How Playwright is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize, serde::Serialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Runner {
    /// `npx playwright`
    Npx,
    /// `pnpm exec playwright`
    Pnpm,
    /// `yarn playwright`
    Yarn,
    /// `bunx playwright`
    Bunx,
}

impl Runner {
    /// The program that is started.
    pub fn program(self) -> &'static str {
        match self {
            Self::Npx => "npx",
            Self::Pnpm => "pnpm",
            Self::Yarn => "yarn",
            Self::Bunx => "bunx",
        }
    }

    /// The arguments before Playwright's own. None of them may install anything.
    pub fn prefix(self) -> &'static [&'static str] {
        match self {
            Self::Npx | Self::Bunx => &["--no-install", "playwright"],
            Self::Pnpm => &["exec", "playwright"],
            Self::Yarn => &["playwright"],
        }
    }

    /// The command that installs what the lock file says.
    pub fn install(self) -> &'static str {
        match self {
            Self::Npx => "npm ci",
            Self::Pnpm => "pnpm install --frozen-lockfile",
            Self::Yarn => "yarn install",
            Self::Bunx => "bun install --frozen-lockfile",
        }
    }

    /// The command that adds Playwright to a project.
    pub fn add_playwright(self) -> &'static str {
        match self {
            Self::Npx => "npm install --save-dev @playwright/test",
            Self::Pnpm => "pnpm add --save-dev @playwright/test",
            Self::Yarn => "yarn add --dev @playwright/test",
            Self::Bunx => "bun add --dev @playwright/test",
        }
    }

    /// The command that puts the program itself on the machine.
    pub fn get(self) -> &'static str {
        match self {
            Self::Npx => "install Node.js, which brings npm and npx",
            Self::Pnpm => "npm install --global pnpm, or `--runner npx`",
            Self::Yarn => "npm install --global yarn, or `--runner npx`",
            Self::Bunx => "npm install --global bun, or `--runner npx`",
        }
    }

    /// How a person would type `playwright` with `args`.
    pub fn shown(self, args: &str) -> String {
        match self {
            Self::Npx => format!("npx playwright {args}"),
            Self::Bunx => format!("bunx playwright {args}"),
            Self::Pnpm | Self::Yarn => format!("{} {} {args}", self.program(), self.prefix().join(" ")),
        }
    }
}

impl fmt::Display for Runner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.program())
    }
}

/// A Playwright project on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// The folder of the config, symlinks resolved; Playwright runs here.
    pub root: Utf8PathBuf,
    /// The config file.
    pub config: Utf8PathBuf,
    /// How Playwright is started.
    pub runner: Runner,
    /// The installed version; `None` when the packages are not in folders (Yarn's Plug'n'Play).
    pub playwright: Option<Version>,
}

/// Why there is no project to work in.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ProjectError {
    /// The folder to start from cannot be used.
    #[error("cannot use {path}: {reason}")]
    Unusable {
        /// What was given.
        path: Utf8PathBuf,
        /// Why.
        reason: String,
    },
    /// No config in the folder or above it.
    #[error("no playwright.config.* in {start} or any folder above it")]
    NoConfig {
        /// Where the search began.
        start: Utf8PathBuf,
    },
    /// Nothing is installed.
    #[error("the packages of {root} are not installed (no node_modules in it or above it)")]
    NotInstalled {
        /// The project.
        root: Utf8PathBuf,
        /// What would install them.
        runner: Runner,
    },
    /// Packages are installed, Playwright is not among them.
    #[error("@playwright/test is not installed in {root}")]
    NoPlaywright {
        /// The project.
        root: Utf8PathBuf,
        /// What would install it.
        runner: Runner,
        /// Whether a `package.json` asks for it already.
        listed: bool,
    },
}

impl From<ProjectError> for Error {
    fn from(error: ProjectError) -> Self {
        let message = error.to_string();
        match error {
            ProjectError::Unusable { .. } => Self::usage(message),
            ProjectError::NoConfig { .. } => Self::usage(message)
                .hinted("run it in a Playwright project, or name a test inside one")
                .hinted("`npm init playwright@latest` makes a new project"),
            ProjectError::NotInstalled { root, runner } => {
                Self::blocked(message).hinted(format!("cd {root} && {}", runner.install()))
            }
            ProjectError::NoPlaywright { root, runner, listed } => {
                let command = if listed { runner.install() } else { runner.add_playwright() };
                Self::blocked(message).hinted(format!("cd {root} && {command}"))
            }
        }
    }
}

impl Project {
    /// The project that `start` (a test file, a folder, or a path that does not exist yet) lies in.
    ///
    /// The nearest config at or above it decides the root, the nearest lock file at or above the root the runner,
    /// unless `runner` does.
    pub fn discover(start: &Utf8Path, runner: Option<Runner>) -> Result<Self, ProjectError> {
        let config = config_above(start)?;
        let root = folder_of(&config);
        let runner = runner.or_else(|| runner_of(&root)).unwrap_or(Runner::Npx);
        let playwright = installed(&root, runner)?;
        Ok(Self { root, config, runner, playwright })
    }

    /// The root of that project, for those who need nothing else of it.
    pub fn root_of(start: &Utf8Path) -> Result<Utf8PathBuf, ProjectError> {
        config_above(start).map(|config| folder_of(&config))
    }
}

fn folder_of(config: &Utf8Path) -> Utf8PathBuf {
    config.parent().unwrap_or(Utf8Path::new("/")).to_owned()
}

/// The nearest config at or above `start`, symlinks of its folder resolved.
fn config_above(start: &Utf8Path) -> Result<Utf8PathBuf, ProjectError> {
    // The first folder that exists: the test itself may be a name that only Playwright understands.
    let existing = start.ancestors().find(|path| path.is_dir()).unwrap_or(Utf8Path::new("."));
    let folder = existing
        .canonicalize_utf8()
        .map_err(|error| ProjectError::Unusable { path: start.to_owned(), reason: error.to_string() })?;
    find_config(&folder).ok_or(ProjectError::NoConfig { start: folder })
}

fn find_config(folder: &Utf8Path) -> Option<Utf8PathBuf> {
    let mut candidates = folder.ancestors().flat_map(|folder| CONFIGS.map(|name| folder.join(name)));
    candidates.find(|path| path.is_file())
}

/// Who wrote the nearest lock file; between several in one folder, `packageManager` in `package.json` decides.
fn runner_of(root: &Utf8Path) -> Option<Runner> {
    root.ancestors().find_map(|folder| {
        let declared = read_package(&folder.join("package.json")).and_then(|package| package.declared_runner());
        let by_lock = || LOCK_FILES.iter().find(|(name, _)| folder.join(name).is_file()).map(|(_, runner)| *runner);
        declared.or_else(by_lock)
    })
}

/// The installed version, searched upwards as Node does it.
fn installed(root: &Utf8Path, runner: Runner) -> Result<Option<Version>, ProjectError> {
    let mut any_modules = false;
    for folder in root.ancestors() {
        let modules = folder.join("node_modules");
        any_modules |= modules.is_dir();
        let packages = PACKAGES.iter().map(|name| modules.join(name).join("package.json"));
        if let Some(package) = packages.filter(|path| path.is_file()).find_map(|path| read_package(&path)) {
            return Ok(package.version.as_deref().and_then(|version| version.parse().ok()));
        }
    }
    let plug_and_play = || root.ancestors().any(|folder| folder.join(".pnp.cjs").is_file());
    if runner == Runner::Yarn && plug_and_play() {
        return Ok(None);
    }
    let root = root.to_owned();
    if any_modules {
        let mut above = root.ancestors().filter_map(|folder| read_package(&folder.join("package.json")));
        let listed = above.any(|package| package.lists_playwright());
        Err(ProjectError::NoPlaywright { root, runner, listed })
    } else {
        Err(ProjectError::NotInstalled { root, runner })
    }
}

/// The few fields of a `package.json` that matter here.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Package {
    version: Option<String>,
    #[serde(rename = "packageManager")]
    manager: Option<String>,
    dependencies: serde_json::Map<String, serde_json::Value>,
    dev_dependencies: serde_json::Map<String, serde_json::Value>,
}

impl Package {
    /// Who `"packageManager": "pnpm@9.1.0"` names.
    fn declared_runner(&self) -> Option<Runner> {
        match self.manager.as_deref()?.split('@').next()? {
            "npm" => Some(Runner::Npx),
            "pnpm" => Some(Runner::Pnpm),
            "yarn" => Some(Runner::Yarn),
            "bun" => Some(Runner::Bunx),
            _ => None,
        }
    }

    fn lists_playwright(&self) -> bool {
        PACKAGES.iter().any(|name| self.dependencies.contains_key(*name) || self.dev_dependencies.contains_key(*name))
    }
}

/// Reads a `package.json`; one that cannot be read says nothing.
fn read_package(path: &Utf8Path) -> Option<Package> {
    if std::fs::metadata(path).ok()?.len() > PACKAGE_CAP {
        return None;
    }
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree of files; an entry that ends in `/` is a folder.
    fn tree(files: &[(&str, &str)]) -> (tempfile::TempDir, Utf8PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(folder.path().canonicalize().unwrap()).unwrap();
        for (name, content) in files {
            let path = root.join(name);
            if name.ends_with('/') {
                std::fs::create_dir_all(path).unwrap();
            } else {
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, content).unwrap();
            }
        }
        (folder, root)
    }

    const PLAYWRIGHT: (&str, &str) = ("node_modules/@playwright/test/package.json", r#"{"version":"1.48.2"}"#);
    const CONFIG: (&str, &str) = ("playwright.config.ts", "");

    fn check_runner(files: &[(&str, &str)], expected: Runner) {
        let all: Vec<_> = [CONFIG, PLAYWRIGHT].iter().chain(files).copied().collect();
        let (_guard, root) = tree(&all);
        let project = Project::discover(&root.join("tests/not-there.spec.ts"), None).unwrap();
        assert_eq!((project.runner, project.root), (expected, root), "{files:?}");
    }

    #[test]
    fn the_lock_file_decides_the_runner() {
        check_runner(&[], Runner::Npx);
        check_runner(&[("package-lock.json", "{}")], Runner::Npx);
        check_runner(&[("pnpm-lock.yaml", "")], Runner::Pnpm);
        check_runner(&[("yarn.lock", "")], Runner::Yarn);
        check_runner(&[("bun.lock", "")], Runner::Bunx);
        check_runner(&[("bun.lockb", "")], Runner::Bunx);
        check_runner(
            &[("package-lock.json", ""), ("package.json", r#"{"packageManager":"yarn@4.1.0"}"#)],
            Runner::Yarn,
        );
    }

    #[test]
    fn the_nearest_config_is_the_root_and_lock_file_and_packages_are_found_above_it() {
        let (_guard, root) = tree(&[
            CONFIG,
            PLAYWRIGHT,
            ("pnpm-lock.yaml", ""),
            ("apps/shop/playwright.config.mjs", ""),
            ("apps/shop/e2e/pages/cart.spec.ts", ""),
        ]);
        let project = Project::discover(&root.join("apps/shop/e2e/pages/cart.spec.ts"), None).unwrap();
        assert_eq!(project.root, root.join("apps/shop"));
        assert_eq!(project.config, root.join("apps/shop/playwright.config.mjs"));
        assert_eq!((project.runner, project.playwright), (Runner::Pnpm, "1.48.2".parse().ok()));
        let chosen = Project::discover(&root.join("apps/shop"), Some(Runner::Npx)).unwrap();
        assert_eq!(chosen.runner, Runner::Npx);
    }

    #[test]
    fn what_is_missing_is_named_with_the_command_that_fixes_it() {
        let check = |files: &[(&str, &str)], expected: &str, hint: &str| {
            let (_guard, root) = tree(files);
            let error = Error::from(Project::discover(&root, None).unwrap_err());
            assert!(error.to_string().contains(expected), "{error}");
            assert!(error.hints().iter().any(|text| text.contains(hint)), "{:?}", error.hints());
        };
        check(&[], "no playwright.config.* in", "name a test inside one");
        check(&[CONFIG, ("yarn.lock", "")], "are not installed", "yarn install");
        check(&[CONFIG, ("node_modules/x/", "")], "@playwright/test is not installed", "npm install --save-dev");
        let listed = ("package.json", r#"{"devDependencies":{"@playwright/test":"^1.40.0"}}"#);
        check(&[CONFIG, listed, ("node_modules/x/", "")], "@playwright/test is not installed", "npm ci");
    }

    #[test]
    fn a_plug_and_play_project_has_no_version_but_is_a_project() {
        let (_guard, root) = tree(&[CONFIG, ("yarn.lock", ""), (".pnp.cjs", "")]);
        assert_eq!(Project::discover(&root, None).unwrap().playwright, None);
    }
}
