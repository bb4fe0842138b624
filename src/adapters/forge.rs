//! GitHub and GitLab, as far as handing over needs them: find, open and update the one pull request of a branch; on GitHub
//! also review one with suggestions.
//!
//! The token comes from the environment, goes nowhere but to the forge's own address, and is never printed. Nothing is
//! closed, merged or deleted.

mod github;
mod gitlab;
mod review;

use std::time::Duration;

use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderMap, HeaderValue};
use reqwest::{Client, Method, RequestBuilder};
use secrecy::{ExposeSecret as _, SecretString};
use serde::de::DeserializeOwned;
use url::Url;

pub use self::review::Reviewed;
use super::http::{self, is_loopback};
use crate::domain::handover::suggest::Review;
use crate::domain::handover::{PullRequest, Remote};
use crate::error::Error;

/// How long one answer may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// Longest answer that is read, in bytes: a hundred requests with their texts.
const BODY_CAP: usize = 16 << 20;

/// How many requests of one branch are looked at; all forges give the newest first.
const LISTED: usize = 100;

/// Which forge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Kind {
    /// GitHub, GitHub Enterprise Server, and forges that speak its API
    Github,
    /// GitLab
    Gitlab,
}

impl Kind {
    /// The forge at a host, by its name.
    pub fn of(host: &str) -> Option<Self> {
        let named = |name: &str| host.split('.').any(|part| part == name);
        match () {
            () if named("github") => Some(Self::Github),
            () if named("gitlab") => Some(Self::Gitlab),
            () => None,
        }
    }

    /// The variables that may hold its token, the first that is set counts.
    pub fn token_variables(self) -> &'static [&'static str] {
        match self {
            Self::Github => &["RELOCATOR_FORGE_TOKEN", "GITHUB_TOKEN", "GH_TOKEN"],
            Self::Gitlab => &["RELOCATOR_FORGE_TOKEN", "GITLAB_TOKEN"],
        }
    }

    /// The address of its API at a host.
    fn api(self, host: &str) -> String {
        match self {
            Self::Github if host == "github.com" => "https://api.github.com".to_owned(),
            Self::Github => format!("https://{host}/api/v3"),
            Self::Gitlab => format!("https://{host}/api/v4"),
        }
    }
}

/// Where a repository lives on a forge.
#[derive(Debug, Clone)]
pub struct Repository {
    /// Which forge.
    pub kind: Kind,
    /// Address of its API, without a slash at the end; `None` for the forge's usual one at the remote's host.
    pub api: Option<String>,
    /// The host and `owner/name`.
    pub remote: Remote,
}

/// What a request says.
#[derive(Debug, Clone)]
pub struct Draft<'d> {
    /// The branch with the commits.
    pub head: &'d str,
    /// The branch they are for.
    pub base: &'d str,
    /// The title.
    pub title: &'d str,
    /// The text, Markdown.
    pub body: &'d str,
}

/// A forge that can be asked.
pub struct Forge {
    kind: Kind,
    http: Client,
    api: Url,
    path: String,
}

