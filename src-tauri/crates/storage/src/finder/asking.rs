//! What is asked of the indices, in the language of FTS5. They have no positions and no columns: a phrase is asked for
//! by all of its tokens, a scope by a token of its own.

use std::collections::HashSet;

use rusqlite::{Connection, params};
use siltstone_engine::ids::{ConversationId, ProjectId};
use siltstone_engine::message::Role;
use siltstone_engine::search::{Phrase, Query, Term};

use crate::column;
use crate::fault::Fault;
use crate::search::{role_token, scope_token};

/// Conversations in the trash that are ruled out by their tokens; of more, every match is looked at.
const TRASHED: usize = 64;

/// Up to how many matches words are told apart by their rarity.
const RARE: i64 = 2_000;

/// Tokens of a phrase that an index is asked for. A text that has so many is asked for the rest itself, and to ask for
/// thousands takes an index more than to read what has the first ones.
const TOKENS: usize = 64;

/// Whose words are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Speaker {
    /// Anybody's, and what tools answered.
    #[default]
    Any,
    /// Everything but what tools answered.
    NoTool,
    /// This one's.
    Only(Role),
}

/// The bounds of a search over messages.
#[derive(Clone, Debug, Default)]
pub(crate) struct Within {
    pub(crate) project: Option<ProjectId>,
    pub(crate) conversation: Option<ConversationId>,
    pub(crate) speaker: Speaker,
    /// From this moment on, and before that one, in nanoseconds.
    pub(crate) from: Option<i64>,
    pub(crate) before: Option<i64>,
}

impl Within {
    /// Tokens that all must be there, and tokens of which none may.
    fn tokens(&self) -> (Vec<String>, Vec<String>) {
        let mut must = scopes(self.project, self.conversation);
        let mut never = Vec::new();
        match self.speaker {
            Speaker::Any => {}
            Speaker::NoTool => never.push(role_token(Role::Tool).to_owned()),
            Speaker::Only(role) => must.push(role_token(role).to_owned()),
        }
        (must, never)
    }
}

/// The tokens of a scope.
pub(crate) fn scopes(
    project: Option<ProjectId>,
    conversation: Option<ConversationId>,
) -> Vec<String> {
    let project = project.map(|id| scope_token('p', &column::text(id)));
    let conversation = conversation.map(|id| scope_token('c', &column::text(id)));
    conversation.into_iter().chain(project).collect()
}

/// All words of a query, as an expression.
pub(crate) fn words(query: &Query) -> String {
    let words: Vec<String> =
        query.terms.iter().map(|term| format!("({})", any(&term.alternatives))).collect();
    words.join(" AND ")
}

/// The words of a query as they were typed, each whole; `None` where that asks for the same.
pub(crate) fn whole_words(query: &Query) -> Option<String> {
    let typed: Option<Vec<&Phrase>> =
        query.terms.iter().map(|term| term.alternatives.first()).collect();
    let typed = typed?;
    let more = query.terms.iter().any(|term| term.alternatives.len() > 1);
    if !more && typed.iter().all(|phrase| !phrase.open) {
        return None;
    }
    let closed = typed.into_iter().map(|phrase| Phrase { open: false, ..phrase.clone() });
    Some(closed.map(|phrase| format!("({})", all(&phrase))).collect::<Vec<_>>().join(" AND "))
}

/// Phrases of which any may match.
pub(crate) fn any(phrases: &[Phrase]) -> String {
    let each: Vec<String> = phrases.iter().map(|phrase| format!("({})", all(phrase))).collect();
    each.join(" OR ")
}

/// All tokens of a phrase, or the first of a very long one. They hold letters, digits and underscores alone, so quotes
/// need no escape.
pub(crate) fn all(phrase: &Phrase) -> String {
    let last = phrase.tokens.len().saturating_sub(1);
    let mut seen = HashSet::new();
    let mut each: Vec<String> = Vec::new();
    for (number, token) in phrase.tokens.iter().enumerate() {
        let is_open = phrase.open && number == last;
        if seen.insert((token, is_open)) {
            let open = if is_open { " *" } else { "" };
            each.push(format!("\"{token}\"{open}"));
        }
        if each.len() == TOKENS {
            break;
        }
    }
    each.join(" AND ")
}

