//! What was said long ago, in the request where it is asked about: chosen with a reason, shown as it is sent, pinned and
//! rejected there, and out of no other project, branch or trash.

use std::sync::Arc;

use proptest::prelude::*;
use rstest::rstest;
use siltstone_contract::{
    ConversationRef, EditMessage, Find, MessageRef, PageConversation, SetFolding, TurnRef,
    WishSection,
};
use siltstone_engine::Timestamp;
use siltstone_engine::conversation::{Conversation, TitleSource};
use siltstone_engine::ids::{BranchId, ConversationId, MessageId, ProjectId};
use siltstone_engine::message::{Message, MessageStatus, Part, Role};
use siltstone_engine::ports::{DataFolder, NewMessage, Stores};
use siltstone_engine::project::Trust;
use siltstone_engine::provider::{ModelInfo, ModelRequest};
use siltstone_engine::recall::{RecallScope, RecallSettings, ShareWhy};
use siltstone_engine::search::{Filter, FoundKind};
use siltstone_engine::section::{
    LeftOutWhy, Reason, Section, SectionKind, id_of_recalled, recalled_of,
};
use siltstone_engine::summary::Policy;
use siltstone_engine::wish::Wish;
use siltstone_secrets::Seals;
use siltstone_storage::DataDir;
use tempfile::TempDir;

use crate::scripted::{Scripted, Step};
use crate::summaries::{SUMMARY, is_task, journey_with};
use crate::world::{Journey, app_on, text};

const SPOKE: &str = "The staging password is rotated every quarter, and Dana owns it.";
const ASKED: &str = "How often did we say the staging password is rotated?";
const KOREAN: &str = "스테이징 비밀번호는 분기마다 바꾸고 담당은 김다온 씨예요.";
const KOREAN_ASKED: &str = "스테이징 비밀번호는 얼마마다 바꾸기로 했더라?";

/// Talk of other things.
const OTHER: [&str; 6] = [
    "The importer skips empty rows and logs each of them once.",
    "Please rename the helper, its name says nothing about the parser.",
    "달력 화면의 글꼴을 조금 더 크게 해 주세요.",
    "I moved the timeline into its own component and wrote two tests.",
    "차트의 색은 접근성 기준에 맞춰 다시 골랐어요.",
    "Lunch was good; back to the layout of the sidebar.",
];

fn answers(request: &ModelRequest) -> Vec<Step> {
    vec![Step::Say(if is_task(request) { SUMMARY } else { "I see." }), Step::Finish]
}

/// A model with a small window.
pub fn small() -> Scripted {
    let model = Scripted::answering(answers);
    let small = ModelInfo { context_window: Some(8_192), ..ModelInfo::named("small") };
    model.offers.lock().unwrap().push(small);
    model
}

pub async fn journey(model: &Scripted, policy: Policy) -> Journey {
    let journey = journey_with(model, |settings| settings.summary.policy = policy).await;
    // What the server says of its models is known once it was asked for them.
    let named = siltstone_contract::ProviderRef { name: "work".into() };
    journey.app.provider_models(named).await.unwrap();
    journey
}

pub fn stores(data: &TempDir) -> Stores {
    let now = Timestamp::UNIX_EPOCH;
    DataDir::new(data.path().to_path_buf(), Arc::new(Seals)).open(now).unwrap()
}

/// A conversation in which these were said by turns on 2 March 2026, a minute after each other.
pub fn told(
    stores: &Stores,
    project_id: Option<ProjectId>,
    title: &str,
    said: &[&str],
) -> ConversationId {
    let begun: Timestamp = "2026-03-02T09:00:00Z".parse().unwrap();
    let (title, title_source) = (title.to_owned(), TitleSource::Person);
    let empty = Conversation::empty(project_id, begun);
    let conversation = Conversation { title, title_source, ..empty };
    stores.transcripts.create_conversation(&conversation).unwrap();
    let mut parent_id = None;
    let all = said.iter().enumerate().map(|(place, said)| {
        let now = Timestamp::from_second(begun.as_second() + 60 * place as i64).unwrap();
        let role = if place % 2 == 0 { Role::User } else { Role::Assistant };
        let message = Message {
            id: MessageId::new(now),
            conversation_id: conversation.id,
            parent_id,
            turn_id: None,
            index: 0,
            role,
            parts: vec![Part::Text { text: (*said).to_owned() }],
            status: MessageStatus::Complete,
            model: None,
            tokens: 40,
            created_at: now,
        };
        parent_id = Some(message.id);
        NewMessage { message, branch_if_needed: BranchId::new(now) }
    });
    stores.transcripts.append_messages(&all.collect::<Vec<_>>()).unwrap();
    conversation.id
}

