//! What the person is asked before a tool does something, what is remembered of the answers, and that nothing is lost.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use siltstone_app::World;
use siltstone_contract::{
    AnswerApproval, ApprovalAnswer, CallRef, Code, ConversationRef, ListCheckpoints, MessageRef,
    ReadOutput, RequestView, RuleRef, SentRequestView, SentSection, ToolsAt, TurnRef, WishSection,
};
use siltstone_engine::Timestamp;
use siltstone_engine::checkpoint::CheckpointReason;
use siltstone_engine::ids::RuleId;
use siltstone_engine::message::{MessageStatus, Part};
use siltstone_engine::provider::{ModelInfo, ProviderError};
use siltstone_engine::run::{NodeKind, NodeStatus};
use siltstone_engine::section::{LeftOutWhy, SectionKind, TOOLS};
use siltstone_engine::tool::approval::{Rule, Scope, Verdict};
use siltstone_engine::tool::{BUILT_IN, ChangeKind, SKILLS};
use siltstone_engine::wish::Wish;

use siltstone_secrets::Seals;
use siltstone_storage::DataDir;

use crate::checkpoints::stores;
use crate::runs::{Desk, call, say};
use crate::scripted::{Scripted, Step};
use crate::trouble::Small;
use crate::world::{Journey, started, text, world, write};

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
async fn what_each_call_of_a_turn_was_sent_is_shown_apart() {
    let desk = Desk::of([
        vec![call("a", "read_file", serde_json::json!({"path": "docs/setup.md"})), Step::Finish],
        say("It listens on 5433."),
    ])
    .await;
    desk.journey.ask(desk.id, "Which port?").await;
    let run = desk.run().await;
    let calls: Vec<_> = run
        .nodes
        .iter()
        .filter_map(|node| match &node.kind {
            NodeKind::Model { .. } => Some(CallRef { turn_id: run.turn_id, node_id: node.id }),
            NodeKind::Tool { .. } => None,
        })
        .collect();
    let app = &desk.journey.app;
    let first = app.call_sent(calls[0]).await.unwrap();
    let second = app.call_sent(calls[1]).await.unwrap();
    assert_eq!(calls.len(), 2);
    assert!(first.sections.len() < second.sections.len(), "the call and its answer joined");
    assert!(first.tokens < second.tokens);
    let newest = app.request_sent(TurnRef { id: run.turn_id }).await.unwrap();
    assert_eq!(newest.sections.len(), second.sections.len());
    let tools = |view: &SentRequestView| {
        let of_tools = |it: &&SentSection| it.section.kind == SectionKind::Tools;
        view.sections.iter().find(of_tools).and_then(|it| it.text.clone())
    };
    assert!(tools(&first).is_some(), "the first call says what was offered");
    assert_eq!(tools(&first), tools(&second), "and a later one was offered the same");
    let tool = run.nodes.iter().find(|node| matches!(node.kind, NodeKind::Tool { .. })).unwrap();
    let wrong = CallRef { node_id: tool.id, ..calls[0] };
    assert_eq!(app.call_sent(wrong).await.unwrap_err().code, Code::NotFound);
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
    let revoked = RuleRef { id: never.id };
    let app = &desk.journey.app;
    let unknown = app.tool_rule_restore(revoked).await.unwrap_err();
    assert_eq!(unknown.code, Code::NotFound, "only what was forgotten comes back");
    app.tool_rule_revoke(revoked).await.unwrap();
    app.tool_rule_restore(revoked).await.unwrap();
    assert_eq!(app.tool_panel(at).await.unwrap().rules, rules, "as it was");
    app.tool_rule_revoke(revoked).await.unwrap();
    desk.journey.send(desk.id, "Write it again.").await;
    let approval = desk.waiting().await;
    assert_eq!(approval.call_id, "f");
    desk.answer(&approval, ApprovalAnswer::Once).await;
    desk.journey.settled(desk.id).await;
    assert_eq!(desk.file("other/f.md"), "new\n");
}

