//! Checkpoints under any order of edits, snapshots, restores, undos, copies in the project's folder and whatever becomes
//! of them, new processes and processes that die in the midst of it: no byte that the disk or a checkpoint held is ever
//! lost, what was cut off can be finished or undone, and a plan that is asked and carried out again says the same: what a
//! person wrote and no checkpoint of ordinary work saw is replaced by nobody's word but theirs. `PROPTEST_CASES` asks for a
//! longer run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use proptest::prelude::*;
use proptest::sample::Index;
use siltstone_app::{App, World};
use siltstone_contract::{
    CheckpointList, CheckpointRefs, CleanCheckpoints, Code, CreateCheckpoint, Failure,
    ListCheckpoints, PathChoice, PathOutcome, PlanRestore, ProjectRef, RestoreParts, RestorePlan,
    RunRestore, SetPlace,
};
use siltstone_engine::checkpoint::{
    Checkpoints, Kept, Leaf, Node, ObjectId, Objects, PlaceState, Places, Retention, Tree,
};
use siltstone_engine::ids::{CheckpointId, PlanId, ProjectId};
use siltstone_engine::ports::StoreError;
use siltstone_engine::project::Trust;
use siltstone_providers::Connections;
use siltstone_secrets::Seals;
use siltstone_storage::CheckpointStore;
use siltstone_test_servers::until::until;
use siltstone_workspace::Snapshots;
use tokio::task::AbortHandle;

use crate::trouble::Mortal;
use crate::world::{Journey, started, world};

mod unseen;

/// A file can stand where another one needs a folder.
const NAMES: [&str; 6] = ["a", "b/c", "b", "d/e/f", "d/e", "한글.txt"];

/// What a folder holds.
type Files = BTreeMap<String, Vec<u8>>;

#[derive(Clone, Debug)]
enum Act {
    Write(usize, u8),
    /// A text that was never anywhere: nobody has seen it before a snapshot does.
    Edit(usize),
    Remove(usize),
    /// And whether the process dies after so many objects.
    Snapshot(Option<u64>),
    /// Of one of those that are there; for each file of the plan a choice, and whether the process dies after so many
    /// objects and files.
    Restore(Index, Vec<u8>, Option<u64>),
    /// Of the same one twice, or ten times, by the plan alone; what is edited before each of them.
    Again(Index, u8, Vec<Vec<usize>>),
    /// What was cut off.
    Finish,
    Undo,
    Delete(Index),
    Clean(u32),
    /// Another process; one that stays listens to the folder, and the other looks at everything.
    Reopen(bool),
    /// A copy in the project's folder, or none any more; and after how many objects it is stopped, if it is.
    Bring(Option<u8>),
    /// What happens to that folder.
    Harm(u8),
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        6 => (0..NAMES.len(), 0..5_u8).prop_map(|(name, text)| Act::Write(name, text)),
        3 => (0..NAMES.len()).prop_map(Act::Edit),
        2 => (0..NAMES.len()).prop_map(Act::Remove),
        4 => death().prop_map(Act::Snapshot),
        4 => (any::<Index>(), prop::collection::vec(0..4_u8, 6), death())
            .prop_map(|(which, choices, death)| Act::Restore(which, choices, death)),
        2 => (any::<Index>(), prop_oneof![4 => Just(2_u8), 1 => Just(10)], edits())
            .prop_map(|(which, times, edits)| Act::Again(which, times, edits)),
        1 => Just(Act::Finish),
        2 => Just(Act::Undo),
        1 => any::<Index>().prop_map(Act::Delete),
        1 => (2..6_u32).prop_map(Act::Clean),
        2 => any::<bool>().prop_map(Act::Reopen),
        2 => prop::option::weighted(0.3, 0..12_u8).prop_map(Act::Bring),
        2 => (0..12_u8).prop_map(Act::Harm),
    ]
}

/// What is edited before each of several restores.
fn edits() -> impl Strategy<Value = Vec<Vec<usize>>> {
    prop::collection::vec(prop::collection::vec(0..NAMES.len(), 0..3), 10)
}

/// After how many steps of what it writes a process dies, if it does.
fn death() -> impl Strategy<Value = Option<u64>> {
    prop::option::weighted(0.3, 0..12_u64)
}

