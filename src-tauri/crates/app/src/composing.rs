//! Gathering what a request is made of, for the next message, for a turn, and for one that was sent.

use std::sync::Arc;

use siltstone_contract::{
    BroughtContext, Code, DefaultModel, Failure, PreviewRequest, RequestView, SentRequestView,
    SentSection, TurnRef,
};
use siltstone_engine::compaction::Overflow;
use siltstone_engine::conversation::{Conversation, Tuning};
use siltstone_engine::earlier::{self, Beside, Earlier};
use siltstone_engine::ids::{ConversationId, MessageId};
use siltstone_engine::message::{Message, MessageStatus, Part, Role, text_of};
use siltstone_engine::passage::{self, Passage};
use siltstone_engine::ports::{FolderError, ModelProvider, Stores};
use siltstone_engine::project::{Project, Trust};
use siltstone_engine::prompt::{self, Ask, Ingredients, MemoryText};
use siltstone_engine::provider::ModelInfo;
use siltstone_engine::section::{
    LeftOut, LeftOutWhy, Manifest, ManifestSection, Reason, Request, SectionKind,
};
use siltstone_engine::summary::{Terms, tellings};
use siltstone_engine::tokens;
use siltstone_engine::turn::Turn;

use crate::App;
use crate::contexts::Blocks;
use crate::failure::Outcome;
use crate::projects::blocking;

/// Messages read at a time when the history is gathered.
const BATCH: u64 = 64;

/// Passages found for a question.
const PASSAGES: u32 = 8;

/// What the project contributes.
#[derive(Default)]
pub(crate) struct FromProject {
    pub(crate) memory: Vec<MemoryText>,
    pub(crate) left_out: Vec<LeftOut>,
    passages: Vec<Passage>,
}

/// What is known of a request before its earlier part is chosen.
struct Asked<'a> {
    conversation: &'a Conversation,
    choice: &'a DefaultModel,
    model: &'a ModelInfo,
    found: &'a FromProject,
    blocks: &'a Blocks,
    ask: Ask,
    /// The new message; `None` where a reply goes on.
    question: Option<Message>,
    /// Messages of the path before it.
    end: u64,
}

impl App {
    /// What the next message would send.
    pub async fn request_preview(&self, request: PreviewRequest) -> Result<RequestView, Failure> {
        let stores = self.stores()?;
        let conversation = stores.transcripts.conversation(request.conversation_id).or_failure()?;
        let choice = self.choice_for(&conversation)?;
        let provider = self.connect_without_key(&choice.provider, conversation.project_id)?;
        let model = self.model_of(&choice).await;
        let question = request.draft.clone();
        let found = self.gather_project(&conversation, provider.wants_passages(), question).await?;
        let end = conversation.message_count;
        let mut parts = vec![Part::Text { text: request.draft }];
        parts.extend(conversation.draft_attachments.clone());
        let brought = request.context.unwrap_or_default();
        let (language, asked) = (self.language(), choice.model.as_str());
        let blocks = self.context_blocks(&conversation, asked, &language, &brought, false).await;
        let asked = Asked {
            conversation: &conversation,
            choice: &choice,
            model: &model,
            found: &found,
            blocks: &blocks,
            question: Some(self.draft(conversation.id, end, &parts)),
            ask: Ask::Draft { id: None, parts },
            end,
        };
        let (composed, _) = self.composed(&stores, &asked)?;
        Ok(RequestView {
            sections: composed.sections,
            left_out: composed.left_out,
            tokens: composed.tokens,
            budget: composed.budget,
            provider: choice.provider.clone(),
            model: choice.model.clone(),
        })
    }

