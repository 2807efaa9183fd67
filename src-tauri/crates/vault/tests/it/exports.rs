//! Exports of ChatGPT and Claude: found where a person put them, told conversation by conversation, and understood. What
//! is counted of them is counted a second time here, from the JSON alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{Cursor, Read, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};

use rstest::rstest;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use siltstone_engine::message::Role;
use siltstone_engine::ports::FolderError;
use siltstone_engine::vault::{
    AgentHome, EntryKind, FileRole, Listing, Place, SessionFacts, dropped,
};
use tempfile::TempDir;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::*;

const CHATGPT: &str = include_str!("files/exports/chatgpt.json");
const CLAUDE_WEB: &str = include_str!("files/exports/claude.json");

/// The conversations of an export.
fn talks(export: &str) -> Vec<String> {
    let all: Vec<Box<RawValue>> = serde_json::from_str(export).unwrap();
    all.into_iter().map(|talk| talk.get().to_owned()).collect()
}

fn values(export: &str) -> Vec<Value> {
    serde_json::from_str(export).unwrap()
}

/// A folder in which a person keeps exports.
struct Home {
    folder: TempDir,
    agents: Agents,
}

impl Home {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), agents: Agents::below("/nowhere".as_ref()) }
    }

    fn put(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn at(&self, agent: Agent) -> AgentHome {
        let [home] = &self.agents.homes_at(self.folder.path(), Some(agent))[..] else {
            panic!("one home")
        };
        home.clone()
    }

    fn list(&self, agent: Agent) -> Listing {
        self.agents.files(&Place::all_of(self.at(agent)), &mut |_| true).unwrap()
    }

    fn names(&self, agent: Agent) -> BTreeSet<String> {
        self.list(agent).files.into_iter().map(|file| file.path).collect()
    }

    /// The bytes of all conversations, by their paths.
    fn bytes(&self, agent: Agent) -> BTreeMap<String, String> {
        let home = self.at(agent);
        let read = |file: siltstone_engine::vault::SeenFile| {
            let (mut source, stamp) = self.agents.open(&home, &file.path).unwrap();
            assert_eq!(stamp, file.stamp, "{}", file.path);
            let mut text = String::new();
            source.read_to_string(&mut text).unwrap();
            assert_eq!(text.len() as u64, stamp.bytes, "{}", file.path);
            (file.path, text)
        };
        self.list(agent).files.into_iter().map(read).collect()
    }
}

