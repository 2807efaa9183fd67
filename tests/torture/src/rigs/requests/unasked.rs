//! Unasked: an agent that does at random what agents do: it asks and writes, writes and tells, writes and says nothing,
//! deletes, moves and runs commands. However it was done, what is different after its turn is shown, file by file; only what
//! was asked for and allowed counts as known; what was refused did not happen; and taking the turn back gives every byte of before.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::stream;
use siltstone_contract::{
    AnswerApproval, ApprovalAnswer, ChangesKnown, ChangesOf, ConversationRef, DefaultModel,
    ReviewChanges, TakeBackChanges, TakenBackFile,
};
use siltstone_engine::acp::{
    AgentCall, Agents, CallChange, CallKind, CallState, CommandLine, Heard, Leave, OWN_MODEL,
    Question, Work, Working,
};
use siltstone_engine::ids::{ConversationId, TurnId};
use siltstone_engine::offers::Told;
use siltstone_engine::ports::{Access, Asked};
use siltstone_engine::provider::{FoundServer, ModelInfo, ProviderKind, ProviderRecord};
use tokio::sync::{mpsc, oneshot};

use super::room::Room;
use crate::chance::Chance;
use crate::{Options, Outcome, Trouble};

/// Turns in one conversation, so that its request stays short.
const TURNS: u64 = 25;

/// Files that it works with.
const FILES: [&str; 8] =
    ["a.txt", "b.txt", "src/c.rs", "src/d/e.rs", "등대.md", "f", "g.bin", "docs/h.md"];

/// How a file is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// The person is asked, and says yes, or no.
    Asked(bool),
    /// A command is asked about and allowed; what it does is not said.
    Ran,
    /// It is told, and nobody is asked.
    Told,
    /// Nothing is said.
    Hidden,
}

/// What is done to it.
#[derive(Clone, Debug)]
enum What {
    Write(Vec<u8>),
    Delete,
    Move(&'static str),
}

/// Something that the agent does.
#[derive(Clone, Debug)]
struct Act {
    path: &'static str,
    how: How,
    what: What,
}

impl Act {
    fn draw(chance: &mut Chance) -> Self {
        let path = FILES[chance.index(FILES.len())];
        let how = [How::Asked(true), How::Asked(false), How::Ran, How::Told, How::Hidden];
        let how = how[chance.index(how.len())];
        let what = match chance.below(8) {
            0 => What::Delete,
            1 => What::Move(FILES[chance.index(FILES.len())]),
            _ => What::Write(text(chance)),
        };
        Self { path, how, what }
    }

    fn is_allowed(&self) -> bool {
        self.how != How::Asked(false)
    }

    fn carry_out(&self, root: &Path) {
        let at = root.join(self.path);
        // What cannot be done is not done: a file that is not there is not moved.
        match &self.what {
            What::Write(bytes) => drop(write(&at, bytes)),
            What::Delete => drop(fs::remove_file(at)),
            What::Move(to) => {
                let to = root.join(to);
                if let Some(folder) = to.parent() {
                    drop(fs::create_dir_all(folder));
                }
                drop(fs::rename(at, to));
            }
        }
    }

    fn paths(&self) -> Vec<&'static str> {
        match self.what {
            What::Move(to) => vec![self.path, to],
            _ => vec![self.path],
        }
    }
}

fn write(at: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if let Some(folder) = at.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(at, bytes)
}

/// Of few lengths, so that a change often keeps the size.
fn text(chance: &mut Chance) -> Vec<u8> {
    let lines = 1 + chance.below(3);
    let line = |chance: &mut Chance| format!("line {}\n", chance.below(10));
    (0..lines).map(|_| line(chance)).collect::<String>().into_bytes()
}

/// An agent in this process, which does what is put down for it.
#[derive(Default)]
struct Hand(Mutex<Vec<Act>>);

impl Agents for Hand {
    fn serves(&self) -> bool {
        false
    }

