//! GitHub's REST API: <https://docs.github.com/rest/pulls/pulls>.

use reqwest::Method;
use serde::{Deserialize, Serialize};

use super::{Draft, Forge, LISTED};
use crate::domain::handover::{PullRequest, State};
use crate::error::Error;

#[derive(Deserialize)]
struct Pull {
    number: u64,
    #[serde(default)]
    html_url: String,
    state: String,
    merged_at: Option<String>,
    body: Option<String>,
}

#[derive(Serialize)]
struct New<'n> {
    title: &'n str,
    body: &'n str,
    head: &'n str,
    base: &'n str,
}

#[derive(Serialize)]
struct Change<'n> {
    title: &'n str,
    body: &'n str,
}

pub(super) async fn requests(forge: &Forge, branch: &str) -> Result<Vec<PullRequest>, Error> {
    let owner = forge.path.split('/').next().unwrap_or_default();
    let (head, listed) = (format!("{owner}:{branch}"), LISTED.to_string());
    let query = [("head", head.as_str()), ("state", "all"), ("per_page", listed.as_str())];
    let pulls: Vec<Pull> = forge.send(pulls(forge, Method::GET, &[]).query(&query), "list its pull requests").await?;
    let request = |pull: Pull| PullRequest {
        number: pull.number,
        url: pull.html_url,
        state: match pull.state.as_str() {
            "open" => State::Open,
            _ if pull.merged_at.is_some() => State::Merged,
            _ => State::Closed,
        },
        body: pull.body.unwrap_or_default(),
    };
    Ok(pulls.into_iter().map(request).collect())
}

pub(super) async fn open(forge: &Forge, draft: &Draft<'_>) -> Result<String, Error> {
    let new = New { title: draft.title, body: draft.body, head: draft.head, base: draft.base };
    let pull: Pull = forge.send(pulls(forge, Method::POST, &[]).json(&new), "open a pull request").await?;
    Ok(pull.html_url)
}

pub(super) async fn update(forge: &Forge, number: u64, draft: &Draft<'_>) -> Result<(), Error> {
    let change = Change { title: draft.title, body: draft.body };
    let request = pulls(forge, Method::PATCH, &[&number.to_string()]).json(&change);
    forge.send::<Pull>(request, "update the pull request").await.map(drop)
}

pub(super) fn pulls(forge: &Forge, method: Method, more: &[&str]) -> reqwest::RequestBuilder {
    let segments: Vec<&str> =
        std::iter::once("repos").chain(forge.path.split('/')).chain(["pulls"]).chain(more.iter().copied()).collect();
    forge.request(method, &segments)
}
