//! Evaluates Playwright's CSS the way Playwright does, order of results included.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use super::matching::{BUDGET, Matching};
use super::playwright::{Arg, Complex, Css, Function, Name, Simple};
use super::selector::{Combinator, Compound, Part};
use super::{Ground, Truth};
use crate::domain::dom::query::{Hit, Hits, Matcher, Reach, Stop};
use crate::domain::dom::visibility::Visibility;
use crate::domain::dom::{NodeId, NodeKind, Page, text};
use crate::domain::locator::{JsRegex, Pattern};

/// Below what a selector is evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Scope {
    root: NodeId,
    pierce: bool,
    /// What `:scope` stands for, where that is not what is searched.
    original: Option<NodeId>,
}

impl Scope {
    /// Below `node`, open shadow trees included.
    pub(crate) fn new(node: NodeId) -> Self {
        Self { root: node, pierce: true, original: None }
    }
}

/// A function of a selector where it was evaluated; the selector outlives the evaluation.
type Place = (*const Function, Scope);
type Found = Result<Truth, Stop>;

/// Elements met by one evaluation before it is given up: selectors that square the page must not hang.
const MAX_STEPS: u64 = 20_000_000;

impl Css {
    pub(crate) fn query(&self, page: &Page<'_>, scope: Scope) -> Hits {
        let evaluator = Evaluator {
            page,
            matchers: RefCell::default(),
            lists: RefCell::default(),
            steps: Cell::new(0),
            budget: Cell::new(BUDGET),
        };
        let list: Vec<&Complex> = self.list.iter().collect();
        evaluator.query_any(scope, &list)
    }
}

struct Evaluator<'p, 'd> {
    page: &'p Page<'d>,
    matchers: RefCell<HashMap<(bool, String), Rc<Matcher>>>,
    lists: RefCell<HashMap<Place, Rc<Vec<Hit>>>>,
    steps: Cell<u64>,
    budget: Cell<u64>,
}

impl Evaluator<'_, '_> {
    fn tick(&self) -> Result<(), Stop> {
        self.steps.set(self.steps.get() + 1);
        let spent = self.steps.get() > MAX_STEPS || self.budget.get() == 0;
        if spent { Err(Stop::Unknown("the selector takes too long on this page".into())) } else { Ok(()) }
    }

    fn query_any(&self, scope: Scope, list: &[&Complex]) -> Hits {
        if let [complex] = list {
            return self.query(scope, complex);
        }
        let mut hits = Vec::new();
        for complex in list {
            hits.extend(self.query(scope, complex)?);
        }
        let mut nodes: Vec<NodeId> = hits.iter().map(|hit| hit.node).collect();
        self.page.tree.sort(&mut nodes);
        let mut sure: HashMap<NodeId, bool> = HashMap::new();
        for hit in hits {
            *sure.entry(hit.node).or_default() |= hit.sure;
        }
        Ok(nodes.into_iter().map(|node| Hit { node, sure: sure.get(&node).copied().unwrap_or(false) }).collect())
    }

    fn query(&self, scope: Scope, complex: &Complex) -> Hits {
        let scope = self.for_scope_clause(scope, complex);
        let Some(((last, _), before)) = complex.simples.split_last() else { return Ok(Vec::new()) };
        let hits = self.query_simple(scope, last)?;
        self.keep(hits, |node| self.matches_before(node, before, scope))
    }

    fn matches(&self, node: NodeId, complex: &Complex, scope: Scope) -> Found {
        let scope = self.for_scope_clause(scope, complex);
        let Some(((last, _), before)) = complex.simples.split_last() else { return Ok(Truth::No) };
        let own = self.matches_simple(node, last, scope)?;
        both(own, || self.matches_before(node, before, scope))
    }

