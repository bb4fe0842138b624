//! What the MCP tools tell of a recorded page: the broken link, locators that mean one element, and never more than a
//! caller can hold, however large the page was.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;

use serde_json::{Value, json};
use zip::write::{SimpleFileOptions, ZipWriter};

use crate::mcp::{server, with_trace};
use crate::support::{Project, Talk};

/// All items of an answer of at most `limit` characters a page, by the cursor, and how many pages they came in.
fn paged(talk: &mut Talk, tool: &str, arguments: &Value, limit: usize) -> (Vec<Value>, usize) {
    let (mut arguments, mut items, mut pages) = (arguments.clone(), Vec::new(), 0);
    loop {
        let id = talk.begin(tool, &arguments);
        let page = talk.structured(id, limit);
        assert_eq!(page["result"].is_null(), pages > 0, "the head comes once: {page}");
        items.extend(page["items"].as_array().expect("items").clone());
        pages += 1;
        if page["next_cursor"].is_null() {
            assert_eq!(page["items_total"], items.len(), "{page}");
            return (items, pages);
        }
        assert_eq!(talk.refused("get_report", &json!({ "cursor": page["next_cursor"] })), "unknown_cursor");
        arguments["cursor"] = page["next_cursor"].clone();
    }
}

#[test]
fn a_trace_shows_the_broken_link_and_unique_locators_for_what_it_meant() {
    let project = with_trace();
    let mut talk = server(&project, &[]);
    let answer = talk.call("inspect_failure", &json!({ "trace": "trace.zip" }));
    let result = &answer["result"];
    assert!(result["broken"].is_string() && result["links"][0]["count"].is_number(), "{answer}");
    let best = &answer["items"][0];
    assert!(best["probability"].is_number() && best["evidence"].is_array(), "{answer}");

    let locator = result["locator"].as_str().expect("the locator that failed").to_owned();
    let failed = talk.call("suggest_locator", &json!({ "trace": "trace.zip" }));
    assert_eq!(failed["result"]["matches"], 0, "{failed}");
    let said = talk.call("suggest_locator", &json!({ "trace": "trace.zip", "locator": locator }));
    assert_eq!(said["result"]["locator"], failed["result"]["locator"], "{said}");
    for answer in [failed, said] {
        for item in answer["items"].as_array().expect("suggestions") {
            let locator = item["locator"].as_str().expect("a locator");
            let ran = project.run(["query", "trace.zip", locator, "--json"]);
            assert_eq!(ran.json()["results"][0]["count"], 1, "{locator}: {ran}");
            assert!(item["why"].as_str().is_some_and(|why| !why.is_empty()), "{item}");
        }
    }
}

#[test]
fn a_long_list_comes_in_bounded_pages_and_nothing_of_it_is_lost() {
    let project = with_trace();
    let trace = json!({ "trace": "trace.zip" });
    let (all, pages) = paged(&mut server(&project, &["--max-chars", "100000"]), "inspect_failure", &trace, 100_000);
    assert_eq!(pages, 1);
    let (items, pages) = paged(&mut server(&project, &["--max-chars", "3000"]), "inspect_failure", &trace, 3_000);
    let elements = |items: &[Value]| items.iter().map(|item| item["element"].clone()).collect::<Vec<_>>();
    assert_eq!(elements(&items), elements(&all));
    assert!(pages > 1, "one page of 3000 characters shows nothing");
}

/// A trace of a click that found nothing on a page of more than ten thousand elements, all of them with much to say.
fn large_trace(project: &Project) {
    let words = "and so on and on ".repeat(30);
    let mut rows = String::new();
    for row in 0..2_500 {
        write!(
            rows,
            r#",["LI",{{"class":"row"}},["SPAN",{{}},"Part {row} {words}"],["A",{{"href":"/parts/{row}"}},"More of part {row}"],["BUTTON",{{"data-testid":"order-{row}","title":"{words}"}},"Order part {row}"]]"#
        )
        .expect("a row");
    }
    let html = format!(r#"["HTML",{{}},["HEAD",{{}},["TITLE",{{}},"Parts {words}"]],["BODY",{{}},["UL",{{}}{rows}]]]"#);
    let selector = r#"internal:role=button[name=\"Order a part\"i]"#;
    let events = [
        r#"{"version":10,"type":"context-options","origin":"library","browserName":"chromium","wallTime":1,"monotonicTime":1}"#.to_owned(),
        format!(r#"{{"type":"before","callId":"c1","startTime":1,"class":"Frame","method":"click","params":{{"selector":"{selector}","strict":true}}}}"#),
        r#"{"type":"after","callId":"c1","endTime":2,"error":{"message":"Timeout 1ms exceeded."}}"#.to_owned(),
        format!(r#"{{"type":"frame-snapshot","snapshot":{{"callId":"c1","phase":"after","pageId":"p","frameId":"f","frameUrl":"http://a.test/","html":{html},"isMainFrame":true}}}}"#),
    ];
    let mut zip = ZipWriter::new(fs::File::create(project.path("trace.zip")).expect("a file"));
    zip.start_file("trace.trace", SimpleFileOptions::default()).expect("a part");
    zip.write_all(events.join("\n").as_bytes()).expect("its bytes");
    zip.finish().expect("an archive");
}

#[test]
fn a_page_of_ten_thousand_elements_does_not_flood_its_caller() {
    let project = Project::copy("demo");
    large_trace(&project);
    let count = project.run(["query", "trace.zip", "locator('*')", "--json"]).json()["results"][0]["count"].clone();
    assert!(count.as_u64().is_some_and(|count| count > 10_000), "{count}");
    let mut talk = server(&project, &[]);
    let (candidates, pages) = paged(&mut talk, "inspect_failure", &json!({ "trace": "trace.zip" }), 8_000);
    assert!((10..=1_000).contains(&candidates.len()) && pages > 1, "{} in {pages} pages", candidates.len());
    // The stale locator may be any of two thousand buttons; a description means one, or any of those that a word fits.
    let (_, pages) = paged(&mut talk, "suggest_locator", &json!({ "trace": "trace.zip" }), 8_000);
    assert!(pages < 5, "{pages}");
    let one = json!({ "trace": "trace.zip", "description": "button \"Order part 1234\"" });
    let (named, _) = paged(&mut talk, "suggest_locator", &one, 8_000);
    assert!(named.iter().all(|item| item["element"].as_str().is_some_and(|words| words.contains("1234"))), "{named:?}");
    assert!(!named.is_empty());
    let many = json!({ "trace": "trace.zip", "description": "the Order button" });
    assert!(paged(&mut talk, "suggest_locator", &many, 8_000).1 < 5);
}

#[test]
fn an_element_described_in_words_gets_locators_that_mean_it() {
    let project = with_trace();
    let mut talk = server(&project, &[]);
    let inspected = talk.call("inspect_failure", &json!({ "trace": "trace.zip" }));
    let named = inspected["items"].as_array().expect("candidates").iter().find_map(|item| {
        let words = item["element"].as_str()?;
        words.starts_with("button \"").then(|| words.split(" (").next().unwrap_or_default().to_owned())
    });
    let words = named.unwrap_or_else(|| panic!("no button among {inspected}"));
    let answer = talk.call("suggest_locator", &json!({ "trace": "trace.zip", "description": words }));
    assert_eq!(answer["result"]["standing"], "matches", "{answer}");
    let gone = talk.call("suggest_locator", &json!({ "trace": "trace.zip", "description": "slider \"Warp factor\"" }));
    assert_eq!(gone["items"], json!([]), "{gone}");
    assert_ne!(gone["result"]["standing"], "same", "{gone}");
}
