//! The words of [`crate::args`] about MCP servers, each with its translation.

pub(super) const KOREAN: &[(&str, &str)] = &[
    (
        "Servers whose tools models may call, and Siltstone as one: list, add, test, trust, serve, install",
        "모델이 부를 수 있는 도구를 가진 서버, 그리고 서버로서의 Siltstone: 나열, 추가, 시험, 신뢰, 실행, 등록",
    ),
    ("Servers of the project and those of all projects", "프로젝트의 서버와 모든 프로젝트의 서버"),
    (
        "Servers that the project's own files name; none of them is run",
        "프로젝트의 파일에 적힌 서버. 어느 것도 실행하지 않음",
    ),
    (
        "Add a server, or change the one of this name; it has to be trusted then",
        "서버를 더하거나 같은 이름의 서버를 바꾸기. 그 뒤에는 다시 믿어 주어야 함",
    ),
    ("Its name: letters, digits, - and _", "이름: 영문자, 숫자, -, _"),
    ("For all projects, not for this one alone", "이 프로젝트만이 아니라 모든 프로젝트에 쓰기"),
    ("The program and its arguments, after --", "-- 뒤에 프로그램과 인자"),
    ("Its address: https, or one of this computer", "주소: https, 또는 이 컴퓨터의 주소"),
    ("A variable of its environment that is no secret", "비밀이 아닌 환경 변수"),
    (
        "The name of a variable, or with --url of a header, whose value is kept with the keys",
        "값을 키와 함께 보관할 변수의 이름. --url과 함께라면 헤더의 이름",
    ),
    (
        "A file or folder that the program reads, beside the project and its toolchain",
        "프로젝트와 도구 모음 말고 프로그램이 더 읽을 파일이나 폴더",
    ),
    (
        "A file or folder that the program changes, beside the project",
        "프로젝트 말고 프로그램이 더 바꿀 파일이나 폴더",
    ),
    ("Let the program use the network", "프로그램이 네트워크를 쓰게 하기"),
    ("Add it without offering its tools", "도구는 내놓지 않고 더하기만 하기"),
    (
        "Keep a secret of a server with the keys; it is read from stdin, and an empty one is forgotten",
        "서버의 비밀을 키와 함께 보관하기. 표준 입력에서 읽고, 비어 있으면 잊음",
    ),
    ("The server's name", "서버의 이름"),
    ("The name of the variable or header", "변수나 헤더의 이름"),
    ("The server of all projects", "모든 프로젝트의 서버"),
    (
        "Start or reach a server and show what it offers",
        "서버를 시작하거나 연결해 무엇을 주는지 보기",
    ),
    (
        "Let a server be used as it is now; whatever is changed in it asks again",
        "지금 그대로의 서버를 쓰게 하기. 무엇이든 바뀌면 다시 물음",
    ),
    (
        "The fingerprint that was shown; refused when it is another one by now",
        "보았던 지문. 그사이 달라졌으면 거절함",
    ),
    (
        "Let the instructions with this hash take effect; \"test\" shows it",
        "이 해시의 안내문이 쓰이게 하기. 해시는 \"test\"가 보여 줌",
    ),
    (
        "Be a server for other programs: what was said here, the rules, and a place for what they propose, over stdin and stdout",
        "다른 프로그램의 서버가 되기: 여기서 한 말과 규칙을 주고 제안을 받음. 표준 입력과 표준 출력으로 말함",
    ),
    (
        "Be it over HTTP, on this computer alone, for whoever shows the token; until Ctrl-C",
        "HTTP로, 이 컴퓨터 안에서만, 토큰을 보이는 쪽에게 서버가 되기. Ctrl-C를 누를 때까지",
    ),
    ("The port; without it one that is free", "포트. 없으면 비어 있는 것"),
    (
        "A file with a token of your own, of 16 characters or more; without it one is made for this time",
        "16자 이상인 자기 토큰이 든 파일. 없으면 이번에 쓸 것을 만듦",
    ),
    (
        "Name Siltstone as a server in the settings of other programs; shows what changes in them",
        "다른 프로그램의 설정에 Siltstone을 서버로 적기. 바뀌는 것을 보여 줌",
    ),
    ("The programs; without one, all are listed", "프로그램들. 없으면 모두 보여 줌"),
    ("Only show what would change", "바뀔 것만 보여 주기"),
    (
        "Take Siltstone out of the settings of other programs, which are then as they were",
        "다른 프로그램의 설정에서 Siltstone을 빼기. 설정은 적기 전과 같아짐",
    ),
    ("The programs", "프로그램들"),
    ("Remove a server and its secrets", "서버와 그 비밀을 지우기"),
];
