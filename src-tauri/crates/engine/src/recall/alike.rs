//! Words that mean the same, in Korean and English: a question in one language finds what was said in the other, and a
//! question in other words finds a little more. `alike.txt` has the groups.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::words::stemmed;

/// Groups of words.
const GROUPS: &str = include_str!("alike.txt");

/// The groups that a word belongs to, and their words.
struct Thesaurus {
    groups: Vec<Vec<String>>,
    of: HashMap<String, Vec<usize>>,
}

static THESAURUS: LazyLock<Thesaurus> = LazyLock::new(|| {
    let lines = GROUPS.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut all = Thesaurus { groups: Vec::new(), of: HashMap::new() };
    for (at, line) in lines.enumerate() {
        let group: Vec<String> = line.split(' ').map(stemmed).collect();
        for word in &group {
            all.of.entry(word.clone()).or_default().push(at);
        }
        all.groups.push(group);
    }
    all
});

/// The other words of the groups that hold this one. A Korean word belongs where a word of two syllables or more
/// begins it, since its ending may follow.
pub(super) fn of(word: &str) -> impl Iterator<Item = &'static str> {
    let all = &*THESAURUS;
    let mut groups: Vec<usize> = all.of.get(word).cloned().unwrap_or_default();
    if !word.is_ascii() {
        let beginnings = word.char_indices().skip(2).map(|(end, _)| &word[..end]);
        groups.extend(beginnings.filter_map(|beginning| all.of.get(beginning)).flatten());
    }
    groups.sort_unstable();
    groups.dedup();
    let own = word.to_owned();
    let words = groups.into_iter().flat_map(|group| all.groups[group].iter());
    words.map(String::as_str).filter(move |other| !is(other, &own))
}

fn is(member: &str, word: &str) -> bool {
    let korean = !member.is_ascii() && member.chars().nth(1).is_some();
    member == word || (korean && word.starts_with(member))
}
