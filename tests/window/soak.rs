//! An hour of work in one window, by the keys and the wheel alone: what lives in its page at the end beside its beginning,
//! what all its processes hold, and what they do while nobody works. `SILTSTONE_SOAK` says for how many minutes instead.
//!
//! No driver looks into the page, because one that does leaves more behind than the work. What lives there WebKit says
//! itself after each collection; whether an answer came is asked of the data folder.

use std::fs::File;
use std::path::PathBuf;
use std::process::Child;
use std::thread::sleep;
use std::time::{Duration, Instant};

use siltstone_test_servers::processes::{pss, ticks, tree};

use crate::support::desktop::{focus_window, press, scroll_up, type_keys};
use crate::support::{Silt, Start, TITLE, built, folder, scripted, slow_reply, wait};

/// Messages of the conversation that is gone back to.
const LONG: usize = 4_000;

/// Megabytes that may live in the page beyond what did after the first ten minutes.
const MORE: f64 = 3.0;

/// When what is opened once has been opened, and what is remembered is remembered.
const BEGINNING: Duration = Duration::from_secs(600);

/// How long nobody works, before and after the work.
const IDLE: Duration = Duration::from_secs(60);

/// The program without a driver.
struct Alone {
    program: Child,
    silt: Silt,
    log: PathBuf,
}

impl Drop for Alone {
    fn drop(&mut self) {
        // It fails only when it ended by itself.
        drop(self.program.kill());
        drop(self.program.wait());
    }
}

impl Alone {
    /// Everything that is done again and again.
    fn work(&self, round: usize) {
        focus_window(TITLE);
        self.press("ctrl+k");
        self.write("Long talk");
        scroll_up(TITLE, 60);
        self.press("ctrl+n");
        for turn in 1..=3 {
            self.write(&format!("Round {round}, {turn}: what then?"));
            wait("its answer", || (self.messages() == 2 * turn).then_some(()));
        }
        for pane in ["ctrl+shift+s", "ctrl+shift+h", "ctrl+shift+i", "ctrl+m", "ctrl+m"] {
            self.press(pane);
        }
        self.press("ctrl+shift+f");
        type_keys("number 17");
        self.press("Escape");
        for _ in 0..4 {
            self.press("ctrl+comma");
            self.press("Escape");
        }
    }

    /// Presses a chord and lets what it opens come to rest.
    fn press(&self, chord: &str) {
        press(&[chord]);
        sleep(Duration::from_millis(700));
    }

    fn write(&self, text: &str) {
        type_keys(text);
        sleep(Duration::from_millis(300));
        self.press("Return");
    }

    /// Messages of the newest conversation.
    fn messages(&self) -> u64 {
        let listed = self.silt.ask(&["conversation", "list", "--all"]);
        listed["conversations"][0]["message_count"].as_u64().unwrap_or_default()
    }

    fn processes(&self) -> Vec<u32> {
        tree(self.program.id())
    }

    /// Megabytes that all processes hold at rest: the least of ten seconds, in which garbage is collected.
    fn held(&self) -> u64 {
        let now = |_| {
            sleep(Duration::from_secs(1));
            self.processes().into_iter().map(pss).sum::<u64>() / 1_000
        };
        (0..10).map(now).min().unwrap_or_default()
    }

    /// Megabytes that lived in the page after each full collection so far: `START M 13663kb => FullCollection, … => 9995kb, …`.
    fn lived(&self) -> Vec<f64> {
        let said = std::fs::read_to_string(&self.log).unwrap_or_default();
        let full = said.split("=> FullCollection").skip(1);
        full.filter_map(|rest| {
            let (_, lived) = rest.split_once("=> ")?;
            Some(lived.split_once("kb")?.0.parse::<f64>().ok()? / 1_000.0)
        })
        .collect()
    }

    /// The share of a processor that all of them take while nobody works.
    fn idle(&self) -> f64 {
        let computed = || self.processes().into_iter().map(ticks).sum::<u64>();
        let before = computed();
        sleep(IDLE);
        (computed() - before) as f64 / IDLE.as_secs_f64()
    }
}

#[test]
#[ignore = "an hour; its figures stand in docs/performance.md"]
fn an_hour_of_work_leaves_nothing_behind_in_memory() {
    let minutes = std::env::var("SILTSTONE_SOAK").ok().and_then(|minutes| minutes.parse().ok());
    let all = Duration::from_secs(60 * minutes.unwrap_or(60));
    let project = folder::project();
    let server = scripted(&[slow_reply("what then", 200)]);
    let start = Start::new("en").set("JSC_logGC", "1");
    let silt = start.silt();
    silt.open_project(project.path());
    silt.connect("scripted", &server.base_url(), "gpt-4o");
    let said = |number| match number % 2 {
        0 => ("user", format!("Question number {number}: what about it?")),
        _ => ("assistant", format!("Answer number {number}. {}", "More words. ".repeat(40))),
    };
    let messages: Vec<_> = (0..LONG).map(said).collect();
    silt.import_into(&project.path().display().to_string(), "Long talk", &messages);
    let log = start.data().join("soak.log");
    let mut command = start.command(&built("siltstone").display().to_string());
    command.arg(project.path()).stderr(File::create(&log).expect("a file for what it says"));
    let desk = Alone { program: command.spawn().expect("the program starts"), silt, log };
    focus_window(TITLE);
    sleep(Duration::from_secs(5));
    println!("opened: {} MB, idle {:.2} % of a processor", desk.held(), desk.idle());

    let begun = Instant::now();
    let mut beginning = 0;
    let mut round = 0;
    while begun.elapsed() < all {
        round += 1;
        let seen = desk.lived().len();
        desk.work(round);
        let (minute, held, lived) = (begun.elapsed().as_secs() / 60, desk.held(), desk.lived());
        if begun.elapsed() < BEGINNING {
            beginning = lived.len();
        }
        println!("round {round}, minute {minute}: {held} MB, lives {:.1?} MB", &lived[seen..]);
    }
    println!("idle: {:.2} % of a processor", desk.idle());
    let lived = desk.lived();
    let (first, rest) = lived.split_at(beginning);
    let (first, last) = (least(first), least(&rest[rest.len() * 4 / 5..]));
    println!(
        "lived at least: {first:?} MB in the first ten minutes, {last:?} in the last fifth of the rest"
    );
    match (first, last) {
        (Some(first), Some(last)) => {
            assert!(last <= first + MORE, "{first} MB live in the page, and {last} later");
        }
        // Too short for both; an hour is not.
        _ => assert!(all < 2 * BEGINNING, "WebKit does not say what lives in the page"),
    }
}

fn least(of: &[f64]) -> Option<f64> {
    of.iter().copied().reduce(f64::min)
}
