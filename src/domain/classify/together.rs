//! Several errors in one result: which of them decides.

use super::Category;
use super::facts::{Facts, Limits};
use super::rules::Rule;
use crate::domain::failure::{ErrorText, Head, Limit};

/// The errors that say something themselves: not a time limit that another error explains, not an error whose cause is
/// there as well.
pub(super) fn relevant<'e, 't>(errors: &'e [ErrorText<'t>], limits: Limits) -> impl Iterator<Item = &'e ErrorText<'t>> {
    let wrapping = errors.iter().skip(1).map(|next| next.cause).chain([false]);
    let others = errors.iter().any(|error| !matches!(error.head, Head::Limit(_)));
    let explained = errors.iter().any(|error| Facts::of(error, limits).cut_off_by().is_some());
    errors.iter().zip(wrapping).filter_map(move |(error, has_cause)| {
        let accompanies = match error.head {
            // A test that failed by itself may run out of time as well, in what is left of it.
            Head::Limit(Limit::Test) => others,
            Head::Limit(Limit::Hook | Limit::Step) => explained,
            _ => false,
        };
        let wraps = has_cause && matches!(error.head, Head::Other(_));
        (!accompanies && !wraps).then_some(error)
    })
}

/// The error that decides, its rule, and whether errors of different categories met.
///
/// One error for a person makes the whole result one for a person, so the first ineligible error decides.
pub(super) fn decisive<'e, 't, 'r>(
    judged: &[(&'e ErrorText<'t>, &'r Rule)],
) -> Option<(&'e ErrorText<'t>, &'r Rule, bool)> {
    let telling =
        judged.iter().find(|(_, rule)| !rule.category.is_eligible() && rule.category != Category::Unrecognized);
    let human = telling.or_else(|| judged.iter().find(|(_, rule)| !rule.category.is_eligible()));
    let (error, rule) = human.or(judged.first())?;
    let mixed = judged.iter().any(|(_, other)| other.category.is_eligible() != rule.category.is_eligible());
    Some((error, rule, mixed))
}
