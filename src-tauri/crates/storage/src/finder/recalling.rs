//! What the index says to a question: the messages that may answer it, those with the rarest phrases first.
//!
//! A question costs the same in any history. Of a phrase no more than [`MOST`] rows are read, the newest ones; how many
//! more have it is told by how close these stand. A phrase that so many have says little by itself, wherever it stands:
//! it is looked for beside the others of the question, and there in all of the history.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};

use rusqlite::{Connection, OptionalExtension, Row, params};
use siltstone_engine::ids::{ConversationId, MessageId};
use siltstone_engine::recall::{Candidate, Candidates, Scope};
use siltstone_engine::search::{Phrase, Searched};

use super::asking::{self, Within};
use super::beginnings::Words;
use super::lately::{Here, Lately};
use super::ranking::{OfPhrase, rarest};
use crate::branches::{self, Stretch};
use crate::column;
use crate::fault::Fault;
use crate::search::{STANDING, findable_in, text};

/// Rows of a phrase that are looked at, the newest ones.
const MOST: usize = 200;

/// The rarest phrases of a question, of which two stand together where more rows have one than are looked at.
const TELLING: usize = 5;

/// Rows in which two phrases stand together.
const TOGETHER: usize = 64;

/// Up to how many messages with all tokens of a phrase are asked whether the tokens stand together.
const ASKED: usize = 64;

const CANDIDATE: &str = "SELECT m.id, m.parent_id, m.conversation_id, m.seq, m.idx, m.role, m.parts, \
     m.created_at, m.branch_id FROM messages m JOIN conversations c ON c.id = m.conversation_id";

/// Bounds of a scope that are read from rows: `?1` is the conversation, `?2` the project if there is one.
const OF_SCOPE: &str = "m.status <> 'streaming' AND c.deleted_at IS NULL \
     AND CASE WHEN ?2 IS NULL THEN c.id = ?1 ELSE c.project_id = ?2 END";

/// The messages that may answer, those on shown paths with their neighbours there.
pub(super) fn candidates(
    db: &Connection,
    lately: &Lately<Scope>,
    asked: &[Phrase],
    named: &[i64],
    scope: Scope,
    limit: u32,
) -> Result<Candidates, Fault> {
    let bounds = params_of(scope);
    let all = count(db, &bounds)?;
    let reach = Reach::of(db, lately, scope, all)?;
    let Named { rows, having } = named_by(&reach, asked, all, limit as usize)?;
    let mut paths = Paths { db, known: HashMap::new() };
    let mut messages = BTreeMap::new();
    let mut by_seq = db.prepare_cached(&format!("{CANDIDATE} WHERE m.seq = ?3 AND {OF_SCOPE}"))?;
    for seq in rows.into_iter().chain(named.iter().copied()) {
        let mut rows = by_seq.query(params![bounds.0, bounds.1, seq])?;
        if let Some(row) = rows.next()? {
            messages.insert(seq, candidate(row, true, paths.has(row)?)?);
        }
    }
    let mut by_place = db.prepare_cached(&format!(
        "{CANDIDATE} WHERE m.branch_id = ?3 AND m.idx = ?4 AND {OF_SCOPE}"
    ))?;
    let found: Vec<(ConversationId, u64)> =
        messages.values().filter(|it| it.shown).map(|it| (it.conversation_id, it.index)).collect();
    let mut there: HashSet<(ConversationId, u64)> = found.iter().copied().collect();
    for (of, place) in found {
        for beside in place.checked_sub(1).into_iter().chain([place + 1]) {
            let branch = paths.of(of)?.iter().find(|stretch| stretch.range.contains(&beside));
            let Some(branch) = branch.filter(|_| there.insert((of, beside))) else { continue };
            let key = params![bounds.0, bounds.1, branch.branch, column::integer(beside)];
            let beside = by_place.query_row(key, |row| candidate(row, false, true)).optional()?;
            messages.extend(beside.map(|it| (it.seq, it)));
        }
    }
    let mut messages: Vec<Candidate> = messages.into_values().collect();
    messages.sort_by_key(|it| (it.conversation_id, it.seq));
    Ok(Candidates { messages, all, having })
}

