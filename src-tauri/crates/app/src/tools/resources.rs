//! Resources of MCP servers as memory (behaviour.md, Memory): listed when somebody looks, kept for a conversation by a yes
//! to what was shown. What is kept is a copy: a resource that says something else by now is shown as changed, and what was
//! agreed to goes on being sent until the person agrees again.

use siltstone_contract::{
    Code, ConversationRef, Failure, KeepResource, ResourceItem, ResourceRef, ResourceState,
    ResourceText, ServerResources,
};
use siltstone_engine::conversation::Conversation;
use siltstone_engine::memory::{LineKind, MemoryLine, clean, hash_of};
use siltstone_engine::tool::mcp::{McpResource, McpSession, of_resource, resource_source};

use crate::core::failure::{Outcome, bad_request, conflict};
use crate::memory::keepable;
use crate::tools::ToolService;

impl ToolService {
    /// What the trusted servers of a conversation's place have to read, and what of it is kept.
    pub async fn mcp_resources(
        &self,
        request: ConversationRef,
    ) -> Result<Vec<ServerResources>, Failure> {
        let conversation = self.core.stores()?.transcripts.conversation(request.id).or_failure()?;
        let kept = self.memory.kept_of(&conversation, LineKind::Mcp)?;
        let mut all = Vec::new();
        for (server, session) in self.sessions_at(conversation.project_id, None).await? {
            let kept: Vec<(&str, &MemoryLine)> = kept
                .iter()
                .filter_map(|line| uri_at(line, &server.name).map(|it| (it, line)))
                .collect();
            let asked = match session {
                Ok(session) => listed(session.as_ref(), &kept).await,
                Err(fault) => Err(fault),
            };
            let (resources, fault) = match asked {
                Ok(resources) => (resources, None),
                Err(fault) => (Vec::new(), Some(fault)),
            };
            all.push(ServerResources { server: server.name, resources, fault });
        }
        Ok(all)
    }

    /// What a resource says now, beside what is kept of it.
    pub async fn mcp_resource(&self, request: ResourceRef) -> Result<ResourceText, Failure> {
        let conversation =
            self.core.stores()?.transcripts.conversation(request.conversation_id).or_failure()?;
        let whole = self.read_resource(&conversation, &request).await?;
        let source = resource_source(&request.server, &request.uri);
        let kept = self.memory.kept_of(&conversation, LineKind::Mcp)?;
        let kept = kept.into_iter().find(|line| line.source.as_ref() == Some(&source));
        let text = keepable(&whole).to_owned();
        let (hash, cut) = (hash_of(text.as_bytes()), text.len() < whole.len());
        Ok(ResourceText { text, hash, cut, kept: kept.map(|line| line.text) })
    }

    /// Keeps a resource for a conversation, if it still says what was shown.
    pub async fn mcp_resource_keep(&self, request: KeepResource) -> Result<MemoryLine, Failure> {
        let KeepResource { resource, hash } = request;
        let conversation =
            self.core.stores()?.transcripts.conversation(resource.conversation_id).or_failure()?;
        let text = self.read_resource(&conversation, &resource).await?;
        if hash_of(keepable(&text).as_bytes()) != hash {
            return Err(conflict("the resource says something else than what was shown"));
        }
        let source = resource_source(&resource.server, &resource.uri);
        self.memory.keep(&conversation, LineKind::Mcp, &text, source)
    }

    async fn read_resource(
        &self,
        conversation: &Conversation,
        wanted: &ResourceRef,
    ) -> Result<String, Failure> {
        let session = self.sessions_at(conversation.project_id, Some(&wanted.server)).await?.pop();
        let none = || format!("no trusted server {} is on here", wanted.server);
        let (_, session) = session.ok_or_else(|| Failure::new(Code::NotFound, none()))?;
        let session = session.map_err(|fault| Failure::new(Code::McpUnreachable, fault))?;
        let said = session.resource(&wanted.uri).await.or_failure()?;
        match said.is_error {
            true => Err(bad_request(&said.text)),
            false => Ok(clean(&said.text).into_owned()),
        }
    }
}

/// The address of the resource that a line keeps, if it is this server's.
fn uri_at<'a>(line: &'a MemoryLine, server: &str) -> Option<&'a str> {
    let (of, uri) = of_resource(line.source.as_deref()?)?;
    (of == server).then_some(uri)
}

/// What a server lists, then what is kept beside it. Only what is kept is read.
async fn listed(
    session: &dyn McpSession,
    kept: &[(&str, &MemoryLine)],
) -> Result<Vec<ResourceItem>, String> {
    let mut known = session.resources().await.map_err(|error| error.to_string())?;
    for (uri, _) in kept {
        if known.iter().all(|it| it.uri != *uri) {
            let (uri, name) = ((*uri).to_owned(), (*uri).to_owned());
            known.push(McpResource { uri, name, description: String::new(), size: None });
        }
    }
    let mut items = Vec::with_capacity(known.len());
    for resource in known {
        let line = kept.iter().find(|(uri, _)| *uri == resource.uri).map(|(_, line)| line);
        let state = match line {
            None => ResourceState::NotKept,
            Some(line) => match session.resource(&resource.uri).await {
                Ok(now) if now.is_error => ResourceState::Gone,
                Ok(now) if keepable(&clean(&now.text)) == line.text => ResourceState::AsKept,
                Ok(_) => ResourceState::Changed,
                Err(_) => ResourceState::Gone,
            },
        };
        items.push(ResourceItem { resource, state });
    }
    Ok(items)
}