    /// A selector that mentions `:scope` is evaluated from one level higher, so that the scope itself can match.
    fn for_scope_clause(&self, scope: Scope, complex: &Complex) -> Scope {
        let mentions = complex.simples.iter().any(|(simple, _)| simple.functions.iter().any(|f| f.name == Name::Scope));
        let above = mentions.then(|| self.page.dom.element(scope.root)).flatten();
        match above.and_then(|_| self.page.dom.parent_element(scope.root)) {
            Some(parent) => Scope { root: parent, original: scope.original.or(Some(scope.root)), ..scope },
            None => scope,
        }
    }

    fn keep(&self, hits: Vec<Hit>, test: impl Fn(NodeId) -> Found) -> Hits {
        let mut kept = Vec::new();
        for hit in hits {
            self.tick()?;
            match test(hit.node)? {
                Truth::Yes => kept.push(hit),
                Truth::Doubt => kept.push(Hit { sure: false, ..hit }),
                Truth::No => {}
            }
        }
        Ok(kept)
    }

    fn matches_simple(&self, node: NodeId, simple: &Simple, scope: Scope) -> Found {
        self.tick()?;
        if node == scope.root {
            return Ok(Truth::No);
        }
        let mut truth = simple.native.as_ref().map_or(Truth::Yes, |compound| self.native(node, compound));
        for function in &simple.functions {
            truth = both(truth, || self.function_matches(node, function, scope))?;
        }
        Ok(truth)
    }

    fn native(&self, node: NodeId, compound: &Compound) -> Truth {
        let ground = Ground { dom: self.page.dom, tree: &self.page.tree };
        Matching::new(ground, &self.budget).compound(node, compound)
    }

    fn query_native(&self, scope: Scope, compound: Option<&Compound>) -> Vec<Hit> {
        let page = self.page;
        let all = if scope.pierce { page.pierced(scope.root) } else { page.tree.descendants(scope.root).into() };
        let test = |node: &NodeId| {
            let truth = compound.map_or(Truth::Yes, |compound| self.native(*node, compound));
            (truth != Truth::No).then_some(Hit { node: *node, sure: truth == Truth::Yes })
        };
        all.iter().filter_map(test).collect()
    }

    fn query_simple(&self, scope: Scope, simple: &Simple) -> Hits {
        let functions = &simple.functions;
        let is_star = simple.native.as_ref().is_some_and(|compound| matches!(compound.parts.as_slice(), [Part::Any]));
        let native = simple.native.as_ref().filter(|_| !is_star || functions.is_empty());
        if native.is_some() || functions.is_empty() {
            let hits = self.query_native(scope, native);
            return self.keep(hits, |node| self.all_functions(node, functions, None, scope));
        }
        let first = functions.iter().position(|function| has_query(function.name)).unwrap_or(0);
        let Some(function) = functions.get(first) else { return Ok(Vec::new()) };
        let hits = if has_query(function.name) {
            self.function_query(scope, function)?
        } else {
            self.keep(self.query_native(scope, None), |node| self.function_matches(node, function, scope))?
        };
        self.keep(hits, |node| self.all_functions(node, functions, Some(first), scope))
    }

    fn all_functions(&self, node: NodeId, functions: &[Function], except: Option<usize>, scope: Scope) -> Found {
        let mut truth = Truth::Yes;
        for (at, function) in functions.iter().enumerate() {
            if except != Some(at) {
                truth = both(truth, || self.function_matches(node, function, scope))?;
            }
        }
        Ok(truth)
    }

