use proptest::prelude::*;

use super::query::Answer;
use super::testing::dom;
use super::{Dom, NodeId, Page};
use crate::domain::locator::parse::DEFAULT_TEST_ID_ATTRIBUTE as TEST_ID;
use crate::domain::locator::{Locator, Step};

/// The ids of what a locator matches, or why there is no list.
fn ids(page: &Page<'_>, locator: &str) -> String {
    let locator = Locator::from_printed(locator, TEST_ID).unwrap_or_else(|error| panic!("{locator}: {error}"));
    match page.query(page.dom().main_frame().unwrap(), &locator) {
        Answer::Nodes(nodes) => {
            let id = |node: &NodeId| {
                let element = page.dom().element(*node).unwrap();
                element.attribute("id").unwrap_or(&element.tag).to_owned()
            };
            nodes.iter().map(id).collect::<Vec<_>>().join(" ")
        }
        Answer::Unknown(reason) => format!("unknown: {reason}"),
        Answer::Invalid(reason) => format!("invalid: {reason}"),
    }
}

fn check(markup: &str, expected: &[(&str, &str)]) {
    let dom = dom(markup);
    let page = Page::new(&dom);
    for (locator, wanted) in expected {
        assert_eq!(ids(&page, locator), *wanted, "{locator} in {markup}");
    }
}

#[test]
fn text_matches_the_innermost_elements_only() {
    check(
        r#"<div id="a">Hello <b id="b">  World </b><p id="c">hello world</p></div><script id="s">hello</script>"#,
        &[
            ("getByText('hello')", "c"),
            ("getByText('HELLO   world')", "c"),
            ("getByText('world', { exact: true })", ""),
            ("getByText('World', { exact: true })", "b"),
            ("getByText(/^hello/)", "c"),
            ("text=world", "b c"),
            ("text=\"World\"", "b"),
            ("text='Hello'", "a"),
            ("div >> text=hello", "c"),
            ("#a:has-text(\"hello world\")", "a"),
            (":text('world')", "b c"),
            (":text-is('World')", "b"),
        ],
    );
}

#[test]
fn shadow_trees_are_searched_after_the_tree_of_their_host() {
    check(
        r#"<div id="host"><shadow><p id="in" class="x">deep</p><slot id="slot"></slot></shadow><p id="light" class="x">light</p></div><p id="after" class="x"></p>"#,
        &[
            (".x", "light after in"),
            ("#host .x", "light in"),
            ("#host > .x", "light in"),
            (".x, #slot", "light in slot after"),
            (":light(.x)", "light after"),
            ("css:light=.x", "light after"),
            ("getByText('deep')", "in"),
            ("//p", "light after"),
            ("#host >> //p", "light"),
            ("locator('.x').or(locator('#slot'))", "light in slot after"),
        ],
    );
}

#[test]
fn roles_names_and_states_are_playwrights() {
    check(
        r#"<button id="a">Save <span style="display:none">hidden</span></button>
           <button id="b" aria-label="Save draft" disabled>x</button>
           <h2 id="h">Title</h2>
           <label for="i" id="l">E-mail</label><input id="i" type="email" placeholder="you">
           <div id="r" role="checkbox" aria-checked="mixed">Some</div>
           <ul role="presentation" id="u"><li id="li">x</li></ul>
           <div aria-hidden="true"><button id="z">Save</button></div>
           <section id="s1">x</section><section id="s2" aria-label="Part">x</section>"#,
        &[
            ("getByRole('button')", "a b"),
            ("getByRole('button', { name: 'save' })", "a b"),
            ("getByRole('button', { name: 'Save', exact: true })", "a"),
            ("getByRole('button', { name: 'Save', includeHidden: true })", "a b z"),
            ("getByRole('button', { name: /draft$/ })", "b"),
            ("getByRole('button', { disabled: false })", "a"),
            ("getByRole('heading', { level: 2 })", "h"),
            ("getByRole('textbox', { name: 'E-mail' })", "i"),
            ("getByLabel('e-mail')", "i"),
            ("getByPlaceholder('YOU')", "i"),
            ("getByRole('checkbox', { checked: 'mixed' })", "r"),
            ("getByRole('listitem')", ""),
            ("getByRole('region')", "s2"),
            ("role=button[name=\"Save\"]", "a"),
            ("getByRole('link', { checked: true })", "invalid: `checked` does not exist for the role `link`"),
        ],
    );
}

