//! Copies of checkpoints in a project's own folder: whole after each checkpoint, written again whatever becomes of them, and
//! foreign where this computer did not write them (behaviour.md, Checkpoints). What an earlier version kept there alone
//! comes home.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::slice::from_ref;

use siltstone_engine::checkpoint::{
    Checkpoint, Checkpoints, ConversationState, FoundCheckpoints, Kept, Leaf, Node, ObjectId,
    Parts, PlaceState, Places, SealKey, Sealer, Sealing, StoredPlan, Tree, Written, needed,
};
use siltstone_engine::ids::{CheckpointId, ConversationId, PlanId, ProjectId};
use siltstone_engine::ports::StoreError;
use siltstone_engine::turn::Usage;
use siltstone_secrets::Seals;
use siltstone_storage::CheckpointStore;
use tempfile::TempDir;

use crate::it::checkpoints::{at, is_whole, listed, noise, open, opened, packs, save};

/// A project's folder beside a data folder.
struct World {
    data: TempDir,
    root: TempDir,
    store: CheckpointStore,
    project: ProjectId,
}

impl World {
    fn new() -> Self {
        let (data, store, project) = open();
        Self { data, root: tempfile::tempdir().unwrap(), store, project }
    }

    fn root(&self) -> &str {
        self.root.path().to_str().unwrap()
    }

    /// Where a project keeps its checkpoints; one folder for each data folder.
    fn above(&self) -> PathBuf {
        self.root.path().join(".siltstone/checkpoints")
    }

    fn state(&self) -> PlaceState {
        self.store.place(self.project).unwrap()
    }

    fn folder(&self) -> PathBuf {
        PathBuf::from(self.state().path.unwrap())
    }

    /// The next checkpoint is taken, and the copy is written.
    fn copied(&self) -> PlaceState {
        self.store.copy(self.project).unwrap();
        self.state()
    }

    /// What a stranger finds in the copy, read to the last byte.
    fn in_copy(&self) -> Vec<Checkpoint> {
        let (_data, store, project) = open();
        let found = store.found(project, self.root()).unwrap();
        let own = self.folder().file_name().unwrap().to_owned();
        let Some(own) = found.iter().find(|it| *it.name == own) else { return Vec::new() };
        let opened = store.open_found(project, self.root(), &own.name).unwrap();
        let mut tree = |id| Ok::<_, StoreError>(Tree::decode(id, &opened.object(id)?)?);
        for checkpoint in opened.checkpoints() {
            let mut ids = Vec::new();
            needed(checkpoint, &mut BTreeSet::new(), &mut ids, &mut tree).unwrap();
            assert!(ids.iter().all(|id| opened.object(*id).is_ok()));
        }
        opened.checkpoints().to_vec()
    }

    fn clean(&self) {
        fs::remove_dir_all(self.root.path().join(".siltstone")).unwrap();
    }

    fn bring(&self, to: Kept) {
        bring(&self.store, self.project, self.root(), to);
    }

    fn save(&self, second: i64, files: &[(&str, Vec<u8>)]) -> Checkpoint {
        save(&self.store, self.project, second, files)
    }

    /// As another process sees it.
    fn again(&self) -> CheckpointStore {
        opened(self.data.path())
    }
}

/// Keeps a copy, or none any more; it is told how far it is.
fn bring(store: &CheckpointStore, project: ProjectId, root: &str, to: Kept) {
    let mut last = None;
    let mut told = |done, total| {
        assert!(done <= total);
        last = Some((done, total));
        true
    };
    store.set_place(project, root, to, &mut told).unwrap();
    assert!(
        last.is_none_or(|(done, total)| done == total) && last.is_some() == (to == Kept::Project)
    );
}

fn bytes_in(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    entries.map(|entry| entry.unwrap().metadata().unwrap().len()).sum()
}

/// What a checkpoint holds, by name.
fn held(store: &CheckpointStore, checkpoint: &Checkpoint) -> Vec<(Vec<u8>, Vec<u8>)> {
    let objects = store.objects();
    let root = checkpoint.files.as_ref().unwrap().tree.unwrap();
    let tree = Tree::decode(root, &objects.get(root).unwrap()).unwrap();
    let entries = tree.entries().iter().map(|(name, node)| match node {
        Node::Leaf(Leaf::File { id, .. }) => (name.clone(), objects.get(*id).unwrap()),
        other => panic!("{other:?}"),
    });
    entries.collect()
}

