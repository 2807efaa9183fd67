//! Estimates by script, for models whose tokenizer is not public.
//!
//! A length alone tells little: a blank costs nothing before a word and a token in an indent, a Latin word is one token
//! up to six letters or so, a Hangul syllable is most of one. So the text is read as runs of one kind. The weights were
//! fitted to the mean of eight public vocabularies over this project's own sources, texts and documents; they stay
//! within a tenth of the larger ones, and a [`Calibration`](super::Calibration) takes care of the rest.

/// A run of characters that tokenizers treat alike.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Blank,
    Lower,
    Upper,
    /// Greek, Cyrillic, Latin with accents.
    Letter,
    Digit,
    Hangul,
    Han,
    Kana,
    Mark,
    Emoji,
    Other,
}

/// A Latin word, or a part of an identifier, of up to [`WORD_LETTERS`].
const WORD: f64 = 1.0;
/// Letters that a single token holds.
const WORD_LETTERS: f64 = 6.0;
/// Every further one.
const LONG_WORD: f64 = 0.1;
/// Every further capital in a row.
const CAPITAL: f64 = 0.3;
const LETTER: f64 = 0.6;
/// Three digits at most.
const NUMBER: f64 = 1.05;
const DIGITS: f64 = 3.0;
/// A Hangul word costs this beyond its syllables.
const HANGUL_WORD: f64 = 0.4;
const SYLLABLE: f64 = 0.65;
const HAN: f64 = 0.75;
const KANA: f64 = 0.55;
/// A run of marks, and each of them.
const MARKS: f64 = 0.9;
const MARK: f64 = 0.05;
/// Blanks that are more than the one before a word.
const INDENT: f64 = 0.75;
const EMOJI: f64 = 1.6;
const OTHER: f64 = 0.6;

/// Estimated tokens of `text`; at least 1 unless it is empty. Linear in its length.
pub fn estimate(text: &str) -> u64 {
    // The sum is finite and not negative, and far below 2^53 for any text that fits in memory.
    let weighed = weigh(text, &mut |_| ()).ceil() as u64;
    // A blank alone weighs nothing: it is part of the word after it, and there is none.
    weighed.max(u64::from(!text.is_empty()))
}

/// Calls `seen` with every character that is looked at, so that a test can count them.
fn weigh(text: &str, seen: &mut impl FnMut(char)) -> f64 {
    let mut total = 0.0;
    let mut chars = text.chars().inspect(|c| seen(*c)).peekable();
    let mut before = None;
    while let Some(first) = chars.next() {
        let kind = kind(first);
        let mut length = 1.0;
        while chars.next_if(|c| self::kind(*c) == kind).is_some() {
            length += 1.0;
        }
        let joins = first == '\'' || first == '_';
        total += match kind {
            Kind::Blank if first == ' ' && length == 1.0 => 0.0,
            Kind::Blank => INDENT,
            // `Word`: the small letters go on where one capital began.
            Kind::Lower if before == Some(Kind::Upper) => LONG_WORD * over(length + 1.0),
            Kind::Lower => WORD + LONG_WORD * over(length),
            Kind::Upper => WORD + CAPITAL * (length - 1.0),
            Kind::Letter => LETTER * length,
            Kind::Digit => NUMBER * f64::ceil(length / DIGITS),
            Kind::Hangul => HANGUL_WORD + SYLLABLE * length,
            Kind::Han => HAN * length,
            Kind::Kana => KANA * length,
            // `it's` and `snake_case`: the mark is part of the next token.
            Kind::Mark if joins && length == 1.0 && is_latin(before) => 0.0,
            Kind::Mark => MARKS + MARK * length,
            Kind::Emoji => EMOJI * length,
            Kind::Other => OTHER * length,
        };
        before = Some(kind);
    }
    total
}

fn over(letters: f64) -> f64 {
    f64::max(letters - WORD_LETTERS, 0.0)
}

