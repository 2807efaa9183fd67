//! Processes of a command that left its session, known by the temporary folder that only they were told of. Called when
//! a command has ended.
//!
//! One that left and threw away what it was told is not known. It stays inside of the sandbox, and is not waited for.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::process::{
    Pid, PidfdFlags, Signal, getpgid, getpgrp, kill_process_group, pidfd_open, pidfd_send_signal,
};

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

/// Ends a process if it was told, with its group: what it has just started may be on its way to a program, and shows
/// nothing of what it was told meanwhile. Whether it was.
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
    // The handle is of whoever has the number now, and so is the group while it is there.
    let group = getpgid(Some(process)).ok().filter(|group| *group != getpgrp());
    if !is_told() {
        return false;
    }
    let with_group = group.is_some_and(|group| kill_process_group(group, Signal::KILL).is_ok());
    pidfd_send_signal(&handle, Signal::KILL).is_ok() || with_group
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};

    use siltstone_test_servers::until::until_now;

    use super::*;

    #[test]
    fn what_shows_nothing_of_what_it_was_told_goes_with_the_group_of_who_does() {
        let temp = tempfile::tempdir().unwrap();
        let mut child = Command::new("/bin/sh")
            .args(["-c", "env -i sleep 1000 & echo $!; wait"])
            .env("TMPDIR", temp.path())
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let bare = format!("/proc/{}/stat", line.trim());
        assert!(Path::new(&bare).exists(), "{bare}");
        end(temp.path());
        child.wait().unwrap();
        let has_ended = || {
            let stat = fs::read_to_string(&bare).unwrap_or_default();
            stat.rsplit_once(')').is_none_or(|(_, rest)| rest.trim_start().starts_with(['Z', 'X']))
        };
        until_now("the other one to end", has_ended);
    }
}