    /// Whether what stands left of `node` in the selector stands around it in the page.
    fn matches_before(&self, node: NodeId, before: &[(Simple, Combinator)], scope: Scope) -> Found {
        let Some(((simple, joined), rest)) = before.split_last() else { return Ok(Truth::Yes) };
        let up = |node: NodeId| self.parent(node, scope);
        let back = |node: NodeId| if node == scope.root { None } else { self.page.tree.sibling(node, false) };
        let (next, many): (&dyn Fn(NodeId) -> Option<NodeId>, bool) = match joined {
            Combinator::Child => (&up, false),
            Combinator::Descendant => (&up, true),
            Combinator::NextSibling => (&back, false),
            Combinator::LaterSibling => (&back, true),
        };
        let mut found = Truth::No;
        let mut candidate = next(node);
        while let Some(node) = candidate {
            let own = self.matches_simple(node, simple, scope)?;
            let around = if own == Truth::No { Truth::No } else { self.matches_before(node, rest, scope)? };
            match own.and(|| around) {
                Truth::Yes => return Ok(Truth::Yes),
                Truth::Doubt => found = Truth::Doubt,
                Truth::No => {}
            }
            // What is not around this element is not around the next one either.
            if own != Truth::No && rest.last().is_some_and(|(_, next)| next == joined) {
                break;
            }
            candidate = if many { next(node) } else { None };
        }
        Ok(found)
    }

    fn parent(&self, node: NodeId, scope: Scope) -> Option<NodeId> {
        if node == scope.root {
            return None;
        }
        if scope.pierce {
            return self.page.dom.parent_element(node);
        }
        self.page.dom.parent(node).filter(|parent| self.page.dom.element(*parent).is_some())
    }

    fn function_matches(&self, node: NodeId, function: &Function, scope: Scope) -> Found {
        match function.name {
            Name::Is => self.matches_any(node, &selectors(function)?, scope),
            Name::Not => self.matches_any(node, &selectors(function)?, scope).map(|truth| !truth),
            Name::Light => self.matches_any(node, &selectors(function)?, Scope { pierce: false, ..scope }),
            Name::Has => {
                let inside = self.query_any(Scope { root: node, ..scope }, &selectors(function)?)?;
                Ok(match inside.iter().any(|hit| hit.sure) {
                    true => Truth::Yes,
                    false if inside.is_empty() => Truth::No,
                    false => Truth::Doubt,
                })
            }
            Name::Scope => self.is_scope(node, function, scope).map(Truth::from),
            Name::NthMatch => {
                let key = (std::ptr::from_ref(function), scope);
                let known = self.lists.borrow().get(&key).cloned();
                let list = if let Some(list) = known {
                    list
                } else {
                    let list = Rc::new(self.nth_match(scope, function)?);
                    self.lists.borrow_mut().insert(key, Rc::clone(&list));
                    list
                };
                Ok(list.iter().any(|hit| hit.node == node).into())
            }
            Name::Visible if function.args.is_empty() => Ok(match self.page.visibility(node) {
                Visibility::Visible => Truth::Yes,
                Visibility::Hidden => Truth::No,
                Visibility::Unknown => Truth::Doubt,
            }),
            Name::Visible => Err(Stop::Invalid("`:visible` takes no argument".into())),
            Name::Text | Name::TextIs | Name::HasText | Name::TextMatches => {
                self.text_matches(node, function).map(Truth::from)
            }
            Name::Layout => Err(Stop::Unknown("layout is not in the snapshot".into())),
        }
    }

    fn matches_any(&self, node: NodeId, list: &[&Complex], scope: Scope) -> Found {
        let mut any = Truth::No;
        for complex in list {
            match self.matches(node, complex, scope)? {
                Truth::Yes => return Ok(Truth::Yes),
                Truth::Doubt => any = Truth::Doubt,
                Truth::No => {}
            }
        }
        Ok(any)
    }

    fn function_query(&self, scope: Scope, function: &Function) -> Hits {
        match function.name {
            Name::Light => self.query_any(Scope { pierce: false, ..scope }, &selectors(function)?),
            Name::Scope => Ok(self.scope_element(function, scope)?.into_iter().map(Hit::sure).collect()),
            Name::NthMatch => self.nth_match(scope, function),
            _ => self.query_any(scope, &selectors(function)?),
        }
    }

