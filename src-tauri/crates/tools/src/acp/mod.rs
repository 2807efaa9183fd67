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
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures_util::stream;
use siltstone_engine::acp::{
    self, Agents, CommandLine, Heard, KNOWN, OWN_MODEL, Work, Working, own_model,
};
use siltstone_engine::offers::Told;
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
#[derive(Clone, Debug)]
pub struct Programs {
    patience: Patience,
    /// What starts Siltstone's own server for the Model Context Protocol; the project is added.
    server: Option<CommandLine>,
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
        Self { patience: Patience { start, end }, server: None }
    }

    /// With Siltstone's own server, which the program `silt` is for a data folder: what an agent looks up it asks there, in
    /// the projects whose conversations may go along. Without that program nothing is offered.
    pub fn with_server(mut self, silt: Option<&Path>, data_dir: &Path) -> Self {
        self.server = silt.and_then(|silt| {
            let words = ["--data-dir", data_dir.to_str()?, "mcp", "serve"];
            let program = silt.to_str()?.to_owned();
            Some(CommandLine { program, args: words.map(str::to_owned).into() })
        });
        self
    }

    /// Waits this long for a start and for an end instead.
    pub fn with_patience(self, start: Duration, end: Duration) -> Self {
        Self { patience: Patience { start, end }, ..self }
    }
}

/// The program `silt` that belongs to this one: this one itself, the one beside it, or the one on the `PATH`.
pub fn silt() -> Option<PathBuf> {
    let own = env::current_exe().ok();
    let beside = own.map(|own| own.with_file_name(format!("silt{}", env::consts::EXE_SUFFIX)));
    beside.filter(|it| it.is_file()).or_else(|| found_in("silt", Path::new("/")))
}

impl Agents for Programs {
    fn work(&self, work: Work) -> Working {
        let (patience, server) = (self.patience, self.server.clone());
        // Nothing starts before somebody listens.
        Box::pin(stream::unfold(Begun::Not(Box::new((work, server)), patience), |begun| async {
            let mut heard = match begun {
                Begun::Not(begins, patience) => begin(*begins, patience),
                Begun::Going(heard) => heard,
            };
            let next = heard.recv().await?;
            Some((next, Begun::Going(heard)))
        }))
    }

    fn look(&self, command: CommandLine, access: Access) -> Asked<'_, (Vec<ModelInfo>, Told)> {
        let patience = self.patience;
        Box::pin(async move {
            let (send, _heard) = mpsc::channel(WAITING);
            let mut session = Session::start(&command, None, &access, send, patience).await?;
            let offered = session.open(None).await?;
            let images = session.reads_images();
            let offers = session.offers().await;
            session.end().await;
            let others = offered.into_iter().filter(|id| id != OWN_MODEL);
            let all = std::iter::once(OWN_MODEL.to_owned()).chain(others);
            Ok((all.map(|id| acp::model(id, Some(images))).collect(), offers))
        })
    }

    fn serves(&self) -> bool {
        self.server.is_some()
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
    Not(Box<(Work, Option<CommandLine>)>, Patience),
    Going(mpsc::Receiver<Result<Heard, ProviderError>>),
}

/// Starts it; it ends when nobody hears it any more.
fn begin(
    (work, server): (Work, Option<CommandLine>),
    patience: Patience,
) -> mpsc::Receiver<Result<Heard, ProviderError>> {
    let (send, heard) = mpsc::channel(WAITING);
    tokio::spawn(async move {
        let told = send.clone();
        let worked = async {
            let Work { command, folder, request, looks_up, access } = work;
            let server = server.zip(looks_up).map(|(mut server, project)| {
                server.args.extend(["--project".to_owned(), project]);
                server
            });
            let starting = Session::start(&command, folder.as_deref(), &access, send, patience);
            let mut session = starting.await?;
            session.open(server.as_ref()).await?;
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
