//! The index over a long mixed history: how long an answer takes by how frequent its words are, and what the index
//! takes of the disk beside the text.

use std::sync::Arc;
use std::time::Duration;

use siltstone_engine::Timestamp;
use siltstone_engine::conversation::Conversation;
use siltstone_engine::ids::{ConversationId, MessageId, ProjectId};
use siltstone_engine::meaning::{Compact, Embedding};
use siltstone_engine::ports::{DataFolder, NewMessage, Stores};
use siltstone_engine::project::{Project, Trust};
use siltstone_engine::recall::Scope;
use siltstone_engine::search::{Filter, FoundKind, SearchScope, question};
use siltstone_secrets::Seals;
use siltstone_storage::DataDir;
use tempfile::TempDir;

use crate::history::message;
use crate::measure::{shown, timed};
use crate::{Outcome, mixed};

/// Runs of each query.
const RUNS: usize = 5;

/// Messages of one conversation.
const CONVERSATION: usize = 400;

/// Stretches of which it is told how near they are.
const NEAR: u32 = 4_096;

/// Candidates that are asked for.
const CANDIDATES: u32 = 200;

/// A row of the table: an act, and how long it took each time.
struct Row {
    name: &'static str,
    samples: Vec<Duration>,
    queries: usize,
}

impl Row {
    fn new(name: &'static str) -> Self {
        Self { name, samples: Vec::new(), queries: 0 }
    }

    fn line(&mut self) -> String {
        self.samples.sort_unstable();
        let at = |share: usize| {
            let place =
                (self.samples.len() * share / 100).min(self.samples.len().saturating_sub(1));
            shown(self.samples.get(place).copied().unwrap_or_default())
        };
        let Self { name, queries, .. } = self;
        format!("| {name} | {queries} | {} | {} | {} |\n", at(50), at(95), at(100))
    }
}

/// The tables for a history of so many messages.
pub fn tables(messages: usize) -> Outcome<String> {
    let dir = TempDir::new()?;
    let now = Timestamp::now();
    let stores = DataDir::new(dir.path().to_path_buf(), Arc::new(Seals)).open(now)?;
    let project = Project {
        id: ProjectId::new(now),
        path: "/bench".into(),
        name: "bench".into(),
        trust: Trust::Trusted,
        this_computer_only: false,
        exclude: Vec::new(),
        identity: None,
        opened_at: now,
        copy: None,
    };
    stores.records.put_project(&project)?;
    let texts: Vec<String> = (0..messages).map(mixed::text).collect();
    let mut conversations = Vec::new();
    for (number, part) in texts.chunks(CONVERSATION).enumerate() {
        conversations.push(conversation(&stores, project.id, part, number * CONVERSATION)?);
    }
    let mut text = format!(
        "### {messages} messages of Korean, English and code in {} conversations\n\n\
         | | queries | median | p95 | longest |\n|---|---|---|---|---|\n",
        conversations.len()
    );
    let mut rows = [
        Row::new("words in at most 5 % of the messages"),
        Row::new("words in 5 to 15 %"),
        Row::new("words in more, capped"),
        Row::new("the same words everywhere, by kind"),
        Row::new("a whole question, 200 candidates with their neighbours"),
        Row::new("the nearest of all in meaning, a vector of 384 figures each"),
    ];
    let lowered: Vec<String> = texts.iter().map(|text| text.to_lowercase()).collect();
    for query in mixed::queries() {
        let row = match share(&lowered, &query) {
            ..=5 => 0,
            6..=15 => 1,
            _ => 2,
        };
        rows[row].queries += 1;
        rows[3].queries += 1;
        for _ in 0..RUNS {
            let act = || stores.transcripts.search(&query, &SearchScope::default(), 20);
            let (time, found) = timed(act);
            found?;
            rows[row].samples.push(time);
        }
        let filter = Filter { kinds: vec![FoundKind::Message], ..Filter::default() };
        let (time, found) = timed(|| stores.finder.find_everywhere(&query, &filter, 20));
        found?;
        rows[3].samples.push(time);
    }
    let scope = Scope { conversation_id: Some(conversations[0]), project_id: Some(project.id) };
    for asked in mixed::questions() {
        rows[4].queries += 1;
        let phrases = question(&asked);
        for _ in 0..RUNS {
            let act = || stores.finder.candidates(&phrases, &[], scope, CANDIDATES);
            let (time, found) = timed(act);
            found?;
            rows[4].samples.push(time);
        }
    }
    let mut dice = Dice(7);
    for lot in messages_of(&stores, &conversations)?.chunks(1_000) {
        let read = lot.iter().map(|id| Embedding { id: *id, vectors: vec![dice.vector()] });
        stores.vectors.keep("bench", &read.collect::<Vec<_>>(), 0)?;
    }
    for _ in 0..RUNS * RUNS {
        rows[5].queries += 1;
        let question = dice.vector().ok_or("no direction")?;
        let (time, found) = timed(|| stores.vectors.near("bench", &question, scope, NEAR));
        found?;
        rows[5].samples.push(time);
    }
    rows.iter_mut().for_each(|row| text.push_str(&row.line()));
    text.push_str(&sizes(&dir, &texts)?);
    Ok(text)
}

