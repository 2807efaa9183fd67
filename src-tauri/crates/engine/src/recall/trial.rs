//! Trials: what each way of telling a conversation would put before a model, for questions of which the answer's place is
//! known.
//!
//! `silt recall eval` writes the contexts for others to score, and `tests/bench` scores them itself. Every way sees the
//! same conversation at its end, the same day, and the same tokens (o200k, counted on the text that is sent). Design
//! strategies are the ones that the app composes with, at the budget.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write;
use std::ops::Range;

use serde::Deserialize;

use jiff::Timestamp;
use jiff::civil::Date;

use super::otherwise::otherwise;
use super::{
    Asked, Index, Model, Offer, Ranked, Reads, Said, concerning, cut, dates, in_order, join,
    room_of_standing, standing, told, weight,
};
use crate::compaction;
use crate::ids::{ConversationId, MessageId};
use crate::message::{Message, MessageStatus, Part, Role};
use crate::provider::ModelInfo;
use crate::replay::Replay;
use crate::section::SectionKind;
use crate::summary::{Policy, SummarySettings, language_of};
use crate::tokens::{Counter, Encoding};

/// Conversations and questions about them.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Data {
    /// The conversations.
    pub conversations: Vec<Conversation>,
    /// The questions.
    pub questions: Vec<Question>,
}

/// A conversation.
#[derive(Clone, Debug, Deserialize)]
pub struct Conversation {
    /// Its id.
    pub id: String,
    /// What was said, oldest first.
    pub turns: Vec<Turn>,
}

/// Something that was said.
#[derive(Clone, Debug, Deserialize)]
pub struct Turn {
    /// Its id within the conversation.
    pub id: String,
    /// The sitting, counted up.
    #[serde(default)]
    pub session: u32,
    /// When, in words or figures.
    #[serde(default)]
    pub date: String,
    /// Who; `user` and `assistant`, in either language, are the person and the model.
    pub speaker: String,
    /// What.
    pub text: String,
    /// What a picture with it shows.
    pub image: Option<String>,
}

/// A question about a conversation.
#[derive(Clone, Debug, Deserialize)]
pub struct Question {
    /// Its id.
    pub id: String,
    /// The conversation's id.
    pub conversation: String,
    /// The words.
    pub question: String,
    /// The answer, where it is known; of a long message it tells which part answers.
    #[serde(default)]
    pub answer: String,
    /// The turns that answer it.
    #[serde(default)]
    pub evidence: Vec<String>,
    /// Of what kind it is; `adversarial` has no answer.
    #[serde(default)]
    pub category: String,
}

/// A way of telling a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// Stretches of messages that the ranker chooses for the question, as a request chooses them.
    Recall,
    /// Whole messages that plain BM25 chooses.
    Bm25,
    /// The newest messages.
    Window,
    /// The most important messages.
    Importance,
    /// A rolling summary and the newest messages.
    Rolling,
    /// Summaries of a few turns each, and the newest messages.
    Segments,
}

impl Strategy {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Recall, Self::Bm25, Self::Window, Self::Importance, Self::Rolling, Self::Segments];

    /// Its name for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Recall => "recall",
            Self::Bm25 => "bm25",
            Self::Window => "window",
            Self::Importance => "importance",
            Self::Rolling => "rolling",
            Self::Segments => "segments",
        }
    }
}

/// What would be put before a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// The text.
    pub text: String,
    /// Places of the messages that stand in it whole.
    pub places: Vec<usize>,
    /// Places in the index of the stretches that were taken before any had no room, best first: with more room they are
    /// taken as well.
    pub certain: Vec<usize>,
}

/// A conversation that is ready to be asked about.
pub struct Trial {
    /// Its index.
    pub index: Index,
    turns: Vec<Ready>,
    messages: Vec<Message>,
    /// What each stretch weighs.
    weights: Vec<usize>,
    /// What the person wants from then on: the message, and the bytes of its text.
    standing: Vec<(usize, Range<usize>)>,
}

/// Weight of a token at most.
const HEAVIEST: u64 = 8;

/// A turn as it is shown.
struct Ready {
    id: String,
    speaker: String,
    text: String,
    heading: String,
    tokens: u64,
    heading_tokens: u64,
}