#[test]
fn a_copy_holds_every_checkpoint_and_goes_when_it_is_not_wanted_any_more() {
    let world = World::new();
    let (text, other) = (noise(1, 300_000), noise(2, 200_000));
    let first = world.save(1, &[("a", text.clone()), ("b", other.clone())]);
    let neighbour = ProjectId::new(at(9));
    save(&world.store, neighbour, 2, &[("c", noise(3, 500_000))]);
    let in_packs = || bytes_in(&world.data.path().join("checkpoints/packs"));
    let before = (listed(&world.store, world.project, None, 10), in_packs());
    world.bring(Kept::Project);
    assert_eq!((listed(&world.store, world.project, None, 10), in_packs()), before);
    assert!(world.state().whole && world.in_copy() == from_ref(&first));
    assert!((500_000..600_000).contains(&bytes_in(&world.folder())), "nothing of the neighbour");
    assert_eq!(fs::read_to_string(world.above().join(".gitignore")).unwrap(), "*\n");
    let again =
        world.again().set_place(world.project, world.root(), Kept::Project, &mut |_, _| true);
    assert_eq!(again.unwrap_err(), StoreError::Conflict { what: "it is so already" });

    let second = world.save(3, &[("a", text.clone())]);
    assert!(!world.state().whole, "as long as nobody copied it");
    for store in [&world.store, &world.again()] {
        assert!(store.copy(world.project).unwrap() && world.state().whole);
        assert!(bytes_in(&world.folder()) < 600_000, "what is there is not written again");
    }
    assert_eq!(world.in_copy(), [first.clone(), second.clone()]);

    world.store.delete_checkpoints(&[first.id]).unwrap();
    world.store.collect().unwrap();
    assert_eq!((world.in_copy(), world.state().whole), (vec![second.clone()], true));
    assert!(bytes_in(&world.folder()) < 400_000, "what it alone needed is gone");
    assert_eq!(held(&world.store, &second)[0].1, text);

    world.bring(Kept::Here);
    assert!(!world.root.path().join(".siltstone").exists());
    assert_eq!(world.state(), PlaceState::default());
    assert!(!world.store.copy(world.project).unwrap());
    let left = fs::read_dir(world.data.path().join("checkpoints/places")).unwrap();
    assert!(!left.into_iter().any(|entry| entry.unwrap().path().is_dir()));
    assert!(is_whole(&world.store));
}

#[test]
fn a_first_copy_that_is_stopped_leaves_no_trace_wherever_that_is() {
    let world = World::new();
    for second in 1..4 {
        world.save(second, &[("a", noise(second as u64, 50_000)), ("b", noise(9, 1_000))]);
    }
    for at in 0..10 {
        let mut told = |done, _| done < at;
        let stopped = world.store.set_place(world.project, world.root(), Kept::Project, &mut told);
        assert_eq!(stopped.unwrap_err(), StoreError::Conflict { what: "cancelled" });
        assert!(!world.root.path().join(".siltstone").exists());
        assert_eq!(world.state(), PlaceState::default());
    }
    world.bring(Kept::Project);
    assert_eq!(world.in_copy().len(), 3);
}

/// What a process leaves behind that died while it wrote, at each object: another one takes it away, or writes the rest.
#[test]
fn what_a_process_that_died_left_behind_is_taken_away_or_finished() {
    let world = World::new();
    let made = world.save(1, &[("a", noise(1, 50_000)), ("b", noise(2, 50_000))]);
    let aside = tempfile::tempdir().unwrap();
    let (data, own) = (world.data.path().join("checkpoints"), world.root.path().join(".siltstone"));
    for at in 0..4 {
        let (then, there) =
            (aside.path().join(format!("{at}")), aside.path().join(format!("{at}.own")));
        let mut told = |done, _| {
            if done == at {
                copy(&data, &then);
                copy(&own, &there);
            }
            done < at
        };
        world.store.set_place(world.project, world.root(), Kept::Project, &mut told).unwrap_err();
        copy(&then.join("places"), &data.join("places"));
        copy(&there, &own);
        let store = world.again();
        assert_eq!(store.place(world.project).unwrap(), PlaceState::default(), "it was not said");
        match at % 2 {
            0 => _ = store.collect().unwrap(),
            _ => {
                bring(&store, world.project, world.root(), Kept::Project);
                assert_eq!(world.in_copy(), from_ref(&made));
                bring(&store, world.project, world.root(), Kept::Here);
            }
        }
        assert!(!own.exists());
        assert!(is_whole(&store));
    }
}

