//! What is said over the pipes of an agent: JSON-RPC 2.0 with the messages of the Agent Client Protocol, version 1
//! (agentclientprotocol.com), as far as they are spoken here. What is read is read leniently: what is not known is passed over,
//! because agents are ahead of their clients.

use serde_json::{Value, json};
use siltstone_engine::acp::{AgentCall, CallChange, CallKind, CallState};
use siltstone_engine::offers::{AgentCommand, AgentMode};
use siltstone_engine::provider::ProviderError;
use siltstone_engine::turn::Usage;

/// The version that is spoken.
pub(super) const VERSION: u64 = 1;

/// The error of an agent that wants to know first on whose behalf it works.
const LOG_IN: i64 = -32_000;

/// The way of an agent to take a key from its environment, as it names it: nobody has to do anything for that.
const KEY: &str = "api-key";

/// JSON-RPC's "method not found".
const NO_METHOD: i64 = -32_601;

/// Most characters of a call's title, and of what a command or a mode is about.
const TITLE: usize = 300;

/// Most characters of the name of a command or a mode, and of each of them at most.
const NAME: usize = 100;
const OFFERED: usize = 200;

/// Modes in which agents ask before they change anything, by the names that they give them: `default` of Claude Code and
/// Gemini CLI, `read-only` of Codex. The first one that an agent has is set.
const ASKING: [&str; 3] = ["default", "read-only", "ask"];

pub(super) fn request(id: u64, method: &str, params: Value) -> Vec<u8> {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string().into_bytes()
}

pub(super) fn notification(method: &str, params: Value) -> Vec<u8> {
    json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string().into_bytes()
}

pub(super) fn answer(id: &Value, result: Value) -> Vec<u8> {
    json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string().into_bytes()
}

pub(super) fn no_method(id: &Value) -> Vec<u8> {
    let error = json!({"code": NO_METHOD, "message": "not offered"});
    json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string().into_bytes()
}

/// What an agent said.
pub(super) enum Said {
    /// It answers the request with this number.
    Answer(u64, Result<Value, ProviderError>),
    /// It asks.
    Request { id: Value, method: String, params: Value },
    /// It tells.
    Notification { method: String, params: Value },
    /// Nothing that is understood.
    Nothing,
}

impl Said {
    pub(super) fn of(mut message: Value) -> Self {
        let method = message.get("method").and_then(Value::as_str).map(str::to_owned);
        let mut take = |key: &str| message.get_mut(key).map(Value::take);
        let (id, params) = (take("id"), take("params").unwrap_or_default());
        match (method, id) {
            (Some(method), Some(id)) => Self::Request { id, method, params },
            (Some(method), None) => Self::Notification { method, params },
            (None, Some(id)) => {
                let Some(id) = id.as_u64() else { return Self::Nothing };
                match take("error") {
                    Some(error) if !error.is_null() => Self::Answer(id, Err(refused(&error))),
                    _ => Self::Answer(id, Ok(take("result").unwrap_or_default())),
                }
            }
            (None, None) => Self::Nothing,
        }
    }
}

/// An error of the agent, by what its words say: the protocol has no codes for most of what happens at a provider.
fn refused(error: &Value) -> ProviderError {
    let message = text(error, "message").unwrap_or_default();
    // Most say "Internal error", and why beside it.
    let data = error.get("data");
    let why = data.and_then(|data| text(data, "details").or_else(|| text(data, "message")));
    let why = why.or_else(|| data.and_then(Value::as_str));
    let detail: String = match why {
        Some(why) if why != message => format!("{message}: {why}"),
        _ => message.to_owned(),
    };
    let detail: String = detail.chars().take(2_000).collect();
    let says = |words: &[&str]| {
        let lower = detail.to_lowercase();
        words.iter().any(|word| lower.contains(word))
    };
    if error.get("code").and_then(Value::as_i64) == Some(LOG_IN) {
        let detail = format!("{detail}. Log in with the agent's own program first");
        return ProviderError::Unauthorised { detail };
    }
    if says(&["usage limit", "quota", "credit", "out of extra usage"]) {
        return ProviderError::NoCredit { detail };
    }
    if says(&["rate limit", "too many requests", "429"]) {
        return ProviderError::RateLimited { retry_after: None };
    }
    ProviderError::Agent { detail }
}

/// Whether an agent says that prompts may have pictures.
pub(super) fn reads_images(hello: &Value) -> bool {
    hello.pointer("/agentCapabilities/promptCapabilities/image") == Some(&Value::Bool(true))
}