fn zipped(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn facts(agent: Agent, export: &str) -> Vec<SessionFacts> {
    let read = |text: &String| {
        let session = read(agent, "file.json", text);
        assert!(session.path().len() <= session.entries.len());
        session.facts(agent)
    };
    talks(export).iter().map(read).collect()
}

#[test]
fn of_chatgpt_each_node_that_says_something_is_read() {
    let nodes = |talk: &Value| -> Vec<Value> {
        talk["mapping"].as_object().unwrap().values().cloned().collect()
    };
    let session = |at: usize| read(Agent::ChatGpt, "file.json", &talks(CHATGPT)[at]);
    for (talk, facts) in values(CHATGPT).iter().zip(facts(Agent::ChatGpt, CHATGPT)) {
        let nodes = nodes(talk);
        let said = |role: &str| {
            let of = |node: &&Value| {
                node["message"]["author"]["role"] == role
                    && node["message"]["metadata"]["is_user_system_message"] != true
            };
            nodes.iter().filter(of).count() as u64
        };
        let calls = |node: &&Value| {
            node["message"]["author"]["role"] == "assistant"
                && node["message"]["recipient"] != "all"
        };
        assert_eq!(facts.turns, said("user"));
        assert_eq!(facts.calls, nodes.iter().filter(calls).count() as u64);
        let ends = |node: &&Value| node["children"] == json!([]);
        assert_eq!(facts.branches, nodes.iter().filter(ends).count() as u64);
        let models: BTreeSet<&str> = nodes
            .iter()
            .filter_map(|node| node["message"]["metadata"]["model_slug"].as_str())
            .collect();
        assert_eq!(facts.models.iter().map(String::as_str).collect::<BTreeSet<_>>(), models);
        let times: Vec<f64> =
            nodes.iter().filter_map(|node| node["message"]["create_time"].as_f64()).collect();
        let ends = [facts.started_at, facts.ended_at].map(|at| at.unwrap().as_millisecond());
        assert_eq!(ends[0], (times.iter().copied().fold(f64::MAX, f64::min) * 1e3) as i64);
        assert_eq!(ends[1], (times.iter().copied().fold(0.0, f64::max) * 1e3) as i64);
        assert_eq!(facts.id, talk["conversation_id"].as_str().unwrap());
        assert_eq!(facts.unreadable, 0);
    }

    let first = session(0);
    assert_eq!(first.title, "재시도 간격 계산");
    let unknown = [("content hologram".to_owned(), 1)];
    assert_eq!(first.unknown, BTreeMap::from(unknown));
    assert_eq!(first.beside["file"], 2);
    assert_eq!(
        told(&first),
        [
            "Kim runs a small shop.\n\nAnswer briefly.",
            "[retry-graph.png]\n\n이 그래프의 재시도 간격을 계산해 주세요. Never wait longer than 30 seconds.\n\n[queue.csv]",
            "~Reading the graph\n\nThe delay doubles each time.",
            "→c1 python",
            "←c1 [1, 2, 4, 8, 16, 30]",
            "~Thought for 4s",
            "간격은 1, 2, 4, 8, 16, 30초입니다.",
            "Search for exponential backoff.",
            "→s2 web.search",
            "←s2 1 result\n\nBackoff and jitter",
            "←s2 Backoff\n\nhttps://backoff.example/\n\nAdd jitter.",
            "A cube of delays.",
            "Add jitter, so that not all retry at once.",
        ]
    );
    assert_eq!(first.entries[0].kind, EntryKind::Context, "what the person told of themselves");
    let arguments = |session: &Session| -> Vec<Value> {
        let parts = session.entries.iter().flat_map(|entry| &entry.parts);
        let called = parts.filter_map(|part| match part {
            Part::ToolCall { arguments, .. } => serde_json::from_str(arguments).ok(),
            _ => None,
        });
        called.collect()
    };
    let code = json!({"input": "print([min(2**n, 30) for n in range(6)])"});
    assert_eq!(arguments(&first), [code, json!({"query": "exponential backoff"})]);
    let ends: Vec<String> =
        first.leaves().iter().map(|at| words(&first.entries[*at].parts)).collect();
    assert_eq!(
        ends,
        [
            "그래프를 볼 수 없습니다.",
            "I would put it in config/limits.toml.",
            "Add jitter, so that not all retry at once.",
        ]
    );
    let second = session(1);
    assert_eq!(second.title, "Which port does a preview server use?");
    assert_eq!(
        told(&second)[3..],
        [
            "→f canmore.create_textdoc",
            "←f ToolError\n\nThe document could not be saved. (failed)",
            "```toml\nport = 4173\n```"
        ]
    );
}

#[test]
fn of_claude_each_message_is_as_many_entries_as_the_model_was_asked() {
    for (talk, facts) in values(CLAUDE_WEB).iter().zip(facts(Agent::ClaudeWeb, CLAUDE_WEB)) {
        let messages = talk["chat_messages"].as_array().unwrap();
        let people = messages.iter().filter(|message| message["sender"] == "human");
        assert_eq!(facts.turns, people.count() as u64);
        let blocks = messages.iter().filter_map(|message| message["content"].as_array()).flatten();
        let calls = blocks.filter(|block| block["type"] == "tool_use");
        assert_eq!(facts.calls, calls.count() as u64);
        let parents: Vec<&Value> =
            messages.iter().map(|message| &message["parent_message_uuid"]).collect();
        let ends = messages.iter().filter(|message| !parents.contains(&&message["uuid"])).count();
        let has_parents = parents.iter().any(|parent| parent.is_string());
        assert_eq!(facts.branches, if has_parents { ends as u64 } else { 1 });
        assert_eq!(facts.id, talk["uuid"].as_str().unwrap());
        assert_eq!(facts.unreadable, 0);
        let last = messages.iter().filter_map(|message| message["created_at"].as_str()).max();
        assert_eq!(facts.ended_at, last.unwrap().parse().ok());
    }
    let session = read(Agent::ClaudeWeb, "file.json", &talks(CLAUDE_WEB)[0]);
    assert_eq!(session.title, "영수증 합계");
    assert_eq!(session.facts(Agent::ClaudeWeb).models, ["claude-sonnet-4-5"]);
    assert_eq!(session.unknown, BTreeMap::from([("block hologram".to_owned(), 1)]));
    assert_eq!((session.beside["file"], session.beside["token_budget"]), (2, 1));
    assert_eq!(
        told(&session),
        [
            "이 영수증의 합계를 구해 주세요. Keep the file receipts/2026.csv as it is. | \
             [2026.csv]\nrice,12\ntea,30\n | [receipt.jpg]",
            "~Add the second column. | 계산해 보겠습니다. | →toolu_01 repl",
            "←toolu_01 42",
            "→11111111-aaaa-4aaa-8aaa-000000000002-2 web_search",
            "←11111111-aaaa-4aaa-8aaa-000000000002-2 Tea\nhttps://tea.example/\n30 won (failed)",
            "합계는 42입니다.",
            "And in dollars?",
            "About 0.03 dollars.",
            "Thanks.",
        ]
    );
    let other = session.path_to(session.leaves()[0]);
    let other: Vec<String> = other.iter().map(|at| words(&session.entries[*at].parts)).collect();
    assert_eq!(other[5..], ["합계는 42입니다.", "And in euros?", "I do not know the rate."]);
    let roles: Vec<Role> = session.path().iter().map(|at| session.entries[*at].role).collect();
    assert_eq!(roles[1..4], [Role::Assistant, Role::Tool, Role::Assistant]);
    let old = read(Agent::ClaudeWeb, "file.json", &talks(CLAUDE_WEB)[1]);
    assert_eq!(told(&old), ["오래된 형식인가요?", "Yes, an old form."]);
    assert_eq!(old.title, "오래된 형식인가요?");
}

/// Wherever exports lie, each conversation of the service is told as the export has it, byte for byte.
#[rstest]
#[case::zips("zips")]
#[case::unpacked("unpacked")]
#[case::pieces("pieces")]
fn conversations_are_told_byte_for_byte(#[case] how: &str) {
    let home = Home::new();
    let pieces: Vec<String> = talks(CHATGPT).iter().map(|talk| format!(" [ {talk}\n]\n")).collect();
    match how {
        "zips" => {
            let beside: [(&str, &[u8]); 2] = [("users.json", b"[]"), ("chat.html", b"<p>")];
            let of = |text: &'static str| {
                [[("conversations.json", text.as_bytes())].as_slice(), &beside].concat()
            };
            home.put("chatgpt-2026.ZIP", zipped(&of(CHATGPT)));
            home.put("data-2026-batch-0000.zip", zipped(&of(CLAUDE_WEB)));
            home.put("photos.zip", zipped(&[("a.jpg", b"jpg")]));
        }
        "unpacked" => {
            home.put("chatgpt/conversations.json", CHATGPT);
            home.put("claude/conversations.json", format!("\u{FEFF}{CLAUDE_WEB}"));
            home.put("claude/projects.json", "[{\"mapping\":{}}]");
            home.put("other/conversations.json", "[{\"name\":\"somebody else's\"},3]");
            home.put("deep/er/conversations.json", CHATGPT);
        }
        _ => {
            home.put("conversations-000.json", &pieces[0]);
            home.put("conversations-001.json", &pieces[1]);
            home.put("claude.zip", zipped(&[("x/conversations.json", CLAUDE_WEB.as_bytes())]));
            home.put("conversations.txt", CLAUDE_WEB);
        }
    }
    for (agent, export, key) in
        [(Agent::ChatGpt, CHATGPT, "conversation_id"), (Agent::ClaudeWeb, CLAUDE_WEB, "uuid")]
    {
        let own = talks(export).into_iter().map(|text| {
            let id =
                serde_json::from_str::<Value>(&text).unwrap()[key].as_str().unwrap().to_owned();
            (format!("{id}.json"), text)
        });
        assert_eq!(home.bytes(agent), own.collect(), "{agent:?}");
        let listing = home.list(agent);
        assert_eq!((listing.skipped, listing.hides), (Vec::new(), false));
        let path = &listing.files[0].path;
        assert_eq!(home.agents.role(agent, path), (FileRole::Session, None));
    }
    let days: Vec<String> =
        home.list(Agent::ChatGpt).files.iter().map(|it| it.stamp.modified.to_string()).collect();
    assert!(days.contains(&"2026-11-27T15:50:00.5Z".to_owned()), "{days:?}");
    assert!(home.agents.open(&home.at(Agent::ChatGpt), "../../etc/passwd").is_err());
}

