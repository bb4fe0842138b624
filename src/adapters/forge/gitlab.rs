//! GitLab's REST API: <https://docs.gitlab.com/api/merge_requests>.

use reqwest::Method;
use serde::{Deserialize, Serialize};

use super::{Draft, Forge, LISTED};
use crate::domain::handover::{PullRequest, State};
use crate::error::Error;

#[derive(Deserialize)]
struct Merge {
    iid: u64,
    #[serde(default)]
    web_url: String,
    state: String,
    description: Option<String>,
}

#[derive(Serialize)]
struct New<'n> {
    title: &'n str,
    description: &'n str,
    source_branch: &'n str,
    target_branch: &'n str,
}

#[derive(Serialize)]
struct Change<'n> {
    title: &'n str,
    description: &'n str,
}

pub(super) async fn requests(forge: &Forge, branch: &str) -> Result<Vec<PullRequest>, Error> {
    let listed = LISTED.to_string();
    let query = [("source_branch", branch), ("state", "all"), ("per_page", listed.as_str())];
    let merges: Vec<Merge> =
        forge.send(merges(forge, Method::GET, &[]).query(&query), "list its merge requests").await?;
    let request = |merge: Merge| PullRequest {
        number: merge.iid,
        url: merge.web_url,
        state: match merge.state.as_str() {
            "opened" | "locked" => State::Open,
            "merged" => State::Merged,
            _ => State::Closed,
        },
        body: merge.description.unwrap_or_default(),
    };
    Ok(merges.into_iter().map(request).collect())
}

pub(super) async fn open(forge: &Forge, draft: &Draft<'_>) -> Result<String, Error> {
    let new = New { title: draft.title, description: draft.body, source_branch: draft.head, target_branch: draft.base };
    let merge: Merge = forge.send(merges(forge, Method::POST, &[]).json(&new), "open a merge request").await?;
    Ok(merge.web_url)
}

pub(super) async fn update(forge: &Forge, number: u64, draft: &Draft<'_>) -> Result<(), Error> {
    let change = Change { title: draft.title, description: draft.body };
    let request = merges(forge, Method::PUT, &[&number.to_string()]).json(&change);
    forge.send::<Merge>(request, "update the merge request").await.map(drop)
}

fn merges(forge: &Forge, method: Method, more: &[&str]) -> reqwest::RequestBuilder {
    // The whole path is one segment: its slashes are escaped.
    let segments: Vec<&str> =
        ["projects", &forge.path, "merge_requests"].into_iter().chain(more.iter().copied()).collect();
    forge.request(method, &segments)
}
