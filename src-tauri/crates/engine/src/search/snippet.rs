//! The surroundings of the first match, cut from the text as it was written, with what was searched for marked.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

use super::SnippetPart;
use super::query::Query;
use super::tokenise::{is_cjk, is_word, starts_part};

/// Characters shown before the first match, and from it on.
const BEFORE: usize = 40;
const AFTER: usize = 140;

/// Bytes of a text that are looked through for the first match; a hit further on shows the text's beginning.
const MAX_SCANNED: usize = 1 << 20;

/// A line or two of `text` around the first match of `query`; blanks and line ends become single blanks.
pub fn snippet(text: &str, query: &Query) -> Vec<SnippetPart> {
    let first = first_match(text, query).unwrap_or(0);
    let start = word_after(text, back(text, first, BEFORE)..first);
    let end = word_before(text, first..forth(text, first, AFTER));
    let window = &unmarked(&without_bars(text, start..end));
    let mut parts = Vec::new();
    if start > 0 {
        push(&mut parts, "…", false);
    }
    let mut done = 0;
    for hit in matches(window, query) {
        push(&mut parts, &window[done..hit.start], false);
        push(&mut parts, &window[hit.clone()], true);
        done = hit.end;
    }
    push(&mut parts, &window[done..], false);
    if end < text.len() {
        push(&mut parts, "…", false);
    }
    parts
}

/// How many lines of `text` stand before the first match of `query`; none where it is not found.
pub fn lines_before(text: &str, query: &Query) -> u32 {
    let before = first_match(text, query).map_or(0, |at| text[..at].matches('\n').count());
    u32::try_from(before).unwrap_or(0)
}

/// A stretch of `text` whose tables are told cell by cell, without the bars and lines they are drawn with.
fn without_bars(text: &str, stretch: Range<usize>) -> String {
    let Range { mut start, end } = stretch;
    let mut plain = String::with_capacity(end - start);
    while start < end {
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at + 1);
        // A row is known by its whole line, of which the stretch may have a part.
        let (line, part) = (text[line_start..line_end].trim(), &text[start..line_end.min(end)]);
        if line.len() < 3 || !line.starts_with('|') || !line.ends_with('|') {
            plain.push_str(part);
        } else if !line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ')) {
            let cells = part.split('|').map(str::trim).filter(|cell| !cell.is_empty());
            plain.push_str(&cells.collect::<Vec<_>>().join(" · "));
            plain.push('\n');
        }
        start = line_end;
    }
    plain
}

/// Text without the marks of Markdown that are only noise in a line or two: emphasis, code marks, targets of links.
fn unmarked(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['[', '*', '`']) {
        plain.push_str(&rest[..at]);
        let mark = &rest[at..];
        rest = match label_of(mark) {
            Some((label, after)) => {
                plain.push_str(label);
                after
            }
            None if mark.starts_with("**") => &mark[2..],
            None if mark.starts_with('`') => &mark[1..],
            None => {
                plain.push_str(&mark[..1]);
                &mark[1..]
            }
        };
    }
    plain + rest
}

/// The label of the Markdown link that `text` begins with, and what follows the link.
fn label_of(text: &str) -> Option<(&str, &str)> {
    let (label, target) = text.strip_prefix('[')?.split_once("](")?;
    let (_, after) = target.split_once(')')?;
    (!label.contains(['[', ']', '\n'])).then_some((label, after))
}

/// Where the first match begins. Lines are looked at one by one, so that a long text is not folded whole.
fn first_match(text: &str, query: &Query) -> Option<usize> {
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        if offset > MAX_SCANNED {
            return None;
        }
        if let Some(hit) = matches(line, query).first() {
            return Some(offset + hit.start);
        }
        offset += line.len();
    }
    None
}

