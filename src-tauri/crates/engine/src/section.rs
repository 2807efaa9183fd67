//! Sections: the pieces a request is made of, and what was left out of it.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::compaction::Worth;
use crate::conversation::Tuning;
use crate::ids::{MessageId, SummaryId};
use crate::memory::{InjectedWhy, MemoryLayer};
use crate::mention::Lines;
use crate::message::{Part, Role};
use crate::recall::Parts;
use crate::session::Words;
use crate::summary::TurnSpan;
use crate::vault::{Agent, SaidAt};

/// Ids of sections of which there is one: our own instructions.
pub const INSTRUCTIONS: &str = "instructions";
/// The tools that are offered.
pub const TOOLS: &str = "tools";
/// The person's instructions for the conversation.
pub const CONVERSATION_INSTRUCTIONS: &str = "conversation-instructions";
/// Key sentences.
pub const EXTRACT: &str = "extract";
/// The message being sent.
pub const DRAFT: &str = "draft";
/// What asks to go on.
pub const CONTINUE: &str = "continue";

/// What the ids of sections begin with that show a file of the project: memory.
pub const MEMORY: &str = "memory:";
/// A file that the message names.
pub const MENTION: &str = "mention:";
/// A passage.
pub const PASSAGE: &str = "passage:";

/// A passage of an earlier message.
pub const RECALL: &str = "recall:";

/// What the id of a passage of a kept session of an agent begins with.
pub const SESSION: &str = "recall:session/";

/// What the id of a message's section begins with.
const MESSAGE: &str = "message:";

/// The id of a message's section.
pub fn id_of_message(message: MessageId) -> String {
    message.after(MESSAGE)
}

/// The message of a section that is one.
pub fn message_of(id: &str) -> Option<MessageId> {
    id.strip_prefix(MESSAGE)?.parse().ok()
}

/// The id of the section of a message's passage.
pub fn id_of_recalled(message: MessageId) -> String {
    message.after(RECALL)
}

/// The message of a section that is a passage of one.
pub fn recalled_of(id: &str) -> Option<MessageId> {
    PassageOf::named(id)?.message()
}

/// What a passage is of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PassageOf {
    /// A message of a conversation.
    Message(MessageId),
    /// What was said in a kept session of an agent.
    Session(SaidAt),
}

impl PassageOf {
    /// The id of its section.
    pub fn id(&self) -> String {
        match self {
            Self::Message(message) => id_of_recalled(*message),
            Self::Session(SaidAt { agent, session, number }) => {
                format!("{SESSION}{}/{session}/{number}", agent.name())
            }
        }
    }

    /// What the section with this id is a passage of.
    pub fn named(id: &str) -> Option<Self> {
        let Some(of) = id.strip_prefix(SESSION) else {
            return id.strip_prefix(RECALL)?.parse().ok().map(Self::Message);
        };
        let (agent, of) = of.split_once('/')?;
        let (session, number) = of.rsplit_once('/')?;
        let (agent, session) = (Agent::named(agent)?, session.to_owned());
        Some(Self::Session(SaidAt { agent, session, number: number.parse().ok()? }))
    }

    /// The message, if it is of one.
    pub fn message(&self) -> Option<MessageId> {
        match self {
            Self::Message(message) => Some(*message),
            Self::Session(_) => None,
        }
    }
}

/// What the id of a section ends with that has only the rules of a memory file.
pub(crate) const RULES: &str = "#rules";

/// The id of a memory file's section.
pub fn id_of_memory(path: &str) -> String {
    format!("{MEMORY}{path}")
}

/// The path of the memory file of a section that is one, its rules alone included.
pub fn memory_of(id: &str) -> Option<&str> {
    let path = id.strip_prefix(MEMORY)?;
    Some(path.strip_suffix(RULES).unwrap_or(path))
}

/// The id of a summary's section.
pub fn id_of_summary(record: SummaryId) -> String {
    format!("summary:{record}")
}

