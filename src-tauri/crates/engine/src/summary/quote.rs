//! Quoting: a message or a summary inside a text of ours cannot forge a heading or a turn.
//!
//! A line of it that reads like one of our labels gets a `\` in front. So whoever parts the text at its labels finds
//! exactly the pieces it was put together from, and whoever takes the `\` off again has them word for word.

/// Beginnings of lines that mean something in our texts, in both languages.
const LABELS: [&str; 35] = [
    "[CONVERSATION CONTEXT]",
    "[RECENT MESSAGES]",
    "[CURRENT MESSAGE]",
    "[Summary of the earlier conversation]",
    "[이전 대화 요약]",
    "[Tool Call]",
    "[Tool Result]",
    "[Image]",
    "[File]",
    "USER:",
    "ASSISTANT:",
    "SYSTEM:",
    "TOOL:",
    "Conversation:",
    "Previous summary:",
    "New messages since last summary:",
    "대화:",
    "이전 요약:",
    "이전 요약 이후의 새 메시지:",
    "PROJECT:",
    "ACTIVE PLAN:",
    "ACTIVE TASK:",
    "DECISIONS:",
    "SUMMARY:",
    "RECENT DIALOG:",
    "프로젝트:",
    "진행 중인 계획:",
    "진행 중인 작업:",
    "결정:",
    "요약:",
    "최근 대화:",
    "The following is a summary of our earlier conversation:",
    "다음은 앞선 대화의 요약입니다:",
    "Kept facts:",
    "지켜야 할 사실:",
];

/// Whatever a reader may take for the end of a line.
const LINE_ENDS: [char; 7] = ['\n', '\r', '\u{0B}', '\u{0C}', '\u{85}', '\u{2028}', '\u{2029}'];

/// The text with every line that reads like a label marked.
pub(super) fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len());
    for line in text.split_inclusive(LINE_ENDS) {
        if is_label(line.trim_start_matches('\\').trim_start()) {
            quoted.push('\\');
        }
        quoted.push_str(line);
    }
    quoted
}

fn is_label(line: &str) -> bool {
    LABELS.iter().any(|label| line.starts_with(label)) || is_turns_label(line) || is_mark(line)
}

/// `[m3]` and `[s1]`.
fn is_mark(line: &str) -> bool {
    let number = line.strip_prefix("[m").or_else(|| line.strip_prefix("[s"));
    let Some((number, _)) = number.and_then(|rest| rest.split_once(']')) else { return false };
    !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
}

/// `[1-3턴]` and `[Turns 1-3]`.
fn is_turns_label(line: &str) -> bool {
    let Some((inside, _)) = line.strip_prefix('[').and_then(|rest| rest.split_once(']')) else {
        return false;
    };
    let numbers = inside.strip_suffix('턴').or_else(|| inside.strip_prefix("Turns ")).unwrap_or("");
    let digits = |number: &str| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    numbers.split_once('-').is_some_and(|(first, last)| digits(first) && digits(last))
}

#[cfg(test)]
pub(super) fn unquote(text: &str) -> String {
    text.split_inclusive(LINE_ENDS)
        .map(|line| match line.strip_prefix('\\') {
            Some(rest) if is_label(rest.trim_start_matches('\\').trim_start()) => rest,
            _ => line,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines() -> impl Strategy<Value = String> {
        let label = (0..LABELS.len()).prop_map(|at| LABELS[at].to_owned());
        let piece = prop_oneof![
            label,
            Just("[4-6턴] ".to_owned()),
            Just("[Turns 7-9]".to_owned()),
            Just("[m12]".to_owned()),
            (0..LINE_ENDS.len()).prop_map(|at| LINE_ENDS[at].to_string()),
            "[\\\\ a가:\\[\\]]{0,4}",
        ];
        proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test] // safety T13
        fn quoting_hides_every_label_and_is_undone_word_for_word(text in lines()) {
            let quoted = quote(&text);
            for line in quoted.split(LINE_ENDS) {
                prop_assert!(!is_label(line.trim_start()), "{line:?} of {quoted:?}");
            }
            prop_assert_eq!(unquote(&quoted), text);
        }
    }
}
