//! The newest stays whole: what sixty turns send under every policy, turn by turn. Nothing of the last two exchanges is
//! ever folded away, nothing that was folded just now comes back as a passage, and no request is larger than it would be
//! if nothing were folded.

use siltstone_contract::{RequestView, SentRequestView, SetFolding, TurnRef};
use siltstone_engine::ids::{ConversationId, MessageId};
use siltstone_engine::message::{MessageStatus, Role, text_of};
use siltstone_engine::provider::{ModelInfo, ModelRequest};
use siltstone_engine::section::{Section, SectionKind, recalled_of};
use siltstone_engine::settings::Settings;
use siltstone_engine::summary::Policy;

use crate::scripted::{Scripted, Step};
use crate::summaries::{is_task, journey_with};
use crate::world::Journey;

const TURNS: usize = 60;

/// All sixty turns fit into it, so that what is sent without folding is all of them.
const WINDOW: u64 = 24_000;

const HARBOURS: [&str; 6] = ["Aalborg", "Bergen", "Cuxhaven", "Dover", "Esbjerg", "Fowey"];

fn harbour(turn: usize) -> String {
    format!("{} {turn}", HARBOURS[turn % HARBOURS.len()])
}

/// Asks for what was said long ago as often as for something new.
fn question(turn: usize) -> String {
    match turn % 3 {
        0 if turn > 3 => {
            format!("What did we decide about the lighthouse of {}?", harbour(turn / 2))
        }
        1 if turn > 1 => format!("And what did you say of {} just now?", harbour(turn - 1)),
        _ => format!("What shall we do about the lighthouse of {}?", harbour(turn)),
    }
}

fn answers(request: &ModelRequest) -> Vec<Step> {
    if is_task(request) {
        return vec![
            Step::Say("They went from harbour to harbour and decided on lamps."),
            Step::Finish,
        ];
    }
    let asked = request.sections.last().map(|it| it.text.clone()).unwrap_or_default();
    let said = format!("{asked} We decided that its lamp is repaired in spring. ");
    let rest =
        "The keeper counts the ships that pass by night and writes them down by day. ".repeat(14);
    vec![Step::Say(Box::leak((said + &rest).into_boxed_str())), Step::Finish]
}

/// What was sent for the newest reply, rebuilt.
async fn sent(journey: &Journey, id: ConversationId) -> SentRequestView {
    let reply = journey.path(id).await.pop().unwrap();
    journey.app.request_sent(TurnRef { id: reply.turn_id.unwrap() }).await.unwrap()
}

async fn told_by(journey: &Journey, id: ConversationId, policy: Option<Policy>) {
    let set = SetFolding { conversation_id: id, policy, rate: None, strict: None, recall: None };
    journey.app.folding_set(set).await.unwrap();
}

fn whole(view: &RequestView) -> Vec<(MessageId, &str)> {
    let turns = view.sections.iter().filter(|it| it.kind == SectionKind::Turn);
    turns.map(|it| (it.messages[0], it.text.as_str())).collect()
}

fn recalled(sections: &[Section]) -> impl Iterator<Item = MessageId> + '_ {
    sections.iter().filter_map(|section| recalled_of(&section.id))
}

