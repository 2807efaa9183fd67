//! Hearing that agents write: the folders of the sessions that changed last, and those above them.
//!
//! What the system says is only a reason to look, there or everywhere. A person's watches are few and every program shares them, so only
//! [`MOST`] folders are watched; a session elsewhere that goes on is found when all of them are looked at again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use siltstone_engine::Timestamp;
use siltstone_engine::vault::{AgentHome, FileRole, Place, SeenFile};

use crate::{places, source_of};

/// Folders that are watched in each home.
const MOST: usize = 200;

/// Watches these folders of homes until what is given back is dropped; `None` where the system cannot tell.
pub(crate) fn watch(
    folders: &BTreeSet<PathBuf>,
    homes: Vec<AgentHome>,
    heard: Arc<dyn Fn(Option<Place>) + Send + Sync>,
) -> Option<Box<dyn Send>> {
    let hears = move |event: notify::Result<notify::Event>| match event {
        // Reading is what we do ourselves.
        Ok(event) if matches!(event.kind, EventKind::Access(_)) => {}
        Ok(event) if !event.need_rescan() => {
            for path in &event.paths {
                match std::fs::symlink_metadata(path) {
                    Ok(found) if found.is_dir() => heard(None),
                    found => places(&homes, path)
                        .into_iter()
                        .filter(|place| found.is_err() || is_ours(place, path))
                        .for_each(|place| heard(Some(whole(place)))),
                }
            }
        }
        Ok(_) | Err(_) => heard(None),
    };
    let mut watcher = RecommendedWatcher::new(hears, notify::Config::default()).ok()?;
    let mut any = false;
    for folder in folders {
        any |= watcher.watch(folder, RecursiveMode::NonRecursive).is_ok();
    }
    any.then(|| Box::new(watcher) as Box<dyn Send>)
}

/// The folder around a file that says more of a session than its own does: the session has to be looked at, too.
fn whole(mut place: Place) -> Place {
    let source = source_of(place.home.agent);
    let is_beside = matches!(source.role(&place.path), Some(FileRole::Beside | FileRole::Output));
    if is_beside && source.beside.is_some() {
        place.path.truncate(place.path.rfind('/').unwrap_or_default());
    }
    place
}

/// Whether a file there belongs to sessions.
fn is_ours(place: &Place, path: &Path) -> bool {
    let source = source_of(place.home.agent);
    match source.rows {
        Some(rows) => {
            path.file_name().and_then(|name| name.to_str()).is_some_and(|it| rows.has(it))
        }
        None => source.role(&place.path).is_some(),
    }
}

/// The folders of a home that are worth watching.
pub(crate) fn folders(root: &Path, files: &[SeenFile]) -> BTreeSet<PathBuf> {
    let mut newest: BTreeMap<&str, Timestamp> = BTreeMap::new();
    for file in files {
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let at = newest.entry(folder).or_insert(file.stamp.modified);
        *at = file.stamp.modified.max(*at);
    }
    let mut newest: Vec<(Timestamp, &str)> =
        newest.into_iter().map(|(folder, at)| (at, folder)).collect();
    newest.sort_unstable_by(|a, b| b.cmp(a));
    let mut folders = BTreeSet::from([root.to_owned()]);
    for (_, folder) in newest {
        // With those above it, in which the next one is made.
        let mut at = PathBuf::from(root);
        for name in folder.split('/').filter(|name| !name.is_empty()) {
            at.push(name);
            folders.insert(at.clone());
        }
        if folders.len() >= MOST {
            break;
        }
    }
    folders
}
