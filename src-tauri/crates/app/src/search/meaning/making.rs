//! The job that makes vectors: at most one in this process, which can be stopped and goes on where it was.

use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use siltstone_contract::{Code, DefaultModel, Failure, MeaningHalt, Topic};
use siltstone_engine::ids::ProjectId;
use siltstone_engine::meaning::{
    Compact, Embedded, Embedder, EmbedderChoice, Embedders, Embedding, Purpose, Unread, pieces,
};
use siltstone_engine::provider::ProviderError;
use siltstone_engine::spending::Aside;
use siltstone_engine::turn::Usage;
use tokio_util::sync::CancellationToken;

use super::tokens_of;
use crate::core::failure::{Outcome, fault_of};
use crate::core::{blocking, locked};
use crate::search::SearchService;

/// Messages that are looked up at a time.
const LOT: u32 = 64;

/// Of how many of the newest messages vectors are looked for when something was said; of all at every start.
const RECENT: u32 = 2_000;

/// Questions whose vectors are remembered: what is previewed is sent a moment later.
const REMEMBERED: usize = 16;

/// Between two words about how far it is.
const TOLD_EVERY: Duration = Duration::from_millis(300);

/// What is known of vectors in this process.
#[derive(Default)]
pub(crate) struct Meaning {
    job: Mutex<Option<Job>>,
    halt: Mutex<Option<MeaningHalt>>,
    open: Mutex<Option<(String, Arc<dyn Embedder>)>>,
    questions: Mutex<Vec<(String, String, Arc<Compact>)>>,
    /// The model that came with this program, once it was looked for.
    shipped: OnceLock<Option<EmbedderChoice>>,
    /// Whether this process stays, so that making vectors by itself is worth it.
    stays: std::sync::atomic::AtomicBool,
}

struct Job {
    stop: CancellationToken,
    ended: CancellationToken,
    /// Something was said since it began.
    again: bool,
    /// How many of the newest messages are looked at.
    newest: u32,
}

/// Tokens that a request took.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spent(u64);

impl Spent {
    /// As the server counted them, or as they were estimated.
    pub(super) fn of(made: &Embedded, estimated: u64) -> Self {
        Self(made.tokens.unwrap_or(estimated))
    }
}

impl Meaning {
    pub(super) fn is_running(&self) -> bool {
        locked(&self.job).is_some()
    }

    /// Whether vectors are made by themselves in this process.
    pub(super) fn stays(&self) -> bool {
        self.stays.load(std::sync::atomic::Ordering::Relaxed)
    }

    pub(super) fn halt(&self) -> Option<MeaningHalt> {
        locked(&self.halt).clone()
    }

    pub(super) fn set_halt(&self, halt: Option<MeaningHalt>) {
        *locked(&self.halt) = halt;
    }

    pub(super) fn shipped(&self, embedders: &dyn Embedders) -> Option<EmbedderChoice> {
        let found = self.shipped.get_or_init(|| {
            let shipped = embedders.local().into_iter().find(|it| it.shipped)?;
            Some(EmbedderChoice::Local { name: shipped.name })
        });
        found.clone()
    }

    pub(super) fn opened(&self, name: &str) -> Option<Arc<dyn Embedder>> {
        let open = locked(&self.open);
        open.as_ref().filter(|(open, _)| open == name).map(|(_, embedder)| embedder.clone())
    }

    pub(super) fn keep_open(&self, name: &str, embedder: Arc<dyn Embedder>) {
        *locked(&self.open) = Some((name.to_owned(), embedder));
    }

    pub(super) fn known(&self, choice: &EmbedderChoice, text: &str) -> Option<Arc<Compact>> {
        let id = choice.id();
        let questions = locked(&self.questions);
        let found = questions.iter().find(|(by, asked, _)| *by == id && asked == text);
        found.map(|(.., vector)| vector.clone())
    }

    pub(super) fn know(&self, choice: &EmbedderChoice, text: String, vector: Arc<Compact>) {
        let mut questions = locked(&self.questions);
        if questions.len() == REMEMBERED {
            questions.remove(0);
        }
        questions.push((choice.id(), text, vector));
    }

    /// Stops the job, if there is one, and waits for its end. What was opened or asked before is forgotten.
    pub(super) async fn end(&self) {
        let job = locked(&self.job).as_ref().map(|job| (job.stop.clone(), job.ended.clone()));
        if let Some((stop, ended)) = job {
            stop.cancel();
            ended.cancelled().await;
        }
        *locked(&self.open) = None;
        locked(&self.questions).clear();
    }

