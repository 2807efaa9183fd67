//! Wishes: what the person wants of single sections of a conversation's requests.
//!
//! A section is named by its id, which stays from request to request. What is pinned goes before everything that need
//! not go, in every request, until it is unpinned. What is left out is so once: in the next request that is answered. A
//! passage of an earlier message that is left out stays so until that is taken back: it would be found again.
//! [`crate::prompt`] and [`crate::earlier`] carry wishes out. Not here: choosing among summaries, which is unfolding.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::ids::MessageId;
use crate::section;
use crate::section::PassageOf;

/// What the person wants of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Wish {
    /// That it goes, whole, while it fits at all.
    Pinned,
    /// That the next request goes without it; of a recalled passage, every one.
    LeftOut,
}

/// A wish, with what it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
struct Wished {
    source: String,
    wish: Wish,
}

/// The wishes of a conversation, by the ids of sections.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(transparent)]
pub struct Wishes(BTreeMap<String, Wished>);

/// Why a wish cannot be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WishError {
    /// Our own instructions, the rules of memory and what is being asked.
    #[error("this goes with every request")]
    AlwaysGoes,
    /// Key sentences, and the conversation's instructions, which go anyway.
    #[error("this cannot be pinned")]
    NotPinnable,
    /// An id that is no section's, or more wishes than anyone has.
    #[error("a conversation has at most 256 wishes about sections with ids of 1 to 4,096 bytes")]
    OutOfRange,
}

/// Most wishes of a conversation, and the longest id and source, in bytes.
const MOST: usize = 256;
const LONGEST: usize = 4_096;

impl Wishes {
    /// Wants something of a section from now on, or nothing any more.
    pub fn set(&mut self, id: String, source: String, wish: Option<Wish>) -> Result<(), WishError> {
        let Some(wish) = wish else {
            self.0.remove(&id);
            return Ok(());
        };
        match (id.as_str(), wish) {
            (section::INSTRUCTIONS | section::DRAFT | section::CONTINUE, _) => {
                return Err(WishError::AlwaysGoes);
            }
            (id, _) if id.ends_with(section::RULES) => return Err(WishError::AlwaysGoes),
            (section::CONVERSATION_INSTRUCTIONS | section::EXTRACT, Wish::Pinned) => {
                return Err(WishError::NotPinnable);
            }
            _ => {}
        }
        let full = self.0.len() >= MOST && !self.0.contains_key(&id);
        if full || !(1..=LONGEST).contains(&id.len()) || source.len() > LONGEST {
            return Err(WishError::OutOfRange);
        }
        self.0.insert(id, Wished { source, wish });
        Ok(())
    }

    /// Whether a section is wanted in every request.
    pub fn pins(&self, id: &str) -> bool {
        self.wants(id, Wish::Pinned)
    }

    /// Whether the next request goes without a section.
    pub fn leaves_out(&self, id: &str) -> bool {
        self.wants(id, Wish::LeftOut)
    }

    /// The same of a message; most conversations want nothing of any.
    pub fn leaves_out_message(&self, id: MessageId) -> bool {
        !self.0.is_empty() && self.leaves_out(&section::id_of_message(id))
    }

    fn wants(&self, id: &str, wish: Wish) -> bool {
        self.0.get(id).is_some_and(|wished| wished.wish == wish)
    }

    /// Ids and sources of what is pinned.
    pub fn pinned(&self) -> impl Iterator<Item = (&str, &str)> {
        let pinned = self.0.iter().filter(|(_, wished)| wished.wish == Wish::Pinned);
        pinned.map(|(id, wished)| (id.as_str(), wished.source.as_str()))
    }

    /// The messages among those.
    pub fn pinned_messages(&self) -> impl Iterator<Item = MessageId> {
        self.pinned().filter_map(|(id, _)| section::message_of(id))
    }

    /// Of what a passage is pinned.
    pub fn pinned_passages(&self) -> impl Iterator<Item = PassageOf> {
        self.pinned().filter_map(|(id, _)| PassageOf::named(id))
    }

