//! What a new conversation is told of others: what was seen and taken, once, by ids, and nothing else.

use std::sync::Arc;

use rstest::rstest;
use siltstone_app::App;
use siltstone_contract::{
    AllowOthers, BeginSession, ConversationRef, CreateConversation, PreviewRequest, RequestView,
    SendMessage, TakePlace, WorkflowCommand,
};
use siltstone_engine::ids::{ConversationId, ProjectId};
use siltstone_engine::project::Trust;
use siltstone_engine::provider::ProviderError;
use siltstone_engine::settings::CarryOver;

use crate::scripted::{Scripted, Step};
use crate::world::{Journey, app_on};

const OLDER: &str = "The older talk is about the zircon gate.";
const NEWER: &str = "The newer talk is about the topaz bridge.";

/// Says "ok", and fails where it is told to.
fn model() -> Scripted {
    Scripted::answering(|request| {
        match request.sections.last().is_some_and(|it| it.text.contains("failing")) {
            true => {
                let (url, detail) = ("http://nowhere".into(), "no".into());
                vec![Step::Fail(ProviderError::Unreachable { url, detail })]
            }
            false => vec![Step::Say("ok"), Step::Finish],
        }
    })
}

async fn new(app: &App, project: ProjectId) -> ConversationId {
    let create = CreateConversation { project_id: Some(project) };
    app.conversation_create(create).await.unwrap().id
}

async fn say(app: &App, id: ConversationId, text: &str) {
    let (text, attachments) = (text.into(), Vec::new());
    let message =
        SendMessage { conversation_id: id, text, attachments, context: None, also: Vec::new() };
    app.send(message).await.unwrap();
    app.turn_watch(ConversationRef { id }, Arc::new(|_| {})).await.unwrap();
    app.sessions_settled().await;
}

async fn preview(app: &App, id: ConversationId, draft: &str) -> RequestView {
    let draft = draft.into();
    app.request_preview(PreviewRequest { conversation_id: id, draft, context: None, model: None })
        .await
        .unwrap()
}

async fn take(app: &App, id: ConversationId, take: bool) {
    app.place_take(TakePlace { conversation_id: id, take }).await.unwrap();
}

async fn rule(app: &App, rule: CarryOver, strict: bool) {
    let mut settings = app.settings_get(()).await.unwrap();
    settings.carry_over = rule;
    settings.summary.strict = strict;
    app.settings_set(settings).await.unwrap();
}

/// What the last request that was sent says of where the work stopped.
fn carried(model: &Scripted) -> String {
    let asked = model.asked.lock().unwrap();
    let sections = &asked.last().unwrap().sections;
    let of_session = sections.iter().filter(|it| it.id.starts_with("session:"));
    of_session.map(|it| it.text.clone()).collect::<Vec<_>>().join("\n")
}

fn wire(model: &Scripted) -> String {
    format!("{:?}", model.asked.lock().unwrap().last().unwrap())
}

/// Two conversations of yesterday, the newer one with a turn that failed at its end.
async fn yesterday(model: &Scripted) -> (Journey, ProjectId, [ConversationId; 2]) {
    let journey = Journey::with(Arc::new(model.clone()));
    let project = journey.open(Trust::Trusted).await;
    let older = new(&journey.app, project).await;
    say(&journey.app, older, OLDER).await;
    let newer = new(&journey.app, project).await;
    say(&journey.app, newer, NEWER).await;
    say(&journey.app, newer, "ok").await;
    say(&journey.app, newer, "a failing question").await;
    (journey, project, [older, newer])
}

#[tokio::test]
async fn the_first_new_conversation_of_a_sitting_shows_and_sends_where_the_work_stopped() {
    let model = model();
    let (journey, project, _) = yesterday(&model).await;
    let today = app_on(journey.data.path(), Arc::new(model.clone()));
    today.sit();
    let first = new(&today, project).await;
    let shown = preview(&today, first, "ok").await;
    let place = shown.place.unwrap();
    assert!(place.taken && place.tokens > 0);
    let goes: Vec<_> =
        shown.sections.iter().filter(|it| it.id.starts_with("session:")).cloned().collect();
    let texts = |of: &[siltstone_engine::section::Section]| -> Vec<String> {
        of.iter().map(|it| it.text.clone()).collect()
    };
    assert_eq!(texts(&goes), texts(&place.sections), "what is opened is what goes");
    assert_eq!(goes.iter().map(|it| it.tokens).sum::<u64>(), place.tokens);

    say(&today, first, "ok").await;
    let told = carried(&model);
    assert_eq!(told, texts(&place.sections).join("\n"), "and what is sent");
    assert!(told.contains(NEWER) && !told.contains(OLDER), "{told}");
    assert!(told.contains("USER: ok"), "a short word of it does not vanish: {told}");
    assert!(!wire(&model).contains("failing"), "what failed is not carried");
    say(&today, first, "and on").await;
    assert_eq!(carried(&model), told, "once, and as it was told");
    assert_eq!(preview(&today, first, "").await.place, None, "it has begun");

    let second = new(&today, project).await;
    let place = preview(&today, second, "").await.place.unwrap();
    assert!(!place.taken, "the second one is offered it");
    say(&today, second, "alone").await;
    assert_eq!(carried(&model), "");

    let third = new(&today, project).await;
    let offered = preview(&today, third, "").await.place.unwrap();
    take(&today, third, true).await;
    let taken = preview(&today, third, "").await.place.unwrap();
    assert_eq!((taken.taken, taken.tokens), (true, offered.tokens));
    take(&today, third, false).await;
    say(&today, third, "alone too").await;
    assert_eq!(carried(&model), "");
    let refused = today.place_take(TakePlace { conversation_id: third, take: true }).await;
    assert!(refused.is_err(), "it has begun");
}

