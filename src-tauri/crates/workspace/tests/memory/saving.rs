//! Saving in place of what was opened, beside writers that respect nothing.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use siltstone_engine::memory::{MemoryDocument, SaveError};

use crate::Desk;

/// Where there is a file system in memory, thousands of flushes cost nothing there.
fn quick() -> std::path::PathBuf {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() }
}

#[test]
fn a_new_file_is_made_with_the_folder_that_belongs_to_its_name() {
    let desk = Desk::new(&[("src/main.rs", "")]);
    for path in ["AGENTS.md", "src/.gemini/GEMINI.md", ".cursor/rules/ko/style.md"] {
        let empty = desk.open(path).unwrap();
        assert_eq!((empty.text.as_str(), &empty.hash, empty.writable), ("", &None, true));
        let saved = desk.save(path, "# 규칙", None).unwrap();
        assert_eq!(fs::read(desk.at(path)).unwrap(), "# 규칙\n".as_bytes());
        assert_eq!(desk.open(path).unwrap(), saved);
        let twice = desk.save(path, "other", None);
        assert_eq!(twice, Err(SaveError::Changed { now: saved }));
    }
    assert!(desk.save("nowhere/AGENTS.md", "x", None).is_err());
    assert!(!desk.at("nowhere").exists());

    let global = desk.home.path().canonicalize().unwrap().join(".config/siltstone/AGENTS.md");
    let path = global.to_str().unwrap();
    desk.save(path, "mine\n", None).unwrap();
    assert_eq!(fs::read_to_string(&global).unwrap(), "mine\n");
}

