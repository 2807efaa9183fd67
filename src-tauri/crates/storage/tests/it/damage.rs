//! Damage that lets a database open (safety.md, R12 and G15): pages in the place of others are seen before anything is
//! written; what is met later is kept in mind, leaves the rest usable, and is salvaged.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use rstest::rstest;
use rusqlite::{Connection, OpenFlags};
use siltstone_engine::attachment;
use siltstone_engine::ids::{ConversationId, MessageId, ProjectId};
use siltstone_engine::keys::{Account, KeyShown, Place};
use siltstone_engine::ports::{DataFolder, Records, StoreError, Transcripts};
use siltstone_engine::project::{Project, Trust};
use siltstone_engine::provider::{ProviderKind, ProviderRecord};
use siltstone_engine::salvage::LOST;
use siltstone_engine::settings::Settings;
use siltstone_secrets::Seals;
use siltstone_storage::{DataDir, Store};
use tempfile::TempDir;

use crate::it::support::{at, new_conversation, say};

const PAGE: usize = 4096;

/// Two talks of so many messages, and the first message of each.
fn talked(store: &Store, messages: usize) -> [(ConversationId, MessageId); 2] {
    [0, 1].map(|talk| {
        let id = new_conversation(store);
        let mut said = Vec::new();
        for index in 0..messages {
            let text =
                format!("<{talk}:{index:03}> {}", "the heron stands in the reeds ".repeat(20));
            said.push(say(store, id, said.last().copied(), &text, i64::try_from(index).unwrap()));
        }
        (id, said[0])
    })
}

/// Where a text stands in a file.
fn place(bytes: &[u8], text: &str) -> usize {
    bytes.windows(text.len()).position(|window| window == text.as_bytes()).unwrap()
}

/// Trees of a database: their names, and where their first pages begin.
fn roots(path: &Path) -> Vec<(String, usize)> {
    let db = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let mut found =
        db.prepare("SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0").unwrap();
    let found = found
        .query_map([], |row| Ok((row.get(0)?, row.get::<_, u32>(1)?)))
        .unwrap()
        .map(|row| row.map(|(name, page)| (name, (page as usize - 1) * PAGE)));
    found.collect::<Result<_, _>>().unwrap()
}

/// SQLite's own check has nothing to compare of a page with no row on it.
#[rstest]
#[case::of_a_table_in_an_index("embedders", "queue_conversation")]
#[case::of_an_index_in_a_table("queue_conversation", "embedders")]
fn an_empty_page_of_another_kind_is_refused(#[case] from: &str, #[case] to: &str) {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path(), at(0)).unwrap();
    talked(&store, 3);
    drop(store);
    let path = dir.path().join("siltstone.db");
    let mut bytes = fs::read(&path).unwrap();
    let roots = roots(&path);
    let place = |name: &str| roots.iter().find(|(of, _)| of == name).unwrap().1;
    let (from, to) = (place(from), place(to));
    assert_eq!([&bytes[from + 3..from + 5], &bytes[to + 3..to + 5]], [[0, 0], [0, 0]], "no rows");
    assert_ne!(bytes[from], bytes[to], "pages of two kinds");
    bytes.copy_within(from..from + PAGE, to);
    fs::write(&path, &bytes).unwrap();
    let refused = Store::open(dir.path(), at(1)).err();
    assert!(matches!(refused, Some(StoreError::Damaged { .. })), "{refused:?}");
    assert_eq!(fs::read(&path).unwrap(), bytes, "what is refused is left as it is");
}

