//! Folders, links and names made to lead tools out, to show what is hidden, or to hold them up.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use siltstone_engine::tool::FileCall;

use super::world::*;

fn looking_at(path: &str) -> [FileCall; 3] {
    [list(path), read(path), search_in("secret", path, "")]
}

fn changing(path: &str) -> [FileCall; 4] {
    [
        edit(path, "secret", "x"),
        write(path, "x"),
        rename(path, "elsewhere.md"),
        rename("inside.md", path),
    ]
}

#[test]
fn paths_out_of_the_project_lead_nowhere() {
    let project = Project::of(&[("inside.md", "secret\n")]);
    let beside = tempfile::tempdir().unwrap();
    fs::write(beside.path().join("out.md"), "secret").unwrap();
    let absolute = beside.path().join("out.md");
    for path in [
        "..",
        "../out.md",
        "src/../../out.md",
        "inside.md/..",
        "/etc/passwd",
        "/",
        "C:/Windows/win.ini",
        "c:inside.md",
        "inside.md\0.txt",
        absolute.to_str().unwrap(),
    ] {
        let shown = path.replace('\0', "\\u0000");
        let shown = if shown == path { path.to_owned() } else { format!("\"{shown}\"") };
        for call in looking_at(path) {
            assert_eq!(project.look(&call), outside(&shown), "{call:?}");
        }
        for call in changing(path).into_iter().chain([delete(path)]) {
            assert_eq!(project.plan(&call), outside(&shown), "{call:?}");
        }
    }
    assert_eq!(project.bytes("inside.md"), b"secret\n");
    assert_eq!(fs::read(&absolute).unwrap(), b"secret");
}

#[test]
fn hidden_files_do_not_exist_for_tools() {
    const HIDDEN: [&str; 10] = [
        ".env",
        "deep/.env.local",
        "keys/server.pem",
        "id_ed25519",
        ".git/config",
        "sub/.GIT/config",
        ".ai-brain/context.json",
        ".siltstone/state.json",
        "diary/today.md",
        "notes.private.md",
    ];
    let mut files = vec![("inside.md", "secret\n"), ("deep/open.md", "secret\n")];
    files.extend(HIDDEN.map(|path| (path, "secret\n")));
    let project = Project::of(&files).without(&["diary/", "*.private.md"]);
    symlink(".env", project.root().join("link.md")).unwrap();
    symlink("diary", project.root().join("linked")).unwrap();

    for path in HIDDEN.into_iter().chain(["link.md", "linked/today.md"]) {
        for call in looking_at(path) {
            assert_eq!(project.look(&call), missing(path), "{call:?}");
        }
        for call in changing(path).into_iter().chain([delete(path)]) {
            let planned = project.plan(&call);
            let linked = path.starts_with("link") && is_refused(&planned, "is a link");
            let kept_out = is_refused(&planned, "neither read nor changed");
            assert!(linked || kept_out, "{call:?}: {planned:?}");
        }
    }
    for folder in [".git", ".ai-brain", ".siltstone", "diary", "linked", "sub/.GIT"] {
        assert_eq!(project.look(&list(folder)), missing(folder));
    }
    assert_eq!(project.text(&list("")), "deep/\nkeys/\nsub/\ninside.md  7 bytes\n");
    assert_eq!(project.text(&list("deep")), "open.md  7 bytes\n");
    assert_eq!(project.text(&list("keys")), "[nothing here]\n");
    let mut found: Vec<String> = project.text(&find("**")).lines().map(str::to_owned).collect();
    found.sort();
    assert_eq!(found, ["deep/open.md", "inside.md"]);
    assert_eq!(
        project.text(&search("secret")),
        "deep/open.md\n     1\tsecret\ninside.md\n     1\tsecret\n[2 lines in 2 files]\n"
    );
    for path in HIDDEN {
        assert_eq!(project.bytes(path), b"secret\n", "{path}");
    }
}

