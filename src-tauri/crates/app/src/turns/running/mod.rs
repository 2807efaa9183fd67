//! Carrying out a turn: compose, stream, keep what came, carry out what was called, ask again, close.
//!
//! Every reply is durable before anything that it calls runs, every result before the model is asked with it. A turn that
//! is stopped, or ended by a limit, keeps what it has, and goes on from there when the person continues it. What a call
//! comes to is in [`calls`], the streaming in [`reply`]; what an agent does that is asked in a model's place, in [`agent`].

mod agent;
mod calls;
mod reply;

use std::time::Duration;

use siltstone_contract::{Code, DefaultModel, Failure, TurnEvent};
use siltstone_engine::conversation::Conversation;
use siltstone_engine::ids::{BranchId, CheckpointId, MessageId, NodeId};
use siltstone_engine::message::{Message, MessageStatus, Part, Role};
use siltstone_engine::ports::{NewMessage, ReplyStream, Stores, TurnClosing};
use siltstone_engine::provider::ModelRequest;
use siltstone_engine::run::{Limit, NodeKind, NodeStatus, RunNode};
use siltstone_engine::section::{Manifest, SectionKind};
use siltstone_engine::summary::Moment;
use siltstone_engine::tokens;
use siltstone_engine::turn::{Turn, TurnFault, TurnStatus, Usage};
use siltstone_engine::wish::Wishes;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::conversations::attachments::bytes_of;
use crate::core::failure::{Outcome, fault_of};
use crate::core::unbroken;
use crate::folding::summarising::Task;
use crate::requests::Underway;
use crate::tools::Offered;
use crate::turns::{Question, TurnService};
use agent::Agent;
use reply::Reply;

/// How often a model is asked that goes on to call tools though it was offered none.
const UNOFFERED_ROUNDS: u32 = 3;

/// How a turn, or one call of its model, ended.
enum End {
    Finished,
    Stopped,
    Failed(TurnFault),
    Limited(Limit),
}

/// A turn on its way.
struct Going {
    underway: Underway,
    /// The reply that is being written, or was.
    reply: Reply,
    /// Whether that reply is whole and durable already, because it called tools.
    stepped: bool,
    /// How often the model was asked.
    rounds: u32,
    /// Tokens and costs of all those times.
    usage: Option<Usage>,
    cost: Option<u64>,
    /// The last message of the turn.
    tip: MessageId,
    /// The node of the model call, and the last of what it called for.
    model: Option<NodeId>,
    last: Option<NodeId>,
    /// Whether the project's files are kept for this turn, and where.
    kept: Option<Option<CheckpointId>>,
    wishes: Wishes,
    began: Instant,
    /// How long the person was waited for.
    waited: Duration,
}

impl Going {
    fn of(turn: Turn) -> Self {
        let (first, tip) = (turn.reply_id, turn.reply_id);
        Self {
            underway: Underway { turn, first, brought: None, touched: Vec::new(), command: false },
            reply: Reply::default(),
            stepped: false,
            rounds: 0,
            usage: None,
            cost: Some(0),
            tip,
            model: None,
            last: None,
            kept: None,
            wishes: Wishes::default(),
            began: Instant::now(),
            waited: Duration::ZERO,
        }
    }

    fn turn(&self) -> &Turn {
        &self.underway.turn
    }

    /// Whether there are results before the reply that is being written.
    fn has_steps(&self) -> bool {
        self.stepped || self.underway.first != self.turn().reply_id
    }

    /// Whether nothing came of the turn, in words or otherwise.
    fn says_nothing(&self) -> bool {
        self.reply.is_silent() && !self.has_steps()
    }
}

impl TurnService {
    /// Carries the turn out to its end, then sends what waits in the queue.
    pub(crate) async fn run(&self, turn: Turn, stop: CancellationToken) {
        let begun = turn.clone();
        if let Err(failure) = unbroken(self.carry_out_turn(turn, stop)).await {
            self.broke_off(&begun, &failure);
        }
    }

