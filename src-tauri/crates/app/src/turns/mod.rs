//! Asking: sending, editing, regenerating, continuing, stopping, and the queue.
//!
//! A question is durable before anything else happens; then [`crate::turns::running`] carries the turn out.

mod following;
mod running;
mod steps;
mod tasks;

use std::collections::HashSet;
use std::sync::Mutex;
use std::time::Duration;

use siltstone_contract::{
    BroughtContext, Code, ConversationRef, DefaultModel, EditMessage, Failure, MessageRef,
    Regenerate, SendMessage, Sent,
};
use siltstone_engine::conversation::{Conversation, ConversationPatch, QueuedMessage, TitleSource};
use siltstone_engine::ids::{BranchId, ConversationId, MessageId, TurnId};
use siltstone_engine::message::{Message, MessageStatus, Part, Role, asked_of, text_of};
use siltstone_engine::ports::{NewMessage, StoreError, Stores, TurnOpening};
use siltstone_engine::provider::ProviderKind;
use siltstone_engine::turn::{Turn, TurnStatus};
use siltstone_engine::{title, tokens};
use tokio_util::sync::CancellationToken;

use crate::checkpoints::CheckpointService;
use crate::contexts::ContextService;
use crate::conversations::ConversationService;
use crate::conversations::attachments::{chosen, parts_of, written_out};
use crate::core::failure::{Outcome, bad_request, conflict, of_store};
use crate::core::{Core, locked, service};
use crate::folding::FoldingService;
use crate::models::ModelService;
use crate::privacy::PrivacyService;
use crate::requests::RequestService;
use crate::sessions::SessionService;
use crate::tools::ToolService;

service! {
    /// Asking and answering.
    TurnService {
        needs {
            core: Core, privacy: PrivacyService, models: ModelService, sessions: SessionService,
            conversations: ConversationService, tools: ToolService, contexts: ContextService,
            checkpoints: CheckpointService, folding: FoldingService, requests: RequestService
        }
        keeps {
            /// Conversations whose queue waits for the monthly limit.
            held: Mutex<HashSet<ConversationId>>,
        }
    }
}

/// Longest message in bytes; more belongs into a file.
const MESSAGE_BYTES: usize = 4 * 1024 * 1024;

/// Most models that are asked the same behind the first.
const ALSO: usize = 3;

/// How often is looked whether another program asks for a reply to be stopped.
const HEARD_EVERY: Duration = Duration::from_millis(500);

/// What a turn answers.
enum Question {
    /// A new message after `parent`.
    New { id: MessageId, parent: Option<MessageId>, parts: Vec<Part> },
    /// A message that is there already; the reply follows `parent`, and is of this model, if not the conversation's.
    Again { id: MessageId, parent: MessageId, of: Option<DefaultModel> },
}

impl TurnService {
    /// Refuses what cannot be asked beside others: an agent works on files, which is what copies of a project are for.
    fn comparable(&self, conversation: &Conversation, model: &DefaultModel) -> Result<(), Failure> {
        self.models.connect_without_key(&model.provider, conversation.project_id)?;
        match self.models.record(&model.provider)?.kind {
            ProviderKind::Agent => Err(bad_request("an agent is not asked beside others")),
            _ => Ok(()),
        }
    }

    /// Makes a message durable and asks the model, or queues it while a reply is on its way.
    pub async fn send(&self, request: SendMessage) -> Result<Sent, Failure> {
        let stores = self.core.stores()?;
        let id = request.conversation_id;
        let conversation = stores.transcripts.conversation(id).or_failure()?;
        let attachments = chosen(&conversation.draft_attachments, &request.attachments)?;
        let attachments = written_out(&stores, attachments)?;
        let text = checked(request.text, &attachments)?;
        if request.also.len() > ALSO {
            return Err(bad_request("at most three other models can be asked the same"));
        }
        let own = self.models.choice_for(&conversation)?;
        for other in request.also.iter().chain((!request.also.is_empty()).then_some(&own)) {
            self.comparable(&conversation, other)?;
        }
        self.requests
            .fits(&stores, &conversation, parts_of(text.clone(), attachments.clone()))
            .await?;
        let (context, also) = (request.context, request.also);
        let sent = self.send_message(&stores, &conversation, text, attachments, (context, also))?;
        self.clear_draft(&stores, id, &request.attachments)?;
        Ok(sent)
    }

