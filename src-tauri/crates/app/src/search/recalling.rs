//! Recalling what was said: the passages that may go with what is asked, out of the conversation and the others of its
//! project, or out of all of a project for an agent that asks from outside; those of kept sessions of agents `sessions` adds. The engine weighs them and chooses; here they
//! are looked for and read.
//!
//! What the newest fold has just told in other words is not looked for: it would stand there twice.
//!
//! What was found for a text is remembered, because a request is composed at every pause in typing and at every step of
//! a turn. What is shown of it is read anew each time: what was deleted, put into the trash, moved to another project or
//! left for another branch since does not go.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;
use std::sync::{Arc, Mutex};

use siltstone_contract::Failure;
use siltstone_engine::conversation::Conversation;
use siltstone_engine::ids::{ConversationId, MessageId, ProjectId};
use siltstone_engine::meaning::{Near, stands_out};
use siltstone_engine::message::{Message, MessageStatus, Role, asked_of, words_of};
use siltstone_engine::ports::{StoreError, Stores};
use siltstone_engine::recall::{
    Candidate, Candidates, Of, Otherwise, Part, Reads, RecallScope, Recollection, Scope, Standing,
    Weighed, concerning, cut, phrases, says_changed, standing, values_of, weigh,
};
use siltstone_engine::search::Phrase;
use siltstone_engine::section::PassageOf;
use siltstone_engine::summary::SummarySettings;
use siltstone_engine::{Date, TimeZone, Timestamp};

use crate::core::failure::{Outcome, of_store};
use crate::core::{blocking, locked};
use crate::folding::folds::Folds;
use crate::search::SearchService;

/// Messages that the index is asked for.
pub(super) const CANDIDATES: u32 = 120;
/// Messages with values of the best hits, which are asked whether those changed.
const CHANGES: u32 = 24;
/// Hits of which the messages are read.
pub(super) const READ: usize = 24;
/// Messages that say what holds from then on, of which the newest are read.
const STANDING: u32 = 32;
/// Searches that are remembered.
const KNOWN: usize = 8;
/// Messages that are read because they stand out in meaning, whatever words they have.
const NAMED: usize = 60;
/// Characters of a text that are looked for: what follows tells nothing new.
const ASKED: usize = 4_000;

/// A stretch of a message that was found, and the one of another that goes with it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    pub(super) message_id: MessageId,
    /// Which of its stretches, in order.
    pub(super) stretch: usize,
    pub(super) worth: u32,
    pub(super) by_meaning: bool,
    pub(super) score: i32,
    pub(super) beside: Option<(MessageId, usize)>,
    /// The newest that says otherwise, and its day.
    pub(super) otherwise: Option<(MessageId, usize, Date)>,
}

impl Hit {
    /// What goes without being found by itself.
    fn along((message_id, stretch): (MessageId, usize)) -> Self {
        Self {
            message_id,
            stretch,
            worth: 0,
            by_meaning: false,
            score: i32::MIN,
            beside: None,
            otherwise: None,
        }
    }
}

/// Everything that hits depend on, as far as one process knows.
#[derive(Clone, Debug, PartialEq)]
struct Key {
    scope: Scope,
    asked: String,
    end: u64,
    told: Range<u64>,
    today: Date,
    near: Vec<Near>,
}

/// Everything that the messages with these values depend on, which branch is shown left aside.
#[derive(Clone, Debug, PartialEq)]
struct Valued {
    scope: Scope,
    values: Vec<Phrase>,
    /// Messages within the scope: one more or less, and the index is asked again.
    all: u64,
}

/// What was found for the last few texts and values, and how what it was found in reads.
#[derive(Default)]
pub(crate) struct Recalling {
    known: Mutex<VecDeque<(Key, Arc<Vec<Hit>>)>>,
    changes: Mutex<VecDeque<(Valued, Arc<Vec<Candidate>>)>>,
    pub(super) reads: Reads,
}

/// As much of a text as is looked for.
pub(crate) fn looked_for(text: &str) -> String {
    text.trim().chars().take(ASKED).collect()
}

impl Recalling {
    fn known(&self, key: &Key) -> Option<Arc<Vec<Hit>>> {
        locked(&self.known).iter().find(|(known, _)| known == key).map(|(_, hits)| hits.clone())
    }

    fn keep(&self, key: Key, hits: Arc<Vec<Hit>>) {
        let mut known = locked(&self.known);
        known.push_front((key, hits));
        known.truncate(KNOWN);
    }
}

