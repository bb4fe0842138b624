//! The counter-test's source: a copy of the test, and of the files between it and the healed step, in which that one step
//! does nothing.
//!
//! Pure: says which texts belong at which paths; writing and removing them is the caller's work.

use std::collections::{BTreeMap, BTreeSet};

use super::position;
use super::project::{Project, call_at};
use super::tree::{At, SourceFile};

/// Where a step is called: the byte at which its method's name starts, as V8 says where a frame stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepSite<'a> {
    /// The file.
    pub path: &'a str,
    /// The byte offset.
    pub offset: usize,
}

/// Playwright's actions that give nothing back: a promise of nothing can stand in their place.
const VOID_ACTIONS: [&str; 21] = [
    "blur",
    "check",
    "clear",
    "click",
    "dblclick",
    "dispatchEvent",
    "dragAndDrop",
    "dragTo",
    "fill",
    "focus",
    "highlight",
    "hover",
    "press",
    "pressSequentially",
    "scrollIntoViewIfNeeded",
    "selectText",
    "setChecked",
    "setInputFiles",
    "tap",
    "type",
    "uncheck",
];

/// `file` with the call at `offset` replaced by a promise of nothing, line for line; or why that cannot be done.
pub fn without_step(file: &SourceFile, offset: usize) -> Result<String, String> {
    let call = call_at(file, offset).filter(|call| call.kind() == "call_expression").ok_or_else(|| {
        format!("no call stands where the step was taken ({}:{})", file.path, position::line_of(&file.text, offset))
    })?;
    let method = call.method().map(At::text).unwrap_or_default();
    if !VOID_ACTIONS.contains(&method) && !discards_value(call) {
        return Err(format!("the value of `{method}` is used later in the test"));
    }
    let range = call.range();
    let old = call.text();
    // The lines below must keep their numbers, so that a failure there can be told.
    let newlines: String = old.chars().filter(|c| matches!(c, '\n' | '\r')).collect();
    let mut text = file.text.clone();
    text.replace_range(range, &format!("Promise.resolve({newlines})"));
    Ok(text)
}

/// Whether nothing looks at what the call gives back: it is a statement of its own, awaited or not.
fn discards_value(call: At<'_>) -> bool {
    call.ancestors()
        .find(|at| !matches!(at.kind(), "await_expression" | "parenthesized_expression"))
        .is_some_and(|at| at.kind() == "expression_statement")
}

/// The scratch copies of a counter-test: path → text, and the path of the test among them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scratch {
    /// The files to write, all of them new.
    pub files: BTreeMap<String, String>,
    /// The copy of the test file.
    pub test: String,
}

/// The copies that run `test` with the step at `site` taken out: the file with the step, the test file, and every file
/// through which the test imports it, each beside its original under a name that starts with `tag`, importing each other.
pub fn scratch(project: &Project, test: &str, site: StepSite<'_>, tag: &str) -> Result<Scratch, String> {
    let changed = project.file(site.path).ok_or_else(|| format!("`{}` was not read", site.path))?;
    let without = without_step(changed, site.offset)?;
    let copied = between(project, test, site.path);
    if !copied.contains(test) {
        return Err(format!("`{test}` does not import `{}` in a way that can be followed", site.path));
    }
    let mut files = BTreeMap::new();
    for path in &copied {
        let file = project.file(path).ok_or_else(|| format!("`{path}` was not read"))?;
        let stepless = (path == site.path).then_some(without.as_str());
        files.insert(renamed(path, tag), redirected(project, file, stepless, &copied, tag)?);
    }
    Ok(Scratch { files, test: renamed(test, tag) })
}

/// The files on any import path from `test` to `target`, both included; only `target` where there is none.
fn between(project: &Project, test: &str, target: &str) -> BTreeSet<String> {
    let mut reaching = BTreeSet::from([target.to_owned()]);
    loop {
        let more: Vec<String> = project
            .files()
            .filter(|file| !reaching.contains(&file.path))
            .filter(|file| project.imports_of(&file.path).iter().any(|import| reaching.contains(*import)))
            .map(|file| file.path.clone())
            .collect();
        if more.is_empty() {
            break;
        }
        reaching.extend(more);
    }
    let mut reached = BTreeSet::new();
    let mut open = vec![test.to_owned()];
    while let Some(path) = open.pop() {
        if reaching.contains(&path) && reached.insert(path.clone()) {
            open.extend(project.imports_of(&path).into_iter().map(str::to_owned));
        }
    }
    reached
}

/// The text of `file` (or `stepless` in its place) with the imports of copied files pointing at the copies.
fn redirected(
    project: &Project,
    file: &SourceFile,
    stepless: Option<&str>,
    copied: &BTreeSet<String>,
    tag: &str,
) -> Result<String, String> {
    let source = match stepless {
        Some(text) => SourceFile::parse(&file.path, text).ok_or("the copy without the step cannot be parsed")?,
        None => SourceFile::parse(&file.path, &file.text).ok_or("the file cannot be parsed")?,
    };
    let mut swaps = Vec::new();
    for at in source.root().descendants().filter(|at| at.kind() == "string" && is_specifier(at)) {
        let Some(specifier) = at.string_value() else { continue };
        let Some(target) = project.imported(file, &specifier).filter(|target| copied.contains(&target.path)) else {
            continue;
        };
        swaps.push((at.range(), relative(&file.path, &renamed(&target.path, tag), &specifier)));
    }
    let mut text = source.text;
    for (range, specifier) in swaps.into_iter().rev() {
        let quote = text.get(range.start..=range.start).unwrap_or("'").to_owned();
        text.replace_range(range, &format!("{quote}{specifier}{quote}"));
    }
    Ok(text)
}

