//! `relocator heal` in a repository: what the application's commits say became of a locator's literal.

use crate::support::{Project, browser_turn};

const PAGE: &str = "app/issue.html";
const OLD: &str = "<button type=\"button\" class=\"loud\">Publish</button>";

/// The project with a history: first without the page, then with its old button, then as it is today.
fn with_history() -> Project {
    let project = Project::copy("other-words");
    let today = project.read(PAGE);
    let button = today.lines().find(|line| line.contains("loud\">")).expect("the button").trim().to_owned();
    project.write(PAGE, "");
    project.git_init();
    for (text, subject) in [(today.replace(&button, OLD), "The page of an issue"), (today, "Say who gets it")] {
        project.write(PAGE, &text);
        project.git(&["commit", "--quiet", "--all", "--message", subject]);
    }
    project
}

#[test]
fn a_name_without_a_word_in_common_is_healed_where_a_commit_says_what_it_became() {
    let _turn = browser_turn();
    let project = with_history();
    let ran = project.run(["heal", &project.expected.test, "--json"]);
    let document = ran.json();
    assert_eq!(document["outcome"], "healed", "{ran}");
    let spec = project.read("tests/issue.spec.ts");
    assert!(spec.contains("page.getByRole('button', { name: 'Send to the readers' }).click()"), "{spec}");
    let commit = project.git(&["log", "-1", "--format=%h"]);
    let evidence = document["evidence"][0]["evidence"].to_string();
    assert!(evidence.contains(&format!("commit {} (\\\"Say who gets it\\\"", commit.trim())), "{evidence}");
    assert_eq!(project.git(&["status", "--porcelain"]), " M tests/issue.spec.ts\n", "{ran}");
}
