//! Sessions of projects, the files that were written of them, and what messages propose.

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params};
use siltstone_engine::Timestamp;
use siltstone_engine::ids::{ConversationId, ProjectId, ProposalId};
use siltstone_engine::ports::StoreError;
use siltstone_engine::section::Section;
use siltstone_engine::session::{
    BrainFile, ProposalRecord, ProposalState, SessionRecord, SessionRecords,
};

use crate::fault::{conflict, not_found};
use crate::finder::notes;
use crate::{Store, column};

/// Texts of a file that are remembered: as many writes as other programs of ours can be behind.
const TEXTS: i64 = 32;

const SESSIONS: &str = "SELECT project_id, revision, shared, context, workflow, conversation_id, \
     message_id FROM sessions";

const TOLD: &str = "SELECT sections FROM session_told WHERE conversation_id = ?1";

const PROPOSALS: &str = "SELECT id, project_id, conversation_id, message_id, change, begins, ends, state, \
     at FROM session_proposals";

/// Of a conversation that is not in the trash.
const OUTSIDE_TRASH: &str = "EXISTS (SELECT 1 FROM conversations c \
     WHERE c.id = conversation_id AND c.deleted_at IS NULL)";

fn session(row: &Row<'_>) -> rusqlite::Result<SessionRecord> {
    Ok(SessionRecord {
        project_id: column::id(row, 0)?,
        revision: column::count(row, 1)?,
        shared: row.get(2)?,
        context: column::json(row, 3)?,
        workflow: column::json(row, 4)?,
        conversation_id: column::optional_id(row, 5)?,
        message_id: column::optional_id(row, 6)?,
    })
}

fn proposal(row: &Row<'_>) -> rusqlite::Result<ProposalRecord> {
    Ok(ProposalRecord {
        id: column::id(row, 0)?,
        project_id: column::id(row, 1)?,
        conversation_id: column::id(row, 2)?,
        message_id: column::id(row, 3)?,
        change: column::json(row, 4)?,
        start: row.get(5)?,
        end: row.get(6)?,
        state: column::name(row, 7)?,
        at: column::time(row, 8)?,
    })
}

fn sections(row: &Row<'_>) -> rusqlite::Result<Vec<Section>> {
    column::json(row, 0)
}

/// Whether a session reads as one.
pub(crate) fn is_session(db: &Connection, project: &Value) -> bool {
    column::is_readable(db, &format!("{SESSIONS} WHERE project_id = ?1"), project, session)
}

/// Whether a proposal reads as one.
pub(crate) fn is_proposal(db: &Connection, id: &Value) -> bool {
    column::is_readable(db, &format!("{PROPOSALS} WHERE id = ?1"), id, proposal)
}

/// Whether what a conversation began with reads as that.
pub(crate) fn is_told(db: &Connection, conversation: &Value) -> bool {
    column::is_readable(db, TOLD, conversation, sections)
}

impl SessionRecords for Store {
    fn session(&self, project: ProjectId) -> Result<Option<SessionRecord>, StoreError> {
        self.database.read(|db| {
            Ok(db
                .prepare_cached(&format!("{SESSIONS} WHERE project_id = ?1"))?
                .query_row([column::text(project)], session)
                .optional()?)
        })
    }

    fn put_session(&self, record: &SessionRecord) -> Result<bool, StoreError> {
        self.database.write(|db| {
            let changed = db
                .prepare_cached(
                    "INSERT INTO sessions (project_id, revision, shared, context, workflow, \
                     conversation_id, message_id) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) \
                     ON CONFLICT (project_id) DO UPDATE SET revision = excluded.revision, \
                     shared = excluded.shared, context = excluded.context, \
                     workflow = excluded.workflow, conversation_id = excluded.conversation_id, \
                     message_id = excluded.message_id WHERE revision = excluded.revision - 1",
                )?
                .execute(params![
                    column::text(record.project_id),
                    column::integer(record.revision),
                    record.shared,
                    column::to_json(&record.context)?,
                    column::to_json(&record.workflow)?,
                    column::optional_text(record.conversation_id),
                    column::optional_text(record.message_id),
                ])?;
            if changed == 1 {
                notes::put_decisions(db, record.project_id, &record.workflow)?;
            }
            Ok(changed == 1)
        })
    }

