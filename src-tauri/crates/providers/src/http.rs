//! The one gate through which requests leave: the only place that makes an HTTP client and sends.
//!
//! A provider's [`Door`] is its way out: the base URL as the person set it up, how far it may reach, and its key, which
//! is put on a request here and only when the request goes to that base URL's origin. Wire formats hand a door an
//! address and a body and get an [`Answer`] back. The gate follows no redirect, waits with limits, bounds what it
//! reads, and asks again only before the first byte of a reply. `place` says which addresses may be asked. It knows
//! nothing of models.

mod place;

use std::error::Error;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use backon::{ExponentialBuilder, Retryable};
use bytes::Bytes;
use futures_core::Stream;
use futures_util::{StreamExt, stream};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::{Client, RequestBuilder, Response, Url, redirect};
use siltstone_engine::ports::Access;
use siltstone_engine::provider::ProviderError;
use siltstone_engine::secret::Secret;
use sse_stream::SseByteStream;

use place::{LeadsAway, ThisComputer, shown};

/// Longest answer that is read to explain an error.
const ERROR_BYTES: usize = 64 * 1024;

/// How long to wait and how much to take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// For a connection.
    pub connect: Duration,
    /// From the request to the first byte of the answer; local models read a long prompt before it.
    pub first_byte: Duration,
    /// Between two pieces of an answer.
    pub idle: Duration,
    /// Bytes of one line.
    pub line: usize,
    /// Bytes of a whole answer.
    pub reply: usize,
    /// How often to ask again when the server says that it is busy.
    pub retries: usize,
    /// First pause before asking again; doubles, with jitter.
    pub pause: Duration,
    /// Longest pause a server may ask for; with a longer one the person is told instead.
    pub longest_pause: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            first_byte: Duration::from_secs(120),
            idle: Duration::from_secs(120),
            line: 1 << 20,
            reply: 32 << 20,
            retries: 2,
            pause: Duration::from_millis(500),
            longest_pause: Duration::from_secs(30),
        }
    }
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum NoAnswer {
    /// The server answered, but not with success; the wire format reads what it says.
    Refused(Refusal),
    /// It never came to that.
    Failed(ProviderError),
}

/// An answer that is not a success.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub status: u16,
    pub retry_after: Option<Duration>,
    pub body: String,
}

impl Refusal {
    /// Whether the same request may succeed a moment later. A used-up quota says 429 too, and does not pass.
    fn passes(&self) -> bool {
        matches!(self.status, 408 | 429 | 500 | 502..=504 | 529)
            && !self.body.contains("insufficient_quota")
    }
}

/// The gate. Its clones share the clients, each made with the first request that needs it.
#[derive(Clone)]
pub(crate) struct Gate {
    limits: Limits,
    clients: Arc<Clients>,
}

#[derive(Default)]
struct Clients {
    /// Reaches this computer and nothing else.
    home: OnceLock<Result<Client, String>>,
    /// Reaches other computers, over TLS and through the system's proxy.
    away: OnceLock<Result<Client, String>>,
}

/// How a key is carried.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyHeader {
    pub name: &'static str,
    /// What stands before the key in the header.
    pub scheme: &'static str,
}

impl Gate {
    pub(crate) fn new(limits: Limits) -> Self {
        Self { limits, clients: Arc::default() }
    }

    /// A way out to `base_url`, if it may be asked.
    pub(crate) fn door(
        &self,
        base_url: &str,
        access: Access,
        carried: KeyHeader,
        headers: &[(&'static str, &'static str)],
    ) -> Result<Door, ProviderError> {
        let base = place::base(base_url, access.this_computer_only)?;
        let key = access.key.map(|key| Key { secret: key, carried });
        if let Some(key) = &key {
            key.header()?;
        }
        let headers = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
            .collect();
        let this_computer_only = access.this_computer_only;
        Ok(Door { gate: self.clone(), base, this_computer_only, key, headers })
    }

