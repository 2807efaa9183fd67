//! How an answer looks: `누가` wants a person, `어디에` a place or a path, `어떻게` what to do. A message that looks like an
//! answer of the kind that is asked for may be one, whatever its words.

use std::sync::LazyLock;

use regex::RegexSet;

use crate::pattern::patterns;

/// How many there are.
pub(super) const COUNT: usize = 13;

/// What a question says, and how a text looks that answers it.
const SHAPES: [(&[&str], &str); COUNT] = [
    (
        &["누가", "누구", "담당", "사람은", "사람이", "이름"],
        r"[가-힣]{2,4}(?:씨|님|이가|이는|이도|이랑|이한테|한테|에게)|팀장|과장|대리|부장|교수|선생|원장|실장|대표|언니|누나|오빠|동생|엄마|아빠|어머니|아버지|이모|삼촌",
    ),
    (
        &["왜", "이유", "까닭", "원인", "때문", "탓", "why", "reason", "cause"],
        r"때문|니까|거든|[라아어워려져해돼겨여와러나커]서(?:[ .,]|$)|느라|탓|덕분|려고|므로|길래|(?i:because|so that|due to)",
    ),
    (
        &["어떻게", "방법", "어떤 식", "해결", "조언", "how do", "how should", "how can"],
        r"(?:으면|하면|면|도) (?:돼|되|좋|해결|풀|충분)|세요|하죠|[두쓰놓가]죠|[하두쓰놓가]자|기로",
    ),
    (
        &[
            "명령",
            "코드",
            "옵션",
            "설정",
            "변수",
            "함수",
            "식별자",
            "값",
            "키",
            "태그",
            "command",
            "option",
            "flag",
            "function",
        ],
        "`",
    ),
    (
        &["이름", "뭐라고", "제목", "부르", "명칭", "문구", "called", "name", "title"],
        r#"['"‘“「『《<`]"#,
    ),
    (
        &["주소", "링크", "이메일", "메일", "사이트", "url", "link", "email"],
        r"https?://|\w@\w|\.(?:com|kr|io|dev|net|org)\b|주소",
    ),
    (
        &["경로", "어디", "파일", "폴더", "위치", "where", "path", "file", "folder"],
        r"[~.\w]/\w|\w\.[a-z]{1,4}\b|에 (?:두|둬|둘|뒀|저장|있|올|넣|놓|적)|에서|폴더|서랍",
    ),
    (&["포트", "번호", "전화", "코드는", "port", "number"], r"\d{3,}"),
    (&["버전", "태그", "릴리스", "version", "release", "tag"], r"\d+\.\d+"),
    (
        &["바뀌", "바꿨", "바꾼", "변경", "달라", "변했", "결국", "최종", "지금", "change"],
        r"말고|대신|바꾸|바꿨|바꿔|바뀌|바뀐|변경|으?로 (?:올리|내리|줄|늘|하자|가자|옮|낮|하기|정)|결정|이제|취소|(?i:instead|change|no longer)",
    ),
    (
        &[
            "안 하",
            "않",
            "못",
            "빼",
            "제외",
            "하지 말",
            "금지",
            "포기",
            "취소",
            "거절",
            "안 쓰",
            "안 넣",
        ],
        r" 안 |않|못|말고|말자|마세요|빼|제외|없이|금지|취소|포기",
    ),
    (
        &["몇", "얼마", "비율", "퍼센트", "how many", "how much", "how long", "percent"],
        r"\d|[한두세네] (?:개|명|번|달|주|시간|장|권|가지|사람)|열|스무|절반|하루|이틀|사흘|일주일",
    ),
    (
        &["뭐뭐", "무엇무엇", "어떤 것들", "몇 가지", "목록", "항목", "종류", "조건", "list"],
        r", [^,]+,|와 [^ ]+(?:를|을|만|이|가)|[^ ]+(?:랑|이랑|하고) |(?m:^ *(?:[-*]|\d\.) )",
    ),
];

static SAID: LazyLock<Option<RegexSet>> =
    LazyLock::new(|| patterns(SHAPES.iter().map(|(_, pattern)| *pattern)).ok());

/// How a text looks, a bit each.
pub(super) fn said(text: &str) -> u16 {
    let found = SAID.as_ref().map(|patterns| patterns.matches(text));
    found.iter().flatten().fold(0, |shapes, at| shapes | 1 << at)
}

/// How an answer would look, a bit each; `has` tells whether the question has one of some cues.
pub(super) fn asked(has: impl Fn(&[&str]) -> bool) -> u16 {
    let wanted = SHAPES.iter().enumerate().filter(|(_, (cues, _))| has(cues));
    wanted.fold(0, |shapes, (at, _)| shapes | 1 << at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::a_person("누가 검수해?", "검수는 민지한테 부탁했어", true)]
    #[case::a_person("누가 검수해?", "검수는 금요일이야", false)]
    #[case::a_reason("왜 뺐지?", "무거워서 뺐어", true)]
    #[case::a_place("어디에 뒀지?", "서랍에 넣어 뒀어", true)]
    #[case::code("명령 알려 줘", "`make run` 을 쓰세요", true)]
    #[case::a_change("결국 어떻게 됐어?", "빨강 말고 파랑으로 하자", true)]
    fn an_answer_looks_like_one(
        #[case] question: &str,
        #[case] answer: &str,
        #[case] expected: bool,
    ) {
        let wanted = asked(|cues| cues.iter().any(|cue| question.contains(cue)));
        assert_eq!(wanted & said(answer) != 0, expected, "{wanted:b} {:b}", said(answer));
    }

    #[test]
    fn every_pattern_compiles() {
        assert!(SAID.is_some());
    }
}
