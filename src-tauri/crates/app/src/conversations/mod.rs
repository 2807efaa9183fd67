//! Conversations: the list, one of them, its pages, and what a person does to it but deleting it
//! ([`crate::maintenance::deleting`]).

pub(crate) mod attachments;
mod handover;
mod others;
pub(crate) mod transfer;
pub(crate) mod wishes;

use std::collections::HashMap;

use siltstone_contract::{
    BeginSession, ChooseModel, ConversationDetail, ConversationItem, ConversationPage,
    ConversationRef, CreateConversation, Failure, ListConversations, Located, MessageItem,
    MessageRef, PageConversation, PinConversation, QueuedAlso, RenameConversation, SaveDraft,
    Search, TuneConversation, Version,
};
use siltstone_engine::conversation::{
    Conversation, ConversationFilter, ConversationPatch, PathMessage, TitleSource,
};
use siltstone_engine::ids::{ConversationId, MessageId};
use siltstone_engine::message::Role;
use siltstone_engine::ports::Transcripts;
use siltstone_engine::search::SearchHits;
use siltstone_engine::turn::Turn;

use crate::conversations::attachments::in_composer;
use crate::core::failure::{Outcome, bad_request};
use crate::core::{Core, service};
use crate::folding::FoldingService;
use crate::index::IndexService;
use crate::models::ModelService;
use crate::privacy::PrivacyService;
use crate::sessions::{SessionService, last_conversation};
use crate::vault::VaultService;

service! {
    /// Conversations, and what comes into them and out of them whole.
    ConversationService {
        needs {
            core: Core, privacy: PrivacyService, vault: VaultService, models: ModelService,
            index: IndexService, folding: FoldingService, sessions: SessionService
        }
        keeps {
            /// The export that was opened last and waits to be imported.
            opened: std::sync::Mutex<Option<others::Opened>>,
        }
    }
}

/// Most messages a page has.
const PAGE: u64 = 200;

/// Most hits a search gives.
const HITS: u32 = 100;

/// Longest title in characters.
const TITLE: usize = 200;

impl ConversationService {
    /// Conversations for the list.
    pub async fn conversation_list(
        &self,
        request: ListConversations,
    ) -> Result<Vec<ConversationItem>, Failure> {
        let filter =
            ConversationFilter { project_id: request.project_id, trashed: request.trashed };
        let found = self.core.stores()?.transcripts.conversations(&filter).or_failure()?;
        Ok(found.iter().map(item).collect())
    }

    /// A new, empty conversation.
    pub async fn conversation_create(
        &self,
        request: CreateConversation,
    ) -> Result<ConversationItem, Failure> {
        let conversation = Conversation::empty(request.project_id, self.core.now());
        let stores = self.core.stores()?;
        stores.transcripts.create_conversation(&conversation).or_failure()?;
        if let Some(project) = request.project_id
            && let Err(failure) = self.sessions.begin_with_place(&stores, project, conversation.id)
        {
            tracing::warn!(%failure, "telling a conversation where the work stopped");
        }
        self.core.conversation_changed(conversation.id);
        Ok(item(&conversation))
    }

    /// One conversation with its draft and queue.
    pub async fn conversation_get(
        &self,
        request: ConversationRef,
    ) -> Result<ConversationDetail, Failure> {
        let stores = self.core.stores()?;
        let conversation = stores.transcripts.conversation(request.id).or_failure()?;
        let choice = self.models.choice_for(&conversation)?;
        let known = self.models.known_model(&choice);
        let open = stores.transcripts.open_turn_of(request.id).or_failure()?;
        let asked = open.as_ref().map(|turn| turn.user_message_id);
        let queued = stores.transcripts.queued(request.id).or_failure()?;
        let waiting = queued.iter().map(|message| QueuedAlso {
            message_id: message.id,
            models: self.core.also.waiting(message.id),
        });
        let queued_also = waiting.filter(|it| !it.models.is_empty()).collect();
        Ok(ConversationDetail {
            item: item(&conversation),
            queued,
            queued_also,
            follows_default: conversation.provider.as_ref() != Some(&choice.provider),
            provider: choice.provider,
            model: choice.model,
            open_turn: open.map(|turn| turn.id),
            also: asked.map_or_else(Vec::new, |question| self.core.also.waiting(question)),
            attachments: in_composer(&stores, &conversation)?,
            takes_images: known.as_ref().and_then(|model| model.takes_images),
            takes_files: known.as_ref().and_then(|model| model.takes_files),
            spent: stores.transcripts.spent_in(request.id).or_failure()?,
            draft: conversation.draft,
            tuning: conversation.tuning,
        })
    }

