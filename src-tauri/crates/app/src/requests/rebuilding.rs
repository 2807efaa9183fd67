//! Requests that were sent, shown again: rebuilt from their manifests, section by section, out of what is still there.

use siltstone_contract::{
    BroughtContext, CallRef, Code, Failure, SentRequestView, SentSection, TurnRef,
};
use siltstone_engine::conversation::Tuning;
use siltstone_engine::message::{asked_of, words_of};
use siltstone_engine::ports::{FolderError, Stores};
use siltstone_engine::project::Project;
use siltstone_engine::prompt::Whence;
use siltstone_engine::run::NodeKind;
use siltstone_engine::section::{
    Manifest, ManifestSection, PassageOf, Reason, SectionKind, memory_of,
};
use siltstone_engine::summary::{Record, tellings};
use siltstone_engine::turn::Turn;
use siltstone_engine::{link, mention, prompt};

use crate::contexts::Blocks;
use crate::core::failure::Outcome;
use crate::requests::RequestService;

/// What a request that was sent was made from, as it is now.
struct Sent<'a> {
    stores: &'a Stores,
    project: Option<&'a Project>,
    turn: &'a Turn,
    tuning: &'a Tuning,
    blocks: &'a Blocks,
    /// Its summaries, oldest first.
    told: Vec<Record>,
}

impl RequestService {
    /// What was sent for a reply, the last time a model was asked for it, rebuilt from its manifest; a section whose
    /// source changed since says so.
    pub async fn request_sent(&self, request: TurnRef) -> Result<SentRequestView, Failure> {
        let stores = self.core.stores()?;
        let turn = stores.transcripts.turn(request.id).or_failure()?;
        // A turn that failed before it was composed has none.
        let manifest = stores.transcripts.manifest(request.id).or_failure()?.unwrap_or_default();
        let egress = stores.egress.last_of(request.id, None, None).or_failure()?;
        self.sent(&stores, turn, manifest, egress).await
    }

    /// What was sent with one call of the model within a turn.
    pub async fn call_sent(&self, request: CallRef) -> Result<SentRequestView, Failure> {
        let CallRef { turn_id, node_id } = request;
        let stores = self.core.stores()?;
        let mut turn = stores.transcripts.turn(turn_id).or_failure()?;
        let nodes = stores.tools.nodes(turn_id).or_failure()?;
        let mut calls = nodes.into_iter().filter_map(|node| match &node.kind {
            NodeKind::Model { model, .. } => Some((model.clone(), node)),
            NodeKind::Tool { .. } => None,
        });
        let first = calls.next();
        let mut rest = first.clone().into_iter().chain(calls).skip_while(|it| it.1.id != node_id);
        let Some((first, (model, call))) = first.zip(rest.next()) else {
            let detail = format!("no call {node_id} in the turn {turn_id}");
            return Err(Failure::new(Code::NotFound, detail));
        };
        let manifest_of = |id| stores.tools.node_manifest(id).or_failure();
        let mut manifest = manifest_of(node_id)?.unwrap_or_default();
        if first.1.id != node_id {
            tell_tools(&mut manifest, &manifest_of(first.1.id)?.unwrap_or_default());
        }
        let before = rest.next().map(|next| next.1.started_at);
        let egress = stores.egress.last_of(turn_id, Some(call.started_at), before).or_failure()?;
        (turn.model, turn.usage, turn.opened_at) = (model, call.usage, call.started_at);
        self.sent(&stores, turn, manifest, egress).await
    }

