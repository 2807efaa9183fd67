//! What sets two texts apart, line by line: what is shown of a change anywhere, and what of it can be taken back alone.
//!
//! Lines are compared with their ends, so that nothing that differs counts as equal. Deliberately absent: words within a
//! line, and colours, which are the window's.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use serde::{Deserialize, Serialize};
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Equal lines that are shown around a change.
const AROUND: usize = 3;

/// Changes with so few equal lines between them are one hunk.
const JOINED: usize = 3;

/// Lines of both texts, of those that both have somewhere, among which the smallest difference is looked for; beyond, a
/// good one is taken.
const EXACT: usize = 12_000;

/// What a line of a difference is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum LineChange {
    /// Both have it.
    Same,
    /// It comes.
    Added,
    /// It goes.
    Removed,
}

/// A line of a difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct DiffLine {
    /// What it is.
    pub kind: LineChange,
    /// What it says, without its end.
    pub text: String,
    /// Its number before, from 1.
    pub before: Option<u32>,
    /// Its number after, from 1.
    pub after: Option<u32>,
    /// Whether the text ends with it and no line end follows.
    pub unended: bool,
}

/// Changes that stand near each other, with equal lines around them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Hunk {
    /// Equal lines above it that are not shown.
    pub skipped: u32,
    /// Its lines.
    pub lines: Vec<DiffLine>,
}

/// How a text becomes another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Difference {
    /// What changes, in order; empty where both are the same.
    pub hunks: Vec<Hunk>,
    /// Equal lines below the last one that are not shown.
    pub skipped: u32,
    /// Lines that come.
    pub added: u32,
    /// Lines that go.
    pub removed: u32,
    /// Whether no smaller difference exists; false where looking for it would take too long.
    pub smallest: bool,
}

/// Lines that are replaced: those of one text by those of the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) before: Range<usize>,
    pub(crate) after: Range<usize>,
}

/// The lines of a text, each with its end.
pub(crate) fn lines_of(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

impl Difference {
    /// How `before` becomes `after`; a text that is not there has no lines.
    pub fn of(before: &str, after: &str) -> Self {
        let (a, b) = (lines_of(before), lines_of(after));
        let (runs, smallest) = runs(&a, &b);
        let count = |ranges: &dyn Fn(&Run) -> usize| short(runs.iter().map(ranges).sum());
        let (added, removed) = (count(&|run| run.after.len()), count(&|run| run.before.len()));
        let joined = joined(&runs);
        let mut hunks = Vec::with_capacity(joined.len());
        // Equal lines up to here are shown, or belong to a hunk.
        let mut shown = 0;
        for (at, group) in joined.iter().enumerate() {
            let (first, last) = (&runs[group.start], &runs[group.end - 1]);
            let from = first.before.start.saturating_sub(AROUND).max(shown);
            let next = joined.get(at + 1).map(|next| runs[next.start].before.start);
            let to = (last.before.end + AROUND).min(next.unwrap_or(a.len()));
            let mut lines = Vec::new();
            let mut at = (from, first.after.start - (first.before.start - from));
            for run in &runs[group.clone()] {
                same(&mut lines, &a, &mut at, run.before.start);
                for index in run.before.clone() {
                    lines.push(line(LineChange::Removed, a[index], Some(index), None));
                }
                for index in run.after.clone() {
                    lines.push(line(LineChange::Added, b[index], None, Some(index)));
                }
                at = (run.before.end, run.after.end);
            }
            same(&mut lines, &a, &mut at, to);
            hunks.push(Hunk { skipped: short(from - shown), lines });
            shown = to;
        }
        Self { hunks, skipped: short(a.len() - shown), added, removed, smallest }
    }

    /// The same as programs show it to each other (POSIX, `diff -u`), without names of files; empty where both are the same.
    pub fn unified(&self) -> String {
        let mut text = String::new();
        for hunk in &self.hunks {
            let before = range(hunk.lines.iter().filter_map(|line| line.before));
            let after = range(hunk.lines.iter().filter_map(|line| line.after));
            text.push_str(&format!("@@ -{before} +{after} @@\n"));
            for line in &hunk.lines {
                text.push(match line.kind {
                    LineChange::Same => ' ',
                    LineChange::Added => '+',
                    LineChange::Removed => '-',
                });
                text.push_str(&line.text);
                text.push_str(if line.unended { "\n\\ No newline at end of file\n" } else { "\n" });
            }
        }
        text
    }
}

/// Where lines of these numbers begin, and how many they are; that is said unless it is one.
fn range(mut numbers: impl Iterator<Item = u32>) -> String {
    let Some(first) = numbers.next() else { return "0,0".to_owned() };
    match 1 + numbers.count() {
        1 => first.to_string(),
        count => format!("{first},{count}"),
    }
}

fn same(lines: &mut Vec<DiffLine>, a: &[&str], at: &mut (usize, usize), to: usize) {
    while at.0 < to {
        lines.push(line(LineChange::Same, a[at.0], Some(at.0), Some(at.1)));
        *at = (at.0 + 1, at.1 + 1);
    }
}

fn line(kind: LineChange, text: &str, before: Option<usize>, after: Option<usize>) -> DiffLine {
    let number = |index: usize| short(index + 1);
    let said = text.strip_suffix('\n');
    DiffLine {
        kind,
        text: said.unwrap_or(text).to_owned(),
        before: before.map(number),
        after: after.map(number),
        unended: said.is_none(),
    }
}

fn short(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Which runs are one hunk: ranges of their indices.
pub(crate) fn joined(runs: &[Run]) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    for (at, run) in runs.iter().enumerate() {
        match groups.last_mut() {
            Some(group) if run.before.start - runs[at - 1].before.end <= JOINED => {
                group.end = at + 1;
            }
            _ => groups.push(at..at + 1),
        }
    }
    groups
}

/// What is replaced, in order, and whether no smaller difference exists.
pub(crate) fn runs(a: &[&str], b: &[&str]) -> (Vec<Run>, bool) {
    let head = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a_left, b_left) = (&a[head..], &b[head..]);
    let tail = a_left.iter().rev().zip(b_left.iter().rev()).take_while(|(a, b)| a == b).count();
    let (pairs, smallest) = common(&a_left[..a_left.len() - tail], &b_left[..b_left.len() - tail]);
    let ends = (a.len() - tail, b.len() - tail);
    let mut runs = Vec::new();
    let mut at = (head, head);
    let pairs = pairs.into_iter().map(|(in_a, in_b)| (in_a + head, in_b + head));
    for (in_a, in_b) in pairs.chain([ends]) {
        if (in_a, in_b) != at {
            runs.push(Run { before: at.0..in_a, after: at.1..in_b });
        }
        at = (in_a + 1, in_b + 1);
    }
    (runs, smallest)
}

