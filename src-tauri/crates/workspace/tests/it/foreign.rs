//! The places of the Checkpoints design, "체크포인트 저장 위치": found, read, and nothing else.

use std::fs;

use siltstone_engine::checkpoint::foreign::ForeignCheckpoints;
use siltstone_engine::ports::StoreError;
use siltstone_workspace::Folders;
use tempfile::TempDir;

#[test]
fn files_at_the_places_are_found_and_no_other_is_read() {
    let (home, project) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let settings = home.path().join(".config");
    let own = settings.join("google-generative-ai").join("checkpoints");
    let of_project = project.path().join(".gemini").join("checkpoints");
    fs::create_dir_all(&own).unwrap();
    fs::create_dir_all(&of_project).unwrap();
    fs::write(own.join("a.json"), "{}").unwrap();
    fs::write(own.join("notes.txt"), "").unwrap();
    fs::write(of_project.join("b.json"), "[]").unwrap();
    fs::write(project.path().join("outside.json"), "secret").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(project.path().join("outside.json"), of_project.join("link.json"))
        .unwrap();

    let folders = Folders::of(Some(home.path().to_owned()), Some(settings));
    let root = project.path().to_str().unwrap();
    let mut found = folders.found(root);
    found.sort_by_key(|path| path.ends_with("b.json"));
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(folders.read(root, &found[0]).unwrap(), b"{}");
    assert_eq!(folders.read(root, &found[1]).unwrap(), b"[]");

    for other in [
        of_project.join("../../outside.json"),
        project.path().join("outside.json"),
        of_project.join("link.json"),
    ] {
        let refused = folders.read(root, other.to_str().unwrap());
        let known = matches!(refused, Err(StoreError::NotFound { .. } | StoreError::Io { .. }));
        assert!(known, "{other:?}: {refused:?}");
    }
}
