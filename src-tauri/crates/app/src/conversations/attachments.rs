//! Pictures, PDF files and pasted texts: into the composer, out of it again, and their bytes for whoever shows or
//! sends them.
//!
//! What is attached is durable at once, with the draft it belongs to. The bytes stay as long as anything in a
//! conversation names them.

use std::collections::BTreeMap;
use std::sync::Arc;

use siltstone_contract::{
    AddAttachment, Attached, AttachmentBytes, AttachmentRef, Code, Failure, PasteText,
    ReadAttachment,
};
use siltstone_engine::attachment::{self, AttachError};
use siltstone_engine::conversation::Conversation;
use siltstone_engine::ids::ConversationId;
use siltstone_engine::message::Part;
use siltstone_engine::ports::{StoreError, Stores};

use crate::conversations::ConversationService;
use crate::core::blocking;
use crate::core::failure::{Outcome, bad_request, of_store};

/// Most pictures and files of one message.
const MOST: usize = 20;

impl ConversationService {
    /// Attaches a picture or a PDF file to the message in the composer.
    pub async fn attachment_add(&self, request: AddAttachment) -> Result<Attached, Failure> {
        let bytes = attachment::from_base64(&request.data)
            .ok_or_else(|| bad_request("the data is not base64"))?;
        self.attach(request.conversation_id, request.name, bytes).await
    }

    /// The same with bytes that the host read itself.
    pub async fn attach(
        &self,
        id: ConversationId,
        name: String,
        bytes: Vec<u8>,
    ) -> Result<Attached, Failure> {
        self.put_into_draft(id, bytes, move |bytes| attachment::part_of(&name, bytes)).await
    }

    /// Keeps a long text that was pasted into the composer beside what is typed there.
    pub async fn attachment_paste(&self, request: PasteText) -> Result<Attached, Failure> {
        let PasteText { conversation_id, text } = request;
        self.put_into_draft(conversation_id, text.into_bytes(), attachment::pasted).await
    }

    async fn put_into_draft(
        &self,
        id: ConversationId,
        bytes: Vec<u8>,
        part_of: impl FnOnce(&[u8]) -> Result<Part, AttachError> + Send + 'static,
    ) -> Result<Attached, Failure> {
        let transcripts = self.core.stores()?.transcripts;
        if transcripts.conversation(id).or_failure()?.draft_attachments.len() >= MOST {
            let message = format!("a message may have {MOST} attachments");
            return Err(Failure::new(Code::AttachmentTooLarge, message));
        }
        let size = bytes.len() as u64;
        let part = blocking(move || {
            let part = part_of(&bytes).or_failure()?;
            transcripts.attach(id, &part, &bytes).or_failure()?;
            Ok(part)
        })
        .await??;
        self.core.conversation_changed(id);
        Ok(Attached { part, size })
    }

    /// Takes one out of the composer; its bytes go when nothing else names them.
    pub async fn attachment_remove(&self, request: AttachmentRef) -> Result<(), Failure> {
        let AttachmentRef { conversation_id, hash } = request;
        self.core.stores()?.transcripts.detach(conversation_id, &hash).or_failure()?;
        self.core.conversation_changed(conversation_id);
        Ok(())
    }

    /// The bytes of a picture or file.
    pub async fn attachment_read(
        &self,
        request: ReadAttachment,
    ) -> Result<AttachmentBytes, Failure> {
        let blob = self.core.stores()?.transcripts.blob(&request.hash).or_failure()?;
        let data = attachment::to_base64(&blob.bytes);
        Ok(AttachmentBytes { media_type: blob.media_type, data })
    }
}

/// What is attached in the composer of a conversation.
pub(crate) fn in_composer(
    stores: &Stores,
    conversation: &Conversation,
) -> Result<Vec<Attached>, Failure> {
    let sized = |part: &Part| {
        let hash = part.attached_hash().unwrap_or_default();
        let size = match stores.transcripts.blob_size(hash) {
            Err(StoreError::NotFound { .. }) => 0,
            found => found.or_failure()?,
        };
        Ok(Attached { part: part.clone(), size })
    };
    conversation.draft_attachments.iter().map(sized).collect()
}

/// Those of `parts` that have these hashes, in this order.
pub(crate) fn chosen(parts: &[Part], hashes: &[String]) -> Result<Vec<Part>, Failure> {
    let with = |hash: &String| parts.iter().find(|part| part.attached_hash() == Some(hash));
    hashes
        .iter()
        .map(|hash| {
            with(hash).cloned().ok_or_else(|| bad_request("this is not attached to the message"))
        })
        .collect()
}

/// Parts of a draft as they are sent: what was pasted says its text.
pub(crate) fn written_out(stores: &Stores, mut parts: Vec<Part>) -> Result<Vec<Part>, Failure> {
    for part in &mut parts {
        if let Part::Pasted { hash, text, .. } = part
            && text.is_empty()
        {
            let blob = stores.transcripts.blob(hash).or_failure()?;
            *text = String::from_utf8_lossy(&blob.bytes).into_owned();
        }
    }
    Ok(parts)
}

/// What the store has of the bytes that parts name.
#[derive(Default)]
pub(crate) struct Bytes {
    /// By hash.
    pub(crate) found: BTreeMap<String, Arc<[u8]>>,
    /// Names of the parts whose bytes are gone.
    pub(crate) gone: Vec<String>,
}

/// The bytes that parts name.
pub(crate) fn bytes_of<'a>(
    stores: &Stores,
    parts: impl IntoIterator<Item = &'a Part>,
) -> Result<Bytes, Failure> {
    let mut bytes = Bytes::default();
    for part in parts {
        let (Some(hash), Some(name)) = (part.attached_hash(), part.attached_name()) else {
            continue;
        };
        if bytes.found.contains_key(hash) {
            continue;
        }
        match stores.transcripts.blob(hash) {
            Ok(blob) => drop(bytes.found.insert(hash.to_owned(), blob.bytes)),
            Err(StoreError::NotFound { .. }) => bytes.gone.push(name.to_owned()),
            Err(error) => return Err(of_store(error)),
        }
    }
    Ok(bytes)
}

/// What a message is made of: its words, where it has any, and what is attached.
pub(crate) fn parts_of(text: String, attachments: Vec<Part>) -> Vec<Part> {
    let said = (!text.trim().is_empty()).then_some(Part::Text { text });
    said.into_iter().chain(attachments).collect()
}
