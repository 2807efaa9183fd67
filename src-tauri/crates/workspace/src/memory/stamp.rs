//! What tells one state of a file or a folder from the next without reading it. Taken before every reuse of what was
//! read.

use std::fs::Metadata;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Two changes this near to each other may carry one time: the coarsest clock of a file system (FAT) ticks this slowly.
const COARSEST_TICK: Duration = Duration::from_secs(2);

/// The state of a file or a folder as the system tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    size: u64,
    modified: Option<SystemTime>,
    /// Device, inode and the time of the last change, which no program can set back.
    #[cfg(unix)]
    inode: (u64, u64, i64, i64),
}

impl Stamp {
    /// Of what a path leads to; `None` where it leads nowhere.
    pub(super) fn at(path: &Path) -> Option<Self> {
        path.metadata().ok().map(|metadata| Self::of(&metadata))
    }

    pub(super) fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        use std::os::unix::fs::MetadataExt;
        Self {
            size: metadata.len(),
            modified: metadata.modified().ok(),
            #[cfg(unix)]
            inode: (metadata.dev(), metadata.ino(), metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// What stays the same while a folder is the same one.
    pub(super) fn identity(&self) -> (u64, u64) {
        #[cfg(unix)]
        return (self.inode.0, self.inode.1);
        #[cfg(not(unix))]
        (0, 0)
    }

    /// Whether the next change is certain to make another stamp. What was read sooner is read again.
    pub(super) fn is_settled(&self) -> bool {
        self.modified.is_some_and(|modified| {
            SystemTime::now().duration_since(modified).is_ok_and(|age| age > COARSEST_TICK)
        })
    }
}
