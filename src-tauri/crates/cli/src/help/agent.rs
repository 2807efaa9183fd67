//! The words of [`crate::args`] about agents, each with its translation.

pub(super) const KOREAN: &[(&str, &str)] = &[
    (
        "Agents that do the work themselves, asked like a model: list, add, test, remove",
        "모델처럼 물으면 스스로 일하는 에이전트: 목록, 추가, 시험, 삭제",
    ),
    (
        "Agents that can be asked, and those that are on this computer and can be added",
        "물을 수 있는 에이전트와, 이 컴퓨터에 있어서 추가할 수 있는 에이전트",
    ),
    (
        "Add an agent, or change what starts it; `silt chat --provider NAME` asks it",
        "에이전트를 추가하거나 시작하는 명령을 바꾸기. `silt chat --provider 이름`으로 물음",
    ),
    (
        "Your name for it, or that of an agent on this computer",
        "부를 이름, 또는 이 컴퓨터에 있는 에이전트의 이름",
    ),
    (
        "The command that starts it for the Agent Client Protocol, as in a terminal [default: of the agent of that name]",
        "Agent Client Protocol로 시작하는 명령, 터미널에서 쓰는 그대로 [기본값: 그 이름의 에이전트의 것]",
    ),
    (
        "Start it in an empty folder, ask it nothing, and list its models",
        "빈 폴더에서 시작해 아무것도 묻지 않고 모델만 보기",
    ),
    (
        "Remove an agent; the program and what it keeps stay where they are",
        "에이전트를 지우기. 프로그램과 그 안의 것은 그대로 남음",
    ),
];