#[rstest]
#[case::nobody_sits(CarryOver::Offer, false, false)]
#[case::always(CarryOver::Always, false, true)]
#[case::never(CarryOver::Never, true, false)]
#[tokio::test]
async fn without_a_person_before_it_the_rule_decides(
    #[case] of: CarryOver,
    #[case] sits: bool,
    #[case] goes: bool,
) {
    let model = model();
    let (journey, project, _) = yesterday(&model).await;
    rule(&journey.app, of, false).await;
    let today = app_on(journey.data.path(), Arc::new(model.clone()));
    if sits {
        today.sit();
    }
    for _ in 0..2 {
        let id = new(&today, project).await;
        let place = preview(&today, id, "").await.place;
        assert_eq!(place.is_some_and(|it| it.taken), goes);
        say(&today, id, "hello").await;
        assert_eq!(!carried(&model).is_empty(), goes);
    }
}

#[tokio::test]
async fn a_conversation_that_goes_on_is_told_of_no_other_in_any_process() {
    let model = model();
    let (journey, project, [older, newer]) = yesterday(&model).await;
    for _ in 0..2 {
        let today = app_on(journey.data.path(), Arc::new(model.clone()));
        today.sit();
        for (id, own, other) in [(older, OLDER, NEWER), (newer, NEWER, OLDER)] {
            say(&today, id, "go on").await;
            let sent = wire(&model);
            assert!(sent.contains(own) && !sent.contains(other), "{sent}");
            assert_eq!(carried(&model), "");
        }
    }
    let text = "/decide Keep the API stable".into();
    let decide = WorkflowCommand { project_id: project, text };
    journey.app.workflow_command(decide).await.unwrap();
    let go_on = BeginSession { project_id: project, fresh: false };
    let today = app_on(journey.data.path(), Arc::new(model.clone()));
    assert_eq!(today.session_begin(go_on).await.unwrap().id, newer);
    say(&today, newer, "where were we?").await;
    let told = carried(&model);
    assert!(told.contains("Keep the API stable") && !told.contains("DIALOG"), "{told}");

    let fresh = BeginSession { project_id: project, fresh: true };
    let today = app_on(journey.data.path(), Arc::new(model.clone()));
    today.sit();
    let id = today.session_begin(fresh).await.unwrap().id;
    assert!(!preview(&today, id, "").await.place.unwrap().taken, "it began fresh");
    say(&today, id, "hello").await;
    assert_eq!(carried(&model), "");
}

#[tokio::test]
async fn strict_restores_as_the_seed_does_and_leaves_out_by_ids() {
    let model = model();
    let (journey, project, [_, newer]) = yesterday(&model).await;
    rule(&journey.app, CarryOver::Never, true).await;
    let today = app_on(journey.data.path(), Arc::new(model.clone()));
    let id = new(&today, project).await;
    assert_eq!(preview(&today, id, "").await.place, None, "nothing is asked");
    say(&today, id, "ok").await;
    let told = carried(&model);
    assert!(told.contains(OLDER) && told.contains(NEWER) && told.contains("USER: ok"), "{told}");
    assert!(!told.contains("failing"), "{told}");
    say(&today, newer, "go on").await;
    let told = carried(&model);
    assert!(told.contains(OLDER) && !told.contains(NEWER), "{told}");
}

#[tokio::test]
async fn a_conversation_that_was_trashed_is_not_where_the_work_stopped() {
    let model = model();
    let (journey, project, [older, newer]) = yesterday(&model).await;
    let today = app_on(journey.data.path(), Arc::new(model.clone()));
    today.sit();
    let first = new(&today, project).await;
    today.conversation_delete(ConversationRef { id: newer }).await.unwrap();
    say(&today, first, "hello").await;
    assert!(carried(&model).contains(OLDER) && !wire(&model).contains(NEWER));
    today.conversation_delete(ConversationRef { id: older }).await.unwrap();
    say(&today, first, "hello again").await;
    assert!(!wire(&model).contains(OLDER), "what it was told goes with the conversation");
}

#[tokio::test]
async fn other_conversations_are_quoted_once_the_person_said_that_they_may() {
    const SPOKE: &str = "The staging password is rotated every quarter, and Dana owns it.";
    const ASKED: &str = "How often did we say the staging password is rotated?";
    let model = model();
    let journey = Journey::with(Arc::new(model.clone()));
    let project = journey.open(Trust::Trusted).await;
    let other = new(&journey.app, project).await;
    say(&journey.app, other, SPOKE).await;
    let id = new(&journey.app, project).await;
    assert!(preview(&journey.app, id, ASKED).await.others > 0, "it is asked about");
    say(&journey.app, id, ASKED).await;
    assert!(!wire(&model).contains(SPOKE));

    let answer = async |allow| {
        let answer = AllowOthers { project_id: project, allow };
        journey.app.others_allow(answer).await.unwrap();
    };
    answer(true).await;
    let today = app_on(journey.data.path(), Arc::new(model.clone()));
    assert_eq!(preview(&today, id, ASKED).await.others, 0, "it was answered");
    say(&today, id, ASKED).await;
    assert!(wire(&model).contains(SPOKE));
    answer(false).await;
    assert_eq!(preview(&today, id, ASKED).await.others, 0);
    say(&today, id, ASKED).await;
    assert!(!wire(&model).contains(SPOKE));
}
