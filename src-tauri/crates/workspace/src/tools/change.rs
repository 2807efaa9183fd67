//! Changing files: first as a plan that does nothing, then as it was planned, whole or not at all.
//!
//! A plan holds the hash of what is there. It is made again before it is carried out, so what is done is what was
//! looked at, and the step itself replaces nothing but those bytes.

use std::ffi::OsStr;
use std::io;
use std::ops::Range;

use cap_std::fs::{Dir, Permissions};
use siltstone_engine::difference::Difference;
use siltstone_engine::tool::{Answer, ChangeKind, FileCall, FileChange, ToolError};

use super::site::{OtherNames, Site, is_missing, split};
use super::written::{Unwritable, Written, common};
use super::{hint, refused, shown, system};
use crate::memory::swap::{self, Put};
use crate::read::{self, MAX_BYTES};

/// Bytes of a diff that are told; the person has all of it.
const DIFF_BYTES: usize = 6_000;

/// See the port.
pub(super) fn plan(site: &Site, call: &FileCall) -> Result<FileChange, ToolError> {
    draft(site, call).map(|draft| draft.change)
}

/// See the port.
pub(super) fn carry_out(
    site: &Site,
    call: &FileCall,
    planned: &FileChange,
) -> Result<Answer, ToolError> {
    let changed = || ToolError::Changed { path: shown(&planned.path) };
    let now = look(site, &planned.path)?.map(|now| now.stamp).unwrap_or_default();
    if now != planned.stamp {
        return Err(changed());
    }
    let Draft { change, bytes } = draft(site, call)?;
    if (&change.path, &change.kind, &change.stamp) != (&planned.path, &planned.kind, &planned.stamp)
    {
        return Err(changed());
    }
    let path = change.path.as_str();
    let failed = |error: io::Error| system(&shown(path), &error);
    let makes = change.kind == ChangeKind::Create;
    let (dir, name) = site.parent(path, makes)?;
    let _lock = swap::lock(&dir).map_err(failed)?;
    // Before another file is in its place.
    let names = match change.kind {
        ChangeKind::Edit => site.other_names(path)?,
        _ => OtherNames::default(),
    };
    let mut touched = vec![path.to_owned()];
    let text = match &change.kind {
        ChangeKind::Create | ChangeKind::Edit => {
            let base = (!makes).then_some(change.stamp.as_str());
            match swap::put(&dir, OsStr::new(name), &bytes, base).map_err(failed)? {
                Put::Done => {
                    let linked = link_all(site, (&dir, path), &names, (&change.stamp, &bytes));
                    let rest = names.left_out + (names.inside.len() - linked.len()) as u64;
                    let text = said(&change) + &said_of_names(&linked, rest);
                    touched.extend(linked);
                    text
                }
                Put::Overtaken => return Err(changed()),
            }
        }
        ChangeKind::Move { to } => {
            let (above, new_name) = site.parent(to, true)?;
            rename(&dir, name, &above, new_name).map_err(|error| match error.kind() {
                io::ErrorKind::AlreadyExists => taken(to),
                _ => failed(error),
            })?;
            swap::press(&above);
            swap::press(&dir);
            touched.push(to.clone());
            format!("Moved {} to {}.\n", shown(path), shown(to))
        }
        ChangeKind::Delete => {
            // Whoever held the folder until now may have written to it.
            if look(site, path)?.is_none_or(|now| now.stamp != change.stamp) {
                return Err(changed());
            }
            dir.remove_file(name).map_err(failed)?;
            swap::press(&dir);
            format!("Deleted {}.\n", shown(path))
        }
    };
    Ok(Answer { text, is_error: false, touched })
}

/// What a call would do, with the bytes it would write.
struct Draft {
    change: FileChange,
    bytes: Vec<u8>,
}

fn draft(site: &Site, call: &FileCall) -> Result<Draft, ToolError> {
    match call {
        FileCall::Edit { path, old, new, all } => edit(site, path, old, new, *all),
        FileCall::Write { path, text } => write(site, path, text),
        FileCall::Move { from, to } => move_to(site, from, to),
        FileCall::Delete { path } => delete(site, path),
        FileCall::List { .. }
        | FileCall::Find { .. }
        | FileCall::Search { .. }
        | FileCall::Read { .. } => Err(refused("This changes nothing and needs no plan.")),
    }
}

