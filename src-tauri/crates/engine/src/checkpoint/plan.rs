//! The plan of a restore: what would happen to each file, and why, before anything does.
//!
//! Three states are compared: the checkpoint, the folder as it is now, and the folder as Siltstone saw it last in ordinary
//! work (its newest checkpoint that no restore took to guard itself). What is now as it was then is kept in that checkpoint
//! and can be written over; what changed since then was changed by somebody else and is offered. A file is deleted only
//! when Siltstone itself wrote it and nobody touched it since.

use serde::{Deserialize, Serialize};

use super::diff::{ReadTree, diff, leaf_at};
use super::tree::{Leaf, ObjectId};

/// What happens to a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// It is not there and comes back.
    Create,
    /// It becomes what it was.
    Overwrite,
    /// It goes.
    Delete,
    /// Somebody changed it since; the person decides, and until then it stays.
    Conflict,
    /// It stays as it is.
    Skip,
}

/// Why. The UI owns the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// It was there then and is not now.
    Missing,
    /// It is different, and what it says now is kept in a checkpoint.
    Kept,
    /// Siltstone wrote it, and nobody touched it since.
    Ours,
    /// The restore that is undone by this one put it there, and nobody touched it since.
    Undone,
    /// A turn made it so, and what the turn did is taken back.
    TakenBack,
    /// The copy changed it, and here it is as it was when the copy began, or as it was taken over before.
    Copied,
    /// The copy and this folder changed it in different places; both are in it afterwards.
    Both,
    /// The copy and this folder changed it in the same place.
    Apart,
    /// It is in the copy, and in no checkpoint of it: what it says there is not known.
    Unknown,
    /// It is different, and was changed outside since Siltstone last looked.
    ChangedOutside,
    /// It was not there then, and Siltstone did not write it.
    NotOurs,
    /// A folder stands where a file was, or a file where a folder was.
    InTheWay,
}

/// One path of the plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Below the root, with `/`.
    pub path: Vec<u8>,
    /// What happens.
    pub action: Action,
    /// Why.
    pub why: Why,
    /// What is there now.
    pub now: Option<Leaf>,
    /// What was there then.
    pub then: Option<Leaf>,
}

/// What the person wants for a path instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "choice", rename_all = "snake_case")]
pub enum Choice {
    /// Leave it as it is.
    Keep,
    /// Make it what it was; where nothing was, it goes.
    Overwrite,
    /// Both: this content, which a three-way merge made.
    Merge {
        /// The merged content, an object.
        #[cfg_attr(feature = "ts", ts(type = "string"))]
        id: ObjectId,
        /// Its size in bytes.
        size: u64,
        /// Its permissions; `None` for those that are there.
        #[serde(default)]
        mode: Option<u32>,
    },
}

/// What is known beside the trees.
pub struct Known<'a> {
    /// The files of the newest checkpoint that [saw the work](super::CheckpointReason::saw_work).
    pub seen: Option<ObjectId>,
    /// What Siltstone itself wrote at a path last.
    pub ours: &'a dyn Fn(&[u8]) -> Option<Leaf>,
    /// What the restore that is undone by this one made of a path: its own, or what belongs to the person.
    pub undone: &'a dyn Fn(&[u8]) -> Option<Leaf>,
}

impl Known<'_> {
    /// Why what is at a path now may be written over unasked: Siltstone put it there.
    fn put(&self, path: &[u8], now: &Leaf) -> Option<Why> {
        let is = |leaf: Option<Leaf>| leaf.as_ref() == Some(now);
        match is((self.ours)(path)) {
            true => Some(Why::Ours),
            false => is((self.undone)(path)).then_some(Why::Undone),
        }
    }
}

/// The steps from `now` to `target`, in the order of their paths; equal files have none.
pub fn plan<E>(
    target: Option<ObjectId>,
    now: Option<ObjectId>,
    known: &Known<'_>,
    read: ReadTree<'_, E>,
) -> Result<Vec<Step>, E> {
    let changes = diff(target, now, read)?;
    let mut steps = Vec::with_capacity(changes.len());
    for change in changes {
        let (then, now) = (change.before, change.after);
        let (action, why) = match (&then, &now) {
            (_, None) => (Action::Create, Why::Missing),
            (then, Some(leaf)) => match (known.put(&change.path, leaf), then) {
                (Some(why), None) => (Action::Delete, why),
                (None, None) => (Action::Skip, Why::NotOurs),
                (Some(why), Some(_)) => (Action::Overwrite, why),
                (None, Some(_)) => match leaf_at(known.seen, &change.path, read)? == now {
                    true => (Action::Overwrite, Why::Kept),
                    false => (Action::Conflict, Why::ChangedOutside),
                },
            },
        };
        steps.push(Step { path: change.path, action, why, now, then });
    }
    mark_what_is_in_the_way(&mut steps);
    Ok(steps)
}

/// A file cannot be made where a folder stays, nor below a file that stays.
pub(super) fn mark_what_is_in_the_way(steps: &mut [Step]) {
    let staying: Vec<Vec<u8>> = steps
        .iter()
        .filter(|step| step.now.is_some() && !matches!(step.action, Action::Delete))
        .map(|step| step.path.clone())
        .collect();
    for step in steps.iter_mut().filter(|step| step.action == Action::Create) {
        let blocked =
            staying.iter().any(|path| is_below(path, &step.path) || is_below(&step.path, path));
        if blocked {
            (step.action, step.why) = (Action::Skip, Why::InTheWay);
        }
    }
}

fn is_below(path: &[u8], dir: &[u8]) -> bool {
    path.len() > dir.len() && path.starts_with(dir) && path.get(dir.len()) == Some(&b'/')
}

impl Step {
    /// What is there afterwards; `None` when the path stays as it is. With a choice of the person's, by that.
    pub fn outcome(&self, choice: Option<Choice>) -> Option<Option<Leaf>> {
        let becomes = Some(self.then.clone());
        match (choice, self.action) {
            (Some(Choice::Keep), _) | (None, Action::Conflict | Action::Skip) => None,
            (_, _) if self.why == Why::InTheWay => None,
            (Some(Choice::Merge { id, size, mode: wanted }), _) => match &self.now {
                Some(Leaf::File { mode, .. }) => {
                    Some(Some(Leaf::File { id, size, mode: wanted.unwrap_or(*mode) }))
                }
                _ => None,
            },
            _ => becomes,
        }
    }
}