#[test]
fn filters_narrow_and_combine() {
    check(
        r#"<body><ul id="u"><li id="a">one <b id="x">1</b></li><li id="b">two</li><li id="c">three <i id="y">1</i></li></ul></body>"#,
        &[
            ("locator('li').nth(1)", "b"),
            ("locator('li').last()", "c"),
            ("locator('li').nth(9)", ""),
            ("locator('li').filter({ hasText: 'ONE' })", "a"),
            ("locator('li').filter({ hasNotText: /t/ })", "a"),
            ("locator('li').filter({ has: locator('b') })", "a"),
            ("locator('li').filter({ hasNot: getByText('1') })", "b"),
            ("locator('li').and(locator('#b, #c'))", "b c"),
            ("locator('#c').or(locator('#a'))", "a c"),
            ("li:has(> b)", "a"),
            ("li:not(:has(b)):not(:has(i))", "b"),
            (":nth-match(li, 3)", "c"),
            ("li:nth-child(2n+1)", "a c"),
            ("li:last-of-type", "c"),
            ("*css=li >> b", "a"),
            ("#u >> :scope > li >> nth=0", "a"),
            ("li ~ li", "b c"),
            ("li + li >> visible=true", "b c"),
            ("//li[2]/preceding-sibling::li", "a"),
            ("//li[contains(., 'thr')]/i", "y"),
            ("li:right-of(b)", "unknown: layout is not in the snapshot"),
            ("li:hover", "unknown: whether an element is visible, hovered or focused is not in the snapshot"),
            ("li[", "invalid: an attribute's name is missing"),
            ("count(//li)", "invalid: unexpected `count(` in a selector"),
        ],
    );
}

#[test]
fn frames_are_entered_one_at_a_time() {
    let markup =
        r#"<iframe id="f"><document><p id="in">x</p></document></iframe><iframe id="g"></iframe><p id="out">x</p>"#;
    check(
        markup,
        &[
            ("locator('p')", "out"),
            ("frameLocator('#f').locator('p')", "in"),
            ("frameLocator('#f').getByText('x')", "in"),
            ("frameLocator('iframe').first().locator('p')", "in"),
            ("frameLocator('iframe').locator('p')", "invalid: strict mode violation: 2 frames match"),
            ("frameLocator('#none').locator('p')", ""),
            ("frameLocator('#g').locator('p')", "unknown: the frame's content is not in the snapshot"),
            ("frameLocator().locator('p')", "out in"),
        ],
    );
}

