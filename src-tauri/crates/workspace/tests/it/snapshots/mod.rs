//! Capturing real folders and writing them back.
#![cfg(unix)]

mod restored;
#[cfg(target_os = "linux")]
mod told;
mod world;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use proptest::prelude::*;
use siltstone_engine::checkpoint::{
    Dirty, FileSnapshots, Leaf, Node, NotCapturedWhy, ObjectId, Objects, SnapshotError,
    SnapshotPlace, Tree,
};
use siltstone_workspace::Snapshots;

use world::World;

fn dirty(paths: &[&str]) -> Dirty {
    Dirty::Paths(paths.iter().map(|path| path.as_bytes().to_vec()).collect())
}

#[test]
fn what_git_ignores_and_what_is_excluded_is_not_captured_and_the_rest_is() {
    let mut world = World::new();
    world.exclude = vec!["*.secret".into(), "/private".into()];
    world.also = vec!["build/keep.txt".into()];
    for path in [
        "src/a.rs",
        "deep/er/b.rs",
        "build/out.o",
        "build/keep.txt",
        "x.secret",
        "private/y",
        "nested/.git/config",
        "nested/c.rs",
        ".env",
        "node_modules/m/i.js",
        "한글 이름.txt",
    ] {
        world.put(path, path);
    }
    world.put(".gitignore", "build/\n");
    world.put("large", &"x".repeat(1_001));
    symlink("/etc/passwd", world.root().join("link")).unwrap();
    let fifo = world.root().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let captured = world.all();
    assert_eq!(
        world.paths(&captured),
        [
            ".gitignore",
            "build/keep.txt",
            "deep/er/b.rs",
            "link",
            "nested/c.rs",
            "src/a.rs",
            "한글 이름.txt"
        ]
    );
    let leaves = world.leaves(captured.tree);
    assert_eq!(leaves["link"], Leaf::Link { target: b"/etc/passwd".to_vec() });
    let mut missed: Vec<(&str, NotCapturedWhy)> =
        captured.not_captured.iter().map(|it| (it.path.as_str(), it.why)).collect();
    missed.sort_by_key(|it| it.0);
    use NotCapturedWhy::{Excluded, NotRegular, TooLarge};
    assert_eq!(
        missed,
        [
            (".env", Excluded),
            ("large", TooLarge),
            ("pipe", NotRegular),
            ("private/y", Excluded),
            ("x.secret", Excluded)
        ]
    );
}

/// Whatever patterns say, and however the folder is looked at: by going there, by stamps, by what is told.
#[test]
fn where_the_project_keeps_its_checkpoints_nothing_is_captured() {
    let mut world = World::new();
    world.put(".siltstone/notes.txt", "mine");
    world.put(".siltstone/checkpoints/one/a.pack", "not mine");
    world.put("deep/.siltstone/checkpoints/b.txt", "mine too");
    let ours = [".siltstone/notes.txt", "deep/.siltstone/checkpoints/b.txt"];
    assert_eq!(world.paths(&world.all()), ours);
    world.put(".siltstone/checkpoints/one/c.pack", "not mine");
    world.put(".siltstone/more.txt", "mine");
    let ours = [".siltstone/more.txt", ".siltstone/notes.txt", "deep/.siltstone/checkpoints/b.txt"];
    let told = world.capture(&dirty(&[".siltstone/more.txt", ".siltstone/checkpoints/one/c.pack"]));
    assert_eq!(world.paths(&told), ours);
    assert_eq!(world.paths(&world.all()), ours);
    world.also = vec!["**".into()];
    assert_eq!(world.paths(&world.all()), ours);
}

#[test]
fn a_second_capture_reads_what_changed() {
    let world = World::new();
    for index in 0..200 {
        world.put(&format!("d{}/f{index}", index % 10), &index.to_string());
    }
    let first = world.all();
    assert_eq!((first.files, first.read), (200, 200));
    std::thread::sleep(std::time::Duration::from_millis(60));
    // Those were written too shortly before they were read to be trusted.
    let settled = world.all();
    assert_eq!(settled.tree, first.tree);
    world.put("d3/f3", "changed");
    world.put("new/one", "new");
    fs::remove_file(world.root().join("d4/f4")).unwrap();
    let second = world.all();
    assert_eq!((second.files, second.read), (200, 2));

    let again = Snapshots::new(world.dir.path().join("state"));
    let world = World { snapshots: again, ..world };
    std::thread::sleep(std::time::Duration::from_millis(60));
    assert!(world.all().read <= 2, "stamps are remembered over runs");
}

#[test]
fn a_change_under_the_same_stamp_is_seen() {
    let world = World::new();
    world.put("a", "one");
    for text in ["two", "six", "ten", "1st", "2nd"] {
        world.put("a", text);
        let captured = world.all();
        let leaf = Leaf::File { id: ObjectId::of(text.as_bytes()), size: 3, mode: 0o644 };
        assert_eq!(world.leaves(captured.tree)["a"], leaf, "written and captured in one instant");
    }
}

#[test]
fn a_capture_forgets_what_nobody_keeps_any_more() {
    let world = World::new();
    world.put("a/b", "text");
    world.all();
    std::thread::sleep(std::time::Duration::from_millis(60));
    world.all();
    world.shelf.0.lock().unwrap().clear();
    let captured = world.all();
    assert_eq!(captured.read, 1, "read again, because its content is gone");
    assert_eq!(world.paths(&captured), ["a/b"]);
}

