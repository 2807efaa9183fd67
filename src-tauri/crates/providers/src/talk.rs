//! From sections to a talk, for every wire format: what the system says, and turns that alternate.
//!
//! Rules, memory, the persistent context and summaries become the system's words; the volatile context stands on the person's side
//! before the question, or with the system's where the section says so. Passages are quoted to the model by the person's side, each between
//! fences longer than any inside it, so that a file cannot end its own quotation. Neighbours of one side are merged and
//! the talk starts with the person: many models refuse anything else. A picture or file stands before the words that
//! came with it; one that the format cannot carry becomes a line that says so. Thoughts go back to the model that
//! thought them and to no other.
//!
//! A reply that calls tools is followed at once by the person's side with one result for each call, in their order and
//! before everything else (see [`exchange`]). Where no tools are offered, calls and results are quoted like passages:
//! most servers take them for what they are only beside tools. How a piece is written is the format's own business.

mod exchange;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use siltstone_engine::fence;
use siltstone_engine::message::{Part, Role, SealForm};
use siltstone_engine::provider::ModelRequest;
use siltstone_engine::section::{Section, SectionKind};

#[cfg(test)]
pub(crate) use exchange::INTERRUPTED;
pub(crate) use exchange::Ids;
use exchange::{Exchange, Traffic};

/// Stands where a message of the other side would be: before the oldest that fits, when that is the model's, and in some
/// formats between results and what the person says after them, when the turn was stopped there.
pub(crate) const EARLIER: &str = "[…]";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Person,
    Model,
}

impl Side {
    /// `user`, and what a format calls the model.
    pub(crate) fn name(self, model: &'static str) -> &'static str {
        match self {
            Self::Person => "user",
            Self::Model => model,
        }
    }
}

/// A piece of what one side says. Bytes are in base64.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Text(String),
    Image {
        media_type: String,
        data: String,
    },
    File {
        media_type: String,
        name: String,
        data: String,
    },
    /// A thought with what its provider wants back.
    Thought {
        text: String,
        form: SealForm,
        data: String,
    },
    /// A call of a tool.
    Call {
        id: String,
        name: String,
        /// The text of an object.
        written: String,
        /// The object.
        arguments: Value,
        /// What the provider wants back with it.
        seal: Option<String>,
    },
    /// What a tool answered.
    Result {
        /// The call's.
        id: String,
        /// The call's.
        name: String,
        text: String,
        is_error: bool,
    },
}

/// What a model reads.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Talk {
    /// Empty when nothing is said.
    pub system: String,
    pub turns: Vec<(Side, Vec<Piece>)>,
}

impl Talk {
    /// For a format that carries pictures and files of these media types, and a server that takes such ids of calls.
    pub(crate) fn of(request: &ModelRequest, carried: &[&str], ids: Ids) -> Self {
        let mut talk = Self { system: String::new(), turns: Vec::new() };
        for (section, traffic) in request.sections.iter().zip(exchange::of(request, ids)) {
            let says = !section.text.is_empty();
            match section.kind {
                SectionKind::Instructions | SectionKind::PersistentContext if says => {
                    add(&mut talk.system, &section.text);
                }
                SectionKind::Memory if says => {
                    add(&mut talk.system, &quoted("Memory", section));
                }
                SectionKind::Plan if says => {
                    add(&mut talk.system, &quoted("Work in progress", section));
                }
                SectionKind::Summary if says => {
                    add(&mut talk.system, &quoted("Earlier conversation", section));
                }
                SectionKind::Passage if says => {
                    talk.push(Side::Person, Piece::Text(quoted("Passage", section)));
                }
                SectionKind::VolatileContext if says && section.role == Role::System => {
                    add(&mut talk.system, &section.text);
                }
                SectionKind::VolatileContext if says => {
                    talk.push(Side::Person, Piece::Text(section.text.clone()));
                }
                SectionKind::Turn | SectionKind::Draft => match section.role {
                    Role::Assistant => talk.push_reply(section, traffic, request),
                    Role::Tool => talk.push_strays(section, &traffic.strays),
                    _ => {
                        let pieces = section.parts.iter();
                        for piece in pieces.filter_map(|part| attached(part, request, carried)) {
                            talk.push(Side::Person, piece);
                        }
                        if says {
                            talk.push(Side::Person, Piece::Text(section.text.clone()));
                        }
                    }
                },
                _ => {}
            }
        }
        talk
    }

