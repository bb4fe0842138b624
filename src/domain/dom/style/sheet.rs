//! Reads style sheets and keeps the rules that decide what is shown.

use std::collections::{BTreeMap, BTreeSet};

use cssparser::{
    AtRuleParser, CowRcStr, DeclarationParser, ParseError, Parser, ParserState, QualifiedRuleParser,
    RuleBodyItemParser, RuleBodyParser, StyleSheetParser, Token,
};

use super::condition::{self, Kind};
use crate::domain::dom::Viewport;
use crate::domain::dom::css::native::{self, Reading};
use crate::domain::dom::css::selector::{Combinator, Complex, Compound, List, Nth, Part, Specificity};

/// How many rules are kept of all sheets of one tree; far above any real page.
const MAX_RULES: usize = 200_000;

/// Declarations for the elements that the selectors match.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) selectors: List,
    pub(super) declarations: Vec<Declaration>,
    pub(super) layer: Layer,
    pub(super) order: u32,
}

/// The place of a rule among layers: the positions of the layers it is in, then the greatest number. Rules outside of all
/// layers come last and so win.
pub(super) type Layer = Vec<u32>;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Declaration {
    pub(super) property: Property,
    pub(super) value: String,
    pub(super) important: bool,
}

/// Properties that can leave an element without size.
pub(super) const EXTENTS: [&str; 4] = ["width", "height", "max-width", "max-height"];

/// The properties that matter here.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Property {
    Display,
    Visibility,
    ContentVisibility,
    Content,
    Position,
    Float,
    /// `width`, `height` and their upper limits, by their place in [`EXTENTS`].
    Extent(usize),
    All,
    Custom(String),
}

impl Property {
    fn of(name: &str) -> Option<Self> {
        if name.starts_with("--") {
            return Some(Self::Custom(name.to_owned()));
        }
        Some(match name.to_ascii_lowercase().as_str() {
            "display" => Self::Display,
            "visibility" => Self::Visibility,
            "content-visibility" => Self::ContentVisibility,
            "content" => Self::Content,
            "position" => Self::Position,
            "float" => Self::Float,
            "all" => Self::All,
            name => Self::Extent(EXTENTS.iter().position(|extent| *extent == name)?),
        })
    }
}

/// The rules of all sheets of one document or shadow tree, in order.
#[derive(Debug, Default)]
pub(super) struct Sheets {
    pub(super) rules: Vec<Rule>,
    layers: BTreeMap<Layer, Vec<String>>,
    order: u32,
}

impl Sheets {
    /// Adds a sheet behind those before it.
    pub(super) fn add(&mut self, css: &str, viewport: Viewport) {
        let mut parser = Parser::new(css);
        let mut reader = Reader { sheets: self, viewport, layer: Vec::new(), parents: Vec::new(), open: Vec::new() };
        for item in StyleSheetParser::new(&mut parser, &mut reader) {
            drop(item);
        }
    }

    /// Drops custom properties that nothing refers to, and then rules without declarations: most of a real sheet.
    pub(super) fn keep_used(&mut self, inline: &[Declaration]) {
        let mut used = BTreeSet::new();
        let all = || self.rules.iter().flat_map(|rule| &rule.declarations).chain(inline);
        let mut custom: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let mut pending = Vec::new();
        for declaration in all() {
            match &declaration.property {
                Property::Custom(name) => custom.entry(name).or_default().push(&declaration.value),
                _ => references(&declaration.value, &mut pending),
            }
        }
        while let Some(name) = pending.pop() {
            if used.insert(name.clone()) {
                for value in custom.get(name.as_str()).into_iter().flatten() {
                    references(value, &mut pending);
                }
            }
        }
        for rule in &mut self.rules {
            rule.declarations.retain(|declaration| match &declaration.property {
                Property::Custom(name) => used.contains(name),
                _ => true,
            });
        }
        self.rules.retain(|rule| !rule.declarations.is_empty());
    }

