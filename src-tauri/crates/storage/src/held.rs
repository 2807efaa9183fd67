//! Locks of files, as long as they are held. Storage locks through these alone: a lock that only ends when its file is
//! closed outlives it, because a child process that is being started holds the same open file until it has become
//! another program. Letting go in so many words ends the lock for every copy at once.

use std::fs::{File, TryLockError};
use std::io;

/// A locked file; the lock ends with this.
#[derive(Debug)]
pub(crate) struct Held(File);

impl Held {
    /// Waits until nobody else holds the file.
    pub(crate) fn alone(file: File) -> io::Result<Self> {
        file.lock().map(|()| Self(file))
    }

    /// Waits until nobody holds the file alone.
    pub(crate) fn shared(file: File) -> io::Result<Self> {
        file.lock_shared().map(|()| Self(file))
    }

    /// Holds the file with others, if nobody holds it alone.
    pub(crate) fn try_shared(file: File) -> Result<Self, TryLockError> {
        file.try_lock_shared().map(|()| Self(file))
    }

    /// Holds the file alone, if nobody else holds it.
    pub(crate) fn try_alone(file: File) -> Result<Self, TryLockError> {
        file.try_lock().map(|()| Self(file))
    }

    /// Holds a file that goes when nobody has it open any more, if nobody else holds it.
    #[cfg(windows)]
    pub(crate) fn while_it_is_there(path: &std::path::Path) -> Result<Self, TryLockError> {
        use std::os::windows::fs::OpenOptionsExt;
        const FILE_FLAG_DELETE_ON_CLOSE: u32 = 0x0400_0000;
        let mut options = File::options();
        options.write(true).create(true).truncate(false).custom_flags(FILE_FLAG_DELETE_ON_CLOSE);
        match options.open(path) {
            Ok(file) => Self::try_alone(file),
            // It is on its way out.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                Err(TryLockError::WouldBlock)
            }
            Err(error) => Err(TryLockError::Error(error)),
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // What cannot be unlocked is by being closed.
        let _ = self.0.unlock();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_lock_ends_with_what_holds_it_whoever_else_has_the_file_open() {
        let dir = tempfile::tempdir().unwrap();
        let open = || File::create(dir.path().join("lock")).unwrap();
        let held = Held::try_alone(open()).unwrap();
        // As a child process has it between its birth and its program.
        let inherited = held.0.try_clone().unwrap();
        assert!(matches!(Held::try_alone(open()), Err(TryLockError::WouldBlock)));
        drop(held);
        assert!(Held::try_alone(open()).is_ok());
        drop(inherited);
    }
}
