//! Recall: which messages of a conversation a question is about.
//!
//! An [`Index`] takes in one message after the other ([`Index::push`]) at a cost of the new text alone, and keeps terms
//! and a few marks of each, no text. [`Index::rank`] gives every message that may answer a question a list of
//! [features](Feature), which a [`Model`] weighs; [`pack`] chooses from them under a token budget and [`render`] shows
//! the choice with dates and speakers. The weights are made by `tests/bench` from the project's own questions and stand
//! in `weights.json`. [`trial`] puts this beside the other ways of telling a conversation, for `silt recall eval`. No
//! model is asked and nothing is stored.
//!
//! For a request, [`phrases`] says what the index over everything is asked for, [`weigh`] what its candidates are worth,
//! [`stretch_for`] which part of a long one is shown, and [`Share`] how much room they have. [`crate::prompt`] chooses
//! from them.

mod alike;
mod counters;
mod dates;
mod feature;
mod features;
mod forms;
mod index;
mod meant;
mod met;
mod model;
mod pack;
mod port;
mod postings;
mod question;
mod settings;
mod shapes;
mod share;
mod stretch;
mod teller;
pub mod trial;
mod units;
mod weigh;
mod words;

#[cfg(test)]
mod tests;

pub use feature::{Feature, Features};
pub use index::{Index, Said};
pub(crate) use meant::Meant;
pub use model::Model;
pub use pack::{Passage, pack, render};
pub use port::{Candidate, Candidates, Finder, Scope};
pub use question::Asked;
pub use settings::{RecallScope, RecallSettings, ShareWhy, Shares};
pub use share::{Recollection, Share, looks_back};
pub use stretch::{Stretch, stretch_for};
pub use weigh::{Weighed, phrases, weigh};

/// A message and what it is worth to a question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranked {
    /// Its place in the index.
    pub place: usize,
    /// The higher, the likelier it answers.
    pub score: f32,
    /// What the score is made of.
    pub features: Features,
}
