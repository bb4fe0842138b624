//! Selector strings: `locator('…')`, `frameLocator('…')`, `page.click('…')` and the constants that hold them.

use crate::domain::locator::render::{Quote, Style};
use crate::domain::locator::{Locator, Pattern, Step};
use crate::source::locate::{Piece, Shape};
use crate::source::project::Project;

use super::{Change, Patch, Reason, call, style, text};

/// Steps inside a selector string: as a string where it stays one, else as calls in its place.
pub(super) fn in_selector<'p>(project: &'p Project, change: &Change<'_>, piece: &Piece) -> Result<Patch<'p>, Reason> {
    let selector = piece.text("").ok_or(Reason::NotWritable)?;
    let parts = own_parts(change, piece);
    let local = change.steps.start.saturating_sub(piece.steps.start)..change.steps.end - piece.steps.start;
    if change.steps.start < piece.steps.start || local.end > parts.len() {
        // The step is not of the string but of the call's options, or goes on behind the call.
        return call::of_one(project, change, piece);
    }
    let is_constant = selector.literals().any(|literal| literal.shape != Shape::Inline);
    let stays_string = piece.legacy || is_constant || change.new.iter().all(is_selector);
    if !stays_string {
        return call::of_one(project, change, piece);
    }
    let quote = outer_quote(project, piece);
    let old: Vec<String> =
        parts.iter().map(|step| said(step, quote)).collect::<Option<_>>().ok_or(Reason::NotAString)?;
    let new: Vec<String> =
        change.new.iter().map(|step| said(step, quote)).collect::<Option<_>>().ok_or(Reason::NotAString)?;
    if new.is_empty() || change.new.iter().any(|step| matches!(step, Step::EnterFrame | Step::Nth(_))) {
        return Err(Reason::NotAString);
    }
    let mut all = old.clone();
    all.splice(local, new);
    let written = selector.whole().map(|literal| literal.value.as_str());
    let (old, new) = match (written, parts.len()) {
        // One part: its own spelling is kept where only a hole's surroundings are known.
        (Some(written), _) => (written.to_owned(), all.join(" >> ")),
        (None, 1) => (old.concat(), all.join(" >> ")),
        (None, _) => return Err(Reason::NotWritable),
    };
    text::patch(project, selector, &old, &new)
}

/// The steps that the selector string itself says, without those of the call's options and its frame.
pub(super) fn own_parts<'c>(change: &Change<'c>, piece: &Piece) -> &'c [Step] {
    let steps = change.old.steps.get(piece.steps.clone()).unwrap_or_default();
    let trailing = steps.iter().rev().take_while(|step| is_option(step)).count();
    steps.get(..steps.len() - trailing).unwrap_or_default()
}

fn is_option(step: &Step) -> bool {
    matches!(
        step,
        Step::HasText(_) | Step::HasNotText(_) | Step::Has(_) | Step::HasNot(_) | Step::Visible(_) | Step::EnterFrame
    )
}

/// Whether a step is a selector by its nature, so that a selector string is its natural home.
fn is_selector(step: &Step) -> bool {
    matches!(step, Step::Css(_) | Step::XPath(_) | Step::Engine { .. })
}

fn outer_quote(project: &Project, piece: &Piece) -> Quote {
    let literal = piece.text("").and_then(|text| text.literals().next());
    let source = literal.and_then(|literal| project.file(&literal.site.path)?.text.get(literal.site.range.clone()));
    source.map_or(Quote::Single, style::quote_of)
}

/// A step as people write it in a selector string; `None` where no public engine says it.
fn said(step: &Step, outer: Quote) -> Option<String> {
    let quoted = |value: &str| css_string(value, outer);
    match step {
        Step::Css(css) => Some(Locator::from(Step::Css(requoted(css, outer))).to_internal()),
        Step::XPath(_) | Step::Engine { .. } | Step::Nth(_) | Step::Visible(_) => {
            Some(Locator::from(step.clone()).to_internal())
        }
        Step::TestId { attribute, pattern: Pattern::Text { text, exact: true } } => {
            let attribute = attribute.split(',').next()?.trim();
            Some(format!("[{attribute}={}]", quoted(text)))
        }
        Step::Attribute { name, pattern: Pattern::Text { text, .. } } => Some(format!("[{name}={}]", quoted(text))),
        Step::Role(role) => {
            let internal = Locator::from(step.clone()).to_internal();
            let role_only = role.name.is_none() && role.description.is_none();
            let name = match &role.name {
                Some(Pattern::Text { text, .. }) => Some(text),
                _ if role_only => return internal.strip_prefix("internal:").map(str::to_owned),
                _ => return None,
            };
            let bare = crate::domain::locator::Role { name: None, ..(**role).clone() };
            let head = Locator::from(Step::Role(Box::new(bare))).to_internal();
            Some(format!("{}[name={}]", head.strip_prefix("internal:")?, quoted(name?)))
        }
        Step::Text(Pattern::Text { text, exact }) => text_engine(text, *exact),
        _ => None,
    }
}

/// `text=Save` for a substring, `text="Save"` for the whole text.
fn text_engine(text: &str, exact: bool) -> Option<String> {
    let plain = !text.starts_with(['"', '\'', '/']) && !text.contains(">>") && text.trim() == text;
    if exact {
        return Some(format!("text=\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")));
    }
    plain.then(|| format!("text={text}"))
}

/// CSS with its strings in the quotes that the JavaScript string around it does not use, where nothing needs escaping.
fn requoted(css: &str, outer: Quote) -> String {
    if outer == Quote::Double && !css.contains(['\'', '\\']) { css.replace('"', "'") } else { css.to_owned() }
}

/// A CSS string in the quotes that the JavaScript string around it does not use.
fn css_string(value: &str, outer: Quote) -> String {
    let mark = if outer == Quote::Double { '\'' } else { '"' };
    let mut out = String::from(mark);
    for c in value.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\a "),
            c if c == mark => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out.push(mark);
    out
}

/// New steps as calls in the file's style, one text a call.
pub(super) fn calls(steps: &[Step], style: style::FileStyle, receiver: &str) -> Vec<String> {
    let requote = |step: &Step| match step {
        Step::Css(css) => Step::Css(requoted(css, style.quote)),
        step => step.clone(),
    };
    let locator = Locator { steps: steps.iter().map(requote).collect() };
    let links = locator.links(Style { quote: style.quote, receiver });
    links.into_iter().map(|link| style::respaced(style, &link.text)).collect()
}
