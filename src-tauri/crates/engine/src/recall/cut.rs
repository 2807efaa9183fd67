//! Cutting what was said into stretches: what is ranked, chosen and shown of it.
//!
//! A short text is one stretch. A longer one is cut where its writer paused: at blank lines, at items of a list, at blocks
//! of code, each with the line that leads to it. What is longer than that is cut at lines and at the ends of sentences,
//! and only what is no sentence at all is cut elsewhere. A heading goes with what stands below it, and the line that leads to
//! a list or to code with that.

use std::ops::Range;

/// Weight up to which a text is one stretch, and to which a stretch grows; about two hundred tokens.
const MOST: usize = 800;
/// Weight below which a stretch goes with its neighbour; about twenty tokens.
const LEAST: usize = 80;
/// Weight from which on a sentence is none.
const NO_SENTENCE: usize = 2 * MOST;

/// The stretches of a text, as ranges of its bytes, in order: at least one. Between them stands nothing but blanks.
pub fn cut(text: &str) -> Vec<Range<usize>> {
    let mut small = Vec::new();
    if weight(text) > MOST {
        blocks(text).into_iter().for_each(|block| split(text, block, &mut small));
    }
    match small.as_slice() {
        [] => std::iter::once(0..text.len()).collect(),
        _ => joined(text, small),
    }
}

/// These stretches of a text, in order, marked where something is missing; one that follows the other is one.
pub fn told(text: &str, stretches: &[Range<usize>]) -> String {
    let mut told = String::new();
    let mut at = 0;
    for stretch in stretches {
        let between = &text[at..stretch.start];
        match between.trim().is_empty() {
            true if at > 0 => told.push_str(between),
            true => {}
            false if at > 0 => told.push_str(" […]\n"),
            false => told.push_str("[…] "),
        }
        told.push_str(&text[stretch.clone()]);
        at = stretch.end;
    }
    if !text[at..].trim().is_empty() {
        told.push_str(" […]");
    }
    told
}

/// How much a text weighs, without counting its tokens: about four for each. A letter of Hangul or Han is about two and a
/// half of Latin.
pub fn weight(text: &str) -> usize {
    text.chars().map(|c| if c < '\u{1100}' { 2 } else { 5 }).sum::<usize>() / 2
}

fn trimmed(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let part = &text[range.clone()];
    let from = range.start + (part.len() - part.trim_start().len());
    let to = range.start + part.trim_end().len();
    (from < to).then_some(from..to)
}

/// Whether a line opens or closes a block of code.
fn fences(line: &str) -> bool {
    line.trim_start().starts_with("```")
}

/// Paragraphs; a block of code goes with the line before it.
fn blocks(text: &str) -> Vec<Range<usize>> {
    let mut blocks: Vec<Range<usize>> = Vec::new();
    let (mut code, mut at) = (false, 0);
    let mut open: Option<usize> = None;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        if fences(line) {
            code = !code;
        }
        if line.trim().is_empty() && !code {
            blocks.extend(open.take().map(|from| from..at));
        } else if open.is_none() {
            open = Some(at);
        }
        at = end;
    }
    blocks.extend(open.map(|from| from..text.len()));
    blocks
}

/// Adds a block, cut at its lines and sentences where it is long.
fn split(text: &str, block: Range<usize>, into: &mut Vec<Range<usize>>) {
    if weight(&text[block.clone()]) <= MOST {
        into.extend(trimmed(text, block));
        return;
    }
    let mut open: Option<Range<usize>> = None;
    for part in lines(text, block) {
        match &mut open {
            Some(it) if weight(&text[it.start..part.end]) <= MOST => it.end = part.end,
            _ => into.extend(open.replace(part).and_then(|it| trimmed(text, it))),
        }
    }
    into.extend(open.and_then(|it| trimmed(text, it)));
}

/// Lines, and the sentences of long ones.
fn lines(text: &str, block: Range<usize>) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut at = block.start;
    for line in text[block].split_inclusive('\n') {
        let range = at..at + line.len();
        at = range.end;
        if weight(line) <= MOST {
            parts.push(range);
        } else {
            sentences(text, range, &mut parts);
        }
    }
    parts
}

/// The sentences of a line.
fn sentences(text: &str, line: Range<usize>, into: &mut Vec<Range<usize>>) {
    let mut from = line.start;
    let mut ended = false;
    for (at, c) in text[line.clone()].char_indices() {
        let at = line.start + at;
        if ended && c.is_whitespace() || matches!(c, '。' | '！' | '？') {
            let end = at + c.len_utf8();
            bounded(text, from..end, into);
            from = end;
            ended = false;
        } else {
            ended = matches!(c, '.' | '!' | '?' | '…')
                || ended && matches!(c, '"' | '\'' | ')' | '”' | '’' | '*');
        }
    }
    bounded(text, from..line.end, into);
}

