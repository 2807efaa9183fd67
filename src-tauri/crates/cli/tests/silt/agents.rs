//! Proven by the agents themselves: what each sends next holds every turn of a session that is handed over, and what they do
//! when they are asked like a model.

use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use siltstone_test_servers::until::until_now;
use siltstone_test_servers::{Server, acp_between, aimock};

use crate::desk::Desk;
use crate::serving::{Client, Life};

const CLAUDE: &str = include_str!("../../../vault/tests/it/files/claude.jsonl");
const CODEX: &str = include_str!("../../../vault/tests/it/files/codex.jsonl");
const GEMINI: &str = include_str!("../../../vault/tests/it/files/gemini.jsonl");

/// A place that hears what agents send and answers none of it.
struct Ear {
    address: String,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Ear {
    /// What it says to everything is no.
    fn open() -> Self {
        Self::answering(|_| {
            let no = r#"{"type":"error","error":{"type":"invalid_request_error","message":"no","code":400}}"#;
            ("400 Bad Request", "application/json", no.to_owned())
        })
    }

    fn answering(answer: fn(&str) -> (&'static str, &'static str, String)) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let heard: Arc<Mutex<Vec<String>>> = Arc::default();
        let all = heard.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let all = all.clone();
                std::thread::spawn(move || {
                    let mut from = BufReader::new(stream);
                    let (mut length, mut line) = (0, String::new());
                    while from.read_line(&mut line).is_ok_and(|read| read > 2) {
                        let lower = line.to_ascii_lowercase();
                        if let Some(said) = lower.strip_prefix("content-length:") {
                            length = said.trim().parse().unwrap_or(0);
                        }
                        line.clear();
                    }
                    let mut body = vec![0; length];
                    _ = from.read_exact(&mut body);
                    let heard = String::from_utf8_lossy(&body).into_owned();
                    let (status, kind, said) = answer(&heard);
                    all.lock().unwrap().push(heard);
                    let answer = format!(
                        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\n\
                         content-length: {}\r\nconnection: close\r\n\r\n{said}",
                        said.len()
                    );
                    _ = from.get_mut().write_all(answer.as_bytes());
                });
            }
        });
        Self { address, heard }
    }

    /// The longest thing that was heard: the request, and not what agents ask beside it.
    fn request(&self) -> String {
        let heard = std::mem::take(&mut *self.heard.lock().unwrap());
        heard.into_iter().max_by_key(String::len).unwrap_or_default()
    }
}

/// What an agent is told to do.
fn resumes(commands: &Path, agent: &str, id: &str, address: &str) -> Command {
    let mut command = Command::new(commands.join(agent));
    match agent {
        "claude" => command.args(["--resume", id, "-p", "And now?"]),
        "codex" => command.args(["exec", "--skip-git-repo-check", "resume", id, "And now?"]),
        _ => command.args(["--skip-trust", "--resume", id, "-p", "And now?"]),
    };
    let path = std::env::var_os("PATH").unwrap();
    command.env_clear().env("PATH", path).env("NO_BROWSER", "1").env("LOCAL_KEY", "x");
    command.env("ANTHROPIC_API_KEY", "x").env("ANTHROPIC_BASE_URL", address);
    command.env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1").env("GEMINI_API_KEY", "x");
    command.env("GOOGLE_GEMINI_BASE_URL", address);
    command
}

