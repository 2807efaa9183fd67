//! What is known beside the conversation (behaviour.md, Context stores): one context for each project and one for no project, alive for as
//! long as this process, and the blocks that every request carries of it.
//!
//! What `silt` or an editor tells lies in a file, so every process hears it: at its next request in any case, and at once
//! where a host watches. What is loaded, and when, is in [`crate::contexts::loading`]; the files are in
//! [`crate::contexts::kept`].

pub(crate) mod kept;
mod loading;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};
use siltstone_contract::{
    BroughtContext, Code, ContextEntry, ContextRef, ContextView, EntrySource, EntryView, Failure,
    PutContext, RemoveContext, StoreView, Topic,
};
use siltstone_engine::context::{
    ContextScope, ContextSnapshot, ContextStore, PersistenceKind, PromptComposer, RefreshTrigger,
    TaskKind, Workplace, key,
};
use siltstone_engine::conversation::Conversation;
use siltstone_engine::ids::{MessageId, ProjectId, TurnId};
use siltstone_engine::memory::paths_in;
use siltstone_engine::ports::StoreError;
use siltstone_engine::project::Project;
use siltstone_engine::turn::Turn;

use crate::contexts::kept::{Kept, Place, Which};
use crate::core::failure::{Outcome, bad_request};
use crate::core::{Core, locked, service};
use crate::memory::{MemoryService, beneath};
use crate::models::ModelService;
use crate::privacy::PrivacyService;
use crate::tools::ToolService;

service! {
    /// What is known beside conversations.
    ContextService {
        needs {
            core: Core, privacy: PrivacyService, models: ModelService, memory: MemoryService,
            tools: ToolService
        }
        keeps {
            state: Contexts,
        }
    }
}

/// Keys whose text every request carries as sections of their own: rules, and the tools that are offered. Which
/// providers there are is nothing to a model.
const ELSEWHERE: [&str; 3] = [key::PROJECT_RULES, key::DEFAULT_SYSTEM_RULES, key::LAYER_SUMMARY];

/// What the model is told once after a restore.
const RESTORED: &str = "restored";

/// Most entries that a request or other programs may bring, and how long a key and a value may be, in bytes.
const MOST_ENTRIES: usize = 64;
const KEY_BYTES: usize = 200;
const VALUE_BYTES: usize = 64 * 1024;

/// The contexts of this process.
#[derive(Default)]
pub(crate) struct Contexts {
    pub(crate) alive: Mutex<HashMap<Option<ProjectId>, Kept>>,
    /// Held while something is loaded, so that whoever comes meanwhile finds it.
    pub(crate) loading: Mutex<HashMap<Option<ProjectId>, Arc<tokio::sync::Mutex<()>>>>,
    /// What questions brought that are not asked yet.
    brought: Mutex<HashMap<MessageId, BroughtContext>>,
    runs: Mutex<HashMap<TurnId, Run>>,
}

/// A turn that is carried out: its own context, and that of its call of a model.
struct Run {
    project: Option<ProjectId>,
    stores: [ContextStore; 2],
}

/// What was told of a project beside its conversations, by how long it lasts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Told {
    persistent: ContextSnapshot,
    volatile: ContextSnapshot,
}

impl Told {
    fn of(kept: &Kept) -> Self {
        let loaded = [key::DEFAULT_SYSTEM_RULES, key::PROJECT_RULES, key::LAYER_SUMMARY];
        let mut persistent = kept.context.persistent().snapshot().clone();
        persistent.retain(|key, _| !loaded.contains(&key.as_str()));
        let mut volatile = kept.told.entries.clone();
        volatile.shift_remove(RESTORED);
        Self { persistent, volatile }
    }

    /// Every entry, each under the name of its store and its key.
    pub(crate) fn entries(&self) -> BTreeMap<String, String> {
        let stores = [("persistent", &self.persistent), ("volatile", &self.volatile)];
        let named = stores.into_iter().flat_map(|(name, store)| {
            store.iter().map(move |(key, value)| (format!("{name}/{key}"), value.clone()))
        });
        named.collect()
    }
}

/// What a request carries of the context.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    pub(crate) persistent: Option<String>,
    pub(crate) volatile: Option<String>,
}

impl Contexts {
    /// What a question brought, once.
    pub(crate) fn brought_with(&self, id: MessageId) -> BroughtContext {
        locked(&self.brought).remove(&id).unwrap_or_default()
    }

