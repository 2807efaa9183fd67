//! Listing, finding, searching and reading.

use std::cell::Cell;
use std::fmt::Write;
use std::fs::{File, FileTimes};
use std::time::{Duration, SystemTime};

use encoding_rs::EUC_KR;
use siltstone_engine::tool::output::WHOLE_BYTES;
use siltstone_engine::tool::{FileCall, ToolError};

use super::world::*;

#[test]
fn a_folder_is_listed_with_its_folders_first() {
    let project =
        Project::of(&[("b.md", "four"), ("src/a.rs", ""), ("a.md", ""), (".gitignore", "a")]);
    assert_eq!(
        project.text(&list("")),
        "src/\n.gitignore  1 bytes\na.md  0 bytes\nb.md  4 bytes\n"
    );
    assert_eq!(project.text(&list("./src/")), "a.rs  0 bytes\n");
    assert!(is_refused(&project.look(&list("b.md")), "is a file. Read it."));
    assert_eq!(project.look(&list("nowhere")), missing("nowhere"));
    std::fs::create_dir(project.root().join("empty")).unwrap();
    assert_eq!(project.text(&list("empty")), "[nothing here]\n");
}

#[test]
fn a_path_may_be_given_from_the_root_of_the_system() {
    let project = Project::of(&[("src/a.rs", "one\n")]);
    let root = project.root().canonicalize().unwrap();
    let path = |end: &str| format!("{}{end}", root.display());
    assert!(project.text(&read(&path("/src/a.rs"))).starts_with("     1\tone\n"));
    assert_eq!(project.text(&list(&path(""))), "src/\n");
    assert_eq!(project.text(&find(&path("/src/*.rs"))), "src/a.rs\n");
    // Another folder whose name begins with that of the root.
    let beside = path("-2/a.rs");
    assert_eq!(project.look(&read(&beside)), outside(&beside));
}

#[test]
fn files_are_found_by_pattern_with_the_last_changed_first() {
    let project = Project::of(&[
        ("src/old.rs", ""),
        ("src/deep/new.rs", ""),
        ("notes.md", ""),
        ("target/built.rs", ""),
        (".gitignore", "target/\n"),
    ]);
    for (path, age) in [("src/old.rs", 100), ("src/deep/new.rs", 10)] {
        let file = File::options().write(true).open(project.root().join(path)).unwrap();
        let then = SystemTime::now() - Duration::from_secs(age);
        file.set_times(FileTimes::new().set_modified(then)).unwrap();
    }
    assert_eq!(project.text(&find("**/*.rs")), "src/deep/new.rs\nsrc/old.rs\n");
    assert_eq!(project.text(&find("*.rs")), "src/deep/new.rs\nsrc/old.rs\n");
    assert_eq!(project.text(&find("src/*.rs")), "src/old.rs\n");
    assert_eq!(project.text(&find("./src/{old,new}.rs")), "src/old.rs\n");
    assert!(project.text(&find("*.py")).starts_with("[no file matches;"));
    assert!(is_refused(&project.look(&find("src/[z-a]")), "cannot be understood"));
}

#[test]
fn many_files_are_cut_and_counted() {
    let project = Project::of(&[]);
    for number in 0..250 {
        project.put(&format!("{number}.txt"), b"");
    }
    let text = project.text(&find("*.txt"));
    assert_eq!(text.lines().count(), 201);
    assert!(text.ends_with("[50 more that were changed before; narrow the pattern]\n"));
}

