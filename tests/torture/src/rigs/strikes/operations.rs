//! What is struck: each thing that `silt` does to the disk, how it is set up, and how one sees whether it was done.

use rusqlite::Connection;
use serde_json::Value;

use crate::desk::{Desk, Said};
use crate::kept::{self, Files};
use crate::{Trouble, model};

use super::setting::{
    at_round, beside, connected, fill, imported, planned, rounds, transcript, words,
};

/// A thing that `silt` does.
pub struct Operation {
    /// What it is called in failures.
    pub name: &'static str,
    /// Sets it up; gives what is typed.
    pub prepare: fn(&Desk) -> Result<Vec<String>, Trouble>,
    /// Looks whether it was done.
    pub look: fn(&Scene<'_>) -> Result<Seen, Trouble>,
    /// Files of the project that it is there to change, by how they begin.
    pub changes: &'static [&'static str],
    /// What opens the vault, where there is one.
    pub vault: bool,
    /// Whether doing it twice is refused the second time, and rightly.
    pub once: bool,
}

/// What there is to look at.
pub struct Scene<'a> {
    pub desk: &'a Desk,
    /// What was typed.
    pub args: &'a [String],
    /// What was said until the blow.
    pub said: &'a Said,
    /// The files of the project as they were.
    pub before: &'a Files,
    /// A number that differs from try to try.
    pub turn: u64,
}

/// What is to be seen of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    Nothing,
    Whole,
    /// It had begun, and was taken back.
    Undone,
    /// Some of it, and what is wrong with that.
    Half(String),
}

/// Whether it is there or not.
fn seen(whole: bool) -> Seen {
    if whole { Seen::Whole } else { Seen::Nothing }
}

impl Scene<'_> {
    /// The database as it is now.
    fn database(&self) -> Result<Connection, Trouble> {
        kept::read(&self.desk.data.join("siltstone.db"))
    }

    fn number(&self, sql: &str, value: &str) -> Result<i64, Trouble> {
        Ok(self.database()?.query_row(sql, [value], |row| row.get(0))?)
    }

    fn last_arg(&self) -> &str {
        self.args.last().map_or("", String::as_str)
    }

    fn is_as_before(&self) -> Result<bool, Trouble> {
        Ok(kept::files(&self.desk.project)? == *self.before)
    }
}

const QUESTION: &str = "Which port does the preview server use?";

