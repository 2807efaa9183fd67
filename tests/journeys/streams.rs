//! Replies that do not end well: everything that came is kept, and the person is told why.

use std::sync::Arc;
use std::time::Duration;

use siltstone_contract::{
    ConversationRef, MessageRef, PageConversation, PreviewRequest, ProviderRef, Regenerate, Sent,
    TurnEvent,
};
use siltstone_engine::Timestamp;
use siltstone_engine::egress::Pause;
use siltstone_engine::message::{MessageStatus, Role};
use siltstone_engine::project::Trust;
use siltstone_engine::prompt;
use siltstone_engine::provider::{
    FinishReason, ModelInfo, ModelRequest, ProviderError, WindowSource,
};
use siltstone_engine::section::Reason;
use siltstone_engine::settings::Settings;
use siltstone_test_servers::until::until;

use crate::scripted::{Latch, Scripted, Step};
use crate::world::{Journey, app_on, text};

const A_WHILE: Duration = Duration::from_millis(400);

fn scripted(scripts: impl IntoIterator<Item = Vec<Step>>) -> (Journey, Scripted) {
    let model = Scripted::new(scripts);
    (Journey::with(Arc::new(model.clone())), model)
}

async fn says(journey: &Journey, id: siltstone_engine::ids::ConversationId, expected: &str) {
    let what = format!("{expected:?} to be said");
    until(&what, async || journey.said(id).await.last().is_some_and(|said| said == expected)).await;
}

#[tokio::test]
async fn a_stopped_reply_keeps_its_text_and_continues_after_it() {
    let rest = vec![Step::Say(" and sand"), Step::Finish];
    let (journey, model) = scripted([vec![Step::Say("stone"), Step::Hang], rest]);
    let id = journey.conversation(None).await;
    journey.send(id, "what is here?").await;
    says(&journey, id, "stone").await;
    journey.app.stop(ConversationRef { id }).await.unwrap();
    journey.settled(id).await;
    let stopped = journey.path(id).await.pop().unwrap();
    assert_eq!((text(&stopped).as_str(), stopped.status), ("stone", MessageStatus::Interrupted));

    journey.app.continue_reply(MessageRef { id: stopped.id }).await.unwrap();
    journey.settled(id).await;
    assert_eq!(journey.said(id).await, ["what is here?", "stone", " and sand"]);
    let asked = model.asked.lock().unwrap().pop().unwrap();
    let last: Vec<(&Reason, &str)> =
        asked.sections.iter().rev().take(3).map(|s| (&s.reason, s.text.as_str())).collect();
    assert_eq!((last[0].0, last[1].0), (&Reason::Continue, &Reason::Volatile));
    assert_eq!(last[2], (&Reason::Recent, "stone"));
}

#[tokio::test]
async fn partial_text_is_durable_while_it_streams_and_survives_a_lost_process() {
    let (journey, _) = scripted([vec![Step::Say("half a thou"), Step::Wait(A_WHILE), Step::Hang]]);
    let id = journey.conversation(None).await;
    journey.send(id, "think").await;
    says(&journey, id, "half a thou").await;
    // Another process on the same data sees the text and the open turn, and does not touch it.
    let other = app_on(journey.data.path(), Arc::new(Scripted::default()));
    let seen = other.conversation_get(ConversationRef { id }).await.unwrap();
    assert!(seen.open_turn.is_some());
    let page = PageConversation { id, start: None, limit: 1 };
    let page = other.conversation_page(page).await.unwrap();
    assert_eq!(page.open_turn, seen.open_turn, "said with the messages that it left unfinished");
}

#[tokio::test]
async fn a_cut_stream_is_interrupted_with_its_reason_and_a_silent_failure_is_failed() {
    let cut = vec![Step::Say("so far")];
    let refused = vec![Step::Fail(ProviderError::RateLimited { retry_after: Some(3) })];
    let (journey, _) = scripted([cut, refused, vec![Step::Say("at last"), Step::Finish]]);
    let id = journey.conversation(None).await;

    let reply = journey.ask(id, "one").await;
    assert_eq!((text(&reply).as_str(), reply.status), ("so far", MessageStatus::Interrupted));
    assert_eq!(reply.fault.unwrap().code, "reply_cut");

    let reply = journey.ask(id, "two").await;
    assert_eq!(reply.status, MessageStatus::Failed);
    assert_eq!(reply.fault.as_ref().unwrap().code, "rate_limited");

    journey.app.regenerate(Regenerate { id: reply.id, context: None, model: None }).await.unwrap();
    journey.settled(id).await;
    assert_eq!(journey.said(id).await.last().unwrap(), "at last");
}

