//! What left this computer: a record of every request, made before its first byte goes.
//!
//! The gate of the `providers` crate writes through an [`Outbox`], storage keeps, the app shows. Requests that carry
//! nothing and stay on this computer are not worth a record, but for those that fetch something to run. A key is in none: the header that carried it says
//! [`KEY`] instead.

use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::ids::{ConversationId, TurnId};
use crate::ports::{Clock, StoreError};

/// Stands where the key was. A shell takes it for a variable, so that a person can send the same request again.
pub const KEY: &str = "$KEY";

/// A request that is about to leave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Departure<'a> {
    /// When.
    pub at: Timestamp,
    /// The turn it is for, if it is for one.
    pub turn_id: Option<TurnId>,
    /// Name of the provider it goes to.
    pub provider: &'a str,
    /// The HTTP method.
    pub method: &'a str,
    /// The whole address.
    pub url: &'a str,
    /// Whether the address is this computer's own.
    pub home: bool,
    /// Header names and values, with [`KEY`] for the key.
    pub headers: &'a [(String, String)],
    /// The bytes as they will be sent; empty when there is no body.
    pub body: &'a [u8],
    /// Whether the bytes are worth keeping; nobody can read what is sealed.
    pub keep: bool,
}

impl Departure<'_> {
    /// BLAKE3 of the body, in hexadecimal digits.
    pub fn hash(&self) -> String {
        blake3::hash(self.body).to_hex().to_string()
    }
}

/// A request that left, for a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct EgressItem {
    /// Its number; later requests have higher ones.
    pub seq: u64,
    /// When it left.
    pub at: Timestamp,
    /// The turn it was for.
    pub turn_id: Option<TurnId>,
    /// That turn's conversation.
    pub conversation_id: Option<ConversationId>,
    /// Name of the provider it went to.
    pub provider: String,
    /// The HTTP method.
    pub method: String,
    /// The whole address.
    pub url: String,
    /// Whether the address is this computer's own.
    pub home: bool,
    /// Bytes of the body.
    pub size: u64,
    /// BLAKE3 of the body, in hexadecimal digits.
    pub hash: String,
    /// The HTTP status, or the code of the error that came instead; `None` while neither came, and for ever when the
    /// request was given up.
    pub answer: Option<String>,
    /// Whether the body can still be read.
    pub body_kept: bool,
}

/// A request as it was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentRequest {
    /// The HTTP method.
    pub method: String,
    /// The whole address.
    pub url: String,
    /// Header names and values, with [`KEY`] for the key.
    pub headers: Vec<(String, String)>,
    /// The exact bytes.
    pub body: Vec<u8>,
    /// BLAKE3 of the body, in hexadecimal digits.
    pub hash: String,
}

/// The record of what left. Numbers rise and are never used again.
pub trait EgressLog: Send + Sync {
    /// Writes a request down; durable when it returns. Gives its number.
    fn leaving(&self, request: &Departure<'_>) -> Result<u64, StoreError>;
    /// Adds how it was answered.
    fn answered(&self, seq: u64, answer: &str) -> Result<(), StoreError>;
    /// Records before this number, the latest first; only those that went to other computers when `away_only`.
    fn departures(
        &self,
        before: Option<u64>,
        limit: u32,
        away_only: bool,
    ) -> Result<Vec<EgressItem>, StoreError>;
    /// A request as it was sent; not found once its body is no longer kept.
    fn sent(&self, seq: u64) -> Result<SentRequest, StoreError>;
    /// The last request of a turn whose body is kept, of those that left from a moment on and before another.
    fn last_of(
        &self,
        turn: TurnId,
        from: Option<Timestamp>,
        before: Option<Timestamp>,
    ) -> Result<Option<u64>, StoreError>;
    /// Forgets everything.
    fn clear(&self) -> Result<(), StoreError>;
    /// The providers on other computers that turns of a conversation were sent to.
    fn receivers(&self, conversation: ConversationId) -> Result<Vec<String>, StoreError>;
}

/// Where the gate writes down what leaves, and on whose behalf.
#[derive(Clone)]
pub struct Outbox {
    /// The record.
    pub log: Arc<dyn EgressLog>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Name of the provider that is asked.
    pub provider: String,
    /// The turn it is asked for.
    pub turn_id: Option<TurnId>,
    /// Hears when the gate waits before it asks again.
    pub on_pause: Option<OnPause>,
}

/// A pause before the same request is asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pause {
    /// What was answered instead, as an HTTP status.
    pub status: u16,
    /// How long.
    pub wait: Duration,
}

/// Hears of pauses.
pub type OnPause = Arc<dyn Fn(Pause) + Send + Sync>;

impl std::fmt::Debug for Outbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Outbox({}, {:?})", self.provider, self.turn_id)
    }
}

/// A shell command that sends the same request, byte for byte, with the key from the variable `KEY`.
pub fn curl(request: &SentRequest) -> String {
    // Through a pipe: a body may be longer than a command line.
    let (first, body) = match std::str::from_utf8(&request.body) {
        Ok(text) if !text.is_empty() => {
            (format!("printf %s {} | ", quoted(text)), " \\\n  --data-binary @-")
        }
        _ => (String::new(), ""),
    };
    let mut command = format!(
        "{first}curl --globoff --no-buffer -X {} {}",
        quoted(&request.method),
        quoted(&request.url)
    );
    for (name, value) in &request.headers {
        let header = match value.strip_suffix(KEY) {
            Some(scheme) => format!("{}\"{KEY}\"", quoted(&format!("{name}: {scheme}"))),
            None => quoted(&format!("{name}: {value}")),
        };
        // Writing to a String cannot fail.
        let _ = write!(command, " \\\n  -H {header}");
    }
    command + body
}

/// As one word of a POSIX shell, whatever is in it.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_would_read_otherwise_is_quoted() {
        let request = SentRequest {
            method: "POST".into(),
            url: "http://[::1]:1/v1/it's?alt=sse&x".into(),
            headers: vec![
                ("authorization".into(), format!("Bearer {KEY}")),
                ("x-note".into(), "$(rm) `x` \"y\"".into()),
            ],
            body: "{\"a\":\"it's $HOME \\n!\"}".into(),
            hash: String::new(),
        };
        assert_eq!(
            curl(&request),
            r#"printf %s '{"a":"it'\''s $HOME \n!"}' | curl --globoff --no-buffer -X 'POST' 'http://[::1]:1/v1/it'\''s?alt=sse&x' \
  -H 'authorization: Bearer '"$KEY" \
  -H 'x-note: $(rm) `x` "y"' \
  --data-binary @-"#
        );
        let bare = SentRequest { body: Vec::new(), headers: Vec::new(), ..request };
        assert_eq!(
            curl(&bare),
            r"curl --globoff --no-buffer -X 'POST' 'http://[::1]:1/v1/it'\''s?alt=sse&x'"
        );
    }
}
