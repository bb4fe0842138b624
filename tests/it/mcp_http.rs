//! `relocator mcp --http`: who may call, by which name, for what, how often; and what is written down about it.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::mcp_clients::drive;
use crate::support::Project;

/// A server that is ended when this is dropped.
pub(crate) struct Server {
    child: Child,
    address: String,
}

impl Server {
    pub(crate) fn start(project: &Project, flags: &[&str]) -> Self {
        let mut command = project.relocator([&["mcp", "--http", "0"], flags].concat());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the server starts");
        let mut line = String::new();
        let mut stderr = BufReader::new(child.stderr.take().expect("its stderr"));
        stderr.read_line(&mut line).expect("where it listens");
        std::thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink()));
        let address = line.trim().strip_prefix("listening on http://").and_then(|rest| rest.strip_suffix("/mcp"));
        let address = address.unwrap_or_else(|| panic!("not listening: {line}")).to_owned();
        Self { child, address }
    }

    /// The connection behind one request with these headers.
    fn send(&self, headers: &[(&str, &str)], message: &Value) -> TcpStream {
        let body = message.to_string();
        let mut request = format!("POST /mcp HTTP/1.1\r\nContent-Length: {}\r\nConnection: close\r\n", body.len());
        let standard = [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];
        let host = [("Host", self.address.as_str())];
        let host = if headers.iter().any(|(name, _)| *name == "Host") { &[][..] } else { &host[..] };
        for (name, value) in standard.iter().chain(host).chain(headers) {
            request.extend([name, ": ", value, "\r\n"]);
        }
        let mut stream = TcpStream::connect(&self.address).expect("a connection");
        stream.write_all(format!("{request}\r\n{body}").as_bytes()).expect("a request");
        stream
    }

    /// The status and the whole text of the answer to one request with these headers.
    fn ask(&self, headers: &[(&str, &str)], message: &Value) -> (u16, String) {
        let mut answer = String::new();
        self.send(headers, message).read_to_string(&mut answer).expect("an answer");
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
        (status.unwrap_or_else(|| panic!("no status: {answer}")), answer)
    }

    /// Begins a call of a tool in a session of its own: the connection on which its answer would come.
    pub(crate) fn begin(&self, token: &str, tool: &str, arguments: &Value) -> TcpStream {
        let bearer = format!("Bearer {token}");
        let (status, answer) = self.ask(&[("Authorization", bearer.as_str())], &hello());
        assert_eq!(status, 200, "{answer}");
        let session = answer.lines().find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            name.eq_ignore_ascii_case("mcp-session-id").then(|| value.trim().to_owned())
        });
        let session = session.unwrap_or_else(|| panic!("no session: {answer}"));
        let headers = [("Authorization", bearer.as_str()), ("Mcp-Session-Id", session.as_str())];
        let (status, answer) = self.ask(&headers, &json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        assert_eq!(status, 202, "{answer}");
        let params = json!({ "name": tool, "arguments": arguments });
        self.send(&headers, &json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params }))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

pub(crate) fn token(project: &Project, name: &str, scopes: &str, heals: &str) -> String {
    let ran = project.run(["token", "add", name, "--scopes", scopes, "--daily-heals", heals]);
    assert_eq!(ran.code, Some(0), "{ran}");
    ran.stdout.trim().to_owned()
}

fn hello() -> Value {
    let client = json!({ "name": "a test", "version": "0" });
    let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params })
}

