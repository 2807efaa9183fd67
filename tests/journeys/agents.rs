//! Sessions of other agents while a host stays: kept as they are written, after the yes and not before.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use siltstone_contract::{
    AgreeVault, Code, ForgetVault, ForgetWhat, ListVault, RecallVault, ScanVault, Topic, TurnRef,
    VaultFollowing, VaultItem, VaultScanned, WishSection,
};
use siltstone_engine::project::Trust;
use siltstone_engine::section::{LeftOutWhy, PassageOf, Reason, Section};
use siltstone_engine::summary::Policy;
use siltstone_engine::wish::Wish;
use siltstone_test_servers::until::PATIENCE;
use tokio::time::{Instant, sleep, timeout};

use crate::recall::{self, small};
use crate::world::Journey;

const DAY: &str = ".codex/sessions/2026/11/21";
const META: &str = r#"{"timestamp":"2026-11-21T10:00:00.000Z","type":"session_meta","payload":{"id":"ID","cwd":"/w"}}"#;

fn asked(text: &str) -> String {
    format!(
        "{{\"type\":\"response_item\",\"payload\":{{\"type\":\"message\",\"role\":\"user\",\
         \"content\":[{{\"type\":\"input_text\",\"text\":\"{text}\"}}]}}}}\n"
    )
}