/// What is read to show hits.
struct Ground<'a> {
    stores: &'a Stores,
    /// The one that is asked in, if it is asked in one of ours.
    conversation: Option<&'a Conversation>,
    scope: Scope,
    /// Place of the first message that is not earlier than what is asked.
    end: u64,
    /// Places of recent messages that the newest fold tells.
    told: Range<u64>,
    /// Nothing of an earlier day is looked for.
    since: Option<Date>,
    asked: &'a str,
    /// Stretches that are near to it in meaning, the nearest first.
    near: Vec<Near>,
    /// Other conversations; `None` for those that nothing may come from.
    others: HashMap<ConversationId, Option<Conversation>>,
}

impl SearchService {
    /// The passages that may go with `asked`, best first, and those that are pinned; none where nothing is recalled.
    /// `end` is the place on the shown path from which on nothing is earlier; `sending` says that the text is about to
    /// leave and not still being written.
    pub(crate) async fn recalled(
        &self,
        conversation: &Conversation,
        folds: &Folds,
        asked: &str,
        end: u64,
        sending: bool,
    ) -> Result<Vec<Recollection>, Failure> {
        let settings = &folds.settings;
        if !settings.recalls() {
            return Ok(Vec::new());
        }
        let told = folds.newly_folded(end);
        let project_id = match self.may_recall_others(conversation, settings)? {
            Some(true) => conversation.project_id,
            _ => None,
        };
        let mut found =
            self.recalled_within(conversation, project_id, asked, end, told, sending).await?;
        for it in self.recalled_of_sessions(conversation, settings, asked).await? {
            // A session that goes on here says the same.
            if found.iter().all(|known| known.text != it.text) {
                found.push(it);
            }
        }
        found.sort_by_key(|it| std::cmp::Reverse(it.worth));
        Ok(found)
    }

    /// The passages that might go with `asked` if those of other conversations might, while the person did not say
    /// whether they may; none where none of those is worth it, or pinned since they might for a while.
    pub(crate) async fn found_in_others(
        &self,
        conversation: &Conversation,
        folds: &Folds,
        asked: &str,
        end: u64,
    ) -> Result<Vec<Recollection>, Failure> {
        let settings = &folds.settings;
        let unasked = self.may_recall_others(conversation, settings)?.is_none();
        if !unasked || !settings.recalls() || conversation.project_id.is_none() {
            return Ok(Vec::new());
        }
        let project = conversation.project_id;
        let told = folds.newly_folded(end);
        let found = self.recalled_within(conversation, project, asked, end, told, false).await?;
        let pinned: Vec<PassageOf> = conversation.wishes.pinned_passages().collect();
        let goes = |it: &Recollection| it.is_worth_it() || pinned.contains(&it.of);
        let any = found.iter().any(|it| !it.own && goes(it));
        Ok(if any { found } else { Vec::new() })
    }

    /// Whether passages of other conversations may go; `None` until the person said so for the project.
    fn may_recall_others(
        &self,
        conversation: &Conversation,
        settings: &SummarySettings,
    ) -> Result<Option<bool>, Failure> {
        let Some(project) = conversation.project_id else { return Ok(Some(false)) };
        if settings.recall.scope == RecallScope::Conversation {
            return Ok(Some(false));
        }
        self.others_allowed(project)
    }

    /// What the person said of a project's other conversations.
    pub(crate) fn others_allowed(&self, project: ProjectId) -> Result<Option<bool>, Failure> {
        let settings = self.core.stores()?.records.settings().or_failure()?;
        Ok(settings.recall_others.get(&project).copied())
    }

    async fn recalled_within(
        &self,
        conversation: &Conversation,
        project_id: Option<ProjectId>,
        asked: &str,
        end: u64,
        told: Range<u64>,
        sending: bool,
    ) -> Result<Vec<Recollection>, Failure> {
        let scope = Scope { conversation_id: Some(conversation.id), project_id };
        let (this, stores, conversation) =
            (self.clone(), self.core.stores()?, conversation.clone());
        let asked = looked_for(asked);
        let near = self.near(&asked, scope, sending).await;
        blocking(move || {
            let mut ground = Ground {
                stores: &stores,
                conversation: Some(&conversation),
                scope,
                end,
                told,
                since: None,
                asked: &asked,
                near,
                others: HashMap::new(),
            };
            this.recollections(&mut ground)
        })
        .await?
    }

