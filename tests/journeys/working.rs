//! Turns that agents carry out: what they are told, what they are asked about, what of their work is shown and taken back,
//! and how a turn ends however an agent does. The agent is a program of its own that does what the question says.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};
use siltstone_contract::{
    Approval, ApprovalAnswer, ChangesKnown, ChangesOf, Code, ConversationRef, DefaultModel,
    EgressRef, ExportConversation, ExportFormat, Failure, ImportConversation, ListEgress,
    ProviderRef, RequestView, RestoreParts, ReviewChanges, SetFolding, TakeBackChanges,
    TakenBackFile, TrustProject, TuneConversation, TurnRef,
};
use siltstone_engine::acp::Agents;
use siltstone_engine::attachment::to_base64;
use siltstone_engine::conversation::{ChosenMode, Tuning};
use siltstone_engine::ids::{ConversationId, ProjectId, TurnId};
use siltstone_engine::message::{MessageStatus, Part, Role};
use siltstone_engine::offers::Told;
use siltstone_engine::project::Trust;
use siltstone_engine::provider::{ProviderKind, ProviderRecord};
use siltstone_engine::run::{NodeKind, NodeStatus};
use siltstone_engine::section::{LeftOutWhy, SectionKind};
use siltstone_engine::summary::Policy;
use siltstone_engine::wish::Wish;
use siltstone_test_servers::acp_agent;
use siltstone_test_servers::files::executable;
use siltstone_test_servers::until::until;
use siltstone_tools::Programs;

use crate::attaching::PICTURE;
use crate::checkpoints::{create, plan, restore};
use crate::runs::Desk;
use crate::scripted::Scripted;
use crate::world::{Journey, text, write};

/// A key that nobody has.
const KEY: &str = "sk-proj-Zk3vQ9xL2mN8pR4tW7yB1cD5fG6hJ0aS";

/// What comes back of a checkpoint.
const FILES: RestoreParts =
    RestoreParts { chat: false, files: true, memory: false, context: false };

/// A desk whose conversation asks an agent.
struct Work {
    desk: Desk,
    log: PathBuf,
}

impl Work {
    async fn of(options: &[&str]) -> Self {
        Self::among(options, Arc::new(Programs::new())).await
    }

    async fn among(options: &[&str], workers: Arc<dyn Agents>) -> Self {
        let model = Scripted::new([]);
        let providers = Arc::new(siltstone_providers::Connections::new());
        let journey = Journey::with_workers(providers, workers);
        let log = journey.data.path().join("agent.log");
        add(&journey, "agent", &log, options).await.unwrap();
        let project = journey.open(Trust::Trusted).await;
        let id = journey.conversation(Some(project)).await;
        Self { desk: Desk { journey, model, project, id }, log }
    }

    /// Every message that the agent got.
    fn heard(&self) -> Vec<Value> {
        let log = std::fs::read_to_string(&self.log).unwrap_or_default();
        log.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn heard_of(&self, method: &str) -> Vec<Value> {
        self.heard().into_iter().filter(|it| it["method"] == method).collect()
    }

    /// The texts of the prompts that it got.
    fn prompts(&self) -> Vec<String> {
        let texts = |prompt: Value| {
            let blocks = prompt["params"]["prompt"].as_array().unwrap().clone();
            let texts: Vec<String> =
                blocks.iter().filter_map(|it| Some(it["text"].as_str()?.to_owned())).collect();
            texts.join("\n\n")
        };
        self.heard_of("session/prompt").into_iter().map(texts).collect()
    }

    async fn answer_next(&self, answer: ApprovalAnswer) -> Approval {
        let approval = self.desk.waiting().await;
        self.desk.answer(&approval, answer).await;
        until("the answer to be taken", async || {
            let here = ConversationRef { id: self.desk.id };
            let waiting = self.desk.journey.app.approval_list(here).await.unwrap();
            waiting.iter().all(|it| it.hash != approval.hash)
        })
        .await;
        approval
    }

    async fn turn(&self) -> TurnId {
        self.desk.journey.path(self.desk.id).await.pop().unwrap().turn_id.unwrap()
    }

    fn file(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.desk.journey.project.path().join(path)).ok()
    }
}

async fn add(
    journey: &Journey,
    name: &str,
    log: &std::path::Path,
    options: &[&str],
) -> Result<(), Failure> {
    let log = log.display().to_string();
    let options = [&["--log", &log], options].concat();
    let record = ProviderRecord {
        name: name.into(),
        kind: ProviderKind::Agent,
        base_url: acp_agent(&options).unwrap(),
    };
    journey.app.provider_add(record).await?;
    let choice = DefaultModel { provider: name.into(), model: "default".into() };
    journey.app.provider_default(choice).await.map(drop)
}

