//! What a deleted conversation said goes out of its project's session, of what other conversations were told of that,
//! and of the files in the project.

use siltstone_contract::Failure;
use siltstone_engine::conversation::{Conversation, ConversationFilter};
use siltstone_engine::ids::{ConversationId, ProjectId};
use siltstone_engine::memory::hash_of;
use siltstone_engine::message::Role;
use siltstone_engine::ports::{StoreError, Stores};
use siltstone_engine::project::Project;
use siltstone_engine::section::{Section, SectionKind};
use siltstone_engine::session::{
    BrainFile, ContextFile, Forgotten, Parsed, SessionError, WindowMessage, Words, forget, parse,
    to_bytes,
};

use super::files::stored;
use crate::core::failure::Outcome;
use crate::sessions::SessionService;

/// Other conversations, the newest ones, that a running summary is made of anew, and messages of each.
const CONVERSATIONS: usize = 3;
const MESSAGES: u64 = 64;

impl SessionService {
    /// Nothing that is told of a session has these words any more.
    pub(crate) fn forget_in_session(
        &self,
        stores: &Stores,
        conversation: &Conversation,
        words: &Words,
    ) -> Result<(), Failure> {
        let Some(project) = conversation.project_id else { return Ok(()) };
        let project = self.core.known_project(project)?;
        let stays = said_elsewhere(stores, project.id, conversation.id)?;
        self.change_session(&project, |record| {
            let gone = Forgotten { words, stays: &stays };
            if let Some(context) = forget(&record.context, gone) {
                record.context = context;
            }
            Ok(())
        })?;
        for (id, told) in stores.sessions.told_in(project.id).or_failure()? {
            let before = told.len();
            let left: Vec<Section> = told.into_iter().filter(|it| !tells(it, words)).collect();
            if left.len() < before {
                stores.sessions.put_told(id, &left).or_failure()?;
            }
        }
        Ok(())
    }

    /// Takes these words out of the files in the project and of what is known of their texts; what could not be, with
    /// why.
    pub(crate) fn forget_in_files(
        &self,
        stores: &Stores,
        conversation: &Conversation,
        words: &Words,
    ) -> Result<Vec<String>, Failure> {
        let Some(project) = conversation.project_id else { return Ok(Vec::new()) };
        let project = match stores.records.project(project) {
            Err(StoreError::Replaced { path }) => return Ok(vec![path]),
            project => project.or_failure()?,
        };
        let stays = said_elsewhere(stores, project.id, conversation.id)?;
        let gone = Forgotten { words, stays: &stays };
        self.write_session_files(&project);
        let mut refused = Vec::new();
        for done in [self.clean_file(stores, &project, gone), self.clean_copies(&project, gone)] {
            refused.extend(done?);
        }
        let (sessions, name) = (&stores.sessions, BrainFile::Context.name());
        for (hash, text) in sessions.file_texts(project.id, name).or_failure()? {
            if let Some(bytes) = cleaned(text.as_bytes(), gone) {
                let text = String::from_utf8_lossy(&bytes);
                sessions.put_file_text(project.id, name, &hash, &text).or_failure()?;
            }
        }
        Ok(refused)
    }

    /// The file that is there, where the session is not written any more, or cannot be now.
    fn clean_file(
        &self,
        stores: &Stores,
        project: &Project,
        gone: Forgotten<'_>,
    ) -> Result<Option<String>, Failure> {
        let (files, file) = (&self.core.world.sessions, BrainFile::Context);
        let refused = |error: SessionError| Ok(Some(format!(".ai-brain: {error}")));
        let brain = match files.read(&project.path) {
            Ok(brain) => brain,
            Err(error) => return refused(error),
        };
        let Some(there) = stored(&brain, file) else { return Ok(None) };
        let Some(bytes) = cleaned(&there.bytes, gone) else { return Ok(None) };
        let (sessions, name) = (&stores.sessions, file.name());
        if !sessions.file_seen(project.id, name, &there.hash).or_failure()? {
            return Ok(Some(format!(".ai-brain/{name}: Siltstone did not write it")));
        }
        let (hash, text) = (hash_of(&bytes), String::from_utf8_lossy(&bytes));
        sessions.intend_file(project.id, name, &hash, &text).or_failure()?;
        match files.write(&project.path, file, &bytes, Some(&there.hash)) {
            Ok(_) => sessions.file_seen(project.id, name, &hash).or_failure().map(|_| None),
            Err(error) => refused(error),
        }
    }

    /// Copies with these words go.
    fn clean_copies(
        &self,
        project: &Project,
        gone: Forgotten<'_>,
    ) -> Result<Option<String>, Failure> {
        let (files, root) = (&self.core.world.sessions, project.path.as_str());
        let clean = || -> Result<(), SessionError> {
            let mut going = Vec::new();
            for copy in files.snapshots(root)? {
                let has_words = copy.file == BrainFile::Context
                    && cleaned(&files.read_snapshot(root, &copy)?, gone).is_some();
                going.extend(has_words.then_some(copy));
            }
            files.delete_snapshots(root, &going)
        };
        Ok(clean().err().map(|error| format!(".ai-brain/snapshots: {error}")))
    }
}

/// Whether a section of what a conversation was told has these words.
fn tells(section: &Section, words: &Words) -> bool {
    section.kind == SectionKind::Summary && words.tell(&section.messages, &section.text)
}

/// The bytes of a session's file without these words; `None` where it has none, or is no such file.
fn cleaned(bytes: &[u8], gone: Forgotten<'_>) -> Option<Vec<u8>> {
    let file: ContextFile = match parse(bytes) {
        Parsed::Known(file) | Parsed::Newer { file: Some(file), .. } => file,
        Parsed::Newer { file: None, .. } | Parsed::Broken { .. } => return None,
    };
    to_bytes(&forget(&file, gone)?).ok()
}

/// What was said last in the other conversations of a project, oldest first.
fn said_elsewhere(
    stores: &Stores,
    project: ProjectId,
    gone: ConversationId,
) -> Result<Vec<WindowMessage>, Failure> {
    let filter = ConversationFilter { project_id: Some(project), trashed: false };
    let mut others = stores.transcripts.conversations(&filter).or_failure()?;
    others.retain(|it| it.id != gone && it.message_count > 0);
    others.sort_by_key(|it| std::cmp::Reverse((it.updated_at, it.id)));
    others.truncate(CONVERSATIONS);
    let mut said = Vec::new();
    for other in others.iter().rev() {
        let page = stores.transcripts.page(other.id, None, MESSAGES).or_failure()?;
        let messages = page.messages.into_iter().map(|found| found.message);
        let spoken =
            messages.filter(|message| matches!(message.role, Role::User | Role::Assistant));
        said.extend(spoken.map(|message| WindowMessage::of(&message)));
    }
    said.retain(|message| !message.content.is_empty());
    Ok(said)
}
