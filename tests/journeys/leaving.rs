//! What leaves this computer: written down as it was sent, shown, forgotten; and nothing at all when only this computer
//! may be asked.

use std::io::Write;
use std::net::TcpListener;
use std::process::Command;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use siltstone_contract::{
    Code, ConversationRef, DefaultModel, EgressRef, ListEgress, ProviderRef, SetKey, TurnRef,
};
use siltstone_engine::egress::EgressItem;
use siltstone_engine::keys::Place;
use siltstone_engine::provider::{ProviderKind, ProviderRecord};
use siltstone_engine::secret::Secret;
use siltstone_engine::settings::Proxy;
use siltstone_providers::Connections;
use siltstone_test_servers::request::{self, Received};

use crate::world::{Journey, text};

/// A model server of this computer that is busy once and then says yes.
pub fn server() -> (String, Receiver<Received>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    let (send, received) = channel();
    std::thread::spawn(move || {
        let mut busy = "503 Busy";
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let request = request::read(&mut stream);
            let asked = request.head[0].starts_with("POST");
            send.send(request).unwrap();
            let (status, kind, body) = match asked {
                false => ("200 OK", "application/json", r#"{"data":[{"id":"m"}]}"#),
                true => (
                    std::mem::replace(&mut busy, "200 OK"),
                    "text/event-stream",
                    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Yes.\"}}]}\n\n\
                     data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
                ),
            };
            let head = format!("Content-Type: {kind}\r\nConnection: close");
            write!(stream, "HTTP/1.1 {status}\r\n{head}\r\n\r\n{body}").unwrap();
        }
    });
    (base_url, received)
}

/// A journey whose conversations ask the model `m` at this address.
pub async fn journey_to(base_url: &str) -> Journey {
    let journey = Journey::with(Arc::new(Connections::new()));
    let (name, base_url) = ("work".to_owned(), base_url.to_owned());
    let record = ProviderRecord { name: name.clone(), kind: ProviderKind::Openai, base_url };
    journey.app.provider_add(record).await.unwrap();
    let (key, place) = (Secret::new("sk-canary-0123456789".to_owned()), Place::Session);
    journey.app.key_set(SetKey { provider: name.clone(), key, place }).await.unwrap();
    let choice = DefaultModel { provider: name, model: "m".into() };
    journey.app.provider_default(choice).await.unwrap();
    journey
}

