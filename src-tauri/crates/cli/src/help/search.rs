//! The words of [`crate::args`] about searching, each with its translation.

pub(super) const KOREAN: &[(&str, &str)] = &[
    (
        "Search everything: conversations, summaries, decisions, memory, files, checkpoints",
        "모두 검색: 대화, 요약, 결정, 메모리, 파일, 체크포인트",
    ),
    ("Search messages", "메시지에서 찾기"),
    ("What to look for", "찾을 말"),
    ("Make the index anew instead of searching", "찾지 않고 색인을 새로 만들기"),
    ("In every project", "모든 프로젝트에서"),
    ("Only in this conversation", "이 대화에서만"),
    ("Most hits to give, at most 100", "보여 줄 결과의 수, 많아야 100"),
    ("Only these kinds; several with commas", "이 종류만. 여럿이면 쉼표로"),
    ("Only what this one said", "이 사람이나 모델, 도구가 말한 것만"),
    ("Only from this day on, such as 2026-05-01", "이날부터, 예: 2026-05-01"),
    ("Only up to this day, itself included", "이날까지, 그날 포함"),
    ("Most to give of each kind, at most 100", "종류마다 보여 줄 결과의 수, 많아야 100"),
];
