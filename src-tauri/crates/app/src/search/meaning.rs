//! Meaning: choosing who makes vectors, making them in the background, and asking which messages are near to a question.
//!
//! Vectors are made of what was said and of nothing else, without its secrets, the newest messages first. A job goes on
//! where the last one stopped, because what is missing is asked of the store. Requests to a provider leave through the
//! gate like all others, count against the month, and end where the person's number of tokens ends. What does not work
//! stops nobody: recall then goes by words. Who asks for near messages is `recalling`; lines of memory are `lines`.

mod lines;
mod making;

use std::sync::Arc;
use std::time::Duration;

use siltstone_contract::{
    ChooseMeaning, Code, DefaultModel, Failure, MeaningBy, MeaningHalt, MeaningPlan, MeaningState,
    ProviderRef, Topic,
};
use siltstone_engine::ids::ProjectId;
use siltstone_engine::meaning::{
    Compact, Embedder, EmbedderChoice, MeaningSettings, Near, Purpose, asking, pieces,
};
use siltstone_engine::ports::StoreError;
use siltstone_engine::recall::Scope;
use siltstone_engine::tokens::estimate;
use siltstone_engine::turn::Usage;

use crate::core::blocking;
use crate::core::failure::{Outcome, bad_request};
use crate::search::SearchService;
use making::Spent;

pub(crate) use making::Meaning;

/// Stretches of which it is told how far they stand out, at most: all that do of some thousand messages.
const NEAR: u32 = 4_096;

/// How long a message waits for the vector of its question; later ones go by words.
const PATIENCE: Duration = Duration::from_secs(3);

/// Messages that are read at a time to say what a choice would take.
const PLANNED: u32 = 512;

impl SearchService {
    /// Who makes vectors, and how far that is.
    pub async fn meaning_state(&self, (): ()) -> Result<MeaningState, Failure> {
        let settings = self.meaning_settings()?;
        let MeaningSettings { embedder, most_tokens, stopped, .. } = settings;
        let home = embedder.as_ref().is_none_or(|it| self.stays_home(it));
        let embedders = self.core.world.embedders.clone();
        let (folder, local) = blocking(move || (embedders.folder(), embedders.local())).await?;
        // Asked before what is kept: of a job that ended meanwhile nothing is missing then.
        let running = self.meaning.is_running();
        let kept = match &embedder {
            Some(choice) => {
                let (vectors, id) = (self.core.stores()?.vectors, choice.id());
                blocking(move || vectors.kept(&id, !home)).await?.or_failure()?
            }
            None => Default::default(),
        };
        let halted = match self.meaning.halt() {
            _ if running || embedder.is_none() || kept.done >= kept.all => None,
            _ if stopped => Some(MeaningHalt::Stopped),
            halt => halt,
        };
        Ok(MeaningState {
            embedder,
            home,
            local,
            folder,
            done: kept.done,
            all: kept.all,
            bytes: kept.bytes,
            tokens: kept.tokens,
            most_tokens,
            running,
            halted,
        })
    }

    /// The models of a provider that seem to make vectors.
    pub async fn meaning_models(&self, request: ProviderRef) -> Result<Vec<String>, Failure> {
        let record = self.models.record(&request.name)?;
        let access = self.models.access(&record, None, None).await?;
        self.core.world.embedders.listed(&record, access).await.or_failure()
    }

    /// What an embedder would take, before it is chosen; nothing is sent.
    pub async fn meaning_plan(&self, request: MeaningBy) -> Result<MeaningPlan, Failure> {
        let choice = request.embedder;
        let home = self.stays_home(&choice);
        let (vectors, id) = (self.core.stores()?.vectors, choice.id());
        let counted = blocking(move || {
            let (mut messages, mut tokens, mut before) = (0, 0, i64::MAX);
            loop {
                let unread = vectors.unread(&id, before, !home, u32::MAX, PLANNED)?;
                let Some(last) = unread.last() else {
                    return Ok::<_, StoreError>((messages, tokens));
                };
                before = last.seq;
                messages += unread.len() as u64;
                tokens += unread.iter().map(|it| tokens_of(&pieces(&it.text))).sum::<u64>();
            }
        });
        let (messages, tokens) = counted.await?.or_failure()?;
        let cost = self.vector_cost(&choice, tokens)?;
        Ok(MeaningPlan { home, messages, tokens, cost })
    }

