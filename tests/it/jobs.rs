//! A red suite healed by the jobs of a matrix: separate processes on separate clones, one of them killed and resumed, their
//! runs merged into one report and one branch.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::{Project, Ran, browser_turn};

/// Longer no repair takes.
const PATIENCE: Duration = Duration::from_mins(5);

const PAGE: &str = "<!doctype html><title>Desk</title><link rel=icon href='data:,'>
<h1>Desk</h1><label>Note <input data-testid=note></label>
<button data-testid=keep-note onclick=\"this.textContent='Kept'\">Keep it</button>
<button data-testid=file-note onclick=\"this.textContent='Filed'\">File it</button>
<button data-testid=send-note onclick=\"this.textContent='Sent'\">Send it</button>
";

/// A test of one stale locator: the id became a test id.
fn spec(id: &str, word: &str) -> String {
    format!(
        "import {{ expect, test }} from '@playwright/test';\n\ntest('a note is {word}', async ({{ page }}) => {{\n  \
         await page.goto('/desk');\n  await page.locator('#{id}').click();\n  \
         await expect(page.getByText('{word}', {{ exact: true }})).toBeVisible();\n}});\n"
    )
}

/// A suite with three stale locators, two of them in one file, in a repository whose last commit made them stale.
fn suite() -> Project {
    let project = Project::copy("demo");
    fs::remove_file(project.path("tests/signup.spec.ts")).expect("the demo's own test");
    let two =
        format!("{}{}", spec("keep-note", "Kept"), spec("file-note", "Filed").split_once("\n\n").expect("a test").1);
    project.write("tests/desk.spec.ts", &two);
    project.write("tests/send.spec.ts", &spec("send-note", "Sent"));
    project.write("app/desk.html", &PAGE.replace("data-testid=", "id="));
    project.git_init();
    project.git(&["branch", "--move", "main"]);
    project.git(&["config", "user.name", "Ada"]);
    project.git(&["config", "user.email", "ada@example.com"]);
    project.write("app/desk.html", PAGE);
    project.git(&["commit", "--quiet", "--all", "--message", "Say what is tested"]);
    project
}

/// A clone of the suite beside it, as another machine would have it.
fn clone(project: &Project, name: &str) -> PathBuf {
    let there = project.folder().join(name);
    project.git(&["clone", "--quiet", ".", there.to_str().expect("a path")]);
    let packages = project.root().join("node_modules").canonicalize().expect("the packages");
    std::os::unix::fs::symlink(packages, there.join("node_modules")).expect("a link to the packages");
    there
}

fn in_folder(mut command: Command, folder: &Path) -> Ran {
    Ran::from(command.current_dir(folder).output().expect("it starts"))
}

/// Whether the file holds a line that the suite has not.
fn edited(clone: &Path, id: &str) -> bool {
    let text = fs::read_to_string(clone.join("tests/desk.spec.ts")).expect("the test");
    text.contains(&format!("getByTestId('{id}')"))
}

/// Starts the job, kills it with everything it started once the second repair is in the file, and says what was decided.
fn killed(mut command: Command, clone: &Path) -> String {
    let mut child = command.current_dir(clone).stdout(std::process::Stdio::null()).spawn().expect("relocator starts");
    let begun = Instant::now();
    let decided = || {
        let runs = fs::read_dir(clone.join(".relocator/runs")).into_iter().flatten().flatten();
        runs.filter_map(|run| fs::read_to_string(run.path().join("decisions.jsonl")).ok()).max().unwrap_or_default()
    };
    while decided().is_empty() || !(edited(clone, "keep-note") && edited(clone, "file-note")) {
        assert!(begun.elapsed() < PATIENCE && child.try_wait().expect("its state").is_none(), "{:?}", decided());
        std::thread::sleep(Duration::from_millis(20));
    }
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a process id");
    kill_process(pid, Signal::KILL).expect("killed");
    child.wait().expect("its end");
    decided()
}

fn outcomes(document: &Value) -> Vec<&str> {
    document["groups"].as_array().expect("groups").iter().filter_map(|group| group["outcome"].as_str()).collect()
}