/// A page of one index in the place of another one's has the form of one, and was noticed only by who wrote into it.
#[test]
fn an_index_in_the_place_of_another_is_refused_before_anything_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path(), at(0)).unwrap();
    talked(&store, 3);
    drop(store);
    let path = dir.path().join("siltstone.db");
    let whole = fs::read(&path).unwrap();
    let page = |at: usize| whole[at..at + PAGE].to_vec();
    let roots = roots(&path);
    let taken = |name: &str| roots.iter().find(|(of, _)| of == name).unwrap().1;
    // Nothing is in it but while a summary is made.
    let empty = taken("summaries_in_progress");
    let mut tried = 0;
    for (name, from) in &roots {
        // A leaf with something in it.
        if whole[*from] != 10 || whole[from + 3..from + 5] == [0, 0] {
            continue;
        }
        tried += 1;
        let mut bytes = whole.clone();
        bytes[empty..empty + PAGE].copy_from_slice(&page(*from));
        fs::write(&path, &bytes).unwrap();
        let refused = Store::open(dir.path(), at(1)).err();
        assert!(matches!(refused, Some(StoreError::Damaged { .. })), "{name}: {refused:?}");
        assert_eq!(fs::read(&path).unwrap(), bytes, "{name}: what is refused is left as it is");
    }
    assert!(tried > 5, "{tried}");
}

/// A database that is too large to be read at every start, with noise in the page of a first message.
fn large(noise: bool) -> (TempDir, [(ConversationId, MessageId); 2]) {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path(), at(0)).unwrap();
    let talks = talked(&store, 30);
    let mut picture = b"GIF89a\x2c\x01\xfa\0".to_vec();
    picture.resize(17 << 20, 7);
    let part = attachment::part_of("p.gif", &picture).unwrap();
    store.attach(talks[1].0, &part, &picture).unwrap();
    drop(store);
    let path = dir.path().join("siltstone.db");
    let mut bytes = fs::read(&path).unwrap();
    let found = place(&bytes, "<0:000>");
    if noise {
        bytes[found / PAGE * PAGE..][..PAGE].fill(0xa5);
    } else {
        // As one bit of it is another one: it is no JSON any more.
        let parts = bytes[..found].iter().rposition(|byte| *byte == b'[').unwrap();
        bytes[parts] ^= 1;
    }
    fs::write(&path, bytes).unwrap();
    (dir, talks)
}

#[test]
fn what_is_met_in_the_middle_is_kept_in_mind_and_salvaged_and_the_rest_goes_on() {
    for noise in [true, false] {
        let (dir, [(hurt, _), (sound, first)]) = large(noise);
        let folder = DataDir::new(dir.path().to_owned(), Arc::new(Seals));
        let stores = folder.open(at(1)).unwrap();
        let transcripts = stores.transcripts.clone();
        assert_eq!(transcripts.all_messages(sound).unwrap().len(), 30);
        let refused = transcripts.all_messages(hurt);
        assert!(matches!(refused, Err(StoreError::Damaged { .. })), "{refused:?}");
        assert!(folder.damage().is_some());
        // The rest goes on, and stays.
        transcripts
            .append_message(&crate::it::support::message(
                sound,
                Some(first),
                siltstone_engine::message::Role::User,
                "<later>",
                at(50),
            ))
            .unwrap();
        let plan = folder.salvage_plan().unwrap();
        assert_eq!(plan.alone.touched[0].id, hurt);
        assert!(plan.alone.lost_messages > 0 && plan.alone.holds.messages > 30, "{plan:?}");

        drop((stores, transcripts));
        let made = folder.salvage(None, at(2)).unwrap();
        assert_eq!(made.lost_messages, plan.alone.lost_messages);
        let stores = folder.open(at(3)).unwrap();
        assert_eq!(folder.look_whole(), Ok(None), "nothing is wrong with it any more");
        let texts = |id| -> Vec<String> {
            let all = stores.transcripts.all_messages(id).unwrap();
            all.into_iter().map(|message| message.text()).collect()
        };
        let after = texts(hurt);
        assert_eq!(after.len(), 30);
        let lost = after.iter().filter(|text| *text == LOST).count();
        assert_eq!(lost, made.lost_messages as usize);
        assert!(after.iter().all(|text| text == LOST || text.starts_with("<0:")));
        let after = texts(sound);
        assert_eq!(after.len(), 31);
        assert!(after.iter().any(|text| text == "<later>"));
    }
}

