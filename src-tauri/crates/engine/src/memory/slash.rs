//! `/memory …` in the composer (behaviour.md, Memory).

/// A command that was typed instead of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Slash {
    /// `/memory add <text>`: keeps a line; the text is empty where nothing was given.
    MemoryAdd(String),
    /// `/memory show`, and `/memory` alone: what memory says.
    MemoryShow,
    /// `/memory refresh`: reads every file again.
    MemoryRefresh,
    /// `/memory clear`: removes the lines that were added.
    MemoryClear,
    /// `/memory list`: which files it comes from.
    MemoryList,
}

/// Whether a text is meant for memory and not for the model, be it a command that there is or not.
pub fn is_meant(text: &str) -> bool {
    word(text.trim()).0 == "/memory"
}

/// The command that a text is; `None` for a message.
pub fn parse(text: &str) -> Option<Slash> {
    let (command, rest) = word(text.trim());
    if command != "/memory" {
        return None;
    }
    match word(rest) {
        ("add", text) => Some(Slash::MemoryAdd(text.to_owned())),
        ("" | "show", "") => Some(Slash::MemoryShow),
        ("refresh", "") => Some(Slash::MemoryRefresh),
        ("clear", "") => Some(Slash::MemoryClear),
        ("list", "") => Some(Slash::MemoryList),
        _ => None,
    }
}

/// The first word, and what follows it.
fn word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    /// behaviour.md, Memory.
    #[rstest]
    #[case("/memory add 항상 strict 모드", Some(Slash::MemoryAdd("항상 strict 모드".into())))]
    #[case(" /memory  add\n- a\n- b ", Some(Slash::MemoryAdd("- a\n- b".into())))]
    #[case("/memory add", Some(Slash::MemoryAdd(String::new())))]
    #[case("/memory show", Some(Slash::MemoryShow))]
    #[case("/memory", Some(Slash::MemoryShow))]
    #[case("/memory refresh", Some(Slash::MemoryRefresh))]
    #[case("/memory clear ", Some(Slash::MemoryClear))]
    #[case("/memory list", Some(Slash::MemoryList))]
    #[case("/memory clear everything", None)]
    #[case("/memoryadd x", None)]
    #[case("what does /memory show do?", None)]
    #[case("", None)]
    fn memory_commands(#[case] text: &str, #[case] expected: Option<Slash>) {
        assert!(expected.is_none() || is_meant(text));
        assert_eq!(parse(text), expected);
    }
}
