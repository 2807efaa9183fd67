//! What people do in a conversation that is folded: other questions and replies, other branches, taking it elsewhere,
//! and acts that cannot be carried out and so change nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use siltstone_contract::{
    Code, ContinueVault, ConversationRef, EditMessage, ExportConversation, ExportFormat,
    ImportConversation, MessageItem, MessageRef, PlanVault, ProviderRef, Regenerate, SetFolding,
    SummaryPanel, TrySummary, UnfoldSummary, VaultContinued, VaultGoal, WishSection,
};
use siltstone_engine::ids::ConversationId;
use siltstone_engine::provider::{ModelInfo, ModelRequest};
use siltstone_engine::section::{LeftOutWhy, Section, SectionKind, id_of_message};
use siltstone_engine::summary::{Policy, Rate, Record, Status};
use siltstone_engine::vault::{Agent, LeftReason};
use siltstone_engine::wish::Wish;
use siltstone_test_servers::until::until;

use crate::scripted::{Scripted, Step};
use crate::summaries::{SUMMARY, by_threes, is_task, journey_with, question, talkative, texts};
use crate::world::{Journey, app_on};

/// Turns of the summaries and messages that the next request carries, in its order.
async fn numbers(journey: &Journey, id: ConversationId) -> Vec<(u32, u32)> {
    let sections = journey.preview(id, "And now?").await.sections;
    let told = sections
        .iter()
        .filter(|it| matches!(it.kind, SectionKind::Summary | SectionKind::Turn))
        .map(|it| it.turns.unwrap());
    told.map(|turns| (turns.first, turns.last)).collect()
}

fn spans(records: &[Record]) -> Vec<(u32, u32)> {
    records.iter().map(|it| it.turns.unwrap()).map(|it| (it.first, it.last)).collect()
}

async fn regenerate(journey: &Journey, id: ConversationId, reply: &MessageItem) {
    journey.app.regenerate(Regenerate { id: reply.id, context: None, model: None }).await.unwrap();
    journey.settled(id).await;
    journey.app.summaries_settled(id).await;
}

async fn edit(journey: &Journey, id: ConversationId, asked: &MessageItem) {
    let text = "Another question".into();
    let edit = EditMessage { id: asked.id, text, attachments: None, context: None };
    journey.app.edit(edit).await.unwrap();
    journey.settled(id).await;
    journey.app.summaries_settled(id).await;
}

async fn show(journey: &Journey, message: &MessageItem) {
    journey.app.branch_switch(MessageRef { id: message.id }).await.unwrap();
}

/// A conversation of so many turns, folded as it went.
async fn folded(journey: &Journey, turns: usize) -> (ConversationId, Vec<MessageItem>) {
    let id = journey.conversation(None).await;
    for turn in 1..=turns {
        journey.ask_and_fold(id, &question(turn)).await;
    }
    (id, journey.path(id).await)
}

#[tokio::test]
async fn edited_and_regenerated_turns_of_segments_keep_their_numbers_on_every_branch() {
    let model = Scripted::answering(talkative);
    let journey = journey_with(&model, by_threes).await;
    let (id, path) = folded(&journey, 4).await;
    // The last two turns go whole beside the summary, which tells the third as well.
    let after_the_fold = [(1, 3), (3, 3), (3, 3), (4, 4), (4, 4)];
    assert_eq!(numbers(&journey, id).await, after_the_fold);
    let first = journey.panel(id).await.shown;

    // After the fold it holds, and the fourth turn is the fourth.
    regenerate(&journey, id, &path[7]).await;
    assert_eq!(numbers(&journey, id).await, after_the_fold);
    edit(&journey, id, &path[6]).await;
    assert_eq!(
        (numbers(&journey, id).await, journey.panel(id).await.shown),
        (after_the_fold.into(), first.clone())
    );

    // Inside of it the turns themselves go, and the third one closes a stretch of its own.
    regenerate(&journey, id, &path[3]).await;
    assert_eq!(numbers(&journey, id).await, [(1, 1), (1, 1), (2, 2), (2, 2)]);
    journey.ask_and_fold(id, "Another third").await;
    assert_eq!(numbers(&journey, id).await, [(1, 3), (2, 2), (2, 2), (3, 3), (3, 3)]);
    let other = journey.panel(id).await;
    assert_eq!(spans(&other.records), [(1, 3)]);
    assert_ne!(other.shown, first);

    // The last reply of a fold is part of it.
    show(&journey, &path[7]).await;
    assert_eq!(
        (numbers(&journey, id).await, journey.panel(id).await.shown),
        (after_the_fold.into(), first)
    );
    regenerate(&journey, id, &path[5]).await;
    assert_eq!(spans(&journey.panel(id).await.records), [(1, 3)], "one of its own");
    assert_ne!(journey.panel(id).await.shown, other.shown);
}

