//! Opening a long conversation and choosing what of it is sent, beside how others do it: Gemini CLI reads its recorded
//! conversation, LangChain trims a history that is in memory already.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use serde_json::json;
use siltstone_engine::Timestamp;
use siltstone_engine::conversation::{Conversation, ConversationFilter, ConversationPatch};
use tempfile::TempDir;

use crate::Outcome;
use crate::history::{Folder, opened};
use crate::measure::{RUNS, Table, median, ratio, shown, timed};
use crate::peers::{GEMINI, LIBRARIES, or_why, times, version_of};
use crate::sizes::thousands;

/// Runs of what takes others seconds.
const FEW: usize = 5;

/// The database closed, opened and asked for the newest 50 messages, beside Gemini CLI's loader over the same messages.
pub fn beside(long: &Folder) -> Outcome<String> {
    let mut text = format!(
        "### Opening a conversation of {} messages\n\n| | time | beside Siltstone |\n|---|---|---|\n",
        thousands(long.texts.len())
    );
    let (mut cold, mut warm) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        let (time, stores) = timed(|| opened(long.dir.path()));
        let stores = stores?;
        let (page, found) = timed(|| stores.transcripts.page(long.conversation, None, 50));
        found?;
        cold.push(time + page);
        let (time, found) = timed(|| stores.transcripts.page(long.conversation, None, 50));
        found?;
        warm.push(time);
    }
    let ours = median(&cold);
    text.push_str(&format!("| Siltstone, the data folder too | {} | 1 |\n", shown(ours)));
    text.push_str(&format!(
        "| Siltstone, the newest 50 alone | {} | {} |\n",
        shown(median(&warm)),
        ratio(ours, median(&warm))
    ));
    let theirs = recorded(long).unwrap_or_else(|why| vec![(why.to_string(), Duration::ZERO)]);
    for (name, time) in theirs {
        match time.is_zero() {
            true => text.push_str(&format!("| not measured: {name} | | |\n")),
            false => {
                text.push_str(&format!("| {name} | {} | {} |\n", shown(time), ratio(ours, time)));
            }
        }
    }
    text.push('\n');
    Ok(text)
}

/// The medians of Gemini CLI's loader.
fn recorded(long: &Folder) -> Outcome<Vec<(String, Duration)>> {
    let dir = TempDir::new()?;
    let file = dir.path().join("conversation.jsonl");
    record(&file, &long.texts)?;
    let path = file.to_str().ok_or("the folder's path is not Unicode")?.to_owned();
    let said = GEMINI.ask("opening-peer.mjs", &[path, FEW.to_string()], dir.path())?;
    let name = |what: &str| format!("Gemini CLI {}, {what}", GEMINI.version());
    let all =
        [("all of it", "whole"), ("the newest 50", "newest"), ("one line of its list", "listed")];
    all.into_iter()
        .map(|(what, key)| Ok((name(what), median(&times(&said[key]["times"])?))))
        .collect()
}

/// The same messages as Gemini CLI records them: one JSON object a line.
fn record(file: &Path, texts: &[String]) -> Outcome<()> {
    let mut out = std::io::BufWriter::new(std::fs::File::create(file)?);
    let at = "2026-01-01T00:00:00Z";
    let first = json!({"sessionId": "b", "projectHash": "b", "startTime": at, "lastUpdated": at});
    writeln!(out, "{first}")?;
    for (index, text) in texts.iter().enumerate() {
        let kind = if index % 2 == 0 { "user" } else { "gemini" };
        let content = json!([{"text": text}]);
        let id = index.to_string();
        let line = json!({"id": id, "timestamp": at, "type": kind, "content": content});
        writeln!(out, "{line}")?;
    }
    Ok(out.flush()?)
}

/// The list of conversations, made of its rows and a counter each: few beside many.
pub fn listed(many: usize) -> Outcome<String> {
    let few = many / 10;
    let list = |number: usize| -> Outcome<(TempDir, siltstone_engine::ports::Stores)> {
        let dir = TempDir::new()?;
        let stores = opened(dir.path())?;
        for at in 0..number {
            let conversation = Conversation::empty(None, Timestamp::now());
            stores.transcripts.create_conversation(&conversation)?;
            let patch = ConversationPatch {
                draft: Some(format!("draft {at}")),
                ..ConversationPatch::default()
            };
            stores.transcripts.update_conversation(conversation.id, &patch)?;
        }
        Ok((dir, stores))
    };
    let (small, large) = (list(few)?, list(many)?);
    let mut samples = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        for ((_, stores), number, samples) in
            [(&small, few, &mut samples.0), (&large, many, &mut samples.1)]
        {
            let filter = ConversationFilter::default();
            let (time, found) = timed(|| stores.transcripts.conversations(&filter));
            if found?.len() != number {
                return Err("a conversation is missing in the list".into());
            }
            samples.push(time);
        }
    }
    let mut table = Table::new("The list of conversations", thousands(few), thousands(many));
    table.row("all of it", &samples.0, &samples.1);
    Ok(table.to_string())
}

/// LangChain's way to choose what is sent.
pub fn trimming(texts: &[String]) -> String {
    let count = thousands(texts.len());
    let title = format!("### Choosing what of {count} messages is sent, as LangChain does\n\n");
    title + &or_why(trimmed(texts))
}

fn trimmed(texts: &[String]) -> Outcome<String> {
    let dir = TempDir::new()?;
    let file = dir.path().join("texts.json");
    std::fs::write(&file, serde_json::to_string(texts)?)?;
    let path = file.to_str().ok_or("the folder's path is not Unicode")?.to_owned();
    let said = LIBRARIES.ask("trimming-peer.mjs", &[path, 3.to_string()], dir.path())?;
    let version = LIBRARIES.folder().and_then(|all| version_of(&all.join("@langchain/core")));
    let mut text = format!(
        "| trimMessages of @langchain/core {}, 8,000 tokens | median | messages that stay |\n\
         |---|---|---|\n",
        version.unwrap_or_default()
    );
    for (name, key) in
        [("tokens that gpt-tokenizer counts", "counted"), ("letters by four", "estimated")]
    {
        let time = median(&times(&said[key]["times"])?);
        text.push_str(&format!("| {name} | {} | {} |\n", shown(time), said[key]["kept"]));
    }
    text.push('\n');
    Ok(text)
}
