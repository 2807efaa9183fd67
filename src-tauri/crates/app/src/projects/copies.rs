//! Copies of projects: made beside them, opened as projects of their own, and removed when what was changed is taken over.
//!
//! What is copied, compared and taken over are files, which is the matter of checkpoints; here is what makes a folder a copy.
//! A copy begins with the answers that were given for its project: trust, what was agreed to of its memory, what is excluded,
//! and whether this computer alone is asked. Rules about tools are not among them: they were given for another folder.

use siltstone_contract::{
    CancelCopy, Code, CopyHolds, CopyMade, CopyPlace, CopyRemoved, CreateCopy, Failure, ProjectRef,
    Topic,
};
use siltstone_engine::conversation::ConversationFilter;
use siltstone_engine::ids::ProjectId;
use siltstone_engine::ports::CopyError;
use siltstone_engine::project::{CopyOf, Project, Trust};
use tokio_util::sync::CancellationToken;

use super::{ProjectService, name_of};
use crate::Sink;
use crate::core::failure::{Outcome, bad_request, conflict};
use crate::core::standing::is_replaced;
use crate::core::{blocking, locked};
use crate::privacy::pattern_of;

/// Longest name of a copy in characters.
const NAME: usize = 40;

/// Names that are tried when the first is taken.
const TRIES: u32 = 50;

/// How often about the making of a copy says how far it is.
const TOLD: u64 = 200;

/// A folder that was made for a copy.
struct Made {
    path: String,
    branch: Option<String>,
}

impl ProjectService {
    /// How copies can be made of a project, and where.
    pub async fn copy_place(&self, request: ProjectRef) -> Result<CopyPlace, Failure> {
        let project = self.core.stores()?.records.project(request.id).or_failure()?;
        let this = self.clone();
        blocking(move || {
            let beside = parent_of(&project.path)?;
            // Of a folder that is not trusted git is not asked.
            let worktree = project.trust == Trust::Trusted
                && this.core.world.copies.has_commits(&project.path);
            Ok(CopyPlace { worktree, beside })
        })
        .await?
    }

    /// Cancels the making of a copy; one that is made already is fine.
    pub async fn copy_cancel(&self, request: CancelCopy) -> Result<(), Failure> {
        if let Some(cancel) = locked(&self.core.probes).remove(&request.making_id) {
            cancel.cancel();
        }
        Ok(())
    }

    /// Makes a copy of a project beside it, and opens that. What is made of it goes again where it comes to nothing.
    pub async fn copy_create(
        &self,
        request: CreateCopy,
        sink: Sink<CopyMade>,
    ) -> Result<Project, Failure> {
        let project = self.core.stores()?.records.project(request.project_id).or_failure()?;
        if project.trust == Trust::Untrusted {
            return Err(conflict("copies are made of projects that are trusted"));
        }
        let cancel = CancellationToken::new();
        locked(&self.core.probes).insert(request.making_id.clone(), cancel.clone());
        let (this, of, stop) = (self.clone(), project.clone(), cancel.clone());
        let (making, name) = (request.making_id.clone(), request.name.trim().to_owned());
        let filled = blocking(move || this.make_folder(&of, &request, &stop, &sink)).await;
        locked(&self.core.probes).remove(&making);
        let made = filled??;
        let opened = self.open_copy(&project, &made, name).await;
        if opened.is_err() {
            let this = self.clone();
            let unmade = move || {
                let Made { path, branch } = &made;
                this.core.world.copies.unmake(&project.path, path, branch.as_deref());
            };
            blocking(unmade).await?;
        }
        opened
    }

    /// What there is in a copy that would go with it.
    pub async fn copy_holds(&self, request: ProjectRef) -> Result<CopyHolds, Failure> {
        let stores = self.core.stores()?;
        let copy = stores.records.project(request.id).or_failure()?;
        let of = copy.copy.clone().ok_or_else(no_copy)?;
        let filter = ConversationFilter { project_id: Some(copy.id), trashed: false };
        let conversations = stores.transcripts.conversations(&filter).or_failure()?.len() as u64;
        // Where the project was forgotten, nothing can be taken over, and nothing of it be kept.
        let (unmerged, lost) = match self.original(&of)? {
            Some(_) => self.checkpoints.left_in_copy(copy.id).await?,
            None => (0, Vec::new()),
        };
        let (aged, _) = stores.checkpoints.aged(copy.id).or_failure()?;
        let named = aged.iter().filter(|it| it.kept && it.id != of.base).count() as u64;
        let holds = self.project_holds(request).await?;
        Ok(CopyHolds {
            path: copy.path,
            branch: of.branch,
            unmerged,
            conversations,
            named,
            holds,
            lost,
        })
    }

