//! What a program and all that it started hold in memory and do, as Linux tells it.

use std::fs;

/// A process and all that it started, and those in turn.
pub fn tree(root: u32) -> Vec<u32> {
    let parents: Vec<(u32, u32)> = fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let pid = entry.file_name().to_str()?.parse().ok()?;
            Some((pid, stat(pid, 1)?.try_into().ok()?))
        })
        .collect();
    let mut all = vec![root];
    let mut at = 0;
    while let Some(parent) = all.get(at).copied() {
        all.extend(parents.iter().filter(|(_, of)| *of == parent).map(|(pid, _)| *pid));
        at += 1;
    }
    all
}

/// Kilobytes that a process holds, each shared page divided among those that share it; one that is gone has none.
pub fn pss(pid: u32) -> u64 {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}

/// Hundredths of a second that a process has computed so far; one that is gone has none.
pub fn ticks(pid: u32) -> u64 {
    [11, 12].iter().filter_map(|field| stat(pid, *field)).sum()
}

/// A field of `/proc/<pid>/stat`, counted from the one after the name, which is in brackets and may hold anything.
fn stat(pid: u32, field: usize) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(field)?.parse().ok()
}
