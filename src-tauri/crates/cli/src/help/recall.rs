//! The words of [`crate::args`] about recall, each with its translation.

pub(super) const KOREAN: &[(&str, &str)] = &[
    (
        "How well what was said long ago is found again: measure it",
        "오래전에 한 말을 얼마나 잘 다시 찾는지 재기",
    ),
    (
        "What would be put before a model for questions about conversations, one line of JSON for each question and budget",
        "대화에 대한 질문에 모델 앞에 놓일 글을, 질문과 예산마다 JSON 한 줄로 내기",
    ),
    ("Conversations and questions as JSON", "대화와 질문이 담긴 JSON"),
    ("Names for lists of conversations, as JSON", "대화 목록의 이름이 담긴 JSON"),
    ("Only the conversations of this name", "이 이름의 대화만"),
    ("Tokens of a context; several with commas", "글의 토큰 수. 여럿이면 쉼표로"),
    ("How the conversation is told", "대화를 전하는 방식"),
];