#[test]
#[ignore = "needs the agents: SILTSTONE_AGENTS names the folder with the commands claude, codex and gemini"]
fn the_next_request_of_an_agent_holds_every_turn_that_was_handed_over() {
    let commands = PathBuf::from(std::env::var_os("SILTSTONE_AGENTS").unwrap());
    let desk = Desk::new();
    let home = desk.data.path().canonicalize().unwrap();
    let put = |path: &str, text: &str| {
        let path = home.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let folder = home.join("shop");
    fs::create_dir_all(&folder).unwrap();
    let folder = folder.to_str().unwrap();
    let ear = Ear::open();
    put(".claude/projects/-home-kim-shop/5e1fa0c4-7d2b-4c9e-9a57-2f4d8f0e6b11.jsonl", CLAUDE);
    put(
        ".codex/sessions/2026/11/21/rollout-2026-11-21T10-00-00-019a7b3c-1111-7abc-8def-0123456789ab.jsonl",
        CODEX,
    );
    put(".gemini/tmp/web/chats/session-2026-11-22T11-00-7c9e6679.jsonl", GEMINI);
    put(".gemini/projects.json", &json!({"projects": {folder: "shop"}}).to_string());
    put(".gemini/settings.json", r#"{"security":{"auth":{"selectedType":"gemini-api-key"}}}"#);
    put(
        ".codex/config.toml",
        &format!(
            "model=\"gpt-5\"\nmodel_provider=\"local\"\n[model_providers.local]\nname=\"local\"\n\
             base_url=\"{}/v1\"\nenv_key=\"LOCAL_KEY\"\nwire_api=\"responses\"\n\
             request_max_retries=0\nstream_max_retries=0\n",
            ear.address
        ),
    );
    desk.json(&["vault", "scan", "--agree"]);
    for from in ["5e1f", "019a", "7c9e"] {
        for (to, command) in
            [("claude-code", "claude"), ("codex", "codex"), ("gemini-cli", "gemini")]
        {
            let asked =
                ["vault", "continue", from, "--to", to, "--folder", folder, "--whole", "--install"];
            let done = desk.json(&[&asked[..], &["--yes"]].concat());
            let id = done["handover"]["session_id"].as_str().unwrap();
            let mut agent = resumes(&commands, command, id, &ear.address);
            let said = agent.env("HOME", &home).current_dir(folder).stdin(Stdio::null());
            let said = said.output().unwrap();
            let request = ear.request();
            let request: Value = serde_json::from_str(&request)
                .unwrap_or_else(|error| panic!("{to}: {error}: {request} {said:?}"));
            let mut texts = Vec::new();
            gather(&request, &mut texts);
            let sent = texts.join("\n");
            let session = desk.json(&["vault", "show", from]);
            let entries = session["entries"].as_array().unwrap().iter();
            let path = entries.filter(|it| it["active"] == true && it["kind"] == "said");
            let mut turns = 0;
            for part in path.flat_map(|it| it["parts"].as_array().unwrap()) {
                if matches!(part["type"].as_str(), Some("text" | "tool_result")) {
                    let text = part["text"].as_str().unwrap();
                    assert!(sent.contains(text), "{from} to {to}: {text}\n{sent}");
                    turns += 1;
                }
            }
            assert!(turns > 3 && sent.contains("And now?"), "{from} to {to}: {sent}");
        }
    }
}

/// Every text of a request.
fn gather(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(all) => all.iter().for_each(|it| gather(it, texts)),
        Value::Object(all) => all.values().for_each(|it| gather(it, texts)),
        _ => {}
    }
}

/// What a model of Codex says to a question: it calls the tool of Siltstone's that is asked for, by the names of the server
/// and of the tool, and is content with what came.
fn namespaced(asked: &str) -> (&'static str, &'static str, String) {
    let call = |name: &str, arguments: Value| {
        json!({"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": name,
            "namespace": "mcp__siltstone", "arguments": arguments.to_string()})
    };
    let text = json!([{"type": "output_text", "text": "That is all."}]);
    let item = match asked {
        _ if asked.contains("function_call_output") => {
            json!({"type": "message", "id": "m", "role": "assistant", "content": text})
        }
        _ if asked.contains("WHERE") => call("recall", json!({"query": "heron"})),
        _ => call("rules", json!({"path": "docs/deep.md"})),
    };
    let usage = json!({"input_tokens": 1, "output_tokens": 1, "total_tokens": 2});
    let events = [
        json!({"type": "response.created", "response": {"id": "r"}}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
        json!({"type": "response.completed", "response": {"id": "r", "usage": usage}}),
    ];
    let line = |it: &Value| format!("event: {}\ndata: {it}\n\n", it["type"].as_str().unwrap());
    ("200 OK", "text/event-stream", events.iter().map(line).collect())
}

/// The four agents, an empty home, and a server on this computer that answers them as `fixtures` says.
struct AtWork {
    desk: Desk,
    server: Server,
    path: OsString,
}

/// An agent, the model that it is asked for, and what its commands are called.
const AT_WORK: [(&str, &str, &str); 4] = [
    ("Claude Code", "default", "edit"),
    ("Codex", "default", "run"),
    ("Gemini CLI", "gemini-2.5-pro", "edit"),
    ("opencode", "default", "edit"),
];

impl AtWork {
    /// `codex` is another server for that one.
    fn with(codex: Option<&Ear>, fixtures: impl FnOnce(&Path) -> Vec<Value>) -> Self {
        let commands = PathBuf::from(std::env::var_os("SILTSTONE_AGENTS").unwrap());
        let path = std::env::join_paths([
            &commands,
            Path::new("/usr/local/bin"),
            Path::new("/usr/bin"),
            Path::new("/bin"),
        ]);
        let (desk, path) = (Desk::trusted(), path.unwrap());
        let server = aimock().unwrap();
        let mut fixtures = fixtures(&desk.project.path().canonicalize().unwrap());
        fixtures.push(json!({"match": {}, "response": {"content": "That is all."}}));
        server.post("/__aimock/fixtures", &json!({"fixtures": fixtures}).to_string()).unwrap();
        let home = desk.data.path().canonicalize().unwrap();
        let put = |path: &str, text: &str| {
            let path = home.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let base_url = server.base_url();
        put(".gemini/settings.json", r#"{"security":{"auth":{"selectedType":"gemini-api-key"}}}"#);
        let of_codex = codex.map_or(base_url.clone(), |ear| format!("{}/v1", ear.address));
        put(
            ".codex/config.toml",
            &format!(
                "model=\"gpt-5\"\nmodel_provider=\"local\"\n[model_providers.local]\nname=\"local\"\n\
                 base_url=\"{of_codex}\"\nenv_key=\"LOCAL_KEY\"\nwire_api=\"responses\"\n\
                 request_max_retries=0\nstream_max_retries=0\n"
            ),
        );
        let model = json!({"npm": "@ai-sdk/openai-compatible", "name": "local", "models": {"gpt-4o": {"name": "gpt-4o"}},
            "options": {"baseURL": base_url, "apiKey": "x"}});
        let free = json!({"mode": "primary", "description": "asks nothing", "permission": {"edit": "allow"}});
        let opencode = json!({"model": "local/gpt-4o", "provider": {"local": model}, "permission": {"edit": "ask"},
            "agent": {"free": free}});
        put("config/opencode/opencode.json", &opencode.to_string());
        Self { desk, server, path }
    }

    /// Whether it did what it was told, and what it said of that.
    fn silt(&self, args: &[&str]) -> (bool, String) {
        let address = self.server.address();
        let mut command = self.desk.command(args);
        command.env("PATH", &self.path).env("NO_BROWSER", "1").env("LOCAL_KEY", "x");
        command.env("ANTHROPIC_API_KEY", "x").env("ANTHROPIC_BASE_URL", address);
        command.env("GEMINI_API_KEY", "x").env("GOOGLE_GEMINI_BASE_URL", address);
        command.env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
        // Claude Code shows its model the tools of servers when that looks for them, and Gemini CLI starts servers in
        // folders that it trusts.
        command.env("ENABLE_TOOL_SEARCH", "false");
        command.env("GEMINI_CLI_TRUST_WORKSPACE", "true");
        let ran = command.output().unwrap();
        (ran.status.success(), String::from_utf8_lossy(&ran.stderr).into_owned())
    }

    /// What models were asked since so many requests.
    fn asked(&self, since: usize) -> String {
        let asked = self.server.questions().unwrap().split_off(since);
        asked.into_iter().map(|it| String::from_utf8_lossy(&it.body).into_owned()).collect()
    }
}

/// A call of a tool that the agent offers its model, once for a question with this word.
fn calls(word: &str, tool: &str, arguments: &Value) -> Value {
    json!({
        "match": {"userMessage": word, "toolName": tool, "hasToolResult": false},
        "response": {"toolCalls": [{"name": tool, "arguments": arguments.to_string()}]},
    })
}

/// What a model calls so that a file is written, by the names that the four give to that.
fn writing(project: &Path) -> Vec<Value> {
    let ask = json!({"sandbox_permissions": "require_escalated", "justification": "asked"});
    by_the_way(project, &ask)
}

/// The same; what Codex says with it decides whether it asks.
fn by_the_way(project: &Path, of_codex: &Value) -> Vec<Value> {
    let file = project.join("made.txt").display().to_string();
    let call = |tool: &str, arguments: Value| calls("PLEASE", tool, &arguments);
    let mut command = of_codex.clone();
    command["cmd"] = json!("printf made > made.txt");
    vec![
        call("Write", json!({"file_path": file, "content": "made"})),
        call("write_file", json!({"file_path": file, "content": "made"})),
        call("write", json!({"filePath": file, "content": "made"})),
        call("exec_command", command),
    ]
}

/// Each is asked with the request, asks before it writes, and does what it may.
#[test]
#[ignore = "needs the agents: SILTSTONE_AGENTS names the folder with claude-agent-acp, codex-acp, gemini and opencode"]
fn agents_at_work_are_asked_with_the_request_and_ask_before_they_write() {
    let work = AtWork::with(None, writing);
    let made = work.desk.project.path().join("made.txt");
    work.desk.json(&["memory", "add", "Never", "touch", "the", "ledger."]);
    // What only waits in the inbox reaches none of them.
    let mut other = Client::start(&work.desk, work.desk.project.path(), Life::Handshake);
    let line = json!({"text": "Paint the ledger red.", "why": "said", "scope": "project"});
    assert!(other.call("propose", line).contains("waits for the user"));
    for (agent, model, act) in AT_WORK {
        let (added, said) = work.silt(&["agent", "add", agent]);
        assert!(added, "{agent}: {said}");
        let ask = ["chat", "--provider", agent, "--model", model];
        let before = work.server.questions().unwrap().len();
        let (_, said) = work.silt(&[&ask[..], &["PLEASE make it."]].concat());
        assert!(said.contains("refused") && !made.exists(), "{agent}: {said}");
        let asked = work.asked(before);
        for rule in ["Always answer in full sentences.", "Never touch the ledger."] {
            assert!(asked.contains(rule), "{agent}: {rule}");
        }
        assert!(!asked.contains("Paint the ledger"), "{agent}");
        let allow = format!("{agent}: {act}");
        let (_, said) = work.silt(&[&ask[..], &["--allow", &allow, "PLEASE make it."]].concat());
        assert!(fs::read_to_string(&made).is_ok_and(|it| it == "made"), "{agent}: {said}");
        fs::remove_file(&made).unwrap();
    }
}

/// Each looks up what was said elsewhere in the project, and which rules hold, in Siltstone's own server, which no file of
/// its names: the answers stand in its next request.
#[test]
#[ignore = "needs the agents: SILTSTONE_AGENTS names the folder with claude-agent-acp, codex-acp, gemini and opencode"]
fn agents_at_work_look_up_what_was_said_and_what_holds() {
    let codex = Ear::answering(namespaced);
    let work = AtWork::with(Some(&codex), |_| {
        let (query, path) = (json!({"query": "heron"}), json!({"path": "docs/deep.md"}));
        let of = |word: &str, tool: &str, arguments: &Value| {
            let named = ["mcp__siltstone__", "mcp_siltstone_", "siltstone_"];
            named.map(|named| calls(word, &format!("{named}{tool}"), arguments))
        };
        [of("WHERE", "recall", &query), of("WHICH", "rules", &path)].concat()
    });
    work.desk.file("docs/AGENTS.md", "Every page here has a date.\n");
    assert_eq!(work.desk.silt(&["memory", "agree", "--yes"]).code, Some(0));
    work.desk.chat(&["The bird nests beside the old mill; heron, that is."]);
    work.desk.json(&["recall", "others", "allow"]);
    for (agent, model, _) in AT_WORK {
        let (added, said) = work.silt(&["agent", "add", agent]);
        assert!(added, "{agent}: {said}");
        for (question, answer) in
            [("WHERE is it?", "beside the old mill"), ("WHICH rules hold?", "has a date")]
        {
            let before = work.server.questions().unwrap().len();
            let allow = format!("{agent}: tool");
            let ask = ["chat", "--provider", agent, "--model", model, "--allow", &allow, question];
            let (_, said) = work.silt(&ask);
            let asked = work.asked(before) + &codex.request();
            assert!(asked.contains(answer), "{agent}: {question}: {said}");
        }
    }
}

/// Each in a mode of its own in which it writes without asking: that is shown, and goes when it is taken back. Each waits for a
/// model that does not answer, is stopped from elsewhere, and is asked again.
#[test]
#[ignore = "needs the agents: SILTSTONE_AGENTS names the folder with claude-agent-acp, codex-acp, gemini and opencode"]
fn agents_at_work_that_do_not_ask_are_taken_back_and_stopped() {
    let work = AtWork::with(None, |project| {
        let slow = json!({"match": {"userMessage": "WAIT"}, "latency": 10_000, "response": {"content": "Late."}});
        [by_the_way(project, &json!({})), vec![slow]].concat()
    });
    let made = work.desk.project.path().join("made.txt");
    let modes = ["acceptEdits", "agent-full-access", "autoEdit", "free"];
    for ((agent, model, _), mode) in AT_WORK.into_iter().zip(modes) {
        assert!(work.silt(&["agent", "add", agent]).0, "{agent}");
        let run = ["agent", "run", agent, "--model", model];
        let (_, said) = work.silt(&[&run[..], &["--mode", mode, "PLEASE make it."]].concat());
        assert!(fs::read_to_string(&made).is_ok_and(|it| it == "made"), "{agent}: {said}");
        let changed = work.desk.json(&["conversation", "changes"])["files"].take();
        assert_eq!(changed[0]["path"], "made.txt", "{agent}");
        assert_eq!(changed[0]["by_tool"], false, "{agent}");
        work.desk.json(&["conversation", "undo", "last"]);
        assert!(!made.exists(), "{agent}");

        let before = work.server.questions().unwrap().len();
        let (ended, waited) = std::thread::scope(|scope| {
            let waiting = scope.spawn(|| work.silt(&[&run[..], &["WAIT for me."]].concat()));
            until_now("the model to be asked", || work.asked(before).contains("WAIT for me."));
            let newest =
                work.desk.json(&["conversation", "list"])["conversations"][0]["id"].clone();
            let id = newest.as_str().unwrap().to_owned();
            work.desk.json(&["agent", "stop", &id]);
            (id, waiting.join().unwrap())
        });
        assert!(!waited.0, "{agent}: {}", waited.1);
        let again = ["chat", "--conversation", &ended, "--provider", agent, "And now?"];
        let before = work.server.questions().unwrap().len();
        let (done, said) = work.silt(&again);
        assert!(done && work.asked(before).contains("WAIT for me."), "{agent}: {said}");
    }
}

/// Each is killed, and Siltstone is, before every message that it says: the conversation is whole each time, and whoever is
/// asked next reads what was said.
#[test]
#[ignore = "needs the agents: SILTSTONE_AGENTS names the folder with claude-agent-acp, codex-acp, gemini and opencode"]
fn agents_at_work_that_are_killed_at_any_message_leave_the_conversation_whole() {
    let work = AtWork::with(None, writing);
    let made = work.desk.project.path().join("made.txt");
    let starts = ["claude-agent-acp", "codex-acp", "gemini --experimental-acp", "opencode acp"];
    for ((agent, model, act), starts) in AT_WORK.into_iter().zip(starts) {
        assert!(work.silt(&["agent", "add", agent]).0, "{agent}");
        for kind in ["--dies", "--kills"] {
            let mut cuts = 0;
            for at in 1.. {
                let number = at.to_string();
                let words: Vec<&str> =
                    [kind, &number].into_iter().chain(starts.split(' ')).collect();
                let cut = acp_between(&words).unwrap();
                assert!(work.silt(&["agent", "add", "cut", &cut]).0);
                let allow = format!("cut: {act}");
                let ask = [
                    "chat",
                    "--provider",
                    "cut",
                    "--model",
                    model,
                    "--allow",
                    &allow,
                    "PLEASE make it.",
                ];
                let (done, said) = work.silt(&ask);
                let newest =
                    work.desk.json(&["conversation", "list"])["conversations"][0]["id"].clone();
                let id = newest.as_str().unwrap();
                let shown = work.desk.json(&["conversation", "show", id]);
                let messages = shown["messages"].as_array().unwrap();
                assert_eq!(shown["conversation"]["open_turn"], Value::Null, "{agent} {kind} {at}");
                assert!(messages[0].to_string().contains("PLEASE make it."), "{agent} {kind} {at}");
                let whole = shown.to_string();
                if done && whole.contains("That is all.") {
                    break;
                }
                cuts += 1;
                assert!(cuts < 60, "{agent} {kind}: {said}");
                let _ = fs::remove_file(&made);
                let before = work.server.questions().unwrap().len();
                let again = [
                    "chat",
                    "--conversation",
                    id,
                    "--provider",
                    agent,
                    "--model",
                    model,
                    "And now?",
                ];
                let (done, said) = work.silt(&again);
                let asked = work.asked(before);
                assert!(done && asked.contains("PLEASE make it."), "{agent} {kind} {at}: {said}");
            }
            let _ = fs::remove_file(&made);
            eprintln!("{agent} {kind}: {cuts} cuts");
            assert!(cuts > 4, "{agent} {kind}: {cuts}");
        }
    }
}
