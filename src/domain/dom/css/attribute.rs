//! Tests of attributes.

use super::selector::{AttributeOp, AttributeTest};
use crate::domain::dom::{Element, Namespace};

/// Whether a snapshot does not tell if a selector finds this attribute: where a frame's content came from, and what the
/// parser puts into a namespace of its own but a script need not.
pub(super) fn is_lost(element: &Element, attribute: &str) -> bool {
    let foreign = element.namespace != Namespace::Html;
    let prefixed = || ["xmlns", "xlink:", "xml:"].iter().any(|prefix| attribute.starts_with(prefix));
    (foreign && prefixed() && element.attribute(attribute).is_some())
        || (element.is_html("iframe") && matches!(attribute, "src" | "srcdoc" | "sandbox"))
        || (element.is_html("frame") && attribute == "src")
}

pub(super) fn has_word(text: &str, word: &str) -> bool {
    text.split([' ', '\t', '\n', '\u{c}', '\r']).any(|found| found == word)
}

pub(super) fn matches(element: &Element, test: &AttributeTest) -> bool {
    let html = element.namespace == Namespace::Html;
    let Some(actual) = element.attribute(if html { &test.lower } else { &test.written }) else { return false };
    let ignore_case = test.ignore_case.unwrap_or_else(|| html && VALUES_WITHOUT_CASE.contains(&test.lower.as_str()));
    let (actual, wanted) = if ignore_case {
        (actual.to_ascii_lowercase(), test.value.to_ascii_lowercase())
    } else {
        (actual.to_owned(), test.value.clone())
    };
    let (actual, wanted) = (actual.as_str(), wanted.as_str());
    match test.op {
        AttributeOp::Exists => true,
        AttributeOp::Equals => actual == wanted,
        AttributeOp::Contains => !wanted.is_empty() && actual.contains(wanted),
        AttributeOp::Prefix => !wanted.is_empty() && actual.starts_with(wanted),
        AttributeOp::Suffix => !wanted.is_empty() && actual.ends_with(wanted),
        AttributeOp::DashPrefix => {
            actual.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        }
        AttributeOp::Word => !wanted.is_empty() && has_word(actual, wanted),
    }
}

/// The HTML attributes whose values selectors compare without case (HTML standard, "case-sensitivity of selectors").
const VALUES_WITHOUT_CASE: [&str; 46] = [
    "accept",
    "accept-charset",
    "align",
    "alink",
    "axis",
    "bgcolor",
    "charset",
    "checked",
    "clear",
    "codetype",
    "color",
    "compact",
    "declare",
    "defer",
    "dir",
    "direction",
    "disabled",
    "enctype",
    "face",
    "frame",
    "hreflang",
    "http-equiv",
    "lang",
    "language",
    "link",
    "media",
    "method",
    "multiple",
    "nohref",
    "noresize",
    "noshade",
    "nowrap",
    "readonly",
    "rel",
    "rev",
    "rules",
    "scope",
    "scrolling",
    "selected",
    "shape",
    "target",
    "text",
    "type",
    "valign",
    "valuetype",
    "vlink",
];
