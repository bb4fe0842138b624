//! Playwright's selector language: parts split at `>>`, each with its engine.
//!
//! Written after the grammar in microsoft/playwright (selectorParser.ts): a quote opens a quoted run unless it stands in
//! the middle of a `text=` body; a part names its engine by `name=`, or is a quoted text, an `XPath` (`//`, `(//`, `..`), or CSS.

use super::facts::{Facts, Sought, Step};
use super::{attributes, css, xpath};

/// How deep selectors may nest inside of `internal:has="…"` and its kin.
const MAX_DEPTH: usize = 4;

/// Adds what a selector says to `facts`, as steps of the method that takes it.
pub(super) fn read(facts: &mut Facts, method: &'static str, text: &str) {
    facts.strings.push(text.to_owned());
    read_at(facts, method, text, 0);
}

/// Nesting is bounded by [`MAX_DEPTH`].
fn read_at(facts: &mut Facts, method: &'static str, text: &str, depth: usize) {
    let mut captured = None;
    for part in parts(text) {
        let (engine, body) = engine_of(part);
        let (engine, capture) = engine.strip_prefix('*').map_or((engine, false), |engine| (engine, true));
        if let Some(inner) = nested(engine, body) {
            facts.word(engine, true);
            facts.alternatives += usize::from(engine == "internal:or");
            if depth == MAX_DEPTH {
                facts.everything.push("nested too deep".to_owned());
                return;
            }
            let selective = facts.nested(|facts| read_at(facts, method, &inner, depth + 1));
            if engine == "internal:or" {
                facts.branch();
            } else if selective && engine != "internal:has-not" {
                facts.narrow();
            }
            continue;
        }
        one_part(facts, method, engine, body);
        if capture {
            captured = facts.steps.len().checked_sub(1);
        }
    }
    // `*css=a >> b` means the `a` around a `b`: the last step is the captured one, narrowed by what follows.
    if let Some(at) = captured
        && at + 1 < facts.steps.len()
    {
        let mut step = facts.steps.remove(at);
        step.selective |= facts.steps.get(at..).unwrap_or_default().iter().any(|step| step.selective);
        facts.steps.push(step);
    }
}

fn one_part(facts: &mut Facts, method: &'static str, engine: &str, body: &str) {
    match engine {
        "css" | "css:light" => css::read(facts, method, body),
        "xpath" => xpath::read(facts, method, body),
        "nth" => {
            let index = format!("nth {}", body.trim());
            facts.word(index.clone(), false);
            facts.positions.push(index);
        }
        "visible" => facts.word(format!("visible {}", body.trim()), false),
        "text" | "text:light" | "internal:text" | "internal:label" => {
            let sought = quoted(body, engine.starts_with("internal"));
            let name = if engine == "internal:label" { "getByLabel" } else { "text engine" };
            step(facts, name, format!("{name} {}", sought.words()), sought, None);
        }
        "internal:has-text" | "has-text" => {
            let sought = quoted(body, true);
            facts.word(format!("hasText {}", sought.words()), true);
            if facts.sought("hasText", &sought) {
                facts.narrow();
            }
            facts.filters.push(("hasText".to_owned(), sought));
        }
        "internal:has-not-text" => facts.word(format!("hasNotText {body}"), true),
        "role" | "internal:role" => role(facts, body),
        "internal:attr" | "internal:testid" => {
            let attribute = attributes::read(body);
            let sought = attribute.values.first().map_or(Sought::None, |(_, sought)| sought.clone());
            step(facts, "attribute engine", format!("attribute {body}"), sought, None);
        }
        "internal:control" | "internal:describe" => {}
        // `id=`, `data-testid=` and engines of the project: one exact value.
        other => {
            let sought = Sought::Text(body.trim().trim_matches(['"', '\'']).to_owned(), true);
            step(facts, "engine", format!("{other} {}", sought.words()), sought, None);
        }
    }
}

fn step(facts: &mut Facts, method: &'static str, words: String, sought: Sought, role: Option<String>) {
    let selective = facts.sought(method, &sought) && sought.tells();
    facts.word(words.clone(), false);
    facts.steps.push(Step { method, words, selective, role, sought, last: false });
}

fn role(facts: &mut Facts, body: &str) {
    let attributes = attributes::read(body);
    let mut sought = Sought::None;
    facts.word(format!("role {}", attributes.name), false);
    for (key, value) in &attributes.values {
        let word = format!("{key} {}", value.words());
        match key.as_str() {
            "name" => sought = value.clone(),
            "checked" | "disabled" | "expanded" | "pressed" | "selected" => {
                facts.states.push(word.replace(['=', '"'], ""));
            }
            "include-hidden" => facts.states.push(format!("includeHidden {}", value.words()).replace(['=', '"'], "")),
            _ => {}
        }
        facts.word(word, false);
    }
    let selective = facts.sought("name", &sought) && sought.tells();
    facts.steps.push(Step {
        method: "role engine",
        words: format!("role {} {}", attributes.name, sought.words()),
        selective,
        role: Some(attributes.name),
        sought,
        last: false,
    });
}