#[cfg(unix)]
#[test]
fn mode_link_line_endings_mark_and_last_line_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let desk = Desk::new(&[]);
    desk.put("docs/rules.md", b"\xEF\xBB\xBFone\r\ntwo");
    fs::set_permissions(desk.at("docs/rules.md"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("docs/rules.md", desk.at("AGENTS.md")).unwrap();
    let opened = desk.open("AGENTS.md").unwrap();
    assert_eq!(opened.text, "one\ntwo");
    let saved = desk.save("AGENTS.md", "one\n2\nthree\n", opened.hash.as_deref()).unwrap();
    assert_eq!(saved.text, "one\n2\nthree");
    assert_eq!(fs::read(desk.at("docs/rules.md")).unwrap(), b"\xEF\xBB\xBFone\r\n2\r\nthree");
    assert!(desk.at("AGENTS.md").symlink_metadata().unwrap().is_symlink());
    let mode = fs::metadata(desk.at("docs/rules.md")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    let left = fs::read_dir(desk.at("docs")).unwrap().count();
    assert_eq!(left, 1, "nothing is left beside the file");
}

#[cfg(unix)]
#[test]
fn what_may_not_or_cannot_be_written_stays() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let desk = Desk::new(&[("AGENTS.md", "locked\n")]);
    let korean = b"\xB1\xD4\xC4\xA2: \xC0\xFD\xB4\xEB\xB7\xCE \xB9\xD9\xB2\xD9\xC1\xF6 \xB8\xB6\xBC\xBC\xBF\xE4\n";
    desk.put("old/AGENTS.md", korean);
    fs::set_permissions(desk.at("AGENTS.md"), fs::Permissions::from_mode(0o444)).unwrap();
    let locked = desk.open("AGENTS.md").unwrap();
    assert!(!locked.writable);
    let refused = desk.save("AGENTS.md", "x", locked.hash.as_deref());
    assert!(matches!(refused, Err(SaveError::ReadOnly { .. })), "{refused:?}");
    let old = desk.open("old/AGENTS.md").unwrap();
    let refused = desk.save("old/AGENTS.md", "🙂", old.hash.as_deref());
    assert!(matches!(refused, Err(SaveError::ReadOnly { .. })), "{refused:?}");
    assert_eq!(fs::read(desk.at("old/AGENTS.md")).unwrap(), korean);
    let changed = old.text.replace("절대로", "꼭");
    desk.save("old/AGENTS.md", &changed, old.hash.as_deref()).unwrap();
    assert_eq!(desk.open("old/AGENTS.md").unwrap().text, changed);

    // A link is followed to where a file is, never to where one would be made.
    symlink("/tmp/siltstone-must-not-exist", desk.at("old/CLAUDE.md")).unwrap();
    fs::create_dir(desk.at("new")).unwrap();
    symlink(desk.home.path(), desk.at("new/.gemini")).unwrap();
    for path in ["old/CLAUDE.md", "new/.gemini/GEMINI.md"] {
        assert!(desk.save(path, "x", None).is_err(), "{path}");
    }
    assert_eq!(fs::read_dir(desk.home.path()).unwrap().count(), 0);
    assert!(!Path::new("/tmp/siltstone-must-not-exist").exists());
}

/// What happens to one file, in turns.
#[derive(Clone, Debug)]
enum Act {
    /// An editor of ours opens it.
    Open(usize),
    /// An editor of ours saves its text with one more line.
    Save(usize),
    /// Another program adds a line: by a new file in its place, at its end, or by writing all of it again.
    Renames,
    Appends,
    Rewrites,
    /// It is deleted and written again with one more line.
    Replaces,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        (0..2usize).prop_map(Act::Open),
        (0..2usize).prop_map(Act::Save),
        Just(Act::Renames),
        Just(Act::Appends),
        Just(Act::Rewrites),
        Just(Act::Replaces),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 625, ..ProptestConfig::default() })]

    /// 625 runs of 8 acts: 5,000 turns of five kinds of writers.
    #[test]
    fn no_line_is_lost_between_writers(acts in proptest::collection::vec(act(), 8)) {
        let desk = Desk::beneath(&quick(), &[("AGENTS.md", "first\n")]);
        let file = desk.at("AGENTS.md");
        let mut lines = vec![String::from("first")];
        let first = desk.open("AGENTS.md").unwrap();
        let mut editors: Vec<MemoryDocument> = vec![first.clone(), first];
        for (turn, act) in acts.into_iter().enumerate() {
            let line = format!("{turn}");
            let whole = || format!("{}{line}\n", fs::read_to_string(&file).unwrap());
            match act {
                Act::Open(editor) => {
                    editors[editor] = desk.open("AGENTS.md").unwrap();
                    continue;
                }
                Act::Save(editor) => {
                    let held = &editors[editor];
                    let text = format!("{}{line}\n", held.text);
                    let on_disk = fs::read_to_string(&file).unwrap();
                    match desk.save("AGENTS.md", &text, held.hash.as_deref()) {
                        Ok(saved) => {
                            prop_assert_eq!(&held.text, &on_disk, "nothing else was replaced");
                            editors[editor] = saved;
                        }
                        Err(SaveError::Changed { now }) => {
                            prop_assert_eq!(&now.text, &on_disk, "the loser is told what won");
                            prop_assert_ne!(&held.text, &on_disk);
                            editors[editor] = now;
                            continue;
                        }
                        Err(other) => panic!("{other}"),
                    }
                }
                Act::Renames => {
                    fs::write(desk.at(".swp"), whole()).unwrap();
                    fs::rename(desk.at(".swp"), &file).unwrap();
                }
                Act::Appends => {
                    use std::io::Write;
                    let mut at_end = fs::OpenOptions::new().append(true).open(&file).unwrap();
                    writeln!(at_end, "{line}").unwrap();
                }
                Act::Rewrites => fs::write(&file, whole()).unwrap(),
                Act::Replaces => {
                    let text = whole();
                    fs::remove_file(&file).unwrap();
                    fs::write(&file, text).unwrap();
                }
            }
            lines.push(line);
        }
        let on_disk = fs::read_to_string(&file).unwrap();
        prop_assert_eq!(on_disk.lines().collect::<Vec<_>>(), lines);
    }
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
#[test]
fn a_text_that_arrives_in_the_middle_of_a_save_is_not_replaced() {
    use std::thread::sleep;
    use std::time::Duration;

    let desk = Desk::beneath(&quick(), &[("AGENTS.md", "0\n")]);
    let file = desk.at("AGENTS.md");
    // A program that puts a new file in the place of another, and looks for its own text before the next one: each of
    // its texts must still be there, or be what one of ours was made from.
    let lost = std::thread::scope(|scope| {
        let outsider = scope.spawn(|| {
            let mut lost = Vec::new();
            for turn in 0..1_500_u64 {
                let text = format!("outside {turn}\n");
                fs::write(desk.at(".swp"), &text).unwrap();
                fs::rename(desk.at(".swp"), &file).unwrap();
                sleep(Duration::from_micros(turn % 7 * 500));
                let is_there = || fs::read_to_string(&file).unwrap().starts_with(&text);
                // What was exchanged by mistake is put back at once.
                if !is_there() {
                    sleep(Duration::from_millis(200));
                    if !is_there() {
                        lost.push(turn);
                    }
                }
            }
            lost
        });
        let mut opened = desk.open("AGENTS.md").unwrap();
        while !outsider.is_finished() {
            let text = format!("{}ours\n", opened.text);
            opened = match desk.save("AGENTS.md", &text, opened.hash.as_deref()) {
                Ok(saved) => saved,
                Err(SaveError::Changed { now }) => now,
                Err(other) => panic!("{other}"),
            };
        }
        outsider.join().unwrap()
    });
    assert_eq!(lost, Vec::<u64>::new());
}
