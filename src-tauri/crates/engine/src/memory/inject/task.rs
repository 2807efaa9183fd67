//! What a task names: words, files, directories.

use std::collections::HashSet;

use globset::GlobBuilder;

use super::TaskAtHand;
use crate::memory::lies_in;
use crate::recall::Meant;
use crate::search::telling_words;

/// Most files of a draft that are looked for; a pasted log names no topic.
const MOST_NAMED: usize = 64;

/// What a lazy file waits for.
pub(super) enum Topic {
    /// Any of these words, or one that means the same.
    Words(Vec<String>),
    /// Any telling word of this text, or one that means the same.
    Text(String),
}

/// A task, prepared for many questions.
pub(super) struct Task<'a> {
    draft: String,
    paths: Vec<&'a str>,
    words: HashSet<String>,
    /// What the draft means, in whatever words.
    meant: Meant,
}

impl<'a> Task<'a> {
    pub(super) fn of(task: &TaskAtHand<'a>) -> Self {
        let touched = task.touched.iter().map(|path| path.trim_start_matches("./"));
        // A file that is named without `@` is touched too.
        let named = named(task.draft).map(|word| word.trim_start_matches(['.', '/']));
        let paths: Vec<&str> = touched.chain(named).collect();
        let of_paths = paths.iter().flat_map(|path| telling_words(path));
        let words = telling_words(task.draft).chain(of_paths).map(|word| singular(&word)).collect();
        let meant = Meant::by(task.draft);
        Self { draft: task.draft.to_lowercase(), paths, words, meant }
    }

    /// A path of the task in this directory.
    pub(super) fn in_directory(&self, dir: &str) -> Option<&'a str> {
        self.paths.iter().copied().find(|path| lies_in(path, dir))
    }

    /// Whether the draft says this path.
    pub(super) fn names(&self, path: &str) -> bool {
        self.draft.contains(&path.to_lowercase())
    }

    /// A path of the task that one of these globs means, relative to the root or to the file's directory. A glob
    /// without a slash means a name anywhere, and one that ends in a slash what lies below.
    pub(super) fn within(&self, globs: &[String], dir: &str) -> Option<&'a str> {
        globs.iter().find_map(|glob| {
            let glob = glob.trim_start_matches("./").trim_start_matches('/');
            let end = if glob.ends_with('/') { "**" } else { "" };
            let start = if glob.trim_end_matches('/').contains('/') { "" } else { "**/" };
            let glob = format!("{start}{glob}{end}");
            let glob =
                GlobBuilder::new(&glob).literal_separator(true).build().ok()?.compile_matcher();
            let below = |path: &'a str| path.strip_prefix(dir)?.strip_prefix('/');
            self.paths.iter().copied().find(|path| {
                glob.is_match(path) || below(path).is_some_and(|path| glob.is_match(path))
            })
        })
    }

    /// The word of a topic that the task mentions.
    pub(super) fn mentions(&self, topic: &Topic) -> Option<String> {
        match topic {
            Topic::Words(words) => {
                words.iter().find(|word| self.says(word) || self.means(word)).cloned()
            }
            Topic::Text(text) => telling_words(text).find(|word| self.knows(word)),
        }
    }

    /// Whether a heading speaks of what the task speaks of, or names its file.
    pub(super) fn is_about(&self, heading: &str) -> bool {
        telling_words(heading).any(|word| self.knows(&word)) || self.names_a_file_in(heading)
    }

    /// Whether a text names a file of the task, by its path or its name, or a directory it lies in.
    pub(super) fn names_a_file_in(&self, text: &str) -> bool {
        self.paths.iter().any(|path| {
            let name = path.rsplit('/').next().unwrap_or(path);
            let above = path.match_indices('/').map(|(at, _)| &path[..=at]);
            let mut names = std::iter::once(name).chain(above);
            names.any(|name| name.len() > 2 && stands_in(text, name))
        })
    }

    fn knows(&self, word: &str) -> bool {
        let known = || self.words.contains(&singular(word)) || self.meant.has(word);
        word.chars().nth(1).is_some() && known()
    }

    /// Whether the draft speaks of this in other words. Of the shortest ones too many mean something.
    fn means(&self, word: &str) -> bool {
        word.chars().nth(2).is_some() && self.meant.has(&word.to_lowercase())
    }

    /// Whether the draft or a path says this, as words of their own.
    fn says(&self, word: &str) -> bool {
        let word = word.to_lowercase();
        stands_in(&self.draft, &word)
            || stands_in(&self.draft, &format!("{word}s"))
            || self.paths.iter().any(|path| stands_in(&path.to_lowercase(), &word))
    }
}

/// The words of a draft that look like paths, without what quotes or ends them.
pub(super) fn named(draft: &str) -> impl Iterator<Item = &str> {
    let words = draft.split(|c: char| c.is_whitespace() || "\"'`()[],;".contains(c));
    let words = words.map(|word| {
        let word = word.trim_start_matches('@').trim_end_matches(['.', ':', '?', '!']);
        // A particle may follow a name in other letters, as in `src/db/q.ts를`.
        let bare = word.trim_end_matches(|c: char| matches!(c, '\u{AC00}'..='\u{D7A3}'));
        if bare.ends_with(|c: char| c.is_ascii_alphanumeric()) { bare } else { word }
    });
    words.filter(|word| looks_like_a_path(word)).take(MOST_NAMED)
}

/// Whether a word stands in a text and is not a part of another; a Korean particle may follow it.
fn stands_in(text: &str, word: &str) -> bool {
    let is_ascii = word.ends_with(|c: char| c.is_ascii_alphanumeric());
    !word.is_empty()
        && text.match_indices(word).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let after = text[at + word.len()..].chars().next();
            let is_end = !is_ascii || after.is_none_or(|c| !c.is_ascii_alphanumeric());
            is_end && before.is_none_or(|c| !c.is_alphanumeric())
        })
}

fn singular(word: &str) -> String {
    let stem = word.strip_suffix('s').filter(|stem| stem.len() > 2 && !stem.ends_with('s'));
    stem.unwrap_or(word).to_owned()
}

fn looks_like_a_path(word: &str) -> bool {
    let extension =
        word.rsplit_once('.').map(|(stem, extension)| !stem.is_empty() && !extension.is_empty());
    word.len() > 2 && !word.contains("://") && (word.contains('/') || extension == Some(true))
}
