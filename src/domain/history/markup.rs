//! The elements of a fragment of markup, as HTML, JSX, Vue, Svelte, Angular and templates write them, with their attributes
//! and their own texts. A fragment may begin and end anywhere; code around the markup is handed to [`super::code`].

use super::code::strings;
use super::held::{Held, Slot, plain_name};
use super::scan::Cursor;

/// Elements that have no content.
const VOID: [&str; 13] =
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"];

/// Elements within a text that do not part it.
const INLINE: [&str; 9] = ["b", "i", "em", "strong", "u", "small", "br", "wbr", "mark"];

/// A thing of the source that can hold literals: an element, or a line of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    /// The element's name, or what a line of code looks like without its strings; empty where it begins outside of the
    /// fragment.
    pub(super) name: String,
    /// Whether it is an element.
    pub(super) element: bool,
    /// What it holds, in order.
    pub(super) held: Vec<Held>,
    /// Where its beginning and its last own part stand, in bytes.
    pub(super) span: (usize, usize),
}

/// The pieces of a fragment in the order of their beginnings.
pub(super) fn pieces(text: &str) -> Vec<Piece> {
    let mut reader = Reader {
        cursor: Cursor::new(text),
        pieces: Vec::new(),
        open: Vec::new(),
        chunk: String::new(),
        from: 0,
        depth: 0,
    };
    if begins_inside_a_tag(text) {
        reader.attributes(String::new(), 0);
    }
    reader.run();
    reader.pieces
}

/// Whether a fragment begins between a tag's name and its end: a line of attributes comes before any tag.
fn begins_inside_a_tag(text: &str) -> bool {
    let first = text.trim_start();
    let name = first.find(|c: char| !(c.is_alphanumeric() || "-_:@.[]()#*".contains(c))).unwrap_or(first.len());
    let (name, rest) = first.split_at_checked(name).unwrap_or((first, ""));
    let begins = rest.strip_prefix('=').is_some_and(|value| value.starts_with(['"', '\'', '{']));
    // `name={` and `name="` are no assignments of any language in a line that ends with the value.
    let line = first.lines().next().unwrap_or_default().trim_end();
    begins && !name.is_empty() && !line.ends_with(';') && !line.ends_with(',')
}

struct Reader<'t> {
    cursor: Cursor<'t>,
    pieces: Vec<Piece>,
    /// The open elements: indices into the pieces.
    open: Vec<usize>,
    /// The text since the last tag or brace, and where it began.
    chunk: String,
    from: usize,
    /// How many braces are open since the last tag.
    depth: usize,
}

