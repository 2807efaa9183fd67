//! Small talk: a greeting or thanks and nothing else, which needs no tools (behaviour.md, Segments).
//!
//! A message is small talk only when all of its words are of that kind, so a question about the project, its files or
//! an earlier turn never is. Nor is a word of assent, which may be the answer to a question of the model.

/// Words and phrases that make a message small talk, in lower case and without blanks.
const CORE: &str = "hi hello hey hiya yo goodmorning goodafternoon goodevening goodnight thanks thankyou thx cheers \
    thanksforthehelp thanksforyourhelp thankyouforyourhelp bye goodbye seeyou howareyou howareyoudoing howsitgoing \
    whatsup nicetomeetyou welcome \
    안녕 안녕하세요 안녕하십니까 안녕히 하이 헬로 반가워 반가워요 반갑습니다 고마워 고마워요 고맙습니다 감사 \
    감사해요 감사합니다 감사드려요 땡큐 수고 수고했어 수고했어요 수고하셨어요 수고하셨습니다 수고하세요 좋은아침 \
    굿모닝 잘자 잘자요 잘지내 잘지냈어 잘지내요 잘지냈어요";

/// Words that may stand beside them.
const BESIDE: &str = "there everyone all so very much a lot again today tomorrow later and you haha lol \
    정말 정말로 너무 진짜 많이 오늘 오늘도 내일 봐요 또 덕분에 계세요 다들";

/// Longest small talk, in characters.
const MAX_CHARS: usize = 60;

/// Most words of a phrase.
const MAX_PHRASE: usize = 5;

/// Whether a message is small talk, in English or Korean.
pub fn is_small_talk(text: &str) -> bool {
    if text.chars().count() > MAX_CHARS {
        return false;
    }
    let lower = text.to_lowercase().replace(['\'', '’'], "");
    let all = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let (laughter, words): (Vec<&str>, Vec<&str>) =
        all.partition(|word| word.chars().all(|c| matches!(c, 'ㅋ' | 'ㅎ' | 'ㅠ' | 'ㅜ')));
    let mut found = words.is_empty() && !laughter.is_empty();
    let mut rest = words.as_slice();
    while !rest.is_empty() {
        let phrase = |listed: &str| {
            (1..=rest.len().min(MAX_PHRASE)).rev().find(|length| {
                let phrase = rest[..*length].concat();
                listed.split_whitespace().any(|known| known == phrase)
            })
        };
        let core = phrase(CORE);
        let Some(length) = core.or_else(|| phrase(BESIDE)) else { return false };
        found |= core.is_some();
        rest = &rest[length..];
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest] // the Segments design: the fast path, in both languages
    #[case("안녕하세요!", true)]
    #[case("정말 고마워요 ㅎㅎ", true)]
    #[case("좋은 아침 ☀️", true)]
    #[case("ㅋㅋㅋ", true)]
    #[case("Hello there", true)]
    #[case("Hey, how's it going?", true)]
    #[case("Thank you so much, see you tomorrow", true)]
    #[case("안녕, main.rs 좀 봐줘", false)]
    #[case("고마워요. 아까 그 포트는 몇 번이었죠?", false)]
    #[case("Thanks, now fix the test", false)]
    #[case("hi, what did we decide yesterday?", false)]
    #[case("ok", false)]
    #[case("네, 감사합니다", false)]
    #[case("👍", false)]
    #[case("", false)]
    fn small_talk_is_greeting_and_thanks_alone(#[case] text: &str, #[case] expected: bool) {
        assert_eq!(is_small_talk(text), expected);
    }
}
