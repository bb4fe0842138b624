//! What will still be there tomorrow: generated tokens, state classes and texts that are data are told from names.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use crate::domain::dom::Dom;
use crate::domain::meaning;

/// How many tokens of one page may share a shape before the number in it is an index.
const FAMILY: usize = 2;

/// What a page's own ids, test ids, names and classes say about how tokens are made there.
#[derive(Debug, Clone, Default)]
pub(super) struct Tokens {
    /// Tokens with their digits blanked, and how many different ones have that shape.
    families: BTreeMap<String, usize>,
}

impl Tokens {
    pub(super) fn of(dom: &Dom) -> Self {
        let mut seen: BTreeMap<String, std::collections::BTreeSet<&str>> = BTreeMap::new();
        for node in dom.nodes() {
            let Some(element) = dom.element(node) else { continue };
            for (name, value) in &element.attributes {
                if name != "id" && name != "name" && !super::kind::is_test_attribute(name) && name != "class" {
                    continue;
                }
                for token in value.split_ascii_whitespace() {
                    let shape = blanked(token);
                    if shape != token {
                        seen.entry(shape).or_default().insert(token);
                    }
                }
            }
        }
        Self { families: seen.into_iter().map(|(shape, tokens)| (shape, tokens.len())).collect() }
    }

    /// Whether a token was made by a machine, or counts: never a thing to locate by.
    pub(super) fn is_generated(&self, token: &str) -> bool {
        let shape = blanked(token);
        let is_family = shape != token && self.families.get(&shape).is_some_and(|&count| count >= FAMILY);
        is_family || looks_generated(token)
    }
}

/// The token with each run of digits replaced by one `0`, so that members of a family are equal.
fn blanked(token: &str) -> String {
    let mut out = String::new();
    let mut in_digits = false;
    for c in token.chars() {
        let is_digit = c.is_ascii_digit();
        if !(is_digit && in_digits) {
            out.push(if is_digit { '0' } else { c });
        }
        in_digits = is_digit;
    }
    if token.chars().any(|c| c.is_ascii_digit()) { out.replace('0', "\u{0}") } else { out }
}

/// Shapes that libraries give their ids and classes.
static GENERATED: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        // React's useId: `:r3:`, `«r3»`, `_r_3_`.
        r"^[:«_]_?[rR]_?[0-9a-zA-Z]*[:»_]",
        r":[rR][0-9a-zA-Z]+:",
        // Component libraries that count.
        r"(?i)^(mui|radix|headlessui|react-aria|react-select|downshift|rc[_-]|ember|ext-gen|ext-comp|cdk|mat|ng|el-id|v-|vue|svelte|jss|tippy|popper|chakra|mantine|bits|reka|yui|gwt-uid|dijit|select2|ui-id|uid|input|field|textfield|checkbox|radio|auto|gen)[-_:]?.*\d+$",
        r"^_ng(content|host)-",
        r"^ng-c\d+$",
        r"^data-v-[0-9a-f]{6,}$",
        // CSS in JS and CSS modules.
        r"^(css|sc|emotion|styled|tss|makeStyles|jsx)-[A-Za-z0-9]*$",
        r"(__|--?)[A-Za-z0-9+/_-]*[A-Z0-9][A-Za-z0-9+/_-]*\d[A-Za-z0-9]*$",
        r"_[A-Za-z0-9]{5,}_\d+$",
        r"^svelte-[a-z0-9]{5,}$",
        // UUIDs and hashes.
        r"(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}",
        r"\d{4,}",
    ]
    .iter()
    .filter_map(|pattern| Regex::new(pattern).ok())
    .collect()
});

/// Whether a single token looks made by a machine, whatever else is on the page.
fn looks_generated(token: &str) -> bool {
    if token.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | '_' | ':' | '.')) {
        return true;
    }
    GENERATED.iter().any(|pattern| pattern.is_match(token)) || token.split(['-', '_', ':', '.']).any(is_hash)
}

/// A piece that is no word: five or more letters and digits that change between each other again and again.
fn is_hash(piece: &str) -> bool {
    let bytes = piece.as_bytes();
    if bytes.len() < 5 || !bytes.iter().all(u8::is_ascii_alphanumeric) {
        return false;
    }
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    let changes =
        bytes.windows(2).filter(|pair| pair.first().map(u8::is_ascii_digit) != pair.last().map(u8::is_ascii_digit));
    let upper_inside = bytes.windows(3).filter(|three| {
        three.first().is_some_and(u8::is_ascii_lowercase)
            && three.get(1).is_some_and(u8::is_ascii_uppercase)
            && three.get(2).is_some_and(u8::is_ascii_uppercase)
    });
    let vowels = bytes.iter().filter(|byte| b"aeiouyAEIOUY".contains(byte)).count();
    (digits > 0 && changes.count() >= 2)
        || (bytes.len() >= 6 && upper_inside.count() >= 2)
        || (bytes.len() >= 7 && vowels == 0)
}

