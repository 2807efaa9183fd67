//! Checkpoints in a project's own folder: brought there and back whole, gone with it without taking anything else along,
//! and foreign where this computer did not write them (seed 004, "체크포인트 저장 위치").

use std::fs;
use std::path::{Path, PathBuf};
use std::slice::from_ref;

use siltstone_engine::checkpoint::{
    Checkpoint, Checkpoints, Kept, Leaf, Moved, Moving, Node, ObjectId, Parts, Places, SealKey,
    Sealer, Sealing, StoredPlan, Tree, Written,
};
use siltstone_engine::ids::{PlanId, ProjectId};
use siltstone_engine::ports::StoreError;
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

    fn folder(&self) -> PathBuf {
        PathBuf::from(self.store.place(self.project).unwrap().path.unwrap())
    }

    fn bring(&self, to: Kept) -> u32 {
        brought(self.begin(to).unwrap())
    }

    fn begin(&self, to: Kept) -> Result<Box<dyn Moving>, StoreError> {
        self.store.begin_moving(self.project, self.root(), to)
    }

    fn save(&self, second: i64, files: &[(&str, Vec<u8>)]) -> Checkpoint {
        save(&self.store, self.project, second, files)
    }

    /// As another process sees it.
    fn again(&self) -> CheckpointStore {
        opened(self.data.path())
    }
}

/// Goes on to the end; says after how many steps.
fn brought(mut moving: Box<dyn Moving>) -> u32 {
    let mut steps = 0;
    loop {
        steps += 1;
        let Moved { done, total, finished } = moving.step().unwrap();
        assert!(done <= total);
        if finished {
            return steps;
        }
    }
}

fn bytes_in(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    entries.map(|entry| entry.unwrap().metadata().unwrap().len()).sum()
}

/// What a checkpoint holds, by name.
fn held(store: &CheckpointStore, checkpoint: &Checkpoint) -> Vec<(Vec<u8>, Vec<u8>)> {
    let objects = store.objects(checkpoint.project_id.unwrap());
    let root = checkpoint.files.as_ref().unwrap().tree.unwrap();
    let tree = Tree::decode(root, &objects.get(root).unwrap()).unwrap();
    let entries = tree.entries().iter().map(|(name, node)| match node {
        Node::Leaf(Leaf::File { id, .. }) => (name.clone(), objects.get(*id).unwrap()),
        other => panic!("{other:?}"),
    });
    entries.collect()
}

#[test]
fn they_go_into_the_project_and_back_with_all_that_was_known_of_them() {
    let world = World::new();
    let (text, other) = (noise(1, 300_000), noise(2, 200_000));
    let first = world.save(1, &[("a", text.clone()), ("b", other.clone())]);
    let second = world.save(2, &[("a", text.clone())]);
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
    };
    world.store.put_plan(world.project, &plan).unwrap();
    let leaf = Some(Leaf::Link { target: b"a".to_vec() });
    let written = Written { path: b"b".to_vec(), leaf: leaf.clone() };
    world.store.note_written(world.project, &[written]).unwrap();
    let before = listed(&world.store, world.project, None, 10);
    let aged = world.store.aged(world.project).unwrap();

    for to in [Kept::Project, Kept::Here, Kept::Project] {
        world.bring(to);
        let store = world.again();
        for store in [&world.store, &store] {
            assert_eq!(store.place(world.project).unwrap().kept, to);
            assert_eq!(listed(store, world.project, None, 10), before);
            assert_eq!(store.aged(world.project).unwrap(), aged);
            assert_eq!(store.plan(plan.id).unwrap(), plan);
            assert_eq!(store.unfinished_plans(world.project).unwrap(), from_ref(&plan));
            assert_eq!(store.written(world.project, b"b").unwrap(), leaf);
            assert_eq!(store.tagged(world.project, "works").unwrap().unwrap().id, first.id);
            let whole = [(b"a".to_vec(), text.clone()), (b"b".to_vec(), other.clone())];
            assert_eq!(held(store, &first), whole);
            assert!(is_whole(store));
            assert_eq!(
                store.delete_checkpoints(&[first.id]).unwrap_err(),
                StoreError::Conflict { what: "a restore that was cut off needs it" }
            );
        }
        world.store.collect().unwrap();
        let at_home: u64 =
            packs(world.data.path()).iter().map(|it| it.metadata().unwrap().len()).sum();
        match to {
            Kept::Project => {
                assert!(at_home < 1_000, "what was here is freed: {at_home}");
                assert!(bytes_in(&world.folder()) > 500_000);
            }
            Kept::Here => assert!(!world.root.path().join(".siltstone").exists()),
        }
    }
    assert_eq!(fs::read_to_string(world.above().join(".gitignore")).unwrap(), "*\n");
    let again = world.begin(Kept::Project).map(|_| ()).unwrap_err();
    assert_eq!(again, StoreError::Conflict { what: "its checkpoints are there already" });
}

