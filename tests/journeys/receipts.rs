//! Folds with receipts: nothing that matters is lost in silence. What must hold is in the bytes of every request, what
//! was left behind is kept with one act, a false claim is marked, and a fold can be seen before it is made and taken
//! back afterwards.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use siltstone_contract::{
    Code, ConversationRef, EditSummary, FoldSketch, ImportConversation, KeepFact, MessageRef,
    Regenerate, SetFolding, SketchFold, SummaryRef, TurnRef, WishSection,
};
use siltstone_engine::ids::ConversationId;
use siltstone_engine::ledger::{Category, Gate};
use siltstone_engine::provider::{FinishReason, ModelInfo, ModelRequest};
use siltstone_engine::section::{Section, SectionKind, id_of_message, id_of_summary};
use siltstone_engine::summary::{KeptBy, Policy, Rate, Record, Status};
use siltstone_engine::tokens::estimate;
use siltstone_engine::wish::Wish;
use siltstone_test_servers::until::until;

use crate::scripted::{Latch, Scripted, Step};
use crate::summaries::{by_threes, is_task, journey_with, texts};
use crate::world::Journey;

const RULE: &str = "Never log the session token, not even in debug builds.";
const RULE_KO: &str = "운영 서버에는 절대 직접 배포하지 마세요.";

/// Long enough for a fold, with things that a summary loses.
const REPLY: &str = "The handler lives in src/api/session.rs, and its retry runs four times with a pause of 250 ms \
     between the attempts. The gateway keeps the old token for ninety seconds and answers with 401 afterwards, so \
     whoever changes the refresh path looks at the gateway first. The build machine runs the tests of the gateway \
     before anything is tagged, and the old server has to stay until the last import of the winter is through. \
     The timers of the mobile client were written two winters ago by people who have since moved to another floor of \
     the same building, and their notes are in the folder of the old project.";

/// Says the same to every question, and to tasks what `summary` says to the first, second, … of them.
fn model(summary: impl Fn(usize) -> Vec<Step> + Send + Sync + 'static) -> Scripted {
    let tasks = AtomicUsize::new(0);
    Scripted::answering(move |request: &ModelRequest| match is_task(request) {
        true => summary(tasks.fetch_add(1, SeqCst)),
        false => vec![Step::Say(REPLY), Step::Finish],
    })
}

fn says(text: &'static str) -> Vec<Step> {
    vec![Step::Say(text), Step::Finish]
}

async fn journey(model: &Scripted, share: u32, strict: bool) -> (Journey, ConversationId) {
    let journey = journey_with(model, |settings| {
        settings.summary.policy = Policy::Rolling;
        settings.summary.threshold = 100;
        settings.summary.kept_facts_share = share;
        settings.summary.strict = strict;
    })
    .await;
    let id = journey.conversation(None).await;
    (journey, id)
}

async fn newest(journey: &Journey, id: ConversationId) -> Record {
    journey.panel(id).await.records.pop().unwrap()
}

/// All that left for a model with the last question.
fn sent(model: &Scripted) -> String {
    let asked = model.asked.lock().unwrap();
    let question = asked.iter().rfind(|request| !is_task(request)).unwrap();
    let texts: Vec<&str> = question.sections.iter().map(|section| section.text.as_str()).collect();
    texts.join("\n")
}

fn prompts(model: &Scripted) -> Vec<String> {
    let asked = model.asked.lock().unwrap();
    asked.iter().filter(|it| is_task(it)).map(|it| it.sections[0].text.clone()).collect()
}

