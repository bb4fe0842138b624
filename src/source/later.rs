//! What the rest of a test names: the locators of the steps that a failing test did not come to.
//!
//! Syntax only. Says nothing about pages, and leaves out what is asserted: an assertion may be about the very step.

use std::ops::Range;

use super::project::Project;
use super::shape;
use crate::domain::locator::Locator;

/// At most so many steps are read.
const MOST: usize = 50;

/// The locators of the steps behind `line` in the test that holds it, as far as they are literal.
pub fn later_locators(project: &Project, path: &str, line: u32, test_id_attribute: &str) -> Vec<Locator> {
    let Some(file) = project.files().find(|file| file.path == path) else { return Vec::new() };
    let Some(test) = shape::tests(file).into_iter().find(|test| (test.line..=test.last_line).contains(&line)) else {
        return Vec::new();
    };
    let behind = shape::steps(file, &test).into_iter().filter(|step| step.line > line && !step.is_assertion);
    let calls: Vec<Range<usize>> = behind.take(MOST).map(|step| step.call).collect();
    let made = file.root().descendants().filter(|at| at.kind() == "call_expression" && calls.contains(&at.range()));
    made.filter_map(|call| call.field("function")?.field("object"))
        .filter_map(|receiver| Locator::from_source(receiver.text(), test_id_attribute).ok())
        .filter(|locator| !locator.steps.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::locator::render::Style;
    use crate::source::imports::Aliases;

    const SPEC: &str = "\
test('one', async ({ page }) => {
  await page.locator('#first').fill('a');
  await page.locator('#second').fill('b (c).fill(');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Send' }).click();
  await page.locator(selector).click();
  await signIn(page);
  await expect(page.getByText('Sent')).toBeVisible();
});
test('two', async ({ page }) => {
  await page.locator('#third').click();
});
";

    #[test]
    fn the_literal_steps_behind_a_line_of_the_same_test_are_named_and_no_assertion() {
        let project =
            Project::load(&["a.ts"], &Aliases::default(), &mut |path| (path == "a.ts").then(|| SPEC.to_owned()));
        let named = |line: u32| -> Vec<String> {
            let found = later_locators(&project, "a.ts", line, "data-testid");
            found.iter().map(|locator| locator.to_js(Style::default())).collect()
        };
        assert_eq!(named(2), ["locator('#second')", "getByRole('button', { name: 'Send' })"]);
        assert_eq!(named(5), Vec::<String>::new());
        assert_eq!(named(10), ["locator('#third')"]);
        assert_eq!(named(40), Vec::<String>::new());
    }
}
