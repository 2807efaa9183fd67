//! The order in which nodes of a tree were written, whatever a file says of their parents.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use siltstone_engine::Timestamp;

/// All places, the earliest first and parents before their children; without times in their own order. Of nodes whose parents
/// go in a circle one is a beginning.
pub(crate) fn in_order(parents: &[Option<usize>], times: &[Option<Timestamp>]) -> Vec<usize> {
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); parents.len()];
    let mut open = BinaryHeap::new();
    let time = |node: usize| times.get(node).copied().flatten();
    for (node, parent) in parents.iter().enumerate() {
        match parent.and_then(|parent| below.get_mut(parent)) {
            Some(children) => children.push(node),
            None => open.push(Reverse((time(node), node))),
        }
    }
    let (mut order, mut seen) = (Vec::with_capacity(parents.len()), vec![false; parents.len()]);
    let mut next = 0;
    loop {
        while let Some(Reverse((at, node))) = open.pop() {
            if std::mem::replace(&mut seen[node], true) {
                continue;
            }
            order.push(node);
            // No clock puts a reply before its question.
            let children = std::mem::take(&mut below[node]).into_iter();
            open.extend(children.map(|child| Reverse((time(child).max(at), child))));
        }
        match seen[next..].iter().position(|seen| !seen) {
            Some(more) => next += more,
            None => return order,
        }
        open.push(Reverse((time(next), next)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_come_first_and_else_the_earlier_whatever_goes_in_a_circle() {
        let at = |second| Timestamp::from_second(second).ok();
        let parents = [Some(1), None, Some(1), Some(0), None];
        assert_eq!(in_order(&parents, &[at(3), at(1), at(2), at(0), None]), [4, 1, 2, 0, 3]);
        assert_eq!(in_order(&parents, &[None; 5]), [1, 0, 2, 3, 4]);
        let circles = [Some(1), Some(0), Some(2), Some(1), Some(9)];
        assert_eq!(in_order(&circles, &[None; 5]), [4, 0, 1, 3, 2]);
        assert_eq!(in_order(&[], &[]), Vec::<usize>::new());
    }
}
