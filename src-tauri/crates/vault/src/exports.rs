//! Exports of services on the web: zips and `conversations.json` that lie where a person put them.
//!
//! `chatgpt` and `claude_web` are sources whose sessions are found here; `siltstone` looks for its files in the same manner. A home is a folder with exports in it, or one
//! export: zips and files of conversations directly in it or one folder below. What opens them and gives one conversation
//! after another is the engine's ([`Others`]), which imports them, too. A conversation is one session, its text byte for
//! byte what the export says, under the service's own id.
//!
//! The path of a conversation does not name the export. A later export says everything anew, so a conversation that went
//! on is one session with another version, and one that the service has no more is gone once no export here has it.
//! With the export in its path each export would be as many sessions more, each found once more in a search, and throwing
//! away an old zip would call all of them gone. Of several exports the one in which something was said last holds. What an
//! export that cannot be read held is not known to be gone.
//!
//! To list an export is to read it through, so what was listed is remembered while the file is the same. It is not kept
//! in memory: conversations are read anew, as many at a time as may be. What is remembered, and how much is
//! looked through, is bounded. Deliberately absent: states that only an older export has, pictures and files, projects
//! and accounts, and what no service names `conversations`.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use siltstone_engine::export::ImportError;
use siltstone_engine::export::others::{Head, Others, Service, head, holds_conversations};
use siltstone_engine::ports::FolderError;
use siltstone_engine::vault::{Listing, SeenFile, Stamp};

use crate::source::{Opened, Rows};
use crate::{open_regular, stamp_of};

/// Most names that are looked at in a home.
const MOST_NAMES: usize = 200_000;

/// Most exports of a home.
const MOST_EXPORTS: usize = 500;

/// Most conversations of an export, and of a home.
const MOST_TALKS: usize = 200_000;

/// Longest id that is the name of a file.
const MOST_LETTERS: usize = 128;

/// Bytes of conversations that are read at once: each time goes through the export from its beginning.
const AT_ONCE: u64 = if cfg!(test) { 64 << 10 } else { 32 << 20 };

/// Conversations after which it is asked whether to go on.
const ASKS: usize = 100;

/// What exports hold, by their paths, as they were seen last.
static SEEN: Mutex<BTreeMap<PathBuf, (Stamp, Arc<Contents>)>> = Mutex::new(BTreeMap::new());

/// Conversations that were read and are not asked for yet.
static READ: Mutex<Option<Batch>> = Mutex::new(None);

/// All exports of a service.
pub(crate) struct Exports(pub(crate) Service);

/// A file that may be an export.
pub(crate) struct Export {
    /// Below the home.
    pub(crate) name: String,
    pub(crate) whole: PathBuf,
    pub(crate) stamp: Stamp,
}

/// What may be an export in a home, and what cannot be looked at.
pub(crate) struct Looking {
    pub(crate) exports: Vec<Export>,
    names: usize,
    pub(crate) skipped: Vec<String>,
    pub(crate) hides: bool,
    /// Whether something of this name may be one.
    fits: fn(&str) -> bool,
    most: usize,
}

/// What an export holds.
#[derive(Default)]
struct Contents {
    talks: Vec<Talk>,
    /// Elements that are no conversation.
    strange: u64,
    /// Whether it is an export that could not be read to its end.
    is_cut: bool,
}

/// A conversation in an export.
struct Talk {
    head: Head,
    /// Its place among all elements.
    place: u64,
    bytes: u64,
}

/// Where the newest state of a conversation stands.
struct Newest {
    export: usize,
    place: u64,
    stamp: Stamp,
}

struct Batch {
    home: (Service, PathBuf),
    talks: HashMap<String, (Vec<u8>, Stamp)>,
}

