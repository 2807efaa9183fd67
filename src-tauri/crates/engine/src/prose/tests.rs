use proptest::prelude::*;
use rstest::rstest;

use super::*;
use crate::Timestamp;
use crate::ids::{ConversationId, MessageId};
use crate::message::MessageStatus;

fn texts(said: &str) -> Vec<String> {
    blocks(said).into_iter().map(|block| block.text).collect()
}

fn message(role: Role, parts: Vec<Part>) -> Message {
    let at = Timestamp::UNIX_EPOCH;
    Message {
        id: MessageId::new(at),
        conversation_id: ConversationId::new(at),
        parent_id: None,
        turn_id: None,
        index: 0,
        role,
        parts,
        status: MessageStatus::Complete,
        model: None,
        tokens: 0,
        created_at: at,
    }
}

fn said(role: Role, text: &str) -> Message {
    message(role, vec![Part::Text { text: text.to_owned() }])
}

#[rstest]
#[case("See [the design](silt:file/a.md?line=3) first.", "See the design first.")]
#[case("[docs/a\\_b\\.md:3](silt:file/docs/a_b.md?line=3)", "")]
#[case("[이전 메시지](silt:message/0190b3c4-7d1e-7a2b-8c3d-4e5f60718293)", "")]
#[case("![shot](shot.png) The **port** is *really* 5433.", "The port is really 5433.")]
#[case("`a**b**c` and 2**3 and 4**5, *.rs, *.ts", "`a**b**c` and 2**3 and 4**5, *.rs, *.ts")]
#[case("**중요**: 포트는 5433번", "중요: 포트는 5433번")]
#[case(
    "It is [x](y(z)) [1][one] [no link] <https://a.org/b>",
    "It is x 1 [no link] https://a.org/b"
)]
#[case("01J9ZQ3V5X8K2M4N6P7R8S9T0V", "")]
#[case("`3f2a9c1d4e5b6a7b`, 550e8400-e29b-41d4-a716-446655440000", "")]
#[case("Run 01J9ZQ3V5X8K2M4N6P7R8S9T0V failed.", "Run 01J9ZQ3V5X8K2M4N6P7R8S9T0V failed.")]
#[case("Look at silt:message/0190b3c4 again", "Look at again")]
fn a_line_reads_as_it_is_meant(#[case] line: &str, #[case] expected: &str) {
    assert_eq!(plain(line), expected);
}

#[rstest]
#[case::headings("# Ports ##\nThe database has 5433.\n**Next**\nWhy not?", &["Ports:", "The database has 5433.", "Next:", "Why not?"])]
#[case::bold("**Never push to main.**\n\n**Next steps**", &["Never push to main.", "Next steps:"])]
#[case::ids("- One\n- `01J9ZQ3V5X8K2M4N6P7R8S9T0V`\n  of March", &["- One", "of March"])]
#[case::points("- One\n* Two. And more.\n2) Three\n3. 5. 회의", &["- One", "- Two. And more.", "- Three", "3. 5. 회의"])]
#[case::wrapped("- It is wrapped\n  here\n\nA line that was wrapped after forty letters\ngoes on here. But\nnot here", &["- It is wrapped here", "A line that was wrapped after forty letters goes on here. But", "not here"])]
#[case::sentences("One. Two.\n\nThree.\n네, 맞아요\n넷째 줄", &["One. Two. Three. 네, 맞아요", "넷째 줄"])]
#[case::introduction("It works. Then do this:\n- a", &["It works.", "Then do this:", "- a"])]
#[case::table("| name | port |\n|---|:--:|\n| db | 5433 |\n| web | |", &["- db: port 5433", "- web"])]
#[case::no_table("| a | b |\n---\n[one]: https://a.org", &["- a: b"])]
#[case::code("Use:\n```rust\nlet a = 1;\n```\nDone", &["Use:", "```rust\nlet a = 1;\n```", "Done"])]
#[case::cut_code("Use:\n```rust\nlet a", &["Use:"])]
#[case::quotation("> # Title\n> - said\n> ```\n> a > b\n> ```", &["Title:", "- said", "```\na > b\n```"])]
fn a_text_reads_line_by_line(#[case] said: &str, #[case] expected: &[&str]) {
    assert_eq!(texts(said), expected);
}