/// The shown paths of conversations, each read once.
struct Paths<'a> {
    db: &'a Connection,
    known: HashMap<ConversationId, Vec<Stretch>>,
}

impl Paths<'_> {
    fn of(&mut self, conversation: ConversationId) -> Result<&[Stretch], Fault> {
        Ok(match self.known.entry(conversation) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => {
                let branch = branches::active(self.db, conversation)?;
                unknown.insert(branches::stretches(self.db, &branch)?)
            }
        })
    }

    /// Whether the message of a row stands on one.
    fn has(&mut self, row: &Row<'_>) -> Result<bool, Fault> {
        let place = column::count(row, 4)?;
        let path = self.of(column::id(row, 2)?)?;
        let stretch = path.iter().find(|stretch| stretch.range.contains(&place));
        let branch = row.get_ref(8)?.as_str().map_err(rusqlite::Error::from)?;
        Ok(stretch.is_some_and(|it| it.branch == branch))
    }
}

/// Rows of an index in which something is looked for.
pub(crate) trait Rows {
    /// What has a phrase, as an expression.
    fn having_all(&self, phrase: &Phrase) -> Result<String, Fault>;
    /// The newest that match an expression, at most so many.
    fn newest(&self, words: &str, limit: usize) -> Result<Vec<i64>, Fault>;
    /// About how many have what these newest ones have.
    fn having(&self, rows: &[i64]) -> u64;
    /// What is searched of one.
    fn text(&self, row: i64) -> Result<Option<String>, Fault>;
    /// What `find` names for what is looked for, unless that is known.
    fn known(&self, of: String, find: Find<'_>) -> Result<Vec<i64>, Fault>;
}

/// Looks for rows.
pub(crate) type Find<'f> = &'f dyn Fn() -> Result<Vec<i64>, Fault>;

/// What an index names for a question.
#[derive(Debug, Default)]
pub(crate) struct Named {
    /// Those with the rarest and the most phrases.
    pub(crate) rows: Vec<i64>,
    /// How many have each phrase.
    pub(crate) having: Vec<u64>,
}

/// At most `limit` rows out of `all` that may answer.
pub(crate) fn named_by(
    among: &dyn Rows,
    asked: &[Phrase],
    all: u64,
    limit: usize,
) -> Result<Named, Fault> {
    let mut phrases = Vec::with_capacity(asked.len());
    for phrase in asked {
        let words = among.having_all(phrase)?;
        // Of several tokens it is looked at besides how they stand.
        let of = match phrase.tokens.as_slice() {
            [_] => words.clone(),
            tokens => tokens.join("+"),
        };
        let mut rows = among.known(of, &|| {
            let rows = among.newest(&words, MOST + 1)?;
            if rows.len() > MOST { Ok(rows) } else { standing(among, phrase, rows) }
        })?;
        phrases.push(if rows.len() > MOST {
            rows.truncate(MOST);
            let having = among.having(&rows);
            OfPhrase { rows, having }
        } else {
            OfPhrase::in_all(rows)
        });
    }
    let having = phrases.iter().map(|phrase| phrase.having).collect();
    together(among, asked, &mut phrases)?;
    Ok(Named { rows: rarest(&phrases, all, limit), having })
}

/// How many of `all` rows have what the newest of them have, the last of which are given: if it stands elsewhere, from the
/// first row on, as it stands there.
pub(crate) fn about(rows: &[i64], first: i64, newest: i64, all: u64) -> u64 {
    let newest = rows.first().copied().unwrap_or(0).max(newest);
    let back = |to: i64| (newest - to + 1).max(1).unsigned_abs();
    let oldest = rows.last().copied().unwrap_or(newest);
    let least = rows.len() as u64 + 1;
    let about = least.saturating_mul(back(first)) / back(oldest);
    about.clamp(least, all.max(least))
}

/// The newest messages of a conversation that say what holds from then on.
pub(super) fn of_standing(
    db: &Connection,
    lately: &Lately<Scope>,
    of: ConversationId,
    limit: u32,
) -> Result<Vec<MessageId>, Fault> {
    let within = Within { conversation: Some(of), ..Within::default() };
    let scope = Scope { conversation_id: Some(of), project_id: None };
    let words = format!("\"{STANDING}\"");
    let find = || asking::messages(db, &words, &within, MOST);
    let rows = lately.here(db, &scope)?.rows(words.clone(), find)?;
    let mut id = db.prepare_cached("SELECT id FROM messages WHERE seq = ?1")?;
    let newest = rows.into_iter().take(limit as usize);
    let ids = newest.map(|seq| Ok(id.query_row([seq], |row| column::id(row, 0))?));
    ids.collect()
}

fn params_of(scope: Scope) -> (Option<String>, Option<String>) {
    (column::optional_text(scope.conversation_id), column::optional_text(scope.project_id))
}

/// The messages of a scope: a branch knows how many it has, so none of them is looked at.
fn count(
    db: &Connection,
    (conversation, project): &(Option<String>, Option<String>),
) -> Result<u64, Fault> {
    let of = match project {
        None => "c.id = ?1",
        Some(_) => "c.project_id = ?1",
    };
    let sql = format!(
        "SELECT coalesce(sum(b.tip_index - b.fork_index + 1), 0) FROM conversations c \
         CROSS JOIN branches b ON b.conversation_id = c.id WHERE {of} AND c.deleted_at IS NULL"
    );
    let key = project.as_ref().or(conversation.as_ref());
    Ok(db.prepare_cached(&sql)?.query_row([key], |row| column::count(row, 0))?)
}

/// The rows of a scope, as they are looked for.
struct Reach<'a> {
    db: &'a Connection,
    lately: Here<'a, Scope>,
    /// The conversation, or the project.
    of: Of,
    /// Messages within.
    all: u64,
    /// About where the first and the newest of them stand.
    first: i64,
    newest: i64,
    /// The words that begin with what was asked for.
    words: Words<'a>,
}