    /// Removes a copy with its folder. What it held last is kept in a checkpoint of the project that it is of, which gets its
    /// conversations too.
    pub async fn copy_remove(&self, request: ProjectRef) -> Result<CopyRemoved, Failure> {
        let stores = self.core.stores()?;
        let copy = stores.records.project(request.id).or_failure()?;
        let of = copy.copy.clone().ok_or_else(no_copy)?;
        self.is_still(&copy)?;
        let project = self.original(&of)?;
        let kept = match &project {
            Some(project) => self.checkpoints.keep_copy(copy.clone(), project.clone()).await?,
            None => None,
        };
        if is_replaced(&*self.core.world.files, &copy) {
            return Err(conflict("another folder is in the place of the copy"));
        }
        let root = project.as_ref().filter(|_| of.branch.is_some()).map(|it| it.path.clone());
        let (this, path) = (self.clone(), copy.path.clone());
        let removed =
            blocking(move || this.core.world.copies.remove(root.as_deref(), &path)).await?;
        let rest = removed.map_err(of_copying)?;
        if let Some(project) = &project {
            stores.records.hand_over(copy.id, project.id).or_failure()?;
        }
        self.project_forget(ProjectRef { id: copy.id }).await?;
        self.core.changed([Topic::Memory, Topic::Checkpoints]);
        Ok(CopyRemoved { project_id: project.map(|project| project.id), kept, rest })
    }

