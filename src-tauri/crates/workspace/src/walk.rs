//! Going through a folder as git would: ignored files left out, hidden ones seen, links not followed. Called by the
//! probe, by `nearest` for the index, and by tools.

use std::ffi::OsStr;
use std::fs::Metadata;
use std::ops::ControlFlow;
use std::path::{Component, Path};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ignore::{DirEntry, WalkBuilder};
use siltstone_engine::checkpoint::IN_PROJECT;
use siltstone_engine::ports::{FolderError, OnProgress};
use siltstone_engine::project::ProbeProgress;

use crate::{Root, io};

/// Largest file of ignore patterns; a larger one is not one.
const MAX_IGNORE_BYTES: u64 = 1024 * 1024;

/// Entries between two reports.
const STRIDE: usize = 2_000;

/// Files of patterns that are opened for every folder, the one with the most weight first.
pub const IGNORE_FILES: [&str; 3] = [".ignore", ".gitignore", GIT_EXCLUDE];
const GIT_EXCLUDE: &str = ".git/info/exclude";

/// Folders that package managers fill: nobody's words, also where no `.gitignore` says so.
const FILLED_BY_TOOLS: [&str; 6] =
    ["node_modules", "bower_components", "__pycache__", ".venv", "venv", ".tox"];

/// Marks a folder as a cache (bford.info/cachedir); Cargo's `target` has one.
pub const CACHE_MARK: &str = "CACHEDIR.TAG";

/// What a walk met besides the files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Walked {
    /// What was counted.
    pub counts: ProbeProgress,
    /// It stopped at the limit.
    pub too_many: bool,
    /// Some folders could not be read.
    pub unreadable: bool,
}

/// How far a walk goes.
#[derive(Clone, Copy, Debug)]
pub struct Far {
    /// Files, or files and folders, after which it ends.
    pub most: u64,
    /// Whether folders count among them.
    pub folders_count: bool,
    /// Levels beneath the root.
    pub depth: Option<usize>,
}

/// Walks the folder and shows every regular file to `on_file`.
pub fn walk(
    root: &Root,
    max_files: u64,
    progress: OnProgress<'_>,
    mut on_file: impl FnMut(&DirEntry, &Metadata),
) -> Result<Walked, FolderError> {
    let far = Far { most: max_files, folders_count: false, depth: None };
    go(root, far, progress, |entry, counts| {
        // A file that is gone by now was there when it was listed, and has no bytes.
        if let Ok(metadata) = entry.metadata() {
            counts.bytes += metadata.len();
            on_file(entry, &metadata);
        }
        ControlFlow::Continue(())
    })
    .map(|(walked, _)| walked)
}

/// Walks the folder until `on_file` has enough; with what was met, how deep the deepest folder lies. To a given depth, what
/// is in a folder comes in the order of its names.
pub fn go(
    root: &Root,
    far: Far,
    progress: OnProgress<'_>,
    mut on_file: impl FnMut(&DirEntry, &mut ProbeProgress) -> ControlFlow<()>,
) -> Result<(Walked, usize), FolderError> {
    std::fs::read_dir(&root.real).map_err(|error| io(&root.path, &error))?;
    if let Some(name) = odd_ignore_file(&root.real) {
        return Err(io(&root.path, &format!("{name} is not an ordinary file")));
    }
    let skipped = Arc::new(AtomicBool::new(false));
    let mut walked = Walked::default();
    let mut deepest = 0;
    let mut builder = as_git(&root.real, Arc::clone(&skipped), |_| true);
    builder.max_depth(root.wide.map(|_| 1).or(far.depth));
    if far.depth.is_some() {
        builder.sort_by_file_name(OsStr::cmp);
    }
    for (index, entry) in builder.build().enumerate() {
        if index % STRIDE == 0 && !progress(walked.counts) {
            return Err(FolderError::Cancelled);
        }
        let Ok(entry) = entry else {
            walked.unreadable = true;
            continue;
        };
        let Some(kind) = entry.file_type() else {
            continue;
        };
        let counts = &mut walked.counts;
        let met = if far.folders_count { counts.files + counts.folders } else { counts.files };
        if (kind.is_file() || far.folders_count) && entry.depth() > 0 && met == far.most {
            walked.too_many = true;
            break;
        }
        if kind.is_dir() {
            counts.folders += u64::from(entry.depth() > 0);
            deepest = deepest.max(entry.depth());
        } else if kind.is_file() {
            counts.files += 1;
            if on_file(&entry, counts).is_break() {
                break;
            }
        }
    }
    walked.unreadable |= skipped.load(Ordering::Relaxed);
    Ok((walked, deepest))
}

