use rstest::rstest;

use super::super::*;
use super::path;

fn in_force(said: &[(Role, &str)]) -> Vec<String> {
    let ledger = Ledger::of(&path(said));
    let statements = ledger.facts().iter().filter(|it| it.entry.category.is_statement());
    statements.filter(|it| it.entry.in_force).map(|it| it.entry.text.clone()).collect()
}

#[rstest]
#[case(
    "We'll go with MySQL for the queue.",
    "Actually, let's use PostgreSQL for the queue instead."
)]
#[case("큐는 RabbitMQ로 하기로 했어요.", "RabbitMQ는 취소하고 큐는 Redis로 갑시다.")]
#[case("배치 크기는 500으로 하기로 결정했어요.", "배치 크기는 200으로 하기로 결정했어요.")]
#[case("차트는 ECharts로 확정했어요.", "차트는 ECharts가 아니라 uPlot으로 바꾸죠.")]
fn a_decision_gives_way_to_the_one_that_takes_it_back(#[case] before: &str, #[case] after: &str) {
    assert_eq!(in_force(&[(Role::User, before), (Role::User, after)]), [after]);
}

#[rstest]
#[case("We decided to use Kafka for events.", "We decided to use Redis for sessions.")]
#[case(
    "Never write to the production database.",
    "Let's use the staging database instead of mocks."
)]
#[case("운영 DB에는 절대 쓰지 마세요.", "스테이징은 Postgres로 하기로 했어요.")]
#[case("주문 테이블 이름은 절대 바꾸지 마세요.", "장부 테이블 이름은 절대 바꾸지 마세요.")]
#[case("주문 API의 응답 형식은 변경하지 말아 주세요.", "장부 API의 응답 형식은 변경하면 안 돼요.")]
#[case(
    "Never cancel an order of the shop at night.",
    "Never cancel an invoice of the shop at night."
)]
#[case("Do not replace the order table by hand.", "Don't replace the ledger table by hand.")]
fn others_stay(#[case] before: &str, #[case] after: &str) {
    assert_eq!(in_force(&[(Role::User, before), (Role::User, after)]), [before, after]);
}

#[test]
fn a_question_is_open_until_the_other_side_speaks_of_it() {
    let asked = "Which region should the bucket live in?";
    let open = "Who pays for the bucket is still open.";
    let said = [(Role::Assistant, asked), (Role::Assistant, open)];
    assert_eq!(in_force(&said), [asked, open]);
    let answered = [said[0], said[1], (Role::User, "The bucket lives in Frankfurt.")];
    assert_eq!(in_force(&answered), [open]);
}