/// Three hundred turns, the third of which says this.
pub fn long(spoke: &str) -> Vec<&str> {
    let mut said: Vec<&str> = OTHER.iter().copied().cycle().take(600).collect();
    said[4] = spoke;
    said
}

pub fn recalled(sections: &[Section]) -> Vec<&Section> {
    sections.iter().filter(|section| recalled_of(&section.id).is_some()).collect()
}

pub fn sent(model: &Scripted) -> Vec<Section> {
    let asked = model.asked.lock().unwrap();
    asked.iter().rev().find(|request| !is_task(request)).unwrap().sections.clone()
}

/// Asks, and gives the turn of the reply.
pub async fn answered(journey: &Journey, id: ConversationId, text: &str) -> TurnRef {
    journey.send(id, text).await;
    journey.settled(id).await;
    let newest = PageConversation { id, start: None, limit: 2 };
    let newest = journey.app.conversation_page(newest).await.unwrap().messages.pop().unwrap();
    TurnRef { id: newest.turn_id.unwrap() }
}

async fn wish(journey: &Journey, conversation_id: ConversationId, id: &str, wish: Option<Wish>) {
    let source = "The talk".to_owned();
    let request = WishSection { conversation_id, id: id.to_owned(), source, wish };
    journey.app.section_wish(request).await.unwrap();
}

/// behaviour.md, Compaction: smart context selection.
#[rstest]
#[case::english(SPOKE, ASKED, "every quarter", Policy::Rolling)]
#[case::korean(KOREAN, KOREAN_ASKED, "분기마다", Policy::Window)]
#[case::importance(SPOKE, ASKED, "every quarter", Policy::Importance)]
#[case::running(KOREAN, KOREAN_ASKED, "분기마다", Policy::Running)]
#[tokio::test]
async fn what_was_said_300_turns_ago_goes_with_reason_and_link(
    #[case] spoke: &str,
    #[case] asked: &str,
    #[case] tells: &str,
    #[case] policy: Policy,
) {
    let model = small();
    let journey = journey(&model, policy).await;
    let id = told(&stores(&journey.data), None, "The talk", &long(spoke));
    let view = journey.preview(id, asked).await;
    let shares = view.recall.unwrap();
    let found = recalled(&view.sections);
    let best = found.iter().find(|it| it.text.contains(tells)).unwrap();
    assert!(matches!(
        best.reason,
        Reason::Recalled {
            rank: 1,
            worth: 30..=100,
            by_meaning: false,
            cut: None,
            otherwise: None
        }
    ));
    assert!(best.text.starts_with("[Said on 2026-03-02 by the user earlier in this conversation]"));
    assert_eq!((best.kind, best.source.as_str()), (SectionKind::Passage, "The talk · 2026-03-02"));
    let message = recalled_of(&best.id).unwrap();
    assert_eq!(best.link.as_deref(), Some(format!("silt:message/{message}").as_str()));
    assert_eq!(stores(&journey.data).transcripts.message(message).unwrap().message.index, 4);

    // After what was said, before what is asked.
    let place = |is: fn(&Section) -> bool| view.sections.iter().rposition(is).unwrap();
    let first = view.sections.iter().position(|it| recalled_of(&it.id).is_some()).unwrap();
    assert!(place(|it| it.kind == SectionKind::Turn) < first);
    assert!(first < place(|it| it.kind == SectionKind::Draft));
    assert_eq!(shares.recalled, found.iter().map(|it| it.tokens).sum::<u64>());
    assert!(shares.recalled * 100 <= shares.room * u64::from(shares.percent), "{shares:?}");
    assert_eq!(shares.why, ShareWhy::LooksBack);
    assert!(view.tokens <= view.budget);
    // Nothing that goes word for word is said twice.
    let turns = view.sections.iter().filter(|it| it.kind == SectionKind::Turn);
    assert!(
        turns.flat_map(|it| &it.messages).all(|id| !found.iter().any(|it| it.messages == [*id]))
    );

    let turn = answered(&journey, id, asked).await;
    let went = sent(&model);
    let shown: Vec<&str> = found.iter().map(|it| it.text.as_str()).collect();
    assert_eq!(recalled(&went).iter().map(|it| it.text.as_str()).collect::<Vec<_>>(), shown);
    let rebuilt = journey.app.request_sent(turn).await.unwrap().sections;
    let rebuilt: Vec<_> =
        rebuilt.iter().filter(|it| recalled_of(&it.section.id).is_some()).collect();
    assert!(rebuilt.iter().all(|it| !it.changed_since));
    assert_eq!(rebuilt.iter().filter_map(|it| it.text.as_deref()).collect::<Vec<_>>(), shown);
}

