//! GitHub's annotations: one workflow command for each root cause, at the line where it stands.

use super::suite::{Document, Group};

/// GitHub shows ten annotations of a kind for each step; more are noise in the log.
const SHOWN: usize = 10;

/// The commands, one in each line.
pub fn annotations(document: &Document) -> Vec<String> {
    document.groups.iter().take(SHOWN).map(annotation).collect()
}

fn annotation(group: &Group) -> String {
    let kind = match group.outcome.as_str() {
        "healed" => "notice",
        "candidate" | "proposed" | "flaky" => "warning",
        _ => "error",
    };
    let definition = group.locator.as_ref().and_then(|locator| locator.definition.as_ref());
    let mut fields = Vec::new();
    if let Some(place) = definition.or(group.at.as_ref()) {
        fields.push(format!("file={}", property(&place.file)));
        fields.push(format!("line={}", place.line));
    }
    fields.push(format!("title={}", property(&format!("{}: {}", group.outcome, group.extent()))));
    let mut text = group.headline.clone();
    text.push('\n');
    text.push_str(&group.why);
    if let Some(repair) = &group.repair {
        text.push('\n');
        text.push_str(&repair.sentence);
    }
    format!("::{kind} {}::{}", fields.join(","), data(&text))
}

/// The text of a command: it ends at the end of the line, so no line end may be in it.
fn data(text: &str) -> String {
    let text = text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    crate::ui::printable(&text)
}

/// The value of a property: commas and colons would end it.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::{data, property};

    #[test]
    fn a_text_cannot_begin_another_command() {
        assert_eq!(data("a\r\n::error::b 100%"), "a%0D%0A::error::b 100%25");
        assert_eq!(property("a,b:c\n::stop"), "a%2Cb%3Ac%0A%3A%3Astop");
        assert_eq!(property("%2C"), "%252C");
    }
}
