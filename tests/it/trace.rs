//! Traces that real Playwright versions recorded (`fixtures/traces`), and hostile ones made here.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use relocator::adapters::playwright::trace::{Action, Hint, Trace, When};
use relocator::domain::dom::{Dom, Namespace, NodeId, NodeKind};
use serde::Deserialize;

/// A line of `expected.jsonl`: what a person knows of the trace from the spec that was run.
#[derive(Deserialize)]
struct Expected {
    trace: String,
    format: u32,
    message: Option<String>,
    message_line: Option<u32>,
    selector: Option<String>,
    line: Option<u32>,
    url: Option<String>,
    page_title: Option<String>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/traces")
}

fn expected() -> Vec<Expected> {
    let lines = fs::read_to_string(folder().join("expected.jsonl")).expect("the table");
    lines.lines().map(|line| serde_json::from_str(line).expect("a line of the table")).collect()
}

fn open(name: &str) -> Trace {
    Trace::open(folder().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The title of the main frame's document.
fn title(dom: &Dom) -> String {
    let main = dom.frame(dom.main_frame().expect("a main frame")).document;
    let title = |id: &NodeId| {
        let above = std::iter::successors(Some(*id), |&id| dom.parent(id)).last();
        above == Some(main) && dom.element(*id).is_some_and(|element| element.tag == "title")
    };
    dom.nodes().find(title).map(|id| text(dom, id)).unwrap_or_default()
}

fn text(dom: &Dom, id: NodeId) -> String {
    let texts = dom.children(id).iter().filter_map(|&child| match dom.kind(child) {
        NodeKind::Text(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

#[track_caller]
fn check_failing(expected: &Expected, action: Option<&Action>, trace: &Trace, how: &str) {
    let name = &expected.trace;
    let selector = action.and_then(|action| action.selector.clone());
    assert_eq!(selector, expected.selector, "{name}, {how}");
    let (Some(action), Some(line)) = (action.filter(|action| action.selector.is_some()), expected.line) else { return };
    let lines: Vec<u32> = action.stack.iter().map(|frame| frame.line).collect();
    assert!(lines.contains(&line), "{name}, {how}: {lines:?} without {line}");
    let dom = trace.dom(action, When::Last).unwrap_or_else(|error| panic!("{name}, {how}: {error}"));
    let url = &dom.frame(dom.main_frame().expect("a main frame")).url;
    assert_eq!(Some(url), expected.url.as_ref(), "{name}, {how}");
    assert_eq!(Some(title(&dom)), expected.page_title, "{name}, {how}");
}

#[test]
fn every_format_says_which_call_failed_and_what_it_saw() {
    for expected in expected() {
        let trace = open(&expected.trace);
        assert_eq!(trace.info.version, Some(expected.format), "{}", expected.trace);
        assert_eq!(trace.notes, Vec::<String>::new(), "{}", expected.trace);
        if let Some(message) = &expected.message {
            let line = expected.message_line.map(|line| ("kinds.spec.js", line));
            let line = line.filter(|_| !expected.trace.contains("1.65.1") || expected.line.is_some());
            let hint = Hint { message: Some(message), line, ..Hint::default() };
            let best = trace.failing_candidates(&hint).first().map(|candidate| candidate.action);
            check_failing(&expected, best.map(|at| &trace.actions[at]), &trace, "with the report");
        }
        // Older formats do not record which errors failed the test.
        if expected.format >= 7 || !trace.failures.is_empty() {
            check_failing(&expected, trace.failing_action(), &trace, "alone");
        }
    }
}

#[test]
fn each_format_from_3_to_10_has_a_trace() {
    let mut formats: Vec<u32> = expected().iter().map(|expected| expected.format).collect();
    formats.dedup();
    formats.sort_unstable();
    formats.dedup();
    assert_eq!(formats, (3..=10).collect::<Vec<_>>());
}

/// A page as text: one line a node, white space between elements left out.
fn outline(dom: &Dom) -> String {
    let mut out = String::new();
    let main = dom.frame(dom.main_frame().expect("a main frame")).document;
    let mut waiting = vec![(main, 0)];
    while let Some((id, depth)) = waiting.pop() {
        let indent = "  ".repeat(depth);
        match dom.kind(id) {
            NodeKind::Document => writeln!(out, "{indent}document").unwrap(),
            NodeKind::ShadowRoot => writeln!(out, "{indent}shadow root").unwrap(),
            NodeKind::Text(text) if text.trim().is_empty() => {}
            NodeKind::Text(text) => writeln!(out, "{indent}{:?}", text.trim()).unwrap(),
            NodeKind::Element(element) => {
                write!(out, "{indent}{}", element.tag).unwrap();
                if element.namespace == Namespace::Svg {
                    out.push_str(" (svg)");
                }
                // Recorded by the oldest format only.
                let mut attributes: Vec<_> = element.attributes.iter().filter(|(name, _)| name != "srcdoc").collect();
                attributes.sort();
                for (name, value) in attributes {
                    write!(out, " {name}={value:?}").unwrap();
                }
                let state = [
                    element.value.as_ref().map(|value| format!("value {value:?}")),
                    element.checked.map(|checked| format!("checked {checked}")),
                    element.selected.map(|selected| format!("selected {selected}")),
                ];
                state.into_iter().flatten().for_each(|state| write!(out, "; {state}").unwrap());
                out.push('\n');
            }
        }
        waiting.extend(dom.children(id).iter().rev().map(|&child| (child, depth + 1)));
        if let Some(element) = dom.element(id) {
            waiting.extend(element.content_frame.map(|frame| (dom.frame(frame).document, depth + 1)));
            waiting.extend(element.shadow_root.map(|root| (root, depth + 1)));
        }
    }
    out
}

#[test]
fn the_page_is_the_same_in_every_format() {
    let page = fs::read_to_string(folder().join("stale-click.page.txt")).expect("the page");
    for expected in expected().iter().filter(|expected| expected.trace.ends_with("/stale-click.zip")) {
        let trace = open(&expected.trace);
        let failing = trace.actions.iter().rfind(|action| action.selector.as_deref() == Some("#submit-btn"));
        let dom = trace.dom(failing.expect("the call"), When::Last).expect("a page");
        assert_eq!(outline(&dom), page, "{}", expected.trace);
    }
}

/// What the passing calls of the stale-click test resolved to, by their selectors.
const TARGETS: [(&str, &str); 5] = [
    ("#email", "email"),
    ("#terms", "terms"),
    ("#plan", "plan"),
    ("[name=inner] >> internal:control=enter-frame >> #in-frame", "in-frame"),
    ("#in-shadow", "in-shadow"),
];

#[test]
fn a_passing_call_says_which_element_it_resolved_to() {
    for expected in expected().iter().filter(|expected| expected.trace.ends_with("/stale-click.zip")) {
        let trace = open(&expected.trace);
        // Playwright 1.36 marked nothing inside shadow roots.
        let targets = TARGETS.iter().filter(|(selector, _)| expected.format != 4 || *selector != "#in-shadow");
        for &(selector, id) in targets {
            let action = trace.actions.iter().find(|action| action.selector.as_deref() == Some(selector));
            let action = action.unwrap_or_else(|| panic!("{}: {selector}", expected.trace));
            assert_eq!(action.error, None, "{}: {selector}", expected.trace);
            let dom = trace.dom(action, When::After).expect("a page");
            let targets = dom.nodes().filter_map(|node| dom.element(node));
            let targets = targets.filter(|element| element.target_of.contains(&action.call_id));
            let ids: Vec<_> = targets.map(|element| element.attribute("id")).collect();
            assert_eq!(ids, [Some(id)], "{}: {selector}", expected.trace);
        }
    }
}

#[test]
fn values_are_those_of_the_moment() {
    for expected in expected().iter().filter(|expected| expected.trace.ends_with("/stale-click.zip")) {
        let trace = open(&expected.trace);
        let fill = trace.actions.iter().find(|action| action.selector.as_deref() == Some("#email")).expect("fill");
        assert_eq!(fill.param("value"), Some("a@b.test"), "{}", expected.trace);
        for (when, value) in [(When::Before, ""), (When::After, "a@b.test")] {
            let dom = trace.dom(fill, when).expect("a page");
            let mut inputs = dom.nodes().filter_map(|node| dom.element(node));
            let input = inputs.find(|element| element.attribute("id") == Some("email")).expect("the field");
            assert_eq!(input.value.as_deref(), Some(value), "{}: {when:?}", expected.trace);
        }
    }
}

#[test]
fn errors_of_the_page_and_of_the_network_are_kept_without_queries() {
    for expected in expected().iter().filter(|expected| expected.trace.ends_with("/stale-click.zip")) {
        let trace = open(&expected.trace);
        let texts: Vec<&str> = trace.console_errors.iter().map(|error| error.text.as_str()).collect();
        assert!(texts.contains(&"boom 1"), "{}: {texts:?}", expected.trace);
        let requests = trace.failed_requests.iter().map(|request| (request.url.as_str(), request.status));
        assert!(requests.into_iter().any(|request| request == ("http://shop.test/missing", Some(404))));
        assert!(trace.failed_requests.iter().all(|request| !request.url.contains('?')), "{}", expected.trace);
        assert_eq!(trace.info.browser.as_deref(), Some("chromium"));
        assert_eq!(trace.info.title.as_deref(), Some("kinds.spec.js:29 › stale click"));
        if expected.format > 3 {
            assert_eq!(trace.info.test_id_attribute.as_deref(), Some("data-testid"), "{}", expected.trace);
        }
    }
    let trace = open("1.65.1/styles.zip");
    assert!(trace.console_errors.iter().any(|error| error.uncaught && error.text == "uncaught here"));
    let aborted = trace.failed_requests.iter().find(|request| request.url == "http://shop.test/aborted");
    assert_eq!(aborted.map(|request| (request.status, request.failure.as_str())), Some((None, "net::ERR_FAILED")));
}

#[test]
fn a_linked_style_sheet_has_the_text_it_had_then() {
    let trace = open("1.65.1/styles.zip");
    let action = trace.failing_action().expect("the call");
    let dom = trace.dom(action, When::Last).expect("a page");
    let frame = &dom.frame(dom.main_frame().expect("a main frame")).guid;
    let sheet = |name: &str| {
        let url = format!("http://shop.test/{name}");
        trace.style_sheet(action, When::Last, frame, &url).expect("readable").unwrap_or_default()
    };
    assert!(sheet("a.css").contains(".late"), "a script had added a rule: {}", sheet("a.css"));
    assert_eq!(sheet("b.css"), ".b{opacity:0}");
    assert_eq!(sheet("c.css"), "");
}

#[test]
fn open_dialogs_are_open_in_the_page() {
    let trace = open("1.65.1/styles.zip");
    let dom = trace.dom(trace.failing_action().expect("the call"), When::Last).expect("a page");
    let dialog = dom.nodes().filter_map(|node| dom.element(node)).find(|element| element.tag == "dialog");
    assert_eq!(dialog.and_then(|dialog| dialog.attribute("open")), Some(""));
}
