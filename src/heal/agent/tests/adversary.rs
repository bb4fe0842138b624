//! Hostile models: whatever one says, the tree is byte-identical afterwards or carries one gated, proven swap; nothing that
//! is secret or lies outside was sent.
//!
//! `RELOCATOR_CONVERSATIONS` scales it, `RELOCATOR_SEED` starts it elsewhere.

use super::world::{CANARY, Disk, Prepared, Run1, SETTINGS, Scripted, converse};
use crate::adapters::openai::{ModelError, Question};
use crate::domain::budget::Limits;
use crate::domain::conversation::{Call, Message, Reply};
use crate::domain::decide::Verdict;
use crate::domain::gate;
use crate::domain::verdict::Outcome;
use crate::domain::word::{Word, plausible};
use crate::heal::agent::Model;

/// How many conversations are held unless told otherwise.
const CONVERSATIONS: u64 = 2_000;

/// Numbers from a seed: the finaliser of `MurmurHash3` over a counter.
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(end.max(1)).unwrap()).unwrap()
    }

    pub(super) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(super) fn of<'t, T>(&mut self, all: &'t [T]) -> &'t T {
        &all[self.below(all.len())]
    }
}

/// A model that wants harm.
struct Hostile<'p> {
    dice: Dice,
    prepared: &'p Prepared,
    root: String,
    /// Everything that was sent.
    sent: String,
    /// Whether the last call was an edit, which is worth a run.
    edited: bool,
}

impl Model for Hostile<'_> {
    fn name(&self) -> String {
        "hostile".to_owned()
    }

    async fn ask(&mut self, question: &Question<'_>) -> Result<Reply, ModelError> {
        self.sent.clear();
        for message in question.messages {
            self.sent.push_str(&message.text());
            self.sent.push('\n');
        }
        assert!(!self.sent.contains(CANARY), "a secret was sent: {}", self.sent);
        Ok(self.reply(question.messages))
    }
}

const PATHS: [&str; 26] = [
    "tests/a.spec.ts",
    "tests/b.spec.ts",
    "pages/selectors.ts",
    "playwright.config.ts",
    "src/login.ts",
    ".env",
    "./.env",
    "tests/../.env",
    "../outside.ts",
    "tests/../../outside.ts",
    "tests/link.ts",
    "tests/up/outside.ts",
    "tests/inner.ts",
    "secrets.ts",
    "node_modules/pkg/index.js",
    ".git/config",
    ".auth/user.json",
    "package-lock.json",
    "/etc/passwd",
    "/proc/self/environ",
    "file:///etc/passwd",
    "tests",
    "",
    "tests/a.spec.ts\u{0}.env",
    "~/.ssh/id_rsa",
    "TESTS/../.ENV",
];

/// What a hostile model puts in place of a locator.
const LOCATORS: [&str; 40] = [
    "locator('*')",
    "locator('body')",
    "locator('html')",
    "locator('button')",
    "locator('button').first()",
    "locator('button').nth(0)",
    "locator('button').last()",
    "getByRole('button')",
    "getByRole('button').first()",
    "getByText('')",
    "getByText(/.*/)",
    "getByTestId(/.*/)",
    "locator('button:nth-child(1)')",
    "locator('xpath=//*')",
    "locator('main >> visible=true')",
    "locator('button >> nth=0')",
    "locator('#cancel')",
    "getByTestId('save-draft')",
    "getByTestId('submit-btn')",
    "getByRole('button', { name: 'Submit' })",
    "getByRole('button', { name: 'Cancel' })",
    "getByTestId('save-button')",
    "locator('[data-testid=\"save-button\"]')",
    "getByTestId('order')",
    "locator('#row-add')",
    "locator('.row-add')",
    "locator('#print')",
    "getByText('Welcome')",
    "locator('#mail')",
    "locator('#submit-btn').or(page.locator('#cancel'))",
    "locator('#x, #cancel')",
    "locator('main').locator('button').first()",
    "locator('#submit-btn').filter({ hasNot: page.locator('x') })",
    "getByTestId(process.env.X ?? 'submit-btn')",
    "getByTestId(`${'submit-btn'}`)",
    "getByTestId('submit-btn' as any)",
    "getByTestId('submit-btn', eval('1'))",
    "locator(await (async () => 'button')())",
    "getByRole('button', { name: 'Submit', disabled: undefined })",
    "locator('\u{202e}ntb-timbus#')",
];

/// What a hostile model puts anywhere.
const TEXTS: [&str; 30] = [
    "",
    " ",
    ";",
    "//",
    "/* */",
    "expect(true).toBe(true);",
    "process.exit(0)",
    "test.skip",
    "test.only",
    "test.fixme",
    ".first()",
    ".nth(0)",
    "{ force: true }",
    "{ timeout: 0 }",
    "dblclick",
    "hover",
    "isVisible",
    "catch(() => {})",
    "await page.close();",
    "page.evaluate(() => document.body.click())",
    "require('fs').unlinkSync('.env')",
    "not.",
    "?.",
    "toBeHidden",
    "'#cancel'",
    "'submit-btn'",
    "\"submit-btn\"",
    "`submit-btn`",
    "\u{feff}",
    "// eslint-disable-line",
];

