//! async-openai's configuration, made from our settings alone: its own would read the environment, and fall back to an
//! administrator's key.

use async_openai::config::Config;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use secrecy::{ExposeSecret as _, SecretString};

use super::{Endpoint, ModelError};

/// How the endpoint is opened.
#[derive(Clone)]
pub(super) struct Access {
    base: String,
    key: SecretString,
    headers: HeaderMap,
}

impl std::fmt::Debug for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.base)
    }
}

impl Access {
    pub(super) fn new(endpoint: &Endpoint) -> Result<Self, ModelError> {
        let mut headers = HeaderMap::new();
        if let Some(key) = &endpoint.key {
            let wrong = |_| ModelError::Settings("the key cannot be sent in a header".to_owned());
            let mut value = HeaderValue::from_str(&format!("Bearer {}", key.expose_secret())).map_err(wrong)?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        let key = endpoint.key.clone().unwrap_or_default();
        Ok(Self { base: endpoint.shown().to_owned(), key, headers })
    }
}

impl Config for Access {
    fn headers(&self) -> HeaderMap {
        self.headers.clone()
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    fn query(&self) -> Vec<(&str, &str)> {
        Vec::new()
    }

    fn api_base(&self) -> &str {
        &self.base
    }

    fn api_key(&self) -> &SecretString {
        &self.key
    }
}
