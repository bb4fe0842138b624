//! How fast, and with how much memory, a large report is read into groups: 10,000 failures in 300 MB, made here.
//!
//! The report has the shape of Playwright's own: each failure with message, stack and code frame three times over, a long call
//! log, what the test printed, and a picture inside.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark prints its figures, and ends where it cannot measure"
)]

use std::fs::File;
use std::io::{BufWriter, Write as _};

use camino::{Utf8Path, Utf8PathBuf};
use relocator::report::suite::{Clean, build};
use relocator::triage::look::{Places, look};
use relocator::triage::{Cache, Reports, read};
use serde_json::json;

const FAILURES: usize = 10_000;
const FILES: usize = 400;
/// How many bytes of pictures and printed text each failure has, so that the whole is about 300 MB.
const PADDING: usize = 26 * 1024;

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = Utf8PathBuf::from_path_buf(folder.path().join("report.json")).expect("a UTF-8 name");
    write(&path).expect("the report, written");
    let megabytes = path.metadata().expect("its size").len() / 1_000_000;
    for round in 1..=3 {
        let start = std::time::Instant::now();
        let mut reports = Reports::default();
        reports.add(read::read(&path, &Cache::default()).expect("the report, read"), None);
        let mut triage = reports.finish();
        let looked = look(&mut triage, &Places::default());
        let document = build(&triage, &looked, None, &mut Clean::default());
        let seconds = start.elapsed().as_secs_f64();
        assert_eq!(triage.totals.failed, FAILURES);
        println!(
            "round {round}: {megabytes} MB, {FAILURES} failures, {} groups in {seconds:.2} s; peak memory {} MB",
            document.groups.len(),
            peak().map_or_else(|| "unknown".to_owned(), |kilobytes| (kilobytes / 1024).to_string())
        );
    }
}

/// The most memory that this process has had, in KiB.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.trim().parse().ok())
}

fn write(path: &Utf8Path) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    let config = json!({ "configFile": "/repo/playwright.config.ts", "rootDir": "/repo/tests", "version": "1.65.1" });
    write!(out, "{{\n  \"config\": {config},\n  \"suites\": [")?;
    for file in 0..FILES {
        let name = format!("area-{}/page-{file}.spec.ts", file % 20);
        let comma = if file == 0 { "" } else { "," };
        write!(out, "{comma}{{\"title\":\"{name}\",\"file\":\"{name}\",\"column\":0,\"line\":0,\"specs\":[")?;
        for (place, number) in (file..FAILURES).step_by(FILES).enumerate() {
            let comma = if place == 0 { "" } else { "," };
            let spec = serde_json::to_string_pretty(&spec(&name, number))?;
            write!(out, "{comma}{spec}")?;
        }
        write!(out, "]}}")?;
    }
    writeln!(out, "],\n  \"errors\": []\n}}")?;
    out.flush()
}

fn spec(file: &str, number: usize) -> serde_json::Value {
    let message = message(number);
    let site = json!({ "file": format!("/repo/pages/page-{}.ts", number % 60), "line": 10 + number % 7, "column": 40 });
    let stack = format!(
        "{message}\n    at Page.act (/repo/pages/page-{}.ts:{}:40)\n    at /repo/tests/{file}:{}:9",
        number % 60,
        10 + number % 7,
        number % 500
    );
    let snippet = "  10 |\n> 11 |     await this.page.locator('.save').click();\n     |                ^\n".repeat(4);
    let whole = format!("{message}\n\n{snippet}\n{stack}");
    let picture: String = "iVBORw0KGgoAAAANSUhEUgAA".chars().cycle().skip(number % 7).take(PADDING / 2).collect();
    let printed = format!("{number} GET /api/items 200 in 12 ms\n").repeat(PADDING / 2 / 35);
    json!({
        "title": format!("does thing {number}"), "ok": false, "tags": [], "id": format!("{number:x}"),
        "tests": [{ "timeout": 30000, "annotations": [], "expectedStatus": "passed", "projectId": "chromium",
            "projectName": "chromium", "status": "unexpected", "results": [{
                "workerIndex": 0, "parallelIndex": 0, "status": "failed", "duration": 2500 + number % 1000, "retry": 0,
                "error": { "message": message, "stack": stack, "location": site, "snippet": snippet },
                "errors": [{ "message": whole, "location": site }], "errorLocation": site,
                "stdout": [{ "text": printed }], "stderr": [], "startTime": "2026-11-30T11:43:27.688Z",
                "attachments": [
                    { "name": "screenshot", "contentType": "image/png", "body": picture },
                    { "name": "trace", "contentType": "application/zip", "path": format!("/repo/test-results/{number}/trace.zip") }
                ] }] }],
        "file": file, "line": number % 500, "column": 7
    })
}

/// One of several kinds of failures; those of one kind differ in what they name.
fn message(number: usize) -> String {
    let polls = "    9 × locator resolved to <button disabled class=\"save\">Save</button>\n      - element is not enabled\n    - retrying click action\n";
    match number % 10 {
        0..6 => format!(
            "TimeoutError: locator.click: Timeout 2500ms exceeded.\nCall log:\n  - waiting for locator('.save-{}')\n",
            number % 60
        ),
        6 | 7 => format!(
            "Error: expect(locator).toHaveText(expected) failed\n\nLocator:  getByTestId('total')\nExpected: \"{number}\"\n\
             Received: \"{}\"\nTimeout:  2000ms\n\nCall log:\n  - Expect \"toHaveText\" with timeout 2000ms\n  - waiting for \
             getByTestId('total')\n    5 × locator resolved to <b data-testid=\"total\">4</b>\n      - unexpected value \"4\"\n",
            number + 1
        ),
        8 => "Error: page.goto: net::ERR_CONNECTION_REFUSED at http://localhost:3000/items\nCall log:\n  - navigating to \
              \"http://localhost:3000/items\", waiting until \"load\"\n"
            .to_owned(),
        _ => format!(
            "TimeoutError: locator.click: Timeout 2500ms exceeded.\nCall log:\n  - waiting for locator('.save')\n{}",
            polls.repeat(20)
        ),
    }
}
