//! A server of ours under the official client, in both lives of the protocol.

use rmcp::model::{
    CallToolRequestParams, GetPromptRequestParams, Implementation, ProtocolVersion,
    ReadResourceRequestParams,
};
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt};
use rstest::rstest;
use serde_json::{Value, json};
use siltstone_engine::tool::{Effect, ToolSpec};
use siltstone_tools::{Answered, Served, ServedPrompt, ServedText, serve};

/// It says again what it is asked.
struct Echo;

const TEXTS: [ServedText; 1] = [ServedText { uri: "echo://text", name: "text", about: "A text" }];
const PROMPTS: [ServedPrompt; 1] =
    [ServedPrompt { name: "begin", about: "To begin", arguments: &[("with", "What")] }];

fn said<'a>(what: impl Into<String>) -> Answered<'a> {
    let what = what.into();
    Box::pin(async { Ok(what) })
}

impl Served for Echo {
    fn version(&self) -> &'static str {
        "1.2.3"
    }

    fn instructions(&self) -> String {
        "Say something.".into()
    }

    fn tools(&self) -> Vec<(ToolSpec, Effect)> {
        let schema = json!({"type": "object", "properties": {"text": {"type": "string"}}});
        let spec = ToolSpec { name: "say".into(), description: "Says it again".into(), schema };
        vec![(spec, Effect::Reads)]
    }

    fn texts(&self) -> &'static [ServedText] {
        &TEXTS
    }

    fn templates(&self) -> &'static [ServedText] {
        &[]
    }

    fn prompts(&self) -> &'static [ServedPrompt] {
        &PROMPTS
    }

    fn call<'a>(&'a self, client: &'a str, tool: &'a str, said: Value) -> Option<Answered<'a>> {
        (tool == "say").then(|| -> Answered<'a> {
            Box::pin(async move {
                let text = said["text"].as_str().ok_or("say what")?;
                Ok(format!("{client}: {text}"))
            })
        })
    }

    fn read<'a>(&'a self, uri: &'a str) -> Answered<'a> {
        said(format!("# {uri}"))
    }

    fn prompt<'a>(&'a self, name: &'a str, arguments: Value) -> Option<Answered<'a>> {
        (name == "begin").then(|| said(format!("Begin with {}", arguments["with"])))
    }
}

/// A client with a name.
#[derive(Clone)]
struct Named;

impl ClientHandler for Named {
    fn get_info(&self) -> rmcp::model::ClientConfig {
        let mut info = rmcp::model::ClientConfig::default();
        info.client_info = Implementation::new("Named", "1");
        info
    }
}

#[rstest]
#[case::handshake(ClientLifecycleMode::Initialize)]
#[case::inline(ClientLifecycleMode::Discover {
    preferred_versions: vec![ProtocolVersion::V_2026_07_28],
})]
#[tokio::test]
async fn the_official_client_is_served(#[case] life: ClientLifecycleMode) {
    let (here, there) = tokio::io::duplex(1024);
    let (input, output) = tokio::io::split(there);
    let server = tokio::spawn(serve(Echo, input, output));
    let client = Named.serve_with_lifecycle(here, life).await.unwrap();
    let tools = client.list_all_tools().await.unwrap();
    assert_eq!((tools.len(), &*tools[0].name), (1, "say"));
    assert_eq!(tools[0].annotations.as_ref().unwrap().read_only_hint, Some(true));
    let call = async |arguments: Value| {
        let arguments = arguments.as_object().unwrap().clone();
        let call = CallToolRequestParams::new("say").with_arguments(arguments);
        let result = client.call_tool(call).await.unwrap();
        let text = result.content[0].as_text().unwrap().text.clone();
        (text, result.is_error == Some(true))
    };
    assert_eq!(call(json!({"text": "hi"})).await, ("Named: hi".to_owned(), false));
    assert_eq!(call(json!({})).await, ("say what".to_owned(), true));
    assert!(client.call_tool(CallToolRequestParams::new("shout")).await.is_err());
    assert_eq!(client.list_all_resources().await.unwrap()[0].uri, "echo://text");
    let read = client.read_resource(ReadResourceRequestParams::new("echo://text")).await.unwrap();
    assert!(serde_json::to_string(&read).unwrap().contains("# echo://text"));
    assert_eq!(client.list_all_prompts().await.unwrap()[0].name, "begin");
    let mut prompt = GetPromptRequestParams::new("begin");
    prompt.arguments = json!({"with": "one"}).as_object().cloned();
    let begin = client.get_prompt(prompt).await.unwrap();
    assert!(serde_json::to_string(&begin).unwrap().contains("Begin with"));
    client.cancel().await.unwrap();
    assert_eq!(server.await.unwrap(), Ok(()));
}
