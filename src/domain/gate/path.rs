//! Rule A1: which files may be edited. Only the text of the path counts here; symlinks are the workspace's business.

use super::violation::{Prohibition, Violation};

const EXTENSIONS: [&str; 8] = ["ts", "tsx", "js", "jsx", "mts", "cts", "mjs", "cjs"];

/// The path with `/` between its segments and without `.` and `..`, if it may be edited.
pub(super) fn allowed(path: &str) -> Result<String, Violation> {
    let refuse = |why: &str| Err(Violation::new(Prohibition::Path, why));
    let path = path.replace('\\', "/");
    if path.starts_with('/') || matches!(path.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic()) {
        return refuse("not relative to the project");
    }
    if path.chars().any(char::is_control) {
        return refuse("a control character in the path");
    }
    let mut segments: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                if segments.pop().is_none() {
                    return refuse("outside of the project");
                }
            }
            segment => segments.push(segment),
        }
    }
    if segments.iter().any(|segment| is_generated(segment)) {
        return refuse("a folder of generated or foreign files");
    }
    let Some(name) = segments.last() else { return refuse("no file") };
    let parts: Vec<String> = name.split('.').map(folded).collect();
    let extension = match name.rsplit_once('.') {
        Some(("", _)) | None => "",
        Some((_, extension)) => extension,
    };
    if !EXTENSIONS.contains(&extension) {
        return refuse("not a test source");
    }
    let [_, middle @ .., _] = parts.as_slice() else { return refuse("not a test source") };
    if middle.last().is_some_and(|part| part == "d") {
        return refuse("a declaration file");
    }
    if middle.iter().any(|part| part == "config") {
        return refuse("a configuration file");
    }
    Ok(segments.join("/"))
}

fn is_generated(segment: &str) -> bool {
    let folded = folded(segment);
    // Some file systems drop dots and blanks at the end of a name.
    let name = folded.trim_end_matches(['.', ' ']);
    name == "node_modules" || name == "__snapshots__" || name.ends_with("-snapshots")
}

/// Upper case first: it joins letters that lower case alone keeps apart (ſ and s).
fn folded(text: &str) -> String {
    text.to_uppercase().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::allowed;

    #[test]
    fn test_sources_inside_the_project_are_allowed() {
        for (path, normal) in [
            ("tests/a.spec.ts", "tests/a.spec.ts"),
            (".\\tests\\a.spec.tsx", "tests/a.spec.tsx"),
            ("tests/../e2e//./b.test.mjs", "e2e/b.test.mjs"),
            ("config.ts", "config.ts"),
            ("src/node_modules_like/x.cts", "src/node_modules_like/x.cts"),
            ("snapshots/x.js", "snapshots/x.js"),
            ("config/d.ts", "config/d.ts"),
            ("a..b/c.jsx", "a..b/c.jsx"),
        ] {
            assert_eq!(allowed(path).as_deref(), Ok(normal), "{path}");
        }
    }

    #[test]
    fn everything_else_is_not() {
        for path in [
            "",
            ".",
            "/etc/a.ts",
            "C:\\a.ts",
            "c:a.ts",
            "\\\\host\\a.ts",
            "../a.ts",
            "tests/../../a.ts",
            "tests/a.spec.ts/..",
            "tests/a.py",
            "tests/a.TS",
            "ts",
            ".ts",
            "a.d.ts",
            "a.d.mts",
            "playwright.config.ts",
            "playwright-ct.config.mts",
            "PLAYWRIGHT.Config.ts",
            "x/a.config.local.js",
            "x/Node_Modules/a.ts",
            "x/node_module\u{17f}/a.ts",
            "x/node_modules./a.ts",
            "x/__SNAPSHOTS__/a.ts",
            "x/a.spec.ts-Snapshots/a.ts",
            "x/a\n.ts",
        ] {
            assert!(allowed(path).is_err(), "{path}");
        }
    }
}
