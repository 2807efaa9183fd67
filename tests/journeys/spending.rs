//! What replies cost, and the limit that asks: nothing is lost where it does.

use std::sync::Arc;

use siltstone_contract::{
    Code, ConversationRef, DefaultModel, EditMessage, Failure, MessageRef, ProviderRef, Regenerate,
    SendMessage, Sent,
};
use siltstone_engine::ids::ConversationId;
use siltstone_engine::message::MessageStatus;
use siltstone_engine::price::{Price, PriceSource};
use siltstone_engine::provider::{ModelInfo, ProviderError, ProviderKind, ProviderRecord};
use siltstone_engine::turn::Usage;

use crate::scripted::{Latch, Scripted, Step};
use crate::world::Journey;

/// Three dollars for a million tokens sent, fifteen for those answered.
const PRICE: Price =
    Price { input: 3_000_000, cached_input: Some(300_000), cache_write: None, output: 15_000_000 };

/// Costs a little less than two cents.
const USAGE: Usage = Usage {
    input_tokens: 5_000,
    output_tokens: 400,
    cached_input_tokens: 1_111,
    cache_write_tokens: 0,
    exact: true,
};
const COST: u64 = 3_889 * 3_000 + 1_111 * 300 + 400 * 15_000;

fn reply(text: &'static str) -> Vec<Step> {
    vec![Step::Say(text), Step::Count(USAGE), Step::Finish]
}

/// A journey whose model is `dear`, at [`PRICE`], with a limit in millionths of a dollar.
async fn journey(scripts: Vec<Vec<Step>>, limit: Option<u64>) -> Journey {
    let journey = Journey::with(Arc::new(Scripted::new(scripts)));
    let record = ProviderRecord {
        name: "work".into(),
        kind: ProviderKind::Openai,
        base_url: "http://127.0.0.1:9/v1".into(),
    };
    journey.app.provider_add(record).await.unwrap();
    choose(&journey, "work", "dear").await;
    let mut settings = journey.app.settings_get(()).await.unwrap();
    settings.prices.insert("dear".into(), PRICE);
    settings.monthly_limit = limit;
    journey.app.settings_set(settings).await.unwrap();
    journey
}

async fn choose(journey: &Journey, provider: &str, model: &str) {
    let choice = DefaultModel { provider: provider.into(), model: model.into() };
    journey.app.provider_default(choice).await.unwrap();
}

async fn try_to_send(journey: &Journey, id: ConversationId, text: &str) -> Result<Sent, Failure> {
    let message = SendMessage {
        conversation_id: id,
        text: text.into(),
        attachments: Vec::new(),
        context: None,
        also: Vec::new(),
    };
    journey.app.send(message).await
}

#[tokio::test]
async fn a_reply_keeps_what_it_cost_by_the_price_of_its_day() {
    let journey = journey(vec![reply("One."), reply("Two.")], None).await;
    let id = journey.conversation(None).await;
    let first = journey.ask(id, "One?").await;
    assert_eq!((first.usage, first.cost), (Some(USAGE), Some(COST)));

    let mut settings = journey.app.settings_get(()).await.unwrap();
    settings.prices.insert("dear".into(), Price { output: 0, ..PRICE });
    journey.app.settings_set(settings).await.unwrap();
    journey.ask(id, "Two?").await;
    let cheaper = COST - 400 * 15_000;

    let spending = journey.app.spending_get(()).await.unwrap();
    assert_eq!(spending.cost, COST + cheaper, "the first one stays as it was");
    assert_eq!((spending.limit, spending.allowed_until, spending.unpriced_turns), (None, None, 0));
    let [on] = spending.by_model.as_slice() else { panic!("{:?}", spending.by_model) };
    assert_eq!((on.provider.as_str(), on.model.as_str(), on.turns), ("work", "dear", 2));
    assert_eq!((on.cost, on.input_tokens, on.output_tokens), (COST + cheaper, 10_000, 800));
}

#[tokio::test]
async fn a_reply_that_broke_off_is_estimated_and_one_that_was_refused_costs_nothing() {
    let cut = ProviderError::Cut { detail: "the line went dead".into() };
    let half = Step::Say("Half of a long answer");
    let refused = ProviderError::Unauthorised { detail: "no such key".into() };
    let scripts = vec![vec![half, Step::Fail(cut)], vec![Step::Fail(refused)]];
    let journey = journey(scripts, None).await;
    let id = journey.conversation(None).await;

    let broken = journey.ask(id, "A long question?").await;
    assert_eq!(broken.status, MessageStatus::Interrupted);
    let usage = broken.usage.unwrap();
    assert!(!usage.exact && usage.input_tokens > 0 && usage.output_tokens > 0, "{usage:?}");
    assert_eq!(broken.cost, Some(PRICE.cost(&usage)));

    let refused = journey.ask(id, "And this one?").await;
    assert_eq!(
        (refused.status, refused.usage, refused.cost),
        (MessageStatus::Failed, None, Some(0))
    );
    assert_eq!(journey.app.spending_get(()).await.unwrap().cost, PRICE.cost(&usage));
}