enum Of {
    /// Most messages are of it: that is looked at, message by message.
    Most(Option<String>, &'static str),
    /// Others have more: its token is asked for as well, which stands in few rows.
    Few(Within, Vec<String>),
}

impl<'a> Reach<'a> {
    fn of(
        db: &'a Connection,
        lately: &'a Lately<Scope>,
        scope: Scope,
        all: u64,
    ) -> Result<Self, Fault> {
        let one = |sql: &str, key: &[Option<String>]| -> Result<i64, Fault> {
            let mut statement = db.prepare_cached(sql)?;
            let found = statement.query_row(rusqlite::params_from_iter(key), |row| row.get(0));
            Ok(found.optional()?.unwrap_or(0))
        };
        let last = one("SELECT seq FROM messages ORDER BY seq DESC LIMIT 1", &[])?;
        let conversation = [column::optional_text(scope.conversation_id)];
        let at_end = |end: &str| {
            let sql = format!(
                "SELECT seq FROM messages WHERE conversation_id = ?1 ORDER BY idx {end} LIMIT 1"
            );
            one(&sql, &conversation)
        };
        let (first, newest) = match scope.project_id {
            None => (at_end("ASC")?, at_end("DESC")?),
            Some(_) => (1, last),
        };
        // The token of what nearly everything is of stands in nearly every row of the index: to go through them costs
        // more than to look at the rows that have the phrase.
        let most = last.unsigned_abs() < all.saturating_mul(2);
        let of = match (scope.project_id, most) {
            (None, true) => {
                Of::Most(column::optional_text(scope.conversation_id), "m.conversation_id = ?1")
            }
            (Some(project), true) => {
                Of::Most(Some(column::text(project)), "c.project_id = ?1 AND c.deleted_at IS NULL")
            }
            (project, false) => {
                let conversation = scope.conversation_id.filter(|_| project.is_none());
                let within = Within { conversation, project, ..Within::default() };
                Of::Few(within, asking::trashed(db)?)
            }
        };
        let (lately, words) = (lately.here(db, &scope)?, Words::of(db, "message_index")?);
        Ok(Self { db, lately, of, all, first, newest, words })
    }
}

impl Rows for Reach<'_> {
    fn having_all(&self, phrase: &Phrase) -> Result<String, Fault> {
        self.words.having_all(&self.lately, phrase)
    }