    /// The passages of all conversations of a project that may answer who asks from outside of them, best first, without
    /// secrets whatever the person wants of their own requests. No embedder at another address is asked.
    pub(crate) async fn recalled_outside(
        &self,
        project: ProjectId,
        asked: &str,
        since: Option<Date>,
    ) -> Result<Vec<Recollection>, Failure> {
        let scope = Scope { conversation_id: None, project_id: Some(project) };
        let (this, stores) = (self.clone(), self.core.stores()?);
        let asked = looked_for(asked);
        let near = self.near(&asked, scope, false).await;
        blocking(move || {
            let mut ground = Ground {
                stores: &stores,
                conversation: None,
                scope,
                end: 0,
                told: 0..0,
                since,
                asked: &asked,
                near,
                others: HashMap::new(),
            };
            this.recollections(&mut ground)
        })
        .await?
    }

    fn recollections(&self, ground: &mut Ground<'_>) -> Result<Vec<Recollection>, Failure> {
        let mut found: Vec<Recollection> = Vec::new();
        let hits = self.hits(ground)?;
        let mut messages: HashSet<MessageId> = HashSet::new();
        let read = hits.iter().filter(|hit| {
            messages.contains(&hit.message_id)
                || (messages.len() < READ && messages.insert(hit.message_id))
        });
        let wanted = read.flat_map(|hit| {
            let newer = hit.otherwise.map(|(id, stretch, _)| Hit::along((id, stretch)));
            [Some(*hit), hit.beside.map(Hit::along), newer].into_iter().flatten()
        });
        let pinned = ground.conversation.into_iter().flat_map(|it| it.wishes.pinned_passages());
        let pinned = pinned.filter_map(|of| of.message());
        for hit in wanted.chain(pinned.map(|id| Hit::along((id, 0)))) {
            match found.iter_mut().find(|it| it.of.message() == Some(hit.message_id)) {
                Some(known) => add(known, hit),
                None => {
                    let mut read = self.recollection(ground, hit.message_id)?;
                    read.iter_mut().for_each(|it| add(it, hit));
                    found.extend(read);
                }
            }
        }
        // What says otherwise may be gone since it was found.
        let there: HashSet<PassageOf> = found.iter().map(|it| it.of.clone()).collect();
        for part in found.iter_mut().flat_map(|it| &mut it.parts) {
            part.otherwise.take_if(|newer| !there.contains(&newer.of));
        }
        self.add_standing(ground, &mut found)?;
        found.sort_by_key(|it| std::cmp::Reverse(it.worth));
        Ok(found)
    }

    /// Adds what the person said in this conversation to hold from then on, and says what of it concerns the question.
    fn add_standing(
        &self,
        ground: &mut Ground<'_>,
        found: &mut Vec<Recollection>,
    ) -> Result<(), Failure> {
        let Some(conversation) = ground.conversation else { return Ok(()) };
        for id in ground.stores.finder.standing(conversation.id, STANDING).or_failure()? {
            if found.iter().all(|it| it.of.message() != Some(id)) {
                found.extend(self.recollection(ground, id)?);
            }
        }
        let said = |(at, it): (usize, &'_ Recollection)| -> Vec<(usize, String)> {
            let bytes = it.standing.iter().flat_map(|wanted| &wanted.bytes);
            bytes.map(|bytes| (at, it.text[bytes.clone()].to_owned())).collect()
        };
        let said: Vec<(usize, String)> = found.iter().enumerate().flat_map(said).collect();
        let texts: Vec<&str> = said.iter().map(|(_, text)| text.as_str()).collect();
        for ((at, _), concerns) in said.iter().zip(concerning(ground.asked, &texts)) {
            if let Some(wanted) = &mut found[*at].standing {
                wanted.concerns |= concerns;
            }
        }
        Ok(())
    }

