//! Gathering what a request is made of, for the next message and for a turn.

mod guarding;
mod previewing;
mod rebuilding;

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use siltstone_contract::{
    BroughtContext, Code, DefaultModel, Failure, PlaceOffer, PreviewRequest, RequestView,
};
use siltstone_engine::compaction::{self, Block, Overflow};
use siltstone_engine::context::key::CURRENT_FILE;
use siltstone_engine::conversation::Conversation;
use siltstone_engine::earlier::{self, Beside, Earlier};
use siltstone_engine::ids::{ConversationId, MessageId};
use siltstone_engine::memory::TaskAtHand;
use siltstone_engine::message::{Message, MessageStatus, Part, Role, asked_of, text_of};
use siltstone_engine::ports::Stores;
use siltstone_engine::project::{Project, Trust};
use siltstone_engine::prompt::{self, Ask, Frame, Ingredients, Recall};
use siltstone_engine::provider::{ModelInfo, ProviderKind};
use siltstone_engine::recall::{Recollection, Shares};
use siltstone_engine::section::{LeftOutWhy, Request, Section, recalled_of};
use siltstone_engine::summary::{Record, Terms};
use siltstone_engine::tokens::{self, Encoding, Scale};
use siltstone_engine::turn::Turn;

use crate::contexts::{Blocks, ContextService};
use crate::conversations::ConversationService;
use crate::conversations::attachments::{parts_of, written_out};
use crate::conversations::wishes::Pinned;
use crate::core::failure::Outcome;
use crate::core::{Core, blocking, service};
use crate::folding::FoldingService;
use crate::folding::folds::Folds;
use crate::index::IndexService;
use crate::index::mentions::{FromProject, with_current_file};
use crate::memory::{MemoryService, Taken, left_out};
use crate::models::ModelService;
use crate::models::counting::Reading;
use crate::privacy::PrivacyService;
use crate::search::SearchService;
use crate::search::recalling::looked_for;
use crate::sessions::{Place, SessionService};
use crate::tools::{Offered, ToolService};
use guarding::{Guards, Missing};

service! {
    /// The one place where a request is put together.
    RequestService {
        needs {
            core: Core, privacy: PrivacyService, models: ModelService, memory: MemoryService, index:
            IndexService, search: SearchService, sessions: SessionService, conversations:
            ConversationService, tools: ToolService, contexts: ContextService, folding:
            FoldingService
        }
        keeps {
            /// What rules are looked for with.
            guards: Guards,
        }
    }
}

/// Passages found for a question.
const PASSAGES: u32 = 8;

/// A turn as far as it is, for composing what is asked next.
pub(crate) struct Underway {
    /// It, with the reply that is to be written.
    pub(crate) turn: Turn,
    /// Its first reply: what stands between that one and the newest was called and answered in this turn.
    pub(crate) first: MessageId,
    /// What the question brought; `None` before anything is composed.
    pub(crate) brought: Option<BroughtContext>,
    /// Files that tools read or changed.
    pub(crate) touched: Vec<String>,
    /// It is a command of the agent's own: what else was to go with it did not.
    pub(crate) command: bool,
}

/// What is known of a request before its earlier part is chosen.
pub(crate) struct Asked<'a> {
    pub(crate) conversation: &'a Conversation,
    choice: &'a DefaultModel,
    model: &'a ModelInfo,
    pub(crate) found: &'a FromProject,
    pub(crate) folds: Folds,
    blocks: &'a Blocks,
    /// What is asked, in words, and what was said earlier that may go with it.
    words: &'a str,
    recalled: Vec<Recollection>,
    /// What is offered, as sections.
    tools: Vec<Section>,
    /// The plan that is worked on, and where the work stood before.
    session: Vec<Section>,
    ask: Ask,
    /// The new message; `None` where a reply goes on.
    question: Option<Message>,
    /// It is a command of the agent's own, and goes alone.
    command: bool,
    /// Messages of the path before it.
    pub(crate) end: u64,
    /// Places of what was called and answered since.
    since: Range<u64>,
}

/// A request, and what is to be said of it before it is sent.
struct Composed {
    request: Request,
    /// Why it cannot be sent, if it cannot.
    overflow: Option<Overflow>,
    missing: Missing,
}