fn is_latin(kind: Option<Kind>) -> bool {
    matches!(kind, Some(Kind::Lower | Kind::Upper))
}

fn kind(c: char) -> Kind {
    match c {
        ' ' | '\t' | '\n' | '\r' => Kind::Blank,
        'a'..='z' => Kind::Lower,
        'A'..='Z' => Kind::Upper,
        '0'..='9' => Kind::Digit,
        '!'..='~' => Kind::Mark,
        '\u{C0}'..='\u{52F}' => Kind::Letter,
        '\u{1100}'..='\u{11FF}'
        | '\u{3131}'..='\u{318E}'
        | '\u{A960}'..='\u{A97F}'
        | '\u{AC00}'..='\u{D7FF}' => Kind::Hangul,
        '\u{3041}'..='\u{30FF}' => Kind::Kana,
        '\u{2E80}'..='\u{2FDF}'
        | '\u{3400}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{3FFFF}' => Kind::Han,
        '\u{2600}'..='\u{27BF}' | '\u{1F000}'..='\u{1FAFF}' => Kind::Emoji,
        _ => Kind::Other,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;
    use crate::tokens::Encoding;

    /// Most a bare estimate may be off against the encoding of today's models, over texts of some length.
    const TOLERANCE: f64 = 0.15;

    #[rstest]
    #[case::english(
        "The refresh path lives in the session module and must not change. We agreed on Tuesday to keep \
        the token for thirty minutes, and to ask again only when the server says so; nobody wanted a second timer."
    )]
    #[case::korean(
        "갱신 경로는 세션 모듈에 있고 절대로 바꾸면 안 됩니다. 토큰은 삼십 분 동안 유지하고, 서버가 요청할 때만 다시 \
        묻기로 화요일에 정했어요. 타이머를 하나 더 두자는 의견은 없었습니다."
    )]
    #[case::mixed(
        "useEffect를 컴포넌트 안에서 쓰면 안 돼요. session.rs의 refresh_token()을 3번 호출하고 있어요: 로그를 확인해 주세요."
    )]
    #[case::code(
        "pub fn budget_of(window: u64) -> u64 {\n    window - window / REPLY_SHARE\n}\n\nfn no_room(source: String, \
        tokens: u64) -> LeftOut {\n    LeftOut { source, tokens, why: LeftOutWhy::NoRoom }\n}\n"
    )]
    #[case::chinese("会话模块负责刷新令牌,请不要修改这条路径。我们在星期二决定令牌保留三十分钟。")]
    #[case::japanese(
        "更新の経路はセッションモジュールにあり、変更してはいけません。火曜日に決めました。"
    )]
    #[case::emoji("👍 좋아요 🎉🎉 done ✅ next 🚀")]
    fn an_estimate_is_near_the_count(#[case] text: &str) {
        let counted = Encoding::O200k.count(text).unwrap() as f64;
        let error = estimate(text) as f64 / counted - 1.0;
        assert!(error.abs() <= TOLERANCE, "{error:+.2}, counted {counted}");
    }

    #[test]
    fn an_empty_text_costs_nothing() {
        assert_eq!(estimate(""), 0);
        assert_eq!(estimate("a"), 1);
        assert_eq!(estimate(" "), 1);
    }

    #[test]
    fn every_character_is_looked_at_once() {
        for text in ["가".repeat(50_000), "x".repeat(50_000), "a가 1.\n".repeat(10_000)] {
            let mut looks = 0;
            weigh(&text, &mut |_| looks += 1);
            assert_eq!(looks, text.chars().count());
        }
    }

    proptest! {
        #[test]
        fn a_longer_text_never_costs_less(text in any::<String>(), more in "\\PC{0,8}") {
            let longer = format!("{text}{more}");
            prop_assert!(estimate(&text) <= estimate(&longer));
            prop_assert_eq!(estimate(&text) == 0, text.is_empty());
        }
    }
}
