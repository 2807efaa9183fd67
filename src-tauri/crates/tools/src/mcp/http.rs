//! A server at an address: every message is a request of its own, answered with JSON or with events (streamable HTTP).
//!
//! All of it leaves through the gate, which refuses what may not be asked, writes down what leaves and follows no redirect.
//! The stream on which a server could speak without being asked is not opened: nothing here listens to it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt};
use rmcp::RoleClient;
use rmcp::model::{ClientNotification, JsonRpcMessage, RequestId, ServerResult};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use siltstone_engine::checkpoint::remote::{Web, WebRequest, WebStream};
use siltstone_engine::ports::Access;
use siltstone_engine::provider::ProviderError;
use siltstone_engine::secret::Secret;
use siltstone_engine::tool::mcp::{McpAccess, McpError};
use sse_stream::SseByteStream;
use tokio::sync::{mpsc, oneshot};

use super::{Fault, Said};
use crate::lines::MESSAGE_BYTES;

/// Messages that wait for us at most; then their answers are not read on.
const WAITING: usize = 32;

/// Bytes of an error's body that are shown.
const ERROR_BYTES: usize = 1024;

/// Longest name of a session that is repeated to the server.
const SESSION_BYTES: usize = 1024;

/// How long a server is told that its session is over.
const GOODBYE: Duration = Duration::from_secs(2);

/// An address that is spoken to.
pub(super) struct Address {
    to: Arc<To>,
    messages: mpsc::Receiver<RxJsonRpcMessage<RoleClient>>,
}

struct To {
    web: Arc<dyn Web>,
    url: String,
    access: Access,
    secret: Option<(String, Secret)>,
    into: mpsc::Sender<RxJsonRpcMessage<RoleClient>>,
    said: Arc<Said>,
    /// What the server wants to be told with every request after the first: its session, and the version it chose.
    agreed: Mutex<Agreed>,
    /// Requests whose answers are awaited; dropping one gives its answer up.
    awaited: Mutex<HashMap<RequestId, oneshot::Sender<()>>>,
}

#[derive(Clone, Default)]
struct Agreed {
    session: Option<String>,
    version: Option<String>,
}

impl Address {
    /// Asks nobody yet.
    pub(super) fn new(
        web: Arc<dyn Web>,
        url: String,
        secret_header: &str,
        access: McpAccess,
        said: &Arc<Said>,
    ) -> Result<Self, McpError> {
        // What stands before an @ is a name and a password, and would be kept in the open.
        if url.split(['/', '?', '#']).nth(2).is_some_and(|host| host.contains('@')) {
            return Err(said.forbidden("an address has no user name or password"));
        }
        let McpAccess { secrets, this_computer_only, network, outbox, .. } = access;
        let access = Access { key: None, this_computer_only, network, outbox };
        let secret = secrets.get(secret_header).cloned();
        let secret = secret.map(|secret| (secret_header.to_owned(), secret));
        let (into, messages) = mpsc::channel(WAITING);
        let to = To {
            web,
            url,
            access,
            secret,
            into,
            said: said.clone(),
            agreed: Mutex::default(),
            awaited: Mutex::default(),
        };
        Ok(Self { to: Arc::new(to), messages })
    }
}

impl Transport<RoleClient> for Address {
    type Error = Fault;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Fault>> + Send + 'static {
        let to = self.to.clone();
        async move {
            let body = serde_json::to_vec(&message);
            let body = body.map_err(|error| Fault::Broken(error.to_string()))?;
            match message {
                JsonRpcMessage::Request(request) => {
                    let (awaited, given_up) = oneshot::channel::<()>();
                    to.awaited().insert(request.id.clone(), awaited);
                    let answered = tokio::select! {
                        answered = to.ask(body, Some(&request.id)) => answered,
                        _ = given_up => Err(Fault::Broken("the call was taken back".to_owned())),
                    };
                    to.awaited().remove(&request.id);
                    answered
                }
                JsonRpcMessage::Notification(told) => {
                    if let ClientNotification::CancelledNotification(cancelled) = told.notification
                        && let Some(id) = cancelled.params.request_id
                    {
                        to.awaited().remove(&id);
                    }
                    to.ask(body, None).await
                }
                _ => to.ask(body, None).await,
            }
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        self.messages.recv().await
    }

    /// Tells the server that the session is over, if it made one.
    async fn close(&mut self) -> Result<(), Fault> {
        if self.to.agreed().session.is_some() {
            let goodbye = self.to.request("DELETE", Vec::new());
            let sent = self.to.web.send(goodbye, self.to.access.clone());
            // It forgets the session by itself some day.
            let _ = tokio::time::timeout(GOODBYE, sent).await;
        }
        Ok(())
    }
}

