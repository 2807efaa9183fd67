//! The stories.

mod asking;
mod branching;
mod dropping;
mod first_start;
mod surviving;
