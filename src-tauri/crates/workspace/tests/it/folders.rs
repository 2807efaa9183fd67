//! The port against ordinary folders.

use std::fs;
use std::path::Path;

use encoding_rs::EUC_KR;
use rstest::rstest;
use siltstone_engine::ports::{Folder, FolderError, ProjectFiles};
use siltstone_engine::project::{InstructionFile, ProbeWarning};
use siltstone_engine::tokens;
use siltstone_workspace::Folders;

use crate::it::support::{
    at, folders, outside, paths, probe, put, read, rested, stamps, tree, whole,
};

#[test]
fn a_probe_says_what_an_ordinary_project_brings() {
    let temp = rested(&[
        (".git/HEAD", "ref: refs/heads/feature/한글\n"),
        (".git/info/exclude", "scratch.md\n"),
        (".gitignore", "target/\n.env\n*.log\n"),
        (".ai-brain/context.json", "{}"),
        (".env", "KEY=1"),
        (".env.example", "KEY="),
        ("AGENTS.md", "Never break the API.\n"),
        ("CLAUDE.md", "\nNever break the API.\n\n"),
        (".cursor/rules/style.mdc", "Use tabs."),
        (".cursor/rules/deep/names.md", "Short names."),
        (".cursor/rules/logo.png", "no rule"),
        ("deploy/server.pem", "-----BEGIN"),
        ("src/main.rs", "fn main() {}\n"),
        ("src/debug.log", "ignored"),
        ("scratch.md", "ignored"),
        ("target/out.txt", "ignored"),
    ]);
    let found = probe(temp.path());

    assert_eq!(found.path, at(&temp.path().canonicalize().unwrap()));
    assert_eq!(found.name, at(temp.path().file_name().unwrap().as_ref()));
    assert_eq!(found.git_branch.as_deref(), Some("feature/한글"));
    assert!(found.brain);
    assert_eq!(found.never_sent, [".env", "deploy/server.pem"]);
    assert_eq!(found.warnings, []);
    let instruction = |path: &str, text: &str, same_as: Option<&str>| InstructionFile {
        path: path.into(),
        tokens: tokens::estimate(text),
        same_as: same_as.map(str::to_owned),
    };
    assert_eq!(
        found.instructions,
        [
            instruction("AGENTS.md", "Never break the API.\n", None),
            instruction("CLAUDE.md", "\nNever break the API.\n\n", Some("AGENTS.md")),
            instruction(".cursor/rules/deep/names.md", "Short names.", None),
            instruction(".cursor/rules/style.mdc", "Use tabs.", None),
        ]
    );
    // .cursor, rules, deep, deploy, src; of the files only the five ignored ones and git's own are missing.
    assert_eq!((found.counts.folders, found.counts.files), (5, 9));
    let listed: u64 = ["\nNever break the API.\n\n", "Never break the API.\n", "fn main() {}\n"]
        .iter()
        .chain(&["Use tabs.", "Short names.", "no rule", "-----BEGIN", "KEY="])
        .chain(&["target/\n.env\n*.log\n"])
        .map(|text| text.len() as u64)
        .sum();
    assert_eq!(found.counts.bytes, listed);
}

#[test]
fn an_index_takes_text_that_git_keeps_and_nothing_secret() {
    let temp = tree(&[
        (".gitignore", "/build\n!keep.txt\n"),
        (".hidden/notes.md", "x"),
        ("README.md", "four"),
        ("a-b.rs", "x"),
        ("a/b.rs", "x"),
        ("a/.gitignore", "b.tmp\n"),
        ("a/b.tmp", "ignored"),
        ("build/out.js", "ignored"),
        ("id_ed25519", "secret"),
        ("package-lock.json", "{}"),
        ("Cargo.lock", "x"),
        ("logo.PNG", "x"),
        ("Makefile", "all:"),
    ]);
    put(temp.path(), "huge.txt", &vec![b'a'; 1024 * 1024 + 1]);
    assert_eq!(
        paths(temp.path()),
        [
            ".gitignore",
            ".hidden/notes.md",
            "Makefile",
            "README.md",
            "a-b.rs",
            "a/.gitignore",
            "a/b.rs",
        ]
    );
}