/// A request, and what it has of earlier messages.
struct Laid {
    request: Request,
    earlier: Earlier,
    /// Why it cannot be sent, if it cannot.
    overflow: Option<Overflow>,
    /// How the room for earlier messages is shared out, where anything is recalled.
    shares: Option<Shares>,
}

impl RequestService {
    /// What the next message would send.
    pub async fn request_preview(&self, request: PreviewRequest) -> Result<RequestView, Failure> {
        self.previewed(request, None).await
    }

    /// The same, as if this summary were the newest.
    pub(crate) async fn previewed(
        &self,
        request: PreviewRequest,
        candidate: Option<Record>,
    ) -> Result<RequestView, Failure> {
        let stores = self.core.stores()?;
        let conversation = stores.transcripts.conversation(request.conversation_id).or_failure()?;
        let choice = match request.model {
            Some(model) => model,
            None => self.models.choice_for(&conversation)?,
        };
        let provider =
            self.models.connect_without_key(&choice.provider, conversation.project_id)?;
        let model = self.models.model_of(&choice).await;
        let question = request.draft.clone();
        let brought = request.context.unwrap_or_default();
        let wants = provider.wants_passages();
        let mut offered =
            self.tools.tools_for(&conversation, &choice, &model, &question, false).await;
        let words = question.clone();
        let mut found = self.gather_project(&conversation, wants, question, &brought, &[]).await?;
        found.left_out.extend(offered.crowded());
        let end = conversation.message_count;
        let attached = written_out(&stores, conversation.draft_attachments.clone())?;
        let parts = parts_of(request.draft, attached);
        let brought = with_current_file(brought, &found.mentions);
        let mut folds = self.folding.shown_folds(&stores, &conversation, &choice).await?;
        if let Some(candidate) = candidate {
            folds.find(&stores, std::slice::from_ref(&candidate))?;
            folds.records.push(Arc::new(candidate));
        }
        let recalled = self.search.recalled(&conversation, &folds, &words, end, false).await?;
        let (language, asked) = (self.core.language(), choice.model.as_str());
        let blocks =
            self.contexts.context_blocks(&conversation, asked, &language, &brought, false).await;
        let mut asked = Asked {
            conversation: &conversation,
            choice: &choice,
            model: &model,
            found: &found,
            folds,
            blocks: &blocks,
            words: &words,
            recalled,
            tools: offered.sections(),
            session: self.sessions.session_sections(&stores, &conversation),
            question: Some(self.draft(conversation.id, end, &parts)),
            command: self.models.is_command(&conversation, &choice, &words)?,
            ask: Ask::Draft { id: None, parts },
            end,
            since: end..end,
        };
        let Laid { mut request, earlier, shares, overflow } = self.laid_out(&stores, &mut asked)?;
        // A command goes alone, whatever the person says of the place.
        let place = match asked.command {
            true => None,
            false => self.place_offer(&stores, &mut asked, &request)?,
        };
        let others = self.others_offered(&stores, &mut asked).await?;
        let Missing { told: missing_constraints, more: missing_more } =
            self.unsaid_constraints(&stores, &asked, &earlier, &mut request.sections).await?;
        let is_agent = self.models.record(&choice.provider)?.kind == ProviderKind::Agent;
        let looks_up = is_agent && {
            let project = self.trusted_project(&stores, &conversation)?;
            self.looked_up_in(project.as_ref())?.is_some()
        };
        Ok(RequestView {
            looks_up,
            needed: overflow.map(|overflow| overflow.needed),
            place,
            others,
            sections: request.sections,
            left_out: request.left_out,
            tokens: request.tokens,
            budget: request.budget,
            window: model.window(),
            window_source: self.models.window_source(&model),
            missing_constraints,
            missing_more,
            mode: conversation.tuning.mode_of(&choice.provider).map(str::to_owned),
            recall: shares,
            provider: choice.provider.clone(),
            model: choice.model.clone(),
        })
    }

