//! The sample project: opened without any key, in both languages, and everything in it there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use siltstone_contract::{
    ConversationRef, ExportConversation, ExportFormat, ImportConversation, MessageRef, ProjectRef,
    ReadAttachment, ReadProjectFile, SampleOpened, TrustProject, TurnRef,
};
use siltstone_engine::Timestamp;
use siltstone_engine::attachment::from_base64;
use siltstone_engine::message::{MessageStatus, Part, Role};
use siltstone_engine::ports::Records;
use siltstone_engine::project::Trust;
use siltstone_engine::section::SectionKind;
use siltstone_engine::settings::Language;
use siltstone_storage::Store;

use crate::world::{Journey, text};

async fn open(language: Language) -> (Journey, SampleOpened) {
    let journey = Journey::offline();
    let mut settings = journey.app.settings_get(()).await.unwrap();
    settings.language = language;
    journey.app.settings_set(settings).await.unwrap();
    let opened = journey.app.sample_open(()).await.unwrap();
    (journey, opened)
}

/// Every file below a folder, by its path from there.
fn files_of(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(root).unwrap().to_path_buf();
                found.insert(name, std::fs::read(path).unwrap());
            }
        }
    }
    found
}

#[tokio::test]
async fn the_sample_is_whole_in_both_languages() {
    for (language, code) in [(Language::En, "en"), (Language::Ko, "ko")] {
        let (journey, opened) = open(language).await;
        assert_eq!(opened.project.trust, Trust::Trusted);
        let path = Path::new(&opened.project.path);
        let source = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("samples")
            .join(code)
            .join(&opened.project.name);
        let written = files_of(path);
        assert!(written.len() >= 8, "{code}");
        assert_eq!(written, files_of(&source), "{code}: every file, as it is kept");

        let shown = journey.path(opened.conversation_id).await;
        let export = ExportConversation {
            id: opened.conversation_id,
            format: ExportFormat::Json,
            as_is: false,
        };
        let tree = journey.app.conversation_export(export).await.unwrap().text;
        // Inside of a text the quotes are escaped.
        let all = tree.matches("\"status\":").count();
        assert!((20..=30).contains(&all) && shown.len() < all, "{code}: {all} messages, branched");
        let siblings = |role| {
            shown.iter().filter(|said| said.role == role && said.siblings.ids.len() > 1).count()
        };
        assert!(siblings(Role::User) > 0, "{code}: an edited question");
        assert!(siblings(Role::Assistant) > 0, "{code}: a regenerated reply");

        let mut kinds = BTreeSet::new();
        for message in &shown {
            assert_eq!(message.status, MessageStatus::Complete);
            let hangul = text(message).chars().any(|c| ('가'..='힣').contains(&c));
            assert_eq!(hangul, code == "ko", "{code}: {}", text(message));
            for part in &message.parts {
                match part {
                    Part::Image { hash, media_type, name, .. }
                    | Part::File { hash, media_type, name, .. } => {
                        let request = ReadAttachment { hash: hash.clone() };
                        let bytes = journey.app.attachment_read(request).await.unwrap();
                        assert_eq!(bytes.media_type, *media_type);
                        let there = written.iter().find(|(path, _)| path.ends_with(name)).unwrap();
                        assert_eq!(from_base64(&bytes.data).as_ref(), Some(there.1), "{name}");
                        kinds.insert(media_type.clone());
                    }
                    Part::Reasoning { .. } => _ = kinds.insert("thought".into()),
                    Part::Text { text } if text.contains("```") => _ = kinds.insert("code".into()),
                    Part::Text { text } if text.contains("|---") => {
                        _ = kinds.insert("table".into())
                    }
                    _ => {}
                }
            }
        }
        let kinds: Vec<&str> = kinds.iter().map(String::as_str).collect();
        assert_eq!(kinds, ["application/pdf", "code", "image/png", "table", "thought"], "{code}");
    }
}

#[tokio::test]
async fn a_sample_that_was_cut_off_while_it_was_made_is_made_whole_when_it_is_opened_again() {
    let (journey, opened) = open(Language::En).await;
    // The conversation is there, and nothing of what its replies saw.
    let whole =
        ExportConversation { id: opened.conversation_id, format: ExportFormat::Json, as_is: false };
    let text = journey.app.conversation_export(whole).await.unwrap().text;
    let bring =
        ImportConversation { text, name: String::new(), project_id: Some(opened.project.id) };
    let cut_off = journey.app.conversation_import(bring).await.unwrap().item.id;
    let store = Store::open(journey.data.path(), Timestamp::now()).unwrap();
    store.put_sample("en", cut_off).unwrap();
    let replies = || async {
        let mut shown = journey.path(cut_off).await;
        shown.retain(|it| it.role == Role::Assistant);
        shown
    };
    assert!(replies().await.iter().all(|reply| !reply.recorded));

    let again = journey.app.sample_open(()).await.unwrap();
    assert_eq!(again.conversation_id, cut_off);
    let made = replies().await;
    assert!(!made.is_empty() && made.iter().all(|reply| reply.recorded));
    journey.app.sample_open(()).await.unwrap();
    assert_eq!(replies().await, made, "and is left as it is after that");
}

