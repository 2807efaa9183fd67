//! Agents that work through Siltstone: programs of the person's that speak the Agent Client Protocol, chosen like a model.
//!
//! An agent is a provider of the kind [`ProviderKind::Agent`](crate::provider::ProviderKind), and its address is the command
//! that starts it. It reads one request and does what is asked by itself, with tools of its own: what it does is told as it
//! happens, and what it asks leave for waits for the person. Every turn is a session of its own, so that all an agent knows
//! of a conversation is the request that is shown. Implemented by the `tools` crate; asked by the app's turns.
//!
//! Deliberately absent: files and terminals that the protocol lets a client offer. An agent has its own, and a second way to
//! the same files would be a second thing to guard.

use std::fmt;
use std::pin::Pin;

use futures_core::Stream;

use crate::offers::Told;
use crate::ports::{Access, Asked};
use crate::provider::{FoundServer, ModelInfo, ModelRequest, ProviderError};
use crate::tool::Effect;
use crate::turn::Usage;

/// The model of an agent that chooses one by itself.
pub const OWN_MODEL: &str = "default";

/// Tokens that an agent is taken to hold while nobody says. Those that are known hold 200,000 and more with the models that
/// they choose by themselves, and need room for their own work.
const WINDOW: u64 = 128_000;

/// How a prompt to an agent is named in the record of what left, where a request has its HTTP method.
pub const METHOD: &str = "ACP";

/// Agents that are known by the name of their program: what people call them, the program, and what starts it for this
/// protocol, as their makers document it.
pub const KNOWN: [(&str, &str, &str); 6] = [
    ("Claude Code", "claude-agent-acp", "claude-agent-acp"),
    ("Claude Code", "claude-code-acp", "claude-code-acp"),
    ("Codex", "codex-acp", "codex-acp"),
    ("Gemini CLI", "gemini", "gemini --experimental-acp"),
    ("opencode", "opencode", "opencode acp"),
    ("Goose", "goose", "goose acp"),
];

/// What starts an agent: a program, and what it is told. No shell reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// A name on the `PATH`, or a path.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
}

impl CommandLine {
    /// A line as a person writes it, with quotes as in a shell; `None` where it is empty or a quote stays open. Nothing else
    /// of a shell means anything in it.
    pub fn parse(line: &str) -> Option<Self> {
        let mut words = shlex::split(line)?.into_iter();
        let program = words.next().filter(|it| !it.is_empty())?;
        Some(Self { program, args: words.collect() })
    }
}

/// The model that an agent asks when nobody chooses one.
pub fn own_model() -> ModelInfo {
    model(OWN_MODEL, None)
}

/// A model that an agent offers. It calls tools, but none of ours; whether it reads pictures is known once it was started.
pub fn model(id: impl Into<String>, images: Option<bool>) -> ModelInfo {
    let no = Some(false);
    ModelInfo {
        context_window: Some(WINDOW),
        window_guessed: true,
        takes_images: images,
        takes_files: no,
        takes_tools: no,
        ..ModelInfo::named(id)
    }
}

/// What an agent is to do.
#[derive(Debug)]
pub struct Work {
    /// What starts it.
    pub command: CommandLine,
    /// Where it works; `None` for an empty folder that goes when it ends.
    pub folder: Option<String>,
    /// What it reads, and which of its models is asked.
    pub request: ModelRequest,
    /// The folder of the project in which it may look up what was said and what holds, through Siltstone's own server;
    /// `None` where that is not offered.
    pub looks_up: Option<String>,
    /// How far it may go, and where what it is told is written down.
    pub access: Access,
}

/// What a call of an agent's own does, as the protocol names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallKind {
    /// Reads a file.
    Read,
    /// Looks for something.
    Search,
    /// Changes files.
    Edit,
    /// Deletes files.
    Delete,
    /// Moves files.
    Move,
    /// Runs a command.
    Execute,
    /// Fetches something from outside.
    Fetch,
    /// Thinks.
    Think,
    /// Anything else.
    Other,
}

