//! Shapes of drift and of absence, each on a page of its own. The right element carries `data-x`; where the answer is
//! to decline, no element does.

use super::{Decision, Verdict, decide};
use crate::domain::dom::{Dom, NodeId, Page, testing};
use crate::domain::facts::{Seen, facts_of};
use crate::domain::identity::{Action, Facts, Lost};
use crate::domain::locator::Locator;
use crate::domain::lost::lost_of;
use crate::domain::peers::peers_of;

/// What the answer may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Expected {
    /// The marked element, to be applied.
    Same,
    /// The marked element, to be applied if the runs prove it.
    Tried,
    /// The marked element, applied or proposed.
    Found,
    /// Nothing may be applied.
    Declined,
}

fn above(dom: &Dom, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    std::iter::successors(dom.parent(node), |&node| dom.parent(node))
}

/// What a locator resolves to on the page of the green run, and what the other controls there are called.
pub(super) fn recorded(markup: &str, source: &str) -> (Facts, Vec<String>) {
    let dom = testing::dom(markup);
    let page = Page::new(&dom);
    let locator = Locator::from_source(source, "data-testid").unwrap();
    let node = page.query(dom.main_frame().unwrap(), &locator).only().expect("one element before");
    let seen = facts_of(&page, "data-testid");
    let all: Vec<&Facts> = seen.iter().map(|seen| &seen.facts).collect();
    let at = seen.iter().position(|seen| seen.node == node).unwrap();
    (seen[at].facts.clone(), peers_of(at, &all))
}

struct Asked<'a> {
    markup: &'a str,
    source: &'a str,
    action: Action,
    others: &'a [&'a str],
    fingerprint: Option<(Facts, Vec<String>)>,
    names: &'a [&'a str],
}

fn ask(asked: Asked<'_>) -> (Decision, Vec<Seen>, Dom) {
    let Asked { markup, source, action, others, fingerprint, names } = asked;
    let dom = testing::dom(markup);
    let page = Page::new(&dom);
    let frame = dom.main_frame().unwrap();
    let locator = Locator::from_source(source, "data-testid").unwrap();
    let links = locator.links(crate::domain::locator::render::Style::default());
    let counts = page.links(frame, &locator);
    let broken = counts.iter().position(|link| link.answer.nodes() == Some(&[])).expect("a stale locator");
    let steps = links[broken].steps.clone();
    let scopes: Vec<NodeId> = match steps.start {
        0 => vec![dom.frame(frame).document],
        start => page.query(frame, &Locator { steps: locator.steps[..start].to_vec() }).nodes().unwrap().to_vec(),
    };
    let seen = facts_of(&page, "data-testid");
    let inside = |node: NodeId| above(&dom, node).any(|node| scopes.contains(&node));
    let allowed: Vec<usize> = (0..seen.len()).filter(|&at| inside(seen[at].node)).collect();
    let resolved = |source: &&str| page.query(frame, &Locator::from_source(source, "data-testid").unwrap()).only();
    let claimed: Vec<NodeId> = others.iter().map(|other| resolved(other).expect("a locator that works")).collect();
    let claimed = (0..seen.len()).filter(|&at| claimed.contains(&seen[at].node)).collect();
    let names = names.iter().map(|name| (*name).to_owned()).collect();
    let (fingerprint, peers) = fingerprint.unzip();
    let peers = peers.unwrap_or_default();
    let lost = Lost { fingerprint, peers, names, claimed, ..lost_of(&locator.steps[steps], action, "data-testid") };
    let facts: Vec<Facts> = seen.iter().map(|seen| seen.facts.clone()).collect();
    let decision = decide(&lost, &facts, &allowed);
    (decision, seen, dom)
}

pub(super) fn check(markup: &str, source: &str, action: Action, others: &[&str], expected: Expected) {
    judge(Asked { markup, source, action, others, fingerprint: None, names: &[] }, expected);
}

