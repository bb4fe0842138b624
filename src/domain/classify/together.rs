//! Several errors in one result: which of them decides.

use super::rules::Rule;
use super::{Category, is_limit};
use crate::domain::failure::{ErrorText, Head};

/// The errors that say something themselves: not the time limits beside them, not an error whose cause is there as well.
pub(super) fn relevant<'e, 't>(errors: &'e [ErrorText<'t>]) -> impl Iterator<Item = &'e ErrorText<'t>> {
    let wrapping = errors.iter().skip(1).map(|next| next.cause).chain([false]);
    let alone = errors.iter().all(is_limit);
    errors.iter().zip(wrapping).filter_map(move |(error, has_cause)| {
        let wraps = has_cause && matches!(error.head, Head::Other(_));
        (alone || !is_limit(error)).then_some(error).filter(|_| !wraps)
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
