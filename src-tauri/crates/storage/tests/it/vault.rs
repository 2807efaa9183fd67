//! Files of agents: no byte that was seen is lost, whatever becomes of the file, of the process and of the database; and
//! what is forgotten is gone.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use siltstone_engine::message::Role;
use siltstone_engine::ports::StoreError;
use siltstone_engine::recall::phrases;
use siltstone_engine::search::Query;
use siltstone_engine::vault::{
    Agent, AgentHome, Forgotten, KeptFile, Looked, MAX_SAID, Place, Said, SaidAt, SaidCandidates,
    SaidNear, Session, Stamp, VaultSize, VaultStore,
};
use siltstone_secrets::Seals;
use siltstone_storage::Vault;
use tempfile::TempDir;

use crate::it::support::{Dice, at};

const DIR: &str = "VAULT_TEST_DIR";

fn open(dir: &Path) -> Vault {
    Vault::new(dir, Arc::new(Seals), false)
}

fn home() -> AgentHome {
    AgentHome { agent: Agent::Codex, root: "/home/kim/.codex".to_owned() }
}

fn look(vault: &Vault, path: &str, text: &[u8], second: i64) -> Looked {
    let mut pass = vault.pass().unwrap();
    let stamp = Stamp { bytes: text.len() as u64, modified: at(second - 100) };
    let mut source = Cursor::new(text.to_vec());
    let looked = pass.look(&home(), path, stamp, &mut source, at(second), &mut |_| true).unwrap();
    pass.commit().unwrap();
    looked
}

fn kept(vault: &Vault, path: &str) -> KeptFile {
    vault.files().unwrap().into_iter().find(|file| file.path == path).unwrap()
}

fn bytes(vault: &Vault, file: u64, version: Option<u32>) -> Vec<u8> {
    let mut read = Vec::new();
    vault.bytes(file, version).unwrap().read_to_end(&mut read).unwrap();
    read
}

fn is_whole(vault: &Vault) -> bool {
    vault.verify(&mut |_| true).unwrap().is_empty()
}

/// Bytes that no compression makes fewer of.
fn noise(seed: u64, many: usize) -> Vec<u8> {
    let mut dice = Dice(seed);
    (0..many).map(|_| dice.below(256) as u8).collect()
}

fn packs(dir: &Path) -> Vec<u8> {
    let packs = fs::read_dir(dir.join("vault/packs")).unwrap().flatten();
    packs.flat_map(|pack| fs::read(pack.path()).unwrap()).collect()
}

