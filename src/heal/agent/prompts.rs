//! The prompts: files with a version in their first line, embedded, filled in here.

use super::Failure;
use crate::domain::decide::Verdict;
use crate::heal::tools::Desk;

const SYSTEM: &str = include_str!("../../../prompts/heal/system.md");
const CASE: &str = include_str!("../../../prompts/heal/case.md");
/// How a prompt file begins.
const VERSION: &str = "version: ";

/// The version of the prompts, for the manifest of a run.
pub fn version() -> &'static str {
    SYSTEM.lines().next().and_then(|line| line.strip_prefix(VERSION)).unwrap_or_default()
}

/// What kind of content goes to a model, for whoever must know before it goes.
pub fn what_is_sent() -> &'static str {
    "the failing locator and its line of source, names and texts of elements of the failing page, lines of source files that the model asks for, and results of test runs; secrets are taken out"
}

pub(super) fn system() -> &'static str {
    body(SYSTEM)
}

fn body(file: &'static str) -> &'static str {
    file.split_once('\n').map_or(file, |(_, body)| body).trim()
}

/// The first message of a user: the failure, filled in.
pub(super) struct Case<'c, 'd> {
    pub(super) failure: &'c Failure<'c>,
    pub(super) desk: &'c Desk<'d>,
    pub(super) runs: u32,
}

impl Case<'_, '_> {
    pub(super) fn text(&self) -> String {
        let desk = self.desk;
        let piece = desk.view.definition.piece_of(desk.view.steps.start);
        let (path, line) = piece.map_or(("", 0), |piece| (piece.call.path.as_str(), piece.call.line));
        let file = desk.view.project.file(path);
        let source = file.and_then(|file| file.text.lines().nth((line as usize).saturating_sub(1))).unwrap_or_default();
        let values = [
            ("test", self.failure.test.to_owned()),
            ("failure", self.failure.seen.to_owned()),
            ("method", self.failure.method.to_owned()),
            ("locator", self.failure.locator.to_owned()),
            ("link", self.failure.link.to_owned()),
            ("path", path.to_owned()),
            ("line", line.to_string()),
            ("source", source.trim().to_owned()),
            ("ranking", self.ranking()),
            ("runs", self.runs.to_string()),
        ];
        filled(body(CASE), &values)
    }

    fn ranking(&self) -> String {
        let number = |index: usize| {
            let place = self.desk.view.decision.ranked.iter().position(|scored| scored.index == index);
            place.map_or_else(String::new, |place| (place + 1).to_string())
        };
        match &self.desk.view.decision.verdict {
            Verdict::Same(index) => format!("it is candidate {}.", number(*index)),
            Verdict::Likely(index) | Verdict::Weak(index) => {
                format!("it may be candidate {}, but that is not sure enough to act on.", number(*index))
            }
            Verdict::Ambiguous(several) => {
                let numbers: Vec<String> = several.iter().map(|&index| number(index)).collect();
                format!("it may be any of the candidates {}.", numbers.join(", "))
            }
            Verdict::Gone | Verdict::WrongPage(_) => "none of the elements is it.".to_owned(),
        }
    }
}

/// Fills in each `{{key}}` once; what is filled in is not looked at again.
fn filled(template: &str, values: &[(&str, String)]) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((head, tail)) = rest.split_once("{{") {
        out.push_str(head);
        let Some((key, behind)) = tail.split_once("}}") else {
            rest = tail;
            break;
        };
        let value = values.iter().find(|(name, _)| *name == key).map(|(_, value)| value.as_str());
        out.push_str(value.unwrap_or_default());
        rest = behind;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_prompts_have_the_same_version_and_no_header_in_their_text() {
        let tools = include_str!("../../../prompts/heal/tools.md");
        for file in [SYSTEM, CASE, tools] {
            assert_eq!(file.lines().next(), Some(format!("{VERSION}{}", version()).as_str()));
        }
        assert!(version().len() > 3 && !body(SYSTEM).contains(VERSION));
    }

    #[test]
    fn what_is_filled_in_cannot_ask_for_more() {
        let values = [("a", "{{b}}".to_owned()), ("b", "secret".to_owned())];
        assert_eq!(filled("x {{a}} y {{c}} z", &values), "x {{b}} y  z");
        assert_eq!(filled("x {{a", &values), "x a");
    }
}
