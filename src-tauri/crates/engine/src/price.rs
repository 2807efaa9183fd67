//! What tokens cost.
//!
//! Amounts are whole numbers, so that sums are exact: a price is in millionths of a US dollar for a million tokens, a
//! cost in billionths of a US dollar. The built-in prices are the makers' public list prices of the day that
//! `price/list.json` names, with the changes that were announced by then; discounts, free quotas and taxes are not known
//! here, so a cost is what the list says and not a bill. The `app` crate asks [`price_of`] when a turn ends and before
//! one begins.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::keys;
use crate::provider::{ProviderKind, ProviderRecord};
use crate::turn::Usage;

/// The most a single reply is taken to cost: a million dollars. What comes out higher was counted or priced wrongly, and
/// sums of it must still fit.
pub const MAX_COST: u64 = 1_000_000_000_000_000;

/// The price of a model, in millionths of a US dollar for a million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Price {
    /// What is sent.
    pub input: u64,
    /// What is sent and was found in the provider's cache; as `input` when it is not priced apart.
    pub cached_input: Option<u64>,
    /// What is sent and written to the provider's cache; as `input` when it is not priced apart.
    pub cache_write: Option<u64>,
    /// What is answered, thoughts included.
    pub output: u64,
}

impl Price {
    /// Nothing.
    pub const FREE: Self = Self { input: 0, cached_input: None, cache_write: None, output: 0 };

    /// Whether nothing costs anything.
    pub fn is_free(&self) -> bool {
        let parts = [self.input, self.output];
        parts.iter().chain(&self.cached_input).chain(&self.cache_write).all(|part| *part == 0)
    }

    /// What this usage costs, in billionths of a US dollar; a begun one counts whole. At most [`MAX_COST`].
    pub fn cost(&self, usage: &Usage) -> u64 {
        let cached = usage.cached_input_tokens.min(usage.input_tokens);
        let written = usage.cache_write_tokens.min(usage.input_tokens - cached);
        let fresh = usage.input_tokens - cached - written;
        let parts = [
            (fresh, self.input),
            (cached, self.cached_input.unwrap_or(self.input)),
            (written, self.cache_write.unwrap_or(self.input)),
            (usage.output_tokens, self.output),
        ];
        let parts = parts.iter().map(|(tokens, price)| u128::from(*tokens) * u128::from(*price));
        let sum = parts.fold(0, u128::saturating_add);
        u64::try_from(sum.div_ceil(1_000)).unwrap_or(u64::MAX).min(MAX_COST)
    }
}

/// Who says what a model costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum PriceSource {
    /// The maker's public list.
    BuiltIn,
    /// The server that offers the model.
    Server,
    /// The person.
    Person,
}

/// The price of a model in the list of prices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct PricedModel {
    /// The model's id; one of the person's may end with a `*`.
    pub model: String,
    /// Its price.
    pub price: Price,
    /// Who says so.
    pub source: PriceSource,
}

/// What a model costs, long requests included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Tariff {
    /// The price of ordinary requests.
    pub price: Price,
    /// Another price for requests beyond a length.
    pub long: Option<Long>,
}

/// What every token of a long request and its reply costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Long {
    /// A request is long when it has more tokens.
    pub above: u64,
    /// Its price.
    pub price: Price,
}

impl Tariff {
    /// What this usage costs, in billionths of a US dollar.
    pub fn cost(&self, usage: &Usage) -> u64 {
        let long = self.long.filter(|long| usage.input_tokens > long.above);
        long.map_or(self.price, |long| long.price).cost(usage)
    }

    /// Whether nothing costs anything.
    pub fn is_free(&self) -> bool {
        self.price.is_free() && self.long.is_none_or(|long| long.price.is_free())
    }
}

impl From<Price> for Tariff {
    fn from(price: Price) -> Self {
        Self { price, long: None }
    }
}

/// What a provider's model costs: as the person says (`edits`, of [`crate::settings::Settings::prices`]), as the server
/// itself says (`listed`), nothing on this computer, and else by the makers' list. `None` when nobody knows.
pub fn price_of(
    record: &ProviderRecord,
    model: &str,
    listed: Option<Price>,
    edits: &BTreeMap<String, Price>,
    today: Date,
) -> Option<Tariff> {
    if let Some(price) = edited(model, edits) {
        return Some(price.into());
    }
    if record.kind == ProviderKind::Offline {
        return Some(Price::FREE.into());
    }
    if let Some(price) = listed {
        return Some(price.into());
    }
    if keys::on_this_computer(&record.base_url) {
        return Some(Price::FREE.into());
    }
    built_in_for(model, today)
}

/// The day the built-in prices were looked up.
pub fn list_date() -> Date {
    LIST.as_of
}

/// The built-in prices of ordinary requests.
pub fn built_in(today: Date) -> impl Iterator<Item = PricedModel> {
    // A later row of the same model takes the place of an earlier one wherever they are gathered by id.
    LIST.models.iter().filter(move |row| row.holds(today)).map(|row| PricedModel {
        model: row.model.clone(),
        price: row.tariff.price,
        source: PriceSource::BuiltIn,
    })
}

/// The person's price: the model's own, else that of the longest beginning that ends with a `*`.
fn edited(model: &str, edits: &BTreeMap<String, Price>) -> Option<Price> {
    let begins =
        |pattern: &str| pattern.strip_suffix('*').is_some_and(|start| model.starts_with(start));
    edits.get(model).copied().or_else(|| {
        let fitting = edits.iter().filter(|(pattern, _)| begins(pattern));
        fitting.max_by_key(|(pattern, _)| pattern.len()).map(|(_, price)| *price)
    })
}

/// The list's price: of the longest id in it that the model's id is, or is a dated edition of.
fn built_in_for(model: &str, today: Date) -> Option<Tariff> {
    let is = |id: &str| model.strip_prefix(id).is_some_and(is_edition);
    let fitting = LIST.models.iter().filter(|row| row.holds(today) && is(&row.model));
    // Of equals the last: where a price was to change, the list has the later price below.
    fitting.max_by_key(|row| row.model.len()).map(|row| row.tariff)
}

/// Whether what follows a model's name tells only which edition it is: `-20260915`, `-2026-09-15`, `-preview-09-2026`,
/// `-latest`, `-001`. A single figure is a version: another model with another price.
fn is_edition(rest: &str) -> bool {
    let mut words = rest.split('-');
    words.next() == Some("")
        && words.all(|word| {
            matches!(word, "latest" | "preview" | "exp")
                || word.len() >= 2 && word.bytes().all(|byte| byte.is_ascii_digit())
        })
}

#[derive(Default, Deserialize)]
struct List {
    as_of: Date,
    models: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    model: String,
    /// The first day of a price that was announced.
    from: Option<Date>,
    #[serde(flatten)]
    tariff: Tariff,
}

impl Row {
    fn holds(&self, today: Date) -> bool {
        self.from.is_none_or(|from| from <= today)
    }
}

/// A test reads it; an unreadable list would only mean that no price is known.
static LIST: LazyLock<List> =
    LazyLock::new(|| serde_json::from_str(include_str!("price/list.json")).unwrap_or_default());

#[cfg(test)]
mod tests;
