//! What the repository says, against what the page says: a commit may carry a repair, never against the meaning of a name,
//! and only where it names one element.

use super::{Decision, Evidence, Scored, Verdict, decide};
use crate::domain::dom::{Page, testing};
use crate::domain::facts::facts_of;
use crate::domain::history::testing::successor;
use crate::domain::identity::{Action, Facts, LiteralKind, Lost, Successor};
use crate::domain::locator::Locator;
use crate::domain::lost::lost_of;
use crate::domain::rank::Signal;
use crate::domain::verdict::Basis;

fn ask(markup: &str, source: &str, said: &[(&str, &str, LiteralKind)]) -> (Decision, Vec<Facts>) {
    let dom = testing::dom(markup);
    let page = Page::new(&dom);
    let locator = Locator::from_source(source, "data-testid").unwrap();
    let facts: Vec<Facts> = facts_of(&page, "data-testid").into_iter().map(|seen| seen.facts).collect();
    let successors = said.iter().map(|(old, new, kind)| successor(old, new, kind.clone())).collect();
    let lost = Lost { successors, ..lost_of(&locator.steps, Action::Click, "data-testid") };
    let allowed: Vec<usize> = (0..facts.len()).collect();
    (decide(&lost, &facts, &allowed), facts)
}

/// The verdict in words: `same Keep`, `likely Keep`, `weak Keep`, or the name of a refusal.
fn verdict(markup: &str, source: &str, said: &[(&str, &str, LiteralKind)]) -> String {
    let (decision, facts) = ask(markup, source, said);
    match decision.verdict {
        Verdict::Same(at) => format!("same {}", facts[at].name),
        Verdict::Likely(at) => format!("likely {}", facts[at].name),
        Verdict::Weak(at) => format!("weak {}", facts[at].name),
        Verdict::Ambiguous(_) => "ambiguous".to_owned(),
        Verdict::Gone => "gone".to_owned(),
        Verdict::WrongPage(_) => "wrong page".to_owned(),
    }
}

const BUTTONS: &str = "<main><button>Preview</button><button>Print</button><button>Send to readers</button></main>";

#[test]
fn a_commit_carries_what_the_page_alone_does_not_say() {
    let source = "getByRole('button', { name: 'Publish' })";
    let said = [("Publish", "Send to readers", LiteralKind::Name)];
    assert_eq!(verdict(BUTTONS, source, &[]), "gone");
    assert_eq!(verdict(BUTTONS, source, &said), "same Send to readers");
    let (decision, _) = ask(BUTTONS, source, &said);
    assert!(decision.basis.git);
    let sentence = &decision.ranked[0].evidence[0].sentence;
    assert_eq!(sentence, "commit abc1234 (\"Rename the button\", 2026-11-30) replaced `Publish` by `Send to readers`");
    let ids = r#"<main><button id="first">Go on</button><button id="later">Wait</button></main>"#;
    assert_eq!(verdict(ids, "locator('#corner')", &[("corner", "later", LiteralKind::Id)]), "same Wait");
    // Where a locator would not look for it, it is not there.
    assert_eq!(verdict(ids, "locator('#corner')", &[("corner", "later", LiteralKind::TestId)]), "gone");
}

#[test]
fn a_commit_that_gave_the_element_another_text_as_well_is_for_a_person() {
    let dom = testing::dom(r#"<main><button id="order-now">Order now</button><button>Print</button></main>"#);
    let page = Page::new(&dom);
    let locator = Locator::from_source("locator('#get-quote')", "data-testid").unwrap();
    let facts: Vec<Facts> = facts_of(&page, "data-testid").into_iter().map(|seen| seen.facts).collect();
    let allowed: Vec<usize> = (0..facts.len()).collect();
    for (doubtful, applied) in [(false, true), (true, false)] {
        let named = Successor { doubtful, ..successor("get-quote", "order-now", LiteralKind::Id) };
        let lost = Lost { successors: vec![named], ..lost_of(&locator.steps, Action::Click, "data-testid") };
        let decision = decide(&lost, &facts, &allowed);
        assert_eq!(matches!(decision.verdict, Verdict::Same(_) | Verdict::Likely(_)), applied, "{decision:?}");
        assert_eq!(decision.basis.git, applied);
    }
}

#[test]
fn a_commit_that_exchanges_a_name_for_its_opposite_is_for_a_person() {
    for (old, new) in
        [("Delete", "Archive"), ("Next page", "Previous page"), ("Save", "Save as draft"), ("Enable", "Disable")]
    {
        let page = format!("<main><button>Print</button><button>{new}</button></main>");
        let source = format!("getByRole('button', {{ name: '{old}', exact: true }})");
        assert_eq!(verdict(&page, &source, &[(old, new, LiteralKind::Name)]), format!("weak {new}"), "{old}");
    }
}

#[test]
fn a_commit_is_silent_where_it_names_several_elements_or_the_old_name_is_still_there() {
    let source = "getByRole('button', { name: 'Publish' })";
    let said = [("Publish", "Send", LiteralKind::Name)];
    let twins = "<main><section><button>Send</button></section><section><button>Send</button></section></main>";
    assert_ne!(verdict(twins, source, &said), "same Send");
    let both = "<main><h2>Publish</h2><button>Send</button></main>";
    assert_eq!(verdict(both, source, &said), verdict(both, source, &[]));
    let absent = "<main><button>Print</button></main>";
    assert_eq!(verdict(absent, source, &said), "gone");
    // One element in several nodes is one.
    let nested = "<main><button><span>Send</span></button><button>Print</button></main>";
    assert_eq!(verdict(nested, source, &said), "same Send");
}

#[test]
fn a_deletion_speaks_for_none_of_these() {
    let page = r#"<main><button id="corner-form">Send</button><button>Reset</button></main>"#;
    let none = |said: &[(&str, &str, LiteralKind)]| ask(page, "locator('#corner')", said).0.none;
    assert!(none(&[("corner", "", LiteralKind::Id)]) > none(&[]));
}

#[test]
fn an_element_that_the_past_names_needs_no_run_where_it_is_called_the_same() {
    let recorded = Basis { fingerprint: true, ..Basis::default() };
    let git = Basis { git: true, ..Basis::default() };
    let carried = Basis { carry_over: true, ..Basis::default() };
    for (verdict, basis, signal, needs_none) in [
        (Verdict::Same(3), recorded, Signal::TextSame, true),
        (Verdict::Same(3), recorded, Signal::TestIdSame, true),
        (Verdict::Same(3), recorded, Signal::TextSynonym, false),
        (Verdict::Same(3), git, Signal::TextSynonym, true),
        (Verdict::Same(3), carried, Signal::TextSame, false),
        (Verdict::Same(4), recorded, Signal::TextSame, false),
        (Verdict::Likely(3), git, Signal::TextSame, false),
        (Verdict::Weak(3), recorded, Signal::TextSame, false),
        (Verdict::Gone, recorded, Signal::TextSame, false),
    ] {
        let evidence = vec![Evidence { id: signal.label(), bits: 1.0, sentence: String::new() }];
        let ranked = vec![Scored { index: 3, share: 0.95, evidence }];
        let decision = Decision { verdict: verdict.clone(), ranked, none: 0.01, basis };
        assert_eq!(decision.needs_no_run(), needs_none, "{decision:?}");
    }
}