    async fn carry_out_turn(&self, turn: Turn, stop: CancellationToken) {
        let told = self.checkpoints.told_of_restore(&turn).await;
        self.sessions.session_asked(&turn).await;
        let mut going = Going::of(turn);
        let end = match self.may_ask(going.turn()) {
            Ok(None) => self.go(&mut going, &stop).await,
            Ok(Some(agent)) => self.go_with_agent(&mut going, agent, &stop).await,
            Err(failure) => End::Failed(fault_of(&failure)),
        };
        self.keep_left(&going).await;
        let finished = matches!(end, End::Finished);
        let turn = going.turn().clone();
        let question = turn.user_message_id;
        // A request that failed is sent again, without the same. An agent's command takes nothing with it or away.
        let carries = !going.underway.command;
        let silent = going.says_nothing();
        let answered = carries && (finished || !silent);
        let stopped = matches!(end, End::Stopped) || stop.is_cancelled();
        let several = self.core.also.has(question);
        if several {
            self.core.also.goes_on(turn.conversation_id);
            self.core.also.chose(question, &going.wishes);
            if answered {
                self.core.also.answered(question, going.underway.first);
            }
        }
        let more = several && !stopped && !self.core.also.waiting(question).is_empty();
        let mut earlier = None;
        if !more {
            earlier = self.question_answered(&going, answered);
        }
        let failed = matches!(end, End::Failed(_));
        let done = self.close(&going, end);
        self.contexts.state.end_run(turn.id);
        if failed && silent {
            self.sessions.session_failed(&turn).await;
        }
        let watchers = self.core.live.watchers(turn.conversation_id);
        if finished || matches!(done, TurnEvent::Done { status: MessageStatus::Interrupted, .. }) {
            self.sessions.session_answered(&turn).await;
        }
        if !(more && self.ask_others(&going, &stop)) {
            if more {
                earlier = self.question_answered(&going, answered);
            }
            if let Some(reply) = earlier.filter(|_| silent) {
                self.show_instead(reply);
            }
            self.core.also.begun(turn.conversation_id);
            // Where several were asked, it is one answer that matters.
            if finished || earlier.is_some() {
                self.folding.summarise(turn.conversation_id, Task::Due(Moment::TurnClosed));
                self.checkpoints.told(&turn, told.filter(|_| carries)).await;
                if finished || !stopped {
                    self.send_next(turn.conversation_id);
                }
            }
        }
        self.core.live.end(turn.conversation_id, turn.id);
        watchers.tell(done);
        self.core.conversation_changed(turn.conversation_id);
        self.turn_closed(&turn);
    }

    /// Whether the month may go on; then the agent that is asked, if it is one.
    fn may_ask(&self, turn: &Turn) -> Result<Option<Agent>, Failure> {
        let choice = DefaultModel { provider: turn.provider.clone(), model: turn.model.clone() };
        self.models.within_limit(&self.core.stores()?, &choice)?;
        self.agent_of(turn)
    }

    /// Nothing more is asked of a question: what was chosen for it alone is over, if anybody `answered`. Gives the reply of
    /// the last one before that did.
    fn question_answered(&self, going: &Going, answered: bool) -> Option<MessageId> {
        let before = self.core.also.end(going.turn().user_message_id);
        let (reply, before) = before.unzip();
        if let Some(wishes) = before.or_else(|| answered.then(|| going.wishes.clone())) {
            self.conversations.wishes_answered(going.turn().conversation_id, &wishes);
        }
        reply
    }

    /// The last model said nothing: the conversation goes on from the last one that answered.
    fn show_instead(&self, reply: MessageId) {
        let shown = self.core.stores().and_then(|it| it.transcripts.activate(reply).or_failure());
        if let Err(failure) = shown {
            tracing::warn!(%failure, "showing the answer of another model");
        }
    }

