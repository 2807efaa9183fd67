//! A provider behind the gate, whatever its wire format: asks, streams, and lists models. What differs from format to
//! format is its [`Wire`]; what is the same is here.

use bytes::Bytes;
use futures_core::Stream;
use futures_util::stream::{self, BoxStream};
use futures_util::{StreamExt, TryStreamExt};
use reqwest::Url;
use serde_json::Value;
use siltstone_engine::catalogue;
use siltstone_engine::message::Part;
use siltstone_engine::ports::{self, Access, ModelProvider, ReplyStream};
use siltstone_engine::provider::{Chunk, ModelInfo, ModelRequest, ProviderError};

use crate::faults::{self, Asked};
use crate::http::{Answer, Door, Gate, KeyHeader, NoAnswer};
use crate::reply::Reply;

/// How an answer is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// Server-sent events.
    Events,
    /// One JSON value a line.
    Lines,
}

/// A wire format: stateless, one for all providers that speak it.
pub(crate) trait Wire: Send + Sync {
    /// How it carries a key.
    fn key_header(&self) -> KeyHeader;
    /// What it sends with every request besides.
    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }
    /// Where a request goes, and its body.
    fn question(&self, request: &ModelRequest, door: &Door) -> Result<(Url, Bytes), ProviderError>;
    /// How its answers are divided.
    fn framing(&self) -> Framing {
        Framing::Events
    }
    /// Reads one event into the reply. An answer that was not streamed comes as one event.
    fn read(&self, event: &Value, reply: &mut Reply);
    /// The models behind a door.
    fn models<'a>(&'a self, door: &'a Door) -> ports::Asked<'a, Vec<ModelInfo>>;
}

/// A provider that speaks a wire format.
pub(crate) struct Remote {
    wire: &'static dyn Wire,
    door: Door,
}

impl Remote {
    /// Behind `base_url`; fails if it may not be asked.
    pub(crate) fn new(
        wire: &'static dyn Wire,
        gate: &Gate,
        base_url: &str,
        access: Access,
    ) -> Result<Self, ProviderError> {
        let door = gate.door(base_url, access, wire.key_header(), wire.headers())?;
        Ok(Self { wire, door })
    }
}

impl ModelProvider for Remote {
    fn models(&self) -> ports::Asked<'_, Vec<ModelInfo>> {
        Box::pin(async {
            let listed = self.wire.models(&self.door).await;
            let listed = listed.map_err(|error| faults::without_key(error, &self.door))?;
            let base_url = self.door.address(&[]);
            let whole = |model| catalogue::complete(model, base_url.as_str());
            Ok(listed.into_iter().map(whole).collect())
        })
    }

    fn stream(&self, mut request: ModelRequest) -> ReplyStream {
        let wire = self.wire;
        let (door, listener) = (self.door.clone(), self.door.clone());
        let answered = async move {
            let mut answer = ask_once(wire, &door, &request).await;
            // Every time with less, so twice at most.
            while let Err(no) = &answer
                && let Some(plain) = without_wishes(&request, no)
            {
                request = plain;
                answer = ask_once(wire, &door, &request).await;
            }
            let answer = answer.map_err(|no| faults::of(no, &Asked::from(&request)))?;
            let events: BoxStream<'_, _> = match wire.framing() {
                Framing::Lines => answer.lines().boxed(),
                Framing::Events if answer.is_json() => {
                    stream::once(std::future::ready(Ok(answer.text().await?))).boxed()
                }
                Framing::Events => answer.events().boxed(),
            };
            Ok(chunks(wire, events, Reply::new(&request)))
        };
        stream::once(answered)
            .try_flatten()
            .map_err(move |error| faults::without_key(error, &listener))
            .boxed()
    }
}

async fn ask_once(
    wire: &dyn Wire,
    door: &Door,
    request: &ModelRequest,
) -> Result<Answer, NoAnswer> {
    let (url, body) = wire.question(request, door).map_err(NoAnswer::Failed)?;
    door.post(&url, body).await
}

/// The same request without what the server may have refused it for: a schema; and, if that is what it speaks of, the
/// wish how much to think and earlier thoughts. Which model can do what, no list of ours knows of every server.
fn without_wishes(request: &ModelRequest, no: &NoAnswer) -> Option<ModelRequest> {
    let NoAnswer::Refused(refusal) = no else {
        return None;
    };
    let said = refusal.body.to_lowercase();
    let about = ["think", "thought", "reasoning", "effort", "signature"];
    if !matches!(refusal.status, 400 | 422) {
        return None;
    }
    let mut plain = ModelRequest { schema: None, ..request.clone() };
    if about.iter().any(|word| said.contains(word)) {
        plain.effort = None;
        for section in &mut plain.sections {
            section.parts.retain_mut(|part| match part {
                Part::ToolCall { seal, .. } => {
                    *seal = None;
                    true
                }
                part => !matches!(part, Part::Reasoning { .. }),
            });
        }
    }
    (plain != *request).then_some(plain)
}

/// Events in, chunks out. The events are dropped, and with them the connection, as soon as the reply is over.
pub(crate) fn chunks<S>(
    wire: &'static dyn Wire,
    events: S,
    reply: Reply,
) -> impl Stream<Item = Result<Chunk, ProviderError>> + Send
where
    S: Stream<Item = Result<String, ProviderError>> + Send + Unpin,
{
    stream::unfold((Some(events), reply), move |(mut events, mut reply)| async move {
        loop {
            if let Some(chunk) = reply.next() {
                return Some((chunk, (events, reply)));
            }
            match events.as_mut()?.next().await {
                Some(Ok(data)) => reply.take(wire, &data),
                Some(Err(error)) => reply.broken(error),
                None => reply.ended(),
            }
            if reply.is_over() {
                events = None;
            }
        }
    })
}

/// Fetches a JSON value.
pub(crate) async fn fetch(door: &Door, url: &Url) -> Result<Value, ProviderError> {
    let answer = door.get(url).await.map_err(|no| faults::of(no, &Asked::default()))?;
    read(&answer.text().await?)
}

/// Asks with a JSON body for a JSON value.
pub(crate) async fn ask(door: &Door, url: &Url, body: &Value) -> Result<Value, ProviderError> {
    let answer =
        door.post(url, self::body(body)?).await.map_err(|no| faults::of(no, &Asked::default()))?;
    read(&answer.text().await?)
}

/// Reads a JSON value.
pub(crate) fn read(text: &str) -> Result<Value, ProviderError> {
    serde_json::from_str(text).map_err(malformed)
}

/// A body, as it leaves.
pub(crate) fn body(of: &impl serde::Serialize) -> Result<Bytes, ProviderError> {
    serde_json::to_vec(of).map(Bytes::from).map_err(malformed)
}

fn malformed(error: serde_json::Error) -> ProviderError {
    ProviderError::Malformed { detail: error.to_string() }
}

/// What the entries of a list of models say; a list that is none is an error.
pub(crate) fn listed(
    list: Option<&Value>,
    entry: impl Fn(&Value) -> Option<ModelInfo>,
) -> Result<Vec<ModelInfo>, ProviderError> {
    let entries = list
        .and_then(Value::as_array)
        .ok_or_else(|| ProviderError::Malformed { detail: "no list of models".to_owned() })?;
    Ok(entries.iter().filter_map(entry).collect())
}
