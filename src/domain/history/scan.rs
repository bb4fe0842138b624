//! A cursor over the characters of a fragment.

/// Reads characters one by one; past the end it reads `\0`.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    /// Where it stands, in bytes.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// What is left.
    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn is_done(&self) -> bool {
        self.rest().is_empty()
    }

    pub(super) fn peek(&self) -> char {
        self.rest().chars().next().unwrap_or('\0')
    }

    /// The character after the next.
    pub(super) fn second(&self) -> char {
        self.rest().chars().nth(1).unwrap_or('\0')
    }

    /// The character before.
    pub(super) fn previous(&self) -> char {
        self.text.get(..self.at).and_then(|before| before.chars().next_back()).unwrap_or('\0')
    }

    /// Takes one character.
    pub(super) fn next(&mut self) -> char {
        let c = self.peek();
        if !self.is_done() {
            self.at += c.len_utf8();
        }
        c
    }

    /// Takes `text` if it stands here.
    pub(super) fn take(&mut self, text: &str) -> bool {
        let here = self.rest().starts_with(text);
        self.at += if here { text.len() } else { 0 };
        here
    }

    /// Takes everything as long as `wanted` says so.
    pub(super) fn take_while(&mut self, mut wanted: impl FnMut(char) -> bool) -> &'t str {
        let rest = self.rest();
        let length = rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }

    /// Takes everything up to `end` and `end` itself; all that is left where it does not come.
    pub(super) fn take_past(&mut self, end: &str) -> &'t str {
        let rest = self.rest();
        let length = rest.find(end);
        self.at += length.map_or(rest.len(), |length| length + end.len());
        rest.get(..length.unwrap_or(rest.len())).unwrap_or_default()
    }

    /// Takes a bracketed piece, the opening bracket first, with whatever brackets and strings are in it; returns the inside.
    pub(super) fn take_balanced(&mut self, open: char, close: char) -> &'t str {
        let start = self.at + open.len_utf8();
        let mut depth = 0_usize;
        let mut quote = None;
        while !self.is_done() {
            let c = self.next();
            match quote {
                Some(_) if c == '\\' => _ = self.next(),
                // An apostrophe of a text or a comment ends with its line.
                Some(open) if c == open || (c == '\n' && open != '`') => quote = None,
                None if matches!(c, '"' | '\'' | '`') => quote = Some(c),
                None if c == open => depth += 1,
                None if c == close => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return self.text.get(start..self.at - close.len_utf8()).unwrap_or_default();
                    }
                }
                Some(_) | None => {}
            }
        }
        self.text.get(start..).unwrap_or_default()
    }
}
