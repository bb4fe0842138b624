//! When a model is asked during a repair, and what its choice may come to.
//!
//! A model's edit goes the way of the ranking's: gate two, the workspace, the runs, the proofs, the verdict.

use super::agent::{Agent, Bench, Conversation, End, Failure, Tried, what_is_sent};
use super::apply::Went;
use super::causes::{Cause, Pile, Placed};
use super::diagnose::Diagnosis;
use super::propose::{Proposals, edits};
use super::record::{HealRun, ModelUse};
use super::tools::{Accepted, Desk, View};
use super::{Healer, Stop};
use crate::adapters::openai::OpenAi;
use crate::adapters::process;
use crate::domain::budget::{Limits, Spent};
use crate::domain::dom::{NodeId, Page};
use crate::domain::event::Event;
use crate::domain::locator::parse::DEFAULT_TEST_ID_ATTRIBUTE;
use crate::domain::redact::Redactor;
use crate::domain::verdict::{Basis, Reason, ReasonCode};

/// Who proposes repairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// The embedded ranking: offline, deterministic
    #[default]
    Ranker,
    /// A model, within what the ranking finds possible
    Model,
    /// The ranking first; a model where it finds candidates but no clear winner
    Auto,
}

/// What a million tokens cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prices {
    /// Sent.
    pub input: f64,
    /// Received.
    pub output: f64,
}

impl Prices {
    fn of(self, spent: &Spent) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^52")]
        let million = |tokens: u64| tokens as f64 / 1e6;
        million(spent.tokens_in) * self.input + million(spent.tokens_out) * self.output
    }
}

/// A model that may be asked.
pub struct Advisor<'m> {
    /// The model.
    pub model: &'m mut OpenAi,
    /// When it is asked.
    pub engine: Engine,
    /// What it may cost.
    pub limits: Limits,
    /// What tokens cost.
    pub prices: Option<Prices>,
    /// Values that must not reach it.
    pub redactor: Redactor,
}

impl Advisor<'_> {
    /// Whether the model is asked, given what the ranking proposes. Where the ranking finds no candidate, nothing that a
    /// model says could be tried, so nothing is sent.
    pub(super) fn is_asked(&self, ranked: &Result<Proposals, Stop>) -> bool {
        let code = match ranked {
            Ok(proposals) => {
                return match self.engine {
                    Engine::Ranker => false,
                    Engine::Model => true,
                    Engine::Auto => proposals.weak,
                };
            }
            Err(Stop::Ended(reason)) => reason.code,
            Err(_) => return false,
        };
        match self.engine {
            Engine::Ranker => false,
            Engine::Model => matches!(code, ReasonCode::Ambiguous | ReasonCode::NoStableLocator),
            Engine::Auto => code == ReasonCode::Ambiguous,
        }
    }
}

impl Healer<'_> {
    /// Lets the model choose, and goes on with what the ranking proposes where it gives no answer.
    pub(super) async fn advised(
        &mut self,
        run: &mut HealRun,
        cause: Cause<'_>,
        pile: &mut Pile,
        (ranked, advisor): (Result<Proposals, Stop>, &mut Advisor<'_>),
    ) -> Result<Placed, Stop> {
        if !advisor.model.endpoint().is_loopback() {
            (self.report)(&sending(advisor));
        }
        let before = advisor.model.requests();
        let talked = Box::pin(self.conversation(run, cause, pile, advisor)).await;
        keep(run, advisor, talked.conversation, advisor.model.requests() - before);
        if let Some(placed) = talked.placed {
            return Ok(*placed);
        }
        match talked.end? {
            End::Ended(reason) => Err(reason.into()),
            End::Unanswered(error) if advisor.engine == Engine::Auto => {
                let note = format!("{error}; what follows is the ranking's own result");
                (self.report)(&Event::Note(note.clone()));
                run.notes.push(note);
                self.try_all(run, cause, pile, ranked?).await
            }
            End::Unanswered(error) => Err(Stop::Blocked(error.into())),
        }
    }

    async fn conversation(
        &mut self,
        run: &mut HealRun,
        cause: Cause<'_>,
        pile: &mut Pile,
        advisor: &mut Advisor<'_>,
    ) -> Talked {
        let Cause { failing, diagnosis } = cause;
        let scene = &diagnosis.scene;
        let page = Page::new(&scene.dom);
        let attribute = scene.trace.info.test_id_attribute.as_deref().unwrap_or(DEFAULT_TEST_ID_ATTRIBUTE);
        let (seen, decision) = run.timed("rank", |_| self.ranked(diagnosis, &page, attribute));
        let mut redactor = advisor.redactor.clone();
        redactor.learn_typed(typed_secrets(diagnosis, &redactor));
        let write = |node: NodeId| {
            let edits = edits(diagnosis, &page, node, attribute)?;
            Ok(edits.into_iter().map(|edit| (edit.rewrite, edit.why)).collect())
        };
        let root = self.playwright.project.root.clone();
        let desk = Desk::new(View {
            root: &root,
            page: &page,
            frame: scene.frame,
            locator: &scene.locator,
            steps: diagnosis.steps.clone(),
            attribute,
            seen: &seen,
            decision: &decision,
            project: &diagnosis.project,
            definition: &diagnosis.definition,
            write: &write,
            redactor: &redactor,
        });
        let limits = Limits { runs: self.settings.runs.saturating_sub(run.edited_runs()), ..advisor.limits };
        let test = run.test.as_ref().map(|test| format!("{test} › {}", test.titles.join(" › "))).unwrap_or_default();
        let link = scene.links.iter().find(|link| link.count == Some(0));
        let failure = Failure {
            test: &test,
            seen: failing.classification.why,
            method: scene.failing().map(|action| action.method.as_str()).unwrap_or_default(),
            locator: &scene.printed,
            link: link.map(|link| link.printed.as_str()).unwrap_or_default(),
        };
        let mut bench = Live { healer: self, run, cause, pile, placed: None };
        let (end, conversation) = Agent::new(advisor.model, &mut bench, desk, limits, &failure).converse().await;
        Talked { end, conversation, placed: bench.placed }
    }
}