/// Classes that say a state or a look of the moment, and the utilities of the large CSS frameworks.
static PASSING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^(is|has|js|ng|was|no)-",
        r"|^(active|selected|open|opened|closed|collapsed|expanded|disabled|enabled|hidden|visible|show|shown|hide|fade|in|out|",
        r"focus|focused|hover|hovered|checked|loading|loaded|current|invalid|valid|error|dirty|touched|pristine|first|last|odd|even)$",
        r"|^-?(m|p|w|h|d|g|gap|col|row|text|bg|border|rounded|flex|grid|justify|items|align|font|leading|tracking|shadow|",
        r"opacity|z|top|left|right|bottom|inset|space|float|order|overflow|position|min|max|mx|my|mt|mb|ms|me|ml|mr|px|py|pt|pb|ps|pe|pl|pr|",
        r"sm|md|lg|xl|hover|focus|dark|fs|fw|lh|offset|fa|fas|far|bi)(-|:|$)",
        r"|^(btn|badge|alert|card|form|input|nav|list|table|container|icon|button|link|dropdown|modal)(-(primary|secondary|success|",
        r"danger|warning|info|light|dark|link|sm|lg|md|xl|xs|block|outline.*|group|toggle|control|check|item|body|title|header|",
        r"footer|text|inline|fluid|responsive|striped|hover|gradient.*|icon|large|small|default))?$",
        r"|[:/\[\]!@]"
    ))
    .ok()
});

/// Whether a class is a state, a utility or a framework's own: it says what an element looks like, not which one it is.
pub(in crate::domain) fn is_passing_class(class: &str) -> bool {
    PASSING.as_ref().is_none_or(|pattern| pattern.is_match(class))
}

/// Words and shapes of data: dates, times, amounts, counts.
static DATA: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        r"\d{1,2}[:.]\d{2}",
        r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}",
        r"(?i)\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d|\d\.? (jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)",
        r"(?i)\b\d+ (minute|hour|day|week|month|year|second|item|result|message|task|user|file|row|entr|selected|left|ago)",
        r"[$€£¥]\s?\d|\d\s?[$€£¥%]",
        r"(?i)\b(today|yesterday|tomorrow|ago)\b",
        r"#\d+",
        r"\S@\S",
        r"https?://",
    ]
    .iter()
    .filter_map(|pattern| Regex::new(pattern).ok())
    .collect()
});

/// Whether a text is data of the moment rather than a label.
pub(super) fn is_data(text: &str) -> bool {
    meaning::looks_like_data(text) || DATA.iter().any(|pattern| pattern.is_match(text))
}

/// The part of a label that stays: the text itself, or what is left of it without a count at an end. `None` when nothing
/// that names a thing is left.
pub(super) fn lasting(text: &str) -> Option<&str> {
    let text = text.trim();
    // `Step 2` is a name; `Inbox (3)` and `3 drafts` hold a count.
    let leads = text.split_whitespace().next().is_some_and(|word| word.chars().all(|c| !c.is_alphabetic()));
    let counts = leads || text.ends_with([')', ']', '}']);
    let holds_count = counts && text.chars().any(|c| c.is_ascii_digit());
    if !is_data(text) && !holds_count {
        return names_something(text).then_some(text);
    }
    let is_count = |c: char| c.is_ascii_digit() || c.is_whitespace() || "()[]{}.,:+/%-–·•".contains(c);
    let trimmed = text.trim_matches(is_count);
    let lasting = if trimmed.chars().any(|c| c.is_ascii_digit()) { text } else { trimmed };
    (names_something(lasting) && !is_data(lasting)).then_some(lasting)
}

/// Two letters at least, or one of a script that needs no more; and no novel.
fn names_something(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let dense = text.chars().any(|c| u32::from(c) > 0x2E80);
    (letters >= 2 || dense) && text.chars().count() <= 80
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::dom::testing::dom;

    #[test]
    fn generated_tokens_are_told_from_names() {
        let tokens = Tokens::default();
        for generated in [
            ":r3:",
            "«r1»",
            "_r_2_",
            "css-1x2y3z",
            "mui-4711",
            "sc-bdVaJa",
            "radix-:r1:-trigger",
            "headlessui-menu-button-3",
            "ember42",
            "ng-c123",
            "_ngcontent-abc-c12",
            "Button_primary__x7Gh2",
            "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
            "item-20394",
            "input-7",
            "svelte-1a2b3c",
            "8812",
            "a1b2c3d4",
        ] {
            assert!(tokens.is_generated(generated), "{generated}");
        }
        for named in [
            "submit-btn",
            "login_form",
            "userName",
            "step2",
            "h1-title",
            "exampleInputEmail",
            "btn-primary",
            "address-line1",
            "nav__item--active",
            "checkout.pay",
            "OAuthButton",
            "x",
        ] {
            assert!(!tokens.is_generated(named), "{named}");
        }
    }

    #[test]
    fn families_that_differ_by_a_number_are_learned_from_the_page() {
        let page = dom(r#"<div><a id="tab1"></a><a id="tab2"></a><a id="line1"></a></div>"#);
        let tokens = Tokens::of(&page);
        assert!(tokens.is_generated("tab2"));
        assert!(!tokens.is_generated("line1"));
    }

    #[test]
    fn data_is_told_from_labels() {
        for data in [
            "$12.00",
            "12 items left",
            "3 May 2024",
            "ann@example.test",
            "10:30",
            "Order #1042",
            "99 %",
            "5 minutes ago",
        ] {
            assert!(is_data(data), "{data}");
        }
        for label in ["Save", "Sign in", "Add to cart", "2FA settings", "Step 2", "Äpfel & Birnen", "May"] {
            assert!(!is_data(label), "{label}");
        }
        assert_eq!(lasting("Inbox (3)"), Some("Inbox"));
        assert_eq!(lasting("3 Drafts"), Some("Drafts"));
        assert_eq!(lasting("Save"), Some("Save"));
        assert_eq!(lasting("Step 2"), Some("Step 2"));
        assert_eq!(lasting("2FA settings"), Some("2FA settings"));
        assert_eq!(lasting("42"), None);
        assert_eq!(lasting("保存"), Some("保存"));
    }
}
