//! `silt price`.

use serde_json::json;
use siltstone_contract::{Code, Failure};
use siltstone_engine::price::{self, Price, PriceSource, PricedModel};

use crate::args;
use crate::host::Host;
use crate::out::Stop;

pub async fn run(host: &Host, command: args::Price) -> Result<(), Stop> {
    let mut settings = host.app.settings_get(()).await?;
    match command {
        args::Price::List => return list(host).await,
        args::Price::Set { model, input, output, cached_input, cache_write } => {
            settings.prices.insert(model, Price { input, cached_input, cache_write, output });
        }
        args::Price::Remove { model } => {
            if settings.prices.remove(&model).is_none() {
                let message = format!("no price of your own for {model}");
                return Err(Failure::new(Code::NotFound, message).into());
            }
        }
    }
    let settings = host.app.settings_set(settings).await?;
    let own = settings.prices.into_iter();
    let own = own.map(|(model, price)| PricedModel { model, price, source: PriceSource::Person });
    show(host, &own.collect::<Vec<_>>())
}

async fn list(host: &Host) -> Result<(), Stop> {
    show(host, &host.app.price_list(()).await?)?;
    let lang = host.out.lang;
    host.out.note(&lang.count("built-in prices of {}", "기본 가격: {} 기준", price::list_date()));
    Ok(())
}

fn show(host: &Host, prices: &[PricedModel]) -> Result<(), Stop> {
    if host.out.json {
        return host.out.value(&json!({"prices": prices}));
    }
    prices.iter().try_for_each(|priced| host.out.line(&line(host, priced)))
}

fn line(host: &Host, PricedModel { model, price, source }: &PricedModel) -> String {
    let lang = host.out.lang;
    let source = match source {
        PriceSource::BuiltIn => "",
        PriceSource::Server => lang.pick("server", "서버"),
        PriceSource::Person => lang.pick("yours", "직접 정함"),
    };
    let amount = |price: u64| {
        let text = format!("{}.{:06}", price / 1_000_000, price % 1_000_000);
        let kept = text.trim_end_matches('0').len().max(text.len() - 4);
        format!("${}", &text[..kept])
    };
    let line = format!("{:>9} {:>9}  {model}  {source}", amount(price.input), amount(price.output));
    line.trim_end().to_owned()
}
