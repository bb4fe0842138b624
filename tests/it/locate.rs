//! Locators of real suites are found where they are defined, and rewritten there.

use std::collections::BTreeMap;
use std::path::Path;

use relocator::domain::gate;
use relocator::domain::locator::Locator;
use relocator::source::imports::Aliases;
use relocator::source::locate::{Definition, Frame, Question, locate};
use relocator::source::project::Project;
use relocator::source::write::{Change, rewrite};
use serde::Deserialize;

const TEST_ID: &str = "data-testid";

#[derive(Deserialize)]
struct Case {
    id: String,
    printed: String,
    frames: Vec<CaseFrame>,
    stale: Stale,
    fix: Option<String>,
    files: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct CaseFrame {
    path: String,
    line: u32,
    column: u32,
}

#[derive(Deserialize)]
struct Stale {
    file: String,
    line: u32,
    locator: String,
}

fn cases() -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/locate/healbench.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn project(case: &Case) -> Project {
    let entries: Vec<&str> = case.frames.iter().map(|frame| frame.path.as_str()).collect();
    Project::load(&entries, &Aliases::default(), &mut |path| case.files.get(path).cloned())
}

fn definition(case: &Case, project: &Project) -> Result<Definition, String> {
    let frame = |frame: &CaseFrame| Frame { path: frame.path.clone(), line: frame.line, column: frame.column };
    let frames: Vec<Frame> = case.frames.iter().map(frame).collect();
    locate(project, &Question { frames: &frames, locator: Some(&case.printed) }).map_err(|refusal| refusal.to_string())
}

#[test]
fn the_definition_is_found_in_every_bench_case() {
    let mut wrong = Vec::new();
    let cases = cases();
    for case in &cases {
        let project = project(case);
        match definition(case, &project) {
            Ok(found) => {
                let there = |piece: &&relocator::source::locate::Piece| {
                    piece.call.path == case.stale.file && piece.call.line == case.stale.line
                };
                if found.unexplained.is_some() || !found.pieces.iter().any(|piece| there(&piece)) {
                    wrong.push(format!("{}: {found:#?}", case.id));
                }
            }
            Err(refusal) => wrong.push(format!("{}: {refusal}", case.id)),
        }
    }
    println!("definitions found: {} of {}", cases.len() - wrong.len(), cases.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The right locator of each heal case is written into the stale place; gate two accepts what is written.
#[test]
fn the_right_locator_of_a_bench_case_can_be_written() {
    let (mut written, mut refused, mut skipped) = (0, Vec::new(), 0);
    for case in &cases() {
        let Some(fix) = &case.fix else { continue };
        // The law keeps `exact`; a fix that drops it may be right for the bench and is still not for us.
        if case.stale.locator.contains("exact") && !fix.contains("exact") {
            skipped += 1;
            continue;
        }
        let project = project(case);
        let found = definition(case, &project).unwrap();
        let whole = Locator::from_printed(&case.printed, TEST_ID).unwrap();
        let (Ok(stale), Ok(fix_locator)) =
            (Locator::from_source(&case.stale.locator, TEST_ID), Locator::from_source(fix, TEST_ID))
        else {
            // The receiver is a call or a parameter: the bench's text is not a locator by itself.
            skipped += 1;
            continue;
        };
        let own: Vec<_> = found
            .pieces
            .iter()
            .filter(|piece| piece.call.path == case.stale.file && piece.call.line == case.stale.line)
            .collect();
        let (first, last) = (own.first().unwrap().steps.start, own.last().unwrap().steps.end);
        // Another receiver is no change of the locator itself.
        if last - first != stale.steps.len() || stale == fix_locator {
            skipped += 1;
            continue;
        }
        let same = stale.steps.iter().zip(&fix_locator.steps).take_while(|(old, new)| old == new).count();
        let same_end = stale.steps[same..]
            .iter()
            .rev()
            .zip(fix_locator.steps[same..].iter().rev())
            .take_while(|(old, new)| old == new)
            .count();
        let change = Change {
            definition: &found,
            old: &whole,
            steps: first + same..last - same_end,
            new: &fix_locator.steps[same..fix_locator.steps.len() - same_end],
        };
        match rewrite(&project, &change) {
            Ok(rewrite) => {
                let verdict = gate::check(&rewrite.path, rewrite.before.as_bytes(), rewrite.after.as_bytes());
                if let Err(violation) = verdict {
                    refused.push(format!("{}: gate: {} ({})", case.id, violation.sentence(), rewrite.replacement));
                }
                let line = rewrite.after.lines().nth(rewrite.line as usize - 1).unwrap();
                let calls = fix.split_once('.').map_or("", |(_, calls)| calls);
                let unquoted = |text: &str| text.replace(['"', '\'', '\\'], "");
                if !unquoted(line).contains(&unquoted(calls.trim_start_matches("page."))) {
                    refused.push(format!("{}: wrote {line}, meant {fix}", case.id));
                }
                written += 1;
            }
            Err(reason) => refused.push(format!("{}: {reason}", case.id)),
        }
    }
    println!("written {written}, skipped {skipped}");
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}