#[test]
fn whatever_becomes_of_the_folder_nothing_is_lost_and_the_next_checkpoint_writes_it_again() {
    type Harm = fn(&World);
    let pack =
        |world: &World| fs::read_dir(world.folder()).unwrap().next().unwrap().unwrap().path();
    let harms: [(&str, Harm); 5] = [
        ("cleaned", |world| world.clean()),
        ("emptied", |world| fs::remove_dir_all(world.folder()).unwrap()),
        ("one gone", |world| {
            let pack = fs::read_dir(world.folder()).unwrap().next().unwrap().unwrap().path();
            fs::remove_file(pack).unwrap();
        }),
        ("cut", |world| {
            let pack = fs::read_dir(world.folder()).unwrap().next().unwrap().unwrap().path();
            let bytes = fs::read(&pack).unwrap();
            fs::write(&pack, &bytes[..bytes.len() - 1]).unwrap();
        }),
        ("a link", |world| {
            let pack = fs::read_dir(world.folder()).unwrap().next().unwrap().unwrap().path();
            let aside = world.root.path().join("aside");
            fs::rename(&pack, &aside).unwrap();
            #[cfg(unix)]
            std::os::unix::fs::symlink(&aside, &pack).unwrap();
        }),
    ];
    for (what, harm) in harms {
        let world = World::new();
        let first = world.save(1, &[("a", noise(1, 100_000))]);
        world.bring(Kept::Project);
        harm(&world);
        let state = world.state();
        assert!(!state.whole && state.kept == Kept::Project && state.lost == 0, "{what}");
        for store in [&world.store, &world.again()] {
            assert_eq!(held(store, &first)[0].1, noise(1, 100_000), "{what}");
            assert!(is_whole(store), "{what}");
        }
        let second = world.save(2, &[("b", noise(2, 1_000))]);
        assert!(world.copied().whole, "{what}");
        assert_eq!(world.in_copy(), [first, second], "{what}");
    }
    // A byte that is not what it was is found by who reads everything.
    let world = World::new();
    let first = world.save(1, &[("a", noise(1, 10_000))]);
    world.bring(Kept::Project);
    let pack = pack(&world);
    let mut bytes = fs::read(&pack).unwrap();
    bytes[5_000] ^= 1;
    fs::write(&pack, bytes).unwrap();
    assert!(world.state().whole);
    assert!(is_whole(&world.store) && !world.state().whole);
    assert!(world.copied().whole);
    assert_eq!(world.in_copy(), [first]);
}

#[test]
fn a_copy_that_cannot_be_written_says_why_and_is_in_nobodys_way() {
    let world = World::new();
    let first = world.save(1, &[("a", noise(1, 10_000))]);
    world.bring(Kept::Project);
    world.clean();
    fs::write(world.root.path().join(".siltstone"), "a file of that name").unwrap();
    let second = world.save(2, &[("a", noise(2, 10_000))]);
    assert!(world.store.copy(world.project).is_err());
    let state = world.state();
    assert!(!state.whole && state.failed.is_some_and(|why| why.contains(".siltstone")));
    assert!(is_whole(&world.store));
    // It goes on when nothing is in its way any more.
    fs::remove_file(world.root.path().join(".siltstone")).unwrap();
    let state = world.copied();
    assert_eq!((state.whole, state.failed), (true, None));
    assert_eq!(world.in_copy(), [first, second]);

    // One that cannot be read here keeps only itself out.
    let bad = world.save(3, &[("a", noise(3, 10_000))]);
    let root = bad.files.as_ref().unwrap().tree.unwrap();
    let database = rusqlite::Connection::open(world.data.path().join("checkpoints/checkpoints.db"));
    let gone = database.unwrap().execute("DELETE FROM objects WHERE id = ?1", [root.as_bytes()]);
    assert_eq!(gone.unwrap(), 1);
    let good = world.save(4, &[("a", noise(4, 10_000))]);
    assert!(matches!(world.store.copy(world.project), Err(StoreError::NotFound { .. })));
    let state = world.state();
    assert!(!state.whole && state.failed.is_some());
    assert!(world.in_copy().contains(&good) && !world.in_copy().contains(&bad));
}

#[test]
fn what_is_damaged_here_keeps_only_the_checkpoints_out_of_a_copy_that_need_it() {
    let world = World::new();
    let first = world.save(1, &[("a", noise(1, 10_000))]);
    let bad = world.save(2, &[("b", noise(2, 10_000))]);
    let last = world.save(3, &[("c", noise(3, 10_000))]);
    let database = rusqlite::Connection::open(world.data.path().join("checkpoints/checkpoints.db"));
    let leaf = ObjectId::of(&noise(2, 10_000));
    let gone = database.unwrap().execute("DELETE FROM objects WHERE id = ?1", [leaf.as_bytes()]);
    assert_eq!(gone.unwrap(), 1);
    world.bring(Kept::Project);
    let state = world.state();
    assert!(!state.whole && state.failed.is_some());
    assert_eq!(world.in_copy(), [first.clone(), last.clone()]);
    // Its content is here again.
    let again = world.save(4, &[("d", noise(2, 10_000))]);
    let state = world.copied();
    assert_eq!((state.whole, state.failed), (true, None));
    assert_eq!(world.in_copy(), [first, bad, last, again]);
}