    /// Begins a job, unless there is one, which then looks once more.
    fn begin(&self, newest: u32) -> Option<CancellationToken> {
        let mut job = locked(&self.job);
        if let Some(job) = job.as_mut() {
            job.again = true;
            job.newest = job.newest.max(newest);
            return None;
        }
        let (stop, ended) = (CancellationToken::new(), CancellationToken::new());
        *job = Some(Job { stop: stop.clone(), ended, again: false, newest });
        Some(stop)
    }

    fn look_at_all(&self) {
        if let Some(job) = locked(&self.job).as_mut() {
            job.newest = u32::MAX;
        }
    }

    /// How many of the newest messages the job looks at.
    fn newest(&self) -> u32 {
        locked(&self.job).as_ref().map_or(0, |job| job.newest)
    }

    /// Ends the job; `false` when it has to look once more.
    fn done(&self, halt: Option<MeaningHalt>) -> bool {
        let mut job = locked(&self.job);
        if let Some(job) = job.as_mut()
            && std::mem::take(&mut job.again)
            && halt.is_none()
            && !job.stop.is_cancelled()
        {
            return false;
        }
        *locked(&self.halt) = halt;
        if let Some(job) = job.take() {
            job.ended.cancel();
        }
        true
    }
}

impl SearchService {
    /// From now on vectors are made by themselves of what is said.
    pub(crate) fn stay_for_meaning(&self) {
        self.meaning.stays.store(true, std::sync::atomic::Ordering::Relaxed);
        self.begin_vectors(u32::MAX);
    }

    /// Something was said: its vectors are made, where somebody makes them and this process stays.
    pub(crate) fn tend_meaning(&self) {
        if self.meaning.stays() && !matches!(self.meaning.halt(), Some(MeaningHalt::Limit)) {
            self.begin_vectors(RECENT);
        }
    }

    /// Makes the vectors that are missing of the newest so many messages, in the background.
    pub(super) fn begin_vectors(&self, newest: u32) {
        let wanted = self.meaning_settings().is_ok_and(|it| it.embedder.is_some() && !it.stopped);
        if !wanted || tokio::runtime::Handle::try_current().is_err() {
            return;
        }
        let Some(stop) = self.meaning.begin(newest) else { return };
        self.core.changed([Topic::Meaning]);
        let this = self.clone();
        tokio::spawn(async move {
            loop {
                let halt = match this.make_vectors(&stop).await {
                    Ok(halt) => halt,
                    Err(failure) if failure.code == Code::LimitReached => Some(MeaningHalt::Limit),
                    Err(failure) => Some(MeaningHalt::Fault { fault: fault_of(&failure) }),
                };
                if this.meaning.done(halt) {
                    break;
                }
            }
            this.core.changed([Topic::Meaning]);
        });
    }

    async fn make_vectors(&self, stop: &CancellationToken) -> Result<Option<MeaningHalt>, Failure> {
        let (mut before, mut read) = (i64::MAX, 0);
        let mut told: Option<Instant> = None;
        loop {
            let settings = self.meaning_settings()?;
            let Some(choice) = settings.embedder.filter(|_| !settings.stopped) else {
                return Ok(None);
            };
            if stop.is_cancelled() {
                return Ok(None);
            }
            let (vectors, id) = (self.core.stores()?.vectors, choice.id());
            let away = !self.stays_home(&choice);
            let newest = self.meaning.newest();
            let unread = blocking(move || vectors.unread(&id, before, away, newest, LOT)).await?;
            let unread = unread.or_failure()?;
            let Some(last) = unread.last() else {
                self.read_memory(&choice, stop).await?;
                return Ok(None);
            };
            before = last.seq;
            read += unread.len() as u32;
            if read > RECENT / 2 {
                // So much is new that it may not have ended there: something was imported.
                self.meaning.look_at_all();
            }
            // What may be sent where is a matter of the project.
            for lot in unread.chunk_by(|one, other| one.project_id == other.project_id) {
                tokio::select! {
                    biased;
                    () = stop.cancelled() => return Ok(None),
                    made = self.read_lot(&choice, lot) => made?,
                }
            }
            if told.is_none_or(|told| told.elapsed() > TOLD_EVERY) {
                told = Some(Instant::now());
                self.core.changed([Topic::Meaning]);
            }
        }
    }