    /// What the index finds, weighed.
    fn hits(&self, ground: &Ground<'_>) -> Result<Arc<Vec<Hit>>, Failure> {
        let wanted = phrases(ground.asked);
        if wanted.is_empty() {
            return Ok(Arc::default());
        }
        let zone = TimeZone::system();
        let day = |at: Timestamp| zone.to_datetime(at).date();
        let today = day(self.core.now());
        let (scope, end, since) = (ground.scope, ground.end, ground.since);
        let near = ground.near.clone();
        let (asked, told) = (ground.asked.to_owned(), ground.told.clone());
        let key = Key { scope, asked, end, told, today, near };
        // Who asks from outside asks again when something new was said, of which nothing here tells.
        let asked_here = ground.conversation.is_some();
        if let Some(known) = self.recalling.known(&key).filter(|_| asked_here) {
            return Ok(known);
        }
        let finder = &ground.stores.finder;
        let named = standing_out(&ground.near);
        let mut candidates = finder.candidates(&wanted, &named, scope, CANDIDATES).or_failure()?;
        candidates.messages.retain(|it| {
            it.shown && may_go(ground, it) && since.is_none_or(|since| day(it.at) >= since)
        });
        let (near, reads) = (&ground.near, &self.recalling.reads);
        let weigh = |of: &Candidates| weigh(ground.asked, today, &wanted, of, near, reads, day);
        let mut weighed = weigh(&candidates);
        let later = self.changes(ground, &candidates, &weighed)?;
        if !later.is_empty() {
            candidates.messages.extend(later);
            candidates.messages.sort_by_key(|it| (it.conversation_id, it.index));
            weighed = weigh(&candidates);
        }
        let messages = &candidates.messages;
        let hits = weighed.into_iter().map(|it| Hit {
            message_id: messages[it.of.place].message_id,
            stretch: it.of.stretch,
            worth: it.worth,
            by_meaning: it.by_meaning,
            score: it.score,
            beside: it.beside.map(|Of { place, stretch }| (messages[place].message_id, stretch)),
            otherwise: it.otherwise.map(|Of { place, stretch }| {
                (messages[place].message_id, stretch, day(messages[place].at))
            }),
        });
        let hits: Arc<Vec<Hit>> = Arc::new(hits.collect());
        if asked_here {
            self.recalling.keep(key, hits.clone());
        }
        Ok(hits)
    }

    /// Messages that the question does not find and that may say otherwise than what it finds: they have a value of the
    /// best of that, and say of something that it changed.
    fn changes(
        &self,
        ground: &Ground<'_>,
        found: &Candidates,
        weighed: &[Weighed],
    ) -> Result<Vec<Candidate>, Failure> {
        let values = values_of(weighed, found, &self.recalling.reads);
        if values.is_empty() {
            return Ok(Vec::new());
        }
        let key = Valued { scope: ground.scope, values, all: found.all };
        let known = &self.recalling.changes;
        let known = locked(known).iter().find(|it| it.0 == key).map(|it| it.1.clone());
        let changes = match known {
            Some(known) => known,
            None => {
                let finder = &ground.stores.finder;
                let valued =
                    finder.candidates(&key.values, &[], key.scope, CHANGES).or_failure()?;
                let valued = valued.messages.into_iter();
                let changes = valued.filter(|it| it.named && says_changed(&it.text)).collect();
                let changes: Arc<Vec<Candidate>> = Arc::new(changes);
                let mut known = locked(&self.recalling.changes);
                known.push_front((key, changes.clone()));
                known.truncate(KNOWN);
                changes
            }
        };
        let is_new =
            |it: &&Candidate| found.messages.iter().all(|known| known.message_id != it.message_id);
        let changes = changes.iter().filter(is_new).filter(|it| may_go(ground, it));
        on_shown_paths(ground, changes.cloned().collect())
    }

