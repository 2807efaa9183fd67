//! A turn that an agent carries out: it reads the request in a model's place, and does the rest by itself.
//!
//! What it says becomes replies, what it does calls with results, in the order in which they came; both are durable step by
//! step. The project's files are kept before it hears anything, so that whatever it does, asked or not, is shown and can be
//! taken back. What it asks leave for is judged by the person's rules and shown as every call is; a yes that is remembered is
//! remembered here, never by the agent. A call that it asked for and was allowed counts as a change by a tool; what else is
//! different afterwards is shown as what it is: changed without being asked.

use std::collections::{BTreeSet, HashSet};

use futures_util::StreamExt;
use siltstone_contract::{Approval, ApprovalAnswer, Failure};
use siltstone_engine::acp::{
    AgentCall, CallState, CommandLine, Heard, Leave, Question, Work, Working,
};
use siltstone_engine::conversation::Conversation;
use siltstone_engine::difference::{Difference, LineChange};
use siltstone_engine::ids::CheckpointId;
use siltstone_engine::project::Project;
use siltstone_engine::provider::{Chunk, FinishReason, ProviderError, ProviderRecord};
use siltstone_engine::run::{NodeKind, NodeStatus, RunNode};
use siltstone_engine::tool::approval::{Decision, Subject, hash_of, patterns};
use siltstone_engine::tool::{
    Answer, ChangeKind, Effect, FileChange, arguments, is_inside, relative_to, spelled,
};
use siltstone_engine::turn::Turn;
use tokio::time::{Instant, MissedTickBehavior};
use tokio_util::sync::CancellationToken;

use super::calls::{Done, denied};
use super::reply::{KEEP_BYTES, KEEP_EVERY, SHOW_EVERY, keep};
use super::{End, Going};
use crate::core::failure::{Outcome, fault_of, fault_of_provider};
use crate::core::unbroken;
use crate::models::providers::command_of;
use crate::tools::{Bound, sealed};
use crate::turns::TurnService;

/// What a call says that came to no end before the turn did.
const UNENDED: &str = "The agent ended before this did. Whether it has done anything is not known.";

/// An agent that is asked.
pub(super) struct Agent {
    record: ProviderRecord,
    command: CommandLine,
}

/// An agent at work.
struct Session {
    /// The agent as it was when it was set to work.
    record: ProviderRecord,
    agent: String,
    /// What a remembered answer is bound to: the command that starts it.
    fingerprint: String,
    conversation: Conversation,
    /// The project, when it is trusted.
    project: Option<Project>,
    /// Calls of the reply that is being written.
    doing: Vec<Doing>,
    /// Those that are written down with their results.
    done: HashSet<String>,
}

/// A call of the agent's.
struct Doing {
    call: AgentCall,
    node: RunNode,
    /// It was asked about, and what the answer was.
    leave: Option<Leave>,
}

impl Doing {
    fn has_ended(&self) -> bool {
        self.call.state != CallState::Going
    }
}

impl TurnService {
    /// The agent that a turn asks, if it asks one.
    pub(super) fn agent_of(&self, turn: &Turn) -> Result<Option<Agent>, Failure> {
        let record = self.models.record(&turn.provider)?;
        Ok(command_of(&record)?.map(|command| Agent { record, command }))
    }

    /// Has an agent do what was asked.
    pub(super) async fn go_with_agent(
        &self,
        going: &mut Going,
        agent: Agent,
        stop: &CancellationToken,
    ) -> End {
        let set = tokio::select! {
            biased;
            () = stop.cancelled() => return End::Stopped,
            set = self.set_to_work(going, agent) => set,
        };
        let (mut session, working) = match set {
            Ok(set) => set,
            Err(failure) => return End::Failed(fault_of(&failure)),
        };
        let heard = unbroken(self.hear(going, &mut session, working, stop)).await;
        let mut end = heard.unwrap_or_else(|failure| End::Failed(fault_of(&failure)));
        if let Err(failure) = self.keep_doings(going, &mut session, &end) {
            end = End::Failed(fault_of(&failure));
        }
        self.count_call(going, &end);
        end
    }

