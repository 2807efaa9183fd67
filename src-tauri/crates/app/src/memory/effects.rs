//! What a folder asks other programs to run: MCP servers and commands on events. Listed for the person before the
//! folder is trusted; nothing here is ever run.

use serde_json::{Map, Value};
use siltstone_contract::{Effect, EffectKind};

/// Files that say so.
const FILES: [&str; 6] = [
    ".mcp.json",
    ".cursor/mcp.json",
    ".vscode/mcp.json",
    ".gemini/settings.json",
    ".claude/settings.json",
    ".claude/settings.local.json",
];

/// Most that are listed.
const MOST: usize = 100;

/// What the files of a folder ask for; `read` gives their texts.
pub(super) fn effects(read: &dyn Fn(&str) -> Option<String>) -> Vec<Effect> {
    let mut found = Vec::new();
    for path in FILES {
        let Some(Value::Object(file)) =
            read(path).and_then(|text| serde_json::from_str(&text).ok())
        else {
            continue;
        };
        for key in ["mcpServers", "servers"] {
            for (name, server) in object(&file, key) {
                found.push(effect(path, EffectKind::McpServer, name, what(server)));
            }
        }
        for (event, hooks) in object(&file, "hooks") {
            let mut commands = Vec::new();
            commands_in(hooks, &mut commands);
            let of = |what| effect(path, EffectKind::Hook, event, what);
            found.extend(commands.into_iter().map(of));
        }
    }
    found.truncate(MOST);
    found
}

fn effect(path: &str, kind: EffectKind, name: &str, what: String) -> Effect {
    Effect { path: path.to_owned(), kind, name: name.to_owned(), what }
}

fn object<'a>(
    file: &'a Map<String, Value>,
    key: &str,
) -> impl Iterator<Item = (&'a String, &'a Value)> {
    file.get(key).and_then(Value::as_object).into_iter().flatten()
}

/// A server's command line, or its address.
fn what(server: &Value) -> String {
    let text = |key: &str| server.get(key).and_then(Value::as_str);
    let arguments = server.get("args").and_then(Value::as_array).into_iter().flatten();
    let arguments = arguments.filter_map(Value::as_str);
    match text("command") {
        Some(command) => [command].into_iter().chain(arguments).collect::<Vec<_>>().join(" "),
        None => text("url").or(text("httpUrl")).unwrap_or_default().to_owned(),
    }
}

/// All commands beneath a value, however it is nested.
fn commands_in(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            found.extend(fields.get("command").and_then(Value::as_str).map(str::to_owned));
            fields.values().for_each(|value| commands_in(value, found));
        }
        Value::Array(values) => values.iter().for_each(|value| commands_in(value, found)),
        _ => {}
    }
}
