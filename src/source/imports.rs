//! Which file an import means, as pure logic over paths: relative specifiers, index files, extension swaps and the
//! `paths` and `baseUrl` of a tsconfig given as values. Packages are not followed.

use super::tree::{At, SourceFile};

/// What of the project's configuration decides which file a specifier means.
#[derive(Debug, Clone, Default)]
pub struct Aliases {
    /// tsconfig `paths`: pattern with at most one `*`, and its targets in order, all relative to `base`.
    pub paths: Vec<(String, Vec<String>)>,
    /// The folder that `paths` and bare specifiers are relative to; `None` where the project sets no `baseUrl`.
    pub base_url: Option<String>,
    /// The folder of the tsconfig, for `paths` without a `baseUrl`.
    pub folder: String,
}

const EXTENSIONS: [&str; 8] = [".ts", ".tsx", ".js", ".jsx", ".mts", ".mjs", ".cts", ".cjs"];

/// The paths a specifier may mean, likeliest first; the caller takes the first that exists.
pub fn candidates(from: &str, specifier: &str, aliases: &Aliases) -> Vec<String> {
    let mut bases = Vec::new();
    if specifier == "." || specifier == ".." || specifier.starts_with("./") || specifier.starts_with("../") {
        bases.extend(join(parent(from), specifier));
    } else if let Some(absolute) = specifier.strip_prefix('/') {
        bases.push(format!("/{absolute}"));
    } else {
        let root = aliases.base_url.as_deref().unwrap_or(&aliases.folder);
        bases.extend(aliased(specifier, &aliases.paths).iter().filter_map(|target| join(root, target)));
        bases.extend(aliases.base_url.as_deref().and_then(|base| join(base, specifier)));
    }
    bases.iter().flat_map(|base| with_extensions(base)).collect()
}

/// The targets of the most specific matching pattern: an exact one, else the longest prefix.
fn aliased(specifier: &str, paths: &[(String, Vec<String>)]) -> Vec<String> {
    let matching = paths.iter().filter_map(|(pattern, targets)| match pattern.split_once('*') {
        None => (pattern == specifier).then_some((usize::MAX, targets, "")),
        Some((prefix, suffix)) => {
            let middle = specifier.strip_prefix(prefix)?.strip_suffix(suffix)?;
            Some((prefix.len(), targets, middle))
        }
    });
    let best = matching.max_by_key(|(weight, ..)| *weight);
    best.map(|(_, targets, middle)| targets.iter().map(|target| target.replacen('*', middle, 1)).collect())
        .unwrap_or_default()
}

fn with_extensions(base: &str) -> Vec<String> {
    let mut out = Vec::new();
    if EXTENSIONS.iter().any(|extension| base.ends_with(extension)) {
        out.push(base.to_owned());
    }
    // TypeScript writes the extension of the output: `./page.js` means `./page.ts`.
    for (written, meant) in [(".js", ".ts"), (".js", ".tsx"), (".jsx", ".tsx"), (".mjs", ".mts"), (".cjs", ".cts")] {
        out.extend(base.strip_suffix(written).map(|stem| format!("{stem}{meant}")));
    }
    out.extend(EXTENSIONS.iter().map(|extension| format!("{base}{extension}")));
    out.extend(EXTENSIONS.iter().map(|extension| format!("{base}/index{extension}")));
    out
}

/// The folder of a path; empty at the top.
pub(super) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Joins and normalises; `None` when the result climbs above the top.
pub(super) fn join(folder: &str, relative: &str) -> Option<String> {
    let absolute = folder.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(relative.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            other => parts.push(other),
        }
    }
    Some(format!("{}{}", if absolute { "/" } else { "" }, parts.join("/")))
}

/// The specifiers a file imports, re-exports or requires, in order, with the node of each statement.
pub fn specifiers(file: &SourceFile) -> Vec<(At<'_>, String)> {
    let mut out = Vec::new();
    for at in file.root().descendants() {
        let source = match at.kind() {
            "import_statement" | "export_statement" => at.field("source"),
            "import_require_clause" => at.children().into_iter().find(|child| child.kind() == "string"),
            "call_expression" if is_require(at) => at.arguments().into_iter().next(),
            _ => None,
        };
        if let Some(value) = source.and_then(At::string_value) {
            out.push((at, value));
        }
    }
    out
}

/// Whether a call is `require(…)` or `import(…)`.
pub fn is_require(call: At<'_>) -> bool {
    call.field("function").is_some_and(|function| matches!(function.text(), "require" | "import"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specifiers_are_resolved_by_extension_index_and_alias() {
        let aliases = Aliases {
            paths: vec![
                ("@pages/*".into(), vec!["src/pages/*".into()]),
                ("@pages/base".into(), vec!["src/base.ts".into()]),
                ("@/*".into(), vec!["./src/*".into()]),
            ],
            base_url: Some("app".into()),
            folder: "app".into(),
        };
        for (from, specifier, meant) in [
            ("tests/a.spec.ts", "../pages/login", "pages/login.ts"),
            ("tests/a.spec.ts", "../pages/login.page", "pages/login.page.ts"),
            ("tests/a.spec.ts", "./page.js", "tests/page.ts"),
            ("tests/a.spec.ts", "./pages", "tests/pages/index.ts"),
            ("tests/a.spec.ts", ".", "tests/index.ts"),
            ("tests/a.spec.ts", "@pages/login", "app/src/pages/login.tsx"),
            ("tests/a.spec.ts", "@pages/base", "app/src/base.ts"),
            ("tests/a.spec.ts", "@/util", "app/src/util.ts"),
            ("tests/a.spec.ts", "lib/util", "app/lib/util.ts"),
        ] {
            let found = candidates(from, specifier, &aliases);
            assert!(found.iter().any(|path| path == meant), "{specifier}: {found:?}");
        }
        assert!(candidates("a.spec.ts", "../../outside", &aliases).is_empty());
        assert!(candidates("a.spec.ts", "@playwright/test", &Aliases::default()).is_empty());
    }
}