#[test]
fn what_is_taken_meanwhile_is_brought_along_and_a_cancelled_move_leaves_no_trace() {
    let world = World::new();
    let first = world.save(1, &[("a", noise(1, 100_000))]);
    let mut moving = world.begin(Kept::Project).unwrap();
    moving.step().unwrap();
    assert!(bytes_in(&world.above()) > 0);
    let busy = world.again().begin_moving(world.project, world.root(), Kept::Project);
    let busy = busy.map(|_| ()).unwrap_err();
    assert_eq!(busy, StoreError::Conflict { what: "its checkpoints are being moved" });
    drop(moving);
    assert!(!world.root.path().join(".siltstone").exists());
    assert_eq!(world.store.place(world.project).unwrap().kept, Kept::Here);

    let mut moving = world.begin(Kept::Project).unwrap();
    moving.step().unwrap();
    let other = world.again();
    let second = save(&other, world.project, 2, &[("b", noise(2, 100_000))]);
    // Half of a capture keeps it back, also one of another process.
    other.objects(world.project).put(b"half").unwrap();
    let mut steps = 0;
    while let Ok(moved) = moving.step() {
        steps += 1;
        assert!(steps < 20 && !moved.finished);
    }
    other.objects(world.project).sync().unwrap();
    brought(moving);
    for store in [&world.store, &other, &world.again()] {
        assert_eq!(listed(store, world.project, None, 10), [second.clone(), first.clone()]);
        assert!(is_whole(store));
    }
    let third = save(&other, world.project, 3, &[("c", noise(3, 100_000))]);
    assert!(bytes_in(&world.folder()) > 300_000, "what comes goes there");
    assert_eq!(world.store.checkpoint(third.id).unwrap(), third);
}

#[test]
fn a_folder_that_is_gone_takes_nothing_else_along_and_what_comes_back_is_found() {
    let world = World::new();
    let (text, neighbour) = (noise(1, 100_000), ProjectId::new(at(9)));
    let first = world.save(1, &[("a", text.clone())]);
    let theirs = save(&world.store, neighbour, 2, &[("a", text.clone())]);
    world.bring(Kept::Project);
    let aside = world.root.path().join("aside");
    fs::rename(world.folder(), &aside).unwrap();

    let state = world.store.place(world.project).unwrap();
    assert_eq!((state.kept, state.gone, state.lost), (Kept::Project, true, 1));
    assert_eq!(listed(&world.store, world.project, None, 10), from_ref(&first), "it is told");
    assert_eq!(held(&world.store, &theirs)[0].1, text, "each place has its own copy");
    let second = world.save(3, &[("a", text.clone())]);
    for store in [&world.store, &world.again()] {
        let state = store.place(world.project).unwrap();
        assert_eq!((state.gone, state.lost), (false, 1));
        assert_eq!(held(store, &second)[0].1, text, "what was there before is kept anew");
        let bad = store.verify(&mut |_| true).unwrap();
        assert!(bad.is_empty(), "one object of each content: {bad:?}");
        store.collect().unwrap();
    }
    let lost = world.save(4, &[("b", noise(2, 50_000))]);
    fs::remove_dir_all(world.root.path().join(".siltstone")).unwrap();
    world.save(5, &[("a", text.clone())]);
    assert_eq!(world.store.place(world.project).unwrap().lost, 3);
    let bad = world.store.verify(&mut |_| true).unwrap();
    assert!(bad.iter().all(|(_, of)| *of == [lost.id]), "{bad:?}");

    for entry in fs::read_dir(&aside).unwrap() {
        let entry = entry.unwrap();
        fs::rename(entry.path(), world.folder().join(entry.file_name())).unwrap();
    }
    world.store.repair().unwrap();
    assert_eq!(world.store.place(world.project).unwrap().lost, 1);
    world.store.delete_checkpoints(&[lost.id]).unwrap();
    assert!(is_whole(&world.store));
    world.bring(Kept::Here);
    assert_eq!(held(&world.store, &first)[0].1, text);
}

