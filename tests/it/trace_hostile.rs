//! Traces that are damaged, too large, or made to hurt: a clear error or a note, and never a crash.

use std::fmt::Write as _;
use std::fs;
use std::io::{Cursor, Read as _, Write as _};
use std::path::Path;

use relocator::adapters::playwright::trace::{Limits, Trace, TraceError, When};
use zip::write::{SimpleFileOptions, ZipWriter};

const CONTEXT: &str = r#"{"version":10,"type":"context-options","origin":"library","browserName":"chromium","wallTime":1,"monotonicTime":1}"#;
const BEFORE: &str = r##"{"type":"before","callId":"c1","startTime":1,"class":"Frame","method":"click","params":{"selector":"#gone","strict":true}}"##;
const AFTER: &str = r#"{"type":"after","callId":"c1","endTime":2,"error":{"message":"Timeout 1ms exceeded."}}"#;

fn snapshot(html: &str) -> String {
    format!(
        r#"{{"type":"frame-snapshot","snapshot":{{"callId":"c1","phase":"after","pageId":"p","frameId":"f","frameUrl":"http://a.test/","html":{html},"isMainFrame":true}}}}"#
    )
}

/// A call with this page.
fn events(html: &str) -> String {
    [CONTEXT, BEFORE, AFTER, &snapshot(html)].join("\n")
}

fn zip(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in parts {
        zip.start_file(*name, SimpleFileOptions::default()).expect("a part");
        zip.write_all(bytes).expect("its bytes");
    }
    zip.finish().expect("an archive").into_inner()
}

fn open(bytes: &[u8]) -> Result<Trace, TraceError> {
    open_with(bytes, Limits::default())
}

fn open_with(bytes: &[u8], limits: Limits) -> Result<Trace, TraceError> {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(bytes).expect("its bytes");
    Trace::open_with(file.path(), limits)
}

fn open_events(events: &str) -> Trace {
    open(&zip(&[("trace.trace", events.as_bytes())])).expect("a trace")
}

/// The error of putting together the page `html`, or how many nodes it has.
fn page(html: &str) -> Result<usize, String> {
    let trace = open_events(&events(html));
    let action = trace.failing_action().expect("the call");
    trace.dom(action, When::Last).map(|dom| dom.len()).map_err(|error| error.to_string())
}

fn real() -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/traces/1.65.1/stale-click.zip");
    fs::read(path).expect("a trace")
}

#[test]
fn a_truncated_archive_is_an_error_at_every_length() {
    let whole = real();
    for length in (0..whole.len()).step_by(211) {
        let error = open(&whole[..length]).map(|_| ()).expect_err("an error").to_string();
        assert!(error.contains("no readable zip archive"), "{length}: {error}");
    }
}

#[test]
fn no_flipped_byte_crashes_the_reader() {
    let whole = real();
    let mut refused = 0;
    for at in (0..whole.len()).step_by(199) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        match open(&bytes) {
            Ok(trace) => {
                let action = trace.failing_action().cloned();
                drop(action.map(|action| trace.dom(&action, When::Last)));
            }
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 0, "the check sums of the event files are checked");
}

/// The event files of a real trace, unpacked.
fn real_events() -> Vec<(String, Vec<u8>)> {
    let mut zip = zip::ZipArchive::new(Cursor::new(real())).expect("a trace");
    let names: Vec<String> = zip.file_names().map(|name| name.expect("a name").into_owned()).collect();
    let read = |name: String| {
        let mut bytes = Vec::new();
        zip.by_name(&name).expect("a part").read_to_end(&mut bytes).expect("its bytes");
        (name, bytes)
    };
    names.into_iter().map(read).collect()
}

#[test]
fn no_changed_event_crashes_the_reader() {
    let parts = real_events();
    let own: Vec<(&str, &[u8])> = parts.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    let largest = own.iter().max_by_key(|(_, bytes)| bytes.len()).expect("a part").0;
    let all = own.iter().find(|(name, _)| *name == largest).expect("a part").1.to_vec();
    let mut pages = 0;
    for at in (0..all.len() - 8).step_by(613) {
        let mut changed = all.clone();
        match at % 4 {
            0 => changed[at] = b"[]{}\",:0\\9"[at / 4 % 10],
            1 => drop(changed.drain(at..at + 7)),
            2 => changed[at] ^= 0x80,
            _ => drop(changed.splice(at..at, *b"[[0,1]],")),
        }
        let with: Vec<(&str, &[u8])> =
            own.iter().map(|&(name, bytes)| (name, if name == largest { changed.as_slice() } else { bytes })).collect();
        let Ok(trace) = open(&zip(&with)) else { continue };
        for action in trace.actions.iter().rev().take(12) {
            pages += usize::from(trace.dom(action, When::Last).is_ok());
        }
    }
    assert!(pages > 0, "most changes leave most pages whole");
}

