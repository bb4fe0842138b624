//! A red suite as Markdown: for the comment of a pull request, or GitHub's step summary.

use std::fmt::Write as _;

use super::suite::{Document, Group, Repair};
use super::table;
use crate::ui::printable;

/// GitHub cuts a comment at 65,536 characters and a summary at a megabyte: a report stays below both.
const LONGEST: usize = 60_000;

/// Longest message of one group, in characters.
const MESSAGE: usize = 1_500;

/// How many tests of a group are named.
const TESTS: usize = 10;

/// The report.
pub fn markdown(document: &Document) -> String {
    let mut text = String::from("## relocator\n\n");
    for line in table::summary(document).lines() {
        _ = writeln!(text, "{}  ", escape(line));
    }
    if !document.groups.is_empty() {
        text.push_str("\n| outcome | tests | what |\n|---|---|---|\n");
        for group in &document.groups {
            let row = format!("| {} | {} | {} |\n", group.outcome, group.extent(), escape(&group.headline));
            if !room(&mut text, &row) {
                break;
            }
        }
    }
    for note in &document.notes {
        room(&mut text, &format!("\n{}\n", escape(note)));
    }
    for (index, group) in document.groups.iter().enumerate() {
        if !room(&mut text, &section(group)) {
            let left = document.groups.len() - index;
            _ = writeln!(text, "\n{left} more groups are in the JSON and HTML reports.");
            break;
        }
    }
    text
}

/// Adds `more` if there is room for it.
fn room(text: &mut String, more: &str) -> bool {
    let fits = text.len() + more.len() <= LONGEST;
    if fits {
        text.push_str(more);
    }
    fits
}

fn section(group: &Group) -> String {
    let mut text = format!(
        "\n<details><summary><b>{}</b> {} ({})</summary>\n\n",
        group.outcome,
        html(&group.headline),
        group.extent()
    );
    _ = writeln!(text, "{}\n", escape(&group.why));
    if let Some(locator) = &group.locator {
        for link in &locator.links {
            let count = link.count.map_or_else(|| "an unknown number".to_owned(), |count| count.to_string());
            _ = writeln!(text, "- {} matches {count}", code(&link.link));
        }
        if let Some(place) = &locator.definition {
            _ = writeln!(text, "- defined at {}", code(&place.to_string()));
        }
    }
    if let Some(since) = &group.first_bad {
        _ = writeln!(text, "- {} ({})", escape(&since.to_string()), code(&since.range));
    }
    let listed = group.listed();
    for (member, projects) in listed.iter().take(TESTS) {
        let projects = if projects.is_empty() { String::new() } else { format!(" ({})", projects.join(", ")) };
        _ = writeln!(
            text,
            "- {} {}{}",
            code(&format!("{}:{}", member.file, member.line)),
            escape(&member.titles.join(" › ")),
            escape(&projects)
        );
    }
    let more = listed.len().saturating_sub(TESTS) + group.members_left_out;
    if more > 0 {
        _ = writeln!(text, "- and {more} more");
    }
    for request in &group.evidence.requests {
        _ = writeln!(
            text,
            "- request {} {}",
            code(&format!("{} {}", request.method, request.url)),
            escape(&request.ended)
        );
    }
    for console in &group.evidence.console {
        _ = writeln!(text, "- console {}", code(console));
    }
    match &group.repair {
        Some(repair) => repair_section(&mut text, repair),
        None => {
            for look in &group.look_at {
                _ = writeln!(text, "- {}", escape(look));
            }
        }
    }
    let message: String = group.message.chars().take(MESSAGE).collect();
    if !message.is_empty() {
        _ = writeln!(text, "\n{}", block("text", &message));
    }
    text.push_str("</details>\n");
    text
}

fn repair_section(text: &mut String, repair: &Repair) {
    _ = writeln!(text, "\n{} ({})\n", escape(&repair.sentence), repair.reason);
    for proof in &repair.proofs {
        _ = writeln!(
            text,
            "- {}: {} {}",
            proof.name.replace('_', " "),
            proof.result.replace('_', " "),
            escape(&proof.seen)
        );
    }
    if let Some(model) = &repair.model {
        _ = writeln!(text, "- asked {}: {}", code(&model.name), model.spent());
    }
    if let Some(diff) = &repair.diff {
        _ = writeln!(text, "\n{}", block("diff", diff.trim_end()));
    }
    for further in &repair.further {
        _ = writeln!(text, "\nBehind it: **{}** {}", further.outcome, escape(&further.headline));
        repair_section(text, &further.repair);
    }
}

/// Text that means nothing to Markdown or HTML, on one line.
fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in printable(text).chars() {
        match c {
            '\n' | '\t' => safe.push(' '),
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            // A mention would call a person, and a number would link an issue, also where the sign is written as an entity.
            '@' | '#' => safe.extend([c, '\u{200b}']),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '(' | ')' | '!' | '|' | '~' => safe.extend(['\\', c]),
            c => safe.push(c),
        }
    }
    // A bare address would become a link.
    safe.replace("://", ":\u{200b}//")
}

/// Text inside an HTML element, where Markdown means nothing.
fn html(text: &str) -> String {
    let text = printable(text).replace(['\n', '\t'], " ");
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('@', "@\u{200b}").replace('#', "#\u{200b}").replace("://", ":\u{200b}//")
}

/// Text in a code span, on one line; its fence is longer than any in it.
fn code(text: &str) -> String {
    let text = printable(text).replace(['\n', '\t'], " ").replace('|', "\u{2502}");
    let fence = "`".repeat(longest_run(&text, '`') + 1);
    format!("{fence} {text} {fence}")
}

/// Text in a code block; its fence is longer than any in it. Printed in a job of GitHub Actions, no line of it is a command to
/// the runner, which takes `::` behind any white space, and `##[` anywhere.
fn block(language: &str, text: &str) -> String {
    let text: Vec<String> = printable(text).lines().map(no_command).collect();
    let text = text.join("\n");
    let fence = "`".repeat(longest_run(&text, '`').max(2) + 1);
    format!("{fence}{language}\n{text}\n{fence}")
}

fn no_command(line: &str) -> String {
    let line = line.replace("##[", "#\u{200b}#[");
    let (space, rest) = line.split_at(line.len() - line.trim_start().len());
    if rest.starts_with("::") { format!("{space}\u{200b}{rest}") } else { line }
}

fn longest_run(text: &str, wanted: char) -> usize {
    let (mut longest, mut run) = (0, 0);
    for c in text.chars() {
        run = if c == wanted { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::{block, code, escape};

    #[test]
    fn foreign_text_stays_text() {
        assert_eq!(
            escape("<img src=x> | @me [a](http://b) `c`\n# d"),
            "&lt;img src=x&gt; \\| @\u{200b}me \\[a\\]\\(http:\u{200b}//b\\) \\`c\\` #\u{200b} d"
        );
        assert_eq!(code("a ``b`` c"), "``` a ``b`` c ```");
        assert_eq!(block("text", "a\n````\nb"), "`````text\na\n````\nb\n`````");
        let commands = block("text", "  ::error file=a::b\n##[error]c\na::b");
        assert_eq!(commands, "```text\n  \u{200b}::error file=a::b\n#\u{200b}#[error]c\na::b\n```");
    }
}
