//! Sessions of other agents: keeping all of them, keeping them again, one that grew, and finding what was said. Beside them
//! what it takes of the disk for each byte that the agents have.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::slice;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use siltstone_app::App;
use siltstone_contract::{AgreeVault, ScanVault, SearchVault};
use siltstone_engine::recall::phrases;

use crate::Outcome;
use crate::history::Folder;
use crate::measure::{RUNS, median, shown, timed};
use crate::sizes::thousands;

/// Bytes that the session gets which grew.
const TAIL: usize = 1_000_000;

/// Most sessions that another program is given, too.
const MOST_BESIDE: usize = 2_000;

/// Words that are looked for: in one session, in some, everywhere.
const WORDS: [&str; 3] = ["needle7", "module 12", "retry"];

/// What sessions are asked for what goes with a request, as it is written: at its end, and in the middle of a word.
const QUESTIONS: [&str; 2] =
    ["what did needle7 say of the retry in module 12? ", "which test of the retry did i re"];

/// How often each of them is looked for.
const ASKED: usize = 40;

/// Keeps so many sessions of so many records each, in every third of which a tool answers with so many lines; and a tenth of
/// them again where another program is there that does the same.
pub async fn measure([sessions, records, answered]: [usize; 3]) -> Outcome<String> {
    let mut text = kept([sessions, records, answered]).await?;
    if sessions > MOST_BESIDE && Command::new(cass()).arg("--version").output().is_ok() {
        text.push_str(&kept([sessions / 10, records, answered]).await?);
    }
    Ok(text)
}

/// The other program: the crate coding-agent-search, which `CASS` names where it is not in the path.
fn cass() -> OsString {
    std::env::var_os("CASS").unwrap_or_else(|| "cass".into())
}

async fn kept([sessions, records, answered]: [usize; 3]) -> Outcome<String> {
    let folder = Folder::with(2)?;
    let home = folder.dir.path().join(".claude/projects/-home-kim-shop");
    fs::create_dir_all(&home)?;
    let mut bytes = 0;
    for session in 0..sessions {
        bytes += write(&place(&home, session), session, records, answered)?;
    }
    let app = folder.app();
    let sources = app.vault_sources(()).await.map_err(|it| it.message)?;
    let homes = sources.into_iter().map(|source| source.home).collect();
    app.vault_agree(AgreeVault { homes, yes: true }).await.map_err(|it| it.message)?;

    let first = scanned(&app, &[]).await?;
    let mut again = Vec::new();
    for _ in 0..RUNS {
        again.push(scanned(&app, &[]).await?);
    }
    let grown = place(&home, 0);
    let mut tails = Vec::new();
    for run in 0..3 {
        let mut file = BufWriter::new(OpenOptions::new().append(true).open(&grown)?);
        let mut added = 0;
        while added < TAIL {
            let line = record(0, records + run * 10_000 + added, answered);
            added += line.len();
            file.write_all(line.as_bytes())?;
        }
        file.into_inner()?.sync_all()?;
        bytes += added as u64;
        tails.push(scanned(&app, slice::from_ref(&grown)).await?);
    }
    let mut text = format!(
        "### {} sessions of other agents with {} records, {} MB\n\n| | time |\n|---|---|\n",
        thousands(sessions),
        thousands(sessions * records),
        bytes / 1_000_000
    );
    writeln!(text, "| the first scan | {} |", shown(first))?;
    writeln!(text, "| a scan that finds nothing new | {} |", shown(median(&again)))?;
    writeln!(text, "| a look at one session that got a megabyte | {} |", shown(median(&tails)))?;
    for words in WORDS {
        let mut times = Vec::new();
        let mut total = 0;
        for _ in 0..ASKED {
            let began = Instant::now();
            let query = words.to_owned();
            let request = SearchVault { query, agent: None, folder: None, limit: 20 };
            total = app.vault_search(request).await.map_err(|it| it.message)?.total;
            times.push(began.elapsed());
        }
        times.sort_unstable();
        let slow = shown(times[ASKED * 95 / 100]);
        let middle = shown(median(&times));
        writeln!(text, "| searching “{words}”, {total} found | {middle}, one in twenty {slow} |")?;
    }
    for asked in QUESTIONS {
        let wanted = phrases(asked);
        let mut times = Vec::new();
        for _ in 0..ASKED {
            let ask = || folder.stores.vault.candidates(&wanted, "/home/kim/shop", 200);
            let (time, found) = timed(ask);
            found?;
            times.push(time);
        }
        writeln!(text, "| what may go with “{asked}” | {} |", shown(median(&times)))?;
    }
    text.push_str(&beside(folder.dir.path(), sessions)?);
    let status = app.vault_status(()).await.map_err(|it| it.message)?;
    let rows = fs::metadata(folder.dir.path().join("vault/vault.db"))?.len();
    let share = |part: u64| part as f64 / bytes.max(1) as f64;
    let (packs, rows) = (share(status.stored), share(rows));
    writeln!(
        text,
        "\nOf each byte that the agents have, packs take {packs:.2} and rows with the index {rows:.2}.\n"
    )?;
    Ok(text)
}

