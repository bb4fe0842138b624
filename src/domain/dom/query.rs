//! Which elements a locator matches, in Playwright's order; and which of its links stopped matching.

mod engines;
mod matcher;
mod role;

pub(crate) use matcher::{Matcher, Reach};

use super::pattern::Unusable;
use super::{FrameId, NodeId, NodeKind, Page, visibility::Visibility};
use crate::domain::locator::render::Style;
use crate::domain::locator::{Locator, Step};

/// What a locator matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// These elements, in the order in which Playwright lists them.
    Nodes(Vec<NodeId>),
    /// A snapshot cannot tell; why.
    Unknown(String),
    /// Playwright would throw; why.
    Invalid(String),
}

/// One link of a chain with what the chain up to it matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkCount {
    /// The link as Playwright prints it: `getByRole('dialog')`.
    pub printed: String,
    /// What the chain matches up to and with this link. A frame's link matches the frame.
    pub answer: Answer,
}

impl Answer {
    /// The elements; `None` where that is not known.
    pub fn nodes(&self) -> Option<&[NodeId]> {
        match self {
            Self::Nodes(nodes) => Some(nodes),
            Self::Unknown(_) | Self::Invalid(_) => None,
        }
    }

    /// The only element; `None` where there are none, several, or it is not known.
    pub fn only(&self) -> Option<NodeId> {
        match self.nodes() {
            Some([node]) => Some(*node),
            _ => None,
        }
    }
}

/// Why there is no list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stop {
    Unknown(String),
    Invalid(String),
}

impl From<Unusable> for Stop {
    fn from(unusable: Unusable) -> Self {
        match unusable {
            Unusable::Unsupported(what) => Self::Unknown(what),
            Unusable::Invalid(what) => Self::Invalid(what),
        }
    }
}

/// An element of a list, and whether it is sure to be in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) node: NodeId,
    pub(crate) sure: bool,
}

impl Hit {
    pub(crate) fn sure(node: NodeId) -> Self {
        Self { node, sure: true }
    }
}

pub(crate) type Hits = Result<Vec<Hit>, Stop>;

/// How deep locators are followed into each other.
const MAX_DEPTH: usize = 24;
/// Why a list is not certain, when it is not: the only thing that is ever in doubt for a single element.
const IN_DOUBT: &str = "whether an element is visible, hovered or focused is not in the snapshot";

