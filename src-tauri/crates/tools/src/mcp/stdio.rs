//! A server that is a program: a line of JSON in, a line of JSON out.
//!
//! It is kept inside as commands are, with what it needs beside that named and agreed to. It leads a group of processes of
//! its own, and the whole group ends with the session. Its environment is scrubbed ([`scrubbed`]); the secrets it was given
//! by name are added. The end of its error output is kept for faults.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use process_wrap::tokio::ChildWrapper;
use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use siltstone_engine::secret::Secret;
use siltstone_engine::tool::Sandbox;
use siltstone_engine::tool::mcp::{McpAccess, McpError, McpNeeds};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStderr, ChildStdin};
use tokio::runtime::Handle;
use tokio::sync::{Mutex, mpsc, oneshot, watch};

use super::{Fault, Said, parts};
use crate::command::inside::{self, May};
use crate::command::own::Own;
use crate::environment::{found_in, scrubbed};
use crate::lines;

/// Messages that wait for us at most; then the program waits.
const WAITING: usize = 32;

/// How long a program may take to end by itself once nobody speaks to it any more.
const GRACE: Duration = Duration::from_secs(2);

/// How long the last words of a program that ended are waited for.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// A program that runs as long as this value lives.
pub(super) struct Program {
    input: Arc<Mutex<Option<ChildStdin>>>,
    /// Closed once why it ended is known.
    ended: watch::Receiver<()>,
    messages: mpsc::Receiver<RxJsonRpcMessage<RoleClient>>,
    group: Group,
}

impl Program {
    /// Starts it, kept inside of what it may reach.
    pub(super) async fn start(
        command: &str,
        args: &[String],
        env: BTreeMap<String, String>,
        needs: &McpNeeds,
        access: McpAccess,
        said: Arc<Said>,
    ) -> Result<Self, McpError> {
        let sandbox = inside::sandbox();
        if sandbox == Sandbox::None && access.this_computer_only {
            let words = "nothing keeps a program from the network here, and only this computer may be reached";
            return Err(said.forbidden(words));
        }
        let not_started = |error: &io::Error| {
            let hint = if error.kind() == io::ErrorKind::NotFound {
                "; if it works in a terminal, enter its whole path"
            } else {
                ""
            };
            said.unreachable(&format!("{command}: {error}{hint}"))
        };
        let root = Path::new(&access.root);
        let program = found_in(command, root);
        let program = program.ok_or_else(|| not_started(&io::ErrorKind::NotFound.into()))?;
        let words = [program.into_os_string()].into_iter().chain(args.iter().map(Into::into));
        let named = parts::named(args, &env);
        let own = Own::new("siltstone-server-").map_err(|error| not_started(&error))?;
        let starting = Starting {
            words: words.collect(),
            may: May {
                root: root.to_owned(),
                reads: needs.reads.clone(),
                parts: parts::read_to_run(command, &named, needs, root),
                writes: access.may_write(needs),
                closed: access.closed,
                network: needs.network && !access.this_computer_only,
            },
            env,
            secrets: access.secrets,
            temp: own.path().to_owned(),
        };
        let (send, started) = oneshot::channel();
        let here = Handle::current();
        // What a thread is kept inside of, its children are too; so it is a thread of its own, which ends.
        let spawned = thread::Builder::new().name("server".to_owned()).spawn(move || {
            let _here = here.enter();
            // Whoever waited may be gone.
            if let Err(Ok(mut child)) = send.send(starting.begin(sandbox)) {
                let _ = child.start_kill();
            }
        });
        spawned.map_err(|error| not_started(&error))?;
        let begun = started.await.unwrap_or_else(|_| Err(io::ErrorKind::Other.into()));
        let mut group = Group { child: begun.map_err(|error| not_started(&error))?, _own: own };
        let child = &mut group.child;
        let (input, output, errors) =
            (child.stdin().take(), child.stdout().take(), child.stderr().take());
        let (into, messages) = mpsc::channel(WAITING);
        let (ending, ended) = watch::channel(());
        let errors = errors.map(|errors| tokio::spawn(keep_errors(errors, said.clone())));
        if let Some(output) = output {
            tokio::spawn(async move {
                let why = lines::read(output, &into).await;
                if let Some(errors) = errors {
                    // A child of its own may hold the pipe open; then its words are not waited for.
                    let _ = tokio::time::timeout(LAST_WORDS, errors).await;
                }
                said.broke_off(why);
                drop(ending);
            });
        }
        Ok(Self { input: Arc::new(Mutex::new(input)), ended, messages, group })
    }
}

/// A program that is to be started.
struct Starting {
    words: Vec<OsString>,
    may: May,
    env: BTreeMap<String, String>,
    secrets: BTreeMap<String, Secret>,
    temp: PathBuf,
}

impl Starting {
    fn begin(self, sandbox: Sandbox) -> io::Result<Box<dyn ChildWrapper>> {
        let Self { words, may, env, secrets, temp } = self;
        let mut starting = inside::kept(&words, &may, &temp, sandbox)?;
        starting
            .current_dir(&may.root)
            .env_clear()
            .envs(scrubbed())
            .envs(["TMPDIR", "TMP", "TEMP"].map(|name| (name, &temp)))
            // Compiled code beside a file would be run in its place, and nobody agreed to it.
            .env("PYTHONPYCACHEPREFIX", temp.join("pycache"))
            .envs(env)
            .envs(secrets.iter().map(|(name, secret)| (name, secret.expose())));
        lines::start(starting)
    }
}

impl Transport<RoleClient> for Program {
    type Error = Fault;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Fault>> + Send + 'static {
        let (input, mut ended) = (self.input.clone(), self.ended.clone());
        async move {
            let line = serde_json::to_vec(&message);
            let mut line = line.map_err(|error| Fault::Broken(error.to_string()))?;
            line.push(b'\n');
            let mut input = input.lock().await;
            let written = match input.as_mut() {
                Some(input) => input.write_all(&line).await,
                None => Err(io::ErrorKind::BrokenPipe.into()),
            };
            if written.is_err() {
                // It reads no more; a moment later its last words are there.
                let _ = tokio::time::timeout(GRACE, ended.changed()).await;
                return Err(Fault::Ended);
            }
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        self.messages.recv().await
    }

    /// Lets it end by itself for a moment, so that it can finish what it is writing.
    async fn close(&mut self) -> Result<(), Fault> {
        if let Ok(mut input) = self.input.try_lock() {
            input.take();
        }
        let _ = tokio::time::timeout(GRACE, self.group.child.wait()).await;
        Ok(())
    }
}

/// A group of processes, ended when it is dropped with whatever left it.
struct Group {
    child: Box<dyn ChildWrapper>,
    _own: Own,
}

impl Drop for Group {
    fn drop(&mut self) {
        // Fails when all of it is gone already.
        drop(self.child.start_kill());
    }
}

async fn keep_errors(mut errors: ChildStderr, said: Arc<Said>) {
    let mut piece = [0; 4096];
    while let Ok(read @ 1..) = errors.read(&mut piece).await {
        said.wrote_error(&piece[..read]);
    }
}
