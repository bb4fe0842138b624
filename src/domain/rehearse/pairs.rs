//! Labelled data: an element, and the same page years later.
//!
//! Pure. Cross-validated by site: the weights that answer a site's questions were fitted without that site.

use std::fmt;

use super::numbers::{Deed, Outcome};
use crate::domain::identity::{Facts, Lost};
use crate::domain::meaning::is_destructive;
use crate::domain::rank::fit::{self, fit};
use crate::domain::rank::{Bars, Judgement, Ranking, Signal, Weights, judge, rank, said, signals};

/// One lost element, asked twice: on its page, and on its page with the element taken out.
#[derive(Debug, Clone)]
pub struct Question {
    id: String,
    destructive: bool,
    truth: Option<usize>,
    there: Page,
    gone: Page,
}

/// The compared candidates of one question.
#[derive(Debug, Clone)]
struct Page {
    question: fit::Question,
    element: Vec<usize>,
}

/// An answer to one half of a question.
#[derive(Debug, Clone)]
pub struct Answer {
    id: String,
    /// Whether the element was on the page.
    there: bool,
    judgement: Judgement,
    /// Whether the first of the ranking is the element, in whatever node.
    right: bool,
    /// Whether it is the very node.
    exact: bool,
    share: f64,
    none: f64,
    bits: f64,
    signals: Vec<Signal>,
}

impl Question {
    /// Compares `target` with the candidates of a later page. `same` are all nodes that show the element, `truth` the
    /// very node; without it the element is not there and only the second half is asked.
    pub fn new(id: &str, target: &Facts, candidates: &[Facts], truth: Option<usize>, same: &[usize]) -> Self {
        let lost = Lost { fingerprint: Some(target.clone()), ..Lost::default() };
        let (signals, element) = signals(&lost, candidates, |_| true);
        let kept: Vec<usize> = (0..candidates.len()).filter(|at| !same.contains(at)).collect();
        let place = |at: usize| kept.binary_search(&at).ok();
        let kept_element =
            kept.iter().enumerate().map(|(new, &at)| element.get(at).and_then(|&outer| place(outer)).unwrap_or(new));
        Self {
            id: id.to_owned(),
            destructive: is_destructive(&said(&lost)),
            truth,
            gone: Page {
                element: kept_element.collect(),
                question: fit::Question {
                    candidates: kept.iter().filter_map(|&at| signals.get(at).cloned()).collect(),
                    right: Vec::new(),
                },
            },
            there: Page { element, question: fit::Question { candidates: signals, right: same.to_vec() } },
        }
    }

    fn answers(&self, weights: &Weights, bars: Bars) -> impl Iterator<Item = Answer> {
        let there = self.truth.map(|_| self.answer(&self.there, weights, bars));
        there.into_iter().chain([self.answer(&self.gone, weights, bars)])
    }

    fn answer(&self, page: &Page, weights: &Weights, bars: Bars) -> Answer {
        let ranking: Ranking = rank(page.question.candidates.clone(), page.element.clone(), weights, true);
        let best = ranking.elements.first();
        let candidate = best.map(|best| best.candidate);
        let there = std::ptr::eq(page, &raw const self.there);
        Answer {
            id: self.id.clone(),
            there,
            judgement: judge(&ranking, self.destructive, bars),
            right: there && candidate.is_some_and(|candidate| page.question.right.contains(&candidate)),
            exact: there && candidate == self.truth,
            share: best.map_or(0.0, |best| best.share),
            none: ranking.none,
            bits: best.map_or(0.0, |best| best.bits),
            signals: candidate.and_then(|at| ranking.signals.get(at).cloned()).unwrap_or_default(),
        }
    }
}

/// Labelled questions by site.
#[derive(Debug, Clone, Default)]
pub struct Pairs {
    sites: Vec<(String, Vec<Question>)>,
}

impl Pairs {
    /// Questions grouped by site, in the given order.
    pub fn new(sites: Vec<(String, Vec<Question>)>) -> Self {
        Self { sites }
    }

    /// How many folds the cross-validation has: one a site.
    pub fn folds(&self) -> usize {
        self.sites.len()
    }

    /// The weights fitted on all sites but one.
    pub fn fit_without(&self, fold: usize) -> Weights {
        let others = self.sites.iter().enumerate().filter(|(at, _)| *at != fold);
        fit(&halves(others.flat_map(|(_, (_, questions))| questions)), &Weights::default())
    }

    /// The answers to a fold's questions.
    pub fn answers(&self, fold: usize, weights: &Weights) -> Vec<Answer> {
        let questions = self.sites.get(fold).map(|(_, questions)| questions.as_slice()).unwrap_or_default();
        questions.iter().flat_map(|question| question.answers(weights, Bars::default())).collect()
    }

    /// The weights fitted on everything, as lines of the table, each with how often it was seen at the right element
    /// and at others.
    pub fn table(&self) -> String {
        let halves = halves(self.sites.iter().flat_map(|(_, questions)| questions));
        let weights = fit(&halves, &Weights::default());
        let lines = Signal::ALL.iter().filter_map(|&signal| {
            let (right, others) = fit::seen(&halves, signal);
            (right + others > 0).then(|| {
                let label = signal.label();
                format!("    {label} {:.1} \"{right} of the right, {others} of the others\";\n", weights.of(signal))
            })
        });
        let table: String = lines.collect();
        format!("{table}    none {:.1}, twin {:.1}\n", weights.none, weights.twin)
    }
}

fn halves<'a>(questions: impl Iterator<Item = &'a Question>) -> Vec<&'a fit::Question> {
    questions
        .flat_map(|question| {
            question.truth.map(|_| &question.there.question).into_iter().chain([&question.gone.question])
        })
        .collect()
}

impl From<&Answer> for Outcome {
    fn from(answer: &Answer) -> Self {
        let deed = match answer.judgement {
            Judgement::Same => Deed::Healed,
            Judgement::Likely => Deed::Tried,
            Judgement::Weak => Deed::Proposed,
            Judgement::Ambiguous(_) | Judgement::Gone => Deed::Declined,
        };
        Self { there: answer.there, deed, right: answer.right, exact: answer.exact }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let half = if self.there { "there" } else { "gone" };
        write!(
            f,
            "{half}\t{}\t{}\t{}\t{:.4}\t{:.4}\t{:.2}\t{:?}\t{:?}",
            self.id, self.right, self.exact, self.share, self.none, self.bits, self.judgement, self.signals
        )
    }
}
