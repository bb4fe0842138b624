//! Fits the weights to labelled questions: a conditional logit over the candidates and "none of these".
//!
//! Deterministic: full gradients, fixed order, fixed number of steps. Signals that the data never shows keep the weight
//! of the table they started from.

use super::signal::{Signal, Weights};
use crate::domain::words::ratio;

/// One question with its right answer.
#[derive(Debug, Clone)]
pub struct Question {
    /// The signals of each candidate.
    pub candidates: Vec<Vec<Signal>>,
    /// The right candidates; empty where none of them is right.
    pub right: Vec<usize>,
}

/// How strongly the weights are held at where they start: one over their variance in bits, for all questions together.
const HOLD: f64 = 0.3;
/// Where the weights start: this part of the bits that independent signals would have.
const INDEPENDENCE: f64 = 0.5;
/// Steps of the descent; the loss no longer moves in its third digit after 80.
const STEPS: usize = 100;
/// Only the best candidates by the starting weights decide; the others have no chance and cost time.
const KEPT: usize = 30;

/// The weights that explain the questions best. Signals that no question shows keep the weight of `table`.
pub fn fit(questions: &[&Question], table: &Weights) -> Weights {
    let start = &counted(questions, table);
    let count = Signal::ALL.len();
    let (none, twin) = (count, count + 1);
    let kept: Vec<Terms> = questions.iter().map(|question| Terms::of(question, start, none, twin)).collect();
    let base: Vec<f64> = Signal::ALL.iter().map(|&signal| start.of(signal)).chain([start.none, start.twin]).collect();
    let mut weights = base.clone();
    let mut step = vec![0.1; count + 2];
    let mut before = vec![0.0; count + 2];
    for _ in 0..STEPS {
        let mut gradient: Vec<f64> = weights.iter().zip(&base).map(|(now, held)| HOLD * (now - held)).collect();
        for question in &kept {
            question.add_gradient(&weights, none, &mut gradient);
        }
        // Resilient propagation: only the sign of the slope counts, each weight has its own stride.
        for (((weight, slope), last), stride) in weights.iter_mut().zip(&gradient).zip(&mut before).zip(&mut step) {
            let turn = slope * *last;
            if turn < 0.0 {
                *stride = (*stride * 0.5_f64).max(1e-4);
                *last = 0.0;
                continue;
            }
            if turn > 0.0 {
                *stride = (*stride * 1.2_f64).min(0.5);
            }
            if *slope != 0.0 {
                *weight -= stride.copysign(*slope);
            }
            *last = *slope;
        }
    }
    let mut fitted = start.clone();
    for (&signal, bits) in Signal::ALL.iter().zip(&weights) {
        fitted.set(signal, *bits);
    }
    if let [.., none, twin] = weights[..] {
        (fitted.none, fitted.twin) = (none, twin);
    }
    fitted
}

/// How often a signal was seen at right candidates and at others; questions without a right one do not count.
pub fn seen(questions: &[&Question], signal: Signal) -> (usize, usize) {
    let with = questions.iter().filter(|question| !question.right.is_empty());
    let all = with.flat_map(|question| {
        question.candidates.iter().enumerate().map(|(at, found)| (question.right.contains(&at), found))
    });
    all.filter(|(_, found)| found.contains(&signal))
        .fold((0, 0), |(right, others), (is_right, _)| if is_right { (right + 1, others) } else { (right, others + 1) })
}

/// Weights by counting: the logarithm of how much more often a signal is seen at right candidates, damped.
fn counted(questions: &[&Question], table: &Weights) -> Weights {
    let all_right: usize = questions.iter().map(|question| question.right.len()).sum();
    let with = questions.iter().filter(|question| !question.right.is_empty());
    let all_others = with.map(|question| question.candidates.len()).sum::<usize>() - all_right;
    let mut weights = table.clone();
    for &signal in Signal::ALL {
        let (right, others) = seen(questions, signal);
        if right + others > 0 {
            let odds = ratio(right + 1, all_right + 2) / ratio(others + 1, all_others + 2);
            weights.set(signal, INDEPENDENCE * odds.log2());
        }
    }
    (weights.none, weights.twin) = (0.0, 0.0);
    weights
}