    /// The project that a copy is of; `None` where it was forgotten.
    fn original(&self, of: &CopyOf) -> Result<Option<Project>, Failure> {
        match self.core.known_project(of.project) {
            Ok(project) => Ok(Some(project)),
            Err(failure) if failure.code == Code::NotFound => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    /// Nobody works in it, and nothing else that is known lies in it.
    fn is_still(&self, copy: &Project) -> Result<(), Failure> {
        let stores = self.core.stores()?;
        let within = |it: &Project| pattern_of(&copy.path, &it.path).is_some();
        if stores.records.projects().or_failure()?.iter().any(within) {
            return Err(conflict("another project lies in this copy; forget it first"));
        }
        if !stores.checkpoints.unfinished_plans(copy.id).or_failure()?.is_empty() {
            return Err(conflict("a restore in this copy was begun and not finished"));
        }
        let transcripts = stores.transcripts;
        for trashed in [false, true] {
            let filter = ConversationFilter { project_id: Some(copy.id), trashed };
            for conversation in transcripts.conversations(&filter).or_failure()? {
                if transcripts.open_turn_of(conversation.id).or_failure()?.is_some() {
                    return Err(conflict("a reply is being written in this copy; stop it first"));
                }
            }
        }
        Ok(())
    }

    /// Makes the folder and fills it.
    fn make_folder(
        &self,
        project: &Project,
        request: &CreateCopy,
        stop: &CancellationToken,
        sink: &Sink<CopyMade>,
    ) -> Result<Made, Failure> {
        let copies = &self.core.world.copies;
        let goes_on = || !stop.is_cancelled();
        let name = file_name(&request.name);
        let beside = parent_of(&project.path)?;
        let folder = name_of(&project.path);
        for number in 1..=TRIES {
            let name = if number == 1 { name.clone() } else { format!("{name}-{number}") };
            let path = format!("{}/{folder}-{name}", beside.trim_end_matches('/'));
            let branch = request.worktree.then(|| format!("siltstone/{name}"));
            // What is kept of a folder that was there before is not this copy's.
            if self.core.stores()?.records.project_at(&path).or_failure()?.is_some() {
                continue;
            }
            match copies.make(&project.path, &path, branch.as_deref(), &goes_on) {
                Ok(()) => {
                    let mut filling = |done: u64, total: u64| {
                        if done == total || done.is_multiple_of(total / TOLD + 1) {
                            sink(CopyMade { done, total });
                        }
                        goes_on()
                    };
                    let filled = self.checkpoints.fill(project, &path, &mut filling);
                    let settled = filled.and_then(|()| match branch {
                        Some(_) => copies.settle(&project.path, &path).map_err(of_copying),
                        None => Ok(()),
                    });
                    let unmake = |_: &Failure| {
                        copies.unmake(&project.path, &path, branch.as_deref());
                    };
                    settled.inspect_err(unmake)?;
                    return Ok(Made { path, branch });
                }
                Err(CopyError::Taken { .. }) => {}
                Err(error) => return Err(of_copying(error)),
            }
        }
        Err(conflict("there are too many copies of this name"))
    }

    /// Opens the folder with the answers that were given for its project.
    async fn open_copy(&self, of: &Project, made: &Made, name: String) -> Result<Project, Failure> {
        let stores = self.core.stores()?;
        let path = self.core.world.files.real_path(&made.path).or_failure()?;
        let project = Project {
            id: ProjectId::new(self.core.now()),
            name: name_of(&path),
            identity: self.core.world.files.identity(&path),
            path,
            opened_at: self.core.now(),
            copy: None,
            ..of.clone()
        };
        stores.records.put_project(&project).or_failure()?;
        let opened = self.begin(&project, of, made.branch.clone(), name).await;
        if opened.is_err() {
            // With the checkpoint that may have been taken.
            let _ = self.project_forget(ProjectRef { id: project.id }).await;
        }
        opened
    }

    async fn begin(
        &self,
        project: &Project,
        of: &Project,
        branch: Option<String>,
        name: String,
    ) -> Result<Project, Failure> {
        let stores = self.core.stores()?;
        self.memory.trusted_now(project, self.memory.agreed_before(of)?).await?;
        let base = self.checkpoints.begin_copy(project.clone(), &of.name).await?;
        let copy = Some(CopyOf { project: of.id, name, base, branch });
        let project = Project { copy, ..project.clone() };
        stores.records.put_project(&project).or_failure()?;
        self.answered_within(&project).await?;
        self.memory.watch_memory(&project);
        self.checkpoints.works_in(project.id, None);
        self.core.changed([Topic::Projects]);
        let (this, opened) = (self.clone(), project.clone());
        tokio::spawn(async move {
            this.contexts.rules_changed(&opened).await;
            this.index.refresh_index(&opened).await;
        });
        Ok(project)
    }
}

fn no_copy() -> Failure {
    bad_request("this project is no copy")
}

fn of_copying(error: CopyError) -> Failure {
    let code = match &error {
        CopyError::Taken { .. } => Code::Conflict,
        CopyError::Refused { .. } => Code::Io,
        CopyError::Cancelled => Code::Cancelled,
    };
    Failure::new(code, error.to_string())
}

fn parent_of(path: &str) -> Result<String, Failure> {
    let parent = path.trim_end_matches(['/', '\\']).rsplit_once(['/', '\\']);
    let (parent, _) = parent.ok_or_else(|| conflict("this folder lies in no other one"))?;
    Ok(if parent.is_empty() { String::from("/") } else { parent.to_owned() })
}

/// A name as part of the names of a folder and of a branch: letters and digits, and lines between them.
fn file_name(name: &str) -> String {
    let mut made = String::new();
    for letter in name.chars().flat_map(char::to_lowercase) {
        match letter.is_alphanumeric() {
            true => made.push(letter),
            false if !made.is_empty() && !made.ends_with('-') => made.push('-'),
            false => {}
        }
    }
    let cut: String = made.chars().take(NAME).collect();
    match cut.trim_end_matches('-') {
        "" => String::from("copy"),
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("Claude Code", "claude-code")]
    #[case("  gpt-5.2 (fast)! ", "gpt-5-2-fast")]
    #[case("로그인 고치기", "로그인-고치기")]
    #[case("../../etc", "etc")]
    #[case("…", "copy")]
    fn a_name_is_fit_for_a_folder(#[case] name: &str, #[case] made: &str) {
        assert_eq!(file_name(name), made);
    }

    #[rstest]
    #[case("/home/ada/aurora", "/home/ada")]
    #[case("/aurora", "/")]
    fn a_copy_is_made_where_its_project_lies(#[case] path: &str, #[case] parent: &str) {
        assert_eq!(parent_of(path).unwrap(), parent);
    }
}
