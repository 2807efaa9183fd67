//! What composing counts and what it reads: exact tokens where the model's encoding is public, and no more rows than
//! the window holds.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use siltstone_app::{App, Options, SystemClock, World};
use siltstone_contract::{PreviewRequest, RequestView, SaveDraft, Topic};
use siltstone_engine::Timestamp;
use siltstone_engine::attachment::Blob;
use siltstone_engine::backup::{Backup, BackupPlan};
use siltstone_engine::checkpoint::Space;
use siltstone_engine::conversation::{
    Conversation, ConversationFilter, ConversationPatch, PathMessage, PathPage, QueuedMessage,
};
use siltstone_engine::ids::{BranchId, ConversationId, MessageId, SummaryId, TurnId};
use siltstone_engine::message::{Message, MessageStatus, Part, Role};
use siltstone_engine::ports::{
    DataFolder, NewMessage, Standing, StoreError, Stores, Summaries, Transcripts, TurnClosing,
    TurnOpening,
};
use siltstone_engine::recall::{Candidates, Finder, Scope};
use siltstone_engine::salvage::{Salvage, SalvagePlan};
use siltstone_engine::search::{Filter, FoundEverywhere, Phrase, SearchHits, SearchScope};
use siltstone_engine::section::{Manifest, SectionKind};
use siltstone_engine::summary::{Policy, Record};
use siltstone_engine::tokens::{Calibration, Counter, Encoding, MESSAGE_OVERHEAD};
use siltstone_engine::turn::{Spent, Turn, Usage};
use siltstone_engine::vault::SaidAt;
use siltstone_engine::wish::Wishes;
use siltstone_secrets::Seals;
use siltstone_storage::DataDir;
use siltstone_test_servers::until::PATIENCE;
use siltstone_tools::Shell;
use siltstone_vault::Agents;
use siltstone_workspace::{Folders, Snapshots};
use tempfile::TempDir;

use crate::kept::Kept;
use crate::scripted::{Scripted, Step};
use crate::summaries::journey_with;
use crate::world::{Journey, app_on};

/// Reads the preview again whenever that is told, until all of it is exact.
async fn exact(journey: &Journey, id: ConversationId) -> RequestView {
    let mut changes = journey.app.subscribe();
    let read = async {
        loop {
            let view = journey.preview(id, "And now?").await;
            if view.sections.iter().all(|section| section.exact) {
                return view;
            }
            while !changes.recv().await.unwrap().topics.contains(&Topic::Context) {}
        }
    };
    tokio::time::timeout(PATIENCE, read).await.expect("nobody tells of the counts")
}

#[tokio::test]
async fn tokens_are_counted_in_the_background_once_and_kept() {
    let reply = |request: &_| {
        let _: &siltstone_engine::provider::ModelRequest = request;
        // A provider that counts thrice as much: what is exact is not corrected by it.
        let usage = Usage { input_tokens: 9_000, exact: true, ..Usage::default() };
        vec![Step::Say("포트는 5433번이에요."), Step::Count(usage), Step::Finish]
    };
    let model = Scripted::answering(reply);
    let journey = journey_with(&model, |settings| settings.default_model = "gpt-4o".into()).await;
    let id = journey.conversation(None).await;

    let first = journey.preview(id, "Which port?").await;
    assert!(first.sections.iter().all(|section| !section.exact), "nothing waits for a vocabulary");
    journey.ask(id, "Which port?").await;
    let later = exact(&journey, id).await;
    for section in &later.sections {
        let count = Counter::Exact(Encoding::O200k).count(&section.text);
        let expected = (count.tokens + MESSAGE_OVERHEAD, true);
        assert_eq!((section.tokens, section.exact), expected, "{}", section.source);
    }
    assert_eq!(later.sections.iter().map(|section| section.tokens).sum::<u64>(), later.tokens);

    // Another process finds the counts in the rows.
    let other = app_on(journey.data.path(), Arc::new(model.clone()));
    let draft = PreviewRequest {
        conversation_id: id,
        draft: "And now?".into(),
        context: None,
        model: None,
    };
    let found = other.request_preview(draft).await.unwrap();
    let turns = |view: &RequestView| -> Vec<(u64, bool)> {
        let sections = view.sections.iter().filter(|it| it.kind == SectionKind::Turn);
        sections.map(|section| (section.tokens, section.exact)).collect()
    };
    assert_eq!(turns(&found).len(), 2);
    assert_eq!(turns(&found), turns(&later));
}

