//! Real repositories in temporary folders, made by git itself.

use std::process::Command as StdCommand;

use super::*;
use crate::domain::identity::LiteralKind;

struct Repository {
    folder: tempfile::TempDir,
}

impl Repository {
    fn new() -> Self {
        let repository = Self { folder: tempfile::tempdir().unwrap() };
        repository.git(&["init", "--quiet", "--initial-branch=main"]);
        repository.write("README.md", "hello");
        repository.commit("begin");
        repository
    }

    fn root(&self) -> Utf8PathBuf {
        Utf8PathBuf::from_path_buf(self.folder.path().canonicalize().unwrap()).unwrap()
    }

    fn git(&self, arguments: &[&str]) {
        let who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgSign=false"];
        let ran = StdCommand::new("git").args(who).args(arguments).current_dir(self.folder.path()).output().unwrap();
        assert!(ran.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&ran.stderr));
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn commit(&self, subject: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", subject]);
    }

    /// Commits each of the texts of one file.
    fn commits(&self, path: &str, texts: &[&str]) {
        for (at, text) in texts.iter().enumerate() {
            self.write(path, text);
            self.commit(&format!("step {at}"));
        }
    }

    async fn history(&self, root: &str, kind: LiteralKind, value: &str) -> Vec<Successor> {
        let literals = [Literal { kind, value: value.to_owned() }];
        let question = Question {
            root: &self.root().join(root),
            test_folders: &[],
            test_files: &["pages/login.ts".to_owned()],
            literals: &literals,
            test_id_attribute: "data-testid",
        };
        history(question, &Cancel::default()).await
    }

    /// `new (subject)` of the one answer, or nothing.
    async fn became(&self, kind: LiteralKind, value: &str) -> String {
        let found = self.history("", kind, value).await;
        found.iter().map(|found| format!("{} ({})", found.new, found.subject)).collect::<Vec<_>>().join(", ")
    }
}

const OLD: &str = "<form>\n  <button id=\"save\">Save</button>\n</form>\n";
const NEW: &str = "<form>\n  <button id=\"store\">Save</button>\n</form>\n";
const GONE: &str = "<form>\n</form>\n";

#[tokio::test]
async fn a_rename_is_found_with_its_commit_or_in_the_working_tree() {
    let repository = Repository::new();
    repository.commits("app/index.html", &[OLD, NEW]);
    let found = repository.history("", LiteralKind::Id, "save").await;
    let [found] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(
        (found.new.as_str(), found.subject.as_str(), found.file.as_str()),
        ("store", "step 1", "app/index.html")
    );
    assert!(found.commit.len() >= 7 && found.date.len() == 10, "{found:?}");
    assert_eq!(repository.became(LiteralKind::Class, "save").await, "");

    // On top of it, staged and not.
    repository.write("app/index.html", &NEW.replace("store", "keep"));
    assert_eq!(repository.became(LiteralKind::Id, "save").await, "keep ()");
    repository.git(&["add", "--all"]);
    assert_eq!(repository.became(LiteralKind::Id, "save").await, "keep ()");
}

#[tokio::test]
async fn a_project_in_a_subfolder_sees_the_application_beside_it_and_not_its_own_tests() {
    let repository = Repository::new();
    repository.write("e2e-suite/pages/login.ts", "export const save = 'save';\n");
    repository.commits("web/index.html", &[OLD, NEW]);
    repository.write("e2e-suite/pages/login.ts", "export const save = 'other';\n");
    repository.commit("heal");
    let found = repository.history("e2e-suite", LiteralKind::Id, "save").await;
    assert_eq!(found.iter().map(|found| found.new.as_str()).collect::<Vec<_>>(), ["store"]);
}

#[tokio::test]
async fn a_deletion_is_told_only_where_the_literal_is_nowhere_now() {
    let repository = Repository::new();
    repository.commits("app/index.html", &[OLD, GONE]);
    assert_eq!(repository.became(LiteralKind::Id, "save").await, " (step 1)");
    repository.write("app/other.html", OLD);
    assert_eq!(repository.became(LiteralKind::Id, "save").await, "");
}

