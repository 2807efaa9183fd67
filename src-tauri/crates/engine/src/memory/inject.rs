//! What of memory goes into a request, and why (behaviour.md, Memory).
//!
//! A static file goes whole; of a dynamic one go the sections whose headings or files the task names; a lazy one goes
//! when a word of `when:`, a path of `paths:` or, where it has neither, its own topic is mentioned. A directory's file
//! goes when the task touches the directory, and `paths:` limits any other file. Rules go whatever a file's way is, as
//! long as the task is within what the file is about. The files come first and the added lines last, because those
//! change most. Nothing here looks at the room there is: that is [`crate::prompt::frame`]'s.

mod task;

use serde::{Deserialize, Serialize};

use super::expand::Expanded;
use super::lines::{self, Kind, Line};
use super::{
    FileChoice, FileRecord, Injection, LineKind, MEMORY_NAMES, MemoryFile, MemoryLayer, MemoryLine,
};
use super::{Refusal, must};
use crate::project::is_never_sent;
use crate::prompt::MemoryText;
use crate::section::{LeftOut, LeftOutWhy, id_of_memory};
use crate::tokens;

use task::Task;

/// What the person is about to do.
#[derive(Clone, Copy, Debug, Default)]
pub struct TaskAtHand<'a> {
    /// The message, sent or still being written.
    pub draft: &'a str,
    /// Paths of files and directories it is about, relative to the root: named, open, used by tools.
    pub touched: &'a [String],
}

/// The paths that a message names in plain words, as they are written, absolute ones among them; a pasted log names few.
pub fn paths_in(draft: &str) -> impl Iterator<Item = &str> {
    task::named(draft)
}

/// Why a text of memory is in a request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum InjectedWhy {
    /// It always goes.
    #[default]
    Always,
    /// The task is within its directory.
    Directory {
        /// The path that is.
        path: String,
        /// Whether the message names it; else it is open, the shell is there, or a tool uses it.
        #[serde(default)]
        named: bool,
    },
    /// The task is within the paths it is about.
    Paths {
        /// The path that is.
        path: String,
        /// The same.
        #[serde(default)]
        named: bool,
    },
    /// The task touches these of its headings.
    Headings {
        /// The headings; empty for a file without any.
        headings: Vec<String>,
    },
    /// Its topic is mentioned.
    Mentioned {
        /// The word.
        word: String,
    },
    /// Only its rules go, which go with every request.
    Must,
    /// The person or a tool added it.
    Added {
        /// How many lines it is.
        lines: u32,
    },
    /// The person chose this skill for the conversation: its instructions are theirs.
    Skill,
    /// The person keeps it for the conversation: data of a tool, a file or a server, and no word of theirs.
    Kept {
        /// What it is of.
        kind: LineKind,
    },
}

/// Memory for one request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Injected {
    /// What goes, in the order in which it is read.
    pub texts: Vec<MemoryText>,
    /// What does not, and why.
    pub left_out: Vec<LeftOut>,
}

/// Chooses for a task. `choices` are what is known of the files, in any order.
pub fn inject(
    files: &[Expanded],
    choices: &[FileRecord],
    lines: &[MemoryLine],
    task: &TaskAtHand<'_>,
) -> Injected {
    let task = Task::of(task);
    let mut files: Vec<&Expanded> = files.iter().collect();
    files.sort_by_key(|it| it.file.layer);
    let mut injected = Injected::default();
    for file in files {
        let record = choices.iter().find(|record| record.path == file.file.path);
        let choice = record.map(|record| record.choice.clone()).unwrap_or_default();
        match chosen(file, &choice, &task) {
            Ok(goes) => injected.take(file, goes),
            Err(why) => injected.leave_out(file, file.tokens, why),
        }
    }
    for layer in [MemoryLayer::Session, MemoryLayer::Runtime] {
        injected.texts.extend(added(lines, layer));
    }
    injected.texts.extend(lines.iter().filter_map(skill));
    injected.texts.extend(lines.iter().filter_map(kept));
    injected
}

