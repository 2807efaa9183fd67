//! Replaying a conversation under a policy: the summaries that would have been made on its way, of chosen sentences, and
//! the request at its end.
//!
//! The same questions are asked at the same moments as in a living conversation ([`due`], [`earlier`]), so what is
//! measured here is what the app sends. Nothing is asked of a model and nothing is stored; the same messages always give
//! the same, and for a budget the time grows with their number alone. `silt context preview --transcript` calls it.

use std::collections::HashSet;
use std::sync::Arc;

use crate::compaction::summarise::extractive;
use crate::compaction::{Overflow, cost};
use crate::earlier::{Beside, earlier};
use crate::ids::MessageId;
use crate::message::{Message, Role};
use crate::prompt::{Ask, Ingredients, frame};
use crate::provider::ModelInfo;
use crate::section::Request;
use crate::summary::{
    Coverage, Draft, Moment, Newest, Occasion, Overlay, Policy, Record, SummarySettings, Terms,
    TurnSpan, due, ends_turn,
};
use crate::tokens::{Calibration, Scale, estimate};
use crate::wish::Wishes;

/// Tokens of material that is read at once; no model has to.
const ROOM: u64 = 1_000_000;

/// How a conversation is told.
#[derive(Clone, Copy, Debug)]
pub struct Replay<'a> {
    /// Policy, rate and the other numbers.
    pub settings: &'a SummarySettings,
    /// Its language, `ko` or `en`.
    pub language: &'a str,
    /// The model that would be asked.
    pub model: &'a ModelInfo,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// The request at the end.
    pub request: Request,
    /// The summaries that hold there, by place.
    pub summaries: Vec<Record>,
}

impl Replay<'_> {
    /// Replays a path from its root. When it ends with the person's words, those are the question that is asked; else
    /// nothing is yet.
    pub fn run(&self, path: &[Message]) -> Result<Replayed, Overflow> {
        let (question, before) = match path.split_last() {
            Some((last, before)) if last.role == Role::User => (Some(last), before),
            _ => (None, path),
        };
        let parts = question.map(|question| question.parts.clone()).unwrap_or_default();
        let ask = Ask::Draft { id: question.map(|question| question.id), parts };
        let wishes = Wishes::default();
        let ingredients = Ingredients {
            language: self.language,
            instructions: "",
            tools: &[],
            steps: &[],
            memory: &[],
            persistent: None,
            session: &[],
            volatile: None,
            already_left_out: &[],
            mentions: &[],
            passages: &[],
            wishes: &wishes,
            pinned: &[],
            ask: &ask,
            model: self.model,
            scale: Scale::estimating(Calibration::default()),
        };
        let newest = Newest::of(self.settings, self.model.window());
        let frame = frame(&ingredients);
        let (fixed, budget) = (frame.blocks(), frame.budget());
        let terms = Terms {
            settings: self.settings,
            newest,
            language: self.language,
            count: &|message| message.tokens,
            text: &estimate,
            budget,
            room: ROOM,
            connected: true,
        };
        let summaries = summaries(path, &terms);
        let overlay = Overlay::on(&summaries, |place| id_at(path, place));
        let newest_first = before.iter().rev().map(|message| Arc::new(message.clone()));
        let whole = newest.whole(before.iter().rev(), budget, cost);
        let whole: Vec<Arc<Message>> =
            whole.into_iter().map(|message| Arc::new(message.clone())).collect();
        let beside = Beside {
            newest: &whole,
            fixed: &fixed,
            question,
            budget,
            wishes: &wishes,
            pinned: &[],
            extract: &|messages, limit| extractive(messages, limit, estimate),
        };
        let earlier = earlier(&overlay, newest_first, beside, &terms)?;
        Ok(Replayed { request: frame.with(&earlier, &HashSet::new()), summaries })
    }
}

