//! Requests that a library made: checked, written down and sent like all others, and answered as they are answered.
//!
//! Bodies that are sealed are not kept, only their size and hash: nobody could read them.

use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, USER_AGENT};
use reqwest::{Client, Method, Request, Response, Url};
use siltstone_engine::checkpoint::remote::{WebAnswer, WebRequest, WebStream};
use siltstone_engine::ports::Access;
use siltstone_engine::provider::ProviderError;

use super::answer::pieces;
use super::{Door, Gate, Limits, OUR_NAME, malformed, not_sent, place, timed_out, unreachable};

/// Headers whose values open something.
const SECRET: [&str; 2] = ["authorization", "x-amz-security-token"];

/// Bytes a second of a slow line, for which a large body waits longer.
const SLOW: u64 = 16 * 1024;

impl Gate {
    /// Sends a request as it is.
    pub(crate) async fn carry(
        &self,
        request: WebRequest,
        access: Access,
    ) -> Result<WebAnswer, ProviderError> {
        let leaving = self.write_down(request, access).await?;
        let (door, recorded) = (leaving.door.clone(), leaving.recorded);
        let answered = whole(leaving).await;
        let said = match &answered {
            Ok(answer) => answer.status.to_string(),
            Err(error) => error.code().to_owned(),
        };
        door.answered(recorded, said).await;
        answered
    }

    /// The same, for an answer that is read while it comes.
    pub(crate) async fn open(
        &self,
        request: WebRequest,
        access: Access,
    ) -> Result<WebStream, ProviderError> {
        let leaving = self.write_down(request, access).await?;
        let (door, recorded, limits) = (leaving.door.clone(), leaving.recorded, leaving.limits);
        let begun = leaving.send().await;
        let said = match &begun {
            Ok(response) => response.status().as_u16().to_string(),
            Err(error) => error.code().to_owned(),
        };
        door.answered(recorded, said).await;
        let response = begun?;
        let (status, headers) = head(&response);
        let body = pieces(response, limits).map(|piece| piece.map(Vec::from));
        Ok(WebStream { status, headers, body: Box::pin(body) })
    }

    /// Checks a request and writes it down.
    async fn write_down(
        &self,
        request: WebRequest,
        access: Access,
    ) -> Result<Leaving, ProviderError> {
        let url = Url::parse(&request.url).map_err(|error| ProviderError::Unreachable {
            url: String::new(),
            detail: error.to_string(),
        })?;
        let Access { this_computer_only, network, outbox, .. } = access;
        place::check(&url, this_computer_only)?;
        let client = self.clients.to(&url, &network)?;
        let door = Door {
            gate: self.clone(),
            base: url.clone(),
            this_computer_only,
            network,
            outbox,
            key: None,
            headers: HeaderMap::new(),
        };
        let body = Bytes::from(request.body);
        let method = Method::try_from(request.method.as_str());
        let method = method.map_err(|error| unreachable(&url, error.to_string()))?;
        let mut sent = Request::new(method, url);
        *sent.headers_mut() = headers(request.headers, &request.secret_header)?;
        sent.headers_mut().insert(USER_AGENT, HeaderValue::from_static(OUR_NAME));
        *sent.body_mut() = Some(body.clone().into());
        let most = usize::try_from(request.most).unwrap_or(usize::MAX);
        let limits = Limits { line: most, reply: most, ..self.limits };
        let patience = limits.first_byte + Duration::from_secs(body.len() as u64 / SLOW);
        let body = Some(body).filter(|body| !body.is_empty());
        let recorded = door.record(&sent, body, request.keep, request.noted).await?;
        Ok(Leaving { client, door, sent, recorded, patience, limits })
    }
}

/// A request that is written down and may go.
struct Leaving {
    client: Client,
    door: Door,
    sent: Request,
    recorded: Option<u64>,
    patience: Duration,
    limits: Limits,
}

impl Leaving {
    /// Sends it and waits for the beginning of the answer.
    async fn send(self) -> Result<Response, ProviderError> {
        let url = self.sent.url().clone();
        tokio::time::timeout(self.patience, self.client.execute(self.sent))
            .await
            .map_err(|_| timed_out(self.patience))?
            .map_err(|error| not_sent(&url, &error))
    }
}

async fn whole(leaving: Leaving) -> Result<WebAnswer, ProviderError> {
    let limits = leaving.limits;
    let response = leaving.send().await?;
    let (status, headers) = head(&response);
    let mut pieces = Box::pin(pieces(response, limits));
    let mut body = Vec::new();
    while let Some(piece) = pieces.next().await {
        body.extend_from_slice(&piece?);
    }
    Ok(WebAnswer { status, headers, body })
}

/// Status and headers of an answer.
fn head(response: &Response) -> (u16, Vec<(String, Vec<u8>)>) {
    let pairs = response.headers().iter();
    let headers =
        pairs.map(|(name, value)| (name.to_string(), value.as_bytes().to_vec())).collect();
    (response.status().as_u16(), headers)
}

fn headers(pairs: Vec<(String, Vec<u8>)>, secret: &str) -> Result<HeaderMap, ProviderError> {
    let mut headers = HeaderMap::with_capacity(pairs.len());
    for (name, value) in pairs {
        let name = HeaderName::try_from(name).map_err(|error| malformed(error.to_string()))?;
        let mut value =
            HeaderValue::try_from(value).map_err(|error| malformed(error.to_string()))?;
        let opens = SECRET.contains(&name.as_str()) || name.as_str().eq_ignore_ascii_case(secret);
        value.set_sensitive(opens);
        headers.append(name, value);
    }
    Ok(headers)
}
