//! Salvaging a damaged database: what of it could be read, and what was lost.
//!
//! The storage adapter reads and mends through [`DataFolder`]; this says how it is told. Nothing of the damaged file is
//! thrown away: it is kept beside what was read of it.
//!
//! [`DataFolder`]: crate::ports::DataFolder

use serde::{Deserialize, Serialize};

use crate::backup::{Backup, Holds};
use crate::ids::ConversationId;

/// What stands in the place of a message that could not be read. It is kept with the conversation, so it does not follow
/// the language of the window.
pub const LOST: &str = "This message could not be read when the damaged database was salvaged. \
    (손상된 데이터베이스를 복구할 때 이 메시지는 읽지 못했어요.)";

/// Rows of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SalvagedTable {
    /// Its name.
    pub name: String,
    /// Rows that were read.
    pub read: u32,
    /// Rows that the backup had beside those.
    pub added: u32,
    /// Rows that were read and cannot stand in a database; they are kept in a file of their own.
    pub aside: u32,
}

/// A conversation that lost messages; each has a message in its place that says so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct TouchedConversation {
    /// The conversation.
    pub id: ConversationId,
    /// Its title.
    pub title: String,
    /// Messages that could not be read.
    pub lost: u32,
}

/// What came out of a damaged database.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Salvage {
    /// Pages of the file.
    pub pages: u32,
    /// Pages that could not be read.
    pub unreadable_pages: u32,
    /// What there is now, the messages that stand for lost ones left out.
    pub holds: Holds,
    /// Messages that are known to be lost.
    pub lost_messages: u32,
    /// The conversations they are lost from, the largest loss first, and at most [`NAMED`] of them.
    ///
    /// [`NAMED`]: crate::backup::NAMED
    pub touched: Vec<TouchedConversation>,
    /// Number of all of those.
    pub touched_count: u32,
    /// Rows that were read and set aside.
    pub aside: u32,
    /// Rows by their table, without tables that had none.
    pub tables: Vec<SalvagedTable>,
    /// The folder in which the damaged file is kept; `None` while this is a plan.
    pub kept: Option<String>,
}

/// What salvaging would bring, beside the newest backup that can be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SalvagePlan {
    /// Of the damaged file alone.
    pub alone: Salvage,
    /// The newest backup.
    pub backup: Option<Backup>,
    /// With what that one has beside it.
    pub with_backup: Option<Salvage>,
}
