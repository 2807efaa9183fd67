//! Checkpoints of a large project, beside git in the same run: the first one, one after three changes, and going back.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use siltstone_engine::checkpoint::{
    Captured, Change, Dirty, FileSnapshots, MAX_FILE_BYTES, ObjectId, Objects, SnapshotPlace, Tree,
    diff,
};
use siltstone_engine::ports::StoreError;
use siltstone_storage::CheckpointStore;
use siltstone_workspace::Snapshots;
use tempfile::TempDir;

use crate::Outcome;
use crate::measure::{median, shown};

/// Files of a directory.
const PER_DIR: usize = 50;

/// Rounds of what is fast.
const ROUNDS: usize = 15;

/// All of it for `files` of `bytes` each, as a table.
pub fn table(files: usize, bytes: usize) -> Outcome<String> {
    let all = [
        ("told what changed", measured(files, bytes, |project| project.ours(true))?),
        ("looking itself", measured(files, bytes, |project| project.ours(false))?),
        ("git", measured(files, bytes, |project| project.git(false))?),
        ("git, tuned", measured(files, bytes, |project| project.git(true))?),
    ];
    let mut text = format!("### Checkpoints of {files} files of {bytes} bytes, beside git\n\n");
    text.push_str("| | the first | nothing changed | 3 files changed | 3 files back | disk |\n");
    text.push_str("|---|---|---|---|---|---|\n");
    for (name, it) in all {
        let times = [it.first, it.none, it.changed, it.restored].map(shown).join(" | ");
        text.push_str(&format!("| {name} | {times} | {} MB |\n", it.disk / 1_000_000));
    }
    text.push('\n');
    Ok(text)
}

/// In a project of its own.
fn measured(
    files: usize,
    bytes: usize,
    act: impl FnOnce(&Project) -> Outcome<Figures>,
) -> Outcome<Figures> {
    act(&Project::new(files, bytes)?)
}

/// A project of many files, and where its checkpoints are kept.
struct Project {
    dir: TempDir,
    files: usize,
    bytes: usize,
}

/// Medians of one store.
#[derive(Clone, Copy, Debug, Default)]
struct Figures {
    first: Duration,
    none: Duration,
    changed: Duration,
    restored: Duration,
    disk: u64,
}

impl Project {
    /// `files` of `bytes` each.
    fn new(files: usize, bytes: usize) -> Outcome<Self> {
        let dir = tempfile::tempdir()?;
        let project = Self { dir, files, bytes };
        for index in 0..files {
            let path = project.path(index);
            if index % PER_DIR == 0 {
                fs::create_dir_all(path.parent().ok_or("no parent")?)?;
            }
            fs::write(path, project.text(index, 0))?;
        }
        // What was just written is read twice.
        std::thread::sleep(Duration::from_millis(100));
        Ok(project)
    }

    fn root(&self) -> PathBuf {
        self.dir.path().join("project")
    }

    fn relative(index: usize) -> String {
        format!("src/d{:04}/file{index:06}.rs", index / PER_DIR)
    }

    fn path(&self, index: usize) -> PathBuf {
        self.root().join(Self::relative(index))
    }