#[tokio::test]
async fn a_rejected_passage_stays_out_until_that_is_taken_back_and_a_pinned_one_stays_in() {
    let model = small();
    let journey = journey(&model, Policy::Window).await;
    let id = told(&stores(&journey.data), None, "The talk", &long(SPOKE));
    let view = journey.preview(id, ASKED).await;
    let found = recalled(&view.sections);
    let passage = found.iter().find(|it| it.text.contains("every quarter")).unwrap().id.clone();
    let has = |sections: &[Section]| sections.iter().any(|it| it.id == passage);

    wish(&journey, id, &passage, Some(Wish::LeftOut)).await;
    for _ in 0..2 {
        let view = journey.preview(id, ASKED).await;
        assert!(!has(&view.sections) && !view.sections.iter().any(|it| it.text.contains(SPOKE)));
        let left = view.left_out.iter().find(|left| left.id.as_deref() == Some(&passage)).unwrap();
        assert!(left.why == LeftOutWhy::ByYou && left.tokens > 0);
        answered(&journey, id, ASKED).await;
        assert!(!has(&sent(&model)));
    }
    // Another process knows it too.
    let other = Journey {
        app: app_on(journey.data.path(), Arc::new(model.clone())),
        data: TempDir::new().unwrap(),
        project: TempDir::new().unwrap(),
    };
    assert!(!has(&other.preview(id, ASKED).await.sections));
    wish(&journey, id, &passage, None).await;
    assert!(has(&journey.preview(id, ASKED).await.sections));

    wish(&journey, id, &passage, Some(Wish::Pinned)).await;
    let draft = "What about the colours of the charts?";
    let view = journey.preview(id, draft).await;
    let pinned = view.sections.iter().find(|it| it.id == passage).unwrap();
    assert_eq!((&pinned.reason, pinned.pinned), (&Reason::Pinned, true));
    let turn = answered(&journey, id, draft).await;
    assert!(sent(&model).iter().any(|it| it.text == pinned.text));
    let rebuilt = journey.app.request_sent(turn).await.unwrap().sections;
    let rebuilt = rebuilt.iter().find(|it| it.section.id == passage).unwrap();
    assert_eq!(rebuilt.text.as_deref(), Some(pinned.text.as_str()));
}

