//! Where sentences end, in Korean and English.
//!
//! A sentence is a slice of its text: nothing is trimmed but blanks around it, nothing is rewritten. A line end closes
//! a sentence, since chats and lists are written so, unless the next line goes on in small letters as wrapped English
//! does. A fenced code block is one unit, because half of one is wrong; so is what stands between backticks in a line.

/// A stretch of a text that stands for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sentence<'a> {
    /// The stretch, without blanks around it.
    pub text: &'a str,
    /// Whether it is a fenced code block.
    pub code: bool,
}

/// Words whose full stop does not end a sentence.
const SHORTENED: [&str; 12] =
    ["approx", "cf", "dr", "e.g", "eg", "fig", "i.e", "ie", "mr", "mrs", "prof", "vs"];

/// The sentences of a text, in order. Linear in its length.
pub fn sentences(text: &str) -> Vec<Sentence<'_>> {
    let mut found = Vec::new();
    let mut prose = 0..0;
    let mut fence: Option<Fence<'_>> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        match &fence {
            Some(open) if open.is_closed_by(line) => {
                push(&mut found, &text[open.start..end], true);
                fence = None;
                prose = end..end;
            }
            Some(_) => {}
            None => match Fence::opened_by(line, at) {
                Some(open) => {
                    split(&text[prose.start..at], &mut found);
                    fence = Some(open);
                }
                None => prose.end = end,
            },
        }
        at = end;
    }
    match fence {
        // A reply that was cut off in the middle of a block.
        Some(open) => push(&mut found, &text[open.start..], true),
        None => split(&text[prose], &mut found),
    }
    found
}

/// A sentence without what lists, quotes and headings begin a line with.
pub(crate) fn bare(sentence: &str) -> &str {
    let said = sentence.trim_start_matches(['-', '*', '>', '#', '•', ' ', '\t']);
    let digits = said.bytes().take_while(u8::is_ascii_digit).count();
    match said[digits..].strip_prefix(['.', ')']) {
        Some(rest) if digits > 0 && rest.starts_with(' ') => rest.trim_start(),
        _ => said,
    }
}

/// Whether a text is one fenced code block, as [`sentences`] gives it.
pub(crate) fn is_code(text: &str) -> bool {
    Fence::opened_by(text.lines().next().unwrap_or_default(), 0).is_some()
}

/// The beginning of a code block.
pub(crate) struct Fence<'a> {
    start: usize,
    mark: &'a str,
}

impl<'a> Fence<'a> {
    /// The block that a line at `start` begins, if it begins one.
    pub(crate) fn opened_by(line: &'a str, start: usize) -> Option<Self> {
        let mark = run_of_marks(line);
        let inline = mark.starts_with('`') && line.trim_start()[mark.len()..].contains('`');
        (mark.len() >= 3 && !inline).then_some(Self { start, mark })
    }

    pub(crate) fn is_closed_by(&self, line: &str) -> bool {
        let mark = run_of_marks(line);
        mark.starts_with(self.mark) && line.trim() == mark
    }
}

/// The backticks or tildes that a line begins with.
fn run_of_marks(line: &str) -> &str {
    let line = line.trim_start();
    let end = match line.chars().next() {
        Some(mark @ ('`' | '~')) => line.find(|c| c != mark).unwrap_or(line.len()),
        _ => 0,
    };
    &line[..end]
}

fn push<'a>(found: &mut Vec<Sentence<'a>>, text: &'a str, code: bool) {
    let text = text.trim();
    if !text.is_empty() {
        found.push(Sentence { text, code });
    }
}

/// Splits prose, which has no code blocks.
fn split<'a>(prose: &'a str, found: &mut Vec<Sentence<'a>>) {
    let mut start = 0;
    let mut chars = prose.char_indices().peekable();
    let mut before = None;
    while let Some((at, c)) = chars.next() {
        let ends = match c {
            '`' => {
                let end = span_end(prose, at);
                while chars.next_if(|(at, _)| *at < end).is_some() {}
                false
            }
            // `... FAILED`, `cd . && make`: a full stop belongs to the word before it.
            '.' | '…' if before.is_some_and(char::is_whitespace) => {
                while chars.next_if(|(_, c)| *c == '.').is_some() {}
                false
            }
            '\n' => !continues(&prose[at + 1..]),
            '。' | '！' | '？' => {
                while chars.next_if(|(_, c)| is_closing(*c)).is_some() {}
                true
            }
            '.' | '!' | '?' | '…' => {
                while chars.next_if(|(_, c)| matches!(c, '.' | '!' | '?' | '…')).is_some() {}
                while chars.next_if(|(_, c)| is_closing(*c)).is_some() {}
                match chars.peek() {
                    None => true,
                    Some((next, after)) if after.is_whitespace() => {
                        // A Korean sentence may begin with a Latin name in small letters.
                        before.is_some_and(is_hangul)
                            || !(continues(prose[*next..].trim_start())
                                || c == '.' && is_shortened(&prose[start..at]))
                    }
                    // Korean is often written without a blank after the full stop.
                    Some((_, after)) => before.is_some_and(is_hangul) && is_hangul(*after),
                }
            }
            _ => false,
        };
        if ends {
            let end = chars.peek().map_or(prose.len(), |(next, _)| *next);
            push(found, &prose[start..end], false);
            start = end;
        }
        before = Some(c);
    }
    push(found, &prose[start..], false);
}

