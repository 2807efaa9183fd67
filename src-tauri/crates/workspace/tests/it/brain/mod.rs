//! The folder `.ai-brain` over real files: comparing, setting aside, copies, git, and folders that are made to lead it
//! out. What happens when processes race or are killed is in `racing`.

mod racing;

use std::fs;
use std::path::Path;

use rstest::rstest;
use siltstone_engine::Timestamp;
use siltstone_engine::session::{
    BrainFile, BrainFiles, SessionError, SessionFiles, Snapshot, overdue,
};
use siltstone_workspace::Folders;
use tempfile::TempDir;

use BrainFile::{Context, Workflow};

fn project() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn at(folder: &Path) -> &str {
    folder.to_str().unwrap()
}

fn files() -> Folders {
    Folders::of(None, None)
}

fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

fn now() -> Timestamp {
    "2026-11-22T09:00:00Z".parse().unwrap()
}

fn conflict(name: &str) -> SessionError {
    SessionError::Conflict { name: name.into() }
}

fn refused(name: &str) -> SessionError {
    SessionError::Refused { name: name.into() }
}

#[test]
fn a_file_is_written_only_in_place_of_what_is_known() {
    let temp = project();
    let (files, root) = (files(), at(temp.path()));
    assert_eq!(files.read(root).unwrap(), BrainFiles::default());
    let first = files.write(root, Context, b"one", None).unwrap();
    assert_eq!(first, hash(b"one"));
    assert_eq!(files.write(root, Context, b"two", None), Err(conflict("context.json")));
    let other = hash(b"other");
    assert_eq!(files.write(root, Context, b"two", Some(&other)), Err(conflict("context.json")));
    let second = files.write(root, Context, b"two", Some(&first)).unwrap();
    files.write(root, Workflow, b"work", None).unwrap();

    let there = files.read(root).unwrap();
    assert_eq!((there.exists, there.in_git, there.lock), (true, None, None));
    assert_eq!(there.context.unwrap().hash, second);
    assert_eq!(there.workflow.unwrap().bytes, b"work");
    let names = fs::read_dir(temp.path().join(".ai-brain")).unwrap();
    assert_eq!(names.count(), 2, "nothing is left beside them");

    assert_eq!(files.remove(root, Context, &first), Err(conflict("context.json")));
    files.remove(root, Context, &second).unwrap();
    assert_eq!(files.read(root).unwrap().context, None);
}

#[test]
fn a_broken_file_is_set_aside_with_its_bytes() {
    let temp = project();
    let (files, root) = (files(), at(temp.path()));
    for ending in ["", "_"] {
        let hash = files.write(root, Context, b"{\"broken", None).unwrap();
        assert_eq!(files.set_aside(root, Context, "0"), Err(conflict("context.json")));
        let name = files.set_aside(root, Context, &hash).unwrap();
        assert_eq!(name, format!("context.json.broken-{}{ending}", &hash[..8]));
        let aside = temp.path().join(".ai-brain").join(name);
        assert_eq!(fs::read(aside).unwrap(), b"{\"broken");
        assert_eq!(files.read(root).unwrap().context, None);
    }
}

#[test]
fn copies_are_numbered_read_and_deleted_by_the_rule() {
    let temp = project();
    let (files, root) = (files(), at(temp.path()));
    assert_eq!(files.snapshots(root), Ok(Vec::new()));
    for number in 0..50_u8 {
        assert!(files.put_snapshot(root, Context, &[number], now()).unwrap().is_some());
        assert_eq!(files.put_snapshot(root, Context, &[number], now()).unwrap(), None);
    }
    let of_work = files.put_snapshot(root, Workflow, &[49], now()).unwrap().unwrap();
    assert_eq!(of_work.number, 51);
    let all = files.snapshots(root).unwrap();
    assert_eq!(all.iter().map(|it| it.number).collect::<Vec<_>>(), (1..=51).collect::<Vec<_>>());
    assert_eq!(files.read_snapshot(root, &all[7]).unwrap(), [7]);
    let old = overdue(&all);
    assert_eq!(old.iter().map(|it| it.number).collect::<Vec<_>>(), [2, 1]);
    files.delete_snapshots(root, &old).unwrap();
    files.delete_snapshots(root, &old).unwrap();
    assert_eq!(files.snapshots(root).unwrap().len(), 49);
    assert!(matches!(files.read_snapshot(root, &old[0]), Err(SessionError::Io { .. })));
    // One that is not what was copied is named and not given.
    let of_work_path = temp.path().join(".ai-brain/snapshots").join(of_work.name());
    fs::write(of_work_path, [50]).unwrap();
    let damaged = SessionError::Damaged { name: of_work.name() };
    assert_eq!(files.read_snapshot(root, &of_work), Err(damaged));
    // Another's file is no copy.
    fs::write(temp.path().join(".ai-brain/snapshots/context-1.json"), "x").unwrap();
    assert_eq!(files.snapshots(root).unwrap().len(), 49);
}

