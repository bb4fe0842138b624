//! Repairs as suggestions in the review of a pull request: which lines can be commented, what a comment and the review say,
//! and whether there is anything new to be said.
//!
//! Pure. A line that the pull request does not show cannot be commented; its repair stands in the review's text.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::{Repair, Swap, marks, restored};

/// The lines that a pull request shows of a file as they are after it, by their number.
pub type Shown = BTreeMap<String, BTreeMap<usize, String>>;

/// A comment at a line, which offers another line in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// The file, from the top of the repository.
    pub path: String,
    /// Its line, from 1, after the pull request.
    pub line: usize,
    /// The text, with the suggestion.
    pub body: String,
}

/// A review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Review {
    /// The text, without the list of repairs.
    pub body: String,
    /// The comments.
    pub comments: Vec<Comment>,
    /// The ids of the repairs that it offers.
    pub repairs: Vec<String>,
}

/// A repair to be offered, and whether it is proven.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// The repair; its path is from the top of the repository.
    pub repair: Repair,
    /// Whether it was made and proven; otherwise somebody has to decide.
    pub proven: bool,
}

/// The lines after the change that `patch`, the hunks of one file, shows.
pub fn lines_of(patch: &str) -> BTreeMap<usize, String> {
    let mut lines = BTreeMap::new();
    let mut next = None;
    for line in patch.lines() {
        if let Some(head) = line.strip_prefix("@@ ") {
            let start = head.split_whitespace().find_map(|part| part.strip_prefix('+'));
            next = start.and_then(|start| start.split(',').next()?.parse::<usize>().ok());
            continue;
        }
        let Some(number) = next.as_mut() else { continue };
        if let Some(text) = line.strip_prefix(['+', ' ']) {
            lines.insert(*number, text.to_owned());
            *number += 1;
        } else if line.is_empty() {
            // Some hands take the blank off an empty line.
            lines.insert(*number, String::new());
            *number += 1;
        }
    }
    lines
}

/// The review that offers those of `offers` that no review of `earlier` offers already; `None` where there are none.
pub fn review(offers: &[Offer], shown: &Shown, earlier: &[String]) -> Option<Review> {
    let known: BTreeSet<&str> = earlier.iter().flat_map(|body| marks(body)).collect();
    let mut new: Vec<&Offer> = offers.iter().filter(|offer| !known.contains(offer.repair.id().as_str())).collect();
    new.dedup_by_key(|offer| offer.repair.id());
    if new.is_empty() {
        return None;
    }
    let mut comments = Vec::new();
    let mut elsewhere = String::new();
    for offer in &new {
        let swap = &offer.repair.swap;
        match shown.get(&swap.path).and_then(|lines| whole(swap, lines.get(&swap.line)?)) {
            Some(swap) => {
                comments.push(Comment { path: swap.path.clone(), line: swap.line, body: comment(offer, &swap.after) });
            }
            None => aside(&mut elsewhere, offer),
        }
    }
    let plural = if new.len() == 1 { "locator" } else { "locators" };
    let mut body = format!("**relocator**: {} stale {plural} of this pull request's tests.\n", new.len());
    if !elsewhere.is_empty() {
        _ = write!(body, "\nNot in the lines that this pull request shows:\n{elsewhere}");
    }
    Some(Review { body, comments, repairs: new.iter().map(|offer| offer.repair.id()).collect() })
}

/// The swap with its secrets, if the line is the one that it changes.
fn whole(swap: &Swap, line: &str) -> Option<Swap> {
    let line = line.strip_suffix('\r').unwrap_or(line);
    restored(swap, line).filter(|swap| swap.before == line)
}

fn comment(offer: &Offer, after: &str) -> String {
    format!("{}\n\n{}", words(offer), fenced("suggestion", after))
}

