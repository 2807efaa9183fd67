//! Where the work in a project stopped: its decisions and the last words of its newest conversation, for a new one.
//!
//! A new conversation is told of it where that was taken: by the person, or by the first conversation of a sitting,
//! which shows it before anything is sent. One that has messages is never told of another. What was taken follows the
//! work until the first message is sent, and stays from then on. Messages are told by their ids, out of the
//! conversation they are of; those that failed are not.

use std::sync::atomic::Ordering;

use siltstone_contract::{AllowOthers, Failure, TakePlace, Topic};
use siltstone_engine::conversation::{Conversation, ConversationFilter};
use siltstone_engine::ids::{ConversationId, ProjectId};
use siltstone_engine::message::{Message, MessageStatus, Role};
use siltstone_engine::ports::{StoreError, Stores};
use siltstone_engine::section::{Section, SectionKind};
use siltstone_engine::session::{ConversationState, SessionRecord, WINDOW_KEEP, WindowMessage};
use siltstone_engine::settings::CarryOver;
use siltstone_engine::tokens::Encoding;
use siltstone_engine::turn::Turn;

use crate::core::failure::{Outcome, conflict, of_store};
use crate::core::locked;
use crate::sessions::SessionService;

/// Tokens of all of it: the window of the last words, and room for what was decided.
const PLACE_TOKENS: u64 = WINDOW_KEEP + 300;

/// Messages that are looked at for the last words.
const LAST_MESSAGES: u64 = 64;

/// Where the work stopped, for a conversation that has not begun.
pub(crate) struct Place {
    /// Whether it took that.
    pub(crate) taken: bool,
    /// All of it.
    pub(crate) sections: Vec<Section>,
}

impl SessionService {
    /// A person sits before this host from now on: the first new conversation of each project begins where the work
    /// stopped, and shows that.
    pub fn sit(&self) {
        self.state.sits.store(true, Ordering::Relaxed);
    }

    /// Takes the place into a new conversation, or out of it.
    pub async fn place_take(&self, request: TakePlace) -> Result<(), Failure> {
        let stores = self.core.stores()?;
        let id = request.conversation_id;
        let conversation = stores.transcripts.conversation(id).or_failure()?;
        if conversation.message_count > 0 {
            return Err(conflict("the conversation has begun"));
        }
        if self.is_strict(&stores)? {
            return Ok(());
        }
        let place = match conversation.project_id.filter(|_| request.take) {
            Some(project) => self.stopped_at(&stores, project, id)?,
            None => Vec::new(),
        };
        stores.sessions.put_told(id, &place).or_failure()?;
        self.core.conversation_changed(id);
        Ok(())
    }

    /// Whether what was said in one conversation of a project may go in another.
    pub async fn others_allow(&self, request: AllowOthers) -> Result<(), Failure> {
        let stores = self.core.stores()?;
        stores.records.project(request.project_id).or_failure()?;
        self.core.change_settings(|it| {
            it.recall_others.insert(request.project_id, request.allow);
        })?;
        self.core.changed([Topic::Settings, Topic::All]);
        Ok(())
    }

    /// A conversation was made: it takes the place, where the rules say so.
    pub(crate) fn begin_with_place(
        &self,
        stores: &Stores,
        project: ProjectId,
        id: ConversationId,
    ) -> Result<(), Failure> {
        if self.is_strict(stores)? {
            return Ok(());
        }
        let sits = self.state.sits.load(Ordering::Relaxed);
        let first = sits && locked(&self.state.begun).insert(project);
        let takes = match stores.records.settings().or_failure()?.carry_over {
            CarryOver::Offer => first,
            CarryOver::Always => true,
            CarryOver::Never => false,
        };
        if takes {
            let place = self.stopped_at(stores, project, id)?;
            if !place.is_empty() {
                stores.sessions.put_told(id, &place).or_failure()?;
            }
        }
        Ok(())
    }

    /// A conversation goes on where the work stopped, which is in it: it is told what was decided since, and of no other.
    pub(crate) fn take_decisions(
        &self,
        stores: &Stores,
        record: &SessionRecord,
        id: ConversationId,
    ) -> Result<(), Failure> {
        if self.is_strict(stores)? {
            return Ok(());
        }
        let mut decided = record.clone();
        decided.context.conversation = ConversationState::default();
        let mut told = self.hydrated(&decided, PLACE_TOKENS);
        let before = stores.sessions.told(id).or_failure()?.unwrap_or_default();
        told.extend(before.into_iter().filter(|section| section.kind == SectionKind::Summary));
        stores.sessions.put_told(id, &told).or_failure()?;
        self.core.conversation_changed(id);
        Ok(())
    }

    /// What a conversation took of the place.
    pub(super) fn taken_place(
        &self,
        stores: &Stores,
        conversation: &Conversation,
    ) -> Result<Vec<Section>, Failure> {
        let taken = stores.sessions.told(conversation.id).or_failure()?.unwrap_or_default();
        match conversation.project_id {
            Some(project) if !taken.is_empty() && conversation.message_count == 0 => {
                self.stopped_at(stores, project, conversation.id)
            }
            _ => Ok(taken),
        }
    }

