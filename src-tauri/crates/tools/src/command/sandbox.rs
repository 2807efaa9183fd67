//! Keeping a thread, and what it starts, inside folders, by Landlock. Called before a program is started, where it cannot
//! have a view of its own.
//!
//! The kernel also keeps such a process from looking into others and, where it can, from signalling them. It does not keep
//! it from changing modes, times and attributes of what is not its own, or what git runs in the project.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::thread;

use landlock::{
    ABI, Access, AccessFs, CompatLevel, Compatible, RestrictionStatus, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};

use super::calls;
use super::reach::{Reach, around};

/// The first kernel that keeps a file from being emptied, too.
const LEAST: ABI = ABI::V3;

/// What may be written beside the folders: nothing stays in it.
const DEVICES: [&str; 6] =
    ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// Read by every program, and of other processes it says nothing that counts.
const PROCESSES: &str = "/proc";

/// Whether this kernel really keeps a process inside a folder. It is tried once.
pub(super) fn is_enforced() -> bool {
    static ENFORCED: OnceLock<bool> = OnceLock::new();
    *ENFORCED.get_or_init(|| try_it().unwrap_or(false))
}

fn try_it() -> io::Result<bool> {
    let (inside, outside) = (tempfile::tempdir()?, tempfile::tempdir()?);
    let file = outside.path().join("file");
    fs::write(&file, "x")?;
    let is_refused = |tried: io::Result<()>| {
        tried.is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied)
    };
    // What a thread is kept inside of it never leaves, so it is a thread of its own.
    thread::scope(|scope| {
        let tried =
            thread::Builder::new().name("sandbox".to_owned()).spawn_scoped(scope, || {
                let writable = [inside.path().to_owned()];
                restrict(&writable, &[]).map_err(io::Error::other)?;
                let emptied =
                    fs::OpenOptions::new().write(true).truncate(true).open(&file).map(drop);
                let read = fs::read(&file).map(drop);
                let made = fs::write(outside.path().join("new"), "x");
                let kept = fs::write(inside.path().join("new"), "x");
                let refused = [emptied, read, made].into_iter().all(is_refused);
                Ok(refused && kept.is_ok())
            })?;
        tried.join().unwrap_or(Ok(false))
    })
}

/// Keeps this thread, and everything it starts, from reading and writing anywhere but where it may.
pub(super) fn enter(reach: &Reach) -> io::Result<()> {
    let own = reach.writable.iter();
    let mut writable: Vec<PathBuf> = own.flat_map(|it| around(it, &reach.closed)).collect();
    writable.push(reach.temp.clone());
    let mut readable: Vec<PathBuf> =
        reach.readable.iter().flat_map(|path| around(path, &reach.closed)).collect();
    readable.push(PathBuf::from(PROCESSES));
    let status = restrict(&writable, &readable).map_err(io::Error::other)?;
    if status.ruleset == RulesetStatus::NotEnforced || !status.no_new_privs {
        return Err(io::Error::other("the system does not keep commands inside the project"));
    }
    calls::close(reach.network)
}

fn restrict(writable: &[PathBuf], readable: &[PathBuf]) -> Result<RestrictionStatus, RulesetError> {
    let all = AccessFs::from_all(LEAST);
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(all)?
        .set_compatibility(CompatLevel::BestEffort)
        .scope(Scope::from_all(ABI::V6))?
        .create()?
        .add_rules(path_beneath_rules(readable, AccessFs::from_read(LEAST)))?
        .add_rules(path_beneath_rules(DEVICES, AccessFs::from_file(LEAST)))?
        .add_rules(path_beneath_rules(writable, all))?
        .restrict_self()
}

/// Keeps this thread, and everything it starts, from signalling others and from sockets without a place, where the kernel
/// can.
pub(super) fn enter_scope() {
    let scope = || {
        let ruleset = Ruleset::default().set_compatibility(CompatLevel::BestEffort);
        ruleset.scope(Scope::from_all(ABI::V6))?.create()?.restrict_self()
    };
    let _: Result<RestrictionStatus, RulesetError> = scope();
}