#[tokio::test]
async fn passages_come_from_the_shown_branches_of_living_conversations_of_the_project_alone() {
    let model = small();
    let journey = journey(&model, Policy::Window).await;
    let there = TempDir::new().unwrap();
    let project = journey.open(Trust::Trusted).await;
    let elsewhere = journey.open_at(there.path()).await;
    journey.allow_others(project).await;
    let stores = stores(&journey.data);
    let says = |what: &str| format!("The staging password is rotated {what}.");
    let (sister, stranger, gone) = (says("every quarter"), says("weekly"), says("each night"));
    let of_project = told(&stores, Some(project), "Passwords", &[&sister, "Noted."]);
    told(&stores, Some(elsewhere), "Elsewhere", &[&stranger, "Noted."]);
    told(&stores, None, "Nowhere", &[&stranger, "Noted."]);
    let trashed = told(&stores, Some(project), "Gone", &[&gone, "Noted."]);
    journey.app.conversation_delete(ConversationRef { id: trashed }).await.unwrap();
    let id = told(&stores, Some(project), "Here", &["Hello!", "Hi."]);

    // All that was said here fits; what goes is of the other conversation.
    let view = journey.preview(id, ASKED).await;
    let found = recalled(&view.sections);
    assert!(found[0].text.ends_with(&sister) && found[0].text.contains("in “Passwords”"));
    assert_eq!(found[0].source, "Passwords · 2026-03-02");
    let all: String = view.sections.iter().map(|it| it.text.as_str()).collect();
    assert!(!all.contains("weekly") && !all.contains("each night"), "{all}");
    assert_eq!(view.recall.unwrap().why, ShareWhy::LooksBack);

    // What was said on a branch that is shown no more is not recalled, though the search was remembered.
    let first = stores.transcripts.ids_at(of_project, &[0]).unwrap()[0].unwrap();
    let text = "Let us talk of the timeline.".to_owned();
    let edit = EditMessage { id: first, text, attachments: None, context: None };
    journey.app.edit(edit).await.unwrap();
    journey.settled(of_project).await;
    assert!(recalled(&journey.preview(id, ASKED).await.sections).is_empty());
    journey.app.branch_switch(MessageRef { id: first }).await.unwrap();
    assert_eq!(recalled(&journey.preview(id, ASKED).await.sections)[0].messages, [first]);

    // Only this conversation, and not at all.
    let mut recall = RecallSettings { scope: RecallScope::Conversation, ..Default::default() };
    let set =
        |recall| SetFolding { conversation_id: id, policy: None, rate: None, strict: None, recall };
    journey.app.folding_set(set(Some(recall))).await.unwrap();
    let view = journey.preview(id, ASKED).await;
    assert!(recalled(&view.sections).is_empty());
    assert_eq!(view.recall.unwrap().why, ShareWhy::AllSent);
    recall = RecallSettings { on: Some(false), ..Default::default() };
    journey.app.folding_set(set(Some(recall))).await.unwrap();
    let view = journey.preview(id, ASKED).await;
    assert!(recalled(&view.sections).is_empty() && view.recall.is_none());
    journey.app.folding_set(set(None)).await.unwrap();

    journey.app.conversation_delete(ConversationRef { id: of_project }).await.unwrap();
    assert!(recalled(&journey.preview(id, ASKED).await.sections).is_empty());
}

/// The newer shares no word with what is asked.
#[rstest]
#[case::english(
    "On the staging server Postgres listens on port 5433.",
    "5433 is taken by the old cluster. Use 5435 instead.",
    "Which port did we give Postgres on the staging server?"
)]
#[case::korean(
    "액추에이터 포트는 8085로 잡았어요.",
    "8085가 사이드카랑 겹친대요. 8092로 바꿉시다.",
    "액추에이터 포트는 몇 번이었지?"
)]
#[tokio::test]
async fn what_was_said_otherwise_since_goes_with_it_and_both_say_when(
    #[case] older: &str,
    #[case] newer: &str,
    #[case] asked: &str,
) {
    let model = small();
    let journey = journey(&model, Policy::Window).await;
    let stores = stores(&journey.data);
    let mut said = long(older);
    said[40] = newer;
    let id = told(&stores, None, "The talk", &said);
    let view = journey.preview(id, asked).await;
    let found = recalled(&view.sections);
    let place = |text: &str| found.iter().position(|it| it.text.ends_with(text)).unwrap();
    let (old, new) = (found[place(older)], found[place(newer)]);
    assert!(place(older) < place(newer), "in the order of time");
    let day = Some("2026-03-02".parse().unwrap());
    assert_eq!((old.reason.otherwise(), new.reason.otherwise()), (day, None));
    assert!(old.text.contains("; said otherwise later that day]\n"), "{}", old.text);
    assert!(new.text.starts_with("[Said on 2026-03-02 by the user earlier in this conversation]"));
    let rank = |it: &Section| match it.reason {
        Reason::Recalled { rank, .. } => rank,
        _ => u32::MAX,
    };
    assert!(rank(new) < rank(old), "the newer outranks the older");

    let turn = answered(&journey, id, asked).await;
    let went = sent(&model);
    let shown: Vec<&str> = found.iter().map(|it| it.text.as_str()).collect();
    assert_eq!(recalled(&went).iter().map(|it| it.text.as_str()).collect::<Vec<_>>(), shown);
    let rebuilt = journey.app.request_sent(turn).await.unwrap().sections;
    let rebuilt = rebuilt.iter().find(|it| it.section.id == old.id).unwrap();
    assert_eq!(rebuilt.text.as_deref(), Some(old.text.as_str()));

    // Left out, the newer does not go; the older says all the same that it is.
    wish(&journey, id, &new.id, Some(Wish::LeftOut)).await;
    let view = journey.preview(id, asked).await;
    assert!(view.sections.iter().all(|it| it.id != new.id));
    let old = view.sections.iter().find(|it| it.id == old.id).unwrap();
    assert_eq!(old.reason.otherwise(), day);

    // In a conversation where it was never said, nothing is otherwise.
    let id = told(&stores, None, "Before", &long(older));
    let view = journey.preview(id, asked).await;
    let old = recalled(&view.sections).into_iter().find(|it| it.text.ends_with(older)).unwrap();
    assert_eq!(old.reason.otherwise(), None);
}

