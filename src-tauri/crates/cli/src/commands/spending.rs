//! `silt spending`.

use siltstone_contract::Spending;

use crate::args;
use crate::host::Host;
use crate::out::Stop;

/// Billionths of a US dollar in a millionth.
const NANOS: u64 = 1_000;

pub async fn run(host: &Host, wish: args::Spending) -> Result<(), Stop> {
    if wish.limit.is_some() || wish.no_limit {
        let mut settings = host.app.settings_get(()).await?;
        settings.monthly_limit = wish.limit;
        host.app.settings_set(settings).await?;
    }
    let spending = match wish.allow {
        true => host.app.spending_allow(()).await?,
        false => host.app.spending_get(()).await?,
    };
    if host.out.json { host.out.value(&spending) } else { show(host, &spending) }
}

fn show(host: &Host, spending: &Spending) -> Result<(), Stop> {
    let lang = host.out.lang;
    host.out.line(&format!("{:>12}  {}", dollars(spending.cost), spending.month))?;
    for spent in &spending.by_model {
        let tokens = lang.count("{} token(s)", "{}토큰", spent.input_tokens + spent.output_tokens);
        let cost = match spent.unpriced_turns {
            unpriced if unpriced == spent.turns => lang.pick("unknown", "모름").to_owned(),
            _ => dollars(spent.cost),
        };
        host.out.line(&format!("{cost:>12}  {}  {}  {tokens}", spent.provider, spent.model))?;
    }
    if let Some(limit) = spending.limit {
        let until = spending.allowed_until.unwrap_or(limit).saturating_mul(NANOS);
        let asks = lang.pick("where it asks", "여기에서 물음");
        host.out.line(&format!("{:>12}  {asks}", dollars(until)))?;
    }
    if spending.unpriced_turns > 0 {
        host.out.note(&lang.count(
            "The price of {} replies is not known; `silt price set` tells it.",
            "답변 {}개의 가격을 모릅니다. `silt price set`으로 알려 주세요.",
            spending.unpriced_turns,
        ));
    }
    Ok(())
}

/// An amount in billionths; what is less than a cent is not nothing.
fn dollars(nanos: u64) -> String {
    let (whole, part) = (nanos / 1_000_000_000, nanos % 1_000_000_000 / 100_000);
    format!("${whole}.{part:04}")
}
