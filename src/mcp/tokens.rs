//! The callers of the HTTP server: a token for each, of which only a salted hash is kept.
//!
//! A token is 256 random bits, shown once. Its file lies in the user's own configuration folder, never in a project: a
//! repository must not be able to bring a token along. It decides who a caller is and what it may ask for, nothing else.

use std::fmt;
use std::io::{self, Write as _};
use std::str::FromStr;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use crate::domain::hex::hex;

/// The file's name in the configuration folder.
const FILE: &str = "tokens.json";
/// How a token begins, so that scanners for leaked secrets can know it.
const PREFIX: &str = "relocator_";
/// A larger file is not read.
const CAP: u64 = 1 << 20;

/// What a caller may ask for; each includes the ones before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Look at texts, traces, edits and reports.
    Read,
    /// Run tests of the project as well.
    Run,
    /// Have tests repaired, and repairs undone, as well.
    Heal,
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "read",
            Self::Run => "run",
            Self::Heal => "heal",
        })
    }
}

impl FromStr for Scope {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "read" => Ok(Self::Read),
            "run" => Ok(Self::Run),
            "heal" => Ok(Self::Heal),
            _ => Err("a scope is read, run or heal".to_owned()),
        }
    }
}

/// A caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Client {
    /// What it is called.
    pub name: String,
    /// What it may ask for.
    pub scopes: Vec<Scope>,
    /// How many repairs it may ask for in a day (UTC); `None` where nobody counts.
    pub daily_heals: Option<u32>,
}

impl Client {
    /// The caller at the other end of our own stdin: the person's own process.
    pub fn local() -> Self {
        Self { name: "local".to_owned(), scopes: vec![Scope::Heal], daily_heals: None }
    }

    /// Whether it may ask for what needs `scope`.
    pub fn may(&self, scope: Scope) -> bool {
        self.scopes.iter().any(|own| *own >= scope)
    }
}

/// A token as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// What its caller is called.
    pub name: String,
    /// What it may ask for.
    pub scopes: Vec<Scope>,
    /// How many repairs it may ask for in a day (UTC).
    pub daily_heals: u32,
    /// When it was made, as a UTC time stamp.
    pub created: String,
    salt: String,
    hash: String,
}

/// Why tokens cannot be read or kept.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The file cannot be read or written.
    #[error("cannot {doing} the tokens in `{path}`")]
    Io {
        /// What was tried.
        doing: &'static str,
        /// The file.
        path: Utf8PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is not what it should be.
    #[error("`{path}` does not hold tokens")]
    Format {
        /// The file.
        path: Utf8PathBuf,
        /// Why.
        source: serde_json::Error,
    },
    /// The name cannot be used.
    #[error("a token's name is 1 to 64 letters, digits, `-` and `_`")]
    BadName,
    /// There is a token of this name.
    #[error("there is a token `{0}` already; revoke it first")]
    Taken(String),
    /// There is none.
    #[error("there is no token `{0}`")]
    Unknown(String),
}

/// The tokens of this user.
#[derive(Debug, Clone)]
pub struct Tokens {
    folder: Utf8PathBuf,
}

