//! Cuts an answer into pages that stay within a number of characters, and keeps what is left for a cursor.
//!
//! Everything a caller gets back passes through here. Foreign text may be long, lists may be long: texts are shortened,
//! lists are continued. What is kept is bounded as well, the oldest is forgotten first.

use std::collections::VecDeque;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value, json};

use super::answer::{Code, Found, Refused, SCHEMA_VERSION};

/// How many answers are kept to be continued, of all callers together.
const KEPT: usize = 64;
/// How many items of one answer are kept.
const ITEMS: usize = 1_000;
/// The fewest characters that an answer may be bounded to: a refusal must fit.
pub(super) const FEWEST: usize = 2_000;
/// What the result around the structured part and the cursor take, in characters.
const AROUND: usize = 440;

/// The answers that can be continued.
#[derive(Debug)]
pub(super) struct Pages {
    limit: usize,
    kept: Mutex<VecDeque<Kept>>,
}

#[derive(Debug)]
struct Kept {
    id: String,
    owner: String,
    tool: &'static str,
    items: Arc<[Value]>,
}

/// Whose answer it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Whose<'a> {
    /// The caller.
    pub(super) owner: &'a str,
    /// The tool.
    pub(super) tool: &'static str,
}

impl Pages {
    /// Pages of at most `limit` characters each.
    pub(super) fn new(limit: usize) -> Self {
        Self { limit: limit.max(FEWEST), kept: Mutex::default() }
    }

    /// The first page of what was found.
    pub(super) fn first(&self, whose: Whose<'_>, found: Found) -> Value {
        let mut head = found.head;
        // At least a quarter of the first page is for the list.
        shrink(&mut head, self.limit.saturating_sub(AROUND) * 3 / 4);
        let room = self.limit.saturating_sub(AROUND + cost(&head));
        let items: Arc<[Value]> = found
            .items
            .into_iter()
            .take(ITEMS)
            .map(|mut item| {
                shrink(&mut item, room.max(self.limit / 4));
                item
            })
            .collect();
        let end = filled(&items, 0, room);
        let id = (end < items.len()).then(|| self.keep(whose, &items));
        page(&head, &items, (0, end), id.as_deref())
    }

    /// The page that `cursor` stands for.
    pub(super) fn next(&self, whose: Whose<'_>, cursor: &str) -> Result<Value, Refused> {
        let unknown = || {
            Refused::new(
                Code::UnknownCursor,
                "this cursor is not known (any more), or belongs to another tool or caller",
            )
            .hinted("call the tool again without a cursor")
        };
        let (id, start) = cursor.split_once('.').ok_or_else(unknown)?;
        let start = start.parse::<usize>().map_err(|_| unknown())?;
        let items = {
            let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            let mine = |one: &&Kept| one.id == id && one.owner == whose.owner && one.tool == whose.tool;
            kept.iter().find(mine).map(|one| Arc::clone(&one.items)).ok_or_else(unknown)?
        };
        if start >= items.len() {
            return Err(unknown());
        }
        let end = filled(&items, start, self.limit.saturating_sub(AROUND)).max(start + 1);
        Ok(page(&Value::Null, &items, (start, end), (end < items.len()).then_some(id)))
    }

    fn keep(&self, whose: Whose<'_>, items: &Arc<[Value]>) -> String {
        // Not to be guessed from another one, nor the same after a restart.
        let id = format!("{:016x}", RandomState::new().build_hasher().finish());
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        while kept.len() >= KEPT {
            kept.pop_front();
        }
        kept.push_back(Kept {
            id: id.clone(),
            owner: whose.owner.to_owned(),
            tool: whose.tool,
            items: Arc::clone(items),
        });
        id
    }
}

/// A refusal as an answer.
pub(super) fn refusal(refused: &Refused) -> Value {
    json!({
        "schema_version": SCHEMA_VERSION,
        "refused": refused,
        "result": null,
        "items": [],
        "items_total": 0,
        "next_cursor": null,
    })
}

fn page(head: &Value, items: &[Value], (start, end): (usize, usize), id: Option<&str>) -> Value {
    json!({
        "schema_version": SCHEMA_VERSION,
        "refused": null,
        "result": head,
        "items": items.get(start..end).unwrap_or_default(),
        "items_total": items.len(),
        "next_cursor": id.map(|id| format!("{id}.{end}")),
    })
}

/// How many characters `value` takes in a result, which holds it twice: structured, and as a text of JSON.
fn cost(value: &Value) -> usize {
    let text = value.to_string();
    let escaped = Value::String(text.clone()).to_string();
    text.chars().count() + escaped.chars().count()
}

/// Where the page that begins at `start` ends: the items that fit into `room`.
fn filled(items: &[Value], start: usize, room: usize) -> usize {
    let mut left = room;
    let mut end = start;
    for item in items.iter().skip(start) {
        let Some(rest) = left.checked_sub(cost(item) + 2) else { break };
        left = rest;
        end += 1;
    }
    end
}

