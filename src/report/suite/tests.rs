use super::{Document, SCHEMA};

/// The schema as the types say it. Committed, so that a change of the shape is seen in review; written with `RELOCATOR_BLESS=1`.
#[test]
fn the_committed_schema_is_that_of_the_document() {
    let schema = serde_json::to_string_pretty(&schemars::schema_for!(Document)).unwrap() + "\n";
    if std::env::var_os("RELOCATOR_BLESS").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/report/schema/suite.json");
        std::fs::write(path, &schema).unwrap();
        return;
    }
    assert_eq!(schema, SCHEMA, "run the test with RELOCATOR_BLESS=1");
}
