//! Help in Korean: the words of [`crate::args`], each with its translation.

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
    KOREAN.iter().find(|(key, _)| *key == english).map(|(_, korean)| *korean)
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
        "List, show, search, import, export, delete and restore conversations",
        "대화를 나열하고, 보고, 찾고, 가져오고, 내보내고, 지우고, 되살리기",
    ),
    (
        "What the next message would send, and what was sent for a reply",
        "다음 메시지가 보낼 것과, 답변을 받으려고 보낸 것",
    ),
    (
        "Language models: list, add, test, choose, find on this computer",
        "언어 모델: 나열, 추가, 시험, 선택, 이 컴퓨터에서 찾기",
    ),
    ("Search all messages", "모든 메시지에서 찾기"),
    ("Open a folder and say what it brings", "폴더를 열고 무엇이 들어오는지 말하기"),
    ("The folder", "폴더"),
    (
        "Its instruction files and texts may be sent to a model",
        "이 폴더의 지침 파일과 글을 모델에 보내도 됨",
    ),
    ("Open it without its instruction files and texts", "지침 파일과 글은 빼고 열기"),
    ("Folders that were opened, the last one first", "열었던 폴더, 최근 것부터"),
    ("Forget a folder; its conversations stay", "폴더를 잊기. 대화는 그대로 있음"),
    ("Go on with this conversation [default: a new one]", "이 대화를 이어 가기 [기본: 새 대화]"),
    ("Ask this provider, now and later in this conversation", "이 대화에서 이제부터 물어볼 제공자"),
    ("Ask this model, now and later in this conversation", "이 대화에서 이제부터 물어볼 모델"),
    ("The message; `-` reads it from stdin", "메시지. `-`는 표준 입력에서 읽기"),
    (
        "Conversations of the project, or all when there is none",
        "프로젝트의 대화. 프로젝트가 없으면 모든 대화",
    ),
    ("Of every project", "모든 프로젝트의 것"),
    ("Those in the trash", "휴지통에 있는 것"),
    ("One conversation with its messages", "대화 하나와 그 메시지"),
    ("Its id", "아이디"),
    ("Search messages", "메시지에서 찾기"),
    ("A conversation from Markdown, JSON or JSONL", "Markdown, JSON, JSONL에서 대화를 가져오기"),
    ("The file; `-` reads stdin", "파일. `-`는 표준 입력에서 읽기"),
    ("A conversation as text", "대화를 글로 내보내기"),
    (
        "For reading, for keeping every branch, or one message a line for other programs",
        "읽기 좋게, 모든 갈래를 간직하게, 또는 다른 프로그램이 읽게 한 줄에 메시지 하나",
    ),
    ("Write to a file instead of stdout", "표준 출력 대신 파일에 쓰기"),
    ("Move to the trash", "휴지통으로 옮기기"),
    ("Take out of the trash", "휴지통에서 꺼내기"),
    ("What to look for", "찾을 말"),
    ("In every project", "모든 프로젝트에서"),
    ("Only in this conversation", "이 대화에서만"),
    ("Most hits to give, at most 100", "보여 줄 결과의 수, 많아야 100"),
    ("What the next message would send, piece by piece", "다음 메시지가 보낼 것을 하나하나 보기"),
    ("The conversation", "대화"),
    ("The message that would be sent", "보낼 메시지"),
    ("What was sent for a reply, rebuilt", "답변을 받으려고 보낸 것을 되짚어 보기"),
    ("The reply's turn", "답변의 차례(turn)"),
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
        "Ask this provider and model wherever nothing else was chosen",
        "따로 고르지 않은 곳에서 물어볼 제공자와 모델",
    ),
    ("The provider's name", "제공자의 이름"),
    ("The model's id", "모델의 아이디"),
    ("Remove a provider", "제공자를 지우기"),
    ("Find servers on this computer", "이 컴퓨터에서 서버를 찾기"),
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