    /// A turn begins.
    pub(crate) fn begin_run(
        &self,
        turn: &Turn,
        project: Option<ProjectId>,
        asked: &str,
        brought: &BroughtContext,
    ) {
        let run = ContextStore::of_run(&turn.id.to_string(), asked, &snapshot(&brought.entries));
        locked(&self.runs).insert(turn.id, Run { project, stores: [run, call_of(&turn.model)] });
    }

    /// A turn ends, and its context with it.
    pub(crate) fn end_run(&self, id: TurnId) {
        locked(&self.runs).remove(&id);
    }
}

impl ContextService {
    /// Everything that is known of a project, or beside all projects, and what a chat makes of it.
    pub async fn context_get(&self, request: ContextRef) -> Result<ContextView, Failure> {
        let project = request.project_id;
        self.awake(project).await?;
        let language = self.core.language();
        // As requests carry it: a rule file may hold a key.
        let cleaner = self.privacy.cleaner();
        self.with_context(project, |kept, _| {
            let blocks = compose(kept, kept.context.volatile(), None, &language);
            let (context, layers) = (&kept.context, kept.layers.store());
            let told =
                |key: &str, value: &str| kept.told.entries.get(key).is_some_and(|it| it == value);
            let mut stores = vec![
                store_view(context.persistent(), |key, _| match key {
                    key::DEFAULT_SYSTEM_RULES | key::PROJECT_RULES | key::LAYER_SUMMARY => {
                        EntrySource::Loaded
                    }
                    _ => EntrySource::Told,
                }),
                store_view(context.volatile(), |key, value| match key {
                    key::WORKING_DIRECTORY | key::PROJECT_ROOT => EntrySource::Place,
                    key if told(key, value) => EntrySource::Told,
                    _ => EntrySource::Request,
                }),
                store_view(&layers, |_, _| EntrySource::Loaded),
            ];
            for run in locked(&self.state.runs).values().filter(|run| run.project == project) {
                stores.extend(
                    run.stores.iter().map(|it| store_view(it, |_, _| EntrySource::Request)),
                );
            }
            let clean = |text: &str| cleaner.text(text).into_owned();
            for entry in stores.iter_mut().flat_map(|store| &mut store.entries) {
                entry.value = clean(&entry.value);
            }
            Ok(ContextView {
                stores,
                composed_persistent: blocks.persistent.as_deref().map(clean),
                composed_volatile: blocks.volatile.as_deref().map(clean),
            })
        })
    }

    /// From now on `key` is `value`, for every process on the data folder.
    pub async fn context_put(&self, request: PutContext) -> Result<(), Failure> {
        let PutContext { project_id, kind, key, value } = request;
        check(&[ContextEntry { key: key.clone(), value: value.clone() }])?;
        let put = |kept: &mut Kept| match kind {
            PersistenceKind::Persistent => kept.context.keep(&key, &value),
            PersistenceKind::Volatile => {
                let told = &mut kept.told.entries;
                let room = told.contains_key(&key) || told.len() < MOST_ENTRIES;
                let put = room && kept.context.put(&key, &value);
                if put {
                    told.insert(key.clone(), value.clone());
                }
                put
            }
        };
        self.tell(project_id, kind, put).await
    }

    /// Nothing is known of `key` any more.
    pub async fn context_remove(&self, request: RemoveContext) -> Result<(), Failure> {
        let RemoveContext { project_id, kind, key } = request;
        let remove = |kept: &mut Kept| match kind {
            PersistenceKind::Persistent => kept.context.discard(&key),
            PersistenceKind::Volatile => {
                kept.told.entries.shift_remove(&key);
                kept.context.forget(&key)
            }
        };
        self.tell(project_id, kind, remove).await
    }

    /// Forgets all volatile context but the place of work.
    pub async fn context_clear(&self, request: ContextRef) -> Result<(), Failure> {
        let clear = |kept: &mut Kept| {
            kept.told.entries.clear();
            kept.context.clear();
            true
        };
        self.tell(request.project_id, PersistenceKind::Volatile, clear).await
    }

    /// Loads everything anew.
    pub async fn context_refresh(&self, request: ContextRef) -> Result<ContextView, Failure> {
        self.awake(request.project_id).await?;
        self.refresh(request.project_id, &RefreshTrigger::Forced).await?;
        self.context_get(request).await
    }

    /// Keeps what a question brings until it is asked, in this process.
    pub(crate) fn bring(
        &self,
        id: MessageId,
        context: Option<BroughtContext>,
    ) -> Result<(), Failure> {
        if let Some(context) = context {
            check(&context.entries)?;
            locked(&self.state.brought).insert(id, context);
        }
        Ok(())
    }

