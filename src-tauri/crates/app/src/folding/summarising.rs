//! Making summaries: in tasks of their own, beside the turns, so that a conversation is usable all along.
//!
//! The record is stored before anything is asked, so the database refuses a second one; what comes of it is stored
//! together with its status. A job goes on while something is due and what was due is made. What failed is tried again
//! after the next reply.

use siltstone_contract::{Code, DefaultModel, Failure, Topic};
use siltstone_engine::context::TaskKind;
use siltstone_engine::conversation::Conversation;
use siltstone_engine::ids::{ConversationId, SummaryId};
use siltstone_engine::keys::on_this_computer;
use siltstone_engine::message::Message;
use siltstone_engine::ports::{StoreError, Stores};
use siltstone_engine::prompt;
use siltstone_engine::provider::ProviderKind;
use siltstone_engine::summary::{
    self, Ask, Coverage, Draft, Moment, Occasion, Policy, Rate, Record, TURN_WAIT, Terms, Written,
    cheapest, kept_block, to_discard,
};
use siltstone_engine::tokens::estimate;
use siltstone_engine::turn::{TurnFault, Usage};
use tokio_util::sync::CancellationToken;

use crate::core::failure::{Outcome, conflict, fault_of, of_fault, of_store};
use crate::core::{blocking, locked, unbroken};
use crate::folding::FoldingService;
use crate::folding::folds::{Folds, language_in, next_version};
use crate::folding::jobs::Begun;
use crate::models::asides::{Answer, Writer};

/// Tokens of material that are read at once where no model reads them.
const ROOM_OFFLINE: u64 = 64_000;

/// Summaries that one reply makes at most: a long history that was never summarised is worked off in steps, so that no
/// single reply costs more than the person would think.
const MOST_AT_ONCE: usize = 4;

/// What a job does.
pub(crate) enum Task {
    /// Whatever is due.
    Due(Moment),
    /// Whatever can be summarised, due or not.
    All,
    /// This one, and then whatever is due.
    One(Box<Draft>, Option<Writer>),
}

impl FoldingService {
    /// Begins a job in the background; one that is there already looks once more before it ends.
    pub(crate) fn summarise(&self, id: ConversationId, task: Task) {
        let Begun::Here(stop) = self.jobs.begin(id) else { return };
        let this = self.clone();
        tokio::spawn(async move {
            let mut task = task;
            loop {
                let worked = unbroken(this.work(id, task, &stop)).await;
                if let Err(failure) = worked.flatten() {
                    tracing::warn!(%failure, "summarising");
                    this.jobs.fail(id, failure);
                }
                if this.jobs.end(id) {
                    break;
                }
                task = Task::Due(Moment::TurnClosed);
            }
        });
    }

    /// Waits until no summary of a conversation is being made here: for hosts that end when they are done.
    pub async fn summaries_settled(&self, id: ConversationId) {
        while let Some(ended) = self.jobs.ended(id) {
            ended.cancelled().await;
        }
    }

    /// The same, and what kept the job from its work where it could store nothing: a summary that failed is a record.
    pub async fn summaries_made(&self, id: ConversationId) -> Result<(), Failure> {
        self.summaries_settled(id).await;
        self.jobs.failure(id).map_or(Ok(()), Err)
    }

    /// Before a question is sent: a segment that was made with another rate is discarded, and one that is not ready is
    /// waited for, but not for ever. `place` is the question's.
    pub(crate) async fn summarise_before_turn(
        &self,
        conversation: &Conversation,
        choice: &DefaultModel,
        place: u64,
    ) -> Result<(), Failure> {
        let stores = self.core.stores()?;
        let folds = self.folds(&stores, conversation, choice)?;
        if folds.settings.policy != Policy::Segments || !folds.settings.enabled {
            return Ok(());
        }
        let rate = folds.settings.rate;
        if let Some(id) = to_discard(&folds.overlay(), place, rate) {
            stores.summaries.discard_summary(id).or_failure()?;
        }
        let id = conversation.id;
        let ready = async {
            self.summaries_settled(id).await;
            self.summarise(id, Task::Due(Moment::TurnOpens));
            self.summaries_settled(id).await;
        };
        // Late: its turns are sent whole.
        let _ = tokio::time::timeout(TURN_WAIT, ready).await;
        Ok(())
    }

