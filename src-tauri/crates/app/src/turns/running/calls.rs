//! What a reply calls for: read, judged, asked about, carried out, answered.
//!
//! Calls are carried out in order; neighbours that only look run beside each other. Results become durable in the
//! order of the calls, whatever ended first, and every call gets one: also what cannot be read, is refused, or was
//! not begun when the turn was stopped. Before the first call that may do harm the project's files are kept; where
//! they cannot be, it is refused.

use futures_util::StreamExt;
use futures_util::stream::FuturesOrdered;
use siltstone_contract::{Approval, ApprovalAnswer, Failure, ToolProgress};
use siltstone_engine::conversation::Conversation;
use siltstone_engine::ids::{CheckpointId, ConversationId, MessageId, NodeId, ProjectId};
use siltstone_engine::message::{Part, Role};
use siltstone_engine::project::Project;
use siltstone_engine::run::{NodeKind, NodeStatus, RunNode};
use siltstone_engine::tokens;
use siltstone_engine::tool::approval::{Decision, Rule, Scope, Subject, decide, hash_of, patterns};
use siltstone_engine::tool::output::{KeptOutput, WHOLE_BYTES, shortened};
use siltstone_engine::tool::{
    Answer, Call, CallError, ChangeKind, Effect, FileChange, ToolError, ToolSettings, arguments,
    relative_to,
};
use siltstone_engine::turn::Usage;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{End, Going};
use crate::core::failure::{Outcome, fault_of};
use crate::tools::{Bound, Offer, Offered, Place, Task, sealed};
use crate::turns::TurnService;

/// Calls that look at once.
const AT_ONCE: usize = 8;

/// A call as the reply has it, read.
struct Called<'a> {
    id: &'a str,
    name: &'a str,
    arguments: &'a str,
    /// What it is, with the tool as it was offered; otherwise what the model is told.
    read: Result<(Call, &'a Offer), String>,
}

/// Where all calls of a reply are carried out.
struct Round<'a> {
    conversation: Conversation,
    /// The reply that calls.
    reply: MessageId,
    /// The project, when it is trusted.
    project: Option<Project>,
    settings: ToolSettings,
    offered: &'a Offered,
    stop: &'a CancellationToken,
}

/// A call that came to an end.
pub(super) struct Done {
    pub(super) node: RunNode,
    pub(super) answer: Answer,
}

/// How a call ends that is not carried out.
pub(super) enum Ended {
    Failed(String),
    Denied(String),
    Stopped,
}

impl From<ToolError> for Ended {
    fn from(error: ToolError) -> Self {
        match error {
            ToolError::Stopped => Self::Stopped,
            other => Self::Failed(other.to_string()),
        }
    }
}

impl<'a> Called<'a> {
    fn of(part: &'a Part, offered: &'a Offered) -> Option<Self> {
        let Part::ToolCall { id, name, arguments, .. } = part else { return None };
        let unknown = || CallError::Unknown { name: name.clone() };
        let read = offered
            .of(name)
            .ok_or_else(unknown)
            .and_then(|offer| Ok((Call::parse(name, arguments)?, offer)))
            .map_err(|error| error.to_string());
        Some(Self { id, name, arguments, read })
    }

    /// Whether it only looks, so that it can be carried out beside others.
    fn only_looks(&self) -> bool {
        self.read.as_ref().map_or(true, |(call, _)| call.effect() == Effect::Reads)
    }

    fn effect(&self) -> Effect {
        self.read.as_ref().map_or(Effect::Reads, |(call, _)| call.effect())
    }

    fn about(&self) -> String {
        let about = self.read.as_ref().map(|(call, _)| call.about()).unwrap_or_default();
        about.lines().next().unwrap_or_default().chars().take(300).collect()
    }
}

