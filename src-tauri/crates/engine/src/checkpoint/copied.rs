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
use super::tree::{Leaf, Node, ObjectId};
use crate::ids::ProjectId;

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
    /// What stands of a copy's, by the plans that were carried out in the project, in their order: those that were undone
    /// count for nothing.
    pub fn by(copy: ProjectId, plans: &[StoredPlan]) -> Self {
        let mut paths: BTreeMap<Vec<u8>, Vec<Taken>> = BTreeMap::new();
        let undone = |at: usize| {
            let before = plans[at].before;
            before.is_some() && plans[at + 1..].iter().any(|it| Some(it.checkpoint) == before)
        };
        let of_it = plans.iter().enumerate().filter(|(_, plan)| plan.copy == Some(copy));
        let stands = of_it.filter(|(at, _)| !undone(*at)).map(|(_, plan)| plan);
        for (step, choice) in stands.flat_map(|plan| &plan.steps) {
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

    /// What the copy held when an earlier taking over left what stands here.
    fn left(&self, path: &[u8], now: &Option<Leaf>) -> Option<&Taken> {
        self.of(path).iter().rfind(|taken| taken.here == *now)
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
        let left = before.left(&change.path, &here);
        let unchanged = here == was || left.is_some_and(|taken| taken.copy == taken.here);
        if then == was && !unchanged && left.is_none() {
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
            // What was put together before goes on from there.
            false => match merged([left.map_or(&was, |it| &it.copy), &here, &then], texts)? {
                Some(choice) => (Action::Overwrite, Why::Both, Some(choice)),
                None => (Action::Conflict, Why::Apart, None),
            },
        };
        steps.push(Step { path: change.path, action, why, now: here, then });
        choices.push(choice);
    }
    mark_what_is_in_the_way(&mut steps);
    for at in 0..steps.len() {
        if steps[at].action != Action::Create {
            continue;
        }
        if stays_above(&steps, at, now, read)? {
            (steps[at].action, steps[at].why) = (Action::Skip, Why::InTheWay);
        } else if stays_below(&steps, at, now, read)? {
            // The folder stays, and with it all that is in it.
            let place = steps[at].path.clone();
            for step in steps.iter_mut().filter(|it| it.path.starts_with(&place)) {
                if step.path.len() == place.len() || step.path[place.len()] == b'/' {
                    (step.action, step.why) = (Action::Skip, Why::InTheWay);
                }
            }
        }
    }
    Ok(steps.into_iter().zip(choices).collect())
}

fn mode_of(leaf: &Option<Leaf>) -> Option<u32> {
    match leaf {
        Some(Leaf::File { mode, .. }) => Some(*mode),
        _ => None,
    }
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
    let [was, here, wanted] = leaves.map(mode_of);
    let mode = wanted.filter(|_| was == here);
    Ok(Some(Choice::Merge { id: texts.keep(&both.text)?, size: both.text.len() as u64, mode }))
}

/// Whether a folder stands where a step makes a file, and something in it stays.
fn stays_below<E>(
    steps: &[Step],
    at: usize,
    now: Option<ObjectId>,
    read: ReadTree<'_, E>,
) -> Result<bool, E> {
    let path = &steps[at].path;
    let mut folder = now;
    for name in path.split(|byte| *byte == b'/') {
        let Some(id) = folder else { return Ok(false) };
        folder = match read(id)?.get(name) {
            Some(Node::Dir(inner)) => Some(*inner),
            _ => return Ok(false),
        };
    }
    let goes = |below: &[u8]| {
        let whole = [path.as_slice(), b"/", below].concat();
        steps.iter().any(|step| step.path == whole && step.action == Action::Delete)
    };
    Ok(diff(None, folder, read)?.iter().any(|leaf| !goes(&leaf.path)))
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
