//! The shape of a test file: its tests with their titles and lines, and the steps of a test in order.
//! Syntax only; what a test does is not judged.

use std::ops::Range;

use super::locate::is_matcher;
use super::position;
use super::tree::{At, SourceFile};

/// A test as it is declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Test {
    /// The titles of the groups around it and its own, outermost first. A substitution in a template is written `${…}`.
    pub titles: Vec<String>,
    /// The line Playwright reports for it: that of the call, from 1.
    pub line: u32,
    /// The last line of its declaration.
    pub last_line: u32,
    /// Its callback's body, in bytes.
    pub body: Range<usize>,
    /// Whether one declaration makes several tests: it stands in a loop or its title has a substitution.
    pub repeated: bool,
}

/// One step of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestStep {
    /// The method that is called last: `click`, `toHaveText`, `signIn`.
    pub method: String,
    /// Whether it is an assertion.
    pub is_assertion: bool,
    /// The line of the method's name, from 1.
    pub line: u32,
    /// The call, in bytes.
    pub call: Range<usize>,
}

/// The tests that a file declares, in order.
pub fn tests(file: &SourceFile) -> Vec<Test> {
    file.root().descendants().filter_map(test_of).collect()
}

fn test_of(call: At<'_>) -> Option<Test> {
    let (title, callback) = titled(call)?;
    let name = called(call)?;
    is_test_name(name.root, name.member).then_some(())?;
    let body = callback.field("body")?;
    let mut titles = vec![title];
    let mut repeated = titles.iter().any(|title| title.contains("${"));
    for above in call.ancestors() {
        match above.kind() {
            "for_statement" | "for_in_statement" | "while_statement" => repeated = true,
            "call_expression" => {
                let method = above.method().map(At::text);
                repeated |= matches!(method, Some("forEach" | "map"));
                if let Some((group, _)) = titled(above) {
                    titles.push(group);
                }
            }
            _ => {}
        }
    }
    titles.reverse();
    let last_line = position::line_of(&call.file.text, call.node.end_byte());
    Some(Test { titles, line: call.line(), last_line, body: body.range(), repeated })
}

/// The title and the callback of a call like `test('…', …, async () => {})`.
fn titled(call: At<'_>) -> Option<(String, At<'_>)> {
    if call.kind() != "call_expression" {
        return None;
    }
    let arguments = call.arguments();
    let title = match arguments.first()?.kind() {
        "string" => arguments.first()?.string_value()?,
        "template_string" => template_title(*arguments.first()?),
        // A class or a computed title still makes a test; it has no words of its own.
        "identifier" | "member_expression" | "binary_expression" if arguments.len() > 1 => "${…}".to_owned(),
        _ => return None,
    };
    let callback = arguments.last()?.bare();
    let is_callback = matches!(callback.kind(), "arrow_function" | "function_expression");
    is_callback.then_some((title, callback))
}

fn template_title(template: At<'_>) -> String {
    let mut out = String::new();
    let mut from = template.node.start_byte() + 1;
    for child in template.children().into_iter().filter(|child| child.kind() == "template_substitution") {
        out.push_str(template.file.text.get(from..child.node.start_byte()).unwrap_or_default());
        out.push_str("${…}");
        from = child.node.end_byte();
    }
    out.push_str(template.file.text.get(from..template.node.end_byte().saturating_sub(1)).unwrap_or_default());
    out
}

/// A called name: `test`, or `test` and `only`.
struct Called<'a> {
    root: &'a str,
    member: Option<&'a str>,
}

fn called(call: At<'_>) -> Option<Called<'_>> {
    let function = call.field("function")?.bare();
    match function.kind() {
        "identifier" => Some(Called { root: function.text(), member: None }),
        "member_expression" => {
            let object = function.field("object")?.bare();
            let root = if object.kind() == "identifier" { object.text() } else { return None };
            Some(Called { root, member: Some(function.field("property")?.text()) })
        }
        _ => None,
    }
}

/// `test`, `it`, and fixtures' own names for it (`authTest`), plain or with one of the runner's modifiers.
fn is_test_name(root: &str, member: Option<&str>) -> bool {
    let is_test = matches!(root, "test" | "it") || root.ends_with("Test") || root.ends_with("_test");
    is_test && member.is_none_or(|member| matches!(member, "only" | "skip" | "fixme" | "fail" | "slow"))
}

/// The steps of a test's body, in source order: every call that is awaited or stands as a statement.
pub fn steps(file: &SourceFile, test: &Test) -> Vec<TestStep> {
    let in_body = |at: &At<'_>| test.body.start <= at.node.start_byte() && at.node.end_byte() <= test.body.end;
    file.root()
        .descendants()
        .filter(in_body)
        .filter(|at| at.kind() == "call_expression")
        .filter(|call| {
            call.parent().is_some_and(|above| matches!(above.kind(), "await_expression" | "expression_statement"))
        })
        .filter_map(step)
        .collect()
}

fn step(call: At<'_>) -> Option<TestStep> {
    let name = call.method().or_else(|| call.field("function"))?;
    Some(TestStep {
        method: name.text().to_owned(),
        is_assertion: call.method().is_some_and(|name| is_matcher(name.text())),
        line: name.line(),
        call: call.range(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::imports::Aliases;
    use crate::source::project::Project;

    const SPEC: &str = "\
import { test, expect } from './fixtures';
import { row } from './helpers';

test.describe('cart', () => {
  test.beforeEach(async ({ page }) => {
    await page.goto('/');
  });

  test('adds', { tag: '@fast' }, async ({ page }) => {
    await page.getByText('Add').click();
    const text = await page.getByText('x').textContent();
    await expect(page.getByText('1')).toBeVisible();
    await test.step('again', async () => {
      await row(page).click();
    });
  });

  for (const name of ['a', 'b']) {
    test(`removes ${name}`, async ({ page }) => {});
  }
});
adminTest.only('admin', async () => {});
";

    fn project(files: &[(&str, &str)]) -> Project {
        let entries: Vec<&str> = files.iter().map(|(path, _)| *path).collect();
        Project::load(&entries, &Aliases::default(), &mut |path| {
            files.iter().find(|(known, _)| *known == path).map(|(_, text)| (*text).to_owned())
        })
    }

    #[test]
    fn tests_are_listed_with_titles_lines_and_groups() {
        let project = project(&[("a.spec.ts", SPEC)]);
        let found = super::tests(project.file("a.spec.ts").unwrap());
        let rows: Vec<(String, u32, u32, bool)> =
            found.iter().map(|test| (test.titles.join(" › "), test.line, test.last_line, test.repeated)).collect();
        assert_eq!(
            rows,
            [
                ("cart › adds".to_owned(), 9, 16, false),
                ("cart › removes ${…}".to_owned(), 19, 19, true),
                ("admin".to_owned(), 22, 22, false),
            ]
        );
    }

    #[test]
    fn steps_come_in_order_and_say_whether_they_assert() {
        let project = project(&[("a.spec.ts", SPEC)]);
        let file = project.file("a.spec.ts").unwrap();
        let found = super::tests(file);
        let rows: Vec<(String, bool)> =
            steps(file, &found[0]).into_iter().map(|step| (step.method, step.is_assertion)).collect();
        let expected =
            [("click", false), ("textContent", false), ("toBeVisible", true), ("step", false), ("click", false)];
        assert_eq!(rows, expected.map(|(method, asserts)| (method.to_owned(), asserts)));
    }
}
