//! A session: the handshake, the lists of tools and resources, calls and reading, each with an end to waiting.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientCapabilities, ClientConfig, Implementation,
    PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams, Resource, ResourceContents,
    Tool,
};
use rmcp::service::{ClientInitializeError, Peer, RunningService, ServiceError};
use rmcp::transport::{DynamicTransportError, Transport};
use rmcp::{RoleClient, serve_client};
use serde_json::Value;
use siltstone_engine::tool::Answer;
use siltstone_engine::tool::mcp::{FromServer, McpError, McpResource, McpSession, McpTool};
use tokio::sync::Mutex;

use super::answer::answer;
use super::{Fault, Patience, Said};

/// How long its end is waited for; longer than a connection gives its server to end by itself.
const END: Duration = Duration::from_secs(3);

/// Longest instructions, in bytes.
const INSTRUCTIONS: usize = 8 * 1024;

/// Longest description of a tool, and longest schema, in bytes.
const DESCRIPTION: usize = 8 * 1024;
const SCHEMA: usize = 64 * 1024;

/// Longest address of a resource; a longer one cannot be asked for.
const URI: usize = 2 * 1024;

/// Most tools and resources that are taken, and pages that are asked for.
const TOOLS: usize = 256;
const RESOURCES: usize = 1_000;
const PAGES: usize = 64;

/// A server that is spoken to.
pub(super) struct Session {
    peer: Peer<RoleClient>,
    running: Mutex<RunningService<RoleClient, ClientConfig>>,
    said: Arc<Said>,
    patience: Patience,
}

impl Session {
    /// Shakes hands.
    pub(super) async fn begin(
        connection: impl Transport<RoleClient, Error = Fault> + 'static,
        said: Arc<Said>,
        patience: Patience,
    ) -> Result<Self, McpError> {
        let us = Implementation::new("Siltstone", env!("CARGO_PKG_VERSION"));
        let us = ClientConfig::new(ClientCapabilities::default(), us)
            .with_protocol_version(ProtocolVersion::V_2025_11_25);
        let begun = tokio::time::timeout(patience.start, serve_client(us, connection)).await;
        let running = match begun {
            Ok(Ok(running)) => running,
            Ok(Err(error)) => return Err(not_begun(&error, &said)),
            Err(_) => return Err(said.timed_out(patience.start)),
        };
        Ok(Self { peer: running.peer().clone(), running: Mutex::new(running), said, patience })
    }

    async fn listed(&self) -> Result<Vec<McpTool>, McpError> {
        let (mut tools, mut next) = (Vec::new(), None);
        for _ in 0..PAGES {
            let page = next
                .take()
                .map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
            let page = self.peer.list_tools(page).await;
            let page = page.map_err(|error| self.failed(&error))?;
            tools.extend(page.tools.into_iter().filter_map(|tool| self.tool(tool)));
            next = page.next_cursor;
            if next.is_none() || tools.len() >= TOOLS {
                break;
            }
        }
        tools.truncate(TOOLS);
        Ok(tools)
    }

    /// A tool in the server's words; one whose schema no request would take is left out.
    fn tool(&self, tool: Tool) -> Option<McpTool> {
        let schema = Value::Object((*tool.input_schema).clone());
        if schema.to_string().len() > SCHEMA {
            return None;
        }
        let description = tool.description.map(String::from).or(tool.title).unwrap_or_default();
        Some(McpTool {
            name: tool.name.into_owned(),
            description: self.said.clean(shortened(description, DESCRIPTION)),
            schema,
            says_read_only: tool.annotations.and_then(|it| it.read_only_hint) == Some(true),
        })
    }

    async fn resources_listed(&self) -> Result<Vec<McpResource>, McpError> {
        let has = self.peer.peer_info().is_some_and(|it| it.capabilities.resources.is_some());
        if !has {
            return Ok(Vec::new());
        }
        let (mut all, mut next) = (Vec::new(), None);
        for _ in 0..PAGES {
            let page = next
                .take()
                .map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
            let page = self.peer.list_resources(page).await;
            let page = page.map_err(|error| self.failed(&error))?;
            let fits = page.resources.into_iter().filter(|it| it.uri.len() <= URI);
            all.extend(fits.map(|it| self.resource_said(it)));
            next = page.next_cursor;
            if next.is_none() || all.len() >= RESOURCES {
                break;
            }
        }
        all.truncate(RESOURCES);
        Ok(all)
    }

    fn resource_said(&self, of: Resource) -> McpResource {
        let said = |text: Option<String>| {
            self.said.clean(shortened(text.unwrap_or_default(), DESCRIPTION))
        };
        McpResource {
            uri: of.uri,
            name: said(of.title.or(Some(of.name))),
            description: said(of.description),
            size: of.size,
        }
    }

