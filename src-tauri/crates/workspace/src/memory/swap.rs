//! Putting a new text in a file's place in one step, and only in the place of what is known. Called when a document
//! or a file of a session is saved.
//!
//! Editors respect no lock, so comparing first is not enough: another text may arrive between the look and the step.
//! Where the system can exchange two names, what was really replaced is looked at afterwards and put back if it is not
//! what it should be. So either the new text replaces what it was made from, or nothing happened.

use std::ffi::OsStr;
use std::fs::TryLockError;
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use cap_std::fs::{Dir, OpenOptions};
#[cfg(any(target_os = "linux", target_os = "macos"))]
use rustix::fs::RenameFlags;

use crate::alike::make_alike;
use crate::read::{self, MAX_BYTES, Refused};

/// How long another program may hold the folder.
const PATIENCE: Duration = Duration::from_secs(2);

/// A writer that opened the file before it was exchanged has this long to finish.
const GRACE: Duration = Duration::from_millis(5);

/// How it went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Put {
    Done,
    /// The file is not what it was; it was left alone.
    Overtaken,
}

/// What the names of files begin with that are put in another's place.
const BESIDE: &str = ".siltstone-";

/// Keeps other processes of ours away from a folder until it is dropped; `None` where the system has no such lock. What
/// a process that died in the middle of a save left there is taken away: nobody else can be in the middle of one.
pub(crate) fn lock(dir: &Dir) -> io::Result<Option<std::fs::File>> {
    let Ok(handle) = dir.open(".").map(cap_std::fs::File::into_std) else {
        return Ok(None);
    };
    let started = Instant::now();
    loop {
        match handle.try_lock() {
            Ok(()) => {
                sweep(dir);
                return Ok(Some(handle));
            }
            Err(TryLockError::WouldBlock) if started.elapsed() < PATIENCE => {
                thread::sleep(GRACE);
            }
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::new(ErrorKind::ResourceBusy, "the folder is locked"));
            }
            Err(TryLockError::Error(_)) => return Ok(None),
        }
    }
}

/// Removes what saves that were cut short left. What cannot be removed is in nobody's way.
fn sweep(dir: &Dir) {
    for entry in dir.entries().into_iter().flatten().flatten() {
        let name = entry.file_name();
        let number =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let is_ours = name
            .to_str()
            .and_then(|name| name.strip_prefix(BESIDE)?.split_once('-'))
            .is_some_and(|(process, turn)| number(process) && number(turn));
        if is_ours && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            let _ = dir.remove_file(&name);
        }
    }
}

/// A name for what is put in another's place, until it is.
fn beside() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{BESIDE}{}-{next}", std::process::id())
}

/// Writes `bytes` as the file `name`, whose bytes are those of the hash `base` and which it is made like; with `None`,
/// there must be no file.
pub(crate) fn put(dir: &Dir, name: &OsStr, bytes: &[u8], base: Option<&str>) -> io::Result<Put> {
    let beside = beside();
    let mut options = OpenOptions::new();
    let mut file = dir.open_with(&beside, options.write(true).create_new(true))?;
    let written = (|| {
        file.write_all(bytes)?;
        if base.is_some()
            && let Ok((old, _)) = read::open(dir, Path::new(name))
        {
            make_alike(&file, &old)?;
        }
        file.sync_all()?;
        drop(file);
        match base {
            Some(base) => replace(dir, beside.as_ref(), name, base, &hash_of(bytes)),
            None => create(dir, beside.as_ref(), name),
        }
    })();
    // Gone already where it was renamed.
    let _ = dir.remove_file(&beside);
    if matches!(written, Ok(Put::Done)) {
        press(dir);
    }
    written
}

/// Takes the file `name` away, whose bytes are those of the hash `base`. One that was written meanwhile has its name again.
pub(crate) fn take(dir: &Dir, name: &OsStr, base: &str) -> io::Result<Put> {
    if hash_at(dir, name)?.as_deref() != Some(base) {
        return Ok(Put::Overtaken);
    }
    let beside = beside();
    dir.rename(name, dir, &beside)?;
    if hash_at(dir, beside.as_ref())?.as_deref() != Some(base) {
        create(dir, beside.as_ref(), name)?;
        return Ok(Put::Overtaken);
    }
    dir.remove_file(&beside)?;
    press(dir);
    Ok(Put::Done)
}

/// Makes the name `other` in `there` one of the file `name`, in the place of a file whose bytes are those of `base`;
/// `bytes` are those of `name`.
pub(crate) fn link(
    (dir, name): (&Dir, &OsStr),
    (there, other): (&Dir, &OsStr),
    base: &str,
    bytes: &[u8],
) -> io::Result<Put> {
    let beside = beside();
    dir.hard_link(name, there, &beside)?;
    let linked = replace(there, beside.as_ref(), other, base, &hash_of(bytes));
    // Gone already where it was renamed.
    let _ = there.remove_file(&beside);
    if matches!(linked, Ok(Put::Done)) {
        press(there);
    }
    linked
}

/// Presses the names in a folder onto the disk.
pub(crate) fn press(dir: &Dir) {
    if let Ok(handle) = dir.open(".") {
        // What cannot be flushed here is flushed by the system in its own time.
        let _ = handle.sync_all();
    }
}

