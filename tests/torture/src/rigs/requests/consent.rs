//! Consent: a model calls a server's tool with arguments that nobody chose, and the person says yes to what the card shows.
//! That, read as JSON, is what the model wrote; and letter by letter it is what the server gets. What could be read in two
//! ways never gets there.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use siltstone_contract::{
    AnswerApproval, Approval, ApprovalAnswer, ConversationRef, McpRef, SetMcp, TrustMcp,
};
use siltstone_engine::ids::ConversationId;
use siltstone_engine::tool::mcp::{McpNeeds, McpTransport};
use siltstone_test_servers::mcp_hostile;
use siltstone_test_servers::until::until;

use super::room::Room;
use super::server::CALLS;
use crate::chance::Chance;
use crate::{Options, Outcome, Trouble};

/// Calls in one reply.
const AT_ONCE: u64 = 20;

/// The server's name, and its tool as models call it.
const SERVER: &str = "bank";
const TOOL: &str = "mcp__bank__echo";

/// Runs it.
pub fn run(options: &Options) -> Result<Outcome, Trouble> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let mut outcome = Outcome::default();
    let mut chance = options.chance("consent");
    runtime.block_on(async {
        let room = Room::new().await?;
        // Beside the data folder, which no server sees.
        let notes = room.desk.data.with_file_name("noted").join("notes");
        std::fs::create_dir(notes.with_file_name(""))?;
        trusts(&room, &notes).await?;
        for _ in 0..options.count(2, 500) {
            let id = room.conversation(true).await?;
            let said: Vec<Said> = (0..AT_ONCE).map(|_| Said::draw(&mut chance)).collect();
            let shown = asked_about(&room, id, &said).await?;
            let came = std::fs::read_to_string(&notes).unwrap_or_default();
            let _ = std::fs::remove_file(&notes);
            compares(&said, &shown, &came.lines().collect::<Vec<_>>(), &mut outcome);
        }
        room.app.leave_servers().await;
        Ok(outcome)
    })
}

/// A server that notes every call as it came, trusted.
async fn trusts(room: &Room, notes: &std::path::Path) -> Result<(), Trouble> {
    let (command, args) = mcp_hostile("notes", notes)?;
    let (env, secret_env) = (BTreeMap::new(), Vec::new());
    // It notes what it is asked where nothing else of ours writes.
    let beside = notes.parent().unwrap_or(notes).display().to_string();
    let needs = McpNeeds { writes: vec![beside], ..McpNeeds::default() };
    let transport = McpTransport::Stdio { command, args, env, secret_env, needs };
    let (project_id, name) = (Some(room.project), SERVER.to_owned());
    let set = SetMcp { project_id, name: name.clone(), transport, on: true };
    let fingerprint = room.app.mcp_set(set).await?.fingerprint;
    let server = McpRef { project_id, name };
    let instructions = String::new();
    room.app.mcp_trust(TrustMcp { server, fingerprint, instructions, at: None }).await?;
    Ok(())
}

/// Has the calls made, and says yes to each; what was shown, in their order.
async fn asked_about(
    room: &Room,
    id: ConversationId,
    said: &[Said],
) -> Result<Vec<Approval>, Trouble> {
    room.server.will_call(said.iter().map(|it| (TOOL.to_owned(), it.text.clone())).collect());
    room.send(id, &format!("Please {CALLS} about it.")).await?;
    let mut shown: Vec<Approval> = Vec::new();
    for _ in said.iter().filter(|it| it.value.is_some()) {
        let mut waiting = Vec::new();
        until("a call that waits", async || {
            let list = room.app.approval_list(ConversationRef { id }).await;
            waiting = list.unwrap_or_default();
            let is_new = |it: &Approval| shown.last().is_none_or(|last| last.call_id != it.call_id);
            waiting.first().is_some_and(is_new)
        })
        .await;
        let approval = waiting.remove(0);
        let (call_id, hash) = (approval.call_id.clone(), approval.hash.clone());
        let answer = ApprovalAnswer::Once;
        let request = AnswerApproval { conversation_id: id, call_id, hash, answer };
        room.app.approval_answer(request).await?;
        shown.push(approval);
    }
    room.settled(id).await?;
    Ok(shown)
}

fn compares(said: &[Said], shown: &[Approval], came: &[&str], outcome: &mut Outcome) {
    let readable = said.iter().filter(|it| it.value.is_some());
    outcome.count(
        "names given twice that were refused",
        said.len() as u64 - readable.clone().count() as u64,
    );
    let mut came = came.iter();
    for (n, Said { text, value }) in readable.enumerate() {
        let (Some(approval), Some(line)) = (shown.get(n), came.next()) else {
            outcome
                .tried("arguments", Some(format!("it was not asked about or never came: {text}")));
            continue;
        };
        let read = serde_json::from_str::<Value>(&approval.arguments).ok();
        let wrong = if !read.zip(value.clone()).is_some_and(|(a, b)| same(&a, &b)) {
            Some("other arguments were shown than were written")
        } else if !line.contains(&format!("\"arguments\":{}", without_space(&approval.arguments))) {
            Some("other arguments came than were shown")
        } else {
            None
        };
        let told = |why| format!("{why}: {text} as {} as {line}", approval.arguments);
        outcome.tried("arguments", wrong.map(told));
    }
    if let Some(more) = came.next() {
        outcome.fail(format!("a call that nobody was asked about came: {more}"));
    }
}

