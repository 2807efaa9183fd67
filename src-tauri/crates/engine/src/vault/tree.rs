//! Entries as a tree: paths, leaves, and circles that a file may claim.

use super::session::Entry;

/// How far the search for circles is with an entry.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Met {
    Never,
    Now,
    Before,
}

/// From the root to an entry.
pub(super) fn path_to(entries: &[Entry], leaf: usize) -> Vec<usize> {
    let mut path = Vec::new();
    let mut at = Some(leaf);
    // No path is longer than all entries, whatever they say.
    while let Some(index) = at.filter(|index| *index < entries.len() && path.len() < entries.len())
    {
        path.push(index);
        at = entries[index].parent;
    }
    path.reverse();
    path
}

/// Entries of the conversation itself that none of it follows.
pub(super) fn leaves(entries: &[Entry]) -> Vec<usize> {
    let mut followed = vec![false; entries.len()];
    for entry in entries.iter().filter(|entry| !entry.aside) {
        if let Some(followed) = entry.parent.and_then(|parent| followed.get_mut(parent)) {
            *followed = true;
        }
    }
    (0..entries.len()).filter(|at| !followed[*at] && !entries[*at].aside).collect()
}

/// Takes the parent from an entry of each circle, so that every path has a beginning.
pub(super) fn cut_circles(entries: &mut [Entry]) {
    let mut met = vec![Met::Never; entries.len()];
    for start in 0..entries.len() {
        let mut walked = Vec::new();
        let mut at = start;
        while met[at] == Met::Never {
            met[at] = Met::Now;
            walked.push(at);
            match entries[at].parent {
                Some(parent) if parent >= entries.len() || met[parent] == Met::Now => {
                    entries[at].parent = None;
                    break;
                }
                Some(parent) => at = parent,
                None => break,
            }
        }
        walked.into_iter().for_each(|index| met[index] = Met::Before);
    }
}
