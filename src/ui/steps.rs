//! Progress over several steps, one after the other or several at the same time: a bar on a terminal, plain lines elsewhere.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::Ui;

/// How often the bar's clock is drawn.
const TICK: Duration = Duration::from_millis(250);

/// A number of steps that are gone through.
#[derive(Debug)]
pub struct Steps {
    bar: Option<ProgressBar>,
    quiet: bool,
    total: usize,
    begun: usize,
    /// Whether several are gone through at the same time.
    several: bool,
}

impl Steps {
    /// Over `total` steps; a bar only where somebody watches.
    pub(super) fn new(total: usize, several: bool, bar: bool, quiet: bool) -> Self {
        let bar = (bar && !quiet).then(|| {
            let bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("[{pos}/{len}] {bar:20} {elapsed} left {eta}  {wide_msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.enable_steady_tick(TICK);
            bar
        });
        Self { bar, quiet, total, begun: 0, several }
    }

    /// A step is begun; its number.
    pub fn begin(&mut self, what: &str) -> usize {
        self.begun += 1;
        let text = format!("[{}/{}] {what}", self.begun, self.total);
        match &self.bar {
            Some(bar) => bar.set_message(what.to_owned()),
            None => self.line(&text),
        }
        self.begun
    }

    /// What the step of this number is at.
    pub fn at(&self, number: usize, what: &str) {
        match &self.bar {
            Some(bar) => bar.set_message(format!("{}{what}", self.which(number))),
            None => self.line(&format!("  {}{what}…", self.which(number))),
        }
    }

    /// The step of this number is over.
    pub fn end(&mut self, number: usize, how: &str) {
        self.line(&format!("  {}{how}", self.which(number)));
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
    }

    /// Which step is spoken of, where there can be several.
    fn which(&self, number: usize) -> String {
        if self.several { format!("[{number}] ") } else { String::new() }
    }

    /// A line of its own.
    pub fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(text),
            None if self.quiet => {}
            None => Ui::to_stderr(text),
        }
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