#[test]
fn a_rule_for_folders_hides_no_file_and_one_for_files_no_folder() {
    let project =
        Project::of(&[("build", "x\n"), (".env/bin/python", "x\n"), ("out/build/a", "x")])
            .without(&["build/"]);
    assert!(project.text(&read("build")).starts_with("     1\tx\n"));
    assert!(project.text(&read(".env/bin/python")).starts_with("     1\tx\n"));
    assert_eq!(project.text(&list(".env")), "bin/\n");
    assert_eq!(project.look(&list("out/build")), missing("out/build"));
    assert_eq!(project.look(&read("out/build/a")), missing("out/build/a"));
    project.change(&edit("build", "x", "y")).unwrap();
    assert_eq!(project.bytes("build"), b"y\n");
}

#[test]
fn links_inside_are_followed_for_reading_and_never_for_writing() {
    let project = Project::of(&[("src/a.md", "inside\n"), ("inside.md", "x\n")]);
    let beside = tempfile::tempdir().unwrap();
    fs::write(beside.path().join("out.md"), "outside").unwrap();
    for (target, link) in [
        (Path::new("src/a.md"), "file.md"),
        (Path::new("src"), "folder"),
        (&beside.path().join("out.md"), "out.md"),
        (beside.path(), "away"),
        (Path::new("/dev/zero"), "zero"),
        (Path::new("/proc/self/environ"), "environ"),
        (Path::new("nowhere.md"), "broken.md"),
        (Path::new("loop"), "loop"),
    ] {
        symlink(target, project.root().join(link)).unwrap();
    }
    for path in ["file.md", "folder/a.md"] {
        let answer = project.look(&read(path)).unwrap();
        assert!(answer.text.starts_with("     1\tinside\n"), "{path}");
        assert_eq!(answer.touched, ["src/a.md"]);
    }
    for path in ["out.md", "away/out.md", "away", "zero", "environ"] {
        assert_eq!(project.look(&read(path)), outside(path));
    }
    assert_eq!(project.look(&read("broken.md")), missing("broken.md"));
    assert!(project.look(&read("loop")).is_err());
    assert_eq!(project.text(&list("")), "folder/\nsrc/\nfile.md  7 bytes\ninside.md  2 bytes\n");
    for path in ["file.md", "folder/a.md", "out.md", "away/out.md", "broken.md", "loop"] {
        for call in [edit(path, "inside", "x"), write(path, "x"), delete(path)] {
            let planned = project.plan(&call);
            assert!(is_refused(&planned, "is a link or lies behind one"), "{call:?} {planned:?}");
        }
    }
    let made = project.plan(&write("away/new.md", "x"));
    assert!(is_refused(&made, "is a link or lies behind one"), "{made:?}");
    let moved = project.plan(&rename("inside.md", "away/new.md"));
    assert!(is_refused(&moved, "is a link or lies behind one"), "{moved:?}");
    let over = project.plan(&rename("inside.md", "broken.md"));
    assert!(is_refused(&over, "is there already"), "{over:?}");
    assert_eq!(project.bytes("src/a.md"), b"inside\n");
    assert_eq!(fs::read_dir(beside.path()).unwrap().count(), 1);
}

