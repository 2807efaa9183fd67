//! Agents at work over the Agent Client Protocol: `program` starts one, `wire` is what is said over its pipes, `prompt` turns a
//! request into what it reads, `session` walks from the handshake to the end of one prompt.
//!
//! The app's turns are the only caller. An agent is started as the person's shell would start it, with their environment and
//! outside of any sandbox: it needs their login, and its work is to change their files. What holds it is the checkpoint before
//! it, the leave it asks for, and what is shown of what it changed. Whatever it does (it hangs, ends, floods, speaks nonsense)
//! becomes a [`ProviderError`] of that turn. What it says is data.
//!
//! The protocol is written out here, as much of it as is spoken: the maker's crate turns on ordered JSON objects for the whole
//! program, whose approvals and hashes count on sorted ones.

mod program;
mod prompt;
mod session;
mod wire;

use std::env;
use std::time::Duration;

use futures_util::stream;
use siltstone_engine::acp::{
    self, Agents, CommandLine, Heard, KNOWN, OWN_MODEL, Work, Working, own_model,
};
use siltstone_engine::ports::{Access, Asked};
use siltstone_engine::provider::{FoundServer, ModelInfo, ProviderError, ProviderKind};
use tokio::sync::mpsc;

use crate::environment::found_in;
use session::Session;

/// What is heard and not yet taken at most; then the agent waits.
const WAITING: usize = 64;

/// How long agents are waited for.
#[derive(Clone, Copy, Debug)]
struct Patience {
    /// For the handshake and for a session; some fetch what they need when they start.
    start: Duration,
    /// For the end of a prompt that was stopped, and of a program that nobody speaks to.
    end: Duration,
}

/// Agents that are programs of this computer.
#[derive(Clone, Copy, Debug)]
pub struct Programs {
    patience: Patience,
}

impl Default for Programs {
    fn default() -> Self {
        Self::new()
    }
}

impl Programs {
    /// With the patience of everyday use.
    pub fn new() -> Self {
        let (start, end) = (Duration::from_secs(90), Duration::from_secs(2));
        Self { patience: Patience { start, end } }
    }

    /// Waits this long for a start and for an end instead.
    pub fn with_patience(self, start: Duration, end: Duration) -> Self {
        Self { patience: Patience { start, end } }
    }
}

impl Agents for Programs {
    fn work(&self, work: Work) -> Working {
        let patience = self.patience;
        // Nothing starts before somebody listens.
        Box::pin(stream::unfold(Begun::Not(Box::new(work), patience), |begun| async {
            let mut heard = match begun {
                Begun::Not(work, patience) => begin(*work, patience),
                Begun::Going(heard) => heard,
            };
            let next = heard.recv().await?;
            Some((next, Begun::Going(heard)))
        }))
    }

    fn models(&self, command: CommandLine, access: Access) -> Asked<'_, Vec<ModelInfo>> {
        let patience = self.patience;
        Box::pin(async move {
            let (send, _heard) = mpsc::channel(WAITING);
            let mut session = Session::start(&command, None, &access, send, patience).await?;
            let offered = session.open().await?;
            session.end().await;
            let mut models = vec![own_model()];
            let others = offered.into_iter().filter(|id| id != OWN_MODEL);
            models.extend(others.map(acp::model));
            Ok(models)
        })
    }

    fn found(&self) -> Vec<FoundServer> {
        let here = env::current_dir().unwrap_or_default();
        let mut found: Vec<FoundServer> = Vec::new();
        for (name, program, command) in KNOWN {
            if found_in(program, &here).is_some() && found.iter().all(|it| it.name != name) {
                found.push(FoundServer {
                    name: name.to_owned(),
                    kind: ProviderKind::Agent,
                    base_url: command.to_owned(),
                    models: vec![own_model()],
                });
            }
        }
        found
    }
}

/// An agent whose stream was made, and one that works.
enum Begun {
    Not(Box<Work>, Patience),
    Going(mpsc::Receiver<Result<Heard, ProviderError>>),
}

/// Starts it; it ends when nobody hears it any more.
fn begin(work: Work, patience: Patience) -> mpsc::Receiver<Result<Heard, ProviderError>> {
    let (send, heard) = mpsc::channel(WAITING);
    tokio::spawn(async move {
        let told = send.clone();
        let worked = async {
            let Work { command, folder, request, access } = work;
            let starting = Session::start(&command, folder.as_deref(), &access, send, patience);
            let mut session = starting.await?;
            session.open().await?;
            session.choose(&request).await?;
            let done = session.prompt(&request, &access).await;
            session.end().await;
            done
        };
        if let Err(error) = worked.await {
            // Nobody may be there any more.
            let _ = told.send(Err(error)).await;
        }
    });
    heard
}