fn chosen(said: &str, limit: u64) -> String {
    let mut material = Material::new();
    material.add(blocks(said), ());
    let lines = material.choose(limit, |(), _| 1.0, |text| text.chars().count() as u64);
    lines.into_iter().map(|(line, ())| line).collect::<Vec<_>>().join("\n")
}

#[test]
fn what_is_told_of_a_text_stands_under_its_own_heads_or_under_none() {
    let said = "## Port 5433\n\nA long sentence that says next to nothing of it and of nothing else \
                either.\n\n## Port 8081\n\nShort: 8081.\n\nSteps:\n- Run `make`\n\nAfter that the port is 9000.";
    let whole = text(said);
    let heads = ["Port 5433:", "Port 8081:", "Steps:"];
    for limit in 0..200 {
        let told = chosen(said, limit);
        assert!(told.chars().count() <= usize::try_from(limit).unwrap(), "{told}");
        let lines: Vec<&str> = told.lines().collect();
        let alone = |line: &&str| heads.contains(line);
        assert!(lines.last().is_none_or(|line| !alone(line)), "{told}");
        let headed = lines.iter().any(alone);
        for line in lines.iter().filter(|line| headed && !alone(line)) {
            // The last head before it is its own, but for one that it closed.
            let own = whole[..whole.find(line).unwrap()].lines().rfind(|it| alone(it));
            let above = told[..told.find(line).unwrap()].lines().rfind(|it| alone(it));
            assert!(above == own || line.starts_with("After") && above == Some(heads[1]), "{told}");
        }
    }
    assert_eq!(chosen(said, 1_000), whole);
    // What comes after a list does not stand under the words before it.
    let after = blocks(said).pop().unwrap();
    assert_eq!(blocks(said)[after.under.unwrap()].text, "Port 8081:");
}

#[rstest]
#[case::english(
    OFFLINE_EN,
    "Looked through: 3 passages found in 2 files. This has most in common with the question."
)]
#[case::korean(
    OFFLINE_KO,
    "살펴본 것: 파일 2개에서 찾은 구절 3개. 질문과 가장 많이 겹치는 글입니다."
)]
fn of_an_offline_answer_only_what_it_quotes_is_read(#[case] opening: &str, #[case] words: &str) {
    let answer = format!(
        "{opening}\n\n{words}\n\n> Port 5433 it is.\n\n[a\\.md:3](silt:file/a.md?line=3)\n\n```toml\nport = 5433\n```"
    );
    let expected = ["Port 5433 it is.", "```toml\nport = 5433\n```"];
    let read = |message: &Message| -> Vec<String> {
        blocks_of(message).into_iter().map(|block| block.text).collect()
    };
    assert_eq!(read(&said(Role::Assistant, &answer)), expected);
    let reply: Vec<String> = blocks_of_reply(&answer).into_iter().map(|it| it.text).collect();
    assert_eq!(reply, expected);
    // One that was cut off is known by who wrote it; a person who says the same means it.
    let cut = Message {
        model: Some(OFFLINE.to_owned()),
        ..said(Role::Assistant, opening.split_once(". ").unwrap().0)
    };
    assert_eq!(read(&cut), [""; 0]);
    assert_eq!(read(&said(Role::User, opening)), [opening]);
    assert_eq!(quotes(&answer).len(), answer.len());
}

fn call(name: &str, arguments: &str) -> Part {
    Part::ToolCall { id: "1".into(), name: name.into(), arguments: arguments.into(), seal: None }
}

fn failure(text: &str) -> Part {
    Part::ToolResult { call_id: "1".into(), text: text.into(), is_error: true, kept: None }
}

