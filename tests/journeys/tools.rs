//! What the person is asked before a tool does something, what is remembered of the answers, and that nothing is lost.

use siltstone_contract::{
    AnswerApproval, ApprovalAnswer, Code, ConversationRef, ListCheckpoints, MessageRef, ReadOutput,
    RuleRef, ToolsAt,
};
use siltstone_engine::checkpoint::CheckpointReason;
use siltstone_engine::message::{MessageStatus, Part};
use siltstone_engine::run::{NodeKind, NodeStatus};
use siltstone_engine::tool::ChangeKind;
use siltstone_engine::tool::approval::Verdict;

use crate::runs::{Desk, call, say};
use crate::scripted::Step;
use crate::world::write;

fn edit(id: &'static str, path: &str, old: &str, new: &str) -> Step {
    call(id, "edit_file", serde_json::json!({"path": path, "old": old, "new": new}))
}

async fn before_tools(desk: &Desk) -> Vec<String> {
    let request = ListCheckpoints { project_id: desk.project, before: None, limit: 100 };
    let items = desk.journey.app.checkpoint_list(request).await.unwrap().items;
    let tools = items.into_iter().filter_map(|item| match item.reason {
        CheckpointReason::BeforeTool { tool } => Some(tool),
        _ => None,
    });
    tools.collect()
}

#[tokio::test]
async fn a_file_is_changed_after_a_yes_and_a_checkpoint_and_not_before() {
    let desk = Desk::of([
        vec![
            edit("a", "docs/setup.md", "5433", "5434"),
            edit("b", "docs/setup.md", "listens", "waits"),
            Step::Finish,
        ],
        say("Changed."),
    ])
    .await;
    desk.journey.send(desk.id, "Let it listen on 5434.").await;
    let approval = desk.waiting().await;
    let change = approval.change.clone().unwrap();
    assert_eq!((change.path.as_str(), change.kind.clone()), ("docs/setup.md", ChangeKind::Edit));
    assert!(change.before.unwrap().contains("5433") && change.after.unwrap().contains("5434"));
    assert!(desk.file("docs/setup.md").contains("5433"));
    assert_eq!(before_tools(&desk).await, [""; 0]);
    let wrong = AnswerApproval {
        conversation_id: desk.id,
        call_id: "a".into(),
        hash: "0".repeat(64),
        answer: ApprovalAnswer::Once,
    };
    let refused = desk.journey.app.approval_answer(wrong).await.unwrap_err();
    assert_eq!(refused.code, Code::Conflict);
    desk.answer(&approval, ApprovalAnswer::Once).await;
    let second = desk.waiting().await;
    assert_eq!(second.call_id, "b");
    assert!(desk.file("docs/setup.md").contains("listens on port 5434"));
    desk.answer(&second, ApprovalAnswer::Once).await;
    desk.journey.settled(desk.id).await;
    assert!(desk.file("docs/setup.md").contains("waits on port 5434"));
    assert_eq!(before_tools(&desk).await, ["edit_file"], "one for the whole turn");
    let run = desk.run().await;
    let kept: Vec<bool> = run
        .nodes
        .iter()
        .filter_map(|node| match &node.kind {
            NodeKind::Tool { checkpoint_id, .. } => Some(checkpoint_id.is_some()),
            NodeKind::Model { .. } => None,
        })
        .collect();
    assert_eq!(kept, [true, false]);
    let waiting = desk.journey.app.approval_list(ConversationRef { id: desk.id }).await.unwrap();
    assert!(waiting.is_empty());
}

#[tokio::test]
async fn a_no_changes_nothing_and_the_model_hears_the_persons_words() {
    let desk = Desk::of([
        vec![edit("a", "docs/setup.md", "5433", "1"), Step::Finish],
        say("As you like."),
    ])
    .await;
    desk.journey.send(desk.id, "Change the port.").await;
    let approval = desk.waiting().await;
    desk.answer(&approval, ApprovalAnswer::No { note: "Ask Mina first.".into() }).await;
    desk.journey.settled(desk.id).await;
    assert!(desk.file("docs/setup.md").contains("5433"));
    let results = desk.results().await;
    assert!(results[0].2 && results[0].1.ends_with("They say: Ask Mina first."), "{results:?}");
    assert_eq!(before_tools(&desk).await, [""; 0]);
    let denied = desk.run().await.nodes.into_iter().filter(|it| it.status == NodeStatus::Denied);
    assert_eq!(denied.count(), 1);
}

#[tokio::test]
async fn a_file_that_changed_while_the_person_thought_is_not_overwritten() {
    let desk =
        Desk::of([vec![edit("a", "docs/setup.md", "5433", "5434"), Step::Finish], say("I see.")])
            .await;
    desk.journey.send(desk.id, "Change the port.").await;
    let approval = desk.waiting().await;
    write(&desk.journey.project, "docs/setup.md", "Port 5433, and my own words.\n");
    desk.answer(&approval, ApprovalAnswer::Once).await;
    desk.journey.settled(desk.id).await;
    assert_eq!(desk.file("docs/setup.md"), "Port 5433, and my own words.\n");
    let results = desk.results().await;
    assert!(results[0].2 && results[0].1.contains("changed meanwhile"), "{results:?}");
}

