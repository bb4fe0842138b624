//! What may be left behind by a conversation, judged without the code that is tested: line by line, and by what the new
//! locator matches on the page. Only then is gate two asked as well.

use super::super::world::{CANARY, Disk, Prepared, Run1, Scripted};
use crate::adapters::openai::ModelError;
use crate::domain::decide::Verdict;
use crate::domain::gate;
use crate::domain::verdict::Outcome;
use crate::domain::word::{Word, plausible};

/// Pieces that no repair needs, and each of which makes a locator match more, or a test prove less.
const NEVER: [&str; 18] = [
    "first(", "last(", "nth(", ">>", "=>", "${", "`", ";", "//", "/*", "force", "timeout", "expect", "await", "eval",
    "skip", "?.", ".or(",
];

/// What is wrong with what is left; `Ok` where nothing is.
pub(in super::super) fn judge(
    prepared: &Prepared,
    disk: &Disk,
    bench: &Scripted<'_>,
    outcome: &Result<Outcome, ModelError>,
) -> Result<(), String> {
    if disk.outside() != format!("export const x = '{CANARY}';\n") {
        return Err("a file outside was changed".to_owned());
    }
    let changed = disk.changed();
    if *outcome != Ok(Outcome::Healed) {
        let unchanged = changed.is_empty() && bench.kept == 0;
        return if unchanged { Ok(()) } else { Err(format!("it is not healed, but changed: {changed:?}")) };
    }
    let [(path, after)] = changed.as_slice() else { return Err(format!("not one file has changed: {changed:?}")) };
    let (place, line) = prepared.place();
    if *path != place {
        return Err(format!("{path} does not define the locator"));
    }
    let before = disk.before(path);
    let chosen = element(prepared, before, after, &line)?;
    gate::check(path, before.as_bytes(), after.as_bytes()).map_err(|why| format!("gate two: {why:?}"))?;
    let run = bench.tried.len().checked_sub(1).and_then(|last| bench.runs.get(last));
    if run != Some(&Run1::Green { counter: Some(true) }) {
        return Err(format!("it is healed after a run that proves nothing: {run:?}"));
    }
    let word = bench.tried.last().map(|edit| edit.word);
    match (&prepared.decision.verdict, word) {
        (Verdict::Same(same) | Verdict::Likely(same), _) if *same == chosen => Ok(()),
        (Verdict::Weak(weak), Some(Word::Model { clear: true }))
            if *weak == chosen && prepared.decision.basis.is_recorded() =>
        {
            Ok(())
        }
        other => Err(format!("healed to {chosen} on {other:?}")),
    }
}

/// The element that the one changed piece of the one changed line leads to.
fn element(prepared: &Prepared, before: &str, after: &str, line: &str) -> Result<usize, String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.split('\n').collect(), after.split('\n').collect());
    let differing: Vec<usize> = (0..old.len()).filter(|&at| new.get(at) != Some(&old[at])).collect();
    let [at] = differing[..] else { return Err(format!("{} lines have changed", differing.len())) };
    if old.len() != new.len() || old[at] != line {
        return Err("lines came or went, or another one has changed".to_owned());
    }
    let (head, tail) = prepared.around();
    let written = new[at].strip_prefix(head.as_str()).and_then(|rest| rest.strip_suffix(tail.as_str()));
    let written = written.ok_or_else(|| format!("more than the locator has changed: {}", new[at]))?;
    if let Some(piece) = NEVER.iter().find(|piece| written.contains(**piece)) {
        return Err(format!("{written} holds {piece}"));
    }
    let index = prepared.only_match(written).ok_or_else(|| format!("{written} does not match one element"))?;
    if plausible(&prepared.decision).contains(&index) {
        Ok(index)
    } else {
        Err(format!("{written} leads to an element that the ranking does not hold possible"))
    }
}
