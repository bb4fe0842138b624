use proptest::prelude::*;

use super::parse::DEFAULT_TEST_ID_ATTRIBUTE as TEST_ID;
use super::render::{Quote, Style};
use super::{JsRegex, Locator, Pattern, Role, Step, Tristate};

/// Every form in the row reads as one locator, whose internal form is the first of the row.
fn check_same(forms: &[&str]) {
    let expected = Locator::from_internal(forms[0]).unwrap();
    assert_eq!(expected.to_internal(), forms[0]);
    for form in forms {
        assert_eq!(Locator::from_printed(form, TEST_ID).as_ref(), Ok(&expected), "{form}");
    }
}

#[test]
fn all_languages_print_the_same_locator() {
    check_same(&[
        r#"internal:role=button[name="Save"i]"#,
        "getByRole('button', { name: 'Save' })",
        r#"page.getByRole("button", {name: "Save",})"#,
        r#"get_by_role("button", name="Save")"#,
        r#"getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Save"))"#,
        r#"GetByRole(AriaRole.Button, new() { Name = "Save" })"#,
        "await this.page.getByRole(`button`, { 'name': 'Sa' + \"ve\", exact: false })",
    ]);
    check_same(&[
        r#"#a >> internal:text="b"s >> nth=0"#,
        "locator('#a').getByText('b', { exact: true }).first()",
        r##"locator("#a").get_by_text("b", exact=True).first"##,
        r##"Locator("#a").GetByText("b", new() { Exact = true }).First"##,
    ]);
    check_same(&[
        r"internal:text=/a\/b/i >> visible=true",
        "getByText(/a\\/b/i).filter({ visible: true })",
        r#"get_by_text(re.compile(r"a/b", re.IGNORECASE)).filter(visible=True)"#,
        r#"getByText(Pattern.compile("a/b", Pattern.CASE_INSENSITIVE)).visible()"#,
        "getByText(new RegExp('a/b', 'i')).visible()",
    ]);
    check_same(&[
        r#"#f >> internal:control=enter-frame >> internal:testid=[data-testid="x"s]"#,
        "frameLocator('#f').getByTestId('x')",
        "locator('#f').contentFrame().getByTestId('x')",
        r##"frame_locator("#f").get_by_test_id("x")"##,
    ]);
    check_same(&[
        r#"li >> internal:has-text="x"i >> internal:has="internal:role=link""#,
        "locator('li', { hasText: 'x', has: page.getByRole('link') })",
        "locator('li').filter({ hasText: 'x' }).filter({ has: getByRole('link') })",
        r#"locator("li").filter(has_text="x").filter(has=get_by_role("link"))"#,
    ]);
}

#[test]
fn frame_and_position_may_stand_in_either_order() {
    check_same(&[
        "iframe >> nth=1 >> internal:control=enter-frame >> p",
        "frameLocator('iframe').nth(1).locator('p')",
        "locator('iframe').nth(1).contentFrame().locator('p')",
    ]);
}

