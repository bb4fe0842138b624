//! Which files of a repository are the application's own source: no tests, nothing made by a program, no documents.

/// Ends of names that are written by hand and shown by an application. Whatever else a repository holds says nothing.
pub const SOURCES: [&str; 58] = [
    "html",
    "htm",
    "xhtml",
    "shtml",
    "vue",
    "svelte",
    "astro",
    "marko",
    "jsx",
    "tsx",
    "js",
    "ts",
    "mjs",
    "cjs",
    "mts",
    "cts",
    "json",
    "json5",
    "jsonc",
    "yml",
    "yaml",
    "properties",
    "po",
    "pot",
    "ftl",
    "arb",
    "resx",
    "xlf",
    "xliff",
    "xml",
    "strings",
    "toml",
    "hbs",
    "handlebars",
    "mustache",
    "ejs",
    "njk",
    "liquid",
    "twig",
    "jinja",
    "jinja2",
    "j2",
    "erb",
    "haml",
    "slim",
    "pug",
    "jade",
    "php",
    "cshtml",
    "razor",
    "vbhtml",
    "jsp",
    "jspx",
    "gohtml",
    "tmpl",
    "py",
    "rb",
    "heex",
];

/// Folders that hold no source of the application, wherever they stand.
const OTHER_FOLDERS: [&str; 34] = [
    "node_modules",
    "bower_components",
    "vendor",
    "vendors",
    "third_party",
    "dist",
    "build",
    "out",
    "coverage",
    "target",
    ".git",
    ".github",
    ".next",
    ".nuxt",
    ".output",
    ".cache",
    "test",
    "tests",
    "__tests__",
    "__test__",
    "e2e",
    "e2e-tests",
    "spec",
    "specs",
    "cypress",
    "playwright",
    "__mocks__",
    "__snapshots__",
    "__fixtures__",
    "test-results",
    "playwright-report",
    "docs",
    "storybook-static",
    "migrations",
];

/// Parts of a file's name, between dots, that say that it is a test or its helper.
const TEST_PARTS: [&str; 14] = [
    "spec",
    "test",
    "tests",
    "e2e",
    "cy",
    "ct",
    "unit",
    "page-object",
    "po",
    "pom",
    "stories",
    "story",
    "mock",
    "snap",
];

/// Names of files that a program keeps.
const KEPT_BY_PROGRAMS: [&str; 9] = [
    "package.json",
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "composer.json",
    "tsconfig.json",
    "angular.json",
    "bun.lock",
];

/// What the project itself says of its tests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tests {
    /// Folders of tests, relative to the repository, as the project's configuration names them; none is the repository itself.
    pub folders: Vec<String>,
    /// Files that are known to belong to the tests: the test, what it imports; relative to the repository.
    pub files: Vec<String>,
}

/// Whether `path` (relative to the repository) is source of the application.
pub fn is_source(path: &str, tests: &Tests) -> bool {
    let lower = path.to_lowercase();
    let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let mut parts = name.split('.');
    let (first, rest): (&str, Vec<&str>) = (parts.next().unwrap_or_default(), parts.collect());
    let known_end = rest.last().is_some_and(|end| SOURCES.contains(end));
    // `messages.po` is a catalogue, `login.po.ts` a page object.
    let between = rest.split_last().map(|(_, between)| between).unwrap_or_default();
    let is_test = between.iter().any(|part| TEST_PARTS.contains(part))
        || ["test_", "conftest", "playwright"].iter().any(|start| first.starts_with(start))
        || first.ends_with("_test")
        || first.ends_with("_spec");
    let made = between.contains(&"min") || between.contains(&"bundle") || between.contains(&"generated");
    known_end
        && !is_test
        && !made
        && !KEPT_BY_PROGRAMS.contains(&name)
        && !folders.split('/').any(|folder| OTHER_FOLDERS.contains(&folder))
        && !tests.files.iter().any(|file| file == path)
        && !tests
            .folders
            .iter()
            .any(|folder| path.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/')))
}

/// What git is asked to look at: sources, and neither tests nor what programs write. Anchored at the repository's root.
pub fn pathspecs(tests: &Tests) -> Vec<String> {
    let wanted = SOURCES.iter().map(|end| format!(":(top,glob)**/*.{end}"));
    let folders = OTHER_FOLDERS.iter().map(|folder| format!(":(top,exclude,glob)**/{folder}/**"));
    let parts = TEST_PARTS.iter().map(|part| format!(":(top,exclude,glob)**/*.{part}.*"));
    let names = KEPT_BY_PROGRAMS.iter().map(|name| format!(":(top,exclude,glob)**/{name}"));
    let own = tests.folders.iter().chain(&tests.files).map(|path| format!(":(top,exclude,literal){path}"));
    wanted.chain(folders).chain(parts).chain(names).chain(own).collect()
}

/// Whether a file is made of lines `key: value` or `key = value` with bare values.
pub(super) fn has_bare_values(path: &str) -> bool {
    let end = path.rsplit_once('.').map_or("", |(_, end)| end).to_lowercase();
    matches!(end.as_str(), "yml" | "yaml" | "properties" | "ftl" | "toml")
}

/// Whether a file holds no markup but data.
pub(super) fn is_data(path: &str) -> bool {
    let end = path.rsplit_once('.').map_or("", |(_, end)| end).to_lowercase();
    has_bare_values(path) || matches!(end.as_str(), "json" | "json5" | "jsonc" | "arb" | "po" | "pot" | "strings")
}

/// Whether a file writes elements by indentation: `button#save.wide Save`.
pub(super) fn is_indented(path: &str) -> bool {
    let end = path.rsplit_once('.').map_or("", |(_, end)| end).to_lowercase();
    matches!(end.as_str(), "pug" | "jade" | "haml" | "slim")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_told_from_tests_packages_and_what_programs_write() {
        let tests = Tests { folders: vec!["apps/web/checks".into()], files: vec!["pages/login-page.ts".into()] };
        for path in [
            "src/App.tsx",
            "app/index.html",
            "packages/web/src/locales/en.json",
            "config/locales/de.yml",
            "resources/messages_en.properties",
            "locale/fr/LC_MESSAGES/django.po",
            "src/app/login/login.component.html",
            "templates/base.html.twig",
            "src/contest/Latest.vue",
            "pages/login.tsx",
        ] {
            assert!(is_source(path, &tests), "{path}");
        }
        for path in [
            "src/App.test.tsx",
            "e2e/login.ts",
            "tests/login.spec.ts",
            "src/__tests__/a.js",
            "cypress/support/commands.js",
            "apps/web/checks/a.ts",
            "pages/login-page.ts",
            "src/login.po.ts",
            "package-lock.json",
            "yarn.lock",
            "dist/app.js",
            "public/jquery.min.js",
            "README.md",
            "src/style.css",
            "logo.svg",
            "src/Button.stories.tsx",
            "playwright.config.ts",
            "app/test_views.py",
        ] {
            assert!(!is_source(path, &tests), "{path}");
        }
    }
}
