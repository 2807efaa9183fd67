//! The words of [`crate::args`] about plans that a model makes, each with its translation.

pub(super) const KOREAN: &[(&str, &str)] = &[
    (
        "Plans by a model: create, run, go-on, stop",
        "모델이 만드는 계획: 만들고, 실행하고, 이어 가고, 멈추기",
    ),
    (
        "Whether an answer did what was asked, as a model judges it",
        "답변이 요청한 일을 했는지 모델에게 판단하게 하기",
    ),
    (
        "Ask a model for a plan; with --json it can be edited and run",
        "모델에게 계획을 부탁하기. --json이면 고쳐서 실행할 수 있음",
    ),
    ("Ask in this conversation [default: a new one]", "이 대화에서 부탁하기 [기본: 새 대화]"),
    ("What is to be done", "할 일"),
    (
        "Carry a plan out, task after task, until it is done or waits; Ctrl-C stops it",
        "계획을 할 일마다 차례로 실행하기. 끝나거나 기다리게 될 때까지. Ctrl-C로 멈춤",
    ),
    (
        "Carry it out in this conversation [default: a new one]",
        "이 대화에서 실행하기 [기본: 새 대화]",
    ),
    ("The plan as JSON; `-` reads it from stdin", "JSON으로 된 계획. `-`이면 표준 입력에서 읽음"),
    (
        "Let one call of this tool go without asking; given twice, two",
        "모델이 이 도구를 묻지 않고 한 번 쓰게 하기. 두 번 쓰면 두 번",
    ),
    ("Go on with a plan that waits", "기다리는 계획을 이어 가기"),
    ("Carry a plan out no further; its tasks stay", "계획을 더 실행하지 않기. 할 일은 그대로 둠"),
    ("The turn, as a line of `silt chat --json` names it", "턴. `silt chat --json`의 줄에 적힌 것"),
];
