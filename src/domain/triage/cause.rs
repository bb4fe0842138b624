//! What the failures of one group have in common.

use sha2::{Digest as _, Sha256};

use super::{Failure, Site};
use crate::domain::classify::Category;
use crate::domain::failure;
use crate::domain::hex::hex;

/// How Node names the errors of a connection.
const CONNECTION: [&str; 10] = [
    "ECONNREFUSED",
    "ECONNRESET",
    "ECONNABORTED",
    "ENOTFOUND",
    "EAI_AGAIN",
    "EHOSTUNREACH",
    "ENETUNREACH",
    "ETIMEDOUT",
    "EPIPE",
    "EADDRINUSE",
];

/// How much of an error's first line is kept, in characters.
const SAID: usize = 300;

/// How many bytes of the hash an id shows: two causes of one suite in a million suites would share it.
const ID_BYTES: usize = 6;

/// A root cause, as far as the failures themselves tell.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// A server that cannot be reached.
    Unreached {
        /// Which, as scheme, host and port, as far as the text says it.
        server: String,
        /// The browser's or the system's name of the error.
        error: String,
    },
    /// Another fault of the environment.
    Environment {
        /// Gate one's signature.
        signature: &'static str,
        /// What was said, numbers left out.
        said: String,
    },
    /// A locator that matches nothing.
    Locator {
        /// Where it is defined, or else where it is used.
        place: Option<Site>,
        /// The locator, or else the link of it that stopped matching.
        locator: String,
    },
    /// A locator that matches several elements.
    Several {
        /// Where it is used.
        place: Option<Site>,
        /// The locator.
        locator: String,
    },
    /// An assertion about a value.
    Assertion {
        /// Where it stands.
        place: Site,
        /// Gate one's signature.
        signature: &'static str,
    },
    /// Anything else.
    Other {
        /// Where it happened.
        place: Option<Site>,
        /// Gate one's signature.
        signature: &'static str,
        /// What was said, numbers left out; empty where the place says enough.
        said: String,
    },
}

impl Cause {
    /// The cause of `failure` as far as it tells by itself.
    pub(super) fn of(failure: &Failure) -> Self {
        let reading = &failure.reading;
        // Two calls in one line are hardly two causes, and not every report knows the column.
        let place = failure.site.clone().map(|site| Site { column: None, ..site });
        let signature = reading.signature;
        if reading.is_environment() {
            return match unreached(&failure.said) {
                Some((server, error)) => Self::Unreached { server, error },
                None => Self::Environment { signature, said: without_numbers(&failure.said) },
            };
        }
        match (reading.category, reading.locator.clone(), place) {
            (Category::LocatorTimeout | Category::ZeroMatchAssertion, Some(locator), place) => {
                Self::Locator { place, locator }
            }
            (Category::StrictModeViolation, Some(locator), place) => Self::Several { place, locator },
            (Category::ValueMismatch, _, Some(place)) => Self::Assertion { place, signature },
            (_, _, place) => {
                let said = if place.is_some() { String::new() } else { without_numbers(&failure.said) };
                Self::Other { place, signature, said }
            }
        }
    }

    /// The id of a group with this cause.
    pub(super) fn id(&self, flaky: bool) -> String {
        let place = |place: Option<&Site>| place.map(ToString::to_string).unwrap_or_default();
        let parts = match self {
            Self::Unreached { server, error } => ["unreached", server, error].map(str::to_owned),
            Self::Environment { signature, said } => ["environment", signature, said].map(str::to_owned),
            Self::Locator { place: at, locator } => ["locator".to_owned(), place(at.as_ref()), locator.clone()],
            Self::Several { place: at, locator } => ["several".to_owned(), place(at.as_ref()), locator.clone()],
            Self::Assertion { place: at, signature } => {
                ["assertion".to_owned(), place(Some(at)), (*signature).to_owned()]
            }
            Self::Other { place: at, signature, said } => {
                ["other".to_owned(), place(at.as_ref()), format!("{signature}\n{said}")]
            }
        };
        let mut hash = Sha256::new();
        hash.update([u8::from(flaky)]);
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        hex(hash.finalize().get(..ID_BYTES).unwrap_or_default())
    }
}

/// The first line of a failure text that says something, without colours, cut.
pub fn said(text: &str) -> String {
    let cleaned = failure::clean(text);
    let line = cleaned.text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    line.chars().take(SAID).collect()
}

/// The server and the error of a text such as `page.goto: net::ERR_CONNECTION_REFUSED at http://localhost:3000/a`, or
/// `connect ECONNREFUSED 127.0.0.1:3000`.
fn unreached(said: &str) -> Option<(String, String)> {
    let words = || said.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '(' | ')' | ','));
    let error = words().find(|word| {
        let code = |rest: &str| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_uppercase() || c == '_');
        word.strip_prefix("net::ERR_").or(word.strip_prefix("NS_ERROR_")).is_some_and(code) || CONNECTION.contains(word)
    })?;
    let origin = |word: &str| {
        let (scheme, rest) = word.split_once("://")?;
        let host: String = rest.chars().take_while(|c| !matches!(c, '/' | '?' | '#')).collect();
        // A name or a password may stand before the host.
        let host = host.rsplit('@').next().unwrap_or_default();
        (!scheme.is_empty() && !host.is_empty()).then(|| format!("{scheme}://{host}"))
    };
    let address = |word: &str| {
        let (host, port) = word.rsplit_once(':')?;
        (!host.is_empty() && !host.ends_with(':') && port.parse::<u16>().is_ok()).then(|| word.to_owned())
    };
    let server = words().find_map(origin).or_else(|| words().find_map(address)).unwrap_or_default();
    Some((server, error.to_owned()))
}

/// `said` with every run of digits as one `#`: times, ports and process ids tell no two causes apart.
fn without_numbers(said: &str) -> String {
    let mut text = String::with_capacity(said.len());
    for c in said.chars() {
        if !c.is_ascii_digit() {
            text.push(c);
        } else if !text.ends_with('#') {
            text.push('#');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{said, unreached, without_numbers};

    #[test]
    fn the_server_of_a_refused_connection_is_read_from_every_engine() {
        for (text, server, error) in [
            (
                "Error: page.goto: net::ERR_CONNECTION_REFUSED at http://localhost:3000/login?a=b",
                "http://localhost:3000",
                "net::ERR_CONNECTION_REFUSED",
            ),
            ("apiRequestContext.get: connect ECONNREFUSED 127.0.0.1:3000", "127.0.0.1:3000", "ECONNREFUSED"),
            ("Error: connect ECONNREFUSED ::1:3000", "::1:3000", "ECONNREFUSED"),
            (
                "page.goto: NS_ERROR_CONNECTION_REFUSED at https://me:secret@shop.test/",
                "https://shop.test",
                "NS_ERROR_CONNECTION_REFUSED",
            ),
        ] {
            assert_eq!(unreached(text), Some((server.to_owned(), error.to_owned())), "{text}");
        }
        assert_eq!(unreached("Error: EVERYTHING is wrong"), None);
        assert_eq!(unreached("page.goto: Timeout 30000ms exceeded."), None);
    }

    #[test]
    fn a_first_line_is_read_without_its_colours_and_numbers() {
        assert_eq!(said("\n\u{1b}[31mError: worker 12 left\u{1b}[39m\n  at x"), "Error: worker 12 left");
        assert_eq!(without_numbers("port 4173, pid 12"), "port #, pid #");
    }
}
