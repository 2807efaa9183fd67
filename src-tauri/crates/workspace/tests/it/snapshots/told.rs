//! What the system tells between two captures: a capture of it is a capture of everything, whatever was done.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use proptest::prelude::*;
use rstest::rstest;
use siltstone_engine::checkpoint::{
    Captured, Dirty, FileSnapshots, Heard, Leaf, Objects, SnapshotPlace,
};
use siltstone_workspace::Snapshots;

use Act::{
    Append, Cache, Exclude, Ignore, Link, MakeDir, Mode, Move, MoveDir, Put, Remove, RemoveDir,
    SecondName,
};
use Step::{Act as Do, Capture, CaptureAll, CaptureWhile, Wait};

use super::world::World;

/// The same names in several directories, so that what is moved is met again.
const PATHS: [&str; 9] = ["x", "b/x", "b/y", "c/x", "c/y", "c/d/x", "c/d/y", "d/x", "d/y"];

#[derive(Clone, Debug)]
enum Act {
    Put(usize, u8),
    Append(usize),
    Remove(usize),
    RemoveDir(usize),
    Move(usize, usize),
    MoveDir(usize, usize),
    MakeDir(usize),
    Ignore(bool),
    Exclude(bool),
    Cache(usize),
    Link(usize, usize),
    SecondName(usize, usize),
    Mode(usize, bool),
}

#[derive(Clone, Debug)]
enum Step {
    Act(Act),
    Capture,
    CaptureAll,
    /// So long that what was captured before is no longer looked at because it is so young.
    Wait,
    /// A capture in the middle of which others work.
    CaptureWhile(Vec<Act>),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        10 => act().prop_map(Do),
        6 => Just(Capture),
        4 => Just(CaptureAll),
        2 => prop::collection::vec(act(), 1..6).prop_map(CaptureWhile),
    ]
}

fn act() -> impl Strategy<Value = Act> {
    let path = || 0..PATHS.len();
    prop_oneof![
        6 => (path(), any::<u8>()).prop_map(|(path, text)| Put(path, text)),
        2 => path().prop_map(Append),
        2 => path().prop_map(Remove),
        1 => path().prop_map(RemoveDir),
        2 => (path(), path()).prop_map(|(from, to)| Move(from, to)),
        3 => (path(), path()).prop_map(|(from, to)| MoveDir(from, to)),
        2 => path().prop_map(MakeDir),
        1 => any::<bool>().prop_map(Ignore),
        1 => any::<bool>().prop_map(Exclude),
        1 => path().prop_map(Cache),
        1 => (path(), path()).prop_map(|(from, to)| Link(from, to)),
        1 => (path(), path()).prop_map(|(from, to)| SecondName(from, to)),
        1 => (path(), any::<bool>()).prop_map(|(path, on)| Mode(path, on)),
    ]
}

/// Where something is in the way, or nothing is there, nothing happens.
fn carry_out(act: &Act, world: &World) {
    let at = |index: usize| world.root().join(PATHS[index]);
    let above = |index: usize| at(index).parent().unwrap().to_owned();
    let _ = match *act {
        Put(path, text) => {
            fs::create_dir_all(above(path)).and_then(|()| fs::write(at(path), [text]))
        }
        Append(path) => fs::OpenOptions::new()
            .append(true)
            .open(at(path))
            .and_then(|mut file| std::io::Write::write_all(&mut file, b"more")),
        Remove(path) => fs::remove_file(at(path)),
        RemoveDir(path) => match above(path) == world.root() {
            true => Ok(()),
            false => fs::remove_dir_all(above(path)),
        },
        Move(from, to) => fs::rename(at(from), at(to)),
        MoveDir(from, to) if above(from) != above(to) => {
            // Only what is empty is taken the place of; the root is never in anybody's way.
            let is_free = PATHS[to].contains('/') && !above(from).starts_with(above(to));
            let _ = is_free.then(|| fs::remove_dir_all(above(to)));
            fs::rename(above(from), above(to))
        }
        MakeDir(path) => fs::create_dir_all(at(path)),
        Ignore(on) => {
            fs::write(world.root().join("c/.gitignore"), if on { "x\nd/\n" } else { "\n" })
        }
        Exclude(on) => fs::create_dir_all(world.root().join("c/.git/info")).and_then(|()| {
            fs::write(world.root().join("c/.git/info/exclude"), if on { "y\nd/\n" } else { "" })
        }),
        Cache(path) => fs::write(above(path).join("CACHEDIR.TAG"), "mark"),
        Link(from, to) => symlink(at(from), at(to)),
        SecondName(from, to) => fs::hard_link(at(from), at(to)),
        Mode(path, on) => fs::set_permissions(
            at(path),
            fs::Permissions::from_mode(if on { 0o755 } else { 0o644 }),
        ),
        MoveDir(..) => Ok(()),
    };
}

