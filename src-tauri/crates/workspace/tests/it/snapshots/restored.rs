//! Any folder comes back from its capture as it was: names of any bytes, contents, modes and links. `PROPTEST_CASES`
//! asks for more than a sample.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use proptest::prelude::*;

use super::world::World;

/// What stands at a name.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Thing {
    File { bytes: Vec<u8>, mode: u32 },
    Link { target: Vec<u8> },
    Dir(Folder),
}

type Folder = BTreeMap<Vec<u8>, Thing>;

/// Few of them, so that the same name stands for different things; some are no text at all.
fn name() -> impl Strategy<Value = Vec<u8>> {
    let bytes = prop::sample::select(b"ab \n-\"\\\xe9\xff\xed".to_vec());
    prop::collection::vec(bytes, 1..3)
}

fn thing() -> impl Strategy<Value = Thing> {
    let mode = prop::sample::select(vec![0o644, 0o755, 0o600, 0o444]);
    let leaf = prop_oneof![
        4 => (prop::collection::vec(any::<u8>(), 0..40), mode)
            .prop_map(|(bytes, mode)| Thing::File { bytes, mode }),
        1 => name().prop_map(|target| Thing::Link { target }),
    ];
    leaf.prop_recursive(3, 24, 5, |inner| folder_of(inner).prop_map(Thing::Dir))
}

fn folder_of(thing: impl Strategy<Value = Thing>) -> impl Strategy<Value = Folder> {
    prop::collection::btree_map(name(), thing, 0..5)
}

/// The same without folders in which there is nothing: what is restored takes none away that is in nobody's way.
fn full(folder: &Folder) -> Folder {
    let kept = folder.iter().filter_map(|(name, thing)| match thing {
        Thing::Dir(inner) => {
            let inner = full(inner);
            (!inner.is_empty()).then(|| (name.clone(), Thing::Dir(inner)))
        }
        leaf => Some((name.clone(), leaf.clone())),
    });
    kept.collect()
}

/// Whether a folder has every folder of another one.
fn has_folders(folder: &Folder, of: &Folder) -> bool {
    of.iter().all(|(name, thing)| match (thing, folder.get(name)) {
        (Thing::Dir(inner), Some(Thing::Dir(there))) => has_folders(there, inner),
        (Thing::Dir(_), _) => false,
        _ => true,
    })
}

fn put(dir: &Path, folder: &Folder) {
    fs::create_dir_all(dir).unwrap();
    for (name, thing) in folder {
        let path = dir.join(OsStr::from_bytes(name));
        match thing {
            Thing::File { bytes, mode } => {
                fs::write(&path, bytes).unwrap();
                fs::set_permissions(&path, fs::Permissions::from_mode(*mode)).unwrap();
            }
            Thing::Link { target } => symlink(OsStr::from_bytes(target), &path).unwrap(),
            Thing::Dir(inner) => put(&path, inner),
        }
    }
}

fn found(dir: &Path) -> Folder {
    let entries = fs::read_dir(dir).unwrap().map(|entry| {
        let path = entry.unwrap().path();
        let metadata = path.symlink_metadata().unwrap();
        let thing = if metadata.is_dir() {
            Thing::Dir(found(&path))
        } else if metadata.is_symlink() {
            Thing::Link { target: fs::read_link(&path).unwrap().into_os_string().into_vec() }
        } else {
            let mode = metadata.permissions().mode() & 0o7777;
            Thing::File { bytes: fs::read(&path).unwrap(), mode }
        };
        (path.file_name().unwrap().as_bytes().to_vec(), thing)
    });
    entries.collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..cases() })]

    #[test]
    fn any_folder_comes_back_from_any_other_byte_for_byte(
        then in folder_of(thing()), now in folder_of(thing()),
    ) {
        let world = World::new();
        put(&world.root(), &then);
        let before = world.all();
        fs::remove_dir_all(world.root()).unwrap();
        put(&world.root(), &now);
        let after = world.all();
        world.restore(after.tree, before.tree);
        let came = found(&world.root());
        prop_assert_eq!(full(&came), full(&then));
        prop_assert!(has_folders(&came, &then), "{:?}", came);
        world.restore(before.tree, after.tree);
        let came = found(&world.root());
        prop_assert_eq!(full(&came), full(&now));
        prop_assert!(has_folders(&came, &now), "{:?}", came);
    }
}

fn cases() -> ProptestConfig {
    let asked = std::env::var_os("PROPTEST_CASES").is_some();
    if asked { ProptestConfig::default() } else { ProptestConfig::with_cases(64) }
}