    fn newest(&self, words: &str, limit: usize) -> Result<Vec<i64>, Fault> {
        match &self.of {
            _ if self.all == 0 => Ok(Vec::new()),
            Of::Few(within, trashed) => {
                asking::messages_outside(self.db, words, within, trashed, limit)
            }
            Of::Most(key, is_of) => {
                // CROSS JOIN fixes the order of the loops: the index first, from its newest row down, and no further
                // than needed.
                let mut statement = self.db.prepare_cached(&format!(
                    "SELECT i.rowid FROM message_index i CROSS JOIN messages m ON m.seq = i.rowid \
                     CROSS JOIN conversations c ON c.id = m.conversation_id \
                     WHERE message_index MATCH ?2 AND {is_of} ORDER BY i.rowid DESC LIMIT ?3"
                ))?;
                let limit = column::integer(limit as u64);
                let rows = statement.query_map(params![key, words, limit], |row| row.get(0))?;
                Ok(rows.collect::<rusqlite::Result<_>>()?)
            }
        }
    }

    fn having(&self, rows: &[i64]) -> u64 {
        about(rows, self.first, self.newest, self.all)
    }

    fn text(&self, row: i64) -> Result<Option<String>, Fault> {
        text(self.db, row)
    }

    fn known(&self, of: String, find: Find<'_>) -> Result<Vec<i64>, Fault> {
        self.lately.rows(of, find)
    }
}

/// Adds to phrases that more rows have than were looked at those where they stand together with another one.
fn together(among: &dyn Rows, asked: &[Phrase], found: &mut [OfPhrase]) -> Result<(), Fault> {
    let mut places: Vec<usize> = (0..found.len()).filter(|at| found[*at].having > 0).collect();
    places.sort_by_key(|at| found[*at].having);
    let mut telling: Vec<usize> = Vec::new();
    for at in places {
        if telling.iter().all(|other| !are_of_one_word(&asked[*other], &asked[at])) {
            telling.push(at);
        }
        if telling.len() == TELLING {
            break;
        }
    }
    let has_more: Vec<bool> = found.iter().map(|it| it.having > it.rows.len() as u64).collect();
    // All ways to look for a word: else what has one of them twice would come before what has two words.
    let ways = |at: usize| -> Vec<usize> {
        let of_word = |other: &usize| are_of_one_word(&asked[*other], &asked[at]);
        (0..asked.len()).filter(|other| has_more[*other]).filter(of_word).collect()
    };
    let telling: Vec<(usize, Vec<usize>)> = telling.into_iter().map(|at| (at, ways(at))).collect();
    for (number, (one, of_one)) in telling.iter().enumerate() {
        for (other, of_other) in &telling[number + 1..] {
            if of_one.is_empty() && of_other.is_empty() {
                continue;
            }
            let both = [*one, *other].map(|at| &asked[at]);
            let [words, others] = both.map(|phrase| among.having_all(phrase));
            let words = format!("{} AND {}", words?, others?);
            let rows = among.known(words.clone(), &|| among.newest(&words, TOGETHER))?;
            for at in of_one.iter().chain(of_other) {
                let known = &mut found[*at].rows;
                let more: Vec<i64> =
                    rows.iter().copied().filter(|seq| !known.contains(seq)).collect();
                known.extend(more);
            }
        }
    }
    Ok(())
}

/// Whether phrases are ways to look for the same word.
fn are_of_one_word(one: &Phrase, other: &Phrase) -> bool {
    let akin = |a: &String| other.tokens.iter().any(|b| a.starts_with(b) || b.starts_with(a));
    one.tokens.iter().any(akin)
}

