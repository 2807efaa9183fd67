//! Reading and writing a conversation, short and long.

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use siltstone_app::{App, Options, SystemClock, World};
use siltstone_contract::PreviewRequest;
use siltstone_engine::Timestamp;
use siltstone_engine::conversation::Conversation;
use siltstone_engine::ids::{BranchId, ConversationId, MessageId};
use siltstone_engine::message::{Message, MessageStatus, Part, Role};
use siltstone_engine::ports::{DataFolder, NewMessage, Providers, Stores};
use siltstone_engine::tokens;
use siltstone_providers::{Connections, Embeddings};
use siltstone_remotes::Buckets;
use siltstone_secrets::{Seals, Secrets};
use siltstone_storage::DataDir;
use siltstone_tools::{Beside, Servers, Shell};
use siltstone_updates::Packages;
use siltstone_vault::Agents;
use siltstone_workspace::{Folders, Snapshots};
use tempfile::TempDir;

use crate::measure::{RUNS, Table, timed};
use crate::sizes::thousands;
use crate::{Outcome, corpus};

/// Messages that are written at once.
const BATCH: usize = 10_000;

/// A data folder with one conversation of so many messages.
pub struct Folder {
    pub dir: TempDir,
    pub stores: Stores,
    pub conversation: ConversationId,
    pub texts: Vec<String>,
}

impl Folder {
    pub fn with(messages: usize) -> Outcome<Self> {
        let dir = TempDir::new()?;
        let stores = opened(dir.path())?;
        let texts: Vec<String> = (0..messages).map(corpus::text).collect();
        let conversation = written(&stores, &texts)?;
        Ok(Self { dir, stores, conversation, texts })
    }

    /// One that another process wrote where it is long: to write a million messages leaves a heap in pieces, where every
    /// allocation takes longer than in a program that finds them there.
    pub fn found(messages: usize) -> Outcome<Self> {
        if messages <= BATCH {
            return Self::with(messages);
        }
        let dir = TempDir::new()?;
        let mut writer = Command::new(std::env::current_exe()?);
        let done = writer.args(["history", &messages.to_string()]).arg(dir.path()).output()?;
        if !done.status.success() {
            return Err(String::from_utf8_lossy(&done.stderr).into());
        }
        let conversation = str::from_utf8(&done.stdout)?.parse()?;
        Ok(Self { stores: opened(dir.path())?, dir, conversation, texts: Vec::new() })
    }

    /// With the providers that the program has.
    pub fn app(&self) -> App {
        self.app_with(Arc::new(Connections::new()))
    }

    /// The program over this data folder, which asks these providers.
    pub fn app_with(&self, providers: Arc<dyn Providers>) -> App {
        let folders = Arc::new(Folders::new());
        let world = World {
            data: Arc::new(DataDir::new(self.dir.path().to_path_buf(), Arc::new(Seals))),
            files: folders.clone(),
            memory: folders.clone(),
            skills: folders.clone(),
            sessions: folders.clone(),
            snapshots: Arc::new(Snapshots::new(self.dir.path().join("checkpoints/stamps"))),
            providers,
            embedders: Arc::new(Embeddings::new(self.dir.path().join("models"))),
            secrets: Arc::new(Secrets::new(self.dir.path())),
            sealer: Arc::new(Seals),
            remotes: Arc::new(Buckets::new(Arc::new(Connections::new()))),
            foreign: folders.clone(),
            clients: folders.clone(),
            file_tools: folders,
            commands: Arc::new(Shell),
            mcp: Arc::new(Servers::new(Arc::new(Connections::new()))),
            copies: Arc::new(Beside),
            workers: Arc::new(siltstone_tools::Programs::new()),
            agents: Arc::new(Agents::below(self.dir.path())),
            updates: Arc::new(Packages::new(
                Arc::new(Connections::new()),
                self.dir.path().join("updates"),
                None,
            )),
            clock: Arc::new(SystemClock),
        };
        let options = Options {
            data_dir: self.dir.path().to_path_buf(),
            system_language: "en".into(),
            start_path: None,
            working_directory: None,
            version: "bench".into(),
        };
        App::start(world, options)
    }
}

/// Writes a conversation of so many messages into a data folder, for [`Folder::found`]; its id.
pub fn write(messages: &str, dir: &str) -> Outcome<String> {
    let texts: Vec<String> = (0..messages.parse()?).map(corpus::text).collect();
    Ok(written(&opened(Path::new(dir))?, &texts)?.to_string())
}

/// A new conversation that says this.
fn written(stores: &Stores, texts: &[String]) -> Outcome<ConversationId> {
    let conversation = Conversation::empty(None, Timestamp::now());
    stores.transcripts.create_conversation(&conversation)?;
    let mut parent = None;
    for (batch, texts) in texts.chunks(BATCH).enumerate() {
        let made = texts.iter().enumerate().map(|(at, text)| {
            let made = message(conversation.id, parent, batch * BATCH + at, text);
            parent = Some(made.message.id);
            made
        });
        let made: Vec<NewMessage> = made.collect();
        stores.transcripts.append_messages(&made)?;
    }
    Ok(conversation.id)
}

