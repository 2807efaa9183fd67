//! A filled database of every released schema, opened by the program of today: whole, killed and with the power cut at
//! every call of it; and one of tomorrow, which is left as it is.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::desk::Desk;
use crate::fault::{Blow, Struck, strike};
use crate::kept::{self, Rows};
use crate::{Options, Outcome, Trouble};

/// `Silt`, in the header of every database of Siltstone's.
const APPLICATION_ID: i64 = 0x5369_6C74;

/// The call that opens and so migrates.
const OPEN: [&str; 4] = ["--json", "conversation", "list", "--all"];

/// Runs the rig.
pub fn run(options: &Options) -> Result<Outcome, Trouble> {
    let mut outcome = Outcome::default();
    let filled = filled()?;
    let migrations = migrations()?;
    for version in 1..=migrations.len() {
        let older = Older::new(&filled, &migrations, version)?;
        outcome.tried("schemas", older.opens()?);
        older.strikes(options, &mut outcome)?;
    }
    outcome.tried("newer ones refused", newer(&filled, migrations.len())?);
    Ok(outcome)
}

/// Every released schema, oldest first.
fn migrations() -> Result<Vec<String>, Trouble> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../src-tauri/crates");
    let mut files: Vec<PathBuf> = fs::read_dir(crates.join("storage/src/migrations"))?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().as_encoded_bytes();
            name.first_chunk::<4>().is_some_and(|number| number.iter().all(u8::is_ascii_digit))
        })
        .collect();
    files.sort();
    files.iter().map(|path| Ok(fs::read_to_string(path)?)).collect()
}

/// A folder in which a little of everything was done.
pub(super) fn filled() -> Result<Desk, Trouble> {
    let desk = Desk::trusted()?;
    let file = desk.home().join("long.jsonl");
    let line = |index: u32| {
        let role = if index.is_multiple_of(2) { "user" } else { "assistant" };
        let said = format!("단계 {index}: we must keep port {}. ", 4000 + index).repeat(6);
        serde_json::json!({"id": index.to_string(), "role": role, "content": said}).to_string()
    };
    fs::write(&file, (0..60).map(line).collect::<Vec<_>>().join("\n"))?;
    let file = file.display().to_string();
    let id = desk.json(&["conversation", "import", &file])?["conversation"]["id"].clone();
    let id = id.as_str().ok_or("no id")?;
    for args in [
        vec!["chat", "Which port does the preview server use?"],
        vec!["chat", "미리보기 서버의 포트는?"],
        vec!["summary", "run", "--policy", "running", id],
        vec!["memory", "add", "Answers are short."],
        vec!["session", "share"],
        vec!["plan", "add", "Ship it"],
        vec!["task", "add", "Write the notes"],
        vec!["decision", "add", "Postgres stays"],
        vec!["price", "set", "m", "--input", "1", "--output", "2"],
        vec![
            "provider",
            "add",
            "--kind",
            "openai",
            "--name",
            "w",
            "--base-url",
            "http://127.0.0.1:9/v1",
        ],
        vec!["conversation", "delete", id],
        vec!["conversation", "restore", id],
    ] {
        let said = desk.run(&args)?;
        if said.code != Some(0) {
            return Err(format!("{args:?}: {}", said.err).into());
        }
    }
    Ok(desk)
}

/// A data folder as a program of this version left it.
struct Older {
    desk: Desk,
    image: PathBuf,
    version: usize,
    rows: Rows,
}

impl Older {
    fn new(filled: &Desk, migrations: &[String], version: usize) -> Result<Self, Trouble> {
        let desk = Desk::new()?;
        let image = desk.home().join("image");
        fs::create_dir_all(image.join("data"))?;
        fs::create_dir_all(image.join("project"))?;
        let path = image.join("data/siltstone.db");
        let database = Connection::open(&path)?;
        for sql in migrations.iter().take(version) {
            database.execute_batch(sql)?;
        }
        database.pragma_update(None, "application_id", APPLICATION_ID)?;
        database.pragma_update(None, "user_version", i64::try_from(version)?)?;
        database.pragma_update(None, "foreign_keys", false)?;
        let source = filled.data.join("siltstone.db").display().to_string();
        database.execute("ATTACH ?1 AS filled", [source])?;
        let mut rows = Rows::new();
        for table in tables(&database, "main")? {
            let ours = columns(&database, "main", &table)?;
            let theirs = columns(&database, "filled", &table)?;
            let both: Vec<&str> =
                ours.iter().filter(|name| theirs.contains(name)).map(String::as_str).collect();
            if both.is_empty() {
                continue;
            }
            let both = both.join(", ");
            database.execute_batch(&format!(
                "INSERT OR REPLACE INTO main.{table} ({both}) SELECT {both} FROM filled.{table}"
            ))?;
            let both = lasting(&table, both.split(", "));
            kept::collect(&database, &mut rows, &format!("main.{table}"), &both)?;
        }
        database.execute_batch("DETACH filled")?;
        if let Some(wrong) = kept::unsound(&database)? {
            return Err(format!("the database of version {version} is wrong: {wrong}").into());
        }
        let rows =
            rows.into_iter().map(|(key, hash)| (key.replacen("main.", "", 1), hash)).collect();
        Ok(Self { desk, image, version, rows })
    }

