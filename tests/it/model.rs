//! `relocator heal --engine model|auto` with the real Playwright, a real browser and a server that speaks OpenAI's protocol:
//! a scripted one, and, where `RELOCATOR_TEST_MODEL_URL` names it, a real model (`tests/model.sh`).

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

use crate::support::{Change, Project, Ran, Tree, browser_turn, survivors};

const KEY: &str = "sk-this-is-the-key-of-the-test-0123456789";

/// A model that looks, chooses the first candidate, runs, and chooses the next locator for it where the test stays red.
struct Ideal(AtomicUsize);

impl Respond for Ideal {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let body: Value = serde_json::from_slice(&request.body).expect("a request in JSON");
        let probing = body["messages"].to_string().contains("check of the connection");
        let (name, arguments) = if probing {
            ("decline", json!({ "reason": "check" }))
        } else {
            match self.0.fetch_add(1, Ordering::Relaxed) {
                0 => ("inspect_dom", json!({})),
                turn if turn % 2 == 1 => ("edit_file", json!({ "candidate": 1 })),
                _ => ("run_test", json!({})),
            }
        };
        let call = json!({ "id": "1", "function": { "name": name, "arguments": arguments.to_string() } });
        ResponseTemplate::new(200).set_body_json(json!({
            "choices": [{ "message": { "tool_calls": [call] } }],
            "usage": { "prompt_tokens": 100, "completion_tokens": 10 },
        }))
    }
}

/// An ideal model's server; it must be kept as long as it is asked.
struct Server {
    runtime: tokio::runtime::Runtime,
    server: MockServer,
}

impl Server {
    fn start() -> Self {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let server = runtime.block_on(async {
            let server = MockServer::start().await;
            let ideal = Ideal(AtomicUsize::new(0));
            Mock::given(method("POST")).and(path("/v1/chat/completions")).respond_with(ideal).mount(&server).await;
            server
        });
        Self { runtime, server }
    }

    fn base(&self) -> String {
        format!("{}/v1", self.server.uri())
    }

    fn requests(&self) -> Vec<Request> {
        self.runtime.block_on(self.server.received_requests()).expect("recorded requests")
    }
}

fn heal(project: &Project, engine: &str, base: &str) -> Ran {
    let mut command = project.relocator(["heal", &project.expected.test, "--json", "--engine", engine, "--model", "m"]);
    command.env("OPENAI_API_KEY", KEY).env("OPENAI_ADMIN_KEY", KEY).env("OPENAI_BASE_URL", base);
    let output = assert_cmd::Command::from_std(command).timeout(std::time::Duration::from_mins(9)).output();
    output.map_or_else(|error| panic!("relocator: {error}"), Ran::from)
}

/// Makes the tests of the project fail to load where they can see a key.
fn forbid_keys(project: &Project) {
    let config = project.read("playwright.config.ts");
    let check = "for (const name of Object.keys(process.env)) if (name.startsWith('OPENAI_') && name.endsWith('_KEY')) throw new Error(`${name} leaked`);\n";
    project.write("playwright.config.ts", &config.replacen("const port", &format!("{check}const port"), 1));
}

fn text<'v>(document: &'v Value, key: &str) -> &'v str {
    document[key].as_str().unwrap_or_default()
}

/// The files that a run leaves, relocator's own included, hold the key nowhere.
fn assert_key_is_nowhere(project: &Project, ran: &Ran) {
    assert!(!ran.says(KEY), "{ran}");
    let mut open = vec![project.path(".relocator")];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if entry.is_dir() {
                open.push(entry);
            } else {
                let bytes = std::fs::read(&entry).expect("a file");
                assert!(!bytes.windows(KEY.len()).any(|window| window == KEY.as_bytes()), "{}", entry.display());
            }
        }
    }
}

