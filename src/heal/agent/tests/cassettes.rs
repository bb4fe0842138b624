//! Recorded conversations, played by a server over the real wire: `fixtures/cassettes/*.json`.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use camino::Utf8PathBuf;
use serde::Deserialize;
use serde_json::{Value, json};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

use super::world::{CANARY, Disk, Prepared, Run1, SETTINGS, Scripted, converse};
use crate::adapters::openai::{Endpoint, Modes, OpenAi, key_from};
use crate::domain::budget::Limits;

/// A cassette.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cassette {
    /// What it shows.
    about: String,
    /// Which setting it is about.
    setting: String,
    /// What the runs come to, in order.
    #[serde(default)]
    runs: Vec<String>,
    /// What the server answers, in order; the last one again and again.
    replies: Vec<Answer>,
    /// What must come of it.
    expect: Expect,
}

/// One answer of the server.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Answer {
    /// 200 unless said otherwise.
    status: Option<u16>,
    /// A header.
    retry_after: Option<String>,
    /// How long it waits.
    delay_ms: u64,
    /// The whole body.
    body: Option<Value>,
    /// The whole body, as text.
    text: Option<String>,
    /// A body of so many bytes of text.
    bytes: Option<usize>,
    /// The message of the first choice, in place of a body.
    message: Option<Value>,
    /// Calls of the first choice, as `[name, arguments]`.
    calls: Vec<(String, Value)>,
    /// Arguments of a call as they are, broken or not.
    raw_call: Option<(String, String)>,
    /// Why it ended.
    finish: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expect {
    /// The reason's code, or `error: ` with a part of the text.
    reason: String,
    /// How many edits were tried.
    #[serde(default)]
    tried: usize,
    /// The line that is left, where one is.
    line: Option<String>,
    /// A part of what the model was told in the end.
    told: Option<String>,
    /// How many edits were refused.
    rejected: Option<u32>,
    /// How many requests were sent.
    requests: Option<u32>,
}

/// Plays the answers in order.
struct Player(Mutex<Vec<Answer>>);

impl Respond for Player {
    fn respond(&self, _: &Request) -> ResponseTemplate {
        let mut answers = self.0.lock().unwrap();
        let answer = if answers.len() > 1 { answers.remove(0) } else { answers[0].clone() };
        let mut template = ResponseTemplate::new(answer.status.unwrap_or(200));
        if let Some(after) = &answer.retry_after {
            template = template.insert_header("retry-after", after.as_str());
        }
        let body = match (&answer.text, answer.bytes) {
            (Some(text), _) => text.clone(),
            (None, Some(bytes)) => {
                completion(&Answer { message: Some(json!({ "content": "x".repeat(bytes) })), ..Answer::default() })
            }
            _ => completion(&answer),
        };
        template.set_body_raw(body, "application/json").set_delay(Duration::from_millis(answer.delay_ms))
    }
}

/// A body as servers send them, with as little in it as any of them does.
fn completion(answer: &Answer) -> String {
    if let Some(body) = &answer.body {
        return body.to_string();
    }
    let call = |(place, (name, arguments)): (usize, (&String, String))| json!({ "id": format!("c{place}"), "type": "function", "function": { "name": name, "arguments": arguments } });
    let calls: Vec<Value> = answer
        .calls
        .iter()
        .map(|(name, arguments)| (name, arguments.to_string()))
        .chain(answer.raw_call.iter().map(|(name, raw)| (name, raw.clone())))
        .enumerate()
        .map(call)
        .collect();
    let message = answer.message.clone().unwrap_or_else(|| json!({ "content": null, "tool_calls": calls }));
    let choice = json!({ "message": message, "finish_reason": answer.finish });
    json!({ "choices": [choice], "usage": { "prompt_tokens": 50, "completion_tokens": 10 } }).to_string()
}

fn runs(names: &[String]) -> Vec<Run1> {
    let run = |name: &String| match name.as_str() {
        "red" => Run1::Red,
        "flaky" => Run1::Flaky,
        "green" => Run1::Green { counter: Some(true) },
        "green without the step too" => Run1::Green { counter: Some(false) },
        other => panic!("no such run: {other}"),
    };
    names.iter().map(run).collect()
}

