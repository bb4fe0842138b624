//! Each case: a source with ① where the call failed, the failed locator, what replaces which steps, the line expected.

use std::collections::BTreeMap;
use std::ops::Range;

use super::*;
use crate::source::imports::Aliases;
use crate::source::locate::{Frame, Question, locate};
use crate::source::position;

const TEST_ID: &str = "data-testid";

fn write(files: &[(&str, &str)], printed: &str, steps: Range<usize>, new: &str) -> Result<Rewrite, Reason> {
    let mut frames = BTreeMap::new();
    let mut texts = BTreeMap::new();
    for (path, marked) in files {
        let mut text = String::new();
        for c in marked.chars() {
            match "①②③".chars().position(|mark| mark == c) {
                Some(frame) => {
                    let column = text.rsplit('\n').next().unwrap_or_default().encode_utf16().count() + 1;
                    let line = position::line_of(&text, text.len());
                    frames.insert(
                        frame,
                        Frame { path: (*path).to_owned(), line, column: u32::try_from(column).unwrap() },
                    );
                }
                None => text.push(c),
            }
        }
        texts.insert((*path).to_owned(), text);
    }
    let frames: Vec<Frame> = frames.into_values().collect();
    let entries: Vec<&str> = frames.iter().map(|frame| frame.path.as_str()).collect();
    let project = Project::load(&entries, &Aliases::default(), &mut |path| texts.get(path).cloned());
    let definition = locate(&project, &Question { frames: &frames, locator: Some(printed) }).unwrap();
    let old = Locator::from_printed(printed, TEST_ID).unwrap();
    assert_eq!(old.steps.len(), definition.steps, "{old:?}");
    // A step that only narrows cannot stand alone: it is read behind another.
    let new = Locator::from_source(&format!("locator('x').{new}"), TEST_ID).unwrap().steps.split_off(1);
    let rewrite = rewrite(&project, &Change { definition: &definition, old: &old, steps, new: &new })?;
    let changed = rewrite.before.lines().zip(rewrite.after.lines()).filter(|(before, after)| before != after).count();
    assert_eq!((changed, rewrite.before.lines().count()), (1, rewrite.after.lines().count()));
    Ok(rewrite)
}

/// Gate two must accept what is written.
#[track_caller]
fn gated(rewrite: Rewrite) -> Rewrite {
    let verdict = crate::domain::gate::check(&rewrite.path, rewrite.before.as_bytes(), rewrite.after.as_bytes());
    if let Err(violation) = verdict {
        panic!("the gate refuses {}: {}", changed_line(&rewrite), violation.sentence());
    }
    rewrite
}

fn changed_line(rewrite: &Rewrite) -> String {
    let line = usize::try_from(rewrite.line).unwrap() - 1;
    rewrite.after.lines().nth(line).unwrap().trim().to_owned()
}

/// One line in a test: before, failed locator, steps, new, after.
#[track_caller]
fn line(before: &str, printed: &str, steps: Range<usize>, new: &str, after: &str) {
    let text =
        format!("import {{ test }} from '@playwright/test';\ntest('a', async ({{ page }}) => {{\n  {before}\n}});\n");
    let rewrite = gated(write(&[("a.spec.ts", &text)], printed, steps, new).unwrap());
    assert_eq!(changed_line(&rewrite), after);
}

#[track_caller]
fn not(before: &str, printed: &str, steps: Range<usize>, new: &str, reason: Reason) {
    let text = format!("test('a', async ({{ page }}) => {{\n  {before}\n}});\n");
    assert_eq!(write(&[("a.spec.ts", &text)], printed, steps, new).unwrap_err(), reason);
}

