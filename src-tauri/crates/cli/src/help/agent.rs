//! The words of [`crate::args`] about agents, each with its translation.

pub(super) const KOREAN: &[(&str, &str)] = &[
    (
        "Agents that do the work themselves, asked like a model: list, add, test, run, sessions, stop, remove",
        "모델처럼 물으면 스스로 일하는 에이전트: 목록, 추가, 시험, 시키기, 상태, 멈춤, 삭제",
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
        "Start it in an empty folder, ask it nothing, and list its models, its modes and its commands",
        "빈 폴더에서 시작해 아무것도 묻지 않고 모델, 모드, 명령을 보기",
    ),
    (
        "Have an agent do something in this project, or in a copy of it, and wait until it is done; Ctrl-C stops it",
        "이 프로젝트나 그 복사본에서 에이전트에 일을 시키고 끝날 때까지 기다리기. Ctrl-C로 멈춤",
    ),
    (
        "Work in this copy of the project, which is made if there is none of that name",
        "프로젝트의 이 복사본에서 일하기. 그 이름의 것이 없으면 만듦",
    ),
    ("Ask this one of its models", "그 모델 가운데 이것으로 묻기"),
    (
        "Work in this mode of its own, now and later in this conversation; empty for the one in which it asks",
        "에이전트의 이 모드로 일하기. 이 대화에서 이어짐. 비우면 먼저 묻는 모드",
    ),
    ("What is to be done; `-` reads it from stdin", "할 일. `-`면 표준 입력에서 읽음"),
    (
        "Conversations with agents in this project and its copies, and how each stands",
        "이 프로젝트와 복사본에서 에이전트와 나눈 대화, 저마다의 상태",
    ),
    (
        "Stop what an agent does in a conversation, whichever program it was begun in; what it said and did stays",
        "대화에서 에이전트가 하는 일을 멈추기. 어느 프로그램에서 시작했든 되고, 한 말과 일은 남음",
    ),
    (
        "Remove an agent; the program and what it keeps stay where they are",
        "에이전트를 지우기. 프로그램과 그 안의 것은 그대로 남음",
    ),
];
