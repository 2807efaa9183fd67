//! The one gate through which requests leave: the only place that makes an HTTP client and sends.
//!
//! A provider's [`Door`] is its way out: the base URL as the person set it up, how far it may reach, and its key, which
//! is put on a request here and only when the request goes to that base URL's origin. Wire formats hand a door an
//! address and a body and get an [`Answer`] back. The gate follows no redirect, waits with limits, bounds what it
//! reads, and asks again only before the first byte of a reply. Before a request leaves that carries something or goes
//! to another computer, it is written down; what cannot be written down does not leave. `place` says which addresses
//! may be asked, `network` by which way, `answer` reads what comes back; `carry` lets the requests of a library through. It knows nothing of models.

pub(crate) mod answer;
mod carry;
mod network;
mod place;

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use backon::{ExponentialBuilder, Retryable};
use bytes::Bytes;
use jiff::Timestamp;
use jiff::fmt::rfc2822;
use reqwest::header::{
    ACCEPT, CONTENT_TYPE, DATE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER, USER_AGENT,
};
use reqwest::{Client, Request, Url};
use siltstone_engine::egress::{self, Departure, Outbox, Pause};
use siltstone_engine::ports::{Access, StoreError};
use siltstone_engine::provider::ProviderError;
use siltstone_engine::secret::Secret;
use siltstone_engine::settings::Network;

pub(crate) use answer::Answer;
use network::Clients;
use place::{LeadsAway, shown};

/// How we introduce ourselves.
const OUR_NAME: &str = concat!("Siltstone/", env!("CARGO_PKG_VERSION"));

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

/// Whether a base URL is at this computer; one that cannot be read is not.
pub(crate) fn is_home(base_url: &str) -> bool {
    Url::parse(base_url.trim()).is_ok_and(|url| place::is_home(&url))
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

/// How a key is carried.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyHeader {
    pub name: &'static str,
    /// What stands before the key in the header.
    pub scheme: &'static str,
}

impl Gate {
    pub(crate) fn new(limits: Limits) -> Self {
        Self { limits, clients: Arc::new(Clients::new(limits.connect)) }
    }

    /// Whether other computers could be reached this way.
    pub(crate) fn check(&self, network: &Network) -> Result<(), ProviderError> {
        self.clients.renew(network)
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
        let Access { this_computer_only, network, outbox, .. } = access;
        Ok(Door { gate: self.clone(), base, this_computer_only, network, outbox, key, headers })
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
    network: Network,
    outbox: Outbox,
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
            .notify(|no, wait| {
                if let (Some(told), NoAnswer::Refused(refusal)) = (&self.outbox.on_pause, no) {
                    told(Pause { status: refusal.status, wait });
                }
            })
            .await
    }

    async fn send_once(&self, url: &Url, body: Option<Bytes>) -> Result<Answer, NoAnswer> {
        let (client, request) = self.request(url, body.clone()).map_err(NoAnswer::Failed)?;
        let recorded = self.record(&request, body, true, false).await.map_err(NoAnswer::Failed)?;
        tracing::debug!(url = shown(url), "request");
        let answered = self.answer_to(&client, request).await;
        let said = match &answered {
            Ok(answer) => answer.response.status().as_u16().to_string(),
            Err(NoAnswer::Refused(refusal)) => refusal.status.to_string(),
            Err(NoAnswer::Failed(error)) => error.code().to_owned(),
        };
        self.answered(recorded, said).await;
        answered
    }

    /// Adds to a record how the request was answered.
    async fn answered(&self, recorded: Option<u64>, said: String) {
        let Some(seq) = recorded else { return };
        if let Err(error) = self.with_log(move |outbox| outbox.log.answered(seq, &said)).await {
            tracing::warn!(%error, "recording an answer");
        }
    }

    async fn answer_to(&self, client: &Client, request: Request) -> Result<Answer, NoAnswer> {
        let limits = self.gate.limits;
        let url = request.url().clone();
        let response = tokio::time::timeout(limits.first_byte, client.execute(request))
            .await
            .map_err(|_| NoAnswer::Failed(timed_out(limits.first_byte)))?
            .map_err(|error| NoAnswer::Failed(not_sent(&url, &error)))?;
        let status = response.status();
        let answer = Answer { limits, response };
        if status.is_success() {
            return Ok(answer);
        }
        let retry_after = pause_asked_for(answer.response.headers(), self.outbox.clock.now());
        let body = answer.beginning(ERROR_BYTES).await;
        tracing::debug!(status = status.as_u16(), "refused");
        Err(NoAnswer::Refused(Refusal { status: status.as_u16(), retry_after, body }))
    }

