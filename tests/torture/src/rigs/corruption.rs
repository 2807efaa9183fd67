//! Databases and packs that were damaged, cut off, swapped or replaced: the program neither crashes nor hangs, never
//! begins anew by itself, leaves what is there as it is, and says which checkpoints are damaged.
//!
//! SQLite has no sum over its pages. A flipped bit within a text leaves a whole database with another word in it, which
//! nobody can see; such mutants are counted apart.
//!
//! What opens is read conversation by conversation; one that cannot be read has to say so, be salvaged, and be read then.
//! Each database that is refused is salvaged too, and the rows that stand on pages that nothing happened to are looked for in
//! what comes of it. Which rows these are is asked of SQLite's own account of the sound file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use rusqlite::Connection;

use crate::chance::Chance;
use crate::desk::{Desk, Said};
use crate::kept::{self, Rows};
use crate::rigs::upgrade;
use crate::{Options, Outcome, Trouble};

/// Bytes of a page.
const PAGE: usize = 4096;

/// The call that opens.
const OPEN: [&str; 4] = ["--json", "conversation", "list", "--all"];

/// Hundredths of the rows on sound pages that have to be salvaged.
const GOAL: u64 = 99;

/// The same of a sample, in which one mutant weighs more.
const GOAL_OF_SAMPLE: u64 = 90;

/// Runs the rig.
pub fn run(options: &Options) -> Result<Outcome, Trouble> {
    let mut outcome = Outcome::default();
    databases(options, &mut outcome)?;
    packs(options, &mut outcome)?;
    Ok(outcome)
}

/// Ends a call that hangs.
fn within_a_minute(desk: &Desk, args: &[&str]) -> Result<Said, Trouble> {
    let plain = desk.command(args);
    let mut command = Command::new("timeout");
    command.arg("60").arg(plain.get_program()).args(plain.get_args()).stdin(Stdio::null());
    for (name, value) in plain.get_envs() {
        if let Some(value) = value {
            command.env(name, value);
        }
    }
    command.current_dir(&desk.project);
    Ok(command.output()?.into())
}

/// What no damage excuses.
fn broke(said: &Said) -> Option<&'static str> {
    match said.code {
        Some(124) => Some("it hangs"),
        Some(0 | 1) if !said.err.contains("panicked") => None,
        _ => Some("it crashes"),
    }
}

fn databases(options: &Options, outcome: &mut Outcome) -> Result<(), Trouble> {
    let desk = upgrade::filled()?;
    let path = desk.data.join("siltstone.db");
    let image = desk.image()?;
    let whole = fs::read(&path)?;
    let database = kept::read(&path)?;
    let rows = kept::lasting(&database)?;
    let stands = stands(&database, &rows)?;
    drop(database);
    let mut wanted = Wanted::default();
    let mut chance = options.chance("mutants of the database");
    for number in 0..options.count(40, 2_000) {
        desk.lay(&image)?;
        let (how, mutant) = mutated(&whole, number, &mut chance);
        match &mutant {
            Some(bytes) => fs::write(&path, bytes)?,
            None => fs::remove_file(&path)?,
        }
        if mutant.as_ref() == Some(&whole) {
            continue;
        }
        let said = within_a_minute(&desk, &OPEN)?;
        let mut wrong = broke(&said).map(str::to_owned).or(match said.code {
            Some(1) => refused(&path, mutant.as_deref())?,
            _ => opened(&path, &rows, outcome)?,
        });
        if let (None, Some(0)) = (&wrong, said.code) {
            wrong = read(&desk, &said, outcome)?;
        }
        if let (None, Some(1), Some(mutant)) = (&wrong, said.code, &mutant) {
            let sound = sound(&whole, mutant, &stands);
            wrong = salvaged(&desk, mutant, &rows, &sound, &mut wanted)?;
        }
        outcome.count("refused", u64::from(said.code == Some(1)));
        outcome.tried(
            "mutants of the database",
            wrong.map(|wrong| format!("mutant {number} ({how}): {wrong}; {}", said.err)),
        );
    }
    outcome.count("rows on sound pages of those", wanted.rows);
    outcome.count("of these salvaged", wanted.found);
    // One table of one mutant is more than one in a hundred of a sample.
    let goal = if options.is_sample() { GOAL_OF_SAMPLE } else { GOAL };
    if wanted.found * 100 < wanted.rows * goal {
        let lost = wanted.lost.iter().take(20).cloned().collect::<Vec<_>>().join(", ");
        outcome.fail(format!("fewer than {goal} of 100 rows are salvaged: {lost}"));
    }
    Ok(())
}

