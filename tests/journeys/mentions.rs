//! Files that a message names with `@`: they are offered, go with it as sections of their own, and are the current file.

use siltstone_contract::{
    BroughtContext, ContextEntry, EditMessage, ListPaths, Regenerate, SendMessage, Sent,
    SentRequestView, TurnRef,
};
use siltstone_engine::context::VolatilePolicy;
use siltstone_engine::ids::{ConversationId, ProjectId};
use siltstone_engine::mention::Lines;
use siltstone_engine::project::Trust;
use siltstone_engine::section::{LeftOut, LeftOutWhy, Reason, SectionKind};

use crate::scripted::{Latch, Scripted, Step};
use crate::summaries::journey_with;
use crate::world::{Journey, write};

const LINE_3: Option<Lines> = Some(Lines { first: 3, last: 3 });

async fn journey() -> Journey {
    journey_held_at(Latch::default()).await
}

/// Where the answer to a greeting waits.
async fn journey_held_at(latch: Latch) -> Journey {
    let model = Scripted::answering(move |request| {
        let hello = request.sections.last().is_some_and(|draft| draft.text == "Hello");
        let pause = hello.then(|| Step::Until(latch.clone()));
        pause.into_iter().chain([Step::Say("Yes."), Step::Finish]).collect()
    });
    journey_with(&model, |_| {}).await
}

/// What was sent for the reply that is shown last.
async fn sent(journey: &Journey, id: ConversationId) -> SentRequestView {
    journey.settled(id).await;
    let turn = journey.path(id).await.pop().unwrap().turn_id.unwrap();
    journey.app.request_sent(TurnRef { id: turn }).await.unwrap()
}

/// Place and text of the files that were sent, and what was known of the place of work.
fn files(sent: &SentRequestView) -> (Vec<(&str, &str)>, &str) {
    let of = |kind| sent.sections.iter().filter(move |it| it.section.kind == kind);
    assert!(of(SectionKind::Passage).all(|it| !it.changed_since));
    let files = of(SectionKind::Passage)
        .map(|it| (it.section.source.as_str(), it.text.as_deref().unwrap()))
        .collect();
    let volatile = of(SectionKind::VolatileContext).next().unwrap().text.as_deref().unwrap();
    (files, volatile)
}

fn left(left_out: &[LeftOut]) -> Vec<(&str, LeftOutWhy)> {
    left_out.iter().map(|left| (left.source.as_str(), left.why)).collect()
}

async fn offered(journey: &Journey, project_id: ProjectId, query: &str) -> Vec<String> {
    let request = ListPaths { project_id, query: query.into(), limit: 3 };
    let hits = journey.app.project_paths(request).await.unwrap();
    hits.into_iter().map(|hit| hit.path).collect()
}

#[tokio::test]
async fn a_named_file_goes_with_the_message_and_one_that_may_not_says_why() {
    let journey = journey().await;
    let project = journey.open(Trust::Trusted).await;
    let id = journey.conversation(Some(project)).await;
    let text = "Is @docs/설치.md를 like @docs/setup.md:3? Not @.env, @../x or @nobody.";
    let before = journey.preview(id, text).await;
    let expected = [(".env", LeftOutWhy::NeverSent), ("../x", LeftOutWhy::Outside)];
    assert_eq!(left(&before.left_out), expected);

    journey.send(id, text).await;
    let after = sent(&journey, id).await;
    let shown: Vec<&str> = before.sections.iter().map(|section| section.text.as_str()).collect();
    let went: Vec<&str> = after.sections.iter().map(|it| it.text.as_deref().unwrap()).collect();
    assert_eq!(shown, went, "what is shown before is what goes");
    let (named, volatile) = files(&after);
    let setup = ("docs/setup.md:3-3", "The database listens on port 5433.");
    let install = ("docs/설치.md", "# 설치\n\n데이터베이스 포트는 5433번입니다.\n");
    assert_eq!(named, [install, setup]);
    let [.., second] =
        before.sections.iter().filter(|it| it.kind == SectionKind::Passage).collect::<Vec<_>>()[..]
    else {
        panic!("no file")
    };
    assert_eq!(second.reason, Reason::Mentioned { lines: LINE_3 });
    assert_eq!(second.link.as_deref(), Some("silt:file/docs/setup.md?line=3"));
    assert!(
        volatile.contains("\ncurrentFile: docs/setup.md\nselection: docs/setup.md:3-3\n"),
        "{volatile}"
    );

    write(&journey.project, "docs/setup.md", "# Setup\n\nIt moved.\n");
    let changed = sent(&journey, id).await;
    let setup =
        changed.sections.iter().find(|it| it.section.source == "docs/setup.md:3-3").unwrap();
    assert!(setup.changed_since && setup.text.is_none());
}

