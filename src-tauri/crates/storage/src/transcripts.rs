//! The port for conversations: which table's module does what, and in which transaction.

use std::ops::Range;

use siltstone_engine::Timestamp;
use siltstone_engine::attachment::Blob;
use siltstone_engine::conversation::{
    Conversation, ConversationFilter, ConversationPatch, PathMessage, PathPage, QueuedMessage,
};
use siltstone_engine::ids::{BranchId, ConversationId, MessageId, TurnId};
use siltstone_engine::message::{Message, Part};
use siltstone_engine::ports::{NewMessage, StoreError, Transcripts, TurnClosing, TurnOpening};
use siltstone_engine::search::{SearchHits, SearchScope};
use siltstone_engine::section::Manifest;
use siltstone_engine::tokens::Encoding;
use siltstone_engine::turn::{Spent, Turn};
use siltstone_engine::vault::SaidAt;
use siltstone_engine::wish::Wishes;

use crate::{Store, blobs, conversations, messages, purging, queue, search, turns};

impl Transcripts for Store {
    fn create_conversation(&self, conversation: &Conversation) -> Result<(), StoreError> {
        self.database.write(|db| conversations::create(db, conversation))
    }

    fn conversation(&self, id: ConversationId) -> Result<Conversation, StoreError> {
        self.database.read(|db| conversations::get(db, id))
    }

    fn conversations(&self, filter: &ConversationFilter) -> Result<Vec<Conversation>, StoreError> {
        self.database.read(|db| conversations::list(db, filter))
    }

    fn update_conversation(
        &self,
        id: ConversationId,
        patch: &ConversationPatch,
    ) -> Result<(), StoreError> {
        self.database.write(|db| conversations::update(db, id, patch))
    }

    fn change_wishes(
        &self,
        id: ConversationId,
        change: &mut dyn FnMut(&mut Wishes),
    ) -> Result<(), StoreError> {
        self.database.write(|db| conversations::change_wishes(db, id, change))
    }

    fn forget_sessions(&self, gone: &dyn Fn(&SaidAt) -> bool) -> Result<(), StoreError> {
        self.database.write(|db| purging::forget_sessions(db, gone))
    }

    fn purge_conversation(&self, id: ConversationId) -> Result<(), StoreError> {
        self.begin_purge(id)?;
        self.purge_rest(&mut |_| true)
    }

    fn begin_purge(&self, id: ConversationId) -> Result<(), StoreError> {
        self.database.write(|db| purging::begin(db, id))?;
        self.standing.forget(id);
        self.lately.forget();
        Ok(())
    }

    fn purge_rest(&self, go_on: &mut dyn FnMut(u64) -> bool) -> Result<(), StoreError> {
        self.go_on_purging(go_on)
    }

    fn attach(&self, id: ConversationId, part: &Part, bytes: &[u8]) -> Result<(), StoreError> {
        self.database.write(|db| blobs::attach(db, id, part, bytes))
    }

    fn detach(&self, id: ConversationId, hash: &str) -> Result<(), StoreError> {
        self.database.write(|db| blobs::detach(db, id, hash))
    }

    fn keep_blob(&self, id: ConversationId, part: &Part, bytes: &[u8]) -> Result<(), StoreError> {
        self.database.write(|db| blobs::keep(db, id, part, bytes))
    }

    fn blob(&self, hash: &str) -> Result<Blob, StoreError> {
        self.database.read(|db| blobs::get(db, hash))
    }

    fn blob_size(&self, hash: &str) -> Result<u64, StoreError> {
        self.database.read(|db| blobs::size(db, hash))
    }

    fn page(
        &self,
        id: ConversationId,
        start: Option<u64>,
        limit: u64,
    ) -> Result<PathPage, StoreError> {
        self.database.read(|db| messages::page(db, id, start, limit))
    }

    fn ids_at(
        &self,
        id: ConversationId,
        places: &[u64],
    ) -> Result<Vec<Option<MessageId>>, StoreError> {
        self.database.read(|db| messages::ids_at(db, id, places))
    }

    fn state(&self) -> Result<Option<i64>, StoreError> {
        self.database.state()
    }

    fn counted(
        &self,
        id: ConversationId,
        places: Range<u64>,
        encoding: Option<Encoding>,
    ) -> Result<Vec<(Message, Option<u64>)>, StoreError> {
        self.database.read(|db| messages::counted(db, id, places, encoding))
    }

    fn put_counts(
        &self,
        encoding: Encoding,
        counts: &[(MessageId, u64)],
    ) -> Result<(), StoreError> {
        self.database.write(|db| messages::put_counts(db, encoding, counts))
    }

    fn message(&self, id: MessageId) -> Result<PathMessage, StoreError> {
        self.database.read(|db| messages::path_message(db, id))
    }

