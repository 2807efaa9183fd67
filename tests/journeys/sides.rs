//! One question asked of several models: one after the other, each with a request of its own that holds what was chosen
//! for the question, and each answer a version that can be gone on with.

use std::sync::Arc;

use siltstone_contract::{
    Code, ConversationRef, DefaultModel, MessageRef, PreviewRequest, SendMessage, Sent, Version,
};
use siltstone_engine::ids::ConversationId;
use siltstone_engine::message::{MessageStatus, text_of};
use siltstone_engine::project::Trust;
use siltstone_engine::provider::{ModelRequest, OFFLINE, ProviderError};
use siltstone_engine::section::SectionKind;
use siltstone_engine::wish::Wish;
use siltstone_test_servers::until::until;

use crate::scripted::{Latch, Scripted, Step};
use crate::world::Journey;

fn model(name: &str) -> DefaultModel {
    DefaultModel { provider: OFFLINE.to_owned(), model: name.to_owned() }
}

/// Each model says its own name; `broken` says nothing at all, and `slow` waits.
fn by_name(slow: Latch) -> Scripted {
    Scripted::answering(move |request| match request.model.as_str() {
        "broken" => vec![Step::Fail(ProviderError::Cut { detail: "planted".into() })],
        "slow" => vec![Step::Until(slow.clone()), Step::Say("slow"), Step::Finish],
        "first" => vec![Step::Say("first"), Step::Finish],
        "second" => vec![Step::Say("second"), Step::Finish],
        _ => vec![Step::Say("own"), Step::Finish],
    })
}

impl Journey {
    async fn ask_all(&self, id: ConversationId, text: &str, also: &[&str]) -> Sent {
        let request = SendMessage {
            conversation_id: id,
            text: text.into(),
            attachments: Vec::new(),
            context: None,
            also: also.iter().map(|name| model(name)).collect(),
        };
        self.app.send(request).await.unwrap()
    }

    async fn versions(&self, id: ConversationId) -> Vec<Version> {
        let id = self.path(id).await.pop().unwrap().id;
        self.app.conversation_versions(MessageRef { id }).await.unwrap()
    }
}

fn said(versions: &[Version]) -> Vec<String> {
    let last = |version: &Version| text_of(&version.messages.last().unwrap().parts);
    versions.iter().map(last).collect()
}

fn texts(request: &ModelRequest) -> Vec<&str> {
    request.sections.iter().map(|section| section.text.as_str()).collect()
}

#[tokio::test]
async fn every_model_gets_what_was_chosen_for_the_question_and_any_answer_can_be_gone_on_with() {
    let provider = by_name(Latch::default());
    let journey = Journey::with(Arc::new(provider.clone()));
    let project = journey.open(Trust::Trusted).await;
    let id = journey.conversation(Some(project)).await;
    journey.ask(id, "Hello?").await;
    let memory = {
        let asked = provider.asked.lock().unwrap();
        let found = asked[0].sections.iter().find(|it| it.kind == SectionKind::Memory).unwrap();
        found.clone()
    };
    journey.want(id, &memory.id, Some(Wish::LeftOut)).await;
    let draft = "Which port?".to_owned();
    let preview =
        PreviewRequest { conversation_id: id, draft, context: None, model: Some(model("second")) };
    let shown = journey.app.request_preview(preview).await.unwrap();
    assert_eq!(shown.model, "second");

    journey.ask_all(id, "Which port?", &["first", "second"]).await;
    journey.settled(id).await;
    let asked = provider.asked.lock().unwrap().clone();
    let names: Vec<&str> = asked[1..].iter().map(|request| request.model.as_str()).collect();
    assert_eq!(names[1..], ["first", "second"]);
    let but_the_model = |request: &ModelRequest| -> Vec<String> {
        let name = format!("model: {}", request.model);
        texts(request).into_iter().map(|text| text.replace(&name, "model")).collect()
    };
    let own = but_the_model(&asked[1]);
    assert_eq!(but_the_model(&asked[2]), own, "nobody sees what another one said");
    assert_eq!(but_the_model(&asked[3]), own);
    let previewed: Vec<&str> = shown.sections.iter().map(|it| it.text.as_str()).collect();
    assert_eq!(texts(&asked[3]), previewed, "what is sent is what was shown for that model");
    assert!(!texts(&asked[3]).contains(&memory.text.as_str()));

    let versions = journey.versions(id).await;
    assert_eq!(said(&versions), ["own", "first", "second"]);
    assert!(versions.iter().all(|version| version.provider.as_deref() == Some(OFFLINE)));
    let keep = versions[1].messages[0].id;
    journey.app.branch_switch(MessageRef { id: keep }).await.unwrap();
    journey.ask(id, "And then?").await;
    assert_eq!(journey.said(id).await[2..], ["Which port?", "first", "And then?", "own"]);
    let last = provider.asked.lock().unwrap().last().unwrap().clone();
    assert!(texts(&last).contains(&memory.text.as_str()), "what was left out was so once");
    assert!(texts(&last).contains(&"first") && !texts(&last).contains(&"second"));
}

