//! Changing a string where it is written, in the call or in a constant far away, and nothing else.

use crate::domain::locator::{Pattern, Role, Step};
use crate::source::literal;
use crate::source::locate::{Piece, Site, Text, TextPart};
use crate::source::project::Project;

use super::{Change, Patch, Reason, replaced};

/// The change of one string, if old and new are the same kind of step and differ in one string only.
pub(super) fn of_same_kind<'p>(
    project: &'p Project,
    change: &Change<'_>,
    piece: &Piece,
) -> Option<Result<Patch<'p>, Reason>> {
    let ([old], [new]) = (replaced(change), change.new) else { return None };
    let (option, old, new) = one_string(old, new)?;
    let option = match (piece.method.as_str(), option) {
        // `locator('li', { hasText })` and `filter({ hasText })` name it alike; what a role is called by is its first argument.
        (_, "role" | "main") => "",
        (_, option) => option,
    };
    let text = piece.text(option)?;
    Some(patch(project, text, old, new))
}

/// The one string in which two steps of a kind differ: its option's name, old and new.
fn one_string<'s>(old: &'s Step, new: &'s Step) -> Option<(&'static str, &'s str, &'s str)> {
    let patterns = match (old, new) {
        (Step::Text(old), Step::Text(new)) | (Step::Label(old), Step::Label(new)) => ("main", old, new),
        (Step::HasText(old), Step::HasText(new)) => ("hasText", old, new),
        (Step::HasNotText(old), Step::HasNotText(new)) => ("hasNotText", old, new),
        (Step::TestId { attribute: a, pattern: old }, Step::TestId { attribute: b, pattern: new }) if a == b => {
            ("main", old, new)
        }
        (Step::Attribute { name: a, pattern: old }, Step::Attribute { name: b, pattern: new }) if a == b => {
            ("main", old, new)
        }
        (Step::Role(old), Step::Role(new)) => return one_of_role(old, new),
        _ => return None,
    };
    let (option, old, new) = patterns;
    same_exactness(old, new).map(|(old, new)| (option, old, new))
}

fn one_of_role<'s>(old: &'s Role, new: &'s Role) -> Option<(&'static str, &'s str, &'s str)> {
    let rest = |role: &Role| Role { role: String::new(), name: None, ..role.clone() };
    if rest(old) != rest(new) {
        return None;
    }
    if old.name == new.name {
        return Some(("role", &old.role, &new.role));
    }
    let (was, is) = same_exactness(old.name.as_ref()?, new.name.as_ref()?)?;
    (old.role == new.role).then_some(("name", was, is))
}

fn same_exactness<'s>(old: &'s Pattern, new: &'s Pattern) -> Option<(&'s str, &'s str)> {
    match (old, new) {
        (Pattern::Text { text: old, exact: a }, Pattern::Text { text: new, exact: b }) if a == b => Some((old, new)),
        _ => None,
    }
}

/// Writes `new` where `text`, which came to `old` in the run, is written.
pub(super) fn patch<'p>(project: &'p Project, text: &Text, old: &str, new: &str) -> Result<Patch<'p>, Reason> {
    let chunks = chunks(text, old, new)?;
    let mut site: Option<&Site> = None;
    for (literal, _) in text.literals().zip(&chunks).filter(|(literal, chunk)| literal.value != **chunk) {
        if site.is_some_and(|site| *site != literal.site) {
            return Err(Reason::SeveralPlaces);
        }
        site = Some(&literal.site);
    }
    let site = site.ok_or(Reason::NoChange)?;
    let pairs: Vec<(&str, &str)> = text
        .literals()
        .zip(&chunks)
        .filter(|(literal, _)| literal.site == *site)
        .map(|(literal, chunk)| (literal.value.as_str(), chunk.as_str()))
        .collect();
    let file = project.file(&site.path).ok_or(Reason::NoPiece)?;
    let source = file.text.get(site.range.clone()).ok_or(Reason::NoPiece)?;
    let text = replaced_in(source, &pairs).ok_or(Reason::NotWritable)?;
    Ok(Patch { file, range: site.range.clone(), text })
}

