//! What folds keep: the project's own working chats under summaries of chosen sentences, with more and more room for the
//! facts that go with them. Everything is counted, nothing is timed; the same program gives the same figures.

use std::fmt::Write;

use siltstone_engine::Timestamp;
use siltstone_engine::export;
use siltstone_engine::ledger::{Category, Measured, Retention, measure};
use siltstone_engine::message::Message;
use siltstone_engine::provider::ModelInfo;
use siltstone_engine::replay::Replay;
use siltstone_engine::summary::{Policy, Rate, Record, SummarySettings};

use crate::Outcome;

macro_rules! chats {
    ($($name:literal),*) => {
        [$(($name, include_str!(concat!("../../support/chats/", $name, ".jsonl")))),*]
    };
}

const CHATS: [(&str, &str); 8] = chats!(
    "en-billing",
    "en-cluster",
    "en-survey",
    "en-sync",
    "ko-launch",
    "ko-settlement",
    "ko-thesis",
    "ko-wiki"
);

/// Length of the summaries.
const RATE: f64 = 0.3;

/// Percent of the summaries' tokens that the facts beside them may have.
const BUDGETS: [u8; 7] = [0, 5, 10, 15, 20, 25, 30];

/// Where the curves are drawn: left, top, width, height.
const PLOT: (f64, f64, f64, f64) = (64.0, 56.0, 470.0, 264.0);

/// What all chats together keep at one budget.
struct Row {
    budget: u8,
    all: Retention,
    used_again: Retention,
    source_tokens: u64,
    summary_tokens: u64,
    kept_tokens: u64,
}

/// A column of the table and a curve of the picture.
struct Column {
    name: &'static str,
    colour: &'static str,
    category: Category,
    used_again: bool,
}

const COLUMNS: [Column; 6] = [
    Column {
        name: "constraints",
        colour: "#b91c1c",
        category: Category::Constraint,
        used_again: false,
    },
    Column {
        name: "decisions",
        colour: "#c2410c",
        category: Category::Decision,
        used_again: false,
    },
    Column {
        name: "paths used again",
        colour: "#2563eb",
        category: Category::Path,
        used_again: true,
    },
    Column {
        name: "commands used again",
        colour: "#7c3aed",
        category: Category::Command,
        used_again: true,
    },
    Column {
        name: "numbers used again",
        colour: "#0f766e",
        category: Category::Number,
        used_again: true,
    },
    Column {
        name: "all numbers",
        colour: "#6b7280",
        category: Category::Number,
        used_again: false,
    },
];

impl Row {
    fn percent(&self, column: &Column) -> f64 {
        let of = if column.used_again { &self.used_again } else { &self.all };
        100.0 * of.of(column.category).map_or(1.0, |share| share.rate())
    }
}

/// The tables as Markdown.
pub fn tables() -> Outcome<String> {
    let rows = rows()?;
    let mut text = String::from("\n### Folds: what is kept, by the budget of kept facts\n\n");
    text.push_str("| budget | source | summary | kept facts |");
    COLUMNS.iter().try_for_each(|column| write!(text, " {} |", column.name))?;
    text.push_str("\n|---:|---:|---:|---:|");
    text.push_str(&"---:|".repeat(COLUMNS.len()));
    for row in &rows {
        write!(
            text,
            "\n| {} % | {} | {} | {} |",
            row.budget, row.source_tokens, row.summary_tokens, row.kept_tokens
        )?;
        COLUMNS.iter().try_for_each(|column| write!(text, " {:.1} % |", row.percent(column)))?;
    }
    text.push_str("\n\n### The same by kind, without kept facts and with a fifth\n\n");
    text.push_str("| kind | in the chats | without | with |\n|---|---:|---:|---:|\n");
    let at = |budget| rows.iter().find(|row| row.budget == budget).map(|row| &row.all);
    if let (Some(without), Some(with)) = (at(0), at(20)) {
        for (without, with) in without.shares.iter().zip(&with.shares) {
            let name = without.category.name();
            let (before, after) = (100.0 * without.rate(), 100.0 * with.rate());
            writeln!(text, "| {name} | {} | {before:.1} % | {after:.1} % |", without.in_source)?;
        }
    }
    Ok(text)
}