#[tokio::test]
async fn a_rule_that_only_folded_turns_say_is_in_the_bytes_of_every_later_request() {
    for rule in [RULE, RULE_KO] {
        let model = model(|_| says("They talked about the session handler."));
        // Not even without a budget is it lost.
        let (journey, id) = journey(&model, 0, false).await;
        journey.ask_and_fold(id, &format!("Where is the handler? {rule}")).await;
        let record = newest(&journey, id).await;
        let kept = record.receipt.kept.iter().find(|fact| fact.text == rule).unwrap();
        assert_eq!((kept.category, kept.by), (Category::Constraint, KeptBy::Gate));
        let said = &journey.path(id).await[0];
        assert_eq!(kept.message, said.id);
        assert_eq!(&crate::world::text(said)[kept.span.clone()], rule);

        for question in ["And the pause?", "And the gateway?"] {
            journey.ask_and_fold(id, question).await;
            assert!(sent(&model).contains(rule), "{}", sent(&model));
        }
        let view = journey.preview(id, "And now?").await;
        assert!(
            !view.sections.iter().any(|it| it.kind == SectionKind::Turn && it.text.contains(rule))
        );
        assert_eq!(view.missing_constraints, []);

        // Whoever wants the request without the summary is told what it does not say then.
        let told = journey.panel(id).await.shown[0];
        let wish = WishSection {
            conversation_id: id,
            id: id_of_summary(told),
            source: "summary".into(),
            wish: Some(Wish::LeftOut),
        };
        journey.app.section_wish(wish).await.unwrap();
        let [missing] = &journey.preview(id, "And now?").await.missing_constraints[..] else {
            panic!("one rule is missing")
        };
        assert_eq!((missing.text.as_str(), &missing.section), (rule, &id_of_summary(told)));
    }
}

#[tokio::test]
async fn what_was_left_behind_is_kept_with_one_act_and_dropped_with_one() {
    let model = model(|_| says("They talked about the session handler."));
    let (journey, id) = journey(&model, 0, false).await;
    journey.ask_and_fold(id, "Where is the handler?").await;
    let record = newest(&journey, id).await;
    let check = journey.app.summary_check(SummaryRef { id: record.id }).await.unwrap();
    let path = check.retention.of(Category::Path).unwrap();
    assert_eq!((path.in_source, path.kept), (1, 0));
    assert!(matches!(&check.gate, Gate::Soft { lost } if lost.contains(&Category::Path)));
    let left = check.left_behind.iter().find(|it| it.category == Category::Path).unwrap();
    assert_eq!(left.text, "src/api/session.rs");
    assert_eq!(left.message, journey.path(id).await[1].id);

    let fact = |id| KeepFact { id, text: "src/api/session.rs".into() };
    let kept = journey.app.summary_keep(fact(record.id)).await.unwrap();
    assert_eq!((kept.version, kept.receipt.kept[0].by), (record.version + 1, KeptBy::Person));
    let check = journey.app.summary_check(SummaryRef { id: kept.id }).await.unwrap();
    assert!(check.left_behind.iter().all(|it| it.category != Category::Path));
    // It stays kept in the versions that follow.
    for question in ["And the pause?", "And the gateway?", "And the timers?"] {
        journey.ask_and_fold(id, question).await;
    }
    assert!(sent(&model).contains("Kept facts:\n- Paths: src/api/session.rs"), "{}", sent(&model));

    let later = newest(&journey, id).await;
    let dropped = journey.app.summary_drop(fact(later.id)).await.unwrap();
    assert!(dropped.receipt.kept.iter().all(|it| it.text != "src/api/session.rs"));
    let told = journey.preview(id, "And now?").await;
    let told = told.sections.iter().find(|it| it.kind == SectionKind::Summary).unwrap();
    assert!(!told.text.contains("session.rs"), "{}", told.text);
    let wrong = KeepFact { id: dropped.id, text: "src/never/said.rs".into() };
    assert!(journey.app.summary_keep(wrong).await.is_err());
}

#[tokio::test]
async fn lines_lead_to_their_messages_and_a_false_number_is_marked() {
    let model = model(|_| {
        says(
            "- The handler is in src/api/session.rs. [m2]\n- Its retry pauses for 900 ms. [m2]\n- They asked where. [m1]",
        )
    });
    let (journey, id) = journey(&model, 20, false).await;
    journey.ask_and_fold(id, "Where is the handler?").await;
    let record = newest(&journey, id).await;
    assert_eq!(record.status, Status::Completed, "{:?}", record.fault);
    let path = journey.path(id).await;
    let cited: Vec<_> = record.receipt.lines.iter().map(|line| line.sources.clone()).collect();
    assert_eq!(cited, [vec![path[1].id], vec![path[1].id], vec![path[0].id]]);
    let [right, wrong, _] = &record.receipt.lines[..] else { panic!("three lines") };
    assert!(right.unsupported.is_empty());
    assert!(wrong.text[wrong.unsupported[0].clone()].contains("900"), "{wrong:?}");
    let check = journey.app.summary_check(SummaryRef { id: record.id }).await.unwrap();
    assert_eq!(check.unsupported, std::slice::from_ref(wrong));

    // The last two exchanges go themselves, so it takes a third before any of them is told.
    for question in ["And the gateway?", "And the timers?", "And the notes?"] {
        journey.ask_and_fold(id, question).await;
    }
    let sent = sent(&model);
    assert!(sent.contains("Its retry pauses for 900 ms.") && !sent.contains("[m2]"), "{sent}");
}

