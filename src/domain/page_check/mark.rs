//! What a page is known by: its address without what varies, its title, its landmarks and headings.

use std::collections::BTreeSet;

use super::sort::{Sort, sort_of};
use crate::domain::dom::{NodeId, Page};
use crate::domain::identity::{Facts, Visibility, link_path};
use crate::domain::words::squash;

/// So many landmarks and headings are kept.
const MOST: usize = 24;

/// Longest text of one, in characters.
const LONGEST: usize = 80;

/// What a page is known by.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PageMark {
    /// The path of its address without host, query and ids: `/orders/:id`.
    pub path: String,
    /// The title, numbers blanked.
    pub title: String,
    /// Landmarks and headings, numbers blanked, sorted.
    pub landmarks: Vec<String>,
    /// What sort of page it is.
    pub sort: Sort,
}

impl PageMark {
    /// The share of landmarks and headings that two pages have in common, between 0 and 1; 1 where neither has any.
    pub fn likeness(&self, other: &Self) -> f64 {
        let (one, two): (BTreeSet<&String>, BTreeSet<&String>) =
            (self.landmarks.iter().collect(), other.landmarks.iter().collect());
        let all = one.union(&two).count();
        if all == 0 { 1.0 } else { to_f64(one.intersection(&two).count()) / to_f64(all) }
    }

    /// Whether nothing is known of it.
    pub fn is_blank(&self) -> bool {
        self.path.is_empty() && self.title.is_empty() && self.landmarks.is_empty()
    }
}

fn to_f64(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::MAX, f64::from)
}

/// The mark of a page, whose elements' facts are `facts`.
pub fn mark_of<'f>(page: &Page<'_>, facts: impl Iterator<Item = &'f Facts> + Clone) -> PageMark {
    let dom = page.dom();
    let url = dom.main_frame().map(|main| dom.frame(main).url.as_str()).unwrap_or_default();
    let path = page_path(url);
    let title = blanked(&title(page));
    let seen = facts.filter(|facts| facts.visibility != Visibility::Hidden && facts.frame.is_empty());
    let headings = seen.clone().filter(|facts| facts.role == "heading").map(|facts| format!("heading {}", facts.name));
    // Every element repeats the landmarks above it.
    let named: BTreeSet<&str> = seen.clone().flat_map(|facts| &facts.landmarks).map(String::as_str).collect();
    let mut landmarks: Vec<String> =
        named.into_iter().map(blanked).chain(headings.map(|heading| blanked(&heading))).collect();
    landmarks.sort_unstable();
    landmarks.dedup();
    landmarks.truncate(MOST);
    let is_busy = dom.nodes().any(|node| is_busy(page, node));
    let sort = sort_of(&seen.collect::<Vec<_>>(), &PageAbout { url, path: &path, title: &title, is_busy });
    PageMark { path, title, landmarks, sort }
}

/// What of a page is not in its elements' facts.
pub(super) struct PageAbout<'a> {
    pub(super) url: &'a str,
    pub(super) path: &'a str,
    pub(super) title: &'a str,
    /// Whether it says itself that it is still being filled.
    pub(super) is_busy: bool,
}

fn is_busy(page: &Page<'_>, node: NodeId) -> bool {
    page.dom().element(node).is_some_and(|element| element.attribute("aria-busy") == Some("true"))
}

fn title(page: &Page<'_>) -> String {
    let dom = page.dom();
    let title = dom.nodes().find(|&node| dom.element(node).is_some_and(|element| element.is_html("title")));
    let text = title.map(|node| dom.children(node).iter().filter_map(|&child| dom.text(child)).collect::<String>());
    squash(&text.unwrap_or_default())
}

/// A text with each number as `#`: counts and dates differ from run to run. Cut to a length.
fn blanked(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars().take(LONGEST) {
        match c {
            c if c.is_numeric() && out.ends_with('#') => {}
            c if c.is_numeric() => out.push('#'),
            c => out.push(c),
        }
    }
    out
}

/// The path of an address without scheme, host and query values, each part that is an id as `:id`. The fragment stays where
/// it is a route (`#/settings`).
pub fn page_path(url: &str) -> String {
    if !url.contains("://") && !url.starts_with('/') {
        return String::new();
    }
    let whole = link_path(url);
    let (path, fragment) = whole.split_once('#').unwrap_or((&whole, ""));
    let route = fragment.starts_with('/') || fragment.starts_with("!/");
    let fragment = fragment.split('?').next().unwrap_or_default();
    let plain = |text: &str| text.split('/').map(part).collect::<Vec<_>>().join("/");
    if route { format!("{}#{}", plain(path), plain(fragment)) } else { plain(path) }
}

/// A part of a path, or `:id`: numbers, hashes, and long tokens with digits in them.
fn part(text: &str) -> &str {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let hex = text.len() >= 8 && digits > 0 && text.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
    let token = text.len() >= 16 && digits >= 2 && !text.contains(['.', ' ']);
    let number = digits > 0 && text.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | '_' | '.'));
    let encoded = text.contains('%') || text.contains('@') || text.contains('=');
    if hex || token || number || encoded { ":id" } else { text }
}