/// One act after each report of the capture: before it looks, and after each file that it reads.
fn capture_while(world: &World, acts: &[Act]) {
    let mut acts = acts.iter();
    let (root, exclude, also) = (world.root(), &world.exclude, &world.also);
    let root = root.to_str().unwrap();
    let place = SnapshotPlace { root, exclude, also, max_file_bytes: 1_000, surely: &[] };
    let mut on_progress = |_| {
        acts.by_ref().take(2).for_each(|act| carry_out(act, world));
        true
    };
    world.snapshots.capture(&place, &Dirty::Told, &world.shelf, &mut on_progress).unwrap();
}

/// What somebody finds who was never here before.
fn by_another(world: &World) -> Captured {
    let state = tempfile::tempdir().unwrap();
    let (root, also) = (world.root(), &world.also);
    let (root, exclude) = (root.to_str().unwrap(), &world.exclude);
    let place = SnapshotPlace { root, exclude, also, max_file_bytes: 1_000, surely: &[] };
    let fresh = Snapshots::new(state.path().to_owned());
    fresh.capture(&place, &Dirty::Anything, &world.shelf, &mut |_| true).unwrap()
}

fn verify(world: &World) -> Heard {
    let root = world.root();
    let root = root.to_str().unwrap();
    let place = SnapshotPlace { root, exclude: &[], also: &[], max_file_bytes: 1_000, surely: &[] };
    world.snapshots.verify(&place, &world.shelf, &mut |_| true).unwrap()
}

fn filled() -> World {
    let world = World::new();
    PATHS.iter().for_each(|path| world.put(path, path));
    world
}

/// A folder that is listened to: the first captures look at everything.
fn listening() -> World {
    let world = filled();
    for _ in 0..3 {
        world.capture(&Dirty::Told);
    }
    assert_eq!(verify(&world), Heard::All, "the folders for tests are of this computer");
    world
}