/// Where the code span ends that backticks begin; after them where none does.
fn span_end(prose: &str, at: usize) -> usize {
    const NEAR: usize = 400;
    let near = &prose[at..prose.floor_char_boundary(at + NEAR)];
    let line = near.split('\n').next().unwrap_or_default();
    let run = run_of_marks(line);
    let after = &line[run.len()..];
    let closes = after.match_indices(run).find(|(at, _)| !after[at + run.len()..].starts_with('`'));
    at + run.len() + closes.map_or(0, |(at, _)| at + run.len())
}

/// Whether what begins like this goes on with the sentence before.
fn continues(rest: &str) -> bool {
    rest.trim_start_matches([' ', '\t']).starts_with(|c: char| c.is_ascii_lowercase())
}

/// Whether the full stop after this belongs to a shortened word, an initial or a list's number.
fn is_shortened(before: &str) -> bool {
    let before = before.trim_start();
    let word = before.rsplit(char::is_whitespace).next().unwrap_or(before);
    let number = word.len() == before.len() && word.bytes().all(|b| b.is_ascii_digit());
    let word = word.trim_start_matches(['(', '"', '\'']);
    let initial = word.len() == 1 && word.bytes().all(|b| b.is_ascii_uppercase());
    number || initial || SHORTENED.contains(&word.to_ascii_lowercase().as_str())
}

fn is_closing(c: char) -> bool {
    matches!(c, '"' | '\'' | ')' | ']' | '*' | '_' | '`' | '”' | '’' | '」' | '』' | '）')
}

fn is_hangul(c: char) -> bool {
    matches!(c, '\u{AC00}'..='\u{D7A3}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("One. Two! Three? Four", &["One.", "Two!", "Three?", "Four"])]
    #[case("세션을 고쳤어요. 테스트는요? 통과했습니다!", &["세션을 고쳤어요.", "테스트는요?", "통과했습니다!"])]
    #[case("고쳤다.그리고 배포했다。끝", &["고쳤다.", "그리고 배포했다。", "끝"])]
    #[case("봤어요. useEffect를 고쳐요.", &["봤어요.", "useEffect를 고쳐요."])]
    #[case("Use v1.2 of a.rs, e.g. Rust. See Fig. 3 by J. Doe.", &["Use v1.2 of a.rs, e.g. Rust.", "See Fig. 3 by J. Doe."])]
    #[case("Use `a. B` first. Then `cd . && make` ... FAILED", &["Use `a. B` first.", "Then `cd . && make` ... FAILED"])]
    #[case("`open. Then not", &["`open.", "Then not"])]
    #[case("1. First\n2. Second. Third", &["1. First", "2. Second.", "Third"])]
    #[case("He said \"no.\" Then (really!) he left.", &["He said \"no.\"", "Then (really!) he left."])]
    #[case("It was wrapped\nhere. A new one\nBegins", &["It was wrapped\nhere.", "A new one", "Begins"])]
    #[case("한다.」 다음\n* 항목\n\"인용\"", &["한다.」", "다음", "* 항목", "\"인용\""])]
    #[case("끝。」 다음　말. 또", &["끝。」", "다음　말.", "또"])]
    #[case("Wait... what?! Yes…", &["Wait... what?!", "Yes…"])]
    #[case("  \n\n \t", &[])]
    fn sentences_end_where_a_reader_stops(#[case] text: &str, #[case] expected: &[&str]) {
        let found: Vec<&str> = sentences(text).iter().map(|sentence| sentence.text).collect();
        assert_eq!(found, expected);
    }

    #[rstest]
    #[case("Run it. Then:\n```rust\nlet a = 1. ;\n\nb()\n```\nDone.", &[false, false, true, false])]
    #[case("~~~~\n```\n~~~~\nafter", &[true, false])]
    #[case("cut off\n```\nhalf. a block", &[false, true])]
    #[case("```inline``` is not one\nA. B", &[false, false])]
    #[case("inline ``` is not a block. Right", &[false, false])]
    fn a_code_block_is_one_unit(#[case] text: &str, #[case] expected: &[bool]) {
        let found: Vec<bool> = sentences(text).iter().map(|sentence| sentence.code).collect();
        assert_eq!(found, expected, "{:?}", sentences(text));
    }

    proptest! {
        #[test]
        fn sentences_are_all_of_a_text_but_blanks(text in "([a-zA가-힣.!?…。\n\u{3000}\u{a0} *)`~1\"']|```\n|다\\. ){0,40}") {
            let found = sentences(&text);
            let kept: String = found.iter().flat_map(|sentence| sentence.text.chars()).collect();
            let visible = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(visible(&kept), visible(&text));
            prop_assert!(found.iter().all(|sentence| !sentence.text.is_empty()));
        }
    }
}
