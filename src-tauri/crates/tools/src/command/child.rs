//! Starting a command, and ending it with everything it started.

use std::io::{self, PipeReader};
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop};
#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use siltstone_engine::tool::CommandRun;
use tempfile::TempDir;
use tokio::process::Command;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::time::timeout;

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
    /// Its temporary folder, which goes with it, and by which its children are known.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "it is held until it goes"))]
    temp: TempDir,
    is_over: bool,
}

impl Running {
    /// Starts a command, and gives what its outputs go into.
    pub(super) async fn start(
        run: &CommandRun,
        is_kept_inside: bool,
    ) -> io::Result<(Self, PipeReader)> {
        // Made and taken away from out here: inside of the sandbox, nothing can be removed from beside it.
        let temp = tempfile::Builder::new().prefix("siltstone-command-").tempdir()?;
        let (run, own, here) = (run.clone(), temp.path().to_owned(), Handle::current());
        let (send, started) = oneshot::channel();
        // What a thread is kept inside of, its children are too; so it is a thread of its own, which ends.
        thread::Builder::new().name("command".to_owned()).spawn(move || {
            let _here = here.enter();
            // Whoever waited may be gone.
            if let Err(Ok((mut child, _))) = send.send(begin(&run, &own, is_kept_inside)) {
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
            temp,
            is_over: false,
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
            while self.group.is_some_and(|group| test_kill_process_group(group).is_ok()) {
                tokio::time::sleep(LOOK).await;
            }
        };
        let is_in_order = timeout(GRACE, in_order).await.is_ok();
        if !is_in_order {
            self.signal(Signal::KILL);
            let _ = self.child.wait().await;
        }
        self.end_strays();
        self.is_over = true;
    }

    #[cfg(not(unix))]
    pub(super) async fn end(&mut self) {
        let _ = self.child.start_kill();
        let _ = timeout(GRACE, self.child.wait()).await;
        self.is_over = true;
    }

    /// A group that is gone hears nothing.
    #[cfg(unix)]
    fn signal(&self, signal: Signal) {
        if let Some(group) = self.group {
            let _ = kill_process_group(group, signal);
        }
    }

    #[cfg(target_os = "linux")]
    fn end_strays(&self) {
        super::strays::end(self.temp.path());
    }

    /// Elsewhere, a process that left its group cannot be told from others.
    #[cfg(all(unix, not(target_os = "linux")))]
    fn end_strays(&self) {}
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        let _ = self.child.start_kill();
        #[cfg(unix)]
        self.end_strays();
    }
}

/// A process, and what its outputs go into.
type Begun = (Box<dyn ChildWrapper>, PipeReader);

fn begin(run: &CommandRun, temp: &Path, is_kept_inside: bool) -> io::Result<Begun> {
    let (reader, writer) = io::pipe()?;
    let mut command = CommandWrap::from(shell(&run.line));
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
    if is_kept_inside {
        keep_inside(Path::new(&run.root), temp)?;
    }
    Ok((command.spawn()?, reader))
}

#[cfg(unix)]
fn shell(line: &str) -> Command {
    let mut command = Command::new("/bin/sh");
    // A line may begin like an option.
    command.args(["-c", "--", line]);
    command
}

#[cfg(windows)]
fn shell(line: &str) -> Command {
    let mut command = Command::new("cmd");
    // It has quotes of its own, and must get the line as it stands.
    command.args(["/D", "/S", "/C"]).raw_arg(format!("\"{line}\""));
    command
}

#[cfg(target_os = "linux")]
fn keep_inside(root: &Path, temp: &Path) -> io::Result<()> {
    super::sandbox::enter(root, temp)
}

#[cfg(not(target_os = "linux"))]
fn keep_inside(_root: &Path, _temp: &Path) -> io::Result<()> {
    Ok(())
}
