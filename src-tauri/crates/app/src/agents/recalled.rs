//! What was said in a project, found and read for an agent outside.

use siltstone_contract::{Failure, RecallFor, Recalled, SourceFor, SourcePage};
use siltstone_engine::TimeZone;
use siltstone_engine::ids::{MessageId, ProjectId};
use siltstone_engine::message::{Message, MessageStatus, words_of};
use siltstone_engine::ports::{StoreError, Stores};
use siltstone_engine::project::Project;
use siltstone_engine::recall::{Part, Parts, Recollection, in_order, offer_of, weight};

use super::AgentService;
use crate::core::failure::{Outcome, bad_request, conflict, of_store};

/// What passages of one answer weigh together at most: some two thousand tokens.
const ROOM: usize = 8_000;

/// Messages of one answer.
const MESSAGES: usize = 10;

/// Characters of a page of a message.
const PAGE: usize = 8_000;

impl AgentService {
    /// A project whose conversations agents may read: the person did not say that what is said in one stays there.
    pub(super) fn readable(&self, id: ProjectId) -> Result<Project, Failure> {
        let project = self.served(id)?;
        match self.search.others_allowed(id)? {
            Some(false) => {
                Err(conflict("the user does not want conversations of this project to be read"))
            }
            _ => Ok(project),
        }
    }

    pub(crate) async fn recall(&self, request: RecallFor) -> Result<Vec<Recalled>, Failure> {
        let project = self.readable(request.project_id)?;
        if request.query.trim().is_empty() {
            return Err(bad_request("say what to look for"));
        }
        let RecallFor { query, since, .. } = request;
        let found = self.search.recalled_outside(project.id, &query, since).await?;
        Ok(chosen(&found))
    }

    pub(crate) async fn source(&self, request: SourceFor) -> Result<SourcePage, Failure> {
        let project = self.readable(request.project_id)?;
        let stores = self.core.stores()?;
        let message = self.message_in(&stores, project.id, request.message_id)?;
        let conversation = self.conversation_in(&stores, project.id, message.conversation_id)?;
        let index = message.index;
        let places = [index.saturating_sub(1), index, index + 1];
        let ids = stores.transcripts.ids_at(conversation.id, &places).or_failure()?;
        let shown = ids[1] == Some(message.id);
        let text = self.privacy.strict_cleaner().text(&words_of(&message.parts)).into_owned();
        let from = usize::try_from(request.offset).unwrap_or(usize::MAX);
        let mut rest = text.chars().skip(from);
        let page: String = rest.by_ref().take(PAGE).collect();
        let next = rest.next().map(|_| request.offset + PAGE as u64);
        Ok(SourcePage {
            message_id: message.id,
            conversation_id: conversation.id,
            title: title_of(&self.privacy.strict_cleaner().text(&conversation.title)),
            on: TimeZone::system().to_datetime(message.created_at).date(),
            role: message.role,
            text: page,
            next,
            before: message.parent_id,
            after: ids[2].filter(|_| shown),
            replaced: !shown,
        })
    }

    /// A message of a conversation of the project; any other is not there.
    pub(super) fn message_in(
        &self,
        stores: &Stores,
        project: ProjectId,
        id: MessageId,
    ) -> Result<Message, Failure> {
        let message = stores.transcripts.message(id).or_failure()?.message;
        let inside = self.conversation_in(stores, project, message.conversation_id).is_ok();
        if !inside || message.status == MessageStatus::Streaming {
            let (what, id) = ("message", id.to_string());
            return Err(of_store(StoreError::NotFound { what, id }));
        }
        Ok(message)
    }
}

/// What of it is told: stretches by what they are worth for their length, as a request takes them, while there is room.
/// Who asks wants what comes nearest, so nothing is too little worth.
fn chosen(found: &[Recollection]) -> Vec<Recalled> {
    let all: Vec<&Recollection> = found.iter().collect();
    let offers = found.iter().flat_map(|it| it.parts.iter().map(move |part| (it, part)));
    let offers = offers.map(|(it, part)| offer_of(it, part, &all)).collect();
    let mut room = ROOM;
    let mut taken: Vec<(&Recollection, Vec<&Part>)> = Vec::new();
    for (it, part) in in_order(offers) {
        let known = taken.iter().position(|(known, _)| known.of == it.of);
        if known.is_some_and(|at| taken[at].1.contains(&part)) {
            continue;
        }
        if known.is_none() && taken.len() == MESSAGES {
            continue;
        }
        let Some(left) = room.checked_sub(weight(&it.text[part.bytes.clone()])) else { continue };
        room = left;
        match known {
            Some(at) => taken[at].1.push(part),
            None => taken.push((it, vec![part])),
        }
    }
    taken.into_iter().filter_map(|(it, parts)| told(it, parts)).collect()
}

/// `None` of what is no message, which nobody looks for from outside.
fn told(it: &Recollection, parts: Vec<&Part>) -> Option<Recalled> {
    let message_id = it.of.message()?;
    let mut ranges: Vec<_> = parts.into_iter().map(|part| part.bytes.clone()).collect();
    ranges.sort_by_key(|range| range.start);
    let otherwise = it.otherwise(&ranges);
    let text =
        Parts::of(&it.text, &ranges).map_or_else(|| it.text.clone(), |cut| cut.told(&it.text));
    Some(Recalled {
        message_id,
        title: it.title.clone(),
        on: it.on,
        role: it.role,
        otherwise,
        text,
    })
}

fn title_of(title: &str) -> String {
    title.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
