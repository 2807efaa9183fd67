//! Files the person excludes, by patterns as in `.gitignore`. Asked by the walk and before a file is read.

use std::path::Path;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// The patterns of one folder, ready to be asked. Paths are relative to it.
#[derive(Debug)]
pub(crate) struct ExcludeRules(Gitignore);

impl ExcludeRules {
    /// A line that is no pattern excludes nothing; the settings show it.
    pub(crate) fn new(patterns: &[String]) -> Self {
        let mut builder = GitignoreBuilder::new("");
        for line in patterns.iter().flat_map(|pattern| pattern.lines()) {
            // A pattern that cannot be read is refused by itself and leaves the others.
            let _ = builder.add_line(None, line);
        }
        Self(builder.build().unwrap_or_else(|_| Gitignore::empty()))
    }

    /// Whether a file, or a folder above it, is excluded.
    pub(crate) fn excludes(&self, path: &Path, is_dir: bool) -> bool {
        // The matcher wants a path that stays inside.
        !self.0.is_empty()
            && path.is_relative()
            && matches!(self.0.matched_path_or_any_parents(path, is_dir), Match::Ignore(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("*.pem", "keys/server.pem", true)]
    #[case("*.pem", "keys/server.txt", false)]
    #[case("/notes", "notes/private/a.md", true)]
    #[case("/notes", "src/notes/a.md", false)]
    #[case("secret/**\n!secret/readme.md", "secret/a.md", true)]
    #[case("secret/**\n!secret/readme.md", "secret/readme.md", false)]
    #[case("개인/", "개인/일기.md", true)]
    #[case("# a comment\n\n", "a comment", false)]
    #[case("[z-a]\n*.key", "a.key", true)]
    fn patterns_mean_what_gitignore_says(
        #[case] patterns: &str,
        #[case] path: &str,
        #[case] expected: bool,
    ) {
        let rules = ExcludeRules::new(&[patterns.to_owned()]);
        assert_eq!(rules.excludes(Path::new(path), false), expected);
    }
}
