//! From text to tokens.
//!
//! Text is brought to NFKC and parted into runs. A run of Hangul, Han or Kana becomes its overlapping pairs and then
//! its last character alone: `컴포넌트` is `컴포 포넌 넌트 트`. So a pair of the query is a token, a longer stretch
//! is a phrase of tokens, a single character is the beginning of a token, and the lone last character keeps phrases
//! from reaching over the end of a run. A run of other letters, digits and underscores is one lower-case token; if it
//! is an identifier of several parts, those are kept apart from the body, where they cannot break a phrase.

use unicode_normalization::char::is_combining_mark;
use unicode_normalization::{UnicodeNormalization, is_nfkc};

/// Characters of a token at most. Longer runs are data; both sides cut them, so their beginnings are still found.
const MAX_TOKEN: usize = 64;

/// What an index stores of a text: tokens parted by blanks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexText {
    /// All tokens, in order.
    pub body: String,
    /// The parts of identifiers.
    pub parts: String,
}

/// The tokens of a text.
pub fn index_text(text: &str) -> IndexText {
    let mut index = IndexText::default();
    for run in runs(text) {
        push_run(&mut index.body, &run);
        if !run.cjk {
            for part in parts(&run.text) {
                push(&mut index.parts, &token(part));
            }
        }
    }
    index
}

/// The tokens of a run.
fn push_run(body: &mut String, run: &Run) {
    if run.cjk {
        for token in pairs(&run.text) {
            push(body, &token);
        }
        push(body, last(&run.text));
    } else {
        push(body, &token(&run.text));
    }
}

fn push(tokens: &mut String, token: &str) {
    if !tokens.is_empty() {
        tokens.push(' ');
    }
    tokens.push_str(token);
}

/// A stretch of characters that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    /// Whether it is of a script that is written without blanks, or with particles attached.
    pub(crate) cjk: bool,
    /// NFKC, in the writer's case.
    pub(crate) text: String,
}

/// The runs of a text.
pub(crate) fn runs(text: &str) -> Vec<Run> {
    let mut runs = Runs::of(usize::MAX);
    if text.chars().all(is_plain) || is_nfkc(text) {
        text.chars().all(|c| runs.take(c));
    } else {
        text.nfkc().all(|c| runs.take(c));
    }
    runs.done()
}

/// The first tokens of the body of a text; what follows them is not looked at.
pub(super) fn first_tokens(text: &str, most: usize) -> Vec<String> {
    let mut runs = Runs::of(most);
    let mut plain = true;
    let looked = text.chars().all(|c| {
        plain = is_plain(c);
        plain && runs.take(c)
    });
    if !looked && !plain {
        runs = Runs::of(most);
        text.nfkc().all(|c| runs.take(c));
    }
    let mut body = String::new();
    runs.done().iter().for_each(|run| push_run(&mut body, run));
    body.split(' ').filter(|token| !token.is_empty()).take(most).map(str::to_owned).collect()
}

/// Runs as they are found, until there are as many as are wanted.
struct Runs {
    found: Vec<Run>,
    open: bool,
    /// How many are whole and no lines of underscores.
    whole: usize,
    most: usize,
}

impl Runs {
    fn of(most: usize) -> Self {
        Self { found: Vec::new(), open: false, whole: 0, most }
    }

    /// Takes the next character; whether more are wanted.
    fn take(&mut self, c: char) -> bool {
        let continues = self.open && is_combining_mark(c);
        let cjk = is_cjk(c);
        if !continues && !cjk && !is_word(c) {
            self.open = false;
            return true;
        }
        match self.found.last_mut() {
            Some(run) if self.open && (continues || run.cjk == cjk) => run.text.push(c),
            last => {
                self.whole += usize::from(last.is_some_and(|run| run.is_word()));
                if self.whole == self.most {
                    return false;
                }
                self.found.push(Run { cjk, text: c.into() });
            }
        }
        self.open = true;
        true
    }

    fn done(mut self) -> Vec<Run> {
        self.found.retain(Run::is_word);
        self.found
    }
}

impl Run {
    /// Underscores alone are a line, not a word.
    fn is_word(&self) -> bool {
        self.cjk || self.text.contains(|c| c != '_')
    }
}

/// A run of letters as one token.
pub(crate) fn token(word: &str) -> String {
    word.chars().flat_map(char::to_lowercase).take(MAX_TOKEN).collect()
}

/// The overlapping pairs of a run.
pub(crate) fn pairs(run: &str) -> impl Iterator<Item = String> {
    run.chars().zip(run.chars().skip(1)).map(|(first, second)| String::from_iter([first, second]))
}

/// The last character of a run.
pub(super) fn last(run: &str) -> &str {
    run.char_indices().next_back().map_or("", |(start, _)| &run[start..])
}