    /// Writes down what is about to leave; gives its number if it was worth one.
    async fn record(
        &self,
        request: &Request,
        body: Option<Bytes>,
        keep: bool,
        noted: bool,
    ) -> Result<Option<u64>, ProviderError> {
        let home = place::is_home(request.url());
        if home && body.is_none() && !noted {
            return Ok(None);
        }
        let method = request.method().to_string();
        let url = self.without_key(request.url().to_string());
        let shown = |value: &HeaderValue| match &self.key {
            Some(key) if value.is_sensitive() => format!("{}{}", key.carried.scheme, egress::KEY),
            None if value.is_sensitive() => egress::KEY.to_owned(),
            _ => self.without_key(String::from_utf8_lossy(value.as_bytes()).into_owned()),
        };
        let headers = request.headers().iter();
        let headers: Vec<_> =
            headers.map(|(name, value)| (name.to_string(), shown(value))).collect();
        let recorded = self.with_log(move |outbox| {
            outbox.log.leaving(&Departure {
                at: outbox.clock.now(),
                turn_id: outbox.turn_id,
                provider: &outbox.provider,
                method: &method,
                url: &url,
                home,
                headers: &headers,
                body: &body.unwrap_or_default(),
                keep,
            })
        });
        match recorded.await {
            Ok(seq) => Ok(Some(seq)),
            Err(error) => Err(ProviderError::NotRecorded { detail: error.to_string() }),
        }
    }

    /// Compressing and pressing onto the disk take a while; other replies go on meanwhile.
    async fn with_log<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Outbox) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let outbox = self.outbox.clone();
        let done = tokio::task::spawn_blocking(move || work(&outbox)).await;
        done.unwrap_or_else(|error| Err(StoreError::Io { detail: error.to_string() }))
    }

    fn request(&self, url: &Url, body: Option<Bytes>) -> Result<(Client, Request), ProviderError> {
        place::check(url, self.this_computer_only)?;
        let client = self.gate.clients.to(url, &self.network)?;
        let mut request = match body {
            Some(body) => client
                .post(url.clone())
                .header(CONTENT_TYPE, "application/json")
                .header(ACCEPT, "text/event-stream, application/x-ndjson, application/json")
                .body(body),
            None => client.get(url.clone()).header(ACCEPT, "application/json"),
        };
        request = request.header(USER_AGENT, OUR_NAME).headers(self.headers.clone());
        if let Some(key) = self.key.as_ref().filter(|_| url.origin() == self.base.origin()) {
            request = request.header(key.carried.name, key.header()?);
        }
        let request = request.build().map_err(|error| unreachable(url, innermost(&error)))?;
        Ok((client, request))
    }
}

/// How long a server asks to wait: in milliseconds, in seconds, or until a time of its own clock.
fn pause_asked_for(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let number = |name: &str| text(name)?.parse::<f64>().ok();
    let time = |name: &str| rfc2822::DateTimeParser::new().parse_timestamp(text(name)?).ok();
    number("retry-after-ms")
        .map(|millis| millis / 1_000.0)
        .or_else(|| number(RETRY_AFTER.as_str()))
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .or_else(|| {
            let begin = time(DATE.as_str()).unwrap_or(now);
            let wait = time(RETRY_AFTER.as_str())?.duration_since(begin);
            Some(Duration::try_from(wait).unwrap_or_default())
        })
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
        unreachable(url, of_proxy(error).unwrap_or_else(|| innermost(error)))
    } else {
        ProviderError::Cut { detail: innermost(error) }
    }
}

/// What a proxy in between did wrong, in words that name it. Its error is known by its text: the type is no public one.
fn of_proxy(error: &(dyn Error + 'static)) -> Option<String> {
    let mut causes =
        std::iter::successors(Some(error), |error: &&(dyn Error + 'static)| (**error).source());
    let tunnel = causes.find(|error| error.to_string().starts_with("tunnel error: "))?;
    let detail = innermost(tunnel);
    Some(match detail.strip_prefix("tunnel error: ") {
        Some("unsuccessful") => String::from("the proxy in between refused to lead there"),
        said => format!("the proxy in between: {}", said.unwrap_or(&detail)),
    })
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
