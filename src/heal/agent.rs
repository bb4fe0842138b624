//! A conversation with a model about one root cause: it asks, one action at a time is done, it is told what came of it, until a run
//! proves a repair, the model declines, or the budget is used up.
//!
//! The loop decides nothing about a repair: gate two, the identity check, the runs and the verdict do. It sees the world
//! through two small traits, so that it can be held against hostile models without a browser. Everything that goes to the
//! model and into the record is redacted.

mod prompts;

use std::future::Future;
use std::time::Instant;

use self::prompts::Case;
pub use self::prompts::{version, what_is_sent};
use super::Stop;
pub use super::apply::Tried;
use super::tools::{Accepted, Desk, Judged};
use crate::adapters::openai::{ModelError, OpenAi, Question};
use crate::domain::budget::{Budget, Cost, Exhausted, Limits, Spent, estimate};
use crate::domain::conversation::{Action, Call, Edit, Message, Reply, Turn, read};
use crate::domain::event::Event;
use crate::domain::verdict::{Reason, ReasonCode};
use crate::error::{Error, ErrorKind};
use crate::heal::record::Proposal;

/// Replies in a row that ask for nothing that can be done; then the model has nothing to say.
const MOST_WRONG: u32 = 5;
/// What is said to a call behind one that came to nothing.
const BEHIND: &str =
    "Not done, because the call before it came to nothing. Read that answer; call it again if it still is needed.";
/// How many tokens one reply may have: an edit needs a hundred, thoughts before it some hundred more.
const LONGEST_REPLY: u32 = 4_096;

/// Whoever answers.
pub trait Model {
    /// Its name.
    fn name(&self) -> String;
    /// One reply to the conversation.
    fn ask(&mut self, question: &Question<'_>) -> impl Future<Output = Result<Reply, ModelError>>;
}

impl Model for OpenAi {
    fn name(&self) -> String {
        self.endpoint().model().to_owned()
    }

    fn ask(&mut self, question: &Question<'_>) -> impl Future<Output = Result<Reply, ModelError>> {
        Self::ask(self, question)
    }
}

/// Where an accepted edit is tried.
pub trait Bench {
    /// Puts the edit in place, runs the test, proves the repair or takes the edit back.
    fn try_edit(&mut self, edit: &Accepted) -> impl Future<Output = Result<Tried, Stop>>;
    /// Ends when somebody asks to stop; a run that is under way stops by itself.
    fn cancelled(&self) -> impl Future<Output = ()>;
    /// Hears what happens.
    fn tell(&mut self, event: &Event);
}

/// How a conversation ended.
#[derive(Debug, Clone, PartialEq)]
pub enum End {
    /// With an outcome.
    Ended(Reason),
    /// Without an answer of the model.
    Unanswered(ModelError),
}

/// What was said, and what it cost: for the record.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Conversation {
    /// The model.
    pub model: String,
    /// The version of the prompts.
    pub prompt_version: &'static str,
    /// Who said what, redacted.
    pub messages: Vec<(&'static str, String)>,
    /// What it cost.
    pub spent: Spent,
    /// How many secrets were taken out of what was sent.
    pub redactions: usize,
    /// The swap that was tried last, or is shown to a person.
    pub proposal: Option<Proposal>,
    /// Edits that gate two refused.
    pub refused: Vec<String>,
    /// Why the model declined, in its own words; untrusted.
    pub declined_because: Option<String>,
}

/// One conversation.
pub struct Agent<'a, M, B> {
    model: &'a mut M,
    bench: &'a mut B,
    desk: Desk<'a>,
    budget: Budget,
    begun: Instant,
    messages: Vec<Message>,
    record: Conversation,
    accepted: Option<Accepted>,
    /// Replies in a row that asked for nothing that can be done.
    wrong: u32,
    calls: u32,
}

impl<'a, M: Model, B: Bench> Agent<'a, M, B> {
    /// A conversation about the failure `case`.
    pub fn new(model: &'a mut M, bench: &'a mut B, mut desk: Desk<'a>, limits: Limits, case: &Failure<'_>) -> Self {
        let case = desk.clean(&Case { failure: case, desk: &desk, runs: limits.runs }.text());
        let record = Conversation { model: model.name(), prompt_version: version(), ..Conversation::default() };
        let mut agent = Self {
            model,
            bench,
            desk,
            budget: Budget::new(limits),
            begun: Instant::now(),
            messages: Vec::new(),
            record,
            accepted: None,
            wrong: 0,
            calls: 0,
        };
        agent.say(Message::System(prompts::system().to_owned()));
        agent.say(Message::User(case));
        agent
    }

