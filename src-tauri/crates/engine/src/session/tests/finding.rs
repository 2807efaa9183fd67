//! Decisions that are told, those that only look like it, and changes that a model proposes.

use rstest::rstest;

use super::*;
use crate::ids::{ConversationId, MessageId};
use crate::message::Role;
use crate::workflow::{DecisionOrigin, DecisionSource};

fn found(text: &str) -> Vec<String> {
    let all = proposals(text, Role::User, None).into_iter();
    all.filter_map(|it| match it.change {
        WorkflowChange::AddDecision { text, origin: DecisionOrigin::Found, .. } => Some(text),
        _ => None,
    })
    .collect()
}

#[rstest]
#[case("We decided to keep the old routes.")]
#[case("OK, let's go with SQLite.")]
#[case("We've agreed that tests come first.")]
#[case("Decision: ship on Friday.")]
#[case("We'll stick with port 5433.")]
#[case("It was decided to drop Python 3.8.")]
#[case("I'm going with the second option.")]
#[case("API 호환성을 유지하기로 결정했어요.")]
#[case("명령은 단수형으로 하기로 했습니다.")]
#[case("그럼 배포는 금요일에 하기로 하자.")]
#[case("SQLite로 가자.")]
#[case("두 번째 안으로 가죠.")]
#[case("포트는 5433으로 정했어요.")]
#[case("로그 형식은 JSON으로 확정했습니다.")]
#[case("결정: 금요일에 배포한다.")]
fn a_decision_is_found(#[case] text: &str) {
    assert_eq!(found(text), [text]);
}

#[rstest]
#[case("Have we decided on a port?")]
#[case("We have not decided yet.")]
#[case("We haven't decided.")]
#[case("If we decided to move, it would cost a week.")]
#[case("Before we agreed on anything, he left.")]
#[case("They said \"we decided to wait\" in the meeting.")]
#[case("The log prints `we decided to wait` twice.")]
#[case("> We decided to keep it.")]
#[case("```\nwe decided to wait\n```")]
#[case("The decided advantage of Rust is safety.")]
#[case("Let's decide tomorrow.")]
#[case("포트를 결정했나요?")]
#[case("아직 결정하지 않았어요.")]
#[case("아직 하기로 한 건 없어요.")]
#[case("만약 옮기기로 했다면 일주일이 걸려요.")]
#[case("옮기기로 결정했는지 모르겠어요.")]
#[case("그 방법으로 하기로 했던 적은 있어요.")]
#[case("회의록에는 “배포하기로 했다”고 적혀 있어요.")]
#[case("결정하지 못했어요.")]
#[case("결정을 내려야 해요.")]
fn what_only_looks_like_one_is_not(#[case] text: &str) {
    assert_eq!(found(text), Vec::<String>::new());
}

#[test]
fn a_decision_knows_its_place_and_its_message() {
    let source = DecisionSource {
        conversation_id: ConversationId::new(now()),
        message_id: MessageId::new(now()),
    };
    let text = "좋아요.\n- 단수형을 유지하기로 했어요.\n- We agreed to wait.\n";
    let all = proposals(text, Role::User, Some(source));
    let cut = |it: &Proposal| &text[it.start as usize..it.end as usize];
    assert_eq!(all.len(), 2);
    assert!(cut(&all[0]).ends_with("단수형을 유지하기로 했어요."), "{}", cut(&all[0]));
    let WorkflowChange::AddDecision { text: first, source: of, .. } = &all[0].change else {
        panic!("{all:?}")
    };
    assert_eq!((first.as_str(), *of), ("단수형을 유지하기로 했어요.", Some(source)));
}

#[test]
fn a_models_block_proposes_changes_and_nobody_elses_does() {
    let text = "Here is a plan.\n\n```siltstone\n{\"changes\": [\
        {\"change\": \"add_plan\", \"title\": \"Auth\"},\
        {\"change\": \"add_task\", \"title\": \"Tokens\", \"acceptance\": [\"expire\"]},\
        {\"change\": \"add_decision\", \"text\": \"JWT\", \"origin\": \"person\"},\
        {\"change\": \"format_disk\"}]}\n```\nDone.";
    let all = proposals(text, Role::Assistant, None);
    assert_eq!(all.len(), 3);
    let title = "Auth".to_owned();
    assert_eq!(all[0].change, WorkflowChange::AddPlan { title, description: String::new() });
    // A model does not speak as the person.
    let accepted = DecisionOrigin::Accepted;
    let decision =
        WorkflowChange::AddDecision { text: "JWT".into(), source: None, origin: accepted };
    assert_eq!(all[2].change, decision);
    assert!(text[all[0].start as usize..].starts_with("```siltstone"));
    assert_eq!(proposals(text, Role::User, None), []);
    assert_eq!(proposals(&text.replace("siltstone", "json"), Role::Assistant, None), []);
    assert_eq!(proposals("```siltstone\n{\"change\": ", Role::Assistant, None), []);
}

#[test]
fn a_flood_of_proposals_is_cut_off() {
    assert_eq!(found(&"We decided. ".repeat(500)).len(), 20);
}
