//! The mark of a page: the same while a person would find the same controls and headings on it.
//!
//! A repair that a person has undone is not offered again on the page it was undone on.

use std::collections::BTreeSet;

use sha2::{Digest as _, Sha256};

use super::hex::hex;
use super::identity::{Facts, Visibility};
use super::peers::is_control;

/// What a page is made of to whoever works with it: its controls and headings. An option is data: it comes and goes with what
/// a list is filled with.
fn is_telling(role: &str) -> bool {
    role == "heading" || (is_control(role) && role != "option")
}

/// How much of the hash is kept, in bytes.
const KEPT: usize = 12;

/// The mark of a page. Texts of data, numbers, and how often a thing is repeated do not change it.
pub fn page_mark<'f>(page: impl Iterator<Item = &'f Facts>) -> String {
    let telling =
        |facts: &&Facts| facts.visibility != Visibility::Hidden && (facts.editable || is_telling(&facts.role));
    let parts: BTreeSet<[String; 6]> = page
        .filter(telling)
        .map(|facts| {
            [&facts.tag, &facts.role, &facts.name, &facts.id, &facts.test_id, &facts.name_attribute]
                .map(|part| steady(part))
        })
        .collect();
    let mut hash = Sha256::new();
    for part in parts.iter().flatten() {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    hex(hash.finalize().get(..KEPT).unwrap_or_default())
}

/// A text without its numbers: clocks, counts and generated ids differ from run to run.
fn steady(text: &str) -> String {
    text.chars().filter(|c| !c.is_ascii_digit()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn button(name: &str, id: &str) -> Facts {
        Facts { tag: "button".into(), role: "button".into(), name: name.into(), id: id.into(), ..Facts::default() }
    }

    fn mark(page: &[Facts]) -> String {
        page_mark(page.iter())
    }

    #[test]
    fn a_page_keeps_its_mark_while_its_controls_stay() {
        let paragraph = |text: &str| Facts { tag: "p".into(), text: text.into(), ..Facts::default() };
        let first = mark(&[button("Save", "save"), paragraph("It is noon")]);
        assert_eq!(first, mark(&[paragraph("It is one"), button("Save", "save")]));
        assert_eq!(
            mark(&[button("Inbox (3)", "in-7")]),
            mark(&[button("Inbox (12)", "in-8"), button("Inbox (1)", "in-9")])
        );
        let option = |name: &str| Facts { role: "option".into(), ..button(name, "") };
        assert_eq!(first, mark(&[button("Save", "save"), option("Norway"), option("Peru")]));
        assert_eq!(first.len(), 2 * KEPT);
    }

    #[test]
    fn a_control_that_comes_goes_or_is_renamed_changes_the_mark() {
        let page = [button("Save", "save"), button("Cancel", "cancel")];
        let before = mark(&page);
        assert_ne!(before, mark(&page[..1]));
        assert_ne!(before, mark(&[button("Save", "store"), button("Cancel", "cancel")]));
        assert_ne!(before, mark(&[button("Save all", "save"), button("Cancel", "cancel")]));
        let tick = Facts { role: "menuitemcheckbox".into(), ..button("Show grid", "grid") };
        assert_ne!(before, mark(&[page[0].clone(), page[1].clone(), tick]));
    }
}
