//! Labelled pairs: the same element on a page, years apart, in the format of `shared/data/similo`.
//!
//! Knows the format of the two files and turns every record into [`Facts`]; judges nothing.

use std::collections::{BTreeMap, HashMap};
use std::io::BufRead as _;

use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;

use crate::domain::dom::Rect;
use crate::domain::identity::{Facts, Visibility, link_path, path_steps};
use crate::domain::words::tokens;

/// Why the pairs cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum PairsError {
    /// A file cannot be read.
    #[error("cannot read `{path}`")]
    Read {
        /// The file.
        path: Utf8PathBuf,
        /// What went wrong.
        source: std::io::Error,
    },
    /// A line is not what the format asks for.
    #[error("line {line} of `{path}` is not a record of labelled pairs")]
    Format {
        /// The file.
        path: Utf8PathBuf,
        /// The line, from 1.
        line: usize,
        /// What went wrong.
        source: serde_json::Error,
    },
}

/// One page with the elements that were looked for on it.
#[derive(Debug, Clone, Default)]
pub struct Site {
    /// The site's name.
    pub app: String,
    /// Every visible element of the later page.
    pub candidates: Vec<Facts>,
    /// The elements of the earlier page, with their place on the later one.
    pub pairs: Vec<Pair>,
}

/// An element of the earlier page.
#[derive(Debug, Clone)]
pub struct Pair {
    /// The pair's name.
    pub id: String,
    /// The element as it was.
    pub target: Facts,
    /// The index of the same element; `None` where it is not in the recorded page.
    pub truth: Option<usize>,
    /// Every index that shows the same element to the eye.
    pub same_element: Vec<usize>,
}

#[derive(Deserialize)]
struct PageRecord {
    app: String,
    candidates: Vec<ElementRecord>,
}

#[derive(Deserialize)]
struct PairRecord {
    id: String,
    app: String,
    target: ElementRecord,
    truth: Option<usize>,
    #[serde(default)]
    same_visual_element: Vec<usize>,
    #[serde(default)]
    label_suspect: bool,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ElementRecord {
    tag: String,
    id: String,
    name: String,
    class: String,
    href: String,
    alt: String,
    xpath: String,
    idxpath: String,
    is_button: bool,
    x: f64,
    y: f64,
    width: f64,
    height: f64,
    visible_text: String,
    neighbor_text: String,
}

/// Reads `pages.jsonl` and `pairs.jsonl` of a folder. Pairs whose label is known to be wrong are left out.
pub fn read(folder: &Utf8Path) -> Result<Vec<Site>, PairsError> {
    let mut sites: BTreeMap<String, Site> = BTreeMap::new();
    for page in lines::<PageRecord>(&folder.join("pages.jsonl"))? {
        sites.insert(page.app.clone(), Site { app: page.app, candidates: facts(page.candidates), pairs: Vec::new() });
    }
    for pair in lines::<PairRecord>(&folder.join("pairs.jsonl"))?.into_iter().filter(|pair| !pair.label_suspect) {
        let Some(site) = sites.get_mut(&pair.app) else { continue };
        let target = pair.target.into_facts();
        site.pairs.push(Pair { id: pair.id, target, truth: pair.truth, same_element: pair.same_visual_element });
    }
    Ok(sites.into_values().collect())
}

fn lines<T: for<'de> Deserialize<'de>>(path: &Utf8Path) -> Result<Vec<T>, PairsError> {
    let read = |source| PairsError::Read { path: path.to_owned(), source };
    let file = std::fs::File::open(path).map_err(read)?;
    let mut records = Vec::new();
    for (at, line) in std::io::BufReader::new(file).lines().enumerate() {
        let line = line.map_err(read)?;
        let format = |source| PairsError::Format { path: path.to_owned(), line: at + 1, source };
        records.push(serde_json::from_str(&line).map_err(format)?);
    }
    Ok(records)
}

/// The facts of a page's elements, each with the nearest element above it.
fn facts(records: Vec<ElementRecord>) -> Vec<Facts> {
    let places: HashMap<String, usize> =
        records.iter().enumerate().map(|(at, record)| (record.xpath.clone(), at)).collect();
    records
        .into_iter()
        .map(|record| {
            let mut above = record.xpath.match_indices('/').rev().filter_map(|(at, _)| record.xpath.get(..at));
            let parent = above.find_map(|xpath| places.get(xpath).copied());
            Facts { parent, ..record.into_facts() }
        })
        .collect()
}

impl ElementRecord {
    fn into_facts(self) -> Facts {
        let path = path_steps(&self.xpath);
        let by_tag = path.iter().filter_map(|step| landmark(&step.tag));
        let landmarks = by_id(&self.idxpath).into_iter().chain(by_tag).map(str::to_owned).collect();
        Facts {
            input_type: if self.is_button && self.tag == "input" { "submit".to_owned() } else { String::new() },
            tag: self.tag,
            id: self.id,
            name_attribute: self.name,
            classes: self.class.split_whitespace().map(str::to_owned).collect(),
            href: link_path(&self.href),
            alt: self.alt,
            text: self.visible_text,
            neighbours: self.neighbor_text,
            bounds: Some(Rect { x: self.x, y: self.y, width: self.width, height: self.height }),
            visibility: Visibility::Visible,
            landmarks,
            path,
            ..Facts::default()
        }
    }
}

fn landmark(tag: &str) -> Option<&'static str> {
    match tag {
        "header" => Some("banner"),
        "nav" => Some("navigation"),
        "main" => Some("main"),
        "footer" => Some("contentinfo"),
        "aside" => Some("complementary"),
        "form" => Some("form"),
        "dialog" => Some("dialog"),
        _ => None,
    }
}

/// The landmark that the nearest id above an element speaks of: `//*[@id='main-footer']/div[1]`.
fn by_id(path: &str) -> Option<&'static str> {
    let id = path.strip_prefix("//*[@id='")?.split('\'').next()?;
    tokens(id).iter().find_map(|token| match token.as_str() {
        "header" | "masthead" | "topbar" => Some("banner"),
        "nav" | "navbar" | "navigation" | "menu" => Some("navigation"),
        "footer" => Some("contentinfo"),
        "sidebar" | "aside" => Some("complementary"),
        _ => None,
    })
}