#[test]
fn a_call_becomes_another_call_in_the_quotes_of_the_old_one() {
    line(
        "await page.locator('#submit-btn').①click();",
        "locator('#submit-btn')",
        0..1,
        "getByTestId('submit-btn')",
        "await page.getByTestId('submit-btn').click();",
    );
    line(
        "await page.locator(\"#save\").①click({ force: true });",
        "locator('#save')",
        0..1,
        "getByRole('button', { name: 'Save' })",
        "await page.getByRole(\"button\", { name: \"Save\" }).click({ force: true });",
    );
    line(
        "await page.locator(\"#mail\").①click();",
        "locator('#mail')",
        0..1,
        "locator('[name=\"mail\"]')",
        "await page.locator(\"[name='mail']\").click();",
    );
    line(
        "await page.getByLabel(\"Mail\").①click();",
        "getByLabel('Mail')",
        0..1,
        "locator('[name=\"mail\"]')",
        "await page.locator(\"[name='mail']\").click();",
    );
    line(
        "await page.getByText('Go').①click();",
        "getByText('Go')",
        0..1,
        "getByText('Go', { exact: true })",
        "await page.getByText('Go', { exact: true }).click();",
    );
    line(
        "await page.locator(`#save`).①click();",
        "locator('#save')",
        0..1,
        "locator('#store')",
        "await page.locator(`#store`).click();",
    );
}

#[test]
fn only_the_string_changes_where_only_a_string_differs() {
    line(
        "await page.getByRole( 'button' , {exact: true, name: \"Save\"} ).①click();",
        "getByRole('button', { name: 'Save', exact: true })",
        0..1,
        "getByRole('button', { name: \"Store it's\", exact: true })",
        "await page.getByRole( 'button' , {exact: true, name: \"Store it's\"} ).click();",
    );
    line(
        "await page.getByRole('link', { name: 'Save', checked: true }).①click();",
        "getByRole('link', { name: 'Save', checked: true })",
        0..1,
        "getByRole('button', { name: 'Save', checked: true })",
        "await page.getByRole('button', { name: 'Save', checked: true }).click();",
    );
    line(
        "await page.locator('li', { hasText: 'Milk' }).getByRole('button').①click();",
        "locator('li').filter({ hasText: 'Milk' }).getByRole('button')",
        1..2,
        "filter({ hasText: 'Oat milk' })",
        "await page.locator('li', { hasText: 'Oat milk' }).getByRole('button').click();",
    );
}

#[test]
fn only_the_stale_link_of_a_chain_changes() {
    line(
        "await page.locator('#panel').locator('.save').first().①click();",
        "locator('#panel').locator('.save').first()",
        1..2,
        "getByRole('button', { name: 'Save' })",
        "await page.locator('#panel').getByRole('button', { name: 'Save' }).first().click();",
    );
    line(
        "await page.locator('#panel >> .save').①click();",
        "locator('#panel').locator('.save')",
        1..2,
        "locator('.store')",
        "await page.locator('#panel >> .store').click();",
    );
    line(
        "await page.locator('#panel >> .save').①click();",
        "locator('#panel').locator('.save')",
        1..2,
        "getByLabel('Save')",
        "await page.locator('#panel').getByLabel('Save').click();",
    );
    line(
        "await page.locator('.x', { hasText: /a b/ }).①click();",
        "locator('.x').filter({ hasText: /a b/ })",
        0..1,
        "getByRole('listitem')",
        "await page.getByRole('listitem').filter({ hasText: /a b/ }).click();",
    );
}

#[test]
fn the_options_of_a_locator_move_to_a_filter_as_they_are() {
    line(
        "await page.locator('.x', { has: page.getByText(name), hasText: `a${b}` }).①click();",
        "locator('.x').filter({ hasText: 'a1' }).filter({ has: getByText('y') })",
        0..1,
        "getByRole('listitem')",
        "await page.getByRole('listitem').filter({ has: page.getByText(name), hasText: `a${b}` }).click();",
    );
}

#[test]
fn neighbouring_calls_of_one_chain_may_become_one() {
    line(
        "await page.locator('.actions button').nth(0).①click();",
        "locator('.actions button').first()",
        0..2,
        "getByRole('button', { name: 'Export' })",
        "await page.getByRole('button', { name: 'Export' }).click();",
    );
}

#[test]
fn frames_stay_frames() {
    line(
        "await page.frameLocator('#pay').getByLabel('Card').①fill('1');",
        "locator('#pay').contentFrame().getByLabel('Card')",
        0..1,
        "locator('iframe[title=\"Pay\"]')",
        "await page.frameLocator('iframe[title=\"Pay\"]').getByLabel('Card').fill('1');",
    );
    line(
        "await page.locator('#card').①fill('1');",
        "locator('#card')",
        0..1,
        "frameLocator('#pay').locator('#card')",
        "await page.frameLocator('#pay').locator('#card').fill('1');",
    );
}

