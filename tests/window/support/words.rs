//! The interface's own words, so that a story finds things in either language by what they mean.

use serde_json::Value;

use super::root;

/// The text of `namespace:dotted.key` in a language.
#[track_caller]
pub(crate) fn word(language: &str, key: &str) -> String {
    let (namespace, path) = key.split_once(':').expect("a key is namespace:path");
    let file = root().join(format!("ui/src/shared/i18n/{language}/{namespace}.json"));
    let text = std::fs::read_to_string(&file)
        .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let all: Value = serde_json::from_str(&text).expect("the words are JSON");
    let found = path.split('.').try_fold(&all, |at, step| at.get(step));
    found.and_then(Value::as_str).unwrap_or_else(|| panic!("no {language} words for {key}")).into()
}
