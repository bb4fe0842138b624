//! ARIA role, accessible name and states, as Playwright computes them, which is not always as the specification says.

mod description;
mod hidden;
mod name;
mod native;
mod role;
mod state;

pub(crate) use hidden::Place;
pub(crate) use state::{CHECKED_ROLES, EXPANDED_ROLES, LEVEL_ROLES, PRESSED_ROLES, SELECTED_ROLES};
