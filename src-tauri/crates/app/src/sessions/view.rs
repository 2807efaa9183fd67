//! A session and its files as hosts see them, and what the person decides about them.

use siltstone_contract::{
    AcceptSession, Code, Failure, ForeignFile, Keep, ProjectRef, SessionFilesState, SessionProblem,
    SessionSnapshot, SessionVerified, SessionView, ShareSession, SnapshotRef, Topic,
};
use siltstone_engine::Timestamp;
use siltstone_engine::ports::Stores;
use siltstone_engine::project::{Project, Trust};
use siltstone_engine::session::{
    BrainFile, BrainFiles, ContextFile, Parsed, SessionError, SessionRecord, Snapshot, merge,
    merge_workflows, parse,
};
use siltstone_engine::workflow::{DecisionOrigin, Workflow, WorkflowChange};

use super::files::{CARRIERS, bytes_of, state_of, stored};
use super::plans::refused;
use crate::core::failure::{Outcome, bad_request, conflict};
use crate::core::{blocking, locked};
use crate::sessions::SessionService;

/// What a file and the session make together.
struct Together {
    record: SessionRecord,
    conflicts: Vec<String>,
}

impl SessionService {
    /// Where the work in a project stands, and files of it that Siltstone did not write.
    pub async fn session_get(&self, request: ProjectRef) -> Result<SessionView, Failure> {
        self.with_session(request, |this, stores, project| this.session_view(stores, project)).await
    }

    /// Writes `.ai-brain` into a project from now on, or no more.
    pub async fn session_share(&self, request: ShareSession) -> Result<SessionView, Failure> {
        let ShareSession { project_id, on, ignore } = request;
        self.with_session(ProjectRef { id: project_id }, move |this, stores, project| {
            this.change_session(project, |record| {
                record.shared = Some(on);
                Ok(())
            })?;
            if on && ignore {
                this.core.world.sessions.ignore(&project.path).map_err(of_session)?;
                this.want_out_of_git(stores, project.id)?;
            }
            this.write_session_files(project);
            this.session_view(stores, project)
        })
        .await
    }

    /// Takes in files that Siltstone did not write, or writes over them.
    pub async fn session_accept(&self, request: AcceptSession) -> Result<SessionView, Failure> {
        let AcceptSession { project_id, files, keep } = request;
        self.with_session(ProjectRef { id: project_id }, move |this, stores, project| {
            if project.trust == Trust::Untrusted {
                return Err(conflict("the folder is not trusted"));
            }
            let brain = this.core.world.sessions.read(&project.path).map_err(of_session)?;
            let mut files = files;
            if keep == Keep::Theirs && this.session_of(stores, project)?.shared.is_none() {
                // The first yes; whoever said it before has answered about git, too.
                this.want_out_of_git(stores, project.id)?;
            }
            // The log before what repeats its end.
            files.sort_by_key(|shown| shown.name != BrainFile::Workflow.name());
            for shown in &files {
                let file = CARRIERS.into_iter().find(|file| file.name() == shown.name);
                let file = file.ok_or_else(|| bad_request("no such file of a session"))?;
                let found = stored(&brain, file).filter(|found| found.hash == shown.hash);
                let found = found.ok_or_else(|| conflict("the file changed meanwhile"))?;
                let text = String::from_utf8_lossy(&found.bytes).into_owned();
                if keep == Keep::Theirs {
                    this.change_session(project, |record| {
                        let base =
                            stores.sessions.file_base(project.id, &shown.name).or_failure()?;
                        let base = base.as_deref().unwrap_or("{}");
                        *record = together(record, file, base, &text, this.core.now())?.record;
                        record.shared.get_or_insert(true);
                        Ok(())
                    })?;
                }
                if matches!(state_of(file, found), Parsed::Broken { .. }) {
                    // Writing puts it aside with its bytes.
                    continue;
                }
                // Known only now: until it is taken in, nothing may be written over it.
                let sessions = &stores.sessions;
                sessions.intend_file(project.id, &shown.name, &shown.hash, &text).or_failure()?;
                sessions.file_seen(project.id, &shown.name, &shown.hash).or_failure()?;
            }
            this.write_session_files(project);
            this.session_view(stores, project)
        })
        .await
    }

