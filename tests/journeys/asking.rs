//! Asking the offline model: it quotes what is there, word for word, and reads nothing it may not.

use siltstone_contract::{PreviewRequest, TurnRef};
use siltstone_engine::message::MessageStatus;
use siltstone_engine::project::Trust;
use siltstone_engine::section::{LeftOutWhy, SectionKind};

use crate::world::{Journey, text, write};

#[tokio::test]
async fn the_offline_model_quotes_the_project_with_a_link_in_both_languages() {
    let journey = Journey::offline();
    let project = journey.open(Trust::Trusted).await;
    let id = journey.conversation(Some(project)).await;

    let english = journey.ask(id, "Which port does the database listen on?").await;
    assert_eq!(english.status, MessageStatus::Complete);
    assert!(text(&english).contains("The database listens on port 5433."), "{}", text(&english));
    assert!(text(&english).contains("silt:file/docs/setup.md?line="), "{}", text(&english));

    let korean = journey.ask(id, "데이터베이스 포트는 몇 번인가요?").await;
    assert!(text(&korean).contains("데이터베이스 포트는 5433번입니다."), "{}", text(&korean));

    let secret = journey.ask(id, "What is the SECRET_TOKEN?").await;
    assert!(!text(&secret).contains("do-not-read-me"), "{}", text(&secret));
}

#[tokio::test]
async fn a_changed_file_is_quoted_as_it_is_now() {
    let journey = Journey::offline();
    let project = journey.open(Trust::Trusted).await;
    let id = journey.conversation(Some(project)).await;
    journey.ask(id, "Which port does the database listen on?").await;

    write(&journey.project, "docs/setup.md", "# Setup\n\nThe database now listens on port 6000.\n");
    std::fs::remove_file(journey.project.path().join("docs/설치.md")).unwrap();
    let id = journey.conversation(Some(project)).await;
    let reply = journey.ask(id, "Which port does the database listen on?").await;
    assert!(
        text(&reply).contains("port 6000") && !text(&reply).contains("5433"),
        "{}",
        text(&reply)
    );
}

#[tokio::test]
async fn an_untrusted_folder_puts_nothing_into_a_request_and_the_request_says_so() {
    let journey = Journey::offline();
    let project = journey.open(Trust::Untrusted).await;
    let id = journey.conversation(Some(project)).await;
    let preview = PreviewRequest {
        conversation_id: id,
        draft: "Which port?".into(),
        context: None,
        model: None,
    };
    let view = journey.app.request_preview(preview).await.unwrap();
    assert!(
        view.sections
            .iter()
            .all(|section| { !matches!(section.kind, SectionKind::Memory | SectionKind::Passage) })
    );
    assert_eq!(view.left_out[0].source, "AGENTS.md");
    assert_eq!(view.left_out[0].why, LeftOutWhy::Untrusted);

    let reply = journey.ask(id, "Which port does the database listen on?").await;
    assert!(!text(&reply).contains("5433"), "{}", text(&reply));
}

#[tokio::test]
async fn what_was_sent_is_what_the_preview_showed_and_marks_what_changed_since() {
    let journey = Journey::offline();
    let project = journey.open(Trust::Trusted).await;
    let id = journey.conversation(Some(project)).await;
    journey.ask(id, "Which port does the database listen on?").await;
    let question = "And may the public API break?";
    let preview =
        PreviewRequest { conversation_id: id, draft: question.into(), context: None, model: None };
    let preview = journey.app.request_preview(preview).await.unwrap();
    let reply = journey.ask(id, question).await;
    let turn = TurnRef { id: reply.turn_id.unwrap() };

    let sent = journey.app.request_sent(turn.clone()).await.unwrap();
    let shown: Vec<&str> = preview.sections.iter().map(|section| section.text.as_str()).collect();
    let rebuilt: Vec<&str> =
        sent.sections.iter().map(|section| section.text.as_deref().unwrap_or("?")).collect();
    assert_eq!(shown, rebuilt);
    assert_eq!((sent.tokens, sent.budget), (preview.tokens, preview.budget));

    write(&journey.project, "AGENTS.md", "# Rules\n\nBreak everything.\n");
    journey.agree(project).await;
    let later = journey.app.request_sent(turn).await.unwrap();
    let changed: Vec<&str> = later
        .sections
        .iter()
        .filter(|section| section.changed_since)
        .map(|section| section.section.source.as_str())
        .collect();
    assert!(
        !changed.is_empty() && changed.iter().all(|source| source.starts_with("AGENTS.md")),
        "{changed:?}"
    );
}