    /// The blocks of a request of this conversation. What it brings stays known when it is `sent`; a preview changes
    /// nothing. A context that cannot be read is missing from the request, not in its way.
    pub(crate) async fn context_blocks(
        &self,
        conversation: &Conversation,
        model: &str,
        language: &str,
        brought: &BroughtContext,
        sent: bool,
    ) -> Blocks {
        let project = conversation.project_id;
        let blocks = async {
            self.awake(project).await?;
            let workplace = self.workplace(project)?;
            let (said, policy) = (snapshot(&brought.entries), brought.policy);
            let request = |kept: &mut Kept, now| {
                if sent {
                    let request = kept.context.on_request(workplace, &said, policy, now);
                    return (request.volatile, request.loads);
                }
                let request = kept.context.clone().on_request(workplace, &said, policy, now);
                (request.volatile, Vec::new())
            };
            let volatile = self.decide(project, request).await?;
            self.with_context(project, |kept, _| {
                Ok(compose(kept, &volatile, Some(&call_of(model)), language))
            })
        };
        let blocks: Result<Blocks, Failure> = blocks.await;
        blocks.unwrap_or_else(|failure| {
            tracing::warn!(%failure, "a request goes without its context");
            Blocks::default()
        })
    }

    /// The one message that asks for work of our own: what this task takes of a project's context and of a run, and its
    /// body. Rules of the project are in it, because no section carries them here.
    pub(crate) async fn task_prompt(
        &self,
        task: TaskKind,
        project: Option<ProjectId>,
        run: &ContextStore,
        model: &str,
        language: &str,
        body: &str,
    ) -> Result<String, Failure> {
        self.awake(project).await?;
        self.with_context(project, |kept, _| {
            let (layers, call) = (kept.layers.store(), call_of(model));
            let context = &kept.context;
            let stores = [context.persistent(), context.volatile(), &layers, run, &call];
            let composer = PromptComposer { language, elsewhere: &[key::LAYER_SUMMARY] };
            Ok(composer.compose(task, &stores, body).to_string())
        })
    }

    /// The open project's root; without a project, where the host says that the person works, or their home.
    pub(crate) fn workplace(&self, project: Option<ProjectId>) -> Result<Workplace, Failure> {
        let directory = match project {
            Some(id) => self.core.stores()?.records.project(id).or_failure()?.path,
            None => self.core.options.working_directory.clone().unwrap_or_else(|| {
                let home = dirs::home_dir();
                home.unwrap_or_else(|| self.core.options.data_dir.clone()).display().to_string()
            }),
        };
        Ok(Workplace { directory, project_open: project.is_some() })
    }

    /// What was told of a project beside its conversations.
    pub(crate) async fn told_context(&self, project: ProjectId) -> Result<Told, Failure> {
        self.awake(Some(project)).await?;
        self.with_context(Some(project), |kept, _| Ok(Told::of(kept)))
    }

    /// Lets a project's context be what was told then.
    pub(crate) async fn tell_again(&self, project: ProjectId, then: &Told) -> Result<(), Failure> {
        let persistent = |kept: &mut Kept| {
            for key in Told::of(kept).persistent.keys() {
                kept.context.discard(key);
            }
            then.persistent.iter().for_each(|(key, value)| _ = kept.context.keep(key, value));
            true
        };
        self.tell(Some(project), PersistenceKind::Persistent, persistent).await?;
        let volatile = |kept: &mut Kept| {
            for key in Told::of(kept).volatile.keys() {
                kept.told.entries.shift_remove(key);
                kept.context.forget(key);
            }
            for (key, value) in &then.volatile {
                if kept.context.put(key, value) {
                    kept.told.entries.insert(key.clone(), value.clone());
                }
            }
            true
        };
        self.tell(Some(project), PersistenceKind::Volatile, volatile).await
    }

    /// What the next request of a project says of a restore.
    pub(crate) async fn restored(&self, project: Option<ProjectId>) -> Option<String> {
        self.awake(project).await.ok()?;
        let said = |kept: &mut Kept, _: &Place<'_>| Ok(kept.told.entries.get(RESTORED).cloned());
        self.with_context(project, said).ok().flatten()
    }

