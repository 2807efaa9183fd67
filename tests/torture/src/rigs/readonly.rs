//! Folders that cannot be written: the data folder is opened to be read, searched and exported from, and whatever would
//! change it is refused in words; beside a project that cannot be written everything goes on, and only what would write in
//! it is refused. Mounted to be read where the system lets us, and with its permissions taken away everywhere.

use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::desk::{Desk, Said};
use crate::kept::{self, Files};
use crate::{Options, Outcome, Trouble};

/// Nobody, for where we are the one to whom permissions mean nothing.
const NOBODY: u32 = 65_534;

/// How a folder is kept from being written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Mounted to be read, for one program alone.
    Mounted,
    /// Without the permission to write.
    Forbidden,
}

/// A word of a question, which is looked for.
const WORD: &str = "pumice";

/// A question whose program dies.
const CUT_OFF: &str = "Is the ledger whole?";

/// Runs the rig.
pub fn run(options: &Options) -> Result<Outcome, Trouble> {
    let mut outcome = Outcome::default();
    for way in [Way::Mounted, Way::Forbidden] {
        if way == Way::Mounted && !can_mount()? {
            // Not every machine lets us; the other way is tried on each.
            continue;
        }
        for dies in [false, true] {
            if options.is_sample() && dies != (way == Way::Mounted) {
                continue;
            }
            data_folder(way, dies, &mut outcome)?;
        }
        project(way, &mut outcome)?;
    }
    Ok(outcome)
}

fn unshare() -> Command {
    let mut command = Command::new("unshare");
    command.args(if is_root() { ["--mount"].as_slice() } else { &["--mount", "--map-root-user"] });
    command
}

fn can_mount() -> Result<bool, Trouble> {
    let folder = TempDir::new()?;
    let script = "mount --bind \"$1\" \"$1\" && mount -o remount,bind,ro \"$1\" && ! touch \"$1/x\" 2>/dev/null";
    let tried = unshare().args(["sh", "-c", script, "sh"]).arg(folder.path()).output();
    Ok(tried.is_ok_and(|tried| tried.status.success()))
}

/// Whoever owns what we make, which is who we are.
fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

/// A desk of which one folder cannot be written.
struct Locked<'a> {
    desk: &'a Desk,
    way: Way,
    folder: PathBuf,
    /// `silt` where nobody may run it, too.
    program: Option<(TempDir, PathBuf)>,
    before: Files,
}

impl<'a> Locked<'a> {
    fn new(desk: &'a Desk, way: Way, folder: &Path) -> Result<Self, Trouble> {
        let before = kept::files(folder)?;
        let mut locked = Self { desk, way, folder: folder.to_owned(), program: None, before };
        if way == Way::Forbidden {
            if is_root() {
                let place = tempfile::Builder::new()
                    .permissions(Permissions::from_mode(0o755))
                    .tempdir()?;
                let program = place.path().join("silt");
                fs::copy(crate::desk::silt()?, &program)?;
                locked.program = Some((place, program));
                fs::set_permissions(desk.home(), Permissions::from_mode(0o755))?;
                give(desk.home(), NOBODY)?;
            }
            forbid(folder, true)?;
        }
        Ok(locked)
    }

    /// Whether it cannot be written, by what is told to run like `silt`.
    fn holds(&self) -> Result<bool, Trouble> {
        let file = self.folder.join("written");
        let touched = self.wrapped(Command::new("touch").arg(&file))?.output()?;
        let _ = fs::remove_file(&file);
        Ok(!touched.status.success())
    }

