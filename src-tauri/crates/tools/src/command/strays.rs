//! Processes of a command that left its session, known by the temporary folder that only they were told of. Called when
//! a command has ended.
//!
//! One that left and threw away what it was told is not known. It stays inside of the sandbox, and is not waited for.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// Looks until there is none, at most so often: each may start another one meanwhile.
const MAX_LOOKS: usize = 8;

/// Ends every process that was told of this folder.
pub(super) fn end(temp: &Path) {
    let told = [b"TMPDIR=", temp.as_os_str().as_bytes()].concat();
    for _ in 0..MAX_LOOKS {
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        if ids.filter(|id| end_one(*id, &told)).count() == 0 {
            return;
        }
    }
}

/// Ends a process if it was told; whether it was.
fn end_one(id: i32, told: &[u8]) -> bool {
    let is_told = || {
        fs::read(format!("/proc/{id}/environ"))
            .is_ok_and(|environ| environ.split(|byte| *byte == 0).any(|it| it == told))
    };
    if !is_told() {
        return false;
    }
    let Some(process) = Pid::from_raw(id) else { return false };
    let Ok(handle) = pidfd_open(process, PidfdFlags::empty()) else { return false };
    // The handle is of whoever has the number now.
    is_told() && pidfd_send_signal(&handle, Signal::KILL).is_ok()
}