/// An expression narrowed to rows that have all of some tokens and none of others.
pub(crate) fn narrowed(words: &str, must: &[String], never: &[String]) -> String {
    let mut expression = format!("({words})");
    for token in must {
        expression.push_str(&format!(" AND \"{token}\""));
    }
    if !never.is_empty() {
        let each: Vec<String> = never.iter().map(|token| format!("\"{token}\"")).collect();
        expression = format!("({expression}) NOT ({})", each.join(" OR "));
    }
    expression
}

/// The newest messages that match, outside of the trash.
pub(crate) fn messages(
    db: &Connection,
    words: &str,
    within: &Within,
    limit: usize,
) -> Result<Vec<i64>, Fault> {
    messages_outside(db, words, within, &trashed(db)?, limit)
}

/// The same where it is known what is in the trash.
pub(crate) fn messages_outside(
    db: &Connection,
    words: &str,
    within: &Within,
    trashed: &[String],
    limit: usize,
) -> Result<Vec<i64>, Fault> {
    let (must, mut never) = within.tokens();
    let few = trashed.len() <= TRASHED;
    if few {
        never.extend(trashed.iter().cloned());
    }
    let expression = narrowed(words, &must, &never);
    let limit = column::integer(limit as u64);
    if few && within.from.is_none() && within.before.is_none() {
        // The rows of messages are not touched, which is most of the time it takes.
        let mut statement = db.prepare_cached(
            "SELECT rowid FROM message_index WHERE message_index MATCH ?1 \
             ORDER BY rowid DESC LIMIT ?2",
        )?;
        let rows = statement.query_map(params![expression, limit], |row| row.get(0))?;
        return Ok(rows.collect::<rusqlite::Result<_>>()?);
    }
    // CROSS JOIN fixes the order of the loops: the index first, from its newest row down, and no further than needed.
    let mut statement = db.prepare_cached(
        "SELECT i.rowid FROM message_index i CROSS JOIN messages m ON m.seq = i.rowid \
         CROSS JOIN conversations c ON c.id = m.conversation_id \
         WHERE message_index MATCH ?1 AND c.deleted_at IS NULL \
         AND (?3 IS NULL OR m.created_at >= ?3) AND (?4 IS NULL OR m.created_at < ?4) \
         ORDER BY i.rowid DESC LIMIT ?2",
    )?;
    let bounds = params![expression, limit, within.from, within.before];
    let rows = statement.query_map(bounds, |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The tokens of conversations in the trash, up to one more than are ruled out by them.
pub(crate) fn trashed(db: &Connection) -> Result<Vec<String>, Fault> {
    let mut statement =
        db.prepare_cached("SELECT id FROM conversations WHERE deleted_at IS NOT NULL LIMIT ?1")?;
    let rows = statement.query_map([column::integer(TRASHED as u64 + 1)], |row| {
        Ok(scope_token('c', row.get_ref(0)?.as_str()?))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// What the words of a query are worth beside each other: the rarer, the more.
pub(crate) fn rarity(db: &Connection, index: &str, query: &Query) -> Result<Vec<f64>, Fault> {
    if query.terms.len() < 2 {
        return Ok(vec![1.0]);
    }
    let mut statement = db.prepare_cached(&format!(
        "SELECT count(*) FROM (SELECT 1 FROM {index} WHERE {index} MATCH ?1 LIMIT ?2)"
    ))?;
    let mut weight = |term: &Term| -> Result<f64, Fault> {
        let found: i64 =
            statement.query_row(params![any(&term.alternatives), RARE], |row| row.get(0))?;
        Ok((1.0 + RARE as f64 / (found as f64 + 1.0)).ln())
    };
    query.terms.iter().map(&mut weight).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phrase(tokens: impl Iterator<Item = u32>, open: bool) -> Phrase {
        Phrase { tokens: tokens.map(|number| format!("t{number}")).collect(), open }
    }

    #[test]
    fn every_token_of_a_phrase_is_asked_for_once_and_of_a_very_long_one_the_first() {
        assert_eq!(all(&phrase([1, 2, 1, 2].into_iter(), true)), r#""t1" AND "t2" AND "t2" *"#);
        let asked = |length| all(&phrase(0..length, false));
        assert!(asked(TOKENS as u32).ends_with(&format!("\"t{}\"", TOKENS - 1)));
        assert_eq!(asked(20_000), asked(TOKENS as u32));
        let repeated = all(&phrase((0..20_000).map(|number| number % 3), false));
        assert_eq!(repeated, asked(3));
    }
}