fn rows() -> Outcome<Vec<Row>> {
    let read = |(name, text): &(&str, &str)| {
        folded(name, export::import(text, name, Timestamp::UNIX_EPOCH)?.messages)
    };
    let chats = CHATS.iter().map(read).collect::<Outcome<Vec<_>>>()?;
    let row = |budget: u8| {
        let mut row = Row {
            budget,
            all: Retention::default(),
            used_again: Retention::default(),
            source_tokens: 0,
            summary_tokens: 0,
            kept_tokens: 0,
        };
        for (language, path, summaries) in &chats {
            let share = f64::from(budget) / 100.0;
            let measured: Measured = measure(path, summaries, share, language);
            row.all.add(&measured.retention);
            row.used_again.add(&measured.used_again);
            row.source_tokens += measured.source_tokens;
            row.summary_tokens += measured.summary_tokens;
            row.kept_tokens += measured.kept_tokens;
        }
        row
    };
    Ok(BUDGETS.into_iter().map(row).collect())
}

/// A chat, its language and the summaries that hold at its end.
pub(crate) fn folded(
    name: &str,
    path: Vec<Message>,
) -> Outcome<(String, Vec<Message>, Vec<Record>)> {
    let rate = Rate::from(RATE);
    let settings = SummarySettings {
        policy: Policy::Segments,
        by_numbers: Some(true),
        rate,
        ..SummarySettings::default()
    };
    let language = name.chars().take(2).collect::<String>();
    let model = ModelInfo::named("model");
    let replay = Replay { settings: &settings, language: &language, model: &model };
    let summaries = replay.run(&path)?.summaries;
    Ok((language, path, summaries))
}

/// The curve as SVG.
pub fn picture() -> Outcome<String> {
    let rows = rows()?;
    let (left, top, width, height) = PLOT;
    let (right, bottom) = (left + width, top + height);
    let most = f64::from(BUDGETS[BUDGETS.len() - 1]);
    let x = |budget: u8| left + width * f64::from(budget) / most;
    let y = |percent: f64| bottom - height * percent / 100.0;
    let mut svg = String::from(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 380" font-family="system-ui, sans-serif" font-size="13" fill="#1f2937">
<title>What summaries of chosen sentences keep, by the budget of kept facts</title>
<rect width="760" height="380" fill="#ffffff"/>
<text x="64" y="28" font-size="15" font-weight="600">Kept of eight working chats, folded to three tenths</text>
"##,
    );
    for percent in (0..=100).step_by(25) {
        let at = y(f64::from(percent));
        writeln!(svg, r##"<path d="M{left} {at:.1}H{right}" stroke="#e5e7eb"/>"##)?;
        let (at, before) = (at + 4.0, left - 8.0);
        writeln!(svg, r#"<text x="{before}" y="{at:.1}" text-anchor="end">{percent} %</text>"#)?;
    }
    for budget in BUDGETS {
        let (at, below) = (x(budget), bottom + 20.0);
        writeln!(svg, r#"<text x="{at:.1}" y="{below}" text-anchor="middle">{budget} %</text>"#)?;
    }
    let below = bottom + 40.0;
    writeln!(
        svg,
        r#"<text x="{right}" y="{below}" text-anchor="end">kept facts, of the summary's tokens</text>"#
    )?;
    let mut labels: Vec<(f64, &Column)> = Vec::new();
    for column in &COLUMNS {
        let colour = column.colour;
        write!(svg, r#"<polyline fill="none" stroke="{colour}" stroke-width="2" points=""#)?;
        for row in &rows {
            write!(svg, "{:.1},{:.1} ", x(row.budget), y(row.percent(column)))?;
        }
        svg.push_str("\"/>\n");
        labels.push((rows.last().map_or(bottom, |row| y(row.percent(column))), column));
    }
    // Names stand at the ends of their curves, one below the other.
    labels.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut above = f64::MIN;
    for (end, column) in labels {
        let at = end.max(above + 18.0);
        above = at;
        let (name, colour, from) = (column.name, column.colour, right + 8.0);
        writeln!(svg, r#"<text x="{from}" y="{:.1}" fill="{colour}">{name}</text>"#, at + 4.0)?;
    }
    svg.push_str("</svg>\n");
    Ok(svg)
}
