//! Drift: what becomes of an element's markup while it stays the same element to a person.
//!
//! Pure. Each kind is what real repairs were needed for (`users.md`): attributes renamed or moved, labels in other words,
//! other markup around, another place in the same landmark.

use super::dice::Dice;
use super::draft::{Draft, Id};
use super::subject::{Subject, readable};
use super::wording::{Sort, renamed, reworded};
use crate::domain::dom::Element;

/// Declares the kinds with their words in one place.
macro_rules! drifts {
    ($($(#[$doc:meta])* $name:ident $word:literal;)*) => {
        /// A kind of drift.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Drift {
            $($(#[$doc])* $name,)*
        }

        impl Drift {
            /// All kinds.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The kind in words.
            pub fn word(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }
        }
    };
}

drifts! {
    /// The test id is another one, stands in another attribute, or is gone.
    TestId "test id renamed";
    /// The id is another one, became a test id, or is gone.
    Id "id renamed";
    /// The `name` is another one.
    Name "name renamed";
    /// A class of it has another name wherever it stands, or is gone.
    Class "class renamed";
    /// The placeholder says it otherwise, or is gone.
    Placeholder "placeholder reworded";
    /// `aria-label`, `title` or `alt` says it otherwise.
    Aria "aria-label reworded";
    /// Its text says it otherwise.
    Text "text reworded";
    /// Its label says it otherwise.
    Label "label reworded";
    /// There are new elements around it.
    Wrap "wrapped";
    /// It has another place among its siblings.
    Reorder "reordered";
    /// It is another tag that does the same.
    Retag "retagged";
    /// It stands elsewhere in the same landmark.
    Move "moved";
    /// A copy of it stands elsewhere.
    Duplicate "duplicated";
    /// Something came or went beside it.
    Around "surroundings changed";
}

/// Applies a drift. `false` where the element has nothing that could drift so.
pub fn apply(drift: Drift, draft: &mut Draft, subject: &Subject, dice: &mut Dice) -> bool {
    match drift {
        Drift::TestId => rename_test_id(draft, subject, dice),
        Drift::Id => rename_id(draft, subject, dice),
        Drift::Name => rename_attribute(draft, subject.node, "name", dice),
        Drift::Class => rename_class(draft, subject, dice),
        Drift::Placeholder => reword_attribute(draft, subject, &["placeholder"], dice),
        Drift::Aria => reword_attribute(draft, subject, &["aria-label", "title", "alt"], dice),
        Drift::Text => reword_text(draft, subject, dice),
        Drift::Label => reword_label(draft, subject, dice),
        Drift::Wrap => wrap(draft, subject, dice),
        Drift::Reorder => reorder(draft, subject, dice),
        Drift::Retag => retag(draft, subject.node, dice),
        Drift::Move => relocate(draft, subject, dice),
        Drift::Duplicate => stand_in(draft, subject, dice).is_some(),
        Drift::Around => surround(draft, subject, dice),
    }
}

/// The value of an attribute that says something.
pub(super) fn attribute(draft: &Draft, id: Id, name: &str) -> Option<String> {
    let value = draft.element(id)?.attribute(name)?;
    (!value.is_empty()).then(|| value.to_owned())
}

/// Gives an attribute a value; `None` drops it.
pub(super) fn set(draft: &mut Draft, id: Id, name: &str, value: Option<String>) {
    let Some(element) = draft.element_mut(id) else { return };
    let Some(value) = value else {
        element.attributes.retain(|(key, _)| key != name);
        return;
    };
    match element.attributes.iter_mut().find(|(key, _)| key == name) {
        Some((_, old)) => *old = value,
        None => element.attributes.push((name.to_owned(), value)),
    }
}

fn rename_attribute(draft: &mut Draft, id: Id, name: &str, dice: &mut Dice) -> bool {
    let Some(old) = attribute(draft, id, name) else { return false };
    set(draft, id, name, Some(renamed(&old, dice)));
    true
}

fn rename_test_id(draft: &mut Draft, subject: &Subject, dice: &mut Dice) -> bool {
    let (node, name) = (subject.node, subject.test_id.as_str());
    let Some(old) = attribute(draft, node, name) else { return false };
    match dice.below(6) {
        0 => set(draft, node, name, None),
        1 => {
            set(draft, node, name, None);
            set(draft, node, if name == "data-test" { "data-cy" } else { "data-test" }, Some(old));
        }
        2 => {
            set(draft, node, name, None);
            set(draft, node, "id", Some(old));
        }
        _ => set(draft, node, name, Some(renamed(&old, dice))),
    }
    true
}

fn rename_id(draft: &mut Draft, subject: &Subject, dice: &mut Dice) -> bool {
    let node = subject.node;
    let Some(old) = attribute(draft, node, "id") else { return false };
    let new = renamed(&old, dice);
    // Others name it by its id: they are changed with it, so the id stays where it is needed.
    let needed = point_elsewhere(draft, &old, &new);
    match dice.below(6) {
        0 if !needed => set(draft, node, "id", None),
        1 | 2 if !needed && attribute(draft, node, &subject.test_id).is_none() => {
            set(draft, node, "id", None);
            set(draft, node, &subject.test_id, Some(old));
        }
        _ => set(draft, node, "id", Some(new)),
    }
    true
}

/// Changes everything that names the id `old`. Says whether anything did.
fn point_elsewhere(draft: &mut Draft, old: &str, new: &str) -> bool {
    const REFERENCES: [&str; 7] =
        ["for", "aria-labelledby", "aria-describedby", "aria-controls", "aria-owns", "list", "form"];
    let mut changed = false;
    for id in draft.elements() {
        let Some(element) = draft.element_mut(id) else { continue };
        for (name, value) in &mut element.attributes {
            let link = value.strip_prefix('#').is_some_and(|target| target == old);
            let names = REFERENCES.contains(&name.as_str()) && value.split_whitespace().any(|part| part == old);
            if link {
                *value = format!("#{new}");
            } else if names {
                let parts: Vec<&str> =
                    value.split_whitespace().map(|part| if part == old { new } else { part }).collect();
                *value = parts.join(" ");
            }
            changed |= link || names;
        }
    }
    changed
}

fn rename_class(draft: &mut Draft, subject: &Subject, dice: &mut Dice) -> bool {
    let Some(classes) = attribute(draft, subject.node, "class") else { return false };
    let all: Vec<&str> = classes.split_whitespace().collect();
    let hashed = dice.below(3) == 0;
    let new: Vec<(String, String)> = all
        .iter()
        .map(|old| {
            let name = if hashed { format!("c{:05x}", dice.below(1 << 20)) } else { renamed(old, dice) };
            ((*old).to_owned(), name)
        })
        .collect();
    // Not every class of a component changes at once.
    let first = dice.below(new.len());
    let kept = |at: usize| at != first && !hashed && at % 2 == 1;
    let changed: Vec<&(String, String)> =
        new.iter().enumerate().filter(|(at, _)| !kept(*at)).map(|(_, pair)| pair).collect();
    for id in draft.elements() {
        let Some(classes) = attribute(draft, id, "class") else { continue };
        let name = |class: &str| changed.iter().find(|(old, _)| old == class).map(|(_, new)| new.clone());
        let renamed: Vec<String> =
            classes.split_whitespace().map(|class| name(class).unwrap_or_else(|| class.to_owned())).collect();
        set(draft, id, "class", Some(renamed.join(" ")));
    }
    true
}

fn reword_attribute(draft: &mut Draft, subject: &Subject, names: &[&str], dice: &mut Dice) -> bool {
    let found = names.iter().find_map(|name| Some((*name, attribute(draft, subject.node, name)?)));
    let Some((name, old)) = found else { return false };
    let Some(new) = reworded(&old, subject.sort, dice) else { return false };
    set(draft, subject.node, name, Some(new));
    true
}

fn reword_text(draft: &mut Draft, subject: &Subject, dice: &mut Dice) -> bool {
    let is_button =
        draft.element(subject.node).is_some_and(|element| element.tag == "input") && subject.sort == Sort::Button;
    if is_button {
        return reword_attribute(draft, subject, &["value"], dice);
    }
    let Some(text) = subject.texts(draft).first().copied() else { return false };
    reword_node(draft, text, subject.sort, dice)
}

fn reword_label(draft: &mut Draft, subject: &Subject, dice: &mut Dice) -> bool {
    let texts = subject.labels.iter().find_map(|&label| readable(draft, label).first().copied());
    texts.is_some_and(|text| reword_node(draft, text, subject.sort, dice))
}

fn reword_node(draft: &mut Draft, text: Id, sort: Sort, dice: &mut Dice) -> bool {
    let new = draft.text(text).and_then(|old| reworded(old.trim(), sort, dice));
    new.is_some_and(|new| retext(draft, text, &new))
}

/// Gives a text node other words; the space around them stays.
pub(super) fn retext(draft: &mut Draft, text: Id, new: &str) -> bool {
    let Some(old) = draft.text(text) else { return false };
    let start = old.len() - old.trim_start().len();
    let end = old.trim_end().len().max(start);
    let whole = format!("{}{new}{}", old.get(..start).unwrap_or_default(), old.get(end..).unwrap_or_default());
    draft.set_text(text, whole);
    true
}

/// A new element with a class.
pub(super) fn plain(tag: &str, class: &str) -> Element {
    let attributes = if class.is_empty() { Vec::new() } else { vec![("class".to_owned(), class.to_owned())] };
    Element { tag: tag.to_owned(), attributes, ..Element::default() }
}

fn wrap(draft: &mut Draft, subject: &Subject, dice: &mut Dice) -> bool {
    // What may stand in a list, a table or a select is not free.
    let parent = draft.parent(subject.node).and_then(|parent| draft.element(parent)).map(|above| above.tag.clone());
    let strict = ["ul", "ol", "dl", "table", "thead", "tbody", "tr", "select", "html", "picture", "svg"];
    if parent.is_none_or(|tag| strict.contains(&tag.as_str())) {
        return false;
    }
    let tag = if subject.sort == Sort::Text { "div" } else { ["div", "span"].get(dice.below(2)).unwrap_or(&"div") };
    let Some(around) = draft.wrap(subject.node, plain(tag, "wrapper")) else { return false };
    if dice.below(2) == 0 {
        draft.wrap(around, plain("div", "stack"));
    }
    true
}

fn reorder(draft: &mut Draft, subject: &Subject, dice: &mut Dice) -> bool {
    let Some((parent, _)) = draft.place(subject.unit) else { return false };
    let before: Vec<Id> = draft.children(parent).to_vec();
    let mut elements: Vec<Id> = before.iter().copied().filter(|&id| draft.element(id).is_some()).collect();
    if elements.len() < 2 || parent == subject.body {
        return false;
    }
    let old = elements.clone();
    dice.shuffle(&mut elements);
    if elements == old {
        elements.rotate_left(1);
    }
    // Texts keep their places between the elements.
    let mut next = elements.into_iter();
    let order: Vec<Id> =
        before.into_iter().filter_map(|id| if draft.element(id).is_some() { next.next() } else { Some(id) }).collect();
    draft.reorder(parent, &order);
    true
}

fn retag(draft: &mut Draft, node: Id, dice: &mut Dice) -> bool {
    let Some(element) = draft.element(node) else { return false };
    let had = |name: &str| element.attribute(name).is_some();
    let kind = element.attribute("type").unwrap_or_default().to_ascii_lowercase();
    let (tag, more, fewer): (&str, &[(&str, &str)], &[&str]) = match (element.tag.as_str(), kind.as_str()) {
        ("button", _) if had("role") => return false,
        ("button", _) if dice.below(2) == 0 => ("a", &[("role", "button"), ("href", "#")], &["type"]),
        ("button", _) => ("div", &[("role", "button"), ("tabindex", "0")], &["type"]),
        ("a", _) if had("href") && dice.below(2) == 0 => ("button", &[("type", "button")], &["href", "role"]),
        ("a", _) if had("href") => ("span", &[("role", "link"), ("tabindex", "0")], &["href"]),
        ("input", "text" | "" | "search") if dice.below(2) == 0 => ("textarea", &[], &["type"]),
        ("input", "submit" | "button") => ("button", &[], &[]),
        ("h1", _) => ("h2", &[], &[]),
        ("h2" | "h4" | "h5" | "h6", _) => ("h3", &[], &[]),
        ("h3", _) => ("h4", &[], &[]),
        ("span", _) => ("strong", &[], &[]),
        ("p", _) => ("div", &[], &[]),
        ("div", _) => ("section", &[], &[]),
        ("label", _) => ("span", &[], &[]),
        _ => return false,
    };
    let value = attribute(draft, node, "value").filter(|_| draft.element(node).is_some_and(|old| old.tag == "input"));
    let Some(element) = draft.element_mut(node) else { return false };
    tag.clone_into(&mut element.tag);
    for name in fewer {
        set(draft, node, name, None);
    }
    for (name, value) in more {
        set(draft, node, name, Some((*value).to_owned()));
    }
    if let (Some(value), true) = (value, tag == "button") {
        let text = draft.new_text(value);
        draft.append(node, text);
        set(draft, node, "value", None);
    }
    true
}

/// Another place in the same landmark, and in the same form.
fn relocate(draft: &mut Draft, subject: &Subject, dice: &mut Dice) -> bool {
    const HOLDERS: [&str; 8] = ["div", "section", "form", "fieldset", "article", "header", "footer", "aside"];
    let Some((parent, at)) = draft.place(subject.unit) else { return false };
    let own = draft.element(subject.unit).map(|element| element.tag.clone()).unwrap_or_default();
    if ["tr", "td", "th", "li", "option", "dt", "dd"].contains(&own.as_str()) {
        return false;
    }
    let form = |draft: &Draft, id: Id| {
        std::iter::successors(Some(id), |&id| draft.parent(id))
            .find(|&id| draft.element(id).is_some_and(|element| element.tag == "form"))
    };
    let home_form = form(draft, subject.unit);
    let places: Vec<Id> = draft
        .below(subject.home)
        .into_iter()
        .filter(|&id| draft.element(id).is_some_and(|element| HOLDERS.contains(&element.tag.as_str())))
        .filter(|&id| !draft.is_within(id, subject.unit) && id != parent && form(draft, id) == home_form)
        .filter(|&id| draft.children(id).iter().any(|&child| draft.element(child).is_some()))
        .filter(|&id| !subject.elsewhere.iter().any(|&other| draft.is_within(id, other)))
        .collect();
    match dice.pick(&places).copied() {
        Some(place) => draft.insert(place, dice.below(draft.children(place).len() + 1), subject.unit),
        None if draft.children(parent).len() > 2 => {
            draft.insert(parent, if at == 0 { usize::MAX } else { 0 }, subject.unit);
        }
        None => return false,
    }
    true
}

/// A sibling goes, or new ones come: a hint beside the element, a notice above everything in its landmark.
fn surround(draft: &mut Draft, subject: &Subject, dice: &mut Dice) -> bool {
    const NOTICES: [&str; 6] =
        ["Version 4 is here", "Three tips", "Saved a moment ago", "Only for members", "Beta", "Updated today"];
    let Some((parent, at)) = draft.place(subject.unit) else { return false };
    let mine = |id: Id| id == subject.unit || subject.labels.iter().any(|&label| draft.is_within(label, id));
    let siblings: Vec<Id> = draft.children(parent).iter().copied().filter(|&id| draft.element(id).is_some()).collect();
    let others: Vec<Id> = siblings.into_iter().filter(|&id| !mine(id)).collect();
    let tag = draft.element(subject.unit).map(|element| element.tag.clone()).unwrap_or_default();
    let (text, class) =
        (dice.pick(&NOTICES).copied().unwrap_or_default(), *dice.pick(&["hint", "badge", "notice"]).unwrap_or(&"hint"));
    let text = draft.new_text(text);
    match dice.below(3) {
        0 if parent != subject.body && !others.is_empty() => {
            if let Some(&gone) = dice.pick(&others) {
                draft.detach(gone);
            }
        }
        1 if !["li", "tr", "td", "th", "option", "dt", "dd"].contains(&tag.as_str()) => {
            let hint = draft.new_element(plain("span", class));
            draft.append(hint, text);
            draft.insert(parent, at + dice.below(2), hint);
        }
        _ => {
            let notice = draft.new_element(plain("div", class));
            draft.append(notice, text);
            draft.insert(subject.home, 0, notice);
        }
    }
    true
}

/// Puts a copy of the element, under no name of its own, into another landmark of the page; without one, into a new one.
pub(super) fn stand_in(draft: &mut Draft, subject: &Subject, dice: &mut Dice) -> Option<Id> {
    let spoken = subject.labels.iter().find_map(|&label| readable(draft, label).first().copied());
    let spoken = spoken.and_then(|text| draft.text(text)).map(|text| text.trim().to_owned());
    let copy = draft.copy(subject.node)?;
    for id in draft.below(copy) {
        for name in ["id", "name", "for", subject.test_id.as_str(), "aria-labelledby"] {
            set(draft, id, name, None);
        }
        // What a tick box stands for is a name as well.
        if attribute(draft, id, "type").is_some_and(|kind| kind == "radio" || kind == "checkbox") {
            set(draft, id, "value", None);
        }
    }
    if let Some(spoken) = spoken
        && attribute(draft, copy, "aria-label").is_none()
    {
        set(draft, copy, "aria-label", Some(spoken));
    }
    let there: Vec<Id> = subject.elsewhere.iter().copied().filter(|&id| !draft.is_within(id, subject.unit)).collect();
    let place = dice.pick(&there).copied().unwrap_or_else(|| {
        let place = draft.new_element(plain("footer", ""));
        draft.append(subject.body, place);
        place
    });
    let row = draft.new_element(plain("div", ""));
    draft.append(place, row);
    draft.append(row, copy);
    Some(copy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::dom::testing::dom;
    use crate::domain::dom::{Dom, NodeId, Page};
    use crate::domain::locator::Locator;

    const PAGE: &str = "<html><body><nav><a href=\"/\">Start</a></nav><main><form id=\"form\"><div class=\"group\">\
        <label for=\"mail\">Email</label><input id=\"mail\" name=\"mail\" data-testid=\"mail-field\" \
        class=\"field wide\" placeholder=\"Your email\"/></div><div class=\"row\"><button aria-label=\"Save it\" \
        class=\"btn wide\">Save changes</button><button>Cancel</button></div></form></main></body></html>";

    fn find(page: &Page<'_>, css: &str) -> NodeId {
        let locator = Locator::from_source(&format!("locator('{css}')"), "data-testid").unwrap();
        page.query(page.dom().main_frame().unwrap(), &locator).only().unwrap()
    }

    /// The page after a drift of the element `css`, with the element, or `None` where it cannot drift so.
    fn drifted(css: &str, drift: Drift, seed: u64) -> Option<(Dom, NodeId)> {
        let before = dom(PAGE);
        let page = Page::new(&before);
        let subject = Subject::new(&page, find(&page, css), "data-testid").unwrap();
        let mut draft = Draft::from(&before);
        apply(drift, &mut draft, &subject, &mut Dice::new(seed, &[])).then(|| {
            let built = draft.build();
            let node = built.node(subject.node).unwrap();
            (built.dom, node)
        })
    }

    /// What stops matching when the element drifts.
    #[test]
    fn each_drift_makes_its_own_locator_stale_and_keeps_the_element() {
        for (css, drift, stale) in [
            ("#mail", Drift::Id, "locator('#mail')"),
            ("#mail", Drift::TestId, "getByTestId('mail-field')"),
            ("#mail", Drift::Name, "locator('[name=mail]')"),
            ("#mail", Drift::Class, "locator('.field.wide')"),
            ("#mail", Drift::Label, "getByLabel('Email', { exact: true })"),
            ("#mail", Drift::Placeholder, "getByPlaceholder('Your email', { exact: true })"),
            (".btn", Drift::Aria, "getByRole('button', { name: 'Save it', exact: true })"),
            (".btn", Drift::Text, "getByText('Save changes', { exact: true })"),
            (".btn", Drift::Wrap, "locator('.row > .btn')"),
            (".btn", Drift::Retag, "locator('button.btn')"),
            (".btn", Drift::Move, "locator('.row > .btn')"),
        ] {
            let locator = Locator::from_source(stale, "data-testid").unwrap();
            let stopped = (0..20).filter_map(|seed| drifted(css, drift, seed)).filter(|(dom, node)| {
                let page = Page::new(dom);
                assert!(
                    ["input", "textarea", "button", "a", "div"].contains(&dom.element(*node).unwrap().tag.as_str())
                );
                page.query(dom.main_frame().unwrap(), &locator).nodes() == Some(&[])
            });
            assert!(stopped.count() > 5, "{drift:?}: {stale}");
        }
    }

    #[test]
    fn a_label_still_finds_its_field_whatever_the_id_is() {
        for seed in 0..30 {
            let (dom, node) = drifted("#mail", Drift::Id, seed).unwrap();
            assert_eq!(Page::new(&dom).labels(node).len(), 1, "seed {seed}");
        }
    }

    #[test]
    fn a_duplicate_stands_in_another_landmark_without_the_name() {
        let (dom, node) = drifted("#mail", Drift::Duplicate, 1).unwrap();
        let page = Page::new(&dom);
        assert_eq!(find(&page, "#mail"), node);
        let copy = find(&page, "nav input");
        assert_eq!(&*page.name(copy), "Email");
    }

    #[test]
    fn what_an_element_has_not_cannot_drift() {
        assert!(drifted(".btn", Drift::TestId, 1).is_none());
        assert!(drifted(".btn", Drift::Placeholder, 1).is_none());
        assert!(drifted("nav a", Drift::Label, 1).is_none());
    }
}
