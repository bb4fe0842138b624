//! `read_file`: lines of a source of the project, and of nothing else.

use camino::{Utf8Component, Utf8Path};

use super::Desk;

/// Longest file that is read, in bytes.
const FILE_CAP: u64 = 1 << 20;
/// How many lines are given at once.
const LINES: u32 = 200;

/// What may be read: source of tests and of the application, which both lie in the repository for everybody to see.
/// Data, settings, logs and texts for people may hold what is nobody's business.
const KINDS: [&str; 13] =
    ["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "vue", "svelte", "astro", "html", "css"];

/// Folders of other people's code, of results, and of secrets.
const FOREIGN: [&str; 9] = [
    "node_modules",
    "test-results",
    "playwright-report",
    "blob-report",
    "coverage",
    "dist",
    "build",
    "secrets",
    "auth",
];

/// Names, up to the first dot, of files that hold secrets in code.
const SECRETS: [&str; 8] = ["secret", "secrets", "credential", "credentials", "password", "passwords", "env", "keys"];

impl Desk<'_> {
    /// Lines `from` to `to` of a file with their numbers, or why not.
    pub fn read_file(&mut self, path: &str, from: u32, to: Option<u32>) -> Result<String, String> {
        let text = self.text_of(path)?;
        let redacted = self.view.redactor.redact(&text);
        self.redactions += redacted.count;
        let lines: Vec<&str> = redacted.text.lines().collect();
        let count = u32::try_from(lines.len()).unwrap_or(u32::MAX);
        let from = from.max(1);
        if from > count {
            return Err(format!("The file has {count} lines."));
        }
        let to = to.unwrap_or(u32::MAX).min(from.saturating_add(LINES - 1)).min(count);
        if to < from {
            return Err("`to` is before `from`.".to_owned());
        }
        let numbered = lines.iter().zip(1_u32..).filter(|(_, number)| (from..=to).contains(number));
        let shown: Vec<String> = numbered.map(|(line, number)| format!("{number}| {line}")).collect();
        let head = format!("Lines {from} to {to} of {count}:\n");
        Ok(super::cut(format!("{head}{}", shown.join("\n")), super::ANSWER_CAP))
    }

    /// The text of a file that may be read. The name is checked as it was asked for and as it is behind symlinks.
    fn text_of(&self, path: &str) -> Result<String, String> {
        allowed(Utf8Path::new(path), self.is_known(path))?;
        let absent = || "There is no such file in the project.".to_owned();
        let resolved = self.view.root.join(path).canonicalize_utf8().map_err(|_| absent())?;
        let relative =
            resolved.strip_prefix(self.view.root).map_err(|_| "That is outside of the project.".to_owned())?;
        allowed(relative, self.is_known(relative.as_str()))?;
        let meta = std::fs::metadata(&resolved).map_err(|_| absent())?;
        if !meta.is_file() {
            return Err(absent());
        }
        if meta.len() > FILE_CAP {
            return Err("The file is too large to be read.".to_owned());
        }
        std::fs::read_to_string(&resolved).map_err(|_| "The file holds no text.".to_owned())
    }

    /// Whether the file was read to find the locator: then its name says nothing more.
    fn is_known(&self, path: &str) -> bool {
        self.view.project.file(path).is_some()
    }
}

fn allowed(path: &Utf8Path, known: bool) -> Result<(), String> {
    let mut parts = 0;
    for part in path.components() {
        let Utf8Component::Normal(name) = part else {
            return Err("A path goes from the project's root, without `..`.".to_owned());
        };
        let lower = name.to_ascii_lowercase();
        if name.starts_with('.') || name.chars().any(char::is_control) {
            return Err("Hidden files are not read.".to_owned());
        }
        if FOREIGN.contains(&lower.as_str()) && !known {
            return Err(format!("Files in `{name}` are not read."));
        }
        parts += 1;
    }
    let name = path.file_name().unwrap_or_default().to_ascii_lowercase();
    let stem = name.split('.').next().unwrap_or_default();
    if parts == 0 || !path.extension().is_some_and(|kind| KINDS.contains(&kind)) {
        return Err(format!("Only source files are read ({}).", KINDS.join(", ")));
    }
    if SECRETS.contains(&stem) && !known {
        return Err("Files that are named for secrets are not read.".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sources_inside_the_project_may_be_named() {
        for path in ["tests/a.spec.ts", "src/App.vue", "password-reset.spec.ts", "src/token.ts"] {
            assert_eq!(allowed(Utf8Path::new(path), false), Ok(()), "{path}");
        }
        for path in [
            "",
            ".",
            "..",
            "/etc/passwd",
            "../a.ts",
            "tests/../../a.ts",
            ".env",
            ".env.ts",
            ".git/config",
            ".auth/user.js",
            "node_modules/a/index.js",
            "package.json",
            "package-lock.json",
            "storage.json",
            "key.pem",
            "id_rsa",
            "a.ts/..",
            "src/secrets.ts",
            "credentials.spec.ts",
            "Secrets/a.ts",
            "auth/state.js",
            "a\u{0}.ts",
            "run.sh",
            "data.csv",
        ] {
            assert!(allowed(Utf8Path::new(path), false).is_err(), "{path}");
        }
    }
}