#[tokio::test]
async fn what_an_agent_reads_is_the_request_and_what_it_does_becomes_messages() {
    let work = Work::of(&[]).await;
    let desk = &work.desk;
    let question = "think Hm.\nsay First.\nread docs/setup.md\nsay  Then.\nplan look; write";
    let preview = desk.preview(question).await;
    assert!(work.heard().is_empty(), "nothing starts because a request is shown");
    let reply = desk.journey.ask(desk.id, question).await;
    assert_eq!((text(&reply).as_str(), reply.status), (" Then.", MessageStatus::Complete));

    let path = desk.journey.path(desk.id).await;
    let roles: Vec<Role> = path.iter().map(|it| it.role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::Tool, Role::Assistant]);
    let called = &path[1].parts;
    assert!(matches!(&called[0], Part::Reasoning { text, .. } if text == "Hm."));
    assert!(matches!(&called[1], Part::Text { text } if text == "First."));
    assert!(matches!(&called[2], Part::ToolCall { name, .. } if name == "agent: read"));
    let results = desk.results().await;
    assert!(results[0].1.contains("listens on port 5433") && !results[0].2);
    assert!(
        matches!(&path[3].parts[0], Part::Reasoning { text, .. } if text.contains("- [x] look\n- [ ] write"))
    );

    // What it was told is what was shown, byte by byte in the record of what left.
    let prompts = work.prompts();
    assert_eq!(prompts.len(), 1);
    for section in &preview.sections {
        assert!(prompts[0].contains(section.text.trim()), "{}", section.text);
    }
    assert!(prompts[0].contains("Never break the public API."));
    let list = ListEgress { before: None, limit: 10, away_only: true };
    let left = desk.journey.app.egress_list(list).await.unwrap();
    assert_eq!((left.len(), left[0].method.as_str(), left[0].home), (1, "ACP", false));
    assert_eq!(left[0].answer.as_deref(), Some("end_turn"));
    let body = desk.journey.app.egress_body(EgressRef { seq: left[0].seq }).await.unwrap().body;
    assert_eq!(serde_json::from_str::<Value>(&body).unwrap(), work.heard_of("session/prompt")[0]);
    // Its tokens, with what came from its cache.
    let run = desk.run().await;
    let models = run.nodes.iter().filter(|it| matches!(it.kind, NodeKind::Model { .. }));
    let usage: Vec<u64> = models.filter_map(|it| Some(it.usage?.input_tokens)).collect();
    assert_eq!(usage, [1_100]);

    // The next one is a session of its own, which knows what the request says of the first.
    desk.journey.ask(desk.id, "say Again.").await;
    let begun = work.heard_of("session/new");
    assert_eq!(begun.len(), 2);
    let folder = desk.journey.project.path().canonicalize().unwrap();
    assert_eq!(begun[1]["params"]["cwd"], json!(folder.display().to_string()));
    let second = &work.prompts()[1];
    assert!(second.contains("You answered:\n```\nFirst.\n```"), "{second}");
    assert!(second.contains("listens on port 5433") && second.ends_with("say Again."), "{second}");
    let capabilities = &work.heard_of("initialize")[0]["params"]["clientCapabilities"];
    assert_eq!(capabilities["fs"], json!({"readTextFile": false, "writeTextFile": false}));
}

#[tokio::test]
async fn what_an_agent_says_before_it_asks_is_read_while_the_person_decides() {
    let work = Work::of(&[]).await;
    let desk = &work.desk;
    desk.journey.send(desk.id, "say I would change a line.\nedit docs/setup.md gone").await;
    let approval = desk.waiting().await;
    let said = desk.journey.path(desk.id).await.pop().unwrap();
    assert_eq!(
        (text(&said).as_str(), said.status),
        ("I would change a line.", MessageStatus::Streaming)
    );
    desk.answer(&approval, ApprovalAnswer::Never).await;
    desk.journey.settled(desk.id).await;
}

#[tokio::test]
async fn an_edit_waits_for_leave_and_what_goes_with_a_no_is_said_to_the_agent() {
    let work = Work::of(&[]).await;
    let desk = &work.desk;
    desk.journey.send(desk.id, "edit docs/setup.md gone\nsay Tried.").await;
    let shown =
        work.answer_next(ApprovalAnswer::No { note: format!("say Ask the owner. {KEY}") }).await;
    let change = shown.change.unwrap();
    assert_eq!((shown.server.as_deref(), change.path.as_str()), (Some("agent"), "docs/setup.md"));
    assert!(change.before.unwrap().contains("5433") && change.after.as_deref() == Some("gone"));
    desk.journey.settled(desk.id).await;
    assert!(work.file("docs/setup.md").unwrap().contains("5433"));
    // The protocol has no room for words beside a no; they follow in the same session.
    assert!(work.prompts()[1].starts_with("say Ask the owner. "));
    assert!(!work.prompts()[1].contains(KEY), "a key in it stays here");
    assert_eq!(work.heard_of("session/new").len(), 1);
    let (_, result, failed) = desk.results().await.remove(0);
    assert!(failed && result.contains("does not allow") && result.contains("Ask the owner."));
    let reply = desk.journey.path(desk.id).await.pop().unwrap();
    assert!(text(&reply).starts_with("Tried.Ask the owner. "));
    let run = desk.run().await;
    let denied = run.nodes.iter().filter(|it| it.status == NodeStatus::Denied).count();
    assert_eq!(denied, 1);

    desk.journey.send(desk.id, "edit docs/setup.md new\\n").await;
    work.answer_next(ApprovalAnswer::Once).await;
    desk.journey.settled(desk.id).await;
    assert_eq!(work.file("docs/setup.md").as_deref(), Some("new\n"));
    let changes =
        desk.journey.app.changes_get(ChangesOf::Turn { id: work.turn().await }).await.unwrap();
    let listed: Vec<(&str, bool)> =
        changes.files.iter().map(|it| (it.path.as_str(), it.by_tool)).collect();
    assert_eq!((changes.known, listed), (ChangesKnown::Whole, vec![("docs/setup.md", true)]));
}

