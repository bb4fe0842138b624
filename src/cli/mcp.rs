//! `relocator mcp`: the services as tools for an agent. Flags and wiring only.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use camino::Utf8PathBuf;
use clap::Args as ClapArgs;

use crate::adapters::process::Cancel;
use crate::config::{Flags, ModelFlags, current_folder, user_folder};
use crate::error::Error;
use crate::exit_code::ExitCode;
use crate::mcp::http::{self, Http};
use crate::mcp::tokens::Tokens;
use crate::mcp::{Options, Server, stdio};
use crate::ui::Ui;

/// Serve the same services as tools over the Model Context Protocol, on stdin and stdout or on HTTP
#[derive(Debug, ClapArgs)]
pub(super) struct Args {
    /// The folder that is served; nothing outside of it is opened [default: this folder]
    #[arg(long, value_name = "DIR")]
    root: Option<Utf8PathBuf>,
    /// Let `heal_test` with `apply: true` change the one line, and `undo` put it back
    #[arg(long)]
    allow_edits: bool,
    /// Longest answer, in characters; the rest of a list comes with a cursor
    #[arg(long, value_name = "N", default_value_t = 8_000, value_parser = clap::value_parser!(u32).range(2_000..=1_000_000))]
    max_chars: u32,
    /// Listen on this port (0: any) instead of speaking on stdin and stdout; callers need a token (`relocator token`)
    #[arg(long, value_name = "PORT", help_heading = "HTTP")]
    http: Option<u16>,
    /// The address to listen on; any other than loopback needs --allow-host
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST), requires = "http", help_heading = "HTTP")]
    listen: IpAddr,
    /// A name, besides localhost, under which the server may be called
    #[arg(long, value_name = "NAME", requires = "http", help_heading = "HTTP")]
    allow_host: Vec<String>,
    #[command(flatten)]
    flags: Flags,
    #[command(flatten)]
    model: ModelFlags,
}

pub(super) async fn run(args: &Args, ui: &Ui, cancel: &Cancel) -> Result<ExitCode, Error> {
    let here = current_folder()?;
    let root = args.root.as_ref().map_or_else(|| here.clone(), |root| here.join(root));
    let mut options = Options {
        root,
        allow_edits: args.allow_edits,
        limit: args.max_chars as usize,
        flags: args.flags.clone(),
        model: args.model.clone(),
        cancel: cancel.clone(),
        audit: None,
    };
    let Some(port) = args.http else {
        stdio::serve(Server::new(options)?).await?;
        return Ok(ExitCode::Clean);
    };
    if !args.listen.is_loopback() && args.allow_host.is_empty() {
        return Err(Error::usage(format!(
            "{} can be reached by others: say with --allow-host by which name",
            args.listen
        )));
    }
    let folder = user_folder()?;
    let tokens = Tokens::in_folder(&folder);
    let known = tokens.list().map_err(|error| Error::blocked(error.to_string()).caused_by(&error))?;
    if known.is_empty() {
        return Err(
            Error::usage("nobody could call: there is no token").hinted("relocator token add NAME --scopes read")
        );
    }
    options.audit = Some(folder.join("audit"));
    let http = Http { listener: SocketAddr::new(args.listen, port), hosts: args.allow_host.clone(), tokens };
    let listening = |address: SocketAddr| ui.progress(&format!("listening on http://{address}{}", http::PATH));
    http::serve(Server::new(options)?, http, listening).await?;
    Ok(ExitCode::Clean)
}