fn edit(site: &Site, path: &str, old: &str, new: &str, all: bool) -> Result<Draft, ToolError> {
    let (path, now) = existing(site, path)?;
    now.may_be_written(&path)?;
    let bytes = now.bytes.as_deref().ok_or_else(|| too_large(&path))?;
    let written = Written::of(bytes).ok_or_else(|| not_text(&path))?;
    let (old, new) = (old.replace("\r\n", "\n"), new.replace("\r\n", "\n"));
    if old.is_empty() {
        return Err(refused("The old text is empty. Give the text that is to be replaced."));
    }
    if old == new {
        return Err(refused("The old text and the new one are the same."));
    }
    let places = places(&written.text, &old, all);
    if places.is_empty() {
        return Err(refused(hint::missing(&path, &written.text, &old)));
    }
    if !all && places.len() > 1 {
        return Err(refused(hint::ambiguous(&path, &written.text, &places)));
    }
    let (start, end) = common(&old, &new);
    let ranges: Vec<Range<usize>> =
        places.iter().map(|at| at + start..at + old.len() - end).collect();
    let new = &new[start..new.len() - end];
    let bytes = written.replaced(&ranges, new).map_err(|lack| unwritable(&path, &lack))?;
    let mut after = String::with_capacity(written.text.len());
    let mut from = 0;
    for range in ranges {
        after.push_str(&written.text[from..range.start]);
        after.push_str(new);
        from = range.end;
    }
    after.push_str(&written.text[from..]);
    let before = Some(written.text);
    within_limit(&path, bytes.len())?;
    let change =
        FileChange { path, kind: ChangeKind::Edit, before, after: Some(after), stamp: now.stamp };
    Ok(Draft { change, bytes })
}

fn write(site: &Site, path: &str, text: &str) -> Result<Draft, ToolError> {
    let path = site.target(path)?;
    let Some(now) = look(site, &path)? else {
        within_limit(&path, text.len())?;
        let change = FileChange {
            path,
            kind: ChangeKind::Create,
            before: None,
            after: Some(text.to_owned()),
            stamp: String::new(),
        };
        return Ok(Draft { change, bytes: text.as_bytes().to_vec() });
    };
    now.may_be_written(&path)?;
    let old = now.bytes.as_deref().ok_or_else(|| too_large(&path))?;
    let written = Written::of(old).ok_or_else(|| not_text(&path))?;
    let bytes = written.with(text).map_err(|lack| unwritable(&path, &lack))?;
    if bytes == old {
        return Err(refused(format!("{} says exactly this already.", shown(&path))));
    }
    within_limit(&path, bytes.len())?;
    let change = FileChange {
        path,
        kind: ChangeKind::Edit,
        before: Some(written.text),
        after: Some(text.replace("\r\n", "\n")),
        stamp: now.stamp,
    };
    Ok(Draft { change, bytes })
}

fn move_to(site: &Site, from: &str, to: &str) -> Result<Draft, ToolError> {
    let (path, now) = existing(site, from)?;
    let to = site.target(to)?;
    match site.parent(&to, false) {
        Ok((dir, name)) if !is_missing(&dir, name) => return Err(taken(&to)),
        Ok(_) | Err(ToolError::NotFound { .. }) => {}
        Err(error) => return Err(error),
    }
    let text = now.text();
    let kind = ChangeKind::Move { to };
    let change = FileChange { path, kind, before: text.clone(), after: text, stamp: now.stamp };
    Ok(Draft { change, bytes: Vec::new() })
}

fn delete(site: &Site, path: &str) -> Result<Draft, ToolError> {
    let (path, now) = existing(site, path)?;
    now.may_be_written(&path)?;
    let before = now.text();
    let change =
        FileChange { path, kind: ChangeKind::Delete, before, after: None, stamp: now.stamp };
    Ok(Draft { change, bytes: Vec::new() })
}

/// A file as it is now.
struct Now {
    /// `None` of one that is too large to be changed.
    bytes: Option<Vec<u8>>,
    stamp: String,
    permissions: Permissions,
}

impl Now {
    fn text(&self) -> Option<String> {
        Written::of(self.bytes.as_deref()?).map(|written| written.text)
    }

    fn may_be_written(&self, path: &str) -> Result<(), ToolError> {
        if self.permissions.readonly() {
            return Err(refused(format!(
                "{} is protected against writing. The person can change that.",
                shown(path)
            )));
        }
        Ok(())
    }
}

/// A file that a change names and that is there.
fn existing(site: &Site, path: &str) -> Result<(String, Now), ToolError> {
    let relative = site.target(path)?;
    match look(site, &relative)? {
        Some(now) => Ok((relative, now)),
        None => Err(ToolError::NotFound { path: shown(path) }),
    }
}

/// A file as it is now, if there is one; no link is followed.
fn look(site: &Site, relative: &str) -> Result<Option<Now>, ToolError> {
    let (dir, name) = match site.parent(relative, false) {
        Err(ToolError::NotFound { .. }) => return Ok(None),
        found => found?,
    };
    let (file, metadata) = match site.open_regular(&dir, name, relative) {
        Err(ToolError::NotFound { .. }) => return Ok(None),
        found => found?,
    };
    let permissions = metadata.permissions();
    if metadata.len() > MAX_BYTES {
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(file).map_err(|error| system(&shown(relative), &error))?;
        let stamp = hasher.finalize().to_hex().to_string();
        return Ok(Some(Now { bytes: None, stamp, permissions }));
    }
    let bytes = read::at_most(file, &metadata, MAX_BYTES)
        .map_err(|_| refused(format!("{} grows while it is read.", shown(relative))))?;
    let stamp = swap::hash_of(&bytes);
    Ok(Some(Now { bytes: Some(bytes), stamp, permissions }))
}

