//! Which of the locators at the failing call is the one that failed: the stack says where, the printed form says which.

use std::ops::Range;

use crate::source::language::Grammar;
use crate::source::position;
use crate::source::project::{self, Project};
use crate::source::tree::{At, SourceFile};

use super::calls::BUILDING;
use super::candidates::candidates;
use super::eval::{Evaluator, FrameSite};
use super::pieces;
use super::steps::Step;
use super::value::{Chain, Env, Link, Value};
use super::{Definition, Frame, Question, Reason, Refusal};

/// How many readings of one chain are compared: alternatives multiply.
const MAX_READINGS: usize = 64;

/// What the failed locator is compared with.
enum Printed {
    Unknown,
    Steps(Vec<Step>),
    /// `describe('Save button')`: Playwright prints nothing else.
    Description(String),
}

impl Printed {
    fn steps(&self) -> Vec<Step> {
        match self {
            Self::Steps(steps) => steps.clone(),
            Self::Unknown | Self::Description(_) => Vec::new(),
        }
    }
}

/// A candidate that agrees with the failed locator.
#[derive(Debug, Clone)]
pub(super) struct Match<'a> {
    pub(super) call: At<'a>,
    pub(super) chain: Chain<'a>,
    /// Which steps each link contributes.
    pub(super) steps: Vec<Range<usize>>,
    pub(super) total: usize,
    /// The failed locator's own steps; none where it is not known.
    pub(super) printed: Vec<Step>,
    pub(super) in_assertion: bool,
}

pub(super) fn locate(project: &Project, question: &Question<'_>) -> Result<Definition, Refusal> {
    let printed = printed(question.locator);
    let sites: Vec<FrameSite<'_>> = question.frames.iter().map(|frame| site(project, frame)).collect();
    let evaluator = Evaluator::new(project, &sites);
    let mut refusal = Refusal { reason: Reason::NoSource, path: String::new(), line: 0 };
    for (index, (frame, site)) in question.frames.iter().zip(&sites).enumerate() {
        let Some(file) = project.file(&frame.path) else { continue };
        refusal = Refusal { reason: Reason::NoCall, path: frame.path.clone(), line: frame.line };
        let named: Vec<At<'_>> = site.call.into_iter().collect();
        let on_line = calls_on_line(file, frame.line);
        let mut outcome = among(&evaluator, &named, index, &printed);
        if !matches!(outcome, Ok(_) | Err(Some(Refusal { reason: Reason::Ambiguous, .. }))) {
            outcome = among(&evaluator, &on_line, index, &printed).map_err(|other| outcome.err().flatten().or(other));
        }
        match outcome {
            Ok(found) => return Ok(pieces::definition(&evaluator, &found)),
            Err(Some(reason)) => refusal = reason,
            Err(None) => {}
        }
        let runs_a_body = site.call.is_some_and(|call| call.arguments().iter().any(|argument| argument.is_function()));
        if runs_a_body || refusal.reason == Reason::NoCall {
            // A test that timed out says where the test is, not where it stood.
            return everywhere(&evaluator, &printed).map(|found| pieces::definition(&evaluator, &found)).ok_or(refusal);
        }
        return Err(refusal);
    }
    Err(refusal)
}

fn printed(locator: Option<&str>) -> Printed {
    let Some(text) = locator else { return Printed::Unknown };
    let read = |source: &str| {
        let tree = Grammar::TypeScript.parse(source, None).ok()?;
        let file = SourceFile { path: "printed.ts".to_owned(), text: source.to_owned(), tree };
        if file.tree.root_node().has_error() {
            return None;
        }
        let expression = file.root().children().first()?.children().first().copied()?;
        let nothing = Project::default();
        let evaluator = Evaluator::new(&nothing, &[]);
        match evaluator.eval(expression, &Env::of_frame(0)) {
            Value::Chain(chain) if chain.head.is_none() => {
                Some(evaluator.steps(&chain).into_iter().map(|(_, step)| step).collect::<Vec<Step>>())
            }
            _ => None,
        }
    };
    let quoted = || format!("locator({})", serde_json::Value::from(text));
    match read(text) {
        Some(steps) => Printed::Steps(steps),
        None if looks_like_a_selector(text) => read(&quoted()).map_or(Printed::Unknown, Printed::Steps),
        None => Printed::Description(text.to_owned()),
    }
}

