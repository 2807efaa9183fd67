//! What the person set a server up with: every change of it asks again, and what cannot be a server is refused.

use std::collections::BTreeMap;

use siltstone_contract::{Code, SetMcp, TrustMcp};
use siltstone_engine::project::Trust;
use siltstone_engine::tool::mcp::{McpNeeds, McpTransport};

use crate::mcp::{CANARY, assert_nowhere, named, program, set, trust};
use crate::world::Journey;

/// Safety T14: an approval is given for a configuration, and each of its 50 mutations asks again.
#[tokio::test]
async fn fifty_mutations_of_a_trusted_server_are_asked_about_again() {
    let journey = Journey::offline();
    let at = Some(journey.open(Trust::Trusted).await);
    let env = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    };
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let base = ("npx", words(&["-y", "server", "--root", "docs"]), env(&[("MODE", "safe")]));
    let stdio = |command: &str, args: Vec<String>, env, secrets: &[&str]| McpTransport::Stdio {
        command: command.to_owned(),
        args,
        env,
        secret_env: words(secrets),
        needs: McpNeeds::default(),
    };
    let http = |url: &str, header: &str| McpTransport::Http {
        url: url.to_owned(),
        secret_header: header.to_owned(),
    };
    let approved = stdio(base.0, base.1.clone(), base.2.clone(), &["TOKEN"]);
    let mut mutations = Vec::new();
    for command in [
        "npx ",
        "Npx",
        "npx2",
        "/tmp/npx",
        "./npx",
        "npx.cmd",
        "sh",
        "np\u{445}",
        "npx\u{200b}",
        "nрx",
    ] {
        // A blank around a command is taken away, and leaves the same one.
        let command = if command == "npx " { "npx;" } else { command };
        mutations.push(stdio(command, base.1.clone(), base.2.clone(), &["TOKEN"]));
    }
    for (place, word) in [
        (0, "-n"),
        (0, "-Y"),
        (0, ""),
        (0, "-y "),
        (1, "server2"),
        (1, "sеrver"),
        (1, "server@1"),
        (1, "evil"),
        (1, "--server"),
        (2, "--roo"),
        (2, "--Root"),
        (2, "--root="),
        (3, "/"),
        (3, ".."),
        (3, "docs/"),
        (3, "docs\n"),
        (3, "$HOME"),
    ] {
        let mut args = base.1.clone();
        word.clone_into(&mut args[place]);
        mutations.push(stdio(base.0, args, base.2.clone(), &["TOKEN"]));
    }
    for args in [
        words(&[]),
        words(&["-y"]),
        words(&["-y", "server", "--root"]),
        words(&["server", "-y", "--root", "docs"]),
        words(&["-y", "server", "docs", "--root"]),
        words(&["-y", "server", "--root", "docs", ""]),
        words(&["-y server", "--root", "docs"]),
        words(&["-y", "server", "--root docs"]),
        words(&["-y", "server", "--root", "docs", "&& rm"]),
    ] {
        mutations.push(stdio(base.0, args, base.2.clone(), &["TOKEN"]));
    }
    for env in [
        env(&[]),
        env(&[("MODE", "unsafe")]),
        env(&[("MODE", "")]),
        env(&[("MODE", "Safe")]),
        env(&[("Mode", "safe")]),
        env(&[("MODE", "safe"), ("NODE_OPTIONS", "-r ./evil.js")]),
        env(&[("MODE", "safe"), ("LD_PRELOAD", "evil.so")]),
    ] {
        mutations.push(stdio(base.0, base.1.clone(), env, &["TOKEN"]));
    }
    for secrets in [&[][..], &["TOKEN2"], &["TOKEN", "AWS_SECRET_ACCESS_KEY"]] {
        mutations.push(stdio(base.0, base.1.clone(), base.2.clone(), secrets));
    }
    for (url, header) in [
        ("https://mcp.example/a", ""),
        ("https://mcp.example/a", "Authorization"),
        ("https://mcp.example/b", ""),
        ("http://127.0.0.1:1/a", ""),
    ] {
        mutations.push(http(url, header));
    }
    assert_eq!(mutations.len(), 50);
    for (n, mutation) in mutations.into_iter().enumerate() {
        let item = set(&journey, at, "server", approved.clone()).await;
        assert!(!item.trusted, "{n}: what was changed back is not trusted from before");
        assert!(trust(&journey, &item, "").await.trusted);
        let changed = set(&journey, at, "server", mutation.clone()).await;
        assert!(!changed.trusted, "{n}: {mutation:?}");
        let stale = TrustMcp {
            server: named(at, "server"),
            fingerprint: item.fingerprint.clone(),
            instructions: String::new(),
            at: None,
        };
        let refused = journey.app.mcp_trust(stale).await.unwrap_err();
        assert_eq!(refused.code, Code::Conflict, "{n}: only what was shown can be trusted");
    }
    // Switching it off and on is no change of what runs.
    let item = set(&journey, at, "server", approved.clone()).await;
    trust(&journey, &item, "").await;
    let request = SetMcp { project_id: at, name: "server".into(), transport: approved, on: false };
    assert!(journey.app.mcp_set(request).await.unwrap().trusted);
}

#[tokio::test]
async fn what_cannot_be_a_server_is_refused() {
    let journey = Journey::offline();
    let set = |name: &str, transport: McpTransport| {
        let request = SetMcp { project_id: None, name: name.to_owned(), transport, on: true };
        let app = journey.app.clone();
        async move { app.mcp_set(request).await.map_err(|failure| failure.code) }
    };
    let fine = || program(("server".to_owned(), Vec::new()));
    for name in ["", "a b", "a__b", "a_", "../a", "서버", &"a".repeat(33)] {
        assert_eq!(set(name, fine()).await.unwrap_err(), Code::BadRequest, "{name}");
    }
    let with = |env: &[(&str, &str)], secrets: &[&str]| McpTransport::Stdio {
        command: "server".to_owned(),
        args: Vec::new(),
        env: env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        secret_env: secrets.iter().map(|name| (*name).to_owned()).collect(),
        needs: McpNeeds::default(),
    };
    for transport in [
        program((" ".to_owned(), Vec::new())),
        program(("a\0b".to_owned(), Vec::new())),
        with(&[("A=B", "x")], &[]),
        with(&[("GITHUB_TOKEN", CANARY)], &[]),
        with(&[("A", "x")], &["A"]),
        with(&[], &["1A"]),
    ] {
        assert_eq!(
            set("server", transport.clone()).await.unwrap_err(),
            Code::BadRequest,
            "{transport:?}"
        );
    }
    let http = |url: &str, header: &str| McpTransport::Http {
        url: url.to_owned(),
        secret_header: header.to_owned(),
    };
    for url in
        ["http://mcp.example/a", "http://192.168.0.2/", "file:///etc/passwd", "mcp.example", ""]
    {
        assert_eq!(
            set("server", http(url, "")).await.unwrap_err(),
            Code::ProviderInsecure,
            "{url}"
        );
    }
    for header in ["Host", "content-length", "Mcp-Session-Id", "a b", "a\r\nb"] {
        let refused = set("server", http("https://mcp.example", header)).await.unwrap_err();
        assert_eq!(refused, Code::BadRequest, "{header}");
    }
    assert!(set("server", http("HTTPS://mcp.example/a", "X-Api-Key")).await.is_ok());
    assert_nowhere(journey.data.path());
}