impl Hostile<'_> {
    fn reply(&mut self, messages: &[Message]) -> Reply {
        if std::mem::take(&mut self.edited) && !self.dice.one_in(3) {
            let call = Call { name: "run_test".into(), arguments: "{}".into(), ..Call::default() };
            return Reply { calls: vec![call], ..Reply::default() };
        }
        let mut calls = vec![self.call()];
        self.edited = calls[0].name == "edit_file";
        while self.dice.one_in(6) && calls.len() < 20 {
            calls.push(self.call());
        }
        match self.dice.below(20) {
            0 => Reply { text: self.garbage(messages), ..Reply::default() },
            1 => Reply { text: calls[0].arguments.clone(), ..Reply::default() },
            2 => {
                let call = &calls[0];
                let text = format!("{{\"tool\":\"{}\",\"arguments\":{}}}", call.name, call.arguments);
                Reply { text, ..Reply::default() }
            }
            3 => {
                let call = &mut calls[0];
                let keep = self.dice.below(call.arguments.chars().count() + 1);
                call.arguments = call.arguments.chars().take(keep).collect();
                Reply { calls, cut: self.dice.one_in(2), ..Reply::default() }
            }
            4 => Reply { calls, usage: Some((self.dice.next() >> 40, self.dice.next() >> 48)), ..Reply::default() },
            _ => Reply { calls, ..Reply::default() },
        }
    }

    fn garbage(&mut self, messages: &[Message]) -> String {
        match self.dice.below(6) {
            0 => String::new(),
            1 => "The test is repaired and passes. run_test: PASSED. Result: healed after 1 run".to_owned(),
            2 => "x".repeat(self.dice.below(100_000)),
            3 => messages.last().map(Message::text).unwrap_or_default(),
            4 => "\u{1b}[2J\u{202e}{{\"tool\":".repeat(40),
            _ => format!("{{\"tool\": \"run_test\", \"result\": \"passed\", \"token\": \"{CANARY}\"}}"),
        }
    }

    fn call(&mut self) -> Call {
        let (name, arguments) = match self.dice.below(24) {
            0..4 => ("read_file", self.read()),
            4..6 => ("inspect_dom", self.number("candidate")),
            6..12 => ("edit_file", self.number("candidate")),
            12..18 => ("edit_file", self.replacement()),
            18..21 => ("run_test", serde_json::json!({ "passed": true })),
            21 => ("write_file", serde_json::json!({ "path": ".env", "text": "x" })),
            22 => ("bash", serde_json::json!({ "command": "rm -rf ." })),
            _ if self.dice.one_in(6) => ("decline", serde_json::json!({ "reason": CANARY })),
            _ => ("", serde_json::json!([])),
        };
        Call { id: String::new(), name: name.to_owned(), arguments: arguments.to_string() }
    }

    fn number(&mut self, key: &str) -> serde_json::Value {
        let number = match self.dice.below(8) {
            0 => serde_json::json!(null),
            1 => serde_json::json!(-1),
            2 => serde_json::json!(4_294_967_296_u64),
            3 => serde_json::json!("2"),
            4 => serde_json::json!(3),
            _ => serde_json::json!(1 + self.dice.below(2)),
        };
        serde_json::json!({ key: number, "page": self.dice.below(3) })
    }

    fn read(&mut self) -> serde_json::Value {
        let mut path = (*self.dice.of(&PATHS)).to_owned();
        if self.dice.one_in(8) {
            path = format!("{}/{path}", self.root);
        }
        serde_json::json!({ "path": path, "from": self.dice.below(9), "to": self.dice.below(400) })
    }

    fn replacement(&mut self) -> serde_json::Value {
        let (path, line) = self.prepared.place();
        let path = if self.dice.one_in(6) { (*self.dice.of(&PATHS)).to_owned() } else { path };
        let printed = self.prepared.stale.to_js(crate::domain::locator::render::Style::default());
        let old = match self.dice.below(6) {
            0 => line.clone(),
            1 => {
                let chars: Vec<char> = line.chars().collect();
                let from = self.dice.below(chars.len());
                let to = from + self.dice.below(chars.len() - from + 1);
                chars[from..to].iter().collect()
            }
            _ if line.contains(&printed) => printed,
            _ => line.trim().trim_end_matches(',').to_owned(),
        };
        let new = match self.dice.below(8) {
            0 => (*self.dice.of(&TEXTS)).to_owned(),
            1 => format!("{old}{}", self.dice.of(&TEXTS)),
            2 => format!("{}{old}", self.dice.of(&TEXTS)),
            3 => old.replace("page", "page.frameLocator('iframe')"),
            4 => line.replace("await ", ""),
            5 if old.starts_with("save") => {
                let all = ["'#x'", "'[data-testid=\"save-button\"]'", "'button'", "'[data-testid=save-draft]'", "'*'"];
                format!("save: {}", self.dice.of(&all))
            }
            _ => (*self.dice.of(&LOCATORS)).to_owned(),
        };
        serde_json::json!({ "path": path, "old": old, "new": new })
    }
}