impl Forge {
    /// Opens the forge of `repository` with `token`.
    ///
    /// # Errors
    /// The address is none, or would send the token in the clear; the token cannot stand in a header.
    pub fn open(repository: &Repository, token: &SecretString) -> Result<Self, Error> {
        let text = repository.api.clone().unwrap_or_else(|| repository.kind.api(&repository.remote.host));
        let api = Url::parse(text.trim_end_matches('/'))
            .map_err(|error| Error::usage(format!("`{text}` is no address of a forge")).caused_by(&error))?;
        // Names below `localhost` are this machine by convention only: not enough for a token in the clear.
        let here = is_loopback(&api) && api.domain().is_none_or(|name| name == "localhost");
        if api.scheme() != "https" && !(here && api.scheme() == "http") {
            return Err(Error::usage(format!("the token is not sent to `{text}`: it must begin with https://")));
        }
        let mut bearer = HeaderValue::from_str(&format!("Bearer {}", token.expose_secret().trim()))
            .map_err(|_| Error::usage("the token of the forge has characters that no token has"))?;
        bearer.set_sensitive(true);
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, bearer);
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        let http = http::client(&api).default_headers(headers).timeout(PATIENCE);
        let http = http.build().map_err(|error| Error::blocked("no HTTP client").caused_by(&error))?;
        Ok(Self { kind: repository.kind, http, api, path: repository.remote.path.clone() })
    }

    /// All requests that `branch` ever had, the newest first; at most a hundred.
    ///
    /// # Errors
    /// The forge does not answer, or says no.
    pub async fn requests(&self, branch: &str) -> Result<Vec<PullRequest>, Error> {
        match self.kind {
            Kind::Github => github::requests(self, branch).await,
            Kind::Gitlab => gitlab::requests(self, branch).await,
        }
    }

    /// Opens a request; where a person finds it.
    ///
    /// # Errors
    /// As [`Self::requests`].
    pub async fn open_request(&self, draft: &Draft<'_>) -> Result<String, Error> {
        match self.kind {
            Kind::Github => github::open(self, draft).await,
            Kind::Gitlab => gitlab::open(self, draft).await,
        }
    }

    /// Gives an open request a new title and text.
    ///
    /// # Errors
    /// As [`Self::requests`].
    pub async fn update(&self, number: u64, draft: &Draft<'_>) -> Result<(), Error> {
        match self.kind {
            Kind::Github => github::update(self, number, draft).await,
            Kind::Gitlab => gitlab::update(self, number, draft).await,
        }
    }

    /// What has to be known of a pull request before it is reviewed; GitHub only.
    ///
    /// # Errors
    /// As [`Self::requests`], or the forge is not GitHub.
    pub async fn look(&self, number: u64) -> Result<Reviewed, Error> {
        self.takes_reviews()?;
        review::look(self, number).await
    }

    /// Reviews a pull request at its commit `head`; where a person finds it.
    ///
    /// # Errors
    /// As [`Self::look`].
    pub async fn review(&self, number: u64, head: &str, review: &Review) -> Result<String, Error> {
        self.takes_reviews()?;
        review::post(self, number, head, review).await
    }

    /// Whether one review can hold several suggestions.
    ///
    /// # Errors
    /// It cannot.
    pub fn takes_reviews(&self) -> Result<(), Error> {
        match self.kind {
            Kind::Github => Ok(()),
            Kind::Gitlab => {
                Err(Error::usage("suggestions are made in GitHub's reviews; GitLab has none of several comments")
                    .hinted("hand over with --branch and --open-pr"))
            }
        }
    }

    fn request(&self, method: Method, segments: &[&str]) -> RequestBuilder {
        let mut url = self.api.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        self.http.request(method, url)
    }

    async fn send<T: DeserializeOwned>(&self, request: RequestBuilder, what: &str) -> Result<T, Error> {
        let failed = |why: String| Error::blocked(format!("the forge at {} did not {what}: {why}", self.api));
        let response = request.send().await.map_err(|error| failed(plain(&error)))?;
        let status = response.status();
        let (body, whole) = http::body(response, BODY_CAP).await.map_err(|error| failed(plain(&error)))?;
        if !whole {
            return Err(failed(format!("its answer is longer than {BODY_CAP} bytes")));
        }
        if !status.is_success() {
            let hint = match status.as_u16() {
                401 => "the token is not known there",
                403 | 404 => "the token may need the right to write pull requests, or the repository is another one",
                422 | 409 => "is there a difference between the branches?",
                _ => "see the forge's own status",
            };
            return Err(failed(format!("status {}", status.as_u16())).hinted(hint));
        }
        serde_json::from_slice(&body).map_err(|error| failed(format!("its answer cannot be read: {error}")))
    }
}

/// What went wrong, without an address that may hold a secret.
fn plain(error: &reqwest::Error) -> String {
    match error {
        error if error.is_timeout() => format!("no answer within {} s", PATIENCE.as_secs()),
        error if error.is_connect() => "it cannot be reached".to_owned(),
        _ => "the connection failed".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_sent_over_https_or_to_this_machine_only() {
        let open = |api: Option<&str>, host: &str, token: &str| {
            let remote = Remote { host: host.to_owned(), path: "team/shop".to_owned() };
            let repository = Repository { kind: Kind::Github, api: api.map(str::to_owned), remote };
            Forge::open(&repository, &SecretString::from(token.to_owned())).map(|forge| forge.api.to_string())
        };
        assert_eq!(open(None, "github.com", "t").unwrap(), "https://api.github.com/");
        assert_eq!(open(None, "git.github.example", "t").unwrap(), "https://git.github.example/api/v3");
        assert!(open(Some("http://127.0.0.1:9/api"), "x", "t").is_ok());
        for api in ["http://forge.example", "ftp://127.0.0.1", "forge"] {
            assert!(open(Some(api), "x", "t").is_err(), "{api}");
        }
        let error = open(None, "github.com", "se\ncret").unwrap_err();
        assert!(!format!("{error:?}").contains("cret"));
    }

    #[test]
    fn a_forge_is_known_by_a_part_of_its_host() {
        assert_eq!(Kind::of("github.com"), Some(Kind::Github));
        assert_eq!(Kind::of("gitlab.example.org"), Some(Kind::Gitlab));
        assert_eq!(Kind::of("notgithub.com"), None);
    }
}
