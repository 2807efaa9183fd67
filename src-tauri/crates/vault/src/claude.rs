//! Claude Code: a line a record in `projects/<folder>/<session>.jsonl`, subagents and long results beside it.
//!
//! One block of content is one record, so several records are one message; a record names the one before it, also across
//! records that say nothing. A compaction begins a new tree, whose root names what was before as its logical parent: that
//! is followed here, because what was before is what is looked for.

use std::collections::HashMap;
use std::io::{self, Read};

use serde_json::{Map, Value};
use siltstone_engine::message::{Part, Role};
use siltstone_engine::turn::Usage;
use siltstone_engine::vault::{Agent, EntryKind, FileRole, Fold, Session};

use crate::draft::{Draft, Links, arguments, each, entry, first, number, short, text, time};
use crate::handover;
use crate::source::{Files, Root, Source};

pub(crate) static SOURCE: Source = Source {
    agent: Agent::ClaudeCode,
    roots: &[Root {
        variable: "CLAUDE_CONFIG_DIR",
        usual: &[".claude", ".config/claude"],
        below: &[""],
    }],
    files: Files::of(&[
        ("projects/*/agent-*.jsonl", FileRole::Child),
        ("projects/*/*.jsonl", FileRole::Session),
        ("projects/*/*/subagents/**/agent-*.jsonl", FileRole::Child),
        ("projects/*/*/subagents/**", FileRole::Output),
        ("projects/*/*/tool-results/**", FileRole::Output),
        ("projects/*/memory/**", FileRole::Beside),
        ("history.jsonl", FileRole::Beside),
    ]),
    owner,
    beside: None,
    goes_on: None,
    read,
    compose: Some(handover::claude),
    rows: None,
};

/// Records that say nothing of the conversation.
const BESIDE: [&str; 24] = [
    "agent-name",
    "ai-title",
    "api-request",
    "api-request-blob",
    "api-request-shape",
    "atis-latch",
    "attachment",
    "content-replacement",
    "cost-state",
    "custom-title",
    "file-history-delta",
    "file-history-snapshot",
    "last-prompt",
    "mode",
    "permission-mode",
    "pr-link",
    "progress",
    "queue-operation",
    "relocated",
    "summary",
    "system",
    "tag",
    "tools-used",
    "worktree-state",
];

/// How a text begins that the program put in the person's place.
const CONTEXT: [&str; 8] = [
    "<bash-",
    "<command-",
    "<local-command-",
    "<system-reminder>",
    "<task-notification>",
    "<user-memory-input>",
    "[Request interrupted",
    "Caveat: The messages below were generated",
];

fn owner(path: &str) -> Option<String> {
    let mut names = path.split('/').skip(2);
    let session = names.next().filter(|name| *name != "memory")?;
    names.next().map(|_| session.to_owned())
}

fn read(path: &str, bytes: &mut dyn Read, draft: Draft) -> io::Result<Session> {
    let draft = draft.named(path, ".jsonl");
    let mut reading = Reading { draft, ..Reading::default() };
    reading.draft.session.parent = owner(path);
    each(bytes, &mut reading, |it| &mut it.draft, |it, record| it.record(&record))?;
    Ok(reading.done())
}

/// What is known in the middle of a file.
#[derive(Default)]
struct Reading {
    draft: Draft,
    links: Links,
    /// What the records say that came before, one for each entry.
    parents: Vec<Option<String>>,
    /// The entries of replies by their ids.
    replies: HashMap<String, usize>,
    /// The entry that has the results of a reply's calls.
    results: HashMap<usize, usize>,
    /// A compaction whose summary has not come yet, and what it follows.
    fold: Option<(Fold, Option<String>)>,
    /// What a compaction left as it was, by the entry of its summary.
    preserved: Vec<(usize, Vec<String>)>,
    waiting: Vec<String>,
    titles: [Option<String>; 3],
}

impl Reading {
    fn record(&mut self, record: &Map<String, Value>) {
        if self.draft.passes_over() {
            return;
        }
        let Some(kind) = text(record, "type") else { return self.draft.unreadable() };
        let session = &mut self.draft.session;
        first(&mut session.folder, text(record, "cwd"));
        first(&mut session.git_branch, text(record, "gitBranch"));
        if session.parent.is_none() && session.id.starts_with("agent-") {
            session.parent = text(record, "sessionId").map(short);
        }
        for (at, (kind_of, key)) in TITLES.iter().enumerate() {
            if kind == *kind_of
                && let Some(title) = text(record, key)
            {
                self.titles[at] = Some(title.chars().take(200).collect());
            }
        }
        match kind {
            "user" | "assistant" => self.said(kind, record),
            "system" if text(record, "subtype") == Some("compact_boundary") => {
                self.boundary(record);
            }
            kind if BESIDE.contains(&kind) => {
                self.draft.beside(kind);
                self.pass(record);
            }
            kind => {
                self.draft.unknown(kind);
                self.pass(record);
            }
        }
    }