struct Machine {
    journey: Journey,
    app: App,
    /// Steps after which the process dies.
    left: Arc<AtomicU64>,
    staying: Option<AbortHandle>,
    project: ProjectId,
    /// Every checkpoint that was not let go, with what it must hold.
    held: BTreeMap<CheckpointId, Files>,
    /// How many texts were made that were never anywhere before.
    made: u64,
    /// Those of them that no snapshot has seen.
    unseen: BTreeSet<Vec<u8>>,
    /// What each restore made of paths, by the checkpoint that undoes it: the way back may take that away.
    put: BTreeMap<CheckpointId, Vec<(String, Vec<u8>)>>,
    /// Paths of which the person chose, by the restore.
    chosen: BTreeMap<PlanId, BTreeSet<String>>,
}

impl Machine {
    async fn new() -> Self {
        let journey = Journey::offline();
        let project = journey.open(Trust::Untrusted).await;
        let (app, left) = (journey.app.clone(), Arc::default());
        let mut machine = Self {
            app,
            left,
            journey,
            staying: None,
            project,
            held: BTreeMap::new(),
            made: 0,
            unseen: BTreeSet::new(),
            put: BTreeMap::new(),
            chosen: BTreeMap::new(),
        };
        machine.start(false);
        machine
    }

    /// Another process; what waited in the memory of the one before is gone.
    fn start(&mut self, stays: bool) {
        if let Some(before) = self.staying.take() {
            before.abort();
        }
        let data = self.journey.data.path();
        self.left = Arc::new(AtomicU64::new(u64::MAX));
        let files = Arc::new(Snapshots::new(data.join("checkpoints/stamps")));
        let snapshots = Arc::new(Mortal { files, left: self.left.clone() });
        let world = world(data, Arc::new(Connections::new()), Arc::default());
        self.app = started(World { snapshots, ..world }, data);
        if stays {
            let staying = tokio::spawn(self.app.watch_other_processes());
            self.staying = Some(staying.abort_handle());
        }
    }

    /// A process that died is followed by another one.
    fn after<T>(&mut self, done: Result<T, Failure>, death: Option<u64>) -> Option<T> {
        let failed = done.as_ref().err().map(|failure| failure.code);
        assert!(
            failed.is_none() || death.is_some() && failed == Some(Code::DiskFull),
            "{failed:?}"
        );
        if failed.is_some() {
            self.start(false);
        }
        self.left.store(u64::MAX, SeqCst);
        done.ok()
    }

    fn root(&self) -> &Path {
        self.journey.project.path()
    }

    /// As another process sees it.
    fn store(&self) -> CheckpointStore {
        CheckpointStore::open(self.journey.data.path(), Arc::new(Seals)).unwrap()
    }

    async fn act(&mut self, act: Act) {
        match act {
            Act::Write(name, text) => {
                let path = self.root().join(NAMES[name]);
                // Where a file or a folder is in the way, nobody writes.
                let _ = fs::create_dir_all(path.parent().unwrap());
                let _ = fs::write(path, format!("text {text}\n").repeat(usize::from(text) + 1));
            }
            Act::Edit(name) => _ = self.edit(name),
            Act::Remove(name) => _ = fs::remove_file(self.root().join(NAMES[name])),
            Act::Snapshot(death) => {
                let request =
                    CreateCheckpoint { project_id: self.project, conversation_id: None, tag: None };
                self.left.store(death.unwrap_or(u64::MAX), SeqCst);
                let made = self.app.checkpoint_create(request).await;
                if let Some(made) = self.after(made, death) {
                    let seen = disk(self.root());
                    self.unseen.retain(|text| !seen.values().any(|there| there == text));
                    self.held.insert(made.id, seen);
                    self.followed().await;
                }
            }
            Act::Restore(which, choices, death) => self.restore(&which, &choices, death).await,
            Act::Again(which, times, edits) => self.again(&which, times, &edits).await,
            Act::Finish => self.finish().await,
            Act::Undo => self.undo().await,
            Act::Delete(which) if !self.held.is_empty() => {
                let id = *which.get(&self.held.keys().copied().collect::<Vec<_>>());
                let done = self.app.checkpoint_delete(CheckpointRefs { ids: vec![id] }).await;
                let unfinished = self.list().await.unfinished;
                let needed =
                    unfinished.iter().any(|plan| plan.checkpoint_id == id || plan.before == id);
                assert_eq!(done.map_err(|failure| failure.code).is_err(), needed);
                if !needed {
                    self.held.remove(&id);
                }
            }
            Act::Delete(_) => {}
            Act::Clean(count) => {
                let rules = Some(Retention { days: None, count: Some(count), bytes: None });
                let request = CleanCheckpoints {
                    project_id: self.project,
                    rules,
                    only: None,
                    dry_run: false,
                };
                for gone in self.app.checkpoint_clean(request).await.unwrap().gone {
                    self.held.remove(&gone.id);
                }
            }
            Act::Reopen(stays) => {
                self.start(stays);
                tokio::task::yield_now().await;
            }
            Act::Bring(end) => self.bring(end).await,
            Act::Harm(how) => self.harm(how),
        }
    }

