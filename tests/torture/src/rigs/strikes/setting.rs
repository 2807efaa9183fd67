//! How the folders are set up for what is struck.

use std::path::PathBuf;

use serde_json::Value;

use crate::desk::Desk;
use crate::{Trouble, model};

pub(super) fn words(args: &[&str]) -> Vec<String> {
    std::iter::once("--json").chain(args.iter().copied()).map(str::to_owned).collect()
}

fn text(value: &Value) -> Result<String, Trouble> {
    Ok(value.as_str().ok_or("no text")?.to_owned())
}

/// Beside the two folders, where a person keeps what is taken in and given out.
pub(super) fn beside(desk: &Desk, name: &str) -> PathBuf {
    desk.project.join(name)
}

pub(super) fn connected(desk: &Desk, args: &[&str]) -> Result<Vec<String>, Trouble> {
    let url = model::start()?;
    desk.json(&["provider", "add", "--kind", "openai", "--name", "work", "--base-url", &url])?;
    desk.json(&["provider", "default", "work", "m"])?;
    Ok(words(args))
}

/// A conversation of sixty messages as a file.
pub(super) fn transcript(desk: &Desk) -> Result<String, Trouble> {
    let file = beside(desk, "long.jsonl");
    let mut lines = String::new();
    for index in 0..60 {
        let role = if index % 2 == 0 { "user" } else { "assistant" };
        let said = format!("Step {index}: we must keep port {}. ", 4000 + index).repeat(8);
        lines += &serde_json::json!({"id": index.to_string(), "role": role, "content": said})
            .to_string();
        lines.push('\n');
    }
    std::fs::write(&file, lines)?;
    Ok(file.display().to_string())
}

pub(super) fn imported(desk: &Desk) -> Result<String, Trouble> {
    let file = transcript(desk)?;
    let made = desk.json(&["conversation", "import", &file])?;
    text(&made["conversation"]["id"])
}

pub(super) fn fill(desk: &Desk, round: u32) -> Result<(), Trouble> {
    (0..8).try_for_each(|index| {
        desk.file(&format!("src/file{index}.txt"), &format!("{round} of {index}\n").repeat(40))
    })
}

/// Two rounds of work, each with its checkpoint, and a third one without.
pub(super) fn rounds(desk: &Desk) -> Result<(), Trouble> {
    for round in 0..2 {
        fill(desk, round)?;
        desk.json(&["checkpoint", "create", "--tag", &format!("round-{round}")])?;
    }
    fill(desk, 2)
}

pub(super) fn planned(desk: &Desk) -> Result<Vec<String>, Trouble> {
    rounds(desk)?;
    desk.json(&["checkpoint", "create", "--tag", "round-2"])?;
    let plan = desk.json(&["checkpoint", "plan", "round-0", "--parts", "files"])?;
    Ok(words(&["checkpoint", "restore", &text(&plan["plan_id"])?]))
}

pub(super) fn at_round(desk: &Desk, round: u32) -> Result<bool, Trouble> {
    for index in 0..8 {
        let path = desk.project.join(format!("src/file{index}.txt"));
        let holds = std::fs::read_to_string(path).unwrap_or_default();
        if holds != format!("{round} of {index}\n").repeat(40) {
            return Ok(false);
        }
    }
    Ok(true)
}