#[tokio::test]
async fn a_yes_is_remembered_here_for_the_project_and_for_that_command_alone() {
    let work = Work::of(&[]).await;
    let desk = &work.desk;
    desk.journey.send(desk.id, "edit a.txt one\nedit b.txt two").await;
    work.answer_next(ApprovalAnswer::AlwaysTool).await;
    desk.journey.settled(desk.id).await;
    assert_eq!((work.file("a.txt"), work.file("b.txt")), (Some("one".into()), Some("two".into())));
    // The agent is told yes for this once, never for ever.
    let answers: Vec<Value> =
        work.heard().into_iter().filter(|it| it.get("result").is_some()).collect();
    assert_eq!(answers.len(), 2);
    for answer in &answers {
        assert_eq!(answer["result"]["outcome"]["optionId"], "yes");
    }
    // Of what does not say which file it changes it asks all the same.
    desk.journey.send(desk.id, "blind").await;
    work.answer_next(ApprovalAnswer::No { note: String::new() }).await;
    desk.journey.settled(desk.id).await;
    // Beside the project it asks all the same, and a command is another thing.
    let outside = desk.journey.data.path().join("outside.txt");
    let question = format!("edit {} no\nrun echo hello", outside.display());
    desk.journey.send(desk.id, &question).await;
    let shown = work.answer_next(ApprovalAnswer::No { note: String::new() }).await;
    assert!(shown.patterns.is_empty());
    let shown = work.answer_next(ApprovalAnswer::AlwaysExactly).await;
    assert_eq!(shown.command.as_deref(), Some("echo hello"));
    desk.journey.settled(desk.id).await;
    assert!(!outside.exists());
    assert!(desk.results().await.iter().any(|(_, said, failed)| said.trim() == "hello" && !failed));
    desk.journey.ask(desk.id, "run echo hello").await;
    desk.journey.send(desk.id, "run echo hello; echo more").await;
    work.answer_next(ApprovalAnswer::No { note: String::new() }).await;
    desk.journey.settled(desk.id).await;
    // Another command that starts it is another agent.
    add(&desk.journey, "agent", &work.log, &["--models", "x"]).await.unwrap();
    desk.journey.send(desk.id, "edit a.txt three").await;
    work.answer_next(ApprovalAnswer::No { note: String::new() }).await;
    desk.journey.settled(desk.id).await;
    assert_eq!(work.file("a.txt").as_deref(), Some("one"));
}

#[tokio::test]
async fn two_questions_at_once_are_two_questions() {
    let work = Work::of(&[]).await;
    let desk = &work.desk;
    desk.journey.send(desk.id, "two a.txt b.txt").await;
    let first = work.answer_next(ApprovalAnswer::No { note: String::new() }).await;
    let second = work.answer_next(ApprovalAnswer::Once).await;
    assert_ne!(first.call_id, second.call_id);
    desk.journey.settled(desk.id).await;
    assert_eq!((work.file("a.txt"), work.file("b.txt").as_deref()), (None, Some("two\n")));
    let failed: Vec<bool> = desk.results().await.into_iter().map(|it| it.2).collect();
    assert_eq!(failed, [true, false]);
}

#[tokio::test]
async fn what_was_changed_without_asking_is_shown_as_such_and_taken_back() {
    let work = Work::of(&[]).await;
    let desk = &work.desk;
    write(&desk.journey.project, "kept.txt", "before\n");
    let question = "hidden kept.txt after\\n\nquietly told.txt new\\n\nsay Done.";
    desk.journey.ask(desk.id, question).await;
    assert_eq!(work.file("kept.txt").as_deref(), Some("after\n"));
    let turn = work.turn().await;
    let changes = desk.journey.app.changes_get(ChangesOf::Turn { id: turn }).await.unwrap();
    let listed: Vec<(&str, bool)> =
        changes.files.iter().map(|it| (it.path.as_str(), it.by_tool)).collect();
    assert_eq!(listed, [("kept.txt", false), ("told.txt", false)]);
    let review = ReviewChanges { of: ChangesOf::Turn { id: turn }, path: None };
    let review = desk.journey.app.changes_review(review).await.unwrap().files;
    let files = review.into_iter().map(|it| TakenBackFile {
        path: it.file.path,
        seen: it.seen,
        pieces: None,
    });
    let back = TakeBackChanges { of: ChangesOf::Turn { id: turn }, files: files.collect() };
    desk.journey.app.changes_take_back(back).await.unwrap();
    assert_eq!((work.file("kept.txt").as_deref(), work.file("told.txt")), (Some("before\n"), None));
}

