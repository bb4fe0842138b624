//! One call of a tool: who calls, what it may do, how it is stopped, and its turn in a project.

use std::sync::{Arc, Mutex, PoisonError};

use camino::Utf8Path;

use super::answer::{Code, Refused, short};
use super::audit::Ending;
use super::confine::{Root, TestName};
use super::progress::Progress;
use super::queue::Turn;
use super::server::Shared;
use super::tokens::{Client, Scope};
use crate::adapters::fingerprints;
use crate::adapters::playwright::command::Request;
use crate::adapters::playwright::runner::Playwright;
use crate::adapters::process::{Cancel, Stop};
use crate::adapters::workspace::{Holder, Patience, Returned, Run, Workspace, Writer};
use crate::config::{ModelSettings, Place};
use crate::domain::event::Event;
use crate::domain::fingerprint::Book;
use crate::error::Error;
use crate::heal::{Healer, Settings};

/// How long a call waits for another relocator (a command line, another server) in the same project, unless told
/// otherwise: a repair takes a minute or two.
const PATIENCE: std::time::Duration = std::time::Duration::from_mins(5);

/// One call.
#[derive(Debug, Clone)]
pub(super) struct Call {
    /// What all calls share.
    pub(super) shared: Arc<Shared>,
    /// Who calls.
    pub(super) client: Client,
    /// What stops it.
    pub(super) cancel: Cancel,
    /// Who is told what happens.
    pub(super) progress: Progress,
    /// How it ended, for the audit log.
    pub(super) ending: Arc<Mutex<Option<Ending>>>,
}

/// The turn in a project.
pub(super) struct Working {
    /// The right to write in it.
    pub(super) writer: Arc<Writer>,
    /// Held last: the next one may begin when everything else is let go of.
    _turn: Turn,
}

/// The turn in a project, with what it takes to run one of its tests.
pub(super) struct Running {
    /// The folder of this run.
    pub(super) run: Run,
    /// The project's Playwright.
    pub(super) playwright: Playwright,
    /// What the last green run recorded.
    pub(super) fingerprints: Book,
    /// The test, and no argument of the caller's.
    pub(super) request: Request,
    /// Who proposes repairs.
    pub(super) model: ModelSettings,
    /// Names whose values are secret.
    pub(super) secrets: Vec<String>,
    /// The turn.
    working: Working,
}

impl Call {
    /// The folder that is served.
    pub(super) fn root(&self) -> &Root {
        &self.shared.root
    }

    /// Refuses a caller without `scope`.
    pub(super) fn demand(&self, scope: Scope) -> Result<(), Refused> {
        if self.client.may(scope) {
            return Ok(());
        }
        Err(Refused::new(
            Code::NotPermitted,
            format!("the token `{}` does not have the scope `{scope}`", self.client.name),
        )
        .hinted("a person can give a token with it: `relocator token add`"))
    }

    /// Refuses edits where the server may not make any.
    pub(super) fn demand_edits(&self) -> Result<(), Refused> {
        if self.shared.allow_edits {
            return Ok(());
        }
        Err(Refused::new(Code::EditsNotAllowed, "this server was started without --allow-edits, so it changes nothing")
            .hinted(
                "show the proposal to a person, who can start the server with --allow-edits or run `relocator heal`",
            ))
    }

    /// The workspace that `start` lies in, and how long to wait for others in it; needs no Playwright.
    pub(super) fn workspace(&self, start: &Utf8Path) -> Result<(Workspace, Patience), Refused> {
        let (root, settings) = Place::settings(&self.shared.flags, start)?;
        self.inside(&root)?;
        Ok((Workspace::open(&root).map_err(Error::from)?, settings.patience))
    }

    fn inside(&self, project: &Utf8Path) -> Result<(), Refused> {
        if self.root().holds(project) {
            return Ok(());
        }
        Err(Refused::new(Code::OutsideRoot, "the nearest playwright.config.* lies above the server's root")
            .hinted("start the server with the project's folder as --root"))
    }

    /// What the last green run of the project at `root` recorded.
    pub(super) fn fingerprints(&self, root: &Utf8Path) -> Result<Book, Refused> {
        let path = self.shared.flags.fingerprints(root);
        Ok(fingerprints::read(&path).map_err(|error| Error::blocked(error.to_string()).caused_by(&error))?)
    }

    /// The project that `start` lies in, which must be inside as well, before anything is read of it.
    pub(super) fn place(&self, start: &Utf8Path) -> Result<Place, Refused> {
        self.workspace(start)?;
        Ok(Place::find(&self.shared.flags, start)?)
    }

