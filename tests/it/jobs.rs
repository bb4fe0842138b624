//! A red suite healed by the workflow of this repository, called as the README says: its steps are executed as GitHub's runners
//! would (`tests/workflow/run.mjs`), each job on a clone of its own, one machine killed and its job run again, with a real
//! remote and a forge of our own; the runs come to one report, one branch and one pull request.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use wiremock::matchers::method;
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::support::{Project, belonging_to, browser_turn, repository};

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

const BRANCH: &str = "relocator/repairs";

/// What stands in for what a hosted machine has: the packages, a browser, and a compiler that takes minutes. Each takes
/// nothing but the one call that it stands for.
fn stand_ins(project: &Project) -> PathBuf {
    let folder = project.folder().join("bin");
    fs::create_dir(&folder).expect("a folder");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let npx = std::env::split_paths(&path).map(|folder| folder.join("npx")).find(|file| file.is_file()).expect("npx");
    let packages = project.root().join("node_modules").canonicalize().expect("the packages");
    for (name, call, does) in [
        ("npm", "ci", format!("exec ln -s '{}' node_modules", packages.display())),
        ("npx", "playwright install --with-deps", "exit".to_owned()),
        ("rustup", "toolchain install 1.95 --profile minimal", "exit".to_owned()),
        (
            "cargo",
            "+1.95 install --locked --path . --root .",
            format!("mkdir bin && exec cp '{}' bin/relocator", env!("CARGO_BIN_EXE_relocator")),
        ),
    ] {
        let other = if name == "npx" { format!("exec '{}' \"$@\"", npx.display()) } else { "exit 64".to_owned() };
        let file = folder.join(name);
        fs::write(&file, format!("#!/bin/sh\nif [ \"$*\" = '{call}' ]; then {does}; fi\n{other}\n")).expect("written");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("a program");
    }
    folder
}

/// The workflow that the README tells people to write.
fn documented() -> String {
    let readme = fs::read_to_string(repository().join("README.md")).expect("README.md");
    let block = readme.split("\n\n").find(|block| block.contains("uses: OWNER/relocator/"));
    let lines = block.expect("a workflow").lines().map(|line| line.strip_prefix("    ").expect("code"));
    lines.collect::<Vec<_>>().join("\n")
}

/// A machine room for the workflow: what [`Self::start`] runs has the repository's remote, and a forge.
struct Room {
    project: Project,
    remote: PathBuf,
    forge: MockServer,
    runtime: tokio::runtime::Runtime,
    bin: PathBuf,
}

impl Room {
    fn new() -> Self {
        let project = suite();
        let remote = project.folder().join("remote.git");
        let there = remote.to_str().expect("a path");
        project.git(&["init", "--quiet", "--bare", "--initial-branch=main", there]);
        project.git(&["push", "--quiet", there, "main"]);
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let forge = runtime.block_on(async {
            let server = MockServer::start().await;
            let list = ResponseTemplate::new(200).set_body_json(json!([]));
            Mock::given(method("GET")).respond_with(list).mount(&server).await;
            let made = json!({ "number": 1, "html_url": "https://forge/1", "state": "open", "merged_at": null });
            Mock::given(method("POST"))
                .respond_with(ResponseTemplate::new(201).set_body_json(made))
                .mount(&server)
                .await;
            server
        });
        let bin = stand_ins(&project);
        Self { project, remote, forge, runtime, bin }
    }

    fn folder(&self, night: &str) -> PathBuf {
        self.project.folder().join(night)
    }

