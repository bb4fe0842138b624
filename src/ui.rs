//! The only writer to the terminal: colour, sanitising, the shape of errors.
//!
//! stdout carries the answer (human text, or exactly one JSON document, or JSON lines); stderr carries progress and
//! errors. Text that came from a page, a report or a model must pass through [`printable`] before it gets here.

mod steps;

use std::fmt::Write as _;
use std::io::{self, BufRead as _, BufReader, BufWriter, IsTerminal as _, Write as _};

use anstyle::{AnsiColor, Style};

pub use self::steps::Steps;
use crate::error::Error;

/// When to colour the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Color {
    /// When the stream is a terminal and neither `NO_COLOR` nor `CLICOLOR=0` says otherwise.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The two output streams and how loud to be.
#[derive(Debug, Default)]
pub struct Ui {
    quiet: bool,
}

impl Ui {
    /// Applies `color` to both streams of the process; `quiet` silences progress.
    pub fn new(color: Color, quiet: bool) -> Self {
        match color {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        }
        .write_global();
        Self { quiet }
    }

    /// Writes the answer, or a part of it, to stdout. Returns `false` when nobody reads any more.
    pub fn answer(&self, text: &str) -> bool {
        let mut out = anstream::stdout().lock();
        out.write_all(text.as_bytes()).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush()).is_ok()
    }

    /// Feeds every line of stdin to `answer` and writes what it returns, one line each, without colour and buffered.
    ///
    /// Stops quietly when nobody reads the answers any more. Answers are held back only while more input is at hand, so that
    /// another program can ask and wait for the answer line by line.
    pub fn filter_lines(&self, mut answer: impl FnMut(&[u8]) -> Option<String>) -> io::Result<()> {
        let mut input = BufReader::new(io::stdin().lock());
        let mut out = BufWriter::new(io::stdout().lock());
        let mut line = Vec::new();
        loop {
            line.clear();
            if input.read_until(b'\n', &mut line)? == 0 {
                break;
            }
            let Some(text) = answer(&line) else { continue };
            let mut written = out.write_all(text.as_bytes()).and_then(|()| out.write_all(b"\n"));
            if input.buffer().is_empty() {
                written = written.and_then(|()| out.flush());
            }
            match written {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
                done => done?,
            }
        }
        match out.flush() {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            done => done,
        }
    }

    /// Writes a progress or log line to stderr, unless quiet.
    pub fn progress(&self, text: &str) {
        if !self.quiet {
            Self::to_stderr(text);
        }
    }

    /// Progress over `total` steps, `several` of them at the same time: a bar where stderr is a terminal and no CI watches, plain lines elsewhere.
    pub fn steps(&self, total: usize, several: bool) -> Steps {
        let watched = io::stderr().is_terminal() && std::env::var_os("CI").is_none();
        Steps::new(total, several, watched, self.quiet)
    }

    /// Writes a line for the system that runs us to stderr, also when quiet.
    pub fn command(&self, line: &str) {
        Self::to_stderr(line);
    }

    /// Writes a warning to stderr, also when quiet.
    pub fn warn(&self, text: &str) {
        let style = Style::new().fg_color(Some(AnsiColor::Yellow.into())).bold();
        Self::to_stderr(&format!("{style}warning{style:#}: {text}"));
    }

    /// Writes an error with its causes and hints to stderr.
    pub fn error(&self, error: &Error) {
        let style = Style::new().fg_color(Some(AnsiColor::Red.into())).bold();
        let dim = Style::new().bold();
        let mut text = format!("{style}error{style:#}: {}", printable(&error.to_string()));
        for cause in error.causes() {
            _ = write!(text, "\n  {dim}caused by{dim:#}: {}", printable(cause));
        }
        for hint in error.hints() {
            _ = write!(text, "\n  {dim}hint{dim:#}: {}", printable(hint));
        }
        Self::to_stderr(&text);
    }

    fn to_stderr(text: &str) {
        let mut err = anstream::stderr().lock();
        // Nothing sensible is left to do when stderr itself is gone.
        drop(err.write_all(text.as_bytes()).and_then(|()| err.write_all(b"\n")));
    }
}

/// `text` with every character that could steer a terminal made visible: control characters (tab and line feed stay),
/// escape sequences, the bidirectional overrides that can show a line as something else than it is, and the two that no XML
/// may hold.
pub fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => shown.push(c),
            '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{61c}'
            | '\u{fffe}'..='\u{ffff}' => {
                _ = write!(shown, "\\u{{{:x}}}", u32::from(c));
            }
            c if c.is_control() => _ = write!(shown, "\\x{:02x}", u32::from(c)),
            c => shown.push(c),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::printable;

    #[test]
    fn an_escape_sequence_is_shown_not_obeyed() {
        assert_eq!(printable("a\u{1b}[31mb\r\u{9b}c\tz\n"), "a\\x1b[31mb\\x0d\\x9bc\tz\n");
        assert_eq!(printable("\u{202e}evil"), "\\u{202e}evil");
        assert_eq!(printable("\u{fffd}\u{fffe}\u{ffff}"), "\u{fffd}\\u{fffe}\\u{ffff}");
    }
}
