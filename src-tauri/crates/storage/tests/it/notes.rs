//! Summaries, decisions and lines of memory: found as they are now, where they belong, and no longer than they are there.

use siltstone_engine::conversation::ConversationPatch;
use siltstone_engine::ids::{ConversationId, MemoryLineId, MessageId, ProjectId};
use siltstone_engine::memory::{LineKind, MemoryLine, MemoryRecords};
use siltstone_engine::ports::{Records, Summaries, Transcripts};
use siltstone_engine::project::Trust;
use siltstone_engine::recall::Finder;
use siltstone_engine::search::{Filter, Found, FoundKind};
use siltstone_engine::session::{ContextFile, SessionRecord, SessionRecords};
use siltstone_engine::summary::{Record, Status};
use siltstone_engine::workflow::{Decision, DecisionOrigin, DecisionSource, Workflow};
use siltstone_storage::Store;

use crate::it::finding::project;
use crate::it::summaries::{begun, made};
use crate::it::support::{at, conversation, say, store};

fn found(store: &Store, typed: &str, kind: FoundKind, filter: &Filter) -> Vec<Found> {
    let filter = Filter { kinds: vec![kind], ..filter.clone() };
    let groups = store.find_everywhere(typed, &filter, 50).unwrap().groups;
    assert!(groups.iter().all(|group| group.kind == kind));
    groups.into_iter().flat_map(|group| group.found).collect()
}

fn marked(found: &Found) -> String {
    found.snippet.iter().filter(|part| part.hit).map(|part| part.text.as_str()).collect()
}

fn conversation_in(store: &Store, place: Option<ProjectId>) -> ConversationId {
    let new = conversation(place);
    store.create_conversation(&new).unwrap();
    new.id
}

fn summarised(store: &Store, id: ConversationId, version: u32, text: &str) -> Record {
    let record = begun(id, version, i64::from(version));
    store.begin_summary(&record, None).unwrap();
    let done = Record { summary: text.into(), ..made(&record) };
    store.finish_summary(&done).unwrap();
    done
}

#[test]
fn the_summary_that_holds_is_found_and_no_other_version() {
    let (_dir, store) = store();
    let place = project(&store, "/a", Trust::Trusted);
    let id = conversation_in(&store, Some(place));
    let everywhere = Filter::default();
    let texts = |typed: &str| -> Vec<String> {
        let found = found(&store, typed, FoundKind::Summary, &everywhere);
        found.into_iter().map(|it| it.link).collect()
    };
    let unfinished = begun(id, 1, 1);
    store.begin_summary(&unfinished, None).unwrap();
    assert_eq!(texts("포트"), Vec::<String>::new());
    let first = made(&unfinished);
    store.finish_summary(&first).unwrap();
    assert_eq!(texts("포트"), [format!("silt:summary/{}", first.id)]);
    let second = summarised(&store, id, 2, "포트는 이제 6000번.");
    assert_eq!(texts("포트"), [format!("silt:summary/{}", second.id)]);
    let edited = Record { summary: "기둥은 육각형.".into(), edited: true, ..second.clone() };
    store.put_summary(&edited).unwrap();
    assert_eq!(texts("포트"), Vec::<String>::new(), "its words were changed");
    assert_eq!(texts("육각형"), [format!("silt:summary/{}", second.id)]);
    store.discard_summary(second.id).unwrap();
    assert_eq!(texts("육각형"), Vec::<String>::new());
    assert_eq!(texts("포트"), [format!("silt:summary/{}", first.id)], "the one before holds again");
    let taken_back = Record { unfolded_at: Some(at(20)), ..first.clone() };
    store.put_summary(&taken_back).unwrap();
    assert_eq!(texts("포트"), Vec::<String>::new());
    let failed = Record { status: Status::Failed, ..begun(id, 3, 3) };
    store.begin_summary(&begun(id, 3, 3), None).unwrap();
    assert!(store.finish_summary(&failed).is_err(), "another one is in progress");
    assert_eq!(texts("포트"), Vec::<String>::new());
}

fn line(store: &Store, of: (Option<ProjectId>, Option<ConversationId>), text: &str) -> MemoryLine {
    let line = MemoryLine {
        id: MemoryLineId::new(at(5)),
        project_id: of.0,
        conversation_id: of.1,
        kind: LineKind::Added,
        text: text.into(),
        source: None,
        created_at: at(5),
        removed_at: None,
    };
    store.put_line(&line).unwrap();
    line
}

