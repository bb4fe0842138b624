//! Repairs of one run at the same time: they go beside each other, and none of them ever sees another one's edit.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use crate::support::{Project, browser_turn, survivors};

/// No web server: pages are files, so that nothing keeps two Playwrights apart.
const CONFIG: &str = "import { defineConfig } from '@playwright/test';
const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
export default defineConfig({
  testDir: './tests',
  timeout: 15_000,
  use: {
    actionTimeout: 1_000,
    launchOptions: { executablePath: process.env.RELOCATOR_CHROMIUM || undefined, args: process.getuid?.() === 0 ? flags : [] },
  },
});
";

const PAGE: &str = "<!doctype html><title>Desk</title><link rel=icon href='data:,'>
<h1>Desk</h1><label>Note <input data-testid=note></label>
<button data-testid=keep-note onclick=\"this.textContent='Kept'\">Keep it</button>
<button data-testid=file-note onclick=\"this.textContent='Filed'\">File it</button>
<button data-testid=send-note onclick=\"this.textContent='Sent'\">Send it</button>
";

/// A page object with a stale locator.
const DESK: &str = "import type { Page } from '@playwright/test';
import { resolve } from 'node:path';

export class Desk {
  constructor(private page: Page) {}
  open = () => this.page.goto(`file://${resolve('app/desk.html')}`);
  send = () => this.page.locator('#send-note');
}
";

/// A test with a stale locator of its own; `rest` is what it does before and after.
fn spec(word: &str, id: &str, rest: (&str, &str)) -> String {
    format!(
        "import {{ expect, test }} from '@playwright/test';\nimport {{ Desk }} from '../pages/desk';\n\n\
         test('a note is {word}', async ({{ page }}) => {{\n  const desk = new Desk(page);\n  await desk.open();\n  {}\
         await page.locator('#{id}').click();\n  await expect(page.getByText('{word}', {{ exact: true }})).toBeVisible();\n{}}});\n",
        rest.0, rest.1
    )
}

/// From when to when the runs of each repair went, by the locator that it mended.
fn spans(document: &Value) -> BTreeMap<String, (Timestamp, Timestamp)> {
    let mut spans: BTreeMap<String, (Timestamp, Timestamp)> = BTreeMap::new();
    for group in document["groups"].as_array().expect("groups") {
        let locator = group["locator"]["text"].as_str().expect("a locator");
        for run in group["repair"]["runs"].as_array().expect("runs") {
            let words = run["command"].as_array().expect("a command").iter().filter_map(Value::as_str);
            let output = words.filter_map(|word| word.strip_prefix("--output=")).next_back().expect("a folder");
            let text = fs::read_to_string(Path::new(output).with_file_name("report.json")).expect("a report");
            let report: Value = serde_json::from_str(&text).expect("a report");
            let begun: Timestamp = report["stats"]["startTime"].as_str().expect("a time").parse().expect("a time");
            let took = report["stats"]["duration"].as_f64().expect("a duration");
            let ended = begun + SignedDuration::from_secs_f64(took / 1000.0);
            let span = spans.entry(locator.to_owned()).or_insert((begun, ended));
            *span = (span.0.min(begun), span.1.max(ended));
        }
    }
    spans
}

/// Both tests use the page object, and neither repair is expected in it: so both begin. Behind its first root cause one of them
/// then has to change the page object, which the other one's runs read.
#[test]
fn repairs_go_on_at_the_same_time_until_one_would_see_the_others_edit_and_is_begun_again_alone() {
    let _turn = browser_turn();
    let project = Project::copy("demo");
    for gone in ["tests/signup.spec.ts", "server.mjs"] {
        fs::remove_file(project.path(gone)).expect("a file of the demo");
    }
    fs::create_dir_all(project.path("pages")).expect("a folder");
    project.write("playwright.config.ts", CONFIG);
    project.write("app/desk.html", PAGE);
    project.write("pages/desk.ts", DESK);
    let send = "  await desk.send().click();\n  await expect(page.getByText('Sent', { exact: true })).toBeVisible();\n";
    project.write("tests/keep.spec.ts", &spec("Kept", "keep-note", ("", send)));
    project.write("tests/file.spec.ts", &spec("Filed", "file-note", ("await page.waitForTimeout(1_000);\n  ", "")));
    project.git_init();

    let ran = project.run(["heal", "--all", "--jobs", "2", "--json"]);
    let document = ran.json();
    let groups = document["groups"].as_array().expect("groups");
    assert_eq!(groups.len(), 2, "{ran}");
    assert!(groups.iter().all(|group| group["outcome"] == "healed"), "{ran}");
    assert_eq!(document["notes"], serde_json::json!([]));
    let changed = project.git(&["diff", "--numstat"]);
    assert_eq!(changed, "1\t1\tpages/desk.ts\n1\t1\ttests/file.spec.ts\n1\t1\ttests/keep.spec.ts\n");
    assert_eq!(project.git(&["status", "--short", "--untracked-files=all"]).lines().count(), 3);
    assert_eq!(survivors(project.folder()), Vec::<String>::new());

    // The run that was given up was beside the other one, those that prove it are not.
    let spans = spans(&document);
    let span = |id: &str| spans[&format!("locator('#{id}')")];
    assert!(span("keep-note").0 >= span("file-note").1, "{spans:#?}");
    let run = project.path(".relocator/runs").join(document["run"].as_str().expect("a run"));
    let starts =
        fs::read_dir(run).expect("the run").flatten().filter(|entry| entry.path().join("report.json").is_file());
    let listed: usize = groups.iter().filter_map(|group| Some(group["repair"]["runs"].as_array()?.len())).sum();
    assert_eq!(starts.count(), listed + 1, "{ran}");
}