#[tokio::test]
async fn what_was_taken_back_or_is_no_longer_there_is_no_answer() {
    let repository = Repository::new();
    repository.commits("app/index.html", &[OLD, NEW, OLD]);
    assert_eq!(repository.became(LiteralKind::Id, "save").await, "");
    // The new name went in a way that cannot be read.
    repository.commits("app/index.html", &[NEW]);
    repository.git(&["rm", "--quiet", "app/index.html"]);
    repository.commit("rewrite");
    repository.write("web/App.tsx", "export const App = () => <Form />;\n");
    repository.commit("anew");
    assert_ne!(repository.became(LiteralKind::Id, "save").await, "store (step 0)");
}

#[tokio::test]
async fn commits_of_the_branch_are_read_beyond_the_latest() {
    let repository = Repository::new();
    repository.commits("app/index.html", &[OLD]);
    repository.git(&["switch", "--quiet", "--create", "feature"]);
    repository.commits("app/index.html", &[NEW]);
    for at in 0..RECENT {
        repository.write("app/other.html", &format!("<p>{at}</p>\n"));
        repository.commit("more");
    }
    assert_eq!(repository.became(LiteralKind::Id, "save").await, "store (step 0)");
}

#[tokio::test]
async fn where_there_is_no_history_there_is_silence() {
    let repository = Repository::new();
    assert_eq!(repository.became(LiteralKind::Id, "save").await, "");
    let none = tempfile::tempdir().unwrap();
    let folder = Repository { folder: none };
    assert_eq!(folder.became(LiteralKind::Id, "save").await, "");
    folder.git(&["init", "--quiet"]);
    assert_eq!(folder.became(LiteralKind::Id, "save").await, "");

    // A shallow clone that begins behind the rename.
    let repository = Repository::new();
    repository.commits("app/index.html", &[OLD, NEW]);
    let clone = Repository { folder: tempfile::tempdir().unwrap() };
    clone.git(&["clone", "--quiet", "--depth=1", &format!("file://{}", repository.root()), "."]);
    assert_eq!(clone.became(LiteralKind::Id, "save").await, "");
}

#[tokio::test]
async fn nothing_that_a_repository_configures_is_run() {
    let repository = Repository::new();
    repository.commits("app/index.html", &[OLD, NEW]);
    let ran = repository.folder.path().join("ran");
    let script = repository.folder.path().join("run.sh");
    std::fs::write(&script, format!("#!/bin/sh\ntouch '{}'\ncat\n", ran.display())).unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let script = script.to_str().unwrap();
    for setting in [
        "core.fsmonitor",
        "core.pager",
        "pager.log",
        "diff.external",
        "diff.evil.command",
        "diff.evil.textconv",
        "filter.evil.clean",
        "filter.evil.smudge",
        "gpg.program",
    ] {
        repository.git(&["config", setting, script]);
    }
    repository.git(&["config", "log.showSignature", "true"]);
    repository.write(".gitattributes", "*.html diff=evil filter=evil\n");
    std::fs::write(repository.folder.path().join("app/index.html"), NEW.replace("store", "keep")).unwrap();
    assert_eq!(repository.became(LiteralKind::Id, "save").await, "keep ()");
    assert!(!ran.exists());
}

#[tokio::test]
async fn a_literal_is_never_an_option_or_an_expression() {
    let repository = Repository::new();
    let text = |id: &str| format!("<form>\n  <button id=\"{id}\">Save</button>\n</form>\n");
    for (old, new) in [("--output=x", "--help"), ("a.*b", "a[b"), ("x'y\\z", "$(z)")] {
        repository.commits("app/index.html", &[&text(old), &text(new)]);
        assert_eq!(repository.became(LiteralKind::Id, old).await, format!("{new} (step 1)"), "{old}");
    }
    assert!(!repository.folder.path().join("x").exists());
}
