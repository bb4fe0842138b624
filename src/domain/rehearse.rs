//! Measure before you trust: questions with known answers, and the four numbers that come of them (healed right, healed
//! wrong, false heal when gone, declined).
//!
//! Pure. [`pairs`] are labelled data; [`drift`] and [`removal`] make questions of the pages of a green suite. Nothing here
//! decides: the answers come from the code that decides a real repair.

pub mod bars;
pub mod dice;
pub mod draft;
pub mod drift;
pub mod numbers;
pub mod pairs;
pub mod removal;
pub mod subject;
pub mod wording;