    /// Says it in the next request, or nothing any more.
    pub(crate) async fn say_restored(
        &self,
        project: Option<ProjectId>,
        text: Option<&str>,
    ) -> Result<(), Failure> {
        let say = |kept: &mut Kept| {
            match text {
                Some(text) => {
                    kept.told.entries.insert(RESTORED.to_owned(), text.to_owned());
                    kept.context.put(RESTORED, text);
                }
                None => {
                    kept.told.entries.shift_remove(RESTORED);
                    kept.context.forget(RESTORED);
                }
            }
            true
        };
        self.tell(project, PersistenceKind::Volatile, say).await
    }

    pub(crate) fn with_context<T>(
        &self,
        project: Option<ProjectId>,
        work: impl FnOnce(&mut Kept, &Place<'_>) -> Result<T, StoreError>,
    ) -> Result<T, Failure> {
        let stores = self.core.stores()?;
        let place = Place { files: stores.contexts.as_ref(), project, now: self.core.now() };
        let mut alive = locked(&self.state.alive);
        let kept = alive
            .get_mut(&project)
            .ok_or_else(|| Failure::new(Code::NotFound, "the project was forgotten meanwhile"))?;
        work(kept, &place).or_failure()
    }

    /// Changes what other processes are told, too.
    async fn tell(
        &self,
        project: Option<ProjectId>,
        kind: PersistenceKind,
        how: impl Fn(&mut Kept) -> bool,
    ) -> Result<(), Failure> {
        self.awake(project).await?;
        let which = match kind {
            PersistenceKind::Persistent => Which::Persistent,
            PersistenceKind::Volatile => Which::Told,
        };
        let allowed = self.with_context(project, |kept, place| kept.change(place, which, how))?;
        if !allowed {
            return Err(bad_request("the key is Siltstone's own, or 64 others are there already"));
        }
        self.core.changed([Topic::Context]);
        Ok(())
    }

    /// The paths a message is about beside those it mentions: what it names in plain words, and where the person works.
    pub(crate) fn at_hand(
        &self,
        project: &Project,
        draft: &str,
        brought: &BroughtContext,
    ) -> Vec<String> {
        let kept = self.with_context(Some(project.id), |kept, _| {
            let known = kept.context.volatile().snapshot();
            let of = |key: &str| known.get(key).cloned();
            Ok([of(key::CURRENT_FILE), of(key::WORKING_DIRECTORY)])
        });
        let kept = kept.into_iter().flatten().flatten();
        let told = brought
            .entries
            .iter()
            .filter(|entry| entry.key == key::CURRENT_FILE || entry.key == key::WORKING_DIRECTORY);
        let named = paths_in(draft).map(str::to_owned);
        let paths = named.chain(kept).chain(told.map(|entry| entry.value.clone()));
        let mut touched: Vec<String> =
            paths.filter_map(|path| beneath(&project.path, &path)).collect();
        touched.dedup();
        touched
    }
}

/// What a chat takes of these stores. The context itself without a call, that of one call with it.
fn compose(
    kept: &Kept,
    volatile: &ContextStore,
    call: Option<&ContextStore>,
    language: &str,
) -> Blocks {
    let layers = kept.layers.store();
    let mut stores = vec![kept.context.persistent(), volatile, &layers];
    stores.extend(call);
    let composer = PromptComposer { language, elsewhere: &ELSEWHERE };
    let composed = composer.compose(TaskKind::Chat, &stores, "");
    Blocks { persistent: composed.persistent, volatile: composed.volatile }
}

/// The context of one call of a model.
fn call_of(model: &str) -> ContextStore {
    let mut call = ContextStore::new(ContextScope::Task, PersistenceKind::Volatile);
    call.put("model", model);
    call
}

/// Refuses what no request may bring.
fn check(entries: &[ContextEntry]) -> Result<(), Failure> {
    let possible = |entry: &ContextEntry| {
        (1..=KEY_BYTES).contains(&entry.key.trim().len()) && entry.value.len() <= VALUE_BYTES
    };
    if entries.len() > MOST_ENTRIES || !entries.iter().all(possible) {
        return Err(bad_request("context has at most 64 keys of 200 bytes with 64 KiB each"));
    }
    Ok(())
}

fn snapshot(entries: &[ContextEntry]) -> ContextSnapshot {
    entries.iter().map(|entry| (entry.key.clone(), entry.value.clone())).collect()
}

fn store_view(store: &ContextStore, source: impl Fn(&str, &str) -> EntrySource) -> StoreView {
    let entry = |(key, value): (&String, &String)| EntryView {
        key: key.clone(),
        value: value.clone(),
        source: source(key, value),
    };
    StoreView {
        scope: store.scope(),
        kind: store.kind(),
        entries: store.snapshot().iter().map(entry).collect(),
    }
}
