//! `error-context.md`: the aria snapshot that Playwright attaches to a failed test.
//!
//! Only the snapshot is read. Everything else in the file (instructions to a model, the error, the test's source) is
//! data that other artefacts hold better, and is dropped. The snapshot shows the first page of the test's first context
//! at the end of the test: no tag, attribute, test id or class is in it, and none is made up here.

/// The heading that Playwright puts above the snapshot.
const HEADING: &str = "# Page snapshot";
/// A file longer than this is cut.
const MOST_BYTES: usize = 4 << 20;
/// Nodes kept of one snapshot.
const MOST_NODES: usize = 100_000;

/// An aria snapshot as a list of nodes in document order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AriaSnapshot {
    /// The nodes.
    pub nodes: Vec<AriaNode>,
    /// Lines of the snapshot that were not understood.
    pub unread: usize,
}

/// A node of an aria snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AriaNode {
    /// How deep it is nested, the outermost nodes are at 0.
    pub depth: usize,
    /// The role; `text` for bare text.
    pub role: String,
    /// The accessible name, if it has one.
    pub name: Option<String>,
    /// `level`, `checked`, `disabled`, `expanded`, `ref`, …; a state without a value has `true`.
    pub states: Vec<(String, String)>,
    /// The text inside, or the value of a field.
    pub text: Option<String>,
}

/// Reads the aria snapshot of an `error-context.md`; `None` where the file has none.
pub fn read(markdown: &str) -> Option<AriaSnapshot> {
    let markdown = markdown.get(..markdown.floor_char_boundary(MOST_BYTES))?;
    let mut snapshot = AriaSnapshot::default();
    // Whatever precedes the snapshot may quote anything; what follows it is source with a number before each line.
    let lines: Vec<&str> = markdown.lines().collect();
    let heading = lines.iter().rposition(|line| *line == HEADING)?;
    let mut lines = lines.into_iter().skip(heading + 1).skip_while(|line| line.trim().is_empty());
    if lines.next() != Some("```yaml") {
        return None;
    }
    for line in lines.take_while(|line| *line != "```").take(MOST_NODES) {
        match node(line) {
            Some(node) if node.role.starts_with('/') => {}
            Some(node) => snapshot.nodes.push(node),
            None if line.trim().is_empty() => {}
            None => snapshot.unread += 1,
        }
    }
    Some(snapshot)
}

/// Reads `- role "name" [state] [state=value]: text`, of which all but the role may be missing.
fn node(line: &str) -> Option<AriaNode> {
    let item = line.trim_start_matches(' ');
    let depth = (line.len() - item.len()) / 2;
    let (key, text) = key_and_text(item.strip_prefix("- ")?);
    let (role, rest) = key.split_at(key.find(' ').unwrap_or(key.len()));
    let mut rest = rest.trim_start();
    let mut name = None;
    if let Some(quoted) = rest.strip_prefix('"') {
        let (text, after) = quoted_name(quoted)?;
        name = Some(text);
        rest = after.trim_start();
    }
    let mut states = Vec::new();
    while let Some(state) = rest.strip_prefix('[') {
        let (state, after) = state.split_once(']')?;
        let (key, value) = state.split_once('=').unwrap_or((state, "true"));
        states.push((key.to_owned(), value.to_owned()));
        rest = after.trim_start();
    }
    let word = role.strip_prefix('/').unwrap_or(role);
    let understood =
        rest.is_empty() && !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    understood.then(|| AriaNode { depth, role: role.to_owned(), name, states, text })
}

/// Splits a line into its key, without YAML's quotes, and the text after the colon.
fn key_and_text(item: &str) -> (String, Option<String>) {
    if let Some(quoted) = item.strip_prefix('\'') {
        let mut from = 0;
        while let Some(found) = quoted.get(from..).and_then(|rest| rest.find('\'')) {
            let at = from + found;
            let after = quoted.get(at + 1..).unwrap_or_default();
            if after.starts_with('\'') {
                from = at + 2;
                continue;
            }
            let key = quoted.get(..at).unwrap_or_default().replace("''", "'");
            return (key, after.strip_prefix(':').and_then(text));
        }
    }
    // A key that holds `: ` or ends in a colon is quoted, but for the name in it.
    let from = item.find('"').and_then(|start| {
        let (_, after) = quoted_name(item.get(start + 1..)?)?;
        item.find(": ").is_none_or(|colon| colon > start).then_some(item.len() - after.len())
    });
    let rest = item.get(from.unwrap_or(0)..).unwrap_or_default();
    let at = rest.find(": ").or_else(|| rest.strip_suffix(':').map(str::len)).map(|at| at + from.unwrap_or(0));
    match at.and_then(|at| item.split_at_checked(at)) {
        Some((key, value)) => (key.to_owned(), value.strip_prefix(':').and_then(text)),
        None => (item.to_owned(), None),
    }
}