#[test]
fn a_path_is_written_whole_and_only_while_it_is_what_the_plan_says() {
    let world = World::new();
    world.put("run.sh", "echo 1");
    fs::set_permissions(world.root().join("run.sh"), fs::Permissions::from_mode(0o750)).unwrap();
    world.put("dir/inner/file", "kept");
    symlink("nowhere", world.root().join("link")).unwrap();
    let then = world.all();
    let leaves = world.leaves(then.tree);
    world.put("run.sh", "echo 2");
    fs::remove_dir_all(world.root().join("dir")).unwrap();
    fs::remove_file(world.root().join("link")).unwrap();
    let now = world.all();
    let found = world.leaves(now.tree);

    let (path, old) = (b"run.sh".as_slice(), &leaves["run.sh"]);
    world.put("run.sh", "changed meanwhile");
    let refused = world.write(path, Some(&found["run.sh"]), Some(old));
    assert_eq!(refused, Err(SnapshotError::Changed { path: "run.sh".into() }));
    assert_eq!(fs::read_to_string(world.root().join("run.sh")).unwrap(), "changed meanwhile");
    world.put("run.sh", "echo 2");
    world.restore(now.tree, then.tree);
    assert_eq!(world.all().tree, then.tree, "content, modes and links");
    world.restore(then.tree, now.tree);
    assert!(!world.root().join("dir").exists(), "empty directories go");
    assert_eq!(world.write(path, Some(old), Some(&found["run.sh"])), Ok(()), "done already");
}

#[test]
fn nothing_is_written_outside_of_the_folder() {
    let world = World::new();
    let outside = world.dir.path().join("outside");
    fs::create_dir(&outside).unwrap();
    symlink(&outside, world.root().join("way")).unwrap();
    let id = world.shelf.put(b"x").unwrap();
    let leaf = Leaf::File { id, size: 1, mode: 0o644 };
    for path in ["way/x", "../x", "/tmp/siltstone-x", "a/../../x"] {
        assert!(world.write(path.as_bytes(), None, Some(&leaf)).is_err(), "{path}");
    }
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    assert!(!world.dir.path().join("x").exists() && !Path::new("/tmp/siltstone-x").exists());
}

#[derive(Clone, Debug)]
enum Act {
    Put(usize, u8),
    Remove(usize),
    RemoveDir(usize),
    Ignore(bool),
}

const PATHS: [&str; 8] = ["a", "b/c", "b/d", "e/f/g", "e/f/h", "e/i", "j/k/l/m", "j/n"];

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        6 => (0..PATHS.len(), any::<u8>()).prop_map(|(path, text)| Act::Put(path, text)),
        3 => (0..PATHS.len()).prop_map(Act::Remove),
        1 => (0..PATHS.len()).prop_map(Act::RemoveDir),
        1 => any::<bool>().prop_map(Act::Ignore),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// Looking where something changed finds what looking everywhere finds.
    #[test]
    fn a_capture_of_what_changed_is_a_capture_of_everything(
        rounds in prop::collection::vec(prop::collection::vec(act(), 0..6), 1..6),
    ) {
        let world = World::new();
        world.all();
        for round in rounds {
            let mut touched = Vec::new();
            for act in round {
                let file = |index: usize| world.root().join(PATHS[index]);
                match act {
                    Act::Put(path, text) => {
                        let file = file(path);
                        fs::create_dir_all(file.parent().unwrap()).unwrap();
                        fs::write(file, [text]).unwrap();
                        touched.push(PATHS[path].to_owned());
                    }
                    Act::Remove(path) => {
                        let _ = fs::remove_file(file(path));
                        touched.push(PATHS[path].to_owned());
                    }
                    Act::RemoveDir(path) => {
                        let Some((dir, _)) = PATHS[path].split_once('/') else { continue };
                        let _ = fs::remove_dir_all(world.root().join(dir));
                        touched.push(dir.to_owned());
                    }
                    Act::Ignore(on) => {
                        let lines = if on { "g\nk/\n" } else { "\n" };
                        fs::write(world.root().join(".gitignore"), lines).unwrap();
                        touched.push(".gitignore".to_owned());
                    }
                }
            }
            let touched: Vec<&str> = touched.iter().map(String::as_str).collect();
            let some = world.capture(&dirty(&touched));
            let fresh = Snapshots::new(world.dir.path().join("none"));
            let root = world.root();
            let place = SnapshotPlace {
                root: root.to_str().unwrap(), exclude: &[], also: &[], max_file_bytes: 1_000,
                surely: &[],
            };
            let all = fresh.capture(&place, &Dirty::Anything, &world.shelf, &mut |_| true).unwrap();
            let _ = fs::remove_dir_all(world.dir.path().join("none"));
            prop_assert_eq!(world.paths(&some), world.paths(&all));
            prop_assert_eq!(some.tree, all.tree);
            prop_assert_eq!((some.files, some.bytes), (all.files, all.bytes));
        }
    }
}

#[test]
fn a_name_that_is_not_unicode_is_kept() {
    use std::os::unix::ffi::OsStrExt;
    let world = World::new();
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9.txt");
    fs::write(world.root().join(name), "text").unwrap();
    let then = world.all();
    fs::remove_file(world.root().join(name)).unwrap();
    let now = world.all();
    world.restore(now.tree, then.tree);
    assert_eq!(fs::read_to_string(world.root().join(name)).unwrap(), "text");
    let tree =
        Tree::decode(then.tree.unwrap(), &world.shelf.get(then.tree.unwrap()).unwrap()).unwrap();
    assert!(matches!(tree.get(b"caf\xe9.txt"), Some(Node::Leaf(Leaf::File { .. }))));
}