/// The same with `cass`, where it is there. Each search of it is a process of its own.
fn beside(home: &Path, sessions: usize) -> Outcome<String> {
    let program = PathBuf::from(cass());
    let data = home.join("cass");
    let run = |words: &[&str]| -> Outcome<Duration> {
        let began = Instant::now();
        let mut command = Command::new(&program);
        command.args(words).arg("--json").arg("--data-dir").arg(&data);
        command.env("HOME", home).env_remove("XDG_DATA_HOME").env_remove("XDG_CONFIG_HOME");
        let done = command.stdout(Stdio::null()).stderr(Stdio::null()).status()?;
        match done.success() {
            true => Ok(began.elapsed()),
            false => Err(format!("{}: {done}", program.display()).into()),
        }
    };
    let is_there = Command::new(&program).arg("--version").output().is_ok();
    if !is_there || sessions > MOST_BESIDE {
        return Ok(String::new());
    }
    let mut text = String::new();
    writeln!(text, "| cass: the first index | {} |", shown(run(&["index", "--full"])?))?;
    writeln!(text, "| cass: an index that finds nothing new | {} |", shown(run(&["index"])?))?;
    for words in WORDS {
        let mut times = Vec::new();
        for _ in 0..RUNS {
            times.push(run(&["search", words, "--limit", "20"])?);
        }
        writeln!(text, "| cass: searching “{words}” | {} |", shown(median(&times)))?;
    }
    let taken = bytes_below(&data)?;
    writeln!(text, "| cass: bytes on the disk | {} MB |", taken / 1_000_000)?;
    Ok(text)
}

fn bytes_below(folder: &Path) -> Outcome<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        bytes += match entry.file_type()?.is_dir() {
            true => bytes_below(&entry.path())?,
            false => entry.metadata()?.len(),
        };
    }
    Ok(bytes)
}

async fn scanned(app: &App, paths: &[PathBuf]) -> Outcome<Duration> {
    let began = Instant::now();
    let paths = paths.iter().map(|path| path.display().to_string()).collect();
    let request = ScanVault { work_id: "bench".to_owned(), paths };
    app.vault_scan(request, Arc::new(|_| {})).await.map_err(|it| it.message)?;
    Ok(began.elapsed())
}

fn place(home: &Path, session: usize) -> PathBuf {
    home.join(format!("{session:08x}-0000-4000-8000-000000000000.jsonl"))
}

/// Writes a session, and says how long it is.
fn write(path: &Path, session: usize, records: usize, answered: usize) -> Outcome<u64> {
    let mut file = BufWriter::new(fs::File::create(path)?);
    let mut bytes = 0;
    for number in 0..records {
        let line = record(session, number, answered);
        bytes += line.len() as u64;
        file.write_all(line.as_bytes())?;
    }
    file.flush()?;
    Ok(bytes)
}

/// A question, or a reply with a call, or its result, in the proportions that sessions have.
fn record(session: usize, number: usize, answered: usize) -> String {
    let id = |number: usize| format!("{session}-{number}");
    let parent = number.checked_sub(1).map(id);
    let about = (session * 31 + number) % 97;
    let call = format!("toolu_{session}_{}", number - number % 3);
    let (kind, content) = match number % 3 {
        0 => (
            "user",
            json!(format!("Fix the retry in module {about}; needle{session} says {number}.")),
        ),
        1 => (
            "assistant",
            json!([
                {"type": "text", "text": format!("I read src/module_{about}.rs and the test of it first.")},
                {"type": "tool_use", "id": call, "name": "Read", "input": {"file_path": format!("src/module_{about}.rs")}},
            ]),
        ),
        _ => {
            let code = code(answered, session * 1_000 + number);
            ("user", json!([{"type": "tool_result", "tool_use_id": call, "content": code}]))
        }
    };
    let record = json!({
        "parentUuid": parent,
        "type": kind,
        "uuid": id(number),
        "cwd": "/home/kim/shop",
        "sessionId": format!("{session:08x}-0000-4000-8000-000000000000"),
        "timestamp": "2026-11-20T09:02:00.000Z",
        "message": {"role": kind, "id": format!("msg_{session}_{number}"), "content": content},
    });
    format!("{record}\n")
}

/// Lines that are as like each other as those of programs are.
fn code(lines: usize, seed: usize) -> String {
    const WORDS: [&str; 32] = [
        "retry", "queue", "order", "limit", "config", "parse", "store", "index", "token", "page",
        "user", "cache", "total", "price", "entry", "state", "batch", "event", "route", "query",
        "table", "field", "value", "count", "start", "until", "after", "ready", "error", "result",
        "stream", "worker",
    ];
    let mut dice = seed as u64;
    let mut draw = |below: u64| {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (dice >> 33) % below
    };
    let mut code = String::new();
    for _ in 0..lines {
        let [a, b, c, d] = [(); 4].map(|()| WORDS[draw(32) as usize]);
        let number = draw(4_096);
        code.push_str(&format!("    let {a}_{b} = {c}.{d}({number})?; // {b} {c}\n"));
    }
    code
}
