//! Conversations as text: export and import.

use std::collections::BTreeMap;
use std::sync::Arc;

use siltstone_contract::{
    ConversationItem, ExportConversation, ExportFormat, ExportedText, Failure, ImportConversation,
    Imported,
};
use siltstone_engine::conversation::{
    Conversation, ConversationPatch, PathMessage, TitleSource, Tuning,
};
use siltstone_engine::export;
use siltstone_engine::ids::{BranchId, ConversationId, MessageId, ProjectId};
use siltstone_engine::message::{Message, Part};
use siltstone_engine::ports::{NewMessage, StoreError, Stores};
use siltstone_engine::privacy::Cleaner;
use siltstone_engine::tool::output::KeptOutput;

use crate::conversations::attachments::bytes_of;
use crate::conversations::{ConversationService, item};
use crate::core::blocking;
use crate::core::failure::Outcome;

/// Messages read at a time.
const BATCH: u64 = 1_000;

impl ConversationService {
    /// The conversation as text.
    pub async fn conversation_export(
        &self,
        request: ExportConversation,
    ) -> Result<ExportedText, Failure> {
        let this = self.clone();
        blocking(move || this.exported(&request)).await?
    }

    /// A conversation from text that was exported, here or by another program.
    pub async fn conversation_import(
        &self,
        request: ImportConversation,
    ) -> Result<Imported, Failure> {
        let this = self.clone();
        blocking(move || this.imported(&request)).await?
    }

    fn exported(&self, request: &ExportConversation) -> Result<ExportedText, Failure> {
        let stores = self.core.stores()?;
        let mut conversation = stores.transcripts.conversation(request.id).or_failure()?;
        let mut path = self.whole_path(request.id)?;
        let cleaner = self.privacy.cleaner().unless(request.as_is);
        cleaner.clean(&mut conversation.title);
        cleaner.clean(&mut conversation.tuning.instructions);
        path.iter_mut().for_each(|message| _ = cleaner.message(message));
        let (text, extension) = match request.format {
            ExportFormat::Markdown => (export::markdown(&conversation.title, &path), "md"),
            ExportFormat::Jsonl => (export::jsonl(&path), "jsonl"),
            ExportFormat::Json => {
                let mut all = stores.transcripts.all_messages(request.id).or_failure()?;
                all.iter_mut().for_each(|message| _ = cleaner.message(message));
                let shown: Vec<MessageId> = path.iter().map(|message| message.id).collect();
                let parts = all.iter().flat_map(|message| &message.parts);
                let mut bytes = bytes_of(&stores, parts)?;
                for name in bytes.gone {
                    tracing::warn!(%name, "bytes of an attachment are gone; its name is exported");
                }
                bytes.found.extend(outputs_of(&stores, request.id, &mut all, Some(&cleaner))?);
                let mut folds = stores.summaries.summaries(request.id).or_failure()?;
                folds.iter_mut().for_each(|record| _ = cleaner.clean(&mut record.summary));
                let redacted = cleaner.is_on();
                (export::json(&conversation, &all, &folds, &shown, &bytes.found, redacted), "json")
            }
        };
        Ok(ExportedText { name: export::file_name(&conversation.title, extension), text })
    }

    fn whole_path(&self, id: ConversationId) -> Result<Vec<Message>, Failure> {
        let transcripts = self.core.stores()?.transcripts;
        let mut path: Vec<Message> = Vec::new();
        loop {
            let page = transcripts.page(id, Some(path.len() as u64), BATCH).or_failure()?;
            if page.messages.is_empty() {
                return Ok(path);
            }
            path.extend(page.messages.into_iter().map(|PathMessage { message, .. }| message));
        }
    }

    fn imported(&self, request: &ImportConversation) -> Result<Imported, Failure> {
        let found = export::import(&request.text, &request.name, self.core.now()).or_failure()?;
        self.keep_imported(found, request.project_id)
    }

