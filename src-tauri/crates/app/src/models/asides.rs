//! Asking a model beside the turns of a conversation: for a summary, a plan, a verdict or a title. One message, one
//! answer, no tools, and as little thinking as can be asked for without being refused.
//!
//! Which model that is stands in the settings, by what is asked for. Requests leave through the gate like all others.
//! Deliberately absent: what is asked, and what becomes of an answer.

use futures_util::StreamExt;
use siltstone_contract::{Code, DefaultModel, Failure};
use siltstone_engine::context::TaskKind;
use siltstone_engine::conversation::Conversation;
use siltstone_engine::ids::ProjectId;
use siltstone_engine::keys::needs_key;
use siltstone_engine::prompt;
use siltstone_engine::provider::{
    Chunk, Effort, FinishReason, ModelRequest, ProviderError, ProviderKind, ProviderRecord,
};
use siltstone_engine::summary::Ask;
use siltstone_engine::tokens::estimate;
use siltstone_engine::turn::{TurnFault, Usage};
use tokio_util::sync::CancellationToken;

use crate::core::failure::{Outcome, fault, fault_of, fault_of_provider};
use crate::core::locked;
use crate::models::ModelService;

/// Tokens of a model's window that neither the material nor a quarter for the reply may take.
const PROMPT_RESERVE: u64 = 1_024;

/// Tokens that a model gets for its thoughts besides the answer, where it cannot do without them.
const FOR_THOUGHTS: u64 = 8_192;

/// A model that is asked beside turns.
pub(crate) struct Writer {
    pub(crate) choice: DefaultModel,
    project: Option<ProjectId>,
    /// Tokens of material that it can read at once.
    pub(crate) room: u64,
    takes_effort: bool,
}

/// What a model answered, and how that ended.
#[derive(Default)]
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) usage: Option<Usage>,
    pub(crate) fault: Option<TurnFault>,
    /// It reached its greatest length, or the provider withheld the rest: what it would have said last is missing.
    pub(crate) cut: bool,
    thought: String,
    /// Its thoughts took what the answer should have had.
    thought_too_long: bool,
}

impl ModelService {
    /// The model that the person chose for this work, while its provider is there.
    pub(crate) fn chosen_for(&self, task: TaskKind) -> Result<Option<DefaultModel>, Failure> {
        let chosen = self.core.stores()?.records.settings().or_failure()?.tasks.remove(&task);
        let chosen = chosen.filter(|chosen| self.record(&chosen.provider).is_ok());
        Ok(chosen.map(|it| DefaultModel { provider: it.provider, model: it.model }))
    }

    /// The same, else the conversation's. Fails where none can be asked.
    pub(crate) async fn writer_for(
        &self,
        task: TaskKind,
        conversation: &Conversation,
    ) -> Result<Writer, Failure> {
        let choice = match self.chosen_for(task)? {
            Some(chosen) => chosen,
            None => self.choice_for(conversation)?,
        };
        let name = choice.provider.clone();
        let writer = self.writer_of(choice, conversation.project_id).await?;
        let needed = || Failure::new(Code::ModelNeeded, format!("{name} cannot be asked for this"));
        writer.ok_or_else(needed)
    }

    /// Whether a provider writes anything of its own beside turns, and has the key that it needs. An agent is started by
    /// turns alone.
    pub(crate) fn can_be_asked(&self, record: &ProviderRecord) -> Result<bool, Failure> {
        let never = matches!(record.kind, ProviderKind::Offline | ProviderKind::Agent);
        Ok(!never && (!needs_key(record) || self.key_shown(record)?.is_some()))
    }

    /// A model that is asked; `None` where it cannot be.
    pub(crate) async fn writer_of(
        &self,
        choice: DefaultModel,
        project: Option<ProjectId>,
    ) -> Result<Option<Writer>, Failure> {
        let record = self.record(&choice.provider)?;
        if !self.can_be_asked(&record)? {
            return Ok(None);
        }
        let window = self.model_of(&choice).await.window();
        let room = prompt::budget_of(window).saturating_sub(PROMPT_RESERVE);
        // Other servers of this format may refuse a wish they do not know.
        let takes_effort = record.kind != ProviderKind::Openai || is_openai(&record);
        Ok(Some(Writer { choice, project, room, takes_effort }))
    }

