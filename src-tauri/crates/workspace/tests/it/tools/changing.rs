//! Editing, writing, moving and deleting.

use encoding_rs::EUC_KR;
use siltstone_engine::tool::{ChangeKind, ToolError};

use super::world::*;

#[test]
fn an_edit_is_planned_and_then_made() {
    let project = Project::of(&[("src/a.rs", "fn main() {\n    run(5433);\n}\n")]);
    let call = edit("src/a.rs", "run(5433)", "run(8080)");
    let planned = project.plan(&call).unwrap();
    assert_eq!((planned.path.as_str(), &planned.kind), ("src/a.rs", &ChangeKind::Edit));
    assert_eq!(planned.before.as_deref(), Some("fn main() {\n    run(5433);\n}\n"));
    assert_eq!(planned.after.as_deref(), Some("fn main() {\n    run(8080);\n}\n"));
    assert_eq!(planned.stamp, blake3::hash(&project.bytes("src/a.rs")).to_hex().to_string());
    assert_eq!(project.bytes("src/a.rs"), planned.before.clone().unwrap().as_bytes());

    let answer = project.carry_out(&call, &planned).unwrap();
    assert_eq!(answer.touched, ["src/a.rs"]);
    assert!(answer.text.contains("-    run(5433);\n+    run(8080);\n"), "{}", answer.text);
    assert_eq!(project.bytes("src/a.rs"), planned.after.clone().unwrap().as_bytes());
    let again = project.carry_out(&call, &planned);
    assert_eq!(again, Err(ToolError::Changed { path: "src/a.rs".into() }));
}

#[test]
fn what_was_changed_meanwhile_is_left_alone() {
    let project = Project::of(&[("a.md", "one\n"), ("b.md", "two\n"), ("c.md", "three\n")]);
    let calls = [
        edit("a.md", "one", "1"),
        write("b.md", "2\n"),
        delete("c.md"),
        rename("c.md", "d.md"),
        write("new.md", "mine\n"),
    ];
    let planned: Vec<_> = calls.iter().map(|call| project.plan(call).unwrap()).collect();
    for path in ["a.md", "b.md", "c.md", "new.md"] {
        project.put(path, b"the person's\n");
    }
    for (call, planned) in calls.iter().zip(&planned) {
        let result = project.carry_out(call, planned);
        assert_eq!(result, Err(ToolError::Changed { path: planned.path.clone() }));
    }
    for path in ["a.md", "b.md", "c.md", "new.md"] {
        assert_eq!(project.bytes(path), b"the person's\n");
    }
    // Gone is changed, too.
    std::fs::remove_file(project.root().join("a.md")).unwrap();
    assert_eq!(
        project.carry_out(&calls[0], &planned[0]),
        Err(ToolError::Changed { path: "a.md".into() })
    );
}

#[test]
fn a_plan_is_of_its_own_call_alone() {
    let project = Project::of(&[("a.md", "one\n"), ("b.md", "one\n")]);
    let planned = project.plan(&edit("a.md", "one", "1")).unwrap();
    for call in [edit("b.md", "one", "1"), delete("a.md"), rename("a.md", "c.md")] {
        let result = project.carry_out(&call, &planned);
        assert_eq!(result, Err(ToolError::Changed { path: "a.md".into() }), "{call:?}");
    }
    assert_eq!(project.text(&list("")), "a.md  4 bytes\nb.md  4 bytes\n");
}

#[test]
fn an_edit_that_is_not_exact_says_what_to_do() {
    let project =
        Project::of(&[("a.md", "port = 5433\nport = 5433\n\thost\n"), ("pipe.bin", "a\0b")]);
    for (call, words) in [
        (edit("a.md", "port", "x"), "2 times, at lines 1, 2,"),
        (edit("a.md", "port = 5432", "x"), "     1\tport = 5433\n"),
        (edit("a.md", "    host", "x"), "From line 3 it stands there with other blanks:\n\thost\n"),
        (edit("a.md", "", "x"), "is empty"),
        (edit("a.md", "host", "host"), "the same"),
        (edit("pipe.bin", "a", "b"), "is not text"),
        (write("pipe.bin", "b"), "is not text"),
        (write("a.md", "port = 5433\nport = 5433\n\thost\n"), "exactly this already"),
    ] {
        let planned = project.plan(&call);
        assert!(is_refused(&planned, words), "{planned:?}");
    }
    // A text that overlaps itself stands there twice.
    project.put("o.md", b"aaa");
    assert!(is_refused(&project.plan(&edit("o.md", "aa", "b")), "2 times"));
    project.change(&edit_all("o.md", "aa", "b")).unwrap();
    assert_eq!(project.bytes("o.md"), b"ba");
    // A text that would take for ever to count, and one that would take for ever to compare.
    project.put("many.md", "a".repeat(4_000_000).as_bytes());
    let many = project.plan(&edit("many.md", &"a".repeat(1_000_000), "b"));
    assert!(is_refused(&many, "at least 100 times"), "{many:?}");
    project.put("blank.md", "\n".repeat(4_000_000).as_bytes());
    let blank = project.plan(&edit("blank.md", &format!("{}x", "\n".repeat(1_000_000)), "b"));
    assert!(is_refused(&blank, "does not stand"), "{blank:?}");
}

