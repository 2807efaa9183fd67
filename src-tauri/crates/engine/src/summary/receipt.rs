//! Receipts: what a summary rests on, line by line, and what travels with it because it must not get lost.
//!
//! A summariser reads every message under a mark (`[m3]`) and ends each line with the marks it rests on, as text or as
//! JSON, which a provider can be asked to hold it to ([`schema`]). [`parse`] takes them off again, so no model ever reads a mark in a summary. An answer without marks is one
//! line that rests on everything. [`Receipt`] is stored with the record; under `strict` it stays empty, because the
//! designs know nothing of it. Whether a line says what its messages say is checked by [`crate::ledger`].

use std::collections::HashMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::ids::MessageId;
use crate::ledger::{Category, Entry, Retention};

/// Most marks that a range of them (`m3-m9`) stands for.
const MOST_OF_A_RANGE: usize = 1_000;

/// A line of a summary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SummaryLine {
    /// What it says, without marks.
    pub text: String,
    /// The messages it cites; none where it rests on all that the summary stands for.
    pub sources: Vec<MessageId>,
    /// Bytes of the text that claim what none of those messages says.
    pub unsupported: Vec<Range<usize>>,
}

/// Who wants a fact to be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum KeptBy {
    /// The person.
    Person,
    /// The gate: a constraint or a decision in force, which goes whatever it costs.
    Gate,
    /// The budget of kept facts had room for it.
    Auto,
}

/// Something that the messages say and the summary does not, which goes with it word for word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct KeptFact {
    /// As it was said.
    pub text: String,
    /// What it is.
    pub category: Category,
    /// Who said it.
    pub message: MessageId,
    /// Where in that message, in bytes.
    pub span: Range<usize>,
    /// Who wants it.
    pub by: KeptBy,
}

impl KeptFact {
    /// An entry of the ledger, kept.
    pub fn of(entry: &Entry, by: KeptBy) -> Self {
        Self {
            text: entry.text.clone(),
            category: entry.category,
            message: entry.message,
            span: entry.span.clone(),
            by,
        }
    }
}

/// What a record carries beside its text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(default)]
pub struct Receipt {
    /// The lines of its text.
    pub lines: Vec<SummaryLine>,
    /// What goes with it.
    pub kept: Vec<KeptFact>,
    /// What the person does not want to go with it.
    pub dropped: Vec<String>,
    /// What must and must never be, by what was said and holds still: every request has it, word for word.
    pub constraints: Vec<String>,
    /// How much of its messages it keeps, kept facts included.
    pub retention: Option<Retention>,
    /// Whether the model's answer ended before it was done, at its greatest length or because the rest was withheld: what
    /// the newest of the messages say may be missing.
    pub cut: bool,
}

impl Receipt {
    /// The messages it names.
    pub(crate) fn messages(&self) -> impl Iterator<Item = MessageId> {
        let cited = self.lines.iter().flat_map(|line| &line.sources).copied();
        cited.chain(self.kept.iter().map(|fact| fact.message))
    }

    /// The same where every message has another id; what names an unknown one is left out.
    pub(crate) fn carried(mut self, of: impl Fn(MessageId) -> Option<MessageId>) -> Self {
        for line in &mut self.lines {
            line.sources = line.sources.iter().filter_map(|id| of(*id)).collect();
        }
        self.kept.retain_mut(|fact| of(fact.message).map(|id| fact.message = id).is_some());
        self
    }

    /// The receipt of a text that a person wrote: lines that were there before rest on what they rested on.
    pub fn edited(&self, text: &str) -> Self {
        let known: HashMap<&str, &SummaryLine> =
            self.lines.iter().map(|line| (line.text.as_str(), line)).collect();
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let line = |text: &str| match known.get(text) {
            Some(line) => SummaryLine::clone(line),
            None => SummaryLine::resting_on_all(text),
        };
        Self { lines: lines.map(line).collect(), cut: false, ..self.clone() }
    }
}

impl SummaryLine {
    /// A line that cites nothing.
    pub fn resting_on_all(text: &str) -> Self {
        Self::citing(text, Vec::new())
    }

    pub(super) fn citing(text: &str, sources: Vec<MessageId>) -> Self {
        Self { text: text.to_owned(), sources, unsupported: Vec::new() }
    }
}

