//! What a model is told when it looks, and what its words are counted as where a server does not count.

use super::world::{Came, Disk, Prepared, SETTINGS, Scripted, converse};
use crate::adapters::openai::{ModelError, Question};
use crate::domain::budget::Limits;
use crate::domain::conversation::{Call, Reply};
use crate::heal::agent::Model;

/// Calls one tool after the other, and then declines.
struct Plays(Vec<(&'static str, serde_json::Value)>);

impl Model for Plays {
    fn name(&self) -> String {
        "plays".to_owned()
    }

    async fn ask(&mut self, _: &Question<'_>) -> Result<Reply, ModelError> {
        let decline = || ("decline", serde_json::json!({ "reason": "enough" }));
        let (name, arguments) = if self.0.is_empty() { decline() } else { self.0.remove(0) };
        let call = Call { id: String::new(), name: name.to_owned(), arguments: arguments.to_string() };
        Ok(Reply { calls: vec![call], ..Reply::default() })
    }
}

async fn play(prepared: &Prepared, disk: &Disk, calls: Vec<(&'static str, serde_json::Value)>, limits: Limits) -> Came {
    let mut bench = Scripted::new(disk, Vec::new());
    converse(prepared, &mut Plays(calls), &mut bench, limits).await
}

/// What the model was told, answer by answer.
fn answers(came: &Came) -> Vec<&str> {
    let told = came.conversation.messages.iter().filter(|(role, _)| *role == "tool");
    told.map(|(_, text)| text.as_str()).collect()
}

#[tokio::test]
async fn a_file_is_read_line_by_line_and_never_more_than_fits_into_an_answer() {
    let prepared = Prepared::new(&SETTINGS[0]);
    let disk = Disk::of(&prepared).await;
    let long: Vec<String> = (1..=5_000).map(|line| format!("// line {line}")).collect();
    std::fs::write(disk.root.join("src/long.ts"), long.join("\n")).unwrap();
    std::fs::write(disk.root.join("src/wide.ts"), format!("// {}\n", "wide ".repeat(20_000))).unwrap();
    let read =
        |path: &str, from: u32, to: u32| ("read_file", serde_json::json!({ "path": path, "from": from, "to": to }));
    let calls = vec![
        read("tests/a.spec.ts", 4, 5),
        read("src/long.ts", 4_900, 9_999),
        read("src/long.ts", 7, 5_000),
        read("src/wide.ts", 1, 1),
        read("src/long.ts", 5_001, 5_002),
    ];
    let came = play(&prepared, &disk, calls, Limits::default()).await;
    let told = answers(&came);
    assert_eq!(
        told[0],
        "Lines 4 to 5 of 7:\n4|   await page.goto('/');\n5|   await page.locator('#submit-btn').click();"
    );
    assert!(told[1].starts_with("Lines 4900 to 5000 of 5000:\n4900| // line 4900\n") && told[1].lines().count() == 102);
    assert!(told[2].starts_with("Lines 7 to 206 of 5000:"), "{}", told[2]);
    assert!(told[3].len() < 13_000 && told[3].contains("cut off here"), "{} bytes", told[3].len());
    assert_eq!(told[4], "The file has 5000 lines.");
}

#[tokio::test]
async fn the_page_is_shown_candidate_by_candidate_and_inside_one_page_by_page() {
    let inside: Vec<String> = (0..150).map(|number| format!("<span>piece {number}</span>")).collect();
    let markup = SETTINGS[0].markup.replace(">Submit<", &format!("><em>Submit</em>{}<", inside.concat()));
    let prepared = Prepared::on(&SETTINGS[0], &markup);
    let disk = Disk::of(&prepared).await;
    let look = |arguments: serde_json::Value| ("inspect_dom", arguments);
    let calls = vec![
        look(serde_json::json!({})),
        look(serde_json::json!({ "candidate": 1 })),
        look(serde_json::json!({ "candidate": 1, "page": 2 })),
        look(serde_json::json!({ "candidate": 1, "page": 99 })),
        look(serde_json::json!({ "candidate": 99 })),
        look(serde_json::json!({ "page": 3 })),
    ];
    let came = play(&prepared, &disk, calls, Limits::default()).await;
    let told = answers(&came);
    for part in ["1. button", "may be chosen", "where: ", "evidence: ", "data from the page"] {
        assert!(told[0].contains(part), "{part}: {}", told[0]);
    }
    assert!(told[1].contains("<button> button") && told[1].contains("data-testid=submit-btn"), "{}", told[1]);
    assert!(told[1].contains("piece 3\n") && !told[1].contains("piece 149"), "{}", told[1]);
    assert!(told[2].starts_with("Page 2 of ") && !told[2].contains("piece 3\n"), "{}", told[2]);
    assert!(told[3].starts_with("There are ") && told[4].contains("no candidate 99"), "{told:?}");
    assert!(told[5].contains("none of these: share 0.00"), "{}", told[5]);
}

#[tokio::test]
async fn tokens_are_counted_by_length_where_the_server_counts_none_and_their_end_is_the_end() {
    let prepared = Prepared::new(&SETTINGS[0]);
    let disk = Disk::of(&prepared).await;
    let looks = || (0..20).map(|_| ("inspect_dom", serde_json::json!({}))).collect::<Vec<_>>();
    let came = play(&prepared, &disk, looks(), Limits { steps: 3, ..Limits::default() }).await;
    let spent = came.conversation.spent;
    let sent: usize = came.conversation.messages.iter().take(2).map(|(_, text)| text.len()).sum();
    // Each reply is paid for with all that stands before it.
    assert!(spent.estimated && spent.tokens_in > 3 * u64::try_from(sent / 4).unwrap(), "{spent:?}");
    assert!(spent.tokens_out > 0, "{spent:?}");
    let limits = Limits { tokens: spent.tokens() - 1, ..Limits::default() };
    let came = play(&prepared, &disk, looks(), limits).await;
    let reason = came.reason.unwrap();
    assert_eq!((reason.code.code(), came.conversation.spent.steps), ("out_of_budget", 3));
    assert!(
        reason.sentence.contains("tokens are used up") && reason.sentence.contains("about "),
        "{}",
        reason.sentence
    );
}
