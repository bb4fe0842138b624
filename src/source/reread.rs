//! What the failed locator says after an edit of its source: the other way round from [`super::write`].
//!
//! In: where the locator is defined, the file before and after. Out: the whole locator as it would be, or why it cannot be
//! told. Only literal text is read; what is put together at run time is refused.

use std::ops::Range;

use super::literal::cook;
use super::locate::{Definition, Literal, Piece};
use crate::domain::locator::Locator;

/// A file before and after.
#[derive(Debug, Clone, Copy)]
pub struct Edited<'e> {
    /// Project-relative path.
    pub path: &'e str,
    /// The whole text before.
    pub before: &'e str,
    /// The whole text after.
    pub after: &'e str,
}

/// Why the locator after the edit is not known, as a sentence.
pub type Unread = &'static str;

/// The failed locator and where its source is.
#[derive(Debug, Clone, Copy)]
pub struct Failed<'f> {
    /// Where it is defined.
    pub definition: &'f Definition,
    /// The locator, step for step as the definition counts them.
    pub locator: &'f Locator,
    /// The attribute that `getByTestId` looks at.
    pub test_id_attribute: &'f str,
}

/// The locator after the edit.
pub fn reread(failed: &Failed<'_>, edit: &Edited<'_>) -> Result<Locator, Unread> {
    // An insertion beside equal text can be described in two ways; either one that fits will do.
    let [first, second] = changed(edit.before, edit.after);
    read_at(failed, edit, &first).or_else(|why| read_at(failed, edit, &second).map_err(|_| why))
}

fn read_at(failed: &Failed<'_>, edit: &Edited<'_>, changed: &Range<usize>) -> Result<Locator, Unread> {
    let Failed { definition, locator: old, test_id_attribute } = *failed;
    if let Some((piece, literal)) = literal_around(definition, edit.path, changed) {
        let value = after(edit, &literal.site.range).and_then(|raw| value_of(raw, literal)).ok_or(NOT_LITERAL)?;
        let new = of_value(piece, &value, test_id_attribute)?;
        return Ok(replaced(old, &piece.steps, &new));
    }
    let touched: Vec<&Piece> = definition
        .pieces
        .iter()
        .filter(|piece| piece.call.path == edit.path && !piece.legacy)
        .filter(|piece| piece.call.range.start <= changed.end && changed.start <= piece.call.range.end)
        .collect();
    let (Some(first), Some(last)) = (touched.first(), touched.last()) else {
        return Err("the edit is not on the locator that failed");
    };
    let span = first.call.range.start..last.call.range.end;
    if changed.start < span.start || changed.end > span.end {
        return Err("the edit reaches beyond the locator that failed");
    }
    let steps = touched.iter().map(|piece| &piece.steps).filter(|steps| !steps.is_empty());
    let (from, to) = steps.fold((usize::MAX, 0), |(from, to), steps| (from.min(steps.start), to.max(steps.end)));
    if from >= to {
        return Err("the edit changes nothing that finds an element");
    }
    let text = after(edit, &span).ok_or(NOT_LITERAL)?;
    let new = Locator::from_source(text, test_id_attribute).map_err(|_| NOT_LITERAL)?;
    Ok(replaced(old, &(from..to), &new))
}

const NOT_LITERAL: Unread =
    "what it finds cannot be told from the text alone: it must be a chain of locator methods with literal arguments";

/// Where the two texts differ, in bytes of the one before, at whole characters: with as much as possible taken for equal in
/// front of the difference, and behind it.
fn changed(before: &str, after: &str) -> [Range<usize>; 2] {
    let same = |a: &mut dyn Iterator<Item = char>, b: &mut dyn Iterator<Item = char>| {
        a.zip(b).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum::<usize>()
    };
    let head = same(&mut before.chars(), &mut after.chars());
    let shorter = before.len().min(after.len());
    let tail = same(&mut before.chars().rev(), &mut after.chars().rev());
    let (less_tail, less_head) = (tail.min(shorter - head), head.min(shorter - tail));
    [head..before.len() - less_tail, less_head..before.len() - tail]
}

/// What stands after the edit where `range` stood before: everything outside of the range is the same.
fn after<'e>(edit: &Edited<'e>, range: &Range<usize>) -> Option<&'e str> {
    let behind = edit.before.len().checked_sub(range.end)?;
    edit.after.get(range.start..edit.after.len().checked_sub(behind)?)
}

/// The one literal that holds the change and is held apart from the call that uses it, or is the selector of an action.
fn literal_around<'d>(
    definition: &'d Definition,
    path: &str,
    changed: &Range<usize>,
) -> Option<(&'d Piece, &'d Literal)> {
    let holds = |range: &Range<usize>| range.start < changed.start && changed.end < range.end;
    let mut found = definition.pieces.iter().flat_map(|piece| {
        let literals = piece.texts.iter().filter_map(|text| text.whole().filter(|_| text.option.is_empty()));
        literals
            .filter(|literal| literal.site.path == path && holds(&literal.site.range))
            .filter(|literal| {
                let within = piece.call.path == path
                    && piece.call.range.start <= literal.site.range.start
                    && literal.site.range.end <= piece.call.range.end;
                piece.legacy || !within
            })
            .map(move |literal| (piece, literal))
    });
    let only = found.next()?;
    found.next().is_none().then_some(only)
}

