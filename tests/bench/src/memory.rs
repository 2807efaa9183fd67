//! Memory files: 1 global, 1 project and 200 directory files among 20,000 others, beside a plain walk that reads the
//! same files, and beside Gemini CLI's loader where it is installed; and opening a project of a million files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use siltstone_engine::memory::{MemoryFiles, MemoryPlace, MemorySettings};
use siltstone_engine::ports::{Folder, ProjectFiles};
use siltstone_workspace::Folders;
use tempfile::TempDir;

use crate::Outcome;
use crate::measure::{RUNS, Table, median, shown, timed};

/// Directories that have a memory file.
const MODULES: usize = 200;

/// What a touched file costs is little, so that many make one sample.
const TOUCHES: u32 = 200;

/// Runs over a million files.
const MILLIONS: usize = 3;

/// Where `npm install --prefix tests/bench --no-save @google/gemini-cli-core@0.40.0` puts the peer, unless
/// `SILTSTONE_BENCH_LOADER` says where it is. Later ones have no such loader.
const PEER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/node_modules/@google/gemini-cli-core");

struct Tree {
    root: TempDir,
    home: TempDir,
    settings: MemorySettings,
}

impl Tree {
    fn with(others: usize) -> Outcome<Self> {
        let tree = Self {
            root: TempDir::new()?,
            home: TempDir::new()?,
            settings: MemorySettings::default(),
        };
        let root = tree.root.path();
        fs::create_dir_all(root.join(".git"))?;
        fs::create_dir_all(tree.home.path().join(".gemini"))?;
        fs::write(tree.home.path().join(".gemini/GEMINI.md"), "Answer in Korean.\n")?;
        fs::write(root.join("GEMINI.md"), "Never break the public API.\n")?;
        for index in 0..MODULES {
            let module = root.join(module(index));
            fs::create_dir_all(module.join("lib"))?;
            fs::write(module.join("GEMINI.md"), format!("# Module {index}\n\nKeep it small.\n"))?;
            for other in 0..others / MODULES {
                fs::write(module.join(format!("lib/f{other}.ts")), "export {}\n")?;
            }
        }
        // What has just changed is read again until its stamp is certain.
        std::thread::sleep(Duration::from_millis(2_100));
        Ok(tree)
    }

    fn folders(&self) -> Folders {
        Folders::of(Some(self.home.path().to_owned()), None)
    }

    fn place(&self) -> Outcome<MemoryPlace<'_>> {
        let root = self.root.path().to_str().ok_or("the folder's path is not Unicode")?;
        Ok(MemoryPlace { root: Some(root), settings: &self.settings, exclude: &[] })
    }

    fn load(&self, folders: &Folders) -> Outcome<Duration> {
        let place = self.place()?;
        let (time, files) = timed(|| folders.all(&place, &mut |_| true));
        let found = files?.iter().filter(|file| file.refused.is_none()).count();
        if found != MODULES + 2 {
            return Err(format!("{found} memory files of {}", MODULES + 2).into());
        }
        Ok(time)
    }

    fn touch(&self, folders: &Folders) -> Outcome<Duration> {
        let place = self.place()?;
        let dirs: Vec<String> =
            (0..TOUCHES as usize).map(|index| format!("{}/lib", module(index))).collect();
        let (time, found) = timed(|| {
            dirs.iter().try_fold(0, |found, dir| {
                folders.along(&place, std::slice::from_ref(dir)).map(|files| found + files.len())
            })
        });
        if found? != 3 * TOUCHES as usize {
            return Err("a touched file brings the wrong memory".into());
        }
        Ok(time / TOUCHES)
    }

    fn change(&self, folders: &Folders, run: usize) -> Outcome<Duration> {
        let dir = module(run);
        fs::write(self.root.path().join(&dir).join("GEMINI.md"), format!("# Changed {run}\n"))?;
        let place = self.place()?;
        let (time, files) = timed(|| folders.along(&place, std::slice::from_ref(&dir)));
        if files?.last().is_none_or(|file| file.text != format!("# Changed {run}\n")) {
            return Err("a change was not seen".into());
        }
        Ok(time)
    }
}

fn module(index: usize) -> String {
    format!("p{}/m{}", index % 20, index / 20)
}

/// The floor: every directory listed, every memory file read, nothing else.
fn walk_and_read(folder: &Path) -> Outcome<usize> {
    let mut found = 0;
    let mut open: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                open.push(entry.path());
            } else if entry.file_name() == "GEMINI.md" {
                found += fs::read_to_string(entry.path())?.len();
            }
        }
    }
    Ok(found)
}

/// The floor of a touched file: the memory files above it are read where they are known to be.
fn read_above(root: &Path) -> Outcome<Duration> {
    let (time, read) = timed(|| {
        (0..TOUCHES as usize).try_fold(0, |read, index| {
            let of_root = fs::read_to_string(root.join("GEMINI.md"))?;
            let own = fs::read_to_string(root.join(module(index)).join("GEMINI.md"))?;
            Ok::<_, std::io::Error>(read + of_root.len() + own.len())
        })
    });
    read?;
    Ok(time / TOUCHES)
}

