//! Work that a model is asked for beside answers: a plan, whether a task is done, a title. What of it is carried out is
//! in [`super::steps`].
//!
//! Each is one message, composed for its kind of task (behaviour.md, Context stores), asked of the model that the settings name for it, and
//! asked once more when the answer is of no use. It is paid for and noted like any other request.

use std::time::Duration;

use siltstone_contract::{Code, CreateTree, Evaluation, ExecutionTree, Failure, TurnRef};
use siltstone_engine::context::{ContextSnapshot, ContextStore, TaskKind};
use siltstone_engine::conversation::{Conversation, ConversationPatch, TitleSource};
use siltstone_engine::message::Message;
use siltstone_engine::ports::Stores;
use siltstone_engine::spending::Aside;
use siltstone_engine::summary::{Ask, fit, language_of};
use siltstone_engine::tasks;
use siltstone_engine::tasks::{
    TaskFault, evaluation_body, evaluation_of, evaluation_schema, title_body, tree_body, tree_of,
    tree_schema, with_fault, work_text,
};
use siltstone_engine::tokens::estimate;
use siltstone_engine::turn::{Turn, TurnStatus, Usage};
use siltstone_engine::workflow::{Task, Workflow};
use tokio_util::sync::CancellationToken;

use crate::core::failure::{Outcome, bad_request, conflict, of_fault};
use crate::models::asides::{Answer, Writer};
use crate::turns::{TurnService, title_of};

/// Longest goal in bytes.
const GOAL_BYTES: usize = 64 * 1024;

/// Most characters of a question that stands for a criterion.
const QUESTION_CHARS: usize = 1_000;

/// Most tokens of work that are judged, and most messages.
const WORK_TOKENS: u64 = 24_000;
const WORK_MESSAGES: usize = 400;

/// The section that a request has of the task that is worked on.
const TASK_SECTION: &str = "session:task";

/// What is asked for, beside the words.
struct Form {
    task: TaskKind,
    schema: Option<serde_json::Value>,
    max_tokens: u32,
    timeout: Duration,
}

impl TurnService {
    /// Asks a model for a plan of what is to be done; [`TurnService::stop`] ends it.
    pub async fn tree_create(&self, request: CreateTree) -> Result<ExecutionTree, Failure> {
        let goal = request.goal.trim();
        if goal.is_empty() || goal.len() > GOAL_BYTES {
            return Err(bad_request("a goal has 1 to 65,536 bytes"));
        }
        let id = request.conversation_id;
        let conversation = self.core.stores()?.transcripts.conversation(id).or_failure()?;
        let writer = self.models.writer_for(TaskKind::CreateTree, &conversation).await?;
        let language = language_of(goal);
        let form = Form {
            task: TaskKind::CreateTree,
            schema: Some(tree_schema()),
            max_tokens: 8_192,
            timeout: Duration::from_secs(180),
        };
        let run = ContextStore::of_run(&id.to_string(), goal, &ContextSnapshot::new());
        let body = tree_body(goal, language);
        let asking = self.sessions.plans.begin_asking(id)?;
        let read = |answer: &str| tree_of(answer, goal);
        let (place, body) = ((&conversation, &run), (body.as_str(), language));
        self.ask_for(&writer, &form, place, body, &asking.stop, &read).await
    }

    /// Asks a model whether an answer did what its task demands, or what was asked where it has none;
    /// [`TurnService::stop`] ends it.
    pub async fn turn_evaluate(&self, request: TurnRef) -> Result<Evaluation, Failure> {
        let turn = self.core.stores()?.transcripts.turn(request.id).or_failure()?;
        self.evaluate(&turn).await
    }