/// A data folder, opened as the program opens it.
pub fn opened(dir: &Path) -> Outcome<Stores> {
    Ok(DataDir::new(dir.to_path_buf(), Arc::new(Seals)).open(Timestamp::now())?)
}

/// Reading pages and composing: flat in the history.
pub async fn measure(short: &Folder, long: &Folder, table: &mut Table) -> Outcome<()> {
    for (name, at) in [("newest 50 messages", None), ("50 from the middle", Some(2))] {
        let mut samples = (Vec::new(), Vec::new());
        for _ in 0..RUNS {
            samples.0.push(page(short, at)?);
            samples.1.push(page(long, at)?);
        }
        table.row(name, &samples.0, &samples.1);
    }
    let apps = (short.app(), long.app());
    let mut samples = (Vec::new(), Vec::new());
    for typed in 1..=RUNS {
        samples.0.push(preview(&apps.0, short.conversation, typed).await?);
        samples.1.push(preview(&apps.1, long.conversation, typed).await?);
    }
    table.row("compose the next request at a key press", &samples.0, &samples.1);
    let mut samples = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        append(short)?;
        append(long)?;
        samples.0.push(preview(&apps.0, short.conversation, 0).await?);
        samples.1.push(preview(&apps.1, long.conversation, 0).await?);
    }
    table.row("compose it after a new message", &samples.0, &samples.1);
    let mut samples = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        samples.0.push(append(short)?);
        samples.1.push(append(long)?);
    }
    table.row("append one message, indexed and durable", &samples.0, &samples.1);
    Ok(())
}

/// One durable message beside the floor: 4 KiB appended and flushed.
pub fn durable(folder: &Folder, table: &mut Table) -> Outcome<()> {
    let file = File::create(folder.dir.path().join("floor"))?;
    let block = [7_u8; 4096];
    let mut samples = (Vec::new(), Vec::new());
    for run in 0..RUNS * 4 {
        let offset = u64::try_from(run)? * 4096;
        let (time, done) =
            timed(|| file.write_all_at(&block, offset).and_then(|()| file.sync_data()));
        done?;
        samples.0.push(time);
        samples.1.push(append(folder)?);
    }
    table.row(format!("in {} messages", thousands(folder.texts.len())), &samples.0, &samples.1);
    (&file).flush()?;
    Ok(())
}

fn page(folder: &Folder, part: Option<usize>) -> Outcome<Duration> {
    let start = part.map(|part| folder.texts.len() / part).map(u64::try_from).transpose()?;
    let (time, page) = timed(|| folder.stores.transcripts.page(folder.conversation, start, 50));
    page?;
    Ok(time)
}

/// The request with so many letters of a question in the composer.
async fn preview(app: &App, conversation_id: ConversationId, typed: usize) -> Outcome<Duration> {
    previewed(app, conversation_id, "What is next?! 다음은요?".chars().take(typed).collect()).await
}

/// The request with a draft in the composer.
pub async fn previewed(
    app: &App,
    conversation_id: ConversationId,
    draft: String,
) -> Outcome<Duration> {
    let start = std::time::Instant::now();
    app.request_preview(PreviewRequest { conversation_id, draft, context: None, model: None })
        .await?;
    Ok(start.elapsed())
}

/// Appends the next message.
pub fn append(folder: &Folder) -> Outcome<Duration> {
    let tip = folder.stores.transcripts.page(folder.conversation, None, 1)?;
    let parent = tip.messages.first().map(|found| found.message.id);
    let index = usize::try_from(tip.total)?;
    let made = message(folder.conversation, parent, index, &corpus::text(index));
    let (time, done) = timed(|| folder.stores.transcripts.append_message(&made));
    done?;
    Ok(time)
}

/// A message of the person's or of the model's, by its place.
pub fn message(
    id: ConversationId,
    parent_id: Option<MessageId>,
    index: usize,
    text: &str,
) -> NewMessage {
    let now = Timestamp::now();
    let role = if index.is_multiple_of(2) { Role::User } else { Role::Assistant };
    NewMessage {
        message: Message {
            id: MessageId::new(now),
            conversation_id: id,
            parent_id,
            turn_id: None,
            index: 0,
            role,
            parts: vec![Part::Text { text: text.to_owned() }],
            status: MessageStatus::Complete,
            model: None,
            tokens: tokens::estimate(text),
            created_at: now,
        },
        branch_if_needed: BranchId::new(now),
    }
}

/// Size of everything in a folder, in bytes.
pub fn bytes_of(dir: &Path) -> Outcome<u64> {
    let mut total = 0;
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        let kind = entry.metadata()?;
        total += if kind.is_dir() { bytes_of(&entry.path())? } else { kind.len() };
    }
    Ok(total)
}