/// Loading everything, a touched file and a change.
pub fn measure() -> Outcome<String> {
    let tree = Tree::with(20_000)?;
    let kept = tree.folders();
    tree.load(&kept)?;
    let mut table = Table::new(
        "Memory: 1 global, 1 project and 200 directory files among 20,000 others",
        "walk and read",
        "Siltstone",
    );
    let mut floor = Vec::new();
    let (mut first, mut again) = (Vec::new(), Vec::new());
    let mut touches = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        let (time, read) = timed(|| walk_and_read(tree.root.path()));
        read?;
        floor.push(time);
        first.push(tree.load(&tree.folders())?);
        again.push(tree.load(&kept)?);
        touches.0.push(read_above(tree.root.path())?);
        touches.1.push(tree.touch(&kept)?);
    }
    table.row("all, the first time", &floor, &first);
    table.row("all, again", &floor, &again);
    table.row("one touched file", &touches.0, &touches.1);
    let mut text = table.to_string();

    let (small, large) = (Tree::with(2_000)?, Tree::with(200_000)?);
    let folders = (small.folders(), large.folders());
    small.load(&folders.0)?;
    large.load(&folders.1)?;
    let mut samples = (Vec::new(), Vec::new());
    for run in 0..RUNS {
        samples.0.push(small.change(&folders.0, run)?);
        samples.1.push(large.change(&folders.1, run)?);
    }
    let mut growth =
        Table::new("One changed memory file, until it is read", "2,000 files", "200,000 files");
    growth.row("one change", &samples.0, &samples.1);
    text.push_str(&growth.to_string());
    text.push_str(&million()?);
    text.push_str(&peer(&tree)?);
    Ok(text)
}

/// A million empty files in 10,000 folders, in memory where the system has a file system there.
fn million() -> Outcome<String> {
    let shared = Path::new("/dev/shm");
    let root = if shared.is_dir() { TempDir::new_in(shared)? } else { TempDir::new()? };
    for folder in 0..10_000 {
        let folder = root.path().join(format!("p{}/m{folder}", folder % 100));
        fs::create_dir_all(&folder)?;
        (0..100).try_for_each(|file| fs::write(folder.join(format!("{file}.ts")), ""))?;
    }
    fs::write(root.path().join("AGENTS.md"), "Never break the public API.\n")?;
    let path = root.path().to_str().ok_or("the folder's path is not Unicode")?;
    let settings = MemorySettings::default();
    let place = MemoryPlace { root: Some(path), settings: &settings, exclude: &[] };
    let (mut floor, mut looked) = (Vec::new(), Vec::new());
    let (mut found, mut watched) = (Vec::new(), Vec::new());
    for _ in 0..MILLIONS {
        let folders = Folders::of(None, None);
        let (time, read) = timed(|| walk_and_read(root.path()));
        read?;
        floor.push(time);
        let folder = Folder { root: path, exclude: &[] };
        let (time, probe) = timed(|| folders.probe(folder, &mut |_| true));
        probe?;
        looked.push(time);
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
    let mut table =
        Table::new("A project of 1,000,000 empty files in 10,000 folders", "walk", "Siltstone");
    table.row("look at what it would bring", &floor, &looked);
    table.row("find its memory", &floor, &found);
    table.row("watch 500 folders", &floor, &watched);
    Ok(table.to_string())
}

/// Gemini CLI's loader over the same tree.
fn peer(tree: &Tree) -> Outcome<String> {
    let named = std::env::var_os("SILTSTONE_BENCH_LOADER");
    let package = named.map_or(PathBuf::from(PEER), PathBuf::from);
    if !package.is_dir() {
        return Ok(String::from(
            "Gemini CLI's loader is not installed, so it was not measured.\n\n",
        ));
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/peer.mjs");
    let output = Command::new("node")
        .arg(script)
        .arg(&package)
        .arg(tree.root.path().canonicalize()?)
        .arg(RUNS.to_string())
        .env("HOME", tree.home.path())
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    let said: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let mut text = String::from(
        "### The same tree with Gemini CLI 0.40.0's loader, in a process that runs already\n\n\
         | | first | median | finds |\n|---|---|---|---|\n",
    );
    for (name, key) in [
        ("all, at most 200 directories (its default)", "usual"),
        ("all, any number of directories", "complete"),
        ("one touched file", "touched"),
    ] {
        let times = said[key]["times"].as_array().ok_or("the loader's times are missing")?;
        let times: Vec<Duration> = times
            .iter()
            .filter_map(serde_json::Value::as_f64)
            .map(|ms| Duration::from_secs_f64(ms / 1_000.0))
            .collect();
        let first = times.first().copied().unwrap_or_default();
        let found = match said[key]["found"].as_u64() {
            Some(found) if found > 0 => format!("{found} of {}", MODULES + 2),
            _ => String::from("–"),
        };
        text.push_str(&format!(
            "| {name} | {} | {} | {found} |\n",
            shown(first),
            shown(median(&times))
        ));
    }
    text.push('\n');
    Ok(text)
}
