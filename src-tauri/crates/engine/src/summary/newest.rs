//! What stays whole of the newest messages, and how much gathers before a fold is due.
//!
//! A fold tells what is older. The last two exchanges go word for word in every request, whatever was folded, and more of
//! the newest up to a fifth of the model's window; a fold is due when two fifths of it wait. A person may go by numbers
//! instead, and `strict` always does: then the numbers of the policy say when ([`due`](super::due())), and outside of
//! `strict` the last two exchanges go whole beside what tells them. [`crate::earlier`] makes sure of that.

use std::borrow::Borrow;

use super::settings::{Policy, SummarySettings};
use super::turns::ends_turn;
use crate::message::Message;

/// Exchanges that always go whole.
const EXCHANGES: usize = 2;

/// More of the newest messages goes whole up to one of so many parts of the window.
const KEEPS: u64 = 5;

/// So many of those parts may wait before a fold is due.
const DUE: u64 = 2;

/// What stays whole, and when more is folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Newest {
    /// A fold is due when more tokens than this wait; `None` where the numbers of the policy say when.
    pub due: Option<u64>,
    /// Exchanges that go whole in any case.
    pub exchanges: usize,
    /// Tokens up to which more of the newest goes whole.
    pub keeps: u64,
}

impl Newest {
    /// For a model with a window of this size.
    pub fn of(settings: &SummarySettings, window: u64) -> Self {
        let share = window / KEEPS;
        let exchanges = settings.exchanges_kept(EXCHANGES);
        match settings.policy {
            _ if settings.strict || !settings.enabled => Self { due: None, exchanges: 0, keeps: 0 },
            Policy::Rolling | Policy::Segments | Policy::Running if settings.goes_by_numbers() => {
                // Who wants little to wait does not want more of it to go.
                let number = match settings.policy {
                    Policy::Rolling => settings.threshold,
                    Policy::Running => settings.window_keep,
                    _ => 0,
                };
                Self { due: None, exchanges, keeps: share.min(number / DUE) }
            }
            Policy::Rolling | Policy::Segments | Policy::Running => {
                Self { due: Some(share * DUE), exchanges, keeps: share }
            }
            _ => Self { due: None, exchanges: EXCHANGES, keeps: share },
        }
    }

    /// The same where whatever can be folded is.
    pub fn at_once(self) -> Self {
        Self { due: self.due.map(|_| 0), keeps: 0, ..self }
    }

    /// The exchanges that go whole in any case, and nothing more.
    pub fn least(self) -> Self {
        Self { keeps: 0, ..self }
    }

    /// The messages that stay whole, oldest first: what is still open, and whole exchanges before it. No more is read
    /// than `most` tokens and the message before.
    pub fn whole<M: Borrow<Message>>(
        &self,
        newest_first: impl IntoIterator<Item = M>,
        most: u64,
        cost: impl Fn(&Message) -> u64,
    ) -> Vec<M> {
        let mut whole = Whole { limits: *self, messages: Vec::new(), tokens: 0, exchanges: 0 };
        // One exchange, newest first, and what it costs.
        let mut turn: Vec<M> = Vec::new();
        let mut tokens = 0;
        if self.exchanges == 0 {
            return whole.messages;
        }
        for message in newest_first {
            if ends_turn(message.borrow()) && !turn.is_empty() {
                if !whole.take(&mut turn, tokens) {
                    break;
                }
                tokens = 0;
            }
            tokens += cost(message.borrow());
            turn.push(message);
            if whole.tokens + tokens > most {
                turn.clear();
                break;
            }
        }
        if !turn.is_empty() {
            whole.take(&mut turn, tokens);
        }
        whole.messages.reverse();
        whole.messages
    }

    /// Those of the messages that may be folded: all of them where the numbers of the policy say when.
    pub(super) fn foldable<'a>(
        &self,
        messages: &'a [Message],
        cost: impl Fn(&Message) -> u64,
    ) -> &'a [Message] {
        if self.due.is_none() {
            return messages;
        }
        let whole = self.whole(messages.iter().rev(), u64::MAX, cost).len();
        &messages[..messages.len() - whole]
    }
}

/// What is taken so far, newest first.
struct Whole<M> {
    limits: Newest,
    messages: Vec<M>,
    tokens: u64,
    exchanges: usize,
}

impl<M: Borrow<Message>> Whole<M> {
    /// Takes an exchange, or what is open behind all of them; whether more may follow.
    fn take(&mut self, turn: &mut Vec<M>, tokens: u64) -> bool {
        let is_open = turn.first().is_some_and(|newest| !ends_turn(newest.borrow()));
        let goes = is_open
            || self.exchanges < self.limits.exchanges
            || self.tokens + tokens <= self.limits.keeps;
        if goes {
            self.tokens += tokens;
            self.exchanges += usize::from(!is_open);
            self.messages.append(turn);
        } else {
            turn.clear();
        }
        goes
    }
}