    /// Starts the workflow; `done` has the jobs that are not to run, by name.
    fn start(&self, night: &str, event: &str, done: &Value) -> Child {
        let folder = self.folder(night);
        fs::create_dir_all(&folder).expect("a folder");
        let like = self.project.relocator(std::iter::empty::<&str>());
        let text = |text: &std::ffi::OsStr| text.to_str().expect("UTF-8").to_owned();
        let mut env: serde_json::Map<String, Value> =
            like.get_envs().filter_map(|(name, value)| Some((text(name), text(value?).into()))).collect();
        let path = format!("{}:{}", self.bin.display(), env["PATH"].as_str().expect("a path"));
        for (name, value) in [
            ("PATH", path.as_str()),
            ("RELOCATOR_FORGE", "github"),
            ("RELOCATOR_FORGE_URL", &self.forge.uri()),
            ("RELOCATOR_REPOSITORY", "team/shop"),
        ] {
            env.insert(name.to_owned(), value.into());
        }
        let plan = json!({
            "repository": repository(), "caller": documented(), "remote": self.remote, "folder": folder,
            "artifacts": self.project.folder().join("artifacts"), "event": event, "env": env, "done": done,
            "packages": self.project.path("node_modules").canonicalize().expect("the packages"),
        });
        let asked = folder.join("plan.json");
        fs::write(&asked, plan.to_string()).expect("written");
        let mut command = Command::new("node");
        command.arg(repository().join("tests/workflow/run.mjs")).current_dir(repository());
        command.stdin(File::open(asked).expect("the plan"));
        command.stdout(File::create(folder.join("done.json")).expect("a file"));
        command.stderr(Stdio::inherit()).spawn().expect("node")
    }

    /// What it came to.
    fn end(&self, night: &str, mut child: Child) -> Value {
        let status = child.wait().expect("its end");
        let text = fs::read_to_string(self.folder(night).join("done.json")).expect("an answer");
        assert!(status.success(), "{night}: {text}");
        serde_json::from_str(&text).expect("JSON")
    }

    fn on_remote(&self, arguments: &[&str]) -> String {
        let there = self.remote.to_str().expect("a path");
        self.project.git(&[&["--git-dir", there], arguments].concat())
    }

    /// The pull requests that were asked for.
    fn posted(&self) -> Vec<Value> {
        let asked = self.runtime.block_on(self.forge.received_requests()).expect("requests");
        let posts = asked.iter().filter(|request| request.method.as_str() == "POST");
        posts.map(|request| request.body_json().expect("JSON")).collect()
    }
}

/// Whether the file holds a line that the suite has not.
fn edited(clone: &Path, id: &str) -> bool {
    let text = fs::read_to_string(clone.join("tests/desk.spec.ts")).unwrap_or_default();
    text.contains(&format!("getByTestId('{id}')"))
}

/// What was decided in a clone.
fn decided(clone: &Path) -> String {
    let runs = fs::read_dir(clone.join(".relocator/runs")).into_iter().flatten().flatten();
    runs.filter_map(|run| fs::read_to_string(run.path().join("decisions.jsonl")).ok()).max().unwrap_or_default()
}

/// Takes the machine of the first repairs away, with all that runs there, once the second repair is in the file; says what was
/// decided by then.
fn kill_machine(machine: &Path, workflow: &mut Child) -> String {
    let (begun, clone) = (Instant::now(), machine.join("checkout"));
    while decided(&clone).is_empty() || !(edited(&clone, "keep-note") && edited(&clone, "file-note")) {
        assert!(begun.elapsed() < PATIENCE && workflow.try_wait().expect("its state").is_none(), "{}", decided(&clone));
        std::thread::sleep(Duration::from_millis(20));
    }
    let before = decided(&clone);
    for line in belonging_to(machine) {
        let pid =
            line.split(':').next().and_then(|pid| pid.parse().ok()).and_then(Pid::from_raw).expect("a process id");
        // What has ended by itself meanwhile is gone as well.
        _ = kill_process(pid, Signal::KILL);
    }
    before
}

fn outcomes(document: &Value) -> Vec<&str> {
    document["groups"].as_array().expect("groups").iter().filter_map(|group| group["outcome"].as_str()).collect()
}

/// How each machine ended: `heal-1.2 success` is the second attempt of the first one.
fn ends(answer: &Value) -> Vec<String> {
    let jobs = answer["jobs"].as_array().expect("jobs").iter();
    let text = |job: &Value, name: &str| job[name].as_str().expect("a text").to_owned();
    jobs.map(|job| format!("{}.{} {}", text(job, "name"), job["attempt"], text(job, "result"))).collect()
}

fn job<'a>(answer: &'a Value, name: &str, attempt: u64) -> &'a Value {
    let jobs = answer["jobs"].as_array().expect("jobs");
    jobs.iter().find(|job| job["name"] == name && job["attempt"] == attempt).unwrap_or_else(|| panic!("{answer:#}"))
}

