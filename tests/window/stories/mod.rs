//! The stories.

mod asking;
mod branching;
mod dropping;
mod first_start;
mod hostile;
mod looking;
mod searching;
mod surviving;
mod typing;