    fn client_for(&self, url: &Url) -> Result<&Client, ProviderError> {
        let made = if place::is_home(url) {
            self.clients.home.get_or_init(|| home_client(self.limits.connect))
        } else {
            self.clients.away.get_or_init(|| away_client(self.limits.connect))
        };
        made.as_ref().map_err(|detail| unreachable(url, detail.clone()))
    }
}

/// A key and how it is carried.
#[derive(Clone)]
struct Key {
    secret: Secret,
    carried: KeyHeader,
}

impl Key {
    fn header(&self) -> Result<HeaderValue, ProviderError> {
        let value = format!("{}{}", self.carried.scheme, self.secret.expose());
        let mut value = HeaderValue::try_from(value).map_err(|_| ProviderError::Unauthorised {
            detail: "the key has characters that no key has".to_owned(),
        })?;
        // Keeps it out of every debug output on its way.
        value.set_sensitive(true);
        Ok(value)
    }
}

/// One provider's way through the gate.
#[derive(Clone)]
pub(crate) struct Door {
    gate: Gate,
    base: Url,
    this_computer_only: bool,
    key: Option<Key>,
    headers: HeaderMap,
}

impl Door {
    /// The address of `path` beneath the base URL. Segments are taken literally: none leads out of it.
    pub(crate) fn address(&self, path: &[&str]) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        url
    }

    /// Whether the base URL is at `host`, for the few things a maker's own servers want otherwise.
    pub(crate) fn is_at(&self, host: &str) -> bool {
        self.base.host_str() == Some(host)
    }

    /// `text` without the key, should a server have repeated it.
    pub(crate) fn without_key(&self, text: String) -> String {
        match &self.key {
            Some(key) if !key.secret.expose().is_empty() => {
                text.replace(key.secret.expose(), "[key]")
            }
            _ => text,
        }
    }

    /// Fetches `url`.
    pub(crate) async fn get(&self, url: &Url) -> Result<Answer, NoAnswer> {
        self.send(url, None).await
    }

    /// Posts JSON to `url`.
    pub(crate) async fn post(&self, url: &Url, body: Bytes) -> Result<Answer, NoAnswer> {
        self.send(url, Some(body)).await
    }

    async fn send(&self, url: &Url, body: Option<Bytes>) -> Result<Answer, NoAnswer> {
        let limits = &self.gate.limits;
        let backoff = ExponentialBuilder::default()
            .with_min_delay(limits.pause)
            .with_max_times(limits.retries)
            .with_jitter();
        let asked_pause = |no: &NoAnswer| match no {
            NoAnswer::Refused(refusal) => refusal.retry_after,
            NoAnswer::Failed(_) => None,
        };
        (|| self.send_once(url, body.clone()))
            .retry(backoff)
            .when(|no| matches!(no, NoAnswer::Refused(refusal) if refusal.passes()))
            .adjust(|no, ours| match asked_pause(no) {
                Some(pause) if pause > limits.longest_pause => None,
                Some(pause) => ours.map(|_| pause),
                None => ours,
            })
            .await
    }

    async fn send_once(&self, url: &Url, body: Option<Bytes>) -> Result<Answer, NoAnswer> {
        let limits = self.gate.limits;
        let request = self.request(url, body).map_err(NoAnswer::Failed)?;
        tracing::debug!(url = shown(url), "request");
        let response = tokio::time::timeout(limits.first_byte, request.send())
            .await
            .map_err(|_| NoAnswer::Failed(timed_out(limits.first_byte)))?
            .map_err(|error| NoAnswer::Failed(not_sent(url, &error)))?;
        let status = response.status();
        let answer = Answer { limits, response };
        if status.is_success() {
            return Ok(answer);
        }
        let retry_after = pause_asked_for(answer.response.headers());
        let body = answer.beginning(ERROR_BYTES).await;
        tracing::debug!(status = status.as_u16(), "refused");
        Err(NoAnswer::Refused(Refusal { status: status.as_u16(), retry_after, body }))
    }

    fn request(&self, url: &Url, body: Option<Bytes>) -> Result<RequestBuilder, ProviderError> {
        place::check(url, self.this_computer_only)?;
        let client = self.gate.client_for(url)?;
        let mut request = match body {
            Some(body) => client
                .post(url.clone())
                .header(CONTENT_TYPE, "application/json")
                .header(ACCEPT, "text/event-stream, application/x-ndjson, application/json")
                .body(body),
            None => client.get(url.clone()).header(ACCEPT, "application/json"),
        };
        request = request.headers(self.headers.clone());
        if let Some(key) = self.key.as_ref().filter(|_| url.origin() == self.base.origin()) {
            request = request.header(key.carried.name, key.header()?);
        }
        Ok(request)
    }
}