    /// Asks the next of the models that are to answer the same question; whether one is asked. What they cannot be asked for
    /// stands in their reply.
    fn ask_others(&self, going: &Going, stop: &CancellationToken) -> bool {
        let (id, question) = (going.turn().conversation_id, going.turn().user_message_id);
        let begun = self.core.stores().and_then(|stores| {
            let conversation = stores.transcripts.conversation(id).or_failure()?;
            let Some(model) = self.core.also.next(question) else { return Ok(false) };
            // Stopping one asks nobody else, however late it comes.
            if conversation.deleted_at.is_some() || stop.is_cancelled() {
                return Ok(false);
            }
            self.contexts.bring(question, going.underway.brought.clone())?;
            let again = Question::Again { id: question, parent: question, of: None };
            self.begin(&stores, &conversation, again, &model).map(|_| true)
        });
        let begun = begun.unwrap_or_else(|failure| {
            tracing::warn!(%failure, "asking another model the same");
            false
        });
        if begun {
            self.core.also.begun(id);
        }
        begun
    }

    /// Asks, carries out what is called for, and asks again until nothing is.
    async fn go(&self, going: &mut Going, stop: &CancellationToken) -> End {
        loop {
            let opened = tokio::select! {
                biased;
                () = stop.cancelled() => return End::Stopped,
                opened = self.open_stream(going) => opened,
            };
            let (stream, offered) = match opened {
                Ok(opened) => opened,
                Err(failure) => return End::Failed(fault_of(&failure)),
            };
            let mut reply = Reply::default();
            let read = unbroken(self.read(going.turn(), stream, stop, &mut reply)).await;
            let end = read.unwrap_or_else(|failure| End::Failed(fault_of(&failure)));
            going.reply = reply;
            self.count_call(going, &end);
            if let End::Failed(fault) = &end
                && fault.code == Code::NoTools.name()
                && going.reply.is_empty()
                && !offered.is_empty()
            {
                let turn = going.turn();
                self.tools.takes_no_tools(&turn.provider, &turn.model);
                continue;
            }
            if !matches!(end, End::Finished) || going.reply.calls().is_empty() {
                let fault = going.reply.shortfall().filter(|_| going.says_nothing());
                return match (end, fault) {
                    (End::Finished, Some(fault)) => End::Failed(fault),
                    (end, _) => end,
                };
            }
            if let Err(end) = self.step(going, &offered, stop).await {
                return end;
            }
        }
    }

    /// Asks.
    async fn open_stream(&self, going: &mut Going) -> Result<(ReplyStream, Offered), Failure> {
        let stores = self.core.stores()?;
        let turn = going.turn().clone();
        let mut conversation =
            stores.transcripts.conversation(turn.conversation_id).or_failure()?;
        if let Some(wishes) = self.core.also.chosen(turn.user_message_id) {
            conversation.wishes = wishes;
        }
        let provider =
            self.models.connect(&turn.provider, conversation.project_id, Some(turn.id)).await?;
        let wants = provider.wants_passages();
        let (asked, offered) = self.compose(going, &stores, &conversation, wants).await?;
        Ok((provider.stream(asked), offered))
    }

