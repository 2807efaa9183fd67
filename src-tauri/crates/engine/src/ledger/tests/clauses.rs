//! Figures with their clauses: what is told of them, and what they are compared by.

use proptest::prelude::*;
use rstest::rstest;

use super::super::*;
use super::path;
use crate::provider::{OFFLINE_EN, OFFLINE_KO};

fn numbers(role: Role, said: &str) -> Vec<(String, String)> {
    let ledger = Ledger::of(&path(&[(role, said)]));
    let facts = ledger.facts().iter().filter(|fact| fact.entry.category == Category::Number);
    facts.map(|fact| (fact.entry.text.clone(), fact.entry.key.clone())).collect()
}

#[rstest]
#[case("We use port 5433 for the database, not 5432.", &[("port 5433 for the database", "5433"), ("not 5432", "5432")])]
#[case("The staging database listens on port 5433.", &[("port 5433", "5433")])]
#[case("port **5433** of the `staging` database", &[("port **5433** of the `staging` database", "5433")])]
#[case("Set the timeout to 30 and try again", &[("Set the timeout to 30", "30")])]
#[case("timeout: 30\nretries = 3\nmax_retries=4", &[("timeout: 30", "30"), ("retries = 3", "3"), ("max_retries=4", "4")])]
#[case("All 842 tests pass in 94 s on port 5433.", &[("842 tests", "842"), ("tests pass in 94 s", "94s"), ("port 5433", "5433")])]
#[case("5 % of the phones on 2026-01-20", &[("5 % of the phones", "5%")])]
#[case("It waits `5` seconds and (3) times", &[("It waits `5`", "5")])]
#[case("데이터베이스 포트 5433을 씁니다.", &[("데이터베이스 포트 5433", "5433")])]
#[case("네, 스테이징 데이터베이스 포트는 5433번입니다.", &[("스테이징 데이터베이스 포트는 5433번", "5433")])]
#[case("시험은 통과했고 갱신 토큰은 session.rs에서 30분 유지돼요", &[("갱신 토큰은 session.rs에서 30분", "30분")])]
#[case("그리고 한 묶음은 500건, 많아야 3번이에요", &[("한 묶음은 500건", "500"), ("많아야 3번", "3")])]
#[case("첫 화면 3개를 먼저 고쳐요", &[("첫 화면 3개", "3")])]
#[case("1. **The line says 2.** More of it.", &[("The line says 2", "2")])]
// A bare figure is no fact.
#[case("3", &[])]
#[case("- 3\n- `42`\n| 7 | 8 |", &[])]
fn a_figure_keeps_its_clause(#[case] said: &str, #[case] expected: &[(&str, &str)]) {
    let found = numbers(Role::User, said);
    let found: Vec<(&str, &str)> = found.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    assert_eq!(found, expected);
}

#[test]
fn what_programs_print_keeps_its_label_alone_and_nothing_of_rows_of_fields() {
    let said = "05:29:20 INFO sync id=962060 took=837ms done\nwait=30s\n12 rows";
    let found = numbers(Role::Tool, said);
    assert_eq!(
        found,
        [("wait=30s".to_owned(), "30s".to_owned()), ("12 rows".to_owned(), "12".to_owned())]
    );
    assert_eq!(numbers(Role::User, "It said id=9620 took=837ms.").len(), 2);
}

#[test]
fn a_bare_figure_says_again_what_was_said_with_its_clause() {
    let ledger = Ledger::of(&path(&[
        (Role::User, "The port is 5433 for the database."),
        (Role::Assistant, "5433"),
        (Role::User, "5434"),
    ]));
    let facts: Vec<(&str, &[usize])> =
        ledger.facts().iter().map(|it| (it.entry.text.as_str(), it.mentions.as_slice())).collect();
    assert_eq!(facts, [("port is 5433 for the database", [0, 1].as_slice())]);
    let entry = &ledger.facts()[0].entry;
    assert!(entry.is_meant("5433") && !entry.is_meant("543") && !entry.is_meant("port 5434"));
}

#[rstest]
#[case(
    OFFLINE_EN,
    "Looked through: 3 passages found in 2 files. This has most in common with the question."
)]
#[case(
    OFFLINE_KO,
    "살펴본 것: 파일 2개에서 찾은 구절 3개. `silt provider add`로 모델을 연결하세요."
)]
fn of_an_offline_answer_what_it_quotes_is_known(#[case] opening: &str, #[case] words: &str) {
    let answer = format!(
        "{opening}\n\n{words}\n\n> The port is 5433.\n\n[a\\.md:3](silt:file/docs/a.md?line=3)"
    );
    let message = path(&[(Role::Assistant, &answer)]).remove(0);
    let found = entries(&message);
    let texts: Vec<&str> = found.iter().map(|entry| entry.text.as_str()).collect();
    assert_eq!(texts, ["port is 5433"]);
    assert_eq!(&text_of(&message)[found[0].span.clone()], "port is 5433");
}

#[test]
fn pieces_of_ids_and_of_own_addresses_are_no_facts() {
    let said = "See [이전](silt:file/docs/%EC%84%A4%EC%B9%98.md?line=12), the run \
                0190b3c4-7d1e-7a2b-8c3d-4e5f60718293 and commit 3f2a9c1 of it.";
    let found = entries(&path(&[(Role::User, said)]).remove(0));
    let texts: Vec<&str> = found.iter().map(|entry| entry.text.as_str()).collect();
    assert_eq!(texts, ["3f2a9c1"]);
}

proptest! {
    #[test]
    fn whoever_is_told_a_clause_is_told_its_figure(
        said in "([a-z]{1,6}|[가-힣]{1,3}|[0-9]{1,4}|for|of|port|분|%| s|MB|[.,:=`*|(-]|\\*\\*| |\n){0,40}",
        user: bool,
    ) {
        let role = if user { Role::User } else { Role::Tool };
        let message = path(&[(role, &said)]).remove(0);
        for entry in entries(&message).into_iter().filter(|it| it.category == Category::Number) {
            let told = Told::of([block([(entry.category, entry.text.as_str())], "en").as_str()]);
            prop_assert!(told.holds(entry.category, &entry.key), "{entry:?}");
            prop_assert!(entry.is_meant(&entry.text));
        }
    }
}