impl Injected {
    fn take(&mut self, file: &Expanded, goes: Goes) {
        let whole = file.text();
        let must = must::rules(&whole);
        let (text, why) = match goes {
            Goes::Whole(why) => (whole, why),
            Goes::Sections(text, headings) => (text, InjectedWhy::Headings { headings }),
            Goes::NotMentioned => {
                let rules = must.as_deref().map_or(0, tokens::estimate);
                let rest = file.tokens.saturating_sub(rules);
                self.leave_out(file, rest, LeftOutWhy::NotMentioned);
                (String::new(), InjectedWhy::Must)
            }
        };
        let MemoryFile { path, layer, .. } = file.file.clone();
        let text = if why == InjectedWhy::Must { must.clone().unwrap_or_default() } else { text };
        let memory = MemoryText { path, text, layer, why, must };
        self.texts.extend(Some(memory).filter(|memory| !memory.text.trim().is_empty()));
    }

    fn leave_out(&mut self, file: &Expanded, tokens: u64, why: LeftOutWhy) {
        let path = &file.file.path;
        let id = Some(id_of_memory(path));
        self.left_out.push(LeftOut { id, ..LeftOut::new(path, tokens, why) });
    }
}

/// What of a file goes.
enum Goes {
    Whole(InjectedWhy),
    /// These, and the headings that are touched.
    Sections(String, Vec<String>),
    /// Nothing but its rules.
    NotMentioned,
}

fn chosen(it: &Expanded, choice: &FileChoice, task: &Task<'_>) -> Result<Goes, LeftOutWhy> {
    let MemoryFile { path, layer, dir, same_as, refused, .. } = &it.file;
    if let Some(refusal) = refused {
        return Err(refused_why(refusal, path));
    }
    if !choice.on {
        return Err(LeftOutWhy::Off);
    }
    if same_as.is_some() {
        return Err(LeftOutWhy::Duplicate);
    }
    let mut why = InjectedWhy::Always;
    if *layer == MemoryLayer::Directory {
        let path = task.in_directory(dir).ok_or(LeftOutWhy::NotTouched)?;
        why = InjectedWhy::Directory { path: path.to_owned(), named: task.names(path) };
    }
    let front = &it.front;
    let injection = choice.injection.or(front.injection).unwrap_or_default();
    let within = task.within(&front.paths, dir);
    if let Some(path) = within {
        why = InjectedWhy::Paths { path: path.to_owned(), named: task.names(path) };
    }
    let is_bound = !front.paths.is_empty() && within.is_none();
    Ok(match injection {
        Injection::Lazy => match task.mentions(&topic(it)) {
            Some(word) => Goes::Whole(InjectedWhy::Mentioned { word }),
            None if within.is_some() => Goes::Whole(why),
            None if is_bound => return Err(LeftOutWhy::NotTouched),
            None => Goes::NotMentioned,
        },
        _ if is_bound => return Err(LeftOutWhy::NotTouched),
        Injection::Static => Goes::Whole(why),
        Injection::Dynamic => sections(it, task),
    })
}

fn refused_why(refusal: &Refusal, path: &str) -> LeftOutWhy {
    match refusal {
        Refusal::Excluded if is_never_sent(path.rsplit('/').next().unwrap_or(path)) => {
            LeftOutWhy::NeverSent
        }
        Refusal::Excluded => LeftOutWhy::Excluded,
        Refusal::Outside => LeftOutWhy::Outside,
        Refusal::Missing | Refusal::Unreadable { .. } => LeftOutWhy::Unreadable,
        _ => LeftOutWhy::Refused,
    }
}

/// The word of a file's topic that a text mentions, in this word or another one that means the same; for a search, so whenever
/// the file goes.
pub fn spoken_of(file: &Expanded, text: &str) -> Option<String> {
    Task::of(&TaskAtHand { draft: text, touched: &[] }).mentions(&topic(file))
}

/// The words that a lazy file waits for: those it names, else those of its own name and headings.
fn topic(it: &Expanded) -> task::Topic {
    if !it.front.when.is_empty() || !it.front.paths.is_empty() {
        return task::Topic::Words(it.front.when.clone());
    }
    let name = it.file.path.rsplit('/').next().unwrap_or_default();
    let is_own = !MEMORY_NAMES.iter().any(|known| known.rsplit('/').next() == Some(name));
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let text = it.text();
    let lines = lines::lines(&text);
    let headings = lines.iter().filter(|line| matches!(line.kind, Kind::Heading(_)));
    let headings = headings.map(|line| lines::heading(line.text));
    let words: Vec<&str> = is_own.then_some(stem).into_iter().chain(headings).collect();
    task::Topic::Text(words.join("\n"))
}

