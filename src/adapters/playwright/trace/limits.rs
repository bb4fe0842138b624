//! How much of a trace is read at most. A trace may come from anywhere: its own figures are not believed.

/// Limits on what is read from one trace. [`Limits::default`] is far above real traces and far below what hurts.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Parts in an archive. Real traces of long tests have some thousand.
    pub entries: usize,
    /// Bytes of all event files together, unpacked. The largest traces known to us are some hundred MB.
    pub total_bytes: u64,
    /// Unpacked bytes per packed byte, over one event file. Snapshots of a static page pack to 1 : 100; deflate's own
    /// bound is 1 : 1032, which only a bomb comes near.
    pub ratio: u64,
    /// Bytes of one event, that is of one page snapshot: held in memory once.
    pub line_bytes: usize,
    /// Bytes of one other part that is asked for (a style sheet, an attachment).
    pub resource_bytes: u64,
    /// Calls and steps.
    pub actions: usize,
    /// Page snapshots over all frames. A test of a thousand calls on a page with ten frames makes 30,000.
    pub snapshots: usize,
    /// Bytes of events whose content is kept in memory, snapshots aside. Real traces have some MB.
    pub kept_bytes: usize,
    /// Console messages and failed requests that are kept, each.
    pub messages: usize,
    /// Log lines kept for one call: the first and the last half of them.
    pub log_lines: usize,
    /// Bytes of one kept text: a parameter, a log line, an error.
    pub text_bytes: usize,
    /// Nodes of one page with all its frames.
    pub nodes: usize,
    /// Bytes of snapshot text that make up one page.
    pub page_bytes: usize,
    /// How deep nodes may be nested. Browsers' parsers stop at 512; scripts can go deeper.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            entries: 100_000,
            total_bytes: 2 << 30,
            ratio: 600,
            line_bytes: 64 << 20,
            resource_bytes: 64 << 20,
            actions: 200_000,
            snapshots: 300_000,
            kept_bytes: 256 << 20,
            messages: 1_000,
            log_lines: 200,
            text_bytes: 16 << 10,
            nodes: 1_000_000,
            page_bytes: 128 << 20,
            depth: 5_000,
        }
    }
}