    /// Keeps the project's files, puts the request together and begins.
    async fn set_to_work(
        &self,
        going: &mut Going,
        agent: Agent,
    ) -> Result<(Session, Working), Failure> {
        let Agent { record, command } = agent;
        let stores = self.core.stores()?;
        let turn = going.turn().clone();
        let conversation = stores.transcripts.conversation(turn.conversation_id).or_failure()?;
        let access = self.models.access(&record, conversation.project_id, Some(turn.id)).await?;
        let project = self.requests.trusted_project(&stores, &conversation)?;
        let (request, _) = self.compose(going, &stores, &conversation, false).await?;
        if let Some(project) = &project {
            let kept = self
                .checkpoints
                .before_tool(project.clone(), conversation.id, &record.name, Vec::new())
                .await;
            going.kept = Some(kept.map_err(|failure| Failure {
                message: format!(
                    "the agent was not started, because the files could not be kept in a checkpoint before: {}",
                    failure.message
                ),
                ..failure
            })?);
        }
        let folder = project.as_ref().map(|project| project.path.clone());
        let looks_up = self.requests.looked_up_in(project.as_ref())?;
        let session = Session {
            fingerprint: hash_of(&["agent", &record.base_url]),
            agent: record.name.clone(),
            record,
            conversation,
            project,
            doing: Vec::new(),
            done: HashSet::new(),
        };
        self.note_session(going, &session)?;
        let work = Work { command, folder, request, looks_up, access };
        Ok((session, self.core.world.workers.work(work)))
    }

    /// The agent's work as a whole, which holds the checkpoint that was made before it: what it changes without saying so
    /// is told by that.
    fn note_session(&self, going: &mut Going, session: &Session) -> Result<(), Failure> {
        let Some(Some(kept)) = going.kept else { return Ok(()) };
        let (name, about) = (session.agent.clone(), session.agent.clone());
        let mut node = self.tool_node(going, name, String::new(), Effect::Runs, about);
        if let NodeKind::Tool { checkpoint_id, .. } = &mut node.kind {
            *checkpoint_id = Some(kept);
        }
        node.status = NodeStatus::Done;
        node.ended_at = Some(self.core.now());
        // It is no call that anybody watches.
        self.core.stores()?.tools.put_node(&node).or_failure()?;
        going.last = Some(node.id);
        Ok(())
    }

    async fn hear(
        &self,
        going: &mut Going,
        session: &mut Session,
        mut working: Working,
        stop: &CancellationToken,
    ) -> End {
        let Ok(stores) = self.core.stores() else { return End::Stopped };
        let failed = |failure: Failure| End::Failed(fault_of(&failure));
        let mut show = tokio::time::interval(SHOW_EVERY);
        show.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut kept_at = Instant::now();
        let (mut finished, mut usage) = (false, None);
        let end = loop {
            let heard = tokio::select! {
                biased;
                () = stop.cancelled() => break End::Stopped,
                _ = show.tick() => {
                    let (turn, reply) = (&going.underway.turn, &mut going.reply);
                    self.show(turn, reply);
                    if kept_at.elapsed() >= KEEP_EVERY || reply.unkept() >= KEEP_BYTES {
                        if let Err(failure) = keep(&stores, turn, reply) {
                            break failed(failure);
                        }
                        kept_at = Instant::now();
                    }
                    continue;
                }
                heard = working.next() => heard,
            };
            let done = match heard {
                Some(Ok(Heard::Began { images })) => {
                    self.models.learn_images(&going.underway.turn, images);
                    Ok(())
                }
                Some(Ok(Heard::Offers(told))) => {
                    let place = session.project.as_ref().map(|project| project.id);
                    // It does its work all the same.
                    if let Err(error) = self.models.learn_offers(&session.record, place, told) {
                        tracing::warn!(%error, "keeping what an agent offers");
                    }
                    Ok(())
                }
                Some(Ok(Heard::Text(text))) => {
                    going.reply.add(Chunk::Text(text), &going.underway.turn.model);
                    Ok(())
                }
                Some(Ok(Heard::Thought(text))) => {
                    going.reply.add(Chunk::Reasoning(text), &going.underway.turn.model);
                    Ok(())
                }
                Some(Ok(Heard::Call(call))) => self.does(going, session, call),
                Some(Ok(Heard::Asks(question))) => {
                    // What it said before is read while the person decides, however long that takes.
                    let (turn, reply) = (&going.underway.turn, &mut going.reply);
                    self.show(turn, reply);
                    if let Err(failure) = keep(&stores, turn, reply) {
                        break failed(failure);
                    }
                    match self.asks(going, session, question, stop).await {
                        Ok(true) => Ok(()),
                        Ok(false) => break End::Stopped,
                        Err(failure) => Err(failure),
                    }
                }
                Some(Ok(Heard::Usage(counted))) => {
                    usage = Some(counted);
                    Ok(())
                }
                Some(Ok(Heard::Finished)) => {
                    finished = true;
                    Ok(())
                }
                Some(Err(error)) => break End::Failed(fault_of_provider(&error)),
                None if finished => break End::Finished,
                None => {
                    let cut = ProviderError::Cut { detail: "the agent ended early".into() };
                    break End::Failed(fault_of_provider(&cut));
                }
            };
            if let Err(failure) = done {
                break failed(failure);
            }
        };
        self.show(&going.underway.turn, &mut going.reply);
        going.reply.usage = usage;
        // It names no reason; a command of its own may have nothing to say.
        going.reply.finish = (finished && !going.underway.command).then_some(FinishReason::Stop);
        end
    }

