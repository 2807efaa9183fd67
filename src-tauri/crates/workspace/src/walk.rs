//! Going through a folder as git would: ignored files left out, hidden ones seen, links not followed. Called by the
//! probe and by the index.

use std::ffi::OsStr;
use std::fs::Metadata;
use std::path::{Component, Path};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::UNIX_EPOCH;

use ignore::{DirEntry, WalkBuilder};
use siltstone_engine::checkpoint::IN_PROJECT;
use siltstone_engine::passage::FileStamp;
use siltstone_engine::ports::{FolderError, OnProgress};
use siltstone_engine::project::{ProbeProgress, is_never_sent};

use crate::{Root, io};

/// Most files an index takes in; those nearest the root come first.
pub const MAX_TEXT_FILES: usize = 20_000;

/// Largest file an index takes in; a larger one is data.
const MAX_TEXT_BYTES: u64 = 1024 * 1024;

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

/// Ends of names that are never worth quoting: pictures, sound, fonts, archives, programs, office files, data, and
/// what tools write for themselves.
const NOT_TEXT: &[&str] = &[
    "7z",
    "a",
    "apk",
    "avi",
    "avif",
    "bin",
    "bmp",
    "br",
    "bz2",
    "class",
    "dat",
    "db",
    "deb",
    "dll",
    "dmg",
    "doc",
    "docx",
    "dylib",
    "eot",
    "exe",
    "flac",
    "gguf",
    "gif",
    "gz",
    "hwp",
    "hwpx",
    "icns",
    "ico",
    "iso",
    "jar",
    "jpeg",
    "jpg",
    "lib",
    "lock",
    "lockb",
    "m4a",
    "map",
    "mkv",
    "mo",
    "mov",
    "mp3",
    "mp4",
    "msi",
    "node",
    "npy",
    "npz",
    "o",
    "obj",
    "odp",
    "ods",
    "odt",
    "ogg",
    "onnx",
    "otf",
    "parquet",
    "pdb",
    "pdf",
    "pkl",
    "png",
    "ppt",
    "pptx",
    "psd",
    "pt",
    "pyc",
    "pyd",
    "rar",
    "rlib",
    "rpm",
    "safetensors",
    "so",
    "sqlite",
    "sqlite3",
    "tar",
    "tgz",
    "tif",
    "tiff",
    "ttc",
    "ttf",
    "wasm",
    "wav",
    "webm",
    "webp",
    "whl",
    "woff",
    "woff2",
    "xls",
    "xlsx",
    "xz",
    "zip",
    "zst",
];

/// Files that tools write and that end like text.
const WRITTEN_BY_TOOLS: [&str; 5] =
    ["go.sum", "npm-shrinkwrap.json", "package-lock.json", "packages.lock.json", "pnpm-lock.yaml"];

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

/// Walks the folder and shows every regular file to `on_file`.
pub fn walk(
    root: &Root,
    max_files: u64,
    progress: OnProgress<'_>,
    mut on_file: impl FnMut(&DirEntry, &Metadata),
) -> Result<Walked, FolderError> {
    std::fs::read_dir(&root.real).map_err(|error| io(&root.path, &error))?;
    if let Some(name) = odd_ignore_file(&root.real) {
        return Err(io(&root.path, &format!("{name} is not an ordinary file")));
    }
    let skipped = Arc::new(AtomicBool::new(false));
    let mut walked = Walked::default();
    for (index, entry) in builder(root, Arc::clone(&skipped)).build().enumerate() {
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
        if kind.is_dir() {
            walked.counts.folders += u64::from(entry.depth() > 0);
        } else if kind.is_file() {
            if walked.counts.files == max_files {
                walked.too_many = true;
                break;
            }
            walked.counts.files += 1;
            // A file that is gone by now was there when it was listed, and has no bytes.
            if let Ok(metadata) = entry.metadata() {
                walked.counts.bytes += metadata.len();
                on_file(&entry, &metadata);
            }
        }
    }
    walked.unreadable |= skipped.load(Ordering::Relaxed);
    Ok(walked)
}

fn builder(root: &Root, skipped: Arc<AtomicBool>) -> WalkBuilder {
    as_git(&root.real, skipped, |_| true).max_depth(root.wide.map(|_| 1)).to_owned()
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

/// Stamps of the files an index takes in, sorted by path.
pub fn text_files(
    root: &Root,
    max_files: u64,
    max_text_files: usize,
    progress: OnProgress<'_>,
) -> Result<Vec<FileStamp>, FolderError> {
    let mut stamps: Vec<(usize, FileStamp)> = Vec::new();
    walk(root, max_files, progress, |entry, metadata| {
        if metadata.len() > MAX_TEXT_BYTES || !may_be_text(entry.file_name().to_str()) {
            return;
        }
        if let Some(path) = relative(root, entry.path())
            && !root.exclude.excludes(Path::new(&path), false)
        {
            stamps.push((entry.depth(), stamp(path, metadata)));
        }
        if stamps.len() >= max_text_files.saturating_mul(2) {
            keep_nearest(&mut stamps, max_text_files);
        }
    })?;
    keep_nearest(&mut stamps, max_text_files);
    let mut stamps: Vec<FileStamp> = stamps.into_iter().map(|(_, stamp)| stamp).collect();
    stamps.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(stamps)
}

/// Keeps the files nearest the root: what a project says about itself stands there.
fn keep_nearest(stamps: &mut Vec<(usize, FileStamp)>, limit: usize) {
    stamps.sort_by(|(a, x), (b, y)| a.cmp(b).then_with(|| x.path.cmp(&y.path)));
    stamps.truncate(limit);
}

fn may_be_text(name: Option<&str>) -> bool {
    let Some(name) = name else {
        return false;
    };
    let lower = name.to_ascii_lowercase();
    let ending = lower.rsplit_once('.').map_or("", |(_, ending)| ending);
    !is_never_sent(name)
        && !NOT_TEXT.contains(&ending)
        && !WRITTEN_BY_TOOLS.contains(&lower.as_str())
}

fn stamp(path: String, metadata: &Metadata) -> FileStamp {
    let modified = metadata.modified().unwrap_or(UNIX_EPOCH);
    let nanos = match modified.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |n| -n),
    };
    FileStamp { path, size: metadata.len(), modified_ns: nanos }
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
