//! Words for the person, in Korean and English.

mod details;
mod terms;
mod usage;

use clap::ValueEnum;
use siltstone_contract::{Code, Failure};
use siltstone_engine::{TimeZone, Timestamp};

/// The language of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Lang {
    Ko,
    En,
}

impl Lang {
    /// As the environment says.
    pub fn of_system() -> Self {
        let named = ["LC_ALL", "LC_MESSAGES", "LANG"]
            .iter()
            .filter_map(|name| std::env::var(name).ok())
            .find(|value| !value.is_empty());
        match named {
            Some(value) if value.starts_with("ko") => Self::Ko,
            _ => Self::En,
        }
    }

    pub fn code(self) -> &'static str {
        self.pick("en", "ko")
    }

    pub fn pick<'a>(self, en: &'a str, ko: &'a str) -> &'a str {
        match self {
            Self::En => en,
            Self::Ko => ko,
        }
    }

    /// A phrase with a number in the place of `{}`; `(s)` is left out for one.
    pub fn count(self, en: &str, ko: &str, count: impl std::fmt::Display) -> String {
        let count = count.to_string();
        let many = if count == "1" { "" } else { "s" };
        self.pick(en, ko).replace("(s)", many).replace("{}", &count)
    }

    /// How much a file or a store has, in the unit that a person reads.
    pub fn size(self, bytes: u64) -> String {
        match bytes {
            0..1_000 => self.count("{} byte(s)", "{}바이트", bytes),
            1_000..1_000_000 => format!("{} kB", bytes.div_ceil(1_000)),
            _ => format!("{:.1} MB", bytes as f64 / 1e6),
        }
    }

    /// A moment by the clock of this computer, to the second: lists of versions and checkpoints are told apart by it.
    pub fn moment(self, at: Timestamp) -> String {
        at.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S").to_string()
    }

    /// How long ago, roughly.
    pub fn ago(self, then: Timestamp, now: Timestamp) -> String {
        let seconds = now.as_second().saturating_sub(then.as_second()).max(0);
        match seconds {
            0..60 => self.pick("now", "방금").to_owned(),
            60..3_600 => self.count("{} min ago", "{}분 전", seconds / 60),
            3_600..86_400 => self.count("{} h ago", "{}시간 전", seconds / 3_600),
            _ => self.count("{} d ago", "{}일 전", seconds / 86_400),
        }
    }
}

/// What is wrong with a call, and what to do about it.
pub fn of_usage(lang: Lang, error: &clap::Error) -> Option<String> {
    if lang == Lang::Ko { usage::korean(error) } else { None }
}

/// What went wrong, and what to do about it.
pub fn of_failure(lang: Lang, failure: &Failure) -> (String, String) {
    let detail = details::of(&failure.message);
    let hint = detail.as_ref().and_then(|detail| detail.hint);
    match lang {
        Lang::En => {
            let own = hint.map(|(english, _)| english).or_else(|| english(failure.code));
            (failure.message.clone(), own.unwrap_or(&failure.hint).to_owned())
        }
        Lang::Ko => {
            let (what, usual) = korean(failure.code);
            let said = match detail {
                Some(detail) => detail.korean,
                None => format!("{what} ({})", failure.message),
            };
            (said, hint.map_or(usual, |(_, korean)| korean).to_owned())
        }
    }
}

/// The same of which the code alone is known.
pub fn of_code(lang: Lang, name: &str) -> String {
    let code = serde_json::from_value(name.into()).unwrap_or(Code::Internal);
    let (what, hint) = of_failure(lang, &Failure::new(code, name));
    format!("{what}. {hint}")
}

