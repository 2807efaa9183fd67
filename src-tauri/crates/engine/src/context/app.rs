//! The app's own context: one persistent and one volatile store, and how requests and triggers change them.
//!
//! There is one for each project and one for no project, because each has its own file.

use indexmap::IndexMap;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::file::StoreFile;
use super::key;
use super::path;
use super::refresh::{Load, LoadSource, Refresh, RefreshTrigger};
use super::store::{ContextScope, ContextSnapshot, ContextStore, PersistenceKind};

/// The keys that only loads write.
const LOADED: [&str; 3] = [key::DEFAULT_SYSTEM_RULES, key::PROJECT_RULES, key::LAYER_SUMMARY];

/// Where the person works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workplace {
    /// The root of the open project, else the person's home; absolute.
    pub directory: String,
    /// Whether it is an open project.
    pub project_open: bool,
}

/// What a request sees of the volatile context (behaviour.md, Context stores).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum VolatilePolicy {
    /// What it brings is laid over what the app knows, and stays known.
    #[default]
    Merged,
    /// What it brings, and where the person works; nothing of it stays.
    RequestAlone,
}

/// What a request leads to.
#[derive(Clone, Debug)]
pub struct RequestContext {
    /// The volatile context it sees.
    pub volatile: ContextStore,
    /// What to load before it is composed.
    pub loads: Vec<Load>,
}

/// Persistent and volatile context of the app.
#[derive(Clone, Debug)]
pub struct AppContext {
    persistent: ContextStore,
    volatile: ContextStore,
    place: Workplace,
    refresh: Refresh,
    /// The root that the rules in the persistent store are of.
    rules_of: Option<String>,
    refreshed_at: Option<Timestamp>,
    unknown: IndexMap<String, Value>,
}

impl AppContext {
    /// Starts with what was kept, and says what to load. Kept rules of the same root serve until they are read again.
    pub fn start(place: Workplace, kept: Option<StoreFile>, now: Timestamp) -> (Self, Vec<Load>) {
        let mut context = Self {
            persistent: ContextStore::new(ContextScope::App, PersistenceKind::Persistent),
            volatile: ContextStore::new(ContextScope::App, PersistenceKind::Volatile),
            place,
            refresh: Refresh::default(),
            rules_of: None,
            refreshed_at: None,
            unknown: IndexMap::new(),
        };
        if let Some(kept) = kept {
            context.persistent = kept.store();
            context.rules_of = kept.project_root;
            context.refreshed_at = kept.refreshed_at;
            context.unknown = kept.unknown;
        }
        let mut loads = context.refresh(&RefreshTrigger::Started, now);
        loads.extend(context.set_place(&ContextSnapshot::new(), now));
        (context, loads)
    }

    /// The persistent store.
    pub fn persistent(&self) -> &ContextStore {
        &self.persistent
    }

    /// The volatile store.
    pub fn volatile(&self) -> &ContextStore {
        &self.volatile
    }

    /// Takes in what a request brings. Where the person works is set again each time: the working directory always by
    /// us, because relative paths start there; the project root unless the request names one.
    pub fn on_request(
        &mut self,
        place: Workplace,
        sent: &ContextSnapshot,
        policy: VolatilePolicy,
        now: Timestamp,
    ) -> RequestContext {
        self.place = place;
        let loads = self.set_place(sent, now);
        let others = sent.iter().filter(|(key, _)| !is_place(key));
        let volatile = match policy {
            VolatilePolicy::Merged => {
                self.volatile.put_all(others);
                self.volatile.clone()
            }
            VolatilePolicy::RequestAlone => {
                let mut alone = ContextStore::new(ContextScope::App, PersistenceKind::Volatile);
                put_place(&mut alone, &self.place, sent);
                alone.put_all(others);
                alone
            }
        };
        RequestContext { volatile, loads }
    }

    /// From now on `key` is `value`, says someone outside a request; `false` for the place of work, which requests
    /// alone set.
    pub fn put(&mut self, key: &str, value: &str) -> bool {
        let free = !is_place(key);
        if free {
            self.volatile.put(key, value);
        }
        free
    }

    /// Nothing is known of `key` any more; `false` for the place of work.
    pub fn forget(&mut self, key: &str) -> bool {
        let free = !is_place(key);
        if free {
            self.volatile.remove(key);
        }
        free
    }

    /// Keeps `value` under `key` in the persistent store; `false` for the keys that only loads write.
    pub fn keep(&mut self, key: &str, value: &str) -> bool {
        let free = !is_loaded(key);
        if free {
            self.persistent.put(key, value);
        }
        free
    }