#[test]
fn only_a_token_from_this_machine_under_its_own_name_gets_in() {
    let project = Project::copy("demo");
    let good = token(&project, "agent", "read", "0");
    let server = Server::start(&project, &[]);
    let port = server.address.rsplit(':').next().expect("a port");
    let bearer = format!("Bearer {good}");
    let wrong = format!("{bearer}0");
    let with = |more: &[(&'static str, &str)]| {
        let headers: Vec<(&str, &str)> =
            std::iter::once(("Authorization", bearer.as_str())).chain(more.iter().copied()).collect();
        server.ask(&headers, &hello()).0
    };
    for (headers, status) in [
        (vec![], 401),
        (vec![("Authorization", "Bearer ")], 401),
        (vec![("Authorization", wrong.as_str())], 401),
        (vec![("Authorization", good.as_str())], 401),
        (vec![("Authorization", "Basic YTpi")], 401),
    ] {
        assert_eq!(server.ask(&headers, &hello()).0, status, "{headers:?}");
    }
    assert_eq!(with(&[]), 200);
    assert_eq!(with(&[("Host", &format!("localhost:{port}"))]), 200);
    for host in ["evil.example", &format!("evil.example:{port}"), "127.0.0.1.evil.example", "10.0.0.1"] {
        assert_eq!(with(&[("Host", host)]), 403, "{host}");
    }
    for origin in ["https://evil.example", "null", "http://localhost", &format!("http://127.0.0.1:{port}")] {
        assert_eq!(with(&[("Origin", origin)]), 403, "no page is a caller: {origin}");
    }
    assert_eq!(project.run(["token", "revoke", "agent"]).code, Some(0));
    assert_eq!(with(&[]), 401, "revoked");
}

#[test]
fn a_server_that_nobody_or_anybody_could_call_does_not_start() {
    let project = Project::copy("demo");
    let ran = project.run(["mcp", "--http", "0"]);
    assert!(ran.code == Some(2) && ran.says("there is no token"), "{ran}");
    let _token = token(&project, "agent", "read", "0");
    let ran = project.run(["mcp", "--http", "0", "--listen", "0.0.0.0"]);
    assert!(ran.code == Some(2) && ran.says("--allow-host"), "{ran}");
}

#[test]
fn each_caller_has_its_own_scopes_its_own_budget_and_a_log_without_secrets() {
    let project = Project::copy("demo");
    let reader = token(&project, "reader", "read", "0");
    let healer = token(&project, "healer", "read,heal", "1");
    let server = Server::start(&project, &["--allow-edits"]);
    let url = format!("http://{}/mcp", server.address);
    // A test that is not there is looked up before anything runs, but it counts: the budget is taken first.
    let heal = json!({ "name": "heal_test", "arguments": { "test": "playwright.config.ts:1", "apply": true } });
    let codes = |sdk: &str, token: &str, calls: Value| -> Vec<Value> {
        let said = drive(&project, &json!({ "sdk": sdk, "url": url, "token": token, "calls": calls }));
        let code = |one: &Value| one["result"]["structuredContent"]["refused"]["code"].clone();
        said["results"].as_array().expect("results").iter().map(code).collect()
    };
    let calls = json!([
        { "name": "classify_failure", "arguments": { "text": "x" } },
        { "name": "check_flaky", "arguments": { "test": "tests/signup.spec.ts:3" } },
        heal,
        { "name": "undo", "arguments": {} },
    ]);
    assert_eq!(
        codes("v1", &reader, calls),
        [Value::Null, json!("not_permitted"), json!("not_permitted"), json!("not_permitted")]
    );
    let spent = codes("v2", &healer, json!([{ "name": "get_report", "arguments": {} }]));
    assert_eq!(spent, [json!("not_found")]);
    let today = fs::read_dir(project.folder().join("home/.config/relocator/audit/healer")).expect("its log");
    let path = today.map(|entry| entry.expect("a file").path()).next().expect("today's log");
    let log = fs::read_to_string(&path).expect("its log");
    let line: Value = serde_json::from_str(log.lines().last().expect("a line")).expect("JSON");
    assert_eq!((&line["tool"], &line["reason"]), (&json!("get_report"), &json!("not_found")), "{log}");
    // As if a repair had begun earlier today.
    fs::write(&path, format!("{log}{}\n", json!({ "time": "", "event": "heal_begun" }))).expect("a longer log");
    assert_eq!(codes("v2", &healer, json!([heal])), [json!("budget_used_up")]);
    for entry in walk(&project.folder().join("home/.config/relocator")) {
        let text = fs::read_to_string(&entry).unwrap_or_default();
        for token in [&reader, &healer] {
            assert!(!text.contains(token.as_str()), "{}", entry.display());
        }
    }
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}