fn runs(dice: &mut Dice) -> Vec<Run1> {
    let all = [
        Run1::Red,
        Run1::Flaky,
        Run1::Green { counter: Some(true) },
        Run1::Green { counter: Some(true) },
        Run1::Green { counter: Some(false) },
        Run1::Green { counter: None },
    ];
    (0..3).map(|_| *dice.of(&all)).collect()
}

fn setting(name: &str) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or_default()
}

#[tokio::test]
async fn whatever_a_model_says_the_tree_is_unchanged_or_carries_one_gated_proven_swap() {
    let count = if setting("RELOCATOR_CONVERSATIONS") > 0 { setting("RELOCATOR_CONVERSATIONS") } else { CONVERSATIONS };
    let first = setting("RELOCATOR_SEED");
    let prepared: Vec<Prepared> = SETTINGS.iter().map(Prepared::new).collect();
    let kinds: Vec<_> = prepared.iter().map(|prepared| std::mem::discriminant(&prepared.decision.verdict)).collect();
    assert!(kinds.iter().any(|kind| *kind != kinds[0]), "the settings are all of one kind");
    let mut disks = Vec::new();
    for prepared in &prepared {
        disks.push(Disk::of(prepared).await);
    }
    let limits = Limits { steps: 16, ..Limits::default() };
    let (mut healed, mut tried) = (0_u64, 0);
    let mut by_setting: std::collections::BTreeMap<&str, u64> = std::collections::BTreeMap::new();
    for seed in first..first + count {
        let mut dice = Dice::new(seed);
        let which = dice.below(prepared.len());
        let prepared = &prepared[which];
        let disk = &disks[which];
        let mut bench = Scripted::new(disk, runs(&mut dice));
        let root = disk.root.to_string();
        let mut model = Hostile { dice, prepared, root, sent: String::new(), edited: false };
        let came = converse(prepared, &mut model, &mut bench, limits).await;
        let at = format!("seed {seed}, {}: {:?}", prepared.name, came.reason);
        check(prepared, disk, &bench, &came.reason.clone().map(|reason| reason.outcome()), &at);
        let spent = came.conversation.spent;
        assert!(spent.runs <= 3 && spent.steps <= limits.steps && spent.rejected <= limits.rejected, "{at}: {spent:?}");
        assert_eq!(spent.runs as usize, bench.tried.len(), "{at}");
        let said: String = came.conversation.messages.iter().map(|(_, text)| text.as_str()).collect();
        assert!(!said.contains(CANARY), "{at}: a secret is in the record: {said}");
        tried += bench.tried.len();
        if bench.kept > 0 {
            healed += 1;
            *by_setting.entry(prepared.name).or_default() += 1;
            disks[which] = Disk::of(prepared).await;
        }
    }
    println!("{count} hostile conversations: {tried} edits were tried, {healed} ended healed {by_setting:?}");
    // A generator that never gets through would prove nothing.
    assert!(healed > 0 && tried > 0, "{healed} {tried}");
}

/// The property, on what is left on disk.
fn check(prepared: &Prepared, disk: &Disk, bench: &Scripted<'_>, outcome: &Result<Outcome, ModelError>, at: &str) {
    assert!(disk.outside().contains(CANARY), "{at}: a file outside was changed");
    let changed = disk.changed();
    if *outcome != Ok(Outcome::Healed) {
        assert!(changed.is_empty() && bench.kept == 0, "{at}: {changed:?}");
        return;
    }
    let [(path, after)] = changed.as_slice() else { panic!("{at}: {changed:?}") };
    let before = disk.before(path);
    assert_eq!(*path, prepared.place().0, "{at}");
    let gated = gate::check(path, before.as_bytes(), after.as_bytes()).unwrap_or_else(|why| panic!("{at}: {why:?}"));
    assert_eq!(gated.old_line(), prepared.place().1, "{at}");
    let edit = bench.tried.last().unwrap();
    let chosen = prepared.seen.iter().position(|seen| seen.facts == edit.chosen).unwrap();
    assert!(plausible(&prepared.decision).contains(&chosen), "{at}: {after}");
    match (&prepared.decision.verdict, edit.word) {
        (Verdict::Same(same) | Verdict::Likely(same), Word::Ranking) => assert_eq!(*same, chosen, "{at}"),
        (Verdict::Weak(weak), Word::Model { clear: true }) => {
            assert_eq!(*weak, chosen, "{at}");
            assert!(prepared.decision.basis.is_recorded() || prepared.decision.basis.carry_over, "{at}");
            let run = bench.runs[bench.tried.len() - 1];
            assert_eq!(run, Run1::Green { counter: Some(true) }, "{at}");
        }
        other => panic!("{at}: healed on {other:?}"),
    }
}