/// Old versions print the bare selector (`#save`, `text=Save`); a description is prose.
fn looks_like_a_selector(text: &str) -> bool {
    text.starts_with(['#', '.', '[', '/', '(', '*']) || text.contains(['=', '>', '[']) || !text.contains(' ')
}

fn site<'a>(project: &'a Project, frame: &Frame) -> FrameSite<'a> {
    let call = project.file(&frame.path).and_then(|file| {
        let offset = position::offset_of(&file.text, frame.line, frame.column)?;
        project::call_at(file, offset)
    });
    FrameSite { call, function: call.and_then(At::function) }
}

/// Every call whose method or function name stands on a line.
fn calls_on_line(file: &SourceFile, line: u32) -> Vec<At<'_>> {
    let Some(start) = position::offset_of(&file.text, line, 1) else { return Vec::new() };
    let end = position::offset_of(&file.text, line, u32::MAX).unwrap_or(file.text.len());
    file.root()
        .descendants()
        .filter(|at| at.kind() == "call_expression")
        .filter(|call| {
            let name = call.method().or_else(|| call.field("function"));
            name.is_some_and(|name| (start..=end).contains(&name.node.start_byte()))
        })
        .collect()
}

/// The one locator among these calls that agrees. `Err(None)` when there was no locator at all.
fn among<'a>(
    evaluator: &Evaluator<'a>,
    calls: &[At<'a>],
    frame: usize,
    printed: &Printed,
) -> Result<Match<'a>, Option<Refusal>> {
    let env = Env::of_frame(frame);
    let mut found: Vec<Match<'a>> = Vec::new();
    let mut refusal: Option<Refusal> = None;
    for &call in calls {
        for candidate in candidates(evaluator, call, calls.len() == 1, &env) {
            for reading in readings(candidate.value) {
                match agreeing(evaluator, reading, printed) {
                    Ok((chain, steps, total)) => {
                        let in_assertion = candidate.in_assertion;
                        found.push(Match { call, chain, steps, total, printed: printed.steps(), in_assertion });
                    }
                    Err((reason, at)) => {
                        let at = at.unwrap_or(call);
                        refusal = Some(weightier(refusal, Refusal::at(reason, at)));
                    }
                }
            }
        }
    }
    single(found).map_err(|ambiguous| ambiguous.or(refusal))
}

/// Of several reasons the one that says most: another locator stands there, rather than that something is unknown.
fn weightier(old: Option<Refusal>, new: Refusal) -> Refusal {
    match old {
        Some(old) if old.reason != Reason::OtherSite || new.reason == Reason::OtherSite => old,
        _ => new,
    }
}

