//! A picture of 60 turns: the history grows, and what is sent of it does not.
//!
//! The conversation is replayed by the engine under each policy, as the app would compose it at every question. The
//! same program draws the same picture.

use std::fmt::Write;

use siltstone_engine::Timestamp;
use siltstone_engine::ids::{ConversationId, MessageId};
use siltstone_engine::message::{Message, MessageStatus, Part, Role};
use siltstone_engine::provider::ModelInfo;
use siltstone_engine::replay::Replay;
use siltstone_engine::summary::{Policy, SummarySettings};
use siltstone_engine::tokens::estimate;

use crate::{Outcome, corpus};

const TURNS: usize = 60;

/// The window of the model that is asked.
const WINDOW: u64 = 32_768;

/// Sentences of a question and of a reply, by two of the corpus.
const QUESTION: usize = 3;
const REPLY: usize = 22;

/// Where the curves are drawn: left, top, width, height.
const PLOT: (f64, f64, f64, f64) = (64.0, 56.0, 520.0, 264.0);

/// Tokens at the top.
const TOP: u64 = 60_000;

/// The picture as SVG.
pub fn bounded() -> Outcome<String> {
    let path = path()?;
    let questions = || (0..TURNS).map(|turn| &path[..=turn * 2]);
    let history = questions().map(|path| path.iter().map(|message| message.tokens).sum());
    let history: Vec<u64> = history.collect();
    let under = |policy| -> Outcome<Vec<u64>> {
        let settings = SummarySettings { policy, ..SummarySettings::default() };
        let model = ModelInfo { context_window: Some(WINDOW), ..ModelInfo::named("model") };
        let replay = Replay { settings: &settings, language: "en", model: &model };
        questions().map(|path| Ok(replay.run(path)?.request.tokens)).collect()
    };
    let curves = [
        ("#6b7280", "whole history", history),
        ("#2563eb", "request, Rolling", under(Policy::Rolling)?),
        ("#c2410c", "request, Segments", under(Policy::Segments)?),
    ];
    draw(&curves)
}

fn draw(curves: &[(&str, &str, Vec<u64>)]) -> Outcome<String> {
    let (left, top, width, height) = PLOT;
    let (right, bottom) = (left + width, top + height);
    let x = |turn: usize| left + width * turn as f64 / TURNS as f64;
    let y = |tokens: u64| bottom - height * tokens as f64 / TOP as f64;
    let mut svg = String::from(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 380" font-family="system-ui, sans-serif" font-size="13" fill="#1f2937">
<title>Tokens of the history and of the request, turn by turn</title>
<rect width="760" height="380" fill="#ffffff"/>
<text x="64" y="28" font-size="15" font-weight="600">Tokens at the question of each turn</text>
"##,
    );
    for tokens in (0..=TOP).step_by(20_000) {
        let at = y(tokens);
        writeln!(svg, r##"<path d="M{left} {at:.1}H{right}" stroke="#e5e7eb"/>"##)?;
        let label = format!("{},000", tokens / 1_000)
            .replace("0,000", if tokens == 0 { "0" } else { "0,000" });
        writeln!(
            svg,
            r#"<text x="{}" y="{:.1}" text-anchor="end">{label}</text>"#,
            left - 8.0,
            at + 4.0
        )?;
    }
    for turn in (0..=TURNS).step_by(10) {
        let at = x(turn);
        writeln!(
            svg,
            r#"<text x="{at:.1}" y="{}" text-anchor="middle">{turn}</text>"#,
            bottom + 20.0
        )?;
    }
    writeln!(svg, r#"<text x="{right}" y="{}" text-anchor="end">turn</text>"#, bottom + 40.0)?;
    let mut below = bottom;
    for (colour, name, tokens) in curves {
        write!(svg, r#"<polyline fill="none" stroke="{colour}" stroke-width="2" points=""#)?;
        for (turn, tokens) in tokens.iter().enumerate() {
            write!(svg, "{:.1},{:.1} ", x(turn + 1), y(*tokens))?;
        }
        svg.push_str("\"/>\n");
        // Names stand at the ends of their curves, one above the other.
        let end = tokens.last().copied().map_or(bottom, y);
        let at = if (end - below).abs() < 18.0 { below + 18.0 } else { end };
        below = at;
        writeln!(
            svg,
            r#"<text x="{}" y="{:.1}" fill="{colour}">{name}</text>"#,
            right + 8.0,
            at + 4.0
        )?;
    }
    svg.push_str("</svg>\n");
    Ok(svg)
}

/// The whole conversation; every message says something else.
fn path() -> Outcome<Vec<Message>> {
    let at = Timestamp::UNIX_EPOCH;
    let conversation_id = ConversationId::new(at);
    let mut said = 0;
    let mut path: Vec<Message> = Vec::new();
    for index in 0..TURNS * 2 {
        let (role, sentences) = match index % 2 {
            0 => (Role::User, QUESTION),
            _ => (Role::Assistant, REPLY),
        };
        let text: Vec<String> = (said..said + sentences).map(corpus::text).collect();
        said += sentences;
        let text = text.join(" ");
        path.push(Message {
            id: MessageId::new(at),
            conversation_id,
            parent_id: path.last().map(|last| last.id),
            turn_id: None,
            index: u64::try_from(index)?,
            role,
            tokens: estimate(&text),
            parts: vec![Part::Text { text }],
            status: MessageStatus::Complete,
            model: None,
            created_at: at,
        });
    }
    Ok(path)
}
