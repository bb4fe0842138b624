//! All page snapshots of a trace: a small index in memory, the texts in a temporary file without a name.
//!
//! A snapshot says only what changed; the rest are references to earlier ones of its frame. [`Snapshots::gather`]
//! collects from newest to oldest the texts that one snapshot needs, so that a page costs what it is large, however
//! long the trace is.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::os::unix::fs::FileExt as _;

use crate::domain::dom::Viewport;

use super::markup::{self, Reference};
use super::{Limits, TraceError};

/// One snapshot of one frame.
#[derive(Debug)]
pub(super) struct Snapshot {
    /// The frame (its guid).
    pub(super) frame: String,
    /// The page (its guid).
    pub(super) page: String,
    /// The document's address.
    pub(super) url: String,
    /// The call during which it was taken.
    pub(super) call: String,
    /// Whether the frame is the page's main frame.
    pub(super) main: bool,
    /// The size of the frame's window, where recorded.
    pub(super) viewport: Option<Viewport>,
    /// Style sheets by address whose text a script had changed.
    pub(super) sheets: Vec<(String, Sheet)>,
    /// Number within its frame, the first is 0.
    ordinal: u32,
    /// Frames of different event files are different: their numbers start anew.
    file: u32,
    offset: u64,
    length: usize,
}

/// The changed text of a style sheet.
#[derive(Debug)]
pub(super) enum Sheet {
    /// In the part of this name.
    Part(String),
    /// The same as so many snapshots of the frame before.
    Back(u32),
}

/// The index of all snapshots, and their texts.
#[derive(Debug)]
pub(super) struct Snapshots {
    all: Vec<Snapshot>,
    by_name: HashMap<String, Vec<usize>>,
    by_frame: HashMap<(u32, String), Vec<usize>>,
    texts: File,
}

/// Writes the snapshots while the trace is read.
pub(super) struct Recorder {
    all: Vec<Snapshot>,
    by_name: HashMap<String, Vec<usize>>,
    by_frame: HashMap<(u32, String), Vec<usize>>,
    texts: BufWriter<File>,
    written: u64,
    limit: usize,
}

/// What is recorded of a snapshot.
pub(super) struct Incoming<'a> {
    /// Under which name the calls know it; see [`super::events`].
    pub(super) name: String,
    /// Everything but the place.
    pub(super) snapshot: Draft,
    /// Its text.
    pub(super) html: &'a str,
}

/// A snapshot before it has a place.
pub(super) struct Draft {
    pub(super) frame: String,
    pub(super) page: String,
    pub(super) url: String,
    pub(super) call: String,
    pub(super) main: bool,
    pub(super) viewport: Option<Viewport>,
    pub(super) sheets: Vec<(String, Sheet)>,
}

impl Recorder {
    /// Starts with an empty temporary file.
    pub(super) fn new(limits: &Limits) -> Result<Self, TraceError> {
        let texts = BufWriter::with_capacity(256 << 10, tempfile::tempfile().map_err(TraceError::Spool)?);
        let (by_name, by_frame) = (HashMap::new(), HashMap::new());
        Ok(Self { all: Vec::new(), by_name, by_frame, texts, written: 0, limit: limits.snapshots })
    }

    /// Adds the next snapshot of the event file `file`.
    pub(super) fn add(&mut self, file: u32, incoming: Incoming<'_>) -> Result<(), TraceError> {
        if self.all.len() >= self.limit {
            return Err(TraceError::Limit { what: "page snapshots", limit: self.limit as u64 });
        }
        let text = incoming.html.as_bytes();
        self.texts.write_all(text).map_err(TraceError::Spool)?;
        let draft = incoming.snapshot;
        let at = self.all.len();
        let frame = self.by_frame.entry((file, draft.frame.clone())).or_default();
        self.all.push(Snapshot {
            frame: draft.frame,
            page: draft.page,
            url: draft.url,
            call: draft.call,
            main: draft.main,
            viewport: draft.viewport,
            sheets: draft.sheets,
            ordinal: u32::try_from(frame.len()).unwrap_or(u32::MAX),
            file,
            offset: self.written,
            length: text.len(),
        });
        frame.push(at);
        self.by_name.entry(incoming.name).or_default().push(at);
        self.written += text.len() as u64;
        Ok(())
    }

    /// Ends the recording.
    pub(super) fn finish(self) -> Result<Snapshots, TraceError> {
        let texts = self.texts.into_inner().map_err(|error| TraceError::Spool(error.into_error()))?;
        Ok(Snapshots { all: self.all, by_name: self.by_name, by_frame: self.by_frame, texts })
    }
}