impl Reader<'_> {
    fn run(&mut self) {
        while !self.cursor.is_done() {
            let word = self.cursor.previous();
            let second = self.cursor.second();
            match self.cursor.peek() {
                '<' if self.cursor.take("<!--") => {
                    self.flush();
                    self.cursor.take_past("-->");
                }
                '<' if self.cursor.take("<%") => {
                    self.flush();
                    let from = self.cursor.at();
                    let code = self.cursor.take_past("%>");
                    self.expression(code, from);
                }
                '<' if second == '/' => self.close(),
                '<' if second.is_ascii_alphabetic() && !word.is_alphanumeric() && !matches!(word, '_' | '$' | ')') => {
                    self.tag();
                }
                c @ ('{' | '}') => {
                    self.flush();
                    self.depth = if c == '{' { self.depth + 1 } else { self.depth.saturating_sub(1) };
                    self.cursor.next();
                }
                c => {
                    if self.chunk.is_empty() {
                        self.from = self.cursor.at();
                    }
                    self.chunk.push(c);
                    self.cursor.next();
                }
            }
        }
        self.flush();
    }

    /// Hands the text since the last tag or brace to the element it stands in, or reads it as code.
    fn flush(&mut self) {
        let chunk = std::mem::take(&mut self.chunk);
        let (from, end) = (self.from, self.cursor.at());
        if chunk.trim().is_empty() {
            return;
        }
        let owner = self.open.last().and_then(|&at| self.pieces.get_mut(at));
        match owner {
            Some(owner) if self.depth == 0 && owner.name != "script" && !is_code(&chunk) => {
                if owner.name != "style" {
                    owner.held.push(Held::new(Slot::Text, readable(&chunk)));
                    owner.span.1 = end;
                }
            }
            Some(owner) if self.depth > 0 && owner.name != "script" && !is_code(&chunk) => {
                self.expression(&chunk, from);
            }
            _ => self.code(&chunk, from),
        }
    }

    /// The strings of an expression within an element's content belong to its text.
    fn expression(&mut self, code: &str, from: usize) {
        let Some(owner) = self.open.last().and_then(|&at| self.pieces.get_mut(at)) else {
            self.code(code, from);
            return;
        };
        owner.span.1 = from + code.len();
        owner.held.extend(strings(code).held.into_iter().map(|held| match held.slot {
            Slot::Bare => Held { slot: Slot::Text, ..held },
            _ => held,
        }));
    }

    fn code(&mut self, code: &str, from: usize) {
        let mut at = from;
        for line in code.split_inclusive('\n') {
            let found = strings(line);
            let span = (at, at + line.trim_end().len());
            if !found.held.is_empty() {
                self.pieces.push(Piece { name: found.skeleton, element: false, held: found.held, span });
            } else if self.depth == 0 && is_plain_text(line) {
                // The text of an element that begins outside of the fragment.
                let held = vec![Held::new(Slot::Text, readable(line))];
                self.pieces.push(Piece { name: String::new(), element: true, held, span });
            }
            at += line.len();
        }
    }

    fn close(&mut self) {
        self.flush();
        self.depth = 0;
        self.cursor.take("</");
        let name = self.cursor.take_while(|c| c.is_alphanumeric() || "-_.:".contains(c)).to_owned();
        self.cursor.take_past(">");
        let of = |at: &usize| self.pieces.get(*at).is_some_and(|piece| piece.name == name);
        if let Some(depth) = self.open.iter().rposition(of) {
            self.open.truncate(depth);
        }
    }

    fn tag(&mut self) {
        let start = self.cursor.at();
        let mut ahead = self.cursor.clone();
        ahead.next();
        let name = ahead.take_while(|c| c.is_alphanumeric() || "-_.:".contains(c)).to_owned();
        if INLINE.contains(&name.as_str()) && !self.open.is_empty() && ahead.peek() == '>' {
            // `Log <b>in</b>` is one text.
            self.cursor.take_past(">");
            return;
        }
        self.flush();
        self.depth = 0;
        self.cursor = ahead;
        self.attributes(name, start);
    }

    /// Reads the attributes of a tag to its end.
    fn attributes(&mut self, name: String, start: usize) {
        let mut piece = Piece { name, element: true, held: Vec::new(), span: (start, start) };
        let mut closed = false;
        loop {
            self.cursor.take_while(char::is_whitespace);
            match self.cursor.peek() {
                '\0' => break,
                '>' => {
                    self.cursor.next();
                    break;
                }
                '/' => {
                    self.cursor.next();
                    closed = self.cursor.peek() == '>';
                }
                '{' => _ = self.cursor.take_balanced('{', '}'),
                '<' if self.cursor.take("<%") => _ = self.cursor.take_past("%>"),
                // A tag that never ended: it was none.
                '<' => return,
                _ => self.attribute(&mut piece),
            }
            piece.span.1 = self.cursor.at();
        }
        piece.span.1 = piece.span.1.max(self.cursor.at());
        let opens = !closed && !VOID.contains(&piece.name.to_lowercase().as_str());
        self.pieces.push(piece);
        if opens {
            self.open.push(self.pieces.len() - 1);
        }
    }

    fn attribute(&mut self, piece: &mut Piece) {
        let before = self.cursor.at();
        let written =
            self.cursor.take_while(|c| !c.is_whitespace() && !matches!(c, '=' | '>' | '/' | '<' | '{' | '"' | '\''));
        if self.cursor.at() == before {
            self.cursor.next();
            return;
        }
        let mut ahead = self.cursor.clone();
        ahead.take_while(char::is_whitespace);
        if !ahead.take("=") {
            return;
        }
        ahead.take_while(char::is_whitespace);
        self.cursor = ahead;
        let name = plain_name(written);
        let is_event = name.starts_with("on") && name.len() > 4 || written.starts_with(['@', '(', '#', '*']);
        let is_bound = written.starts_with([':', '[']) || written.starts_with("v-bind") || written.starts_with("ng-");
        let slot = || Slot::Attribute(name.clone());
        match self.cursor.peek() {
            quote @ ('"' | '\'') => {
                self.cursor.next();
                let value = self.cursor.take_past(quote.encode_utf8(&mut [0; 4]));
                match value {
                    _ if is_event => {}
                    value if is_bound => piece.held.extend(bound(value, &slot())),
                    value if value.contains("{{") || value.contains("<%") => piece.held.extend(bound(value, &slot())),
                    value => piece.held.push(Held::new(slot(), readable(value))),
                }
            }
            '{' => {
                let code = self.cursor.take_balanced('{', '}');
                if !is_event {
                    piece.held.extend(bound(code, &slot()));
                }
            }
            _ => {
                let value = self.cursor.take_while(|c| !c.is_whitespace() && c != '>');
                if !is_event && !value.is_empty() {
                    piece.held.push(Held::new(slot(), value));
                }
            }
        }
    }
}