/// A successful answer, its body still on the way. Dropping it closes the connection.
pub(crate) struct Answer {
    limits: Limits,
    response: Response,
}

impl Answer {
    /// Whether it is one JSON value instead of events.
    pub(crate) fn is_json(&self) -> bool {
        let kind = self.response.headers().get(CONTENT_TYPE);
        kind.and_then(|kind| kind.to_str().ok())
            .is_some_and(|kind| kind.starts_with("application/json"))
    }

    /// The whole body.
    pub(crate) async fn text(self) -> Result<String, ProviderError> {
        let mut whole = Vec::new();
        let limits = Limits { line: self.limits.reply, ..self.limits };
        let mut pieces = Box::pin(pieces(self.response, limits));
        while let Some(piece) = pieces.next().await {
            whole.extend_from_slice(&piece?);
        }
        String::from_utf8(whole).map_err(|error| malformed(error.to_string()))
    }

    /// The data of each server-sent event.
    pub(crate) fn events(self) -> impl Stream<Item = Result<String, ProviderError>> + Send {
        events_in(pieces(self.response, self.limits))
    }

    /// Each line.
    pub(crate) fn lines(self) -> impl Stream<Item = Result<String, ProviderError>> + Send {
        lines_in(pieces(self.response, self.limits))
    }

    /// As much of the body as comes within the limits, for a person to read.
    async fn beginning(self, most: usize) -> String {
        let mut start = Vec::new();
        let mut pieces = Box::pin(pieces(self.response, self.limits));
        while start.len() < most
            && let Some(Ok(piece)) = pieces.next().await
        {
            start.extend_from_slice(&piece);
        }
        start.truncate(most);
        String::from_utf8_lossy(&start).into_owned()
    }
}

/// The body in pieces, until its end, its limits or silence.
fn pieces(
    response: Response,
    limits: Limits,
) -> impl Stream<Item = Result<Bytes, ProviderError>> + Send {
    let state = (response, 0_usize, 0_usize);
    stream::try_unfold(state, move |(mut response, mut total, mut line)| async move {
        let piece = tokio::time::timeout(limits.idle, response.chunk())
            .await
            .map_err(|_| timed_out(limits.idle))?
            .map_err(|error| ProviderError::Cut { detail: innermost(&error) })?;
        let Some(piece) = piece else {
            return Ok(None);
        };
        total += piece.len();
        for (index, part) in piece.split(|byte| matches!(byte, b'\n' | b'\r')).enumerate() {
            line = part.len() + if index == 0 { line } else { 0 };
            if line > limits.line {
                return Err(malformed(format!("a line of more than {} bytes", limits.line)));
            }
        }
        if total > limits.reply {
            return Err(malformed(format!("more than {} bytes", limits.reply)));
        }
        Ok(Some((piece, (response, total, line))))
    })
}