/// Rows on sound pages, and what became of them.
#[derive(Default)]
struct Wanted {
    rows: u64,
    found: u64,
    lost: BTreeSet<String>,
}

/// The pages that each row stands on, by SQLite's own account of a sound database: leaves in their order hold the rows
/// in theirs.
fn stands(database: &Connection, rows: &Rows) -> Result<BTreeMap<String, Vec<usize>>, Trouble> {
    let mut stands = BTreeMap::new();
    let tables: BTreeSet<&str> = rows.keys().filter_map(|key| key.split(' ').next()).collect();
    for table in tables {
        let mut pages = database.prepare(
            "SELECT path, pageno, pagetype, ncell FROM dbstat WHERE name = ?1 ORDER BY path",
        )?;
        let pages: Vec<(String, usize, String, usize)> = pages
            .query_map([table], |row| {
                let number = |at: usize| row.get::<_, u32>(at).map(|number| number as usize);
                Ok((row.get(0)?, number(1)?, row.get(2)?, number(3)?))
            })?
            .collect::<Result<_, _>>()?;
        let key = kept::key(table);
        // A table without row ids is in the order of its key, and small enough here for one page.
        let has_rowid = database.prepare(&format!("SELECT rowid FROM {table}")).is_ok();
        let order = if has_rowid { "rowid" } else { key };
        let mut found = database.prepare(&format!("SELECT {key} FROM {table} ORDER BY {order}"))?;
        let mut found = found.query([])?;
        for (path, number, _, cells) in pages.iter().filter(|(_, _, kind, _)| kind == "leaf") {
            for cell in 0..*cells {
                let row = found.next()?.ok_or("the leaves hold more rows than there are")?;
                let begins = format!("{path}{cell:03x}+");
                let beyond = pages.iter().filter(|(path, ..)| path.starts_with(&begins));
                let on = std::iter::once(*number).chain(beyond.map(|(_, number, ..)| *number));
                stands.insert(format!("{table} {}", kept::named(row.get_ref(0)?)), on.collect());
            }
        }
    }
    Ok(stands)
}

/// The rows whose pages are in a mutant as they were.
fn sound<'a>(
    whole: &[u8],
    mutant: &[u8],
    stands: &'a BTreeMap<String, Vec<usize>>,
) -> Vec<&'a String> {
    let page =
        |of: &[u8], number: usize| of.get((number - 1) * PAGE..number * PAGE).map(<[u8]>::to_vec);
    let same = |number: &usize| page(whole, *number) == page(mutant, *number);
    stands.iter().filter(|(_, pages)| pages.iter().all(same)).map(|(key, _)| key).collect()
}

/// Salvages what was refused: the damaged file is kept, what comes of it is sound and opens, and has what it can.
fn salvaged(
    desk: &Desk,
    mutant: &[u8],
    rows: &Rows,
    sound: &[&String],
    wanted: &mut Wanted,
) -> Result<Option<String>, Trouble> {
    let path = desk.data.join("siltstone.db");
    let said = within_a_minute(desk, &["--json", "backup", "salvage", "--yes"])?;
    if let Some(broke) = broke(&said) {
        return Ok(Some(format!("salvaging it: {broke}; {}", said.err)));
    }
    let sound: Vec<&&String> = sound.iter().filter(|key| rows.contains_key(**key)).collect();
    wanted.rows += sound.len() as u64;
    if said.code == Some(1) {
        wanted.lost.extend(sound.iter().take(1).map(|_| format!("all: {}", said.err.trim())));
        return Ok((fs::read(&path)? != mutant)
            .then(|| "what could not be salvaged was written to".to_owned()));
    }
    let told: serde_json::Value = serde_json::from_str(&said.out)?;
    let aside = told["kept"].as_str().ok_or("it does not say where the damaged one is kept")?;
    if fs::read(Path::new(aside).join("siltstone.db"))? != mutant {
        return Ok(Some("the damaged database was not kept as it was".to_owned()));
    }
    let opens = within_a_minute(desk, &OPEN)?;
    if opens.code != Some(0) {
        return Ok(Some(format!("what was salvaged does not open: {}", opens.err)));
    }
    let database = kept::read(&path)?;
    if let Some(unsound) = kept::unsound(&database)? {
        return Ok(Some(format!("what was salvaged is unsound: {unsound}")));
    }
    let now = kept::lasting(&database)?;
    for key in sound {
        if now.get(*key) == rows.get(*key) {
            wanted.found += 1;
        } else {
            wanted.lost.insert((*key).clone());
        }
    }
    Ok(None)
}

