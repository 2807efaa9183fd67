//! What `@path` may lead to.

use siltstone_engine::memory::{Imported, MAX_FILE_BYTES, MemoryFiles, Refusal};

use super::desk::Desk;

fn import(desk: &Desk, from: &str, target: &str) -> Result<String, Refusal> {
    desk.folders.import(&desk.place(), from, target).map(|imported| imported.path)
}

#[test]
fn an_import_is_relative_to_its_file_or_absolute_inside_the_project() {
    let desk = Desk::new(&[("docs/a.md", "a"), ("docs/deep/b.md", "b"), (".env", "KEY=1")]);
    let root = desk.root.path().canonicalize().unwrap();
    let inside = root.join("docs/a.md").to_str().unwrap().to_owned();
    let read = |from: &str, target: &str| import(&desk, from, target);
    assert_eq!(read("AGENTS.md", "./docs/a.md").unwrap(), "docs/a.md");
    assert_eq!(read("docs/deep/AGENTS.md", "../a.md").unwrap(), "docs/a.md");
    assert_eq!(read("docs/AGENTS.md", &inside).unwrap(), "docs/a.md");
    assert_eq!(
        desk.folders.import(&desk.place(), "docs/a.md", "deep/./b.md"),
        Ok(Imported { path: "docs/deep/b.md".into(), text: "b".into() })
    );
    for (target, refusal) in [
        ("../outside.md", Refusal::Outside),
        ("docs/../../x.md", Refusal::Outside),
        ("/etc/passwd", Refusal::Outside),
        ("https://example.com/rules.md", Refusal::Remote),
        ("docs/none.md", Refusal::Missing),
        ("docs/a.md/b.md", Refusal::Missing),
        ("docs", Refusal::NotRegular),
        (".env", Refusal::Excluded),
        (".git/config", Refusal::Missing),
        ("a\0b", Refusal::Outside),
        ("", Refusal::Outside),
    ] {
        assert_eq!(read("AGENTS.md", target), Err(refusal), "{target:?}");
    }
    let mut desk = desk;
    desk.put("big.md", &vec![b'x'; 300 * 1024]);
    let too_large = Refusal::TooLarge { bytes: 300 * 1024, most: MAX_FILE_BYTES };
    assert_eq!(import(&desk, "AGENTS.md", "big.md"), Err(too_large));
    desk.exclude = vec![String::from("/docs/deep")];
    assert_eq!(import(&desk, "docs/a.md", "deep/b.md"), Err(Refusal::Excluded));
}

#[cfg(unix)]
#[test]
fn links_lead_only_inside_and_to_what_may_be_read() {
    use std::os::unix::fs::symlink;

    let mut desk = Desk::new(&[("docs/a.md", "a"), ("private/p.md", "p"), (".env", "KEY=1")]);
    symlink("/etc", desk.at("etc")).unwrap();
    symlink("/etc/passwd", desk.at("passwd.md")).unwrap();
    symlink("../.env", desk.at("docs/env.md")).unwrap();
    symlink("docs", desk.at("link")).unwrap();
    symlink("../private/p.md", desk.at("docs/p.md")).unwrap();
    desk.exclude = vec![String::from("/private")];
    for (target, expected) in [
        ("etc/passwd", Err(Refusal::Outside)),
        ("passwd.md", Err(Refusal::Outside)),
        ("docs/env.md", Err(Refusal::Excluded)),
        ("docs/p.md", Err(Refusal::Excluded)),
        // The real path is told, so that a ring is known as one.
        ("link/a.md", Ok("docs/a.md".to_owned())),
    ] {
        assert_eq!(import(&desk, "AGENTS.md", target), expected, "{target}");
    }
}

#[test]
fn global_memory_imports_inside_its_own_folder() {
    let desk = Desk::new(&[("docs/a.md", "a")]);
    let global = desk.put_global(".gemini/GEMINI.md", "@style/ko.md");
    let style = desk.put_global(".gemini/style/ko.md", "존댓말");
    desk.put_global("diary.md", "dear diary");
    assert_eq!(import(&desk, &global, "style/ko.md"), Ok(style.clone()));
    assert_eq!(import(&desk, &style, "../GEMINI.md"), Ok(global.clone()));
    for target in ["../diary.md", "/etc/passwd", desk.at("docs/a.md").to_str().unwrap()] {
        assert_eq!(import(&desk, &global, target), Err(Refusal::Outside), "{target}");
    }
    assert_eq!(import(&desk, "/etc/AGENTS.md", "passwd"), Err(Refusal::Outside));
}
