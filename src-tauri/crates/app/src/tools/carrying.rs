//! Carrying out one call that was allowed.
//!
//! Looking, commands and servers stop at once when the turn is stopped; a change of files is carried out to its end, so
//! that what is said of it is true. Answers are as the tool gave them: requests are cleaned of secrets when they are
//! composed, like everything else that was said. What is taken out of a long text before that is cleaned first, because
//! half a key is not recognised.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use siltstone_contract::{Failure, Topic};
use siltstone_engine::checkpoint::Written;
use siltstone_engine::conversation::Conversation;
use siltstone_engine::ids::{InboxId, MessageId, ProposalId};
use siltstone_engine::memory::TaskAtHand;
use siltstone_engine::ports::{Folder, StoreError};
use siltstone_engine::project::Project;
use siltstone_engine::search::SearchScope;
use siltstone_engine::session::{ProposalRecord, ProposalState};
use siltstone_engine::tool::{
    Answer, Call, CommandCall, CommandRun, Ended, FileCall, FileChange, InboxRecord, OnOutput, Ran,
    Sandbox, ToolError, ToolSettings, output,
};
use siltstone_engine::workflow::{DecisionOrigin, DecisionSource, WorkflowChange};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use super::offered::Offer;
use crate::core::failure::{Outcome, of_store};
use crate::core::standing::is_replaced;
use crate::core::{blocking, locked};
use crate::tools::ToolService;

/// At most about 30 events a second.
const SHOW_EVERY: Duration = Duration::from_millis(33);

/// Lines of a long result that are read at a time when the model does not say how many.
const LINES: u64 = 400;

/// Earlier conversations' messages that a search tells of, and how many are looked at for them.
const HITS: usize = 8;
const LOOKED_AT: u32 = 50;

/// Longest line that can be proposed for memory, in bytes.
const REMEMBER_BYTES: usize = 4_000;

/// Where a call is carried out.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) conversation: &'a Conversation,
    /// The project, when it is trusted.
    pub(crate) project: Option<&'a Project>,
    /// The reply that calls.
    pub(crate) reply: MessageId,
    pub(crate) settings: &'a ToolSettings,
    pub(crate) stop: &'a CancellationToken,
}

/// A call, with what is needed to carry it out.
#[derive(Clone, Copy)]
pub(crate) struct Task<'a> {
    pub(crate) id: &'a str,
    pub(crate) call: &'a Call,
    pub(crate) offer: &'a Offer,
    /// What it would change, as it was shown.
    pub(crate) planned: Option<&'a FileChange>,
}

impl ToolService {
    /// Carries a call out.
    pub(crate) async fn carry_call(
        &self,
        place: Place<'_>,
        task: Task<'_>,
    ) -> Result<Answer, ToolError> {
        if place.stop.is_cancelled() {
            return Err(ToolError::Stopped);
        }
        if let (Call::File(call), Some(planned)) = (task.call, task.planned) {
            return self.change_files(place, call, planned).await;
        }
        tokio::select! {
            biased;
            () = place.stop.cancelled() => Err(ToolError::Stopped),
            answer = self.carry_until_stopped(place, task) => answer,
        }
    }

    async fn carry_until_stopped(
        &self,
        place: Place<'_>,
        task: Task<'_>,
    ) -> Result<Answer, ToolError> {
        match task.call {
            Call::File(call) => self.look(place, call).await,
            Call::Command(call) => self.command(place, task.id, call).await,
            Call::ReadOutput { handle, offset, limit } => {
                self.read_on(place, handle, *offset, *limit)
            }
            Call::ReadMemory { path } => self.memory_told(place, path).await,
            Call::ReadSkill { name, file } => self.skill_read(place, name, file).await,
            Call::SearchConversations { query } => self.search_earlier(place, query),
            Call::Remember { text, why, for_all_projects } => {
                self.propose_line(place, text, why, *for_all_projects)
            }
            Call::Propose { change } => self.propose(place, change),
            Call::Mcp { tool, arguments, .. } => {
                let Some(server) = &task.offer.server else {
                    return Err(ToolError::Refused("The server is gone.".into()));
                };
                let project = place.conversation.project_id;
                Ok(self.call_server(project, server, tool, arguments).await)
            }
        }
    }

