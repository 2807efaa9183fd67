//! Summaries: what may stand in a request for earlier messages, when one is due, and what is asked for it.
//!
//! A summary never replaces an original. It is an overlay: a [`Record`] says which stretch of which path it stands
//! for, and the messages stay where they are. The app works in four steps: [`Overlay::on`] chooses the records that
//! hold on the shown path; [`due()`] looks at the messages after them and answers with a [`Draft`] when one must be
//! summarised; [`Draft::ask`] is what to ask a model and [`Draft::finish`], [`Draft::extract`] or [`Draft::fail`]
//! take what came of it; [`shape()`] says what a request consists of. Nothing here calls a model, waits or stores.
//! The policies that need no record (window, importance, summarise) are in the compaction module.

mod cheap;
mod draft;
mod due;
mod guard;
mod material;
mod newest;
mod overlay;
mod quote;
mod receipt;
mod record;
mod rolling;
mod running;
mod segments;
mod settings;
mod shape;
mod small_talk;
mod statistics;
mod text;
mod turns;
mod weigh;

#[cfg(test)]
mod tests;

pub use cheap::cheapest;
pub use draft::{Ask, Draft, Written, first_tokens};
pub use due::{Distance, Moment, Occasion, Terms, distance, due};
pub use guard::{MissingConstraint, PathRules, Rules, Unsaid};
pub use newest::Newest;
pub use overlay::Overlay;
pub use receipt::{KeptBy, KeptFact, Receipt, SummaryLine, readable};
pub use record::{Coverage, HistoryItem, Record, Status, TurnSpan, abandoned};
pub use rolling::{asked_in, single_message};
pub use running::{Hydrated, hydrate, hydrated, limit as running_limit};
pub use segments::{SegmentPolicy, TURN_WAIT, next_turns, system_prompt, to_discard};
pub use settings::{Policy, Rate, SummarySettings};
pub(crate) use shape::most_tokens_told;
pub use shape::{Missing, PromptShape, Raw, Shape, Told, kept_block, shape, tellings};
pub use small_talk::is_small_talk;
pub use statistics::Statistics;
pub use text::{cut, fit, language_of};
pub(crate) use text::{filled, said};
pub(crate) use turns::ends_turn;
pub use turns::{TurnView, turns};
pub use weigh::{FoldTokens, Scales};