/// The lines as one text.
pub(super) fn joined(lines: &[SummaryLine]) -> String {
    let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
    texts.join("\n")
}

/// The lines of which this beginning of their text consists; the last may be cut.
pub(super) fn within(mut lines: Vec<SummaryLine>, text: &str) -> Vec<SummaryLine> {
    let mut left = text.len();
    lines.retain_mut(|line| {
        let length = line.text.len().min(left);
        left = left.saturating_sub(line.text.len() + 1);
        line.text.truncate(length);
        length > 0
    });
    lines
}

/// The lines of an answer. `of` says what a mark stands for.
pub(super) fn parse(answer: &str, of: &HashMap<&str, &[MessageId]>) -> Vec<SummaryLine> {
    let (lines, whole) = read(answer);
    if lines.iter().all(|(_, marks)| marks.is_empty()) {
        let whole = Some(whole).filter(|whole| !whole.is_empty());
        return whole.iter().map(|whole| SummaryLine::resting_on_all(whole)).collect();
    }
    let line = |(text, marks): (String, Vec<String>)| {
        let mut sources: Vec<MessageId> = Vec::new();
        for id in marks.iter().filter_map(|mark| of.get(mark.as_str())).copied().flatten() {
            if !sources.contains(id) {
                sources.push(*id);
            }
        }
        SummaryLine::citing(&text, sources)
    };
    lines.into_iter().filter(|(text, _)| !text.is_empty()).map(line).collect()
}

/// What is whole of an answer that was cut: half a sentence may say what nobody said (`port 54` of `port 5433`). Of lines
/// of a schema, [`parse`] takes those that are whole.
pub(super) fn whole(answer: &str) -> &str {
    let answer = answer.trim();
    if json_lines(answer).is_some() {
        return answer;
    }
    if answer.trim_start_matches("```json").trim_start().starts_with('{') {
        return "";
    }
    if answer.ends_with(['.', '!', '?', '。', ']']) {
        return answer;
    }
    let begins = answer.rfind('\n').map_or(0, |at| at + 1);
    let line = &answer[begins..];
    let mut ends = line.match_indices(['.', '!', '?', '。']).map(|(at, mark)| at + mark.len());
    let sentence = ends.rfind(|at| line[*at..].starts_with(char::is_whitespace));
    let end = match sentence {
        Some(end) => begins + end,
        None if begins > 0 => begins,
        None => line.rfind(char::is_whitespace).unwrap_or_default(),
    };
    answer[..end].trim_end()
}

/// An answer, or what came of one so far, as a person reads it.
pub fn readable(answer: &str) -> String {
    let lines = parse(answer, &HashMap::new());
    match answer.trim_start().starts_with('{') && lines.iter().any(|it| it.text.starts_with('{')) {
        true => String::new(),
        false => joined(&lines),
    }
}

/// The lines of an answer, each with its marks, and all of it where there are none.
fn read(answer: &str) -> (Vec<(String, Vec<String>)>, String) {
    let answer = answer.trim();
    if let Some(lines) = json_lines(answer) {
        let texts: Vec<&str> = lines.iter().map(|(text, _)| text.as_str()).collect();
        let whole = texts.join("\n").trim().to_owned();
        return (lines, whole);
    }
    let lines = answer.lines().map(str::trim).filter(|line| !line.is_empty());
    (lines.map(parted).collect(), answer.to_owned())
}

/// What an answer is asked to be where a provider can hold a model to it.
pub(super) fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "lines": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "text": {"type": "string"},
                        "sources": {"type": "array", "items": {"type": "string"}},
                    },
                    "required": ["text", "sources"],
                    "additionalProperties": false,
                },
            },
        },
        "required": ["lines"],
        "additionalProperties": false,
    })
}

/// `{"lines": [{"text": …, "sources": ["m1"]}]}`, in a code block or bare; of one that was cut, the lines that are whole.
fn json_lines(answer: &str) -> Option<Vec<(String, Vec<String>)>> {
    #[derive(Deserialize)]
    struct Answer {
        lines: Vec<Line>,
    }
    #[derive(Deserialize)]
    struct Line {
        text: String,
        #[serde(default)]
        sources: Vec<String>,
    }
    let (start, end) = (answer.find('{')?, answer.rfind('}')?);
    let whole = answer.get(start..=end)?;
    let read: Answer = serde_json::from_str(whole)
        .or_else(|_| serde_json::from_str(&format!("{whole}]}}")))
        .ok()?;
    let line = |line: Line| {
        let (text, mut found) = parted(&line.text.split_whitespace().collect::<Vec<_>>().join(" "));
        found.extend(line.sources.iter().flat_map(|it| marks(it).unwrap_or_default()));
        (text, found)
    };
    Some(read.lines.into_iter().map(line).collect())
}

