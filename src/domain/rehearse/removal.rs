//! Removal twins: the same drifted page with the element gone. Whoever is healed there is healed wrongly.

use super::dice::Dice;
use super::draft::{Draft, Id};
use super::drift::{attribute, retext, set, stand_in};
use super::subject::{Subject, readable};
use super::wording::{Sort, identifier, opposite, other};

/// How the element went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Removal {
    /// Nothing took its place.
    Gone,
    /// A look-alike in another landmark stayed.
    LookAlike,
    /// One that says the opposite stands in its place.
    Opposite,
    /// One that does another thing stands in its place.
    Other,
}

impl Removal {
    /// All kinds.
    pub const ALL: &[Self] = &[Self::Gone, Self::LookAlike, Self::Opposite, Self::Other];

    /// The kind in words.
    pub fn word(self) -> &'static str {
        match self {
            Self::Gone => "gone",
            Self::LookAlike => "gone, a look-alike elsewhere",
            Self::Opposite => "replaced by its opposite",
            Self::Other => "replaced by another",
        }
    }
}

impl Removal {
    /// What must be on the page before it drifts: a look-alike stays as it was, whatever becomes of the element.
    /// `false` where the page has no place for it.
    pub fn prepare(self, draft: &mut Draft, subject: &Subject, dice: &mut Dice) -> bool {
        self != Self::LookAlike || stand_in(draft, subject, dice).is_some()
    }

    /// Takes the element out. `false` where it cannot go this way.
    pub fn finish(self, draft: &mut Draft, subject: &Subject, dice: &mut Dice) -> bool {
        match self {
            Self::Gone | Self::LookAlike => {
                take_out(draft, subject);
                true
            }
            // A text that is only read has no opposite: other words may say it as well.
            Self::Opposite => subject.sort != Sort::Text && replace(draft, subject, opposite, dice),
            Self::Other => replace(draft, subject, |text, dice| other(text, subject.sort, dice), dice),
        }
    }
}

/// Drops the element, what holds nothing but it, and its labels.
fn take_out(draft: &mut Draft, subject: &Subject) {
    for &label in &subject.labels {
        if !draft.is_within(subject.unit, label) {
            draft.detach(label);
        }
    }
    draft.detach(subject.unit);
}

/// Puts another element of the same make in its place: other words, other names, nothing that named the old one.
fn replace(
    draft: &mut Draft,
    subject: &Subject,
    say: impl Fn(&str, &mut Dice) -> Option<String>,
    dice: &mut Dice,
) -> bool {
    // What holds more than a label of its own is a section, not one thing that another could stand for.
    if readable(draft, subject.node).len() > 2 {
        return false;
    }
    let labels: Vec<Id> = subject.labels.iter().flat_map(|&label| readable(draft, label).into_iter().take(1)).collect();
    let texts = [readable(draft, subject.node).into_iter().take(1).collect::<Vec<_>>(), labels].concat();
    let spoken = ["aria-label", "placeholder", "title", "alt", "value"];
    let said = texts.iter().find_map(|&text| draft.text(text).map(|text| text.trim().to_owned()));
    let said = said.or_else(|| spoken.iter().find_map(|name| attribute(draft, subject.node, name)));
    let Some(new) = said.and_then(|said| say(&said, dice)) else { return false };
    for text in texts {
        retext(draft, text, &new);
    }
    for name in spoken.iter().filter(|name| attribute(draft, subject.node, name).is_some()).copied().collect::<Vec<_>>()
    {
        set(draft, subject.node, name, Some(new.clone()));
    }
    rename(draft, subject, &identifier(&new));
    // Another field takes another sort of value.
    let told = ["password", "email", "tel", "url", "search", "date"];
    if attribute(draft, subject.node, "type").is_some_and(|kind| told.contains(&kind.to_ascii_lowercase().as_str())) {
        set(draft, subject.node, "type", Some("text".to_owned()));
    }
    set(draft, subject.node, "autocomplete", None);
    true
}

/// Names everything in the replaced element after what it says now.
fn rename(draft: &mut Draft, subject: &Subject, name: &str) {
    let old = attribute(draft, subject.node, "id");
    for (at, id) in draft.below(subject.node).into_iter().enumerate() {
        for attribute_name in ["id", "name", subject.test_id.as_str()] {
            if attribute(draft, id, attribute_name).is_some() {
                let value = if at == 0 { name.to_owned() } else { format!("{name}-{at}") };
                set(draft, id, attribute_name, Some(value));
            }
        }
        if attribute(draft, id, "href").is_some_and(|href| !href.starts_with('#')) {
            set(draft, id, "href", Some(format!("/{name}")));
        }
    }
    for &label in &subject.labels {
        if attribute(draft, label, "for").is_some() && attribute(draft, label, "for") == old {
            set(draft, label, "for", Some(name.to_owned()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::dom::testing::dom;
    use crate::domain::dom::{Dom, NodeId, Page};
    use crate::domain::locator::Locator;

    const PAGE: &str = "<html><body><nav><a href=\"/\">Start</a></nav><main><div class=\"group\"><label for=\"mail\">Email\
        </label><input id=\"mail\"/></div><a id=\"next\" href=\"/next\" class=\"btn\"><span>Next page</span></a></main></body></html>";

    fn count(dom: &Dom, source: &str) -> usize {
        let locator = Locator::from_source(source, "data-testid").unwrap();
        Page::new(dom).query(dom.main_frame().unwrap(), &locator).nodes().unwrap().len()
    }

    fn removed(css: &str, removal: Removal) -> Option<Dom> {
        let before = dom(PAGE);
        let page = Page::new(&before);
        let locator = Locator::from_source(&format!("locator('{css}')"), "data-testid").unwrap();
        let node: NodeId = page.query(before.main_frame().unwrap(), &locator).only().unwrap();
        let subject = Subject::new(&page, node, "data-testid").unwrap();
        let mut draft = Draft::from(&before);
        let mut dice = Dice::new(3, &[]);
        let possible =
            removal.prepare(&mut draft, &subject, &mut dice) && removal.finish(&mut draft, &subject, &mut dice);
        possible.then(|| draft.build().dom)
    }

    #[test]
    fn what_is_gone_is_gone_with_its_label() {
        let dom = removed("#mail", Removal::Gone).unwrap();
        assert_eq!((count(&dom, "locator('input')"), count(&dom, "getByText('Email')")), (0, 0));
    }

    #[test]
    fn a_look_alike_stays_in_another_landmark() {
        let dom = removed("#next", Removal::LookAlike).unwrap();
        assert_eq!(count(&dom, "locator('main a')"), 0);
        assert_eq!(count(&dom, "locator('nav').getByRole('link', { name: 'Next page' })"), 1);
        assert_eq!(count(&dom, "locator('#next')"), 0);
    }

    #[test]
    fn a_replacement_says_and_is_called_something_else() {
        let dom = removed("#next", Removal::Opposite).unwrap();
        assert_eq!(count(&dom, "locator('main a.btn#previous-page').getByText('Previous page')"), 1);
        let dom = removed("#mail", Removal::Other).unwrap();
        assert_eq!(count(&dom, "locator('#mail')") + count(&dom, "getByLabel('Email')"), 0);
        assert_eq!(count(&dom, "locator('main input[id]')"), 1);
    }
}