#[test]
fn what_package_managers_and_caches_hold_is_nobodys_words() {
    let temp = tree(&[
        ("node_modules/left-pad/index.js", "module.exports = 1;"),
        ("web/node_modules/x/readme.md", "x"),
        ("tools/__pycache__/a.txt", "x"),
        ("build/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55"),
        ("build/notes.md", "x"),
        ("src/node_modules.md", "about them"),
    ]);
    assert_eq!(paths(temp.path()), ["src/node_modules.md"]);
}

#[test]
fn a_changed_file_has_another_stamp() {
    let temp = tree(&[("a.md", "one")]);
    let before = stamps(temp.path());
    assert_eq!(before, stamps(temp.path()));
    let file = fs::File::options().write(true).open(temp.path().join("a.md"));
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_nanos(1_700_000_000_123_456_700);
    file.unwrap().set_modified(time).unwrap();
    let after = stamps(temp.path());
    assert_ne!(before, after);
    assert_eq!((after[0].size, after[0].modified_ns), (3, 1_700_000_000_123_456_700));
}

#[test]
fn a_walk_reports_and_stops_when_told() {
    let temp = tempfile::tempdir().unwrap();
    for index in 0..4_100 {
        fs::write(temp.path().join(index.to_string()), "").unwrap();
    }
    let mut seen = Vec::new();
    folders()
        .probe(whole(temp.path()), &mut |counts| {
            seen.push(counts.files);
            true
        })
        .unwrap();
    // The folder itself is the first entry.
    assert_eq!(seen, [0, 1_999, 3_999]);
    let mut calls = 0;
    let mut stop_at_second = |_| {
        calls += 1;
        calls < 2
    };
    let stopped = folders().text_files(whole(temp.path()), &mut stop_at_second);
    assert_eq!((stopped, calls), (Err(FolderError::Cancelled), 2));
}

#[test]
fn of_the_home_only_the_top_level_is_looked_at() {
    let temp = rested(&[("me/notes.md", "x"), ("me/mail/inbox.md", "x"), ("other.md", "x")]);
    let home = temp.path().join("me");
    let folders = Folders::of(Some(home.clone()), None);
    let inside = |folder: &Path| {
        let found = folders.probe(whole(folder), &mut |_| true).unwrap();
        let files = folders.text_files(whole(folder), &mut |_| true).unwrap();
        let files: Vec<String> = files.into_iter().map(|stamp| stamp.path).collect();
        (found.counts.files, found.warnings, files)
    };
    assert_eq!(inside(&home), (1, vec![ProbeWarning::Home], vec!["notes.md".into()]));
    assert_eq!(inside(temp.path()), (1, vec![ProbeWarning::Home], vec!["other.md".into()]));
    assert_eq!(inside(&home.join("mail")), (1, vec![], vec!["inbox.md".into()]));
}

#[test]
#[cfg(unix)]
fn the_root_of_the_file_system_is_named_and_not_walked() {
    let found = probe(Path::new("/"));
    let top = fs::read_dir("/").unwrap().count() as u64;
    assert!(found.warnings.contains(&ProbeWarning::Root));
    assert!(found.counts.files + found.counts.folders <= top);
    assert_eq!((found.name.as_str(), found.path.as_str()), ("/", "/"));
}

#[test]
fn only_an_existing_folder_is_one() {
    let temp = tree(&[("a.md", "x")]);
    for path in ["", "no/such", "a.md", "nul\0"] {
        let path =
            if path.is_empty() { String::new() } else { format!("{}/{path}", at(temp.path())) };
        assert_eq!(folders().real_path(&path), Err(FolderError::NotAFolder { path }));
    }
    let round_about = format!("{}/./x/..", at(temp.path()));
    fs::create_dir(temp.path().join("x")).unwrap();
    let real = temp.path().canonicalize().unwrap();
    assert_eq!(folders().real_path(&round_about).unwrap(), at(&real));
}