pub(super) fn check_recorded(before: &str, after: &str, source: &str, action: Action, expected: Expected) {
    let fingerprint = Some(recorded(before, source));
    judge(Asked { markup: after, source, action, others: &[], fingerprint, names: &[] }, expected);
}

fn judge(asked: Asked<'_>, expected: Expected) {
    let source = asked.source;
    let (decision, seen, dom) = ask(asked);
    let marked = |at: usize| {
        let node = seen[at].node;
        let mark = |node: NodeId| dom.element(node).is_some_and(|element| element.attribute("data-x").is_some());
        mark(node) || above(&dom, node).any(mark)
    };
    let right = match (&decision.verdict, expected) {
        (Verdict::Same(at), Expected::Same | Expected::Tried | Expected::Found)
        | (Verdict::Likely(at), Expected::Tried | Expected::Found)
        | (Verdict::Weak(at), Expected::Found) => marked(*at),
        (Verdict::Same(_) | Verdict::Likely(_), Expected::Declined)
        | (_, Expected::Same | Expected::Tried | Expected::Found) => false,
        (_, Expected::Declined) => true,
    };
    let shown: Vec<String> = decision
        .ranked
        .iter()
        .take(4)
        .map(|scored| {
            let evidence: Vec<String> = scored.evidence.iter().map(|e| format!("{} {:+.1}", e.id, e.bits)).collect();
            format!(
                "{:.3} <{}> {:?} {}",
                scored.share,
                seen[scored.index].facts.tag,
                seen[scored.index].facts.name,
                evidence.join(" ")
            )
        })
        .collect();
    assert!(right, "{source}: {:?}, none {:.3}\n  {}", decision.verdict, decision.none, shown.join("\n  "));
}

#[test]
fn the_same_literal_under_another_attribute_is_the_element() {
    let form = r#"<form><input type="text" name="q"/><button data-testid="go-now" data-x="">Go</button><button>Stop</button></form>"#;
    check(form, "locator('#go-now')", Action::Click, &[], Expected::Same);
    let form = r#"<form><button id="save" data-x="">Keep</button><button>Stop</button></form>"#;
    check(form, "getByTestId('save')", Action::Click, &[], Expected::Same);
    let form = r#"<form><input name="email" type="email" data-x=""/><input name="nick"/></form>"#;
    check(form, "locator('#email')", Action::Fill("a@example.test".into()), &[], Expected::Same);
}

#[test]
fn the_same_name_in_another_role_is_tried_for_it_may_have_stood_beside_the_other() {
    let page = r#"<main><p>About</p><a href="/x" data-x="">Download report</a><button>Print</button></main>"#;
    check(page, "getByRole('button', { name: 'Download report' })", Action::Click, &[], Expected::Tried);
}

#[test]
fn words_added_or_dropped_are_for_a_person_to_confirm() {
    let page = r#"<form><label for="f">Name</label><input id="f"/><button type="submit" data-x="">Save changes</button><button type="button">Preview</button></form>"#;
    check(
        page,
        "getByRole('button', { name: 'Save', exact: true })",
        Action::Click,
        &["getByLabel('Name')"],
        Expected::Found,
    );
}

#[test]
fn a_sure_synonym_among_opposites_is_found() {
    let page = r#"<main><div role="dialog"><h2>Sign in</h2><label for="e">E-mail</label><input id="e" type="email"/><button data-x="">Log in</button><button>Cancel</button></div></main>"#;
    check(
        page,
        "getByRole('dialog').getByRole('button', { name: 'Sign in' })",
        Action::Click,
        &["getByLabel('E-mail')"],
        Expected::Found,
    );
    let page = r#"<form><label for="e">Topic</label><input id="e" data-x=""/><label for="t">To</label><input id="t"/><textarea aria-label="Body"></textarea></form>"#;
    check(
        page,
        "getByLabel('Subject')",
        Action::Fill("Friday".into()),
        &["getByLabel('To', { exact: true })"],
        Expected::Found,
    );
}

