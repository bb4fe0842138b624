//! Hostile models: whatever one says, the tree is byte-identical afterwards or carries one gated, proven swap; nothing that
//! is secret or lies outside was sent. And the other way round: a world that lets one through is found out.
//!
//! `RELOCATOR_CONVERSATIONS` scales it, `RELOCATOR_SEED` starts it elsewhere.

mod model;
mod oracle;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use self::model::Hostile;
pub(super) use self::oracle::judge;
use super::world::{CANARY, Came, Disk, Harm, Prepared, Run1, SETTINGS, Scripted, converse};
use crate::domain::budget::Limits;
use crate::domain::decide::Verdict;
use crate::domain::rehearse::dice::Dice;
use crate::domain::verdict::Reason;

/// How many conversations are held unless told otherwise.
const CONVERSATIONS: u64 = 2_000;

/// What came of many conversations.
#[derive(Debug, Default)]
struct Held {
    /// What should not be, with the seed that shows it.
    wrong: Vec<String>,
    /// How many edits were tried.
    tried: usize,
    /// How many ended healed, by setting.
    healed: BTreeMap<&'static str, u64>,
}

/// Holds the conversations of `seeds` in a world that does `harm`, up to the first that leaves something wrong.
async fn hold(seeds: Range<u64>, harm: Option<&Harm>) -> Held {
    let prepared: Vec<Prepared> = SETTINGS.iter().map(Prepared::new).collect();
    let mut disks = Vec::new();
    for prepared in &prepared {
        disks.push(Disk::of(prepared).await);
    }
    let limits = Limits { steps: 16, ..Limits::default() };
    let mut held = Held::default();
    for seed in seeds {
        let mut dice = Dice::new(seed, &["conversation"]);
        let which = dice.below(prepared.len());
        let (prepared, disk) = (&prepared[which], &disks[which]);
        let mut bench = Scripted::new(disk, runs(&mut dice));
        bench.harm = harm;
        let mut model = Hostile::new(dice, prepared, disk.root.to_string());
        let came = converse(prepared, &mut model, &mut bench, limits).await;
        let outcome = came.reason.as_ref().map(Reason::outcome).map_err(Clone::clone);
        let judged = judge(prepared, disk, &bench, &outcome).and_then(|()| spent(&came, &bench, limits));
        let judged = judged.and_then(|()| secrets(&came, &model));
        held.tried += bench.tried.len();
        if let Err(why) = judged {
            held.wrong.push(format!("seed {seed}, {}: {why}; {:?}", prepared.name, came.reason));
            return held;
        }
        if bench.kept > 0 {
            *held.healed.entry(prepared.name).or_default() += 1;
            disks[which] = Disk::of(prepared).await;
        }
    }
    held
}

fn spent(came: &Came, bench: &Scripted<'_>, limits: Limits) -> Result<(), String> {
    let spent = &came.conversation.spent;
    let within = spent.runs <= 3 && spent.steps <= limits.steps && spent.rejected <= limits.rejected;
    let counted = spent.runs as usize == bench.tried.len();
    if within && counted { Ok(()) } else { Err(format!("more was spent than is allowed: {spent:?}")) }
}

fn secrets(came: &Came, model: &Hostile<'_>) -> Result<(), String> {
    let kept = came.conversation.messages.iter().find(|(_, text)| text.contains(CANARY));
    match kept {
        _ if model.leaked => Err("a secret was sent".to_owned()),
        Some((role, _)) => Err(format!("a secret is in the record, in what {role} said")),
        None => Ok(()),
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
    (0..3).map(|_| all[dice.below(all.len())]).collect()
}

fn setting(name: &str) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or_default()
}

#[test]
fn the_settings_are_of_every_kind_that_the_ranking_knows() {
    let kind = |setting| match Prepared::new(setting).decision.verdict {
        Verdict::Same(_) => "same",
        Verdict::Likely(_) => "likely",
        Verdict::Weak(_) => "weak",
        Verdict::Ambiguous(_) => "ambiguous",
        Verdict::Gone => "gone",
        Verdict::WrongPage(_) => "wrong page",
    };
    let kinds: BTreeSet<&str> = SETTINGS.iter().map(kind).collect();
    assert_eq!(kinds, BTreeSet::from(["same", "likely", "weak", "ambiguous", "gone"]));
}

#[tokio::test]
async fn whatever_a_model_says_the_tree_is_unchanged_or_carries_one_gated_proven_swap() {
    let count = if setting("RELOCATOR_CONVERSATIONS") > 0 { setting("RELOCATOR_CONVERSATIONS") } else { CONVERSATIONS };
    let first = setting("RELOCATOR_SEED");
    let held = hold(first..first + count, None).await;
    println!("{count} hostile conversations from seed {first}: {held:?}");
    assert_eq!(held.wrong, Vec::<String>::new());
    // A generator that never gets through would prove nothing.
    for name in ["same", "constant", "likely"] {
        assert!(held.healed.contains_key(name), "{name}: {held:?}");
    }
    assert!(held.healed.len() == 3 && held.tried > 0, "{held:?}");
}

/// What would happen if one of the walls were not there.
const HARMS: [(&str, Harm); 15] = [
    ("a red edit stays", Harm::KeepsWhatIsRed),
    ("nothing is proven", Harm::ProvesNothing),
    ("a model is believed", Harm::BelievesTheModel),
    ("nothing is redacted", Harm::RedactsNothing),
    ("a file beside it changes", Harm::Writes("tests/b.spec.ts")),
    ("the configuration changes", Harm::Writes("playwright.config.ts")),
    ("a file appears", Harm::Writes("tests/new.spec.ts")),
    ("a file outside changes", Harm::Writes("../outside.ts")),
    ("the first match will do", Harm::Edits(".click()", ".first().click()")),
    ("the click is forced", Harm::Edits(".click()", ".click({ force: true })")),
    ("the test is skipped", Harm::Edits("test('", "test.skip('")),
    ("the assertion is gone", Harm::Edits("  await expect(page.getByTestId('done')).toBeVisible();\n", "")),
    ("the assertion is another", Harm::Edits("toBeVisible", "toBeAttached")),
    ("it is another element", Harm::Edits("getByTestId('submit-btn')", "locator('#cancel')")),
    ("another constant changes", Harm::Edits("'#other'", "'#another'")),
];

#[tokio::test]
async fn a_world_without_one_of_its_walls_is_found_out() {
    for (name, harm) in &HARMS {
        let held = hold(0..CONVERSATIONS, Some(harm)).await;
        println!("{name}: {:?}", held.wrong);
        assert_eq!(held.wrong.len(), 1, "{name} went unseen: {held:?}");
    }
}
