//! Summaries as the designs specify them, and the laws that hold for all conversations.

mod extracts;
mod guard;
mod laws;
mod newest;
mod paths;
mod prompts;
mod rolling;
mod running;
mod segments;

use jiff::Timestamp;

use super::*;
use crate::ids::{ConversationId, MessageId};
use crate::message::{Message, MessageStatus, Part, Role};
use crate::tokens::estimate;

fn at(second: u64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + i64::try_from(second).unwrap()).unwrap()
}

/// A conversation that is summarised as the app would do it, by a summariser that answers at once.
struct Chat {
    id: ConversationId,
    messages: Vec<Message>,
    records: Vec<Record>,
    settings: SummarySettings,
    language: &'static str,
    budget: u64,
    window: u64,
    room: u64,
    connected: bool,
    /// What the summariser answers to a draft; `None` is a failure.
    answer: fn(&Draft) -> Option<String>,
    clock: u64,
}

impl Chat {
    /// By the numbers of the designs.
    fn new(policy: Policy) -> Self {
        Self {
            id: ConversationId::new(at(0)),
            messages: Vec::new(),
            records: Vec::new(),
            settings: SummarySettings {
                policy,
                by_numbers: Some(true),
                ..SummarySettings::default()
            },
            language: "en",
            budget: 100_000,
            window: 100_000,
            room: 100_000,
            connected: true,
            answer: |draft| Some(format!("summary v{}", draft.record.version)),
            clock: 0,
        }
    }

    fn strict(policy: Policy) -> Self {
        let mut chat = Self::new(policy);
        chat.settings.strict = true;
        chat
    }

    fn now(&mut self) -> Timestamp {
        self.clock += 1;
        at(self.clock)
    }

    fn say_parts(&mut self, role: Role, parts: Vec<Part>) -> &mut Message {
        let now = self.now();
        let mut message = Message {
            id: MessageId::new(now),
            conversation_id: self.id,
            parent_id: self.messages.last().map(|message| message.id),
            turn_id: None,
            index: self.messages.len() as u64,
            role,
            parts,
            status: MessageStatus::Complete,
            model: None,
            tokens: 0,
            created_at: now,
        };
        message.tokens = estimate(&said(&message));
        self.messages.push(message);
        self.messages.last_mut().unwrap()
    }

    fn say(&mut self, role: Role, text: &str) -> &mut Message {
        self.say_parts(role, vec![Part::Text { text: text.to_owned() }])
    }

    /// A call and its result, as the model and a tool say them.
    fn use_tool(&mut self, id: &str) {
        let (id, name) = (id.to_owned(), "web_search".to_owned());
        let call = Part::ToolCall { id: id.clone(), name, arguments: "{}".to_owned(), seal: None };
        self.say_parts(Role::Assistant, vec![call]);
        let text = "found".to_owned();
        self.say_parts(
            Role::Tool,
            vec![Part::ToolResult { call_id: id, text, is_error: false, kept: None }],
        );
    }

    /// A question and its answer, with whatever becomes due.
    fn turn(&mut self, question: &str, reply: &str) {
        self.say(Role::User, question);
        self.fold(Moment::TurnOpens);
        self.say(Role::Assistant, reply);
        self.fold(Moment::TurnClosed);
    }

    fn overlay(&self) -> Overlay<'_> {
        self.overlay_of(&self.messages)
    }

    fn overlay_of(&self, path: &[Message]) -> Overlay<'_> {
        Overlay::on(&self.records, |index| path.get(index as usize).map(|message| message.id))
    }

    fn with_terms<T>(&self, then: impl FnOnce(&Terms<'_>) -> T) -> T {
        then(&Terms {
            settings: &self.settings,
            newest: Newest::of(&self.settings, self.window),
            language: self.language,
            count: &|message| message.tokens,
            text: &estimate,
            budget: self.budget,
            room: self.room,
            connected: self.connected,
        })
    }

    fn due(&mut self, moment: Moment) -> Option<Draft> {
        let now = self.now();
        let overlay = self.overlay();
        let rest = &self.messages[overlay.end() as usize..];
        self.with_terms(|terms| due(moment, &overlay, rest, terms, now))
    }

    /// Makes what is due; stops at a failure, as the app does.
    fn fold(&mut self, moment: Moment) {
        let mut occasion = Occasion::of(moment);
        while let Some(mut draft) = self.due(occasion.moment()) {
            while draft.parts_left() > 0 {
                draft.hear("a note", false);
            }
            let now = self.now();
            let record = match (self.answer)(&draft) {
                Some(text) => draft.finish(&text, Written::default(), now),
                None => draft.fail("timeout", "60 s", now),
            };
            let stops = !record.is_completed() && !occasion.goes_on_without(&record);
            self.records.push(record);
            if stops {
                break;
            }
            occasion.made();
        }
    }

    /// What would be sent with a question that follows the messages so far.
    fn shape(&self) -> Shape<&Message> {
        self.shape_of(&self.messages)
    }

    fn shape_of<'a>(&self, path: &'a [Message]) -> Shape<&'a Message> {
        let overlay = self.overlay_of(path);
        self.with_terms(|terms| shape(&overlay, path.iter().rev(), terms))
    }
}

/// Exactly so many characters.
fn chars(count: usize) -> String {
    "가".repeat(count)
}

/// The one message of a request that looks like this.
fn single_message<M: std::borrow::Borrow<Message>>(shape: &Shape<M>, draft: &str) -> String {
    super::single_message(&shape.summaries, &shape.raw, draft)
}

/// The system prompt of a request that looks like this.
fn system_prompt<M>(shape: &Shape<M>, language: &str) -> String {
    super::system_prompt(&shape.summaries, language)
}
