//! Starting a command, and ending it with everything it started.

#[cfg(unix)]
use std::ffi::OsString;
use std::io::{self, PipeReader};
use std::path::Path;
#[cfg(unix)]
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop};
#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use siltstone_engine::tool::{CommandRun, Sandbox};
use tokio::process::Command;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::time::timeout;

#[cfg(unix)]
use super::inside::{self, May};
use super::own::Own;
use crate::environment::scrubbed;

/// How long a command that is told to end may take to put things in order.
const GRACE: Duration = Duration::from_secs(2);

/// How often its group is looked at meanwhile.
#[cfg(unix)]
const LOOK: Duration = Duration::from_millis(10);

/// What a command is told so that it neither asks nor paints.
const TOLD: [(&str, &str); 6] = [
    ("TERM", "dumb"),
    ("NO_COLOR", "1"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GCM_INTERACTIVE", "never"),
];

/// A command that was started. Dropping it ends everything at once.
pub(super) struct Running {
    child: Box<dyn ChildWrapper>,
    #[cfg(unix)]
    group: Option<Pid>,
    own: Own,
}

impl Running {
    /// Starts a command, and gives what its outputs go into.
    pub(super) async fn start(
        run: &CommandRun,
        sandbox: Sandbox,
    ) -> io::Result<(Self, PipeReader)> {
        // Made and taken away from out here: inside of the sandbox, nothing can be removed from beside it.
        let own = Own::new("siltstone-command-")?;
        let (run, temp, here) = (run.clone(), own.path().to_owned(), Handle::current());
        let (send, started) = oneshot::channel();
        // What a thread is kept inside of, its children are too; so it is a thread of its own, which ends.
        thread::Builder::new().name("command".to_owned()).spawn(move || {
            let _here = here.enter();
            // Whoever waited may be gone.
            if let Err(Ok((mut child, _))) = send.send(begin(&run, &temp, sandbox)) {
                let _ = child.start_kill();
            }
        })?;
        let (child, reader) = started.await.map_err(io::Error::other)??;
        #[cfg(unix)]
        let group = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        let running = Self {
            child,
            #[cfg(unix)]
            group,
            own,
        };
        Ok((running, reader))
    }

    pub(super) async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.child.wait().await
    }

    /// Ends what is left of the command: asks first, and does not ask twice.
    #[cfg(unix)]
    pub(super) async fn end(&mut self) {
        self.signal(Signal::TERM);
        let in_order = async {
            // Until it is waited for, a process that has ended is still there.
            let _ = self.child.wait().await;
            while self.group.is_some_and(goes_on) {
                tokio::time::sleep(LOOK).await;
            }
        };
        let is_in_order = timeout(GRACE, in_order).await.is_ok();
        if !is_in_order {
            self.signal(Signal::KILL);
            let _ = self.child.wait().await;
        }
        self.own.end();
    }

    #[cfg(not(unix))]
    pub(super) async fn end(&mut self) {
        let _ = self.child.start_kill();
        let _ = timeout(GRACE, self.child.wait()).await;
        self.own.end();
    }

    /// A group that is gone hears nothing.
    #[cfg(unix)]
    fn signal(&self, signal: Signal) {
        if let Some(group) = self.group {
            let _ = kill_process_group(group, signal);
        }
    }
}

/// Whether something of a group goes on. What has ended does not, also where nobody has waited for it yet: the first process
/// of a system, whose child it is by then, may do so seconds later, as in many containers.
#[cfg(unix)]
fn goes_on(group: Pid) -> bool {
    test_kill_process_group(group).is_ok() && !has_ended(group)
}

/// Whether all of a group are known to have ended.
#[cfg(target_os = "linux")]
fn has_ended(group: Pid) -> bool {
    let Ok(processes) = std::fs::read_dir("/proc") else { return false };
    let group = group.as_raw_nonzero().get().to_string();
    let mut states = processes.flatten().filter_map(|entry| {
        let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        // The name before it may hold anything.
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
        let (state, of) = (fields.next()?.to_owned(), fields.nth(1)?);
        (of == group).then_some(state)
    });
    states.all(|state| matches!(state.as_str(), "Z" | "X"))
}

#[cfg(all(unix, not(target_os = "linux")))]
fn has_ended(_group: Pid) -> bool {
    false
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.own.is_over() {
            let _ = self.child.start_kill();
        }
    }
}

/// A process, and what its outputs go into.
type Begun = (Box<dyn ChildWrapper>, PipeReader);

fn begin(run: &CommandRun, temp: &Path, sandbox: Sandbox) -> io::Result<Begun> {
    let (reader, writer) = io::pipe()?;
    let mut command = CommandWrap::from(kept_inside(run, temp, sandbox)?);
    command
        .command_mut()
        .current_dir(&run.root)
        .env_clear()
        .envs(scrubbed())
        .envs(TOLD)
        .envs(["TMPDIR", "TMP", "TEMP"].map(|name| (name, temp)))
        .env_remove("COLORTERM")
        .stdin(Stdio::null())
        .stdout(writer.try_clone()?)
        .stderr(writer);
    command.wrap(KillOnDrop);
    #[cfg(unix)]
    command.wrap(process_wrap::tokio::ProcessSession);
    #[cfg(windows)]
    command.wrap(process_wrap::tokio::JobObject);
    let child = command.spawn();
    if child.is_err() {
        // It may run and be nobody's: it is started before the runtime is asked to wait for it, which may be ending.
        #[cfg(target_os = "linux")]
        super::strays::end(temp);
    }
    Ok((child?, reader))
}

/// The command, with this thread kept inside of what keeps the command.
#[cfg(unix)]
fn kept_inside(run: &CommandRun, temp: &Path, sandbox: Sandbox) -> io::Result<Command> {
    // A line may begin like an option.
    let words = ["/bin/sh", "-c", "--", &run.line].map(OsString::from);
    let may = May {
        root: PathBuf::from(&run.root),
        reads: run.reads.clone(),
        parts: Vec::new(),
        writes: vec![run.root.clone()],
        closed: run.closed.clone(),
        network: run.network,
    };
    inside::kept(&words, &may, temp, sandbox)
}

#[cfg(windows)]
fn kept_inside(run: &CommandRun, _temp: &Path, _sandbox: Sandbox) -> io::Result<Command> {
    let mut command = Command::new("cmd");
    // It has quotes of its own, and must get the line as it stands.
    command.args(["/D", "/S", "/C"]).raw_arg(format!("\"{}\"", run.line));
    Ok(command)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;

    use siltstone_engine::tool::{CommandRun, Sandbox};
    use siltstone_test_servers::until::until;

    use super::begin;

    #[test]
    fn nothing_stays_that_was_begun_while_the_runtime_ended() {
        let (project, temp) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let root = project.path().to_str().unwrap().to_owned();
        let run = CommandRun {
            root,
            line: String::from("sleep 1000"),
            seconds: 1,
            reads: Vec::new(),
            closed: Vec::new(),
            network: false,
        };
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let here = runtime.handle().clone();
        drop(runtime);
        {
            let _here = here.enter();
            assert!(begin(&run, temp.path(), Sandbox::None).is_err());
        }
        let told = format!("TMPDIR={}", temp.path().display());
        let is_told = |entry: fs::DirEntry| {
            let environ = fs::read(entry.path().join("environ")).unwrap_or_default();
            environ.split(|byte| *byte == 0).any(|it| it == told.as_bytes())
        };
        let is_there = || fs::read_dir("/proc").unwrap().flatten().any(is_told);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(until("the command to end", async || !is_there()));
    }
}