#[tokio::test]
async fn a_summary_of_no_use_is_asked_for_once_more_and_then_the_messages_stay() {
    let long: &'static str = Box::leak(REPLY.repeat(3).into_boxed_str());
    for (useless, code) in [(vec![Step::Finish], "empty"), (says(long), "not_shorter")] {
        let never = model(move |_| useless.clone());
        let (journey_of, id) = journey(&never, 20, false).await;
        journey_of.ask_and_fold(id, &format!("Where? {RULE}")).await;
        let record = newest(&journey_of, id).await;
        assert_eq!((record.status, prompts(&never).len()), (Status::Failed, 2));
        assert_eq!(record.fault.unwrap().code, code);
        // What goes with the summary in any case is told, so that it need not be in it.
        assert!(!prompts(&never)[0].ends_with(&format!("- Rule: {RULE}")));
        assert!(prompts(&never)[1].contains(&format!("- Rule: {RULE}")), "{}", prompts(&never)[1]);
        let view = journey_of.preview(id, "And now?").await;
        assert!(view.sections.iter().any(|it| it.kind == SectionKind::Turn && it.text == REPLY));
    }
    let second = model(|task| if task == 0 { vec![Step::Finish] } else { says("In short.") });
    let (journey, id) = journey(&second, 20, false).await;
    journey.ask_and_fold(id, "Where?").await;
    let record = newest(&journey, id).await;
    assert_eq!((record.summary.as_str(), prompts(&second).len()), ("In short.", 2));
}

#[tokio::test]
async fn a_summary_that_ends_early_is_asked_for_once_more_and_else_says_that_it_is_not_whole() {
    let cut = |text: &'static str, by| vec![Step::Say(text), Step::FinishBy(by)];
    let early = "The handler is in session.rs.\nIts retry runs four ti";
    let beginning = "The handler is in session.rs.";
    for by in [FinishReason::Length, FinishReason::Filtered] {
        for (second, told, whole) in [
            (says("In short."), "In short.", true),
            (cut("Handler and ret", by), "Handler and", false),
            // What ended early is better than nothing.
            (vec![Step::Finish], beginning, false),
        ] {
            let model = model(move |task| if task == 0 { cut(early, by) } else { second.clone() });
            let (journey, id) = journey(&model, 20, false).await;
            journey.ask_and_fold(id, "Where?").await;
            let record = newest(&journey, id).await;
            assert_eq!((record.status, prompts(&model).len()), (Status::Completed, 2));
            assert_eq!((record.summary.as_str(), record.receipt.cut), (told, !whole));
            let both = prompts(&model).iter().map(|it| estimate(it)).sum::<u64>();
            assert_eq!(record.usage.unwrap().input_tokens, both);
        }
    }
    // Who mends it has a whole one.
    let model = model(move |_| cut(early, FinishReason::Length));
    let (journey, id) = journey(&model, 20, false).await;
    journey.ask_and_fold(id, "Where?").await;
    let id = newest(&journey, id).await.id;
    let text = format!("{beginning} Four retries.");
    let mended = journey.app.summary_edit(EditSummary { id, text }).await.unwrap();
    assert!(!mended.receipt.cut);
}

