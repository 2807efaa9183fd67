//! The sample project: a small folder with a recorded conversation about it, to look around in without any key.
//!
//! Folder and conversation are kept in `samples/`, one of each a language and each written for itself; the conversation
//! is an export like any other and comes in through the ordinary import. The project is an ordinary project: it can be
//! changed, forgotten and opened again, and what the person changed in it stays.

use siltstone_contract::{BroughtContext, Failure, ImportConversation, OpenProject, SampleOpened};
use siltstone_engine::ids::ConversationId;
use siltstone_engine::message::Role;
use siltstone_engine::ports::{StoreError, Stores};
use siltstone_engine::project::{Project, Trust};
use siltstone_engine::summary::Policy;
use siltstone_engine::turn::{Turn, TurnStatus};

use crate::core::blocking;
use crate::core::failure::Outcome;
use crate::core::standing::is_replaced;
use crate::projects::ProjectService;
use crate::requests::Underway;

/// Who is said to have been asked for a recorded reply: nobody that is connected.
const RECORDED: &str = "sample";

struct Sample {
    language: &'static str,
    /// Below the data folder.
    folder: &'static str,
    files: &'static [(&'static str, &'static [u8])],
    conversation: &'static str,
}

macro_rules! sample {
    ($language:literal, $folder:literal, [$($file:literal),* $(,)?]) => {
        Sample {
            language: $language,
            folder: concat!("samples/", $language, "/", $folder),
            files: &[$((
                $file,
                include_bytes!(concat!("../../samples/", $language, "/", $folder, "/", $file)),
            )),*],
            conversation: include_str!(concat!("../../samples/", $language, "/conversation.json")),
        }
    };
}

const ENGLISH: Sample = sample!(
    "en",
    "rain-gauge",
    [
        "AGENTS.md",
        "README.md",
        "chart.py",
        "data/2026-q1.csv",
        "docs/firmware-note.pdf",
        "docs/noticeboard.png",
        "rain.py",
        "test_rain.py",
    ]
);

const KOREAN: Sample = sample!(
    "ko",
    "옥상-우량계",
    [
        "AGENTS.md",
        "README.md",
        "chart.py",
        "data/관측소-2026-07.csv",
        "data/옥상-2026-07.csv",
        "docs/7월-그래프.png",
        "docs/점검-기록.pdf",
        "rain.py",
        "test_rain.py",
    ]
);

impl ProjectService {
    /// Opens the sample project in the person's language, and makes what of it is not there.
    pub async fn sample_open(&self, (): ()) -> Result<SampleOpened, Failure> {
        let _alone = self.sampling.lock().await;
        let stores = self.core.stores()?;
        let sample = if self.core.language() == KOREAN.language { &KOREAN } else { &ENGLISH };
        let this = self.clone();
        let path = blocking(move || {
            let world = &this.core.world;
            let path = world.data.put_files(sample.folder, sample.files).or_failure()?;
            world.files.real_path(&path).or_failure()
        })
        .await??;
        // The person may have taken the trust back; its texts are our own, so it is not asked for at first.
        let known = stores.records.project_at(&path).or_failure()?;
        let trust = match known {
            None => Some(Trust::Trusted),
            // It was deleted, and made again just now.
            Some(known) => is_replaced(&*self.core.world.files, &known).then_some(known.trust),
        };
        let seen = self.memory.memory_seen(&path).await?;
        let open = OpenProject { path, trust, this_computer_only: None, seen };
        let project = self.project_open(open).await?;
        let conversation_id = match recorded(&stores, sample, &project)? {
            Some(id) => id,
            None => {
                let imported = self.conversations.conversation_import(ImportConversation {
                    text: sample.conversation.to_owned(),
                    name: String::new(),
                    project_id: Some(project.id),
                });
                let id = imported.await?.item.id;
                stores.records.put_sample(sample.language, id).or_failure()?;
                id
            }
        };
        self.recorded_turns(&stores, conversation_id).await?;
        Ok(SampleOpened { project, conversation_id })
    }
}

impl ProjectService {
    /// Gives each recorded reply that has none the request that it would have had, so that what it saw can be looked at like
    /// that of any other. What was cut off goes on when the sample is opened again.
    async fn recorded_turns(&self, stores: &Stores, id: ConversationId) -> Result<(), Failure> {
        let transcripts = &stores.transcripts;
        let shown = transcripts.conversation(id).or_failure()?.message_count;
        let last = transcripts.ids_at(id, &[shown.saturating_sub(1)]).or_failure()?;
        for reply in transcripts.all_messages(id).or_failure()? {
            let (Role::Assistant, Some(turn_id), Some(question)) =
                (reply.role, reply.turn_id, reply.parent_id)
            else {
                continue;
            };
            match transcripts.turn(turn_id) {
                Err(StoreError::NotFound { .. }) => {}
                known => {
                    known.or_failure()?;
                    continue;
                }
            }
            // A request is composed of the path that is shown.
            transcripts.activate(reply.id).or_failure()?;
            let mut conversation = transcripts.conversation(id).or_failure()?;
            // The fold came after them.
            conversation.folding.policy = Some(Policy::None);
            let turn = Turn {
                id: turn_id,
                conversation_id: id,
                user_message_id: question,
                reply_id: reply.id,
                status: TurnStatus::Completed,
                provider: RECORDED.to_owned(),
                model: RECORDED.to_owned(),
                usage: None,
                cost: None,
                fault: None,
                opened_at: reply.created_at,
                closed_at: Some(reply.created_at),
            };
            let mut underway = Underway {
                command: false,
                turn: turn.clone(),
                first: reply.id,
                brought: Some(BroughtContext::default()),
                touched: Vec::new(),
            };
            let (request, _) =
                self.requests.compose_turn(&mut underway, &conversation, false).await?;
            transcripts.record_turn(&turn, &request.manifest(&conversation.tuning)).or_failure()?;
        }
        last.into_iter().flatten().try_for_each(|id| transcripts.activate(id)).or_failure()
    }
}

/// The recorded conversation, while it belongs to the project and was not deleted.
fn recorded(
    stores: &Stores,
    sample: &Sample,
    project: &Project,
) -> Result<Option<ConversationId>, Failure> {
    let Some(id) = stores.records.sample(sample.language).or_failure()? else {
        return Ok(None);
    };
    let conversation = stores.transcripts.conversation(id).or_failure()?;
    let living = conversation.deleted_at.is_none() && conversation.project_id == Some(project.id);
    Ok(living.then_some(id))
}
