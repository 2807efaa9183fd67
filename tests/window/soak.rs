//! An hour of work in one window: what all its processes hold in memory at its end beside its beginning, and what they
//! do while nobody works. `SILTSTONE_SOAK` says for how many minutes instead.

use std::time::{Duration, Instant};

use serde_json::Value;
use siltstone_test_servers::processes::{pss, ticks, tree};

use crate::support::{Page, Start, Window, folder, scripted, slow_reply, wait};

/// Messages of the conversation that is gone back to.
const LONG: usize = 4_000;

/// Megabytes that may be more at the end: caches fill, and what was said meanwhile is there.
const MORE: u64 = 20;

/// How long nobody works at the end.
const IDLE: Duration = Duration::from_secs(60);

impl Window {
    /// Everything that is done again and again.
    fn work(&self, round: usize) {
        self.keys("Control+k");
        self.control("combobox", "palette:title").type_text("Long talk");
        wait("the conversation", || self.all_like("option", "Long talk").into_iter().next());
        self.keys("Enter");
        wait("its end", || (self.drawn().last()?.place == LONG as u64).then_some(()));
        self.to_the_first();

        self.new_conversation();
        for turn in 1..=3 {
            self.ask(&format!("Round {round}, {turn}: what then?"));
        }
        for pane in ["Control+Shift+s", "Control+Shift+h", "Control+Shift+i"] {
            self.keys(pane);
            self.still();
        }
        self.keys("Control+m");
        self.control("tab", "memory:edit.diff");
        self.still();
        self.keys("Control+m");
        self.composer();

        self.keys("Control+Shift+f");
        self.control("searchbox", "search:field").type_text("number 17");
        wait("hits", || self.all_like("button", "Long talk").into_iter().next());
        self.dismiss();
        for page in ["general", "models", "summaries", "data"] {
            self.settings(page);
        }
        self.dismiss();
    }

    /// All processes of the program.
    fn processes(&self) -> Vec<u32> {
        self.programs().into_iter().flat_map(tree).collect()
    }

    /// Megabytes that they hold at rest: the least of ten seconds, in which garbage is collected.
    fn held(&self) -> u64 {
        let now = |_| {
            std::thread::sleep(Duration::from_secs(1));
            self.processes().into_iter().map(pss).sum::<u64>() / 1_000
        };
        (0..10).map(now).min().unwrap_or_default()
    }

    /// Hundredths of a second that they have computed.
    fn computed(&self) -> u64 {
        self.processes().into_iter().map(ticks).sum()
    }

    /// What the page consists of.
    fn nodes(&self) -> Value {
        self.browser().run("return document.querySelectorAll('*').length", vec![])
    }
}

#[test]
#[ignore = "an hour; its figures stand in docs/performance.md"]
fn an_hour_of_work_leaves_nothing_behind_in_memory() {
    let minutes = std::env::var("SILTSTONE_SOAK").ok().and_then(|minutes| minutes.parse().ok());
    let all = Duration::from_secs(60 * minutes.unwrap_or(60));
    let project = folder::project();
    let server = scripted(&[slow_reply("what then", 200)]);
    let start = Start::new("en").argument(project.path());
    let silt = start.silt();
    silt.open_project(project.path());
    silt.connect("scripted", &server.base_url(), "gpt-4o");
    let said = |number| match number % 2 {
        0 => ("user", format!("Question number {number}: what about it?")),
        _ => ("assistant", format!("Answer number {number}. {}", "More words. ".repeat(40))),
    };
    let messages: Vec<_> = (0..LONG).map(said).collect();
    silt.import_into(&project.path().display().to_string(), "Long talk", &messages);
    let window = start.window();
    window.composer();
    println!("opened: {} MB", window.held());
    let begun = Instant::now();
    let mut held = Vec::new();
    while begun.elapsed() < all {
        window.work(held.len() + 1);
        held.push(window.held());
        let (minute, nodes) = (begun.elapsed().as_secs() / 60, window.nodes());
        println!("round {}, minute {minute}: {:?} MB, {nodes} nodes", held.len(), held.last());
    }
    let before = window.computed();
    std::thread::sleep(IDLE);
    let idle = (window.computed() - before) as f64 / IDLE.as_secs_f64();
    println!("idle: {idle:.2} % of a processor");
    let (first, last) = (held[0], held[held.len() - 1]);
    assert!(last <= first + MORE, "{first} MB after the first round, {last} MB after the last");
}
