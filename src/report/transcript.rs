//! The transcript: every event as the lines a person reads while it happens.

use std::fmt::Write as _;
use std::time::Duration;

use crate::domain::event::Event;
use crate::domain::verdict::{EVERY_PROOF, Outcome, ReasonCode};
use crate::heal::record::HealRun;
use crate::ui::printable;

/// Longest piece of foreign text on one line, in characters.
const LONGEST: usize = 240;
/// How many lines of a message to or from a model are shown.
const SAID: usize = 400;

/// The lines for an event: to be written to stdout, or `None` for an event that is progress only.
pub fn lines(event: &Event) -> Option<String> {
    Some(match event {
        Event::RunStarted { .. } | Event::Sending { .. } => return None,
        Event::Said { role, text } => said(role, text),
        Event::GateOne { category, eligible, why } => {
            let verdict = if *eligible { "eligible" } else { "not eligible" };
            format!("Gate 1: {category} — {verdict} ({})", short(why))
        }
        Event::SourceRead { path } => format!("→ read_file(\"{}\") ✓", short(path)),
        Event::PageInspected { candidates, best, broken } => {
            let plural = if *candidates == 1 { "candidate" } else { "candidates" };
            let mut text = format!("→ inspect_dom ✓ {candidates} {plural}");
            if let Some(best) = best {
                _ = write!(text, "; best: {}", short(best));
            }
            if let Some(broken) = broken {
                _ = write!(text, "\n  {}", short(broken));
            }
            text
        }
        Event::Edit { path, line, before, after } => format!(
            "→ edit_file(\"{}:{line}\")\n  - {}\n  + {}",
            short(path),
            short(before.trim()),
            short(after.trim())
        ),
        Event::GateTwo { refused: None } => "  Gate 2 ✓".to_owned(),
        Event::GateTwo { refused: Some(why) } => format!("  Gate 2 ✗ {}", short(why)),
        Event::TestRun { number, allowed, passed, duration, again, failure } => {
            let mut text = format!("→ run_test {number}/{allowed}: {} ({})", word(*passed), seconds(*duration));
            if let Some(again) = again {
                _ = write!(text, "   again: {}", word(*again));
            }
            if let Some(failure) = failure {
                _ = write!(text, "\n  {}", short(failure));
            }
            text
        }
        Event::ProofMade { name, seen, held } => {
            let mark = match held {
                Some(true) => "✓",
                Some(false) => "✗",
                None => "–",
            };
            format!("  {name} {mark} {}", short(seen))
        }
        Event::Restored { path } => format!("→ restored \"{}\" ✓", short(path)),
        Event::NextCause { number } => format!("Root cause {number}: the step before works, and the test fails later"),
        Event::CauseEnded { number, place, reason } => {
            let why = match reason.outcome() {
                Outcome::Healed if reason.code == ReasonCode::Proven => String::new(),
                _ => format!(": {} ({})", short(&reason.sentence), reason.code.code()),
            };
            format!("Root cause {number}: {} {}{why}", reason.outcome(), short(place))
        }
        Event::Note(text) => format!("  note: {}", short(text)),
        Event::Ended { reason, runs } => {
            let outcome = reason.outcome();
            let plural = if *runs == 1 { "run" } else { "runs" };
            let after = if *runs == 0 { String::new() } else { format!(" after {runs} {plural}") };
            match outcome {
                Outcome::Healed if reason.sentence == EVERY_PROOF => format!("Result: healed{after}"),
                Outcome::Healed => format!("Result: healed{after}: {}", short(&reason.sentence)),
                _ => format!("Result: {outcome}{after}: {} ({})", short(&reason.sentence), reason.code.code()),
            }
        }
    })
}

/// A message of a conversation with a model, its lines set in.
fn said(role: &str, text: &str) -> String {
    let mut lines = printable(text).lines().take(SAID).map(|line| format!("  │ {line}")).collect::<Vec<_>>();
    lines.insert(0, format!("  ╭ {role}"));
    lines.join("\n")
}

