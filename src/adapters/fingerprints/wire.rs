//! The book of fingerprints as JSON, version 2. Fields are added, never changed; empty ones are left out.
//!
//! Version 1 knew neither projects nor pages; its records are read as those of an unknown project.

use serde::{Deserialize, Serialize};

use crate::domain::dom::Rect;
use crate::domain::fingerprint::{Book, Key, Record};
use crate::domain::identity::{Facts, Visibility, path_steps};
use crate::domain::page_check::{PageMark, Sort};

const SCHEMA_VERSION: u32 = 2;

/// The oldest version that is read.
const OLDEST: u32 = 1;

#[derive(Serialize, Deserialize)]
struct BookDto {
    schema_version: u32,
    fingerprints: Vec<EntryDto>,
}

#[derive(Serialize, Deserialize)]
struct EntryDto {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    project: String,
    test: String,
    selector: String,
    method: String,
    #[serde(default, skip_serializing_if = "is_zero")]
    nth: u32,
    #[serde(default, skip_serializing_if = "PageDto::is_blank")]
    page: PageDto,
    element: ElementDto,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    peers: Vec<String>,
}

#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
struct PageDto {
    #[serde(skip_serializing_if = "String::is_empty")]
    path: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    title: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    landmarks: Vec<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    sort: String,
}

impl PageDto {
    fn is_blank(&self) -> bool {
        self.path.is_empty() && self.title.is_empty() && self.landmarks.is_empty() && self.sort.is_empty()
    }
}

#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
struct ElementDto {
    tag: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    input_type: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    role: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    text: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    test_id: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    test_id_attribute: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    id: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    name_attribute: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    classes: Vec<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    href: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    aria_label: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    placeholder: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    title: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    alt: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    label: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    value: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    options: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    landmarks: Vec<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    heading: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    form: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    group: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<u32>,
    #[serde(skip_serializing_if = "String::is_empty")]
    neighbours: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    bounds: Option<[f64; 4]>,
    #[serde(skip_serializing_if = "String::is_empty")]
    path: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    frame: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    editable: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    disabled: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// A book from its text.
pub(super) fn parse(text: &str) -> Result<Book, serde_json::Error> {
    let read: BookDto = serde_json::from_str(text)?;
    if !(OLDEST..=SCHEMA_VERSION).contains(&read.schema_version) {
        let seen = read.schema_version;
        return Err(serde::de::Error::custom(format!(
            "schema_version is {seen}, this relocator reads {OLDEST} to {SCHEMA_VERSION}"
        )));
    }
    let mut book = Book::default();
    for entry in read.fingerprints {
        let EntryDto { project, test, selector, method, nth, page, element, peers } = entry;
        let key = Key { project, test, selector, method, nth };
        book.insert(key, Record { facts: element.into(), page: page.into(), peers });
    }
    Ok(book)
}

/// The text of a book.
pub(super) fn print(book: &Book) -> Result<String, serde_json::Error> {
    let entry = |(key, record): (&Key, &Record)| EntryDto {
        project: key.project.clone(),
        test: key.test.clone(),
        selector: key.selector.clone(),
        method: key.method.clone(),
        nth: key.nth,
        page: (&record.page).into(),
        element: (&record.facts).into(),
        peers: record.peers.clone(),
    };
    let document = BookDto { schema_version: SCHEMA_VERSION, fingerprints: book.records().map(entry).collect() };
    let mut text = serde_json::to_string_pretty(&document)?;
    text.push('\n');
    Ok(text)
}

impl From<&PageMark> for PageDto {
    fn from(page: &PageMark) -> Self {
        let sort = if page.sort.is_plain() { "" } else { page.sort.word() };
        Self {
            path: page.path.clone(),
            title: page.title.clone(),
            landmarks: page.landmarks.clone(),
            sort: sort.to_owned(),
        }
    }
}

impl From<PageDto> for PageMark {
    fn from(page: PageDto) -> Self {
        Self { path: page.path, title: page.title, landmarks: page.landmarks, sort: Sort::of_word(&page.sort) }
    }
}

impl From<&Facts> for ElementDto {
    fn from(facts: &Facts) -> Self {
        let facts = facts.clone();
        let path: Vec<String> = facts.path.iter().map(|step| format!("/{}[{}]", step.tag, step.place)).collect();
        Self {
            tag: facts.tag,
            input_type: facts.input_type,
            role: facts.role,
            name: facts.name,
            text: facts.text,
            test_id: facts.test_id,
            test_id_attribute: facts.test_id_attribute,
            id: facts.id,
            name_attribute: facts.name_attribute,
            classes: facts.classes,
            href: facts.href,
            aria_label: facts.aria_label,
            placeholder: facts.placeholder,
            title: facts.title,
            alt: facts.alt,
            label: facts.label,
            value: facts.value,
            options: facts.options,
            landmarks: facts.landmarks,
            heading: facts.heading,
            form: facts.form,
            group: facts.group,
            order: facts.order,
            neighbours: facts.neighbours,
            // Fractions of a pixel differ between machines.
            bounds: facts.bounds.map(|b| [b.x.round(), b.y.round(), b.width.round(), b.height.round()]),
            path: path.concat(),
            frame: facts.frame,
            editable: facts.editable,
            disabled: facts.disabled,
        }
    }
}

impl From<ElementDto> for Facts {
    fn from(element: ElementDto) -> Self {
        Self {
            tag: element.tag,
            input_type: element.input_type,
            role: element.role,
            name: element.name,
            text: element.text,
            test_id: element.test_id,
            test_id_attribute: element.test_id_attribute,
            id: element.id,
            name_attribute: element.name_attribute,
            classes: element.classes,
            href: element.href,
            aria_label: element.aria_label,
            placeholder: element.placeholder,
            title: element.title,
            alt: element.alt,
            label: element.label,
            value: element.value,
            options: element.options,
            landmarks: element.landmarks,
            heading: element.heading,
            form: element.form,
            group: element.group,
            order: element.order,
            neighbours: element.neighbours,
            bounds: element.bounds.map(|[x, y, width, height]| Rect { x, y, width, height }),
            path: path_steps(&element.path),
            frame: element.frame,
            visibility: Visibility::Visible,
            editable: element.editable,
            disabled: element.disabled,
            parent: None,
        }
    }
}
