use proptest::prelude::*;

use super::values;

/// What stands between `«` and `»` is the value of a query, and nothing else is.
fn check(marked: &str) {
    let text = marked.replace(['«', '»'], "");
    let mut found = text.clone();
    for range in values(&text).into_iter().rev() {
        found.insert(range.end, '»');
        found.insert(range.start, '«');
    }
    assert_eq!(found, marked);
}

#[test]
fn the_values_of_absolute_addresses_are_found() {
    for marked in [
        "https://a.test/x?page=«2»&sort=«up»#top",
        "https://a.test/x?page=«2»#access=«b1»&x=«c2»",
        "\"https://a.test/cb#id=«abc»&x=«1»\"",
        "https://a.test/?«nameless»#b=«c»",
        "https://a.test/?«YWJjZGVmZ2hpamtsbW5vcHFyc3R1dg==»",
        "see https://a.test/x?a=«(1)»&b=«[2]»), or [it](https://a.test/?c=«3»).",
        "\"https:\\/\\/a.test\\/x?t=«zebra»\"",
        "https://a.test/x#top and https://a.test/?",
        "see https://a.test/x?a=«1». Then",
        "https://a.test/x?a=«b»&amp;c=«d»",
        "https://a.test/x?a=[redacted:query]&b=«1»",
    ] {
        check(marked);
    }
}

#[test]
fn the_values_of_relative_addresses_are_found_in_sources_pages_and_logs() {
    for marked in [
        "fetch('/a?b=«c»')",
        "fetch('/api/a.b?x=«1»&y[]=«2»&z[k]=«3»')",
        "goto(`../in?ticket=«${ticket}»&to=«2»`)",
        "goto(`${base}/reset?ticket=«zebra»`)",
        "goto(`${base(`a`)}?ticket=«zebra»`)",
        "goto(`/users/${id}/x?ticket=«zebra»`)",
        "waitForURL('**/reset?ticket=«zebra»')",
        "goto('reset?ticket=«zebra»')",
        "goto(\"reset?at=«12:30»\")",
        "goto('/in?next=«/home»&ticket=«zebra»')",
        "goto('/in?next=#«x»&ticket=«zebra»')",
        "goto('/x?1=«zebra»')",
        "goto('/x?«zebra-12»')",
        "goto('/x?$t=«zebra»')",
        "goto('/x?a=«b c»&ticket=«zebra»')",
        "goto('/x?a=«\"q\"»&b=«<i>»&ticket=«zebra»')",
        "goto('/x?a=«(1)»&ticket=«zebra»')",
        "goto(`/x?a=«${b ? `c&d` : 'e'}»&f=«g»`)",
        "goto('/x?ticket=' + '«zebra»')",
        "goto('/x?ticket=' + ticket)",
        "goto(base + '?ticket=«zebra»')",
        "goto(base + '&ticket=«zebra»')",
        "goto(`${base}&ticket=«zebra»`)",
        "goto('/a b?ticket=«zebra»')",
        "goto('/a(1);v=2?ticket=«zebra»')",
        "goto('//host.test/x?ticket=«zebra»')",
        "goto('#/route?ticket=«zebra»')",
        "goto('/#/route?ticket=«zebra»')",
        "goto('/cb#id=«zebra»')",
        "goto('#access=«zebra»')",
        "toHaveURL(/\\/reset\\?ticket=«zebra»$/)",
        "toHaveURL(/reset[?]ticket=«ze\\.bra»&a=«b»/)",
        "<a href=\"?sort=«up»\" data-x='list.php?all=«1»'>",
        "<a href=/x?ticket=«zebra»> <a href=?ticket=«zebra»>",
        "<a href=\"/x?a=«1»&amp;b=«2»\">",
        "&quot;/x?ticket=«zebra»&quot;",
        "url(/x?ticket=«zebra») {url:/x?ticket=«zebra»}",
        "[it](/x?ticket=«zebra»)",
        "{\\\"url\\\":\\\"/x?ticket=«zebra»\\\"}",
        "\"\\/x?ticket=«zebra»\"",
        "GET /api/items?page=«2» 200 in 12 ms",
        "GET /at?time=«12:30» 200",
        "see list.php?all=«1», or /x?a=«1».",
        "?ticket=«zebra»",
        "/in?dir=«a/»",
    ] {
        check(marked);
    }
}

#[test]
fn code_and_prose_hold_no_queries() {
    for text in [
        "a ? b : c",
        "const e = b?c=1:d;",
        "if(o.name?x=1:y=2)",
        "a.ts?b=f('x'):c",
        "a?b=x + y : c",
        "f(a)?b=1:0; x['a']?b=1:c=2",
        "'a'?b=1:c",
        "a?b==c:d; a?b=>c:d",
        "a?.b=c; a ?? b; a??=b",
        "type A = { x?: string }; (a?: b) => c",
        "s.replace(/x?y=/, '')",
        "re = /ab?c=d/g;",
        "return(/colou?r=red/)",
        "  /ab?c=d/i,",
        "[/a (b)?c=d/, /https?:\\/\\/x=y/]",
        "/(\\?|&)id=([^&]*)/ /\\?id=\\d+/ /\\?id=.*/",
        "/(?<name>a=b)/ /(?:a=b)/ /(?=a)/ /(?!a=b)/",
        "new RegExp('.*?a=b'); new RegExp('\\\\w+?a=b')",
        "page.locator('#a[href=\"x=1\"] >> text=b'); $('#id')",
        "//a[@id='x']; 'xpath=//*[@a=\"b\"]'",
        "`${a ? 'x=1' : ''}`; foo('?'); 'so?' + x",
        "a && b=1; a&b=1; '&nbsp;&copy;'",
        "is it /this? no=1, and what is 'so?' = 2",
        "import './a.svg?raw'",
        "color: #fff; #a=b",
    ] {
        check(text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_and_the_pieces_are_sorted_and_apart(
        text in "([ -~\n]|[?&#=/:'\"`${}()\\[\\]\\\\]|ä|\\?a=|\\[redacted:query\\]){0,80}",
    ) {
        let found = values(&text);
        prop_assert!(found.iter().all(|range| text.get(range.clone()).is_some_and(|value| !value.is_empty())));
        prop_assert!(found.windows(2).all(|pair| pair[0].end <= pair[1].start), "{:?}", found);
    }

    #[test]
    fn a_value_behind_a_name_in_a_string_never_passes(
        path in "(/[a-z]{1,5}|\\*\\*/[a-z]{1,5}|\\.\\./[a-z]{1,5}|[a-z]{1,5}|\\$\\{[a-z]{1,3}\\}|https://a\\.test/[a-z]{0,3}){1}",
        name in "[a-z_]{1,8}(\\[\\])?", value in "[A-Za-z0-9/:.%+=~-]{6,20}", quote in "['\"`]",
    ) {
        prop_assume!(!value.starts_with('='));
        let text = format!("await page.goto({quote}{path}?{name}={value}&z=1{quote}, {{ timeout: 1 }});");
        let start = text.find(&format!("={value}&")).unwrap() + 1;
        prop_assert!(values(&text).contains(&(start..start + value.len())), "{text}");
    }
}
