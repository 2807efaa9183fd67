//! The tables of vectors, and the exact scan over them.
//!
//! They stand in the person's database and not beside it, so that a vector goes in the same transaction as the message
//! it was made of. A scan reads the rows of the scope's conversations one after the other and keeps the best; it holds
//! no copy that could be older than the rows.

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, OptionalExtension, params};
use siltstone_engine::ids::ProjectId;
use siltstone_engine::meaning::{
    Compact, EmbeddedLine, Embedding, Near, Unread, Vectors, VectorsKept, standing,
};
use siltstone_engine::message::{Part, text_of};
use siltstone_engine::ports::StoreError;
use siltstone_engine::recall::Scope;

use crate::fault::Fault;
use crate::{Store, column};

/// Messages that somebody said, whole, outside of the trash; those of projects that stay here only where `?1` is false.
const READABLE: &str = "FROM messages m JOIN conversations c ON c.id = m.conversation_id \
     LEFT JOIN projects p ON p.id = c.project_id \
     WHERE c.deleted_at IS NULL AND m.role IN ('user', 'assistant') AND m.status <> 'streaming' \
     AND NOT (?1 AND COALESCE(p.this_computer_only, 0))";

const HAS_VECTORS: &str = "EXISTS (SELECT 1 FROM vectors v WHERE v.conversation_id = m.conversation_id \
     AND v.embedder = ?2 AND v.seq = m.seq)";

/// The vectors of a conversation, in the order in which they lie. The sign keeps the index of embedders out of it, by which
/// each row would be looked up on its own: twice the time.
const SCAN: &str = "SELECT seq, piece, vector FROM vectors \
     WHERE conversation_id = ?1 AND +embedder = ?2 AND vector IS NOT NULL";

/// Lines of memory with their vectors.
const LINES: &str = "FROM memory_vectors WHERE project_id IS ?1 AND embedder = ?2";

