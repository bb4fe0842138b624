//! The second stage: what the failing step saw, which link of its locator broke, and where that link is defined.

use std::ops::Range;

use super::record::{Definition as Place, HealRun, Link, Stale};
use super::reproduce::Failing;
use super::scene::Scene;
use super::sources::Sources;
use super::{Healer, Stop};
use crate::domain::classify::Category;
use crate::domain::event::Event;
use crate::domain::verdict::{Reason, ReasonCode};
use crate::source::locate::Definition;
use crate::source::project::Project;

/// A failure whose broken link was found in the page and in the source.
pub(super) struct Diagnosis {
    /// What the failing step saw.
    pub(super) scene: Scene,
    /// The steps of the locator that the broken link stands for.
    pub(super) steps: Range<usize>,
    /// The sources that were read.
    pub(super) project: Project,
    /// Where each link is defined.
    pub(super) definition: Definition,
}

impl Healer<'_> {
    pub(super) fn diagnose(&mut self, run: &mut HealRun, failing: &Failing) -> Result<Diagnosis, Stop> {
        if failing.classification.category == Category::StrictModeViolation {
            return Err(Reason::new(ReasonCode::StrictModeViolation, strict(failing)).into());
        }
        let scene = run.timed("trace", |_| Scene::of(failing))?;
        run.notes.extend(scene.trace.notes.iter().cloned());
        run.stale = Some(Stale {
            locator: scene.printed.clone(),
            links: scene.links.iter().map(|link| Link { text: link.printed.clone(), count: link.count }).collect(),
            definition: None,
        });
        let broken = scene.broken()?;
        let Some(link) = scene.links.get(broken) else {
            return Err(Reason::new(ReasonCode::NoSnapshot, "the locator has no links").into());
        };
        let steps = link.steps.clone();
        let sources = Sources { root: &self.playwright.project.root };
        let (project, found) = run.timed("locate", |_| scene.locate(&sources));
        for file in project.files() {
            (self.report)(&Event::SourceRead { path: file.path.clone() });
        }
        let definition = found.map_err(|refusal| Reason::new(ReasonCode::SourceUnclear, refusal.to_string()))?;
        if let Some((unexplained, refusal)) = &definition.unexplained
            && unexplained.contains(&steps.start)
        {
            return Err(Reason::new(ReasonCode::SourceUnclear, refusal.to_string()).into());
        }
        let piece = definition
            .piece_of(steps.start)
            .ok_or_else(|| Reason::new(ReasonCode::SourceUnclear, format!("no source says {}", link.printed)))?;
        if let Some(stale) = &mut run.stale {
            stale.definition = Some(Place {
                path: piece.call.path.clone(),
                line: piece.call.line as usize,
                shape: format!("{:?}", piece.shape).to_lowercase(),
            });
        }
        Ok(Diagnosis { scene, steps, project, definition })
    }
}

/// What a strict mode violation leaves to a person.
fn strict(failing: &Failing) -> String {
    let seen = &failing.classification;
    let mut text = format!(
        "{} matches several elements, and nothing says which one is meant",
        seen.locator.as_deref().unwrap_or("the locator")
    );
    for alternative in seen.alternatives.iter().take(5) {
        text.push_str("; ");
        text.push_str(&alternative.locator);
    }
    text
}