impl Page<'_> {
    /// What `locator` matches in a frame.
    pub fn query(&self, frame: FrameId, locator: &Locator) -> Answer {
        self.query_in(self.dom.frame(frame).document, locator)
    }

    /// What `locator` matches below `scope`: a document, or an element as in `element.locator(…)`.
    pub fn query_in(&self, scope: NodeId, locator: &Locator) -> Answer {
        if locator.steps.is_empty() {
            return Answer::Invalid("the locator is empty".into());
        }
        if locator.steps.last() == Some(&Step::EnterFrame) {
            return Answer::Invalid("a selector cannot end with entering a frame".into());
        }
        self.answer(scope, &locator.steps)
    }

    /// The links of `locator` in a frame, each with what the chain matches up to it.
    pub fn links(&self, frame: FrameId, locator: &Locator) -> Vec<LinkCount> {
        let document = self.dom.frame(frame).document;
        let count = |link: crate::domain::locator::render::Link| LinkCount {
            answer: self.answer(document, locator.steps.get(..link.steps.end).unwrap_or_default()),
            printed: link.text,
        };
        locator.links(Style::default()).into_iter().map(count).collect()
    }

    fn answer(&self, scope: NodeId, steps: &[Step]) -> Answer {
        match self.hits(scope, steps, 0) {
            Ok(hits) if hits.iter().all(|hit| hit.sure) => {
                Answer::Nodes(hits.into_iter().map(|hit| hit.node).collect())
            }
            Ok(_) => Answer::Unknown(IN_DOUBT.into()),
            Err(Stop::Unknown(reason)) => Answer::Unknown(reason),
            Err(Stop::Invalid(reason)) => Answer::Invalid(reason),
        }
    }

    /// Follows `steps` from `base`.
    fn hits(&self, base: NodeId, steps: &[Step], depth: usize) -> Hits {
        if depth > MAX_DEPTH {
            return Err(Stop::Unknown("locators are nested too deeply".into()));
        }
        if let Some((Step::AnyFrame, rest)) = steps.split_first() {
            let mut all = Vec::new();
            for (_, frame) in self.dom.frames() {
                all.extend(self.hits(frame.document, rest, depth + 1)?);
            }
            return Ok(all);
        }
        let mut base = base;
        let mut hits = vec![Hit::sure(base)];
        for step in steps {
            hits = match step {
                Step::EnterFrame => {
                    let entered = self.enter_frame(&hits)?;
                    base = entered.first().map_or(base, |hit| hit.node);
                    entered
                }
                Step::Nth(index) => nth(&hits, *index)?,
                Step::And(inner) => {
                    let mut others = self.hits(base, &inner.steps, depth + 1)?;
                    others.retain_mut(|other| {
                        let found = hits.iter().find(|hit| hit.node == other.node);
                        other.sure &= found.is_some_and(|hit| hit.sure);
                        found.is_some()
                    });
                    others
                }
                Step::Or(inner) => {
                    let others = self.hits(base, &inner.steps, depth + 1)?;
                    self.union(&[hits, others].concat())
                }
                _ => self.each(&hits, step, depth)?,
            };
        }
        Ok(hits)
    }

    /// Applies a step to every element found so far, and drops repetitions.
    fn each(&self, hits: &[Hit], step: &Step, depth: usize) -> Hits {
        let mut seen = std::collections::HashMap::new();
        let mut found: Vec<Hit> = Vec::new();
        let engine = engines::Engine::new(self, step)?;
        for root in hits {
            for mut hit in self.one(root.node, step, &engine, depth)? {
                hit.sure &= root.sure;
                match seen.entry(hit.node) {
                    std::collections::hash_map::Entry::Vacant(slot) => {
                        slot.insert(found.len());
                        found.push(hit);
                    }
                    std::collections::hash_map::Entry::Occupied(slot) => {
                        if let Some(before) = found.get_mut(*slot.get()) {
                            before.sure |= hit.sure;
                        }
                    }
                }
            }
        }
        Ok(found)
    }

    fn one(&self, root: NodeId, step: &Step, engine: &engines::Engine<'_>, depth: usize) -> Hits {
        let is_element = self.dom.element(root).is_some();
        match step {
            Step::Chain(inner) => self.hits(root, &inner.steps, depth + 1),
            Step::Has(inner) | Step::HasNot(inner) if is_element => {
                let wanted = matches!(step, Step::Has(_));
                let inside = self.hits(root, &inner.steps, depth + 1)?;
                let sure = inside.is_empty() || inside.iter().any(|hit| hit.sure);
                Ok(if !sure || inside.is_empty() != wanted { vec![Hit { node: root, sure }] } else { Vec::new() })
            }
            Step::Visible(visible) if is_element => Ok(match self.visibility(root) {
                Visibility::Unknown => vec![Hit { node: root, sure: false }],
                known if (known == Visibility::Visible) == *visible => vec![Hit::sure(root)],
                _ => Vec::new(),
            }),
            Step::Has(_) | Step::HasNot(_) | Step::Visible(_) => Ok(Vec::new()),
            _ => engine.query(self, root),
        }
    }

    /// The documents inside the frames found. Playwright insists on one.
    fn enter_frame(&self, hits: &[Hit]) -> Hits {
        match hits {
            [] => Ok(Vec::new()),
            [hit] => match self.dom.element(hit.node).map(|element| (element.content_frame, element.tag.as_str())) {
                Some((Some(frame), _)) => Ok(vec![Hit { node: self.dom.frame(frame).document, sure: hit.sure }]),
                Some((None, "iframe" | "frame")) => {
                    Err(Stop::Unknown("the frame's content is not in the snapshot".into()))
                }
                _ => Err(Stop::Invalid("the element is not a frame".into())),
            },
            _ => Err(Stop::Invalid(format!("strict mode violation: {} frames match", hits.len()))),
        }
    }

    /// Both lists as one, in document order.
    fn union(&self, hits: &[Hit]) -> Vec<Hit> {
        let mut nodes: Vec<NodeId> = hits.iter().map(|hit| hit.node).collect();
        self.tree.sort(&mut nodes);
        let sure = |node: NodeId| hits.iter().any(|hit| hit.node == node && hit.sure);
        nodes.into_iter().map(|node| Hit { node, sure: sure(node) }).collect()
    }

    /// Whether the node is an element or a document, which alone can be searched.
    pub(crate) fn is_queryable(&self, node: NodeId) -> bool {
        !matches!(self.dom.kind(node), NodeKind::Text(_))
    }
}

fn nth(hits: &[Hit], index: i64) -> Hits {
    if hits.iter().any(|hit| !hit.sure) {
        return Err(Stop::Unknown(IN_DOUBT.into()));
    }
    let length = i64::try_from(hits.len()).unwrap_or(i64::MAX);
    let at = if index < 0 { length + index } else { index };
    Ok(usize::try_from(at).ok().and_then(|at| hits.get(at).copied()).into_iter().collect())
}