#[test]
fn a_place_that_a_person_names_is_a_home_and_no_other_is_found() {
    let home = Home::new();
    home.put("conversations.json", CHATGPT);
    let agents = Agents::below(home.folder.path());
    assert_eq!(agents.homes(), []);
    let both = agents.homes_at(home.folder.path(), None);
    let of: Vec<Agent> = both.iter().map(|home| home.agent).collect();
    assert_eq!(of, [Agent::ChatGpt, Agent::ClaudeWeb, Agent::Siltstone]);
    assert_eq!(agents.homes_at(&home.folder.path().join("none"), None), []);
    let path = home.folder.path().join("conversations.json");
    let of_both: Vec<Place> = both.iter().cloned().map(Place::all_of).collect();
    assert_eq!(agents.places(&both, &path), of_both, "what is written there may be of either");
    assert_eq!(agents.homes_at(home.folder.path(), Some(Agent::Codex))[0].agent, Agent::Codex);
    // The export itself may be named.
    let [file, ..] = &agents.homes_at(&home.folder.path().join("conversations.json"), None)[..]
    else {
        panic!("a home of each")
    };
    let all = Place::all_of(file.clone());
    let listing = agents.files(&all, &mut |_| true).unwrap();
    assert_eq!(listing.files.len(), 2);
    assert!(agents.open(file, &listing.files[1].path).is_ok());
    assert_eq!(agents.files(&all, &mut |_| false), Err(FolderError::Cancelled));
}

