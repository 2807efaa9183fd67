//! Checkpoints of a large project, beside git and Gemini CLI in the same run: the first one, one after three changes, and
//! going back. Beside them the floor: reading, hashing and compressing every file once, and asking for every stamp.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use siltstone_engine::checkpoint::{
    Captured, Change, Dirty, FileSnapshots, MAX_FILE_BYTES, ObjectId, Objects, SnapshotPlace, Tree,
    diff,
};
use siltstone_engine::ports::StoreError;
use siltstone_secrets::Seals;
use siltstone_storage::CheckpointStore;
use siltstone_workspace::Snapshots;
use tempfile::TempDir;

use crate::Outcome;
use crate::measure::{median, shown};
use crate::peers::GEMINI;
use crate::sizes::thousands;

/// Files of a directory.
const PER_DIR: usize = 50;

/// Rounds of what is fast.
const ROUNDS: usize = 15;

/// Most files the peer is asked to take: its first checkpoint is quadratic in their number.
const PEER_FILES: usize = 20_000;

/// All of it for `files` of `bytes` each, as a table.
pub fn table(files: usize, bytes: usize) -> Outcome<String> {
    let mut all = vec![
        ("Siltstone, told what changed", measured(files, bytes, |project| project.ours(true))?),
        ("Siltstone, looking itself", measured(files, bytes, |project| project.ours(false))?),
    ];
    let mut missing = String::new();
    let mut beside = |name: &'static str, figures: Outcome<Figures>| match figures {
        Ok(figures) => all.push((name, figures)),
        Err(why) => missing.push_str(&format!("{name} was not measured: {why}.\n\n")),
    };
    beside("git, tuned", measured(files, bytes, |project| project.git(true)));
    beside("git", measured(files, bytes, |project| project.git(false)));
    match GEMINI.folder().map(|folder| folder.canonicalize()).transpose()? {
        _ if files > PEER_FILES => {}
        Some(peer) => beside("Gemini CLI", measured(files, bytes, |project| project.peer(&peer))),
        None => beside("Gemini CLI", Err("it is not installed".into())),
    }
    let floor = measured(files, bytes, Project::floor)?;
    let (files, bytes) = (thousands(files), thousands(bytes));
    let mut text = format!("### Checkpoints of {files} files of {bytes} bytes, beside others\n\n");
    text.push_str("| | the first | nothing changed | 3 files changed | 3 files back | disk |\n");
    text.push_str("|---|---|---|---|---|---|\n");
    for (name, it) in all {
        let times = [it.first, it.none, it.changed, it.restored].map(shown).join(" | ");
        text.push_str(&format!("| {name} | {times} | {} MB |\n", it.disk / 1_000_000));
    }
    let floors = [floor.first, floor.none].map(shown).join(" | ");
    text.push_str(&format!("| floor | {floors} | | | {} MB |\n\n", floor.disk / 1_000_000));
    text.push_str(&missing);
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

    fn path(&self, index: usize) -> PathBuf {
        self.root().join(format!("src/d{:04}/file{index:06}.rs", index / PER_DIR))
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

    /// Changes three files.
    fn change(&self, round: u64) -> Outcome<()> {
        let step = self.files / 3;
        for index in (0..3).map(|at| (at * step + round as usize * 7) % self.files) {
            fs::write(self.path(index), self.text(index, round))?;
        }
        Ok(())
    }

    /// Our own store; `told` listens to the folder, as the window does.
    fn ours(&self, told: bool) -> Outcome<Figures> {
        let home = self.dir.path().join(if told { "told" } else { "walked" });
        let store = CheckpointStore::open(&home, Arc::new(Seals))?;
        let snapshots = Snapshots::new(home.join("stamps"));
        let root = self.root();
        let place = SnapshotPlace {
            root: root.to_str().ok_or("no name")?,
            exclude: &[],
            also: &[],
            max_file_bytes: MAX_FILE_BYTES,
            surely: &[],
        };
        let dirty = if told { Dirty::Told } else { Dirty::Anything };
        let capture = || -> Outcome<(Captured, Duration)> {
            let start = Instant::now();
            let captured = snapshots.capture(&place, &dirty, &store, &mut |_| true)?;
            store.sync()?;
            Ok((captured, start.elapsed()))
        };
        let (_, first) = capture()?;
        capture()?;
        let (mut none, mut changed, mut restored) = (Vec::new(), Vec::new(), Vec::new());
        let mut before = capture()?.0.tree;
        for round in 1..=ROUNDS as u64 {
            none.push(capture()?.1);
            self.change(round)?;
            let (now, time) = capture()?;
            changed.push(time);
            let start = Instant::now();
            let read = &mut |id: ObjectId| -> Result<Tree, StoreError> {
                Tree::decode(id, &store.get(id)?)
                    .map_err(|error| StoreError::Io { detail: error.to_string() })
            };
            for Change { path, before, after } in diff(now.tree, before, read)? {
                snapshots.write(place.root, &path, before.as_ref(), after.as_ref(), &[], &store)?;
            }
            restored.push(start.elapsed());
            before = capture()?.0.tree;
        }
        Ok(Figures {
            first,
            none: median(&none),
            changed: median(&changed),
            restored: median(&restored),
            disk: size(&home)?,
        })
    }

    /// What no store can do without: all bytes read, hashed, compressed and pressed onto the disk once, by as many
    /// threads as there are processors; and the stamp of every file.
    fn floor(&self) -> Outcome<Figures> {
        let home = self.dir.path().join("floor");
        fs::create_dir(&home)?;
        let start = Instant::now();
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let read = |first: usize| -> std::io::Result<()> {
            let mut pack = fs::File::create(home.join(first.to_string()))?;
            for index in (first..self.files).step_by(threads) {
                let bytes = fs::read(self.path(index))?;
                std::hint::black_box(blake3::hash(&bytes));
                pack.write_all(&zstd::bulk::compress(&bytes, 1)?)?;
            }
            pack.sync_data()
        };
        std::thread::scope(|scope| {
            let all: Vec<_> = (0..threads).map(|first| scope.spawn(move || read(first))).collect();
            all.into_iter().try_for_each(|one| one.join().unwrap_or(Ok(())))
        })?;
        let first = start.elapsed();
        let mut none = Vec::new();
        for _ in 0..ROUNDS {
            let start = Instant::now();
            for index in 0..self.files {
                std::hint::black_box(fs::symlink_metadata(self.path(index))?);
            }
            none.push(start.elapsed());
        }
        Ok(Figures { first, none: median(&none), disk: size(&home)?, ..Figures::default() })
    }

    /// Gemini CLI's own service, in a process that stays as its own does.
    fn peer(&self, package: &Path) -> Outcome<Figures> {
        let home = self.dir.path().join("peer");
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/checkpoint-peer.mjs");
        let mut node = Command::new("node")
            .arg(script)
            .args([package, &self.root(), &home])
            .env("HOME", self.dir.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut acts = node.stdin.take().ok_or("no input")?;
        let mut answers = BufReader::new(node.stdout.take().ok_or("no output")?);
        let mut ask = |act: &str| -> Outcome<(Duration, String)> {
            writeln!(acts, "{act}")?;
            let mut line = String::new();
            answers.read_line(&mut line)?;
            let (time, taken) =
                line.trim_end_matches('\n').split_once(' ').ok_or("the peer said nothing")?;
            Ok((Duration::from_secs_f64(time.parse::<f64>()? / 1_000.0), taken.to_owned()))
        };
        let first = ask("take")?.0;
        let (mut none, mut changed, mut restored) = (Vec::new(), Vec::new(), Vec::new());
        for round in 1..=ROUNDS as u64 {
            let (time, before) = ask("take")?;
            none.push(time);
            self.change(round + 2_000)?;
            changed.push(ask("take")?.0);
            restored.push(ask(&format!("restore {before}"))?.0);
        }
        drop(acts);
        node.wait()?;
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
