//! What the engine knows of language models: who they are, what they stream back and how they fail.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::conversation::Tuning;
use crate::message::{Part, SealForm};
use crate::price::Price;
use crate::section::Section;
use crate::tool::ToolSpec;
use crate::turn::Usage;

/// Name of the provider that is always there and needs no network.
pub const OFFLINE: &str = "offline";

/// How every answer of it begins in Korean; so one is recognised wherever nobody noted who wrote it.
pub const OFFLINE_KO: &str =
    "연결된 모델이 없습니다. 그래서 답을 짓지 않고, 찾은 글을 그대로 옮깁니다.";

/// The same in English.
pub const OFFLINE_EN: &str =
    "No model is connected. So nothing is made up here: what was found is quoted word for word.";

/// Tokens of a window when neither the server nor the catalogue says: what models have at least that people talk to today.
/// A server that holds less says so when it is asked for more.
pub const DEFAULT_WINDOW: u64 = 32_768;

/// The wire format a provider speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ProviderKind {
    /// No wire at all: quotes what it finds on this computer.
    Offline,
    /// OpenAI chat completions, at any base URL.
    Openai,
    /// Anthropic messages, at any base URL.
    Anthropic,
    /// Gemini's generateContent.
    Gemini,
    /// Ollama's own chat.
    Ollama,
    /// A program that speaks the Agent Client Protocol: see [`crate::acp`].
    Agent,
}

impl ProviderKind {
    /// What such a provider does, for a model to read. Names no address.
    pub fn description(self) -> &'static str {
        match self {
            Self::Offline => "Quotes the project and the conversation, and asks no model.",
            Self::Openai => "Asks models that speak OpenAI chat completions.",
            Self::Anthropic => "Asks models that speak Anthropic messages.",
            Self::Gemini => "Asks models that speak Gemini.",
            Self::Ollama => "Asks models that Ollama runs.",
            Self::Agent => "Has an agent of this computer do the work.",
        }
    }
}

/// A provider as the person set it up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ProviderRecord {
    /// Unique name, chosen by the person or by the server's kind.
    pub name: String,
    /// Its wire format.
    pub kind: ProviderKind,
    /// Where it listens: up to and including the version segment, for example `http://127.0.0.1:8080/v1`; Ollama's own
    /// format has no version and ends with the port. Of an agent, the command that starts it.
    pub base_url: String,
}

/// A model a provider offers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ModelInfo {
    /// The name to ask for.
    pub id: String,
    /// Tokens that request and reply may have together, when that is known.
    pub context_window: Option<u64>,
    /// Whether nobody says so of this model: it is what most of its family have.
    #[serde(default)]
    pub window_guessed: bool,
    /// Whether it reads pictures, when that is known.
    pub takes_images: Option<bool>,
    /// Whether it reads PDF files, when that is known.
    pub takes_files: Option<bool>,
    /// Whether it calls tools, when that is known.
    pub takes_tools: Option<bool>,
    /// What the server asks for it, when it says so.
    pub price: Option<Price>,
}

impl ModelInfo {
    /// A model of which nothing else is known.
    pub fn named(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            context_window: None,
            window_guessed: false,
            takes_images: None,
            takes_files: None,
            takes_tools: None,
            price: None,
        }
    }

    /// Tokens of its window, or the usual ones when nobody says.
    pub fn window(&self) -> u64 {
        self.context_window.unwrap_or(DEFAULT_WINDOW)
    }

    /// Whether its window is only assumed.
    pub fn window_assumed(&self) -> bool {
        self.window_guessed || self.context_window.is_none()
    }

    /// The same with the window that the person gave it, if they did: `windows` is of
    /// [`crate::settings::Settings::windows`].
    pub fn with_own_window(self, windows: &BTreeMap<String, u64>) -> Self {
        match windows.get(&self.id) {
            Some(own) => Self { context_window: Some(*own), window_guessed: false, ..self },
            None => self,
        }
    }

    /// Whether it may be sent this part: only what it is known not to read is kept from it.
    pub fn takes(&self, part: &Part) -> bool {
        let known = match part {
            Part::Image { .. } => self.takes_images,
            Part::File { .. } => self.takes_files,
            _ => None,
        };
        known.unwrap_or(true)
    }
}

