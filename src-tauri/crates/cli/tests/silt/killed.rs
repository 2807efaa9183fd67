//! `kill -9` at random instants of what `silt checkpoint` does: every finished checkpoint stays whole, every restore can
//! be finished or undone, and sealing goes on. `SILTSTONE_KILLS` asks for more than a sample of each.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::desk::Desk;

/// Files of the project that is worked on meanwhile.
const FILES: usize = 40;

/// How often each of saving, restoring, cleaning and sealing is killed.
fn kills() -> u32 {
    std::env::var("SILTSTONE_KILLS").map_or(4, |asked| asked.parse().unwrap())
}

/// A project that is worked on while processes die.
struct Work {
    desk: Desk,
    /// What every call begins with.
    vault: Vec<String>,
}

impl Work {
    fn new() -> Self {
        Self { desk: Desk::trusted(), vault: Vec::new() }
    }

    fn args<'a>(&'a self, args: &[&'a str]) -> Vec<&'a str> {
        self.vault.iter().map(String::as_str).chain(["checkpoint"]).chain(args.to_vec()).collect()
    }

    fn run(&self, args: &[&str]) -> Value {
        self.desk.json(&self.args(args))
    }

    /// What a call takes that nobody kills.
    fn time(&self, args: &[&str]) -> Duration {
        let start = Instant::now();
        self.run(args);
        start.elapsed()
    }

    /// Starts a call and kills it at a random instant between these; says whether it was not over by then.
    fn kill(&self, args: &[&str], from: Duration, to: Duration) -> bool {
        let random = RandomState::new().hash_one(0) as f64 / u64::MAX as f64;
        let mut command = self.desk.command(&self.args(args));
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(from + to.saturating_sub(from).mul_f64(random));
        let cut_off = child.try_wait().unwrap().is_none();
        let _ = child.kill();
        child.wait().unwrap();
        assert_eq!(self.run(&["verify"])["damaged"], json!([]), "{args:?}");
        cut_off
    }

    /// Writes every file anew.
    fn fill(&self, round: u32) {
        for index in 0..FILES {
            self.desk.file(&format!("src/file{index}.txt"), &text(round, index));
        }
    }

    /// Whether every file is as it was written then.
    fn holds(&self, round: u32) -> bool {
        (0..FILES).all(|index| {
            let path = self.desk.project.path().join(format!("src/file{index}.txt"));
            std::fs::read_to_string(path).unwrap() == text(round, index)
        })
    }

    fn save(&self, round: u32) {
        self.fill(round);
        self.run(&["create"]);
    }

    /// A plan that goes back to a round, while everything it writes over is kept in a checkpoint.
    fn plan(&self, to: u32) -> String {
        let plan = self.run(&["plan", &format!("round {to}"), "--parts", "files"]);
        assert!(plan["files"].as_array().unwrap().iter().all(|it| it["action"] == "overwrite"));
        plan["plan_id"].as_str().unwrap().to_owned()
    }

    fn list(&self, what: &str) -> Vec<Value> {
        self.run(&["list", "--limit", "200"])[what].as_array().unwrap().clone()
    }
}

fn text(round: u32, index: usize) -> String {
    format!("{round} of {index}\n").repeat(50)
}

#[test]
fn killed_at_any_instant_every_finished_checkpoint_is_whole_and_every_restore_can_be_finished() {
    let work = Work::new();
    for round in [0, 1] {
        work.fill(round);
        work.run(&["create", "--tag", &format!("round {round}")]);
    }
    work.fill(2);
    let save = work.time(&["create"]);
    let restore = work.time(&["restore", &work.plan(1)]);
    let clean = work.time(&["clean", "--count", "1"]);
    let mut cut_off = [0; 3];
    for kill in 0..kills() {
        work.fill(100 + kill);
        let before = work.list("items");
        cut_off[0] += u32::from(work.kill(&["create"], Duration::ZERO, save));
        let after = work.list("items");
        assert!(before.iter().all(|made| after.contains(made)), "a finished one is not gone");

        let (to, from) = (kill % 2, (kill + 1) % 2);
        work.save(from);
        let plan = work.plan(to);
        cut_off[1] += u32::from(work.kill(&["restore", &plan], Duration::ZERO, restore));
        match work.list("unfinished").as_slice() {
            [] => assert!(work.holds(from) || work.holds(to), "not begun, or done"),
            [begun] => {
                assert_eq!(begun["plan_id"], plan);
                // What goes by the rules, or by hand, is nothing that it needs.
                let id = begun["checkpoint_id"].as_str().unwrap();
                assert_eq!(work.desk.silt(&["checkpoint", "delete", id]).code, Some(1));
                work.run(&["clean", "--count", "1"]);
                if kill % 4 < 2 {
                    work.run(&["restore", &plan]);
                    assert!(work.holds(to), "finished");
                } else {
                    work.run(&["undo"]);
                    assert!(work.holds(from), "undone");
                }
                assert_eq!(work.list("unfinished"), [Value::Null; 0]);
            }
            more => panic!("{more:?}"),
        }

        work.save(200 + kill);
        work.save(from);
        cut_off[2] += u32::from(work.kill(&["clean", "--count", "1"], Duration::ZERO, clean));
    }
    println!("cut off: {cut_off:?} of {} saves, restores and cleanings each", kills());
    work.save(0);
    work.run(&["restore", &work.plan(1)]);
    assert!(work.holds(1));
    let names = std::fs::read_dir(work.desk.project.path().join("src")).unwrap();
    assert_eq!(names.count(), FILES, "nothing is left behind");
}

#[test]
fn killed_at_any_instant_of_sealing_every_finished_checkpoint_is_whole() {
    let mut work = Work::new();
    let passphrase = work.desk.data.path().join("passphrase");
    std::fs::write(&passphrase, "open the vault\n").unwrap();
    work.vault = vec!["--passphrase-file".into(), passphrase.display().to_string()];
    work.save(0);
    work.run(&["seal", "--keep", "vault"]);
    let whole = work.time(&["unseal"]);
    work.run(&["seal", "--keep", "vault"]);
    // Opening the vault takes most of it, and changes nothing.
    let from = work.time(&["list"]).min(whole).mul_f64(0.8);
    let mut cut_off = 0;
    for kill in 0..kills() {
        let step = ["unseal", "seal"][kill as usize % 2];
        cut_off += u32::from(work.kill(&[step], from, whole));
        work.save(kill + 1);
        if kill % 4 >= 2 {
            let (left, on) = [("sealed_bytes", false), ("plain_bytes", true)][kill as usize % 2];
            let done = work.run(&[step]);
            assert_eq!((&done["on"], &done[left]), (&json!(on), &json!(0)), "it goes on");
        }
    }
    println!("cut off: {cut_off} of {}", kills());
    let sealed = work.run(&["seal", "--keep", "vault"]);
    assert_eq!((&sealed["on"], &sealed["plain_bytes"]), (&json!(true), &json!(0)));
    assert_eq!(work.list("items").len() as u32, kills() + 1, "none is missing");
    assert_eq!(work.run(&["verify"])["damaged"], json!([]));

    let refused = work.desk.silt(&["--json", "checkpoint", "create"]);
    assert!(refused.err.contains("checkpoints_locked"), "the vault is closed: {}", refused.err);
    let made = work.run(&["recovery"])["passphrase"].as_str().unwrap().to_owned();
    let recovery = work.desk.data.path().join("recovery");
    std::fs::write(&recovery, made).unwrap();
    let opened = work.desk.json(&["checkpoint", "recover", recovery.to_str().unwrap()]);
    assert_eq!(opened["locked"], false);
}

/// A copy in the project's folder, and none any more: wherever it is cut off, the next checkpoint makes it whole.
#[test]
fn killed_at_any_instant_of_copying_every_finished_checkpoint_is_whole_and_the_copy_follows() {
    let work = Work::new();
    for round in [0, 1] {
        work.fill(round);
        work.run(&["create", "--tag", &format!("round {round}")]);
    }
    let whole = work.time(&["place", "project"]).max(work.time(&["place", "here"]));
    work.fill(2);
    let save = work.time(&["create"]);
    let (mut cut_off, mut goal) = (0, "here");
    for kill in 0..kills() {
        let before = work.list("items");
        goal = if goal == "here" { "project" } else { "here" };
        cut_off += u32::from(work.kill(&["place", goal], Duration::ZERO, whole));
        assert_eq!(work.list("items"), before, "none is gone, and none is there twice");
        work.fill(kill + 2);
        cut_off += u32::from(work.kill(&["create"], Duration::ZERO, save));
        work.save(kill + 2);
        if kill % 3 == 0 {
            assert_eq!(work.run(&["place", goal])["kept"], goal, "it can be done later");
        }
        if kill % 3 == 1 {
            let _ = std::fs::remove_dir_all(work.desk.project.path().join(".siltstone"));
            work.save(kill + 2);
        }
        let place = work.run(&["place"]);
        assert_eq!(place["whole"], place["kept"] == "project", "{place}");
        if kill % 4 == 1 {
            work.run(&["clean", "--count", "3"]);
        }
        work.fill(1);
        work.run(&["create"]);
        work.run(&["restore", &work.plan(0)]);
        assert!(work.holds(0));
    }
    println!("cut off: {cut_off} of {}", 2 * kills());
    work.run(&["place", "here"]);
    work.run(&["clean", "--count", "1"]);
    assert!(!work.desk.project.path().join(".siltstone").exists(), "nothing is left behind");
    let places = std::fs::read_dir(work.desk.data.path().join("checkpoints/places")).unwrap();
    assert_eq!(places.filter(|it| it.as_ref().unwrap().path().is_dir()).count(), 0);
}
