use super::*;
use rstest::rstest;

const OPUS: &str = "claude-opus-5-5";

fn on(day: &str) -> Date {
    day.parse().unwrap()
}

fn at(base_url: &str, kind: ProviderKind) -> ProviderRecord {
    ProviderRecord { name: "work".into(), kind, base_url: base_url.into() }
}

fn away() -> ProviderRecord {
    at("https://api.anthropic.com/v1", ProviderKind::Anthropic)
}

fn flat(input: u64, output: u64) -> Price {
    Price { input, output, ..Price::FREE }
}

fn built_in_price(model: &str) -> Option<Price> {
    price_of(&away(), model, None, &BTreeMap::new(), list_date()).map(|tariff| tariff.price)
}

#[test]
fn every_price_of_the_list_can_be_asked_for_by_its_own_name() {
    let all: Vec<PricedModel> = built_in(list_date()).collect();
    assert!(all.len() > 50, "{}", all.len());
    for listed in all {
        assert_eq!(built_in_price(&listed.model), Some(listed.price), "{}", listed.model);
        // What makes vectors writes nothing.
        let writes = !listed.model.contains("embedding");
        assert_eq!(listed.price.input < listed.price.output, writes, "{}", listed.model);
        assert!(listed.price.cached_input.is_none_or(|cached| cached < listed.price.input));
        assert!(listed.price.cache_write.is_none_or(|written| written > listed.price.input));
    }
}

#[rstest]
#[case("claude-haiku-4-5-20251001", Some("claude-haiku-4-5"))]
#[case("gpt-4o-mini-2024-07-18", Some("gpt-4o-mini"))]
#[case("gemini-2.5-flash-preview-09-2025", Some("gemini-2.5-flash"))]
#[case("gemini-2.5-flash-lite-001", Some("gemini-2.5-flash-lite"))]
#[case("gpt-5-pro", Some("gpt-5-pro"))]
#[case("claude-opus-5-6", None)]
#[case("gpt-5.4-giant", None)]
#[case("gpt-5.45", None)]
#[case("gpt-5-codex-mini", None)]
#[case("my-gpt-5", None)]
fn a_dated_edition_has_its_models_price_and_another_model_has_none(
    #[case] asked: &str,
    #[case] listed: Option<&str>,
) {
    assert_eq!(built_in_price(asked), listed.and_then(built_in_price), "{asked}");
    assert_eq!(built_in_price(asked).is_some(), listed.is_some());
}

#[test]
fn a_price_that_was_announced_holds_from_its_day_on() {
    let ask = |day| price_of(&away(), "gemini-4-argon", None, &BTreeMap::new(), on(day));
    assert_eq!(ask("2026-11-30").map(|tariff| tariff.price.output), Some(10_000_000));
    assert_eq!(ask("2026-12-01").map(|tariff| tariff.price.output), Some(20_000_000));
}

#[test]
fn the_person_is_believed_before_the_server_and_the_server_before_the_list() {
    let (person, server) = (flat(7, 7), flat(5, 5));
    let price = |record: &ProviderRecord, listed, edits: &[(&str, Price)]| {
        let edits = edits.iter().map(|(model, price)| ((*model).to_owned(), *price)).collect();
        price_of(record, OPUS, listed, &edits, list_date()).map(|tariff| tariff.price)
    };
    let here = at("http://127.0.0.1:8080/v1", ProviderKind::Openai);
    let offline = at("", ProviderKind::Offline);

    assert_eq!(price(&away(), None, &[]), built_in_price(OPUS));
    assert_eq!(price(&away(), Some(server), &[]), Some(server));
    assert_eq!(price(&away(), Some(server), &[(OPUS, person)]), Some(person));
    assert_eq!(price(&here, None, &[]), Some(Price::FREE), "what runs here costs nothing");
    assert_eq!(price(&here, Some(server), &[]), Some(server), "unless its server says so");
    assert_eq!(price(&here, None, &[(OPUS, person)]), Some(person), "or the person");
    assert_eq!(price(&offline, None, &[]), Some(Price::FREE));

    let patterns = [("*", flat(1, 1)), ("claude-*", flat(2, 2)), ("claude-opus*", flat(3, 3))];
    assert_eq!(price(&away(), None, &patterns), Some(flat(3, 3)), "the longest beginning");
    assert_eq!(price(&away(), None, &[("claude-opus", person)]), built_in_price(OPUS));
    assert_eq!(price_of(&away(), "unheard-of", None, &BTreeMap::new(), list_date()), None);
}

#[test]
fn a_cost_is_exact_and_a_begun_billionth_counts() {
    let price = Price {
        input: 3_000_000,
        cached_input: Some(300_000),
        cache_write: Some(3_750_000),
        output: 15_000_000,
    };
    let usage = Usage {
        input_tokens: 10_007,
        cached_input_tokens: 9_001,
        cache_write_tokens: 1_000,
        output_tokens: 123,
        exact: true,
    };
    // 6 fresh, 9,001 cached, 1,000 written, 123 answered.
    assert_eq!(price.cost(&usage), 6 * 3_000 + 9_001 * 300 + 1_000 * 3_750 + 123 * 15_000);

    let small = Usage { input_tokens: 1, ..Usage::default() };
    assert_eq!(flat(1, 0).cost(&small), 1, "a thousandth of a billionth");
    assert_eq!(Price::FREE.cost(&usage), 0);
    let unsplit = Price { cached_input: None, cache_write: None, ..price };
    assert_eq!(unsplit.cost(&usage), 10_007 * 3_000 + 123 * 15_000);

    let boundless = Usage { input_tokens: u64::MAX, output_tokens: u64::MAX, ..Usage::default() };
    assert_eq!(flat(u64::MAX, u64::MAX).cost(&boundless), MAX_COST);
}

#[test]
fn a_long_request_is_priced_as_one_from_its_first_token() {
    let (price, long) = (flat(1_000, 2_000), flat(3_000, 4_000));
    let tariff = Tariff { price, long: Some(Long { above: 100, price: long }) };
    let cost =
        |input_tokens| tariff.cost(&Usage { input_tokens, output_tokens: 10, ..Usage::default() });
    assert_eq!(cost(100), 100 + 20);
    assert_eq!(cost(101), 303 + 40);
    assert!(!Tariff { price: Price::FREE, ..tariff }.is_free(), "free only while it is short");
}
