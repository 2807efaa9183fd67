//! Hearing of changes on disk, in hosts that stay: the project that was looked at last is watched, and global memory
//! with it. Requests do not rely on it, since every one looks at the files' stamps; screens do.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use siltstone_contract::Topic;
use siltstone_engine::ids::ProjectId;
use siltstone_engine::memory::Watching;
use siltstone_engine::project::{Project, Trust};

use super::{Parts, Reach, Rules};
use crate::core::locked;
use crate::memory::MemoryService;

/// What is watched.
#[derive(Default)]
pub(super) struct Watched {
    of: Option<Of>,
    /// How, once that is known.
    how: Option<Watching>,
}

/// A project, and how its memory is found.
#[derive(Clone, PartialEq)]
struct Of {
    id: ProjectId,
    root: String,
    rules: Rules,
}

impl MemoryService {
    /// From now on the project that is looked at is watched.
    pub(crate) fn stay(&self) {
        self.state.stays.store(true, Ordering::Relaxed);
    }

    /// Whether this host stays.
    pub(crate) fn stays(&self) -> bool {
        self.state.stays.load(Ordering::Relaxed)
    }

    /// How a project is watched, if it is.
    pub(super) fn watching(&self, project: ProjectId) -> Option<Watching> {
        let watched = locked(&self.state.watched);
        watched.how.clone().filter(|_| watched.of.as_ref().is_some_and(|of| of.id == project))
    }

    /// Watches a project in place of the one before. Starting takes a look at the folder, so it is not waited for.
    pub(crate) fn watch_memory(&self, project: &Project) {
        let Ok(rules) = self.memory_rules(Some(project)) else { return };
        let of = Of { id: project.id, root: project.path.clone(), rules };
        if !self.stays() || locked(&self.state.watched).of.as_ref() == Some(&of) {
            return;
        }
        let before = {
            let mut watched = locked(&self.state.watched);
            watched.how = None;
            watched.of.replace(of.clone())
        };
        let (this, project) = (self.clone(), project.clone());
        tokio::task::spawn_blocking(move || {
            if let Some(before) = before.filter(|before| before.root != of.root) {
                this.core.world.memory.unwatch(&before.root);
            }
            let told: Weak<Parts> = Arc::downgrade(&this.0);
            let (place, runtime) = (of.rules.at(Some(&project)), tokio::runtime::Handle::current());
            let id = project.id;
            let on_change = Box::new(move |paths: Vec<String>| {
                if let Some(inner) = told.upgrade() {
                    runtime
                        .spawn(async move { MemoryService(inner).memory_changed(id, paths).await });
                }
            });
            match this.core.world.memory.watch(&place, on_change) {
                Ok(how) => {
                    let mut watched = locked(&this.state.watched);
                    if watched.of.as_ref() == Some(&of) {
                        watched.how = Some(how);
                    }
                }
                Err(error) => tracing::warn!(%error, "watching memory"),
            }
            this.core.changed([Topic::Memory]);
        });
    }

    /// A project was forgotten.
    pub(crate) fn forget_memory(&self, project: ProjectId) {
        let mut watched = locked(&self.state.watched);
        if let Some(of) = watched.of.take_if(|of| of.id == project) {
            watched.how = None;
            drop(watched);
            self.core.world.memory.unwatch(&of.root);
        }
    }

    /// Files changed on disk: their versions are kept, the context is renewed, and whoever shows them is told.
    async fn memory_changed(&self, id: ProjectId, paths: Vec<String>) {
        let Ok(Some(project)) = self.project_of(Some(id)) else { return };
        let (this, of) = (self.clone(), project.clone());
        let read = move || {
            let reach = if paths.is_empty() { Reach::All } else { Reach::Along(&paths) };
            this.memory_on_disk(Some(&of), reach).map(|_| ())
        };
        if let Ok(Err(failure)) = crate::core::blocking(read).await {
            tracing::warn!(%failure, "reading memory that changed");
        }
        if project.trust == Trust::Trusted {
            self.core.rules_changed(&project).await;
        }
        self.core.changed([Topic::Memory]);
    }
}
