//! Deleting conversations. In the trash one is told to nobody: it is in no request, no session, no proposal and no hit.
//! For ever, every trace of it goes, and what cannot be reached is named.
//!
//! What others have of it goes before its own rows do, so that a process that ends on the way leaves a conversation in
//! the trash that is deleted again, and not words that nothing names.

use siltstone_contract::{ConversationRef, Failure, Topic, Traces};
use siltstone_engine::conversation::{Conversation, ConversationPatch};
use siltstone_engine::ports::{StoreError, Stores};
use siltstone_engine::session::Words;

use crate::core::blocking;
use crate::core::failure::{Outcome, conflict};
use crate::maintenance::MaintenanceService;

impl MaintenanceService {
    /// Moves to the trash.
    pub async fn conversation_delete(&self, request: ConversationRef) -> Result<(), Failure> {
        self.turns.stop(request.clone()).await?;
        self.folding.jobs.stop(request.id);
        let patch =
            ConversationPatch { deleted_at: Some(Some(self.core.now())), ..Default::default() };
        self.conversations.patch(request.id, &patch)?;
        let this = self.clone();
        blocking(move || {
            let stores = this.core.stores()?;
            let (conversation, words) = this.words_of(&stores, request)?;
            this.sessions.forget_in_session(&stores, &conversation, &words)
        })
        .await?
    }

    /// Deletes a trashed conversation for ever.
    pub async fn conversation_purge(&self, request: ConversationRef) -> Result<Traces, Failure> {
        let id = request.id;
        let mut traces = self.conversation_traces(request.clone()).await?;
        let this = self.clone();
        let refused = blocking(move || {
            let stores = this.core.stores()?;
            let (conversation, words) = this.words_of(&stores, request)?;
            if conversation.deleted_at.is_none() {
                return Err(conflict("only what is in the trash can be deleted for ever"));
            }
            this.sessions.forget_in_session(&stores, &conversation, &words)?;
            let mut refused = this.sessions.forget_in_files(&stores, &conversation, &words)?;
            refused.extend(this.forget_in_checkpoints(&stores, &conversation)?);
            stores.transcripts.begin_purge(conversation.id).or_failure()?;
            Ok(refused)
        })
        .await??;
        traces.refused = refused;
        self.core.conversation_changed(id);
        self.core.changed([Topic::Sessions]);
        // The rest of a long one takes seconds, and is taken up by the next start where this one ends before it.
        let transcripts = self.core.stores()?.transcripts;
        match blocking(move || transcripts.purge_rest(&mut |_| true)).await? {
            // Another program reads what is left of it, and it goes when that ends.
            Err(error @ StoreError::Busy) => traces.refused.push(format!("database: {error}")),
            done => done.or_failure()?,
        }
        Ok(traces)
    }

    /// What deleting it for ever would not reach.
    pub async fn conversation_traces(&self, request: ConversationRef) -> Result<Traces, Failure> {
        let this = self.clone();
        blocking(move || {
            let stores = this.core.stores()?;
            let conversation = stores.transcripts.conversation(request.id).or_failure()?;
            let mut backups = this.core.world.data.backups().or_failure()?;
            backups.retain(|it| it.made_at.as_second() >= conversation.created_at.as_second());
            let pushed = match conversation.project_id {
                Some(id) => !stores.checkpoints.aged(id).or_failure()?.0.is_empty(),
                None => false,
            };
            let remotes = stores.records.settings().or_failure()?.checkpoints.remotes;
            Ok(Traces {
                backups,
                sent_to: stores.egress.receivers(conversation.id).or_failure()?,
                pushed_to: remotes.into_iter().filter(|_| pushed).map(|it| it.name).collect(),
                refused: Vec::new(),
            })
        })
        .await?
    }

    fn words_of(
        &self,
        stores: &Stores,
        request: ConversationRef,
    ) -> Result<(Conversation, Words), Failure> {
        let conversation = stores.transcripts.conversation(request.id).or_failure()?;
        let messages = stores.transcripts.all_messages(request.id).or_failure()?;
        Ok((conversation, Words::of(request.id, &messages)))
    }

    /// Takes a conversation and its lines of memory out of checkpoints; why that could not be done, if so.
    fn forget_in_checkpoints(
        &self,
        stores: &Stores,
        conversation: &Conversation,
    ) -> Result<Option<String>, Failure> {
        let lines = stores.memory.lines(None, Some(conversation.id)).or_failure()?;
        let own = lines.into_iter().filter(|line| line.conversation_id == Some(conversation.id));
        let own: Vec<String> = own.map(|line| line.text).collect();
        match stores.checkpoints.forget_conversation(conversation.id, &own) {
            Ok(()) => Ok(None),
            Err(
                error @ (StoreError::Locked | StoreError::Conflict { .. } | StoreError::Io { .. }),
            ) => Ok(Some(format!("checkpoints: {error}"))),
            Err(error) => Err(crate::core::failure::of_store(error)),
        }
    }
}
