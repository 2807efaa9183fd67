//! The words of [`crate::args`] about sessions, plans, tasks and decisions, each with its translation.

pub(super) const KOREAN: &[(&str, &str)] = &[
    (
        "Where the work stands: show, share, accept, snapshot, restore",
        "작업이 어디까지 왔는지: 보고, 전하고, 받아들이고, 되돌리기",
    ),
    ("Plans: list, add, edit, switch, finish", "계획: 나열하고, 더하고, 고치고, 바꾸고, 끝내기"),
    (
        "Tasks of a plan: list, add, edit, start, finish",
        "계획의 할 일: 나열하고, 더하고, 고치고, 시작하고, 끝내기",
    ),
    ("What was decided: list, add, remove", "결정한 것: 나열하고, 적고, 지우기"),
    (
        "Where the work stands, and files that Siltstone did not write",
        "작업이 어디까지 왔는지와, Siltstone이 쓰지 않은 파일",
    ),
    (
        "Write `.ai-brain` into the project from now on, or no more",
        "이제부터 프로젝트에 `.ai-brain`을 쓰거나 그만 쓰기",
    ),
    ("No more; what is there stays", "그만 쓰기. 있는 것은 그대로 둠"),
    (
        "Take in `.ai-brain` files that Siltstone did not write; name none to take all",
        "Siltstone이 쓰지 않은 `.ai-brain` 파일 받아들이기. 이름이 없으면 모두",
    ),
    ("The files, by name", "파일 이름"),
    (
        "Keep what Siltstone knows instead, and write over them",
        "대신 Siltstone이 아는 것을 두고 그 위에 쓰기",
    ),
    ("What a new conversation is told first", "새 대화에 처음 들려주는 것"),
    (
        "Copy the session into `.ai-brain/snapshots` now",
        "지금 세션을 `.ai-brain/snapshots`에 복사하기",
    ),
    (
        "Go back to a snapshot; without a name, list them",
        "스냅샷으로 되돌리기. 이름이 없으면 목록 보기",
    ),
    ("The snapshot", "스냅샷"),
    (
        "Read the files again and name what is wrong with them",
        "파일을 다시 읽고 잘못된 것을 알려 주기",
    ),
    (
        "Write the files although another computer holds them",
        "다른 컴퓨터가 쥐고 있어도 파일을 쓰기",
    ),
    (
        "Whether new conversations are told where the work stopped",
        "작업이 멈춘 곳을 새 대화에 들려줄지",
    ),
    (
        "The rule from now on; without one, say which it is",
        "이제부터 따를 규칙. 없으면 지금의 규칙 보기",
    ),
    ("Where it is taken", "고를 때만"),
    ("Every one, where it is not taken out", "빼지 않으면 언제나"),
    ("None", "들려주지 않기"),
    (
        "Whether what was said in one conversation of the project may go in another",
        "프로젝트의 한 대화에서 한 말을 다른 대화에 보내도 되는지",
    ),
    ("The answer; without one, say which it is", "답. 없으면 지금의 답 보기"),
    ("They may", "보내도 됨"),
    ("They may not", "보내지 않음"),
    (
        "Begin a new conversation that is told where the work in the project stopped",
        "프로젝트의 작업이 멈춘 곳을 들려주며 새 대화를 시작하기",
    ),
    ("Plans with their tasks", "계획과 그 할 일"),
    ("Add a plan", "계획 더하기"),
    ("What it is called", "제목"),
    ("What it is about", "설명"),
    ("Change a plan", "계획 고치기"),
    ("The plan", "계획"),
    (
        "Move a plan to a place of the list, counted from 1",
        "계획을 목록의 다른 자리로 옮기기. 1부터 셈",
    ),
    ("The place", "자리"),
    ("Work on this plan; the running summary stays", "이 계획으로 바꾸기. 이어 온 요약은 그대로"),
    (
        "Begin the running summary anew, with what the plan is about",
        "이어 온 요약을 계획의 설명으로 새로 시작하기",
    ),
    ("The plan is done", "계획을 끝내기"),
    ("Put the plan away", "계획을 보관하기"),
    ("Tasks of the plan that is worked on", "지금 계획의 할 일"),
    ("Add a task", "할 일 더하기"),
    ("Its plan [default: the one that is worked on]", "어느 계획의 것인지 [기본: 지금 계획]"),
    ("Change a task", "할 일 고치기"),
    ("The task", "할 일"),
    ("Notes", "메모"),
    (
        "What must be true when it is done; may be given more than once",
        "끝났을 때 맞아야 하는 것. 여러 번 쓸 수 있음",
    ),
    (
        "A task that comes before it; may be given more than once",
        "먼저 끝나야 하는 할 일. 여러 번 쓸 수 있음",
    ),
    (
        "Move a task to a place of its plan, counted from 1",
        "할 일을 계획의 다른 자리로 옮기기. 1부터 셈",
    ),
    ("Work on this task", "이 할 일을 시작하기"),
    ("The task is done", "할 일을 끝내기"),
    ("Put the task away", "할 일을 보관하기"),
    ("Decisions, oldest first", "결정, 오래된 것부터"),
    ("Record a decision", "결정 적기"),
    ("What was decided", "결정한 것"),
    ("Remove a decision", "결정 지우기"),
    ("The decision", "결정"),
];
