//! A session of another agent as a conversation of ours, with all its branches and its compactions as summaries.
//!
//! What the agent put there by itself stays behind: rules and surroundings come from the place where the conversation goes
//! on, and so do conversations of subagents that an old version wrote between. Thoughts go without what their provider
//! sealed. A picture whose bytes the session does not have is its name.

use std::collections::BTreeMap;

use super::summaries::Told;
use super::{Draft, ImportError, Imported, Read};
use crate::attachment;
use crate::message::{MessageStatus, Part, Role};
use crate::vault::{EntryKind, Session};

/// Most compactions that become summaries; a file may claim any number.
const MOST_SUMMARIES: u32 = 1_000;

/// The conversation that a session becomes.
pub fn of_session(session: &Session, now: jiff::Timestamp) -> Result<Imported, ImportError> {
    let mut read = Read { title: session.title.clone(), ..Read::default() };
    // Where each entry went: the message that it is, or the one that it follows.
    let mut places: Vec<Option<Option<usize>>> = vec![None; session.entries.len()];
    let mut versions = 0;
    for end in (0..session.entries.len()).filter(|at| !session.entries[*at].aside) {
        // A parent may be written after its child.
        let mut above = Vec::new();
        let mut next = Some(end);
        while let Some(at) = next.filter(|at| places[*at].is_none()) {
            above.push(at);
            next = session.entries[at].parent;
        }
        for at in above.into_iter().rev() {
            let entry = &session.entries[at];
            let before = entry.parent.and_then(|parent| places[parent]).flatten();
            let place = match &entry.kind {
                _ if entry.aside => before,
                EntryKind::Context => before,
                EntryKind::Fold(_) => {
                    if let Some(last) = before.filter(|_| versions < MOST_SUMMARIES) {
                        versions += 1;
                        let covered = read.above(last);
                        let told = Told::of_another(entry.text(), versions, &covered, entry.at);
                        read.summaries.push((last, told));
                    }
                    before
                }
                EntryKind::Said => {
                    let turn = match (entry.role, before) {
                        (Role::User, _) | (_, None) => Some(at.to_string()),
                        (_, Some(before)) => read.drafts[before].turn.clone(),
                    };
                    let pictures = &session.pictures;
                    let parts = entry.parts.iter().map(|it| read.carried(it, pictures)).collect();
                    read.push(Draft {
                        parent: before,
                        role: entry.role,
                        parts,
                        status: MessageStatus::Complete,
                        model: entry.model.clone(),
                        at: entry.at,
                        turn,
                    })?;
                    Some(read.drafts.len() - 1)
                }
            };
            places[at] = Some(place);
        }
    }
    read.active = session.leaf.and_then(|leaf| places[leaf]).flatten();
    read.mint("", now)
}

impl Read {
    /// A part as it goes along.
    fn carried(&mut self, part: &Part, pictures: &BTreeMap<String, Vec<u8>>) -> Part {
        let (Part::Image { hash, media_type, .. } | Part::File { hash, media_type, .. }) = part
        else {
            return part.clone();
        };
        let bytes = pictures.get(hash);
        let name = format!("picture {}", self.attached.len() + 1);
        match bytes.and_then(|bytes| Some((attachment::part_of(&name, bytes).ok()?, bytes))) {
            Some((part, bytes)) => {
                let kept = self.attached.entry(hash.clone());
                kept.or_insert_with(|| (part, bytes.clone())).0.clone()
            }
            None => Part::Text { text: self.leave_out(media_type) },
        }
    }

    /// The messages from the first to this one.
    fn above(&self, last: usize) -> Vec<&Draft> {
        let mut path = Vec::new();
        let mut at = Some(last);
        while let Some(place) = at {
            path.push(&self.drafts[place]);
            at = self.drafts[place].parent;
        }
        path.reverse();
        path
    }
}
