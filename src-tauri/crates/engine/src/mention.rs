//! Mentions: files of the project that a message names with `@`, and the files offered while one is being written.
//!
//! `@src/main.rs`, `@src/main.rs:10-20`, `@"my notes.md"`. What follows a name without a space belongs to the sentence
//! (`@notes.md,`, `@notes.md를`) unless a file is called so. What names no file is no mention, so addresses, decorators
//! and scopes of packages stay what they are. Whether a file is there is the caller's to say.

use serde::{Deserialize, Serialize};

/// Most mentions of one message that are followed.
const MOST: usize = 32;

/// Most places of one message that are looked at, so that a pasted log of addresses does not open file after file.
const MOST_LOOKS: usize = 256;

/// Longest run of letters that is taken for a path, in bytes.
const RUN: usize = 1_024;

/// Most letters of a sentence that may hang on a name: Korean particles, brackets, a full stop.
const TAIL: usize = 12;

/// Lines of a file, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Lines {
    /// The first.
    pub first: u32,
    /// The last.
    pub last: u32,
}

impl Lines {
    /// These lines of a text, as far as it has them.
    pub fn of(self, text: &str) -> String {
        let (first, last) = (self.first.max(1) as usize, self.last as usize);
        let lines: Vec<&str> = text.lines().take(last).skip(first - 1).collect();
        lines.join("\n")
    }
}

/// A file that a message names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention<T> {
    /// Path relative to the project, with `/`.
    pub path: String,
    /// The lines that are meant; `None` for all.
    pub lines: Option<Lines>,
    /// What the caller found there.
    pub found: T,
}

impl<T> Mention<T> {
    /// As it is written without `@`: `src/main.rs`, `src/main.rs:10-20`.
    pub fn place(&self) -> String {
        match self.lines {
            Some(lines) => format!("{}{}", self.path, suffix(lines)),
            None => self.path.clone(),
        }
    }
}

fn suffix(Lines { first, last }: Lines) -> String {
    format!(":{first}-{last}")
}

/// The text that a mention brings of a file.
pub fn excerpt(text: String, lines: Option<Lines>) -> String {
    match lines {
        Some(lines) => lines.of(&text),
        None => text,
    }
}

/// The path of a file, from the place of a mention and its lines.
pub fn path_of(place: &str, lines: Option<Lines>) -> &str {
    lines.and_then(|lines| place.strip_suffix(&suffix(lines))).unwrap_or(place)
}