#[tokio::test]
async fn what_another_conversation_says_otherwise_meanwhile_is_told_until_it_is_in_the_trash() {
    let older = "On the staging server Postgres listens on port 5433.";
    let model = small();
    let journey = journey(&model, Policy::Window).await;
    let project = journey.open(Trust::Trusted).await;
    journey.allow_others(project).await;
    let stores = stores(&journey.data);
    let id = told(&stores, Some(project), "The talk", &long(older));
    let told_otherwise = async |asked: &str| {
        let view = journey.preview(id, asked).await;
        let found = recalled(&view.sections);
        found.into_iter().find(|it| it.text.ends_with(older)).unwrap().reason.otherwise().is_some()
    };
    assert!(!told_otherwise("Which port did we give Postgres on the staging server?").await);
    let newer = "5433 is taken by the old cluster. Use 5435 instead.";
    let fillers = OTHER.iter().copied().cycle().take(20).chain([newer, "Done."]);
    let other = told(&stores, Some(project), "Ports", &fillers.collect::<Vec<_>>());
    assert!(told_otherwise("Which port has Postgres on the staging server?").await);
    journey.app.conversation_delete(ConversationRef { id: other }).await.unwrap();
    assert!(!told_otherwise("Which port has Postgres on the staging server, again?").await);
}

/// The sections of what holds from then on, in the order in which they go.
fn standing(sections: &[Section]) -> Vec<&Section> {
    let stands = |it: &&Section| matches!(it.reason, Reason::Standing { .. });
    sections.iter().filter(stands).collect()
}

/// It shares no word with what is asked, and no summary keeps it word for word.
#[rstest]
#[case::english(
    "Thanks. Always name the day of the week when I ask about a deadline.",
    "Always name the day of the week when I ask about a deadline.",
    "Is the sidebar wide enough?",
    Policy::Window
)]
#[case::korean(
    "고마워요. 앞으로 일정 얘기할 땐 요일도 같이 적어 주세요.",
    "앞으로 일정 얘기할 땐 요일도 같이 적어 주세요.",
    "사이드바 너비는 괜찮아?",
    Policy::Rolling
)]
#[case::running(
    "From now on, answer in Korean.",
    "From now on, answer in Korean.",
    "Wide enough?",
    Policy::Running
)]
#[tokio::test]
async fn what_holds_from_then_on_goes_with_every_question_and_says_so(
    #[case] spoke: &str,
    #[case] wanted: &str,
    #[case] asked: &str,
    #[case] policy: Policy,
) {
    let model = small();
    let journey = journey(&model, policy).await;
    let id = told(&stores(&journey.data), None, "The talk", &long(spoke));
    let view = journey.preview(id, asked).await;
    let stands = standing(&view.sections);
    let [only] = stands.as_slice() else { panic!("{stands:?}") };
    let cut = spoke != wanted;
    assert!(matches!(&only.reason, Reason::Standing { cut: shown } if shown.is_some() == cut));
    assert!(only.text.ends_with(wanted), "{}", only.text);
    assert_eq!(only.text.contains("[…] "), cut, "{}", only.text);
    assert!(only.text.contains("[Said on 2026-03-02 by the user earlier in this conversation]"));

    let turn = answered(&journey, id, asked).await;
    let went = sent(&model);
    assert_eq!(standing(&went).iter().map(|it| &it.text).collect::<Vec<_>>(), [&only.text]);
    let rebuilt = journey.app.request_sent(turn).await.unwrap().sections;
    let rebuilt = rebuilt.iter().find(|it| it.section.id == only.id).unwrap();
    assert_eq!(rebuilt.text.as_deref(), Some(only.text.as_str()));

    wish(&journey, id, &only.id, Some(Wish::LeftOut)).await;
    let view = journey.preview(id, asked).await;
    assert!(view.sections.iter().all(|it| !it.text.contains(wanted)));
    let left = view.left_out.iter().find(|left| left.id.as_deref() == Some(&only.id)).unwrap();
    assert!(left.why == LeftOutWhy::ByYou && left.tokens > 0);
    answered(&journey, id, asked).await;
    assert!(sent(&model).iter().all(|it| !it.text.contains(wanted)));
    wish(&journey, id, &only.id, None).await;
    assert_eq!(standing(&journey.preview(id, asked).await.sections).len(), 1);

    // Without recall nothing is looked for.
    let recall = RecallSettings { on: Some(false), ..Default::default() };
    let set = SetFolding {
        conversation_id: id,
        policy: None,
        rate: None,
        strict: None,
        recall: Some(recall),
    };
    journey.app.folding_set(set).await.unwrap();
    assert!(standing(&journey.preview(id, asked).await.sections).is_empty());
}