#[test]
fn what_is_damaged_here_is_found_again_in_the_copy() {
    let world = World::new();
    let made = world.save(1, &[("a", noise(1, 10_000)), ("b", noise(2, 10_000))]);
    world.bring(Kept::Project);
    // One object here, and another one there.
    let there = fs::read_dir(world.folder()).unwrap().map(|entry| (entry.unwrap().path(), 15_000));
    let here = packs(world.data.path()).into_iter().map(|pack| (pack, 5_000));
    for (pack, at) in here.chain(there) {
        let mut bytes = fs::read(&pack).unwrap();
        bytes[at] ^= 1;
        fs::write(&pack, bytes).unwrap();
    }
    let store = world.again();
    assert!(!is_whole(&store));
    assert_eq!(store.repair().unwrap(), 1);
    assert!(is_whole(&store) && held(&store, &made).len() == 2);
}

/// The words of a conversation that is deleted for ever go from the copy, too.
#[test]
fn a_conversation_that_is_deleted_for_ever_is_not_in_the_copy() {
    let world = World::new();
    let conversation = ConversationId::new(at(0));
    let plain = world.save(1, &[("a", noise(1, 10_000))]);
    let state = ConversationState {
        id: conversation,
        message: None,
        messages: 1,
        summaries: Vec::new(),
        token_usage: Usage::default(),
        model: String::new(),
        provider: String::new(),
    };
    let mut said = Checkpoint { id: CheckpointId::new(at(2)), ..plain.clone() };
    said.conversation = Some(state);
    said.context.runtime_additions = vec!["canary".into()];
    world.store.add_checkpoint(&said).unwrap();
    world.bring(Kept::Project);
    assert_eq!(world.in_copy().len(), 2);
    world.store.forget_conversation(conversation, &["canary".into()]).unwrap();
    assert_eq!(world.in_copy(), [plain], "at once");
    assert!(world.copied().whole);
    let found = world.in_copy();
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|it| it.conversation.is_none()));
    assert!(found.iter().all(|it| it.context.runtime_additions.is_empty()));
}

#[cfg(unix)]
#[test]
fn nothing_is_written_or_read_through_a_link() {
    let elsewhere = tempfile::tempdir().unwrap();
    for link in [".siltstone", ".siltstone/checkpoints"] {
        let world = World::new();
        world.save(1, &[("a", noise(1, 10_000))]);
        let link = world.root.path().join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), &link).unwrap();
        let refused =
            world.store.set_place(world.project, world.root(), Kept::Project, &mut |_, _| true);
        assert!(refused.is_err());
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
        assert_eq!(world.state(), PlaceState::default());
    }
    let world = World::new();
    world.save(1, &[("a", noise(1, 10_000))]);
    world.bring(Kept::Project);
    let folder = world.folder();
    let pack = fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    let moved = elsewhere.path().join("moved");
    fs::rename(&pack, &moved).unwrap();
    std::os::unix::fs::symlink(&moved, &pack).unwrap();
    let whole = fs::read(&moved).unwrap();
    world.save(2, &[("b", noise(2, 10_000))]);
    assert!(world.copied().whole);
    assert_eq!(fs::read(&moved).unwrap(), whole, "what the link leads to is not appended to");
    assert!(moved.exists() && world.in_copy().len() == 2);
}

