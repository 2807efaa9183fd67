//! What is typed where an id is asked: the id itself, or `last` for the newest there is.

use std::str::FromStr;

use siltstone_contract::{Code, ConversationRef, Failure, ListConversations};
use siltstone_engine::ids::{ConversationId, MessageId, SummaryId, TurnId};
use siltstone_engine::message::{Message, Role};

use super::conversation;
use crate::host::Host;
use crate::out::Stop;

/// The word for the newest one.
pub const LAST: &str = "last";

/// An id as typed. What is no id names nothing.
pub fn id<T: FromStr>(what: &str, typed: &str) -> Result<T, Stop> {
    typed.parse().map_err(|_| missing(what, typed))
}

fn missing(what: &str, typed: &str) -> Stop {
    Stop::Failure(Failure::new(Code::NotFound, format!("no {what} {typed}")))
}

/// A conversation. The last one is that of the project, or of none, in which something was said last.
pub async fn conversation(host: &Host, typed: &str) -> Result<ConversationId, Stop> {
    if typed != LAST {
        return id("conversation", typed);
    }
    let project_id = host.project().await?.map(|project| project.id);
    let all = host.app.conversation_list(ListConversations { project_id, trashed: false }).await?;
    let own = all.into_iter().filter(|it| it.project_id == project_id);
    let last = own.max_by_key(|it| it.updated_at).map(|it| it.id);
    last.ok_or_else(|| {
        let lang = host.out.lang;
        let message = lang.pick("no conversation here to go on with", "여기에는 이어 갈 대화가 없습니다");
        let hint = lang.pick(
            "With `silt chat TEXT` a new one begins; `silt conversation list --all` names those of other places.",
            "`silt chat 메시지`로 새로 시작하세요. 다른 곳의 대화는 `silt conversation list --all`로 볼 수 있습니다.",
        );
        Stop::Value { message: message.to_owned(), hint: hint.to_owned() }
    })
}

/// A message. The last one is what this role said last on the shown branch of the last conversation.
pub async fn message(host: &Host, typed: &str, of: Role) -> Result<MessageId, Stop> {
    if typed != LAST {
        return id("message", typed);
    }
    let shown = last_path(host).await?;
    let said = shown.iter().rev().find(|message| message.role == of);
    said.map(|message| message.id).ok_or_else(|| missing("message", typed))
}

/// A turn, by its own id or by that of its reply. The last one is that of the last reply in the last conversation.
pub async fn turn(host: &Host, typed: &str) -> Result<TurnId, Stop> {
    if typed == LAST {
        let shown = last_path(host).await?;
        let turn = shown.iter().rev().find_map(|message| message.turn_id);
        return turn.ok_or_else(|| missing("turn", typed));
    }
    if let Some(message) = typed.parse().ok()
        && let Ok(of) = host.app.conversation_of(message)
    {
        let all = conversation::messages(host, of).await?;
        let turn = all.into_iter().find(|it| it.id == message).and_then(|it| it.turn_id);
        return turn.ok_or_else(|| missing("turn", typed));
    }
    id("turn", typed)
}

/// A summary. The last one is the newest that is told in the last conversation.
pub async fn summary(host: &Host, typed: &str) -> Result<SummaryId, Stop> {
    if typed != LAST {
        return id("summary", typed);
    }
    let id = conversation(host, typed).await?;
    let list = host.app.summary_list(ConversationRef { id }).await?;
    list.shown.last().copied().ok_or_else(|| missing("summary", typed))
}

async fn last_path(host: &Host) -> Result<Vec<Message>, Stop> {
    let id = conversation(host, LAST).await?;
    conversation::path(host, id).await
}