    /// What a message may show, nothing of it yet; `None` where it may not go or is there no more.
    fn recollection(
        &self,
        ground: &mut Ground<'_>,
        id: MessageId,
    ) -> Result<Option<Recollection>, Failure> {
        let message = match ground.stores.transcripts.message(id) {
            Ok(found) => found.message,
            Err(StoreError::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(of_store(error)),
        };
        let own = ground.is_own(message.conversation_id);
        let Some(title) = ground.title_of(message.conversation_id)? else { return Ok(None) };
        if own && message.index >= ground.end
            || message.status == MessageStatus::Streaming
            || !ground.is_shown(&message)?
            || message.role == Role::Tool
        {
            return Ok(None);
        }
        let cleaner = match ground.conversation {
            Some(_) => self.privacy.cleaner(),
            None => self.privacy.strict_cleaner(),
        };
        let text = cleaner.text(&words_of(&message.parts)).into_owned();
        let standing = match own && message.role == Role::User {
            true => standing_in(&text, &cleaner.text(&asked_of(&message.parts))),
            false => None,
        };
        Ok(Some(Recollection {
            of: PassageOf::Message(message.id),
            title: title.chars().map(|c| if c.is_control() { ' ' } else { c }).collect(),
            own,
            role: message.role,
            at: message.created_at,
            on: TimeZone::system().to_datetime(message.created_at).date(),
            text,
            parts: Vec::new(),
            worth: 0,
            by_meaning: false,
            beside: None,
            standing,
        }))
    }
}

/// Places of the messages that stand out furthest.
fn standing_out(near: &[Near]) -> Vec<i64> {
    let mut named: Vec<i64> = Vec::new();
    for it in near.iter().take_while(|it| stands_out(it.standing)) {
        if named.len() == NAMED {
            break;
        }
        if !named.contains(&it.seq) {
            named.push(it.seq);
        }
    }
    named
}

/// What of a text holds from then on, out of what of it was typed.
fn standing_in(text: &str, typed: &str) -> Option<Standing> {
    let said = standing(typed).into_iter().map(|it| &typed[it]);
    let places = said.filter_map(|said| text.find(said).map(|at| at..at + said.len()));
    let mut bytes: Vec<Range<usize>> = places.collect();
    bytes.sort_by_key(|it| it.start);
    bytes.dedup();
    (!bytes.is_empty()).then_some(Standing { bytes, concerns: false })
}

/// Adds what was found of a message. It is cut again where its secrets are taken out: a stretch is then the same by its
/// number, and holds no half of one.
pub(super) fn add(known: &mut Recollection, hit: Hit) {
    let mut stretches = cut(&known.text);
    let stretch = hit.stretch.min(stretches.len() - 1);
    let bytes = stretches.swap_remove(stretch);
    let newer = hit.otherwise.map(|(id, stretch, on)| Otherwise {
        of: PassageOf::Message(id),
        stretch,
        on,
    });
    match known.parts.iter_mut().find(|it| it.bytes == bytes) {
        // It is a hit of its own as well as what goes with another.
        Some(part) => {
            (part.worth, part.score) = (part.worth.max(hit.worth), part.score.max(hit.score));
            part.otherwise = part.otherwise.take().or(newer);
        }
        None => {
            let (worth, score) = (hit.worth, hit.score);
            known.parts.push(Part { stretch, bytes, worth, score, otherwise: newer });
        }
    }
    known.parts.sort_by_key(|it| std::cmp::Reverse((it.worth, it.score)));
    if hit.worth > known.worth {
        (known.worth, known.by_meaning) = (hit.worth, hit.by_meaning);
    }
    known.beside = known.beside.take().or(hit.beside.map(|(id, _)| PassageOf::Message(id)));
}

impl Ground<'_> {
    /// Whether a conversation is the one that is asked in.
    fn is_own(&self, id: ConversationId) -> bool {
        self.conversation.is_some_and(|own| own.id == id)
    }

    /// The title of a conversation that passages may come from.
    fn title_of(&mut self, id: ConversationId) -> Result<Option<String>, Failure> {
        if let Some(own) = self.conversation.filter(|own| own.id == id) {
            return Ok(Some(own.title.clone()));
        }
        let Some(project) = self.scope.project_id else { return Ok(None) };
        if let std::collections::hash_map::Entry::Vacant(unknown) = self.others.entry(id) {
            let found = match self.stores.transcripts.conversation(id) {
                Ok(found) => Some(found),
                Err(StoreError::NotFound { .. }) => None,
                Err(error) => return Err(of_store(error)),
            };
            let may = |it: &Conversation| it.project_id == Some(project) && it.deleted_at.is_none();
            unknown.insert(found.filter(may));
        }
        Ok(self.others.get(&id).and_then(Option::as_ref).map(|it| it.title.clone()))
    }

    /// Whether a message stands on the shown path of its conversation.
    fn is_shown(&self, message: &Message) -> Result<bool, Failure> {
        let places = [message.index];
        let ids = self.stores.transcripts.ids_at(message.conversation_id, &places).or_failure()?;
        Ok(ids == [Some(message.id)])
    }
}

/// Whether a candidate may answer: before what is asked, and not told by the newest fold. What tools answered may not: it
/// would go as said on the person's side, where a text that gives orders has more weight.
fn may_go(ground: &Ground<'_>, it: &Candidate) -> bool {
    let open = || it.index < ground.end && !ground.told.contains(&it.index);
    it.role != Role::Tool && (!ground.is_own(it.conversation_id) || open())
}

/// Those candidates that stand on the shown path of their conversation now.
fn on_shown_paths(
    ground: &Ground<'_>,
    candidates: Vec<Candidate>,
) -> Result<Vec<Candidate>, Failure> {
    let mut places: HashMap<ConversationId, Vec<u64>> = HashMap::new();
    for it in &candidates {
        places.entry(it.conversation_id).or_default().push(it.index);
    }
    let mut shown: HashSet<MessageId> = HashSet::new();
    for (id, places) in places {
        let ids = ground.stores.transcripts.ids_at(id, &places).or_failure()?;
        shown.extend(ids.into_iter().flatten());
    }
    Ok(candidates.into_iter().filter(|it| shown.contains(&it.message_id)).collect())
}
