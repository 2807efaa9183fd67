//! `safety.md`, T14: an answer is bound to the whole of what was shown. Whatever changes of it asks again.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::approvals::{allow, of_tool};
use crate::ids::ProjectId;
use crate::tool::approval::{Decision, Rule, Scope, Subject, decide, fingerprint, hash_of};
use crate::tool::mcp::{
    McpAgreed, McpChangeKind, McpNeeds, McpParts, McpServer, McpTool, McpTransport,
};
use crate::tool::{Effect, built_in};

type Change<T> = (&'static str, fn(&mut T));

/// A server's tool with everything that an answer is bound to.
#[derive(Clone)]
struct Shown {
    server: McpServer,
    tool: McpTool,
    arguments: Value,
}

fn stdio() -> Shown {
    let transport = McpTransport::Stdio {
        command: "npx".into(),
        args: vec!["-y".into(), "@scope/server@1.2.3".into(), "/home/me/data".into()],
        env: BTreeMap::from([("MODE".into(), "read".into()), ("HOME".into(), "/home/me".into())]),
        secret_env: vec!["TOKEN".into()],
        needs: McpNeeds::default(),
    };
    let server = McpServer {
        project_id: None,
        name: "files".into(),
        transport,
        on: true,
        trusted: String::new(),
        instructions_trusted: String::new(),
        agreed: McpAgreed::default(),
    };
    let schema = json!({
        "type": "object",
        "properties": {"path": {"type": "string", "description": "Where."}, "deep": {"type": "boolean"}},
        "required": ["path"],
    });
    let tool = McpTool {
        name: "read".into(),
        description: "Reads a file.".into(),
        schema,
        says_read_only: true,
    };
    Shown { server, tool, arguments: json!({"path": "a", "deep": false, "list": [1, 2]}) }
}

fn http() -> Shown {
    let url = "https://tools.example/mcp?team=1".into();
    let mut shown = stdio();
    shown.server.transport = McpTransport::Http { url, secret_header: "X-Key".into() };
    shown
}

fn arg(shown: &mut Shown, change: impl FnOnce(&mut Vec<String>)) {
    if let McpTransport::Stdio { args, .. } = &mut shown.server.transport {
        change(args);
    }
}

fn env(shown: &mut Shown, change: impl FnOnce(&mut BTreeMap<String, String>)) {
    if let McpTransport::Stdio { env, .. } = &mut shown.server.transport {
        change(env);
    }
}

fn command(shown: &mut Shown, to: &str) {
    if let McpTransport::Stdio { command, .. } = &mut shown.server.transport {
        *command = to.into();
    }
}

fn secrets(shown: &mut Shown, to: &[&str]) {
    if let McpTransport::Stdio { secret_env, .. } = &mut shown.server.transport {
        *secret_env = to.iter().map(|name| (*name).to_owned()).collect();
    }
}

fn needs(shown: &mut Shown, change: impl FnOnce(&mut McpNeeds)) {
    if let McpTransport::Stdio { needs, .. } = &mut shown.server.transport {
        change(needs);
    }
}

fn address(shown: &mut Shown, to: &str) {
    if let McpTransport::Http { url, .. } = &mut shown.server.transport {
        *url = to.into();
    }
}

fn header(shown: &mut Shown, to: &str) {
    if let McpTransport::Http { secret_header, .. } = &mut shown.server.transport {
        *secret_header = to.into();
    }
}

/// Of the program that is started, and of the tool.
const OF_STDIO: [Change<Shown>; 33] = [
    ("another program", |it| command(it, "uvx")),
    ("a path before the program", |it| command(it, "./npx")),
    ("a blank after it", |it| command(it, "npx ")),
    ("another case", |it| command(it, "NPX")),
    ("a letter that looks the same", |it| command(it, "n\u{0440}x")),
    ("another version", |it| arg(it, |args| args[1] = "@scope/server@1.2.4".into())),
    ("another place", |it| arg(it, |args| args[2] = "/home/me".into())),
    ("an argument more", |it| arg(it, |args| args.push("--write".into()))),
    ("an empty argument more", |it| arg(it, |args| args.push(String::new()))),
    ("an argument less", |it| arg(it, |args| _ = args.pop())),
    ("arguments in another order", |it| arg(it, |args| args.swap(0, 1))),
    ("two arguments in one", |it| {
        arg(it, |args| {
            let second = args.remove(1);
            args[0] = format!("{} {second}", args[0]);
        })
    }),
    ("no arguments", |it| arg(it, Vec::clear)),
    ("a variable more", |it| env(it, |env| _ = env.insert("NODE_OPTIONS".into(), String::new()))),
    ("a variable less", |it| env(it, |env| _ = env.remove("MODE"))),
    ("another value", |it| env(it, |env| _ = env.insert("MODE".into(), "write".into()))),
    ("another name", |it| {
        env(it, |env| {
            let value = env.remove("MODE").unwrap();
            env.insert("MODES".into(), value);
        })
    }),
    ("names that changed their values", |it| {
        env(it, |env| {
            *env = BTreeMap::from([
                ("MODE".into(), "/home/me".into()),
                ("HOME".into(), "read".into()),
            ]);
        })
    }),
    ("a secret more", |it| secrets(it, &["TOKEN", "KEY"])),
    ("another secret", |it| secrets(it, &["KEY"])),
    ("no secret", |it| secrets(it, &[])),
    ("a folder more to read", |it| needs(it, |it| it.reads.push("~/x".into()))),
    ("a folder more to change", |it| needs(it, |it| it.writes.push("~/x".into()))),
    ("the network", |it| needs(it, |it| it.network = true)),
    ("an address in place of a program", |it| it.server.transport = http().server.transport),
    ("another description", |it| it.tool.description = "Reads a file!".into()),
    ("a hidden instruction", |it| it.tool.description.push_str("\u{200B}<IMPORTANT>")),
    ("no description", |it| it.tool.description.clear()),
    ("a property more", |it| it.tool.schema["properties"]["note"] = json!({"type": "string"})),
    ("a property's description", |it| {
        it.tool.schema["properties"]["path"]["description"] = json!("Where!")
    }),
    ("a property's type", |it| it.tool.schema["properties"]["deep"]["type"] = json!("string")),
    ("what is required", |it| it.tool.schema["required"] = json!(["path", "deep"])),
    ("another tool of the server", |it| it.tool.name = "write".into()),
];

/// Of the address that is asked.
const OF_HTTP: [Change<Shown>; 8] = [
    ("another host", |it| address(it, "https://tools.example.evil/mcp?team=1")),
    ("another path", |it| address(it, "https://tools.example/mcp2?team=1")),
    ("another query", |it| address(it, "https://tools.example/mcp?team=2")),
    ("another scheme", |it| address(it, "http://tools.example/mcp?team=1")),
    ("another port", |it| address(it, "https://tools.example:8443/mcp?team=1")),
    ("a name in it", |it| address(it, "https://me@tools.example/mcp?team=1")),
    ("another header", |it| header(it, "Authorization")),
    ("no header", |it| header(it, "")),
];

/// Of the arguments that exactly were allowed.
const OF_ARGUMENTS: [Change<Shown>; 6] = [
    ("another value", |it| it.arguments["path"] = json!("b")),
    ("a value more", |it| it.arguments["all"] = json!(true)),
    ("a value less", |it| _ = it.arguments.as_object_mut().unwrap().remove("deep")),
    ("another type", |it| it.arguments["deep"] = json!("false")),
    ("another order in a list", |it| it.arguments["list"] = json!([2, 1])),
    ("a number for nothing", |it| it.arguments["list"] = json!(null)),
];

/// Of a command, byte for byte.
const COMMANDS: [&str; 12] = [
    "cargo test --all ",
    " cargo test --all",
    "cargo  test --all",
    "cargo test --al",
    "cargo test --all;",
    "cargo test --all; rm -rf ~",
    "cargo test --all\nrm -rf ~",
    "cargo test --all # safe",
    "CARGO test --all",
    "cargo test \u{2014}all",
    "c\u{0430}rgo test --all",
    "",
];

fn decided(rules: &[Rule], shown: &Shown) -> Decision {
    let spec = shown.server.spec(&shown.tool).unwrap();
    let bound = fingerprint(&spec, Some(&shown.server));
    let hash = hash_of(&[&spec.name, &bound, &shown.arguments.to_string()]);
    let subject =
        Subject { fingerprint: &bound, hash: &hash, ..of_tool(&spec.name, Effect::Runs, &[]) };
    decide(rules, &subject)
}

/// Both kinds of yes that can be remembered of a server's tool: all its calls, and these arguments.
fn yes_to(shown: &Shown) -> [Rule; 2] {
    let spec = shown.server.spec(&shown.tool).unwrap();
    let bound = fingerprint(&spec, Some(&shown.server));
    let hash = hash_of(&[&spec.name, &bound, &shown.arguments.to_string()]);
    [Scope::Tool, Scope::Exactly { hash }]
        .map(|scope| Rule { fingerprint: bound.clone(), ..allow(&spec.name, scope) })
}

#[test]
fn whatever_changes_of_what_was_allowed_asks_again() {
    let mut asked = 0;
    for (base, changes) in [(stdio(), OF_STDIO.as_slice()), (http(), OF_HTTP.as_slice())] {
        let yes = yes_to(&base);
        assert!(matches!(decided(&yes[..1], &base), Decision::Allow(Some(_))));
        assert!(matches!(decided(&yes[1..], &base), Decision::Allow(Some(_))));
        for (what, change) in changes {
            let mut changed = base.clone();
            change(&mut changed);
            assert_eq!(decided(&yes, &changed), Decision::Ask, "{what}");
            let trusted =
                McpServer { trusted: base.server.fingerprint(), ..changed.server.clone() };
            assert_eq!(
                trusted.is_trusted(),
                changed.server.transport == base.server.transport,
                "{what}"
            );
            asked += 1;
        }
        for (what, change) in &OF_ARGUMENTS {
            let mut changed = base.clone();
            change(&mut changed);
            assert_eq!(decided(&yes[1..], &changed), Decision::Ask, "{what}");
            assert!(matches!(decided(&yes, &changed), Decision::Allow(_)), "all calls are allowed");
            asked += 1;
        }
    }
    let line = "cargo test --all";
    let bound = fingerprint(&built_in("run_command").unwrap().spec, None);
    let yes = Rule {
        fingerprint: bound.clone(),
        ..allow("run_command", Scope::Command { line: line.into() })
    };
    let runs = |command| {
        let subject = of_tool("run_command", Effect::Runs, &[]);
        let subject = Subject { fingerprint: &bound, command: Some(command), ..subject };
        decide(std::slice::from_ref(&yes), &subject)
    };
    assert_eq!(runs(line), Decision::Allow(Some(yes.id)));
    for other in COMMANDS {
        assert_eq!(runs(other), Decision::Ask, "{other:?}");
        asked += 1;
    }
    assert!(asked >= 50, "{asked}");
}

/// What was agreed to is the files of it too, in the folder in which it was looked at.
#[test]
fn a_file_that_changed_is_another_server() {
    let parts = |files: &[(&str, &str)]| McpParts {
        program: "/usr/bin/node".into(),
        files: files.iter().map(|(path, hash)| ((*path).into(), (*hash).into())).collect(),
        more: false,
    };
    let was = parts(&[("/p/a.js", "1"), ("/p/b.js", "2")]);
    let mut server = stdio().server.with_parts("/p", was.clone());
    server.trusted = server.fingerprint();
    assert!(server.is_trusted() && server.agreed.changes("/p", &was).is_empty());
    let now = parts(&[("/p/a.js", "3"), ("/p/c.js", "2")]);
    let kinds = |changes: Vec<crate::tool::mcp::McpChange>| -> Vec<(String, McpChangeKind)> {
        changes.into_iter().map(|it| (it.path, it.kind)).collect()
    };
    let expected = [
        ("/p/a.js".to_owned(), McpChangeKind::Changed),
        ("/p/c.js".to_owned(), McpChangeKind::Added),
        ("/p/b.js".to_owned(), McpChangeKind::Removed),
    ];
    assert_eq!(kinds(server.agreed.changes("/p", &now)), expected);
    let other = McpParts { program: "/p/node".into(), ..was.clone() };
    let expected = [("/p/node".to_owned(), McpChangeKind::Program)];
    assert_eq!(kinds(server.agreed.changes("/p", &other)), expected);
    // In another folder it is another one, unless nothing of it can change.
    assert_eq!(server.agreed.changes("/q", &was).len(), 3);
    assert_ne!(server.with_parts("/p", now).fingerprint(), server.fingerprint());
    let fixed = stdio().server.with_parts("/p", parts(&[]));
    assert!(fixed.agreed.changes("/q", &parts(&[])).is_empty());
    assert_eq!(fixed.agreed.changes("/q", &parts(&[("/q/.npmrc", "1")])).len(), 1);
}

/// An answer of a version that knew neither files nor needs is no answer any more; what was set up is read as it was.
#[test]
fn an_older_answer_is_asked_for_again() {
    let older =
        r#"{"by":"stdio","command":"npx","args":["-y","x"],"env":{"A":"b"},"secret_env":["T"]}"#;
    let transport: McpTransport = serde_json::from_str(older).unwrap();
    let mut server = McpServer { transport, ..stdio().server };
    server.trusted = blake3::hash(older.as_bytes()).to_hex().to_string();
    assert!(!server.is_trusted());
    assert_eq!(server.needs(), Some(&McpNeeds::default()));
    let older = r#"{"by":"http","url":"https://a.example","secret_header":""}"#;
    server.transport = serde_json::from_str(older).unwrap();
    server.trusted = blake3::hash(older.as_bytes()).to_hex().to_string();
    assert!(server.is_trusted(), "of an address nothing else is known");
}

/// What is said in another order says the same; who a server belongs to and whether it is on decides nothing of what runs.
#[test]
fn what_changes_nothing_does_not_ask_again() {
    let base = stdio();
    let yes = yes_to(&base);
    let mut same = base.clone();
    same.tool.schema = json!({
        "required": ["path"],
        "properties": {"deep": {"type": "boolean"}, "path": {"description": "Where.", "type": "string"}},
        "type": "object",
    });
    same.server.on = false;
    same.server.project_id = Some(ProjectId::new(jiff::Timestamp::UNIX_EPOCH));
    same.tool.says_read_only = false;
    assert!(matches!(decided(&yes, &same), Decision::Allow(Some(_))));
}

/// Parts of a hash cannot run into each other.
#[test]
fn a_hash_knows_where_its_parts_end() {
    assert_ne!(hash_of(&["ab", "c"]), hash_of(&["a", "bc"]));
    assert_ne!(hash_of(&["a", ""]), hash_of(&["a"]));
    assert_ne!(hash_of(&[]), hash_of(&[""]));
}