/// The body of a text engine: quoted means exact, `/x/i` a regular expression.
pub(super) fn quoted(body: &str, suffixed: bool) -> Sought {
    let body = body.trim();
    if let Some((pattern, flags)) = body.strip_prefix('/').and_then(|rest| rest.rsplit_once('/'))
        && flags.bytes().all(|byte| byte.is_ascii_lowercase())
    {
        return Sought::Regex(pattern.to_owned(), flags.to_owned());
    }
    let (body, insensitive) = match body.strip_suffix(['i', 's']) {
        Some(head) if suffixed && head.ends_with('"') => (head, body.ends_with('i')),
        _ => (body, false),
    };
    for quote in ['"', '\''] {
        if body.len() > 1
            && let Some(inner) = body.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote))
        {
            return Sought::Text(unescaped(inner), !insensitive);
        }
    }
    Sought::Text(body.to_owned(), false)
}

fn unescaped(text: &str) -> String {
    let mut value = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        value.push(if character == '\\' { rest.next().unwrap_or('\\') } else { character });
    }
    value
}

/// The selector inside of `internal:has="…"` and its kin.
fn nested(engine: &str, body: &str) -> Option<String> {
    let takes = matches!(
        engine,
        "internal:has"
            | "internal:has-not"
            | "internal:and"
            | "internal:or"
            | "internal:chain"
            | "left-of"
            | "right-of"
            | "above"
            | "below"
            | "near"
    );
    if !takes {
        return None;
    }
    let parsed: Vec<serde_json::Value> = serde_json::from_str(&format!("[{body}]")).unwrap_or_default();
    Some(parsed.first().and_then(serde_json::Value::as_str).unwrap_or("*").to_owned())
}

/// The parts of a selector, trimmed.
fn parts(selector: &str) -> Vec<&str> {
    if !selector.contains(">>") {
        return vec![selector.trim()];
    }
    let mut found = Vec::new();
    let (mut start, mut quote) = (0, None);
    let mut in_text = TextBody::default();
    let mut rest = selector.char_indices().peekable();
    while let Some((at, character)) = rest.next() {
        match (character, quote) {
            ('\\', _) => {
                in_text.see('\\');
                if let Some((_, next)) = rest.next() {
                    in_text.see(next);
                }
            }
            (closing, Some(open)) if closing == open => {
                quote = None;
                in_text.see(closing);
            }
            ('"' | '\'' | '`', None) => {
                if !in_text.begun() {
                    quote = Some(character);
                }
                in_text.see(character);
            }
            ('>', None) if rest.next_if(|(_, next)| *next == '>').is_some() => {
                found.push(selector.get(start..at).unwrap_or_default().trim());
                start = at + 2;
                in_text = TextBody::default();
            }
            (character, _) => in_text.see(character),
        }
    }
    found.push(selector.get(start..).unwrap_or_default().trim());
    found
}

/// Whether a part so far is `text=` with something after it: a quote in there is a letter like any other.
#[derive(Debug, Default)]
struct TextBody {
    head: String,
    begun: bool,
}

impl TextBody {
    fn see(&mut self, character: char) {
        if self.head == "text=" {
            self.begun = true;
        } else if !character.is_whitespace() && self.head.len() < 6 {
            self.head.push(character);
        }
    }

    fn begun(&self) -> bool {
        self.begun
    }
}

/// The engine of a part and its body.
fn engine_of(part: &str) -> (&str, &str) {
    if let Some((name, body)) = part.split_once('=')
        && !name.trim().is_empty()
        && name.trim().chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '+' | ':' | '*'))
    {
        return (name.trim(), body);
    }
    let quoted = |quote: char| part.len() > 1 && part.starts_with(quote) && part.ends_with(quote);
    if quoted('"') || quoted('\'') {
        return ("text", part);
    }
    if part.trim_start_matches('(').starts_with("//") || part.starts_with("..") {
        return ("xpath", part);
    }
    ("css", part)
}

#[cfg(test)]
mod tests {
    use super::{engine_of, parts};

    #[test]
    fn parts_split_as_playwright_splits_them() {
        for (selector, expected) in [
            ("#a", vec!["#a"]),
            ("#a >> text=b", vec!["#a", "text=b"]),
            ("[title=\"a >> b\"] >> c", vec!["[title=\"a >> b\"]", "c"]),
            ("text=it's >> b", vec!["text=it's", "b"]),
            ("text=\"a >> b\"", vec!["text=\"a >> b\""]),
            ("a\\>> >> b", vec!["a\\>>", "b"]),
        ] {
            assert_eq!(parts(selector), expected, "{selector}");
        }
    }

    #[test]
    fn engines_are_told_as_playwright_tells_them() {
        for (part, engine) in [
            ("#a", "css"),
            ("css=#a", "css"),
            ("a[b=c]", "css"),
            ("*css=a", "*css"),
            ("'a'", "text"),
            ("//a", "xpath"),
            ("((//a))[1]", "xpath"),
            ("..", "xpath"),
            ("data-testid=x", "data-testid"),
            ("internal:role=button", "internal:role"),
        ] {
            assert_eq!(engine_of(part).0, engine, "{part}");
        }
    }
}
