//! Real locators of public suites, read in place: what share of them the parser understands.

use std::path::PathBuf;

use relocator::domain::locator::Locator;
use relocator::domain::locator::parse::DEFAULT_TEST_ID_ATTRIBUTE;

/// Where the labelled data lies: `RELOCATOR_DATA`, or beside the checkout.
fn data() -> PathBuf {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data");
    std::env::var_os("RELOCATOR_DATA").map_or_else(|| PathBuf::from(beside), PathBuf::from)
}

/// Source that no reader of one expression can know: a variable, a call of the suite's own, a substitution, an element
/// handle; or that was cut off where the data was mined.
fn is_beyond_one_expression(error: &str, source: &str) -> bool {
    error.contains("not a literal")
        || error.contains("is not a method of a locator")
        || error.contains("no end")
        || error.contains("ends too early")
        // `locator(…), 'second argument of the assertion'`: mined past the end of the locator.
        || error.contains("unexpected `,`")
        || !source.contains('(')
}

#[test]
fn every_literal_locator_of_real_suites_is_read() {
    let path = data().join("reprobreak/locator_changes.jsonl");
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!("SKIPPED: {} is absent; set RELOCATOR_DATA", path.display());
        return;
    };
    let (mut read, mut computed, mut failed) = (0, 0, Vec::new());
    for line in text.lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        if row["framework"] != "playwright" {
            continue;
        }
        for side in ["old", "new"] {
            let source = row[side].as_str().unwrap();
            match Locator::from_source(source, DEFAULT_TEST_ID_ATTRIBUTE) {
                Ok(_) => read += 1,
                Err(error) if is_beyond_one_expression(&error.to_string(), source) => computed += 1,
                Err(error) => failed.push(format!("{error}: {source}")),
            }
        }
    }
    for failure in &failed {
        println!("{failure}");
    }
    println!("{read} read, {computed} not literal or cut off, {} failed", failed.len());
    let literal = read + failed.len();
    assert!(read * 1000 >= literal * 995, "{read} of {literal}\n{}", failed.join("\n"));
}