/// A damaged database, and how; none at all is one of the ways.
fn mutated(whole: &[u8], number: u64, chance: &mut Chance) -> (String, Option<Vec<u8>>) {
    let mut bytes = whole.to_vec();
    let page = chance.index(bytes.len() / PAGE) * PAGE;
    let how = match number % 10 {
        0..=3 => {
            let flips = 1 + chance.below(8);
            for _ in 0..flips {
                let place = chance.index(bytes.len());
                if let Some(byte) = bytes.get_mut(place) {
                    *byte ^= 1 << chance.below(8);
                }
            }
            format!("{flips} bits")
        }
        4 => {
            // The head of a page, where its form is told.
            let place = page + chance.index(12);
            if let Some(byte) = bytes.get_mut(place) {
                *byte = byte.wrapping_add(1 + chance.number().to_le_bytes()[0] % 255);
            }
            format!("byte {place}")
        }
        5 => {
            let end = chance.index(bytes.len());
            bytes.truncate(end);
            format!("cut off at {end}")
        }
        6 => {
            bytes.iter_mut().skip(page).take(PAGE).for_each(|byte| *byte = 0);
            format!("zeros at {page}")
        }
        7 => {
            let noise = chance.bytes(PAGE);
            bytes.iter_mut().skip(page).zip(noise).for_each(|(byte, noise)| *byte = noise);
            format!("noise at {page}")
        }
        8 => {
            let other = chance.index(bytes.len() / PAGE) * PAGE;
            let moved: Vec<u8> = bytes.iter().skip(other).take(PAGE).copied().collect();
            bytes.iter_mut().skip(page).zip(moved).for_each(|(byte, moved)| *byte = moved);
            format!("the page at {other} at {page} too")
        }
        _ => match chance.below(4) {
            0 => return ("nothing there".to_owned(), None),
            1 => return ("empty".to_owned(), Some(Vec::new())),
            2 => return ("a picture".to_owned(), Some(siltstone_test_servers::PICTURE.to_vec())),
            _ => return ("noise".to_owned(), Some(chance.bytes(20_000))),
        },
    };
    (how, Some(bytes))
}

/// What is refused stays as it is, byte for byte.
fn refused(path: &Path, mutant: Option<&[u8]>) -> Result<Option<String>, Trouble> {
    let now = if path.exists() { Some(fs::read(path)?) } else { None };
    Ok((now.as_deref() != mutant).then(|| "what was refused was written to".to_owned()))
}

/// What opens is all there, or differs in a way that cannot be seen.
fn opened(path: &Path, rows: &Rows, outcome: &mut Outcome) -> Result<Option<String>, Trouble> {
    let now = match kept::read(path).and_then(|database| kept::lasting(&database)) {
        Ok(now) => now,
        Err(trouble) => return Ok(Some(format!("it opens and cannot be read: {trouble}"))),
    };
    if now.is_empty() {
        return Ok(Some("it began anew".to_owned()));
    }
    match kept::lost(rows, &now) {
        None => outcome.count("opened with every row as it was", 1),
        Some(_) => outcome.count("opened with a word changed unseen", 1),
    }
    Ok(None)
}