/// Sixty turns; how many folds there were, and how many requests had passages.
async fn sixty_turns(policy: Policy, change: impl FnOnce(&mut Settings)) -> (usize, usize) {
    let model = Scripted::answering(answers);
    let window = ModelInfo { context_window: Some(WINDOW), ..ModelInfo::named("small") };
    *model.offers.lock().unwrap() = vec![window];
    let journey = journey_with(&model, |settings| {
        settings.summary.policy = policy;
        settings.tools.on = false;
        change(settings);
    })
    .await;
    let id = journey.conversation(None).await;
    let (mut folds, mut passages) = (0, 0);
    for turn in 1..=TURNS {
        journey.ask_and_fold(id, &question(turn)).await;
        let panel = journey.panel(id).await;
        let folded = panel.records.len() > folds;
        folds = panel.records.len();
        let next = question(turn + 1);
        let view = journey.preview(id, &next).await;
        let path = journey.path(id).await;
        let sent = whole(&view);
        for message in path.iter().rev().take(4) {
            let said = (message.id, text_of(&message.parts));
            let stands = sent.iter().any(|(id, text)| (*id, *text) == (said.0, said.1.as_str()));
            assert!(stands, "{policy:?}, turn {turn}: {}", said.1);
        }
        let newest = panel.records.iter().rfind(|record| Some(&record.id) == panel.shown.last());
        let before = panel.records.iter().map(|it| it.coverage.end());
        let newly = newest.map(|record| {
            let before = before.filter(|end| *end < record.coverage.end()).max().unwrap_or(0);
            before.max(record.coverage.start).max((path.len() as u64).saturating_sub(24))
                ..record.coverage.end()
        });
        for id in recalled(&view.sections) {
            let place = path.iter().position(|message| message.id == id).unwrap() as u64;
            assert!(newly.as_ref().is_none_or(|newly| !newly.contains(&place)), "turn {turn}");
            assert!(sent.iter().all(|(sent, _)| *sent != id), "turn {turn}: once is enough");
        }
        passages += usize::from(recalled(&view.sections).next().is_some());
        if folded || turn % 10 == 0 {
            told_by(&journey, id, Some(Policy::None)).await;
            let plain = journey.preview(id, &next).await;
            told_by(&journey, id, None).await;
            assert_eq!(whole(&plain).len(), path.len(), "all of it fits");
            let (now, all) = (view.tokens, plain.tokens);
            assert!(now <= all, "{policy:?}, turn {turn}: {now} tokens, {all} without folding");
        }
    }
    (folds, passages)
}

#[tokio::test]
async fn rolling_keeps_the_newest_and_takes_less() {
    let (folds, passages) = sixty_turns(Policy::Rolling, |_| {}).await;
    assert!((1..6).contains(&folds) && passages > 0, "{folds} folds, {passages} with passages");
}

#[tokio::test]
async fn segments_keep_the_newest_and_take_less() {
    let (folds, passages) = sixty_turns(Policy::Segments, |_| {}).await;
    assert!(folds >= 4 && passages > 0, "{folds} folds, {passages} with passages");
}

#[tokio::test]
async fn running_keeps_the_newest_and_takes_less() {
    let (folds, passages) = sixty_turns(Policy::Running, |_| {}).await;
    assert!((1..6).contains(&folds) && passages > 0, "{folds} folds, {passages} with passages");
}

#[tokio::test]
async fn by_the_numbers_of_the_seeds_the_newest_stays_as_well() {
    let (folds, _) = sixty_turns(Policy::Segments, |settings| {
        settings.summary.by_numbers = Some(true);
    })
    .await;
    assert_eq!(folds, TURNS / 3, "three turns each");
}

#[tokio::test]
async fn by_a_number_of_the_persons_the_newest_stays_as_well() {
    let (folds, _) =
        sixty_turns(Policy::Rolling, |settings| settings.summary.threshold = 900).await;
    assert!(folds > 10, "{folds}");
}

#[tokio::test]
async fn by_a_small_window_of_the_persons_the_newest_stays_as_well() {
    let (folds, _) =
        sixty_turns(Policy::Running, |settings| settings.summary.window_keep = 700).await;
    assert!(folds > 10, "{folds}");
}

#[tokio::test]
async fn policies_without_folds_keep_the_newest() {
    for policy in [Policy::Window, Policy::Importance, Policy::Summarise, Policy::None] {
        assert_eq!(sixty_turns(policy, |_| {}).await.0, 0, "{policy:?}");
    }
}

