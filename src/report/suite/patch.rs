//! The diff of a repair without secrets, in a form that `git apply` still takes wherever that is possible.

use super::{Clean, Repair};

/// How a diff begins that is for reading only.
const FOR_READING: &str = "# not for `git apply`: a line that holds a secret is left out\n";

/// Whether `git apply` takes the diff.
pub(super) fn applies(diff: &str) -> bool {
    !diff.starts_with('#')
}

/// Whether the diff changes the line of `one` from what it was to what it is, and nothing else.
pub(super) fn is_of(diff: &str, one: &Repair) -> bool {
    let (Some(file), Some(before), Some(after)) = (&one.file, &one.before, &one.after) else { return false };
    let mut lines = diff.lines();
    let head = lines.next() == Some(&format!("--- a/{file}")) && lines.next() == Some(&format!("+++ b/{file}"));
    let hunk = lines.next().and_then(start_of).is_some();
    let bare = |line: &str| line.trim_end_matches('\r').to_owned();
    let (around, change): (Vec<&str>, Vec<&str>) = lines.partition(|line| line.starts_with([' ', '\\']));
    let change: Vec<String> = change.into_iter().map(bare).collect();
    let note = |line: &str| !line.starts_with('\\') || line == "\\ No newline at end of file";
    head && hunk && around.into_iter().all(note) && change == [bare(&format!("-{before}")), bare(&format!("+{after}"))]
}

/// The diff without the lines around the change that hold secrets, and without the secrets of the change itself.
pub(super) fn without_secrets(diff: &str, clean: &mut Clean) -> String {
    // As a whole: a secret may go over several lines, and every line keeps its number.
    let text = clean.source(diff);
    if text == diff {
        return text;
    }
    let for_reading = || format!("{FOR_READING}{text}");
    let lines: Vec<&str> = diff.split_inclusive('\n').collect();
    let cleaned: Vec<&str> = text.split_inclusive('\n').collect();
    let hunk = lines.iter().position(|line| line.starts_with("@@"));
    let (Some(hunk), 1) = (hunk, lines.iter().filter(|line| line.starts_with("@@")).count()) else {
        return for_reading();
    };
    let (Some(start), Some(head)) = (lines.get(hunk).and_then(|line| start_of(line)), lines.get(..hunk)) else {
        return for_reading();
    };
    let body = lines.get(hunk + 1..).unwrap_or_default();
    let cleaned = cleaned.get(hunk + 1..).unwrap_or_default();
    let is_change = |line: &&str| line.starts_with(['-', '+']);
    let (Some(first), Some(last)) = (body.iter().position(&is_change), body.iter().rposition(is_change)) else {
        return for_reading();
    };
    let secret = |at: usize| cleaned.get(at) != body.get(at);
    let from = (0..first).rev().find(|&at| secret(at)).map_or(0, |at| at + 1);
    let to = (last + 1..body.len()).find(|&at| secret(at)).unwrap_or(body.len());
    // Without a line behind the change, git takes its end for the end of the file.
    let cut_off =
        to < body.len() && !body.get(last + 1..to).unwrap_or_default().iter().any(|line| line.starts_with(' '));
    let shown = cleaned.get(from..to).unwrap_or_default();
    let count = |signs: [char; 2]| shown.iter().filter(|line| line.starts_with(signs)).count();
    let start = start + from;
    let hunk = format!("@@ -{start},{} +{start},{} @@\n", count([' ', '-']), count([' ', '+']));
    let mark = if cut_off || (first..=last).any(secret) { FOR_READING } else { "" };
    [mark, &head.concat(), &hunk, &shown.concat()].concat()
}

/// The `diff` of `one` as it applies where the repairs `made` stand and no others of `all`: the lines around its change may
/// have been repaired by then, or not yet. In which order repairs were made is not the order of the patch, and a run that
/// goes on with another one's decisions may not have had its lines.
pub(super) fn upon(diff: &str, one: &Repair, made: &[&Repair], all: &[&Repair]) -> String {
    let there = |number: usize| {
        let here = move |other: &&&Repair| other.file == one.file && other.line == Some(number);
        let last = made.iter().rfind(here).and_then(|other| other.after.as_deref());
        let known = all.iter().filter(here);
        let said: Vec<&str> =
            known.clone().flat_map(|other| [&other.before, &other.after]).flatten().map(String::as_str).collect();
        let text = last.or_else(|| said.first().copied())?;
        Some((said, text))
    };
    let mut number = None;
    let mut text = String::with_capacity(diff.len());
    for line in diff.split_inclusive('\n') {
        let body = line.trim_end_matches(['\n', '\r']);
        let end = line.get(body.len()..).unwrap_or_default();
        if let Some(start) = start_of(body) {
            number = Some(start);
        } else if let Some(at) = &mut number
            && let Some(shown) = body.strip_prefix(' ')
        {
            let said = there(*at).filter(|(said, _)| said.contains(&shown)).map_or(shown, |(_, text)| text);
            text.extend([" ", said, end]);
            *at += 1;
            continue;
        } else if let Some(at) = &mut number {
            *at += usize::from(body.starts_with('-'));
        }
        text.push_str(line);
    }
    text
}

