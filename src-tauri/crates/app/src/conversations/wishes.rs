//! What the person wants of single sections: kept with the conversation, carried out by the engine. Here is also found
//! what is pinned and would not be in a request by itself: messages of long ago, and pieces of files.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use siltstone_contract::{Failure, WishSection};
use siltstone_engine::conversation::Conversation;
use siltstone_engine::earlier::together;
use siltstone_engine::ids::{ConversationId, MessageId};
use siltstone_engine::message::Message;
use siltstone_engine::passage::{self, Passage};
use siltstone_engine::ports::StoreError;
use siltstone_engine::project::{Project, Trust};
use siltstone_engine::section::{LeftOut, LeftOutWhy, MENTION, PASSAGE, memory_of};
use siltstone_engine::wish::Wishes;

use crate::conversations::ConversationService;
use crate::core::failure::{Outcome, bad_request, of_store};
use crate::index::mentions::FromProject;
use crate::models::counting::Reading;

/// How far from a tool's call its results are looked for, in messages.
const AROUND: u64 = 32;

/// Pinned messages of the shown path.
#[derive(Default)]
pub(crate) struct Pinned {
    /// By time, each with what it cannot go without.
    pub(crate) messages: Vec<Arc<Message>>,
    /// Which of them a tokenizer counted.
    pub(crate) counted: HashSet<MessageId>,
    /// Those it has yet to count.
    pub(crate) uncounted: Vec<Arc<Message>>,
}

impl Pinned {
    /// Those before `end`.
    pub(crate) fn of(
        conversation: &Conversation,
        end: u64,
        reading: Reading<'_>,
    ) -> Result<Self, Failure> {
        let mut pinned = Self::default();
        let mut by_place = BTreeMap::new();
        for id in conversation.wishes.pinned_messages() {
            let index = match reading.stores.transcripts.message(id) {
                Ok(found) => found.message.index,
                Err(StoreError::NotFound { .. }) => continue,
                Err(error) => return Err(of_store(error)),
            };
            let mut newest = reading.before(end.min(index + AROUND));
            let mut around: Vec<Arc<Message>> =
                newest.by_ref().take_while(|message| message.index + AROUND > index).collect();
            around.reverse();
            // Otherwise it is on another branch, or is what is being asked.
            if let Some(place) = around.iter().position(|message| message.id == id)
                && let Some(places) = together(&around, place)
            {
                by_place.extend(around[places].iter().map(|it| (it.index, it.clone())));
            }
            let (counted, uncounted) = newest.done()?;
            pinned.counted.extend(counted);
            pinned.uncounted.extend(uncounted);
        }
        pinned.messages = by_place.into_values().collect();
        Ok(pinned)
    }
}

impl ConversationService {
    /// Wants a section in every request, the next request without it, or nothing of it any more.
    pub async fn section_wish(&self, request: WishSection) -> Result<(), Failure> {
        let WishSection { conversation_id, id, source, wish } = request;
        let mut done = Ok(());
        self.change_wishes(conversation_id, &mut |wishes| {
            done = wishes.set(id.clone(), source.clone(), wish);
        })?;
        done.map_err(|error| bad_request(&error.to_string()))
    }

    /// A request that was made under these wishes is answered: what was to be left out of it may go again.
    pub(crate) fn wishes_answered(&self, id: ConversationId, asked: &Wishes) {
        if !asked.has_once() {
            return;
        }
        if let Err(failure) = self.change_wishes(id, &mut |wishes| wishes.forget_once(asked)) {
            tracing::error!(%failure, "forgetting what was left out");
        }
    }

    /// Adds what is pinned of the project's files and was not found for the message; what cannot go is listed with why.
    pub(crate) fn find_pinned(&self, project: &Project, wishes: &Wishes, found: &mut FromProject) {
        for (id, source) in wishes.pinned() {
            let is_it = |left: &LeftOut| left.source == source || left.id.as_deref() == Some(id);
            let listed = found.left_out.iter().any(is_it);
            let is_there = if let Some(place) = id.strip_prefix(MENTION) {
                found.mentions.iter().any(|mention| mention.place() == place) || {
                    let (mentions, refused) = self.index.mentioned(project, &mention_of(place));
                    let known = !mentions.is_empty() || !refused.is_empty();
                    found.pinned.extend(mentions);
                    found.left_out.extend(refused);
                    known
                }
            } else if let Some(place) = id.strip_prefix(PASSAGE) {
                let is_it =
                    |passage: &Passage| format!("{}:{}", passage.path, passage.line) == place;
                found.passages.iter().any(is_it) || {
                    let trusted = project.trust == Trust::Trusted;
                    let passage = trusted.then(|| self.passage_at(project, place)).flatten();
                    let known = passage.is_some();
                    found.passages.extend(passage);
                    known
                }
            } else {
                memory_of(id).is_none_or(|path| found.memory.iter().any(|it| it.path == path))
            };
            if !is_there && !listed {
                let (id, source) = (Some(id.to_owned()), source.to_owned());
                let why = LeftOutWhy::Unreadable;
                found.left_out.push(LeftOut { id, ..LeftOut::new(source, 0, why) });
            }
        }
    }

    /// The passage that begins at `path:line`.
    pub(crate) fn passage_at(&self, project: &Project, place: &str) -> Option<Passage> {
        let (path, line) = place.rsplit_once(':')?;
        let line: u32 = line.parse().ok()?;
        let text = self.privacy.text_to_send(project, path).ok()?;
        passage::cut(path, &text).into_iter().find(|found| found.line == line)
    }

    fn change_wishes(
        &self,
        id: ConversationId,
        change: &mut dyn FnMut(&mut Wishes),
    ) -> Result<(), Failure> {
        self.core.stores()?.transcripts.change_wishes(id, change).or_failure()?;
        self.core.conversation_changed(id);
        Ok(())
    }
}

/// A message that mentions this place, whichever of its colons belongs to the name.
fn mention_of(place: &str) -> String {
    match place.rsplit_once(':') {
        Some((path, lines)) => format!("@\"{place}\" @\"{path}\":{lines}"),
        None => format!("@\"{place}\""),
    }
}