#[tokio::test]
async fn a_branch_of_a_rolling_conversation_falls_back_to_the_version_that_it_holds() {
    let model = Scripted::answering(talkative);
    let journey = journey_with(&model, |settings| settings.summary.threshold = 150).await;
    let (id, path) = folded(&journey, 4).await;
    let panel = journey.panel(id).await;
    assert_eq!(spans(&panel.records), [(1, 2), (1, 4)]);
    assert_eq!(numbers(&journey, id).await, [(1, 4), (3, 3), (3, 3), (4, 4), (4, 4)]);

    regenerate(&journey, id, &path[5]).await;
    assert_eq!(numbers(&journey, id).await, [(1, 2), (2, 2), (2, 2), (3, 3), (3, 3)]);
    assert_eq!(journey.panel(id).await.shown, [panel.records[0].id]);
    edit(&journey, id, &path[2]).await;
    assert_eq!(
        spans(&journey.panel(id).await.records),
        [(1, 2)],
        "its own: the first was asked otherwise"
    );
    show(&journey, &path[7]).await;
    assert_eq!(journey.panel(id).await.shown, [panel.records[1].id]);
}

#[tokio::test]
async fn a_folded_conversation_is_folded_where_it_is_imported_on_every_branch() {
    let model = Scripted::answering(talkative);
    let journey = journey_with(&model, |it| it.summary.by_numbers = Some(true)).await;
    let id = journey.conversation(None).await;
    let (policy, rate) = (Some(Policy::Segments), Some(Rate::from(0.2)));
    let set = SetFolding { conversation_id: id, policy, rate, strict: None, recall: None };
    journey.app.folding_set(set).await.unwrap();
    for turn in 1..=4 {
        journey.ask_and_fold(id, &question(turn)).await;
    }
    let path = journey.path(id).await;
    regenerate(&journey, id, &path[5]).await;

    let request = ExportConversation { id, format: ExportFormat::Json, as_is: false };
    let text = journey.app.conversation_export(request).await.unwrap().text;
    let import = ImportConversation { text, name: "x".into(), project_id: None };
    let imported = journey.app.conversation_import(import).await.unwrap();
    assert_eq!(imported.warnings, []);
    let copy = imported.item.id;
    let copied = journey.path(copy).await;
    let told = || async {
        let panels = [journey.panel(id).await, journey.panel(copy).await];
        let views = [journey.preview(id, "And?").await, journey.preview(copy, "And?").await];
        assert_eq!(texts(&views[0].sections), texts(&views[1].sections));
        panels
    };
    let [here, there] = told().await;
    assert_eq!((there.policy, there.rate, there.folding), (here.policy, here.rate, here.folding));
    assert_eq!(spans(&there.records), [(1, 3)], "of the branch that is shown");

    show(&journey, &path[7]).await;
    let other = copied[5].siblings.ids.iter().find(|it| **it != copied[5].id).unwrap();
    journey.app.branch_switch(MessageRef { id: *other }).await.unwrap();
    let [here, there] = told().await;
    assert_eq!(numbers(&journey, copy).await, [(1, 3), (3, 3), (3, 3), (4, 4), (4, 4)]);
    let [made, taken] = [&here.records[0], &there.records[0]];
    assert_eq!((taken.summary.as_str(), taken.coverage.count), (SUMMARY, 6));
    assert_eq!(taken.coverage.last, *other);
    assert_eq!((&taken.model, taken.version), (&made.model, made.version));
    assert!(made.usage.is_some());
    assert_eq!((taken.usage, taken.cost), (None, None), "paid for where it was made");
}

