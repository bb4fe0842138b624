//! A red suite as a table for a terminal, and what follows it in words.

use std::fmt::Write as _;
use std::time::Duration;

use comfy_table::presets::UTF8_HORIZONTAL_ONLY;
use comfy_table::{Cell, ColumnConstraint, ContentArrangement, Table, Width};

use super::suite::{Document, Group, OUTCOMES};
use crate::ui::printable;

/// How many groups the table shows; the others are counted.
const SHOWN: usize = 50;

/// How wide the table is where there is no terminal, in columns.
const WIDTH: u16 = 120;

/// Longest headline, in characters.
const HEADLINE: usize = 300;

/// The table with its summary, as wide as the terminal.
pub fn table(document: &Document) -> String {
    let mut text = summary(document);
    if document.groups.is_empty() {
        return text;
    }
    let mut table = Table::new();
    table.load_style(UTF8_HORIZONTAL_ONLY).set_content_arrangement(ContentArrangement::Dynamic);
    if table.width().is_none() {
        table.set_width(WIDTH);
    }
    table.set_header(["group", "outcome", "tests", "what"]);
    for group in document.groups.iter().take(SHOWN) {
        table.add_row([
            Cell::new(&group.id),
            Cell::new(printable(&group.outcome)),
            Cell::new(group.extent()),
            Cell::new(what(group)),
        ]);
    }
    for (index, width) in [(0, 14), (1, 11), (2, 18)] {
        if let Some(column) = table.column_mut(index) {
            column.set_constraint(ColumnConstraint::UpperBoundary(Width::Fixed(width)));
        }
    }
    _ = write!(text, "\n{table}");
    if document.groups.len() > SHOWN {
        _ = write!(text, "\nand {} more groups: see them all with --json or --html", document.groups.len() - SHOWN);
    }
    for note in &document.notes {
        _ = write!(text, "\nnote: {}", printable(note).replace('\n', " "));
    }
    text
}

/// How many tests ended how, and how many causes of which kind there are, in one line or two.
pub fn summary(document: &Document) -> String {
    let totals = &document.totals;
    let plural = if totals.tests == 1 { "test" } else { "tests" };
    let mut text = format!("{} {plural}: {} failed", totals.tests, totals.failed);
    if totals.failed_projects.len() > 1 {
        // A test counts once for each project above; whoever looks at the groups counts it once.
        let (tests, projects) = (totals.failed_tests, totals.failed_projects.len());
        let plural = if tests == 1 { "test" } else { "tests" };
        _ = write!(text, " ({tests} {plural} in {projects} projects)");
    }
    for (count, what) in
        [(totals.flaky, "flaky"), (totals.passed, "passed"), (totals.skipped, "skipped"), (totals.not_run, "not run")]
    {
        if count > 0 {
            _ = write!(text, ", {count} {what}");
        }
    }
    if document.groups.is_empty() {
        return text;
    }
    let counted: Vec<String> = OUTCOMES
        .iter()
        .filter(|outcome| document.count(outcome) > 0)
        .map(|outcome| format!("{} {outcome}", document.count(outcome)))
        .collect();
    let plural = if document.groups.len() == 1 { "root cause" } else { "root causes" };
    _ = write!(text, "\n{} {plural}: {}", document.groups.len(), counted.join(", "));
    let repairs = || document.groups.iter().filter_map(|group| group.repair.as_ref());
    let starts: Vec<u64> = repairs().flat_map(|repair| &repair.runs).map(|run| run.milliseconds).collect();
    if !starts.is_empty() {
        // Of repairs at the same time each counts in full.
        let seconds = |milliseconds: u64| Duration::from_millis(milliseconds).as_secs_f64();
        let (inside, all) = (seconds(starts.iter().sum()), seconds(repairs().map(|repair| repair.milliseconds).sum()));
        let plural = if starts.len() == 1 { "start" } else { "starts" };
        _ = write!(text, "\n{} {plural} of Playwright, which took {inside:.1} s of {all:.1} s", starts.len());
    }
    text
}

fn what(group: &Group) -> String {
    let mut text = printable(&group.headline).replace(['\n', '\t'], " ").chars().take(HEADLINE).collect::<String>();
    if let Some(locator) = &group.locator
        && let Some(broken) = &locator.broken
        && locator.links.len() > 1
    {
        _ = write!(text, "\n{} matches 0", printable(broken));
    }
    if let Some(since) = &group.first_bad {
        _ = write!(text, "\n{}", printable(&since.to_string()));
    }
    if let Some(repair) = &group.repair {
        match (&repair.before, &repair.after) {
            (Some(before), Some(after)) if repair.applied || group.outcome == "proposed" => {
                _ = write!(text, "\n- {}\n+ {}", printable(before.trim()), printable(after.trim()));
                if repair.applied && group.outcome != "healed" {
                    _ = write!(text, "\n{}", printable(&repair.sentence));
                }
            }
            _ => _ = write!(text, "\n{}", printable(&repair.sentence)),
        }
        for further in &repair.further {
            let line = format!("behind it: {} {}", further.outcome, further.headline).replace(['\n', '\t'], " ");
            _ = write!(text, "\n{}", printable(&line));
            if let (Some(before), Some(after), "healed" | "proposed") =
                (&further.repair.before, &further.repair.after, further.outcome.as_str())
            {
                _ = write!(text, "\n- {}\n+ {}", printable(before.trim()), printable(after.trim()));
            }
        }
    }
    text
}
