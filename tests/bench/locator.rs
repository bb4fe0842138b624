//! How long the locator engine takes on a page of 20,000 nodes: preparing it, role and name of every element, one locator.

use relocator::domain::dom::{Dom, Element, NodeId, Page};
use relocator::domain::locator::Locator;
use relocator::domain::locator::parse::DEFAULT_TEST_ID_ATTRIBUTE;

/// Rows of the table on the page; each is about 15 nodes.
const ROWS: usize = 1_340;

fn main() {
    divan::main();
}

fn element(dom: &mut Dom, parent: NodeId, tag: &str, attributes: &[(&str, &str)]) -> NodeId {
    let attributes = attributes.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    dom.add_element(parent, Element { tag: tag.into(), attributes, ..Element::default() })
}

/// A long table of an admin page, with buttons, links, labels and a style sheet.
fn page() -> Dom {
    let mut dom = Dom::default();
    let frame = dom.add_frame("", "http://localhost/", None);
    let document = dom.frame(frame).document;
    let html = element(&mut dom, document, "html", &[("lang", "en")]);
    let head = element(&mut dom, html, "head", &[]);
    let style = element(&mut dom, head, "style", &[]);
    dom.add_text(style, ".d-none { display: none } .btn { display: inline-block } .row:hover .tip { display: block } td > .tip { display: none }");
    let body = element(&mut dom, html, "body", &[("class", "page")]);
    let table = element(&mut dom, body, "table", &[("class", "table")]);
    let rows = element(&mut dom, table, "tbody", &[]);
    for number in 0..ROWS {
        let row = element(&mut dom, rows, "tr", &[("class", "row"), ("data-testid", &format!("row-{number}"))]);
        let cell = element(&mut dom, row, "td", &[]);
        let link = element(&mut dom, cell, "a", &[("href", "#"), ("class", "name link")]);
        dom.add_text(link, format!("Customer {number}"));
        let cell = element(&mut dom, row, "td", &[]);
        let label = element(&mut dom, cell, "label", &[]);
        dom.add_text(label, "Amount ");
        element(&mut dom, label, "input", &[("type", "number"), ("placeholder", "0.00")]);
        let cell = element(&mut dom, row, "td", &[]);
        let button = element(&mut dom, cell, "button", &[("class", "btn btn-primary")]);
        let icon = element(&mut dom, button, "i", &[("class", "icon")]);
        dom.add_text(icon, "");
        dom.add_text(button, " Edit ");
        let tip = element(&mut dom, cell, "span", &[("class", "tip")]);
        dom.add_text(tip, format!("Edits customer {number}"));
    }
    dom
}

#[divan::bench]
fn prepare(bencher: divan::Bencher<'_, '_>) {
    let dom = page();
    bencher.bench_local(|| Page::new(&dom));
}

#[divan::bench]
fn role_and_name_of_every_element(bencher: divan::Bencher<'_, '_>) {
    let dom = page();
    bencher.with_inputs(|| Page::new(&dom)).bench_local_values(|page| {
        let named = dom.nodes().filter(|node| page.role(*node).is_some() && !page.name(*node).is_empty()).count();
        assert!(named > 4 * ROWS);
        page
    });
}

#[divan::bench(args = [
    "getByRole('button', { name: 'Edit' }).nth(700)",
    "getByText('Customer 1234', { exact: true })",
    "getByText('customer 12')",
    "getByTestId('row-1001')",
    "getByLabel('Amount').last()",
    "locator('tr.row:has(a:has-text(\"Customer 77\")) .btn')",
    "locator('//tr[500]/td[2]//input')",
    "getByRole('row').filter({ hasText: 'Customer 555' }).getByRole('link')",
])]
fn one_locator(bencher: divan::Bencher<'_, '_>, source: &str) {
    let dom = page();
    let page = Page::new(&dom);
    let (Some(frame), Ok(locator)) = (dom.main_frame(), Locator::from_source(source, DEFAULT_TEST_ID_ATTRIBUTE)) else {
        return;
    };
    // Names and texts are kept: what is measured is a locator on a page that has been asked before.
    assert!(page.query(frame, &locator).nodes().is_some_and(|nodes| !nodes.is_empty()));
    bencher.bench_local(|| page.query(frame, &locator));
}
