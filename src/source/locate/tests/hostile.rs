//! Any bytes and any positions get an answer.

use proptest::prelude::*;

use super::*;
use crate::domain::locator::{Locator, Step};
use crate::source::write::{Change, rewrite};
use crate::source::{literal, shape};

const SAMPLE: &str = "import { test as base } from '@playwright/test';\nimport { L } from './l';\nclass P extends B { s = this.page.locator(L.a); constructor(private page) { super(page); this.t = page.getByText(`a${x}`); }\n get g() { return this.t.filter({ hasText: 'x' }); } async go(n = '#d') { await this.g.nth(1).click(); } }\nconst test = base.extend({ p: async ({ page }, use) => { await use(new P(page)); } });\ntest('t', async ({ p, page }) => { let a = c ? '#m' : \"#d\"; await page.locator(a, { has: page.locator(\"b\") }).fill('1'); await p.go(); for (const i of await p.s.all()) await i.click(); const { t: [u] } = p; });\n";

fn mutated() -> impl Strategy<Value = String> {
    let edit = (any::<prop::sample::Index>(), 0..12_usize, "[-a-z(){}\\[\\]'\"`.,;:$\\\\/*=>é😀\n ]{0,6}");
    prop::collection::vec(edit, 0..6).prop_map(|edits| {
        let mut chars: Vec<char> = SAMPLE.chars().collect();
        for (at, removed, added) in edits {
            let at = at.index(chars.len() + 1);
            let end = (at + removed).min(chars.len());
            chars.splice(at..end, added.chars());
        }
        chars.into_iter().collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_source_position_and_locator_gets_an_answer(
        text in mutated(),
        positions in prop::collection::vec((1..9_u32, 0..260_u32), 0..4),
        printed in prop_oneof![
            Just("locator('#m').filter({ has: locator('b') })".to_owned()),
            Just("getByText('a1').filter({ hasText: 'x' }).nth(1)".to_owned()),
            "[ -~]{0,30}",
        ],
    ) {
        let frames: Vec<Frame> =
            positions.iter().map(|&(line, column)| Frame { path: "a.ts".into(), line, column }).collect();
        let project = Project::load(&["a.ts"], &Aliases::default(), &mut |path| (path == "a.ts").then(|| text.clone()));
        if let Some(file) = project.file("a.ts") {
            for test in shape::tests(file) {
                shape::steps(file, &test);
            }
        }
        let question = Question { frames: &frames, locator: Some(&printed) };
        if let Ok(found) = locate(&project, &question) {
            for piece in &found.pieces {
                prop_assert!(text.get(piece.call.range.clone()).is_some());
            }
            if let Ok(old) = Locator::from_printed(&printed, "data-testid") {
                let new = [Step::Css("#new".into())];
                for at in 0..old.steps.len() {
                    let change = Change { definition: &found, old: &old, steps: at..at + 1, new: &new };
                    if let Ok(written) = rewrite(&project, &change) {
                        prop_assert_eq!(written.before.lines().count(), written.after.lines().count());
                    }
                }
            }
        }
    }

    #[test]
    fn any_text_survives_being_written_as_a_literal(text in any::<String>(), quote in prop_oneof![Just('\''), Just('"'), Just('`')]) {
        prop_assert_eq!(literal::cook(&literal::escape(&text, quote)), Some(text));
    }

    #[test]
    fn any_raw_literal_is_cooked_or_refused(raw in "[\\\\ux0-9a-f{}'\n😀]{0,12}") {
        literal::cook(&raw);
    }
}