#[tokio::test]
async fn answers_are_remembered_for_what_they_were_given_and_can_be_taken_back() {
    let write_to =
        |id, path: &str| call(id, "write_file", serde_json::json!({"path": path, "text": "new\n"}));
    let desk = Desk::of([
        vec![write_to("a", "notes/a.md"), write_to("b", "notes/b.md"), Step::Finish],
        say("Two."),
        vec![write_to("c", "other/c.md"), Step::Finish],
        say("Three."),
        vec![write_to("d", "notes/d.md"), write_to("e", "other/e.md"), Step::Finish],
        say("None."),
        vec![write_to("f", "other/f.md"), Step::Finish],
        say("Asked."),
    ])
    .await;
    desk.journey.send(desk.id, "Write notes.").await;
    let approval = desk.waiting().await;
    assert!(approval.patterns.contains(&"notes/**".to_owned()), "{:?}", approval.patterns);
    let always = ApprovalAnswer::AlwaysPattern { pattern: "notes/**".into() };
    desk.answer(&approval, always).await;
    desk.journey.settled(desk.id).await;
    assert_eq!(desk.file("notes/b.md"), "new\n", "nobody was asked again");

    desk.journey.send(desk.id, "Write others.").await;
    let approval = desk.waiting().await;
    assert_eq!(approval.call_id, "c");
    desk.answer(&approval, ApprovalAnswer::Never).await;
    desk.journey.settled(desk.id).await;
    assert!(!desk.journey.project.path().join("other").exists());
    desk.journey.ask(desk.id, "Write both.").await;
    let results = desk.results().await;
    assert!(results[3..].iter().all(|it| it.2), "a no beats every yes: {results:?}");

    let at = ToolsAt { project_id: Some(desk.project) };
    let rules = desk.journey.app.tool_panel(at).await.unwrap().rules;
    assert_eq!(rules.len(), 2);
    let never = rules.iter().find(|rule| rule.verdict == Verdict::Deny).unwrap();
    desk.journey.app.tool_rule_revoke(RuleRef { id: never.id }).await.unwrap();
    desk.journey.send(desk.id, "Write it again.").await;
    let approval = desk.waiting().await;
    assert_eq!(approval.call_id, "f");
    desk.answer(&approval, ApprovalAnswer::Once).await;
    desk.journey.settled(desk.id).await;
    assert_eq!(desk.file("other/f.md"), "new\n");
}

#[tokio::test]
async fn stopping_takes_the_question_back() {
    let desk = Desk::of([
        vec![
            edit("a", "docs/setup.md", "5433", "1"),
            edit("b", "docs/setup.md", "x", "y"),
            Step::Finish,
        ],
        say("Later."),
    ])
    .await;
    desk.journey.send(desk.id, "Change the port.").await;
    let approval = desk.waiting().await;
    let here = ConversationRef { id: desk.id };
    desk.journey.app.stop(here.clone()).await.unwrap();
    desk.journey.settled(desk.id).await;
    assert!(desk.journey.app.approval_list(here).await.unwrap().is_empty());
    let late = AnswerApproval {
        conversation_id: desk.id,
        call_id: approval.call_id.clone(),
        hash: approval.hash.clone(),
        answer: ApprovalAnswer::Once,
    };
    assert_eq!(desk.journey.app.approval_answer(late).await.unwrap_err().code, Code::Conflict);
    assert!(desk.file("docs/setup.md").contains("5433"));
    assert_eq!(desk.results().await.len(), 2);
    let path = desk.journey.path(desk.id).await;
    assert_eq!(path[1].status, MessageStatus::Interrupted);
    desk.journey.app.continue_reply(MessageRef { id: path[1].id }).await.unwrap();
    desk.journey.settled(desk.id).await;
    assert_eq!(desk.journey.said(desk.id).await.last().unwrap(), "Later.");
}

#[tokio::test]
async fn a_command_runs_as_it_was_shown_and_its_long_output_is_kept_whole() {
    let line = "for n in $(seq 1 4000); do echo line $n of the build; done";
    let desk = Desk::of([
        vec![
            call("a", "run_command", serde_json::json!({"command": line, "purpose": "count"})),
            Step::Finish,
        ],
        say("Counted."),
    ])
    .await;
    desk.allow_commands().await;
    desk.journey.send(desk.id, "Count.").await;
    let approval = desk.waiting().await;
    assert_eq!(approval.command.as_deref(), Some(line));
    assert_eq!(approval.purpose.as_deref(), Some("count"));
    desk.answer(&approval, ApprovalAnswer::AlwaysExactly).await;
    desk.journey.settled(desk.id).await;
    assert_eq!(before_tools(&desk).await, ["run_command"]);
    let path = desk.journey.path(desk.id).await;
    let Some(Part::ToolResult { text, kept: Some(kept), is_error: false, .. }) =
        path[2].parts.first()
    else {
        panic!("a long result: {:?}", path[2].parts)
    };
    assert!(text.contains("line 1 of the build") && text.contains("line 4000 of the build"));
    assert!(!text.contains("line 2000 of the build") && text.contains(&kept.hash));
    let request =
        ReadOutput { conversation_id: desk.id, hash: kept.hash.clone(), offset: 2000, limit: 2 };
    let part = desk.journey.app.tool_output(request).await.unwrap();
    assert_eq!(part.text, "line 2000 of the build\nline 2001 of the build");
    assert_eq!(part.lines, kept.lines);
    let at = ToolsAt { project_id: Some(desk.project) };
    assert_eq!(desk.journey.app.tool_panel(at).await.unwrap().rules.len(), 1);
}
