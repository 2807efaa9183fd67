//! Memory as a whole: imports, merging, what goes into a request, and what goes whatever the room.

mod effective;
mod expand;
mod inject;
mod must;
mod request;

use jiff::Timestamp;

use super::*;
use crate::ids::{ConversationId, MemoryLineId};

/// A file of a layer; a directory's lies in `src` unless its path says otherwise.
fn file(layer: MemoryLayer, path: &str, text: &str) -> MemoryFile {
    let dir = match layer {
        MemoryLayer::Directory => path.rsplit_once('/').map_or("", |(dir, _)| dir),
        _ => "",
    };
    MemoryFile {
        path: path.to_owned(),
        layer,
        dir: dir.to_owned(),
        text: text.to_owned(),
        hash: String::new(),
        bytes: text.len() as u64,
        same_as: None,
        refused: None,
    }
}

/// The same with nothing to import.
fn alone(layer: MemoryLayer, path: &str, text: &str) -> Expanded {
    expand(&file(layer, path, text), &mut |_, _| Err(Refusal::Missing))
}

fn line(text: &str, of_conversation: bool) -> MemoryLine {
    let now = Timestamp::UNIX_EPOCH;
    MemoryLine {
        id: MemoryLineId::new(now),
        project_id: None,
        conversation_id: of_conversation.then(|| ConversationId::new(now)),
        kind: LineKind::Added,
        text: text.to_owned(),
        source: None,
        created_at: now,
        removed_at: None,
    }
}
