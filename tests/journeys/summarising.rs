//! Summaries that do not come: the conversation is usable all along, and the next occasion tries again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use siltstone_contract::{
    Code, ConversationRef, DefaultModel, EditSummary, ProviderRef, SetKey, SummaryRef,
};
use siltstone_engine::ids::ConversationId;
use siltstone_engine::keys::Place;
use siltstone_engine::message::MessageStatus;
use siltstone_engine::price::Price;
use siltstone_engine::provider::{
    FinishReason, ModelInfo, ModelRequest, ProviderError, ProviderKind, ProviderRecord,
};
use siltstone_engine::secret::Secret;
use siltstone_engine::section::SectionKind;
use siltstone_engine::summary::{Policy, Record, Status};
use siltstone_engine::turn::Usage;
use siltstone_test_servers::until::until;

use crate::scripted::{Latch, Scripted, Step};
use crate::summaries::{SUMMARY, by_threes, is_task, journey_with};
use crate::world::{Journey, app_on};

/// More than the least threshold.
const LONG: &str = "We agreed that the database listens on port 5433, because 5432 is taken by the old server. The \
     session module refreshes its token after thirty minutes, and nobody wanted a second timer. Whoever changes the \
     refresh path has to tell the gateway first: it keeps the old token for ninety seconds and answers with 401. The \
     retry runs at most four times, and the last import has to run before the old server goes. Nobody may deploy on \
     a Friday, and the tests of the gateway must pass on the build machine before anything is tagged at all.";

fn answers(task: Vec<Step>) -> Scripted {
    Scripted::answering(move |request| match is_task(request) {
        true => task.clone(),
        false => vec![Step::Say(LONG), Step::Finish],
    })
}

/// A conversation whose first reply makes a summary due.
async fn due_after_one(model: &Scripted, policy: Policy) -> (Journey, ConversationId) {
    let journey = journey_with(model, |settings| {
        settings.summary.policy = policy;
        settings.summary.threshold = 100;
        settings.summary.timeout_s = 5;
    })
    .await;
    let id = journey.conversation(None).await;
    let reply = journey.ask(id, "Where does the database listen?").await;
    assert_eq!(reply.status, MessageStatus::Complete);
    (journey, id)
}

async fn records(journey: &Journey, id: ConversationId) -> Vec<Record> {
    journey.panel(id).await.records
}

fn tasks(model: &Scripted) -> usize {
    model.asked.lock().unwrap().iter().filter(|request| is_task(request)).count()
}

fn states(records: &[Record]) -> Vec<(Status, Option<&str>)> {
    records
        .iter()
        .map(|record| (record.status, record.fault.as_ref().map(|fault| fault.code.as_str())))
        .collect()
}

#[tokio::test]
async fn a_summary_that_failed_is_tried_again_after_the_next_reply() {
    let fails = AtomicBool::new(true);
    let model = Scripted::answering(move |request| {
        if !is_task(request) {
            return vec![Step::Say(LONG), Step::Finish];
        }
        if fails.swap(false, Ordering::SeqCst) {
            let error = ProviderError::Server { status: 500, detail: "out of memory".into() };
            return vec![Step::Say("half a su"), Step::Fail(error)];
        }
        vec![Step::Say(SUMMARY), Step::Finish]
    });
    let (journey, id) = due_after_one(&model, Policy::Rolling).await;
    journey.app.summaries_settled(id).await;
    let after_one = records(&journey, id).await;
    assert_eq!(states(&after_one), [(Status::Failed, Some("provider_trouble"))]);
    assert_eq!((after_one[0].summary.as_str(), tasks(&model)), ("", 1), "no half summary");
    assert!(journey.panel(id).await.shown.is_empty());

    journey.ask_and_fold(id, "And the token?").await;
    let after_two = records(&journey, id).await;
    let expected = [(Status::Failed, Some("provider_trouble")), (Status::Completed, None)];
    assert_eq!(states(&after_two), expected);
    assert_eq!((after_two[1].version, after_two[1].coverage.count), (2, 4));
}

#[tokio::test]
async fn a_model_that_cannot_but_think_gets_room_for_it_and_the_summary_comes() {
    let model = Scripted::answering(|request| {
        if !is_task(request) {
            return vec![Step::Say(LONG), Step::Finish];
        }
        let think = Step::Think("Let me see what was agreed here. ");
        match request.max_output_tokens {
            Some(..2_000) => vec![think, Step::FinishBy(FinishReason::Length)],
            _ => vec![think, Step::Say(SUMMARY), Step::Finish],
        }
    });
    let (journey, id) = due_after_one(&model, Policy::Rolling).await;
    journey.app.summaries_settled(id).await;
    let made = records(&journey, id).await;
    assert_eq!(states(&made), [(Status::Completed, None)]);
    assert_eq!((made[0].summary.as_str(), tasks(&model)), (SUMMARY, 2));
    let usage = made[0].usage.unwrap();
    assert!(usage.output_tokens > 2 * 8, "both times are paid for: {usage:?}");
    // It is known from then on.
    journey.ask_and_fold(id, "And the token?").await;
    assert_eq!((records(&journey, id).await.len(), tasks(&model)), (2, 3));
}

