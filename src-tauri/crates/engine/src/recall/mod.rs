//! Recall: which messages of a conversation a question is about.
//!
//! [`Reads`] [cuts](cut) what was said into stretches and reads their terms and a few marks of each, once. An [`Index`] takes in
//! one message after the other ([`Index::push`]) and keeps no text. [`Index::rank`] gives every stretch that may answer a
//! question a list of [features](Feature), which a [`Model`] weighs, by words alone or with what stands out in meaning; [`in_order`] says which are taken first where room is
//! short, and [`told`] how those of one message are shown. The weights are made by `tests/bench` from the project's own
//! questions and stand in `weights.json`. [`trial`] puts this beside the other ways of telling a conversation, for
//! `silt recall eval`. No model is asked and nothing is stored.
//!
//! For a request, [`phrases`] says what the index over everything is asked for, [`weigh`] what the stretches of its
//! candidates are worth, and [`Share`] how much room they have. [`crate::prompt`] takes them in the same order.

mod alike;
mod choose;
mod counters;
mod cut;
mod dates;
mod feature;
mod features;
mod forms;
mod index;
mod meant;
mod met;
mod model;
mod near;
mod otherwise;
mod parts;
mod port;
mod postings;
mod question;
mod reads;
mod settings;
mod shapes;
mod share;
mod standing;
mod teller;
pub mod trial;
mod units;
mod weigh;
mod words;

#[cfg(test)]
mod tests;

pub use choose::{Offer, in_order, join};
pub use cut::{cut, told, weight};
pub use feature::{Feature, Features};
pub use index::{Index, Said};
pub(crate) use meant::Meant;
pub use model::Model;
pub use otherwise::says_changed;
pub use parts::{Parts, Stretch};
pub use port::{Candidate, Candidates, Finder, Scope};
pub use question::Asked;
pub use reads::Reads;
pub use settings::{RecallScope, RecallSettings, ShareWhy, Shares};
pub use share::{Otherwise, Part, Recollection, Share, Standing, looks_back, offer_of};
pub use standing::{concerning, is_standing, room_of_standing, standing};
pub use weigh::{Of, Weighed, phrases, values_of, weigh};

/// A stretch of a message and what it is worth to a question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranked {
    /// Its place among all stretches of the index.
    pub place: usize,
    /// The higher, the likelier it answers.
    pub score: f32,
    /// What the score is made of.
    pub features: Features,
}