/// What a section is; also decides where it stands in the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum SectionKind {
    /// Siltstone's own instructions to the model, and the person's for the conversation.
    Instructions,
    /// The tools that the model may call; sent beside the talk, not in it.
    Tools,
    /// A memory file of the project.
    Memory,
    /// What is kept beside the conversation, renewed on conditions.
    PersistentContext,
    /// The plan and the task that are worked on, and what was decided.
    Plan,
    /// What stands for earlier messages.
    Summary,
    /// An earlier message, word for word.
    Turn,
    /// A passage found by search.
    Passage,
    /// What is known at this moment: where the person works, in which file.
    VolatileContext,
    /// The message being sent.
    Draft,
}

/// Why a section is in the request. The UI owns the words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum Reason {
    /// Always there.
    Base,
    /// The person's instructions for this conversation.
    ConversationRule,
    /// Memory.
    #[serde(alias = "project_rule")]
    Memory {
        /// Its layer.
        #[serde(default = "project_layer")]
        layer: MemoryLayer,
        /// Why it was injected.
        #[serde(default)]
        why: InjectedWhy,
    },
    /// Found for the question; 1 is the best hit.
    Found {
        /// Place in the ranking.
        rank: u32,
    },
    /// Said earlier, and about what is asked; 1 is the passage that is worth most.
    Recalled {
        /// Place in the ranking.
        rank: u32,
        /// What it is worth to the question, 0 to 100.
        worth: u32,
        /// Whether that is for its meaning more than for the words it shares with what is asked.
        #[serde(default)]
        by_meaning: bool,
        /// What is shown of a long message; `None` where all of it is.
        #[serde(default)]
        cut: Option<Parts>,
        /// The day on which otherwise was said since; `None` where nothing was.
        #[serde(default)]
        #[cfg_attr(feature = "ts", ts(type = "string | null"))]
        otherwise: Option<Date>,
    },
    /// Said earlier by the person, to hold from then on.
    Standing {
        /// What is shown of the message; `None` where all of it is.
        #[serde(default)]
        cut: Option<Parts>,
    },
    /// Named in the message with `@`.
    Mentioned {
        /// The lines that were meant; `None` for the whole file.
        lines: Option<Lines>,
    },
    /// Stands for earlier messages.
    Summary {
        /// Its version.
        version: u32,
    },
    /// Sentences of earlier messages that do not fit, chosen for this request.
    KeySentences {
        /// How many messages they are of.
        messages: u64,
    },
    /// Part of the conversation that still fits.
    Recent,
    /// Part of the conversation that is worth more than others; the sum decides.
    Important {
        /// What it is worth.
        worth: Worth,
    },
    /// Part of the conversation; only its beginning fits.
    Shortened {
        /// Characters that are sent.
        chars: u32,
    },
    /// The person wants it in every request.
    Pinned,
    /// Kept for every request of the project.
    Persistent,
    /// True at the moment of the request.
    Volatile,
    /// What is worked on.
    Plan,
    /// Where the last session stopped.
    Resumed,
    /// What is being asked now.
    Draft,
    /// Written as the design of the policy writes it, with the summaries, or with the earlier messages and the question.
    AsTheSeed,
    /// Asks to go on where an interrupted reply stopped.
    Continue,
}

impl Reason {
    /// The day on which otherwise was said than in a passage.
    pub fn otherwise(&self) -> Option<Date> {
        match self {
            Self::Recalled { otherwise, .. } => *otherwise,
            _ => None,
        }
    }
}

/// The layer of what was stored when there was one.
fn project_layer() -> MemoryLayer {
    MemoryLayer::Project
}

/// Why something is not in the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum LeftOutWhy {
    /// The window was full.
    NoRoom,
    /// The person has not trusted the folder.
    Untrusted,
    /// The file could not be read.
    Unreadable,
    /// The same text is there already under another name.
    Duplicate,
    /// Files of this name are never sent: they are likely to hold a secret.
    NeverSent,
    /// The person excluded the file.
    Excluded,
    /// The memory file changed after the person agreed to it; what was agreed to goes, if there is such a text.
    ChangedSinceAgreed,
    /// The person switched the memory file off.
    Off,
    /// The request touches no path that the memory file is about.
    NotTouched,
    /// The request mentions nothing that the memory file is about; its rules went all the same.
    NotMentioned,
    /// A memory file that is too large, no text or no regular file.
    Refused,
    /// No file inside the project.
    Outside,
    /// The model does not read such files.
    NotTaken,
    /// A summary or key sentences stand for it.
    Summarised,
    /// The person wants the request without it.
    ByYou,
    /// More of the project's files are still being read; what was found is from those that were.
    StillReading,
    /// Tools, for a greeting or thanks alone.
    SmallTalk,
    /// Tools, for a model that takes none.
    NoTools,
    /// The message is a command of the agent's own, which it reads alone.
    AgentCommand,
}

