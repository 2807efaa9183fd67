//! Files that anybody may have made: wrong types everywhere, circles, halves, floods. Everything is read to its end.

use std::io::Read;

use serde_json::{Map, Value, json};
use siltstone_engine::vault::dropped;

use super::*;

/// Each value of a record in turn is something else.
pub fn wrong(record: &Value) -> Vec<Value> {
    let others =
        [json!(null), json!(7), json!(-1.5), json!("x"), json!([]), json!([[1]]), json!({})];
    let mut all = Vec::new();
    let mut places = vec![String::new()];
    while let Some(place) = places.pop() {
        let below = match record.pointer(&place) {
            Some(Value::Object(fields)) => fields.keys().cloned().collect(),
            Some(Value::Array(items)) => (0..items.len()).map(|at| at.to_string()).collect(),
            _ => Vec::new(),
        };
        places.extend(
            below.into_iter().map(|name: String| {
                format!("{place}/{}", name.replace('~', "~0").replace('/', "~1"))
            }),
        );
        for other in &others {
            let mut changed = record.clone();
            *changed.pointer_mut(&place).unwrap() = other.clone();
            all.push(changed);
        }
    }
    all
}

#[test]
fn records_of_wrong_types_are_counted_and_what_stands_around_them_is_read() {
    for (agent, path, text) in PLACES {
        let records: Vec<Value> =
            text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let (mut tried, mut whole) = (0, String::new());
        for record in &records {
            for changed in wrong(record) {
                let line = changed.to_string();
                let session = read(agent, path, format!("{line}\n{text}"));
                assert!(session.entries.len() >= 10, "{line}");
                for at in 0..session.entries.len() {
                    assert!(!session.path_to(at).is_empty());
                }
                whole.push_str(&line);
                whole.push('\n');
                tried += 1;
            }
        }
        assert!(tried > 1_000, "{tried}");
        let session = read(agent, path, whole);
        assert!(session.unreadable > 100, "{} lines are named", session.unreadable);
        dropped(&session);
    }
}

#[test]
fn one_object_with_wrong_types_in_it_is_read_as_far_as_it_goes() {
    let text = include_str!("files/cline/1795794369926_71ngm.json");
    let said: Value = serde_json::from_str(text).unwrap();
    let (mut tried, mut unreadable) = (0, 0);
    for changed in wrong(&said) {
        let session = read(Agent::Cline, "sessions/a/a.messages.json", changed.to_string());
        (tried, unreadable) = (tried + 1, unreadable + session.unreadable);
        dropped(&session);
    }
    assert!(tried > 1_000 && unreadable > 100, "{tried}, {unreadable}");
}

#[test]
fn parents_in_circles_lead_nowhere_and_every_message_stays() {
    let said = |id: &str, parent: &str| {
        json!({"type": "user", "uuid": id, "parentUuid": parent,
            "message": {"role": "user", "content": id}})
    };
    let beside =
        |id: &str, parent: &str| json!({"type": "system", "uuid": id, "parentUuid": parent});
    let records = [
        said("a", "b"),
        said("b", "a"),
        said("c", "c"),
        beside("x", "y"),
        beside("y", "x"),
        said("d", "x"),
        said("e", "later"),
        said("later", "d"),
        said("f", "nobody"),
    ];
    let text: String = records.iter().map(|record| format!("{record}\n")).collect();
    let session = read(Agent::ClaudeCode, "projects/p/s.jsonl", text);
    assert_eq!(session.entries.len(), 7);
    let e = session.entries.iter().position(|entry| entry.key == "e").unwrap();
    let path: Vec<String> =
        session.path_to(e).iter().map(|at| session.entries[*at].text()).collect();
    assert_eq!(path, ["d", "later", "e"], "a parent may be written after its child");
    assert!((0..7).all(|at| session.path_to(at).len() <= 7));
}

#[test]
fn every_beginning_of_a_file_is_read() {
    for (agent, path, text) in PLACES {
        let mut before = 0;
        for end in (0..text.len()).step_by(61) {
            let session = read(agent, path, &text.as_bytes()[..end]);
            assert_eq!(session.unreadable, 0, "a cut end is cut and nothing else");
            assert!(session.entries.len() >= before, "at {end}");
            before = session.entries.len();
        }
    }
}

/// The same bytes again and again, as many as are asked for.
struct Flood {
    line: Vec<u8>,
    left: u64,
}

impl Read for Flood {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let mut written = 0;
        while self.left > 0 && buffer.len() - written >= self.line.len() {
            buffer[written..written + self.line.len()].copy_from_slice(&self.line);
            (written, self.left) = (written + self.line.len(), self.left - 1);
        }
        Ok(written)
    }
}

#[test]
fn a_flood_is_counted_and_takes_no_more_room_than_a_session_may() {
    let agents = Agents::below("/nowhere".as_ref());
    let line = b"{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"\"}\n".to_vec();
    let mut flood = Flood { line, left: 1_200_000 };
    let session = agents.read(Agent::Codex, "rollout-x.jsonl", &mut flood, &mut []).unwrap();
    let parts: usize = session.entries.iter().map(|entry| entry.parts.len()).sum();
    assert!(session.shortened > 100_000, "{}", session.shortened);
    assert!(parts <= 1_200_000);
    let mut fields = Map::new();
    fields.insert("type".to_owned(), json!("user"));
    fields.insert("message".to_owned(), json!({"content": "x".repeat(1 << 20)}));
    let line = format!("{}\n", Value::Object(fields)).into_bytes();
    // A whole line fits into what is asked for at once.
    let mut flood = std::io::BufReader::with_capacity(2 << 20, Flood { line, left: 200 });
    let session = agents.read(Agent::ClaudeCode, "s.jsonl", &mut flood, &mut []).unwrap();
    let kept: usize = session.entries.iter().map(|entry| entry.text().len()).sum();
    assert!(kept <= 160 << 20, "{kept}");
    assert!(session.entries.len() > 150, "{}", session.entries.len());
    assert!(session.shortened >= 40, "{}", session.shortened);
}