/// Whether an agent takes a key from its environment when it is told to.
pub(super) fn by_key(hello: &Value) -> Option<&'static str> {
    let ways = hello.get("authMethods").and_then(Value::as_array);
    let has = ways.into_iter().flatten().any(|way| text(way, "id") == Some(KEY));
    has.then_some(KEY)
}

pub(super) fn text<'a>(of: &'a Value, key: &str) -> Option<&'a str> {
    of.get(key).and_then(Value::as_str)
}

/// Where earlier agents have their modes, and their models.
pub(super) const MODES: (&str, &str, &str, &str) =
    ("modes", "availableModes", "currentModeId", "id");
pub(super) const MODELS: (&str, &str, &str, &str) =
    ("models", "availableModels", "currentModelId", "modelId");

/// A choice that an agent offers for a session: of its mode, or of its model.
pub(super) struct Choice {
    /// How it is set: by the name of an option, or by a method of its own.
    pub(super) option: Option<String>,
    /// What is chosen now.
    pub(super) current: String,
    /// What may be.
    pub(super) values: Vec<Value>,
    /// What a value is known by in there.
    id: &'static str,
}

impl Choice {
    /// The choice of this category in what a session began with; `older` is where earlier agents have it: the object, the
    /// list in it, what is chosen in it, and what each is known by.
    pub(super) fn of(
        begun: &Value,
        category: &str,
        older: (&str, &str, &str, &'static str),
    ) -> Option<Self> {
        let options = begun.get("configOptions").and_then(Value::as_array);
        let mut options = options.into_iter().flatten();
        if let Some(option) = options.find(|it| text(it, "category") == Some(category)) {
            let values = option.get("options").and_then(Value::as_array).into_iter().flatten();
            // In groups, or not.
            let values = values.flat_map(|it| match it.get("options").and_then(Value::as_array) {
                Some(group) => group.iter().collect(),
                None => vec![it],
            });
            return Some(Self {
                option: Some(text(option, "id")?.to_owned()),
                current: text(option, "currentValue")?.to_owned(),
                values: values.cloned().collect(),
                id: "value",
            });
        }
        let (of, list, current, id) = older;
        let of = begun.get(of)?;
        let values = of.get(list).and_then(Value::as_array);
        Some(Self {
            option: None,
            current: text(of, current)?.to_owned(),
            values: values.cloned().unwrap_or_default(),
            id,
        })
    }

    /// The ids of what may be chosen.
    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        self.values.iter().filter_map(|it| text(it, self.id))
    }

    /// Whether this may be chosen.
    pub(super) fn has(&self, id: &str) -> bool {
        self.ids().any(|it| it == id)
    }

    /// The mode in which it asks, where it has one and is in another.
    pub(super) fn asking(&self) -> Option<&'static str> {
        let asking = ASKING.into_iter().find(|mode| self.has(mode))?;
        (self.current != asking).then_some(asking)
    }

    /// The modes, as the agent tells of them.
    pub(super) fn modes(&self) -> Vec<AgentMode> {
        let mode = |it: &Value| {
            let id = text(it, self.id).filter(|id| is_name(id))?.to_owned();
            let name = plain(text(it, "name").unwrap_or(&id), NAME);
            let about = plain(text(it, "description").unwrap_or_default(), TITLE);
            Some(AgentMode { asks: ASKING.contains(&id.as_str()), id, name, about })
        };
        self.values.iter().filter_map(mode).take(OFFERED).collect()
    }
}

/// The commands of an agent's own that an update tells.
pub(super) fn commands(update: &Value) -> Vec<AgentCommand> {
    let all = update.get("availableCommands").and_then(Value::as_array).into_iter().flatten();
    let command = |it: &Value| {
        let name = text(it, "name")?.trim_start_matches('/');
        let is_one = is_name(name) && !name.contains(char::is_whitespace);
        let said = |text: Option<&str>| plain(text.unwrap_or_default(), TITLE);
        is_one.then(|| AgentCommand {
            name: name.to_owned(),
            about: said(text(it, "description")),
            hint: said(it.get("input").and_then(|input| text(input, "hint"))),
        })
    };
    all.filter_map(command).take(OFFERED).collect()
}

/// Whether it is short enough for a name, and on one line.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().count() <= NAME && !text.contains(char::is_control)
}

/// On one line, and not longer than this.
fn plain(text: &str, most: usize) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(most).collect()
}

