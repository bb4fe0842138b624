//! The fixture projects say the truth about themselves: with Playwright alone, each is red for the reason that it states, and
//! green once the lines that it names are as it says.

use crate::support::{Change, Project, browser_turn, every_fixture_project, survivors};

fn check(name: &str) {
    let _turn = browser_turn();
    let project = Project::copy(name);
    let red = project.playwright();
    assert_eq!(red.code, Some(1), "{name} must be red before: {red}");
    assert!(red.says(&project.expected.red), "{name} must be red for {:?}: {red}", project.expected.red);

    let repairs = project.expected.repairs();
    if repairs.is_empty() {
        assert_ne!(project.expected.outcome, "healed", "{name} must say which line a right repair changes");
        return;
    }
    for Change { file, before, after } in &repairs {
        let text = project.read(file);
        assert_eq!(text.lines().filter(|line| line == before).count(), 1, "{name}: the line stands once in {file}");
        project.write(file, &text.replace(before.as_str(), after));
    }
    let green = project.playwright();
    assert_eq!(green.code, Some(0), "{name} must be green after: {green}");
    assert_eq!(survivors(project.folder()), Vec::<String>::new(), "{name}: processes that outlived the run");
}

every_fixture_project!();
