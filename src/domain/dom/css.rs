//! CSS: the browser's selectors, and on top of them Playwright's own, which see through open shadow roots and know
//! `:has-text()`, `:visible`, `:nth-match()` and the like.

mod attribute;
mod evaluate;
pub(crate) mod matching;
pub(crate) mod native;
mod playwright;
pub(crate) mod selector;

pub(crate) use evaluate::Scope;
pub(crate) use playwright::Css;

use super::{Dom, tree::Tree};

/// A page's nodes and where they stand, before anything is computed about them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ground<'p, 'd> {
    pub(crate) dom: &'d Dom,
    pub(crate) tree: &'p Tree<'d>,
}

/// An answer that may be in doubt, because it depends on what a snapshot does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Truth {
    No,
    Doubt,
    Yes,
}

impl Truth {
    pub(crate) fn and(self, other: impl FnOnce() -> Self) -> Self {
        match self {
            Self::No => Self::No,
            Self::Yes => other(),
            Self::Doubt => {
                if other() == Self::No {
                    Self::No
                } else {
                    Self::Doubt
                }
            }
        }
    }

    pub(crate) fn all(truths: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Self::Yes;
        for truth in truths {
            match truth {
                Self::No => return Self::No,
                Self::Doubt => all = Self::Doubt,
                Self::Yes => {}
            }
        }
        all
    }

    pub(crate) fn any(truths: impl IntoIterator<Item = Self>) -> Self {
        let mut any = Self::No;
        for truth in truths {
            match truth {
                Self::Yes => return Self::Yes,
                Self::Doubt => any = Self::Doubt,
                Self::No => {}
            }
        }
        any
    }
}

impl std::ops::Not for Truth {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Self::No => Self::Yes,
            Self::Doubt => Self::Doubt,
            Self::Yes => Self::No,
        }
    }
}

impl From<bool> for Truth {
    fn from(value: bool) -> Self {
        if value { Self::Yes } else { Self::No }
    }
}
