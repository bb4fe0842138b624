//! Which fields are for secrets, by the words of the locator that names them.

use super::{Redactor, plain};
use crate::domain::words::tokens;

/// Words that name a field for a secret.
const WORDS: [&str; 16] = [
    "password",
    "passwort",
    "passwd",
    "pass",
    "pwd",
    "passphrase",
    "passcode",
    "secret",
    "token",
    "otp",
    "totp",
    "pin",
    "cvc",
    "cvv",
    "mfa",
    "credential",
];

/// Two words that together name one.
const PAIRS: [[&str; 2]; 12] = [
    ["api", "key"],
    ["access", "key"],
    ["private", "key"],
    ["signing", "key"],
    ["license", "key"],
    ["security", "code"],
    ["verification", "code"],
    ["recovery", "code"],
    ["backup", "code"],
    ["auth", "code"],
    ["login", "code"],
    ["one", "time"],
];

/// A configured name of fewer letters and digits has to be a word of a locator; a longer one may be a part of it.
const SHORTEST_PART: usize = 5;

/// Whether what is typed where `locator` points is a secret.
pub fn is_secret_field(locator: &str) -> bool {
    let words = tokens(locator);
    let joined = |word: &str| PAIRS.iter().any(|[first, second]| word.strip_prefix(first) == Some(second));
    let pair = |pair: &[String]| PAIRS.iter().any(|known| pair.iter().eq(known));
    words.iter().any(|word| WORDS.contains(&word.as_str()) || joined(word)) || words.windows(2).any(pair)
}

impl Redactor {
    /// Whether what is typed where `locator` points is a secret: by a word of it, or because somebody says so.
    pub fn is_field(&self, locator: &str) -> bool {
        let named = |name: &str| {
            if name.len() < SHORTEST_PART {
                tokens(locator).iter().any(|word| word == name)
            } else {
                plain(locator).contains(name)
            }
        };
        is_secret_field(locator) || self.names.iter().any(|configured| named(&configured.plain))
    }
}

#[cfg(test)]
mod tests {
    use super::is_secret_field;
    use crate::domain::redact::Redactor;

    #[test]
    fn a_field_for_a_secret_is_known_by_a_word_of_its_locator() {
        for secret in [
            "#login-password",
            "internal:label=\"Your PIN\"i",
            "input[name=otp]",
            "#userPassword",
            "#apikey",
            "input[name=apiKey]",
            "internal:label=\"Security code\"i",
        ] {
            assert!(is_secret_field(secret), "{secret}");
        }
        for plain in ["#pinned", "internal:label=\"Name\"i", "#passenger", "#shipping"] {
            assert!(!is_secret_field(plain), "{plain}");
        }
    }

    #[test]
    fn a_field_that_a_configured_name_names_is_one_for_a_secret() {
        let redactor = Redactor::default().with_names(["VIP_NUMBER", "ID"]);
        for secret in ["#vip-number", "internal:label=\"VIP number\"i", "#id", "[name=\"user_id\"]"] {
            assert!(redactor.is_field(secret), "{secret}");
        }
        for plain in ["#number", "#video", "#key"] {
            assert!(!redactor.is_field(plain), "{plain}");
        }
    }
}
