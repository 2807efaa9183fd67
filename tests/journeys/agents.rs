//! Sessions of other agents while a host stays: kept as they are written, after the yes and not before.

use std::fs;
use std::io::Write;
use std::time::Duration;

use siltstone_contract::{AgreeVault, ListVault, Topic, VaultItem};
use tokio::time::timeout;

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
    let begins = |day: &str, id: &str, text: &str| {
        let folder = home.join(day);
        fs::create_dir_all(&folder).unwrap();
        let said = format!("{}\n{}", META.replace("ID", id), asked(text));
        fs::write(folder.join(format!("rollout-{id}.jsonl")), said).unwrap();
    };
    begins(DAY, "first", "One?");
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
        begins(".codex/sessions/2026/12/01", "second", "Three?");
        until(&|all| all.len() == 2).await;
    };
    timeout(Duration::from_secs(60), told).await.unwrap();
    stays.abort();
}
