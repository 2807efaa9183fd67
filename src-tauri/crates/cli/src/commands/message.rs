//! `silt message`: what is done to a single message. Replies come as those of `silt chat`.

use serde_json::json;
use siltstone_contract::{
    BroughtContext, DefaultModel, EditMessage, Failure, MessageRef, Regenerate, Sent,
};
use siltstone_engine::ids::MessageId;
use siltstone_engine::message::{Role, text_of};

use super::chat::{interrupts, other_model, over_limit, streamed, under};
use super::named::{self, id};
use crate::args::{Asking, Message};
use crate::host::Host;
use crate::input;
use crate::out::Stop;

/// What is asked about a message.
enum Again {
    Edited(String),
    Regenerated(Option<DefaultModel>),
    Continued,
}

pub async fn run(host: &Host, command: Message) -> Result<(), Stop> {
    match command {
        Message::Edit { id, asking, text } => {
            let text = match text.join(" ") {
                dash if dash == "-" => input::stdin()?,
                text => text,
            };
            let id = named::message(host, &id, Role::User).await?;
            ask(host, id, asking, Again::Edited(text)).await
        }
        Message::Regenerate { id, model, asking } => {
            let id = named::message(host, &id, Role::Assistant).await?;
            let model = match model {
                None => None,
                Some(typed) => {
                    let conversation = host.app.conversation_of(id)?;
                    Some(other_model(host, conversation, &typed).await?)
                }
            };
            ask(host, id, asking, Again::Regenerated(model)).await
        }
        Message::Versions { id } => {
            let id = named::message(host, &id, Role::Assistant).await?;
            let versions = host.app.conversation_versions(MessageRef { id }).await?;
            if host.out.json {
                return host.out.value(&versions);
            }
            versions.iter().try_for_each(|version| {
                let Some(last) = version.messages.last() else { return Ok(()) };
                host.out.line(&under(version))?;
                host.out.line(&format!("{}\n", text_of(&last.parts)))
            })
        }
        Message::Continue { id, asking } => {
            let id = named::message(host, &id, Role::Assistant).await?;
            ask(host, id, asking, Again::Continued).await
        }
        Message::Branch { id: typed } => {
            let id: MessageId = id("message", &typed)?;
            host.app.branch_switch(MessageRef { id }).await?;
            let conversation_id = host.app.conversation_of(id)?;
            if host.out.json {
                let shown = json!({"conversation_id": conversation_id, "message_id": id});
                return host.out.value(&shown);
            }
            host.out
                .note(&format!("{} {conversation_id}", host.out.lang.pick("conversation", "대화")));
            Ok(())
        }
    }
}

async fn ask(host: &Host, id: MessageId, asking: Asking, again: Again) -> Result<(), Stop> {
    let conversation_id = host.app.conversation_of(id)?;
    let context = host.brought_from_here(conversation_id, None).await?;
    let mut interrupts = interrupts();
    let sent = match sent(host, id, &again, context.clone()).await {
        Err(failure) => {
            over_limit(host, failure, &asking).await?;
            sent(host, id, &again, context).await?
        }
        Ok(sent) => sent,
    };
    streamed(host, conversation_id, sent, &asking, &mut interrupts).await
}

async fn sent(
    host: &Host,
    id: MessageId,
    again: &Again,
    context: Option<BroughtContext>,
) -> Result<Sent, Failure> {
    match again {
        Again::Edited(text) => {
            let text = text.clone();
            host.app.edit(EditMessage { id, text, attachments: None, context }).await
        }
        Again::Regenerated(model) => {
            host.app.regenerate(Regenerate { id, context, model: model.clone() }).await
        }
        Again::Continued => host.app.continue_reply(MessageRef { id }).await,
    }
}
