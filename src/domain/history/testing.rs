//! Successors for tests.

use crate::domain::identity::{LiteralKind, Successor};

/// A successor from a commit.
pub(crate) fn successor(old: &str, new: &str, kind: LiteralKind) -> Successor {
    Successor {
        old: old.to_owned(),
        new: new.to_owned(),
        kind,
        commit: "abc1234".to_owned(),
        subject: "Rename the button".to_owned(),
        date: "2026-11-30".to_owned(),
        file: "app/index.html".to_owned(),
        doubtful: false,
    }
}
