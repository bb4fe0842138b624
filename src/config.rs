//! Settings: flags over `RELOCATOR_*` over `relocator.toml` over defaults, merged once.
//!
//! A new key is a field of [`Flags`], of `File` and of [`Settings`], and one line of `Settings::merge`.

mod model;

use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;

use crate::adapters::fingerprints;
use crate::adapters::playwright::project::{Project, Runner};
use crate::adapters::workspace::{Patience, Workspace};
use crate::error::Error;
use crate::heal::Engine;
use model::ModelTable;
pub use model::{KEY, ModelFlags, ModelSettings, ProjectModel, redactor};

/// The settings file, beside `playwright.config.*`.
const FILE: &str = "relocator.toml";

/// How long one start of Playwright may take, unless told otherwise, in seconds: the web server of a large project may
/// take a minute to come up, and a test as long again.
const TIMEOUT_SECONDS: u64 = 300;

/// The flags that every command which runs Playwright has; each is also an environment variable.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Flags {
    /// Settings file [default: relocator.toml beside playwright.config.*]
    #[arg(long, value_name = "FILE", env = "RELOCATOR_CONFIG", help_heading = "Project")]
    pub config: Option<Utf8PathBuf>,
    /// How Playwright is started [default: by the lock file]
    #[arg(long, value_enum, env = "RELOCATOR_RUNNER", help_heading = "Project")]
    pub runner: Option<Runner>,
    /// How long one start of Playwright may take [default: 300]
    #[arg(long, value_name = "SECONDS", env = "RELOCATOR_TIMEOUT", help_heading = "Project",
          value_parser = clap::value_parser!(u64).range(1..))]
    pub timeout: Option<u64>,
    /// How long to wait for another relocator in the same project [default: 0]
    #[arg(long, value_name = "SECONDS", env = "RELOCATOR_WAIT", help_heading = "Project")]
    pub wait: Option<u64>,
    /// A name whose value is secret: a variable, header, field or parameter; may be given several times
    #[arg(
        long = "secret",
        value_name = "NAME",
        env = "RELOCATOR_SECRETS",
        value_delimiter = ',',
        help_heading = "Project"
    )]
    pub secrets: Vec<String>,
    /// Book of fingerprints [default: .relocator/fingerprints.json]
    #[arg(long, value_name = "FILE", env = "RELOCATOR_FINGERPRINTS", help_heading = "Project")]
    pub fingerprints: Option<Utf8PathBuf>,
}

impl Flags {
    /// Where the book of fingerprints is.
    pub fn fingerprints(&self, root: &Utf8Path) -> Utf8PathBuf {
        self.fingerprints.clone().unwrap_or_else(|| root.join(fingerprints::FILE))
    }
}

/// What may stand in the settings file; the keys are the names of the flags.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    runner: Option<Runner>,
    timeout: Option<std::num::NonZeroU64>,
    wait: Option<u64>,
    #[serde(default)]
    secrets: Vec<String>,
    engine: Option<Engine>,
    #[serde(default)]
    model: ModelTable,
}

/// The settings of this run.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// How Playwright is started; `None` leaves it to the lock file.
    pub runner: Option<Runner>,
    /// How long one start of Playwright may take.
    pub timeout: Duration,
    /// What to do when another relocator works in the project.
    pub patience: Patience,
    /// Names whose values are secret, those of the flags and of the file.
    pub secrets: Vec<String>,
    /// What the project's file says of the model.
    pub model: ProjectModel,
}

impl Settings {
    /// The settings for the project at `root`.
    pub fn load(flags: &Flags, root: &Utf8Path) -> Result<Self, Error> {
        let path = flags.config.clone().unwrap_or_else(|| root.join(FILE));
        let file = match std::fs::read_to_string(&path) {
            Ok(text) => parse(&text).map_err(|error| {
                Error::usage(format!("cannot use the settings in `{path}`"))
                    .caused_by(&error)
                    .hinted("see `relocator help`")
            })?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && flags.config.is_none() => File::default(),
            Err(error) => return Err(Error::usage(format!("cannot read the settings in `{path}`")).caused_by(&error)),
        };
        Ok(Self::merge(flags, &file))
    }

