//! `relocator mcp` with clients that nobody here wrote: both official TypeScript SDKs, and the MCP Inspector's CLI. The SDKs
//! hold every structured answer against the tool's output schema themselves.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Project, Ran, repository};

/// The folder of the clients' packages.
pub(crate) fn clients() -> PathBuf {
    let folder = repository().join("fixtures/mcp-clients");
    assert!(
        folder.join("node_modules").is_dir(),
        "no clients: `npm ci --ignore-scripts` in fixtures/mcp-clients, or `bash tests/run.sh`"
    );
    folder
}

/// How a client starts the server of `project`: program, arguments, environment.
pub(crate) fn started(project: &Project, flags: &[&str]) -> (String, Vec<String>, Value) {
    let command = project.relocator([&["mcp", "--root", &project.root().display().to_string()], flags].concat());
    let text = |text: &OsStr| text.to_string_lossy().into_owned();
    let set = command.get_envs().filter_map(|(name, value)| Some((text(name), json!(text(value?)))));
    (text(command.get_program()), command.get_args().map(text).collect(), Value::Object(set.collect()))
}

/// Node with `arguments` in the folder of the clients.
pub(crate) fn node<A: AsRef<OsStr>>(project: &Project, arguments: impl IntoIterator<Item = A>) -> Command {
    let mut command = Command::new("node");
    command.args(arguments).current_dir(clients());
    command.env("HOME", project.folder().join("home")).env("TMPDIR", project.folder().join("tmp"));
    command
}

/// Has the client of an SDK do what `plan` says.
pub(crate) fn drive(project: &Project, plan: &Value) -> Value {
    let command = node(project, ["drive.mjs".to_owned(), plan.to_string()]);
    let output = assert_cmd::Command::from_std(command).timeout(std::time::Duration::from_mins(4)).output();
    let ran = Ran::from(output.expect("node"));
    assert_eq!(ran.code, Some(0), "{ran}");
    ran.json()
}

#[test]
fn the_official_clients_of_old_and_new_take_every_answer() {
    let project = Project::copy("demo");
    let trace = repository().join("fixtures/traces/1.65.1/stale-click.zip");
    std::fs::copy(trace, project.path("trace.zip")).expect("a trace in the project");
    let (command, args, env) = started(&project, &[]);
    let calls = json!([
        { "name": "classify_failure", "arguments": { "text": "Error: strict mode violation" } },
        { "name": "inspect_failure", "arguments": { "trace": "trace.zip" } },
        { "name": "suggest_locator", "arguments": { "trace": "trace.zip" } },
        { "name": "check_edit", "arguments": { "file": "tests/signup.spec.ts", "after": "" } },
        { "name": "heal_test", "arguments": { "test": "../x.spec.ts:1" } },
        { "name": "get_report", "arguments": {} },
        { "name": "undo", "arguments": {} },
    ]);
    for (sdk, pinned, spoken) in
        [("v1", None, "2025-11-25"), ("v2", None, "2026-07-28"), ("v2", Some("2026-07-28"), "2026-07-28")]
    {
        let plan = json!({
            "sdk": sdk, "version": pinned, "command": command, "args": args, "env": env, "calls": calls,
        });
        let said = drive(&project, &plan);
        assert_eq!(said["tools"].as_array().map(Vec::len), Some(9), "{sdk}: {said:#}");
        let results = said["results"].as_array().expect("results");
        let refused: Vec<&Value> =
            results.iter().map(|one| &one["result"]["structuredContent"]["refused"]["code"]).collect();
        assert_eq!(
            refused,
            [
                &Value::Null,
                &Value::Null,
                &Value::Null,
                &Value::Null,
                &json!("outside_root"),
                &json!("not_found"),
                &json!("edits_not_allowed")
            ],
            "{sdk}: {said:#}"
        );
        if !said["version"].is_null() {
            assert_eq!(said["version"], spoken, "{sdk} {pinned:?}");
        }
    }
}

#[test]
fn the_inspectors_command_line_lists_and_calls_the_tools() {
    let project = Project::copy("demo");
    let (command, args, env) = started(&project, &[]);
    let inspect = |options: &[&str]| {
        let mut arguments =
            vec!["node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js", "--cli"];
        let set: Vec<String> = env
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, value)| format!("{name}={}", value.as_str().unwrap_or_default()))
            .collect();
        for one in &set {
            arguments.extend(["-e", one]);
        }
        arguments.extend(options);
        arguments.push("--");
        arguments.push(&command);
        arguments.extend(args.iter().map(String::as_str));
        let mut command = assert_cmd::Command::from_std(node(&project, arguments));
        Ran::from(command.timeout(std::time::Duration::from_mins(2)).output().expect("node"))
    };
    // --strict fails for a schema that not every client can use.
    let listed = inspect(&["--method", "tools/list", "--strict"]);
    assert_eq!(listed.code, Some(0), "{listed}");
    assert_eq!(listed.json()["tools"].as_array().map(Vec::len), Some(9), "{listed}");
    let called = inspect(&[
        "--method",
        "tools/call",
        "--tool-name",
        "classify_failure",
        "--tool-arg",
        "text=Error: strict mode violation: locator('a') resolved to 2 elements",
    ]);
    assert_eq!(called.code, Some(0), "{called}");
    assert_eq!(called.json()["structuredContent"]["result"]["category"], "strict_mode_violation", "{called}");
}
