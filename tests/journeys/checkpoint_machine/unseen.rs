//! What a person wrote and no checkpoint of ordinary work saw: texts that were never anywhere, restores of the same
//! checkpoint again and again, and what may become of such a text.

use std::collections::BTreeSet;
use std::fs;

use proptest::sample::Index;
use siltstone_contract::{PlannedFile, RunRestore};
use siltstone_engine::checkpoint::{Action, Why};
use siltstone_engine::ids::CheckpointId;

use super::{Files, Machine, NAMES, disk};

impl Machine {
    /// A text that was never anywhere.
    pub(super) fn text(&mut self, by: &str) -> String {
        self.made += 1;
        let text = format!("{by} {}\n", self.made);
        self.unseen.insert(text.clone().into_bytes());
        text
    }

    /// Whether there was room for it.
    pub(super) fn edit(&mut self, name: usize) -> bool {
        let text = self.text("mine");
        let path = self.root().join(NAMES[name]);
        fs::create_dir_all(path.parent().unwrap()).is_ok() && fs::write(path, text).is_ok()
    }

    /// The same plan says the same however often it is asked and carried out, whatever is edited meanwhile.
    pub(super) async fn again(&mut self, which: &Index, times: u8, edits: &[Vec<usize>]) {
        let Some(id) = self.pick(which) else { return };
        let first = self.plan(id).await.files;
        for _ in 1..times {
            assert_eq!(self.plan(id).await.files, first, "asked {times} times");
        }
        let mut last: Option<Vec<PlannedFile>> = None;
        for edited in edits.iter().take(times.into()) {
            let edited: Vec<&str> =
                edited.iter().filter(|name| self.edit(**name)).map(|name| NAMES[*name]).collect();
            let (first, planned) = (self.plan(id).await.files, self.plan(id).await);
            assert_eq!(first, planned.files, "asked twice");
            let others = |files: &[PlannedFile]| -> Vec<(String, Action, Why)> {
                let touched = |path: &str| edited.iter().any(|name| !are_apart(path, name));
                let others = files.iter().filter(|file| !touched(&file.path));
                others.map(|file| (file.path.clone(), file.action, file.why)).collect()
            };
            if let Some(last) = &last {
                assert_eq!(others(&first), others(last), "carried out before");
            }
            let before = disk(self.root());
            let run = RunRestore { plan_id: planned.plan_id, choices: Vec::new() };
            let done = self.app.checkpoint_restore(run).await.unwrap();
            self.held.insert(done.before, before.clone());
            self.check_against(&before, &[id], true);
            self.check_unseen(&before, &BTreeSet::new(), &[id]);
            self.note_put(&before, &[done.before]);
            let stays = |file: &PlannedFile| {
                matches!(file.action, Action::Conflict | Action::Skip)
                    || done.failed.iter().any(|failed| failed.path == file.path)
            };
            last = Some(first.into_iter().filter(stays).collect());
        }
    }

    /// What the person wrote and nobody has seen stays, unless they chose otherwise; the way back of a restore takes away
    /// what that one put there.
    pub(super) fn check_unseen(
        &self,
        before: &Files,
        chosen: &BTreeSet<String>,
        targets: &[CheckpointId],
    ) {
        let after = disk(self.root());
        let put = |path: &String, text: &Vec<u8>| {
            let mut put = targets.iter().filter_map(|id| self.put.get(id)).flatten();
            put.any(|(at, was)| at == path && was == text)
        };
        for (path, text) in before.iter().filter(|(_, text)| self.unseen.contains(*text)) {
            if !chosen.contains(path) && !put(path, text) {
                assert_eq!(after.get(path), Some(text), "{path} was replaced unasked");
            }
        }
    }

    /// What a restore made of paths.
    pub(super) fn note_put(&mut self, before: &Files, guards: &[CheckpointId]) {
        let after = disk(self.root());
        for guard in guards {
            let put = after.iter().filter(|(path, text)| before.get(*path) != Some(*text));
            let put = put.map(|(path, text)| (path.clone(), text.clone()));
            self.put.entry(*guard).or_default().extend(put);
        }
    }
}

/// Whether neither of two paths is, or lies below, the other one.
fn are_apart(one: &str, other: &str) -> bool {
    one != other && !one.starts_with(&format!("{other}/")) && !other.starts_with(&format!("{one}/"))
}
