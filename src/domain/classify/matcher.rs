//! What kind of assertion a matcher stands for.

/// Kinds of matchers, as far as gate one tells them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Matcher {
    /// `toHaveText`, `toContainText`.
    Text,
    /// `toHaveCount`.
    Count,
    /// `toHaveURL`.
    Url,
    /// `toHaveTitle`.
    Title,
    /// `toBeVisible`, `toBeInViewport`.
    Presence,
    /// `toBeAttached`.
    Attached,
    /// `toBeHidden`.
    Absence,
    /// `toBeEnabled`, `toBeChecked`, `toBeFocused` and the like.
    State,
    /// `toHaveAttribute`, `toHaveClass`, `toHaveValue` and the like.
    Attribute,
    /// `toHaveScreenshot`.
    Screenshot,
    /// `toMatchSnapshot`.
    Snapshot,
    /// `toMatchAriaSnapshot`.
    Aria,
    /// `toBeOK`.
    Response,
    /// Any matcher that looks at a plain value.
    Generic,
}

/// Matchers in lower case without separators; the first that the name starts with counts.
const MATCHERS: [(&str, Matcher); 30] = [
    ("tohavetext", Matcher::Text),
    ("tocontaintext", Matcher::Text),
    ("tohavecount", Matcher::Count),
    ("tohaveurl", Matcher::Url),
    ("tohavetitle", Matcher::Title),
    ("tobevisible", Matcher::Presence),
    ("tobeinviewport", Matcher::Presence),
    ("tobeattached", Matcher::Attached),
    ("tobehidden", Matcher::Absence),
    ("tobeenabled", Matcher::State),
    ("tobedisabled", Matcher::State),
    ("tobechecked", Matcher::State),
    ("tobeunchecked", Matcher::State),
    ("tobeeditable", Matcher::State),
    ("tobereadonly", Matcher::State),
    ("tobefocused", Matcher::State),
    ("tobeempty", Matcher::State),
    ("tohaveattribute", Matcher::Attribute),
    ("tohaveclass", Matcher::Attribute),
    ("tocontainclass", Matcher::Attribute),
    ("tohavecss", Matcher::Attribute),
    ("tohaveid", Matcher::Attribute),
    ("tohavejsproperty", Matcher::Attribute),
    ("tohaverole", Matcher::Attribute),
    ("tohaveaccessible", Matcher::Attribute),
    ("tohavevalue", Matcher::Attribute),
    ("tohavescreenshot", Matcher::Screenshot),
    ("tomatchariasnapshot", Matcher::Aria),
    ("tomatchsnapshot", Matcher::Snapshot),
    ("tobeok", Matcher::Response),
];

impl Matcher {
    /// Sorts a matcher by its name, `toBeVisible`, `to_be_visible`, `to be visible`, with or without what it expects.
    pub(super) fn of(name: &str) -> Self {
        MATCHERS.iter().find(|(plain, _)| starts(name, plain)).map_or(Self::Generic, |(_, matcher)| *matcher)
    }

    /// Whether the assertion is that nothing is to be seen: then a locator that matches nothing fulfils it.
    pub(super) fn asserts_absence(self, negated: bool) -> bool {
        match self {
            Self::Presence | Self::Attached => negated,
            Self::Absence => !negated,
            _ => false,
        }
    }

    /// Whether the matcher waits on a locator, so that it can fail because nothing matches.
    pub(super) fn is_on_locator(self) -> bool {
        !matches!(self, Self::Url | Self::Title | Self::Snapshot | Self::Response | Self::Generic)
    }
}

/// Whether `name` starts with `plain` but for case, spaces and underscores.
fn starts(name: &str, plain: &str) -> bool {
    let mut letters = name.bytes().filter(|b| !matches!(b, b'_' | b' ')).map(|b| b.to_ascii_lowercase());
    plain.bytes().all(|b| letters.next() == Some(b))
}

/// The matcher and whether it is negated, in a log's header: `expect.soft.not.toBeVisible`, `soft not toBeVisible`,
/// `not_to_be_visible`, `LocatorAssertions.to_be_visible`.
pub(super) fn in_header(header: &str) -> (&str, bool) {
    if header.ends_with("_expectScreenshot") {
        return ("toHaveScreenshot", false);
    }
    let mut rest = header.trim_start_matches("LocatorAssertions.").trim_start_matches("PageAssertions.");
    let mut negated = false;
    loop {
        let before = rest;
        for word in ["expect", "soft", "not", "poll"] {
            if let Some(behind) = rest.strip_prefix(word).and_then(|behind| behind.strip_prefix(['.', ' ', '_'])) {
                negated |= word == "not";
                rest = behind;
            }
        }
        if rest.len() == before.len() {
            return (rest, negated);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Matcher, in_header};

    #[test]
    fn the_spelling_of_a_binding_does_not_matter() {
        for (name, matcher) in [
            ("toBeVisible", Matcher::Presence),
            ("to_have_text", Matcher::Text),
            ("to have count '0'", Matcher::Count),
            ("toHaveScreenshot(box.png)", Matcher::Screenshot),
            ("toHaveURL", Matcher::Url),
            ("toEqual", Matcher::Generic),
            ("toHaveAccessibleName", Matcher::Attribute),
        ] {
            assert_eq!(Matcher::of(name), matcher, "{name}");
        }
    }

    #[test]
    fn a_header_says_the_matcher_and_its_negation() {
        assert_eq!(in_header("expect.soft.not.toBeVisible"), ("toBeVisible", true));
        assert_eq!(in_header("soft toHaveCount"), ("toHaveCount", false));
        assert_eq!(in_header("not_to_be_hidden"), ("to_be_hidden", true));
        assert_eq!(in_header("LocatorAssertions.to_be_visible"), ("to_be_visible", false));
    }
}
