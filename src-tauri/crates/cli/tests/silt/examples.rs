//! Every `silt …` example of the documents, run as it is written, with a model server on the loopback in the place of the
//! one that it names.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use siltstone_test_servers::files::executable;
use siltstone_test_servers::{acp_agent, mcp_everything_command, request};

use crate::desk::{Desk, Said, said};

/// What an example needs that a test's computer has not: the words of the line, and what it is refused with.
const LACKS: [(&str, &str); 4] = [
    ("--key-stdin < key.txt", "keyring"),
    ("secret-tool lookup", "keyring"),
    ("--local e5-small", "e5-small"),
    ("--to codex", "no folder at"),
];

/// Programs that examples add as servers; one that is installed here serves in their place.
const SERVERS: [&str; 2] =
    ["-- docs-server --stdio", "-- npx -y @modelcontextprotocol/server-filesystem ."];

#[test]
fn the_examples_of_the_documents_do_what_they_say() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let mut pages = vec![repository.join("README.md")];
    for folder in ["docs", "docs/guide/en", "docs/guide/ko"] {
        let files =
            std::fs::read_dir(repository.join(folder)).unwrap().map(|it| it.unwrap().path());
        pages.extend(files.filter(|it| it.extension().is_some_and(|it| it == "md")));
    }
    pages.sort();
    let mut run = 0;
    for page in pages {
        let text = std::fs::read_to_string(&page).unwrap();
        let blocks = blocks(&text);
        if blocks.is_empty() {
            continue;
        }
        let reader = Reader::new();
        let mut place = reader.home().join("code/aurora");
        for line in blocks.iter().flat_map(|block| lines(block)) {
            if let Some(to) = line.strip_prefix("cd ") {
                place = reader.home().join(to.trim_start_matches("~/"));
                continue;
            }
            let said = reader.run(&place, &line);
            let lack = LACKS.iter().find(|(words, _)| line.contains(words));
            let page = page.file_name().unwrap().display();
            match lack {
                Some((_, why)) => assert!(
                    said.code == Some(0) || said.err.contains(why),
                    "{page}: {line}\n{}{}",
                    said.out,
                    said.err
                ),
                None => assert_eq!(said.code, Some(0), "{page}: {line}\n{}{}", said.out, said.err),
            }
            run += 1;
        }
    }
    assert!(run > 30, "{run}");
}

/// The blocks of shell that have an example and ask nothing of another program's registry.
fn blocks(page: &str) -> Vec<String> {
    let all = page.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    all.filter(|it| it.contains("silt ") && !it.contains("pip ")).map(str::to_owned).collect()
}

/// The lines that call `silt`, or go somewhere first; what is broken by a backslash is one.
fn lines(block: &str) -> Vec<String> {
    let whole = block.replace("\\\n", " ");
    let calls = |line: &&str| line.contains("silt ") || line.starts_with("cd ");
    whole.lines().filter(calls).map(str::to_owned).collect()
}

/// A person who follows a page: a home, a project with files, a conversation, and the programs that examples name.
struct Reader {
    desk: Desk,
    model: String,
    bin: PathBuf,
}

impl Reader {
    fn new() -> Self {
        let desk = Desk::new();
        let bin = desk.project.path().join("bin");
        std::fs::create_dir_all(&bin).unwrap();
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_silt"), bin.join("silt")).unwrap();
        let script = bin.join("what it does");
        std::fs::write(&script, "say Done.").unwrap();
        let script = script.display().to_string();
        let options = ["--modes", "default,plan", "--commands", "review", "--script", &script];
        let agent = format!("exec {}", acp_agent(&options).unwrap());
        for (name, does) in [("secret-tool", "echo sk-of-a-test"), ("claude-agent-acp", &agent)] {
            let program = bin.join(name);
            std::fs::write(&program, format!("#!/bin/sh\n{does}\n")).unwrap();
            executable(&program).unwrap();
        }
        let reader = Self { desk, model: model(), bin };
        for project in ["code/aurora", "code/shop"] {
            let folder = reader.home().join(project);
            std::fs::create_dir_all(folder.join("src")).unwrap();
            std::fs::write(folder.join("AGENTS.md"), "# Rules\nBe brief.\n").unwrap();
            std::fs::write(folder.join("src/auth.rs"), "// Refresh tokens are checked here.\n")
                .unwrap();
            std::fs::write(folder.join("screen.png"), PNG).unwrap();
            std::fs::write(folder.join("key.txt"), "sk-of-a-test\n").unwrap();
            std::fs::write(folder.join("pass.txt"), "a passphrase of the test\n").unwrap();
            reader.ran(&folder, "git init -q . && git add src && echo changed >> src/auth.rs");
            reader.ran(&folder, "silt project open . --trust");
        }
        std::fs::create_dir(reader.home().join("exports")).unwrap();
        let sessions = reader.home().join(".claude/projects/-home-code-aurora");
        std::fs::create_dir_all(&sessions).unwrap();
        let session = include_str!("../../../vault/tests/it/files/claude.jsonl");
        std::fs::write(sessions.join("5e1fa0c4-7d2b-4c9e-9a57-2f4d8f0e6b11.jsonl"), session)
            .unwrap();
        let folder = reader.home().join("code/aurora");
        reader.ran(&folder, "silt chat 'Where are refresh tokens checked?'");
        let url = format!("{}/v1", reader.model);
        reader.ran(
            &folder,
            &format!("silt provider add --kind openai --name openai --base-url {url}"),
        );
        reader
    }

