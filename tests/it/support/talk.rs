//! Speaks the Model Context Protocol with a server, line by line: what a client writes is what the test says.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

/// No answer takes near as long; past it something hangs.
const HANGS: Duration = Duration::from_mins(3);

/// A server at the other end of its stdin and stdout.
#[derive(Debug)]
pub(crate) struct Talk {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    next: i64,
    /// Every notification so far.
    pub(crate) notified: Vec<Value>,
    answers: Vec<Value>,
}

impl Talk {
    /// Starts `command`.
    pub(crate) fn start(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().expect("the server starts");
        let output = BufReader::new(child.stdout.take().expect("its stdout"));
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let input = child.stdin.take();
        Self { child, input, lines, next: 1, notified: Vec::new(), answers: Vec::new() }
    }

    /// Starts `command` and shakes hands in the revision `version`.
    pub(crate) fn initialized(command: Command, version: &str) -> (Self, Value) {
        let mut talk = Self::start(command);
        let client = json!({ "name": "a test", "version": "0" });
        let answer =
            talk.ask("initialize", &json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": client }));
        talk.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        (talk, answer)
    }

    /// Writes one message.
    pub(crate) fn send(&mut self, message: &Value) {
        let input = self.input.as_mut().expect("stdin is open");
        writeln!(input, "{message}").and_then(|()| input.flush()).expect("the server reads");
    }

    /// Sends a request and returns its id.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> i64 {
        let id = self.next;
        self.next += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// The answer to request `id`; notifications that come first are kept.
    pub(crate) fn answer(&mut self, id: i64) -> Value {
        let deadline = Instant::now() + HANGS;
        loop {
            if let Some(at) = self.answers.iter().position(|answer| answer["id"] == id) {
                return self.answers.swap_remove(at);
            }
            assert!(self.hear(deadline), "no answer to {id}; notified: {:?}", self.notified);
        }
    }

    /// Waits for one more message of any kind; `false` when there will be none.
    pub(crate) fn hear(&mut self, deadline: Instant) -> bool {
        let left = deadline.saturating_duration_since(Instant::now());
        let Ok(line) = self.lines.recv_timeout(left) else { return false };
        let message: Value =
            serde_json::from_str(&line).unwrap_or_else(|error| panic!("stdout is not the protocol's: {error}: {line}"));
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        if message.get("id").is_some() && message.get("method").is_none() {
            self.answers.push(message);
        } else {
            self.notified.push(message);
        }
        true
    }

    /// Sends a request and waits for its answer.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.request(method, params);
        self.answer(id)
    }

    /// Begins a call of a tool; progress comes under a token that is the request's id.
    pub(crate) fn begin(&mut self, tool: &str, arguments: &Value) -> i64 {
        let token = self.next;
        self.request(
            "tools/call",
            &json!({ "name": tool, "arguments": arguments, "_meta": { "progressToken": token } }),
        )
    }

    /// The structured answer of a tool call, held against what every answer must be.
    pub(crate) fn structured(&mut self, id: i64, limit: usize) -> Value {
        let answer = self.answer(id);
        let result = &answer["result"];
        assert_eq!(result["isError"], false, "{answer}");
        let structured = result["structuredContent"].clone();
        let text = result["content"][0]["text"].as_str().expect("a text for clients that know no structure");
        assert_eq!(serde_json::from_str::<Value>(text).ok().as_ref(), Some(&structured), "{answer}");
        assert!(result.to_string().chars().count() <= limit, "{} characters", result.to_string().chars().count());
        structured
    }

    /// Calls a tool to its end.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let id = self.begin(tool, arguments);
        self.structured(id, 8_000)
    }

    /// The code of the refusal that a tool answers with.
    pub(crate) fn refused(&mut self, tool: &str, arguments: &Value) -> String {
        let answer = self.call(tool, arguments);
        let code = answer["refused"]["code"].as_str();
        assert!(answer["result"].is_null() && answer["refused"]["reason"].is_string(), "{tool} {arguments}: {answer}");
        code.unwrap_or_else(|| panic!("{tool} {arguments} is not refused: {answer}")).to_owned()
    }

    /// Closes stdin and waits for the server's end; returns its exit code.
    pub(crate) fn hang_up(mut self) -> Option<i32> {
        self.input = None;
        self.end()
    }

    /// Sends SIGTERM, with stdin open, and waits for the server's end; returns its exit code.
    pub(crate) fn terminate(mut self) -> Option<i32> {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).expect("a process id");
        kill_process(pid, Signal::TERM).expect("the server was alive");
        self.end()
    }

    fn end(&mut self) -> Option<i32> {
        let deadline = Instant::now() + HANGS;
        loop {
            if let Some(status) = self.child.try_wait().expect("its end") {
                return status.code();
            }
            assert!(Instant::now() < deadline, "the server goes on without a client");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        // A test that failed half-way leaves nobody behind; after an orderly end there is nobody to kill.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