#[tokio::test]
async fn a_reached_limit_asks_before_anything_is_sent_and_goes_on_by_one_limit_at_a_time() {
    let scripts = ["One.", "Two.", "Three.", "Four."].map(reply).into();
    let journey = journey(scripts, Some(30_000)).await;
    let id = journey.conversation(None).await;
    journey.ask(id, "One?").await;
    let second = journey.ask(id, "Two?").await;
    let before = journey.path(id).await;

    let stopped = try_to_send(&journey, id, "Three?").await.unwrap_err();
    assert_eq!(stopped.code, Code::LimitReached);
    assert!(stopped.message.starts_with("$0.03 of $0.03 spent in 20"), "{stopped}");
    let reply = MessageRef { id: second.id };
    let edited =
        EditMessage { id: before[0].id, text: "Other?".into(), attachments: None, context: None };
    for failure in [
        journey
            .app
            .regenerate(Regenerate { id: second.id, context: None, model: None })
            .await
            .unwrap_err(),
        journey.app.continue_reply(reply).await.unwrap_err(),
        journey.app.edit(edited).await.unwrap_err(),
    ] {
        assert_eq!(failure.code, Code::LimitReached, "{failure}");
    }
    assert_eq!(journey.path(id).await, before, "nothing was sent and nothing became durable");

    let allowed = journey.app.spending_allow(()).await.unwrap();
    assert_eq!(allowed.allowed_until, Some(60_000));
    assert_eq!(journey.app.spending_allow(()).await.unwrap(), allowed, "twice is once");
    journey.ask(id, "Three?").await;
    journey.ask(id, "Four?").await;
    let stopped = try_to_send(&journey, id, "Five?").await.unwrap_err();
    assert!(stopped.message.starts_with("$0.07 of $0.06 spent in 20"), "{stopped}");
}

#[tokio::test]
async fn a_reached_limit_lets_what_costs_nothing_pass_and_stops_what_has_no_known_price() {
    let journey = journey(vec![reply("One."), reply("Free.")], Some(10_000)).await;
    let away = ProviderRecord {
        name: "away".into(),
        kind: ProviderKind::Openai,
        base_url: "https://models.example/v1".into(),
    };
    journey.app.provider_add(away).await.unwrap();
    let id = journey.conversation(None).await;
    journey.ask(id, "One?").await;

    choose(&journey, "away", "unheard-of").await;
    let stopped = try_to_send(&journey, id, "Two?").await.unwrap_err();
    assert_eq!(stopped.code, Code::LimitReached);
    choose(&journey, "work", "on-this-computer").await;
    let free = journey.ask(id, "Two?").await;
    assert_eq!((free.status, free.cost), (MessageStatus::Complete, Some(0)));
}

#[tokio::test]
async fn messages_that_wait_for_the_limit_wait_in_the_queue_until_the_month_may_go_on() {
    let mut slow = reply("One.");
    let latch = Latch::default();
    slow.insert(0, Step::Until(latch.clone()));
    let journey = journey(vec![slow, reply("Two."), reply("Three.")], Some(10_000)).await;
    let id = journey.conversation(None).await;
    journey.send(id, "One?").await;
    assert!(matches!(journey.send(id, "Two?").await, Sent::Queued { .. }));
    latch.open();
    journey.settled(id).await;

    let waiting = || async {
        let detail = journey.app.conversation_get(ConversationRef { id }).await.unwrap();
        detail.queued.iter().map(|message| message.text.clone()).collect::<Vec<_>>()
    };
    assert_eq!(waiting().await, ["Two?"]);
    let stopped = try_to_send(&journey, id, "Three?").await.unwrap_err();
    assert_eq!(stopped.code, Code::LimitReached);
    assert_eq!(waiting().await, ["Two?"], "what was refused did not join them");

    journey.app.spending_allow(()).await.unwrap();
    journey.settled(id).await;
    assert_eq!(waiting().await, Vec::<String>::new());
    assert_eq!(journey.said(id).await, ["One?", "One.", "Two?", "Two."]);
}

#[tokio::test]
async fn prices_are_listed_as_built_in_as_servers_say_and_as_the_person_does() {
    let scripted = Scripted::new([]);
    let price = |input| Price { input, cached_input: None, cache_write: None, output: input };
    let offers = |id: &str, input| ModelInfo { price: Some(price(input)), ..ModelInfo::named(id) };
    *scripted.offers.lock().unwrap() =
        vec![offers("gpt-4o", 7), offers("theirs", 8), offers("mine", 9)];
    let journey = Journey::with(Arc::new(scripted));
    let record = ProviderRecord {
        name: "work".into(),
        kind: ProviderKind::Openai,
        base_url: "http://127.0.0.1:9/v1".into(),
    };
    journey.app.provider_add(record).await.unwrap();
    journey.app.provider_models(ProviderRef { name: "work".into() }).await.unwrap();
    let mut settings = journey.app.settings_get(()).await.unwrap();
    settings.prices.extend([("mine".into(), price(1)), ("claude-*".into(), price(2))]);
    journey.app.settings_set(settings).await.unwrap();

    let all = journey.app.price_list(()).await.unwrap();
    let of = |model: &str| {
        let mut found = all.iter().filter(|priced| priced.model == model);
        let priced = found.next().unwrap();
        assert!(found.next().is_none(), "{model} once");
        (priced.price.input, priced.source)
    };
    assert_eq!(of("gpt-4o"), (7, PriceSource::Server));
    assert_eq!(of("theirs"), (8, PriceSource::Server));
    assert_eq!(of("mine"), (1, PriceSource::Person));
    assert_eq!(of("claude-*"), (2, PriceSource::Person));
    assert_eq!(of("gpt-4o-mini").1, PriceSource::BuiltIn);
}
