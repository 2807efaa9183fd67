//! The port against folders made to lead it out, to hold it up or to wear it down.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use siltstone_engine::ports::{FolderError, ProjectFiles};
use siltstone_engine::project::ProbeWarning;

use crate::it::support::{folders, outside, paths, probe, read, rested, tree, whole};

fn pipe(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn links_out_of_the_folder_bring_nothing_in() {
    let temp = tree(&[
        ("secret/key.md", "outside"),
        ("secret/rules/r.md", "outside"),
        ("project/.env", "secret"),
        ("project/AGENTS.md", "inside"),
        ("project/src/b.md", "inside"),
    ]);
    let project = temp.path().join("project");
    let secret = temp.path().join("secret");
    let real_inside = project.canonicalize().unwrap().join("src/b.md");
    for (target, link) in [
        (secret.join("key.md").as_path(), "GEMINI.md"),
        ("../secret/key.md".as_ref(), "relative.md"),
        (secret.as_path(), "folder"),
        (secret.as_path(), ".cursor"),
        (".env".as_ref(), "notes.md"),
        ("/dev/zero".as_ref(), "zero.md"),
        ("/proc/self/environ".as_ref(), "environ.md"),
        ("loop.md".as_ref(), "loop.md"),
        ("AGENTS.md".as_ref(), "CLAUDE.md"),
        (real_inside.as_path(), "absolute.md"),
    ] {
        symlink(target, project.join(link)).unwrap();
    }
    for path in ["GEMINI.md", "relative.md", "folder/key.md", ".cursor/rules/r.md"] {
        assert_eq!(read(&project, path), outside(path), "{path}");
    }
    for path in ["notes.md", "zero.md", "environ.md"] {
        assert_eq!(read(&project, path), outside(path), "{path}");
    }
    assert!(matches!(read(&project, "loop.md"), Err(FolderError::Io { .. })));
    assert_eq!(read(&project, "absolute.md").as_deref(), Ok("inside"));

    let found = probe(&project);
    let listed: Vec<_> = found
        .instructions
        .iter()
        .map(|file| (file.path.as_str(), file.same_as.as_deref()))
        .collect();
    assert_eq!(listed, [("AGENTS.md", None), ("CLAUDE.md", Some("AGENTS.md"))]);
    assert_eq!(paths(&project), ["AGENTS.md", "src/b.md"]);
}

#[test]
fn a_link_swapped_in_while_a_file_is_opened_does_not_lead_out() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let temp = tree(&[("secret/b.md", "outside"), ("project/src/b.md", "inside")]);
    let project = temp.path().join("project");
    let (src, away, link) = (project.join("src"), project.join("away"), project.join("link"));
    symlink(temp.path().join("secret"), &link).unwrap();
    let done = AtomicBool::new(false);
    let texts = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                for (from, to) in [(&src, &away), (&link, &src), (&src, &link), (&away, &src)] {
                    fs::rename(from, to).unwrap();
                }
            }
        });
        // Often, and until the file and the link were both met in that place.
        let (mut texts, mut in_place, mut led_out) = (Vec::new(), false, false);
        while texts.len() < 5_000 || !in_place || !led_out {
            let text = folders().read_text(whole(&project), "src/b.md");
            in_place |= text.is_ok();
            led_out |= text == outside("src/b.md");
            texts.push(text);
        }
        done.store(true, Ordering::Relaxed);
        texts
    });
    let leaked = texts.iter().flatten().filter(|text| *text != "inside");
    assert_eq!(leaked.count(), 0);
}

#[test]
fn a_walk_does_not_follow_a_cycle_of_links() {
    let temp = tree(&[("a/b/c.md", "x")]);
    symlink("../..", temp.path().join("a/b/up")).unwrap();
    symlink(".", temp.path().join("self")).unwrap();
    symlink(temp.path(), temp.path().join("a/absolute")).unwrap();
    let counts = probe(temp.path()).counts;
    assert_eq!((counts.files, counts.folders), (1, 2));
    assert_eq!(paths(temp.path()), ["a/b/c.md"]);
}

#[test]
fn a_pipe_is_not_waited_for() {
    let temp = rested(&[("a.md", "x"), ("sub/b.md", "x"), ("deep/er/c.md", "x")]);
    pipe(&temp.path().join("pipe.md"));
    pipe(&temp.path().join("AGENTS.md"));
    pipe(&temp.path().join(".git/HEAD"));
    pipe(&temp.path().join(".cursor/rules/r.md"));
    pipe(&temp.path().join("sub/.gitignore"));
    symlink("/dev/zero", temp.path().join("deep/er/.ignore")).unwrap();
    assert_eq!(read(temp.path(), "pipe.md"), outside("pipe.md"));
    let found = probe(temp.path());
    assert_eq!((found.git_branch, found.instructions), (None, vec![]));
    assert_eq!(found.warnings, [ProbeWarning::Unreadable]);
    assert_eq!(paths(temp.path()), ["a.md"]);

    pipe(&temp.path().join(".gitignore"));
    let refused = folders().probe(whole(temp.path()), &mut |_| true);
    assert!(matches!(refused, Err(FolderError::Io { .. })), "{refused:?}");
}

#[test]
fn a_linked_ignore_file_still_counts() {
    let temp = tree(&[("shared", "*.tmp\n"), ("project/a.md", "x"), ("project/b.tmp", "x")]);
    let project = temp.path().join("project");
    symlink("../shared", project.join(".gitignore")).unwrap();
    assert_eq!(paths(&project), ["a.md"]);
}

#[test]
fn folders_too_deep_to_name_are_reported() {
    let temp = rested(&[("a.md", "x")]);
    let mut dir = Dir::open_ambient_dir(temp.path(), ambient_authority()).unwrap();
    // Longer in all than any path the system takes.
    for _ in 0..20 {
        let name = "d".repeat(255);
        dir.create_dir(&name).unwrap();
        dir = dir.open_dir(&name).unwrap();
    }
    let found = probe(temp.path());
    assert_eq!(found.warnings, [ProbeWarning::Unreadable]);
    assert_eq!(found.counts.files, 1);
}

#[test]
fn the_branch_of_a_worktree_is_found() {
    let temp = tree(&[
        ("main/.git/worktrees/side/HEAD", "ref: refs/heads/side\n"),
        ("side/.git", "gitdir: ../main/.git/worktrees/side\n"),
        ("detached/.git/HEAD", "0123456789abcdef0123456789abcdef01234567\n"),
        ("odd/.git/HEAD", "ref: refs/heads/a\u{1b}[31m\n"),
        ("away/.git", "gitdir: /dev\n"),
    ]);
    let branch = |name: &str| probe(&temp.path().join(name)).git_branch;
    assert_eq!(branch("side").as_deref(), Some("side"));
    for name in ["main", "detached", "odd", "away"] {
        assert_eq!(branch(name), None, "{name}");
    }
    // The pointer is git's, not a file of the project.
    assert_eq!(paths(&temp.path().join("side")), Vec::<String>::new());
}

#[test]
#[cfg(target_os = "linux")]
fn names_that_are_not_unicode_are_counted_and_not_indexed() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let temp = tree(&[("a.md", "x")]);
    fs::write(temp.path().join(OsStr::from_bytes(b"\xC7\xD1.md")), "x").unwrap();
    assert_eq!(probe(temp.path()).counts.files, 2);
    assert_eq!(paths(temp.path()), ["a.md"]);
}