#[test]
fn all_of_a_database_is_looked_at_for_who_asks_and_a_backup_takes_the_place_of_a_damaged_one() {
    let (dir, _) = large(false);
    let folder = DataDir::new(dir.path().to_owned(), Arc::new(Seals));
    let stores = folder.open(at(1)).unwrap();
    assert_eq!(folder.damage(), None, "not met so far");
    let found = folder.look_whole().unwrap();
    assert!(found.is_some(), "a row reads wrong");
    assert_eq!(folder.damage(), found);
    drop(stores);

    let (dir, _) = large(true);
    let folder = DataDir::new(dir.path().to_owned(), Arc::new(Seals));
    let stores = folder.open(at(1)).unwrap();
    // A copy of what cannot be read is none; that nobody else knows so far.
    let refused = folder.back_up(at(2));
    assert!(matches!(refused, Err(StoreError::Damaged { .. })), "{refused:?}");
    assert!(folder.damage().is_some());
    drop(stores);

    let good = tempfile::tempdir().unwrap();
    let store = Store::open(good.path(), at(0)).unwrap();
    let [(kept, _), _] = talked(&store, 2);
    let backup = store.backup_now(at(0)).unwrap();
    fs::create_dir_all(dir.path().join("backups")).unwrap();
    let name = backup.file_name().unwrap().to_str().unwrap();
    fs::copy(&backup, dir.path().join("backups").join(name)).unwrap();
    folder.restore_backup(name, at(3)).unwrap();
    let stores = folder.open(at(4)).unwrap();
    assert_eq!(stores.transcripts.all_messages(kept).unwrap().len(), 2);
    let aside = dir.path().join("damaged");
    assert_eq!(fs::read_dir(aside).unwrap().count(), 1, "the damaged one is kept");
}

/// What is set up is read wherever anything is done: one row of it that says nothing would be in the way of all the rest.
#[rstest]
#[case::settings("UPDATE settings SET value = '{'")]
#[case::a_provider("UPDATE providers SET kind = 'none'")]
#[case::a_project("UPDATE projects SET trust = 'none'")]
#[case::a_key("UPDATE keys_shown SET place = 'none'")]
fn what_is_set_up_and_cannot_be_understood_is_found_and_set_aside(#[case] damage: &str) {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path(), at(0)).unwrap();
    let [(kept, _), _] = talked(&store, 2);
    store.put_settings(&Settings::default()).unwrap();
    let (name, base_url) = ("home".to_owned(), "http://127.0.0.1:1/v1".to_owned());
    store.put_provider(&ProviderRecord { name, kind: ProviderKind::Openai, base_url }).unwrap();
    let project = Project {
        id: ProjectId::new(at(0)),
        path: "/home/work".to_owned(),
        name: "work".to_owned(),
        trust: Trust::Trusted,
        opened_at: at(0),
        copy: None,
        this_computer_only: false,
        exclude: Vec::new(),
        identity: None,
    };
    store.put_project(&project).unwrap();
    let shown = KeyShown { place: Place::Keyring, last_four: "1234".to_owned() };
    store.put_key_shown(&Account::from_text("home".to_owned()), &shown).unwrap();
    drop(store);
    let database = Connection::open(dir.path().join("siltstone.db")).unwrap();
    assert_eq!(database.execute(damage, []), Ok(1));
    drop(database);

    let folder = DataDir::new(dir.path().to_owned(), Arc::new(Seals));
    let stores = folder.open(at(1)).unwrap();
    assert_eq!(folder.damage(), None, "not met so far");
    assert!(folder.look_whole().unwrap().is_some());
    drop(stores);
    folder.salvage(None, at(2)).unwrap();

    let stores = folder.open(at(3)).unwrap();
    assert_eq!(folder.look_whole(), Ok(None), "nothing is wrong with it any more");
    assert_eq!(stores.transcripts.all_messages(kept).unwrap().len(), 2);
    let left = [
        stores.records.providers().unwrap().len(),
        stores.records.projects().unwrap().len(),
        stores.records.keys_shown().unwrap().len(),
    ];
    let gone = if damage.contains("settings") { 0 } else { 1 };
    assert_eq!(left.iter().sum::<usize>(), 3 - gone, "{left:?}");
    assert_eq!(stores.records.settings(), Ok(Settings::default()));
}

