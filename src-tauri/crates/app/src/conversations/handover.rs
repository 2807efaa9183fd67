//! Going on with sessions of other agents: here, with an agent, or as a text; and with conversations from here elsewhere.
//!
//! What goes of a conversation is what is sent of it: its summaries, and the messages that they do not stand for. A session
//! stays what it is, and so does every file of its agent. What is written for an agent is a new file under an id
//! of its own, below the data folder, or in the agent's folder at the one path that the person was shown. It comes
//! without secrets: it may go to another provider than the one that heard them.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use siltstone_contract::{
    ContinueVault, Failure, PlanVault, VaultContinued, VaultGoal, VaultHandover, VaultItem,
    VaultLeft, VaultPlan,
};
use siltstone_engine::Timestamp;
use siltstone_engine::ids::{ConversationId, MessageId};
use siltstone_engine::message::{Part, Role};
use siltstone_engine::ports::StoreError;
use siltstone_engine::project::Project;
use siltstone_engine::vault::{
    ComposeError, Entry, EntryKind, Handover, Left, LeftReason, Outgoing, Session, as_text,
    handover, id_of,
};
use siltstone_engine::{export, tokens};

use super::ConversationService;
use super::attachments::bytes_of;
use crate::core::blocking;
use crate::core::failure::{Outcome, bad_request, conflict};

/// The folder in the data folder for sessions that agents are to go on with.
const FOLDER: &str = "handover";

/// How often the same state of a session can be handed over.
const COPIES: u32 = 1_000;

impl ConversationService {
    /// What going on with a session would take along.
    pub async fn vault_plan(&self, request: PlanVault) -> Result<VaultPlan, Failure> {
        let this = self.clone();
        blocking(move || {
            let found = this.going_on(&request.id, request.version)?;
            this.planned(found, &request.goal)
        })
        .await?
    }

    /// Goes on with a session.
    pub async fn vault_continue(&self, request: ContinueVault) -> Result<VaultContinued, Failure> {
        let this = self.clone();
        blocking(move || this.continued(&request)).await?
    }

    /// What goes on: a conversation from here, or a kept session.
    fn going_on(&self, id: &str, version: Option<u32>) -> Result<Source, Failure> {
        if let Ok(id) = id.parse()
            && let Some(own) = self.own(id)?
        {
            return Ok(own);
        }
        let found = self.vault.understood(id, version)?;
        let facts = &found.item.facts;
        Ok(Source {
            by: facts.agent.title(),
            ended_at: facts.ended_at.unwrap_or(found.kept_at),
            state: format!("{} {}", found.item.versions, found.item.bytes),
            beside: vec![
                (LeftReason::Subagent, found.subagents),
                (LeftReason::Output, found.outputs),
            ],
            session: found.session,
            item: Some(found.item),
        })
    }

    /// A conversation from here with its summaries and the bytes of its pictures; none where there is no such one, or in the
    /// trash alone.
    fn own(&self, id: ConversationId) -> Result<Option<Source>, Failure> {
        let stores = self.core.stores()?;
        let conversation = match stores.transcripts.conversation(id) {
            Err(StoreError::NotFound { .. }) => return Ok(None),
            found => found.or_failure()?,
        };
        if conversation.deleted_at.is_some() {
            return Ok(None);
        }
        let messages = stores.transcripts.all_messages(id).or_failure()?;
        let shown = stores.transcripts.page(id, None, 1).or_failure()?.messages.pop();
        let choice = self.models.choice_for(&conversation)?;
        let folds = self.folding.folds(&stores, &conversation, &choice)?;
        let (summary, end) = folds.told_whole(&conversation);
        let places: Vec<u64> = (0..end).collect();
        let folded = stores.transcripts.ids_at(id, &places).or_failure()?;
        let folded: Vec<MessageId> = folded.into_iter().flatten().collect();
        let mut unwanted: HashSet<MessageId> = messages.iter().map(|message| message.id).collect();
        unwanted.retain(|id| conversation.wishes.leaves_out_message(*id));
        let summary = match (summary.is_empty(), folded.last()) {
            (false, Some(last)) => Some((summary, *last)),
            // Neither the summaries are wanted nor what they stand for.
            _ => {
                unwanted.extend(folded);
                None
            }
        };
        let pictures = bytes_of(&stores, messages.iter().flat_map(|message| &message.parts))?;
        let state = format!("{} {}", messages.len(), conversation.updated_at);
        let leaf = shown.map(|shown| shown.message.id);
        let mut session =
            Session::of_conversation(&conversation, messages, leaf, summary, &unwanted);
        let bytes = pictures.found.into_iter();
        session.pictures = bytes.map(|(hash, bytes)| (hash, bytes.to_vec())).collect();
        if let Some(project) = conversation.project_id {
            session.folder = Some(stores.records.project(project).or_failure()?.path);
        }
        Ok(Some(Source {
            by: "Siltstone",
            ended_at: conversation.updated_at,
            state,
            beside: vec![(LeftReason::Unwanted, unwanted.len() as u64)],
            session,
            item: None,
        }))
    }

