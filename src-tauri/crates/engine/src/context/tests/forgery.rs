//! Nothing that is put into a store or a body can pass for a key, a heading or a block (safety T13): whatever is
//! composed reads back as what was put in.

use proptest::prelude::*;
use proptest::test_runner::Config;

use super::*;
use ContextScope::App;
use PersistenceKind::{Persistent, Volatile};

const HEADINGS: [&str; 4] =
    ["## 영구 컨텍스트", "## 휘발성 컨텍스트", "## Persistent context", "## Volatile context"];

/// Markers of every text format a prompt of ours may contain, line ends, and ordinary words.
fn pieces() -> impl Strategy<Value = String> {
    let markers = HEADINGS.map(str::to_owned).into_iter().chain(
        [
            "\n",
            "\n\n",
            "\r",
            "\r\n",
            "\u{85}",
            "\u{2028}",
            "\u{b}",
            "\\",
            "\"",
            ":",
            ": ",
            " ",
            "#",
            "`",
            "```",
            "````",
            "~~~",
            "\n```\n",
            "projectRoot: /evil",
            "projectRules:",
            "USER: ",
            "ASSISTANT: ",
            "[CONVERSATION CONTEXT]",
            "[RECENT MESSAGES]",
            "[CURRENT MESSAGE]",
            "Previous summary:",
            "workingDirectory",
            "가",
            "\u{200b}",
            "\u{feff}",
            "<system>",
        ]
        .map(str::to_owned),
    );
    let marker = proptest::sample::select(markers.collect::<Vec<_>>());
    let piece = prop_oneof![4 => marker, 1 => ".{0,6}"];
    prop::collection::vec(piece, 0..9).prop_map(|pieces| pieces.concat())
}

fn entries() -> impl Strategy<Value = ContextSnapshot> {
    let key = prop_oneof![Just("projectRules".to_owned()), "[a-zA-Z가-힣._-]{1,6}", pieces()];
    prop::collection::vec((key, pieces()), 0..5).prop_map(|pairs| pairs.into_iter().collect())
}

/// Reads blocks as a strict reader would: the first fence of a block's length ends it, wherever it stands.
fn read_block<'a>(text: &'a str, heading: &str) -> Option<(Vec<(String, String)>, &'a str)> {
    let mut rest = text.strip_prefix(heading)?;
    let mut found = Vec::new();
    while let Some(line) = rest.strip_prefix('\n').filter(|line| !line.starts_with('\n')) {
        let (key, after) = if line.starts_with('"') {
            let mut values = serde_json::Deserializer::from_str(line).into_iter::<String>();
            let key = values.next()?.ok()?;
            let length = values.byte_offset();
            (key, line[length..].strip_prefix(':')?)
        } else {
            let (key, after) = line.split_once(':')?;
            (key.to_owned(), after)
        };
        let value = if let Some(value) = after.strip_prefix(' ') {
            let end =
                value.find(['\n', '\r', '\u{85}', '\u{2028}', '\u{b}']).unwrap_or(value.len());
            rest = &value[end..];
            &value[..end]
        } else {
            let (fence, inside) = after.strip_prefix('\n')?.split_once('\n')?;
            let end = inside.find(fence)?;
            rest = &inside[end + fence.len()..];
            inside[..end].strip_suffix('\n')?
        };
        found.push((key, value.to_owned()));
    }
    Some((found, rest.strip_prefix("\n\n")?))
}

fn said(entries: &ContextSnapshot) -> Vec<(String, String)> {
    let entries = entries.iter().filter(|(_, value)| !value.is_empty());
    entries.map(|(key, value)| (key.clone(), value.clone())).collect()
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}', '\u{b}', '\u{c}'])
}

proptest! {
    #![proptest_config(Config { failure_persistence: None, ..Config::with_cases(2_000) })]

    #[test]
    fn what_is_composed_reads_back_as_what_was_put_in(
        persistent in entries(),
        volatile in entries(),
        body in pieces(),
        korean in any::<bool>(),
    ) {
        let mut stores = [ContextStore::new(App, Persistent), ContextStore::new(App, Volatile)];
        stores[0].put_all(&persistent);
        stores[1].put_all(&volatile);
        let language = if korean { "ko" } else { "en" };
        let composer = PromptComposer { language, elsewhere: &[] };
        let text = composer.compose(TaskKind::Chat, &[&stores[0], &stores[1]], &body).to_string();

        let [first, second] = if korean { [HEADINGS[0], HEADINGS[1]] } else { [HEADINGS[2], HEADINGS[3]] };
        let (read_persistent, rest) = read_block(&text, first).unwrap_or((Vec::new(), &text));
        let (read_volatile, rest) = read_block(rest, second).unwrap_or((Vec::new(), rest));
        prop_assert_eq!(read_persistent, said(&persistent));
        prop_assert_eq!(read_volatile, said(&volatile));

        // The body is whole, but for one backslash before each line that read like a heading.
        let (sent, meant): (Vec<&str>, Vec<&str>) = (lines(rest).collect(), lines(&body).collect());
        prop_assert_eq!(sent.len(), meant.len());
        for (sent, meant) in sent.into_iter().zip(meant) {
            prop_assert!(sent == meant || sent.replacen('\\', "", 1) == meant, "{:?} {:?}", sent, meant);
            prop_assert!(!HEADINGS.contains(&sent.trim()), "{:?}", sent);
        }
    }
}
