//! What a person types into a search field, as phrases of tokens.
//!
//! Words are parted by blanks and must all be there; `"words in quotes"` must stand together. A Latin word is found by
//! its beginning, Korean, Chinese and Japanese anywhere. A word that ends in a Korean particle is also looked for
//! without it.

use super::particle;
use super::tokenise::{Run, last, pairs, runs, token};

/// A query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// All of these must match; none means that nothing was asked.
    pub terms: Vec<Term>,
}

/// One word or quoted phrase of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// One of these must match; the first is the word as typed.
    pub alternatives: Vec<Phrase>,
    /// What to highlight, best first, in lower case.
    pub(super) needles: Vec<String>,
}

/// Tokens that stand one after the other.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Phrase {
    /// The tokens.
    pub tokens: Vec<String>,
    /// Whether the last token may go on: it is the beginning of a word.
    pub open: bool,
}

impl Query {
    /// Reads what was typed. Any text is a query; marks other than quotes only part words.
    pub fn parse(typed: &str) -> Self {
        let mut terms = Vec::new();
        let mut rest = typed;
        while let Some((before, quoted)) = rest.split_once('"') {
            terms.extend(before.split_whitespace().filter_map(word));
            // While the closing quote is not typed yet, the last word may go on.
            let (inside, closed, after) = match quoted.split_once('"') {
                Some((inside, after)) => (inside, true, after),
                None => (quoted, false, ""),
            };
            terms.extend(Term::new(&runs(inside), !closed));
            rest = after;
        }
        terms.extend(rest.split_whitespace().filter_map(word));
        Self { terms }
    }
}

/// A word outside of quotes, with its stem.
fn word(typed: &str) -> Option<Term> {
    let runs = runs(typed);
    let mut term = Term::new(&runs, true)?;
    if let Some((ending, before)) = runs.split_last().filter(|(last, _)| last.cjk) {
        let stemmed = if let Some(stem) = particle::stem(&ending.text) {
            let mut stemmed = before.to_vec();
            stemmed.push(Run { cjk: true, text: stem.to_owned() });
            Some(stemmed)
        } else {
            let attached = !before.is_empty() && particle::is_ending(&ending.text);
            attached.then(|| before.to_vec())
        };
        if let Some(stem) = stemmed.and_then(|runs| Term::new(&runs, true)) {
            term.alternatives.extend(stem.alternatives);
            term.needles.extend(stem.needles);
        }
    }
    Some(term)
}

impl Term {
    fn new(runs: &[Run], open: bool) -> Option<Self> {
        let phrase = Phrase::new(runs, open)?;
        let mut needles: Vec<String> = Vec::new();
        if let [run] = runs {
            needles.push(fold(&run.text));
        } else {
            // Where runs stand together a highlight of each makes one of the whole.
            needles.extend(runs.iter().map(|run| fold(&run.text)));
        }
        Some(Self { alternatives: vec![phrase], needles })
    }
}

fn fold(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).collect()
}

impl Phrase {
    /// The tokens that a text holding these runs has one after the other; `None` if there is no run.
    pub(super) fn new(runs: &[Run], open: bool) -> Option<Self> {
        let (end, before) = runs.split_last()?;
        let mut tokens = Vec::new();
        for run in before {
            if run.cjk {
                tokens.extend(pairs(&run.text));
                tokens.push(last(&run.text).to_owned());
            } else {
                tokens.push(token(&run.text));
            }
        }
        let open = if end.cjk {
            let count = tokens.len();
            tokens.extend(pairs(&end.text));
            let single = tokens.len() == count;
            if single {
                tokens.push(end.text.clone());
            }
            single
        } else {
            tokens.push(token(&end.text));
            open
        };
        Some(Self { tokens, open })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn shown(query: &Query) -> String {
        let phrase = |phrase: &Phrase| {
            let open = if phrase.open { "*" } else { "" };
            format!("{}{open}", phrase.tokens.join("+"))
        };
        let term = |term: &Term| {
            let all: Vec<String> = term.alternatives.iter().map(phrase).collect();
            all.join("|")
        };
        query.terms.iter().map(term).collect::<Vec<_>>().join(" ")
    }

    #[rstest]
    #[case("useEff", "useeff*")]
    #[case("컴", "컴*")]
    #[case("상태 관리", "상태 관리")]
    #[case("컴포넌트는", "컴포+포넌+넌트+트는|컴포+포넌+넌트")]
    #[case("useEffect를", "useeffect+를*|useeffect*")]
    #[case("React컴포", "react+컴포")]
    #[case("컴포Re", "컴포+포+re*")]
    #[case("\"fn main\" x", "fn+main x*")]
    #[case("\"fn ma", "fn+ma*")]
    #[case("AND OR NEAR( *", "and* or* near*")]
    #[case("?! \"\"", "")]
    fn typed_text_becomes_phrases(#[case] typed: &str, #[case] expected: &str) {
        assert_eq!(shown(&Query::parse(typed)), expected);
    }
}