impl TurnService {
    /// Carries out the calls of the reply, and adds their results after it.
    pub(super) async fn carry_out_calls(
        &self,
        going: &mut Going,
        offered: &Offered,
        stop: &CancellationToken,
    ) -> Result<(), End> {
        let failed = |failure: Failure| End::Failed(fault_of(&failure));
        let round = self.round(going, offered, stop).map_err(failed)?;
        let parts = going.reply.calls().to_vec();
        let calls: Vec<Called<'_>> =
            parts.iter().filter_map(|part| Called::of(part, round.offered)).collect();
        let mut left = calls.as_slice();
        while !left.is_empty() {
            let looks = left.iter().take_while(|called| called.only_looks()).count();
            let (now, rest) = left.split_at(looks.clamp(1, AT_ONCE));
            left = rest;
            if looks == 0 {
                let done = self.act(going, &round, &now[0]).await;
                self.answered(going, now[0].id, done).map_err(failed)?;
                continue;
            }
            let mut looking = FuturesOrdered::new();
            for called in now {
                looking.push_back(self.look_at(&round, called, self.node(going, called)));
            }
            for called in now {
                if let Some(done) = looking.next().await {
                    self.answered(going, called.id, done).map_err(failed)?;
                }
            }
        }
        Ok(())
    }