#[tokio::test]
async fn while_one_is_made_no_second_one_begins_and_cancelling_ends_it() {
    let model = answers(vec![Step::Say("Agreed: the da"), Step::Hang]);
    let (journey, id) = due_after_one(&model, Policy::Rolling).await;
    until("it to be written", async || !journey.panel(id).await.writing.is_empty()).await;
    let panel = journey.panel(id).await;
    assert_eq!(states(&panel.records), [(Status::InProgress, None)]);
    assert_eq!((panel.busy, panel.writing.as_str()), (Some(panel.records[0].id), "Agreed: the da"));

    let reply = journey.ask(id, "Still there?").await;
    assert_eq!((reply.status, tasks(&model)), (MessageStatus::Complete, 1));
    let retry = journey.app.summary_retry(SummaryRef { id: panel.records[0].id }).await;
    assert_eq!(retry.unwrap_err().code, Code::Conflict);
    // Another process on the same data does not begin one either.
    let other = app_on(journey.data.path(), Arc::new(model.clone()));
    other.summary_run(ConversationRef { id }).await.unwrap();
    other.summaries_settled(id).await;
    assert_eq!(tasks(&model), 1);
    let elsewhere = other.summary_cancel(ConversationRef { id }).await.unwrap_err();
    assert_eq!(elsewhere.code, Code::Conflict);

    journey.app.summary_cancel(ConversationRef { id }).await.unwrap();
    journey.app.summaries_settled(id).await;
    let panel = journey.panel(id).await;
    assert_eq!(states(&panel.records), [(Status::Failed, Some("cancelled"))]);
    assert_eq!(panel.busy, None);
}

#[tokio::test]
async fn a_summary_on_top_of_one_that_was_changed_meanwhile_does_not_count() {
    let count = AtomicUsize::new(0);
    let latch = Latch::default();
    let held = Step::Until(latch.clone());
    let model = Scripted::answering(move |request| {
        let slowly = held.clone();
        match (is_task(request), count.load(Ordering::SeqCst)) {
            (false, _) => vec![Step::Say(LONG), Step::Finish],
            (true, 0) => {
                count.store(1, Ordering::SeqCst);
                vec![Step::Say(SUMMARY), Step::Finish]
            }
            (true, _) => vec![slowly, Step::Say("On top of the old one."), Step::Finish],
        }
    });
    let (journey, id) = due_after_one(&model, Policy::Rolling).await;
    journey.app.summaries_settled(id).await;
    journey.ask(id, "And the token?").await;
    let first = records(&journey, id).await[0].id;
    until("the second one", async || tasks(&model) >= 2).await;
    let edit = EditSummary { id: first, text: "In my own words.".into() };
    let edited = journey.app.summary_edit(edit).await.unwrap();
    latch.open();
    journey.app.summaries_settled(id).await;
    let panel = journey.panel(id).await;
    let superseded = panel.records.iter().find(|record| record.status == Status::Failed).unwrap();
    assert_eq!(superseded.fault.as_ref().unwrap().code, "superseded");
    assert_eq!(panel.shown, [edited.id]);

    journey.ask_and_fold(id, "And the gateway?").await;
    let panel = journey.panel(id).await;
    assert_eq!(panel.first_raw, 6, "made anew, on top of the person's words");
    let asked = model.asked.lock().unwrap();
    let last = asked.iter().rfind(|request| is_task(request)).unwrap();
    assert!(last.sections[0].text.contains("In my own words."));
}

#[tokio::test(start_paused = true)]
async fn a_model_that_says_nothing_is_not_waited_for_longer_than_the_settings_say() {
    let model = answers(vec![Step::Hang]);
    let (journey, id) = due_after_one(&model, Policy::Rolling).await;
    journey.app.summaries_settled(id).await;
    let failed = records(&journey, id).await;
    assert_eq!(states(&failed), [(Status::Failed, Some("provider_timed_out"))]);
    assert_eq!(failed[0].fault.as_ref().unwrap().message, "no answer within 5 s");
}

#[tokio::test(start_paused = true)]
async fn a_question_waits_for_its_segment_and_goes_on_without_it() {
    let model = answers(vec![Step::Hang]);
    let journey = journey_with(&model, |settings| {
        by_threes(settings);
        settings.summary.timeout_s = 600;
    })
    .await;
    let id = journey.conversation(None).await;
    for question in ["One?", "Two?", "Three?"] {
        assert_eq!(journey.ask(id, question).await.status, MessageStatus::Complete);
    }
    let fourth = journey.ask(id, "Four?").await;
    assert_eq!((fourth.status, tasks(&model)), (MessageStatus::Complete, 1));
    let asked = model.asked.lock().unwrap().last().unwrap().clone();
    let whole = asked.sections.iter().filter(|section| section.kind == SectionKind::Turn);
    assert_eq!(whole.count(), 6, "three turns, word for word");
}