/// What to do where it is done in another way than in the window. A key for one session alone is the window's.
fn english(code: Code) -> Option<&'static str> {
    Some(match code {
        Code::LimitRounds | Code::LimitTokens | Code::LimitTime => {
            "What it did is kept. Go on with `silt message continue`, or raise the limit: \
             `silt settings list tools`."
        }
        Code::KeyMissing => "Give it one with `silt provider key NAME --key-stdin`.",
        Code::KeyringLocked => {
            "Open the keyring, or keep it in an encrypted file: `--passphrase-file FILE`, and \
             `--keep vault` with a key."
        }
        Code::KeyringTimedOut => {
            "Try again, or keep it in an encrypted file: `--passphrase-file FILE`, and \
             `--keep vault` with a key."
        }
        Code::KeyringAbsent | Code::KeyringRefused => {
            "Keep it in an encrypted file: `--passphrase-file FILE`, and `--keep vault` with a key."
        }
        Code::Damaged => {
            "The file was left as it is. `silt backup salvage` says what can be read of it; \
             `silt backup list` says what can be gone back to."
        }
        Code::CopyDamaged => {
            "Nothing was changed. `silt session restore` lists the other copies; go back to one."
        }
        Code::VaultLocked => {
            "Open the encrypted file: --passphrase-file names the file with its passphrase."
        }
        Code::ProviderNotLocal => {
            "Use an address of this computer; `silt settings set this_computer_only false` and \
             `silt settings set project.this_computer_only false` allow others."
        }
        Code::NoCloud => {
            "Nothing left. `silt settings set privacy.local_only false` allows it; a folder is no \
             other computer."
        }
        Code::McpForbidden => {
            "Use an address of this computer, or one that starts with https:// while \
             `silt settings list` says false at this_computer_only; a program runs where the \
             system can keep it from the network."
        }
        Code::McpNoNetwork => {
            "Add it again with `silt mcp add --network`; while `this_computer_only` is set no \
             program has a network."
        }
        Code::ModelNeeded => {
            "Connect one with `silt provider add`, or choose one for this work: \
             `silt settings list tasks`."
        }
        Code::AnswerUnusable => {
            "Try again, or choose another model for this work: `silt settings list tasks`."
        }
        _ => return None,
    })
}