    fn planned(&self, found: Source, goal: &VaultGoal) -> Result<VaultPlan, Failure> {
        let mut plan = VaultPlan {
            project: None,
            turns: 0,
            messages: 0,
            calls: 0,
            pictures: 0,
            summaries: 0,
            tokens: 0,
            left: Vec::new(),
            handover: None,
            title: self.privacy.cleaner().text(&found.session.title).into_owned(),
            item: found.item.clone(),
        };
        let mut left = match goal {
            VaultGoal::Here { project_id } => {
                found.is_foreign()?;
                plan.project = match project_id {
                    Some(id) => Some(self.core.stores()?.records.project(*id).or_failure()?),
                    None => self.project_of(&found)?,
                };
                let imported = export::of_session(&found.session, self.core.now()).or_failure()?;
                count(&mut plan, &imported);
                left_here(&found, imported.left_out)
            }
            VaultGoal::Agent { whole, .. } => {
                let going = self.going(&found, *whole);
                told(&mut plan, &going);
                plan.handover = Some(self.place(&found, goal, &going)?.handover);
                going.left
            }
            VaultGoal::Text => {
                let going = handover(&found.session, false);
                told(&mut plan, &going);
                let text = as_text(&found.session, found.by, &going);
                plan.tokens = tokens::estimate(&text);
                going.left
            }
        };
        left.extend(found.beside.into_iter().filter(|(_, count)| *count > 0));
        plan.left = left.into_iter().map(|(reason, count)| VaultLeft { reason, count }).collect();
        Ok(plan)
    }

    fn continued(&self, request: &ContinueVault) -> Result<VaultContinued, Failure> {
        let found = self.going_on(&request.id, request.version)?;
        match &request.goal {
            VaultGoal::Here { project_id } => {
                found.is_foreign()?;
                let project_id = match project_id {
                    Some(id) => Some(*id),
                    None => self.project_of(&found)?.map(|project| project.id),
                };
                let imported = export::of_session(&found.session, self.core.now()).or_failure()?;
                let kept = self.keep_imported(imported, project_id)?;
                Ok(VaultContinued::Here { item: kept.item, warnings: kept.warnings })
            }
            VaultGoal::Agent { whole, install, .. } => {
                let going = self.going(&found, *whole);
                if going.steps.is_empty() {
                    return Err(conflict("nothing was said in this session that could go on"));
                }
                let placed = self.place(&found, &request.goal, &going)?;
                let said_yes = request.path.as_deref() == Some(placed.handover.path.as_str());
                if request.path.is_some() && !said_yes {
                    return Err(conflict("it would be written elsewhere than was shown"));
                }
                if *install && !said_yes {
                    return Err(bad_request("a file in an agent's folder needs a yes to its path"));
                }
                self.core.world.agents.write_new(&placed.path, &placed.bytes).or_failure()?;
                Ok(VaultContinued::Agent { handover: placed.handover })
            }
            VaultGoal::Text => {
                let going = handover(&found.session, false);
                let text = as_text(&found.session, found.by, &going);
                let cleaner = self.privacy.cleaner();
                let name = export::file_name(&cleaner.text(&found.session.title), "md");
                Ok(VaultContinued::Text { text: cleaner.text(&text).into_owned(), name })
            }
        }
    }

    /// The project in whose folder a session worked, if that was ever opened: the nearest one.
    fn project_of(&self, found: &Source) -> Result<Option<Project>, Failure> {
        let Some(folder) = &found.session.folder else { return Ok(None) };
        let real = self.core.world.files.real_path(folder).unwrap_or_else(|_| folder.clone());
        let records = self.core.stores()?.records;
        for above in Path::new(&real).ancestors().filter_map(Path::to_str) {
            if let Some(project) = records.project_at(above).or_failure()? {
                return Ok(Some(project));
            }
        }
        Ok(None)
    }

    /// What goes to an agent, without secrets.
    fn going(&self, found: &Source, whole: bool) -> Handover {
        let cleaner = self.privacy.cleaner();
        let mut going = handover(&found.session, whole);
        going.steps.iter_mut().for_each(|step| _ = cleaner.parts(&mut step.parts));
        going
    }

