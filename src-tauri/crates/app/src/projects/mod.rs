//! Project folders: probing, opening, trust, reading a file; copies of them are in [`copies`].

mod copies;
mod sample;

use siltstone_contract::{
    CancelProbe, CheckpointRefs, Code, ExcludeFiles, Failure, OpenProject, ProbeEvent,
    ProbeProject, ProbeView, ProjectFile, ProjectHolds, ProjectRef, ReachProject, ReadProjectFile,
    Topic, TrustProject,
};
use siltstone_engine::ids::ProjectId;
use siltstone_engine::ports::Folder;
use siltstone_engine::project::{ProbeWarning, Project, Trust};
use tokio_util::sync::CancellationToken;

use crate::Sink;
use crate::checkpoints::CheckpointService;
use crate::contexts::ContextService;
use crate::conversations::ConversationService;
use crate::core::failure::Outcome;
use crate::core::standing::is_replaced;
use crate::core::{Core, blocking, locked, service};
use crate::index::IndexService;
use crate::memory::MemoryService;
use crate::privacy::{PrivacyService, pattern_of};
use crate::requests::RequestService;
use crate::sessions::SessionService;
use crate::tools::ToolService;

service! {
    /// Opening, trusting and forgetting folders.
    ProjectService {
        needs {
            core: Core, privacy: PrivacyService, memory: MemoryService, index: IndexService,
            sessions: SessionService, conversations: ConversationService, tools: ToolService,
            contexts: ContextService, checkpoints: CheckpointService, requests: RequestService
        }
        keeps {
            /// Held while the sample project is opened, so that it is made once.
            sampling: tokio::sync::Mutex<()>,
        }
    }
}

/// Most bytes of a file that are shown.
const SHOWN_BYTES: usize = 2 * 1024 * 1024;

impl ProjectService {
    /// Looks through a folder in the background of the caller, with counts on the way.
    pub async fn project_probe(
        &self,
        request: ProbeProject,
        sink: Sink<ProbeEvent>,
    ) -> Result<ProbeView, Failure> {
        let cancel = CancellationToken::new();
        locked(&self.core.probes).insert(request.probe_id.clone(), cancel.clone());
        let this = self.clone();
        let found = blocking(move || {
            let files = &this.core.world.files;
            let path = files.real_path(&request.path).or_failure()?;
            let known = this.core.stores()?.records.project_at(&path).or_failure()?;
            let mut exclude = this.privacy.excluded(known.as_ref())?;
            if known.is_none() {
                exclude.extend(this.privacy.refused_within(&path)?);
            }
            let own = this.privacy.own_data_pattern(&path);
            exclude.extend(own.clone());
            let folder = Folder { root: &path, exclude: &exclude };
            let mut progress = |counts| {
                sink(ProbeEvent { counts });
                !cancel.is_cancelled()
            };
            let probe = || files.probe(folder, &mut progress).or_failure();
            let mut view = this.memory.with_memory(&path, known, &cancel, probe)?;
            view.probe.warnings.extend(own.map(|_| ProbeWarning::OwnData));
            Ok(view)
        })
        .await?;
        locked(&self.core.probes).remove(&request.probe_id);
        found
    }

    /// Cancels a running probe; one that is over already is fine.
    pub async fn project_probe_cancel(&self, request: CancelProbe) -> Result<(), Failure> {
        if let Some(cancel) = locked(&self.core.probes).remove(&request.probe_id) {
            cancel.cancel();
        }
        Ok(())
    }