/// The data of each server-sent event, however the bytes are cut. An event that is not whole at the end is left out.
pub(crate) fn events_in(
    pieces: impl Stream<Item = Result<Bytes, ProviderError>> + Send,
) -> impl Stream<Item = Result<String, ProviderError>> + Send {
    SseByteStream::new(pieces).filter_map(|event| async {
        match event {
            Ok(event) => event.data.map(Ok),
            Err(sse_stream::Error::Body(error)) => Some(Err(error
                .downcast::<ProviderError>()
                .map_or_else(|error| malformed(error.to_string()), |error| *error))),
            Err(error) => Some(Err(malformed(error.to_string()))),
        }
    })
}

/// Each line that has something on it, however the bytes are cut. What stands behind the last line end is a line too if
/// it is a whole JSON value, else the rest of one that was cut.
pub(crate) fn lines_in(
    pieces: impl Stream<Item = Result<Bytes, ProviderError>> + Send,
) -> impl Stream<Item = Result<String, ProviderError>> + Send {
    // What was searched already is not searched again with every piece.
    let state = (Box::pin(pieces), Vec::new(), 0_usize, false);
    stream::try_unfold(state, |(mut pieces, mut held, mut searched, mut at_end)| async move {
        loop {
            if let Some(end) = held[searched..].iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = held.drain(..=searched + end).collect();
                searched = 0;
                let line = String::from_utf8_lossy(&line).trim().to_owned();
                if !line.is_empty() {
                    return Ok(Some((line, (pieces, held, searched, at_end))));
                }
            } else if at_end {
                let rest = String::from_utf8_lossy(&held).trim().to_owned();
                let whole = serde_json::from_str::<serde::de::IgnoredAny>(&rest).is_ok();
                return Ok(whole.then(|| (rest, (pieces, Vec::new(), 0, true))));
            } else {
                searched = held.len();
                match pieces.next().await {
                    Some(piece) => held.extend_from_slice(&piece?),
                    None => at_end = true,
                }
            }
        }
    })
}

fn builder(connect: Duration) -> reqwest::ClientBuilder {
    crate::install_crypto();
    Client::builder()
        .redirect(redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .connect_timeout(connect)
        .user_agent(concat!("Siltstone/", env!("CARGO_PKG_VERSION")))
}

fn home_client(connect: Duration) -> Result<Client, String> {
    let builder = || builder(connect).no_proxy().dns_resolver(ThisComputer);
    // A system without any certificate authorities can still talk plain HTTP with itself.
    builder()
        .build()
        .or_else(|_| builder().tls_certs_only([]).build())
        .map_err(|error| innermost(&error))
}

/// Trusts whom the system trusts, so that a company's own authority works as it does in the browser.
fn away_client(connect: Duration) -> Result<Client, String> {
    builder(connect).https_only(true).build().map_err(|error| innermost(&error))
}

fn pause_asked_for(headers: &HeaderMap) -> Option<Duration> {
    let number = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<f64>().ok();
    number("retry-after-ms")
        .map(|millis| millis / 1_000.0)
        .or_else(|| number(RETRY_AFTER.as_str()))
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
}

fn not_sent(url: &Url, error: &reqwest::Error) -> ProviderError {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(inner) = cause {
        if inner.is::<LeadsAway>() {
            return ProviderError::NotLocal { url: shown(url) };
        }
        cause = inner.source();
    }
    if error.is_connect() || error.is_timeout() {
        unreachable(url, innermost(error))
    } else {
        ProviderError::Cut { detail: innermost(error) }
    }
}

/// The root of an error, which says most; the layers above repeat the address.
fn innermost(error: &dyn Error) -> String {
    let mut last = error;
    while let Some(inner) = last.source() {
        last = inner;
    }
    last.to_string()
}

fn unreachable(url: &Url, detail: String) -> ProviderError {
    ProviderError::Unreachable { url: shown(url), detail }
}

fn timed_out(after: Duration) -> ProviderError {
    ProviderError::TimedOut { seconds: after.as_secs() }
}

fn malformed(detail: String) -> ProviderError {
    ProviderError::Malformed { detail }
}

#[cfg(test)]
mod tests;
