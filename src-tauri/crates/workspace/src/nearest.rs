//! The text files of a folder that an index takes in, those nearest the root. Called whenever an index is brought up to date.
//!
//! What a project says about itself stands near its root, so nobody waits for a walk through a million files: a large
//! folder is looked at level by level until there are enough texts.

use std::fs::Metadata;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::UNIX_EPOCH;

use ignore::DirEntry;
use siltstone_engine::passage::FileStamp;
use siltstone_engine::ports::{FolderError, OnProgress};
use siltstone_engine::project::{ProbeProgress, is_never_sent};

use crate::Root;
use crate::walk::{Far, go, relative};

/// Most files an index takes in; those nearest the root come first.
pub const MAX_TEXT_FILES: usize = 20_000;

/// How much is looked at for an index.
#[derive(Clone, Copy)]
struct Bounds {
    /// Most files it takes in.
    texts: usize,
    /// Files and folders that are looked at in one go. A folder that has more is looked at from its root down.
    at_once: u64,
    /// Files and folders that are looked at on the way down, all levels together.
    on_the_way: u64,
}

/// What an index of a project is made from.
const INDEXED: Bounds = Bounds { texts: MAX_TEXT_FILES, at_once: 50_000, on_the_way: 400_000 };

/// Largest file an index takes in; a larger one is data.
const MAX_TEXT_BYTES: u64 = 1024 * 1024;

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

/// Stamps of the files an index takes in, sorted by path.
pub fn text_files(root: &Root, progress: OnProgress<'_>) -> Result<Vec<FileStamp>, FolderError> {
    let mut stamps = nearest(root, INDEXED, progress)?.stamps;
    stamps.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(stamps)
}

/// Texts, and what it took to find them.
#[derive(Default)]
struct Nearest {
    stamps: Vec<FileStamp>,
    /// Files and folders that were met.
    looked_at: u64,
    /// Files whose size and time were asked for.
    asked: u64,
}

impl Nearest {
    /// Takes in a file that may be one of an index.
    fn take(&mut self, path: String, entry: &DirEntry) {
        self.asked += 1;
        // One that is gone by now has nothing to say.
        let metadata = entry.metadata().ok().filter(|it| it.len() <= MAX_TEXT_BYTES);
        self.stamps.extend(metadata.map(|metadata| stamp(path, &metadata)));
    }
}

fn nearest(root: &Root, bounds: Bounds, progress: OnProgress<'_>) -> Result<Nearest, FolderError> {
    // Of a folder that turns out to be large, nothing is asked about what is met on the way there.
    let mut named: Vec<(usize, String, DirEntry)> = Vec::new();
    let far = Far { most: bounds.at_once, folders_count: true, depth: None };
    let (walked, _) = go(root, far, progress, |entry, _| {
        named.extend(text(root, entry).map(|path| (entry.depth(), path, entry.clone())));
        ControlFlow::Continue(())
    })?;
    let mut found = Nearest { looked_at: met(walked.counts), ..Nearest::default() };
    if walked.too_many {
        drop(named);
        from_the_root_down(root, bounds, progress, &mut found)?;
        return Ok(found);
    }
    // What a project says about itself stands nearest its root.
    named.sort_by(|(a, x, _), (b, y, _)| a.cmp(b).then_with(|| x.cmp(y)));
    for (_, path, entry) in named {
        if found.stamps.len() >= bounds.texts {
            break;
        }
        found.take(path, &entry);
    }
    Ok(found)
}

fn met(counts: ProbeProgress) -> u64 {
    counts.files + counts.folders
}

