//! Rule C5: the chain is Playwright's, as far as anything in the file speaks against it.

use tree_sitter::Node;

use super::chain::root_of;
use super::names;
use super::place::Pair;
use super::violation::{Prohibition, Violation};
use crate::source::language::{Kind, kind};
use crate::source::syntax::{Source, unwrapped};

/// Libraries that have methods of the same names.
const FOREIGN: [&str; 9] = [
    "@testing-library/",
    "testing-library",
    "cypress",
    "webdriverio",
    "@wdio/",
    "selenium-webdriver",
    "puppeteer",
    "vitest/browser",
    "testcafe",
];

/// Refuses a chain that is evidently another library's.
pub(super) fn playwright(source: &Source<'_>, pair: &Pair<'_>) -> Result<(), Violation> {
    let Some(chain) = pair.path.last() else { return Ok(()) };
    let (root, _) = root_of(source, *chain);
    let name = source.of(root);
    let foreign_root = |name: &str| matches!(name, "screen" | "cy" | "within" | "render");
    if kind(root) == Kind::Identifier {
        let made_by_foreign = names::bindings(source, name).unwrap_or_default().iter().any(|binding| {
            binding.value.map(unwrapped).is_some_and(|value| {
                let (root, names) = root_of(source, value);
                names.is_empty() && kind(value) == Kind::Call && foreign_root(source.of(root))
            })
        });
        if foreign_root(name) || made_by_foreign {
            return Err(Violation::new(Prohibition::Foreign, name));
        }
    }
    let foreign = FOREIGN.iter().find(|module| imports(source, module));
    match foreign {
        Some(module) if !imports(source, "playwright") => Err(Violation::new(Prohibition::Foreign, *module)),
        _ => Ok(()),
    }
}

/// Whether the file imports or requires a module whose name holds `part`.
fn imports(source: &Source<'_>, part: &str) -> bool {
    source.text().match_indices(part).take(256).any(|(at, _)| {
        let path: Vec<Node<'_>> = source.path_to(at..at + part.len());
        let quoted = path.iter().any(|node| kind(*node) == Kind::String);
        let loaded = path.iter().any(|node| match kind(*node) {
            Kind::Import => true,
            Kind::Call => {
                let function = node.child_by_field_name("function").map_or("", |function| source.of(function));
                matches!(function, "require" | "import")
            }
            _ => false,
        });
        quoted && loaded
    })
}