    /// Asks, without secrets; `hear` is told of the text as it comes. A model that spent all it was given on thoughts is
    /// asked once more with room for them, and from then on right away.
    pub(crate) async fn answer_beside(
        &self,
        writer: &Writer,
        ask: Ask,
        stop: &CancellationToken,
        hear: &(dyn Fn(&str) + Sync),
    ) -> Answer {
        let model = (writer.choice.provider.clone(), writer.choice.model.clone());
        let thinks = locked(&self.thinkers).contains(&model);
        let for_thoughts = if thinks { writer.for_thoughts() } else { 0 };
        let first = self.answer_within(writer, ask.clone(), for_thoughts, stop, hear).await;
        if first.thought_too_long {
            locked(&self.thinkers).insert(model);
        }
        if thinks || !first.thought_too_long || !first.text.trim().is_empty() {
            return first;
        }
        let again = self.answer_within(writer, ask, writer.for_thoughts(), stop, hear).await;
        let usage = first.usage.into_iter().chain(again.usage).reduce(Usage::plus);
        Answer { usage, ..again }
    }

    async fn answer_within(
        &self,
        writer: &Writer,
        mut ask: Ask,
        for_thoughts: u32,
        stop: &CancellationToken,
        hear: &(dyn Fn(&str) + Sync),
    ) -> Answer {
        let mut answer = Answer::default();
        ask.max_tokens = ask.max_tokens.saturating_add(for_thoughts);
        // What was written before is in it too, and what the person wrote into that.
        self.privacy.cleaner().clean(&mut ask.prompt);
        let sent = estimate(&ask.prompt);
        let timeout = ask.timeout;
        let heard = async {
            let (name, project) = (&writer.choice.provider, writer.project);
            let provider = self.connect(name, project, None).await;
            let provider = provider.map_err(|failure| fault_of(&failure))?;
            let mut stream = provider.stream(writer.request(ask));
            let mut finish = None;
            while let Some(chunk) = stream.next().await {
                match chunk.map_err(|error| fault_of_provider(&error))? {
                    Chunk::Text(more) => {
                        hear(&more);
                        answer.text.push_str(&more);
                    }
                    Chunk::Usage(usage) => answer.usage = Some(usage),
                    Chunk::Reasoning(more) => answer.thought.push_str(&more),
                    Chunk::Finished(reason) => finish = Some(reason),
                    _ => {}
                }
            }
            let cut = || ProviderError::Cut { detail: "the stream ended early".into() };
            let finish = finish.ok_or_else(|| fault_of_provider(&cut()))?;
            answer.cut = matches!(finish, FinishReason::Length | FinishReason::Filtered);
            answer.thought_too_long = finish == FinishReason::Length && !answer.thought.is_empty();
            Ok(())
        };
        let (end, left) = tokio::select! {
            biased;
            () = stop.cancelled() => (Err(fault(Code::Cancelled, "cancelled")), true),
            heard = tokio::time::timeout(timeout, heard) => match heard {
                Ok(end) => (end, false),
                Err(_) => {
                    let message = format!("no answer within {} s", timeout.as_secs());
                    (Err(fault(Code::ProviderTimedOut, &message)), true)
                }
            },
        };
        answer.fault = end.err();
        answer.usage = answer.usage.filter(Usage::is_plausible);
        // A request that was refused costs nothing; one that left and was not counted is estimated.
        if answer.usage.is_none() && (left || answer.fault.is_none() || !answer.text.is_empty()) {
            let output_tokens = estimate(&answer.text) + estimate(&answer.thought);
            answer.usage = Some(Usage { input_tokens: sent, output_tokens, ..Usage::default() });
        }
        answer
    }
}

impl Writer {
    /// The name of its provider.
    pub(crate) fn provider(&self) -> &str {
        &self.choice.provider
    }

    /// No more than the part of the window that an answer may take.
    fn for_thoughts(&self) -> u32 {
        u32::try_from(FOR_THOUGHTS.min(self.room / 3)).unwrap_or_default()
    }

    fn request(&self, ask: Ask) -> ModelRequest {
        let asked = ModelRequest::of(&self.choice.model, vec![prompt::task(&ask.prompt)], "en");
        let effort = self.takes_effort.then_some(Effort::Minimal);
        let (max_output_tokens, schema) = (Some(ask.max_tokens), ask.schema);
        ModelRequest { max_output_tokens, effort, schema, ..asked }
    }
}

fn is_openai(record: &ProviderRecord) -> bool {
    record.base_url.starts_with("https://api.openai.com/")
}