#[tokio::test]
async fn an_answer_that_is_less_than_a_whole_one_says_why_and_none_at_all_is_a_failure() {
    use FinishReason::{Filtered, Length};
    let read = Step::Call { id: "a", name: "read_memory", arguments: "{}".into() };
    let script = |say: Option<Step>, end| say.into_iter().chain([end]).collect::<Vec<_>>();
    let (journey, model) = scripted([
        script(Some(Step::Say("half of it")), Step::FinishBy(Length)),
        script(Some(Step::Say(" and the rest")), Step::Finish),
        script(Some(Step::Say("I will")), Step::FinishBy(Filtered)),
        script(Some(Step::Say(" \n")), Step::Finish),
        script(Some(Step::Think("long thoughts")), Step::FinishBy(Length)),
        script(None, Step::FinishBy(Filtered)),
        script(Some(read), Step::Finish),
        script(None, Step::Finish),
    ]);
    let id = journey.conversation(None).await;
    let cut = journey.ask(id, "one").await;
    assert_eq!((text(&cut).as_str(), cut.status), ("half of it", MessageStatus::Complete));
    assert_eq!(cut.fault.unwrap().code, "reply_full");
    journey.app.continue_reply(MessageRef { id: cut.id }).await.unwrap();
    journey.settled(id).await;
    assert_eq!(journey.said(id).await, ["one", "half of it", " and the rest"]);
    assert_eq!(journey.path(id).await.pop().unwrap().fault, None);
    let asked = model.asked.lock().unwrap().pop().unwrap();
    assert!(asked.sections.iter().any(|it| it.reason == Reason::Continue));

    let withheld = journey.ask(id, "two").await;
    assert_eq!((text(&withheld).as_str(), withheld.status), ("I will", MessageStatus::Complete));
    assert_eq!(withheld.fault.unwrap().code, "reply_withheld");
    for code in ["reply_empty", "reply_full", "reply_withheld"] {
        let none = journey.ask(id, "three").await;
        assert_eq!((none.status, none.fault.unwrap().code.as_str()), (MessageStatus::Failed, code));
    }
    // Whoever did something need not speak of it.
    let done = journey.ask(id, "four").await;
    assert_eq!((done.status, done.fault), (MessageStatus::Complete, None));
}

#[tokio::test]
async fn messages_sent_during_a_reply_wait_and_go_out_in_order() {
    let latch = Latch::default();
    let slow = |text| vec![Step::Say(text), Step::Until(latch.clone()), Step::Finish];
    let (journey, _) = scripted([slow("1"), slow("2"), slow("3")]);
    let id = journey.conversation(None).await;
    assert!(matches!(journey.send(id, "a").await, Sent::Asked { .. }));
    assert!(matches!(journey.send(id, "b").await, Sent::Queued { .. }));
    assert!(matches!(journey.send(id, "c").await, Sent::Queued { .. }));
    assert_eq!(journey.app.conversation_get(ConversationRef { id }).await.unwrap().queued.len(), 2);
    latch.open();
    journey.settled(id).await;
    assert_eq!(journey.said(id).await, ["a", "1", "b", "2", "c", "3"]);
    let path = journey.path(id).await;
    assert!(path.iter().all(|message| message.status == MessageStatus::Complete), "{path:?}");
}

#[tokio::test]
async fn a_late_watcher_sees_the_whole_reply_once() {
    let latch = Latch::default();
    let late = [Step::Until(latch.clone()), Step::Say("late"), Step::Finish];
    let (journey, _) = scripted([[&[Step::Say("early ")][..], &late].concat()]);
    let id = journey.conversation(None).await;
    journey.send(id, "go").await;
    says(&journey, id, "early ").await;
    let (events, ()) = tokio::join!(journey.settled(id), async { latch.open() });
    let mut shown = String::new();
    for event in events {
        match event {
            TurnEvent::Started { text, .. } => shown = text,
            TurnEvent::Text { text } => shown.push_str(&text),
            TurnEvent::Reply { .. } | TurnEvent::Tool { .. } | TurnEvent::Output { .. } => {}
            TurnEvent::Reasoning { .. } | TurnEvent::Waiting { .. } | TurnEvent::Done { .. } => {}
        }
    }
    assert_eq!(shown, "early late");
}