impl Tokens {
    /// The tokens kept in `folder`.
    pub fn in_folder(folder: &Utf8Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    fn path(&self) -> Utf8PathBuf {
        self.folder.join(FILE)
    }

    /// All tokens, by name; none where there is no file.
    pub fn list(&self) -> Result<Vec<Record>, TokenError> {
        let path = self.path();
        let failed = |source| TokenError::Io { doing: "read", path: path.clone(), source };
        match std::fs::metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed(error)),
            Ok(meta) if meta.len() > CAP => return Err(failed(io::ErrorKind::FileTooLarge.into())),
            Ok(_) => {}
        }
        let text = std::fs::read(&path).map_err(failed)?;
        serde_json::from_slice(&text).map_err(|source| TokenError::Format { path, source })
    }

    /// Makes a token; returns it, which nobody can do again.
    pub fn add(&self, name: &str, scopes: &[Scope], daily_heals: u32) -> Result<String, TokenError> {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if name.is_empty() || name.len() > 64 || !name.chars().all(plain) {
            return Err(TokenError::BadName);
        }
        let _lock = self.lock()?;
        let mut records = self.list()?;
        if records.iter().any(|record| record.name == name) {
            return Err(TokenError::Taken(name.to_owned()));
        }
        let token = format!("{PREFIX}{}", self.random::<32>()?);
        let salt = self.random::<16>()?;
        let mut scopes = scopes.to_vec();
        scopes.sort_unstable();
        scopes.dedup();
        records.push(Record {
            name: name.to_owned(),
            scopes,
            daily_heals,
            created: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            hash: hash(&salt, &token),
            salt,
        });
        records.sort_by(|a, b| a.name.cmp(&b.name));
        self.write(&records)?;
        Ok(token)
    }

    /// Takes a token away; from the next request on it is unknown.
    pub fn revoke(&self, name: &str) -> Result<(), TokenError> {
        let _lock = self.lock()?;
        let mut records = self.list()?;
        let before = records.len();
        records.retain(|record| record.name != name);
        if records.len() == before {
            return Err(TokenError::Unknown(name.to_owned()));
        }
        self.write(&records)
    }

    /// The caller that `token` belongs to. Takes the same time for every token that it is not.
    pub fn client(&self, token: &str) -> Result<Option<Client>, TokenError> {
        let mut found = None;
        for record in self.list()? {
            let own = hash(&record.salt, token);
            if bool::from(own.as_bytes().ct_eq(record.hash.as_bytes())) {
                let daily_heals = Some(record.daily_heals);
                found = Some(Client { name: record.name, scopes: record.scopes, daily_heals });
            }
        }
        Ok(found)
    }

    fn write(&self, records: &[Record]) -> Result<(), TokenError> {
        let path = self.path();
        let failed = |source| TokenError::Io { doing: "write", path: path.clone(), source };
        let text = serde_json::to_string_pretty(records)
            .map_err(|source| TokenError::Format { path: path.clone(), source })?;
        // A temporary file is for its owner alone, and stays so under its new name.
        let mut temporary = tempfile::NamedTempFile::new_in(&self.folder).map_err(failed)?;
        temporary.write_all(text.as_bytes()).map_err(failed)?;
        temporary.persist(&path).map_err(|error| failed(error.error))?;
        Ok(())
    }

    fn lock(&self) -> Result<std::fs::File, TokenError> {
        let path = self.folder.join("tokens.lock");
        let failed = |source| TokenError::Io { doing: "lock", path: path.clone(), source };
        private_folder(&self.folder).map_err(failed)?;
        let file = std::fs::OpenOptions::new().write(true).create(true).truncate(false).open(&path).map_err(failed)?;
        file.lock().map_err(failed)?;
        Ok(file)
    }

    fn random<const BYTES: usize>(&self) -> Result<String, TokenError> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes).map_err(|error| TokenError::Io {
            doing: "make random numbers for",
            path: self.path(),
            source: error.into(),
        })?;
        Ok(hex(&bytes))
    }
}

/// Makes a folder that only its owner can look into.
pub(super) fn private_folder(folder: &Utf8Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// A token has 256 random bits, so one round is enough: there is nothing to guess.
fn hash(salt: &str, token: &str) -> String {
    hex(&Sha256::new().chain_update(salt).chain_update(token).finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_known_until_it_is_revoked_and_is_nowhere_on_disk() {
        let guard = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(guard.path()).unwrap().join("relocator");
        let tokens = Tokens::in_folder(&folder);
        assert_eq!(tokens.client("anything").unwrap(), None, "no file, no caller");
        let one = tokens.add("ci", &[Scope::Heal, Scope::Read], 3).unwrap();
        let two = tokens.add("agent-2", &[Scope::Read], 0).unwrap();
        assert_ne!(one, two);
        let client = tokens.client(&one).unwrap().unwrap();
        assert_eq!((client.name.as_str(), client.daily_heals), ("ci", Some(3)));
        assert!(client.may(Scope::Run) && client.may(Scope::Heal));
        let client = tokens.client(&two).unwrap().unwrap();
        assert!(client.may(Scope::Read) && !client.may(Scope::Run) && !client.may(Scope::Heal));
        for wrong in ["", "ci", PREFIX, one.trim_end_matches(char::is_alphanumeric), &format!("{one}0")] {
            assert_eq!(tokens.client(wrong).unwrap(), None, "{wrong}");
        }
        let kept = std::fs::read_to_string(folder.join(FILE)).unwrap();
        for token in [&one, &two] {
            assert!(!kept.contains(token.trim_start_matches(PREFIX)), "{kept}");
        }
        tokens.revoke("ci").unwrap();
        assert_eq!(tokens.client(&one).unwrap(), None);
        assert!(tokens.client(&two).unwrap().is_some());
        assert!(matches!(tokens.revoke("ci"), Err(TokenError::Unknown(_))));
    }

    #[test]
    fn only_its_owner_may_read_the_file() {
        use std::os::unix::fs::PermissionsExt as _;
        let guard = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(guard.path()).unwrap().join("relocator");
        Tokens::in_folder(&folder).add("ci", &[Scope::Read], 1).unwrap();
        let mode = |path: &Utf8Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&folder), mode(&folder.join(FILE))), (0o700, 0o600));
    }

    #[test]
    fn a_name_is_plain_and_used_once() {
        let guard = tempfile::tempdir().unwrap();
        let tokens = Tokens::in_folder(Utf8Path::from_path(guard.path()).unwrap());
        for name in ["", "..", "a/b", "a b", "ä", &"x".repeat(65)] {
            assert!(matches!(tokens.add(name, &[Scope::Read], 1), Err(TokenError::BadName)), "{name}");
        }
        tokens.add("ci", &[Scope::Read], 1).unwrap();
        assert!(matches!(tokens.add("ci", &[Scope::Read], 1), Err(TokenError::Taken(_))));
    }
}