fn cassettes() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/cassettes");
    let entries = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == "json")).collect();
    files.sort();
    files
}

/// A model at `server` of which it is known how it takes calls.
async fn model(server: &MockServer, folder: &Path, mode: &str) -> OpenAi {
    let base = format!("{}/v1", server.uri());
    let file = Utf8PathBuf::from_path_buf(folder.join("models.json")).unwrap();
    std::fs::write(&file, json!({ format!("{base} scripted"): mode }).to_string()).unwrap();
    let key = key_from(None, Some("sk-the-key-of-the-test".to_owned())).await.unwrap();
    let endpoint = Endpoint::new(Some(&base), "scripted", key).unwrap();
    OpenAi::new(endpoint, Duration::from_millis(1_500), Modes::in_file(file)).unwrap()
}

#[tokio::test]
async fn every_recorded_conversation_ends_as_it_must() {
    let files = cassettes();
    assert!(files.len() > 15, "{files:?}");
    for file in files {
        let cassette: Cassette = serde_json::from_slice(&std::fs::read(&file).unwrap())
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        for mode in ["tools", "schema"] {
            play(&format!("{name} ({mode}): {}", cassette.about), &cassette, mode).await;
        }
    }
}

async fn play(name: &str, cassette: &Cassette, mode: &str) {
    let setting = SETTINGS.iter().find(|setting| setting.name == cassette.setting);
    let prepared = Prepared::new(setting.unwrap_or_else(|| panic!("{name}: no setting {}", cassette.setting)));
    let disk = Disk::of(&prepared).await;
    let server = MockServer::start().await;
    let player = Player(Mutex::new(cassette.replies.clone()));
    Mock::given(method("POST")).and(path("/v1/chat/completions")).respond_with(player).mount(&server).await;
    let folder = tempfile::tempdir().unwrap();
    let mut model = model(&server, folder.path(), mode).await;
    let mut bench = Scripted::new(&disk, runs(&cassette.runs));
    let limits = Limits { steps: 12, wall: Duration::from_secs(20), ..Limits::default() };
    let came = converse(&prepared, &mut model, &mut bench, limits).await;

    let expect = &cassette.expect;
    match expect.reason.strip_prefix("error: ") {
        Some(part) => {
            let error = came.reason.as_ref().expect_err(name).to_string();
            assert!(error.contains(part), "{name}: {error}");
        }
        None => assert_eq!(came.code().code(), expect.reason, "{name}: {:?}", came.reason),
    }
    assert_eq!(bench.tried.len(), expect.tried, "{name}");
    let changed = disk.changed();
    let left = changed.iter().map(|(path, text)| {
        let before = disk.before(path).lines();
        text.lines()
            .zip(before)
            .filter(|(new, old)| new != old)
            .map(|(new, _)| new.trim().to_owned())
            .collect::<Vec<_>>()
    });
    let left: Vec<String> = left.flatten().collect();
    assert_eq!(left, expect.line.iter().cloned().collect::<Vec<_>>(), "{name}");
    let told: String = came.conversation.messages.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("\n");
    if let Some(part) = &expect.told {
        assert!(told.contains(part), "{name}: {told}");
    }
    if let Some(rejected) = expect.rejected {
        assert_eq!(came.conversation.spent.rejected, rejected, "{name}: {told}");
    }
    let requests = server.received_requests().await.unwrap();
    if let Some(count) = expect.requests {
        assert_eq!((requests.len(), model.requests()), (count as usize, count), "{name}");
    }
    for request in requests {
        let body = String::from_utf8_lossy(&request.body);
        assert!(!body.contains(CANARY) && !body.contains("sk-the-key-of-the-test"), "{name}: {body}");
        assert_eq!(request.headers.get("authorization").unwrap(), "Bearer sk-the-key-of-the-test");
    }
    assert!(!told.contains(CANARY) && !told.contains("sk-the-key-of-the-test"), "{name}: {told}");
}