impl To {
    fn agreed(&self) -> std::sync::MutexGuard<'_, Agreed> {
        self.agreed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn awaited(&self) -> std::sync::MutexGuard<'_, HashMap<RequestId, oneshot::Sender<()>>> {
        self.awaited.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn request(&self, method: &str, body: Vec<u8>) -> WebRequest {
        let Agreed { session, version } = self.agreed().clone();
        let (name, secret) = self
            .secret
            .as_ref()
            .map(|(name, secret)| (name.clone(), secret.expose().as_bytes().to_vec()))
            .unwrap_or_default();
        let text = |name: &str, value: &str| (name.to_owned(), value.as_bytes().to_vec());
        let mut headers = vec![text("accept", "application/json, text/event-stream")];
        if !body.is_empty() {
            headers.push(text("content-type", "application/json"));
        }
        headers.extend(session.map(|session| text("mcp-session-id", &session)));
        headers.extend(version.map(|version| text("mcp-protocol-version", &version)));
        if !name.is_empty() {
            headers.push((name.clone(), secret));
        }
        WebRequest {
            method: method.to_owned(),
            url: self.url.clone(),
            headers,
            secret_header: name,
            body,
            keep: true,
            noted: false,
            most: MESSAGE_BYTES as u64,
        }
    }

    /// Sends a message, and hands on what comes back until the answer to it is there.
    async fn ask(&self, body: Vec<u8>, id: Option<&RequestId>) -> Result<(), Fault> {
        let opened = self.web.open(self.request("POST", body), self.access.clone()).await;
        let answer = opened.map_err(|error| self.fault(error))?;
        if !(200..300).contains(&answer.status) {
            return Err(self.refused(answer).await);
        }
        if let Some(session) = header(&answer, "mcp-session-id")
            && session.len() <= SESSION_BYTES
            && session.bytes().all(|byte| byte.is_ascii_graphic())
        {
            self.agreed().session = Some(session);
        }
        let Some(id) = id else { return Ok(()) };
        let kind = header(&answer, "content-type").unwrap_or_default();
        let answered = if kind.starts_with("text/event-stream") {
            self.hear(answer, id).await?
        } else if kind.starts_with("application/json") {
            let read = answer.body.try_fold(Vec::new(), |mut all, piece| async move {
                all.extend_from_slice(&piece);
                Ok(all)
            });
            let whole = read.await.map_err(|error| self.fault(error))?;
            self.hand_on(&whole, id).await?
        } else {
            return Err(Fault::Broken(format!("it answered with {kind:?}")));
        };
        if answered { Ok(()) } else { Err(Fault::Broken("its answer ended too early".to_owned())) }
    }

    /// Reads events until the answer is among them; whether it was.
    async fn hear(&self, answer: WebStream, id: &RequestId) -> Result<bool, Fault> {
        let mut events = SseByteStream::new(answer.body.map_ok(Bytes::from));
        while let Some(event) = events.next().await {
            let event = event.map_err(|error| match error {
                sse_stream::Error::Body(error) => error
                    .downcast::<ProviderError>()
                    .map_or_else(|error| Fault::Broken(error.to_string()), |it| self.fault(*it)),
                error => Fault::Broken(error.to_string()),
            })?;
            let data = event.data.unwrap_or_default();
            if !data.trim().is_empty() && self.hand_on(data.as_bytes(), id).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Hands a message on; whether it is the answer.
    async fn hand_on(&self, text: &[u8], id: &RequestId) -> Result<bool, Fault> {
        let message: RxJsonRpcMessage<RoleClient> =
            serde_json::from_slice(text).map_err(|error| {
                Fault::Broken(format!("it sent a message that cannot be read: {error}"))
            })?;
        let answers = match &message {
            JsonRpcMessage::Response(response) => {
                if let ServerResult::InitializeResult(begun) = &response.result {
                    self.agreed().version = Some(begun.protocol_version.to_string());
                }
                response.id == *id
            }
            JsonRpcMessage::Error(error) => error.id.as_ref() == Some(id),
            _ => false,
        };
        let handed = self.into.send(message).await;
        handed.map_err(|_| Fault::Broken("nobody listens any more".to_owned()))?;
        Ok(answers)
    }

    async fn refused(&self, answer: WebStream) -> Fault {
        let status = answer.status;
        match status {
            300..=399 => {
                return Fault::Forbidden(
                    "it leads to another address, which is not asked".to_owned(),
                );
            }
            401 | 403 => {
                return Fault::Unreachable(format!("{status}: its secret is missing or refused"));
            }
            400 | 404 if self.agreed().session.is_some() => {
                self.said.broke_off("it forgot the session".to_owned());
            }
            _ => {}
        }
        let mut body = answer.body;
        let mut begins = Vec::new();
        while begins.len() < ERROR_BYTES
            && let Some(Ok(piece)) = body.next().await
        {
            begins.extend_from_slice(&piece);
        }
        begins.truncate(ERROR_BYTES);
        let begins: String = String::from_utf8_lossy(&begins)
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        Fault::Broken(format!("{status}: {}", begins.trim()))
    }

    fn fault(&self, error: ProviderError) -> Fault {
        let detail = error.to_string();
        match error {
            ProviderError::NotLocal { .. } | ProviderError::Insecure { .. } => {
                Fault::Forbidden(detail)
            }
            ProviderError::TimedOut { seconds } => Fault::TimedOut(seconds),
            ProviderError::Malformed { .. } | ProviderError::Cut { .. } => Fault::Broken(detail),
            _ => Fault::Unreachable(detail),
        }
    }
}

fn header(answer: &WebStream, name: &str) -> Option<String> {
    let (_, value) = answer.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))?;
    String::from_utf8(value.clone()).ok()
}
