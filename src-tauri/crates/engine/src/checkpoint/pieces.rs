//! What a turn made of a text, piece by piece, and which of the pieces can be taken back in the text as it is today.
//!
//! A piece is a hunk of the difference between the text before the turn and the text as the turn left it. Its lines are
//! looked for in today's text: they stand, they were taken back already, or somebody changed them since. Only what stands
//! is taken back, so what the person wrote elsewhere in the file stays.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::difference::{Run, joined, lines_of, runs};

/// How a piece stands in today's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// As the turn left it.
    Stands,
    /// As it was before the turn.
    TakenBack,
    /// Somebody changed it since.
    Changed,
}

/// One piece.
struct Piece {
    /// Its lines before the turn.
    before: Range<usize>,
    /// Where it stands today, and what is there.
    now: Option<(Range<usize>, Standing)>,
}

/// What a turn made of a text.
pub struct Pieces<'t> {
    before: Vec<&'t str>,
    now: Vec<&'t str>,
    all: Vec<Piece>,
}

impl<'t> Pieces<'t> {
    /// Of the text before the turn, as the turn left it, and today.
    pub fn of(before: &'t str, left: &'t str, now: &'t str) -> Self {
        let (before, left, now) = (lines_of(before), lines_of(left), lines_of(now));
        let made = runs(&before, &left).0;
        let since = Since { runs: runs(&left, &now).0, left: left.len() };
        let mut all = Vec::new();
        for group in joined(&made) {
            let (first, last) = (&made[group.start], &made[group.end - 1]);
            let was = first.before.start..last.before.end;
            let is = first.after.start..last.after.end;
            let today = since.place_of(&is).map(|at| {
                let standing = match &now[at.clone()] {
                    found if *found == left[is.clone()] => Standing::Stands,
                    found if *found == before[was.clone()] => Standing::TakenBack,
                    _ => Standing::Changed,
                };
                (at, standing)
            });
            all.push(Piece { before: was, now: today });
        }
        Self { before, now, all }
    }

    /// How each of them stands.
    pub fn standing(&self) -> Vec<Standing> {
        let of = |piece: &Piece| piece.now.as_ref().map_or(Standing::Changed, |(_, it)| *it);
        self.all.iter().map(of).collect()
    }

    /// Today's text without these pieces; `None` where one of them does not stand in it.
    pub fn without(&self, chosen: &[u32]) -> Option<String> {
        let mut text = String::new();
        let mut upto = 0;
        for (index, piece) in self.all.iter().enumerate() {
            if !chosen.iter().any(|chosen| usize::try_from(*chosen) == Ok(index)) {
                continue;
            }
            let Some((at, Standing::Stands)) = &piece.now else { return None };
            text.extend(self.now[upto..at.start].iter().copied());
            text.extend(self.before[piece.before.clone()].iter().copied());
            upto = at.end;
        }
        text.extend(self.now[upto..].iter().copied());
        let known = |chosen: &u32| usize::try_from(*chosen).is_ok_and(|at| at < self.all.len());
        chosen.iter().all(known).then_some(text)
    }
}

/// What became of the text that the turn left.
struct Since {
    runs: Vec<Run>,
    left: usize,
}

impl Since {
    /// Where lines that the turn left stand today. Those that were changed stand between the lines around them, while
    /// these are there.
    fn place_of(&self, lines: &Range<usize>) -> Option<Range<usize>> {
        if !lines.is_empty()
            && let (Some(start), Some(last)) = (self.line(lines.start), self.line(lines.end - 1))
            && last + 1 - start == lines.len()
        {
            return Some(start..last + 1);
        }
        let start = match lines.start {
            0 => 0,
            start => self.line(start - 1)? + 1,
        };
        let end = match lines.end {
            end if end == self.left => self.end(),
            end => self.line(end)?,
        };
        Some(start..end)
    }

    /// Where a line stands today, if nobody changed it.
    fn line(&self, line: usize) -> Option<usize> {
        let before = self.runs.partition_point(|run| run.before.start <= line);
        // A run that begins at the line without taking any of it away comes before it.
        match before.checked_sub(1).map(|at| &self.runs[at]) {
            Some(run) if run.before.contains(&line) => None,
            Some(run) => Some(run.after.end + (line - run.before.end)),
            None => Some(line),
        }
    }