    /// What a conversation took is kept when its first message is sent.
    pub(super) fn keep_place(
        &self,
        stores: &Stores,
        conversation: &Conversation,
        turn: &Turn,
    ) -> Result<(), Failure> {
        let Some(project) = conversation.project_id else { return Ok(()) };
        let taken = stores.sessions.told(conversation.id).or_failure()?.unwrap_or_default();
        let asked = stores.transcripts.message(turn.user_message_id).or_failure()?;
        let is_first = asked.message.index == 0
            && asked.message.turn_id == Some(turn.id)
            && asked.siblings.ids.len() < 2;
        if is_first && !taken.is_empty() {
            let place = self.stopped_at(stores, project, conversation.id)?;
            stores.sessions.put_told(conversation.id, &place).or_failure()?;
        }
        Ok(())
    }

    /// The place as a conversation that has not begun took it, or may take it; `None` where it cannot be told of it.
    pub(crate) fn place_of(
        &self,
        stores: &Stores,
        conversation: &Conversation,
    ) -> Result<Option<Place>, Failure> {
        let Some(project) = conversation.project_id else { return Ok(None) };
        let rule = stores.records.settings().or_failure()?.carry_over;
        if conversation.message_count > 0 || self.is_strict(stores)? {
            return Ok(None);
        }
        let taken = stores.sessions.told(conversation.id).or_failure()?.unwrap_or_default();
        let taken = !taken.is_empty();
        if rule == CarryOver::Never && !taken {
            return Ok(None);
        }
        let sections = self.stopped_at(stores, project, conversation.id)?;
        Ok((!sections.is_empty()).then_some(Place { taken, sections }))
    }

    /// Where the work stopped, as any other conversation than this one is told of it.
    pub(crate) fn stopped_at(
        &self,
        stores: &Stores,
        project: ProjectId,
        telling: ConversationId,
    ) -> Result<Vec<Section>, Failure> {
        let project = stores.records.project(project).or_failure()?;
        let mut record = self.session_of(stores, &project)?;
        let newest = newest_conversation(stores, project.id, Some(telling))?;
        let said = &mut record.context.conversation;
        let from_elsewhere = match said.recent_window.last() {
            Some(last) => !is_here(stores, last)?,
            None => newest.is_none(),
        };
        if from_elsewhere {
            // It came with the project's files, and what is of here in between is told by its own conversation.
            let mut elsewhere = Vec::new();
            for message in std::mem::take(&mut said.recent_window) {
                if !is_here(stores, &message)? {
                    elsewhere.push(message);
                }
            }
            said.recent_window = elsewhere;
        } else {
            said.running_summary.clear();
            said.recent_window = match newest {
                Some(newest) => self.last_words(stores, newest.id)?,
                None => Vec::new(),
            };
        }
        Ok(self.hydrated(&record, PLACE_TOKENS))
    }

    /// The newest messages of a conversation that fit, oldest first.
    fn last_words(
        &self,
        stores: &Stores,
        id: ConversationId,
    ) -> Result<Vec<WindowMessage>, Failure> {
        let page = stores.transcripts.page(id, None, LAST_MESSAGES).or_failure()?;
        let messages: Vec<Message> = page.messages.into_iter().map(|it| it.message).collect();
        let at_hand = self.models.counting.at_hand(Some(Encoding::O200k));
        let mut words = Vec::new();
        let mut tokens = 0;
        for (place, message) in messages.iter().enumerate().rev() {
            let answer = messages.get(place + 1).filter(|_| message.role == Role::User);
            if !is_spoken(message) || answer.is_some_and(|answer| !is_whole(answer)) {
                continue;
            }
            let said = WindowMessage::of(message);
            tokens += self.models.counting.count(at_hand, &said.content).tokens;
            if tokens > WINDOW_KEEP && !words.is_empty() {
                break;
            }
            words.push(said);
        }
        words.reverse();
        Ok(words)
    }
}

fn is_whole(message: &Message) -> bool {
    matches!(message.status, MessageStatus::Complete | MessageStatus::Interrupted)
}

fn is_spoken(message: &Message) -> bool {
    matches!(message.role, Role::User | Role::Assistant)
        && is_whole(message)
        && !message.text().trim().is_empty()
}

/// Whether a message of a window is of a conversation that is here.
fn is_here(stores: &Stores, message: &WindowMessage) -> Result<bool, Failure> {
    let Some(id) = message.conversation_id.as_ref().and_then(|id| id.parse().ok()) else {
        return Ok(false);
    };
    match stores.transcripts.conversation(id) {
        Ok(_) => Ok(true),
        Err(StoreError::NotFound { .. }) => Ok(false),
        Err(error) => Err(of_store(error)),
    }
}

/// The conversation of a project that was worked in last, if it is neither gone nor in the trash.
pub(super) fn newest_conversation(
    stores: &Stores,
    project: ProjectId,
    but: Option<ConversationId>,
) -> Result<Option<Conversation>, Failure> {
    let filter = ConversationFilter { project_id: Some(project), trashed: false };
    let all = stores.transcripts.conversations(&filter).or_failure()?;
    let others = all.into_iter().filter(|it| Some(it.id) != but && it.message_count > 0);
    Ok(others.max_by_key(|it| (it.updated_at, it.id)))
}
