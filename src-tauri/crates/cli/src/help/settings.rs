//! The words of [`crate::args::Settings`] and [`crate::args::Message`].

pub const KOREAN: &[(&str, &str)] = &[
    (
        "Everything that the window's settings say: list, get, set, unset",
        "창의 설정이 말하는 모든 것: 나열, 보기, 바꾸기, 기본값으로",
    ),
    ("Every setting with its value and what it means", "모든 설정과 그 값, 그리고 그 뜻"),
    ("Only those whose name holds this", "이름에 이것이 들어 있는 것만"),
    (
        "One setting: its value, what it may be, its default and what it means",
        "설정 하나: 값, 쓸 수 있는 값, 기본값, 그리고 그 뜻",
    ),
    ("Its name, as `list` gives it", "`list`가 알려 주는 이름"),
    ("Change a setting", "설정 바꾸기"),
    ("The new value; of a list each of its texts", "새 값. 목록이면 글을 하나씩"),
    ("Give a setting its default again", "설정을 기본값으로 되돌리기"),
    (
        "Single messages: edit, regenerate, continue, branch",
        "메시지 하나: 고쳐 묻기, 다시 답하기, 이어 가기, 가지 옮기기",
    ),
    (
        "Say one of your messages differently and ask again; the old one stays as a branch",
        "내 메시지를 고쳐서 다시 묻기. 앞의 것은 가지로 남음",
    ),
    ("The message, as `conversation show` names it", "`conversation show`가 알려 주는 메시지"),
    (
        "Ask for another reply; the old one stays as a branch",
        "다시 답하게 하기. 앞의 것은 가지로 남음",
    ),
    ("The reply, as `conversation show` names it", "`conversation show`가 알려 주는 답변"),
    ("Go on where a reply was stopped", "답변이 멈춘 데서 이어 가기"),
    ("Show the branch on which a message is, from now on", "메시지가 있는 가지를 이제부터 보이기"),
    (
        "The message, as `conversation show --branches` names it",
        "`conversation show --branches`가 알려 주는 메시지",
    ),
    (
        "Exactly as the designs write it, with what they lose, now and later in this conversation",
        "설계서에 적힌 그대로, 잃는 것까지, 이 대화에서 지금부터",
    ),
    ("Pinned ones, too", "고정한 것도"),
    ("With the messages of branches that are not shown", "보이지 않는 가지의 메시지까지"),
];