#[rstest]
#[case::none(None, b"", ".ai-brain/\n", true)]
#[case::windows(Some("target\r\n*.log\r\n"), b"", "target\r\n*.log\r\n.ai-brain/\r\n", true)]
#[case::no_end(Some("target"), b"", "target\n.ai-brain/", true)]
#[case::mark(Some("target\n"), b"\xEF\xBB\xBF", "target\n.ai-brain/\n", true)]
#[case::already(Some("/.ai-brain\n"), b"", "/.ai-brain\n", false)]
#[case::all_hidden(Some(".*\n!.gitignore\n"), b"", ".*\n!.gitignore\n", false)]
#[case::taken_back(Some(".*\n!.ai-brain/\n"), b"", ".*\n!.ai-brain/\n.ai-brain/\n", true)]
fn section_5_git_leaves_the_folder_out(
    #[case] before: Option<&str>,
    #[case] mark: &[u8],
    #[case] after: &str,
    #[case] changed: bool,
) {
    let temp = project();
    let (files, root) = (files(), at(temp.path()));
    let ignore = temp.path().join(".gitignore");
    let whole = |text: &str| [mark, text.as_bytes()].concat();
    if let Some(before) = before {
        fs::write(&ignore, whole(before)).unwrap();
    }
    // No repository, no reason to touch anything.
    assert_eq!(files.ignore(root), Ok(false));
    fs::create_dir(temp.path().join(".git")).unwrap();
    assert_eq!(files.read(root).unwrap().in_git, Some(changed));
    assert_eq!(files.ignore(root), Ok(changed));
    assert_eq!(fs::read(&ignore).unwrap(), whole(after));
    assert_eq!(files.read(root).unwrap().in_git, Some(false));
    assert_eq!(files.ignore(root), Ok(false));
}

#[test]
fn a_project_inside_a_repository_hears_what_the_repository_says() {
    let temp = project();
    fs::create_dir(temp.path().join(".git")).unwrap();
    let inner = temp.path().join("apps/one");
    fs::create_dir_all(&inner).unwrap();
    let (files, root) = (files(), at(&inner));
    assert_eq!(files.read(root).unwrap().in_git, Some(true));
    fs::write(temp.path().join(".gitignore"), ".ai-brain/\n").unwrap();
    assert_eq!(files.ignore(root), Ok(false));
    fs::write(inner.join(".gitignore"), "!.ai-brain/\n").unwrap();
    assert_eq!(files.ignore(root), Ok(true));
}

#[test]
fn the_home_has_no_session_of_its_own() {
    let temp = project();
    let home = temp.path().canonicalize().unwrap();
    let files = Folders::of(Some(home.clone()), None);
    let too_wide = SessionError::TooWide { root: at(&home).to_owned() };
    assert_eq!(files.write(at(&home), Context, b"x", None), Err(too_wide.clone()));
    assert_eq!(files.read(at(&home)), Err(too_wide));
    assert!(!home.join(".ai-brain").exists());
    fs::create_dir(home.join("code")).unwrap();
    assert!(files.write(at(&home.join("code")), Context, b"x", None).is_ok());
}

/// Safety T7: a folder that somebody else made leads nowhere.
#[cfg(unix)]
#[test]
fn no_link_is_followed() {
    use std::os::unix::fs::symlink;
    let temp = project();
    let (outside, root) = (temp.path().join("outside"), temp.path().join("project"));
    for folder in [&outside, &root] {
        fs::create_dir(folder).unwrap();
    }
    fs::write(outside.join("context.json"), "secret").unwrap();
    let brain = root.join(".ai-brain");
    symlink(&outside, &brain).unwrap();
    let (files, path) = (files(), at(&root));
    assert_eq!(files.read(path), Err(refused(".ai-brain")));
    assert_eq!(files.write(path, Context, b"x", None), Err(refused(".ai-brain")));
    assert_eq!(files.put_snapshot(path, Context, b"x", now()), Err(refused(".ai-brain")));

    fs::remove_file(&brain).unwrap();
    fs::create_dir(&brain).unwrap();
    symlink(outside.join("context.json"), brain.join("context.json")).unwrap();
    symlink(&outside, brain.join("snapshots")).unwrap();
    assert_eq!(files.read(path), Err(refused("context.json")));
    let known = hash(b"secret");
    assert_eq!(files.write(path, Context, b"x", Some(&known)), Err(refused("context.json")));
    assert_eq!(files.put_snapshot(path, Context, b"x", now()), Err(refused("snapshots")));
    let copy = Snapshot { file: Context, number: 1, at: now(), hash: "0a1b2c3d".into() };
    assert_eq!(files.delete_snapshots(path, &[copy]), Err(refused("snapshots")));

    fs::create_dir(root.join(".git")).unwrap();
    symlink(outside.join("ignored"), root.join(".gitignore")).unwrap();
    assert_eq!(files.ignore(path), Err(refused(".gitignore")));
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
    assert_eq!(fs::read(outside.join("context.json")).unwrap(), b"secret");
}
