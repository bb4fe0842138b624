//! `relocator rehearse`: measures before anything is trusted. Flags and wiring; decides nothing.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};

use camino::{Utf8Path, Utf8PathBuf};

use crate::adapters::fingerprints::traces_below;
use crate::adapters::pairs::{self, Site};
use crate::adapters::playwright::trace::Trace;
use crate::domain::rehearse::numbers::Numbers;
use crate::domain::rehearse::pairs::{Pairs, Question};
use crate::error::Error;
use crate::exit_code::ExitCode;
use crate::heal::rehearse::{Answered, Making, ask};
use crate::report::rehearsal::Rehearsal;
use crate::ui::{Ui, printable};

/// Measures how often a repair would be right, wrong or declined
#[derive(Debug, clap::Args)]
pub(super) struct RehearseArgs {
    /// Folders with traces of a green run (`playwright test --trace on`), or traces [default: test-results]
    #[arg(value_name = "TRACES", conflicts_with = "pairs")]
    traces: Vec<Utf8PathBuf>,
    /// Folder with labelled pairs instead: `pages.jsonl` and `pairs.jsonl`
    #[arg(long, value_name = "DIR")]
    pairs: Option<Utf8PathBuf>,
    /// The same seed asks the same questions
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "pairs")]
    seed: u64,
    /// At most so many questions of one kind of drift about one element
    #[arg(long, value_name = "N", default_value_t = 24, conflicts_with = "pairs",
          value_parser = clap::value_parser!(u32).range(1..=100))]
    rounds: u32,
    /// Also print the weights fitted on all pairs, as lines of the table in `src/domain/rank/signal.rs`
    #[arg(long, requires = "pairs")]
    fit: bool,
    /// Also print every answer, one line each
    #[arg(long, conflicts_with = "json")]
    answers: bool,
    /// How to print what the traces showed
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = "Output", default_value_t, conflicts_with = "pairs")]
    format: Format,
    /// Print one JSON document: `--format json`
    #[arg(long, help_heading = "Output", conflicts_with_all = ["pairs", "format"])]
    json: bool,
}

/// How to print what a rehearsal on traces showed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
enum Format {
    /// Tables with lines.
    #[default]
    Table,
    /// Markdown tables.
    Markdown,
    /// One JSON document.
    Json,
}

/// Runs the command.
pub(super) fn run(args: &RehearseArgs, ui: &Ui) -> Result<ExitCode, Error> {
    super::there(args.traces.iter().chain(&args.pairs))?;
    match &args.pairs {
        Some(folder) => on_pairs(args, folder, ui),
        None => on_traces(args, ui),
    }
}

fn on_traces(args: &RehearseArgs, ui: &Ui) -> Result<ExitCode, Error> {
    let default = [Utf8PathBuf::from("test-results")];
    let given = if args.traces.is_empty() { default.as_slice() } else { &args.traces };
    let traces: Vec<Utf8PathBuf> =
        given.iter().flat_map(|path| if path.is_dir() { traces_below(path) } else { vec![path.clone()] }).collect();
    let none = |what: &str| Error::usage(what.to_owned()).hinted("run the suite with `--trace on` first");
    if traces.is_empty() {
        return Err(none("there is no trace to rehearse on"));
    }
    let making = Making { seed: args.seed, rounds: args.rounds };
    let asked = on_all_cores(&traces, ui, |trace| ask(trace, making));
    let tests = asked.iter().filter(|answers| !answers.is_empty()).count();
    let answers: Vec<Answered> = asked.into_iter().flatten().collect();
    let rehearsal = Rehearsal::new(&answers, making, tests);
    if rehearsal.questions() == 0 {
        return Err(none("the traces hold no call of a green test whose element could be lost"));
    }
    if args.answers {
        let lines: Vec<String> = answers.iter().map(|answer| printable(&answer.to_string())).collect();
        ui.answer(&lines.join("\n"));
    }
    let format = if args.json { Format::Json } else { args.format };
    ui.answer(&if format == Format::Json {
        serde_json::to_string_pretty(&rehearsal)
            .map_err(|error| Error::internal("cannot write the answer").caused_by(&error))?
    } else {
        rehearsal.tables(format == Format::Markdown)
    });
    Ok(ExitCode::Clean)
}

/// What `work` makes of each trace, in their order. A trace that cannot be read is named and left out.
fn on_all_cores<T: Send>(traces: &[Utf8PathBuf], ui: &Ui, work: impl Fn(Trace) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let one = |path: &Utf8Path| match Trace::open(path) {
        Ok(trace) => Some(work(trace)),
        Err(error) => {
            ui.warn(&format!("left out {}: {}", printable(path.as_str()), printable(&error.to_string())));
            None
        }
    };
    let worker = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(path) = traces.get(at) else { return done };
            done.extend(one(path).map(|result| (at, result)));
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let mut done: Vec<(usize, T)> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..cores).map(|_| scope.spawn(worker)).collect();
        running.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect()
    });
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

fn on_pairs(args: &RehearseArgs, folder: &Utf8Path, ui: &Ui) -> Result<ExitCode, Error> {
    let sites = pairs::read(folder).map_err(|error| {
        Error::blocked(error.to_string()).caused_by(&error).hinted("the folder holds `pages.jsonl` and `pairs.jsonl`")
    })?;
    let pairs = Pairs::new(sites.into_iter().map(|site| (site.app.clone(), questions(&site))).collect());
    let folds = fit_folds(&pairs);
    let mut out = String::new();
    let mut whole = Numbers::default();
    for (fold, weights) in folds.iter().enumerate() {
        for answer in pairs.answers(fold, weights) {
            if args.answers {
                _ = writeln!(out, "{answer}");
            }
            whole.count((&answer).into());
        }
    }
    _ = write!(out, "{whole}");
    if args.fit {
        _ = write!(out, "\n{}", pairs.table());
    }
    ui.answer(&out);
    Ok(ExitCode::Clean)
}

/// The weights for each fold, fitted on all others; one thread a fold.
fn fit_folds(pairs: &Pairs) -> Vec<crate::domain::rank::Weights> {
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..pairs.folds()).map(|fold| scope.spawn(move || pairs.fit_without(fold))).collect();
        running.into_iter().map(|thread| thread.join().unwrap_or_default()).collect()
    })
}

fn questions(site: &Site) -> Vec<Question> {
    let ask =
        |pair: &pairs::Pair| Question::new(&pair.id, &pair.target, &site.candidates, pair.truth, &pair.same_element);
    site.pairs.iter().map(ask).collect()
}