    /// Chooses who makes vectors, or nobody; they are made in the background.
    pub async fn meaning_choose(&self, request: ChooseMeaning) -> Result<MeaningState, Failure> {
        let ChooseMeaning { embedder, most_tokens } = request;
        let mut most = None;
        if let Some(choice) = &embedder {
            if !self.stays_home(choice) {
                most = most_tokens;
                if most.is_none() {
                    return Err(bad_request(
                        "texts would leave this computer: say how many tokens",
                    ));
                }
            }
            // Refuses what cannot be asked before anything changes.
            self.embedder(choice, None).await?;
        }
        let id = embedder.as_ref().map(EmbedderChoice::id);
        // First, so that nothing begins again for the earlier one.
        self.change_meaning(|it| {
            let embedder = embedder.clone();
            let nobody = embedder.is_none();
            *it = MeaningSettings { embedder, nobody, most_tokens: most, stopped: false };
        })?;
        self.meaning.end().await;
        self.forget_vectors_but(id).await?;
        self.begin_vectors(u32::MAX);
        self.meaning_state(()).await
    }

    /// Forgets all vectors and makes them anew.
    pub async fn meaning_rebuild(&self, (): ()) -> Result<MeaningState, Failure> {
        self.meaning.end().await;
        self.forget_vectors_but(None).await?;
        self.change_meaning(|it| it.stopped = false)?;
        self.begin_vectors(u32::MAX);
        self.meaning_state(()).await
    }

    /// Makes no more vectors until the person says so.
    pub async fn meaning_stop(&self, (): ()) -> Result<MeaningState, Failure> {
        self.change_meaning(|it| it.stopped = true)?;
        self.meaning.end().await;
        self.meaning_state(()).await
    }

    /// Goes on with them.
    pub async fn meaning_resume(&self, (): ()) -> Result<MeaningState, Failure> {
        self.change_meaning(|it| it.stopped = false)?;
        self.begin_vectors(u32::MAX);
        self.meaning_state(()).await
    }

    /// Stretches of a scope's messages that are near to a text in meaning, the nearest first, each by how
    /// much it stands out; none where nobody makes vectors, or they cannot be had soon. A provider is asked only for
    /// what is about to be `sending`: nothing leaves because somebody types.
    pub(crate) async fn near(&self, text: &str, scope: Scope, sending: bool) -> Vec<Near> {
        self.nearest(text, scope, sending).await.unwrap_or_else(|failure| {
            tracing::debug!(%failure, "looking for what is near in meaning");
            Vec::new()
        })
    }

    async fn nearest(&self, text: &str, scope: Scope, sending: bool) -> Result<Vec<Near>, Failure> {
        let Some(choice) = self.meaning_settings()?.embedder else { return Ok(Vec::new()) };
        let (vectors, id) = (self.core.stores()?.vectors, choice.id());
        // Where there is nothing to compare it with, nobody is asked.
        if !vectors.any(&id).or_failure()? {
            return Ok(Vec::new());
        }
        let Some(question) = self.question(&choice, text, scope, sending).await? else {
            return Ok(Vec::new());
        };
        blocking(move || vectors.near(&id, &question, scope, NEAR)).await?.or_failure()
    }