/// The same of what stands beside conversations: a session that says nothing kept the index from being made anew, and
/// with it what was salvaged from being opened.
#[rstest]
#[case::a_session(
    "sessions (project_id, revision, context, workflow) VALUES (PROJECT, 1, '{}', '{')"
)]
#[case::a_proposal("session_proposals VALUES ('x', PROJECT, TALK, SAID, '{', 0, 1, 'open', 1)")]
#[case::a_beginning("session_told VALUES (TALK, '{')")]
#[case::a_line("memory_lines VALUES ('x', PROJECT, NULL, 'note', 'text', NULL, 1, NULL)")]
#[case::a_file("memory_files VALUES (PROJECT, 'AGENTS.md', NULL, '{')")]
#[case::a_rule("tool_rules VALUES ('x', PROJECT, 'read', '', '{', 'allow', 1)")]
#[case::a_server("mcp_servers VALUES (1, PROJECT, 'home', '{', 1, '', '', '{}')")]
#[case::a_wish("inbox VALUES ('x', PROJECT, TALK, SAID, 'text', 'why', 0, 1, NULL)")]
#[case::a_waiting_message(
    "queue (id, conversation_id, text, attachments) VALUES ('x', TALK, 'text', '[')"
)]
#[case::a_request(
    "egress VALUES (1, 1, NULL, 'home', 'POST', 'http://127.0.0.1', 1, '[', 1, '', NULL, NULL)"
)]
fn what_stands_beside_conversations_and_cannot_be_understood_is_found_and_set_aside(
    #[case] row: &str,
) {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path(), at(0)).unwrap();
    let [(kept, first), _] = talked(&store, 2);
    let project = Project {
        id: ProjectId::new(at(0)),
        path: "/home/work".to_owned(),
        name: "work".to_owned(),
        trust: Trust::Trusted,
        opened_at: at(0),
        copy: None,
        this_computer_only: false,
        exclude: Vec::new(),
        identity: None,
    };
    store.put_project(&project).unwrap();
    drop(store);
    let named = [("PROJECT", project.id.to_string()), ("TALK", kept.to_string())];
    let row = named
        .into_iter()
        .chain([("SAID", first.to_string())])
        .fold(format!("INSERT INTO {row}"), |row, (name, id)| {
            row.replace(name, &format!("'{id}'"))
        });
    let database = Connection::open(dir.path().join("siltstone.db")).unwrap();
    assert_eq!(database.execute(&row, []), Ok(1));
    drop(database);

    let folder = DataDir::new(dir.path().to_owned(), Arc::new(Seals));
    let stores = folder.open(at(1)).unwrap();
    let found = folder.look_whole().unwrap().unwrap();
    let table = row.split_whitespace().nth(2).unwrap();
    assert!(found.contains(&format!("a row of {table} cannot be understood")), "{found}");
    drop(stores);
    folder.salvage(None, at(2)).unwrap();
    let stores = folder.open(at(3)).unwrap();
    assert_eq!(folder.look_whole(), Ok(None), "nothing is wrong with it any more");
    assert_eq!(stores.transcripts.all_messages(kept).unwrap().len(), 2);
    assert_eq!(stores.records.projects(), Ok(vec![project]));
}

/// SQLite believes its own list of tables, whatever a flipped bit makes of it.
#[test]
fn a_column_with_another_name_is_damage() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path(), at(0)).unwrap();
    let [(kept, _), _] = talked(&store, 2);
    let database = Connection::open(dir.path().join("siltstone.db")).unwrap();
    database
        .execute_batch("ALTER TABLE messages RENAME COLUMN tokens_cl100k TO tokens_cl100j")
        .unwrap();
    let met = store.page(kept, None, 10);
    assert!(matches!(&met, Err(StoreError::Damaged { .. })), "{met:?}");
    drop((store, database));
    let refused = Store::open(dir.path(), at(1)).err();
    let Some(StoreError::Damaged { detail, .. }) = refused else { panic!("{refused:?}") };
    assert!(detail.contains("no column tokens_cl100k in messages"), "{detail}");
}