    /// The same program, for which the folder cannot be written.
    fn wrapped(&self, command: &Command) -> Result<Command, Trouble> {
        let mut program = command.get_program().to_owned();
        if let Some((_, silt)) = &self.program
            && Path::new(&program) == crate::desk::silt()?
        {
            program = OsString::from(silt);
        }
        let mut wrapped = match self.way {
            Way::Mounted => {
                let script = "mount --bind \"$1\" \"$1\" && mount -o remount,bind,ro \"$1\" && shift && \
                     cd \"$PWD\" && exec \"$@\"";
                let mut wrapped = unshare();
                wrapped.args(["sh", "-c", script, "sh"]).arg(&self.folder).arg(program);
                wrapped
            }
            Way::Forbidden => {
                let mut wrapped = Command::new(program);
                if is_root() {
                    wrapped.uid(NOBODY).gid(NOBODY);
                }
                wrapped
            }
        };
        wrapped.args(command.get_args());
        if let Some(dir) = command.get_current_dir() {
            wrapped.current_dir(dir);
        }
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => wrapped.env(name, value),
                None => wrapped.env_remove(name),
            };
        }
        Ok(wrapped)
    }

    fn run(&self, args: &[&str]) -> Result<Said, Trouble> {
        let all: Vec<&str> = std::iter::once("--json").chain(args.iter().copied()).collect();
        Ok(self.wrapped(&self.desk.command(&all))?.output()?.into())
    }

    /// What has to be done.
    fn does(&self, args: &[&str], holds: &str) -> Result<Option<String>, Trouble> {
        let said = self.run(args)?;
        Ok(if said.code != Some(0) {
            Some(format!(
                "{:?}: {args:?} ended with {:?}: {}{}",
                self.way, said.code, said.out, said.err
            ))
        } else if !said.out.contains(holds) {
            Some(format!("{:?}: {args:?} does not say {holds:?}: {}", self.way, said.out))
        } else if said.err.contains("panicked") || said.err.contains("WARN") {
            Some(format!("{:?}: {args:?} is not quiet: {}", self.way, said.err))
        } else {
            None
        })
    }

    /// What has to be refused, with this code and words.
    fn refuses(&self, args: &[&str], code: &str) -> Result<Option<String>, Trouble> {
        let said = self.run(args)?;
        let told: Vec<Value> =
            said.out.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let is_told = told.iter().any(|line| {
            let error = &line["error"];
            error["code"] == code && error["hint"].as_str().is_some_and(|hint| !hint.is_empty())
        });
        let clear = said.code == Some(1) && is_told;
        Ok((!clear).then(|| {
            format!("{:?}: {args:?} ended with {:?}: {}{}", self.way, said.code, said.out, said.err)
        }))
    }

    /// Lets it be written again; what changed in it meanwhile.
    fn unlock(self) -> Result<Option<String>, Trouble> {
        if self.way == Way::Forbidden {
            forbid(&self.folder, false)?;
        }
        let now = kept::files(&self.folder)?;
        let other = |name: &&String| now.get(*name) != self.before.get(*name);
        let changed = self.before.keys().chain(now.keys()).find(other);
        Ok(changed.map(|name| format!("{:?}: {name} changed", self.way)))
    }
}

/// Takes the permission to write from everything in a folder, or gives it back to who owns it.
fn forbid(path: &Path, forbidden: bool) -> Result<(), Trouble> {
    let found = fs::symlink_metadata(path)?;
    if found.is_symlink() {
        return Ok(());
    }
    let mode = found.permissions().mode();
    let mode = if forbidden { mode & !0o222 } else { mode | 0o200 };
    fs::set_permissions(path, Permissions::from_mode(mode))?;
    if found.is_dir() {
        for entry in fs::read_dir(path)? {
            forbid(&entry?.path(), forbidden)?;
        }
    }
    Ok(())
}

fn give(path: &Path, to: u32) -> Result<(), Trouble> {
    std::os::unix::fs::lchown(path, Some(to), Some(to))?;
    if fs::symlink_metadata(path)?.is_dir() {
        for entry in fs::read_dir(path)? {
            give(&entry?.path(), to)?;
        }
    }
    Ok(())
}

/// Leaves what a program that dies leaves: the newest question in the log of the database, and its turn open.
fn cut_off(desk: &Desk, conversation: &str) -> Result<(), Trouble> {
    let words = ["--json", "chat", "--conversation", conversation, CUT_OFF];
    let mut asked = desk.command(&words).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let out = asked.stdout.take().ok_or("nothing to read")?;
    let began = BufReader::new(out).lines().next().transpose()?;
    asked.kill()?;
    asked.wait()?;
    match began.is_some_and(|line| line.contains("started")) {
        true => Ok(()),
        false => Err("a question was not begun".into()),
    }
}

/// A desk at which something was done, and its conversation.
fn worked_at() -> Result<(Desk, String), Trouble> {
    let desk = Desk::trusted()?;
    desk.json(&["plan", "add", "To be read"])?;
    desk.json(&["decision", "add", "Reading is enough"])?;
    desk.json(&["memory", "add", "Answer briefly"])?;
    desk.json(&["checkpoint", "create", "--tag", "kept"])?;
    let said = desk.run(&["--json", "chat", &format!("Where does {WORD} float?")])?;
    let first = said.out.lines().next().unwrap_or_default();
    let id = serde_json::from_str::<Value>(first)?["conversation_id"].as_str().map(str::to_owned);
    Ok((desk, id.ok_or_else(|| format!("no conversation: {}", said.err))?))
}

