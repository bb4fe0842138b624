//! Which fields are for secrets, by the words of the locator that names them.

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

/// Whether what is typed where `locator` points is a secret.
pub fn is_secret_field(locator: &str) -> bool {
    tokens(locator).iter().any(|word| WORDS.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::is_secret_field;

    #[test]
    fn a_field_for_a_secret_is_known_by_a_word_of_its_locator() {
        for secret in ["#login-password", "internal:label=\"Your PIN\"i", "input[name=otp]", "#userPassword"] {
            assert!(is_secret_field(secret), "{secret}");
        }
        for plain in ["#pinned", "internal:label=\"Name\"i", "#passenger", "#shipping"] {
            assert!(!is_secret_field(plain), "{plain}");
        }
    }
}
