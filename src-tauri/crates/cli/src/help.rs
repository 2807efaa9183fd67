//! Help in Korean: the words of [`crate::args`], each with its translation.

mod agent;
mod backup;
mod checkpoint;
mod copy;
mod ledger;
mod mcp;
mod recall;
#[cfg(test)]
mod reference;
mod remote;
mod search;
mod session;
mod settings;
mod skill;
mod tree;
mod update;
mod vault;

use clap::{Command, CommandFactory, builder::StyledStr};

use crate::args::Args;
use crate::words::Lang;

/// The command line with its help in the given language.
pub fn command(lang: Lang) -> Command {
    let mut command = Args::command();
    if lang == Lang::Ko {
        // Building first: the options for help and version are there to be translated too.
        command.build();
        command = in_korean(command);
    }
    command
}

/// The language that the call asks for, before it is parsed.
pub fn lang_of_call() -> Lang {
    let args: Vec<String> =
        std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect();
    let after = args.iter().position(|arg| arg == "--lang").and_then(|at| args.get(at + 1));
    let joined = args.iter().find_map(|arg| arg.strip_prefix("--lang="));
    match after.map(String::as_str).or(joined) {
        Some("ko") => Lang::Ko,
        Some("en") => Lang::En,
        _ => Lang::of_system(),
    }
}

/// What clap itself says in a rendered help, in Korean.
pub fn in_korean_words(help: &str) -> String {
    let words = [
        ("[possible values: ", "[쓸 수 있는 값: "),
        ("Possible values:", "쓸 수 있는 값:"),
        ("[default: ", "[기본: "),
        ("[aliases: ", "[다른 이름: "),
    ];
    words.iter().fold(help.to_owned(), |help, (english, korean)| help.replace(english, korean))
}

fn in_korean(command: Command) -> Command {
    let about = command.get_about().and_then(korean);
    let names: Vec<String> =
        command.get_subcommands().map(|inner| inner.get_name().to_owned()).collect();
    let mut command = command
        .help_template("{about-with-newline}\n쓰는 법: {usage}\n\n{all-args}")
        .subcommand_help_heading("명령")
        .mut_args(|arg| {
            let help = arg.get_help().and_then(korean);
            let long = arg.get_long_help().and_then(korean);
            let heading = if arg.is_positional() { "인자" } else { "옵션" };
            let arg = arg.help_heading(heading);
            let arg = match help {
                Some(help) => arg.help(help),
                None => arg,
            };
            match long {
                Some(long) => arg.long_help(long),
                None => arg,
            }
        });
    if let Some(about) = about {
        command = command.about(about);
    }
    for name in names {
        command = command.mut_subcommand(name, in_korean);
    }
    command
}

fn korean(english: &StyledStr) -> Option<&'static str> {
    let english = english.to_string();
    let parts = [
        agent::KOREAN,
        backup::KOREAN,
        checkpoint::KOREAN,
        copy::KOREAN,
        ledger::KOREAN,
        mcp::KOREAN,
        recall::KOREAN,
        remote::KOREAN,
        search::KOREAN,
        session::KOREAN,
        settings::KOREAN,
        skill::KOREAN,
        tree::KOREAN,
        update::KOREAN,
        vault::KOREAN,
    ];
    let all = std::iter::once(KOREAN).chain(parts);
    all.flatten().find(|(key, _)| *key == english).map(|(_, korean)| *korean)
}

