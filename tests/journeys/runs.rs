//! Turns that call tools: what becomes durable in which order, what the model is asked with, and how a turn ends.

use std::sync::Arc;

use siltstone_contract::{
    AllowCommands, AnswerApproval, Approval, ApprovalAnswer, ConversationRef, DefaultModel,
    MemoryAt, MessageItem, MessageRef, PreviewRequest, RequestView, RunView, TurnEvent, TurnRef,
    WishSection,
};
use siltstone_engine::ids::{ConversationId, ProjectId};
use siltstone_engine::link;
use siltstone_engine::memory::LineKind;
use siltstone_engine::message::{MessageStatus, Part, Role, words_of};
use siltstone_engine::project::Trust;
use siltstone_engine::provider::{ModelInfo, ModelRequest, ProviderKind, ProviderRecord};
use siltstone_engine::run::{NodeKind, NodeStatus};
use siltstone_engine::section::{LeftOutWhy, Section, SectionKind, id_of_message};
use siltstone_engine::turn::Usage;
use siltstone_engine::wish::Wish;
use siltstone_test_servers::until::{PATIENCE, until};

use crate::scripted::{Scripted, Step};
use crate::world::{Journey, text, write};

/// A conversation of a trusted project with a model that calls tools.
pub struct Desk {
    pub journey: Journey,
    pub model: Scripted,
    pub project: ProjectId,
    pub id: ConversationId,
}

impl Desk {
    pub async fn of(scripts: impl IntoIterator<Item = Vec<Step>>) -> Self {
        Self::asking(Scripted::new(scripts)).await
    }

    pub async fn asking(model: Scripted) -> Self {
        let info = ModelInfo { context_window: Some(200_000), ..ModelInfo::named("m") };
        model.offers.lock().unwrap().push(info);
        let journey = Journey::with(Arc::new(model.clone()));
        let record = ProviderRecord {
            name: "desk".into(),
            kind: ProviderKind::Openai,
            base_url: "http://127.0.0.1:9/v1".into(),
        };
        journey.app.provider_add(record).await.unwrap();
        let choice = DefaultModel { provider: "desk".into(), model: "m".into() };
        journey.app.provider_default(choice).await.unwrap();
        let project = journey.open(Trust::Trusted).await;
        let id = journey.conversation(Some(project)).await;
        Self { journey, model, project, id }
    }

    pub async fn allow_commands(&self) {
        let request = AllowCommands { project_id: self.project, allowed: true };
        self.journey.app.tool_commands(request).await.unwrap();
    }

    /// The request that this draft would make.
    pub async fn preview(&self, draft: &str) -> RequestView {
        let request = PreviewRequest {
            conversation_id: self.id,
            draft: draft.into(),
            context: None,
            model: None,
        };
        self.journey.app.request_preview(request).await.unwrap()
    }

    /// The call that waits for the person.
    pub async fn waiting(&self) -> Approval {
        let mut waiting = Vec::new();
        until("a call that waits for the person", async || {
            let request = ConversationRef { id: self.id };
            waiting = self.journey.app.approval_list(request).await.unwrap();
            !waiting.is_empty()
        })
        .await;
        waiting.remove(0)
    }

    pub async fn answer(&self, approval: &Approval, answer: ApprovalAnswer) {
        let request = AnswerApproval {
            conversation_id: self.id,
            call_id: approval.call_id.clone(),
            hash: approval.hash.clone(),
            answer,
        };
        self.journey.app.approval_answer(request).await.unwrap();
    }

    /// The results of the shown path: the call, what was answered, and whether it failed.
    pub async fn results(&self) -> Vec<(String, String, bool)> {
        let path = self.journey.path(self.id).await;
        let parts = path.into_iter().flat_map(|message| message.parts);
        let results = parts.filter_map(|part| match part {
            Part::ToolResult { call_id, text, is_error, .. } => Some((call_id, text, is_error)),
            _ => None,
        });
        results.collect()
    }

