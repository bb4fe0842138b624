//! The text of one frame's snapshot, piece by piece and without recursion: pages nest deeper than a call stack should.
//!
//! A node is `"text"`, `["NAME", {attributes}, node…]`, or `[[back, index]]`: node `index`, in the order in which nodes
//! end, of the snapshot of the same frame that was taken `back` snapshots before. Anything else renders nothing.

use std::ops::Range;

use super::TraceError;
use super::json;

/// One step through a snapshot's text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// An element begins: its name and the object of its attributes, both still JSON.
    Open { name: &'a [u8], attributes: &'a [u8] },
    /// The element that began last ends.
    Close,
    /// A text node, still JSON.
    Text(&'a [u8]),
    /// A node of this or an earlier snapshot stands here.
    Reference(Reference),
}

/// A pointer to a node of this or an earlier snapshot of the frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Reference {
    /// How many snapshots back; 0 is the same snapshot.
    pub(super) back: u32,
    /// The node's number in it.
    pub(super) index: u32,
}

const BROKEN: TraceError = TraceError::Snapshot("its text is not a tree of nodes");

/// Walks over the text of a snapshot or of one node of it.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'a> {
    json: &'a [u8],
    at: usize,
    depth: usize,
    start: usize,
}

impl<'a> Cursor<'a> {
    /// Starts before the first node of `json`.
    pub(super) fn new(json: &'a [u8]) -> Self {
        Self { json, at: 0, depth: 0, start: 0 }
    }

    /// Where the last piece lies in the text; of an element, its beginning.
    pub(super) fn span(&self) -> Range<usize> {
        self.start..self.at
    }

    /// The next piece; `None` at the end of the text, which must not lie inside an element.
    pub(super) fn next(&mut self) -> Result<Option<Piece<'a>>, TraceError> {
        loop {
            let Some(byte) = self.peek() else {
                return if self.depth == 0 { Ok(None) } else { Err(BROKEN) };
            };
            self.start = self.at;
            match byte {
                b',' => self.at += 1,
                b']' => {
                    self.at += 1;
                    self.depth = self.depth.checked_sub(1).ok_or(BROKEN)?;
                    return Ok(Some(Piece::Close));
                }
                b'"' => return Ok(Some(Piece::Text(self.string()?))),
                b'[' => {
                    if let Some(piece) = self.array()? {
                        return Ok(Some(piece));
                    }
                }
                _ => self.skip_value()?,
            }
        }
    }

    /// An array: an element, a reference, or nothing that renders.
    fn array(&mut self) -> Result<Option<Piece<'a>>, TraceError> {
        let start = self.at;
        self.at += 1;
        match self.peek() {
            Some(b'"') => self.element().map(Some),
            Some(b'[') => {
                self.at += 1;
                let back = self.number();
                let index = self.separator().then(|| self.number()).flatten();
                self.at = start;
                self.skip_value()?;
                match (back, index) {
                    (Some(back), Some(index)) => Ok(Some(Piece::Reference(Reference { back, index }))),
                    _ => Err(BROKEN),
                }
            }
            _ => {
                self.at = start;
                self.skip_value()?;
                Ok(None)
            }
        }
    }

    fn element(&mut self) -> Result<Piece<'a>, TraceError> {
        let name = self.string()?;
        let mut attributes: &[u8] = b"{}";
        if self.separator() {
            // The second item is the attributes, whatever it is.
            let start = self.at;
            self.skip_value()?;
            attributes = self.json.get(start..self.at).ok_or(BROKEN)?;
        }
        self.depth += 1;
        Ok(Piece::Open { name, attributes })
    }

    /// Skips white space and looks at what follows.
    fn peek(&mut self) -> Option<u8> {
        while let Some(&byte) = self.json.get(self.at) {
            if !byte.is_ascii_whitespace() {
                return Some(byte);
            }
            self.at += 1;
        }
        None
    }

    /// Skips a comma and the white space around it.
    fn separator(&mut self) -> bool {
        let found = self.peek() == Some(b',');
        if found {
            self.at += 1;
            self.peek();
        }
        found
    }

    fn number(&mut self) -> Option<u32> {
        self.peek();
        let digits = self.json.get(self.at..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let text = self.json.get(self.at..self.at + digits)?;
        self.at += digits;
        std::str::from_utf8(text).ok()?.parse().ok()
    }

    fn string(&mut self) -> Result<&'a [u8], TraceError> {
        let end = json::string_end(self.json, self.at).ok_or(BROKEN)?;
        let text = self.json.get(self.at..end).ok_or(BROKEN)?;
        self.at = end;
        Ok(text)
    }

    /// Skips one value of any kind; brackets are counted, not matched by kind: the text is known to be JSON.
    fn skip_value(&mut self) -> Result<(), TraceError> {
        let mut open = 0_usize;
        while let Some(byte) = self.peek() {
            match byte {
                b'"' => {
                    self.string()?;
                }
                b'[' | b'{' => {
                    open += 1;
                    self.at += 1;
                }
                b']' | b'}' if open > 0 => {
                    open -= 1;
                    self.at += 1;
                }
                b',' | b':' if open > 0 => self.at += 1,
                b']' | b'}' | b',' | b':' => return Err(BROKEN),
                _ => self.scalar(),
            }
            if open == 0 {
                return Ok(());
            }
        }
        Err(BROKEN)
    }

    fn scalar(&mut self) {
        while self.json.get(self.at).is_some_and(|byte| !matches!(byte, b',' | b']' | b'}' | b':' | b'"')) {
            self.at += 1;
        }
    }
}

