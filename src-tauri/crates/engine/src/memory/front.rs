//! Front matter: what a memory file says of itself before it begins.
//!
//! ```text
//! ---
//! paths: src/**/*.ts, "*.tsx"
//! when: [database, 데이터베이스]
//! inject: lazy
//! ---
//! ```
//!
//! A list stands on one line, in brackets or not, or below its key with dashes. `globs` says what `paths` says and
//! `alwaysApply: true` what `inject: static` says, as other tools write them. Other keys are theirs. No YAML beyond
//! this: a file that holds more of it still loads.

use super::Injection;

/// What a file says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Front {
    /// Globs of the paths that the file is about; empty for all.
    pub paths: Vec<String>,
    /// Words whose mention makes the file go in.
    pub when: Vec<String>,
    /// When it goes in; `None` where it does not say.
    pub injection: Option<Injection>,
}

/// The front matter of a text, and where the rest begins, in bytes.
pub fn parse(text: &str) -> (Front, usize) {
    let mut front = Front::default();
    let mut lines = text.split_inclusive('\n');
    let mut end = match lines.next() {
        Some(first) if first.trim_end() == "---" => first.len(),
        _ => return (front, 0),
    };
    let mut key = String::new();
    for line in lines {
        end += line.len();
        let line = line.trim();
        if line == "---" {
            if front.injection.is_none() && !front.when.is_empty() {
                front.injection = Some(Injection::Lazy);
            }
            return (front, end);
        }
        match (line.strip_prefix("- "), line.split_once(':')) {
            (Some(item), _) => front.set(&key, item),
            (None, Some((name, value))) => {
                key = name.trim().to_ascii_lowercase();
                front.set(&key, value);
            }
            (None, None) => {}
        }
    }
    // Never closed, so it was a rule across the page.
    (Front::default(), 0)
}

impl Front {
    fn set(&mut self, key: &str, value: &str) {
        match key {
            "paths" | "globs" => self.paths.extend(list(value)),
            "when" => self.when.extend(list(value)),
            "inject" => self.injection = injection(value.trim()).or(self.injection),
            "alwaysapply" if value.trim() == "true" => self.injection = Some(Injection::Static),
            _ => {}
        }
    }
}

fn injection(value: &str) -> Option<Injection> {
    match value.to_ascii_lowercase().as_str() {
        "static" | "always" => Some(Injection::Static),
        "dynamic" => Some(Injection::Dynamic),
        "lazy" => Some(Injection::Lazy),
        _ => None,
    }
}

/// Items between commas that stand in no quotes and no braces.
fn list(value: &str) -> Vec<String> {
    let value = value.trim();
    let inner = value.strip_prefix('[').and_then(|it| it.strip_suffix(']')).unwrap_or(value);
    let (mut quote, mut braces) = (None, 0u32);
    let parts = inner.split(|c: char| {
        match c {
            '"' | '\'' if quote == Some(c) => quote = None,
            '"' | '\'' if quote.is_none() => quote = Some(c),
            '{' if quote.is_none() => braces += 1,
            '}' if quote.is_none() => braces = braces.saturating_sub(1),
            _ => {}
        }
        c == ',' && quote.is_none() && braces == 0
    });
    let items = parts.map(|item| item.trim().trim_matches(['"', '\'']));
    items.filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::a_line("---\npaths: src/**/*.ts, '*.tsx'\n---\nx", &["src/**/*.ts", "*.tsx"], &[], None)]
    #[case::below("---\npaths:\n  - src/**\n  - \"a, b.md\"\n---\nx", &["src/**", "a, b.md"], &[], None)]
    #[case::braces("---\r\nglobs: [*.{ts,tsx}, a]\r\n---\r\nx", &["*.{ts,tsx}", "a"], &[], None)]
    #[case::words("---\nwhen: [database, 데이터베이스]\n---\nx", &[], &["database", "데이터베이스"], Some(Injection::Lazy))]
    #[case::said("---\nwhen: db\ninject: Dynamic\n---\nx", &[], &["db"], Some(Injection::Dynamic))]
    #[case::cursor("---\ndescription: a: b\nglobs:\nalwaysApply: true\n---\nx", &[], &[], Some(Injection::Static))]
    fn what_a_file_says_of_itself(
        #[case] text: &str,
        #[case] paths: &[&str],
        #[case] when: &[&str],
        #[case] injection: Option<Injection>,
    ) {
        let (front, body) = parse(text);
        assert_eq!(
            (front.paths, front.when, front.injection),
            (owned(paths), owned(when), injection)
        );
        assert_eq!(&text[body..], "x");
    }

    #[rstest]
    #[case("# Rules\n---\npaths: a\n---\n")]
    #[case("---\npaths: a\nnever closed")]
    #[case("")]
    fn anything_else_is_text(#[case] text: &str) {
        assert_eq!(parse(text), (Front::default(), 0));
    }

    fn owned(items: &[&str]) -> Vec<String> {
        items.iter().map(|item| (*item).to_owned()).collect()
    }
}