    fn merge(flags: &Flags, file: &File) -> Self {
        let timeout = flags.timeout.or(file.timeout.map(std::num::NonZeroU64::get)).unwrap_or(TIMEOUT_SECONDS);
        let patience = match flags.wait.or(file.wait) {
            None | Some(0) => Patience::None,
            Some(seconds) => Patience::UpTo(Duration::from_secs(seconds)),
        };
        let model = ProjectModel { engine: file.engine, table: file.model.clone() };
        // One list does not take the place of the other: what a project calls secret is secret.
        let secrets = flags.secrets.iter().chain(&file.secrets).cloned().collect();
        Self { runner: flags.runner.or(file.runner), timeout: Duration::from_secs(timeout), patience, secrets, model }
    }
}

fn parse(text: &str) -> Result<File, toml::de::Error> {
    toml::from_str(text)
}

/// What every command that works in a project starts from.
#[derive(Debug, Clone)]
pub struct Place {
    /// The settings.
    pub settings: Settings,
    /// The Playwright project.
    pub project: Project,
    /// Its files.
    pub workspace: Workspace,
}

impl Place {
    /// The project that `start` (a test, a folder) lies in, with its settings.
    pub fn find(flags: &Flags, start: &Utf8Path) -> Result<Self, Error> {
        let (root, settings) = Self::settings(flags, start)?;
        let project = Project::discover(start, settings.runner)?;
        let workspace = Workspace::open(&root)?;
        Ok(Self { settings, project, workspace })
    }

    /// Only the root and the settings: for commands that do not need Playwright.
    pub fn settings(flags: &Flags, start: &Utf8Path) -> Result<(Utf8PathBuf, Settings), Error> {
        let root = Project::root_of(start)?;
        let settings = Settings::load(flags, &root)?;
        Ok((root, settings))
    }
}

/// The folder that relocator was started in.
pub fn current_folder() -> Result<Utf8PathBuf, Error> {
    let folder =
        std::env::current_dir().map_err(|error| Error::usage("cannot tell which folder this is").caused_by(&error))?;
    Utf8PathBuf::from_path_buf(folder)
        .map_err(|folder| Error::usage(format!("the name of this folder is not UTF-8: {}", folder.display())))
}

/// The folder of this user's own settings and tokens: `relocator` in `XDG_CONFIG_HOME`, else in `~/.config`.
pub fn user_folder() -> Result<Utf8PathBuf, Error> {
    let set = |name: &str| std::env::var(name).ok().filter(|path| Utf8Path::new(path).is_absolute());
    let config = set("XDG_CONFIG_HOME").or_else(|| set("HOME").map(|home| format!("{home}/.config")));
    let config = config.ok_or_else(|| Error::usage("neither HOME nor XDG_CONFIG_HOME is a folder"))?;
    Ok(Utf8PathBuf::from(config).join("relocator"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_wins_over_the_file_and_the_file_over_the_default() {
        let file = parse("runner = \"pnpm\"\ntimeout = 60\nsecrets = [\"PIN\"]\n").unwrap();
        let flags = Flags { timeout: Some(7), wait: Some(5), secrets: vec!["A".to_owned()], ..Flags::default() };
        assert_eq!(
            Settings::merge(&flags, &file),
            Settings {
                runner: Some(Runner::Pnpm),
                timeout: Duration::from_secs(7),
                patience: Patience::UpTo(Duration::from_secs(5)),
                secrets: vec!["A".to_owned(), "PIN".to_owned()],
                model: ProjectModel::default(),
            }
        );
        let defaults = Settings::merge(&Flags::default(), &File::default());
        assert_eq!((defaults.runner, defaults.timeout), (None, Duration::from_secs(TIMEOUT_SECONDS)));
        assert_eq!(defaults.patience, Patience::None);
    }

    #[test]
    fn a_key_that_does_not_exist_or_has_a_wrong_value_is_named() {
        for (text, named) in [
            ("retries = 3", "retries"),
            ("timeout = \"soon\"", "timeout"),
            ("runner = \"deno\"", "deno"),
            ("timeout = 0", "timeout"),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let root = Utf8Path::from_path(folder.path()).unwrap();
            std::fs::write(root.join(FILE), text).unwrap();
            let error = Settings::load(&Flags::default(), root).unwrap_err();
            assert!(error.causes().iter().any(|cause| cause.contains(named)), "{text}: {:?}", error.causes());
        }
    }

    #[test]
    fn a_settings_file_that_was_asked_for_must_exist() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        assert!(Settings::load(&Flags::default(), root).is_ok());
        let flags = Flags { config: Some(root.join("other.toml")), ..Flags::default() };
        assert!(Settings::load(&flags, root).is_err());
    }
}