#[test]
fn files_are_read_as_people_wrote_them() {
    let korean = "# 오로라 API\n\n포트는 5433번입니다. 펲시\n";
    let temp = tree(&[("utf8.md", korean)]);
    put(temp.path(), "한글/cp949.md", &EUC_KR.encode(korean).0);
    put(temp.path(), "program", b"\x7FELF\0\0");
    put(temp.path(), "huge.txt", &vec![b'a'; 4 * 1024 * 1024 + 1]);
    assert_eq!(read(temp.path(), "utf8.md").as_deref(), Ok(korean));
    assert_eq!(read(temp.path(), "한글/cp949.md").as_deref(), Ok(korean));
    assert_eq!(read(temp.path(), "program"), Err(FolderError::NotText { path: "program".into() }));
    assert!(matches!(read(temp.path(), "huge.txt"), Err(FolderError::TooLarge { .. })));
    assert!(matches!(read(temp.path(), "missing.md"), Err(FolderError::Io { .. })));
}

#[test]
fn a_name_may_be_as_long_as_the_system_allows() {
    let name = "가".repeat(84) + ".md";
    assert_eq!(name.len(), 255);
    let temp = tree(&[(&name, "long")]);
    assert_eq!(paths(temp.path()), std::slice::from_ref(&name));
    assert_eq!(read(temp.path(), &name).as_deref(), Ok("long"));
}

#[rstest]
#[case("")]
#[case("../secret.md")]
#[case("src/../../secret.md")]
#[case("src/../a.md")]
#[case("/etc/hostname")]
#[case("a.md\0")]
#[case(".")]
#[case("src")]
#[case(".env")]
#[case("deploy/server.pem")]
#[case(".git/config")]
#[case("src/.GIT/config")]
fn paths_that_climb_and_files_that_are_secret_are_refused(#[case] path: &str) {
    let temp = tree(&[
        ("secret.md", "outside"),
        ("project/a.md", "inside"),
        ("project/src/b.md", "inside"),
        ("project/src/.GIT/config", "password"),
        ("project/.env", "secret"),
        ("project/deploy/server.pem", "secret"),
        ("project/.git/config", "password"),
    ]);
    let project = temp.path().join("project");
    assert_eq!(read(&project, path), outside(path));
    assert_eq!(read(&project, "src/b.md").as_deref(), Ok("inside"));
}

#[test]
fn what_the_person_excludes_is_neither_listed_nor_read_and_a_probe_says_so() {
    let temp = tree(&[("notes/diary.md", "mine"), ("src/main.rs", "fn main() {}"), ("a.csv", "1")]);
    let exclude = ["/notes/".to_owned(), "*.csv".to_owned()];
    let folder = Folder { root: at(temp.path()), exclude: &exclude };
    let files = folders().text_files(folder, &mut |_| true).unwrap();
    assert_eq!(files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), ["src/main.rs"]);
    assert_eq!(
        folders().read_text(folder, "notes/diary.md"),
        Err(FolderError::Excluded { path: "notes/diary.md".into() })
    );
    let probe = folders().probe(folder, &mut |_| true).unwrap();
    assert_eq!(probe.never_sent, ["a.csv", "notes/diary.md"]);
    // Without the patterns, as the person who looks at them.
    assert_eq!(read(temp.path(), "notes/diary.md").unwrap(), "mine");
}

#[cfg(unix)]
#[test]
fn a_link_does_not_lead_around_an_exclusion() {
    let temp = tree(&[("notes/diary.md", "mine")]);
    std::os::unix::fs::symlink("notes/diary.md", temp.path().join("open.md")).unwrap();
    let exclude = ["/notes/".to_owned()];
    let folder = Folder { root: at(temp.path()), exclude: &exclude };
    let refused = folders().read_text(folder, "open.md");
    assert_eq!(refused, Err(FolderError::Excluded { path: "open.md".into() }));
}
