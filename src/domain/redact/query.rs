//! Which pieces of a text are values of query strings, of absolute and relative addresses, and of fragments made like them.
//!
//! A relative address has no mark of its own, and a question mark stands in code as well. What is a query is told by shape:
//! a name, `=` and a value directly behind the mark, where the place is no condition and no regular expression. The value is
//! found, the name is not. In doubt between prose and an address it is an address. Time is linear in the text: no look back
//! or ahead is longer than [`REACH`].

mod around;
mod code;

use std::ops::Range;

use self::around::{Quote, before, closer, end_of_bare, substitution};
use super::{MARK, SHORTEST_TYPED};

/// How far is looked back and ahead of a mark for what it stands in, in bytes.
const REACH: usize = 1024;

/// What stands before `=` is a name up to this many bytes, and may be a key itself beyond.
const LONGEST_NAME: usize = 24;

/// The values of all queries in `text`, sorted, none over another.
pub(super) fn values(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut last: Option<Query> = None;
    let mut at = 0;
    while let Some(step) = bytes.get(at..).and_then(|rest| rest.iter().position(|byte| b"?#&".contains(byte))) {
        at += step;
        let query = match bytes.get(at) {
            Some(b'?') => question(bytes, at),
            Some(b'#') => fragment(bytes, at, last.filter(|last| last.to == at)),
            _ => continued(bytes, at),
        };
        at += 1;
        if let Some(query) = query {
            query.values(bytes, &mut found);
            at = at.max(query.to);
            last = Some(query);
        }
    }
    found.retain(|range| text.get(range.clone()).is_some_and(has_more_than_marks));
    found
}

/// A query from behind its mark to its end.
#[derive(Clone, Copy)]
struct Query {
    from: usize,
    to: usize,
    /// The quote that ends the string it stands in.
    quote: Option<Quote>,
}

impl Query {
    /// The values of its parts; a part without a name is a value.
    fn values(self, bytes: &[u8], found: &mut Vec<Range<usize>>) {
        let mut from = self.from;
        let mut open = false;
        while from <= self.to {
            let to = end_of_part(bytes, from, self.to);
            let name = name(bytes, from, to);
            let value = name.map_or(from, |name| name + 1);
            if value < to {
                found.push(value..to);
            }
            open = name.is_some() && value == to;
            from = to + 1;
            if bytes.get(from..).is_some_and(|rest| rest.starts_with(b"amp;")) {
                from += b"amp;".len();
            }
        }
        // `'/x?name=' + 'value'`
        if open && let Some(quote) = self.quote {
            found.extend(around::added(bytes, self.to, quote));
        }
    }
}

/// The query behind the question mark at `at`.
fn question(bytes: &[u8], at: usize) -> Option<Query> {
    if code::is_literal(bytes, at) {
        return code::literal(bytes, at);
    }
    let from = at + 1;
    bytes.get(from).filter(|first| begins_name(**first))?;
    let before = before(bytes, at);
    let quoted = in_string(bytes, from, before.quote).map(|query| until_fragment(bytes, query));
    let is_query = match (name(bytes, from, bytes.len()), quoted) {
        _ if before.is_absolute(bytes) => true,
        _ if code::is_lazy(bytes, at) => false,
        (None, quoted) => before.is_address(bytes) && quoted.is_some_and(|query| is_key(bytes, query)),
        (Some(name), _) if bytes.get(name + 1).is_some_and(|byte| b"=>".contains(byte)) => false,
        (Some(name), Some(query)) if name + 1 == query.to => !before.is_empty(),
        (Some(_), Some(_)) => true,
        (Some(name), None) => has_bare(bytes, name + 1) && !code::is_code(bytes, &before, from),
    };
    is_query.then(|| quoted.unwrap_or_else(|| until_fragment(bytes, bare(bytes, from))))
}

