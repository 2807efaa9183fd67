//! Which files are found, in which order, and that what was kept is never older than the disk.

use std::fs;

use siltstone_engine::memory::{
    MemoryFiles, MemoryLayer, MemoryPlace, MemorySettings, Refusal, SameAs, Sameness,
};
use siltstone_workspace::Folders;

use super::desk::{Desk, paths};

#[test]
fn the_layers_come_in_the_order_of_their_priority() {
    let desk = Desk::new(&[
        ("GEMINI.md", "project"),
        (".gemini/GEMINI.md", "project, in its folder"),
        ("src/.gemini/GEMINI.md", "directory"),
        ("src/api/AGENTS.md", "deeper"),
        ("docs/AGENTS.md", "not asked for"),
    ]);
    let global = desk.put_global(".gemini/GEMINI.md", "global");
    let own = desk.put_global(".config/siltstone/AGENTS.md", "of the program");
    let files = desk.along(&["src/api"]);
    let seen: Vec<_> =
        files.iter().map(|file| (file.path.as_str(), file.layer, file.dir.as_str())).collect();
    assert_eq!(
        seen,
        [
            (global.as_str(), MemoryLayer::Global, ""),
            (own.as_str(), MemoryLayer::Global, ""),
            ("GEMINI.md", MemoryLayer::Project, ""),
            (".gemini/GEMINI.md", MemoryLayer::Project, ""),
            ("src/.gemini/GEMINI.md", MemoryLayer::Directory, "src"),
            ("src/api/AGENTS.md", MemoryLayer::Directory, "src/api"),
        ]
    );
    let alone = MemoryPlace { root: None, ..desk.place() };
    let of_nobody = desk.folders.along(&alone, &[]).unwrap();
    assert_eq!(paths(&of_nobody), [global.as_str(), own.as_str()]);
}

#[test]
fn strictly_a_directory_speaks_for_itself_alone() {
    let mut desk = Desk::new(&[("GEMINI.md", "1"), ("a/GEMINI.md", "2"), ("a/b/GEMINI.md", "3")]);
    assert_eq!(paths(&desk.along(&["a/b"])), ["GEMINI.md", "a/GEMINI.md", "a/b/GEMINI.md"]);
    desk.settings.strict = true;
    assert_eq!(paths(&desk.along(&["a/b"])), ["GEMINI.md", "a/b/GEMINI.md"]);
}

#[test]
fn names_are_files_paths_or_folders_of_rules() {
    let desk = Desk::new(&[
        (".cursor/rules/b.mdc", "b"),
        (".cursor/rules/deep/a.md", "a"),
        (".cursor/rules/notes.txt", "no rule"),
        (".clinerules/x.md", "x"),
        (".goosehints", "goose"),
        ("sub/CLAUDE.md", "claude"),
        ("README.md", "no memory"),
    ]);
    assert_eq!(
        paths(&desk.all()),
        [
            ".cursor/rules/b.mdc",
            ".cursor/rules/deep/a.md",
            ".goosehints",
            ".clinerules/x.md",
            "sub/CLAUDE.md"
        ]
    );
    let names = vec![String::from("README.md"), String::from("../secret.md")];
    let desk = Desk { settings: MemorySettings { names, ..desk.settings.clone() }, ..desk };
    assert_eq!(paths(&desk.all()), ["README.md"]);
}

#[test]
fn ignored_folders_are_not_entered_and_ignored_files_are_found() {
    let mut desk = Desk::new(&[
        (".gitignore", "out/\nCLAUDE.md\n/deep/*\n!/deep/kept\n"),
        ("CLAUDE.md", "of one person"),
        ("out/AGENTS.md", "made"),
        ("deep/lost/AGENTS.md", "lost"),
        ("deep/kept/AGENTS.md", "kept"),
        ("deep/kept/.gitignore", "inner"),
        ("deep/kept/inner/AGENTS.md", "inner"),
        (".git/info/exclude", "mine\n"),
        (".git/AGENTS.md", "never"),
        ("mine/AGENTS.md", "excluded"),
        ("node_modules/p/AGENTS.md", "of a package"),
        ("cache/CACHEDIR.TAG", ""),
        ("cache/AGENTS.md", "cache"),
    ]);
    assert_eq!(paths(&desk.all()), ["CLAUDE.md", "deep/kept/AGENTS.md"]);
    let asked = ["out", "mine", "node_modules/p", "deep/kept/inner", "../..", "/etc", "nowhere"];
    assert_eq!(paths(&desk.along(&asked)), ["CLAUDE.md", "deep/kept/AGENTS.md"]);

    desk.exclude = vec![String::from("deep/")];
    let files = desk.all();
    let excluded = &files[1];
    assert_eq!((&excluded.refused, excluded.text.as_str()), (&Some(Refusal::Excluded), ""));
    assert_eq!(files[0].refused, None);
}

