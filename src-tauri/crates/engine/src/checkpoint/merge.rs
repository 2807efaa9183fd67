//! Three texts of one file brought together: what both sides began with, and what each made of it.

/// A merge of two texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// Both together; where they contradict each other, both stand between marks as git writes them.
    pub text: String,
    /// Whether there are such marks.
    pub conflicts: bool,
}

/// Merges what `now` and `then` made of `base`, line by line.
pub fn merge(base: &str, now: &str, then: &str) -> Merged {
    match diffy::merge(base, now, then) {
        Ok(text) => Merged { text, conflicts: false },
        Err(text) => Merged { text, conflicts: true },
    }
}