fn holds(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[test]
fn a_file_grows_in_one_version_and_is_written_anew_in_another() {
    let dir = TempDir::new().unwrap();
    let vault = open(dir.path());
    let first = noise(1, 2_500_000);
    let grown = [first.clone(), noise(2, 700_000)].concat();
    let mut changed = grown.clone();
    changed[2_000_000] ^= 1;
    assert_eq!(look(&vault, "a", &first, 1), Looked::New(2_500_000));
    assert_eq!(look(&vault, "a", &first, 2), Looked::Known);
    assert_eq!(look(&vault, "a", &grown, 3), Looked::Grew(700_000));
    assert_eq!(kept(&vault, "a").versions, 1);
    let before = vault.state().unwrap();
    // The first mebibyte is the same and is not kept twice.
    let rewritten = look(&vault, "a", &changed, 4);
    assert_eq!(rewritten, Looked::Rewritten(3_200_000 - (1 << 20)));
    let after = vault.state().unwrap();
    assert!(after.bytes - before.bytes < 2_200_000, "{after:?} after {before:?}");
    let file = kept(&vault, "a");
    assert_eq!((file.versions, file.bytes, file.kept_at), (2, 3_200_000, at(4)));
    assert_eq!(bytes(&vault, file.id, Some(1)), grown);
    assert_eq!(bytes(&vault, file.id, None), changed);
    let missing = vault.bytes(file.id, Some(3)).err().unwrap();
    assert!(matches!(missing, StoreError::NotFound { .. }));
    assert!(is_whole(&vault));
}

#[test]
fn versions_of_a_file_share_what_they_have_before_and_behind_a_change() {
    let dir = TempDir::new().unwrap();
    let vault = open(dir.path());
    let (mut said, mut states) = (noise(3, 600_000), Vec::new());
    for round in 0..40 {
        // As an agent writes its one object: a time at its beginning that is longer now and then, and more at its end.
        said.extend(noise(100 + round, 2_000));
        let time = "9".repeat(10 + round as usize % 3);
        states.push([time.as_bytes(), &said, b"]}"].concat());
        look(&vault, "a", states.last().unwrap(), round as i64 + 1);
    }
    let file = kept(&vault, "a").id;
    for (version, state) in (1..).zip(&states) {
        assert_eq!(&bytes(&vault, file, Some(version)), state, "version {version}");
    }
    // The first one whole, the second one in its new spans, and of each of the others what is new and a span or two.
    let VaultSize { stored, .. } = vault.state().unwrap();
    assert!(stored < 3 * said.len() as u64, "{stored}");
    assert!(is_whole(&vault));
}

#[test]
fn what_was_cut_emptied_or_deleted_stays_what_it_was() {
    let dir = TempDir::new().unwrap();
    let vault = open(dir.path());
    let text = noise(3, 1_200_000);
    look(&vault, "a", &text, 1);
    for (second, left) in [(2, 1_100_000), (3, 1 << 20), (4, 10), (5, 0)] {
        assert_eq!(look(&vault, "a", &text[..left], second), Looked::Cut);
        let file = kept(&vault, "a");
        assert_eq!((file.versions, file.cut), (1, 1_200_000 - left as u64));
    }
    // It comes back as it was, and then as something else.
    assert_eq!(look(&vault, "a", &text, 6), Looked::Known);
    assert_eq!(kept(&vault, "a").cut, 0);
    assert_eq!(look(&vault, "a", b"other", 7), Looked::Rewritten(5));
    let mut pass = vault.pass().unwrap();
    pass.there(&Place::all_of(home()), &HashSet::new(), at(8)).unwrap();
    drop(pass);
    let file = kept(&vault, "a");
    assert_eq!((file.gone_at, file.cut), (Some(at(8)), 0));
    assert_eq!(bytes(&vault, file.id, Some(1)), text);
    assert_eq!(bytes(&vault, file.id, Some(2)), b"other");
    assert_eq!(look(&vault, "a", b"other", 9), Looked::Known);
    assert_eq!(kept(&vault, "a").gone_at, None);
}

#[test]
fn whatever_is_done_to_files_every_state_that_was_seen_can_be_read() {
    let mut dice = Dice(77);
    for _ in 0..12 {
        let dir = TempDir::new().unwrap();
        let mut vault = open(dir.path());
        let mut texts: HashMap<&str, Vec<u8>> = HashMap::new();
        let mut seen: Vec<(&str, Vec<u8>)> = Vec::new();
        for second in 1..40 {
            let path = ["a", "b", "c"][dice.below(3)];
            let text = texts.entry(path).or_default();
            match dice.below(6) {
                0 => text.truncate(dice.below(text.len() + 1)),
                1 if !text.is_empty() => {
                    let place = dice.below(text.len());
                    text[place] = text[place].wrapping_add(1);
                }
                2 => *text = noise(second as u64, dice.below(3_000)),
                _ => text.extend(noise(second as u64, dice.below(900_000))),
            }
            if dice.below(3) > 0 {
                look(&vault, path, text, second);
                seen.push((path, text.clone()));
            }
            match dice.below(12) {
                0 => vault = open(dir.path()),
                1 => {
                    // The database is lost, and made again from the packs.
                    drop(vault);
                    for file in ["vault.db", "vault.db-wal", "vault.db-shm"] {
                        let _ = fs::remove_file(dir.path().join("vault").join(file));
                    }
                    vault = open(dir.path());
                }
                _ => {}
            }
        }
        assert!(is_whole(&vault));
        for (path, text) in &seen {
            let file = kept(&vault, path);
            let holds = |version| bytes(&vault, file.id, Some(version)).starts_with(text);
            assert!((1..=file.versions).any(holds), "{} bytes of {path}", text.len());
        }
    }
}

#[test]
fn a_file_needs_no_look_while_its_stamp_is_old_and_the_same() {
    let dir = TempDir::new().unwrap();
    let vault = open(dir.path());
    look(&vault, "old", b"text", 1_000);
    let mut pass = vault.pass().unwrap();
    let young = Stamp { bytes: 4, modified: at(2_000) };
    let mut source = Cursor::new(b"text".to_vec());
    pass.look(&home(), "young", young, &mut source, at(2_001), &mut |_| true).unwrap();
    pass.commit().unwrap();
    let known = pass.known(&Place::all_of(home())).unwrap();
    assert_eq!(
        known.keys().collect::<Vec<_>>(),
        ["old"],
        "a young file may change under its stamp"
    );
    assert_eq!(known["old"], Stamp { bytes: 4, modified: at(900) });
    let other = AgentHome { agent: Agent::Codex, root: "/elsewhere".to_owned() };
    assert!(pass.known(&Place::all_of(other)).unwrap().is_empty());
}

#[test]
fn what_happens_at_a_place_says_nothing_of_another() {
    let dir = TempDir::new().unwrap();
    let vault = open(dir.path());
    for path in ["a", "a.jsonl", "a-b/c", "a/b", "a/b/c", "a0", "가/나"] {
        look(&vault, path, b"text", 1_000);
    }
    let at_path = |path: &str| Place { home: home(), path: path.to_owned() };
    let mut pass = vault.pass().unwrap();
    for (path, at_it) in [("a", 3), ("a/b", 2), ("a/b/c", 1), ("가", 1), ("none", 0), ("", 7)] {
        assert_eq!(vault.files_at(&at_path(path)).unwrap().len(), at_it, "{path}");
        let known = pass.known(&at_path(path)).unwrap();
        assert_eq!(known.keys().filter(|it| at_path(path).has(it)).count(), at_it, "{path}");
    }
    pass.there(&at_path("a"), &HashSet::from(["a/b"]), at(2_000)).unwrap();
    drop(pass);
    let gone: Vec<String> = vault
        .files()
        .unwrap()
        .into_iter()
        .filter(|file| file.gone_at.is_some())
        .map(|file| file.path)
        .collect();
    assert_eq!(gone, ["a", "a/b/c"]);
}

#[test]
fn one_pass_at_a_time_and_looking_makes_nothing() {
    let dir = TempDir::new().unwrap();
    let vault = open(dir.path());
    assert_eq!(vault.files().unwrap(), []);
    assert_eq!(vault.state().unwrap(), VaultSize::default());
    assert!(vault.agreed().unwrap().is_empty() && is_whole(&vault));
    assert!(!dir.path().join("vault").exists(), "who only asks leaves no trace");
    let pass = vault.pass().unwrap();
    for other in [&vault, &open(dir.path())] {
        assert!(matches!(other.pass(), Err(StoreError::Conflict { .. })));
        assert!(matches!(other.forget(&[1], true), Err(StoreError::Conflict { .. })));
    }
    drop(pass);
    assert!(vault.pass().is_ok());
}

#[test]
fn a_yes_is_of_a_home_and_can_be_taken_back() {
    let dir = TempDir::new().unwrap();
    let vault = open(dir.path());
    vault.agree(&home(), true, at(1)).unwrap();
    assert_eq!(open(dir.path()).agreed().unwrap(), [home()]);
    vault.agree(&home(), false, at(2)).unwrap();
    assert_eq!(vault.agreed().unwrap(), []);
}

#[test]
fn what_is_forgotten_is_in_no_pack_and_does_not_come_again() {
    let dir = TempDir::new().unwrap();
    let vault = open(dir.path());
    let (shared, secret, other) = (noise(4, 1 << 20), noise(5, 300_000), noise(6, 200_000));
    look(&vault, "secret/path", &[shared.clone(), secret.clone()].concat(), 1);
    look(&vault, "other", &[shared.clone(), other.clone()].concat(), 2);
    let (file, kept_one) = (kept(&vault, "secret/path"), kept(&vault, "other"));
    assert!(holds(&packs(dir.path()), &secret));
    let Forgotten { files, freed } = vault.forget(&[file.id], true).unwrap();
    assert_eq!(files, 1);
    assert!(freed >= 300_000, "{freed}");
    let left = packs(dir.path());
    assert!(!holds(&left, &secret[..64]), "its bytes are gone");
    assert!(holds(&left, &other) && is_whole(&vault));
    assert_eq!(bytes(&vault, kept_one.id, None), [shared, other].concat());
    for entry in fs::read_dir(dir.path().join("vault")).unwrap().flatten() {
        if entry.file_type().unwrap().is_file() {
            let text = fs::read(entry.path()).unwrap();
            assert!(!holds(&text, b"secret/path"), "{}", entry.path().display());
        }
    }
    assert_eq!(look(&vault, "secret/path", b"again", 3), Looked::Forgotten);
    // Nor when the database is lost.
    drop(vault);
    fs::remove_file(dir.path().join("vault/vault.db")).unwrap();
    let vault = open(dir.path());
    assert_eq!(look(&vault, "secret/path", b"again", 4), Looked::Forgotten);
    assert_eq!(vault.files().unwrap().len(), 1);
    // For now alone: the next look has it.
    let one = kept(&vault, "other").id;
    vault.forget(&[one], false).unwrap();
    assert_eq!(vault.files().unwrap(), []);
    assert_eq!(look(&vault, "other", b"again", 5), Looked::New(5));
}

/// What is found: the file and the entry of each hit.
fn finds(vault: &Vault, words: &str, files: Option<&HashSet<u64>>) -> Vec<(u64, u64)> {
    let found = vault.find(&Query::parse(words), files, 50).unwrap();
    assert_eq!(found.total, found.hits.len() as u64);
    let mut places: Vec<_> = found.hits.iter().map(|it| (it.file, it.said.entry)).collect();
    places.sort_unstable();
    places
}

#[test]
fn what_was_said_is_found_in_its_newest_form_and_gone_with_its_file() {
    let dir = TempDir::new().unwrap();
    let vault = open(dir.path());
    assert!(finds(&vault, "anything", None).is_empty(), "where nothing was ever kept");
    look(&vault, "a.jsonl", b"1", 100);
    look(&vault, "b.jsonl", b"2", 100);
    let (a, b) = (kept(&vault, "a.jsonl"), kept(&vault, "b.jsonl"));
    let facts = Session::default().facts(Agent::Codex);
    let puts = |file: &KeptFile, texts: &[&str]| {
        let said = texts.iter().enumerate().map(|(entry, text)| Said {
            entry: entry as u64,
            role: Role::User,
            at: Some(at(entry as i64)),
            text: (*text).to_owned(),
            words: text.len(),
        });
        vault.put_facts(file, 1, &facts, &said.collect::<Vec<_>>()).unwrap();
    };
    let long = format!("{} zebra {}", "어디에나 있는 말 ".repeat(100), "x".repeat(MAX_SAID));
    puts(&a, &["The retry backs off.", "데이터베이스 포트는 5433번입니다.", &long]);
    puts(&b, &["The retry of another."]);
    assert_eq!(finds(&vault, "retry", None), [(a.id, 0), (b.id, 0)]);
    assert_eq!(finds(&vault, "retry", Some(&HashSet::from([b.id]))), [(b.id, 0)]);
    assert_eq!(finds(&vault, "포트", None), [(a.id, 1)]);
    assert_eq!(finds(&vault, "zebra", None), [(a.id, 2)], "a text that is compressed");
    assert!(finds(&vault, "", None).is_empty());
    // Grown and changed: what is said now is found, and nothing else.
    puts(&a, &["The retry backs off.", "포트는 6000번입니다.", "", "New words."]);
    assert_eq!(finds(&vault, "5433", None), []);
    assert_eq!(finds(&vault, "6000", None), [(a.id, 1)]);
    assert_eq!(finds(&vault, "zebra", None), []);
    assert_eq!(finds(&vault, "\"new words\"", None), [(a.id, 3)]);
    assert_eq!(finds(&vault, "\"words new\"", None), []);
    vault.forget(&[a.id], true).unwrap();
    assert_eq!(finds(&vault, "retry", None), [(b.id, 0)]);
    drop(vault);
    let database = fs::read(dir.path().join("vault/vault.db")).unwrap();
    assert!(!holds(&database, b"backs off") && !holds(&database, b"backs"), "nor in the index");
}

#[test]
fn a_question_is_answered_by_what_people_and_models_said_in_a_folder() {
    let dir = TempDir::new().unwrap();
    let vault = open(dir.path());
    let asked = phrases("Which port does the importer use?");
    assert_eq!(vault.candidates(&asked, "/home/kim/shop", 9).unwrap(), SaidCandidates::default());
    let told = |path: &str, folder: Option<&str>, said: &[(Role, &str, usize)]| {
        look(&vault, path, path.as_bytes(), 100);
        let session = Session {
            id: path.to_owned(),
            folder: folder.map(str::to_owned),
            ..Session::default()
        };
        let said = said.iter().enumerate().map(|(entry, (role, text, words))| Said {
            entry: entry as u64,
            role: *role,
            at: (entry != 1).then(|| at(entry as i64)),
            text: (*text).to_owned(),
            words: *words,
        });
        let facts = session.facts(home().agent);
        vault.put_facts(&kept(&vault, path), 1, &facts, &said.collect::<Vec<_>>()).unwrap();
    };
    let (user, model, tool) = (Role::User, Role::Assistant, Role::Tool);
    told(
        "in",
        Some("/home/kim/shop/web/"),
        &[
            (user, "Where is the importer?", 22),
            (model, "The importer uses port 7341.\nRead {\"path\":\"port.rs\"}", 28),
            (tool, "importer port 7341", 18),
            (user, "Thank you.", 10),
            (user, "Summary: the importer uses a port", 0),
        ],
    );
    told("beside", Some("/home/kim/shopping"), &[(user, "The importer uses port 1.", 25)]);
    told("nowhere", None, &[(user, "The importer uses port 2.", 25)]);
    for folder in ["/home/kim/shop", "/home/kim/shop/", "/home/kim/shop/web", "/home"] {
        let found = vault.candidates(&asked, folder, 9).unwrap();
        let of = |it: &&SaidNear| it.at.session == "in";
        let said: Vec<(u64, &str, bool)> = found
            .said
            .iter()
            .filter(of)
            .map(|it| (it.at.number, it.said.text.as_str(), it.named))
            .collect();
        let expected = [
            (1, "Where is the importer?", true),
            (2, "The importer uses port 7341.", true),
            (4, "Thank you.", false),
        ];
        assert_eq!(said, expected, "{folder}: neither calls nor results nor summaries");
        assert_eq!(found.said.len() > 3, folder == "/home", "{folder}");
        assert_eq!(found.having.len(), asked.len());
    }
    assert!(vault.candidates(&asked, "/home/kim/shop/we", 9).unwrap().said.is_empty());
    let place = |number| SaidAt { agent: home().agent, session: "in".to_owned(), number };
    let said = |number, folder: &str| vault.said(&place(number), folder).unwrap();
    let second = said(2, "/home/kim/shop").unwrap();
    assert_eq!(second.text, "The importer uses port 7341.");
    assert_eq!(second.at, Some(kept(&vault, "in").kept_at), "when it was seen, where nobody says");
    assert_eq!(said(2, "/home/kim/shopping"), None);
    assert_eq!([0, 3, 5, 9].map(|number| said(number, "/home/kim/shop")), [None, None, None, None]);
    // Where it is said to have worked elsewhere, it is of that folder alone.
    told("in", Some("/srv"), &[(user, "Where is the importer?", 22)]);
    assert!(vault.candidates(&asked, "/home/kim/shop", 9).unwrap().said.is_empty());
    let in_srv = || vault.candidates(&asked, "/srv", 9).unwrap().said.len();
    assert_eq!([in_srv(), in_srv()], [1, 1]);
    vault.forget(&[kept(&vault, "in").id], true).unwrap();
    assert_eq!(in_srv(), 0);
}

#[test]
fn a_byte_that_changed_on_the_disk_is_named() {
    let dir = TempDir::new().unwrap();
    let vault = open(dir.path());
    look(&vault, "a", &noise(7, 1_500_000), 1);
    look(&vault, "b", &noise(8, 10_000), 2);
    assert!(is_whole(&vault));
    let pack = fs::read_dir(dir.path().join("vault/packs")).unwrap().flatten().next().unwrap();
    let mut text = fs::read(pack.path()).unwrap();
    text[1_200_000] ^= 1;
    fs::write(pack.path(), text).unwrap();
    let faults = vault.verify(&mut |_| true).unwrap();
    let [fault] = &faults[..] else { panic!("{faults:?}") };
    assert_eq!((fault.path.as_str(), fault.version, fault.at), ("a", 1, 1 << 20));
    assert!(matches!(
        vault.verify(&mut |_| false),
        Err(StoreError::Conflict { what: "cancelled" })
    ));
}

#[test]
fn a_look_that_is_cancelled_keeps_what_was_committed_and_the_next_one_has_the_rest() {
    let dir = TempDir::new().unwrap();
    let vault = open(dir.path());
    let text = noise(9, 80 << 20);
    let mut left = 60;
    {
        let mut pass = vault.pass().unwrap();
        let stamp = Stamp { bytes: text.len() as u64, modified: at(1) };
        let looked =
            pass.look(&home(), "a", stamp, &mut Cursor::new(&text[..]), at(9), &mut |_| {
                left -= 1;
                left > 0
            });
        assert!(matches!(looked, Err(StoreError::Conflict { what: "cancelled" })));
    }
    let half = kept(&vault, "a");
    assert!(half.bytes >= 32 << 20 && half.bytes < 60 << 20, "{}", half.bytes);
    assert_eq!(bytes(&vault, half.id, None), text[..half.bytes as usize]);
    assert!(
        vault.pass().unwrap().known(&Place::all_of(home())).unwrap().is_empty(),
        "half of it is not known"
    );
    look(&vault, "a", &text, 10);
    let whole = kept(&vault, "a");
    assert_eq!((whole.versions, whole.bytes), (1, text.len() as u64));
    assert!(is_whole(&vault));
}

/// The states of a file that grows and is written anew now and then.
fn states() -> impl Iterator<Item = Vec<u8>> {
    let mut text = Vec::new();
    (1_u64..).map(move |round| {
        if round.is_multiple_of(7) {
            text = format!("anew {round}\n").into_bytes();
        }
        text.extend(noise(round, 5_000));
        text.clone()
    })
}

/// Something of which nothing else says the same.
fn secret(round: u64) -> Vec<u8> {
    noise(round + 1_000_000, 3_000)
}

#[test]
#[ignore = "runs in a process of its own, which is killed"]
fn keeps_for_ever() {
    let Some(dir) = std::env::var_os(DIR) else { return };
    let vault = open(Path::new(&dir));
    for (round, text) in states().enumerate() {
        look(&vault, "a", &text, 1_000 + round as i64);
        println!("kept {round}");
        if round % 5 == 4 {
            let other = format!("other {round}");
            look(&vault, &other, &secret(round as u64), 1_000 + round as i64);
            let id = kept(&vault, &other).id;
            vault.forget(&[id], true).unwrap();
            println!("forgot {round}");
        }
    }
}

#[test]
fn a_killed_process_loses_nothing_it_said_it_kept() {
    for round in 0..8 {
        let dir = TempDir::new().unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "it::vault::keeps_for_ever", "--ignored", "--nocapture"])
            .env(DIR, dir.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let (mut said, mut forgot) = (0, Vec::new());
        for line in lines.map_while(Result::ok) {
            if line.contains("kept ") {
                said += 1;
                if said == 3 + round * 5 {
                    child.kill().unwrap();
                }
            } else if let Some((_, number)) = line.rsplit_once("forgot ") {
                forgot.push(number.to_owned());
            }
        }
        child.wait().unwrap();
        let vault = open(dir.path());
        drop(vault.pass().unwrap());
        assert!(is_whole(&vault));
        let file = kept(&vault, "a");
        let versions: Vec<Vec<u8>> =
            (1..=file.versions).map(|version| bytes(&vault, file.id, Some(version))).collect();
        for text in states().take(said) {
            assert!(versions.iter().any(|version| version.starts_with(&text)), "{said} were kept");
        }
        for number in forgot {
            let gone = secret(number.parse().unwrap());
            assert!(!holds(&packs(dir.path()), &gone[..64]), "{number} is not forgotten");
        }
    }
}
