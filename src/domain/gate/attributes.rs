//! `name[key="value"i][flag]`: how the role and attribute engines take their arguments.

use super::facts::Sought;

/// A name and its attributes.
#[derive(Debug, Clone, Default)]
pub(super) struct Attributes {
    /// What stands before the first bracket.
    pub(super) name: String,
    /// The attributes in order.
    pub(super) values: Vec<(String, Sought)>,
}

/// Reads as much as can be read; what cannot ends the list.
pub(super) fn read(body: &str) -> Attributes {
    let (name, mut rest) = body.split_at(body.find('[').unwrap_or(body.len()));
    let mut attributes = Attributes { name: name.trim().to_owned(), values: Vec::new() };
    while let Some(inside) = rest.trim_start().strip_prefix('[') {
        let Some(end) = closing(inside) else { break };
        let (text, tail) = inside.split_at(end);
        attributes.values.push(one(text));
        rest = tail.strip_prefix(']').unwrap_or_default();
    }
    attributes
}

fn one(text: &str) -> (String, Sought) {
    let Some((key, value)) = text.split_once('=') else {
        return (text.trim().to_owned(), Sought::Text("true".to_owned(), true));
    };
    let value = value.trim();
    let sought = match value.chars().next() {
        Some('/' | '"' | '\'') => {
            // Here a quoted value is exact unless it ends in `i`, whatever the quote.
            super::selector::quoted(value.trim_end_matches(['s', 'S']), false)
        }
        _ => Sought::Text(value.to_owned(), true),
    };
    let sought = match value.strip_suffix(['i', 'I']).map(str::trim_end) {
        Some(head) if head.ends_with(['"', '\'']) => match super::selector::quoted(head, false) {
            Sought::Text(text, _) => Sought::Text(text, false),
            other => other,
        },
        _ => sought,
    };
    (key.trim_end_matches(['*', '^', '$', '|', '~']).trim().to_owned(), sought)
}

/// Where the bracket closes, outside of quotes and regular expressions.
fn closing(text: &str) -> Option<usize> {
    let mut quote = None;
    let mut escaped = false;
    let mut class = false;
    let mut value = false;
    for (at, character) in text.char_indices() {
        if escaped {
            escaped = false;
            continue;
        }
        match (character, quote) {
            ('\\', _) => escaped = true,
            ('[', Some('/')) => class = true,
            (']', Some('/')) => class = false,
            (character, Some(open)) if character == open && !class => quote = None,
            ('"' | '\'', None) => quote = Some(character),
            ('/', None) if value => quote = Some('/'),
            (']', None) => return Some(at),
            ('=', None) => value = true,
            (character, None) if !character.is_whitespace() => value = false,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Sought, read};

    #[test]
    fn a_role_with_a_name_and_states_is_read() {
        let read = read("button[name=\"Say \\\"]\\\"\"i][expanded][level=2][name=/a[/]b]/i]");
        assert_eq!(read.name, "button");
        assert_eq!(
            read.values,
            [
                ("name".to_owned(), Sought::Text("Say \"]\"".to_owned(), false)),
                ("expanded".to_owned(), Sought::Text("true".to_owned(), true)),
                ("level".to_owned(), Sought::Text("2".to_owned(), true)),
                ("name".to_owned(), Sought::Regex("a[/]b]".to_owned(), "i".to_owned())),
            ]
        );
    }
}
