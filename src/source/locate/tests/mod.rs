//! Small sources with marks: ①②③ stand where the stack's frames point, «…» around the piece that must be found.

use std::collections::BTreeMap;

use super::{Definition, Frame, Question, Reason, Refusal, Shape, locate};
use crate::source::imports::Aliases;
use crate::source::position;
use crate::source::project::Project;

mod constants;
mod direct;
mod hostile;
mod page_objects;
mod refusals;

const FRAMES: [char; 4] = ['①', '②', '③', '④'];

/// A marked project: its files without marks, the stack, and the marked place.
struct Marked {
    files: BTreeMap<String, String>,
    frames: Vec<Frame>,
    place: Option<(String, std::ops::Range<usize>)>,
}

fn unmark(files: &[(&str, &str)]) -> Marked {
    let mut frames: BTreeMap<usize, Frame> = BTreeMap::new();
    let mut out = Marked { files: BTreeMap::new(), frames: Vec::new(), place: None };
    for (path, marked) in files {
        let mut text = String::new();
        let mut start = 0;
        let mut points = Vec::new();
        for c in marked.chars() {
            match c {
                '«' => start = text.len(),
                '»' => out.place = Some(((*path).to_owned(), start..text.len())),
                c => match FRAMES.iter().position(|mark| *mark == c) {
                    Some(frame) => points.push((frame, text.len())),
                    None => text.push(c),
                },
            }
        }
        for (frame, offset) in points {
            let line = position::line_of(&text, offset);
            let before = text.get(..offset).unwrap();
            let in_line = before.rsplit('\n').next().unwrap();
            let column = u32::try_from(in_line.encode_utf16().count()).unwrap() + 1;
            frames.insert(frame, Frame { path: (*path).to_owned(), line, column });
        }
        out.files.insert((*path).to_owned(), text);
    }
    out.frames = frames.into_values().collect();
    out
}

fn ask(marked: &Marked, printed: &str) -> Result<Definition, Refusal> {
    let entries: Vec<&str> = marked.frames.iter().map(|frame| frame.path.as_str()).collect();
    let aliases = Aliases { paths: vec![("@pages/*".into(), vec!["pages/*".into()])], ..Aliases::default() };
    let project = Project::load(&entries, &aliases, &mut |path| marked.files.get(path).cloned());
    locate(&project, &Question { frames: &marked.frames, locator: Some(printed).filter(|text| !text.is_empty()) })
}

/// The marked piece (a call from its method's name on, or a string literal) contributes step `step`, held as `shape`.
#[track_caller]
fn found(files: &[(&str, &str)], printed: &str, step: usize, shape: Shape) {
    let marked = unmark(files);
    let definition = ask(&marked, printed).unwrap_or_else(|refusal| panic!("refused: {refusal} {refusal:?}"));
    let piece = definition.piece_of(step).unwrap_or_else(|| panic!("no piece for step {step}: {definition:#?}"));
    let (path, range) = marked.place.expect("a marked place");
    let mut literals = piece.texts.iter().flat_map(super::Text::literals);
    let literal = literals.find(|literal| literal.site.path == path && literal.site.range == range);
    let held = if let Some(literal) = literal {
        literal.shape
    } else {
        assert_eq!((&piece.call.path, &piece.call.range), (&path, &range), "{definition:#?}");
        piece.shape
    };
    assert_eq!(held, shape, "{definition:#?}");
}

/// The question is refused for `reason`.
#[track_caller]
fn refused(files: &[(&str, &str)], printed: &str, reason: Reason) {
    match ask(&unmark(files), printed) {
        Ok(definition) => panic!("found {definition:#?}"),
        Err(refusal) => assert_eq!(refusal.reason, reason, "{refusal}"),
    }
}

/// A spec with one test around `body`.
fn spec(body: &str) -> String {
    format!(
        "import {{ test, expect }} from '@playwright/test';\n\ntest('works', async ({{ page }}) => {{\n{body}\n}});\n"
    )
}