/// The attributes of an element, decoded, in order. What is no text is left out.
pub(super) fn attributes(object: &[u8]) -> Result<Vec<(String, String)>, TraceError> {
    let mut found = Vec::new();
    let mut cursor = Cursor::new(object);
    if cursor.peek() != Some(b'{') {
        return Ok(found);
    }
    cursor.at += 1;
    loop {
        match cursor.peek() {
            Some(b',') => cursor.at += 1,
            Some(b'"') => {
                let name = cursor.string()?;
                if cursor.peek() != Some(b':') {
                    return Err(BROKEN);
                }
                cursor.at += 1;
                if cursor.peek() == Some(b'"') {
                    found.push((json::decode(name), json::decode(cursor.string()?)));
                } else {
                    cursor.skip_value()?;
                }
            }
            Some(b'}') => return Ok(found),
            _ => return Err(BROKEN),
        }
    }
}

/// Where the nodes with the numbers in `wanted` (sorted) are in the text of a snapshot; in the same order.
pub(super) fn locate(json: &[u8], wanted: &[u32]) -> Result<Vec<Range<usize>>, TraceError> {
    let mut found = Vec::with_capacity(wanted.len());
    let mut missing = wanted.iter().copied().peekable();
    let mut starts = Vec::new();
    let mut number = 0_u32;
    let mut cursor = Cursor::new(json);
    while missing.peek().is_some() {
        let Some(piece) = cursor.next()? else {
            return Err(TraceError::Snapshot("it refers to nodes that an earlier snapshot does not have"));
        };
        let span = cursor.span();
        let start = match piece {
            Piece::Open { .. } => {
                starts.push(span.start);
                continue;
            }
            Piece::Reference(_) => continue,
            Piece::Text(_) => span.start,
            Piece::Close => starts.pop().ok_or(BROKEN)?,
        };
        if missing.next_if_eq(&number).is_some() {
            found.push(start..span.end);
        }
        number = number.checked_add(1).ok_or(BROKEN)?;
    }
    Ok(found)
}

/// Every reference in the text of a node.
pub(super) fn references(json: &[u8]) -> Result<Vec<Reference>, TraceError> {
    let mut found = Vec::new();
    let mut cursor = Cursor::new(json);
    while let Some(piece) = cursor.next()? {
        if let Piece::Reference(reference) = piece {
            found.push(reference);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The texts of the nodes with these numbers.
    fn nodes<'a>(json: &'a str, wanted: &[u32]) -> Vec<&'a str> {
        let ranges = locate(json.as_bytes(), wanted).expect("all nodes");
        ranges.into_iter().map(|range| json.get(range).expect("a range of the text")).collect()
    }

    #[test]
    fn nodes_are_numbered_in_the_order_in_which_they_end() {
        let json = r#"["HTML",{},["HEAD",{},["STYLE",{},"p{}"]],[[1,2]],["BODY",{"a":"]"},"x",["BR"]]]"#;
        let all = [
            r#""p{}""#,
            r#"["STYLE",{},"p{}"]"#,
            r#"["HEAD",{},["STYLE",{},"p{}"]]"#,
            r#""x""#,
            r#"["BR"]"#,
            r#"["BODY",{"a":"]"},"x",["BR"]]"#,
            json,
        ];
        assert_eq!(nodes(json, &[0, 1, 2, 3, 4, 5, 6]), all);
        assert_eq!(nodes(json, &[1, 5]), [all[1], all[5]]);
        assert!(locate(json.as_bytes(), &[7]).is_err());
        assert_eq!(references(json.as_bytes()).expect("references"), [Reference { back: 1, index: 2 }]);
    }

    #[test]
    fn attributes_keep_their_order_and_lose_what_is_no_text() {
        let check = |json: &str, expected: &[(&str, &str)]| {
            let found = attributes(json.as_bytes()).expect("attributes");
            let found: Vec<(&str, &str)> = found.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            assert_eq!(found, expected, "{json}");
        };
        check(r#"{"b":"1","a":"x\"}"}"#, &[("b", "1"), ("a", "x\"}")]);
        check(r#" { "n" : 1 , "o" : {"p":["q"]} , "a" : "" } "#, &[("a", "")]);
        check("{}", &[]);
        check("null", &[]);
    }

    proptest! {
        #[test]
        fn no_text_breaks_the_walk(json in r#"[\[\]{}",:\\0-9a-z \u{e9}]{0,80}"#) {
            let bytes = json.as_bytes();
            drop(references(bytes));
            drop(attributes(bytes));
            drop(locate(bytes, &[0, 3]));
        }
    }
}
