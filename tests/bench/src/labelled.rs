//! What folds keep of the project's own long chats, held against what readers put down who knew neither the program nor
//! its rules: `tests/recall/*.kept.json`, one label a line, with the words that a summary must still say.
//!
//! Half of the chats are told apart, those by which nothing was chosen. Counted, not timed.

use std::fmt::Write;

use serde::Deserialize;
use siltstone_engine::Timestamp;
use siltstone_engine::export;
use siltstone_engine::ledger::measure;
use siltstone_engine::message::Message;
use siltstone_engine::recall::trial::Conversation;
use siltstone_engine::tokens::estimate;

use crate::Outcome;
use crate::folds::folded;
use crate::recall::{UNLOOKED, chats};

const KINDS: [&str; 6] = ["constraint", "decision", "path", "command", "number", "other"];

/// Shares of the summaries' tokens that the facts beside them may have.
const SHARES: [f64; 2] = [0.0, 0.2];

/// Something that has to be known after a fold.
#[derive(Debug, Deserialize)]
struct Label {
    kind: String,
    /// The message that says it, counted from 0.
    at: usize,
    /// Its words there.
    says: String,
    /// What of them has to be told, in one line.
    needles: Vec<String>,
    /// It does not hold any more at the end.
    #[serde(default)]
    replaced: bool,
}

/// A chat with what is told of it.
struct Told {
    name: &'static str,
    labels: Vec<Label>,
    covered: usize,
    /// Lines of the summaries and of the facts beside them, for each share.
    lines: [Vec<String>; 2],
    tokens: [(u64, u64); 2],
    source: u64,
}

/// The table, and with `missed` what is not told.
pub fn table(missed: bool) -> Outcome<String> {
    let own = chats::own()?;
    let mut told = Vec::new();
    for (name, labels) in chats::AT_LENGTH {
        let chat = own.conversations.iter().find(|it| it.id == name).ok_or("no such chat")?;
        told.push(read(name, labels, chat)?);
    }
    let mut out = String::from("\n### Folds of long chats, by what a reader put down\n\n");
    out.push_str("| | source | summary | kept facts |");
    KINDS.iter().try_for_each(|kind| write!(out, " {kind} |"))?;
    out.push_str(" all |\n|---|---:|---:|---:|");
    out.push_str(&"---:|".repeat(KINDS.len() + 1));
    out.push('\n');
    for (title, unlooked) in [("looked", false), ("unlooked", true)] {
        for language in ["ko", "en"] {
            let of = |it: &&Told| {
                it.name.starts_with(language) && UNLOOKED.contains(&it.name) == unlooked
            };
            let chosen: Vec<&Told> = told.iter().filter(of).collect();
            for at in 0..SHARES.len() {
                let sum = |of: &dyn Fn(&Told) -> u64| chosen.iter().map(|it| of(it)).sum::<u64>();
                let (source, summary, kept) =
                    (sum(&|it| it.source), sum(&|it| it.tokens[at].0), sum(&|it| it.tokens[at].1));
                write!(out, "| {language}, {title} | {source} | {summary} | {kept} |")?;
                for kind in KINDS.iter().map(|it| Some(*it)).chain([None]) {
                    let counts = chosen.iter().map(|it| it.count(at, kind));
                    let (all, kept) = counts.fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
                    let share = 100.0 * f64::from(kept) / f64::from(all.max(1));
                    write!(out, " {share:.1} % of {all} |")?;
                }
                out.push('\n');
            }
        }
    }
    if missed {
        for it in told.iter().filter(|it| !UNLOOKED.contains(&it.name)) {
            it.missed(&mut out)?;
        }
    }
    Ok(out)
}

fn read(name: &'static str, labels: &str, chat: &Conversation) -> Outcome<Told> {
    let lines: Vec<String> = chat
        .turns
        .iter()
        .map(|it| serde_json::json!({"role": it.speaker, "content": it.text}).to_string())
        .collect();
    let path: Vec<Message> =
        export::import(&lines.join("\n"), name, Timestamp::UNIX_EPOCH)?.messages;
    let (language, path, summaries) = folded(name, path)?;
    let covered = summaries.last().map_or(0, |it| it.coverage.end() as usize);
    let source = path[..covered].iter().map(|it| it.tokens).sum();
    let mut tokens = [(0, 0); 2];
    let lines = SHARES.map(|share| {
        let measured = measure(&path, &summaries, share, &language);
        let texts = summaries.iter().map(|it| it.summary.as_str());
        let texts: Vec<&str> = texts.chain([measured.kept.as_str()]).collect();
        let at = usize::from(share > 0.0);
        tokens[at] = (measured.summary_tokens, estimate(&measured.kept));
        texts.iter().flat_map(|it| it.lines()).map(plain).collect()
    });
    let labels = serde_json::from_str(labels)?;
    Ok(Told { name, labels, covered, lines, tokens, source })
}

/// A text as it is compared: without capitals, marks of Markdown and more than one blank.
fn plain(text: &str) -> String {
    let bare: String = text.chars().filter(|c| !matches!(c, '*' | '`' | '_' | '"')).collect();
    bare.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Told {
    /// What holds at the end and was folded.
    fn wanted(&self, kind: Option<&str>) -> impl Iterator<Item = &Label> {
        let of = move |it: &&Label| {
            !it.replaced && it.at < self.covered && kind.is_none_or(|kind| it.kind == kind)
        };
        self.labels.iter().filter(of)
    }

    fn keeps(&self, at: usize, label: &Label) -> bool {
        let needles: Vec<String> = label.needles.iter().map(|it| plain(it)).collect();
        self.lines[at].iter().any(|line| needles.iter().all(|it| line.contains(it.as_str())))
    }

    fn count(&self, at: usize, kind: Option<&str>) -> (u32, u32) {
        self.wanted(kind)
            .fold((0, 0), |(all, kept), it| (all + 1, kept + u32::from(self.keeps(at, it))))
    }

    fn missed(&self, out: &mut String) -> Outcome<()> {
        writeln!(out, "\n{}", self.name)?;
        for it in self.wanted(None).filter(|it| !self.keeps(1, it)) {
            writeln!(out, "- {} m{}: {} {:?}", it.kind, it.at, it.says, it.needles)?;
        }
        Ok(())
    }
}
