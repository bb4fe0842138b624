//! Who imports whom in a whole project, by a scan of the texts: fast enough for thousands of files, where parsing is not.
//!
//! The scan takes everything that looks like an import, also in a comment: for "who may be affected" too much is safe.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

use super::imports::{self, Aliases};

/// `from '…'`, `import '…'`, `import('…')`, `require('…')`.
static IMPORT: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"\b(?:from|import|require)\b\s*\(?\s*['"`]([^'"`\n]+)['"`]"#).ok());

/// An import whose file is computed: `import(path)`, `require(names[0])`.
static COMPUTED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"\b(?:import|require)\s*\(\s*[^'"`\s)]"#).ok());

/// The import graph of a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Graph {
    importers: BTreeMap<String, BTreeSet<String>>,
    imported: BTreeMap<String, BTreeSet<String>>,
    /// Files that are there, those that import nothing included.
    known: BTreeSet<String>,
    /// Files of which it cannot be said what they import.
    opaque: BTreeSet<String>,
}

/// A file that uses another, directly or through others.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct User {
    /// How many imports lie between: 0 for the file itself.
    pub distance: u32,
    /// Project-relative path.
    pub path: String,
}

impl Graph {
    /// The graph of `files`. `read` gives a file's text, or `None` for what cannot be read.
    pub fn of(files: &[&str], aliases: &Aliases, read: &mut dyn FnMut(&str) -> Option<String>) -> Self {
        let mut graph = Self { known: files.iter().map(|&file| file.to_owned()).collect(), ..Self::default() };
        for &file in files {
            let Some(text) = read(file) else { continue };
            let mut opaque = COMPUTED.as_ref().is_none_or(|pattern| pattern.is_match(&text));
            for specifier in specifiers(&text) {
                let candidates = imports::candidates(file, specifier, aliases);
                if let Some(target) = candidates.into_iter().find(|path| graph.known.contains(path)) {
                    graph.imported.entry(file.to_owned()).or_default().insert(target.clone());
                    graph.importers.entry(target).or_default().insert(file.to_owned());
                } else {
                    opaque |= may_be_a_source(specifier);
                }
            }
            if opaque {
                graph.opaque.insert(file.to_owned());
            }
        }
        graph
    }

    /// The files that `path` uses, itself included, directly or through others; `None` where that cannot be said, because
    /// one of them computes what it imports or imports a file that is not known.
    pub fn used_by(&self, path: &str) -> Option<BTreeSet<String>> {
        let mut found = BTreeSet::new();
        let mut open = vec![path];
        while let Some(file) = open.pop() {
            if !self.known.contains(file) || self.opaque.contains(file) {
                return None;
            }
            if found.insert(file.to_owned()) {
                open.extend(self.imported.get(file).into_iter().flatten().map(String::as_str));
            }
        }
        Some(found)
    }

    /// The files that use `path`, itself included, nearest first.
    pub fn users_of(&self, path: &str) -> Vec<User> {
        let mut found: BTreeMap<&str, u32> = BTreeMap::new();
        let mut frontier = vec![path];
        let mut distance = 0;
        while !frontier.is_empty() {
            let mut next = Vec::new();
            for file in frontier {
                if let std::collections::btree_map::Entry::Vacant(entry) = found.entry(file) {
                    entry.insert(distance);
                    next.extend(self.importers.get(file).into_iter().flatten().map(String::as_str));
                }
            }
            frontier = next;
            distance += 1;
        }
        let mut users: Vec<User> =
            found.into_iter().map(|(path, distance)| User { distance, path: path.to_owned() }).collect();
        users.sort();
        users
    }
}

/// Whether a specifier that leads to no known file may mean a source of the project all the same: no package, no data file.
fn may_be_a_source(specifier: &str) -> bool {
    specifier.contains("${") || specifier.starts_with('#') || (specifier.starts_with('.') && !is_data(specifier))
}

fn is_data(specifier: &str) -> bool {
    [".json", ".css", ".scss", ".svg", ".png", ".txt"].iter().any(|end| specifier.ends_with(end))
}

fn specifiers(text: &str) -> impl Iterator<Item = &str> {
    let found = IMPORT.as_ref().map(|pattern| pattern.captures_iter(text));
    found.into_iter().flatten().filter_map(|capture| capture.get(1)).map(|specifier| specifier.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_are_found_through_any_number_of_imports() {
        let files = [
            ("tests/a.spec.ts", "import { test } from '../fixtures';"),
            ("tests/b.spec.ts", "test('b', () => {});"),
            ("tests/c.spec.js", "const { P } = require(\"../pages/form.js\");"),
            ("tests/d.spec.ts", "const { P } = await import('@pages/form');"),
            ("fixtures.ts", "import {\n  P,\n} from './pages';"),
            ("pages/index.ts", "export * from './form';"),
            ("pages/form.ts", "export class P {}\nimport '../fixtures';"),
        ];
        let names: Vec<&str> = files.iter().map(|(path, _)| *path).collect();
        let aliases = Aliases { paths: vec![("@pages/*".into(), vec!["pages/*".into()])], ..Aliases::default() };
        let graph = Graph::of(&names, &aliases, &mut |path| {
            files.iter().find(|(known, _)| *known == path).map(|(_, text)| (*text).to_owned())
        });
        let users: Vec<(u32, String)> =
            graph.users_of("pages/form.ts").into_iter().map(|user| (user.distance, user.path)).collect();
        let expected = [
            (0, "pages/form.ts"),
            (1, "pages/index.ts"),
            (1, "tests/c.spec.js"),
            (1, "tests/d.spec.ts"),
            (2, "fixtures.ts"),
            (3, "tests/a.spec.ts"),
        ];
        assert_eq!(users, expected.map(|(distance, path)| (distance, path.to_owned())));
        let used = graph.used_by("tests/a.spec.ts").unwrap();
        assert_eq!(Vec::from_iter(used), ["fixtures.ts", "pages/form.ts", "pages/index.ts", "tests/a.spec.ts"]);
    }

    #[test]
    fn what_a_file_uses_is_unknown_where_it_computes_or_hides_an_import() {
        let used = |text: &str| {
            let files = [("a.spec.ts", text), ("b.ts", "")];
            let read = |path: &str| files.iter().find(|(known, _)| *known == path).map(|(_, text)| (*text).to_owned());
            Graph::of(&["a.spec.ts", "b.ts"], &Aliases::default(), &mut { read })
                .used_by("a.spec.ts")
                .map(|used| used.len())
        };
        for (text, expected) in [
            (
                "import { b } from './b'; import users from './users.json'; import { test } from '@playwright/test';",
                Some(2),
            ),
            ("const b = require('./b.js'); const path = require.resolve('x');", Some(2)),
            ("const b = require(names[0]);", None),
            ("const b = await import(`./${name}`);", None),
            ("const b = await import(name);", None),
            ("import { b } from '#pages/b';", None),
            ("import { b } from './not-there';", None),
        ] {
            assert_eq!(used(text), expected, "{text}");
        }
        assert_eq!(Graph::default().used_by("a.spec.ts"), None);
    }
}