    /// A record on the way from one message to another.
    fn pass(&mut self, record: &Map<String, Value>) {
        let Some(id) = text(record, "uuid") else { return };
        if !self.links.has(id) && self.draft.take(2 * id.len() + 128) {
            self.links.put(id.to_owned(), text(record, "parentUuid").map(str::to_owned), None);
        }
    }

    fn boundary(&mut self, record: &Map<String, Value>) {
        self.flush();
        let none = Value::Null;
        let said = record.get("compactMetadata").unwrap_or(&none);
        let tokens = |key: &str| said.get(key).and_then(Value::as_u64);
        let trigger = said.get("trigger").and_then(Value::as_str);
        let fold = Fold {
            automatic: trigger.map(|trigger| trigger == "auto"),
            before: tokens("preTokens"),
            after: tokens("postTokens"),
            carried: Vec::new(),
        };
        let kept = said.pointer("/preservedMessages/uuids").and_then(Value::as_array);
        let kept = kept.into_iter().flatten().filter_map(Value::as_str).take(10_000);
        self.waiting = kept.map(str::to_owned).collect();
        let before = text(record, "logicalParentUuid").or_else(|| text(record, "parentUuid"));
        let before = before.map(str::to_owned);
        if let Some(id) = text(record, "uuid")
            && !self.links.has(id)
            && self.draft.take(2 * id.len() + 128)
        {
            self.links.put(id.to_owned(), before.clone(), None);
        }
        self.fold = Some((fold, before));
    }

    /// A compaction of which no summary came.
    fn flush(&mut self) {
        if let Some((fold, before)) = self.fold.take() {
            let preserved = std::mem::take(&mut self.waiting);
            if let Some(at) = self.draft.push(entry(Role::User, EntryKind::Fold(fold))) {
                self.parents.push(before);
                self.preserved.push((at, preserved));
            }
        }
    }

    fn said(&mut self, kind: &str, record: &Map<String, Value>) {
        let Some(message) = record.get("message").and_then(Value::as_object) else {
            self.pass(record);
            return self.draft.unreadable();
        };
        let id = text(record, "uuid").unwrap_or_default();
        // Old records are written again at a second compaction.
        if !id.is_empty() && self.links.has(id) {
            return self.draft.beside("repeated");
        }
        let reply = text(message, "id").filter(|_| kind == "assistant").unwrap_or_default();
        if kind == "assistant" && !reply.is_empty() {
            self.counted(record, message, reply);
        }
        let Some(parts) = self.parts(message) else {
            self.pass(record);
            return self.draft.unreadable();
        };
        let answers = parts.iter().any(|part| matches!(part, Part::ToolResult { .. }));
        let parent = text(record, "parentUuid").map(str::to_owned);
        let before = parent.as_deref().and_then(|parent| self.links.entry(parent));
        // One message in several records, and the results of one reply's calls.
        let same = match answers {
            true => before.and_then(|before| self.results.get(&before)),
            false => self.replies.get(reply),
        };
        let at = match same.copied() {
            Some(at) => {
                self.draft.session.entries[at].parts.extend(parts);
                Some(at)
            }
            None => {
                let role = match (kind, answers) {
                    ("assistant", _) => Role::Assistant,
                    (_, true) => Role::Tool,
                    _ => Role::User,
                };
                self.begun(record, message, (role, parts), parent.clone())
            }
        };
        if let Some(at) = at {
            if !reply.is_empty() {
                self.replies.insert(reply.to_owned(), at);
            }
            if let Some(before) = before.filter(|before| answers && *before != at) {
                self.results.insert(before, at);
            }
        }
        if !id.is_empty() && self.draft.take(2 * id.len() + 128) {
            self.links.put(id.to_owned(), parent, at);
        }
    }

    /// A new entry for a record.
    fn begun(
        &mut self,
        record: &Map<String, Value>,
        message: &Map<String, Value>,
        (role, parts): (Role, Vec<Part>),
        parent: Option<String>,
    ) -> Option<usize> {
        let is = |key: &str| record.get(key).and_then(Value::as_bool).unwrap_or_default();
        let (mut kind, mut preserved) = (EntryKind::Said, None);
        if is("isCompactSummary") {
            let (fold, _) = self.fold.take().unwrap_or_default();
            kind = EntryKind::Fold(fold);
            preserved = Some(std::mem::take(&mut self.waiting));
        } else if is("isMeta")
            || is("isApiErrorMessage")
            || is("isVisibleInTranscriptOnly")
            || role == Role::User && is_context(&parts)
        {
            kind = EntryKind::Context;
        }
        let model = text(message, "model").filter(|model| !model.starts_with('<'));
        let mut new = entry(role, kind);
        new.key = short(text(record, "uuid").unwrap_or_default());
        new.parts = parts;
        new.model = model.filter(|_| role == Role::Assistant).map(short);
        new.at = time(record, "timestamp");
        // In a file of its own, a subagent's words are the conversation.
        new.aside = is("isSidechain") && self.draft.session.parent.is_none();
        let at = self.draft.push(new)?;
        self.parents.push(parent);
        self.preserved.extend(preserved.map(|preserved| (at, preserved)));
        Some(at)
    }