    async fn read(&self, uri: &str) -> Result<Answer, McpError> {
        let asked = ReadResourceRequestParams::new(uri.to_owned());
        let read = match self.peer.read_resource(asked).await {
            Ok(read) => read,
            Err(ServiceError::McpError(error)) => return Ok(refused(&shown(&error.message))),
            Err(error) => return Err(self.failed(&error)),
        };
        let texts = read.contents.into_iter().filter_map(|content| match content {
            ResourceContents::TextResourceContents { text, .. } => Some(text),
            _ => None,
        });
        let texts: Vec<String> = texts.collect();
        if texts.is_empty() {
            return Ok(refused("The resource is no text."));
        }
        let text = self.said.clean(texts.join("\n"));
        Ok(Answer { text, is_error: false, touched: Vec::new() })
    }

    async fn called(&self, tool: &str, arguments: &Value) -> Result<Answer, McpError> {
        let call = CallToolRequestParams::new(tool.to_owned());
        let call = match arguments {
            Value::Object(fields) => call.with_arguments(fields.clone()),
            _ => call,
        };
        let came = match self.peer.call_tool_once(call).await {
            Ok(CallToolResponse::Complete(result)) => answer(result),
            Ok(_) => {
                refused("The server wants to ask something first, which is not possible here.")
            }
            Err(ServiceError::McpError(error)) => refused(&error.message),
            Err(error) => return Err(self.failed(&error)),
        };
        Ok(Answer { text: self.said.clean(came.text), ..came })
    }

    /// Waits no longer than this; what is still asked is taken back when its future is dropped.
    async fn within<T>(
        &self,
        patience: Duration,
        asked: impl Future<Output = Result<T, McpError>> + Send,
    ) -> Result<T, McpError> {
        match tokio::time::timeout(patience, asked).await {
            Ok(done) => done,
            Err(_) => Err(self.said.timed_out(patience)),
        }
    }

    fn failed(&self, error: &ServiceError) -> McpError {
        match error {
            ServiceError::TransportSend(error) => of_transport(error, &self.said),
            ServiceError::McpError(error) => self.said.broken(&shown(&error.message)),
            ServiceError::UnexpectedResponse => {
                self.said.broken("it answered something else than what was asked")
            }
            _ => self.said.broken("the connection ended"),
        }
    }
}

impl McpSession for Session {
    fn instructions(&self) -> Option<String> {
        let said = self.peer.peer_info()?.instructions.clone()?;
        let said = said.trim();
        (!said.is_empty()).then(|| self.said.clean(shortened(said.to_owned(), INSTRUCTIONS)))
    }

    fn tools(&self) -> FromServer<'_, Vec<McpTool>> {
        Box::pin(self.within(self.patience.start, self.listed()))
    }

    fn call<'a>(&'a self, tool: &'a str, arguments: &'a Value) -> FromServer<'a, Answer> {
        Box::pin(self.within(self.patience.call, self.called(tool, arguments)))
    }

    fn resources(&self) -> FromServer<'_, Vec<McpResource>> {
        Box::pin(self.within(self.patience.start, self.resources_listed()))
    }

    fn resource<'a>(&'a self, uri: &'a str) -> FromServer<'a, Answer> {
        Box::pin(self.within(self.patience.call, self.read(uri)))
    }

    fn is_over(&self) -> bool {
        self.said.is_over() || self.peer.is_transport_closed()
    }

    fn end(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async move {
            // Either it ended, or what is left of it ends with the process.
            let _ = self.running.lock().await.close_with_timeout(END).await;
        })
    }
}

/// What a server refuses is told to whoever asked: a model may ask otherwise.
fn refused(message: &str) -> Answer {
    Answer { text: message.to_owned(), is_error: true, touched: Vec::new() }
}

fn not_begun(error: &ClientInitializeError, said: &Said) -> McpError {
    match error {
        ClientInitializeError::TransportError { error, .. } => {
            match error.error.downcast_ref::<Fault>() {
                Some(Fault::Ended) => said.unreachable("it ended at once"),
                _ => of_transport(error, said),
            }
        }
        ClientInitializeError::ConnectionClosed(_) => said.unreachable("it ended at once"),
        ClientInitializeError::JsonRpcError(error) => said.broken(&shown(&error.message)),
        ClientInitializeError::NoCompatibleProtocolVersion { .. } => {
            said.broken("it speaks no version of the protocol that is known here")
        }
        _ => said.broken("it answered the handshake with something else"),
    }
}

fn of_transport(error: &DynamicTransportError, said: &Said) -> McpError {
    match error.error.downcast_ref::<Fault>() {
        Some(fault) => fault.of(said),
        None => said.broken("the connection ended"),
    }
}

/// Words of a server that are shown in one line.
fn shown(message: &str) -> String {
    message.chars().take(500).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn shortened(mut text: String, most: usize) -> String {
    if text.len() > most {
        text.truncate(text.floor_char_boundary(most));
        text.push_str(" […]");
    }
    text
}