#[test]
fn text_is_searched_by_expression_folder_and_name() {
    let project = Project::of(&[
        ("src/a.rs", "fn port() {}\nlet port = 5433;\n"),
        ("src/b.md", "The Port\r\nis open.\r\n"),
        ("docs/c.md", "port\n"),
    ]);
    assert_eq!(
        project.text(&search(r"port\b")),
        "docs/c.md\n     1\tport\nsrc/a.rs\n     1\tfn port() {}\n     2\tlet port = 5433;\n\
         [3 lines in 2 files]\n"
    );
    assert_eq!(
        project.text(&search_in("(?i)port$", "src", "*.md")),
        "src/b.md\n     1\tThe Port\n[1 lines in 1 files]\n"
    );
    assert!(project.text(&search("^let port = 5433;$")).starts_with("src/a.rs\n     2\t"));
    let folded = FileCall::Search {
        pattern: "THE".into(),
        path: "src/b.md".into(),
        files: String::new(),
        ignore_case: true,
    };
    let found = project.look(&folded).unwrap();
    assert_eq!(found.touched, ["src/b.md"]);
    assert!(project.text(&search("nobody")).starts_with("[nothing matches;"));
    assert!(is_refused(&project.look(&search("(")), "cannot be understood"));
    assert!(is_refused(&project.look(&search("a\nb")), "line by line"));
    assert!(is_refused(&project.look(&search(r"(\w{1000}){1000}")), "cannot be understood"));
    assert_eq!(project.look(&search_in("x", "nowhere", "")), missing("nowhere"));
}

#[test]
fn other_encodings_are_searched_and_binary_files_are_not() {
    let project = Project::of(&[]);
    project.put("old.txt", &EUC_KR.encode("첫 줄\n절대로 바꾸지 않습니다.\n").0);
    let wide: Vec<u8> = "\u{FEFF}절대로".encode_utf16().flat_map(u16::to_le_bytes).collect();
    project.put("wide.txt", &wide);
    project.put("binary.bin", "절대로\0".as_bytes());
    assert_eq!(
        project.text(&search("절대로")),
        "old.txt\n     2\t절대로 바꾸지 않습니다.\nwide.txt\n     1\t절대로\n[2 lines in 2 files]\n"
    );
}

#[test]
fn hits_are_bounded_and_long_lines_are_cut_around_them() {
    let line = format!("{}needle{}\n", "가".repeat(5_000), "나".repeat(5_000));
    let project = Project::of(&[("long.txt", &line)]);
    let text = project.text(&search("needle"));
    assert!(text.contains("가needle나") && text.len() < 2_000, "{text}");
    project.put("many.txt", "needle\n".repeat(10_000).as_bytes());
    let text = project.text(&search_in("needle", "many.txt", ""));
    assert!(text.contains("[the first 200 lines, in 1 files; there are more:"));
    project.put("wide.txt", format!("{}\n", "needle ".repeat(30)).repeat(500).as_bytes());
    assert!(project.text(&search_in("needle", "wide.txt", "")).len() <= WHOLE_BYTES);
}

#[test]
fn a_file_is_read_with_the_numbers_of_its_lines() {
    let project = Project::of(&[("a.txt", "one\r\ntwo\nthree"), ("empty", "")]);
    let all = "     1\tone\n     2\ttwo\n     3\tthree\n[lines 1 to 3 of 3; the end]\n";
    let found = project.look(&read("a.txt")).unwrap();
    assert_eq!((found.text.as_str(), found.touched.as_slice()), (all, &["a.txt".to_owned()][..]));
    assert_eq!(
        project.text(&read_from("a.txt", 2, Some(1))),
        "     2\ttwo\n[lines 2 to 2 of 3; read on with offset 3]\n"
    );
    assert_eq!(
        project.text(&read_from("a.txt", 9, None)),
        "[there is no line 9: the file has 3]\n"
    );
    assert_eq!(project.text(&read("empty")), "[the file is empty]\n");
    assert_eq!(
        project.text(&read_from("a.txt", u64::MAX, Some(u64::MAX))),
        format!("[there is no line {}: the file has 3]\n", u64::MAX)
    );
    assert!(is_refused(&project.look(&read("")), "is a folder"));
}

