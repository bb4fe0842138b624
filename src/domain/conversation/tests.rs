use proptest::prelude::*;

use super::{Action, Call, Edit, Reply, Turn, Wish, read};

fn called(name: &str, arguments: &str) -> Reply {
    Reply { calls: vec![Call { id: "1".into(), name: name.into(), arguments: arguments.into() }], ..Reply::default() }
}

fn wishes(reply: &Reply) -> Vec<Wish> {
    match read(reply) {
        Turn::Calls(wishes) => wishes,
        Turn::Nothing(text) => panic!("{text}"),
    }
}

fn action(reply: &Reply) -> Action {
    let wish = wishes(reply).remove(0);
    wish.action.unwrap_or_else(|text| panic!("{text}"))
}

fn correction(reply: &Reply) -> String {
    match read(reply) {
        Turn::Nothing(text) => text,
        Turn::Calls(mut wishes) => wishes.remove(0).action.expect_err("a call that cannot be done"),
    }
}

#[test]
fn every_tool_is_read() {
    let replace = Edit::Replace { path: "a.ts".into(), old: "x".into(), new: "y".into() };
    for (name, arguments, wanted) in [
        ("read_file", r#"{"path":"a.ts"}"#, Action::ReadFile { path: "a.ts".into(), from: 1, to: None }),
        (
            "read_file",
            r#"{"path":"a.ts","from":"3","to":9}"#,
            Action::ReadFile { path: "a.ts".into(), from: 3, to: Some(9) },
        ),
        ("inspect_dom", "", Action::InspectDom { candidate: None, page: 1 }),
        ("inspect_dom", r#"{"candidate":2,"page":null}"#, Action::InspectDom { candidate: Some(2), page: 1 }),
        ("edit_file", r#"{"candidate":1}"#, Action::EditFile(Edit::Choose(1))),
        ("edit_file", r#"{"path":"a.ts","old":"x","new":"y"}"#, Action::EditFile(replace.clone())),
        ("edit_file", r#"{"candidate":1,"path":"a.ts","old":"x","new":"y"}"#, Action::EditFile(replace)),
        ("run_test", "{}", Action::RunTest),
        ("run_test", "null", Action::RunTest),
        ("decline", r#"{"reason":"gone"}"#, Action::Decline { reason: "gone".into() }),
        ("run_test", r#""{}""#, Action::RunTest),
    ] {
        assert_eq!(action(&called(name, arguments)), wanted, "{name} {arguments}");
    }
}

#[test]
fn what_cannot_be_done_is_corrected_in_words() {
    for (name, arguments, part) in [
        ("read_file", "{}", "needs `path`"),
        ("read_file", r#"{"path":7}"#, "`path` must be a string"),
        ("read_file", r#"{"path":"a","from":-1}"#, "`from` must be a whole number"),
        ("edit_file", r#"{"path":"a.ts","old":"x"}"#, "needs either"),
        ("inspect_dom", r#"{"candidate":"first"}"#, "`candidate` must be"),
        ("write_file", "{}", "no tool `write_file`"),
        ("rm\u{1b}[2J", "{}", "no tool `rm[2J`"),
        ("run_test", r#"{"a":"#, "no valid JSON"),
        ("run_test", "[1]", "must be a JSON object"),
    ] {
        let text = correction(&called(name, arguments));
        assert!(text.contains(part), "{name} {arguments}: {text}");
    }
    assert!(correction(&called("run_test", &"x".repeat(20_000))).contains("too long"));
    let cut = Reply { cut: true, ..called("edit_file", "{\"pa") };
    assert!(correction(&cut).contains("cut off"));
    assert!(correction(&Reply { text: "I have repaired the test.".into(), ..Reply::default() }).contains("no tool"));
}

#[test]
fn a_call_in_plain_text_is_a_call() {
    for text in [
        r#"{"tool":"decline","reason":"gone"}"#,
        r#"{"name":"decline","arguments":{"reason":"gone"}}"#,
        r#"{"name":"decline","arguments":"{\"reason\":\"gone\"}"}"#,
        "Sure! {not json} ```json\n{\"action\": \"decline\", \"parameters\": {\"reason\": \"gone\"}}\n``` Done.",
    ] {
        let reply = Reply { text: text.into(), ..Reply::default() };
        assert_eq!(action(&reply), Action::Decline { reason: "gone".into() }, "{text}");
    }
}

#[test]
fn several_calls_are_several_wishes_in_their_order_and_one_that_is_wrong_spoils_no_other() {
    let mut reply = called("inspect_dom", "{}");
    reply.calls.push(Call { id: "2".into(), name: "rm".into(), arguments: "{}".into() });
    reply.calls.push(Call { id: "3".into(), name: "run_test".into(), arguments: "{}".into() });
    let wishes = wishes(&reply);
    assert_eq!(wishes.iter().map(|wish| wish.call.id.as_str()).collect::<Vec<_>>(), ["1", "2", "3"]);
    assert_eq!(wishes[0].action, Ok(Action::InspectDom { candidate: None, page: 1 }));
    assert!(wishes[1].action.is_err());
    assert_eq!(wishes[2].action, Ok(Action::RunTest));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn any_reply_gets_an_answer(text in "\\PC{0,200}", name in "\\PC{0,12}", arguments in "\\PC{0,60}", cut: bool) {
        let call = Call { id: String::new(), name, arguments };
        drop(read(&Reply { text: text.clone(), calls: vec![call], cut, usage: None }));
        drop(read(&Reply { text, cut, ..Reply::default() }));
    }
}