#[tokio::test]
async fn composing_reads_the_rows_of_the_window_and_no_more_however_long_the_history_is() {
    let mut read = Vec::new();
    for length in [4_000, 20_000] {
        let dir = TempDir::new().unwrap();
        let rows = Arc::new(AtomicUsize::new(0));
        let folder = DataDir::new(dir.path().into(), Arc::new(Seals));
        let searches = Arc::new(AtomicUsize::new(0));
        let data = Arc::new(Counted {
            rows: rows.clone(),
            searches: searches.clone(),
            ..Counted::over(folder)
        });
        let id = history(&data.dir.open(Timestamp::UNIX_EPOCH).unwrap(), length);
        let folders = Arc::new(Folders::of(None, Some(dir.path().join("config"))));
        let world = World {
            data,
            files: folders.clone(),
            memory: folders.clone(),
            skills: folders.clone(),
            sessions: folders.clone(),
            snapshots: Arc::new(Snapshots::new(dir.path().join("checkpoints/stamps"))),
            providers: Arc::new(Scripted::default()),
            embedders: Arc::new(siltstone_providers::Embeddings::new(dir.path().join("models"))),
            secrets: Arc::new(Kept::default()),
            sealer: Arc::new(Seals),
            remotes: crate::world::buckets(),
            foreign: folders.clone(),
            clients: folders.clone(),
            file_tools: folders,
            commands: Arc::new(Shell),
            mcp: crate::world::servers(),
            copies: Arc::new(siltstone_tools::Beside),
            workers: Arc::new(siltstone_tools::Programs::new()),
            agents: Arc::new(Agents::below(dir.path())),
            updates: crate::world::updates(dir.path()),
            clock: Arc::new(SystemClock),
        };
        let options = Options {
            data_dir: dir.path().into(),
            system_language: "en".into(),
            start_path: None,
            working_directory: None,
            version: "test".into(),
        };
        let app = App::start(world, options);
        // A path that was never read is read beside the first request, whose rows are not told apart from those.
        let mut changes = app.subscribe();
        let draft = PreviewRequest {
            conversation_id: id,
            draft: "And now?".into(),
            context: None,
            model: None,
        };
        app.request_preview(draft.clone()).await.unwrap();
        let said = Topic::Conversation { id };
        while !changes.recv().await.unwrap().topics.contains(&said) {}
        let read_once = length..length + length / 2;
        assert!(read_once.contains(&rows.swap(0, Ordering::Relaxed)));
        // Whatever is written, the path is read anew.
        let written = async || {
            let text = String::from("And");
            app.conversation_draft(SaveDraft { id, text }).await.unwrap();
        };
        written().await;
        let view = app.request_preview(draft.clone()).await.unwrap();
        let sent = view.sections.iter().filter(|it| it.kind == SectionKind::Turn).count();
        assert!(sent > 10, "{sent}");
        // Beyond what is sent, 16,384 tokens are read for their key sentences; rows come in batches, those that stay
        // whole in one of their own.
        let most = sent + 16_384 / 200 + 2 * 64;
        assert!((sent..=most).contains(&rows.load(Ordering::Relaxed)), "{rows:?} for {sent}");
        read.push(rows.load(Ordering::Relaxed));
        assert_eq!(app.request_preview(draft).await.unwrap().sections.len(), view.sections.len());
        assert_eq!(rows.load(Ordering::Relaxed), read[read.len() - 1], "nothing was written");

        // The index is asked once for a text, whoever looks and how often; what it says is as long as it always is.
        let ask = async |draft: &str| {
            written().await;
            let before = rows.load(Ordering::Relaxed);
            let draft = PreviewRequest {
                conversation_id: id,
                draft: draft.into(),
                context: None,
                model: None,
            };
            app.request_preview(draft).await.unwrap();
            rows.load(Ordering::Relaxed) - before
        };
        let asked = searches.load(Ordering::Relaxed);
        ask("And you?").await;
        assert_eq!(searches.load(Ordering::Relaxed), asked, "a text that tells nothing");
        let often = ask("Which words were few?").await;
        // What is chosen beside passages is read once more.
        assert!(often <= 2 * (most + 24), "{often}: the hits that are read are few");
        ask("Which words were few?").await;
        assert_eq!(searches.load(Ordering::Relaxed), asked + 1);
        ask("Which words were many?").await;
        assert_eq!(searches.load(Ordering::Relaxed), asked + 2);
    }
    assert_eq!(read[0], read[1]);
}

