//! Takes off what a CI system or a tool puts in front of every line.
//!
//! A prefix goes only when every line of the text carries it, so that no word of a failure is lost.

use super::site::{self, SourceSite};

/// How many prefixes may stand before each other, such as a time stamp and a job name.
const MAX_LAYERS: usize = 4;

/// Takes off the prefixes that all lines share.
pub(super) fn strip(text: &str) -> Option<String> {
    let mut stripped: Option<String> = None;
    for _ in 0..MAX_LAYERS {
        let Some(next) = strip_layer(stripped.as_deref().unwrap_or(text)) else { break };
        stripped = Some(next);
    }
    stripped
}

/// Takes off the mark that Azure puts in front of error lines only.
pub(super) fn markers(text: &str) -> Option<String> {
    text.contains("##[error]").then(|| text.replace("##[error]", ""))
}

fn strip_layer(text: &str) -> Option<String> {
    let first = text.lines().find(|line| !line.trim().is_empty())?;
    let shape = Shape::of(first.trim_start())?;
    let mut without = String::with_capacity(text.len());
    for line in text.lines() {
        if !line.trim().is_empty() {
            without.push_str(shape.strip(line.trim_start())?);
        }
        without.push('\n');
    }
    without.pop();
    Some(without)
}

/// What a prefix looks like.
#[derive(Debug, Clone, Copy)]
enum Shape<'t> {
    /// A date and time, or a time, bare or in brackets; differs from line to line.
    Time,
    /// A word that is the same on every line, such as `[playwright]`, `@shop/e2e:test:` or `web-1  |`.
    Word(&'t str),
    /// The border of a table.
    Border,
}

/// The first characters of a line border.
const BORDERS: [char; 3] = ['│', '┃', '║'];

impl<'t> Shape<'t> {
    fn of(line: &'t str) -> Option<Self> {
        match line.chars().next()? {
            '╭' | '┌' | '╔' | '│' | '┃' | '║' => return Some(Self::Border),
            '0'..='9' | '[' | '#' if time(line).is_some() => return Some(Self::Time),
            _ => {}
        }
        word(line).map(Self::Word)
    }

    /// The line without the prefix; `None` if it has none.
    fn strip(self, line: &'t str) -> Option<&'t str> {
        match self {
            Self::Time => time(line),
            Self::Word(word) => {
                let rest = line.strip_prefix(word)?;
                if rest.is_empty() { Some(rest) } else { rest.strip_prefix([' ', '\t']) }
            }
            Self::Border => match line.strip_prefix(BORDERS) {
                Some(inner) => {
                    let inner = inner.trim_end();
                    Some(inner.strip_suffix(BORDERS).unwrap_or(inner).trim_end())
                }
                None => line.starts_with(['╭', '╰', '├', '┌', '└', '╔', '╚']).then_some(""),
            },
        }
    }
}

/// What stands behind a time stamp, or behind a build step and its seconds, `#15 12.34 `.
fn time(line: &str) -> Option<&str> {
    if let Some((step, rest)) = line.strip_prefix('#').and_then(|rest| rest.split_once(' ')) {
        let seconds = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let counted = is_number(step) && seconds.len() < rest.len();
        return counted.then(|| seconds.strip_prefix(' ').unwrap_or(seconds));
    }
    let bracketed = line.strip_prefix('[');
    let stamp = bracketed.unwrap_or(line);
    let behind =
        stamp.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | ':' | '.' | ',' | 'T' | 'Z'));
    let stamp = stamp.get(..stamp.len() - behind.len())?;
    let behind = match (stamp.contains(':'), behind.strip_prefix(' ')) {
        // A date alone is followed by the time.
        (false, Some(rest)) if stamp.len() == 10 && stamp.contains('-') => {
            rest.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ':' | '.' | ',' | 'Z'))
        }
        (true, _) if stamp.len() >= 8 => behind,
        _ => return None,
    };
    let behind = match bracketed {
        Some(_) => behind.strip_prefix(']')?,
        None => behind,
    };
    if behind.is_empty() { Some(behind) } else { behind.strip_prefix([' ', '\t']) }
}

/// The longest first word that can be a prefix, in bytes.
const MAX_WORD: usize = 60;

/// A first word that looks like a prefix: in brackets, with a colon inside and at its end, or before a bar.
fn word(line: &str) -> Option<&str> {
    let end = line.find(' ').unwrap_or(line.len());
    // An annotation is read by `site`.
    if end > MAX_WORD || line.starts_with("::") {
        return None;
    }
    let (first, rest) = line.split_at_checked(end)?;
    let named = first.strip_suffix(':').unwrap_or(first);
    let bracketed = named.len() > 2 && named.starts_with('[') && named.ends_with(']');
    let task =
        first.strip_suffix(':').is_some_and(|task| task.contains([':', '/']) && !task.contains(['(', '"', '\'', '“']));
    if bracketed || task || first == "E" || first.starts_with("##[") && first.ends_with(']') {
        return Some(first);
    }
    let padding = rest.len() - rest.trim_start().len();
    let service = !first.is_empty() && padding > 0 && rest.trim_start().starts_with("| ") && !is_number(first);
    if service { line.get(..end + padding + 1) } else { None }
}

fn is_number(word: &str) -> bool {
    word == ">" || word.bytes().all(|b| b.is_ascii_digit())
}

/// The error lines of a pytest report, which stand behind `E`, and the line that says where it failed.
///
/// `None` when the text is no pytest report.
pub(super) fn pytest(text: &str) -> Option<(String, Option<SourceSite>)> {
    if !(text.starts_with("E  ") || text.contains("\nE  ")) {
        return None;
    }
    let mut errors = String::with_capacity(text.len());
    let mut place = None;
    let mut inside = false;
    for line in text.lines() {
        if let Some(error) = error_line(line) {
            if !inside && !errors.is_empty() {
                errors.push('\n');
            }
            inside = true;
            errors.push_str(error.strip_prefix("  ").unwrap_or(error));
            errors.push('\n');
        } else {
            inside = false;
            place = site::pytest(line).or(place);
        }
    }
    Some((errors, place))
}

fn error_line(line: &str) -> Option<&str> {
    let rest = line.strip_prefix('E')?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix("  ") }
}