/// One piece of a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Section {
    /// Stable within a conversation: the same piece keeps its id from request to request.
    pub id: String,
    /// What it is.
    pub kind: SectionKind,
    /// Who speaks it to the model.
    pub role: Role,
    /// Where it comes from, readable: a path, `conversation`, `composer`, `siltstone`.
    pub source: String,
    /// A `silt:` link to that place, where there is one.
    pub link: Option<String>,
    /// The text the model gets.
    pub text: String,
    /// Parts beyond text (pictures, files), for messages.
    pub parts: Vec<Part>,
    /// Tokens.
    pub tokens: u64,
    /// Whether a tokenizer counted, or it is an estimate.
    pub exact: bool,
    /// Why it is here.
    pub reason: Reason,
    /// Kept by the person's wish.
    pub pinned: bool,
    /// The messages it shows.
    pub messages: Vec<MessageId>,
    /// The turns it is of, where their numbers are known.
    pub turns: Option<TurnSpan>,
    /// The rules by which secrets were taken out of its text.
    #[serde(default)]
    pub redacted: Vec<String>,
}

/// Something that did not enter the request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct LeftOut {
    /// The section it would be, where it is one.
    #[serde(default)]
    pub id: Option<String>,
    /// Where it is.
    pub source: String,
    /// What it would have cost.
    pub tokens: u64,
    /// Why it is out.
    pub why: LeftOutWhy,
    /// What it is worth, where messages are chosen by that.
    #[serde(default)]
    pub worth: Option<Worth>,
}

impl LeftOut {
    /// Something of which the person is told by where it is.
    pub fn new(source: impl Into<String>, tokens: u64, why: LeftOutWhy) -> Self {
        Self { id: None, source: source.into(), tokens, why, worth: None }
    }

    /// The same, of the section that it would be.
    pub fn of(
        id: impl Into<String>,
        source: impl Into<String>,
        tokens: u64,
        why: LeftOutWhy,
    ) -> Self {
        Self { id: Some(id.into()), ..Self::new(source, tokens, why) }
    }
}

/// What is sent: sections in order, and what is not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Request {
    /// In the order in which the model reads them.
    pub sections: Vec<Section>,
    /// What did not fit or may not go.
    pub left_out: Vec<LeftOut>,
    /// Sum over the sections.
    pub tokens: u64,
    /// Most tokens the sections may have: the window less the reserve for the reply.
    pub budget: u64,
    /// What was estimated of them, before it was corrected by what the provider taught.
    pub estimated: u64,
    /// The rest of them: what a tokenizer counted, and what the provider adds around each message.
    pub counted: u64,
}

/// What is stored of a request with its turn: ids and hashes, not copies. Of the conversation's instructions and of the
/// context alone there is no other trace once they change, so they are in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Manifest {
    /// One entry a section, in order.
    pub sections: Vec<ManifestSection>,
    /// As in the request.
    pub left_out: Vec<LeftOut>,
    /// As in the request.
    pub tokens: u64,
    /// As in the request.
    pub budget: u64,
    /// How the model was asked.
    #[serde(default)]
    pub tuning: Tuning,
    /// As in the request.
    #[serde(default)]
    pub estimated: u64,
    /// As in the request.
    #[serde(default)]
    pub counted: u64,
}

/// A section's trace in a manifest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ManifestSection {
    /// The section's id.
    pub id: String,
    /// What it was.
    pub kind: SectionKind,
    /// Where it came from.
    pub source: String,
    /// A `silt:` link to that place.
    pub link: Option<String>,
    /// Tokens at that time.
    pub tokens: u64,
    /// Whether a tokenizer counted them.
    #[serde(default)]
    pub exact: bool,
    /// Why it was there.
    pub reason: Reason,
    /// Whether the person wanted it.
    #[serde(default)]
    pub pinned: bool,
    /// The messages it showed.
    pub messages: Vec<MessageId>,
    /// The turns it was of.
    #[serde(default)]
    pub turns: Option<TurnSpan>,
    /// The rules by which secrets were taken out of its text.
    #[serde(default)]
    pub redacted: Vec<String>,
    /// BLAKE3 of the text, hexadecimal.
    pub hash: String,
    /// The text of tools, of a context block, of a plan or of key sentences, of which there is no other trace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub text: Option<String>,
    /// Pictures and files that went with the text.
    #[serde(default)]
    pub attached: Vec<Part>,
}

