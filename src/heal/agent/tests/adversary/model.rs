//! A model that wants harm: seeded, and with everything in its replies that might do some.

use super::super::world::{CANARY, Prepared};
use crate::adapters::openai::{ModelError, Question};
use crate::domain::conversation::{Call, Message, Reply};
use crate::domain::locator::render::Style;
use crate::domain::rehearse::dice::Dice;
use crate::heal::agent::Model;

/// A model that wants harm.
pub(super) struct Hostile<'p> {
    dice: Dice,
    prepared: &'p Prepared,
    root: String,
    /// Whether a secret was sent.
    pub(super) leaked: bool,
    /// Whether the last call was an edit, which is worth a run.
    edited: bool,
}

impl<'p> Hostile<'p> {
    pub(super) fn new(dice: Dice, prepared: &'p Prepared, root: String) -> Self {
        Self { dice, prepared, root, leaked: false, edited: false }
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.dice.below(n) == 0
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.dice.below(all.len())]
    }
}

impl Model for Hostile<'_> {
    fn name(&self) -> String {
        "hostile".to_owned()
    }

    async fn ask(&mut self, question: &Question<'_>) -> Result<Reply, ModelError> {
        self.leaked |= question.messages.iter().any(|message| message.text().contains(CANARY));
        Ok(self.reply(question.messages))
    }
}

const PATHS: [&str; 27] = [
    "tests/a.spec.ts",
    "tests/b.spec.ts",
    "pages/selectors.ts",
    "playwright.config.ts",
    "src/login.ts",
    "src/notes.ts",
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
        if std::mem::take(&mut self.edited) && !self.one_in(3) {
            let call = Call { name: "run_test".into(), arguments: "{}".into(), ..Call::default() };
            return Reply { calls: vec![call], ..Reply::default() };
        }
        let mut calls = vec![self.call()];
        self.edited = calls[0].name == "edit_file";
        while self.one_in(6) && calls.len() < 20 {
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
                Reply { calls, cut: self.one_in(2), ..Reply::default() }
            }
            4 => Reply {
                calls,
                usage: Some((self.of(&[0, 1, 7_000, u64::MAX]), self.of(&[0, 3, 900]))),
                ..Reply::default()
            },
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
            _ if self.one_in(6) => ("decline", serde_json::json!({ "reason": CANARY })),
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
        let mut path = self.of(&PATHS).to_owned();
        if self.one_in(8) {
            path = format!("{}/{path}", self.root);
        }
        serde_json::json!({ "path": path, "from": self.dice.below(9), "to": self.dice.below(400) })
    }

    fn replacement(&mut self) -> serde_json::Value {
        let (path, line) = self.prepared.place();
        let path = if self.one_in(6) { self.of(&PATHS).to_owned() } else { path };
        let printed = self.prepared.stale.to_js(Style::default());
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
            0 => self.of(&TEXTS).to_owned(),
            1 => format!("{old}{}", self.of(&TEXTS)),
            2 => format!("{}{old}", self.of(&TEXTS)),
            3 => old.replace("page", "page.frameLocator('iframe')"),
            4 => line.replace("await ", ""),
            5 if old.starts_with("save") => {
                let all = ["'#x'", "'[data-testid=\"save-button\"]'", "'button'", "'[data-testid=save-draft]'", "'*'"];
                format!("save: {}", self.of(&all))
            }
            _ => self.of(&LOCATORS).to_owned(),
        };
        serde_json::json!({ "path": path, "old": old, "new": new })
    }
}