#[tokio::test]
async fn only_what_the_person_typed_in_this_conversation_holds_and_what_concerns_the_question_goes_first()
 {
    const PORTS: &str = "Always give the port when I ask about a server.";
    const COLOURS: &str = "Whenever I ask about a chart, name its colours in hexadecimal.";
    let model = small();
    let journey = journey(&model, Policy::Window).await;
    let stores = stores(&journey.data);
    let mut said = long(PORTS);
    // The model says it, too; and the newest of many others.
    said[7] = "Always sign each of your answers with my name, from now on.";
    said[8] = COLOURS;
    let id = told(&stores, None, "The talk", &said);
    told(&stores, None, "Another", &["From now on, answer in French.", "D'accord."]);
    let asked = "Which server runs the nightly import?";
    let view = journey.preview(id, asked).await;
    let texts = |sections: &[Section]| -> Vec<String> {
        let text = |it: &&Section| it.text.rsplit('\n').next().unwrap().to_owned();
        standing(sections).iter().map(text).collect()
    };
    assert_eq!(texts(&view.sections), [PORTS, COLOURS]);
    assert!(view.sections.iter().all(|it| !it.text.contains("French")));

    // Where they are many, what is about something else has little room, and that is said.
    let many: Vec<String> =
        (0..40).map(|n| format!("Always mention rule number {n} of the house when I ask about pets, gardens or roofs.")).collect();
    for (n, rule) in many.iter().enumerate() {
        said[10 + 2 * n] = rule;
    }
    let id = told(&stores, None, "Many", &said);
    let view = journey.preview(id, asked).await;
    let went = texts(&view.sections);
    assert!(went.contains(&PORTS.to_owned()) && went.len() < 30, "{went:?}");
    assert!(went.contains(many.last().unwrap()), "of others the newest: {went:?}");
    let left = view
        .left_out
        .iter()
        .filter(|it| it.id.as_deref().is_some_and(|id| recalled_of(id).is_some()));
    let left: Vec<_> = left.map(|it| it.id.clone().unwrap()).collect();
    assert!(!left.is_empty());
    assert!(view.sections.iter().all(|it| !left.contains(&it.id)), "what goes is not left out");
    assert!(view.tokens <= view.budget);

    // On another branch it was never said.
    let id = told(&stores, None, "Branch", &long(PORTS));
    let message = stores.transcripts.ids_at(id, &[4]).unwrap()[0].unwrap();
    let edit =
        EditMessage { id: message, text: "Thanks.".into(), attachments: None, context: None };
    journey.app.edit(edit).await.unwrap();
    journey.settled(id).await;
    assert!(standing(&journey.preview(id, asked).await.sections).is_empty());
}