    /// The position of the layer `name` inside `within`, in order of first mention.
    fn layer(&mut self, within: &Layer, name: &str) -> Layer {
        let names = self.layers.entry(within.clone()).or_default();
        // A layer without a name is its own each time.
        let known = names.iter().position(|known| known == name && !name.is_empty());
        let at = known.unwrap_or_else(|| {
            names.push(name.to_owned());
            names.len() - 1
        });
        let mut layer = within.clone();
        layer.push(u32::try_from(at).unwrap_or(u32::MAX));
        layer
    }
}

/// Adds the custom properties that a value refers to by `var()`.
fn references(value: &str, names: &mut Vec<String>) {
    let mut rest = value;
    while let Some((_, after)) = rest.split_once("var(") {
        let name = after.split([',', ')']).next().unwrap_or_default().trim();
        names.push(name.to_owned());
        rest = after;
    }
}

/// Reads the declarations of a `style` attribute.
pub(super) fn inline(css: &str) -> Vec<Declaration> {
    let mut sheets = Sheets::default();
    let mut parser = Parser::new(css);
    let mut reader = Reader {
        sheets: &mut sheets,
        viewport: Viewport::default(),
        layer: Vec::new(),
        parents: vec![List::new()],
        open: vec![Vec::new()],
    };
    for item in RuleBodyParser::new(&mut parser, &mut reader) {
        drop(item);
    }
    reader.open.pop().unwrap_or_default()
}

struct Reader<'s> {
    sheets: &'s mut Sheets,
    viewport: Viewport,
    layer: Layer,
    /// The selectors of the rules around, as `&` means them.
    parents: Vec<List>,
    /// The declarations of the rules around, so far.
    open: Vec<Vec<Declaration>>,
}

/// What stands between the name of an at-rule and its block.
enum At {
    Condition(bool),
    Layers(Vec<String>),
    Skipped,
}

impl Reader<'_> {
    fn body(&mut self, input: &mut Parser<'_>) {
        if self.parents.is_empty() {
            for item in StyleSheetParser::new(input, self) {
                drop(item);
            }
        } else {
            for item in RuleBodyParser::new(input, self) {
                drop(item);
            }
        }
    }
}

impl<'i> DeclarationParser<'i> for Reader<'_> {
    type Declaration = ();
    type Error = String;

    fn parse_value(
        &mut self,
        name: CowRcStr<'i>,
        input: &mut Parser<'i>,
        _start: &ParserState,
    ) -> Result<(), ParseError<String>> {
        let property = Property::of(&name);
        let start = input.position();
        let mut end = start;
        let mut important = false;
        loop {
            let before = input.position();
            match input.next().cloned() {
                Err(_) => break,
                Ok(Token::Delim('!')) if input.try_parse(|input| input.expect_ident_matching("important")).is_ok() => {
                    important = true;
                    end = before;
                }
                Ok(Token::CurlyBracketBlock) if !name.starts_with("--") => {
                    // `a:hover { … }` is a rule, not a declaration.
                    return Err(ParseError::unexpected_token());
                }
                Ok(
                    Token::Function(_) | Token::ParenthesisBlock | Token::SquareBracketBlock | Token::CurlyBracketBlock,
                ) => {
                    input.parse_nested_block(|inside| {
                        while inside.next().is_ok() {}
                        Ok::<_, ParseError<String>>(())
                    })?;
                    end = input.position();
                }
                Ok(_) => end = input.position(),
            }
        }
        if let (Some(property), Some(open)) = (property, self.open.last_mut()) {
            let value = input.slice(start..end).trim().to_owned();
            open.push(Declaration { property, value, important });
        }
        Ok(())
    }
}

