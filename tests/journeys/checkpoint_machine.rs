//! Checkpoints under any order of edits, snapshots, restores, undos and new processes: no byte that the disk or a
//! checkpoint held is ever lost. `PROPTEST_CASES` asks for a longer run.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use proptest::sample::Index;
use siltstone_app::App;
use siltstone_contract::{
    CheckpointRefs, CleanCheckpoints, PathChoice, PathOutcome, PlanRestore, ProjectRef,
    RestoreParts, RunRestore,
};
use siltstone_engine::checkpoint::{Checkpoints, Leaf, Node, ObjectId, Objects, Retention, Tree};
use siltstone_engine::ids::{CheckpointId, ProjectId};
use siltstone_engine::project::Trust;
use siltstone_providers::Connections;
use siltstone_storage::CheckpointStore;

use crate::checkpoints::create;
use crate::world::{Journey, app_on};

/// A file can stand where another one needs a folder.
const NAMES: [&str; 6] = ["a", "b/c", "b", "d/e/f", "d/e", "한글.txt"];

/// What a folder holds.
type Files = BTreeMap<String, Vec<u8>>;

#[derive(Clone, Debug)]
enum Act {
    Write(usize, u8),
    Remove(usize),
    Snapshot,
    /// Of one of those that are there; for each file of the plan a choice, and whether the process then ends.
    Restore(Index, Vec<u8>),
    Undo,
    Delete(Index),
    Clean(u32),
    Reopen,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        6 => (0..NAMES.len(), 0..5_u8).prop_map(|(name, text)| Act::Write(name, text)),
        2 => (0..NAMES.len()).prop_map(Act::Remove),
        4 => Just(Act::Snapshot),
        4 => (any::<Index>(), prop::collection::vec(0..4_u8, 6))
            .prop_map(|(which, choices)| Act::Restore(which, choices)),
        2 => Just(Act::Undo),
        1 => any::<Index>().prop_map(Act::Delete),
        1 => (2..6_u32).prop_map(Act::Clean),
        1 => Just(Act::Reopen),
    ]
}

struct Machine {
    journey: Journey,
    app: App,
    project: ProjectId,
    /// Every checkpoint that was not let go, with what it must hold.
    held: BTreeMap<CheckpointId, Files>,
}

impl Machine {
    async fn new() -> Self {
        let journey = Journey::offline();
        let project = journey.open(Trust::Untrusted).await;
        Self { app: journey.app.clone(), journey, project, held: BTreeMap::new() }
    }

    fn root(&self) -> &Path {
        self.journey.project.path()
    }

    /// As another process sees it.
    fn store(&self) -> CheckpointStore {
        CheckpointStore::open(self.journey.data.path()).unwrap()
    }

    async fn act(&mut self, act: Act) {
        match act {
            Act::Write(name, text) => {
                let path = self.root().join(NAMES[name]);
                // Where a file or a folder is in the way, nobody writes.
                let _ = fs::create_dir_all(path.parent().unwrap());
                let _ = fs::write(path, format!("text {text}\n").repeat(usize::from(text) + 1));
            }
            Act::Remove(name) => _ = fs::remove_file(self.root().join(NAMES[name])),
            Act::Snapshot => {
                let made = create(&self.app, self.project, None, None).await;
                self.held.insert(made.id, disk(self.root()));
            }
            Act::Restore(which, choices) => self.restore(&which, &choices).await,
            Act::Undo => self.undo().await,
            Act::Delete(which) if !self.held.is_empty() => {
                let id = *which.get(&self.held.keys().copied().collect::<Vec<_>>());
                self.held.remove(&id);
                self.app.checkpoint_delete(CheckpointRefs { ids: vec![id] }).await.unwrap();
            }
            Act::Delete(_) => {}
            Act::Clean(count) => {
                let rules = Some(Retention { days: None, count: Some(count), bytes: None });
                let request = CleanCheckpoints { project_id: self.project, rules, dry_run: false };
                for gone in self.app.checkpoint_clean(request).await.unwrap().gone {
                    self.held.remove(&gone.id);
                }
            }
            Act::Reopen => {
                self.app = app_on(self.journey.data.path(), Arc::new(Connections::new()));
            }
        }
    }

