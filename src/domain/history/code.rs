//! The strings of a piece of code or data, each with the key that it is the value of.

use std::sync::LazyLock;

use regex::Regex;

use super::held::{Held, Slot, plain_name};

/// A longer string is prose or data.
const LONGEST: usize = 200;

/// What the functions and filters are called that look a text up by its key.
static TRANSLATORS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?:^|[^\w])(?:t|\$t|\$tc|tc|te|tr|_|__|_t|\$_|i18n|trans|translate|gettext|ngettext|pgettext|localize|msg|message|instant|formatMessage|useTranslations|lang)\s*\(\s*(?:\{\s*id\s*:\s*)?$").ok()
});

/// A key with its sign before a value: `label: `, `"label": `, `SAVE = `, `SAVE => `.
static KEY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"(?:"([^"]{1,80})"|'([^']{1,80})'|([A-Za-z_$][\w$.-]{0,79}))\s*(?::|=>?|:=)\s*$"#).ok()
});

/// A line `key: value` or `key = value` whose value may be bare.
static BARE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"^\s*(?:-\s+)?["']?([\w$./ -]{1,80}?)["']?\s*[:=]\s*(\S.*?)\s*$"#).ok());

/// A line of code: what it looks like without its strings, and the strings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Strings {
    /// The line with its values blanked and its white space squashed.
    pub(super) skeleton: String,
    /// The strings in order; keys of an object are none.
    pub(super) held: Vec<Held>,
}

/// The strings of one line or expression.
pub(super) fn strings(code: &str) -> Strings {
    let mut skeleton = String::new();
    let mut held = Vec::new();
    let mut rest = code;
    while let Some(at) = rest.find(['"', '\'', '`', '/']) {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        skeleton.push_str(before);
        if from.starts_with("//") && !before.ends_with(':') {
            rest = "";
            break;
        }
        let Some((value, behind)) = string(from).filter(|_| !(from.starts_with('\'') && ends_in_word(before))) else {
            skeleton.extend(from.chars().take(1));
            rest = from.get(1..).unwrap_or_default();
            continue;
        };
        if is_key(&skeleton, behind) {
            skeleton.push('"');
            skeleton.push_str(&value);
            skeleton.push('"');
        } else {
            if !value.contains("${") && !value.contains("#{") && !value.contains("{{") && !value.is_empty() {
                held.push(place(&skeleton, value, behind));
            }
            skeleton.push_str("''");
        }
        rest = behind;
    }
    skeleton.push_str(rest);
    Strings { skeleton: skeleton.split_whitespace().collect::<Vec<_>>().join(" "), held }
}

/// The string that `text` begins with, and what stands behind it; `None` where it does not end.
fn string(text: &str) -> Option<(String, &str)> {
    let mut characters = text.char_indices();
    let (_, quote) = characters.next().filter(|(_, c)| matches!(c, '"' | '\'' | '`'))?;
    let mut value = String::new();
    let mut escaped = false;
    for (at, c) in characters {
        match c {
            _ if escaped => {
                value.push(if c == 'n' { ' ' } else { c });
                escaped = false;
            }
            '\\' => escaped = true,
            '\n' if quote != '`' => return None,
            c if c == quote => return text.get(at + c.len_utf8()..).map(|behind| (value, behind)),
            c => value.push(c),
        }
        if value.len() > LONGEST {
            return None;
        }
    }
    None
}

/// Whether an apostrophe behind `text` belongs to a word (`it's`); a single letter is a prefix (`u'text'`).
fn ends_in_word(text: &str) -> bool {
    let letters = text.chars().rev().take_while(|c| c.is_alphanumeric()).count();
    letters > 1 || (letters == 1 && !text.ends_with(['u', 'b', 'r', 'f']))
}

/// Whether a string is a key: a colon stands behind it, and no question before.
fn is_key(before: &str, behind: &str) -> bool {
    let behind = behind.trim_start();
    let sign = (behind.starts_with(':') && !behind.starts_with("::")) || behind.starts_with("=>");
    let head = before.trim_end();
    sign && !head.ends_with(['?', '=', ':']) && !head.ends_with("case")
}

fn place(before: &str, value: String, behind: &str) -> Held {
    let handed = TRANSLATORS.as_ref().is_some_and(|regex| regex.is_match(before));
    let piped = behind.trim_start().starts_with('|') && behind.contains("transl");
    let found = KEY.as_ref().and_then(|regex| regex.captures(before));
    let name = found.and_then(|found| (1..4).find_map(|at| found.get(at).map(|name| name.as_str().to_owned())));
    let slot = match name {
        // A comparison is no assignment.
        Some(_) if before.trim_end().ends_with("==") => Slot::Bare,
        Some(name) => Slot::Entry(plain_name(name.rsplit('.').next().unwrap_or(&name))),
        None => Slot::Bare,
    };
    Held { slot, value, key: handed || piped }
}