/// Reads each conversation that the list of an open database names; where one cannot be read, it is salvaged.
fn read(desk: &Desk, listed: &Said, outcome: &mut Outcome) -> Result<Option<String>, Trouble> {
    let listed: serde_json::Value = serde_json::from_str(&listed.out)?;
    let ids = |listed: &serde_json::Value| -> Vec<String> {
        let all = listed["conversations"].as_array().into_iter().flatten();
        all.filter_map(|it| it["id"].as_str().map(str::to_owned)).collect()
    };
    let mut refused = None;
    for id in ids(&listed) {
        let said = within_a_minute(desk, &["conversation", "show", &id])?;
        if let Some(broke) = broke(&said) {
            return Ok(Some(format!("reading {id}: {broke}; {}", said.err)));
        }
        if said.code == Some(1) {
            refused = Some(said);
        }
    }
    let Some(refused) = refused else { return Ok(None) };
    outcome.count("opened with something that cannot be read, and salvaged", 1);
    if !refused.err.contains("silt backup salvage") {
        return Ok(Some(format!("it does not say what to do: {}", refused.err)));
    }
    let said = within_a_minute(desk, &["--json", "backup", "salvage", "--yes"])?;
    if said.code != Some(0) {
        return Ok(Some(format!("it is not salvaged: {} after {}", said.err, refused.err)));
    }
    for id in ids(&desk.json(&["conversation", "list", "--all"])?) {
        let said = within_a_minute(desk, &["conversation", "show", &id])?;
        if said.code != Some(0) {
            return Ok(Some(format!("{id} cannot be read after it was salvaged: {}", said.err)));
        }
    }
    Ok(None)
}

fn packs(options: &Options, outcome: &mut Outcome) -> Result<(), Trouble> {
    let desk = Desk::trusted()?;
    let mut chance = options.chance("flips of packs");
    for index in 0..20 {
        let text: String = (0..40).map(|_| format!("{} ", chance.number())).collect();
        desk.file(&format!("src/file{index}.txt"), &text)?;
    }
    desk.json(&["checkpoint", "create", "--tag", "whole"])?;
    let files = kept::files(&desk.project)?;
    let image = desk.image()?;
    let packs = fs::read_dir(desk.data.join("checkpoints/packs"))?;
    let pack = packs.flatten().map(|it| it.path()).find(|path| path.is_file()).ok_or("no pack")?;
    let whole = fs::read(&pack)?;
    for number in 0..options.count(20, 1_000) {
        desk.lay(&image)?;
        let mut bytes = whole.clone();
        let place = chance.index(bytes.len());
        if let Some(byte) = bytes.get_mut(place) {
            *byte ^= 1 << chance.below(8);
        }
        fs::write(&pack, &bytes)?;
        let said = within_a_minute(&desk, &["--json", "checkpoint", "verify"])?;
        let wrong = if let Some(broke) = broke(&said) {
            Some(broke.to_owned())
        } else if kept::files(&desk.project)? != files {
            Some("a file of the project changed".to_owned())
        } else if said.code == Some(0) {
            // The index holds what says where each object begins, and the list of checkpoints, once more.
            outcome.count("flips that the index makes good", 1);
            restores(&desk, &files)?
        } else {
            None
        };
        outcome.tried(
            "flips of packs",
            wrong.map(|wrong| format!("flip {number} at {place} of {}: {wrong}", whole.len())),
        );
    }
    Ok(())
}

/// Whether every file comes back out of the checkpoint, byte for byte; what is wrong when not.
fn restores(desk: &Desk, files: &kept::Files) -> Result<Option<String>, Trouble> {
    for index in 0..20 {
        desk.file(&format!("src/file{index}.txt"), "later")?;
    }
    // What is there is in a checkpoint too, so that it may be written over.
    desk.json(&["checkpoint", "create"])?;
    let plan = desk.json(&["checkpoint", "plan", "whole", "--parts", "files"])?;
    let plan = plan["plan_id"].as_str().ok_or("no plan")?;
    let said = desk.run(&["--json", "checkpoint", "restore", plan])?;
    let back = kept::files(&desk.project)? == *files;
    Ok((!back).then(|| format!("it is not seen, and the files do not come back: {}", said.err)))
}
