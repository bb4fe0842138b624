//! Gate one on hostile input: any bytes, torn texts, texts made of Playwright's own words in any order.
//!
//! The properties run few cases here; `PROPTEST_CASES=1000000 cargo test --release --test it classify_total` is the long run.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use relocator::domain::classify::{Classification, classify, classify_errors};

/// Pieces of Playwright's texts and of what stands around them; a text is any sequence of them.
const PIECES: [&str; 64] = [
    "Error: ",
    "TimeoutError: ",
    "playwright._impl._errors.TimeoutError: ",
    "locator.click: Timeout 1500ms exceeded.",
    "page.goto: net::ERR_CONNECTION_REFUSED at http://a/",
    "locator.fill: Target closed",
    "locator.click: Test timeout of 4000ms exceeded.",
    "locator.click: Test ended.",
    "locator.dragTo: Timeout 5ms exceeded.",
    "Test timeout of 4000ms exceeded.",
    "\"beforeAll\" hook timeout of 4000ms exceeded.",
    "Timeout 686.29ms exceeded.",
    "Timed out 1200ms waiting for expect(locator).toBeVisible()",
    "expect(received).toHaveText(expected)",
    "expect(locator).not.toHaveCount(expected) failed",
    "expect(locator).toBeHidden() failed",
    "Locator expected to be visible",
    "strict mode violation: locator('a') resolved to 2 elements:",
    "    1) <a>x</a> aka getByText('x')",
    "Locator: locator('#a')",
    "Expected: \"x\"",
    "Received: <element(s) not found>",
    "Received: hidden",
    "Received string: \"\"",
    "Received: 0",
    "Actual value: None",
    "Error: element(s) not found",
    "Timeout:  1200ms",
    "Call log:",
    "Call Log:",
    "=========================== logs ===========================",
    "============================================================",
    "  - waiting for locator('#a')",
    "waiting for selector \"#a\" to be hidden",
    "  - waiting for frame \"#f\"",
    "  - expect.soft.toBeVisible with timeout 5000ms",
    "  - Expect \"toHaveText\" locator('#a') with timeout 5000ms",
    "    5 × locator resolved to <b>x</b>",
    "  -   locator resolved to 0 elements",
    "  -   unexpected value \"hidden\"",
    "  - attempting click action",
    "  - element was detached from the DOM, retrying",
    "  - waiting for\" http://a/ \" navigation to finish...",
    "  - navigated to \"http://a/\"",
    "- Timeout 1500ms exceeded while waiting on the predicate",
    "Pending operations:",
    "Aria snapshot:",
    "[cause]: ",
    "  12 | await page.goto('/');",
    "> 13 | await expect.soft(page.locator('a')).toBeVisible();",
    "    at /repo/a.spec.ts:13:4",
    "::error file=a.ts,line=1::",
    "%0A",
    "E   ",
    "[e2e] ",
    "2026-11-30T11:11:00.1234567Z ",
    "<pre>",
    "&lt;&#39;",
    "\\n\\\"",
    "\u{1b}[31m",
    "message='",
    "…",
    "│ ",
    "\r",
];

fn pieces() -> impl Strategy<Value = String> {
    let piece = (0..PIECES.len(), prop_oneof![4 => Just("\n"), 2 => Just("\n\n"), 1 => Just(""), 1 => Just(" ")]);
    prop::collection::vec(piece, 0..40)
        .prop_map(|all| all.into_iter().fold(String::new(), |text, (at, end)| text + PIECES[at] + end))
}

/// What must hold for every answer.
fn sound(text: &str, found: &Classification) {
    if found.is_eligible() {
        assert!(found.locator.is_some(), "eligible without a locator: {text:?}");
        assert!(found.alternatives.is_empty(), "eligible with alternatives: {text:?}");
    }
    assert!(found.timeout_ms.is_none_or(f64::is_finite));
}

