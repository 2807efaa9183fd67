//! Results that are kept for a conversation by a rule of the person's (behaviour.md, Memory). Turns call it; what a person
//! keeps by hand is memory's own.

use siltstone_contract::Failure;
use siltstone_engine::link;
use siltstone_engine::memory::LineKind;
use siltstone_engine::message::Message;
use siltstone_engine::tool::mcp;

use crate::core::failure::Outcome;
use crate::tools::ToolService;

impl ToolService {
    /// Keeps the result of a call if a rule says so; whether it did. That it could not be kept is in no turn's way.
    pub(crate) fn keep_by_rule(
        &self,
        result: &Message,
        tool: &str,
        about: &str,
        text: &str,
    ) -> bool {
        let kept = self.kept_by_rule(result, tool, about, text);
        kept.unwrap_or_else(|failure| {
            tracing::warn!(%failure, "keeping the result of a tool");
            false
        })
    }

    fn kept_by_rule(
        &self,
        result: &Message,
        tool: &str,
        about: &str,
        text: &str,
    ) -> Result<bool, Failure> {
        if text.trim().is_empty() || !self.tool_settings()?.keeps(tool, about) {
            return Ok(false);
        }
        let transcripts = self.core.stores()?.transcripts;
        let conversation = transcripts.conversation(result.conversation_id).or_failure()?;
        let kind = if mcp::is_of_server(tool) { LineKind::Mcp } else { LineKind::ToolResult };
        self.memory.keep(&conversation, kind, text, link::to_message(result.id))?;
        Ok(true)
    }
}