/// A conversation of so many messages of 200 tokens.
pub fn history(stores: &Stores, length: usize) -> ConversationId {
    let now = Timestamp::UNIX_EPOCH;
    let conversation = Conversation::empty(None, now);
    stores.transcripts.create_conversation(&conversation).unwrap();
    let mut parent_id = None;
    let all = (0..length).map(|index| {
        let message = Message {
            id: MessageId::new(now),
            conversation_id: conversation.id,
            parent_id,
            turn_id: None,
            index: 0,
            role: if index.is_multiple_of(2) { Role::User } else { Role::Assistant },
            parts: vec![Part::Text { text: "a few words".into() }],
            status: MessageStatus::Complete,
            model: None,
            tokens: 200,
            created_at: now,
        };
        parent_id = Some(message.id);
        NewMessage { message, branch_if_needed: BranchId::new(now) }
    });
    stores.transcripts.append_messages(&all.collect::<Vec<_>>()).unwrap();
    conversation.id
}

/// Passes calls on as they are.
macro_rules! pass {
    ($($name:ident($($argument:ident: $of:ty),*) -> $out:ty;)*) => {
        $(fn $name(&self, $($argument: $of),*) -> Result<$out, StoreError> {
            self.of.$name($($argument),*)
        })*
    };
}

/// A data folder that counts the messages that are read from it.
pub struct Counted {
    pub dir: DataDir,
    pub rows: Arc<AtomicUsize>,
    /// Searches for what to recall.
    pub searches: Arc<AtomicUsize>,
    /// Summaries that are read.
    pub folds: Arc<AtomicUsize>,
}

impl Counted {
    pub fn over(dir: DataDir) -> Self {
        let [rows, searches, folds] = std::array::from_fn(|_| Arc::default());
        Self { dir, rows, searches, folds }
    }
}

struct Folding {
    of: Arc<dyn Summaries>,
    folds: Arc<AtomicUsize>,
}

impl Folding {
    fn count(&self, folds: usize) {
        self.folds.fetch_add(folds, Ordering::Relaxed);
    }
}

impl Summaries for Folding {
    fn summaries(&self, id: ConversationId) -> Result<Vec<Record>, StoreError> {
        self.of.summaries(id).inspect(|found| self.count(found.len()))
    }
    fn standing(&self, id: ConversationId) -> Result<Standing, StoreError> {
        self.of.standing(id).inspect(|found| self.count(found.records.len()))
    }
    fn summary(&self, id: SummaryId) -> Result<Record, StoreError> {
        self.of.summary(id).inspect(|_| self.count(1))
    }
    pass! {
        next_version(id: ConversationId, policy: Policy, level: u32, start: u64) -> u32;
        begin_summary(record: &Record, provider: Option<&str>) -> ();
        finish_summary(record: &Record) -> ();
        put_summary(record: &Record) -> ();
        put_candidate(record: &Record, provider: Option<&str>) -> ();
        spent_on_summaries(id: ConversationId) -> u64;
        discard_summary(id: SummaryId) -> ();
        recover_summaries(now: Timestamp) -> Vec<ConversationId>;
        calibration(provider: &str, model: &str) -> Calibration;
        put_calibration(provider: &str, model: &str, known: &Calibration) -> ();
    }
}