/// Where a text stands. Where it must stand only once, also where it overlaps itself, and no more of it than is told.
fn places(text: &str, old: &str, all: bool) -> Vec<usize> {
    if all {
        return text.match_indices(old).map(|(at, _)| at).collect();
    }
    let step = old.chars().next().map_or(1, char::len_utf8);
    let mut places = Vec::new();
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find(old))
        && places.len() < hint::MANY
    {
        places.push(from + at);
        from += at + step;
    }
    places
}

/// Makes the other names of a file names of the one that took its place; those of which it was done. Each is the one or the
/// other at any time, and one that is another file by now stays that.
fn link_all(
    site: &Site,
    (dir, path): (&Dir, &str),
    names: &OtherNames,
    (base, bytes): (&str, &[u8]),
) -> Vec<String> {
    let (above, name) = split(path);
    let linked = names.inside.iter().filter(|path| {
        let Ok((there, other)) = site.parent(path, false) else { return false };
        // Its own folder is held already.
        let lock = if split(path).0 == above { Ok(None) } else { swap::lock(&there) };
        let Ok(_lock) = lock else { return false };
        let (name, other) = (OsStr::new(name), OsStr::new(other));
        matches!(swap::link((dir, name), (&there, other), base, bytes), Ok(Put::Done))
    });
    linked.cloned().collect()
}

/// What is told of the other names of a file.
fn said_of_names(linked: &[String], left_out: u64) -> String {
    let mut text = String::new();
    if !linked.is_empty() {
        let names: Vec<String> = linked.iter().map(|path| shown(path)).collect();
        text.push_str(&format!("The same file, and changed with it: {}.\n", names.join(", ")));
    }
    if left_out > 0 {
        text.push_str(&format!(
            "[{left_out} more names of this file lie elsewhere or are kept from tools. They keep what it said before.]\n"
        ));
    }
    text
}

/// What is told of a change that was made.
fn said(change: &FileChange) -> String {
    let path = shown(&change.path);
    let after = change.after.as_deref().unwrap_or_default();
    let Some(before) = &change.before else {
        let (lines, bytes) = (after.lines().count(), after.len());
        return format!("Made {path}: {lines} lines, {bytes} bytes.\n");
    };
    let diff = Difference::of(before, after).unified();
    let head = &diff[..diff.floor_char_boundary(DIFF_BYTES)];
    if head.len() == diff.len() {
        return format!("Changed {path}:\n{diff}");
    }
    let head = head.rfind('\n').map_or(head, |at| &head[..=at]);
    let more = diff.len() - head.len();
    format!("Changed {path}:\n{head}[… {more} more bytes of the difference]\n")
}

/// Gives a file another name unless something has it by now.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn rename(from: &Dir, name: &str, to: &Dir, new_name: &str) -> io::Result<()> {
    use rustix::fs::{RenameFlags, renameat_with};
    use rustix::io::Errno;
    match renameat_with(from, name, to, new_name, RenameFlags::NOREPLACE) {
        // A file system that cannot tell.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => plain_rename(from, name, to, new_name),
        done => Ok(done?),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn rename(from: &Dir, name: &str, to: &Dir, new_name: &str) -> io::Result<()> {
    plain_rename(from, name, to, new_name)
}

fn plain_rename(from: &Dir, name: &str, to: &Dir, new_name: &str) -> io::Result<()> {
    if is_missing(to, new_name) {
        from.rename(name, to, new_name)
    } else {
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

fn within_limit(path: &str, bytes: usize) -> Result<(), ToolError> {
    if bytes as u64 > MAX_BYTES { Err(too_large(path)) } else { Ok(()) }
}

fn too_large(path: &str) -> ToolError {
    refused(format!(
        "{} has, or would have, more than {MAX_BYTES} bytes, which is too much to be changed here.",
        shown(path)
    ))
}

fn not_text(path: &str) -> ToolError {
    refused(format!("{} is not text and is not changed as text.", shown(path)))
}

fn taken(path: &str) -> ToolError {
    refused(format!("{} is there already, and nothing is written over.", shown(path)))
}

fn unwritable(path: &str, lack: &Unwritable) -> ToolError {
    refused(format!(
        "{} is written in {}, which has not all of these letters. Use others.",
        shown(path),
        lack.encoding
    ))
}
