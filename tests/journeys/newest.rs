//! The newest stays whole: what sixty turns send under every policy, turn by turn. Nothing of the last two exchanges is
//! ever folded away, nothing that was folded just now comes back as a passage, and no request is larger than it would be
//! if nothing were folded.

use siltstone_contract::{RequestView, SetFolding};
use siltstone_engine::ids::{ConversationId, MessageId};
use siltstone_engine::message::text_of;
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

async fn told_by(journey: &Journey, id: ConversationId, policy: Option<Policy>) {
    let set = SetFolding { conversation_id: id, policy, rate: None, recall: None };
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

/// Seed 003 under `strict`, to the letter: turn 4 has one summary and nothing of the turns it tells.
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
    let asked = model.asked.lock().unwrap();
    let last = asked.iter().rfind(|request| !is_task(request)).unwrap();
    let kinds: Vec<SectionKind> = last.sections.iter().map(|section| section.kind).collect();
    assert!(kinds.contains(&SectionKind::Summary) && !kinds.contains(&SectionKind::Turn));
}
