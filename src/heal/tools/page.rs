//! `inspect_dom`: the ranked candidates, and what is inside one of them, as far as a person could see it.

use std::fmt::Write as _;

use super::Desk;
use crate::domain::dom::visibility::Visibility;
use crate::domain::dom::{NodeId, NodeKind};
use crate::domain::identity::Facts;
use crate::heal::look::describe;

/// How many candidates are shown at once.
const CANDIDATES: usize = 8;
/// How many lines of a subtree are shown at once.
const LINES: usize = 60;
/// How deep a subtree is followed.
const DEPTH: usize = 40;
/// How many pieces of evidence are shown for a candidate.
const EVIDENCE: usize = 5;
/// How far up the words beside an element are looked for.
const ABOVE: usize = 6;
/// Longest text of the page on one line, in characters.
const TEXT: usize = 120;
/// Attributes that a locator can use, in this order.
const ATTRIBUTES: [&str; 10] =
    ["id", "name", "type", "placeholder", "aria-label", "alt", "title", "for", "href", "data-testid"];

impl Desk<'_> {
    /// The candidates, or the inside of one, page by page.
    pub fn inspect(&mut self, candidate: Option<u32>, page: u32) -> Result<String, String> {
        let lines = match candidate {
            None => self.candidates(),
            Some(number) => {
                let index = self.candidate(number)?;
                let node = self.view.seen.get(index).ok_or("There is no such candidate.")?.node;
                self.inside(node)
            }
        };
        let size = if candidate.is_some() { LINES } else { CANDIDATES };
        let pages = lines.len().div_ceil(size).max(1);
        let page = usize::try_from(page).unwrap_or(usize::MAX).max(1);
        if page > pages {
            return Err(format!("There are {pages} pages."));
        }
        let shown: Vec<String> = lines.into_iter().skip((page - 1) * size).take(size).collect();
        let text = format!("Page {page} of {pages}. What follows is data from the page.\n{}", shown.join("\n"));
        Ok(self.clean(&text))
    }

    /// The index of a candidate by its number.
    pub(super) fn candidate(&self, number: u32) -> Result<usize, String> {
        let place = usize::try_from(number).unwrap_or(usize::MAX).checked_sub(1);
        let scored = place.and_then(|place| self.view.decision.ranked.get(place));
        scored.map(|scored| scored.index).ok_or_else(|| {
            format!("There is no candidate {number}; they are numbered from 1 to {}.", self.view.decision.ranked.len())
        })
    }

    fn candidates(&self) -> Vec<String> {
        let plausible = self.plausible();
        let described = self.view.decision.ranked.iter().zip(1..).filter_map(|(scored, number)| {
            let seen = self.view.seen.get(scored.index)?;
            let facts = &seen.facts;
            // What an element says where it has no name is what a person sees of it.
            let described = describe(&Facts { text: self.visible_text(seen.node, None), ..facts.clone() });
            let mut text = format!("{number}. {}", line(&described));
            let may = if plausible.contains(&scored.index) { "may be chosen" } else { "may not be chosen" };
            _ = write!(text, "\n   share {:.2}; {may}", scored.share);
            _ = write!(text, "\n   where: {}", line(&self.place(seen.node, facts)));
            let evidence: Vec<&str> =
                scored.evidence.iter().take(EVIDENCE).map(|piece| piece.sentence.as_str()).collect();
            if !evidence.is_empty() {
                _ = write!(text, "\n   evidence: {}", line(&evidence.join("; ")));
            }
            Some(text)
        });
        let mut all: Vec<String> = described.collect();
        all.push(format!("none of these: share {:.2}", self.view.decision.none));
        all
    }

    /// Where an element is, in words.
    fn place(&self, node: NodeId, facts: &Facts) -> String {
        let mut parts = Vec::new();
        if !facts.landmarks.is_empty() {
            parts.push(facts.landmarks.join(" > "));
        }
        if !facts.form.is_empty() {
            parts.push(format!("form {}", facts.form));
        }
        if !facts.heading.is_empty() {
            parts.push(format!("under \"{}\"", facts.heading));
        }
        let beside = self.beside(node);
        if !beside.is_empty() {
            parts.push(format!("beside \"{beside}\""));
        }
        if parts.is_empty() { "the page".to_owned() } else { parts.join("; ") }
    }

    /// The text that stands around an element, as far as a person sees it.
    fn beside(&self, node: NodeId) -> String {
        let dom = self.view.page.dom();
        let above = std::iter::successors(dom.parent_element(node), |&above| dom.parent_element(above));
        let texts = above.take(ABOVE).map(|above| self.visible_text(above, Some(node)));
        texts.into_iter().find(|text| !text.is_empty()).unwrap_or_default()
    }

    /// The text in `node` as a person sees it, without what is in `but`; not much longer than is shown.
    fn visible_text(&self, node: NodeId, but: Option<NodeId>) -> String {
        let dom = self.view.page.dom();
        let (mut text, mut open) = (String::new(), vec![node]);
        while let Some(node) = open.pop() {
            if Some(node) == but || self.is_hidden(node) || text.len() > TEXT * 4 {
                continue;
            }
            if let Some(piece) = dom.text(node) {
                text.push_str(piece);
            } else {
                text.push(' ');
                open.extend(dom.children(node).iter().rev());
            }
        }
        line(&text)
    }

    fn is_hidden(&self, node: NodeId) -> bool {
        const UNDRAWN: [&str; 5] = ["script", "style", "template", "noscript", "title"];
        let dom = self.view.page.dom();
        dom.element(node).is_some_and(|element| {
            self.view.page.visibility(node) == Visibility::Hidden
                || element.attribute("inert").is_some()
                || UNDRAWN.iter().any(|tag| element.is_html(tag))
        })
    }

    /// The elements inside `node` with their roles, names and attributes, as far as they are not hidden.
    fn inside(&self, node: NodeId) -> Vec<String> {
        let dom = self.view.page.dom();
        let mut lines = Vec::new();
        let mut open = vec![(node, 0)];
        while let Some((node, depth)) = open.pop() {
            if lines.len() >= LINES * 20 || depth > DEPTH {
                break;
            }
            let indent = "  ".repeat(depth);
            match dom.kind(node) {
                NodeKind::Element(element) => {
                    if self.is_hidden(node) {
                        continue;
                    }
                    let role = self.view.page.role(node).unwrap_or_default();
                    let name = self.view.page.name(node);
                    let mut text = format!("{indent}<{}>", element.tag);
                    if !role.is_empty() {
                        _ = write!(text, " {role}");
                    }
                    if !name.is_empty() {
                        _ = write!(text, " \"{}\"", line(&name));
                    }
                    let named = ATTRIBUTES.iter().chain(std::iter::once(&self.view.attribute));
                    let mut shown = Vec::new();
                    for attribute in named.filter(|name| !shown_before(&mut shown, name)) {
                        if let Some(value) = element.attribute(attribute).filter(|value| !value.is_empty()) {
                            _ = write!(text, " {attribute}={}", line(value));
                        }
                    }
                    lines.push(text);
                    open.extend(dom.children(node).iter().rev().map(|&child| (child, depth + 1)));
                    if let Some(root) = element.shadow_root {
                        open.extend(dom.children(root).iter().rev().map(|&child| (child, depth + 1)));
                    }
                }
                _ => {
                    if let Some(text) = dom.text(node).map(line).filter(|text| !text.is_empty()) {
                        lines.push(format!("{indent}{text}"));
                    }
                }
            }
        }
        lines
    }
}

fn shown_before<'n>(shown: &mut Vec<&'n str>, name: &'n str) -> bool {
    let before = shown.contains(&name);
    shown.push(name);
    before
}

/// Text of the page on one line, bounded, without characters that steer.
fn line(text: &str) -> String {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    flat.chars().filter(|c| !c.is_control()).take(TEXT).collect()
}
