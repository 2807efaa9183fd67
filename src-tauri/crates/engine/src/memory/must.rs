//! Rules that go into every request, whole and word for word, however little room there is.
//!
//! A rule is marked by MUST or NEVER in capitals, by 반드시, 절대 or by a verb in -지 마 or -지 말. It is whole with the
//! lines its sentence goes on in, with the items below it, and with the list or the block that follows a colon; a
//! marked heading makes a rule of its section. What stands in code or in a comment is none.

use super::lines::{Kind, Line, lines};

/// Of compounds that have nothing to do with a rule: an absolute path, value, position.
const ABSOLUTES: [&str; 10] =
    ["경로", "값", "좌표", "위치", "주소", "참조", "크기", "온도", "시간", "임계"];

/// How a verb forbids: -지 마세요, -지 말고.
const DONTS: [&str; 10] = [
    "하지마",
    "하지말",
    "지 마라",
    "지 마세",
    "지 마시",
    "지 마십",
    "지 말고",
    "지 말라",
    "지 말아",
    "지 말자",
];

/// The same where nothing of the verb follows: -지 마, -지 말 것.
const BARE_DONTS: [&str; 2] = ["지 마", "지 말"];

/// Whether a line is marked as a rule.
pub fn is_marked(line: &str) -> bool {
    let after = |mark| line.split(mark).skip(1);
    let is_absolute = |rest: &str| {
        let rest = rest.trim_start();
        rest.starts_with('적') || ABSOLUTES.iter().any(|noun| rest.starts_with(noun))
    };
    let mut words = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.any(|word| matches!(word, "MUST" | "NEVER"))
        || line.contains("반드시")
        || after("절대").any(|rest| !is_absolute(rest))
        || DONTS.iter().any(|mark| line.contains(mark))
        || BARE_DONTS
            .iter()
            .any(|mark| after(mark).any(|rest| !rest.starts_with(char::is_alphanumeric)))
}

/// The rules of a text, with the headings they stand under; `None` where it has none.
pub fn rules(text: &str) -> Option<String> {
    let lines = lines(text);
    let kept = lines.iter().zip(kept(&lines)).filter(|(_, kept)| *kept);
    let rules: Vec<&str> = kept.map(|(line, _)| line.text).collect();
    (!rules.is_empty()).then(|| rules.join("\n"))
}

/// Which lines are of rules, or headings that rules stand under.
pub(super) fn kept(lines: &[Line<'_>]) -> Vec<bool> {
    let mut kept = marked(lines);
    let mut above: Vec<(usize, usize)> = Vec::new();
    for at in 0..lines.len() {
        if let Kind::Heading(level) = lines[at].kind {
            above.retain(|(_, of)| *of < level);
            above.push((at, level));
        }
        if kept[at] {
            above.iter().for_each(|(heading, _)| kept[*heading] = true);
        }
    }
    kept
}

/// Which lines are rules, or parts of one.
pub(super) fn marked(lines: &[Line<'_>]) -> Vec<bool> {
    let mut marked = vec![false; lines.len()];
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| is_marked(line.text)) {
        let (from, to) = match line.kind {
            // The paragraph is in already; looking again at each of its lines would take the square of its length.
            Kind::Text(_) if marked[at] => continue,
            Kind::Blank | Kind::Fence | Kind::Comment => continue,
            Kind::Heading(level) => (at, section_end(lines, at, level)),
            Kind::Item(_) | Kind::Text(_) => (begin(lines, at), end(lines, at)),
        };
        marked[from..to].fill(true);
    }
    // A blank line says nothing, unless it is one of a block.
    marked.iter_mut().zip(lines).for_each(|(marked, line)| *marked &= line.kind != Kind::Blank);
    marked
}

fn section_end(lines: &[Line<'_>], at: usize, level: usize) -> usize {
    let ends = |line: &Line<'_>| matches!(line.kind, Kind::Heading(other) if other <= level);
    lines[at + 1..].iter().position(ends).map_or(lines.len(), |more| at + 1 + more)
}

/// Where the item or the paragraph of a line begins.
fn begin(lines: &[Line<'_>], at: usize) -> usize {
    let mut from = at;
    while matches!(lines[from].kind, Kind::Text(_))
        && from > 0
        && matches!(lines[from - 1].kind, Kind::Text(_) | Kind::Item(_))
    {
        from -= 1;
    }
    from
}

/// Where it ends.
fn end(lines: &[Line<'_>], at: usize) -> usize {
    let from = begin(lines, at);
    let mut to = at + 1;
    let belongs = |to: usize| match (lines[from].kind, lines[to].kind) {
        (Kind::Item(own), Kind::Item(indent)) => indent > own,
        (_, Kind::Text(_)) => true,
        _ => false,
    };
    while to < lines.len() && belongs(to) {
        to += 1;
    }
    if lines[to - 1].text.trim_end().ends_with([':', '：']) {
        to += follows(lines[from].kind, &lines[to..]);
    }
    to
}

/// How many lines the list or the block has that a colon announces; an item announces no item beside it.
fn follows(announcing: Kind, lines: &[Line<'_>]) -> usize {
    let blank = lines.iter().take_while(|line| line.kind == Kind::Blank).count();
    let rest = &lines[blank..];
    let of_list = |line: &&Line<'_>| match (announcing, line.kind) {
        (Kind::Item(own), Kind::Item(indent)) => indent > own,
        (_, kind) => matches!(kind, Kind::Item(_) | Kind::Text(_)),
    };
    let more = match rest.first().map(|line| line.kind) {
        Some(Kind::Item(_)) => rest.iter().take_while(of_list).count(),
        Some(Kind::Fence) => rest.iter().take_while(|line| line.kind == Kind::Fence).count(),
        _ => 0,
    };
    if more > 0 { blank + more } else { 0 }
}
