//! The words of [`crate::args`] about the ledger and what summaries keep of it, each with its translation.

pub(super) const KOREAN: &[(&str, &str)] = &[
    (
        "What was said that must not get lost: rules, decisions, paths, commands, figures",
        "잃으면 안 되는 말: 규칙, 결정, 경로, 명령, 수치",
    ),
    (
        "What a conversation said that must not get lost, with the messages that say it",
        "대화에서 잃으면 안 되는 말과 그 말을 한 메시지",
    ),
    (
        "Make the next fold and show what it would keep, leave behind and cost; nothing changes",
        "다음 요약을 만들어 무엇을 남기고 빠뜨리며 얼마가 드는지 보기. 바뀌는 것은 없음",
    ),
    (
        "Take a previewed, an older or an undone summary as the newest one",
        "미리 본 요약, 예전 요약, 거둔 요약을 가장 새것으로 삼기",
    ),
    ("Take the newest summary of the shown path back", "보이는 가지의 가장 새 요약을 거두기"),
    (
        "Let something that its messages say go with a summary, as a new version",
        "메시지에 있는 말을 요약과 함께 보내기, 새 버전으로",
    ),
    (
        "Let something not go with a summary any more, as a new version",
        "함께 보내던 말을 더는 보내지 않기, 새 버전으로",
    ),
    ("As they say it, word for word", "메시지에 있는 그대로"),
    ("A transcript instead, one message a line", "대화 대신 한 줄에 메시지 하나인 기록"),
    (
        "What a summary keeps of its messages, and what it claims that they do not say",
        "요약이 메시지에서 무엇을 남겼는지, 메시지에 없는 말을 했는지",
    ),
    (
        "The summaries of sentences that a transcript would have had instead; nothing is asked",
        "요약 대신, 기록에서 문장을 골라 만들어질 요약. 아무 모델에도 묻지 않음",
    ),
    (
        "Percent of the summaries' tokens for facts that go with them, 0 to 50",
        "요약과 함께 갈 사실에 쓸 토큰, 요약 토큰의 0에서 50퍼센트",
    ),
];