#[tokio::test]
async fn a_fold_that_is_taken_back_leaves_the_request_as_it_was_until_it_is_taken_up_again() {
    let model = model(|task| says(if task == 0 { "First." } else { "Second, and all before." }));
    let (journey, id) = journey(&model, 20, false).await;
    journey.ask_and_fold(id, &format!("Where? {RULE}")).await;
    let mut settings = journey.app.settings_get(()).await.unwrap();
    settings.summary.threshold = 100_000;
    journey.app.settings_set(settings.clone()).await.unwrap();
    for question in ["And the pause?", "And the tests?"] {
        journey.ask_and_fold(id, question).await;
    }
    settings.summary.threshold = 100;
    journey.app.settings_set(settings.clone()).await.unwrap();
    journey.ask_and_fold(id, "And the imports?").await;
    let second = newest(&journey, id).await;
    assert_eq!(second.summary, "Second, and all before.");
    let with = journey.preview(id, "And now?").await;

    let panel = journey.app.summary_undo(SummaryRef { id: second.id }).await.unwrap();
    let first = panel.records.iter().find(|it| it.summary == "First.").unwrap().id;
    assert_eq!(panel.shown, [first]);
    let without = journey.preview(id, "And now?").await;
    let turns = without.sections.iter().filter(|it| it.kind == SectionKind::Turn).count();
    assert_eq!(turns, 6, "word for word again");
    // Up to its own turn, the same bytes that the last question was sent with, before the fold.
    let beginning = |sections: &[Section]| -> Vec<String> {
        let told = sections.iter().filter(|it| it.kind <= SectionKind::Summary);
        told.map(|it| it.text.clone()).collect()
    };
    let asked = model.asked.lock().unwrap().iter().rfind(|it| !is_task(it)).unwrap().clone();
    assert_eq!(beginning(&without.sections), beginning(&asked.sections));

    // The next reply does not fold it again, and the older one cannot be taken back over it.
    settings.summary.threshold = 200;
    journey.app.settings_set(settings).await.unwrap();
    journey.ask_and_fold(id, "And the gateway?").await;
    assert_eq!(journey.panel(id).await.shown, [first]);
    let taken = journey.app.summary_adopt(SummaryRef { id: second.id }).await.unwrap();
    assert_eq!(journey.panel(id).await.shown, [taken.id]);
    assert!(journey.app.summary_undo(SummaryRef { id: first }).await.is_err());
    let again = journey.preview(id, "And now?").await;
    let told = |view: &siltstone_contract::RequestView| -> Vec<String> {
        let told = view.sections.iter().filter(|it| it.kind == SectionKind::Summary);
        told.map(|it| it.text.clone()).collect()
    };
    assert_eq!(told(&again), told(&with));
}

#[tokio::test]
async fn a_preview_shows_the_fold_and_changes_nothing_until_it_is_adopted() {
    let model = model(|_| says("They talked about the handler. [m1]"));
    let journey = journey_with(&model, |settings| settings.summary.threshold = 2_000).await;
    let id = journey.conversation(None).await;
    let empty = journey.app.summary_preview(ConversationRef { id }).await;
    assert_eq!(empty.unwrap_err().code, Code::NothingToFold);
    let empty = journey.app.summary_run(ConversationRef { id }).await;
    assert_eq!(empty.unwrap_err().code, Code::NothingToFold);
    let questions = (2..=10).map(|turn| format!("And what of module {turn}?"));
    for question in [format!("Where? {RULE}")].into_iter().chain(questions) {
        journey.ask_and_fold(id, &question).await;
    }
    let before = journey.preview(id, "").await;
    let preview = journey.app.summary_preview(ConversationRef { id }).await.unwrap();
    assert_eq!(texts(&journey.preview(id, "").await.sections), texts(&before.sections));
    assert!(journey.panel(id).await.records.is_empty());
    assert_eq!(preview.tokens_before, before.tokens);
    assert!(preview.tokens_after < preview.tokens_before);
    let rule = preview.check.retention.of(Category::Constraint).unwrap();
    assert_eq!((rule.in_source, rule.kept), (1, 1));
    assert!(preview.check.left_behind.iter().any(|it| it.text == "src/api/session.rs"));
    assert_eq!(preview.missing_constraints, []);

    journey.app.summary_adopt(SummaryRef { id: preview.candidate.id }).await.unwrap();
    let after = journey.preview(id, "").await;
    assert_eq!(after.tokens, preview.tokens_after);
    // From the fold on, nothing is what a provider may have kept of the request before.
    let pairs = before.sections.iter().zip(&after.sections);
    let same = pairs.take_while(|(before, after)| before.text == after.text);
    let same: u64 = same.map(|(_, after)| after.tokens).sum();
    assert_eq!(preview.reread_tokens, after.tokens - same);
}