/// All of them.
pub const OPERATIONS: &[Operation] = &[
    operation("send", |_| Ok(words(&["chat", QUESTION])), chatted),
    operation("stream", |desk| connected(desk, &["chat", QUESTION]), chatted),
    Operation {
        changes: &["made"],
        ..operation(
            "tool",
            |desk| connected(desk, &["chat", "--allow", "write_file", "Write the file."]),
            tool_ran,
        )
    },
    operation(
        "fold",
        |desk| {
            let id = imported(desk)?;
            Ok(words(&["summary", "run", "--policy", "running", &id]))
        },
        folded,
    ),
    Operation {
        once: true,
        ..operation(
            "checkpoint",
            |desk| {
                rounds(desk)?;
                Ok(words(&["checkpoint", "create", "--tag", "struck"]))
            },
            |scene| {
                let listed = scene.desk.json(&["checkpoint", "list"])?;
                let items = listed["items"].as_array().ok_or("no list")?;
                Ok(seen(items.iter().any(|item| item["tag"] == "struck")))
            },
        )
    },
    Operation { changes: &["src/"], once: true, ..operation("restore", planned, restored) },
    operation(
        "clean",
        |desk| {
            for round in 0..3 {
                fill(desk, round)?;
                desk.json(&["checkpoint", "create"])?;
            }
            Ok(words(&["checkpoint", "clean", "--count", "1"]))
        },
        |scene| {
            let listed = scene.desk.json(&["checkpoint", "list"])?;
            Ok(seen(listed["items"].as_array().ok_or("no list")?.len() <= 1))
        },
    ),
    Operation {
        vault: true,
        ..operation(
            "seal",
            |desk| {
                rounds(desk)?;
                std::fs::write(desk.data.join("passphrase"), "open the vault\n")?;
                let vault = desk.data.join("passphrase").display().to_string();
                Ok(words(&["--passphrase-file", &vault, "checkpoint", "seal", "--keep", "vault"]))
            },
            sealed,
        )
    },
    operation(
        "remember",
        |_| Ok(words(&["memory", "add", "Answers are short."])),
        |scene| {
            let sql = "SELECT count(*) FROM memory_lines WHERE text = ?1";
            Ok(seen(scene.number(sql, "Answers are short.")? > 0))
        },
    ),
    Operation {
        changes: &[".ai-brain", ".gitignore"],
        ..operation("share", |_| Ok(words(&["session", "share"])), shared)
    },
    Operation {
        changes: &[".ai-brain", ".gitignore"],
        ..operation(
            "task",
            |desk| {
                desk.json(&["session", "share"])?;
                desk.json(&["plan", "add", "Ship it"])?;
                Ok(words(&["task", "add", "Write the notes"]))
            },
            |scene| {
                if let Seen::Half(wrong) = shared(scene)? {
                    return Ok(Seen::Half(wrong));
                }
                Ok(seen(
                    scene.desk.json(&["task", "list"])?.to_string().contains("Write the notes"),
                ))
            },
        )
    },
    operation(
        "import",
        |desk| {
            let file = transcript(desk)?;
            Ok(words(&["conversation", "import", &file]))
        },
        whole_imports,
    ),
    Operation {
        changes: &["out.json"],
        ..operation(
            "export",
            |desk| {
                let id = imported(desk)?;
                std::fs::write(beside(desk, "out.json"), "what was there")?;
                let out = beside(desk, "out.json").display().to_string();
                Ok(words(&["conversation", "export", &id, "--format", "json", "-o", &out]))
            },
            exported,
        )
    },
    operation(
        "delete",
        |desk| Ok(words(&["conversation", "delete", &imported(desk)?])),
        |scene| {
            let sql = "SELECT count(*) FROM conversations WHERE id = ?1 AND deleted_at IS NOT NULL";
            Ok(seen(scene.number(sql, scene.last_arg())? == 1))
        },
    ),
    operation(
        "decide",
        |_| Ok(words(&["decision", "add", "The store stays SQLite"])),
        |scene| {
            let listed = scene.desk.json(&["decision", "list"])?;
            Ok(seen(listed.to_string().contains(scene.last_arg())))
        },
    ),
    Operation {
        changes: &[".siltstone"],
        ..operation(
            "place",
            |desk| {
                rounds(desk)?;
                Ok(words(&["checkpoint", "place", "project"]))
            },
            |scene| {
                let listed = scene.desk.json(&["checkpoint", "list"])?;
                let many = listed["items"].as_array().ok_or("no list")?.len();
                // A look at what is whole adds one, and what no blow stopped is looked at twice.
                if !(2..=3).contains(&many) {
                    return Ok(Seen::Half(format!("{many} of 2 checkpoints")));
                }
                let place = scene.desk.json(&["checkpoint", "place"])?;
                if place["kept"] != "project" {
                    return Ok(Seen::Nothing);
                }
                if place["whole"] != true {
                    return Ok(Seen::Half(format!("a copy that is not whole: {place}")));
                }
                // All of them are here still when the folder goes with whatever is in it.
                std::fs::remove_dir_all(scene.desk.project.join(".siltstone"))?;
                let said = scene.desk.json(&["checkpoint", "verify"])?;
                if said["damaged"] != serde_json::json!([]) {
                    return Ok(Seen::Half(format!("lost with the folder: {said}")));
                }
                scene.desk.json(&["checkpoint", "create"])?;
                let place = scene.desk.json(&["checkpoint", "place"])?;
                Ok(if place["whole"] == true { Seen::Whole } else { Seen::Half(place.to_string()) })
            },
        )
    },
    operation(
        "scan",
        |desk| {
            let session = desk.data.join(SESSION);
            std::fs::create_dir_all(session.parent().ok_or("no folder")?)?;
            std::fs::write(&session, said_by_agent(1))?;
            desk.json(&["vault", "scan", "--agree"])?;
            // What follows is a rewrite of this, and something new beside it.
            std::fs::write(&session, said_by_agent(2))?;
            std::fs::write(session.with_file_name("rollout-new.jsonl"), said_by_agent(3))?;
            Ok(words(&["vault", "scan"]))
        },
        scanned,
    ),
    operation("backup", |_| Ok(words(&["backup", "create"])), backed_up),
    operation(
        "put",
        |_| Ok(words(&["context", "put", "--persistent", "team", "storage"])),
        |scene| {
            let said = scene.desk.run(&["context", "get", "team"])?;
            Ok(if said.code == Some(0) && said.out.trim() != "storage" {
                Seen::Half(said.out)
            } else {
                seen(said.code == Some(0))
            })
        },
    ),
    Operation {
        changes: &["out.checkpoint"],
        once: true,
        ..operation(
            "bundle",
            |desk| {
                rounds(desk)?;
                let out = beside(desk, "out.checkpoint").display().to_string();
                Ok(words(&["checkpoint", "export", "round-0", &out]))
            },
            |scene| {
                if !std::path::Path::new(scene.last_arg()).exists() {
                    return Ok(Seen::Nothing);
                }
                let said = scene.desk.run(&["--json", "checkpoint", "import", scene.last_arg()])?;
                Ok(if said.code == Some(0) { Seen::Whole } else { Seen::Half(said.err) })
            },
        )
    },
];

