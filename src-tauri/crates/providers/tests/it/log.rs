//! A key is in no log, no error and no record of what left, in no coat: down to what the libraries trace, in a refusal
//! that repeats the key too.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use futures_util::StreamExt;
use siltstone_engine::ports::{Access, Providers};
use siltstone_engine::provider::{ModelRequest, ProviderKind, ProviderRecord};
use siltstone_engine::secret::Secret;
use siltstone_engine::settings::Network;
use siltstone_providers::Connections;
use siltstone_test_servers::hidden;
use siltstone_test_servers::noted::Noted;
use tracing_subscriber::util::SubscriberInitExt;

const KEY: &str = "sk-canary-0123456789";

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, said: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(said);
        Ok(said.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Refuses every request and repeats it, key and all.
fn echo() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = [0; 4_096];
            let read = stream.read(&mut request).unwrap();
            let said = String::from_utf8_lossy(&request[..read]);
            let head = format!("HTTP/1.1 401 No\r\nContent-Length: {}\r\n", said.len());
            stream.write_all(format!("{head}Connection: close\r\n\r\n{said}").as_bytes()).unwrap();
        }
    });
    base_url
}

#[tokio::test]
async fn a_key_is_in_no_log_and_in_no_error() {
    let log = Log::default();
    let writer = log.clone();
    // All of it runs on this thread, so that what other tests trace at the same time stays out.
    let _traced = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(move || writer.clone())
        .finish()
        .set_default();
    let base_url = echo();
    let (mut errors, left) = (String::new(), Arc::<Noted>::default());
    for kind in
        [ProviderKind::Openai, ProviderKind::Anthropic, ProviderKind::Gemini, ProviderKind::Ollama]
    {
        let record = ProviderRecord { name: "echo".to_owned(), kind, base_url: base_url.clone() };
        let access = Access {
            key: Some(Secret::new(KEY.to_owned())),
            this_computer_only: false,
            network: Network::default(),
            outbox: left.outbox(),
        };
        tracing::info!(?record, ?access, "connecting");
        let provider = Connections::new().connect(&record, access).unwrap();
        let listed = provider.models().await.unwrap_err();
        let request = ModelRequest::of("m", Vec::new(), "en");
        let answered = provider.stream(request).next().await.unwrap().unwrap_err();
        errors.push_str(&format!("{listed} {listed:?} {answered} {answered:?}\n"));
    }
    assert_eq!(errors.matches("[key]").count(), 16, "the server repeated it: {errors}");
    let said = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(said.contains("TRACE") && said.contains("Secret(…)"), "{said}");
    assert!(said.contains(&base_url) && said.contains("refused"), "{said}");
    let left = format!("{:?}", left.left());
    assert_eq!(left.matches("$KEY").count(), 4, "{left}");
    for place in [said, errors, left] {
        assert_eq!(hidden::found(KEY, place.as_bytes()), None, "{place}");
    }
}

#[test]
fn a_secret_is_found_in_every_coat() {
    let secret = "sk-canary-Zq7Lw2Vx9Tn4";
    let wide = secret.encode_utf16().flat_map(|unit| unit.to_le_bytes()).collect();
    let coats: [Vec<u8>; 6] = [
        format!("Bearer {secret}").into(),
        "eD1zay1jYW5hcnktWnE3THcyVng5VG40UmI2TQ==".into(),
        "736b2d63616e6172792d5a71374c7732567839546e345262364d".into(),
        "736B2D63616E6172792D5A71374C7732567839546E345262364D".into(),
        "%73%6b%2d%63%61%6e%61%72%79%2d%5a%71%37%4c%77%32%56%78%39%54%6e%34".into(),
        wide,
    ];
    for coat in coats {
        assert!(hidden::found(secret, &coat).is_some(), "{coat:?}");
    }
    assert_eq!(hidden::found(secret, b"sk-canary-...9Tn4"), None);
}