    pub(super) async fn evaluate(&self, turn: &Turn) -> Result<Evaluation, Failure> {
        if turn.status == TurnStatus::Open {
            return Err(conflict("the reply is on its way"));
        }
        let (stores, id) = (self.core.stores()?, turn.conversation_id);
        let conversation = stores.transcripts.conversation(id).or_failure()?;
        let writer = self.models.writer_for(TaskKind::Evaluate, &conversation).await?;
        let question = stores.transcripts.message(turn.user_message_id).or_failure()?.message;
        let asked = question.text();
        let task = self.task_of(&stores, &conversation, turn)?;
        let criteria = match task.map(|task| task.acceptance).filter(|them| !them.is_empty()) {
            Some(criteria) => criteria,
            None => vec![fit(&asked, QUESTION_CHARS).to_owned()],
        };
        let work = work_of(&stores, turn)?;
        let work = work_text(&work, WORK_TOKENS.min(writer.room / 2));
        let quoted = work_text([&question], WORK_TOKENS.min(writer.room / 8));
        let language = self.core.language();
        let body = evaluation_body(&criteria, &quoted, &work, &language);
        let form = Form {
            task: TaskKind::Evaluate,
            schema: Some(evaluation_schema()),
            max_tokens: 4_096,
            timeout: Duration::from_secs(120),
        };
        let asked = fit(&asked, QUESTION_CHARS);
        let run = ContextStore::of_run(&turn.id.to_string(), asked, &ContextSnapshot::new());
        let asking = self.sessions.plans.begin_asking(id)?;
        let read = |answer: &str| evaluation_of(answer, &criteria, &writer.choice.model);
        let (place, body) = ((&conversation, &run), (body.as_str(), language.as_str()));
        self.ask_for(&writer, &form, place, body, &asking.stop, &read).await
    }

    /// The task that a turn worked on: the one that its question asks for, else the one that its request told of.
    fn task_of(
        &self,
        stores: &Stores,
        conversation: &Conversation,
        turn: &Turn,
    ) -> Result<Option<Task>, Failure> {
        let Some(project) = conversation.project_id else { return Ok(None) };
        let project = stores.records.project(project).or_failure()?;
        let workflow: Workflow = self.sessions.work_of(&project)?;
        let by =
            |task: &&Task| task.asked.is_some_and(|asked| asked.message_id == turn.user_message_id);
        if let Some(task) = workflow.tasks().find(by) {
            return Ok(Some(task.clone()));
        }
        let manifest = stores.transcripts.manifest(turn.id).or_failure()?;
        let told = manifest.is_some_and(|it| it.sections.iter().any(|it| it.id == TASK_SECTION));
        let at = turn.opened_at;
        let worked_on = |task: &&Task| {
            let began = task.started_at.is_some_and(|started| started <= at);
            began && task.finished_at.is_none_or(|finished| finished >= at)
        };
        let tasks = workflow.tasks().filter(worked_on);
        Ok(tasks.max_by_key(|task| task.started_at).filter(|_| told).cloned())
    }

    /// A turn was closed: the plan that it was asked for goes on, and its conversation may be given a better name.
    pub(crate) fn turn_closed(&self, turn: &Turn) {
        let (this, id) = (self.clone(), turn.id);
        tokio::spawn(async move {
            let closed =
                this.core.stores().and_then(|stores| stores.transcripts.turn(id).or_failure());
            let turn = match closed {
                Ok(turn) => turn,
                Err(failure) => return tracing::warn!(%failure, "reading a turn that was closed"),
            };
            if let Err(failure) = this.step_ended(&turn).await {
                tracing::warn!(%failure, "going on with a plan");
            }
            if let Err(failure) = this.name_by_model(&turn).await {
                tracing::warn!(%failure, "naming a conversation");
            }
        });
    }

