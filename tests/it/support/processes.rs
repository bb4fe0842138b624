//! Finds processes that outlived the run that started them.

use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long a process may take to be gone after its run ended: the kernel reaps at its own pace.
const GRACE: Duration = Duration::from_secs(3);

/// The processes that belong to the copy in `folder` and are still alive after a grace period, as `pid: command line`.
///
/// A process belongs to it when its environment, its command line or its working folder names the folder. Every process of a
/// run has at least one of them: the environment holds `TMPDIR`, Chromium overwrites its own but has a profile below it.
pub(crate) fn survivors(folder: &Path) -> Vec<String> {
    let deadline = Instant::now() + GRACE;
    loop {
        let alive = belonging_to(folder);
        if alive.is_empty() || Instant::now() > deadline {
            return alive;
        }
        sleep(Duration::from_millis(50));
    }
}

/// The processes that belong to the copy in `folder` right now.
pub(crate) fn belonging_to(folder: &Path) -> Vec<String> {
    let needle = folder.as_os_str().as_encoded_bytes();
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries
        .filter_map(Result::ok)
        .filter(|entry| entry.file_name().to_string_lossy().bytes().all(|byte| byte.is_ascii_digit()))
        .filter_map(|entry| {
            let process = entry.path();
            let command_line = fs::read(process.join("cmdline")).unwrap_or_default();
            let environment = fs::read(process.join("environ")).unwrap_or_default();
            let inside = fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd.starts_with(folder));
            // A zombie has neither: it is dead and only waits to be counted.
            let belongs = inside || contains(&command_line, needle) || contains(&environment, needle);
            belongs.then(|| {
                let text = String::from_utf8_lossy(&command_line).replace('\0', " ");
                format!("{}: {}", entry.file_name().to_string_lossy(), text.trim())
            })
        })
        .collect()
}

fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    haystack.windows(needle.len()).any(|window| window == needle)
}
