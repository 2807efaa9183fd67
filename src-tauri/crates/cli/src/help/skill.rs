//! The words of `silt skill` in Korean.

pub(super) const KOREAN: &[(&str, &str)] = &[
    (
        "Skills, folders with a SKILL.md that hold instructions for a kind of work: list, show, use, drop, offer",
        "스킬, 어떤 일을 하는 법을 SKILL.md에 담은 폴더: 목록, 보기, 쓰기, 빼기, 알리기",
    ),
    (
        "Skills of this project and your own, with what each would cost",
        "이 프로젝트의 스킬과 내 스킬, 저마다 드는 토큰과 함께",
    ),
    (
        "Say of this conversation what it has of them [default: the last one here]",
        "이 대화가 쓰는 스킬을 함께 보기 [기본: 여기의 마지막 대화]",
    ),
    ("What a skill says, as it would go", "스킬의 글을 보내는 그대로 보기"),
    ("The skill, by its name or its folder", "스킬의 이름이나 폴더"),
    (
        "Send a skill with every request of a conversation from now on",
        "이제부터 대화의 모든 요청에 스킬을 넣기",
    ),
    ("The conversation [default: the last one here]", "대화 [기본: 여기의 마지막 대화]"),
    ("No longer send a skill with a conversation", "대화에서 스킬을 빼기"),
    (
        "Tell models of a skill, so that they may read it when they need it; as it is now, until its file changes",
        "모델이 필요할 때 읽도록 스킬을 알리기. 지금 그대로일 때만, 파일이 바뀌기 전까지",
    ),
    ("No longer tell models of a skill", "모델에 스킬을 더는 알리지 않기"),
    (
        "Send this skill with every request of the conversation, by its name or its folder; may be given more than once",
        "대화의 모든 요청에 이 스킬을 넣기. 이름이나 폴더로, 여러 번 쓸 수 있음",
    ),
];