    /// The vector of a question; `None` where nobody is to be asked for it.
    async fn question(
        &self,
        choice: &EmbedderChoice,
        text: &str,
        scope: Scope,
        sending: bool,
    ) -> Result<Option<Arc<Compact>>, Failure> {
        let clean = self.privacy.strict_cleaner().text(text).into_owned();
        let asked = asking(&clean).to_owned();
        if asked.is_empty() {
            return Ok(None);
        }
        if let Some(known) = self.meaning.known(choice, &asked) {
            return Ok(Some(known));
        }
        let local = matches!(choice, EmbedderChoice::Local { .. });
        if !local && !sending {
            return Ok(None);
        }
        let transcripts = self.core.stores()?.transcripts;
        let asked_in = scope.conversation_id.map(|id| transcripts.conversation(id).or_failure());
        let project = match asked_in.transpose()? {
            Some(conversation) => conversation.project_id,
            None => scope.project_id,
        };
        let tokens = estimate(&asked);
        self.may_send(choice, tokens)?;
        let embedder = self.embedder(choice, project).await?;
        let made = embedder.embed(vec![asked.clone()], Purpose::Question);
        let made = tokio::time::timeout(PATIENCE, made)
            .await
            .map_err(|_| Failure::new(Code::ProviderTimedOut, "no vector in time"))?;
        let made = made.or_failure()?;
        self.spent(choice, Spent::of(&made, tokens), &[])?;
        let vector = made.vectors.first().and_then(|vector| Compact::of(vector)).map(Arc::new);
        if let Some(vector) = &vector {
            self.meaning.know(choice, asked, vector.clone());
        }
        Ok(vector)
    }

    /// Who makes vectors, ready to be asked for a project's texts. Fails where they may not be sent there.
    pub(crate) async fn embedder(
        &self,
        choice: &EmbedderChoice,
        project: Option<ProjectId>,
    ) -> Result<Arc<dyn Embedder>, Failure> {
        match choice {
            EmbedderChoice::Local { name } => {
                if let Some(open) = self.meaning.opened(name) {
                    return Ok(open);
                }
                let (embedders, wanted) = (self.core.world.embedders.clone(), name.clone());
                let open = blocking(move || embedders.open(&wanted)).await?.or_failure()?;
                self.meaning.keep_open(name, open.clone());
                Ok(open)
            }
            EmbedderChoice::Provider { provider, model } => {
                let record = self.models.record(provider)?;
                let access = self.models.access(&record, project, None).await?;
                self.core.world.embedders.connect(&record, model, access).or_failure()
            }
        }
    }

    async fn forget_vectors_but(&self, embedder: Option<String>) -> Result<(), Failure> {
        let vectors = self.core.stores()?.vectors;
        blocking(move || vectors.forget_others(embedder.as_deref())).await?.or_failure()
    }

    /// What holds: what the person chose or, until they do, the model that came with this program.
    pub(crate) fn meaning_settings(&self) -> Result<MeaningSettings, Failure> {
        let mut meaning = self.core.stores()?.records.settings().or_failure()?.meaning;
        if meaning.embedder.is_none() && !meaning.nobody {
            meaning.embedder = self.meaning.shipped(&*self.core.world.embedders);
        }
        Ok(meaning)
    }

    fn change_meaning(&self, mut how: impl FnMut(&mut MeaningSettings)) -> Result<(), Failure> {
        self.core.change_settings(|it| how(&mut it.meaning))?;
        self.meaning.set_halt(None);
        self.core.changed([Topic::Settings, Topic::Meaning]);
        Ok(())
    }

    /// Whether what is read stays on this computer.
    pub(crate) fn stays_home(&self, choice: &EmbedderChoice) -> bool {
        match choice {
            EmbedderChoice::Local { .. } => true,
            EmbedderChoice::Provider { provider, .. } => {
                let record = self.models.record(provider);
                record.is_ok_and(|record| self.core.world.embedders.is_home(&record))
            }
        }
    }

    /// What so many tokens cost, in billionths of a US dollar, when the price is known.
    fn vector_cost(&self, choice: &EmbedderChoice, tokens: u64) -> Result<Option<u64>, Failure> {
        let EmbedderChoice::Provider { provider, model } = choice else { return Ok(Some(0)) };
        let choice = DefaultModel { provider: provider.clone(), model: model.clone() };
        let usage = Usage { input_tokens: tokens, ..Usage::default() };
        Ok(self.models.tariff(&self.core.stores()?, &choice)?.map(|tariff| tariff.cost(&usage)))
    }
}

/// Tokens of pieces, estimated.
pub(crate) fn tokens_of(pieces: &[&str]) -> u64 {
    pieces.iter().map(|piece| estimate(piece)).sum()
}