/// What a person needs to go on with a failure that was not repaired, on one screen.
pub fn bug_report(run: &HealRun) -> String {
    let mut lines = vec![String::new()];
    let mut line = |name: &str, text: &str| lines.push(format!("  {name:<10} {}", short(text)));
    if let Some(test) = &run.test {
        line("test", &format!("{test} › {}", test.titles.join(" › ")));
        if !test.project.is_empty() {
            line("project", &test.project);
        }
    }
    if let Some(seen) = &run.gate_one {
        line("category", &format!("{} / {}", seen.category.as_str(), seen.signature));
        let fields = [("action", &seen.action), ("locator", &seen.locator), ("resolved", &seen.resolved)];
        for (name, value) in fields {
            if let Some(value) = value {
                line(name, value);
            }
        }
        if let Some(site) = &seen.site {
            line("site", &format!("{}:{}", site.file, site.line));
        }
    }
    for link in run.stale.iter().flat_map(|stale| &stale.links) {
        let count = link.count.map_or_else(|| "an unknown number".to_owned(), |count| count.to_string());
        line("link", &format!("{} matches {count}", link.text));
    }
    for candidate in run.candidates.iter().take(3) {
        let evidence: Vec<&str> = candidate.evidence.iter().take(3).map(|piece| piece.sentence.as_str()).collect();
        line("candidate", &format!("{}: {}", candidate.description, evidence.join("; ")));
    }
    line("why", &run.reason.sentence);
    lines.join("\n")
}

/// `text` on one line, printable, and cut where it is too long to read.
fn short(text: &str) -> String {
    let flat = printable(text).replace('\n', " ⏎ ");
    match flat.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", flat.get(..at).unwrap_or_default()),
        None => flat,
    }
}

fn word(passed: bool) -> &'static str {
    if passed { "PASSED" } else { "FAILED" }
}

/// A duration as `1.9 s`.
pub fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::lines;
    use crate::domain::event::Event;
    use crate::domain::verdict::{Reason, ReasonCode};

    #[test]
    fn the_transcript_reads_as_documented() {
        let events = [
            Event::GateOne { category: "locator_timeout".into(), eligible: true, why: "click timed out".into() },
            Event::SourceRead { path: "tests/signup.spec.ts".into() },
            Event::PageInspected { candidates: 14, best: Some("button \"Submit\"".into()), broken: None },
            Event::Edit { path: "a.ts".into(), line: 6, before: "  await a;\r".into(), after: "  await b;\r".into() },
            Event::GateTwo { refused: None },
            Event::TestRun {
                number: 1,
                allowed: 3,
                passed: true,
                duration: Duration::from_millis(1900),
                again: Some(true),
                failure: None,
            },
            Event::Ended { reason: Reason::new(ReasonCode::Proven, "every proof held"), runs: 1 },
        ];
        let text: Vec<_> = events.iter().filter_map(lines).collect();
        assert_eq!(
            text.join("\n"),
            "Gate 1: locator_timeout — eligible (click timed out)\n\
             → read_file(\"tests/signup.spec.ts\") ✓\n\
             → inspect_dom ✓ 14 candidates; best: button \"Submit\"\n\
             → edit_file(\"a.ts:6\")\n  - await a;\n  + await b;\n  Gate 2 ✓\n\
             → run_test 1/3: PASSED (1.9 s)   again: PASSED\nResult: healed after 1 run"
        );
    }

    #[test]
    fn text_of_the_page_cannot_steer_the_terminal_or_flood_it() {
        let event = Event::Note(format!("\u{1b}[2J{}", "x".repeat(10_000)));
        let text = lines(&event).unwrap();
        assert!(text.starts_with("  note: \\x1b[2Jx") && text.chars().count() < 300, "{text}");
    }
}