/// The designs under strict: their forms are block for block what they say.
#[rstest]
#[case(Policy::Rolling)]
#[case(Policy::Segments)]
#[case(Policy::Window)]
#[tokio::test]
async fn seeds_002_to_004_strict_forms_recall_nothing_unless_the_person_wants_it(
    #[case] policy: Policy,
) {
    let model = small();
    let journey = journey(&model, policy).await;
    let mut settings = journey.app.settings_get(()).await.unwrap();
    settings.summary.strict = true;
    journey.app.settings_set(settings.clone()).await.unwrap();
    let id = told(&stores(&journey.data), None, "The talk", &long(SPOKE));
    let view = journey.preview(id, ASKED).await;
    assert!(recalled(&view.sections).is_empty() && view.recall.is_none());
    settings.summary.recall.on = Some(true);
    journey.app.settings_set(settings).await.unwrap();
    assert!(!recalled(&journey.preview(id, ASKED).await.sections).is_empty());
}

#[tokio::test]
async fn a_long_message_goes_as_the_part_that_is_asked_about_and_the_newest_turn_keeps_its_room() {
    let model = small();
    let journey = journey(&model, Policy::Window).await;
    let filler = "Nothing of note happened in this part of the report.\n".repeat(80);
    let report = format!("{filler}{SPOKE}\n{filler}");
    let mut said = long(&report);
    said[598] = "And what is new in the sidebar?";
    said[599] = "Its width is kept.";
    let id = told(&stores(&journey.data), None, "The talk", &said);
    let mut settings = journey.app.settings_get(()).await.unwrap();
    for share in [None, Some(5), Some(60)] {
        settings.summary.recall.share = share;
        journey.app.settings_set(settings.clone()).await.unwrap();
        let view = journey.preview(id, ASKED).await;
        let found = recalled(&view.sections);
        let shares = view.recall.unwrap();
        assert!(shares.recalled * 100 <= shares.room * u64::from(shares.percent), "{shares:?}");
        let all: String = view.sections.iter().map(|it| it.text.as_str()).collect();
        assert!(all.contains("Its width is kept."), "the newest turn has its room");
        assert_eq!((shares.why == ShareWhy::Fixed, share), (share.is_some(), share));
        if share != Some(5) {
            let best = found.iter().find(|it| it.text.contains("every quarter")).unwrap();
            assert!(best.text.contains("[…] ") && best.text.ends_with(" […]"));
            assert!(matches!(best.reason, Reason::Recalled { cut: Some(_), .. }));
            let turn = answered(&journey, id, ASKED).await;
            let rebuilt = journey.app.request_sent(turn).await.unwrap().sections;
            let went = rebuilt.iter().find(|it| it.section.id == best.id).unwrap();
            assert_eq!((went.text.as_deref(), went.changed_since), (Some(&*best.text), false));
        }
    }
}

#[tokio::test]
async fn what_a_tool_answered_is_found_and_never_recalled() {
    let model = small();
    let journey = journey(&model, Policy::Window).await;
    let project = journey.open(Trust::Trusted).await;
    journey.allow_others(project).await;
    let stores = stores(&journey.data);
    let id = told(&stores, Some(project), "Files", &["Read the setup, please."]);
    let mut parent_id = stores.transcripts.ids_at(id, &[0]).unwrap()[0];
    let at: Timestamp = "2026-03-02T10:00:00Z".parse().unwrap();
    let call = Part::ToolCall {
        id: "call".into(),
        name: "read_file".into(),
        arguments: r#"{"path":"docs/setup.md"}"#.into(),
        seal: None,
    };
    let answer = Part::ToolResult {
        call_id: "call".into(),
        text: "The staging database listens on port 5433.".into(),
        is_error: false,
        kept: None,
    };
    for (role, parts) in [(Role::Assistant, vec![call]), (Role::Tool, vec![answer])] {
        let message = Message {
            id: MessageId::new(at),
            conversation_id: id,
            parent_id,
            turn_id: None,
            index: 0,
            role,
            parts,
            status: MessageStatus::Complete,
            model: None,
            tokens: 40,
            created_at: at,
        };
        parent_id = Some(message.id);
        let new = NewMessage { message, branch_if_needed: BranchId::new(at) };
        stores.transcripts.append_message(&new).unwrap();
    }
    let here = told(&stores, Some(project), "Here", &["Hello!", "Hi."]);
    let asked = "On which port does the staging database listen?";
    let of_tool = id_of_recalled(parent_id.unwrap());
    let sections = journey.preview(here, asked).await.sections;
    assert!(sections.iter().all(|it| it.id != of_tool), "{sections:?}");
    let filter = Filter { kinds: vec![FoundKind::ToolResult], ..Filter::default() };
    let find = Find { query: "staging database".into(), filter, limit: 5 };
    assert_eq!(journey.app.find(find).await.unwrap().groups[0].found.len(), 1);
}

