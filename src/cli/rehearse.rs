//! `relocator rehearse`: measures before anything is trusted. Flags, wiring and the table; decides nothing.

use std::fmt::Write as _;

use camino::Utf8PathBuf;

use crate::adapters::pairs::{self, Site};
use crate::domain::rehearse::{Numbers, Pairs, Question};
use crate::error::Error;
use crate::exit_code::ExitCode;
use crate::ui::Ui;

/// Measures how often a repair would be right, wrong or declined
#[derive(Debug, clap::Args)]
pub(super) struct RehearseArgs {
    /// Folder with labelled pairs: `pages.jsonl` and `pairs.jsonl`
    #[arg(long, value_name = "DIR")]
    pairs: Utf8PathBuf,
    /// Also print the weights fitted on all pairs, as lines of the table in `src/domain/rank/signal.rs`
    #[arg(long)]
    fit: bool,
    /// Also print every answer of the cross-validation, one line each
    #[arg(long)]
    answers: bool,
}

/// Runs the command.
pub(super) fn run(args: &RehearseArgs, ui: &Ui) -> Result<ExitCode, Error> {
    let sites = pairs::read(&args.pairs).map_err(|error| {
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
            whole.count(&answer);
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
