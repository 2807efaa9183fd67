//! SQLite: everything Siltstone keeps.
//!
//! [`Store`] implements the engine's ports [`Transcripts`], [`Records`], [`Passages`] and [`EgressLog`] over two files
//! in the data folder: `siltstone.db`, which holds the person's words and is pressed onto the disk at every commit, and
//! `passages.db`, an index that can be made again. One module a table or concept, with its SQL beside its types. Context
//! stores are files beside them, which people and other programs can read.
//! Several processes may work in one folder at a time; `owners/` tells which of them are alive, and a reply whose
//! process died is closed by the next one that looks.
//!
//! Hosts open a store and hand it to the app crate; nothing here knows of models, windows or time of its own.
//!
//! [`Transcripts`]: siltstone_engine::ports::Transcripts
//! [`Records`]: siltstone_engine::ports::Records
//! [`Passages`]: siltstone_engine::ports::Passages
//! [`EgressLog`]: siltstone_engine::egress::EgressLog

#![deny(missing_docs)]

mod backup;
mod blobs;
mod branches;
mod checkpoints;
mod column;
mod connection;
mod contexts;
mod conversations;
mod data_dir;
mod egress;
mod fault;
mod files;
mod finder;
mod held;
mod keys;
mod memory;
mod messages;
mod open;
mod owner;
mod packs;
mod partials;
mod passages;
#[cfg(test)]
mod plan;
mod projects;
mod providers;
mod purging;
mod queue;
mod records;
mod returning;
mod salvage;
mod samples;
mod search;
mod sessions;
mod settings;
mod spending;
mod standing;
mod summaries;
mod tools;
mod transcripts;
mod turns;
mod vault;
mod vectors;

// The tests from outside go into one program with those within: one to link. They name the room as its users do.
#[cfg(test)]
extern crate self as siltstone_storage;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;

use std::path::{Path, PathBuf};

use siltstone_engine::Timestamp;
use siltstone_engine::conversation::ConversationFilter;
use siltstone_engine::ports::{StoreError, Summaries, Transcripts};

pub use backup::Backup;
pub use checkpoints::CheckpointStore;
pub use data_dir::DataDir;
pub use files::{is_shared, write_whole};
pub use siltstone_engine::backup::BackupKind;
pub use vault::Vault;

use connection::Database;
use owner::Owner;

/// An open data folder. Dropping it says that this process ended well.
pub struct Store {
    dir: PathBuf,
    database: Database,
    passages: Database,
    owner: Owner,
    read_only: Option<String>,
    settings: settings::Known,
    standing: standing::Known,
    lately: finder::lately::Lately<siltstone_engine::recall::Scope>,
}

impl Store {
    /// Opens the data folder `dir`, which is made if there is none. A database that is damaged, newer than this
    /// program, or missing where there was one is reported and left as it is. A folder that cannot be written is opened to
    /// read alone, and every write is refused.
    pub fn open(dir: &Path, now: Timestamp) -> Result<Self, StoreError> {
        let opened = match open::open(dir, now, open::MIGRATIONS) {
            Err(refused @ StoreError::ReadOnly { .. }) => {
                open::open_to_read(dir, refused, open::MIGRATIONS.len())?
            }
            opened => opened?,
        };
        let store = Self {
            dir: dir.to_owned(),
            database: opened.database,
            passages: opened.passages,
            owner: opened.owner,
            read_only: opened.read_only,
            settings: settings::Known::default(),
            standing: standing::Known::default(),
            lately: finder::lately::Lately::new(finder::lately::OF_MESSAGES),
        };
        if store.read_only.is_none() {
            store.begin_index()?;
        }
        Ok(store)
    }

    /// Why nothing can be written, where that is so.
    pub fn read_only(&self) -> Option<&str> {
        self.read_only.as_deref()
    }

    /// What is wrong with the database, where something of it could not be read since it was opened.
    pub fn damage(&self) -> Option<&str> {
        self.database.damage()
    }

    /// The same error; one of damage in the database is kept in mind.
    pub(crate) fn noted(&self, error: StoreError) -> StoreError {
        self.database.noted(error)
    }

    /// Reads all of the database and says what is wrong with it; that is kept in mind.
    pub fn look_whole(&self) -> Result<Option<&str>, StoreError> {
        if self.damage().is_none() {
            let path = self.dir.join(open::FILE);
            let found = self.database.read(|db| Ok(open::whole_check(db)?));
            match found {
                Ok(None) => self.read_rows()?,
                Ok(Some(fault)) => {
                    self.database.noted(fault::damaged(&path, fault));
                }
                Err(StoreError::Damaged { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(self.damage())
    }

    /// Reads all that there is, row by row, as the program does.
    fn read_rows(&self) -> Result<(), StoreError> {
        let read = || -> Result<(), StoreError> {
            let senseless = self.database.read(|db| Ok(salvage::readers::senseless(db)?))?;
            if let Some(row) = senseless.first() {
                let fault = format!("a row of {} cannot be understood", row.table);
                let path = self.dir.join(open::FILE);
                return Err(self.database.noted(fault::damaged(&path, fault)));
            }
            for trashed in [false, true] {
                let filter = ConversationFilter { project_id: None, trashed };
                for conversation in self.conversations(&filter)? {
                    let said = self.all_messages(conversation.id)?;
                    let said: Vec<_> = said.iter().map(|message| message.id).collect();
                    self.turns_of_replies(&said)?;
                    self.page(conversation.id, Some(0), conversation.message_count)?;
                    self.summaries(conversation.id)?;
                }
            }
            Ok(())
        };
        match read() {
            Err(StoreError::Damaged { .. }) => Ok(()),
            read => read,
        }
    }

    /// The data folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }
}
