//! `relocator token`: who may call the HTTP server. Flags and wiring only.

use clap::{Args as ClapArgs, Subcommand};

use crate::config::user_folder;
use crate::error::Error;
use crate::exit_code::ExitCode;
use crate::mcp::tokens::{Scope, TokenError, Tokens};
use crate::ui::Ui;

/// Give, list and revoke the tokens of those who may call `relocator mcp --http`
#[derive(Debug, ClapArgs)]
pub(super) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Make a token and print it, once: only a hash of it is kept
    Add {
        /// What its holder is called: letters, digits, `-` and `_`
        name: String,
        /// What it may ask for: read (look), run (run tests as well), heal (repair as well)
        #[arg(long, value_delimiter = ',', default_value = "read")]
        scopes: Vec<Scope>,
        /// How many repairs it may ask for in a day (UTC)
        #[arg(long, value_name = "N", default_value_t = 20)]
        daily_heals: u32,
    },
    /// Print the tokens that there are, without their secrets
    List,
    /// Take a token away, at once
    Revoke {
        /// What its holder is called
        name: String,
    },
}

pub(super) fn run(args: &Args, ui: &Ui) -> Result<ExitCode, Error> {
    let tokens = Tokens::in_folder(&user_folder()?);
    match &args.action {
        Action::Add { name, scopes, daily_heals } => {
            let token = tokens.add(name, scopes, *daily_heals).map_err(|error| failed(&error))?;
            ui.answer(&token);
            ui.progress("it is shown only now; send it as `Authorization: Bearer TOKEN`");
        }
        Action::List => {
            for record in tokens.list().map_err(|error| failed(&error))? {
                let scopes: Vec<String> = record.scopes.iter().map(ToString::to_string).collect();
                let (name, daily, created) = (&record.name, record.daily_heals, &record.created);
                ui.answer(&format!("{name}  {}  {daily} repairs a day  since {created}", scopes.join(",")));
            }
        }
        Action::Revoke { name } => tokens.revoke(name).map_err(|error| failed(&error))?,
    }
    Ok(ExitCode::Clean)
}

fn failed(error: &TokenError) -> Error {
    match error {
        TokenError::BadName | TokenError::Taken(_) | TokenError::Unknown(_) => Error::usage(error.to_string()),
        TokenError::Io { .. } | TokenError::Format { .. } => Error::blocked(error.to_string()).caused_by(error),
    }
}
