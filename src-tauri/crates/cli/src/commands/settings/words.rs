//! What each setting means, in both languages. Which settings there are, and what each may be, their type says
//! ([`super::shape`]); a test fails for one without words.

/// What a setting means.
pub struct Words {
    pub name: &'static str,
    pub en: &'static str,
    pub ko: &'static str,
    /// How it is changed where `settings set` is not the way: more than a value belongs to it.
    pub with: Option<&'static str>,
}

const fn says(name: &'static str, en: &'static str, ko: &'static str) -> Words {
    Words { name, en, ko, with: None }
}

const fn elsewhere(
    name: &'static str,
    en: &'static str,
    ko: &'static str,
    with: &'static str,
) -> Words {
    Words { name, en, ko, with: Some(with) }
}

pub const WORDS: &[Words] = &[
    says("language", "Language of the window", "창의 언어"),
    says("theme", "Light or dark window", "창을 밝게 또는 어둡게"),
    says("zoom", "Size of everything in the window, in percent", "창 전체의 크기(%)"),
    says(
        "default_provider",
        "Provider of conversations that chose none",
        "따로 고르지 않은 대화의 제공자",
    ),
    says("default_model", "Model of conversations that chose none", "따로 고르지 않은 대화의 모델"),
    says(
        "this_computer_only",
        "Ask no address but this computer's own",
        "이 컴퓨터 자신의 주소에만 묻기",
    ),
    says(
        "proxy",
        "The way to other computers: as the system says, direct, or the address of a proxy",
        "다른 컴퓨터에 닿는 길: 시스템 설정대로, 바로, 또는 프록시의 주소",
    ),
    says(
        "extra_ca",
        "PEM file with certificates to trust beside the system's",
        "시스템의 인증서에 더해 믿을 인증서의 PEM 파일",
    ),
    elsewhere("prices", "Your own prices of models", "직접 정한 모델 가격", "silt price set"),
    elsewhere(
        "windows",
        "How many tokens models hold, as you say",
        "직접 정한, 모델이 담는 토큰 수",
        "silt provider window",
    ),
    elsewhere(
        "monthly_limit",
        "Most to spend in a month before it asks, in millionths of a US dollar",
        "묻지 않고 한 달에 쓸 수 있는 돈, 미국 달러의 100만분의 1 단위",
        "silt spending --limit",
    ),
    says(
        "notify",
        "Tell when a long answer ends while the window is in the background",
        "창이 뒤에 있을 때 긴 답변이 끝나면 알리기",
    ),
    elsewhere(
        "keys",
        "Keys of the window that you changed",
        "바꾼 창의 단축키",
        "the window: Settings, Shortcuts",
    ),
    says(
        "carry_over",
        "When new conversations are told where the work stopped",
        "새 대화에 멈춘 곳을 알리는 때",
    ),
    elsewhere(
        "recall_others",
        "Projects and whether their other conversations may be quoted",
        "다른 대화를 인용해도 되는지, 프로젝트별로",
        "silt session others",
    ),
    elsewhere(
        "recall_sessions",
        "Projects in which passages of agents' sessions may go",
        "에이전트 세션의 구절이 들어가도 되는 프로젝트",
        "silt recall sessions",
    ),
    says(
        "summary.enabled",
        "Tell the model what was said earlier; off, only the message itself goes",
        "앞선 내용을 모델에 전하기. 끄면 지금 쓰는 메시지만 보냄",
    ),
    says(
        "summary.policy",
        "How earlier messages are told in conversations that chose no way",
        "따로 고르지 않은 대화에서 앞선 메시지를 전하는 방식",
    ),
    elsewhere(
        "summary.asked",
        "Whether you were asked what may stand for earlier messages",
        "앞선 메시지를 무엇으로 전할지 물어보았는지",
        "silt summary policy",
    ),
    says(
        "summary.by_numbers",
        "Fold by fixed numbers and not by the model's window; none: where a number was changed",
        "모델의 창이 아니라 정해진 수로 접기. none이면 수를 바꾼 경우에만",
    ),
    says(
        "summary.threshold",
        "Rolling: fold when more tokens than this are not summarised",
        "rolling: 요약하지 않은 토큰이 이보다 많아지면 접기",
    ),
    says(
        "summary.recent_messages",
        "Rolling, strict: messages that go beside the summary",
        "rolling, strict: 요약과 함께 보낼 메시지 수",
    ),
    says(
        "summary.rate",
        "Segments: length of a summary for each character it stands for, in steps of 0.05",
        "segments: 원문 한 글자에 대한 요약의 길이, 0.05 단위",
    ),
    says(
        "summary.strict",
        "Exactly as the designs write it, with what they lose",
        "설계서에 적힌 그대로, 잃는 것까지",
    ),
    says(
        "summary.window_keep",
        "Running: tokens of recent messages",
        "running: 최근 메시지의 토큰",
    ),
    says(
        "summary.token_limit",
        "Running: tokens of summary and messages together",
        "running: 요약과 메시지를 합친 토큰",
    ),
    says(
        "summary.model",
        "Model that summarises; none: the provider's cheapest",
        "요약하는 모델. none이면 제공자의 가장 싼 모델",
    ),
    says(
        "summary.timeout_s",
        "Seconds after which a summary has failed",
        "요약을 실패로 볼 때까지의 시간(초)",
    ),
    says(
        "summary.kept_facts_share",
        "Percent of a summary that kept facts may have beside it",
        "지킨 사실이 요약 곁에 차지할 자리(요약의 %)",
    ),
    says(
        "summary.recall.on",
        "Bring back what was said about a message; none: unless strict",
        "메시지와 관련해 전에 나눈 말을 떠올리기. none이면 strict가 아닐 때",
    ),
    says(
        "summary.recall.scope",
        "Where recalled passages may come from",
        "떠올린 구절을 가져올 수 있는 곳",
    ),
    says(
        "summary.recall.share",
        "Percent of the room for earlier messages that they may have; none: as the question needs",
        "앞선 메시지의 자리에서 떠올린 구절이 가질 %. none이면 질문에 따라",
    ),
    says(
        "memory.names",
        "Names that hold memory, in the order in which they are read",
        "메모리로 읽는 이름, 읽는 순서대로",
    ),
    says(
        "memory.markers",
        "Names that mark the root of a project",
        "프로젝트의 뿌리를 나타내는 이름",
    ),
    says(
        "memory.strict",
        "Only the current directory's file beside the root's",
        "뿌리의 파일과 지금 디렉터리의 파일만 읽기",
    ),
    says(
        "memory.added_for",
        "How long an added line lasts; none: until you were asked, as until_cleared",
        "더한 줄이 남는 동안. none이면 묻기 전까지 until_cleared와 같음",
    ),
    elsewhere(
        "meaning.embedder",
        "Who makes vectors of messages",
        "메시지의 벡터를 만드는 모델",
        "silt recall embedder use",
    ),
    elsewhere(
        "meaning.nobody",
        "Whether nobody is to make vectors",
        "아무것도 벡터를 만들지 않게 할지",
        "silt recall embedder off",
    ),
    elsewhere(
        "meaning.most_tokens",
        "Most tokens to send for vectors",
        "벡터를 만들려고 보낼 수 있는 토큰",
        "silt recall embedder use --most",
    ),
    elsewhere(
        "meaning.stopped",
        "Whether the making of vectors was stopped",
        "벡터 만들기를 멈추었는지",
        "silt recall embedder stop",
    ),
    says(
        "checkpoints.on",
        "Take checkpoints without being asked",
        "시키지 않아도 체크포인트 만들기",
    ),
    says(
        "checkpoints.retention.days",
        "Days that a checkpoint stays; none: no limit",
        "체크포인트가 남는 날 수. none이면 제한 없음",
    ),
    says(
        "checkpoints.retention.count",
        "Checkpoints of a project that stay; none: no limit",
        "프로젝트마다 남는 체크포인트 수. none이면 제한 없음",
    ),
    says(
        "checkpoints.retention.bytes",
        "Bytes that a project's checkpoints may have; none: no limit",
        "프로젝트의 체크포인트가 가질 수 있는 바이트. none이면 제한 없음",
    ),
    says(
        "checkpoints.user_id",
        "Who makes checkpoints, as new ones say it; empty for nobody",
        "새 체크포인트에 적을 만든 사람. 비우면 적지 않음",
    ),
    says(
        "checkpoints.max_file_bytes",
        "Largest file that is captured, in bytes",
        "담을 수 있는 가장 큰 파일(바이트)",
    ),
    says(
        "checkpoints.also",
        "Patterns of files that are captured although git ignores them",
        "git은 무시하지만 담을 파일의 패턴",
    ),
    elsewhere(
        "checkpoints.remotes",
        "Places that checkpoints are pushed to",
        "체크포인트를 올리는 곳",
        "silt checkpoint remote add",
    ),
    says(
        "privacy.exclude_patterns",
        "Patterns of files that are never sent, of every project",
        "모든 프로젝트에서 절대 보내지 않을 파일의 패턴",
    ),
    says(
        "privacy.sanitize_secrets",
        "Redact keys, tokens and passwords in requests, summaries and exports",
        "요청, 요약, 내보내기에서 키와 토큰, 비밀번호를 가리기",
    ),
    elsewhere(
        "privacy.encrypt_checkpoints",
        "Whether checkpoints are sealed",
        "체크포인트를 봉인하는지",
        "silt checkpoint seal",
    ),
    says(
        "privacy.local_only",
        "Send no checkpoint to a remote and fetch none",
        "체크포인트를 원격 저장소로 보내거나 가져오지 않기",
    ),
    says("tools.on", "Offer tools to models", "모델에 도구를 주기"),
    says(
        "tools.max_rounds",
        "Most times the model is asked in one turn",
        "한 차례에 모델에 묻는 최대 횟수",
    ),
    says(
        "tools.max_tokens",
        "Most tokens of a turn; 0: no limit",
        "한 차례의 최대 토큰. 0이면 제한 없음",
    ),
    says(
        "tools.max_seconds",
        "Most seconds of a turn; 0: no limit",
        "한 차례의 최대 시간(초). 0이면 제한 없음",
    ),
    says("tools.command_seconds", "Most seconds of a command", "명령 하나의 최대 시간(초)"),
    says("tools.off", "Tools that are offered to no model", "어느 모델에도 주지 않을 도구"),
    says(
        "tools.reads",
        "Folders that commands may read beside their project",
        "명령이 프로젝트 밖에서 읽을 수 있는 폴더",
    ),
    elsewhere(
        "tools.network",
        "Projects whose commands may use the network",
        "명령이 네트워크를 쓸 수 있는 프로젝트",
        "silt settings set project.network",
    ),
    says(
        "tools.keep",
        "Calls whose results are kept for the conversation, each TOOL or TOOL PATTERN, with * for anything",
        "결과를 대화에 남길 호출. 도구 또는 도구와 대상, *는 아무거나",
    ),
    elsewhere(
        "tools.skills",
        "Skills that models may be told of, by their hashes",
        "모델에 알릴 스킬, 해시로",
        "silt skill offer",
    ),
    says(
        "tasks.title",
        "Model that names conversations; none: no model",
        "대화의 이름을 짓는 모델. none이면 모델 없이",
    ),
    says(
        "tasks.summarise",
        "Model that summarises; none: as the summaries say",
        "요약하는 모델. none이면 요약 설정대로",
    ),
    says(
        "tasks.create_tree",
        "Model that makes plans; none: the conversation's",
        "계획을 만드는 모델. none이면 대화의 모델",
    ),
    says(
        "tasks.evaluate",
        "Model that judges answers; none: the conversation's",
        "답변을 판정하는 모델. none이면 대화의 모델",
    ),
    says(
        "project.exclude",
        "Patterns of files of this project that are never sent",
        "이 프로젝트에서 절대 보내지 않을 파일의 패턴",
    ),
    says(
        "project.this_computer_only",
        "This project's conversations ask this computer alone",
        "이 프로젝트의 대화는 이 컴퓨터에만 묻기",
    ),
    says(
        "project.commands",
        "Models may ask to run commands in this project",
        "모델이 이 프로젝트에서 명령을 실행하겠다고 물을 수 있음",
    ),
    says(
        "project.network",
        "Commands in this project may use the network",
        "이 프로젝트의 명령이 네트워크를 쓸 수 있음",
    ),
];