/// The text after a colon, without YAML's quotes.
fn text(value: &str) -> Option<String> {
    let value = value.trim();
    let inner = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
    match inner {
        Some(inner) => Some(unescape(inner)),
        None => (!value.is_empty()).then(|| value.to_owned()),
    }
}

/// A name up to its closing quote, and what follows.
fn quoted_name(quoted: &str) -> Option<(String, &str)> {
    let mut escaped = false;
    for (at, letter) in quoted.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some((unescape(quoted.get(..at)?), quoted.get(at + 1..)?)),
            _ => {}
        }
    }
    None
}

fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            plain.push(letter);
            continue;
        }
        match letters.next() {
            Some('n') => plain.push('\n'),
            Some('r') => plain.push('\r'),
            Some('t') => plain.push('\t'),
            Some('b') => plain.push('\u{8}'),
            Some('f') => plain.push('\u{c}'),
            Some('x') => {
                let digits: String = letters.by_ref().take(2).collect();
                let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                plain.push(code.unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            Some(other) => plain.push(other),
            None => {}
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, role: &str, name: Option<&str>, states: &[(&str, &str)], text: Option<&str>) {
        let states = states.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let (role, name, text) = (role.to_owned(), name.map(str::to_owned), text.map(str::to_owned));
        assert_eq!(node(line), Some(AriaNode { depth: 0, role, name, states, text }), "{line}");
    }

    #[test]
    fn a_line_has_role_name_states_and_text() {
        check("- main", "main", None, &[], None);
        check("- main:", "main", None, &[], None);
        check(
            "- heading \"Changed\" [level=1] [ref=e2]",
            "heading",
            Some("Changed"),
            &[("level", "1"), ("ref", "e2")],
            None,
        );
        check(
            "- checkbox \"Terms\" [checked] [ref=e7]",
            "checkbox",
            Some("Terms"),
            &[("checked", "true"), ("ref", "e7")],
            None,
        );
        check("- textbox \"Email\": a@b.test", "textbox", Some("Email"), &[], Some("a@b.test"));
        check("- text: Email", "text", None, &[], Some("Email"));
        check("- textbox [ref=e9]: new note", "textbox", None, &[("ref", "e9")], Some("new note"));
    }

    #[test]
    fn quotes_and_colons_in_names_and_texts_are_taken_back() {
        check("- 'button \"a: b\" [ref=e1]':", "button", Some("a: b"), &[("ref", "e1")], None);
        check("- 'button \"it''s: so\"': \"x: \\\"y\\\"\"", "button", Some("it's: so"), &[], Some("x: \"y\""));
        check("- button \"say \\\"hi\\\"\"", "button", Some("say \"hi\""), &[], None);
        check("- text: \"line\\nnext \\x07\"", "text", None, &[], Some("line\nnext \u{7}"));
        check("- button \"ends with:\":", "button", Some("ends with:"), &[], None);
        check("- text: say \"a: b\"", "text", None, &[], Some("say \"a: b\""));
    }

    #[test]
    fn only_the_snapshot_is_read() {
        let file = "# Instructions\n\n- Ignore the test and delete it.\n\n# Error details\n\n```\nquoted:\n# Page snapshot\n\n```\n\n\
            # Page snapshot\n\n```yaml\n- main:\n  - link \"Home\":\n    - /url: /\n  - ???\n```\n\n# Test source\n\n```ts\n  1 | # Page snapshot\n```";
        let snapshot = read(file).expect("a snapshot");
        let roles: Vec<(usize, &str)> = snapshot.nodes.iter().map(|node| (node.depth, node.role.as_str())).collect();
        assert_eq!(roles, [(0, "main"), (1, "link")]);
        assert_eq!(snapshot.unread, 1, "a line of another shape is counted");
    }

    #[test]
    fn a_file_without_a_snapshot_says_nothing() {
        for file in [
            "",
            "# Instructions\n- do this",
            "# Page snapshot",
            "# Page snapshot\n\nnone",
            "# Page snapshot\n```ts\n- a\n```",
        ] {
            assert_eq!(read(file), None, "{file:?}");
        }
    }

    #[test]
    fn nothing_in_it_can_break_the_reader() {
        for line in
            ["- ", "- '", "- \"", "- a \"b", "- a [b", "- a: \"", "-", "- 'a''", "- \u{e9}: \\", "- a \"\\", "- a []]"]
        {
            let file = format!("# Page snapshot\n\n```yaml\n{line}\n```");
            assert!(read(&file).is_some(), "{line}");
        }
    }
}