#[test]
fn every_occurrence_is_replaced_where_all_are_meant() {
    let project = Project::of(&[("a.md", "x y x\r\nx\n")]);
    project.change(&edit_all("a.md", "x", "가나")).unwrap();
    assert_eq!(project.bytes("a.md"), "가나 y 가나\r\n가나\n".as_bytes());
}

#[test]
fn encoding_mark_and_line_ends_stay() {
    let project = Project::of(&[("bom.txt", "\u{FEFF}a\r\nb\r\n"), ("mixed.txt", "a\r\nb\nc")]);
    let before = EUC_KR.encode("첫 줄입니다.\r\n절대로 바꾸지 않습니다.\r\n").0.into_owned();
    let after = EUC_KR.encode("첫 줄입니다.\r\n절대로 고치지\r\n않습니다.\r\n").0.into_owned();
    project.put("old.txt", &before);
    project.change(&edit("old.txt", "바꾸지 ", "고치지\n")).unwrap();
    assert_eq!(project.bytes("old.txt"), after);
    let refused = project.plan(&edit("old.txt", "첫", "🙂"));
    assert!(is_refused(&refused, "written in EUC-KR"), "{refused:?}");
    project.change(&write("old.txt", "새 글입니다.\n모두 새로 씁니다.\n")).unwrap();
    assert_eq!(
        project.bytes("old.txt"),
        &*EUC_KR.encode("새 글입니다.\r\n모두 새로 씁니다.\r\n").0
    );

    project.change(&edit("bom.txt", "a\nb", "a\nx\nb")).unwrap();
    assert_eq!(project.bytes("bom.txt"), "\u{FEFF}a\r\nx\r\nb\r\n".as_bytes());
    project.change(&edit("mixed.txt", "b\nc", "B\nc\n")).unwrap();
    assert_eq!(project.bytes("mixed.txt"), b"a\r\nB\nc\n");

    let wide: Vec<u8> = "\u{FEFF}가\r\n나\r\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
    project.put("wide.txt", &wide);
    project.change(&edit("wide.txt", "나", "🙂")).unwrap();
    let wide: Vec<u8> = "\u{FEFF}가\r\n🙂\r\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
    assert_eq!(project.bytes("wide.txt"), wide);
}

#[test]
fn a_file_is_made_with_the_folders_above_it() {
    let project = Project::of(&[]);
    let call = write("src/deep/새 파일.md", "one\ntwo\n");
    let planned = project.plan(&call).unwrap();
    assert_eq!((&planned.kind, planned.before.as_deref()), (&ChangeKind::Create, None));
    assert_eq!(project.text(&list("")), "[nothing here]\n");
    let answer = project.carry_out(&call, &planned).unwrap();
    assert_eq!(answer.text, "Made src/deep/새 파일.md: 2 lines, 8 bytes.\n");
    assert_eq!(project.bytes("src/deep/새 파일.md"), b"one\ntwo\n");
    assert!(is_refused(&project.plan(&write("src/deep", "x")), "is a folder"));
    assert!(is_refused(&project.plan(&write("src/other/", "x")), "is a folder"));
    assert!(is_refused(&project.plan(&write("", "x")), "is a folder"));
    let below = project.plan(&write("src/deep/새 파일.md/x", "x"));
    assert!(is_refused(&below, "not a folder"), "{below:?}");
    let huge = project.plan(&write("huge.txt", &"x".repeat(5_000_000)));
    assert!(is_refused(&huge, "too much to be changed"));
    assert_eq!(project.text(&list("")), "src/\n");
}

#[test]
fn a_file_is_moved_and_nothing_is_written_over() {
    let project = Project::of(&[("a.bin", "\0\u{1}"), ("b.md", "b"), ("c/d.md", "d")]);
    let answer = project.change(&rename("a.bin", "new/folder/a.bin")).unwrap();
    assert_eq!(answer.touched, ["a.bin", "new/folder/a.bin"]);
    assert_eq!(project.bytes("new/folder/a.bin"), b"\0\x01");
    assert_eq!(project.look(&read("a.bin")), missing("a.bin"));
    for to in ["b.md", "c", "c/d.md", "new/folder/a.bin"] {
        let result = project.plan(&rename("c/d.md", to));
        assert!(is_refused(&result, "is there already"), "{to}: {result:?}");
    }
    // What appears between the plan and the step is not written over either.
    let call = rename("b.md", "e.md");
    let planned = project.plan(&call).unwrap();
    project.put("e.md", b"the person's");
    assert!(is_refused(&project.carry_out(&call, &planned), "is there already"));
    assert_eq!(project.bytes("e.md"), b"the person's");
    assert!(is_refused(&project.plan(&rename("c", "f")), "is a folder"));
    assert_eq!(project.plan(&rename("nowhere", "f")), missing("nowhere"));
}