/// JSON without what stands between its parts.
fn without_space(json: &str) -> String {
    let (mut inside, mut escaped) = (false, false);
    let parts = json.chars().filter(|c| {
        let kept = inside || !c.is_ascii_whitespace();
        match c {
            _ if escaped => escaped = false,
            '\\' if inside => escaped = true,
            '"' => inside = !inside,
            _ => {}
        }
        kept
    });
    parts.collect()
}

/// Whether two values are one: whole numbers to the last digit, others as a double holds them.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) if a.is_f64() && b.is_f64() => {
            let (a, b) = (a.as_f64().unwrap_or(0.0), b.as_f64().unwrap_or(1.0));
            (a - b).abs() <= b.abs() * 4.0 * f64::EPSILON
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let in_both = |(name, a): (&String, &Value)| b.get(name).is_some_and(|b| same(a, b));
            a.len() == b.len() && a.iter().all(in_both)
        }
        _ => a == b,
    }
}

/// The arguments of one call.
struct Said {
    /// As the model writes them.
    text: String,
    /// What they mean; nothing where a name is given twice.
    value: Option<Value>,
}

impl Said {
    fn draw(chance: &mut Chance) -> Self {
        let mut twice = false;
        let mut text = String::new();
        let value = object(chance, 0, &mut text, &mut twice);
        Self { text, value: (!twice).then_some(value) }
    }
}

fn any(chance: &mut Chance, depth: u64, text: &mut String, twice: &mut bool) -> Value {
    match chance.below(if depth < 4 { 9 } else { 7 }) {
        0..3 => number(chance, text),
        3..6 => Value::String(string(chance, text)),
        6 => {
            let plain = [Value::Null, Value::Bool(true), Value::Bool(false)];
            let value = chance.pick(&plain).cloned().unwrap_or_default();
            text.push_str(&value.to_string());
            value
        }
        7 => {
            text.push('[');
            let mut values = Vec::new();
            for n in 0..chance.below(5) {
                text.push_str(if n > 0 { ", " } else { "" });
                values.push(any(chance, depth + 1, text, twice));
            }
            text.push(']');
            Value::Array(values)
        }
        _ => object(chance, depth + 1, text, twice),
    }
}

fn object(chance: &mut Chance, depth: u64, text: &mut String, twice: &mut bool) -> Value {
    let mut fields = Map::new();
    text.push('{');
    for n in 0..chance.below(5) {
        text.push_str(if n > 0 { ",\n\t" } else { " " });
        let last = fields.keys().next_back().cloned();
        let name = match last.filter(|_| chance.below(60) == 0) {
            Some(last) => {
                text.push_str(&Value::from(last.as_str()).to_string());
                last
            }
            None => string(chance, text),
        };
        text.push(':');
        *twice |= fields.contains_key(&name);
        let value = any(chance, depth, text, twice);
        fields.insert(name, value);
    }
    text.push('}');
    Value::Object(fields)
}

/// A number in one of the many ways to write one.
fn number(chance: &mut Chance, text: &mut String) -> Value {
    let sign = if chance.below(2) == 0 { "" } else { "-" };
    let whole = match chance.below(5) {
        0 => 1 + chance.below(1_000),
        // Around what a double still holds.
        1 => (1 << 53) - 5 + chance.below(10),
        2 => i64::MAX as u64 - 5 + chance.below(10),
        3 => u64::MAX - chance.below(10),
        _ => chance.number(),
    };
    let more = match chance.below(6) {
        0 => format!(".{}", chance.below(1_000_000)),
        1 => format!("e{}", chance.below(20)),
        2 => format!(".{}E-{}", chance.below(1_000), chance.below(300)),
        3 => chance.number().to_string(),
        _ => String::new(),
    };
    let written = format!("{sign}{whole}{more}");
    text.push_str(&written);
    let exact = written.parse::<u64>().ok().map(Value::from);
    let exact =
        exact.or_else(|| written.parse::<i64>().ok().filter(|&it| it != 0).map(Value::from));
    exact.unwrap_or_else(|| Value::from(written.parse::<f64>().unwrap_or_default()))
}

/// Letters of every kind, some of which nobody sees, written as they are or by their numbers.
fn string(chance: &mut Chance, text: &mut String) -> String {
    const KINDS: [(u32, u32); 9] = [
        (0x20, 0x7F),
        (0x00, 0x20),
        (0x7F, 0xA1),
        (0xAC00, 0xAD00),
        (0x200B, 0x2070),
        (0xFE00, 0xFE10),
        (0x1F600, 0x1F650),
        (0xE0000, 0xE0080),
        (0x600, 0x700),
    ];
    let mut value = String::new();
    text.push('"');
    for _ in 0..chance.below(12) {
        let (from, to) = chance.pick(&KINDS).copied().unwrap_or((0x20, 0x7F));
        let number = from + u32::try_from(chance.below(u64::from(to - from))).unwrap_or(0);
        let c = char::from_u32(number).unwrap_or('?');
        value.push(c);
        if chance.below(3) == 0 {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                text.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            let written = Value::from(c.to_string()).to_string();
            text.push_str(written.trim_start_matches('"').strip_suffix('"').unwrap_or_default());
        }
    }
    text.push('"');
    value
}
