//! Each case: a page with the meant element marked `meant`, the failed locator, what is suggested first.

use super::*;
use crate::domain::dom::Dom;
use crate::domain::dom::testing::dom;
use crate::domain::history::testing::successor;
use crate::domain::identity::LiteralKind;
use crate::domain::locator::render::Style;

struct Case<'c> {
    page: &'c str,
    old: &'c str,
    stale: usize,
    house: &'c [&'c str],
    successors: &'c [(&'c str, &'c str)],
}

fn meant(page: &Dom) -> NodeId {
    page.nodes().find(|&node| page.element(node).is_some_and(|element| element.attribute("meant").is_some())).unwrap()
}

fn suggestions(case: &Case<'_>) -> Vec<Suggestion> {
    let dom = dom(case.page);
    let page = Page::new(&dom);
    let old = Locator::from_source(case.old, "data-testid").unwrap();
    let mut house = House::default();
    for locator in case.house {
        house.note(&Locator::from_source(locator, "data-testid").unwrap());
    }
    let successors: Vec<Successor> =
        case.successors.iter().map(|(old, new)| successor(old, new, LiteralKind::TestId)).collect();
    suggest(&Ask {
        page: &page,
        frame: dom.main_frame().unwrap(),
        node: meant(&dom),
        locator: &old,
        steps: case.stale..case.stale + 1,
        house: &house,
        test_id_attribute: "data-testid",
        successors: &successors,
        typed: &["Zebra".to_owned()],
    })
}

fn all(page: &str, old: &str, stale: usize) -> Vec<String> {
    let case = Case { page, old, stale, house: &[], successors: &[] };
    suggestions(&case).iter().map(|suggestion| suggestion.locator.to_js(Style::default())).collect()
}

#[track_caller]
fn first(page: &str, old: &str, stale: usize, expected: &str) {
    let all = all(page, old, stale);
    assert_eq!(all.first().map(String::as_str), Some(expected), "{all:#?}");
}

#[track_caller]
fn none(page: &str, old: &str, stale: usize) {
    assert_eq!(all(page, old, stale), Vec::<String>::new());
}

