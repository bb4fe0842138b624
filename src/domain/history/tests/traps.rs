use super::{became, check, literal, log};
use crate::domain::history::diff::parse;
use crate::domain::history::successors;

#[test]
fn what_only_moved_or_stands_elsewhere_as_well_says_nothing() {
    for (path, before, after, of, expected) in [
        // A moved line, unchanged.
        (
            "a.html",
            "<button id=\"save\">Save</button>\n<p>one</p>\n<p>two</p>\n",
            "<p>one</p>\n<p>two</p>\n<button id=\"save\">Save</button>\n",
            "id=save",
            "",
        ),
        // Wrapped and indented.
        (
            "a.tsx",
            "<button data-testid=\"save\">Save</button>\n",
            "<Tooltip title=\"x\">\n  <button data-testid=\"save\">Save</button>\n</Tooltip>\n",
            "test id=save",
            "",
        ),
        // A text that was taken out into a catalogue stays the text.
        ("a.tsx", "<button>Save</button>\n", "<button>{t('form.save')}</button>\n", "name=Save", ""),
        // An icon button keeps its name in the label.
        ("a.tsx", "<button>Save</button>\n", "<button aria-label=\"Save\"><Disk /></button>\n", "name=Save", ""),
        // The literal of another slot is another literal.
        ("a.html", "<input name=\"mail\" id=\"m\">\n", "<input name=\"email\" id=\"m\">\n", "id=mail", ""),
        ("a.html", "<a href=\"#save\">x</a>\n", "<a href=\"#store\">x</a>\n", "id=save", ""),
        ("a.html", "<label for=\"save\">x</label>\n", "<label for=\"store\">x</label>\n", "id=save", ""),
        // A longer word holds it and is not it.
        ("a.html", "<button id=\"save-all\">x</button>\n", "<button id=\"store-all\">x</button>\n", "id=save", ""),
        ("a.html", "<button>Save as draft</button>\n", "<button>Keep as draft</button>\n", "name=Save", ""),
        // A handler's word is no literal of the page.
        (
            "a.tsx",
            "<button onClick={() => track('save')}>x</button>\n",
            "<button onClick={() => track('store')}>x</button>\n",
            "id=save",
            "",
        ),
        // What is filled in at run time cannot be looked for.
        ("a.tsx", "<p>Hello</p>\n", "<p>{`Hello ${name}`}</p>\n", "text=Hello", ""),
        // A query of a test is no source of the page.
        ("src/util.ts", "page.getByTestId('save')\n", "page.getByTestId('store')\n", "test id=save", ""),
        // The id went, the element stays: nothing took its place, and it is not gone either.
        (
            "a.html",
            "<button id=\"save\" class=\"b\">Save</button>\n",
            "<button class=\"b\">Save</button>\n",
            "id=save",
            "",
        ),
    ] {
        check(path, before, after, of, expected);
    }
}

#[test]
fn the_script_of_a_page_does_not_hide_its_markup() {
    let page = |button: &str| {
        format!("<button class=\"b\">{button}</button>\n<script>\n  document.querySelector('.b').focus();\n</script>\n")
    };
    check("a.html", &page("Publish"), &page("Send"), "name=Publish", "name=Send");
}

