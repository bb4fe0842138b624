//! The endpoints of GitHub and GitLab that are used, against a local server that speaks them.

use relocator::adapters::forge::{Draft, Forge, Kind, Repository};
use relocator::domain::handover::{Remote, State};
use secrecy::SecretString;
use serde_json::json;
use wiremock::matchers::{body_partial_json, header, method, path, query_param};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::support::wait;

const BRANCH: &str = "relocator/repairs";

fn forge(kind: Kind, server: &MockServer) -> Forge {
    let remote = Remote { host: String::new(), path: "team/shop".to_owned() };
    let repository = Repository { kind, api: Some(format!("{}/api", server.uri())), remote };
    Forge::open(&repository, &SecretString::from("t0ken".to_owned())).expect("a forge")
}

const DRAFT: Draft<'_> = Draft { head: BRANCH, base: "main", title: "a title", body: "a body" };

#[test]
fn github_is_asked_for_the_requests_of_the_branch_and_gets_a_new_or_changed_one() {
    wait(async {
        let server = MockServer::start().await;
        let pulls = "/api/repos/team/shop/pulls";
        let bearer = || header("authorization", "Bearer t0ken");
        let listed = json!([
            { "number": 3, "html_url": "u3", "state": "closed", "merged_at": null, "body": null },
            { "number": 2, "html_url": "u2", "state": "closed", "merged_at": "2026-01-01T00:00:00Z", "body": "b" },
            { "number": 5, "html_url": "u5", "state": "open", "merged_at": null, "body": "x" },
        ]);
        Mock::given(method("GET"))
            .and(path(pulls))
            .and(bearer())
            .and(query_param("head", format!("team:{BRANCH}")))
            .and(query_param("state", "all"))
            .respond_with(ResponseTemplate::new(200).set_body_json(listed))
            .expect(1)
            .mount(&server)
            .await;
        let wanted = json!({ "title": "a title", "body": "a body", "head": BRANCH, "base": "main" });
        let made =
            json!({ "number": 6, "html_url": "https://forge/6", "state": "open", "merged_at": null, "body": "" });
        Mock::given(method("POST"))
            .and(path(pulls))
            .and(bearer())
            .and(body_partial_json(wanted))
            .respond_with(ResponseTemplate::new(201).set_body_json(&made))
            .expect(1)
            .mount(&server)
            .await;
        Mock::given(method("PATCH"))
            .and(path(format!("{pulls}/5")))
            .and(bearer())
            .and(body_partial_json(json!({ "title": "a title", "body": "a body" })))
            .respond_with(ResponseTemplate::new(200).set_body_json(&made))
            .expect(1)
            .mount(&server)
            .await;
        let forge = forge(Kind::Github, &server);
        let requests = forge.requests(BRANCH).await.expect("requests");
        let states: Vec<(u64, State)> = requests.iter().map(|one| (one.number, one.state)).collect();
        assert_eq!(states, [(3, State::Closed), (2, State::Merged), (5, State::Open)]);
        assert_eq!(forge.open_request(&DRAFT).await.expect("opened"), "https://forge/6");
        forge.update(5, &DRAFT).await.expect("updated");
    });
}

#[test]
fn gitlab_is_asked_with_the_whole_path_as_one_segment() {
    wait(async {
        let server = MockServer::start().await;
        let made = |state: &str| json!({ "iid": 4, "web_url": "https://forge/4", "state": state, "description": "d" });
        for (verb, tail, answer) in [
            ("GET", "", json!([made("opened"), made("closed"), made("merged")])),
            ("POST", "", made("opened")),
            ("PUT", "/4", made("opened")),
        ] {
            Mock::given(method(verb))
                .and(path(format!("/api/projects/team%2Fshop/merge_requests{tail}")))
                .and(header("authorization", "Bearer t0ken"))
                .respond_with(ResponseTemplate::new(200).set_body_json(answer))
                .expect(1)
                .mount(&server)
                .await;
        }
        let forge = forge(Kind::Gitlab, &server);
        let states: Vec<State> = forge.requests(BRANCH).await.expect("requests").iter().map(|one| one.state).collect();
        assert_eq!(states, [State::Open, State::Closed, State::Merged]);
        assert_eq!(forge.open_request(&DRAFT).await.expect("opened"), "https://forge/4");
        forge.update(4, &DRAFT).await.expect("updated");
    });
}

#[test]
fn a_forge_that_says_no_or_nothing_readable_is_an_error_without_the_token() {
    wait(async {
        for answer in [
            ResponseTemplate::new(401),
            ResponseTemplate::new(404).set_body_string("t0ken"),
            ResponseTemplate::new(302).insert_header("location", "http://127.0.0.1:1/"),
            ResponseTemplate::new(200).set_body_string("<html>t0ken"),
        ] {
            let server = MockServer::start().await;
            Mock::given(method("GET")).respond_with(answer).mount(&server).await;
            let error = forge(Kind::Github, &server).requests(BRANCH).await.expect_err("an error");
            assert!(!format!("{error:?} {error}").contains("t0ken"), "{error:?}");
        }
    });
}
