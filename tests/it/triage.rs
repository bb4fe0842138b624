//! `relocator triage` and `relocator heal --from` as a person or a pipeline starts them.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::evidence::check_manifest;
use crate::support::{Project, Ran, browser_turn, repository, survivors};

fn relocator(folder: &Path, arguments: &[&str]) -> Ran {
    let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_relocator"));
    command.args(arguments).current_dir(folder).env_remove("GITHUB_ACTIONS").env("NO_COLOR", "1");
    Ran::from(command.output().expect("relocator starts"))
}

fn report(version: &str) -> PathBuf {
    repository().join(format!("fixtures/reports/playwright-{version}.json"))
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a UTF-8 path")
}

/// Outcome, category and headline of every group.
fn groups(document: &Value) -> Vec<(String, String, String)> {
    let field = |group: &Value, name: &str| group[name].as_str().unwrap_or_default().to_owned();
    let groups = document["groups"].as_array().expect("groups");
    groups.iter().map(|group| (field(group, "outcome"), field(group, "category"), field(group, "headline"))).collect()
}

#[test]
fn a_report_of_every_version_comes_to_the_same_groups() {
    let folder = tempfile::tempdir().expect("a folder");
    let expected = |version: &str| {
        let ran = relocator(folder.path(), &["triage", text(&report(version)), "--json"]);
        assert_eq!(ran.code, Some(1), "{version}: {ran}");
        let document = ran.json();
        let totals = &document["totals"];
        assert_eq!(
            (&totals["tests"], &totals["failed"], &totals["flaky"], &totals["passed"], &totals["skipped"]),
            (&json!(12), &json!(9), &json!(1), &json!(1), &json!(1)),
            "{version}"
        );
        groups(&document)
    };
    let newest = expected("1.65.1");
    assert_eq!(newest.last().map(|(outcome, ..)| outcome.as_str()), Some("flaky"), "{newest:?}");
    assert!(newest.iter().any(|(outcome, ..)| outcome == "candidate"), "{newest:?}");
    assert!(newest.iter().any(|(outcome, ..)| outcome == "escalated"), "{newest:?}");
    for version in ["1.30.0", "1.48.2"] {
        assert_eq!(expected(version), newest, "{version}");
    }
}

#[test]
fn shards_in_any_order_and_twice_are_one_suite() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut whole: Value = serde_json::from_slice(&fs::read(report("1.65.1")).expect("the report")).expect("JSON");
    let suites = whole["suites"].as_array().expect("suites").clone();
    let mut shards = Vec::new();
    for (number, suite) in suites.into_iter().enumerate() {
        whole["suites"] = json!([suite]);
        let path = folder.path().join(format!("shard-{number}.json"));
        fs::write(&path, serde_json::to_vec(&whole).expect("JSON")).expect("a shard");
        shards.push(path);
    }
    assert!(shards.len() > 1, "the suite has several files");
    let once = report("1.65.1");
    let single = relocator(folder.path(), &["triage", text(&once), "--json"]).json();
    for order in [vec![0, 1], vec![1, 0], vec![1, 0, 1]] {
        let mut arguments = vec!["triage", "--json"];
        arguments.extend(order.iter().map(|&number: &usize| text(&shards[number])));
        let sharded = relocator(folder.path(), &arguments).json();
        assert_eq!((&sharded["groups"], &sharded["totals"]), (&single["groups"], &single["totals"]), "{order:?}");
    }
}

#[test]
fn the_document_fits_its_schema_and_other_forms_say_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["triage", text(&report("1.65.1")).to_owned().leak(), "--junit", "out.xml"];
    let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_relocator"));
    command.args(arguments).current_dir(folder.path()).env("GITHUB_ACTIONS", "true").env("NO_COLOR", "1");
    let table = Ran::from(command.output().expect("relocator starts"));
    let document = relocator(folder.path(), &["triage", text(&report("1.65.1")), "--json"]).json();
    let schema = relocator(folder.path(), &["triage", "--schema"]).json();
    for name in schema["required"].as_array().expect("required fields") {
        assert!(document.get(name.as_str().expect("a name")).is_some(), "{name} is missing");
    }
    let junit = fs::read_to_string(folder.path().join("out.xml")).expect("the JUnit report");
    let commands: Vec<&str> = table.stderr.lines().filter(|line| line.starts_with("::")).collect();
    for group in document["groups"].as_array().expect("groups") {
        let id = group["id"].as_str().expect("an id");
        assert!(table.stdout.contains(id) && junit.contains(id), "{id}: {table}");
    }
    assert_eq!(commands.len(), document["groups"].as_array().expect("groups").len().min(10), "{table}");
    assert!(commands.iter().any(|line| line.contains("file=pages/cart-page.ts,line=12,")), "{commands:?}");
}

