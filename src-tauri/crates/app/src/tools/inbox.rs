//! Lines that models want to be remembered. Nothing of them is memory before the person says so, in words of the
//! person's choice.

use siltstone_contract::{
    AcceptInbox, AddMemory, Failure, InboxItem, InboxRef, LineRef, MoveLine, ToolsAt, Topic,
};
use siltstone_engine::ids::InboxId;
use siltstone_engine::link;
use siltstone_engine::memory::{MemoryLayer, MemoryLine};
use siltstone_engine::tool::InboxRecord;

use crate::core::failure::{Outcome, bad_request, conflict};
use crate::tools::ToolService;

impl ToolService {
    /// Lines that models want to be remembered, oldest first, without secrets.
    pub async fn inbox_list(&self, request: ToolsAt) -> Result<Vec<InboxItem>, Failure> {
        let waiting = self.core.stores()?.tools.inbox(request.project_id).or_failure()?;
        let cleaner = self.privacy.strict_cleaner();
        let shown = |record: InboxRecord| InboxItem {
            id: record.id,
            project_id: record.project_id,
            conversation_id: record.conversation_id,
            message_id: record.message_id,
            text: cleaner.text(&record.text).into_owned(),
            why: cleaner.text(&record.why).into_owned(),
            for_all_projects: record.for_all_projects,
            at: record.at,
            from: record.from,
        };
        Ok(waiting.into_iter().map(shown).collect())
    }

    /// Takes one into memory, in the words that the person agreed to: a line of the project, or of the file of global
    /// memory.
    pub async fn inbox_accept(&self, request: AcceptInbox) -> Result<MemoryLine, Failure> {
        if request.text.trim().is_empty() {
            return Err(bad_request("there is nothing to remember"));
        }
        // First, so that of two clicks one counts.
        let record = self.taken_from_inbox(request.id)?;
        let line = self.remembered(&record, request.text, request.global).await;
        if line.is_err() {
            self.core.stores()?.tools.put_inbox(&record).or_failure()?;
        }
        self.core.changed([Topic::Tools, Topic::Memory]);
        line
    }

    /// Does not want one.
    pub async fn inbox_dismiss(&self, request: InboxRef) -> Result<(), Failure> {
        self.taken_from_inbox(request.id)?;
        self.core.changed([Topic::Tools, Topic::Memory]);
        Ok(())
    }

    fn taken_from_inbox(&self, id: InboxId) -> Result<InboxRecord, Failure> {
        let taken = self.core.stores()?.tools.take_inbox(id).or_failure()?;
        taken.ok_or_else(|| conflict("this line was answered already"))
    }

    async fn remembered(
        &self,
        record: &InboxRecord,
        text: String,
        global: bool,
    ) -> Result<MemoryLine, Failure> {
        let line = AddMemory {
            project_id: record.project_id,
            conversation_id: None,
            text,
            source: record.message_id.map(link::to_message),
        };
        let line = self.memory.memory_add(line).await?;
        if global {
            let to = MemoryLayer::Global;
            if let Err(failure) = self.memory.memory_move(MoveLine { id: line.id, to }).await {
                self.memory.memory_remove(LineRef { id: line.id }).await?;
                return Err(failure);
            }
        }
        self.core.stores()?.memory.line(line.id).or_failure()
    }
}
