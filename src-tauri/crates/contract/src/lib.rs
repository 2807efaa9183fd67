//! Every request, reply, event and error code that crosses a host's boundary.
//!
//! [`commands`] holds the one table of commands. The shell expands a row into a command of the window, `silt` calls the
//! same method, and [`bindings`] writes the TypeScript side of it. Types that the engine already has a name for are
//! used as they are; what is here is only what a boundary adds.

#![deny(missing_docs)]

pub mod agents;
pub mod backups;
pub mod bindings;
pub mod changes;
pub mod checkpoints;
pub mod commands;
pub mod context;
pub mod copies;
pub mod events;
pub mod failure;
pub mod folds;
pub mod meaning;
pub mod memory;
pub mod places;
pub mod remotes;
pub mod replies;
pub mod requests;
pub mod sealing;
pub mod sessions;
pub mod shares;
pub mod skills;
pub mod tools;
pub mod updates;
pub mod vault;

pub use agents::*;
pub use backups::*;
pub use changes::*;
pub use checkpoints::*;
pub use context::*;
pub use copies::*;
pub use events::{Changed, ImportEvent, PathOffered, ProbeEvent, Topic, TurnEvent, Waiting};
pub use failure::{Code, Excess, Failure};
pub use folds::*;
pub use meaning::*;
pub use memory::*;
pub use places::*;
pub use remotes::*;
pub use replies::*;
pub use requests::*;
pub use sealing::*;
pub use sessions::*;
pub use shares::*;
pub use skills::*;
pub use tools::*;
pub use updates::*;
pub use vault::*;