/// The same of a large folder. Each level is a walk of its own, which goes again through the folders above: they are few
/// beside what is not looked at this way.
fn from_the_root_down(
    root: &Root,
    bounds: Bounds,
    progress: OnProgress<'_>,
    found: &mut Nearest,
) -> Result<(), FolderError> {
    let mut left = bounds.on_the_way;
    for depth in 1.. {
        let far = Far { most: left, folders_count: true, depth: Some(depth) };
        // What was met before is told too: whoever waits goes by all of it.
        let before = found.looked_at;
        let mut told = |counts: ProbeProgress| {
            progress(ProbeProgress { files: counts.files + before, ..counts })
        };
        let (walked, deepest) = go(root, far, &mut told, |entry, _| {
            if entry.depth() == depth
                && let Some(path) = text(root, entry)
            {
                found.take(path, entry);
            }
            if found.stamps.len() >= bounds.texts {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        })?;
        left = left.saturating_sub(met(walked.counts));
        found.looked_at += met(walked.counts);
        if found.stamps.len() >= bounds.texts || walked.too_many || deepest < depth {
            break;
        }
    }
    Ok(())
}

/// The path of a file that an index takes in, unless it is too large.
fn text(root: &Root, entry: &DirEntry) -> Option<String> {
    if !may_be_text(entry.file_name().to_str()) {
        return None;
    }
    let path = relative(root, entry.path())?;
    (!root.exclude.excludes(Path::new(&path), false)).then_some(path)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn root(folder: &Path) -> Root {
        let real = folder.canonicalize().unwrap();
        let path = real.to_str().unwrap().to_owned();
        Root { path, real, wide: None, exclude: crate::ExcludeRules::new(&["no.txt".into()]) }
    }

    /// A tree with so many folders of so many files on its lowest level.
    fn tree(folder: &Path, folders: usize, files: usize) {
        std::fs::write(folder.join("top.md"), "a").unwrap();
        std::fs::write(folder.join(".gitignore"), "left-out.txt\n").unwrap();
        for number in 0..folders {
            let inner = folder.join(format!("{}/{number:03}", number % 3));
            std::fs::create_dir_all(&inner).unwrap();
            std::fs::write(inner.parent().unwrap().join("between.rs"), "a").unwrap();
            for name in ["left-out.txt", "no.txt", "picture.png"] {
                std::fs::write(inner.join(name), "a").unwrap();
            }
            for file in 0..files {
                std::fs::write(inner.join(format!("{file:03}.txt")), "a").unwrap();
            }
        }
    }

    fn paths(folder: &Path, bounds: Bounds) -> Vec<String> {
        let found = nearest(&root(folder), bounds, &mut |_| true).unwrap();
        found.stamps.into_iter().map(|stamp| stamp.path).collect()
    }

    #[test]
    fn from_the_root_down_the_same_files_are_found() {
        let temp = tempfile::tempdir().unwrap();
        tree(temp.path(), 7, 5);
        for texts in [1, 2, 4, 5, 9, 20, 100] {
            let whole = Bounds { texts, at_once: 1_000, on_the_way: 0 };
            let levels = Bounds { texts, at_once: 3, on_the_way: 1_000 };
            let found = paths(temp.path(), levels);
            assert_eq!(found, paths(temp.path(), whole), "{texts}");
            assert_eq!(found.len(), texts.min(5 + 7 * 5), "{texts}");
        }
    }

    /// safety.md, R21: "walker with .gitignore, caps".
    #[test]
    fn an_index_looks_at_no_more_of_a_folder_the_more_files_it_has() {
        let bounds = Bounds { texts: 30, at_once: 10, on_the_way: 500 };
        let looked = |folders: usize, files: usize| {
            let temp = tempfile::tempdir().unwrap();
            tree(temp.path(), folders, files);
            let found = nearest(&root(temp.path()), bounds, &mut |_| true).unwrap();
            assert_eq!(found.stamps.len(), bounds.texts);
            assert_eq!(found.asked, bounds.texts as u64, "of no file that is not taken in");
            found.looked_at
        };
        let few = looked(6, 40);
        assert!(few < bounds.at_once + 6 * 3 + 80, "{few}");
        assert_eq!(looked(6, 400), few, "files that are not taken in");
        assert!(looked(60, 40) < few + 60 * 3, "folders are listed, what is in them is not");
    }

    #[test]
    fn a_walk_down_ends_where_enough_was_looked_at() {
        let temp = tempfile::tempdir().unwrap();
        tree(temp.path(), 7, 5);
        let few = Bounds { texts: 100, at_once: 3, on_the_way: 40 };
        let found = paths(temp.path(), few);
        assert!(found.contains(&String::from("top.md")), "{found:?}");
        assert!((2..30).contains(&found.len()), "{found:?}");
    }
}