    fn round<'a>(
        &self,
        going: &Going,
        offered: &'a Offered,
        stop: &'a CancellationToken,
    ) -> Result<Round<'a>, Failure> {
        let stores = self.core.stores()?;
        let id = going.turn().conversation_id;
        let conversation = stores.transcripts.conversation(id).or_failure()?;
        let project = self.requests.trusted_project(&stores, &conversation)?;
        let (reply, settings) = (going.turn().reply_id, self.tools.tool_settings()?);
        Ok(Round { project, conversation, reply, settings, offered, stop })
    }

    /// The node of a call that begins.
    fn node(&self, going: &Going, called: &Called<'_>) -> RunNode {
        let (tool, id) = (called.name.to_owned(), called.id.to_owned());
        self.tool_node(going, tool, id, called.effect(), called.about())
    }

    /// The node of something that a tool does.
    pub(super) fn tool_node(
        &self,
        going: &Going,
        tool: String,
        call_id: String,
        effect: Effect,
        about: String,
    ) -> RunNode {
        RunNode {
            id: NodeId::new(self.core.now()),
            turn_id: going.turn().id,
            parent: going.model,
            kind: NodeKind::Tool {
                tool,
                call_id,
                effect,
                message_id: None,
                about,
                touched: Vec::new(),
                checkpoint_id: None,
                left_id: None,
                kept: false,
            },
            status: NodeStatus::Running,
            started_at: self.core.now(),
            ended_at: None,
            usage: None,
            cost: None,
        }
    }

    /// A call that only looks, or cannot be read.
    async fn look_at(&self, round: &Round<'_>, called: &Called<'_>, node: RunNode) -> Done {
        if round.stop.is_cancelled() {
            return done(node, Err(Ended::Stopped));
        }
        self.note(round.conversation.id, &node);
        let came = async {
            let (call, offer) = called.read.as_ref().map_err(|said| Ended::Failed(said.clone()))?;
            let subject = Of::call(called, call, offer, None, round.project.as_ref());
            if let Decision::Deny(_) = self.decided(round, &subject).await? {
                return Err(Ended::Denied(denied("")));
            }
            let task = Task { id: called.id, call, offer, planned: None };
            Ok(self.tools.carry_call(round.place(), task).await?)
        };
        let came = came.await;
        done(node, came)
    }

    /// A call that does something: asked about if no rule decides, after the files are kept.
    async fn act(&self, going: &mut Going, round: &Round<'_>, called: &Called<'_>) -> Done {
        let mut node = self.node(going, called);
        if round.stop.is_cancelled() {
            return done(node, Err(Ended::Stopped));
        }
        let came = self.act_on(going, round, called, &mut node).await;
        done(node, came)
    }

    async fn act_on(
        &self,
        going: &mut Going,
        round: &Round<'_>,
        called: &Called<'_>,
        node: &mut RunNode,
    ) -> Result<Answer, Ended> {
        let (call, offer) = called.read.as_ref().map_err(|said| Ended::Failed(said.clone()))?;
        let project = round.project.as_ref();
        let planned = self.tools.plan_of(project, call).await?;
        let subject = Of::call(called, call, offer, planned.as_ref(), project);
        match self.decided(round, &subject).await? {
            Decision::Allow(_) => {}
            Decision::Deny(_) => return Err(Ended::Denied(denied(""))),
            Decision::Ask => {
                node.status = NodeStatus::Waiting;
                let answered =
                    self.ask_person(going, round, &subject, planned.as_ref(), node).await;
                // Its time is its own, without the person's.
                node.started_at = self.core.now();
                answered?;
                node.status = NodeStatus::Running;
            }
        }
        self.note(round.conversation.id, node);
        if call.effect().is_destructive() {
            let kept = self.keep_files(going, round, &subject).await?;
            if let NodeKind::Tool { checkpoint_id, .. } = &mut node.kind {
                *checkpoint_id = kept;
            }
            node.started_at = self.core.now();
        }
        let task = Task { id: called.id, call, offer, planned: planned.as_ref() };
        Ok(self.tools.carry_call(round.place(), task).await?)
    }

    /// What the person's rules say of a call: of its paths as they are written, and of all that those are called.
    async fn decided(&self, round: &Round<'_>, of: &Of<'_>) -> Result<Decision, Ended> {
        let project_id = round.conversation.project_id;
        self.judged(project_id, round.project.as_ref(), of.subject()).await
    }

    /// The same of anything that is judged as a call.
    pub(super) async fn judged(
        &self,
        project_id: Option<ProjectId>,
        project: Option<&Project>,
        subject: Subject<'_>,
    ) -> Result<Decision, Ended> {
        let rules = self.core.stores();
        let rules = rules.and_then(|stores| stores.tools.rules(project_id).or_failure());
        // Without the rules nothing is known to be allowed.
        let rules = rules.map_err(|failure| Ended::Failed(failure.message))?;
        let by_path = |rule: &Rule| matches!(rule.scope, Scope::Paths { .. });
        let (true, Some(project)) = (rules.iter().any(by_path), project) else {
            return Ok(decide(&rules, &subject));
        };
        let names = self.tools.names_of(project, subject.paths.to_vec()).await?;
        let paths: Vec<String> = subject.paths.iter().cloned().chain(names).collect();
        Ok(decide(&rules, &Subject { paths: &paths, ..subject }))
    }

    /// Shows the call to the person; only a yes gets past this.
    async fn ask_person(
        &self,
        going: &mut Going,
        round: &Round<'_>,
        of: &Of<'_>,
        planned: Option<&FileChange>,
        node: &RunNode,
    ) -> Result<(), Ended> {
        let approval = sealed(Approval {
            turn_id: going.turn().id,
            call_id: of.called.id.to_owned(),
            tool: of.called.name.to_owned(),
            server: of.offer.server.as_ref().map(|server| server.name.clone()),
            effect: of.call.effect(),
            change: planned.cloned(),
            command: of.command().map(str::to_owned),
            purpose: match of.call {
                Call::Command(call) => Some(call.purpose.clone()).filter(|it| !it.is_empty()),
                _ => None,
            },
            arguments: arguments::shown(of.called.arguments),
            patterns: planned.map(|it| patterns(&it.path)).unwrap_or_default(),
            hash: String::new(),
        });
        let bound = Bound {
            project: round.conversation.project_id,
            fingerprint: of.offer.fingerprint.clone(),
            hash: of.hash.clone(),
        };
        let began = Instant::now();
        let shown = self.tools.show_call(round.conversation.id, approval, bound);
        // Whoever hears of it finds it.
        self.note(round.conversation.id, node);
        let answer = tokio::select! {
            biased;
            () = round.stop.cancelled() => None,
            answer = shown.answer() => answer,
        };
        going.waited += began.elapsed();
        match answer {
            None => Err(Ended::Stopped),
            Some(ApprovalAnswer::No { note }) => Err(Ended::Denied(denied(&note))),
            Some(ApprovalAnswer::Never) => Err(Ended::Denied(denied(""))),
            Some(_) => Ok(()),
        }
    }

    /// Keeps the project's files before the first call of a turn that may do harm.
    async fn keep_files(
        &self,
        going: &mut Going,
        round: &Round<'_>,
        of: &Of<'_>,
    ) -> Result<Option<CheckpointId>, Ended> {
        let (None, Some(project)) = (going.kept, &round.project) else { return Ok(None) };
        let tool = of.called.name;
        match self
            .checkpoints
            .before_tool(project.clone(), round.conversation.id, tool, of.paths.clone())
            .await
        {
            Ok(kept) => {
                going.kept = Some(kept);
                Ok(kept)
            }
            Err(failure) => Err(Ended::Failed(format!(
                "Nothing was done, because the files could not be kept in a checkpoint before: {}. The person can \
                 switch checkpoints off.",
                failure.message
            ))),
        }
    }

    /// Keeps what a turn left, when it ends: its changes can then be told from what others change afterwards, and taken
    /// back alone. Where it cannot be kept the turn ends as ever.
    pub(super) async fn keep_left(&self, going: &Going) {
        let Some(Some(before)) = going.kept else { return };
        let turn = going.turn();
        let kept = async {
            let stores = self.core.stores()?;
            let conversation =
                stores.transcripts.conversation(turn.conversation_id).or_failure()?;
            let Some(project) = self.requests.trusted_project(&stores, &conversation)? else {
                return Ok(());
            };
            let touched = &going.underway.touched;
            let left = self.checkpoints.after_turn(project, conversation.id, touched).await?;
            let nodes = stores.tools.nodes(turn.id).or_failure()?;
            for mut node in nodes {
                if let NodeKind::Tool { checkpoint_id, left_id, .. } = &mut node.kind
                    && *checkpoint_id == Some(before)
                {
                    *left_id = left;
                    stores.tools.put_node(&node).or_failure()?;
                }
            }
            Ok::<_, Failure>(())
        };
        if let Err(failure) = kept.await {
            tracing::warn!(%failure, "keeping what a turn left");
        }
    }

    /// Makes the result of a call durable, and tells watchers.
    pub(super) fn answered(
        &self,
        going: &mut Going,
        call_id: &str,
        done: Done,
    ) -> Result<(), Failure> {
        let Done { mut node, answer } = done;
        let stores = self.core.stores()?;
        let id = going.turn().conversation_id;
        let Answer { text, is_error, touched } = answer;
        let (text, kept) = match text.len() > WHOLE_BYTES {
            false => (text, None),
            true => {
                let hash = stores.tools.put_output(id, &text, self.core.now()).or_failure()?;
                let (bytes, lines) = (text.len() as u64, text.lines().count() as u64);
                let kept = KeptOutput { hash, bytes, lines };
                // Before it is cut: half a key is not recognised.
                let clean = self.privacy.cleaner().text(&text).into_owned();
                (shortened(&clean, &kept), Some(kept))
            }
        };
        let kept_text = (!is_error).then(|| text.clone());
        let call_id = call_id.to_owned();
        let parts = vec![Part::ToolResult { call_id, text, is_error, kept }];
        let output_tokens = tokens::estimate_parts(&parts);
        let result = self.message_of_turn(going, Role::Tool, parts);
        stores.transcripts.append_result(going.turn().id, &result).or_failure()?;
        going.tip = result.message.id;
        if let NodeKind::Tool { tool, about, message_id, touched: of_node, kept, .. } =
            &mut node.kind
        {
            *message_id = Some(result.message.id);
            of_node.clone_from(&touched);
            let said = kept_text.filter(|_| node.status == NodeStatus::Done);
            *kept = said
                .is_some_and(|text| self.tools.keep_by_rule(&result.message, tool, about, &text));
        }
        node.ended_at = Some(self.core.now());
        node.usage = Some(Usage { output_tokens, ..Usage::default() });
        stores.tools.put_node(&node).or_failure()?;
        going.last = Some(node.id);
        let known = &mut going.underway.touched;
        known.extend(touched.into_iter().filter(|path| !known.contains(path)).collect::<Vec<_>>());
        self.core.live.call(id, progress(&node));
        self.core.conversation_changed(id);
        Ok(())
    }

    /// A call stands somewhere else: watchers are told, and the run's record is. That one cannot be written is in
    /// nobody's way; the result will be.
    pub(super) fn note(&self, conversation: ConversationId, node: &RunNode) {
        let noted = self.core.stores().and_then(|stores| stores.tools.put_node(node).or_failure());
        if let Err(failure) = noted {
            tracing::warn!(%failure, "noting a call of a tool");
        }
        self.core.live.call(conversation, progress(node));
    }
}