#[tokio::test]
async fn an_agent_that_is_stopped_keeps_what_it_said_and_is_gone_with_what_it_started() {
    for verb in ["hang", "linger"] {
        let work = Work::of(&[]).await;
        let desk = &work.desk;
        desk.journey.send(desk.id, &format!("quietly a.txt x\nsay Here.\n{verb}")).await;
        until("what it says", async || {
            let path = desk.journey.path(desk.id).await;
            path.last().is_some_and(|it| text(it).contains("Waiting."))
        })
        .await;
        desk.journey.app.stop(ConversationRef { id: desk.id }).await.unwrap();
        desk.journey.settled(desk.id).await;
        let reply = desk.journey.path(desk.id).await.pop().unwrap();
        assert_eq!(
            (text(&reply).as_str(), reply.status),
            ("Here.Waiting.", MessageStatus::Interrupted)
        );
        until("the agent to be told", async || !work.heard_of("session/cancel").is_empty()).await;
        let pid = session_of(&work);
        until("the agent to be gone", async || {
            !PathBuf::from(format!("/proc/{pid}/cmdline")).exists() || is_zombie(&pid)
        })
        .await;
        // The conversation goes on.
        let reply = desk.journey.ask(desk.id, "say Back.").await;
        assert_eq!(text(&reply), "Back.");
    }
}

fn words_in(part: &Part) -> Option<&str> {
    match part {
        Part::Text { text } => Some(text),
        _ => None,
    }
}

/// The agent's process, which names its session.
fn session_of(work: &Work) -> String {
    let prompt = &work.heard_of("session/prompt")[0];
    prompt["params"]["sessionId"].as_str().unwrap().replace("session-", "")
}

fn is_zombie(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')').next().is_none_or(|it| it.trim().starts_with('Z') || it.is_empty())
}

#[tokio::test]
async fn a_question_is_taken_back_when_the_turn_is_stopped() {
    let work = Work::of(&[]).await;
    let desk = &work.desk;
    desk.journey.send(desk.id, "edit a.txt x").await;
    desk.waiting().await;
    let here = || ConversationRef { id: desk.id };
    desk.journey.app.stop(here()).await.unwrap();
    desk.journey.settled(desk.id).await;
    assert!(desk.journey.app.approval_list(here()).await.unwrap().is_empty());
    assert_eq!(work.file("a.txt"), None);
    let results = desk.results().await;
    assert!(results[0].2 && results[0].1.contains("Stopped"), "{results:?}");
}

#[tokio::test]
async fn whatever_an_agent_does_the_turn_ends_with_its_reason_and_the_next_one_is_answered() {
    let work = Work::of(&[]).await;
    let desk = &work.desk;
    for (question, code, said) in [
        ("say Half\ndie", "reply_cut", "out of memory"),
        ("limit", "no_credit", "usage limit"),
        ("say Some\nmore", "reply_cut", "max_turn_requests"),
        ("say No.\nrefuse", "reply_withheld", "refuses"),
        ("refuse", "reply_withheld", "refuses"),
        ("think hm", "reply_empty", "without a word"),
    ] {
        desk.journey.send(desk.id, question).await;
        desk.journey.settled(desk.id).await;
        let reply = desk.journey.path(desk.id).await.pop().unwrap();
        let fault = reply.fault.unwrap_or_else(|| panic!("{question}"));
        assert_eq!(fault.code, code, "{question}");
        assert!(fault.message.contains(said), "{question}: {}", fault.message);
        let words = question.lines().find_map(|it| it.strip_prefix("say "));
        assert_eq!(reply.parts.iter().find_map(words_in), words, "{question}");
    }
    let reply = desk.journey.ask(desk.id, "strange\nsay  And on.").await;
    assert_eq!(text(&reply), "refused -32601 And on.");
}

