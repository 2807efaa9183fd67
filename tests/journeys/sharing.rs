//! Memory in the files that other agents read: what was agreed to stands there, what is only proposed does not, and nothing
//! outside of the block changes.

use std::fs;
use std::path::Path;

use siltstone_contract::{
    AcceptInbox, AddMemory, ChangeWorkflow, Code, LineRef, LookShare, MemoryAt, OpenProject,
    PreviewRequest, ProjectRef, ProposeLine, ShareState, ShareWish, SharedFile, ToolsAt,
    WriteShare,
};
use siltstone_engine::ids::ProjectId;
use siltstone_engine::memory::{Share, ShareFile};
use siltstone_engine::project::Trust;
use siltstone_engine::workflow::{DecisionOrigin, WorkflowChange};

use crate::world::{Journey, write};

const OWN: &str = "# Rules\n\nNever break the public API.\n";

const KEPT: Option<Share> = Some(Share { global: false, text: false });

fn says(journey: &Journey, file: ShareFile) -> String {
    fs::read_to_string(journey.project.path().join(file.path())).unwrap_or_default()
}

/// Keeps memory in files, or takes it out, as it is shown.
async fn keep(journey: &Journey, project_id: ProjectId, files: &[ShareFile], how: Option<Share>) {
    let files = files.iter().map(|file| ShareWish { file: *file, how }).collect();
    let plans = journey.app.share_look(LookShare { project_id, files }).await.unwrap();
    journey.app.share_write(WriteShare { project_id, plans }).await.unwrap();
}

async fn remember(journey: &Journey, project_id: Option<ProjectId>, text: &str) -> LineRef {
    let line = AddMemory { project_id, conversation_id: None, text: text.into(), source: None };
    LineRef { id: journey.app.memory_add(line).await.unwrap().id }
}

async fn decide(journey: &Journey, project_id: ProjectId, text: &str) {
    let change = WorkflowChange::AddDecision {
        text: text.into(),
        source: None,
        origin: DecisionOrigin::Person,
    };
    let change = ChangeWorkflow { project_id, change, reset: false };
    journey.app.workflow_change(change).await.unwrap();
}

async fn listed(journey: &Journey, id: ProjectId, file: ShareFile) -> SharedFile {
    let all = journey.app.share_list(ProjectRef { id }).await.unwrap();
    all.into_iter().find(|it| it.file == file).unwrap()
}

