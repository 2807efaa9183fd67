//! Requests that a library made: checked, written down and sent like all others, and answered as they are answered.
//!
//! Their bodies are not kept, only their size and hash: they are sealed, and nobody could read them.

use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, USER_AGENT};
use reqwest::{Client, Method, Request, Url};
use siltstone_engine::checkpoint::MAX_PACKED;
use siltstone_engine::checkpoint::remote::{WebAnswer, WebRequest};
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
        *sent.headers_mut() = headers(request.headers)?;
        sent.headers_mut().insert(USER_AGENT, HeaderValue::from_static(OUR_NAME));
        *sent.body_mut() = Some(body.clone().into());
        let patience = self.limits.first_byte + Duration::from_secs(body.len() as u64 / SLOW);
        let body = Some(body).filter(|body| !body.is_empty());
        let recorded = door.record(&sent, body, false).await?;
        let answered = whole(&client, sent, patience, self.limits).await;
        let said = match &answered {
            Ok(answer) => answer.status.to_string(),
            Err(error) => error.code().to_owned(),
        };
        door.answered(recorded, said).await;
        answered
    }
}

async fn whole(
    client: &Client,
    request: Request,
    patience: Duration,
    limits: Limits,
) -> Result<WebAnswer, ProviderError> {
    let url = request.url().clone();
    let response = tokio::time::timeout(patience, client.execute(request))
        .await
        .map_err(|_| timed_out(patience))?
        .map_err(|error| not_sent(&url, &error))?;
    let status = response.status().as_u16();
    let pairs = response.headers().iter();
    let headers =
        pairs.map(|(name, value)| (name.to_string(), value.as_bytes().to_vec())).collect();
    let most = usize::try_from(MAX_PACKED).unwrap_or(usize::MAX);
    let mut pieces = Box::pin(pieces(response, Limits { line: most, reply: most, ..limits }));
    let mut body = Vec::new();
    while let Some(piece) = pieces.next().await {
        body.extend_from_slice(&piece?);
    }
    Ok(WebAnswer { status, headers, body })
}

fn headers(pairs: Vec<(String, Vec<u8>)>) -> Result<HeaderMap, ProviderError> {
    let mut headers = HeaderMap::with_capacity(pairs.len());
    for (name, value) in pairs {
        let name = HeaderName::try_from(name).map_err(|error| malformed(error.to_string()))?;
        let mut value =
            HeaderValue::try_from(value).map_err(|error| malformed(error.to_string()))?;
        value.set_sensitive(SECRET.contains(&name.as_str()));
        headers.append(name, value);
    }
    Ok(headers)
}
