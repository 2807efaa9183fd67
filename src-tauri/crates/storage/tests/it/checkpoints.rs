//! Checkpoints on disk: objects in packs, rows, and what happens when something dies, is damaged or is not needed.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use siltstone_engine::Timestamp;
use siltstone_engine::checkpoint::{
    Checkpoint, CheckpointReason, Checkpoints, ContextState, ConversationState, FORMAT, FilesState,
    Leaf, Metadata, Node, ObjectId, Objects, Tree,
};
use siltstone_engine::ids::{CheckpointId, ConversationId, ProjectId};
use siltstone_engine::ports::StoreError;
use siltstone_engine::turn::Usage;
use siltstone_secrets::Seals;
use siltstone_storage::CheckpointStore;
use tempfile::TempDir;

pub fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

/// A checkpoint of files with these contents, made durable.
pub fn save(
    store: &CheckpointStore,
    project: ProjectId,
    second: i64,
    files: &[(&str, Vec<u8>)],
) -> Checkpoint {
    let objects = store.objects();
    let entries = files.iter().map(|(name, bytes)| {
        let leaf =
            Leaf::File { id: objects.put(bytes).unwrap(), size: bytes.len() as u64, mode: 0o644 };
        (name.as_bytes().to_vec(), Node::Leaf(leaf))
    });
    let (_, tree) = Tree::new(entries.collect()).encode();
    let files = FilesState {
        tree: Some(objects.put(&tree).unwrap()),
        files: files.len() as u64,
        bytes: 0,
        changed: 0,
        not_captured: Vec::new(),
        not_captured_count: 0,
    };
    let checkpoint = Checkpoint {
        id: CheckpointId::new(at(second)),
        tag: None,
        pinned: false,
        created_at: at(second),
        reason: CheckpointReason::Manual,
        parent: None,
        project_id: Some(project),
        conversation: None,
        files: Some(files),
        context: ContextState::default(),
        metadata: Metadata {
            session_id: "s".into(),
            user_id: None,
            project_path: "/home/someone/aurora".into(),
            version: "0.1.0".into(),
            format: FORMAT,
        },
    };
    store.add_checkpoint(&checkpoint).unwrap();
    checkpoint
}

/// Bytes that do not compress.
pub fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[3]
    };
    (0..length).map(next).collect()
}

