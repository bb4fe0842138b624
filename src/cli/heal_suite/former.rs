//! What a former run decided, for one that goes on with it. Reads; decides nothing.

use camino::Utf8Path;

use super::DECISIONS;
use crate::adapters::workspace::{Run, Workspace};
use crate::error::Error;
use crate::report::folder::{self, Pictures};
use crate::report::suite::{Document, Group, Repair};

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
    let mut document: Document = serde_json::from_slice(&bytes)
        .map_err(|error| Error::blocked(format!("cannot read the run `{run}`")).caused_by(&error))?;
    // A run that was killed did not come to write them into its document.
    for (_, decision) in decisions(&folder) {
        decision.enter(&mut document, |group| group.outcome == "candidate");
    }
    document.check().map_err(|why| Error::usage(format!("the run `{run}` is none of relocator's: {why}")))?;
    let names = document.groups.iter().flat_map(|group| {
        let after = group.repair.as_ref().and_then(|repair| repair.picture.as_ref());
        group.evidence.picture.iter().chain(after).map(|picture| picture.name.clone())
    });
    let plain = |name: &String| name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.'));
    let own = |name: &String| folder.join(name).symlink_metadata().is_ok_and(|metadata| metadata.is_file());
    let names = names.filter(plain).filter(own);
    let pictures = names.filter_map(|name| Some((name.clone(), std::fs::read(folder.join(name)).ok()?)));
    let pictures = pictures.collect();
    Ok((document, pictures))
}

impl Decision {
    /// Enters it into the document, where its group may be changed.
    fn enter(&self, document: &mut Document, may: impl Fn(&Group) -> bool) {
        if let Some(group) = document.groups.iter_mut().find(|group| group.is(&self.group)).filter(|group| may(group)) {
            group.outcome.clone_from(&self.outcome);
            group.repair.clone_from(&self.repair);
        }
    }
}

/// The decisions of the run in `folder`, each with its line; a line that was cut off when it was killed decides nothing.
fn decisions(folder: &Utf8Path) -> Vec<(String, Decision)> {
    let text = std::fs::read_to_string(folder.join(DECISIONS)).unwrap_or_default();
    text.lines().filter_map(|line| Some((line.to_owned(), serde_json::from_str(line).ok()?))).collect()
}

/// Takes over what a former run decided.
pub(super) fn take_over(
    workspace: &Workspace,
    former: &str,
    folder: &Run,
    document: &mut Document,
) -> Result<Vec<Decision>, Error> {
    let mut decided = Vec::new();
    for (line, decision) in workspace.run_folder(former).iter().flat_map(|former| decisions(former)) {
        folder.append(DECISIONS, &line)?;
        decision.enter(document, |_| true);
        decided.push(decision);
    }
    Ok(decided)
}