/// What came of a conversation.
struct Talked {
    end: Result<End, Stop>,
    conversation: Conversation,
    /// The edit that is in place now and whose step worked; it ended the conversation.
    placed: Option<Box<Placed>>,
}

/// The project itself, for the edits that are accepted.
struct Live<'l, 'h> {
    healer: &'l mut Healer<'h>,
    run: &'l mut HealRun,
    cause: Cause<'l>,
    pile: &'l mut Pile,
    placed: Option<Box<Placed>>,
}

impl Bench for Live<'_, '_> {
    async fn try_edit(&mut self, edit: &Accepted) -> Result<Tried, Stop> {
        self.run.proposal = Some(edit.proposal.clone());
        if !edit.first {
            // What identity rests on was found out for the ranking's first.
            self.run.basis = Basis::default();
        }
        let proposals =
            Proposals { chosen: edit.chosen.clone(), weak: false, sure: false, word: edit.word, edits: Vec::new() };
        if let Some(reason) = self.healer.held_back(self.run, &proposals, &edit.gated)? {
            return Ok(Tried::Ended(reason));
        }
        let went = self.healer.apply_and_run(self.run, self.cause, self.pile, (&proposals, &edit.gated)).await?;
        Ok(match went {
            Went::Ended(reason) => Tried::Ended(reason),
            Went::Next(why) => Tried::Next(why),
            Went::Placed(placed) => {
                self.placed = Some(placed);
                Tried::Ended(Reason::new(ReasonCode::Unproven, "the edit is in place, and is still to be proven"))
            }
        })
    }

    async fn cancelled(&self) {
        self.healer.playwright.cancel.reached(process::Stop::Gracefully).await;
    }

    fn tell(&mut self, event: &Event) {
        (self.healer.report)(event);
    }
}

fn sending(advisor: &Advisor<'_>) -> Event {
    let endpoint = advisor.model.endpoint();
    let plain = if endpoint.is_plain() { ", unencrypted" } else { "" };
    Event::Sending {
        to: format!("{}{plain}", endpoint.shown()),
        what: format!(
            "{}. To send nothing: --engine ranker, or `allow_remote = false` under `[model]` in relocator.toml",
            what_is_sent()
        ),
    }
}

fn keep(run: &mut HealRun, advisor: &Advisor<'_>, conversation: Conversation, requests: u32) {
    if run.proposal.is_none() {
        run.proposal.clone_from(&conversation.proposal);
    }
    run.refused.extend(conversation.refused.iter().cloned());
    if let Some(words) = conversation.declined_because.as_ref().filter(|words| !words.is_empty()) {
        let short: String = words.chars().take(300).collect();
        run.notes.push(format!("in the model's own words: {short}"));
    }
    run.model = Some(ModelUse {
        endpoint: advisor.model.endpoint().shown().to_owned(),
        mode: advisor.model.mode().map(crate::adapters::openai::Mode::name),
        requests,
        cost: advisor.prices.map(|prices| prices.of(&conversation.spent)),
        conversation,
    });
}

/// What the test typed into fields for passwords, as the trace recorded it.
fn typed_secrets(diagnosis: &Diagnosis, redactor: &Redactor) -> Vec<String> {
    let actions = &diagnosis.scene.trace.actions;
    let typed =
        actions.iter().filter(|action| action.selector.as_deref().is_some_and(|field| redactor.is_field(field)));
    typed.filter_map(|action| action.param("value").or(action.param("text"))).map(str::to_owned).collect()
}