fn chat(id: &str, at: u64, text: &str) -> Value {
    json!({"id": id, "title": text, "update_time": at, "mapping": {
        "a": {"id": "a", "parent": null, "children": [], "message": {
            "author": {"role": "user"}, "create_time": at, "recipient": "all", "metadata": {},
            "content": {"content_type": "text", "parts": [text]}}}}})
}

fn list(talks: &[Value]) -> String {
    Value::from(talks.to_vec()).to_string()
}

#[test]
fn of_several_exports_the_one_in_which_something_was_said_last_holds() {
    let home = Home::new();
    let titles = || -> BTreeMap<String, String> {
        let title =
            |(path, text): (String, String)| (path, read(Agent::ChatGpt, "x.json", text).title);
        home.bytes(Agent::ChatGpt).into_iter().map(title).collect()
    };
    let now = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
        pairs.iter().map(|(id, title)| (format!("{id}.json"), (*title).to_owned())).collect()
    };
    let (old, new) = (chat("one", 100, "before"), chat("one", 200, "after"));
    home.put(
        "b-old.zip",
        zipped(&[("conversations.json", list(&[old, chat("two", 100, "two")]).as_bytes())]),
    );
    assert_eq!(titles(), now(&[("one", "before"), ("two", "two")]));
    let newer = list(&[chat("three", 150, "three"), new]);
    home.put("a-new.zip", zipped(&[("conversations.json", newer.as_bytes())]));
    assert_eq!(titles(), now(&[("one", "after"), ("two", "two"), ("three", "three")]));
    // An old zip may be thrown away; what only it had is gone then, and nothing else.
    fs::remove_file(home.folder.path().join("b-old.zip")).unwrap();
    assert_eq!(titles(), now(&[("one", "after"), ("three", "three")]));
    assert!(!home.list(Agent::ChatGpt).hides);
    home.put("a-new.zip", b"PK\x03\x04 and no more");
    let listing = home.list(Agent::ChatGpt);
    assert_eq!(listing.skipped, ["a-new.zip"]);
    assert!(listing.files.is_empty() && listing.hides, "nothing is known to be gone");
}