impl Trial {
    /// Reads and indexes a conversation.
    pub fn of(conversation: &Conversation) -> Self {
        let (mut index, reads) = (Index::default(), Reads::default());
        let mut turns = Vec::new();
        let mut messages = Vec::new();
        let mut weights = Vec::new();
        let mut wanted = Vec::new();
        let mut day = (0, String::new());
        let conversation_id = ConversationId::new(Timestamp::UNIX_EPOCH);
        let first = conversation.turns.first().map(|turn| turn.speaker.clone());
        for turn in &conversation.turns {
            let role = role_of(&turn.speaker);
            let text = match &turn.image {
                Some(image) => format!("{} [image: {image}]", turn.text),
                None => turn.text.clone(),
            };
            index.push(
                &Said {
                    speaker: &turn.speaker,
                    role,
                    text: &text,
                    on: dates::written(&turn.date),
                    session: turn.session,
                },
                &reads,
            );
            let stretches = cut(&text).into_iter().map(|it| &text[it]);
            weights.extend(stretches.map(weight));
            if role == Some(Role::User) {
                wanted.extend(standing(&text).into_iter().map(|it| (turns.len(), it)));
            }
            // Often only the first of a sitting says on which day.
            if !turn.date.is_empty() || day.0 != turn.session {
                day = (turn.session, turn.date.clone());
            }
            let shown = line(&turn.speaker, &text);
            let heading_tokens = if day.1.is_empty() { 0 } else { tokens(&heading(&day.1)) };
            let tokens = tokens(&shown) + 1;
            let opens = Some(&turn.speaker) == first.as_ref();
            messages.push(Message {
                id: MessageId::new(Timestamp::UNIX_EPOCH),
                conversation_id,
                parent_id: messages.last().map(|message: &Message| message.id),
                turn_id: None,
                index: messages.len() as u64,
                role: role.unwrap_or(if opens { Role::User } else { Role::Assistant }),
                parts: vec![Part::Text { text: shown }],
                status: MessageStatus::Complete,
                model: None,
                tokens,
                created_at: Timestamp::UNIX_EPOCH,
            });
            turns.push(Ready {
                id: turn.id.clone(),
                speaker: turn.speaker.clone(),
                text,
                heading: day.1.clone(),
                tokens,
                heading_tokens,
            });
        }
        Self { index, turns, messages, weights, standing: wanted }
    }

    /// The id of the turn at a place.
    pub fn id(&self, place: usize) -> &str {
        &self.turns[place].id
    }

    /// The place of the turn with an id.
    pub fn place(&self, id: &str) -> Option<usize> {
        self.turns.iter().position(|turn| turn.id == id)
    }

    /// What is said at a place.
    pub fn text(&self, place: usize) -> &str {
        &self.turns[place].text
    }

    /// The day after which questions are asked.
    pub fn today(&self) -> Option<Date> {
        self.index.today()
    }

    /// A question asked after the last day. `meant` says how far each stretch stands out in meaning, where that is known.
    pub fn asked<'a>(&self, question: &'a str, meant: &'a [f32]) -> Asked<'a> {
        Asked { text: question, today: self.today(), meant }
    }

    /// What each stretch says, in the order of the index.
    pub fn stretches(&self) -> impl Iterator<Item = &str> {
        self.turns.iter().flat_map(|it| cut(&it.text).into_iter().map(|bytes| &it.text[bytes]))
    }

    /// The stretches that may answer a question, best first.
    pub fn ranked(&self, asked: &Asked<'_>, model: &Model) -> Vec<Ranked> {
        self.index.rank(asked, model)
    }

    /// The messages of these stretches, each once, in the order of its best.
    pub fn messages_of(&self, ranked: &[Ranked]) -> Vec<usize> {
        let messages = ranked.iter().map(|it| self.index.stretch(it.place).0);
        let mut seen = HashSet::new();
        messages.filter(|message| seen.insert(*message)).collect()
    }

    /// What would be put before a model for a question, in at most `budget` tokens.
    pub fn context(
        &self,
        strategy: Strategy,
        asked: &Asked<'_>,
        budget: u64,
        model: &Model,
    ) -> Context {
        let question = asked.text;
        match strategy {
            Strategy::Recall => self.chosen(question, &self.ranked(asked, model), budget),
            Strategy::Bm25 => self.by_words(question, budget),
            Strategy::Window => {
                self.compacted(budget, |budget| compaction::window(&self.messages, budget, false))
            }
            Strategy::Importance => self.compacted(budget, |budget| {
                compaction::importance(&self.messages, question, budget, false)
            }),
            Strategy::Rolling => self.summarised(Policy::Rolling, budget),
            Strategy::Segments => self.summarised(Policy::Segments, budget),
        }
    }

