//! A session of another agent as a conversation of ours, with all its branches and its compactions as summaries.
//!
//! What the agent put there by itself stays behind: rules and surroundings come from the place where the conversation goes
//! on. Thoughts go without what their provider sealed, and a picture is its name: its bytes are in the agent's file.

use super::summaries::Told;
use super::{Draft, ImportError, Imported, Read};
use crate::message::{MessageStatus, Part, Role};
use crate::vault::{EntryKind, Session};

/// The conversation that a session becomes.
pub fn of_session(session: &Session, now: jiff::Timestamp) -> Result<Imported, ImportError> {
    let mut read = Read { title: session.title.clone(), ..Read::default() };
    // Where each entry went: the message that it is, or the one that it follows.
    let mut places: Vec<Option<Option<usize>>> = vec![None; session.entries.len()];
    let mut versions = 0;
    for end in 0..session.entries.len() {
        // A parent may be written after its child.
        let mut above: Vec<usize> = session.path_to(end);
        above.retain(|at| places[*at].is_none());
        for at in above {
            let entry = &session.entries[at];
            let before = entry.parent.and_then(|parent| places[parent]).flatten();
            let place = match &entry.kind {
                EntryKind::Context => before,
                EntryKind::Fold(_) => {
                    if let Some(last) = before {
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
                    let parts = entry.parts.iter().map(|part| read.carried(part)).collect();
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
    fn carried(&mut self, part: &Part) -> Part {
        match part {
            Part::Image { media_type, .. } | Part::File { media_type, .. } => {
                Part::Text { text: self.leave_out(media_type) }
            }
            part => part.clone(),
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
