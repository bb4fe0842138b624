//! The locator engine against the real Playwright: what tests/differential/record.mjs asked Playwright in Chromium is asked
//! of the engine on the trace of the same page, and must be answered alike, order included.
//!
//! By itself it records and compares our own edge-case pages and a few real ones; tests/differential/run.sh does the full
//! set. `RELOCATOR_DIFFERENTIAL=folder` compares what is recorded in a folder, `RELOCATOR_DIFFERENTIAL_UNKNOWN=1` lists
//! what the engine called unknown.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use relocator::adapters::playwright::trace::{Trace, When};
use relocator::domain::dom::query::Answer;
use relocator::domain::dom::visibility::Visibility;
use relocator::domain::dom::{Dom, NodeId, Page};
use relocator::domain::locator::Locator;
use relocator::domain::locator::parse::DEFAULT_TEST_ID_ATTRIBUTE;
use serde::Deserialize;

use crate::support::browser_turn;

/// The shares that must agree, in thousandths.
const LOCATORS_AGREE: usize = 999;
const ELEMENTS_AGREE: usize = 998;

#[derive(Deserialize)]
struct Recorded {
    locator: String,
    #[serde(default)]
    elements: Vec<Option<String>>,
    error: Option<String>,
}

#[derive(Deserialize)]
struct Described {
    le: Option<String>,
    tag: String,
    role: Option<String>,
    name: String,
    #[serde(rename = "nameHidden")]
    name_hidden: String,
    visible: bool,
}

#[derive(Deserialize)]
struct PageEntry {
    name: String,
    #[serde(default)]
    moved: bool,
    error: Option<String>,
}

#[derive(Debug, Default)]
struct Count {
    agree: usize,
    differ: usize,
    unknown: usize,
}

#[derive(Debug, Default)]
struct Report {
    pages: usize,
    left_out: Vec<String>,
    locators: Count,
    roles: Count,
    names: Count,
    visibility: Count,
    differences: Vec<String>,
}

impl Count {
    fn share(&self, least: usize) -> bool {
        self.agree * 1000 >= (self.agree + self.differ) * least
    }
}

impl Report {
    fn add(&mut self, folder: &Path, page: &str) {
        let trace = Trace::open(folder.join("trace.zip")).unwrap();
        let action = trace.actions.iter().rev().find(|action| !action.page_id.is_empty()).unwrap();
        let dom = trace.dom(action, When::Last).unwrap();
        let view = Page::new(&dom);
        let frame = dom.main_frame().unwrap();
        self.pages += 1;
        for recorded in lines::<Recorded>(&folder.join("answers.jsonl")) {
            let answer = match Locator::from_source(&recorded.locator, DEFAULT_TEST_ID_ATTRIBUTE) {
                Ok(locator) => view.query(frame, &locator),
                Err(error) => Answer::Invalid(error.to_string()),
            };
            let (same, ours) = match (&answer, &recorded.error) {
                (Answer::Unknown(reason), _) => {
                    self.locators.unknown += 1;
                    if std::env::var_os("RELOCATOR_DIFFERENTIAL_UNKNOWN").is_some() {
                        println!("{page}: {} unknown: {reason}", recorded.locator);
                    }
                    continue;
                }
                (Answer::Invalid(reason), error) => (error.is_some(), format!("invalid: {reason}")),
                (Answer::Nodes(nodes), error) => {
                    let ours: Vec<Option<String>> = nodes.iter().map(|node| mark(&dom, *node)).collect();
                    (error.is_none() && ours == recorded.elements, brief(&ours))
                }
            };
            if same {
                self.locators.agree += 1;
            } else {
                self.locators.differ += 1;
                let theirs = recorded.error.clone().unwrap_or_else(|| brief(&recorded.elements));
                self.differences.push(format!("{page}: {}\n    ours {ours}\n    real {theirs}", recorded.locator));
            }
        }
        let nodes: HashMap<String, NodeId> = dom.nodes().filter_map(|node| Some((mark(&dom, node)?, node))).collect();
        for described in lines::<Described>(&folder.join("elements.jsonl")) {
            if let Some(node) = described.le.as_ref().and_then(|le| nodes.get(le)) {
                self.element(&view, *node, &described, page);
            }
        }
    }