    /// What the person wants from then on, and the stretches that are worth most for their length.
    fn chosen(&self, question: &str, ranked: &[Ranked], budget: u64) -> Context {
        let newer = self.otherwise(question, ranked);
        let offer = |it: &Ranked| {
            let (what, weight) = (it.place, self.weights[it.place]);
            Offer { what, score: it.score, weight, otherwise: newer.get(&what).copied() }
        };
        let mut shelf = Shelf::within(budget);
        let mut headed = HashMap::new();
        self.take_standing(question, budget, &mut shelf, &mut headed);
        let mut certain = Vec::new();
        let mut full = false;
        for place in in_order(ranked.iter().map(offer).collect()) {
            // Hardly any text has a token for more than this, and most need not be counted.
            let (message, stretch) = self.index.stretch(place);
            if self.weights[place] as u64 / HEAVIEST > shelf.left
                || !self.take(message, stretch, &mut shelf, &mut headed)
            {
                full = true;
            } else if !full {
                certain.push(place);
            }
        }
        Context { certain, ..self.shown(shelf.all()) }
    }

    /// For the best of these stretches of which something was said otherwise since, the newest one that does.
    fn otherwise(&self, question: &str, ranked: &[Ranked]) -> HashMap<usize, usize> {
        let text = |place: usize| {
            let (message, bytes) = self.index.stretch(place);
            &self.turns[message].text[bytes]
        };
        let when = |place: usize| self.index.stretch(place).0;
        otherwise(&self.index, question, ranked.iter().map(|it| it.place), text, when)
    }

    /// Takes in what the person wants from then on, the newest first, within what that may have of the room.
    fn take_standing<'t>(
        &'t self,
        question: &str,
        budget: u64,
        shelf: &mut Shelf,
        headed: &mut HashMap<&'t str, usize>,
    ) {
        let said =
            |(message, bytes): &(usize, Range<usize>)| &self.turns[*message].text[bytes.clone()];
        let concern = concerning(question, &self.standing.iter().map(said).collect::<Vec<_>>());
        for concerns in [true, false] {
            let left = shelf.left;
            shelf.left = left.min(room_of_standing(concerns, budget));
            let may = shelf.left;
            for ((message, bytes), _) in
                self.standing.iter().zip(&concern).rev().filter(|it| *it.1 == concerns)
            {
                self.take(*message, bytes.clone(), shelf, headed);
            }
            shelf.left += left - may;
        }
    }

    /// Takes a stretch in, if there is room; `headed` says which message pays for a heading.
    fn take<'t>(
        &'t self,
        message: usize,
        stretch: Range<usize>,
        shelf: &mut Shelf,
        headed: &mut HashMap<&'t str, usize>,
    ) -> bool {
        let it = &self.turns[message];
        let pays = *headed.get(it.heading.as_str()).unwrap_or(&message) == message;
        let heading = if pays { it.heading_tokens } else { 0 };
        let taken = shelf.take(message, stretch, |taken| {
            heading + tokens(&line(&it.speaker, &told(&it.text, taken))) + 1
        });
        if taken {
            headed.entry(&it.heading).or_insert(message);
        }
        taken
    }

    /// Messages under the days on which they were said, each with its speaker and what is taken of it.
    fn shown<'s>(
        &self,
        messages: impl Iterator<Item = (&'s usize, &'s [Range<usize>])>,
    ) -> Context {
        let mut context = Context::default();
        let mut day = "";
        for (message, taken) in messages {
            let it = &self.turns[*message];
            if it.heading != day {
                context.text.push_str(&heading(&it.heading));
                day = &it.heading;
            }
            // Writing to a string does not fail.
            let _ = writeln!(context.text, "{}", line(&it.speaker, &told(&it.text, taken)));
            if taken == cut(&it.text) {
                context.places.push(*message);
            }
        }
        context
    }

    /// The same with whole messages.
    fn shown_whole(&self, places: &[usize]) -> Context {
        let whole: Vec<_> =
            places.iter().map(|place| (*place, cut(&self.turns[*place].text))).collect();
        self.shown(whole.iter().map(|(place, stretches)| (place, stretches.as_slice())))
    }

    /// Plain BM25, packed in the order of its scores.
    fn by_words(&self, question: &str, budget: u64) -> Context {
        let mut found = self.index.bm25(question);
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
        let mut places: Vec<usize> = Vec::new();
        let mut left = budget;
        for (place, _) in found {
            let it = &self.turns[place];
            let known = places.iter().any(|at| self.turns[*at].heading == it.heading);
            let cost = it.tokens + if known { 0 } else { it.heading_tokens };
            if cost <= left {
                left -= cost;
                places.push(place);
            }
        }
        places.sort_unstable();
        self.shown_whole(&places)
    }

    /// What a way of compaction keeps, with less and less of the budget until headings fit in as well.
    fn compacted(
        &self,
        budget: u64,
        choose: impl Fn(u64) -> Result<compaction::Selection, compaction::Overflow>,
    ) -> Context {
        let mut asked = budget;
        while asked > 0 {
            let Ok(selection) = choose(asked) else {
                return Context::default();
            };
            let context = self.shown_whole(&selection.kept);
            let used = tokens(&context.text);
            if used <= budget {
                return context;
            }
            asked = smaller(asked, budget, used);
        }
        Context::default()
    }

    /// Summaries of chosen sentences and the newest messages, as the app composes them.
    fn summarised(&self, policy: Policy, budget: u64) -> Context {
        let settings = SummarySettings { policy, ..SummarySettings::default() };
        let all: String = self.turns.iter().take(20).map(|turn| turn.text.as_str()).collect();
        let language = language_of(&all);
        let mut asked = budget;
        while asked > 0 {
            let mut model = ModelInfo::named("model");
            // The window of which three quarters are the budget.
            model.context_window = Some(asked * 4 / 3);
            let replay = Replay { settings: &settings, language, model: &model };
            let Ok(replayed) = replay.run(&self.messages) else {
                return Context::default();
            };
            let sections = replayed.request.sections.iter();
            let told =
                sections.filter(|it| matches!(it.kind, SectionKind::Summary | SectionKind::Turn));
            let text = told.map(|it| it.text.as_str()).collect::<Vec<_>>().join("\n");
            let used = tokens(&text);
            if used <= budget {
                return Context { text, ..Context::default() };
            }
            asked = smaller(asked, budget, used);
        }
        Context::default()
    }
}