    fn work(&self, work: Work) -> Working {
        let acts = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let (send, heard) = mpsc::channel(8);
        tokio::spawn(async move {
            let root = PathBuf::from(work.folder.unwrap_or_default());
            for (number, act) in acts.iter().enumerate() {
                does(&send, &root, number, act).await;
            }
            let _ = send.send(Ok(Heard::Text("Done.".to_owned()))).await;
            let _ = send.send(Ok(Heard::Finished)).await;
        });
        Box::pin(stream::unfold(heard, |mut heard| async { Some((heard.recv().await?, heard)) }))
    }

    fn look(&self, _: CommandLine, _: Access) -> Asked<'_, (Vec<ModelInfo>, Told)> {
        Box::pin(async { Ok(Default::default()) })
    }

    fn found(&self) -> Vec<FoundServer> {
        Vec::new()
    }
}

type Hearer = mpsc::Sender<Result<Heard, siltstone_engine::provider::ProviderError>>;

async fn does(send: &Hearer, root: &Path, number: usize, act: &Act) {
    let kind = match (act.how, &act.what) {
        (How::Ran, _) => CallKind::Execute,
        (_, What::Write(_)) => CallKind::Edit,
        (_, What::Delete) => CallKind::Delete,
        (_, What::Move(_)) => CallKind::Move,
    };
    let whole = |path: &str| root.join(path).display().to_string();
    let ran = act.how == How::Ran;
    let mut call = AgentCall {
        id: format!("call-{number}"),
        title: act.path.to_owned(),
        kind,
        state: CallState::Going,
        arguments: format!("{{\"number\":{number}}}"),
        command: ran.then(|| "make it so".to_owned()),
        said: String::new(),
        changes: Vec::new(),
        paths: if ran { Vec::new() } else { act.paths().into_iter().map(whole).collect() },
    };
    if let (What::Write(bytes), false) = (&act.what, ran) {
        let after = String::from_utf8_lossy(bytes).into_owned();
        let before = fs::read_to_string(root.join(act.path)).ok();
        call.changes.push(CallChange { path: whole(act.path), before, after });
    }
    if act.how == How::Hidden {
        return act.carry_out(root);
    }
    let _ = send.send(Ok(Heard::Call(call.clone()))).await;
    let mut given = true;
    if act.how != How::Told {
        let (answer, answered) = oneshot::channel();
        let answer = Box::new(move |leave| drop(answer.send(leave)));
        let _ = send.send(Ok(Heard::Asks(Question { call: call.clone(), answer }))).await;
        given = answered.await == Ok(Leave::Given);
    }
    if given {
        act.carry_out(root);
    }
    call.state = if given { CallState::Done } else { CallState::Failed };
    let _ = send.send(Ok(Heard::Call(call))).await;
}

/// Runs it.
pub fn run(options: &Options) -> Result<Outcome, Trouble> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let mut outcome = Outcome::default();
    let mut chance = options.chance("unasked");
    runtime.block_on(async {
        let hand = Arc::new(Hand::default());
        let room = Room::with(Some(hand.clone())).await?;
        let (name, kind) = ("hand".to_owned(), ProviderKind::Agent);
        let record = ProviderRecord { name: name.clone(), kind, base_url: name.clone() };
        room.app.provider_add(record).await?;
        let choice = DefaultModel { provider: name, model: OWN_MODEL.into() };
        room.app.provider_default(choice).await?;
        let mut id = room.conversation(true).await?;
        for turn in 0..options.count(20, 10_000) {
            if turn % TURNS == TURNS - 1 {
                id = room.conversation(true).await?;
            }
            let acts = (0..1 + chance.below(6)).map(|_| Act::draw(&mut chance)).collect();
            let back = chance.below(2) == 0;
            one_turn(&room, &hand, id, acts, back, &mut outcome).await?;
        }
        Ok(outcome)
    })
}