    /// The message in the composer, as if it had been sent.
    fn draft(&self, conversation_id: ConversationId, index: u64, parts: &[Part]) -> Message {
        let now = self.core.now();
        let attached = parts.iter().map(Part::attached_tokens).sum::<u64>();
        Message {
            id: MessageId::new(now),
            conversation_id,
            parent_id: None,
            turn_id: None,
            index,
            role: Role::User,
            parts: parts.to_vec(),
            status: MessageStatus::Complete,
            model: None,
            tokens: tokens::estimate(&text_of(parts)) + attached,
            created_at: now,
        }
    }

    /// The request for the reply of a turn that is to be written: its path ends with the question, what was called and
    /// answered since, and the empty reply. With it, what is offered in it.
    pub(crate) async fn compose_turn(
        &self,
        underway: &mut Underway,
        conversation: &Conversation,
        wants_passages: bool,
    ) -> Result<(Request, Offered), Failure> {
        let stores = self.core.stores()?;
        let turn = &underway.turn;
        let message = |id| stores.transcripts.message(id).or_failure().map(|found| found.message);
        let (question, first) = (message(turn.user_message_id)?, message(underway.first)?);
        let reply = message(turn.reply_id)?;
        let choice = DefaultModel { provider: turn.provider.clone(), model: turn.model.clone() };
        let model = self.models.model_of(&choice).await;
        let begins = underway.brought.is_none();
        let mut unread = None;
        if wants_passages
            && begins
            && let Some(project) = self.trusted_project(&stores, conversation)?
            && !self.index.refresh_index_for_message(&project).await
        {
            unread = Some(project.path);
        }
        let take = || self.contexts.state.brought_with(question.id);
        let brought = underway.brought.get_or_insert_with(take).clone();
        let text = asked_of(&question.parts);
        let words = text.clone();
        let mut offered = self.tools.tools_for(conversation, &choice, &model, &text, true).await;
        let touched = &underway.touched;
        let mut found =
            self.gather_project(conversation, wants_passages, text, &brought, touched).await?;
        found.left_out.extend(offered.crowded());
        let unread = unread.map(|path| left_out(&path, 0, LeftOutWhy::StillReading));
        found.left_out.extend(unread);
        let brought = with_current_file(brought, &found.mentions);
        if begins {
            self.contexts.state.begin_run(turn, conversation.project_id, &words, &brought);
        }
        let language = self.core.language();
        let blocks = self
            .contexts
            .context_blocks(conversation, &turn.model, &language, &brought, true)
            .await;
        if let Some(project) = conversation.project_id {
            let here = brought.entries.iter().filter(|entry| entry.key == CURRENT_FILE);
            let here = here.map(|entry| entry.value.as_str());
            let named = found.mentions.iter().map(|mention| mention.path.as_str());
            let touched = touched.iter().map(String::as_str);
            self.sessions.opened_files(project, here.chain(named).chain(touched));
        }
        let since = first.index..reply.index;
        let (ask, question, end) = match first.parent_id {
            Some(parent) if parent != question.id => {
                let before = message(parent)?;
                let calls = |part: &Part| matches!(part, Part::ToolCall { .. });
                let answered = before.role == Role::Tool || before.parts.iter().any(calls);
                // After results a model goes on without being asked to.
                let nothing = Ask::Draft { id: None, parts: Vec::new() };
                let ask = if answered { nothing } else { Ask::Continue };
                (ask, None, first.index)
            }
            _ => {
                underway.command = self.models.is_command(conversation, &choice, &words)?;
                if begins && !underway.command {
                    self.folding
                        .summarise_before_turn(conversation, &choice, question.index)
                        .await?;
                }
                let (end, parts) = (question.index, question.parts.clone());
                (Ask::Draft { id: Some(question.id), parts }, Some(question), end)
            }
        };
        let folds = self.folding.shown_folds(&stores, conversation, &choice).await?;
        let recalled = self.search.recalled(conversation, &folds, &words, end, true).await?;
        let asked = Asked {
            conversation,
            choice: &choice,
            model: &model,
            found: &found,
            folds,
            blocks: &blocks,
            words: &words,
            recalled,
            tools: offered.sections(),
            session: self.sessions.session_sections(&stores, conversation),
            ask,
            command: question.is_some() && underway.command,
            question,
            end,
            since,
        };
        let Composed { request, overflow, missing } = self.composed(&stores, asked).await?;
        let count = missing.told.len() as u64 + missing.more;
        if count > 0 {
            tracing::warn!(count, "rules in force are not in a request");
        }
        match overflow {
            None => {
                let offered = offered.in_request(&request);
                Ok((request, offered))
            }
            Some(overflow) => Err(Failure::new(Code::ContextOverflow, too_large(&overflow))),
        }
    }