/// Whether each capture of what was told is one of everything, the last one too.
fn agree(steps: &[Step], dirty: &Dirty) -> Result<(), TestCaseError> {
    let world = if *dirty == Dirty::Told { listening() } else { filled() };
    for step in steps.iter().chain([&Capture]) {
        let told = match step {
            Do(act) => {
                carry_out(act, &world);
                continue;
            }
            CaptureWhile(acts) => {
                // A capture reports after every 64 files that it read.
                (0..64).for_each(|index| world.put(&format!("middle/{index}"), "is read"));
                capture_while(&world, acts);
                continue;
            }
            Wait => {
                std::thread::sleep(std::time::Duration::from_millis(25));
                continue;
            }
            Capture => world.capture(dirty),
            CaptureAll => world.all(),
        };
        let all = by_another(&world);
        prop_assert_eq!(world.paths(&told), world.paths(&all));
        prop_assert_eq!(told.tree, all.tree);
        prop_assert_eq!((told.files, told.bytes), (all.files, all.bytes));
    }
    prop_assert_ne!(verify(&world), Heard::NotAll);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_capture_of_what_was_told_is_a_capture_of_everything(
        steps in prop::collection::vec(step(), 1..60),
    ) {
        agree(&steps, &Dirty::Told)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_look_at_stamps_is_a_look_at_everything(
        rounds in prop::collection::vec(prop::collection::vec(act(), 0..4), 1..8),
    ) {
        // Nothing is listened to, and before every other look all that was seen has come of age.
        let steps = rounds.into_iter().flat_map(|acts| {
            acts.into_iter().map(Do).chain([CaptureAll, Wait, CaptureAll, Wait])
        });
        agree(&steps.collect::<Vec<_>>(), &Dirty::Anything)?;
    }
}

#[rstest]
#[case::a_directory_moved_and_then_written_into(
    vec![Do(MoveDir(1, 7)), Capture, Do(Put(7, 1))]
)]
#[case::a_directory_moved_away_another_in_its_place(
    vec![Do(MoveDir(1, 7)), Do(Put(1, 1)), Capture, Do(Put(1, 2)), Do(Put(7, 3))]
)]
#[case::a_new_directory_written_into_while_it_is_captured(
    vec![Do(RemoveDir(7)), Capture, Do(MakeDir(7)), CaptureWhile(vec![Mode(0, true), Put(3, 9), Put(8, 1)])]
)]
#[case::a_directory_moved_while_it_is_captured(
    vec![CaptureWhile(vec![MoveDir(1, 7), Put(7, 1)]), Capture, Do(Put(7, 2))]
)]
#[case::the_patterns_of_a_repository_that_came_later(
    vec![Do(Exclude(false)), Capture, Do(Exclude(true)), Capture, Do(Exclude(false))]
)]
#[case::a_second_name_inside(
    vec![Capture, Do(SecondName(1, 8)), Do(Append(8)), Capture, Do(Append(8))]
)]
#[case::the_directory_of_a_cache(vec![Do(Cache(5)), Capture, Do(Put(5, 1))])]
fn nothing_that_happens_goes_untold(#[case] steps: Vec<Step>) {
    agree(&steps, &Dirty::Told).unwrap();
}

#[test]
fn what_was_not_told_is_found_by_a_look_at_everything_and_nothing_is_believed_after_it() {
    let world = listening();
    // What was just written is looked at again.
    std::thread::sleep(std::time::Duration::from_millis(60));
    world.capture(&Dirty::Told);
    fs::hard_link(world.root().join("x"), world.dir.path().join("outside")).unwrap();
    let before = world.capture(&Dirty::Told).tree;
    fs::write(world.dir.path().join("outside"), "by another name").unwrap();
    let told = world.capture(&Dirty::Told).tree;
    assert_eq!(told, before, "nobody tells of that, or this test shows nothing");
    assert_eq!(verify(&world), Heard::NotAll);
    assert_eq!(world.capture(&Dirty::Told).tree, by_another(&world).tree);
    fs::write(world.dir.path().join("outside"), "once more").unwrap();
    assert_eq!(world.capture(&Dirty::Told).tree, by_another(&world).tree);
    assert_eq!(verify(&world), Heard::Nothing);
}

#[test]
fn a_file_with_a_name_elsewhere_is_looked_at_each_time() {
    let world = World::new();
    world.put("a", "one");
    fs::hard_link(world.root().join("a"), world.dir.path().join("outside")).unwrap();
    (0..3).for_each(|_| _ = world.capture(&Dirty::Told));
    fs::write(world.dir.path().join("outside"), "two").unwrap();
    assert_eq!(world.capture(&Dirty::Told).tree, by_another(&world).tree);
}

#[test]
fn when_more_happens_than_the_system_can_tell_everything_is_looked_at() {
    let world = listening();
    let most = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap();
    for index in 0..most.trim().parse::<usize>().unwrap() / 2 {
        // Another name each time: the same event twice in a row is told once.
        fs::write(world.root().join(format!("many{}", index % 50)), index.to_string()).unwrap();
    }
    world.put("c/d/x", "after all of it");
    assert_eq!(world.capture(&Dirty::Told).tree, by_another(&world).tree);
}

#[test]
fn other_patterns_and_another_folder_in_its_place_are_looked_at_whole() {
    let mut world = listening();
    world.exclude = vec!["c/".into()];
    assert_eq!(world.capture(&Dirty::Told).tree, by_another(&world).tree);
    world.exclude.clear();
    assert_eq!(world.capture(&Dirty::Told).tree, by_another(&world).tree);
    world.capture(&Dirty::Told);

    fs::rename(world.root(), world.dir.path().join("moved")).unwrap();
    world.put("c/d/x", "of another folder");
    let captured = world.capture(&Dirty::Told);
    assert_eq!(world.paths(&captured), ["c/d/x"]);
}