    /// A stretch of the shown path.
    pub async fn conversation_page(
        &self,
        request: PageConversation,
    ) -> Result<ConversationPage, Failure> {
        let transcripts = self.core.stores()?.transcripts;
        let limit = request.limit.clamp(1, PAGE);
        // First, so that a turn that ends between the two reads is taken for open: the news of its end reads both again.
        let open = transcripts.open_turn_of(request.id).or_failure()?;
        let page = transcripts.page(request.id, request.start, limit).or_failure()?;
        let (messages, _) = with_turns(transcripts.as_ref(), page.messages)?;
        let open_turn = open.map(|turn| turn.id);
        Ok(ConversationPage { messages, start: page.start, total: page.total, open_turn })
    }

    /// Where a message stands on the shown path; shows another branch first if it must.
    pub async fn conversation_locate(&self, request: MessageRef) -> Result<Located, Failure> {
        let transcripts = self.core.stores()?.transcripts;
        let message = transcripts.message(request.id).or_failure()?.message;
        let at = transcripts.page(message.conversation_id, Some(message.index), 1).or_failure()?;
        let shown = at.messages.first().is_some_and(|found| found.message.id == request.id);
        if !shown {
            self.branch_switch(request).await?;
        }
        Ok(Located { conversation_id: message.conversation_id, index: message.index })
    }

    /// All replies to the question of this one, the first of which was made first.
    pub async fn conversation_versions(
        &self,
        request: MessageRef,
    ) -> Result<Vec<Version>, Failure> {
        let transcripts = self.core.stores()?.transcripts;
        let reply = transcripts.message(request.id).or_failure()?;
        let version = |id: &MessageId| {
            let said = transcripts.whole_reply(*id).or_failure()?;
            if said.first().is_none_or(|first| first.message.role != Role::Assistant) {
                return Ok(None);
            }
            let (messages, provider) = with_turns(transcripts.as_ref(), said)?;
            Ok(Some(Version { messages, provider }))
        };
        reply.siblings.ids.iter().filter_map(|id| version(id).transpose()).collect()
    }

    /// Gives a title.
    pub async fn conversation_rename(&self, request: RenameConversation) -> Result<(), Failure> {
        let title: String =
            request.title.trim().chars().filter(|c| !c.is_control()).take(TITLE).collect();
        if title.is_empty() {
            return Err(bad_request("a title needs at least one character"));
        }
        let patch =
            ConversationPatch { title: Some((title, TitleSource::Person)), ..Default::default() };
        self.patch(request.id, &patch)
    }

    /// Pins or unpins.
    pub async fn conversation_pin(&self, request: PinConversation) -> Result<(), Failure> {
        let patch = ConversationPatch { pinned: Some(request.pinned), ..Default::default() };
        self.patch(request.id, &patch)
    }

    /// Chooses provider and model for this conversation.
    pub async fn conversation_model(&self, request: ChooseModel) -> Result<(), Failure> {
        if let Some(choice) = &request.choice {
            let conversation =
                self.core.stores()?.transcripts.conversation(request.id).or_failure()?;
            self.models.connect_without_key(&choice.provider, conversation.project_id)?;
        }
        let choice = request.choice.map(|choice| (choice.provider, choice.model));
        self.patch(request.id, &ConversationPatch { model: Some(choice), ..Default::default() })
    }

    /// Changes how the conversation's model is asked.
    pub async fn conversation_tune(&self, request: TuneConversation) -> Result<(), Failure> {
        if !request.tuning.is_possible() {
            return Err(bad_request("instructions, temperature or output are out of range"));
        }
        let patch = ConversationPatch { tuning: Some(request.tuning), ..Default::default() };
        self.patch(request.id, &patch)
    }

    /// Keeps what is in the composer. Nothing is broadcast: the composer that wrote it is the one that shows it.
    pub async fn conversation_draft(&self, request: SaveDraft) -> Result<(), Failure> {
        let patch = ConversationPatch { draft: Some(request.text), ..Default::default() };
        self.core.stores()?.transcripts.update_conversation(request.id, &patch).or_failure()
    }