#[test]
fn a_word_dropped_and_a_role_changed_is_another_control() {
    let page = r##"<ul><li><a href="#/active">Active</a></li><li><a href="#/completed">Completed</a></li></ul>"##;
    for source in
        ["getByRole('button', { name: /Clear completed/ })", "getByRole('button', { name: 'Clear completed' })"]
    {
        check(page, source, Action::Click, &[], Expected::Declined);
    }
}

#[test]
fn the_neighbour_of_a_removed_element_is_not_the_element() {
    let page =
        r#"<form><label for="e">E-mail</label><input id="e" type="email"/><button type="reset">Reset</button></form>"#;
    check(page, "getByRole('button', { name: 'Submit' })", Action::Click, &[], Expected::Declined);
    check(page, "locator('#submit')", Action::Click, &[], Expected::Declined);
    let page = r#"<nav><a href="/up">Sign up</a></nav><main><h1>Welcome</h1><a href="/help">Help</a></main>"#;
    check(page, "getByRole('link', { name: 'Sign in' })", Action::Click, &[], Expected::Declined);
    check(page, "getByText('Sign in')", Action::Click, &[], Expected::Declined);
    let page = r"<ul><li>Box one <button>Archive</button></li></ul>";
    check(
        page,
        "getByRole('listitem').getByRole('button', { name: 'Delete' })",
        Action::Click,
        &[],
        Expected::Declined,
    );
}

#[test]
fn an_identifier_that_says_the_opposite_is_not_even_proposed() {
    let gone = |page: &str, source: &str| {
        let (decision, _, _) =
            ask(Asked { markup: page, source, action: Action::Click, others: &[], fingerprint: None, names: &[] });
        assert_eq!(decision.verdict, Verdict::Gone, "{source}");
    };
    let page = r#"<main><nav aria-label="Pages"><button id="previous-page">Previous page</button></nav></main>"#;
    gone(page, "locator('#next-page')");
    let page = r#"<nav><a href="/p">Projects</a></nav><main><input aria-label="Project name"/><button data-testid="rename-project">Rename project</button><button data-testid="archive-project">Archive project</button></main>"#;
    gone(page, "getByTestId('delete-project')");
}

#[test]
fn an_exact_literal_wins_on_a_page_of_thousands() {
    let rows = "<div><span>Row</span><button class=\"b\">Open</button></div>".repeat(1500);
    let page = format!("<main>{rows}<button data-testid=\"export-csv\" data-x=\"\">Export</button></main>");
    check(&page, "locator('#export-csv')", Action::Click, &[], Expected::Same);
}

#[test]
fn a_password_goes_only_into_a_password_field() {
    let page = r#"<form><label for="u">User name</label><input id="u" type="text"/><button>Go</button></form>"#;
    check(page, "locator('#password')", Action::Fill("secret".into()), &[], Expected::Declined);
    let page = r#"<form><input id="u" type="text" aria-label="User name"/><input id="p2" type="password" aria-label="Password" data-x=""/></form>"#;
    check(page, "locator('#pass')", Action::Fill("secret".into()), &[], Expected::Same);
    let page = r#"<form><input id="p2" type="password" aria-label="Password"/></form>"#;
    check(page, "locator('#user')", Action::Fill("robin".into()), &[], Expected::Declined);
}

#[test]
fn one_that_became_two_is_ambiguous() {
    let page = r#"<form><input aria-label="Title"/><button>Save draft</button><button>Publish</button></form>"#;
    check(page, "getByRole('button', { name: 'Submit' })", Action::Click, &[], Expected::Declined);
    let page = r#"<main><button class="btn">Edit</button><button class="btn">Edit</button></main>"#;
    check(page, "locator('.edit-button')", Action::Click, &[], Expected::Declined);
}

