//! Playwright's version, as far as it changes how Playwright is driven.

use std::fmt;
use std::str::FromStr;

/// A release of `@playwright/test`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// The first number.
    pub major: u32,
    /// The second number: the one that moves.
    pub minor: u32,
    /// The third number.
    pub patch: u32,
}

impl Version {
    /// `--update-snapshots` takes a mode, `none` among them, since this release.
    pub const UPDATE_SNAPSHOTS_MODE: Self = Self { major: 1, minor: 50, patch: 0 };

    /// The oldest release that relocator was tried with.
    pub const OLDEST_TRIED: Self = Self { major: 1, minor: 30, patch: 0 };
}

/// The text is not a version number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a version number")]
pub struct NotAVersion;

impl FromStr for Version {
    type Err = NotAVersion;

    /// Reads `1.65.1`, `Version 1.65.1`, and pre-releases such as `1.50.0-alpha-2024`.
    fn from_str(text: &str) -> Result<Self, NotAVersion> {
        let text = text.trim();
        let numbers = text.strip_prefix("Version ").unwrap_or(text);
        let mut parts = numbers.split(['.', '-', '+']).map(str::parse);
        let mut next = || parts.next().and_then(Result::ok).ok_or(NotAVersion);
        Ok(Self { major: next()?, minor: next()?, patch: next()? })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_and_pre_releases_are_read_and_ordered() {
        let read = |text: &str| text.parse::<Version>();
        assert_eq!(read("Version 1.65.1\n"), Ok(Version { major: 1, minor: 65, patch: 1 }));
        assert!(read("1.9.9").unwrap() < read("1.50.0-alpha-2024").unwrap());
        assert_eq!((read("1.50"), read(""), read("x.y.z")), (Err(NotAVersion), Err(NotAVersion), Err(NotAVersion)));
    }
}
