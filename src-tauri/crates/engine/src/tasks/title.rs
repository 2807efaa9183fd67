//! A title that a model gives a conversation. Without one, [`crate::title::derive`] makes it of the question.

use super::in_language;
use crate::summary::{filled, fit};
use crate::title;

/// Most characters of question and answer that are shown.
const SHOWN_CHARS: usize = 2_000;

const BODY: [&str; 2] =
    [include_str!("../../prompts/en/title.md"), include_str!("../../prompts/ko/title.md")];

/// What a model is asked for a title with.
pub fn title_body(question: &str, answer: &str, language: &str) -> String {
    let (question, answer) = (fit(question, SHOWN_CHARS), fit(answer, SHOWN_CHARS));
    filled(in_language(BODY, language), &[("question", question), ("answer", answer)])
}

/// The title of an answer; `None` where it is none.
pub fn title_of(answer: &str) -> Option<String> {
    let marks = ['"', '\'', '“', '”', '‘', '’', '「', '」', '『', '』', '*', '.', ' '];
    let line =
        answer.lines().map(|line| line.trim().trim_matches(marks)).find(|it| !it.is_empty())?;
    let line =
        ["Title:", "제목:"].iter().find_map(|label| line.strip_prefix(label)).unwrap_or(line);
    let title = title::derive(line.trim().trim_matches(marks));
    (!title.is_empty()).then_some(title)
}