    /// A call begins, or more is known of it; where all that were called have ended they are a step of their own.
    fn does(
        &self,
        going: &mut Going,
        session: &mut Session,
        call: AgentCall,
    ) -> Result<(), Failure> {
        // What is told of a call after its end changes nothing of what was written down.
        if session.done.contains(&call.id) {
            return Ok(());
        }
        self.put(going, session, call);
        if session.doing.iter().all(Doing::has_ended) {
            self.end_step(going, session)?;
        }
        Ok(())
    }

    /// Its place among the calls of the reply.
    fn put(&self, going: &Going, session: &mut Session, call: AgentCall) -> usize {
        let place = session.doing.iter().position(|doing| doing.call.id == call.id);
        let place = place.unwrap_or_else(|| {
            let tool = tool_of(&session.agent, &call);
            let (id, effect) = (call.id.clone(), Effect::Reads);
            let node = self.tool_node(going, tool, id, effect, call.title.clone());
            session.doing.push(Doing { call: call.clone(), node, leave: None });
            session.doing.len() - 1
        });
        let doing = &mut session.doing[place];
        doing.call = call;
        let before = doing.node.clone();
        doing.describe(session.project.as_ref(), going.kept.flatten());
        // Its end is told with its result.
        if doing.node != before && !doing.has_ended() {
            self.note(session.conversation.id, &doing.node);
        }
        place
    }

    /// It asks: a rule answers, or the person. `false` when the turn was stopped meanwhile.
    async fn asks(
        &self,
        going: &mut Going,
        session: &mut Session,
        question: Question,
        stop: &CancellationToken,
    ) -> Result<bool, Failure> {
        let Question { call, answer } = question;
        let place = self.put(going, session, call);
        let leave = self.leave_for(going, session, place, stop).await?;
        let stopped = leave == Leave::Stopped;
        // Words beside a no leave like a message.
        let clean = |note: &str| self.privacy.cleaner().text(note).into_owned();
        answer(match &leave {
            Leave::Refused { note } => Leave::Refused { note: clean(note) },
            other => other.clone(),
        });
        let doing = &mut session.doing[place];
        if leave == Leave::Given {
            doing.node.status = NodeStatus::Running;
        }
        doing.leave = Some(leave);
        doing.describe(session.project.as_ref(), going.kept.flatten());
        if doing.node.status == NodeStatus::Running {
            self.note(session.conversation.id, &doing.node);
        }
        Ok(!stopped)
    }