#[tokio::test]
async fn what_does_not_fit_unfolded_stays_folded_and_says_by_how_much() {
    let model = Scripted::answering(talkative);
    let window = ModelInfo { context_window: Some(1_600), ..ModelInfo::named("small") };
    *model.offers.lock().unwrap() = vec![window];
    let journey = journey_with(&model, by_threes).await;
    let (id, _) = folded(&journey, 12).await;
    let panel = journey.panel(id).await;
    let mut refused = None;
    for summary in panel.shown.iter().copied().rev() {
        let before = journey.preview(id, "").await;
        let unfold = UnfoldSummary { id: summary, unfolded: true };
        match journey.app.summary_unfold(unfold).await {
            Ok(()) => {
                let after = journey.preview(id, "").await;
                let cut = after.left_out.iter().any(|left| left.why == LeftOutWhy::NoRoom);
                assert!(!cut, "all of it is sent");
                // Those of its messages that are among the newest went before.
                let record = panel.records.iter().find(|record| record.id == summary).unwrap();
                let turns = record.turns.unwrap();
                let of_it = |it: &&Section| {
                    let turn = it.turns.filter(|_| it.kind == SectionKind::Turn);
                    turn.is_some_and(|turn| turns.numbers().contains(&turn.first))
                };
                let whole = before.sections.iter().filter(of_it).count();
                assert_eq!(after.sections.len(), before.sections.len() - 1 + 6 - whole);
            }
            Err(failure) => {
                assert_eq!(failure.code, Code::UnfoldTooLarge);
                let excess = failure.excess.unwrap();
                assert!(excess.over > 0 && excess.budget == before.budget, "{excess:?}");
                assert!(failure.message.contains(&excess.over.to_string()), "{failure}");
                let after = journey.preview(id, "").await;
                assert_eq!(texts(&after.sections), texts(&before.sections), "nothing was changed");
                refused = Some((summary, excess));
                break;
            }
        }
    }
    let (summary, excess) = refused.expect("some do not fit");
    let panel = journey.panel(id).await;
    let folded = panel.records.iter().find(|record| record.id == summary).unwrap();
    assert_eq!(folded.unfolded_at, None);

    // With as much more room as was said it fits.
    let larger = (excess.budget + excess.over) * 4 / 3 + 8;
    let window = ModelInfo { context_window: Some(larger), ..ModelInfo::named("small") };
    *model.offers.lock().unwrap() = vec![window];
    let other = app_on(journey.data.path(), Arc::new(model.clone()));
    other.provider_models(ProviderRef { name: "work".into() }).await.unwrap();
    other.summary_unfold(UnfoldSummary { id: summary, unfolded: true }).await.unwrap();
}

#[tokio::test]
async fn a_try_is_stopped_and_another_can_be_made() {
    let hangs = Arc::new(AtomicBool::new(false));
    let waits = hangs.clone();
    let model = Scripted::answering(move |request: &ModelRequest| {
        match is_task(request) && waits.load(SeqCst) {
            true => vec![Step::Say("Agreed: the"), Step::Hang],
            false => talkative(request),
        }
    });
    let journey = journey_with(&model, by_threes).await;
    let (id, _) = folded(&journey, 3).await;
    let before = journey.panel(id).await;
    let attempt = TrySummary { id: before.shown[0], rate: Rate::from(0.1) };
    hangs.store(true, SeqCst);
    let asked = model.asked.lock().unwrap().len();
    let app = journey.app.clone();
    let trying = tokio::spawn(async move { app.summary_try(attempt).await });
    until("the attempt", async || model.asked.lock().unwrap().len() > asked).await;
    let second = journey.app.summary_try(attempt).await.unwrap_err();
    assert_eq!(second.code, Code::Conflict, "one at a time");
    journey.app.summary_try_cancel(ConversationRef { id }).await.unwrap();
    assert_eq!(trying.await.unwrap().unwrap_err().code, Code::Cancelled);
    // It was paid for; all else is as it was.
    let after = journey.panel(id).await;
    assert!(after.spent_tokens > before.spent_tokens);
    let spent_tokens = before.spent_tokens;
    assert_eq!(SummaryPanel { spent_tokens, ..after }, before);

    hangs.store(false, SeqCst);
    journey.app.summary_try_cancel(ConversationRef { id }).await.unwrap();
    let made = journey.app.summary_try(attempt).await.unwrap();
    assert_eq!((made.status, made.summary.as_str()), (Status::Completed, SUMMARY));
}