#[test]
fn a_folder_that_another_computer_wrote_is_listed_and_opened_only_when_asked() {
    let theirs = World::new();
    let made = theirs.save(1, &[("a", noise(1, 10_000))]);
    theirs.bring(Kept::Project);
    let name = theirs.folder().file_name().unwrap().to_str().unwrap().to_owned();

    let (_data, store, project) = open();
    assert_eq!(store.place(project).unwrap().kept, Kept::Here);
    assert!(listed(&store, theirs.project, None, 10).is_empty(), "it does not count");
    let found = store.found(project, theirs.root()).unwrap();
    let [folder] = found.as_slice() else { panic!("{found:?}") };
    assert!(folder.name == name && folder.bytes > 10_000 && !folder.taken);
    assert!(theirs.store.found(theirs.project, theirs.root()).unwrap().is_empty(), "it is theirs");

    let opened = store.open_found(project, theirs.root(), &name).unwrap();
    assert_eq!(opened.checkpoints(), from_ref(&made));
    assert!(!opened.is_sealed());
    let root = made.files.as_ref().unwrap().tree.unwrap();
    assert!(Tree::decode(root, &opened.object(root).unwrap()).is_ok());
    assert!(matches!(opened.object(ObjectId::of(b"x")), Err(StoreError::NotFound { .. })));
    store.settle_found(project, &name).unwrap();
    assert!(store.found(project, theirs.root()).unwrap()[0].taken);
    let elsewhere = store.open_found(project, theirs.root(), "../../..").map(|_| ());
    assert!(matches!(elsewhere, Err(StoreError::NotFound { .. })));

    // Ours lies beside it, and each knows its own.
    save(&store, project, 2, &[("b", noise(2, 10_000))]);
    bring(&store, project, theirs.root(), Kept::Project);
    assert_eq!(store.found(project, theirs.root()).unwrap().len(), 1);
    assert_eq!(theirs.store.found(theirs.project, theirs.root()).unwrap().len(), 1);
    bring(&store, project, theirs.root(), Kept::Here);
    assert!(theirs.state().whole, "what is not ours stays");
}

#[test]
fn packs_that_are_no_packs_harm_nobody() {
    let theirs = World::new();
    theirs.save(1, &[("a", noise(1, 10_000))]);
    theirs.bring(Kept::Project);
    let folder = theirs.folder();
    let pack = fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    let good = fs::read(&pack).unwrap();
    // A record that says it is as large as can be, one that is cut off, and none at all.
    let mut huge = good[..50].to_vec();
    huge[10..14].copy_from_slice(&u32::MAX.to_le_bytes());
    huge[14..18].copy_from_slice(&u32::MAX.to_le_bytes());
    for (name, bytes) in [("huge", &huge[..]), ("cut", &good[..good.len() / 2]), ("none", b"hello")]
    {
        fs::write(folder.join(format!("{name}.pack")), bytes).unwrap();
    }
    let (_data, store, project) = open();
    let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
    #[cfg(unix)]
    {
        let pipe = folder.join("pipe.pack");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        let failed = store.open_found(project, theirs.root(), &name).map(|_| ());
        assert!(failed.is_err(), "a pipe is no pack");
        fs::remove_file(pipe).unwrap();
    }
    let opened = store.open_found(project, theirs.root(), &name).unwrap();
    assert_eq!(opened.checkpoints().len(), 1);
}

#[test]
fn a_copy_is_sealed_as_what_it_is_a_copy_of() {
    let world = World::new();
    let text = b"canary-in-the-mine".repeat(100);
    let first = world.save(1, &[("a", text.clone())]);
    world.bring(Kept::Project);
    let key: SealKey = Seals.new_key().unwrap();
    world.store.unlock(&key).unwrap();
    world.store.seal(true).unwrap();
    while world.store.reseal().unwrap().left() > 0 {}
    assert_eq!(bytes_in(&world.folder()), 0, "nothing plain is left there");
    assert!(!world.state().whole);
    let second = world.save(3, &[("b", noise(3, 1_000))]);
    assert!(world.copied().whole);
    let all = |found: &dyn FoundCheckpoints| (found.is_sealed(), found.checkpoints().len());
    let name = world.folder().file_name().unwrap().to_str().unwrap().to_owned();
    let (_data, stranger, _) = open();
    let found = stranger.open_found(world.project, world.root(), &name).unwrap();
    assert_eq!(all(found.as_ref()), (true, 0));
    stranger.unlock(&key).unwrap();
    let found = stranger.open_found(world.project, world.root(), &name).unwrap();
    assert_eq!(all(found.as_ref()), (false, 2));

    let store = world.again();
    assert!(store.is_locked().unwrap());
    assert_eq!(listed(&store, world.project, None, 10).len(), 2, "what may be seen");
    assert!(store.place(world.project).unwrap().whole, "as far as can be said without the key");
    assert!(matches!(store.objects().put(b"x"), Err(StoreError::Locked)));
    store.unlock(&key).unwrap();
    assert_eq!(held(&store, &first)[0].1, text);

    store.seal(false).unwrap();
    while store.reseal().unwrap().left() > 0 {}
    assert!(world.again().copy(world.project).unwrap());
    assert!(world.state().whole);
    assert_eq!(world.in_copy(), [first, second]);
}