#[test]
fn an_export_is_read_again_once_it_is_another_file() {
    let home = Home::new();
    let path = home.folder.path().join("conversations.json");
    let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    let put = |text: &str, seconds| {
        home.put("conversations.json", list(&[chat("one", 100, text)]));
        let file = fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(at(seconds)).unwrap();
    };
    let stamps = || -> Vec<u64> {
        home.list(Agent::ChatGpt).files.iter().map(|file| file.stamp.bytes).collect()
    };
    put("1", 1_000);
    let before = stamps();
    let length = fs::metadata(&path).unwrap().len() as usize;
    // Nobody reads a file of the same size and time once more.
    fs::write(&path, " ".repeat(length)).unwrap();
    fs::File::options().write(true).open(&path).unwrap().set_modified(at(1_000)).unwrap();
    assert_eq!(stamps(), before);
    put("12345", 2_000);
    assert_eq!(stamps(), [before[0] + 8]);
}

#[test]
fn more_than_is_read_at_once_is_read_piece_by_piece() {
    let home = Home::new();
    let talks: Vec<Value> =
        (0..9).map(|at| chat(&format!("c{at}"), at, &"x".repeat(20 << 10))).collect();
    home.put("big.zip", zipped(&[("conversations.json", list(&talks).as_bytes())]));
    assert_eq!(home.bytes(Agent::ChatGpt).len(), 9);
}

#[test]
fn hostile_exports_are_named_and_cost_no_other() {
    let home = Home::new();
    home.put(
        "good.zip",
        zipped(&[("conversations.json", list(&[chat("good", 1, "g")]).as_bytes())]),
    );
    let text = list(&[chat("first", 1, "f"), chat("second", 2, "s")]);
    home.put("cut.zip", zipped(&[("conversations.json", &text.as_bytes()[..text.len() - 9])]));
    let names = [json!("../../../etc/passwd"), json!("a/b"), json!(""), json!(7), json!([[]])];
    let strange: Vec<Value> = names
        .iter()
        .map(|id| json!({"id": id, "mapping": {}}))
        .chain([json!(null), json!("x"), json!([])])
        .collect();
    home.put("strange.zip", zipped(&[("../../conversations.json", list(&strange).as_bytes())]));
    let mut locked = zipped(&[("conversations.json", list(&[chat("locked", 1, "l")]).as_bytes())]);
    let marks = [(b"PK\x03\x04".as_slice(), 6), (b"PK\x01\x02", 8)];
    for (mark, flags) in marks {
        let at = locked.windows(4).position(|it| it == mark).unwrap();
        locked[at + flags] |= 1;
    }
    home.put("locked.zip", locked);
    let inner = zipped(&[("conversations.json", b"[]")]);
    home.put("nested.zip", zipped(&[("conversations.zip", &inner)]));
    home.put("half.zip", &inner[..inner.len() / 2]);
    home.put("none.zip", b"no zip at all");
    home.put("wrong/conversations.json", "{\"mapping\":{}}");
    home.put("deep/conversations.json", format!("[{{\"mapping\":{}", "[".repeat(200_000)));
    fs::create_dir(home.folder.path().join("folder.zip")).unwrap();
    #[cfg(unix)]
    {
        let link = |to: &str, at: &str| {
            std::os::unix::fs::symlink(home.folder.path().join(to), home.folder.path().join(at))
                .unwrap();
        };
        link("good.zip", "linked.zip");
        link("wrong", "linked");
        std::os::unix::net::UnixListener::bind(home.folder.path().join("socket.zip")).unwrap();
    }
    let listing = home.list(Agent::ChatGpt);
    let named: BTreeSet<&str> = listing.skipped.iter().map(String::as_str).collect();
    let mut expected = BTreeSet::from([
        "cut.zip",
        "deep/conversations.json",
        "half.zip",
        "locked.zip",
        "strange.zip",
    ]);
    if cfg!(unix) {
        expected.extend(["linked.zip", "socket.zip"]);
    }
    assert_eq!(named, expected);
    assert!(listing.hides);
    let paths = home.names(Agent::ChatGpt);
    assert!(["good.json", "first.json"].iter().all(|name| paths.contains(*name)), "{paths:?}");
    assert!(paths.iter().all(|path| !path.contains(['/', '\\']) && !path.starts_with('.')));
    assert_eq!(paths.len(), 7, "those with strange ids have names of their own: {paths:?}");
    assert_eq!(home.bytes(Agent::ChatGpt).len(), 7);
    assert_eq!(home.list(Agent::ClaudeWeb).files, []);
}