#[tokio::test]
async fn what_every_recorded_reply_saw_can_be_looked_at_and_a_fold_stands_for_the_first_turns() {
    for language in [Language::En, Language::Ko] {
        let (journey, opened) = open(language).await;
        let id = opened.conversation_id;
        let shown = journey.path(id).await;
        let replies: Vec<_> = shown.iter().filter(|it| it.role == Role::Assistant).collect();
        for reply in &replies {
            assert!(reply.recorded, "{}", text(reply));
            let turn = TurnRef { id: reply.turn_id.expect("a turn") };
            let sent = journey.app.request_sent(turn).await.unwrap();
            let of = |kind| sent.sections.iter().filter(|it| it.section.kind == kind).count();
            assert_eq!((of(SectionKind::Memory), of(SectionKind::Draft)), (1, 1));
            assert!(sent.tokens <= sent.budget);
            let question = sent.sections.last().and_then(|it| it.text.clone()).unwrap_or_default();
            let asked = shown.iter().find(|it| Some(it.id) == reply.parent_id).unwrap();
            assert_eq!(question, text(asked));
            // All that was said before, each as it was: the fold came after them.
            assert_eq!(of(SectionKind::Turn) as u64 + 1, reply.index, "{}", text(reply));
        }
        let panel = journey.app.summary_list(ConversationRef { id }).await.unwrap();
        let turns: Vec<_> = panel.records.iter().filter_map(|it| it.turns).collect();
        assert_eq!(turns.iter().map(|it| (it.first, it.last)).collect::<Vec<_>>(), [(1, 3)]);
        let ids: Vec<_> = panel.records.iter().map(|it| it.id).collect();
        assert_eq!(panel.shown, ids, "it holds on the path that is shown");
        let again = journey.path(id).await;
        assert_eq!(again, shown, "the path that was recorded as shown is shown");
    }
}

#[tokio::test]
async fn files_that_the_conversation_names_are_in_the_project_and_the_offline_model_answers_from_it()
 {
    for (language, question, answer) in [
        (Language::En, "Where is the firmware note?", "silt:file/"),
        (Language::Ko, "점검 기록은 어디에 있나요?", "silt:file/"),
    ] {
        let (journey, opened) = open(language).await;
        let mut names = 0;
        for message in journey.path(opened.conversation_id).await {
            let said = text(&message);
            for named in said.split('`').skip(1).step_by(2).filter(is_file_name) {
                let path = Path::new(&opened.project.path).join(named);
                assert!(path.exists(), "{named} of {said}");
                names += 1;
            }
        }
        assert!(names > 1, "some files are named");
        let reply = journey.ask(opened.conversation_id, question).await;
        assert!(text(&reply).contains(answer), "{}", text(&reply));
    }
}

/// One word that ends like a file or a folder of the samples does.
fn is_file_name(word: &&str) -> bool {
    let file = [".py", ".md", ".csv", ".pdf", ".png", "/"].iter().any(|end| word.ends_with(end));
    file && !word.contains([' ', '\n'])
}

#[tokio::test]
async fn opening_it_again_finds_both_as_the_person_left_them() {
    let (journey, first) = open(Language::En).await;
    let mine = Path::new(&first.project.path).join("AGENTS.md");
    std::fs::write(&mine, "# Mine\n").unwrap();
    std::fs::remove_file(Path::new(&first.project.path).join("rain.py")).unwrap();
    let request = TrustProject { id: first.project.id, trust: Trust::Untrusted };
    journey.app.project_trust(request).await.unwrap();

    let again = journey.app.sample_open(()).await.unwrap();
    assert_eq!(again.conversation_id, first.conversation_id);
    assert_eq!((again.project.id, again.project.trust), (first.project.id, Trust::Untrusted));
    assert_eq!(std::fs::read_to_string(&mine).unwrap(), "# Mine\n");
    let restored = ReadProjectFile { id: first.project.id, path: "rain.py".into() };
    assert!(journey.app.project_file(restored).await.is_ok(), "what was gone is there again");
}

#[tokio::test]
async fn a_deleted_conversation_or_a_forgotten_project_is_made_anew() {
    let (journey, first) = open(Language::En).await;
    let trashed = ConversationRef { id: first.conversation_id };
    journey.app.conversation_delete(trashed.clone()).await.unwrap();
    let second = journey.app.sample_open(()).await.unwrap();
    assert_ne!(second.conversation_id, first.conversation_id);
    assert_eq!(second.project.id, first.project.id);
    journey.app.conversation_purge(trashed).await.unwrap();
    let again = journey.app.sample_open(()).await.unwrap();
    assert_eq!(again.conversation_id, second.conversation_id, "the new one is remembered");

    journey.app.project_forget(ProjectRef { id: first.project.id }).await.unwrap();
    let third = journey.app.sample_open(()).await.unwrap();
    assert_ne!(third.conversation_id, second.conversation_id);
    let shown = journey.path(third.conversation_id).await;
    let edited = shown.iter().find(|said| said.role == Role::User && said.siblings.ids.len() > 1);
    let other = edited.unwrap().siblings.ids[0];
    journey.app.branch_switch(MessageRef { id: other }).await.unwrap();
    assert_ne!(
        journey.said(third.conversation_id).await,
        journey.said(second.conversation_id).await
    );
}

#[tokio::test]
async fn two_clicks_open_one_sample() {
    let journey = Journey::offline();
    let (one, other) = tokio::join!(journey.app.sample_open(()), journey.app.sample_open(()));
    assert_eq!(one.unwrap().conversation_id, other.unwrap().conversation_id);
}