#[test]
fn legacy_calls_keep_a_selector_string() {
    for (new, selector) in [
        ("getByTestId('save')", "'[data-testid=\"save\"]'"),
        ("getByRole('button', { name: 'Save' })", "'role=button[name=\"Save\"]'"),
        ("getByText('Save')", "'text=Save'"),
        ("getByText('Save', { exact: true })", "'text=\"Save\"'"),
        ("getByPlaceholder('Name')", "'[placeholder=\"Name\"]'"),
        ("locator('.save')", "'.save'"),
    ] {
        line("await page.①click('#save');", "locator('#save')", 0..1, new, &format!("await page.click({selector});"));
    }
    line(
        "await page.①click(\"#save\");",
        "locator('#save')",
        0..1,
        "getByTestId('save')",
        "await page.click(\"[data-testid='save']\");",
    );
    not("await page.①click('#save');", "locator('#save')", 0..1, "getByLabel('Save')", Reason::NotAString);
    not(
        "await page.①click('#save');",
        "locator('#save')",
        0..1,
        "locator('iframe').contentFrame().locator('#save')",
        Reason::NotAString,
    );
}

#[test]
fn expressions_are_kept_or_the_change_is_refused() {
    line(
        "await page.getByTestId(`row-${id}`).①click();",
        "getByTestId('row-7')",
        0..1,
        "getByTestId('line-7')",
        "await page.getByTestId(`line-${id}`).click();",
    );
    line(
        "await page.locator(`#row-${id} .open`).①click();",
        "locator('#row-7 .open')",
        0..1,
        "locator('#row-7 .show')",
        "await page.locator(`#row-${id} .show`).click();",
    );
    line(
        "await page.locator(`#row-${id}`).①click();",
        "locator('#row-7')",
        0..1,
        "getByTestId('row-7')",
        "await page.getByTestId(`row-${id}`).click();",
    );
    line(
        "await page.getByRole('link', { name }).①click();",
        "getByRole('link', { name: 'Home' })",
        0..1,
        "getByRole('menuitem', { name: 'Home' })",
        "await page.getByRole('menuitem', { name }).click();",
    );
    line(
        "await page.locator('nav').getByText(label).①click();",
        "locator('nav').getByText('Home')",
        1..2,
        "getByRole('link', { name: 'Home' })",
        "await page.locator('nav').getByRole('link', { name: label }).click();",
    );
    not(
        "await page.getByTestId(`row-${id}`).①click();",
        "getByTestId('row-7')",
        0..1,
        "getByTestId('line-8')",
        Reason::DroppedExpression,
    );
    not(
        "await page.getByRole('link', { name }).①click();",
        "getByRole('link', { name: 'Home' })",
        0..1,
        "getByRole('link', { name: 'Start' })",
        Reason::DroppedExpression,
    );
}

#[test]
fn a_multi_line_call_changes_only_where_one_line_is_enough() {
    let before = "await page\n    .getByRole('button', {\n      name: 'Save',\n    })\n    .①click();";
    let printed = "getByRole('button', { name: 'Save' })";
    let text = format!("test('a', async ({{ page }}) => {{\n  {before}\n}});\n");
    let rewrite = write(&[("a.spec.ts", &text)], printed, 0..1, "getByRole('button', { name: 'Store' })").unwrap();
    assert_eq!(changed_line(&rewrite), "name: 'Store',");
    not(before, printed, 0..1, "getByTestId('save')", Reason::SeveralLines);
}

const SPEC: &str =
    "import { L } from './locators';\ntest('a', async ({ page }) => {\n  await page.CALL.①click();\n});\n";

#[track_caller]
fn constant(locators: &str, call: &str, printed: &str, new: &str) -> Result<String, Reason> {
    let spec = SPEC.replace("CALL", call);
    let rewrite = write(&[("a.spec.ts", &spec), ("locators.ts", locators)], printed, 0..1, new)?;
    assert_eq!(rewrite.path, "locators.ts");
    Ok(changed_line(&rewrite))
}

