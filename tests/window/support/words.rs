//! The interface's own words, so that a story finds things in either language by what they mean.

use serde_json::Value;

use super::root;

/// The text of `namespace:dotted.key` in a language.
#[track_caller]
pub(crate) fn word(language: &str, key: &str) -> String {
    let (namespace, path) = key.split_once(':').expect("a key is namespace:path");
    let words = root().join("ui/src/shared/i18n").join(language);
    let files = [words.clone(), words.join("later")].map(|it| it.join(format!("{namespace}.json")));
    let text = files.iter().find_map(|file| std::fs::read_to_string(file).ok());
    let text = text.unwrap_or_else(|| panic!("no {language} file of {namespace}"));
    let all: Value = serde_json::from_str(&text).expect("the words are JSON");
    let found = path.split('.').try_fold(&all, |at, step| at.get(step));
    found.and_then(Value::as_str).unwrap_or_else(|| panic!("no {language} words for {key}")).into()
}
