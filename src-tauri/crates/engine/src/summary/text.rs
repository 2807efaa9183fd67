//! The texts of `prompts/`, what a message says in a prompt, and how a text is made shorter.

use super::quote::quote;
use crate::message::{Message, Part};

macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident = $file:literal,)*) => {
        /// A text of ours with places in braces.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Text {
            $($(#[$doc])* $name,)*
        }

        impl Text {
            fn template(self, language: &str) -> &'static str {
                let korean = language == "ko";
                match self {
                    $(Self::$name if korean => {
                        include_str!(concat!("../../prompts/ko/", $file, ".md"))
                    }
                    Self::$name => include_str!(concat!("../../prompts/en/", $file, ".md")),)*
                }
            }
        }
    };
}

texts! {
    /// Rolling, before there is a summary.
    First = "summary-first",
    /// Rolling, on top of a summary.
    Next = "summary-next",
    /// Three turns.
    Segment = "summary-segment",
    /// What left the small window, before there is a summary.
    RunningFirst = "summary-running-first",
    /// What left the small window, on top of a summary.
    Running = "summary-running",
    /// Summaries into one of the second level.
    Merge = "summary-merge",
    /// A part of what is too long to be read at once.
    Part = "summary-part",
    /// How lines of a summary are cited.
    Marks = "summary-marks",
    /// What is asked beside it after an answer of no use.
    Again = "summary-again",
    /// How facts follow the summary that they go with.
    Kept = "summary-kept",
    /// How a request introduces the one summary.
    Context = "summary-context",
    /// How the Running design introduces the one summary.
    Line = "summary-line",
    /// How a request introduces many summaries.
    History = "summary-history",
    /// One of many summaries.
    Turns = "summary-turns",
    /// The first line of the Segments design's system prompt.
    System = "summary-system",
}

impl Text {
    /// The text with its places filled.
    pub(super) fn fill(self, language: &str, values: &[(&str, &str)]) -> String {
        filled(self.template(language), values)
    }
}

/// A text of ours with its places in braces filled. What is filled in is never searched for places.
pub(crate) fn filled(template: &str, values: &[(&str, &str)]) -> String {
    let mut rest = template.trim_end();
    let mut filled = String::new();
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let (name, after) = after.split_once('}').unwrap_or((after, ""));
        let value = values.iter().find(|(key, _)| *key == name);
        filled.push_str(value.map_or("", |(_, value)| value));
        rest = after;
    }
    filled.push_str(rest);
    filled
}

/// The language a text is mostly written in: `ko` or `en`.
pub fn language_of(text: &str) -> &'static str {
    let letters = |wanted: fn(char) -> bool| text.chars().filter(|c| wanted(*c)).count();
    let hangul = letters(|c| ('\u{AC00}'..='\u{D7A3}').contains(&c));
    // A Korean sentence about code is half Latin letters, and a syllable says as much as two or three of them.
    if hangul * 3 > letters(|c| c.is_ascii_alphabetic()) && hangul > 0 { "ko" } else { "en" }
}

/// Unicode scalar values of all contents: texts and results of tools (behaviour.md, Segments).
pub(super) fn chars_of(message: &Message) -> u64 {
    let count = |part: &Part| match part {
        Part::Text { text } | Part::Pasted { text, .. } | Part::ToolResult { text, .. } => {
            text.chars().count()
        }
        _ => 0,
    };
    message.parts.iter().map(count).sum::<usize>() as u64
}

/// What a message says to somebody who reads the conversation as one text, quoted.
pub(crate) fn said(message: &Message) -> String {
    let lines = message.parts.iter().filter_map(|part| match part {
        Part::Text { text } | Part::Pasted { text, .. } => Some(quote(text)),
        Part::Image { name, .. } => Some(format!("[Image] {}", quote(name))),
        Part::File { name, .. } => Some(format!("[File] {}", quote(name))),
        Part::ToolCall { name, arguments, .. } => {
            Some(format!("[Tool Call] {}", quote(&format!("{name}({arguments})"))))
        }
        Part::ToolResult { text, .. } => Some(format!("[Tool Result] {}", quote(text))),
        Part::Reasoning { .. } => None,
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The first `limit` characters.
pub fn cut(text: &str, limit: usize) -> &str {
    text.char_indices().nth(limit).map_or(text, |(end, _)| &text[..end])
}

/// At most `limit` characters, ending with a sentence where one ends, else with a word.
pub fn fit(text: &str, limit: usize) -> &str {
    let text = text.trim();
    let short = cut(text, limit);
    if short.len() == text.len() {
        return text;
    }
    let sentence = short.char_indices().rev().find(|(at, c)| {
        let after = &text[at + c.len_utf8()..];
        matches!(c, '.' | '!' | '?' | '。' | '\n') && after.starts_with(char::is_whitespace)
    });
    let end = match sentence {
        Some((at, c)) if at * 2 > short.len() => at + c.len_utf8(),
        _ => short
            .rfind(char::is_whitespace)
            .filter(|at| at * 2 > short.len())
            .unwrap_or(short.len()),
    };
    short[..end].trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("One is kept. Two is cut in the middle", 20, "One is kept.")]
    #[case("첫째 문장이다. 둘째 문장은 길다.", 12, "첫째 문장이다.")]
    #[case("no sentence ends here at all", 13, "no sentence")]
    #[case("aaaaaaaaaa", 4, "aaaa")]
    #[case(" short. ", 400, "short.")]
    fn a_text_is_cut_where_it_reads(#[case] text: &str, #[case] limit: usize, #[case] cut: &str) {
        assert_eq!(fit(text, limit), cut);
    }

    #[rstest]
    #[case("포트는 session.rs의 refresh_token에서 정해요", "ko")]
    #[case("The word 갱신 means refresh", "en")]
    #[case("", "en")]
    fn the_language_is_the_one_mostly_written(#[case] text: &str, #[case] language: &str) {
        assert_eq!(language_of(text), language);
    }

    #[test]
    fn what_is_filled_in_is_not_filled_again() {
        let filled =
            Text::Next.fill("en", &[("previous", "{messages}"), ("messages", "{previous}")]);
        assert!(filled.contains("summary:\n{messages}\n"), "{filled}");
        assert!(filled.ends_with("summary:\n{previous}"), "{filled}");
    }
}