/// Whatever message is the last one of an agent, or its half: what it said is there, what was asked about waits no more, no
/// call is without a result, and the conversation goes on.
#[tokio::test]
async fn an_agent_that_is_killed_at_any_message_loses_nothing_that_it_said() {
    let work = Work::of(&[]).await;
    let desk = &work.desk;
    let question = "say One.\nread AGENTS.md\nsay Two.\nquietly made.txt x\nsay Three.";
    let mut finished = 0;
    for n in 1..=14 {
        for half in [false, true] {
            let dies = n.to_string();
            let options: &[&str] =
                if half { &["--dies", &dies, "--half"] } else { &["--dies", &dies] };
            add(&desk.journey, "agent", &work.log, options).await.unwrap();
            let id = desk.journey.conversation(Some(desk.project)).await;
            desk.journey.send(id, question).await;
            desk.journey.settled(id).await;
            let path = desk.journey.path(id).await;
            let said: String = path.iter().skip(1).map(text).collect();
            assert!("One.Two.Three.".starts_with(&said), "{n} {half}: {said}");
            let calls = path.iter().flat_map(|it| &it.parts);
            let calls = calls.filter(|it| matches!(it, Part::ToolCall { .. })).count();
            let results = path.iter().filter(|it| it.role == Role::Tool).count();
            assert_eq!(calls, results, "{n} {half}");
            let last = path.iter().rfind(|it| it.role == Role::Assistant).unwrap();
            // Of the agent's messages: two answers, then a piece, two about the call, a piece, two, a piece, the answer.
            let wanted = [
                "",
                "",
                "",
                "One.",
                "One.",
                "One.",
                "One.Two.",
                "One.Two.",
                "One.Two.",
                "One.Two.Three.",
            ];
            assert_eq!(said, *wanted.get(n - 1).unwrap_or(&"One.Two.Three."), "{n} {half}");
            match n {
                1..=10 => assert!(last.fault.is_some(), "{n} {half}"),
                _ => finished += 1,
            }
        }
    }
    assert_eq!(finished, 8);
    add(&desk.journey, "agent", &work.log, &[]).await.unwrap();
    let reply = desk.journey.ask(desk.id, "say Back.").await;
    assert_eq!(text(&reply), "Back.");
}

#[tokio::test]
async fn an_agent_that_takes_a_key_from_its_environment_is_told_to() {
    let work = Work::of(&["--login", "--key"]).await;
    let reply = work.desk.journey.ask(work.desk.id, "say In.").await;
    assert_eq!(text(&reply), "In.");
    assert_eq!(work.heard_of("authenticate")[0]["params"]["methodId"], "api-key");
}

#[tokio::test]
async fn what_cannot_be_started_says_what_to_do() {
    let work = Work::of(&["--login"]).await;
    let desk = &work.desk;
    let fault = async |question: &str| {
        desk.journey.send(desk.id, question).await;
        desk.journey.settled(desk.id).await;
        desk.journey.path(desk.id).await.pop().unwrap().fault.unwrap()
    };
    let unread = fault("say x").await;
    assert_eq!(unread.code, "key_refused");
    assert!(unread.message.contains("Log in with the agent's own program"), "{}", unread.message);

    add(&desk.journey, "agent", &work.log, &["--old"]).await.unwrap();
    assert_eq!(fault("say x").await.code, "provider_malformed");

    let add = async |command: &str| {
        let record = ProviderRecord {
            name: "agent".into(),
            kind: ProviderKind::Agent,
            base_url: command.into(),
        };
        desk.journey.app.provider_add(record).await
    };
    add("no-such-agent --acp").await.unwrap();
    let missing = fault("say x").await;
    assert_eq!(missing.code, "provider_unreachable");
    assert!(missing.message.contains("enter its whole path"), "{}", missing.message);
    // A project does not say what is started.
    write(&desk.journey.project, "tool", "#!/bin/sh\ntouch ran\n");
    let script = desk.journey.project.path().join("tool");
    executable(&script).unwrap();
    add("./tool").await.unwrap();
    assert_eq!(fault("say x").await.code, "provider_unreachable");
    assert_eq!(work.file("ran"), None);
    add("sh -c 'echo no JSON; exit 1'").await.unwrap();
    assert_eq!(fault("say x").await.code, "provider_unreachable");
    assert_eq!(add("'open").await.unwrap_err().code, Code::ProviderUnreachable);
}

#[tokio::test]
async fn nothing_of_a_project_that_asks_this_computer_alone_goes_to_an_agent() {
    let work = Work::of(&[]).await;
    let desk = &work.desk;
    let mut settings = desk.journey.app.settings_get(()).await.unwrap();
    settings.this_computer_only = true;
    desk.journey.app.settings_set(settings).await.unwrap();
    desk.journey.send(desk.id, "say x").await;
    desk.journey.settled(desk.id).await;
    let reply = desk.journey.path(desk.id).await.pop().unwrap();
    assert_eq!(reply.fault.unwrap().code, "provider_not_local");
    assert!(work.heard().is_empty());
}

#[tokio::test]
async fn outside_of_trusted_projects_an_agent_works_in_an_empty_folder() {
    let work = Work::of(&[]).await;
    let journey = &work.desk.journey;
    let folder = tempfile::TempDir::new().unwrap();
    std::fs::write(folder.path().join("secret.txt"), "secret").unwrap();
    let project = journey.open_as(folder.path(), Trust::Untrusted).await;
    for project in [None, Some(project)] {
        let id: ConversationId = journey.conversation(project).await;
        let reply = journey.ask(id, "read secret.txt\nsay Done.").await;
        assert_eq!(text(&reply), "Done.");
        let path = journey.path(id).await;
        assert!(!format!("{path:?}").contains("\"secret\""), "{path:?}");
    }
    for begun in work.heard_of("session/new") {
        let cwd = begun["params"]["cwd"].as_str().unwrap().to_owned();
        assert_ne!(cwd, folder.path().display().to_string());
        until("the empty folder to go", async || !PathBuf::from(&cwd).exists()).await;
    }
}

