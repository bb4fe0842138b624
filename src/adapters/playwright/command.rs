//! Composes the command that runs Playwright: which tests, where the artefacts go. Pure; runs nothing.
//!
//! Everything is written into a folder of ours: the JSON report, traces, and Playwright's own last-run file. The
//! project's reporters, `test-results` and snapshots stay as they are.

use std::fmt::Write as _;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};

use super::project::Project;
use super::version::Version;
use crate::adapters::process::Command;

/// Variables that would change what a run means or where it writes.
const MEDDLING: [&str; 6] = [
    "PLAYWRIGHT_JSON_OUTPUT_DIR",
    "PLAYWRIGHT_LAST_RUN_OUTPUT_FILE",
    "PLAYWRIGHT_HTML_OPEN",
    "PWDEBUG",
    "PWTEST_WATCH",
    "PWTEST_SHARD_WEIGHTS",
];

/// Which test files to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Files {
    /// This file and no other.
    Exact(Utf8PathBuf),
    /// Playwright's own file filter: a regular expression that is searched in absolute paths.
    Pattern(String),
}

/// Files, perhaps one line of them: what stands before and after the colon in `tests/a.spec.ts:12`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The files.
    pub files: Files,
    /// One-based line of a test or of a describe block around it.
    pub line: Option<u32>,
}

impl Place {
    /// Reads `file`, `file:line` or `file:line:column`, relative to `cwd`.
    ///
    /// What is no file there is taken for a pattern, as Playwright takes it.
    pub fn parse(text: &str, cwd: &Utf8Path) -> Self {
        let number = |text: &str| text.parse::<u32>().ok();
        let (rest, last) = match text.rsplit_once(':') {
            Some((rest, digits)) => (rest, number(digits)),
            None => (text, None),
        };
        let (name, line) = match (last, rest.rsplit_once(':')) {
            (Some(column), Some((name, digits))) => match number(digits) {
                Some(line) => (name, Some(line)),
                None => (rest, Some(column)),
            },
            (Some(line), None) => (rest, Some(line)),
            (None, _) => (text, None),
        };
        let path = cwd.join(name);
        // Resolved, because Playwright compares with the paths it finds under the resolved root.
        let files = match path.canonicalize_utf8() {
            Ok(path) if path.is_file() => Files::Exact(path),
            _ => Files::Pattern(name.to_owned()),
        };
        Self { files, line }
    }

    /// The argument that makes Playwright choose it.
    fn argument(&self) -> String {
        let mut argument = match &self.files {
            Files::Exact(path) => format!("^{}$", literal(path.as_str())),
            Files::Pattern(pattern) => pattern.clone(),
        };
        if let Some(line) = self.line {
            _ = write!(argument, ":{line}");
        }
        argument
    }
}

/// One start of Playwright: which tests, and how often.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Request {
    /// The places; empty means all.
    pub places: Vec<Place>,
    /// `--grep`: a regular expression over project, file and titles.
    pub grep: Option<String>,
    /// `--project`; empty means all.
    pub projects: Vec<String>,
    /// `--repeat-each`, for more than one run in one start.
    pub repeat_each: Option<u32>,
    /// Only list the tests.
    pub list: bool,
    /// Run as the project itself would: its own retries and workers, and traces of what fails only.
    pub as_configured: bool,
    /// The user's own arguments, passed on unchanged.
    pub passthrough: Vec<String>,
}

/// Where one start of Playwright leaves its artefacts; a folder of ours, not shared with another start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artefacts {
    folder: Utf8PathBuf,
}

impl Artefacts {
    /// Artefacts under `folder`, which must be absolute.
    pub fn in_folder(folder: impl Into<Utf8PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// The folder itself.
    pub fn folder(&self) -> &Utf8Path {
        &self.folder
    }

    /// The JSON report.
    pub fn report(&self) -> Utf8PathBuf {
        self.folder.join("report.json")
    }

    /// What Playwright calls its output directory; it empties it when it starts.
    pub fn output(&self) -> Utf8PathBuf {
        self.folder.join("output")
    }
}

/// The command for `request` in `project`, with artefacts in `artefacts` and a `deadline` for the whole of it.
pub fn compose(project: &Project, request: &Request, artefacts: &Artefacts, deadline: Duration) -> Command {
    let mut args: Vec<String> = project.runner.prefix().iter().map(|&text| text.to_owned()).collect();
    args.push("test".to_owned());
    // The user's own arguments come first: Playwright lets the last one win, and ours are what a proof rests on.
    args.extend(request.passthrough.iter().cloned());
    if request.list {
        args.push("--list".to_owned());
    } else {
        // A counter-test fails as it must: a limit of the suite's own would then keep the tests after it from running.
        let bounds: &[&str] = if request.as_configured {
            &["--trace=retain-on-failure"]
        } else {
            &["--trace=on", "--retries=0", "--workers=1", "--max-failures=0"]
        };
        args.extend(bounds.iter().map(|&text| text.to_owned()));
        if project.playwright.is_some_and(|version| version >= Version::UPDATE_SNAPSHOTS_MODE) {
            // Without it a missing snapshot would be written into the project.
            args.push("--update-snapshots=none".to_owned());
        }
    }
    args.push("--reporter=json".to_owned());
    args.push(format!("--output={}", artefacts.output()));
    args.extend(request.projects.iter().map(|name| format!("--project={name}")));
    args.extend(request.grep.iter().map(|pattern| format!("--grep={pattern}")));
    args.extend(request.repeat_each.iter().map(|times| format!("--repeat-each={times}")));
    args.extend(request.places.iter().map(Place::argument));
    Command::new(project.runner.program(), args, project.root.clone(), deadline)
        // The older name is all that 1.30 to 1.43 know, the newer one wins since.
        .env("PLAYWRIGHT_JSON_OUTPUT_NAME", artefacts.report())
        .env("PLAYWRIGHT_JSON_OUTPUT_FILE", artefacts.report())
        .without_env(MEDDLING)
}

/// A `--grep` pattern that matches tests with exactly these titles (describe titles first) and hardly any other.
pub fn grep_titles<S: AsRef<str>>(titles: &[S]) -> String {
    let joined = titles.iter().map(|title| literal(title.as_ref())).collect::<Vec<_>>().join(" ");
    // Playwright puts project and file before the titles and tags behind them.
    format!("(^|\\s){joined}(\\s|$)")
}

/// A regular expression for `text` itself. Character classes rather than backslashes: they mean the same to every
/// shell that a package manager may put in between.
fn literal(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\\' | '[' | ']' | '^' => pattern.extend(['\\', c]),
            // Any character: some of them a shell or an argument cannot hold.
            c if c.is_control() || c == char::REPLACEMENT_CHARACTER => pattern.push_str("[^_]"),
            '.' | '*' | '+' | '?' | '(' | ')' | '{' | '}' | '|' | '$' => pattern.extend(['[', c, ']']),
            _ => pattern.push(c),
        }
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapters::playwright::project::Runner;

