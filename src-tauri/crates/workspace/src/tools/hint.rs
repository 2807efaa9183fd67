//! What a model is told when a text does not stand where it thinks, so that its next try can be right.

use similar::get_close_matches;

use super::shown;

/// Lines that are looked through for similar ones, and for those that differ in their blanks.
const MAX_LINES: usize = 2_000;
const MAX_BLANK_LINES: usize = 50_000;

/// Lines of a text that is looked for with other blanks.
const MAX_WANTED: usize = 500;

/// So many places are told as many.
pub(super) const MANY: usize = 100;

/// A longer line is not compared.
const MAX_LINE: usize = 400;

/// How similar a line must be to be named.
const SIMILAR: f32 = 0.6;

/// Most similar lines that are named.
const MAX_NAMED: usize = 3;

/// Most lines that are shown of a place that differs in its blanks.
const MAX_SHOWN: usize = 20;

/// Most numbers of lines that are given.
const MAX_NUMBERS: usize = 10;

/// The text does not stand there.
pub(super) fn missing(path: &str, text: &str, old: &str) -> String {
    let words = format!(
        "The old text does not stand in {}, so nothing was changed. It must be the same to the last blank, without \
         line numbers. Read the file again.",
        shown(path)
    );
    let lines: Vec<&str> = text.lines().collect();
    match blanks(&lines, old).or_else(|| similar(&lines, old)) {
        Some(hint) => format!("{words}\n{hint}"),
        None => words,
    }
}

/// The text stands there more than once.
pub(super) fn ambiguous(path: &str, text: &str, places: &[usize]) -> String {
    let numbers: Vec<String> = places
        .iter()
        .take(MAX_NUMBERS)
        .map(|at| (text[..*at].matches('\n').count() + 1).to_string())
        .collect();
    let more = if places.len() > MAX_NUMBERS { " and more" } else { "" };
    let least = if places.len() == MANY { "at least " } else { "" };
    format!(
        "The old text stands in {} {least}{} times, at lines {}{more}, so nothing was changed. Give more of the text around \
         the one that is meant, or set all to replace every one.",
        shown(path),
        places.len(),
        numbers.join(", ")
    )
}

/// A place that is the same but for blanks at the ends of its lines.
fn blanks(lines: &[&str], old: &str) -> Option<String> {
    let wanted: Vec<&str> = old.trim_matches('\n').lines().map(str::trim).collect();
    if wanted.len() > MAX_WANTED || wanted.iter().all(|line| line.is_empty()) {
        return None;
    }
    let lines = &lines[..lines.len().min(MAX_BLANK_LINES)];
    let at = lines
        .windows(wanted.len())
        .position(|window| window.iter().map(|line| line.trim()).eq(wanted.iter().copied()))?;
    let there = &lines[at..at + wanted.len()];
    let shown: String = there.iter().take(MAX_SHOWN).map(|line| format!("{line}\n")).collect();
    Some(format!("From line {} it stands there with other blanks:\n{shown}", at + 1))
}

fn similar(lines: &[&str], old: &str) -> Option<String> {
    let first = old.lines().map(str::trim).find(|line| !line.is_empty())?;
    if first.len() > MAX_LINE {
        return None;
    }
    let near = |line: &&str| line.len() <= MAX_LINE && !line.is_empty();
    let trimmed: Vec<&str> =
        lines.iter().take(MAX_LINES).map(|line| line.trim()).filter(near).collect();
    let mut named = String::new();
    for line in get_close_matches(first, &trimmed, MAX_NAMED, SIMILAR) {
        let number = lines.iter().position(|other| other.trim() == line)? + 1;
        named.push_str(&format!("{number:>6}\t{line}\n"));
    }
    (!named.is_empty()).then(|| format!("Lines that are like its first one:\n{named}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "fn main() {\n\tlet port = 5433;\n}\n";

    #[test]
    fn other_blanks_are_shown_as_they_stand() {
        let words = missing("a.rs", TEXT, "    let port = 5433;\n}\n");
        assert!(
            words.ends_with(
                "From line 2 it stands there with other blanks:\n\tlet port = 5433;\n}\n"
            )
        );
    }

    #[test]
    fn similar_lines_are_named_and_strange_ones_are_not() {
        let words = missing("a.rs", TEXT, "let port = 5432;");
        assert!(words.ends_with("     2\tlet port = 5433;\n"), "{words}");
        assert!(missing("a.rs", TEXT, "규칙입니다").ends_with("Read the file again."));
    }

    #[test]
    fn places_are_given_by_their_lines() {
        let words = ambiguous("a.rs", "x\ny\nx\n", &[0, 4]);
        assert!(words.contains("2 times, at lines 1, 3,"), "{words}");
    }
}
