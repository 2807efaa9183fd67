//! Lines that models want to be remembered: nothing of them is memory before the person says so.

use std::sync::Arc;

use siltstone_contract::{AcceptInbox, Code, InboxItem, InboxRef, LineRef, MemoryAt, ToolsAt};
use siltstone_engine::Timestamp;
use siltstone_engine::ids::{ConversationId, InboxId, MessageId, ProjectId};
use siltstone_engine::memory::Effective;
use siltstone_engine::ports::DataFolder;
use siltstone_engine::project::Trust;
use siltstone_engine::tool::InboxRecord;
use siltstone_secrets::Seals;
use siltstone_storage::DataDir;

use crate::world::Journey;

fn lines(effective: Effective) -> String {
    effective.lines.into_iter().map(|line| line.text + "\n").collect()
}

async fn inbox(journey: &Journey, project: ProjectId) -> Vec<InboxItem> {
    journey.app.inbox_list(ToolsAt { project_id: Some(project) }).await.unwrap()
}

/// A line that a model proposed in a conversation.
fn propose(journey: &Journey, project: ProjectId, id: ConversationId, text: &str) -> InboxId {
    let data = DataDir::new(journey.data.path().to_path_buf(), Arc::new(Seals));
    let stores = data.open(Timestamp::now()).unwrap();
    let now = Timestamp::now();
    let record = InboxRecord {
        id: InboxId::new(now),
        project_id: Some(project),
        conversation_id: Some(id),
        message_id: Some(MessageId::new(now)),
        text: text.into(),
        why: "you said so".into(),
        for_all_projects: false,
        at: now,
        from: None,
    };
    stores.tools.put_inbox(&record).unwrap();
    record.id
}

#[tokio::test]
async fn what_a_model_wants_to_be_remembered_is_memory_once_the_person_says_so() {
    let journey = Journey::offline();
    let project = journey.open(Trust::Trusted).await;
    let id = journey.conversation(Some(project)).await;
    let secret = ["ghp", "_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let first = propose(&journey, project, id, "Use pnpm.");
    let second = propose(&journey, project, id, &format!("Log in with {secret}."));
    let third = propose(&journey, project, id, "Answer in Korean.");
    let items = inbox(&journey, project).await;
    assert_eq!(items.iter().map(|item| item.id).collect::<Vec<_>>(), [first, second, third]);
    assert!(!items[1].text.contains(&secret) && items[1].text.contains("[redacted: "));
    let at = MemoryAt { project_id: Some(project), conversation_id: None, dir: None };
    let effective = async || lines(journey.app.memory_effective(at.clone()).await.unwrap());
    assert!(!effective().await.contains("pnpm"), "nothing is memory by itself");

    // In the person's words, with where it comes from, and undone like any other line.
    let accept = |id, text: &str, global| AcceptInbox { id, text: text.into(), global };
    let empty = journey.app.inbox_accept(accept(first, "  ", false)).await;
    assert_eq!(empty.unwrap_err().code, Code::BadRequest);
    let line =
        journey.app.inbox_accept(accept(first, "Use pnpm, never npm.", false)).await.unwrap();
    assert_eq!((line.text.as_str(), line.project_id), ("Use pnpm, never npm.", Some(project)));
    assert_eq!(line.source, items[0].message_id.map(|id| format!("silt:message/{id}")));
    assert!(effective().await.contains("Use pnpm, never npm."));
    journey.app.memory_remove(LineRef { id: line.id }).await.unwrap();
    assert!(!effective().await.contains("pnpm"));
    journey.app.memory_undo(LineRef { id: line.id }).await.unwrap();
    assert!(effective().await.contains("pnpm"));
    let twice = journey.app.inbox_accept(accept(first, "Use pnpm.", false)).await;
    assert_eq!(twice.unwrap_err().code, Code::Conflict);

    journey.app.inbox_dismiss(InboxRef { id: second }).await.unwrap();
    journey.app.inbox_accept(accept(third, "Answer in Korean.", true)).await.unwrap();
    assert!(inbox(&journey, project).await.is_empty());
    // Global memory speaks to every project, and to conversations without one.
    let none = MemoryAt { project_id: None, conversation_id: None, dir: None };
    let all = lines(journey.app.memory_effective(none).await.unwrap());
    assert!(all.contains("Answer in Korean.") && !all.contains("pnpm"), "{all}");
}