    /// A copy in the project's folder, or none any more; or a first one that is stopped after so many objects.
    async fn bring(&mut self, end: Option<u8>) {
        let project_id = self.project;
        let now = self.app.checkpoint_place(ProjectRef { id: project_id }).await.unwrap().kept;
        let to = if now == Kept::Here { Kept::Project } else { Kept::Here };
        let Some(objects) = end else {
            let placed =
                self.app.checkpoint_place_set(SetPlace { project_id, to }, Arc::new(|_| {}));
            let placed = placed.await.unwrap();
            assert_eq!((placed.kept, placed.whole), (to, to == Kept::Project));
            return;
        };
        let (store, root) = (self.store(), self.root().display().to_string());
        let mut told = |done, _| done < u64::from(objects);
        let busy = StoreError::Conflict { what: "its copy is being written" };
        let mut done = Err(busy.clone());
        until("a host that stays to be done with the copy", async || {
            done = store.set_place(project_id, &root, to, &mut told);
            done != Err(busy.clone())
        })
        .await;
        if let Err(error) = done {
            assert_eq!(error, StoreError::Conflict { what: "cancelled" });
            assert_eq!(store.place(project_id).unwrap().kept, now);
        }
    }

    /// A copy is whole after each checkpoint: at once where a host goes, and soon where it stays.
    async fn followed(&self) {
        let (store, mut place) = (self.store(), PlaceState::default());
        let mut is_so = || {
            place = store.place(self.project).unwrap();
            place.kept == Kept::Here || place.whole
        };
        match self.staying {
            Some(_) => until("the copy to follow", async || is_so()).await,
            None => assert!(is_so(), "{place:?}"),
        }
    }

    /// What a command in the project may do to the folder, whatever lies there, and while somebody writes there.
    fn harm(&self, how: u8) {
        let own = self.root().join(".siltstone");
        let Some(pack) = packs(&own).into_iter().nth(usize::from(how) / 4) else { return };
        let Ok(bytes) = fs::read(&pack) else { return };
        let _ = match how % 4 {
            0 => fs::remove_dir_all(&own),
            1 => fs::remove_file(&pack),
            2 => fs::write(&pack, &bytes[..bytes.len() / 2]),
            _ => fs::write(&pack, vec![0; bytes.len()]),
        };
    }

    async fn list(&self) -> CheckpointList {
        let request = ListCheckpoints { project_id: self.project, before: None, limit: 1 };
        self.app.checkpoint_list(request).await.unwrap()
    }

    /// One of those that are there.
    fn pick(&self, which: &Index) -> Option<CheckpointId> {
        let ids: Vec<CheckpointId> = self.held.keys().copied().collect();
        (!ids.is_empty()).then(|| *which.get(&ids))
    }

    async fn plan(&self, id: CheckpointId) -> RestorePlan {
        let parts = RestoreParts { chat: false, files: true, memory: true, context: true };
        self.app.checkpoint_plan(PlanRestore { id, parts }).await.unwrap()
    }

    async fn restore(&mut self, which: &Index, choices: &[u8], death: Option<u64>) {
        let Some(id) = self.pick(which) else { return };
        let planned = self.plan(id).await;
        let before = disk(self.root());
        let (mut chosen, mut paths) = (Vec::new(), BTreeSet::new());
        for (file, choice) in planned.files.iter().zip(choices.iter().cycle()) {
            let choice = match choice {
                0 => PathOutcome::Keep,
                1 => PathOutcome::Overwrite,
                2 if file.can_merge => PathOutcome::Merge { text: self.text("both") },
                _ => continue,
            };
            paths.insert(file.path.clone());
            chosen.push(PathChoice { index: file.index, choice });
        }
        let by_default = chosen.is_empty();
        self.chosen.insert(planned.plan_id, paths.clone());
        let run = RunRestore { plan_id: planned.plan_id, choices: chosen };
        self.left.store(death.unwrap_or(u64::MAX), SeqCst);
        let done = self.app.checkpoint_restore(run).await;
        let guards = match self.after(done, death) {
            Some(done) => vec![done.before],
            None => {
                let unfinished = self.list().await.unfinished.into_iter();
                let own = unfinished.filter(|plan| plan.plan_id == planned.plan_id);
                own.map(|plan| plan.before).collect()
            }
        };
        for guard in &guards {
            // What was there is in the checkpoint before, whatever was chosen.
            self.held.insert(*guard, before.clone());
        }
        self.check_against(&before, &[id], by_default);
        self.check_unseen(&before, &paths, &[id]);
        self.note_put(&before, &guards);
    }

