//! Files of context stores: whole, private, and never written over what nobody read.

use std::fs;
use std::sync::{Arc, Barrier};

use siltstone_engine::context::ContextFiles;
use siltstone_engine::ids::ProjectId;
use siltstone_engine::ports::StoreError;
use siltstone_storage::Store;

use crate::it::support::{at, store};

const NAME: &str = "persistent-context.json";

/// Whether another was first; nothing else goes wrong.
fn conflicts<T: std::fmt::Debug>(result: Result<T, StoreError>) -> bool {
    match result {
        Ok(_) => false,
        Err(StoreError::Conflict { .. }) => true,
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_store_has_a_file_of_its_own_for_each_project_and_for_none() {
    let (dir, store) = store();
    let project = ProjectId::new(at(0));
    assert_eq!(store.read(Some(project), NAME).unwrap(), None);
    for (id, folder) in [(None, "none".to_owned()), (Some(project), project.to_string())] {
        store.write(id, NAME, None, &folder).unwrap();
        let path = dir.path().join("context").join(&folder).join(NAME);
        assert_eq!(fs::read_to_string(&path).unwrap(), folder);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode();
            assert_eq!(mode(&path) & 0o777, 0o600);
            assert_eq!(mode(path.parent().unwrap()) & 0o777, 0o700);
        }
    }
    // What a process left that died before its file had its name.
    fs::write(dir.path().join("context/none").join(format!("{NAME}.new")), "half").unwrap();
    store.write(None, NAME, Some(b"none"), "next").unwrap();
    assert_eq!(store.read(None, NAME).unwrap().unwrap(), b"next");

    store.remove(project).unwrap();
    store.remove(project).unwrap();
    assert_eq!(store.read(Some(project), NAME).unwrap(), None);
    assert_eq!(store.read(None, NAME).unwrap().unwrap(), b"next");
}

#[test]
fn only_what_was_read_is_replaced_or_moved() {
    let (_dir, store) = store();
    store.write(None, NAME, None, "one").unwrap();
    assert!(conflicts(store.write(None, NAME, None, "two")));
    assert!(conflicts(store.write(None, NAME, Some(b"other"), "two")));
    assert!(conflicts(store.set_aside(None, NAME, b"other", at(1))));
    assert_eq!(store.read(None, NAME).unwrap().unwrap(), b"one");

    let broken = b"\xff{\"version\": 1, half";
    let path = store.dir().join("context/none").join(NAME);
    for _ in 0..2 {
        fs::write(&path, broken).unwrap();
        let aside = store.set_aside(None, NAME, broken, at(1)).unwrap();
        assert_eq!(fs::read(aside).unwrap(), broken);
        assert_eq!(store.read(None, NAME).unwrap(), None);
    }
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 3, "both, and the lock");
}

#[test]
fn of_many_writers_at_once_none_is_lost() {
    let (dir, store) = store();
    let store = Arc::new(store);
    let other = Arc::new(Store::open(dir.path(), at(0)).unwrap());
    let start = Arc::new(Barrier::new(4));
    let writers: Vec<_> = (0..4)
        .map(|writer| {
            let (store, start) = ([&store, &other][writer % 2].clone(), start.clone());
            std::thread::spawn(move || {
                start.wait();
                for line in 0..8 {
                    let add = || {
                        let seen = store.read(None, NAME).unwrap();
                        let text = String::from_utf8(seen.clone().unwrap_or_default()).unwrap();
                        let more = format!("{text}{writer}.{line}\n");
                        store.write(None, NAME, seen.as_deref(), &more)
                    };
                    while conflicts(add()) {}
                }
            })
        })
        .collect();
    writers.into_iter().for_each(|writer| writer.join().unwrap());
    let text = String::from_utf8(store.read(None, NAME).unwrap().unwrap()).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines.dedup();
    assert_eq!(lines.len(), 32);
}