    /// Writes the files although another computer says that it does.
    pub async fn session_take_over(&self, request: ProjectRef) -> Result<SessionView, Failure> {
        self.with_session(request, |this, stores, project| {
            this.take_hold(project).map_err(of_session)?;
            this.write_session_files(project);
            // That another had it was seen, not remembered, so writing tells of no change.
            this.core.changed([Topic::Sessions]);
            this.session_view(stores, project)
        })
        .await
    }

    /// Copies the session now; nothing where the newest copy says the same.
    pub async fn session_snapshot(
        &self,
        request: ProjectRef,
    ) -> Result<Vec<SessionSnapshot>, Failure> {
        self.with_session(request, |this, _, project| {
            if this.write_session_files(project) != SessionFilesState::Written {
                return Err(conflict("the session's files are not written"));
            }
            this.copy_session(project, 0).map_err(of_session)?;
            this.snapshots(project)
        })
        .await
    }

    /// Goes back to a copy.
    pub async fn session_restore(&self, request: SnapshotRef) -> Result<SessionView, Failure> {
        let SnapshotRef { project_id, name } = request;
        self.with_session(ProjectRef { id: project_id }, move |this, stores, project| {
            if project.trust == Trust::Untrusted {
                // A copy may have come with the folder.
                return Err(conflict("the folder is not trusted"));
            }
            let files = &this.core.world.sessions;
            let copies = files.snapshots(&project.path).map_err(of_session)?;
            let copy = copies.into_iter().find(|copy| copy.name() == name);
            let missing = || Failure::new(Code::NotFound, format!("there is no copy {name}"));
            let copy = copy.ok_or_else(missing)?;
            let bytes = files.read_snapshot(&project.path, &copy).map_err(of_session)?;
            this.change_session(project, |record| {
                match copy.file {
                    BrainFile::Workflow => {
                        let revision = record.workflow.revision;
                        record.workflow = known(parse(&bytes))?;
                        record.workflow.revision = revision + 1;
                    }
                    BrainFile::Context | BrainFile::Lock => record.context = known(parse(&bytes))?,
                }
                Ok(())
            })?;
            this.write_session_files(project);
            this.session_view(stores, project)
        })
        .await
    }

    /// Reads the files again, and names what is wrong with them.
    pub async fn session_verify(&self, request: ProjectRef) -> Result<SessionVerified, Failure> {
        self.with_session(request, |this, stores, project| {
            let brain = this.core.world.sessions.read(&project.path).map_err(of_session)?;
            let record = this.session_of(stores, project)?;
            let mut problems = Vec::new();
            let mut wrong = |name: String, detail: &str| {
                problems.push(SessionProblem { name, detail: detail.to_owned() });
            };
            for file in CARRIERS {
                let name = file.name().to_owned();
                let Some(found) = stored(&brain, file) else {
                    if record.shared == Some(true) {
                        wrong(name, "it is missing");
                    }
                    continue;
                };
                match state_of(file, found) {
                    Parsed::Broken { detail } => wrong(name, &detail),
                    Parsed::Newer { version, .. } => {
                        wrong(name, &format!("it is of the newer version {version}"));
                    }
                    Parsed::Known(()) => {
                        let sessions = &stores.sessions;
                        if !sessions.file_seen(project.id, &name, &found.hash).or_failure()? {
                            wrong(name, "Siltstone did not write it");
                        }
                    }
                }
            }
            for copy in this.core.world.sessions.snapshots(&project.path).map_err(of_session)? {
                match this.core.world.sessions.read_snapshot(&project.path, &copy) {
                    Err(SessionError::Damaged { name }) => {
                        wrong(format!("snapshots/{name}"), "it is not what was copied");
                    }
                    read => _ = read.map_err(of_session)?,
                }
            }
            Ok(SessionVerified { whole: problems.is_empty(), problems })
        })
        .await
    }

