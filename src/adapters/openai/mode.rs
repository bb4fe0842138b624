//! How a server takes calls: by tools, by a schema for its text, or by a plain request for JSON. Found out once for each
//! endpoint and model, and remembered.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use super::Endpoint;
use crate::domain::conversation::{Reply, Turn, read};

/// Longest file of modes that is read, in bytes.
const CAP: u64 = 64 << 10;
/// How many endpoints are remembered.
const KEPT: usize = 100;

/// How calls are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Tools, and the server makes sure that one is called.
    Tools,
    /// Tools, called if the model likes.
    ToolsAuto,
    /// Text that follows a schema.
    Schema,
    /// Text that the prompt asks to be JSON.
    Plain,
}

impl Mode {
    pub(super) fn has_tools(self) -> bool {
        matches!(self, Self::Tools | Self::ToolsAuto)
    }

    /// Whether the reply to the probe shows that the server can do it.
    pub(super) fn is_proven_by(self, reply: &Reply) -> bool {
        let is_call = matches!(read(reply), Turn::Calls(wishes) if wishes.iter().all(|wish| wish.action.is_ok()));
        is_call && (!self.has_tools() || !reply.calls.is_empty())
    }

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::ToolsAuto => "tools_auto",
            Self::Schema => "schema",
            Self::Plain => "plain",
        }
    }
}

/// What is known of endpoints, in a file or nowhere.
#[derive(Debug, Clone, Default)]
pub struct Modes {
    file: Option<Utf8PathBuf>,
}

/// Where a project keeps them.
const FILE: &str = ".relocator/models.json";

impl Modes {
    /// Kept in the project at `root`.
    pub fn of_project(root: &Utf8Path) -> Self {
        Self::in_file(root.join(FILE))
    }

    /// Kept in `file`.
    pub fn in_file(file: Utf8PathBuf) -> Self {
        Self { file: Some(file) }
    }

    pub(super) fn known(&self, endpoint: &Endpoint) -> Option<Mode> {
        self.all().get(&key(endpoint)).copied()
    }

    /// Best effort: what cannot be remembered is found out again.
    pub(super) fn remember(&self, endpoint: &Endpoint, mode: Mode) {
        let Some(file) = &self.file else { return };
        let mut all = self.all();
        while all.len() >= KEPT {
            all.pop_first();
        }
        all.insert(key(endpoint), mode);
        let (Some(folder), Ok(text)) = (file.parent(), serde_json::to_string_pretty(&all)) else { return };
        let written = tempfile::NamedTempFile::new_in(folder)
            .and_then(|temporary| std::fs::write(temporary.path(), text).map(|()| temporary));
        if let Ok(temporary) = written {
            drop(temporary.persist(file));
        }
    }

    fn all(&self) -> BTreeMap<String, Mode> {
        let text = self.file.as_ref().and_then(|file| {
            let small = std::fs::metadata(file).is_ok_and(|meta| meta.is_file() && meta.len() <= CAP);
            small.then(|| std::fs::read_to_string(file).ok()).flatten()
        });
        text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }
}

fn key(endpoint: &Endpoint) -> String {
    format!("{} {}", endpoint.shown(), endpoint.model())
}
