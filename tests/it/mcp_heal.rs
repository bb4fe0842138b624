//! `relocator mcp` with a real browser: a repair proposed, applied and undone by clients nobody here wrote, three at once,
//! and callers that go away in the middle.

use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::mcp_clients::{drive, node, started};
use crate::mcp_http;
use crate::model::{Ideal, Server};
use crate::support::{Change, Project, Talk, belonging_to, browser_turn, survivors};

fn change(project: &Project) -> Change {
    let part = |part: &Option<String>| part.clone().expect("the demo says its line before and after");
    let expected = &project.expected;
    Change { file: part(&expected.file), before: part(&expected.line_before), after: part(&expected.line_after) }
}

#[test]
fn a_flaky_test_is_called_that_and_three_repairs_at_once_all_finish_one_is_applied_reported_and_undone() {
    let _turn = browser_turn();
    check_flaky();
    let project = Project::copy("demo");
    let before = project.tree();
    let (command, args, env) = started(&project, &["--allow-edits"]);
    let plan = |sdk: &str, parallel: bool, calls: Value| json!({ "sdk": sdk, "command": command, "args": args, "env": env, "parallel": parallel, "calls": calls });
    let propose = json!({ "name": "heal_test", "arguments": { "test": project.expected.test } });
    let said = drive(&project, &plan("v1", true, json!([propose, propose, propose])));
    for one in said["results"].as_array().expect("results") {
        let answer = &one["result"]["structuredContent"];
        assert_eq!(answer["result"]["outcome"], "proposed", "{one:#}");
        assert_eq!(answer["result"]["proposal"]["after"], json!(project.expected.line_after), "{one:#}");
        assert!(one["progress"].as_array().is_some_and(|told| told.len() >= 3), "{one:#}");
        assert!(one["result"].to_string().chars().count() <= 8_000, "{one:#}");
    }
    assert_eq!(before.changes(&project.tree()), [], "a proposal changes nothing");

    // The one that is applied is a model's: its server is named where ours is started, by nobody who calls.
    let model = Server::answering(Ideal::default());
    let engine = ["--allow-edits", "--engine", "model", "--model", "m", "--base-url", &model.base()];
    let (command, args, env) = started(&project, &engine);
    let plan = |sdk: &str, parallel: bool, calls: Value| json!({ "sdk": sdk, "command": command, "args": args, "env": env, "parallel": parallel, "calls": calls });
    let apply = json!({ "name": "heal_test", "arguments": { "test": project.expected.test, "apply": true } });
    let report = json!({ "name": "get_report", "arguments": {} });
    let said = drive(&project, &plan("v2", false, json!([apply, report])));
    let healed = &said["results"][0]["result"]["structuredContent"]["result"];
    assert_eq!(healed["outcome"], "healed", "{said:#}");
    assert!(healed["proofs"].as_array().is_some_and(|proofs| proofs.iter().all(|proof| proof["result"] != "failed")));
    assert_eq!(before.changes(&project.tree()), [change(&project)], "{said:#}");
    assert_eq!((&healed["model"]["name"], &healed["model"]["replies"]), (&json!("m"), &json!(3)), "{healed:#}");
    assert_eq!(model.requests().len(), 4, "one finds out how it takes calls");
    let reported = &said["results"][1]["result"]["structuredContent"];
    assert_eq!((&reported["result"]["run"], &reported["result"]["outcome"]), (&healed["run"], &json!("healed")));

    let undo = json!({ "name": "undo", "arguments": { "run": healed["run"] } });
    let said = drive(&project, &plan("v2", false, json!([undo])));
    assert_eq!(said["results"][0]["result"]["structuredContent"]["result"]["restored"], 1, "{said:#}");
    assert_eq!(before.changes(&project.tree()), []);
    assert_eq!(survivors(project.folder()), Vec::<String>::new());
}