    /// What was cut off goes on, whatever was done to the files meanwhile.
    async fn finish(&mut self) {
        for plan in self.list().await.unfinished {
            let before = disk(self.root());
            let run = RunRestore { plan_id: plan.plan_id, choices: Vec::new() };
            let done = self.app.checkpoint_restore(run).await.unwrap();
            assert_eq!(done.before, plan.before);
            self.check_against(&before, &[plan.checkpoint_id], false);
            let chosen = self.chosen.get(&plan.plan_id).cloned().unwrap_or_default();
            self.check_unseen(&before, &chosen, &[plan.checkpoint_id]);
            self.note_put(&before, &[plan.before]);
        }
        assert_eq!(self.list().await.unfinished, []);
    }

    /// Every file is what it was before a restore, or what one of these checkpoints has, or what was merged.
    fn check_against(&self, before: &Files, restored: &[CheckpointId], by_default: bool) {
        let after = disk(self.root());
        for (path, bytes) in before {
            let now = after.get(path);
            let then = restored.iter().any(|id| now == self.held[id].get(path));
            let merged = now.is_some_and(|now| now.starts_with(b"both"));
            assert!(now == Some(bytes) || then || merged, "{path} became something else");
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
        let (unfinished, before) = (self.list().await.unfinished, disk(self.root()));
        let last = self.store().last_restore(self.project).unwrap().and_then(|plan| plan.before);
        let done = self.app.checkpoint_undo(ProjectRef { id: self.project }).await;
        if unfinished.is_empty() {
            if let Ok(done) = done {
                self.held.insert(done.before, before.clone());
                self.check_unseen(&before, &BTreeSet::new(), last.as_slice());
                self.note_put(&before, &[done.before]);
            }
            return;
        }
        // They were finished first.
        let guard = done.unwrap().before;
        let both = unfinished.iter().flat_map(|plan| [plan.checkpoint_id, plan.before]);
        let both = both.collect::<Vec<_>>();
        self.check_against(&before, &both, false);
        let chosen = unfinished.iter().filter_map(|plan| self.chosen.get(&plan.plan_id)).flatten();
        self.check_unseen(&before, &chosen.cloned().collect(), &both);
        let guards: Vec<_> = unfinished.iter().map(|plan| plan.before).collect();
        self.note_put(&before, &guards);
        // What the way back put there it put in the place of what the others had made by their end.
        let between = self.files_of(guard);
        self.note_put(&between, &[guard]);
        assert_eq!(self.list().await.unfinished, []);
    }

    /// What a checkpoint holds.
    fn files_of(&self, id: CheckpointId) -> Files {
        let (store, mut read) = (self.store(), Files::new());
        let found = store.checkpoint(id).unwrap();
        let objects = store.objects();
        collect(objects.as_ref(), found.files.unwrap().tree, "", &mut read);
        read
    }

    /// Every checkpoint that should be there holds what it held, to the byte.
    fn check(&self) {
        let store = self.store();
        for (id, files) in &self.held {
            assert_eq!(&self.files_of(*id), files);
        }
        assert_eq!(store.verify(&mut |_| true).unwrap(), []);
    }
}

/// The packs below a folder.
fn packs(own: &Path) -> Vec<std::path::PathBuf> {
    let above = fs::read_dir(own.join("checkpoints")).into_iter().flatten().flatten();
    let all = above.flat_map(|folder| fs::read_dir(folder.path()).into_iter().flatten().flatten());
    let all = all.map(|entry| entry.path());
    all.filter(|path| path.extension().is_some_and(|it| it == "pack")).collect()
}

fn collect(store: &dyn Objects, tree: Option<ObjectId>, above: &str, files: &mut Files) {
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
                if name != ".siltstone" {
                    dirs.push(path);
                }
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
