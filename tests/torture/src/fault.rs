//! A program struck at its N-th change of the disk: killed, cut short, refused, or with the power cut.
//!
//! `shim/fault.c` does it, as a tracer of system calls; it is compiled once by the system's own compiler.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::Trouble;
use crate::desk::Said;

/// What happens at a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blow {
    /// Nothing; calls are counted.
    Count,
    /// The program dies before the call.
    Kill,
    /// Half of a write is made, or all of another call, and then the program dies.
    Torn,
    /// Half of a write is made, once; the program goes on.
    Short,
    /// The power goes; what was not pressed onto the disk is gone.
    Drop,
    /// The power goes; of what was not pressed onto the disk a random half is there.
    Half,
    /// The call fails with this error.
    Fails(Errno),
    /// It and every later one fail.
    FailsOn(Errno),
}

/// An error of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Errno {
    /// No space left.
    NoSpace,
    /// The disk is broken.
    Io,
    /// Mounted read-only.
    ReadOnly,
    /// Not allowed.
    Access,
}

impl Errno {
    /// All that are tried.
    pub const ALL: [Self; 4] = [Self::NoSpace, Self::Io, Self::ReadOnly, Self::Access];

    fn number(self) -> u32 {
        match self {
            Self::NoSpace => 28,
            Self::Io => 5,
            Self::ReadOnly => 30,
            Self::Access => 13,
        }
    }
}

impl Blow {
    /// The mode of the tracer, whether it goes on, and the error.
    fn words(self) -> (&'static str, bool, u32) {
        match self {
            Self::Count => ("count", false, 0),
            Self::Kill => ("kill", false, 0),
            Self::Torn => ("torn", false, 0),
            Self::Short => ("short", false, 0),
            Self::Drop => ("drop", false, 0),
            Self::Half => ("half", false, 0),
            Self::Fails(errno) => ("errno", false, errno.number()),
            Self::FailsOn(errno) => ("errno", true, errno.number()),
        }
    }

    /// Whether the program cannot have ended by itself.
    pub fn kills(self) -> bool {
        matches!(self, Self::Kill | Self::Torn | Self::Drop | Self::Half)
    }
}

/// How many calls a program made that a blow can fall on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Calls([u64; 4]);

impl Calls {
    /// Those that this blow can fall on.
    pub fn of(self, blow: Blow) -> u64 {
        let [any, space, disk, right] = self.0;
        match blow {
            Blow::Fails(errno) | Blow::FailsOn(errno) => match errno {
                Errno::NoSpace => space,
                Errno::Io => disk,
                Errno::ReadOnly | Errno::Access => right,
            },
            _ => any,
        }
    }
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Struck {
    /// What the program said until then.
    pub said: Said,
    /// The calls it made.
    pub calls: Calls,
    /// The call that the blow fell on; none if the program made fewer.
    pub hit: Option<String>,
}

/// Runs a program and strikes it at its `at`-th call beneath `home`, where `keep` is an empty place for what it unlinks.
/// 0 is after the last one.
pub fn strike(
    program: &Command,
    home: &Path,
    keep: &Path,
    blow: Blow,
    at: u64,
    seed: u64,
) -> Result<Struck, Trouble> {
    let (mode, sticky, errno) = blow.words();
    let report = keep.join("report");
    let mut command = Command::new("timeout");
    command
        .args(["--kill-after=1", "120"])
        .arg(tracer()?)
        .arg(&report)
        .args([mode, &at.to_string(), if sticky { "1" } else { "0" }, &errno.to_string()])
        .arg(seed.to_string())
        .args([keep, &home.join("data"), &home.join("project")])
        .arg("--")
        .arg(program.get_program())
        .args(program.get_args());
    if let Some(dir) = program.get_current_dir() {
        command.current_dir(dir);
    }
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let said: Said = command.stdin(std::process::Stdio::null()).output()?.into();
    if said.code == Some(124) {
        return Err("it did not end within two minutes".into());
    }
    let report = std::fs::read_to_string(&report)?;
    let mut lines = report.lines();
    let mut calls = [0; 4];
    let counted = lines.next().unwrap_or_default().split(' ');
    for (call, number) in calls.iter_mut().zip(counted) {
        *call = number.parse()?;
    }
    let hit = lines.nth(1).filter(|hit| !hit.is_empty()).map(str::to_owned);
    Ok(Struck { said, calls: Calls(calls), hit })
}

/// The compiled tracer.
fn tracer() -> Result<&'static Path, Trouble> {
    static MADE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    match MADE.get_or_init(|| compiled("fault", &[]).map_err(|trouble| trouble.to_string())) {
        Ok(path) => Ok(path),
        Err(words) => Err(words.clone().into()),
    }
}

/// A source of `shim/`, compiled once by the system's own compiler.
pub(crate) fn compiled(source: &str, flags: &[&str]) -> Result<PathBuf, Trouble> {
    let stem = source;
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("shim/{stem}.c"));
    let hash = blake3::hash(&std::fs::read(&source)?).to_hex();
    let name: String = hash.chars().take(16).collect();
    let own = std::env::current_exe()?;
    let dir = own.parent().ok_or("this program lies nowhere")?;
    let made = dir.join(format!("torture-{stem}-{name}"));
    if made.exists() {
        return Ok(made);
    }
    let fresh = dir.join(format!("torture-{stem}-{name}.{}", std::process::id()));
    let done =
        Command::new("cc").arg("-O1").args(flags).arg("-o").arg(&fresh).arg(&source).output()?;
    if !done.status.success() {
        return Err(String::from_utf8_lossy(&done.stderr).into_owned().into());
    }
    std::fs::rename(&fresh, &made)?;
    Ok(made)
}