fn data_folder(way: Way, dies: bool, outcome: &mut Outcome) -> Result<(), Trouble> {
    let (desk, id) = worked_at()?;
    let id = id.as_str();
    if dies {
        cut_off(&desk, id)?;
    }
    let out = desk.project.join("out.md").display().to_string();
    let locked = Locked::new(&desk, way, &desk.data)?;
    if !locked.holds()? {
        return Err(format!("{way:?} keeps nobody from writing").into());
    }
    let reads: [(&[&str], &str); 17] = [
        (&["conversation", "list"], id),
        (&["conversation", "show", id], if dies { CUT_OFF } else { WORD }),
        (&["conversation", "search", WORD], WORD),
        (&["search", WORD], WORD),
        (&["conversation", "export", id], WORD),
        (&["conversation", "export", id, "--format", "jsonl"], WORD),
        (&["conversation", "export", id, "-o", &out], "out.md"),
        (&["context", "preview", "--conversation", id], "sections"),
        (&["memory", "show"], "Answer briefly"),
        (&["plan", "list"], "To be read"),
        (&["decision", "list"], "Reading is enough"),
        (&["session", "show"], "Reading is enough"),
        (&["checkpoint", "list"], "kept"),
        (&["checkpoint", "show", "kept"], "kept"),
        (&["summary", "list", id], "records"),
        (&["provider", "list"], "providers"),
        (&["backup", "list"], "backups"),
    ];
    for (args, holds) in reads {
        outcome.tried("commands that read", locked.does(args, holds)?);
    }
    let writes: [&[&str]; 11] = [
        &["chat", "--conversation", id, "And now?"],
        &["chat", "Anew?"],
        &["conversation", "delete", id],
        &["memory", "add", "Another line"],
        &["plan", "add", "Another plan"],
        &["decision", "add", "Another decision"],
        &["checkpoint", "create"],
        &["backup", "create"],
        &["context", "put", "key", "value", "--persistent"],
        &["price", "set", "m", "--input", "1", "--output", "1"],
        &[
            "provider",
            "add",
            "--kind",
            "openai",
            "--name",
            "x",
            "--base-url",
            "http://127.0.0.1:9/v1",
        ],
    ];
    for args in writes {
        outcome.tried("commands refused", locked.refuses(args, "read_only")?);
    }
    outcome.failures.extend(locked.unlock()?);
    if !is_root() || way == Way::Mounted {
        let again = desk.run(&["--json", "chat", "--conversation", id, "And again?"])?;
        if again.code != Some(0) {
            outcome.fail(format!("{way:?}: nothing is written afterwards: {}", again.err));
        }
    }
    outcome.count("folders", 1);
    Ok(())
}

fn project(way: Way, outcome: &mut Outcome) -> Result<(), Trouble> {
    let (desk, id) = worked_at()?;
    let plan = {
        desk.file("AGENTS.md", "# Rules\nAnother rule.\n")?;
        desk.json(&["checkpoint", "create"])?;
        let plan = desk.json(&["checkpoint", "plan", "kept", "--parts", "files"])?;
        plan["plan_id"].as_str().ok_or("a plan has no id")?.to_owned()
    };
    let locked = Locked::new(&desk, way, &desk.project)?;
    if !locked.holds()? {
        return Err(format!("{way:?} keeps nobody from writing").into());
    }
    let goes_on: [(&[&str], &str); 6] = [
        (&["chat", "--conversation", &id, "Which port does the preview server use?"], "complete"),
        (&["checkpoint", "create", "--tag", "again"], "again"),
        (&["checkpoint", "list"], "again"),
        (&["memory", "add", "A line of its own"], "A line of its own"),
        (&["decision", "add", "Another decision"], "Another decision"),
        (&["project", "list"], "projects"),
    ];
    for (args, holds) in goes_on {
        outcome.tried("commands that go on", locked.does(args, holds)?);
    }
    // The session stays in the data folder, and it is said of its files that they could not be written.
    outcome.tried("commands refused", locked.does(&["session", "share"], "refused")?);
    // It is told of each file that it stayed as it is.
    let restored = locked.run(&["checkpoint", "restore", &plan])?;
    let told = serde_json::from_str::<Value>(&restored.out).unwrap_or_default();
    let failed = told["failed"].as_array().is_some_and(|failed| !failed.is_empty());
    outcome.tried(
        "commands refused",
        (!failed).then(|| format!("{way:?}: a restore says {}{}", restored.out, restored.err)),
    );
    outcome.failures.extend(locked.unlock()?);
    outcome.count("folders", 1);
    Ok(())
}