    /// The message in the composer, as if it had been sent.
    fn draft(&self, conversation_id: ConversationId, index: u64, parts: &[Part]) -> Message {
        let now = self.now();
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

    /// The request of a turn that was just opened: its path ends with the question and the empty reply.
    pub(crate) async fn compose_turn(
        &self,
        turn: &Turn,
        conversation: &Conversation,
        provider: &dyn ModelProvider,
    ) -> Result<Request, Failure> {
        let stores = self.stores()?;
        let question = stores.transcripts.message(turn.user_message_id).or_failure()?.message;
        let reply = stores.transcripts.message(turn.reply_id).or_failure()?.message;
        let choice = DefaultModel { provider: turn.provider.clone(), model: turn.model.clone() };
        let model = self.model_of(&choice).await;
        if provider.wants_passages()
            && let Some(project) = self.trusted_project(&stores, conversation)?
        {
            self.refresh_index(&project).await;
        }
        let wants = provider.wants_passages();
        let found = self.gather_project(conversation, wants, question.text()).await?;
        let brought = self.0.contexts.brought_with(question.id);
        self.0.contexts.begin_run(turn, conversation.project_id, &question.text(), &brought);
        let language = self.language();
        let blocks =
            self.context_blocks(conversation, &turn.model, &language, &brought, true).await;
        let continues = reply.parent_id != Some(question.id);
        let (ask, question, end) = if continues {
            (Ask::Continue, None, reply.index)
        } else {
            self.summarise_before_turn(conversation, &choice, question.index).await?;
            let end = question.index;
            let parts = question.parts.clone();
            (Ask::Draft { id: Some(question.id), parts }, Some(question), end)
        };
        let found = &found;
        let (blocks, model, choice) = (&blocks, &model, &choice);
        let asked = Asked { conversation, choice, model, found, blocks, ask, question, end };
        match self.composed(&stores, &asked)? {
            (request, None) => Ok(request),
            (_, Some(overflow)) => Err(Failure::new(Code::ContextOverflow, too_large(&overflow))),
        }
    }

    /// What was sent for a reply, rebuilt from its manifest; a section whose source changed since says so.
    pub async fn request_sent(&self, request: TurnRef) -> Result<SentRequestView, Failure> {
        let stores = self.stores()?;
        let turn = stores.transcripts.turn(request.id).or_failure()?;
        let conversation = stores.transcripts.conversation(turn.conversation_id).or_failure()?;
        let project = self.trusted_project(&stores, &conversation)?;
        // A turn that failed before it was composed has none.
        let manifest = stores.transcripts.manifest(request.id).or_failure()?.unwrap_or_default();
        let Manifest { sections, left_out, tokens, budget, tuning, .. } = manifest;
        let (language, none) = (self.language(), BroughtContext::default());
        let now = self.context_blocks(&conversation, &turn.model, &language, &none, false).await;
        let rebuilt = |section| self.rebuilt(&stores, project.as_ref(), &tuning, &now, section);
        let sections = sections.into_iter().map(rebuilt).collect();
        Ok(SentRequestView {
            turn_id: turn.id,
            status: turn.status,
            opened_at: turn.opened_at,
            provider: turn.provider,
            model: turn.model,
            usage: turn.usage,
            tuning,
            sections,
            left_out,
            tokens,
            budget,
            egress: stores.egress.last_of(request.id).or_failure()?,
        })
    }

    /// The request, and why it cannot be sent if it cannot.
    fn composed(
        &self,
        stores: &Stores,
        asked: &Asked<'_>,
    ) -> Result<(Request, Option<Overflow>), Failure> {
        let (language, conversation) = (self.language(), asked.conversation);
        let folds = self.folds(stores, conversation, asked.choice)?;
        let ingredients = Ingredients {
            language: &language,
            instructions: &conversation.tuning.instructions,
            memory: &asked.found.memory,
            persistent: asked.blocks.persistent.as_deref(),
            volatile: asked.blocks.volatile.as_deref(),
            already_left_out: &asked.found.left_out,
            passages: &asked.found.passages,
            ask: &asked.ask,
            model: asked.model,
            calibration: folds.calibration,
        };
        let frame = prompt::frame(&ingredients);
        let (fixed, budget) = (frame.blocks(), frame.budget());
        let beside = Beside { fixed: &fixed, question: asked.question.as_ref(), budget };
        let overlay = folds.overlay();
        // A request is weighed by estimates throughout, and corrected as a whole.
        let terms = Terms {
            settings: &folds.settings,
            language: folds.told_in(&language),
            count: &|message| message.tokens,
            budget,
            room: budget,
            connected: true,
        };
        let mut newest = Newest {
            stores,
            id: conversation.id,
            before: asked.end,
            batch: Vec::new(),
            failed: None,
        };
        let earlier = earlier::earlier(&overlay, &mut newest, beside, &terms);
        if let Some(failure) = newest.failed {
            return Err(failure);
        }
        Ok(match earlier {
            Ok(earlier) => (frame.with(&earlier), None),
            Err(overflow) => {
                let nothing = Earlier { left_out: asked.end, ..Earlier::default() };
                (frame.with(&nothing), Some(overflow))
            }
        })
    }

    fn trusted_project(
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
    ) -> Result<FromProject, Failure> {
        let stores = self.stores()?;
        let Some(id) = conversation.project_id else {
            return Ok(FromProject::default());
        };
        let project = stores.records.project(id).or_failure()?;
        let (app, asked) = (self.clone(), project.clone());
        let found = blocking(move || {
            let mut found = app.memory(&project);
            if wants_passages && project.trust == Trust::Trusted && !question.trim().is_empty() {
                found.passages =
                    stores.passages.find(project.id, &question, PASSAGES).or_failure()?;
            }
            Ok::<_, Failure>(found)
        })
        .await??;
        self.rules_seen(&asked, &found.memory).await;
        Ok(found)
    }

    /// The project's instruction files; those that may not or cannot go are listed with why.
    pub(crate) fn memory(&self, project: &Project) -> FromProject {
        let mut found = FromProject::default();
        let files = match self.0.world.files.instructions(&project.path) {
            Ok(files) => files,
            // The folder is gone or unreadable: the request still goes, and says what is missing.
            Err(_) => {
                found.left_out.push(left_out(&project.path, 0, LeftOutWhy::Unreadable));
                return found;
            }
        };
        for file in files {
            if project.trust == Trust::Untrusted {
                found.left_out.push(left_out(&file.path, file.tokens, LeftOutWhy::Untrusted));
            } else if file.same_as.is_some() {
                found.left_out.push(left_out(&file.path, file.tokens, LeftOutWhy::Duplicate));
            } else {
                match self.0.world.files.read_text(&project.path, &file.path) {
                    Ok(text) => found.memory.push(MemoryText { path: file.path, text }),
                    Err(_) => {
                        let why = LeftOutWhy::Unreadable;
                        found.left_out.push(left_out(&file.path, file.tokens, why));
                    }
                }
            }
        }
        found
    }

    fn rebuilt(
        &self,
        stores: &Stores,
        project: Option<&Project>,
        tuning: &Tuning,
        now: &Blocks,
        section: ManifestSection,
    ) -> SentSection {
        let text = match (section.kind, section.reason.clone()) {
            (_, Reason::ConversationRule) => Some(tuning.instructions.trim().to_owned()),
            (SectionKind::Instructions, _) | (_, Reason::Continue) => {
                let own = prompt::OWN_TEXTS.iter().map(|text| text.trim().to_owned());
                own.into_iter().find(|text| section.is_of(text))
            }
            (SectionKind::Turn | SectionKind::Draft, reason) => {
                let id = section.messages.first();
                let found = id.and_then(|id| stores.transcripts.message(*id).ok());
                found.map(|found| found.message.text()).map(|text| match reason {
                    Reason::Shortened { chars } => text.chars().take(chars as usize).collect(),
                    _ => text,
                })
            }
            (SectionKind::Summary, _) => match &section.link {
                Some(link) => link
                    .strip_prefix("silt:summary/")
                    .and_then(|id| stores.summaries.summary(id.parse().ok()?).ok())
                    .and_then(|record| tellings(&record).find(|text| section.is_of(text))),
                None => section.text.clone(),
            },
            (SectionKind::PersistentContext, _) => now.persistent.clone(),
            (SectionKind::VolatileContext, _) => now.volatile.clone(),
            (SectionKind::Memory, _) => {
                project.and_then(|project| self.file_text(project, &section.source).ok())
            }
            (SectionKind::Passage, _) => project.and_then(|project| {
                let (path, line) = section.source.rsplit_once(':')?;
                let line: u32 = line.parse().ok()?;
                let text = self.file_text(project, path).ok()?;
                let passages = passage::cut(path, &text).into_iter();
                passages
                    .map(|found| (found.line, found.text))
                    .find(|found| found.0 == line)
                    .map(|found| found.1)
            }),
        };
        let text = text.filter(|text| section.is_of(text));
        SentSection { changed_since: text.is_none(), text: text.or(section.text.clone()), section }
    }

    fn file_text(&self, project: &Project, path: &str) -> Result<String, FolderError> {
        self.0.world.files.read_text(&project.path, path)
    }
}

fn left_out(source: &str, tokens: u64, why: LeftOutWhy) -> LeftOut {
    LeftOut { source: source.to_owned(), tokens, why }
}

/// What cannot be sent, and the largest of it.
fn too_large(overflow: &Overflow) -> String {
    let largest: Vec<String> =
        overflow.largest.iter().map(|it| format!("{} ({})", it.source, it.tokens)).collect();
    format!("{overflow}; the largest: {}", largest.join(", "))
}

/// Messages of the shown path before a place, newest first, read in batches as they are asked for. A reply that is still
/// on its way belongs to no request.
struct Newest<'a> {
    stores: &'a Stores,
    id: ConversationId,
    before: u64,
    /// Oldest first.
    batch: Vec<Message>,
    failed: Option<Failure>,
}

impl Iterator for Newest<'_> {
    type Item = Arc<Message>;

    fn next(&mut self) -> Option<Arc<Message>> {
        loop {
            match self.batch.pop() {
                Some(message) if message.status == MessageStatus::Streaming => {}
                Some(message) => return Some(Arc::new(message)),
                None if self.before == 0 => return None,
                None => {
                    let from = self.before.saturating_sub(BATCH);
                    let page =
                        self.stores.transcripts.page(self.id, Some(from), self.before - from);
                    self.before = from;
                    match page.or_failure() {
                        Ok(page) => {
                            self.batch = page.messages.into_iter().map(|it| it.message).collect();
                        }
                        Err(failure) => {
                            self.before = 0;
                            self.failed = Some(failure);
                        }
                    }
                }
            }
        }
    }
}
