//! What lies behind a broken link: what the repository says became of its literals, what the source calls it, and what a green
//! trace of the last run says the call meant.
//!
//! Evidence where it is there; nothing here can end a repair.

use camino::{Utf8Path, Utf8PathBuf};

use super::Healer;
use super::diagnose::Diagnosis;
use super::record::HealRun;
use super::sources::Sources;
use crate::adapters::fingerprints::{key_in, of_last_run};
use crate::adapters::git::{Question, history};
use crate::domain::fingerprint::Key;
use crate::domain::history::{output_folders, test_folders};
use crate::domain::identity::{Action, Literal};
use crate::domain::locator::Locator;
use crate::domain::locator::parse::DEFAULT_TEST_ID_ATTRIBUTE;
use crate::domain::lost::lost_of;
use crate::source::later::later_locators;
use crate::source::locate::Frame;
use crate::source::names::names_around;

impl Healer<'_> {
    /// Notes in the scene what source and repository say of the broken link.
    pub(super) async fn look_behind(&mut self, run: &mut HealRun, diagnosis: &mut Diagnosis) {
        let piece = diagnosis.definition.piece_of(diagnosis.steps.start);
        diagnosis.scene.behind.names = piece.map(|piece| names_around(&diagnosis.project, piece)).unwrap_or_default();
        let root = &self.playwright.project.root;
        diagnosis.scene.behind.later = later(diagnosis, root);
        let scene = &diagnosis.scene;
        let attribute = scene.trace.info.test_id_attribute.as_deref().unwrap_or(DEFAULT_TEST_ID_ATTRIBUTE);
        let literals = literals(diagnosis, attribute);
        let files: Vec<String> = diagnosis.project.files().map(|file| file.path.clone()).collect();
        let question = Question {
            root,
            test_folders: &folders(root, &config(root, &self.playwright.project.config)),
            test_files: &files,
            literals: &literals,
            test_id_attribute: attribute,
        };
        let started = std::time::Instant::now();
        let found = history(question, &self.playwright.cancel).await;
        run.spent("history", started.elapsed());
        diagnosis.scene.behind.history = found;
        run.timed("fingerprint", |_| self.look_around(diagnosis));
    }

    /// Where the book does not know the call, a green trace of the test may lie in the folder of the project's own last run.
    fn look_around(&self, diagnosis: &mut Diagnosis) {
        let scene = &mut diagnosis.scene;
        let Some(key) = key_in(&scene.trace, scene.action) else { return };
        let key = Key { project: scene.behind.project.clone(), ..key };
        if self.fingerprints.record(&key).is_none() {
            let root = &self.playwright.project.root;
            let named = config(root, &self.playwright.project.config);
            let folders = output_folders(&named).into_iter().chain(["test-results".to_owned()]);
            let folders: Vec<Utf8PathBuf> =
                folders.filter_map(|folder| root.join(folder).canonicalize_utf8().ok()).collect();
            scene.behind.recorded = of_last_run(&folders, &key).record(&key).cloned();
        }
    }
}

/// The locators of the steps behind the failing one, in the test itself: the outermost frame that lies in a test.
fn later(diagnosis: &Diagnosis, root: &Utf8Path) -> Vec<Locator> {
    let scene = &diagnosis.scene;
    let attribute = scene.trace.info.test_id_attribute.as_deref().unwrap_or(DEFAULT_TEST_ID_ATTRIBUTE);
    let frames = scene.frames(root);
    let of = |frame: &Frame| later_locators(&diagnosis.project, &frame.path, frame.line, attribute);
    frames.iter().rev().map(of).find(|found| !found.is_empty()).unwrap_or_default()
}

/// The literals of the broken link.
fn literals(diagnosis: &Diagnosis, test_id_attribute: &str) -> Vec<Literal> {
    let steps = diagnosis.scene.locator.steps.get(diagnosis.steps.clone()).unwrap_or_default();
    lost_of(steps, Action::Look, test_id_attribute).literals
}

/// The folders that the project's configuration names as those of its tests.
fn folders(root: &Utf8Path, text: &str) -> Vec<Utf8PathBuf> {
    let inside = |folder: String| root.join(folder).canonicalize_utf8().ok();
    test_folders(text).into_iter().filter_map(inside).collect()
}

/// The text of the project's configuration.
fn config(root: &Utf8Path, path: &Utf8Path) -> String {
    Sources { root }.read(path.file_name().unwrap_or_default()).unwrap_or_default()
}