    /// Opens a folder, remembers the answer about trust, and starts to index its texts if it is trusted.
    pub async fn project_open(&self, request: OpenProject) -> Result<Project, Failure> {
        let stores = self.core.stores()?;
        let path = self.core.world.files.real_path(&request.path).or_failure()?;
        let known = stores.records.project_at(&path).or_failure()?;
        let identity = self.core.world.files.identity(&path);
        let replaced = known.as_ref().is_some_and(|it| is_replaced(&*self.core.world.files, it));
        let before = known.as_ref().filter(|_| !replaced).map(|project| project.trust);
        let trust = request.trust.or(before).ok_or_else(|| {
            let message = match replaced {
                true => format!("{path} is another folder than the one that was opened before"),
                false => format!("{path} was never opened before"),
            };
            Failure::new(Code::TrustUnanswered, message)
        })?;
        let stayed = known.as_ref().is_some_and(|project| project.this_computer_only);
        let exclude = known.as_ref().map(|project| project.exclude.clone()).unwrap_or_default();
        // Another folder in its place is a copy of nothing.
        let copy = known.as_ref().filter(|_| !replaced).and_then(|project| project.copy.clone());
        if let Some(known) = known.as_ref().filter(|_| stores.read_only.is_some()) {
            // Looked at as it is: what would be remembered of this cannot be.
            if !replaced && request.trust.is_none_or(|trust| trust == known.trust) {
                return Ok(known.clone());
            }
        }
        let project = Project {
            this_computer_only: request.this_computer_only.unwrap_or(stayed),
            exclude,
            id: known.map_or_else(|| ProjectId::new(self.core.now()), |project| project.id),
            name: name_of(&path),
            path,
            trust,
            identity,
            opened_at: self.core.now(),
            copy,
        };
        stores.records.put_project(&project).or_failure()?;
        if request.trust == Some(Trust::Trusted) {
            self.memory.trusted_now(&project, request.seen).await?;
        }
        self.answered_within(&project).await?;
        self.memory.watch_memory(&project);
        self.checkpoints.works_in(project.id, None);
        self.sessions.write_session(&project);
        self.core.changed([Topic::Projects]);
        let (this, opened) = (self.clone(), project.clone());
        tokio::spawn(async move {
            this.contexts.rules_changed(&opened).await;
            if trust == Trust::Trusted {
                this.index.refresh_index(&opened).await;
            }
        });
        Ok(project)
    }

    /// Folders that were opened, the last one first.
    pub async fn project_list(&self, (): ()) -> Result<Vec<Project>, Failure> {
        self.core.stores()?.records.projects().or_failure()
    }

    /// One project.
    pub async fn project_get(&self, request: ProjectRef) -> Result<Project, Failure> {
        self.core.known_project(request.id)
    }

    /// Changes the person's answer about trust.
    pub async fn project_trust(&self, request: TrustProject) -> Result<Project, Failure> {
        let stores = self.core.stores()?;
        // An answer about another folder is one to what it brings, which is shown when it is opened.
        stores.records.project(request.id).or_failure()?;
        stores.records.set_trust(request.id, request.trust).or_failure()?;
        self.core.changed([Topic::Projects]);
        let project = stores.records.project(request.id).or_failure()?;
        if request.trust == Trust::Trusted {
            // Nothing is shown with this answer: what was agreed to before holds, and the rest is asked about.
            let seen = self.memory.agreed_before(&project)?;
            self.memory.trusted_now(&project, seen).await?;
        }
        self.answered_within(&project).await?;
        self.contexts.rules_changed(&project).await;
        // Its tools can be offered from now on, or no more.
        self.contexts.layers_changed().await;
        self.core.changed([Topic::Memory]);
        Ok(project)
    }

    /// Says which files of the project never enter a request, an index or a checkpoint.
    pub async fn project_exclude(&self, request: ExcludeFiles) -> Result<Project, Failure> {
        let records = self.core.stores()?.records;
        let patterns = request.patterns.iter().map(|pattern| pattern.trim().to_owned());
        let exclude = patterns.filter(|pattern| !pattern.is_empty()).collect();
        let project = Project { exclude, ..records.project(request.id).or_failure()? };
        records.put_project(&project).or_failure()?;
        self.core.changed([Topic::Projects, Topic::Memory]);
        self.contexts.rules_changed(&project).await;
        if project.trust == Trust::Trusted {
            self.index.refresh_index(&project).await;
        }
        Ok(project)
    }

