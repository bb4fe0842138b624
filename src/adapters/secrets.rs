//! Secrets in what the starts of Playwright left in a run's folder: learned from its traces, and taken out of its files.
//!
//! Traces are archives of JSON lines, sources and bodies; reports are JSON. Pictures stay as they are where the pages of the
//! trace beside or above them show no secret, and go where one does or the trace cannot be read. A file that cannot be cleaned
//! is removed: nothing stays as it was because it could not be read.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read as _, Write};

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use super::playwright::halves::without_halves;
use crate::domain::redact::{Redacted, Redactor};
use crate::error::Error;

/// Longest line in which shapes of secrets are looked for, in bytes; in longer ones (whole pages) only known values are.
const LINE: usize = 1 << 20;

/// Longest body of a request or an answer that is learned from, in bytes.
const BODY: u64 = 256 * 1024;

/// What is text in a run's folder, or in a trace, by the end of its name.
const TEXTS: [&str; 19] = [
    "trace", "network", "stacks", "json", "jsonl", "txt", "md", "html", "htm", "css", "js", "mjs", "ts", "svg", "xml",
    "dat", "bin", "log", "diff",
];

/// What is a picture or a film, by the end of its name: kept or removed, never searched.
const PICTURES: [&str; 8] = ["png", "jpg", "jpeg", "webp", "gif", "webm", "ico", "avif"];

/// Learns what the traces below `folder` show to be secret; those in `known` were learned from before.
pub fn learn(folder: &Utf8Path, redactor: &mut Redactor, known: &mut BTreeSet<Utf8PathBuf>) {
    for path in files_below(folder) {
        match end_of(path.as_str()) {
            "zip" if known.insert(path.clone()) => learn_archive(&path, redactor),
            end @ ("trace" | "network") if known.insert(path.clone()) => {
                if let Ok(file) = File::open(&path) {
                    learn_part(end, &mut BufReader::new(file), redactor);
                }
            }
            _ => {}
        }
    }
}

/// Learns what one trace shows to be secret; one that cannot be read teaches nothing.
pub fn learn_archive(path: &Utf8Path, redactor: &mut Redactor) {
    let Ok(file) = File::open(path) else { return };
    let Ok(mut archive) = ZipArchive::new(BufReader::new(file)) else { return };
    for at in 0..archive.len() {
        let Ok(entry) = archive.by_index(at) else { continue };
        let Ok(name) = entry.name().map(std::borrow::Cow::into_owned) else { continue };
        if matches!(end_of(&name), "trace" | "network") || entry.size() <= BODY {
            learn_part(end_of(&name), &mut BufReader::new(entry), redactor);
        }
    }
}

/// Learns from one part of a trace, whose name ends with `end`.
fn learn_part(end: &str, part: &mut impl BufRead, redactor: &mut Redactor) {
    match end {
        "trace" | "network" => {
            let mut line = Vec::new();
            while next_line(part, &mut line) {
                if let Ok(event) = serde_json::from_slice::<Value>(&without_halves(&line)) {
                    redactor.learn_json(&event);
                }
            }
        }
        "json" | "dat" | "bin" | "txt" => {
            let mut text = String::new();
            if part.take(BODY).read_to_string(&mut text).is_ok() {
                redactor.learn_body(&text);
            }
        }
        _ => {}
    }
}

