use super::*;

#[track_caller]
fn in_spec(body: &str, printed: &str, step: usize, shape: Shape) {
    for path in ["tests/a.spec.ts", "tests/a.spec.js", "tests/a.spec.tsx"] {
        found(&[(path, &spec(body))], printed, step, shape);
    }
}

#[test]
fn a_locator_on_the_action_line_is_found() {
    in_spec("  await page.«locator('#a')».①click();", "locator('#a')", 0, Shape::Inline);
    in_spec(
        "  await page.locator('#panel').«getByRole('button', { name: 'Save' })».①click();",
        "locator('#panel').getByRole('button', { name: 'Save' })",
        1,
        Shape::Inline,
    );
    in_spec(
        "  await page.«getByText(/Total: \\d+/)».first().①click();",
        "getByText(/Total: \\d+/).first()",
        0,
        Shape::Inline,
    );
    in_spec("  await page.getByText('Grüße 😀').«nth(2)».①click();", "getByText('Grüße 😀').nth(2)", 1, Shape::Inline);
}

#[test]
fn a_call_that_makes_two_steps_is_one_piece() {
    let printed = "locator('li').filter({ hasText: 'Milk' }).getByRole('button')";
    in_spec(
        "  await page.«locator('li', { hasText: 'Milk' })».getByRole('button').①click();",
        printed,
        1,
        Shape::Inline,
    );
    in_spec(
        "  await page.locator('li').«filter({ hasText: 'Milk' })».getByRole('button').①click();",
        printed,
        1,
        Shape::Inline,
    );
    in_spec("  await page.«locator('#a >> text=b')».①click();", "locator('#a').locator('text=b')", 1, Shape::Inline);
    in_spec("  await page.«locator('css=#a >> nth=0')».①click();", "locator('#a').first()", 1, Shape::Inline);
}

#[test]
fn a_chain_over_several_lines_is_found_by_its_step() {
    let body = "  await page\n    .locator('#panel')\n    .«getByRole('button', {\n      name: 'Save',\n    })»\n    .①click();";
    in_spec(body, "locator('#panel').getByRole('button', { name: 'Save' })", 1, Shape::Inline);
}

#[test]
fn frames_are_steps() {
    in_spec(
        "  await page.«frameLocator('#pay')».getByLabel('Card').①fill('1');",
        "locator('#pay').contentFrame().getByLabel('Card')",
        1,
        Shape::Inline,
    );
    in_spec(
        "  await page.frameLocator('#pay').«getByLabel('Card')».①fill('1');",
        "frameLocator('#pay').getByLabel('Card')",
        2,
        Shape::Inline,
    );
    in_spec(
        "  await page.«locator('#pay')».contentFrame().getByLabel('Card').①fill('1');",
        "locator('#pay').contentFrame().getByLabel('Card')",
        0,
        Shape::Inline,
    );
}

#[test]
fn a_frame_that_is_picked_from_several_is_still_entered_after() {
    in_spec(
        "  await page.«frameLocator('.pay')».first().getByLabel('Card').①fill('1');",
        "locator('.pay').first().contentFrame().getByLabel('Card')",
        0,
        Shape::Inline,
    );
}

#[test]
fn regular_expressions_agree_however_they_are_spelled() {
    in_spec("  await page.«getByText(/a\\/b/mi)».①click();", "getByText(/a\\/b/im)", 0, Shape::Inline);
}

#[test]
fn inner_locators_are_compared_as_well() {
    let printed = "getByRole('listitem').filter({ has: getByText('Milk') }).getByRole('button')";
    in_spec(
        "  await page.getByRole('listitem').«filter({ has: page.getByText('Milk') })».getByRole('button').①click();",
        printed,
        1,
        Shape::Inline,
    );
    let other =
        "  await page.getByRole('listitem').filter({ has: page.getByText('Eggs') }).getByRole('button').①click();";
    refused(&[("tests/a.spec.ts", &spec(other))], printed, Reason::OtherSite);
}

#[test]
fn a_legacy_call_is_found_by_its_selector() {
    in_spec("  await page.①click(«'#save'»);", "locator('#save')", 0, Shape::Inline);
    in_spec("  await page.①fill(«'#name'», 'Ann');", "locator('#name')", 0, Shape::Inline);
    in_spec("  await page.①waitForSelector(«\"text=Done\"»);", "locator('text=Done')", 0, Shape::Inline);
    in_spec("  await page.①dragAndDrop('#a', «'#b'»);", "locator('#b')", 0, Shape::Inline);
    in_spec("  await page.①click(«'#save'»);", "#save", 0, Shape::Inline);
}

