//! Repairs handed over: commits on a branch of a real repository, a push to a real bare remote, and the one pull request or
//! review on a server that speaks the forge's endpoints.

use std::path::PathBuf;

use camino::Utf8PathBuf;
use relocator::adapters::git::branch::{Branch, Handed};
use relocator::adapters::git::head::Head;
use relocator::adapters::process::Cancel;
use relocator::domain::handover::{Repair, Swap, kept, marks};
use relocator::domain::redact::Redactor;
use relocator::error::Error;
use serde_json::json;
use wiremock::matchers::{header, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::support::{Project, browser_turn, wait};

const SPEC: &str = "tests/signup.spec.ts";
const OTHER: &str = "app/index.html";
const BRANCH: &str = "relocator/repairs";

/// The demo as a repository with a bare remote beside it.
fn repository() -> (Project, PathBuf) {
    let project = Project::copy("demo");
    project.git_init();
    project.git(&["branch", "--move", "main"]);
    project.git(&["config", "user.name", "Ada"]);
    project.git(&["config", "user.email", "ada@example.com"]);
    let remote = project.folder().join("remote.git");
    let there = remote.to_str().expect("a path").to_owned();
    project.git(&["init", "--quiet", "--bare", &there]);
    project.git(&["remote", "add", "origin", &there]);
    project.git(&["push", "--quiet", "origin", "main"]);
    (project, remote)
}

fn root(project: &Project) -> Utf8PathBuf {
    Utf8PathBuf::from_path_buf(project.root().canonicalize().expect("a root")).expect("UTF-8")
}

/// A repair of `line` of `file`, made in the work tree as `heal` makes it.
fn repaired(project: &Project, file: &str, line: usize, after: &str) -> Repair {
    let text = project.read(file);
    let before = text.lines().nth(line - 1).expect("the line").to_owned();
    project.write(file, &text.replacen(&before, after, 1));
    Repair {
        group: format!("{file}:{line}"),
        swap: Swap { path: file.to_owned(), line, before, after: after.to_owned() },
        extent: "1 test, 1 file".to_owned(),
        reason: "the same element under another attribute".to_owned(),
        proofs: vec!["passed_twice: held (2 of 2)".to_owned()],
    }
}

fn hand_over(project: &Project, name: &str, repairs: &[Repair], remote: Option<&str>) -> Result<Handed, Error> {
    let (root, cancel) = (root(project), Cancel::default());
    wait(async {
        let branch = Branch::prepare(&root, name, &cancel).await?;
        let handed = branch.commit(repairs, remote).await?;
        if let Some(remote) = remote {
            branch.push(remote).await?;
        }
        Ok(handed)
    })
}

#[test]
fn each_repair_is_one_commit_and_work_tree_index_and_head_stay_as_they_were() {
    let (project, _) = repository();
    project.write("staged.txt", "of a person\n");
    project.git(&["add", "staged.txt"]);
    let repairs = [
        repaired(&project, SPEC, 6, "  await page.getByTestId('submit-btn').click();"),
        repaired(&project, SPEC, 5, "  await page.getByRole('textbox').fill('ada@example.com');"),
        repaired(&project, OTHER, 1, "<!doctype HTML>"),
    ];
    let before = (project.git(&["status", "--porcelain"]), project.git(&["rev-parse", "HEAD"]), project.tree());
    let handed = hand_over(&project, BRANCH, &repairs, None).expect("handed over");
    assert_eq!((handed.committed.len(), handed.left.len()), (3, 0));
    let after = (project.git(&["status", "--porcelain"]), project.git(&["rev-parse", "HEAD"]), project.tree());
    assert_eq!((before.0, before.1, before.2.changes(&after.2)), (after.0, after.1, vec![]));
    assert_eq!(project.git(&["log", "--format=%an %s", &format!("main..{BRANCH}")]).lines().count(), 3);
    for (commit, repair) in ["~2", "~1", ""].iter().zip(&repairs) {
        let shown = project.git(&["show", "--format=%B", "--unified=0", &format!("{BRANCH}{commit}")]);
        assert!(shown.contains(&format!("Relocator-Repair: {}", repair.id())), "{shown}");
        assert!(shown.contains(&format!("\n-{}\n+{}\n", repair.swap.before, repair.swap.after)), "{shown}");
        let stat = project.git(&["show", "--format=", "--numstat", &format!("{BRANCH}{commit}")]);
        assert_eq!(stat.trim(), format!("1\t1\t{}", repair.swap.path));
    }
}

#[test]
fn a_repair_in_a_file_with_a_persons_changes_is_left_out_and_the_file_is_not_committed() {
    let (project, _) = repository();
    project.write(OTHER, &format!("{}<!-- mine -->\n", project.read(OTHER)));
    let repairs = [
        repaired(&project, OTHER, 1, "<!doctype HTML>"),
        repaired(&project, SPEC, 6, "  await page.getByTestId('submit-btn').click();"),
    ];
    let handed = hand_over(&project, BRANCH, &repairs, None).expect("handed over");
    assert_eq!(handed.committed, [repairs[1].group.clone()]);
    assert_eq!(handed.left.len(), 1, "{:?}", handed.left);
    assert_eq!(project.git(&["diff", "--name-only", "main", BRANCH]).trim(), SPEC);
    assert!(project.read(OTHER).contains("<!-- mine -->"));
}

#[test]
fn a_repair_is_made_whole_from_head_and_one_that_brings_another_value_is_left_out() {
    let (project, _) = repository();
    let same = ("  page.locator('a[href=\"/x?page=2\"] b');", "  page.locator('a[href=\"/x?page=2\"] i');");
    let other = ("  page.locator('a[href=\"/x?page=2\"]');", "  page.locator('a[href=\"/x?page=3\"]');");
    project.write(SPEC, &format!("{}\n{}\n", same.0, other.0));
    project.git(&["commit", "--quiet", "--all", "--message", "lines with queries"]);
    let redactor = Redactor::default().with_queries();
    let mut repairs: Vec<Repair> = [(1, same), (2, other)]
        .into_iter()
        .map(|(line, (before, after))| {
            let repair = repaired(&project, SPEC, line, after);
            assert_eq!(repair.swap.before, before);
            Repair { swap: kept(&repair.swap, |text| redactor.clean(text)), ..repair }
        })
        .collect();
    assert!(repairs.iter().all(|repair| repair.swap.after.contains("query]")), "{repairs:?}");
    let (root, cancel) = (root(&project), Cancel::default());
    let left = wait(async { Head::of(&root, &cancel).await?.restore(&mut repairs).await });
    let left: Vec<String> = left.expect("asked").into_iter().map(|(group, _)| group).collect();
    assert_eq!(left, [format!("{SPEC}:2")]);
    let whole: Vec<(&str, &str)> =
        repairs.iter().map(|one| (one.swap.before.as_str(), one.swap.after.as_str())).collect();
    assert_eq!(whole, [same]);
}

#[test]
fn a_file_that_git_checks_out_with_other_line_endings_is_committed_with_one_changed_line() {
    let (project, _) = repository();
    project.git(&["config", "core.autocrlf", "true"]);
    project.write(SPEC, &project.read(SPEC).replace('\n', "\r\n"));
    let repair = repaired(&project, SPEC, 6, "  await page.getByTestId('submit-btn').click();");
    let handed = hand_over(&project, BRANCH, &[repair], None).expect("handed over");
    assert_eq!(handed.committed.len(), 1, "{:?}", handed.left);
    assert_eq!(project.git(&["diff", "--numstat", "main", BRANCH]).trim(), format!("1\t1\t{SPEC}"));
}

#[test]
fn default_checked_out_and_ill_named_branches_and_those_of_others_are_never_written() {
    let (project, _) = repository();
    project.git(&["branch", "of-a-person"]);
    project.git(&["switch", "--quiet", "of-a-person"]);
    project.git(&["commit", "--quiet", "--allow-empty", "--message", "mine"]);
    project.git(&["switch", "--quiet", "--create", "current", "main"]);
    let repair = repaired(&project, SPEC, 6, "  await page.getByTestId('submit-btn').click();");
    let refs = project.git(&["for-each-ref"]);
    for name in [
        "main",
        "Main",
        "master",
        "refs/heads/main",
        "heads/x",
        "@",
        "current",
        "of-a-person",
        "-x",
        "a..b",
        "@{-1}",
        "a b",
        "",
    ] {
        let refused = hand_over(&project, name, std::slice::from_ref(&repair), None);
        assert!(refused.is_err(), "{name}: {refused:?}");
    }
    assert_eq!(project.git(&["for-each-ref"]), refs);
}

#[test]
fn a_second_night_builds_upon_the_first_and_pushes_without_force() {
    let (project, remote) = repository();
    let first = repaired(&project, SPEC, 6, "  await page.getByTestId('submit-btn').click();");
    hand_over(&project, BRANCH, std::slice::from_ref(&first), Some("origin")).expect("the first night");
    let old = project.git(&["ls-remote", "origin", BRANCH]);
    // The same repairs on the same HEAD: nothing new.
    hand_over(&project, BRANCH, std::slice::from_ref(&first), Some("origin")).expect("the same night again");
    assert_eq!(project.git(&["ls-remote", "origin", BRANCH]), old);

    project.git(&["stash", "--quiet"]);
    project.write("news.txt", "main went on\n");
    project.git(&["add", "news.txt"]);
    project.git(&["commit", "--quiet", "--message", "main went on"]);
    project.git(&["stash", "pop", "--quiet"]);
    let second = repaired(&project, OTHER, 1, "<!doctype HTML>");
    // A fresh clone knows the branch from the remote only.
    project.git(&["branch", "--quiet", "--delete", "--force", BRANCH]);
    hand_over(&project, BRANCH, &[first, second], Some("origin")).expect("the second night");
    let there = remote.to_str().expect("a path");
    let tip = project.git(&["--git-dir", there, "rev-parse", BRANCH]);
    let old = old.split_whitespace().next().expect("a commit").to_owned();
    project.git(&["--git-dir", there, "merge-base", "--is-ancestor", &old, tip.trim()]);
    let mut changed: Vec<String> =
        project.git(&["diff", "--name-only", "main", tip.trim()]).lines().map(str::to_owned).collect();
    changed.sort();
    assert_eq!(changed, [OTHER, SPEC], "HEAD's own news are in the branch");
}

#[test]
fn a_shallow_clone_builds_upon_the_first_night_and_tells_somebody_elses_commits_from_the_projects() {
    let (project, remote) = repository();
    let there = format!("file://{}", remote.to_str().expect("a path"));
    let first = repaired(&project, SPEC, 6, "  await page.getByTestId('submit-btn').click();");
    hand_over(&project, BRANCH, std::slice::from_ref(&first), Some("origin")).expect("the first night");
    project.git(&["checkout", "--quiet", "--", "."]);
    for day in ["one", "two"] {
        project.git(&["commit", "--quiet", "--allow-empty", "--message", day]);
    }
    project.git(&["push", "--quiet", "origin", "main"]);
    let ours = project.git(&["ls-remote", "origin", BRANCH]);
    let night = |name: &str| {
        let clone = project.folder().join(name);
        let to = clone.to_str().expect("a path");
        project.git(&["clone", "--quiet", "--depth=1", "--branch=main", &there, to]);
        project.git(&["-C", to, "checkout", "--quiet", "--detach"]);
        for (key, value) in [("user.name", "Ada"), ("user.email", "ada@example.com")] {
            project.git(&["-C", to, "config", key, value]);
        }
        let (root, cancel) = (Utf8PathBuf::from_path_buf(clone).expect("UTF-8"), Cancel::default());
        wait(async {
            let branch = Branch::prepare(&root, BRANCH, &cancel).await?;
            let handed = branch.commit(std::slice::from_ref(&first), Some("origin")).await?;
            branch.push("origin").await?;
            Ok::<_, Error>(handed)
        })
    };
    assert_eq!(night("second").expect("the second night").committed.len(), 1);
    let bare = remote.to_str().expect("a path");
    let old = ours.split_whitespace().next().expect("a commit");
    project.git(&["--git-dir", bare, "merge-base", "--is-ancestor", old, BRANCH]);
    project.git(&["--git-dir", bare, "merge-base", "--is-ancestor", "main", BRANCH]);

    project.git(&["fetch", "--quiet", "origin", &format!("+{BRANCH}:of-a-person")]);
    project.git(&["switch", "--quiet", "of-a-person"]);
    project.git(&["commit", "--quiet", "--allow-empty", "--message", "mine"]);
    project.git(&["push", "--quiet", "origin", &format!("HEAD:{BRANCH}")]);
    let refused = night("third").expect_err("a person's commit").to_string();
    assert!(refused.contains("not relocator's"), "{refused}");
}

#[test]
fn a_healed_suite_is_a_pushed_branch_and_one_pull_request_and_the_work_tree_is_as_before() {
    let _turn = browser_turn();
    let (project, remote) = repository();
    let (server, _runtime) = {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let server = runtime.block_on(async {
            let server = MockServer::start().await;
            Mock::given(method("GET"))
                .respond_with(ResponseTemplate::new(200).set_body_json(json!([])))
                .mount(&server)
                .await;
            let made = json!({ "number": 1, "html_url": "https://forge/1", "state": "open", "merged_at": null });
            Mock::given(method("POST"))
                .respond_with(ResponseTemplate::new(201).set_body_json(made))
                .expect(1)
                .mount(&server)
                .await;
            server
        });
        (server, runtime)
    };
    let before = project.tree();
    let mut command = project.relocator(["heal", "--all", "--branch", BRANCH, "--open-pr", "--json"]);
    command.env("GITHUB_TOKEN", "t0ken-of-the-forge").env("RELOCATOR_FORGE_URL", server.uri());
    command.env("RELOCATOR_FORGE", "github").env("RELOCATOR_REPOSITORY", "team/shop");
    let ran = crate::support::Ran::from(command.output().expect("relocator"));
    let document = ran.json();
    assert_eq!(document["groups"][0]["outcome"], "healed", "{ran}");
    assert!(!ran.says("t0ken"), "{ran}");
    assert_eq!(before.changes(&project.tree()), [], "{ran}");
    assert_eq!(project.git(&["status", "--porcelain"]), "");
    let there = remote.to_str().expect("a path");
    let changed = project.git(&["--git-dir", there, "diff", "--numstat", "main", BRANCH]);
    assert_eq!(changed.trim(), format!("1\t1\t{SPEC}"));
    let asked = wait(server.received_requests()).expect("requests");
    let posted = asked.iter().find(|request| request.method.as_str() == "POST").expect("a pull request");
    let posted: serde_json::Value = posted.body_json().expect("JSON");
    let body = posted["body"].as_str().expect("a body");
    assert_eq!((posted["head"].as_str(), posted["base"].as_str()), (Some(BRANCH), Some("main")));
    assert_eq!(marks(body).len(), 1, "{body}");
    assert!(body.contains("getByTestId('submit-btn')"), "{body}");
    suggested(&project, document["run"].as_str().expect("the run"));
    let again = project.run(["heal", &project.expected.test, "--dry-run", "--json"]);
    assert_eq!(again.json()["outcome"], "proposed", "a repair that was handed over was not refused: {again}");
}

/// The same run as a review of a pull request that shows the line: one suggestion, and nothing the second time.
fn suggested(project: &Project, run: &str) {
    let spec = project.read(SPEC);
    let line = spec.lines().position(|line| line.contains("#submit-btn")).expect("the stale line");
    let shown: String = spec.lines().flat_map(|line| ["+", line, "\n"]).collect();
    let files = json!([
        { "filename": "picture.png" },
        { "filename": SPEC, "patch": format!("@@ -0,0 +1,{} @@\n{shown}", spec.lines().count()) },
    ]);
    let review = |server: &MockServer| {
        let mut command = project.relocator(["merge", run, "--suggest", "--json"]);
        command.env("GITHUB_TOKEN", "t0ken-of-the-forge").env("RELOCATOR_FORGE_URL", server.uri());
        command.env("RELOCATOR_FORGE", "github").env("RELOCATOR_REPOSITORY", "team/shop");
        command.env("GITHUB_REF", "refs/pull/7/merge");
        let ran = crate::support::Ran::from(command.output().expect("relocator"));
        assert!(ran.code == Some(0) && !ran.says("t0ken"), "{ran}");
        ran
    };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let answer = |reviews: serde_json::Value, posts: u64| {
        runtime.block_on(async {
            let server = MockServer::start().await;
            for (what, body) in
                [("", json!({ "head": { "sha": "5ba" } })), ("/files", files.clone()), ("/reviews", reviews)]
            {
                Mock::given(method("GET"))
                    .and(path(format!("/repos/team/shop/pulls/7{what}")))
                    .respond_with(ResponseTemplate::new(200).set_body_json(body))
                    .expect(1)
                    .mount(&server)
                    .await;
            }
            Mock::given(method("POST"))
                .and(path("/repos/team/shop/pulls/7/reviews"))
                .and(header("authorization", "Bearer t0ken-of-the-forge"))
                .respond_with(
                    ResponseTemplate::new(200).set_body_json(json!({ "id": 1, "html_url": "https://forge/r" })),
                )
                .expect(posts)
                .mount(&server)
                .await;
            server
        })
    };
    let first = answer(json!([{ "body": "of a person" }, { "body": null }]), 1);
    assert!(review(&first).stderr.contains("pull request reviewed: 1 suggestions"));
    let asked = runtime.block_on(first.received_requests()).expect("requests");
    let posted = asked.iter().find(|request| request.method.as_str() == "POST").expect("a review");
    let posted: serde_json::Value = posted.body_json().expect("JSON");
    assert_eq!((posted["event"].as_str(), posted["commit_id"].as_str()), (Some("COMMENT"), Some("5ba")));
    let comments = posted["comments"].as_array().expect("comments");
    assert_eq!(comments.len(), 1, "{posted:#}");
    assert_eq!(
        (&comments[0]["path"], &comments[0]["line"], &comments[0]["side"]),
        (&json!(SPEC), &json!(line + 1), &json!("RIGHT"))
    );
    let text = comments[0]["body"].as_str().expect("a text");
    assert!(text.ends_with("```suggestion\n  await page.getByTestId('submit-btn').click();\n```"), "{text}");
    let body = posted["body"].as_str().expect("a text");
    assert_eq!(marks(body).len(), 1, "{body}");

    let second = answer(json!([{ "body": body }]), 0);
    let ran = review(&second);
    assert!(ran.stderr.contains("has these suggestions already"), "{ran}");

    let kept = format!(".relocator/runs/{run}/suite.json");
    project
        .write(&kept, &project.read(&kept).replace("getByTestId('submit-btn').click()", "getByTestId('other').tap()"));
    let third = answer(json!([]), 0);
    let ran = review(&third);
    assert!(ran.stderr.contains("is not suggested: ") && ran.stderr.contains("nothing to suggest"), "{ran}");
    runtime.block_on(async {
        first.verify().await;
        second.verify().await;
        third.verify().await;
    });
}
