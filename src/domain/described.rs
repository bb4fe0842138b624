//! An element described in words, as a locator: `button "Save"`, `the Sign in link`, `Email field`.
//!
//! A person or an agent says what an element is and what it is called; the locator asks for just that. It decides nothing:
//! whether such an element exists is for the page and the ranker to say.

use super::locator::{Locator, Pattern, Role, Step};

/// A longer description is no description.
const LONGEST: usize = 300;

/// Words for kinds of elements, with the ARIA role each stands for; several words first.
const KINDS: [(&str, &str); 44] = [
    ("menu item", "menuitem"),
    ("check box", "checkbox"),
    ("radio button", "radio"),
    ("text box", "textbox"),
    ("text field", "textbox"),
    ("input field", "textbox"),
    ("list item", "listitem"),
    ("combo box", "combobox"),
    ("search box", "searchbox"),
    ("search field", "searchbox"),
    ("column header", "columnheader"),
    ("row header", "rowheader"),
    ("alert", "alert"),
    ("button", "button"),
    ("cell", "cell"),
    ("checkbox", "checkbox"),
    ("columnheader", "columnheader"),
    ("combobox", "combobox"),
    ("dialog", "dialog"),
    ("dropdown", "combobox"),
    ("field", "textbox"),
    ("form", "form"),
    ("heading", "heading"),
    ("image", "img"),
    ("img", "img"),
    ("input", "textbox"),
    ("link", "link"),
    ("list", "list"),
    ("listbox", "listbox"),
    ("listitem", "listitem"),
    ("menu", "menu"),
    ("menuitem", "menuitem"),
    ("navigation", "navigation"),
    ("option", "option"),
    ("radio", "radio"),
    ("row", "row"),
    ("searchbox", "searchbox"),
    ("slider", "slider"),
    ("spinbutton", "spinbutton"),
    ("switch", "switch"),
    ("tab", "tab"),
    ("table", "table"),
    ("textarea", "textbox"),
    ("textbox", "textbox"),
];

/// The locator that asks for what `description` says; `None` where it says nothing.
pub fn locator_for(description: &str) -> Option<Locator> {
    let text = description.trim().trim_end_matches('.');
    let text = text.strip_prefix("the ").or_else(|| text.strip_prefix("The ")).unwrap_or(text).trim();
    if text.is_empty() || text.len() > LONGEST {
        return None;
    }
    let step = match KINDS.iter().find_map(|(word, role)| Some((without(text, word)?, *role))) {
        Some((name, role)) if unquoted(name).is_empty() => Step::Role(Box::new(Role::new(role))),
        Some((name, role)) => Step::Role(Box::new(Role::named(role, pattern(unquoted(name))))),
        None => Step::Text(pattern(unquoted(text))),
    };
    Some(step.into())
}

/// What is left of `text` when `word` stands at its beginning or its end, as a word of its own.
fn without<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let head = text.get(..word.len()).filter(|head| head.eq_ignore_ascii_case(word));
    if head.is_some() {
        let rest = text.get(word.len()..)?;
        if rest.is_empty() || rest.starts_with([' ', ':', '"', '\'']) {
            return Some(rest.trim_start_matches([' ', ':']));
        }
    }
    let start = text.len().checked_sub(word.len())?;
    let tail = text.get(start..).filter(|tail| tail.eq_ignore_ascii_case(word));
    let rest = text.get(..start)?;
    (tail.is_some() && rest.ends_with([' ', '"', '\''])).then(|| rest.trim_end())
}

fn unquoted(text: &str) -> &str {
    let text = text.trim();
    ['"', '\''].into_iter().find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote)).unwrap_or(text)
}

fn pattern(text: &str) -> Pattern {
    Pattern::Text { text: text.to_owned(), exact: false }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::locator::render::Style;

    #[test]
    fn a_description_asks_for_what_it_says() {
        for (description, locator) in [
            ("button \"Save\"", "getByRole('button', { name: 'Save' })"),
            ("the Sign in link", "getByRole('link', { name: 'Sign in' })"),
            ("Email field", "getByRole('textbox', { name: 'Email' })"),
            ("menu item 'Rename'", "getByRole('menuitem', { name: 'Rename' })"),
            ("Radio Button Monthly", "getByRole('radio', { name: 'Monthly' })"),
            ("dialog", "getByRole('dialog')"),
            ("heading: Orders", "getByRole('heading', { name: 'Orders' })"),
            ("Total due", "getByText('Total due')"),
            ("tablet", "getByText('tablet')"),
            ("\"linked accounts\"", "getByText('linked accounts')"),
            ("Größe der Schaltfläche button", "getByRole('button', { name: 'Größe der Schaltfläche' })"),
        ] {
            let found = locator_for(description).unwrap_or_else(|| panic!("{description} says nothing"));
            assert_eq!(found.to_js(Style::default()), locator, "{description}");
        }
    }

    #[test]
    fn nothing_and_a_novel_are_no_descriptions() {
        for text in ["", "  ", &"x".repeat(LONGEST + 1)] {
            assert_eq!(locator_for(text), None, "{text}");
        }
    }
}