#[tokio::test]
async fn stopping_asks_nobody_else() {
    let slow = Latch::default();
    let journey = Journey::with(Arc::new(by_name(slow.clone())));
    let id = journey.conversation(None).await;
    journey.ask_all(id, "Which port?", &["slow", "first"]).await;
    // The second of three is on its way, and the third waits.
    until("the second model to be asked", async || {
        let detail = journey.app.conversation_get(ConversationRef { id }).await.unwrap();
        detail.also == [model("first")]
    })
    .await;
    journey.app.stop(ConversationRef { id }).await.unwrap();
    journey.settled(id).await;
    assert_eq!(said(&journey.versions(id).await), ["own", ""]);
    assert_eq!(journey.said(id).await, ["Which port?", "own"], "it goes on from the answer");
    let detail = journey.app.conversation_get(ConversationRef { id }).await.unwrap();
    assert!(detail.also.is_empty() && detail.open_turn.is_none());
}

#[tokio::test]
async fn one_that_fails_keeps_nobody_from_answering_and_is_asked_again_by_name() {
    let provider = by_name(Latch::default());
    let journey = Journey::with(Arc::new(provider.clone()));
    let project = journey.open(Trust::Trusted).await;
    let id = journey.conversation(Some(project)).await;
    let rules = journey.preview(id, "Hi?").await.sections;
    let memory = rules.iter().find(|it| it.kind == SectionKind::Memory).unwrap().clone();
    journey.want(id, &memory.id, Some(Wish::LeftOut)).await;
    journey.ask_all(id, "Which port?", &["broken", "second"]).await;
    journey.settled(id).await;
    let versions = journey.versions(id).await;
    assert_eq!(said(&versions), ["own", "", "second"]);
    assert_eq!(versions[1].messages[0].status, MessageStatus::Failed);

    // The last one failed: what was left out for the question was used by the one that answered.
    journey.want(id, &memory.id, Some(Wish::LeftOut)).await;
    journey.ask_all(id, "Which host?", &["broken"]).await;
    journey.settled(id).await;
    let now = journey.preview(id, "And now?").await.sections;
    assert!(now.iter().any(|section| section.id == memory.id));
    assert_eq!(journey.said(id).await[2..], ["Which host?", "own"], "it goes on from an answer");

    let failed = journey.versions(id).await[1].messages[0].id;
    let again =
        siltstone_contract::Regenerate { id: failed, context: None, model: Some(model("first")) };
    journey.app.regenerate(again).await.unwrap();
    journey.settled(id).await;
    assert_eq!(said(&journey.versions(id).await), ["own", "", "first"]);
    let detail = journey.app.conversation_get(ConversationRef { id }).await.unwrap();
    assert_ne!(detail.model, "first", "the conversation's own model is as it was");
}

#[tokio::test]
async fn a_message_that_waited_is_asked_of_all_and_too_many_are_refused() {
    let slow = Latch::default();
    let provider = by_name(slow.clone());
    let journey = Journey::with(Arc::new(provider.clone()));
    let id = journey.conversation(None).await;
    let choice = Some(model("slow"));
    let choose = siltstone_contract::ChooseModel { id, choice };
    journey.app.conversation_model(choose).await.unwrap();
    journey.send(id, "One?").await;
    let queued = journey.ask_all(id, "Two?", &["first"]).await;
    assert!(matches!(queued, Sent::Queued { .. }));
    let detail = journey.app.conversation_get(ConversationRef { id }).await.unwrap();
    assert_eq!(detail.queued_also[0].models, [model("first")], "who is asked is shown");
    slow.open();
    journey.settled(id).await;
    assert_eq!(journey.said(id).await, ["One?", "slow", "Two?", "first"]);
    assert_eq!(said(&journey.versions(id).await), ["slow", "first"]);

    let many = SendMessage {
        conversation_id: id,
        text: "Three?".into(),
        attachments: Vec::new(),
        context: None,
        also: ["a", "b", "c", "d"].iter().map(|name| model(name)).collect(),
    };
    assert_eq!(journey.app.send(many).await.unwrap_err().code, Code::BadRequest);
}

#[tokio::test]
async fn what_waited_behind_a_model_that_fails_is_sent_and_what_is_chosen_meanwhile_is_for_that() {
    let slow = Latch::default();
    let provider = by_name(slow.clone());
    let journey = Journey::with(Arc::new(provider.clone()));
    let project = journey.open(Trust::Trusted).await;
    let id = journey.conversation(Some(project)).await;
    let rules = journey.preview(id, "Hi?").await.sections;
    let memory = rules.iter().find(|it| it.kind == SectionKind::Memory).unwrap().clone();
    let choice = Some(model("slow"));
    journey.app.conversation_model(siltstone_contract::ChooseModel { id, choice }).await.unwrap();
    journey.ask_all(id, "Three?", &["second", "broken"]).await;
    assert!(matches!(journey.send(id, "Four?").await, Sent::Queued { .. }));
    until("the first to be asked", async || !provider.asked.lock().unwrap().is_empty()).await;
    journey.want(id, &memory.id, Some(Wish::LeftOut)).await;
    slow.open();
    journey.settled(id).await;
    assert_eq!(journey.said(id).await, ["Three?", "second", "Four?", "slow"]);
    let asked = provider.asked.lock().unwrap().clone();
    let has: Vec<bool> =
        asked.iter().map(|request| texts(request).contains(&memory.text.as_str())).collect();
    assert_eq!(has, [true, true, true, false], "it was left out for what comes next");
}