    async fn restore(&mut self, which: &Index, choices: &[u8]) {
        if self.held.is_empty() {
            return;
        }
        let id = *which.get(&self.held.keys().copied().collect::<Vec<_>>());
        let parts = RestoreParts { chat: false, files: true, memory: true, context: true };
        let planned = self.app.checkpoint_plan(PlanRestore { id, parts }).await.unwrap();
        let before = disk(self.root());
        let chosen =
            planned.files.iter().zip(choices.iter().cycle()).filter_map(|(file, choice)| {
                let choice = match choice {
                    0 => PathOutcome::Keep,
                    1 => PathOutcome::Overwrite,
                    2 if file.can_merge => PathOutcome::Merge { text: "both\n".into() },
                    _ => return None,
                };
                Some(PathChoice { index: file.index, choice })
            });
        let chosen: Vec<PathChoice> = chosen.collect();
        let by_default = chosen.is_empty();
        let run = RunRestore { plan_id: planned.plan_id, choices: chosen };
        let done = self.app.checkpoint_restore(run).await.unwrap();
        // What was there is in the checkpoint before, whatever was chosen.
        self.held.insert(done.before, before.clone());
        let after = disk(self.root());
        for (path, bytes) in &before {
            let then = self.held[&id].get(path);
            let now = after.get(path);
            let merged = Some(b"both\n".as_slice());
            assert!(
                now == Some(bytes) || now == then || now.map(Vec::as_slice) == merged,
                "{path} became something else"
            );
            if by_default && now.is_none() {
                // Nothing goes that Siltstone did not make itself.
                assert!(self.written(path).is_none(), "{path} went");
            }
        }
    }

    fn written(&self, path: &str) -> Option<Leaf> {
        self.store().written(self.project, path.as_bytes()).unwrap()
    }

    async fn undo(&mut self) {
        let before = disk(self.root());
        if let Ok(done) = self.app.checkpoint_undo(ProjectRef { id: self.project }).await {
            self.held.insert(done.before, before);
        }
    }

    /// Every checkpoint that should be there holds what it held, to the byte.
    fn check(&self) {
        let store = self.store();
        for (id, files) in &self.held {
            let found = store.checkpoint(*id).unwrap();
            let mut read = Files::new();
            collect(&store, found.files.unwrap().tree, "", &mut read);
            assert_eq!(&read, files);
        }
        assert_eq!(store.verify(&mut |_| true).unwrap(), []);
    }
}

fn collect(store: &CheckpointStore, tree: Option<ObjectId>, above: &str, files: &mut Files) {
    let Some(id) = tree else { return };
    for (name, node) in Tree::decode(id, &store.get(id).unwrap()).unwrap().entries() {
        let path = format!("{above}{}", String::from_utf8_lossy(name));
        match node {
            Node::Dir(inner) => collect(store, Some(*inner), &format!("{path}/"), files),
            Node::Leaf(Leaf::File { id, .. }) => {
                files.insert(path, store.get(*id).unwrap());
            }
            Node::Leaf(Leaf::Link { .. }) => {}
        }
    }
}

/// What a checkpoint of the folder should hold: everything but what may hold secrets.
fn disk(root: &Path) -> Files {
    let mut files = Files::new();
    let mut dirs = vec![root.to_path_buf()];
    while let Some(dir) = dirs.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().display().to_string();
            if path.is_dir() {
                dirs.push(path);
            } else if name != ".env" {
                files.insert(name, fs::read(path).unwrap());
            }
        }
    }
    files
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..cases() })]

    #[test]
    fn no_byte_that_the_disk_or_a_checkpoint_held_is_lost(acts in prop::collection::vec(act(), 1..40)) {
        tokio::runtime::Runtime::new().unwrap().block_on(async {
            let mut machine = Machine::new().await;
            for act in acts {
                machine.act(act).await;
                machine.check();
            }
        });
    }
}

/// A sample, unless a longer run is asked for.
fn cases() -> ProptestConfig {
    let asked = std::env::var_os("PROPTEST_CASES").is_some();
    if asked { ProptestConfig::default() } else { ProptestConfig::with_cases(8) }
}
