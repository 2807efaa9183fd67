//! Loading what the contexts keep: the engine decides what and when, here it is read. Rules come through the one
//! reader of memory, layers from the providers' own words. For one project one thing is loaded at a time, so that whoever
//! comes meanwhile finds it.

use siltstone_contract::{Code, Failure, Topic};
use siltstone_engine::context::{Layer, LayerKind, Load, LoadSource, RefreshTrigger, key};
use siltstone_engine::ids::ProjectId;
use siltstone_engine::memory::TaskAtHand;
use siltstone_engine::project::{Project, Trust};
use siltstone_engine::provider::ProviderRecord;
use siltstone_engine::section::{LeftOut, LeftOutWhy};
use siltstone_engine::{Timestamp, prompt};

use crate::contexts::ContextService;
use crate::contexts::kept::{Kept, Place};
use crate::core::failure::Outcome;
use crate::core::{blocking, locked};

impl ContextService {
    /// Rules were read for a request: when they are not the ones that are kept, they changed on disk.
    pub(crate) async fn rules_seen(&self, project: &Project, rules: Option<String>) {
        let known = self.with_context(Some(project.id), |kept, _| {
            Ok(kept.context.persistent().snapshot().get(key::PROJECT_RULES).cloned())
        });
        if known.is_ok_and(|known| known != rules) {
            self.rules_changed(project).await;
        }
    }

    /// The rules of a project, or the answer about their trust, may have changed.
    pub(crate) async fn rules_changed(&self, project: &Project) {
        let trigger = RefreshTrigger::RulesChanged { project_root: project.path.clone() };
        // Where it is not alive yet, starting reads them.
        if self.refresh(Some(project.id), &trigger).await.is_err()
            && let Err(failure) = self.awake(Some(project.id)).await
        {
            tracing::warn!(%failure, "starting the context of a project");
        }
    }

    /// Providers came, went or changed.
    pub(crate) async fn layers_changed(&self) {
        self.refresh_contexts(&RefreshTrigger::LayersChanged).await;
    }

    /// Hears what other processes wrote, and reads what has grown old. Called now and then while a host watches.
    pub(crate) async fn tend_contexts(&self) {
        let Ok(stores) = self.core.stores() else { return };
        let mut news = false;
        for (project, kept) in locked(&self.state.alive).iter_mut() {
            let place =
                Place { files: stores.contexts.as_ref(), project: *project, now: self.core.now() };
            match kept.catch_up(&place) {
                Ok(more) => news |= more,
                Err(error) => tracing::debug!(%error, "reading a context"),
            }
        }
        if news {
            self.core.changed([Topic::Context]);
        }
        self.refresh_contexts(&RefreshTrigger::TimePassed).await;
    }

    /// A project was forgotten, and what was known of it is too.
    pub(crate) fn forget_context(&self, project: ProjectId) -> Result<(), Failure> {
        locked(&self.state.alive).remove(&Some(project));
        self.core.stores()?.contexts.remove(project).or_failure()
    }

    async fn refresh_contexts(&self, trigger: &RefreshTrigger) {
        let alive: Vec<Option<ProjectId>> = locked(&self.state.alive).keys().copied().collect();
        for project in alive {
            // Gone when it was forgotten meanwhile.
            let _ = self.refresh(project, trigger).await;
        }
    }

    pub(crate) async fn refresh(
        &self,
        project: Option<ProjectId>,
        trigger: &RefreshTrigger,
    ) -> Result<(), Failure> {
        self.decide(project, |kept, now| ((), kept.context.refresh(trigger, now))).await
    }

    /// Lets the engine decide what to load, and loads it before anything else is decided for this project.
    pub(crate) async fn decide<T>(
        &self,
        project: Option<ProjectId>,
        how: impl FnOnce(&mut Kept, Timestamp) -> (T, Vec<Load>),
    ) -> Result<T, Failure> {
        let gate = locked(&self.state.loading).entry(project).or_default().clone();
        let _alone = gate.lock().await;
        let (made, loads) = self.with_context(project, |kept, place| Ok(how(kept, place.now)))?;
        self.load_all(project, loads).await;
        Ok(made)
    }