#[tokio::test]
async fn a_sketch_shows_what_a_rate_would_lose_and_asks_and_keeps_nothing() {
    let model = model(|_| says("They talked about the handler. [m1]"));
    let journey = journey_with(&model, |settings| {
        settings.summary.policy = Policy::Segments;
        settings.summary.by_numbers = Some(true);
    })
    .await;
    let id = journey.conversation(None).await;
    let app = &journey.app;
    let sketch = async |rate: Option<f64>| {
        app.summary_sketch(SketchFold { id, rate: rate.map(Rate::from) }).await
    };
    assert_eq!(sketch(None).await.unwrap(), None, "nothing was said yet");
    for question in [format!("Where? {RULE}"), "And the pause?".to_owned()] {
        journey.ask_and_fold(id, &question).await;
    }
    let (before, asked) = (journey.panel(id).await, model.asked.lock().unwrap().len());
    let short = sketch(Some(0.1)).await.unwrap().unwrap();
    let long = sketch(Some(0.5)).await.unwrap().unwrap();
    let usual = sketch(None).await.unwrap().unwrap();
    assert_eq!(f64::from(usual.summary.compression_rate), 0.3);
    let chars = |sketch: &FoldSketch| sketch.summary.summary_chars;
    assert!(chars(&short) < chars(&usual) && chars(&usual) < chars(&long));
    // What is left behind is said by no sentence of it, and by no message of its own making.
    assert!(short.check.left_behind.len() > long.check.left_behind.len());
    assert!(!short.check.left_behind.is_empty());
    for left in &short.check.left_behind {
        assert!(!short.summary.summary.contains(&left.text), "{left:?}");
    }
    let rule = short.summary.receipt.kept.iter().find(|fact| fact.text == RULE);
    assert!(rule.is_some() || short.summary.summary.contains(RULE), "{short:?}");
    assert_eq!(model.asked.lock().unwrap().len(), asked, "nobody is asked");
    assert_eq!(journey.panel(id).await, before, "and nothing is kept");
    let named = app.summary_get(SummaryRef { id: short.summary.id }).await;
    assert_eq!(named.unwrap_err().code, Code::NotFound);

    // The newest wish alone is carried out.
    let (older, newer) = tokio::join!(sketch(Some(0.1)), sketch(Some(0.5)));
    assert_eq!(older.unwrap_err().code, Code::Cancelled);
    assert_eq!(newer.unwrap().unwrap().summary.summary, long.summary.summary);

    // A policy that makes no summaries has none to show.
    let folding = SetFolding {
        conversation_id: id,
        policy: Some(Policy::Window),
        rate: None,
        strict: None,
        recall: None,
    };
    app.folding_set(folding).await.unwrap();
    assert_eq!(sketch(None).await.unwrap(), None);
}

#[tokio::test]
async fn without_a_model_every_line_is_its_own_source() {
    let journey = Journey::with(Arc::new(siltstone_providers::Connections::new()));
    let id = journey.conversation(None).await;
    for question in [format!("{REPLY} {RULE}"), "And then?".into(), "And now?".into()] {
        journey.ask(id, &question).await;
    }
    journey.app.summary_run(ConversationRef { id }).await.unwrap();
    journey.app.summaries_settled(id).await;
    let record = newest(&journey, id).await;
    assert_eq!(record.status, Status::Completed, "{:?}", record.fault);
    let path = journey.path(id).await;
    for line in &record.receipt.lines {
        let [source] = line.sources[..] else { panic!("one source: {line:?}") };
        let said = crate::world::text(path.iter().find(|it| it.id == source).unwrap());
        let mut sentences = line.text.split_inclusive(". ").map(str::trim);
        assert!(sentences.all(|sentence| said.contains(sentence)), "{line:?}");
        assert!(line.unsupported.is_empty());
    }
    assert!(record.summary.contains(RULE) || record.receipt.kept.iter().any(|it| it.text == RULE));
}