#[test]
fn the_documented_workflow_heals_a_suite_on_machines_of_which_one_is_lost_and_opens_one_pull_request() {
    let _turn = browser_turn();
    let room = Room::new();
    let mut workflow = room.start("night", "schedule", &json!({}));
    let before = kill_machine(&room.folder("night").join("heal-1.1"), &mut workflow);
    let answer = room.end("night", workflow);
    let shown = format!("{answer:#}").replace("\\n", "\n");
    assert_eq!(
        ends(&answer),
        [
            "build.1 success",
            "suite.1 success",
            "heal-1.1 failure",
            "heal-1.2 success",
            "heal-2.1 success",
            "merge.1 success"
        ],
        "{shown}"
    );
    assert_eq!(answer["outputs"], json!({ "healed": "3", "escalated": "0" }), "{shown}");
    assert_eq!(answer["gates"], json!([{ "name": "gate", "runs": ["test \"0\" = 0"] }]), "{shown}");
    assert!(!shown.contains("t0ken-of-the-forge"), "{shown}");

    // Causes of one file are on one machine; of the lost one, what was decided stays decided.
    let again = room.folder("night").join("heal-1.2/checkout");
    assert_eq!((before.lines().count(), decided(&again).lines().count()), (1, 2), "{shown}");
    assert!(decided(&again).starts_with(before.trim_end()), "{before} {}", decided(&again));
    for (name, attempt, summary) in [
        ("suite", 1, "3 root causes: 3 candidate"),
        ("heal-1", 2, "3 root causes: 2 healed, 1 candidate"),
        ("heal-2", 1, "3 root causes: 1 healed, 2 candidate"),
        ("merge", 1, "3 root causes: 3 healed"),
    ] {
        let text = job(&answer, name, attempt)["summary"].as_str().expect("a summary");
        assert_eq!(text.matches(summary).count(), 1, "{name}: {text}\n{shown}");
    }

    // One branch, a commit each, by the machine; and one pull request for them.
    let stat = room.on_remote(&["diff", "--numstat", "main", BRANCH]);
    assert_eq!(stat, "2\t2\ttests/desk.spec.ts\n1\t1\ttests/send.spec.ts\n");
    let authors = room.on_remote(&["log", "--format=%an", &format!("main..{BRANCH}")]);
    assert_eq!(authors, "github-actions[bot]\n".repeat(3));
    let posted = room.posted();
    assert_eq!(posted.len(), 1, "{posted:#?}");
    assert_eq!((&posted[0]["head"], &posted[0]["base"]), (&json!(BRANCH), &json!("main")));
    other_nights(&room, &answer["needs"]);
    triaged(&room.project, &room.folder("night").join("suite.1/checkout/results.json"));
}

/// The same jobs on another event, with a program that is not the built one, and with nothing to repair.
fn other_nights(room: &Room, needs: &Value) {
    let tip = room.on_remote(&["rev-parse", BRANCH]);
    let end = |night: &str, event: &str, done: &Value| room.end(night, room.start(night, event, done));
    let mut done = json!({ "build": needs["build"], "suite": needs["suite"], "heal": needs["heal"] });
    let reviewed = end("reviewed", "pull_request", &done);
    assert_eq!(ends(&reviewed), ["merge.1 success"], "{reviewed:#}");
    assert_eq!(reviewed["outputs"], json!({ "healed": "3", "escalated": "0" }));
    assert!(job(&reviewed, "merge", 1)["summary"].as_str().expect("a summary").contains("3 healed"));
    done["build"]["outputs"]["sum"] = "another".into();
    let tampered = end("tampered", "schedule", &done);
    assert_eq!(ends(&tampered), ["merge.1 failure"], "{tampered:#}");
    let (none, two) =
        (json!({ "matrix": r#"{"include":[]}"#, "escalated": "2" }), json!({ "healed": "0", "escalated": "2" }));
    done["suite"]["outputs"] = none;
    done.as_object_mut().expect("jobs").remove("heal");
    let green = end("green", "schedule", &done);
    assert_eq!(ends(&green), ["heal.1 skipped", "merge.1 skipped"], "{green:#}");
    assert_eq!(green["outputs"], two);
    assert_eq!((room.on_remote(&["rev-parse", BRANCH]), room.posted().len()), (tip, 1));
}

/// The commit that made them stale is named, and a group that is not there is told.
fn triaged(project: &Project, report: &Path) {
    fs::copy(report, project.path("results.json")).expect("the report");
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
}