#[test]
fn a_file_is_deleted_and_a_folder_is_not() {
    let project = Project::of(&[("a.md", "one"), ("src/b.md", "two")]);
    project.put("large.bin", &vec![0; 5_000_000]);
    let planned = project.plan(&delete("a.md")).unwrap();
    assert_eq!((planned.before.as_deref(), &planned.after), (Some("one"), &None));
    assert_eq!(project.change(&delete("a.md")).unwrap().text, "Deleted a.md.\n");
    project.change(&delete("large.bin")).unwrap();
    assert!(is_refused(&project.plan(&delete("src")), "is a folder"));
    assert_eq!(project.plan(&delete("a.md")), missing("a.md"));
    assert_eq!(project.text(&list("")), "src/\n");
}

#[cfg(unix)]
#[test]
fn rights_stay_and_protection_holds() {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;
    let project = Project::of(&[("run.sh", "echo one\n"), ("kept.md", "one\n")]);
    let mode =
        |path: &str| fs::metadata(project.root().join(path)).unwrap().permissions().mode() & 0o7777;
    fs::set_permissions(project.root().join("run.sh"), Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(project.root().join("kept.md"), Permissions::from_mode(0o444)).unwrap();
    project.change(&edit("run.sh", "one", "two")).unwrap();
    assert_eq!(mode("run.sh"), 0o755);
    project.change(&write("run.sh", "echo three\n")).unwrap();
    assert_eq!(mode("run.sh"), 0o755);
    for call in [edit("kept.md", "one", "two"), write("kept.md", "two"), delete("kept.md")] {
        assert!(is_refused(&project.plan(&call), "protected against writing"));
    }
}

#[test]
fn a_long_difference_is_cut() {
    let before: String = (0..1_000).map(|number| format!("line {number}\n")).collect();
    let project = Project::of(&[("a.md", &before)]);
    let answer = project.change(&edit_all("a.md", "line", "row")).unwrap();
    assert!(answer.text.ends_with("more bytes of the difference]\n") && answer.text.len() < 7_000);
}

/// An owner that this process may give things to; itself where it may not.
#[cfg(target_os = "linux")]
fn another_owner() -> (u32, u32) {
    if rustix::process::geteuid().is_root() { (65_534, 65_534) } else { own() }
}

#[cfg(target_os = "linux")]
fn own() -> (u32, u32) {
    (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw())
}

#[cfg(target_os = "linux")]
#[test]
fn owner_and_attributes_stay() {
    use std::fs::{self, File};
    use std::os::unix::fs::{MetadataExt, chown};

    use rustix::fs::{XattrFlags, getxattr, setxattr};
    let project = Project::of(&[("a.md", "one\n")]);
    let path = project.root().join("a.md");
    let owner = another_owner();
    chown(&path, Some(owner.0), Some(owner.1)).unwrap();
    let marked = setxattr(&path, "user.note", b"kept", XattrFlags::empty()).is_ok();
    let before = fs::metadata(&path).unwrap();
    project.change(&edit("a.md", "one", "two")).unwrap();
    let after = fs::metadata(&path).unwrap();
    assert_ne!(before.ino(), after.ino(), "a file is replaced, not written into");
    assert_eq!((after.uid(), after.gid(), after.mode()), (owner.0, owner.1, before.mode()));
    let mut value = [0; 16];
    let read = getxattr(&path, "user.note", &mut value[..]).map(|bytes| value[..bytes].to_vec());
    assert_eq!(read.is_ok(), marked, "this file system has attributes, or has none");
    assert!(read.is_err() || read.is_ok_and(|read| read == b"kept"));
    drop(File::open(&path).unwrap());
}

#[cfg(unix)]
#[test]
fn the_names_of_a_file_stay_its_names_and_none_elsewhere_changes() {
    use std::fs::{hard_link, metadata, read_to_string};
    use std::os::unix::fs::MetadataExt;
    let project = Project::of(&[("a.md", "one\n")]).without(&["kept-out.md"]);
    let elsewhere = tempfile::tempdir().unwrap();
    let at = |path: &str| project.root().join(path);
    std::fs::create_dir(at("deep")).unwrap();
    hard_link(at("a.md"), at("deep/b.md")).unwrap();
    let answer = project.change(&edit("a.md", "one", "two")).unwrap();
    assert_eq!(answer.touched, ["a.md", "deep/b.md"]);
    assert!(answer.text.ends_with("changed with it: deep/b.md.\n"), "{}", answer.text);
    let inode = |path: &str| metadata(at(path)).unwrap().ino();
    assert_eq!(
        (inode("a.md"), read_to_string(at("deep/b.md")).unwrap()),
        (inode("deep/b.md"), "two\n".into())
    );

    hard_link(at("a.md"), elsewhere.path().join("c.md")).unwrap();
    hard_link(at("a.md"), at("kept-out.md")).unwrap();
    let answer = project.change(&write("deep/b.md", "three\n")).unwrap();
    assert!(answer.text.contains("[2 more names of this file"), "{}", answer.text);
    assert_eq!(project.bytes("a.md"), b"three\n");
    assert_eq!(inode("a.md"), inode("deep/b.md"));
    assert_eq!(read_to_string(elsewhere.path().join("c.md")).unwrap(), "two\n");
    assert_eq!(project.bytes("kept-out.md"), b"two\n");
}
