//! `silt conversation`.

use std::collections::HashSet;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};
use serde_json::json;
use siltstone_app::Sink;
use siltstone_contract::{
    ChangedFile, ChangesKnown, ChangesOf, Code, ConversationItem, ConversationRef, DeleteBackups,
    ExportConversation, ExportFormat, Failure, FileImported, ImportEvent, ImportedAll,
    ListConversations, ReviewChanges, Search, TakeBackChanges, TakenBackFile,
};
use siltstone_engine::Timestamp;
use siltstone_engine::checkpoint::Standing;
use siltstone_engine::export::{self, TranscriptLine};
use siltstone_engine::ids::{ConversationId, MessageId, TurnId};
use siltstone_engine::message::{Message, MessageStatus, Part, Role};
use siltstone_engine::search::SearchScope;
use siltstone_storage::write_whole;

use super::named::{self, id};
use super::note_shared;
use super::restore::restored;
use crate::args;
use crate::host::Host;
use crate::input;
use crate::out::Stop;
use crate::words::Lang;

pub async fn run(host: &Host, command: args::Conversation) -> Result<(), Stop> {
    match command {
        args::Conversation::List { all, trash } => list(host, all, trash).await,
        args::Conversation::Show { id: typed, branches } => {
            show(host, named::conversation(host, &typed).await?, branches).await
        }
        args::Conversation::Changes { id: typed } => {
            changes(host, named::conversation(host, &typed).await?).await
        }
        args::Conversation::Undo { id: typed, files } => {
            undo(host, named::conversation(host, &typed).await?, files).await
        }
        args::Conversation::Search(request) => search(host, request).await,
        args::Conversation::Import { file } => import(host, &file).await,
        args::Conversation::Export { id: typed, format, as_is, output } => {
            let id = named::conversation(host, &typed).await?;
            let request = ExportConversation { id, format: format.into(), as_is };
            export(host, request, output).await
        }
        args::Conversation::Delete { id: typed } => {
            let named = ConversationRef { id: named::conversation(host, &typed).await? };
            host.app.conversation_delete(named.clone()).await?;
            moved(host, named).await
        }
        args::Conversation::Restore { id: typed } => {
            let named = ConversationRef { id: id("conversation", &typed)? };
            host.app.conversation_restore(named.clone()).await?;
            moved(host, named).await
        }
        args::Conversation::Purge { id: typed, backups } => {
            purge(host, ConversationRef { id: id("conversation", &typed)? }, backups).await
        }
    }
}

async fn list(host: &Host, all: bool, trashed: bool) -> Result<(), Stop> {
    let project = if all { None } else { host.project().await? };
    let request = ListConversations { project_id: project.map(|project| project.id), trashed };
    let found = host.app.conversation_list(request).await?;
    if host.out.json {
        return host.out.value(&json!({"conversations": found}));
    }
    if found.is_empty() {
        host.out.note(host.out.lang.pick("No conversations.", "대화가 없습니다."));
    }
    found.iter().try_for_each(|item| host.out.line(&item_line(host.out.lang, item)))
}

fn item_line(lang: Lang, item: &ConversationItem) -> String {
    let when = lang.ago(item.updated_at, Timestamp::now());
    let pin = if item.pinned { "* " } else { "" };
    let title = match item.title.as_str() {
        "" => lang.pick("(untitled)", "(제목 없음)"),
        title => title,
    };
    format!("{}  {when:>10}  {pin}{title}", item.id)
}

/// The JSON export, as far as it is shown.
#[derive(Deserialize)]
struct Tree {
    active: Vec<MessageId>,
    messages: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: MessageId,
    parent: Option<MessageId>,
    role: Role,
    parts: Vec<Part>,
    status: MessageStatus,
    model: Option<String>,
    created_at: Timestamp,
    token_count: u64,
    turn: Option<TurnId>,
}

/// A line of a transcript with its place in the tree.
#[derive(Serialize)]
struct ShownLine {
    #[serde(flatten)]
    line: TranscriptLine,
    turn: Option<TurnId>,
    parent: Option<MessageId>,
    active: bool,
    /// Of the message; on the first of its lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    token_count: Option<u64>,
}