    /// Refuses a message that alone is more than its model reads, before anything of it is durable.
    pub(crate) async fn fits(
        &self,
        stores: &Stores,
        conversation: &Conversation,
        parts: Vec<Part>,
    ) -> Result<(), Failure> {
        let choice = self.models.choice_for(conversation)?;
        let folds = self.folding.shown_folds(stores, conversation, &choice).await?;
        let budget = prompt::budget_of(self.models.model_of(&choice).await.window());
        let at_hand = self.models.counting.at_hand(encoding_of(&choice, &folds));
        let count = |text: &str| self.models.counting.count(at_hand, text);
        let tokens = Scale::new(&count, folds.calibration).parts(&parts).tokens;
        if tokens <= budget {
            return Ok(());
        }
        let block = Block { source: String::from("composer"), message: None, tokens };
        let overflow = Overflow { needed: tokens, budget, largest: vec![block] };
        Err(Failure::new(Code::ContextOverflow, too_large(&overflow)))
    }

    async fn composed(&self, stores: &Stores, mut asked: Asked<'_>) -> Result<Composed, Failure> {
        let Laid { mut request, earlier, overflow, .. } = self.laid_out(stores, &mut asked)?;
        let missing =
            self.unsaid_constraints(stores, &asked, &earlier, &mut request.sections).await?;
        Ok(Composed { request, overflow, missing })
    }

    /// What is shown of the place before the first message: what the request has of it, or would have.
    fn place_offer(
        &self,
        stores: &Stores,
        asked: &mut Asked<'_>,
        request: &Request,
    ) -> Result<Option<PlaceOffer>, Failure> {
        let Some(Place { taken, sections }) = self.sessions.place_of(stores, asked.conversation)?
        else {
            return Ok(None);
        };
        let ids: HashSet<String> = sections.iter().map(|section| section.id.clone()).collect();
        let of = |request: &Request| -> Vec<Section> {
            request.sections.iter().filter(|it| ids.contains(&it.id)).cloned().collect()
        };
        let sections = if taken {
            of(request)
        } else {
            let own = asked.session.len();
            asked.session.extend(sections);
            let with = self.laid_out(stores, asked);
            asked.session.truncate(own);
            of(&with?.request)
        };
        let tokens = sections.iter().map(|section| section.tokens).sum();
        Ok((taken || !sections.is_empty()).then_some(PlaceOffer { taken, tokens, sections }))
    }

    /// How many passages of other conversations the request would have if the person said that they may go.
    async fn others_offered(&self, stores: &Stores, asked: &mut Asked<'_>) -> Result<u32, Failure> {
        let (conversation, words, end) = (asked.conversation, asked.words, asked.end);
        let found = self.search.found_in_others(conversation, &asked.folds, words, end).await?;
        let others = found.iter().filter(|it| !it.own).filter_map(|it| it.of.message());
        let others: HashSet<MessageId> = others.collect();
        if others.is_empty() {
            return Ok(0);
        }
        let own = std::mem::replace(&mut asked.recalled, found);
        let with = self.laid_out(stores, asked);
        asked.recalled = own;
        let sections = with?.request.sections;
        let goes = sections.iter().filter_map(|it| recalled_of(&it.id));
        let goes = goes.filter(|message| others.contains(message)).count();
        Ok(u32::try_from(goes).unwrap_or(u32::MAX))
    }

