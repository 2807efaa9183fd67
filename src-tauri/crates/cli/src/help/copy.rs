//! The words of `silt copy` in Korean.

pub(super) const KOREAN: &[(&str, &str)] = &[
    (
        "Copies of a project, in which agents work beside it: create, list, diff, merge, remove",
        "프로젝트 곁에서 에이전트가 일하는 복사본: 만들기, 목록, 다른 점, 합치기, 삭제",
    ),
    (
        "Make a copy of this project beside it: its files as they are now, on a branch of its own where it is a git repository",
        "이 프로젝트 곁에 복사본 만들기: 파일은 지금 그대로, git 저장소면 따로 브랜치를 둠",
    ),
    (
        "What it is for; folder and branch are named after it",
        "무엇에 쓸지. 폴더와 브랜치의 이름이 됨",
    ),
    (
        "A folder without a repository, also where git could make a worktree",
        "git worktree를 만들 수 있어도 저장소 없는 폴더로",
    ),
    ("Copies of this project, the oldest first", "이 프로젝트의 복사본, 오래된 것부터"),
    ("What was changed in a copy since it was made", "복사본에서 만든 뒤로 바뀐 것"),
    ("The copy, by its name or its folder", "복사본의 이름이나 폴더"),
    (
        "Bring what was changed in a copy into this project; a checkpoint is made before, and `silt checkpoint undo` takes it back",
        "복사본에서 바뀐 것을 이 프로젝트에 합치기. 먼저 체크포인트를 만들고, `silt checkpoint undo`로 되돌림",
    ),
    (
        "Say what would happen to each file; nothing is done",
        "파일마다 무엇이 바뀔지만 보기. 아무것도 하지 않음",
    ),
    (
        "What becomes of files that were changed here and there in the same place [default: mine]",
        "양쪽에서 같은 곳이 바뀐 파일을 어떻게 할지 [기본: mine]",
    ),
    ("What they are here", "여기 것 그대로"),
    ("What they are in the copy", "복사본 것으로"),
    (
        "Remove a copy with its folder; what it held is kept in a checkpoint of this project, which gets its conversations",
        "복사본을 폴더째 지우기. 있던 것은 이 프로젝트의 체크포인트에 남고, 대화는 이 프로젝트로 옮김",
    ),
    (
        "Do it, though something of it is not merged or goes with it",
        "합치지 않은 것이나 함께 사라질 것이 있어도 지우기",
    ),
];