/// The summaries that hold at the end.
fn summaries(path: &[Message], terms: &Terms<'_>) -> Vec<Record> {
    let settings = terms.settings;
    let summarises =
        matches!(settings.policy, Policy::Rolling | Policy::Segments | Policy::Running);
    let mut records: Vec<Record> = Vec::new();
    if !settings.enabled || !summarises {
        return records;
    }
    let mut at = At::default();
    loop {
        // Under `strict` nothing is merged, so what is due next depends on the end of the last summary alone.
        let whole = settings.strict.then(|| as_one(&records)).flatten();
        let known = whole.as_ref().map_or(records.as_slice(), std::slice::from_ref);
        let overlay = Overlay::on(known, |place| id_at(path, place));
        let Some(draft) = next(path, &overlay, terms, &mut at) else {
            return records;
        };
        let now = draft.record.created_at;
        let made = draft.extract(now);
        if made.is_completed() {
            if let Some(occasion) = &mut at.occasion {
                occasion.made();
            }
            let (start, end) = (made.coverage.start, made.coverage.end());
            records.retain(|it| it.coverage.end() <= start || end <= it.coverage.start);
            let place = records.partition_point(|it| it.coverage.start < start);
            records.insert(place, made);
        } else if !at.occasion.as_mut().is_some_and(|it| it.goes_on_without(&made)) {
            at.go_on();
        }
    }
}

/// Where a replay is: at a message, and at what that is an occasion for.
#[derive(Default)]
struct At {
    place: usize,
    occasion: Option<Occasion>,
}

impl At {
    fn go_on(&mut self) {
        *self = Self { place: self.place + 1, occasion: None };
    }
}

/// The next summary that is due, from the message at `at` on.
fn next(path: &[Message], overlay: &Overlay<'_>, terms: &Terms<'_>, at: &mut At) -> Option<Draft> {
    let from = usize::try_from(overlay.end()).unwrap_or(usize::MAX);
    while let Some(message) = path.get(at.place) {
        let moment = match message.role {
            Role::User => Some(Moment::TurnOpens),
            _ if ends_turn(message) => Some(Moment::TurnClosed),
            _ => None,
        };
        if let Some(moment) = moment
            && let Some(rest) = path.get(from..=at.place)
        {
            let moment = at.occasion.get_or_insert_with(|| Occasion::of(moment)).moment();
            let draft = due(moment, overlay, rest, terms, message.created_at);
            if draft.is_some() {
                return draft;
            }
        }
        at.go_on();
    }
    None
}

/// One record that ends where these end.
fn as_one(records: &[Record]) -> Option<Record> {
    let last = records.last()?;
    let coverage = Coverage { start: 0, count: last.coverage.end(), ..last.coverage };
    let turns = last.turns.map(|turns| TurnSpan { first: 1, ..turns });
    Some(Record { coverage, turns, ..last.clone() })
}