/// A call as it is known after what was told of it.
pub(super) fn call(known: Option<&AgentCall>, told: &Value) -> Option<AgentCall> {
    let id = text(told, "toolCallId")?.to_owned();
    let mut call = known.cloned().unwrap_or_else(|| AgentCall {
        id,
        title: String::new(),
        kind: CallKind::Other,
        state: CallState::Going,
        arguments: "{}".to_owned(),
        command: None,
        said: String::new(),
        changes: Vec::new(),
        paths: Vec::new(),
    });
    if let Some(title) = text(told, "title") {
        call.title = plain(title, TITLE);
    }
    if let Some(kind) = text(told, "kind") {
        call.kind = kind_of(kind);
    }
    match text(told, "status") {
        Some("completed") => call.state = CallState::Done,
        Some("failed") => call.state = CallState::Failed,
        _ => {}
    }
    if let Some(input) = told.get("rawInput").filter(|it| !it.is_null()) {
        call.arguments = input.to_string();
        call.command = command_of(input);
    }
    if let Some(content) = told.get("content").and_then(Value::as_array) {
        call.changes = content.iter().filter_map(change).collect();
        let said: Vec<&str> =
            content.iter().filter_map(|it| text(it.get("content")?, "text")).collect();
        call.said = said.join("\n");
    }
    if call.said.is_empty()
        && let Some(output) = told.get("rawOutput").filter(|it| !it.is_null())
    {
        call.said = output.as_str().map_or_else(|| output.to_string(), str::to_owned);
    }
    if let Some(places) = told.get("locations").and_then(Value::as_array) {
        call.paths = places.iter().filter_map(|it| Some(text(it, "path")?.to_owned())).collect();
    }
    for change in &call.changes {
        if !call.paths.contains(&change.path) {
            call.paths.push(change.path.clone());
        }
    }
    Some(call)
}

fn change(content: &Value) -> Option<CallChange> {
    if text(content, "type") != Some("diff") {
        return None;
    }
    Some(CallChange {
        path: text(content, "path")?.to_owned(),
        before: text(content, "oldText").map(str::to_owned),
        after: text(content, "newText")?.to_owned(),
    })
}

fn kind_of(kind: &str) -> CallKind {
    match kind {
        "read" => CallKind::Read,
        "search" => CallKind::Search,
        "edit" => CallKind::Edit,
        "delete" => CallKind::Delete,
        "move" => CallKind::Move,
        "execute" => CallKind::Execute,
        "fetch" => CallKind::Fetch,
        "think" => CallKind::Think,
        _ => CallKind::Other,
    }
}

/// A line, or the words of one.
fn command_of(input: &Value) -> Option<String> {
    match input.get("command")? {
        Value::String(line) => Some(line.clone()),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            shlex::try_join(words).ok()
        }
        _ => None,
    }
}

/// The steps of a plan, as lines.
pub(super) fn plan(update: &Value) -> String {
    let entries = update.get("entries").and_then(Value::as_array).into_iter().flatten();
    let lines = entries.filter_map(|it| {
        let mark = match text(it, "status") {
            Some("completed") => "x",
            Some("in_progress") => "~",
            _ => " ",
        };
        Some(format!("- [{mark}] {}\n", text(it, "content")?))
    });
    lines.collect()
}