const KOREAN: &[(&str, &str)] = &[
    (
        "Siltstone without a window: conversations with language models over your own files",
        "창 없이 쓰는 Siltstone: 내 파일을 두고 언어 모델과 나누는 대화",
    ),
    (
        "Project folder [default: the opened project that holds the current folder]",
        "프로젝트 폴더 [기본: 지금 폴더를 담고 있는, 열어 둔 프로젝트]",
    ),
    (
        "Data folder [default: SILTSTONE_DATA_DIR, else your own]",
        "데이터 폴더 [기본: SILTSTONE_DATA_DIR, 없으면 내 데이터 폴더]",
    ),
    (
        "One JSON value on stdout; streams give one JSON object a line",
        "표준 출력에 JSON 값 하나. 이어지는 출력은 한 줄에 JSON 객체 하나",
    ),
    (
        "Open the encrypted file of keys with the passphrase that this file holds",
        "이 파일에 담긴 암호로 키의 암호화 파일을 열기",
    ),
    ("Language of messages [default: the system's]", "메시지의 언어 [기본: 시스템 언어]"),
    ("No progress and no notes", "진행 상황과 곁말을 내지 않음"),
    ("Open, list and forget project folders", "프로젝트 폴더를 열고, 나열하고, 잊기"),
    (
        "Send a message and stream the reply; Ctrl-C stops it and keeps what came",
        "메시지를 보내고 답변을 바로바로 받기. Ctrl-C로 멈추면 온 데까지 남음",
    ),
    (
        "List, show, search, import, export, delete, restore and purge conversations",
        "대화를 나열하고, 보고, 찾고, 가져오고, 내보내고, 지우고, 되살리기",
    ),
    (
        "What is known beside the conversations, what the next message would send, and what was sent",
        "대화 밖에서 아는 것, 다음 메시지가 보낼 것, 그리고 보낸 것",
    ),
    (
        "Language models: list, add, test, default, discover on this computer",
        "언어 모델: 나열, 추가, 시험, 선택, 이 컴퓨터에서 찾기",
    ),
    ("What models cost: list, set and remove prices", "모델 가격: 나열하고, 정하고, 지우기"),
    ("What this month cost, and its limit", "이번 달에 쓴 돈과 한도"),
    (
        "A small project with a recorded conversation, to look around in",
        "녹화된 대화가 들어 있는, 둘러보기용 작은 프로젝트",
    ),
    (
        "Let one call of this tool go in this reply; given twice, two [default: what has to be asked is refused]",
        "이 답변에서 이 도구의 호출 하나를 허용, 두 번 쓰면 둘 [기본값: 물어봐야 하는 일은 거절]",
    ),
    ("Let this month go on, if its limit is reached", "이번 달 한도에 이르렀어도 이어 가기"),
    (
        "Ask this model the same after the reply, for this message alone; may be given up to three times",
        "답변 뒤에 이 모델에도 같은 것을 묻기. 이 메시지에만, 세 번까지 쓸 수 있음",
    ),
    ("Ask this model, for this reply alone", "이 답변에만 이 모델에 묻기"),
    (
        "All replies to the question of one, each under its model",
        "같은 질문에 대한 모든 답변, 저마다 모델 이름 아래",
    ),
    (
        "One of the replies, as `conversation show` names it",
        "답변 하나, `conversation show`에 나오는 이름으로",
    ),
    (
        "Send the message as it is written, also where it begins like a command: /memory, /plan, /task, /decide",
        "/memory, /plan, /task, /decide처럼 명령으로 시작해도 쓴 그대로 메시지로 보내기",
    ),
    (
        "Prices in US dollars for a million tokens: built in, of servers, your own",
        "토큰 100만 개당 미국 달러 가격: 기본, 서버, 직접 정한 것",
    ),
    ("Your own price for a model", "모델 가격을 직접 정하기"),
    (
        "The model's id; a `*` at the end stands for any ending",
        "모델의 아이디. 끝의 `*`는 무엇으로 끝나든 맞음",
    ),
    ("For what is sent", "보낸 것의 가격"),
    ("For what is answered", "받은 답의 가격"),
    (
        "For what is sent and found in the provider's cache",
        "보낸 것 가운데 제공자의 캐시에 있던 것의 가격",
    ),
    (
        "For what is sent and written to the provider's cache",
        "보낸 것 가운데 제공자의 캐시에 새로 적힌 것의 가격",
    ),
    ("Take your own price away", "직접 정한 가격을 지우기"),
    ("As it was set", "정할 때 쓴 그대로"),
    ("Ask before a month costs more than this", "한 달에 이보다 더 쓰기 전에 묻기"),
    ("Never ask", "묻지 않기"),
    (
        "Let this month go on until one more limit's worth is spent",
        "한도만큼 더 쓸 때까지 이번 달을 이어 가기",
    ),
    (
        "Open it in your language; what is there already stays",
        "내 언어로 열기. 이미 있는 것은 그대로 둠",
    ),
    (
        "Summaries of earlier messages: list, show, run, diff, edit",
        "앞선 메시지의 요약: 나열, 보기, 만들기, 견주기, 고치기",
    ),
    ("The summaries of a conversation", "대화의 요약"),
    ("One summary with its text", "요약 하나와 그 글"),
    (
        "How earlier messages are told where a conversation says nothing else; changed where one is named",
        "대화마다 따로 정하지 않았을 때 앞선 메시지를 전하는 방법. 이름을 쓰면 바꾸기",
    ),
    (
        "One running summary, or one for every three turns",
        "이어 고치는 요약 하나, 또는 세 턴마다 하나",
    ),
    (
        "Keep a tool's result or a file for the conversation, as data",
        "도구의 결과나 파일을 이 대화 동안 자료로 남기기",
    ),
    ("The section of a request, by its id", "요청의 조각, 아이디로"),
    (
        "What trusted MCP servers have to read, and what of it is kept for the conversation",
        "믿는 MCP 서버에 있는 자료와, 그중 이 대화에 남긴 것",
    ),
    (
        "What one of it says now, with the hash that --keep takes",
        "자료 하나의 지금 내용과, --keep에 쓸 해시",
    ),
    (
        "What the resource is asked for by, as `resources` lists it",
        "자료의 주소, `resources`가 보여 주는 대로",
    ),
    (
        "Keep it for the conversation, as data; refused when it says something else than what has this hash",
        "이 대화 동안 자료로 남기기. 이 해시의 내용과 다르면 거절합니다",
    ),
    (
        "Make whatever summary can be made now, and wait for it",
        "지금 만들 수 있는 요약을 만들고, 다 될 때까지 기다리기",
    ),
    ("What two summaries say differently, word by word", "두 요약이 어떻게 다른지 낱말마다 보기"),
    ("The older one", "오래된 요약"),
    ("The newer one", "새 요약"),
    ("Say it in your own words, as a new version", "직접 쓴 글로 새 버전 만들기"),
    ("The summary", "요약"),
    ("The new text; `-` reads it from stdin", "새 글. `-`는 표준 입력에서 읽기"),
    (
        "Tell earlier messages this way, now and later in this conversation",
        "앞선 메시지를 이렇게 전하기, 이 대화에서 지금부터",
    ),
    (
        "Length of summaries from 0.1 to 0.5, now and later in this conversation",
        "요약의 길이, 0.1에서 0.5까지, 이 대화에서 지금부터",
    ),
    ("Open a folder and say what it brings", "폴더를 열고 무엇이 들어오는지 말하기"),
    ("The folder", "폴더"),
    (
        "Its instruction files and texts may be sent to a model",
        "이 폴더의 지침 파일과 글을 모델에 보내도 됨",
    ),
    ("Open it without its instruction files and texts", "지침 파일과 글은 빼고 열기"),
    (
        "Its conversations ask models on this computer alone",
        "이 폴더의 대화는 이 컴퓨터에 있는 모델에만 묻기",
    ),
    ("Its conversations ask any model again", "이 폴더의 대화가 다시 어느 모델에나 묻기"),
    ("Folders that were opened, the last one first", "열었던 폴더, 최근 것부터"),
    (
        "Forget a folder with what is kept of it; its conversations and its files stay",
        "폴더와 폴더에 대해 보관한 것 잊기. 대화와 폴더의 파일은 그대로 있음",
    ),
    (
        "Do it, though plans, decisions, memory or checkpoints go with it for ever",
        "계획, 결정, 메모리, 체크포인트가 완전히 사라져도 잊기",
    ),
    ("Go on with this conversation [default: a new one]", "이 대화를 이어 가기 [기본: 새 대화]"),
    ("The conversation [default: the last one]", "대화 [기본: 마지막 대화]"),
    ("The reply, or its turn", "답변, 또는 그 턴"),
    (
        "Go on with the last conversation of this project, or of none",
        "이 프로젝트의 마지막 대화(프로젝트가 없으면 그런 대화)를 이어 가기",
    ),
    ("Ask this provider, now and later in this conversation", "이 대화에서 이제부터 물어볼 제공자"),
    ("Ask this model, now and later in this conversation", "이 대화에서 이제부터 물어볼 모델"),
    (
        "Send this picture or PDF file with it; may be given more than once",
        "이 그림이나 PDF 파일을 함께 보내기. 여러 번 쓸 수 있음",
    ),
    (
        "Instructions to the model, now and later in this conversation; empty for none",
        "이 대화에서 이제부터 모델에 줄 지침. 비우면 없음",
    ),
    (
        "Sampling temperature from 0 to 2, now and later in this conversation",
        "이 대화에서 이제부터 쓸 온도, 0에서 2까지",
    ),
    (
        "Most tokens of a reply, now and later in this conversation",
        "이 대화에서 이제부터 답변 하나의 최대 토큰 수",
    ),
    (
        "How much to think, now and later in this conversation",
        "이 대화에서 이제부터 얼마나 깊이 생각할지",
    ),
    ("The message; `-` reads it from stdin", "메시지. `-`는 표준 입력에서 읽기"),
    (
        "Conversations of the project, or all when there is none",
        "프로젝트의 대화. 프로젝트가 없으면 모든 대화",
    ),
    ("Of every project", "모든 프로젝트의 것"),
    ("Those in the trash", "휴지통에 있는 것"),
    ("One conversation with its messages", "대화 하나와 그 메시지"),
    (
        "What its newest question had changed in files, and which of that nobody was asked about",
        "마지막 질문으로 파일에서 바뀐 것, 그 가운데 묻지 않은 것",
    ),
    (
        "Take back what its newest question had changed in files; a checkpoint is made before",
        "마지막 질문으로 파일에서 바뀐 것을 되돌리기. 먼저 체크포인트를 만듦",
    ),
    (
        "These files alone [default: all that still are as it left them]",
        "이 파일들만 [기본값: 그대로 남아 있는 모두]",
    ),
    ("Its id", "아이디"),
    (
        "A conversation from Markdown, JSON or JSONL, or all of an export of ChatGPT or Claude",
        "Markdown, JSON, JSONL에서 대화를, 또는 ChatGPT나 Claude가 내보낸 대화를 모두 가져오기",
    ),
    ("The file; `-` reads stdin", "파일. `-`는 표준 입력에서 읽기"),
    ("A conversation as text", "대화를 글로 내보내기"),
    (
        "For reading, for keeping every branch, or one message a line for other programs",
        "읽기 좋게, 모든 갈래를 간직하게, 또는 다른 프로그램이 읽게 한 줄에 메시지 하나",
    ),
    ("Write to a file instead of stdout", "표준 출력 대신 파일에 쓰기"),
    ("Move to the trash", "휴지통으로 옮기기"),
    ("Take out of the trash", "휴지통에서 꺼내기"),
    ("Delete what is in the trash for ever", "휴지통에 있는 것을 완전히 삭제하기"),
    ("Backups that hold it, too", "그 대화가 들어 있는 백업도 함께"),
    ("What the next message would send, piece by piece", "다음 메시지가 보낼 것을 하나하나 보기"),
    (
        "What is known beside the conversations, store by store",
        "대화 밖에서 아는 것을 저장소별로 보기",
    ),
    ("What one key says", "키 하나의 값 보기"),
    ("For example currentFile", "이를테면 currentFile"),
    (
        "From now on a key says this, for every program on the data folder",
        "지금부터 키의 값을 정하기. 같은 데이터 폴더를 쓰는 모든 프로그램에 통함",
    ),
    ("For example currentFile or selection", "이를테면 currentFile이나 selection"),
    ("What it says; `-` reads it from stdin", "값. `-`는 표준 입력에서 읽기"),
    ("Keep it with the rules", "규칙과 함께 간직하기"),
    ("Nothing is known of a key any more", "키를 빼기"),
    ("As it was put", "넣을 때 쓴 그대로"),
    ("It is kept with the rules", "규칙과 함께 간직한 것"),
    ("Forget all that was put but not kept", "넣었지만 간직하지는 않은 것을 모두 잊기"),
    ("Load rules and layers anew", "규칙과 레이어를 다시 불러오기"),
    (
        "The request knows this; may be given more than once",
        "이 요청이 아는 것. 여러 번 쓸 수 있음",
    ),
    ("And nothing that was put", "앞서 넣은 것은 빼고"),
    (
        "A transcript, one message a line; it is read and nothing is asked",
        "한 줄에 메시지 하나인 기록. 읽기만 하고 아무 모델에도 묻지 않음",
    ),
    ("How its earlier messages are told", "앞선 메시지를 전하는 방식"),
    ("Length of its summaries, 0.1 to 0.5", "요약의 길이, 0.1에서 0.5까지"),
    ("Exactly as the designs write it, with what they lose", "설계서에 적힌 그대로, 잃는 것까지"),
    ("The model that would be asked", "물어볼 모델"),
    (
        "Most tokens of the request [default: three quarters of the usual window]",
        "요청의 최대 토큰 수 [기본: 보통 창의 4분의 3]",
    ),
    (
        "Language of its summaries [default: the one it is written in]",
        "요약의 언어 [기본: 기록이 쓰인 언어]",
    ),
    ("The conversation", "대화"),
    ("The message that would be sent", "보낼 메시지"),
    ("What was sent for a reply, rebuilt", "답변을 받으려고 보낸 것을 되짚어 보기"),
    (
        "With which call of the model within the turn, from 1 [default: the last]",
        "그 차례에서 모델을 몇 번째로 부른 것인지, 1부터 [기본값: 마지막]",
    ),
    (
        "Send a section with every message of a conversation from now on",
        "이제부터 대화의 모든 메시지에 이 조각을 함께 보내기",
    ),
    (
        "Send the next message of a conversation without a section",
        "대화의 다음 메시지를 이 조각 없이 보내기",
    ),
    ("Neither pin a section nor leave it out", "조각의 고정이나 제외를 거두기"),
    (
        "The section's id, as the preview says it: memory:AGENTS.md",
        "미리 보기가 알려 주는 조각의 id: memory:AGENTS.md",
    ),
    (
        "With keys, tokens and passwords, which are redacted otherwise",
        "키, 토큰, 비밀번호를 가리지 않고",
    ),
    ("The reply's turn", "답변의 차례(turn)"),
    (
        "Memory in layers: show, add, keep, lint, history, inbox, agree, share",
        "층으로 된 메모리: 보기, 합치기, 더하기, 살피기, 이력, 바뀐 것에 동의하기, 에이전트 파일에 넣기",
    ),
    (
        "The directory that is worked in, relative to the project's root [default: all of them]",
        "일하는 디렉터리, 프로젝트 뿌리에서부터 [기본: 모든 디렉터리]",
    ),
    ("The session memory of this conversation, too", "이 대화의 세션 메모리까지"),
    ("The layers, and what they say when they are put together", "층들과 그것을 합친 내용"),
    ("What memory says, line by line", "메모리가 말하는 것, 한 줄씩"),
    ("The files and the added lines", "파일과 더한 줄"),
    ("Remember a line; `-` reads it from stdin", "한 줄 기억하기. `-`는 표준 입력에서 읽기"),
    ("What to remember", "기억할 것"),
    ("Remove the added lines", "더한 줄을 모두 빼기"),
    ("Read all of it again", "모두 다시 읽기"),
    (
        "What to look at before a model reads it: hidden characters, orders to run or to send, secrets",
        "모델이 읽기 전에 살펴볼 것: 숨은 글자, 실행하거나 보내라는 지시, 비밀",
    ),
    (
        "Let a flagged line go into requests; flagged lines are left out until then",
        "표시된 줄을 요청에 넣기. 그 전에는 넣지 않음",
    ),
    ("Its file, relative to the project's root", "줄이 있는 파일, 프로젝트 뿌리에서부터"),
    ("Its number, as `lint` gives it", "`lint`가 말하는 줄 번호"),
    ("Leave it out again", "다시 빼기"),
    ("The versions of a file, or the text of one of them", "파일의 버전들, 또는 한 버전의 글"),
    (
        "The file, relative to the project's root; absolute for global memory",
        "파일, 프로젝트 뿌리에서부터. 전역 메모리는 절대 경로",
    ),
    ("This version", "이 버전"),
    (
        "Lines that models and agents propose to remember; none is memory before you accept it",
        "모델과 에이전트가 기억하자고 제안한 줄. 받아들이기 전에는 메모리가 아님",
    ),
    ("Remember this line", "이 줄을 기억하기"),
    ("Do not want this line", "이 줄을 거절하기"),
    (
        "Files that changed since you agreed to them; with --yes, agree to what they say now",
        "동의한 뒤에 바뀐 파일. --yes를 주면 지금 내용에 동의하기",
    ),
    ("These files [default: all that changed]", "이 파일들 [기본: 바뀐 것 모두]"),
    ("Agree", "동의하기"),
    (
        "Keep memory in files that other agents read, in a block that follows what it says; shows what changes in them",
        "다른 에이전트가 읽는 파일에 메모리를 블록으로 넣고, 메모리가 바뀌면 따라 고치기. 파일에서 바뀔 것을 보여 줌",
    ),
    ("The files; without one, all are listed", "파일들. 없으면 모두 보여 주기"),
    ("With what belongs to no project", "프로젝트에 속하지 않은 것까지"),
    (
        "As text, also where a line that imports AGENTS.md would do",
        "AGENTS.md를 가져오는 한 줄로 될 때도 글로 넣기",
    ),
    (
        "Take memory out of files that other agents read, which are then as they were",
        "다른 에이전트가 읽는 파일에서 메모리를 빼고 전처럼 되돌리기",
    ),
    ("The files", "파일들"),
    (
        "Moments of a project to go back to: create, diff, plan, restore, undo, clean",
        "돌아갈 수 있는 프로젝트의 순간: 만들기, 견주기, 계획, 되돌리기, 취소, 정리",
    ),
    ("Providers, the offline one first", "제공자, 오프라인 모델부터"),
    ("Add or change a provider on this computer", "이 컴퓨터의 제공자를 더하거나 바꾸기"),
    (
        "Its wire format; openai means chat completions",
        "통신 형식. openai는 chat completions를 뜻함",
    ),
    ("Your name for it", "부를 이름"),
    (
        "Where it listens, such as http://127.0.0.1:11434/v1",
        "주소, 이를테면 http://127.0.0.1:11434/v1",
    ),
    ("Read its key from stdin", "키를 표준 입력에서 읽기"),
    (
        "Where to keep the key: the system's keyring, or a file encrypted with --passphrase-file",
        "키를 보관할 곳: 시스템 키링, 또는 --passphrase-file로 암호화한 파일",
    ),
    ("Give a provider another key, or take it away", "제공자의 키를 바꾸거나 없애기"),
    ("Read the key from stdin", "키를 표준 입력에서 읽기"),
    ("Forget the key", "키를 잊기"),
    ("Whether it answers", "응답하는지 보기"),
    ("Its name", "이름"),
    ("The models it offers", "내놓는 모델"),
    (
        "Say how many tokens a model holds; without a number, it is as its server or its name says",
        "모델이 담는 토큰 수를 정하기. 숫자가 없으면 서버나 이름이 알려 주는 대로 돌아갑니다",
    ),
    ("Tokens of a request and its reply together", "요청과 답을 합친 토큰 수"),
    (
        "Ask this provider and model wherever nothing else was chosen",
        "따로 고르지 않은 곳에서 물어볼 제공자와 모델",
    ),
    ("The provider's name", "제공자의 이름"),
    ("The model's id", "모델의 아이디"),
    ("Remove a provider", "제공자를 지우기"),
    ("Find servers on this computer", "이 컴퓨터에서 서버를 찾기"),
    (
        "What left this program: requests to models, and their exact bytes",
        "이 프로그램에서 나간 것: 모델에 보낸 요청과 그 내용 그대로",
    ),
    ("Requests that left, the last one first", "나간 요청, 최근 것부터"),
    ("Only those to other computers", "다른 컴퓨터로 나간 것만"),
    ("Only those before this number", "이 번호 앞의 것만"),
    ("Most requests to give, at most 500", "보여 줄 요청의 수, 많아야 500"),
    ("One request as it was sent, without the key", "요청 하나를 보낸 그대로, 키는 빼고"),
    ("Its number", "번호"),
    (
        "As a command that sends the same again, with the key from the variable KEY",
        "똑같이 다시 보내는 명령으로, 키는 KEY 변수에서",
    ),
    ("Forget all of it", "모두 잊기"),
    ("Print help", "쓰는 법 보기"),
    ("Print help (see a summary with '-h')", "쓰는 법 보기 (짧게는 '-h')"),
    ("Print help (see more with '--help')", "쓰는 법 보기 (자세히는 '--help')"),
    ("Print version", "버전 보기"),
    ("Print this message or the help of the given subcommand(s)", "이 말이나 명령의 쓰는 법 보기"),
    ("Print help for the subcommand(s)", "명령의 쓰는 법 보기"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn english_left(command: &Command, found: &mut Vec<String>) {
        let texts = command.get_about().into_iter().chain(
            command
                .get_arguments()
                .filter(|arg| !arg.is_hide_set())
                .filter_map(|arg| arg.get_help()),
        );
        found.extend(
            texts
                .map(ToString::to_string)
                .filter(|text| !text.chars().any(|c| ('\u{AC00}'..='\u{D7A3}').contains(&c))),
        );
        command.get_subcommands().for_each(|inner| english_left(inner, found));
    }

    #[test]
    fn every_word_of_the_help_is_there_in_korean() {
        let mut found = Vec::new();
        english_left(&command(Lang::Ko), &mut found);
        assert_eq!(found, Vec::<String>::new());
    }
}
