//! Commands: the engine's `Commands` over the system's shell.
//!
//! `child` starts a command and ends it with everything it started. `inside` keeps a program inside, a server of tools too:
//! `reach` is what it may reach, `mounts` makes it a view of that alone, and `sandbox` keeps it inside where there is no such
//! view; `calls` closes what goes around either, and `own` is the folder by which its children are known. `repository` knows
//! what of a project others run, `output` is what the command says, as it comes. Called by the app after the person agreed.
//!
//! A command has no input and no terminal, a session and a temporary folder of its own, an environment without secrets, and
//! no network unless it may use one. On Linux it can write nowhere but in the project and in that folder, also not in caches
//! of its own program or in `/dev/shm`. Without a view of its own, a service that listens on a socket with a name (a container
//! engine, the session bus) does for it whatever it does for the person. Deliberately absent: asking the person, and judging
//! what a line does by its words.

#[cfg(target_os = "linux")]
mod calls;
mod child;
pub(crate) mod inside;
#[cfg(target_os = "linux")]
mod mounts;
mod output;
pub(crate) mod own;
#[cfg(target_os = "linux")]
mod reach;
#[cfg(unix)]
mod repository;
#[cfg(target_os = "linux")]
mod sandbox;
#[cfg(target_os = "linux")]
mod strays;

use std::path::Path;
use std::pin::Pin;
use std::process::ExitStatus;
use std::time::Duration;

use siltstone_engine::tool::{CommandRun, Commands, Ended, OnOutput, Ran, Sandbox, ToolError};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use child::Running;
use output::{Pipe, Screen};

/// How long output is waited for that is on its way when everything has ended.
const LAST_OUTPUT: Duration = Duration::from_secs(1);

/// The system's shell.
#[derive(Clone, Debug, Default)]
pub struct Shell;

impl Commands for Shell {
    fn sandbox(&self) -> Sandbox {
        inside::sandbox()
    }

    fn run(
        &self,
        run: CommandRun,
        on_output: OnOutput,
    ) -> Pin<Box<dyn Future<Output = Result<Ran, ToolError>> + Send + '_>> {
        let sandbox = self.sandbox();
        Box::pin(async move {
            let root = run.root.clone();
            let failed = |detail: String| ToolError::System { path: root.clone(), detail };
            if !Path::new(&run.root).is_dir() {
                return Err(failed("the project's folder is not there".to_owned()));
            }
            // Elsewhere, a whole path is written in another way.
            #[cfg(unix)]
            if !Path::new(&run.root).canonicalize().is_ok_and(|real| real == Path::new(&run.root)) {
                let detail = "it is not the folder that was opened: a link leads elsewhere";
                return Err(failed(detail.to_owned()));
            }
            let here = Handle::try_current().map_err(|error| failed(error.to_string()))?;
            // The task outlives this future, so that what it started can be ended in order; dropping the leash says so.
            let (leash, held) = watch::channel(());
            let kept = here.spawn(keep(run, sandbox, on_output, held)).await;
            drop(leash);
            kept.map_err(|error| failed(error.to_string()))?
        })
    }
}

/// Runs a command to its end, or until it is let go of.
async fn keep(
    run: CommandRun,
    sandbox: Sandbox,
    mut on_output: OnOutput,
    held: watch::Receiver<()>,
) -> Result<Ran, ToolError> {
    let failed = |error: std::io::Error| ToolError::System {
        path: run.line.clone(),
        detail: error.to_string(),
    };
    let before = Before::of(&run);
    let (mut running, pipe) = Running::start(&run, sandbox).await.map_err(failed)?;
    let mut pipe = Pipe::of(pipe).map_err(failed)?;
    let mut screen = Screen::default();
    let mut tell = |bytes: &[u8]| {
        let fresh = screen.take(bytes);
        // Nobody listens any more to a command that was let go of.
        if !fresh.is_empty() && held.has_changed().is_ok() {
            on_output(fresh);
        }
    };
    let mut let_go = held.clone();
    let ending = async {
        let ended = tokio::select! {
            status = running.wait() => Ok(ended_by(status?, sandbox)),
            () = sleep(Duration::from_secs(run.seconds.max(1))) => Ok(Ended::TimedOut),
            _ = let_go.changed() => Err(ToolError::Stopped),
        };
        running.end().await;
        Ok::<_, std::io::Error>(ended)
    };
    tokio::pin!(ending);
    let mut is_open = true;
    let ended = loop {
        tokio::select! {
            ended = &mut ending => break ended,
            bytes = pipe.next(), if is_open => match bytes {
                Some(bytes) => tell(bytes),
                None => is_open = false,
            },
        }
    };
    if is_open {
        let rest = async {
            while let Some(bytes) = pipe.next().await {
                tell(bytes);
            }
        };
        if timeout(LAST_OUTPUT, rest).await.is_err() {
            tracing::warn!("something that a command started keeps its output open");
        }
    }
    let ended = ended.map_err(failed)??;
    let (output, dropped) = screen.finish();
    Ok(Ran { ended, output, dropped, run_by_others: before.changed() })
}

/// What of a project others run or obey, as it was before a command.
struct Before {
    #[cfg(unix)]
    root: std::path::PathBuf,
    #[cfg(unix)]
    seen: repository::Seen,
}

#[cfg(unix)]
impl Before {
    fn of(run: &CommandRun) -> Self {
        let root = Path::new(&run.root).to_owned();
        let seen = repository::look(&root);
        Self { root, seen }
    }

    fn changed(&self) -> Vec<String> {
        repository::changed(&self.root, &self.seen, &repository::look(&self.root))
    }
}

#[cfg(not(unix))]
impl Before {
    fn of(_run: &CommandRun) -> Self {
        Self {}
    }

    fn changed(&self) -> Vec<String> {
        Vec::new()
    }
}

#[cfg(unix)]
fn ended_by(status: ExitStatus, sandbox: Sandbox) -> Ended {
    use std::os::unix::process::ExitStatusExt;
    let code = status.code().unwrap_or(-1);
    #[cfg(target_os = "linux")]
    if let Some(signal) = mounts::signal(code).filter(|_| sandbox == Sandbox::Whole) {
        return Ended::Signalled(signal);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = sandbox;
    match status.signal() {
        Some(signal) => Ended::Signalled(signal),
        None => Ended::Exited(code),
    }
}

#[cfg(not(unix))]
fn ended_by(status: ExitStatus, _sandbox: Sandbox) -> Ended {
    Ended::Exited(status.code().unwrap_or(-1))
}
