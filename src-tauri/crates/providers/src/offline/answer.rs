//! The text of an offline answer: what was looked through, then the quotes, each with its link.

use std::collections::HashSet;

use siltstone_engine::fence;
use siltstone_engine::message::Role;
use siltstone_engine::provider::ModelRequest;
use siltstone_engine::section::{Reason, Section, SectionKind};
use siltstone_engine::summary::asked_in;

use super::question;
use super::quote::{self, Quote, is_recalled, said};
use super::texts::{EN, KO, Looked, Texts};

/// File names whose text is prose, by their ending; files without one (README, LICENSE) are prose too.
const PROSE: [&str; 7] = ["md", "markdown", "txt", "rst", "adoc", "org", "mdx"];

/// The answer to a request, or the rest of one that was cut off.
pub(super) fn to(request: &ModelRequest) -> String {
    let sections = &request.sections;
    let Some((ask, before)) = sections.split_last() else {
        return answer("", &[], &request.language);
    };
    if ask.reason != Reason::Continue {
        return answer(asked_in(&ask.text), before, &request.language);
    }
    let asked = before
        .iter()
        .rposition(|section| section.kind == SectionKind::Turn && section.role == Role::User);
    let Some(asked) = asked else {
        return answer("", before, &request.language);
    };
    // Passages and context stand after the messages.
    let is_said = |section: &&Section| section.kind == SectionKind::Turn;
    let partial = before[asked + 1..].iter().filter(is_said).map(|section| section.text.as_str());
    let beside = before[asked + 1..].iter().filter(|section| !is_said(section));
    let sources: Vec<Section> = before[..asked].iter().chain(beside).cloned().collect();
    let whole = answer(&before[asked].text, &sources, &request.language);
    rest(&whole, &partial.collect::<String>())
}

/// What comes after the part that is there already.
fn rest(whole: &str, partial: &str) -> String {
    let shared: usize = whole
        .chars()
        .zip(partial.chars())
        .take_while(|(a, b)| a == b)
        .map(|(c, _)| c.len_utf8())
        .sum();
    whole[shared..].to_owned()
}

fn answer(question: &str, sections: &[Section], language: &str) -> String {
    let texts = question::language_of(question, language);
    let mut sources: Vec<&Section> = sections.iter().filter(|section| is_source(section)).collect();
    // Of equals, what a file says comes before what was said about it.
    sources.sort_by_key(|section| section.kind == SectionKind::Turn || is_recalled(section));
    let looked = looked(&sources);
    let mut blocks = vec![texts.opening.to_owned()];
    if sources.is_empty() {
        blocks.push(format!("{} {}", texts.nothing_to_look, texts.advice));
        return blocks.join("\n\n");
    }
    let quotes = quote::find(question, &sources);
    let through = (texts.looked)(looked);
    if quotes.is_empty() {
        blocks.push(format!("{through} {} {}", texts.nothing_found, texts.advice));
    } else {
        blocks.push(format!("{through} {}", texts.found));
        blocks.extend(quotes.iter().map(|quote| shown(quote, texts)));
    }
    blocks.join("\n\n")
}

/// Files and messages may be quoted; our own earlier answers only repeat what is quoted in them.
fn is_source(section: &Section) -> bool {
    let is_said = || {
        let said = said(section);
        let own = [KO.opening, EN.opening].iter().any(|opening| said.starts_with(opening));
        !own && !said.trim().is_empty()
    };
    match section.kind {
        SectionKind::Passage if is_recalled(section) => is_said(),
        SectionKind::Passage | SectionKind::Memory => true,
        SectionKind::Tools => false,
        SectionKind::Turn => is_said(),
        SectionKind::Instructions
        | SectionKind::PersistentContext
        | SectionKind::VolatileContext
        | SectionKind::Plan
        | SectionKind::Summary
        | SectionKind::Draft => false,
    }
}

fn looked(sources: &[&Section]) -> Looked {
    let mut looked = Looked::default();
    let mut files = HashSet::new();
    for section in sources {
        match section.kind {
            SectionKind::Passage if is_recalled(section) => looked.messages += 1,
            SectionKind::Passage => {
                looked.passages += 1;
                files.insert(path_of(section));
            }
            SectionKind::Memory => looked.memory += 1,
            _ => looked.messages += 1,
        }
    }
    looked.files = files.len();
    looked
}

/// A passage's source is its path with its first line, a memory file's the path alone.
fn path_of(section: &Section) -> &str {
    match section.source.rsplit_once(':') {
        Some((path, _)) if section.kind == SectionKind::Passage => path,
        _ => &section.source,
    }
}

fn shown(quote: &Quote<'_>, texts: &Texts) -> String {
    let section = quote.section;
    let ending = match section.kind {
        SectionKind::Turn => "md",
        _ if is_recalled(section) => "md",
        _ => ending_of(path_of(section)),
    };
    let plain = (ending.is_empty() || PROSE.contains(&ending)) && quote.text.lines().all(is_plain);
    let quoted = if plain {
        let lines = quote.text.lines().map(|line| format!("> {line}"));
        lines.collect::<Vec<_>>().join("\n")
    } else {
        let fence = fence::around(quote.text);
        format!("{fence}{ending}\n{}\n{fence}", quote.text)
    };
    match link(quote, texts) {
        Some(link) => format!("{quoted}\n\n{link}"),
        None => quoted,
    }
}

/// The ending of a file name, if it can name a language after a fence.
fn ending_of(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.') {
        Some((_, ending)) if ending.bytes().all(|byte| byte.is_ascii_alphanumeric()) => ending,
        _ => "",
    }
}

/// Whether Markdown shows a line as it is written. Anything else is shown between fences.
fn is_plain(line: &str) -> bool {
    let start = line.trim_start();
    let marks = line.contains(['*', '_', '~', '\\', '<', '&', '$', '\t', '\r']);
    let builds = start.starts_with(['#', '>', '|', '=', '+', ':']) || start.starts_with("---");
    let fences = line.contains("``");
    let links = line.contains("](") || line.contains("]:") || line.contains("![");
    let indented = line.starts_with("    ");
    !(marks || builds || fences || links || indented)
}

fn link(quote: &Quote<'_>, texts: &Texts) -> Option<String> {
    let target = quote.section.link.as_deref()?;
    if is_recalled(quote.section) {
        return Some(format!("[{}]({target})", escaped(&quote.section.source)));
    }
    let Some((file, line)) = target.rsplit_once("?line=") else {
        return Some(format!("[{}]({target})", texts.earlier_message));
    };
    let line = line.parse::<usize>().unwrap_or(1) + quote.lines_before;
    let label = escaped(path_of(quote.section));
    Some(format!("[{label}:{line}]({file}?line={line})"))
}

/// A path as a link's label, whatever is in it.
fn escaped(path: &str) -> String {
    let mut label = String::with_capacity(path.len());
    for c in path.chars() {
        if c.is_control() {
            label.push('\u{FFFD}');
            continue;
        }
        if c.is_ascii_punctuation() && !matches!(c, '/' | '.' | '-' | ',') {
            label.push('\\');
        }
        label.push(c);
    }
    label
}