async fn show(host: &Host, id: ConversationId, branches: bool) -> Result<(), Stop> {
    let detail = host.app.conversation_get(ConversationRef { id }).await?;
    let tree = tree(host, id).await?;
    let active: HashSet<MessageId> = tree.active.iter().copied().collect();
    let lines: Vec<ShownLine> = tree
        .messages
        .into_iter()
        .flat_map(|node| {
            let (turn, parent, active) = (node.turn, node.parent, active.contains(&node.id));
            let mut weight = Some(node.token_count);
            let lines = export::transcript_lines(&message(node, id));
            lines.into_iter().map(move |line| {
                let token_count = weight.take();
                ShownLine { line, turn, parent, active, token_count }
            })
        })
        .collect();
    if host.out.json {
        return host.out.value(&json!({"conversation": detail, "messages": lines}));
    }
    host.out.line(&item_line(host.out.lang, &detail.item))?;
    for shown in lines.iter().filter(|shown| shown.active || branches) {
        let line = &shown.line;
        let other = host.out.lang.pick(" · on another branch", " · 다른 가지");
        host.out.line(&format!(
            "\n── {} · {} · {}{}",
            who(host.out.lang, line.role, line.speaker.as_deref()),
            host.out.lang.ago(line.ts, Timestamp::now()),
            line.id,
            if shown.active { "" } else { other }
        ))?;
        host.out.line(&line.content)?;
        if let Some(status) = line.status {
            host.out.line(ended(host.out.lang, status))?;
        }
    }
    Ok(())
}

/// The newest turn of the shown path.
async fn newest(host: &Host, id: ConversationId) -> Result<ChangesOf, Stop> {
    let turn = path(host, id).await?.into_iter().rev().find_map(|message| message.turn_id);
    let none = || Failure::new(Code::NotFound, "nothing was asked in this conversation yet");
    Ok(ChangesOf::Turn { id: turn.ok_or_else(none)? })
}

/// What goes on still changes files.
async fn stands_still(host: &Host, id: ConversationId) -> Result<(), Stop> {
    match host.app.conversation_get(ConversationRef { id }).await?.open_turn {
        None => Ok(()),
        Some(_) => {
            let message = "something is still going on there";
            Err(Failure::new(Code::Conflict, message).into())
        }
    }
}

async fn changes(host: &Host, id: ConversationId) -> Result<(), Stop> {
    stands_still(host, id).await?;
    let changes = host.app.changes_get(newest(host, id).await?).await?;
    if host.out.json {
        return host.out.value(&changes);
    }
    let lang = host.out.lang;
    if let Some(said) = known(lang, changes.known) {
        host.out.note(said);
    }
    for file in &changes.files {
        let unasked =
            if file.by_tool { "" } else { lang.pick("  (not asked)", "  (묻지 않음)") };
        host.out.line(&format!("{}{unasked}", changed(lang, file)))?;
    }
    if changes.known == ChangesKnown::Whole {
        host.out.empty(&changes.files, "Nothing was changed.", "바뀐 것이 없습니다.");
    }
    Ok(())
}

/// What is to be known of a list of changes, where it is not just what was changed.
fn known(lang: Lang, known: ChangesKnown) -> Option<&'static str> {
    match known {
        ChangesKnown::Whole => None,
        ChangesKnown::Nothing => Some(lang.pick(
            "Nothing was carried out that changes files, or checkpoints were off.",
            "파일을 바꾸는 일이 없었거나, 체크포인트가 꺼져 있었습니다.",
        )),
        ChangesKnown::UntilNext => Some(lang.pick(
            "Where it ended is not known any more: what others changed since may be among these.",
            "어디서 끝났는지 이제 알 수 없습니다. 그 뒤에 다른 쪽이 바꾼 것도 들어 있을 수 있습니다.",
        )),
        ChangesKnown::Gone => Some(lang.pick(
            "The checkpoint before it was deleted: what was changed is not known any more.",
            "그 전의 체크포인트가 지워져서 무엇이 바뀌었는지 알 수 없습니다.",
        )),
    }
}

/// A line for a file that was changed.
pub(super) fn changed(lang: Lang, file: &ChangedFile) -> String {
    let ChangedFile { path, kind, added, removed, .. } = file;
    let counts = added.zip(*removed).map(|(added, removed)| format!("  +{added} −{removed}"));
    format!("{}  {path}{}", lang.term(kind), counts.unwrap_or_default())
}

