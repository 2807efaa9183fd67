//! The index over everything, as recall and the search over everything ask it.
//!
//! `asking` puts questions to the indices, `ranking` puts matches in order by their texts, `recalling` answers questions
//! with messages, `beginnings` knows which words begin alike, `lately` remembers what was named for a while, `notes` are
//! what is found beside messages, `making` makes the indices. Messages themselves are in `search`, files in `passages`.
//! Checkpoints are not here: they are in a place of their own, which may be sealed, and the app looks through their few
//! notes itself.

pub(crate) mod asking;
pub(crate) mod beginnings;
pub(crate) mod lately;
pub(crate) mod making;
pub(crate) mod notes;
pub(crate) mod ranking;
pub(crate) mod recalling;

use std::collections::HashSet;

use rusqlite::{Connection, OptionalExtension};
use siltstone_engine::ids::{ConversationId, MessageId, ProjectId};
use siltstone_engine::link;
use siltstone_engine::message::Role;
use siltstone_engine::ports::StoreError;
use siltstone_engine::project::Trust;
use siltstone_engine::recall::{Candidates, Finder, Scope};
use siltstone_engine::search::{
    Filter, Found, FoundEverywhere, FoundGroup, FoundKind, Phrase, Query, SearchHit,
};

use crate::fault::Fault;
use crate::search::find_within;
use crate::{Store, column, passages, projects};
use asking::{Speaker, Within};

impl Finder for Store {
    fn candidates(
        &self,
        asked: &[Phrase],
        named: &[i64],
        scope: Scope,
        limit: u32,
    ) -> Result<Candidates, StoreError> {
        self.database.read(|db| recalling::candidates(db, &self.lately, asked, named, scope, limit))
    }

    fn standing(&self, of: ConversationId, limit: u32) -> Result<Vec<MessageId>, StoreError> {
        self.database.read(|db| recalling::of_standing(db, &self.lately, of, limit))
    }

    fn find_everywhere(
        &self,
        typed: &str,
        filter: &Filter,
        limit: u32,
    ) -> Result<FoundEverywhere, StoreError> {
        let query = Query::parse(typed);
        if query.terms.is_empty() {
            return Ok(FoundEverywhere::default());
        }
        let (mut groups, trusted) = self.database.read(|db| {
            let groups = of_database(db, &query, filter, limit)?;
            let trusted: HashSet<ProjectId> = projects::list(db)?
                .into_iter()
                .filter(|project| project.trust == Trust::Trusted)
                .map(|project| project.id)
                .collect();
            Ok((groups, trusted))
        })?;
        // A file says nothing of who spoke, and none is of a conversation.
        if filter.role.is_none() && filter.conversation_id.is_none() {
            let mut shown = passages::Paths::new();
            for kind in [FoundKind::Memory, FoundKind::File] {
                if filter.takes(kind) {
                    let more = self.passages.read(|db| {
                        passages::find_kind(db, &query, kind, filter, &trusted, limit, &mut shown)
                    })?;
                    join(&mut groups, more, limit);
                }
            }
        }
        groups.sort_by_key(|group| group.kind);
        Ok(FoundEverywhere { groups })
    }

    fn make_index(&self, anew: bool, go_on: &mut dyn FnMut(u64) -> bool) -> Result<(), StoreError> {
        if anew {
            self.empty_index()?;
        }
        self.complete_index(go_on)
    }
}

/// What the person's database has.
fn of_database(
    db: &Connection,
    query: &Query,
    filter: &Filter,
    limit: u32,
) -> Result<Vec<FoundGroup>, Fault> {
    let mut groups = Vec::new();
    for kind in [FoundKind::Message, FoundKind::ToolResult] {
        if let Some(speaker) = filter.takes(kind).then(|| speaker(kind, filter.role)).flatten() {
            groups.extend(of_messages(db, query, kind, speaker, filter, limit)?);
        }
    }
    // Nobody in a conversation says a summary, a decision or a line of memory.
    if filter.role.is_none() {
        for kind in [FoundKind::Summary, FoundKind::Decision, FoundKind::Memory] {
            if filter.takes(kind) {
                groups.extend(notes::find(db, query, kind, filter, limit)?);
            }
        }
    }
    Ok(groups)
}

/// Whose words a kind is; `None` where the filter rules it out.
fn speaker(kind: FoundKind, role: Option<Role>) -> Option<Speaker> {
    match (kind, role) {
        (FoundKind::ToolResult, None | Some(Role::Tool)) => Some(Speaker::Only(Role::Tool)),
        (FoundKind::Message, None) => Some(Speaker::NoTool),
        (FoundKind::Message, Some(role)) if role != Role::Tool => Some(Speaker::Only(role)),
        _ => None,
    }
}

fn of_messages(
    db: &Connection,
    query: &Query,
    kind: FoundKind,
    speaker: Speaker,
    filter: &Filter,
    limit: u32,
) -> Result<Option<FoundGroup>, Fault> {
    let within = Within {
        project: filter.project_id,
        conversation: filter.conversation_id,
        speaker,
        from: filter.from.map(column::nanoseconds),
        before: filter.before.map(column::nanoseconds),
    };
    let hits = find_within(db, query, &within, limit)?;
    if hits.total == 0 {
        return Ok(None);
    }
    let shown = hits.hits.into_iter().map(|hit| at_message(db, hit, kind));
    let found = shown.collect::<Result<Vec<Found>, Fault>>()?;
    Ok(Some(FoundGroup { kind, found, total: hits.total, capped: hits.capped }))
}

fn at_message(db: &Connection, hit: SearchHit, kind: FoundKind) -> Result<Found, Fault> {
    let role = match kind {
        FoundKind::ToolResult => Role::Tool,
        _ => hit.role,
    };
    Ok(Found {
        project_id: project_of(db, hit.conversation_id)?,
        conversation_id: Some(hit.conversation_id),
        message_id: Some(hit.message_id),
        role: Some(role),
        at: Some(hit.created_at),
        ..Found::new(kind, hit.title, link::to_message(hit.message_id), hit.snippet)
    })
}

fn project_of(db: &Connection, id: ConversationId) -> Result<Option<ProjectId>, Fault> {
    Ok(db
        .prepare_cached("SELECT project_id FROM conversations WHERE id = ?1")?
        .query_row([column::text(id)], |row| column::optional_id(row, 0))
        .optional()?
        .flatten())
}

/// Adds a group to those of its kind.
fn join(groups: &mut Vec<FoundGroup>, more: Option<FoundGroup>, limit: u32) {
    let Some(more) = more else { return };
    match groups.iter_mut().find(|group| group.kind == more.kind) {
        Some(group) => {
            group.found.extend(more.found);
            group.found.truncate(limit as usize);
            group.total += more.total;
            group.capped |= more.capped;
        }
        None => groups.push(more),
    }
}
