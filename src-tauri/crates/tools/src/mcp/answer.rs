//! What a server answers, as models are told of it: text as it is, everything else by its kind and size.

use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use siltstone_engine::tool::Answer;

/// The answer to a call. Structured content speaks where there is no text.
pub(super) fn answer(result: CallToolResult) -> Answer {
    let is_error = result.is_error.unwrap_or_default();
    let mut parts: Vec<String> = result.content.into_iter().map(told).collect();
    if parts.is_empty()
        && let Some(structured) = result.structured_content
    {
        parts.push(structured.to_string());
    }
    let text = if parts.is_empty() {
        String::from("(The tool answered with nothing.)")
    } else {
        parts.join("\n")
    };
    Answer { text, is_error, touched: Vec::new() }
}

fn told(block: ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text,
        ContentBlock::Image(image) => named("image", &image.mime_type, &image.data),
        ContentBlock::Audio(audio) => named("audio", &audio.mime_type, &audio.data),
        ContentBlock::Resource(resource) => match resource.resource {
            ResourceContents::TextResourceContents { uri, text, .. } => format!("[{uri}]\n{text}"),
            ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                format!("{} {uri}", named("file", &mime_type.unwrap_or_default(), &blob))
            }
            _ => String::from("[a resource of an unknown kind]"),
        },
        ContentBlock::ResourceLink(link) => format!("[link to {}: {}]", link.name, link.uri),
        _ => String::from("[content of an unknown kind]"),
    }
}

/// Base64 holds three bytes in four characters.
fn named(kind: &str, mime_type: &str, base64: &str) -> String {
    let mime_type: String = mime_type.chars().take(100).collect();
    format!("[{kind} {mime_type}, {} bytes, not shown]", base64.len() / 4 * 3)
}
