//! Decides what a model sees and what is kept.
//!
//! The engine is pure and synchronous: it is told the time, it does no I/O, and it has no tokio, rusqlite, reqwest,
//! tauri or notify. What it needs of the world it declares in [`ports`]; adapters implement those, and the `app`
//! crate carries out what the engine decides. A request to a model is an ordered list of [`section::Section`]s, each
//! with a source, a text, a token count and a reason; everything else exists to make, fit, show or remember that list.

#![deny(missing_docs)]

pub mod acp;
pub mod attachment;
pub mod backup;
pub mod catalogue;
pub mod checkpoint;
pub mod client;
pub mod compaction;
pub mod context;
pub mod conversation;
mod days;
pub mod density;
pub mod difference;
pub mod earlier;
pub mod egress;
pub mod export;
pub mod fence;
mod fingerprint;
pub mod ids;
pub mod keys;
pub mod ledger;
pub mod link;
pub mod meaning;
pub mod memory;
pub mod mention;
pub mod message;
pub mod offers;
pub mod passage;
mod pattern;
pub mod ports;
pub mod price;
pub mod privacy;
pub mod project;
pub mod prompt;
mod prose;
pub mod provider;
pub mod recall;
pub mod replay;
pub mod run;
pub mod salvage;
pub mod search;
pub mod secret;
pub mod section;
pub mod session;
pub mod settings;
pub mod skill;
pub mod spending;
pub mod summary;
pub mod tasks;
pub mod title;
pub mod tokens;
pub mod tool;
pub mod turn;
pub mod update;
pub mod vault;
pub mod wish;
pub mod workflow;

pub use jiff::Timestamp;
pub use jiff::civil::Date;
pub use jiff::tz::TimeZone;