/// A walk as git would go, of what `enters` lets through. `skipped` is set when a folder had to be left out.
pub fn as_git(
    root: &Path,
    skipped: Arc<AtomicBool>,
    enters: impl Fn(&DirEntry) -> bool + Send + Sync + 'static,
) -> WalkBuilder {
    let mut builder = WalkBuilder::new(root);
    builder
        .hidden(false)
        .parents(false)
        .require_git(false)
        // The walker would follow a `.git` file to wherever it points; this reads a real `.git` folder alone.
        .git_exclude(false)
        .add_custom_ignore_filename(GIT_EXCLUDE)
        .follow_links(false)
        .filter_entry(move |entry| {
            if !entry.file_type().is_some_and(|kind| kind.is_dir()) {
                // A `.git` file is a pointer to a repository elsewhere.
                return entry.file_name() != ".git" && enters(entry);
            }
            let name = entry.file_name();
            // What is not entered anyway costs no look inside; a session has ways of its own into requests.
            let of_session = entry.depth() == 1 && name == ".ai-brain";
            let is_kept = entry.depth() == 2 && is_checkpoints(entry.path());
            if name == ".git" || of_session || is_kept || !enters(entry) {
                return false;
            }
            let odd = odd_ignore_file(entry.path()).is_some();
            skipped.fetch_or(odd, Ordering::Relaxed);
            let by_tools = entry.depth() > 0
                && (is_filled_by_tools(name) || entry.path().join(CACHE_MARK).is_file());
            !odd && !by_tools
        });
    builder
}

/// Whether a folder that lies two deep in a project is where it keeps its checkpoints: nobody's words, whatever patterns say.
fn is_checkpoints(path: &Path) -> bool {
    let [above, own] = IN_PROJECT;
    let parent = path.parent().and_then(Path::file_name);
    path.file_name().is_some_and(|name| name == own) && parent.is_some_and(|name| name == above)
}

/// Whether package managers fill folders of this name.
pub fn is_filled_by_tools(name: &OsStr) -> bool {
    FILLED_BY_TOOLS.iter().any(|known| name == *known)
}

/// The first file of patterns that must not be opened: a pipe makes the walker wait for ever, and a link to a device
/// feeds it without end.
pub fn odd_ignore_file(folder: &Path) -> Option<&'static str> {
    IGNORE_FILES.into_iter().find(|name| {
        let path = folder.join(name);
        let Ok(own) = path.symlink_metadata() else {
            return false;
        };
        match path.metadata() {
            Ok(target) => {
                // System files that never end say they are empty.
                let endless = own.is_symlink() && target.len() == 0;
                !target.is_file() || endless || target.len() > MAX_IGNORE_BYTES
            }
            // A link to nothing is not opened.
            Err(_) => false,
        }
    })
}

/// The path beneath the folder with `/`, unless a name in it is not Unicode.
pub fn relative(root: &Root, path: &Path) -> Option<String> {
    let names: Option<Vec<&str>> = path
        .strip_prefix(&root.real)
        .ok()?
        .components()
        .map(|component| match component {
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect();
    names.map(|names| names.join("/"))
}
