//! Thoughts that a model writes into its answer between marks, which a server leaves there that knows nothing of thinking.
//! A person does not want them as the answer, and a model is not asked with them again.
//!
//! Only what a reply begins with is one: a mark that is talked about later is text like any other. Deliberately absent: an
//! end without a beginning, which some servers send because the beginning was in the prompt; by then all of it was shown.

/// Where thoughts begin and end, as models were taught: DeepSeek R1, Qwen 3 and most others; those before them; Magistral;
/// Kimi.
const MARKS: [(&str, &str); 4] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
];

/// What an answer turns out to be made of.
#[derive(Debug, PartialEq)]
pub(crate) enum Said {
    Thought(String),
    Answer(String),
}

/// The text of a reply, as it is read. What may be the beginning of a mark waits until it is known.
#[derive(Default)]
pub(crate) struct Thoughts {
    at: At,
    /// In the pieces in which it came, so that an answer leaves as it would without us.
    held: Vec<String>,
}

#[derive(Clone, Copy, Default)]
enum At {
    /// Nothing but blanks came, or the beginning of a mark.
    #[default]
    Begin,
    /// Behind a mark, before the first word of a thought that ends with this one: many begin one and have none.
    Opened(&'static str),
    Thought(&'static str),
    /// Behind it, before the first word of the answer.
    Between,
    Answer,
}

impl Thoughts {
    /// More of the text; what of it is known now, in order.
    pub(crate) fn hear(&mut self, text: &str) -> Vec<Said> {
        self.held.push(text.to_owned());
        let mut known = Vec::new();
        if matches!(self.at, At::Begin) {
            let held = self.held.concat();
            let begun = held.trim_start();
            if let Some((mark, end)) = MARKS.iter().find(|(mark, _)| begun.starts_with(mark)) {
                self.held = vec![begun[mark.len()..].to_owned()];
                self.at = At::Opened(end);
            } else if !MARKS.iter().any(|(mark, _)| mark.starts_with(begun)) {
                self.at = At::Answer;
            }
        }
        if let At::Opened(end) | At::Thought(end) = self.at {
            let mut thought = self.held.concat();
            if matches!(self.at, At::Opened(_)) {
                thought = thought.trim_start().to_owned();
            }
            let ended = thought.find(end);
            let rest = ended.unwrap_or(thought.len() - overlap(&thought, end));
            let mut rest = thought.split_off(rest);
            if !thought.is_empty() {
                known.push(Said::Thought(thought));
                self.at = At::Thought(end);
            }
            if ended.is_some() {
                rest.drain(..end.len());
                self.at = At::Between;
            }
            self.held = vec![rest];
        }
        if matches!(self.at, At::Between) {
            self.held = vec![self.held.concat().trim_start().to_owned()];
            if !self.held[0].is_empty() {
                self.at = At::Answer;
            }
        }
        if matches!(self.at, At::Answer) {
            known.extend(self.held.drain(..).map(Said::Answer));
        }
        known
    }

    /// What still waits, now that nothing comes any more.
    pub(crate) fn rest(&mut self) -> Vec<Said> {
        let is_thought = matches!(self.at, At::Opened(_) | At::Thought(_));
        let said = if is_thought { Said::Thought } else { Said::Answer };
        self.held.drain(..).map(said).collect()
    }
}

/// How many bytes at the end of a text may be the beginning of a mark.
fn overlap(text: &str, mark: &str) -> usize {
    let begins = mark.char_indices().map(|(at, _)| at).rev();
    begins.into_iter().find(|length| text.ends_with(&mark[..*length])).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Thoughts and answer of a reply that comes in these pieces.
    fn read<'a>(pieces: impl IntoIterator<Item = &'a str>) -> (String, String) {
        let mut thoughts = Thoughts::default();
        let mut all: Vec<Said> = pieces.into_iter().flat_map(|it| thoughts.hear(it)).collect();
        all.extend(thoughts.rest());
        let (mut thought, mut answer) = (String::new(), String::new());
        for said in all {
            match said {
                Said::Thought(text) => thought.push_str(&text),
                Said::Answer(text) => answer.push_str(&text),
            }
        }
        (thought, answer)
    }

    #[test]
    fn what_a_reply_begins_with_between_marks_is_thought() {
        for (text, thought, answer) in [
            ("<think>\n흠, 5433?\n</think>\n\nPort 5433.", "흠, 5433?\n", "Port 5433."),
            ("<think>\n\n</think>\n\nPort 5433.", "", "Port 5433."),
            ("\n <thinking>a</thinking>b", "a", "b"),
            ("[THINK]a <think> b[/THINK]c", "a <think> b", "c"),
            ("◁think▷a◁/think▷b", "a", "b"),
            // It never ended.
            ("<think>on and on </thi", "on and on </thi", ""),
            ("<think></think>", "", ""),
            // No thoughts.
            ("Write <think>a</think>.", "", "Write <think>a</think>."),
            ("<thin", "", "<thin"),
            ("<b>bold</b>", "", "<b>bold</b>"),
            ("  two blanks", "", "  two blanks"),
            ("\n", "", "\n"),
            ("a</think>b", "", "a</think>b"),
        ] {
            let found = read([text]);
            assert_eq!((found.0.as_str(), found.1.as_str()), (thought, answer), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn a_reply_in_pieces_is_read_as_in_one(
            text in "( |\n)?(<think>|<thinking>|\\[THINK\\]|◁think▷|<thi)?[a<◁/ ]{0,6}(</think>|\\[/THINK\\]|◁/think▷)?[ 가<]{0,4}",
            cuts in prop::collection::vec(0usize..60, 0..8),
        ) {
            let mut cuts: Vec<usize> = cuts.into_iter().filter(|at| text.is_char_boundary(*at)).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let pieces = cuts.windows(2).filter_map(|it| text.get(it[0]..it[1]));
            prop_assert_eq!(read(pieces), read([text.as_str()]));
        }
    }
}
