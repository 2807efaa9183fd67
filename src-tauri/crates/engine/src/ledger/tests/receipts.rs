use rstest::rstest;

use super::super::*;
use super::path;
use crate::tokens::estimate;

const SOURCES: [&str; 3] = [
    "아침 9시부터 10:40까지 쟀다. `data/옥상-2026-07.csv`에 있다.",
    "We measured 842 tests in 94 s on port 5433; config is in config/db.toml, see v2.3.1.",
    "이슈 #731에 \"부분 환불은 두 번까지\"라고 적혀 있고 `refund_full()`이 2026-03-01부터 씁니다.",
];

#[rstest]
#[case("On port 5433 all 842 tests passed in 94 s.", &[])]
#[case("On port 5434 all 842 tests passed in 94 ms.", &["port 5434", "94 ms"])]
#[case("`config/db.toml` was changed in v2.3.2", &["v2.3.2"])]
#[case("Settings moved to config/cache.toml.", &["config/cache.toml"])]
#[case("refund_full()은 2026-03-02부터, 이슈 #731", &["2026-03-02"])]
#[case("\"부분 환불은 세 번까지\"라고 했어요", &["\"부분 환불은 세 번까지\""])]
#[case("Points: 1. It passed. 2. It stays. We had: 3. Then none.", &["3"])]
// Days and times are the same however they are written.
#[case("From 1 March 2026 on", &[])]
#[case("2026년 3월 1일, 3월 2일", &["3월 2일"])]
#[case("March 2026, March 2025", &["March 2025"])]
#[case("오전 9시부터 10시 40분까지, 오후 9시까지", &["오후 9시"])]
#[case("`data/옥상-2026-07.csv`에는 없고 `문서/옥상-2026-08.csv`에는 있다", &["문서/옥상-2026-08.csv"])]
#[case("Nothing to check here", &[])]
fn what_the_source_does_not_say_is_marked(#[case] line: &str, #[case] expected: &[&str]) {
    let told = Told::of(SOURCES);
    let found: Vec<&str> = told.unsupported(line).into_iter().map(|span| &line[span]).collect();
    assert_eq!(found, expected);
}

#[rstest]
// A line of a summary joins two of the source: what looks like a quotation there is none.
#[case("A 12\" screen\nand more\n15\" is too wide", "It has a 12\" screen 15\" is too wide.", &[])]
#[case("A 12\" screen.\nAnd more.\n15\" is too wide", "A 12\" screen; 15\" is too wide", &[])]
#[case("He said \"stop. We go\" on. They \"wait.", "He said \"stop. They \"wait.", &[])]
#[case("따옴표 \"하나만 있어요.\n다른 줄이에요.\n- 여기도 \"하나예요.", "따옴표 \"하나만 있어요. 여기도 \"하나예요.", &[])]
#[case("Use the ` key.\nNot this.\nA ` tick.", "Use the ` key. A ` tick.", &[])]
// What nobody said is none of the source, wherever its words are from.
#[case("Never push.\nThe main branch.", "\"Never main branch\"", &["\"Never main branch\""])]
#[case("부분 환불은 두 번까지.\n세 번은 안 돼요.", "\"부분 환불은 세 번까지\"", &["\"부분 환불은 세 번까지\""])]
fn a_line_that_joins_two_of_the_source_claims_nothing_new(
    #[case] source: &str,
    #[case] line: &str,
    #[case] expected: &[&str],
) {
    let told = Told::of([source]);
    let found: Vec<&str> = told.unsupported(line).into_iter().map(|span| &line[span]).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_lost_constraint_comes_back_whole_and_first() {
    let ledger = Ledger::of(&path(&[
        (Role::User, "Never write to the production database. We decided to use Kafka."),
        (Role::Assistant, "I run `cargo test -p app` on src/app.rs with 64 workers and 3 hosts."),
        (Role::User, "Run `cargo test -p app` again, src/app.rs changed."),
    ]));
    let lost = Told::of(["We talked about a database."]);
    let left = left_behind(&ledger, 0..2, &lost);
    assert_eq!(left[0].entry.text, "Never write to the production database.");
    assert_eq!(left[1].entry.text, "We decided to use Kafka.");
    assert_eq!(
        (left[2].entry.text.as_str(), left[3].entry.text.as_str()),
        ("src/app.rs", "cargo test -p app")
    );

    let share = retention(&ledger, 0..2, &lost);
    let refused = Gate::Hard { reason: Refusal::ConstraintLost };
    assert_eq!(gate("We talked about a database.", 6, 60, &share), refused);

    // No room is room for what must not be lost, and for nothing else.
    let kept = choose(&left, 0, "en", estimate);
    assert_eq!(
        kept.text,
        "- Rule: Never write to the production database.\n- Decided: We decided to use Kafka."
    );
    let roomy = choose(&left, kept.tokens + 16, "en", estimate);
    assert!(roomy.tokens <= kept.tokens + 16, "{roomy:?}");
    assert!(roomy.text.contains("\n- Paths: src/app.rs"), "{}", roomy.text);
    let told = Told::of(["We talked about a database.", kept.text.as_str()]);
    let share = retention(&ledger, 0..2, &told);
    assert!(matches!(gate(&kept.text, 30, 60, &share), Gate::Soft { .. }), "{share:?}");
}

#[rstest]
#[case(" \n", 0, Gate::Hard { reason: Refusal::Empty })]
#[case("A long one", 80, Gate::Hard { reason: Refusal::LargerThanSource })]
#[case("Fine", 10, Gate::Pass)]
fn the_gate_refuses_what_cannot_stand_for_its_source(
    #[case] text: &str,
    #[case] tokens: u64,
    #[case] expected: Gate,
) {
    assert_eq!(gate(text, tokens, 60, &Retention::default()), expected);
}

#[test]
fn the_same_facts_in_any_order_give_the_same_block() {
    let facts = [
        (Category::Number, "port 5433"),
        (Category::Constraint, "운영 DB에는 절대 쓰지 마세요."),
        (Category::Path, "src/app.rs"),
        (Category::Path, "docs/a.md"),
    ];
    let text = block(facts, "ko");
    assert_eq!(
        text,
        "- 규칙: 운영 DB에는 절대 쓰지 마세요.\n- 경로: src/app.rs · docs/a.md\n- 수치: port 5433"
    );
    assert_eq!(block([facts[2], facts[3], facts[1], facts[0]], "ko"), text);
}
