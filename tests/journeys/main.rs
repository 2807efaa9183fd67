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

mod agents;
mod ahead;
mod asking;
mod attaching;
mod backups;
mod branches;
mod carrying;
mod changes;
mod checkpoint_machine;
mod checkpoints;
mod consent;
mod contexts;
mod copies;
mod counting;
mod deleting;
mod finding;
mod flagged;
mod folded;
mod growing;
mod hostile;
mod importing;
mod inbox;
mod keys;
mod large;
mod leaving;
mod mcp;
mod mcp_http;
mod mcp_set;
mod meaning;
mod memory;
mod mending;
mod mentions;
mod newest;
mod obeying;
mod offering;
mod outputs;
mod placing;
mod pressing;
mod privacy;
mod projects;
mod reach;
mod reading;
mod recall;
mod receipts;
mod remotes;
mod room;
mod runs;
mod same_answer;
mod sample;
mod sealing;
mod sessions;
mod sharing;
mod sides;
mod skills;
mod spending;
mod streams;
mod summaries;
mod summarising;
mod tasks;
mod together;
mod tools;
mod trouble;
mod updating;
mod wishes;
mod working;
mod world;
