//! Finds the stretches of the sections that have most in common with a question.
//!
//! A section is cut into pieces (a line, or part of a very long one). A stretch starts at a piece with a hit and takes
//! in what belongs to it. Rare words weigh more than frequent ones. Every quote is one unbroken substring of its
//! section's text.

use std::collections::HashSet;
use std::ops::Range;

use siltstone_engine::message::Role;
use siltstone_engine::section::{PassageOf, Reason, Section, SectionKind};

use super::question::{self, Form};

/// Quotes an answer has at most.
const MOST: usize = 5;
/// Pieces a quote has at most.
const PIECES: usize = 6;
/// Characters a piece has at most; longer lines are cut at a blank.
const PIECE_CHARS: usize = 400;
/// Bytes after which a quote takes in no further piece.
const QUOTE_BYTES: usize = 900;
/// Lines above a hit that are taken in when its paragraph begins there.
const ABOVE: usize = 3;
/// Share of the best score below which a stretch is not worth quoting.
const WORTH_QUOTING: f64 = 0.5;
/// What a question asked earlier is worth beside a statement.
const ASKED_BEFORE: f64 = 0.4;

/// Worth from which a recalled passage is quoted that shares no word with the question: it means the same.
const MEANS_THE_SAME: u32 = 50;

/// Whether a section is a passage of what was said before.
pub(super) fn is_recalled(section: &Section) -> bool {
    PassageOf::named(&section.id).is_some()
}

/// What was said, without the heading that we put above it.
pub(super) fn said(section: &Section) -> &str {
    let headed = is_recalled(section).then(|| section.text.split_once('\n')).flatten();
    headed.map_or(section.text.as_str(), |(_, said)| said)
}

/// A stretch worth quoting.
#[derive(Debug)]
pub(super) struct Quote<'a> {
    pub section: &'a Section,
    /// Exactly as it stands in the section.
    pub text: &'a str,
    /// Line ends before it in the section.
    pub lines_before: usize,
}

struct Piece<'a> {
    text: &'a str,
    range: Range<usize>,
    /// Words of the question that stand in it, as indices, each with what its best form is worth there.
    hits: Vec<(usize, usize)>,
}

/// A section, cut.
struct Cut<'a> {
    section: &'a Section,
    pieces: Vec<Piece<'a>>,
}

/// A possible quote: which section, which pieces, how good.
struct Stretch {
    cut: usize,
    pieces: Range<usize>,
    score: f64,
}

/// The best stretches, best first.
pub(super) fn find<'a>(question: &str, sections: &[&'a Section]) -> Vec<Quote<'a>> {
    let words = question::words_of(question);
    let cuts: Vec<Cut<'a>> = sections.iter().map(|section| cut(section, &words)).collect();
    let weights = weights(&words, &cuts);
    let mut stretches: Vec<Stretch> = Vec::new();
    for (index, cut) in cuts.iter().enumerate() {
        for hit in (0..cut.pieces.len()).filter(|at| !cut.pieces[*at].hits.is_empty()) {
            let pieces = around(cut, hit);
            let score = score(cut, &pieces, &weights);
            stretches.push(Stretch { cut: index, pieces, score });
        }
    }
    let best = stretches.iter().map(|stretch| stretch.score).fold(0.0, f64::max);
    for (index, cut) in cuts.iter().enumerate() {
        if let Some(worth) = worth(cut.section).filter(|worth| *worth >= MEANS_THE_SAME)
            && cut.pieces.iter().all(|piece| piece.hits.is_empty())
            && let Some(first) = cut.pieces.iter().position(|it| !it.text.trim().is_empty())
        {
            let most = if best > 0.0 { best } else { 1.0 };
            let score = most * f64::from(worth) / 100.0;
            stretches.push(Stretch { cut: index, pieces: around(cut, first), score });
        }
    }
    // The sort is stable: among equals the order of the sections stands, passages by rank before messages.
    stretches.sort_by(|a, b| b.score.total_cmp(&a.score));
    let enough = stretches.first().map_or(0.0, |best| best.score * WORTH_QUOTING);
    let mut quotes: Vec<Quote<'a>> = Vec::new();
    for stretch in stretches.iter().filter(|stretch| stretch.score >= enough) {
        let quote = quote(&cuts[stretch.cut], &stretch.pieces);
        if !quotes.iter().any(|other| says_the_same(other, &quote)) {
            quotes.push(quote);
        }
        if quotes.len() == MOST {
            break;
        }
    }
    quotes
}

fn cut<'a>(section: &'a Section, words: &[Vec<Form>]) -> Cut<'a> {
    let mut pieces = Vec::new();
    let mut start = section.text.len() - said(section).len();
    for line in said(section).split_inclusive('\n') {
        let text = line.trim_end_matches(['\n', '\r']);
        for part in parts(text) {
            let range = start + part.start..start + part.end;
            pieces.push(piece(&section.text[range.clone()], range, words));
        }
        start += line.len();
    }
    Cut { section, pieces }
}

/// A long line in parts, cut after a blank where there is one. An empty line is one empty part.
fn parts(line: &str) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = 0;
    while let Some((end, _)) = line[start..].char_indices().nth(PIECE_CHARS) {
        let blank = line[start..start + end].rfind(' ').map(|at| at + 1);
        let end = start + blank.filter(|at| *at > end / 2).unwrap_or(end);
        parts.push(start..end);
        start = end;
    }
    parts.push(start..line.len());
    parts
}