    /// The first answer of a conversation gives it a better name than its question, where a model is chosen for that and
    /// the person gave it none.
    async fn name_by_model(&self, turn: &Turn) -> Result<(), Failure> {
        let stores = self.core.stores()?;
        if turn.status != TurnStatus::Completed {
            return Ok(());
        }
        let Some(chosen) = self.models.chosen_for(TaskKind::Title)? else { return Ok(()) };
        let question = stores.transcripts.message(turn.user_message_id).or_failure()?.message;
        let conversation = stores.transcripts.conversation(turn.conversation_id).or_failure()?;
        let by_rule = title_of(&question.parts);
        let unnamed =
            |it: &Conversation| it.title_source == TitleSource::Derived && it.title == by_rule;
        let own = self.models.record(&self.models.choice_for(&conversation)?.provider)?;
        if question.parent_id.is_some()
            || !unnamed(&conversation)
            || !self.models.can_be_asked(&own)?
        {
            return Ok(());
        }
        let writer = self.models.writer_of(chosen, conversation.project_id).await?;
        let Some(writer) = writer else { return Ok(()) };
        let answer = stores.transcripts.message(turn.reply_id).or_failure()?.message;
        let (question, answer) = (question.text(), answer.text());
        let language = language_of(&question);
        let body = title_body(&question, &answer, language);
        let form = Form {
            task: TaskKind::Title,
            schema: None,
            max_tokens: 512,
            timeout: Duration::from_secs(60),
        };
        let run = ContextStore::of_run(&turn.id.to_string(), "", &ContextSnapshot::new());
        let read = |answer: &str| tasks::title_of(answer).ok_or(TaskFault::Empty);
        let (stop, place) = (CancellationToken::new(), (&conversation, &run));
        let title = self.ask_for(&writer, &form, place, (&body, language), &stop, &read).await?;
        // The person may have named it meanwhile.
        if unnamed(&stores.transcripts.conversation(conversation.id).or_failure()?) {
            let title = Some((title, TitleSource::Derived));
            let patch = ConversationPatch { title, ..Default::default() };
            stores.transcripts.update_conversation(conversation.id, &patch).or_failure()?;
            self.core.conversation_changed(conversation.id);
        }
        Ok(())
    }

    /// Asks, and once more where the answer is of no use.
    async fn ask_for<T>(
        &self,
        writer: &Writer,
        form: &Form,
        (conversation, run): (&Conversation, &ContextStore),
        (body, language): (&str, &str),
        stop: &CancellationToken,
        read: &(dyn Fn(&str) -> Result<T, TaskFault> + Sync),
    ) -> Result<T, Failure> {
        let (project, model) = (conversation.project_id, writer.choice.model.as_str());
        let mut of_no_use: Option<TaskFault> = None;
        for _ in 0..2 {
            let body = with_fault(body, of_no_use.as_ref(), language);
            let prompt =
                self.contexts.task_prompt(form.task, project, run, model, language, &body).await?;
            let ask = Ask {
                prompt,
                max_tokens: form.max_tokens,
                timeout: form.timeout,
                schema: form.schema.clone(),
            };
            let answer = self.paid_answer(writer, ask, stop).await?;
            if let Some(fault) = answer.fault {
                return Err(of_fault(fault));
            }
            match read(&answer.text) {
                Ok(read) => return Ok(read),
                Err(fault) => of_no_use = Some(fault),
            }
        }
        let why = of_no_use.map(|fault| fault.to_string()).unwrap_or_default();
        Err(Failure::new(Code::AnswerUnusable, format!("{model} answered twice in vain: {why}")))
    }

    /// Asks while the month's limit allows it; what it costs counts even if this process does not see the end.
    async fn paid_answer(
        &self,
        writer: &Writer,
        ask: Ask,
        stop: &CancellationToken,
    ) -> Result<Answer, Failure> {
        let stores = self.core.stores()?;
        self.models.within_limit(&stores, &writer.choice)?;
        let tariff = self.models.tariff(&stores, &writer.choice)?;
        let cost = |usage: &Usage| tariff.as_ref().map(|tariff| tariff.cost(usage));
        let usage = Usage { input_tokens: estimate(&ask.prompt), ..Usage::default() };
        let aside = Aside {
            at: self.core.now(),
            provider: writer.provider().to_owned(),
            model: writer.choice.model.clone(),
            usage,
            cost: cost(&usage),
        };
        let noted = stores.spending.note_aside(&aside).or_failure()?;
        let answer = self.models.answer_beside(writer, ask, stop, &|_| ()).await;
        let took = answer.usage.map(|usage| (usage, cost(&usage)));
        stores.spending.settle_aside(noted, took).or_failure()?;
        Ok(answer)
    }
}

/// The messages after a turn's question, oldest first: its own, and those of an earlier one that it goes on from.
fn work_of(stores: &Stores, turn: &Turn) -> Result<Vec<Message>, Failure> {
    let (mut messages, mut next) = (Vec::new(), Some(turn.reply_id));
    while let Some(id) = next.filter(|id| *id != turn.user_message_id)
        && messages.len() < WORK_MESSAGES
    {
        let message = stores.transcripts.message(id).or_failure()?.message;
        next = message.parent_id;
        messages.push(message);
    }
    messages.reverse();
    Ok(messages)
}