/// The strings of an attribute's expression; an entry in it keeps its key.
fn bound(code: &str, slot: &Slot) -> Vec<Held> {
    let is_class = *slot == Slot::Attribute("class".to_owned());
    let place = |held: Held| match held.slot {
        Slot::Bare => Held { slot: slot.clone(), ..held },
        _ if is_class => Held { slot: slot.clone(), ..held },
        _ => held,
    };
    strings(code).held.into_iter().map(place).collect()
}

/// Whether a text between tags is code after all: the end of one component and the beginning of the next.
fn is_code(text: &str) -> bool {
    let text = text.trim();
    text.contains("=>")
        || text.contains(";\n")
        || text.ends_with([';', '('])
        || text.contains(" = ")
        || text.starts_with(')')
}

/// Whether a line without an owner is a text and no code.
fn is_plain_text(line: &str) -> bool {
    line.chars().any(char::is_alphabetic)
        && !line.contains(['(', ')', '{', '}', '[', ']', ';', '=', '<', '>', '@', '\\'])
}

/// A text as it is read: entities decoded, white space squashed.
fn readable(text: &str) -> String {
    let squashed = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if !squashed.contains('&') {
        return squashed;
    }
    let entities = [
        ("&nbsp;", " "),
        ("&apos;", "'"),
        ("&#39;", "'"),
        ("&rsquo;", "’"),
        ("&quot;", "\""),
        ("&hellip;", "…"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&amp;", "&"),
    ];
    entities.iter().fold(squashed, |text, (entity, character)| text.replace(entity, character)).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(text: &str) -> Vec<String> {
        let held = |held: &Held| match &held.slot {
            Slot::Attribute(name) => format!("{name}={}", held.value),
            Slot::Text => held.value.clone(),
            Slot::Entry(key) => format!("{key}:{}", held.value),
            Slot::Bare => format!("'{}'", held.value),
        };
        let piece =
            |piece: &Piece| format!("{}[{}]", piece.name, piece.held.iter().map(held).collect::<Vec<_>>().join("|"));
        pieces(text).iter().map(piece).collect()
    }

    #[test]
    fn elements_are_read_in_every_dialect() {
        for (text, expected) in [
            ("<button id=\"save\" class='a b'>Save <b>all</b></button>", vec!["button[id=save|class=a b|Save all]"]),
            (
                "<Button data-testid=\"save\" onClick={() => go('x')} className={clsx('a', on && 'b')} {...rest}>\n  {t('form.save')}\n</Button>",
                vec!["Button[data-testid=save|class=a|class=b|form.save]"],
            ),
            (
                "<v-btn :data-testid=\"'save'\" @click=\"go('x')\">{{ $t('form.save') }}</v-btn>",
                vec!["v-btn[data-testid=save|form.save]"],
            ),
            (
                "<button [attr.data-testid]=\"'save'\" (click)=\"go()\">{{ 'form.save' | translate }}</button>",
                vec!["button[data-testid=save|form.save]"],
            ),
            (
                "<button on:click={go} data-testid=\"save\">Save</button>{#if x}<p>no</p>{/if}",
                vec!["button[data-testid=save|Save]", "p[no]"],
            ),
            (
                "<input name=email placeholder=\"E-mail\"><label>Name</label>",
                vec!["input[name=email|placeholder=E-mail]", "label[Name]"],
            ),
            ("<%= f.submit \"Save\", id: \"save\" %>", vec!["= f.submit '', id: ''['Save'|id:save]"]),
            (
                "  id=\"save\"\n  type=\"button\"\n>\n  Save\n</button>\n<a>Next</a>",
                vec!["[id=save|type=button|Save]", "a[Next]"],
            ),
            ("const x: Array<string> = a < b ? 'p' : 'q';", vec!["const x: Array<string> = a < b ? '' : '';['p'|'q']"]),
            (
                "function A() {\n  return <p title=\"t\">hello</p>;\n}\nconst b = 'x';",
                vec!["p[title=t|hello]", "const b = '';[b:x]"],
            ),
        ] {
            assert_eq!(seen(text), expected, "{text}");
        }
    }

    #[test]
    fn any_fragment_is_read_to_its_end() {
        for text in
            ["<", "<a", "<a b=\"", "</", "<!--", "{{{", "<a {", "}}}>", "'", "<a =>", "\u{fffd}<ä ö='", "<a><a><a>"]
        {
            drop(pieces(text));
        }
    }
}
