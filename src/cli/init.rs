//! `relocator init`: puts into a project what a coding agent needs to know. Never overwrites what a person has written.

use std::fs;
use std::io::{self, Write as _};

use camino::{Utf8Path, Utf8PathBuf};
use clap::Args as ClapArgs;

use crate::config::current_folder;
use crate::error::Error;
use crate::exit_code::ExitCode;
use crate::ui::Ui;

/// Put into a project what a coding agent needs to know about relocator
#[derive(Debug, ClapArgs)]
pub(super) struct Args {
    /// Install the skill in .agents/skills or .claude/skills, and name it in AGENTS.md
    #[arg(long, required = true)]
    agent: bool,
    /// The project [default: this folder]
    #[arg(value_name = "DIR")]
    folder: Option<Utf8PathBuf>,
}

/// The skill as it is installed.
const SKILL: &str = include_str!("../../prompts/skill/SKILL.md");
/// The folders of agents, the first for a project that has neither.
const AGENTS: [&str; 2] = [".agents", ".claude"];
/// What AGENTS.md says of it.
const LINES: &str = "A failing Playwright locator: read the skill `relocator` first, and ask its MCP server (`relocator mcp`).\n\
                     What relocator declines or escalates goes to a person: never edit around a refusal.\n";

pub(super) fn run(args: &Args, ui: &Ui) -> Result<ExitCode, Error> {
    let here = current_folder()?;
    let folder = args.folder.as_ref().map_or_else(|| here.clone(), |folder| here.join(folder));
    let there: Vec<&str> = AGENTS.into_iter().filter(|agent| folder.join(agent).is_dir()).collect();
    let chosen = if there.is_empty() { AGENTS.get(..1).unwrap_or_default().to_vec() } else { there };
    let mut left = false;
    for agent in chosen {
        let path = folder.join(agent).join("skills/relocator/SKILL.md");
        match install(&path).map_err(|error| failed(&path, &error))? {
            Installed::New => {
                ui.answer(&format!("installed {path}"));
            }
            Installed::Same => {
                ui.answer(&format!("{path} is up to date"));
            }
            Installed::Other => {
                left = true;
                ui.warn(&format!(
                    "{path} says something else and is left as it is; remove it to have it installed anew"
                ));
            }
        }
    }
    let path = folder.join("AGENTS.md");
    let added = append(&path).map_err(|error| failed(&path, &error))?;
    ui.answer(&if added { format!("added two lines to {path}") } else { format!("{path} names it already") });
    Ok(if left { ExitCode::FailuresRemain } else { ExitCode::Clean })
}

fn failed(path: &Utf8Path, error: &io::Error) -> Error {
    Error::blocked(format!("cannot write `{path}`")).caused_by(error)
}

enum Installed {
    New,
    Same,
    Other,
}

fn install(path: &Utf8Path) -> io::Result<Installed> {
    match fs::read(path) {
        Ok(there) if there == SKILL.as_bytes() => return Ok(Installed::Same),
        Ok(_) => return Ok(Installed::Other),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    // Never over a file that has come into being in the meantime.
    fs::OpenOptions::new().write(true).create_new(true).open(path)?.write_all(SKILL.as_bytes())?;
    Ok(Installed::New)
}

/// Appends the two lines, unless they stand there; says whether it did.
fn append(path: &Utf8Path) -> io::Result<bool> {
    let there = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error),
    };
    if LINES.lines().all(|line| there.lines().any(|own| own.trim() == line)) {
        return Ok(false);
    }
    let gap = match there.as_str() {
        "" => "",
        text if text.ends_with("\n\n") => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    let mut file = fs::OpenOptions::new().append(true).create(true).open(path)?;
    file.write_all(format!("{gap}{LINES}").as_bytes())?;
    Ok(true)
}