/// A line without its bullet, and the marks at its end.
fn parted(line: &str) -> (String, Vec<String>) {
    let bullet = line.strip_prefix(['-', '*', '•']).filter(|rest| rest.starts_with(' '));
    let mut text = bullet.unwrap_or(line).trim();
    let mut found = Vec::new();
    while let Some((before, inside)) =
        text.trim_end_matches('.').strip_suffix(']').and_then(|rest| rest.rsplit_once('['))
        && let Some(more) = marks(inside)
    {
        // They are read from the end.
        found.splice(0..0, more);
        text = before.trim_end();
    }
    (text.to_owned(), found)
}

/// `m1, m3-m5`; `None` where anything else stands there.
fn marks(inside: &str) -> Option<Vec<String>> {
    let mut found = Vec::new();
    for mark in inside.split([',', ';', ' ']).filter(|mark| !mark.is_empty()) {
        let (first, last) = mark.split_once(['-', '–']).unwrap_or((mark, mark));
        let kind = first.chars().next().filter(|kind| matches!(kind, 'm' | 's'))?;
        let number = |mark: &str| mark.strip_prefix(kind).unwrap_or(mark).parse::<usize>().ok();
        let numbers = number(first)?..=number(last)?;
        found.extend(numbers.take(MOST_OF_A_RANGE).map(|number| format!("{kind}{number}")));
    }
    (!found.is_empty()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::MessageId;
    use jiff::Timestamp;
    use proptest::prelude::*;
    use rstest::rstest;

    fn ids() -> Vec<MessageId> {
        let at = |second| Timestamp::from_second(1_800_000_000_i64 + second).unwrap();
        (1..=4).map(|second| MessageId::new(at(second))).collect()
    }

    #[rstest]
    #[case("- The port is 5433. [m1]\n- Nobody deploys on Friday [m2, m3].", [&[0][..], &[1, 2]])]
    #[case("The port is 5433. [m1][m9]\n\n* Nobody deploys on Friday [m2-m3]", [&[0][..], &[1, 2]])]
    #[case("```json\n{\"lines\": [{\"text\": \"The port is 5433.\", \"sources\": [\"m1\"]}, \
        {\"text\": \"Nobody deploys on Friday\", \"sources\": [\"m2\", \"m3\"]}]}\n```", [&[0][..], &[1, 2]])]
    // Held to the schema and told to end lines with marks, a model may do both, and may be cut.
    #[case("{\"lines\": [{\"text\": \"The port is 5433. [m1]\", \"sources\": []}, \
        {\"text\": \"Nobody deploys on Friday\", \"sources\": [\"m2\", \"m3\"]}, {\"text\": \"And th", [&[0][..], &[1, 2]])]
    #[case("The port is 5433. [m1]\nNobody deploys on Friday [m3][m2].", [&[0][..], &[2, 1]])]
    // What was merged rests on what its parts rested on.
    #[case("The port is 5433. [m1]\nNobody deploys on Friday [s1]", [&[0][..], &[3, 0]])]
    // A line may cite nothing, and no other brackets are marks.
    #[case("The port is 5433. [m1]\nNobody deploys on Friday [sic]", [&[0][..], &[]])]
    fn lines_cite_the_messages_of_their_marks(#[case] answer: &str, #[case] cited: [&[usize]; 2]) {
        let ids = ids();
        let merged = [ids[3], ids[0]];
        let mut of: HashMap<&str, &[MessageId]> = HashMap::new();
        for (mark, at) in [("m1", 0), ("m2", 1), ("m3", 2)] {
            of.insert(mark, &ids[at..=at]);
        }
        of.insert("s1", &merged);
        let lines = parse(answer, &of);
        let expected: Vec<Vec<MessageId>> =
            cited.iter().map(|line| line.iter().map(|at| ids[*at]).collect()).collect();
        let sources: Vec<Vec<MessageId>> = lines.iter().map(|line| line.sources.clone()).collect();
        assert_eq!(sources, expected);
        assert_eq!(lines[0].text, "The port is 5433.");
        assert!(lines[1].text.starts_with("Nobody deploys on Friday"), "{:?}", lines[1]);
    }

    #[test]
    fn an_answer_without_marks_is_one_line_that_rests_on_everything() {
        let answer = "Agreed:\n- the port is 5433 [sic]\n{\"no\": \"lines\"}";
        assert_eq!(parse(answer, &HashMap::new()), [SummaryLine::resting_on_all(answer)]);
        assert_eq!(parse("  ", &HashMap::new()), []);
    }

    #[test]
    fn lines_of_a_schema_that_cite_nothing_are_one_and_so_they_read_while_they_come() {
        let answer =
            r#"{"lines": [{"text": "One.", "sources": []}, {"text": "Two.", "sources": []}]}"#;
        let all = SummaryLine::resting_on_all("One.\nTwo.");
        assert_eq!(parse(answer, &HashMap::new()), [all]);
        assert_eq!(parse("{\"lines\": []}", &HashMap::new()), []);
        for (end, read) in [(5, ""), (30, ""), (44, "One."), (answer.len(), "One.\nTwo.")] {
            assert_eq!(readable(&answer[..end]), read, "{}", &answer[..end]);
        }
        assert_eq!(readable("- One. [m1]\nTwo"), "One.\nTwo");
    }

    #[rstest]
    #[case("The port is 5433. [m1]\nNobody deploys on Fri", "The port is 5433. [m1]")]
    #[case("- The port is 5433. [m1]\n- Nobody deploys on Friday [m2", "- The port is 5433. [m1]")]
    #[case("포트는 5433입니다. 금요일에는 배포하지 않", "포트는 5433입니다.")]
    #[case("The port is 54", "The port is")]
    #[case("The port is 5433.", "The port is 5433.")]
    #[case("{\"lines\": [{\"text\": \"The po", "")]
    #[case("{\"lines\": [{\"text\": \"The port is 5433.", "")]
    #[case("{\"lines\": [{\"text\": \"The port is 5433.\", \"sources\": [\"m1\"]", "")]
    #[case("```json\n{\"lines\": [{\"te", "")]
    fn half_a_sentence_of_an_answer_that_was_cut_is_not_told(
        #[case] cut: &str,
        #[case] told: &str,
    ) {
        assert_eq!(whole(cut), told);
    }

    proptest! {
        #[test]
        fn whatever_is_answered_no_line_is_empty_and_none_cites_twice(
            answer in "([-*\\[\\]{}\"ms1-3, .가a\n]{0,40}|\\{\"lines\": \\[.{0,20}\\]\\})",
        ) {
            let ids = ids();
            let of = HashMap::from([("m1", &ids[..1]), ("m2", &ids[1..3]), ("s1", &ids[..2])]);
            for line in parse(&answer, &of) {
                prop_assert!(!line.text.trim().is_empty());
                let cited: std::collections::HashSet<_> = line.sources.iter().collect();
                prop_assert_eq!(cited.len(), line.sources.len());
            }
        }
    }

    #[test]
    fn an_edited_line_rests_on_nothing_that_was_cited_for_another() {
        let ids = ids();
        let lines = vec![
            SummaryLine::citing("The port is 5433.", vec![ids[0]]),
            SummaryLine::citing("The host is local.", vec![ids[1]]),
        ];
        let receipt = Receipt { lines, ..Receipt::default() };
        let edited = receipt.edited("The port is 5433.\n\nThe host is far.").lines;
        assert_eq!(edited[0], receipt.lines[0]);
        assert_eq!(edited[1], SummaryLine::resting_on_all("The host is far."));
    }

    #[test]
    fn a_text_that_is_cut_has_the_lines_of_its_beginning() {
        let lines = ["one", "two", "three"].map(SummaryLine::resting_on_all).to_vec();
        let texts = |text: &str| joined(&within(lines.clone(), text));
        assert_eq!(texts("one\ntwo\nthree"), "one\ntwo\nthree");
        assert_eq!(texts("one\ntw"), "one\ntw");
        assert_eq!(texts("one"), "one");
    }
}