#[test]
fn an_old_log_line_quotes_its_selector() {
    check_same(&["#x", r##""#x""##, r##"selector "#x""##, "css=#x"]);
    check_same(&["//div", r#"selector "xpath=//div""#, "xpath=//div"]);
    assert_eq!(
        Locator::from_printed("\"Log in\"", TEST_ID),
        Ok(Locator::from(Step::Engine { name: "text".into(), body: "\"Log in\"".into() }))
    );
}

#[test]
fn what_is_computed_is_not_a_locator() {
    for source in [
        "page.getByText(title)",
        "page.getByText(`a ${b}`)",
        "getByRole('button', { name })",
        "getRow(3).locator('a')",
        "locator('a').click()",
        "locator('a', { force: true })",
        "getByText('a', 'b')",
        "filter({ hasText: 'x' })",
        "locator('a'",
        "",
    ] {
        assert!(Locator::from_source(source, TEST_ID).is_err(), "{source}");
    }
}

#[test]
fn escapes_of_every_kind_are_read() {
    let text = |source: &str| match Locator::from_source(source, TEST_ID).unwrap().steps.remove(0) {
        Step::Text(pattern) => pattern.text().unwrap().to_owned(),
        other => panic!("{other:?}"),
    };
    assert_eq!(text(r#"getByText('\x41\u00e9\u{1f600}\uD83D\uDE00\n\'"')"#), "Aé😀😀\n'\"");
}

#[test]
fn a_capture_asks_for_the_element_that_has_the_rest() {
    check_same(&[
        r#"article >> internal:has="css=.a >> text=b""#.replace("css=", "").as_str(),
        "*css=article >> .a >> text=b",
    ]);
}

#[test]
fn hostile_nesting_is_refused_not_recursed() {
    let mut selector = String::from("a");
    for _ in 0..40 {
        selector = format!("a >> internal:has={}", serde_json::Value::from(selector));
        if selector.len() > 60_000 {
            break;
        }
    }
    assert!(Locator::from_internal(&selector).is_err() || selector.len() > 60_000);
    let source = "locator('a').filter({ has: ".repeat(200) + "locator('a')" + &" })".repeat(200);
    assert!(Locator::from_source(&source, TEST_ID).is_err());
}

fn text() -> BoxedStrategy<String> {
    prop_oneof!["[ -~]{0,12}", "\\PC{0,8}", "[\"'`\\\\>/$\\{\\}\n\t ]{0,8}"].boxed()
}

fn regex() -> BoxedStrategy<JsRegex> {
    (prop_oneof!["[a-z \"'`>/.*+()|\\[\\]]{0,10}", "(\\\\[dws/\"'n]|[a-z>]|\\[/a\\]){0,6}"], "[gimsu]{0,2}")
        .prop_map(|(source, flags)| JsRegex::new(&source, &flags))
        // An open class swallows the closing slash: JavaScript has no such literal.
        .prop_filter("a literal", |regex| regex.source().matches('[').count() == regex.source().matches(']').count())
        .prop_filter("a literal", |regex| !regex.source().contains('[') || regex.source().contains("[/a]"))
        .prop_filter("a literal", |regex| !regex.source().starts_with('*') && !regex.source().starts_with('+'))
        // The escapes that Playwright leaves out under `u` cannot be told from the splitter's quotes.
        .prop_filter("splittable", |regex| {
            !regex.flags().contains('u') || !regex.source().contains(['"', '\'', '`', '>'])
        })
        .boxed()
}

fn pattern() -> BoxedStrategy<Pattern> {
    prop_oneof![
        3 => (text(), any::<bool>()).prop_map(|(text, exact)| Pattern::Text { text, exact }),
        1 => regex().prop_map(Pattern::Regex)
    ]
    .boxed()
}

fn test_id() -> BoxedStrategy<Step> {
    pattern()
        .prop_map(|pattern| Step::TestId {
            attribute: TEST_ID.into(),
            pattern: match pattern {
                Pattern::Text { text, .. } => Pattern::exact(text),
                regex @ Pattern::Regex(_) => regex,
            },
        })
        .boxed()
}

fn role() -> BoxedStrategy<Role> {
    let tristate = || prop::option::of(prop_oneof![Just(Tristate::True), Just(Tristate::False), Just(Tristate::Mixed)]);
    let flag = || prop::option::of(any::<bool>());
    (
        "[a-z]{1,10}",
        (prop::option::of(pattern()), prop::option::of(pattern())),
        (tristate(), tristate()),
        (flag(), flag(), flag(), flag()),
        prop::option::of(1..9_u32),
    )
        .prop_map(|(role, (name, description), (checked, pressed), flags, level)| Role {
            role,
            name,
            description,
            checked,
            pressed,
            disabled: flags.0,
            expanded: flags.1,
            selected: flags.2,
            include_hidden: flags.3,
            level,
        })
        .boxed()
}

fn engine() -> BoxedStrategy<Step> {
    prop::sample::select(vec![
        ("text", "Log in"),
        ("text", "\"Log in\""),
        ("text", "it's"),
        ("text", "/a.b/i"),
        ("role", "button[name=\"x\" i]"),
        ("id", "a"),
        ("data-testid", "x y"),
        ("internal:role", "button[name*=\"x\"i]"),
    ])
    .prop_map(|(name, body)| Step::Engine { name: name.into(), body: body.into() })
    .boxed()
}

fn first_step() -> BoxedStrategy<Step> {
    let css = [
        "div",
        "#a > .b",
        "a[href=\"x >> y\"]",
        "a[x=y]",
        ":text('a=b')",
        "foo=bar, x",
        "*",
        "'a', \"b\"",
        "p::b \\:c",
    ];
    let xpath = ["//div", "..", "(//a)[1]", "./a", "id('x')/a[@b=\"c\"]"];
    prop_oneof![
        prop::sample::select(css.to_vec()).prop_map(|css| Step::Css(css.into())),
        prop::sample::select(xpath.to_vec()).prop_map(|xpath| Step::XPath(xpath.into())),
        pattern().prop_map(Step::Text),
        pattern().prop_map(Step::Label),
        pattern().prop_map(Step::placeholder),
        pattern().prop_map(Step::title),
        (pattern(), "[a-z.,-]{1,6}")
            .prop_filter("a name", |(_, name)| !name.starts_with('.') && !name.ends_with('.') && !name.contains(".."))
            .prop_map(|(pattern, name)| Step::Attribute { name, pattern }),
        test_id(),
        role().prop_map(|role| Step::Role(Box::new(role))),
        engine(),
    ]
    .boxed()
}

fn locator() -> BoxedStrategy<Locator> {
    let leaf = (first_step(), prop::collection::vec(first_step(), 0..2)).prop_map(|(first, rest)| {
        let mut locator = Locator::from(first);
        locator.steps.extend(rest);
        locator
    });
    leaf.boxed()
        .prop_recursive(2, 8, 3, |inner| {
            let next = prop_oneof![
                pattern().prop_map(Step::HasText),
                pattern().prop_map(Step::HasNotText),
                any::<bool>().prop_map(Step::Visible),
                (-3..9_i64).prop_map(Step::Nth),
                inner.clone().prop_map(Step::Has),
                inner.clone().prop_map(Step::HasNot),
                inner.clone().prop_map(Step::And),
                inner.clone().prop_map(Step::Or),
                inner.prop_map(Step::Chain),
                first_step(),
            ]
            .boxed();
            (first_step(), prop::collection::vec(next, 0..4), prop::option::of(first_step())).prop_map(
                |(first, rest, framed)| {
                    let mut locator = Locator::from(first);
                    locator.steps.extend(rest);
                    if let Some(step) = framed {
                        locator.steps.extend([Step::EnterFrame, step]);
                    }
                    locator
                },
            )
        })
        .boxed()
}

proptest! {
    #[test]
    fn what_is_printed_reads_back(locator in locator(), receiver in prop_oneof![Just(""), Just("page"), Just("this.page")]) {
        let internal = locator.to_internal();
        prop_assert_eq!(Locator::from_internal(&internal), Ok(locator.clone()), "{}", internal);
        for quote in [Quote::Single, Quote::Double, Quote::Backtick] {
            let source = locator.to_js(Style { quote, receiver });
            prop_assert_eq!(Locator::from_source(&source, TEST_ID), Ok(locator.clone()), "{}", source);
        }
    }

    #[test]
    fn no_bytes_make_the_parsers_panic(text in "\\PC{0,40}", start in prop_oneof![Just("getByText("), Just("internal:role="), Just("a >> "), Just("")]) {
        let text = format!("{start}{text}");
        drop(Locator::from_internal(&text));
        drop(Locator::from_source(&text, TEST_ID));
        drop(Locator::from_printed(&text, TEST_ID));
    }
}
