//! What a former run decided, for one that goes on with it. Reads; decides nothing.

use camino::Utf8Path;

use super::DECISIONS;
use crate::adapters::workspace::{Run, Workspace};
use crate::error::Error;
use crate::report::folder::{self, Pictures};
use crate::report::suite::{Document, Repair};

/// A decision as it is kept.
#[derive(serde::Serialize, serde::Deserialize)]
pub(super) struct Decision {
    pub(super) group: String,
    /// The run that decided it; its edits are in the work tree.
    #[serde(default)]
    pub(super) run: String,
    pub(super) outcome: String,
    pub(super) repair: Option<Repair>,
}

/// The document of a former run of this project by its name, or of a folder that holds one; and its pictures.
pub(in crate::cli) fn read(workspace: &Workspace, run: &Utf8Path) -> Result<(Document, Pictures), Error> {
    let unknown = || Error::usage(format!("there is no run `{run}` with a report"));
    let folder = workspace.run_folder(run.as_str()).unwrap_or_else(|| run.to_owned());
    let bytes = std::fs::read(folder.join(folder::DOCUMENT)).map_err(|_| unknown())?;
    let document: Document = serde_json::from_slice(&bytes)
        .map_err(|error| Error::blocked(format!("cannot read the run `{run}`")).caused_by(&error))?;
    let names = document.groups.iter().flat_map(|group| {
        let after = group.repair.as_ref().and_then(|repair| repair.picture.as_ref());
        group.evidence.picture.iter().chain(after).map(|picture| picture.name.clone())
    });
    let plain = |name: &String| name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.'));
    let pictures = names.filter(plain).filter_map(|name| Some((name.clone(), std::fs::read(folder.join(name)).ok()?)));
    let pictures = pictures.collect();
    Ok((document, pictures))
}

/// Takes over what a former run decided; a line that was cut off when it was killed decides nothing.
pub(super) fn take_over(
    workspace: &Workspace,
    former: &str,
    folder: &Run,
    document: &mut Document,
) -> Result<Vec<Decision>, Error> {
    let path = workspace.run_folder(former).map(|folder| folder.join(DECISIONS));
    let text = path.and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
    let mut decided = Vec::new();
    for line in text.lines() {
        let Ok(decision) = serde_json::from_str::<Decision>(line) else { continue };
        folder.append(DECISIONS, line)?;
        if let Some(group) = document.groups.iter_mut().find(|group| group.is(&decision.group)) {
            group.outcome.clone_from(&decision.outcome);
            group.repair.clone_from(&decision.repair);
        }
        decided.push(decision);
    }
    Ok(decided)
}
