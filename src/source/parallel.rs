//! Whether a Playwright configuration lets two Playwrights run tests at the same time, from its text alone.
//!
//! What both would start, write or count by themselves stands in the way: a web server, a global set-up, a project that others
//! depend on, one worker only. What cannot be read counts as standing in the way. Evaluates no configuration.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::imports::specifiers;
use super::project::Project;
use super::tree::{At, SourceFile};

/// Why a web server stands in the way.
const NOT_REUSED: &str = "the configuration has a `webServer` of which its text does not say that it is reused and where: `reuseExistingServer: true` and a whole `url` or `port`";

/// Settings by which one start of Playwright gets in the way of another.
const SHARED: [&str; 4] = ["globalSetup", "globalTeardown", "dependencies", "teardown"];

/// What every start of Playwright counts anew: ports and accounts are chosen by it.
static COUNTED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\b(?:workerIndex|parallelIndex|TEST_WORKER_INDEX|TEST_PARALLEL_INDEX)\b").ok());

/// Whether two Playwrights may run at the same time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Together {
    /// They may, as long as something answers at each of these addresses: web servers that are reused then.
    IfUp(BTreeSet<String>),
    /// They may not, and why.
    No(String),
}

/// What the configuration `config` of `project`, which holds it and what it imports, says; `is_ci` is whether `process.env.CI` is set.
pub fn together(project: &Project, config: &str, is_ci: bool) -> Together {
    if project.file(config).is_none() {
        return Together::No("the configuration cannot be read".to_owned());
    }
    let mut servers = BTreeSet::new();
    for file in project.files() {
        let foreign = foreign_names(project, file);
        for at in file.root().descendants() {
            match standing(at, &foreign, is_ci) {
                None => {}
                Some(Ok(addresses)) => servers.extend(addresses),
                Some(Err(why)) => return Together::No(why),
            }
        }
    }
    Together::IfUp(servers)
}

/// Whether a source chooses ports or accounts by the number of its worker, which two Playwrights count alike.
pub fn counts_workers(text: &str) -> bool {
    COUNTED.as_ref().is_none_or(|pattern| pattern.is_match(text))
}

/// What a node says about it: addresses that must answer, or why not; `None` for nothing.
fn standing(at: At<'_>, foreign: &BTreeSet<String>, is_ci: bool) -> Option<Result<Vec<String>, String>> {
    let because = |name: &str| Some(Err(format!("the configuration has `{name}`")));
    match at.kind() {
        "pair" => {
            let (key, value) = (at.field("key")?, at.field("value")?);
            let key = key.string_value().unwrap_or_else(|| key.text().to_owned());
            match key.as_str() {
                "workers" if !several(value, is_ci) => Some(Err("the configuration has one worker".to_owned())),
                "webServer" => Some(reused(value, is_ci).ok_or_else(|| NOT_REUSED.to_owned())),
                name if SHARED.contains(&name) => because(name),
                _ => None,
            }
        }
        // Written in another way than as a pair: `{ webServer }`, `config.webServer = …`.
        "shorthand_property_identifier" | "property_identifier" => {
            let name = at.text();
            let is_key = at.parent().is_some_and(|parent| parent.kind() == "pair");
            (!is_key && (name == "webServer" || name == "workers" || SHARED.contains(&name))).then(|| because(name))?
        }
        "spread_element" => {
            let root = at.text().trim_start_matches('.').split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
            foreign
                .contains(root)
                .then(|| Err(format!("the configuration takes settings from the package behind `{root}`")))
        }
        "call_expression" if at.field("function")?.text() == "defineConfig" => {
            let taken = at.arguments().into_iter().find(|argument| foreign.contains(argument.text()))?;
            Some(Err(format!("the configuration takes settings from the package behind `{}`", taken.text())))
        }
        _ => None,
    }
}

/// Whether `workers` is more than one.
fn several(value: At<'_>, is_ci: bool) -> bool {
    match value.kind() {
        "number" => value.text().parse::<u32>().is_ok_and(|workers| workers > 1),
        "undefined" => true,
        "string" => value.string_value().is_some_and(|share| share.ends_with('%')),
        "ternary_expression" if is_of_ci(value.field("condition")) => {
            value.field(if is_ci { "consequence" } else { "alternative" }).is_some_and(|arm| several(arm, is_ci))
        }
        _ => false,
    }
}

/// The addresses of the web servers, where all of them are reused when they are up; else `None`.
fn reused(value: At<'_>, is_ci: bool) -> Option<Vec<String>> {
    let servers = if value.kind() == "array" { value.children() } else { vec![value] };
    servers.into_iter().map(|server| address(server, is_ci)).collect()
}

fn address(server: At<'_>, is_ci: bool) -> Option<String> {
    if server.kind() != "object" {
        return None;
    }
    let named = |name: &str| {
        let pairs = server.children().into_iter().filter(|child| child.kind() == "pair");
        pairs
            .filter(|pair| pair.field("key").is_some_and(|key| key.text() == name))
            .find_map(|pair| pair.field("value"))
    };
    let reuse = named("reuseExistingServer")?;
    let is_reused = match reuse.text() {
        "true" => true,
        "!process.env.CI" => !is_ci,
        _ => false,
    };
    let url = named("url").and_then(At::string_value);
    let port = || named("port").and_then(|port| port.text().parse::<u16>().ok());
    is_reused.then(|| url.or_else(|| port().map(|port| format!("http://127.0.0.1:{port}"))))?
}