/// The Segments design under `strict`, to the letter: turn 4 has one summary and nothing of the turns it tells.
#[tokio::test]
async fn strict_follows_the_seed() {
    let model = Scripted::answering(answers);
    let journey = journey_with(&model, |settings| {
        settings.summary.policy = Policy::Segments;
        settings.summary.strict = true;
    })
    .await;
    let id = journey.conversation(None).await;
    for turn in 1..=4 {
        journey.ask_and_fold(id, &question(turn)).await;
    }
    let last = {
        let asked = model.asked.lock().unwrap();
        asked.iter().rfind(|request| !is_task(request)).unwrap().clone()
    };
    let [system, .., draft] = last.sections.as_slice() else { panic!("{:?}", last.sections) };
    let first = "당신은 유용한 AI 어시스턴트입니다.\n\n[이전 대화 요약]\n[1-3턴] ";
    assert!(system.role == Role::System && system.text.starts_with(first), "{}", system.text);
    assert_eq!(draft.text, question(4));
    let kinds = last.sections.iter().map(|section| section.kind);
    let beside = kinds.filter(|kind| matches!(kind, SectionKind::Turn | SectionKind::Summary));
    assert_eq!(beside.count(), 0, "what is told stands in the seed's own prompt");
    let sent = sent(&journey, id).await;
    let prompt = &sent.sections[0];
    assert!(!prompt.changed_since && prompt.text.as_ref().is_some_and(|it| it.starts_with(first)));
}

/// The Rolling design under `strict`, to the letter: all of it is one message of the person, and the first ones are left as they
/// were typed.
#[tokio::test]
async fn strict_sends_the_one_message_of_the_seed() {
    let model = Scripted::answering(answers);
    let journey = journey_with(&model, |settings| settings.summary.strict = true).await;
    let id = journey.conversation(None).await;
    let said = || {
        let asked = model.asked.lock().unwrap();
        let last = asked.last().unwrap();
        let mine = last.sections.iter().filter(|section| section.role != Role::System);
        mine.map(|section| section.text.clone()).collect::<Vec<_>>()
    };
    journey.ask(id, "첫 번째 질문...").await;
    assert_eq!(said(), ["첫 번째 질문..."], "case A");
    let reply = journey.ask(id, "두 번째 질문...").await;
    let [one]: [String; 1] = said().try_into().unwrap();
    assert!(one.starts_with("[RECENT MESSAGES]\nUSER: 첫 번째 질문...\nASSISTANT: "), "{one}");
    assert!(one.ends_with("\n\n[CURRENT MESSAGE]\n두 번째 질문..."), "{one}");
    assert_eq!(reply.status, MessageStatus::Complete);
    let sent = sent(&journey, id).await.sections;
    let draft = sent.iter().find(|it| it.section.id == "draft").unwrap();
    assert_eq!((draft.changed_since, draft.text.as_ref()), (false, Some(&one)));
}

/// behaviour.md, Rolling: more of the newest messages than the seed's six stay where the person says so.
#[tokio::test]
async fn the_number_of_recent_messages_counts_also_where_nothing_is_strict() {
    for (wanted, whole) in [(6, 4), (8, 8)] {
        let model = Scripted::answering(answers);
        let journey = journey_with(&model, |settings| {
            settings.summary.threshold = 100;
            settings.summary.recent_messages = wanted;
        })
        .await;
        let id = journey.conversation(None).await;
        for turn in 1..=9 {
            journey.ask_and_fold(id, &question(turn)).await;
        }
        let view = journey.preview(id, "And now?").await;
        let turns = view.sections.iter().filter(|it| it.kind == SectionKind::Turn).count();
        assert_eq!(turns, whole, "{wanted}");
    }
}

/// The first time a fold is due the person is shown what may stand for earlier messages, and chooses once.
#[tokio::test]
async fn the_first_fold_asks_which_policy_and_never_again() {
    let model = Scripted::answering(answers);
    let journey = journey_with(&model, |settings| settings.summary.threshold = 100).await;
    let asked = async || journey.app.settings_get(()).await.unwrap().summary.asked;
    let id = journey.conversation(None).await;
    assert_eq!(asked().await, None);
    journey.ask_and_fold(id, &question(1)).await;
    journey.ask_and_fold(id, &question(2)).await;
    assert_eq!(asked().await, Some(false));
    let mut settings = journey.app.settings_get(()).await.unwrap();
    settings.summary.policy = Policy::Segments;
    settings.summary.asked = Some(true);
    settings.summary.by_numbers = Some(true);
    journey.app.settings_set(settings).await.unwrap();
    for turn in 3..=8 {
        journey.ask_and_fold(id, &question(turn)).await;
    }
    assert_eq!(asked().await, Some(true));
    let made = journey.panel(id).await.records;
    assert!(made.iter().any(|record| record.policy == Policy::Segments), "{made:?}");
}