#[tokio::test]
async fn under_strict_nothing_goes_beside_a_summary_and_nothing_is_cited() {
    let model = model(|_| says("Agreed. [m1]"));
    let (journey, id) = journey(&model, 20, true).await;
    journey.ask_and_fold(id, &format!("Where? {RULE}")).await;
    let record = newest(&journey, id).await;
    assert_eq!((record.summary.as_str(), &record.receipt), ("Agreed. [m1]", &Default::default()));
    assert!(prompts(&model).iter().all(|it| it.contains("\nUSER: Where?") && !it.contains("[m1]")));
    let fact = KeepFact { id: record.id, text: RULE.into() };
    assert!(journey.app.summary_keep(fact).await.is_err());
}

#[tokio::test]
async fn a_rule_that_left_the_window_is_named_before_anything_is_sent_until_it_is_said_again() {
    for rule in [RULE, RULE_KO] {
        let model = model(|_| says("In short."));
        let window = ModelInfo { context_window: Some(1_600), ..ModelInfo::named("small") };
        *model.offers.lock().unwrap() = vec![window];
        let journey = journey_with(&model, |it| it.summary.policy = Policy::Window).await;
        let id = journey.conversation(None).await;
        journey.ask(id, &format!("Where is the handler? {rule}")).await;
        assert_eq!(journey.preview(id, "And now?").await.missing_constraints, []);
        for turn in 1..=8 {
            journey.ask(id, &format!("And the pause of module {turn}?")).await;
        }
        let said = id_of_message(journey.path(id).await[0].id);
        let mut unsaid = 0;
        for policy in [Policy::Window, Policy::Importance, Policy::Summarise, Policy::None] {
            let set = SetFolding {
                conversation_id: id,
                policy: Some(policy),
                rate: None,
                strict: None,
                recall: None,
            };
            journey.app.folding_set(set).await.unwrap();
            let view = journey.preview(id, "And now?").await;
            let says = view.sections.iter().any(|it| it.text.contains(rule));
            let named: Vec<(&str, &str)> =
                view.missing_constraints.iter().map(|it| (&*it.text, &*it.section)).collect();
            let expected = if says { vec![] } else { vec![(rule, &*said)] };
            assert_eq!(named, expected, "{policy:?}");
            unsaid += usize::from(!says);
        }
        assert!(unsaid > 0, "the window is too small for it");
        journey.ask(id, &format!("And the timers? {rule}")).await;
        assert_eq!(journey.preview(id, "And now?").await.missing_constraints, []);
    }
}

#[tokio::test]
async fn the_rules_of_a_long_history_are_named_as_soon_as_it_was_read() {
    let model = model(|_| says("In short."));
    let window = ModelInfo { context_window: Some(1_600), ..ModelInfo::named("small") };
    *model.offers.lock().unwrap() = vec![window];
    let journey = journey_with(&model, |it| it.summary.policy = Policy::Window).await;
    let said = |turn: usize| match turn {
        0 => format!("Where is the handler? {RULE}"),
        _ => format!("And where is the handler of module {turn} by now?"),
    };
    let line = |turn| serde_json::json!({"role": "user", "content": said(turn)}).to_string();
    let text = (0..2_100).map(line).collect::<Vec<_>>().join("\n");
    let import = ImportConversation { text, name: "long.jsonl".into(), project_id: None };
    let id = journey.app.conversation_import(import).await.unwrap().item.id;
    until("the rule to be named", async || {
        let missing = journey.preview(id, "And now?").await.missing_constraints;
        missing.iter().any(|it| it.text == RULE)
    })
    .await;
}

