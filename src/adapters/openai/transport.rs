//! One request, one response of bounded size, no retry: in place of async-openai's own transport, which reads without an
//! end and waits as long as a server likes.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use async_openai::error::OpenAIError;
use async_openai::middleware::HttpRequestFactory;
use reqwest::Response;
use reqwest::header::{CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use tower_service::Service;

use crate::adapters::http::body;

/// Longest body that is read, in bytes: a reply has kilobytes.
const BODY_CAP: usize = 4 << 20;
/// Longest body of an error that is read, in bytes.
const ERROR_CAP: usize = 64 << 10;

/// A response that is no reply.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    /// Another status than 2xx.
    #[error("status {status}")]
    Status {
        /// The status.
        status: u16,
        /// How long the server wants to be left alone.
        retry_after: Option<Duration>,
        /// What it says.
        body: String,
    },
    /// More than is read.
    #[error("the reply is longer than {BODY_CAP} bytes")]
    TooLong,
    /// Not JSON.
    #[error("the reply is no JSON: {0}")]
    NotJson(String),
}

/// Sends requests.
#[derive(Debug, Clone)]
pub(super) struct Transport {
    http: reqwest::Client,
}

impl Transport {
    pub(super) fn new(http: reqwest::Client) -> Self {
        Self { http }
    }
}

impl Service<HttpRequestFactory> for Transport {
    type Response = Response;
    type Error = OpenAIError;
    type Future = Pin<Box<dyn Future<Output = Result<Response, OpenAIError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), OpenAIError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HttpRequestFactory) -> Self::Future {
        let http = self.http.clone();
        Box::pin(async move {
            let request = request.build().await?;
            let response = http.execute(request).await?;
            let status = response.status();
            if !status.is_success() {
                let retry_after = retry_after(response.headers());
                let (bytes, _) = body(response, ERROR_CAP).await?;
                let body = String::from_utf8_lossy(&bytes).into_owned();
                return Err(boxed(Failure::Status { status: status.as_u16(), retry_after, body }));
            }
            let (bytes, whole) = body(response, BODY_CAP).await?;
            if !whole {
                return Err(boxed(Failure::TooLong));
            }
            // Checked here, because async-openai logs a body that it cannot read.
            if let Err(error) = serde_json::from_slice::<serde::de::IgnoredAny>(&bytes) {
                return Err(boxed(Failure::NotJson(error.to_string())));
            }
            let mut read = http::Response::new(bytes);
            read.headers_mut().insert(CONTENT_TYPE, http::HeaderValue::from_static("application/json"));
            Ok(Response::from(read))
        })
    }
}

fn boxed(failure: Failure) -> OpenAIError {
    OpenAIError::Boxed(Box::new(failure))
}

/// Seconds, or a date; a date in the past asks for no wait.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds.max(0.0)).ok().or(Some(Duration::MAX));
    }
    let date = jiff::fmt::rfc2822::parse(text).ok()?;
    Some(date.timestamp().duration_since(jiff::Timestamp::now()).try_into().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_read_in_seconds_and_as_a_date() {
        let header = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, text.parse().unwrap());
            retry_after(&headers)
        };
        assert_eq!(header("2"), Some(Duration::from_secs(2)));
        assert_eq!(header("0.5"), Some(Duration::from_millis(500)));
        assert_eq!(header("-3"), Some(Duration::ZERO));
        assert_eq!(header("1e300"), Some(Duration::MAX));
        assert_eq!(header("Wed, 21 Oct 2015 07:28:00 GMT"), Some(Duration::ZERO));
        assert!(header("Fri, 21 Oct 2095 07:28:00 GMT").unwrap() > Duration::from_hours(1));
        assert_eq!(header("soon"), None);
    }
}