    pub async fn run(&self) -> RunView {
        let turn = self.journey.path(self.id).await.pop().unwrap().turn_id.unwrap();
        self.journey.app.run_get(TurnRef { id: turn }).await.unwrap()
    }

    pub fn file(&self, path: &str) -> String {
        std::fs::read_to_string(self.journey.project.path().join(path)).unwrap()
    }

    pub fn asked(&self) -> Vec<ModelRequest> {
        self.model.asked.lock().unwrap().clone()
    }
}

pub fn call(id: &'static str, name: &'static str, arguments: serde_json::Value) -> Step {
    Step::Call { id, name, arguments: arguments.to_string() }
}

pub fn say(text: &'static str) -> Vec<Step> {
    vec![Step::Say(text), Step::Finish]
}

fn roles(path: &[MessageItem]) -> Vec<Role> {
    path.iter().map(|message| message.role).collect()
}

/// behaviour.md, Turns: a question, the calls, their results, and the answer.
#[tokio::test]
async fn a_turn_is_a_question_calls_their_results_and_an_answer() {
    let read = serde_json::json!({"path": "docs/setup.md"});
    let find = serde_json::json!({"pattern": "5433"});
    let usage = |input_tokens, output_tokens| Usage {
        input_tokens,
        output_tokens,
        exact: true,
        ..Usage::default()
    };
    let desk = Desk::of([
        vec![
            Step::Say("I look."),
            call("a", "read_file", read),
            call("b", "search_files", find),
            Step::Count(usage(100, 10)),
            Step::Finish,
        ],
        vec![Step::Say("It is 5433."), Step::Count(usage(150, 5)), Step::Finish],
    ])
    .await;
    desk.journey.send(desk.id, "Which port does the database listen on?").await;
    let seen = desk.journey.settled(desk.id).await;
    let path = desk.journey.path(desk.id).await;
    use Role::{Assistant, Tool, User};
    assert_eq!(roles(&path), [User, Assistant, Tool, Tool, Assistant]);
    assert!(path.iter().all(|message| message.turn_id == path[0].turn_id));
    assert!(path.iter().all(|message| message.status == MessageStatus::Complete));
    assert_eq!(text(&path[1]), "I look.");
    assert_eq!(text(&path[4]), "It is 5433.");
    let results = desk.results().await;
    assert_eq!(results.iter().map(|it| it.0.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    assert!(results[0].1.contains("The database listens on port 5433."), "{}", results[0].1);
    assert!(results[1].1.contains("docs/setup.md"), "{}", results[1].1);
    assert!(results.iter().all(|it| !it.2));

    let asked = desk.asked();
    assert_eq!(asked.len(), 2);
    let names: Vec<&str> = asked[0].tools.iter().map(|tool| tool.name.as_str()).collect();
    assert!(names.contains(&"read_file") && !names.contains(&"run_command"), "{names:?}");
    let tools = asked[0].sections.iter().find(|it| it.kind == SectionKind::Tools).unwrap();
    assert!(tools.text.contains("- read_file: ") && tools.tokens > 0);
    // What was asked first stays, word for word, so that a provider's cache keeps it.
    let first: Vec<&str> = asked[0].sections.iter().map(|it| it.text.as_str()).collect();
    let second: Vec<&str> = asked[1].sections.iter().map(|it| it.text.as_str()).collect();
    assert_eq!(second[..first.len()], first);
    let steps = &asked[1].sections[first.len()..];
    assert_eq!(steps.iter().map(|it| it.role).collect::<Vec<_>>(), [Assistant, Tool, Tool]);
    assert_eq!(steps[1].source, "read_file docs/setup.md");
    assert!(matches!(&steps[0].parts[..], [Part::ToolCall { .. }, Part::ToolCall { .. }]));
    assert!(steps[1].tokens > 4 && steps[1].text == results[0].1);

    let run = desk.run().await;
    let told: Vec<String> = run
        .nodes
        .iter()
        .map(|node| match &node.kind {
            NodeKind::Model { .. } => format!("model {:?}", node.status),
            NodeKind::Tool { tool, .. } => format!("{tool} {:?}", node.status),
        })
        .collect();
    assert_eq!(told, ["model Done", "read_file Done", "search_files Done", "model Done"]);
    assert_eq!(run.nodes[1].parent, Some(run.nodes[0].id));
    let last = path[4].usage.unwrap();
    assert_eq!((last.input_tokens, last.output_tokens, last.exact), (250, 15, true));
    assert!(
        seen.iter()
            .any(|event| matches!(event, TurnEvent::Reply { reply_id } if *reply_id == path[4].id))
    );
    assert!(
        seen.iter().any(
            |event| matches!(event, TurnEvent::Done { reply_id, .. } if *reply_id == path[4].id)
        )
    );
}

#[tokio::test]
async fn what_cannot_be_called_is_told_to_the_model_and_nothing_runs() {
    let desk = Desk::of([
        vec![
            call("a", "format_disk", serde_json::json!({})),
            Step::Call { id: "b", name: "read_file", arguments: "{\"path\"".into() },
            call("c", "read_file", serde_json::json!({"path": 7})),
            call("d", "run_command", serde_json::json!({"command": "touch ran"})),
            Step::Finish,
        ],
        say("I see."),
    ])
    .await;
    let reply = desk.journey.ask(desk.id, "Do something.").await;
    assert_eq!(text(&reply), "I see.");
    let results = desk.results().await;
    assert_eq!(results.len(), 4);
    assert!(results.iter().all(|it| it.2), "{results:?}");
    assert!(results[0].1.starts_with("There is no tool format_disk."));
    assert!(results[1].1.starts_with("The arguments of read_file cannot be read"));
    assert!(results[3].1.starts_with("There is no tool run_command."), "not allowed here yet");
    assert!(!desk.journey.project.path().join("ran").exists());
}

#[tokio::test]
async fn a_turn_that_reaches_its_limit_keeps_what_it_has_and_can_be_continued() {
    let list = || vec![call("a", "list_files", serde_json::json!({})), Step::Finish];
    let desk = Desk::of([list(), list(), say("Done.")]).await;
    let mut settings = desk.journey.app.settings_get(()).await.unwrap();
    settings.tools.max_rounds = 2;
    desk.journey.app.settings_set(settings).await.unwrap();
    desk.journey.ask(desk.id, "What is here, in all folders?").await;
    let path = desk.journey.path(desk.id).await;
    use Role::{Assistant, Tool, User};
    assert_eq!(roles(&path), [User, Assistant, Tool, Assistant, Tool]);
    assert_eq!(path[3].status, MessageStatus::Interrupted);
    assert_eq!(path[3].fault.as_ref().unwrap().code, "limit_rounds");
    desk.journey.app.continue_reply(MessageRef { id: path[3].id }).await.unwrap();
    desk.journey.settled(desk.id).await;
    let path = desk.journey.path(desk.id).await;
    assert_eq!(roles(&path), [User, Assistant, Tool, Assistant, Tool, Assistant]);
    assert_eq!(text(&path[5]), "Done.");
    let asked = desk.asked();
    let asks = |it: &Section| it.kind == SectionKind::Draft;
    let last = asked.last().unwrap();
    assert!(!last.sections.iter().any(asks), "it goes on from results, and nobody asks it to");
    let results = last.sections.iter().filter(|it| it.role == Tool);
    assert_eq!(results.count(), 2);
}

#[tokio::test]
async fn a_turn_that_is_stopped_while_a_command_runs_has_a_result_for_every_call() {
    let desk = Desk::of([
        vec![
            call("a", "run_command", serde_json::json!({"command": "echo begun; sleep 600"})),
            call("b", "list_files", serde_json::json!({})),
            Step::Finish,
        ],
        say("I go on."),
    ])
    .await;
    desk.allow_commands().await;
    desk.journey.send(desk.id, "Build it.").await;
    let approval = desk.waiting().await;
    assert_eq!(approval.command.as_deref(), Some("echo begun; sleep 600"));
    let app = desk.journey.app.clone();
    let (send, mut events) = tokio::sync::mpsc::unbounded_channel();
    let id = desk.id;
    let watching = tokio::spawn(async move {
        let sink = Arc::new(move |event| drop(send.send(event)));
        app.turn_watch(ConversationRef { id }, sink).await
    });
    desk.answer(&approval, ApprovalAnswer::Once).await;
    let heard = async {
        while let Some(event) = events.recv().await {
            if matches!(&event, TurnEvent::Output { text, .. } if text.contains("begun")) {
                return true;
            }
        }
        false
    };
    assert!(tokio::time::timeout(PATIENCE, heard).await.unwrap());
    desk.journey.app.stop(ConversationRef { id }).await.unwrap();
    watching.await.unwrap().unwrap();
    let results = desk.results().await;
    assert_eq!(results.len(), 2);
    assert!(results.iter().all(|it| it.2 && it.1.starts_with("Stopped")), "{results:?}");
    let run = desk.run().await;
    let stopped = run.nodes.iter().filter(|node| node.status == NodeStatus::Stopped).count();
    assert_eq!(stopped, 2);
    let path = desk.journey.path(desk.id).await;
    assert_eq!(path[1].status, MessageStatus::Interrupted);
    desk.journey.app.continue_reply(MessageRef { id: path[1].id }).await.unwrap();
    desk.journey.settled(desk.id).await;
    assert_eq!(desk.journey.said(desk.id).await.last().unwrap(), "I go on.");
}

#[tokio::test]
async fn another_reply_takes_the_place_of_the_whole_turn() {
    let desk = Desk::of([
        vec![call("a", "list_files", serde_json::json!({})), Step::Finish],
        say("One way."),
        say("Another."),
    ])
    .await;
    let reply = desk.journey.ask(desk.id, "How is it laid out?").await;
    let again = siltstone_contract::Regenerate { id: reply.id, context: None, model: None };
    desk.journey.app.regenerate(again).await.unwrap();
    desk.journey.settled(desk.id).await;
    let path = desk.journey.path(desk.id).await;
    assert_eq!(roles(&path), [Role::User, Role::Assistant]);
    assert_eq!(text(&path[1]), "Another.");
    assert_eq!(path[1].siblings.ids.len(), 2);
}

#[tokio::test]
async fn rules_of_a_folder_come_with_the_request_after_a_file_of_it_was_read() {
    let read = serde_json::json!({"path": "web/app.ts"});
    let desk = Desk::of([vec![call("a", "read_file", read), Step::Finish], say("Read.")]).await;
    write(&desk.journey.project, "web/app.ts", "let a = 1;\n");
    write(&desk.journey.project, "web/AGENTS.md", "Never use var in this folder.\n");
    desk.journey.agree(desk.project).await;
    desk.journey.ask(desk.id, "What does the app do?").await;
    let asked = desk.asked();
    let rules =
        |request: &ModelRequest| request.sections.iter().any(|it| it.source == "web/AGENTS.md");
    assert_eq!((rules(&asked[0]), rules(&asked[1])), (false, true));
}

#[tokio::test]
async fn small_talk_and_tools_switched_off_offer_nothing() {
    let desk = Desk::of([say("Hello."), say("Fine."), say("Read.")]).await;
    desk.journey.ask(desk.id, "hello").await;
    let mut settings = desk.journey.app.settings_get(()).await.unwrap();
    settings.tools.on = false;
    desk.journey.app.settings_set(settings.clone()).await.unwrap();
    desk.journey.ask(desk.id, "Which files are here?").await;
    settings.tools.on = true;
    settings.tools.off = vec!["read_file".into()];
    desk.journey.app.settings_set(settings).await.unwrap();
    desk.journey.ask(desk.id, "Which files are there?").await;
    let asked = desk.asked();
    assert!(asked[..2].iter().all(|it| it.tools.is_empty()));
    assert!(asked[..2].iter().flat_map(|it| &it.sections).all(|it| it.kind != SectionKind::Tools));
    let names: Vec<&str> = asked[2].tools.iter().map(|tool| tool.name.as_str()).collect();
    assert!(names.contains(&"list_files") && !names.contains(&"read_file"));
}

/// behaviour.md, Memory: by a rule of the person's, off until there is one, and said where it acted.
#[tokio::test]
async fn a_rule_keeps_results_for_the_conversation_and_says_so() {
    let read = |id, path: &str| call(id, "read_file", serde_json::json!({"path": path}));
    let both = || vec![read("a", "docs/setup.md"), read("b", "none.md"), Step::Finish];
    let said = [both(), say("One."), both(), say("Two."), both(), say("Three."), say("Four.")];
    let desk = Desk::of(said).await;
    let app = &desk.journey.app;
    let kept = async || {
        let run = desk.run().await.nodes.into_iter();
        let kept = run.filter_map(|node| match node.kind {
            NodeKind::Tool { kept, .. } => Some(kept),
            NodeKind::Model { .. } => None,
        });
        kept.collect::<Vec<bool>>()
    };
    let lines = async || {
        let at =
            MemoryAt { project_id: Some(desk.project), conversation_id: Some(desk.id), dir: None };
        app.memory_layers(at).await.unwrap().lines
    };
    desk.journey.ask(desk.id, "Read them.").await;
    assert_eq!((kept().await, lines().await), (vec![false, false], Vec::new()));

    let mut settings = app.settings_get(()).await.unwrap();
    settings.tools.keep = vec!["read_file docs/*".into(), "read_file none*".into()];
    app.settings_set(settings).await.unwrap();
    desk.journey.ask(desk.id, "Read them again.").await;
    assert_eq!(kept().await, [true, false], "what failed is not kept");
    let line = lines().await.remove(0);
    assert_eq!((line.kind, line.conversation_id), (LineKind::ToolResult, Some(desk.id)));
    assert!(line.text.contains("5433") && line.source.unwrap().starts_with("silt:message/"));
    // What is read again and says the same is kept once, as it was answered last.
    desk.journey.ask(desk.id, "And again.").await;
    let again = lines().await;
    assert_eq!(again.iter().map(|it| &it.text).collect::<Vec<_>>(), [&line.text]);
    let results = desk.journey.path(desk.id).await.into_iter().filter(|it| it.role == Role::Tool);
    let results: Vec<_> = results.filter(|it| words_of(&it.parts).contains("5433")).collect();
    assert_eq!(again[0].source, Some(link::to_message(results[2].id)));

    // It does not go beside the result itself, and goes once that does not.
    let is_kept = |id: &str| id.starts_with("memory:kept/result-");
    let view = desk.journey.preview(desk.id, "What was it?").await;
    assert!(!view.sections.iter().any(|it| is_kept(&it.id)));
    let twice = view.left_out.iter().find(|it| it.id.as_deref().is_some_and(is_kept)).unwrap();
    assert_eq!(twice.why, LeftOutWhy::Duplicate);
    for result in results {
        let (conversation_id, id) = (desk.id, id_of_message(result.id));
        let (source, wish) = ("read_file".into(), Some(Wish::LeftOut));
        app.section_wish(WishSection { conversation_id, id, source, wish }).await.unwrap();
    }
    desk.journey.ask(desk.id, "What was it?").await;
    let asked = desk.asked().pop().unwrap();
    let section = asked.sections.iter().find(|it| is_kept(&it.id)).unwrap();
    assert_eq!(section.kind, SectionKind::Passage);
}