#[test]
fn rows_and_numbers_are_not_exchanged() {
    let page = r#"<table><tr><td>Row 2</td><td><button aria-label="Open row 2">Open</button></td></tr></table>"#;
    check(page, "getByRole('button', { name: 'Open row 1' })", Action::Click, &[], Expected::Declined);
}

#[test]
fn a_choice_goes_into_the_select_that_has_it() {
    let page = r#"<form><select aria-label="Country"><option>France</option></select><select aria-label="Role" data-x=""><option>Owner</option><option>Guest</option></select></form>"#;
    check(page, "locator('#filter-role')", Action::Select(vec!["Owner".into()]), &[], Expected::Found);
    let page = r#"<form><select aria-label="Country"><option>France</option></select></form>"#;
    check(page, "locator('#filter-role')", Action::Select(vec!["Owner".into()]), &[], Expected::Declined);
}

#[test]
fn what_cannot_be_seen_or_is_taken_is_no_candidate() {
    let page = r#"<main><button id="a" hidden="" data-testid="go">Go</button><p>Text</p></main>"#;
    check(page, "locator('#go')", Action::Click, &[], Expected::Declined);
    let page = r#"<form><input id="q" name="query"/><input id="r"/></form>"#;
    check(page, "locator('.query')", Action::Fill("x".into()), &["locator('#q')"], Expected::Declined);
}

#[test]
fn a_renamed_identifier_is_found_by_what_it_says() {
    let page = r#"<main><header><button id="board-create" data-x="">Create card</button><button id="flt">Filter</button></header></main>"#;
    check(page, "locator('#kanban-add-btn')", Action::Click, &[], Expected::Found);
    let page = r#"<main><button class="tryit-toggle" data-x="">Try it out</button><button class="auth">Authorize</button></main>"#;
    check(page, "locator('button.try-out__btn')", Action::Click, &[], Expected::Found);
}

const DIALOG: &str = r#"<main><h1>Mail</h1><button class="btn">Compose</button><div role="dialog"><h2>New mail</h2><div class="foot"><button class="btn">Cancel</button><button class="btn btn-primary">Send</button></div></div></main>"#;

#[test]
fn a_recorded_element_is_known_in_other_words_where_it_stood() {
    let after = DIALOG
        .replace("<button class=\"btn btn-primary\">Send", "<button class=\"btn btn-primary\" data-x=\"\">Deliver now");
    let send = "getByRole('dialog').getByRole('button', { name: 'Send' })";
    check_recorded(DIALOG, &after, send, Action::Click, Expected::Found);
    let removed = DIALOG.replace("<button class=\"btn btn-primary\">Send</button>", "");
    check_recorded(DIALOG, &removed, send, Action::Click, Expected::Declined);
}

const LINKS: &str = r#"<nav><ul><li><a class="nav" href="/a">Home</a></li><li><a class="nav" href="/b">Orders</a></li><li><a class="nav" href="/c">Reports</a></li></ul></nav><footer><a href="/b">Orders</a></footer>"#;

#[test]
fn the_neighbour_that_slid_into_the_gap_and_the_twin_elsewhere_are_not_the_element() {
    let orders = "getByRole('navigation').getByRole('link', { name: 'Orders' })";
    let removed = LINKS.replace("<li><a class=\"nav\" href=\"/b\">Orders</a></li>", "");
    check_recorded(LINKS, &removed, orders, Action::Click, Expected::Declined);
    let orders = "locator('.nav >> text=Orders')";
    check_recorded(LINKS, &removed, orders, Action::Click, Expected::Declined);
}