struct Searching {
    of: Arc<dyn Finder>,
    searches: Arc<AtomicUsize>,
}

impl Finder for Searching {
    fn candidates(
        &self,
        asked: &[Phrase],
        named: &[i64],
        scope: Scope,
        limit: u32,
    ) -> Result<Candidates, StoreError> {
        self.searches.fetch_add(1, Ordering::Relaxed);
        self.of.candidates(asked, named, scope, limit)
    }
    fn standing(&self, of: ConversationId, limit: u32) -> Result<Vec<MessageId>, StoreError> {
        self.of.standing(of, limit)
    }
    fn find_everywhere(
        &self,
        typed: &str,
        filter: &Filter,
        limit: u32,
    ) -> Result<FoundEverywhere, StoreError> {
        self.of.find_everywhere(typed, filter, limit)
    }
    fn make_index(&self, anew: bool, go_on: &mut dyn FnMut(u64) -> bool) -> Result<(), StoreError> {
        self.of.make_index(anew, go_on)
    }
}

impl DataFolder for Counted {
    fn open(&self, now: Timestamp) -> Result<Stores, StoreError> {
        let stores = self.dir.open(now)?;
        let transcripts = Reading { of: stores.transcripts.clone(), rows: self.rows.clone() };
        let summaries = Folding { of: stores.summaries.clone(), folds: self.folds.clone() };
        let finder = Searching { of: stores.finder.clone(), searches: self.searches.clone() };
        Ok(Stores {
            transcripts: Arc::new(transcripts),
            finder: Arc::new(finder),
            summaries: Arc::new(summaries),
            ..stores
        })
    }
    fn backups(&self) -> Result<Vec<Backup>, StoreError> {
        self.dir.backups()
    }
    fn back_up(&self, now: Timestamp) -> Result<Backup, StoreError> {
        self.dir.back_up(now)
    }
    fn back_up_if_due(&self, now: Timestamp) -> Result<Option<Backup>, StoreError> {
        self.dir.back_up_if_due(now)
    }
    fn delete_backup(&self, name: &str) -> Result<(), StoreError> {
        self.dir.delete_backup(name)
    }
    fn backup_plan(&self, name: &str) -> Result<BackupPlan, StoreError> {
        self.dir.backup_plan(name)
    }
    fn restore_backup(&self, name: &str, now: Timestamp) -> Result<(), StoreError> {
        self.dir.restore_backup(name, now)
    }
    fn damage(&self) -> Option<String> {
        self.dir.damage()
    }
    fn look_whole(&self) -> Result<Option<String>, StoreError> {
        self.dir.look_whole()
    }
    fn salvage_plan(&self) -> Result<SalvagePlan, StoreError> {
        self.dir.salvage_plan()
    }
    fn salvage(&self, backup: Option<&str>, now: Timestamp) -> Result<Salvage, StoreError> {
        self.dir.salvage(backup, now)
    }
    fn put_files(&self, folder: &str, files: &[(&str, &[u8])]) -> Result<String, StoreError> {
        self.dir.put_files(folder, files)
    }
    fn start_anew(&self, now: Timestamp) -> Result<(), StoreError> {
        self.dir.start_anew(now)
    }
    fn space(&self) -> Result<Space, StoreError> {
        self.dir.space()
    }
}

struct Reading {
    of: Arc<dyn Transcripts>,
    rows: Arc<AtomicUsize>,
}

impl Reading {
    fn count(&self, rows: usize) {
        self.rows.fetch_add(rows, Ordering::Relaxed);
    }
}

