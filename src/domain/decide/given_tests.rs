//! A name or a place that was given to something else: what says or does something else now is for a person.

use super::tests::{Expected, check, check_recorded, recorded};
use super::{Verdict, decide};
use crate::domain::dom::{Page, testing};
use crate::domain::facts::{Seen, facts_of};
use crate::domain::history::testing::successor;
use crate::domain::identity::{Action, Facts, LiteralKind, Lost};
use crate::domain::locator::Locator;
use crate::domain::lost::lost_of;

#[test]
fn a_sign_says_nothing_and_what_it_is_for_stands_in_its_label() {
    let remove = |thing: &str, sign: &str| {
        format!(
            "<main><ul><li>Cart</li><li><button aria-label=\"Remove {thing}\" class=\"x\" data-x=\"\">{sign}</button></li></ul></main>"
        )
    };
    for sign in ["\u{d7}", "x", "\u{270e}", "Remove"] {
        let source = "getByRole('button', { name: 'Remove Apple' })";
        check_recorded(&remove("Apple", sign), &remove("Banana", sign), source, Action::Click, Expected::Declined);
        check_recorded(
            &remove("Apple", sign),
            &remove("Apple", sign).replace("Remove", "Delete"),
            source,
            Action::Click,
            Expected::Found,
        );
    }
}

#[test]
fn a_literal_that_something_new_carries_while_the_old_name_is_still_there_is_for_a_person() {
    let before = r#"<main><button id="accept">Accept all</button><button>More</button></main>"#;
    let given = r#"<main><button data-testid="accept">Accept necessary</button><button data-testid="accept-all">Accept all</button><button>More</button></main>"#;
    let kept = r#"<main><button data-testid="accept" data-x="">Accept all</button><button>More</button></main>"#;
    check_recorded(before, given, "locator('#accept')", Action::Click, Expected::Declined);
    check_recorded(before, kept, "locator('#accept')", Action::Click, Expected::Same);
}

#[test]
fn without_a_record_a_literal_is_not_taken_from_the_element_that_says_it() {
    let given = r#"<main><button data-testid="save">Discard</button><button data-testid="keep">Save</button></main>"#;
    let alone = r#"<main><button data-testid="save" data-x="">Discard</button><button>Print</button></main>"#;
    check(given, "locator('#save')", Action::Click, &[], Expected::Declined);
    check(alone, "locator('#save')", Action::Click, &[], Expected::Found);
}

#[test]
fn what_the_repository_renamed_is_another_where_it_says_something_else_than_the_record() {
    let page = |id: &str, label: &str| {
        format!(
            "<main><form id=\"f\"><label><input type=\"checkbox\" name=\"{id}\" id=\"{id}\"> {label}</label><button>Save</button></form></main>"
        )
    };
    let source = "locator('#newsletter')";
    let fingerprint = || recorded(&page("newsletter", "Newsletter"), source);
    let locator = Locator::from_source(source, "data-testid").unwrap();
    for (label, applied) in [("Text messages", false), ("Newsletter", true)] {
        let dom = testing::dom(&page("sms-alerts", label));
        let page = Page::new(&dom);
        let seen: Vec<Seen> = facts_of(&page, "data-testid");
        let facts: Vec<Facts> = seen.into_iter().map(|seen| seen.facts).collect();
        let (record, peers) = fingerprint();
        let successors = vec![successor("newsletter", "sms-alerts", LiteralKind::Id)];
        let known = lost_of(&locator.steps, Action::Check, "data-testid");
        let lost = Lost { successors, fingerprint: Some(record), peers, ..known };
        let allowed: Vec<usize> = (0..facts.len()).collect();
        let decision = decide(&lost, &facts, &allowed);
        assert_eq!(matches!(decision.verdict, Verdict::Same(_) | Verdict::Likely(_)), applied, "{decision:?}");
    }
}