#[rstest]
#[case(
    call("read_file", r#"{"path":"src/a.rs","limit":9}"#),
    Some("Read src/a.rs."),
    Some("src/a.rs 읽음.")
)]
#[case(
    call("run_command", r#"{"command":"cd . && make"}"#),
    Some("Ran `cd . && make`."),
    Some("`cd . && make` 실행.")
)]
#[case(
    call("shell", r#"{"command":["bash","-lc","make"]}"#),
    Some("Ran `make`."),
    Some("`make` 실행.")
)]
#[case(call("shell", r#"{"command":["cargo","test"]}"#), None, None)]
#[case(call("shell", r#"{"command":"grep \"a\" b"}"#), None, None)]
#[case(
    call("edit_file", r#"{"path":"a.rs","old":"x. Y","new":"z"}"#),
    Some("Changed a.rs."),
    Some("a.rs 수정.")
)]
#[case(
    call("move_file", r#"{"from":"a.rs","to":"b.rs"}"#),
    Some("Moved a.rs → b.rs."),
    Some("a.rs → b.rs 이동.")
)]
#[case(
    call("web_search", r#"{"query":"outbox pattern"}"#),
    Some("Searched for outbox pattern."),
    Some("outbox pattern 검색.")
)]
#[case(call("delete_file", r#"{"path":"a.rs"}"#), Some("Deleted a.rs."), Some("a.rs 삭제."))]
#[case(call("shell", r#"{"command":"a\nb"}"#), None, None)]
#[case(call("remember", r#"{"text":"Ports are in a.toml."}"#), None, None)]
#[case(call("broken", "{"), None, None)]
#[case(
    failure("no such file\nat line 3"),
    Some("Failed: no such file."),
    Some("실패: no such file.")
)]
#[case(failure("{\"code\":404}"), None, None)]
fn what_tools_did_is_said_in_words(
    #[case] part: Part,
    #[case] english: Option<&str>,
    #[case] korean: Option<&str>,
) {
    let message = message(Role::Assistant, vec![part]);
    let said = |language| acts(&message, language).map(|block| block.text);
    assert_eq!(said("en").as_deref(), english);
    assert_eq!(said("ko").as_deref(), korean);
}

#[test]
fn several_acts_are_clauses_of_one_sentence_each_once() {
    let read = call("read_file", r#"{"path":"src/a.rs"}"#);
    let ran = call("shell", r#"{"command":"make"}"#);
    let message = message(Role::Assistant, vec![read.clone(), ran, read]);
    assert_eq!(acts(&message, "en").unwrap().text, "Read src/a.rs; ran `make`.");
}

#[rstest]
#[case("Run 01J9ZQ3V5X8K2M4N6P7R8S9T0V went well", 20, "Run")]
#[case("01J9ZQ3V5X8K2M4N6P7R8S9T0V went well", 20, "")]
#[case("실행은01J9ZQ3V5X8K2M4N6P7R8S9T0V", 20, "실행은")]
#[case("```\ncode\n```\nAnd prose here", 9, "And prose")]
fn a_beginning_ends_with_no_piece_of_an_id(
    #[case] said: &str,
    #[case] letters: usize,
    #[case] expected: &str,
) {
    let mut material = Material::new();
    material.add(blocks(said), ());
    assert_eq!(material.beginning(letters), expected);
}

proptest! {
    #[test]
    fn any_text_is_read(
        said in "([a-zA가-힣.!?:*`#|>\\[\\]()\\\\ \n-]|\\]\\(silt:|```\n|~~~\n|\n- |\n  |\n## |\n\\| |\\*\\*|1\\. ){0,60}",
    ) {
        for block in blocks(&said) {
            prop_assert!(!block.text.trim().is_empty());
            prop_assert!(block.under.is_none_or(|at| blocks(&said)[at].head));
        }
        prop_assert_eq!(quotes(&said).len(), said.len());
    }
}
