//! Calls of tools while a reply comes: what is said of them, and what is answered when they wait.
//!
//! Nobody sits at this program, so it answers at once: what was allowed by name goes, once for each time it was named;
//! anything else is refused, and the model is told how it could be allowed.

use siltstone_contract::{
    AnswerApproval, Approval, ApprovalAnswer, ConversationRef, Failure, ToolProgress,
};
use siltstone_engine::ids::ConversationId;
use siltstone_engine::run::NodeStatus;

use crate::host::Host;

/// The calls that the person let go before they came: one for each time that a tool was named.
pub struct Allowed(Vec<String>);

impl Allowed {
    /// As the command line names them.
    pub fn of(tools: &[String]) -> Self {
        Self(tools.to_vec())
    }

    /// Whether one more call of the tool may go; it is used up by that.
    fn take(&mut self, tool: &str) -> bool {
        let place = self.0.iter().position(|named| named == tool);
        place.is_some_and(|place| self.0.remove(place) == tool)
    }
}

/// Answers every call of a conversation that waits.
pub async fn answer(host: &Host, id: ConversationId, allowed: &mut Allowed) -> Result<(), Failure> {
    for waiting in host.app.approval_list(ConversationRef { id }).await? {
        let answer = match allowed.take(&waiting.tool) {
            true => ApprovalAnswer::Once,
            // The words beside a no would be another task for an agent; the person reads them in its line.
            false if is_of_agent(&waiting) => ApprovalAnswer::No { note: String::new() },
            false => {
                let how = format!("It can be allowed with --allow {}, once a call.", waiting.tool);
                ApprovalAnswer::No { note: how }
            }
        };
        let (call_id, hash) = (waiting.call_id, waiting.hash);
        let request = AnswerApproval { conversation_id: id, call_id, hash, answer };
        host.app.approval_answer(request).await?;
    }
    Ok(())
}

/// Whether an agent asks, not a tool that a model called.
fn is_of_agent(waiting: &Approval) -> bool {
    let agent = waiting.server.as_deref().unwrap_or_default();
    waiting.tool.strip_prefix(agent).is_some_and(|kind| kind.starts_with(": "))
}

/// A line about a call for the person; `None` while it has only begun.
pub fn line(host: &Host, call: &ToolProgress) -> Option<String> {
    let how = match call.status {
        NodeStatus::Waiting | NodeStatus::Running => return None,
        NodeStatus::Done => host.out.lang.pick("done", "끝남"),
        NodeStatus::Failed => host.out.lang.pick("failed", "실패"),
        NodeStatus::Denied => host.out.lang.pick("refused", "거절됨"),
        NodeStatus::Stopped => host.out.lang.pick("stopped", "멈춤"),
    };
    let kept = match call.kept {
        true => host
            .out
            .lang
            .pick(", kept for the conversation by your rule", ", 규칙에 따라 이 대화에 남김"),
        false => "",
    };
    Some(format!("{} {}: {how}{kept}", call.tool, call.about))
}
