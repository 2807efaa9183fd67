//! A program that speaks in lines of JSON, in a group of processes that ends as a whole.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use std::{io, mem};

use process_wrap::tokio::ChildWrapper;
use serde_json::Value;
use siltstone_engine::acp::CommandLine;
use siltstone_engine::provider::ProviderError;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStderr, ChildStdin, Command};
use tokio::sync::mpsc;

use crate::environment::{found_in, whole};
use crate::lines;

/// Messages that wait for us at most; then the program waits.
const WAITING: usize = 32;

/// Most bytes that are kept of its error output: the last ones.
const ERROR_BYTES: usize = 2 * 1024;

/// How long the last words of a program that ended are waited for.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// A program that runs as long as this value lives.
pub(super) struct Program {
    /// What was started, for words about it.
    pub(super) name: String,
    /// Where it works.
    pub(super) folder: PathBuf,
    input: Option<ChildStdin>,
    messages: mpsc::Receiver<Value>,
    errors: Arc<Mutex<Vec<u8>>>,
    why: Arc<Mutex<Option<String>>>,
    child: Box<dyn ChildWrapper>,
    _own: Option<TempDir>,
}

impl Program {
    /// Starts it, in an empty folder of its own where none is named.
    pub(super) fn start(
        command: &CommandLine,
        folder: Option<&str>,
    ) -> Result<Self, ProviderError> {
        let name = command.program.clone();
        let not_started = |error: &io::Error| {
            let hint = match error.kind() {
                io::ErrorKind::NotFound => "; if it works in a terminal, enter its whole path",
                _ => "",
            };
            ProviderError::Unreachable { url: name.clone(), detail: format!("{error}{hint}") }
        };
        let own = folder.is_none().then(TempDir::new).transpose();
        let own = own.map_err(|error| not_started(&error))?;
        let folder = match (folder, &own) {
            (Some(folder), _) => PathBuf::from(folder),
            (None, Some(own)) => own.path().to_owned(),
            (None, None) => PathBuf::new(),
        };
        // Never from where it works: a project does not say what is started for it.
        let program = found_in(&command.program, Path::new("/"));
        let program = program.ok_or_else(|| not_started(&io::ErrorKind::NotFound.into()))?;
        let mut starting = Command::new(program);
        starting.args(&command.args).current_dir(&folder).env_clear().envs(whole());
        let mut child = lines::start(starting).map_err(|error| not_started(&error))?;
        let (input, output, errors) =
            (child.stdin().take(), child.stdout().take(), child.stderr().take());
        let (into, messages) = mpsc::channel(WAITING);
        let (kept, why) = (Arc::default(), Arc::<Mutex<Option<String>>>::default());
        let errors = errors.map(|errors| tokio::spawn(keep(errors, Arc::clone(&kept))));
        if let Some(output) = output {
            let why = why.clone();
            tokio::spawn(async move {
                let ended = lines::read(output, &into).await;
                if let Some(errors) = errors {
                    // A child of its own may hold the pipe open; then its words are not waited for.
                    let _ = tokio::time::timeout(LAST_WORDS, errors).await;
                }
                *why.lock().unwrap_or_else(PoisonError::into_inner) = Some(ended);
            });
        }
        Ok(Self { name, folder, input, messages, errors: kept, why, child, _own: own })
    }

    /// Says something; that nobody listens is heard when nothing comes any more.
    pub(super) async fn say(&mut self, message: &[u8]) {
        if let Some(input) = &mut self.input {
            let line = [message, b"\n"].concat();
            if input.write_all(&line).await.is_err() || input.flush().await.is_err() {
                self.input = None;
            }
        }
    }

    /// The next message; `None` once there are no more.
    pub(super) async fn hear(&mut self) -> Option<Value> {
        self.messages.recv().await
    }

    /// Why there are no more, with the end of its error output.
    pub(super) fn last_words(&self) -> String {
        let why = self.why.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let why = why.unwrap_or_else(|| "it does not answer".to_owned());
        let errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        let errors = String::from_utf8_lossy(&errors);
        let shown = |c: char| if c == '\n' || !c.is_control() { c } else { ' ' };
        let errors: String = errors.trim().chars().map(shown).collect();
        if errors.is_empty() { why } else { format!("{why}\n{errors}") }
    }

    /// Lets it end by itself for a moment, so that it can finish what it is writing.
    pub(super) async fn end(mut self, patience: Duration) {
        drop(mem::take(&mut self.input));
        let _ = tokio::time::timeout(patience, self.child.wait()).await;
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // Fails when all of the group is gone already.
        drop(self.child.start_kill());
    }
}

async fn keep(mut errors: ChildStderr, into: Arc<Mutex<Vec<u8>>>) {
    let mut piece = [0; 4096];
    while let Ok(read @ 1..) = errors.read(&mut piece).await {
        let mut kept = into.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&piece[..read]);
        let over = kept.len().saturating_sub(ERROR_BYTES);
        kept.drain(..over);
    }
}
