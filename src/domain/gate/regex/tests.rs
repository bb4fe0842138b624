//! Patterns as engines read them.

use super::read;

#[test]
fn what_an_engine_refuses_is_refused() {
    for (pattern, flags, valid) in [
        ("Total \\d+", "", true),
        ("Total (\\d+", "", false),
        ("a)", "", false),
        ("[a", "", false),
        ("[z-a]", "", false),
        ("[a-z]", "", true),
        ("[\\w-x]", "", true),
        ("*a", "", false),
        ("a**", "", false),
        ("a+?", "", true),
        ("a{2,1}", "", false),
        ("a{1,2}", "", true),
        ("a{x}", "", true),
        ("a{x}", "u", false),
        ("^*", "", false),
        ("(?<n>a)\\k<n>", "", true),
        ("(?<n>a)(?<n>b)", "", false),
        ("\\k<n>", "u", false),
        ("(?<n>a)\\k<m>", "", false),
        ("(?<=a)b(?<!c)", "", true),
        ("(?a)", "", false),
        ("\\1", "u", false),
        ("(a)\\1", "u", true),
        ("\\-", "u", true),
        ("\\y", "u", false),
        ("\\u{1F600}", "u", true),
        ("\\u{110000}", "u", false),
        ("\\p{L}", "u", true),
        ("[[a-z]--[aeiou]]", "v", true),
        ("a", "ii", false),
        ("a", "x", false),
        ("a", "uv", false),
        ("a", "dgimsuy", true),
        ("a]", "", true),
        ("a]", "u", false),
        ("", "", false),
    ] {
        assert_eq!(read(pattern, flags).is_some(), valid, "/{pattern}/{flags}");
    }
}

#[test]
fn a_text_is_demanded_if_every_match_holds_two_literal_characters_in_a_row() {
    for (pattern, text, alternatives) in [
        ("Save", true, 0),
        (".*", false, 0),
        (".+", false, 0),
        ("^reports \\(\\d+\\)$", true, 0),
        ("a", false, 0),
        ("a.b", false, 0),
        ("ab?", false, 0),
        ("ab?cd", true, 0),
        ("ab+", true, 0),
        ("(Save)?", false, 0),
        ("(Save)", true, 0),
        ("(?:Sa|ve)", true, 1),
        ("Save|x", false, 1),
        ("Save|", false, 1),
        ("Save(|d)", false, 1),
        ("(Save){0,2}", false, 0),
        ("(Save){1,2}", true, 0),
        ("(?=Save)", false, 0),
        ("(?!Save).*", false, 0),
        ("[Ss]ave", true, 0),
        ("[|]ab", true, 0),
        ("\\|ab", true, 0),
        ("\\s\\s", false, 0),
        ("  ", false, 0),
        ("\\d+ of \\d+", true, 0),
    ] {
        let demands = read(pattern, "").unwrap();
        assert_eq!((demands.text, demands.alternatives), (text, alternatives), "/{pattern}/");
    }
}

#[test]
fn a_hundred_thousand_groups_cost_no_stack() {
    let deep = format!("{}ab{}", "(".repeat(100_000), ")".repeat(100_000));
    assert!(read(&deep, "").unwrap().text);
}
