use std::sync::Mutex;

use camino::Utf8PathBuf;
use serde_json::json;
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

use super::*;

/// Answers each request by what `answer` makes of its body; keeps the bodies.
struct Server<F>(F, Mutex<()>);

impl<F: Fn(&serde_json::Value) -> ResponseTemplate + Send + Sync> Respond for Server<F> {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let _one_at_a_time = self.1.lock().unwrap();
        (self.0)(&serde_json::from_slice(&request.body).unwrap())
    }
}

async fn serve(answer: impl Fn(&serde_json::Value) -> ResponseTemplate + Send + Sync + 'static) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(any()).respond_with(Server(answer, Mutex::new(()))).mount(&server).await;
    server
}

fn model(server: &MockServer, modes: &Modes) -> OpenAi {
    let endpoint = Endpoint::new(Some(&format!("{}/v1/", server.uri())), "small", None).unwrap();
    OpenAi::new(endpoint, Duration::from_secs(5), modes.clone()).unwrap()
}

async fn ask(model: &mut OpenAi) -> Result<Reply, ModelError> {
    let messages = [
        Message::User("go".to_owned()),
        Message::Result { id: "1".into(), name: "inspect_dom".into(), text: "data".into() },
    ];
    model.ask(&Question { messages: &messages, within: Duration::from_secs(20), longest: 100 }).await
}

fn text(content: &str) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(json!({ "choices": [{ "message": { "content": content } }] }))
}

fn call(name: &str) -> ResponseTemplate {
    let call = json!({ "id": "1", "function": { "name": name, "arguments": "{}" } });
    ResponseTemplate::new(200).set_body_json(json!({ "choices": [{ "message": { "tool_calls": [call] } }] }))
}

const IN_TEXT: &str = r#"{"tool":"decline","reason":"check"}"#;

#[tokio::test]
async fn what_a_server_can_do_is_found_out_once_and_remembered() {
    type Answer = fn(&serde_json::Value) -> ResponseTemplate;
    let servers: [(Mode, u32, Answer); 5] = [
        (Mode::Tools, 2, |_| call("decline")),
        // Takes no `tool_choice: required`.
        (Mode::ToolsAuto, 3, |body| match body["tool_choice"].as_str() {
            Some("auto") => call("decline"),
            _ => ResponseTemplate::new(400).set_body_json(json!({ "error": "tool_choice" })),
        }),
        // Ignores tools and answers in text.
        (Mode::Schema, 4, |body| if body.get("response_format").is_some() { text(IN_TEXT) } else { text("Sure!") }),
        // Knows neither tools nor schemas.
        (Mode::Plain, 5, |body| {
            let unknown = body.get("tools").or(body.get("response_format")).is_some();
            if unknown { ResponseTemplate::new(422).set_body_string("unknown field") } else { text(IN_TEXT) }
        }),
        // Answers a call in text, which is no tool call.
        (Mode::Schema, 4, |_| text(IN_TEXT)),
    ];
    for (mode, requests, answer) in servers {
        let folder = tempfile::tempdir().unwrap();
        let modes = Modes::in_file(Utf8PathBuf::from_path_buf(folder.path().join("models.json")).unwrap());
        let server = serve(answer).await;
        let mut first = model(&server, &modes);
        assert!(ask(&mut first).await.is_ok(), "{mode:?}");
        assert_eq!((first.mode(), first.requests()), (Some(mode), requests));
        let mut second = model(&server, &modes);
        assert!(ask(&mut second).await.is_ok(), "{mode:?}");
        assert_eq!((second.mode(), second.requests()), (Some(mode), 1));
    }
}

#[tokio::test]
async fn a_server_whose_tools_break_in_a_conversation_is_asked_by_a_schema() {
    let server = serve(|body| {
        let answered = body["messages"].to_string().contains("data");
        match (body.get("tools").is_some(), answered) {
            (true, false) => call("decline"),
            (true, true) => ResponseTemplate::new(400).set_body_json(json!({ "error": { "message": "bad turn" } })),
            (false, _) => text(IN_TEXT),
        }
    })
    .await;
    let mut model = model(&server, &Modes::default());
    assert_eq!(ask(&mut model).await.unwrap().text, IN_TEXT);
    assert_eq!(model.mode(), Some(Mode::Schema));
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let other = serve(|_| call("decline")).await;
    let to = format!("{}/v1/chat/completions", other.uri());
    let server = serve(move |_| ResponseTemplate::new(307).insert_header("location", to.as_str())).await;
    let error = ask(&mut model(&server, &Modes::default())).await.unwrap_err();
    assert!(matches!(error, ModelError::Refused { status: 307, .. }), "{error:?}");
    assert_eq!(other.received_requests().await.unwrap().len(), 0);
}

#[tokio::test]
async fn a_server_on_this_machine_is_asked_past_a_proxy() {
    const BEHIND: &str = "RELOCATOR_TEST_BEHIND_A_PROXY";
    if std::env::var_os(BEHIND).is_some() {
        let server = serve(|_| call("decline")).await;
        assert!(ask(&mut model(&server, &Modes::default())).await.is_ok());
        return;
    }
    // A process of its own, because the proxy is a matter of the environment. Nobody listens on the discard port.
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "adapters::openai::tests::a_server_on_this_machine_is_asked_past_a_proxy"]);
    for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] {
        command.env(name, "http://127.0.0.1:9");
    }
    let ran = command.env(BEHIND, "1").env_remove("NO_PROXY").env_remove("no_proxy").output().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success() && said.contains("1 passed"), "{said}");
}

#[tokio::test]
async fn nobody_at_the_address_is_said_as_that() {
    let endpoint = Endpoint::new(Some("http://127.0.0.1:9/v1"), "small", None).unwrap();
    let mut model = OpenAi::new(endpoint, Duration::from_secs(5), Modes::default()).unwrap();
    let error = ask(&mut model).await.unwrap_err();
    assert!(matches!(error, ModelError::Unreachable(_)), "{error:?}");
}
