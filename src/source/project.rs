//! The files that matter for a question: the ones it starts from and all that they import, each parsed once.
//!
//! The text comes from the caller; nothing is read here.

use std::collections::{BTreeMap, VecDeque};

use super::imports::{self, Aliases};
use super::tree::{At, SourceFile};

/// How many files are followed from the entries: a suite's spec reaches a few dozen.
const MAX_FILES: usize = 600;

/// How deep a source may be nested; a chain of a hundred calls is two hundred levels.
const MAX_NESTING: u32 = 1500;

/// Files by path, with what each import means.
#[derive(Debug, Default)]
pub struct Project {
    files: BTreeMap<String, SourceFile>,
    edges: BTreeMap<String, BTreeMap<String, String>>,
}

impl Project {
    /// Loads the entries and what they import. `read` gives the text of a project-relative path, or `None` where there
    /// is no such file; it decides what may be read. Stops silently at 600 files.
    pub fn load(entries: &[&str], aliases: &Aliases, read: &mut dyn FnMut(&str) -> Option<String>) -> Self {
        let mut project = Self::default();
        let mut queue: VecDeque<String> = entries.iter().map(|&path| path.to_owned()).collect();
        while let Some(path) = queue.pop_front() {
            if project.files.len() >= MAX_FILES || project.files.contains_key(&path) {
                continue;
            }
            let Some(file) = parsed(&path, read) else { continue };
            let specifiers: Vec<String> =
                imports::specifiers(&file).into_iter().map(|(_, specifier)| specifier).collect();
            project.files.insert(path.clone(), file);
            for specifier in specifiers {
                let found = imports::candidates(&path, &specifier, aliases)
                    .into_iter()
                    .find(|candidate| project.files.contains_key(candidate) || read(candidate).is_some());
                if let Some(target) = found {
                    project.edges.entry(path.clone()).or_default().insert(specifier, target.clone());
                    queue.push_back(target);
                }
            }
        }
        project
    }

    /// A loaded file.
    pub fn file(&self, path: &str) -> Option<&SourceFile> {
        self.files.get(path)
    }

    /// All loaded files, by path.
    pub fn files(&self) -> impl Iterator<Item = &SourceFile> {
        self.files.values()
    }

    /// The file that an import specifier in `file` means; `None` for packages and files that are not there.
    pub fn imported(&self, file: &SourceFile, specifier: &str) -> Option<&SourceFile> {
        self.file(self.edges.get(&file.path)?.get(specifier)?)
    }

    /// The files that a file imports directly, by path, each once.
    pub fn imports_of(&self, path: &str) -> Vec<&str> {
        let mut out: Vec<&str> =
            self.edges.get(path).map(|edges| edges.values().map(String::as_str).collect()).unwrap_or_default();
        out.sort_unstable();
        out.dedup();
        out
    }
}

fn parsed(path: &str, read: &mut dyn FnMut(&str) -> Option<String>) -> Option<SourceFile> {
    let text = read(path)?;
    SourceFile::parse(path, &text).filter(|file| !file.is_deeper_than(MAX_NESTING))
}

/// The innermost call whose method name, function name, `await` or `new` starts exactly at a byte offset: where V8 says
/// a frame stands.
pub fn call_at(file: &SourceFile, offset: usize) -> Option<At<'_>> {
    let leaf = file.at(offset)?;
    let mut around: Vec<At<'_>> = vec![leaf];
    around.extend(leaf.ancestors());
    for at in around {
        let function_at = |call: At<'_>| {
            let function = call.field("function")?;
            let name = if function.kind() == "member_expression" { function.field("property")? } else { function };
            Some(name.node.start_byte() == offset)
        };
        match at.kind() {
            "call_expression" if function_at(at) == Some(true) => return Some(at),
            "await_expression" if at.node.start_byte() == offset => {
                let inner = at.bare();
                return matches!(inner.kind(), "call_expression" | "new_expression").then_some(inner);
            }
            "new_expression" if at.node.start_byte() == offset => return Some(at),
            _ => {}
        }
        if at.is_function() || at.node.end_byte() < offset {
            break;
        }
    }
    None
}
