//! What lies behind a broken link: what the repository says became of its literals, and what the source calls it.
//!
//! Evidence where it is there; nothing here can end a repair.

use camino::{Utf8Path, Utf8PathBuf};

use super::Healer;
use super::diagnose::Diagnosis;
use super::record::HealRun;
use super::scene::Sources;
use crate::adapters::git::{Question, history};
use crate::domain::history::test_folders;
use crate::domain::identity::{Action, Literal};
use crate::domain::locator::parse::DEFAULT_TEST_ID_ATTRIBUTE;
use crate::domain::lost::lost_of;
use crate::source::names::names_around;

impl Healer<'_> {
    /// Notes in the scene what source and repository say of the broken link.
    pub(super) async fn look_behind(&mut self, run: &mut HealRun, diagnosis: &mut Diagnosis) {
        let piece = diagnosis.definition.piece_of(diagnosis.steps.start);
        diagnosis.scene.names = piece.map(|piece| names_around(&diagnosis.project, piece)).unwrap_or_default();
        let root = &self.playwright.project.root;
        let scene = &diagnosis.scene;
        let attribute = scene.trace.info.test_id_attribute.as_deref().unwrap_or(DEFAULT_TEST_ID_ATTRIBUTE);
        let literals = literals(diagnosis, attribute);
        let files: Vec<String> = diagnosis.project.files().map(|file| file.path.clone()).collect();
        let question = Question {
            root,
            test_folders: &folders(root, &self.playwright.project.config),
            test_files: &files,
            literals: &literals,
            test_id_attribute: attribute,
        };
        let started = std::time::Instant::now();
        let found = history(question, &self.playwright.cancel).await;
        run.spent("history", started.elapsed());
        diagnosis.scene.history = found;
    }
}

/// The literals of the broken link.
fn literals(diagnosis: &Diagnosis, test_id_attribute: &str) -> Vec<Literal> {
    let steps = diagnosis.scene.locator.steps.get(diagnosis.steps.clone()).unwrap_or_default();
    lost_of(steps, Action::Look, test_id_attribute).literals
}

/// The folders that the project's configuration names as those of its tests.
fn folders(root: &Utf8Path, config: &Utf8Path) -> Vec<Utf8PathBuf> {
    let text = Sources { root }.read(config.file_name().unwrap_or_default()).unwrap_or_default();
    let inside = |folder: String| root.join(folder).canonicalize_utf8().ok();
    test_folders(&text).into_iter().filter_map(inside).collect()
}
