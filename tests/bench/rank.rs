//! How long a decision takes among 5,000 elements, with a fingerprint and without.

use relocator::domain::decide::decide;
use relocator::domain::identity::{Action, Facts, Literal, LiteralKind, Lost, Visibility};

/// Elements of the page.
const ELEMENTS: usize = 5_000;

fn main() {
    divan::main();
}

/// Buttons and links with ids, classes, texts and neighbours, as on a page with a long table.
fn page() -> Vec<Facts> {
    (0..ELEMENTS)
        .map(|at| {
            let (tag, role) = if at % 2 == 0 { ("button", "button") } else { ("a", "link") };
            Facts {
                tag: tag.into(),
                role: role.into(),
                name: format!("Open order {at} of customer"),
                text: format!("Open order {at} of customer"),
                id: format!("open-order-{at}"),
                classes: vec!["btn".into(), "btn-sm".into()],
                neighbours: format!("Order {at} placed in spring, paid by card, sent to the warehouse in the north"),
                visibility: Visibility::Visible,
                ..Facts::default()
            }
        })
        .collect()
}

fn decision(bencher: divan::Bencher<'_, '_>, fingerprint: Option<Facts>) {
    let facts = page();
    let allowed: Vec<usize> = (0..facts.len()).collect();
    let literals = vec![Literal { kind: LiteralKind::Name, value: "Open the order".into() }];
    let lost = Lost { literals, action: Action::Click, fingerprint, ..Lost::default() };
    bencher.bench_local(|| decide(divan::black_box(&lost), &facts, &allowed));
}

#[divan::bench(sample_count = 20)]
fn with_a_fingerprint(bencher: divan::Bencher<'_, '_>) {
    decision(bencher, page().into_iter().nth(4_321));
}

#[divan::bench(sample_count = 20)]
fn without_a_fingerprint(bencher: divan::Bencher<'_, '_>) {
    decision(bencher, None);
}