    /// The same for a message that is not the composer's: what is being written there stays.
    pub(crate) fn send_message(
        &self,
        stores: &Stores,
        conversation: &Conversation,
        text: String,
        attachments: Vec<Part>,
        (context, also): (Option<BroughtContext>, Vec<DefaultModel>),
    ) -> Result<Sent, Failure> {
        let id = conversation.id;
        let message = QueuedMessage { id: MessageId::new(self.core.now()), text, attachments };
        let waiting = !stores.transcripts.queued(id).or_failure()?.is_empty();
        // Looked at twice: between two models nothing is open for a moment, which may begin and end between two looks.
        let taken = || {
            let open =
                || Ok::<_, Failure>(stores.transcripts.open_turn_of(id).or_failure()?.is_some());
            let between = || self.core.also.is_between(id);
            Ok::<_, Failure>(between() || open()? || between() || open()?)
        };
        let busy = taken()?;
        if waiting && !busy {
            // Refused before it joins a queue that stands still.
            self.models.within_limit(stores, &self.models.choice_for(conversation)?)?;
        }
        self.contexts.bring(message.id, context)?;
        self.core.also.ask(message.id, also);
        if busy || waiting {
            stores.transcripts.enqueue(id, &message).or_failure()?;
            self.core.conversation_changed(id);
            if busy {
                // The reply may have ended meanwhile, and looked for what waits behind it before this did.
                if !taken()? {
                    self.send_next(id);
                }
                return Ok(Sent::Queued { message_id: message.id });
            }
            let first = self.send_queued(id)?;
            return Ok(match first {
                Some(asked @ Sent::Asked { message_id, .. }) if message_id == message.id => asked,
                _ => Sent::Queued { message_id: message.id },
            });
        }
        let parent = self.tip(stores, id)?;
        let parts = parts_of(message.text, message.attachments);
        let question = Question::New { id: message.id, parent: parent.map(|tip| tip.id), parts };
        self.ask_bringing(stores, id, question)
    }

    /// Asks again with another text; the old message stays as a sibling.
    pub async fn edit(&self, request: EditMessage) -> Result<Sent, Failure> {
        let stores = self.core.stores()?;
        let old = stores.transcripts.message(request.id).or_failure()?.message;
        if old.role != Role::User {
            return Err(bad_request("only your own messages can be edited"));
        }
        let id = old.conversation_id;
        let mut own = old.parts;
        own.retain(|part| part.attached_hash().is_some());
        let (attachments, drafted) = match request.attachments {
            None => (own, Vec::new()),
            Some(mut hashes) => {
                let drafted = stores.transcripts.conversation(id).or_failure()?.draft_attachments;
                let known = [own.as_slice(), &drafted].concat();
                let attachments = written_out(&stores, chosen(&known, &hashes)?)?;
                hashes.retain(|hash| chosen(&own, std::slice::from_ref(hash)).is_err());
                (attachments, hashes)
            }
        };
        let text = checked(request.text, &attachments)?;
        let conversation = stores.transcripts.conversation(id).or_failure()?;
        let parts = parts_of(text, attachments);
        self.requests.fits(&stores, &conversation, parts.clone()).await?;
        let new = MessageId::new(self.core.now());
        self.contexts.bring(new, request.context)?;
        let question = Question::New { id: new, parent: old.parent_id, parts };
        let sent = self.ask_bringing(&stores, id, question)?;
        take_from_composer(&stores, id, &drafted)?;
        Ok(sent)
    }

