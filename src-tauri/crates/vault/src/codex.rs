//! Codex: a line an event in `sessions/<year>/<month>/<day>/rollout-<time>-<thread>.jsonl`, plain or under zstd.
//!
//! What goes to the model (`response_item`) is the conversation; what the terminal shows of it (`event_msg`) says the same
//! once more, but for turns that were taken back and tokens. Before September 2025 the items stood there without a cover.
//! Everything follows what was said last, so a branch is what was taken back.

use std::io::{self, Read};

use serde_json::{Map, Value};
use siltstone_engine::Timestamp;
use siltstone_engine::message::{Part, Role};
use siltstone_engine::turn::Usage;
use siltstone_engine::vault::{Agent, Beside, EntryKind, FileRole, Fold, GoesOn, Session};

use crate::draft::{Draft, arguments, each, entry, first, number, short, text, time};
use crate::handover;
use crate::lines::{Line, Lines};
use crate::source::{Files, GoingOn, Root, Source};

pub(crate) static SOURCE: Source = Source {
    agent: Agent::Codex,
    roots: &[Root { variable: "CODEX_HOME", usual: &[".codex"], below: &[""] }],
    files: Files::of(&[
        ("sessions/**/rollout-*.jsonl", FileRole::Session),
        ("sessions/**/rollout-*.jsonl.zst", FileRole::Session),
        ("archived_sessions/**/rollout-*.jsonl", FileRole::Session),
        ("archived_sessions/**/rollout-*.jsonl.zst", FileRole::Session),
        ("session_index.jsonl", FileRole::Beside),
        ("history.jsonl", FileRole::Beside),
    ]),
    owner: |_| None,
    beside: None,
    goes_on: Some(GoingOn { from, read: read_on }),
    read: |path, bytes, draft| read_on(path, bytes, &mut [], draft),
    compose: Some(handover::codex),
    rows: None,
};

/// Most that a file under zstd may come to: a small one can be made to say anything.
const MAX_UNZIPPED: u64 = 8 << 30;

/// The largest window of zstd that is allowed, as a power of two.
const WINDOW: u32 = 27;

/// Bytes of a thread's id at the end of a file's name.
const THREAD: usize = 36;

/// Records and events that say nothing of the conversation, or say it a second time.
const BESIDE: [&str; 3] =
    ["inter_agent_communication", "inter_agent_communication_metadata", "world_state"];

/// Items that a model is given and nobody can read, or that stand for nothing said.
const SILENT: [&str; 4] =
    ["ghost_snapshot", "compaction", "context_compaction", "image_generation_call"];

/// How a text begins that the program put in the person's place.
const CONTEXT: [&str; 7] = [
    "# AGENTS.md",
    "<environment_context>",
    "<permissions",
    "<skill",
    "<turn_aborted>",
    "<user_instructions>",
    "<user_shell_command>",
];

/// The thread that a file is of: `rollout-<time>-<thread>`, and behind that `_<id>` where a turn was taken back and another
/// file goes on.
fn thread_of(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.trim_end_matches(".zst").trim_end_matches(".jsonl");
    let last = |of: &str| of.len().checked_sub(THREAD).filter(|at| of.is_char_boundary(*at));
    let first = last(stem).and_then(|at| stem[..at].strip_suffix('_'));
    let of = first.filter(|first| last(first).is_some()).unwrap_or(stem);
    last(of).map_or(of, |at| &of[at..])
}

/// What a file says as it was before it was packed.
fn unpacked(
    path: &str,
    bytes: &mut dyn Read,
    with: &mut dyn FnMut(&mut dyn Read) -> io::Result<()>,
) -> io::Result<()> {
    if !path.ends_with(".zst") {
        return with(bytes);
    }
    let mut unzipping = zstd::Decoder::new(bytes)?;
    unzipping.window_log_max(WINDOW)?;
    with(&mut unzipping.take(MAX_UNZIPPED))
}

/// A thread that went out of another one, or out of itself where turns were taken back, holds what was said before in that
/// one's file; its first record says in which.
fn from(path: &str, bytes: &mut dyn Read) -> io::Result<Option<GoesOn>> {
    let mut found = None;
    unpacked(path, bytes, &mut |bytes| {
        if let Some(Line::Record(record)) = Lines::of(bytes).next()?
            && let Some(base) = record.get("payload").and_then(|it| it.get("history_base"))
            && let Some(name) = base.get("thread_id").and_then(Value::as_str)
        {
            let name = short(name);
            found = Some(GoesOn { name, until: number(base, "end_byte_offset") });
        }
        Ok(())
    })?;
    Ok(found)
}