#[test]
fn other_encodings_are_read_and_named() {
    let project = Project::of(&[("bom.txt", "\u{FEFF}x\n")]);
    project.put("old.txt", &EUC_KR.encode("규칙입니다. 절대로 바꾸지 않습니다.\n").0);
    assert_eq!(
        project.text(&read("old.txt")),
        "     1\t규칙입니다. 절대로 바꾸지 않습니다.\n[lines 1 to 1 of 1, in EUC-KR; the end]\n"
    );
    assert_eq!(project.text(&read("bom.txt")), "     1\tx\n[lines 1 to 1 of 1; the end]\n");
}

#[test]
fn pictures_and_binary_files_are_named_and_not_dumped() {
    let project = Project::of(&[]);
    for (path, bytes, kind) in [
        ("a.png", b"\x89PNG\r\n\x1a\n....".as_slice(), "a picture (image/png) of 12 bytes"),
        ("a.webp", b"RIFF....WEBPVP8 ", "a picture (image/webp) of 16 bytes"),
        ("a.pdf", b"%PDF-1.7\nall letters", "a PDF (application/pdf) of 20 bytes"),
        ("a.bin", b"\x01\x02\0\x03", "a binary file of 4 bytes"),
    ] {
        project.put(path, bytes);
        let expected = format!("[{path} is {kind} and not text. It is not shown.]\n");
        assert_eq!(project.text(&read(path)), expected);
    }
}

/// A million lines are more than is held at once.
#[test]
fn a_million_lines_are_read_and_searched_piece_by_piece() {
    let mut text = String::new();
    for number in 1..=1_000_000 {
        writeln!(text, "line {number} 줄").unwrap();
    }
    assert!(text.len() > 4 * 1024 * 1024);
    let project = Project::of(&[("big.log", &text)]);
    let piece = project.text(&read("big.log"));
    assert!(piece.starts_with("     1\tline 1 줄\n     2\tline 2 줄\n"));
    let note = piece.lines().last().unwrap();
    let next = note.strip_suffix(']').unwrap().rsplit(' ').next().unwrap();
    assert!(note.contains(" of 1000000; read on with offset "), "{note}");
    assert!(piece.len() <= WHOLE_BYTES);
    let on = project.text(&read_from("big.log", next.parse().unwrap(), Some(1)));
    assert!(on.starts_with(&format!("{next:>6}\tline {next} 줄\n")), "{on}");
    assert_eq!(
        project.text(&read_from("big.log", 1_000_000, None)),
        "1000000\tline 1000000 줄\n[lines 1000000 to 1000000 of 1000000; the end]\n"
    );
    assert_eq!(
        project.text(&search("^line 999999 줄$")),
        "big.log\n999999\tline 999999 줄\n[1 lines in 1 files]\n"
    );
    assert!(is_refused(
        &project.plan(&edit("big.log", "line 5 줄", "x")),
        "too much to be changed"
    ));
}

#[test]
fn one_line_that_is_a_whole_file_is_cut() {
    let project =
        Project::of(&[("small.js", &"x".repeat(50_000)), ("large.js", &"y".repeat(9_000_000))]);
    for (path, more) in [("small.js", 48_000), ("large.js", 8_998_000)] {
        let text = project.text(&read(path));
        let end = format!(" [… {more} more bytes in this line]\n[lines 1 to 1 of 1; the end]\n");
        assert!(text.ends_with(&end) && text.len() < 3_000, "{path}");
    }
}

#[test]
fn looking_stops_when_the_person_stops() {
    let project = Project::of(&[("big.log", &"nothing here\n".repeat(600_000)), ("a/b.md", "x")]);
    for call in [search("nobody"), read_from("big.log", 500_000, None), list(""), find("*.md")] {
        let asked = Cell::new(0);
        // Says stop at the fourth question, or at the first where there is no fourth.
        for left in [4, 0] {
            asked.set(left);
            let go_on = || asked.replace(asked.get() - 1) > 0;
            if project.look_while(&call, &go_on) == Err(ToolError::Stopped) {
                break;
            }
            assert_eq!(left, 4, "{call:?}");
        }
    }
}
