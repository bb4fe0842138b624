//! A project on disk with a page, and a bench that runs nothing: the edit goes through the real gate, the real identity
//! check, the real workspace and the real verdict; only the browser is scripted.

mod settings;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use tempfile::TempDir;

use self::settings::BESIDES;
pub(super) use self::settings::{CANARY, SETTINGS, Setting};
use crate::adapters::workspace::{Grounds, Holder, Patience, Run, Workspace, Writer};
use crate::domain::budget::Limits;
use crate::domain::decide::{Decision, decide};
use crate::domain::dom::testing::dom;
use crate::domain::dom::{Dom, NodeId, Page};
use crate::domain::event::Event;
use crate::domain::facts::{Seen, facts_of};
use crate::domain::gate::Flag;
use crate::domain::identity::{Action, Facts};
use crate::domain::locator::Locator;
use crate::domain::locator::render::Style;
use crate::domain::lost::lost_of;
use crate::domain::redact::Redactor;
use crate::domain::suggest::{Ask, House, suggest};
use crate::domain::verdict::{Basis, Outcome, Proof, Proofs, Reason, ReasonCode, judge};
use crate::domain::word::Word;
use crate::heal::Stop;
use crate::heal::agent::{Agent, Bench, Conversation, End, Failure, Model, Tried};
use crate::heal::tools::{Accepted, Desk, View};
use crate::source::imports::Aliases;
use crate::source::locate::{Definition, Frame, Question, locate};
use crate::source::project::Project;
use crate::source::write::{Change, rewrite};

const ATTRIBUTE: &str = "data-testid";

/// A setting with all that the ranking knows of it; built once, used for many conversations.
pub(super) struct Prepared {
    pub(super) name: &'static str,
    files: BTreeMap<String, String>,
    pub(super) stale: Locator,
    dom: Dom,
    pub(super) seen: Vec<Seen>,
    pub(super) decision: Decision,
    project: Project,
    definition: Definition,
}

impl Prepared {
    pub(super) fn new(setting: &Setting) -> Self {
        Self::on(setting, setting.markup)
    }

    /// The setting on another page.
    pub(super) fn on(setting: &Setting, markup: &str) -> Self {
        let mut frames = Vec::new();
        let mut files: BTreeMap<String, String> = BTreeMap::new();
        for (path, marked) in setting.files {
            if let Some(at) = marked.find('①') {
                let head = marked.get(..at).unwrap();
                let line = u32::try_from(head.matches('\n').count()).unwrap() + 1;
                let column = u32::try_from(head.rsplit('\n').next().unwrap().chars().count()).unwrap() + 1;
                frames.push(Frame { path: (*path).to_owned(), line, column });
            }
            files.insert((*path).to_owned(), marked.replace('①', ""));
        }
        let entries: Vec<&str> = frames.iter().map(|frame| frame.path.as_str()).collect();
        let project = Project::load(&entries, &Aliases::default(), &mut |path| files.get(path).cloned());
        let definition = locate(&project, &Question { frames: &frames, locator: Some(setting.stale) }).unwrap();
        files.extend(BESIDES.map(|(path, text)| (path.to_owned(), text.to_owned())));
        let stale = Locator::from_source(setting.stale, ATTRIBUTE).unwrap();
        let dom = dom(markup);
        let (seen, decision) = {
            let page = Page::new(&dom);
            let seen = facts_of(&page, ATTRIBUTE);
            let facts: Vec<Facts> = seen.iter().map(|seen| seen.facts.clone()).collect();
            let all: Vec<usize> = (0..facts.len()).collect();
            let decision = decide(&lost_of(&stale.steps, Action::Click, ATTRIBUTE), &facts, &all);
            (seen, decision)
        };
        Self { name: setting.name, files, stale, dom, seen, decision, project, definition }
    }

    pub(super) fn steps(&self) -> Range<usize> {
        0..self.stale.steps.len()
    }

    /// The file and line that define the locator.
    pub(super) fn place(&self) -> (String, String) {
        let piece = self.definition.piece_of(0).unwrap();
        let literal = piece.texts.iter().find_map(|text| text.whole());
        let site = literal.map_or(&piece.call, |literal| &literal.site);
        let line = self.files[&site.path].lines().nth(site.line as usize - 1).unwrap();
        (site.path.clone(), line.to_owned())
    }

    /// What stands on that line before the locator (or the selector) and behind it.
    pub(super) fn around(&self) -> (String, String) {
        let (_, line) = self.place();
        let printed = self.stale.to_js(Style::default());
        let written = if line.contains(&printed) { printed.as_str() } else { line.split_whitespace().nth(1).unwrap() };
        let (head, tail) = line.split_once(written.trim_end_matches(',')).unwrap();
        (head.to_owned(), tail.to_owned())
    }

    /// The element that a locator, or a selector in quotes, matches alone; an index into what was seen.
    pub(super) fn only_match(&self, written: &str) -> Option<usize> {
        let quoted = written.starts_with(['\'', '"']);
        let source = if quoted { format!("locator({written})") } else { written.to_owned() };
        let locator = Locator::from_source(&source, ATTRIBUTE).ok()?;
        let page = Page::new(&self.dom);
        let node = page.query(self.dom.main_frame().unwrap(), &locator).only()?;
        self.seen.iter().position(|seen| seen.node == node)
    }