    fn counted(&mut self, record: &Map<String, Value>, message: &Map<String, Value>, reply: &str) {
        let Some(usage) = message.get("usage").filter(|usage| usage.is_object()) else { return };
        let read = number(usage, "cache_read_input_tokens");
        let written = number(usage, "cache_creation_input_tokens");
        let fresh = number(usage, "input_tokens");
        let counted = Usage {
            input_tokens: fresh.saturating_add(read).saturating_add(written),
            output_tokens: number(usage, "output_tokens"),
            cached_input_tokens: read,
            cache_write_tokens: written,
            exact: true,
        };
        let request = text(record, "requestId").unwrap_or_default();
        self.draft.count(format!("{} {}", short(reply), short(request)), counted);
    }

    /// The parts of a message; `None` where its content is none.
    fn parts(&mut self, message: &Map<String, Value>) -> Option<Vec<Part>> {
        let blocks = match message.get("content") {
            Some(Value::String(said)) => return Some(vec![self.words(said)]),
            Some(Value::Array(blocks)) => blocks,
            _ => return None,
        };
        let mut parts = Vec::new();
        for block in blocks {
            let Some(block) = block.as_object() else {
                self.draft.unreadable();
                continue;
            };
            match self.part(block) {
                Some(part) => parts.push(part),
                None => self.draft.unknown(&kind_of(block)),
            }
        }
        // A thought that the provider keeps to itself says nothing.
        parts.retain(|part| !matches!(part, Part::Reasoning { text, .. } if text.is_empty()));
        Some(parts)
    }

    fn words(&mut self, said: &str) -> Part {
        Part::Text { text: self.draft.text(said) }
    }

    fn part(&mut self, block: &Map<String, Value>) -> Option<Part> {
        match text(block, "type")? {
            "text" => Some(self.words(text(block, "text")?)),
            "thinking" => {
                let text = self.draft.text(text(block, "thinking")?);
                Some(Part::Reasoning { text, seal: None })
            }
            "redacted_thinking" => Some(Part::Reasoning { text: String::new(), seal: None }),
            "tool_use" | "server_tool_use" => Some(Part::ToolCall {
                id: short(text(block, "id")?),
                name: short(text(block, "name")?),
                arguments: self.draft.text(&arguments(block.get("input"))),
                seal: None,
            }),
            "image" => {
                let source = block.get("source")?.as_object()?;
                let of = text(source, "media_type").unwrap_or_default();
                self.draft.picture(text(source, "data")?, of)
            }
            kind if kind.ends_with("tool_result") => {
                let said = said_in(block.get("content"));
                Some(Part::ToolResult {
                    call_id: short(text(block, "tool_use_id")?),
                    text: self.draft.text(&said),
                    is_error: block.get("is_error").and_then(Value::as_bool).unwrap_or_default(),
                    kept: None,
                })
            }
            _ => None,
        }
    }

    fn done(mut self) -> Session {
        self.flush();
        for (at, parent) in self.parents.iter().enumerate() {
            let before = parent.as_deref().and_then(|parent| self.links.nearest(parent));
            self.draft.session.entries[at].parent = before;
        }
        for (at, ids) in self.preserved {
            let entries = ids.iter().filter_map(|id| self.links.nearest(id));
            let mut texts = Vec::new();
            for entry in entries {
                let said = self.draft.session.entries[entry].text();
                texts.push(self.draft.text(&said));
            }
            if let EntryKind::Fold(fold) = &mut self.draft.session.entries[at].kind {
                fold.carried = texts;
            }
        }
        self.draft.session.title = self.titles.into_iter().flatten().next().unwrap_or_default();
        self.draft.done()
    }
}

/// Records that give a title, the weightiest first, and where it stands in them.
const TITLES: [(&str, &str); 3] =
    [("custom-title", "customTitle"), ("ai-title", "aiTitle"), ("summary", "summary")];

fn kind_of(block: &Map<String, Value>) -> String {
    format!("block {}", text(block, "type").unwrap_or("without a type"))
}

fn is_context(parts: &[Part]) -> bool {
    match parts.first() {
        Some(Part::Text { text }) => {
            CONTEXT.iter().any(|begin| text.trim_start().starts_with(begin))
        }
        _ => false,
    }
}

/// What a tool answered: a text, or blocks of which the texts are taken.
fn said_in(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(said)) => said.clone(),
        Some(Value::Array(blocks)) => {
            let said = blocks.iter().filter_map(|block| block.get("text").and_then(Value::as_str));
            said.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}