#[test]
fn the_jobs_of_a_matrix_on_clones_come_to_one_branch_though_one_is_killed_and_resumed() {
    let _turn = browser_turn();
    let project = suite();
    let mut playwright = Command::new(project.path("node_modules/.bin/playwright"));
    let like = project.relocator(std::iter::empty::<&str>());
    playwright.args(["test", "--reporter=json", "--workers=1"]).env_clear();
    playwright.envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
    playwright.env("PLAYWRIGHT_JSON_OUTPUT_NAME", "results.json").env("PLAYWRIGHT_JSON_OUTPUT_FILE", "results.json");
    let ran = in_folder(playwright, &project.root());
    let report = project.path("results.json");
    assert!(report.is_file(), "{ran}");

    // The commit that made them stale is named.
    let triaged = project.run(["triage", "results.json", "--json"]).json();
    assert_eq!(outcomes(&triaged), ["candidate"; 3], "{triaged:#}");
    let head = project.git(&["rev-parse", "HEAD"]);
    for group in triaged["groups"].as_array().expect("groups") {
        let since = &group["first_bad"];
        let commit = since["commit"].as_str().expect("a commit");
        assert!(head.starts_with(commit) && commit.len() >= 7, "{group:#}");
        assert_eq!(since["subject"], "Say what is tested");
        assert_eq!(since["range"], json!(format!("{commit}^..{commit}")));
    }
    let unknown = project.run(["heal", "--from", "results.json", "--group", "zzz"]);
    assert!(unknown.code == Some(2) && unknown.stderr.contains("no group `zzz`"), "{unknown}");

    let matrix = project.run(["triage", "results.json", "--matrix", "2"]).json();
    let jobs: Vec<String> = matrix["include"]
        .as_array()
        .expect("jobs")
        .iter()
        .map(|job| job["groups"].as_str().expect("ids").to_owned())
        .collect();
    let [long, short] = jobs.as_slice() else { panic!("{matrix:#}") };
    assert_eq!((long.split(' ').count(), short.split(' ').count()), (2, 1), "causes of one file stay together");
    let heal = |folder: &Path, groups: &str| {
        let words = ["heal", "--from", "results.json", "--json", "--group"].into_iter().chain(groups.split(' '));
        fs::copy(&report, folder.join("results.json")).expect("the report");
        project.relocator(words.map(str::to_owned).collect::<Vec<_>>())
    };
    let (one, two) = (clone(&project, "one"), clone(&project, "two"));
    let decided = killed(heal(&one, long), &one);
    assert_eq!(decided.lines().count(), 1, "{decided}");
    let interrupted =
        fs::read_dir(one.join(".relocator/runs")).expect("runs").flatten().next().expect("a run").file_name();
    let interrupted = interrupted.to_str().expect("a name");
    let resumed = in_folder(project.relocator(["heal", "--resume", interrupted, "--json"]), &one);
    let document = resumed.json();
    assert_eq!(outcomes(&document).iter().filter(|outcome| **outcome == "healed").count(), 2, "{resumed}");
    let first: Value = serde_json::from_str(decided.trim()).expect("a decision");
    let kept = document["groups"].as_array().expect("groups").iter().find(|group| group["id"] == first["group"]);
    assert_eq!(kept.expect("the group")["repair"], first["repair"], "what was decided stays decided");
    let mut git = Command::new("git");
    git.args(["diff", "--numstat"]);
    assert_eq!(in_folder(git, &one).stdout, "2\t2\ttests/desk.spec.ts\n", "two lines of one file");
    let healed = in_folder(heal(&two, short), &two);
    assert_eq!(outcomes(&healed.json()).iter().filter(|outcome| **outcome == "healed").count(), 1, "{healed}");

    // One report and one branch, where nothing was healed before.
    let last = |clone: &Path| {
        let mut runs: Vec<PathBuf> =
            fs::read_dir(clone.join(".relocator/runs")).expect("runs").map(|run| run.expect("a run").path()).collect();
        runs.sort();
        runs.pop().expect("a run").to_str().expect("a path").to_owned()
    };
    let merged = project.run(["merge", &last(&one), &last(&two), "--branch", "relocator/repairs", "--json"]);
    assert_eq!(outcomes(&merged.json()), ["healed"; 3], "{merged}");
    let stat = project.git(&["diff", "--numstat", "main", "relocator/repairs"]);
    assert_eq!(stat, "2\t2\ttests/desk.spec.ts\n1\t1\ttests/send.spec.ts\n");
    assert_eq!(project.git(&["log", "--format=%s", "main..relocator/repairs"]).lines().count(), 3);
}
