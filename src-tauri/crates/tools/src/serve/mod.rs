//! A server of ours, spoken with the official SDK over any pair of streams, or over HTTP ([`Listening`]), in both lives of
//! the protocol: with a handshake, and with `server/discover` and all that is to be known in each request. What is offered
//! and answered is the host's ([`Served`]); here it is put into the protocol's form. Nothing is asked of the client, and it
//! is told of no change.

mod http;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, GetPromptRequestParams,
    GetPromptResponse, GetPromptResult, Implementation, JsonObject, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    Prompt, PromptArgument, PromptMessage, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, Resource, ResourceContents, ResourceTemplate, Role, ServerCapabilities,
    ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer, ServerInitializeError, serve_server};
use rmcp::{ErrorData, ServerHandler};
use serde_json::Value;
use siltstone_engine::tool::{Effect, ToolSpec};
use tokio::io::{AsyncRead, AsyncWrite};

pub use self::http::{Listening, listen};

/// What is answered, later; the words of a refusal are for the model that asked.
pub type Answered<'a> = Pin<Box<dyn Future<Output = Result<String, String>> + Send + 'a>>;

/// Something to read, by its address; of a template that is with a part in braces.
#[derive(Clone, Copy, Debug)]
pub struct ServedText {
    /// Its address.
    pub uri: &'static str,
    /// Its name.
    pub name: &'static str,
    /// What it says.
    pub about: &'static str,
}

/// A text that the person may begin with.
#[derive(Clone, Copy, Debug)]
pub struct ServedPrompt {
    /// Its name.
    pub name: &'static str,
    /// What it is for.
    pub about: &'static str,
    /// What may be said with it: name and meaning, none of which has to be.
    pub arguments: &'static [(&'static str, &'static str)],
}

/// What a server of ours offers.
pub trait Served: Send + Sync + 'static {
    /// Its version.
    fn version(&self) -> &'static str;
    /// What a model is to know of all of it.
    fn instructions(&self) -> String;
    /// Tools, each with what it does to the world.
    fn tools(&self) -> Vec<(ToolSpec, Effect)>;
    /// Texts.
    fn texts(&self) -> &'static [ServedText];
    /// Texts of which there are many.
    fn templates(&self) -> &'static [ServedText];
    /// Prompts.
    fn prompts(&self) -> &'static [ServedPrompt];
    /// Carries a call of a tool out for a client that calls itself so; `None` where there is no such tool.
    fn call<'a>(&'a self, client: &'a str, tool: &'a str, arguments: Value)
    -> Option<Answered<'a>>;
    /// What a text says, in Markdown.
    fn read<'a>(&'a self, uri: &'a str) -> Answered<'a>;
    /// What a prompt says; `None` where there is no such prompt.
    fn prompt<'a>(&'a self, name: &'a str, arguments: Value) -> Option<Answered<'a>>;
}

/// Serves one client until its stream ends. Fails with words where the client does not speak the protocol.
pub async fn serve(
    served: impl Served,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
) -> Result<(), String> {
    match serve_server(Server(Arc::new(served)), (input, output)).await {
        Ok(running) => running.waiting().await.map(drop).map_err(|error| error.to_string()),
        // It ended before it said anything.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

struct Server<S>(Arc<S>);

const MARKDOWN: &str = "text/markdown";

impl<S: Served> ServerHandler for Server<S> {
    fn get_info(&self) -> ServerConfig {
        let offers =
            ServerCapabilities::builder().enable_tools().enable_resources().enable_prompts();
        ServerConfig::new(offers.build())
            .with_server_info(Implementation::new("siltstone", self.0.version()))
            .with_instructions(self.0.instructions())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.0.tools().into_iter().map(|(spec, effect)| tool(spec, effect));
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let client = context.client_info().map(|client| client.title.unwrap_or(client.name));
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let client = client.unwrap_or_default();
        let Some(answer) = self.0.call(&client, &request.name, arguments) else {
            return Err(ErrorData::invalid_params(format!("no tool {}", request.name), None));
        };
        let result = match answer.await {
            Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]),
            Err(words) => CallToolResult::error(vec![ContentBlock::text(words)]),
        };
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let texts = self.0.texts().iter().map(|text| {
            let made = Resource::new(text.uri, text.name);
            made.with_description(text.about).with_mime_type(MARKDOWN)
        });
        Ok(ListResourcesResult::with_all_items(texts.collect()))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let texts = self.0.templates().iter().map(|text| {
            let made = ResourceTemplate::new(text.uri, text.name);
            made.with_description(text.about).with_mime_type(MARKDOWN)
        });
        Ok(ListResourceTemplatesResult::with_all_items(texts.collect()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let text = self.0.read(&request.uri).await;
        let text = text.map_err(|words| ErrorData::resource_not_found(words, None))?;
        let contents = ResourceContents::text(text, request.uri).with_mime_type(MARKDOWN);
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompts = self.0.prompts().iter().map(|prompt| {
            let arguments = prompt.arguments.iter().map(|(name, about)| {
                PromptArgument::new(*name).with_description(*about).with_required(false)
            });
            let arguments: Vec<_> = arguments.collect();
            let arguments = (!arguments.is_empty()).then_some(arguments);
            Prompt::new(prompt.name, Some(prompt.about), arguments)
        });
        Ok(ListPromptsResult::with_all_items(prompts.collect()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let Some(answer) = self.0.prompt(&request.name, arguments) else {
            return Err(ErrorData::invalid_params(format!("no prompt {}", request.name), None));
        };
        let text = answer.await.map_err(|words| ErrorData::invalid_params(words, None))?;
        Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).into())
    }
}

/// A tool in the protocol's form.
fn tool(spec: ToolSpec, effect: Effect) -> Tool {
    let schema = match spec.schema {
        Value::Object(schema) => schema,
        _ => JsonObject::new(),
    };
    let does = ToolAnnotations::new().read_only(effect == Effect::Reads).destructive(false);
    Tool::new(spec.name, spec.description, schema).with_annotations(does.open_world(false))
}
