//! `relocator learn`: what the locators of a green run resolved to. Flags and wiring only.

use camino::{Utf8Path, Utf8PathBuf};
use clap::Args as ClapArgs;

use crate::adapters::fingerprints::{FingerprintError, learn_from, read, traces_below, write};
use crate::adapters::workspace::Workspace;
use crate::config::{Flags, Place, current_folder};
use crate::domain::fingerprint::Book;
use crate::error::Error;
use crate::exit_code::ExitCode;
use crate::ui::{Ui, printable};

/// Learn from the traces of a green run (`playwright test --trace on`) what each locator resolves to
#[derive(Debug, ClapArgs)]
pub(super) struct Args {
    /// Folders with traces, traces, blob reports, or books of other shards (.json) [default: test-results]
    #[arg(value_name = "TRACES")]
    traces: Vec<Utf8PathBuf>,
    #[command(flatten)]
    flags: Flags,
}

/// Runs the command.
pub(super) fn run(args: &Args, ui: &Ui) -> Result<ExitCode, Error> {
    let (root, _) = Place::settings(&args.flags, &current_folder()?)?;
    let path = args.flags.fingerprints(&root);
    let mut book = read(&path).map_err(|error| failed(&error))?;
    super::there(&args.traces)?;
    let default = [root.join("test-results")];
    let given = if args.traces.is_empty() { default.as_slice() } else { &args.traces };
    let traces: Vec<Utf8PathBuf> =
        given.iter().flat_map(|path| if path.is_dir() { traces_below(path) } else { vec![path.clone()] }).collect();
    if traces.is_empty() {
        return Err(Error::usage("there is no trace to learn from").hinted("run the suite with `--trace on` first"));
    }
    let mut learned = Book::default();
    let mut tests = 0;
    for trace in &traces {
        match learn_from(trace) {
            Ok(new) => {
                tests += new.tests();
                learned.merge(new);
            }
            Err(error) => {
                ui.warn(&format!("left out {}: {}", printable(trace.as_str()), printable(&error)));
            }
        }
    }
    if learned.is_empty() {
        ui.warn("nothing to learn: no trace there is of a test that passed at its first attempt; record a green run with `npx playwright test --trace on`");
    }
    let elements = learned.len();
    book.merge(learned);
    if args.flags.fingerprints.is_none() {
        Workspace::open(&root)?.claim()?;
    }
    write(&path, &book).map_err(|error| failed(&error))?;
    ui.answer(&format!("learned {elements} calls of {tests} tests; {} in {path}", book.len()));
    Ok(ExitCode::Clean)
}

/// The book that a command works with; one that is named has to be there.
pub(super) fn book(flags: &Flags, root: &Utf8Path) -> Result<Book, Error> {
    super::there(&flags.fingerprints)?;
    read(&flags.fingerprints(root)).map_err(|error| failed(&error))
}

fn failed(error: &FingerprintError) -> Error {
    Error::blocked(error.to_string()).caused_by(error)
}