    /// The request, written down as what is about to be sent.
    async fn compose(
        &self,
        going: &mut Going,
        stores: &Stores,
        conversation: &Conversation,
        wants_passages: bool,
    ) -> Result<(ModelRequest, Offered), Failure> {
        let turn = going.turn().clone();
        let composed =
            self.requests.compose_turn(&mut going.underway, conversation, wants_passages).await;
        let (request, offered) = composed?;
        let parts = request.sections.iter().flat_map(|section| &section.parts);
        let bytes = bytes_of(stores, parts)?;
        if let Some(name) = bytes.gone.first() {
            return Err(Failure::new(Code::AttachmentMissing, format!("{name} is gone")));
        }
        let tuning = &conversation.tuning;
        let manifest = request.manifest(tuning);
        stores.transcripts.set_manifest(turn.id, &manifest).or_failure()?;
        self.models.expect_cost(stores, &turn, request.tokens, going.cost)?;
        self.begin_call(going, manifest)?;
        let asked = ModelRequest::of(&turn.model, request.sections, &self.core.language());
        let tools = offered.specs();
        let mode = tuning.mode_of(&turn.provider).map(str::to_owned);
        let asked = ModelRequest { attached: bytes.found, tools, mode, ..asked.tuned(tuning) };
        going.wishes = conversation.wishes.clone();
        Ok((asked, offered))
    }

    /// A call of the model begins.
    fn begin_call(&self, going: &mut Going, mut manifest: Manifest) -> Result<(), Failure> {
        let turn = going.turn();
        let (model, message_id) = (turn.model.clone(), turn.reply_id);
        let node = RunNode {
            id: NodeId::new(self.core.now()),
            turn_id: turn.id,
            parent: going.last,
            kind: NodeKind::Model { model, message_id },
            status: NodeStatus::Running,
            started_at: self.core.now(),
            ended_at: None,
            usage: None,
            cost: None,
        };
        if going.rounds > 0 {
            // The first one says it for all.
            let of_tools = manifest.sections.iter_mut();
            let of_tools = of_tools.filter(|section| section.kind == SectionKind::Tools);
            of_tools.for_each(|section| section.text = None);
        }
        let stores = self.core.stores()?;
        stores.tools.put_node(&node).or_failure()?;
        stores.tools.put_node_manifest(node.id, &manifest).or_failure()?;
        going.model = Some(node.id);
        going.rounds += 1;
        Ok(())
    }

    /// A call of the model ended: what it took joins what the turn takes.
    fn count_call(&self, going: &mut Going, end: &End) {
        let (turn, reply) = (going.turn(), &going.reply);
        let status = match end {
            End::Finished => TurnStatus::Completed,
            End::Failed(_) if reply.is_empty() => TurnStatus::Failed,
            _ => TurnStatus::Interrupted,
        };
        let answered =
            tokens::estimate_parts(&reply.parts(&turn.model)) + tokens::estimate(&reply.reasoning);
        let counted = self.core.stores().and_then(|stores| {
            let (usage, cost) = self.models.settle(&stores, turn, status, reply.usage, answered)?;
            if let Some(usage) =
                usage.filter(|usage| usage.exact && status == TurnStatus::Completed)
                && let Err(error) = self.folding.learn(&stores, turn, &usage)
            {
                tracing::warn!(%error, "correcting the estimates");
            }
            let nodes = stores.tools.nodes(turn.id).or_failure()?;
            if let Some(node) = nodes.into_iter().find(|node| Some(node.id) == going.model) {
                let status = match status {
                    TurnStatus::Completed => NodeStatus::Done,
                    TurnStatus::Failed => NodeStatus::Failed,
                    _ => NodeStatus::Stopped,
                };
                let ended_at = Some(self.core.now());
                stores
                    .tools
                    .put_node(&RunNode { status, ended_at, usage, cost, ..node })
                    .or_failure()?;
            }
            Ok((usage, cost))
        });
        match counted {
            Ok((usage, cost)) => {
                going.usage = together(going.usage, usage);
                going.cost = going.cost.zip(cost).map(|(before, more)| before + more);
            }
            Err(failure) => tracing::error!(%failure, "counting a call of a model"),
        }
    }

