//! The words of [`crate::args`] about newer versions, each with its translation.

pub(super) const KOREAN: &[(&str, &str)] = &[
    (
        "Newer versions of Siltstone, signed by those who made this copy: status, look, get, install",
        "이 사본을 만든 곳이 서명한 Siltstone의 새 버전: 상태, 살펴보기, 내려받기, 설치",
    ),
    (
        "The version that runs, as what it was installed, and what the last look found; nothing leaves",
        "지금 버전, 설치된 방식, 지난번에 찾은 것. 밖으로 나가는 것은 없음",
    ),
    (
        "Ask once whether there is a newer version, and say what would be downloaded",
        "새 버전이 있는지 한 번 묻고, 무엇을 내려받게 될지 말하기",
    ),
    (
        "Download what the last look found and verify its signature; Ctrl-C stops it and keeps nothing",
        "지난번에 찾은 것을 내려받고 서명 확인하기. Ctrl-C로 멈추면 아무것도 남지 않음",
    ),
    (
        "Put what was downloaded in the program's place, or say the command that does",
        "내려받은 것을 프로그램 자리에 놓거나, 그렇게 하는 명령을 말하기",
    ),
];