#[tokio::test]
async fn the_asking_mode_is_set_and_a_model_of_the_agents_can_be_chosen() {
    let work = Work::of(&["--modes", "auto,default,plan", "--models", "big,small"]).await;
    let desk = &work.desk;
    let models = desk.journey.app.provider_models(ProviderRef { name: "agent".into() }).await;
    let ids: Vec<String> = models.unwrap().into_iter().map(|it| it.id).collect();
    assert_eq!(ids, ["default", "big", "small"]);
    assert!(work.prompts().is_empty());
    let choice = DefaultModel { provider: "agent".into(), model: "small".into() };
    desk.journey.app.provider_default(choice).await.unwrap();
    desk.journey.ask(desk.id, "say x").await;
    assert_eq!(work.heard_of("session/set_mode").last().unwrap()["params"]["modeId"], "default");
    let set = work.heard_of("session/set_config_option");
    assert_eq!(
        (&set[0]["params"]["configId"], &set[0]["params"]["value"]),
        (&json!("the-model"), &json!("small"))
    );

    let work = Work::of(&["--options", "auto,read-only"]).await;
    work.desk.journey.ask(work.desk.id, "say x").await;
    let set = work.heard_of("session/set_config_option");
    assert_eq!(
        (&set[0]["params"]["configId"], &set[0]["params"]["value"]),
        (&json!("the-mode"), &json!("read-only"))
    );
    let choice = DefaultModel { provider: "agent".into(), model: "gone".into() };
    work.desk.journey.app.provider_default(choice).await.unwrap();
    work.desk.journey.send(work.desk.id, "say x").await;
    work.desk.journey.settled(work.desk.id).await;
    let reply = work.desk.journey.path(work.desk.id).await.pop().unwrap();
    assert_eq!(reply.fault.unwrap().code, "model_not_found");
}

/// What the agent told at a place.
async fn told(journey: &Journey, place: Option<ProjectId>) -> Told {
    let all = journey.app.provider_list(()).await.unwrap();
    let agent = all.into_iter().find(|it| it.name == "agent").unwrap();
    let at = agent.offers.into_iter().find(|it| it.project_id == place);
    at.map(|it| it.told).unwrap_or_default()
}

#[tokio::test]
async fn a_command_of_the_agents_goes_alone_and_is_shown_so() {
    for early in [&["--commands", "review,init"][..], &["--commands", "review,init", "--early"]] {
        let work = Work::of(early).await;
        let Desk { journey, id, project, .. } = &work.desk;
        journey.ask(*id, "say Before.").await;
        assert_eq!(work.prompts().len(), 1, "it said what it offers when it was asked");
        let commands = told(journey, Some(*project)).await.commands.unwrap();
        let named: Vec<_> =
            commands.iter().map(|it| (it.name.as_str(), it.hint.as_str())).collect();
        assert_eq!(named, [("review", "what"), ("init", "what")]);

        let preview = work.desk.preview("/review src and docs").await;
        let kinds: Vec<SectionKind> = preview.sections.iter().map(|it| it.kind).collect();
        assert_eq!(kinds, [SectionKind::Draft]);
        assert_eq!(preview.tokens, preview.sections[0].tokens);
        let left = |source: &str| preview.left_out.iter().find(|it| it.source == source);
        assert_eq!(left("AGENTS.md").unwrap().why, LeftOutWhy::AgentCommand);
        let earlier = preview.left_out.iter().filter(|it| it.source == "conversation");
        assert!(earlier.count() >= 2, "{:?}", preview.left_out);
        assert_eq!(preview.missing_constraints, []);

        let reply = journey.ask(*id, "/review src and docs").await;
        assert_eq!(text(&reply), "review of 1: src and docs");
        assert_eq!(work.prompts()[1], "/review src and docs");
        let sent = TurnRef { id: work.turn().await };
        let sent = journey.app.request_sent(sent).await.unwrap();
        assert_eq!(sent.sections.len(), 1);
        assert!(sent.left_out.iter().any(|it| it.why == LeftOutWhy::AgentCommand));
        // Elsewhere it is not known: a project may have commands of its own.
        assert_eq!(told(journey, None).await, Told::default());
        // What only looks like one is a message as any other.
        for message in ["/reviewer src", "/other", "see /review"] {
            let preview = work.desk.preview(message).await;
            assert!(preview.sections.len() > 2, "{message}");
        }
        // Another command starts another agent: what this one offers is not known.
        add(journey, "agent", &work.log, &[]).await.unwrap();
        assert_eq!(told(journey, Some(*project)).await, Told::default());
        assert!(work.desk.preview("/review src").await.sections.len() > 2);
    }
}