/// What a prompt took. Agents count what came from a cache beside the rest, or in it; their sum tells which.
pub(super) fn usage(answer: &Value) -> Option<Usage> {
    let of = answer.get("usage")?;
    let count = |key: &str| of.get(key).and_then(Value::as_u64);
    let (input, output) = (count("inputTokens")?, count("outputTokens")?);
    let cached = count("cachedReadTokens").unwrap_or(0);
    let written = count("cachedWriteTokens").unwrap_or(0);
    let inside = count("totalTokens") == Some(input.saturating_add(output));
    let beside = if inside { 0 } else { cached.saturating_add(written) };
    Some(Usage {
        input_tokens: input.saturating_add(beside),
        output_tokens: output,
        cached_input_tokens: cached,
        cache_write_tokens: written,
        exact: true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_grows_with_what_is_told_of_it() {
        let begun = json!({"toolCallId": "c1", "title": "Edit\na.txt", "kind": "edit", "rawInput": {"path": "a.txt"}});
        let begun = call(None, &begun).unwrap();
        assert_eq!((begun.title.as_str(), begun.kind), ("Edit a.txt", CallKind::Edit));
        let diff = json!({"type": "diff", "path": "/p/a.txt", "oldText": "1", "newText": "2"});
        let said = json!({"type": "content", "content": {"type": "text", "text": "done"}});
        let told = json!({"toolCallId": "c1", "status": "completed", "content": [diff, said]});
        let done = call(Some(&begun), &told).unwrap();
        assert_eq!(
            (done.title, done.kind, done.state),
            (begun.title, CallKind::Edit, CallState::Done)
        );
        assert_eq!((done.said.as_str(), done.paths), ("done", vec!["/p/a.txt".to_owned()]));
        assert_eq!(done.changes[0].after, "2");
        assert_eq!(done.arguments, r#"{"path":"a.txt"}"#);
    }

    #[test]
    fn a_command_is_a_line_or_words() {
        let of = |input: Value| {
            call(None, &json!({"toolCallId": "c", "rawInput": input})).unwrap().command
        };
        assert_eq!(of(json!({"command": "ls -la"})).as_deref(), Some("ls -la"));
        assert_eq!(of(json!({"command": ["rm", "a b"]})).as_deref(), Some("rm 'a b'"));
        assert_eq!(of(json!({"command": 3})), None);
    }

    #[test]
    fn the_asking_mode_is_set_where_there_is_one_and_another_is_on() {
        let mode = |current: &str, ids: &[&str]| {
            let modes: Vec<Value> = ids.iter().map(|id| json!({"id": id, "name": id})).collect();
            let begun = json!({"modes": {"currentModeId": current, "availableModes": modes}});
            Choice::of(&begun, "mode", MODES).unwrap().asking()
        };
        assert_eq!(mode("auto", &["auto", "default", "plan"]), Some("default"));
        assert_eq!(mode("default", &["default", "yolo"]), None);
        assert_eq!(mode("auto", &["read-only", "auto", "full-access"]), Some("read-only"));
        assert_eq!(mode("build", &["build", "plan"]), None);
    }

    #[test]
    fn what_is_offered_is_read_as_it_is_told_and_kept_within_bounds() {
        let modes = json!([{"id": "plan", "name": "Plan\nmode", "description": "Reads."}, {"id": "default"}, {}, {"id": "a\nb"}, {"id": "x".repeat(NAME + 1)}]);
        let begun = json!({"modes": {"currentModeId": "plan", "availableModes": modes}});
        let modes = Choice::of(&begun, "mode", MODES).unwrap().modes();
        assert_eq!((modes[0].name.as_str(), modes[0].about.as_str()), ("Plan mode", "Reads."));
        assert_eq!(
            (modes[1].name.as_str(), modes[0].asks, modes[1].asks),
            ("default", false, true)
        );
        assert_eq!(modes.len(), 2);
        let long = "x".repeat(NAME + 1);
        let told = json!({"availableCommands": [
            {"name": "review", "description": "Reviews\u{7} it", "input": {"hint": "a path"}},
            {"name": "/init"}, {"name": "two words"}, {"name": long}, {"name": ""}, 3]});
        let commands = commands(&told);
        let names: Vec<&str> = commands.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["review", "init"]);
        assert_eq!(
            (commands[0].about.as_str(), commands[0].hint.as_str()),
            ("Reviews  it", "a path")
        );
    }

    #[test]
    fn options_are_read_in_groups_and_without() {
        let values = json!([{"value": "a"}, {"options": [{"value": "b"}, {"value": "c"}]}]);
        let begun = json!({"configOptions": [
            {"id": "m", "category": "model", "currentValue": "a", "options": values}]});
        let choice = Choice::of(&begun, "model", MODELS).unwrap();
        assert_eq!(choice.ids().collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!(choice.option.as_deref(), Some("m"));
    }

    #[test]
    fn what_came_from_a_cache_is_counted_once() {
        let of = |total: u64| {
            usage(
                &json!({"usage": {"inputTokens": 10, "outputTokens": 5, "cachedReadTokens": 100, "totalTokens": total}}),
            )
        };
        assert_eq!(of(115).unwrap().input_tokens, 110);
        assert_eq!(of(15).unwrap().input_tokens, 10);
        assert_eq!(usage(&json!({})), None);
    }

    #[test]
    fn an_error_says_what_helps() {
        let of = |code: i64, message: &str, data: Value| {
            refused(&json!({"code": code, "message": message, "data": data})).code()
        };
        assert_eq!(of(-32_000, "Authentication required", Value::Null), "key_refused");
        assert_eq!(
            of(-32_603, "Internal error", json!({"details": "You've hit your usage limit"})),
            "no_credit"
        );
        assert_eq!(of(-32_603, "Internal error", json!("HTTP 429")), "rate_limited");
        assert_eq!(of(-32_603, "Internal error", Value::Null), "provider_trouble");
    }
}