pub fn packs(dir: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(dir.join("checkpoints/packs"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    found.sort();
    found
}

pub fn listed(
    store: &CheckpointStore,
    project: ProjectId,
    before: Option<Timestamp>,
    limit: u32,
) -> Vec<Checkpoint> {
    store.checkpoints(project, before, limit).unwrap().into_iter().map(|found| found.0).collect()
}

pub fn opened(dir: &Path) -> CheckpointStore {
    CheckpointStore::open(dir, Arc::new(Seals)).unwrap()
}

pub fn open() -> (TempDir, CheckpointStore, ProjectId) {
    let dir = tempfile::tempdir().unwrap();
    let store = opened(dir.path());
    (dir, store, ProjectId::new(at(0)))
}

pub fn is_whole(store: &CheckpointStore) -> bool {
    store.verify(&mut |_| true).unwrap().is_empty()
}

#[test]
fn equal_content_is_stored_once_over_all_projects() {
    let (dir, store, project) = open();
    let text = noise(1, 100_000);
    save(&store, project, 1, &[("a", text.clone()), ("b", text.clone())]);
    let size = || packs(dir.path()).iter().map(|path| path.metadata().unwrap().len()).sum::<u64>();
    let once = size();
    save(&store, ProjectId::new(at(1)), 2, &[("c", text.clone())]);
    assert!(size() - once < 2_000, "a tree and a record");
    let (aged, total) = store.aged(project).unwrap();
    assert!(aged.len() == 1 && (100_000..110_000).contains(&total));
}

#[test]
fn what_was_not_committed_is_as_if_it_had_never_been() {
    let (dir, store, project) = open();
    let kept = save(&store, project, 1, &[("a", noise(1, 5_000))]);
    let lost = store.put(&noise(2, 2_000_000)).unwrap();
    let size = packs(dir.path())[0].metadata().unwrap().len();
    assert!(size > 1_000_000, "it stands in the pack");
    drop(store);

    let store = opened(dir.path());
    assert!(!store.has(lost).unwrap());
    assert_eq!(store.checkpoint(kept.id).unwrap(), kept);
    save(&store, project, 2, &[("b", noise(3, 5_000))]);
    assert!(is_whole(&store));
    assert_eq!(packs(dir.path()).len(), 1, "the tail is written over");
    assert!(packs(dir.path())[0].metadata().unwrap().len() < 20_000);
}

#[test]
fn two_processes_do_not_share_a_pack() {
    let (dir, one, project) = open();
    save(&one, project, 1, &[("a", noise(1, 1_000))]);
    let two = opened(dir.path());
    let theirs = save(&two, project, 2, &[("a", noise(2, 1_000))]);
    save(&one, project, 3, &[("a", noise(3, 1_000))]);
    assert_eq!(packs(dir.path()).len(), 2);
    assert_eq!(one.checkpoints(project, None, 10).unwrap().len(), 3);
    assert_eq!(listed(&one, project, Some(at(3)), 1), [theirs]);
    assert!(is_whole(&one) && is_whole(&two));
}

#[test]
fn damage_is_named_with_the_checkpoints_that_need_it_and_is_never_given() {
    let (dir, store, project) = open();
    let (good, bad) = (noise(1, 4_000), noise(2, 4_000));
    save(&store, project, 1, &[("good", good.clone())]);
    let hurt = save(&store, project, 2, &[("good", good.clone()), ("bad", bad.clone())]);
    let path = &packs(dir.path())[0];
    let mut bytes = fs::read(path).unwrap();
    let at = bytes.windows(64).position(|window| window == &bad[..64]).unwrap();
    bytes[at + 40] ^= 1;
    fs::write(path, bytes).unwrap();

    let id = ObjectId::of(&bad);
    assert_eq!(store.verify(&mut |_| true).unwrap(), [(id, vec![hurt.id])]);
    assert!(matches!(store.get(id), Err(StoreError::Damaged { .. })));
    assert_eq!(store.get(ObjectId::of(&good)).unwrap(), good);
    assert_eq!(store.repair().unwrap(), 0, "there is no other copy");
    store.put(&bad).unwrap();
    store.sync().unwrap();
    assert!(is_whole(&store), "the same content came again");
}

#[test]
fn a_lost_database_is_made_again_from_the_packs() {
    let (dir, store, project) = open();
    let made: Vec<Checkpoint> =
        (1..=5).map(|n| save(&store, project, n, &[("a", noise(n as u64, 3_000))])).collect();
    drop(store);
    for name in ["checkpoints.db", "checkpoints.db-wal", "checkpoints.db-shm"] {
        let _ = fs::remove_file(dir.path().join("checkpoints").join(name));
    }
    let store = opened(dir.path());
    let mut found = listed(&store, project, None, 10);
    found.reverse();
    assert_eq!(found, made);
    assert!(is_whole(&store));

    drop(store);
    fs::write(dir.path().join("checkpoints/checkpoints.db"), noise(9, 8_192)).unwrap();
    let store = opened(dir.path());
    assert_eq!(store.checkpoints(project, None, 10).unwrap().len(), 5);
    assert!(dir.path().join("checkpoints/checkpoints.db.damaged").exists());
}

#[test]
fn what_no_checkpoint_names_is_freed_and_the_rest_stays_whole() {
    let (dir, store, project) = open();
    let shared = noise(1, 50_000);
    let files = |n: i64| vec![("shared", shared.clone()), ("own", noise(100 + n as u64, 400_000))];
    let made: Vec<Checkpoint> = (1..=10).map(|n| save(&store, project, n, &files(n))).collect();
    let size = || packs(dir.path()).iter().map(|path| path.metadata().unwrap().len()).sum::<u64>();
    let before = size();
    assert_eq!(store.collect().unwrap(), 0, "everything is named");

    let gone: Vec<CheckpointId> = made[..9].iter().map(|checkpoint| checkpoint.id).collect();
    store.delete_checkpoints(&gone).unwrap();
    let freed = store.collect().unwrap();
    assert!((before - size()).abs_diff(freed) < 100, "but for the beginning of a pack");
    assert!(freed > 3_500_000, "{freed}");
    assert!(is_whole(&store));
    assert_eq!(store.get(ObjectId::of(&shared)).unwrap(), shared);
    assert!(matches!(store.checkpoint(gone[0]), Err(StoreError::NotFound { .. })));

    drop(store);
    fs::remove_file(dir.path().join("checkpoints/checkpoints.db")).unwrap();
    let store = opened(dir.path());
    assert_eq!(listed(&store, project, None, 20), [made[9].clone()], "its record moved too");
}

#[test]
fn nothing_is_freed_while_a_checkpoint_is_being_made() {
    let (dir, store, project) = open();
    let old = save(&store, project, 1, &[("a", noise(1, 9_000))]);
    store.delete_checkpoints(&[old.id]).unwrap();
    let other = opened(dir.path());
    assert!(other.has(ObjectId::of(&noise(1, 9_000))).unwrap(), "found, so it will not be written");
    assert!(matches!(store.collect(), Err(StoreError::Conflict { .. })));
    let again = save(&other, project, 2, &[("a", noise(1, 9_000))]);
    store.collect().unwrap();
    assert!(is_whole(&store));
    assert_eq!(store.checkpoint(again.id).unwrap(), again);
}

#[test]
fn a_tag_is_one_checkpoint_of_a_project() {
    let (_dir, store, project) = open();
    let (one, two) = (save(&store, project, 1, &[]), save(&store, project, 2, &[]));
    store.change_checkpoint(one.id, Some("works"), true).unwrap();
    let again = store.change_checkpoint(two.id, Some("works"), false);
    assert!(matches!(again, Err(StoreError::Conflict { .. })));
    assert_eq!(store.tagged(project, "works").unwrap().unwrap().id, one.id);
    assert!(store.checkpoint(one.id).unwrap().pinned);
    assert_eq!(store.tagged(ProjectId::new(at(7)), "works").unwrap(), None);
}

#[test]
fn what_fills_more_than_one_pack_does_not_write_over_itself() {
    let (dir, store, project) = open();
    save(&store, project, 1, &[("a", noise(1, 1_000))]);
    let large: Vec<Vec<u8>> = (2..6).map(|seed| noise(seed, 20 * 1024 * 1024)).collect();
    let names = ["b", "c", "d", "e"].into_iter();
    save(&store, project, 2, &names.zip(large).collect::<Vec<_>>());
    assert_eq!(packs(dir.path()).len(), 2);
    assert!(is_whole(&store) && is_whole(&opened(dir.path())));
}

#[test]
fn what_died_in_its_first_capture_is_freed_with_the_rest() {
    let (dir, store, project) = open();
    store.put(&noise(1, 3_000_000)).unwrap();
    drop(store);
    let store = opened(dir.path());
    let old = save(&store, project, 1, &[("a", noise(2, 1_000))]);
    save(&store, project, 2, &[("b", noise(3, 1_000))]);
    assert_eq!(packs(dir.path()).len(), 2);
    store.delete_checkpoints(&[old.id]).unwrap();
    assert!(store.collect().unwrap() > 2_900_000);
    assert!(packs(dir.path()).len() == 1 && is_whole(&store));
}

/// A conversation that is deleted for ever leaves no checkpoint with it, and no pack with its lines of memory.
#[test]
fn a_forgotten_conversation_is_in_no_record_and_no_pack() {
    let (dir, store, project) = open();
    let gone = ConversationId::new(at(0));
    let state = |id| ConversationState {
        id,
        message: None,
        messages: 3,
        summaries: Vec::new(),
        token_usage: Usage::default(),
        model: "m".into(),
        provider: "p".into(),
    };
    let file = noise(7, 200_000);
    let plain = save(&store, project, 1, &[("a", file.clone())]);
    let memory = noise(8, 4_000);
    let mark = &memory[2_000..2_064];
    let with = |second, id, lines: &[&str]| {
        let made = save(&store, project, second, &[("a", file.clone())]);
        let context = ContextState {
            memory: Some(store.objects().put(&memory).unwrap()),
            runtime_additions: lines.iter().map(|it| (*it).to_owned()).collect(),
            ..ContextState::default()
        };
        store.delete_checkpoints(&[made.id]).unwrap();
        let made = Checkpoint { conversation: Some(state(id)), context, ..made };
        store.add_checkpoint(&made).unwrap();
        store.change_checkpoint(made.id, Some("named"), true).unwrap();
        made
    };
    let of_it = with(2, gone, &["Always greet the heron", "a line of the project"]);
    let has = |bytes: &[u8]| {
        packs(dir.path())
            .iter()
            .any(|pack| fs::read(pack).unwrap().windows(bytes.len()).any(|window| window == bytes))
    };
    assert!(has(mark));

    store.forget_conversation(gone, &["Always greet the heron".to_owned()]).unwrap();
    let left = store.checkpoint(of_it.id).unwrap();
    assert_eq!((left.conversation, left.context.memory), (None, None));
    assert_eq!(left.context.runtime_additions, ["a line of the project"]);
    assert_eq!((left.tag.as_deref(), left.pinned), (Some("named"), true));
    assert_eq!(store.checkpoint(plain.id).unwrap(), plain);
    assert!(!has(mark) && is_whole(&store));
    drop(store);
    fs::remove_file(dir.path().join("checkpoints/checkpoints.db")).unwrap();
    let again = opened(dir.path());
    assert_eq!(again.checkpoint(of_it.id).unwrap().conversation, None, "nor made again from packs");
}