#[test]
fn a_selector_constant_stays_a_selector_string() {
    let locators = "export const L = {\n  save: \"#save\",\n};\n";
    let call = "locator(L.save)";
    let printed = "locator('#save')";
    assert_eq!(constant(locators, call, printed, "locator('#store')").unwrap(), "save: \"#store\",");
    assert_eq!(constant(locators, call, printed, "getByTestId('save')").unwrap(), "save: \"[data-testid='save']\",");
    assert_eq!(constant(locators, call, printed, "getByRole('tab')").unwrap(), "save: \"role=tab\",");
    assert_eq!(constant(locators, call, printed, "getByLabel('Save')").unwrap_err(), Reason::NotAString);
}

#[test]
fn a_placeholder_in_a_constant_is_kept() {
    let locators = "export const L = {\n  row: '#row-%s .open',\n};\n";
    let call = "locator(L.row.replace('%s', id))";
    let printed = "locator('#row-7 .open')";
    assert_eq!(constant(locators, call, printed, "locator('#row-7 .show')").unwrap(), "row: '#row-%s .show',");
    let locators = "export const L = {\n  row: (id) => `#row-${id} .open`,\n};\n";
    assert_eq!(
        constant(locators, "locator(L.row(id))", printed, "locator('#line-7 .open')").unwrap(),
        "row: (id) => `#line-${id} .open`,"
    );
}

#[test]
fn a_name_constant_changes_where_it_is_defined() {
    let locators = "export const L = {\n  save: 'Save',\n};\n";
    let call = "getByRole('button', { name: L.save })";
    let printed = "getByRole('button', { name: 'Save' })";
    assert_eq!(constant(locators, call, printed, "getByRole('button', { name: 'Store' })").unwrap(), "save: 'Store',");
    let spec = SPEC.replace("CALL", call);
    let rewrite =
        write(&[("a.spec.ts", &spec), ("locators.ts", locators)], printed, 0..1, "getByRole('link', { name: 'Save' })")
            .unwrap();
    assert_eq!(changed_line(&rewrite), "await page.getByRole('link', { name: L.save }).click();");
}

#[test]
fn carriage_returns_byte_order_marks_and_tight_braces_are_kept() {
    let text = "\u{feff}import {test} from '@playwright/test';\r\ntest('a', async ({page}) => {\r\n  await page.locator('#a').①click();\r\n});\r\n";
    let rewrite =
        write(&[("a.spec.ts", text)], "locator('#a')", 0..1, "getByRole('button', { name: 'A { b' })").unwrap();
    assert_eq!(rewrite.after, text.replace('①', "").replace("locator('#a')", "getByRole('button', {name: 'A { b'})"));
}

#[test]
fn the_same_text_is_no_change() {
    not("await page.locator('#a').①click();", "locator('#a')", 0..1, "locator('#a')", Reason::NoChange);
}

#[test]
fn a_constant_inside_a_template_changes_where_it_is_defined() {
    let text = "const GRID = '.ag-root';\nexport class GridPage {\n  cell(row) {\n    return this.page.locator(`${GRID} [row=\"${row}\"]`);\n  }\n  async open() {\n    await this.cell(3).①click();\n  }\n}\n";
    let rewrite = write(
        &[("grid.page.ts", text)],
        "locator('.ag-root [row=\"3\"]')",
        0..1,
        "locator('[role=\"treegrid\"] [row=\"3\"]')",
    );
    assert_eq!(changed_line(&gated(rewrite.unwrap())), "const GRID = '[role=\"treegrid\"]';");
}

#[test]
fn a_scope_that_is_gone_is_taken_out_of_its_chain() {
    let printed = "locator('#panel').getByText('Save')";
    let text = "test('a', async ({ page }) => {\n  await page.locator('#panel').getByText('Save').①click();\n});\n";
    let definition_of = |text: &str| {
        let project =
            Project::load(&["a.ts"], &Aliases::default(), &mut |path| (path == "a.ts").then(|| text.replace('①', "")));
        let column = u32::try_from(text.lines().nth(1).unwrap().chars().position(|c| c == '①').unwrap()).unwrap() + 1;
        let frames = [Frame { path: "a.ts".into(), line: 2, column }];
        let definition = locate(&project, &Question { frames: &frames, locator: Some(printed) }).unwrap();
        let old = Locator::from_source(printed, TEST_ID).unwrap();
        rewrite(&project, &Change { definition: &definition, old: &old, steps: 0..1, new: &[] })
    };
    assert_eq!(changed_line(&gated(definition_of(text).unwrap())), "await page.getByText('Save').click();");
}