/// Makes a folder and those above it, so that a power cut leaves what is written there with a way to it.
pub(crate) fn make_dirs(dir: &Dir, path: &Path) -> io::Result<()> {
    if dir.is_dir(path) {
        return Ok(());
    }
    dir.create_dir_all(path)?;
    for above in path.ancestors().skip(1) {
        match above.as_os_str().is_empty() {
            true => press(dir),
            false => press(&dir.open_dir(above)?),
        }
    }
    Ok(())
}

/// Gives a new file its name unless there is such a file by now.
fn create(dir: &Dir, beside: &OsStr, name: &OsStr) -> io::Result<Put> {
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    if rename(dir, beside, name, RenameFlags::NOREPLACE).is_ok() {
        return Ok(Put::Done);
    }
    match dir.hard_link(beside, dir, name) {
        Ok(()) => Ok(Put::Done),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(Put::Overtaken),
        // A file system without links.
        Err(_) if dir.symlink_metadata(name).is_err() => {
            dir.rename(beside, dir, name).map(|()| Put::Done)
        }
        Err(_) => Ok(Put::Overtaken),
    }
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn replace(dir: &Dir, beside: &OsStr, name: &OsStr, base: &str, ours: &str) -> io::Result<Put> {
    if hash_at(dir, name)?.as_deref() != Some(base) {
        return Ok(Put::Overtaken);
    }
    match rename(dir, beside, name, RenameFlags::EXCHANGE) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Put::Overtaken),
        // A file system that cannot exchange.
        Err(_) => return dir.rename(beside, dir, name).map(|()| Put::Done),
    }
    let is_base = || Ok::<_, io::Error>(hash_at(dir, beside)?.as_deref() == Some(base));
    if is_base()? {
        thread::sleep(GRACE);
        if is_base()? {
            return Ok(Put::Done);
        }
    }
    put_back(
        ours,
        || hash_at(dir, beside),
        || {
            match rename(dir, beside, name, RenameFlags::EXCHANGE) {
                Ok(()) => Ok(true),
                // The file was taken away meanwhile; the text that was in its place before is given back.
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    dir.rename(beside, dir, name).map(|()| false)
                }
                Err(error) => Err(error),
            }
        },
    )?;
    Ok(Put::Overtaken)
}

/// Gives another's text its place back, by exchanging it until what comes out is what was put there last: what comes
/// out otherwise arrived meanwhile, and is newer. `aside` is the hash of what stands beside the place, `exchange`
/// whether there was something to exchange it with. It goes on only as long as a text arrives in every step.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn put_back(
    ours: &str,
    mut aside: impl FnMut() -> io::Result<Option<String>>,
    mut exchange: impl FnMut() -> io::Result<bool>,
) -> io::Result<()> {
    let mut placed = Some(ours.to_owned());
    loop {
        let next = aside()?;
        if !exchange()? || aside()? == placed {
            return Ok(());
        }
        placed = next;
    }
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn replace(dir: &Dir, beside: &OsStr, name: &OsStr, base: &str, _ours: &str) -> io::Result<Put> {
    // A virus scanner may hold the file for some milliseconds.
    let mut refused = None;
    for wait in [0, 5, 20, 60, 100] {
        thread::sleep(Duration::from_millis(wait));
        if hash_at(dir, name)?.as_deref() != Some(base) {
            return Ok(Put::Overtaken);
        }
        match dir.rename(beside, dir, name) {
            Ok(()) => return Ok(Put::Done),
            Err(error) => refused = Some(error),
        }
    }
    Err(refused.unwrap_or_else(|| ErrorKind::PermissionDenied.into()))
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn rename(dir: &Dir, from: &OsStr, to: &OsStr, how: RenameFlags) -> io::Result<()> {
    Ok(rustix::fs::renameat_with(dir, from, dir, to, how)?)
}

pub(crate) fn hash_of(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// The hash of a file; `None` if there is none, or nothing that could be a document.
fn hash_at(dir: &Dir, name: &OsStr) -> io::Result<Option<String>> {
    match read::regular(dir, Path::new(name), MAX_BYTES) {
        Ok(bytes) => Ok(Some(hash_of(&bytes))),
        Err(Refused::Io(error)) if error.kind() != ErrorKind::NotFound => Err(error),
        Err(_) => Ok(None),
    }
}

#[cfg(all(test, any(target_os = "linux", target_os = "macos")))]
mod tests {
    use std::cell::RefCell;

    use proptest::prelude::*;

    use super::put_back;

    proptest! {
        /// Others put texts into the place before any of its steps, as many as they like.
        #[test]
        fn the_newest_text_is_in_its_place_however_many_arrive(
            arrivals in prop::collection::vec(0..3_usize, 0..12),
        ) {
            let texts = RefCell::new((String::from("ours"), String::from("0")));
            let (mut newest, mut arrivals) = (0, arrivals.into_iter());
            let aside = || Ok(Some(texts.borrow().1.clone()));
            let mut steps = 0;
            put_back("ours", aside, || {
                steps += 1;
                let mut texts = texts.borrow_mut();
                for _ in 0..arrivals.next().unwrap_or(0) {
                    newest += 1;
                    texts.0 = newest.to_string();
                }
                let (place, aside) = &mut *texts;
                std::mem::swap(place, aside);
                Ok(true)
            })
            .unwrap();
            let texts = texts.into_inner();
            prop_assert_eq!(texts.0, newest.to_string());
            prop_assert!(steps <= 14, "{steps} steps");
        }
    }
}