#[cfg(unix)]
#[test]
fn what_is_reached_twice_counts_once() {
    let desk = Desk::new(&[("AGENTS.md", "the rules\n"), ("sub/GEMINI.md", "\nthe rules")]);
    std::os::unix::fs::symlink("AGENTS.md", desk.at("CLAUDE.md")).unwrap();
    fs::hard_link(desk.at("AGENTS.md"), desk.at("GEMINI.md")).unwrap();
    desk.put("one/AGENTS.md", b"");
    desk.put("two/AGENTS.md", b"\n");
    let same: Vec<_> = desk.all().into_iter().map(|file| (file.path, file.same_as)).collect();
    let of_root = |how| Some(SameAs { path: "AGENTS.md".into(), how });
    assert_eq!(
        same,
        [
            ("AGENTS.md".into(), None),
            ("CLAUDE.md".into(), of_root(Sameness::File)),
            ("GEMINI.md".into(), of_root(Sameness::File)),
            ("one/AGENTS.md".into(), None),
            ("sub/GEMINI.md".into(), of_root(Sameness::Text)),
            ("two/AGENTS.md".into(), None),
        ]
    );
}

#[test]
fn every_change_is_seen_at_the_next_look() {
    let desk = Desk::new(&[("AGENTS.md", "one"), ("a/b/AGENTS.md", "deep"), ("a/c/x.txt", "")]);
    let says = |path: &str| {
        let all = desk.all().into_iter().find(|file| file.path == path).map(|file| file.text);
        let dir = path.rsplit_once('/').map_or("", |(dir, _)| dir);
        let one = desk.along(&[dir]).into_iter().find(|file| file.path == path);
        assert_eq!(one.map(|file| file.text), all, "{path}");
        all
    };
    assert_eq!(says("AGENTS.md").as_deref(), Some("one"));
    // As long as before, in the same tick of a coarse clock.
    desk.put("AGENTS.md", b"two");
    assert_eq!(says("AGENTS.md").as_deref(), Some("two"));
    // As an editor saves.
    desk.put("a/b/.AGENTS.md.swp", b"new");
    fs::rename(desk.at("a/b/.AGENTS.md.swp"), desk.at("a/b/AGENTS.md")).unwrap();
    assert_eq!(says("a/b/AGENTS.md").as_deref(), Some("new"));
    desk.put("a/c/.gemini/GEMINI.md", b"added");
    assert_eq!(says("a/c/.gemini/GEMINI.md").as_deref(), Some("added"));
    let rules = |desk: &Desk| paths(&desk.all()).contains(&"a/c/.cursor/rules/deep/r.md");
    desk.put("a/c/.cursor/rules/deep/r.md", b"rule");
    assert!(rules(&desk));
    fs::remove_file(desk.at("a/c/.cursor/rules/deep/r.md")).unwrap();
    assert!(!rules(&desk));
    fs::remove_dir_all(desk.at("a/b")).unwrap();
    assert_eq!(says("a/b/AGENTS.md"), None);
    desk.put("a/b/AGENTS.md", b"again");
    assert_eq!(says("a/b/AGENTS.md").as_deref(), Some("again"));
    desk.put("a/.gitignore", b"b\n");
    assert_eq!(says("a/b/AGENTS.md"), None);
    desk.put("a/.gitignore", b"x\n");
    assert_eq!(says("a/b/AGENTS.md").as_deref(), Some("again"));
}

#[test]
fn a_global_two_hundred_directories_and_a_project_among_many_files_are_all_found() {
    let desk = Desk::new(&[("AGENTS.md", "project")]);
    desk.put_global(".gemini/GEMINI.md", "global");
    for package in 0..20 {
        for module in 0..10 {
            let folder = format!("packages/p{package}/src/m{module}");
            desk.put(&format!("{folder}/GEMINI.md"), format!("{package} {module}").as_bytes());
            for file in 0..8 {
                desk.put(&format!("{folder}/lib/f{file}.ts"), b"export {}\n");
            }
        }
    }
    let files = desk.all();
    assert_eq!(files.len(), 202);
    assert!(files.iter().all(|file| file.refused.is_none() && file.same_as.is_none()));
    let mut counted = 0;
    let stopped = Folders::of(None, None).all(&desk.place(), &mut |_| {
        counted += 1;
        counted < 3
    });
    assert_eq!(stopped, Err(siltstone_engine::ports::FolderError::Cancelled));
}

#[test]
fn the_root_of_a_project_is_where_its_marker_is() {
    let desk = Desk::new(&[("repo/.git/HEAD", ""), ("repo/a/b/x", ""), ("plain/x", "")]);
    let root_of = |path: &str, settings: &MemorySettings| {
        let real = desk.root.path().canonicalize().unwrap();
        let root = desk.folders.root_of(desk.at(path).to_str().unwrap(), settings).unwrap();
        root.strip_prefix(real.to_str().unwrap()).unwrap().trim_start_matches('/').to_owned()
    };
    assert_eq!(root_of("repo/a/b", &desk.settings), "repo");
    assert_eq!(root_of("plain", &desk.settings), "plain");
    let markers = vec![String::from("x"), String::from("../plain")];
    assert_eq!(root_of("repo/a", &MemorySettings { markers, ..desk.settings.clone() }), "repo/a");

    // A repository at home does not make a project of the home.
    fs::create_dir_all(desk.home.path().join(".git")).unwrap();
    let notes = desk.home.path().join("notes");
    fs::create_dir(&notes).unwrap();
    let root = desk.folders.root_of(notes.to_str().unwrap(), &desk.settings).unwrap();
    assert!(root.ends_with("/notes"), "{root}");
}
