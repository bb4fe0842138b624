//! The accessible description.

use super::Place;
use super::name::Context;
use crate::domain::dom::{NodeId, Page, text};

impl Page<'_> {
    /// The accessible description: `aria-describedby`, else `aria-description`, else `title`; white space normalised.
    pub fn description(&self, node: NodeId, include_hidden: bool) -> String {
        if let Some(ids) = self.attribute(node, "aria-describedby") {
            let parts: Vec<String> = self
                .id_refs(node, Some(ids))
                .into_iter()
                .map(|reference| {
                    let place = Place { hidden: self.is_hidden_for_aria(reference) };
                    self.alternative(reference, &Context::described(include_hidden, place))
                })
                .collect();
            return text::normalize(&parts.join(" "));
        }
        let own = self.attribute(node, "aria-description").or_else(|| self.attribute(node, "title"));
        text::normalize(own.unwrap_or_default())
    }
}