#[tokio::test]
async fn queued_edited_and_regenerated_messages_bring_their_files_too() {
    let latch = Latch::default();
    let journey = journey_held_at(latch.clone()).await;
    let project = journey.open(Trust::Trusted).await;
    let id = journey.conversation(Some(project)).await;
    let named = |sent: &SentRequestView| {
        files(sent).0.into_iter().map(|it| it.0.to_owned()).collect::<Vec<_>>()
    };
    journey.send(id, "Hello").await;
    let queued = journey.send(id, "And @docs/setup.md?").await;
    assert!(matches!(queued, Sent::Queued { .. }), "the first reply takes its time");
    latch.open();
    let first = sent(&journey, id).await;
    assert_eq!(named(&first), ["docs/setup.md"]);
    assert!(files(&first).1.contains("\ncurrentFile: docs/setup.md\n"));

    let path = journey.path(id).await;
    let text = "And @AGENTS.md?".into();
    let edit = EditMessage { id: path[2].id, text, attachments: None, context: None };
    journey.app.edit(edit).await.unwrap();
    assert_eq!(named(&sent(&journey, id).await), ["AGENTS.md"]);

    // The file that the request itself names is the current one.
    let file = ContextEntry { key: "currentFile".into(), value: "src/open.rs".into() };
    let context =
        Some(BroughtContext { entries: vec![file], policy: VolatilePolicy::RequestAlone });
    let reply = journey.path(id).await[3].id;
    journey
        .app
        .regenerate(Regenerate { id: reply, context: context.clone(), model: None })
        .await
        .unwrap();
    let again = sent(&journey, id).await;
    assert_eq!(named(&again), ["AGENTS.md"]);
    assert!(files(&again).1.contains("\ncurrentFile: src/open.rs\n"));

    let id_of_question = journey.path(id).await[2].id;
    let text = "And now?".into();
    let edit = EditMessage { id: id_of_question, text, attachments: None, context };
    journey.app.edit(edit).await.unwrap();
    let edited = sent(&journey, id).await;
    assert!(files(&edited).1.contains("\ncurrentFile: src/open.rs\n"));
    assert!(named(&edited).is_empty());
}

#[tokio::test]
async fn an_untrusted_folder_offers_nothing_and_sends_nothing_of_what_is_named() {
    let journey = journey().await;
    let project = journey.open(Trust::Untrusted).await;
    let id = journey.conversation(Some(project)).await;
    assert_eq!(offered(&journey, project, "setup").await, [""; 0]);
    let view = journey.preview(id, "What of @docs/setup.md?").await;
    assert!(view.sections.iter().all(|section| section.kind != SectionKind::Passage));
    assert!(left(&view.left_out).contains(&("docs/setup.md", LeftOutWhy::Untrusted)));

    let homeless = journey.conversation(None).await;
    let text = "What of @docs/setup.md?".into();
    let context = None;
    let request = SendMessage {
        conversation_id: homeless,
        text,
        attachments: Vec::new(),
        context,
        also: Vec::new(),
    };
    journey.app.send(request).await.unwrap();
    assert!(files(&sent(&journey, homeless).await).0.is_empty());
}

#[tokio::test]
async fn files_are_offered_by_name_without_what_is_ignored_or_never_sent() {
    let journey = journey().await;
    write(&journey.project, ".gitignore", "build/\n");
    write(&journey.project, "build/setup.md", "made");
    write(&journey.project, "setup/other.md", "other");
    let project = journey.open(Trust::Trusted).await;
    assert_eq!(offered(&journey, project, "Set").await, ["docs/setup.md", "setup/other.md"]);
    assert_eq!(offered(&journey, project, "설치").await, ["docs/설치.md"]);
    assert_eq!(offered(&journey, project, ".env").await, [""; 0]);
    assert_eq!(offered(&journey, project, "").await.len(), 3, "as many as are wanted");
}