fn is_of_ci(condition: Option<At<'_>>) -> bool {
    condition.is_some_and(|condition| matches!(condition.text(), "process.env.CI" | "!!process.env.CI"))
}

/// The names that a file takes from packages other than Playwright.
fn foreign_names(project: &Project, file: &SourceFile) -> BTreeSet<String> {
    let is_foreign = |specifier: &str| {
        project.imported(file, specifier).is_none() && !matches!(specifier, "@playwright/test" | "playwright/test")
    };
    let statements = specifiers(file).into_iter().filter(|(_, specifier)| is_foreign(specifier));
    let parts = statements.flat_map(|(at, _)| declared(at).descendants());
    let names = parts.filter(|at| matches!(at.kind(), "identifier" | "shorthand_property_identifier_pattern"));
    names.map(|at| at.text().to_owned()).collect()
}

/// The declaration around a call of `require`; an import is one itself.
fn declared(at: At<'_>) -> At<'_> {
    at.parent().filter(|parent| parent.kind() == "variable_declarator").unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::imports::Aliases;

    fn check(config: &str, is_ci: bool) -> Result<Vec<String>, String> {
        let files = [("playwright.config.ts", config), ("base.ts", "export const base = { globalSetup: './up' };")];
        let mut read = |path: &str| files.iter().find(|(known, _)| *known == path).map(|(_, text)| (*text).to_owned());
        let project = Project::load(&["playwright.config.ts"], &Aliases::default(), &mut read);
        match together(&project, "playwright.config.ts", is_ci) {
            Together::IfUp(servers) => Ok(servers.into_iter().collect()),
            Together::No(why) => Err(why),
        }
    }

    #[test]
    fn a_plain_configuration_lets_two_run() {
        for config in [
            "export default { use: { baseURL: 'http://staging' } };",
            "import { defineConfig, devices } from '@playwright/test';\nexport default defineConfig({\n  // webServer: {},\n  \
             workers: process.env.CI ? 1 : undefined,\n  projects: [{ name: 'a', use: { ...devices['Desktop Chrome'] } }],\n});",
            "import path from 'path';\nexport default { workers: 4, testDir: path.join(__dirname, 'e2e') };",
            "module.exports = { workers: '50%' };",
        ] {
            assert_eq!(check(config, false), Ok(vec![]), "{config}");
        }
    }

    #[test]
    fn what_two_would_share_stands_in_the_way() {
        for (config, why) in [
            ("export default { webServer: { command: 'x', url: 'http://127.0.0.1:1' } };", "`webServer`"),
            ("const webServer = start(); export default { webServer };", "`webServer`"),
            ("const config = {}; config.webServer = {}; export default config;", "`webServer`"),
            ("export default { 'globalSetup': './up' };", "`globalSetup`"),
            ("import { base } from './base'; export default { ...base };", "`globalSetup`"),
            ("export default { projects: [{ name: 'a', dependencies: ['setup'] }] };", "`dependencies`"),
            ("export default { workers: 1 };", "one worker"),
            ("export default { workers: Number(process.env.WORKERS) };", "one worker"),
            ("import { preset } from '@acme/preset'; export default { ...preset(__filename) };", "`preset`"),
            ("const preset = require('@acme/preset'); module.exports = { ...preset };", "`preset`"),
            ("import base from '@acme/base'; export default defineConfig(base, { workers: 2 });", "`base`"),
        ] {
            let seen = check(config, false).unwrap_err();
            assert!(seen.contains(why), "{config}: {seen}");
        }
        let by_ci = "export default { workers: process.env.CI ? 1 : undefined };";
        assert!(check(by_ci, true).is_err() && check(by_ci, false).is_ok());
        assert!(matches!(together(&Project::default(), "playwright.config.ts", false), Together::No(_)));
    }

    #[test]
    fn a_web_server_that_is_reused_has_to_be_up() {
        let config = "export default { webServer: [\n  { command: 'a', url: 'http://localhost:3000/up', reuseExistingServer: true },\n  \
                      { command: 'b', port: 4000, reuseExistingServer: !process.env.CI },\n] };";
        assert_eq!(
            check(config, false),
            Ok(vec!["http://127.0.0.1:4000".to_owned(), "http://localhost:3000/up".to_owned()])
        );
        assert!(check(config, true).is_err());
        assert!(
            check(
                "export default { webServer: { url: `http://localhost:${port}`, reuseExistingServer: true } };",
                false
            )
            .is_err()
        );
    }

    #[test]
    fn a_source_that_counts_workers_is_seen() {
        assert!(counts_workers("const port = 3000 + testInfo.parallelIndex;"));
        assert!(counts_workers("process.env.TEST_WORKER_INDEX"));
        assert!(!counts_workers("const index = 3;"));
    }
}