#[test]
fn what_cannot_be_read_blocks_and_an_empty_report_has_no_tests() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).expect("a report");
    let whole = fs::read(report("1.65.1")).expect("the report");
    write("cut.json", &whole[..whole.len() / 2]);
    write("page.html", b"<html><body>404</body></html>");
    write("empty.json", br#"{"config":{},"suites":[],"errors":[]}"#);
    for (name, code) in [("cut.json", 3), ("page.html", 3), ("missing.json", 2), ("empty.json", 4)] {
        let ran = relocator(folder.path(), &["triage", name]);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(code), ""), "{name}: {ran}");
    }
}

/// A report whose every text is out to break something.
fn hostile() -> Value {
    let nasty = "<script>alert(1)</script><img src=http://127.0.0.1:9/x onerror=alert(2)> ]]> {{ 7 * 7 }} \u{202e}\u{1b}[2J \
                 ::error::x%0A \" ' ` | token=ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let result = |message: String| {
        json!({ "status": "failed", "retry": 0, "duration": 5, "errors": [{ "message": message }], "attachments": [
            { "name": "trace", "contentType": "application/zip", "path": "/etc/passwd" },
            { "name": "screenshot", "contentType": "image/png", "path": "../../../../etc/passwd" }] })
    };
    let spec = |number: usize, message: String| {
        json!({ "title": nasty, "file": format!("{number}{nasty}.spec.ts"), "line": 3, "tests": [{ "projectName": nasty,
            "status": "unexpected", "results": [result(message)] }] })
    };
    let messages = [
        format!("Error: {nasty}"),
        format!(
            "TimeoutError: locator.click: Timeout 2000ms exceeded.\nCall log:\n  - waiting for locator('{nasty}')\n"
        ),
        format!("Error: page.goto: net::ERR_CONNECTION_REFUSED at http://{nasty}"),
        format!("{} {}", "a very long line ".repeat(400), "x".repeat(50_000)),
    ];
    let specs: Vec<Value> = messages.into_iter().enumerate().map(|(number, message)| spec(number, message)).collect();
    json!({ "config": { "rootDir": "/p", "version": nasty }, "suites": [{ "title": "f", "file": "f", "specs": specs }],
            "errors": [{ "message": nasty }] })
}

#[test]
fn the_page_keeps_its_promises_in_a_real_browser() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("hostile.json"), hostile().to_string()).expect("the hostile report");
    let reports = ["triage", "hostile.json", text(&report("1.65.1")).to_owned().leak(), "--html", "report.html"];
    let ran = relocator(folder.path(), &reports);
    assert_eq!(ran.code, Some(1), "{ran}");
    assert!(!ran.says("\u{1b}") && !ran.says("\u{202e}"), "{ran}");
    let page = fs::read_to_string(folder.path().join("report.html")).expect("the page");
    for never in ["<script", "ghp_0123456789", "root:x:", "\u{202e}"] {
        assert!(!page.contains(never), "{never} is in the page");
    }

    let _turn = browser_turn();
    for file in ["playwright.config.ts", "page.spec.ts"] {
        fs::copy(repository().join("fixtures/report-page").join(file), folder.path().join(file))
            .expect("a copied file");
    }
    let packages = repository().join("fixtures/projects/node_modules");
    symlink(&packages, folder.path().join("node_modules")).expect("a link to the packages");
    let mut command = Command::new(packages.join(".bin/playwright"));
    command.args(["test", "--reporter=line", "--workers=1"]).current_dir(folder.path());
    command.env("REPORT_PAGE", format!("file://{}", folder.path().join("report.html").display()));
    if let Some(browser) = crate::support::chromium() {
        command.env("RELOCATOR_CHROMIUM", browser);
    }
    let ran = Ran::from(command.output().expect("Playwright starts"));
    assert_eq!(ran.code, Some(0), "{ran}");
}

/// A red suite of two causes in two Playwright projects: a stale locator that two tests meet through a page object, and a
/// wrong heading.
fn red_suite() -> Project {
    let project = Project::copy("page-object");
    let config = project.read("playwright.config.ts");
    project.write(
        "playwright.config.ts",
        &config.replace("  use: {", "  projects: [{ name: 'desktop' }, { name: 'phone' }],\n  use: {"),
    );
    let spec = project.read("tests/signup.spec.ts");
    project.write("tests/again.spec.ts", &spec.replace("a visitor can sign up", "another visitor can"));
    project.write(
        "tests/heading.spec.ts",
        "import { expect, test } from '@playwright/test';\n\ntest('says hello', async ({ page }) => {\n  \
         await page.goto('/signup');\n  await expect(page.getByRole('heading')).toHaveText('Hello');\n});\n",
    );
    project
}