/// Figures that are the same in every run.
struct Dice(u64);

impl Dice {
    fn vector(&mut self) -> Option<Compact> {
        let mut figure = || {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (self.0 >> 40) as f32 / (1 << 24) as f32 - 0.5
        };
        Compact::of(&std::array::from_fn::<f32, 384, _>(|_| figure()))
    }
}

fn messages_of(stores: &Stores, conversations: &[ConversationId]) -> Outcome<Vec<MessageId>> {
    let mut found = Vec::new();
    for id in conversations {
        let places: Vec<u64> = (0..CONVERSATION as u64).collect();
        found.extend(stores.transcripts.ids_at(*id, &places)?.into_iter().flatten());
    }
    Ok(found)
}

fn conversation(
    stores: &Stores,
    project: ProjectId,
    texts: &[String],
    first: usize,
) -> Outcome<ConversationId> {
    let conversation = Conversation::empty(Some(project), Timestamp::now());
    stores.transcripts.create_conversation(&conversation)?;
    let mut parent = None;
    let all: Vec<NewMessage> = texts
        .iter()
        .enumerate()
        .map(|(index, text)| {
            let made = message(conversation.id, parent, first + index, text);
            parent = Some(made.message.id);
            made
        })
        .collect();
    stores.transcripts.append_messages(&all)?;
    Ok(conversation.id)
}

/// How many of a hundred messages have all words of a query.
fn share(lowered: &[String], query: &str) -> usize {
    let words: Vec<&str> = query.split(['"', ' ']).filter(|word| !word.is_empty()).collect();
    let has = |text: &&String| words.iter().all(|word| text.contains(word.trim_end_matches('는')));
    (lowered.iter().filter(has).count() * 100).div_ceil(lowered.len())
}

fn sizes(dir: &TempDir, texts: &[String]) -> Outcome<String> {
    let db = rusqlite::Connection::open(dir.path().join("siltstone.db"))?;
    // The pages of the index, and what its tables hold of them.
    let index: i64 = db.query_row(
        "SELECT (SELECT sum(length(block)) FROM message_index_data) \
         + (SELECT sum(length(term) + 12) FROM message_index_idx) \
         + (SELECT sum(length(sz) + 9) FROM message_index_docsize)",
        [],
        |row| row.get(0),
    )?;
    let text: usize = texts.iter().map(String::len).sum();
    Ok(format!(
        "\nText {:.1} MB, its index {:.1} MB: {:.2} of the text.\n\n",
        text as f64 / 1e6,
        index as f64 / 1e6,
        index as f64 / text as f64
    ))
}