/// Stretches that are taken of messages, in the order of their messages, and the room that is left.
#[derive(Clone, Debug)]
struct Shelf {
    left: u64,
    taken: BTreeMap<usize, (Vec<Range<usize>>, u64)>,
}

impl Shelf {
    /// With room for so many tokens.
    fn within(left: u64) -> Self {
        Self { left, taken: BTreeMap::new() }
    }

    /// Takes a stretch of a message in, if there is room for all that is then taken of it. `tokens` counts that.
    fn take(
        &mut self,
        message: usize,
        stretch: Range<usize>,
        tokens: impl FnOnce(&[Range<usize>]) -> u64,
    ) -> bool {
        let (mut stretches, before) = self.taken.get(&message).cloned().unwrap_or_default();
        if !join(&mut stretches, stretch) {
            return true;
        }
        let after = tokens(&stretches);
        let Some(left) = (self.left + before).checked_sub(after) else { return false };
        self.left = left;
        self.taken.insert(message, (stretches, after));
        true
    }

    /// Everything that is taken.
    fn all(&self) -> impl Iterator<Item = (&usize, &[Range<usize>])> {
        self.taken.iter().map(|(message, (stretches, _))| (message, stretches.as_slice()))
    }
}

/// What to ask for when what came is too long.
fn smaller(asked: u64, budget: u64, used: u64) -> u64 {
    (asked * budget / used).min(asked - asked / 50 - 1)
}

/// How a message is shown.
fn line(speaker: &str, text: &str) -> String {
    format!("{speaker}: {text}")
}

/// How a day is shown.
fn heading(day: &str) -> String {
    if day.is_empty() { "\n".to_owned() } else { format!("[{day}]\n") }
}

fn tokens(text: &str) -> u64 {
    Counter::Exact(Encoding::O200k).count(text).tokens
}

fn role_of(speaker: &str) -> Option<Role> {
    match speaker.to_lowercase().as_str() {
        "user" | "사용자" => Some(Role::User),
        "assistant" | "도우미" | "조수" => Some(Role::Assistant),
        _ => None,
    }
}