#[test]
fn without_what_was_known_of_it_a_copy_is_foreign_and_nothing_is_deleted() {
    let world = World::new();
    let made = world.save(1, &[("a", noise(1, 10_000))]);
    world.bring(Kept::Project);
    let folder = world.folder();
    let name = folder.file_name().unwrap().to_owned();
    fs::remove_dir_all(world.data.path().join("checkpoints/places").join(&name)).unwrap();
    assert!(!world.state().whole);
    assert!(world.copied().whole && world.folder() != folder);
    let found = world.store.found(world.project, world.root()).unwrap();
    assert_eq!(found[0].name, name.to_str().unwrap());
    let opened = world.store.open_found(world.project, world.root(), &found[0].name).unwrap();
    assert_eq!(opened.checkpoints(), from_ref(&made));
    world.bring(Kept::Here);
    assert!(folder.exists() && world.above().join(".gitignore").exists());
}

/// A data folder as an earlier version left it, when it kept a project's checkpoints in its folder alone.
struct Earlier {
    world: World,
    neighbour: ProjectId,
    made: Vec<Checkpoint>,
    plan: StoredPlan,
    leaf: Option<Leaf>,
}

impl Earlier {
    fn new(key: Option<&SealKey>) -> Self {
        let world = World::new();
        let neighbour = ProjectId::new(at(9));
        let first = world.save(1, &[("a", noise(1, 30_000)), ("b", noise(2, 20_000))]);
        let second = world.save(2, &[("a", noise(1, 30_000))]);
        save(&world.store, neighbour, 3, &[("a", noise(1, 30_000))]);
        world.store.change_checkpoint(first.id, Some("works"), true).unwrap();
        let plan = StoredPlan {
            id: PlanId::new(at(3)),
            checkpoint: first.id,
            created_at: at(3),
            parts: Parts { chat: false, files: true, memory: false, context: false },
            base: first.files.as_ref().unwrap().tree,
            steps: Vec::new(),
            before: Some(second.id),
            finished_at: None,
            turn: None,
            copy: None,
        };
        world.store.put_plan(world.project, &plan).unwrap();
        let leaf = Some(Leaf::Link { target: b"a".to_vec() });
        let written = Written { path: b"b".to_vec(), leaf: leaf.clone() };
        world.store.note_written(world.project, &[written]).unwrap();
        if let Some(key) = key {
            world.store.unlock(key).unwrap();
            world.store.seal(true).unwrap();
            while world.store.reseal().unwrap().left() > 0 {}
        }
        let World { data, root, store, project } = world;
        drop(store);
        let home = data.path().join("checkpoints");
        let own = root.path().join(".siltstone/checkpoints/0198-own");
        copy(&home.join("packs"), &own);
        copy(&home.join("checkpoints.db"), &home.join("places/0198-own/checkpoints.db"));
        let of = |path: PathBuf, which: &str| {
            let database = rusqlite::Connection::open(path).unwrap();
            for table in ["checkpoints", "plans", "written"] {
                let delete = format!("DELETE FROM {table} WHERE project_id {which} ?1");
                database.execute(&delete, [project.to_string()]).unwrap();
            }
        };
        of(home.join("checkpoints.db"), "=");
        of(home.join("places/0198-own/checkpoints.db"), "<>");
        let store = opened(data.path());
        if let Some(key) = key {
            store.unlock(key).unwrap();
        }
        store.collect().unwrap();
        assert!(listed(&store, project, None, 10).is_empty() && is_whole(&store));
        let world = World { data, root, store, project };
        let earlier = Self { neighbour, made: vec![second, first], plan, leaf, world };
        earlier.mark("ours");
        earlier
    }