#[test]
fn the_broken_link_is_the_first_that_matches_nothing() {
    let dom = dom(r#"<div role="dialog" id="d"><button id="b">Store</button></div>"#);
    let page = Page::new(&dom);
    let locator = Locator::from_source("getByRole('dialog').getByRole('button', { name: 'Save' }).first()", TEST_ID);
    let links = page.links(dom.main_frame().unwrap(), &locator.unwrap());
    let counts: Vec<(&str, usize)> =
        links.iter().map(|link| (link.printed.as_str(), link.answer.nodes().unwrap().len())).collect();
    assert_eq!(counts, [("getByRole('dialog')", 1), ("getByRole('button', { name: 'Save' })", 0), ("first()", 0)]);
}

#[test]
fn an_empty_page_matches_nothing() {
    let mut dom = Dom::default();
    dom.add_frame("", "", None);
    let page = Page::new(&dom);
    assert_eq!(ids(&page, "getByText('x')"), "");
    assert_eq!(ids(&page, "//x"), "");
}

#[test]
fn hostile_selectors_end() {
    let mut markup = String::new();
    for _ in 0..60 {
        markup.push_str("<div class=\"a\">");
    }
    let close = "</div>".repeat(60);
    let selector = "div ".repeat(40) + "p";
    let sheet =
        format!("<style>{selector} {{ display: none }} {} x {{ display: none }}</style>", ".a > .a ".repeat(30));
    let dom = dom(&format!("<body>{sheet}{markup}<b id=\"b\">x</b>{close}</body>"));
    let page = Page::new(&dom);
    assert_eq!(ids(&page, &format!("locator('{} i b')", "div ".repeat(40))), "");
    assert_eq!(ids(&page, &format!("locator('{} b')", "div > div ".repeat(20))), "b");
    assert_eq!(ids(&page, &format!("locator('{} > i > b')", "div:has(b) ".repeat(20))), "");
}

fn css() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "div",
        "p",
        "*",
        ".x",
        "#a",
        "[x]",
        "[x=\"y\" i]",
        ":not(",
        ":is(",
        ":has(",
        ")",
        ">",
        "+",
        "~",
        ",",
        " ",
        ":nth-child(2n+1 of ",
        ":text(\"a\")",
        ":has-text('b')",
        ":nth-match(",
        "2",
        ":visible",
        ":scope",
        ":host",
        "::before",
        ":light(",
        "&",
        "\\",
        "\"",
        "(",
        "[",
        "]",
        "{",
        "}",
        ":hover",
        "é",
        ":text-matches(\"(\")",
        "@media ",
        ";",
        "--v: var(--v);",
        "display: var(--v, none)",
        "display:none",
        "!important",
        "/*",
        "*/",
    ]);
    prop::collection::vec(words, 0..14).prop_map(|words| words.concat())
}

fn xpath() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "/",
        "//",
        ".",
        "..",
        "*",
        "div",
        "p",
        "@id",
        "@*",
        "[",
        "]",
        "(",
        ")",
        "|",
        "=",
        "!=",
        "<",
        "+",
        "-",
        "1",
        "999999999999",
        "'a'",
        "\"",
        "text()",
        "node()",
        "ancestor::",
        "following::",
        "preceding-sibling::",
        "namespace::",
        "contains(., 'a')",
        "position()",
        "last()",
        "count(",
        "id('a')",
        "substring('abc', 2)",
        "translate(., 'a', 'b')",
        "and",
        "or",
        "div",
        "mod",
        "$v",
        "a:b",
        ",",
        " ",
        "é",
        "lang('en')",
        "sum(//p)",
    ]);
    prop::collection::vec(words, 0..12).prop_map(|words| words.concat())
}

proptest! {
    #[test]
    fn no_selector_or_sheet_makes_the_engine_panic(css in css(), sheet in css(), xpath in xpath(), any in "\\PC{0,20}") {
        let sheet = sheet.replace('<', "").replace('>', "&gt;");
        let markup = format!(
            "<html><head><style>{sheet}</style></head><body style=\"--v: none\"><div id=\"a\" class=\"x\"><shadow><slot></slot></shadow><p x=\"y\">a<b>b</b></p></div><svg><a/></svg></body></html>"
        );
        let dom = dom(&markup);
        let page = Page::new(&dom);
        let frame = dom.main_frame().unwrap();
        for text in [&css, &any, &format!("a:is({css})")] {
            drop(page.query(frame, &Locator::from(Step::Css(text.clone()))));
        }
        for text in [&xpath, &any] {
            drop(page.query(frame, &Locator::from(Step::XPath(text.clone()))));
        }
        for engine in ["text", "role", "internal:role", "id", "nth"] {
            drop(page.query(frame, &Locator::from(Step::Engine { name: engine.into(), body: any.clone() })));
        }
        if let Ok(locator) = Locator::from_internal(&any) {
            drop(page.links(frame, &locator));
        }
    }
}