/// What is from `from` to the end of the string that `quote` opened.
fn in_string(bytes: &[u8], from: usize, quote: Option<Quote>) -> Option<Query> {
    let to = closer(bytes, from, quote?)?;
    Some(Query { from, to, quote })
}

/// What is from `from` on, in no string.
fn bare(bytes: &[u8], from: usize) -> Query {
    Query { from, to: end_of_bare(bytes, from, bytes.len()), quote: None }
}

/// Whether there is any text at `from`, in no string.
fn has_bare(bytes: &[u8], from: usize) -> bool {
    end_of_bare(bytes, from, bytes.len().min(from + 2)) > from
}

/// The fragment at `at` of an address, behind the `query` of one, or a string that is one, where it is made like a query.
fn fragment(bytes: &[u8], at: usize, query: Option<Query>) -> Option<Query> {
    let from = at + 1;
    // Behind a route there is a question mark of its own.
    let named = bytes.get(from..)?.iter().take(REACH).position(|byte| !is_plain(*byte) && *byte != b'&')?;
    (named > 0 && bytes.get(from + named) == Some(&b'=')).then_some(())?;
    let before = before(bytes, at);
    let quoted = in_string(bytes, from, query.map_or(before.quote, |query| query.quote));
    let placed = query.is_some() || before.is_address(bytes) || (before.is_empty() && quoted.is_some());
    placed.then(|| quoted.unwrap_or_else(|| bare(bytes, from)))
}

/// `&name=value` at `at` as a string of its own, or behind a substitution: the rest of a query.
fn continued(bytes: &[u8], at: usize) -> Option<Query> {
    let from = at + 1;
    name(bytes, from, bytes.len())?;
    let before = before(bytes, at);
    let alone = before.is_empty() || bytes.get(at.checked_sub(1)?) == Some(&b'}');
    let query = in_string(bytes, from, before.quote.filter(|_| alone))?;
    Some(until_fragment(bytes, query))
}

/// The query without the fragment behind it.
fn until_fragment(bytes: &[u8], query: Query) -> Query {
    let mut at = query.from;
    while at < query.to {
        match bytes.get(at) {
            Some(b'#') => return Query { to: at, ..query },
            Some(b'$') => at = substitution(bytes, at).unwrap_or(at + 1),
            _ => at += 1,
        }
    }
    query
}

/// Where the part from `from` ends: at a `&` that stands in no substitution, or at `to`.
fn end_of_part(bytes: &[u8], from: usize, to: usize) -> usize {
    let mut at = from;
    while at < to {
        match bytes.get(at) {
            Some(b'&') => return at,
            Some(b'$') => at = substitution(bytes, at).unwrap_or(at + 1),
            _ => at += 1,
        }
    }
    at.min(to)
}

/// Where the `=` behind the name of a part is; `None` for a part without a name.
fn name(bytes: &[u8], from: usize, to: usize) -> Option<usize> {
    let part = bytes.get(from..to)?;
    let length = part.iter().take(LONGEST_NAME + 1).position(|byte| *byte == b'=').filter(|at| *at > 0)?;
    part.get(..length)?.iter().all(|byte| is_plain(*byte) || b"$@*![]".contains(byte)).then_some(from + length)
}

/// Whether a query without a name is one word that may be a key.
fn is_key(bytes: &[u8], query: Query) -> bool {
    bytes.get(query.from..query.to).is_some_and(|text| {
        text.len() >= SHORTEST_TYPED && text.iter().all(|byte| is_plain(*byte) || b"+=&".contains(byte))
    })
}

fn begins_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_$%[~@-".contains(&byte) || !byte.is_ascii()
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_.%~-".contains(&byte) || !byte.is_ascii()
}

/// Whether something is left of a value beside marks of what was taken out before.
fn has_more_than_marks(value: &str) -> bool {
    let mut rest = value;
    while let Some(behind) = rest.strip_prefix(MARK).and_then(|rest| rest.split_once(']')) {
        rest = behind.1;
    }
    !rest.is_empty()
}

#[cfg(test)]
mod tests;