impl Round<'_> {
    fn place(&self) -> Place<'_> {
        Place {
            conversation: &self.conversation,
            project: self.project.as_ref(),
            reply: self.reply,
            settings: &self.settings,
            stop: self.stop,
        }
    }
}

/// A call with all that rules look at.
struct Of<'a> {
    called: &'a Called<'a>,
    call: &'a Call,
    offer: &'a Offer,
    paths: Vec<String>,
    hash: String,
}

impl<'a> Of<'a> {
    fn call(
        called: &'a Called<'a>,
        call: &'a Call,
        offer: &'a Offer,
        planned: Option<&FileChange>,
        project: Option<&Project>,
    ) -> Self {
        let mut paths = call.paths();
        // A path may be written as this computer has it.
        if let Some(project) = project {
            paths = paths.into_iter().map(|path| relative_to(&project.path, path)).collect();
        }
        if let Some(change) = planned {
            let to = match &change.kind {
                ChangeKind::Move { to } => Some(to.clone()),
                _ => None,
            };
            for path in std::iter::once(change.path.clone()).chain(to) {
                if !paths.contains(&path) {
                    paths.push(path);
                }
            }
        }
        let arguments: Result<serde_json::Value, _> = serde_json::from_str(called.arguments);
        let arguments = arguments.map_or_else(|_| called.arguments.to_owned(), |it| it.to_string());
        let hash = hash_of(&[called.name, &offer.fingerprint, &arguments]);
        Self { called, call, offer, paths, hash }
    }

