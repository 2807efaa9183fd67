//! Checkpoints that come and go as one file, and those at the places of the Checkpoints design.

use std::fs;

use serde_json::json;
use siltstone_contract::{Code, ExportCheckpoint, ImportForeign, ProjectRef};
use siltstone_engine::checkpoint::CheckpointReason;
use siltstone_engine::checkpoint::foreign::ForeignNote;
use siltstone_engine::project::Trust;

use crate::checkpoints::{create, disk, stores};
use crate::remotes::{CANARY, PASSPHRASE, elsewhere, restore, secret, worked};
use crate::world::{Journey, write};

#[tokio::test]
async fn a_checkpoint_is_restored_from_one_file_on_another_computer() {
    let (here, _, conversation, ids) = worked().await;
    let (there, other, root) = elsewhere().await;
    for passphrase in [None, Some(secret(PASSPHRASE))] {
        let locked = passphrase.is_some();
        let request = ExportCheckpoint { id: ids[1], passphrase: passphrase.clone() };
        let packed = here.app.checkpoint_packed(request).await.unwrap();
        assert_eq!(packed.name, format!("{CANARY}.siltstone-checkpoint"));
        if locked {
            let none = there.app.checkpoint_unpacked(other, packed.bytes.clone(), None).await;
            assert_eq!(none.unwrap_err().code, Code::PassphraseNeeded);
            let wrong = Some(secret("not the passphrase"));
            let wrong = there.app.checkpoint_unpacked(other, packed.bytes.clone(), wrong).await;
            assert_eq!(wrong.unwrap_err().code, Code::WrongPassphrase);
        }
        let imported =
            there.app.checkpoint_unpacked(other, packed.bytes, passphrase).await.unwrap();
        let tag = if locked { format!("{CANARY} (2)") } else { CANARY.to_owned() };
        assert_eq!((imported.item.tag, imported.item.pinned), (Some(tag), true));
        assert_eq!(imported.item.reason, CheckpointReason::Imported);
        assert_ne!(imported.item.id, ids[1]);
        let made = imported.item.conversation_id.unwrap();
        assert_ne!(made, conversation);
        assert_eq!(there.said(made).await, here.said(conversation).await);
        assert_eq!(there.path(made).await.last().unwrap().id, imported.item.message_id.unwrap());
        restore(&there.app, imported.item.id).await;
        let files = disk(here.project.path()).into_iter().filter(|(name, _)| name != ".env");
        assert_eq!(disk(root.path()), files.collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn nothing_of_a_damaged_file_is_kept() {
    let (here, _, _, ids) = worked().await;
    let (there, other, _root) = elsewhere().await;
    let request = ExportCheckpoint { id: ids[1], passphrase: None };
    let bytes = here.app.checkpoint_packed(request).await.unwrap().bytes;
    create(&there.app, other, None, None).await;
    let before = disk(&there.data.path().join("checkpoints"));
    for at in (0..bytes.len()).step_by(bytes.len() / 30) {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << (at % 8);
        for damaged in [flipped, bytes[..at].to_vec()] {
            let refused = there.app.checkpoint_unpacked(other, damaged, None).await;
            assert_eq!(refused.unwrap_err().code, Code::CheckpointUnreadable, "at {at}");
        }
    }
    assert_eq!(disk(&there.data.path().join("checkpoints")), before);
}

/// behaviour.md, Checkpoints.
#[tokio::test]
async fn checkpoints_at_the_places_of_the_seed_are_taken_over() {
    let journey = Journey::offline();
    let checkpoint = json!({
        "id": "a1",
        "tag": "before-refactor",
        "timestamp": "2025-06-01T10:00:00Z",
        "conversation": {
            "messages": [
                {"role": "user", "content": "Which port?"},
                {"role": "model", "parts": [{"text": "5432."}]},
                {"shape": "unknown"},
            ],
            "tokenUsage": {"input": 10, "output": 3},
            "model": "gemini-1.5-pro",
        },
        "files": [
            {"path": "src/main.rs", "content": "fn main() {}\n",
             "hash": "536e506bb90914c243a12b397b9a998f85ae2cbd9ba02dfd03a9e155ca5ca0f4"},
            {"path": "notes.md", "content": "changed", "hash": "00".repeat(32)},
            {"path": "../outside", "content": "no", "hash": ""},
            {"path": "/etc/passwd", "content": "no", "hash": ""},
            {"path": ".git/hooks/post-checkout", "content": "no", "hash": ""},
        ],
        "context": {"memory": {"lines": []}, "runtimeAdditions": ["Prefer jiff"]},
        "metadata": {"sessionId": "s", "projectPath": "/old/place", "version": "2.1.0"},
    });
    let path = ".gemini/checkpoints/before-refactor.json";
    write(&journey.project, path, &checkpoint.to_string());
    write(&journey.project, ".gemini/checkpoints/other.json", "{\"id\": 1}");
    let project = journey.open(Trust::Trusted).await;
    let before = disk(journey.project.path());

    let listed = journey.app.checkpoint_foreign_list(ProjectRef { id: project }).await.unwrap();
    let ours = |path: &str| path.starts_with(&journey.project.path().display().to_string());
    let listed: Vec<_> = listed.into_iter().filter(|it| ours(&it.path)).collect();
    let [item] = listed.as_slice() else { panic!("{listed:?}") };
    assert_eq!((item.id.as_str(), item.messages, item.files), ("a1", 2, Some(2)));
    let left_out = |path: &str| ForeignNote::FileLeftOut { path: path.into() };
    let notes = [
        ForeignNote::Newer { version: "2.1.0".into() },
        ForeignNote::MessageLeftOut { place: 3 },
        ForeignNote::HashDiffers { path: "notes.md".into() },
        left_out("../outside"),
        left_out("/etc/passwd"),
        left_out(".git/hooks/post-checkout"),
    ];
    assert_eq!(item.notes, notes);

    let request = ImportForeign { project_id: project, path: item.path.clone() };
    let imported = journey.app.checkpoint_foreign_import(request).await.unwrap();
    assert_eq!(
        (imported.item.tag.as_deref(), imported.item.files),
        (Some("before-refactor"), Some(2))
    );
    assert_eq!(
        journey.said(imported.item.conversation_id.unwrap()).await,
        ["Which port?", "5432."]
    );
    let kept = stores(&journey).checkpoints.checkpoint(imported.item.id).unwrap();
    assert_eq!(kept.created_at.to_string(), "2025-06-01T10:00:00Z");
    assert_eq!(kept.context.runtime_additions, ["Prefer jiff"]);
    let state = kept.conversation.unwrap();
    assert_eq!((state.model.as_str(), state.token_usage.input_tokens), ("gemini-1.5-pro", 10));
    assert_eq!(
        (kept.metadata.project_path.as_str(), kept.metadata.version.as_str()),
        ("/old/place", "2.1.0")
    );
    // Read, and never written.
    assert_eq!(disk(journey.project.path()), before);
    restore(&journey.app, imported.item.id).await;
    assert_eq!(fs::read(journey.project.path().join("src/main.rs")).unwrap(), b"fn main() {}\n");

    // Nothing but a listed file is read.
    let request = ImportForeign { project_id: project, path: "/etc/passwd".into() };
    let refused = journey.app.checkpoint_foreign_import(request).await;
    assert_eq!(refused.unwrap_err().code, Code::NotFound);
}
