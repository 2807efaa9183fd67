//! What replies cost, and the monthly limit that asks.
//!
//! A reply's cost is written down with the reply, by the price of that moment, so that a changed price rewrites no
//! history. The limit is looked at before a question becomes durable: where it is reached, nothing is asked and nothing
//! is lost, until the person lets the month go on.

use std::collections::BTreeMap;

use siltstone_contract::{Code, DefaultModel, Failure, Spending, Topic};
use siltstone_engine::ports::Stores;
use siltstone_engine::price::{self, PriceSource, PricedModel, Tariff};
use siltstone_engine::provider::ModelInfo;
use siltstone_engine::spending::Month;
use siltstone_engine::turn::{Turn, TurnStatus, Usage};
use siltstone_engine::{Date, TimeZone};

use crate::core::failure::Outcome;
use crate::core::locked;
use crate::models::ModelService;

/// Billionths of a US dollar in a millionth.
const NANOS: u64 = 1_000;

impl ModelService {
    /// What models cost: built in, said by servers that were asked, and the person's own; the later wins.
    pub async fn price_list(&self, (): ()) -> Result<Vec<PricedModel>, Failure> {
        let edits = self.core.stores()?.records.settings().or_failure()?.prices;
        let listed: Vec<ModelInfo> = locked(&self.told).values().cloned().collect();
        let listed = listed
            .into_iter()
            .filter_map(|model| Some((model.id, model.price?, PriceSource::Server)));
        let edited = edits.into_iter().map(|(model, price)| (model, price, PriceSource::Person));
        let rows =
            listed.chain(edited).map(|(model, price, source)| PricedModel { model, price, source });
        let all: BTreeMap<String, PricedModel> =
            price::built_in(self.today()).chain(rows).map(|row| (row.model.clone(), row)).collect();
        Ok(all.into_values().collect())
    }

    /// What this month cost so far.
    pub async fn spending_get(&self, (): ()) -> Result<Spending, Failure> {
        let stores = self.core.stores()?;
        let month = self.month();
        let by_model = stores.spending.spent(month.start, month.end).or_failure()?;
        let limit = stores.records.settings().or_failure()?.monthly_limit;
        let allowed = stores.spending.allowed_until(&month.name).or_failure()?;
        Ok(Spending {
            month: month.name,
            cost: stores.spending.cost(month.start, month.end).or_failure()?,
            limit,
            allowed_until: allowed.filter(|allowed| limit.is_some_and(|limit| *allowed > limit)),
            unpriced_turns: by_model.iter().map(|spent| spent.unpriced_turns).sum(),
            by_model,
        })
    }

    /// Lets this month go on until one more limit's worth is spent, and sends what waited for that.
    pub async fn spending_allow(&self, (): ()) -> Result<Spending, Failure> {
        let stores = self.core.stores()?;
        if let Some(limit) = stores.records.settings().or_failure()?.monthly_limit {
            let month = self.month();
            let cost = stores.spending.cost(month.start, month.end).or_failure()? / NANOS;
            // Whole steps: letting it go on twice does not add up to more than was asked for.
            let step = limit.max(1);
            let until = (cost / step).saturating_add(1).saturating_mul(step);
            stores.spending.allow_until(&month.name, until).or_failure()?;
            self.core.changed([Topic::Settings]);
        }
        self.core.month_goes_on();
        self.spending_get(()).await
    }

    /// Refuses to ask a model that is not known to cost nothing once the month's limit is reached.
    pub(crate) fn within_limit(
        &self,
        stores: &Stores,
        choice: &DefaultModel,
    ) -> Result<(), Failure> {
        let Some(limit) = stores.records.settings().or_failure()?.monthly_limit else {
            return Ok(());
        };
        if self.tariff(stores, choice)?.is_some_and(|tariff| tariff.is_free()) {
            return Ok(());
        }
        let month = self.month();
        let allowed = stores.spending.allowed_until(&month.name).or_failure()?;
        let ceiling = allowed.unwrap_or(0).max(limit).saturating_mul(NANOS);
        let cost = stores.spending.cost(month.start, month.end).or_failure()?;
        if cost < ceiling {
            return Ok(());
        }
        let (cost, ceiling) = (dollars(cost), dollars(ceiling));
        let message = format!("{cost} of {ceiling} spent in {}", month.name);
        Err(Failure::new(Code::LimitReached, message))
    }

    /// Notes what the request of an open turn costs beside what the turn has cost, so that it counts even if this process
    /// does not see its end.
    pub(crate) fn expect_cost(
        &self,
        stores: &Stores,
        turn: &Turn,
        tokens: u64,
        before: Option<u64>,
    ) -> Result<(), Failure> {
        let usage = Usage { input_tokens: tokens, ..Usage::default() };
        let cost = self.cost_of(stores, turn, &usage)?;
        let cost = cost.zip(before).map(|(cost, before)| cost + before);
        stores.spending.set_cost(turn.id, cost).or_failure()
    }

    /// Tokens and cost of a call of the model that ended. What the provider did not count is estimated: a reply that
    /// broke off is paid for like any other. A request that was refused, or that never left, costs nothing.
    pub(crate) fn settle(
        &self,
        stores: &Stores,
        turn: &Turn,
        status: TurnStatus,
        counted: Option<Usage>,
        answered: u64,
    ) -> Result<(Option<Usage>, Option<u64>), Failure> {
        let usage = match (status, counted.filter(Usage::is_plausible)) {
            (TurnStatus::Completed, Some(usage)) => usage,
            (TurnStatus::Failed, None) if answered == 0 => return Ok((None, Some(0))),
            (_, counted) => {
                let Some(sent) = stores.transcripts.manifest(turn.id).or_failure()? else {
                    return Ok((None, Some(0)));
                };
                let sent = Usage { input_tokens: sent.tokens, ..Usage::default() };
                let counted = counted.unwrap_or(sent);
                let output_tokens = counted.output_tokens.max(answered);
                Usage { output_tokens, exact: false, ..counted }
            }
        };
        Ok((Some(usage), self.cost_of(stores, turn, &usage)?))
    }

    fn cost_of(&self, stores: &Stores, turn: &Turn, usage: &Usage) -> Result<Option<u64>, Failure> {
        let choice = DefaultModel { provider: turn.provider.clone(), model: turn.model.clone() };
        Ok(self.tariff(stores, &choice)?.map(|tariff| tariff.cost(usage)))
    }

    pub(crate) fn tariff(
        &self,
        stores: &Stores,
        choice: &DefaultModel,
    ) -> Result<Option<Tariff>, Failure> {
        // A provider may be removed while it answers.
        let Ok(record) = self.record(&choice.provider) else {
            return Ok(None);
        };
        let listed = self.known_model(choice).and_then(|model| model.price);
        let edits = stores.records.settings().or_failure()?.prices;
        Ok(price::price_of(&record, &choice.model, listed, &edits, self.today()))
    }

    fn today(&self) -> Date {
        TimeZone::system().to_datetime(self.core.now()).date()
    }

    fn month(&self) -> Month {
        Month::of(self.core.now(), &TimeZone::system())
    }
}

/// An amount in billionths, to the cent.
fn dollars(nanos: u64) -> String {
    let cents = nanos / 10_000_000;
    format!("${}.{:02}", cents / 100, cents % 100)
}