/// The messages with a phrase, of those with all of its tokens. Of a few it is read whether these stand together; of many,
/// all count.
fn standing(among: &dyn Rows, phrase: &Phrase, rows: Vec<i64>) -> Result<Vec<i64>, Fault> {
    if phrase.tokens.len() < 2 || rows.len() > ASKED {
        return Ok(rows);
    }
    let mut standing = Vec::new();
    for seq in rows {
        if among.text(seq)?.is_some_and(|text| Searched::new(&text).has(phrase)) {
            standing.push(seq);
        }
    }
    Ok(standing)
}

fn candidate(row: &Row<'_>, named: bool, shown: bool) -> rusqlite::Result<Candidate> {
    Ok(Candidate {
        message_id: column::id(row, 0)?,
        parent_id: column::optional_id(row, 1)?,
        conversation_id: column::id(row, 2)?,
        seq: row.get(3)?,
        index: column::count(row, 4)?,
        role: column::name(row, 5)?,
        text: findable_in(row, 6)?,
        at: column::time(row, 7)?,
        named,
        shown,
    })
}

#[cfg(test)]
mod tests {
    use siltstone_engine::Timestamp;
    use siltstone_engine::conversation::ConversationPatch;
    use siltstone_engine::ids::ProjectId;
    use siltstone_engine::ports::{Records, Transcripts};
    use siltstone_engine::project::{Project, Trust};
    use siltstone_engine::recall::Finder;
    use siltstone_engine::search::question;

    use super::*;
    use crate::Store;
    use crate::finder::lately::OF_MESSAGES;
    use crate::messages::tests::{steps, told};

    const ASKED: &str = "Where do granite and basalt lie beside gneiss?";

