//! One file per tool: its arguments, its answer, and the service it calls.

mod check_edit;
mod check_flaky;
mod classify_failure;
mod get_report;
mod heal_test;
mod inspect_failure;
mod seen;
mod suggest_locator;
mod triage_report;
mod undo;
mod view;
mod which_run;

use std::any::Any;
use std::borrow::Cow;
use std::sync::Arc;

use rmcp::handler::server::tool::{schema_for_input, schema_for_output};
use rmcp::model::{JsonObject, Tool as Listed, ToolAnnotations};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::answer::{Answer, Code, Found, Refused};
use super::call::Call;

/// A tool: what it is called, what it takes, what it answers.
trait Tool {
    /// Its name.
    const NAME: &'static str;
    /// Its name for people.
    const TITLE: &'static str;
    /// What it does, when to use it, and what it never does.
    const DESCRIPTION: &'static str;
    /// Whether a source file of the project may change.
    const EDITS: bool;
    /// Its arguments.
    type Input: DeserializeOwned + JsonSchema + Any;
    /// The head of its answer.
    type Head: Serialize + JsonSchema + Any;
    /// What its list holds.
    type Item: Serialize + JsonSchema + Any;

    /// Answers one call. Runs on a thread of its own and may block.
    async fn run(call: &Call, input: Self::Input) -> Result<(Self::Head, Vec<Self::Item>), Refused>;
}

/// A tool as the server holds it.
pub(super) struct Entry {
    /// As it is listed.
    pub(super) listed: Listed,
    /// Its name.
    pub(super) name: &'static str,
    /// Answers one call, to its end, on this thread.
    pub(super) run: fn(&tokio::runtime::Handle, &Call, JsonObject) -> Result<Found, Refused>,
}

/// All tools, in the order in which they are listed.
pub(super) fn all() -> Vec<Entry> {
    vec![
        entry::<triage_report::TriageReport>(),
        entry::<classify_failure::ClassifyFailure>(),
        entry::<inspect_failure::InspectFailure>(),
        entry::<suggest_locator::SuggestLocator>(),
        entry::<heal_test::HealTest>(),
        entry::<check_edit::CheckEdit>(),
        entry::<check_flaky::CheckFlaky>(),
        entry::<get_report::GetReport>(),
        entry::<undo::Undo>(),
    ]
}

/// The argument that every tool takes besides its own.
pub(super) const CURSOR: &str = "cursor";

fn entry<T: Tool>() -> Entry {
    let annotations = ToolAnnotations::from_raw(
        Some(T::TITLE.to_owned()),
        Some(!T::EDITS),
        Some(T::EDITS),
        Some(!T::EDITS),
        Some(false),
    );
    let listed = Listed::new_with_raw(T::NAME, Some(Cow::Borrowed(T::DESCRIPTION)), input_schema::<T::Input>())
        .with_raw_output_schema(schema_for_output::<Answer<T::Head, T::Item>>())
        .with_annotations(annotations);
    Entry { listed, name: T::NAME, run: run::<T> }
}

fn input_schema<I: JsonSchema + Any>() -> Arc<JsonObject> {
    // The inputs are structs: their schemas are objects, which is all that can be refused here.
    let mut schema = schema_for_input::<I>().map(|schema| (*schema).clone()).unwrap_or_default();
    let cursor = json!({
        "type": "string",
        "description": "The next_cursor of an earlier answer of this tool: returns the next page of that answer, without \
                        doing anything again; the other arguments are then not looked at.",
    });
    schema.insert("type".to_owned(), json!("object"));
    let properties = schema.entry("properties").or_insert_with(|| json!({}));
    if let Value::Object(properties) = properties {
        properties.insert(CURSOR.to_owned(), cursor);
    }
    Arc::new(schema)
}

fn run<T: Tool>(runtime: &tokio::runtime::Handle, call: &Call, arguments: JsonObject) -> Result<Found, Refused> {
    let input = serde_json::from_value(Value::Object(arguments))
        .map_err(|error| Refused::new(Code::BadArguments, format!("the arguments do not fit: {error}")))?;
    let (head, items) = runtime.block_on(T::run(call, input))?;
    // Strings, numbers and lists: nothing in an answer can fail to serialise.
    let value = |value: serde_json::Result<Value>| value.unwrap_or_default();
    let items = items.iter().map(|item| value(serde_json::to_value(item))).collect();
    Ok(Found { head: value(serde_json::to_value(&head)), items })
}
