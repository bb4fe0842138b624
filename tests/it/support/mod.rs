//! What the integration tests share: copies of the fixture projects, real runs in a clean environment, and the checks that
//! every run must pass whatever its outcome (files, processes).

mod browser;
mod processes;
mod project;
mod ran;
mod readme;
mod talk;
mod tree;

pub(crate) use browser::{browser_turn, chromium};
pub(crate) use processes::{belonging_to, survivors};
pub(crate) use project::Project;
pub(crate) use ran::Ran;
pub(crate) use readme::Table;
pub(crate) use talk::Talk;
pub(crate) use tree::{Change, Tree};

use std::path::PathBuf;

/// One test for every fixture project, each calling `check(name)` of the module, and one that none is forgotten.
macro_rules! every_fixture_project {
    () => {
        every_fixture_project! {
            absence "absence"
            ambiguous "ambiguous"
            backend_error "backend-error"
            before_each "before-each"
            big_page "big-page"
            chain "chain"
            computed "computed"
            const_ "const"
            covered "covered"
            custom_fixture "custom-fixture"
            demo "demo"
            expect_subject "expect-subject"
            flaky "flaky"
            getter "getter"
            gone "gone"
            helper "helper"
            hidden_bug "hidden-bug"
            iframe "iframe"
            javascript "javascript"
            login_page "login-page"
            look_alikes "look-alikes"
            monorepo "monorepo"
            multi_line "multi-line"
            opposite "opposite"
            other_words "other-words"
            page_object "page-object"
            passes_once "passes-once"
            rewording "rewording"
            second_gone "second-gone"
            selector_constants "selector-constants"
            server_broken "server-broken"
            server_down "server-down"
            shadow "shadow"
            strict "strict"
            test_data "test-data"
            test_id_attribute "test-id-attribute"
            two_stale "two-stale"
            unproven "unproven"
            wrapper "wrapper"
            wrong_value "wrong-value"
        }
    };
    ($($test:ident $name:literal)+) => {
        $(#[test]
        fn $test() {
            check($name);
        })+

        #[test]
        fn no_fixture_project_is_forgotten() {
            assert_eq!([$($name),+].as_slice(), crate::support::Project::names());
        }
    };
}
pub(crate) use every_fixture_project;

/// The folder of the checkout.
pub(crate) fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Runs a future to its end.
pub(crate) fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Runtime::new().expect("a runtime").block_on(future)
}