    fn home(&self) -> PathBuf {
        self.desk.project.path().to_path_buf()
    }

    fn ran(&self, place: &Path, line: &str) {
        let said = self.run(place, line);
        assert_eq!(said.code, Some(0), "{line}\n{}{}", said.out, said.err);
    }

    /// Runs a line as it is written, but for what stands for something of the reader's own.
    fn run(&self, place: &Path, line: &str) -> Said {
        let (node, arguments) = mcp_everything_command().unwrap();
        let server = format!("-- {node} {}", arguments.join(" "));
        let mut line = line.replace("http://127.0.0.1:11434", &self.model).replace("0192…", "ID");
        for named in SERVERS {
            line = line.replace(named, &server);
        }
        if line.split_whitespace().any(|word| word == "ID") {
            let all = self.desk.json(&["conversation", "list", "--all"]);
            let id = all["conversations"][0]["id"].as_str().unwrap().to_owned();
            line = line.replace(" ID", &format!(" {id}"));
        }
        let plain = self.desk.command(&[]);
        let path = format!("{}:{}", self.bin.display(), std::env::var("PATH").unwrap());
        let mut shell = Command::new("sh");
        shell.args(["-c", &line]).current_dir(place).stdin(std::process::Stdio::null());
        shell.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
        // No keyring of whoever runs the test is asked.
        shell
            .env("HOME", self.home())
            .env("PATH", path)
            .env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere");
        said(shell.output().unwrap())
    }
}

/// One white pixel.
const PNG: &[u8] = &[
    0x89, b'P', b'N', b'G', 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0x0D, b'I', b'H', b'D', b'R', 0, 0, 0,
    1, 0, 0, 0, 1, 8, 0, 0, 0, 0, 0x3A, 0x7E, 0x9B, 0x55, 0, 0, 0, 0x0A, b'I', b'D', b'A', b'T',
    0x78, 0x9C, 0x63, 0xF8, 0x0F, 0, 1, 1, 1, 0, 0xB1, 0x38, 0xF6, 0x14, 0, 0, 0, 0, b'I', b'E',
    b'N', b'D', 0xAE, 0x42, 0x60, 0x82,
];

/// A server that speaks as Ollama and as OpenAI do; gives its address.
fn model() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || answer(stream));
        }
    });
    address
}

fn answer(mut stream: TcpStream) {
    let asked = request::read(&mut stream);
    let body: Value = serde_json::from_slice(&asked.body).unwrap_or_default();
    let plan = json!({"title": "Move it", "steps": [{"title": "Find the port", "notes": "", "acceptance": [], "after": []}]});
    let says = match asked.body.windows(7).any(|word| word == b"\"steps\"") {
        true => plan.to_string(),
        false => "It is checked in src/auth.rs.".to_owned(),
    };
    let (kind, text) = match asked.path() {
        "/api/tags" => ("application/json", json!({"models": [{"name": "gemma3", "model": "gemma3"}]}).to_string()),
        "/api/show" => ("application/json", json!({"model_info": {"gemma3.context_length": 32_768}, "capabilities": ["completion"]}).to_string()),
        "/api/chat" => {
            let first = json!({"message": {"role": "assistant", "content": says}, "done": false});
            let last = json!({"message": {"role": "assistant", "content": ""}, "done": true, "done_reason": "stop", "prompt_eval_count": 9, "eval_count": 3});
            ("application/x-ndjson", format!("{first}\n{last}\n"))
        }
        "/v1/models" => ("application/json", json!({"object": "list", "data": [{"id": "gemma3:4b", "object": "model"}]}).to_string()),
        "/v1/embeddings" => {
            let texts = body["input"].as_array().map_or(1, Vec::len);
            let data: Vec<Value> = (0..texts).map(|at| json!({"index": at, "object": "embedding", "embedding": [0.6, 0.8]})).collect();
            ("application/json", json!({"object": "list", "data": data, "usage": {"prompt_tokens": 1, "total_tokens": 1}}).to_string())
        }
        "/v1/chat/completions" => {
            let first = json!({"choices": [{"index": 0, "delta": {"content": says}}]});
            let last = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
            ("text/event-stream", format!("data: {first}\n\ndata: {last}\n\ndata: [DONE]\n\n"))
        }
        _ => ("text/plain", String::new()),
    };
    let status = if text.is_empty() { "404 Not Found" } else { "200 OK" };
    // The other side may have gone away.
    let _ = write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{text}",
        text.len()
    );
}
