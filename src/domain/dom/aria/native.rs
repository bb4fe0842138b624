//! What HTML and SVG themselves say about names: values of controls, labels, legends, captions, alternative texts.

use super::Place;
use super::name::{Context, is_blank};
use crate::domain::dom::{Element, Namespace, NodeId, Page, form, text};

impl Page<'_> {
    /// A control inside a name contributes its value.
    pub(super) fn embedded_value(
        &self,
        node: NodeId,
        element: &Element,
        role: &str,
        context: &Context<'_>,
    ) -> Option<String> {
        let tag = form::tag(element);
        let value = match role {
            "textbox" | "searchbox" => {
                context.visit(node);
                match tag.as_str() {
                    "input" => form::value(element).to_owned(),
                    "textarea" => self.textarea_value(node, element),
                    _ => text::text_content(self.dom, node),
                }
            }
            "combobox" | "listbox" => {
                context.visit(node);
                let chosen = self.chosen_options(node, element, role);
                if chosen.is_empty() && tag == "input" {
                    return Some(form::value(element).to_owned());
                }
                let parts: Vec<String> =
                    chosen.into_iter().map(|option| self.alternative(option, &context.child())).collect();
                parts.join(" ")
            }
            "progressbar" | "scrollbar" | "slider" | "spinbutton" | "meter" => {
                context.visit(node);
                ["aria-valuetext", "aria-valuenow", "value"]
                    .iter()
                    .find_map(|name| element.attribute(name))
                    .unwrap_or_default()
                    .to_owned()
            }
            "menu" => {
                context.visit(node);
                String::new()
            }
            _ => return None,
        };
        Some(value)
    }

    fn textarea_value(&self, node: NodeId, element: &Element) -> String {
        element.value.clone().unwrap_or_else(|| text::text_content(self.dom, node))
    }

    fn chosen_options(&self, node: NodeId, element: &Element, role: &str) -> Vec<NodeId> {
        if form::tag(element) == "select" {
            let options = form::options(self.dom, node);
            let selected: Vec<NodeId> =
                options.iter().filter(|option| form::is_selected(self.dom, **option)).copied().collect();
            return if selected.is_empty() { options.into_iter().take(1).collect() } else { selected };
        }
        let list_box = if role == "combobox" {
            self.owned_elements(node).into_iter().find(|element| self.role(*element) == Some("listbox"))
        } else {
            Some(node)
        };
        let Some(list_box) = list_box else { return Vec::new() };
        let mut options = self.owned_elements(list_box);
        options.retain(|option| {
            let selected =
                self.attribute(*option, "aria-selected").is_some_and(|value| value.eq_ignore_ascii_case("true"));
            selected && self.role(*option) == Some("option")
        });
        options
    }

    /// The elements below `node` and below what it owns by `aria-owns`.
    fn owned_elements(&self, node: NodeId) -> Vec<NodeId> {
        let mut elements = self.tree.descendants(node).to_vec();
        for owned in self.id_refs(node, self.attribute(node, "aria-owns")) {
            elements.push(owned);
            elements.extend_from_slice(self.tree.descendants(owned));
        }
        elements
    }

    fn name_from_labels(&self, labels: &[NodeId], context: &Context<'_>) -> String {
        let parts: Vec<String> = labels
            .iter()
            .map(|label| {
                let place = Place { hidden: self.is_hidden_for_aria(*label) };
                self.alternative(*label, &context.referenced(None, Some(place)))
            })
            .filter(|name| !name.is_empty())
            .collect();
        parts.join(" ")
    }

    /// What HTML and SVG themselves say about the element's name; `None` to go on with its content.
    pub(super) fn native_name(
        &self,
        node: NodeId,
        element: &Element,
        labelled: bool,
        context: &Context<'_>,
    ) -> Option<String> {
        let tag = form::tag(element);
        let title = || element.attribute("title").unwrap_or_default().to_owned();
        let labels = self.labels(node);
        match tag.as_str() {
            "input" if matches!(form::input_type(element), "button" | "submit" | "reset" | "file" | "image") => {
                context.visit(node);
                Some(self.input_button_name(element, labels, context))
            }
            "button" if !labelled => {
                context.visit(node);
                (!labels.is_empty()).then(|| self.name_from_labels(labels, context))
            }
            "output" | "textarea" | "select" | "input" | "meter" | "progress" if !labelled => {
                context.visit(node);
                if !labels.is_empty() {
                    return Some(self.name_from_labels(labels, context));
                }
                let title = title();
                if title.is_empty() && takes_placeholder(element) {
                    return Some(element.attribute("placeholder").unwrap_or_default().to_owned());
                }
                Some(title)
            }
            "fieldset" if !labelled => {
                context.visit(node);
                Some(self.name_from_child(node, "legend", context).unwrap_or_else(title))
            }
            "figure" if !labelled => {
                context.visit(node);
                Some(self.name_from_child(node, "figcaption", context).unwrap_or_else(title))
            }
            "img" | "area" => {
                context.visit(node);
                let alt = element.attribute("alt").filter(|alt| !is_blank(alt));
                Some(alt.map_or_else(title, str::to_owned))
            }
            "table" => {
                context.visit(node);
                self.name_from_child(node, "caption", context)
                    .or_else(|| element.attribute("summary").filter(|summary| !summary.is_empty()).map(str::to_owned))
            }
            _ => self.svg_name(node, &tag, element, context),
        }
    }

    fn input_button_name(&self, element: &Element, labels: &[NodeId], context: &Context<'_>) -> String {
        let written = |name: &str| element.attribute(name).filter(|value| !is_blank(value)).map(str::to_owned);
        let kind = form::input_type(element);
        if matches!(kind, "file" | "image") && !labels.is_empty() && context.labelled_by.is_none() {
            return self.name_from_labels(labels, context);
        }
        match kind {
            "file" => "Choose File".into(),
            "image" => written("alt").or_else(|| written("title")).unwrap_or_else(|| "Submit".into()),
            _ if !is_blank(form::value(element)) => form::value(element).to_owned(),
            "submit" => "Submit".into(),
            "reset" => "Reset".into(),
            _ => element.attribute("title").unwrap_or_default().to_owned(),
        }
    }

    /// The text of the first child with this tag.
    fn name_from_child(&self, node: NodeId, tag: &str, context: &Context<'_>) -> Option<String> {
        let child = self.dom.children(node).iter().copied().find(|child| self.tag(*child) == tag)?;
        let place = Place { hidden: self.is_hidden_for_aria(child) };
        Some(self.alternative(child, &context.naming(place)))
    }

    fn svg_name(&self, node: NodeId, tag: &str, element: &Element, context: &Context<'_>) -> Option<String> {
        let in_svg = |node: NodeId| {
            let mut above = self.dom.parent(node);
            // `ownerSVGElement`: the nearest `<svg>` above, through SVG elements only.
            while let Some(parent) = above {
                let found = self.dom.element(parent)?;
                if found.namespace != Namespace::Svg {
                    return None;
                }
                if found.tag == "svg" {
                    return Some(parent);
                }
                above = self.dom.parent(parent);
            }
            None
        };
        let owned = element.namespace == Namespace::Svg && in_svg(node).is_some();
        if tag != "svg" && !owned {
            return None;
        }
        context.visit(node);
        let is_title = |child: &NodeId| self.tag(*child) == "title" && in_svg(*child).is_some();
        if let Some(child) = self.dom.children(node).iter().copied().find(is_title) {
            let place = Place { hidden: self.is_hidden_for_aria(child) };
            return Some(self.alternative(child, &context.labelling(place)));
        }
        let title = (owned && tag == "a").then(|| element.attribute("xlink:title")).flatten();
        title.filter(|title| !is_blank(title)).map(str::to_owned)
    }
}

fn takes_placeholder(element: &Element) -> bool {
    form::tag(element) == "textarea"
        || form::is_input(element, &["text", "password", "number", "search", "tel", "email", "url"])
}