/// Shortens texts, then lists, until `value` takes at most `room` characters.
fn shrink(value: &mut Value, room: usize) {
    while cost(value) > room {
        let longest = longest_text(value);
        if longest > 24 {
            cut_texts(value, (longest * 2 / 3).max(20));
        } else if !halve_longest_list(value) {
            *value = Value::Null;
            return;
        }
    }
}

fn longest_text(value: &Value) -> usize {
    match value {
        Value::String(text) => text.chars().count(),
        Value::Array(items) => items.iter().map(longest_text).max().unwrap_or_default(),
        Value::Object(fields) => fields.values().map(longest_text).max().unwrap_or_default(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

fn cut_texts(value: &mut Value, longest: usize) {
    match value {
        Value::String(text) => {
            if let Some((at, _)) = text.char_indices().nth(longest) {
                text.truncate(at);
                text.push('…');
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| cut_texts(item, longest)),
        Value::Object(fields) => fields.values_mut().for_each(|item| cut_texts(item, longest)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Drops the second half of the longest list; `false` where no list has anything left to drop.
fn halve_longest_list(value: &mut Value) -> bool {
    let longest = longest_list(value);
    longest > 0 && halve(value, longest)
}

fn longest_list(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(longest_list).max().unwrap_or_default().max(items.len()),
        Value::Object(fields) => fields.values().map(longest_list).max().unwrap_or_default(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

fn halve(value: &mut Value, length: usize) -> bool {
    match value {
        Value::Array(items) if items.len() == length => {
            items.truncate(length / 2);
            true
        }
        Value::Array(items) => items.iter_mut().any(|item| halve(item, length)),
        Value::Object(fields) => halve_in(fields, length),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn halve_in(fields: &mut Map<String, Value>, length: usize) -> bool {
    fields.values_mut().any(|item| halve(item, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINE: Whose<'_> = Whose { owner: "a", tool: "t" };

    fn found(items: usize, text: &str) -> Found {
        let items = (0..items).map(|number| json!({ "number": number, "text": text })).collect();
        Found { head: json!({ "seen": text }), items }
    }

    /// All items, page by page, with every page held against the bound.
    fn read(pages: &Pages, found: Found, limit: usize) -> Vec<Value> {
        let mut page = pages.first(MINE, found);
        let mut items = Vec::new();
        loop {
            // What is around the structured part and its text in a result.
            assert!(cost(&page) + 90 <= limit, "{} characters", cost(&page));
            items.extend(page["items"].as_array().unwrap().clone());
            let Some(cursor) = page["next_cursor"].as_str().map(str::to_owned) else { return items };
            page = pages.next(MINE, &cursor).unwrap();
        }
    }

    #[test]
    fn every_item_comes_once_and_no_page_is_too_long() {
        let long = "\"quoted\" ünï \u{1f600} \\ ".repeat(400);
        for (count, text) in [(0, "x"), (1, "x"), (400, "some text"), (30, long.as_str())] {
            for limit in [FEWEST, 8_000] {
                let items = read(&Pages::new(limit), found(count, text), limit);
                let numbers: Vec<u64> = items.iter().map(|item| item["number"].as_u64().unwrap()).collect();
                assert_eq!(numbers, (0..count as u64).collect::<Vec<_>>(), "{count} items, limit {limit}");
            }
        }
    }

    #[test]
    fn what_is_no_text_shrinks_as_well() {
        let mut value = json!({ "lists": [vec![1; 5_000], vec![2; 9_000]] });
        shrink(&mut value, 1_000);
        assert!(cost(&value) <= 1_000, "{value}");
        let mut many = Value::Object((0..5_000).map(|number| (number.to_string(), json!(true))).collect());
        shrink(&mut many, 1_000);
        assert_eq!(many, Value::Null);
    }

    #[test]
    fn a_cursor_is_its_owners_and_its_tools() {
        let pages = Pages::new(FEWEST);
        let page = pages.first(MINE, found(100, "text"));
        let cursor = page["next_cursor"].as_str().unwrap();
        assert!(pages.next(MINE, cursor).is_ok());
        assert!(pages.next(MINE, cursor).is_ok(), "a page can be asked for again");
        for (owner, tool) in [("b", "t"), ("a", "u")] {
            assert!(pages.next(Whose { owner, tool }, cursor).is_err(), "{owner} {tool}");
        }
        let id = cursor.split_once('.').unwrap().0;
        for bad in
            ["", ".", "x", "x.0", &format!("{id}.100"), &format!("{id}.-1"), &format!("{id}.99999999999999999999")]
        {
            assert!(pages.next(MINE, bad).is_err(), "{bad}");
        }
        for _ in 0..KEPT {
            pages.first(MINE, found(100, "text"));
        }
        assert!(pages.next(MINE, cursor).is_err(), "the oldest is forgotten");
    }
}
