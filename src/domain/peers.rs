//! What the other controls of a page are called, so that one of them is never taken for the one that was lost.
//!
//! A control that the last green run saw beside the recorded one is another control, whatever it says or carries now.
//! Compares names and nothing else.

use super::identity::{Facts, Visibility};
use super::words::squash;

/// So many names are kept of a page: those nearest in the order of the document.
const MOST: usize = 80;
/// A longer text is a section, not a name.
const LONGEST: usize = 60;

/// Roles of what is pressed, filled in, ticked or chosen.
const CONTROLS: [&str; 16] = [
    "button",
    "checkbox",
    "combobox",
    "link",
    "listbox",
    "menuitem",
    "menuitemcheckbox",
    "menuitemradio",
    "option",
    "radio",
    "searchbox",
    "slider",
    "spinbutton",
    "switch",
    "tab",
    "textbox",
];

/// Whether an element of this role is pressed, filled in, ticked or chosen.
pub fn is_control(role: &str) -> bool {
    CONTROLS.contains(&role)
}

/// What a person calls an element, in lower case; `None` where nothing short names it.
pub fn called(facts: &Facts) -> Option<String> {
    let texts = [&facts.name, &facts.text, &facts.placeholder, &facts.title, &facts.alt];
    let text = squash(texts.into_iter().find(|text| !text.is_empty())?).to_lowercase();
    (!text.is_empty() && text.chars().count() <= LONGEST).then_some(text)
}

/// What the controls of the page but `target` (an index into `all`) are called, in the order of the page; a name of several
/// stands as often as there are controls of it.
pub fn peers_of(target: usize, all: &[&Facts]) -> Vec<String> {
    let is_peer = |facts: &Facts| is_control(&facts.role) && facts.visibility != Visibility::Hidden;
    let named = all.iter().enumerate().filter(|(at, facts)| *at != target && is_peer(facts));
    let mut named: Vec<(usize, String)> = named.filter_map(|(at, facts)| Some((at, called(facts)?))).collect();
    named.sort_by_key(|(at, _)| (at.abs_diff(target), *at));
    named.truncate(MOST);
    named.sort_unstable();
    named.into_iter().map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn control(role: &str, name: &str) -> Facts {
        Facts { role: role.into(), name: name.into(), ..Facts::default() }
    }

    #[test]
    fn the_other_controls_are_known_by_their_names_the_nearest_if_there_are_many() {
        let page = [
            control("button", "Export  selected"),
            control("heading", "Orders"),
            control("button", "Export all"),
            control("link", ""),
            Facts { visibility: Visibility::Hidden, ..control("button", "Menu") },
            control("button", "Export all"),
            control("button", &"long ".repeat(40)),
        ];
        let all: Vec<&Facts> = page.iter().collect();
        assert_eq!(peers_of(0, &all), ["export all", "export all"]);
        assert_eq!(peers_of(5, &all), ["export selected", "export all"]);
        let many: Vec<Facts> = (0..200).map(|at| control("link", &format!("item {at}"))).collect();
        let peers = peers_of(100, &many.iter().collect::<Vec<_>>());
        assert_eq!((peers.len(), peers.first().map(String::as_str)), (MOST, Some("item 60")));
        assert!(!peers.contains(&"item 100".to_owned()));
    }
}