#[tokio::test]
async fn without_a_key_sentences_are_chosen_and_under_strict_nothing_is_made() {
    for strict in [false, true] {
        let model = answers(vec![Step::Say(SUMMARY), Step::Finish]);
        let journey = journey_with(&model, |settings| {
            settings.summary.strict = strict;
            settings.summary.by_numbers = Some(true);
        })
        .await;
        let id = with_key(&journey, "small").await;
        journey.ask_and_fold(id, "Where does the database listen?").await;
        journey.app.key_remove(ProviderRef { name: "openai".into() }).await.unwrap();
        let begun = journey.app.summary_run(ConversationRef { id }).await;
        assert_eq!(
            begun.map_err(|refused| refused.code).err(),
            strict.then_some(Code::ModelNeeded)
        );
        journey.app.summaries_settled(id).await;
        assert_eq!(tasks(&model), 0, "nobody was asked");
        let made = records(&journey, id).await;
        if strict {
            assert_eq!(made, []);
            continue;
        }
        let [made] = made.as_slice() else { panic!("{made:?}") };
        assert_eq!((made.status, made.model.as_deref()), (Status::Completed, Some("offline")));
        assert_eq!((made.usage, made.cost), (None, None));
        let said = format!("Where does the database listen?\n{LONG}");
        let mut sentences = made.summary.lines().flat_map(|line| line.split_inclusive(". "));
        assert!(sentences.all(|it| said.contains(it.trim())), "word for word: {}", made.summary);
        assert!((1..made.original_chars).contains(&made.summary_chars));
    }
}

/// A conversation with a model of OpenAI's, whose key is known for this session.
async fn with_key(journey: &Journey, model: &str) -> ConversationId {
    let away = ProviderRecord {
        name: "openai".into(),
        kind: ProviderKind::Openai,
        base_url: "https://api.openai.com/v1".into(),
    };
    journey.app.provider_add(away).await.unwrap();
    let key = Secret::new("sk-test-1234567890".to_owned());
    let set = SetKey { provider: "openai".into(), key, place: Place::Session };
    journey.app.key_set(set).await.unwrap();
    let choice = DefaultModel { provider: "openai".into(), model: model.into() };
    journey.app.provider_default(choice).await.unwrap();
    journey.conversation(None).await
}

#[tokio::test]
async fn the_makers_small_model_summarises_and_its_price_counts() {
    let usage = Usage { input_tokens: 1_000, output_tokens: 100, exact: true, ..Usage::default() };
    let model = Scripted::answering(move |request: &ModelRequest| match is_task(request) {
        true => vec![Step::Say(SUMMARY), Step::Count(usage), Step::Finish],
        false => vec![Step::Say(LONG), Step::Finish],
    });
    let price =
        Price { input: 1_000_000, cached_input: None, cache_write: None, output: 4_000_000 };
    let journey = journey_with(&model, |settings| {
        settings.summary.threshold = 100;
        settings.prices.extend([("gpt-5-mini".into(), price), ("gpt-5".into(), Price::FREE)]);
    })
    .await;
    *model.offers.lock().unwrap() = ["gpt-5", "gpt-5-mini"].map(ModelInfo::named).into();
    let id = with_key(&journey, "gpt-5").await;
    journey.ask_and_fold(id, "Where does the database listen?").await;

    let asked = model.asked.lock().unwrap().iter().find(|it| is_task(it)).cloned().unwrap();
    assert_eq!((asked.model.as_str(), asked.max_output_tokens), ("gpt-5-mini", Some(1_024)));
    let [record] = &records(&journey, id).await[..] else { panic!("one summary") };
    let cost = price.cost(&usage);
    assert_eq!((record.model.as_deref(), record.usage), (Some("gpt-5-mini"), Some(usage)));
    assert_eq!(record.cost, Some(cost));
    let spending = journey.app.spending_get(()).await.unwrap();
    assert_eq!(spending.cost, cost);
    assert!(spending.by_model.iter().any(|on| on.model == "gpt-5-mini" && on.cost == cost));
    let detail = journey.app.conversation_get(ConversationRef { id }).await.unwrap();
    assert_eq!(detail.spent.cost, cost);
}

#[tokio::test]
async fn a_defect_while_one_is_made_is_a_failure_and_the_next_one_is_made() {
    let breaks = AtomicBool::new(true);
    let model = Scripted::answering(move |request| match is_task(request) {
        false => vec![Step::Say(LONG), Step::Finish],
        true if breaks.swap(false, Ordering::SeqCst) => vec![Step::Say("half a su"), Step::Panic],
        true => vec![Step::Say(SUMMARY), Step::Finish],
    });
    let (journey, id) = due_after_one(&model, Policy::Rolling).await;
    journey.app.summaries_settled(id).await;
    assert_eq!(states(&records(&journey, id).await), [(Status::Failed, Some("internal"))]);
    assert_eq!(journey.panel(id).await.busy, None);

    journey.ask_and_fold(id, "And the token?").await;
    let expected = [(Status::Failed, Some("internal")), (Status::Completed, None)];
    assert_eq!(states(&records(&journey, id).await), expected);
}