#[tokio::test]
async fn what_two_segments_keep_is_told_with_the_newer_one_alone() {
    let model = model(|_| says("They talked about the session handler."));
    let journey = journey_with(&model, by_threes).await;
    let id = journey.conversation(None).await;
    for turn in 1..=7 {
        let rule = if turn == 1 || turn == 5 { RULE } else { "" };
        journey.ask_and_fold(id, &format!("What of module {turn}? {rule}")).await;
    }
    let panel = journey.panel(id).await;
    assert_eq!(panel.shown.len(), 2, "{:?}", panel.records);
    let keeps = |record: &Record| record.receipt.kept.iter().any(|fact| fact.text == RULE);
    assert!(panel.records.iter().all(keeps));
    let telling = |sections: &[Section]| -> Vec<String> {
        let telling = sections.iter().filter(|it| it.text.contains(RULE));
        telling.map(|it| it.id.clone()).collect()
    };
    assert_eq!(
        telling(&journey.preview(id, "And now?").await.sections),
        [id_of_summary(panel.shown[1])]
    );
    let turn = journey.path(id).await.last().unwrap().turn_id.unwrap();
    let sent = journey.app.request_sent(TurnRef { id: turn }).await.unwrap();
    assert!(sent.sections.iter().all(|it| it.text.is_some() && !it.changed_since));
    // Without the newer one the older tells it.
    let wish = WishSection {
        conversation_id: id,
        id: id_of_summary(panel.shown[1]),
        source: "summary".into(),
        wish: Some(Wish::LeftOut),
    };
    journey.app.section_wish(wish).await.unwrap();
    let view = journey.preview(id, "And now?").await;
    assert_eq!(telling(&view.sections), [id_of_summary(panel.shown[0])]);
    assert_eq!(view.missing_constraints, []);
}

#[tokio::test]
async fn a_summary_finished_while_another_branch_is_shown_is_weighed_when_its_own_is() {
    let latch = Latch::default();
    let held = Step::Until(latch.clone());
    let slow = move || vec![held.clone(), Step::Say("Slow."), Step::Finish];
    let model = model(move |task| if task == 0 { slow() } else { says("Quick.") });
    let (journey, id) = journey(&model, 0, false).await;
    journey.ask(id, &format!("Where? {RULE}")).await;
    let reply = journey.path(id).await.pop().unwrap();
    journey.app.regenerate(Regenerate { id: reply.id, context: None, model: None }).await.unwrap();
    journey.settled(id).await;
    assert!(journey.panel(id).await.busy.is_some(), "it is being made while another is shown");
    latch.open();
    journey.app.summaries_settled(id).await;
    assert!(journey.panel(id).await.records.iter().all(|record| record.summary != "Slow."));

    journey.app.branch_switch(MessageRef { id: reply.id }).await.unwrap();
    // The last two exchanges go themselves, and these are not folded.
    let mut settings = journey.app.settings_get(()).await.unwrap();
    settings.summary.threshold = 400;
    journey.app.settings_set(settings).await.unwrap();
    for question in ["And then?", "And the rest?"] {
        journey.ask_and_fold(id, question).await;
    }
    let view = journey.preview(id, "And now?").await;
    let told = view.sections.iter().find(|it| it.kind == SectionKind::Summary).unwrap();
    assert!(told.text.contains("Slow.") && told.text.contains(RULE), "{}", told.text);
    assert_eq!(view.missing_constraints, []);
    let record = newest(&journey, id).await;
    assert_eq!((record.summary.as_str(), record.status), ("Slow.", Status::Completed));
    assert_eq!(record.receipt.constraints, [RULE]);
}

#[tokio::test]
async fn lines_are_asked_for_by_a_schema_and_read_from_what_it_makes() {
    let answer = r#"{"lines": [{"text": "The pause is 250 ms.", "sources": ["m2"]}, {"text": "They asked where.", "sources": ["m1"]}]}"#;
    let model = model(move |_| says(answer));
    let (journey_of, id) = journey(&model, 0, false).await;
    journey_of.ask_and_fold(id, "Where?").await;
    let record = newest(&journey_of, id).await;
    assert_eq!(record.summary, "The pause is 250 ms.\nThey asked where.");
    let path = journey_of.path(id).await;
    let cited: Vec<_> = record.receipt.lines.iter().map(|line| line.sources.clone()).collect();
    assert_eq!(cited, [vec![path[1].id], vec![path[0].id]]);
    let asked = |model: &Scripted| -> Vec<bool> {
        let asked = model.asked.lock().unwrap();
        asked.iter().map(|it| it.schema.is_some()).collect()
    };
    assert_eq!(asked(&model), [false, true], "a reply is free");

    let strict = self::model(|_| says("In short."));
    let (journey, id) = journey(&strict, 0, true).await;
    journey.ask_and_fold(id, "Where?").await;
    assert!(asked(&strict).len() > 1 && !asked(&strict).contains(&true));
}
