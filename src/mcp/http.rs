//! The server on HTTP: loopback unless told otherwise, a token for every caller, no browser page as a caller.
//!
//! Host and Origin are judged before anything else, so that no page that a person looks at can reach the server by a name
//! that resolves to this machine. A caller that hangs up is gone: what it had asked for is stopped.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use http_body::{Body as _, Frame};
use rmcp::model::Extensions;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use super::server::Server;
use super::tokens::{Client, Tokens};
use crate::adapters::process::{Cancel, Stop};
use crate::error::Error;

/// Where the protocol is spoken.
pub const PATH: &str = "/mcp";
/// How often an open answer is written to, so that a caller that has hung up is noticed.
const SIGN_OF_LIFE: Duration = Duration::from_secs(3);
/// How long a session may be silent; the repair of a slow suite may take half an hour.
const SILENCE: Duration = Duration::from_hours(1);
/// How long open connections get when the server stops.
const GOODBYE: Duration = Duration::from_secs(2);
/// The largest request: two texts of a source file.
const LARGEST: usize = 8 << 20;

/// How the HTTP server is set up.
#[derive(Debug, Clone)]
pub struct Http {
    /// Where it listens.
    pub listener: std::net::SocketAddr,
    /// Names, besides those of this machine for itself, under which it may be called.
    pub hosts: Vec<String>,
    /// Who may call.
    pub tokens: Tokens,
}

/// Set when the caller of a request has hung up.
#[derive(Debug, Clone, Default)]
struct Gone(Cancel);

/// Serves until `server` is told to stop; `listening` is told the address. No call runs any more when it returns.
///
/// # Errors
/// The address cannot be listened on.
pub async fn serve(server: Server, http: Http, listening: impl FnOnce(std::net::SocketAddr)) -> Result<(), Error> {
    let cannot =
        |error: std::io::Error| Error::blocked(format!("cannot listen on {}", http.listener)).caused_by(&error);
    let listener = tokio::net::TcpListener::bind(http.listener).await.map_err(cannot)?;
    listening(listener.local_addr().map_err(cannot)?);
    let cancel = server.cancel().clone();
    let defaults = StreamableHttpServerConfig::default();
    let hosts = defaults.allowed_hosts.iter().cloned().chain(http.hosts).collect::<Vec<_>>();
    let config = defaults
        .with_allowed_hosts(hosts)
        .enforce_origin_validation()
        .with_max_request_body_bytes(LARGEST)
        .with_sse_keep_alive(Some(SIGN_OF_LIFE));
    let sessions = config.cancellation_token.clone();
    let shared = server.clone();
    let mut manager = LocalSessionManager::default();
    manager.session_config.keep_alive = Some(SILENCE);
    let service = StreamableHttpService::new(move || Ok(shared.clone()), Arc::new(manager), config);
    let router = Router::new()
        .nest_service(PATH, service)
        .layer(from_fn_with_state(http.tokens, authenticate))
        .layer(axum::middleware::map_response(watched));
    let stopped = {
        let (cancel, server) = (cancel.clone(), server.clone());
        async move {
            cancel.reached(Stop::Gracefully).await;
            server.idle().await;
            sessions.cancel();
        }
    };
    let serving = axum::serve(listener, router).with_graceful_shutdown(stopped);
    let late = async {
        cancel.reached(Stop::Gracefully).await;
        server.idle().await;
        tokio::time::sleep(GOODBYE).await;
    };
    let done = tokio::select! {
        done = serving.into_future() => done.map_err(cannot),
        () = late => Ok(()),
    };
    server.idle().await;
    done
}

/// Lets a request through that carries a token, and notes whose it is.
async fn authenticate(State(tokens): State<Tokens>, mut request: Request, next: Next) -> Response {
    let client = match bearer(request.headers()) {
        Some(token) => tokens.client(token),
        None => Ok(None),
    };
    match client {
        Ok(Some(client)) => {
            let gone = Gone::default();
            request.extensions_mut().insert(client);
            request.extensions_mut().insert(gone.clone());
            let mut response = next.run(request).await;
            response.extensions_mut().insert(gone);
            response
        }
        Ok(None) => {
            let mut response = (StatusCode::UNAUTHORIZED, "a bearer token is needed\n").into_response();
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            response
        }
        Err(error) => {
            crate::ui::Ui::default().warn(&error.to_string());
            (StatusCode::INTERNAL_SERVER_ERROR, "the tokens cannot be read\n").into_response()
        }
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// The caller of the request that `extensions` belong to.
pub(super) fn client(extensions: &Extensions) -> Option<Client> {
    extensions.get::<Parts>()?.extensions.get::<Client>().cloned()
}

/// What is set when the caller of the request that `extensions` belong to hangs up; never, where it is not HTTP.
pub(super) fn gone(extensions: &Extensions) -> Cancel {
    let gone = extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<Gone>());
    gone.map(|gone| gone.0.clone()).unwrap_or_default()
}

/// The response with a body that notes when it is dropped before its end.
async fn watched(response: Response) -> Response {
    let Some(gone) = response.extensions().get::<Gone>().cloned() else { return response };
    response.map(|body| Body::new(Watched { body, gone, ended: false }))
}

/// A body that says when nobody takes it to its end.
struct Watched {
    body: Body,
    gone: Gone,
    ended: bool,
}

impl http_body::Body for Watched {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        self.ended |= matches!(polled, Poll::Ready(None)) || self.body.is_end_stream();
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> http_body::SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        if !self.ended && !self.body.is_end_stream() {
            self.gone.0.request();
        }
    }
}