impl Vectors for Store {
    fn unread(
        &self,
        embedder: &str,
        before: i64,
        away: bool,
        newest: u32,
        limit: u32,
    ) -> Result<Vec<Unread>, StoreError> {
        self.database.read(|db| {
            let embedder = number(db, embedder)?;
            let mut statement = db.prepare_cached(&format!(
                "SELECT m.id, m.seq, c.project_id, m.parts {READABLE} AND NOT {HAS_VECTORS} \
                 AND m.seq < ?3 AND m.seq > (SELECT MAX(seq) FROM messages) - ?4 \
                 ORDER BY m.seq DESC LIMIT ?5"
            ))?;
            let rows =
                statement.query_map(params![away, embedder, before, newest, limit], |row| {
                    let parts: Vec<Part> = column::json(row, 3)?;
                    Ok(Unread {
                        id: column::id(row, 0)?,
                        seq: row.get(1)?,
                        project_id: column::optional_id(row, 2)?,
                        text: text_of(&parts),
                    })
                })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    fn keep(&self, embedder: &str, of: &[Embedding], tokens: u64) -> Result<(), StoreError> {
        self.database.write(|db| {
            let embedder = number_with(db, embedder, tokens)?;
            of.iter().try_for_each(|embedding| put(db, embedder, embedding))
        })
    }

    fn any(&self, embedder: &str) -> Result<bool, StoreError> {
        self.database.read(|db| Ok(number(db, embedder)?.is_some()))
    }

    fn kept(&self, embedder: &str, away: bool) -> Result<VectorsKept, StoreError> {
        self.database.read(|db| {
            let number = number(db, embedder)?;
            let count =
                format!("SELECT COUNT(*), COUNT(*) FILTER (WHERE {HAS_VECTORS}) {READABLE}");
            let (all, done) =
                db.prepare_cached(&count)?.query_row(params![away, number], |row| {
                    Ok((column::count(row, 0)?, column::count(row, 1)?))
                })?;
            let bytes = db
                .prepare_cached(
                    "SELECT COALESCE(SUM(LENGTH(vector)), 0) FROM (\
                     SELECT vector FROM vectors WHERE embedder = ?1 UNION ALL \
                     SELECT vector FROM memory_vectors WHERE embedder = ?1)",
                )?
                .query_row([number], |row| column::count(row, 0))?;
            Ok(VectorsKept { done, all, bytes, tokens: tokens(db, embedder)? })
        })
    }

    fn tokens(&self, embedder: &str) -> Result<u64, StoreError> {
        self.database.read(|db| tokens(db, embedder))
    }

    fn forget_others(&self, embedder: Option<&str>) -> Result<(), StoreError> {
        self.database.write(|db| {
            let others = "SELECT number FROM embedders WHERE name IS NOT ?1";
            for table in ["vectors", "memory_vectors"] {
                let delete = format!("DELETE FROM {table} WHERE embedder IN ({others})");
                db.execute(&delete, [embedder])?;
            }
            db.execute("DELETE FROM embedders WHERE name IS NOT ?1", [embedder])?;
            Ok(())
        })
    }

    fn near(
        &self,
        embedder: &str,
        question: &Compact,
        scope: Scope,
        limit: u32,
    ) -> Result<Vec<Near>, StoreError> {
        self.database.read(|db| {
            let Some(embedder) = number(db, embedder)? else { return Ok(Vec::new()) };
            nearest(db, embedder, question, scope, limit as usize)
        })
    }

    fn lines_kept(
        &self,
        embedder: &str,
        project: Option<ProjectId>,
    ) -> Result<HashSet<String>, StoreError> {
        self.database.read(|db| {
            let of = params![column::optional_text(project), number(db, embedder)?];
            let mut statement = db.prepare_cached(&format!("SELECT line {LINES}"))?;
            let lines = statement.query_map(of, |row| row.get(0))?;
            Ok(lines.collect::<rusqlite::Result<_>>()?)
        })
    }

    fn keep_lines(
        &self,
        embedder: &str,
        project: Option<ProjectId>,
        of: &[EmbeddedLine],
    ) -> Result<(), StoreError> {
        self.database.write(|db| {
            let embedder = number_with(db, embedder, 0)?;
            let project = column::optional_text(project);
            let mut delete = db.prepare_cached(&format!("DELETE {LINES} AND line = ?3"))?;
            let mut insert = db.prepare_cached(
                "INSERT INTO memory_vectors (project_id, embedder, line, vector) \
                 VALUES (?1, ?2, ?3, ?4)",
            )?;
            for EmbeddedLine { line, vector } in of {
                delete.execute(params![project, embedder, line])?;
                insert.execute(params![project, embedder, line, vector.to_bytes()])?;
            }
            Ok(())
        })
    }

    fn forget_lines_but(
        &self,
        project: Option<ProjectId>,
        lines: &HashSet<String>,
    ) -> Result<(), StoreError> {
        self.database.write(|db| {
            db.prepare_cached(
                "DELETE FROM memory_vectors WHERE project_id IS ?1 \
                 AND line NOT IN (SELECT value FROM json_each(?2))",
            )?
            .execute(params![column::optional_text(project), column::to_json(lines)?])?;
            Ok(())
        })
    }

    fn lines_near(
        &self,
        embedder: &str,
        question: &Compact,
        project: Option<ProjectId>,
    ) -> Result<HashMap<String, f32>, StoreError> {
        self.database.read(|db| {
            let of = params![column::optional_text(project), number(db, embedder)?];
            let mut statement = db.prepare_cached(&format!("SELECT line, vector {LINES}"))?;
            let mut rows = statement.query(of)?;
            let mut near = HashMap::new();
            while let Some(row) = rows.next()? {
                let kept = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
                if let Some(nearness) = question.nearness(kept) {
                    near.insert(row.get(0)?, nearness);
                }
            }
            Ok(near)
        })
    }
}

/// The number of an embedder, which took so many more tokens.
fn number_with(db: &Connection, name: &str, tokens: u64) -> Result<Option<i64>, Fault> {
    db.prepare_cached(
        "INSERT INTO embedders (name, tokens) VALUES (?1, ?2) \
         ON CONFLICT (name) DO UPDATE SET tokens = tokens + excluded.tokens",
    )?
    .execute(params![name, column::integer(tokens)])?;
    number(db, name)
}

/// The number of an embedder, if it has made any vectors.
fn number(db: &Connection, name: &str) -> Result<Option<i64>, Fault> {
    Ok(db
        .prepare_cached("SELECT number FROM embedders WHERE name = ?1")?
        .query_row([name], |row| row.get(0))
        .optional()?)
}

fn tokens(db: &Connection, name: &str) -> Result<u64, Fault> {
    let tokens = db
        .prepare_cached("SELECT tokens FROM embedders WHERE name = ?1")?
        .query_row([name], |row| column::count(row, 0))
        .optional()?;
    Ok(tokens.unwrap_or_default())
}

fn put(db: &Connection, embedder: Option<i64>, of: &Embedding) -> Result<(), Fault> {
    let place = db
        .prepare_cached("SELECT conversation_id, seq FROM messages WHERE id = ?1")?
        .query_row([column::text(of.id)], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?))
        })
        .optional()?;
    let Some((conversation, seq)) = place else { return Ok(()) };
    db.prepare_cached(
        "DELETE FROM vectors WHERE conversation_id = ?1 AND embedder = ?2 AND seq = ?3",
    )?
    .execute(params![conversation, embedder, seq])?;
    let mut insert = db.prepare_cached(
        "INSERT INTO vectors (conversation_id, embedder, seq, piece, vector) \
         VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    if of.vectors.is_empty() {
        insert.execute(params![conversation, embedder, seq, 0, None::<Vec<u8>>])?;
    }
    for (piece, vector) in (0_i64..).zip(&of.vectors) {
        let vector = vector.as_ref().map(Compact::to_bytes);
        insert.execute(params![conversation, embedder, seq, piece, vector])?;
    }
    Ok(())
}