impl Rows for Exports {
    fn list(
        &self,
        root: &Path,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Listing, FolderError> {
        locked(&READ).take();
        let (looking, talks) = self.newest(root, go_on)?;
        let mut talks: Vec<(String, Newest)> = talks.into_iter().collect();
        // An export is read from its beginning to its end.
        talks.sort_by_key(|(_, talk)| (talk.export, talk.place));
        let files = talks.into_iter().map(|(path, talk)| SeenFile { path, stamp: talk.stamp });
        Ok(Listing { files: files.collect(), skipped: looking.skipped, hides: looking.hides })
    }

    fn open(&self, root: &Path, path: &str) -> io::Result<Option<Opened>> {
        let home = (self.0, root.to_owned());
        if let Some(read) = &mut *locked(&READ)
            && read.home == home
            && let Some(talk) = read.talks.remove(path)
        {
            return Ok(Some(talk));
        }
        let gone = || io::Error::from(io::ErrorKind::NotFound);
        let (looking, all) = self.newest(root, &mut |_| true).map_err(io::Error::other)?;
        let asked = all.get(path).ok_or_else(gone)?;
        let export = looking.exports.get(asked.export).ok_or_else(gone)?;
        // Those after it in the same export are asked for next.
        let mut wanted: BTreeMap<u64, (&str, Stamp)> = BTreeMap::new();
        for (path, talk) in &all {
            if talk.export == asked.export && talk.place >= asked.place {
                wanted.insert(talk.place, (path, talk.stamp));
            }
        }
        let mut left = AT_ONCE;
        wanted.retain(|place, (_, stamp)| {
            let fits = *place == asked.place || stamp.bytes <= left;
            left = if fits { left.saturating_sub(stamp.bytes) } else { 0 };
            fits
        });
        let mut talks = read(export, &wanted)?;
        let own = talks.remove(path).ok_or_else(gone)?;
        *locked(&READ) = Some(Batch { home, talks });
        Ok(Some(own))
    }

    fn has(&self, name: &str) -> bool {
        // Anything may be written beside them, in a folder for all that is loaded down for one.
        is_export(name)
    }
}

impl Exports {
    /// The newest state of each conversation of a home, by its path.
    fn newest(
        &self,
        root: &Path,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> Result<(Looking, BTreeMap<String, Newest>), FolderError> {
        let mut looking = Looking::at(root, is_export, MOST_EXPORTS);
        let mut seen = locked(&SEEN);
        let is_there: BTreeSet<&Path> = looking.exports.iter().map(|it| &*it.whole).collect();
        seen.retain(|path, _| !path.starts_with(root) || is_there.contains(&**path));
        let mut talks: BTreeMap<String, Newest> = BTreeMap::new();
        let mut ranks: HashMap<String, _> = HashMap::new();
        let mut found = 0;
        for (at, export) in looking.exports.iter().enumerate() {
            let known = seen.get(&export.whole).filter(|(stamp, _)| *stamp == export.stamp);
            let contents = match known {
                Some((_, contents)) => contents.clone(),
                None => {
                    let mut heard = |more: usize| go_on((found + more) as u64);
                    let Some(contents) = contents(export, &mut heard)? else {
                        // It may be opened another time.
                        looking.skipped.push(export.name.clone());
                        looking.hides = true;
                        continue;
                    };
                    let contents = Arc::new(contents);
                    seen.insert(export.whole.clone(), (export.stamp, contents.clone()));
                    contents
                }
            };
            let is_full = found + contents.talks.len() > MOST_TALKS;
            let own = contents.talks.iter().filter(|talk| talk.head.service == self.0);
            let is_own = contents.talks.is_empty() || own.clone().next().is_some();
            if is_own && (contents.is_cut || contents.strange > 0 || is_full) {
                looking.skipped.push(export.name.clone());
            }
            looking.hides |= is_own && (contents.is_cut || is_full);
            if is_full {
                continue;
            }
            found += contents.talks.len();
            for talk in own {
                let rank = (talk.head.said_at, export.stamp.modified, at, talk.place);
                let path = format!("{}.json", talk.head.id);
                if ranks.get(&path).is_some_and(|other| *other > rank) {
                    continue;
                }
                let modified = talk.head.said_at.unwrap_or(export.stamp.modified);
                let stamp = Stamp { bytes: talk.bytes, modified };
                ranks.insert(path.clone(), rank);
                talks.insert(path, Newest { export: at, place: talk.place, stamp });
            }
            if !go_on(found as u64) {
                return Err(FolderError::Cancelled);
            }
        }
        Ok((looking, talks))
    }
}

impl Looking {
    /// What is at this place, a folder or an export itself.
    pub(crate) fn at(root: &Path, fits: fn(&str) -> bool, most: usize) -> Self {
        let (exports, skipped) = (Vec::new(), Vec::new());
        let mut looking = Self { exports, names: 0, skipped, hides: false, fits, most };
        let name = root.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match fs::symlink_metadata(root) {
            Ok(found) if found.is_dir() => looking.folder(root, "", true),
            Ok(found) => looking.file(root, name, &found),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(_) => looking.cannot(name),
        }
        looking.exports.sort_by(|a, b| a.name.cmp(&b.name));
        looking
    }

    fn cannot(&mut self, name: String) {
        self.skipped.push(name);
        self.hides = true;
    }

