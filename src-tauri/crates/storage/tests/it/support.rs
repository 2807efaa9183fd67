//! Conversations, messages and turns for tests, and a small reproducible source of randomness.

use siltstone_engine::Timestamp;
use siltstone_engine::conversation::Conversation;
use siltstone_engine::ids::{BranchId, ConversationId, MessageId, ProjectId, TurnId};
use siltstone_engine::message::{Message, MessageStatus, Part, Role};
use siltstone_engine::ports::{NewMessage, Transcripts, TurnClosing, TurnOpening};
use siltstone_engine::turn::{Turn, TurnStatus};
use siltstone_storage::Store;
use tempfile::TempDir;

pub fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_760_000_000 + second).unwrap()
}

pub fn store() -> (TempDir, Store) {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path(), at(0)).unwrap();
    (dir, store)
}

pub fn conversation(project_id: Option<ProjectId>) -> Conversation {
    Conversation::empty(project_id, at(0))
}

pub fn new_conversation(store: &Store) -> ConversationId {
    let conversation = conversation(None);
    store.create_conversation(&conversation).unwrap();
    conversation.id
}

pub fn message(
    conversation_id: ConversationId,
    parent_id: Option<MessageId>,
    role: Role,
    text: &str,
    now: Timestamp,
) -> NewMessage {
    let parts = match text {
        "" => Vec::new(),
        text => vec![Part::Text { text: text.to_owned() }],
    };
    NewMessage {
        message: Message {
            id: MessageId::new(now),
            conversation_id,
            parent_id,
            turn_id: None,
            index: 0,
            role,
            parts,
            status: MessageStatus::Complete,
            model: None,
            tokens: 3,
            created_at: now,
        },
        branch_if_needed: BranchId::new(now),
    }
}

/// Adds a complete message and says its id.
pub fn say(
    store: &Store,
    conversation: ConversationId,
    parent: Option<MessageId>,
    text: &str,
    second: i64,
) -> MessageId {
    let new = message(conversation, parent, Role::User, text, at(second));
    store.append_message(&new).unwrap();
    new.message.id
}

pub fn opening(
    conversation_id: ConversationId,
    parent: Option<MessageId>,
    question: &str,
    now: Timestamp,
) -> TurnOpening {
    let id = TurnId::new(now);
    let mut question = message(conversation_id, parent, Role::User, question, now);
    let mut reply = message(conversation_id, Some(question.message.id), Role::Assistant, "", now);
    question.message.turn_id = Some(id);
    reply.message.turn_id = Some(id);
    reply.message.status = MessageStatus::Streaming;
    TurnOpening {
        turn: Turn {
            id,
            conversation_id,
            user_message_id: question.message.id,
            reply_id: reply.message.id,
            status: TurnStatus::Open,
            provider: "offline".into(),
            model: "offline".into(),
            usage: None,
            cost: None,
            fault: None,
            opened_at: now,
            closed_at: None,
        },
        question: Some(question),
        reply,
        title: Some("제목".into()),
    }
}

pub fn closing(turn_id: TurnId, text: &str, now: Timestamp) -> TurnClosing {
    TurnClosing {
        turn_id,
        status: TurnStatus::Completed,
        reply_status: MessageStatus::Complete,
        parts: vec![Part::Text { text: text.to_owned() }],
        tokens: 7,
        usage: None,
        cost: None,
        fault: None,
        closed_at: now,
    }
}

/// A linear congruential generator: the same numbers at every run.
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    pub fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}