    /// Takes out of the trash.
    pub async fn conversation_restore(&self, request: ConversationRef) -> Result<(), Failure> {
        self.patch(request.id, &ConversationPatch { deleted_at: Some(None), ..Default::default() })
    }

    /// Full-text search over messages.
    pub async fn search(&self, request: Search) -> Result<SearchHits, Failure> {
        let transcripts = self.core.stores()?.transcripts;
        transcripts.search(&request.query, &request.scope, request.limit.min(HITS)).or_failure()
    }

    /// Shows the newest path through this message.
    pub async fn branch_switch(&self, request: MessageRef) -> Result<(), Failure> {
        let conversation_id = self.conversation_of(request.id)?;
        self.core.stores()?.transcripts.activate(request.id).or_failure()?;
        self.core.conversation_changed(conversation_id);
        Ok(())
    }

    pub(crate) fn conversation_of(&self, id: MessageId) -> Result<ConversationId, Failure> {
        let transcripts = self.core.stores()?.transcripts;
        Ok(transcripts.message(id).or_failure()?.message.conversation_id)
    }

    pub(crate) fn patch(
        &self,
        id: ConversationId,
        patch: &ConversationPatch,
    ) -> Result<(), Failure> {
        self.core.stores()?.transcripts.update_conversation(id, patch).or_failure()?;
        self.core.conversation_changed(id);
        Ok(())
    }

    /// Goes on where the work stopped: in its conversation, or in a new one that is told of it; or in a new one that is
    /// told nothing.
    pub async fn session_begin(&self, request: BeginSession) -> Result<ConversationRef, Failure> {
        let stores = self.core.stores()?;
        let project = stores.records.project(request.project_id).or_failure()?;
        if !request.fresh
            && let Some(record) = stores.sessions.session(project.id).or_failure()?
            && let Some(id) = last_conversation(&stores, &record)
        {
            self.sessions.take_decisions(&stores, &record, id)?;
            return Ok(ConversationRef { id });
        }
        let create = CreateConversation { project_id: Some(project.id) };
        let id = self.conversation_create(create).await?.id;
        let place = match request.fresh {
            true => Vec::new(),
            false => self.sessions.stopped_at(&stores, project.id, id)?,
        };
        if request.fresh || !place.is_empty() {
            stores.sessions.put_told(id, &place).or_failure()?;
        }
        Ok(ConversationRef { id })
    }
}

pub(crate) fn item(conversation: &Conversation) -> ConversationItem {
    ConversationItem {
        id: conversation.id,
        project_id: conversation.project_id,
        title: conversation.title.clone(),
        title_source: conversation.title_source,
        pinned: conversation.pinned,
        deleted_at: conversation.deleted_at,
        updated_at: conversation.updated_at,
        message_count: conversation.message_count,
    }
}

/// Messages, each with its turn's record if that is here; and the provider of the first of those.
fn with_turns(
    transcripts: &dyn Transcripts,
    messages: Vec<PathMessage>,
) -> Result<(Vec<MessageItem>, Option<String>), Failure> {
    let replies = messages.iter().filter(|found| found.message.role == Role::Assistant);
    let replies: Vec<MessageId> = replies.map(|found| found.message.id).collect();
    let turns = transcripts.turns_of_replies(&replies).or_failure()?;
    let provider = turns.first().map(|turn| turn.provider.clone());
    let mut turns: HashMap<MessageId, Turn> =
        turns.into_iter().map(|turn| (turn.reply_id, turn)).collect();
    let item = |found: PathMessage| {
        let turn = turns.remove(&found.message.id);
        message_item(found, turn)
    };
    Ok((messages.into_iter().map(item).collect(), provider))
}

fn message_item(found: PathMessage, turn: Option<Turn>) -> MessageItem {
    let message = found.message;
    MessageItem {
        id: message.id,
        parent_id: message.parent_id,
        turn_id: message.turn_id,
        index: message.index,
        role: message.role,
        parts: message.parts,
        status: message.status,
        model: message.model,
        tokens: message.tokens,
        created_at: message.created_at,
        siblings: found.siblings,
        recorded: turn.is_some(),
        usage: turn.as_ref().and_then(|turn| turn.usage),
        cost: turn.as_ref().and_then(|turn| turn.cost),
        fault: turn.and_then(|turn| turn.fault),
    }
}
