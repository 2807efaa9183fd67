//! The words of [`crate::args`] about backups, each with its translation.

pub(super) const KOREAN: &[(&str, &str)] = &[
    (
        "Copies of conversations and settings to go back to: list, create, restore",
        "돌아갈 수 있는 대화와 설정의 사본: 나열하고, 만들고, 되돌리기",
    ),
    (
        "Backups of conversations and settings, the last one first",
        "대화와 설정의 백업, 최근 것부터",
    ),
    ("Make a backup now", "지금 백업 만들기"),
    (
        "Go back to a backup; without --yes, only say what that would change",
        "백업으로 되돌리기. --yes가 없으면 무엇이 바뀔지만 말하기",
    ),
    (
        "Read what can be read of a damaged database; without --yes, only say what that would be",
        "손상된 데이터베이스 복구하기. --yes가 없으면 무엇을 읽을 수 있는지만 말하기",
    ),
    (
        "A backup that adds what the damaged database does not have",
        "손상된 데이터베이스에 없는 것을 더할 백업",
    ),
    (
        "Do it: the damaged database is moved aside and kept",
        "실제로 복구하기. 손상된 데이터베이스는 옆으로 옮겨 보관함",
    ),
    ("Its name, as the list says it", "목록에 나오는 이름"),
    ("Do it: what is there now is backed up first", "실제로 되돌리기. 지금 것은 먼저 백업함"),
];
