//! What an agent outside wants to be remembered: it waits in the inbox with who proposes it, and is memory only once the
//! person says so.

use siltstone_contract::{Failure, LineWaits, ProposeLine, Topic};
use siltstone_engine::ids::InboxId;
use siltstone_engine::link;
use siltstone_engine::memory::{clean, hidden_count};
use siltstone_engine::tool::InboxRecord;

use super::{AgentService, one_line};
use crate::core::failure::{Outcome, bad_request, conflict};

/// Lines of agents that wait at most, so that whatever is proposed can still be read by a person.
const WAITING: u64 = 200;

/// Longest line together with its reason, in bytes.
const BYTES: usize = 4_000;

/// Messages that one may name as what it rests on.
const EVIDENCE: usize = 8;

/// Characters of what an agent calls itself.
const NAME: usize = 60;

impl AgentService {
    pub(crate) fn propose(&self, request: ProposeLine) -> Result<LineWaits, Failure> {
        let ProposeLine { project_id, from, text, why, evidence, for_all_projects } = request;
        let project = project_id.map(|id| self.trusted(id)).transpose()?;
        let stores = self.core.stores()?;
        let hidden = (hidden_count(&text) + hidden_count(&why)) as u64;
        let (text, mut why) = (clean(&text).trim().to_owned(), clean(&why).trim().to_owned());
        if text.is_empty() || text.len() + why.len() > BYTES {
            return Err(bad_request(
                "propose one line of at most 4,000 bytes together with its reason",
            ));
        }
        if evidence.len() > EVIDENCE {
            return Err(bad_request("name eight messages at most"));
        }
        let mut rests_on = Vec::new();
        for id in evidence {
            let outside = || bad_request("there is no project here that a message could be of");
            let project = project.as_ref().ok_or_else(outside)?;
            rests_on.push(self.message_in(&stores, project.id, id)?);
        }
        for other in rests_on.iter().skip(1) {
            why.push('\n');
            why.push_str(&link::to_message(other.id));
        }
        let cleaner = self.privacy.strict_cleaner();
        let first = rests_on.first();
        let record = InboxRecord {
            id: InboxId::new(self.core.now()),
            project_id: project.map(|project| project.id),
            conversation_id: first.map(|message| message.conversation_id),
            message_id: first.map(|message| message.id),
            text: cleaner.text(&text).into_owned(),
            why: cleaner.text(&why).into_owned(),
            for_all_projects: for_all_projects || project_id.is_none(),
            at: self.core.now(),
            from: Some(named(&from)),
        };
        if !stores.tools.put_inbox_within(&record, WAITING).or_failure()? {
            return Err(conflict(
                "200 lines of agents wait for the user already; nothing was added",
            ));
        }
        self.core.changed([Topic::Tools]);
        Ok(LineWaits { hidden })
    }
}

/// What an agent calls itself, as it can be shown.
fn named(from: &str) -> String {
    match one_line(from, NAME) {
        name if name.is_empty() => "?".to_owned(),
        name => name,
    }
}