    async fn work(
        &self,
        id: ConversationId,
        task: Task,
        stop: &CancellationToken,
    ) -> Result<(), Failure> {
        let (moment, all) = match task {
            Task::Due(moment) => (moment, false),
            Task::All => (Moment::TurnClosed, true),
            Task::One(draft, writer) => {
                if !self.carry_out(*draft, writer.as_ref(), stop, true).await? {
                    return Ok(());
                }
                (Moment::TurnClosed, false)
            }
        };
        let mut occasion = Occasion::of(moment);
        let mut made = 0;
        while (all || made < MOST_AT_ONCE)
            && let Some((draft, writer)) = self.due(id, occasion.moment(), all).await?
        {
            let begun = draft.record.clone();
            if self.carry_out(draft, writer.as_ref(), stop, all).await? {
                occasion.made();
                made += 1;
            } else if stop.is_cancelled() || !occasion.goes_on_without(&begun) {
                break;
            }
        }
        Ok(())
    }

    /// What can be summarised, due or not; that nothing can, or may, is the person's to know.
    pub(crate) async fn due_at_once(
        &self,
        id: ConversationId,
    ) -> Result<(Draft, Option<Writer>), Failure> {
        let due = self.due(id, Moment::TurnClosed, true).await?;
        due.ok_or_else(|| Failure::new(Code::NothingToFold, "nothing can be folded now"))
    }

    /// What to summarise now, and by whom.
    pub(crate) async fn due(
        &self,
        id: ConversationId,
        moment: Moment,
        all: bool,
    ) -> Result<Option<(Draft, Option<Writer>)>, Failure> {
        let Some((conversation, folds)) = self.foldable(id).await? else { return Ok(None) };
        let writer = self.writer(&conversation, folds.settings.model.as_deref()).await?;
        if let Some(writer) = &writer
            && let Err(reached) = self.models.within_limit(&self.core.stores()?, &writer.choice)
        {
            return if all { Err(reached) } else { Ok(None) };
        }
        if all && folds.settings.strict && writer.is_none() {
            return Err(Failure::new(Code::ModelNeeded, "no model can be asked to summarise"));
        }
        let draft = self.drafted(&conversation, folds, writer.as_ref(), moment, all).await?;
        let Some(draft) = draft else { return Ok(None) };
        if !all && conversation.folding.policy.is_none() {
            self.ask_about_policy()?;
        }
        Ok(Some((draft, writer)))
    }

    /// A conversation with its folds, if it is told with any.
    pub(super) async fn foldable(
        &self,
        id: ConversationId,
    ) -> Result<Option<(Conversation, Folds)>, Failure> {
        let stores = self.core.stores()?;
        let conversation = stores.transcripts.conversation(id).or_failure()?;
        let choice = self.models.choice_for(&conversation)?;
        // When a fold is due goes by its window.
        self.models.model_of(&choice).await;
        let folds = self.folds(&stores, &conversation, &choice)?;
        let told = folds.summarises() && conversation.deleted_at.is_none();
        Ok(told.then_some((conversation, folds)))
    }

    /// A draft of what is to be summarised now, for this writer to read.
    pub(super) async fn drafted(
        &self,
        conversation: &Conversation,
        mut folds: Folds,
        writer: Option<&Writer>,
        moment: Moment,
        all: bool,
    ) -> Result<Option<Draft>, Failure> {
        let stores = self.core.stores()?;
        let choice = self.models.choice_for(conversation)?;
        let budget = prompt::budget_of(self.models.model_of(&choice).await.window());
        let room = room_of(writer);
        let mut rest = folds.rest(&stores, conversation.id, room)?;
        self.privacy.clean_all(&mut rest);
        if all {
            folds.settings.threshold = 0;
            folds.newest = folds.newest.at_once();
            rest = folds.first_segment(rest);
        }
        let language = self.core.language();
        let draft = summary::due(
            moment,
            &folds.overlay(),
            &rest,
            &Terms {
                settings: &folds.settings,
                newest: folds.newest,
                language: language_in(&rest, &language),
                count: &|message| folds.count(message),
                text: &|text| folds.calibration.correct(estimate(text)),
                budget,
                room,
                connected: writer.is_some(),
            },
            self.core.now(),
        );
        let Some(mut draft) = draft else { return Ok(None) };
        draft.record.version = next_version(&stores, &draft.record)?;
        Ok(Some(draft))
    }

    /// The first fold is due: from now on hosts show what may stand for earlier messages, until the person chose.
    fn ask_about_policy(&self) -> Result<(), Failure> {
        // Asked once for all; without this look every fold would write.
        if self.core.stores()?.records.settings().or_failure()?.summary.asking().is_some() {
            self.core.change_settings(|it| {
                if let Some(asking) = it.summary.asking() {
                    it.summary = asking;
                }
            })?;
            self.core.changed([Topic::Settings]);
        }
        Ok(())
    }