#[test]
fn notes_stay_within_their_project_and_conversation_and_go_with_them() {
    let (_dir, store) = store();
    let places = [project(&store, "/a", Trust::Trusted), project(&store, "/b", Trust::Trusted)];
    let ids = places.map(|place| conversation_in(&store, Some(place)));
    for (id, text) in ids.iter().zip(["현무암 요약 하나", "현무암 요약 둘"]) {
        summarised(&store, *id, 1, text);
    }
    line(&store, (Some(places[0]), Some(ids[0])), "현무암 줄: 대화");
    line(&store, (Some(places[0]), None), "현무암 줄: 프로젝트");
    line(&store, (None, None), "현무암 줄: 모두");
    let count = |kind, filter: &Filter| found(&store, "현무암", kind, filter).len();
    let everywhere = Filter::default();
    let of_project = |n: usize| Filter { project_id: Some(places[n]), ..Filter::default() };
    let of_one = Filter { conversation_id: Some(ids[0]), ..Filter::default() };
    assert_eq!(count(FoundKind::Summary, &everywhere), 2);
    assert_eq!(count(FoundKind::Memory, &everywhere), 3);
    assert_eq!(
        (count(FoundKind::Summary, &of_project(0)), count(FoundKind::Memory, &of_project(0))),
        (1, 2)
    );
    assert_eq!(
        (count(FoundKind::Summary, &of_project(1)), count(FoundKind::Memory, &of_project(1))),
        (1, 0)
    );
    assert_eq!((count(FoundKind::Summary, &of_one), count(FoundKind::Memory, &of_one)), (1, 1));
    let later = Filter { from: Some(at(100)), ..Filter::default() };
    assert_eq!((count(FoundKind::Summary, &later), count(FoundKind::Memory, &later)), (0, 0));
    let trash = |at| ConversationPatch { deleted_at: Some(at), ..ConversationPatch::default() };
    store.update_conversation(ids[0], &trash(Some(at(9)))).unwrap();
    assert_eq!(
        (count(FoundKind::Summary, &everywhere), count(FoundKind::Memory, &everywhere)),
        (1, 2)
    );
    store.update_conversation(ids[0], &trash(None)).unwrap();
    assert_eq!(
        (count(FoundKind::Summary, &everywhere), count(FoundKind::Memory, &everywhere)),
        (2, 3)
    );
    // The same again when everything is made anew.
    store.make_index(true, &mut |_| true).unwrap();
    assert_eq!(
        (count(FoundKind::Summary, &everywhere), count(FoundKind::Memory, &everywhere)),
        (2, 3)
    );
    store.update_conversation(ids[0], &trash(Some(at(9)))).unwrap();
    store.purge_conversation(ids[0]).unwrap();
    assert_eq!(
        (count(FoundKind::Summary, &everywhere), count(FoundKind::Memory, &everywhere)),
        (1, 2)
    );
    store.forget_project(places[0]).unwrap();
    assert_eq!(count(FoundKind::Memory, &everywhere), 1);
}

#[test]
fn a_line_that_is_removed_is_not_found_until_it_is_taken_back() {
    let (_dir, store) = store();
    let kept = line(&store, (None, None), "always write tests first");
    let total = || found(&store, "tests", FoundKind::Memory, &Filter::default()).len();
    assert_eq!(total(), 1);
    store.put_line(&MemoryLine { removed_at: Some(at(6)), ..kept.clone() }).unwrap();
    assert_eq!(total(), 0);
    store.put_line(&kept).unwrap();
    store.put_line(&MemoryLine { text: "never mind".into(), ..kept }).unwrap();
    assert_eq!(total(), 0);
}

fn decision(id: &str, text: &str, source: Option<DecisionSource>) -> Decision {
    Decision {
        id: id.into(),
        text: text.into(),
        at: Some(at(7)),
        source,
        plan_id: None,
        origin: DecisionOrigin::Person,
        rest: serde_json::Map::new(),
    }
}

fn session(project_id: ProjectId, revision: u64, decisions: Vec<Decision>) -> SessionRecord {
    SessionRecord {
        project_id,
        revision,
        shared: None,
        context: ContextFile::default(),
        workflow: Workflow { decisions, ..Workflow::default() },
        conversation_id: None,
        message_id: None,
    }
}

#[test]
fn decisions_are_found_as_they_stand_in_the_log_of_their_project() {
    let (_dir, store) = store();
    let places = [project(&store, "/a", Trust::Trusted), project(&store, "/b", Trust::Trusted)];
    let id = conversation_in(&store, Some(places[0]));
    let message_id: MessageId = say(&store, id, None, "그러면 그렇게 정합시다", 6);
    let source = Some(DecisionSource { conversation_id: id, message_id });
    let first = decision("decision_001", "API 호환성을 유지하기로 결정", source);
    let second = decision("decision_002", "포트는 5433번으로 결정", None);
    let all = vec![first.clone(), second.clone()];
    assert!(store.put_session(&session(places[0], 1, all.clone())).unwrap());
    // The same name in another project is another decision.
    let other = decision("decision_001", "다른 결정", None);
    assert!(store.put_session(&session(places[1], 1, vec![other])).unwrap());
    let of = |typed: &str, filter: &Filter| found(&store, typed, FoundKind::Decision, filter);
    let everywhere = Filter::default();
    assert_eq!(of("결정", &everywhere).len(), 3);
    let hit = of("호환성", &everywhere).remove(0);
    assert_eq!(hit.link, "silt:decision/decision_001");
    assert_eq!((hit.project_id, hit.message_id), (Some(places[0]), Some(message_id)));
    assert_eq!((hit.title.as_str(), marked(&hit).as_str()), ("/a", "호환성"));
    let of_project = Filter { project_id: Some(places[1]), ..Filter::default() };
    assert_eq!(of("결정", &of_project).len(), 1);
    let of_one = Filter { conversation_id: Some(id), ..Filter::default() };
    assert_eq!(of("결정", &of_one).len(), 1);
    // A state that lost the race changes nothing.
    assert!(!store.put_session(&session(places[0], 1, vec![])).unwrap());
    assert_eq!(of("결정", &everywhere).len(), 3);
    let changed = vec![first, decision("decision_002", "포트는 6000번으로 결정", None)];
    assert!(store.put_session(&session(places[0], 2, changed)).unwrap());
    assert_eq!((of("5433", &everywhere).len(), of("6000", &everywhere).len()), (0, 1));
    let gone = ConversationPatch { deleted_at: Some(Some(at(9))), ..ConversationPatch::default() };
    store.update_conversation(id, &gone).unwrap();
    store.purge_conversation(id).unwrap();
    assert_eq!(of("호환성", &everywhere).len(), 1, "a decision is the project's");
    store.make_index(true, &mut |_| true).unwrap();
    assert_eq!(of("결정", &everywhere).len(), 3);
    store.forget_project(places[0]).unwrap();
    assert_eq!(of("결정", &everywhere).len(), 1);
}
