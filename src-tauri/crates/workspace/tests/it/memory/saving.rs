//! Saving in place of what was opened, beside writers that respect nothing.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use siltstone_engine::memory::{MemoryDocument, SaveError};

use super::desk::{Desk, quick};

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

#[cfg(unix)]
#[test]
fn what_a_save_that_was_cut_short_left_goes_at_the_next_one() {
    let desk = Desk::new(&[("docs/AGENTS.md", "one\n")]);
    for left in ["docs/.siltstone-4194305-0", "docs/.siltstone-7-12", ".siltstone-7-0"] {
        desk.put(left, b"half");
    }
    for other in ["docs/.siltstone-notes", "docs/.siltstone-7-x", "docs/.siltstone-7-1/a"] {
        desk.put(other, b"of the person");
    }
    let opened = desk.open("docs/AGENTS.md").unwrap();
    desk.save("docs/AGENTS.md", "two\n", opened.hash.as_deref()).unwrap();
    let entries = fs::read_dir(desk.at("docs")).unwrap();
    let mut names: Vec<_> =
        entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, [".siltstone-7-1", ".siltstone-7-x", ".siltstone-notes", "AGENTS.md"]);
    assert!(desk.at(".siltstone-7-0").exists(), "of another folder, which nobody has locked");
}

/// How a file may be written: its mark, its encoding (`None` for the two of 16 bits, low byte first or last), words.
#[cfg(unix)]
type Written = (&'static [u8], Option<&'static encoding_rs::Encoding>, bool, [&'static str; 4]);

/// Words whose bytes look like line ends where they are none are among them.
#[cfg(unix)]
const WRITTEN: [Written; 7] = {
    use encoding_rs::{EUC_KR, SHIFT_JIS, UTF_8, WINDOWS_1252};

    let any = ["", "- 반드시 지켜요 🙂", "\u{0A0D}\u{0D0A}\u{0A0A}", "\tplain  "];
    let korean = ["", "규칙: 절대로 바꾸지 않습니다.", "포트는 5433번이에요.", "plain"];
    let japanese = ["", "設定ファイルを読み込みます。", "ポートは五千です∵", "plain"];
    let french = ["", "Le café n'est pas fermé.", "Déjà vu à l'été", "plain"];
    [
        (b"", Some(UTF_8), false, any),
        (b"\xEF\xBB\xBF", Some(UTF_8), false, any),
        (b"\xFF\xFE", None, false, any),
        (b"\xFE\xFF", None, true, any),
        (b"", Some(EUC_KR), false, korean),
        (b"", Some(SHIFT_JIS), false, japanese),
        (b"", Some(WINDOWS_1252), false, french),
    ]
};

#[cfg(unix)]
fn encoded((_, encoding, high_first, _): &Written, text: &str) -> Vec<u8> {
    let Some(encoding) = encoding else {
        let bytes = if *high_first { u16::to_be_bytes } else { u16::to_le_bytes };
        return text.encode_utf16().flat_map(bytes).collect();
    };
    let (bytes, _, lossy) = encoding.encode(text);
    assert!(!lossy);
    // The sign has two codes, and the usual one is not the one that this file has.
    if text.ends_with('∵') {
        [&bytes[..bytes.len() - 2], b"\x87\x9A"].concat()
    } else {
        bytes.into()
    }
}

#[cfg(unix)]
proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn one_changed_line_changes_no_other_byte(
        how in 0..WRITTEN.len(),
        lines in proptest::collection::vec((0..4usize, any::<bool>()), 1..10),
        (mixed, crlf, ends, linked) in any::<(bool, bool, bool, bool)>(),
        mode in proptest::sample::select(vec![0o600, 0o640, 0o644, 0o664, 0o755]),
        at in any::<proptest::sample::Index>(),
    ) {
        use std::os::unix::fs::{PermissionsExt, symlink};

        let how = &WRITTEN[how];
        let (at, last) = (at.index(lines.len()), lines.len() - 1);
        let bytes = |changed: bool| {
            let mut bytes = how.0.to_vec();
            for (line, (word, own)) in lines.iter().enumerate() {
                // An empty last line without an end would be no line.
                let word = how.3[if line == last { (*word).max(1) } else { *word }];
                bytes.extend(encoded(how, if changed && line == at { "changed" } else { word }));
                let ending = if if mixed { *own } else { crlf } { "\r\n" } else { "\n" };
                bytes.extend(encoded(how, if line == last && !ends { "" } else { ending }));
            }
            bytes
        };
        let desk = Desk::beneath(&quick(), &[]);
        let (name, real) = ("AGENTS.md", if linked { "docs/rules.md" } else { "AGENTS.md" });
        desk.put(real, &bytes(false));
        if linked {
            symlink("./docs/../docs/rules.md", desk.at(name)).unwrap();
        }
        fs::set_permissions(desk.at(real), fs::Permissions::from_mode(mode)).unwrap();

        let opened = desk.open(name).unwrap();
        let mut text: Vec<&str> = opened.text.split('\n').collect();
        text[at] = "changed";
        let saved = desk.save(name, &text.join("\n"), opened.hash.as_deref()).unwrap();
        prop_assert_eq!(fs::read(desk.at(real)).unwrap(), bytes(true));
        prop_assert_eq!(fs::metadata(desk.at(real)).unwrap().permissions().mode() & 0o7777, mode);
        prop_assert_eq!(fs::read_dir(desk.at(real).parent().unwrap()).unwrap().count(), 1);
        if linked {
            let to = fs::read_link(desk.at(name)).unwrap();
            prop_assert_eq!(to.to_str(), Some("./docs/../docs/rules.md"));
        }
        prop_assert_eq!(desk.open(name).unwrap(), saved);
    }
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
    use std::time::{Duration, Instant};

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
                // What was exchanged by mistake is put back, at once or when the other thread has its turn.
                let ends = Instant::now() + Duration::from_secs(600);
                // Looked at once a time: between two looks it may be exchanged again, and be put back again.
                while !is_there() {
                    if Instant::now() > ends {
                        lost.push(turn);
                        break;
                    }
                    sleep(Duration::from_millis(5));
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