#[test]
fn the_target_of_a_drag_is_told_from_its_source() {
    in_spec("  await page.locator('#a').①dragTo(page.«locator('#b')»);", "locator('#b')", 0, Shape::Inline);
    in_spec("  await page.«locator('#a')».①dragTo(page.locator('#b'));", "locator('#a')", 0, Shape::Inline);
}

#[test]
fn a_variable_is_followed_to_its_declaration() {
    in_spec(
        "  const save = page.«getByRole('button', { name: 'Save' })»;\n  await save.①click();",
        "getByRole('button', { name: 'Save' })",
        0,
        Shape::Variable,
    );
    in_spec(
        "  const panel = page.locator('#panel');\n  const row = panel.«locator('.row')»;\n  await row.getByText('x').①click();",
        "locator('#panel').locator('.row').getByText('x')",
        1,
        Shape::Variable,
    );
    in_spec(
        "  let save;\n  save = page.«locator('#save')»;\n  await save.①click();",
        "locator('#save')",
        0,
        Shape::Variable,
    );
}

#[test]
fn an_assertion_subject_is_found_and_said() {
    for (body, asserted) in [
        ("  await expect(page.«locator('#total')»).①toHaveText('1');", true),
        ("  await expect.soft(page.«locator('#total')», 'total').not.①toHaveText('1');", true),
        ("  await page.«locator('#total')».①click();", false),
    ] {
        let definition = ask(&unmark(&[("a.spec.ts", &spec(body))]), "locator('#total')").unwrap();
        assert_eq!(definition.in_assertion, asserted, "{body}");
    }
}

#[test]
fn a_definition_that_feeds_an_assertion_says_so() {
    let body =
        "  const total = page.«locator('#total')»;\n  await total.①click();\n  await expect(total).toHaveText('1');";
    let definition = ask(&unmark(&[("a.spec.ts", &spec(body))]), "locator('#total')").unwrap();
    let piece = definition.piece_of(0).unwrap();
    assert!(piece.feeds_expect);
    assert_eq!(piece.uses, [5, 6]);
}

#[test]
fn an_async_frame_points_at_its_await() {
    in_spec("  ①await page.«locator('#a')».click();", "locator('#a')", 0, Shape::Inline);
}

#[test]
fn a_frame_without_column_leaves_the_line() {
    let mut marked =
        unmark(&[("a.spec.ts", &spec("  await page.locator('#x').click(); await page.«locator('#a')».①click();"))]);
    marked.frames[0].column = 0;
    let definition = ask(&marked, "locator('#a')").unwrap();
    assert_eq!(definition.piece_of(0).unwrap().call.range, marked.place.unwrap().1);
}

#[test]
fn a_test_that_timed_out_is_searched_by_the_locator() {
    let text = "import { test } from '@playwright/test';\n①test('a', async ({ page }) => {\n  await page.locator('#x').click();\n  await page.«locator('#a')».click();\n});\n";
    found(&[("a.spec.ts", text)], "locator('#a')", 0, Shape::Inline);
    let twice = text.replace("#x", "#a");
    assert!(ask(&unmark(&[("a.spec.ts", &twice)]), "locator('#a')").is_err());
}

#[test]
fn a_described_locator_is_found_by_its_description() {
    in_spec("  await page.«locator('#a')».describe('Save button').①click();", "Save button", 0, Shape::Inline);
}

#[test]
fn items_of_all_are_followed_to_the_list() {
    in_spec(
        "  for (const item of await page.«getByRole('listitem')».all()) await item.①click();",
        "getByRole('listitem').nth(3)",
        0,
        Shape::Inline,
    );
}

#[test]
fn pages_of_any_making_are_roots() {
    for body in [
        "  const popup = await page.waitForEvent('popup');\n  await popup.«locator('#a')».①click();",
        "  const [popup] = await Promise.all([page.waitForEvent('popup'), page.click('#x')]);\n  await popup.«locator('#a')».①click();",
        "  const other = await page.context().newPage();\n  await other.«locator('#a')».①click();",
        "  await page.mainFrame().«locator('#a')».①click();",
    ] {
        in_spec(body, "locator('#a')", 0, if body.contains("await p.") { Shape::Variable } else { Shape::Inline });
    }
}