/// What a request carries of memory.
async fn sent(journey: &Journey, project: ProjectId) -> String {
    let conversation = journey.conversation(Some(project)).await;
    let (conversation_id, draft) = (conversation, "Hello".into());
    let request = PreviewRequest { conversation_id, draft, context: None, model: None };
    let sections = journey.app.request_preview(request).await.unwrap().sections;
    sections.into_iter().map(|it| it.text).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn what_was_agreed_to_stands_in_the_files_of_agents_and_follows_until_it_is_taken_out() {
    let journey = Journey::offline();
    let project = journey.open(Trust::Trusted).await;
    let line = remember(&journey, Some(project), "Use pnpm.").await;
    remember(&journey, None, "Answer in Korean.").await;
    decide(&journey, project, "The database listens on port 5433.").await;
    let files = [ShareFile::Agents, ShareFile::Claude, ShareFile::Copilot, ShareFile::Cursor];
    keep(&journey, project, &files, KEPT).await;
    for file in files {
        let text = says(&journey, file);
        assert!(!text.contains("Answer in Korean."), "of no project: {text}");
        match file {
            ShareFile::Claude => assert!(text.contains("\n@AGENTS.md\n"), "{text}"),
            _ => {
                assert!(text.contains("- Use pnpm.") && text.contains("port 5433."), "{text}");
            }
        }
        assert_eq!(listed(&journey, project, file).await.state, ShareState::Current);
    }
    assert!(says(&journey, ShareFile::Agents).starts_with(OWN));
    assert!(says(&journey, ShareFile::Cursor).contains("alwaysApply: true"));
    // Copilot knows no imports, and does not read what the project itself says elsewhere.
    assert!(says(&journey, ShareFile::Copilot).contains("Never break the public API."));
    // What is in the block is said once, and nobody is asked about it.
    let request = sent(&journey, project).await;
    assert_eq!(request.matches("Use pnpm.").count(), 1, "{request}");
    assert!(!request.contains("siltstone:begin"), "{request}");
    let changes = journey.app.memory_changes(ProjectRef { id: project }).await.unwrap();
    assert_eq!(changes, []);

    // What is only proposed stands nowhere; accepted, it does, and removed, it does not.
    let proposed = ProposeLine {
        project_id: Some(project),
        from: "codex".into(),
        text: "Skip the tests.".into(),
        why: String::new(),
        evidence: Vec::new(),
        for_all_projects: false,
    };
    journey.app.agent_propose(proposed).await.unwrap();
    assert!(!says(&journey, ShareFile::Agents).contains("Skip the tests."));
    let item =
        journey.app.inbox_list(ToolsAt { project_id: Some(project) }).await.unwrap().remove(0);
    let accept = AcceptInbox { id: item.id, text: "Run the tests.".into(), global: false };
    journey.app.inbox_accept(accept).await.unwrap();
    journey.app.memory_remove(line).await.unwrap();
    for file in [ShareFile::Agents, ShareFile::Copilot, ShareFile::Cursor] {
        let text = says(&journey, file);
        assert!(text.contains("- Run the tests.") && !text.contains("pnpm"), "{text}");
    }

    // Its own words change outside of the block, and stay.
    let own = format!("{OWN}\nMore of our own.\n");
    write(&journey.project, "AGENTS.md", &says(&journey, ShareFile::Agents).replace(OWN, &own));
    journey.agree(project).await;
    decide(&journey, project, "Ship on Friday.").await;
    let text = says(&journey, ShareFile::Agents);
    assert!(text.starts_with(&own) && text.contains("Ship on Friday."), "{text}");

    keep(&journey, project, &files, None).await;
    assert_eq!(says(&journey, ShareFile::Agents), own);
    for made in [ShareFile::Claude, ShareFile::Copilot, ShareFile::Cursor] {
        assert!(!journey.project.path().join(made.path()).exists(), "{made:?}");
    }
    remember(&journey, Some(project), "Later.").await;
    assert_eq!(says(&journey, ShareFile::Agents), own);
}

#[tokio::test]
async fn what_is_written_into_the_block_by_hand_comes_back_as_a_proposal() {
    let journey = Journey::offline();
    let project = journey.open(Trust::Trusted).await;
    remember(&journey, Some(project), "Use pnpm.").await;
    keep(&journey, project, &[ShareFile::Agents], KEPT).await;
    let edited =
        says(&journey, ShareFile::Agents).replace("- Use pnpm.", "- Use pnpm.\n- 탭을 쓴다");
    write(&journey.project, "AGENTS.md", &edited);
    let file = listed(&journey, project, ShareFile::Agents).await;
    assert_eq!((file.state, file.by_hand), (ShareState::Edited, vec!["탭을 쓴다".to_owned()]));
    assert!(!sent(&journey, project).await.contains("탭을 쓴다"));

    let at = MemoryAt { project_id: Some(project), conversation_id: None, dir: None };
    journey.app.memory_refresh(at).await.unwrap();
    assert!(!says(&journey, ShareFile::Agents).contains("탭을 쓴다"));
    let waiting = journey.app.inbox_list(ToolsAt { project_id: Some(project) }).await.unwrap();
    let told: Vec<(&str, Option<&str>)> =
        waiting.iter().map(|it| (it.text.as_str(), it.from.as_deref())).collect();
    assert_eq!(told, [("탭을 쓴다", Some("AGENTS.md"))]);
    let accept = AcceptInbox { id: waiting[0].id, text: "탭을 쓴다".into(), global: false };
    journey.app.inbox_accept(accept).await.unwrap();
    assert!(says(&journey, ShareFile::Agents).contains("- 탭을 쓴다"));
}

#[tokio::test]
async fn files_that_somebody_else_changed_are_left_to_the_person() {
    let journey = Journey::offline();
    let project = journey.open(Trust::Trusted).await;
    keep(&journey, project, &[ShareFile::Agents, ShareFile::Gemini], KEPT).await;
    let gemini = says(&journey, ShareFile::Gemini);

    // Outside of the block: the person is asked first.
    let other = says(&journey, ShareFile::Agents).replace("Never break", "Always break");
    write(&journey.project, "AGENTS.md", &other);
    remember(&journey, Some(project), "Use pnpm.").await;
    assert_eq!(says(&journey, ShareFile::Agents), other);
    assert_eq!(listed(&journey, project, ShareFile::Agents).await.state, ShareState::Waits);
    let look = |file, how| LookShare { project_id: project, files: vec![ShareWish { file, how }] };
    let refused = journey.app.share_look(look(ShareFile::Agents, KEPT)).await.unwrap_err();
    assert_eq!(refused.code, Code::Conflict);
    journey.agree(project).await;
    remember(&journey, Some(project), "Use tabs.").await;
    assert!(says(&journey, ShareFile::Agents).contains("- Use tabs."));

    // The block is gone: it is not put there again by itself.
    write(&journey.project, "GEMINI.md", "# Mine\n");
    journey.agree(project).await;
    remember(&journey, Some(project), "Use spaces.").await;
    assert_eq!(says(&journey, ShareFile::Gemini), "# Mine\n");
    assert_eq!(listed(&journey, project, ShareFile::Gemini).await.state, ShareState::Gone);

    // Two blocks: none is written over.
    write(&journey.project, "GEMINI.md", &gemini.repeat(2));
    journey.agree(project).await;
    assert_eq!(listed(&journey, project, ShareFile::Gemini).await.state, ShareState::Broken);
    let refused = journey.app.share_look(look(ShareFile::Gemini, None)).await.unwrap_err();
    assert!(refused.message.contains("GEMINI.md"), "{refused:?}");

    // Shown, and another by the time it is written.
    let plans = journey.app.share_look(look(ShareFile::Claude, KEPT)).await.unwrap();
    write(&journey.project, "CLAUDE.md", "# Here first\n");
    let late =
        journey.app.share_write(WriteShare { project_id: project, plans }).await.unwrap_err();
    assert_eq!(late.code, Code::Conflict);
    assert_eq!(says(&journey, ShareFile::Claude), "# Here first\n");
}

#[tokio::test]
async fn what_stays_here_is_in_no_file_of_an_agent() {
    let journey = Journey::offline();
    let secret = ["ghp", "_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let project = journey.open(Trust::Trusted).await;
    remember(&journey, Some(project), &format!("Log in with {secret}.")).await;
    keep(&journey, project, &[ShareFile::Agents], KEPT).await;
    let text = says(&journey, ShareFile::Agents);
    assert!(!text.contains(&secret) && text.contains("Log in with"), "{text}");

    let open = |folder: &Path, trust| OpenProject {
        path: folder.display().to_string(),
        trust: Some(trust),
        this_computer_only: Some(trust == Trust::Trusted),
        seen: Vec::new(),
    };
    let look = || LookShare {
        project_id: project,
        files: vec![ShareWish { file: ShareFile::Gemini, how: KEPT }],
    };
    for trust in [Trust::Trusted, Trust::Untrusted] {
        journey.app.project_open(open(journey.project.path(), trust)).await.unwrap();
        assert_eq!(journey.app.share_look(look()).await.unwrap_err().code, Code::Conflict);
        remember(&journey, Some(project), "Not for others.").await;
        assert_eq!(says(&journey, ShareFile::Agents), text);
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_of_two_names_has_one_block() {
    let journey = Journey::offline();
    let root = journey.project.path();
    std::os::unix::fs::symlink("AGENTS.md", root.join("CLAUDE.md")).unwrap();
    let project = journey.open(Trust::Trusted).await;
    remember(&journey, Some(project), "Use pnpm.").await;
    let files = [ShareFile::Agents, ShareFile::Claude].map(|file| ShareWish { file, how: KEPT });
    let both = LookShare { project_id: project, files: files.to_vec() };
    let refused = journey.app.share_look(both).await.unwrap_err();
    assert!(refused.message.starts_with("CLAUDE.md is AGENTS.md"), "{refused:?}");
    keep(&journey, project, &[ShareFile::Agents], KEPT).await;
    decide(&journey, project, "Port 5433.").await;
    let text = says(&journey, ShareFile::Agents);
    assert!(text.contains("Port 5433.") && !text.contains("From CLAUDE.md"), "{text}");
    // What was saved under one name is not asked about under the other.
    let changes = journey.app.memory_changes(ProjectRef { id: project }).await.unwrap();
    assert_eq!(changes, []);
    keep(&journey, project, &[ShareFile::Agents], None).await;
    assert_eq!(says(&journey, ShareFile::Claude), OWN);
}
