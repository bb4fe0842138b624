//! A stale selector with one of its conditions dropped, in every way: what nearly fits says which element was meant where
//! drift has taken one class, one attribute or the tag.
//!
//! Pure text. Says nothing about pages.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::lost::last_compound;

/// A condition of a compound: an id, a class, an attribute, or the tag at its start.
static CONDITION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^[a-zA-Z][\w-]*|#(?:[\w-]|\\.|[^\x00-\x7f])+|\.(?:[\w-]|\\.|[^\x00-\x7f])+|\[[^\]]*\]").ok()
});

/// The CSS selectors that have all conditions of `css` but one: of the element itself, or what stands around it. Positions
/// are never kept alone: an element that took another's place is not the other.
pub fn relaxed(css: &str) -> Vec<String> {
    let last = last_compound(css);
    let Some(head) = css.trim().strip_suffix(last) else { return Vec::new() };
    // A pseudo-class such as `:nth-child(2)` says where, not what.
    if last.contains(':') || css.contains(',') || css.contains(">>") {
        return Vec::new();
    }
    let Some(regex) = CONDITION.as_ref() else { return Vec::new() };
    let conditions: Vec<Range<usize>> = regex.find_iter(last).map(|found| found.range()).collect();
    let telling = |text: &str| !text.starts_with(|c: char| c.is_ascii_alphabetic());
    let without = |range: &Range<usize>| {
        let rest = [last.get(..range.start)?, last.get(range.end..)?].concat();
        // What is left must be more than a tag, unless what is around it says more.
        let says = !rest.is_empty() && (telling(&rest) || !head.is_empty());
        says.then(|| format!("{head}{rest}"))
    };
    let mut out: Vec<String> = conditions.iter().filter_map(without).collect();
    if !head.is_empty() && conditions.len() >= 2 {
        out.push(last.to_owned());
    }
    // A wrapper in between leaves a child a descendant.
    if head.contains('>') {
        let loose: Vec<String> = out.iter().map(|css| css.replace('>', " ")).collect();
        out.push(css.replace('>', " "));
        out.extend(loose);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::relaxed;

    #[test]
    fn every_condition_is_dropped_once() {
        for (css, expected) in [
            ("form button[type=\"submit\"]", vec!["form [type=\"submit\"]", "form button", "button[type=\"submit\"]"]),
            (".tools .btn.btn-primary", vec![".tools .btn-primary", ".tools .btn", ".btn.btn-primary"]),
            ("a#alerts", vec!["#alerts"]),
            ("div > a.b", vec!["div > .b", "div > a", "a.b", "div   a.b", "div   .b", "div   a", "a.b"]),
            ("#alerts", vec![]),
            ("li:nth-child(2) a.edit", vec!["li:nth-child(2) .edit", "li:nth-child(2) a", "a.edit"]),
            ("ul > li:nth-child(2)", vec![]),
        ] {
            assert_eq!(relaxed(css), expected, "{css}");
        }
    }
}