    /// Makes the vectors of messages of one project.
    async fn read_lot(&self, choice: &EmbedderChoice, lot: &[Unread]) -> Result<(), Failure> {
        let project: Option<ProjectId> = lot.first().and_then(|it| it.project_id);
        let embedder = self.embedder(choice, project).await?;
        let cleaner = self.privacy.strict_cleaner();
        // Cleaned before it is cut: half a key is not recognised.
        let clean: Vec<String> = lot.iter().map(|it| cleaner.text(&it.text).into_owned()).collect();
        let cut: Vec<Vec<&str>> = clean.iter().map(|text| pieces(text)).collect();
        let mut begin = 0;
        while begin < cut.len() {
            let mut end = begin + 1;
            let mut texts = cut[begin].len();
            while end < cut.len() && texts + cut[end].len() <= embedder.at_once() {
                texts += cut[end].len();
                end += 1;
            }
            self.read_some(choice, &*embedder, &lot[begin..end], &cut[begin..end]).await?;
            begin = end;
        }
        Ok(())
    }

    async fn read_some(
        &self,
        choice: &EmbedderChoice,
        embedder: &dyn Embedder,
        messages: &[Unread],
        cut: &[Vec<&str>],
    ) -> Result<(), Failure> {
        let texts: Vec<&str> = cut.concat();
        let mut vectors = Vec::with_capacity(texts.len());
        let mut spent = 0;
        for texts in texts.chunks(embedder.at_once()) {
            let estimated = tokens_of(texts);
            self.may_send(choice, estimated)?;
            let asked = texts.iter().map(|text| (*text).to_owned()).collect();
            let began = Instant::now();
            let made = embedder.embed(asked, Purpose::Passage).await.or_failure()?;
            if self.meaning.stays() && matches!(choice, EmbedderChoice::Local { .. }) {
                // Nobody waits for it: half of a core at most is taken from who works beside it.
                tokio::time::sleep(began.elapsed()).await;
            }
            if made.vectors.len() != texts.len() {
                let (had, wanted) = (made.vectors.len(), texts.len());
                let detail = format!("{had} vectors for {wanted} texts");
                return Err(ProviderError::Malformed { detail }).or_failure();
            }
            let Spent(tokens) = Spent::of(&made, estimated);
            spent += tokens;
            vectors.extend(made.vectors.iter().map(|vector| Compact::of(vector)));
        }
        let mut vectors = vectors.into_iter();
        let read: Vec<Embedding> = messages
            .iter()
            .zip(cut)
            .map(|(message, pieces)| Embedding {
                id: message.id,
                vectors: vectors.by_ref().take(pieces.len()).collect(),
            })
            .collect();
        self.spent(choice, Spent(spent), &read)
    }

    /// Refuses to send so many tokens to another computer beyond what the person and the month let go.
    pub(super) fn may_send(&self, choice: &EmbedderChoice, tokens: u64) -> Result<(), Failure> {
        let EmbedderChoice::Provider { provider, model } = choice else { return Ok(()) };
        if self.stays_home(choice) {
            return Ok(());
        }
        let stores = self.core.stores()?;
        let most = self.meaning_settings()?.most_tokens.unwrap_or(0);
        let spent = stores.vectors.tokens(&choice.id()).or_failure()?;
        if spent.saturating_add(tokens) > most {
            let message = format!("{spent} of {most} tokens were sent for vectors");
            return Err(Failure::new(Code::LimitReached, message));
        }
        let model = DefaultModel { provider: provider.clone(), model: model.clone() };
        self.models.within_limit(&stores, &model)
    }

    /// Keeps vectors with what they took, which counts against the month.
    pub(super) fn spent(
        &self,
        choice: &EmbedderChoice,
        Spent(tokens): Spent,
        read: &[Embedding],
    ) -> Result<(), Failure> {
        let stores = self.core.stores()?;
        let away = !self.stays_home(choice);
        if let EmbedderChoice::Provider { provider, model } = choice
            && away
            && tokens > 0
        {
            let usage = Usage { input_tokens: tokens, ..Usage::default() };
            let cost = self.vector_cost(choice, tokens)?;
            let (provider, model) = (provider.clone(), model.clone());
            let aside = Aside { at: self.core.now(), provider, model, usage, cost };
            stores.spending.note_aside(&aside).or_failure()?;
        }
        let counted = if away { tokens } else { 0 };
        if counted > 0 || !read.is_empty() {
            stores.vectors.keep(&choice.id(), read, counted).or_failure()?;
        }
        Ok(())
    }
}