    async fn sent(
        &self,
        stores: &Stores,
        turn: Turn,
        manifest: Manifest,
        egress: Option<u64>,
    ) -> Result<SentRequestView, Failure> {
        let conversation = stores.transcripts.conversation(turn.conversation_id).or_failure()?;
        let project = self.trusted_project(stores, &conversation)?;
        let Manifest { sections, left_out, tokens, budget, tuning, .. } = manifest;
        let (language, none) = (self.core.language(), BroughtContext::default());
        let now =
            self.contexts.context_blocks(&conversation, &turn.model, &language, &none, false).await;
        let sent = Sent {
            stores,
            project: project.as_ref(),
            turn: &turn,
            tuning: &tuning,
            blocks: &now,
            told: sections.iter().filter_map(|section| told_in(stores, section)).collect(),
        };
        let rebuilt = |section| self.rebuilt(&sent, section);
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
            egress,
        })
    }

    fn rebuilt(&self, sent: &Sent<'_>, section: ManifestSection) -> SentSection {
        let Sent { stores, project, turn, .. } = sent;
        let none = |text: String| text;
        let cleaner = self.privacy.strict_cleaner();
        let clean = |text: String| cleaner.text(&text).into_owned();
        if memory_of(&section.id).is_some() {
            let asked = stores.transcripts.message(turn.user_message_id).ok();
            let asked = asked.map(|found| asked_of(&found.message.parts)).unwrap_or_default();
            let (id, said) = (turn.conversation_id, [&none as &dyn Fn(String) -> String, &clean]);
            let found = self.memory.sent_memory(*project, id, &section, &asked, &said);
            let changed_since = found.as_ref().is_none_or(|(_, goes_now)| !goes_now);
            let text = found.map(|(text, _)| text);
            return SentSection { changed_since, text, section };
        }
        // What holds secrets was sent without them, unless the person wanted it otherwise then.
        let text = [&none as &dyn Fn(String) -> String, &clean].into_iter().find_map(|clean| {
            let text = clean(self.source_of(sent, &section, clean)?);
            section.is_of(&text).then_some(text)
        });
        SentSection { changed_since: text.is_none(), text: text.or(section.text.clone()), section }
    }

    /// The text a section was made from, as it is now.
    fn source_of(
        &self,
        sent: &Sent<'_>,
        section: &ManifestSection,
        clean: &dyn Fn(String) -> String,
    ) -> Option<String> {
        let Sent { stores, project, tuning, blocks, told, .. } = sent;
        match (section.kind, section.reason.clone()) {
            (_, Reason::AsTheSeed) => section.text.clone(),
            (_, Reason::ConversationRule) => Some(tuning.instructions.trim().to_owned()),
            (SectionKind::Instructions, _) | (_, Reason::Continue) => {
                let own = prompt::OWN_TEXTS.iter().map(|text| text.trim().to_owned());
                own.into_iter().find(|text| section.is_of(text))
            }
            (SectionKind::Turn | SectionKind::Draft, reason) => {
                let id = section.messages.first();
                let found = id.and_then(|id| stores.transcripts.message(*id).ok());
                found.map(|found| clean(words_of(&found.message.parts))).map(|text| match reason {
                    Reason::Shortened { chars } => text.chars().take(chars as usize).collect(),
                    _ => text,
                })
            }
            (SectionKind::Plan | SectionKind::Tools, _) => section.text.clone(),
            (SectionKind::Summary, _) => match &section.link {
                Some(link) => {
                    let at = told.iter().position(|it| link::to_summary(it.id) == *link)?;
                    let mut texts = tellings(&told[at], &told[at + 1..]);
                    texts.find(|text| section.is_of(&clean(text.clone())))
                }
                None => section.text.clone(),
            },
            (SectionKind::PersistentContext, _) => blocks.persistent.clone(),
            (SectionKind::VolatileContext, _) => blocks.volatile.clone(),
            // Found by itself, because it may be of an older version.
            (SectionKind::Memory, _) => None,
            (SectionKind::Passage, reason) if PassageOf::named(&section.id).is_some() => {
                self.recalled_text(sent, section, &reason, clean)
            }
            (SectionKind::Passage, Reason::Mentioned { lines }) => project.and_then(|project| {
                let path = mention::path_of(&section.source, lines);
                Some(mention::excerpt(clean(self.file_text(project, path).ok()?), lines))
            }),
            (SectionKind::Passage, _) => project
                .and_then(|project| self.conversations.passage_at(project, &section.source))
                .map(|found| found.text),
        }
    }

    /// A passage of an earlier message, under the heading that it was sent with.
    fn recalled_text(
        &self,
        sent: &Sent<'_>,
        section: &ManifestSection,
        reason: &Reason,
        clean: &dyn Fn(String) -> String,
    ) -> Option<String> {
        let (title, on) = prompt::of_source(&section.source)?;
        let (role, from, text) = match PassageOf::named(&section.id)? {
            PassageOf::Message(id) => {
                let message = sent.stores.transcripts.message(id).ok()?.message;
                let own = message.conversation_id == sent.turn.conversation_id;
                let from = if own { Whence::Here } else { Whence::Conversation(title) };
                (message.role, from, words_of(&message.parts))
            }
            PassageOf::Session(at) => {
                let conversation = sent.stores.transcripts.conversation(sent.turn.conversation_id);
                let project = sent.stores.records.project(conversation.ok()?.project_id?).ok()?;
                let said = sent.stores.vault.said(&at, &project.path).ok()??;
                (said.role, Whence::Session(at.agent), said.text)
            }
        };
        let text = clean(text);
        let body = match reason {
            Reason::Recalled { cut: Some(cut), .. } | Reason::Standing { cut: Some(cut) } => {
                cut.told(&text)
            }
            _ => text,
        };
        ["en", "ko"]
            .iter()
            .map(|language| {
                clean(prompt::headed(language, role, from, on, reason.otherwise(), &body))
            })
            .find(|text| section.is_of(text))
    }

    fn file_text(&self, project: &Project, path: &str) -> Result<String, FolderError> {
        self.privacy.text_to_send(project, path)
    }
}

/// The tools that a later call was offered, where they are those of the first: it says them for all.
fn tell_tools(manifest: &mut Manifest, first: &Manifest) {
    let untold = |section: &&mut ManifestSection| {
        section.kind == SectionKind::Tools && section.text.is_none()
    };
    for section in manifest.sections.iter_mut().filter(untold) {
        let mut told = first.sections.iter().filter_map(|of_first| of_first.text.as_ref());
        section.text = told.find(|text| section.is_of(text)).cloned();
    }
}

/// The summary that a section told.
fn told_in(stores: &Stores, section: &ManifestSection) -> Option<Record> {
    let id = section.link.as_ref()?.strip_prefix("silt:summary/")?;
    stores.summaries.summary(id.parse().ok()?).ok()
}
