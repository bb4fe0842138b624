//! How long gate two takes for one edit, by the length of the file. One thread, no file.
//!
//! `cargo bench --bench gate`. The files are made here: tests of eight lines each, as people write them. Nearly all of the
//! time is the parse of the text before; the text after reuses that tree.

use divan::{Bencher, black_box};
use relocator::domain::gate;

fn main() {
    divan::main();
}

/// A file of about `lines` lines, with `selector` in the middle.
fn file(lines: usize, selector: &str) -> String {
    let mut text = "import { test, expect } from '@playwright/test';\n\n".to_owned();
    let tests = lines / 8;
    for test in 0..tests {
        let buy = if test == tests / 2 { selector } else { "#buy" };
        let one = format!(
            "test('buys item {test}', async ({{ page }}) => {{\n  await page.goto('/shop/{test}');\n  \
             await page.getByRole('row', {{ name: 'Item {test}' }}).getByRole('button', {{ name: 'Add to cart' }}).click();\n  \
             const total = page.locator('#total-{test}');\n  await expect(total).toHaveText('{test}');\n  \
             await page.locator('{buy}').click();\n}});\n\n"
        );
        text.push_str(&one);
    }
    text
}

/// An edit that is accepted: every rule is asked.
#[divan::bench(args = [100, 500, 2_000, 10_000])]
fn accepted(bencher: Bencher<'_, '_>, lines: usize) {
    let (before, after) = (file(lines, "#old"), file(lines, "[data-testid=\"new\"]"));
    assert!(gate::check("tests/shop.spec.ts", before.as_bytes(), after.as_bytes()).is_ok());
    bencher.bench(|| gate::check("tests/shop.spec.ts", black_box(before.as_bytes()), black_box(after.as_bytes())));
}

/// An edit that touches an assertion.
#[divan::bench(args = [500, 10_000])]
fn rejected(bencher: Bencher<'_, '_>, lines: usize) {
    let before = file(lines, "#old");
    let after = before.replacen("toHaveText('1')", "toHaveText('2')", 1);
    bencher.bench(|| gate::check("tests/shop.spec.ts", black_box(before.as_bytes()), black_box(after.as_bytes())));
}
