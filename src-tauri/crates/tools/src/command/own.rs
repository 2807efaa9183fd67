//! The temporary folder of a program, by which its children are known. Dropping it ends those that are left; so does not
//! even that one stay which was begun when nobody waited for it any more.

use std::io;
use std::path::Path;

use tempfile::TempDir;

/// A temporary folder that only a program and its children are told of.
pub(crate) struct Own {
    temp: TempDir,
    is_over: bool,
}

impl Own {
    /// A new one, whose name begins so.
    pub(crate) fn new(prefix: &str) -> io::Result<Self> {
        let temp = tempfile::Builder::new().prefix(prefix).tempdir()?;
        Ok(Self { temp, is_over: false })
    }

    pub(crate) fn path(&self) -> &Path {
        self.temp.path()
    }

    /// Whether nothing of the program is left.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Ends what is left of the program.
    pub(crate) fn end(&mut self) {
        // Elsewhere, a process that left its group cannot be told from others.
        #[cfg(target_os = "linux")]
        super::strays::end(self.temp.path());
        self.is_over = true;
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        if !self.is_over {
            self.end();
        }
    }
}
