//! How fast gate one reads failure texts: all labelled texts of `fixtures/classify`, one after another on one core.

use std::fs;
use std::path::Path;

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use relocator::domain::classify::classify;

fn main() {
    divan::main();
}

/// The texts of the fixtures, in the form `text` or `report_text`, up to the 99th percentile of length.
fn texts(form: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/classify");
    let mut texts = Vec::new();
    for name in [
        "locator_timeout",
        "zero_match_assertion",
        "strict_mode_violation",
        "value_mismatch",
        "navigation_error",
        "unrecognized",
    ] {
        let lines = fs::read_to_string(folder.join(format!("{name}.jsonl"))).unwrap_or_default();
        for line in lines.lines() {
            let record: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
            texts.extend(record[form].as_str().map(str::to_owned));
        }
    }
    assert!(texts.len() > 900, "the fixtures are there");
    texts
}

#[divan::bench(args = ["text", "report_text"])]
fn labelled_texts(bencher: Bencher, form: &str) {
    let texts = texts(form);
    let bytes: usize = texts.iter().map(String::len).sum();
    bencher
        .counter(ItemsCount::new(texts.len()))
        .counter(BytesCount::new(bytes))
        .bench(|| texts.iter().filter(|text| classify(divan::black_box(text)).is_eligible()).count());
}
