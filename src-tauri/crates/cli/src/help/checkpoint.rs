//! The words of `silt checkpoint` in Korean.

/// English, as in the definitions, and Korean.
pub const KOREAN: &[(&str, &str)] = &[
    ("Make a checkpoint of the project now", "지금 프로젝트의 체크포인트 만들기"),
    ("Its name; it then stays until it is deleted by hand", "이름. 붙이면 직접 지울 때까지 남음"),
    ("With where this conversation stands", "이 대화가 서 있는 곳과 함께"),
    ("Checkpoints of the project, the newest first", "프로젝트의 체크포인트, 최근 것부터"),
    ("At most so many", "많아야 이만큼"),
    (
        "One checkpoint: what it holds, and what it does not",
        "체크포인트 하나: 담은 것과 담지 않은 것",
    ),
    ("The checkpoint, by id or name", "체크포인트의 아이디나 이름"),
    ("The checkpoints, by id or name", "체크포인트들의 아이디나 이름"),
    (
        "What is different between two checkpoints, or a checkpoint and now",
        "두 체크포인트, 또는 체크포인트와 지금의 다른 점",
    ),
    ("The earlier one, by id or name", "앞선 것의 아이디나 이름"),
    ("The later one [default: now]", "나중 것 [기본: 지금]"),
    ("The lines of this file", "이 파일의 줄들"),
    ("What a restore would do; nothing is done", "되돌리면 무엇이 바뀌는지. 아무것도 하지 않음"),
    ("What comes back [default: all]", "돌아올 것 [기본: 모두]"),
    ("The conversation as it stood", "그때의 대화"),
    ("The project's files", "프로젝트의 파일"),
    ("What was added while working", "일하면서 더한 것"),
    ("What is known beside the conversation", "대화 말고 알려진 것"),
    (
        "Go back to a checkpoint, carry a plan out, or go on with one that was cut off; a checkpoint is made before it",
        "체크포인트로 되돌리거나, 계획대로 하거나, 끊긴 것을 이어서 하기. 그 전에 체크포인트를 만듦",
    ),
    ("The checkpoint, by id or name, or a plan", "체크포인트의 아이디나 이름, 또는 계획"),
    (
        "What becomes of every file that was changed since [default: keep-mine]",
        "그 뒤에 바뀐 모든 파일을 어떻게 할지 [기본: keep-mine]",
    ),
    ("What it was", "그때 것으로"),
    ("What it is now", "지금 그대로"),
    (
        "Both, where they fit together; else what it is now",
        "둘이 맞으면 합친 것, 아니면 지금 그대로",
    ),
    (
        "Leave this file as it is, by its path, or by its number in the plan; may be given more than once",
        "이 파일을 그대로 두기. 경로나 계획의 번호로. 여러 번 쓸 수 있음",
    ),
    (
        "Make this file what it was, by its path, or by its number in the plan; may be given more than once",
        "이 파일을 그때 것으로 만들기. 경로나 계획의 번호로. 여러 번 쓸 수 있음",
    ),
    (
        "Make this file the text of another one, for example a merge; may be given more than once",
        "이 파일을 다른 파일의 글로 만들기, 이를테면 병합한 것. 여러 번 쓸 수 있음",
    ),
    ("Undo the last restore of the project", "프로젝트를 마지막으로 되돌린 일을 취소하기"),
    (
        "Show a conversation as it stood, to go on from there; no file is touched",
        "그때의 대화를 보이고 거기서 이어 가기. 파일은 건드리지 않음",
    ),
    ("Delete checkpoints for ever", "체크포인트를 아주 지우기"),
    (
        "Let old checkpoints go by the rules of the settings, or by these",
        "설정의 규칙이나 이 규칙으로 오래된 체크포인트를 지우기",
    ),
    ("Only say what would go", "지울 것을 말하기만 하기"),
    ("Older than these days", "이 날수보다 오래된 것"),
    ("More than these", "이 수를 넘는 것"),
    ("More than these bytes", "이 바이트를 넘는 것"),
    (
        "Read everything that checkpoints hold, and name what is damaged",
        "체크포인트가 담은 것을 모두 읽고 망가진 것을 말하기",
    ),
    (
        "Find again what can be found of what is damaged or missing",
        "망가지거나 없어진 것 중에 찾을 수 있는 것을 다시 찾기",
    ),
    ("Let a checkpoint stay whatever the rules say", "규칙과 상관없이 체크포인트를 남기기"),
    ("Let it go by the rules again", "다시 규칙을 따르게 하기"),
    ("Give a checkpoint a name", "체크포인트에 이름 붙이기"),
    (
        "Say where the project's checkpoints are kept, or keep a copy in the project",
        "프로젝트의 체크포인트를 두는 곳을 말하거나 프로젝트 안에 사본을 두기",
    ),
    ("Where they are kept from now on", "이제부터 둘 곳"),
    ("On this computer alone", "이 컴퓨터에만"),
    (
        "On this computer, with a copy in the project's own folder, where git does not see it",
        "이 컴퓨터에 두고, git이 보지 않는 프로젝트 폴더 안에 사본도 두기",
    ),
    (
        "Take over what this folder holds, which another computer wrote",
        "다른 컴퓨터가 쓴 이 폴더에 든 것을 가져오기",
    ),
    ("The name; none takes it away", "이름. 없으면 뗌"),
    (
        "Seal checkpoints from now on, and all that exist; goes on with what was cut off",
        "이제부터의 체크포인트와 있는 것을 모두 봉인하기. 끊긴 것은 이어서 함",
    ),
    ("Where a new key is kept [default: what is open]", "새 열쇠를 둘 곳 [기본: 열려 있는 곳]"),
    (
        "Seal checkpoints no longer, and open all that exist",
        "더는 봉인하지 않고 있는 것을 모두 풀기",
    ),
    (
        "Say whether the key of sealed checkpoints is at hand",
        "봉인된 체크포인트의 열쇠가 있는지 말하기",
    ),
    (
        "Open sealed checkpoints with the recovery passphrase, and keep their key again",
        "복구 암호로 봉인된 체크포인트를 열고 열쇠를 다시 보관하기",
    ),
    ("A file that holds the passphrase", "암호가 든 파일"),
    (
        "Set a recovery passphrase in place of the earlier one; it is shown this once",
        "앞의 것 대신 복구 암호 정하기. 이번 한 번만 보임",
    ),
    (
        "A file that holds one of your own [default: a new one]",
        "직접 정한 암호가 든 파일 [기본: 새로 만듦]",
    ),
];