/// The texts that make up one frame at one moment.
#[derive(Debug)]
pub(super) struct Texts {
    /// The snapshot's own text.
    pub(super) root: Vec<u8>,
    /// Its number within the frame.
    pub(super) ordinal: u32,
    nodes: HashMap<(u32, u32), Vec<u8>>,
}

impl Texts {
    /// The text of the node that `reference` means when it stands in the snapshot with the number `ordinal`, and the
    /// number of the snapshot that the text is from.
    pub(super) fn resolve(&self, ordinal: u32, reference: Reference) -> Option<(u32, &[u8])> {
        let from = ordinal.checked_sub(reference.back)?;
        Some((from, self.nodes.get(&(from, reference.index))?))
    }
}

const TOO_EARLY: TraceError = TraceError::Snapshot("it refers to a snapshot before the first one");

impl Snapshots {
    /// Whether any snapshot goes by `name`.
    pub(super) fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// The snapshots of all frames that go by `name`.
    pub(super) fn named(&self, name: &str) -> impl Iterator<Item = &Snapshot> {
        self.by_name.get(name).into_iter().flatten().filter_map(|&at| self.all.get(at))
    }

    /// The part with the text of a style sheet that a script had changed by the time of `snapshot`.
    pub(super) fn sheet<'a>(&'a self, snapshot: &'a Snapshot, url: &str) -> Option<&'a str> {
        let find = |snapshot: &'_ Snapshot| snapshot.sheets.iter().position(|(address, _)| address == url);
        match &snapshot.sheets.get(find(snapshot)?)?.1 {
            Sheet::Part(name) => Some(name),
            Sheet::Back(back) => {
                let earlier = self.at(snapshot.file, &snapshot.frame, snapshot.ordinal.checked_sub(*back)?)?;
                match &earlier.sheets.get(find(earlier)?)?.1 {
                    Sheet::Part(name) => Some(name),
                    Sheet::Back(_) => None,
                }
            }
        }
    }

    /// Collects the texts that `snapshot` needs.
    pub(super) fn gather(&self, snapshot: &Snapshot, limits: &Limits) -> Result<Texts, TraceError> {
        let root = self.text(snapshot)?;
        let mut texts = Texts { root, ordinal: snapshot.ordinal, nodes: HashMap::new() };
        let mut wanted: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        want(&mut wanted, &texts, snapshot.ordinal, &texts.root)?;
        let mut size = texts.root.len();
        let mut read = 0;
        while let Some((ordinal, numbers)) = wanted.pop_last() {
            let earlier = self.at(snapshot.file, &snapshot.frame, ordinal).ok_or(TOO_EARLY)?;
            let json = self.text(earlier)?;
            // Each snapshot is read once, or twice where it refers to itself: more is a ring of references.
            read += json.len() as u64;
            if read > limits.total_bytes {
                return Err(TraceError::Limit { what: "bytes to read for one page", limit: limits.total_bytes });
            }
            let numbers: Vec<u32> = numbers.into_iter().collect();
            for (&number, range) in numbers.iter().zip(markup::locate(&json, &numbers)?) {
                let node = json.get(range).unwrap_or_default().to_vec();
                size += node.len();
                if size > limits.page_bytes {
                    return Err(TraceError::Limit { what: "bytes in one page", limit: limits.page_bytes as u64 });
                }
                texts.nodes.insert((ordinal, number), node);
            }
            for number in numbers {
                if let Some(node) = texts.nodes.get(&(ordinal, number)) {
                    want(&mut wanted, &texts, ordinal, node)?;
                }
            }
        }
        Ok(texts)
    }

    fn at(&self, file: u32, frame: &str, ordinal: u32) -> Option<&Snapshot> {
        let frame = self.by_frame.get(&(file, frame.to_owned()))?;
        self.all.get(*frame.get(ordinal as usize)?)
    }

    fn text(&self, snapshot: &Snapshot) -> Result<Vec<u8>, TraceError> {
        let mut text = vec![0; snapshot.length];
        self.texts.read_exact_at(&mut text, snapshot.offset).map_err(TraceError::Spool)?;
        Ok(text)
    }
}

/// Notes the nodes that `json`, a text of the snapshot with the number `ordinal`, refers to and that are not there yet.
fn want(wanted: &mut BTreeMap<u32, BTreeSet<u32>>, texts: &Texts, ordinal: u32, json: &[u8]) -> Result<(), TraceError> {
    for reference in markup::references(json)? {
        let from = ordinal.checked_sub(reference.back).ok_or(TOO_EARLY)?;
        if !texts.nodes.contains_key(&(from, reference.index)) {
            wanted.entry(from).or_default().insert(reference.index);
        }
    }
    Ok(())
}
