//! Sessions: where the work in a project stands, so that it goes on there tomorrow or elsewhere (behaviour.md, Sessions).
//!
//! The truth is one row a project; `heard` registers messages in it, `plans` changes plans, tasks and decisions, `told`
//! says what of it goes into requests, `place` where the work stopped, for a new conversation; `resume` makes the
//! card of a new day, and `files` copies it into `.ai-brain`, in the background, and guards against what others write
//! there; `forgotten` takes out what a deleted conversation said;
//! `view` shows all of it. Nothing here fails a turn:
//! what goes wrong is logged, or stands in the view.

pub(crate) mod carried;
mod files;
mod forgotten;
mod heard;
mod place;
mod plans;
mod resume;
mod told;
mod view;

use std::collections::{HashMap, HashSet};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use siltstone_contract::{Failure, SessionFilesState, SilentOwner, Topic};
use siltstone_engine::ids::{ConversationId, ProjectId};
use siltstone_engine::ports::Stores;
use siltstone_engine::project::Project;
use siltstone_engine::session::{ContextFile, SessionRecord, Sighting, Workplace, remember};
use siltstone_engine::workflow::Workflow;
use tokio::sync::Notify;

use crate::core::failure::Outcome;
use crate::core::{Core, locked, service};
use crate::models::ModelService;
use carried::Plans;

pub(crate) use place::Place;
pub(crate) use resume::last_conversation;

service! {
    /// Where the work in projects stands.
    SessionService {
        needs { core: Core, models: ModelService }
        keeps {
            state: Sessions,
            /// What is asked beside turns, and the plans that are carried out.
            plans: Plans,
        }
    }
}

/// Files that are remembered as open.
const OPEN_FILES: usize = 10;

/// What this process keeps of sessions.
#[derive(Default)]
pub(crate) struct Sessions {
    /// Conversations that were asked here, so that each is told of the session once a process under `strict`.
    asked: Mutex<HashSet<ConversationId>>,
    /// Whether a person sits before this host, who sees what is told before it is sent.
    sits: AtomicBool,
    /// Projects in which a conversation was begun since then.
    begun: Mutex<HashSet<ProjectId>>,
    /// Files that were named or shown since the last message, by project.
    opened: Mutex<HashMap<ProjectId, Vec<String>>>,
    /// Projects whose files are being written, each with whether something changed meanwhile.
    writing: Mutex<HashMap<ProjectId, bool>>,
    /// Told when a project's files are written.
    written: Notify,
    /// How the last write ended, by project.
    states: Mutex<HashMap<ProjectId, SessionFilesState>>,
    /// Who was seen to write each project's files, and since when.
    seen: Mutex<HashMap<ProjectId, Sighting>>,
    /// Whose lock was taken in this process, by project.
    taken: Mutex<HashMap<ProjectId, SilentOwner>>,
}

impl SessionService {
    /// The session of a project, an empty one while nothing was said in it.
    fn session_of(&self, stores: &Stores, project: &Project) -> Result<SessionRecord, Failure> {
        let known = stores.sessions.session(project.id).or_failure()?;
        Ok(known.unwrap_or_else(|| SessionRecord {
            project_id: project.id,
            revision: 0,
            shared: None,
            context: ContextFile::new(self.core.now()),
            workflow: Workflow::new(&project.name),
            conversation_id: None,
            message_id: None,
        }))
    }

    /// Changes a session, again where another process was faster, and writes its files in the background.
    fn change_session<T>(
        &self,
        project: &Project,
        mut change: impl FnMut(&mut SessionRecord) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let stores = self.core.stores()?;
        loop {
            let before = self.session_of(&stores, project)?;
            let mut record = before.clone();
            let made = change(&mut record)?;
            if record == before {
                return Ok(made);
            }
            let place = Workplace {
                workflow: &record.workflow,
                open_files: &record.context.memory.open_files,
                working_directory: &project.path,
            };
            record.context = remember(&record.context, &place, self.core.now());
            record.revision = before.revision + 1;
            if stores.sessions.put_session(&record).or_failure()? {
                self.core.changed([Topic::Sessions]);
                self.write_session(project);
                return Ok(made);
            }
        }
    }

    /// Files of a project were named, shown or worked in; the next message remembers them.
    pub(crate) fn opened_files<'p>(
        &self,
        project: ProjectId,
        paths: impl IntoIterator<Item = &'p str>,
    ) {
        let mut opened = locked(&self.state.opened);
        opened.entry(project).or_default().extend(paths.into_iter().map(str::to_owned));
    }

    /// A project was forgotten.
    pub(crate) fn forget_session(&self, project: ProjectId) {
        locked(&self.state.opened).remove(&project);
        locked(&self.state.states).remove(&project);
        locked(&self.state.seen).remove(&project);
    }
}