    async fn leave_for(
        &self,
        going: &mut Going,
        session: &mut Session,
        place: usize,
        stop: &CancellationToken,
    ) -> Result<Leave, Failure> {
        let Session { agent, fingerprint, conversation, project, doing, .. } = session;
        let Doing { call, node, .. } = &mut doing[place];
        let paths = paths_of(call, project.as_ref());
        let arguments: Result<serde_json::Value, _> = serde_json::from_str(&call.arguments);
        let arguments = arguments.map_or_else(|_| call.arguments.clone(), |it| it.to_string());
        let tool = tool_of(agent, call);
        let hash = hash_of(&[&tool, fingerprint, &arguments]);
        let subject = Subject {
            tool: &tool,
            fingerprint,
            // It would not ask if it only looked where it may.
            effect: Effect::Runs,
            paths: &paths,
            command: call.command.as_deref(),
            hash: &hash,
        };
        // What changes files and does not say which may change any.
        let named = call.kind.effect() != Effect::Changes || !paths.is_empty();
        let inside = named && paths.iter().all(|path| is_inside(path));
        match self.judged(conversation.project_id, project.as_ref(), subject).await {
            // What is allowed for a project is not for what lies outside of it.
            Ok(Decision::Allow(_)) if inside => return Ok(Leave::Given),
            Ok(Decision::Deny(_)) => return Ok(Leave::Refused { note: String::new() }),
            // Where the rules, or what a path leads to, cannot be read, the person is asked.
            _ => {}
        }
        let change = changed_by(call, project.as_ref());
        let approval = sealed(Approval {
            turn_id: going.turn().id,
            call_id: call.id.clone(),
            tool,
            server: Some(agent.clone()),
            effect: call.kind.effect(),
            patterns: paths
                .first()
                .filter(|_| inside)
                .map(|path| patterns(path))
                .unwrap_or_default(),
            change,
            command: call.command.clone(),
            purpose: Some(call.title.clone()).filter(|it| !it.is_empty()),
            arguments: arguments::shown(&call.arguments),
            hash: String::new(),
        });
        let bound =
            Bound { project: conversation.project_id, fingerprint: fingerprint.clone(), hash };
        node.status = NodeStatus::Waiting;
        let began = Instant::now();
        let shown = self.tools.show_call(conversation.id, approval, bound);
        // Whoever hears of it finds it.
        self.note(conversation.id, node);
        let answer = tokio::select! {
            biased;
            () = stop.cancelled() => None,
            answer = shown.answer() => answer,
        };
        going.waited += began.elapsed();
        // Its time is its own, without the person's.
        node.started_at = self.core.now();
        Ok(match answer {
            None => Leave::Stopped,
            Some(ApprovalAnswer::No { note }) => Leave::Refused { note },
            Some(ApprovalAnswer::Never) => Leave::Refused { note: String::new() },
            Some(_) => Leave::Given,
        })
    }

    /// What was called so far becomes durable with its results, and another reply begins.
    fn end_step(&self, going: &mut Going, session: &mut Session) -> Result<(), Failure> {
        self.keep_calls(going, session)?;
        let stores = self.core.stores()?;
        self.begin_reply(going, &stores)
    }

    /// The same at the end of the work, for whatever way it ended.
    fn keep_doings(
        &self,
        going: &mut Going,
        session: &mut Session,
        end: &End,
    ) -> Result<(), Failure> {
        if session.doing.is_empty() {
            return Ok(());
        }
        let usage = going.reply.usage;
        let now = self.core.now();
        for doing in session.doing.iter_mut().filter(|doing| !doing.has_ended()) {
            doing.node.status = match end {
                End::Finished if doing.leave.is_none() => NodeStatus::Done,
                End::Finished => doing.node.status,
                _ => NodeStatus::Stopped,
            };
            doing.node.ended_at = Some(now);
        }
        self.keep_calls(going, session)?;
        if matches!(end, End::Finished) {
            let stores = self.core.stores()?;
            self.begin_reply(going, &stores)?;
        }
        going.reply.usage = usage;
        Ok(())
    }

    fn keep_calls(&self, going: &mut Going, session: &mut Session) -> Result<(), Failure> {
        self.show(&going.underway.turn, &mut going.reply);
        for Doing { call, node, .. } in &session.doing {
            let NodeKind::Tool { tool, .. } = &node.kind else { continue };
            let (id, name, arguments) = (call.id.clone(), tool.clone(), call.arguments.clone());
            let call = Chunk::ToolCall { id, name, arguments, seal: None };
            going.reply.add(call, &going.underway.turn.model);
        }
        let stores = self.core.stores()?;
        self.keep_step(going, &stores)?;
        for doing in std::mem::take(&mut session.doing) {
            let id = doing.call.id.clone();
            session.done.insert(id.clone());
            self.answered(going, &id, doing.done(session.project.as_ref()))?;
        }
        Ok(())
    }
}