fn read_on(
    path: &str,
    bytes: &mut dyn Read,
    before: &mut [Beside<'_>],
    draft: Draft,
) -> io::Result<Session> {
    let mut reading = Reading { draft, ..Reading::default() };
    let thread = thread_of(path);
    reading.draft.session.id = thread.to_owned();
    for file in before {
        reading.before(file, thread)?;
    }
    unpacked(path, bytes, &mut |bytes| reading.lines(bytes))?;
    Ok(reading.done())
}

#[derive(Default)]
struct Reading {
    draft: Draft,
    /// What was said last.
    tip: Option<usize>,
    model: Option<String>,
    /// Whether the file says itself who it is.
    is_named: bool,
    /// Whether what is read is another thread's, which has its tokens itself.
    is_others: bool,
    /// Whether the agent tells the tokens of each request, and not their sum alone.
    has_each: bool,
    /// All tokens, as the agent last told them, and those of the counts before it began anew.
    total: Usage,
    earlier: Usage,
    /// Tokens of the last request and its reply.
    context: Option<u64>,
    /// A compaction after which no tokens were told yet.
    fold: Option<usize>,
}

impl Reading {
    /// What was said before in another file. Of one of the same thread the rest was taken back.
    fn before(&mut self, file: &mut Beside<'_>, thread: &str) -> io::Result<()> {
        (self.is_named, self.is_others) = (true, thread_of(file.path) != thread);
        let is_cut = self.draft.session.is_cut;
        unpacked(file.path, file.bytes, &mut |bytes| {
            self.lines(&mut bytes.take(file.until))?;
            if !self.is_others {
                let (tip, context) = (self.tip, self.context);
                self.lines(bytes)?;
                (self.tip, self.context) = (tip, context);
            }
            Ok(())
        })?;
        self.draft.session.is_cut = is_cut;
        (self.is_named, self.is_others) = (false, false);
        Ok(())
    }

    fn lines(&mut self, bytes: &mut dyn Read) -> io::Result<()> {
        each(bytes, self, |it| &mut it.draft, |it, record| it.record(&record))
    }

    fn record(&mut self, record: &Map<String, Value>) {
        if self.draft.passes_over() {
            return;
        }
        let at = time(record, "timestamp");
        let payload = match record.get("payload") {
            Some(payload) => payload.as_object(),
            // Without a cover: an item itself, or who the session is.
            None => return self.bare(record, at),
        };
        let (Some(kind), Some(payload)) = (text(record, "type"), payload) else {
            return self.draft.unreadable();
        };
        match kind {
            "session_meta" => self.named(payload),
            "response_item" => self.item(payload, at),
            "turn_context" => {
                first(&mut self.draft.session.folder, text(payload, "cwd"));
                self.model = text(payload, "model").map(short).or(self.model.take());
                self.draft.beside(kind);
            }
            "compacted" => self.compacted(payload, at),
            "event_msg" => self.event(payload),
            "token_usage_record" => {
                self.has_each = true;
                if let (Some(id), Some(used), false) =
                    (text(payload, "response_id"), payload.get("usage"), self.is_others)
                {
                    self.draft.count(short(id), usage(used));
                }
                self.draft.beside(kind);
            }
            kind if BESIDE.contains(&kind) => self.draft.beside(kind),
            kind => self.draft.unknown(kind),
        }
    }

    fn bare(&mut self, record: &Map<String, Value>, at: Option<Timestamp>) {
        match text(record, "type") {
            Some(_) => self.item(record, at),
            None if record.contains_key("id") => self.named(record),
            None if record.contains_key("record_type") => self.draft.beside("state"),
            None => self.draft.unreadable(),
        }
    }

    fn named(&mut self, said: &Map<String, Value>) {
        self.draft.beside("session_meta");
        // A thread that went out of another one carries that one's word behind its own.
        if std::mem::replace(&mut self.is_named, true) {
            return;
        }
        let session = &mut self.draft.session;
        if let Some(id) = text(said, "id") {
            session.id = short(id);
        }
        session.parent = text(said, "parent_thread_id").map(short);
        if let Some(folder) = text(said, "cwd") {
            session.folder = Some(folder.to_owned());
        }
        let git = said.get("git").and_then(Value::as_object);
        first(&mut session.git_branch, git.and_then(|git| text(git, "branch")));
    }

    fn item(&mut self, item: &Map<String, Value>, at: Option<Timestamp>) {
        let Some(kind) = text(item, "type") else { return self.draft.unreadable() };
        let called = |id: &str, name: &str, arguments: String| Part::ToolCall {
            id: short(id),
            name: short(name),
            arguments,
            seal: None,
        };
        let id = text(item, "call_id").or_else(|| text(item, "id")).unwrap_or_default();
        match kind {
            "message" => self.message(item, at),
            "agent_message" => match said_in(item.get("content").or_else(|| item.get("text"))) {
                Some(said) => self.reply(None, &said, at),
                None => self.draft.unreadable(),
            },
            "reasoning" => {
                let told = |key: &str| said_in(item.get(key)).filter(|said| !said.is_empty());
                let thought = told("content").or_else(|| told("summary")).unwrap_or_default();
                let text = self.draft.text(&thought);
                if !text.is_empty() {
                    self.add(Role::Assistant, vec![Part::Reasoning { text, seal: None }], at);
                }
            }
            "function_call" | "custom_tool_call" => {
                let said = arguments(item.get("arguments").or_else(|| item.get("input")));
                let said = self.draft.text(&said);
                let part = called(id, text(item, "name").unwrap_or_default(), said);
                self.add(Role::Assistant, vec![part], at);
            }
            "local_shell_call" | "web_search_call" | "tool_search_call" => {
                let said = self.draft.text(&arguments(item.get("action")));
                self.add(Role::Assistant, vec![called(id, kind, said)], at);
            }
            "function_call_output" | "custom_tool_call_output" | "tool_search_output" => {
                let said = item.get("output").and_then(output).unwrap_or_default();
                let answer = Part::ToolResult {
                    call_id: short(id),
                    text: self.draft.text(&said),
                    is_error: false,
                    kept: None,
                };
                self.add(Role::Tool, vec![answer], at);
            }
            kind if SILENT.contains(&kind) => self.draft.beside(kind),
            kind => self.draft.unknown(&format!("item {}", short(kind))),
        }
    }

    fn message(&mut self, item: &Map<String, Value>, at: Option<Timestamp>) {
        let content = item.get("content");
        let (Some(role), Some(said)) = (text(item, "role"), said_in(content)) else {
            return self.draft.unreadable();
        };
        match role {
            "assistant" => self.reply(content, &said, at),
            "user" => {
                let begins = |begin: &&str| said.trim_start().starts_with(begin);
                let kind = match CONTEXT.iter().any(begins) {
                    true => EntryKind::Context,
                    false => EntryKind::Said,
                };
                let mut parts = vec![Part::Text { text: self.draft.text(&said) }];
                parts.extend(self.pictures(content));
                self.begin(Role::User, kind, parts, at);
            }
            // The program's own rules for the model.
            "developer" | "system" => {
                let parts = vec![Part::Text { text: self.draft.text(&said) }];
                self.begin(Role::System, EntryKind::Context, parts, at);
            }
            role => self.draft.unknown(&format!("role {}", short(role))),
        }
    }

    fn reply(&mut self, content: Option<&Value>, said: &str, at: Option<Timestamp>) {
        let mut parts = vec![Part::Text { text: self.draft.text(said) }];
        parts.extend(self.pictures(content));
        self.add(Role::Assistant, parts, at);
    }

    fn pictures(&mut self, content: Option<&Value>) -> Vec<Part> {
        let items = content.and_then(Value::as_array).into_iter().flatten();
        let urls = items.filter_map(|item| item.get("image_url").and_then(Value::as_str));
        let data = urls.filter_map(|url| url.strip_prefix("data:")?.split_once(";base64,"));
        data.filter_map(|(media_type, data)| self.draft.picture(data, media_type)).collect()
    }

    /// Adds to what the same side said last: a reply comes in several items, and so do results.
    fn add(&mut self, role: Role, parts: Vec<Part>, at: Option<Timestamp>) {
        let last = self.tip.and_then(|tip| self.draft.session.entries.get_mut(tip));
        match last.filter(|last| last.role == role && last.kind == EntryKind::Said) {
            Some(last) => last.parts.extend(parts),
            None => self.begin(role, EntryKind::Said, parts, at),
        }
    }

    fn begin(&mut self, role: Role, kind: EntryKind, parts: Vec<Part>, at: Option<Timestamp>) {
        let mut new = entry(role, kind);
        new.key = (self.draft.session.entries.len() + 1).to_string();
        new.parent = self.tip;
        new.parts = parts;
        new.model = self.model.clone().filter(|_| role == Role::Assistant);
        new.at = at;
        self.tip = self.draft.push(new).or(self.tip);
    }

    fn compacted(&mut self, payload: &Map<String, Value>, at: Option<Timestamp>) {
        let summary = text(payload, "message").unwrap_or_default();
        let history = payload.get("replacement_history").and_then(Value::as_array);
        let texts = history.into_iter().flatten().filter_map(|item| said_in(item.get("content")));
        let mut carried = Vec::new();
        for said in texts.filter(|said| said != summary) {
            carried.push(self.draft.text(&said));
        }
        // Where the record itself says nothing, the summary is what stands last.
        let summary = match (summary, carried.pop()) {
            ("", Some(last)) => last,
            (_, last) => {
                carried.extend(last);
                self.draft.text(summary)
            }
        };
        self.unsay(&summary);
        let fold = Fold { automatic: None, before: self.context, after: None, carried };
        let parts = vec![Part::Text { text: summary }];
        self.begin(Role::User, EntryKind::Fold(fold), parts, at);
        self.fold = self.tip;
    }

    /// The model's reply that became a summary is none to anybody.
    fn unsay(&mut self, summary: &str) {
        let Some(tip) = self.tip else { return };
        let said = &mut self.draft.session.entries[tip];
        let is_it = |part: &Part| matches!(part, Part::Text { text } if !text.is_empty() && summary.ends_with(text));
        if said.role == Role::Assistant && said.parts.last().is_some_and(is_it) {
            said.parts.pop();
            if said.parts.is_empty() {
                said.kind = EntryKind::Context;
            }
        }
    }

    fn event(&mut self, payload: &Map<String, Value>) {
        match text(payload, "type") {
            Some("token_count") => {
                if let Some(info) = payload.get("info").filter(|info| info.is_object()) {
                    self.tokens(info);
                }
            }
            Some("thread_rolled_back") => {
                let turns = payload.get("num_turns").and_then(Value::as_u64).unwrap_or_default();
                self.roll_back(turns);
            }
            Some(_) => {}
            None => return self.draft.unreadable(),
        }
        self.draft.beside("event_msg");
    }

    fn tokens(&mut self, info: &Value) {
        let none = Value::Null;
        let total = usage(info.get("total_token_usage").unwrap_or(&none));
        // Less than before: the agent began to count anew.
        if total.input_tokens < self.total.input_tokens {
            self.earlier = self.earlier.plus(self.total);
        }
        self.total = total;
        let last = info.get("last_token_usage").map(|last| number(last, "total_tokens"));
        self.context = last.filter(|tokens| *tokens > 0).or(self.context);
        if let Some(at) = self.fold.take_if(|_| last.is_some_and(|tokens| tokens > 0))
            && let EntryKind::Fold(fold) = &mut self.draft.session.entries[at].kind
        {
            fold.after = last;
        }
    }

    /// Takes the newest questions back, with what followed them.
    fn roll_back(&mut self, turns: u64) {
        let mut left = turns;
        while left > 0 {
            let Some(tip) = self.tip else { return };
            let entry = &self.draft.session.entries[tip];
            left -= u64::from(entry.role == Role::User && entry.kind == EntryKind::Said);
            self.tip = entry.parent;
        }
    }

    fn done(mut self) -> Session {
        let all = self.earlier.plus(self.total);
        if all.input_tokens + all.output_tokens > 0 && !self.has_each {
            let id = self.draft.session.id.clone();
            self.draft.count(id, Usage { exact: true, ..all });
        }
        self.draft.session.leaf = self.tip;
        self.draft.done()
    }
}

fn usage(of: &Value) -> Usage {
    Usage {
        input_tokens: number(of, "input_tokens"),
        output_tokens: number(of, "output_tokens"),
        cached_input_tokens: number(of, "cached_input_tokens"),
        cache_write_tokens: number(of, "cache_write_input_tokens"),
        exact: true,
    }
}

/// The texts of content: one text, or items with one each.
fn said_in(content: Option<&Value>) -> Option<String> {
    match content? {
        Value::String(said) => Some(said.clone()),
        Value::Array(items) => {
            let said = items.iter().filter_map(|item| match item {
                Value::String(said) => Some(said.as_str()),
                item => item.get("text").and_then(Value::as_str),
            });
            Some(said.collect::<Vec<_>>().join("\n"))
        }
        _ => None,
    }
}

/// What a tool answered; some versions put a text of JSON around it.
fn output(of: &Value) -> Option<String> {
    match of {
        Value::Object(inner) => inner.get("content").and_then(output),
        other => said_in(Some(other)),
    }
}
