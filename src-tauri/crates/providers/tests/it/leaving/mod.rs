//! How requests leave: over TLS that a private authority vouches for, through proxies that the settings name, and
//! never otherwise than they are written down.
mod parts;

use std::process::Command;
use std::sync::Arc;

use futures_util::StreamExt;
use rstest::rstest;
use siltstone_engine::egress;
use siltstone_engine::message::Role;
use siltstone_engine::ports::{Access, Providers};
use siltstone_engine::provider::{
    Chunk, ModelRequest, ProviderError, ProviderKind, ProviderRecord,
};
use siltstone_engine::secret::Secret;
use siltstone_engine::section::{Reason, Section, SectionKind};
use siltstone_engine::settings::{Network, Proxy};
use siltstone_providers::Connections;
use siltstone_test_servers::noted::Noted;

use parts::{Authority, Model, Tunnel};

const KEY: &str = "sk-canary-0123456789";

fn access(network: &Network, log: &Arc<Noted>) -> Access {
    Access {
        key: Some(Secret::new(KEY.to_owned())),
        this_computer_only: false,
        network: network.clone(),
        outbox: log.outbox(),
    }
}

/// Asks once; what was said, or the error's code.
async fn ask(
    connections: &Connections,
    kind: ProviderKind,
    base_url: &str,
    access: Access,
) -> Result<String, &'static str> {
    let record = ProviderRecord { name: "tested".to_owned(), kind, base_url: base_url.to_owned() };
    let question = Section {
        id: String::new(),
        kind: SectionKind::Draft,
        role: Role::User,
        source: String::new(),
        link: None,
        text: "It's \"$HOME\" \\ `어디`?\n!".to_owned(),
        parts: Vec::new(),
        tokens: 7,
        exact: false,
        reason: Reason::Base,
        pinned: false,
        messages: Vec::new(),
        turns: None,
        redacted: Vec::new(),
    };
    let provider = connections.connect(&record, access).unwrap();
    let mut reply = provider.stream(ModelRequest::of("m", vec![question], "en"));
    let mut said = String::new();
    while let Some(chunk) = reply.next().await {
        match chunk {
            Ok(Chunk::Text(text)) => said.push_str(&text),
            Ok(_) => {}
            Err(error) => {
                assert!(!format!("{error} {error:?}").contains("canary"), "{error:?}");
                return Err(error.code());
            }
        }
    }
    Ok(said)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_private_authority_is_trusted_when_the_settings_name_it() {
    let authority = Authority::new();
    let model = Model::start(Some(&authority));
    let base_url = format!("https://127.0.0.1:{}/v1", model.port);
    let (connections, log) = (Connections::new(), Arc::default());
    let ask = |network: &Network| {
        let access = access(network, &log);
        ask(&connections, ProviderKind::Openai, &base_url, access)
    };

    assert_eq!(ask(&Network::default()).await, Err("provider_unreachable"));
    assert!(model.received().is_empty());
    let trusting = Network { extra_ca: authority.path(), ..Network::default() };
    connections.check_network(&trusting).unwrap();
    assert_eq!(ask(&trusting).await.as_deref(), Ok("Hello."));
    let received = model.received();
    assert_eq!(received[0].header("authorization"), Some(&*format!("Bearer {KEY}")));
    // Another authority of the same name is another one; and the settings count for the next request.
    let stranger = Authority::new();
    let other = Network { extra_ca: stranger.path(), ..Network::default() };
    assert_eq!(ask(&other).await, Err("provider_unreachable"));
    let gone = Network { extra_ca: "/nowhere/ca.pem".to_owned(), ..Network::default() };
    assert_eq!(ask(&gone).await, Err("certificates_unusable"));

    let left = log.left();
    let answers: Vec<_> = left.iter().map(|(_, answer)| answer.as_deref().unwrap()).collect();
    // What was never on its way to anybody is not written down.
    assert_eq!(answers, ["provider_unreachable", "200", "provider_unreachable"]);
    assert_eq!(left[1].0.body, received[0].body);
    assert!(left[1].0.headers.contains(&("authorization".to_owned(), "Bearer $KEY".to_owned())));
    assert!(!format!("{left:?}").contains("canary"));
}

