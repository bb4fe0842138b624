//! The page of a failing step, of a test that is run or of a trace: what several tools look at.

use camino::Utf8Path;

use super::super::answer::{Code, Refused};
use super::super::call::Call;
use super::super::tokens::Scope;
use crate::domain::event::Event;
use crate::domain::fingerprint::Book;
use crate::domain::verdict::Reason;
use crate::heal::Settings;
use crate::heal::scene::Scene;

/// Runs `test` once, without any edit, and returns what its failing step saw.
pub(super) async fn by_test(call: &Call, test: &str, tool: &str) -> Result<(Scene, Book), Refused> {
    call.demand(Scope::Run)?;
    let test = call.root().test(test)?;
    let running = call.ready(&test, tool).await?;
    let mut ended = None;
    let mut report = |event: &Event| {
        if let Event::Ended { reason, .. } = event {
            ended = Some(reason.clone());
        }
        call.progress.event(event);
    };
    let settings = Settings { dry_run: true, ..Settings::default() };
    let scene = running.healer(settings, &mut report).inspect(&running.request).await?;
    let scene = scene.ok_or_else(|| match &ended {
        Some(reason) => nothing(reason),
        None => Refused::new(Code::NothingSeen, "the failing step left no page to look at"),
    })?;
    Ok((scene, running.fingerprints))
}

/// What is recorded of the project that a trace lies in; nothing where it lies in none, or the record cannot be read.
pub(super) fn book_near(call: &Call, trace: &Utf8Path) -> Book {
    let workspace = call.workspace(trace).ok();
    workspace.and_then(|(workspace, _)| call.fingerprints(workspace.root()).ok()).unwrap_or_default()
}

/// A reason why nothing can be shown, as a refusal.
pub(super) fn nothing(reason: &Reason) -> Refused {
    Refused::new(Code::NothingSeen, format!("{}: {}", reason.code.code(), reason.sentence))
}
