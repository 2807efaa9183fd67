//! The words of [`crate::args`] about sessions of other agents, each with its translation.

pub(super) const KOREAN: &[(&str, &str)] = &[
    (
        "Sessions of Claude Code, Codex, Gemini CLI, Antigravity, opencode, Cline and Cursor: keep them for good, look into them, see what a compaction dropped",
        "Claude Code, Codex, Gemini CLI, Antigravity, opencode, Cline, Cursor의 세션: 계속 보관하고, 들여다보고, 압축이 떨어뜨린 것 보기",
    ),
    (
        "Folders in which other agents keep sessions: how many, how large, since when",
        "다른 에이전트가 세션을 두는 폴더: 몇 개인지, 얼마나 큰지, 언제부터인지",
    ),
    (
        "Keep every byte that is new in the folders you agreed to; Ctrl-C stops it and keeps what it has",
        "동의한 폴더에서 새로운 바이트를 모두 보관하기. Ctrl-C로 멈추면 그때까지의 것은 남음",
    ),
    (
        "Files and folders to look at, below those you agreed to; without any, all of these",
        "살펴볼 파일과 폴더. 동의한 폴더 안의 것이어야 하며, 없으면 모두 살펴봄",
    ),
    (
        "Agree to the folders that `sources` lists, from now on",
        "`sources`가 보여 주는 폴더에 지금부터 동의하기",
    ),
    (
        "Keep nothing new of them any more; what is kept stays",
        "이제 새로운 것은 보관하지 않기. 보관한 것은 그대로 남음",
    ),
    (
        "Agree to, or withdraw from, this agent's folders alone",
        "이 에이전트의 폴더에만 동의하거나 동의를 거두기",
    ),
    (
        "Of this agent a folder that is elsewhere, as the one in which exports of ChatGPT or Claude lie, or one export",
        "이 에이전트의 다른 곳에 있는 폴더. ChatGPT나 Claude에서 내보낸 파일을 둔 폴더, 또는 그 파일 하나",
    ),
    (
        "How much is kept, what the agents have no more, and what was not understood",
        "얼마나 보관했는지, 에이전트에는 이제 없는 것, 알아보지 못한 것",
    ),
    ("Sessions, the one in which something was said last first", "세션, 마지막으로 말한 것부터"),
    ("Of this agent alone", "이 에이전트의 것만"),
    ("Of work in this folder, or beneath it", "이 폴더나 그 아래에서 일한 것"),
    ("Find what was said in sessions by its words", "세션에서 오간 말을 낱말로 찾기"),
    (
        "Words that all must be there; phrases in quotes",
        "모두 들어 있어야 하는 낱말. 구절은 따옴표로",
    ),
    ("One session with what was said in it", "세션 하나와 그 안에서 오간 말"),
    ("Its id, or the beginning of it", "id, 또는 그 앞부분"),
    (
        "Its id, or the beginning of it; or the id of a conversation from here, which goes on elsewhere",
        "id 또는 그 앞부분. 여기 있는 대화의 id면 다른 곳에서 이어 가기",
    ),
    ("With what was said on other branches", "다른 가지에서 한 말까지"),
    (
        "As it was before it was written anew: a version, from 1",
        "새로 쓰이기 전의 모습: 버전, 1부터",
    ),
    (
        "The bytes of its file as they were seen, with keys, tokens and passwords",
        "본 그대로의 파일 바이트, 키와 토큰과 비밀번호까지",
    ),
    ("The bytes of another file that belongs to it", "이 세션에 딸린 다른 파일의 바이트"),
    (
        "What each compaction of a session dropped: rules, decisions, paths, commands, figures",
        "세션의 압축이 저마다 떨어뜨린 것: 규칙, 결정, 경로, 명령, 숫자",
    ),
    (
        "With what the summary or later messages still say",
        "요약이나 뒤의 메시지가 아직 말하는 것까지",
    ),
    (
        "Go on with a session here, with an agent or as a text; without --yes, only say what would go and what would not",
        "세션을 여기서, 에이전트로, 또는 글로 이어 가기. --yes가 없으면 무엇이 가고 가지 않는지만 말하기",
    ),
    (
        "As a session of this agent; a new file, and none of the agent's own is changed",
        "이 에이전트의 세션으로. 새 파일이며 에이전트의 파일은 바뀌지 않음",
    ),
    (
        "As a text for whoever goes on: rules and decisions, the summary so far, the last exchanges",
        "이어 갈 이를 위한 글로: 규칙과 결정, 지금까지의 요약, 마지막 대화",
    ),
    (
        "The folder in which the agent goes on, where that is not the session's own any more",
        "에이전트가 이어 갈 폴더. 세션의 폴더가 이제 아닐 때",
    ),
    (
        "With what was before the last compaction, in the place of its summary",
        "마지막 압축의 요약 대신 그 앞의 것까지",
    ),
    (
        "Straight into the agent's own folder, at the path that is shown without --yes",
        "에이전트의 폴더에 바로. --yes 없이 보여 준 경로에",
    ),
    (
        "Read every byte that is kept, and compare it with its hash",
        "보관한 바이트를 모두 읽어 해시와 견주기",
    ),
    (
        "Delete what is kept for ever; without --yes, only say what would go",
        "보관한 것을 영영 지우기. --yes가 없으면 무엇이 지워질지만 말하기",
    ),
    (
        "A session with its subagents; it is not kept again",
        "하위 에이전트를 포함한 세션. 다시 보관하지 않음",
    ),
    (
        "Everything of an agent, and the yes to its folders",
        "한 에이전트의 모든 것과 그 폴더에 대한 동의",
    ),
    ("Do it: the session itself stays as it is", "실제로 하기. 세션 자체는 그대로 남음"),
    ("Do it: nothing brings it back", "실제로 지우기. 되돌릴 수 없음"),
];
