//! How long a large trace takes, from opening it to the page that the failing step saw. One thread, file in the cache.
//!
//! `cargo bench --bench trace`. The trace is made here: 100 MB of events in format 10, as a test makes them that opens
//! a page of some thousand elements again and again and works on it in between.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark prints, and ends where it cannot go on")]

use std::fmt::Write as _;
use std::io::{Seek as _, Write as _};
use std::sync::LazyLock;

use relocator::adapters::playwright::trace::{Trace, When};
use zip::write::{SimpleFileOptions, ZipWriter};

/// Bytes of events in the trace.
const SIZE: usize = 100 << 20;
/// Rows of the page's table; each makes seven elements.
const ROWS: usize = 1_500;

static TRACE: LazyLock<tempfile::NamedTempFile> = LazyLock::new(|| {
    let mut zip = ZipWriter::new(tempfile::NamedTempFile::new().unwrap());
    zip.start_file("test.trace", SimpleFileOptions::default()).unwrap();
    zip.write_all(runner().as_bytes()).unwrap();
    zip.start_file("0-trace.trace", SimpleFileOptions::default()).unwrap();
    let mut written = 0;
    let first = context("library");
    zip.write_all(first.as_bytes()).unwrap();
    for call in 0.. {
        let text = round(call);
        zip.write_all(text.as_bytes()).unwrap();
        written += text.len();
        if written >= SIZE {
            zip.write_all(failure(call + 1).as_bytes()).unwrap();
            break;
        }
    }
    let mut file = zip.finish().unwrap();
    file.rewind().unwrap();
    file
});

fn main() {
    let size = TRACE.as_file().metadata().unwrap().len();
    println!("{} MB of events, {} MB packed", SIZE >> 20, size >> 20);
    divan::main();
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn open_to_failing_page() -> usize {
    let trace = Trace::open(TRACE.path()).unwrap();
    let action = trace.failing_action().unwrap();
    trace.dom(action, When::Last).unwrap().len()
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn page_of_an_open_trace(bencher: divan::Bencher) {
    let trace = Trace::open(TRACE.path()).unwrap();
    let action = trace.failing_action().unwrap();
    bencher.bench(|| trace.dom(action, When::Last).unwrap().len());
}

fn context(origin: &str) -> String {
    format!(
        r#"{{"version":10,"type":"context-options","origin":"{origin}","browserName":"chromium","playwrightVersion":"1.65.1","wallTime":1000,"monotonicTime":1,"testIdAttributeName":"data-testid","title":"bench"}}"#
    ) + "\n"
}

fn runner() -> String {
    let error = r#""Error: locator.click: Timeout 1000ms exceeded.\nCall log:\n  - waiting for locator('#gone')\n""#;
    let stack = r#"[{"file":"/t/a.spec.js","line":7,"column":9}]"#;
    context("testRunner")
        + &format!(
            r#"{{"type":"before","callId":"gone","startTime":9000000,"class":"Test","method":"pw:api","title":"Click","params":{{}},"stack":{stack}}}"#
        )
        + "\n"
        + &format!(r#"{{"type":"after","callId":"gone","endTime":9001000,"error":{{"message":{error}}}}}"#)
        + "\n"
        + &format!(r#"{{"type":"error","message":{error},"stack":{stack}}}"#)
        + "\n"
}

/// A navigation with the whole page, then calls that change a little of it.
fn round(call: usize) -> String {
    let mut text = before(call * 10, "goto", "");
    text += &snapshot(call * 10, "after", &page());
    text += &after(call * 10, "");
    for step in 1..8 {
        let id = call * 10 + step;
        text += &before(id, "fill", r##""selector":"#name","strict":true,"value":"some text""##);
        for (phase, back) in [("before", 3 * step - 2), ("action", 3 * step - 1), ("after", 3 * step)] {
            text += &snapshot(id, phase, &changed(back));
        }
        for line in 0..8 {
            let _ = writeln!(text, r#"{{"type":"log","callId":"c{id}","time":1,"message":"line {line} of the log"}}"#);
        }
        text += &after(id, "");
    }
    text
}

fn failure(call: usize) -> String {
    let gone = |text: String| text.replace(&format!("\"c{call}\""), "\"gone\"");
    let mut text = before(call, "click", r##""selector":"#gone","strict":true"##);
    text += &snapshot(call, "before", &changed(22));
    text += r#"{"type":"log","callId":"gone","time":1,"message":"waiting for locator('#gone')"}"#;
    text += "\n";
    text += &after(call, r#","error":{"message":"Timeout 1000ms exceeded."}"#);
    text += &snapshot(call, "after", &changed(23));
    gone(text)
}

fn before(id: usize, method: &str, params: &str) -> String {
    format!(
        r#"{{"type":"before","callId":"c{id}","startTime":{id},"class":"Frame","method":"{method}","params":{{{params}}}}}"#
    ) + "\n"
}

fn after(id: usize, error: &str) -> String {
    format!(r#"{{"type":"after","callId":"c{id}","endTime":{}{error}}}"#, id + 1) + "\n"
}

fn snapshot(id: usize, phase: &str, html: &str) -> String {
    format!(
        r#"{{"type":"frame-snapshot","snapshot":{{"callId":"c{id}","phase":"{phase}","pageId":"page@1","frameId":"frame@1","frameUrl":"http://127.0.0.1/","doctype":"html","html":{html},"viewport":{{"width":1280,"height":720}},"timestamp":1,"wallTime":1,"collectionTime":1,"resourceOverrides":[],"isMainFrame":true}}}}"#
    ) + "\n"
}

/// A table with some thousand elements; its number of nodes is fixed: see [`changed`].
fn page() -> String {
    let mut rows = String::new();
    for row in 0..ROWS {
        let _ = write!(
            rows,
            r#",["TR",{{"class":"row row--{row} MuiTableRow-root","data-id":"{row}"}},["TD",{{"class":"cell cell--name"}},"Item number {row} of the list"],["TD",{{"class":"cell"}},["A",{{"href":"/items/{row}","class":"link"}},"Details"]],["TD",{{}},["BUTTON",{{"type":"button","data-testid":"delete-{row}","aria-label":"Delete item {row}"}},["SPAN",{{"class":"icon"}},"x"]]]]"#
        );
    }
    format!(
        r#"["HTML",{{"lang":"en"}},["HEAD",{{}},["BASE",{{"href":"http://127.0.0.1/"}}],["TITLE",{{}},"Items"]],["BODY",{{}},["INPUT",{{"__playwright_value_":"","id":"name"}}],["TABLE",{{}},["TBODY",{{}}{rows}]]]]"#
    )
}

/// The page with another value in its field: everything else refers to the snapshot `back` before.
fn changed(back: usize) -> String {
    // In the order of ending: BASE, text and TITLE, HEAD; the field; ten nodes a row; TBODY, TABLE.
    let table = 5 + 10 * ROWS + 1;
    format!(
        r#"["HTML",{{"lang":"en"}},[[{back},3]],["BODY",{{}},["INPUT",{{"__playwright_value_":"text {back}","id":"name"}}],[[{back},{table}]]]]"#
    )
}
