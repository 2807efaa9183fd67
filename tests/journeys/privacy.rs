//! Secrets and excluded files: in nothing that leaves, and still there for the person. The secrets are made up, and put
//! together here.

use siltstone_contract::{
    AddMemory, EgressRef, ExcludeFiles, ExportConversation, ExportFormat, ListEgress, ListPaths,
    ReadProjectFile, TurnRef,
};
use siltstone_engine::project::Trust;
use siltstone_engine::section::LeftOutWhy;

use crate::leaving::{journey_to, server};
use crate::scripted::{Scripted, Step};
use crate::summaries::journey_with;
use crate::world::{Journey, write};

/// A key of a place for code that was never given out.
fn key(letter: char) -> String {
    let drawn: String = [letter; 4].into_iter().chain('0'..='9').chain('A'..='V').collect();
    format!("ghp{}{drawn}", '_')
}

async fn redacting(journey: &Journey, on: bool) {
    let mut settings = journey.app.settings_get(()).await.unwrap();
    settings.privacy.sanitize_secrets = on;
    journey.app.settings_set(settings).await.unwrap();
}

/// behaviour.md, Privacy: `sanitizeSecrets`.
#[tokio::test(flavor = "multi_thread")]
async fn a_secret_is_in_no_byte_that_leaves_and_still_in_what_the_person_wrote() {
    let (base_url, received) = server();
    let journey = journey_to(&base_url).await;
    let (ruled, filed, asked) = (key('r'), key('f'), key('a'));
    write(&journey.project, "AGENTS.md", &format!("# Rules\n\nDeploy with {ruled}.\n"));
    write(&journey.project, "docs/setup.md", &format!("# Setup\n\nThe port is 5433.\n{filed}\n"));
    let project = journey.open(Trust::Trusted).await;
    let id = journey.conversation(Some(project)).await;
    let question = format!("Why is {asked} refused? See @docs/setup.md:3-4");
    let reply = journey.ask(id, &question).await;

    let secrets = [&ruled, &filed, &asked];
    let posted: Vec<String> = received
        .try_iter()
        .filter(|one| one.head[0].starts_with("POST"))
        .map(|one| String::from_utf8(one.body).unwrap())
        .collect();
    let list = ListEgress { before: None, limit: 100, away_only: false };
    for item in journey.app.egress_list(list).await.unwrap() {
        let body = journey.app.egress_body(EgressRef { seq: item.seq }).await.unwrap().body;
        assert!(posted.contains(&body), "what is kept is what was sent");
    }
    let last = posted.last().unwrap();
    assert!(last.contains("Why is [redacted: github-token] refused?"), "{last}");
    assert_eq!(last.matches("[redacted: github-token]").count(), 3, "{last}");
    assert!(posted.iter().all(|body| secrets.iter().all(|secret| !body.contains(*secret))));

    let sent = journey.app.request_sent(TurnRef { id: reply.turn_id.unwrap() }).await.unwrap();
    assert!(sent.sections.iter().all(|it| !it.changed_since), "shown again as it was sent");
    let marked = sent.sections.iter().filter(|it| it.section.redacted == ["github-token"]);
    assert_eq!(marked.count(), 3);

    assert_eq!(journey.said(id).await[0], question, "the person's own words stay");
    for format in [ExportFormat::Markdown, ExportFormat::Json, ExportFormat::Jsonl] {
        let export =
            |as_is| journey.app.conversation_export(ExportConversation { id, format, as_is });
        assert!(!export(false).await.unwrap().text.contains(&asked));
        assert!(export(true).await.unwrap().text.contains(&asked));
    }
    let json = ExportConversation { id, format: ExportFormat::Json, as_is: false };
    assert!(
        journey.app.conversation_export(json).await.unwrap().text.contains("\"redacted\": true")
    );

    redacting(&journey, false).await;
    journey.ask(id, &question).await;
    let after = received.try_iter().last().unwrap();
    let body = String::from_utf8(after.body).unwrap();
    assert!(secrets.iter().all(|secret| body.contains(*secret)), "switched off, nothing changes");
}