fn aside(text: &mut String, offer: &Offer) {
    let Swap { path, line, before, after } = &offer.repair.swap;
    let diff = format!("- {}\n+ {}", before.trim(), after.trim());
    _ = write!(text, "\n`{}:{line}` {}\n\n{}\n", path.replace('`', ""), words(offer), fenced("diff", &diff));
}

/// What is said of an offer, as plain text.
fn words(offer: &Offer) -> String {
    let repair = &offer.repair;
    let (what, proofs) =
        if offer.proven { ("Proven", repair.proofs.join("; ")) } else { ("For you to decide", String::new()) };
    let mut text = format!("{what}: {} ({})", plain(&repair.reason), repair.extent);
    if !proofs.is_empty() {
        _ = write!(text, ". {}", plain(&proofs));
    }
    text
}

/// Text that calls nobody, links nothing and is no markup, on one line.
fn plain(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if c.is_control() => safe.push(' '),
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '@' | '#' => safe.extend([c, '\u{200b}']),
            '\\' | '`' | '*' | '_' | '[' | ']' | '!' | '|' | '~' => safe.extend(['\\', c]),
            c => safe.push(c),
        }
    }
    safe.replace("://", ":\u{200b}//")
}

/// A block whose fence is longer than any in it.
fn fenced(kind: &str, text: &str) -> String {
    let mut longest = 2;
    let mut run = 0;
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(longest + 1);
    format!("{fence}{kind}\n{text}\n{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::handover::marked;

    fn offer(line: usize, before: &str, after: &str) -> Offer {
        let swap = Swap { path: "t/a.ts".to_owned(), line, before: before.to_owned(), after: after.to_owned() };
        let repair = Repair {
            group: "g".to_owned(),
            swap,
            extent: "1 test, 1 file".to_owned(),
            reason: "the same <b> @all".to_owned(),
            proofs: vec!["passed twice: held".to_owned()],
        };
        Offer { repair, proven: true }
    }

    fn shown() -> Shown {
        let patch = "@@ -1,3 +1,4 @@ head\n one\n-two\n+2\n+click('#a')\n four\n@@ -20 +21 @@\n+last\n\\ No newline";
        let lines = lines_of(patch);
        let all: Vec<(usize, &str)> = lines.iter().map(|(number, text)| (*number, text.as_str())).collect();
        assert_eq!(all, [(1, "one"), (2, "2"), (3, "click('#a')"), (4, "four"), (21, "last")]);
        Shown::from([("t/a.ts".to_owned(), lines)])
    }

    #[test]
    fn a_line_that_is_shown_gets_a_suggestion_and_another_stands_in_the_text() {
        let offers = [offer(3, "click('#a')", "click('```')"), offer(9, "  x", "  y"), offer(4, "other", "z")];
        let review = review(&offers, &shown(), &[]).unwrap();
        assert_eq!(review.repairs.len(), 3);
        let [comment] = review.comments.as_slice() else { panic!("{review:?}") };
        assert_eq!((comment.path.as_str(), comment.line), ("t/a.ts", 3));
        assert!(comment.body.ends_with("\n\n````suggestion\nclick('```')\n````"), "{}", comment.body);
        assert!(
            comment.body.starts_with("Proven: the same &lt;b&gt; @\u{200b}all (1 test, 1 file)"),
            "{}",
            comment.body
        );
        assert!(
            review.body.contains("`t/a.ts:9`")
                && review.body.contains("- x\n+ y")
                && review.body.contains("`t/a.ts:4`")
        );
    }

    #[test]
    fn what_was_offered_once_is_not_offered_again() {
        let offers = [offer(3, "click('#a')", "b"), offer(9, "x", "y")];
        let first = review(&offers[..1], &shown(), &[]).unwrap();
        let said = [marked(&first.body, &first.repairs), "a person's review".to_owned()];
        assert_eq!(review(&offers[..1], &shown(), &said), None);
        let second = review(&offers, &shown(), &said).unwrap();
        assert_eq!(second.repairs, [offers[1].repair.id()]);
        assert_eq!(review(&[], &shown(), &[]), None);
    }
}