/// The places of the lines that both have in the same order, and whether no longer sequence exists.
fn common<'t>(a: &[&'t str], b: &[&'t str]) -> (Vec<(usize, usize)>, bool) {
    // What one of them has alone is in no such sequence, and need not be looked at.
    let within = |texts: &[&str], others: &[&str]| -> Vec<usize> {
        let others: HashSet<&str> = others.iter().copied().collect();
        (0..texts.len()).filter(|at| others.contains(texts[*at])).collect()
    };
    let (of_a, of_b) = (within(a, b), within(b, a));
    // Numbers are compared in place of lines.
    let mut numbers: HashMap<&'t str, u32> = HashMap::new();
    let mut number = |text: &&'t str| {
        let next = short(numbers.len());
        *numbers.entry(*text).or_insert(next)
    };
    let in_a: Vec<u32> = of_a.iter().map(|at| number(&a[*at])).collect();
    let in_b: Vec<u32> = of_b.iter().map(|at| number(&b[*at])).collect();
    let exact = in_a.len() + in_b.len() <= EXACT;
    let algorithm = if exact { Algorithm::RawMyers } else { Algorithm::Myers };
    let mut pairs = Vec::new();
    for op in capture_diff_slices(algorithm, &in_a, &in_b) {
        if let DiffOp::Equal { old_index, new_index, len } = op {
            pairs.extend((0..len).map(|at| (of_a[old_index + at], of_b[new_index + at])));
        }
    }
    (pairs, exact)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Both texts again, by what a difference shows and leaves out.
    fn sides(before: &str, after: &str) -> (String, String) {
        let (a, b) = (lines_of(before), lines_of(after));
        let difference = Difference::of(before, after);
        let (mut was, mut is) = (String::new(), String::new());
        let mut at = (0, 0);
        let skip = |count: u32, was: &mut String, is: &mut String, at: &mut (usize, usize)| {
            for _ in 0..count {
                was.push_str(a[at.0]);
                is.push_str(b[at.1]);
                *at = (at.0 + 1, at.1 + 1);
            }
        };
        for hunk in &difference.hunks {
            skip(hunk.skipped, &mut was, &mut is, &mut at);
            for line in &hunk.lines {
                let text = format!("{}{}", line.text, if line.unended { "" } else { "\n" });
                if line.kind != LineChange::Added {
                    assert_eq!(line.before.map(|number| number as usize), Some(at.0 + 1));
                    was.push_str(&text);
                    at.0 += 1;
                }
                if line.kind != LineChange::Removed {
                    assert_eq!(line.after.map(|number| number as usize), Some(at.1 + 1));
                    is.push_str(&text);
                    at.1 += 1;
                }
            }
        }
        skip(difference.skipped, &mut was, &mut is, &mut at);
        (was, is)
    }

    proptest! {
        #[test]
        fn other_programs_make_one_text_of_the_other_by_it(
            before in "([abc]{0,2}\n?){0,40}",
            after in "([abc]{0,2}\n?){0,40}",
        ) {
            let unified = Difference::of(&before, &after).unified();
            let patch = diffy::Patch::from_str(&unified).map_err(|error| error.to_string());
            let applied = patch.and_then(|patch| {
                diffy::apply(&before, &patch).map_err(|error| error.to_string())
            });
            prop_assert_eq!(applied, Ok(after), "{}", unified);
        }

        #[test]
        fn both_texts_are_in_it(before in "([abc]{0,2}\n?){0,40}", after in "([abc]{0,2}\n?){0,40}") {
            prop_assert_eq!(sides(&before, &after), (before, after));
        }

        #[test]
        fn it_is_the_smallest(before in "([a-e]\n){0,24}", after in "([a-e]\n){0,24}") {
            let (a, b) = (lines_of(&before), lines_of(&after));
            let difference = Difference::of(&before, &after);
            let same = a.len() - difference.removed as usize;
            prop_assert!(difference.smallest);
            prop_assert_eq!(same, b.len() - difference.added as usize);
            prop_assert_eq!(same, longest(&a, &b));
        }
    }

    /// The length of the longest common sequence, by the whole table.
    fn longest(a: &[&str], b: &[&str]) -> usize {
        let mut row = vec![0; b.len() + 1];
        for text in a {
            let mut next = vec![0];
            for (at, other) in b.iter().enumerate() {
                let best = if text == other { row[at] + 1 } else { row[at + 1].max(next[at]) };
                next.push(best);
            }
            row = next;
        }
        row[b.len()]
    }

    #[test]
    fn lines_have_their_numbers_and_what_is_far_is_left_out() {
        let before: Vec<String> = (1..=20).map(|at| format!("line {at}\n")).collect();
        let mut after = before.clone();
        after[9] = "other\n".into();
        after.push("more".into());
        let difference = Difference::of(&before.concat(), &after.concat());
        assert_eq!((difference.added, difference.removed, difference.skipped), (2, 1, 0));
        let [first, last] = difference.hunks.as_slice() else { panic!("{difference:?}") };
        assert_eq!((first.skipped, first.lines.len()), (6, 8));
        assert_eq!((last.skipped, last.lines.len()), (4, 4));
        let added = &last.lines[3];
        assert_eq!((added.after, added.before, added.unended), (Some(21), None, true));
    }

    #[test]
    fn changes_far_apart_are_two_hunks_and_near_ones_are_one() {
        let lines = |changed: [usize; 2]| -> String {
            (0..30)
                .map(|at| if changed.contains(&at) { "x\n".into() } else { format!("{at}\n") })
                .collect()
        };
        let count = |changed| Difference::of(&lines([99, 99]), &lines(changed)).hunks.len();
        assert_eq!([count([10, 14]), count([10, 15])], [1, 2]);
    }

    #[test]
    fn two_texts_that_share_nothing_are_told_apart_at_once_and_long_ones_say_that_they_were_not_compared_whole()
     {
        let of = |name: &str| -> String { (0..20_000).map(|at| format!("{name}{at}\n")).collect() };
        let apart = Difference::of(&of("a"), &of("b"));
        assert_eq!((apart.added, apart.removed, apart.smallest), (20_000, 20_000, true));
        let mixed: String = (0..20_000).map(|at| format!("a{}\n", (at * 7_919) % 20_000)).collect();
        assert!(!Difference::of(&of("a"), &mixed).smallest);
    }
}