/// behaviour.md, Privacy: `excludePatterns`.
#[tokio::test]
async fn privacy_an_excluded_file_goes_nowhere_and_can_still_be_looked_at() {
    let model = Scripted::answering(|_| vec![Step::Say("Yes."), Step::Finish]);
    let journey = journey_with(&model, |settings| {
        settings.privacy.exclude_patterns = vec!["AGENTS.md".into()];
    })
    .await;
    let project = journey.open(Trust::Trusted).await;
    let exclude = ExcludeFiles { id: project, patterns: vec!["/docs/".into()] };
    journey.app.project_exclude(exclude).await.unwrap();
    let id = journey.conversation(Some(project)).await;

    let view = journey.preview(id, "Look at @docs/setup.md").await;
    let left: Vec<_> = view.left_out.iter().map(|it| (it.source.as_str(), it.why)).collect();
    assert!(left.contains(&("docs/setup.md", LeftOutWhy::Excluded)), "{left:?}");
    let texts = |hidden: &str| view.sections.iter().filter(|it| it.text.contains(hidden)).count();
    assert_eq!((texts("port 5433"), texts("public API")), (0, 0));
    let paths = ListPaths { project_id: project, query: "setup".into(), limit: 9 };
    assert_eq!(journey.app.project_paths(paths).await.unwrap(), []);
    let file = ReadProjectFile { id: project, path: "docs/setup.md".into() };
    assert!(journey.app.project_file(file).await.unwrap().text.contains("port 5433"));
}

#[tokio::test]
async fn what_one_project_knows_is_in_no_request_of_another() {
    let model = Scripted::answering(|_| vec![Step::Say("Yes."), Step::Finish]);
    let journey = journey_with(&model, |_| {}).await;
    for round in 0..8_u64 {
        // Names that differ in every round, and words that are in one project alone.
        let name =
            |side: u64| format!("{:x}", (round * 2 + side + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut sides = Vec::new();
        for side in [0, 1] {
            let folder = tempfile::TempDir::new().unwrap();
            let word = name(side);
            write(&folder, "AGENTS.md", &format!("# Rules\n\nNever say {word} aloud.\n"));
            write(&folder, &format!("{word}.md"), &format!("The word is {word}.\n"));
            let project = journey.open_at(folder.path()).await;
            let id = journey.conversation(Some(project)).await;
            let text = format!("Remember: say {word} to nobody.");
            let line =
                AddMemory { project_id: Some(project), conversation_id: None, text, source: None };
            journey.app.memory_add(line).await.unwrap();
            sides.push((folder, word, id));
        }
        for (at, (_, word, id)) in sides.iter().enumerate() {
            let other = &sides[1 - at].1;
            model.asked.lock().unwrap().clear();
            journey.ask(*id, &format!("What is in @{word}.md and @{other}.md?")).await;
            let asked = model.asked.lock().unwrap();
            let texts: Vec<&str> =
                asked.iter().flat_map(|it| &it.sections).map(|it| it.text.as_str()).collect();
            assert!(texts.iter().any(|text| text.contains(&format!("Never say {word}"))));
            assert!(texts.iter().any(|text| text.contains(&format!("say {word} to nobody"))));
            assert!(!texts.iter().any(|text| text.contains(&format!("say {other}"))));
            assert!(!texts.iter().any(|text| text.contains(&format!("word is {other}"))));
        }
    }
}

#[tokio::test]
async fn an_excluded_file_leaves_the_index_and_comes_back_to_it() {
    let journey = Journey::offline();
    let project = journey.open(Trust::Trusted).await;
    let id = journey.conversation(Some(project)).await;
    let question = "Which port does the database listen on?";
    journey.ask(id, question).await;
    let quotes = async || {
        let view = journey.preview(id, question).await;
        view.sections.iter().filter(|it| it.source.starts_with("docs/setup.md")).count()
    };
    assert_eq!(quotes().await, 1);
    let exclude = ExcludeFiles { id: project, patterns: vec!["setup.md".into()] };
    journey.app.project_exclude(exclude).await.unwrap();
    assert_eq!(quotes().await, 0);
    let nothing = ExcludeFiles { id: project, patterns: Vec::new() };
    journey.app.project_exclude(nothing).await.unwrap();
    assert_eq!(quotes().await, 1, "and comes back when it may");
}
