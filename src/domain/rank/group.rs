//! Nested and overlapping nodes are one element: which candidates belong together.

use super::prepared::{Prepared, overlap};

/// From this overlap on, a node and the one around it are one element to the eye.
const SAME_BOX: f64 = 0.33;

/// For each candidate the number of its group: the index of the group's outermost node.
pub(super) fn groups(candidates: &[Prepared<'_>]) -> Vec<usize> {
    let mut groups: Vec<usize> = Vec::with_capacity(candidates.len());
    for (at, candidate) in candidates.iter().enumerate() {
        let around = candidate.facts.parent.filter(|&parent| parent < at);
        let outer = around.and_then(|parent| candidates.get(parent).map(|outer| (parent, outer)));
        let group = outer.filter(|(_, outer)| one_element(outer, candidate)).and_then(|(parent, _)| groups.get(parent));
        groups.push(group.copied().unwrap_or(at));
    }
    groups
}

/// Whether a node and the nearest candidate around it are one element.
fn one_element(outer: &Prepared<'_>, inner: &Prepared<'_>) -> bool {
    match outer.facts.bounds.zip(inner.facts.bounds) {
        Some((a, b)) => overlap(a, b) >= SAME_BOX,
        None => outer.said == inner.said,
    }
}