#[test]
fn they_can_be_brought_back_without_those_that_are_lost() {
    let world = World::new();
    world.bring(Kept::Project);
    let lost = world.save(1, &[("a", noise(1, 10_000))]);
    fs::remove_dir_all(world.root.path().join(".siltstone")).unwrap();
    let kept = world.save(2, &[("b", noise(2, 10_000))]);
    world.bring(Kept::Here);
    assert_eq!(listed(&world.store, world.project, None, 10), [kept.clone(), lost]);
    assert_eq!(held(&world.store, &kept)[0].1, noise(2, 10_000));
    world.store.collect().unwrap();
}

#[test]
fn bytes_that_were_changed_in_the_folder_are_never_given() {
    let world = World::new();
    let made = world.save(1, &[("a", noise(1, 10_000))]);
    world.bring(Kept::Project);
    world.store.collect().unwrap();
    for entry in fs::read_dir(world.folder()).unwrap() {
        let path = entry.unwrap().path();
        let mut bytes = fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(&path, bytes).unwrap();
    }
    let store = world.again();
    let bad = store.verify(&mut |_| true).unwrap();
    assert!(bad.iter().all(|(_, of)| *of == [made.id]) && bad.len() == 1, "{bad:?}");
    let back = store.begin_moving(world.project, world.root(), Kept::Here);
    let mut back = back.unwrap();
    let failed = (0..10).find_map(|_| back.step().err()).unwrap();
    assert!(matches!(failed, StoreError::Damaged { .. }), "{failed}");
    drop(back);
    assert_eq!(store.place(world.project).unwrap().kept, Kept::Project, "nothing was deleted");
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
        assert!(world.begin(Kept::Project).is_err());
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
        assert_eq!(world.store.place(world.project).unwrap().kept, Kept::Here);
        assert!(is_whole(&world.store));
    }
    let world = World::new();
    world.save(1, &[("a", noise(1, 10_000))]);
    world.bring(Kept::Project);
    let folder = world.folder();
    let pack = fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    let moved = elsewhere.path().join("moved");
    fs::rename(&pack, &moved).unwrap();
    std::os::unix::fs::symlink(&moved, &pack).unwrap();
    assert!(
        !world
            .again()
            .verify(&mut |_| true)
            .unwrap_or(vec![(ObjectId::of(b""), vec![])])
            .is_empty()
    );
    let whole = fs::read(&moved).unwrap();
    let _ = world.again().objects(world.project).put(b"more");
    assert_eq!(fs::read(&moved).unwrap(), whole, "what the link leads to is not appended to");
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
    brought(store.begin_moving(project, theirs.root(), Kept::Project).unwrap());
    assert_eq!(store.found(project, theirs.root()).unwrap().len(), 1);
    assert_eq!(theirs.store.found(theirs.project, theirs.root()).unwrap().len(), 1);
    brought(store.begin_moving(project, theirs.root(), Kept::Here).unwrap());
    assert!(is_whole(&theirs.store), "what is not ours stays");
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
    #[cfg(unix)]
    assert!(
        std::process::Command::new("mkfifo")
            .arg(folder.join("pipe.pack"))
            .status()
            .unwrap()
            .success()
    );
    let (_data, store, project) = open();
    let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
    let failed = store.open_found(project, theirs.root(), &name).map(|_| ());
    assert!(failed.is_err(), "a pipe is no pack");
    #[cfg(unix)]
    fs::remove_file(folder.join("pipe.pack")).unwrap();
    let opened = store.open_found(project, theirs.root(), &name).unwrap();
    assert_eq!(opened.checkpoints().len(), 1);
}