    /// The reply calls tools: it becomes durable, they are carried out, and another reply begins after their results.
    async fn step(
        &self,
        going: &mut Going,
        offered: &Offered,
        stop: &CancellationToken,
    ) -> Result<(), End> {
        let failed = |failure: Failure| End::Failed(fault_of(&failure));
        let turn = going.turn().clone();
        let stores = self.core.stores().map_err(failed)?;
        self.keep_step(going, &stores).map_err(failed)?;
        self.carry_out_calls(going, offered, stop).await?;
        if stop.is_cancelled() {
            return Err(End::Stopped);
        }
        let heeds_nothing = offered.is_empty() && going.rounds >= UNOFFERED_ROUNDS;
        let limit = heeds_nothing.then_some(Limit::Rounds);
        if let Some(limit) = limit.or(self.limit_of(going).map_err(failed)?) {
            return Err(End::Limited(limit));
        }
        let choice = DefaultModel { provider: turn.provider.clone(), model: turn.model.clone() };
        stores.spending.set_cost(turn.id, going.cost).or_failure().map_err(failed)?;
        self.models.within_limit(&stores, &choice).map_err(failed)?;
        self.begin_reply(going, &stores).map_err(failed)
    }

    /// The reply, with what it calls for, becomes durable.
    fn keep_step(&self, going: &mut Going, stores: &Stores) -> Result<(), Failure> {
        let turn = going.turn();
        let parts = going.reply.parts(&turn.model);
        let tokens = tokens::estimate_parts(&parts);
        stores.transcripts.finish_step(turn.id, &parts, tokens).or_failure()?;
        let (id, tip) = (turn.conversation_id, turn.reply_id);
        going.stepped = true;
        going.tip = tip;
        self.core.conversation_changed(id);
        Ok(())
    }

    /// Another reply of the turn begins after the results.
    fn begin_reply(&self, going: &mut Going, stores: &Stores) -> Result<(), Failure> {
        let (turn, id) = (going.turn().id, going.turn().conversation_id);
        let reply = self.message_of_turn(going, Role::Assistant, Vec::new());
        stores.transcripts.begin_step(turn, &reply).or_failure()?;
        going.underway.turn.reply_id = reply.message.id;
        going.tip = reply.message.id;
        going.reply = Reply::default();
        going.stepped = false;
        self.core.live.step(id, reply.message.id);
        self.core.conversation_changed(id);
        Ok(())
    }

    /// A message after the newest one of a turn.
    fn message_of_turn(&self, going: &Going, role: Role, parts: Vec<Part>) -> NewMessage {
        let (now, turn) = (self.core.now(), going.turn());
        let written = role == Role::Assistant;
        let message = Message {
            id: MessageId::new(now),
            conversation_id: turn.conversation_id,
            parent_id: Some(going.tip),
            turn_id: Some(turn.id),
            index: 0,
            role,
            tokens: tokens::estimate_parts(&parts),
            parts,
            status: if written { MessageStatus::Streaming } else { MessageStatus::Complete },
            model: written.then(|| turn.model.clone()),
            created_at: now,
        };
        NewMessage { message, branch_if_needed: BranchId::new(now) }
    }

    /// The limit that ends the turn here, if one does.
    fn limit_of(&self, going: &Going) -> Result<Option<Limit>, Failure> {
        let settings = self.tools.tool_settings()?;
        let taken = going.usage.map_or(0, |usage| usage.input_tokens + usage.output_tokens);
        let took = going.began.elapsed().saturating_sub(going.waited).as_secs();
        Ok(Limit::reached(&settings, going.rounds, taken, took))
    }

    /// A defect ended the turn: it counts as failed, with what of it was durable, and nothing of it stays on its way.
    fn broke_off(&self, begun: &Turn, failure: &Failure) {
        let id = begun.conversation_id;
        let done = self.close_broken(begun, failure).unwrap_or_else(|unclosed| {
            tracing::error!(%unclosed, "closing a turn");
            TurnEvent::Done {
                reply_id: begun.reply_id,
                status: MessageStatus::Failed,
                usage: None,
                fault: Some(fault_of(failure)),
            }
        });
        self.contexts.state.end_run(begun.id);
        self.core.also.end(begun.user_message_id);
        self.core.also.begun(id);
        let watchers = self.core.live.watchers(id);
        self.core.live.end(id, begun.id);
        watchers.tell(done);
        self.core.conversation_changed(id);
    }

