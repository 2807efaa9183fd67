//! The one gate through which requests leave: the only place that makes an HTTP client and sends.
//!
//! Wire formats hand it an address and a body and get an [`Answer`] back. It reaches nothing but this computer, follows
//! no redirect, takes no proxy from the environment, waits with limits, bounds what it reads, and asks again only
//! before the first byte of a reply. It knows nothing of models.

use std::error::Error;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use backon::{ExponentialBuilder, Retryable};
use bytes::Bytes;
use futures_core::Stream;
use futures_util::{StreamExt, stream};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use reqwest::{Client, Response, Url, redirect};
use siltstone_engine::provider::ProviderError;
use sse_stream::SseByteStream;

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
        matches!(self.status, 429 | 502 | 503 | 529) && !self.body.contains("insufficient_quota")
    }
}

/// The gate. Its clones share one client, made with the first request.
#[derive(Clone)]
pub(crate) struct Gate {
    limits: Limits,
    client: Arc<OnceLock<Result<Client, String>>>,
}

impl Gate {
    pub(crate) fn new(limits: Limits) -> Self {
        Self { limits, client: Arc::default() }
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
        let backoff = ExponentialBuilder::default()
            .with_min_delay(self.limits.pause)
            .with_max_times(self.limits.retries)
            .with_jitter();
        let asked_pause = |no: &NoAnswer| match no {
            NoAnswer::Refused(refusal) => refusal.retry_after,
            NoAnswer::Failed(_) => None,
        };
        (|| self.send_once(url, body.clone()))
            .retry(backoff)
            .when(|no| matches!(no, NoAnswer::Refused(refusal) if refusal.passes()))
            .adjust(|no, ours| match asked_pause(no) {
                Some(pause) if pause > self.limits.longest_pause => None,
                Some(pause) => ours.map(|_| pause),
                None => ours,
            })
            .await
    }

    async fn send_once(&self, url: &Url, body: Option<Bytes>) -> Result<Answer, NoAnswer> {
        must_be_local(url).map_err(NoAnswer::Failed)?;
        let client = self
            .client
            .get_or_init(|| client(self.limits.connect))
            .as_ref()
            .map_err(|detail| NoAnswer::Failed(unreachable(url, detail.clone())))?;
        let request = match body {
            Some(body) => client
                .post(url.clone())
                .header(CONTENT_TYPE, "application/json")
                .header(ACCEPT, "text/event-stream, application/json")
                .body(body),
            None => client.get(url.clone()).header(ACCEPT, "application/json"),
        };
        tracing::debug!(url = shown(url), "request");
        let response = tokio::time::timeout(self.limits.first_byte, request.send())
            .await
            .map_err(|_| NoAnswer::Failed(timed_out(self.limits.first_byte)))?
            .map_err(|error| NoAnswer::Failed(not_sent(url, &error)))?;
        let status = response.status();
        let answer = Answer { limits: self.limits, response };
        if status.is_success() {
            return Ok(answer);
        }
        let retry_after = pause_asked_for(answer.response.headers());
        let body = answer.beginning(ERROR_BYTES).await;
        tracing::debug!(status = status.as_u16(), "refused");
        Err(NoAnswer::Refused(Refusal { status: status.as_u16(), retry_after, body }))
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

/// The address `path` under a base URL, if it may be used.
pub(crate) fn address(base_url: &str, path: &str) -> Result<Url, ProviderError> {
    let joined = format!("{}/{path}", base_url.trim().trim_end_matches('/'));
    let url = Url::parse(&joined).map_err(|error| ProviderError::Unreachable {
        url: base_url.to_owned(),
        detail: error.to_string(),
    })?;
    must_be_local(&url)?;
    Ok(url)
}

/// Checks the name; what the name stands for is checked by [`ThisComputer`] when it is looked up.
fn must_be_local(url: &Url) -> Result<(), ProviderError> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(unreachable(url, "neither http nor https".to_owned()));
    }
    let host = url.host_str().unwrap_or_default();
    let literal = host.trim_start_matches('[').trim_end_matches(']');
    let local = match literal.parse::<IpAddr>() {
        Ok(ip) => is_loopback(ip),
        Err(_) => host == "localhost",
    };
    if local { Ok(()) } else { Err(ProviderError::NotLocal { url: shown(url) }) }
}

fn is_loopback(ip: IpAddr) -> bool {
    ip.to_canonical().is_loopback()
}

/// Looks names up and lets only this computer's own addresses through, so that what was checked is what is connected.
struct ThisComputer;

/// A name that leads away from this computer.
#[derive(Debug, thiserror::Error)]
#[error("{name} does not lead to this computer")]
struct LeadsAway {
    name: String,
}

impl Resolve for ThisComputer {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let name = name.as_str().to_owned();
            let found: Vec<SocketAddr> =
                tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            if found.iter().all(|address| is_loopback(address.ip())) {
                Ok(Box::new(found.into_iter()) as Addrs)
            } else {
                Err(LeadsAway { name }.into())
            }
        })
    }
}

fn client(connect: Duration) -> Result<Client, String> {
    crate::install_crypto();
    let builder = || {
        Client::builder()
            .no_proxy()
            .redirect(redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .connect_timeout(connect)
            .dns_resolver(ThisComputer)
            .user_agent(concat!("Siltstone/", env!("CARGO_PKG_VERSION")))
    };
    // A system without any certificate authorities can still talk plain HTTP with itself.
    builder()
        .build()
        .or_else(|_| builder().tls_certs_only([]).build())
        .map_err(|error| innermost(&error))
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

/// The address without credentials or query.
fn shown(url: &Url) -> String {
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let host = url.host_str().unwrap_or_default();
    format!("{}://{host}{port}{}", url.scheme(), url.path())
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
