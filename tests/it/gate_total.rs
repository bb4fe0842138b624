//! Gate two answers on any bytes: no panic, no hang, and what it accepts keeps its promises.
//!
//! `PROPTEST_CASES=1000000` turns the property into a long run.

use std::sync::LazyLock;

use proptest::prelude::*;
use relocator::domain::gate::{self, GatedEdit};
use relocator::source::language::{Grammar, Kind, kind};
use relocator::source::syntax::Source;

use crate::gate::{Case, cases};

static ALL: LazyLock<Vec<Case>> = LazyLock::new(|| cases(None));

/// Pieces that edits are made of: what locators, assertions and attacks are written with.
const PIECES: &[&str] = &[
    "page",
    ".locator('",
    "')",
    "\")",
    ".getByRole('button', { name: '",
    "' })",
    ".first()",
    ".nth(1)",
    ".or(",
    "expect(",
    ").toBeVisible()",
    "await ",
    "'",
    "\"",
    "`",
    "${",
    "}",
    "{",
    "(",
    ")",
    "[",
    "]",
    "/",
    "\\",
    "\\u{",
    "*",
    "#a",
    ".b",
    " >> ",
    "nth=0",
    "text=",
    "//",
    "|",
    ",",
    ";",
    "?.",
    "!",
    " as Page",
    "\u{200b}",
    "\u{2028}",
    "\r",
    "\n",
    "\0",
    "ß",
    "😀",
    "\u{feff}",
    "Save",
    ".filter({ hasText: '",
    "has: ",
    "exact: true",
    "if (",
    ") return;",
    "const a = ",
    "this.",
    "#",
    "@",
    "<",
    ">",
    "=>",
    ":has(",
    ":nth-child(",
    "internal:has=\"",
    "/*",
    "*/",
    "-->",
    "<!--",
    "\u{202e}",
    "(?<",
    "{2,1}",
    "|)",
    "=",
    "$",
    "~",
];

/// How many calls of assertion functions a text holds, counted apart from the gate.
fn assertion_calls(path: &str, text: &str) -> usize {
    let source = Source::parse(Grammar::of_path(path), text).unwrap();
    let mut count = 0;
    source.walk(&(0..text.len()), |node| {
        if kind(node) == Kind::Call {
            let function = node.child_by_field_name("function").map_or("", |function| source.of(function));
            let name = function.rsplit('.').next().unwrap_or_default();
            count += usize::from(function.starts_with("expect") || name == "expect" || function.starts_with("assert"));
        }
        true
    });
    count
}

fn keeps_its_promises(path: &str, before: &str, after: &str) {
    let judged = gate::check(path, before.as_bytes(), after.as_bytes());
    assert!(gate::check(path, after.as_bytes(), after.as_bytes()).is_err());
    let Ok(edit) = judged else { return };
    accepted(&edit);
    let crlf = |text: &str| text.replace("\r\n", "\n").replace('\n', "\r\n");
    let windows = gate::check(path, crlf(before).as_bytes(), crlf(after).as_bytes());
    assert_eq!(windows.map(|edit| edit.flags().clone()).as_ref(), Ok(edit.flags()), "{before}\n{after}");
}

fn accepted(edit: &GatedEdit) {
    let (before, after) = (edit.before(), edit.after());
    let (old, new) = (edit.old_range(), edit.new_range());
    assert_eq!(before.get(..old.start).unwrap(), after.get(..new.start).unwrap());
    assert_eq!(before.get(old.end..).unwrap(), after.get(new.end..).unwrap());
    let differing = before.split('\n').zip(after.split('\n')).filter(|(old, new)| old != new).count();
    assert_eq!((differing, before.matches('\n').count()), (1, after.matches('\n').count()));
    assert_eq!(assertion_calls(edit.path(), before), assertion_calls(edit.path(), after), "{before}\n{after}");
    // Reusing the old tree must lead to the tree that a fresh parse leads to.
    let whole = |text: &str| Source::parse(Grammar::of_path(edit.path()), text).unwrap().root().to_sexp();
    let source = Source::parse(Grammar::of_path(edit.path()), before).unwrap();
    let again = source.reparse(after, new.start, after.len() - new.end).unwrap();
    assert_eq!(again.root().to_sexp(), whole(after));
}

