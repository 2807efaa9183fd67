//! Summaries without a model, as a reader finds them: nothing of Markdown, of programs or of our own words runs into prose.

use std::collections::BTreeSet;

use super::*;
use crate::provider::{OFFLINE_EN, OFFLINE_KO};

/// A call of a tool and what it answered.
fn call(chat: &mut Chat, name: &str, arguments: &str, result: &str, is_error: bool) {
    let id = format!("call_{}", chat.messages.len());
    let (name, arguments) = (name.to_owned(), arguments.to_owned());
    chat.say_parts(
        Role::Assistant,
        vec![Part::ToolCall { id: id.clone(), name, arguments, seal: None }],
    );
    let text = result.to_owned();
    chat.say_parts(Role::Tool, vec![Part::ToolResult { call_id: id, text, is_error, kept: None }]);
}

fn english() -> Chat {
    let mut chat = Chat::new(Policy::Running);
    chat.say(Role::User, "Where do we keep the port of the staging database? The run 01J9ZQ3V5X8K2M4N6P7R8S9T0V failed at night.");
    let quoted = format!(
        "{OFFLINE_EN}\n\nLooked through: 3 passages found in 2 files. This has most in common with the question.\n\n\
         > The staging database listens on port 5433, see config/db.toml.\n\n\
         [docs/setup\\.md:12](silt:file/docs/setup.md?line=12)\n\n\
         ```toml\n[staging]\nport = 5433\n```\n\n[config/db\\.toml:4](silt:file/config/db.toml?line=4)"
    );
    chat.say(Role::Assistant, &quoted).model = Some("offline".to_owned());
    chat.say(Role::User, "Thanks. Please look at the migration and at the tests, and never touch the production ledger.");
    call(
        &mut chat,
        "read_file",
        r#"{"path":"migrations/0003_outbox.sql","limit":200}"#,
        "create table outbox (\n  id integer primary key,\n  due_at text not null\n);",
        false,
    );
    call(
        &mut chat,
        "run_command",
        r#"{"command":"cargo test -p invoicer-tax","purpose":"see what fails"}"#,
        "test tax::rounds_half_even ... FAILED\ntest result: FAILED. 44 passed; 2 failed; finished in 7.11s",
        true,
    );
    chat.say(
        Role::Assistant,
        "## What I found\n\nThe migration is fine, see [the design](silt:file/docs/design.md?line=3) and [the manual](https://example.org/manual/outbox).\n\n\
         ### Failing tests\n\n- **`rounds_half_even`** rounds the total, not each line\n- `splits_discount` expects 200 rows and gets 50\n\n\
         ### Next steps\n\n1. Round each line in crates/tax/src/round.rs.\n2. Run the suite again; it takes about 9 s.\n\n\
         | service | port | timeout |\n|---|---|---|\n| ledger | 5433 | 400 ms |\n| renderer | 8081 | 30 s |\n\n\
         The dispatcher polls every 5 seconds.",
    );
    chat.say(Role::User, "Good. We decided to use the outbox instead of RabbitMQ.").tokens = 800;
    chat
}

fn korean() -> Chat {
    let mut chat = Chat::new(Policy::Running);
    chat.language = "ko";
    chat.say(Role::User, "스테이징 데이터베이스 포트가 어디에 적혀 있죠? 밤에 01J9ZQ3V5X8K2M4N6P7R8S9T0V 실행이 실패했어요.");
    let quoted = format!(
        "{OFFLINE_KO}\n\n살펴본 것: 파일 2개에서 찾은 구절 3개. 질문과 가장 많이 겹치는 글입니다.\n\n\
         > 스테이징 데이터베이스 포트는 5433번입니다.\n\n[docs/설치\\.md:12](silt:file/docs/%EC%84%A4%EC%B9%98.md?line=12)\n\n\
         모델이 쓴 답을 받으려면 설정에서, 또는 `silt provider add`로 모델을 연결하세요."
    );
    chat.say(Role::Assistant, &quoted).model = Some("offline".to_owned());
    chat.say(Role::User, "마이그레이션과 시험을 봐 주세요. 운영 원장에는 절대 쓰지 마세요.");
    call(
        &mut chat,
        "read_file",
        r#"{"path":"migrations/0003_outbox.sql"}"#,
        "create table outbox (\n  id integer primary key\n);",
        false,
    );
    call(
        &mut chat,
        "run_command",
        r#"{"command":"npm test -- auth"}"#,
        "no such file: auth.test.ts\nexit code 1",
        true,
    );
    chat.say(
        Role::Assistant,
        "## 살펴본 결과\n\n마이그레이션은 [설계 문서](silt:file/docs/design.md?line=3)대로예요.\n\n\
         ### 실패한 시험\n\n- **반올림 시험**은 줄마다가 아니라 합계를 반올림해요\n- 할인 시험은 200행을 기대하는데 50행이 와요\n\n\
         ### 다음 할 일\n\n1. crates/tax/src/round.rs에서 줄마다 반올림\n2. 시험은 9초쯤 걸려요\n\n\
         | 서비스 | 포트 | 시간 제한 |\n|---|---|---|\n| 원장 | 5433 | 400 ms |\n| 렌더러 | 8081 | 30초 |\n\n디스패처는 5초마다 확인해요.",
    );
    chat.say(Role::User, "좋아요. RabbitMQ 대신 아웃박스를 쓰기로 했어요.").tokens = 800;
    chat
}

fn extract(chat: &mut Chat) -> Record {
    chat.settings.policy = Policy::Rolling;
    chat.settings.threshold = 100;
    chat.say(Role::Assistant, "Noted.");
    chat.due(Moment::TurnClosed).unwrap().extract(at(99))
}