/// The value of a string that still is one string in the same quotes.
fn value_of(raw: &str, literal: &Literal) -> Option<String> {
    let quote = raw.chars().next().filter(|c| matches!(c, '\'' | '"' | '`'))?;
    let inner = raw.strip_prefix(quote)?.strip_suffix(quote)?;
    let mut escaped = false;
    let closes = inner.chars().any(|c| {
        let ends = c == quote && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    let holes = quote == '`' && inner.contains("${");
    let cooked = cook(inner)?;
    (!closes && !holes && cooked != literal.value).then_some(cooked)
}

/// What the piece finds with `value` as its only string.
fn of_value(piece: &Piece, value: &str, test_id_attribute: &str) -> Result<Locator, Unread> {
    let read = if piece.legacy || matches!(piece.method.as_str(), "locator" | "frameLocator") {
        Locator::from_internal(value)
    } else {
        Locator::from_source(&format!("{}({})", piece.method, serde_json::Value::from(value)), test_id_attribute)
    };
    let read = read.map_err(|_| "the new selector cannot be read")?;
    if piece.texts.len() == 1 && read.steps.len() == piece.steps.len().max(1) { Ok(read) } else { Err(NOT_LITERAL) }
}

fn replaced(old: &Locator, steps: &Range<usize>, new: &Locator) -> Locator {
    let before = old.steps.get(..steps.start).unwrap_or_default();
    let behind = old.steps.get(steps.end..).unwrap_or_default();
    Locator { steps: [before, &new.steps, behind].concat() }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::domain::locator::render::Style;
    use crate::source::imports::Aliases;
    use crate::source::locate::{Frame, Question, locate};
    use crate::source::project::Project;

    /// Replaces `old` by `new` in `path` and reads the locator again; the call stands where `①` is.
    fn read(files: &[(&str, &str)], printed: &str, (path, old, new): (&str, &str, &str)) -> Result<String, Unread> {
        let mut frames = Vec::new();
        let mut texts = BTreeMap::new();
        for (name, marked) in files {
            if let Some(at) = marked.find('①') {
                let head = marked.get(..at).unwrap();
                let line = u32::try_from(head.matches('\n').count()).unwrap() + 1;
                let column = u32::try_from(head.rsplit('\n').next().unwrap().chars().count()).unwrap() + 1;
                frames.push(Frame { path: (*name).to_owned(), line, column });
            }
            texts.insert((*name).to_owned(), marked.replace('①', ""));
        }
        let entries: Vec<&str> = frames.iter().map(|frame| frame.path.as_str()).collect();
        let project = Project::load(&entries, &Aliases::default(), &mut |path| texts.get(path).cloned());
        let definition = locate(&project, &Question { frames: &frames, locator: Some(printed) }).unwrap();
        let stale = Locator::from_source(printed, "data-testid").unwrap();
        let before = &texts[path];
        assert!(before.contains(old), "{before}");
        let after = before.replacen(old, new, 1);
        let edit = Edited { path, before, after: &after };
        let failed = Failed { definition: &definition, locator: &stale, test_id_attribute: "data-testid" };
        reread(&failed, &edit).map(|locator| locator.to_js(Style::default()))
    }

    const INLINE: &str = "import { test } from '@playwright/test';\ntest('a', async ({ page }) => {\n  await page.locator('#panel').getByTestId('old').①click();\n  await page.getByTestId('other').click();\n});\n";

    #[test]
    fn a_chain_is_read_with_what_stands_around_the_change() {
        let printed = "locator('#panel').getByTestId('old')";
        for (old, new, read_as) in [
            (
                "getByTestId('old')",
                "getByRole('button', { name: 'Go' })",
                "locator('#panel').getByRole('button', { name: 'Go' })",
            ),
            ("'old'", "'new'", "locator('#panel').getByTestId('new')"),
            ("getByTestId('old')", "getByTestId('old').first()", "locator('#panel').getByTestId('old').first()"),
            ("locator('#panel')", "getByRole('form')", "getByRole('form').getByTestId('old')"),
            ("locator('#panel').getByTestId('old')", "getByLabel('Go')", "getByLabel('Go')"),
        ] {
            assert_eq!(
                read(&[("t.spec.ts", INLINE)], printed, ("t.spec.ts", old, new)).as_deref(),
                Ok(read_as),
                "{new}"
            );
        }
    }

    #[test]
    fn what_is_not_on_the_locator_or_not_literal_is_refused() {
        let printed = "locator('#panel').getByTestId('old')";
        for (old, new) in [
            ("'other'", "'new'"),
            ("'old'", "name"),
            ("'old'", "`x${1}`"),
            ("click()", "dblclick()"),
            ("test('a'", "test('b'"),
            ("await page.locator('#panel').getByTestId('old')", "page.getByTestId('new')"),
        ] {
            let seen = read(&[("t.spec.ts", INLINE)], printed, ("t.spec.ts", old, new));
            assert!(seen.is_err(), "{new}: {seen:?}");
        }
    }

    #[test]
    fn a_constant_a_page_object_and_an_actions_selector_are_read() {
        let spec = "import { test } from '@playwright/test';\nimport { SEL, Form } from './form';\ntest('a', async ({ page }) => {\n  await page.locator(SEL.save).①click();\n});\n";
        let form = "export const SEL = { save: '#save-old' };\nexport class Form {}\n";
        let files = [("t.spec.ts", spec), ("form.ts", form)];
        assert_eq!(
            read(&files, "locator('#save-old')", ("form.ts", "#save-old", "#save-new")).as_deref(),
            Ok("locator('#save-new')")
        );
        let legacy = "import { test } from '@playwright/test';\ntest('a', async ({ page }) => {\n  await page.①click('#go');\n});\n";
        assert_eq!(
            read(&[("t.spec.ts", legacy)], "locator('#go')", ("t.spec.ts", "#go", "#run")).as_deref(),
            Ok("locator('#run')")
        );
    }
}