fn id_at(path: &[Message], place: u64) -> Option<MessageId> {
    path.get(usize::try_from(place).ok()?).map(|message| message.id)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use jiff::Timestamp;
    use proptest::prelude::*;

    use super::*;
    use crate::ids::ConversationId;
    use crate::message::{MessageStatus, Part};
    use crate::section::{SectionKind, id_of_summary};

    /// A conversation of exchanges with so many sentences each.
    fn path(lengths: &[usize]) -> Vec<Message> {
        let at = Timestamp::UNIX_EPOCH;
        let conversation_id = ConversationId::new(at);
        let message = |(index, sentences): (usize, &usize)| {
            let say =
                |n: usize| format!("Service {index} of team {n} listens on port {}. ", index * n);
            let text: String = (1..=*sentences).map(say).collect();
            Message {
                id: MessageId::new(at),
                conversation_id,
                parent_id: None,
                turn_id: None,
                index: index as u64,
                role: if index.is_multiple_of(2) { Role::User } else { Role::Assistant },
                tokens: estimate(&text),
                parts: vec![Part::Text { text }],
                status: MessageStatus::Complete,
                model: None,
                created_at: at,
            }
        };
        lengths.iter().enumerate().map(message).collect()
    }

    fn policy() -> impl Strategy<Value = Policy> {
        prop::sample::select(vec![
            Policy::Rolling,
            Policy::Segments,
            Policy::Running,
            Policy::Window,
            Policy::Importance,
            Policy::Summarise,
            Policy::None,
        ])
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(48) })]

        #[test]
        fn a_replay_fits_keeps_the_question_whole_and_tells_nothing_twice(
            lengths in prop::collection::vec(1..9_usize, 1..90),
            policy in policy(),
            threshold in 100..2_000_u64,
            window in 800..8_000_u64,
        ) {
            let path = path(&lengths);
            let settings = SummarySettings { policy, threshold, ..SummarySettings::default() };
            let model = ModelInfo { context_window: Some(window), ..ModelInfo::named("m") };
            let replay = Replay { settings: &settings, language: "en", model: &model };
            let Replayed { request, summaries } = replay.run(&path).unwrap();
            prop_assert!(request.tokens <= request.budget);

            let mut end = 0;
            for record in &summaries {
                prop_assert_eq!(record.coverage.start, end);
                end = record.coverage.end();
                prop_assert_eq!(record.coverage.last, path[end as usize - 1].id);
            }
            let turn = |kind| request.sections.iter().filter(move |section| section.kind == kind);
            let sent: Vec<u64> = turn(SectionKind::Turn)
                .chain(turn(SectionKind::Draft))
                .flat_map(|section| &section.messages)
                .filter_map(|id| path.iter().find(|message| message.id == *id))
                .map(|message| message.index)
                .collect();
            let asked = path.last().filter(|last| last.role == Role::User);
            let before = &path[..path.len() - usize::from(asked.is_some())];
            let whole = Newest::of(&settings, window).whole(before.iter().rev(), window, cost);
            let whole: Vec<u64> = whole.iter().map(|message| message.index).collect();
            // A summary that is no shorter than its messages is not told; they are.
            let is_told = |record: &&Record| {
                request.sections.iter().any(|it| it.id == id_of_summary(record.id))
            };
            let stands_for = |record: &Record| match policy {
                Policy::Segments => record.coverage.start..record.coverage.end(),
                _ => 0..record.coverage.end(),
            };
            let told: HashSet<u64> =
                summaries.iter().filter(is_told).flat_map(stands_for).collect();
            let once = sent.iter().all(|index| !told.contains(index) || whole.contains(index));
            prop_assert!(sent.is_sorted() && once);
            if let Some(question) = path.last().filter(|last| last.role == Role::User) {
                let draft = request.sections.last().unwrap();
                prop_assert_eq!(&draft.text, &question.text());
            }
            let again = replay.run(&path).unwrap();
            let texts = |records: &[Record]| -> Vec<String> {
                records.iter().map(|record| record.summary.clone()).collect()
            };
            prop_assert_eq!(texts(&again.summaries), texts(&summaries));
        }
    }

    /// Under `strict` one record stands for all before it; what is due must not depend on that.
    #[test]
    fn strict_segments_are_turns_of_three_however_long_it_goes_on() {
        let settings = SummarySettings {
            policy: Policy::Segments,
            strict: true,
            ..SummarySettings::default()
        };
        let model = ModelInfo::named("m");
        let replay = Replay { settings: &settings, language: "ko", model: &model };
        let Replayed { summaries, .. } = replay.run(&path(&[2; 101])).unwrap();
        let found: Vec<Option<(u32, u32, u32)>> = summaries
            .iter()
            .map(|it| it.turns.map(|turns| (turns.first, turns.last, it.version)))
            .collect();
        let expected: Vec<Option<(u32, u32, u32)>> =
            (0..16).map(|place| Some((place * 3 + 1, place * 3 + 3, 1))).collect();
        assert_eq!(found, expected);
    }

    fn strict(policy: Policy, path: &[Message], window: u64) -> Request {
        let settings = SummarySettings { policy, strict: true, ..SummarySettings::default() };
        let model = ModelInfo { context_window: Some(window), ..ModelInfo::named("m") };
        let replay = Replay { settings: &settings, language: "ko", model: &model };
        replay.run(path).unwrap().request
    }

    /// behaviour.md, Rolling: all of it is one message of the user; the Segments design, `llm_node`: the system prompt is the design's.
    #[test]
    fn strict_requests_are_what_the_seeds_send() {
        let talk = path(&[1; 7]);
        let said: Vec<String> = talk.iter().map(Message::text).collect();
        let rolling = strict(Policy::Rolling, &talk, 32_768);
        let sent: Vec<&str> = rolling.sections[1..].iter().map(|it| it.text.as_str()).collect();
        let lines: Vec<String> = said[..6]
            .iter()
            .enumerate()
            .map(|(at, text)| format!("{}: {text}", ["USER", "ASSISTANT"][at % 2]))
            .collect();
        let whole =
            format!("[RECENT MESSAGES]\n{}\n\n[CURRENT MESSAGE]\n{}", lines.join("\n"), said[6]);
        assert_eq!(sent, [whole]);
        assert_eq!(rolling.tokens, rolling.sections.iter().map(|it| it.tokens).sum::<u64>());
        let first = strict(Policy::Rolling, &talk[..1], 32_768);
        assert_eq!(first.sections[1].text, said[0]);

        // behaviour.md, Segments: `[Summary(1-3), Turn4]`.
        let segments = strict(Policy::Segments, &talk, 32_768);
        let system = &segments.sections[0].text;
        assert!(
            system.starts_with("당신은 유용한 AI 어시스턴트입니다.\n\n[이전 대화 요약]\n[1-3턴] "),
            "{system}"
        );
        let sent: Vec<&str> = segments.sections[1..].iter().map(|it| it.text.as_str()).collect();
        assert_eq!(sent, [&said[6]]);
    }

    /// The designs know no window. Where it is too small, what goes is what stands last in their order.
    #[test]
    fn strict_segments_over_the_window_lose_the_oldest_first() {
        let talk = path(&[2; 101]);
        let request = strict(Policy::Segments, &talk, 1_000);
        assert!(request.tokens <= request.budget, "{} of {}", request.tokens, request.budget);
        let system = &request.sections[0].text;
        assert!(!system.contains("[1-3턴]"), "{system}");
        let sent = request.sections.iter().flat_map(|section| &section.messages);
        let sent: Vec<u64> = sent
            .filter_map(|id| talk.iter().find(|it| it.id == *id))
            .map(|message| message.index)
            .collect();
        // Turns 49 and 50 are whole before the question; what fits of the summaries are the newest.
        assert_eq!(sent, [96, 97, 98, 99, 100]);
        if system.contains("턴]") {
            assert!(system.contains("[46-48턴]"), "{system}");
        }
    }

    /// behaviour.md, Segments: every row of the table, and turn 50 with its 16 summaries.
    #[test]
    fn every_turn_has_the_context_of_the_table() {
        for turn in (1..=10).chain([50]) {
            let talk = path(&vec![2; turn * 2 - 1]);
            let request = strict(Policy::Segments, &talk, 200_000);
            let told: Vec<String> = (0..(turn - 1) / 3)
                .map(|segment| format!("[{}-{}턴] ", segment * 3 + 1, segment * 3 + 3))
                .collect();
            let system = &request.sections[0].text;
            let mut lines = system.lines();
            assert_eq!(lines.next(), Some("당신은 유용한 AI 어시스턴트입니다."));
            if told.is_empty() {
                assert_eq!(lines.next(), None, "turn {turn}");
            } else {
                assert_eq!((lines.next(), lines.next()), (Some(""), Some("[이전 대화 요약]")));
            }
            let marks = lines.filter(|line| line.starts_with('[')).collect::<Vec<_>>();
            assert_eq!(marks.len(), told.len(), "turn {turn}: {system}");
            assert!(marks.iter().zip(&told).all(|(line, mark)| line.starts_with(mark)), "{system}");
            let raw = request.sections[1..].iter().map(|section| section.text.clone());
            let whole = (turn - 1) % 3 * 2 + 1;
            let newest = talk[talk.len() - whole..].iter().map(Message::text);
            assert_eq!(raw.collect::<Vec<_>>(), newest.collect::<Vec<_>>(), "turn {turn}");
        }
    }
}