    /// Makes sure that a project's context is alive and knows what other processes wrote.
    pub(crate) async fn awake(&self, project: Option<ProjectId>) -> Result<(), Failure> {
        let gate = locked(&self.state.loading).entry(project).or_default().clone();
        let _alone = gate.lock().await;
        let (workplace, stores) = (self.workplace(project)?, self.core.stores()?);
        let place = Place { files: stores.contexts.as_ref(), project, now: self.core.now() };
        let mut loads = Vec::new();
        {
            let mut alive = locked(&self.state.alive);
            if let Some(kept) = alive.get_mut(&project) {
                kept.catch_up(&place).or_failure()?;
            } else {
                let (kept, first) = Kept::start(&place, workplace).or_failure()?;
                loads = first;
                alive.insert(project, kept);
            }
        }
        self.load_all(project, loads).await;
        Ok(())
    }

    /// Carries out what the engine wants loaded. Failures are logged: what was known stays.
    async fn load_all(&self, project: Option<ProjectId>, loads: Vec<Load>) {
        let mut changed = false;
        for load in &loads {
            let done = match &load.source {
                LoadSource::LayerSummary => self.layers(project).and_then(|layers| {
                    self.with_context(project, |kept, place| {
                        kept.loaded_layers(place, load, &layers)
                    })
                }),
                LoadSource::DefaultSystemRules => {
                    let text = prompt::default_rules(&self.core.language()).to_owned();
                    self.with_context(project, |kept, place| kept.loaded(place, load, Some(text)))
                }
                LoadSource::ProjectRules { root } => match self.rules_at(project, root).await {
                    Ok(text) => {
                        self.with_context(project, |kept, place| kept.loaded(place, load, text))
                    }
                    Err(failure) => {
                        let _ = self.with_context(project, |kept, place| {
                            kept.context.failed(load, place.now);
                            Ok(())
                        });
                        Err(failure)
                    }
                },
            };
            match done {
                Ok(news) => changed |= news,
                Err(failure) => tracing::warn!(%failure, source = ?load.source, "loading context"),
            }
        }
        if changed {
            self.core.changed([Topic::Context]);
        }
    }

    /// The rules of the trusted project at this root; of any other folder nothing is read, and another project's rules
    /// never stand for those of this one.
    async fn rules_at(
        &self,
        own: Option<ProjectId>,
        root: &str,
    ) -> Result<Option<String>, Failure> {
        let known = self.core.stores()?.records.project_at(root).or_failure()?;
        let may = |it: &Project| it.trust == Trust::Trusted && own.is_none_or(|own| own == it.id);
        let Some(project) = known.filter(may) else {
            return Ok(None);
        };
        let this = self.clone();
        let path = project.path.clone();
        let found = blocking(move || {
            this.memory.taken_memory(Some(&project), None, &TaskAtHand::default())
        })
        .await?;
        let gone = |left: &LeftOut| left.source == path && left.why == LeftOutWhy::Unreadable;
        if found.left_out.iter().any(gone) {
            return Err(Failure::new(Code::Io, format!("{root} cannot be read")));
        }
        Ok(found.rules)
    }

    /// Providers, and the tools that can be offered at a place.
    fn layers(&self, project: Option<ProjectId>) -> Result<Vec<Layer>, Failure> {
        let layer = |record: ProviderRecord| Layer {
            kind: LayerKind::Provider,
            description: record.kind.description().to_owned(),
            name: record.name,
        };
        let tools = self.tools.tools_at(project)?.into_iter().map(|spec| Layer {
            kind: LayerKind::Tool,
            description: spec.description,
            name: spec.name,
        });
        Ok(self.models.all_providers()?.into_iter().map(layer).chain(tools).collect())
    }
}