/// Who says how much a model holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum WindowSource {
    /// Its server, or the catalogue by its name.
    Known,
    /// Nobody: it is what its family or most models have.
    Assumed,
    /// The person.
    Person,
}

/// How much a model that can think may think.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Effort {
    /// As little as the model allows.
    Minimal,
    /// A little.
    Low,
    /// As much as the maker thinks right.
    Medium,
    /// A lot.
    High,
}

/// A server found on this computer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct FoundServer {
    /// The product, for example `Ollama`.
    pub name: String,
    /// The wire format it is best spoken to in.
    pub kind: ProviderKind,
    /// Base URL to add it with.
    pub base_url: String,
    /// The models it lists.
    pub models: Vec<ModelInfo>,
}

/// What is asked of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelRequest {
    /// The model's id.
    pub model: String,
    /// What it reads, in order.
    pub sections: Vec<Section>,
    /// Most tokens of the reply.
    pub max_output_tokens: Option<u32>,
    /// Sampling temperature.
    pub temperature: Option<f32>,
    /// How much to think; `None` leaves it to the provider.
    pub effort: Option<Effort>,
    /// The mode in which an agent works; `None` for the one in which it asks. Nothing to a model.
    pub mode: Option<String>,
    /// What the reply is to be, as a JSON schema. A provider that cannot see to it, or refuses to, replies as it does
    /// without one.
    pub schema: Option<Value>,
    /// The tools it may call. What they are is in the sections too, to be seen and counted; there it is not sent.
    pub tools: Vec<ToolSpec>,
    /// The bytes of every picture and file that the sections name, by hash.
    pub attached: BTreeMap<String, Arc<[u8]>>,
    /// Language of our own words in the reply, `ko` or `en`.
    pub language: String,
}

impl ModelRequest {
    /// A request that leaves everything else to the provider.
    pub fn of(model: impl Into<String>, sections: Vec<Section>, language: &str) -> Self {
        Self {
            model: model.into(),
            sections,
            max_output_tokens: None,
            temperature: None,
            effort: None,
            mode: None,
            schema: None,
            tools: Vec::new(),
            attached: BTreeMap::new(),
            language: language.to_owned(),
        }
    }

    /// The same, asked as the person tuned it. The instructions are a section already.
    pub fn tuned(mut self, tuning: &Tuning) -> Self {
        self.max_output_tokens = tuning.max_output_tokens;
        self.temperature = tuning.temperature;
        self.effort = tuning.effort;
        self
    }
}

/// Why a reply ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// The model was done.
    Stop,
    /// The output limit was reached.
    Length,
    /// The model wants tools, whatever its server called the end.
    ToolCalls,
    /// The provider withheld the rest.
    Filtered,
}

/// A piece of a streamed reply.
#[derive(Clone, Debug, PartialEq)]
pub enum Chunk {
    /// More of the answer.
    Text(String),
    /// More of the thinking.
    Reasoning(String),
    /// Ends a thought: what the provider wants back with it.
    Seal(SealForm, String),
    /// A whole tool call; never half of one. They come once the server has named a reason to finish, in the order in which
    /// they were made.
    ToolCall {
        /// The provider's id of the call, made different from those of all calls in the request.
        id: String,
        /// The tool, as the model named it: perhaps one that was not offered.
        name: String,
        /// As the model wrote them: JSON text, if it did well. `{}` where it wrote none.
        arguments: String,
        /// What the provider wants back with the call (Gemini's thought signature).
        seal: Option<String>,
    },
    /// What the provider counted.
    Usage(Usage),
    /// The reply is whole. A stream that ends without it was cut.
    Finished(FinishReason),
}

