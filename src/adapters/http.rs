//! One way to speak HTTP: no redirects, no proxy on this machine's own addresses, answers of bounded size.
//!
//! Sends nothing by itself and knows no service; keys and formats are those of its users.

use std::time::Duration;

use reqwest::{ClientBuilder, Response, redirect};
use url::{Host, Url};

/// How long a server may take to say that it is there.
const ANSWERS_WITHIN: Duration = Duration::from_secs(3);

/// Whether nothing that is sent to `url` leaves this machine.
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        None => false,
    }
}

/// A client for `url`. A redirect would send what is sent to an address that nobody configured, so none is followed.
pub fn client(url: &Url) -> ClientBuilder {
    // An error says that a provider is installed already, which is all that is needed.
    drop(rustls::crypto::ring::default_provider().install_default());
    let client = reqwest::Client::builder()
        .redirect(redirect::Policy::none())
        .user_agent(concat!("relocator/", env!("CARGO_PKG_VERSION")));
    if is_loopback(url) { client.no_proxy() } else { client }
}

/// Whether a server on this machine answers at `url`, as Playwright asks it before it starts one of its own: with a status from
/// 200 to 403. Other machines are not asked.
pub async fn answers(url: &str) -> bool {
    let Some(url) = Url::parse(url).ok().filter(is_loopback) else { return false };
    let Ok(client) = client(&url).timeout(ANSWERS_WITHIN).build() else { return false };
    client.get(url).send().await.is_ok_and(|answer| (200..404).contains(&answer.status().as_u16()))
}

/// At most `cap` bytes of the body, and whether that is all.
///
/// # Errors
/// The connection fails.
pub async fn body(mut response: Response, cap: usize) -> Result<(Vec<u8>, bool), reqwest::Error> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        let room = cap.saturating_sub(bytes.len());
        bytes.extend_from_slice(chunk.get(..room.min(chunk.len())).unwrap_or_default());
        if chunk.len() > room {
            return Ok((bytes, false));
        }
    }
    Ok((bytes, true))
}