    /// Says whether the project's conversations ask this computer alone.
    pub async fn project_reach(&self, request: ReachProject) -> Result<Project, Failure> {
        let records = self.core.stores()?.records;
        let known = records.project(request.id).or_failure()?;
        let project = Project { this_computer_only: request.this_computer_only, ..known };
        records.put_project(&project).or_failure()?;
        self.core.changed([Topic::Projects]);
        Ok(project)
    }

    /// What goes when a project is forgotten.
    pub async fn project_holds(&self, request: ProjectRef) -> Result<ProjectHolds, Failure> {
        let stores = self.core.stores()?;
        let work = self.sessions.workflow_get(request.clone()).await?;
        let of_it = Some(request.id);
        let lines = stores.memory.lines(of_it, None).or_failure()?;
        let proposals = stores.tools.inbox(of_it).or_failure()?;
        let servers = stores.tools.servers(of_it).or_failure()?;
        let (checkpoints, bytes) = stores.checkpoints.aged(request.id).or_failure()?;
        let own = |count: usize| count as u64;
        Ok(ProjectHolds {
            plans: own(work.plans.len()),
            tasks: own(work.tasks().count()),
            decisions: own(work.decisions.len()),
            lines: own(lines.iter().filter(|line| line.project_id == of_it).count()),
            proposals: own(proposals.iter().filter(|it| it.project_id == of_it).count()),
            servers: own(servers.iter().filter(|it| it.project_id == of_it).count()),
            checkpoints: own(checkpoints.len()),
            bytes,
        })
    }

    /// Forgets a folder with what is kept of it; its conversations and its files stay. Its checkpoints go too: nothing
    /// would name them any more, and they would take their room for ever.
    pub async fn project_forget(&self, request: ProjectRef) -> Result<(), Failure> {
        let (checkpoints, _) = self.core.stores()?.checkpoints.aged(request.id).or_failure()?;
        if !checkpoints.is_empty() {
            let ids = checkpoints.into_iter().map(|checkpoint| checkpoint.id).collect();
            self.checkpoints.checkpoint_delete(CheckpointRefs { ids }).await?;
        }
        self.tools.forget_servers(request.id).await?;
        self.core.stores()?.records.forget_project(request.id).or_failure()?;
        self.contexts.forget_context(request.id)?;
        self.memory.forget_memory(request.id);
        self.sessions.forget_session(request.id);
        self.core.changed([Topic::Projects, Topic::Conversations]);
        Ok(())
    }

    /// The text of a file of the project, for reading.
    pub async fn project_file(&self, request: ReadProjectFile) -> Result<ProjectFile, Failure> {
        let project = self.core.stores()?.records.project(request.id).or_failure()?;
        let this = self.clone();
        let path = request.path.clone();
        self.sessions.opened_files(project.id, [path.as_str()]);
        // Excluded files too: the person looks, and nothing goes anywhere.
        let text = blocking(move || {
            let folder = Folder { root: &project.path, exclude: &[] };
            this.core.world.files.read_text(folder, &path)
        })
        .await?;
        let mut text = text.or_failure()?;
        let truncated = text.len() > SHOWN_BYTES;
        if truncated {
            text.truncate(text.floor_char_boundary(SHOWN_BYTES));
        }
        Ok(ProjectFile { path: request.path, text, truncated })
    }

    /// The person's answer about a folder is another one: trusted folders around it hold more, or less.
    pub(crate) async fn answered_within(&self, project: &Project) -> Result<(), Failure> {
        let projects = self.core.stores()?.records.projects().or_failure()?;
        let around = projects.into_iter().filter(|it| it.trust == Trust::Trusted);
        for outer in around.filter(|it| pattern_of(&it.path, &project.path).is_some()) {
            locked(&self.index.paths).remove(&outer.id);
            self.contexts.rules_changed(&outer).await;
            let this = self.clone();
            // Whatever is older in the index is looked at again before it goes.
            tokio::spawn(async move { this.index.refresh_index(&outer).await });
        }
        Ok(())
    }
}

fn name_of(path: &str) -> String {
    let name = path.rsplit(['/', '\\']).find(|part| !part.is_empty());
    name.unwrap_or(path).to_owned()
}
