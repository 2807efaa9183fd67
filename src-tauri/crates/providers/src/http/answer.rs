//! What comes back: a body that is read in pieces, within limits, as events, lines or a whole.

use bytes::Bytes;
use futures_core::Stream;
use futures_util::{StreamExt, stream};
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use siltstone_engine::provider::ProviderError;
use sse_stream::SseByteStream;

use super::{Limits, innermost, malformed, timed_out};

/// A successful answer, its body still on the way. Dropping it closes the connection.
pub(crate) struct Answer {
    pub(super) limits: Limits,
    pub(super) response: Response,
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
    pub(super) async fn beginning(self, most: usize) -> String {
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
pub(super) fn pieces(
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
