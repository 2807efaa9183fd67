//! The index over everything, as recall and the search over everything ask it.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, Row, params};
use siltstone_engine::ids::MessageId;
use siltstone_engine::link;
use siltstone_engine::message::Part;
use siltstone_engine::ports::StoreError;
use siltstone_engine::recall::{Candidate, Candidates, Finder, Scope};
use siltstone_engine::search::{
    Filter, Found, FoundEverywhere, FoundGroup, FoundKind, Phrase, SearchHit, SearchScope,
};

use crate::fault::Fault;
use crate::search::{any, find, findable, scope_token};
use crate::{Store, column};

impl Finder for Store {
    fn candidates(
        &self,
        asked: &[Phrase],
        named: &[MessageId],
        scope: Scope,
        limit: u32,
    ) -> Result<Candidates, StoreError> {
        self.database.read(|db| candidates(db, asked, named, scope, limit))
    }

    fn find_everywhere(
        &self,
        typed: &str,
        filter: &Filter,
        limit: u32,
    ) -> Result<FoundEverywhere, StoreError> {
        if !filter.takes(FoundKind::Message) {
            return Ok(FoundEverywhere::default());
        }
        let scope =
            SearchScope { project_id: filter.project_id, conversation_id: filter.conversation_id };
        let hits = self.database.read(|db| find(db, typed, &scope, limit))?;
        let found: Vec<Found> = hits
            .hits
            .into_iter()
            .filter(|hit| filter.role.is_none_or(|role| role == hit.role))
            .map(|hit| at_message(hit, filter))
            .collect();
        if found.is_empty() {
            return Ok(FoundEverywhere::default());
        }
        let (total, capped) = (hits.total, hits.capped);
        let group = FoundGroup { kind: FoundKind::Message, found, total, capped };
        Ok(FoundEverywhere { groups: vec![group] })
    }
}

fn at_message(hit: SearchHit, filter: &Filter) -> Found {
    Found {
        kind: FoundKind::Message,
        title: hit.title,
        link: link::to_message(hit.message_id),
        project_id: filter.project_id,
        conversation_id: Some(hit.conversation_id),
        message_id: Some(hit.message_id),
        role: Some(hit.role),
        snippet: hit.snippet,
        at: Some(hit.created_at),
    }
}

const CANDIDATE: &str = "SELECT m.id, m.parent_id, m.conversation_id, c.title, m.seq, m.idx, m.role, m.parts, \
     m.created_at FROM messages m JOIN conversations c ON c.id = m.conversation_id";

fn candidates(
    db: &Connection,
    asked: &[Phrase],
    named: &[MessageId],
    scope: Scope,
    limit: u32,
) -> Result<Candidates, Fault> {
    let token = match scope.project_id {
        Some(id) => scope_token('p', &column::text(id)),
        None => scope_token('c', &column::text(scope.conversation_id)),
    };
    let mut messages: BTreeMap<i64, Candidate> = BTreeMap::new();
    if !asked.is_empty() {
        let expression = format!("scope : {token} AND {{body parts}} : ({})", any(asked));
        let mut statement = db.prepare_cached(&format!(
            "{CANDIDATE} JOIN message_index i ON i.rowid = m.seq WHERE message_index MATCH ?1 \
             AND c.deleted_at IS NULL ORDER BY bm25(message_index, 4.0, 2.0, 0.0) LIMIT ?2"
        ))?;
        let rows = statement.query_map(params![expression, limit], |row| candidate(row, true))?;
        for found in rows {
            let found = found?;
            messages.insert(found.seq, found);
        }
    }
    let _ = named;
    let beside: Vec<(MessageId, Option<MessageId>)> =
        messages.values().map(|it| (it.message_id, it.parent_id)).collect();
    for (id, parent) in beside {
        let mut before = db.prepare_cached(&format!("{CANDIDATE} WHERE m.id = ?1"))?;
        let mut after = db.prepare_cached(&format!(
            "{CANDIDATE} WHERE m.parent_id = ?1 ORDER BY m.seq LIMIT 1"
        ))?;
        let parent = parent
            .map(|id| before.query_row([column::text(id)], |row| candidate(row, false)).optional());
        let next = after.query_row([column::text(id)], |row| candidate(row, false)).optional()?;
        for found in parent.transpose()?.flatten().into_iter().chain(next) {
            messages.entry(found.seq).or_insert(found);
        }
    }
    let all = db.query_row(
        "SELECT count(*) FROM messages m JOIN conversations c ON c.id = m.conversation_id \
         WHERE c.deleted_at IS NULL AND (c.id = ?1 OR c.project_id = ?2)",
        params![column::text(scope.conversation_id), scope.project_id.map(column::text)],
        |row| column::count(row, 0),
    )?;
    let having = vec![messages.len() as u64; asked.len()];
    Ok(Candidates { messages: messages.into_values().collect(), all, having })
}

fn candidate(row: &Row<'_>, named: bool) -> rusqlite::Result<Candidate> {
    let parts: Vec<Part> = column::json(row, 7)?;
    let parent: Option<String> = row.get(1)?;
    Ok(Candidate {
        message_id: column::id(row, 0)?,
        parent_id: parent.map(|_| column::id(row, 1)).transpose()?,
        conversation_id: column::id(row, 2)?,
        title: row.get::<_, Option<String>>(3)?.unwrap_or_default(),
        seq: row.get(4)?,
        index: column::count(row, 5)?,
        role: column::name(row, 6)?,
        text: findable(&parts),
        at: column::time(row, 8)?,
        named,
    })
}