/// Takes the secrets out of every file below `folder`, and the pictures of pages that show one; returns how many there were.
///
/// # Errors
/// A file can be neither cleaned nor removed.
pub fn scrub(folder: &Utf8Path, redactor: &Redactor) -> Result<u64, Error> {
    let files = files_below(folder);
    let showing: BTreeSet<&Utf8Path> =
        files.iter().filter(|path| shows_secret(path, redactor)).filter_map(|path| path.parent()).collect();
    // A report has attached pictures of all tests in one file, as text.
    let redactor = &if showing.is_empty() { redactor.clone() } else { redactor.clone().with_pictures() };
    let mut count = 0;
    for path in &files {
        let end = end_of(path.as_str());
        let is_picture = PICTURES.contains(&end);
        let shown = path.ancestors().any(|folder| showing.contains(folder));
        if is_picture && !shown {
            continue;
        }
        let cleaned = match end {
            _ if is_picture => None,
            "zip" => clean_archive(path, redactor, !shown).ok(),
            _ => clean_file(path, redactor).ok(),
        };
        if let Some(found) = cleaned {
            count += found;
            continue;
        }
        count += u64::from(is_picture);
        std::fs::remove_file(path).map_err(|error| {
            Error::blocked(format!("`{path}` may hold secrets, and can be neither cleaned nor removed"))
                .caused_by(&error)
        })?;
    }
    Ok(count)
}

/// Whether a page of the trace at `path`, packed or not, shows what `redactor` knows to be secret, or may do so because the
/// trace cannot be read; `false` for what is no trace.
pub fn shows_secret(path: &Utf8Path, redactor: &Redactor) -> bool {
    let end = end_of(path.as_str());
    if !matches!(end, "zip" | "trace") {
        return false;
    }
    let Ok(file) = File::open(path) else { return true };
    let file = BufReader::new(file);
    if end == "trace" {
        return part_shows_secret(file, redactor);
    }
    let Ok(mut archive) = ZipArchive::new(file) else { return true };
    (0..archive.len()).any(|at| {
        let Ok(entry) = archive.by_index(at) else { return true };
        entry.name().is_ok_and(|name| end_of(&name) == "trace") && part_shows_secret(BufReader::new(entry), redactor)
    })
}

fn part_shows_secret(mut lines: impl BufRead, redactor: &Redactor) -> bool {
    let mut line = Vec::new();
    while next_line(&mut lines, &mut line) {
        if serde_json::from_slice::<Value>(&without_halves(&line)).is_ok_and(|event| redactor.is_shown_in(&event)) {
            return true;
        }
    }
    false
}

/// All files below `folder`, sorted; links are not followed.
pub fn files_below(folder: &Utf8Path) -> Vec<Utf8PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in next.read_dir_utf8().into_iter().flatten().flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                open.push(entry.path().to_owned());
            } else if kind.is_file() {
                found.push(entry.path().to_owned());
            }
        }
    }
    found.sort_unstable();
    found
}

fn clean_file(path: &Utf8Path, redactor: &Redactor) -> io::Result<u64> {
    let folder = path.parent().unwrap_or(Utf8Path::new("."));
    let new = tempfile::NamedTempFile::new_in(folder)?;
    let count = clean(&mut BufReader::new(File::open(path)?), &mut BufWriter::new(new.as_file()), redactor)?;
    replace(path, new, count)
}

fn clean_archive(path: &Utf8Path, redactor: &Redactor, pictures: bool) -> io::Result<u64> {
    let mut archive = ZipArchive::new(BufReader::new(File::open(path)?))?;
    let folder = path.parent().unwrap_or(Utf8Path::new("."));
    let new = tempfile::NamedTempFile::new_in(folder)?;
    let mut writer = ZipWriter::new(BufWriter::new(new.as_file().try_clone()?));
    let mut count = 0;
    for at in 0..archive.len() {
        let name = archive.by_index_raw(at)?.name()?.into_owned();
        if !pictures && (PICTURES.contains(&end_of(&name)) || is_picture(archive.by_index(at)?)) {
            count += 1;
            continue;
        }
        if !is_text(&name) {
            writer.raw_copy_file(archive.by_index_raw(at)?)?;
            continue;
        }
        // First without writing: most parts hold no secret, and are copied as they are packed.
        if clean(&mut BufReader::new(archive.by_index(at)?), &mut io::sink(), redactor)? == 0 {
            writer.raw_copy_file(archive.by_index_raw(at)?)?;
            continue;
        }
        writer.start_file(name, SimpleFileOptions::default())?;
        count += clean(&mut BufReader::new(archive.by_index(at)?), &mut writer, redactor)?;
    }
    writer.finish()?.flush()?;
    replace(path, new, count)
}