    /// Another reply to the same question; the old one stays as a sibling.
    pub async fn regenerate(&self, request: Regenerate) -> Result<Sent, Failure> {
        let stores = self.core.stores()?;
        let reply = stores.transcripts.message(request.id).or_failure()?.message;
        if reply.role != Role::Assistant {
            return Err(bad_request("only replies can be regenerated"));
        }
        // What it called for, and what was answered, is made anew too.
        let first = first_of_turn(&stores, reply.clone())?;
        let Some(parent) = first.parent_id else {
            return Err(bad_request("only replies can be regenerated"));
        };
        let turns = stores.transcripts.turns_of_replies(&[reply.id]).or_failure()?;
        let id = turns.first().map_or(parent, |turn| turn.user_message_id);
        self.contexts.bring(id, request.context)?;
        let question = Question::Again { id, parent, of: request.model };
        self.ask_bringing(&stores, reply.conversation_id, question)
    }

    /// Goes on where an interrupted reply stopped, in a message of its own after it.
    pub async fn continue_reply(&self, request: MessageRef) -> Result<Sent, Failure> {
        let stores = self.core.stores()?;
        let reply = stores.transcripts.message(request.id).or_failure()?.message;
        if reply.role != Role::Assistant || reply.status == MessageStatus::Streaming {
            return Err(bad_request("only a reply that ended can be continued"));
        }
        let turns = stores.transcripts.turns_of_replies(&[reply.id]).or_failure()?;
        let Some(id) = turns.first().map(|turn| turn.user_message_id).or(reply.parent_id) else {
            return Err(bad_request("this reply has no question"));
        };
        // A turn with calls goes on after its newest reply, and the results after that one stay before what follows.
        let reply = match turns.first() {
            Some(turn) if turn.reply_id != reply.id => {
                stores.transcripts.message(turn.reply_id).or_failure()?.message
            }
            _ => reply,
        };
        let last = self.tip(&stores, reply.conversation_id)?.filter(|tip| {
            tip.role == Role::Tool && tip.turn_id == reply.turn_id && tip.index > reply.index
        });
        let parent = last.map_or(reply.id, |tip| tip.id);
        let of = turns.first().and_then(|turn| self.one_of_several(&stores, turn));
        let question = Question::Again { id, parent, of };
        self.ask(&stores, reply.conversation_id, question)
    }

    /// The model of a turn whose question several answered: each goes on with its own answer.
    fn one_of_several(&self, stores: &Stores, turn: &Turn) -> Option<DefaultModel> {
        let reply = stores.transcripts.message(turn.reply_id).ok()?.message;
        let first = first_of_turn(stores, reply).ok()?;
        let siblings = stores.transcripts.message(first.id).ok()?.siblings.ids;
        let model = DefaultModel { provider: turn.provider.clone(), model: turn.model.clone() };
        let kind = self.models.record(&model.provider).ok()?.kind;
        (siblings.len() > 1 && kind != ProviderKind::Agent).then_some(model)
    }

    /// Stops the reply of a conversation; what came is kept.
    pub async fn stop(&self, request: ConversationRef) -> Result<(), Failure> {
        let asked = self.sessions.plans.asking.stop(request.id);
        if self.core.live.stop(request.id) || asked {
            return Ok(());
        }
        let transcripts = self.core.stores()?.transcripts;
        match transcripts.open_turn_of(request.id).or_failure()? {
            // Another program writes this reply, and looks whether it shall go on.
            Some(turn) => transcripts.ask_to_stop(turn.id).or_failure(),
            None => Ok(()),
        }
    }

    /// Stops a turn that is carried out here once another program asks for that; never ends.
    async fn hear_elsewhere(&self, turn: TurnId, stop: &CancellationToken) {
        loop {
            tokio::time::sleep(HEARD_EVERY).await;
            let asked = self.core.stores().map(|it| it.transcripts.is_asked_to_stop(turn));
            if matches!(asked, Ok(Ok(true))) {
                stop.cancel();
            }
        }
    }

    /// Takes a waiting message out of the queue.
    pub async fn unqueue(&self, request: MessageRef) -> Result<(), Failure> {
        if !self.core.stores()?.transcripts.dequeue(request.id).or_failure()? {
            return Err(conflict("this message was sent already"));
        }
        self.contexts.state.brought_with(request.id);
        self.core.also.end(request.id);
        self.core.changed([siltstone_contract::Topic::All]);
        self.step_taken_back(request.id).await?;
        Ok(())
    }

