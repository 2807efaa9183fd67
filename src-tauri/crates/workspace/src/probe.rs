//! What a folder would bring, found before any of it is read into a request. Called when a folder is dropped.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, SystemTime};

use siltstone_engine::memory::{MemoryFile, MemoryLayer};
use siltstone_engine::ports::{FolderError, OnProgress};
use siltstone_engine::project::{InstructionFile, Probe, ProbeWarning, is_never_sent};
use siltstone_engine::tokens;

use crate::{Root, brain, git, place, walk};

/// Most files that are counted; a folder with more is said to have more. Nobody who drops one waits for all of them.
pub const MAX_COUNTED: u64 = 100_000;

/// A folder in which a file was written so lately is still being written: unpacked, cloned, fetched.
const LATELY: Duration = Duration::from_secs(2);

/// Most never-sent names that are listed.
const MAX_NEVER_SENT: usize = 50;

/// Counts the folder's files and names what a person should know before opening it.
pub fn probe(
    root: &Root,
    memory: &[MemoryFile],
    max_files: u64,
    progress: OnProgress<'_>,
) -> Result<Probe, FolderError> {
    let mut never_sent = never_sent_at_the_top(root);
    let lately = SystemTime::now().checked_sub(LATELY);
    let mut still_written = false;
    let walked = walk::walk(root, max_files, progress, |entry, metadata| {
        still_written |= metadata.modified().ok() > lately;
        let Some(path) = walk::relative(root, entry.path()) else { return };
        let secret = entry.file_name().to_str().is_some_and(is_never_sent);
        if secret || root.exclude.excludes(Path::new(&path), false) {
            never_sent.insert(path);
            if never_sent.len() > MAX_NEVER_SENT {
                never_sent.pop_last();
            }
        }
    })?;

    let warnings = [
        root.wide,
        place::on_network(&root.real).then_some(ProbeWarning::Network),
        walked.too_many.then_some(ProbeWarning::TooManyFiles),
        walked.unreadable.then_some(ProbeWarning::Unreadable),
        still_written.then_some(ProbeWarning::StillWritten),
    ];
    Ok(Probe {
        path: root.path.clone(),
        name: name_of(&root.path),
        counts: walked.counts,
        git_branch: git::branch(&root.real),
        brain: brain::is_in(&root.real),
        instructions: memory.iter().filter_map(instruction).collect(),
        never_sent: never_sent.into_iter().take(MAX_NEVER_SENT).collect(),
        warnings: warnings.into_iter().flatten().collect(),
    })
}

/// A memory file of the folder's root that can be read.
fn instruction(file: &MemoryFile) -> Option<InstructionFile> {
    (file.layer == MemoryLayer::Project && file.refused.is_none()).then(|| InstructionFile {
        path: file.path.clone(),
        tokens: tokens::estimate(&file.text),
        same_as: file.same_as.as_ref().map(|same| same.path.clone()),
    })
}

/// Secrets are usually ignored by git and so not met by the walk; those at the top are named all the same.
fn never_sent_at_the_top(root: &Root) -> BTreeSet<String> {
    let Ok(entries) = std::fs::read_dir(&root.real) else {
        return BTreeSet::new();
    };
    entries
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_dir()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| is_never_sent(name))
        .collect()
}

/// The folder's own name; the root of a file system is called by its path.
fn name_of(path: &str) -> String {
    Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or(path).to_owned()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn the_walk_stops_at_the_limit_and_says_so() {
        let temp = tempfile::tempdir().unwrap();
        let before = SystemTime::now() - 2 * LATELY;
        for index in 0..5 {
            let mut file = std::fs::File::create(temp.path().join(format!("{index}.txt"))).unwrap();
            file.write_all(b"12").unwrap();
            file.set_modified(before).unwrap();
        }
        let real = temp.path().canonicalize().unwrap();
        let path = real.to_str().unwrap().to_owned();
        let exclude = crate::ExcludeRules::new(&[]);
        let root = Root { path, real, wide: None, exclude };
        let over = probe(&root, &[], 4, &mut |_| true).unwrap();
        assert_eq!((over.counts.files, over.counts.bytes), (4, 8));
        assert_eq!(over.warnings, [ProbeWarning::TooManyFiles]);
        let exact = probe(&root, &[], 5, &mut |_| true).unwrap();
        assert_eq!((exact.counts.files, exact.warnings), (5, vec![]));
        std::fs::write(temp.path().join("4.txt"), "123").unwrap();
        let written = probe(&root, &[], 5, &mut |_| true).unwrap();
        assert_eq!(written.warnings, [ProbeWarning::StillWritten]);
    }
}