#[tokio::test]
async fn nothing_goes_before_a_command_and_nothing_is_used_up_by_it() {
    let work = Work::of(&["--commands", "review", "--pictures"]).await;
    let Desk { journey, id, .. } = &work.desk;
    journey.ask(*id, "say Before.").await;
    // A picture goes along, behind it.
    let picture = journey.attach(*id, "p.gif", PICTURE).await;
    journey.send_with(*id, "/review p.gif", &[&picture]).await;
    journey.settled(*id).await;
    let blocks = work.heard_of("session/prompt")[1]["params"]["prompt"].clone();
    assert_eq!(blocks[0]["text"], "/review p.gif", "{blocks}");
    assert_eq!((blocks[1]["type"].as_str(), blocks.as_array().unwrap().len()), (Some("image"), 2));
    // What is left out of the next request is left out of the next one that has anything to leave out.
    journey.want(*id, "memory:AGENTS.md", Some(Wish::LeftOut)).await;
    journey.ask(*id, "/review src").await;
    let left = |preview: &RequestView| {
        preview.left_out.iter().any(|it| it.source == "AGENTS.md" && it.why == LeftOutWhy::ByYou)
    };
    assert!(left(&work.desk.preview("say And now?").await));
    journey.ask(*id, "say And now?").await;
    assert!(!left(&work.desk.preview("say And then?").await));
    // So is what is told of a restore.
    let project = work.desk.project;
    let made = create(&journey.app, project, Some(*id), Some("before")).await;
    write(&journey.project, "docs/setup.md", "Another port.\n");
    let planned = plan(&journey.app, made.id, FILES).await;
    restore(&journey.app, &planned, Vec::new()).await;
    let told_of = |preview: &RequestView| {
        preview.sections.iter().any(|it| it.text.contains("went back to the checkpoint"))
    };
    assert!(told_of(&work.desk.preview("say And now?").await));
    journey.ask(*id, "/review src").await;
    assert!(told_of(&work.desk.preview("say And now?").await));
    // A request that the design writes as one message is none for a command.
    let strict = SetFolding {
        conversation_id: *id,
        policy: Some(Policy::Rolling),
        rate: None,
        strict: Some(true),
        recall: None,
    };
    journey.app.folding_set(strict).await.unwrap();
    let preview = work.desk.preview("/review src").await;
    assert_eq!(preview.sections.len(), 1);
    assert_eq!(preview.sections[0].text, "/review src");
    journey.ask(*id, "/review src").await;
    assert_eq!(work.prompts().last().unwrap(), "/review src");
}

/// What an agent told is known until it tells another thing: also where it has nothing to say of it in a later session.
#[tokio::test]
async fn what_an_agent_offers_is_not_forgotten_while_it_works() {
    let work = Work::of(&["--commands", "review", "--modes", "default,plan", "--once"]).await;
    let Desk { journey, id, project, .. } = &work.desk;
    journey.ask(*id, "say Before.").await;
    let known = told(journey, Some(*project)).await;
    assert_eq!(known.commands.as_ref().unwrap().len(), 1);
    journey.ask(*id, "say After.").await;
    assert_eq!(told(journey, Some(*project)).await, known);
    assert_eq!(work.heard_of("session/new").len(), 2);
    // What it told in a project holds there while that is trusted: elsewhere it works in an empty folder.
    let alone = async || work.desk.preview("/review src").await.sections.len() == 1;
    assert!(alone().await);
    let trust = |trust| TrustProject { id: *project, trust };
    journey.app.project_trust(trust(Trust::Untrusted)).await.unwrap();
    assert!(!alone().await);
}

#[tokio::test]
async fn an_agent_works_in_the_mode_that_was_chosen_for_it_and_in_no_other() {
    let options = ["--modes", "auto,default,plan"];
    let work = Work::of(&options).await;
    let Desk { journey, id, .. } = &work.desk;
    let name = ProviderRef { name: "agent".into() };
    journey.app.provider_models(name).await.unwrap();
    let modes = told(journey, None).await.modes.unwrap();
    let asks: Vec<_> = modes.iter().map(|it| (it.id.as_str(), it.asks)).collect();
    assert_eq!(asks, [("auto", false), ("default", true), ("plan", false)]);
    let choose = async |agent: &str, mode: &str| {
        let mode = Some(ChosenMode { agent: agent.into(), id: mode.into() });
        let tuning = Tuning { mode, ..Tuning::default() };
        journey.app.conversation_tune(TuneConversation { id: *id, tuning }).await.unwrap();
    };
    assert_eq!(work.desk.preview("mode").await.mode, None);
    assert_eq!(text(&journey.ask(*id, "mode").await), "In default.");
    choose("agent", "plan").await;
    assert_eq!(work.desk.preview("mode").await.mode.as_deref(), Some("plan"));
    assert_eq!(text(&journey.ask(*id, "mode").await), "In plan.");
    // It is written down with what was sent.
    let sent = TurnRef { id: work.turn().await };
    let tuning = journey.app.request_sent(sent).await.unwrap().tuning;
    assert_eq!(tuning.mode_of("agent"), Some("plan"));
    // Of another agent it says nothing.
    choose("another", "plan").await;
    assert_eq!(text(&journey.ask(*id, "mode").await), "In default.");
    // One that is gone is no reason to work in another.
    choose("agent", "gone").await;
    let prompts = work.prompts().len();
    journey.send(*id, "mode").await;
    journey.settled(*id).await;
    let fault = journey.path(*id).await.pop().unwrap().fault.unwrap();
    assert!(fault.message.contains("no mode gone"), "{fault:?}");
    assert_eq!(work.prompts().len(), prompts);
    // A conversation that comes from elsewhere chooses none here.
    let export = ExportConversation { id: *id, format: ExportFormat::Json, as_is: false };
    let text = journey.app.conversation_export(export).await.unwrap().text;
    let import = ImportConversation { text, name: String::new(), project_id: None };
    let copy = journey.app.conversation_import(import).await.unwrap().item.id;
    assert_eq!(journey.detail(copy).await.tuning.mode, None);
}

