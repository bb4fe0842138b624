//! The import aliases of a project: `paths` and `baseUrl` of the nearest tsconfig or jsconfig, with what it extends.
//!
//! Reads through the caller; a configuration that cannot be read has no aliases.

use serde_json::Value;

use super::imports::{Aliases, join, parent};

/// How many configurations are followed through `extends`.
const MAX_EXTENDS: usize = 8;

/// The aliases that hold for a file: of the nearest configuration in its folder or above it. `read` gives the text of a
/// project-relative path, or `None`.
pub fn aliases_of(file: &str, read: &mut dyn FnMut(&str) -> Option<String>) -> Aliases {
    let mut folder = parent(file);
    loop {
        for name in ["tsconfig.json", "jsconfig.json"] {
            let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
            if let Some(text) = read(&path) {
                return of_config(path, text, read);
            }
        }
        if folder.is_empty() {
            return Aliases::default();
        }
        folder = parent(folder);
    }
}

/// The aliases of a configuration: its own, else those of what it extends, the last one first.
fn of_config(path: String, text: String, read: &mut dyn FnMut(&str) -> Option<String>) -> Aliases {
    let mut aliases = Aliases { folder: parent(&path).to_owned(), ..Aliases::default() };
    let mut has_paths = false;
    let mut queue = vec![(path, text)];
    let mut seen = 0;
    while let Some((path, text)) = queue.pop() {
        seen += 1;
        let Ok(config) = serde_json::from_str::<Value>(&plain(&text)) else { continue };
        let folder = parent(&path);
        let options = config.get("compilerOptions");
        if aliases.base_url.is_none() {
            let base = options.and_then(|options| options.get("baseUrl")).and_then(Value::as_str);
            aliases.base_url = base.and_then(|base| join(folder, base));
        }
        if let Some(paths) = options.and_then(|options| options.get("paths")).and_then(Value::as_object)
            && !has_paths
        {
            has_paths = true;
            aliases.paths = paths.iter().map(|(pattern, targets)| (pattern.clone(), strings(targets))).collect();
            folder.clone_into(&mut aliases.folder);
        }
        if seen >= MAX_EXTENDS {
            break;
        }
        for base in config.get("extends").map(strings).unwrap_or_default() {
            let Some(target) = join(folder, &base).filter(|_| base.starts_with('.')) else { continue };
            let candidates = [target.clone(), format!("{target}.json"), format!("{target}/tsconfig.json")];
            let found = candidates.into_iter().find_map(|path| read(&path).map(|text| (path, text)));
            queue.extend(found);
        }
    }
    aliases
}

/// A string, or the strings of an array.
fn strings(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

/// JSON as TypeScript allows it, made plain: comments, trailing commas and a byte order mark are left out.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.trim_start_matches('\u{feff}').chars().peekable();
    let mut comma = false;
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('/', Some('/')) => {
                chars.find(|c| *c == '\n');
                continue;
            }
            ('/', Some('*')) => {
                let mut last = ' ';
                chars.next();
                chars.find(|c| std::mem::replace(&mut last, *c) == '*' && *c == '/');
                continue;
            }
            (',', _) => {
                comma = true;
                continue;
            }
            _ => {}
        }
        if !c.is_whitespace() && std::mem::take(&mut comma) && !matches!(c, '}' | ']') {
            out.push(',');
        }
        out.push(c);
        if c == '"' {
            while let Some(inner) = chars.next() {
                out.push(inner);
                match inner {
                    '\\' => out.extend(chars.next()),
                    '"' => break,
                    _ => {}
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_configuration_counts_with_what_it_extends() {
        let files = [
            ("tsconfig.base.json", "{ \"compilerOptions\": { \"paths\": { \"@/*\": [\"src/*\", \"lib/*\"] } } }"),
            (
                "e2e/tsconfig.json",
                "\u{feff}// tests\n{ \"extends\": \"../tsconfig.base\", /* own */ \"compilerOptions\": { \"baseUrl\": \"./x//y\", }, }",
            ),
            ("tsconfig.json", "{"),
        ];
        let mut read = |path: &str| files.iter().find(|(known, _)| *known == path).map(|(_, text)| (*text).to_owned());
        let aliases = aliases_of("e2e/tests/a.spec.ts", &mut read);
        assert_eq!(aliases.paths, [("@/*".to_owned(), vec!["src/*".to_owned(), "lib/*".to_owned()])]);
        assert_eq!(aliases.base_url.as_deref(), Some("e2e/x/y"));
        assert_eq!(aliases.folder, "");
        assert_eq!(aliases_of("tests/a.spec.ts", &mut read).paths, []);
        assert_eq!(aliases_of("a.spec.ts", &mut |_| None).folder, "");
    }
}