fn piece<'a>(text: &'a str, range: Range<usize>, words: &[Vec<Form>]) -> Piece<'a> {
    let lower = text.to_lowercase();
    let in_it = question::words_in(&lower);
    let hits = words
        .iter()
        .enumerate()
        .filter_map(|(word, forms)| {
            let form = forms.iter().position(|form| form.is_in(&lower, &in_it))?;
            Some((word, form))
        })
        .collect();
    Piece { text, range, hits }
}

/// What a hit of each word in each form is worth: the rarer, the more.
fn weights(words: &[Vec<Form>], cuts: &[Cut<'_>]) -> Vec<Vec<f64>> {
    let mut found = vec![0_u32; words.len()];
    let mut all = 0_u32;
    for piece in cuts.iter().flat_map(|cut| &cut.pieces) {
        all += 1;
        for (word, _) in &piece.hits {
            found[*word] += 1;
        }
    }
    words
        .iter()
        .zip(found)
        .map(|(forms, found)| {
            let rarity = (1.0 + f64::from(all) / f64::from(found.max(1))).ln();
            forms.iter().map(|form| form.worth * rarity).collect()
        })
        .collect()
}

/// Each word counts once, in its best form.
fn score(cut: &Cut<'_>, pieces: &Range<usize>, weights: &[Vec<f64>]) -> f64 {
    let pieces = &cut.pieces[pieces.clone()];
    let total: f64 = (0..weights.len())
        .map(|word| {
            pieces
                .iter()
                .flat_map(|piece| &piece.hits)
                .filter(|(hit, _)| *hit == word)
                .map(|(_, form)| weights[word][*form])
                .fold(0.0, f64::max)
        })
        .sum();
    let asks = pieces.iter().any(|piece| piece.text.trim_end().ends_with(['?', '？']));
    let asked = cut.section.kind == SectionKind::Turn && cut.section.role == Role::User;
    let total =
        if asks && (asked || is_recalled(cut.section)) { total * ASKED_BEFORE } else { total };
    match worth(cut.section) {
        Some(worth) => total * (0.7 + 0.6 * f64::from(worth) / 100.0),
        None => total,
    }
}

/// What a recalled passage is worth to the question.
fn worth(section: &Section) -> Option<u32> {
    match section.reason {
        Reason::Recalled { worth, .. } => Some(worth),
        _ => None,
    }
}

/// The pieces to quote for a hit: from the start of its paragraph, if that is near, to its end. What a heading or a
/// line that ends with a colon announces comes along.
fn around(cut: &Cut<'_>, hit: usize) -> Range<usize> {
    let pieces = &cut.pieces;
    let mut start = hit;
    while hit - start < ABOVE && start > 0 && runs_on(pieces[start - 1].text, pieces[start].text) {
        start -= 1;
    }
    // The paragraph begins too far above: better begin with the hit itself.
    if start > 0 && runs_on(pieces[start - 1].text, pieces[start].text) {
        start = hit;
    }
    let mut end = hit + 1;
    let mut announced = announces(pieces[hit].text);
    while end < pieces.len() && end - start < PIECES {
        let text = pieces[end].text;
        let so_far = pieces[end - 1].range.end - pieces[start].range.start;
        let over = text.trim().is_empty() || is_heading(text) || so_far > QUOTE_BYTES;
        if over && !(announced && text.trim().is_empty()) {
            break;
        }
        announced = announced && text.trim().is_empty();
        end += 1;
    }
    // Neither blanks nor further entries of a list without a hit.
    while end > hit + 1 {
        let last = &pieces[end - 1];
        let empty = last.text.trim().is_empty();
        let idle_entry = last.hits.is_empty() && is_entry(last.text) && is_entry(pieces[hit].text);
        if !empty && !idle_entry {
            break;
        }
        end -= 1;
    }
    start..end
}

/// Whether a line belongs to the same paragraph as the line above it.
fn runs_on(above: &str, line: &str) -> bool {
    !above.trim().is_empty() && !is_heading(above) && !is_heading(line) && !is_entry(line)
}

fn is_heading(line: &str) -> bool {
    line.starts_with('#')
}

fn is_entry(line: &str) -> bool {
    let line = line.trim_start();
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    line.starts_with(['-', '*', '+', '|'])
        || (digits.len() < line.len() && digits.starts_with(['.', ')']))
}

fn announces(line: &str) -> bool {
    is_heading(line) || line.trim_end().ends_with(':')
}

fn quote<'a>(cut: &Cut<'a>, pieces: &Range<usize>) -> Quote<'a> {
    let first = cut.pieces[pieces.start].range.start;
    let last = cut.pieces[pieces.end - 1].range.end;
    let text = &cut.section.text;
    Quote {
        section: cut.section,
        text: &text[first..last],
        lines_before: text[..first].matches('\n').count(),
    }
}

/// Whether two quotes overlap or repeat each other, also when a file came both as memory and as passage.
fn says_the_same(a: &Quote<'_>, b: &Quote<'_>) -> bool {
    let lines = |quote: &Quote<'_>| -> HashSet<String> {
        let lines = quote.text.lines().map(|line| line.trim().to_owned());
        lines.filter(|line| !line.is_empty()).collect()
    };
    let (a, b) = (lines(a), lines(b));
    a.intersection(&b).count() * 2 > a.len().min(b.len())
}
