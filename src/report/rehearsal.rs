//! What a rehearsal showed: the four numbers of a suite, by kind of drift, of locator and of removal, as tables and as JSON.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use comfy_table::{CellAlignment, ContentArrangement, Table, TableStyle, presets};
use serde::Serialize;

use crate::domain::rank::Bars;
use crate::domain::rehearse::bars::{MOST_HARM, MOST_WRONG_PROPOSALS, apply_bar, propose_bar};
use crate::domain::rehearse::numbers::{Numbers, Outcome};
use crate::domain::words::ratio;
use crate::heal::rehearse::{Answered, Making};

/// Version of the JSON document.
const SCHEMA_VERSION: &str = "1.0";

/// The numbers of some questions in both settings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Both {
    /// With the fingerprints of the green run.
    learned: Numbers,
    /// With the locator alone.
    not_learned: Numbers,
}

/// The bars from which on a suite's own questions bear out a repair; `null` where none is high enough.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Recommended {
    /// For applying.
    apply: Option<f64>,
    /// For proposing.
    propose: Option<f64>,
}

/// What a rehearsal showed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rehearsal {
    schema_version: &'static str,
    seed: u64,
    rounds: u32,
    /// Green tests that were asked about.
    tests: usize,
    total: Both,
    by_drift: BTreeMap<&'static str, Both>,
    by_locator: BTreeMap<&'static str, Both>,
    by_removal: BTreeMap<&'static str, Both>,
    bars_learned: Recommended,
    bars_not_learned: Recommended,
}

impl Rehearsal {
    /// Counts the answers about `tests` green tests.
    pub fn new(answers: &[Answered], making: Making, tests: usize) -> Self {
        let group = |key: &dyn Fn(&Answered) -> Option<&'static str>| {
            let mut groups: BTreeMap<&'static str, Both> = BTreeMap::new();
            for answer in answers {
                if let Some(key) = key(answer) {
                    groups.entry(key).or_default().count(answer);
                }
            }
            groups
        };
        let bars = |recorded: bool| {
            let asked = answers.iter().filter(|answer| answer.recorded == recorded);
            let asked: Vec<(Outcome, f64)> = asked.map(|answer| (answer.outcome, answer.share)).collect();
            let present = Bars::default();
            Recommended { apply: apply_bar(&asked, present.apply), propose: propose_bar(&asked, present.propose) }
        };
        let mut total = Both::default();
        for answer in answers {
            total.count(answer);
        }
        Self {
            schema_version: SCHEMA_VERSION,
            seed: making.seed,
            rounds: making.rounds,
            tests,
            total,
            by_drift: group(&|answer| Some(answer.drift.word())),
            by_locator: group(&|answer| Some(answer.kind)),
            by_removal: group(&|answer| answer.removal.map(crate::domain::rehearse::removal::Removal::word)),
            bars_learned: bars(true),
            bars_not_learned: bars(false),
        }
    }

    /// How many questions there were with the element on the page.
    pub fn questions(&self) -> usize {
        self.total.learned.there
    }

    /// The tables for a person; as Markdown, or with lines.
    pub fn tables(&self, markdown: bool) -> String {
        let style = if markdown { presets::ASCII_MARKDOWN } else { presets::UTF8_FULL_CONDENSED };
        let mut out = String::new();
        _ = writeln!(out, "{}\n", self.whole(style));
        _ = writeln!(out, "{}\n", halves("First drift", &self.by_drift, style));
        _ = writeln!(out, "{}\n", halves("Stale locator", &self.by_locator, style));
        _ = writeln!(out, "{}\n", twins(&self.by_removal, style));
        _ = writeln!(out, "{}", bars_line("with `learn`", self.bars_learned));
        _ = write!(out, "{}", bars_line("without", self.bars_not_learned));
        out
    }

    fn whole(&self, style: TableStyle) -> Table {
        let header = [
            "",
            "Questions",
            "Healed right",
            "Healed wrong",
            "Declined",
            "Of them tried",
            "Of them proposed",
            "Removal twins",
            "False heals",
            "Tried wrong",
            "Wrong + false",
        ];
        let mut table = table(&header, style);
        for (what, numbers) in [("with `learn`", self.total.learned), ("without", self.total.not_learned)] {
            table.add_row([
                what.to_owned(),
                numbers.there.to_string(),
                part(numbers.right, numbers.there),
                numbers.wrong.to_string(),
                part(numbers.declined(), numbers.there),
                part(numbers.tried_right, numbers.there),
                part(numbers.proposed_right, numbers.there),
                numbers.gone.to_string(),
                numbers.false_heals.to_string(),
                numbers.tried_wrong.to_string(),
                format!("{:.2} %", 100.0 * numbers.harm()),
            ]);
        }
        table
    }
}

impl Both {
    fn count(&mut self, answer: &Answered) {
        let numbers = if answer.recorded { &mut self.learned } else { &mut self.not_learned };
        numbers.count(answer.outcome);
    }
}

fn table(header: &[&str], style: TableStyle) -> Table {
    let mut table = Table::new();
    table.load_style(style).set_content_arrangement(ContentArrangement::Disabled).set_header(header);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// The questions with the element on the page, by a kind.
fn halves(what: &str, groups: &BTreeMap<&'static str, Both>, style: TableStyle) -> Table {
    let header = [what, "Questions", "Right with `learn`", "Wrong", "False", "Right without", "Wrong", "False"];
    let mut table = table(&header, style);
    for (kind, Both { learned, not_learned }) in groups {
        table.add_row([
            (*kind).to_owned(),
            learned.there.to_string(),
            part(learned.right, learned.there),
            learned.wrong.to_string(),
            learned.false_heals.to_string(),
            part(not_learned.right, not_learned.there),
            not_learned.wrong.to_string(),
            not_learned.false_heals.to_string(),
        ]);
    }
    table
}

fn twins(groups: &BTreeMap<&'static str, Both>, style: TableStyle) -> Table {
    let header = [
        "The element is",
        "Twins",
        "False heals with `learn`",
        "Tried",
        "Proposed",
        "False heals without",
        "Tried",
        "Proposed",
    ];
    let mut table = table(&header, style);
    for (kind, Both { learned, not_learned }) in groups {
        table.add_row([
            (*kind).to_owned(),
            learned.gone.to_string(),
            learned.false_heals.to_string(),
            learned.tried_wrong.to_string(),
            learned.proposed_wrong.to_string(),
            not_learned.false_heals.to_string(),
            not_learned.tried_wrong.to_string(),
            not_learned.proposed_wrong.to_string(),
        ]);
    }
    table
}

fn part(part: usize, whole: usize) -> String {
    format!("{part} ({:.1} %)", 100.0 * ratio(part, whole))
}

fn bars_line(what: &str, bars: Recommended) -> String {
    let bar = |bar: Option<f64>| bar.map_or_else(|| "none".to_owned(), |bar| format!("{bar:.3}"));
    format!(
        "bars, {what}: apply from {} on (wrong + false at most {:.1} %), propose from {} on (at most {:.0} % of the \
             proposals wrong)",
        bar(bars.apply),
        100.0 * MOST_HARM,
        bar(bars.propose),
        100.0 * MOST_WRONG_PROPOSALS
    )
}