/// Whether a string says what to import: of `import`, `export … from`, `import()` or `require()`.
fn is_specifier(at: &At<'_>) -> bool {
    at.parent().is_some_and(|above| match above.kind() {
        "import_statement" | "export_statement" => true,
        "arguments" => above
            .parent()
            .and_then(|call| call.field("function"))
            .is_some_and(|function| matches!(function.text(), "require" | "import")),
        _ => false,
    })
}

fn renamed(path: &str, tag: &str) -> String {
    match path.rsplit_once('/') {
        Some((folder, name)) => format!("{folder}/{tag}.{name}"),
        None => format!("{tag}.{path}"),
    }
}

/// The specifier by which `from` imports `to`, with the extension that the old specifier had, or none.
fn relative(from: &str, to: &str, old: &str) -> String {
    let here: Vec<&str> = from.split('/').collect();
    let there: Vec<&str> = to.split('/').collect();
    let folders = here.len() - 1;
    let shared = here.iter().zip(&there).take(folders.min(there.len() - 1)).take_while(|(a, b)| a == b).count();
    let up = folders - shared;
    let mut parts: Vec<&str> = if up == 0 { vec!["."] } else { vec![".."; up] };
    parts.extend(there.get(shared..).unwrap_or_default());
    let path = parts.join("/");
    let stem = EXTENSIONS.iter().find_map(|extension| path.strip_suffix(extension)).unwrap_or(&path);
    let extension = EXTENSIONS.iter().find(|extension| old.ends_with(*extension)).copied().unwrap_or_default();
    format!("{stem}{extension}")
}

const EXTENSIONS: [&str; 8] = [".ts", ".tsx", ".js", ".jsx", ".mts", ".mjs", ".cts", ".cjs"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::imports::Aliases;

    fn project(files: &[(&str, &str)]) -> Project {
        let map: BTreeMap<_, _> = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        let entries: Vec<&str> = files.iter().map(|(path, _)| *path).collect();
        Project::load(&entries, &Aliases::default(), &mut |path| map.get(path).cloned())
    }

    fn taken_out(text: &str, line: usize, name: &str) -> Result<String, String> {
        let file = SourceFile::parse("a.spec.ts", text).unwrap();
        let start: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
        without_step(&file, start + text.lines().nth(line - 1).unwrap().find(name).unwrap())
    }

    #[test]
    fn a_step_becomes_a_promise_of_nothing_wherever_it_stands() {
        for (before, after) in [
            ("await page.locator('#a').click();", "await Promise.resolve();"),
            (
                "await Promise.all([page.waitForURL('/x'), page.locator('#a').click()]);",
                "await Promise.all([page.waitForURL('/x'), Promise.resolve()]);",
            ),
            ("return this.save.click();", "return Promise.resolve();"),
            ("const go = () => page.locator('#a').click();", "const go = () => Promise.resolve();"),
            ("await page\n  .locator('#a')\n  .click();", "await Promise.resolve(\n\n);"),
        ] {
            let line = before.lines().position(|line| line.contains("click")).unwrap() + 1;
            assert_eq!(taken_out(before, line, "click").as_deref(), Ok(after), "{before}");
        }
    }

    #[test]
    fn a_step_whose_value_is_used_cannot_be_taken_out() {
        assert!(taken_out("const t = await page.locator('#a').textContent();", 1, "textContent").is_err());
        assert!(taken_out("await page.locator('#a').textContent();", 1, "textContent").is_ok());
        assert!(taken_out("await page.locator('#a').click();", 1, "await page").is_ok());
        assert!(taken_out("const x = 1;", 1, "x").is_err());
    }

    #[test]
    fn the_copies_import_each_other_and_leave_the_rest_alone() {
        let project = project(&[
            (
                "tests/a.spec.ts",
                "import { test } from '../fixtures';\nimport x from './other';\ntest('t', ({ p }) => p.go());\n",
            ),
            ("tests/other.ts", "export default 1;\n"),
            ("fixtures/index.ts", "import { P } from \"../pages/p.page\";\nexport const test = P;\n"),
            ("pages/p.page.ts", "export class P { async go() {\n  await this.b.click();\n} }\n"),
        ]);
        let site = StepSite { path: "pages/p.page.ts", offset: 45 };
        assert_eq!(project.file(site.path).unwrap().text.find("click"), Some(site.offset));
        let scratch = scratch(&project, "tests/a.spec.ts", site, "tmp").unwrap();
        assert_eq!(scratch.test, "tests/tmp.a.spec.ts");
        let texts: Vec<(&str, &str)> =
            scratch.files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        assert_eq!(
            texts,
            [
                ("fixtures/tmp.index.ts", "import { P } from \"../pages/tmp.p.page\";\nexport const test = P;\n"),
                ("pages/tmp.p.page.ts", "export class P { async go() {\n  await Promise.resolve();\n} }\n"),
                (
                    "tests/tmp.a.spec.ts",
                    "import { test } from '../fixtures/tmp.index';\nimport x from './other';\ntest('t', ({ p }) => p.go());\n"
                ),
            ]
        );
    }
}