    fn whole_reply(&self, reply: MessageId) -> Result<Vec<PathMessage>, StoreError> {
        self.database.read(|db| messages::whole_reply(db, reply))
    }

    fn all_messages(&self, id: ConversationId) -> Result<Vec<Message>, StoreError> {
        self.database.read(|db| messages::all(db, id))
    }

    fn append_message(&self, message: &NewMessage) -> Result<(), StoreError> {
        self.database.write(|db| messages::insert(db, message))
    }

    fn append_messages(&self, new: &[NewMessage]) -> Result<(), StoreError> {
        self.database.write(|db| new.iter().try_for_each(|message| messages::insert(db, message)))
    }

    fn activate(&self, id: MessageId) -> Result<(), StoreError> {
        self.database.write(|db| messages::activate(db, id))
    }

    fn rewind(
        &self,
        id: ConversationId,
        to: Option<MessageId>,
        branch_if_needed: BranchId,
    ) -> Result<(), StoreError> {
        self.database.write(|db| messages::rewind(db, id, to, branch_if_needed))
    }

    fn open_turn(&self, opening: &TurnOpening) -> Result<(), StoreError> {
        self.database.write(|db| turns::open(db, &self.owner, opening))
    }

    fn record_turn(&self, turn: &Turn, manifest: &Manifest) -> Result<(), StoreError> {
        self.database.write(|db| {
            turns::insert(db, &self.owner, turn)?;
            turns::set_manifest(db, turn.id, manifest)
        })
    }

    fn append_partial(&self, turn: TurnId, text: &str) -> Result<(), StoreError> {
        self.database.write(|db| turns::append_partial(db, turn, text))
    }

    fn set_manifest(&self, turn: TurnId, manifest: &Manifest) -> Result<(), StoreError> {
        self.database.write(|db| turns::set_manifest(db, turn, manifest))
    }

    fn finish_step(&self, turn: TurnId, parts: &[Part], tokens: u64) -> Result<(), StoreError> {
        self.database.write(|db| turns::finish_step(db, turn, parts, tokens))
    }

    fn append_result(&self, turn: TurnId, result: &NewMessage) -> Result<(), StoreError> {
        self.database.write(|db| turns::append_result(db, turn, result))
    }

    fn begin_step(&self, turn: TurnId, reply: &NewMessage) -> Result<(), StoreError> {
        self.database.write(|db| turns::begin_step(db, turn, reply))
    }

    fn close_turn(&self, closing: &TurnClosing) -> Result<(), StoreError> {
        self.database.write(|db| turns::close(db, closing))
    }

    fn turn(&self, id: TurnId) -> Result<Turn, StoreError> {
        self.database.read(|db| turns::get(db, id))
    }

    fn manifest(&self, id: TurnId) -> Result<Option<Manifest>, StoreError> {
        self.database.read(|db| turns::manifest(db, id))
    }

    fn turns_of_replies(&self, replies: &[MessageId]) -> Result<Vec<Turn>, StoreError> {
        self.database.read(|db| turns::of_replies(db, replies))
    }

    fn open_turn_of(&self, id: ConversationId) -> Result<Option<Turn>, StoreError> {
        let open = self.database.read(|db| turns::open_of(db, id))?;
        Ok(open.filter(|(_, by)| self.owner.is_alive(by)).map(|(turn, _)| turn))
    }

    fn ask_to_stop(&self, id: TurnId) -> Result<(), StoreError> {
        self.database.write(|db| turns::ask_to_stop(db, id))
    }

    fn is_asked_to_stop(&self, id: TurnId) -> Result<bool, StoreError> {
        self.database.read(|db| turns::is_asked_to_stop(db, id))
    }

    fn spent_in(&self, id: ConversationId) -> Result<Spent, StoreError> {
        self.database.read(|db| turns::spent_in(db, id))
    }

    fn recover_turns(&self, now: Timestamp) -> Result<Vec<TurnId>, StoreError> {
        let recovered = self.database.write(|db| turns::recover(db, &self.owner, now))?;
        self.owner.tidy();
        Ok(recovered)
    }

    fn enqueue(&self, id: ConversationId, message: &QueuedMessage) -> Result<(), StoreError> {
        self.database.write(|db| queue::add(db, id, message))
    }

    fn queued(&self, id: ConversationId) -> Result<Vec<QueuedMessage>, StoreError> {
        self.database.read(|db| queue::list(db, id))
    }

    fn dequeue(&self, message: MessageId) -> Result<bool, StoreError> {
        self.database.write(|db| queue::remove(db, message))
    }

    fn search(
        &self,
        query: &str,
        scope: &SearchScope,
        limit: u32,
    ) -> Result<SearchHits, StoreError> {
        self.database.read(|db| search::find(db, query, scope, limit))
    }
}
