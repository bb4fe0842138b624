//! What stands around `relocator mcp`: the skill that `init --agent` installs, and the tokens of the HTTP server.

use std::fs;

use crate::support::{Project, repository};

const SKILL: &str = "skills/relocator/SKILL.md";

#[test]
fn the_skill_goes_where_the_project_keeps_its_own() {
    for (there, installed) in [
        (&[][..], &[".agents"][..]),
        (&[".claude"], &[".claude"]),
        (&[".agents"], &[".agents"]),
        (&[".agents", ".claude"], &[".agents", ".claude"]),
    ] {
        let project = Project::copy("demo");
        for folder in there {
            fs::create_dir(project.path(folder)).expect("a folder of an agent");
        }
        let ran = project.run(["init", "--agent"]);
        assert_eq!(ran.code, Some(0), "{ran}");
        let found: Vec<&str> =
            [".agents", ".claude"].into_iter().filter(|folder| project.path(folder).join(SKILL).is_file()).collect();
        assert_eq!(found, installed, "{there:?}: {ran}");
        let skill = fs::read_to_string(project.path(found[0]).join(SKILL)).expect("the skill");
        assert_eq!(skill, fs::read_to_string(repository().join("prompts/skill/SKILL.md")).expect("the skill"));
        assert!(skill.starts_with("---\nname: relocator\ndescription: "), "{skill}");
    }
}

#[test]
fn what_a_person_has_written_stays_and_a_second_time_changes_nothing() {
    let project = Project::copy("demo");
    project.write("AGENTS.md", "# House rules\n\nBe kind.");
    assert_eq!(project.run(["init", "--agent"]).code, Some(0));
    let agents = project.read("AGENTS.md");
    assert!(agents.starts_with("# House rules\n\nBe kind.\n\n") && agents.lines().count() == 6, "{agents}");
    let before = project.tree();
    let again = project.run(["init", "--agent"]);
    assert_eq!(again.code, Some(0), "{again}");
    assert_eq!(before.changes(&project.tree()), []);
    // A skill that a person has changed is theirs.
    let skill = format!(".agents/{SKILL}");
    project.write(&skill, "my own words");
    let ran = project.run(["init", "--agent"]);
    assert_eq!((ran.code, project.read(&skill).as_str()), (Some(1), "my own words"), "{ran}");
}

#[test]
fn a_token_is_printed_once_and_kept_in_the_users_own_folder() {
    let project = Project::copy("demo");
    let added = project.run(["token", "add", "ci", "--scopes", "read,heal", "--daily-heals", "3"]);
    assert_eq!(added.code, Some(0), "{added}");
    let token = added.stdout.trim();
    assert!(token.len() > 60 && token.lines().count() == 1, "{added}");
    let listed = project.run(["token", "list"]);
    assert!(
        listed.says("ci") && listed.says("read,heal") && listed.says("3 repairs") && !listed.says(token),
        "{listed}"
    );
    let kept = fs::read_to_string(project.folder().join("home/.config/relocator/tokens.json")).expect("the tokens");
    assert!(!kept.contains(token), "{kept}");
    assert_eq!(project.run(["token", "add", "ci"]).code, Some(2), "the name is taken");
    assert_eq!(project.run(["token", "add", "x", "--scopes", "root"]).code, Some(2), "no such scope");
    assert_eq!(project.run(["token", "revoke", "ci"]).code, Some(0));
    assert_eq!(project.run(["token", "revoke", "ci"]).code, Some(2));
}