    /// Text that shrinks about as much as source does.
    fn text(&self, index: usize, round: u64) -> String {
        let mut state = (index as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ round;
        let mut text = String::with_capacity(self.bytes + 64);
        while text.len() < self.bytes {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            text.push_str(&format!(
                "    let value_{:x} = compute({:x});\n",
                state & 0xfff_ffff,
                state >> 44
            ));
        }
        text.truncate(self.bytes);
        text
    }

    /// Changes three files, and says which.
    fn change(&self, round: u64) -> Outcome<Vec<usize>> {
        let step = self.files / 3;
        let changed: Vec<usize> =
            (0..3).map(|at| (at * step + round as usize * 7) % self.files).collect();
        for index in &changed {
            fs::write(self.path(*index), self.text(*index, round))?;
        }
        Ok(changed)
    }

    /// Our own store; `told` says which files changed, as a watcher would.
    fn ours(&self, told: bool) -> Outcome<Figures> {
        let home = self.dir.path().join(if told { "told" } else { "walked" });
        let store = CheckpointStore::open(&home)?;
        let snapshots = Snapshots::new(home.join("stamps"));
        let root = self.root();
        let place = SnapshotPlace {
            root: root.to_str().ok_or("no name")?,
            exclude: &[],
            also: &[],
            max_file_bytes: MAX_FILE_BYTES,
        };
        let capture = |dirty: &Dirty| -> Outcome<(Captured, Duration)> {
            let start = Instant::now();
            let captured = snapshots.capture(&place, dirty, &store, &mut |_| true)?;
            store.sync()?;
            Ok((captured, start.elapsed()))
        };
        let (_, first) = capture(&Dirty::Anything)?;
        capture(&Dirty::Anything)?;
        let (mut none, mut changed, mut restored) = (Vec::new(), Vec::new(), Vec::new());
        let mut before = capture(&Dirty::Anything)?.0.tree;
        for round in 1..=ROUNDS as u64 {
            let nothing = if told { Dirty::Paths(Vec::new()) } else { Dirty::Anything };
            none.push(capture(&nothing)?.1);
            let files = self.change(round)?;
            let paths = files.iter().map(|index| Self::relative(*index).into_bytes()).collect();
            let dirty = if told { Dirty::Paths(paths) } else { Dirty::Anything };
            let (now, time) = capture(&dirty)?;
            changed.push(time);
            let start = Instant::now();
            let read = &mut |id: ObjectId| -> Result<Tree, StoreError> {
                Tree::decode(id, &store.get(id)?)
                    .map_err(|error| StoreError::Io { detail: error.to_string() })
            };
            for Change { path, before, after } in diff(now.tree, before, read)? {
                snapshots.write(place.root, &path, before.as_ref(), after.as_ref(), &store)?;
            }
            restored.push(start.elapsed());
            before = capture(&Dirty::Anything)?.0.tree;
        }
        Ok(Figures {
            first,
            none: median(&none),
            changed: median(&changed),
            restored: median(&restored),
            disk: size(&home)?,
        })
    }

    /// A git repository beside the project; `tuned` with what makes it fast.
    fn git(&self, tuned: bool) -> Outcome<Figures> {
        let home = self.dir.path().join(if tuned { "tuned.git" } else { "plain.git" });
        let root = self.root();
        let git = |arguments: &[&str]| -> Outcome<()> {
            let done = Command::new("git")
                .env("GIT_DIR", &home)
                .env("GIT_WORK_TREE", &root)
                .args(["-c", "user.name=bench", "-c", "user.email=bench@localhost"])
                .args(arguments)
                .output()?;
            match done.status.success() {
                true => Ok(()),
                false => Err(String::from_utf8_lossy(&done.stderr).into_owned().into()),
            }
        };
        git(&["init", "-q"])?;
        if tuned {
            let settings = [
                ("core.untrackedCache", "true"),
                ("index.version", "4"),
                ("core.compression", "1"),
                ("feature.manyFiles", "true"),
                ("gc.auto", "0"),
            ];
            for (name, value) in settings {
                git(&["config", name, value])?;
            }
        }
        let commit = |message: &str| -> Outcome<Duration> {
            let start = Instant::now();
            git(&["add", "-A"])?;
            git(&["commit", "-q", "--allow-empty", "-m", message])?;
            Ok(start.elapsed())
        };
        let first = commit("first")?;
        let (mut none, mut changed, mut restored) = (Vec::new(), Vec::new(), Vec::new());
        for round in 1..=ROUNDS as u64 {
            none.push(commit("none")?);
            self.change(round + 1_000)?;
            changed.push(commit("changed")?);
            let start = Instant::now();
            git(&["restore", "--source", "HEAD~1", "."])?;
            restored.push(start.elapsed());
        }
        let medians = (median(&none), median(&changed), median(&restored));
        Ok(Figures {
            first,
            none: medians.0,
            changed: medians.1,
            restored: medians.2,
            disk: size(&home)?,
        })
    }
}

fn size(path: &Path) -> Outcome<u64> {
    let mut total = 0;
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        total += if metadata.is_dir() { size(&entry.path())? } else { metadata.len() };
    }
    Ok(total)
}
