//! Opening a project of a million files, beside a plain walk through it.

use std::fs;
use std::path::Path;

use siltstone_engine::memory::{MemoryFiles, MemoryPlace, MemorySettings};
use siltstone_engine::ports::{Folder, ProjectFiles};
use siltstone_workspace::Folders;
use tempfile::TempDir;

use crate::Outcome;
use crate::measure::{Table, timed};
use crate::memory::walk_and_read;
use crate::sizes::thousands;

/// Runs over a million files.
const RUNS: usize = 3;

/// Files of a folder.
const EACH: usize = 100;

/// Empty files, a hundred in each of so many folders, in memory where the system has a file system there.
pub fn measure(count: usize) -> Outcome<String> {
    let shared = Path::new("/dev/shm");
    let root = if shared.is_dir() { TempDir::new_in(shared)? } else { TempDir::new()? };
    for folder in 0..count {
        let folder = root.path().join(format!("p{}/m{folder}", folder % 100));
        fs::create_dir_all(&folder)?;
        (0..EACH).try_for_each(|file| fs::write(folder.join(format!("{file}.ts")), ""))?;
    }
    fs::write(root.path().join("AGENTS.md"), "Never break the public API.\n")?;
    let path = root.path().to_str().ok_or("the folder's path is not Unicode")?;
    let settings = MemorySettings::default();
    let place = MemoryPlace { root: Some(path), settings: &settings, exclude: &[] };
    let (mut floor, mut looked) = (Vec::new(), Vec::new());
    let (mut found, mut watched) = (Vec::new(), Vec::new());
    let mut indexed = Vec::new();
    for _ in 0..RUNS {
        let folders = Folders::of(None, None);
        let (time, read) = timed(|| walk_and_read(root.path()));
        read?;
        floor.push(time);
        let folder = Folder { root: path, exclude: &[] };
        let (time, probe) = timed(|| folders.probe(folder, &mut |_| true));
        probe?;
        looked.push(time);
        let (time, texts) = timed(|| folders.text_files(folder, &mut |_| true));
        texts?;
        indexed.push(time);
        let (time, files) = timed(|| folders.all(&place, &mut |_| true));
        if files?.len() != 1 {
            return Err("the memory of a million files is one".into());
        }
        found.push(time);
        let (time, watching) = timed(|| folders.watch(&place, Box::new(|_| ())));
        watching?;
        watched.push(time);
        folders.unwatch(path);
    }
    let title = format!(
        "A project of {} empty files in {} folders",
        thousands(count * EACH),
        thousands(count)
    );
    let mut table = Table::new(title, "walk", "Siltstone");
    table.row("look at what it would bring", &floor, &looked);
    table.row("choose the texts of its index", &floor, &indexed);
    table.row("find its memory", &floor, &found);
    table.row("watch 500 folders", &floor, &watched);
    Ok(table.to_string())
}