    async fn with_session<T: Send + 'static>(
        &self,
        request: ProjectRef,
        work: impl FnOnce(&Self, &Stores, &Project) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let this = self.clone();
        blocking(move || {
            let stores = this.core.stores()?;
            let project = stores.records.project(request.id).or_failure()?;
            work(&this, &stores, &project)
        })
        .await?
    }

    fn session_view(&self, stores: &Stores, project: &Project) -> Result<SessionView, Failure> {
        self.hear_cut_off(stores);
        let record = self.session_of(stores, project)?;
        let (brain, mut files) = match self.core.world.sessions.read(&project.path) {
            Ok(brain) if record.shared == Some(true) => {
                let files = self.files_state(stores, project, &brain, &record)?;
                (brain, files)
            }
            Ok(brain) => (brain, SessionFilesState::Off),
            Err(error) => {
                (BrainFiles::default(), SessionFilesState::Refused { detail: error.to_string() })
            }
        };
        let foreign = self.foreign_session(stores, &record, &brain)?;
        if !foreign.is_empty() && files == SessionFilesState::Off {
            files = SessionFilesState::Foreign;
        }
        Ok(SessionView {
            project_id: project.id,
            shared: record.shared,
            there: brain.exists,
            in_git: brain.in_git,
            files,
            foreign,
            snapshots: self.snapshots(project).unwrap_or_default(),
            proposals: stores.sessions.proposals(project.id).or_failure()?.len() as u64,
            taken_from: locked(&self.state.taken).get(&project.id).cloned(),
            context: record.context,
            workflow: self.as_carried(stores, project.id, record.workflow)?,
        })
    }

    fn snapshots(&self, project: &Project) -> Result<Vec<SessionSnapshot>, Failure> {
        let copies = self.core.world.sessions.snapshots(&project.path).map_err(of_session)?;
        let shown = |copy: &Snapshot| SessionSnapshot {
            name: copy.name(),
            file: copy.file.name().to_owned(),
            at: copy.at,
        };
        Ok(copies.iter().rev().map(shown).collect())
    }

    fn foreign_session(
        &self,
        stores: &Stores,
        record: &SessionRecord,
        brain: &BrainFiles,
    ) -> Result<Vec<ForeignFile>, Failure> {
        let mut foreign = Vec::new();
        for file in CARRIERS {
            let Some(found) = stored(brain, file) else { continue };
            let (name, sessions) = (file.name(), &stores.sessions);
            if sessions.file_seen(record.project_id, name, &found.hash).or_failure()? {
                continue;
            }
            let now = String::from_utf8_lossy(&found.bytes).into_owned();
            let base = sessions.file_base(record.project_id, name).or_failure()?;
            let merged =
                together(record, file, base.as_deref().unwrap_or("{}"), &now, self.core.now());
            let before = match record.revision {
                0 => String::new(),
                _ => String::from_utf8_lossy(&bytes_of(record, file)?).into_owned(),
            };
            let dropped = match file {
                BrainFile::Context => unknown_work(&now, record, brain),
                _ => Vec::new(),
            };
            foreign.push(ForeignFile {
                name: name.to_owned(),
                before,
                now,
                dropped,
                hash: found.hash.clone(),
                readable: merged.is_ok(),
                conflicts: merged.map(|merged| merged.conflicts).unwrap_or_default(),
            });
        }
        Ok(foreign)
    }
}