#[test]
fn both_places_are_sealed_and_opened_together() {
    let world = World::new();
    let neighbour = ProjectId::new(at(9));
    let text = b"canary-in-the-mine".repeat(100);
    let first = world.save(1, &[("a", text.clone())]);
    let theirs = save(&world.store, neighbour, 2, &[("a", text.clone())]);
    world.bring(Kept::Project);
    let key: SealKey = Seals.new_key().unwrap();
    let all = |store: &CheckpointStore| {
        while store.reseal().unwrap().left() > 0 {}
        assert!(is_whole(store));
    };
    world.store.unlock(&key).unwrap();
    world.store.seal(true).unwrap();
    all(&world.store);
    assert_eq!(world.store.sealed().unwrap().plain_bytes, 0);
    let second = world.save(3, &[("b", noise(3, 1_000))]);

    let store = world.again();
    assert!(store.is_locked().unwrap());
    assert_eq!(listed(&store, world.project, None, 10).len(), 2, "what may be seen");
    assert!(matches!(store.objects(world.project).put(b"x"), Err(StoreError::Locked)));
    store.unlock(&key).unwrap();
    assert_eq!(held(&store, &first)[0].1, text);
    assert_eq!(held(&store, &theirs)[0].1, text);

    // Sealed, they go back and forth.
    for to in [Kept::Here, Kept::Project] {
        brought(store.begin_moving(world.project, world.root(), to).unwrap());
        assert!(is_whole(&store));
        assert_eq!(listed(&store, world.project, None, 10), [second.clone(), first.clone()]);
    }
    let stranger = opened(tempfile::tempdir().unwrap().path());
    let name = PathBuf::from(store.place(world.project).unwrap().path.unwrap());
    let name = name.file_name().unwrap().to_str().unwrap();
    let found = stranger.open_found(world.project, world.root(), name).unwrap();
    assert!(found.is_sealed() && found.checkpoints().is_empty());

    store.seal(false).unwrap();
    all(&store);
    assert_eq!(store.sealed().unwrap().sealed_bytes, 0);
    assert!(!world.again().is_locked().unwrap());
    assert_eq!(held(&world.again(), &first)[0].1, text);
}

#[test]
fn without_its_rows_a_folder_is_foreign_and_nothing_is_deleted() {
    let world = World::new();
    let made = world.save(1, &[("a", noise(1, 10_000))]);
    world.bring(Kept::Project);
    let folder = world.folder();
    let name = folder.file_name().unwrap().to_owned();
    drop(world.store);
    fs::remove_dir_all(world.data.path().join("checkpoints/places").join(&name)).unwrap();
    let store = opened(world.data.path());
    assert!(listed(&store, world.project, None, 10).is_empty());
    let found = store.found(world.project, world.root.path().to_str().unwrap()).unwrap();
    assert_eq!(found[0].name, name.to_str().unwrap());
    let root = world.root.path().to_str().unwrap();
    let opened = store.open_found(world.project, root, &found[0].name).unwrap();
    assert_eq!(opened.checkpoints(), [made]);
    let now = save(&store, world.project, 2, &[("a", noise(1, 10_000))]);
    assert!(is_whole(&store) && held(&store, &now).len() == 1);
    assert!(folder.exists());
}