#[test]
fn an_export_of_more_conversations_than_anybody_has_is_cut() {
    let home = Home::new();
    let many = format!("[{}{{}}]", "{\"mapping\":0},".repeat(200_002));
    home.put("many.zip", zipped(&[("conversations.json", many.as_bytes())]));
    home.put("other/conversations.json", list(&[chat("other", 1, "o")]));
    let listing = home.list(Agent::ChatGpt);
    assert_eq!((listing.skipped, listing.hides), (vec!["many.zip".to_owned()], true));
    assert_eq!(listing.files.len(), 1, "and costs no other");
}

#[test]
fn conversations_of_wrong_types_are_read_as_far_as_they_go() {
    for (agent, export) in [(Agent::ChatGpt, CHATGPT), (Agent::ClaudeWeb, CLAUDE_WEB)] {
        let (mut tried, mut unreadable) = (0, 0);
        for changed in values(export).iter().flat_map(hostile::wrong) {
            let session = read(agent, "a.json", changed.to_string());
            (tried, unreadable) = (tried + 1, unreadable + session.unreadable);
            (0..session.entries.len()).for_each(|at| assert!(!session.path_to(at).is_empty()));
            dropped(&session);
        }
        assert!(tried > 1_000 && unreadable > 100, "{tried}, {unreadable}");
    }
}

#[test]
fn parents_in_circles_and_parents_that_are_not_there_lose_no_message() {
    let node = |parent: &str| {
        let mut node = chat("x", 1, parent)["mapping"]["a"].clone();
        node["parent"] = parent.into();
        node
    };
    let said = json!({"mapping": {
        "a": node("b"), "b": node("c"), "c": node("a"), "d": node("d"), "e": node("nobody"),
        "f": node("c"),
    }, "current_node": "f"});
    let session = read(Agent::ChatGpt, "a.json", said.to_string());
    assert_eq!(session.entries.len(), 6);
    assert_eq!(session.beside["parent that is not there"], 1);
    assert_eq!(told(&session).last().map(String::as_str), Some("c"));
    let message = |id: &str, parent: &str| json!({"uuid": id, "parent_message_uuid": parent, "sender": "human", "text": id});
    let said = json!({"chat_messages": [
        message("a", "b"), message("b", "a"), message("c", "c"), message("d", "nobody"),
        message("a", "d"),
    ]});
    let session = read(Agent::ClaudeWeb, "a.json", said.to_string());
    assert_eq!(session.entries.len(), 5);
    assert_eq!(session.beside["parent that is not there"], 1);
    let deep = format!("{{\"mapping\":{}", "[".repeat(100_000));
    assert_eq!(read(Agent::ChatGpt, "a.json", deep).unreadable, 1);
    assert!(Path::new(&session.id).extension().is_none(), "{}", session.id);
}