#[tokio::test]
async fn that_a_provider_is_asked_again_in_a_while_is_told_to_who_watches() {
    let hour = Duration::from_secs(3_600);
    for (status, limited) in [(429, true), (529, false)] {
        let latch = Latch::default();
        let pause = Step::Pause(Pause { status, wait: hour });
        let script = vec![pause, Step::Until(latch.clone()), Step::Say("at last"), Step::Finish];
        let (journey, _) = scripted([script]);
        let id = journey.conversation(None).await;
        let before = Timestamp::now();
        journey.send(id, "go").await;
        let (events, ()) = tokio::join!(journey.settled(id), async { latch.open() });
        let waiting = events.iter().find_map(|event| match event {
            TurnEvent::Started { waiting, .. } => *waiting,
            TurnEvent::Waiting { waiting } => Some(*waiting),
            _ => None,
        });
        let waiting = waiting.expect("told, early or late");
        assert_eq!(waiting.limited, limited);
        assert!((before + hour..=Timestamp::now() + hour).contains(&waiting.until));
        assert_eq!(journey.said(id).await, ["go", "at last"]);
    }
}

/// Says, calls and breaks as it is asked to.
fn breaking(request: &ModelRequest) -> Vec<Step> {
    let last = request.sections.last();
    let question = last.map(|section| section.text.as_str()).unwrap_or_default();
    let result = last.is_some_and(|section| section.role == Role::Tool);
    match question {
        "break at once" => panic!("planted"),
        "break while you speak" => vec![Step::Say("half a thou"), Step::Panic],
        "break after a call" => {
            let (name, arguments) = ("list_files", "{}".to_owned());
            vec![Step::Call { id: "a", name, arguments }, Step::Finish]
        }
        _ if result => panic!("planted"),
        _ => vec![Step::Say("stone"), Step::Finish],
    }
}

#[tokio::test]
async fn a_defect_ends_its_turn_and_nothing_else() {
    let journey = Journey::with(Arc::new(Scripted::answering(breaking)));
    let project = journey.open(Trust::Trusted).await;
    let id = journey.conversation(Some(project)).await;
    let cases = [
        ("break at once", "", MessageStatus::Failed),
        ("break while you speak", "half a thou", MessageStatus::Interrupted),
        ("break after a call", "", MessageStatus::Interrupted),
    ];
    for (question, said, status) in cases {
        let reply = journey.ask(id, question).await;
        assert_eq!((text(&reply).as_str(), reply.status), (said, status), "{question}");
        let sent = journey.app.conversation_get(ConversationRef { id }).await.unwrap();
        assert_eq!(sent.open_turn, None, "{question}");
        let answered = journey.ask(id, "still there?").await;
        assert_eq!((text(&answered).as_str(), answered.status), ("stone", MessageStatus::Complete));
    }
}

#[tokio::test]
async fn a_refusal_for_length_tells_how_much_the_model_holds() {
    let refused =
        ProviderError::ContextOverflow { detail: "5007 > 4096".into(), holds: Some(4_096) };
    let (journey, model) = scripted([vec![Step::Fail(refused)]]);
    let Settings { default_provider: name, default_model, .. } =
        journey.app.settings_get(()).await.unwrap();
    *model.offers.lock().unwrap() = vec![ModelInfo::named(default_model)];
    let id = journey.conversation(None).await;
    let budget = async || {
        let request = PreviewRequest {
            conversation_id: id,
            draft: String::new(),
            context: None,
            model: None,
        };
        let view = journey.app.request_preview(request).await.unwrap();
        (view.budget, view.window_source)
    };
    assert_eq!(budget().await, (prompt::budget_of(32_768), WindowSource::Assumed));
    assert_eq!(journey.ask(id, "too much").await.status, MessageStatus::Failed);
    assert_eq!(budget().await, (prompt::budget_of(4_096), WindowSource::Known));
    // A list that says nothing of windows takes it back as little as a list that was never asked for.
    let listed = journey.app.provider_models(ProviderRef { name }).await.unwrap();
    assert_eq!(listed[0].context_window, Some(4_096));
    assert_eq!(budget().await.0, prompt::budget_of(4_096));
    assert_eq!(model.asked.lock().unwrap().len(), 1, "nothing is sent again by itself");
}