/// The cleaned file takes the place of the other, where there was something to be cleaned.
fn replace(path: &Utf8Path, new: tempfile::NamedTempFile, count: u64) -> io::Result<u64> {
    if count > 0 {
        std::fs::set_permissions(new.path(), std::fs::metadata(path)?.permissions())?;
        new.persist(path).map_err(|error| error.error)?;
    }
    Ok(count)
}

/// Whether it begins as the pictures and films do that Playwright makes: attachments are called by their hash alone.
fn is_picture(mut part: impl io::Read) -> bool {
    const BEGINNINGS: [&[u8]; 5] = [b"\x89PNG", b"\xff\xd8\xff", b"RIFF", b"GIF8", b"\x1a\x45\xdf\xa3"];
    let mut first = [0; 4];
    part.read_exact(&mut first).is_ok() && BEGINNINGS.iter().any(|beginning| first.starts_with(beginning))
}

/// Attachments of a trace are called by their hash alone.
fn is_text(name: &str) -> bool {
    let end = end_of(name);
    end.is_empty() || TEXTS.contains(&end)
}

fn end_of(name: &str) -> &str {
    let file = name.rsplit('/').next().unwrap_or_default();
    file.rsplit_once('.').map_or("", |(_, end)| end)
}

/// Copies lines without their secrets, and returns how many there were.
fn clean(from: &mut impl BufRead, to: &mut impl Write, redactor: &Redactor) -> io::Result<u64> {
    let mut count = 0;
    let mut line = Vec::new();
    loop {
        line.clear();
        if from.read_until(b'\n', &mut line)? == 0 {
            to.flush()?;
            return Ok(count);
        }
        // What is no text after all is asked for known values only.
        let cleaned = match std::str::from_utf8(&line) {
            Ok(text) => clean_line(text, redactor),
            Err(_) => redactor.redact_values(&String::from_utf8_lossy(&line)),
        };
        count += cleaned.count as u64;
        to.write_all(if cleaned.count > 0 { cleaned.text.as_bytes() } else { &line })?;
    }
}

fn next_line(lines: &mut impl BufRead, line: &mut Vec<u8>) -> bool {
    line.clear();
    lines.read_until(b'\n', line).is_ok_and(|length| length > 0)
}

/// One line of a file: a whole JSON value, a field of a pretty JSON document, or text.
fn clean_line(line: &str, redactor: &Redactor) -> Redacted {
    if line.len() > LINE {
        return redactor.redact_values(line);
    }
    let body = line.trim();
    let (body, comma) = body.strip_suffix(',').map_or((body, ""), |body| (body, ","));
    let cleaned = match body.as_bytes().first() {
        Some(b'{' | b'[') => json(body, redactor, ToString::to_string),
        Some(b'"') => {
            json(&format!("{{{body}}}"), redactor, inner).or_else(|| json(body, redactor, ToString::to_string))
        }
        _ => None,
    };
    let Some((text, count)) = cleaned else { return redactor.redact(line) };
    let start = line.len() - line.trim_start().len();
    let end = line.trim_end().len();
    let around = (line.get(..start).unwrap_or_default(), line.get(end..).unwrap_or_default());
    Redacted { text: format!("{}{text}{comma}{}", around.0, around.1), count }
}

/// The one field of an object, without the braces.
fn inner(value: &Value) -> String {
    let text = value.to_string();
    text.get(1..text.len().saturating_sub(1)).unwrap_or_default().to_owned()
}

fn json(text: &str, redactor: &Redactor, print: impl Fn(&Value) -> String) -> Option<(String, usize)> {
    let mut value: Value = serde_json::from_slice(&without_halves(text.as_bytes())).ok()?;
    let count = redactor.redact_json(&mut value);
    Some((if count > 0 { print(&value) } else { String::new() }, count))
}

#[cfg(test)]
mod tests;