/// Takes files back that were named, or all that were not changed since.
async fn undo(host: &Host, id: ConversationId, named: Vec<String>) -> Result<(), Stop> {
    stands_still(host, id).await?;
    let of = newest(host, id).await?;
    let review = host.app.changes_review(ReviewChanges { of, path: None }).await?;
    if review.files.is_empty() {
        if let Some(said) = known(host.out.lang, review.known) {
            host.out.note(said);
        }
        let message = "there is nothing to take back";
        return Err(Failure::new(Code::NotFound, message).into());
    }
    let is_in = |path: &String| review.files.iter().any(|it| it.file.path == *path);
    if let Some(path) = named.iter().find(|path| !is_in(path)) {
        return Err(Failure::new(Code::NotFound, format!("{path} was not changed there")).into());
    }
    if named.is_empty() && review.known == ChangesKnown::UntilNext {
        let message = "where it ended is not known any more, so others may have changed files since; name those to take back";
        return Err(Failure::new(Code::BadRequest, message).into());
    }
    let as_left = |file: &ChangedFile| file.standing == Some(Standing::Stands);
    let wanted = review.files.into_iter().filter(|it| match named.is_empty() {
        true => as_left(&it.file),
        false => named.contains(&it.file.path),
    });
    let files: Vec<TakenBackFile> = wanted
        .map(|it| TakenBackFile { path: it.file.path, seen: it.seen, pieces: None })
        .collect();
    if files.is_empty() {
        let message =
            "nothing there is as it was left; name the files to take them back all the same";
        return Err(Failure::new(Code::NotFound, message).into());
    }
    restored(host, &host.app.changes_take_back(TakeBackChanges { of, files }).await?)
}

async fn tree(host: &Host, id: ConversationId) -> Result<Tree, Stop> {
    let request = ExportConversation { id, format: ExportFormat::Json, as_is: true };
    let text = host.app.conversation_export(request).await?.text;
    let unreadable = |error: serde_json::Error| Failure::new(Code::Internal, error.to_string());
    Ok(serde_json::from_str(&text).map_err(unreadable)?)
}

/// The messages of all branches.
pub(super) async fn messages(host: &Host, id: ConversationId) -> Result<Vec<Message>, Stop> {
    let tree = tree(host, id).await?;
    Ok(tree.messages.into_iter().map(|node| message(node, id)).collect())
}

/// The messages of the shown path, from the root on.
pub(super) async fn path(host: &Host, id: ConversationId) -> Result<Vec<Message>, Stop> {
    let tree = tree(host, id).await?;
    let active: HashSet<MessageId> = tree.active.into_iter().collect();
    let shown = tree.messages.into_iter().filter(|node| active.contains(&node.id));
    Ok(shown.map(|node| message(node, id)).collect())
}

fn message(node: Node, conversation_id: ConversationId) -> Message {
    Message {
        id: node.id,
        conversation_id,
        parent_id: node.parent,
        turn_id: node.turn,
        index: 0,
        role: node.role,
        parts: node.parts,
        status: node.status,
        model: node.model,
        tokens: node.token_count,
        created_at: node.created_at,
    }
}

fn who(lang: Lang, role: Role, speaker: Option<&str>) -> String {
    let word = match role {
        Role::User => lang.pick("you", "나"),
        Role::Assistant => lang.pick("model", "모델"),
        Role::System => lang.pick("system", "시스템"),
        Role::Tool => lang.pick("tool", "도구"),
    };
    match speaker {
        Some(speaker) => format!("{word} ({speaker})"),
        None => word.to_owned(),
    }
}

/// What is said below a message that is not complete.
pub fn ended(lang: Lang, status: MessageStatus) -> &'static str {
    match status {
        MessageStatus::Complete => "",
        MessageStatus::Streaming => lang.pick("[still being written]", "[쓰는 중]"),
        MessageStatus::Interrupted => lang.pick("[interrupted]", "[도중에 멈춤]"),
        MessageStatus::Failed => lang.pick("[failed]", "[실패]"),
    }
}

async fn search(host: &Host, request: args::SearchMessages) -> Result<(), Stop> {
    let conversation_id = match &request.conversation {
        Some(typed) => Some(named::conversation(host, typed).await?),
        None => None,
    };
    let everywhere = request.all || conversation_id.is_some();
    let project = if everywhere { None } else { host.project().await? };
    let found = host
        .app
        .search(Search {
            query: request.query,
            scope: SearchScope { project_id: project.map(|project| project.id), conversation_id },
            limit: request.limit,
        })
        .await?;
    if host.out.json {
        return host.out.value(&found);
    }
    for hit in &found.hits {
        let snippet: String = hit.snippet.iter().map(|part| part.text.as_str()).collect();
        host.out.line(&format!(
            "{}  {}  {}",
            hit.conversation_id,
            host.out.lang.ago(hit.created_at, Timestamp::now()),
            hit.title
        ))?;
        host.out.line(&format!("    {}", snippet.replace('\n', " ")))?;
    }
    let total = match found.capped {
        true => format!("≥ {}", found.total),
        false => found.total.to_string(),
    };
    let lang = host.out.lang;
    host.out.note(&lang.count("{} message(s) found", "메시지 {}개에 있습니다", total));
    Ok(())
}

