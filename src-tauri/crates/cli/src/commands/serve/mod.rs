//! `silt mcp serve`: Siltstone as a server of the Model Context Protocol, for the agents that a person uses beside it.
//!
//! It serves one project, the one around its folder or the one that is named, and what is global; in any other folder only
//! that. The project is looked for with each call: one that is opened or trusted meanwhile is served from then on. Stdout
//! belongs to the protocol, and the process ends when stdin does; over HTTP it serves many clients until it is told to end.
//! What models read of it is in English, as all tools are.

mod offers;
mod texts;

use std::future::Future;
use std::io;
use std::path::PathBuf;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use siltstone_contract::{Code, Failure, ProposeLine, RecallFor, SourceFor};
use siltstone_engine::Date;
use siltstone_engine::ids::{ConversationId, MessageId, ProjectId};
use siltstone_engine::project::{Project, Trust};
use siltstone_engine::secret::Secret;
use siltstone_engine::tool::{Effect, ToolSpec};
use siltstone_tools::{Answered, Served, ServedPrompt, ServedText, listen, serve};

use crate::host::Host;
use crate::input;
use crate::out::Stop;

/// What the address of a conversation begins with.
const SESSION: &str = "siltstone://session/";

/// Characters of a conversation that are handed over.
const HANDED_OVER: usize = 24_000;

/// Shortest token that is no guess, in characters.
const TOKEN: usize = 16;

/// Serves one client over stdin and stdout.
pub async fn run(host: &Host) -> Result<(), Stop> {
    let served = serve(Desk::of(host), tokio::io::stdin(), tokio::io::stdout());
    let served = following(host, served).await;
    served.map_err(|words| Stop::Failure(Failure::new(Code::BadRequest, words)))
}

/// Serves many over HTTP, until Ctrl-C.
pub async fn http(host: &Host, port: u16, token: Option<PathBuf>) -> Result<(), Stop> {
    let own = token.is_some();
    let token = match token {
        Some(file) => own_token(input::secret(&file)?)?,
        None => new_token()?,
    };
    let listening = listen(port).await.map_err(|error| {
        let message = format!("cannot listen on port {port}: {error}");
        Stop::Failure(Failure::new(Code::BadRequest, message))
    })?;
    let url = listening.url.as_str();
    // Whoever brought one knows it; what is printed may be kept.
    let shown = (!own).then(|| token.expose());
    if host.out.json {
        host.out.value(&json!({"url": url, "token": shown}))?;
    } else {
        host.out.line(url)?;
        if let Some(token) = shown {
            host.out.line(&format!("Authorization: Bearer {token}"))?;
        }
    }
    host.out.note(host.out.lang.pick("Ctrl-C ends it.", "Ctrl-C를 누르면 끝납니다."));
    let served = async {
        tokio::select! {
            ended = listening.serve(Desk::of(host), &token) => ended.map(|never| match never {}),
            stopped = tokio::signal::ctrl_c() => stopped,
        }
    };
    following(host, served).await.map_err(|error| Stop::io(&error))
}

fn own_token(token: Secret) -> Result<Secret, Stop> {
    let text = token.expose();
    if text.len() < TOKEN || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        let message = format!("a token is {TOKEN} or more letters, digits and signs");
        return Err(Failure::new(Code::BadRequest, message).into());
    }
    Ok(token)
}

fn new_token() -> Result<Secret, Stop> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| Stop::io(&io::Error::other(error)))?;
    Ok(Secret::new(bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>()))
}

/// The agents that it serves are those whose sessions are kept meanwhile.
async fn following<T>(host: &Host, served: impl Future<Output = T>) -> T {
    let following = tokio::spawn(host.app.follow_agents());
    let served = served.await;
    following.abort();
    served
}

struct Desk {
    host: Host,
}

/// Why a call is refused, in words for the model.
struct Refused(String);

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Self {
        Self(failure.message)
    }
}

impl From<Stop> for Refused {
    fn from(stop: Stop) -> Self {
        Self(match stop {
            Stop::Failure(failure) => failure.message,
            Stop::Usage(message) | Stop::Value { message, .. } => message,
            Stop::PipeClosed | Stop::Interrupted => "stopped".to_owned(),
        })
    }
}

#[derive(Deserialize)]
struct Recall {
    query: String,
    #[serde(default)]
    since: Option<String>,
}

#[derive(Deserialize)]
struct Source {
    id: String,
    #[serde(default)]
    offset: u64,
}

#[derive(Deserialize)]
struct Rules {
    #[serde(default)]
    path: String,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Scope {
    #[default]
    Project,
    Global,
}

#[derive(Deserialize)]
struct Propose {
    text: String,
    #[serde(default)]
    why: String,
    #[serde(default)]
    evidence_ids: Vec<String>,
    #[serde(default)]
    scope: Scope,
}

#[derive(Deserialize)]
struct Checkpoint {
    note: String,
}

#[derive(Deserialize)]
struct Handoff {
    #[serde(default)]
    session: String,
}

impl Served for Desk {
    fn version(&self) -> &'static str {
        env!("CARGO_PKG_VERSION")
    }

    fn instructions(&self) -> String {
        offers::INSTRUCTIONS.to_owned()
    }

    fn tools(&self) -> Vec<(ToolSpec, Effect)> {
        offers::tools()
    }