#[test]
fn text_and_empty_files_are_no_archives() {
    for bytes in [b"".as_slice(), b"not a zip", b"PK\x03\x04", &[0; 4096]] {
        assert!(matches!(open(bytes), Err(TraceError::Archive { .. })), "{bytes:?}");
    }
    assert!(matches!(open(&zip(&[("a.txt", b"x")])), Err(TraceError::NoTrace { .. })));
    assert!(matches!(Trace::open("/nowhere/at/all.zip"), Err(TraceError::Open { .. })));
}

#[test]
fn a_bomb_is_refused_before_it_is_unpacked() {
    let zeros = vec![b' '; 32 << 20];
    let error = open(&zip(&[("trace.trace", &zeros)])).map(|_| ()).expect_err("an error").to_string();
    assert!(error.contains("the trace is refused: more than"), "{error}");
}

#[test]
fn every_limit_is_kept() {
    let events = events(r#"["HTML",{},["BODY",{},"a","b","c"]]"#);
    let archive = zip(&[("trace.trace", events.as_bytes()), ("x", b"")]);
    let check = |limits: Limits, what: &str| {
        let opened = open_with(&archive, limits);
        let error = opened.and_then(|trace| {
            let action = trace.failing_action().expect("the call");
            trace.dom(action, When::Last).map(|dom| dom.len())
        });
        let error = error.expect_err(what).to_string();
        assert!(error.contains(what), "{what}: {error}");
    };
    check(Limits { entries: 1, ..Limits::default() }, "parts in one archive");
    check(Limits { total_bytes: 100, ..Limits::default() }, "unpacked bytes in one part");
    check(Limits { line_bytes: 100, ..Limits::default() }, "bytes in one event");
    check(Limits { actions: 0, ..Limits::default() }, "calls");
    check(Limits { snapshots: 0, ..Limits::default() }, "page snapshots");
    check(Limits { kept_bytes: 100, ..Limits::default() }, "bytes of events");
    check(Limits { nodes: 4, ..Limits::default() }, "nodes in one page");
    check(Limits { page_bytes: 20, ..Limits::default() }, "bytes in one page");
    check(Limits { depth: 1, ..Limits::default() }, "levels in one page");
}

#[test]
fn names_that_lead_outside_are_only_names() {
    let outside = tempfile::tempdir().expect("a folder");
    let secret = outside.path().join("secret.css");
    fs::write(&secret, "secret").expect("a file");
    let archive = zip(&[
        ("../../evil.trace", events(r#"["HTML"]"#).as_bytes()),
        ("/tmp/evil.network", b""),
        ("C:\\evil.trace", b""),
        ("resources/../../x", b"x"),
    ]);
    let trace = open(&archive).expect("a trace");
    assert!(trace.failing_action().is_some());
    for name in ["/etc/passwd", "../secret.css", secret.to_str().expect("a path"), "resources/../../../x"] {
        assert!(matches!(trace.part(name), Err(TraceError::NoEntry(_))), "{name}");
    }
    let left: Vec<_> = fs::read_dir(outside.path()).expect("a folder").collect();
    assert_eq!(left.len(), 1, "nothing was unpacked");
}

#[test]
fn an_unpacked_folder_shows_nothing_outside_it() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("trace.trace"), events(r#"["HTML"]"#)).expect("a file");
    fs::create_dir(folder.path().join("resources")).expect("a folder");
    fs::write(folder.path().join("resources/a.css"), "a").expect("a file");
    std::os::unix::fs::symlink("/etc/hostname", folder.path().join("resources/link.css")).expect("a link");
    let trace = Trace::open(folder.path()).expect("a trace");
    assert!(trace.failing_action().is_some());
    assert_eq!(trace.part("resources/a.css").expect("a part"), b"a");
    for name in ["resources/link.css", "resources/../trace.trace", "/etc/hostname"] {
        assert!(matches!(trace.part(name), Err(TraceError::NoEntry(_))), "{name}");
    }
}

#[test]
fn a_newer_format_is_read_as_far_as_it_goes_and_says_so() {
    let newer = events(r#"["HTML",{},["BODY",{"__playwright_new_":"x"},"text",{"future":1}]]"#)
        .replace(r#""version":10"#, r#""version":99,"novelty":{"deep":[1]}"#);
    let trace = open_events(&format!("{newer}\n{{\"type\":\"hologram\",\"data\":[{{}}]}}"));
    assert_eq!(trace.info.version, Some(99));
    assert_eq!(trace.notes.len(), 1, "{:?}", trace.notes);
    assert!(trace.notes[0].contains("format 99, newer than any"), "{:?}", trace.notes);
    let action = trace.failing_action().expect("the call");
    assert_eq!(action.selector.as_deref(), Some("#gone"));
    assert_eq!(trace.dom(action, When::Last).expect("a page").len(), 4);
}

#[test]
fn damaged_lines_are_passed_over_and_counted() {
    let trace = open_events(&format!(
        "{}\n{{\"type\":\"before\",\n\u{0}\n[]\n{{\"type\":\"log\",\"callId\":",
        events(r#"["HTML"]"#)
    ));
    assert_eq!(trace.notes, ["3 lines of the trace could not be read"]);
    assert!(trace.failing_action().is_some());
}

#[test]
fn a_page_may_nest_deeper_than_a_call_stack() {
    let nested = |depth: usize| format!("{}\"x\"{}", r#"["DIV",{},"#.repeat(depth), "]".repeat(depth));
    assert_eq!(page(&nested(3_000)), Ok(3_002));
    assert_eq!(page(&nested(200_000)), Err("the trace is refused: more than 5000 levels in one page".to_owned()));
    // Parameters are not descended into at all.
    let deep = format!("{}1{}", "[".repeat(300_000), "]".repeat(300_000));
    let trace =
        open_events(&events(r#"["HTML"]"#).replace(r#""strict":true"#, &format!(r#""strict":true,"arg":{deep}"#)));
    assert!(trace.failing_action().is_some_and(|action| action.strict));
}

#[test]
fn references_that_multiply_are_refused() {
    // Each level holds the level below twice.
    let mut html = r#"["HTML",{},["B"]"#.to_owned();
    for level in 0..60 {
        write!(html, r#",["B",{{}},[[0,{level}]],[[0,{level}]]]"#).expect("a string");
    }
    html += "]";
    let refusal = |html: &str, limits: Limits| {
        let trace = open_with(&zip(&[("trace.trace", events(html).as_bytes())]), limits).expect("a trace");
        trace.dom(trace.failing_action().expect("the call"), When::Last).expect_err("an error").to_string()
    };
    let limits = Limits { nodes: 100_000, ..Limits::default() };
    assert_eq!(refusal(&html, limits), "the trace is refused: more than 100000 nodes in one page");
    // The same, inside something that is not part of the page.
    let dropped = html.replacen(r#"["HTML",{},"#, r#"["HTML",{},["template",{"__playwright_style_sheet_":""}"#, 1);
    let dropped = dropped.replacen(
        r#"["template",{"__playwright_style_sheet_":""}["B"]"#,
        r#"["template",{"__playwright_style_sheet_":""},["B"]"#,
        1,
    );
    let dropped = format!("{dropped}]");
    let limits = Limits { page_bytes: 1 << 20, ..Limits::default() };
    assert_eq!(refusal(&dropped, limits), "the trace is refused: more than 1048576 bytes in one page");
}

#[test]
fn references_that_lead_nowhere_are_refused() {
    for (html, error) in [
        (r#"["HTML",{},[[0,1]]]"#, "it refers to nodes that an earlier snapshot does not have"),
        (r#"["HTML",{},[[5,0]]]"#, "it refers to a snapshot before the first one"),
        (r#"["HTML",{},[[4294967295,4294967295]]]"#, "it refers to a snapshot before the first one"),
        (r#"["HTML",{},[[-1,0]]]"#, "its text is not a tree of nodes"),
        (r#"["HTML",{},[["x",0]]]"#, "its text is not a tree of nodes"),
        (r#"["HTML",{},[[0]]]"#, "its text is not a tree of nodes"),
    ] {
        assert_eq!(page(html), Err(format!("a page snapshot of the trace is damaged: {error}")), "{html}");
    }
    // A node that stands inside itself.
    let error = page(r#"["HTML",{},["A",{},[[0,0]]]]"#).expect_err("a ring");
    assert!(error.contains("levels in one page"), "{error}");
}

#[test]
fn what_is_no_node_renders_nothing() {
    for html in ["null", "7", "{}", "[]", r#"["HTML",null,null,3,{},[],true]"#, r#"["HTML",["BODY"]]"#, r#""text""#] {
        assert!(page(html).is_ok(), "{html}: {:?}", page(html));
    }
}

#[test]
fn a_style_sheet_that_is_missing_or_too_large_is_unknown_and_the_page_is_not() {
    let html =
        r#"["HTML",{},["LINK",{"rel":"stylesheet","href":"/a.css"}],["LINK",{"rel":"stylesheet","href":"/b.css"}]]"#;
    let loaded = |name: &str| {
        format!(
            r#"{{"type":"resource-snapshot","snapshot":{{"request":{{"url":"http://a.test/{name}.css"}},"response":{{"status":200,"content":{{"mimeType":"text/css","_file":"resources/{name}.css"}}}}}}}}"#
        )
    };
    let sheets = |limits: Limits, parts: &[(&str, &[u8])]| {
        let network = [loaded("a"), loaded("b")].join("\n");
        let events = events(html)
            .replace(r#""isMainFrame":true"#, r#""viewport":{"width":400,"height":300},"isMainFrame":true"#);
        let own: [(&str, &[u8]); 2] = [("trace.trace", events.as_bytes()), ("trace.network", network.as_bytes())];
        let trace = open_with(&zip(&[&own, parts].concat()), limits).expect("a trace");
        let dom = trace.dom(trace.failing_action().expect("the call"), When::Last).expect("a page");
        assert_eq!((dom.viewport.width, dom.viewport.height), (400.0, 300.0));
        let links = dom.nodes().filter_map(|node| dom.element(node)).filter(|element| element.tag == "link");
        links.map(|link| link.stylesheet.clone()).collect::<Vec<_>>()
    };
    let text = |text: &str| Some(text.to_owned());
    let both: [(&str, &[u8]); 2] = [("resources/a.css", b"p{}"), ("resources/b.css", b"a{}")];
    assert_eq!(sheets(Limits::default(), &both), [text("p{}"), text("a{}")]);
    assert_eq!(sheets(Limits::default(), &both[1..]), [None, text("a{}")]);
    assert_eq!(sheets(Limits { resource_bytes: 2, ..Limits::default() }, &both), [None, None]);
    let large = "p{}".repeat(200);
    let limits = || Limits { page_bytes: 500, ..Limits::default() };
    assert_eq!(sheets(limits(), &[("resources/a.css", large.as_bytes()), both[1]]), [None, None]);
}

#[test]
fn half_an_emoji_loses_neither_call_nor_page() {
    let text = events(r#"["HTML",{"title":"\ud83d"},"a \ude00 b"]"#).replace("#gone", "#g\\ud83done");
    let trace = open_events(&text);
    let action = trace.failing_action().expect("the call");
    assert_eq!(action.selector.as_deref(), Some("#g\u{fffd}one"));
    assert_eq!(trace.dom(action, When::Last).expect("a page").len(), 3);
}

#[test]
fn a_blob_report_lists_its_traces_and_opens_one() {
    let report = [
        r#"{"method":"onBlobReportMetadata","params":{"version":2}}"#,
        r#"{"method":"onProject","params":{"project":{"suites":[{"title":"a.spec.js","entries":[{"testId":"t1","title":"one","location":{"file":"a.spec.js","line":3}},{"title":"group","entries":[{"testId":"t2","title":"two","location":{"file":"a.spec.js","line":9}}]}]}]}}}"#,
        r#"{"method":"onAttach","params":{"testId":"t1","resultId":"r1","attachments":[{"name":"trace","path":"resources/1.zip"},{"name":"trace","path":"/etc/passwd"}]}}"#,
        "damaged",
        r#"{"method":"onTestEnd","params":{"test":{"testId":"t1"},"result":{"id":"r1","status":"failed"}}}"#,
        r#"{"method":"onTestEnd","params":{"test":{"testId":"t2"},"result":{"id":"r2","status":"timedOut","attachments":[{"name":"trace","path":"resources/2.zip"}]}}}"#,
    ]
    .join("\n");
    let real = real();
    let blob = zip(&[("report.jsonl", report.as_bytes()), ("resources/1.zip", &real), ("resources/2.zip", b"damaged")]);
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(&blob).expect("its bytes");
    let traces = Trace::in_blob(file.path()).expect("a list");
    let listed: Vec<_> = traces
        .iter()
        .map(|trace| (trace.part.as_str(), trace.title.as_str(), trace.location.clone(), trace.status.as_str()))
        .collect();
    let place = |line| Some(("a.spec.js".to_owned(), line));
    assert_eq!(
        listed,
        [("resources/1.zip", "one", place(3), "failed"), ("resources/2.zip", "two", place(9), "timedOut")]
    );
    assert!(matches!(Trace::open(file.path()), Err(TraceError::SeveralTraces { count: 2, .. })));
    let trace = Trace::open_in_blob(file.path(), &traces[0].part).expect("a trace");
    assert_eq!(trace.failing_action().and_then(|action| action.selector.as_deref()), Some("#submit-btn"));
    assert!(matches!(Trace::open_in_blob(file.path(), &traces[1].part), Err(TraceError::Archive { .. })));
    assert!(matches!(Trace::open_in_blob(file.path(), "../x"), Err(TraceError::NoEntry(_))));
}