#[cfg(unix)]
#[tokio::test]
async fn what_is_denied_is_denied_by_every_name_it_has() {
    let read = |id, path: &str| call(id, "read_file", serde_json::json!({"path": path}));
    let change = |id, path: &str| edit(id, path, "five", "six");
    let desk = Desk::of([
        vec![
            read("a", "to/plan.md"),
            read("b", "same.md"),
            read("c", "docs/setup.md"),
            Step::Finish,
        ],
        say("Read."),
        vec![change("d", "same.md"), Step::Finish],
        say("No."),
    ])
    .await;
    write(&desk.journey.project, "closed/plan.md", "five\n");
    let at = |path: &str| desk.journey.project.path().join(path);
    std::os::unix::fs::symlink("closed", at("to")).unwrap();
    std::fs::hard_link(at("closed/plan.md"), at("same.md")).unwrap();
    for tool in ["read_file", "edit_file"] {
        let rule = Rule {
            id: RuleId::new(Timestamp::now()),
            project_id: Some(desk.project),
            tool: tool.into(),
            fingerprint: String::new(),
            scope: Scope::Paths { pattern: "closed/**".into() },
            verdict: Verdict::Deny,
            created_at: Timestamp::now(),
        };
        stores(&desk.journey).tools.put_rule(&rule).unwrap();
    }
    desk.journey.ask(desk.id, "Read all of it.").await;
    let results = desk.results().await;
    let refused: Vec<bool> = results.iter().map(|it| it.2).collect();
    assert_eq!(refused, [true, true, false], "{results:?}");
    desk.journey.ask(desk.id, "Change it.").await;
    assert!(desk.results().await[3].2);
    assert_eq!(desk.file("closed/plan.md"), "five\n");
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

#[tokio::test]
async fn what_only_looks_or_proposes_needs_no_answer_and_stays_in_its_place() {
    let desk = Desk::of([
        say("The timer runs on port 4711."),
        vec![
            call("a", "search_conversations", serde_json::json!({"query": "timer"})),
            call("b", "read_memory", serde_json::json!({})),
            call(
                "c",
                "remember",
                serde_json::json!({"text": "The timer's port is 4711; token ghp_0123456789abcdefghijABCDEFGHIJ012345", "why": "Said."}),
            ),
            call("d", "propose", serde_json::json!({"change": "add_task", "title": "Move the timer"})),
            call("e", "propose", serde_json::json!({"change": "switch_plan", "id": null})),
            call("f", "read_output", serde_json::json!({"handle": "0".repeat(64)})),
            Step::Finish,
        ],
        say("Noted."),
    ])
    .await;
    desk.journey.allow_others(desk.project).await;
    desk.journey.ask(desk.id, "Where does the timer run?").await;
    let elsewhere = desk.journey.conversation(Some(desk.project)).await;
    let desk = Desk { id: elsewhere, ..desk };
    desk.journey.ask(desk.id, "What do we know of the timer?").await;
    let results = desk.results().await;
    let failed: Vec<bool> = results.iter().map(|it| it.2).collect();
    assert_eq!(failed, [false, false, false, false, true, true], "{results:?}");
    assert!(results[0].1.contains("The timer runs on port 4711."), "{}", results[0].1);
    assert!(results[1].1.contains("Never break the public API."), "{}", results[1].1);
    let at = ToolsAt { project_id: Some(desk.project) };
    let inbox = desk.journey.app.inbox_list(at).await.unwrap();
    assert_eq!(inbox.len(), 1);
    assert!(inbox[0].text.starts_with("The timer's port is 4711;"), "{}", inbox[0].text);
    assert!(!inbox[0].text.contains("ghp_0123"), "secrets stay out of memory: {}", inbox[0].text);
    let here = siltstone_contract::ProjectRef { id: desk.project };
    let proposals = desk.journey.app.proposal_list(here).await.unwrap();
    assert_eq!(proposals.len(), 1);
    assert_eq!(before_tools(&desk).await, [""; 0]);
}

#[tokio::test]
async fn a_model_whose_server_refuses_tools_is_asked_once_more_without() {
    let refuses = || ProviderError::NoTools { detail: "m does not support tools".into() };
    let desk =
        Desk::of([vec![Step::Fail(refuses())], say("Without tools, then."), say("And again.")])
            .await;
    let reply = desk.journey.ask(desk.id, "Which files are here?").await;
    assert_eq!(
        (text(&reply).as_str(), reply.status),
        ("Without tools, then.", MessageStatus::Complete)
    );
    desk.journey.ask(desk.id, "And which are there?").await;
    let offered: Vec<bool> = desk.asked().iter().map(|it| !it.tools.is_empty()).collect();
    assert_eq!(offered, [true, false, false], "it is remembered");
    let why = |of: RequestView| of.left_out.into_iter().find(|it| it.id.as_deref() == Some(TOOLS));
    let out = why(desk.preview("And where?").await).expect("a row");
    assert_eq!(out.why, LeftOutWhy::NoTools);
    assert!(out.tokens > 100, "{}", out.tokens);
}

#[tokio::test]
async fn a_greeting_goes_without_tools_says_so_and_takes_them_where_they_are_pinned() {
    let desk = Desk::of([say("Hello."), say("You are welcome."), say("These.")]).await;
    let out = |of: &RequestView| {
        let tools = of.left_out.iter().find(|it| it.id.as_deref() == Some(TOOLS));
        tools.map(|it| (it.why, it.tokens > 100))
    };
    assert_eq!(out(&desk.preview("Hello!").await), Some((LeftOutWhy::SmallTalk, true)));
    desk.journey.ask(desk.id, "Hello!").await;
    let request = WishSection {
        conversation_id: desk.id,
        id: TOOLS.into(),
        source: "siltstone".into(),
        wish: Some(Wish::Pinned),
    };
    desk.journey.app.section_wish(request).await.unwrap();
    let pinned = desk.preview("Thanks!").await;
    assert_eq!(out(&pinned), None);
    assert!(pinned.sections.iter().any(|it| it.id == TOOLS && it.pinned));
    desk.journey.ask(desk.id, "Thanks!").await;
    desk.journey.ask(desk.id, "Which files are here?").await;
    let offered: Vec<bool> = desk.asked().iter().map(|it| !it.tools.is_empty()).collect();
    assert_eq!(offered, [false, true, true]);
}

#[tokio::test]
async fn what_cannot_be_kept_before_is_not_done() {
    let model = Scripted::new([
        vec![edit("a", "docs/setup.md", "5433", "5434"), Step::Finish],
        say("Not now."),
        vec![edit("b", "docs/setup.md", "5433", "5434"), Step::Finish],
        say("Done."),
    ]);
    let desk = Desk::asking(model.clone()).await;
    let data = desk.journey.data.path();
    let folder = DataDir::new(data.to_path_buf(), Arc::new(Seals));
    let disk = Arc::new(Small { folder, low: AtomicBool::new(true) });
    let world = world(data, Arc::new(model), Arc::default());
    let app = started(World { data: disk, ..world }, data);
    let desk = Desk { journey: Journey { app, ..desk.journey }, ..desk };
    desk.journey.send(desk.id, "Change the port.").await;
    let approval = desk.waiting().await;
    desk.answer(&approval, ApprovalAnswer::AlwaysTool).await;
    desk.journey.settled(desk.id).await;
    assert!(desk.file("docs/setup.md").contains("5433"));
    let results = desk.results().await;
    assert!(results[0].1.starts_with("Nothing was done"), "{results:?}");
    let mut settings = desk.journey.app.settings_get(()).await.unwrap();
    settings.checkpoints.on = false;
    desk.journey.app.settings_set(settings).await.unwrap();
    desk.journey.ask(desk.id, "Change it without.").await;
    assert!(desk.file("docs/setup.md").contains("5434"));
}

#[tokio::test]
async fn a_small_window_is_offered_as_many_tools_as_fit_and_the_rest_are_named() {
    let desk = Desk::of([say("In a small window.")]).await;
    let small = ModelInfo { context_window: Some(4_096), ..ModelInfo::named("m") };
    *desk.model.offers.lock().unwrap() = vec![small];
    desk.journey.ask(desk.id, "Which files are in the folder src?").await;
    let asked = desk.asked().remove(0);
    let offered: Vec<&str> = asked.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert!(offered.starts_with(&["list_files", "find_files"]), "{offered:?}");
    let turn = desk.run().await.turn_id;
    let sent = desk.journey.app.request_sent(TurnRef { id: turn }).await.unwrap();
    let named = |name: &str| sent.left_out.iter().any(|it| it.source == name);
    let usual = BUILT_IN.iter().map(|tool| tool.spec.name.as_str());
    let missing: Vec<&str> = usual
        .filter(|name| !["run_command", SKILLS].contains(name) && !offered.contains(name))
        .collect();
    assert!(!missing.is_empty() && missing.iter().all(|name| named(name)), "{missing:?}");
}
