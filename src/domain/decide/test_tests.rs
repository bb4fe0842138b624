//! What the rest of the test says of the lost element: its titles, the form it has just filled, the steps to come, and the
//! conditions of its selector that still hold.

use super::{Decision, Verdict, decide};
use crate::domain::dom::{NodeId, Page, testing};
use crate::domain::facts::{Seen, facts_of};
use crate::domain::identity::{Action, Facts, Lost};
use crate::domain::locator::Locator;
use crate::domain::lost::lost_of;

/// What is said besides the locator: the elements as locators on the page.
#[derive(Default)]
struct Said<'a> {
    titles: &'a [&'a str],
    form: &'a [&'a str],
    few: &'a [&'a str],
    claimed: &'a [&'a str],
}

fn asked(markup: &str, source: &str, action: Action, said: &Said<'_>) -> (Decision, Vec<Seen>) {
    let dom = testing::dom(markup);
    let page = Page::new(&dom);
    let frame = dom.main_frame().unwrap();
    let read = |source: &str| Locator::from_source(source, "data-testid").unwrap();
    let seen = facts_of(&page, "data-testid");
    let indices = |sources: &[&str]| {
        let nodes: Vec<NodeId> =
            sources.iter().flat_map(|source| page.query(frame, &read(source)).nodes().unwrap().to_vec()).collect();
        (0..seen.len()).filter(|&at| nodes.contains(&seen[at].node)).collect::<Vec<usize>>()
    };
    let lost = Lost {
        titles: said.titles.iter().map(|title| (*title).to_owned()).collect(),
        filled_form: indices(said.form),
        few_but_one: indices(said.few),
        claimed: indices(said.claimed),
        ..lost_of(&read(source).steps, action, "data-testid")
    };
    let facts: Vec<Facts> = seen.iter().map(|seen| seen.facts.clone()).collect();
    let decision = decide(&lost, &facts, &(0..facts.len()).collect::<Vec<_>>());
    (decision, seen)
}

/// What is chosen to be tried or applied: its name.
fn chosen(markup: &str, source: &str, action: Action, said: &Said<'_>) -> Option<String> {
    let (decision, seen) = asked(markup, source, action, said);
    match decision.verdict {
        Verdict::Same(at) | Verdict::Likely(at) => Some(seen[at].facts.name.clone()),
        _ => None,
    }
}

const SIGN_UP: &str = r##"<nav><a href="/l">Log in</a><a href="/p">Plans</a></nav><form id="f" action="/go"><input aria-label="Name"/><a class="btn brand" href="#">Register Account</a><a class="btn mega" href="#">Register with Mega</a><a href="/x">Forgot it?</a></form>"##;