async fn left(journey: &Journey) -> Vec<EgressItem> {
    let request = ListEgress { before: None, limit: 100, away_only: false };
    journey.app.egress_list(request).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_sent_is_shown_byte_for_byte_and_goes_with_its_conversation() {
    let (base_url, received) = server();
    let journey = journey_to(&base_url).await;
    let id = journey.conversation(None).await;
    let reply = journey.ask(id, "정말이야? \"$KEY\"").await;
    assert_eq!(text(&reply), "Yes.");

    let left = left(&journey).await;
    let posted: Vec<_> =
        received.try_iter().filter(|one| one.head[0].starts_with("POST")).collect();
    // Latest first; asking for the models of a server at home carries nothing and is not worth a word.
    let answers: Vec<_> = left.iter().map(|item| item.answer.as_deref()).collect();
    assert_eq!(answers, [Some("200"), Some("503")]);
    let turn = TurnRef { id: reply.turn_id.unwrap() };
    for (item, request) in left.iter().rev().zip(&posted) {
        assert_eq!((item.turn_id, item.conversation_id), (Some(turn.id), Some(id)));
        assert_eq!((item.provider.as_str(), item.home, item.body_kept), ("work", true, true));
        let sent = journey.app.egress_body(EgressRef { seq: item.seq }).await.unwrap();
        assert_eq!(sent.body.as_bytes(), request.body);
        assert_eq!(sent.url, format!("{base_url}/chat/completions"));
        assert_eq!(request.header("authorization"), Some("Bearer sk-canary-0123456789"));
        assert!(!format!("{sent:?}").contains("canary"));
    }
    let shown = journey.app.request_sent(turn).await.unwrap();
    assert_eq!(shown.egress, Some(left[0].seq));

    journey.app.conversation_delete(ConversationRef { id }).await.unwrap();
    journey.app.conversation_purge(ConversationRef { id }).await.unwrap();
    let after = self::left(&journey).await;
    assert!(after.iter().all(|item| !item.body_kept && item.conversation_id.is_none()));
    assert_eq!(after.len(), 2, "that something left is not forgotten");
    let gone = journey.app.egress_body(EgressRef { seq: after[0].seq }).await.unwrap_err();
    assert_eq!(gone.code, Code::NotFound);
    journey.app.egress_clear(()).await.unwrap();
    assert_eq!(self::left(&journey).await, []);
}

#[tokio::test]
async fn a_network_that_cannot_be_used_is_not_stored_and_one_that_broke_is_not_in_the_way() {
    let journey = Journey::with(Arc::new(Connections::new()));
    let settings = journey.app.settings_get(()).await.unwrap();
    let mut wrong = settings.clone();
    wrong.proxy = Proxy::Address { url: "http://me:canary@proxy.example".into() };
    let refused = journey.app.settings_set(wrong).await.unwrap_err();
    assert_eq!(refused.code, Code::ProxyUnusable);
    assert!(!format!("{refused:?}").contains("canary"));
    let mut wrong = settings.clone();
    wrong.extra_ca = "/nowhere/ca.pem".into();
    let refused = journey.app.settings_set(wrong).await.unwrap_err();
    assert_eq!(refused.code, Code::CertificatesUnusable);
    assert_eq!(journey.app.settings_get(()).await.unwrap(), settings);

    let pem = tempfile::NamedTempFile::new().unwrap();
    let authority = rcgen::generate_simple_self_signed(Vec::new()).unwrap();
    std::fs::write(pem.path(), authority.cert.pem()).unwrap();
    let mut right = settings;
    right.extra_ca = pem.path().display().to_string();
    journey.app.settings_set(right.clone()).await.unwrap();
    drop(pem);
    right.zoom = 120;
    assert_eq!(journey.app.settings_set(right).await.unwrap().zoom, 120);
}

/// In a network namespace of its own, every socket that the app opens is seen by `strace`.
#[test]
fn when_only_this_computer_may_be_asked_no_socket_is_opened_and_no_name_looked_up() {
    let works = |program: &str, args: &[&str]| {
        Command::new(program).args(args).output().is_ok_and(|done| done.status.success())
    };
    if !works("unshare", &["-rn", "true"]) {
        println!("skipped: this system gives no network namespace (unshare -rn)");
        return;
    }
    if !works("unshare", &["-rn", "strace", "-f", "true"]) {
        println!("skipped: strace is missing or may not trace");
        return;
    }
    let asked = |kept: bool| {
        let trace = tempfile::NamedTempFile::new().unwrap();
        let done = Command::new("unshare")
            .args([
                "-rn",
                "strace",
                "-f",
                "-e",
                "trace=socket,connect,sendto,sendmsg,sendmmsg",
                "-o",
            ])
            .arg(trace.path())
            .arg(std::env::current_exe().unwrap())
            .args(["leaving::asks_another_computer", "--exact", "--ignored", "--nocapture"])
            .env("SILTSTONE_TEST_KEPT", if kept { "yes" } else { "no" })
            .env_remove("HTTPS_PROXY")
            .env_remove("https_proxy")
            .env_remove("ALL_PROXY")
            .env_remove("all_proxy")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&done.stdout).into_owned();
        assert!(done.status.success(), "{said}{}", String::from_utf8_lossy(&done.stderr));
        std::fs::read_to_string(trace.path()).unwrap()
    };
    // Of a thread that ends while it is stopped, not even the name of a call is known: it made none.
    let calls = |trace: &str| -> Vec<String> {
        let named = |line: &&str| line.contains('(') && !line.contains("???(");
        trace.lines().filter(named).map(str::to_owned).collect()
    };
    assert_eq!(calls(&asked(true)), Vec::<String>::new());
    // The same without the setting: a name is looked up, which takes a socket.
    let free = calls(&asked(false));
    assert!(free.iter().any(|call| call.contains("socket(")), "{free:?}");
}

#[tokio::test]
#[ignore = "a part of when_only_this_computer_may_be_asked, which runs it in a network namespace"]
async fn asks_another_computer() {
    let kept = std::env::var("SILTSTONE_TEST_KEPT").unwrap() == "yes";
    let journey = journey_to("https://model.invalid/v1").await;
    let mut settings = journey.app.settings_get(()).await.unwrap();
    settings.this_computer_only = kept;
    journey.app.settings_set(settings).await.unwrap();

    let (code, name) = match kept {
        true => (Code::ProviderNotLocal, "provider_not_local"),
        false => (Code::ProviderUnreachable, "provider_unreachable"),
    };
    let listed = journey.app.provider_models(ProviderRef { name: "work".into() }).await;
    assert_eq!(listed.unwrap_err().code, code);
    let id = journey.conversation(None).await;
    let reply = journey.ask(id, "Anyone there?").await;
    assert_eq!(reply.fault.unwrap().code, name);
    let left = left(&journey).await;
    assert_eq!(left.is_empty(), kept, "{left:?}");
    assert!(left.iter().all(|item| !item.home && item.answer.as_deref() == Some(name)));
}