    /// Talks to the end.
    pub async fn converse(mut self) -> (Result<End, Stop>, Conversation) {
        let end = self.talk().await;
        self.record.spent = *self.budget.spent();
        self.record.redactions = self.desk.redactions();
        (end, self.record)
    }

    async fn talk(&mut self) -> Result<End, Stop> {
        loop {
            let elapsed = Cost::Elapsed(self.begun.elapsed());
            if let Err(out) = self.budget.spend(elapsed).and_then(|()| self.budget.spend(Cost::Step)) {
                return Ok(self.exhausted(out));
            }
            let left = u32::try_from(self.budget.tokens_left()).unwrap_or(u32::MAX);
            let question = Question {
                messages: &self.messages,
                within: self.budget.time_left(),
                longest: LONGEST_REPLY.min(left.max(1)),
            };
            let reply = tokio::select! {
                reply = self.model.ask(&question) => reply,
                () = self.bench.cancelled() => return Err(interrupted()),
            };
            let reply = match reply {
                Ok(reply) => reply,
                Err(ModelError::TooLong(_)) if self.shorten() => continue,
                Err(error) => return Ok(End::Unanswered(error)),
            };
            if let Err(out) = self.budget.spend(self.cost_of(&reply)) {
                return Ok(self.exhausted(out));
            }
            if let Some(end) = self.take(reply).await? {
                return Ok(end);
            }
            if self.wrong >= MOST_WRONG {
                return Ok(ended(
                    ReasonCode::ModelDeclined,
                    format!("the model asked {MOST_WRONG} times in a row for nothing that can be done"),
                ));
            }
        }
    }

    /// Does what a reply asks for: one action after the other, until one comes to nothing, for what was asked for behind it
    /// was thought out without knowing that.
    async fn take(&mut self, reply: Reply) -> Result<Option<End>, Stop> {
        let wishes = match read(&reply) {
            Turn::Calls(wishes) => wishes,
            Turn::Nothing(text) => {
                self.wrong += 1;
                self.heard(reply.text, Vec::new());
                self.say(Message::User(text));
                return Ok(None);
            }
        };
        let (calls, actions): (Vec<Call>, Vec<_>) = wishes.into_iter().map(|wish| (wish.call, wish.action)).unzip();
        let calls = self.heard(reply.text, calls);
        let mut stopped = false;
        for (call, action) in calls.into_iter().zip(actions) {
            let done = match action {
                _ if stopped => Done::Nothing(BEHIND.to_owned()),
                Ok(action) => self.act(&action).await?,
                Err(why) => {
                    self.wrong += 1;
                    Done::Nothing(why)
                }
            };
            match done {
                Done::Told(text) => self.answer(call, &text),
                Done::Nothing(text) => {
                    stopped = true;
                    self.answer(call, &text);
                }
                Done::Ended(end) => return Ok(Some(end)),
            }
        }
        Ok(None)
    }

    async fn act(&mut self, action: &Action) -> Result<Done, Stop> {
        let looked = match action {
            Action::ReadFile { path, from, to } => {
                let text = self.desk.read_file(path, *from, *to);
                if text.is_ok() {
                    self.bench.tell(&Event::SourceRead { path: path.clone() });
                }
                text
            }
            Action::InspectDom { candidate, page } => self.desk.inspect(*candidate, *page),
            Action::EditFile(edit) => return Ok(self.edit(edit)),
            Action::RunTest => return self.run_test().await,
            Action::Decline { reason } => {
                self.record.declined_because = Some(self.desk.clean(reason));
                let sentence = "the model does not find the element among the candidates";
                return Ok(Done::Ended(ended(ReasonCode::ModelDeclined, sentence)));
            }
        };
        self.wrong = if looked.is_ok() { 0 } else { self.wrong + 1 };
        Ok(looked.map_or_else(Done::Nothing, Done::Told))
    }

    fn edit(&mut self, edit: &Edit) -> Done {
        match self.desk.judge(edit) {
            Judged::Accepted(accepted) => {
                self.wrong = 0;
                self.show(&accepted.proposal);
                self.bench.tell(&Event::GateTwo { refused: None });
                let text =
                    format!("accepted: {}\nNothing is repaired yet: call run_test.", accepted.proposal.after.trim());
                self.record.proposal = Some(accepted.proposal.clone());
                self.accepted = Some(*accepted);
                Done::Told(text)
            }
            Judged::Refused { why, by_gate } => {
                let why = self.desk.clean(&why);
                self.bench.tell(&Event::Note(format!("the model's edit was refused: {why}")));
                if by_gate {
                    self.record.refused.push(why.clone());
                }
                match self.budget.spend(Cost::Rejected) {
                    Ok(()) => Done::Nothing(format!("refused: {why}")),
                    Err(out) => Done::Ended(self.exhausted(out)),
                }
            }
            Judged::Ended(reason, proposal) => {
                self.show(&proposal);
                self.bench.tell(&Event::GateTwo { refused: Some(reason.sentence.clone()) });
                self.record.refused.push(format!("{}: {}", reason.code.code(), reason.sentence));
                self.record.proposal = Some(*proposal);
                Done::Ended(End::Ended(reason))
            }
        }
    }

