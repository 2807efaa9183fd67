//! Folders of skills: what is found where, and what leads out of them.
#![cfg(unix)]

use std::os::unix::fs::symlink;

use siltstone_engine::skill::{SkillFolder, SkillFolders};
use siltstone_workspace::Folders;

use crate::it::support::{at, tree};

const TEXT: &str = "---\nname: a\ndescription: b\n---\ntext";

fn ids(found: &[SkillFolder]) -> Vec<&str> {
    found.iter().map(|folder| folder.id.as_str()).collect()
}

#[test]
fn those_of_the_project_come_first_then_those_of_the_home() {
    let temp = tree(&[
        ("home/.claude/skills/mine/SKILL.md", TEXT),
        ("home/.config/opencode/skills/theirs/SKILL.md", TEXT),
        ("home/code/.agents/skills/b/SKILL.md", TEXT),
        ("home/code/.agents/skills/b/scripts/run.py", "print()"),
        ("home/code/.agents/skills/b/.hidden", "x"),
        ("home/code/.claude/skills/a/SKILL.md", TEXT),
        ("home/code/.claude/skills/none/README.md", TEXT),
    ]);
    let home = temp.path().join("home").canonicalize().unwrap();
    let folders = Folders::of(Some(home.clone()), None);
    let project = home.join("code");
    let found = folders.find(Some(at(&project)), &[]);
    let own = [".agents/skills/b", ".claude/skills/a"];
    let of_home = ["~/.claude/skills/mine", "~/.config/opencode/skills/theirs"];
    assert_eq!(ids(&found), [own, of_home].concat());
    let files = |exclude: &[String]| folders.files(Some(at(&project)), exclude, ".agents/skills/b");
    assert_eq!(files(&[]), ["scripts/run.py"]);
    assert!(files(&["*.py".to_owned()]).is_empty(), "what is excluded is not even named");
    assert_eq!(found[0].text.as_deref(), Ok(TEXT));
    assert_eq!(ids(&folders.find(None, &[])), of_home);
    assert_eq!(
        ids(&folders.find(Some(at(&home)), &[])).len(),
        2,
        "the home is no project of its own"
    );

    let read = |id: &str, file: &str| folders.read(Some(at(&project)), &[], id, file);
    assert_eq!(read(".agents/skills/b", "scripts/run.py").as_deref(), Ok("print()"));
    assert_eq!(read("~/.claude/skills/mine", "SKILL.md").as_deref(), Ok(TEXT));
    let excluded = [".agents/**".to_owned()];
    let kept_out = folders.find(Some(at(&project)), &excluded);
    assert!(kept_out[0].text.is_err(), "{kept_out:?}");
}

#[test]
fn nothing_leads_out_of_a_skill() {
    let temp = tree(&[
        ("outside/SKILL.md", TEXT),
        ("outside/key.txt", "secret"),
        ("code/inside.md", "of the project"),
        ("code/.env", "KEY=secret"),
        ("code/.claude/skills/a/SKILL.md", TEXT),
        ("code/.claude/skills/a/id_rsa", "secret"),
        ("code/shared/SKILL.md", TEXT),
    ]);
    let work = temp.path().join("code").canonicalize().unwrap();
    let skills = work.join(".claude/skills");
    symlink(temp.path().join("outside"), skills.join("led-out")).unwrap();
    symlink(work.join("shared"), skills.join("shared")).unwrap();
    symlink(temp.path().join("outside/key.txt"), skills.join("a/key.txt")).unwrap();
    symlink(work.join("inside.md"), skills.join("a/inside.md")).unwrap();
    let folders = Folders::of(None, None);
    let found = folders.find(Some(at(&work)), &[]);
    assert_eq!(ids(&found), [".claude/skills/a", ".claude/skills/shared"]);
    let files = folders.files(Some(at(&work)), &[], ".claude/skills/a");
    assert!(files.is_empty(), "{files:?}");
    for (id, file) in [
        (".claude/skills/a", "key.txt"),
        (".claude/skills/a", "inside.md"),
        (".claude/skills/a", "../../../inside.md"),
        (".claude/skills/a", "/etc/passwd"),
        (".claude/skills/led-out", "key.txt"),
        (".claude/skills/..", "inside.md"),
        (".claude/skills", "a/SKILL.md"),
        ("shared", "SKILL.md"),
        ("", "inside.md"),
        ("~/.claude/skills/a", "SKILL.md"),
    ] {
        let read = folders.read(Some(at(&work)), &[], id, file);
        assert!(read.is_err(), "{id} {file}: {read:?}");
    }
}
