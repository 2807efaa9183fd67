//! Passages of kept sessions of agents, where the person lets those that worked in a project into its requests.
//!
//! They are weighed as messages are, by their words alone, and shown as data with whose session it is. Nothing goes of what
//! tools answered, of a compaction's summary, of another folder, or of what was forgotten since.

use std::cmp::Reverse;
use std::collections::HashMap;

use siltstone_contract::Failure;
use siltstone_engine::TimeZone;
use siltstone_engine::conversation::Conversation;
use siltstone_engine::ids::{ConversationId, MessageId};
use siltstone_engine::recall::{Candidate, Candidates, RecallScope, Recollection, phrases, weigh};
use siltstone_engine::section::PassageOf;
use siltstone_engine::summary::SummarySettings;
use siltstone_engine::vault::{Said, SaidAt, SaidCandidates, SaidNear};

use super::recalling::{CANDIDATES, Hit, READ, add, looked_for};
use crate::core::blocking;
use crate::core::failure::Outcome;
use crate::search::SearchService;

impl SearchService {
    /// What of sessions may go with `asked`, best first, and what of them is pinned.
    pub(super) async fn recalled_of_sessions(
        &self,
        conversation: &Conversation,
        settings: &SummarySettings,
        asked: &str,
    ) -> Result<Vec<Recollection>, Failure> {
        let stores = self.core.stores()?;
        let Some(project) = conversation.project_id else { return Ok(Vec::new()) };
        if settings.recall.scope == RecallScope::Conversation
            || !stores.records.settings().or_failure()?.recall_sessions.contains(&project)
        {
            return Ok(Vec::new());
        }
        let folder = stores.records.project(project).or_failure()?.path;
        let pinned: Vec<PassageOf> = conversation.wishes.pinned_passages().collect();
        let (this, asked) = (self.clone(), looked_for(asked));
        blocking(move || {
            let mut found = this.weighed_in_sessions(&asked, &folder)?;
            for of in pinned {
                let PassageOf::Session(at) = &of else { continue };
                if found.iter().all(|it| it.of != of)
                    && let Some(said) = stores.vault.said(at, &folder).or_failure()?
                {
                    found.extend(this.said_in_session(at.clone(), &said));
                }
            }
            Ok(found)
        })
        .await?
    }

    fn weighed_in_sessions(&self, asked: &str, folder: &str) -> Result<Vec<Recollection>, Failure> {
        let wanted = phrases(asked);
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let vault = self.core.stores()?.vault;
        let SaidCandidates { said, all, having } =
            vault.candidates(&wanted, folder, CANDIDATES).or_failure()?;
        let zone = TimeZone::system();
        let day = |at| zone.to_datetime(at).date();
        let now = self.core.now();
        let candidates = Candidates { messages: candidates(&said, now), all, having };
        let weighed = weigh(asked, day(now), &wanted, &candidates, &[], &self.recalling.reads, day);
        let mut found: Vec<Recollection> = Vec::new();
        for it in weighed {
            let SaidNear { at, said, .. } = &said[it.of.place];
            let of = PassageOf::Session(at.clone());
            let known = found.iter().position(|known| known.of == of);
            let known = match known {
                Some(known) => known,
                None if found.len() == READ => continue,
                None => {
                    found.extend(self.said_in_session(at.clone(), said));
                    match found.iter().rposition(|known| known.of == of) {
                        Some(known) => known,
                        None => continue,
                    }
                }
            };
            let message_id = candidates.messages[it.of.place].message_id;
            let (stretch, worth) = (it.of.stretch, it.worth);
            let hit = Hit {
                message_id,
                stretch,
                worth,
                by_meaning: false,
                score: it.score,
                beside: None,
                otherwise: None,
            };
            add(&mut found[known], hit);
        }
        found.sort_by_key(|it| Reverse(it.worth));
        Ok(found)
    }

    /// What may be shown of it, nothing yet; `None` where nobody knows when it was said.
    fn said_in_session(&self, at: SaidAt, said: &Said) -> Option<Recollection> {
        let when = said.at?;
        Some(Recollection {
            of: PassageOf::Session(at),
            title: String::new(),
            own: false,
            role: said.role,
            at: when,
            on: TimeZone::system().to_datetime(when).date(),
            text: self.privacy.cleaner().text(&said.text).into_owned(),
            parts: Vec::new(),
            worth: 0,
            by_meaning: false,
            beside: None,
            standing: None,
        })
    }
}

/// As messages of conversations, for those who weigh them. What stands beside a thing that was named follows it.
fn candidates(said: &[SaidNear], now: siltstone_engine::Timestamp) -> Vec<Candidate> {
    let mut sessions: HashMap<(&str, &str), ConversationId> = HashMap::new();
    let mut messages: Vec<Candidate> = Vec::with_capacity(said.len());
    for it in said {
        let session = (it.at.agent.name(), it.at.session.as_str());
        let conversation_id = *sessions.entry(session).or_insert_with(|| ConversationId::new(now));
        let before = messages.last().filter(|last| {
            last.conversation_id == conversation_id
                && last.index < it.said.entry
                && (last.named || it.named)
        });
        messages.push(Candidate {
            message_id: MessageId::new(now),
            parent_id: before.map(|before| before.message_id),
            conversation_id,
            seq: it.seq,
            index: it.said.entry,
            role: it.said.role,
            text: it.said.text.clone(),
            at: it.said.at.unwrap_or(now),
            named: it.named,
            shown: true,
        });
    }
    messages
}