/// The sections of a file that a task touches, below what stands above them.
fn sections(it: &Expanded, task: &Task<'_>) -> Goes {
    let text = it.text();
    let lines = lines::lines(&text);
    let mut keep = vec![false; lines.len()];
    let mut headings = Vec::new();
    let mut starts: Vec<(usize, usize)> = lines.iter().enumerate().filter_map(level).collect();
    // What stands under the title alone introduces the rest.
    if let [(_, 1), below @ ..] = &starts[..]
        && !below.is_empty()
        && below.iter().all(|(_, level)| *level > 1)
    {
        starts.remove(0);
    }
    let preamble = starts.first().map_or(lines.len(), |(at, _)| *at);
    let mut touched = task.names_a_file_in(&joined(&lines[..preamble]));
    let mut above: Vec<(usize, usize)> = Vec::new();
    for (place, (at, level)) in starts.iter().enumerate() {
        let end = starts.get(place + 1).map_or(lines.len(), |(next, _)| *next);
        above.retain(|(_, of)| of < level);
        above.push((*at, *level));
        let heading = lines::heading(lines[*at].text);
        let below = starts[place + 1..].iter().find(|(_, other)| other <= level);
        let whole = below.map_or(lines.len(), |(next, _)| *next);
        if task.is_about(heading) {
            keep[*at..whole].fill(true);
        } else if task.names_a_file_in(&joined(&lines[*at..end])) {
            keep[*at..end].fill(true);
        } else {
            continue;
        }
        headings.push(heading.to_owned());
        above.iter().for_each(|(heading, _)| keep[*heading] = true);
        touched = true;
    }
    if !touched {
        return Goes::NotMentioned;
    }
    keep[..preamble].fill(true);
    let rules = must::kept(&lines);
    keep.iter_mut().zip(rules).for_each(|(keep, rule)| *keep |= rule);
    let kept = lines.iter().zip(keep).filter(|(_, keep)| *keep).map(|(line, _)| *line);
    Goes::Sections(joined(&kept.collect::<Vec<_>>()), headings)
}

fn level((at, line): (usize, &Line<'_>)) -> Option<(usize, usize)> {
    match line.kind {
        Kind::Heading(level) => Some((at, level)),
        _ => None,
    }
}

fn joined(lines: &[Line<'_>]) -> String {
    lines.iter().map(|line| line.text).collect::<Vec<_>>().join("\n")
}

/// The added lines of a layer, as one text.
fn added(lines: &[MemoryLine], layer: MemoryLayer) -> Option<MemoryText> {
    let said = lines.iter().filter(|line| {
        line.kind == LineKind::Added && line.layer() == layer && line.removed_at.is_none()
    });
    let said: Vec<String> = said.map(|line| super::clean(line.text.trim()).into_owned()).collect();
    let rules: Vec<&str> =
        said.iter().map(String::as_str).filter(|text| must::rules(text).is_some()).collect();
    let must = (!rules.is_empty()).then(|| rules.join("\n"));
    let why = InjectedWhy::Added { lines: u32::try_from(said.len()).unwrap_or(u32::MAX) };
    let path = if layer == MemoryLayer::Session { "session memory" } else { "runtime memory" };
    let text = said.join("\n");
    let memory = MemoryText { path: path.to_owned(), text, layer, why, must };
    (!memory.text.is_empty()).then_some(memory)
}

/// A skill that was chosen, by itself.
fn skill(line: &MemoryLine) -> Option<MemoryText> {
    let goes = line.kind == LineKind::Skill && line.removed_at.is_none();
    goes.then(|| MemoryText {
        path: line.kept_as(),
        text: super::clean(&line.text).into_owned(),
        layer: line.layer(),
        why: InjectedWhy::Skill,
        must: None,
    })
}

/// What was kept of a tool, a file or a server, by itself: it is quoted, and rules in it are none.
fn kept(line: &MemoryLine) -> Option<MemoryText> {
    if matches!(line.kind, LineKind::Added | LineKind::Skill) || line.removed_at.is_some() {
        return None;
    }
    Some(MemoryText {
        path: line.kept_as(),
        text: super::clean(&line.text).into_owned(),
        layer: line.layer(),
        why: InjectedWhy::Kept { kind: line.kind },
        must: None,
    })
}