    async fn run_test(&mut self) -> Result<Done, Stop> {
        let Some(accepted) = self.accepted.take() else {
            self.wrong += 1;
            return Ok(Done::Nothing("No edit was accepted since the last run, so nothing was run.".to_owned()));
        };
        if let Err(out) = self.budget.spend(Cost::Run) {
            return Ok(Done::Ended(self.exhausted(out)));
        }
        Ok(match self.bench.try_edit(&accepted).await? {
            Tried::Ended(reason) => Done::Ended(End::Ended(reason)),
            Tried::Next(why) => {
                self.desk.failed(&accepted);
                let why = self.desk.clean(&why);
                Done::Nothing(format!("The test is not green with this edit, and it was taken back. {why}"))
            }
        })
    }

    fn show(&mut self, proposal: &Proposal) {
        self.bench.tell(&Event::Edit {
            path: proposal.path.clone(),
            line: proposal.line,
            before: proposal.before.clone(),
            after: proposal.after.clone(),
        });
    }

    /// Keeps what the model said, with a name for every call; returns the calls.
    fn heard(&mut self, text: String, calls: Vec<Call>) -> Vec<Call> {
        let text = if calls.is_empty() { text } else { String::new() };
        let calls: Vec<Call> = calls
            .into_iter()
            .map(|call| {
                self.calls += 1;
                let id = if call.id.is_empty() { format!("call_{}", self.calls) } else { call.id };
                Call { id, name: self.desk.clean(&call.name), arguments: self.desk.clean(&call.arguments) }
            })
            .collect();
        let text = self.desk.clean(&text);
        self.say(Message::Assistant { text, calls: calls.clone() });
        calls
    }

    fn answer(&mut self, call: Call, text: &str) {
        self.say(Message::Result { id: call.id, name: call.name, text: text.to_owned() });
    }

    fn say(&mut self, message: Message) {
        let text = message.text();
        self.bench.tell(&Event::Said { role: message.role(), text: text.clone() });
        self.record.messages.push((message.role(), text));
        self.messages.push(message);
    }

    /// Takes the text out of all answers but the last; `false` where that was done before.
    fn shorten(&mut self) -> bool {
        const GONE: &str = "(left out, because the conversation is too long; ask again if you need it)";
        let count = self.messages.iter().filter(|message| matches!(message, Message::Result { .. })).count();
        let results = self.messages.iter_mut().filter_map(|message| match message {
            Message::Result { text, .. } => Some(text),
            _ => None,
        });
        let mut shortened = false;
        for text in results.take(count.saturating_sub(1)).filter(|text| text.len() > GONE.len()) {
            GONE.clone_into(text);
            shortened = true;
        }
        shortened
    }

    /// What a reply cost: as the server counts, else by the length of what was sent and came back.
    fn cost_of(&self, reply: &Reply) -> Cost {
        if let Some((sent, received)) = reply.usage {
            return Cost::Tokens { sent, received, estimated: false };
        }
        let sent = self.messages.iter().map(|message| message.text().len()).sum();
        let calls = reply.calls.iter().map(|call| call.name.len() + call.arguments.len()).sum::<usize>();
        Cost::Tokens { sent: estimate(sent), received: estimate(reply.text.len() + calls), estimated: true }
    }

    fn exhausted(&self, out: Exhausted) -> End {
        ended(ReasonCode::OutOfBudget, format!("{out}; spent: {}", self.budget.spent()))
    }
}

/// What became of one action.
enum Done {
    /// It was done; the model is told this.
    Told(String),
    /// It came to nothing; the model is told why.
    Nothing(String),
    /// It was the last one.
    Ended(End),
}

fn interrupted() -> Stop {
    Stop::Error(Error::new(ErrorKind::Interrupted, "interrupted"))
}

fn ended(code: ReasonCode, sentence: impl Into<String>) -> End {
    End::Ended(Reason::new(code, sentence))
}

/// What failed, as a model is told.
#[derive(Debug, Clone, Copy)]
pub struct Failure<'f> {
    /// The test, by file, line and titles.
    pub test: &'f str,
    /// What gate one saw.
    pub seen: &'f str,
    /// The method that was called on the locator.
    pub method: &'f str,
    /// The locator as Playwright prints it.
    pub locator: &'f str,
    /// The link that stopped matching.
    pub link: &'f str,
}

#[cfg(test)]
mod tests;