fn shorten(question: &Question, weights: &Weights) -> Question {
    let score = |at: usize| {
        question.candidates.get(at).map_or(0.0, |signals| signals.iter().map(|&signal| weights.of(signal)).sum::<f64>())
    };
    let mut order: Vec<usize> = (0..question.candidates.len()).collect();
    order.sort_by(|&a, &b| score(b).total_cmp(&score(a)).then(a.cmp(&b)));
    let mut chosen: Vec<usize> = order.iter().copied().take(KEPT).collect();
    chosen.extend(question.right.iter().filter(|right| !order.iter().take(KEPT).any(|at| at == *right)));
    Question {
        candidates: chosen.iter().filter_map(|&at| question.candidates.get(at).cloned()).collect(),
        right: (0..chosen.len()).filter(|&at| chosen.get(at).is_some_and(|at| question.right.contains(at))).collect(),
    }
}

/// A question as sums of weights: the candidates, then "none of these", then a twin of each candidate.
struct Terms {
    sums: Vec<Vec<usize>>,
    right: Vec<bool>,
    /// What the number of candidates adds to "none of these".
    many: f64,
}

impl Terms {
    fn of(question: &Question, start: &Weights, none: usize, twin: usize) -> Self {
        let short = shorten(question, start);
        let full = short.candidates.iter().map(|signals| signals.iter().map(|&signal| signal as usize).collect());
        let twins = short.candidates.iter().map(|signals| {
            let content = signals.iter().filter(|signal| !signal.is_place());
            content.map(|&signal| signal as usize).chain([twin]).collect()
        });
        let sums: Vec<Vec<usize>> = full.chain([vec![none]]).chain(twins).collect();
        let count = short.candidates.len();
        let right = (0..sums.len())
            .map(|at| if at < count { short.right.contains(&at) } else { short.right.is_empty() })
            .collect();
        Self { sums, right, many: many(question.candidates.len()) }
    }

    fn add_gradient(&self, weights: &[f64], none: usize, gradient: &mut [f64]) {
        let sum = |sum: &Vec<usize>| -> f64 {
            let bits: f64 = sum.iter().map(|&at| weights.get(at).copied().unwrap_or_default()).sum();
            if sum.first() == Some(&none) { bits + self.many } else { bits }
        };
        let scores: Vec<f64> = self.sums.iter().map(sum).collect();
        let shares = shares(&scores);
        let right: f64 = shares.iter().zip(&self.right).filter(|(_, right)| **right).map(|(share, _)| share).sum();
        for ((share, &is_right), sum) in shares.iter().zip(&self.right).zip(&self.sums) {
            let wanted = if is_right { share / right.max(1e-12) } else { 0.0 };
            let pull = (share - wanted) * std::f64::consts::LN_2;
            for &at in sum {
                add(gradient, at, pull);
            }
        }
    }
}

/// More candidates than the largest labelled page has (1,893) say nothing more.
const MOST: usize = 2_000;

/// What the number of candidates adds to "none of these", in bits: among more, one fits by chance more easily.
pub(super) fn many(candidates: usize) -> f64 {
    f64::from(u32::try_from(candidates.clamp(1, MOST)).unwrap_or(u32::MAX)).log2()
}

fn add(gradient: &mut [f64], at: usize, pull: f64) {
    if let Some(slope) = gradient.get_mut(at) {
        *slope += pull;
    }
}

/// Scores in bits as shares of one.
pub(super) fn shares(scores: &[f64]) -> Vec<f64> {
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let powers: Vec<f64> = scores.iter().map(|score| (score - most).exp2()).collect();
    let all: f64 = powers.iter().sum();
    powers.into_iter().map(|power| power / all).collect()
}