/// How asking a model fails. Each becomes its own error code at the boundary.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// Nobody listens at the address.
    #[error("cannot reach {url}: {detail}")]
    Unreachable {
        /// The address without credentials or query.
        url: String,
        /// What the network said.
        detail: String,
    },
    /// The address is not on this computer, and only this computer may be used.
    #[error("{url} is not on this computer")]
    NotLocal {
        /// The address without credentials or query.
        url: String,
    },
    /// The address is elsewhere and not encrypted.
    #[error("{url} is not encrypted")]
    Insecure {
        /// The address without credentials or query.
        url: String,
    },
    /// The proxy of the settings cannot be used.
    #[error("the proxy cannot be used: {detail}")]
    Proxy {
        /// What is wrong with it; never the address, which may hold a password.
        detail: String,
    },
    /// The certificates of the settings cannot be used.
    #[error("the certificates in {path} cannot be used: {detail}")]
    Certificates {
        /// The file.
        path: String,
        /// What is wrong with it.
        detail: String,
    },
    /// What was to leave could not be written down, so it did not leave.
    #[error("not sent, because it could not be recorded: {detail}")]
    NotRecorded {
        /// What the store said.
        detail: String,
    },
    /// The server did not say anything for too long.
    #[error("no answer within {seconds} s")]
    TimedOut {
        /// How long was waited.
        seconds: u64,
    },
    /// The stream ended before the reply did.
    #[error("the reply was cut off: {detail}")]
    Cut {
        /// How it ended.
        detail: String,
    },
    /// Too many requests.
    #[error("rate limited")]
    RateLimited {
        /// Seconds to wait, when the server said so.
        retry_after: Option<u64>,
    },
    /// The key was refused.
    #[error("not authorised: {detail}")]
    Unauthorised {
        /// The server's words.
        detail: String,
    },
    /// The account behind the key has nothing left to spend.
    #[error("no credit: {detail}")]
    NoCredit {
        /// The server's words.
        detail: String,
    },
    /// The server does not know the model.
    #[error("model {model} not found")]
    ModelNotFound {
        /// The model asked for.
        model: String,
    },
    /// The request is longer than the model's window.
    #[error("the request is too long: {detail}")]
    ContextOverflow {
        /// The server's words, with its numbers.
        detail: String,
        /// Tokens that the model holds, where the server said so.
        holds: Option<u64>,
    },
    /// The model, or the server that runs it, takes no tools. The same request without them may be answered.
    #[error("it takes no tools: {detail}")]
    NoTools {
        /// The server's words.
        detail: String,
    },
    /// The server has trouble of its own.
    #[error("server error {status}: {detail}")]
    Server {
        /// HTTP status.
        status: u16,
        /// The server's words.
        detail: String,
    },
    /// An agent failed by itself.
    #[error("the agent failed: {detail}")]
    Agent {
        /// Its words.
        detail: String,
    },
    /// The server refused the request for another reason.
    #[error("refused with {status}: {detail}")]
    Refused {
        /// HTTP status.
        status: u16,
        /// The server's words.
        detail: String,
    },
    /// An agent refuses to go on.
    #[error("the agent refuses to go on")]
    Withheld,
    /// What came back is not the format it should be.
    #[error("unreadable answer: {detail}")]
    Malformed {
        /// What was wrong.
        detail: String,
    },
}

impl ProviderError {
    /// The stable code the UI switches on.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unreachable { .. } => "provider_unreachable",
            Self::NotLocal { .. } => "provider_not_local",
            Self::Insecure { .. } => "provider_insecure",
            Self::Proxy { .. } => "proxy_unusable",
            Self::Certificates { .. } => "certificates_unusable",
            Self::NotRecorded { .. } => "not_recorded",
            Self::TimedOut { .. } => "provider_timed_out",
            Self::Cut { .. } => "reply_cut",
            Self::RateLimited { .. } => "rate_limited",
            Self::Unauthorised { .. } => "key_refused",
            Self::NoCredit { .. } => "no_credit",
            Self::ModelNotFound { .. } => "model_not_found",
            Self::ContextOverflow { .. } => "context_overflow",
            Self::NoTools { .. } => "no_tools",
            Self::Server { .. } | Self::Agent { .. } => "provider_trouble",
            Self::Refused { .. } => "provider_refused",
            Self::Withheld => "reply_withheld",
            Self::Malformed { .. } => "provider_malformed",
        }
    }
}