async fn sessions(journey: &Journey) -> Vec<VaultItem> {
    journey.app.vault_list(ListVault::default()).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_agent_writes_is_kept_while_a_host_stays_and_only_after_the_yes() {
    let journey = Journey::offline();
    let home = journey.data.path();
    begins(home, DAY, "first", "One?");
    let stays = tokio::spawn(journey.app.follow_agents());
    let mut changes = journey.app.subscribe();
    let told = async {
        let sources = journey.app.vault_sources(()).await.unwrap();
        assert_eq!(sources.len(), 1, "{sources:?}");
        assert!(!home.join("vault").exists(), "nothing is kept before the yes");
        let homes = vec![sources[0].home.clone()];
        journey.app.vault_agree(AgreeVault { homes, yes: true }).await.unwrap();
        let mut until = async |is: &dyn Fn(&[VaultItem]) -> bool| {
            while !is(&sessions(&journey).await) {
                while !changes.recv().await.unwrap().topics.contains(&Topic::Vault) {}
            }
        };
        until(&|all| all.len() == 1 && all[0].facts.turns == 1).await;
        // Longer, without anybody asking.
        let path = home.join(DAY).join("rollout-first.jsonl");
        let mut file = fs::OpenOptions::new().append(true).open(path).unwrap();
        file.write_all(asked("Two?").as_bytes()).unwrap();
        until(&|all| all[0].facts.turns == 2).await;
        // In a folder that was not there.
        begins(home, ".codex/sessions/2026/12/01", "second", "Three?");
        until(&|all| all.len() == 2).await;
    };
    timeout(PATIENCE, told).await.unwrap();
    stays.abort();
}

/// A session of Codex below a home.
fn begins(home: &Path, day: &str, id: &str, text: &str) {
    let folder = home.join(day);
    fs::create_dir_all(&folder).unwrap();
    let said = format!("{}\n{}", META.replace("ID", id), asked(text));
    fs::write(folder.join(format!("rollout-{id}.jsonl")), said).unwrap();
}

async fn agree(journey: &Journey) {
    let sources = journey.app.vault_sources(()).await.unwrap();
    let homes = sources.into_iter().map(|source| source.home).collect();
    journey.app.vault_agree(AgreeVault { homes, yes: true }).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_asks_while_sessions_are_being_kept_watches_that_and_is_not_refused() {
    let journey = Journey::offline();
    for number in 0..60 {
        begins(journey.data.path(), DAY, &format!("session-{number:02}"), "One?");
    }
    agree(&journey).await;
    let scan = |name: usize| {
        let app = journey.app.clone();
        async move {
            let request = ScanVault { work_id: format!("scan {name}"), paths: Vec::new() };
            app.vault_scan(request, Arc::new(|_| {})).await.unwrap()
        }
    };
    let scans: Vec<_> = (0..4).map(|name| tokio::spawn(scan(name))).collect();
    let forget =
        |id: &str| ForgetVault { what: ForgetWhat::Session { id: id.to_owned() }, yes: true };
    let mut seen = Vec::new();
    for scan in scans {
        seen.push(scan.await.unwrap());
    }
    let told = |done: &VaultScanned| done.new == 60 && done.understood == 60;
    assert!(seen.iter().any(told), "{seen:?}");
    assert!(seen.iter().all(|done| done.files == 60 && !done.cancelled), "{seen:?}");

    let again = tokio::spawn(scan(9));
    journey.app.vault_forget(forget("session-07")).await.unwrap();
    again.await.unwrap();
    assert_eq!(sessions(&journey).await.len(), 59);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scan_of_one_path_looks_there_alone() {
    let journey = Journey::offline();
    let home = journey.data.path();
    for id in ["first", "second", "third"] {
        begins(home, DAY, id, "One?");
    }
    let path = |id: &str| home.join(DAY).join(format!("rollout-{id}.jsonl"));
    let scan = |paths: Vec<String>| {
        let request = ScanVault { work_id: "scan".to_owned(), paths };
        journey.app.vault_scan(request, Arc::new(|_| {}))
    };
    let named = |id: &str| vec![path(id).display().to_string()];
    let refused = scan(named("first")).await.unwrap_err();
    assert_eq!(refused.code, Code::BadRequest, "nobody agreed to it");
    agree(&journey).await;
    assert_eq!(scan(named("second")).await.unwrap().new, 1);
    let ids = |all: Vec<VaultItem>| all.into_iter().map(|it| it.facts.id).collect::<Vec<_>>();
    assert_eq!(ids(sessions(&journey).await), ["second"]);
    scan(Vec::new()).await.unwrap();
    for id in ["first", "third"] {
        fs::remove_file(path(id)).unwrap();
    }
    scan(named("third")).await.unwrap();
    let gone = sessions(&journey).await.into_iter().filter(|it| it.gone_at.is_some()).collect();
    assert_eq!(ids(gone), ["third"], "of the other one nobody has looked");
    let beside = scan(vec![home.join("other").display().to_string()]).await.unwrap_err();
    assert_eq!(beside.code, Code::BadRequest);
}

/// A session of Codex that worked in a folder, and what was said in it by turns.
fn worked(home: &Path, id: &str, folder: &Path, said: &[&str]) {
    let day = home.join(DAY);
    fs::create_dir_all(&day).unwrap();
    let line = |kind: &str, payload: serde_json::Value| {
        let at = "2026-11-21T10:00:00.000Z";
        format!("{}\n", json!({"timestamp": at, "type": kind, "payload": payload}))
    };
    let mut text = line("session_meta", json!({"id": id, "cwd": folder}));
    for (turn, said) in said.iter().enumerate() {
        let (role, part) = [("user", "input_text"), ("assistant", "output_text")][turn % 2];
        let content = json!([{"type": part, "text": said}]);
        let message = json!({"type": "message", "role": role, "content": content});
        text.push_str(&line("response_item", message));
    }
    fs::write(day.join(format!("rollout-{id}.jsonl")), text).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_said_in_sessions_goes_where_the_person_lets_it_and_not_elsewhere() {
    const ASKED: &str = "On which port does the importer listen?";
    const TOLD: &str = "The importer listens on port 7341 since the spring.";
    let model = small();
    let journey = recall::journey(&model, Policy::Window).await;
    let home = journey.data.path();
    let project = journey.open(Trust::Trusted).await;
    let folder = journey.project.path().canonicalize().unwrap();
    let inside = folder.join("tools");
    worked(home, "told", &inside, &["Where does the importer listen?", TOLD, "Good."]);
    worked(home, "other", home, &["The port?", "The importer listens on port 9999 elsewhere."]);
    agree(&journey).await;
    let scan = ScanVault { work_id: "scan".to_owned(), paths: Vec::new() };
    journey.app.vault_scan(scan, Arc::new(|_| {})).await.unwrap();
    let id = journey.conversation(Some(project)).await;
    let of_sessions = |sections: &[Section]| -> Vec<Section> {
        let is_it = |it: &&Section| matches!(PassageOf::named(&it.id), Some(PassageOf::Session(_)));
        sections.iter().filter(is_it).cloned().collect()
    };
    let found = async |asked: &str| of_sessions(&journey.preview(id, asked).await.sections);
    assert!(found(ASKED).await.is_empty(), "nobody let them in");
    let allow = async |allow| {
        let request = RecallVault { project_id: project, allow };
        journey.app.vault_recall(request).await.unwrap();
    };
    allow(true).await;
    let shown = found(ASKED).await;
    let best = shown.iter().find(|it| it.text.ends_with(TOLD)).unwrap();
    assert!(best.text.starts_with("[Said on 2026-11-21 by the model in a session of Codex]\n"));
    assert_eq!(best.source, "Codex · 2026-11-21");
    assert_eq!(best.link.as_deref(), Some("silt:session/codex/told?message=2"));
    assert!(shown.iter().all(|it| !it.text.contains("9999")), "of another folder nothing goes");
    // In a conversation without the project nothing goes, and none of it where only the conversation is looked through.
    let alone = journey.conversation(None).await;
    assert!(of_sessions(&journey.preview(alone, ASKED).await.sections).is_empty());

    let turn = recall::answered(&journey, id, ASKED).await;
    let texts = |sections: &[Section]| -> Vec<String> {
        sections.iter().map(|it| it.text.clone()).collect()
    };
    assert_eq!(texts(&of_sessions(&recall::sent(&model))), texts(&shown), "what was shown went");
    let rebuilt =
        async || journey.app.request_sent(TurnRef { id: turn.id }).await.unwrap().sections;
    let again: Vec<_> = rebuilt().await.into_iter().filter(|it| it.section.id == best.id).collect();
    assert_eq!(again[0].text.as_deref(), Some(best.text.as_str()));
    assert!(!again[0].changed_since);

    let wish = async |wish| {
        let (conversation_id, id, source) = (id, best.id.clone(), best.source.clone());
        let request = WishSection { conversation_id, id, source, wish };
        journey.app.section_wish(request).await.unwrap();
    };
    wish(Some(Wish::LeftOut)).await;
    let view = journey.preview(id, ASKED).await;
    assert!(of_sessions(&view.sections).iter().all(|it| it.id != best.id));
    let left = view.left_out.iter().find(|it| it.id.as_ref() == Some(&best.id)).unwrap();
    assert_eq!(left.why, LeftOutWhy::ByYou);
    wish(Some(Wish::Pinned)).await;
    let pinned = found("Something else entirely?").await;
    assert_eq!(texts(&pinned), texts(std::slice::from_ref(best)));
    assert_eq!(pinned[0].reason, Reason::Pinned);
    allow(false).await;
    assert!(found(ASKED).await.is_empty(), "no longer");
    allow(true).await;
    assert!(!found(ASKED).await.is_empty());

    let what = ForgetWhat::Session { id: "told".to_owned() };
    journey.app.vault_forget(ForgetVault { what, yes: true }).await.unwrap();
    assert!(found(ASKED).await.is_empty(), "what is forgotten is told to nobody");
    let view = journey.preview(id, ASKED).await;
    assert!(view.left_out.iter().all(|it| it.id.as_ref() != Some(&best.id)), "nor wished for");
    let gone: Vec<_> = rebuilt().await.into_iter().filter(|it| it.section.id == best.id).collect();
    assert_eq!((gone.len(), gone[0].text.as_deref()), (1, None));
}

#[tokio::test(start_paused = true)]
async fn a_look_that_fails_is_told_and_made_again_until_one_succeeds() {
    let journey = Journey::offline();
    let home = journey.data.path();
    begins(home, DAY, "first", "One?");
    agree(&journey).await;
    let status = journey.app.vault_status(()).await.unwrap();
    assert_eq!(status.following, VaultFollowing::default(), "nobody follows");
    // What is in the place of the lock cannot be opened as one.
    let lock = home.join("vault/scan.lock");
    fs::create_dir(&lock).unwrap();
    let mut changes = journey.app.subscribe();
    let stays = tokio::spawn(journey.app.follow_agents());
    let mut until = async |is: &dyn Fn(&VaultFollowing) -> bool| {
        while !is(&journey.app.vault_status(()).await.unwrap().following) {
            while !changes.recv().await.unwrap().topics.contains(&Topic::Vault) {}
        }
    };
    until(&|it| it.on && it.failure.as_ref().is_some_and(|it| it.code == Code::Io)).await;
    begins(home, DAY, "second", "Two?");
    // What was written is heard, and the look at it fails as well.
    sleep(Duration::from_secs(50)).await;
    fs::remove_dir(&lock).unwrap();
    let freed = Instant::now();
    until(&|it| it.failure.is_none() && it.looked_at.is_some()).await;
    assert!(freed.elapsed() < Duration::from_mins(1), "though nothing was written since");
    assert_eq!(sessions(&journey).await.len(), 2);
    stays.abort();
}
