//! Taking over what was changed in a copy of a project: a plan as that of any restore, with the copy in the checkpoint's
//! place.
//!
//! Three states are compared: what both began with, the copy, and the folder. What the copy did not change stays. What the
//! folder did not change since becomes what it is in the copy; where both changed a text in different places, both stand in
//! it; everything else is asked about and stays until then. Nothing that is only here is ever written over unasked.

use std::collections::BTreeMap;

use super::diff::{Change, ReadTree, diff, leaf_at};
use super::merge::merge;
use super::plan::{Action, Choice, Step, Why, mark_what_is_in_the_way};
use super::port::StoredPlan;
use super::tree::{Leaf, ObjectId};

/// What was taken over of a copy before, by path.
#[derive(Clone, Debug, Default)]
pub struct TakenOver {
    /// What the copy held, and what the folder then got.
    paths: BTreeMap<Vec<u8>, Vec<Taken>>,
}

#[derive(Clone, Debug)]
struct Taken {
    copy: Option<Leaf>,
    here: Option<Leaf>,
}

impl TakenOver {
    /// Of the plans that were carried out.
    pub fn by<'a>(plans: impl IntoIterator<Item = &'a StoredPlan>) -> Self {
        let mut paths: BTreeMap<Vec<u8>, Vec<Taken>> = BTreeMap::new();
        for (step, choice) in plans.into_iter().flat_map(|plan| &plan.steps) {
            if let Some(here) = step.outcome(*choice) {
                let taken = Taken { copy: step.then.clone(), here };
                paths.entry(step.path.clone()).or_default().push(taken);
            }
        }
        Self { paths }
    }

    fn of(&self, path: &[u8]) -> &[Taken] {
        self.paths.get(path).map_or(&[], Vec::as_slice)
    }

    /// Whether what the copy holds was taken over already, and stands here as it was then.
    fn stands(&self, path: &[u8], copy: &Option<Leaf>, now: &Option<Leaf>) -> bool {
        self.of(path).iter().any(|taken| taken.copy == *copy && taken.here == *now)
    }

    /// Whether what stands here is what an earlier taking over left, and no more.
    fn left(&self, path: &[u8], now: &Option<Leaf>) -> bool {
        self.of(path).iter().any(|taken| taken.here == *now && taken.copy == taken.here)
    }
}

/// Texts, and where merged ones are kept.
pub trait Texts<E> {
    /// What a file says; `None` where it is not text, or too large.
    fn read(&mut self, leaf: &Leaf) -> Result<Option<String>, E>;
    /// Keeps a merged text.
    fn keep(&mut self, text: &str) -> Result<ObjectId, E>;
}

/// The steps that bring what `copy` made of `base` into `now`, in the order of their paths.
pub fn take_over<E>(
    [base, copy, now]: [Option<ObjectId>; 3],
    before: &TakenOver,
    read: ReadTree<'_, E>,
    texts: &mut dyn Texts<E>,
) -> Result<Vec<(Step, Option<Choice>)>, E> {
    let mut changes = diff(base, copy, read)?;
    // What was taken over and is in the copy as it was at first again goes back here too.
    for path in before.paths.keys() {
        if let Err(at) = changes.binary_search_by(|change| change.path.cmp(path)) {
            let was = leaf_at(base, path, read)?;
            changes.insert(at, Change { path: path.clone(), before: was.clone(), after: was });
        }
    }
    let mut steps = Vec::new();
    let mut choices = Vec::new();
    for change in changes {
        let (was, then) = (change.before, change.after);
        let here = leaf_at(now, &change.path, read)?;
        if here == then || before.stands(&change.path, &then, &here) {
            continue;
        }
        let unchanged = here == was || before.left(&change.path, &here);
        if then == was && !unchanged {
            // Changed here alone, since.
            continue;
        }
        let action = match (&here, &then) {
            (None, _) => Action::Create,
            (_, None) => Action::Delete,
            _ => Action::Overwrite,
        };
        let (action, why, choice) = match unchanged {
            true => (action, Why::Copied, None),
            false => match merged([&was, &here, &then], texts)? {
                Some(choice) => (Action::Overwrite, Why::Both, Some(choice)),
                None => (Action::Conflict, Why::Apart, None),
            },
        };
        steps.push(Step { path: change.path, action, why, now: here, then });
        choices.push(choice);
    }
    mark_what_is_in_the_way(&mut steps);
    for at in 0..steps.len() {
        if steps[at].action == Action::Create && stays_above(&steps, at, now, read)? {
            (steps[at].action, steps[at].why) = (Action::Skip, Why::InTheWay);
        }
    }
    Ok(steps.into_iter().zip(choices).collect())
}

/// Both together, where they are texts and contradict each other nowhere.
fn merged<E>(leaves: [&Option<Leaf>; 3], texts: &mut dyn Texts<E>) -> Result<Option<Choice>, E> {
    let mut said = [const { String::new() }; 3];
    for (leaf, said) in leaves.into_iter().zip(&mut said) {
        let Some(leaf @ Leaf::File { .. }) = leaf else { return Ok(None) };
        let Some(text) = texts.read(leaf)? else { return Ok(None) };
        *said = text;
    }
    let [base, now, then] = said;
    let both = merge(&base, &now, &then);
    if both.conflicts {
        return Ok(None);
    }
    Ok(Some(Choice::Merge { id: texts.keep(&both.text)?, size: both.text.len() as u64 }))
}

/// Whether a file stands where a step needs a folder, and stays.
fn stays_above<E>(
    steps: &[Step],
    at: usize,
    now: Option<ObjectId>,
    read: ReadTree<'_, E>,
) -> Result<bool, E> {
    let path = &steps[at].path;
    for end in path.iter().enumerate().filter_map(|(end, byte)| (*byte == b'/').then_some(end)) {
        let goes = |step: &Step| step.path == path[..end] && step.action == Action::Delete;
        if leaf_at(now, &path[..end], read)?.is_some() && !steps.iter().any(goes) {
            return Ok(true);
        }
    }
    Ok(false)
}