/// Runs one shard of the suite, leaving its blob report in `blob`.
fn run_shard(project: &Project, shard: &str, blob: &Path) {
    let like = project.relocator(std::iter::empty::<&str>());
    let mut command = Command::new(project.path("node_modules/.bin/playwright"));
    let shard = format!("--shard={shard}");
    command.args(["test", "--reporter=blob", "--workers=1", "--trace=retain-on-failure", &shard]);
    command.arg("--output").arg(project.folder().join("tmp/results"));
    command.current_dir(project.root()).env_clear();
    command.envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.env("PLAYWRIGHT_BLOB_OUTPUT_FILE", blob);
    let ran = Ran::from(command.output().expect("Playwright starts"));
    assert!(blob.is_file(), "{shard}: {ran}");
}

#[test]
fn a_red_suite_is_healed_by_cause_and_the_evidence_is_whole() {
    let _turn = browser_turn();
    let project = red_suite();
    project.git_init();
    let before = project.tree();
    let blobs = project.folder().join("blobs");
    for number in 1..=2 {
        run_shard(&project, &format!("{number}/2"), &blobs.join(format!("{number}.zip")));
    }

    let triaged = project.run(["triage", text(&blobs), "--json"]).json();
    let stale = &triaged["groups"][0];
    assert_eq!((&stale["outcome"], &stale["tests"]), (&json!("candidate"), &json!(2)), "{triaged:#}");
    let (members, projects) = (stale["members"].as_array().expect("members").len(), &stale["projects"]);
    assert_eq!((members, projects), (4, &json!(["desktop", "phone"])), "a test of two projects counts once: {stale:#}");
    let totals = &triaged["totals"];
    assert_eq!((&totals["tests"], &totals["failed"], &totals["failed_tests"]), (&json!(6), &json!(6), &json!(3)));
    assert_eq!(stale["locator"]["definition"]["file"], "pages/signup-page.ts", "{stale:#}");
    assert_eq!(stale["locator"]["links"], json!([{ "link": "locator('#submit-btn')", "count": 0 }]), "{stale:#}");
    assert!(stale["evidence"]["picture"]["name"].is_string(), "{stale:#}");

    let ran = project.run(["heal", "--from", text(&blobs), "--json"]);
    assert_eq!(ran.code, Some(1), "one cause is for a person: {ran}");
    let document = ran.json();
    let outcomes: Vec<_> = groups(&document).into_iter().map(|(outcome, ..)| outcome).collect();
    assert_eq!(outcomes, ["healed", "escalated"], "{ran}");
    let healed = &document["groups"][0];
    assert_eq!((&healed["id"], &healed["repair"]["reason"]), (&stale["id"], &json!("proven")), "{healed:#}");
    let element = &healed["repair"]["picture"]["element"];
    assert!(element["width"].as_f64().is_some_and(|width| width > 0.0), "the element is boxed: {healed:#}");
    let changes = before.changes(&project.tree());
    assert_eq!(changes.len(), 1, "{changes:?}");
    assert_eq!(changes[0].file, "pages/signup-page.ts");
    assert_eq!(survivors(project.folder()), Vec::<String>::new(), "processes that outlived the run");

    let run = document["run"].as_str().expect("the run's id");
    let folder = project.path(&format!(".relocator/runs/{run}"));
    let manifest = check_manifest(&folder);
    assert!(manifest["playwright"].is_string() && manifest["node"].is_string(), "{manifest:#}");
    assert!(folder.join("decisions.jsonl").is_file());
    project.git(&["checkout", "--quiet", "--", "."]);
    project.git(&["apply", &format!(".relocator/runs/{run}/patch.diff")]);
    assert_eq!(before.changes(&project.tree()), changes, "the patch is the repair");

    let again = project.run(["report", run, "--json"]);
    assert_eq!(again.json()["groups"], document["groups"], "a run is rendered again from its folder");
    let resumed = project.run(["heal", "--resume", run, "--json"]);
    assert_eq!(resumed.json()["groups"], document["groups"], "what was decided stays decided: {resumed}");
    let merged = project.run(["merge", run, text(&folder), "--json"]);
    assert_eq!(merged.json()["groups"], document["groups"], "a run joined with itself is itself: {merged}");
}