/// A text with one piece of `of` replaced by pieces of the vocabulary.
fn spliced(text: &str, at: usize, length: usize, pieces: &[usize]) -> String {
    let boundary = |mut at: usize| {
        at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let (start, end) = (boundary(at), boundary(at + length));
    let middle: String = pieces.iter().map(|piece| PIECES[piece % PIECES.len()]).collect();
    format!("{}{middle}{}", text.get(..start).unwrap(), text.get(end..).unwrap())
}

/// Where the two texts of a case first differ.
fn first_difference(case: &Case) -> usize {
    case.before.bytes().zip(case.after.bytes()).take_while(|(old, new)| old == new).count()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_accepted_edit_keeps_its_promises(
        choice in any::<prop::sample::Index>(),
        near in -30_isize..60,
        length in 0_usize..24,
        pieces in prop::collection::vec(0_usize..1000, 0..5),
        on_after in any::<bool>(),
    ) {
        let case = choice.get(ALL.as_slice());
        let at = first_difference(case).saturating_add_signed(near);
        let from = if on_after { &case.after } else { &case.before };
        keeps_its_promises(&case.path, &case.before, &spliced(from, at, length, &pieces));
    }

    #[test]
    fn any_bytes_get_an_answer(before in prop::collection::vec(any::<u8>(), 0..200), after in prop::collection::vec(any::<u8>(), 0..200)) {
        assert!(gate::check("a.ts", &before, &before).is_err());
        drop(gate::check("a.ts", &before, &after));
    }
}

#[test]
fn every_prefix_of_a_changed_line_gets_an_answer() {
    for case in ALL.iter() {
        let at = first_difference(case);
        let end = case.after.get(at..).and_then(|rest| rest.find('\n')).map_or(case.after.len(), |line| at + line);
        for cut in (at..=end).filter(|cut| case.after.is_char_boundary(*cut)) {
            let after = format!("{}{}", case.after.get(..cut).unwrap(), case.after.get(end..).unwrap());
            keeps_its_promises(&case.path, &case.before, &after);
        }
    }
}

#[test]
fn every_prefix_of_a_labelled_edit_gets_an_answer() {
    for case in cases(Some("labelled.jsonl")) {
        let shorter = case.before.len().min(case.after.len());
        let boundary = |cut: &usize| case.before.is_char_boundary(*cut) && case.after.is_char_boundary(*cut);
        for cut in (0..shorter).filter(boundary) {
            keeps_its_promises(&case.path, case.before.get(..cut).unwrap(), case.after.get(..cut).unwrap());
        }
    }
}

/// Texts that are made to cost much. Each must be answered; the suite's own time limit is the clock.
#[test]
fn hostile_texts_get_an_answer() {
    let many = |text: &str, times: usize| text.repeat(times);
    let wrap =
        |line: &str| format!("import {{ test }} from '@playwright/test';\nasync function f(page) {{\n  {line}\n}}\n");
    let pairs = [
        (many("(", 100_000), many("(", 100_001)),
        (
            format!("{}1{}", many("(", 100_000), many(")", 100_000)),
            format!("{}2{}", many("(", 100_000), many(")", 100_000)),
        ),
        (
            format!("{}1{}", many("[", 100_000), many("]", 100_000)),
            format!("{}2{}", many("[", 100_000), many("]", 100_000)),
        ),
        (
            format!("{}1{}", many("{a:", 50_000), many("}", 50_000)),
            format!("{}2{}", many("{a:", 50_000), many("}", 50_000)),
        ),
        (
            format!("await page{}.click()", many(".locator('a')", 50_000)),
            format!("await page{}.click()", many(".locator('a')", 49_999)),
        ),
        (
            format!("{}page.locator('#a'){}", many("f(", 50_000), many(")", 50_000)),
            format!("{}page.locator('#b'){}", many("f(", 50_000), many(")", 50_000)),
        ),
        (
            format!("{}page.locator('#a'){}", many("a(b=>", 20_000), many(")", 20_000)),
            format!("{}page.locator('#b'){}", many("a(b=>", 20_000), many(")", 20_000)),
        ),
        (format!("page.locator('{}')", many("a", 1 << 20)), format!("page.locator('{}')", many("b", 1 << 20))),
        (format!("page.locator('{}a')", many(":is(", 4_000)), format!("page.locator('{}b')", many(":is(", 4_000))),
        (format!("page.locator('//{}a')", many("a[", 8_000)), format!("page.locator('//{}b')", many("a[", 8_000))),
        (format!("page.getByText(/{}ab/)", many("(", 8_000)), format!("page.getByText(/{}ac/)", many("(", 8_000))),
        (
            format!("page.locator('#a'); {}", many("a.b(c); ", 100_000)),
            format!("page.locator('#b'); {}", many("a.b(c); ", 100_000)),
        ),
        (
            format!("const a = page.locator('#a'); {}", many("a.b(); ", 18_000)),
            format!("const a = page.locator('#b'); {}", many("a.b(); ", 18_000)),
        ),
        (
            format!("const a = '#a'; {}", many("page.locator(a); ", 15_000)),
            format!("const a = '#b'; {}", many("page.locator(a); ", 15_000)),
        ),
        (
            format!("{}`a{}", many("`${", 20_000), many("}`", 20_000)),
            format!("{}`b{}", many("`${", 20_000), many("}`", 20_000)),
        ),
        (
            format!("page.locator('#a') {}", many("? 1 : ", 50_000)),
            format!("page.locator('#b') {}", many("? 1 : ", 50_000)),
        ),
        (format!("page.locator('#a'){}", many("<a", 50_000)), format!("page.locator('#b'){}", many("<a", 50_000))),
    ];
    for (before, after) in pairs {
        for path in ["a.ts", "a.jsx"] {
            drop(gate::check(path, before.as_bytes(), after.as_bytes()));
            drop(gate::check(path, wrap(&before).as_bytes(), wrap(&after).as_bytes()));
        }
    }
}
