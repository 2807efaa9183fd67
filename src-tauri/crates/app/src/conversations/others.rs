//! Import from a file that a host opened: one conversation at once, or all that an export of another service holds.
//!
//! An export stays open under an id until it is imported, so that the window names no file. It is read twice: first to its
//! end, so that one that is damaged leaves nothing behind, then a conversation at a time, each durable by itself.

use std::collections::HashSet;
use std::io::{Read, Seek};

use siltstone_contract::{
    Code, ConversationItem, Failure, FileImported, ImportAll, ImportConversation, ImportEvent,
    ImportedAll, Topic,
};
use siltstone_engine::conversation::ConversationFilter;
use siltstone_engine::export::others::{self, Others};
use siltstone_engine::export::{ImportError, Imported, MAX_TEXT};
use siltstone_engine::ids::ProjectId;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::Sink;
use crate::conversations::ConversationService;
use crate::core::failure::Outcome;
use crate::core::{blocking, locked};

/// Conversations between two words about how far it is.
const BATCH: u64 = 8;

/// What a host opened.
pub(crate) trait Source: Read + Seek + Send {}

impl<F: Read + Seek + Send> Source for F {}

/// An export that waits to be imported.
pub(crate) struct Opened {
    id: String,
    export: Others<Box<dyn Source>>,
    project_id: Option<ProjectId>,
}

impl ConversationService {
    /// Imports the one conversation of a file, or keeps the file open where it is an export of many.
    pub(crate) async fn import_file(
        &self,
        name: String,
        file: Box<dyn Source>,
        project_id: Option<ProjectId>,
    ) -> Result<FileImported, Failure> {
        let this = self.clone();
        let found = blocking(move || match Others::open(file).or_failure()? {
            Ok(export) => {
                let id = Uuid::now_v7().to_string();
                let opened = Opened { id: id.clone(), export, project_id };
                *locked(&this.opened) = Some(opened);
                Ok(Err(id))
            }
            Err(file) => Ok(Ok(text_of(file)?)),
        });
        match found.await?? {
            Err(import_id) => Ok(FileImported::Many(ImportAll { import_id })),
            Ok(text) => {
                let request = ImportConversation { text, name, project_id };
                Ok(FileImported::One(self.conversation_import(request).await?))
            }
        }
    }

    /// Imports every conversation of an export that was opened and is not there already.
    pub async fn conversation_import_all(
        &self,
        request: ImportAll,
        sink: Sink<ImportEvent>,
    ) -> Result<ImportedAll, Failure> {
        let id = request.import_id;
        let opened = locked(&self.opened).take_if(|opened| opened.id == id);
        let opened =
            opened.ok_or_else(|| Failure::new(Code::NotFound, "this file is not open any more"))?;
        let cancel = CancellationToken::new();
        locked(&self.core.probes).insert(id.clone(), cancel.clone());
        let this = self.clone();
        let done = blocking(move || this.import_all(opened, &cancel, &sink)).await;
        locked(&self.core.probes).remove(&id);
        done?
    }

    /// Cancels such an import, or closes a file that waits; one that is over already is fine.
    pub async fn conversation_import_cancel(&self, request: ImportAll) -> Result<(), Failure> {
        let id = request.import_id;
        drop(locked(&self.opened).take_if(|opened| opened.id == id));
        if let Some(cancel) = locked(&self.core.probes).remove(&id) {
            cancel.cancel();
        }
        Ok(())
    }

    fn import_all(
        &self,
        opened: Opened,
        cancel: &CancellationToken,
        sink: &Sink<ImportEvent>,
    ) -> Result<ImportedAll, Failure> {
        let Opened { mut export, project_id, .. } = opened;
        let (mut total, mut known) = (0, false);
        export
            .each(&mut |text| {
                total += 1;
                known = known || others::is_known(text);
                !cancel.is_cancelled()
            })
            .or_failure()?;
        if !known && !cancel.is_cancelled() {
            return Err(ImportError::Unrecognised).or_failure();
        }
        let mut taking = Taking {
            of: self,
            project_id,
            there: self.there()?,
            stale: Vec::new(),
            looked_at: 0,
            done: ImportedAll::default(),
        };
        let mut failed = None;
        let read = export.each(&mut |text| {
            if cancel.is_cancelled() {
                return false;
            }
            if taking.looked_at.is_multiple_of(BATCH) {
                taking.tell();
                sink(ImportEvent { done: taking.looked_at, total });
            }
            taking.looked_at += 1;
            failed = taking.take(text).err();
            failed.is_none()
        });
        taking.tell();
        sink(ImportEvent { done: taking.looked_at, total });
        if let Some(failure) = failed {
            return Err(failure);
        }
        read.or_failure()?;
        taking.done.cancelled = cancel.is_cancelled() && taking.looked_at < total;
        Ok(taking.done)
    }

    /// What is there, by title and moment: a service has no two of both.
    fn there(&self) -> Result<HashSet<(String, i64)>, Failure> {
        let all = self.core.stores()?.transcripts.conversations(&ConversationFilter::default());
        let all = all.or_failure()?.into_iter();
        Ok(all.map(|it| (it.title, it.created_at.as_millisecond())).collect())
    }
}

/// An import on its way.
struct Taking<'a> {
    of: &'a ConversationService,
    project_id: Option<ProjectId>,
    there: HashSet<(String, i64)>,
    /// What became new since it was last told.
    stale: Vec<Topic>,
    looked_at: u64,
    done: ImportedAll,
}

impl Taking<'_> {
    /// Takes one conversation over. What is wrong with it is counted; a failure is one of ours and ends the import.
    fn take(&mut self, text: &str) -> Result<(), Failure> {
        let found = match others::conversation(text, self.of.core.now()) {
            Ok(found) => found,
            Err(ImportError::Empty) => {
                self.done.empty += 1;
                return Ok(());
            }
            Err(error) => {
                tracing::info!(%error, "a conversation of an export cannot be read");
                self.done.unreadable += 1;
                return Ok(());
            }
        };
        let Imported { ref title, times, left_out, ref messages, .. } = found;
        let made = times.map(|(made, _)| (title.clone(), made.as_millisecond()));
        if made.is_some_and(|made| !self.there.insert(made)) {
            self.done.already += 1;
            return Ok(());
        }
        let messages = messages.len() as u64;
        let item = self.of.kept(found, self.project_id)?;
        self.stale.push(Topic::Conversation { id: item.id });
        self.done.conversations += 1;
        self.done.messages += messages;
        self.done.left_out += left_out;
        let older = |latest: &ConversationItem| latest.updated_at < item.updated_at;
        if self.done.latest.as_ref().is_none_or(older) {
            self.done.latest = Some(item);
        }
        Ok(())
    }

    /// Says what became new.
    fn tell(&mut self) {
        if !self.stale.is_empty() {
            self.stale.push(Topic::Conversations);
            self.of.core.changed(std::mem::take(&mut self.stale));
        }
    }
}

/// All of a file as text. A device has no end.
fn text_of(file: Box<dyn Source>) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    file.take(MAX_TEXT as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::new(Code::Io, error.to_string()))?;
    if bytes.len() > MAX_TEXT {
        let message = format!("at most {MAX_TEXT} bytes are imported");
        return Err(Failure::new(Code::InputTooLong, message));
    }
    String::from_utf8(bytes).map_err(|_| Failure::new(Code::NotText, "the file is no UTF-8 text"))
}