impl Doing {
    /// Its record says what is known of it.
    fn describe(&mut self, project: Option<&Project>, kept: Option<CheckpointId>) {
        let allowed = matches!(self.leave, Some(Leave::Given));
        let of_call = match self.call.kind.effect() {
            // Only what was asked for and allowed is a change that the person knows of.
            Effect::Changes if !allowed => Effect::Runs,
            effect => effect,
        };
        let paths = paths_of(&self.call, project);
        if let NodeKind::Tool { about, effect, touched, checkpoint_id, .. } = &mut self.node.kind {
            about.clone_from(&self.call.title);
            *effect = of_call;
            *touched = paths.into_iter().filter(|path| is_inside(path)).collect();
            *checkpoint_id = kept.filter(|_| of_call.is_destructive());
        }
        self.node.status = match (&self.leave, self.call.state) {
            (Some(Leave::Refused { .. }), _) => NodeStatus::Denied,
            (Some(Leave::Stopped), _) => NodeStatus::Stopped,
            (_, CallState::Done) => NodeStatus::Done,
            (_, CallState::Failed) => NodeStatus::Failed,
            (_, CallState::Going) => self.node.status,
        };
    }

    /// What came of it, for the conversation.
    fn done(self, project: Option<&Project>) -> Done {
        let Self { call, node, leave } = self;
        let touched: BTreeSet<String> =
            paths_of(&call, project).into_iter().filter(|path| is_inside(path)).collect();
        let touched = touched.into_iter().collect();
        let (text, is_error) = match (leave, call.state) {
            (Some(Leave::Refused { note }), _) => (denied(&note), true),
            (Some(Leave::Stopped), _) => ("Stopped by the person before it was done.".into(), true),
            (_, CallState::Going) if node.status != NodeStatus::Done => (UNENDED.to_owned(), true),
            (_, state) => (said_by(&call), state == CallState::Failed),
        };
        Done { node, answer: Answer { text, is_error, touched } }
    }
}

/// What a call said, and what it changed.
fn said_by(call: &AgentCall) -> String {
    let changes = call.changes.iter().map(|change| {
        let before = change.before.as_deref().unwrap_or_default();
        let difference = Difference::of(before, &change.after);
        let lines = difference.hunks.iter().flat_map(|hunk| &hunk.lines).map(|line| {
            let mark = match line.kind {
                LineChange::Same => ' ',
                LineChange::Added => '+',
                LineChange::Removed => '-',
            };
            format!("\n{mark}{}", line.text)
        });
        format!("{}{}", change.path, lines.collect::<String>())
    });
    let said = Some(call.said.clone()).filter(|said| !said.trim().is_empty());
    let all: Vec<String> = said.into_iter().chain(changes).collect();
    if all.is_empty() {
        "(The agent says nothing of what came of it.)".to_owned()
    } else {
        all.join("\n\n")
    }
}

/// What the tools of an agent are called beside those of others.
fn tool_of(agent: &str, call: &AgentCall) -> String {
    format!("{agent}: {}", call.kind.name())
}

/// Files that a call is about, relative to the project's root where they are in it.
fn paths_of(call: &AgentCall, project: Option<&Project>) -> Vec<String> {
    let relative = |path: &String| match project {
        Some(project) => relative_to(&project.path, spelled(path)),
        None => spelled(path),
    };
    call.paths.iter().map(relative).collect()
}

/// The change that a call shows, of the first file.
fn changed_by(call: &AgentCall, project: Option<&Project>) -> Option<FileChange> {
    let change = call.changes.first()?;
    let path = match project {
        Some(project) => relative_to(&project.path, spelled(&change.path)),
        None => spelled(&change.path),
    };
    Some(FileChange {
        path,
        kind: if change.before.is_some() { ChangeKind::Edit } else { ChangeKind::Create },
        before: change.before.clone(),
        after: Some(change.after.clone()),
        stamp: String::new(),
    })
}
