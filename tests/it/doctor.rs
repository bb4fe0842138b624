//! `relocator doctor` on real projects: what is missing, whose fault it is.

use serde_json::Value;

use crate::support::{Project, Ran, browser_turn, survivors};

/// The check `name` of a doctor's JSON answer.
fn finding(ran: &Ran, name: &str) -> Value {
    let document = ran.json();
    let checks = document["checks"].as_array().unwrap_or_else(|| panic!("no checks: {ran}"));
    checks.iter().find(|check| check["name"] == name).cloned().unwrap_or_else(|| panic!("no check of {name}: {ran}"))
}

/// Runs the doctor after `prepare`, and checks that `failing` is the one check that fails, with `fault` and a text in its
/// detail or fixes, or that none fails. Neither files nor processes may be left behind.
fn check(
    name: &str,
    environment: &[(&str, &str)],
    prepare: impl FnOnce(&Project),
    failing: Option<(&str, &str, &str)>,
) {
    let _turn = browser_turn();
    let project = Project::copy(name);
    prepare(&project);
    let before = project.tree();
    let mut command = project.relocator(["doctor", "--json"]);
    command.envs(environment.iter().copied());
    let ran = Ran::from(command.output().expect("relocator starts"));
    let document = ran.json();
    let failed: Vec<_> =
        document["checks"].as_array().into_iter().flatten().filter(|c| c["status"] == "failed").collect();
    match failing {
        None => assert_eq!((ran.code, failed.len(), &document["ok"]), (Some(0), 0, &Value::Bool(true)), "{ran}"),
        Some((failing, fault, text)) => {
            assert_eq!((failed.len(), &document["ok"]), (1, &Value::Bool(false)), "{ran}");
            let found = finding(&ran, failing);
            assert_eq!((found["status"].as_str(), found["fault"].as_str()), (Some("failed"), Some(fault)), "{ran}");
            assert!(found.to_string().contains(text), "{text}: {found}");
            assert_eq!(ran.code, Some(if fault == "call" { 2 } else { 3 }), "{ran}");
        }
    }
    assert_eq!(before.changes(&project.tree()), [], "the doctor changes nothing");
    assert_eq!(survivors(project.folder()), Vec::<String>::new());
    let left: Vec<_> = std::fs::read_dir(project.path(".relocator"))
        .into_iter()
        .flatten()
        .map(|entry| entry.expect("an entry").file_name())
        .filter(|name| name != ".gitignore")
        .collect();
    assert_eq!(left, Vec::<std::ffi::OsString>::new(), "what the doctor wrote is gone");
}

#[test]
fn a_healthy_project_has_nothing_to_repair() {
    check("demo", &[], |_| (), None);
}

#[test]
fn a_server_that_is_down_is_the_environments_fault() {
    check("server-down", &[], |_| (), Some(("web server", "environment", "ECONNREFUSED")));
}

#[test]
fn a_browser_that_is_missing_is_named_with_the_command_that_installs_it() {
    let nowhere = [("RELOCATOR_CHROMIUM", "/nowhere/chromium")];
    check("demo", &nowhere, |_| (), Some(("browser", "environment", "npx playwright install")));
}

#[test]
fn a_config_that_does_not_load_is_the_projects_fault() {
    let broken = |project: &Project| project.write("playwright.config.ts", "export default { syntax error");
    check("demo", &[], broken, Some(("config and tests", "project", "playwright.config.ts")));
}

#[test]
fn a_web_server_that_does_not_start_is_the_projects_fault() {
    let broken = |project: &Project| project.write("server.mjs", "process.exit(7);");
    check("demo", &[], broken, Some(("web server", "project", "config.webServer")));
}

#[test]
fn packages_that_are_missing_are_named_with_the_command_that_installs_them() {
    let bare = |project: &Project| std::fs::remove_file(project.path("node_modules")).expect("the link goes");
    check("demo", &[], bare, Some(("Playwright", "environment", "npm ci")));
}

#[test]
fn a_folder_without_a_config_is_a_wrong_call() {
    let bare = |project: &Project| std::fs::remove_file(project.path("playwright.config.ts")).expect("the config goes");
    check("demo", &[], bare, Some(("project", "call", "name a test inside one")));
}
