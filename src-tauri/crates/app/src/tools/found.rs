//! Servers that a project's own files name, as other programs read them. They are shown and never run: the person
//! adds one or does not.

use serde_json::{Map, Value};
use siltstone_contract::{Failure, McpFound, ProjectRef};
use siltstone_engine::project::Trust;
use siltstone_engine::tool::mcp::{McpNeeds, McpTransport, looks_secret};

use crate::core::blocking;
use crate::core::failure::Outcome;
use crate::tools::ToolService;

/// Files that say so, with the key beneath which.
const FILES: [(&str, &str); 3] = [
    (".mcp.json", "mcpServers"),
    (".cursor/mcp.json", "mcpServers"),
    (".vscode/mcp.json", "servers"),
];

/// Most that are listed.
const MOST: usize = 100;

impl ToolService {
    /// Servers that a trusted project's files name.
    pub async fn mcp_found(&self, request: ProjectRef) -> Result<Vec<McpFound>, Failure> {
        let stores = self.core.stores()?;
        let project = stores.records.project(request.id).or_failure()?;
        if project.trust != Trust::Trusted {
            return Ok(Vec::new());
        }
        let this = self.clone();
        let read = move || {
            let mut found = Vec::new();
            for (path, key) in FILES {
                if let Ok(text) = this.privacy.text_to_send(&project, path) {
                    found.extend(named_in(path, key, &text));
                }
            }
            found.truncate(MOST);
            found
        };
        let mut found = blocking(read).await?;
        let known = stores.tools.servers(Some(request.id)).or_failure()?;
        for found in &mut found {
            // What it may reach is the person's to say, and is in no such file.
            found.added =
                known.iter().any(|known| without_needs(&known.transport) == found.transport);
        }
        Ok(found)
    }
}

/// The servers a file names. A file that is no JSON names none; comments in it are taken out first.
fn named_in(path: &str, key: &str, text: &str) -> Vec<McpFound> {
    let text = without_comments(text);
    let Ok(Value::Object(file)) = serde_json::from_str(&text) else { return Vec::new() };
    let servers = file.get(key).and_then(Value::as_object).into_iter().flatten();
    servers
        .filter_map(|(name, said)| {
            let transport = transport(said.as_object()?)?;
            Some(McpFound { path: path.to_owned(), name: name.clone(), transport, added: false })
        })
        .collect()
}

/// How a server would be reached. Values that may be secrets, or stand for something to fill in, are left out: their
/// names ask the person for them.
fn transport(said: &Map<String, Value>) -> Option<McpTransport> {
    let text = |key: &str| said.get(key).and_then(Value::as_str);
    let Some(command) = text("command") else {
        let url = text("url").or_else(|| text("serverUrl"))?.to_owned();
        let headers = said.get("headers").and_then(Value::as_object).into_iter().flatten();
        let secret_header = headers.map(|(name, _)| name.clone()).next().unwrap_or_default();
        return Some(McpTransport::Http { url, secret_header });
    };
    let args = said.get("args").and_then(Value::as_array).into_iter().flatten();
    let args = args.filter_map(Value::as_str).map(str::to_owned).collect();
    let named = said.get("env").and_then(Value::as_object).into_iter().flatten();
    let (secret, open): (Vec<_>, Vec<_>) = named.partition(|(name, value)| {
        looks_secret(name) || value.as_str().is_none_or(|value| value.contains("${"))
    });
    let env = open
        .into_iter()
        .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
        .collect();
    let mut secret_env: Vec<String> = secret.into_iter().map(|(name, _)| name.clone()).collect();
    secret_env.sort();
    let (command, needs) = (command.to_owned(), McpNeeds::default());
    Some(McpTransport::Stdio { command, args, env, secret_env, needs })
}

fn without_needs(transport: &McpTransport) -> McpTransport {
    let mut transport = transport.clone();
    if let McpTransport::Stdio { needs, .. } = &mut transport {
        *needs = McpNeeds::default();
    }
    transport
}

/// JSON without the comments that editors allow in their settings; text inside strings stays.
fn without_comments(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    let mut in_string = false;
    while let Some(c) = rest.chars().next() {
        let next = &rest[c.len_utf8()..];
        if in_string {
            kept.push(c);
            in_string = c != '"';
            if c == '\\'
                && let Some(escaped) = next.chars().next()
            {
                kept.push(escaped);
                rest = &next[escaped.len_utf8()..];
                continue;
            }
        } else if rest.starts_with("//") {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
            continue;
        } else if rest.starts_with("/*") {
            rest = rest.find("*/").map_or("", |end| &rest[end + 2..]);
            continue;
        } else {
            kept.push(c);
            in_string = c == '"';
        }
        rest = next;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_a_secret_is_a_name_to_fill_in() {
        let found = named_in(
            ".vscode/mcp.json",
            "servers",
            r#"{ // which
                "servers": {"git": {"command": "npx", "args": ["-y", "x//y"],
                  "env": {"GITHUB_TOKEN": "canary", "ROOT": "${workspaceFolder}", "MODE": "a\"/*b"}},
                /* and */ "far": {"url": "https://mcp.example/x", "headers": {"Authorization": "canary"}},
                "none": {"type": "stdio"}}}"#,
        );
        assert!(!format!("{found:?}").contains("canary"), "{found:?}");
        let stdio = McpTransport::Stdio {
            command: "npx".into(),
            args: vec!["-y".into(), "x//y".into()],
            env: [("MODE".to_owned(), "a\"/*b".to_owned())].into(),
            secret_env: vec!["GITHUB_TOKEN".into(), "ROOT".into()],
            needs: McpNeeds::default(),
        };
        let http = McpTransport::Http {
            url: "https://mcp.example/x".into(),
            secret_header: "Authorization".into(),
        };
        let mut transports: Vec<_> = found.into_iter().map(|it| (it.name, it.transport)).collect();
        transports.sort_by(|a, b| a.0.cmp(&b.0));
        assert_eq!(transports, [("far".to_owned(), http), ("git".to_owned(), stdio)]);
    }
}