/// The feed of this fixture is there from the second start of its server on.
fn check_flaky() {
    let project = Project::copy("flaky");
    let mut talk = Talk::initialized(project.relocator(["mcp"]), "2025-06-18").0;
    let answer = talk.call("check_flaky", &json!({ "test": project.expected.test, "runs": 2 }));
    assert_eq!(answer["result"]["verdict"], "flaky", "{answer:#}");
    let varies = answer["result"]["varies"].as_array().expect("differences");
    assert!(varies.iter().any(|one| one["what"] == "locator"), "{answer:#}");
    let endings: Vec<&Value> = answer["items"].as_array().into_iter().flatten().map(|run| &run["ending"]).collect();
    assert_eq!(endings, ["failed", "passed"], "{answer:#}");
    assert_eq!(talk.hang_up(), Some(0));
}

/// Waits until a browser of the project runs.
fn browser_runs(project: &Project) {
    let deadline = Instant::now() + Duration::from_mins(1);
    while !belonging_to(project.folder()).iter().any(|process| process.contains("--headless")) {
        assert!(Instant::now() < deadline, "no browser starts: {:?}", belonging_to(project.folder()));
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_caller_that_cancels_hangs_up_or_is_killed_leaves_no_process_and_no_edit_behind() {
    let _turn = browser_turn();
    let project = Project::copy("demo");
    let before = project.tree();
    let gone = |what: &str| {
        let deadline = Instant::now() + Duration::from_secs(12);
        let browsers = || belonging_to(project.folder()).into_iter().filter(|process| !process.contains(" mcp "));
        while browsers().next().is_some() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(50));
        }
        assert_eq!(browsers().collect::<Vec<_>>(), Vec::<String>::new(), "{what}");
        assert_eq!(before.changes(&project.tree()), [], "{what}");
    };
    let heal = json!({ "test": project.expected.test, "apply": true });

    // Cancelled: the run ends, the server goes on.
    let mut talk = Talk::initialized(project.relocator(["mcp", "--allow-edits"]), "2025-06-18").0;
    let id = talk.begin("heal_test", &heal);
    browser_runs(&project);
    talk.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }));
    gone("cancelled");
    assert_eq!(talk.call("classify_failure", &json!({ "text": "x" }))["result"]["category"], "unrecognized");

    // Hung up in the middle of a run: the server ends as well.
    talk.begin("heal_test", &heal);
    browser_runs(&project);
    assert_eq!(talk.hang_up(), Some(0));
    assert_eq!(survivors(project.folder()), Vec::<String>::new(), "hung up");
    gone("hung up");

    // Hung up over HTTP: that call ends, the server goes on.
    let token = mcp_http::token(&project, "agent", "heal", "3");
    let server = mcp_http::Server::start(&project, &["--allow-edits"]);
    let connection = server.begin(&token, "heal_test", &heal);
    browser_runs(&project);
    drop(connection);
    gone("hung up over HTTP");
    drop(server.begin(&token, "classify_failure", &json!({ "text": "x" })));
    drop(server);

    // Killed in the middle of a run: a real client that cannot say goodbye.
    let (command, args, env) = started(&project, &["--allow-edits"]);
    let calls = json!([{ "name": "heal_test", "arguments": heal }]);
    let plan = json!({ "sdk": "v2", "command": command, "args": args, "env": env, "calls": calls });
    let mut client = node(&project, ["drive.mjs".to_owned(), plan.to_string()]);
    let mut client = client.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("node");
    browser_runs(&project);
    let pid = i32::try_from(client.id()).ok().and_then(Pid::from_raw).expect("a process id");
    kill_process(pid, Signal::KILL).expect("the client was alive");
    client.wait().expect("its end");
    let deadline = Instant::now() + Duration::from_secs(12);
    while !belonging_to(project.folder()).is_empty() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(belonging_to(project.folder()), Vec::<String>::new(), "killed");
    gone("killed");
}