    /// Sends the first waiting message of a conversation, if there is one.
    pub(crate) fn send_queued(&self, id: ConversationId) -> Result<Option<Sent>, Failure> {
        let stores = self.core.stores()?;
        let Some(next) = stores.transcripts.queued(id).or_failure()?.into_iter().next() else {
            return Ok(None);
        };
        let parent = self.tip(&stores, id)?.map(|tip| tip.id);
        let parts = parts_of(next.text, next.attachments);
        let question = Question::New { id: next.id, parent, parts };
        let sent = self.ask(&stores, id, question)?;
        stores.transcripts.dequeue(next.id).or_failure()?;
        self.core.conversation_changed(id);
        Ok(Some(sent))
    }

    /// Asks; what the question brought is forgotten when it cannot be asked.
    fn ask_bringing(
        &self,
        stores: &Stores,
        id: ConversationId,
        question: Question,
    ) -> Result<Sent, Failure> {
        let (Question::New { id: asked, .. } | Question::Again { id: asked, .. }) = question;
        // Asked again, a question keeps the models that wait for it.
        let is_new = matches!(question, Question::New { .. });
        self.ask(stores, id, question).inspect_err(|_| {
            self.contexts.state.brought_with(asked);
            if is_new {
                self.core.also.end(asked);
            }
        })
    }

    fn ask(
        &self,
        stores: &Stores,
        id: ConversationId,
        question: Question,
    ) -> Result<Sent, Failure> {
        let conversation = stores.transcripts.conversation(id).or_failure()?;
        if conversation.deleted_at.is_some() {
            return Err(conflict("the conversation is in the trash; restore it first"));
        }
        if self.core.also.is_between(id) {
            return Err(conflict("a reply is on its way in this conversation"));
        }
        let choice = match &question {
            Question::Again { of: Some(model), .. } => {
                self.comparable(&conversation, model)?;
                model.clone()
            }
            _ => self.models.choice_for(&conversation)?,
        };
        self.models.within_limit(stores, &choice)?;
        self.begin(stores, &conversation, question, &choice)
    }