proptest! {
    #[test]
    fn any_bytes_get_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        let text = String::from_utf8_lossy(&bytes);
        sound(&text, &classify(&text));
    }

    #[test]
    fn any_sequence_of_playwrights_words_gets_a_sound_answer(text in pieces()) {
        let found = classify(&text);
        sound(&text, &found);
        prop_assert_eq!(&classify(&text), &found, "not deterministic");
    }

    #[test]
    fn line_endings_do_not_matter(text in pieces()) {
        let plain = text.replace('\r', "");
        prop_assert_eq!(classify(&plain), classify(&plain.replace('\n', "\r\n")));
    }

    #[test]
    fn colours_do_not_matter(text in pieces()) {
        let coloured = text.replace("expect(", "\u{1b}[2mexpect(\u{1b}[22m").replace(": ", ":\u{1b}[39m ");
        prop_assert_eq!(classify(&text).category, classify(&coloured).category);
    }

    #[test]
    fn an_error_for_a_person_makes_the_result_one(texts in prop::collection::vec(pieces(), 1..4)) {
        let found = classify_errors(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        sound("", &found);
        // A limit explains the errors beside it, so an error counts as human only if no limit is about.
        let limits = texts.iter().any(|text| text.contains("imeout of"));
        let cause = texts.iter().any(|text| text.contains("[cause]"));
        if !limits && !cause && found.is_eligible() {
            for text in texts.iter().filter(|text| !text.trim().is_empty()) {
                let alone = classify_errors(&[text]);
                prop_assert!(alone.is_eligible() || alone.rule == "nothing-said", "{:?} is {:?}", text, alone);
            }
        }
    }
}

fn fixtures() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/classify");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let lines = files
        .iter()
        .filter(|path| path.extension().is_some_and(|end| end == "jsonl"))
        .map(|path| fs::read_to_string(path).unwrap());
    let text =
        |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["text"].as_str().unwrap().to_owned();
    lines.flat_map(|lines| lines.lines().map(text).collect::<Vec<_>>()).collect()
}

#[test]
fn every_prefix_of_every_text_gets_an_answer() {
    // The long run takes every prefix, the ordinary one a hundred of each text.
    let all = std::env::var_os("PROPTEST_CASES").is_some();
    for text in fixtures().into_iter().filter(|text| !all || text.len() < 20_000) {
        let step = if all { 1 } else { (text.len() / 100).max(1) };
        for end in (0..text.len()).step_by(step).filter(|end| text.is_char_boundary(*end)) {
            sound(&text, &classify(text.get(..end).unwrap_or_default()));
        }
    }
}

#[test]
fn huge_texts_get_an_answer() {
    let mebibyte = 1 << 20;
    let mut huge = vec![
        "a".repeat(2 * mebibyte),
        format!("locator.click: Timeout 5ms exceeded.\nCall log:\n  - waiting for locator('{}')", "(".repeat(100_000)),
        format!("locator.click: Timeout 5ms exceeded.\nCall log:\n  - waiting for locator({})", "[".repeat(100_000)),
        "{\"a\":[".repeat(100_000),
        "<pre>".repeat(200_000),
        "\u{1b}[".repeat(500_000),
        "&lt;".repeat(250_000),
        "\\n".repeat(500_000),
        "\n".repeat(mebibyte),
        " ".repeat(mebibyte),
        "\"".repeat(mebibyte),
    ];
    let long = 48 << 10;
    for piece in PIECES {
        huge.extend(["", "\n", " "].map(|end| format!("{piece}{end}").repeat(long / piece.len())));
    }
    for text in huge {
        sound("huge", &classify(&text));
    }
}

#[test]
fn what_stands_behind_the_limit_makes_the_answer_careful() {
    let stale = "locator.click: Timeout 5ms exceeded.\nCall log:\n  - waiting for locator('#a')\n";
    assert!(classify(stale).is_eligible());
    assert!(!classify(&format!("{stale}\n{}", "x\n".repeat(relocator::domain::failure::MAX_TEXT))).is_eligible());
}