    fn intend_file(
        &self,
        project: ProjectId,
        name: &str,
        hash: &str,
        text: &str,
    ) -> Result<(), StoreError> {
        let project = column::text(project);
        self.database.write(|db| {
            db.prepare_cached(
                "INSERT OR REPLACE INTO session_files (project_id, name, hash, text) \
                 VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute(params![project, name, hash, text])?;
            db.prepare_cached(
                "DELETE FROM session_files WHERE project_id = ?1 AND name = ?2 AND seq <= \
                 (SELECT seq FROM session_files WHERE project_id = ?1 AND name = ?2 \
                 ORDER BY seq DESC LIMIT 1 OFFSET ?3)",
            )?
            .execute(params![project, name, TEXTS])?;
            Ok(())
        })
    }

    fn file_seen(&self, project: ProjectId, name: &str, hash: &str) -> Result<bool, StoreError> {
        let project = column::text(project);
        let known: Option<bool> = self.database.read(|db| {
            Ok(db
                .prepare_cached(
                    "SELECT seen FROM session_files \
                     WHERE project_id = ?1 AND name = ?2 AND hash = ?3",
                )?
                .query_row(params![project, name, hash], |row| row.get(0))
                .optional()?)
        })?;
        if known == Some(false) {
            self.database.write(|db| {
                db.prepare_cached(
                    "UPDATE session_files SET seen = 1 \
                     WHERE project_id = ?1 AND name = ?2 AND hash = ?3",
                )?
                .execute(params![project, name, hash])?;
                Ok(())
            })?;
        }
        Ok(known.is_some())
    }

    fn lock_seen(
        &self,
        project: ProjectId,
        hash: &str,
        now: Timestamp,
    ) -> Result<Timestamp, StoreError> {
        let name = BrainFile::Lock.name();
        let met = self.file_texts(project, name)?.into_iter().find(|(known, _)| known == hash);
        match met.and_then(|(_, since)| since.parse().ok()) {
            Some(since) => Ok(since),
            None => self.intend_file(project, name, hash, &now.to_string()).map(|()| now),
        }
    }

    fn file_base(&self, project: ProjectId, name: &str) -> Result<Option<String>, StoreError> {
        self.database.read(|db| {
            Ok(db
                .prepare_cached(
                    "SELECT text FROM session_files WHERE project_id = ?1 AND name = ?2 \
                     AND seen = 1 ORDER BY seq DESC LIMIT 1",
                )?
                .query_row(params![column::text(project), name], |row| row.get(0))
                .optional()?)
        })
    }

    fn file_texts(
        &self,
        project: ProjectId,
        name: &str,
    ) -> Result<Vec<(String, String)>, StoreError> {
        self.database.read(|db| {
            let mut statement = db.prepare_cached(
                "SELECT hash, text FROM session_files WHERE project_id = ?1 AND name = ?2 \
                 ORDER BY seq",
            )?;
            let rows = statement.query_map(params![column::text(project), name], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    fn put_file_text(
        &self,
        project: ProjectId,
        name: &str,
        hash: &str,
        text: &str,
    ) -> Result<(), StoreError> {
        self.database.write(|db| {
            db.prepare_cached(
                "UPDATE session_files SET text = ?4 \
                 WHERE project_id = ?1 AND name = ?2 AND hash = ?3",
            )?
            .execute(params![column::text(project), name, hash, text])?;
            Ok(())
        })
    }

    fn propose(&self, proposal: &ProposalRecord) -> Result<bool, StoreError> {
        self.database.write(|db| {
            let added = db
                .prepare_cached(
                    "INSERT INTO session_proposals (id, project_id, conversation_id, message_id, \
                     change, begins, ends, state, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) \
                     ON CONFLICT (message_id, change) DO NOTHING",
                )?
                .execute(params![
                    column::text(proposal.id),
                    column::text(proposal.project_id),
                    column::text(proposal.conversation_id),
                    column::text(proposal.message_id),
                    column::to_json(&proposal.change)?,
                    proposal.start,
                    proposal.end,
                    column::to_name(&proposal.state)?,
                    column::nanoseconds(proposal.at),
                ])?;
            Ok(added == 1)
        })
    }

    fn proposals(&self, project: ProjectId) -> Result<Vec<ProposalRecord>, StoreError> {
        self.database.read(|db| {
            let mut statement = db.prepare_cached(&format!(
                "{PROPOSALS} WHERE project_id = ?1 AND state = 'open' \
                 AND {OUTSIDE_TRASH} ORDER BY id"
            ))?;
            let rows = statement.query_map([column::text(project)], proposal)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    fn proposal(&self, id: ProposalId) -> Result<ProposalRecord, StoreError> {
        self.database.read(|db| {
            db.prepare_cached(&format!("{PROPOSALS} WHERE id = ?1 AND {OUTSIDE_TRASH}"))?
                .query_row([column::text(id)], proposal)
                .optional()?
                .ok_or_else(|| not_found("proposal", id))
        })
    }

    fn settle_proposal(&self, id: ProposalId, state: ProposalState) -> Result<(), StoreError> {
        self.database.write(|db| {
            let changed = db
                .prepare_cached(
                    "UPDATE session_proposals SET state = ?2 WHERE id = ?1 AND state = 'open'",
                )?
                .execute(params![column::text(id), column::to_name(&state)?])?;
            if changed == 1 { Ok(()) } else { Err(conflict("the proposal was settled already")) }
        })
    }

    fn told(&self, conversation: ConversationId) -> Result<Option<Vec<Section>>, StoreError> {
        self.database.read(|db| {
            Ok(db
                .prepare_cached(TOLD)?
                .query_row([column::text(conversation)], sections)
                .optional()?)
        })
    }

    fn told_in(
        &self,
        project: ProjectId,
    ) -> Result<Vec<(ConversationId, Vec<Section>)>, StoreError> {
        self.database.read(|db| {
            let mut statement = db.prepare_cached(
                "SELECT t.sections, t.conversation_id FROM session_told t \
                 JOIN conversations c ON c.id = t.conversation_id WHERE c.project_id = ?1",
            )?;
            let rows = statement.query_map([column::text(project)], |row| {
                Ok((column::id(row, 1)?, sections(row)?))
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    fn put_told(
        &self,
        conversation: ConversationId,
        sections: &[Section],
    ) -> Result<(), StoreError> {
        self.database.write(|db| {
            db.prepare_cached(
                "INSERT OR REPLACE INTO session_told (conversation_id, sections) VALUES (?1, ?2)",
            )?
            .execute(params![column::text(conversation), column::to_json(&sections)?])?;
            Ok(())
        })
    }
}
