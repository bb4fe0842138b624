//! Where a model is and what opens it.

use std::fmt;

use secrecy::{ExposeSecret, SecretString};
use url::Url;

use super::ModelError;
use crate::adapters::http::is_loopback;
use crate::adapters::process::{self, Cancel, Command, Exit};

/// The endpoint of OpenAI itself.
const DEFAULT_BASE: &str = "https://api.openai.com/v1";
/// How long a command that prints a key may take: password managers ask their owner.
const KEY_DEADLINE: std::time::Duration = std::time::Duration::from_mins(1);

/// Where a model is.
#[derive(Clone)]
pub struct Endpoint {
    /// Address up to and with `/v1`, without a slash at the end.
    pub(super) base: Url,
    /// The model's name.
    pub(super) model: String,
    /// What opens it; local servers need none.
    pub(super) key: Option<SecretString>,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.model, self.shown())
    }
}

impl Endpoint {
    /// The model `model` at `base` (OpenAI's own address where that is `None`), opened by `key`.
    pub fn new(base: Option<&str>, model: &str, key: Option<SecretString>) -> Result<Self, ModelError> {
        let text = base.map(str::trim).filter(|text| !text.is_empty()).unwrap_or(DEFAULT_BASE);
        let wrong =
            |why: String| ModelError::Settings(format!("`{}` is no base URL: {why}", without_credentials(text)));
        let base = Url::parse(text.trim_end_matches('/')).map_err(|error| wrong(error.to_string()))?;
        if !matches!(base.scheme(), "http" | "https") {
            return Err(wrong("it must begin with http:// or https://".to_owned()));
        }
        if base.password().is_some() || !base.username().is_empty() || base.query().is_some() {
            return Err(wrong("it must have no user, password or query".to_owned()));
        }
        if model.trim().is_empty() {
            return Err(ModelError::Settings("no model is named".to_owned()));
        }
        let endpoint = Self { base, model: model.trim().to_owned(), key };
        if endpoint.key.is_none() && !endpoint.is_loopback() {
            return Err(ModelError::Settings(format!("no key for {}", endpoint.shown())));
        }
        Ok(endpoint)
    }

    /// Whether nothing that is sent leaves this machine.
    pub fn is_loopback(&self) -> bool {
        is_loopback(&self.base)
    }

    /// Whether what is sent can be read on the way.
    pub fn is_plain(&self) -> bool {
        self.base.scheme() == "http" && !self.is_loopback()
    }

    /// The address as a person may see it.
    pub fn shown(&self) -> &str {
        self.base.as_str().trim_end_matches('/')
    }

    /// The model's name.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// The key, for whoever must take it out of texts.
    pub fn secret(&self) -> Option<&str> {
        self.key.as_ref().map(ExposeSecret::expose_secret)
    }
}

/// A base URL may hold a password by mistake; it must not be printed.
fn without_credentials(text: &str) -> String {
    match (text.find("://"), text.rfind('@')) {
        (Some(scheme), Some(at)) if scheme + 3 <= at => {
            let (head, tail) = (text.get(..scheme + 3).unwrap_or_default(), text.get(at + 1..).unwrap_or_default());
            format!("{head}…@{tail}")
        }
        _ => text.to_owned(),
    }
}

/// The key: what `command` prints, else the variable's value. Blanks around it are dropped; an empty key is none.
pub async fn key_from(command: Option<&str>, variable: Option<String>) -> Result<Option<SecretString>, ModelError> {
    let text = match command {
        Some(command) => printed_by(command).await?,
        None => variable.unwrap_or_default(),
    };
    let key = text.trim();
    if key.is_empty() {
        return match command {
            Some(_) => Err(ModelError::Settings("the key command printed nothing".to_owned())),
            None => Ok(None),
        };
    }
    if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(ModelError::Settings(
            "the key holds a character that no key may have (a line break, a blank)".to_owned(),
        ));
    }
    Ok(Some(SecretString::from(key.to_owned())))
}

async fn printed_by(command: &str) -> Result<String, ModelError> {
    let wrong = |why: String| ModelError::Settings(format!("the key command failed: {why}"));
    let command = Command::new("sh", vec!["-c".to_owned(), command.to_owned()], ".", KEY_DEADLINE);
    let ran = process::run(&command, &Cancel::default()).await.map_err(|error| wrong(error.to_string()))?;
    match ran.exit {
        Exit::Success => Ok(ran.stdout.text()),
        other => Err(wrong(format!("{other:?}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(base: &str) -> Result<Endpoint, String> {
        Endpoint::new(Some(base), "m", Some(SecretString::from("k".to_owned()))).map_err(|error| error.to_string())
    }

    #[test]
    fn loopback_is_what_never_leaves_the_machine() {
        for (base, loopback) in [
            ("http://127.0.0.1:8080/v1", true),
            ("http://127.9.9.9/v1", true),
            ("http://[::1]:1/v1/", true),
            ("http://localhost:11434/v1", true),
            ("http://LOCALHOST/v1", true),
            ("http://2130706433/v1", true),
            ("https://api.openai.com/v1", false),
            ("http://localhost.example.org/v1", false),
            ("http://127.0.0.1.example.org/v1", false),
            ("http://10.0.0.5:8000/v1", false),
        ] {
            assert_eq!(endpoint(base).unwrap().is_loopback(), loopback, "{base}");
        }
    }

    #[test]
    fn a_slash_at_the_end_is_dropped_and_credentials_are_refused_unseen() {
        assert_eq!(endpoint("https://x.org/v1//").unwrap().shown(), "https://x.org/v1");
        let error = endpoint("https://ada:hunter2@x.org/v1").unwrap_err();
        assert!(!error.contains("hunter2") && error.contains("x.org"), "{error}");
        for base in ["x.org/v1", "ftp://x.org", "file:///etc/passwd", "https://x.org/v1?key=1"] {
            assert!(endpoint(base).is_err(), "{base}");
        }
    }

    #[test]
    fn only_a_local_server_needs_no_key() {
        assert!(Endpoint::new(Some("http://127.0.0.1:1/v1"), "m", None).is_ok());
        assert!(Endpoint::new(None, "m", None).is_err());
    }

    #[tokio::test]
    async fn a_key_is_trimmed_and_one_that_no_header_can_hold_is_refused() {
        let key = async |variable: &str| {
            let key = key_from(None, Some(variable.to_owned())).await.map_err(|error| error.to_string())?;
            Ok::<_, String>(key.map(|key| key.expose_secret().to_owned()))
        };
        assert_eq!(key(" sk-abc\n").await, Ok(Some("sk-abc".to_owned())));
        assert_eq!(key(" ").await, Ok(None));
        for bad in ["sk\nxy", "sk xy", "schlüssel", "sk\u{7f}"] {
            let error = key(bad).await.unwrap_err();
            assert!(!error.contains(bad), "{error}");
        }
        let printed = key_from(Some("printf 'from-a-command\\n'"), Some("other".to_owned())).await.unwrap().unwrap();
        assert_eq!(printed.expose_secret(), "from-a-command");
        assert!(key_from(Some("exit 3"), None).await.is_err());
        assert!(key_from(Some("true"), Some("other".to_owned())).await.is_err());
    }
}