async fn import(host: &Host, file: &Path) -> Result<(), Stop> {
    let opened = input::file(file)?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let name = if name == "-" { String::new() } else { name.into_owned() };
    let project_id = host.project().await?.map(|project| project.id);
    match host.app.import_file(name, opened, project_id).await? {
        FileImported::One(imported) => {
            for warning in &imported.warnings {
                host.out.note(&warning.to_string());
            }
            given(host, &imported.item)
        }
        FileImported::Many(all) => {
            let done = host.app.conversation_import_all(all, progress(host)).await?;
            if host.out.json {
                return host.out.value(&done);
            }
            host.out.line(&imported_all(host.out.lang, &done))
        }
    }
}

/// How far it is, for whoever watches: twenty lines, however many there are.
fn progress(host: &Host) -> Sink<ImportEvent> {
    let (out, told) = (host.out.clone(), AtomicU64::new(0));
    let watched = std::io::stderr().is_terminal();
    Arc::new(move |ImportEvent { done, total }| {
        let twentieth = done * 20 / total.max(1);
        if watched && told.swap(twentieth, Ordering::Relaxed) != twentieth {
            out.note(&format!("{done}/{total}"));
        }
    })
}

/// What came in, and what did not where there is anything.
fn imported_all(lang: Lang, done: &ImportedAll) -> String {
    let counted = [
        ("{} conversation(s)", "대화 {}개", Some(done.conversations)),
        ("{} message(s)", "메시지 {}개", Some(done.messages)),
        ("{} there already", "이미 있던 대화 {}개", some(done.already)),
        ("{} empty", "빈 대화 {}개", some(done.empty)),
        ("{} that cannot be read", "읽을 수 없는 대화 {}개", some(done.unreadable)),
        ("{} pictures and files left out", "뺀 그림과 파일 {}개", some(done.left_out)),
    ];
    let said = counted.into_iter().filter_map(|(en, ko, n)| Some(lang.count(en, ko, n?)));
    said.collect::<Vec<_>>().join(", ")
}

fn some(count: u64) -> Option<u64> {
    Some(count).filter(|count| *count > 0)
}

async fn export(
    host: &Host,
    request: ExportConversation,
    output: Option<PathBuf>,
) -> Result<(), Stop> {
    let exported = host.app.conversation_export(request).await?;
    match output {
        None if host.out.json => host.out.value(&exported),
        None => host.out.text(&exported.text),
        Some(path) => {
            write_whole(&path, exported.text.as_bytes())
                .map_err(|error| Stop::file(&path, &error))?;
            if host.out.json {
                let bytes = exported.text.len();
                return host.out.value(&json!({"path": path, "bytes": bytes}));
            }
            host.out.note(&path.display().to_string());
            note_shared(host, &path);
            Ok(())
        }
    }
}

/// After deleting and restoring: the conversation as it now is.
async fn moved(host: &Host, named: ConversationRef) -> Result<(), Stop> {
    let item = host.app.conversation_get(named).await?.item;
    given(host, &item)
}

/// Deletes for ever, and says what that does not reach.
async fn purge(host: &Host, named: ConversationRef, backups: bool) -> Result<(), Stop> {
    let id = named.id;
    let mut left = host.app.conversation_purge(named).await?;
    if backups {
        let names = std::mem::take(&mut left.backups).into_iter().map(|it| it.name).collect();
        host.app.backup_delete(DeleteBackups { names }).await?;
    }
    if host.out.json {
        return host.out.value(&json!({"purged": id, "left": left}));
    }
    host.out.line(&id.to_string())?;
    let lang = host.out.lang;
    let names: Vec<String> = left.backups.into_iter().map(|it| it.name).collect();
    for (what, named) in [
        (lang.pick("still in backups: {}", "아직 들어 있는 백업: {}"), names),
        (lang.pick("was sent to: {}", "이미 보낸 곳: {}"), left.sent_to),
        (lang.pick("checkpoints were pushed to: {}", "체크포인트를 올린 곳: {}"), left.pushed_to),
        (lang.pick("could not be cleaned: {}", "지우지 못한 것: {}"), left.refused),
    ] {
        if !named.is_empty() {
            host.out.note(&what.replace("{}", &named.join(", ")));
        }
    }
    Ok(())
}

fn given(host: &Host, item: &ConversationItem) -> Result<(), Stop> {
    if host.out.json {
        return host.out.value(&json!({"conversation": item}));
    }
    host.out.line(&item_line(host.out.lang, item))
}
