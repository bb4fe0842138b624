//! Reads one report of any size: Playwright's JSON or JUnit XML, found out by looking.
//!
//! A JSON report is read in pieces, and its specs are looked at on all cores; what is held is what is kept of every test.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::sync::mpsc::sync_channel;
use std::sync::{Mutex, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};

use super::digest::{Cache, Digest, digest};
use crate::adapters::junit;
use crate::adapters::playwright::report::{Outline, Pieces, Report, ReportError, tests_of};
use crate::error::Error;

/// How much is read at a time, in bytes.
const PIECE: usize = 1 << 20;

/// How many specs may wait for a core.
const WAITING: usize = 64;

/// Reports that have to be held as a whole (UTF-16, XML) may have this many bytes.
const WHOLE: u64 = 128 * 1024 * 1024;

/// Where in a file a report may begin that has other output before it.
const NOISE: u64 = 16 * 1024 * 1024;

/// How many such places are tried.
const TRIES: usize = 8;

/// A report that was read.
#[derive(Debug)]
pub struct Read {
    /// What it says apart from its tests.
    pub(super) outline: Outline,
    /// Its tests, each with the number of its spec.
    pub(super) digests: Vec<(usize, Digest)>,
    /// The folder it lies in.
    pub(super) folder: Utf8PathBuf,
}

/// Why a report cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file cannot be read.
    #[error("cannot read the file")]
    Io(#[from] std::io::Error),
    /// It is no report.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// It is no JUnit report.
    #[error(transparent)]
    JUnit(#[from] junit::JUnitError),
    /// It has to be held as a whole and is too large.
    #[error("a report of this kind may have {} MB", WHOLE / 1024 / 1024)]
    TooLarge,
}

/// Reads the report in `path`.
pub fn read(path: &Utf8Path, cache: &Cache) -> Result<Read, Error> {
    let folder = path.canonicalize_utf8().ok().and_then(|path| path.parent().map(Utf8Path::to_owned));
    let folder = folder.unwrap_or_default();
    let read = File::open(path).map_err(ReadError::from).and_then(|file| read_file(file, &folder, cache));
    read.map_err(|error| {
        Error::blocked(format!("cannot read the report `{path}`")).caused_by(&error).hinted(
            "produce it with `npx playwright test --reporter=json`, to a file named by PLAYWRIGHT_JSON_OUTPUT_FILE",
        )
    })
}

fn read_file(mut file: File, folder: &Utf8Path, cache: &Cache) -> Result<Read, ReadError> {
    let mut head = [0; 64];
    let length = file.read(&mut head)?;
    let head = head.get(..length).unwrap_or_default();
    let start = if head.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let first = head.get(start..).unwrap_or_default().trim_ascii_start().first().copied();
    if head.starts_with(b"\xff\xfe") {
        let report = Report::parse(&whole(&mut file)?)?;
        return Ok(of_report(report, folder, cache));
    }
    if first == Some(b'<') {
        return Ok(of_report(junit::parse(&whole(&mut file)?)?, folder, cache));
    }
    let error = match in_pieces(&mut file, start as u64, folder, cache) {
        Ok(read) => return Ok(read),
        Err(error) => error,
    };
    for start in line_starts(&mut file)? {
        if let Ok(read) = in_pieces(&mut file, start, folder, cache) {
            return Ok(read);
        }
    }
    Err(error)
}

/// All of a file.
fn whole(file: &mut File) -> Result<Vec<u8>, ReadError> {
    file.rewind()?;
    let mut bytes = Vec::new();
    file.take(WHOLE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > WHOLE { Err(ReadError::TooLarge) } else { Ok(bytes) }
}

fn of_report(report: Report, folder: &Utf8Path, cache: &Cache) -> Read {
    let outline = Outline::of(report.version, report.root, report.errors);
    // The files are whole already, and so are the titles: no spec has a number.
    let digests = report.tests.into_iter().map(|test| (usize::MAX, digest(test, cache))).collect();
    Read { outline, digests, folder: folder.to_owned() }
}

/// The places behind which a report may begin: lines with an opening brace.
fn line_starts(file: &mut File) -> Result<Vec<u64>, ReadError> {
    file.rewind()?;
    let mut bytes = Vec::new();
    file.take(NOISE).read_to_end(&mut bytes)?;
    let starts = memchr::memmem::find_iter(&bytes, b"\n{").map(|at| at as u64 + 1);
    Ok(starts.take(TRIES).collect())
}

/// Reads the JSON report that begins at byte `start`.
fn in_pieces(file: &mut File, start: u64, folder: &Utf8Path, cache: &Cache) -> Result<Read, ReadError> {
    file.seek(SeekFrom::Start(start))?;
    let (send, receive) = sync_channel::<(usize, Vec<u8>)>(WAITING);
    let receive = Mutex::new(receive);
    let work = || {
        let mut done = Vec::new();
        let mut failed = None;
        loop {
            let next = receive.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok((number, spec)) = next else { return (done, failed) };
            match tests_of(&spec) {
                Ok(tests) => done.extend(tests.into_iter().map(|test| (number, digest(test, cache)))),
                Err(error) => failed = failed.or(Some((number, error))),
            }
        }
    };
    std::thread::scope(|scope| {
        let cores = std::thread::available_parallelism().map_or(1, usize::from).min(8);
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        let outline = feed(file, &mut |number, spec| drop(send.send((number, spec))));
        drop(send);
        let (mut digests, mut failed) = (Vec::new(), None);
        for worker in workers {
            let (done, error) = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            digests.extend(done);
            failed = failed.or(error);
        }
        let outline = outline?;
        if let Some((_, error)) = failed {
            return Err(error.into());
        }
        // Whoever was fastest: the order is the report's again.
        digests.sort_by_key(|(number, _)| *number);
        Ok(Read { outline, digests, folder: folder.to_owned() })
    })
}

fn feed(file: &mut File, each: &mut dyn FnMut(usize, Vec<u8>)) -> Result<Outline, ReadError> {
    let mut pieces = Pieces::new();
    let mut buffer = vec![0; PIECE];
    while !pieces.is_done() {
        let length = file.read(&mut buffer)?;
        if length == 0 {
            break;
        }
        pieces.feed(buffer.get(..length).unwrap_or_default(), each)?;
    }
    Ok(pieces.finish()?)
}
