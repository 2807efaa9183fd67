//! Use cases carried out end to end without a window: the real database, real files, the real offline model. Only the
//! model that must misbehave on cue is scripted, at the port.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what cannot be set up fails the journey"
)]

#[path = "../support/kept.rs"]
mod kept;
#[path = "../support/places.rs"]
mod places;
#[path = "../support/scripted.rs"]
mod scripted;

mod ahead;
mod asking;
mod attaching;
mod branches;
mod carrying;
mod checkpoint_machine;
mod checkpoints;
mod contexts;
mod counting;
mod folded;
mod hostile;
mod keys;
mod leaving;
mod memory;
mod mending;
mod mentions;
mod privacy;
mod projects;
mod receipts;
mod remotes;
mod room;
mod sample;
mod sealing;
mod sessions;
mod spending;
mod streams;
mod summaries;
mod summarising;
mod together;
mod trouble;
mod wishes;
mod world;