    /// Takes `key` out of the persistent store; `false` for the keys that only loads write.
    pub fn discard(&mut self, key: &str) -> bool {
        let free = !is_loaded(key);
        if free {
            self.persistent.remove(key);
        }
        free
    }

    /// Forgets all volatile context but the place of work.
    pub fn clear(&mut self) {
        let root = self.volatile.snapshot().get(key::PROJECT_ROOT).cloned();
        self.volatile.clear();
        self.volatile.put(key::WORKING_DIRECTORY, &self.place.directory);
        self.volatile.put(key::PROJECT_ROOT, root.as_ref().unwrap_or(&self.place.directory));
    }

    /// The path as it reads from the working directory.
    pub fn resolve(&self, path: &str) -> String {
        path::resolve(path, &self.place.directory)
    }

    /// Decides what a trigger makes necessary. Rules of another root than the one in use are taken out at once: none
    /// are better than the wrong ones.
    pub fn refresh(&mut self, trigger: &RefreshTrigger, now: Timestamp) -> Vec<Load> {
        let resolved = match trigger {
            RefreshTrigger::ProjectRoot(Some(root)) => {
                RefreshTrigger::ProjectRoot(Some(self.resolve(root)))
            }
            RefreshTrigger::RulesChanged { project_root } => {
                RefreshTrigger::RulesChanged { project_root: self.resolve(project_root) }
            }
            other => other.clone(),
        };
        let loads = self.refresh.step(&resolved, now);
        for load in &loads {
            if let LoadSource::ProjectRules { root } = &load.source
                && self.rules_of.as_ref() != Some(root)
            {
                self.persistent.remove(key::PROJECT_RULES);
                self.rules_of = None;
            }
        }
        loads
    }

    /// When to come with [`RefreshTrigger::TimePassed`].
    pub fn refresh_due_at(&self) -> Option<Timestamp> {
        self.refresh.due_at()
    }

    /// Takes in what was loaded, `None` when there is nothing of the kind. `true` when the store is to be kept anew;
    /// `false` when the load was overtaken or brought what is there already.
    pub fn loaded(&mut self, load: &Load, text: Option<String>, now: Timestamp) -> bool {
        if !self.refresh.end(load, true, now) {
            return false;
        }
        let key = load.source.key();
        let mut changed = self.persistent.snapshot().get(key) != text.as_ref();
        match text {
            Some(text) => self.persistent.put(key, text),
            None => self.persistent.remove(key),
        }
        if let LoadSource::ProjectRules { root } = &load.source {
            changed |= self.rules_of.as_ref() != Some(root);
            self.rules_of = Some(root.clone());
        }
        if changed {
            self.refreshed_at = Some(now);
        }
        changed
    }

    /// A load failed: what is there stays, and rules are tried again at the next request.
    pub fn failed(&mut self, load: &Load, now: Timestamp) {
        self.refresh.end(load, false, now);
    }

    /// The persistent store as it is kept.
    pub fn file(&self) -> StoreFile {
        let mut file = StoreFile::of(&self.persistent);
        file.project_root.clone_from(&self.rules_of);
        file.refreshed_at = self.refreshed_at;
        file.unknown.clone_from(&self.unknown);
        file
    }

    /// Takes over what another process kept meanwhile, and what it took out, but for what we loaded ourselves.
    pub fn adopt(&mut self, file: StoreFile) {
        let mut ours = self.persistent.snapshot().clone();
        ours.retain(|key, _| is_loaded(key));
        self.persistent.clear();
        self.persistent.put_all(ours);
        self.persistent.put_all(file.entries.into_iter().filter(|(key, _)| !is_loaded(key)));
        self.unknown = file.unknown;
    }

    fn set_place(&mut self, sent: &ContextSnapshot, now: Timestamp) -> Vec<Load> {
        put_place(&mut self.volatile, &self.place, sent);
        self.refresh.project_open = self.place.project_open;
        let root = self.volatile.snapshot().get(key::PROJECT_ROOT).cloned();
        self.refresh(&RefreshTrigger::ProjectRoot(root), now)
    }
}

fn put_place(store: &mut ContextStore, place: &Workplace, sent: &ContextSnapshot) {
    let root = sent.get(key::PROJECT_ROOT).filter(|root| !root.trim().is_empty());
    store.put(key::WORKING_DIRECTORY, &place.directory);
    store.put(key::PROJECT_ROOT, root.unwrap_or(&place.directory));
}

/// Whether only loads write this key.
fn is_loaded(key: &str) -> bool {
    LOADED.contains(&key)
}

/// Whether only requests write this key.
fn is_place(key: &str) -> bool {
    [key::WORKING_DIRECTORY, key::PROJECT_ROOT].contains(&key)
}