    fn write(&self, page: &Page<'_>, node: NodeId) -> Result<Vec<(crate::source::write::Rewrite, String)>, String> {
        let house = House::default();
        let ask = Ask {
            page,
            frame: self.dom.main_frame().unwrap(),
            node,
            locator: &self.stale,
            steps: self.steps(),
            test_id_attribute: ATTRIBUTE,
            house: &house,
            successors: &[],
            typed: &[],
        };
        let rewritten = suggest(&ask).into_iter().filter_map(|suggestion| {
            let change = Change {
                definition: &self.definition,
                old: &self.stale,
                steps: suggestion.replaces.clone(),
                new: &suggestion.steps,
            };
            Some((rewrite(&self.project, &change).ok()?, "because".to_owned()))
        });
        let rewritten: Vec<_> = rewritten.collect();
        if rewritten.is_empty() { Err("nothing names it".to_owned()) } else { Ok(rewritten) }
    }
}

/// A project on disk.
pub(super) struct Disk {
    folder: TempDir,
    pub(super) root: Utf8PathBuf,
    writer: Arc<Writer>,
    run: Run,
    files: BTreeMap<String, String>,
}

impl Disk {
    pub(super) async fn of(prepared: &Prepared) -> Self {
        // Where waiting for the disk costs nothing, if there is such a place.
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() }.unwrap();
        let root = Utf8PathBuf::from_path_buf(folder.path().canonicalize().unwrap().join("project")).unwrap();
        for (path, text) in &prepared.files {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let outside = folder.path().join("outside.ts");
        std::fs::write(&outside, format!("export const x = '{CANARY}';\n")).unwrap();
        std::os::unix::fs::symlink(&outside, root.join("tests/link.ts")).unwrap();
        std::os::unix::fs::symlink(folder.path(), root.join("tests/up")).unwrap();
        std::os::unix::fs::symlink(root.join("secrets.ts"), root.join("tests/inner.ts")).unwrap();
        let workspace = Workspace::open(&root).unwrap();
        let writer = workspace.writer(&Holder::this("test"), Patience::None, |_| ()).await.unwrap();
        let run = workspace.begin_run().unwrap();
        Self { folder, root, writer: Arc::new(writer), run, files: prepared.files.clone() }
    }

    /// The files that differ from what they were; also one that came or went.
    pub(super) fn changed(&self) -> Vec<(String, String)> {
        let mut changed = Vec::new();
        let mut count = 0;
        let mut open = vec![self.root.clone()];
        while let Some(folder) = open.pop() {
            for entry in folder.read_dir_utf8().unwrap().map(|entry| entry.unwrap()) {
                let path = entry.path();
                let name = path.strip_prefix(&self.root).unwrap().to_string();
                let kind = entry.file_type().unwrap();
                if name == ".relocator" || kind.is_symlink() {
                    continue;
                }
                if kind.is_dir() {
                    open.push(path.to_owned());
                    continue;
                }
                count += 1;
                let text = std::fs::read_to_string(path).unwrap();
                if self.files.get(&name) != Some(&text) {
                    changed.push((name, text));
                }
            }
        }
        if count < self.files.len() {
            changed.push(("(a file is gone)".to_owned(), String::new()));
        }
        changed
    }

    pub(super) fn before(&self, path: &str) -> &str {
        &self.files[path]
    }

    /// Does what a kept repair must not bring with it.
    fn suffer(&self, harm: Option<&Harm>, path: &str) {
        match harm {
            Some(Harm::Writes(other)) => std::fs::write(self.root.join(other), "changed\n").unwrap(),
            Some(Harm::Edits(old, new)) => {
                let text = std::fs::read_to_string(self.root.join(path)).unwrap();
                std::fs::write(self.root.join(path), text.replace(old, new)).unwrap();
            }
            _ => {}
        }
    }

    /// Text of files that lie outside of the project.
    pub(super) fn outside(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("outside.ts")).unwrap()
    }
}

/// What a scripted run of the test comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Run1 {
    /// Green twice; whether the test fails without its step.
    Green { counter: Option<bool> },
    /// Still red.
    Red,
    /// Green once.
    Flaky,
}

/// A wall that is missing, to see that its absence is noticed.
#[derive(Debug)]
pub(super) enum Harm {
    /// An edit with which the test is red is not taken back.
    KeepsWhatIsRed,
    /// Every proof counts as held.
    ProvesNothing,
    /// What a model says is as good as what the ranking says.
    BelievesTheModel,
    /// Values that are known to be secret are sent.
    RedactsNothing,
    /// A kept repair comes with a change of this file.
    Writes(&'static str),
    /// A kept repair comes with another edit of its file, as if gate two let everything pass.
    Edits(&'static str, &'static str),
}

/// Tries edits on disk; the runs come from a script, the verdict from the real judge.
pub(super) struct Scripted<'d> {
    pub(super) disk: &'d Disk,
    pub(super) runs: Vec<Run1>,
    pub(super) tried: Vec<Accepted>,
    pub(super) kept: usize,
    pub(super) events: usize,
    pub(super) harm: Option<&'d Harm>,
    /// What a red run says, and what gate one says of the failure.
    pub(super) says: String,
}