    fn laid_out(&self, stores: &Stores, asked: &mut Asked<'_>) -> Result<Laid, Failure> {
        let (language, conversation, folds) =
            (self.core.language(), asked.conversation, &asked.folds);
        let encoding = encoding_of(asked.choice, folds);
        let at_hand = self.models.counting.at_hand(encoding);
        let count = |text: &str| self.models.counting.count(at_hand, text);
        let scale = Scale::new(&count, folds.calibration);
        if let Some(question) = &mut asked.question {
            question.tokens = scale.parts(&question.parts).tokens;
        }
        let cleaner = self.privacy.cleaner();
        let reading = Reading {
            counting: &self.models.counting,
            stores,
            id: conversation.id,
            encoding,
            scale: &scale,
            cleaner,
            state: stores.transcripts.state().or_failure()?,
        };
        let Pinned { messages: pinned, mut counted, mut uncounted } =
            Pinned::of(conversation, asked.end, reading)?;
        let budget = prompt::budget_of(asked.model.window());
        let mut back = reading.before(asked.end);
        let mut read: Vec<Arc<Message>> = Vec::new();
        let seen = back.by_ref().inspect(|message| read.push(message.clone()));
        let whole = folds.newest.whole(seen, budget, compaction::cost);
        let unread = read.last().map_or(asked.end, |oldest| oldest.index);
        let known = back.done()?;
        counted.extend(known.0);
        uncounted.extend(known.1);
        let least = folds.newest.least();
        let least = least.whole(whole.iter().rev().cloned(), budget, compaction::cost);
        let first = earlier::with_newest(&pinned, &least, &conversation.wishes);
        let mut steps: Vec<Arc<Message>> = Vec::new();
        if !asked.since.is_empty() {
            let mut back = reading.before(asked.since.end);
            steps.extend(back.by_ref().take_while(|message| message.index >= asked.since.start));
            steps.reverse();
            let known = back.done()?;
            counted.extend(known.0);
            uncounted.extend(known.1);
        }
        let mentions = [asked.found.pinned.as_slice(), &asked.found.mentions].concat();
        let ingredients = Ingredients {
            language: &language,
            instructions: &conversation.tuning.instructions,
            memory: &asked.found.memory,
            tools: &asked.tools,
            persistent: asked.blocks.persistent.as_deref(),
            volatile: asked.blocks.volatile.as_deref(),
            session: &asked.session,
            already_left_out: &asked.found.left_out,
            mentions: &mentions,
            passages: &asked.found.passages,
            wishes: &conversation.wishes,
            pinned: &first,
            ask: &asked.ask,
            steps: &steps,
            model: asked.model,
            scale,
        };
        let mut frame = prompt::frame(&ingredients);
        let (question, wishes) = (asked.question.as_ref(), &conversation.wishes);
        let extract = &|messages: &[Message], limit: u64| {
            self.models.counting.extract((at_hand, folds.calibration), messages, limit, &scale)
        };
        let pinned = pinned.as_slice();
        let overlay = folds.overlay();
        let terms = Terms {
            settings: &folds.settings,
            newest: folds.newest,
            language: folds.told_in(&language),
            count: &|message| message.tokens,
            text: &|text| scale.text(text).tokens,
            budget,
            room: budget,
            connected: true,
        };
        let mut choose = |frame: &Frame<'_>| {
            let fixed = frame.blocks();
            let (fixed, newest) = (&fixed, &whole);
            let beside = Beside { fixed, question, budget, wishes, pinned, newest, extract };
            let mut back = reading.before(unread);
            let newest_first = read.iter().cloned().chain(back.by_ref());
            let earlier = earlier::earlier(&overlay, newest_first, beside, &terms);
            let known = back.done()?;
            counted.extend(known.0);
            uncounted.extend(known.1);
            Ok::<_, Failure>(earlier)
        };
        let mut earlier = choose(&frame)?;
        let mut shares = None;
        if folds.settings.recalls()
            && let Ok(plain) = &earlier
        {
            let (settings, passages) = (&folds.settings.recall, asked.recalled.as_slice());
            let recall = Recall { settings, asked: asked.words, passages };
            let made = frame.recall(&recall, plain);
            if made.recalled + made.summaries + made.turns > made.room {
                earlier = choose(&frame)?;
            }
            shares = Some(made);
        }
        let (mut earlier, mut overflow) = match earlier {
            Ok(earlier) => (earlier, None),
            Err(overflow) => {
                (Earlier { left_out: asked.end, ..Earlier::default() }, Some(overflow))
            }
        };
        if asked.command {
            // Written as one message with what was said before, it would not be alone.
            earlier.strict = None;
        }
        let mut request = frame.with(&earlier, &counted);
        cleaner.request(&mut request);
        if asked.command {
            request = request.alone(LeftOutWhy::AgentCommand);
            let (needed, budget) = (request.tokens, request.budget);
            let largest = || {
                let block = |it: &Section| Block {
                    source: it.source.clone(),
                    message: None,
                    tokens: it.tokens,
                };
                request.sections.iter().map(block).collect()
            };
            overflow = (needed > budget).then(|| Overflow { needed, budget, largest: largest() });
        }
        let shares = shares.map(|shares| shares.of(&request.sections));
        if let Some(encoding) = encoding
            && (at_hand.is_none() || !uncounted.is_empty())
        {
            self.models.count_later(conversation.id, encoding, uncounted);
        }
        if folds.settings.strict {
            // A quarter of the length is no estimate to learn from.
            request.estimated = 0;
        }
        Ok(Laid { request, earlier, overflow, shares })
    }

    /// The folder of a project in which an agent may look up by itself what was said and what holds: where the person said
    /// that its conversations may go along in each other.
    pub(crate) fn looked_up_in(
        &self,
        project: Option<&Project>,
    ) -> Result<Option<String>, Failure> {
        let Some(project) = project.filter(|_| self.core.world.workers.serves()) else {
            return Ok(None);
        };
        let allowed = self.search.others_allowed(project.id)? == Some(true);
        Ok(allowed.then(|| project.path.clone()))
    }

    pub(crate) fn trusted_project(
        &self,
        stores: &Stores,
        conversation: &Conversation,
    ) -> Result<Option<Project>, Failure> {
        let Some(id) = conversation.project_id else {
            return Ok(None);
        };
        let project = stores.records.project(id).or_failure()?;
        Ok((project.trust == Trust::Trusted).then_some(project))
    }

    async fn gather_project(
        &self,
        conversation: &Conversation,
        wants_passages: bool,
        question: String,
        brought: &BroughtContext,
        by_tools: &[String],
    ) -> Result<FromProject, Failure> {
        let (stores, id) = (self.core.stores()?, conversation.id);
        let Some(project) = conversation.project_id else {
            let this = self.clone();
            let task = move || {
                this.memory.taken_memory(
                    None,
                    Some(id),
                    &TaskAtHand { draft: &question, touched: &[] },
                )
            };
            let Taken { texts, left_out, .. } = blocking(task).await?;
            return Ok(FromProject { memory: texts, left_out, ..FromProject::default() });
        };
        let project = stores.records.project(project).or_failure()?;
        self.memory.watch_memory(&project);
        let mut touched = self.contexts.at_hand(&project, &question, brought);
        touched.extend(by_tools.iter().cloned());
        let (this, asked, wishes) = (self.clone(), project.clone(), conversation.wishes.clone());
        let (found, rules) = blocking(move || {
            let (mentions, refused) = this.index.mentioned(&project, &question);
            touched.extend(mentions.iter().map(|mention| mention.path.clone()));
            let task = TaskAtHand { draft: &question, touched: &touched };
            let Taken { texts, mut left_out, rules } =
                this.memory.taken_memory(Some(&project), Some(id), &task);
            left_out.extend(refused);
            let mut found =
                FromProject { memory: texts, left_out, mentions, ..FromProject::default() };
            if wants_passages && project.trust == Trust::Trusted && !question.trim().is_empty() {
                let asked = looked_for(&question);
                found.passages = stores.passages.find(project.id, &asked, PASSAGES).or_failure()?;
                // The index may be older than an exclusion.
                found.passages.retain(|it| !this.privacy.is_excluded(&project, &it.path));
            }
            this.conversations.find_pinned(&project, &wishes, &mut found);
            Ok::<_, Failure>((found, rules))
        })
        .await??;
        self.contexts.rules_seen(&asked, rules).await;
        Ok(found)
    }
}

/// What strict policies go by is neither counted nor estimated but defined.
fn encoding_of(choice: &DefaultModel, folds: &Folds) -> Option<Encoding> {
    Encoding::of_model(&choice.model).filter(|_| !folds.settings.strict)
}

/// What cannot be sent, and the largest of it.
fn too_large(overflow: &Overflow) -> String {
    let largest: Vec<String> =
        overflow.largest.iter().map(|it| format!("{} ({})", it.source, it.tokens)).collect();
    format!("{overflow}; the largest: {}", largest.join(", "))
}