    /// Lays it anew and opens it, struck or not.
    fn open(&self, blow: Blow, at: u64, seed: u64) -> Result<Struck, Trouble> {
        self.desk.lay(&self.image)?;
        let keep = self.desk.keep()?;
        strike(&self.desk.command(&OPEN), self.desk.home(), &keep, blow, at, seed)
    }

    fn opens(&self) -> Result<Option<String>, Trouble> {
        let struck = self.open(Blow::Count, 0, 0)?;
        Ok(if struck.said.code == Some(0) {
            self.judge()?.map(|wrong| format!("version {}: {wrong}", self.version))
        } else {
            Some(format!("version {} does not open: {}", self.version, struck.said.err))
        })
    }

    fn strikes(&self, options: &Options, outcome: &mut Outcome) -> Result<(), Trouble> {
        let counted = self.open(Blow::Count, 0, 0)?;
        let mut chance = options.chance(&format!("upgrade {}", self.version));
        let blows = [Blow::Kill, Blow::Torn, Blow::Drop, Blow::Half];
        let mut points: Vec<(Blow, u64)> = blows
            .iter()
            .flat_map(|blow| (1..=counted.calls.of(*blow)).map(move |at| (*blow, at)))
            .collect();
        let most = usize::try_from(options.count(2, 250))?;
        while points.len() > most {
            points.swap_remove(chance.index(points.len()));
        }
        for (blow, at) in points {
            let struck = self.open(blow, at, chance.number())?;
            let wrong = self.judge().unwrap_or_else(|trouble| Some(trouble.to_string()));
            let hit = struck.hit.unwrap_or_default();
            outcome.tried(
                if matches!(blow, Blow::Drop | Blow::Half) { "cuts" } else { "kills" },
                wrong.map(|wrong| {
                    format!("version {}, {blow:?} at {at} ({hit}): {wrong}", self.version)
                }),
            );
        }
        Ok(())
    }

    /// Opens it once more; what is wrong then.
    fn judge(&self) -> Result<Option<String>, Trouble> {
        let opened = self.desk.run(&OPEN)?;
        if opened.code != Some(0) {
            return Ok(Some(format!("it does not open: {}", opened.err)));
        }
        let database = kept::read(&self.desk.data.join("siltstone.db"))?;
        if let Some(wrong) = kept::unsound(&database)? {
            return Ok(Some(wrong));
        }
        let version: i64 = database.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if usize::try_from(version)? < self.version {
            return Ok(Some(format!("it is of version {version}")));
        }
        let older = Connection::open(self.image.join("data/siltstone.db"))?;
        let mut rows = Rows::new();
        for table in tables(&older, "main")? {
            let old = columns(&older, "main", &table)?;
            let new = columns(&database, "main", &table)?;
            if old.iter().all(|name| new.contains(name)) {
                let filled = lasting(&table, old.iter().map(String::as_str));
                kept::collect(&database, &mut rows, &table, &filled)?;
            }
        }
        Ok(kept::lost(&self.rows, &rows))
    }
}

/// The columns of a table as they have to last. What a session repeats of conversations goes where it does not say of which
/// it is: the conversations have it.
fn lasting<'a>(table: &str, columns: impl Iterator<Item = &'a str>) -> String {
    let read = |column: &'a str| match (table, column) {
        ("sessions", "context") => "json_remove(context, '$.conversation')",
        ("session_told", "sections") => "NULL",
        _ => column,
    };
    columns.map(read).collect::<Vec<_>>().join(", ")
}

/// A database of a schema that this program does not know.
fn newer(filled: &Desk, known: usize) -> Result<Option<String>, Trouble> {
    let desk = Desk::new()?;
    let path = desk.data.join("siltstone.db");
    fs::copy(filled.data.join("siltstone.db"), &path)?;
    Connection::open(&path)?.pragma_update(None, "user_version", i64::try_from(known + 1)?)?;
    let before = fs::read(&path)?;
    let said = desk.run(&["--json", "chat", "Anybody there?"])?;
    if said.code != Some(1) || !said.out.contains("newer_data") {
        return Ok(Some(format!("a newer database is not refused: {} {}", said.out, said.err)));
    }
    Ok((fs::read(&path)? != before).then(|| "a newer database was written to".to_owned()))
}

/// The tables that hold rows; an index of words is made of them.
fn tables(database: &Connection, schema: &str) -> Result<Vec<String>, Trouble> {
    let mut find = database.prepare(&format!(
        "SELECT name FROM {schema}.sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' \
         AND name NOT LIKE 'message_index%' AND name NOT LIKE 'sqlite_%'"
    ))?;
    let names = find.query_map([], |row| row.get(0))?;
    Ok(names.collect::<rusqlite::Result<_>>()?)
}

fn columns(database: &Connection, schema: &str, table: &str) -> Result<Vec<String>, Trouble> {
    let mut find = database.prepare("SELECT name FROM pragma_table_info(?1, ?2)")?;
    let names = find.query_map([table, schema], |row| row.get(0))?;
    Ok(names.collect::<rusqlite::Result<_>>()?)
}