impl<'d> Scripted<'d> {
    pub(super) fn new(disk: &'d Disk, runs: Vec<Run1>) -> Self {
        Self { disk, runs, tried: Vec::new(), kept: 0, events: 0, harm: None, says: "still red".to_owned() }
    }
}

impl Bench for Scripted<'_> {
    async fn try_edit(&mut self, edit: &Accepted) -> Result<Tried, Stop> {
        let run = self.runs.get(self.tried.len()).copied().unwrap_or(Run1::Red);
        self.tried.push(edit.clone());
        let applied = self.disk.writer.apply(&self.disk.run, &edit.gated, None).unwrap();
        let path = self.disk.root.join(edit.gated.path());
        assert_eq!(std::fs::read_to_string(path).unwrap(), edit.gated.after());
        let held = || Proof::Held(String::new());
        let proofs = |twice, counter_test| Proofs {
            reproduced: held(),
            passed_twice: twice,
            right_element: held(),
            dependents: held(),
            counter_test,
        };
        let proofs = match run {
            Run1::Red => {
                applied.restore().unwrap();
                if matches!(self.harm, Some(Harm::KeepsWhatIsRed)) {
                    std::fs::write(self.disk.root.join(edit.gated.path()), edit.gated.after()).unwrap();
                }
                return Ok(Tried::Next(self.says.clone()));
            }
            Run1::Flaky => proofs(Proof::Failed("once".to_owned()), Proof::NotRun),
            Run1::Green { counter } => proofs(
                held(),
                match counter {
                    Some(true) => held(),
                    Some(false) => Proof::Failed(String::new()),
                    None => Proof::NotApplicable(String::new()),
                },
            ),
        };
        let proofs = match self.harm {
            Some(Harm::ProvesNothing) => Proofs { passed_twice: held(), counter_test: held(), ..proofs },
            _ => proofs,
        };
        let feeds = edit.gated.flags().iter().any(|flag| matches!(flag, Flag::FeedsExpect | Flag::FeedsAbsence));
        let word = if matches!(self.harm, Some(Harm::BelievesTheModel)) { Word::Ranking } else { edit.word };
        let reason = word.bound(judge(&proofs, Basis::default(), feeds), &proofs);
        if reason.outcome() == Outcome::Healed {
            applied.keep(&[Grounds { proofs, basis: Basis::default(), feeds_expect: feeds }]).unwrap();
            self.kept += 1;
            self.disk.suffer(self.harm, edit.gated.path());
        } else {
            applied.restore().unwrap();
        }
        Ok(Tried::Ended(reason))
    }

    async fn cancelled(&self) {
        std::future::pending::<()>().await;
    }

    fn tell(&mut self, event: &Event) {
        // Shown as it would be, so that no text of a model or a page can break the transcript.
        let shown = crate::report::transcript::lines(event).unwrap_or_default();
        assert!(!shown.contains('\u{1b}'), "{shown:?}");
        self.events += 1;
    }
}

/// How a conversation came out.
pub(super) struct Came {
    pub(super) reason: Result<Reason, crate::adapters::openai::ModelError>,
    pub(super) conversation: Conversation,
}

impl Came {
    pub(super) fn code(&self) -> ReasonCode {
        self.reason.as_ref().unwrap_or_else(|error| panic!("{error}")).code
    }
}

/// Holds one conversation.
pub(super) async fn converse(
    prepared: &Prepared,
    model: &mut impl Model,
    bench: &mut Scripted<'_>,
    limits: Limits,
) -> Came {
    let page = Page::new(&prepared.dom);
    let known = (!matches!(bench.harm, Some(Harm::RedactsNothing))).then(|| CANARY.to_owned());
    let redactor = Redactor::new(known);
    let root: &Utf8Path = &bench.disk.root.clone();
    let write = |node: NodeId| prepared.write(&page, node);
    let desk = Desk::new(View {
        root,
        page: &page,
        frame: prepared.dom.main_frame().unwrap(),
        locator: &prepared.stale,
        steps: prepared.steps(),
        attribute: ATTRIBUTE,
        seen: &prepared.seen,
        decision: &prepared.decision,
        project: &prepared.project,
        definition: &prepared.definition,
        write: &write,
        redactor: &redactor,
    });
    let says = bench.says.clone();
    let failure =
        Failure { test: "tests/a.spec.ts:3", seen: &says, method: "click", locator: "the locator", link: "the link" };
    let (end, conversation) = Agent::new(model, bench, desk, limits, &failure).converse().await;
    let reason = match end.unwrap_or_else(|stop| panic!("{stop:?}")) {
        End::Ended(reason) => Ok(reason),
        End::Unanswered(error) => Err(error),
    };
    Came { reason, conversation }
}