#[test]
fn the_titles_of_a_test_tell_a_control_that_a_class_or_a_place_does_not() {
    let titles = ["register.spec.ts › a visitor can open an account"];
    let said = Said { titles: &titles, ..Said::default() };
    for source in ["locator('form > a.btn.primary')", "locator('xpath=/html/body/form/a[4]')"] {
        assert_eq!(chosen(SIGN_UP, source, Action::Click, &said).as_deref(), Some("Register Account"), "{source}");
        // Gone, its neighbours do not say what the test is about.
        let gone = SIGN_UP.replace(r##"<a class="btn brand" href="#">Register Account</a>"##, "");
        assert_eq!(chosen(&gone, source, Action::Click, &said), None, "{source}");
        let other = Said { titles: &["shop.spec.ts › a cart holds two books"], ..Said::default() };
        assert_eq!(chosen(SIGN_UP, source, Action::Click, &other), None, "{source}");
    }
    // A text that went is better evidence than a title.
    assert_eq!(chosen(SIGN_UP, "getByRole('link', { name: 'Create it' })", Action::Click, &said), None);
}

#[test]
fn beside_a_form_that_was_filled_a_link_of_the_same_words_is_the_way_to_the_form() {
    let page =
        r#"<header><a href="/in">Sign In</a><a href="/up">Sign Up</a></header><form><input aria-label="Name"/></form>"#;
    let button = "getByRole('button', { name: 'Sign in' })";
    let filled = Said { form: &["locator('form')", "locator('form input')"], ..Said::default() };
    assert_eq!(chosen(page, button, Action::Click, &filled), None);
    let inside =
        page.replace("</form>", r##"<a href="#">Sign in</a></form>"##).replace(r#"<a href="/in">Sign In</a>"#, "");
    let filled = Said { form: &["locator('form')", "locator('form *')"], ..Said::default() };
    assert_eq!(chosen(&inside, button, Action::Click, &filled).as_deref(), Some("Sign in"));
}

#[test]
fn an_id_means_none_of_the_controls_that_each_row_has() {
    let rows = r#"<section><h3>To do</h3><button class="add">Add card</button></section>"#.repeat(4);
    let page = format!(
        r#"<main><button id="board-create" class="b">Create card</button><button class="b">Filter</button>{rows}</main>"#
    );
    let said = Said::default();
    assert_eq!(chosen(&page, "locator('#board-add-btn')", Action::Click, &said).as_deref(), Some("Create card"));
    let gone = page.replace(r#"<button id="board-create" class="b">Create card</button>"#, "");
    assert_eq!(chosen(&gone, "locator('#board-add-btn')", Action::Click, &said), None);
}

#[test]
fn a_class_that_nothing_else_has_in_place_of_the_one_that_went_was_renamed() {
    let bar = r#"<main><div class="actions"><button class="btn outline">Refresh</button><button class="btn cta-1">Write</button></div><button class="btn outline">More</button><a href="/">Home</a></main>"#;
    let few = ["locator('.actions .btn')"];
    let said = Said { few: &few, ..Said::default() };
    assert_eq!(chosen(bar, "locator('.actions .btn.primary')", Action::Click, &said).as_deref(), Some("Write"));
    let gone = bar.replace(r#"<button class="btn cta-1">Write</button>"#, "");
    assert_eq!(chosen(&gone, "locator('.actions .btn.primary')", Action::Click, &said), None);
}

#[test]
fn what_a_step_to_come_uses_is_taken_and_the_words_they_share_tell_nothing() {
    let page = r#"<div role="dialog"><label for="t">To</label><input id="t"/><label for="m">Topic</label><input id="m"/><label for="b">Message</label><textarea id="compose-body"></textarea></div>"#;
    let fill = || Action::Fill("Friday".into());
    let said = Said { claimed: &["locator('#t')", "locator('#compose-body')"], ..Said::default() };
    assert_eq!(chosen(page, "locator('#compose-subject')", fill(), &said).as_deref(), Some("Topic"));
    let gone = page.replace(r#"<label for="m">Topic</label><input id="m"/>"#, "");
    assert_eq!(chosen(&gone, "locator('#compose-subject')", fill(), &said), None);
}

#[test]
fn an_address_goes_into_the_field_that_asks_for_one() {
    let page = r#"<form><input id="acc" type="text" placeholder="Work e-mail"/><input type="password" aria-label="Secret"/></form>"#;
    let (decision, _) = asked(page, "locator('#inputEmail')", Action::Fill("a@example.test".into()), &Said::default());
    // Another form without a name may have such a field as well.
    assert!(matches!(decision.verdict, Verdict::Likely(_)) && !decision.basis.carry_over, "{:?}", decision.verdict);
    let other = page.replace("Work e-mail", "Nick name");
    assert_eq!(chosen(&other, "locator('#inputEmail')", Action::Fill("a@example.test".into()), &Said::default()), None);
}

#[test]
fn a_label_that_says_the_same_in_other_signs_stands_back_behind_a_new_one() {
    let page = r#"<header><input aria-label="Search"/></header><main><label for="s">Filter records:</label><input id="s" type="search"/></main>"#;
    let found = chosen(page, "getByLabel('Search:')", Action::Fill("Tokyo".into()), &Said::default());
    assert_eq!(found.as_deref(), Some("Filter records:"));
}

#[test]
fn a_field_of_another_form_is_not_the_one_that_went_from_the_form_of_the_test() {
    let login = r#"<form id="in"><input id="mail" type="email" aria-label="E-mail"/><input id="pw" type="password" aria-label="Password"/></form><form id="news"><input id="n" type="email" aria-label="Your e-mail"/></form>"#;
    let gone = login.replace(r#"<input id="mail" type="email" aria-label="E-mail"/>"#, "");
    let said = Said { claimed: &["locator('#pw')"], ..Said::default() };
    let fill = || Action::Fill("a@example.test".into());
    let (decision, _) = asked(&gone, "locator('#email')", fill(), &said);
    assert!(!matches!(decision.verdict, Verdict::Same(_)) && !decision.basis.carry_over, "{:?}", decision.verdict);
    assert_eq!(chosen(login, "locator('#email')", fill(), &said).as_deref(), Some("E-mail"));
}