    /// Ids and sources of passages of messages that go into no request.
    pub fn rejected(&self) -> impl Iterator<Item = (&str, &str)> {
        let rejected = self.0.iter().filter(|(id, wished)| stays_out(id, wished.wish));
        rejected.map(|(id, wished)| (id.as_str(), wished.source.as_str()))
    }

    /// Whether anything is to be left out once.
    pub fn has_once(&self) -> bool {
        self.0
            .iter()
            .any(|(id, wished)| wished.wish == Wish::LeftOut && !stays_out(id, wished.wish))
    }

    /// Forgets every wish about passages of these: what they name is gone. Whether there were any.
    pub fn forget_passages(&mut self, of: impl Fn(&PassageOf) -> bool) -> bool {
        let before = self.0.len();
        self.0.retain(|id, _| !PassageOf::named(id).is_some_and(|it| of(&it)));
        self.0.len() < before
    }

    /// Forgets what a request was to be left out of, once that is answered; wishes that came later stay.
    pub fn forget_once(&mut self, answered: &Self) {
        self.0.retain(|id, wished| {
            let stays = wished.wish == Wish::Pinned || stays_out(id, wished.wish);
            stays || !answered.leaves_out(id)
        });
    }
}

/// Whether what is left out is so until the person takes it back.
fn stays_out(id: &str, wish: Wish) -> bool {
    wish == Wish::LeftOut && PassageOf::named(id).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn want(wishes: &mut Wishes, id: &str, wish: Wish) -> Result<(), WishError> {
        wishes.set(id.to_owned(), "a".to_owned(), Some(wish))
    }

    #[test]
    fn what_is_left_out_is_forgotten_with_the_answer_and_later_wishes_stay() {
        let mut wishes = Wishes::default();
        want(&mut wishes, "memory:AGENTS.md", Wish::LeftOut).unwrap();
        want(&mut wishes, "memory:CLAUDE.md", Wish::Pinned).unwrap();
        let asked = wishes.clone();
        want(&mut wishes, "passage:a.rs:1", Wish::LeftOut).unwrap();
        wishes.forget_once(&asked);
        assert!(!wishes.leaves_out("memory:AGENTS.md") && wishes.leaves_out("passage:a.rs:1"));
        assert!(wishes.pins("memory:CLAUDE.md"));
        wishes.set("memory:CLAUDE.md".into(), String::new(), None).unwrap();
        assert_eq!(wishes.pinned().count(), 0);
    }

    #[test]
    fn a_passage_that_is_rejected_stays_so_until_that_is_taken_back() {
        let mut wishes = Wishes::default();
        let id = section::id_of_recalled(MessageId::new(jiff::Timestamp::UNIX_EPOCH));
        want(&mut wishes, &id, Wish::LeftOut).unwrap();
        assert!(!wishes.has_once());
        let asked = wishes.clone();
        wishes.forget_once(&asked);
        assert_eq!(wishes.rejected().collect::<Vec<_>>(), [(id.as_str(), "a")]);
        want(&mut wishes, &id, Wish::Pinned).unwrap();
        assert_eq!((wishes.rejected().count(), wishes.pinned_passages().count()), (0, 1));
        wishes.set(id.clone(), String::new(), None).unwrap();
        assert_eq!(wishes, Wishes::default());
    }

    #[test]
    fn what_always_goes_and_what_is_chosen_anew_cannot_be_wished_for() {
        let mut wishes = Wishes::default();
        for id in [section::INSTRUCTIONS, section::DRAFT, section::CONTINUE] {
            assert_eq!(want(&mut wishes, id, Wish::LeftOut), Err(WishError::AlwaysGoes));
        }
        assert_eq!(want(&mut wishes, section::EXTRACT, Wish::Pinned), Err(WishError::NotPinnable));
        assert_eq!(want(&mut wishes, "", Wish::Pinned), Err(WishError::OutOfRange));
        assert_eq!(wishes, Wishes::default());
        for place in 0..MOST {
            want(&mut wishes, &format!("memory:{place}"), Wish::Pinned).unwrap();
        }
        assert_eq!(want(&mut wishes, "memory:more", Wish::Pinned), Err(WishError::OutOfRange));
        want(&mut wishes, "memory:0", Wish::LeftOut).unwrap();
    }
}