#[test]
fn the_same_literal_under_another_attribute_comes_first() {
    first(
        r#"<div><button data-testid="submit-btn" id="other" meant="1">Submit</button></div>"#,
        "locator('#submit-btn')",
        0,
        "getByTestId('submit-btn')",
    );
    first(r#"<div><input name="email" meant="1"></div>"#, "locator('#email')", 0, "locator('[name=\"email\"]')");
}

#[test]
fn what_the_repository_says_comes_before_everything() {
    let case = Case {
        page: r#"<div><button id="a" data-testid="save-changes" class="save" meant="1">Save</button></div>"#,
        old: "locator('.save')",
        stale: 0,
        house: &[],
        successors: &[("save", "save-changes")],
    };
    let found = suggestions(&case);
    assert_eq!(found[0].why, Why::Successor);
    assert_eq!(found[0].locator.to_js(Style::default()), "getByTestId('save-changes')");
}

#[test]
fn the_kind_of_locator_is_kept() {
    let page = r#"<form><label for="mail">Your e-mail</label><input id="mail" placeholder="Mail" data-testid="mail-box" name="m" meant="1"></form>"#;
    for (old, expected) in [
        ("locator('#email')", "locator('#mail')"),
        ("getByLabel('E-Mail address')", "getByLabel('Your e-mail')"),
        ("getByPlaceholder('Enter')", "getByPlaceholder('Mail')"),
        ("getByTestId('old')", "getByTestId('mail-box')"),
        ("getByRole('textbox', { name: 'E-Mail address' })", "getByRole('textbox', { name: 'Your e-mail' })"),
        ("locator('input[name=\"x\"]')", "locator('input[name=\"m\"]')"),
    ] {
        first(page, old, 0, expected);
    }
}

#[test]
fn the_house_style_decides_where_the_kind_cannot_be_kept() {
    let page = r#"<div><button data-testid="pay" meant="1">Pay</button></div>"#;
    let house = [
        "getByTestId('a')",
        "getByTestId('b')",
        "getByTestId('c')",
        "getByTestId('d')",
        "getByTestId('e')",
        "getByText('x')",
    ];
    let case = |house| Case { page, old: "locator('.gone')", stale: 0, house, successors: &[] };
    assert_eq!(suggestions(&case(&house))[0].locator.to_js(Style::default()), "getByTestId('pay')");
    assert_eq!(suggestions(&case(&[]))[0].locator.to_js(Style::default()), "getByRole('button', { name: 'Pay' })");
}

#[test]
fn a_text_is_exact_only_where_it_has_to_be() {
    let twin = r#"<div><button meant="1">Save</button><button>Save draft</button></div>"#;
    first(twin, "locator('#save')", 0, "getByRole('button', { name: 'Save', exact: true })");
    first(
        r#"<div><button meant="1">Save</button></div>"#,
        "getByRole('button', { name: 'Store', exact: true })",
        0,
        "getByRole('button', { name: 'Save', exact: true })",
    );
}

#[test]
fn twins_are_told_apart_by_their_container_never_by_position() {
    let page = r#"<main><section aria-label="Billing"><button meant="1">Edit</button></section><section aria-label="Shipping"><button>Edit</button></section></main>"#;
    first(
        page,
        "locator('#edit-billing')",
        0,
        "getByRole('region', { name: 'Billing' }).getByRole('button', { name: 'Edit' })",
    );
    none("<main><button meant=\"1\">Edit</button><button>Edit</button></main>", "locator('#edit')", 0);
}

#[test]
fn generated_tokens_and_data_are_never_used() {
    none(
        r#"<div><span id=":r3:" class="css-1x2y3z mui-4711" meant="1">$12.00</span><span>$12.00</span></div>"#,
        "locator('#total')",
        0,
    );
    first(
        r#"<nav><a href="/x" meant="1">Inbox (3)</a></nav>"#,
        "locator('#inbox')",
        0,
        "getByRole('link', { name: 'Inbox' })",
    );
    none(r#"<ul><li><b meant="1">Zebra</b></li></ul>"#, "locator('#name')", 0);
    none(r#"<table><tr><td meant="1">Ann Smith</td><td>x</td></tr></table>"#, "locator('.name')", 0);
    let rows = r#"<ul><li id="row-1"><a meant="1">a1</a></li><li id="row-2"><a>a1</a></li></ul>"#;
    none(rows, "locator('.x')", 0);
}

#[test]
fn only_the_stale_link_changes() {
    first(
        r#"<div id="panel"><button meant="1">Store</button></div><button>Store</button>"#,
        "locator('#panel').getByRole('button', { name: 'Save' })",
        1,
        "locator('#panel').getByRole('button', { name: 'Store' })",
    );
    first(
        r#"<div><button>Get invoice</button><button meant="1">Get PDF</button><button>Get PDF</button></div>"#,
        "getByRole('button', { name: 'PDF file' }).first()",
        0,
        "getByRole('button', { name: 'Get PDF' }).first()",
    );
    first(
        r#"<div class="bar"><i>a</i><button class="go-x">x</button><button class="go-y" meant="1">y</button></div>"#,
        "locator('.bar .go')",
        0,
        "locator('.bar .go-y')",
    );
}

#[test]
fn a_base_of_a_filter_may_be_what_there_is_many_of() {
    first(
        r#"<ul><li class="entry" meant="1">Milk</li><li class="entry">Eggs</li></ul>"#,
        "locator('.task').filter({ hasText: 'Milk' })",
        0,
        "locator('.entry').filter({ hasText: 'Milk' })",
    );
    first(
        "<ul><li meant=\"1\">Milk</li><li>Eggs</li></ul>",
        "locator('.task').filter({ hasText: 'Milk' })",
        0,
        "getByRole('listitem').filter({ hasText: 'Milk' })",
    );
}

#[test]
fn a_stale_scope_is_named_anew() {
    first(
        r#"<div id="board" meant="1"><button>Save</button></div><button>Save</button>"#,
        "locator('#panel').getByRole('button', { name: 'Save' })",
        0,
        "locator('#board').getByRole('button', { name: 'Save' })",
    );
}

#[test]
fn a_stale_frame_is_named_anew() {
    let page = r#"<div><iframe id="pay" meant="1"><document><input id="card"></document></iframe></div>"#;
    let dom = dom(page);
    let old = Locator::from_source("frameLocator('#old').locator('#card')", "data-testid").unwrap();
    let found = suggest(&Ask {
        page: &Page::new(&dom),
        frame: dom.main_frame().unwrap(),
        node: meant(&dom),
        locator: &old,
        steps: 0..2,
        test_id_attribute: "data-testid",
        house: &House::default(),
        successors: &[],
        typed: &[],
    });
    assert_eq!(found[0].locator.to_js(Style::default()), "frameLocator('#pay').locator('#card')");
}

#[test]
fn a_scope_that_is_gone_may_be_left_out_where_the_rest_means_one_element() {
    let rest = |markup: &str| {
        let dom = dom(markup);
        let old =
            Locator::from_source("locator('#panel').getByRole('button', { name: 'Save' })", "data-testid").unwrap();
        let ask = Ask {
            page: &Page::new(&dom),
            frame: dom.main_frame().unwrap(),
            node: meant(&dom),
            locator: &old,
            steps: 0..1,
            test_id_attribute: "data-testid",
            house: &House::default(),
            successors: &[],
            typed: &[],
        };
        without_scope(&ask, meant(&dom)).map(|found| found.locator.to_js(Style::default()))
    };
    let expected = Some("getByRole('button', { name: 'Save' })".to_owned());
    assert_eq!(rest("<div><button meant=\"1\">Save</button></div>"), expected);
    assert_eq!(rest("<div><button meant=\"1\">Save</button><button>Save</button></div>"), None);
    assert_eq!(rest("<div><button>Save</button><p meant=\"1\">x</p></div>"), None);
}

#[test]
fn an_element_that_left_its_scope_takes_the_scope_along() {
    first(
        r#"<div id="panel">x</div><footer><button meant="1">Store</button></footer>"#,
        "locator('#panel').getByRole('button', { name: 'Save' })",
        1,
        "getByRole('button', { name: 'Store' })",
    );
}

#[test]
fn an_element_that_moved_into_a_frame_is_reached_through_it() {
    first(
        r#"<div><iframe title="Payment"><document><input id="card" meant="1"></document></iframe></div>"#,
        "locator('#card')",
        0,
        "frameLocator('iframe[title=\"Payment\"]').locator('#card')",
    );
}

#[test]
fn nameless_roles_are_only_for_what_there_is_one_of() {
    first(
        r#"<div><div role="dialog" meant="1"><p>$1.00</p></div></div>"#,
        "locator('.modal')",
        0,
        "getByRole('dialog')",
    );
    none(r#"<div><input type="checkbox" meant="1"></div>"#, "locator('.toggle')", 0);
}

/// Every suggestion, for every element of a page and every kind of old locator, can be written and passes gate two.
#[test]
fn every_suggestion_passes_gate_two() {
    use crate::source::imports::Aliases;
    use crate::source::locate::{Frame, Question, locate};
    use crate::source::project::Project;
    use crate::source::write::{Change, rewrite};

    let pages = [
        r#"<main><h1>Shop</h1><form aria-label="Order"><label for="mail">E-mail *</label><input id="mail" name="mail" type="email" placeholder="you@example.test"><label><input type="checkbox" name="terms"> I agree</label><select id="country" aria-label="Country"><option>Peru</option></select><button type="submit" data-testid="place-order" class="btn order-now">Place order</button></form><nav aria-label="Main"><a href="/cart" class="cart-link">Cart (2)</a><a href="/help">Help</a></nav></main>"#,
        r#"<div><section aria-label="Billing" id="billing"><button class="edit-b">Edit</button><img alt="Visa card" src="x"></section><section aria-label="Shipping" id="shipping"><button>Edit</button><span title="Carrier">DHL</span></section><footer><a href="/terms">Terms</a></footer></div>"#,
        r#"<div><div role="dialog" aria-label="Confirm"><p>Really delete?</p><button>Yes</button><button>Yes, all</button></div><iframe title="Card"><document><input aria-label="Card number"></document></iframe></div>"#,
    ];
    let olds = [
        "locator('#gone')",
        "locator('.gone')",
        "locator('form .gone')",
        "locator('button.gone')",
        "locator('[data-test=\"gone\"]')",
        "getByTestId('gone')",
        "getByText('Gone')",
        "getByText('Gone', { exact: true })",
        "getByRole('button', { name: 'Gone' })",
        "getByRole('link', { name: 'Gone', exact: true })",
        "getByLabel('Gone')",
        "getByPlaceholder('Gone')",
        "locator('//button[@id=\"gone\"]')",
        "locator('text=Gone')",
    ];
    let (mut accepted, mut refused) = (0, Vec::new());
    for markup in pages {
        let dom = dom(markup);
        let page = Page::new(&dom);
        for old in olds {
            let text = format!(
                "import {{ test }} from '@playwright/test';\ntest('a', async ({{ page }}) => {{\n  await page.{old}.click();\n}});\n"
            );
            let column = u32::try_from(text.lines().nth(2).unwrap().rfind("click").unwrap()).unwrap() + 1;
            let project = Project::load(&["a.spec.ts"], &Aliases::default(), &mut |path| {
                (path == "a.spec.ts").then(|| text.clone())
            });
            let frames = [Frame { path: "a.spec.ts".into(), line: 3, column }];
            let definition = locate(&project, &Question { frames: &frames, locator: Some(old) }).unwrap();
            let locator = Locator::from_source(old, "data-testid").unwrap();
            for node in dom.nodes().filter(|&node| dom.element(node).is_some()) {
                let found = suggest(&Ask {
                    page: &page,
                    frame: dom.main_frame().unwrap(),
                    node,
                    locator: &locator,
                    steps: 0..1,
                    test_id_attribute: "data-testid",
                    house: &House::default(),
                    successors: &[],
                    typed: &[],
                });
                for suggestion in found {
                    let change = Change {
                        definition: &definition,
                        old: &locator,
                        steps: suggestion.replaces.clone(),
                        new: &suggestion.steps,
                    };
                    let written = rewrite(&project, &change).unwrap();
                    match crate::domain::gate::check(&written.path, written.before.as_bytes(), written.after.as_bytes())
                    {
                        Ok(_) => accepted += 1,
                        Err(violation) => {
                            refused.push(format!("{old} -> {}: {}", written.replacement, violation.sentence()));
                        }
                    }
                }
            }
        }
    }
    println!("accepted {accepted}");
    assert!(refused.is_empty(), "{} of {}:\n{}", refused.len(), accepted + refused.len(), refused.join("\n"));
}