fn korean(code: Code) -> (&'static str, &'static str) {
    match code {
        Code::BadRequest => ("요청이 잘못되었습니다", "값을 확인하고 다시 해 보세요."),
        Code::NotFound => (
            "찾지 못했습니다",
            "무엇이 있는지 목록을 확인해 보세요. 지운 대화는 휴지통에 있을 수 있습니다.",
        ),
        Code::Conflict => {
            ("지금은 할 수 없습니다", "바뀐 것은 없습니다. 괄호 안의 일이 풀리면 다시 해 보세요.")
        }
        Code::DiskFull => ("디스크가 가득 찼습니다", "공간을 비워 주세요. 잃어버린 것은 없습니다."),
        Code::ReadOnly => ("쓸 수 없습니다", "폴더의 권한을 확인해 주세요."),
        Code::Busy => ("다른 프로그램이 데이터를 쓰고 있습니다", "잠시 뒤에 다시 해 보세요."),
        Code::Damaged => (
            "데이터 파일을 읽을 수 없습니다",
            "파일은 그대로 두었습니다. `silt backup salvage`로 읽을 수 있는 것을 되살리거나 백업을 되살려 주세요.",
        ),
        Code::NewerData => (
            "더 새로운 버전이 쓴 데이터입니다",
            "새 버전을 다시 설치해 주세요. 바뀐 것은 없습니다.",
        ),
        Code::Io => ("시스템 오류입니다", "메시지를 확인해 주세요. 바뀐 것은 없습니다."),
        Code::NotAFolder => ("폴더가 아닙니다", "있는 폴더를 골라 주세요."),
        Code::FolderTooWide => (
            "폴더가 너무 넓습니다",
            "그 안의 폴더를 열어 주세요. 홈이나 디스크 맨 위는 담지 않습니다.",
        ),
        Code::OutsideProject => {
            ("이 프로젝트에서 읽을 수 없는 파일입니다", "연 폴더 안의 파일만 읽을 수 있습니다.")
        }
        Code::FileReadOnly => {
            ("파일에 쓸 수 없습니다", "파일의 권한을 확인해 주세요. 쓴 글은 그대로 있습니다.")
        }
        Code::FolderReplaced => (
            "프로젝트 자리에 다른 폴더가 있습니다",
            "`silt project open 경로`에 --trust나 --no-trust를 붙여 다시 답해 주세요.",
        ),
        Code::NotText => ("텍스트 파일이 아닙니다", "다른 프로그램으로 열어 주세요."),
        Code::Cancelled => ("취소했습니다", "원할 때 다시 시작하세요."),
        Code::TrustUnanswered => (
            "이 폴더를 믿는지 아직 답하지 않았습니다",
            "`silt project open`에 --trust나 --no-trust를 붙여 답해 주세요.",
        ),
        Code::ImportUnreadable => (
            "알아볼 수 있는 형식이 아닙니다",
            "ChatGPT나 Claude에서 내보낸 zip이나 conversations.json, Siltstone의 Markdown이나 JSON, 또는 한 줄에 메시지 하나인 JSONL을 가져와 주세요.",
        ),
        Code::ImportBroken => (
            "파일이 손상되었거나 온전하지 않습니다",
            "다시 내려받거나 서비스에서 새로 받아 주세요.",
        ),
        Code::AttachmentUnsupported => {
            ("첨부할 수 없는 파일입니다", "PNG, JPEG, GIF, WebP 그림이나 PDF 파일을 첨부해 주세요.")
        }
        Code::AttachmentTooLarge => {
            ("첨부가 너무 크거나 많습니다", "줄여서 첨부해 주세요. 파일 하나는 20 MiB까지입니다.")
        }
        Code::AttachmentMissing => (
            "첨부한 파일의 내용이 없어졌습니다",
            "메시지를 고쳐서 파일을 다시 첨부해 주세요. 다른 것은 그대로입니다.",
        ),
        Code::ProviderUnreachable => {
            ("모델 서버가 응답하지 않습니다", "서버를 켜거나 주소를 확인해 주세요.")
        }
        Code::ProviderNotLocal => (
            "이 컴퓨터의 주소가 아닙니다",
            "이 컴퓨터의 주소를 써 주세요. `silt settings set this_computer_only false`와 `silt settings set project.this_computer_only false`로 다른 주소도 허용할 수 있습니다.",
        ),
        Code::ProviderInsecure => (
            "암호화되지 않은 주소입니다",
            "https://로 시작하는 주소를 써 주세요. http는 이 컴퓨터에서만 쓸 수 있습니다.",
        ),
        Code::ProxyUnusable => (
            "프록시를 쓸 수 없습니다",
            "사용자 이름과 암호 없이 http://proxy.example:3128 같은 주소를 넣어 주세요.",
        ),
        Code::CertificatesUnusable => {
            ("인증서 파일을 쓸 수 없습니다", "인증서가 들어 있는 PEM 파일을 골라 주세요.")
        }
        Code::NotRecorded => (
            "보낼 것을 기록하지 못해 보내지 않았습니다",
            "데이터 폴더의 공간을 비우고 다시 해 보세요.",
        ),
        Code::ProviderTimedOut => (
            "모델이 너무 오래 말이 없습니다",
            "다시 해 보세요. 모델을 아직 불러오는 중일 수 있습니다.",
        ),
        Code::ReplyCut => ("답변이 도중에 끊겼습니다", "온 데까지 남아 있으니 이어서 물어보세요."),
        Code::ReplyFull => (
            "답변이 정해진 길이에 이르렀습니다",
            "온 데까지 남아 있으니 이어서 묻거나, `--max-output`으로 더 길게 허용해 주세요.",
        ),
        Code::ReplyWithheld => (
            "제공자가 답변을 내주지 않았습니다",
            "온 데까지 남아 있습니다. 다른 말로 묻거나 다른 모델에 물어보세요.",
        ),
        Code::ReplyEmpty => {
            ("모델이 아무 말 없이 끝냈습니다", "다시 묻거나 다른 모델에 물어보세요.")
        }
        Code::LimitRounds => (
            "한 차례에 도구를 쓸 수 있는 횟수를 다 썼습니다",
            "한 일은 남아 있으니 `silt message continue`로 이어 가거나 `silt settings list tools`의 한도를 올려 주세요.",
        ),
        Code::LimitTokens => (
            "한 차례에 쓸 수 있는 토큰을 다 썼습니다",
            "한 일은 남아 있으니 `silt message continue`로 이어 가거나 `silt settings list tools`의 한도를 올려 주세요.",
        ),
        Code::LimitTime => (
            "한 차례에 쓸 수 있는 시간이 다 됐습니다",
            "한 일은 남아 있으니 `silt message continue`로 이어 가거나 `silt settings list tools`의 한도를 올려 주세요.",
        ),
        Code::RateLimited => ("요청이 너무 많습니다", "잠시 기다렸다가 다시 해 보세요."),
        Code::KeyRefused => (
            "키를 받아 주지 않습니다",
            "키를 다시 입력해 주세요. 폐기되었거나 다른 서버의 키일 수 있습니다.",
        ),
        Code::NoCredit => {
            ("잔액이 부족합니다", "제공자 계정을 충전하거나 다른 모델을 골라 주세요.")
        }
        Code::LimitReached => (
            "이번 달 한도에 이르렀습니다",
            "`silt chat --over-limit`으로 이어 가거나, 한도를 올리거나, 이 컴퓨터의 모델을 골라 주세요.",
        ),
        Code::KeyMissing => {
            ("키가 없습니다", "`silt provider key 이름 --key-stdin`으로 키를 넣어 주세요.")
        }
        Code::KeyringLocked => (
            "키링이 잠겨 있습니다",
            "키링을 열거나, `--passphrase-file 파일`로, 키라면 `--keep vault`도 붙여 암호화 파일에 보관해 주세요.",
        ),
        Code::KeyringAbsent => (
            "이 시스템에는 키링이 없습니다",
            "`--passphrase-file 파일`로, 키라면 `--keep vault`도 붙여 암호화 파일에 보관해 주세요.",
        ),
        Code::KeyringTimedOut => (
            "키링이 응답하지 않습니다",
            "다시 해 보거나, `--passphrase-file 파일`로, 키라면 `--keep vault`도 붙여 암호화 파일에 보관해 주세요.",
        ),
        Code::KeyringRefused => (
            "키링이 거절했습니다",
            "`--passphrase-file 파일`로, 키라면 `--keep vault`도 붙여 암호화 파일에 보관해 주세요.",
        ),
        Code::VaultLocked => {
            ("암호화 파일이 잠겨 있습니다", "--passphrase-file로 암호를 담은 파일을 알려 주세요.")
        }
        Code::VaultWrongPassphrase => ("이 암호로는 열리지 않습니다", "다른 암호를 넣어 보세요."),
        Code::CheckpointsLocked => (
            "체크포인트가 봉인되어 있고 키가 없습니다",
            "키를 보관한 곳을 열거나 복구 암호를 넣어 주세요.",
        ),
        Code::InputTooLong => (
            "읽을 것이 너무 깁니다",
            "더 짧게 넣어 주세요. 파이프나 장치에서는 64MiB까지만 읽습니다.",
        ),
        Code::NothingToFold => (
            "아직 접을 것이 없습니다",
            "대화를 이어 가세요. 가장 새로운 문답은 언제나 그대로 남습니다.",
        ),
        Code::WrongPassphrase => {
            ("암호가 맞지 않습니다", "다른 암호를 넣어 보세요. 바뀐 것은 없습니다.")
        }
        Code::CheckpointUnreadable => (
            "온전한 체크포인트가 아닙니다",
            "가져온 것은 없습니다. 만든 곳에서 다시 내보내 주세요.",
        ),
        Code::CopyDamaged => (
            "복사해 둔 내용이 아니어서 되돌리지 않았습니다",
            "바뀐 것은 없습니다. `silt session restore`가 보이는 다른 사본으로 돌아가세요.",
        ),
        Code::PassphraseNeeded => {
            ("파일이 암호로 잠겨 있습니다", "--file-passphrase로 암호를 담은 파일을 알려 주세요.")
        }
        Code::NoCloud => (
            "설정에 따라 밖으로 보내지 않습니다",
            "`silt settings set privacy.local_only false`로 허용하거나 폴더를 사용해 주세요.",
        ),
        Code::RemoteUnusable => {
            ("원격 저장소를 사용할 수 없습니다", "주소, 버킷, 자격 증명을 확인해 주세요.")
        }
        Code::RemoteUnreachable => (
            "원격 저장소가 응답하지 않습니다",
            "연결을 확인해 주세요. 나머지는 다음에 이어서 보냅니다.",
        ),
        Code::RemoteRefused => {
            ("원격 저장소가 거부했습니다", "자격 증명과 그 권한을 확인해 주세요.")
        }
        Code::RemoteKeyMissing => {
            ("원격 저장소의 키가 없습니다", "키를 보관한 곳을 열거나 암호로 다시 추가해 주세요.")
        }
        Code::McpUnreachable => (
            "도구 서버를 시작하거나 연결할 수 없습니다",
            "명령이나 주소를 확인해 주세요. 프로그램을 먼저 설치해야 할 수도 있습니다.",
        ),
        Code::McpTimedOut => (
            "도구 서버가 응답하지 않습니다",
            "다시 해 보세요. 처음 시작하는 프로그램은 아직 내려받는 중일 수 있습니다. 내려받으려면 네트워크를 허용해야 합니다.",
        ),
        Code::McpBroken => (
            "도구 서버와의 연결이 끊어졌습니다",
            "서버가 남긴 말을 읽어 보세요. 다른 것은 그대로입니다.",
        ),
        Code::McpForbidden => (
            "이 도구 서버에는 요청할 수 없습니다",
            "이 컴퓨터의 주소나, `silt settings list`에서 this_computer_only가 false일 때 https:// 주소를 써 주세요. 프로그램은 시스템이 네트워크를 막을 수 있는 곳에서만 실행합니다.",
        ),
        Code::McpNoNetwork => (
            "도구 서버가 허용되지 않은 네트워크를 쓰려고 했습니다",
            "`silt mcp add --network`로 다시 추가해 주세요. this_computer_only가 켜져 있으면 어떤 프로그램도 네트워크를 쓰지 못합니다.",
        ),
        Code::McpChanged => (
            "도구 서버의 파일이 믿기로 했을 때와 다릅니다",
            "무엇이 바뀌었는지 살펴보고, 까닭을 안다면 다시 믿어 주세요.",
        ),
        Code::ModelNeeded => (
            "이 일을 맡길 모델이 연결되어 있지 않습니다",
            "`silt provider add`로 모델을 연결하거나, 이 일에 쓸 모델을 골라 주세요: `silt settings list tasks`.",
        ),
        Code::AnswerUnusable => (
            "모델의 답변을 쓸 수 없습니다",
            "다시 해 보거나, 이 일에 쓸 다른 모델을 골라 주세요: `silt settings list tasks`.",
        ),
        Code::ModelNotFound => ("그런 모델이 없습니다", "다른 모델을 골라 주세요."),
        Code::NotShorter => (
            "요약이 원문보다 짧아지지 않았습니다",
            "바뀐 것은 없습니다. 더 낮은 비율이나 다른 모델로 해 보세요.",
        ),
        Code::UnfoldTooLarge => (
            "요약을 펼치면 너무 깁니다",
            "창이 더 큰 모델을 고르거나, 대화에서 원문을 읽어 주세요.",
        ),
        Code::ContextOverflow => {
            ("요청이 모델에 너무 깁니다", "메시지를 줄이거나 창이 더 큰 모델을 골라 주세요.")
        }
        Code::NoTools => {
            ("이 모델은 도구를 쓰지 못합니다", "도구를 부르는 모델을 고르거나 도구를 꺼 주세요.")
        }
        Code::ProviderTrouble => ("모델 서버에 문제가 있습니다", "나중에 다시 해 보세요."),
        Code::ProviderRefused => (
            "모델 서버가 거절했습니다",
            "서버의 말을 읽어 보세요. 다른 모델은 받아 줄 수 있습니다.",
        ),
        Code::ProviderMalformed => {
            ("모델 서버의 답을 읽을 수 없습니다", "API의 기본 주소가 맞는지 확인해 주세요.")
        }
        Code::UpdateAbsent => {
            ("이 사본은 새 버전을 받을 수 없습니다", "이 사본을 받은 곳에서 새 버전을 받아 주세요.")
        }
        Code::UpdateUnreachable => (
            "새 버전을 알려 주는 곳이 응답하지 않습니다",
            "연결을 확인하고 나중에 다시 해 보세요. 설치된 버전은 그대로입니다.",
        ),
        Code::UpdateRedirected => (
            "보여 준 곳이 아닌 다른 주소로 보내려 해서 멈췄습니다",
            "이 사본을 만든 곳에 알려 주세요. 설치된 버전은 그대로입니다.",
        ),
        Code::UpdateUnusable => (
            "새 버전으로 나온 것을 쓸 수 없습니다",
            "이 사본을 만든 곳에 알려 주세요. 설치된 버전은 그대로입니다.",
        ),
        Code::UpdateUnsigned => (
            "서명이 맞지 않습니다",
            "설치하지 말고 이 사본을 만든 곳에 알려 주세요. 설치된 버전은 그대로입니다.",
        ),
        Code::UpdateReplayed => (
            "다른 버전이나 파일의 서명입니다",
            "설치하지 말고 이 사본을 만든 곳에 알려 주세요. 설치된 버전은 그대로입니다.",
        ),
        Code::UpdateCut => (
            "내려받기가 도중에 끊겼습니다",
            "`silt update get`으로 다시 내려받아 주세요. 설치된 버전은 그대로입니다.",
        ),
        Code::UpdateNotInstalled => (
            "시스템이 패키지를 설치하지 않았습니다",
            "메시지를 확인해 주세요. 내려받은 패키지와 설치된 버전은 그대로 있습니다.",
        ),
        Code::Internal => (
            "있어서는 안 될 오류입니다",
            "데이터는 안전합니다. 다시 시작하고 무엇을 했는지 알려 주세요.",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The settings of the window are no place in a terminal.
    #[test]
    fn hints_name_commands_and_not_the_windows_settings() {
        for code in Code::ALL {
            let failure = Failure::new(*code, "a case that nobody described");
            for (lang, words) in [(Lang::En, "ettings"), (Lang::Ko, "설정에서")] {
                let hint = of_failure(lang, &failure).1;
                let rest = hint.replace("`silt settings", "");
                assert!(!rest.contains(words), "{}: {hint}", code.name());
            }
        }
    }
}