#[tokio::test(flavor = "multi_thread")]
async fn other_computers_are_asked_through_the_proxy_and_this_one_never() {
    let authority = Authority::new();
    let far = Model::start(Some(&authority));
    let near = Model::start(None);
    let (first, second) = (Tunnel::to(far.port), Tunnel::to(far.port));
    let (connections, log) = (Connections::new(), Arc::default());
    let through = |proxy: &Tunnel| Network {
        proxy: Proxy::Address { url: format!("http://127.0.0.1:{}", proxy.port) },
        extra_ca: authority.path(),
    };
    let ask = |base_url: String, network| {
        let access = access(&network, &log);
        let connections = &connections;
        async move { ask(connections, ProviderKind::Openai, &base_url, access).await }
    };

    let away = "https://model.invalid/v1".to_owned();
    assert_eq!(ask(away.clone(), through(&first)).await.as_deref(), Ok("Hello."));
    let heard = first.heard();
    assert_eq!(heard.len(), 1);
    assert_eq!(heard[0].head[0], "CONNECT model.invalid:443 HTTP/1.1");
    assert!(!format!("{heard:?}").contains("canary"), "{heard:?}");
    let received = far.received();
    assert_eq!(received[0].header("host"), Some("model.invalid"));
    assert_eq!(received[0].header("authorization"), Some(&*format!("Bearer {KEY}")));
    assert_eq!(received[0].body, log.left()[0].0.body);

    let home = format!("http://127.0.0.1:{}/v1", near.port);
    assert_eq!(ask(home, through(&first)).await.as_deref(), Ok("Hello."));
    assert_eq!((near.received().len(), first.heard().len()), (1, 0));

    // Without a proxy there is no way: the name does not exist.
    let direct = Network { proxy: Proxy::Direct, ..through(&first) };
    assert_eq!(ask(away.clone(), direct).await, Err("provider_unreachable"));
    assert_eq!(ask(away, through(&second)).await.as_deref(), Ok("Hello."));
    assert_eq!((first.heard().len(), second.heard().len()), (0, 1));
    assert_eq!(log.left().len(), 4);
}

#[rstest]
#[case::no_address("canary", true)]
#[case::no_scheme("canary.example:3128", true)]
#[case::another_scheme("ftp://canary.example", true)]
#[case::no_host("http://", true)]
#[case::a_name("http://canary@proxy.example:3128", true)]
#[case::a_password("http://me:canary@proxy.example:3128", true)]
#[case::a_path("http://proxy.example/canary", true)]
#[case::http("http://proxy.example:3128", false)]
#[case::https(" https://proxy.example:3128/ ", false)]
#[case::socks("socks5h://127.0.0.1:1080", false)]
#[case::socks_in_ipv6("socks5://[::1]:1080", false)]
fn a_proxy_is_looked_at_before_it_is_used(#[case] url: &str, #[case] refused: bool) {
    let proxy = Proxy::Address { url: url.to_owned() };
    match Connections::new().check_network(&Network { proxy, ..Network::default() }) {
        Ok(()) => assert!(!refused),
        Err(error) => {
            assert!(refused && matches!(error, ProviderError::Proxy { .. }), "{error}");
            assert!(!format!("{error} {error:?}").contains("canary"), "{error:?}");
        }
    }
}

#[test]
fn certificates_are_looked_at_before_they_are_used() {
    let folder = tempfile::tempdir().unwrap();
    let check = |name: &str| {
        let extra_ca = folder.path().join(name).display().to_string();
        let network = Network { extra_ca: extra_ca.clone(), ..Network::default() };
        match Connections::new().check_network(&network) {
            Ok(()) => None,
            Err(ProviderError::Certificates { path, detail }) => {
                assert_eq!(path, extra_ca);
                Some(detail)
            }
            Err(other) => panic!("{other}"),
        }
    };
    let put = |name: &str, pem: String| std::fs::write(folder.path().join(name), pem).unwrap();
    let authority = Authority::new();
    let fine = std::fs::read_to_string(authority.path()).unwrap();
    put("several.pem", format!("# ours\n{fine}\n{fine}"));
    put("empty.pem", String::new());
    put("key.pem", authority.key_pem());
    put("garbage.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".to_owned());
    put("mixed.pem", format!("{fine}-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n"));
    assert_eq!(check("several.pem"), None);
    for wrong in ["missing.pem", "", "empty.pem", "key.pem", "garbage.pem", "mixed.pem"] {
        assert!(check(wrong).is_some_and(|detail| !detail.is_empty()), "{wrong}");
    }
}

/// The command that is shown, in a real shell with a real curl.
#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn the_command_that_is_shown_sends_the_same_again(
    #[values(
        ProviderKind::Openai,
        ProviderKind::Anthropic,
        ProviderKind::Gemini,
        ProviderKind::Ollama
    )]
    kind: ProviderKind,
) {
    if Command::new("curl").arg("--version").output().is_err() {
        println!("skipped: there is no curl");
        return;
    }
    let model = Model::start(None);
    let (connections, log) = (Connections::new(), Arc::<Noted>::default());
    let base_url = format!("http://127.0.0.1:{}/a{{b}}[1-3]/v1", model.port);
    // Whether this format understands the answer does not matter here.
    let _ = ask(&connections, kind, &base_url, access(&Network::default(), &log)).await;
    let ours = model.received().pop().unwrap();
    let command = egress::curl(&log.left().pop().unwrap().0);
    let run = Command::new("sh")
        .args(["-c", &command])
        .env("KEY", KEY)
        .env("no_proxy", "*")
        .output()
        .unwrap();
    assert!(run.status.success(), "{command}\n{}", String::from_utf8_lossy(&run.stderr));
    let again = model.received().pop().unwrap();
    assert_eq!(again.body, ours.body, "{command}");
    assert_eq!(again.head[0], ours.head[0]);
    let (mut ours, mut again) = (ours.head[1..].to_vec(), again.head[1..].to_vec());
    ours.sort();
    again.sort();
    assert_eq!(again, ours);
}