    /// What the one file says that is replaced last.
    fn mark(&self, state: &str) {
        let root = self.world.root();
        let root = serde_json::to_string(&root).unwrap();
        let said = format!(r#"{{"state":"{state}","name":"0198-own","root":{root},"taken":[]}}"#);
        let places = self.world.data.path().join("checkpoints/places");
        fs::write(places.join(format!("{}.json", self.world.project)), said).unwrap();
    }

    /// All is as it was, and nothing depends on the folder.
    fn check(&self, store: &CheckpointStore) {
        let (world, [second, first]) = (&self.world, &self.made[..]) else { panic!("two") };
        let seen = listed(store, world.project, None, 10);
        assert_eq!(seen.iter().map(|it| it.id).collect::<Vec<_>>(), [second.id, first.id]);
        let works = store.tagged(world.project, "works").unwrap().unwrap();
        assert!(works.id == first.id && works.pinned);
        assert_eq!(store.plan(self.plan.id).unwrap(), self.plan);
        assert_eq!(store.unfinished_plans(world.project).unwrap(), from_ref(&self.plan));
        assert_eq!(store.written(world.project, b"b").unwrap(), self.leaf);
        let whole = [(b"a".to_vec(), noise(1, 30_000)), (b"b".to_vec(), noise(2, 20_000))];
        assert_eq!(held(store, first), whole);
        assert!(is_whole(store));
        assert_eq!(listed(store, self.neighbour, None, 10).len(), 1);
        let state = store.place(world.project).unwrap();
        assert_eq!((state.kept, state.lost), (Kept::Project, 0));
    }
}

#[test]
fn what_an_earlier_version_kept_in_the_folder_alone_comes_home_whenever_that_is_cut_off() {
    let earlier = Earlier::new(None);
    let world = &earlier.world;
    let data = world.data.path().join("checkpoints");
    let before = tempfile::tempdir().unwrap();
    copy(&data, before.path());
    let store = world.again();
    assert!(store.place(world.project).unwrap().whole, "what lies there is the copy from now on");
    earlier.check(&store);
    world.save(4, &[("c", noise(4, 1_000))]);
    world.store.copy(world.project).unwrap();
    assert_eq!(world.in_copy().len(), 4, "those of its own, the neighbour's dead one, the new one");
    world.clean();
    assert!(is_whole(&world.again()));
    drop(store);

    // The rows are here, and there too; then they are here alone, and the one file was not replaced.
    for is_there_too in [true, false] {
        let earlier = Earlier::new(None);
        let own = earlier.world.data.path().join("checkpoints/places/0198-own/checkpoints.db");
        let aside = before.path().join("aside.db");
        copy(&own, &aside);
        drop(earlier.world.again());
        if is_there_too {
            copy(&aside, &own);
        }
        earlier.mark("ours");
        let store = earlier.world.again();
        earlier.check(&store);
        earlier.world.save(4, &[("c", noise(4, 1_000))]);
        assert!(store.copy(earlier.world.project).unwrap());
        earlier.world.clean();
        assert!(is_whole(&earlier.world.again()));
        assert_eq!(rows_in(&own), 0, "nothing of a conversation is left beside the copy");
    }
    assert_eq!(rows_in(&data.join("places/0198-own/checkpoints.db")), 0);
}

fn rows_in(database: &Path) -> i64 {
    let database = rusqlite::Connection::open(database).unwrap();
    database.query_row("SELECT COUNT(*) FROM checkpoints", [], |row| row.get(0)).unwrap()
}

#[test]
fn what_is_gone_from_the_folder_is_listed_as_lost_until_it_is_put_back() {
    let earlier = Earlier::new(None);
    let (world, [second, first]) = (&earlier.world, &earlier.made[..]) else { panic!("two") };
    let own = world.above().join("0198-own");
    let pack = fs::read_dir(&own).unwrap().next().unwrap().unwrap().path();
    // In the middle of what the first one alone holds.
    let bytes = fs::read(&pack).unwrap();
    let mut harmed = bytes.clone();
    harmed[40_000] ^= 1;
    fs::write(&pack, &harmed).unwrap();
    let store = world.again();
    let state = store.place(world.project).unwrap();
    assert_eq!((state.kept, state.lost), (Kept::Project, 1));
    assert_eq!(listed(&store, world.project, None, 10).len(), 2, "it is told");
    assert_eq!(held(&store, second)[0].1, noise(1, 30_000));
    store.collect().unwrap();
    assert!(store.copy(world.project).is_ok(), "the others are copied");
    // As it lay in somebody's trash.
    fs::write(own.join("back.pack"), &bytes).unwrap();
    store.repair().unwrap();
    assert_eq!(store.place(world.project).unwrap().lost, 0);
    assert_eq!(held(&store, first)[1].1, noise(2, 20_000));

    let earlier = Earlier::new(None);
    earlier.world.clean();
    let store = earlier.world.again();
    let state = store.place(earlier.world.project).unwrap();
    assert_eq!((state.kept, state.lost, state.whole), (Kept::Project, 1, false));
    assert_eq!(held(&store, second)[0].1, noise(1, 30_000), "what the neighbour has, too");
    let kept = earlier.world.save(4, &[("a", noise(1, 30_000))]);
    assert!(store.copy(earlier.world.project).unwrap());
    assert_eq!(held(&store, &kept)[0].1, noise(1, 30_000));
    let state = store.place(earlier.world.project).unwrap();
    assert_eq!((state.lost, state.whole), (1, true));
    store.collect().unwrap();
    bring(&store, earlier.world.project, earlier.world.root(), Kept::Here);
    assert_eq!(listed(&store, earlier.world.project, None, 10).len(), 3, "lost ones stay lost");
    assert_eq!(store.place(earlier.world.project).unwrap().lost, 1);
}

#[test]
fn what_is_sealed_in_the_folder_comes_home_with_its_key() {
    let key: SealKey = Seals.new_key().unwrap();
    let earlier = Earlier::new(Some(&key));
    let (world, [second, first]) = (&earlier.world, &earlier.made[..]) else { panic!("two") };
    let store = world.again();
    assert!(store.is_locked().unwrap());
    let seen = listed(&store, world.project, None, 10);
    assert_eq!(seen.iter().map(|it| it.id).collect::<Vec<_>>(), [second.id, first.id]);
    assert_eq!(seen[1].tag.as_deref(), Some("works"), "what may be seen");
    let state = store.place(world.project).unwrap();
    assert_eq!((state.kept, state.waits, state.lost), (Kept::Project, true, 0));
    assert_eq!(store.copy(world.project).unwrap_err(), StoreError::Locked);
    store.unlock(&key).unwrap();
    assert!(!store.is_locked().unwrap() && !store.place(world.project).unwrap().waits);
    earlier.check(&store);
    earlier.world.clean();
    assert!(is_whole(&store));
}

/// A drive that is not plugged in at the first start of this version.
#[test]
fn what_is_out_of_reach_is_listed_and_comes_home_when_it_is_back() {
    let earlier = Earlier::new(None);
    let (world, [second, first]) = (&earlier.world, &earlier.made[..]) else { panic!("two") };
    let aside = world.root.path().with_extension("aside");
    fs::rename(world.root.path(), &aside).unwrap();
    let store = world.again();
    let ids = |store| listed(store, world.project, None, 10).into_iter().map(|it| it.id);
    assert_eq!(ids(&store).collect::<Vec<_>>(), [second.id, first.id]);
    let state = store.place(world.project).unwrap();
    assert_eq!((state.kept, state.waits, state.lost), (Kept::Project, true, 0));
    let refused = store.set_place(world.project, world.root(), Kept::Here, &mut |_, _| true);
    assert!(matches!(refused, Err(StoreError::Io { .. })), "{refused:?}");
    // Work goes on: a restore is finished, one is deleted, one is made.
    let plan = StoredPlan { finished_at: Some(at(4)), ..earlier.plan.clone() };
    store.put_plan(world.project, &plan).unwrap();
    store.delete_checkpoints(&[second.id]).unwrap();
    let made = save(&store, world.project, 4, &[("c", noise(4, 1_000))]);
    store.collect().unwrap();
    assert!(store.copy(world.project).is_err());
    assert_eq!(held(&store, &made)[0].1, noise(4, 1_000));

    fs::rename(&aside, world.root.path()).unwrap();
    assert!(store.copy(world.project).unwrap(), "the next checkpoint brings it");
    let state = store.place(world.project).unwrap();
    assert!(state.whole && !state.waits && state.lost == 0);
    assert_eq!(ids(&store).collect::<Vec<_>>(), [made.id, first.id]);
    assert_eq!(held(&store, first)[1].1, noise(2, 20_000));
    world.clean();
    assert!(is_whole(&world.again()));
}

#[test]
fn without_its_rows_a_folder_of_an_earlier_version_is_foreign() {
    let earlier = Earlier::new(None);
    let world = &earlier.world;
    fs::remove_dir_all(world.data.path().join("checkpoints/places/0198-own")).unwrap();
    let store = world.again();
    assert!(listed(&store, world.project, None, 10).is_empty());
    let found = store.found(world.project, world.root()).unwrap();
    assert_eq!(found[0].name, "0198-own");
    let opened = store.open_found(world.project, world.root(), "0198-own").unwrap();
    assert_eq!(opened.checkpoints().len(), 3);
}

/// Where nothing can be written it is named, and not shown as if there were none.
#[test]
fn what_is_elsewhere_is_not_hidden_where_nothing_can_be_written() {
    let earlier = Earlier::new(None);
    let store = CheckpointStore::to_read(earlier.world.data.path(), std::sync::Arc::new(Seals));
    let refused = store.checkpoints(earlier.world.project, None, 10);
    assert!(matches!(refused, Err(StoreError::ReadOnly { .. })), "{refused:?}");
}

/// A file, or a folder with all in it.
fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            copy(&entry.path(), &to.join(entry.file_name()));
        }
    } else if from.exists() {
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(from, to).unwrap();
    }
}