#[test]
fn a_model_heals_what_the_ranking_heals_and_its_key_stays_a_secret() {
    let _turn = browser_turn();
    let project = Project::copy("demo");
    forbid_keys(&project);
    let (server, before) = (Server::start(), project.tree());
    let ran = heal(&project, "model", &server.base());
    let document = ran.json();
    assert_eq!((text(&document, "outcome"), text(&document, "reason")), ("healed", "proven"), "{ran}");
    assert_eq!(before.changes(&project.tree()), right_change(&project), "{ran}");
    assert_eq!(document["proofs"]["counter_test"]["result"], "held", "{ran}");
    assert_key_is_nowhere(&project, &ran);

    let requests = server.requests();
    assert!(requests.iter().all(|request| request.headers["authorization"] == format!("Bearer {KEY}")), "{ran}");
    let model = &document["model"];
    let messages: Vec<&str> =
        model["messages"].as_array().expect("messages").iter().filter_map(|said| said["role"].as_str()).collect();
    assert_eq!(messages[..3], ["system", "user", "assistant"], "{ran}");
    assert_eq!((&model["name"], &model["mode"], &model["replies"]), (&json!("m"), &json!("tools"), &json!(3)), "{ran}");
    assert_eq!((&model["tokens_in"], &document["tokens"]), (&json!(300), &json!(330)), "{ran}");
    assert!(text(model, "prompt_version").starts_with("heal-"), "{ran}");
    // One request found out how the server takes calls; the answer is remembered.
    assert_eq!((requests.len(), &model["requests"]), (4, &json!(4)), "{ran}");
    let remembered = project.read(".relocator/models.json");
    assert!(remembered.contains("\"tools\"") && !remembered.contains(KEY), "{remembered}");
    assert_eq!(survivors(project.folder()), Vec::<String>::new(), "processes that outlived the run");
}

/// The demo with two buttons that fit the stale test id equally well: the ranking alone would decline.
fn look_alikes() -> Project {
    let project = Project::copy("demo");
    let spec = project.read("tests/signup.spec.ts");
    project
        .write("tests/signup.spec.ts", &spec.replace("page.locator('#submit-btn')", "page.getByTestId('form-send')"));
    let page = project.read("app/signup.html");
    let one = r#"<button type="submit" data-testid="submit-btn">Submit</button>"#;
    let two = r#"<section><h2>First</h2><button id="form-send">Submit</button></section><section><h2>Second</h2><button class="form-send">Submit</button></section>"#;
    assert!(page.contains(one), "{page}");
    project.write("app/signup.html", &page.replace(one, two));
    project
}

#[test]
fn a_models_choice_among_look_alikes_is_tried_and_shown_to_a_person() {
    let _turn = browser_turn();
    let (project, server) = (look_alikes(), Server::start());
    let before = project.tree();
    let ran = heal(&project, "auto", &server.base());
    let document = ran.json();
    assert_eq!((text(&document, "outcome"), text(&document, "reason")), ("proposed", "under_apply_bar"), "{ran}");
    assert_eq!(document["proofs"]["passed_twice"]["result"], "held", "{ran}");
    assert!(text(&document, "diff").contains("+  await page."), "{ran}");
    assert_eq!(before.changes(&project.tree()), [], "{ran}");
}

#[test]
fn without_an_answer_auto_falls_back_on_the_ranking_and_model_is_blocked() {
    let _turn = browser_turn();
    let project = look_alikes();
    let before = project.tree();
    // Nobody listens on the discard port.
    let base = "http://127.0.0.1:9/v1";
    let ran = heal(&project, "auto", base);
    let document = ran.json();
    assert_eq!((text(&document, "outcome"), text(&document, "reason")), ("declined", "ambiguous"), "{ran}");
    assert!(document["notes"].to_string().contains("cannot be reached"), "{ran}");
    let ran = heal(&project, "model", base);
    assert_eq!((ran.code, text(&ran.json(), "outcome")), (Some(3), "blocked"), "{ran}");
    assert_eq!(before.changes(&project.tree()), [], "{ran}");
    assert_key_is_nowhere(&project, &ran);
}

