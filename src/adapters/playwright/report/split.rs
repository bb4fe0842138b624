//! Takes a JSON report apart while it is read: every spec by itself, and the suites around them without their specs.
//!
//! A report may have hundreds of megabytes, nearly all of them in its specs. Whoever reads it in pieces and looks at one
//! spec after the other needs the memory of the largest spec only, and can look at several at once. Knows of JSON no more
//! than where a value ends; whether it is JSON at all is for the parser that gets the pieces.

use memchr::{memchr2, memchr3};

/// What encloses the current place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// The report, or a suite: where specs and suites are listed.
    Suite,
    /// A list of suites.
    Suites,
    /// A list of specs.
    Specs,
    /// An object or a list that is of no interest here.
    Other,
}

/// Where in the text the reader is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Between tokens.
    Plain,
    /// In a string.
    Text,
    /// Behind a backslash in a string.
    Escape,
    /// The report has ended; what follows is not part of it.
    Done,
}

/// A report that is being taken apart.
#[derive(Debug)]
pub(super) struct Split {
    frame: Vec<u8>,
    spec: Vec<u8>,
    /// How deep inside a spec; zero outside.
    depth: usize,
    open: Vec<Inside>,
    state: State,
    /// Where the last string of the frame begins, behind its quotation mark.
    text: usize,
    /// The name of the member whose value comes next, as far as it matters.
    next: Option<Inside>,
    specs: usize,
}

impl Split {
    pub(super) fn new() -> Self {
        Self {
            frame: Vec::new(),
            spec: Vec::new(),
            depth: 0,
            open: Vec::new(),
            state: State::Plain,
            text: 0,
            next: None,
            specs: 0,
        }
    }

    /// The report with a number in the place of each spec, as far as it was read.
    pub(super) fn frame(&self) -> &[u8] {
        &self.frame
    }

    /// Whether the report has ended.
    pub(super) fn is_done(&self) -> bool {
        self.state == State::Done
    }

    /// How many bytes are held.
    pub(super) fn held(&self) -> usize {
        self.frame.len() + self.spec.len()
    }

    /// Reads on in `bytes`; `each` gets the number and the text of every spec that ends in them.
    pub(super) fn feed(&mut self, mut bytes: &[u8], each: &mut dyn FnMut(usize, Vec<u8>)) {
        while !bytes.is_empty() && self.state != State::Done {
            let read = match self.state {
                State::Text => self.text(bytes),
                State::Escape => {
                    self.keep(bytes.get(..1).unwrap_or_default());
                    self.state = State::Text;
                    1
                }
                State::Plain | State::Done if self.depth > 0 => self.inside_spec(bytes, each),
                State::Plain | State::Done => self.plain(bytes.first().copied().unwrap_or_default()),
            };
            bytes = bytes.get(read..).unwrap_or_default();
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        if self.depth > 0 { self.spec.extend_from_slice(bytes) } else { self.frame.extend_from_slice(bytes) }
    }

    /// Up to the end of the string, or to a backslash in it.
    fn text(&mut self, bytes: &[u8]) -> usize {
        let Some(at) = memchr2(b'"', b'\\', bytes) else {
            self.keep(bytes);
            return bytes.len();
        };
        self.state = if bytes.get(at) == Some(&b'"') { State::Plain } else { State::Escape };
        self.keep(bytes.get(..=at).unwrap_or_default());
        at + 1
    }

    /// Inside a spec only strings and braces matter: brackets are balanced where braces are, or the parser says so.
    fn inside_spec(&mut self, bytes: &[u8], each: &mut dyn FnMut(usize, Vec<u8>)) -> usize {
        let Some(at) = memchr3(b'"', b'{', b'}', bytes) else {
            self.keep(bytes);
            return bytes.len();
        };
        self.keep(bytes.get(..=at).unwrap_or_default());
        match bytes.get(at) {
            Some(b'"') => self.state = State::Text,
            Some(b'{') => self.depth += 1,
            _ => self.depth -= 1,
        }
        if self.depth == 0 {
            each(self.specs, std::mem::take(&mut self.spec));
            self.frame.extend_from_slice(self.specs.to_string().as_bytes());
            self.specs += 1;
        }
        at + 1
    }

    fn plain(&mut self, byte: u8) -> usize {
        let around = self.open.last().copied();
        if byte == b'{' && around == Some(Inside::Specs) {
            self.depth = 1;
            self.spec.push(byte);
            return 1;
        }
        self.frame.push(byte);
        match byte {
            b'"' => {
                self.text = self.frame.len();
                self.state = State::Text;
            }
            b':' if around == Some(Inside::Suite) => self.next = self.member(),
            b',' => self.next = None,
            b'{' => self.open.push(match around {
                None | Some(Inside::Suites) => Inside::Suite,
                _ => Inside::Other,
            }),
            b'[' => self.open.push(self.next.take().unwrap_or(Inside::Other)),
            b'}' | b']' => {
                self.open.pop();
                if self.open.is_empty() {
                    self.state = State::Done;
                }
            }
            _ => {}
        }
        1
    }

    /// What the string before the colon at the end of the frame names.
    fn member(&self) -> Option<Inside> {
        let name = self.frame.get(self.text..)?;
        if name.starts_with(b"specs\"") {
            Some(Inside::Specs)
        } else if name.starts_with(b"suites\"") {
            Some(Inside::Suites)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Split;

    fn split(text: &str, piece: usize) -> (String, Vec<String>, bool) {
        let mut split = Split::new();
        let mut specs = Vec::new();
        for bytes in text.as_bytes().chunks(piece) {
            split.feed(bytes, &mut |number, spec| {
                assert_eq!(number, specs.len());
                specs.push(String::from_utf8(spec).unwrap());
            });
        }
        (String::from_utf8(split.frame().to_vec()).unwrap(), specs, split.is_done())
    }

    #[test]
    fn specs_are_cut_out_at_every_depth_however_the_text_is_cut() {
        let text = r#"{"config":{"specs":[{"x":1}]},"suites":[{"title":"a\"specs\":[{","specs":[{"t":"}{\\"},{"u":{"v":[{}]}}],
            "suites":[{"specs":[],"suites":[{"specs" : [ {} ]}]}]}],"errors":[{"specs":[{"no":1}]}]} {"suites":[{"specs":[{}]}]}"#;
        for piece in [1, 2, 7, 1000] {
            let (frame, specs, done) = split(text, piece);
            assert_eq!(specs, [r#"{"t":"}{\\"}"#, r#"{"u":{"v":[{}]}}"#, "{}"], "{piece}");
            assert!(frame.contains(r#""config":{"specs":[{"x":1}]}"#) && frame.contains(r#""specs":[0,1]"#), "{frame}");
            assert!(frame.contains(r#""specs" : [ 2 ]"#) && frame.ends_with(r#"{"no":1}]}]}"#), "{frame}");
            assert!(done);
        }
    }

    #[test]
    fn an_unfinished_report_is_not_done() {
        let (_, specs, done) = split(r#"{"suites":[{"specs":[{"a":1},{"b":"#, 5);
        assert_eq!((specs.len(), done), (1, false));
    }
}
