//! Reads a report piece by piece: the specs as they come, what stands around them at the end.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;

use super::super::halves::without_halves;
use super::split::Split;
use super::{Attempt, Problem, ReportError, Status, Test, wire};

/// More than this is never held of one spec and of what stands around the specs, in bytes.
pub(super) const HELD_CAP: usize = 128 * 1024 * 1024;

/// A report that is read in pieces: specs are handed out as soon as they end, what stands around them comes last.
#[derive(Debug)]
pub struct Pieces {
    split: Split,
}

/// What a report says apart from what is in its specs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outline {
    /// The version that wrote it.
    pub version: Option<String>,
    /// The folder that file names are relative to.
    pub root: Utf8PathBuf,
    /// The configuration file, where the report names it.
    pub config: Option<Utf8PathBuf>,
    /// The names of the configuration's projects, in its order.
    pub projects: Vec<String>,
    /// When the run began, where the report says so.
    pub started: Option<jiff::Timestamp>,
    /// Errors that belong to no test.
    pub errors: Vec<Problem>,
    /// The describe blocks around each spec, by its number: titles and lines, outermost first.
    around: BTreeMap<usize, (Vec<String>, Vec<u32>)>,
}

impl Pieces {
    /// Nothing read so far.
    #[expect(clippy::new_without_default, reason = "an empty report is no sensible default")]
    pub fn new() -> Self {
        Self { split: Split::new() }
    }

    /// Reads on in `bytes`; `each` gets the number and the text of every spec that ends in them, for [`tests_of`].
    ///
    /// # Errors
    /// One part is too large to be held.
    pub fn feed(&mut self, bytes: &[u8], each: &mut dyn FnMut(usize, Vec<u8>)) -> Result<(), ReportError> {
        self.split.feed(bytes, each);
        if self.split.held() > HELD_CAP { Err(ReportError::TooLarge) } else { Ok(()) }
    }

    /// Whether the report has ended, so that nothing more needs to be read.
    pub fn is_done(&self) -> bool {
        self.split.is_done()
    }

    /// What the report says apart from what is in its specs.
    pub fn finish(self) -> Result<Outline, ReportError> {
        let whole = without_halves(self.split.frame());
        // Only what follows the report may be something else.
        let mut documents = serde_json::Deserializer::from_slice(&whole).into_iter::<wire::Frame>();
        let frame = match documents.next() {
            Some(frame) => frame.map_err(ReportError::NotJson)?,
            None => serde_json::from_slice(b"").map_err(ReportError::NotJson)?,
        };
        let mut around = BTreeMap::new();
        for suite in frame.suites.ok_or(ReportError::NoSuites)? {
            // The outermost suite is the file; its title is its name.
            place(suite, &Around { titles: &[], lines: &[] }, &mut around);
        }
        Ok(Outline {
            version: frame.config.version,
            root: Utf8PathBuf::from(frame.config.root_dir),
            config: frame.config.file.map(Utf8PathBuf::from),
            projects: frame.config.projects.into_iter().map(|project| project.name).collect(),
            started: frame.stats.start_time.and_then(|time| time.parse().ok()),
            errors: frame.errors.into_iter().map(Problem::from).collect(),
            around,
        })
    }
}

impl Outline {
    /// The outline of a report whose tests are complete already.
    pub fn of(version: Option<String>, root: Utf8PathBuf, errors: Vec<Problem>) -> Self {
        Self { version, root, errors, ..Self::default() }
    }

    /// `test`, one of the spec with this number, under its full titles and the full path of its file.
    pub fn place(&self, number: usize, mut test: Test) -> Test {
        test.file = self.root.join(&test.file);
        if let Some((titles, lines)) = self.around.get(&number) {
            test.titles.splice(0..0, titles.iter().cloned());
            test.describe_lines.clone_from(lines);
        }
        test
    }
}

/// The tests of one spec, which [`Outline::place`] completes.
pub fn tests_of(spec: &[u8]) -> Result<Vec<Test>, ReportError> {
    let spec: wire::Spec = serde_json::from_slice(&without_halves(spec)).map_err(ReportError::NotJson)?;
    let tests = spec.tests.into_iter().map(|test| Test {
        titles: vec![spec.title.clone()],
        file: Utf8PathBuf::from(&spec.file),
        line: spec.line,
        describe_lines: Vec::new(),
        project: test.project_name,
        status: match test.status.as_str() {
            "expected" => Status::Expected,
            "unexpected" => Status::Unexpected,
            "flaky" => Status::Flaky,
            _ => Status::Skipped,
        },
        expected_to_fail: test.expected_status == "failed",
        attempts: test.results.into_iter().map(Attempt::from).collect(),
    });
    Ok(tests.collect())
}

/// Where the walk through the suites is.
struct Around<'a> {
    titles: &'a [String],
    lines: &'a [u32],
}

/// Notes what is around each spec of `suite`; as deep as the JSON parser lets suites nest, which is bounded.
fn place(suite: wire::Suite, at: &Around<'_>, around: &mut BTreeMap<usize, (Vec<String>, Vec<u32>)>) {
    for number in suite.specs {
        around.insert(number, (at.titles.to_vec(), at.lines.to_vec()));
    }
    for inner in suite.suites {
        let titles: Vec<_> = at.titles.iter().chain([&inner.title]).cloned().collect();
        let lines: Vec<_> = at.lines.iter().chain([&inner.line]).copied().collect();
        place(inner, &Around { titles: &titles, lines: &lines }, around);
    }
}