#[rstest]
#[case(SPOKE, ASKED, "every quarter", "earlier message")]
#[case(KOREAN, KOREAN_ASKED, "분기마다", "이전 메시지")]
#[tokio::test]
async fn the_offline_model_quotes_what_was_said_in_another_conversation_with_its_link(
    #[case] spoke: &str,
    #[case] asked: &str,
    #[case] tells: &str,
    #[case] counted: &str,
) {
    let journey = Journey::offline();
    let project = journey.open(Trust::Trusted).await;
    journey.allow_others(project).await;
    let stores = stores(&journey.data);
    let other = told(&stores, Some(project), "Passwords", &[spoke, "Noted."]);
    let first = stores.transcripts.ids_at(other, &[0]).unwrap()[0].unwrap();
    let id = journey.conversation(Some(project)).await;
    let answer = text(&journey.ask(id, asked).await);
    assert!(answer.contains(&format!("> {spoke}")) && answer.contains(tells), "{answer}");
    assert!(answer.contains(&format!("(silt:message/{first})")), "{answer}");
    assert!(answer.contains("[Passwords") && answer.contains(counted), "{answer}");
    assert!(!answer.contains("[Said on") && !answer.contains("한 말]"), "{answer}");
}

/// A conversation of the property: where it is, and what is said in it.
#[derive(Clone, Debug)]
struct Talk {
    place: u8,
    trashed: bool,
    said: Vec<u8>,
}

/// Words that all conversations share, so that everything would be found everywhere.
const WORDS: [&str; 5] = ["staging password", "배포 비밀번호", "import rows", "port 5433", "달력"];

fn talk() -> impl Strategy<Value = Talk> {
    (0..3_u8, any::<bool>(), prop::collection::vec(0..5_u8, 1..6))
        .prop_map(|(place, trashed, said)| Talk { place, trashed, said })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// behaviour.md, Compaction: nothing of a project is in a request of another.
    #[test]
    fn nothing_crosses_from_project_to_project_or_out_of_the_trash(
        talks in prop::collection::vec(talk(), 1..10),
        asked in prop::collection::vec(0..5_usize, 1..4),
    ) {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let model = small();
            let journey = journey(&model, Policy::Window).await;
            let there = TempDir::new().unwrap();
            let projects =
                [None, Some(journey.open(Trust::Trusted).await), Some(journey.open_at(there.path()).await)];
            let stores = stores(&journey.data);
            let draft: Vec<&str> = asked.iter().map(|word| WORDS[*word]).collect();
            let draft = format!("What of {}?", draft.join(" and "));
            let mut allowed: Vec<Vec<ConversationId>> = vec![Vec::new(); 3];
            for (number, Talk { place, trashed, said }) in talks.iter().enumerate() {
                let said: Vec<String> = said
                    .iter()
                    .map(|word| format!("{} of talk {number}", WORDS[usize::from(*word)]))
                    .collect();
                let said: Vec<&str> = said.iter().map(String::as_str).collect();
                let id = told(&stores, projects[usize::from(*place)], "A talk", &said);
                if *trashed {
                    journey.app.conversation_delete(ConversationRef { id }).await.unwrap();
                } else {
                    allowed[usize::from(*place)].push(id);
                }
            }
            for (place, project) in projects.into_iter().enumerate() {
                let id = journey.conversation(project).await;
                let view = journey.preview(id, &draft).await;
                for section in recalled(&view.sections) {
                    let of = stores.transcripts.message(section.messages[0]).unwrap().message;
                    prop_assert!(project.is_some(), "without a project there are no others");
                    prop_assert!(allowed[place].contains(&of.conversation_id));
                }
            }
            Ok(())
        })?;
    }
}