/// A line of a file of bare values; `None` where it has no value.
pub(super) fn bare(line: &str) -> Option<Strings> {
    if line.trim_start().starts_with(['#', '!', ';', '[']) {
        return None;
    }
    let found = BARE.as_ref()?.captures(line)?;
    let (key, value) = (found.get(1)?.as_str().trim(), found.get(2)?.as_str());
    let value = value.trim_end_matches(',').trim_matches(['"', '\'']);
    let name = key.rsplit('.').next().unwrap_or(key).to_lowercase();
    let taken = value.is_empty() || value.starts_with(['{', '[', '|', '>', '&', '*']);
    (!taken).then(|| Strings { skeleton: format!("{key}:"), held: vec![Held::new(Slot::Entry(name), value)] })
}

/// An element by indentation: name, ids and classes, attributes, text.
static INDENTED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^\s*%?([A-Za-z][\w-]*)?((?:[#.][\w-]+)*)(\(.*?\)|\{.*?\})?(?:=\s*(.+)|\s+(\S.*))?\s*$").ok()
});

/// A line of Pug, Haml or Slim: the element's name and what it holds.
pub(super) fn indented(line: &str) -> Option<Strings> {
    let found = INDENTED.as_ref()?.captures(line)?;
    let part = |at: usize| found.get(at).map_or("", |part| part.as_str());
    let (name, marks) = (part(1), part(2));
    if name.is_empty() && marks.is_empty() {
        return None;
    }
    let attribute = |name: &str, value: &str| Held::new(Slot::Attribute(name.to_owned()), value);
    let mut held: Vec<Held> = Vec::new();
    let mut marks_left = marks;
    while let Some(mark) = marks_left.chars().next() {
        let rest = marks_left.get(1..).unwrap_or_default();
        let end = rest.find(['#', '.']).unwrap_or(rest.len());
        let (value, behind) = rest.split_at_checked(end).unwrap_or((rest, ""));
        held.push(attribute(if mark == '#' { "id" } else { "class" }, value));
        marks_left = behind;
    }
    held.extend(strings(part(3)).held.into_iter().map(|held| match held.slot {
        Slot::Entry(name) => Held { slot: Slot::Attribute(name), ..held },
        _ => held,
    }));
    held.extend(strings(part(4)).held.into_iter().map(|held| Held { slot: Slot::Text, ..held }));
    if !part(5).is_empty() {
        held.push(Held::new(Slot::Text, part(5)));
    }
    Some(Strings { skeleton: if name.is_empty() { "div".to_owned() } else { name.to_owned() }, held })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(code: &str) -> Vec<String> {
        strings(code)
            .held
            .iter()
            .map(|held| format!("{:?}={}{}", held.slot, held.value, if held.key { "!" } else { "" }))
            .collect()
    }

    #[test]
    fn strings_come_with_their_keys() {
        for (code, expected) in [
            (r#"  "save": "Save changes","#, vec![r#"Entry("save")=Save changes"#]),
            ("export const SAVE_ID = 'save-btn';", vec![r#"Entry("save_id")=save-btn"#]),
            ("{ id: 'save', label: `Save` }", vec![r#"Entry("id")=save"#, r#"Entry("label")=Save"#]),
            ("t('form.save')", vec!["Bare=form.save!"]),
            ("'form.save' | translate", vec!["Bare=form.save!"]),
            ("busy ? 'Saving' : 'Save'", vec!["Bare=Saving", "Bare=Save"]),
            ("it's not one // 'no'", vec![]),
            ("x === 'save'", vec!["Bare=save"]),
            ("`row-${id}`", vec![]),
            ("get(\"https://x.test/a\")", vec!["Bare=https://x.test/a"]),
            (r#"f.submit "Save", data: { testid: "save" }"#, vec!["Bare=Save", r#"Entry("testid")=save"#]),
        ] {
            assert_eq!(seen(code), expected, "{code}");
        }
    }

    #[test]
    fn lines_of_bare_values_are_read_without_quotes() {
        for (line, expected) in [
            ("  save: Save changes", Some(("save", "Save changes"))),
            ("form.save=Save", Some(("save", "Save"))),
            ("  save: \"Save\"", Some(("save", "Save"))),
            ("# save: x", None),
            ("  form:", None),
            ("  text: >", None),
        ] {
            let found = bare(line).map(|found| (found.held[0].slot.clone(), found.held[0].value.clone()));
            let expected = expected.map(|(key, value)| (Slot::Entry(key.to_owned()), value.to_owned()));
            assert_eq!(found, expected, "{line}");
        }
    }
}