    /// The project that tools may use, while its folder is the one that was opened.
    fn trusted<'p>(&self, project: Option<&'p Project>) -> Result<&'p Project, ToolError> {
        let none = || ToolError::Refused("There is no project that tools may use.".into());
        let project = project.ok_or_else(none)?;
        match is_replaced(&*self.core.world.files, project) {
            true => Err(of_failure(of_store(StoreError::Replaced { path: project.path.clone() }))),
            false => Ok(project),
        }
    }

    /// What a call would change; `None` for one that changes no file.
    pub(crate) async fn plan_of(
        &self,
        project: Option<&Project>,
        call: &Call,
    ) -> Result<Option<FileChange>, ToolError> {
        let Call::File(
            call @ (FileCall::Edit { .. }
            | FileCall::Write { .. }
            | FileCall::Move { .. }
            | FileCall::Delete { .. }),
        ) = call
        else {
            return Ok(None);
        };
        let (this, call, project) = (self.clone(), call.clone(), self.trusted(project)?.clone());
        let planned = blocking(move || {
            let exclude = this.privacy.excluded(Some(&project)).map_err(of_failure)?;
            let folder = Folder { root: &project.path, exclude: &exclude };
            this.core.world.file_tools.plan(folder, &call)
        });
        planned.await.map_err(of_failure)?.map(Some)
    }

    /// What else paths of a project are called: where links lead, and other names of the same files.
    pub(crate) async fn names_of(
        &self,
        project: &Project,
        paths: Vec<String>,
    ) -> Result<Vec<String>, ToolError> {
        let (this, project) = (self.clone(), project.clone());
        let found = blocking(move || {
            let exclude = this.privacy.excluded(Some(&project)).map_err(of_failure)?;
            let folder = Folder { root: &project.path, exclude: &exclude };
            // What is not there, or not inside, has no other name; the call itself says so.
            let names = |path: &String| this.core.world.file_tools.names(folder, path).ok();
            Ok(paths.iter().filter_map(names).flatten().collect())
        });
        found.await.map_err(of_failure)?
    }

    async fn change_files(
        &self,
        place: Place<'_>,
        call: &FileCall,
        planned: &FileChange,
    ) -> Result<Answer, ToolError> {
        let (this, call, planned) = (self.clone(), call.clone(), planned.clone());
        let project = self.trusted(place.project)?.clone();
        let done = blocking(move || {
            let exclude = this.privacy.excluded(Some(&project)).map_err(of_failure)?;
            let folder = Folder { root: &project.path, exclude: &exclude };
            let answer = this.core.world.file_tools.change(folder, &call, &planned)?;
            this.note_change(&project, folder, &answer.touched);
            Ok(answer)
        });
        done.await.map_err(of_failure)?
    }

    /// Remembers what was written, so that a restore knows it for ours and takes it back without asking. Where that
    /// cannot be kept the restore asks about the file, as about one that somebody else changed.
    fn note_change(&self, project: &Project, folder: Folder<'_>, touched: &[String]) {
        let written = touched.iter().filter_map(|path| {
            let leaf = self.core.world.file_tools.leaf(folder, path).ok()?;
            Some(Written { path: path.as_bytes().to_vec(), leaf })
        });
        let written: Vec<Written> = written.collect();
        if let Ok(stores) = self.core.stores() {
            drop(stores.checkpoints.note_written(project.id, &written));
        }
    }

    async fn look(&self, place: Place<'_>, call: &FileCall) -> Result<Answer, ToolError> {
        let (this, call, project) =
            (self.clone(), call.clone(), self.trusted(place.project)?.clone());
        let gone = Gone::default();
        let flag = gone.0.clone();
        let found = blocking(move || {
            let exclude = this.privacy.excluded(Some(&project)).map_err(of_failure)?;
            let folder = Folder { root: &project.path, exclude: &exclude };
            this.core.world.file_tools.look(folder, &call, &|| !flag.load(Ordering::Relaxed))
        });
        found.await.map_err(of_failure)?
    }

    async fn command(
        &self,
        place: Place<'_>,
        id: &str,
        call: &CommandCall,
    ) -> Result<Answer, ToolError> {
        let project = self.trusted(place.project)?;
        let most = place.settings.command_seconds;
        let seconds = call.seconds.unwrap_or(most).clamp(1, most);
        let stays_here = project.this_computer_only
            || self
                .core
                .stores()
                .map_err(of_failure)?
                .records
                .settings()
                .or_failure()
                .map_err(of_failure)?
                .this_computer_only;
        if stays_here && self.core.world.commands.sandbox() == Sandbox::None {
            let words = "Nothing keeps a command from the network here, and only this computer may be \
                         reached. Ask the person to run it.";
            return Err(ToolError::Refused(words.into()));
        }
        let run = CommandRun {
            root: project.path.clone(),
            line: call.command.clone(),
            seconds,
            reads: place.settings.reads.clone(),
            closed: vec![self.core.options.data_dir.clone()],
            network: !stays_here && place.settings.network.contains(&project.id),
        };
        let said: Arc<Mutex<String>> = Arc::default();
        let into = said.clone();
        let on_output: OnOutput = Box::new(move |text| locked(&into).push_str(text));
        let running = self.core.world.commands.run(run, on_output);
        tokio::pin!(running);
        let mut show = tokio::time::interval(SHOW_EVERY);
        show.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let ran = loop {
            tokio::select! {
                ran = &mut running => break ran?,
                _ = show.tick() => {
                    let more = std::mem::take(&mut *locked(&said));
                    if !more.is_empty() {
                        self.core.live.output(place.conversation.id, id, more);
                    }
                }
            }
        };
        Ok(answer_of_command(&ran, seconds))
    }

    fn read_on(
        &self,
        place: Place<'_>,
        handle: &str,
        offset: u64,
        limit: Option<u64>,
    ) -> Result<Answer, ToolError> {
        let stores = self.core.stores().map_err(of_failure)?;
        let gone = || "There is no output with this handle in this conversation.".to_owned();
        let whole = stores.tools.output(place.conversation.id, handle);
        let whole = whole.map_err(|_| ToolError::Refused(gone()))?;
        let clean = self.privacy.cleaner().text(&whole).into_owned();
        let text = page(&clean, offset, limit.unwrap_or(LINES));
        Ok(Answer { text, ..Answer::default() })
    }

    async fn memory_told(&self, place: Place<'_>, path: &str) -> Result<Answer, ToolError> {
        let (this, project, id) = (self.clone(), place.project.cloned(), place.conversation.id);
        let touched = vec![path.to_owned()];
        let taken = blocking(move || {
            let task = TaskAtHand { draft: "", touched: &touched };
            this.memory.taken_memory(project.as_ref(), Some(id), &task)
        });
        let mut text = String::new();
        for memory in taken.await.map_err(of_failure)?.texts {
            // Writing into a string cannot fail.
            let _ = writeln!(text, "# {}\n\n{}\n", memory.path, memory.text.trim());
        }
        if text.is_empty() {
            "Nothing is remembered here.".clone_into(&mut text);
        }
        Ok(Answer { text, ..Answer::default() })
    }

    async fn skill_read(
        &self,
        place: Place<'_>,
        name: &str,
        file: &str,
    ) -> Result<Answer, ToolError> {
        let (this, project) = (self.clone(), place.conversation.project_id);
        let (name, file) = (name.to_owned(), file.to_owned());
        let read = blocking(move || this.skills.read_by_model(project, &name, &file));
        let text = read.await.and_then(|text| text).map_err(of_failure)?;
        Ok(Answer { text, ..Answer::default() })
    }

    /// Messages of other conversations of the same project; of conversations without one, where there is none.
    fn search_earlier(&self, place: Place<'_>, query: &str) -> Result<Answer, ToolError> {
        let stores = self.core.stores().map_err(of_failure)?;
        let here = place.conversation;
        if let Some(project) = here.project_id
            && self.search.others_allowed(project).map_err(of_failure)? != Some(true)
        {
            let words =
                "The person has not allowed other conversations of this project to be read.";
            return Err(ToolError::Refused(words.into()));
        }
        let scope = SearchScope { project_id: here.project_id, conversation_id: None };
        let found = stores.transcripts.search(query, &scope, LOOKED_AT).or_failure();
        let mut text = String::new();
        let mut told = 0;
        for hit in found.map_err(of_failure)?.hits {
            let of = stores.transcripts.conversation(hit.conversation_id);
            let fits = |of: &Conversation| {
                of.project_id == here.project_id && of.deleted_at.is_none() && of.id != here.id
            };
            if told < HITS && of.is_ok_and(|of| fits(&of)) {
                let words: String = hit.snippet.iter().map(|part| part.text.as_str()).collect();
                let day = hit.created_at.strftime("%Y-%m-%d");
                let _ = writeln!(text, "- {day}, \u{201c}{}\u{201d}: {}", hit.title, words.trim());
                told += 1;
            }
        }
        if told == 0 {
            "Nothing was found.".clone_into(&mut text);
        }
        Ok(Answer { text, ..Answer::default() })
    }

    fn propose_line(
        &self,
        place: Place<'_>,
        text: &str,
        why: &str,
        for_all_projects: bool,
    ) -> Result<Answer, ToolError> {
        let text = text.trim();
        if text.is_empty() || text.len() + why.len() > REMEMBER_BYTES {
            let words = "Propose one line of at most 4,000 bytes together with its reason.";
            return Err(ToolError::Refused(words.into()));
        }
        let cleaner = self.privacy.strict_cleaner();
        let record = InboxRecord {
            id: InboxId::new(self.core.now()),
            project_id: place.conversation.project_id,
            conversation_id: Some(place.conversation.id),
            message_id: Some(place.reply),
            text: cleaner.text(text).into_owned(),
            why: cleaner.text(why.trim()).into_owned(),
            for_all_projects,
            at: self.core.now(),
            from: None,
        };
        let stores = self.core.stores().map_err(of_failure)?;
        stores.tools.put_inbox(&record).or_failure().map_err(of_failure)?;
        self.core.changed([Topic::Tools]);
        Ok(proposed())
    }

    fn propose(&self, place: Place<'_>, change: &WorkflowChange) -> Result<Answer, ToolError> {
        let (conversation_id, message_id) = (place.conversation.id, place.reply);
        let change = match change.clone() {
            WorkflowChange::AddDecision { text, .. } => {
                let source = Some(DecisionSource { conversation_id, message_id });
                let origin = DecisionOrigin::Accepted;
                WorkflowChange::AddDecision { text, source, origin }
            }
            change @ (WorkflowChange::AddPlan { .. }
            | WorkflowChange::AddTask { .. }
            | WorkflowChange::FinishTask { .. }) => change,
            _ => {
                let words =
                    "Only add_plan, add_task, finish_task and add_decision can be proposed.";
                return Err(ToolError::Refused(words.into()));
            }
        };
        let record = ProposalRecord {
            id: ProposalId::new(self.core.now()),
            project_id: self.trusted(place.project)?.id,
            conversation_id,
            message_id,
            change,
            start: 0,
            end: 0,
            state: ProposalState::Open,
            at: self.core.now(),
        };
        let stores = self.core.stores().map_err(of_failure)?;
        if stores.sessions.propose(&record).or_failure().map_err(of_failure)? {
            self.core.changed([Topic::Sessions]);
        }
        Ok(proposed())
    }
}