    /// Where the turn begins that is carried out: behind it, the person's side has only results.
    pub(crate) fn current(&self) -> usize {
        let asks = |(side, said): &(Side, Vec<Piece>)| {
            let result = |piece: &Piece| matches!(piece, Piece::Result { .. });
            *side == Side::Person && !said.iter().all(result)
        };
        self.turns.iter().rposition(asks).unwrap_or(0)
    }

    fn push_reply(&mut self, section: &Section, traffic: Traffic<'_>, request: &ModelRequest) {
        let says = !section.text.trim().is_empty();
        let calls = !traffic.exchanges.is_empty() && !request.tools.is_empty();
        // Thoughts that no answer followed are no turn.
        if says || calls {
            if self.turns.is_empty() {
                self.push(Side::Person, Piece::Text(EARLIER.to_owned()));
            }
            for part in &section.parts {
                if let Part::Reasoning { text, seal: Some(seal) } = part
                    && seal.model == request.model
                {
                    let (text, data) = (text.clone(), seal.data.clone());
                    self.push(Side::Model, Piece::Thought { text, form: seal.form, data });
                }
            }
        }
        if says {
            self.push(Side::Model, Piece::Text(section.text.clone()));
        }
        if calls {
            self.push_exchanges(traffic.exchanges);
        } else {
            for call in &traffic.exchanges {
                let asked = fence::quoted(
                    "Tool call",
                    &call.name,
                    exchange::object(call.written).0.as_str(),
                );
                self.push(Side::Person, Piece::Text(asked));
                let answered = fence::quoted("Its result", &call.name, call.text);
                self.push(Side::Person, Piece::Text(answered));
            }
        }
    }

    fn push_exchanges(&mut self, exchanges: Vec<Exchange<'_>>) {
        let mut results = Vec::with_capacity(exchanges.len());
        for Exchange { id, name, written, seal, text, is_error } in exchanges {
            let text = text.to_owned();
            results.push(Piece::Result { id: id.clone(), name: name.clone(), text, is_error });
            let (written, arguments) = exchange::object(written);
            let seal = seal.map(str::to_owned);
            self.push(Side::Model, Piece::Call { id, name, written, arguments, seal });
        }
        for result in results {
            self.push(Side::Person, result);
        }
    }

    /// Results that have no call here.
    fn push_strays(&mut self, section: &Section, strays: &[&str]) {
        for stray in strays {
            let text = fence::quoted("Result of a tool", &section.source, stray);
            self.push(Side::Person, Piece::Text(text));
        }
    }

    fn push(&mut self, side: Side, piece: Piece) {
        match self.turns.last_mut() {
            Some((last, said)) if *last == side => match (said.last_mut(), piece) {
                (Some(Piece::Text(text)), Piece::Text(more)) => add(text, &more),
                (_, piece) => said.push(piece),
            },
            _ => self.turns.push((side, vec![piece])),
        }
    }
}

/// A picture or file as the format carries it, or a line in its place.
fn attached(part: &Part, request: &ModelRequest, carried: &[&str]) -> Option<Piece> {
    let (Part::Image { hash, media_type, name, .. } | Part::File { hash, media_type, name, .. }) =
        part
    else {
        return None;
    };
    let name = fence::on_one_line(name);
    let Some(bytes) = request.attached.get(hash).filter(|_| carried.contains(&media_type.as_str()))
    else {
        return Some(Piece::Text(left_out(&name, &request.language)));
    };
    let (media_type, data) = (media_type.clone(), BASE64_STANDARD.encode(bytes));
    Some(match part {
        Part::Image { .. } => Piece::Image { media_type, data },
        _ => Piece::File { media_type, name, data },
    })
}

fn left_out(name: &str, language: &str) -> String {
    match language {
        "ko" => format!("[첨부 파일 “{name}”은(는) 이 모델에 보낼 수 없어서 빠졌어요.]"),
        _ => format!("[The attached file “{name}” was left out: it cannot be sent to this model.]"),
    }
}

fn add(said: &mut String, more: &str) {
    if !said.is_empty() {
        said.push_str("\n\n");
    }
    said.push_str(more);
}

fn quoted(what: &str, section: &Section) -> String {
    fence::quoted(what, &section.source, &section.text)
}

#[cfg(test)]
mod tests;