/// The files that a text names, in its order and each once. `open` says what is at a path, or `None` where no file is.
pub fn find<T>(text: &str, mut open: impl FnMut(&str) -> Option<T>) -> Vec<Mention<T>> {
    let mut found: Vec<Mention<T>> = Vec::new();
    let mut before = None;
    let mut looks = 0;
    for (at, c) in text.char_indices() {
        let begins = c == '@' && before.is_none_or(|before: char| !is_word(before));
        before = Some(c);
        if !begins {
            continue;
        }
        looks += 1;
        if found.len() == MOST || looks > MOST_LOOKS {
            break;
        }
        let named = named(&text[at + 1..]).into_iter().find_map(|(path, lines)| {
            let path = path.strip_prefix("./").unwrap_or(path);
            open(path).map(|found| Mention { path: path.to_owned(), lines, found })
        });
        found.extend(named.filter(|it| {
            !found.iter().any(|known| (&known.path, known.lines) == (&it.path, it.lines))
        }));
    }
    found
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// What the text after an `@` may name, the longest first.
fn named(text: &str) -> Vec<(&str, Option<Lines>)> {
    if let Some(quoted) = text.strip_prefix('"') {
        let end = quoted.find(['"', '\n']).filter(|end| quoted[*end..].starts_with('"'));
        let Some(end) = end.filter(|end| (1..=RUN).contains(end)) else { return Vec::new() };
        let after = &quoted[end + 1..];
        let range =
            after.find(|c: char| !matches!(c, ':' | '-' | '0'..='9')).unwrap_or(after.len());
        let lines = lines_at_end(&after[..range]).filter(|(before, _)| before.is_empty());
        return vec![(&quoted[..end], lines.map(|(_, lines)| lines))];
    }
    let ends_run = |c: char| c.is_whitespace() || c.is_control() || "\"<>|*`@".contains(c);
    let end = text.find(ends_run).unwrap_or(text.len());
    let run = &text[..text.floor_char_boundary(end.min(RUN))];
    let firm = run.rfind(|c: char| c.is_ascii_alphanumeric() || c == '/').map_or(0, |at| at + 1);
    let ends = run.char_indices().map(|(at, _)| at).chain([run.len()]);
    let ends: Vec<usize> = ends.filter(|end| *end >= firm && *end > 0).collect();
    let mut named = Vec::new();
    for end in ends.into_iter().rev().take(TAIL) {
        let run = &run[..end];
        if !run.contains(char::is_alphanumeric) {
            break;
        }
        named.push((run, None));
        named.extend(lines_at_end(run).map(|(path, lines)| (path, Some(lines))));
    }
    named
}

/// `:10-20` or `:10` at the end of a run, and what stands before.
fn lines_at_end(run: &str) -> Option<(&str, Lines)> {
    let (path, lines) = run.rsplit_once(':')?;
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (1 <= first && first <= last).then_some((path, Lines { first, last }))
}

/// How well a path answers what is being written after `@`, the smaller the better; `None` if it does not. Names that
/// begin so come first, then paths that hold it, then those that hold its letters in their order.
pub fn rank(path: &str, query: &str) -> Option<(u8, usize)> {
    let (path, query) = (path.to_lowercase(), query.to_lowercase());
    let name = path.rsplit('/').next().unwrap_or(&path);
    let kind = if name.starts_with(&query) {
        0
    } else if path.contains(&query) {
        1
    } else {
        let mut letters = path.chars();
        let in_order = query.chars().all(|wanted| letters.any(|letter| letter == wanted));
        in_order.then_some(2)?
    };
    Some((kind, path.chars().count()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    const FILES: [&str; 8] = [
        "src/main.rs",
        "src/main.rs.bak",
        "my notes.md",
        "문서/메모.md",
        "app/[id]/page.tsx",
        "@types/node",
        "README",
        "문서/메모",
    ];

    fn mentioned(text: &str) -> Vec<String> {
        let found = find(text, |path| FILES.contains(&path).then_some(()));
        found.iter().map(Mention::place).collect()
    }

    #[rstest]
    #[case("@src/main.rs", &["src/main.rs"])]
    #[case("see @src/main.rs.", &["src/main.rs"])]
    #[case("(@./src/main.rs), then @README!", &["src/main.rs", "README"])]
    #[case("@src/main.rs.bak", &["src/main.rs.bak"])]
    #[case("@src/main.rs:10-20을 봐 주세요", &["src/main.rs:10-20"])]
    #[case("@src/main.rs:7?", &["src/main.rs:7-7"])]
    #[case("@src/main.rs:20-10", &[])]
    #[case("@src/main.rs를 @문서/메모.md에 맞춰 줘", &["src/main.rs", "문서/메모.md"])]
    #[case("@문서/메모의 뜻", &["문서/메모"])]
    #[case("@\"my notes.md\":2-3, please", &["my notes.md:2-3"])]
    #[case("@\"my notes.md\"를", &["my notes.md"])]
    #[case("@\"my notes.md", &[])]
    #[case("@app/[id]/page.tsx)", &["app/[id]/page.tsx"])]
    #[case("@README and @README", &["README"])]
    #[case("@README @README:1", &["README", "README:1-1"])]
    #[case("ada@README", &[])]
    #[case("mail ada@src/main.rs", &[])]
    #[case("`@Component` by @ada, @types/node and @src/other.rs", &[])]
    #[case("@ @. @.. @)", &[])]
    #[case("@@README", &["README"])]
    fn a_name_after_at_is_a_mention_when_a_file_is_called_so(
        #[case] text: &str,
        #[case] expected: &[&str],
    ) {
        assert_eq!(mentioned(text), expected, "{text}");
    }

    #[test]
    fn a_pasted_log_of_addresses_or_one_long_run_opens_few_files() {
        let mut opened = 0;
        let log = " @nobody".repeat(10_000) + " @" + &"가".repeat(50_000);
        find(&log, |_| {
            opened += 1;
            None::<()>
        });
        assert!(opened <= MOST_LOOKS * TAIL, "{opened}");
        find(&format!("@{}", "가".repeat(50_000)), |path| {
            assert!(path.len() <= RUN);
            None::<()>
        });
    }

    #[test]
    fn lines_beyond_the_end_are_the_lines_there_are() {
        let text = "one\ntwo\nthree";
        assert_eq!(Lines { first: 2, last: 9 }.of(text), "two\nthree");
        assert_eq!(Lines { first: 4, last: 9 }.of(text), "");
    }

    #[test]
    fn names_that_begin_so_come_before_paths_that_hold_it_and_letters_in_order() {
        let files = ["src/domain.rs", "main/lib.rs", "src/main.rs", "src/m/a/i/n.rs", "docs/x.md"];
        let mut ranked: Vec<_> =
            files.iter().filter_map(|path| Some((rank(path, "Main")?, *path))).collect();
        ranked.sort_unstable();
        let order: Vec<&str> = ranked.into_iter().map(|(_, path)| path).collect();
        assert_eq!(order, ["src/main.rs", "main/lib.rs", "src/domain.rs", "src/m/a/i/n.rs"]);
    }
}