    fn texts(&self) -> &'static [ServedText] {
        &offers::TEXTS
    }

    fn templates(&self) -> &'static [ServedText] {
        &offers::TEMPLATES
    }

    fn prompts(&self) -> &'static [ServedPrompt] {
        &offers::PROMPTS
    }

    fn call<'a>(&'a self, client: &'a str, tool: &'a str, said: Value) -> Option<Answered<'a>> {
        Some(match tool {
            "recall" => answered(async move { self.recall(arguments(said)?).await }),
            "source" => answered(async move { self.source(arguments(said)?).await }),
            "rules" => answered(async move {
                let Rules { path } = arguments(said)?;
                self.rules(&path).await
            }),
            "propose" => answered(async move { self.propose(client, arguments(said)?).await }),
            "checkpoint" => answered(async move {
                let Checkpoint { note } = arguments(said)?;
                let made = self.host.app.agent_checkpoint(self.project().await?, &note).await?;
                Ok(texts::checkpoint(&made))
            }),
            _ => return None,
        })
    }

    fn read<'a>(&'a self, uri: &'a str) -> Answered<'a> {
        answered(async move {
            match (uri, uri.strip_prefix(SESSION)) {
                ("siltstone://rules", _) => self.rules("").await,
                ("siltstone://decisions", _) => {
                    let decisions = self.host.app.agent_decisions(self.project().await?).await?;
                    Ok(texts::decisions(&decisions))
                }
                (_, Some(session)) => self.session(session).await,
                _ => Err(Refused(format!("nothing has the address {uri}"))),
            }
        })
    }

    fn prompt<'a>(&'a self, name: &'a str, said: Value) -> Option<Answered<'a>> {
        Some(match name {
            "resume" => answered(async move {
                let card = self.host.app.agent_resume(self.project().await?).await?;
                Ok(texts::resume(card.as_ref()))
            }),
            "handoff" => answered(async move {
                let Handoff { session } = arguments(said)?;
                match session.trim() {
                    "" => {
                        let lines = self.host.app.agent_handoff(self.project().await?).await?;
                        Ok(texts::handoff(&lines.join("\n")))
                    }
                    session => {
                        let text = self.session(session).await?;
                        Ok(texts::handoff(&texts::end_of(&text, HANDED_OVER)))
                    }
                }
            }),
            _ => return None,
        })
    }
}

impl Desk {
    fn of(host: &Host) -> Self {
        Self { host: host.clone() }
    }

    /// The project that is served now; `None` where there is none, or the person does not trust it.
    async fn found(&self) -> Result<Option<Project>, Refused> {
        let opened = self.host.opened_here().await?;
        Ok(opened.filter(|project| project.trust == Trust::Trusted))
    }

    async fn project(&self) -> Result<ProjectId, Refused> {
        let found = self.found().await?;
        Ok(found.ok_or_else(|| Refused(offers::NO_PROJECT.to_owned()))?.id)
    }

    async fn recall(&self, said: Recall) -> Result<String, Refused> {
        let Recall { query, since } = said;
        let since = since.filter(|day| !day.trim().is_empty());
        let since = since.map(|day| day.trim().parse::<Date>());
        let since = since.transpose().map_err(|_| Refused("write the day as YYYY-MM-DD".into()))?;
        let request = RecallFor { project_id: self.project().await?, query, since };
        Ok(texts::recalled(&self.host.app.agent_recall(request).await?))
    }

    async fn source(&self, said: Source) -> Result<String, Refused> {
        let message_id = message(&said.id)?;
        let project_id = self.project().await?;
        let request = SourceFor { project_id, message_id, offset: said.offset };
        Ok(texts::source(&self.host.app.agent_source(request).await?))
    }

    async fn rules(&self, path: &str) -> Result<String, Refused> {
        let project = self.found().await?;
        let rules = self.host.app.agent_rules(project.as_ref().map(|it| it.id), path).await?;
        let told = texts::rules(&rules);
        Ok(match project {
            Some(_) => told,
            None => format!("{}\n\n{told}", offers::NO_PROJECT),
        })
    }

    async fn propose(&self, client: &str, said: Propose) -> Result<String, Refused> {
        let Propose { text, why, evidence_ids, scope } = said;
        let evidence = evidence_ids.iter().map(|id| message(id)).collect::<Result<_, _>>()?;
        let project = self.found().await?.map(|project| project.id);
        let request = ProposeLine {
            project_id: project,
            from: client.to_owned(),
            text,
            why,
            evidence,
            for_all_projects: matches!(scope, Scope::Global),
        };
        Ok(texts::waits(self.host.app.agent_propose(request).await?, project.is_some()))
    }

    async fn session(&self, id: &str) -> Result<String, Refused> {
        let id: ConversationId =
            id.parse().map_err(|_| Refused(format!("no conversation {id}")))?;
        Ok(self.host.app.agent_session(self.project().await?, id).await?.text)
    }
}

/// The arguments of a call; what they lack is said to the model.
fn arguments<T: DeserializeOwned>(said: Value) -> Result<T, Refused> {
    serde_json::from_value(said).map_err(|error| Refused(error.to_string()))
}

/// A message as `recall` names it, or as a link does.
fn message(id: &str) -> Result<MessageId, Refused> {
    let bare = id.trim().trim_start_matches("silt:message/");
    bare.parse().map_err(|_| Refused(format!("no message {id}")))
}

fn answered<'a>(work: impl Future<Output = Result<String, Refused>> + Send + 'a) -> Answered<'a> {
    Box::pin(async { work.await.map_err(|Refused(words)| words) })
}
