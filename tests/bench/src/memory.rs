//! Memory files: 1 global, 1 project and 200 directory files among 20,000 others, beside a plain walk that reads the
//! same files, and beside Gemini CLI's loader where it is installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use siltstone_engine::memory::{MemoryFiles, MemoryPlace, MemorySettings};
use siltstone_workspace::Folders;
use tempfile::TempDir;

use crate::Outcome;
use crate::measure::{RUNS, Table, median, shown, timed};
use crate::peers::{LOADER, or_why, times};
use crate::sizes::thousands;

/// Directories that have a memory file.
const MODULES: usize = 200;

/// What a touched file costs is little, so that many make one sample.
const TOUCHES: u32 = 200;

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
pub fn walk_and_read(folder: &Path) -> Outcome<usize> {
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
pub fn measure(others: [usize; 3]) -> Outcome<String> {
    let tree = Tree::with(others[0])?;
    let kept = tree.folders();
    tree.load(&kept)?;
    let mut table = Table::new(
        format!(
            "Memory: 1 global, 1 project and {MODULES} directory files among {} others",
            thousands(others[0])
        ),
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

    let (small, large) = (Tree::with(others[1])?, Tree::with(others[2])?);
    let folders = (small.folders(), large.folders());
    small.load(&folders.0)?;
    large.load(&folders.1)?;
    let mut samples = (Vec::new(), Vec::new());
    for run in 0..RUNS {
        samples.0.push(small.change(&folders.0, run)?);
        samples.1.push(large.change(&folders.1, run)?);
    }
    let mut growth = Table::new(
        "One changed memory file, until it is read",
        format!("{} files", thousands(others[1])),
        format!("{} files", thousands(others[2])),
    );
    growth.row("one change", &samples.0, &samples.1);
    text.push_str(&growth.to_string());
    text.push_str(&peer(&tree));
    Ok(text)
}

/// Gemini CLI's loader over the same tree.
fn peer(tree: &Tree) -> String {
    let title =
        "### The same tree with Gemini CLI 0.40.0's loader, in a process that runs already\n\n";
    title.to_owned() + &or_why(measured_peer(tree))
}

fn measured_peer(tree: &Tree) -> Outcome<String> {
    let root = tree.root.path().canonicalize()?;
    let root = root.to_str().ok_or("the folder's path is not Unicode")?.to_owned();
    let said = LOADER.ask("peer.mjs", &[root, RUNS.to_string()], tree.home.path())?;
    let mut text = String::from("| | first | median | finds |\n|---|---|---|---|\n");
    let all = MODULES + 2;
    for (name, key, of) in [
        ("all, at most 200 directories (its default)", "usual", all),
        ("all, any number of directories", "complete", all),
        ("one touched file", "touched", 2),
    ] {
        let times = times(&said[key]["times"])?;
        let first = times.first().copied().unwrap_or_default();
        let found = said[key]["found"].as_u64().unwrap_or_default();
        text.push_str(&format!(
            "| {name} | {} | {} | {found} of {of} |\n",
            shown(first),
            shown(median(&times))
        ));
    }
    text.push('\n');
    Ok(text)
}