/// All matches in a stretch of text, in order, none touching another.
fn matches(text: &str, query: &Query) -> Vec<Range<usize>> {
    let folded = Folded::new(text);
    let mut hits: Vec<Range<usize>> = query
        .terms
        .iter()
        .flat_map(|term| &term.needles)
        .flat_map(|needle| folded.find(needle))
        .collect();
    hits.sort_by_key(|hit| (hit.start, hit.end));
    let mut merged: Vec<Range<usize>> = Vec::new();
    for hit in hits {
        match merged.last_mut() {
            Some(before) if hit.start <= before.end => before.end = before.end.max(hit.end),
            _ => merged.push(hit),
        }
    }
    merged
}

/// A text as the index sees it, and where each of its letters came from.
struct Folded<'t> {
    origin: &'t str,
    text: String,
    /// For each byte of `text`, the stretch of `origin` it was made of.
    places: Vec<(usize, usize)>,
}

impl<'t> Folded<'t> {
    fn new(origin: &'t str) -> Self {
        let mut text = String::with_capacity(origin.len());
        let mut places = Vec::with_capacity(origin.len());
        // Letters that normalise together never part at the border of a grapheme.
        for (start, grapheme) in origin.grapheme_indices(true) {
            if grapheme.is_ascii() {
                text.extend(grapheme.chars().map(|c| c.to_ascii_lowercase()));
            } else {
                text.extend(grapheme.nfkc().flat_map(char::to_lowercase));
            }
            places.resize(text.len(), (start, start + grapheme.len()));
        }
        Self { origin, text, places }
    }

    fn find(&self, needle: &str) -> Vec<Range<usize>> {
        let anywhere = needle.starts_with(is_cjk);
        self.text
            .match_indices(needle)
            .filter_map(|(at, found)| {
                let (start, _) = *self.places.get(at)?;
                let (_, end) = *self.places.get(at + found.len() - 1)?;
                (anywhere || self.starts_word(start)).then_some(start..end)
            })
            .collect()
    }

    /// Whether a word, or a part of an identifier, begins here.
    fn starts_word(&self, at: usize) -> bool {
        let Some(before) = self.origin[..at].chars().next_back() else {
            return true;
        };
        let mut after = self.origin[at..].chars();
        let Some(first) = after.next() else {
            return true;
        };
        !is_word(before)
            || is_cjk(before)
            || before == '_'
            || starts_part(before, first, after.next())
    }
}

fn back(text: &str, from: usize, count: usize) -> usize {
    text[..from].grapheme_indices(true).rev().take(count).last().map_or(from, |(start, _)| start)
}

fn forth(text: &str, from: usize, count: usize) -> usize {
    text[from..].grapheme_indices(true).nth(count).map_or(text.len(), |(start, _)| from + start)
}

/// Where the first whole word of a stretch begins; the stretch's own beginning where half of it is one word.
fn word_after(text: &str, stretch: Range<usize>) -> usize {
    let cut = &text[stretch.clone()];
    let is_cut = !text[..stretch.start].ends_with(char::is_whitespace) && stretch.start > 0;
    let blank = cut.find(char::is_whitespace).filter(|at| is_cut && *at <= cut.len() / 2);
    let whole = &cut[blank.unwrap_or(0)..];
    stretch.end - if stretch.start > 0 { whole.trim_start().len() } else { whole.len() }
}

/// Where the last whole word of a stretch ends; the stretch's own end where half of it is one word.
fn word_before(text: &str, stretch: Range<usize>) -> usize {
    let (cut, rest) = (&text[stretch.clone()], &text[stretch.end..]);
    let is_cut = !rest.starts_with(char::is_whitespace) && !rest.is_empty();
    let blank = cut.rfind(char::is_whitespace).filter(|at| is_cut && *at >= cut.len() / 2);
    let whole = &cut[..blank.unwrap_or(cut.len())];
    stretch.start + if rest.is_empty() { whole.len() } else { whole.trim_end().len() }
}