#[test]
fn settings_that_cannot_be_used_are_said_before_anything_runs() {
    let project = Project::copy("demo");
    project.write("relocator.toml", "engine = \"auto\"\n[model]\nname = \"m\"\nallow_remote = false\n");
    for (base, key, said) in [
        ("https://models.example.org/v1", Some(KEY), "sends nothing to another machine"),
        ("https://models.example.org/v1", None, "no key"),
        ("ftp://models.example.org", Some(KEY), "must begin with http"),
        ("https://ada:hunter22@models.example.org/v1", Some(KEY), "no user, password or query"),
        ("http://127.0.0.1:9/v1", Some("sk-one\nsk-two"), "no key may have"),
    ] {
        let mut command = project.relocator(["heal", &project.expected.test]);
        command.env("OPENAI_BASE_URL", base);
        if let Some(key) = key {
            command.env("OPENAI_API_KEY", key);
        }
        let ran = Ran::from(command.output().expect("relocator"));
        assert_eq!(ran.code, Some(2), "{base}: {ran}");
        assert!(ran.says(said) && !ran.says(KEY) && !ran.says("hunter22"), "{base}: {ran}");
    }
}

/// `RELOCATOR_TEST_MODEL_ALL=1` holds the loop against every fixture project: it loses nothing that the ranking has.
#[test]
fn an_ideal_model_loses_nothing_against_the_ranking_alone() {
    let all = std::env::var_os("RELOCATOR_TEST_MODEL_ALL").is_some();
    let names = if all { Project::names() } else { vec!["selector-constants".to_owned()] };
    for name in names {
        let _turn = browser_turn();
        let (project, server) = (Project::copy(&name), Server::start());
        let before = project.tree();
        let ran = heal(&project, "model", &server.base());
        let document = ran.json();
        let expected = &project.expected;
        println!("{name}: {} {}", text(&document, "outcome"), text(&document, "reason"));
        assert_eq!(text(&document, "outcome"), expected.outcome, "{name}: {ran}");
        if expected.outcome == "healed" {
            assert_eq!(before.changes(&project.tree()), right_change(&project), "{name}: {ran}");
        } else {
            assert_eq!(before.changes(&project.tree()), [], "{name}: {ran}");
        }
    }
}

#[test]
fn a_real_model_ends_in_an_outcome_and_never_in_an_illegal_edit() {
    let Ok(base) = std::env::var("RELOCATOR_TEST_MODEL_URL") else {
        println!("not held: RELOCATOR_TEST_MODEL_URL names no server (tests/model.sh starts one)");
        return;
    };
    let _turn = browser_turn();
    let project = Project::copy("demo");
    project.write("relocator.toml", "[model]\nmax_replies = 6\nreply_timeout = 240\nmax_seconds = 480\n");
    let before: Tree = project.tree();
    let ran = heal(&project, "model", &base);
    let document = ran.json();
    let outcome = text(&document, "outcome").to_owned();
    println!("a real model: {outcome} {} ({})", text(&document, "reason"), document["model"]["mode"]);
    assert!(["healed", "proposed", "declined"].contains(&outcome.as_str()), "{ran}");
    let changes = before.changes(&project.tree());
    if outcome == "healed" {
        assert_eq!(changes.len(), 1, "{ran}");
        assert_eq!(
            (&changes[0].file, &changes[0].before),
            (&right_change(&project)[0].file, &right_change(&project)[0].before)
        );
    } else {
        assert_eq!(changes, [], "{ran}");
    }
    assert!(document["model"]["replies"].as_u64().is_some_and(|replies| replies > 0), "{ran}");
}

fn right_change(project: &Project) -> Vec<Change> {
    let expected = &project.expected;
    vec![Change {
        file: expected.file.clone().expect("a file"),
        before: expected.line_before.clone().expect("the line before"),
        after: expected.line_after.clone().expect("the line after"),
    }]
}
