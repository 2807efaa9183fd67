//! What the sentences of a memory file ask a model to do that its person would hardly want.

use super::super::lines::{Kind, lines};
use super::{FindingKind, excerpt};

/// A sentence, and the lines that it is on.
pub(super) struct Sentence {
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) text: String,
}

/// The sentences of a text. A paragraph or an item may break its lines anywhere.
pub(super) fn sentences(text: &str) -> Vec<Sentence> {
    let mut sentences: Vec<Sentence> = Vec::new();
    let mut goes_on = false;
    for (at, line) in lines(text).into_iter().enumerate() {
        goes_on &= matches!(line.kind, Kind::Text(_) | Kind::Comment);
        for part in line.text.split_inclusive(char::is_whitespace) {
            match sentences.last_mut().filter(|_| goes_on) {
                Some(sentence) => {
                    sentence.text.push_str(part);
                    sentence.last = at;
                }
                None => sentences.push(Sentence { first: at, last: at, text: part.to_owned() }),
            }
            goes_on = !part.trim_end().ends_with(['.', '!', '?', '。']);
        }
        if let Some(sentence) = sentences.last_mut() {
            sentence.text.push(' ');
        }
        goes_on &= matches!(line.kind, Kind::Text(_) | Kind::Item(_) | Kind::Comment);
    }
    sentences
}

/// What a sentence asks for.
pub(super) fn asks(sentence: &str) -> Vec<(FindingKind, String)> {
    let lower = sentence.to_lowercase();
    let mut found: Vec<(FindingKind, String)> = Vec::new();
    for (kind, groups) in ASKS {
        let asks = groups.iter().all(|any| any.iter().any(|words| lower.contains(words)));
        if asks && found.iter().all(|(known, _)| known != kind) {
            found.push((kind.clone(), excerpt(sentence)));
        }
    }
    found
}

/// What a sentence that asks for something says: one of the words of every group.
const ASKS: &[(FindingKind, &[&[&str]])] = &[
    (
        FindingKind::AsksToRun,
        &[
            &[
                "curl ",
                "wget ",
                "iwr ",
                "invoke-webrequest",
                "base64 -d",
                "base64 --decode",
                "fetch ",
            ],
            &[
                "| sh", "|sh", "| bash", "|bash", "| zsh", "| python", "|python", "| iex", "|iex",
                "bash <(", "sh -c", "eval",
            ],
        ],
    ),
    (FindingKind::AsksToRun, &[&["bash <(", "sh <(", "eval $(", "eval \"$("], &["curl", "wget"]]),
    (
        FindingKind::AsksToRun,
        &[
            &["run ", "execute ", "실행"],
            &[
                "without asking",
                "without confirm",
                "without telling",
                "silently",
                "묻지 말고",
                "묻지 않고",
                "확인 없이",
                "몰래",
            ],
        ],
    ),
    (FindingKind::AsksToRun, &[&["rm -rf /", "rm -rf ~", ":(){ :|:", "mkfs.", "dd if="]]),
    (
        FindingKind::AsksToSend,
        &[
            &["curl ", "wget ", "nc ", "ncat ", "scp ", "rsync "],
            &[
                " -d @",
                "--data @",
                "--data-binary",
                "-f file=@",
                "-f \"file=@",
                "--post-file",
                "-t ",
                "< ~/",
                "< .env",
                "$(cat",
            ],
        ],
    ),
    (
        FindingKind::AsksToSend,
        &[
            &[
                "send ",
                "post ",
                "upload ",
                "exfiltrate",
                "transmit ",
                "forward ",
                "보내",
                "전송",
                "업로드",
            ],
            &[
                "http://",
                "https://",
                "webhook",
                "ngrok",
                "pastebin",
                "requestbin",
                "@gmail.",
                "서버로",
            ],
        ],
    ),
    (
        FindingKind::AsksToSend,
        &[
            &[
                "send ",
                "upload ",
                "exfiltrate",
                "include ",
                "append ",
                "encode ",
                "보내",
                "전송",
                "붙여",
                "포함",
            ],
            &[
                ".env",
                "api key",
                "api_key",
                "credential",
                "private key",
                "ssh key",
                "~/.ssh",
                "id_rsa",
                "password",
                "access token",
                "environment variable",
                "비밀번호",
                "환경 변수",
                "api 키",
                "개인 키",
            ],
            &[
                "url",
                "http",
                "response",
                "request",
                "image",
                "link",
                "server",
                "주소",
                "답변",
                "요청",
                "서버",
                "이미지",
            ],
        ],
    ),
    (
        FindingKind::AsksToSend,
        &[
            &["!["],
            &["]("],
            &["http://", "https://"],
            &["{{", "${", "<data>", "?q=", "?data=", "?d="],
        ],
    ),
    (
        FindingKind::AsksToHide,
        &[
            &["ignore ", "disregard ", "forget ", "override "],
            &["previous", "prior", "above", "earlier", "all other", "system"],
            &["instruction", "rule", "prompt", "message", "guideline"],
        ],
    ),
    (
        FindingKind::AsksToHide,
        &[
            &["이전", "앞의", "위의", "기존", "시스템"],
            &["지시", "명령", "규칙", "프롬프트"],
            &["무시", "잊어", "따르지 마"],
        ],
    ),
    (
        FindingKind::AsksToHide,
        &[
            &["do not ", "don't ", "never ", "without "],
            &["tell", "mention", "inform", "reveal", "notify", "show"],
            &["the user", "the person", "the human", "the developer", "anyone"],
        ],
    ),
    (
        FindingKind::AsksToHide,
        &[
            &["사용자", "개발자", "사람"],
            &["알리지 마", "말하지 마", "보여주지 마", "알리지 말", "말하지 말", "모르게", "숨기"],
        ],
    ),
    (
        FindingKind::AsksToHide,
        &[&[
            "you are now ",
            "new system prompt",
            "<system>",
            "[system]",
            "developer mode",
            "<|im_start|>",
        ]],
    ),
];