#[tokio::test]
async fn a_summary_that_is_longer_than_its_messages_is_none_and_they_stay() {
    let long = Arc::new(AtomicBool::new(true));
    let answers_long = long.clone();
    let model = Scripted::answering(move |request: &ModelRequest| {
        match is_task(request) && answers_long.load(SeqCst) {
            true => vec![Step::Say(SUMMARY); 400].into_iter().chain([Step::Finish]).collect(),
            false => talkative(request),
        }
    });
    let journey = journey_with(&model, |settings| settings.summary.threshold = 150).await;
    let (id, path) = folded(&journey, 2).await;
    let panel = journey.panel(id).await;
    let fault = panel.records[0].fault.clone().unwrap();
    assert_eq!((fault.code.as_str(), panel.records.len()), ("not_shorter", 1), "asked once");
    assert_eq!(numbers(&journey, id).await, [(1, 1), (1, 1), (2, 2), (2, 2)]);
    assert_eq!(path, journey.path(id).await);

    long.store(false, SeqCst);
    journey.ask_and_fold(id, &question(3)).await;
    assert_eq!(numbers(&journey, id).await, [(1, 3), (2, 2), (2, 2), (3, 3), (3, 3)]);
    long.store(true, SeqCst);
    let shown = journey.panel(id).await.shown;
    let attempt = TrySummary { id: shown[0], rate: Rate::from(0.5) };
    let failure = journey.app.summary_try(attempt).await.unwrap_err();
    assert_eq!(failure.code, Code::NotShorter, "{failure}");
    assert_eq!(journey.panel(id).await.shown, shown);
}

#[tokio::test]
async fn a_folded_conversation_goes_on_with_an_agent_as_what_is_sent_of_it() {
    let model = Scripted::answering(talkative);
    let journey = journey_with(&model, by_threes).await;
    let (id, _) = folded(&journey, 4).await;
    let folder = Some(journey.project.path().display().to_string());
    let goal = |whole| VaultGoal::Agent {
        agent: Agent::Codex,
        folder: folder.clone(),
        whole,
        install: false,
    };
    let written = async |whole| {
        let (id, goal) = (id.to_string(), goal(whole));
        let asked = PlanVault { id: id.clone(), version: None, goal: goal.clone() };
        let plan = journey.app.vault_plan(asked).await.unwrap();
        assert!(plan.item.is_none() && !plan.title.is_empty());
        let path = Some(plan.handover.unwrap().path);
        let request = ContinueVault { id, version: None, goal, path };
        let done = journey.app.vault_continue(request).await.unwrap();
        let VaultContinued::Agent { handover } = done else { panic!("a session") };
        let left: Vec<(LeftReason, u64)> =
            plan.left.iter().map(|left| (left.reason, left.count)).collect();
        (plan.turns, left, std::fs::read_to_string(handover.path).unwrap())
    };
    let (turns, left, text) = written(false).await;
    assert_eq!((turns, left), (1, vec![(LeftReason::Folded, 6)]));
    assert!(text.contains(SUMMARY) && text.contains(&question(4)), "{text}");
    assert!(!text.contains(&question(1)) && !text.contains(&question(3)), "{text}");
    let (turns, left, text) = written(true).await;
    assert_eq!((turns, left), (4, vec![(LeftReason::Summary, 1)]));
    assert!(!text.contains(SUMMARY) && text.contains(&question(1)), "{text}");

    // What the person leaves out of requests does not go elsewhere.
    let last = journey.path(id).await.pop().unwrap();
    let wish = WishSection {
        conversation_id: id,
        id: id_of_message(last.id),
        source: String::new(),
        wish: Some(Wish::LeftOut),
    };
    journey.app.section_wish(wish).await.unwrap();
    let (_, left, text) = written(false).await;
    assert_eq!(left, [(LeftReason::Folded, 6), (LeftReason::Unwanted, 1)]);
    assert!(!text.contains(&crate::world::text(&last)), "{text}");

    let refused = async |goal| {
        let asked = PlanVault { id: id.to_string(), version: None, goal };
        journey.app.vault_plan(asked).await.unwrap_err().code
    };
    assert_eq!(refused(VaultGoal::Here { project_id: None }).await, Code::BadRequest);
    journey.app.conversation_delete(ConversationRef { id }).await.unwrap();
    assert_eq!(refused(goal(false)).await, Code::NotFound, "nothing goes out of the trash");
}
