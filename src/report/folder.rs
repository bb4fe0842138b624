//! The folder of a run: every form of its document, its pictures, the patch, and the manifest over all of it.
//!
//! What stands in it has no secrets: texts are cleaned before they are written, and what Playwright itself left there is
//! cleaned before the manifest is. Decides nothing.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};

use super::suite::{Boxed, Clean, Document, Group, PictureName, of_test};
use super::{html, json, markdown};
use crate::adapters::evidence::{MANIFEST, Made, seal};
use crate::adapters::fingerprints::traces_below;
use crate::adapters::playwright::command::Artefacts;
use crate::adapters::secrets;
use crate::adapters::workspace::{Run, Workspace};
use crate::domain::redact::Redactor;
use crate::domain::triage::Site;
use crate::error::Error;
use crate::heal::record::HealRun;
use crate::triage::look::{Looked, Places, after, look};
use crate::triage::{Cache, Reports, Triage, read};

/// The document in every run's folder, of one test as of a suite.
pub const DOCUMENT: &str = "suite.json";

/// The record of one test's repair: what `heal TEST --json` prints.
pub const REPAIR: &str = "repair.json";

/// The page for people.
pub const PAGE: &str = "report.html";

/// Pictures by the name of their file.
pub type Pictures = BTreeMap<String, Vec<u8>>;

/// Writes the document in all its forms, its pictures and the patch of what was healed.
///
/// # Errors
/// A file cannot be written.
pub fn write(run: &Run, document: &Document, pictures: &Pictures) -> Result<(), Error> {
    for (name, bytes) in pictures {
        run.write(name, bytes)?;
    }
    run.write(DOCUMENT, document.json().as_bytes())?;
    run.write(PAGE, html::html(document, pictures)?.as_bytes())?;
    run.write("report.md", markdown::markdown(document).as_bytes())?;
    run.write("patch.diff", document.patch().as_bytes())?;
    Ok(())
}

/// Takes the secrets out of what Playwright left in the folder, and writes the manifest: the end of every run.
///
/// # Errors
/// A file can be neither cleaned nor removed, or the manifest cannot be written.
pub fn finish(run: &Run, redactor: &Redactor, mut made: Made) -> Result<(), Error> {
    let redactor = redactor.clone().with_queries().keeping_ids();
    for start in run.starts() {
        made.redactions += secrets::scrub(&start, &redactor)?;
    }
    seal(run, &made)
}

/// As [`finish`], for a run that has no report: it only looked, or did not come to its end.
///
/// # Errors
/// As [`finish`].
pub fn finish_bare(run: &Run, redactor: &Redactor, made: Made) -> Result<(), Error> {
    let mut redactor = redactor.clone();
    secrets::learn(run.folder(), &mut redactor, &mut BTreeSet::new());
    finish(run, &redactor, made)
}

/// Finishes the runs that did not come to their end. To be called by the project's only writer before it begins a run.
///
/// # Errors
/// As [`finish`].
pub fn finish_others(workspace: &Workspace, redactor: &Redactor) -> Result<(), Error> {
    for run in workspace.runs_without(MANIFEST)? {
        finish_bare(&run, redactor, Made::default())?;
    }
    Ok(())
}

/// One test's repair as it was written into its folder.
pub struct Kept {
    /// Its record, one JSON document.
    pub record: String,
    /// Its document, as a suite has one.
    pub document: Document,
    /// The pictures that the document names.
    pub pictures: Pictures,
}

/// Writes one test's repair into its folder: the record, and every form of its document.
///
/// # Errors
/// A file cannot be written.
pub fn keep_repair(
    run: &Run,
    healed: &HealRun,
    root: &Utf8Path,
    redactor: Redactor,
    made: Made,
) -> Result<Kept, Error> {
    let mut clean = Clean::new(redactor);
    secrets::learn(run.folder(), clean.redactor_mut(), &mut BTreeSet::new());
    let record = clean.json(json::document(healed));
    run.write(REPAIR, record.as_bytes())?;
    let (triage, looked) = seen(run, root);
    let mut document = of_test(healed, &triage, &looked, root.as_str(), &mut clean);
    document.run = Some(run.id().to_owned());
    let mut pictures = pictures(&document, &looked);
    for group in &mut document.groups {
        picture_after(group, run.starts().iter(), root, &mut clean, &mut pictures);
    }
    document.redactions = clean.redactions();
    document.note_left_out(&clean);
    write(run, &document, &pictures)?;
    let redactor = clean.redactor().clone();
    finish(run, &redactor, Made { redactions: document.redactions, ..made })?;
    Ok(Kept { record, document, pictures })
}

/// What the first start that saw a failure says; nothing where none did.
fn seen(run: &Run, root: &Utf8Path) -> (Triage, BTreeMap<String, Looked>) {
    for start in run.starts() {
        let Ok(report) = read::read(&Artefacts::in_folder(start).report(), &Cache::default()) else { continue };
        let mut reports = Reports::default();
        reports.add(report, Some(&root.to_owned()));
        let mut triage = reports.finish();
        if !triage.groups.is_empty() {
            let looked = look(&mut triage, &Places { root: Some(root.to_owned()), folders: Vec::new() });
            return (triage, looked);
        }
    }
    (Triage::default(), BTreeMap::new())
}

/// The pictures that the document names, of what was seen.
pub fn pictures(document: &Document, looked: &BTreeMap<String, Looked>) -> Pictures {
    let named = document.groups.iter().filter_map(|group| {
        let name = group.evidence.picture.as_ref()?.name.clone();
        Some((name, looked.get(&group.id)?.picture.as_ref()?.bytes.clone()))
    });
    named.collect()
}

/// Adds the picture of the page with the repair in place, where the group is healed and a trace below `starts` has one; none of
/// a page that shows a secret.
pub fn picture_after<'s>(
    group: &mut Group,
    starts: impl Iterator<Item = &'s Utf8PathBuf>,
    root: &Utf8Path,
    clean: &mut Clean,
    pictures: &mut Pictures,
) {
    let at = group.at.as_ref().map(|at| Site { file: at.file.clone(), line: at.line, column: None });
    let applied = group.applied().next().is_some();
    let (Some(at), Some(repair), true) = (at, &mut group.repair, applied) else { return };
    let traces = starts.flat_map(|start| traces_below(start));
    let (showing, traces): (Vec<_>, Vec<_>) = traces.partition(|trace| secrets::shows_secret(trace, clean.redactor()));
    if let Some(seen) = after(&traces, &at, root) {
        let end = if seen.picture.media_type == "image/png" { "png" } else { "jpeg" };
        let name = format!("{}-after.{end}", group.id);
        let (left, top, width, height) = seen.element;
        repair.picture = Some(PictureName { name: name.clone(), element: Some(Boxed { left, top, width, height }) });
        pictures.insert(name, seen.picture.bytes);
    } else if after(&showing, &at, root).is_some() {
        clean.leave_out_picture();
    }
}