    /// The model that summarises where this one is asked: the one that is chosen for summaries, the settings' own of the
    /// conversation's provider, the same one on this computer, else the maker's small one. `None` where none can be
    /// asked; what is asked nobody is not sent to another one either.
    async fn writer(
        &self,
        conversation: &Conversation,
        wanted: Option<&str>,
    ) -> Result<Option<Writer>, Failure> {
        let choice = self.models.choice_for(conversation)?;
        let record = self.models.record(&choice.provider)?;
        if !self.models.can_be_asked(&record)? {
            return Ok(None);
        }
        if let Some(chosen) = self.models.chosen_for(TaskKind::Summarise)? {
            return self.models.writer_of(chosen, conversation.project_id).await;
        }
        let here = record.kind == ProviderKind::Ollama || on_this_computer(&record.base_url);
        let own = self.models.model_of(&choice).await.id;
        let model = match wanted {
            Some(model) => model.to_owned(),
            None if here => own,
            None => {
                let all = locked(&self.models.told);
                let offered = all.keys().filter(|(name, _)| *name == choice.provider);
                cheapest(offered.map(|(_, model)| model.as_str()), &own).to_owned()
            }
        };
        let choice = DefaultModel { provider: choice.provider.clone(), model };
        self.models.writer_of(choice, conversation.project_id).await
    }

    /// Makes a summary, from its record in progress to its end; whether it is there then. Who asked for it hears that
    /// another process makes one.
    async fn carry_out(
        &self,
        mut draft: Draft,
        writer: Option<&Writer>,
        stop: &CancellationToken,
        asked: bool,
    ) -> Result<bool, Failure> {
        let stores = self.core.stores()?;
        let (id, basis) = (draft.record.conversation_id, draft.basis.clone());
        if let Some(writer) = writer {
            // Counts even if this process does not see the end.
            let sent = Usage { input_tokens: estimate(&draft.ask().prompt), ..Usage::default() };
            self.note_spent(&mut draft.record, writer, &[sent]);
        }
        let provider = writer.map(Writer::provider);
        match stores.summaries.begin_summary(&draft.record, provider) {
            // Another process makes one.
            Err(StoreError::Conflict { .. }) if !asked => return Ok(false),
            begun => begun.or_failure()?,
        }
        self.core.conversation_changed(id);
        let begun = draft.record.clone();
        let mut record = unbroken(self.written(draft, writer, stop))
            .await
            .unwrap_or_else(|failure| begun.failed(fault_of(&failure), self.core.now()));
        if record.is_completed() && !self.still_follows(&stores, &record, &basis)? {
            record = record.failed(superseded(), self.core.now());
        }
        let stored = stores.summaries.finish_summary(&record);
        self.core.conversation_changed(id);
        match stored {
            // The conversation was deleted for ever.
            Err(StoreError::Conflict { .. }) => Ok(false),
            stored => stored.map(|()| record.is_completed()).map_err(of_store),
        }
    }

    /// Asks for all parts and for the whole, or chooses sentences where nobody can be asked.
    pub(crate) async fn written(
        &self,
        mut draft: Draft,
        writer: Option<&Writer>,
        stop: &CancellationToken,
    ) -> Record {
        let Some(writer) = writer else {
            let (record, now) = (draft.record.clone(), self.core.now());
            let made = match blocking(move || draft.extract(now)).await {
                Ok(made) => self.weighed(made).await,
                Err(failure) => Err(failure),
            };
            return made.unwrap_or_else(|failure| record.failed(fault_of(&failure), now));
        };
        let mut spent = Vec::new();
        // What was made of an answer that was cut is better than nothing.
        let mut made_cut = None;
        loop {
            let is_part = draft.parts_left() > 0;
            let id = draft.record.conversation_id;
            let Answer { text, usage, fault, cut, .. } =
                self.answer(id, writer, draft.ask(), stop).await;
            spent.extend(usage);
            self.note_spent(&mut draft.record, writer, &spent);
            match fault {
                Some(fault) => return draft.fail(&fault.code, &fault.message, self.core.now()),
                None if is_part => draft.hear(&text, cut),
                None => {
                    let Record { usage, cost, .. } = draft.record;
                    let model = writer.choice.model.clone();
                    let written = Written { model, usage, cost, cut };
                    let made = draft.clone().finish(&text, written, self.core.now());
                    let made = match self.weighed(made).await {
                        Ok(made) => made,
                        Err(failure) => {
                            return draft.record.failed(fault_of(&failure), self.core.now());
                        }
                    };
                    let facts = kept_block(&made.receipt.kept, draft.language());
                    if !draft.refuse(&made, &facts.unwrap_or_default()) {
                        let whole = made.is_completed();
                        let before = made_cut.filter(|_| !whole);
                        return before.map_or(made, |it| Record { usage, cost, ..it });
                    }
                    made_cut = Some(made).filter(Record::is_completed);
                }
            }
        }
    }