    fn command(&self) -> Option<&'a str> {
        match self.call {
            Call::Command(call) => Some(&call.command),
            _ => None,
        }
    }

    fn subject(&self) -> Subject<'_> {
        Subject {
            tool: self.called.name,
            fingerprint: &self.offer.fingerprint,
            effect: self.call.effect(),
            paths: &self.paths,
            command: self.command(),
            hash: &self.hash,
        }
    }
}

fn done(mut node: RunNode, came: Result<Answer, Ended>) -> Done {
    let refused = |text: String| Answer { text, is_error: true, touched: Vec::new() };
    let (status, answer) = match came {
        Ok(answer) if answer.is_error => (NodeStatus::Failed, answer),
        Ok(answer) => (NodeStatus::Done, answer),
        Err(Ended::Failed(said)) => (NodeStatus::Failed, refused(said)),
        Err(Ended::Denied(said)) => (NodeStatus::Denied, refused(said)),
        Err(Ended::Stopped) => {
            (NodeStatus::Stopped, refused("Stopped by the person before it was done.".into()))
        }
    };
    node.status = status;
    Done { node, answer }
}

/// What the model is told of a no.
pub(super) fn denied(note: &str) -> String {
    match note.trim() {
        "" => "The person does not allow this call. Nothing was done.".to_owned(),
        note => format!("The person does not allow this call. Nothing was done. They say: {note}"),
    }
}

fn progress(node: &RunNode) -> ToolProgress {
    let (call_id, tool, about, kept) = match &node.kind {
        NodeKind::Tool { tool, call_id, about, kept, .. } => (call_id, tool, about.as_str(), *kept),
        NodeKind::Model { model, .. } => (model, model, "", false),
    };
    ToolProgress {
        call_id: call_id.clone(),
        tool: tool.clone(),
        about: about.to_owned(),
        status: node.status,
        kept,
    }
}