    /// Makes a conversation that was read durable, and says so.
    pub(crate) fn keep_imported(
        &self,
        mut found: export::Imported,
        project_id: Option<ProjectId>,
    ) -> Result<Imported, Failure> {
        let warnings = std::mem::take(&mut found.warnings);
        let item = self.kept(found, project_id)?;
        self.core.conversation_changed(item.id);
        Ok(Imported { item, warnings })
    }

    /// Makes a conversation that was read durable.
    pub(super) fn kept(
        &self,
        found: export::Imported,
        project_id: Option<ProjectId>,
    ) -> Result<ConversationItem, Failure> {
        let Stores { transcripts, summaries, tools, .. } = self.core.stores()?;
        let mut conversation = Conversation::empty(project_id, self.core.now());
        conversation.id = found.conversation_id;
        conversation.title = found.title;
        conversation.title_source = TitleSource::Derived;
        // In which mode an agent works here is for the person here to say.
        conversation.tuning = Tuning { mode: None, ..found.tuning };
        conversation.folding = found.folding;
        // In the trash until it is whole: a process that dies in the middle leaves nothing that looks like all of it.
        conversation.deleted_at = Some(conversation.created_at);
        if let Some((made, said)) = found.times {
            (conversation.created_at, conversation.updated_at) = (made, said);
        }
        transcripts.create_conversation(&conversation).or_failure()?;
        let now = self.core.now();
        let messages: Vec<NewMessage> = found
            .messages
            .into_iter()
            .map(|message| NewMessage { message, branch_if_needed: BranchId::new(now) })
            .collect();
        let keep = |text: &String| tools.put_output(conversation.id, text, now).map(|_| ());
        let done = found
            .attached
            .values()
            .try_for_each(|(part, bytes)| transcripts.keep_blob(conversation.id, part, bytes))
            .and_then(|()| found.outputs.values().try_for_each(keep))
            .and_then(|()| transcripts.append_messages(&messages))
            .and_then(|()| found.summaries.iter().try_for_each(|it| summaries.put_summary(it)))
            .and_then(|()| transcripts.activate(found.active))
            .and_then(|()| {
                let whole = ConversationPatch { deleted_at: Some(None), ..Default::default() };
                transcripts.update_conversation(conversation.id, &whole)
            })
            .or_failure();
        if let Err(failure) = done {
            self.forget_imported(conversation.id)?;
            return Err(failure);
        }
        Ok(item(&transcripts.conversation(conversation.id).or_failure()?))
    }

    /// Nothing half imported stays behind.
    pub(crate) fn forget_imported(&self, id: ConversationId) -> Result<(), Failure> {
        let transcripts = self.core.stores()?.transcripts;
        let trash = ConversationPatch {
            deleted_at: Some(Some(self.core.now())),
            ..ConversationPatch::default()
        };
        transcripts.update_conversation(id, &trash).or_failure()?;
        transcripts.purge_conversation(id).or_failure()
    }
}

/// The long results that messages of a conversation name, by hash, without their secrets like the messages are. One that
/// had any has another hash then, and its message names that.
pub(crate) fn outputs_of(
    stores: &Stores,
    id: ConversationId,
    messages: &mut [Message],
    cleaner: Option<&Cleaner<'_>>,
) -> Result<BTreeMap<String, Arc<[u8]>>, Failure> {
    let mut found = BTreeMap::new();
    for part in messages.iter_mut().flat_map(|message| &mut message.parts) {
        let Part::ToolResult { text, kept: Some(kept), .. } = part else { continue };
        let mut whole = match stores.tools.output(id, &kept.hash) {
            Err(StoreError::NotFound { .. }) => continue,
            whole => whole.or_failure()?,
        };
        if cleaner.is_some_and(|cleaner| cleaner.clean(&mut whole)) {
            let clean = KeptOutput::of(&whole);
            *text = text.replace(&kept.hash, &clean.hash);
            *kept = clean;
        }
        found.insert(kept.hash.clone(), whole.into_bytes().into());
    }
    Ok(found)
}