impl Transcripts for Reading {
    fn page(
        &self,
        id: ConversationId,
        start: Option<u64>,
        limit: u64,
    ) -> Result<PathPage, StoreError> {
        self.of.page(id, start, limit).inspect(|page| self.count(page.messages.len()))
    }

    fn counted(
        &self,
        id: ConversationId,
        places: Range<u64>,
        encoding: Option<Encoding>,
    ) -> Result<Vec<(Message, Option<u64>)>, StoreError> {
        self.of.counted(id, places, encoding).inspect(|found| self.count(found.len()))
    }

    fn message(&self, id: MessageId) -> Result<PathMessage, StoreError> {
        self.of.message(id).inspect(|_| self.count(1))
    }

    fn whole_reply(&self, reply: MessageId) -> Result<Vec<PathMessage>, StoreError> {
        self.of.whole_reply(reply).inspect(|found| self.count(found.len()))
    }

    fn all_messages(&self, id: ConversationId) -> Result<Vec<Message>, StoreError> {
        self.of.all_messages(id).inspect(|found| self.count(found.len()))
    }

    pass! {
        state() -> Option<i64>;
        create_conversation(conversation: &Conversation) -> ();
        conversation(id: ConversationId) -> Conversation;
        conversations(filter: &ConversationFilter) -> Vec<Conversation>;
        update_conversation(id: ConversationId, patch: &ConversationPatch) -> ();
        change_wishes(id: ConversationId, change: &mut dyn FnMut(&mut Wishes)) -> ();
        forget_sessions(gone: &dyn Fn(&SaidAt) -> bool) -> ();
        purge_conversation(id: ConversationId) -> ();
        begin_purge(id: ConversationId) -> ();
        purge_rest(go_on: &mut dyn FnMut(u64) -> bool) -> ();
        attach(id: ConversationId, part: &Part, bytes: &[u8]) -> ();
        detach(id: ConversationId, hash: &str) -> ();
        keep_blob(id: ConversationId, part: &Part, bytes: &[u8]) -> ();
        blob(hash: &str) -> Blob;
        blob_size(hash: &str) -> u64;
        ids_at(id: ConversationId, places: &[u64]) -> Vec<Option<MessageId>>;
        put_counts(encoding: Encoding, counts: &[(MessageId, u64)]) -> ();
        append_message(message: &NewMessage) -> ();
        append_messages(messages: &[NewMessage]) -> ();
        activate(id: MessageId) -> ();
        rewind(id: ConversationId, to: Option<MessageId>, branch_if_needed: BranchId) -> ();
        open_turn(opening: &TurnOpening) -> ();
        record_turn(turn: &Turn, manifest: &Manifest) -> ();
        append_partial(turn: TurnId, text: &str) -> ();
        set_manifest(turn: TurnId, manifest: &Manifest) -> ();
        finish_step(turn: TurnId, parts: &[Part], tokens: u64) -> ();
        append_result(turn: TurnId, result: &NewMessage) -> ();
        begin_step(turn: TurnId, reply: &NewMessage) -> ();
        close_turn(closing: &TurnClosing) -> ();
        turn(id: TurnId) -> Turn;
        manifest(id: TurnId) -> Option<Manifest>;
        turns_of_replies(replies: &[MessageId]) -> Vec<Turn>;
        ask_to_stop(id: TurnId) -> ();
        is_asked_to_stop(id: TurnId) -> bool;
        open_turn_of(id: ConversationId) -> Option<Turn>;
        spent_in(id: ConversationId) -> Spent;
        recover_turns(now: Timestamp) -> Vec<TurnId>;
        enqueue(id: ConversationId, message: &QueuedMessage) -> ();
        queued(id: ConversationId) -> Vec<QueuedMessage>;
        dequeue(message: MessageId) -> bool;
        search(query: &str, scope: &SearchScope, limit: u32) -> SearchHits;
    }
}
