//! What a summariser reads: lines of earlier summaries, and messages; each under a mark that it can be cited by. And what
//! an extract is chosen from: the same as clean [prose](crate::prose), without marks, labels and what tools printed.

use std::collections::HashMap;

use super::quote::quote;
use super::receipt::SummaryLine;
use super::record::Record;
use super::text::{cut, fit, said};
use crate::ids::MessageId;
use crate::message::{Message, Role};
use crate::prose::{self, Material};

/// A line of an earlier summary, or a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// What it is cited by; none where nothing is cited.
    mark: Option<String>,
    /// Who said it; nobody, if it is of a summary.
    pub(super) role: Option<Role>,
    /// What it says; of a message quoted.
    pub(super) text: String,
    /// The messages it is of.
    pub(super) sources: Vec<MessageId>,
}

impl Piece {
    /// The piece as it is read.
    pub(super) fn labelled(&self) -> String {
        let text = match self.role {
            Some(role) => label(role, &self.text),
            None => quote(&self.text),
        };
        self.mark.as_ref().map_or(text.clone(), |mark| format!("[{mark}] {text}"))
    }
}

/// `USER: …`, as the Rolling design writes a message; the text is quoted already.
pub(super) fn label(role: Role, text: &str) -> String {
    let name = match role {
        Role::System => "SYSTEM",
        Role::User => "USER",
        Role::Assistant => "ASSISTANT",
        Role::Tool => "TOOL",
    };
    format!("{name}: {text}")
}

/// The earlier summaries, line by line where their lines can be cited.
pub(super) fn summaries(records: &[&Record], cites: bool) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for record in records {
        let whole = SummaryLine::resting_on_all(&record.summary);
        let lines = match record.receipt.lines.as_slice() {
            lines if cites && !lines.is_empty() => lines,
            _ => std::slice::from_ref(&whole),
        };
        for line in lines {
            let mark = cites.then(|| format!("s{}", pieces.len() + 1));
            let (text, sources) = (line.text.clone(), line.sources.clone());
            pieces.push(Piece { mark, role: None, text, sources });
        }
    }
    pieces
}

/// The messages, of each so many characters: where lines are cited up to the end of a sentence or a word, so that no half of a
/// path or a figure is said to stand in a message.
pub(super) fn messages(messages: &[Message], limit: Option<usize>, cites: bool) -> Vec<Piece> {
    let piece = |(at, message): (usize, &Message)| {
        let text = said(message);
        let shortened = if cites { fit } else { cut };
        Piece {
            mark: cites.then(|| format!("m{}", at + 1)),
            role: Some(message.role),
            text: limit.map_or(text.as_str(), |limit| shortened(&text, limit)).to_owned(),
            sources: vec![message.id],
        }
    };
    messages.iter().enumerate().map(piece).collect()
}

/// What a block of prose is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Of {
    /// The place of the piece.
    pub(super) piece: usize,
    /// Whether it tells what was done instead of what was said.
    pub(super) act: bool,
}

/// The earlier summaries and the messages as clean prose: first the pieces of earlier summaries, then one for every message.
pub(super) fn prose(summaries: &[Piece], messages: &[Message], language: &str) -> Material<Of> {
    let mut material = Material::new();
    let mut piece = 0;
    // Lines with the same sources are one text: a point stands under the heading in the line before.
    for lines in summaries.chunk_by(|a, b| a.sources == b.sources) {
        material.add(prose::blocks(&texts(lines)), Of { piece, act: false });
        piece += lines.len();
    }
    for message in messages {
        let acts = prose::acts(message, language);
        material.add(prose::blocks_of(message), Of { piece, act: false });
        material.add(acts.into_iter().collect(), Of { piece, act: true });
        piece += 1;
    }
    material
}

/// What every mark stands for.
pub(super) fn marks<'a>(
    pieces: impl Iterator<Item = &'a Piece>,
) -> HashMap<&'a str, &'a [MessageId]> {
    pieces.filter_map(|it| Some((it.mark.as_deref()?, it.sources.as_slice()))).collect()
}

/// The texts, one below the other.
pub(super) fn texts(pieces: &[Piece]) -> String {
    let texts: Vec<&str> = pieces.iter().map(|piece| piece.text.as_str()).collect();
    texts.join("\n")
}
