//! `silt egress`.

use serde_json::json;
use siltstone_contract::{EgressRef, ListEgress};
use siltstone_engine::Timestamp;
use siltstone_engine::egress::EgressItem;

use crate::args;
use crate::host::Host;
use crate::out::Stop;

pub async fn run(host: &Host, command: args::Egress) -> Result<(), Stop> {
    match command {
        args::Egress::List { away, before, limit } => {
            let request = ListEgress { before, limit, away_only: away };
            let requests = host.app.egress_list(request).await?;
            if host.out.json {
                return host.out.value(&json!({"requests": requests}));
            }
            host.out.empty(&requests, "Nothing left.", "나간 것이 없습니다.");
            let now = Timestamp::now();
            requests.iter().try_for_each(|request| host.out.line(&line(host, request, now)))
        }
        args::Egress::Show { number, curl } => {
            let sent = host.app.egress_body(EgressRef { seq: number }).await?;
            if host.out.json {
                return host.out.value(&sent);
            }
            if curl {
                return host.out.line(&sent.curl);
            }
            host.out.line(&format!("{} {}", sent.method, sent.url))?;
            for (name, value) in &sent.headers {
                host.out.line(&format!("{name}: {value}"))?;
            }
            host.out.line(&format!("\n{}", sent.body))
        }
        args::Egress::Clear => {
            host.app.egress_clear(()).await?;
            if host.out.json {
                return host.out.value(&json!({"cleared": true}));
            }
            host.out.note(host.out.lang.pick("Forgotten.", "잊었습니다."));
            Ok(())
        }
    }
}

fn line(host: &Host, request: &EgressItem, now: Timestamp) -> String {
    let lang = host.out.lang;
    let place = match request.home {
        true => lang.pick("this computer", "이 컴퓨터"),
        false => lang.pick("elsewhere", "다른 컴퓨터"),
    };
    let answer = request.answer.as_deref().unwrap_or("-");
    let size = lang.size(request.size);
    let (seq, ago, provider) = (request.seq, lang.ago(request.at, now), &request.provider);
    format!("{seq:>6}  {ago}  {place}  {provider}  {answer}  {size}  {}", request.url)
}