/// The parts of an identifier; none for a plain word.
pub(crate) fn parts(word: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut chars = word.char_indices().peekable();
    let mut before: Option<char> = None;
    while let Some((at, c)) = chars.next() {
        let after = chars.peek().map(|(_, c)| *c);
        if c == '_' || before.is_some_and(|before| starts_part(before, c, after)) {
            if start < at {
                parts.push(&word[start..at]);
            }
            start = if c == '_' { at + 1 } else { at };
        }
        before = Some(c);
    }
    if start < word.len() {
        parts.push(&word[start..]);
    }
    if parts.len() == 1 && parts[0].len() == word.len() {
        parts.clear();
    }
    parts
}

/// Whether a part of an identifier begins with `c`: `useEffect`, `HTTPServer`, `utf8`.
pub(super) fn starts_part(before: char, c: char, after: Option<char>) -> bool {
    if c.is_numeric() != before.is_numeric() {
        return before != '_';
    }
    c.is_uppercase()
        && (before.is_lowercase()
            || (before.is_uppercase() && after.is_some_and(char::is_lowercase)))
}

/// Whether a character is its own NFKC wherever it stands among others of these, and has no lower case unless it is ASCII:
/// nearly all that is written, so that tables are asked for the rest alone.
pub(super) fn is_plain(c: char) -> bool {
    c.is_ascii()
        || matches!(c,
            '\u{AC00}'..='\u{D7A3}'     // Hangul syllables
            | '\u{4E00}'..='\u{9FFF}'   // Han
            | '\u{2013}' | '\u{2014}'   // dashes
            | '\u{2018}'..='\u{201D}'   // quotes
            | '\u{2022}' | '\u{2190}'..='\u{2193}' | '\u{3001}' | '\u{3002}'
        )
}

/// Whether a character belongs to a run of pairs.
pub(super) fn is_cjk(c: char) -> bool {
    matches!(c,
        '\u{1100}'..='\u{11FF}'     // Hangul letters
        | '\u{2E80}'..='\u{2FDF}'   // Han radicals
        | '\u{3005}'..='\u{3007}'   // Han iteration mark, closing mark, zero
        | '\u{3041}'..='\u{30FF}'   // Kana
        | '\u{3105}'..='\u{318F}'   // Bopomofo, Hangul letters that stand alone
        | '\u{31A0}'..='\u{31FF}'   // more of both and of Kana
        | '\u{3400}'..='\u{4DBF}'   // Han
        | '\u{4E00}'..='\u{9FFF}'
        | '\u{A960}'..='\u{A97F}'   // old Hangul
        | '\u{AC00}'..='\u{D7FF}'   // Hangul syllables
        | '\u{F900}'..='\u{FAFF}'   // Han
        | '\u{20000}'..='\u{3FFFF}'
    ) && c != '\u{30FB}' // the middle dot parts words
}

/// Whether a character belongs to a word of any other script.
pub(super) fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("컴포넌트는", "컴포 포넌 넌트 트는 는", "")]
    #[case("useEffect를 본다", "useeffect 를 본다 다", "use effect")]
    #[case(
        "snake_case HTTPServer2 kebab-case",
        "snake_case httpserver2 kebab case",
        "snake case http server 2"
    )]
    #[case("__init__ ___ plain", "__init__ plain", "init")]
    #[case("ＡＢＣ ｶﾅ", "abc カナ ナ", "")]
    #[case("café 3.14", "café 3 14", "")]
    #[case("\u{1112}\u{1161}\u{11AB}글", "한글 글", "")]
    fn text_becomes_tokens(#[case] text: &str, #[case] body: &str, #[case] parts: &str) {
        let index = index_text(text);
        assert_eq!((index.body.as_str(), index.parts.as_str()), (body, parts));
    }

    #[test]
    fn what_is_taken_for_plain_is_its_own_form() {
        let plain: String = ('\0'..=char::MAX).filter(|c| is_plain(*c)).collect();
        assert!(is_nfkc(&plain));
        assert!(plain.chars().all(|c| !is_combining_mark(c)));
        assert_eq!(plain.to_lowercase(), plain.to_ascii_lowercase());
        // The first of two Hangul syllables never takes a letter of the second.
        assert!(is_nfkc("가각하힣漢字—“x”"));
    }

    #[rstest]
    #[case("fn main() { 컴포넌트 } __ x", 5)]
    #[case("___ a_b ____ 넌트Re 트", 4)]
    #[case("ＡＢＣ ｶﾅ then more", 3)]
    #[case("e\u{301}t\u{301}e\u{301} \u{1112}\u{1161}\u{11AB}글 — end", 9)]
    #[case("plain then ｶﾅ", 2)]
    #[case("", 2)]
    fn the_first_tokens_are_those_of_the_whole(#[case] text: &str, #[case] most: usize) {
        let body = index_text(text).body;
        let all: Vec<&str> = body.split(' ').filter(|token| !token.is_empty()).collect();
        for most in 0..=most + 2 {
            assert_eq!(first_tokens(text, most), all[..most.min(all.len())], "{most}");
        }
    }

    #[test]
    fn a_long_run_is_cut() {
        assert_eq!(index_text(&"x".repeat(10_000)).body.len(), MAX_TOKEN);
    }
}