    fn project(runner: Runner, version: &str) -> Project {
        let root = Utf8PathBuf::from("/p");
        Project { config: root.join("playwright.config.ts"), root, runner, playwright: version.parse().ok() }
    }

    fn line_of(runner: Runner, version: &str, request: &Request) -> String {
        let artefacts = Artefacts::in_folder("/p/.relocator/runs/1/start-1");
        compose(&project(runner, version), request, &artefacts, Duration::from_secs(1)).argv().join(" ")
    }

    fn exact(path: &str, line: u32) -> Place {
        Place { files: Files::Exact(path.into()), line: Some(line) }
    }

    #[test]
    fn one_test_is_run_with_a_trace_once_and_into_our_folder() {
        let request = Request {
            places: vec![exact("/p/tests/a+b.spec.ts", 12)],
            projects: vec!["chromium".into()],
            passthrough: vec!["--headed".into()],
            ..Request::default()
        };
        assert_eq!(
            line_of(Runner::Npx, "1.65.1", &request),
            "npx --no-install playwright test --headed --trace=on --retries=0 --workers=1 --max-failures=0 --update-snapshots=none \
             --reporter=json --output=/p/.relocator/runs/1/start-1/output --project=chromium \
             ^/p/tests/a[+]b[.]spec[.]ts$:12"
        );
        assert!(!line_of(Runner::Pnpm, "1.49.0", &request).contains("--update-snapshots"));
    }

    #[test]
    fn a_whole_suite_keeps_its_own_retries_and_workers() {
        let request = Request { as_configured: true, ..Request::default() };
        let line = line_of(Runner::Npx, "1.65.1", &request);
        assert!(line.contains(" --trace=retain-on-failure --update-snapshots=none "), "{line}");
        assert!(!line.contains("--retries") && !line.contains("--workers"), "{line}");
    }

    #[test]
    fn every_runner_starts_the_installed_playwright() {
        let listed = Request { list: true, ..Request::default() };
        for (runner, start) in [
            (Runner::Npx, "npx --no-install playwright test --list"),
            (Runner::Pnpm, "pnpm exec playwright test --list"),
            (Runner::Yarn, "yarn playwright test --list"),
            (Runner::Bunx, "bunx --no-install playwright test --list"),
        ] {
            assert!(line_of(runner, "1.65.1", &listed).starts_with(start));
        }
    }

    #[test]
    fn the_report_goes_to_our_file_whatever_the_version_reads() {
        let artefacts = Artefacts::in_folder("/r");
        let command = compose(&project(Runner::Npx, "1.30.0"), &Request::default(), &artefacts, Duration::ZERO);
        let names: Vec<_> = command.env_set().iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(
            names,
            [("PLAYWRIGHT_JSON_OUTPUT_NAME", "/r/report.json"), ("PLAYWRIGHT_JSON_OUTPUT_FILE", "/r/report.json")]
        );
    }

    #[test]
    fn a_place_is_read_as_playwright_reads_it() {
        let folder = tempfile::tempdir().unwrap();
        let cwd = Utf8PathBuf::from_path_buf(folder.path().canonicalize().unwrap()).unwrap();
        std::fs::write(cwd.join("a.spec.ts"), "").unwrap();
        let file = || Files::Exact(cwd.join("a.spec.ts"));
        let pattern = |text: &str| Files::Pattern(text.to_owned());
        for (text, files, line) in [
            ("a.spec.ts", file(), None),
            ("a.spec.ts:7", file(), Some(7)),
            ("a.spec.ts:7:3", file(), Some(7)),
            ("./a.spec.ts:7", file(), Some(7)),
            ("login", pattern("login"), None),
            ("login:x", pattern("login:x"), None),
            ("b.spec.ts:9", pattern("b.spec.ts"), Some(9)),
        ] {
            assert_eq!(Place::parse(text, &cwd), Place { files, line }, "{text}");
        }
    }

    #[test]
    fn a_literal_matches_itself_and_nothing_else() {
        assert_eq!(literal("a\u{1b}[1m\n"), "a[^_]\\[1m[^_]");
        let texts = ["a.b", "aab", "a[1] (x) {2} ^y$ *?+|\\", "a1 x 2 y", "Grüße/ü.spec.ts", "[]", "a|b", "a"];
        for text in texts {
            let pattern = regex::Regex::new(&format!("^{}$", literal(text))).unwrap();
            let matched: Vec<_> = texts.into_iter().filter(|other| pattern.is_match(other)).collect();
            assert_eq!(matched, [text]);
        }
    }
}