impl<'i> QualifiedRuleParser<'i> for Reader<'_> {
    type Prelude = List;
    type QualifiedRule = ();
    type Error = String;

    fn parse_prelude(&mut self, input: &mut Parser<'i>) -> Result<List, ParseError<String>> {
        let relative = !self.parents.is_empty();
        let list = native::list(input, Reading { relative, ..Reading::TOP })?;
        Ok(match self.parents.last() {
            Some(parent) => list.into_iter().map(|complex| nested(complex, parent)).collect(),
            None => list,
        })
    }

    fn parse_block(
        &mut self,
        selectors: List,
        _start: &ParserState,
        input: &mut Parser<'i>,
    ) -> Result<(), ParseError<String>> {
        let order = self.sheets.order;
        self.sheets.order += 1;
        self.parents.push(selectors);
        self.open.push(Vec::new());
        self.body(input);
        let declarations = self.open.pop().unwrap_or_default();
        let selectors = self.parents.pop().unwrap_or_default();
        if !declarations.is_empty() && self.sheets.rules.len() < MAX_RULES {
            let mut layer = self.layer.clone();
            layer.push(u32::MAX);
            self.sheets.rules.push(Rule { selectors, declarations, layer, order });
        }
        Ok(())
    }
}

impl<'i> AtRuleParser<'i> for Reader<'_> {
    type Prelude = At;
    type AtRule = ();
    type Error = String;

    fn parse_prelude(&mut self, name: CowRcStr<'i>, input: &mut Parser<'i>) -> Result<At, ParseError<String>> {
        let at = match name.to_ascii_lowercase().as_str() {
            "media" => At::Condition(condition::media(input, self.viewport)),
            "supports" => At::Condition(condition::condition(input, Kind::Supports, 0)),
            "layer" => {
                let start = input.position();
                while input.next().is_ok() {}
                At::Layers(input.slice_from(start).split(',').map(|name| name.trim().to_owned()).collect())
            }
            // `@container` depends on layout, `@scope` on more than is worth it; the others hold no rules for elements.
            _ => At::Skipped,
        };
        while input.next().is_ok() {}
        Ok(at)
    }

    fn rule_without_block(&mut self, at: At, _start: &ParserState) -> Result<(), ()> {
        if let At::Layers(names) = at {
            for name in names {
                let within = self.layer.clone();
                self.enter(&within, &name);
            }
        }
        Ok(())
    }

    fn parse_block(&mut self, at: At, _start: &ParserState, input: &mut Parser<'i>) -> Result<(), ParseError<String>> {
        match at {
            At::Condition(true) => self.body(input),
            At::Layers(names) => {
                let outer = self.layer.clone();
                self.layer = self.enter(&outer, names.first().map_or("", String::as_str));
                self.body(input);
                self.layer = outer;
            }
            At::Condition(false) | At::Skipped => while input.next().is_ok() {},
        }
        Ok(())
    }
}

impl Reader<'_> {
    /// The layer `name`, which may be a path, inside another.
    fn enter(&mut self, within: &Layer, name: &str) -> Layer {
        name.split('.').fold(within.clone(), |layer, name| self.sheets.layer(&layer, name))
    }
}

impl RuleBodyItemParser<'_, (), String> for Reader<'_> {
    fn parse_declarations(&self) -> bool {
        !self.parents.is_empty()
    }

    fn parse_qualified(&self) -> bool {
        true
    }
}

/// A selector of a nested rule with `&` replaced by the rule around it.
fn nested(mut complex: Complex, parent: &List) -> Complex {
    let around = Part::Is(parent.clone());
    let mut added = Specificity::default();
    let mut mentions = false;
    for (_, compound) in &mut complex.compounds {
        for part in &mut compound.parts {
            if replace(part, &around) {
                mentions = true;
                added = added.plus(native::greatest(parent));
            }
        }
    }
    if !mentions {
        added = native::greatest(parent);
        complex.compounds.insert(0, (Combinator::Descendant, Compound { parts: vec![around] }));
    }
    complex.specificity = complex.specificity.plus(added);
    complex
}

/// Replaces `&` in a part, and says whether there was one.
fn replace(part: &mut Part, around: &Part) -> bool {
    match part {
        Part::Scope => {
            *part = around.clone();
            true
        }
        Part::Is(list)
        | Part::Not(list)
        | Part::Has(list)
        | Part::Host(Some(list))
        | Part::Nth(Nth { of: Some(list), .. }) => {
            let mut found = false;
            for (_, compound) in list.iter_mut().flat_map(|complex| &mut complex.compounds) {
                for part in &mut compound.parts {
                    found |= replace(part, around);
                }
            }
            found
        }
        _ => false,
    }
}