/// What each literal part must become: the holes keep the values they had in the run, in their order.
fn chunks(text: &Text, old: &str, new: &str) -> Result<Vec<String>, Reason> {
    let values = hole_values(text, old).ok_or(Reason::NotWritable)?;
    let mut rest = new;
    let mut out = Vec::new();
    let mut groups = text.parts.split(|part| *part == TextPart::Hole);
    let mut written = |chunk: &str, group: &[TextPart]| distributed(chunk, group).map(|parts| out.extend(parts));
    for (value, group) in values.iter().zip(&mut groups) {
        if new.matches(value.as_str()).count() != 1 {
            return Err(Reason::DroppedExpression);
        }
        let (before, behind) = rest.split_once(value.as_str()).ok_or(Reason::DroppedExpression)?;
        written(before, group)?;
        rest = behind;
    }
    written(rest, groups.next().unwrap_or_default())?;
    Ok(out)
}

/// A new chunk spread over the literals that make up the old one: all but one of them stay.
fn distributed(chunk: &str, group: &[TextPart]) -> Result<Vec<String>, Reason> {
    let old: Vec<&str> = group
        .iter()
        .filter_map(|part| match part {
            TextPart::Literal(literal) => Some(literal.value.as_str()),
            TextPart::Hole => None,
        })
        .collect();
    if old.concat() == chunk {
        return Ok(old.into_iter().map(str::to_owned).collect());
    }
    let fits = (0..old.len()).filter_map(|changed| {
        let (before, after) = old.split_at_checked(changed)?;
        let middle = chunk.strip_prefix(before.concat().as_str())?.strip_suffix(after.get(1..)?.concat().as_str())?;
        Some((changed, middle))
    });
    let fits: Vec<(usize, &str)> = fits.collect();
    let [(changed, middle)] = fits.as_slice() else { return Err(Reason::SeveralPlaces) };
    let keep = |(at, value): (usize, &&str)| if at == *changed { (*middle).to_owned() } else { (*value).to_owned() };
    Ok(old.iter().enumerate().map(keep).collect())
}

/// What stood in the holes of the run; `None` when that cannot be said for sure.
pub(super) fn hole_values(text: &Text, value: &str) -> Option<Vec<String>> {
    let mut out = Vec::new();
    let mut rest = value;
    let mut open = false;
    for part in &text.parts {
        match part {
            TextPart::Hole if open => return None,
            TextPart::Hole => open = true,
            TextPart::Literal(literal) if !open => rest = rest.strip_prefix(literal.value.as_str())?,
            TextPart::Literal(literal) => {
                if rest.matches(literal.value.as_str()).count() != 1 {
                    return None;
                }
                let (hole, behind) = rest.split_once(literal.value.as_str())?;
                out.push(hole.to_owned());
                rest = behind;
                open = false;
            }
        }
    }
    if open {
        out.push(rest.to_owned());
    }
    let known = out.iter().all(|hole| !hole.is_empty()) && (open || rest.is_empty());
    known.then_some(out)
}

/// The literal's source with each old chunk written anew; what stands between the chunks (substitutions, placeholders)
/// stays as it is.
fn replaced_in(source: &str, pairs: &[(&str, &str)]) -> Option<String> {
    let quote = source.chars().next()?;
    let (open, rest) = source.split_at_checked(quote.len_utf8())?;
    let inside = rest.strip_suffix(quote)?;
    let mut out = String::from(open);
    if let [(_, new)] = pairs
        && literal::cook(inside).as_deref() == pairs.first().map(|(old, _)| *old)
    {
        out.push_str(&literal::escape(new, quote));
        out.push(quote);
        return Some(out);
    }
    let mut rest = inside;
    for (old, new) in pairs {
        let written = written_chunk(rest, old, quote)?;
        let (between, behind) = rest.split_once(written.as_str())?;
        out.push_str(between);
        out.push_str(&literal::escape(new, quote));
        rest = behind;
    }
    out.push_str(rest);
    out.push(quote);
    Some(out)
}

/// How a chunk is spelled in the source: as it is, or as it is escaped.
fn written_chunk(source: &str, value: &str, quote: char) -> Option<String> {
    [value.to_owned(), literal::escape(value, quote)].into_iter().find(|text| source.contains(text.as_str()))
}
