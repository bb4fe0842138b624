//! A red suite as one HTML file that needs nothing else: no script, no request, pictures inside.
//!
//! All foreign text goes through the template's escaping; the style sheet is the only thing that the page's own policy
//! lets in, by its hash.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Value, context};
use serde::Serialize;
use serde_json::Value as Json;
use sha2::{Digest as _, Sha256};

use super::suite::{Asked, Document, OUTCOMES, PictureName};
use super::table;
use crate::error::Error;
use crate::ui::printable;

/// The page.
const PAGE: &str = include_str!("html/suite.html");

/// Its style sheet.
const STYLE: &str = include_str!("html/suite.css");

/// All pictures of one page together have at most this many bytes; the ones of the first groups are shown.
const PICTURES: usize = 24 * 1024 * 1024;

/// Gate one's categories.
const CATEGORIES: [&str; 6] = [
    "locator_timeout",
    "zero_match_assertion",
    "strict_mode_violation",
    "value_mismatch",
    "navigation_error",
    "unrecognized",
];

/// A choice of a filter.
#[derive(Serialize)]
struct Choice {
    name: &'static str,
    count: usize,
}

/// A group as the page shows it.
#[derive(Serialize)]
struct View {
    group: Json,
    extent: String,
    asked: Option<String>,
    since: Option<String>,
    diff: Vec<(&'static str, String)>,
    /// The diffs of the root causes behind it, in their order.
    further: Vec<Vec<(&'static str, String)>>,
    before: Option<Shown>,
    after: Option<Shown>,
}

/// A picture as the page shows it.
#[derive(Serialize)]
struct Shown {
    data: String,
    element: Option<super::suite::Boxed>,
}

/// The page for `document`; `picture` has the file of a picture by its name.
///
/// # Errors
/// The template does not fit the document.
pub fn html(document: &Document, pictures: &BTreeMap<String, Vec<u8>>) -> Result<String, Error> {
    let mut room = PICTURES;
    let mut shown = |name: Option<&PictureName>| {
        let name = name?;
        let bytes = pictures.get(&name.name)?;
        room = room.checked_sub(bytes.len())?;
        let kind = if name.name.ends_with("png") { "png" } else { "jpeg" };
        Some(Shown { data: format!("data:image/{kind};base64,{}", STANDARD.encode(bytes)), element: name.element })
    };
    let views: Vec<View> = document
        .groups
        .iter()
        .map(|group| View {
            extent: group.extent(),
            asked: group.repair.as_ref().and_then(|repair| repair.model.as_ref()).map(asked),
            since: group.first_bad.as_ref().map(|since| printable(&since.to_string())),
            diff: group.repair.as_ref().and_then(|repair| repair.diff.as_deref()).map(diff).unwrap_or_default(),
            further: group
                .repair
                .iter()
                .flat_map(|repair| &repair.further)
                .map(|further| further.repair.diff.as_deref().map(diff).unwrap_or_default())
                .collect(),
            before: shown(group.evidence.picture.as_ref()),
            after: shown(group.repair.as_ref().and_then(|repair| repair.picture.as_ref())),
            group: visible(serde_json::to_value(group).unwrap_or_default()),
        })
        .collect();
    let choices = |names: &[&'static str], count: &dyn Fn(&str) -> usize| -> Vec<Choice> {
        names.iter().map(|&name| Choice { name, count: count(name) }).filter(|choice| choice.count > 0).collect()
    };
    let by_category = |name: &str| document.groups.iter().filter(|group| group.category == name).count();
    let context = context! {
        summary => table::summary(document).lines().map(str::to_owned).collect::<Vec<_>>(),
        groups => Value::from(Serde(&views)),
        outcomes => Value::from(Serde(choices(&OUTCOMES, &|name| document.count(name)))),
        categories => Value::from(Serde(choices(&CATEGORIES, &by_category))),
        notes => document.notes.iter().map(|note| printable(note)).collect::<Vec<_>>(),
        redactions => document.redactions,
        version => printable(&document.tool.version),
        playwright => printable(&document.playwright.join(", ")),
        style => format!("{STYLE}{}", filters()),
        hash => STANDARD.encode(Sha256::digest(format!("{STYLE}{}", filters()))),
    };
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    let rendered = environment.render_str(PAGE, context);
    rendered.map_err(|error| Error::internal("cannot write the HTML report").caused_by(&error))
}

/// The rules that hide what a chosen filter leaves out.
fn filters() -> String {
    let mut rules = String::new();
    for (kind, names) in [("outcome", OUTCOMES.as_slice()), ("category", CATEGORIES.as_slice())] {
        for name in names {
            _ = writeln!(
                rules,
                "body:has(#{kind}-{name}:checked) .group:not([data-{kind}=\"{name}\"]) {{ display: none; }}"
            );
        }
    }
    rules
}

/// What a model was asked, in words.
fn asked(model: &Asked) -> String {
    format!("{} was asked: {}", printable(&model.name), model.spent())
}

/// The lines of a diff with what each is.
fn diff(text: &str) -> Vec<(&'static str, String)> {
    let kind = |line: &str| match line.as_bytes().first() {
        _ if line.starts_with("+++") || line.starts_with("---") || line.starts_with("@@") => "head",
        Some(b'+') => "add",
        Some(b'-') => "del",
        _ => "same",
    };
    text.lines().map(|line| (kind(line), printable(line))).collect()
}

/// `value` with nothing in its texts that could show a line as something else than it is.
fn visible(value: Json) -> Json {
    match value {
        Json::String(text) => Json::String(printable(&text)),
        Json::Array(items) => Json::Array(items.into_iter().map(visible).collect()),
        Json::Object(fields) => Json::Object(fields.into_iter().map(|(name, value)| (name, visible(value))).collect()),
        other => other,
    }
}