#[test]
fn of_several_candidates_the_one_that_is_clearly_alike_or_none() {
    // Both renamed, each keeps what it says.
    check(
        "a.html",
        "<input id=\"a\" placeholder=\"User\">\n<input id=\"bee\" placeholder=\"Pass\">\n",
        "<input id=\"pass\" placeholder=\"Pass\">\n<input id=\"user\" placeholder=\"User\">\n",
        "id=bee",
        "id=pass",
    );
    // One becomes two of its kind.
    check(
        "a.html",
        "<div>\n<button>Submit</button>\n</div>\n",
        "<div>\n<button>Save draft</button>\n<button>Publish</button>\n</div>\n",
        "name=Submit",
        "",
    );
    // The same old text in two places, and two new ones.
    check(
        "a.html",
        "<header>\n<a href=\"/x\">Start</a>\n</header>\n<hr>\n<hr>\n<hr>\n<hr>\n<hr>\n<hr>\n<hr>\n<footer>\n<a href=\"/y\">Start</a>\n</footer>\n",
        "<header>\n<a href=\"/x\">Home</a>\n</header>\n<hr>\n<hr>\n<hr>\n<hr>\n<hr>\n<hr>\n<hr>\n<footer>\n<a href=\"/y\">Top</a>\n</footer>\n",
        "name=Start",
        "",
    );
    // A table of texts, reworded in order.
    check(
        "a.html",
        "<ul>\n<li>Red</li>\n<li>Green</li>\n<li>Blue</li>\n</ul>\n",
        "<ul>\n<li>Crimson</li>\n<li>Lime</li>\n<li>Navy</li>\n</ul>\n",
        "text=Green",
        "text=Lime",
    );
    // The removed one is gone, its neighbour was renamed.
    check(
        "a.html",
        "<button id=\"one\">Remove</button>\n<button id=\"two\">Archive</button>\n",
        "<button id=\"two\">Put away</button>\n",
        "id=one",
        "gone",
    );
}

#[test]
fn names_are_followed_through_later_commits() {
    let page = |text: &'static str| -> String { format!("<main>\n<button class=\"b\">{text}</button>\n</main>\n") };
    let file = |before: &'static str, after: &'static str| ("a.html", page(before), page(after));
    let told = |steps: &[(&'static str, &'static str)]| {
        let files: Vec<_> = steps.iter().map(|(before, after)| file(before, after)).collect();
        let commits: Vec<Vec<(&str, &str, &str)>> =
            files.iter().map(|(path, before, after)| vec![(*path, before.as_str(), after.as_str())]).collect();
        let commits: Vec<&[(&str, &str, &str)]> = commits.iter().map(Vec::as_slice).collect();
        became(&log(&commits), "name=Save")
    };
    for (steps, expected) in [
        (vec![("Save", "Keep")], "name=Keep @ c1"),
        (vec![("Save", "Keep"), ("Keep", "Store")], "name=Store @ c2"),
        // Taken back, and renamed again.
        (vec![("Save", "Keep"), ("Keep", "Save")], ""),
        (vec![("Save", "Keep"), ("Keep", "Save"), ("Save", "Store")], "name=Store @ c3"),
        // Two elements of the name went two ways.
        (vec![("Save", "Keep"), ("Save", "Store")], ""),
        // Both went the same way.
        (vec![("Save", "Keep"), ("Save", "Keep")], "name=Keep @ c1"),
        // It came again later.
        (vec![("Save", "Keep"), ("Other", "Save")], ""),
        (vec![("Other", "Third")], ""),
    ] {
        assert_eq!(told(&steps), expected, "{steps:?}");
    }
}

#[test]
fn deletions_count_only_where_nothing_that_came_mentions_the_literal() {
    let old = "<main>\n<button id=\"save\">Save</button>\n</main>\n";
    let gone = "<main>\n</main>\n";
    assert_eq!(became(&log(&[&[("a.html", old, gone)]]), "id=save"), "gone @ c1");
    assert_eq!(became(&log(&[&[("a.html", old, "")]]), "id=save"), "gone @ c1");
    // It moved to another file.
    assert_eq!(became(&log(&[&[("a.html", old, gone), ("b.html", "", old)]]), "id=save"), "");
    // A file that was written anew may hold it under another name.
    assert_eq!(
        became(&log(&[&[("a.html", old, ""), ("b.tsx", "", "<Button testId=\"x\">Save</Button>\n")]]), "id=save"),
        ""
    );
    // Something still speaks of it.
    assert_eq!(became(&log(&[&[("a.html", old, "<main>\n<p>save</p>\n</main>\n")]]), "id=save"), "");
}

