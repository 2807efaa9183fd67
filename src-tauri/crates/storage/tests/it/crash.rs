//! Processes that are killed, and processes that work side by side. The other process is this test binary.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use siltstone_engine::ids::{ConversationId, MessageId, TurnId};
use siltstone_engine::message::{Message, MessageStatus, Part, Role};
use siltstone_engine::ports::{Summaries, Transcripts};
use siltstone_engine::run::{NodeStatus, RunNode};
use siltstone_engine::search::SearchScope;
use siltstone_engine::summary::{Record, Status};
use siltstone_engine::tool::ToolRecords;
use siltstone_engine::turn::{TurnStatus, Usage};
use siltstone_storage::Store;

use crate::it::steps::{call, model_node, next_reply, result, tool_node};
use crate::it::summaries::{begun, made};
use crate::it::support::{Dice, at, closing, new_conversation, opening, say, store};

const DIR: &str = "STORE_TEST_DIR";
const CONVERSATION: &str = "STORE_TEST_CONVERSATION";

fn spawn(test: &str, dir: &Path, conversation: ConversationId) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--ignored", "--nocapture"])
        .env(DIR, dir)
        .env(CONVERSATION, conversation.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

fn piece(number: usize) -> String {
    format!("{number} 조각; ")
}

fn assigned() -> Option<(Store, ConversationId)> {
    let dir = std::env::var_os(DIR)?;
    let store = Store::open(Path::new(&dir), at(0)).unwrap();
    Some((store, std::env::var(CONVERSATION).unwrap().parse().unwrap()))
}

#[test]
#[ignore = "runs in a process of its own, which is killed"]
fn streams_for_ever() {
    let Some((store, conversation)) = assigned() else { return };
    let parent = store.page(conversation, None, 1).unwrap().messages.pop().map(|m| m.message.id);
    let opening = opening(conversation, parent, "질문", at(1));
    store.open_turn(&opening).unwrap();
    println!("turn {}", opening.turn.reply_id);
    for number in 0.. {
        store.append_partial(opening.turn.id, &piece(number)).unwrap();
        println!("kept {number}");
    }
}

#[test]
#[ignore = "runs in a process of its own, beside another"]
fn appends_beside_others() {
    let Some((store, conversation)) = assigned() else { return };
    for number in 0..150 {
        println!("said {}", say(&store, conversation, None, "from afar", number));
    }
}

#[test]
#[ignore = "runs in a process of its own, which is killed"]
fn summarises_for_ever() {
    let Some((store, conversation)) = assigned() else { return };
    for second in 1.. {
        let version = store.summaries(conversation).unwrap().len() as u32 + 1;
        let record = begun(conversation, version, second);
        store.begin_summary(&record, Some("work")).unwrap();
        println!("begun {version}");
        store.finish_summary(&made(&record)).unwrap();
        println!("made {version}");
    }
}

#[test]
#[ignore = "runs in a process of its own, which is killed"]
fn takes_steps_for_ever() {
    let Some((store, conversation)) = assigned() else { return };
    let parent = store.page(conversation, None, 1).unwrap().messages.pop().map(|m| m.message.id);
    let turn = opening(conversation, parent, "질문", at(1));
    let id = turn.turn.id;
    store.open_turn(&turn).unwrap();
    println!("turn {id}");
    let mut reply = turn.turn.reply_id;
    for step in 0.. {
        let asked = model_node(id, reply, NodeStatus::Running);
        store.put_node(&asked).unwrap();
        store.append_partial(id, &piece(step)).unwrap();
        println!("text {step}");
        let parts = [Part::Text { text: piece(step) }, call("a", "{}"), call("b", "{}")];
        store.finish_step(id, &parts, 9).unwrap();
        println!("calls {step}");
        let usage = Some(Usage { input_tokens: 10, exact: true, ..Usage::default() });
        store.put_node(&RunNode { status: NodeStatus::Done, usage, ..asked }).unwrap();
        println!("asked {step}");
        let mut last = reply;
        for name in ["a", "b"] {
            let runs = tool_node(id, name, NodeStatus::Running);
            store.put_node(&runs).unwrap();
            let answer = result(&turn, last, name, &format!("{name} of {step}"));
            store.append_result(id, &answer).unwrap();
            println!("result {step}{name}");
            store.put_node(&RunNode { status: NodeStatus::Done, ..runs }).unwrap();
            last = answer.message.id;
        }
        let next = next_reply(&turn, last);
        store.begin_step(id, &next).unwrap();
        reply = next.message.id;
    }
}

/// What a killed process had said of its steps.
#[derive(Default)]
struct Said {
    turn: Option<TurnId>,
    texts: usize,
    calls: usize,
    asked: u64,
    results: Vec<String>,
}

impl Said {
    fn hear(&mut self, line: &str) {
        if let Some((_, id)) = line.rsplit_once("turn ") {
            self.turn = id.parse().ok();
        } else if let Some(result) = line.strip_prefix("result ") {
            self.results.push(result.to_owned());
        } else if line.starts_with("text ") {
            self.texts += 1;
        } else if line.starts_with("calls ") {
            self.calls += 1;
        } else if line.starts_with("asked ") {
            self.asked += 1;
        }
    }
}

#[test]
fn a_process_killed_between_its_steps_leaves_every_durable_call_and_nothing_half() {
    let (dir, store) = store();
    let conversation = new_conversation(&store);
    let mut dice = Dice(41);
    let mut before = 0;
    for round in 0..12 {
        let mut child = spawn("it::crash::takes_steps_for_ever", dir.path(), conversation);
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut said = Said::default();
        let enough = 6 + dice.below(40);
        for (count, line) in lines.map_while(Result::ok).enumerate() {
            said.hear(&line);
            if count == enough {
                child.kill().unwrap();
            }
        }
        child.wait().unwrap();
        let turn = said.turn.unwrap();
        // Every second one is found by the next question and not by a start.
        if round % 2 == 0 {
            assert_eq!(store.recover_turns(at(60)).unwrap(), [turn]);
        } else {
            let next = opening(conversation, None, "on", at(60));
            store.open_turn(&next).unwrap();
            store.close_turn(&closing(next.turn.id, "yes", at(60))).unwrap();
            store.activate(store.turn(turn).unwrap().reply_id).unwrap();
        }
        let closed = store.turn(turn).unwrap();
        assert_eq!(closed.status, TurnStatus::Interrupted);
        let page = store.page(conversation, Some(before), 10_000).unwrap();
        let messages: Vec<Message> = page.messages.into_iter().map(|it| it.message).collect();
        before = page.total;
        assert_steps(&messages, &said, closed.reply_id);
        let nodes = store.nodes(turn).unwrap();
        let ended = |node: &RunNode| matches!(node.status, NodeStatus::Done | NodeStatus::Stopped);
        assert!(nodes.iter().all(ended), "{nodes:?}");
        let counted = closed.usage.map_or(0, |usage| usage.input_tokens);
        assert!([said.asked * 10, said.asked * 10 + 10].contains(&counted), "{counted}");
    }
}

/// A question, then replies that are whole with both calls and both results, and at the end what was under way.
fn assert_steps(messages: &[Message], said: &Said, newest: MessageId) {
    assert_eq!(messages[0].role, Role::User);
    let mut results = Vec::new();
    let steps: Vec<&[Message]> =
        messages[1..].chunk_by(|_, next| next.role != Role::Assistant).collect();
    for (step, messages) in steps.iter().enumerate() {
        let (reply, answers) = messages.split_first().unwrap();
        assert_eq!(reply.id == newest, step + 1 == steps.len());
        let calls = reply.parts.iter().filter(|part| matches!(part, Part::ToolCall { .. })).count();
        let whole = step < said.calls || calls > 0;
        assert_eq!(calls, if whole { 2 } else { 0 }, "a reply has all its calls or none");
        assert!(whole || answers.is_empty(), "no result without its call");
        let status = if reply.id == newest {
            MessageStatus::Interrupted
        } else {
            assert_eq!(answers.len(), 2, "every call has its result before the next request");
            MessageStatus::Complete
        };
        assert_eq!(reply.status, status);
        if step < said.texts {
            assert_eq!(reply.text(), piece(step));
        }
        for answer in answers {
            let [Part::ToolResult { call_id, text, .. }] = &answer.parts[..] else {
                unreachable!()
            };
            assert_eq!(*text, format!("{call_id} of {step}"));
            results.push(format!("{step}{call_id}"));
        }
    }
    assert!(results.starts_with(&said.results), "{results:?} of {:?}", said.results);
    assert!(results.len() <= said.results.len() + 1, "nothing was made up");
}

#[test]
fn a_process_killed_while_it_summarises_leaves_no_half_and_nothing_stuck() {
    let (dir, store) = store();
    let conversation = new_conversation(&store);
    for word in ["begun", "made", "begun", "made", "begun"] {
        let before = store.summaries(conversation).unwrap().len();
        let mut child = spawn("it::crash::summarises_for_ever", dir.path(), conversation);
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let said = lines.map_while(Result::ok).filter(|line| line.contains(word));
        for (count, _) in said.enumerate() {
            if count == 2 {
                child.kill().unwrap();
            }
        }
        child.wait().unwrap();
        store.recover_summaries(at(500)).unwrap();
        let after = store.summaries(conversation).unwrap();
        assert!(after.len() >= before + 3);
        let made = |record: &&Record| record.status == Status::Completed;
        assert!(after.iter().filter(made).all(|record| !record.summary.is_empty()));
        let mut left = after.iter().filter(|record| !made(record));
        assert!(left.all(|it| it.fault.as_ref().is_some_and(|fault| fault.code == "abandoned")));
        let mut versions: Vec<u32> = after.iter().map(|record| record.version).collect();
        versions.sort_unstable();
        assert_eq!(versions, (1..=after.len() as u32).collect::<Vec<_>>(), "none twice, none lost");
    }
    assert_eq!(store.recover_summaries(at(501)).unwrap(), []);
    let next = begun(conversation, 10_000, 502);
    store.begin_summary(&next, None).unwrap();
}

#[test]
fn a_killed_process_loses_nothing_it_was_told_is_kept() {
    let (dir, store) = store();
    let conversation = new_conversation(&store);
    drop(store);
    for round in 0..5 {
        let mut child = spawn("it::crash::streams_for_ever", dir.path(), conversation);
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let (mut reply, mut kept) = (None, 0);
        let mut killed = false;
        // After the kill, what it managed to say before still counts.
        for line in lines.map_while(Result::ok) {
            if let Some(id) = line.rsplit_once("turn ").map(|(_, id)| id) {
                reply = Some(id.parse::<MessageId>().unwrap());
            } else if let Some(number) = line.strip_prefix("kept ") {
                kept = number.parse::<usize>().unwrap() + 1;
            }
            if kept > 10 + round * 37 && !killed {
                child.kill().unwrap();
                killed = true;
            }
        }
        child.wait().unwrap();
        let store = Store::open(dir.path(), at(2)).unwrap();
        assert_eq!(store.open_turn_of(conversation).unwrap(), None, "its process is gone");
        let recovered = store.recover_turns(at(3)).unwrap();
        assert_eq!(recovered.len(), 1);
        assert_eq!(store.turn(recovered[0]).unwrap().status, TurnStatus::Interrupted);
        let reply = store.message(reply.unwrap()).unwrap().message;
        assert_eq!(reply.status, MessageStatus::Interrupted);
        assert!(reply.tokens > 0);
        let all: String = (0..kept + 1).map(piece).collect();
        let text = reply.text();
        let acknowledged: String = (0..kept).map(piece).collect();
        assert!(text.starts_with(&acknowledged), "{kept} pieces were kept: {text}");
        assert!(all.starts_with(&text), "nothing was made up: {text}");
        let total = store.page(conversation, None, 1).unwrap().total;
        assert_eq!(total, 2 * (round as u64 + 1));
        assert_eq!(store.recover_turns(at(4)).unwrap(), vec![]);
    }
    let store = Store::open(dir.path(), at(5)).unwrap();
    assert_eq!(store.search("조각", &SearchScope::default(), 10).unwrap().total, 5);
    drop(store);
    let left = std::fs::read_dir(dir.path().join("owners")).unwrap().count();
    assert_eq!(left, 0, "the locks of dead processes are gone");
}

#[test]
fn a_turn_left_behind_does_not_block_the_next_one_and_an_empty_reply_stays() {
    let (dir, store) = store();
    let conversation = new_conversation(&store);
    let mut child = spawn("it::crash::streams_for_ever", dir.path(), conversation);
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for line in lines.map_while(Result::ok) {
        if line.contains("turn ") {
            child.kill().unwrap();
        }
    }
    child.wait().unwrap();
    let left = store.page(conversation, None, 1).unwrap().messages.remove(0).message;
    let next = opening(conversation, Some(left.id), "다음", at(9));
    store.open_turn(&next).unwrap();
    let left = store.message(left.id).unwrap().message;
    assert_eq!(left.status, MessageStatus::Interrupted);
    assert_eq!(store.page(conversation, None, 9).unwrap().total, 4);
    assert_eq!(store.recover_turns(at(10)).unwrap(), vec![]);
}

#[test]
fn processes_and_threads_side_by_side_lose_nothing() {
    let (dir, store) = store();
    let conversation = new_conversation(&store);
    let children: Vec<Child> = (0..2)
        .map(|_| spawn("it::crash::appends_beside_others", dir.path(), conversation))
        .collect();
    let mut said: Vec<MessageId> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| {
                    let own = Store::open(dir.path(), at(0)).unwrap();
                    let say = |n| say(&own, conversation, None, "from here", n);
                    (0..150).map(say).collect::<Vec<_>>()
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).unwrap();
        let ids = text.lines().filter_map(|line| line.rsplit_once("said "));
        said.extend(ids.map(|(_, id)| id.parse::<MessageId>().unwrap()));
    }
    assert_eq!(said.len(), 600);
    said.sort();
    let mut kept: Vec<MessageId> =
        store.all_messages(conversation).unwrap().iter().map(|m| m.id).collect();
    kept.sort();
    assert_eq!(kept, said);
    let found = store.search("from", &SearchScope::default(), 1).unwrap();
    assert_eq!(found.total, 600);
}
