//! What a failing step saw, with the candidates for its element: the service behind `inspect`, for every door onto it.
//!
//! Reads a scene that is already there; runs nothing and edits nothing.

use super::look::{Known, candidates, rank};
use super::record::Candidate;
use super::scene::Scene;
use crate::domain::dom::{Page, text::normalize};
use crate::domain::facts::facts_of;
use crate::domain::fingerprint::Book;
use crate::domain::locator::parse::DEFAULT_TEST_ID_ATTRIBUTE;

/// What a failing step saw, besides its scene.
#[derive(Debug, Clone)]
pub struct Inspected {
    /// The page's title.
    pub title: String,
    /// The ranked elements, best first.
    pub candidates: Vec<Candidate>,
    /// The probability that the element is gone, between 0 and 1.
    pub none_of_these: f64,
}

impl Inspected {
    /// Ranks the elements of `scene` that its locator may mean now.
    pub fn of(scene: &Scene, fingerprints: &Book) -> Self {
        let page = Page::new(&scene.dom);
        let attribute = scene.trace.info.test_id_attribute.as_deref().unwrap_or(DEFAULT_TEST_ID_ATTRIBUTE);
        let seen = facts_of(&page, attribute);
        let broken = scene.links.iter().find(|link| link.count == Some(0)).or(scene.links.last());
        let steps = broken.map(|link| link.steps.clone()).unwrap_or_default();
        let decision = rank(scene, &steps, &page, &seen, Known { attribute, fingerprints });
        Self { title: title(&page), candidates: candidates(&seen, &decision), none_of_these: decision.none }
    }
}

/// The text of the page's `<title>`.
fn title(page: &Page<'_>) -> String {
    let dom = page.dom();
    let title = dom.nodes().find(|&node| dom.element(node).is_some_and(|element| element.is_html("title")));
    let text = title.map(|node| dom.children(node).iter().filter_map(|&child| dom.text(child)).collect::<String>());
    normalize(&text.unwrap_or_default())
}