/// The nearest stretches, the nearest first; of equals the newer.
fn nearest(
    db: &Connection,
    embedder: i64,
    question: &Compact,
    scope: Scope,
    limit: usize,
) -> Result<Vec<Near>, Fault> {
    let mut conversations = db.prepare_cached(
        "SELECT id FROM conversations WHERE deleted_at IS NULL AND (id = ?1 OR project_id = ?2)",
    )?;
    let within = params![
        column::optional_text(scope.conversation_id),
        column::optional_text(scope.project_id)
    ];
    let within = conversations.query_map(within, |row| row.get::<_, String>(0))?;
    let within: Vec<String> = within.collect::<rusqlite::Result<_>>()?;
    let mut scan = db.prepare_cached(SCAN)?;
    let mut stretches: Vec<((i64, u32), f32)> = Vec::new();
    for conversation in &within {
        let mut rows = scan.query(params![conversation, embedder])?;
        while let Some(row) = rows.next()? {
            let kept = row.get_ref(2)?.as_blob().map_err(rusqlite::Error::from)?;
            let Some(near) = question.nearness(kept) else { continue };
            stretches.push(((row.get(0)?, row.get(1)?), near));
        }
    }
    let mut found = standing(&stretches);
    let order = |(one, near): &((i64, u32), f32), (other, nearer): &((i64, u32), f32)| {
        nearer.total_cmp(near).then(other.cmp(one))
    };
    if found.len() > limit {
        found.select_nth_unstable_by(limit, order);
        found.truncate(limit);
    }
    found.sort_unstable_by(order);
    let near = |((seq, stretch), standing)| Near { seq, stretch, standing };
    Ok(found.into_iter().map(near).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::plan;

    #[test]
    fn vectors_are_read_where_they_lie_and_not_looked_up_one_by_one() {
        let plan = plan(SCAN);
        assert!(plan.contains("USING PRIMARY KEY (conversation_id=?)"), "{plan}");
    }
}