/// The plan and the task that a `context.json` names and that no workflow has.
fn unknown_work(context: &str, record: &SessionRecord, brain: &BrainFiles) -> Vec<String> {
    let Ok(context) = parsed::<ContextFile>(context) else { return Vec::new() };
    let beside = brain.workflow.as_ref().and_then(|stored| known(parse(&stored.bytes)).ok());
    let workflows: Vec<&Workflow> = beside.iter().chain([&record.workflow]).collect();
    let (plan, task) = (context.memory.active_plan_id, context.memory.active_task_id);
    let plan = plan.filter(|id| workflows.iter().all(|it| it.plan(id).is_none()));
    let task = task.filter(|id| workflows.iter().all(|it| it.task(id).is_none()));
    plan.into_iter().chain(task).collect()
}

/// The session with what a file says; the file's words where both contradict each other.
fn together(
    record: &SessionRecord,
    file: BrainFile,
    base: &str,
    theirs: &str,
    now: Timestamp,
) -> Result<Together, Failure> {
    let mut next = record.clone();
    let unmerged = |error: serde_json::Error| bad_request(&error.to_string());
    // Theirs stands in the place of ours, so that it wins.
    let conflicts = if file == BrainFile::Workflow {
        let (base, theirs): (Workflow, _) = (known(parse(base.as_bytes()))?, parsed(theirs)?);
        let ours = if record.workflow.revision == 0 { &base } else { &record.workflow };
        let merged = merge_workflows(&base, &theirs, ours).map_err(unmerged)?;
        next.workflow = merged.file;
        next.workflow.revision = next.workflow.revision.max(record.workflow.revision) + 1;
        merged.conflicts
    } else {
        let (base, theirs): (ContextFile, _) = (known(parse(base.as_bytes()))?, parsed(theirs)?);
        // Nothing was said here yet, so nothing contradicts.
        let ours = if record.revision == 0 { &base } else { &record.context };
        let merged = merge(&base, &theirs, ours).map_err(unmerged)?;
        next.context = merged.file;
        next.workflow = with_decisions(next.workflow, &next.context, now)?;
        merged.conflicts
    };
    Ok(Together { record: next, conflicts: conflicts.into_iter().map(|it| it.at).collect() })
}

/// The log with the decisions that came without one: `context.json` alone says where the work stopped.
fn with_decisions(
    mut workflow: Workflow,
    context: &ContextFile,
    now: Timestamp,
) -> Result<Workflow, Failure> {
    for text in &context.memory.last_decisions {
        let text = text.trim().to_owned();
        if !text.is_empty() && workflow.decisions.iter().all(|known| known.text != text) {
            let (source, origin) = (None, DecisionOrigin::Accepted);
            let change = WorkflowChange::AddDecision { text, source, origin };
            workflow = workflow.apply(&change, now).map_err(refused)?;
        }
    }
    Ok(workflow)
}

fn parsed<T: serde::Serialize + serde::de::DeserializeOwned>(text: &str) -> Result<T, Failure> {
    known(parse(text.as_bytes()))
}

fn known<T>(parsed: Parsed<T>) -> Result<T, Failure> {
    match parsed {
        Parsed::Known(file) => Ok(file),
        Parsed::Newer { version, .. } => {
            Err(conflict(&format!("a newer version wrote it: {version}")))
        }
        Parsed::Broken { detail } => Err(bad_request(&detail)),
    }
}

/// A failure of the folder.
pub(super) fn of_session(error: SessionError) -> Failure {
    let code = match &error {
        SessionError::Conflict { .. } => Code::Conflict,
        SessionError::TooWide { .. } => Code::FolderTooWide,
        SessionError::Refused { .. } => Code::OutsideProject,
        SessionError::ReadOnly { .. } => Code::FileReadOnly,
        SessionError::Damaged { .. } => Code::CopyDamaged,
        SessionError::Busy => Code::Busy,
        SessionError::TooLarge { .. } | SessionError::Io { .. } => Code::Io,
    };
    Failure::new(code, error.to_string())
}
