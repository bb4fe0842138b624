//! GitHub's reviews of a pull request: <https://docs.github.com/rest/pulls/reviews>.

use reqwest::Method;
use serde::{Deserialize, Serialize};

use super::{Forge, LISTED};
use crate::domain::handover::marked;
use crate::domain::handover::suggest::{Review, Shown, lines_of};
use crate::error::Error;

/// GitHub lists at most 3,000 files of a pull request, a hundred at a time; reviews are as many as people make.
const PAGES: usize = 30;

/// What is known of a pull request before it is reviewed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reviewed {
    /// The commit that a review is about.
    pub head: String,
    /// The lines that it shows.
    pub shown: Shown,
    /// The texts of the reviews that it has.
    pub reviews: Vec<String>,
}

#[derive(Deserialize)]
struct Pull {
    head: Head,
}

#[derive(Deserialize)]
struct Head {
    sha: String,
}

#[derive(Deserialize)]
struct File {
    filename: String,
    /// Absent for a binary file, and for one whose change is too long.
    patch: Option<String>,
}

#[derive(Deserialize)]
struct Existing {
    body: Option<String>,
}

#[derive(Deserialize)]
struct Made {
    #[serde(default)]
    html_url: String,
}

#[derive(Serialize)]
struct New<'n> {
    commit_id: &'n str,
    event: &'static str,
    body: String,
    comments: Vec<Comment<'n>>,
}

#[derive(Serialize)]
struct Comment<'n> {
    path: &'n str,
    line: usize,
    side: &'static str,
    body: &'n str,
}

pub(super) async fn look(forge: &Forge, number: u64) -> Result<Reviewed, Error> {
    let pull: Pull = forge.send(of_pull(forge, Method::GET, number, &[]), "show the pull request").await?;
    let files: Vec<File> = listed(forge, number, "files", "list the pull request's files").await?;
    let reviews: Vec<Existing> = listed(forge, number, "reviews", "list the pull request's reviews").await?;
    Ok(Reviewed {
        head: pull.head.sha,
        shown: files.into_iter().map(|file| (file.filename, lines_of(&file.patch.unwrap_or_default()))).collect(),
        reviews: reviews.into_iter().filter_map(|review| review.body).collect(),
    })
}

pub(super) async fn post(forge: &Forge, number: u64, head: &str, review: &Review) -> Result<String, Error> {
    let comments = review.comments.iter().map(|comment| Comment {
        path: &comment.path,
        line: comment.line,
        side: "RIGHT",
        body: &comment.body,
    });
    let new = New {
        commit_id: head,
        event: "COMMENT",
        body: marked(&review.body, &review.repairs),
        comments: comments.collect(),
    };
    let request = of_pull(forge, Method::POST, number, &["reviews"]).json(&new);
    Ok(forge.send::<Made>(request, "take the review").await?.html_url)
}

async fn listed<T: serde::de::DeserializeOwned>(
    forge: &Forge,
    number: u64,
    of: &str,
    what: &str,
) -> Result<Vec<T>, Error> {
    let mut all = Vec::new();
    for page in 1..=PAGES {
        let query = [("per_page", LISTED.to_string()), ("page", page.to_string())];
        let some: Vec<T> = forge.send(of_pull(forge, Method::GET, number, &[of]).query(&query), what).await?;
        let full = some.len() >= LISTED;
        all.extend(some);
        if !full {
            break;
        }
    }
    Ok(all)
}

fn of_pull(forge: &Forge, method: Method, number: u64, more: &[&str]) -> reqwest::RequestBuilder {
    let number = number.to_string();
    let one: Vec<&str> = std::iter::once(number.as_str()).chain(more.iter().copied()).collect();
    super::github::pulls(forge, method, &one)
}
