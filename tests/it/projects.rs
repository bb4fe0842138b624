//! The fixture projects say the truth about themselves: with Playwright alone, each is red for the reason that it states, and
//! green once the one line that it names is as it says.

use crate::support::{Project, browser_turn, every_fixture_project, survivors};

fn check(name: &str) {
    let _turn = browser_turn();
    let project = Project::copy(name);
    let red = project.playwright();
    assert_eq!(red.code, Some(1), "{name} must be red before: {red}");
    assert!(red.says(&project.expected.red), "{name} must be red for {:?}: {red}", project.expected.red);

    let (Some(file), Some(before), Some(after)) =
        (&project.expected.file, &project.expected.line_before, &project.expected.line_after)
    else {
        assert_ne!(project.expected.outcome, "healed", "{name} must say which line a right repair changes");
        return;
    };
    let text = project.read(file);
    assert_eq!(text.lines().filter(|line| line == before).count(), 1, "{name}: the line stands once in {file}");
    project.write(file, &text.replace(before.as_str(), after));
    let green = project.playwright();
    assert_eq!(green.code, Some(0), "{name} must be green after: {green}");
    assert_eq!(survivors(project.folder()), Vec::<String>::new(), "{name}: processes that outlived the run");
}

every_fixture_project!();