    fn element(&mut self, view: &Page<'_>, node: NodeId, real: &Described, page: &str) {
        let at = format!("{page}: <{} data-le={}>", real.tag, real.le.as_deref().unwrap_or_default());
        let mut compare = |count: &mut Count, what: &str, ours: &str, theirs: &str| {
            if ours == theirs {
                count.agree += 1;
            } else {
                count.differ += 1;
                self.differences.push(format!("{at} {what}\n    ours {ours:?}\n    real {theirs:?}"));
            }
        };
        compare(
            &mut self.roles,
            "role",
            view.role(node).unwrap_or("none at all"),
            real.role.as_deref().unwrap_or("none at all"),
        );
        compare(&mut self.names, "name", &view.name(node), &real.name);
        compare(&mut self.names, "name with hidden", &view.name_with(node, true), &real.name_hidden);
        match view.visibility(node) {
            Visibility::Unknown => self.visibility.unknown += 1,
            known => {
                let ours = (known == Visibility::Visible).to_string();
                compare(&mut self.visibility, "visible", &ours, &real.visible.to_string());
            }
        }
    }

    fn print(&self) {
        for difference in &self.differences {
            println!("{difference}");
        }
        for page in &self.left_out {
            println!("left out: {page}");
        }
        println!("{} pages", self.pages);
        for (what, count) in [
            ("locators", &self.locators),
            ("roles", &self.roles),
            ("names", &self.names),
            ("visibility", &self.visibility),
        ] {
            println!("{what}: {} agree, {} differ, {} unknown", count.agree, count.differ, count.unknown);
        }
    }
}

/// What the recorder called the element.
fn mark(dom: &Dom, node: NodeId) -> Option<String> {
    dom.element(node)?.attribute("data-le").map(str::to_owned)
}

fn brief(list: &[Option<String>]) -> String {
    let shown: Vec<&str> = list.iter().take(20).map(|le| le.as_deref().unwrap_or("-")).collect();
    format!("{}: {}", list.len(), shown.join(" "))
}

fn lines<T: for<'d> Deserialize<'d>>(path: &Path) -> Vec<T> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn compare(folder: &Path) -> Report {
    let mut report = Report::default();
    let text = std::fs::read_to_string(folder.join("pages.json")).unwrap();
    for page in serde_json::from_str::<Vec<PageEntry>>(&text).unwrap() {
        match page.error {
            Some(error) => report.left_out.push(format!("{}: {error}", page.name)),
            None if page.moved => report.left_out.push(format!("{}: it changed while it was asked", page.name)),
            None => report.add(&folder.join(&page.name), &page.name),
        }
    }
    report.print();
    report
}

/// Records the quick set with the browser.
fn record(folder: &Path) {
    let _turn = browser_turn();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/differential/record.mjs");
    let done = Command::new("node").arg(script).arg(folder).status().expect("node runs");
    assert!(done.success(), "the recorder failed: {done}");
}

#[test]
fn locators_match_what_the_real_playwright_matches() {
    let scratch = tempfile::tempdir().unwrap();
    let given = std::env::var_os("RELOCATOR_DIFFERENTIAL").map(PathBuf::from);
    let folder = given.as_deref().unwrap_or_else(|| scratch.path());
    if given.is_none() {
        record(folder);
    }
    let report = compare(folder);
    let full = std::env::var_os("RELOCATOR_DIFFERENTIAL_FULL").is_some();
    let (pages, pairs) = if full { (40, 20_000) } else { (12, 2_000) };
    let compared = report.locators.agree + report.locators.differ;
    assert!(
        report.pages >= pages && compared >= pairs,
        "too little was compared: {} pages, {compared} pairs",
        report.pages
    );
    assert!(report.left_out.len() * 10 <= report.pages, "too many pages could not be compared");
    assert!(report.locators.share(LOCATORS_AGREE), "locators: {:?}", report.locators);
    assert!(report.roles.share(ELEMENTS_AGREE), "roles: {:?}", report.roles);
    assert!(report.names.share(ELEMENTS_AGREE), "names: {:?}", report.names);
}
