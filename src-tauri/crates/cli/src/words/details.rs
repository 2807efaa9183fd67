//! What the app says of a case, in Korean, and what to do about it where its code alone does not say that.
//!
//! The app says a case in English and gives it a code; many cases share one. A test reads the sources of the app: a new case
//! has to stand here.

/// A case: as the app says it, with `{}` for what is different each time; the same in Korean; and what to do in English and
/// Korean, where that is another thing than for the rest of its code.
type Case = (&'static str, &'static str, Option<(&'static str, &'static str)>);

/// What is known of a case, with what was different this time in its place.
pub struct Detail {
    pub korean: String,
    /// What to do, in English and Korean.
    pub hint: Option<(&'static str, &'static str)>,
}

/// The case that says most of it by itself, from its first word on: `no plan is worked on` is no plan of the name `is worked
/// on`, and what the system says behind another sentence is no sentence about a file.
pub fn of(message: &str) -> Option<Detail> {
    let fitting = CASES.iter().filter_map(|case| Some((case, captured(case.0, message)?)));
    let ((_, korean, hint), parts) = fitting
        .max_by_key(|((says, ..), _)| (!says.starts_with("{}"), says.replace("{}", "").len()))?;
    let mut korean = (*korean).to_owned();
    for part in parts {
        korean = korean.replacen("{}", part, 1);
    }
    Some(Detail { korean, hint: *hint })
}

/// What stands in the places of a pattern, if the text is of that form.
fn captured<'t>(pattern: &str, text: &'t str) -> Option<Vec<&'t str>> {
    let mut pieces = pattern.split("{}");
    let mut rest = text.strip_prefix(pieces.next()?)?;
    let mut found = Vec::new();
    let pieces: Vec<&str> = pieces.collect();
    for (at, piece) in pieces.iter().enumerate() {
        let end = match at + 1 == pieces.len() {
            true => rest.strip_suffix(piece)?.len(),
            false => rest.find(piece)?,
        };
        found.push(&rest[..end]);
        rest = &rest[end + piece.len()..];
    }
    rest.is_empty().then_some(found)
}

const WAIT: Option<(&str, &str)> = Some((
    "Wait until it is done, then try again; nothing was changed.",
    "끝난 뒤에 다시 해 보세요. 바뀐 것은 없습니다.",
));
const LOOK_AGAIN: Option<(&str, &str)> = Some((
    "Nothing was written. Look at it again, and try again.",
    "아무것도 쓰지 않았습니다. 다시 확인한 뒤 해 보세요.",
));
const ANOTHER_NAME: Option<(&str, &str)> = Some((
    "Choose another name; nothing was changed.",
    "다른 이름을 골라 주세요. 바뀐 것은 없습니다.",
));
const CHANGES: Option<(&str, &str)> = Some((
    "`silt conversation changes ID` lists what was changed; nothing was touched.",
    "`silt conversation changes 아이디`로 바뀐 것을 볼 수 있습니다. 바뀐 것은 없습니다.",
));
const NOTHING: Option<(&str, &str)> =
    Some(("There is nothing to do; nothing was changed.", "할 일이 없습니다. 바뀐 것은 없습니다."));
const AGENTS: Option<(&str, &str)> = Some((
    "`silt agent list` shows those that are added and those on this computer.",
    "`silt agent list`로 추가한 에이전트와 이 컴퓨터에 있는 에이전트를 봅니다.",
));
const PROVIDERS: Option<(&str, &str)> = Some((
    "`silt provider list` names those there are; `silt provider add` adds one.",
    "`silt provider list`로 있는 것을 보고, `silt provider add`로 추가하세요.",
));
const SUMMARIES: Option<(&str, &str)> = Some((
    "`silt summary list CONVERSATION` names the summaries of a conversation.",
    "`silt summary list 대화`로 그 대화의 요약을 볼 수 있습니다.",
));
const MESSAGES: Option<(&str, &str)> = Some((
    "`silt conversation show CONVERSATION --branches` names the messages of a conversation.",
    "`silt conversation show 대화 --branches`로 그 대화의 메시지를 볼 수 있습니다.",
));
const CHECKPOINTS: Option<(&str, &str)> = Some((
    "`silt checkpoint list` names the checkpoints of a project.",
    "`silt checkpoint list`로 프로젝트의 체크포인트를 볼 수 있습니다.",
));
const SERVERS: Option<(&str, &str)> =
    Some(("`silt mcp list` names those there are.", "`silt mcp list`로 있는 것을 볼 수 있습니다."));
const SKILLS: Option<(&str, &str)> = Some((
    "`silt skill list` names those there are.",
    "`silt skill list`로 있는 것을 볼 수 있습니다.",
));
const PROJECTS: Option<(&str, &str)> = Some((
    "Go into the folder of an opened project, or name one with --project; `silt project list` names them.",
    "연 프로젝트의 폴더로 가거나 --project로 알려 주세요. `silt project list`로 볼 수 있습니다.",
));
const COPIES: Option<(&str, &str)> = Some((
    "`silt copy list` names the copies of a project.",
    "`silt copy list`로 프로젝트의 복사본을 볼 수 있습니다.",
));
const BRIEFER: Option<(&str, &str)> =
    Some(("Give it in that form.", "그 형식에 맞게 넣어 주세요."));
const LITERAL: Option<(&str, &str)> = Some((
    "To send it to the model as it is, add --literal.",
    "모델에 그대로 보내려면 --literal을 붙이세요.",
));
const TRUST: Option<(&str, &str)> = Some((
    "Trust the folder first: `silt project open PATH --trust`.",
    "먼저 폴더를 믿는다고 답해 주세요: `silt project open 경로 --trust`.",
));
const VERSIONS: Option<(&str, &str)> = Some((
    "`silt memory history FILE` lists the versions of a file.",
    "`silt memory history 파일`로 그 파일의 버전을 볼 수 있습니다.",
));
const WORKFLOW: Option<(&str, &str)> = Some((
    "`silt plan list` and `silt task list` name those there are.",
    "`silt plan list`와 `silt task list`로 있는 것을 볼 수 있습니다.",
));
const AGREED: Option<(&str, &str)> = Some((
    "`silt vault sources` names the folders; `silt vault scan --agree` agrees to them.",
    "`silt vault sources`로 폴더를 보고 `silt vault scan --agree`로 동의할 수 있습니다.",
));
const VAULT: Option<(&str, &str)> = Some((
    "`silt vault list` names the sessions that are kept.",
    "`silt vault list`로 보관한 세션을 볼 수 있습니다.",
));
const AGAIN: Option<(&str, &str)> =
    Some(("Look at it again, then try again.", "다시 살펴본 다음 해 보세요."));

const LOOK: Option<(&str, &str)> = Some((
    "`silt update look` says whether there is a newer version.",
    "`silt update look`으로 새 버전이 있는지 알아봅니다.",
));

