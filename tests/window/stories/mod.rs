//! The stories.

mod asking;
mod backups;
mod branching;
mod checkpoints;
mod dropping;
mod elsewhere;
mod first_start;
mod folding;
mod formats;
mod gemma;
mod hostile;
mod keys;
mod leaks;
mod looking;
mod memory;
mod notifying;
mod placing;
mod recall;
mod receipts;
mod reviving;
mod salvaging;
mod searching;
mod sessions;
mod surviving;
mod tools;
mod typing;