#[tokio::test]
async fn an_agent_may_look_things_up_where_the_project_allows_it_and_that_is_shown_before() {
    let data = tempfile::TempDir::new().unwrap();
    let silt = std::path::Path::new("/usr/bin/silt");
    let programs = Programs::new().with_server(Some(silt), data.path());
    let work = Work::among(&[], Arc::new(programs)).await;
    let Desk { journey, project, id, .. } = &work.desk;
    assert!(!journey.preview(*id, "say Hi.").await.looks_up);
    journey.ask(*id, "say Hi.").await;
    journey.allow_others(*project).await;
    assert!(journey.preview(*id, "say Hi.").await.looks_up);
    journey.ask(*id, "say Hi.").await;
    let folder = journey.project.path().canonicalize().unwrap();
    let args = [
        "--data-dir",
        data.path().to_str().unwrap(),
        "mcp",
        "serve",
        "--project",
        folder.to_str().unwrap(),
    ];
    let offered: Vec<Value> =
        work.heard_of("session/new").iter().map(|it| it["params"]["mcpServers"].clone()).collect();
    let server = json!({"name": "siltstone", "command": "/usr/bin/silt", "args": args, "env": []});
    assert_eq!(offered, [json!([]), json!([server])]);
    // A model has no use for it.
    let choice = DefaultModel { provider: "work".into(), model: "scripted".into() };
    let chosen = journey.app.provider_default(choice).await;
    assert!(chosen.is_err() || !journey.preview(*id, "Hi.").await.looks_up);
}

#[tokio::test]
async fn pictures_go_to_an_agent_that_reads_them_and_one_that_does_not_is_known_by_then() {
    let work = Work::of(&["--pictures"]).await;
    let Desk { journey, id, .. } = &work.desk;
    let picture = journey.attach(*id, "plan.gif", PICTURE).await;
    let view = journey.preview(*id, "say Seen.").await;
    assert!(view.left_out.iter().all(|it| it.why != LeftOutWhy::NotTaken));
    journey.send_with(*id, "say Seen.", &[&picture]).await;
    journey.settled(*id).await;
    assert_eq!(text(&journey.path(*id).await[1]), "Seen.");
    let sent = work.heard_of("session/prompt").pop().unwrap()["params"]["prompt"].clone();
    let blocks = sent.as_array().unwrap();
    let shown = json!({"type": "image", "mimeType": "image/gif", "data": to_base64(PICTURE)});
    assert_eq!(blocks[blocks.len() - 2], shown);
    assert!(blocks.last().unwrap()["text"].as_str().unwrap().contains("say Seen."));

    // What an agent does not read it is not asked with; the next request says that the picture stays out.
    let work = Work::of(&[]).await;
    let Desk { journey, id, .. } = &work.desk;
    let picture = journey.attach(*id, "plan.gif", PICTURE).await;
    journey.send_with(*id, "say Blind.", &[&picture]).await;
    journey.settled(*id).await;
    let failed = journey.path(*id).await.pop().unwrap();
    assert!(failed.fault.unwrap().message.contains("reads no pictures"));
    assert!(work.heard_of("session/prompt").is_empty());
    let view = journey.preview(*id, "say Still.").await;
    assert!(view.left_out.iter().any(|it| it.why == LeftOutWhy::NotTaken), "{:?}", view.left_out);
    let reply = journey.ask(*id, "say Still.").await;
    assert_eq!(text(&reply), "Still.");
}

#[tokio::test]
async fn an_agent_is_asked_for_no_summary_and_no_title() {
    let work = Work::of(&[]).await;
    let desk = &work.desk;
    let long = format!("say {}", "The importer reads rows of the table. ".repeat(60));
    for _ in 0..4 {
        desk.journey.ask(desk.id, &long).await;
    }
    let before = work.heard_of("session/new").len();
    desk.journey.app.summary_run(ConversationRef { id: desk.id }).await.unwrap();
    until("the summary", async || {
        let panel = desk.journey.app.summary_list(ConversationRef { id: desk.id }).await.unwrap();
        panel.busy.is_none() && !panel.records.is_empty()
    })
    .await;
    assert_eq!(work.heard_of("session/new").len(), before);
}
