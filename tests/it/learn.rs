//! `relocator learn` on the traces of a green run in two Playwright projects, and what a heal makes of it.

use crate::support::{Project, browser_turn};

const PAGE: &str = "app/issue.html";
const CONFIG: &str = "playwright.config.ts";
const BOOK: &str = ".relocator/fingerprints.json";

#[test]
fn a_green_run_is_learned_by_project_and_finds_what_the_page_alone_does_not_show() {
    let _turn = browser_turn();
    let project = Project::copy("other-words");
    let today = project.read(PAGE);
    let config = project
        .read(CONFIG)
        .replace("use: {", "projects: [{ name: 'wide' }, { name: 'small phone' }],\n  use: {\n    trace: 'on',");
    project.write(CONFIG, &config);
    project.write(PAGE, &today.replace(">Send to the readers<", ">Publish<"));
    let green = project.playwright();
    assert_eq!(green.code, Some(0), "{green}");

    let traces = project.folder().join("tmp/results").to_string_lossy().into_owned();
    let ran = project.run(["learn", &traces]);
    assert_eq!(ran.code, Some(0), "{ran}");
    let book = project.read(BOOK);
    let learned: serde_json::Value = serde_json::from_str(&book).expect("a book in JSON");
    let clicks = learned["fingerprints"].as_array().expect("records").iter().filter(|one| one["method"] == "click");
    let projects: Vec<&str> = clicks.map(|one| one["project"].as_str().unwrap_or("none")).collect();
    assert_eq!(projects, ["small-phone", "wide"], "{book}");
    let page = &learned["fingerprints"][0]["page"];
    assert_eq!(
        (page["path"].as_str(), page["title"].as_str()),
        (Some("/issue"), Some("Issue # · Marginalia")),
        "{book}"
    );
    assert_eq!(project.run(["learn", &traces]).code, Some(0));
    assert_eq!(project.read(BOOK), book, "learning again changes no byte");

    project.write(PAGE, &today);
    let ran = project.run(["heal", &project.expected.test, "--json"]);
    let document = ran.json();
    // All but the text is as recorded; a text without a word in common may be another function there, so a person decides.
    assert_eq!((&document["outcome"], &document["reason"]), (&"proposed".into(), &"under_apply_bar".into()), "{ran}");
    assert_eq!(document["evidence"][0]["element"], "button \"Send to the readers\"", "{ran}");
}