    /// The Playwright of the project in `place`, which this call stops and which does not see the model's key; and who
    /// proposes repairs there.
    pub(super) fn playwright(&self, place: &Place) -> (Playwright, ModelSettings) {
        let model = ModelSettings::merge(&self.shared.model, &place.settings.model);
        let playwright = Playwright {
            project: place.project.clone(),
            deadline: place.settings.timeout,
            secrets: model.hidden_variables(),
            cancel: self.cancel.clone(),
        };
        (playwright, model)
    }

    /// Waits for the turn in `workspace`, among the calls of this server.
    pub(super) async fn turn(&self, workspace: &Workspace) -> Result<Turn, Refused> {
        let waiting = || self.progress.say("waiting for the calls before this one in the same project");
        self.shared.queue.turn(workspace.root(), &self.cancel, waiting).await.ok_or_else(cancelled)
    }

    /// Waits for the turn in `workspace`, and for other relocators in it; `what` is said to whoever waits behind.
    pub(super) async fn work(&self, workspace: &Workspace, patience: Patience, what: &str) -> Result<Working, Refused> {
        let turn = self.turn(workspace).await?;
        let patience = match patience {
            Patience::None => Patience::UpTo(PATIENCE),
            set @ Patience::UpTo(_) => set,
        };
        let holder = Holder::this(format!("relocator mcp {what}"));
        let tell = |other: &Holder| self.progress.say(&format!("waiting for another relocator: {other}"));
        let writer = tokio::select! {
            writer = workspace.writer(&holder, patience, tell) => writer.map_err(Error::from)?,
            () = self.cancel.reached(Stop::Gracefully) => return Err(cancelled()),
        };
        Ok(Working { writer: Arc::new(writer), _turn: turn })
    }

    /// Waits for the turn in the project of `test`, ready to run it.
    pub(super) async fn ready(&self, test: &TestName, what: &str) -> Result<Running, Refused> {
        let place = self.place(&test.file)?;
        place.workspace.resolve(&test.file).map_err(|error| Refused::new(Code::WrongKind, error.to_string()))?;
        let fingerprints = self.fingerprints(&place.project.root)?;
        let working = self.work(&place.workspace, place.settings.patience, what).await?;
        let run = place.workspace.begin_run().map_err(Error::from)?;
        let (playwright, model) = self.playwright(&place);
        let request = Request { places: vec![test.place()], ..Request::default() };
        let secrets = place.settings.secrets;
        Ok(Running { run, playwright, fingerprints, request, model, secrets, working })
    }

    /// Takes one repair from the caller's budget.
    pub(super) fn spend_heal(&self) -> Result<(), Refused> {
        let (Some(audit), Some(allowed)) = (&self.shared.audit, self.client.daily_heals) else { return Ok(()) };
        match audit.spend_heal(&self.client.name, allowed) {
            Ok(true) => Ok(()),
            Ok(false) => Err(Refused::new(
                Code::BudgetUsedUp,
                format!("the token `{}` has used its {allowed} repairs of today (UTC)", self.client.name),
            )
            .hinted("go on tomorrow, or ask a person for a larger budget")),
            // Without its log a budget means nothing.
            Err(error) => Err(Error::blocked("cannot write the audit log").caused_by(&error).into()),
        }
    }

    /// Notes how the call ended, for the audit log.
    pub(super) fn note(&self, ending: Ending) {
        *self.ending.lock().unwrap_or_else(PoisonError::into_inner) = Some(ending);
    }
}

impl Running {
    /// What an interrupted run had left behind, and what became of it, in sentences.
    pub(super) fn recovered(&self) -> impl Iterator<Item = String> {
        self.working.writer.recovered().iter().map(|back| match &back.returned {
            Returned::Restored | Returned::LineRestored | Returned::AlreadyThere => {
                short(&format!("{} was put back: an earlier run had been interrupted", back.path))
            }
            Returned::LeftAlone { reason, .. } => {
                short(&format!("{} was edited by an interrupted run and is left as it is: {reason}", back.path))
            }
        })
    }

    /// The repair loop over this test.
    pub(super) fn healer<'a>(&'a self, settings: Settings, report: &'a mut dyn FnMut(&Event)) -> Healer<'a> {
        Healer {
            playwright: &self.playwright,
            writer: &self.working.writer,
            run: &self.run,
            settings,
            fingerprints: &self.fingerprints,
            reported: None,
            escalated: &[],
            turn: None,
            report,
        }
    }
}

/// The refusal of a call that was stopped before it had begun.
fn cancelled() -> Refused {
    Refused::new(Code::Cancelled, "stopped before it began")
}
