//! Code blocks, code spans and the lines for a shell in them.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::{Pattern, Taken};
use crate::ledger::{Category, Mark};
use crate::pattern::pattern;

/// Programs that a line for a shell begins with.
const PROGRAMS: &str = "cargo|rustc|rustup|npm|npx|pnpm|yarn|node|deno|bun|tsc|vitest|jest|eslint|git|gh|docker|docker-compose|kubectl|helm|terraform|make|cmake|python|python3|pip|pip3|pytest|uv|poetry|ruff|mypy|black|alembic|go|java|mvn|gradle|dotnet|swift|xcodebuild|adb|flutter|psql|pg_dump|pg_restore|createdb|mysql|sqlite3|redis-cli|mongosh|curl|wget|ssh|scp|rsync|ls|cat|grep|rg|sed|awk|find|cp|mv|rm|mkdir|chmod|chown|ln|tail|head|cd|export|echo|systemctl|journalctl|apt|apt-get|brew|jq|tar|unzip|sudo|bash|sh|zsh|kill|lsof|netstat|ss|ping|dig|openssl|certbot|nginx|wrk|k6|ab|hey|perf|strace|gdb|ffmpeg|aws|gcloud|az|ansible-playbook|vagrant|silt|source|time|watch|crontab|diff|patch|wc|sort|xargs|df|du|ps|top|env|flyway|rails|bundle|php|composer|artisan|mix|sbt|playwright|prisma|turbo|vite|webpack|storybook|nvidia-smi|huggingface-cli|ollama|dbt|airflow|spark-submit|sqlx|rclone|diesel|cargo-nextest|restic|celery|gunicorn|uvicorn";

static COMMAND: Pattern = LazyLock::new(|| {
    Regex::new(&format!(
        r"^(?:[A-Z_]+=\S+ )*(?:\./[\w./-]+|[a-z][a-z0-9_-]*(?: [a-z-]+)* --?[a-z]|(?:{PROGRAMS}) )"
    ))
    .ok()
});

/// A program alone is a name; with something after it, it is a command.
static SPAN: Pattern = LazyLock::new(|| Regex::new(r"`([^`\n]{1,300})`").ok());

static ARGUMENT: Pattern = LazyLock::new(|| {
    Regex::new(r#""(?:command|cmd|script)"\s*:\s*"((?:[^"\\\n]|\\[^\n]){2,600})""#).ok()
});

static EXIT: Pattern = LazyLock::new(|| {
    pattern(
        r"(?i)(?:exit(?:ed)?(?: with)?(?: code| status|code)?|종료 코드(?:는|가)?|exit_code)[:= ]{1,3}(-?\d{1,3})\b",
    )
    .ok()
});

/// Where a text is code.
pub(super) struct Code {
    /// Insides of fenced blocks.
    pub blocks: Vec<Range<usize>>,
    /// Insides of code spans outside of blocks.
    pub spans: Vec<Range<usize>>,
    shells: Vec<Range<usize>>,
}

impl Code {
    pub fn is_in_block(&self, at: usize) -> bool {
        let next = self.blocks.partition_point(|block| block.end <= at);
        self.blocks.get(next).is_some_and(|block| block.start <= at)
    }

    fn is_in_shell(&self, at: usize) -> bool {
        let next = self.shells.partition_point(|block| block.end <= at);
        self.shells.get(next).is_some_and(|block| block.start <= at)
    }
}

/// Finds blocks and spans.
pub(super) fn code(text: &str) -> Code {
    let mut code = Code { blocks: Vec::new(), spans: Vec::new(), shells: Vec::new() };
    let mut open: Option<(usize, bool)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        if let Some(language) = line.trim_start().strip_prefix("```") {
            match open.take() {
                Some((start, shell)) => {
                    code.blocks.push(start..at);
                    if shell {
                        code.shells.push(start..at);
                    }
                }
                None if !language.contains('`') => {
                    let shells = ["sh", "bash", "zsh", "shell"];
                    open = Some((end, shells.contains(&language.trim())));
                }
                None => {}
            }
        }
        at = end;
    }
    if let Some((start, _)) = open {
        code.blocks.push(start..text.len());
    }
    if let Some(pattern) = SPAN.as_ref() {
        let spans = pattern.captures_iter(text).filter_map(|it| Some(it.get(1)?.range()));
        code.spans = spans.filter(|span| !code.is_in_block(span.start)).collect();
    }
    code
}

/// Takes the commands of a text.
pub(super) fn commands(text: &str, code: &Code, taken: &mut Taken, found: &mut Vec<Mark>) {
    let mut take = |span: Range<usize>| {
        taken.take(span.clone(), Category::Command);
        found.push(Mark { category: Category::Command, span });
    };
    for span in &code.spans {
        if is_command(&text[span.clone()]) {
            take(span.clone());
        }
    }
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let inside = line.trim();
        let start = at + (line.len() - line.trim_start().len());
        at += line.len();
        if let Some(command) = inside.strip_prefix("$ ") {
            let command = command.trim_start();
            let from = start + inside.len() - command.len();
            take(from..from + command.len());
        } else if !inside.is_empty() && !inside.starts_with('#') && code.is_in_shell(start) {
            take(start..start + inside.len());
        }
    }
    if let Some(pattern) = ARGUMENT.as_ref() {
        pattern.captures_iter(text).filter_map(|it| it.get(1)).for_each(|it| take(it.range()));
    }
}

fn is_command(text: &str) -> bool {
    text.contains(' ') && COMMAND.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

/// What programs ended with, and where that is said.
pub(in crate::ledger) fn exits(text: &str) -> Vec<(usize, i32)> {
    let Some(pattern) = EXIT.as_ref() else { return Vec::new() };
    let found = pattern.captures_iter(text);
    found.filter_map(|it| Some((it.get(0)?.start(), it.get(1)?.as_str().parse().ok()?))).collect()
}