    fn folder(&mut self, folder: &Path, above: &str, goes_down: bool) {
        let Ok(entries) = fs::read_dir(folder) else { return self.cannot(above.to_owned()) };
        for entry in entries.flatten() {
            self.names += 1;
            if self.names > MOST_NAMES {
                return self.cannot(above.to_owned());
            }
            // One that is no text is none that a service gives.
            let Ok(name) = entry.file_name().into_string() else { continue };
            let path = if above.is_empty() { name.clone() } else { format!("{above}/{name}") };
            let is_folder = goes_down && entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder {
                self.folder(&entry.path(), &path, false);
            } else if (self.fits)(&name)
                && let Ok(found) = fs::symlink_metadata(entry.path())
            {
                self.file(&entry.path(), path, &found);
            }
        }
    }

    fn file(&mut self, whole: &Path, name: String, found: &Metadata) {
        match stamp_of(found) {
            // Deeper than exports lie.
            _ if found.is_dir() => {}
            Ok(stamp) if found.is_file() && self.exports.len() < self.most => {
                self.exports.push(Export { name, whole: whole.to_owned(), stamp });
            }
            _ if found.is_file() => self.cannot(name),
            _ => self.skipped.push(name),
        }
    }
}

fn is_export(name: &str) -> bool {
    let ending = name.len().checked_sub(4).and_then(|at| name.get(at..));
    ending.is_some_and(|it| it.eq_ignore_ascii_case(".zip")) || holds_conversations(name)
}

/// Opens an export; `None` for a file that is none.
fn opened(export: &Export) -> io::Result<Option<Others<File>>> {
    let (file, found) = open_regular(&export.whole)?;
    if stamp_of(&found)? != export.stamp {
        return Err(io::Error::other("it is written just now"));
    }
    match Others::open(file) {
        Ok(Ok(others)) => Ok(Some(others)),
        Ok(Err(_)) | Err(ImportError::Unrecognised) => Ok(None),
        Err(error) => Err(io::Error::new(io::ErrorKind::InvalidData, error)),
    }
}

/// Reads an export through, as far as it can be read; `None` where it cannot be opened.
fn contents(
    export: &Export,
    go_on: &mut dyn FnMut(usize) -> bool,
) -> Result<Option<Contents>, FolderError> {
    let mut contents = Contents::default();
    let mut others = match opened(export) {
        Ok(Some(others)) => others,
        Ok(None) => return Ok(Some(contents)),
        Err(_) => return Ok(None),
    };
    let (mut place, mut is_cancelled) = (0, false);
    let read = others.each(&mut |text| {
        match head(text) {
            Some(mut head) => {
                head.id = name(&head.id, text);
                contents.talks.push(Talk { head, place, bytes: text.len() as u64 });
            }
            None => contents.strange += 1,
        }
        place += 1;
        contents.is_cut |= contents.talks.len() > MOST_TALKS;
        is_cancelled = (place as usize).is_multiple_of(ASKS) && !go_on(contents.talks.len());
        !is_cancelled && !contents.is_cut
    });
    if is_cancelled {
        return Err(FolderError::Cancelled);
    }
    contents.is_cut |= read.is_err();
    if contents.talks.is_empty() && !contents.is_cut {
        // Somebody else's list of things that happens to be called so.
        contents.strange = 0;
    }
    Ok(Some(contents))
}

/// The texts at these places of an export.
fn read(
    export: &Export,
    wanted: &BTreeMap<u64, (&str, Stamp)>,
) -> io::Result<HashMap<String, (Vec<u8>, Stamp)>> {
    let gone = || io::Error::from(io::ErrorKind::NotFound);
    let mut others = opened(export)?.ok_or_else(gone)?;
    let last = wanted.keys().next_back().copied().unwrap_or_default();
    let (mut place, mut found) = (0, HashMap::new());
    let read = others.each(&mut |text| {
        if let Some((path, stamp)) = wanted.get(&place)
            && stamp.bytes == text.len() as u64
        {
            found.insert((*path).to_owned(), (text.as_bytes().to_vec(), *stamp));
        }
        place += 1;
        place <= last
    });
    match (read, found.is_empty()) {
        (Err(error), true) => Err(io::Error::new(io::ErrorKind::InvalidData, error)),
        _ => Ok(found),
    }
}

/// The name of a conversation: its id, or a hash where that is no name.
fn name(id: &str, text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let hash = |of: &str| blake3::hash(of.as_bytes()).to_hex()[..32].to_owned();
    match id {
        "" => hash(text),
        id if id.len() <= MOST_LETTERS && id.bytes().all(is_plain) => id.to_owned(),
        id => hash(id),
    }
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is remembered is whole between any two steps.
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