const CASES: &[Case] = &[
    // Newer versions.
    (
        "this version was not offered; look for a newer one first",
        "나온 적이 없는 버전입니다. 먼저 새 버전을 찾아 주세요",
        LOOK,
    ),
    (
        "the package of this version is not here yet",
        "이 버전의 패키지를 아직 내려받지 않았습니다",
        Some(("`silt update get` downloads it.", "`silt update get`으로 내려받아 주세요.")),
    ),
    (
        "this copy names nobody who signs updates",
        "이 사본에는 업데이트에 서명할 곳이 적혀 있지 않습니다",
        None,
    ),
    (
        "what this copy says of who signs updates cannot be read: {}",
        "이 사본에 적힌, 업데이트에 서명할 곳을 읽을 수 없습니다: {}",
        None,
    ),
    (
        "this copy was not installed as a package, so nothing can be put in its place",
        "패키지로 설치한 사본이 아니어서 그 자리에 새 버전을 놓을 수 없습니다",
        None,
    ),
    ("{} was answered with status {}", "{}에서 상태 {}로 답했습니다", None),
    (
        "{} leads on to {}; only the address that was shown is asked",
        "{}에서 {}로 보내려 했습니다. 보여 준 주소에만 요청합니다",
        None,
    ),
    ("what was offered cannot be used: {}", "새 버전으로 나온 것을 쓸 수 없습니다: {}", None),
    ("the signature does not fit: {}", "서명이 맞지 않습니다: {}", None),
    ("{} was offered, but what was signed is {}", "나온 것은 {}인데, 서명된 것은 {}입니다", None),
    (
        "the download ended after {} of {} bytes",
        "내려받기가 {}바이트에서 끊겼습니다. 모두 {}바이트여야 합니다",
        None,
    ),
    (
        "no room for the download: it needs {} bytes",
        "내려받을 공간이 부족합니다. {}바이트가 필요합니다",
        None,
    ),
    (
        "another process is downloading an update",
        "다른 프로세스가 업데이트를 내려받고 있습니다",
        WAIT,
    ),
    ("the package was not installed: {}", "패키지가 설치되지 않았습니다: {}", None),
    // Copies of projects.
    (
        "copies are made of projects that are trusted",
        "믿는 폴더만 복사본을 만들 수 있습니다",
        TRUST,
    ),
    (
        "another folder is in the place of the copy",
        "복사본이 있던 자리에 다른 폴더가 있습니다",
        Some((
            "Nothing was removed. `silt project forget` forgets the copy.",
            "지운 것은 없습니다. `silt project forget`으로 복사본을 잊을 수 있습니다.",
        )),
    ),
    (
        "a reply is being written in this copy; stop it first",
        "이 복사본에서 답변을 쓰는 중입니다. 먼저 멈추세요",
        WAIT,
    ),
    ("there are too many copies of this name", "이 이름의 복사본이 너무 많습니다", ANOTHER_NAME),
    (
        "another project lies in this copy; forget it first",
        "이 복사본 안에 연 프로젝트가 있습니다. 먼저 잊어 주세요",
        Some((
            "`silt project forget PATH` forgets it; nothing was removed.",
            "`silt project forget 경로`로 잊습니다. 지운 것은 없습니다.",
        )),
    ),
    (
        "a restore in this copy was begun and not finished",
        "이 복사본에서 시작한 복원이 끝나지 않았습니다",
        Some((
            "`silt checkpoint undo` there finishes it and takes it back; nothing was removed.",
            "그곳에서 `silt checkpoint undo`로 마친 뒤 되돌릴 수 있습니다. 지운 것은 없습니다.",
        )),
    ),
    ("nothing of this would change anything", "바뀔 것이 없습니다", NOTHING),
    ("this folder lies in no other one", "이 폴더는 다른 폴더 안에 있지 않습니다", None),
    ("this project is no copy", "복사본이 아닌 프로젝트입니다", COPIES),
    ("no copy {}", "{} 복사본이 없습니다", COPIES),
    (
        "what the copy began with is not kept any more",
        "복사본이 시작한 상태가 이제 보관되어 있지 않습니다",
        Some((
            "Its first checkpoint was deleted. The folder is as it was; take what you need from it by hand.",
            "복사본의 첫 체크포인트가 지워졌습니다. 폴더는 그대로이니 필요한 것을 직접 가져오세요.",
        )),
    ),
    // Sessions of other agents.
    (
        "nobody said yes to keeping sessions of agents yet",
        "아직 에이전트의 세션을 보관하는 데 동의하지 않았습니다",
        Some((
            "`silt vault sources` says what there is; `silt vault scan --agree` is the yes.",
            "`silt vault sources`로 무엇이 있는지 보고, `silt vault scan --agree`로 동의하세요.",
        )),
    ),
    (
        "nothing was said in this session that could go on",
        "이 세션에는 이어 갈 말이 없습니다",
        None,
    ),
    (
        "it would be written elsewhere than was shown",
        "보여 준 것과 다른 곳에 쓰게 됩니다. 다시 보고 정하세요",
        None,
    ),
    (
        "a file in an agent's folder needs a yes to its path",
        "에이전트의 폴더에 쓰려면 그 경로에 동의해야 합니다",
        None,
    ),
    (
        "this conversation is here already",
        "이미 여기 있는 대화입니다",
        Some((
            "`--to AGENT` or `--as-text` goes on elsewhere.",
            "`--to 에이전트`나 `--as-text`로 다른 곳에서 이어 갑니다.",
        )),
    ),
    (
        "the session names no folder; name one",
        "세션에 폴더가 없습니다. 폴더를 정하세요",
        Some(("`--folder PATH` names one.", "`--folder 경로`로 정하세요.")),
    ),
    (
        "this computer has no place for the agent",
        "이 컴퓨터에는 그 에이전트의 자리가 없습니다",
        None,
    ),
    (
        "this session was handed over too often; take the former copies away",
        "이 세션은 너무 여러 번 넘겼습니다. 앞의 사본을 치우세요",
        None,
    ),
    (
        "{} was never started in {}, and only then it has a place for its sessions",
        "{}: {}에서 시작한 적이 없어 세션을 둘 곳이 아직 없습니다",
        None,
    ),
    ("sessions of agents are being read already", "에이전트의 세션을 이미 읽고 있습니다", WAIT),
    ("{} is in no folder that was agreed to", "{}은(는) 동의한 폴더 안에 있지 않습니다", AGREED),
    (
        "at least four characters of an id name a session",
        "세션의 id를 네 글자 이상 적어야 합니다",
        VAULT,
    ),
    (
        "several sessions begin like this; give more of the id",
        "이렇게 시작하는 세션이 여럿입니다. id를 더 적어 주세요",
        VAULT,
    ),
    ("no session {}", "{} 세션을 찾지 못했습니다", VAULT),
    ("no kept version {}", "보관한 것 가운데 버전 {}은 없습니다", VAULT),
    // What agents outside are refused.
    ("the user does not trust this folder", "신뢰하지 않은 폴더입니다", TRUST),
    (
        "the user wants what is known here to stay on this computer",
        "여기서 아는 것은 이 컴퓨터에만 두기로 했습니다",
        Some((
            "`silt project open PATH --any-computer` takes that back.",
            "`silt project open 경로 --any-computer`로 거둘 수 있습니다.",
        )),
    ),
    (
        "the user does not want conversations of this project to be read",
        "이 프로젝트의 대화는 읽지 않기로 했습니다",
        Some((
            "`silt session others yes` takes that back.",
            "`silt session others yes`로 거둘 수 있습니다.",
        )),
    ),
    ("the path is not inside the project", "프로젝트 밖의 경로입니다", BRIEFER),
    ("say what to look for", "무엇을 찾을지 적어야 합니다", BRIEFER),
    (
        "say in a few words what the checkpoint is for",
        "체크포인트를 왜 만드는지 몇 마디로 적어야 합니다",
        BRIEFER,
    ),
    (
        "so many checkpoints have this note already; say another one",
        "이 이름의 체크포인트가 이미 많습니다",
        ANOTHER_NAME,
    ),
    (
        "propose one line of at most 4,000 bytes together with its reason",
        "까닭까지 합쳐 4,000바이트 안의 한 줄을 제안해야 합니다",
        BRIEFER,
    ),
    ("name eight messages at most", "메시지는 여덟 개까지 적을 수 있습니다", BRIEFER),
    (
        "there is no project here that a message could be of",
        "여기에는 메시지가 들어 있을 프로젝트가 없습니다",
        PROJECTS,
    ),
    (
        "200 lines of agents wait for the user already; nothing was added",
        "에이전트의 제안 200개가 이미 기다리고 있어 더하지 않았습니다",
        Some((
            "`silt memory inbox` lists them; accept or dismiss some.",
            "`silt memory inbox`로 보고, 받아들이거나 거절해 주세요.",
        )),
    ),
    // What is not there.
    (
        "no conversation {}",
        "{} 대화를 찾지 못했습니다",
        Some((
            "`silt conversation list --all` names those there are, and --trash those that were deleted.",
            "`silt conversation list --all`로 있는 것을, --trash로 지운 것을 볼 수 있습니다.",
        )),
    ),
    ("no message {}", "{} 메시지를 찾지 못했습니다", MESSAGES),
    (
        "no turn {}",
        "{} 차례를 찾지 못했습니다",
        Some((
            "`silt --json conversation show CONVERSATION` gives the turn of each message.",
            "`silt --json conversation show 대화`에 메시지마다 차례가 있습니다.",
        )),
    ),
    ("no open turn {}", "진행 중인 {} 차례를 찾지 못했습니다", NOTHING),
    ("no summary {}", "{} 요약을 찾지 못했습니다", SUMMARIES),
    ("no checkpoint {}", "{} 체크포인트를 찾지 못했습니다", CHECKPOINTS),
    (
        "no plan {}",
        "{}: 그런 체크포인트나 되돌리기 계획이 없습니다",
        Some((
            "`silt checkpoint list` names checkpoints; `silt checkpoint plan CHECKPOINT` makes a plan.",
            "`silt checkpoint list`로 체크포인트를 보고, `silt checkpoint plan 체크포인트`로 계획을 만드세요.",
        )),
    ),
    ("there is no plan {}", "{} 계획이 없습니다", WORKFLOW),
    ("there is no task {}", "{} 할 일이 없습니다", WORKFLOW),
    (
        "there is no decision {}",
        "{} 결정이 없습니다",
        Some((
            "`silt decision list` names those there are.",
            "`silt decision list`로 있는 것을 볼 수 있습니다.",
        )),
    ),
    ("there is no {} {}", "{} {}: 없습니다", WORKFLOW),
    (
        "there is no copy {}",
        "{} 사본이 없습니다",
        Some((
            "`silt session restore` lists the copies there are.",
            "`silt session restore`로 있는 사본을 볼 수 있습니다.",
        )),
    ),
    ("no provider {}", "{} 제공자가 없습니다", PROVIDERS),
    ("no agent {}", "{} 에이전트가 없습니다", AGENTS),
    (
        "not authorised: {}. Log in with the agent's own program first",
        "에이전트에 로그인해야 합니다: {}",
        Some((
            "Start the agent by itself in a terminal, log in there, then try again.",
            "터미널에서 에이전트를 따로 시작해 로그인한 뒤 다시 해 보세요.",
        )),
    ),
    ("the agent failed: {}", "에이전트가 실패했습니다: {}", None),
    (
        "no agent {} on this computer; say what starts it",
        "이 컴퓨터에서 {} 에이전트를 찾지 못했습니다. 시작하는 명령을 알려 주세요",
        AGENTS,
    ),
    (
        "this is no command; a quote may be open",
        "명령이 아닙니다. 따옴표가 닫히지 않았을 수 있습니다",
        None,
    ),
    (
        "the agent was not started, because the files could not be kept in a checkpoint before: {}",
        "먼저 파일을 체크포인트에 보관하지 못해서 에이전트를 시작하지 않았습니다: {}",
        None,
    ),
    (
        "the agent failed: this agent has no mode {} any more: choose another",
        "에이전트에 {} 모드가 더는 없습니다. 다른 모드를 고르세요",
        Some((
            "`silt agent test NAME` lists its modes; --mode \"\" goes back to the one in which it asks.",
            "`silt agent test 이름`으로 모드를 보고, --mode \"\"로 먼저 묻는 모드로 돌아갑니다.",
        )),
    ),
    (
        "cannot listen on port {}: {}",
        "포트 {}에서 들을 수 없습니다: {}",
        Some((
            "Choose another --port, or none for one that is free.",
            "다른 --port를 고르거나, 빼면 비어 있는 것을 씁니다.",
        )),
    ),
    (
        "a token is {} or more letters, digits and signs",
        "토큰은 글자, 숫자, 기호로 {}자 이상이어야 합니다",
        Some(("Leave --token-file out to have one made.", "--token-file을 빼면 만들어 줍니다.")),
    ),
    ("nothing was asked in this conversation yet", "이 대화에서 아직 물은 것이 없습니다", NOTHING),
    ("{} was not changed there", "{}은(는) 거기서 바뀌지 않았습니다", CHANGES),
    (
        "nothing there is as it was left; name the files to take them back all the same",
        "그대로 남아 있는 것이 없습니다. 그래도 되돌리려면 파일을 적어 주세요",
        CHANGES,
    ),
    (
        "where it ended is not known any more, so others may have changed files since; name those to take back",
        "어디서 끝났는지 알 수 없어서 그 뒤에 다른 쪽이 바꾼 파일이 있을 수 있습니다. 되돌릴 것을 적어 주세요",
        CHANGES,
    ),
    ("there is nothing to take back", "되돌릴 것이 없습니다", NOTHING),
    ("something is still going on there", "아직 거기서 하는 일이 있습니다", WAIT),
    (
        "{} offers no model",
        "{}에 모델이 없습니다",
        Some((
            "Load a model there, or name one with --model.",
            "그쪽에 모델을 준비하거나 --model로 알려 주세요.",
        )),
    ),
    (
        "no key for {}",
        "{}의 키가 없습니다",
        Some((
            "`silt provider list` names the providers; `silt provider key NAME --key-stdin` gives one a key.",
            "`silt provider list`로 제공자를 보고, `silt provider key 이름 --key-stdin`으로 키를 넣어 주세요.",
        )),
    ),
    (
        "no remote {}",
        "{} 원격 저장소가 없습니다",
        Some((
            "`silt checkpoint remote list` names those there are.",
            "`silt checkpoint remote list`로 있는 것을 볼 수 있습니다.",
        )),
    ),
    ("no server {}", "{} 서버가 없습니다", SERVERS),
    ("no trusted server {} is on here", "여기에는 믿고 켜 둔 {} 서버가 없습니다", SERVERS),
    (
        "no backup {}",
        "{} 백업이 없습니다",
        Some((
            "`silt backup list` names those there are.",
            "`silt backup list`로 있는 것을 볼 수 있습니다.",
        )),
    ),
    (
        "no request {}",
        "{}번 요청이 없습니다",
        Some((
            "`silt egress list` names what left.",
            "`silt egress list`로 나간 것을 볼 수 있습니다.",
        )),
    ),
    (
        "no body of request {}",
        "{}번 요청의 내용이 없습니다",
        Some((
            "`silt egress list` names what left.",
            "`silt egress list`로 나간 것을 볼 수 있습니다.",
        )),
    ),
    (
        "no context {}",
        "{} 키가 없습니다",
        Some((
            "`silt context show` lists what is known.",
            "`silt context show`로 아는 것을 볼 수 있습니다.",
        )),
    ),
    (
        "no split {}",
        "{} 묶음이 없습니다",
        Some(("Look into the file of splits.", "묶음 파일을 확인해 주세요.")),
    ),
    (
        "{} keeps its settings in the project, and there is none here",
        "{}의 설정은 프로젝트에 있는데, 여기에는 연 프로젝트가 없습니다",
        PROJECTS,
    ),
    (
        "{} keeps its settings in the home folder, and there is none",
        "{}의 설정은 홈 폴더에 있는데, 홈 폴더가 없습니다",
        None,
    ),
    (
        "{} names siltstone in another way; it is left as it is",
        "{}에 siltstone이 다르게 적혀 있어 그대로 두었습니다",
        Some((
            "Take that entry out of the file by hand, and try again.",
            "그 항목을 파일에서 직접 지운 뒤 다시 해 보세요.",
        )),
    ),
    ("{} was changed meanwhile", "그사이 {}이(가) 바뀌었습니다", LOOK_AGAIN),
    (
        "what was there before is not kept any more",
        "그 앞의 상태는 이제 보관되어 있지 않습니다",
        None,
    ),
    (
        "the file was changed since its differences were shown",
        "차이를 보여 준 뒤에 파일이 바뀌었습니다",
        LOOK_AGAIN,
    ),
    ("all of it is as it was before", "모두 이미 앞서와 같습니다", NOTHING),
    ("a piece was changed since it was shown", "보여 준 뒤에 바뀐 조각이 있습니다", LOOK_AGAIN),
    ("this file was not changed", "바뀐 파일이 아닙니다", NOTHING),
    (
        "it has no pieces",
        "조각으로 나뉘지 않는 파일입니다",
        Some(("Take back the whole file.", "파일을 통째로 되돌리세요.")),
    ),
    ("no project here; name one", "여기에는 연 프로젝트가 없습니다", PROJECTS),
    (
        "no project here; open it, or add --all",
        "여기에는 연 프로젝트가 없습니다",
        Some((
            "`silt project open .` opens it, or --all means every project.",
            "`silt project open .`으로 열거나, 모든 프로젝트를 뜻하는 --all을 붙이세요.",
        )),
    ),
    ("no project {}", "{} 프로젝트가 없습니다", PROJECTS),
    ("no version {}", "버전 {}이 없습니다", VERSIONS),
    ("{} has no version {}", "{}에 버전 {}이 없습니다", VERSIONS),
    (
        "nothing changes at {}",
        "{}에서는 바뀌는 것이 없습니다",
        Some((
            "`silt checkpoint plan CHECKPOINT` names the files that would change.",
            "`silt checkpoint plan 체크포인트`로 바뀔 파일을 볼 수 있습니다.",
        )),
    ),
    (
        "{} is not foreign",
        "{} 파일은 다른 데서 온 것이 아닙니다",
        Some((
            "`silt session show` names those that are.",
            "`silt session show`로 무엇이 그런지 볼 수 있습니다.",
        )),
    ),
    (
        "{} did not change",
        "{} 파일은 바뀌지 않았습니다",
        Some((
            "`silt memory agree` names those that did.",
            "`silt memory agree`로 무엇이 바뀌었는지 볼 수 있습니다.",
        )),
    ),
    (
        "nothing is flagged there; `silt memory lint` lists what is",
        "그 줄에는 표시된 것이 없습니다",
        Some((
            "`silt memory lint` lists what is flagged.",
            "`silt memory lint`로 표시된 것을 볼 수 있습니다.",
        )),
    ),
    (
        "no recovery passphrase was ever set",
        "복구 암호를 정한 적이 없습니다",
        Some((
            "`silt checkpoint recovery` sets one.",
            "`silt checkpoint recovery`로 정할 수 있습니다.",
        )),
    ),
    ("the project was forgotten meanwhile", "그사이에 프로젝트를 잊었습니다", PROJECTS),
    (
        "{}: No such file or directory (os error 2)",
        "{} 파일이 없습니다",
        Some(("Check the path.", "경로를 확인해 주세요.")),
    ),
    (
        "{}: Is a directory (os error 21)",
        "{}: 파일이 아니라 폴더입니다",
        Some(("Name a file.", "파일을 알려 주세요.")),
    ),
    (
        "{}: entity already exists",
        "{} 파일이 이미 있습니다",
        Some(("Take another name, or move it away.", "다른 이름을 쓰거나 옮겨 두세요.")),
    ),
    (
        "{}: Not a directory (os error 20)",
        "{}: 폴더가 아닌 것을 지나는 경로입니다",
        Some(("Check the path.", "경로를 확인해 주세요.")),
    ),
    (
        "{}: Permission denied (os error 13)",
        "{}: 권한이 없습니다",
        Some(("Check the permissions.", "권한을 확인해 주세요.")),
    ),
    (
        "{} is empty",
        "{} 파일이 비어 있습니다",
        Some(("Write the passphrase into it.", "암호를 적어 넣어 주세요.")),
    ),
    (
        "no {} {}",
        "{} {}: 찾지 못했습니다",
        Some(("See what there is.", "무엇이 있는지 목록을 확인해 보세요.")),
    ),
    // Skills.
    ("no skill {} here", "여기에는 {} 스킬이 없습니다", SKILLS),
    ("no skill {} is offered here", "여기에서 알린 {} 스킬이 없습니다", SKILLS),
    ("the conversation has no skill {}", "대화가 {} 스킬을 쓰고 있지 않습니다", SKILLS),
    (
        "the skill says something else than what was shown",
        "스킬이 보여 준 것과 달라졌습니다",
        AGAIN,
    ),
    (
        "a model cannot tell what a skill without description is for",
        "설명이 없는 스킬은 모델이 쓸 데를 알 수 없습니다",
        Some((
            "Write a `description` into its SKILL.md, or use it with `silt skill use`.",
            "SKILL.md에 `description`을 적거나 `silt skill use`로 쓰세요.",
        )),
    ),
    ("it does not say what it is", "무엇인지 적혀 있지 않습니다", SKILLS),
    ("what it says of itself cannot be read: {}", "머리말을 읽을 수 없습니다: {}", SKILLS),
    ("it has no instructions", "지침이 없습니다", SKILLS),
    // Messages and replies.
    (
        "at most three other models can be asked the same",
        "다른 모델 셋까지 같은 것을 물을 수 있습니다",
        Some(("Name fewer with --also.", "--also를 줄이세요.")),
    ),
    (
        "an agent is not asked beside others",
        "에이전트는 다른 모델과 나란히 물을 수 없습니다",
        Some((
            "Let it work in a copy: `silt copy create`, `silt agent run --copy`.",
            "복사본에서 일하게 하세요: `silt copy create`, `silt agent run --copy`.",
        )),
    ),
    (
        "the message is empty",
        "메시지가 비어 있습니다",
        Some(("Write what to ask.", "물어볼 말을 써 주세요.")),
    ),
    (
        "the message is longer than 4 MiB",
        "메시지가 4 MiB보다 깁니다",
        Some((
            "Put it into a file of the project and name that: @path.",
            "프로젝트의 파일에 넣고 @경로로 알려 주세요.",
        )),
    ),
    ("only your own messages can be edited", "내 메시지만 고칠 수 있습니다", MESSAGES),
    ("only replies can be regenerated", "답변만 다시 받을 수 있습니다", MESSAGES),
    ("only a reply that ended can be continued", "끝난 답변만 이어 갈 수 있습니다", MESSAGES),
    ("this reply has no question", "질문이 없는 답변입니다", MESSAGES),
    ("this message was sent already", "이미 보낸 메시지입니다", NOTHING),
    ("this is not attached to the message", "메시지에 첨부한 것이 아닙니다", AGAIN),
    (
        "the conversation is in the trash; restore it first",
        "대화가 휴지통에 있습니다",
        Some((
            "`silt conversation restore ID` takes it out.",
            "`silt conversation restore ID`로 꺼내세요.",
        )),
    ),
    (
        "only what is in the trash can be deleted for ever",
        "휴지통에 있는 것만 완전히 삭제할 수 있습니다",
        Some((
            "`silt conversation delete ID` moves it there.",
            "`silt conversation delete ID`로 먼저 옮기세요.",
        )),
    ),
    ("the conversation has begun", "이미 시작한 대화입니다", NOTHING),
    ("a title needs at least one character", "제목에는 글자가 하나는 있어야 합니다", BRIEFER),
    (
        "instructions, temperature or output are out of range",
        "지침, 온도, 출력 길이 가운데 범위를 벗어난 것이 있습니다",
        Some((
            "The temperature is 0 to 2; the most tokens of a reply at least 1.",
            "온도는 0에서 2까지, 답변의 최대 토큰은 1 이상입니다.",
        )),
    ),
    ("a reply is being written in this conversation", "이 대화에서 답변을 쓰는 중입니다", WAIT),
    ("a reply is on its way in this conversation", "이 대화에서 답변이 오는 중입니다", WAIT),
    ("a reply or a summary is on its way", "답변이나 요약이 오는 중입니다", WAIT),
    ("the reply is on its way", "답변이 오는 중입니다", WAIT),
    (
        "a model is asked in this conversation already",
        "이 대화에서 이미 모델에 묻고 있습니다",
        WAIT,
    ),
    ("the conversation is not in the trash", "휴지통에 있는 대화가 아닙니다", NOTHING),
    ("the message belongs to another conversation", "다른 대화의 메시지입니다", MESSAGES),
    ("the turn has ended", "이미 끝난 차례입니다", NOTHING),
    ("the reply is whole already", "이미 끝난 답변입니다", NOTHING),
    ("the reply is not whole yet", "아직 끝나지 않은 답변입니다", WAIT),
    ("the message does not follow its reply", "그 답변에 이어지는 메시지가 아닙니다", MESSAGES),
    ("a call has no result yet", "아직 결과가 없는 호출이 있습니다", WAIT),
    (
        "only results of its calls go on with a reply",
        "답변은 부른 도구의 결과로만 이어집니다",
        MESSAGES,
    ),
    ("only a reply of the same turn goes on with it", "같은 차례의 답변만 이어집니다", MESSAGES),
    (
        "only pictures, files and pasted texts have bytes",
        "그림, 파일, 붙여 넣은 글에만 내용이 있습니다",
        MESSAGES,
    ),
    // Commands in messages.
    (
        "/memory add TEXT, show, refresh, clear or list",
        "/memory 다음에는 add 글, show, refresh, clear, list 가운데 하나를 씁니다",
        LITERAL,
    ),
    (
        "no such command, or nothing that it could be about",
        "그런 명령이 없거나 대상이 없습니다",
        LITERAL,
    ),
    // Memory.
    ("there is nothing to remember", "기억할 내용이 없습니다", BRIEFER),
    ("a line of memory has 1 to 16,384 bytes", "메모리 한 줄은 1~16,384바이트입니다", BRIEFER),
    (
        "a line moves to the project or to global memory",
        "줄은 프로젝트나 전역 메모리로만 옮깁니다",
        BRIEFER,
    ),
    ("the line has no project", "프로젝트가 없는 줄입니다", NOTHING),
    ("this line was answered already", "이미 답한 줄입니다", NOTHING),
    (
        "the settings name no memory file",
        "설정에 메모리 파일의 이름이 없습니다",
        Some((
            "`silt settings set memory.names AGENTS.md` names one.",
            "`silt settings set memory.names AGENTS.md`로 정하세요.",
        )),
    ),
    ("the file changed meanwhile", "그사이에 파일이 바뀌었습니다", AGAIN),
    (
        "the file was changed meanwhile; look at it again",
        "그사이에 파일이 바뀌었습니다",
        LOOK_AGAIN,
    ),
    (
        "it is not as it was shown any more; look at it again",
        "보여 드린 것과 달라졌습니다",
        LOOK_AGAIN,
    ),
    (
        "{} was changed, and waits for the user's answer first",
        "{}이(가) 바뀌었고, 먼저 답을 기다립니다",
        Some((
            "`silt memory agree` shows what changed, and with --yes agrees to it.",
            "`silt memory agree`가 바뀐 것을 보여 줍니다. --yes를 주면 동의합니다.",
        )),
    ),
    (
        "{} is {} under another name; memory is kept there",
        "{}은(는) 이름만 다른 {}입니다. 메모리는 그 파일에 넣습니다",
        Some(("Name the other file instead.", "다른 쪽 파일을 골라 주세요.")),
    ),
    (
        "{}: its marks are not one pair, each on a line of its own",
        "{}: 블록의 표시가 한 쌍이 아닙니다",
        Some((
            "Take the lines with siltstone:begin and siltstone:end out by hand, and try again.",
            "siltstone:begin과 siltstone:end가 있는 줄을 직접 지운 뒤 다시 해 보세요.",
        )),
    ),
    ("another program keeps writing the file", "다른 프로그램이 계속 파일을 쓰고 있습니다", WAIT),
    ("the folder is not trusted", "믿지 않는 폴더입니다", TRUST),
    (
        "the directory is not inside the project: {}",
        "프로젝트 안의 디렉터리가 아닙니다: {}",
        Some((
            "Name one inside the project, or another project with --project.",
            "프로젝트 안의 디렉터리를 쓰거나, --project로 다른 프로젝트를 알려 주세요.",
        )),
    ),
    // Summaries.
    (
        "a summary has at least one character, and at most 100,000",
        "요약은 1~100,000글자입니다",
        BRIEFER,
    ),
    ("a summary of this conversation is being made", "이 대화의 요약을 만드는 중입니다", WAIT),
    (
        "another program is making this summary; stop it there",
        "다른 프로그램이 이 요약을 만들고 있습니다",
        Some(("Stop it there.", "그쪽에서 멈추세요.")),
    ),
    ("another rate is being tried", "다른 비율을 시험하는 중입니다", WAIT),
    ("another fold is being tried", "다른 요약을 시험하는 중입니다", WAIT),
    (
        "this conversation is told without summaries",
        "요약 없이 전하는 대화입니다",
        Some((
            "Choose another way: `silt summary run ID --policy rolling`.",
            "다른 방식을 골라 주세요: `silt summary run ID --policy rolling`.",
        )),
    ),
    ("this summary was not made", "만들어지지 않은 요약입니다", SUMMARIES),
    ("this summary stands for no message", "어느 메시지도 대신하지 않는 요약입니다", SUMMARIES),
    ("there is no summary to unfold", "펼칠 요약이 없습니다", SUMMARIES),
    (
        "the messages of this summary are on another branch",
        "이 요약의 메시지는 다른 가지에 있습니다",
        Some((
            "`silt message branch MESSAGE` shows that branch.",
            "`silt message branch 메시지`로 그 가지를 보이세요.",
        )),
    ),
    (
        "only the newest fold of the shown path can be taken back",
        "보이는 가지의 가장 새 요약만 되돌릴 수 있습니다",
        SUMMARIES,
    ),
    (
        "nothing goes with a summary that follows the designs strictly",
        "정해진 그대로 만든 요약에는 아무것도 곁들이지 않습니다",
        Some((
            "`silt settings set summary.strict false` allows it.",
            "`silt settings set summary.strict false`로 허용할 수 있습니다.",
        )),
    ),
    ("nothing can be folded now", "지금 접을 것이 없습니다", None),
    ("no model can be asked to summarise", "요약을 맡길 모델이 없습니다", None),
    (
        "another program summarises this conversation",
        "다른 프로그램이 이 대화를 요약하고 있습니다",
        WAIT,
    ),
    ("the summary is not in progress", "만드는 중인 요약이 아닙니다", SUMMARIES),
    // Plans, tasks, sessions.
    ("the proposal was settled already", "이미 답한 제안입니다", NOTHING),
    ("a plan belongs to a project", "계획은 프로젝트에 속합니다", PROJECTS),
    ("a goal has 1 to 65,536 bytes", "목표는 1~65,536바이트입니다", BRIEFER),
    ("the text is empty", "글이 비어 있습니다", BRIEFER),
    (
        "no plan is worked on",
        "진행 중인 계획이 없습니다",
        Some(("`silt plan add TITLE` begins one.", "`silt plan add 제목`으로 시작하세요.")),
    ),
    ("{} would wait for itself", "{}이(가) 자기 자신을 기다리게 됩니다", BRIEFER),
    (
        "{} waits for {}",
        "{}은(는) {}을(를) 기다립니다",
        Some(("Finish those first.", "그것부터 끝내세요.")),
    ),
    ("{} is archived", "{}은(는) 보관되어 있습니다", WORKFLOW),
    ("the plan is being carried out", "계획을 진행하는 중입니다", WAIT),
    ("the plan is gone", "계획이 없어졌습니다", WORKFLOW),
    (
        "no plan waits in this project",
        "이 프로젝트에는 기다리는 계획이 없습니다",
        Some((
            "`silt tree create GOAL` asks a model for one, and `silt tree run FILE` carries it out.",
            "`silt tree create 목표`로 모델에 계획을 물어보고, `silt tree run 파일`로 진행하세요.",
        )),
    ),
    ("no task of the plan can be begun", "시작할 수 있는 할 일이 없습니다", WORKFLOW),
    ("nothing of the plan can be begun now", "지금 시작할 수 있는 할 일이 없습니다", WORKFLOW),
    (
        "another plan is carried out in this project; stop it first",
        "이 프로젝트에서 다른 계획을 진행하고 있습니다",
        Some(("`silt tree stop` stops it.", "`silt tree stop`으로 멈추세요.")),
    ),
    (
        "the session's files are not written",
        "세션의 파일을 쓰지 않고 있습니다",
        Some(("`silt session share` writes them.", "`silt session share`로 쓰기 시작하세요.")),
    ),
    (
        "no such file of a session",
        "그런 세션 파일이 없습니다",
        Some(("`silt session show` names them.", "`silt session show`로 볼 수 있습니다.")),
    ),
    // Checkpoints.
    ("another checkpoint has this name", "다른 체크포인트가 이 이름을 쓰고 있습니다", ANOTHER_NAME),
    ("a checkpoint is being made", "체크포인트를 만드는 중입니다", WAIT),
    ("a name has at most 100 characters on one line", "이름은 한 줄에 100글자까지입니다", BRIEFER),
    ("a name has 1 to 50 characters on one line", "이름은 한 줄에 1~50글자입니다", BRIEFER),
    ("{} is named twice", "{}이(가) 두 번 있습니다", BRIEFER),
    ("only an agent gets a session of its own", "세션은 에이전트에만 만들어 줄 수 있습니다", None),
    (
        "{} is pinned and stays until it is deleted with --yes",
        "{}은(는) 고정되어 있어 --yes를 붙여야 삭제합니다",
        Some((
            "Add --yes to delete it for ever, or unpin it: `silt checkpoint pin ID --off`.",
            "완전히 삭제하려면 --yes를 붙이고, 고정만 풀려면 `silt checkpoint pin ID --off`를 쓰세요.",
        )),
    ),
    ("they are of two projects", "서로 다른 프로젝트의 것입니다", CHECKPOINTS),
    ("it is of no project", "프로젝트가 없는 체크포인트입니다", CHECKPOINTS),
    ("the plan has no such file", "계획에 그런 파일이 없습니다", AGAIN),
    ("only texts can be merged", "글 파일만 합칠 수 있습니다", BRIEFER),
    ("this restore was done already", "이미 끝난 되돌리기입니다", NOTHING),
    ("nothing was restored in this project", "이 프로젝트에서 되돌린 것이 없습니다", NOTHING),
    ("no conversation was open then", "그때 열려 있던 대화가 없습니다", CHECKPOINTS),
    (
        "a newer version made it; it can be looked at, not restored",
        "더 새로운 버전이 만들어서 볼 수는 있어도 되돌릴 수는 없습니다",
        Some(("Update Siltstone.", "Siltstone을 새로 받아 주세요.")),
    ),
    (
        "a newer version wrote it: {}",
        "더 새로운 버전이 쓴 것입니다: {}",
        Some(("Update Siltstone.", "Siltstone을 새로 받아 주세요.")),
    ),
    (
        "the disk is nearly full",
        "디스크가 거의 찼습니다",
        Some(("Free some space.", "공간을 비워 주세요.")),
    ),
    ("the folder is too wide to be kept", "폴더가 너무 넓어 담지 않습니다", None),
    (
        "the folder holds more than may be read",
        "폴더에 읽을 수 있는 것보다 많이 들어 있습니다",
        Some(("Open a folder inside of it.", "그 안의 폴더를 열어 주세요.")),
    ),
    ("this is no pattern of paths", "경로의 패턴이 아닙니다", BRIEFER),
    ("nothing changed", "바뀐 것이 없습니다", NOTHING),
    ("this is being done already", "이미 하고 있습니다", WAIT),
    ("it is so already", "이미 그렇습니다", NOTHING),
    ("its copy is being written", "사본을 쓰는 중입니다", WAIT),
    (
        "checkpoints are not sealed",
        "체크포인트가 봉인되어 있지 않습니다",
        Some((
            "`silt checkpoint seal` seals them.",
            "`silt checkpoint seal`로 봉인할 수 있습니다.",
        )),
    ),
    (
        "the key of sealed checkpoints is in it; open them first",
        "봉인한 체크포인트의 키가 들어 있습니다",
        Some(("`silt checkpoint unseal` opens them.", "`silt checkpoint unseal`로 먼저 푸세요.")),
    ),
    ("this is the key of other checkpoints", "다른 체크포인트의 키입니다", AGAIN),
    (
        "a recovery passphrase has at least twelve characters",
        "복구 암호는 12글자 이상입니다",
        BRIEFER,
    ),
    ("a passphrase has at least eight characters", "암호는 8글자 이상입니다", BRIEFER),
    ("a new passphrase needs at least eight characters", "새 암호는 8글자 이상입니다", BRIEFER),
    ("another remote has this name", "다른 원격 저장소가 이 이름을 쓰고 있습니다", ANOTHER_NAME),
    // Models and keys.
    (
        "a provider needs a name of its own",
        "제공자에는 겹치지 않는 이름이 필요합니다",
        ANOTHER_NAME,
    ),
    (
        "a key is one word of visible ASCII characters",
        "키는 보이는 ASCII 글자로 된 한 낱말입니다",
        BRIEFER,
    ),
    (
        "this provider has no address to send a key to",
        "키를 보낼 주소가 없는 제공자입니다",
        Some(("It needs no key.", "키가 필요하지 않습니다.")),
    ),
    (
        "this key has to outlive the program",
        "프로그램보다 오래 남아야 하는 키입니다",
        Some((
            "Keep it in the keyring or the encrypted file.",
            "키링이나 암호화 파일에 보관해 주세요.",
        )),
    ),
    ("no key", "키가 없습니다", None),
    (
        "texts would leave this computer: say how many tokens",
        "글이 이 컴퓨터를 나가게 됩니다",
        Some((
            "Say how many tokens at most: --most TOKENS.",
            "최대 토큰 수를 알려 주세요: --most 토큰.",
        )),
    ),
    (
        "{} cannot be asked for this",
        "{}에는 이 일을 맡길 수 없습니다",
        Some((
            "Choose another model: `silt settings list tasks`.",
            "다른 모델을 골라 주세요: `silt settings list tasks`.",
        )),
    ),
    // Tools and servers.
    ("the call does not wait any more", "더는 기다리지 않는 호출입니다", NOTHING),
    ("the call is not the one that was shown", "보여 드린 호출이 아닙니다", AGAIN),
    (
        "the resource says something else than what was shown",
        "자료의 내용이 보여 드린 것과 다릅니다",
        Some((
            "Look at it again with `silt memory resource`; nothing was changed.",
            "`silt memory resource`로 다시 보세요. 바뀐 것은 없습니다.",
        )),
    ),
    (
        "commands run only in a project that is trusted",
        "명령은 믿는 프로젝트에서만 실행합니다",
        TRUST,
    ),
    (
        "the server or a file of it was changed since it was shown",
        "보여 드린 뒤에 서버나 그 파일이 바뀌었습니다",
        SERVERS,
    ),
    ("the server has no secret of this name", "서버에 그런 이름의 비밀이 없습니다", SERVERS),
    ("a server needs a command", "서버에는 명령이 필요합니다", BRIEFER),
    ("too many arguments or variables", "인자나 변수가 너무 많습니다", BRIEFER),
    ("too many places", "장소가 너무 많습니다", BRIEFER),
    (
        "an argument or a value is too long or no text",
        "인자나 값이 너무 길거나 글이 아닙니다",
        BRIEFER,
    ),
    (
        "the address or the header's name cannot be used",
        "주소나 헤더의 이름을 쓸 수 없습니다",
        BRIEFER,
    ),
    ("a secret is text of at most 2500 bytes", "비밀은 2500바이트까지의 글입니다", BRIEFER),
    ("{} is no name of a variable", "{}은(는) 변수의 이름이 아닙니다", BRIEFER),
    (
        "{} looks like a secret: keep it with the keys",
        "{}은(는) 비밀처럼 보입니다",
        Some(("Name it with --secret.", "--secret으로 알려 주세요.")),
    ),
    (
        "{} is too much to be named, or no place",
        "{}은(는) 허용하기에 너무 넓거나 있는 곳이 아닙니다",
        Some(("Name a folder inside of it.", "그 안의 폴더를 알려 주세요.")),
    ),
    ("no result of a tool in this conversation", "이 대화에 그런 도구 결과가 없습니다", MESSAGES),
    (
        "the section is neither a tool's result nor a file",
        "도구 결과도 파일도 아닌 조각입니다",
        Some((
            "`silt context preview --conversation ID` names the sections.",
            "`silt context preview --conversation ID`로 조각을 볼 수 있습니다.",
        )),
    ),
    // Context.
    (
        "context has at most 64 keys of 200 bytes with 64 KiB each",
        "키는 64개까지, 이름은 200바이트, 값은 64 KiB까지입니다",
        BRIEFER,
    ),
    (
        "the key is Siltstone's own, or 64 others are there already",
        "Siltstone이 쓰는 키이거나 이미 64개가 있습니다",
        Some((
            "Take another key, or remove one: `silt context remove KEY`.",
            "다른 키를 쓰거나 하나를 빼세요: `silt context remove 키`.",
        )),
    ),
    ("another program changed the context", "다른 프로그램이 바꾸었습니다", AGAIN),
    // Data.
    ("the data is not base64", "base64가 아닙니다", BRIEFER),
    (
        "another Siltstone has the database open",
        "다른 Siltstone이 데이터를 열어 두었습니다",
        Some(("Close it, then try again.", "닫은 다음 다시 해 보세요.")),
    ),
    (
        "the database is open and needs no repair",
        "데이터에 문제가 없어 되살릴 것이 없습니다",
        NOTHING,
    ),
    (
        "nothing was salvaged",
        "되살린 것이 없습니다",
        Some((
            "`silt backup list` says what can be gone back to.",
            "`silt backup list`로 돌아갈 수 있는 백업을 보세요.",
        )),
    ),
    (
        "the input is not UTF-8 text",
        "UTF-8 글이 아닙니다",
        Some(("Give it as UTF-8.", "UTF-8로 넣어 주세요.")),
    ),
    ("the file is no UTF-8 text", "UTF-8 글이 아닌 파일입니다", None),
    ("cancelled", "취소했습니다", None),
    // Folders, files and keys.
    ("{} was never opened before", "{}은(는) 처음 여는 폴더입니다", None),
    ("no folder at {}", "{}: 폴더가 없습니다", None),
    ("{} is not readable in this project", "{}은(는) 이 프로젝트에서 읽을 수 없습니다", None),
    ("{} is excluded", "{}은(는) 제외한 파일입니다", None),
    ("{} is not text", "{}은(는) 글이 아닙니다", None),
    ("the keyring is locked", "키링이 잠겨 있습니다", None),
    ("no keyring: {}", "키링이 없습니다: {}", None),
    ("the keyring did not answer within {} s", "키링이 {}초 안에 답하지 않습니다", None),
    ("the keyring refused: {}", "키링이 거절했습니다: {}", None),
    ("the encrypted file is not open", "암호화 파일이 열려 있지 않습니다", None),
    (
        "the passphrase does not open the encrypted file, or the file is damaged",
        "이 암호로 암호화 파일이 열리지 않거나, 파일이 손상되었습니다",
        None,
    ),
    (
        "checkpoints are sealed, and their key is not at hand",
        "체크포인트가 봉인되어 있고 키가 없습니다",
        None,
    ),
    // The way to models.
    ("cannot reach {}: {}", "{}에 닿지 못했습니다: {}", None),
    ("no answer within {} s", "{}초 안에 답이 없습니다", None),
    ("model {} not found", "{} 모델이 없습니다", None),
    ("rate limited", "요청이 너무 많습니다", None),
    ("the reply was cut off: {}", "답변이 끊겼습니다: {}", None),
    ("not authorised: {}", "키를 받아 주지 않습니다: {}", None),
    ("no credit: {}", "잔액이 부족합니다: {}", None),
    ("server error {}: {}", "서버 오류 {}: {}", None),
    ("refused with {}: {}", "{} 오류로 거절했습니다: {}", None),
    ("unreadable answer: {}", "읽을 수 없는 답입니다: {}", None),
    ("{} is not on this computer", "{}은(는) 이 컴퓨터의 주소가 아닙니다", None),
    ("{} is not encrypted", "{}은(는) 암호화되지 않은 주소입니다", None),
];

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_case_is_known_with_what_is_different_in_it() {
        let found = of("AGENTS.md has no version 99").unwrap();
        assert_eq!(found.korean, "AGENTS.md에 버전 99이 없습니다");
        assert!(found.hint.unwrap().0.contains("memory history"));
        assert!(of("the reply is").is_none());
        assert_eq!(of("no plan is worked on").unwrap().korean, "진행 중인 계획이 없습니다");
        assert!(
            of("no keyring: a: No such file or directory (os error 2)").unwrap().hint.is_none()
        );
        for (says, korean, _) in CASES {
            assert_eq!(says.matches("{}").count(), korean.matches("{}").count(), "{says}");
        }
    }

    /// The texts that follow a word in a source, with what is put into them as `{}`.
    fn texts_after(source: &str, word: &str) -> Vec<String> {
        let calls = source.match_indices(word).map(|(at, _)| &source[at + word.len()..]);
        calls
            .filter_map(|rest| {
                let rest = rest.trim_start().trim_start_matches("&format!(").trim_start();
                let (text, _) = rest.strip_prefix('"')?.split_once('"')?;
                let mut plain = String::new();
                let mut inside = false;
                for c in text.chars() {
                    match c {
                        '{' => (inside, plain) = (true, plain + "{}"),
                        '}' => inside = false,
                        c if !inside => plain.push(c),
                        _ => {}
                    }
                }
                Some(plain)
            })
            .collect()
    }

    fn sources(folder: &Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, found);
            } else if path.extension().is_some_and(|it| it == "rs") {
                found.push(std::fs::read_to_string(&path).unwrap());
            }
        }
    }

    #[test]
    fn every_case_of_the_app_has_its_words() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let mut all = Vec::new();
        for of in ["app/src", "storage/src"] {
            sources(&crates.join(of), &mut all);
        }
        let mut unknown = Vec::new();
        let mut seen = 0;
        for source in all {
            for word in ["conflict(", "bad_request(", "Conflict { what: "] {
                let texts = texts_after(&source, word);
                seen += texts.len();
                unknown.extend(texts.into_iter().filter(|text| of(text).is_none()));
            }
            for what in texts_after(&source, "not_found(") {
                seen += 1;
                let text = format!("no {what} x");
                unknown.extend(of(&text).is_none().then_some(text));
            }
        }
        assert!(seen > 90, "{seen}");
        assert_eq!(unknown, Vec::<String>::new());
    }
}