/// The only match, where several readings of the same place count once.
fn single(found: Vec<Match<'_>>) -> Result<Match<'_>, Option<Refusal>> {
    let mut found = found.into_iter();
    let Some(first) = found.next() else { return Err(None) };
    if found.all(|other| pieces::same_places(&first, &other)) {
        return Ok(first);
    }
    Err(Some(Refusal::at(Reason::Ambiguous, first.call)))
}

/// The chains a value may be, with every argument taken for one of its alternatives.
fn readings(value: Value<'_>) -> Vec<Value<'_>> {
    let mut out = Vec::new();
    for value in value.alternatives() {
        let Value::Chain(chain) = value else {
            out.push(value);
            continue;
        };
        let mut chains = vec![Chain { head: chain.head, links: Vec::new() }];
        for link in chain.links {
            let mut variants = vec![Link { arguments: Vec::new(), ..link.clone() }];
            for argument in link.arguments {
                let options = argument.alternatives();
                variants = variants
                    .iter()
                    .flat_map(|variant| {
                        options.iter().map(|option| {
                            let mut variant = variant.clone();
                            variant.arguments.push(option.clone());
                            variant
                        })
                    })
                    .take(MAX_READINGS)
                    .collect();
            }
            chains = chains
                .iter()
                .flat_map(|chain| {
                    variants.iter().map(|variant| {
                        let mut chain = chain.clone();
                        chain.links.push(variant.clone());
                        chain
                    })
                })
                .take(MAX_READINGS)
                .collect();
        }
        out.extend(chains.into_iter().map(Value::Chain));
    }
    out
}

type Agreed<'a> = (Chain<'a>, Vec<Range<usize>>, usize);

/// The chain with the steps each link contributes, if it can be the failed locator.
fn agreeing<'a>(
    evaluator: &Evaluator<'a>,
    value: Value<'a>,
    printed: &Printed,
) -> Result<Agreed<'a>, (Reason, Option<At<'a>>)> {
    let chain = match value {
        Value::Chain(chain) => chain,
        Value::Unknown(reason, at) => return Err((reason, Some(at))),
        Value::Method(on, at) => match *on {
            Value::Unknown(reason, inner) => return Err((reason, Some(inner))),
            _ => return Err((Reason::NotFound, Some(at))),
        },
        _ => return Err((Reason::NoCall, None)),
    };
    let steps = evaluator.steps(&chain);
    let place = chain.links.last().and_then(|link| link.call);
    if steps.is_empty() {
        let head = chain.head;
        return Err(head.map_or((Reason::OtherSite, place), |(reason, at)| (reason, Some(at))));
    }
    let total = match printed {
        Printed::Steps(printed) => {
            let skipped = printed.len().checked_sub(steps.len()).ok_or((Reason::OtherSite, place))?;
            let whole = skipped == 0 || chain.head.is_some();
            let same = printed.iter().skip(skipped).zip(&steps).all(|(printed, (_, own))| own.agrees(printed));
            if !whole || !same {
                return Err((Reason::OtherSite, place));
            }
            printed.len()
        }
        Printed::Description(text) => {
            let said = chain.links.iter().rev().find(|link| link.method == "describe");
            let said = said.and_then(|link| link.arguments.first()).and_then(Value::known_text);
            if said.as_deref() != Some(text) {
                return Err((Reason::OtherSite, place));
            }
            steps.len()
        }
        Printed::Unknown => steps.len(),
    };
    if steps.iter().all(|(_, step)| step.is_blank()) {
        return Err(blank_reason(&chain));
    }
    let skipped = total - steps.len();
    let ranges = (0..chain.links.len())
        .map(|link| {
            let first = steps.iter().position(|(owner, _)| *owner == link);
            let count = steps.iter().filter(|(owner, _)| *owner == link).count();
            first.map_or(0..0, |first| skipped + first..skipped + first + count)
        })
        .collect();
    Ok((chain, ranges, total))
}

/// Why a chain whose every argument is unknown says nothing.
fn blank_reason<'a>(chain: &Chain<'a>) -> (Reason, Option<At<'a>>) {
    let unknown = chain.links.iter().flat_map(|link| &link.arguments).find_map(|argument| match argument {
        Value::Unknown(reason, at) => Some((*reason, Some(*at))),
        _ => None,
    });
    unknown.unwrap_or((Reason::Computed, chain.links.last().and_then(|link| link.call)))
}

/// The one locator in all the files that agrees, for a failure whose stack says only which test it was.
fn everywhere<'a>(evaluator: &Evaluator<'a>, printed: &Printed) -> Option<Match<'a>> {
    if matches!(printed, Printed::Unknown) {
        return None;
    }
    let env = Env::of_frame(evaluator.frames.len());
    let mut found = Vec::new();
    for file in evaluator.project.files() {
        let calls = file.root().descendants().filter(|at| at.kind() == "call_expression");
        for call in calls.filter(|call| call.method().is_some_and(|name| BUILDING.contains(&name.text()))) {
            for reading in readings(evaluator.eval(call, &env)) {
                if let Ok((chain, steps, total)) = agreeing(evaluator, reading, printed) {
                    // Half a locator agrees with many; without a stack only a whole one counts.
                    let whole = chain.head.is_none();
                    let in_assertion = pieces::is_asserted(call);
                    let printed = printed.steps();
                    found.extend(whole.then_some(Match { call, chain, steps, total, printed, in_assertion }));
                }
            }
        }
    }
    if evaluator.is_exhausted() { None } else { single(found).ok() }
}