    /// One message of five says one word, one of four another one, and some both.
    fn often(place: u64) -> &'static str {
        match (place % 5, place % 4) {
            (0, 0) => "granite on basalt",
            (0, _) => "granite",
            (_, 0) => "basalt",
            _ => "a few words",
        }
    }

    fn store() -> (tempfile::TempDir, Store) {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path(), Timestamp::UNIX_EPOCH).unwrap();
        (dir, store)
    }

    fn project(store: &Store) -> ProjectId {
        let project = Project {
            id: ProjectId::new(Timestamp::UNIX_EPOCH),
            path: "/p".into(),
            name: "p".into(),
            trust: Trust::Trusted,
            this_computer_only: false,
            exclude: Vec::new(),
            identity: None,
            opened_at: Timestamp::UNIX_EPOCH,
            copy: None,
        };
        store.put_project(&project).unwrap();
        project.id
    }

    fn asked(db: &Connection, scope: Scope) -> Result<Candidates, Fault> {
        candidates(db, &Lately::new(OF_MESSAGES), &question(ASKED), &[], scope, 120)
    }

    /// Counted in steps of SQLite's machine: rows that are fetched, looked at and read.
    #[test]
    fn a_question_takes_the_same_steps_however_long_the_history_is() {
        for of_project in [false, true] {
            let taken = [2_000, 20_000].map(|length| {
                let (_dir, store) = store();
                let project_id = of_project.then(|| project(&store));
                let conversation_id = told(&store, project_id, length, often);
                let scope = Scope { conversation_id: Some(conversation_id), project_id };
                let found = store.database.read(|db| asked(db, scope)).unwrap();
                assert_eq!(found.all, length);
                steps(&store, |db| asked(db, scope).map(|_| ()))
            });
            assert!(taken[0] > 1_000, "the steps are counted");
            // The index itself is in a piece or two more.
            assert!(taken[1] <= taken[0] + taken[0] / 100, "{taken:?}");
        }
    }

    /// A text that grows by a word asks for that word alone.
    #[test]
    fn what_was_named_is_remembered_for_as_long_as_the_index_says_the_same() {
        let (_dir, store) = store();
        let project_id = Some(project(&store));
        let of = told(&store, project_id, 2_000, often);
        let other = told(&store, project_id, 400, often);
        let scopes =
            [None, project_id].map(|project_id| Scope { conversation_id: Some(of), project_id });
        let named = |lately: &Lately<Scope>, asked: &str, scope| {
            store
                .database
                .read(|db| candidates(db, lately, &question(asked), &[], scope, 120))
                .unwrap()
        };
        let same = |when: &str| {
            for scope in scopes {
                for asked in ["granite", "basalt on granite", ASKED] {
                    let afresh = named(&Lately::new(OF_MESSAGES), asked, scope);
                    assert_eq!(named(&store.lately, asked, scope), afresh, "{when}");
                    assert_eq!(named(&store.lately, asked, scope), afresh, "{when}, again");
                }
            }
        };
        let change = |patch| store.update_conversation(other, &patch).unwrap();
        let trashed = |at| change(ConversationPatch { deleted_at: Some(at), ..Default::default() });
        same("at first");
        trashed(Some(Timestamp::UNIX_EPOCH));
        same("in the trash");
        trashed(None);
        same("restored");
        told(&store, project_id, 3, |_| "granite on gneiss");
        same("after more was said");
        told(&store, project_id, 3, |_| "");
        same("after nothing was said");
        trashed(Some(Timestamp::UNIX_EPOCH));
        store.purge_conversation(other).unwrap();
        same("deleted");
        store.purge_rest(&mut |_| true).unwrap();
        same("and written over");
        store.make_index(true, &mut |_| true).unwrap();
        same("made again");

        let scope = scopes[0];
        let lately = Lately::new(OF_MESSAGES);
        let taken = |asked: &str| {
            steps(&store, |db| candidates(db, &lately, &question(asked), &[], scope, 1).map(|_| ()))
        };
        let (first, again) = (taken(ASKED), taken(ASKED));
        assert!(again * 3 < first, "{again} after {first}");
        let longer = taken(&format!("{ASKED} marble"));
        assert!(longer * 2 < first, "{longer} after {first}");
    }

    #[test]
    fn what_holds_from_then_on_is_found_by_its_conversation_and_in_an_index_that_is_made_again() {
        let (_dir, store) = store();
        let says = |place: u64| match place {
            3 | 700 => "From now on, answer in Korean.",
            _ => "Is granite older than basalt?",
        };
        let of = told(&store, None, 1_000, says);
        let other = told(&store, None, 10, says);
        let found = |of| store.standing(of, 8).unwrap();
        let place = |id: &MessageId| store.message(*id).unwrap().message.index;
        assert_eq!(found(of).iter().map(place).collect::<Vec<_>>(), [700, 3]);
        assert_eq!(store.standing(of, 1).unwrap(), found(of)[..1]);
        store.make_index(true, &mut |_| true).unwrap();
        assert_eq!(found(of).len(), 2);
        let gone = ConversationPatch {
            deleted_at: Some(Some(Timestamp::UNIX_EPOCH)),
            ..Default::default()
        };
        store.update_conversation(other, &gone).unwrap();
        assert!(found(other).is_empty());
    }

    #[test]
    fn words_that_are_everywhere_are_found_where_they_stand_together_however_long_ago_that_was() {
        let (_dir, store) = store();
        let says = |place: u64| match (place, place % 5) {
            (33, _) => "granite on basalt",
            (_, 1) => "granite",
            (_, 3) => "basalt",
            _ => "a few words",
        };
        let conversation_id: ConversationId = told(&store, None, 4_000, says);
        let scope = Scope { conversation_id: Some(conversation_id), project_id: None };
        let found = store.database.read(|db| asked(db, scope)).unwrap();
        let together: Vec<u64> = found
            .messages
            .iter()
            .filter(|it| it.named && it.text == "granite on basalt")
            .map(|it| it.index)
            .collect();
        assert_eq!(together, [33]);
        // How many have a word is told by the newest of them.
        let phrases = question(ASKED);
        let of = |word: &str| {
            let place = phrases.iter().position(|it| !it.open && it.tokens == [word]);
            found.having[place.unwrap()]
        };
        assert!((720..=880).contains(&of("granite")), "{}", of("granite"));
        assert_eq!(of("gneiss"), 0);
    }
}