const fn operation(
    name: &'static str,
    prepare: fn(&Desk) -> Result<Vec<String>, Trouble>,
    look: fn(&Scene<'_>) -> Result<Seen, Trouble>,
) -> Operation {
    Operation { name, prepare, look, changes: &[], vault: false, once: false }
}

fn restored(scene: &Scene<'_>) -> Result<Seen, Trouble> {
    let desk = scene.desk;
    let listed = desk.json(&["checkpoint", "list"])?;
    let unfinished = listed["unfinished"].as_array().ok_or("no list")?;
    if unfinished.is_empty() {
        return Ok(if at_round(desk, 0)? {
            Seen::Whole
        } else if scene.is_as_before()? {
            Seen::Nothing
        } else if named_failures(scene)? {
            Seen::Undone
        } else {
            Seen::Half("neither then nor now, and nothing to go on with".into())
        });
    }
    // Begun: it can be gone on with, and it can be taken back.
    let (call, round) = if scene.turn.is_multiple_of(2) {
        (desk.run(scene.args)?, 0)
    } else {
        (desk.run(&["--json", "checkpoint", "undo"])?, 2)
    };
    if call.code != Some(0) {
        return Ok(Seen::Half(format!("it is not gone on with: {}", call.err)));
    }
    if !at_round(desk, round)? {
        return Ok(Seen::Half(format!("it came to something else than round {round}")));
    }
    Ok(if round == 0 { Seen::Whole } else { Seen::Undone })
}

/// Whether it was said of each file that is not as it was then that it could not be written, and it is as it was before.
fn named_failures(scene: &Scene<'_>) -> Result<bool, Trouble> {
    let Ok(said) = serde_json::from_str::<Value>(&scene.said.out) else { return Ok(false) };
    let failed = said["failed"].to_string();
    for index in 0..8 {
        let path = format!("src/file{index}.txt");
        let held = std::fs::read(scene.desk.project.join(&path))?;
        let then = format!("0 of {index}\n").repeat(40).into_bytes();
        let left = failed.contains(&path) && scene.before.get(&path) == Some(&held);
        if held != then && !left {
            return Ok(false);
        }
    }
    Ok(true)
}

fn sealed(scene: &Scene<'_>) -> Result<Seen, Trouble> {
    let vault = scene.desk.data.join("passphrase").display().to_string();
    let listed = scene.desk.json(&["--passphrase-file", &vault, "checkpoint", "list"])?;
    let many = listed["items"].as_array().ok_or("no list")?.len();
    if many != 2 {
        return Ok(Seen::Half(format!("{many} of 2")));
    }
    // Sealed, nothing of them is to be had without the passphrase.
    let closed = scene.desk.run(&["--json", "checkpoint", "list"])?;
    let closed: Value = serde_json::from_str(&closed.out)?;
    let items = closed["items"].as_array().ok_or("no list")?;
    Ok(seen(items.iter().all(|item| item["files"].is_null())))
}

/// Whether each question that is there has its answer, or what came of it.
fn chatted(scene: &Scene<'_>) -> Result<Seen, Trouble> {
    let lines: Vec<Value> =
        scene.said.out.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let event = |name: &str| lines.iter().find(|line| line["event"] == name);
    let database = scene.database()?;
    let mut find = database.prepare(
        "SELECT turns.id, reply.status, reply.parts, reply.id FROM turns \
         JOIN messages asked ON asked.id = user_message_id JOIN messages reply ON reply.id = reply_id \
         WHERE instr(asked.parts, ?1)",
    )?;
    let rows = find.query_map([scene.last_arg()], |row| {
        Ok((
            row.get::<_, String>(0)?,
            row.get::<_, String>(1)?,
            row.get::<_, String>(2)?,
            row.get::<_, String>(3)?,
        ))
    })?;
    let found = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    if let Some(turn) = event("started").and_then(|line| line["turn_id"].as_str())
        && !found.iter().any(|(id, ..)| id == turn)
    {
        return Ok(Seen::Half("the question was said to be there and is not".into()));
    }
    if let Some((_, status, ..)) = found.iter().find(|(_, status, ..)| status == "streaming") {
        return Ok(Seen::Half(format!("a reply is {status} for ever")));
    }
    let Some(done) = event("done").filter(|line| line["status"] == "complete") else {
        return Ok(seen(found.iter().any(|(_, status, ..)| status == "complete")));
    };
    let told: String = lines
        .iter()
        .filter(|line| line["event"] == "text")
        .filter_map(|line| line["text"].as_str())
        .collect();
    let Some((_, status, parts, _)) =
        found.iter().find(|(.., id)| done["message_id"] == id.as_str())
    else {
        return Ok(Seen::Half("the reply was said to be done and is not there".into()));
    };
    let parts: Value = serde_json::from_str(parts)?;
    let kept: String =
        parts.as_array().into_iter().flatten().filter_map(|part| part["text"].as_str()).collect();
    Ok(if status == "complete" && told.ends_with(&kept) && !kept.is_empty() {
        Seen::Whole
    } else {
        Seen::Half(format!("the reply is {status} and says {kept:?}"))
    })
}

/// Whether each backup that is listed can be gone back to, and one of them was asked for.
fn backed_up(scene: &Scene<'_>) -> Result<Seen, Trouble> {
    let listed = scene.desk.json(&["backup", "list"])?;
    let backups = listed["backups"].as_array().ok_or("no list")?;
    for name in backups.iter().filter_map(|backup| backup["name"].as_str()) {
        let copy = kept::read(&scene.desk.data.join("backups").join(name))?;
        if let Some(wrong) = kept::unsound(&copy)? {
            return Ok(Seen::Half(format!("{name}: {wrong}")));
        }
    }
    Ok(seen(backups.iter().any(|backup| backup["kind"]["why"] == "asked")))
}

const DONE: &str = "SELECT count(*) FROM turns JOIN messages ON messages.id = user_message_id \
    WHERE turns.status = 'completed' AND instr(parts, ?1)";

fn tool_ran(scene: &Scene<'_>) -> Result<Seen, Trouble> {
    let file = std::fs::read_to_string(scene.desk.project.join(model::WRITTEN.0)).ok();
    if file.as_ref().is_some_and(|text| *text != model::WRITTEN.1.repeat(500)) {
        return Ok(Seen::Half("half of the file was written".into()));
    }
    let database = scene.database()?;
    let streaming: i64 = database.query_row(
        "SELECT count(*) FROM messages WHERE status = 'streaming'",
        [],
        |row| row.get(0),
    )?;
    if streaming > 0 {
        return Ok(Seen::Half("a reply streams for ever".into()));
    }
    let said_done = scene.said.out.contains("\"status\":\"done\"");
    Ok(match (file.is_some(), said_done) {
        (false, true) => Seen::Half("the file was said to be written and is not there".into()),
        // A tool that failed was told to the model, and the reply went on.
        _ => seen(scene.number(DONE, scene.last_arg())? > 0),
    })
}

fn folded(scene: &Scene<'_>) -> Result<Seen, Trouble> {
    let busy = scene
        .number("SELECT count(*) FROM summaries WHERE status = 'IN_PROGRESS' AND ?1 <> ''", "x")?;
    // Whoever looks next closes what a process that is gone had begun.
    scene.desk.json(&["summary", "list", scene.last_arg()])?;
    let still = scene
        .number("SELECT count(*) FROM summaries WHERE status = 'IN_PROGRESS' AND ?1 <> ''", "x")?;
    if still > 0 {
        return Ok(Seen::Half(format!("{busy} summaries are in progress for ever")));
    }
    let sql = "SELECT count(*) FROM summaries WHERE status = 'COMPLETED' AND ?1 = conversation_id";
    let made = scene.number(sql, scene.last_arg())? > 0;
    Ok(seen(made))
}

fn shared(scene: &Scene<'_>) -> Result<Seen, Trouble> {
    let folder = scene.desk.project.join(".ai-brain");
    let mut there = false;
    for (name, bytes) in if folder.exists() { kept::files(&folder)? } else { Files::new() } {
        if name.ends_with(".json") {
            there = true;
            if serde_json::from_slice::<Value>(&bytes).is_err() {
                return Ok(Seen::Half(format!("{name} is no JSON")));
            }
        }
    }
    // What is told is the state of the files; one that could not be written says so.
    let refused = !there && scene.said.out.contains("\"state\":\"refused\"");
    Ok(if refused { Seen::Undone } else { seen(there) })
}

fn whole_imports(scene: &Scene<'_>) -> Result<Seen, Trouble> {
    let database = scene.database()?;
    let mut find = database.prepare(
        "SELECT count(messages.id) FROM conversations LEFT JOIN messages \
         ON messages.conversation_id = conversations.id WHERE deleted_at IS NULL GROUP BY conversations.id",
    )?;
    let counts: Vec<i64> = find.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    // The conversation that was there before has two.
    Ok(match counts.iter().find(|many| ![2, 60].contains(*many)) {
        Some(many) => Seen::Half(format!("{many} of 60 messages")),
        None => seen(counts.contains(&60)),
    })
}

/// Where an agent wrote a session.
const SESSION: &str = ".codex/sessions/2026/11/21/rollout-old.jsonl";

fn said_by_agent(round: u64) -> String {
    let line = |number: u64| {
        let text = format!("Line {number} of {round}, as the agent wrote it.");
        let said = serde_json::json!({"type": "message", "role": "user", "content": text});
        format!("{said}\n")
    };
    let about = serde_json::json!({"id": format!("session-{round}"), "timestamp": null});
    std::iter::once(format!("{about}\n")).chain((0..40).map(line)).collect()
}

/// What was kept before the blow is there to the last byte; what came after it is, or is not.
fn scanned(scene: &Scene<'_>) -> Result<Seen, Trouble> {
    let verified = scene.desk.run(&["--json", "vault", "verify"])?;
    if verified.code != Some(0) {
        return Ok(Seen::Half(format!(
            "kept bytes are damaged: {} {}",
            verified.out, verified.err
        )));
    }
    let kept = kept::read(&scene.desk.data.join("vault").join("vault.db"))?;
    let files: i64 = kept.query_row("SELECT count(*) FROM files", [], |row| row.get(0))?;
    let versions: i64 = kept.query_row("SELECT count(*) FROM versions", [], |row| row.get(0))?;
    drop(kept);
    let listed = scene.desk.json(&["vault", "list"])?;
    let ids = listed["sessions"].as_array().ok_or("no list")?.iter();
    let ids: Vec<&str> = ids.filter_map(|session| session["id"].as_str()).collect();
    let old = ids.iter().find(|id| ["session-1", "session-2"].contains(*id));
    let Some(old) = old else { return Ok(Seen::Half(format!("the session is lost: {listed}"))) };
    let first = scene.desk.run(&["vault", "show", old, "--raw", "--version", "1"])?;
    if first.out != said_by_agent(1) {
        return Ok(Seen::Half(format!("its first version is lost: {}", first.err)));
    }
    Ok(seen(
        (files, versions) == (2, 3) && ids.contains(&"session-2") && ids.contains(&"session-3"),
    ))
}

fn exported(scene: &Scene<'_>) -> Result<Seen, Trouble> {
    let bytes = std::fs::read(scene.last_arg()).unwrap_or_default();
    if bytes == b"what was there" {
        return Ok(Seen::Nothing);
    }
    Ok(match serde_json::from_slice::<Value>(&bytes) {
        Ok(value) if value["format"] == "siltstone-conversation" => Seen::Whole,
        _ => Seen::Half(format!("{} bytes that are neither the old nor the new", bytes.len())),
    })
}
