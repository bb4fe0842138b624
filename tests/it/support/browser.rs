//! The browser that the fixture projects use, and the turn to use it.

use std::env;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Waits until no other test runs a browser, in this process or another, and holds the turn until it is dropped.
///
/// Two suites at once make the two-second timeouts of the fixtures a matter of luck. Runners that give each test a process
/// of its own are covered because the turn is a lock on a file.
#[must_use]
pub(crate) fn browser_turn() -> File {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser.lock");
    let file = File::create(path).expect("the lock file of the browser tests");
    file.lock().expect("the turn to run a browser");
    file
}

/// The browser to hand to the fixtures in `RELOCATOR_CHROMIUM`; none when Playwright's own is installed.
///
/// # Panics
/// When there is no browser at all.
pub(crate) fn chromium() -> Option<PathBuf> {
    if let Some(given) = env::var_os("RELOCATOR_CHROMIUM").filter(|given| !given.is_empty()) {
        return Some(given.into());
    }
    if playwright_has_its_own() {
        return None;
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path)
        .flat_map(|folder| ["chromium", "chromium-browser", "google-chrome"].map(|name| folder.join(name)))
        .find(|file| file.is_file());
    Some(found.expect("no browser for the tests: `apt-get install chromium`, or set RELOCATOR_CHROMIUM"))
}

/// Where Playwright keeps its browsers, as the person who runs the tests has it.
pub(super) fn playwright_browsers() -> Option<PathBuf> {
    let set = env::var_os("PLAYWRIGHT_BROWSERS_PATH").map(PathBuf::from);
    set.or_else(|| env::var_os("HOME").map(|home| Path::new(&home).join(".cache/ms-playwright")))
}

fn playwright_has_its_own() -> bool {
    let entries = playwright_browsers().and_then(|folder| folder.read_dir().ok());
    entries.is_some_and(|entries| {
        entries.filter_map(Result::ok).any(|entry| entry.file_name().to_string_lossy().starts_with("chromium"))
    })
}