    fn end(&self) -> usize {
        match self.runs.last() {
            Some(run) => run.after.end + (self.left - run.before.end),
            None => self.left,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::Standing::{Changed, Stands, TakenBack};
    use super::*;

    const BEFORE: &str = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n";
    /// Two pieces: `b` was replaced, and `z` was added at the end.
    const LEFT: &str = "a\nB1\nB2\nc\nd\ne\nf\ng\nh\ni\nj\nz\n";

    #[rstest]
    #[case::as_left(LEFT, [Stands, Stands])]
    #[case::as_before(BEFORE, [TakenBack, TakenBack])]
    #[case::edited_elsewhere("a\nB1\nB2\nc\nd\ne\nEDITED\ng\nh\ni\nj\nz\n", [Stands, Stands])]
    #[case::edited_right_below("a\nB1\nB2\nnew\nc\nd\ne\nf\ng\nh\ni\nj\nz\n", [Stands, Stands])]
    #[case::edited_within("a\nB1\nmine\nc\nd\ne\nf\ng\nh\ni\nj\nz\n", [Changed, Stands])]
    #[case::one_back("a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nz\n", [TakenBack, Stands])]
    #[case::gone("", [Changed, Changed])]
    fn pieces_are_found_in_todays_text(#[case] now: &str, #[case] standing: [Standing; 2]) {
        assert_eq!(Pieces::of(BEFORE, LEFT, now).standing(), standing);
    }

    #[test]
    fn what_stands_is_taken_back_and_what_the_person_wrote_stays() {
        let now = "mine\na\nB1\nB2\nc\nd\ne\nEDITED\ng\nh\ni\nj\nz\n";
        let pieces = Pieces::of(BEFORE, LEFT, now);
        let first = "mine\na\nb\nc\nd\ne\nEDITED\ng\nh\ni\nj\nz\n";
        assert_eq!(pieces.without(&[0]).as_deref(), Some(first));
        let both = "mine\na\nb\nc\nd\ne\nEDITED\ng\nh\ni\nj\n";
        assert_eq!(pieces.without(&[0, 1]).as_deref(), Some(both));
        assert_eq!(pieces.without(&[]).as_deref(), Some(now));
        assert_eq!(pieces.without(&[2]), None, "there is no such piece");
        let changed = "a\nB1\nmine\nc\nd\ne\nf\ng\nh\ni\nj\nz\n";
        assert_eq!(Pieces::of(BEFORE, LEFT, changed).without(&[0]), None);
    }

    #[test]
    fn lines_that_a_turn_took_away_come_back_between_those_around_them() {
        let (before, left) = ("a\nb\nc\n", "a\nc\n");
        let standing = |now| Pieces::of(before, left, now).standing();
        assert_eq!(standing("top\na\nc\n"), [Stands]);
        assert_eq!(standing("a\nx\nc\n"), [Changed]);
        assert_eq!(standing("c\n"), [Changed]);
        let back = Pieces::of(before, left, "top\na\nc\n").without(&[0]);
        assert_eq!(back.as_deref(), Some("top\na\nb\nc\n"));
    }

    proptest! {
        #[test]
        fn taking_all_of_it_back_in_what_the_turn_left_is_what_was_before(
            before in "([a-d]\n){0,30}[a-d]?",
            left in "([a-d]\n){0,30}[a-d]?",
        ) {
            let pieces = Pieces::of(&before, &left, &left);
            let standing = pieces.standing();
            prop_assert!(standing.iter().all(|it| *it == Stands));
            let all: Vec<u32> = (0..).take(standing.len()).collect();
            prop_assert_eq!(pieces.without(&all), Some(before));
        }

        #[test]
        fn whatever_stands_can_be_taken_back(
            before in "([a-d]\n){0,12}",
            left in "([a-d]\n){0,12}",
            now in "([a-d]\n){0,12}",
        ) {
            let pieces = Pieces::of(&before, &left, &now);
            let stands: Vec<u32> = (0..)
                .zip(pieces.standing())
                .filter_map(|(at, it)| (it == Stands).then_some(at))
                .collect();
            prop_assert!(pieces.without(&stands).is_some());
        }
    }
}