#[test]
fn four_folders_are_listened_to_those_of_which_the_last_captures_were() {
    let World { shelf, snapshots, .. } = World::new();
    let dirs: Vec<_> = (0..5).map(|_| tempfile::tempdir().unwrap()).collect();
    let place = |index: usize| SnapshotPlace {
        root: dirs[index].path().to_str().unwrap(),
        exclude: &[],
        also: &[],
        max_file_bytes: 1_000,
        surely: &[],
    };
    for index in [0, 1, 2, 3, 0, 4] {
        snapshots.capture(&place(index), &Dirty::Told, &shelf, &mut |_| true).unwrap();
    }
    let heard = (0..5).map(|index| snapshots.verify(&place(index), &shelf, &mut |_| true).unwrap());
    let heard: Vec<Heard> = heard.collect();
    assert_eq!(heard, [Heard::All, Heard::Nothing, Heard::All, Heard::All, Heard::All]);
}

/// A program that holds a file in its memory and writes there what it is told to.
const WRITES_IN_MEMORY: &str = "import mmap, sys
file = open(sys.argv[1], 'r+b')
held = mmap.mmap(file.fileno(), 0)
file.close()
for line in sys.stdin:
    held[0:1] = line[0:1].encode()
    print('done', flush=True)
";

#[test]
fn what_a_program_writes_in_its_memory_is_captured() {
    use std::io::{BufRead, BufReader, Write};
    use std::os::unix::fs::MetadataExt;
    use std::process::{Command, Stdio};
    use std::time::{SystemTime, UNIX_EPOCH};
    let world = World::new();
    world.put("deep/held.db", "a");
    world.put("other.md", "one");
    let path = world.root().join("deep/held.db");
    let mut program = Command::new("/usr/bin/python3")
        .args(["-c", WRITES_IN_MEMORY])
        .arg(&path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut told, answers) = (program.stdin.take().unwrap(), program.stdout.take().unwrap());
    let mut answers = BufReader::new(answers).lines();
    let mut write = |letter: &str| {
        writeln!(told, "{letter}").unwrap();
        assert_eq!(answers.next().unwrap().unwrap(), "done");
    };
    let said = |captured: &Captured| match &world.leaves(captured.tree)["deep/held.db"] {
        Leaf::File { id, .. } => world.shelf.get(*id).unwrap(),
        Leaf::Link { .. } => panic!("a link"),
    };
    for dirty in [Dirty::Told, Dirty::Anything] {
        write("b");
        assert_eq!(said(&world.capture(&dirty)), b"b");
        // Its stamp is old enough to be believed by now: nothing that is written from here on moves it.
        let changed = || {
            let it = path.metadata().unwrap();
            it.ctime() as u128 * 1_000_000_000 + it.ctime_nsec() as u128
        };
        let now = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos();
        while now() < changed() + 100_000_000 {
            world.capture(&dirty);
        }
        write("c");
        let captured = world.capture(&dirty);
        assert_eq!((said(&captured).as_slice(), captured.read), (b"c".as_slice(), 1));
        write("d");
    }
    // What was held at the last capture is looked at once more when it is not held any more.
    drop(told);
    program.wait().unwrap();
    assert_eq!(said(&world.all()), b"d");
    assert_eq!(world.all().not_captured, []);
}

#[test]
fn what_is_about_to_be_changed_is_read_whatever_its_stamp_says() {
    let world = World::new();
    world.put("a.md", "one");
    world.put("b.md", "one");
    while world.all().read > 0 {}
    let root = world.root();
    let place = SnapshotPlace {
        root: root.to_str().unwrap(),
        exclude: &[],
        also: &[],
        max_file_bytes: 1_000,
        surely: &[b"a.md".to_vec()],
    };
    for dirty in [Dirty::Told, Dirty::Anything] {
        let taken = world.snapshots.capture(&place, &dirty, &world.shelf, &mut |_| true).unwrap();
        assert_eq!(taken.read, 1, "{dirty:?}");
    }
}