/// Adds a sentence; what is too long for one is cut behind commas, blanks, or anywhere.
fn bounded(text: &str, part: Range<usize>, into: &mut Vec<Range<usize>>) {
    if weight(&text[part.clone()]) <= NO_SENTENCE {
        into.extend((!part.is_empty()).then_some(part));
        return;
    }
    let mut from = part.start;
    let (mut blank, mut clause) = (None, None);
    let mut heavy = 0;
    let rest = &text[part.clone()];
    for (at, c) in rest.char_indices() {
        let at = part.start + at;
        heavy += if c < '\u{1100}' { 2 } else { 5 };
        if heavy > 2 * MOST {
            let end = clause.or(blank).unwrap_or(at);
            into.push(from..end);
            heavy = 2 * weight(&text[end..at + c.len_utf8()]);
            (from, blank, clause) = (end, None, None);
        }
        let behind = at + c.len_utf8();
        if c.is_whitespace() {
            blank = Some(behind);
        } else if matches!(c, ',' | ';' | '，' | '、') {
            clause = Some(behind);
        }
    }
    into.push(from..part.end);
}

/// Whether a stretch leads to the next: a heading, or a line that ends with a colon.
fn leads(part: &str) -> bool {
    let last = part.lines().last().unwrap_or_default().trim();
    let bare = last.trim_matches(['*', '_', ' ']);
    last.starts_with('#')
        || bare.ends_with([':', '：'])
        || (last.starts_with("**") && last.ends_with("**") && weight(last) <= LEAST)
}

/// Puts what is small, and what leads to something, together with the next.
fn joined(text: &str, small: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::new();
    for part in small {
        let last = joined.last_mut();
        match last {
            Some(last)
                if goes_on(&text[last.clone()], &text[part.clone()])
                    && weight(&text[last.start..part.end]) <= MOST =>
            {
                last.end = part.end;
            }
            _ => joined.push(part),
        }
    }
    joined
}

fn goes_on(before: &str, part: &str) -> bool {
    leads(before) || fences(part) || weight(before) < LEAST
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    fn cuts(text: &str) -> Vec<&str> {
        cut(text).into_iter().map(|it| &text[it]).collect()
    }

    const FILLER: &str =
        "This line says nothing that anybody would ask for, and it says it at length. ";

    #[test]
    fn what_is_short_is_one_stretch() {
        for text in ["", " ", "안녕\n\n반가워요.", "One.\n\nTwo."] {
            assert_eq!(cuts(text), [text]);
        }
    }

    #[rstest]
    #[case::english("## Ports\n\nThe proxy listens on port 8443.")]
    #[case::korean("## 포트\n\n프록시는 8443번 포트에서 듣습니다.")]
    #[case::code("Start it so:\n\n```sh\nproxy --port 8443\n\nproxy --check\n```")]
    #[case::list("These ports are taken:\n\n- 8443 by the proxy\n- 5432 by the database")]
    fn what_belongs_together_stays_together(#[case] part: &str) {
        let filler = FILLER.repeat(10);
        let text = format!("{filler}\n\n{part}\n\n{filler}");
        assert!(cuts(&text).contains(&part), "{:#?}", cuts(&text));
    }

    #[test]
    fn what_is_missing_is_marked() {
        let filler = FILLER.repeat(8);
        let text = format!("{filler}\n\nFirst.\n{filler}\n\n{filler}\n\n{filler}");
        let all = cut(&text);
        assert_eq!(told(&text, &all), text.trim_end());
        let shown = told(&text, &[all[1].clone(), all[3].clone()]);
        assert!(shown.starts_with("[…] First."), "{shown}");
        assert_eq!(shown.matches(" […]").count(), 1, "{shown}");
        assert!(told(&text, &all[..1]).ends_with(" […]"));
    }

    proptest! {
        #[test]
        fn a_stretch_is_a_slice_and_nothing_is_lost(
            text in "([a-zA-Z가-힣 .?!,:#*`-]{0,200}\n{1,2}){0,24}",
        ) {
            let mut at = 0;
            for it in cut(&text) {
                prop_assert!(at <= it.start && it.start <= it.end);
                prop_assert_eq!(text[at..it.start].trim(), "");
                prop_assert!(weight(&text[it.clone()]) <= NO_SENTENCE);
                at = it.end;
            }
            prop_assert_eq!(text[at..].trim(), "");
        }

        #[test]
        fn a_stretch_starts_where_a_sentence_does(
            said in prop::collection::vec(("[a-z가-힣]{1,9}( [a-z가-힣]{1,9}){2,40}[.?!]", "( |\n|\n\n|\n- )"), 1..60),
        ) {
            let mut text = String::new();
            let mut starts = std::collections::HashSet::new();
            for (sentence, gap) in &said {
                starts.insert(text.len());
                text.push_str(sentence);
                text.push_str(gap);
            }
            for it in cut(&text) {
                // The mark of an item that nothing follows is no sentence.
                let Some(first) = text[it.clone()].find(|c| c != '-' && c != ' ') else { continue };
                let start = it.start + first;
                prop_assert!(starts.contains(&start), "{start} of {text}");
            }
        }
    }
}
