//! Undoes escapes: colour codes, JSON strings, HTML entities, percent signs of annotations, carriage returns.
//!
//! Each function answers `None` when there is nothing to undo, so that an ordinary text is not copied.

/// Line feeds instead of carriage returns.
pub(super) fn carriage_returns(text: &str) -> Option<String> {
    text.contains('\r').then(|| text.replace("\r\n", "\n").replace('\r', "\n"))
}

/// The text without terminal escape sequences, also without those that lost their escape character on the way.
pub(super) fn colours(text: &str) -> Option<String> {
    if text.contains(['\u{1b}', '\u{9b}', '\u{241b}']) {
        return Some(without_sequences(text));
    }
    (text.contains("[39m") || text.contains("[22m") || text.contains("[27m")).then(|| without_bare_codes(text))
}

fn without_sequences(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let introducer = match c {
            '\u{1b}' | '\u{241b}' => chars.next(),
            '\u{9b}' => Some('['),
            c => {
                plain.push(c);
                continue;
            }
        };
        match introducer {
            Some('[') => while chars.next_if(|c| matches!(c, '0'..='?' | ' '..='/')).is_some() {},
            Some(']') => {
                while chars.next_if(|c| !matches!(c, '\u{7}' | '\u{1b}' | '\n')).is_some() {}
                if chars.peek() == Some(&'\u{1b}') {
                    chars.next();
                }
            }
            _ => continue,
        }
        // The final byte; a line feed is never one, so a torn sequence does not join two lines.
        chars.next_if(|c| *c != '\n' && *c != '\u{1b}');
    }
    plain
}

fn without_bare_codes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        plain.push_str(before);
        let code = after.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        let digits = after.len() - code.len();
        rest = match code.strip_prefix('m') {
            Some(behind) if (1..=8).contains(&digits) => behind,
            _ => {
                plain.push('[');
                after
            }
        };
    }
    plain.push_str(rest);
    plain
}

/// Signs that a line break of a Playwright text was written as `\n`.
const JSON_BREAKS: [&str; 4] = ["\\nCall log:", "\\n======", "\\n\\n", "\\n  - "];

/// The text with the escapes of a JSON string undone, if it is one line that holds such line breaks.
pub(super) fn json(text: &str) -> Option<String> {
    let line = text.trim();
    let quoted = line.len() > 1 && line.starts_with('"') && line.ends_with('"');
    let broken = quoted || JSON_BREAKS.iter().any(|sign| line.contains(sign));
    if !line.contains('\\') || line.contains('\n') || !broken {
        return None;
    }
    let line = line.strip_prefix('"').map_or(line, |inner| inner.strip_suffix('"').unwrap_or(inner));
    let mut plain = String::with_capacity(line.len());
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            plain.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => plain.push('\n'),
            Some('t') => plain.push('\t'),
            Some('r') | None => {}
            Some('u') => {
                let code: String = chars.by_ref().take(4).collect();
                plain.push(u32::from_str_radix(&code, 16).ok().and_then(char::from_u32).unwrap_or('\u{fffd}'));
            }
            Some(c) => plain.push(c),
        }
    }
    Some(plain)
}

/// Elements that reports and JUnit files put around a failure text.
const WRAPPERS: [&str; 8] = ["pre", "code", "failure", "error", "testcase", "testsuite", "testsuites", "system-out"];

/// The text with HTML or XML escapes undone, if the whole text is escaped: then it holds no bare angle bracket.
pub(super) fn html(text: &str) -> Option<String> {
    let inner = without_wrappers(text);
    let escaped = inner.contains('&') && !inner.contains(['<', '>']) && ENTITIES.iter().any(|(e, _)| inner.contains(e));
    if escaped {
        return Some(unescaped(inner));
    }
    (inner.len() != text.len()).then(|| inner.to_owned())
}

const ENTITIES: [(&str, &str); 13] = [
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&quot;", "\""),
    ("&apos;", "'"),
    ("&#39;", "'"),
    ("&#x27;", "'"),
    ("&#34;", "\""),
    ("&#x22;", "\""),
    ("&#10;", "\n"),
    ("&#xA;", "\n"),
    ("&#x1B;", "\u{1b}"),
    ("&nbsp;", " "),
    ("&amp;", "&"),
];

fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        let (before, from) = rest.split_at(at);
        plain.push_str(before);
        let entity = ENTITIES.iter().find_map(|(entity, c)| from.strip_prefix(entity).map(|behind| (behind, *c)));
        let (behind, c) = entity.unwrap_or_else(|| (from.strip_prefix('&').unwrap_or_default(), "&"));
        plain.push_str(c);
        rest = behind;
    }
    plain.push_str(rest);
    plain
}

/// What stands between known tags at both ends.
fn without_wrappers(text: &str) -> &str {
    let mut inner = text;
    loop {
        let trimmed = inner.trim();
        let after_open = trimmed
            .strip_prefix("<![CDATA[")
            .or_else(|| trimmed.strip_prefix('<').and_then(opened).map(|(_, behind)| behind));
        let before_close = after_open.map_or(trimmed, str::trim_start);
        let before_close = before_close.trim_end();
        let closed = before_close
            .strip_suffix("]]>")
            .or_else(|| WRAPPERS.iter().find_map(|tag| closing(before_close, tag)))
            .unwrap_or(before_close);
        if after_open.is_none() && closed.len() == trimmed.len() {
            return inner;
        }
        inner = closed;
    }
}

/// Splits `pre class="x">behind` into the tag's name and what stands behind it.
fn opened(tag: &str) -> Option<(&str, &str)> {
    let name = WRAPPERS
        .iter()
        .find(|name| tag.strip_prefix(**name).is_some_and(|rest| rest.starts_with(['>', ' ', '\t', '\n'])))?;
    let (_, behind) = tag.split_once('>')?;
    Some((name, behind))
}

fn closing<'t>(text: &'t str, tag: &str) -> Option<&'t str> {
    text.strip_suffix('>')?.strip_suffix(tag)?.strip_suffix("</")
}

/// The text of a GitHub annotation with `%0A`, `%0D` and `%25` undone.
pub(super) fn percent(text: &str) -> String {
    text.replace("%0D", "").replace("%0A", "\n").replace("%25", "%")
}
