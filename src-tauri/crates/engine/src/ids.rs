//! Identifiers: UUIDv7 newtypes, so that ids sort as they were made and never mix.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{fmt, str::FromStr};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! id {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "ts", derive(ts_rs::TS))]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// A fresh id made at `now`. Of two of the same millisecond the later sorts behind the earlier, if both are of
            /// this process.
            pub fn new(now: Timestamp) -> Self {
                Self(uuid_at(now))
            }

            /// A text that ends with it. A long request has thousands, so each is made in one piece of memory.
            pub fn after(self, beginning: &str) -> String {
                let mut buffer = Uuid::encode_buffer();
                [beginning, self.0.as_hyphenated().encode_lower(&mut buffer)].concat()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($name), self.0)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::parse_str(text).map(Self)
            }
        }
    )*};
}

id! {
    /// A durable conversation.
    ConversationId;
    /// One message of a conversation.
    MessageId;
    /// One question with the work and the answer that followed.
    TurnId;
    /// A summary of a stretch of a conversation.
    SummaryId;
    /// A line of session or runtime memory.
    MemoryLineId;
    /// A checkpoint.
    CheckpointId;
    /// A plan of a restore.
    PlanId;
    /// A change that a message proposes.
    ProposalId;
    /// A line that a model wants to be remembered.
    InboxId;
    /// A step of a run.
    NodeId;
    /// A remembered answer about tools.
    RuleId;
    /// A project folder that was opened once.
    ProjectId;
    /// One line through a conversation's tree, from the point where it forked.
    BranchId;
}

/// Bits of an id, behind its millisecond, that count (RFC 9562, 6.2, method 1); the 32 behind them are chance.
const COUNTED: u8 = 42;

fn uuid_at(now: Timestamp) -> Uuid {
    // It begins anywhere in a quarter of what it can count to, and is never done.
    static COUNT: LazyLock<AtomicU64> = LazyLock::new(|| {
        let by_chance = Uuid::new_v7(uuid::Timestamp::from_unix(uuid::NoContext, 0, 0));
        AtomicU64::new(by_chance.as_u64_pair().1 & (u64::MAX >> (64 - COUNTED + 2)))
    });
    let millis = now.as_millisecond().max(0);
    let seconds = (millis / 1000).unsigned_abs();
    let nanos = u32::try_from(millis % 1000).unwrap_or(0) * 1_000_000;
    let count = COUNT.fetch_add(1, Ordering::Relaxed).into();
    Uuid::new_v7(uuid::Timestamp::from_unix_time(seconds, nanos, count, COUNTED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_by_time_and_round_trip() {
        let early = MessageId::new(Timestamp::from_second(1_000).unwrap());
        let late = MessageId::new(Timestamp::from_second(2_000).unwrap());
        assert!(early < late);
        assert_eq!(early.to_string().parse::<MessageId>().unwrap(), early);
    }

    #[test]
    fn ids_of_one_millisecond_sort_as_they_were_made() {
        let now = Timestamp::from_second(1_000).unwrap();
        let made: Vec<MessageId> = (0..1_000).map(|_| MessageId::new(now)).collect();
        assert!(made.is_sorted_by(|earlier, later| earlier < later));
        assert!(made.iter().all(|id| id.0.get_version_num() == 7));
    }
}