#[test]
fn texts_behind_keys_are_found_where_the_same_commit_brings_them() {
    let code =
        ("a.tsx", "<button className=\"x\">Save</button>\n", "<button className=\"x\">{t('form.store')}</button>\n");
    let told = |catalogue: &str| {
        let file = ("en.json", "{\n  \"x\": \"y\"\n}\n", catalogue);
        became(&log(&[&[code, file]]), "name=Save")
    };
    assert_eq!(told("{\n  \"x\": \"y\",\n  \"store\": \"Store it\"\n}\n"), "name=Store it @ c1");
    assert_eq!(told("{\n  \"x\": \"y\",\n  \"store\": \"Save\"\n}\n"), "");
    assert_eq!(told("{\n  \"x\": \"y\",\n  \"other\": \"Store it\"\n}\n"), "");
    // Where texts are their own keys.
    check("a.py", "x = _('Save')\n", "x = _('Store')\n", "name=Save", "name=Store");
}

#[test]
fn any_text_is_read_without_a_panic() {
    for text in
        ["", "\u{1}", "diff --git ", "diff --git a/x b/x\n@@ -1,9 +1,9 @@\n+<a b='\u{fffd}", "@@ -1 +1 @@\n-a\n+b"]
    {
        assert_eq!(became(text, "id=save"), "");
    }
}

#[test]
fn a_change_of_name_and_text_in_one_may_have_put_another_element_there() {
    for (before, after, of, doubtful) in [
        (
            "<button id=\"get-quote\">Get a quote</button>\n",
            "<button id=\"order-now\">Order now</button>\n",
            "id=get-quote",
            true,
        ),
        (
            "<button data-testid=\"remove\">Remove</button>\n",
            "<button data-testid=\"archive\">Archive</button>\n",
            "test id=remove",
            true,
        ),
        (
            "<button id=\"export\">Export CSV</button>\n",
            "<button id=\"export-pdf\">Export PDF</button>\n",
            "id=export",
            true,
        ),
        (
            "<button id=\"get-quote\">Get a quote</button>\n",
            "<button id=\"order-now\">Order now</button>\n",
            "name=Get a quote",
            true,
        ),
        // What a field says stands in its label.
        (
            "<label><input type=\"checkbox\" name=\"news\" id=\"newsletter\"> Newsletter</label>\n",
            "<label><input type=\"checkbox\" name=\"sms\" id=\"sms-alerts\"> Text messages</label>\n",
            "id=newsletter",
            true,
        ),
        (
            "<label for=\"a\">Newsletter</label>\n<input type=\"checkbox\" id=\"newsletter\">\n",
            "<label for=\"b\">Text messages</label>\n<input type=\"checkbox\" id=\"sms\">\n",
            "id=newsletter",
            true,
        ),
        (
            "<label><input type=\"checkbox\" id=\"newsletter\"> Newsletter</label>\n",
            "<label><input type=\"checkbox\" id=\"news\"> Newsletter</label>\n",
            "id=newsletter",
            false,
        ),
        // Only the one or the other changed, or what it says still means the same, or it does the same.
        (
            "<button id=\"get-quote\">Get a quote</button>\n",
            "<button id=\"ask\">Get a quote</button>\n",
            "id=get-quote",
            false,
        ),
        (
            "<button id=\"get-quote\">Get a quote</button>\n",
            "<button id=\"get-quote\">Ask for a price</button>\n",
            "name=Get a quote",
            false,
        ),
        ("<button id=\"log-in\">Log in</button>\n", "<button id=\"sign-in\">Sign in</button>\n", "id=log-in", false),
        (
            "<a href=\"/quote\" id=\"get-quote\">Get a quote</a>\n",
            "<a href=\"/quote\" id=\"price\">Ask for a price</a>\n",
            "id=get-quote",
            false,
        ),
    ] {
        let changes = parse(&log(&[&[("a.html", before, after)]]), false);
        let (kind, value) = of.split_once('=').unwrap();
        let found = successors(&changes, &[literal(kind, value)], "data-testid");
        let seen: Vec<bool> = found.iter().map(|found| found.doubtful).collect();
        assert_eq!(seen, [doubtful], "{of} in {before} / {after}");
    }
}