impl Section {
    /// Whether its text is nowhere else once what it was made from changes.
    fn is_only_here(&self) -> bool {
        match self.kind {
            _ if self.reason == Reason::AsTheSeed => true,
            SectionKind::Tools
            | SectionKind::PersistentContext
            | SectionKind::Plan
            | SectionKind::VolatileContext => true,
            SectionKind::Summary => self.link.is_none(),
            _ => false,
        }
    }

    /// Its pictures and files.
    pub fn attached(&self) -> impl Iterator<Item = &Part> {
        self.parts.iter().filter(|part| part.attached_hash().is_some())
    }
}

impl Request {
    /// What is asked now and nothing else; the rest is left out for this reason.
    pub fn alone(mut self, why: LeftOutWhy) -> Self {
        let others = self.sections.extract_if(.., |it| it.kind != SectionKind::Draft);
        let others = others.map(|it| LeftOut::of(it.id, it.source, it.tokens, why));
        let out: Vec<LeftOut> = others.collect();
        self.left_out.splice(0..0, out);
        self.tokens = self.sections.iter().map(|section| section.tokens).sum();
        // One line is no estimate to learn from.
        (self.estimated, self.counted) = (0, self.tokens);
        self
    }

    /// The trace that is stored with the turn.
    pub fn manifest(&self, tuning: &Tuning) -> Manifest {
        Manifest {
            sections: self
                .sections
                .iter()
                .map(|section| ManifestSection {
                    id: section.id.clone(),
                    kind: section.kind,
                    source: section.source.clone(),
                    link: section.link.clone(),
                    tokens: section.tokens,
                    exact: section.exact,
                    reason: section.reason.clone(),
                    pinned: section.pinned,
                    messages: section.messages.clone(),
                    turns: section.turns,
                    redacted: section.redacted.clone(),
                    hash: hash_of(&section.text),
                    text: section.is_only_here().then(|| section.text.clone()),
                    attached: section.attached().cloned().collect(),
                })
                .collect(),
            left_out: self.left_out.clone(),
            tokens: self.tokens,
            budget: self.budget,
            tuning: tuning.clone(),
            estimated: self.estimated,
            counted: self.counted,
        }
    }
}

impl Manifest {
    /// Takes the words of a conversation that is deleted for ever out of the trace of another one's request: texts that
    /// have no other trace, and its title. Whether there were any.
    pub fn forget(&mut self, words: &Words) -> bool {
        let mut any = false;
        let recalled = |id: &str| recalled_of(id).is_some_and(|message| words.has(message));
        for section in &mut self.sections {
            let told = section.kind == SectionKind::Summary
                && section.text.as_ref().is_some_and(|text| words.tell(&section.messages, text));
            if told {
                (section.text, any) = (None, true);
            }
            if recalled(&section.id) {
                section.source = untitled(&section.source);
                any = true;
            }
        }
        for left in &mut self.left_out {
            if left.id.as_deref().is_some_and(recalled) {
                left.source = untitled(&left.source);
                any = true;
            }
        }
        any
    }
}

impl Manifest {
    /// Whether a request had a passage of something.
    pub fn has_passage(&self, is_it: impl Fn(&PassageOf) -> bool) -> bool {
        self.sections.iter().any(|it| PassageOf::named(&it.id).is_some_and(|of| is_it(&of)))
    }
}

/// The source of a recalled passage without the title of its conversation.
fn untitled(source: &str) -> String {
    source.rsplit_once(" · ").map_or(source, |(_, day)| day).to_owned()
}

impl ManifestSection {
    /// Whether this text is what was sent.
    pub fn is_of(&self, text: &str) -> bool {
        self.hash == hash_of(text)
    }
}

fn hash_of(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}
