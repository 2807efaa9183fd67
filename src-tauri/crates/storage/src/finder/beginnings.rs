//! The words of an index that begin alike. FTS5 answers `refr*` by reading all rows of all words that begin so
//! before it names the newest, which takes longer the more was ever said. The words themselves are soon found, and any of
//! them is asked for from the newest row on.

use std::hash::Hash;

use rusqlite::Connection;
use siltstone_engine::search::Phrase;

use super::asking;
use super::lately::Here;
use crate::fault::Fault;

/// Words that are asked for one by one. More begin with one or two letters or with a figure, as a rule, and have most rows
/// between them: such a beginning tells nothing, and only the word itself is asked for.
const MOST: usize = 256;

/// Rows of a word that are passed over to come to the next one, which most words have fewer of. After so many it is looked
/// for, which goes through all pieces of the index.
const ROWS: usize = 32;

/// The words of an index.
pub(crate) struct Words<'a> {
    db: &'a Connection,
    index: &'static str,
}

impl<'a> Words<'a> {
    /// Those of an index, as FTS5 tells them: a table of its own kind in the memory of each connection that asks, made once.
    pub(crate) fn of(db: &'a Connection, index: &'static str) -> Result<Self, Fault> {
        db.prepare_cached(&format!(
            "CREATE VIRTUAL TABLE IF NOT EXISTS temp.{index}_words \
             USING fts5vocab(main, {index}, instance)"
        ))?
        .execute([])?;
        Ok(Self { db, index })
    }

    /// What has a phrase, as an expression; which words begin alike is remembered.
    pub(crate) fn having_all<S: Clone + Eq + Hash>(
        &self,
        lately: &Here<'_, S>,
        phrase: &Phrase,
    ) -> Result<String, Fault> {
        match phrase.tokens.as_slice() {
            [beginning] if phrase.open => {
                lately.words(beginning, || self.beginning_with(beginning))
            }
            _ => Ok(asking::all(phrase)),
        }
    }

    /// What has any word that begins so, as an expression.
    fn beginning_with(&self, beginning: &str) -> Result<String, Fault> {
        Ok(match self.all(beginning)? {
            Some(words) if !words.is_empty() => format!("(\"{}\")", words.join("\" OR \"")),
            _ => asking::all(&Phrase { tokens: vec![beginning.to_owned()], open: false }),
        })
    }

    /// The words, in order; `None` of too many.
    fn all(&self, beginning: &str) -> Result<Option<Vec<String>>, Fault> {
        let mut rows_from = self
            .db
            .prepare_cached(&format!("SELECT term FROM {}_words WHERE term >= ?1", self.index))?;
        let mut words: Vec<String> = Vec::new();
        let mut from = beginning.to_owned();
        loop {
            let mut rows = rows_from.query([&from])?;
            let mut of_last = 0;
            while of_last < ROWS {
                let Some(row) = rows.next()? else { return Ok(Some(words)) };
                let word: String = row.get(0)?;
                if words.last() == Some(&word) {
                    of_last += 1;
                    continue;
                }
                if !word.starts_with(beginning) {
                    return Ok(Some(words));
                }
                if words.len() == MOST {
                    return Ok(None);
                }
                words.push(word);
                of_last = 0;
            }
            // Words have letters, digits and underscores, all of which come later.
            from = words.last().map(|last| format!("{last}\u{1}")).unwrap_or_default();
        }
    }
}

#[cfg(test)]
mod tests {
    use siltstone_engine::Timestamp;

    use super::*;
    use crate::Store;
    use crate::messages::tests::told;

    #[test]
    fn words_that_begin_alike_have_the_rows_that_fts5_finds_for_their_beginning() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path(), Timestamp::UNIX_EPOCH).unwrap();
        told(&store, None, 300, |place| match place % 5 {
            0 => "a refresh of it",
            1 => "refreshed, refreshing",
            2 => "refr",
            3 => "the refs",
            _ => "새로고침 refrain",
        });
        told(&store, None, 300, |place| {
            let letter = |at: u64| char::from(b'a' + (at % 26) as u8);
            format!("con{}{}", letter(place / 26), letter(place)).leak()
        });
        let asked = |beginning: &str| {
            let words = |db: &Connection| Words::of(db, "message_index")?.beginning_with(beginning);
            let own = store.database.read(|db| words(db)).unwrap();
            let rows = |expression: &str| {
                store
                    .database
                    .read(|db| asking::messages(db, expression, &asking::Within::default(), 150))
                    .unwrap()
            };
            if own.starts_with('(') {
                assert_eq!(rows(&own), rows(&format!("\"{beginning}\" *")), "{own}");
            }
            (rows(&own).len(), own)
        };
        let (found, words) = asked("refr");
        assert_eq!(found, 150);
        assert_eq!(words, r#"("refr" OR "refrain" OR "refresh" OR "refreshed" OR "refreshing")"#);
        assert_eq!(asked("refreshe"), (60, r#"("refreshed")"#.into()));
        assert_eq!(asked("con"), (0, r#""con""#.into()), "too many to tell anything");
        assert_eq!(asked("cona").1.matches(" OR ").count(), 25);
        assert_eq!(asked("zz"), (0, r#""zz""#.into()));
    }
}