/// A folder is exchanged with a link to another one outside, again and again, while tools read and write in it: often,
/// and until either was met, however seldom a busy machine lets the other thread have its turn.
#[cfg(target_os = "linux")]
#[test]
fn a_link_swapped_in_meanwhile_leads_nowhere() {
    const TURNS: usize = 2_000;
    let project = Project::of(&[("src/b.md", "inside 0\n"), ("spare/b.md", "inside spare\n")]);
    let beside = tempfile::tempdir().unwrap();
    fs::write(beside.path().join("b.md"), "outside\n").unwrap();
    let (src, link) = (project.root().join("src"), project.root().join("link"));
    symlink(beside.path(), &link).unwrap();
    let done = AtomicBool::new(false);
    let (mut read_inside, mut written, mut refused, mut leaked) = (0, 0, 0, Vec::new());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                renameat_with(CWD, &src, CWD, &link, RenameFlags::EXCHANGE).unwrap();
            }
        });
        let mut turn = 0;
        while turn < TURNS || read_inside == 0 || written == 0 || refused == 0 {
            let result = match turn % 4 {
                0 => project.look(&read("src/b.md")),
                1 => project.look(&search_in("side", "src/b.md", "")),
                2 => project.change(&write("src/b.md", &format!("inside {turn}\n"))),
                _ => project.change(&edit("src/b.md", "inside", "inside  still")),
            };
            match result {
                Ok(answer) => {
                    if turn % 4 < 2 {
                        read_inside += 1
                    } else {
                        written += 1
                    }
                    leaked.extend(Some(answer.text).filter(|text| text.contains("outside")));
                }
                Err(_) => refused += 1,
            }
            turn += 1;
        }
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(leaked, Vec::<String>::new());
    let left: Vec<_> =
        fs::read_dir(beside.path()).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert_eq!(left, ["b.md"]);
    assert_eq!(fs::read(beside.path().join("b.md")).unwrap(), b"outside\n");
}

#[test]
fn pipes_sockets_and_devices_are_not_waited_for() {
    let project = Project::of(&[("inside.md", "secret\n")]);
    let pipe = project.root().join("pipe.md");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let _socket = UnixListener::bind(project.root().join("socket.md")).unwrap();
    for path in ["pipe.md", "socket.md"] {
        for call in [read(path), search_in("x", path, "")] {
            let result = project.look(&call);
            assert!(is_refused(&result, "a pipe, a socket or a device"), "{result:?}");
        }
        for call in [edit(path, "a", "b"), write(path, "x"), rename(path, "y"), delete(path)] {
            let result = project.plan(&call);
            assert!(is_refused(&result, "a pipe, a socket or a device"), "{result:?}");
        }
    }
    assert_eq!(
        project.text(&list("")),
        "inside.md  7 bytes\npipe.md  [not a file]\nsocket.md  [not a file]\n"
    );
    assert!(project.text(&search("secret")).ends_with("[1 lines in 1 files]\n"));
}

#[test]
fn a_name_says_nothing_but_itself() {
    const NAMES: [&str; 6] =
        ["-rf", "--help.md", "a\nREADME.md", "gpj.\u{202E}dm", "$(touch out).md", "\u{1b}[2J.md"];
    let project = Project::of(&[]);
    for name in NAMES {
        project.change(&write(name, "secret one\n")).unwrap();
        project.change(&edit(name, "one", "two")).unwrap();
        assert!(project.text(&read(name)).starts_with("     1\tsecret two\n"), "{name}");
    }
    for text in [project.text(&list("")), project.text(&find("*"))] {
        assert_eq!(text.lines().count(), NAMES.len(), "{text}");
        assert!(!text.contains(['\u{202E}', '\u{1b}']), "{text}");
        assert!(text.contains("\"a\\u000aREADME.md\""), "{text}");
    }
    let hits = project.text(&search("secret"));
    assert_eq!(hits.lines().count(), 2 * NAMES.len() + 1, "{hits}");
    let moved = project.change(&rename("a\nREADME.md", "b\nREADME.md")).unwrap();
    assert_eq!(moved.text, "Moved \"a\\u000aREADME.md\" to \"b\\u000aREADME.md\".\n");
    for name in NAMES {
        let name = if name.starts_with('a') { "b\nREADME.md" } else { name };
        project.change(&delete(name)).unwrap();
    }
    assert_eq!(project.text(&list("")), "[nothing here]\n");
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_unicode_are_counted() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let project = Project::of(&[("a.md", "x")]);
    fs::write(project.root().join(OsStr::from_bytes(b"\xC7\xD1.md")), "x").unwrap();
    assert_eq!(
        project.text(&list("")),
        "a.md  1 bytes\n[1 whose names are not Unicode are not shown]\n"
    );
}