impl CallKind {
    /// As a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Search => "search",
            Self::Edit => "edit",
            Self::Delete => "delete",
            Self::Move => "move",
            Self::Execute => "run",
            Self::Fetch => "fetch",
            Self::Think => "think",
            Self::Other => "tool",
        }
    }

    /// What it may do. What is not named may do anything.
    pub fn effect(self) -> Effect {
        match self {
            Self::Read | Self::Search | Self::Think => Effect::Reads,
            Self::Edit | Self::Delete | Self::Move => Effect::Changes,
            Self::Execute | Self::Fetch | Self::Other => Effect::Runs,
        }
    }
}

/// How a call stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallState {
    /// Announced, or under way.
    Going,
    /// Done.
    Done,
    /// It failed, or was refused.
    Failed,
}

/// A file as a call would change it, or did: the part that changes, or all of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallChange {
    /// The file's whole path.
    pub path: String,
    /// What stands there; `None` for a new file.
    pub before: Option<String>,
    /// What will.
    pub after: String,
}

/// A call of an agent's own, as far as it is known: it is told anew whenever more is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentCall {
    /// The agent's id of it.
    pub id: String,
    /// What the agent calls it, on one line.
    pub title: String,
    /// What it does.
    pub kind: CallKind,
    /// How it stands.
    pub state: CallState,
    /// Its arguments, JSON text; `{}` where the agent does not say.
    pub arguments: String,
    /// The line of a command, where it is one.
    pub command: Option<String>,
    /// What came of it, as text.
    pub said: String,
    /// Files that it changes.
    pub changes: Vec<CallChange>,
    /// Files that it is about: whole paths, or as the agent writes them.
    pub paths: Vec<String>,
}

/// The person's answer to an agent that asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leave {
    /// Yes, this once: what is remembered is remembered here.
    Given,
    /// No; what they say with it is said to the agent when it has done what else it can.
    Refused {
        /// Empty when they say nothing.
        note: String,
    },
    /// The turn was stopped.
    Stopped,
}

/// A call that waits for leave. Dropping it without an answer refuses.
pub struct Question {
    /// The call.
    pub call: AgentCall,
    /// Tells the agent.
    pub answer: Box<dyn FnOnce(Leave) + Send>,
}

impl fmt::Debug for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Question").field("call", &self.call).finish_non_exhaustive()
    }
}

/// What is heard of an agent at work.
#[derive(Debug)]
pub enum Heard {
    /// It has begun, and says whether it reads pictures.
    Began {
        /// It does.
        images: bool,
    },
    /// What it offers, as far as it tells.
    Offers(Told),
    /// More of its answer.
    Text(String),
    /// More of its thinking, or of its plan.
    Thought(String),
    /// A call began, or more is known of it.
    Call(AgentCall),
    /// It asks.
    Asks(Question),
    /// What it counted in this session.
    Usage(Usage),
    /// It is done. A stream that ends without this was cut.
    Finished,
}

/// An agent at work. Dropping it stops the agent with everything that it started.
pub type Working = Pin<Box<dyn Stream<Item = Result<Heard, ProviderError>> + Send>>;

/// Starts agents.
pub trait Agents: Send + Sync {
    /// Sets one to work; it starts when the stream is first polled.
    fn work(&self, work: Work) -> Working;
    /// The models that an agent offers, and what else. Starts it in an empty folder and asks it nothing: also a test of the
    /// command.
    fn look(&self, command: CommandLine, access: Access) -> Asked<'_, (Vec<ModelInfo>, Told)>;
    /// Whether Siltstone's own server is there, for agents to look things up.
    fn serves(&self) -> bool;
    /// Agents that are on this computer's `PATH`; starts none.
    fn found(&self) -> Vec<FoundServer>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_words_and_no_shell_reads_it() {
        let line = CommandLine::parse(r#"npx -y "@some/agent acp" --x='$HOME; rm' "#).unwrap();
        assert_eq!(line.program, "npx");
        assert_eq!(line.args, ["-y", "@some/agent acp", "--x=$HOME; rm"]);
        for nothing in ["", "  ", "'open", "\"\""] {
            assert_eq!(CommandLine::parse(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn what_an_agent_does_not_name_may_do_anything() {
        assert_eq!(CallKind::Other.effect(), Effect::Runs);
        assert_eq!(CallKind::Fetch.effect(), Effect::Runs);
        assert_eq!(CallKind::Read.effect(), Effect::Reads);
    }
}