    fn scope_element(&self, function: &Function, scope: Scope) -> Result<Option<NodeId>, Stop> {
        if !function.args.is_empty() {
            return Err(Stop::Invalid("`:scope` takes no argument".into()));
        }
        let actual = scope.original.unwrap_or(scope.root);
        Ok(match self.page.dom.kind(actual) {
            NodeKind::Document => {
                self.page.dom.children(actual).iter().copied().find(|child| self.page.dom.element(*child).is_some())
            }
            NodeKind::Element(_) => Some(actual),
            NodeKind::ShadowRoot | NodeKind::Text(_) => None,
        })
    }

    fn is_scope(&self, node: NodeId, function: &Function, scope: Scope) -> Result<bool, Stop> {
        Ok(self.scope_element(function, scope)? == Some(node))
    }

    fn nth_match(&self, scope: Scope, function: &Function) -> Hits {
        let Some((Arg::Number(index), args)) = function.args.split_last() else {
            return Err(Stop::Invalid("`:nth-match()` needs an index, counted from one".into()));
        };
        if *index < 1.0 || args.is_empty() {
            return Err(Stop::Invalid("`:nth-match()` needs an index, counted from one".into()));
        }
        let hits = self.query_any(scope, &only_selectors(args)?)?;
        if hits.iter().any(|hit| !hit.sure) {
            return Err(Stop::Unknown("which element is the n-th is not in the snapshot".into()));
        }
        Ok(hits.get(position(*index)).copied().into_iter().collect())
    }

    fn text_matches(&self, node: NodeId, function: &Function) -> Result<bool, Stop> {
        let (first, flags) = match function.args.as_slice() {
            [Arg::Text(text)] => (text, ""),
            [Arg::Text(text), Arg::Text(flags)] if function.name == Name::TextMatches => (text, flags.as_str()),
            _ => return Err(Stop::Invalid("this pseudo-class takes one text".into())),
        };
        let regex = function.name == Name::TextMatches;
        let key = (function.name == Name::TextIs, if regex { format!("{first}/{flags}") } else { first.clone() });
        let known = self.matchers.borrow().get(&key).cloned();
        let matcher = if let Some(matcher) = known {
            matcher
        } else {
            let made = Rc::new(match function.name {
                Name::TextIs => Matcher::Immediate(text::normalize(first)),
                Name::TextMatches => Matcher::new(self.page, &Pattern::Regex(JsRegex::new(first, flags)))?,
                _ => Matcher::lax(self.page, first),
            });
            self.matchers.borrow_mut().insert(key, Rc::clone(&made));
            made
        };
        Ok(match function.name {
            Name::HasText => matcher.matches(self.page, node) && !text::is_skipped(self.page.dom, node),
            Name::TextIs => matcher.reach(self.page, node) != Reach::Nothing,
            _ => matcher.reach(self.page, node) == Reach::Itself,
        })
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be at least one")]
fn position(index: f64) -> usize {
    // JavaScript finds nothing at a fractional index.
    if index.fract() == 0.0 { index as usize - 1 } else { usize::MAX }
}

/// Whether Playwright lists the matches of the function itself instead of testing every element.
fn has_query(name: Name) -> bool {
    matches!(name, Name::Is | Name::Scope | Name::Light | Name::NthMatch)
}

fn both(first: Truth, second: impl FnOnce() -> Found) -> Found {
    if first == Truth::No {
        return Ok(Truth::No);
    }
    let second = second()?;
    Ok(first.and(|| second))
}

fn selectors(function: &Function) -> Result<Vec<&Complex>, Stop> {
    if function.args.is_empty() {
        return Err(Stop::Invalid("a selector is missing in parentheses".into()));
    }
    only_selectors(&function.args)
}

fn only_selectors(args: &[Arg]) -> Result<Vec<&Complex>, Stop> {
    args.iter()
        .map(|arg| match arg {
            Arg::Selector(complex) => Ok(complex),
            Arg::Text(_) | Arg::Number(_) => Err(Stop::Invalid("a text is not a selector".into())),
        })
        .collect()
}