/// Set when whoever looks is gone.
#[derive(Default)]
struct Gone(Arc<AtomicBool>);

impl Drop for Gone {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn proposed() -> Answer {
    let text = "Proposed. The person decides, and nothing is changed before.".to_owned();
    Answer { text, ..Answer::default() }
}

pub(crate) fn of_failure(failure: Failure) -> ToolError {
    ToolError::Refused(failure.message)
}

fn answer_of_command(ran: &Ran, seconds: u64) -> Answer {
    let mut text = ran.output.clone();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    if ran.dropped > 0 {
        let _ = writeln!(text, "[{} more bytes of output were not kept]", ran.dropped);
    }
    let ended = match ran.ended {
        Ended::Exited(code) => format!("[exit code {code}]"),
        Ended::Signalled(signal) => format!("[ended by signal {signal}]"),
        Ended::TimedOut => format!("[ended after {seconds} s, with all that it had started]"),
    };
    if !ran.run_by_others.is_empty() {
        let _ = writeln!(
            text,
            "[changed meanwhile, and run or obeyed by other programs without being told to: {}. Look at \
             them; the checkpoint before this command has those that are no part of .git]",
            ran.run_by_others.join(", ")
        );
    }
    text.push_str(&ended);
    Answer { text, is_error: ran.ended != Ended::Exited(0), touched: Vec::new() }
}

/// Lines of a long text from a place on, as many as a request takes whole.
fn page(text: &str, offset: u64, limit: u64) -> String {
    let first = usize::try_from(offset.max(1) - 1).unwrap_or(usize::MAX);
    let all = text.lines().count();
    let mut shown = String::new();
    let mut count = 0;
    for line in text.lines().skip(first).take(usize::try_from(limit).unwrap_or(usize::MAX)) {
        let room = (output::WHOLE_BYTES - 200).saturating_sub(shown.len());
        if line.len() >= room {
            if count == 0 {
                shown.push_str(&line[..line.floor_char_boundary(room)]);
                count = 1;
            }
            break;
        }
        shown.push_str(line);
        shown.push('\n');
        count += 1;
    }
    let last = first.saturating_add(count).min(all);
    format!("{}\n[lines {} to {last} of {all}]", shown.trim_end_matches('\n'), offset.max(1))
}