/// The first line of a hunk, by its head `@@ -3,7 +3,7 @@`: a swap of lines begins in the same line before and after.
fn start_of(head: &str) -> Option<usize> {
    let numbers = head.strip_prefix("@@ -")?;
    numbers.split([',', ' ']).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::redact::Redactor;

    fn diff(lines: &[&str]) -> String {
        format!("--- a/x.ts\n+++ b/x.ts\n@@ -3,7 +3,7 @@\n{}\n", lines.join("\n"))
    }

    fn cleaned(lines: &[&str]) -> String {
        without_secrets(&diff(lines), &mut Clean::new(Redactor::new(["tulip-99".to_owned()])))
    }

    #[test]
    fn a_diff_without_secrets_stays_as_it_is() {
        let lines = [" a", " b", " c", "-old", "+new", " d", " e", " f"];
        assert_eq!(cleaned(&lines), diff(&lines));
    }

    #[test]
    fn lines_with_secrets_around_the_change_are_left_out() {
        let lines = [" a", " fill('tulip-99')", " c", "-old", "+new", " d", " tulip-99", " f"];
        assert_eq!(cleaned(&lines), "--- a/x.ts\n+++ b/x.ts\n@@ -5,3 +5,3 @@\n c\n-old\n+new\n d\n");
    }

    #[test]
    fn values_of_queries_are_secrets_and_lines_keep_their_ends() {
        let lines = [" a\r", " goto('/x?page=2');\r", " c\r", "-old\r", "+new\r", " d\r", " e\r", " f\r"];
        let kept = ["--- a/x.ts\n+++ b/x.ts\n@@ -5,5 +5,5 @@\n c\r\n-old\r\n+new\r\n", " d\r\n e\r\n f\r\n"];
        assert_eq!(cleaned(&lines), kept.concat());
    }

    #[test]
    fn a_secret_that_goes_over_several_lines_is_left_out_whole() {
        let key = [" -----BEGIN PRIVATE KEY-----", " MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", " -----END PRIVATE KEY-----"];
        let text = cleaned(&[key[0], key[1], key[2], "-old", "+new", " d", " e", " f"]);
        assert!(!text.contains("MIIEvQ") && text.contains("@@ -6,4 +6,4 @@"), "{text}");
    }

    #[test]
    fn lines_around_a_change_are_as_the_repairs_before_it_leave_them() {
        let repair = |line: usize, before: &str, after: &str| Repair {
            file: Some("a/x.ts".to_owned()),
            line: Some(line),
            before: Some(before.to_owned()),
            after: Some(after.to_owned()),
            ..Repair::default()
        };
        let (one, two) = (repair(4, "old", "new"), repair(6, "b\tb", "B"));
        let over = |line: &str| diff(&[" x", "-old", "+new", " y", line, " c"]).replace('7', "5");
        for (made, shown, expected) in [
            (vec![], " b\tb", " b\tb"),
            (vec![], " B", " b\tb"),
            (vec![&two], " B", " B"),
            (vec![&two], " b\tb\r", " B\r"),
            (vec![&two], " other", " other"),
        ] {
            assert_eq!(upon(&over(shown), &one, &made, &[&one, &two]), over(expected), "{shown}");
        }
        let elsewhere = Repair { file: Some("b.ts".to_owned()), ..two.clone() };
        assert_eq!(upon(&over(" B"), &one, &[], &[&one, &elsewhere]), over(" B"));
        let again = repair(6, "B", "bb");
        assert_eq!(upon(&over(" b\tb"), &one, &[&two, &again], &[&one, &two, &again]), over(" bb"));
    }

    #[test]
    fn what_git_would_not_take_is_marked_as_for_reading() {
        for lines in [
            [" a", " b", " c", "-old", "+new", " tulip-99", " e", " f"],
            [" a", " b", " c", "-old('tulip-99')", "+new('tulip-99')", " d", " e", " f"],
        ] {
            let text = cleaned(&lines);
            assert!(!applies(&text) && !text.contains("tulip-99") && text.contains("\n-old"), "{text}");
        }
    }
}