    /// The session of an agent that would be written, and where. The same question has the same answer until it is there.
    fn place(&self, found: &Source, goal: &VaultGoal, going: &Handover) -> Result<Placed, Failure> {
        let VaultGoal::Agent { agent, folder, install, whole } = goal else {
            return Err(bad_request("only an agent gets a session of its own"));
        };
        let agents = &self.core.world.agents;
        let folder = folder.as_ref().or(found.session.folder.as_ref());
        let folder = folder.ok_or_else(|| bad_request("the session names no folder; name one"))?;
        let folder = self.core.world.files.real_path(folder).or_failure()?;
        let root = agents.root(*agent);
        let root = root.ok_or_else(|| conflict("this computer has no place for the agent"))?;
        let ours = self.core.options.data_dir.join(FOLDER).join(agent.name());
        for copy in 0..COPIES {
            let seed = format!(
                "{} {} {} {} {whole} {folder} {copy}",
                agent.name(),
                found.session.id,
                found.state,
                found.session.entries.len(),
            );
            let id = id_of(&seed);
            let title = self.privacy.cleaner().text(&found.session.title).into_owned();
            let session = Outgoing {
                id: &id,
                folder: &folder,
                git_branch: found.session.git_branch.as_deref(),
                title: &title,
                ended_at: found.ended_at,
                now: self.core.now(),
                steps: &going.steps,
                pictures: &found.session.pictures,
            };
            let composed = agents.compose(*agent, &session).map_err(of_composing)?;
            let (theirs, ours) = (root.join(&composed.path), ours.join(&composed.path));
            if agents.is_there(&theirs) || agents.is_there(&ours) {
                continue;
            }
            let path = if *install { theirs.clone() } else { ours.clone() };
            let handover = VaultHandover {
                path: path.display().to_string(),
                install: (!install).then(|| copying(&ours, &theirs)),
                start: starting(&folder, &composed.resume),
                session_id: id,
            };
            return Ok(Placed { handover, path, bytes: composed.bytes });
        }
        Err(conflict("this session was handed over too often; take the former copies away"))
    }
}

/// What goes on.
struct Source {
    /// The session in the list; none of a conversation from here.
    item: Option<VaultItem>,
    /// Who had it until now.
    by: &'static str,
    /// When something was said in it last.
    ended_at: Timestamp,
    /// What is another whenever more of it is there.
    state: String,
    /// What stands beside it and stays there.
    beside: Vec<(LeftReason, u64)>,
    session: Session,
}

impl Source {
    /// A conversation from here has nowhere to come from.
    fn is_foreign(&self) -> Result<(), Failure> {
        match self.item {
            Some(_) => Ok(()),
            None => Err(bad_request("this conversation is here already")),
        }
    }
}

/// A session of an agent, and where it goes.
struct Placed {
    handover: VaultHandover,
    path: PathBuf,
    bytes: Vec<u8>,
}

fn told(plan: &mut VaultPlan, going: &Handover) {
    plan.turns = going.turns();
    plan.messages = going.steps.len() as u64;
    plan.calls = going.calls();
    plan.pictures = going.pictures();
    plan.tokens = going.tokens();
}

/// Counts what becomes a conversation here.
fn count(plan: &mut VaultPlan, imported: &export::Imported) {
    let messages = &imported.messages;
    let calls = messages.iter().flat_map(|message| &message.parts);
    plan.turns = messages.iter().filter(|it| it.role == Role::User).count() as u64;
    plan.messages = messages.len() as u64;
    plan.calls = calls.filter(|part| matches!(part, Part::ToolCall { .. })).count() as u64;
    plan.pictures = imported.attached.len() as u64;
    plan.summaries = imported.summaries.len() as u64;
    let by_id: HashMap<_, _> = messages.iter().map(|message| (message.id, message)).collect();
    let mut at = Some(imported.active);
    while let Some(message) = at.and_then(|id| by_id.get(&id)) {
        plan.tokens += message.tokens;
        at = message.parent_id;
    }
}

/// What does not become a conversation here.
fn left_here(found: &Source, pictures: u64) -> Left {
    let session = &found.session;
    let count =
        |is: &dyn Fn(&&Entry) -> bool| session.entries.iter().filter(|it| is(it)).count() as u64;
    let context = count(&|it| it.kind == EntryKind::Context && !it.aside);
    let left = [
        (LeftReason::Context, context),
        (LeftReason::Aside, count(&|it| it.aside && it.kind == EntryKind::Said)),
        (LeftReason::Picture, pictures),
        (LeftReason::Shortened, session.shortened),
        (LeftReason::Unknown, session.unknown.values().sum()),
        (LeftReason::Unreadable, session.unreadable),
    ];
    left.into_iter().filter(|(_, count)| *count > 0).collect()
}

fn of_composing(error: ComposeError) -> Failure {
    conflict(&error.to_string())
}

/// The command that puts a session where its agent looks.
fn copying(from: &Path, to: &Path) -> String {
    let folder = to.parent().unwrap_or(to);
    let [from, to, folder] = [from, to, folder].map(|path| quoted(&path.display().to_string()));
    match cfg!(windows) {
        true => format!("mkdir {folder} -Force; cp {from} {to}"),
        false => format!("mkdir -p {folder} && cp {from} {to}"),
    }
}

/// The command with which an agent goes on.
fn starting(folder: &str, resume: &str) -> String {
    let then = if cfg!(windows) { ";" } else { " &&" };
    format!("cd {}{then} {resume}", quoted(folder))
}

/// A word of a command as a shell takes it: a POSIX one, or PowerShell.
fn quoted(word: &str) -> String {
    let is_plain = |sign: char| sign.is_alphanumeric() || "-_./:+=".contains(sign);
    match word.chars().all(is_plain) && !word.is_empty() {
        true => word.to_owned(),
        false if cfg!(windows) => format!("'{}'", word.replace('\'', "''")),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}