/// Adds a stretch with its blanks made single.
fn push(parts: &mut Vec<SnippetPart>, text: &str, hit: bool) {
    if text.is_empty() {
        return;
    }
    let mut shown = String::with_capacity(text.len());
    let mut blank = parts.last().is_none_or(|part| part.text.ends_with(' '));
    for c in text.chars() {
        if !c.is_whitespace() {
            shown.push(c);
        } else if !blank {
            shown.push(' ');
        }
        blank = c.is_whitespace();
    }
    match parts.last_mut() {
        Some(part) if part.hit == hit => part.text.push_str(&shown),
        _ if shown.is_empty() => {}
        _ => parts.push(SnippetPart { text: shown, hit }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn shown(text: &str, typed: &str) -> String {
        snippet(text, &Query::parse(typed))
            .iter()
            .map(|part| match part.hit {
                true => format!("[{}]", part.text),
                false => part.text.clone(),
            })
            .collect()
    }

    #[rstest]
    #[case("이 컴포넌트를\n  본다", "컴포넌트는", "이 [컴포넌트]를 본다")]
    #[case("part of art, useArt", "art", "part of [art], use[Art]")]
    #[case("call useEffect() now", "useeffect를", "call [useEffect]() now")]
    #[case("\u{1112}\u{1161}\u{11AB}글 문서", "한글", "[\u{1112}\u{1161}\u{11AB}글] 문서")]
    #[case("React컴포넌트", "React컴포", "[React컴포]넌트")]
    #[case("nothing here", "absent", "nothing here")]
    #[case("**굵은** `fn main` [문서](silt:file/a.md?line=3) 끝", "문서", "굵은 fn main [문서] 끝")]
    #[case(
        "| 이름 | 포트 |\n|---|:-:|\n| auth | 5433 |\n끝",
        "5433",
        "이름 · 포트 auth · [5433] 끝"
    )]
    #[case("a || b |\n| grep port |& tee", "port", "a || b | | grep [port] |& tee")]
    #[case("a[i] * b, [open", "open", "a[i] * b, [[open]")]
    #[case("İstanbul ﬁne", "fine", "İstanbul [ﬁne]")]
    fn matches_are_marked_in_the_words_as_written(
        #[case] text: &str,
        #[case] typed: &str,
        #[case] expected: &str,
    ) {
        assert_eq!(shown(text, typed), expected);
    }

    #[test]
    fn a_row_that_is_cut_is_told_without_bars_too() {
        let cells: String = (0..40).map(|n| format!("| **c{n}** ")).collect();
        let shown = shown(&format!("{cells}|\n|{}\n", "---|".repeat(40)), "c20");
        assert!(shown.contains("c19 · [c20] · c21"), "{shown}");
        assert!(!shown.contains(['|', '*']), "{shown}");
    }

    #[rstest]
    #[case("and so on, firmware for models: ", "port", " of the service that listens,")]
    #[case("관측소에서 하루씩 밀린 기록을 ", "배터리", "를 갈기 전과 뒤로 나누어 보면 ")]
    fn a_line_is_cut_between_words(#[case] before: &str, #[case] hit: &str, #[case] after: &str) {
        for spare in 0..8 {
            let text = format!("{}{}{hit}{}", "x".repeat(spare), before.repeat(3), after.repeat(9));
            let shown = shown(&text, hit);
            let shown = shown.trim_matches('…').replace(['[', ']'], "");
            let whole =
                |word: &str| before.contains(word) || format!("{hit}{after}").contains(word);
            assert!(shown.split(' ').all(whole), "{shown}");
            let at = text.find(&shown).expect("a stretch of the text");
            assert!(text[..at].ends_with(' ') && text[at + shown.len()..].starts_with(' '));
        }
    }

    #[test]
    fn where_half_of_it_is_one_word_that_is_cut() {
        let text = format!("{} port {}", "a".repeat(90), "b".repeat(200));
        let shown = shown(&text, "port");
        assert!(shown.starts_with("…aaa") && shown.ends_with("bbb…"), "{shown}");
    }

    #[test]
    fn a_match_far_on_is_shown_with_its_surroundings() {
        let text = format!("{}\n찾을 단어\n{}", "줄 하나\n".repeat(500), "끝 ".repeat(500));
        let shown = shown(&text, "단어");
        assert!(shown.starts_with('…') && shown.ends_with('…'), "{shown}");
        assert!(shown.contains("찾을 [단어]"), "{shown}");
        assert!(shown.chars().count() < BEFORE + AFTER + 10);
    }
}