#[test]
fn a_recorded_element_keeps_its_id_through_a_new_label_and_its_text_through_a_new_id() {
    let before = r#"<form><label for="n">Full name</label><input id="n" class="c"/><label for="m">E-mail</label><input id="m" class="c"/></form>"#;
    let after = before.replace("Full name", "Display name").replace("<input id=\"n\"", "<input data-x=\"\" id=\"n\"");
    check_recorded(before, &after, "getByLabel('Full name')", Action::Fill("Robin".into()), Expected::Same);
    let after =
        before.replace("for=\"n\"", "for=\"nick\"").replace("<input id=\"n\"", "<input data-x=\"\" id=\"nick\"");
    check_recorded(before, &after, "locator('#n')", Action::Fill("Robin".into()), Expected::Same);
}

fn check_named(markup: &str, source: &str, names: &[&str], expected: Expected) {
    judge(Asked { markup, source, action: Action::Click, others: &[], fingerprint: None, names }, expected);
}

#[test]
fn one_that_became_two_where_it_stood_is_ambiguous() {
    let before = r#"<form><label>Name <input name="n"/></label><div class="foot"><button type="submit" class="btn main">Save changes</button><button type="reset" class="btn">Reset</button></div></form>"#;
    let save = "getByRole('button', { name: 'Save changes' })";
    let two = r#"<button type="submit" class="btn main">Save account</button><button type="submit" class="btn main">Save profile</button>"#;
    let one = r#"<button type="submit" class="btn main">Save changes</button>"#;
    check_recorded(before, &before.replace(one, two), save, Action::Click, Expected::Declined);
    let reworded = before.replace(one, r#"<button type="submit" class="btn main" data-x="">Apply</button>"#);
    check_recorded(before, &reworded, save, Action::Click, Expected::Tried);
    let both = reworded.replace("Reset", "Discard");
    check_recorded(before, &both, save, Action::Click, Expected::Tried);
}

#[test]
fn a_link_that_became_a_button_in_other_words_is_tried() {
    let before = r##"<ul><li class="row"><span>Stone</span><a class="act" href="#">Delete</a><a class="act" href="#">Edit</a></li></ul>"##;
    let after = before.replace(
        r##"<a class="act" href="#">Delete</a>"##,
        r#"<button class="act" type="button" data-x="">Remove</button>"#,
    );
    check_recorded(before, &after, "getByRole('link', { name: 'Delete' })", Action::Click, Expected::Tried);
    let archived = after.replace(" data-x=\"\">Remove", ">Archive");
    check_recorded(before, &archived, "getByRole('link', { name: 'Delete' })", Action::Click, Expected::Declined);
}

#[test]
fn a_label_in_another_language_where_all_else_stayed_is_the_element() {
    let before = r#"<form><label for="a">E-mail</label><input id="a"/><input type="checkbox" id="keep" class="tick"/><label for="keep">Remember me</label><button>Go</button></form>"#;
    let after = before
        .replace("Remember me", "Angemeldet bleiben")
        .replace("id=\"keep\"", "id=\"stay\" data-x=\"\"")
        .replace("for=\"keep\"", "for=\"stay\"");
    check_recorded(before, &after, "getByLabel('Remember me')", Action::Check, Expected::Same);
}

#[test]
fn the_name_that_the_test_gives_an_element_tells_it() {
    let page = r#"<nav><a href="/l" data-x="">Layouts</a><a href="/p">Pages</a><a href="/c">Charts</a></nav>"#;
    check_named(page, "locator('//nav/div/a[2]')", &["layouts"], Expected::Tried);
    check_named(page, "locator('//nav/div/a[2]')", &["link"], Expected::Declined);
}

#[test]
fn another_control_in_the_place_of_the_old_one_is_not_tried() {
    let button = |id: &str, text: &str| {
        format!(r#"<h1>Page</h1><div class="actions"><button class="btn primary" id="{id}">{text}</button></div>"#)
    };
    for (old, new) in [
        (("invite", "Invite user"), ("block", "Block user")),
        (("add-cart", "Add to cart"), ("add-wish", "Add to wishlist")),
        (("pay-card", "Pay with card"), ("pay-paypal", "Pay with PayPal")),
        (("start-trial", "Start trial"), ("start-subscription", "Start subscription")),
        (("dl-pdf", "Download PDF"), ("dl-csv", "Download CSV")),
        (("publish", "Publish"), ("schedule", "Schedule")),
        (("archive", "Archive"), ("delete", "Delete")),
        (("open", "Open report"), ("delete", "Delete")),
        (("hozon", "保存"), ("ichiji", "一時保存")),
        (("loeschen", "Löschen"), ("alle-loeschen", "Alle löschen")),
        (("invite-user", "Invite user"), ("invite-team", "Invite team")),
    ] {
        let source = format!("locator('#{}')", old.0);
        check_recorded(&button(old.0, old.1), &button(new.0, new.1), &source, Action::Click, Expected::Declined);
    }
    let named = "getByRole('button', { name: 'Create project' })";
    let page = |text: &str| format!(r#"<main><h1>Work</h1><p><button class="btn">{text}</button></p></main>"#);
    check_recorded(&page("Create project"), &page("Create task"), named, Action::Click, Expected::Declined);
    let field = |id: &str, label: &str| {
        format!(
            r#"<form><label>Name <input name="n"/></label><label for="{id}">{label}</label><input id="{id}" name="{id}"/></form>"#
        )
    };
    for (old, new) in [
        (("home-phone", "Home phone"), ("work-phone", "Work phone")),
        (("vat-number", "VAT number"), ("order-number", "Order number")),
        (("iban", "IBAN"), ("account-number", "Account number")),
    ] {
        let fill = Action::Fill("12345".into());
        let source = format!("locator('#{}')", old.0);
        check_recorded(&field(old.0, old.1), &field(new.0, new.1), &source, fill, Expected::Declined);
    }
}

#[test]
fn a_control_that_stood_beside_the_element_then_is_another_whatever_it_carries_now() {
    let fill = || Action::Fill("ada@example.com".into());
    for (before, after, source, action) in [
        (
            r#"<h1>Orders</h1><p><button id="export">Export selected</button><button class="all">Export all</button></p>"#,
            r#"<h1>Orders</h1><p><button class="all" data-testid="export">Export all</button></p>"#,
            "locator('#export')",
            Action::Click,
        ),
        (
            r#"<h1>Register</h1><form><label>Full name <input id="name"/></label><label>Company <input class="c"/></label></form>"#,
            r#"<h1>Register</h1><form><label>Company <input class="c" data-testid="name"/></label></form>"#,
            "locator('#name')",
            fill(),
        ),
        (
            r#"<h1>Contact</h1><form aria-label="Contact"><label>Your e-mail <input id="email" type="email"/></label></form><footer><form aria-label="Newsletter"><label>Newsletter <input type="email" name="newsletter"/></label></form></footer>"#,
            r#"<h1>Contact</h1><form aria-label="Contact"><p>You write as Ada.</p></form><footer><form aria-label="Newsletter"><label>Newsletter <input type="email" name="email"/></label></form></footer>"#,
            "locator('#email')",
            fill(),
        ),
        (
            r#"<h1>Settings</h1><section><h2>Profile</h2><button id="save">Save</button></section><section><h2>Notifications</h2><button data-testid="save-notifications">Save</button></section>"#,
            r#"<h1>Settings</h1><section><h2>Profile</h2><p>Saved by itself.</p></section><section><h2>Notifications</h2><button data-testid="save">Save</button></section>"#,
            "locator('#save')",
            Action::Click,
        ),
        (
            r#"<h1>Members</h1><table><tr><td>Ada</td><td>ada@x.org</td><td><button data-testid="remove-ada">Remove</button></td></tr><tr><td>Grace</td><td>grace@x.org</td><td><button data-testid="remove-grace">Remove</button></td></tr></table>"#,
            r#"<h1>Members</h1><table><tr><td>Grace</td><td>grace@x.org</td><td><button data-testid="remove-grace">Remove</button></td></tr></table>"#,
            "getByTestId('remove-ada')",
            Action::Click,
        ),
        (
            r#"<header><input id="search" type="search" placeholder="Search"/></header><main><h1>Users</h1><input class="f" placeholder="Filter users"/></main>"#,
            r#"<header><a href="/">Home</a></header><main><h1>Users</h1><input class="f" name="search" placeholder="Search users"/></main>"#,
            "locator('#search')",
            fill(),
        ),
        (
            r#"<h1>Account</h1><section><h2>Danger</h2><button id="delete">Delete</button></section><section><h2>Sessions</h2><ul><li>Firefox <button class="rv">Revoke</button></li></ul></section>"#,
            r#"<h1>Account</h1><section><h2>Danger</h2><p>Write to us.</p></section><section><h2>Sessions</h2><ul><li>Firefox <button class="rv" data-testid="delete">Delete</button></li></ul></section>"#,
            "locator('#delete')",
            Action::Click,
        ),
        (
            r#"<h1>Join</h1><label>Country <select id="country"><option>France</option></select></label><label>Nationality <select id="nat"><option>France</option></select></label>"#,
            r#"<h1>Join</h1><label>Nationality <select id="nat" name="country"><option>France</option></select></label>"#,
            "locator('#country')",
            Action::Select(vec!["France".into()]),
        ),
    ] {
        check_recorded(before, after, source, action, Expected::Declined);
    }
}

#[test]
fn an_icon_under_another_name_is_as_likely_another_icon() {
    let icon = |id: &str, path: &str| {
        format!(
            r#"<h1>Mail</h1><div class="bar"><button id="{id}" class="icon"><svg><path d="{path}"/></svg></button></div>"#
        )
    };
    let before = icon("trash", "M1 1h4");
    check_recorded(&before, &icon("star", "M9 9l3 3"), "locator('#trash')", Action::Click, Expected::Declined);
    let renamed = icon("trash-message\" data-x=\"", "M1 1h4");
    check_recorded(&before, &renamed, "locator('#trash')", Action::Click, Expected::Found);
}

#[test]
fn a_field_of_another_group_is_another_and_a_group_may_be_reworded() {
    let page = |legend: &str, field: &str| {
        format!(
            r"<h1>Checkout</h1><fieldset><legend>{legend}</legend><label>Street <input {field}/></label></fieldset>"
        )
    };
    let before = page("Shipping address", r#"id="street""#);
    let fill = || Action::Fill("Main St 1".into());
    let billing = page("Billing address", r#"data-testid="street""#);
    check_recorded(&before, &billing, "locator('#street')", fill(), Expected::Declined);
    let reworded = page("Your shipping address", r#"data-testid="street" data-x="""#);
    check_recorded(&before, &reworded, "locator('#street')", fill(), Expected::Same);
}

#[test]
fn what_differs_by_its_punctuation_was_there_before() {
    let page = r#"<header><input aria-label="Search"/></header><main><p>Rows</p></main>"#;
    let asked = Asked {
        markup: page,
        source: "getByLabel('Search:')",
        action: Action::Fill("Tokyo".into()),
        others: &[],
        fingerprint: None,
        names: &[],
    };
    let (decision, _, _) = ask(asked);
    assert!(!decision.basis.carry_over, "{:?}", decision.verdict);
}

#[test]
fn the_only_field_of_other_words_is_not_tried() {
    let page = |attributes: &str| format!(r"<main><h1>Todos</h1><input {attributes}/></main>");
    let asked = "getByPlaceholder('What needs to be done?')";
    let fill = || Action::Fill("water the plants".into());
    check(&page(r#"placeholder="Company" id="company""#), asked, fill(), &[], Expected::Declined);
    check(&page(r#"placeholder="What needs doing?" data-x="""#), asked, fill(), &[], Expected::Tried);
}