    fn close_broken(&self, begun: &Turn, failure: &Failure) -> Result<TurnEvent, Failure> {
        let transcripts = self.core.stores()?.transcripts;
        // Its reply is a later one where it called tools.
        let turn = transcripts.turn(begun.id).or_failure()?;
        if turn.status == TurnStatus::Open {
            let parts = transcripts.message(turn.reply_id).or_failure()?.message.parts;
            let nothing = parts.is_empty() && turn.reply_id == begun.reply_id;
            let (status, reply_status) = match nothing {
                true => (TurnStatus::Failed, MessageStatus::Failed),
                false => (TurnStatus::Interrupted, MessageStatus::Interrupted),
            };
            let closing = TurnClosing {
                turn_id: turn.id,
                status,
                reply_status,
                tokens: tokens::estimate_parts(&parts),
                usage: turn.usage,
                cost: turn.cost,
                fault: Some(fault_of(failure)),
                closed_at: self.core.now(),
                parts,
            };
            transcripts.close_turn(&closing).or_failure()?;
        }
        let turn = transcripts.turn(begun.id).or_failure()?;
        let status = transcripts.message(turn.reply_id).or_failure()?.message.status;
        let Turn { reply_id, usage, fault, .. } = turn;
        Ok(TurnEvent::Done { reply_id, status, usage, fault })
    }

    /// Makes the end durable; gives what watchers are told.
    fn close(&self, going: &Going, end: End) -> TurnEvent {
        let (turn, reply) = (going.turn(), &going.reply);
        let (status, reply_status, fault) = match end {
            // Whoever did something need not speak of it; an agent may have done it without telling.
            End::Finished => {
                let told = |fault: &TurnFault| {
                    fault.code != Code::ReplyEmpty.name() || going.says_nothing()
                };
                let fault = reply.shortfall().filter(told);
                (TurnStatus::Completed, MessageStatus::Complete, fault)
            }
            End::Stopped => (TurnStatus::Interrupted, MessageStatus::Interrupted, None),
            // What came before the fault is worth continuing; without any text the turn simply failed.
            End::Failed(fault) if going.says_nothing() => {
                (TurnStatus::Failed, MessageStatus::Failed, Some(fault))
            }
            End::Failed(fault) => {
                (TurnStatus::Interrupted, MessageStatus::Interrupted, Some(fault))
            }
            End::Limited(limit) => {
                let fault = TurnFault { code: limit.code().into(), message: limit.to_string() };
                (TurnStatus::Interrupted, MessageStatus::Interrupted, Some(fault))
            }
        };
        let parts = reply.parts(&turn.model);
        let stored = self.core.stores().and_then(|stores| {
            let closing = TurnClosing {
                turn_id: turn.id,
                status,
                reply_status,
                tokens: tokens::estimate_parts(&parts),
                usage: going.usage,
                cost: going.cost,
                fault: fault.clone(),
                closed_at: self.core.now(),
                parts,
            };
            stores.transcripts.close_turn(&closing).or_failure()?;
            self.models.count_closed(&stores, turn);
            Ok(())
        });
        let (status, usage, fault) = match stored {
            Ok(()) => (reply_status, going.usage, fault),
            Err(failure) => {
                tracing::error!(%failure, "closing a turn");
                (MessageStatus::Failed, None, Some(fault_of(&failure)))
            }
        };
        TurnEvent::Done { reply_id: turn.reply_id, status, usage, fault }
    }
}

/// Tokens of two calls of a model.
fn together(one: Option<Usage>, other: Option<Usage>) -> Option<Usage> {
    let (Some(one), Some(other)) = (one, other) else { return one.or(other) };
    Some(one.plus(other))
}