    /// Opens the turn and carries it out.
    fn begin(
        &self,
        stores: &Stores,
        conversation: &Conversation,
        question: Question,
        choice: &DefaultModel,
    ) -> Result<Sent, Failure> {
        let id = conversation.id;
        let unnamed = conversation.title_source == TitleSource::Unset;
        let opening = self.opening(id, question, choice, unnamed);
        stores.transcripts.open_turn(&opening).map_err(|error| match error {
            StoreError::Conflict { .. } => conflict("a reply is on its way in this conversation"),
            other => of_store(other),
        })?;
        if let Some(project) = conversation.project_id {
            self.checkpoints.works_in(project, Some(id));
        }
        let turn = opening.turn;
        let sent = Sent::Asked {
            turn_id: turn.id,
            message_id: turn.user_message_id,
            reply_id: turn.reply_id,
        };
        let stop = self.core.live.begin(id, turn.id, turn.reply_id);
        self.core.conversation_changed(id);
        let this = self.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = this.run(turn.clone(), stop.clone()) => {}
                () = this.hear_elsewhere(turn.id, &stop) => {}
            }
        });
        Ok(sent)
    }

    fn opening(
        &self,
        conversation_id: ConversationId,
        question: Question,
        choice: &DefaultModel,
        unnamed: bool,
    ) -> TurnOpening {
        let now = self.core.now();
        let turn_id = TurnId::new(now);
        let (question_id, parent, new) = match question {
            Question::New { id, parent, parts } => (id, id, Some((parent, parts))),
            Question::Again { id, parent, .. } => (id, parent, None),
        };
        let turn = Turn {
            id: turn_id,
            conversation_id,
            user_message_id: question_id,
            reply_id: MessageId::new(now),
            status: TurnStatus::Open,
            provider: choice.provider.clone(),
            model: choice.model.clone(),
            usage: None,
            // Nothing was sent yet.
            cost: Some(0),
            fault: None,
            opened_at: now,
            closed_at: None,
        };
        let message = |id, parent_id, role, parts: Vec<Part>, status, tokens| NewMessage {
            message: Message {
                id,
                conversation_id,
                parent_id,
                turn_id: Some(turn_id),
                index: 0,
                role,
                parts,
                status,
                model: (role == Role::Assistant).then(|| choice.model.clone()),
                tokens,
                created_at: now,
            },
            branch_if_needed: BranchId::new(now),
        };
        let title = new.as_ref().filter(|_| unnamed).map(|(_, parts)| title_of(parts));
        let question = new.map(|(parent, parts)| {
            let attached: u64 = parts.iter().map(Part::attached_tokens).sum();
            let tokens = tokens::estimate(&text_of(&parts)) + attached;
            message(question_id, parent, Role::User, parts, MessageStatus::Complete, tokens)
        });
        let reply = message(
            turn.reply_id,
            Some(parent),
            Role::Assistant,
            Vec::new(),
            MessageStatus::Streaming,
            0,
        );
        TurnOpening { turn, question, reply, title: title.filter(|title| !title.is_empty()) }
    }

    fn tip(&self, stores: &Stores, id: ConversationId) -> Result<Option<Message>, Failure> {
        let page = stores.transcripts.page(id, None, 1).or_failure()?;
        Ok(page.messages.into_iter().next().map(|found| found.message))
    }

    /// Empties the composer of what was sent.
    fn clear_draft(
        &self,
        stores: &Stores,
        id: ConversationId,
        sent: &[String],
    ) -> Result<(), Failure> {
        let patch = ConversationPatch { draft: Some(String::new()), ..Default::default() };
        stores.transcripts.update_conversation(id, &patch).or_failure()?;
        take_from_composer(stores, id, sent)
    }

    /// Sends the first waiting message of a conversation. One that the limit stops waits on, until the month may go on.
    pub(crate) fn send_next(&self, id: ConversationId) {
        match self.send_queued(id) {
            Err(failure) if failure.code == Code::LimitReached => {
                locked(&self.held).insert(id);
            }
            Err(error) => tracing::warn!(%error, "sending a queued message"),
            Ok(_) => {}
        }
    }

    /// Tries again to send what the limit stopped.
    pub(crate) fn send_held(&self) {
        let held = std::mem::take(&mut *locked(&self.held));
        held.into_iter().for_each(|id| self.send_next(id));
    }
}

/// The first reply of the turn that a reply is of.
fn first_of_turn(stores: &Stores, reply: Message) -> Result<Message, Failure> {
    let mut first = reply.clone();
    let mut at = reply;
    while let Some(parent) = at.parent_id {
        at = stores.transcripts.message(parent).or_failure()?.message;
        if at.turn_id != first.turn_id || at.turn_id.is_none() || at.role == Role::User {
            break;
        }
        if at.role == Role::Assistant {
            first = at.clone();
        }
    }
    Ok(first)
}

fn take_from_composer(
    stores: &Stores,
    id: ConversationId,
    hashes: &[String],
) -> Result<(), Failure> {
    hashes.iter().try_for_each(|hash| stores.transcripts.detach(id, hash).or_failure())
}

/// The words of a question made short, or the name of what came without any.
pub(crate) fn title_of(parts: &[Part]) -> String {
    let words = title::derive(&asked_of(parts));
    let name = || parts.iter().find_map(Part::attached_name).map(str::to_owned);
    if words.is_empty() { title::derive(&name().unwrap_or_else(|| text_of(parts))) } else { words }
}

fn checked(text: String, attachments: &[Part]) -> Result<String, Failure> {
    if text.trim().is_empty() && attachments.is_empty() {
        return Err(bad_request("the message is empty"));
    }
    if text.len() > MESSAGE_BYTES {
        return Err(bad_request("the message is longer than 4 MiB"));
    }
    Ok(text)
}