    async fn answer(
        &self,
        id: ConversationId,
        writer: &Writer,
        ask: Ask,
        stop: &CancellationToken,
    ) -> Answer {
        self.jobs.write(id, None);
        self.models.answer_beside(writer, ask, stop, &|more| self.jobs.write(id, Some(more))).await
    }

    fn note_spent(&self, record: &mut Record, writer: &Writer, spent: &[Usage]) {
        let tariff =
            self.core.stores().and_then(|stores| self.models.tariff(&stores, &writer.choice));
        let tariff = tariff.unwrap_or_default();
        record.model = Some(writer.choice.model.clone());
        record.usage = spent.iter().copied().reduce(|sum, usage| Usage {
            input_tokens: sum.input_tokens + usage.input_tokens,
            output_tokens: sum.output_tokens + usage.output_tokens,
            cached_input_tokens: sum.cached_input_tokens + usage.cached_input_tokens,
            cache_write_tokens: sum.cache_write_tokens + usage.cache_write_tokens,
            exact: sum.exact && usage.exact,
        });
        record.cost = tariff.map(|tariff| spent.iter().map(|usage| tariff.cost(usage)).sum());
    }

    /// Whether the summaries that a new one was built on still hold. On a path that is not shown they are not looked at:
    /// there the new one holds where they do.
    fn still_follows(
        &self,
        stores: &Stores,
        record: &Record,
        basis: &[SummaryId],
    ) -> Result<bool, Failure> {
        let conversation = stores.transcripts.conversation(record.conversation_id).or_failure()?;
        let choice = self.models.choice_for(&conversation)?;
        let folds = self.folds(stores, &conversation, &choice)?;
        Ok(!folds.is_on_path(record) || folds.overlay().is_built_of(basis))
    }

    /// A draft for what a summary stands for already, and who writes it.
    pub(crate) async fn redraft(
        &self,
        record: &Record,
        rate: Option<Rate>,
    ) -> Result<(Draft, Option<Writer>), Failure> {
        let stores = self.core.stores()?;
        let id = record.conversation_id;
        let conversation = stores.transcripts.conversation(id).or_failure()?;
        let choice = self.models.choice_for(&conversation)?;
        let mut folds = self.folds(&stores, &conversation, &choice)?;
        folds.find(&stores, std::slice::from_ref(record))?;
        if !folds.is_on_path(record) {
            return Err(conflict("the messages of this summary are on another branch"));
        }
        let writer = self.writer(&conversation, folds.settings.model.as_deref()).await?;
        if let Some(writer) = &writer {
            self.models.within_limit(&stores, &writer.choice)?;
        }
        let Coverage { start, count, .. } = record.coverage;
        let page = stores.transcripts.page(id, Some(start), count).or_failure()?;
        let mut messages: Vec<Message> = page.messages.into_iter().map(|it| it.message).collect();
        self.privacy.clean_all(&mut messages);
        let (language, room) = (self.core.language(), room_of(writer.as_ref()));
        let terms = Terms {
            settings: &folds.settings,
            newest: folds.newest,
            language: language_in(&messages, &language),
            count: &|message| folds.count(message),
            text: &|text| folds.calibration.correct(estimate(text)),
            budget: room,
            room,
            connected: writer.is_some(),
        };
        let rate = rate.unwrap_or(folds.settings.rate);
        let draft =
            Draft::again(record, &messages, rate, &folds.overlay(), &terms, self.core.now());
        let mut draft = draft.ok_or_else(|| conflict("this summary stands for no message"))?;
        draft.record.version = next_version(&stores, &draft.record)?;
        Ok((draft, writer))
    }

    /// A summary that stands for nothing; what was paid for it is kept, also when it failed.
    pub(crate) async fn candidate(
        &self,
        draft: Draft,
        writer: Option<&Writer>,
        stop: &CancellationToken,
    ) -> Result<Record, Failure> {
        let made = self.written(draft, writer, stop).await;
        let provider = writer.map(Writer::provider);
        self.core.stores()?.summaries.put_candidate(&made, provider).or_failure()?;
        match made.fault {
            None => Ok(made),
            Some(fault) => Err(of_fault(fault)),
        }
    }
}

fn superseded() -> TurnFault {
    TurnFault { code: "superseded".into(), message: "other summaries hold by now".into() }
}

fn room_of(writer: Option<&Writer>) -> u64 {
    writer.map_or(ROOM_OFFLINE, |writer| writer.room)
}