async fn one_turn(
    room: &Room,
    hand: &Hand,
    id: ConversationId,
    acts: Vec<Act>,
    back: bool,
    outcome: &mut Outcome,
) -> Result<(), Trouble> {
    let root = &room.desk.project;
    let before = files(root)?;
    hand.0.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&acts);
    let told = || format!("{acts:?}");
    let Some(turn) = room.send(id, "Do it.").await? else { return Err("it was queued".into()) };
    answered(room, id, &acts).await?;
    let after = files(root)?;
    outcome.count("turns", 1);
    outcome.count("acts", acts.len() as u64);

    let differs = |path: &&String| before.get(*path) != after.get(*path);
    let different: BTreeSet<&String> = before.keys().chain(after.keys()).filter(differs).collect();
    let changes = room.app.changes_get(ChangesOf::Turn { id: turn }).await?;
    let mut listed = BTreeSet::new();
    for file in &changes.files {
        listed.insert(&file.path);
        listed.extend(&file.from);
        let asked = acts
            .iter()
            .any(|act| act.how == How::Asked(true) && act.paths().contains(&file.path.as_str()));
        if file.by_tool && !asked {
            outcome.fail(format!("{} counts as asked for: {}", file.path, told()));
        }
    }
    if listed != different {
        outcome.fail(format!("{different:?} are different, {listed:?} are listed: {}", told()));
    }
    if !different.is_empty() && changes.known != ChangesKnown::Whole {
        outcome.fail(format!("{:?} is known of {}", changes.known, told()));
    }
    outcome.count("files changed", different.len() as u64);
    if back && !different.is_empty() {
        taken_back(room, turn).await?;
        outcome.count("turns taken back", 1);
        let now = files(root)?;
        if now != before {
            outcome.fail(format!("taken back it is {now:?}, and was {before:?}: {}", told()));
        }
    }
    Ok(())
}

/// Answers what the agent asks, until its turn is over.
async fn answered(room: &Room, id: ConversationId, acts: &[Act]) -> Result<(), Trouble> {
    let mut changes = room.app.subscribe();
    let settled = room.settled(id);
    tokio::pin!(settled);
    loop {
        for waiting in room.app.approval_list(ConversationRef { id }).await? {
            let number = waiting.call_id.strip_prefix("call-").and_then(|it| it.parse().ok());
            let act: Option<&Act> = number.and_then(|number: usize| acts.get(number));
            let answer = match act.is_some_and(Act::is_allowed) {
                true => ApprovalAnswer::Once,
                false => ApprovalAnswer::No { note: String::new() },
            };
            let (call_id, hash) = (waiting.call_id, waiting.hash);
            let answer = AnswerApproval { conversation_id: id, call_id, hash, answer };
            room.app.approval_answer(answer).await?;
        }
        tokio::select! {
            settled = &mut settled => return settled,
            // Of what was missed the list tells.
            _ = changes.recv() => {}
        }
    }
}

async fn taken_back(room: &Room, turn_id: TurnId) -> Result<(), Trouble> {
    let review = room
        .app
        .changes_review(ReviewChanges { of: ChangesOf::Turn { id: turn_id }, path: None })
        .await?;
    let files = review.files.into_iter().map(|it| TakenBackFile {
        path: it.file.path,
        seen: it.seen,
        pieces: None,
    });
    let back = TakeBackChanges { of: ChangesOf::Turn { id: turn_id }, files: files.collect() };
    room.app.changes_take_back(back).await?;
    Ok(())
}

/// Every file of the project with what it says.
fn files(root: &Path) -> Result<BTreeMap<String, Vec<u8>>, Trouble> {
    fn into(
        root: &Path,
        folder: &Path,
        all: &mut BTreeMap<String, Vec<u8>>,
    ) -> std::io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                into(root, &path, all)?;
            } else {
                let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
                all.insert(name, fs::read(&path)?);
            }
        }
        Ok(())
    }
    let mut all = BTreeMap::new();
    into(root, root, &mut all)?;
    Ok(all)
}