const ENGLISH: &str = "\
The run 01J9ZQ3V5X8K2M4N6P7R8S9T0V failed at night.
The staging database listens on port 5433, see config/db.toml.
Thanks. Please look at the migration and at the tests, and never touch the production ledger.
Read migrations/0003_outbox.sql.
Ran `cargo test -p invoicer-tax`.
Failed: test tax::rounds_half_even ... FAILED.
Failing tests:
- `rounds_half_even` rounds the total, not each line
- `splits_discount` expects 200 rows and gets 50
Next steps:
- ledger: port 5433, timeout 400 ms
- renderer: port 8081, timeout 30 s
The dispatcher polls every 5 seconds.
Good. We decided to use the outbox instead of RabbitMQ.
Noted.";

const KOREAN: &str = "\
밤에 01J9ZQ3V5X8K2M4N6P7R8S9T0V 실행이 실패했어요.
운영 원장에는 절대 쓰지 마세요.
migrations/0003_outbox.sql 읽음.
`npm test -- auth` 실행.
실패: no such file: auth.test.ts.
실패한 시험:
- 반올림 시험은 줄마다가 아니라 합계를 반올림해요
- 할인 시험은 200행을 기대하는데 50행이 와요
다음 할 일:
- crates/tax/src/round.rs에서 줄마다 반올림
- 시험은 9초쯤 걸려요
- 원장: 포트 5433, 시간 제한 400 ms
- 렌더러: 포트 8081, 시간 제한 30초
디스패처는 5초마다 확인해요.
좋아요. RabbitMQ 대신 아웃박스를 쓰기로 했어요.";

#[test]
fn an_extract_reads_well() {
    for (mut chat, expected) in [(english(), ENGLISH), (korean(), KOREAN)] {
        let record = extract(&mut chat);
        assert_eq!(record.summary, expected);
        // Every line is a line of the receipt, and rests on the message that says it.
        let lines: Vec<&str> = record.receipt.lines.iter().map(|line| line.text.as_str()).collect();
        assert!(lines.join("\n") == record.summary, "{lines:?}");
        for line in &record.receipt.lines {
            let message = chat.messages.iter().find(|message| [message.id] == *line.sources);
            let said = message.map(said).unwrap_or_default();
            let mut words = line.text.split([' ', ':']).map(|word| word.trim_matches(['.', '`']));
            assert!(words.any(|word| word.len() > 3 && said.contains(word)), "{line:?}");
        }
    }
}

/// Under Running the summary so far is read again at each fold, and does not grow worse.
#[test]
fn an_extract_of_an_extract_reads_as_well() {
    for mut chat in [english(), korean()] {
        for round in 0..4 {
            let record = chat.due(Moment::TurnOpens).unwrap().extract(at(99));
            for line in record.summary.lines() {
                let is_clean =
                    !["**", "](", "##", "silt:", "[Tool", "No model", "연결된 모델", "|"]
                        .iter()
                        .any(|mark| line.contains(mark));
                assert!(is_clean, "{round}: {}", record.summary);
            }
            chat.records.push(record);
            chat.say(Role::Assistant, "The suite passes in 9 s now. 모두 통과했어요.").tokens = 400;
            chat.say(Role::User, "And the renderer on port 8081?").tokens = 500;
        }
    }
}

/// What a model is given to summarise from stays as it was said.
#[test]
fn a_model_reads_what_was_said() {
    let mut chat = english();
    let prompt = chat.due(Moment::TurnOpens).unwrap().ask().prompt;
    for said in [
        "[Tool Call] read_file({\"path\"",
        "[Tool Result] create table",
        "### Failing",
        "(silt:file/",
        OFFLINE_EN,
    ] {
        assert!(prompt.contains(said), "{said}");
    }
}

/// A figure that the person dropped, or kept, by a shorter clause stays so.
#[test]
fn what_was_dropped_with_less_of_its_clause_stays_dropped() {
    let mut chat = Chat::new(Policy::Rolling);
    chat.settings.threshold = 10;
    chat.say(
        Role::User,
        "We keep port 5433 for the database and 12 workers for the queue, as ever before.",
    );
    chat.say(Role::Assistant, "Noted.");
    let ledger = crate::ledger::Ledger::of(&chat.messages);
    let record =
        chat.due(Moment::TurnClosed).unwrap().finish("They spoke.", Written::default(), at(99));
    let scales =
        Scales { ledger: &ledger, elsewhere: &[], share: 5_000, language: "en", count: &estimate };
    let kept = |record: &Record| -> BTreeSet<String> {
        record.receipt.kept.iter().map(|fact| fact.text.clone()).collect()
    };
    let set = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    let fresh = scales.weigh(record.clone(), &[], at(99));
    assert_eq!(kept(&fresh), set(&["port 5433 for the database", "12 workers for the queue"]));
    let mut before = Receipt::default();
    before.dropped.push("port 5433".to_owned());
    let later = scales.weigh(record.clone(), &[&before], at(99));
    assert_eq!(kept(&later), set(&["12 workers for the queue"]));
    let again = scales.keeping(&later, "port 5433").unwrap();
    assert!(again.receipt.dropped.is_empty() && kept(&again).len() == 2, "{:?}", again.receipt);
    let by_person = scales.weigh(record, &[&again.receipt], at(99));
    let by = by_person.receipt.kept.iter().find(|fact| fact.text.starts_with("port")).unwrap().by;
    assert_eq!(by, KeptBy::Person);
}
