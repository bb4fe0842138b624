//! The project's own sources: read, listed, parsed together and as the graph of their imports.
//!
//! Reads nothing outside the project's root and no package, and writes nothing.

use camino::{Utf8Path, Utf8PathBuf};

use crate::adapters::workspace::SCRATCH_TAG;
use crate::source::graph::Graph;
use crate::source::project::Project;
use crate::source::tsconfig::aliases_of;

/// Longest source file that is read, in bytes; a hand-written test is a hundredth of it.
const SOURCE_CAP: u64 = 1 << 20;

/// How many source files are looked through for users of a line.
const LISTED: usize = 5_000;

/// What a source file may be called.
const EXTENSIONS: [&str; 8] = ["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs"];

/// `path` relative to the root; `None` outside of it and for packages.
pub(super) fn inside(root: &Utf8Path, path: &Utf8Path) -> Option<String> {
    let relative = if path.is_absolute() { path.strip_prefix(root).ok()? } else { path };
    let plain = relative.components().all(|part| matches!(part, camino::Utf8Component::Normal(_)));
    let package = relative.components().any(|part| part.as_str() == "node_modules");
    (plain && !package).then(|| relative.as_str().to_owned())
}

/// Reads the project's own sources, and nothing else.
pub struct Sources<'a> {
    /// The project root, symlinks resolved.
    pub root: &'a Utf8Path,
}

impl Sources<'_> {
    /// The text of a project-relative file; `None` for what is missing, outside the root, a package, too long or no text.
    pub fn read(&self, path: &str) -> Option<String> {
        let relative = inside(self.root, Utf8Path::new(path))?;
        let resolved: Utf8PathBuf = self.root.join(relative).canonicalize_utf8().ok()?;
        inside(self.root, &resolved)?;
        let metadata = std::fs::metadata(&resolved).ok()?;
        (metadata.is_file() && metadata.len() <= SOURCE_CAP).then_some(())?;
        std::fs::read_to_string(&resolved).ok()
    }

    /// The project-relative paths of the project's own TypeScript and JavaScript files, sorted; at most [`LISTED`].
    pub(super) fn list(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut open = vec![self.root.to_owned()];
        while let Some(folder) = open.pop() {
            let Ok(entries) = folder.read_dir_utf8() else { continue };
            for entry in entries.flatten() {
                let name = entry.file_name();
                let Ok(kind) = entry.file_type() else { continue };
                let is_ours = name.starts_with(SCRATCH_TAG);
                if is_ours || name.starts_with('.') || name == "node_modules" || found.len() >= LISTED {
                    continue;
                }
                if kind.is_dir() {
                    open.push(entry.path().to_owned());
                } else if kind.is_file() && entry.path().extension().is_some_and(|end| EXTENSIONS.contains(&end)) {
                    found.extend(inside(self.root, entry.path()));
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// `entries` and what they import, parsed; paths are mapped as the first one's `tsconfig.json` says.
    pub fn load(&self, entries: &[&str]) -> Project {
        let mut read = |path: &str| self.read(path);
        let aliases = aliases_of(entries.first().copied().unwrap_or_default(), &mut read);
        Project::load(entries, &aliases, &mut read)
    }

    /// Which of the listed files imports which; paths are mapped as the `tsconfig.json` of the file `of` says.
    pub(super) fn graph(&self, of: &str) -> Graph {
        self.graph_seeing(of, &mut |_, _| ())
    }

    /// As [`Self::graph`]; `see` is shown each file that is read for it, with its text.
    pub(super) fn graph_seeing(&self, of: &str, see: &mut dyn FnMut(&str, &str)) -> Graph {
        let files = self.list();
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let aliases = aliases_of(of, &mut |path| self.read(path));
        Graph::of(&files, &aliases, &mut |path| {
            let text = self.read(path)?;
            see(path, &text);
            Some(text)
        })
    }
}
